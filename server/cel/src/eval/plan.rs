//! Plans the steps that evaluate a checked expression (`cel-go` `interpreter/planner.go` and `decorators.go`).

use std::sync::Arc;

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_goregexp::GoRegex;

use super::{Program, run};
use crate::ast::{Ast, ExprKind, NodeId};
use crate::checker::{Checked, Reference};
use crate::decls::{Environment, FunctionDecl, OverloadDecl};
use crate::library::{Actual, Body, IN_LIST, PatternFn, Step as FunctionStep};
use crate::types::{Type, well_known_struct};
use crate::value::{EvalError, Key, Result, Value};

/// The budget for planning one expression. The programs of realistic expressions take some kilobytes.
const PLANNING: Limits = Limits {
    bytes: 8 << 20,
    ..Limits::DOCUMENT
};

/// Budgeted work for planning one part of an expression.
const NODE_WORK: u64 = 50;

/// The index of a step in its program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StepIdx(pub(super) u32);

/// The index of an attribute in its program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct AttrIdx(pub(super) u32);

/// A step of the program. Each step has a value.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) id: i64,
    pub(super) kind: StepKind,
}

#[derive(Debug)]
pub(super) enum StepKind {
    Const(Value),
    /// A variable or another value, with its selections.
    Attribute(AttrIdx),
    /// `has()`: the last selection is only tested for presence.
    Test(AttrIdx),
    And(Vec<StepIdx>),
    Or(Vec<StepIdx>),
    Equals(StepIdx, StepIdx),
    NotEquals(StepIdx, StepIdx),
    /// True for everything except `false`, including errors.
    NotStrictlyFalse(StepIdx),
    Call(Call),
    /// `x in [constants]`
    Member {
        of: StepIdx,
        set: std::collections::HashSet<Key>,
    },
    /// `optional.or(optional)`
    OptionalOr(StepIdx, StepIdx),
    /// `optional.orValue(value)`
    OptionalOrValue(StepIdx, StepIdx),
    /// The elements, and whether each is optional.
    List(Vec<(StepIdx, bool)>),
    /// The keys and values, and whether each entry is optional.
    Map(Vec<(StepIdx, StepIdx, bool)>),
    /// A message with its fields, and whether each field is optional.
    Message {
        type_name: Arc<str>,
        fields: Vec<(Arc<str>, StepIdx, bool)>,
    },
    Comprehension(Box<ComprehensionPlan>),
}

/// A call of a function.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) function: Arc<str>,
    pub(super) overloads: Overloads,
    pub(super) args: Vec<StepIdx>,
    /// Whether the body checks the types of its operands itself.
    pub(super) singleton: bool,
    /// Whether the call is a binary one that evaluates both operands even if the first is an error.
    pub(super) binary: bool,
    /// A regular expression known at planning time, and the evaluator that uses it.
    pub(super) pattern: Option<(Arc<GoRegex>, PatternFn)>,
    pub(super) cost: Actual,
}

/// The overloads that a call may use.
#[derive(Debug)]
pub(super) enum Overloads {
    /// The overload chosen by the checker.
    Known(Arc<OverloadDecl>),
    /// The first of these overloads that accepts the operands.
    Among(Vec<Arc<OverloadDecl>>),
}

#[derive(Debug)]
pub(super) struct ComprehensionPlan {
    pub(super) range: StepIdx,
    pub(super) iter_var: Arc<str>,
    pub(super) iter_var2: Option<Arc<str>>,
    pub(super) accu_var: Arc<str>,
    pub(super) accu: StepIdx,
    pub(super) condition: StepIdx,
    pub(super) step: StepIdx,
    pub(super) result: StepIdx,
}

/// A value with selections.
#[derive(Debug)]
pub(super) struct Attribute {
    id: i64,
    pub(super) base: Base,
    pub(super) qualifiers: Vec<Qualifier>,
}

#[derive(Clone, Debug)]
pub(super) enum Base {
    Variable(Arc<str>),
    Step(StepIdx),
    Conditional {
        condition: StepIdx,
        truthy: AttrIdx,
        falsy: AttrIdx,
    },
}

/// One selection from a value.
#[derive(Clone, Debug)]
pub(super) struct Qualifier {
    pub(super) id: i64,
    pub(super) kind: QualifierKind,
    /// Whether the selection is optional (`.?field`, `[?key]`).
    pub(super) optional: bool,
}

#[derive(Clone, Debug)]
pub(super) enum QualifierKind {
    /// A field, or a constant key or index.
    Const(Value),
    /// A field, or a constant key or index, that is only tested for presence.
    TestOnly(Value),
    /// A key or index that is itself an attribute.
    Attribute(AttrIdx),
    /// A computed key or index.
    Computed(AttrIdx),
}

pub(super) fn attribute_id(attributes: &[Attribute], attribute: AttrIdx) -> i64 {
    let attr = &attributes[attribute.0 as usize];
    if let Base::Conditional { truthy, falsy, .. } = attr.base {
        let (truthy, falsy) = (attribute_id(attributes, truthy), attribute_id(attributes, falsy));
        return if truthy == falsy { truthy } else { attr.id };
    }
    attr.qualifiers.last().map_or(attr.id, |q| q.id)
}

struct Planner<'a> {
    checked: &'a Checked,
    ast: &'a Ast,
    environment: &'a Environment,
    program: Program,
    /// Whether constant parts are folded.
    folds_constants: bool,
}

pub(super) fn plan(checked: &Checked, environment: &Environment, folds_constants: bool) -> Result<Program> {
    let root = checked
        .ast
        .root()
        .ok_or_else(|| EvalError::fatal("the expression is empty"))?;
    let ids = checked.ast.nodes().map(|(_, e)| e.id).max().unwrap_or(0).max(0) as usize + 1;
    let program = Program {
        steps: Vec::new(),
        attributes: Vec::new(),
        root: StepIdx(0),
        presence_test_has_cost: environment.features().presence_test_has_cost,
        version: environment.features().version,
        ids,
        unfinished: None,
    };
    let mut planner = Planner {
        checked,
        ast: &checked.ast,
        environment,
        program,
        folds_constants,
    };
    if let Some(unfinished) = checked.unfinished {
        planner.program.unfinished = Some(unfinished);
        return Ok(planner.program);
    }
    let (root, ended) = budget::within(PLANNING, || planner.plan(root));
    // Programs stay in memory as long as their document.
    let _ = budget::bytes(planner.program.bytes());
    if let Some(unfinished) = ended.unfinished {
        planner.program.unfinished = Some(unfinished);
        planner.program.attributes.clear();
        planner.program.steps.clear();
    } else {
        planner.program.root = root?;
    }
    Ok(planner.program)
}

impl Program {
    /// The approximate size of the program in bytes.
    fn bytes(&self) -> u64 {
        let qualifiers: usize = self.attributes.iter().map(|it| it.qualifiers.len()).sum();
        (self.steps.len() * size_of::<Step>()
            + self.attributes.len() * size_of::<Attribute>()
            + qualifiers * size_of::<Qualifier>()) as u64
    }
}

impl Planner<'_> {
    fn push(&mut self, id: i64, kind: StepKind) -> StepIdx {
        self.program.steps.push(Step { id, kind });
        StepIdx(self.program.steps.len() as u32 - 1)
    }

    fn push_attribute(&mut self, id: i64, base: Base) -> AttrIdx {
        self.program.attributes.push(Attribute {
            id,
            base,
            qualifiers: Vec::new(),
        });
        AttrIdx(self.program.attributes.len() as u32 - 1)
    }

    fn constant(&self, step: StepIdx) -> Option<&Value> {
        match &self.program.step(step).kind {
            StepKind::Const(value) => Some(value),
            _ => None,
        }
    }

    fn plan(&mut self, node: NodeId) -> Result<StepIdx> {
        crate::stack::grow(|| self.plan_here(node))
    }

    fn plan_here(&mut self, node: NodeId) -> Result<StepIdx> {
        budget::work(NODE_WORK)?;
        let ast = self.ast;
        let id = ast[node].id;
        match &ast[node].kind {
            ExprKind::Unspecified => Err(EvalError::fatal("unsupported expr")),
            ExprKind::Literal(literal) => Ok(self.push(id, StepKind::Const(literal.clone().into()))),
            ExprKind::Ident(name) => self.plan_ident(node, name),
            ExprKind::Select {
                operand,
                field,
                test_only,
            } => self.plan_select(node, *operand, field, *test_only),
            ExprKind::Call { function, target, args } => self.plan_call(node, function, *target, args),
            ExprKind::List {
                elements,
                optional_indices,
            } => self.plan_list(id, elements, optional_indices),
            ExprKind::Map { entries } => {
                let entries = entries
                    .iter()
                    .map(|e| Ok((self.plan(e.key)?, self.plan(e.value)?, e.optional)));
                let entries = entries.collect::<Result<Vec<_>>>()?;
                let constant = entries
                    .iter()
                    .all(|(k, v, _)| self.constant(*k).is_some() && self.constant(*v).is_some());
                let step = self.push(id, StepKind::Map(entries));
                if constant { self.folded(step) } else { Ok(step) }
            }
            // The checker determined the type. Whether the value can be created is only known at run time.
            ExprKind::Struct { type_name, fields } => {
                let fields = fields
                    .iter()
                    .map(|field| Ok((field.name.clone(), self.plan(field.value)?, field.optional)))
                    .collect::<Result<_>>()?;
                Ok(self.push(
                    id,
                    StepKind::Message {
                        type_name: type_name.clone(),
                        fields,
                    },
                ))
            }
            ExprKind::Comprehension(comprehension) => {
                let accu = self.plan(comprehension.accu_init)?;
                let range = self.plan(comprehension.iter_range)?;
                let condition = self.plan(comprehension.loop_condition)?;
                let step = self.plan(comprehension.loop_step)?;
                let result = self.plan(comprehension.result)?;
                let comprehension = ComprehensionPlan {
                    range,
                    iter_var: comprehension.iter_var.clone(),
                    iter_var2: comprehension.iter_var2.clone(),
                    accu_var: comprehension.accu_var.clone(),
                    accu,
                    condition,
                    step,
                    result,
                };
                Ok(self.push(id, StepKind::Comprehension(Box::new(comprehension))))
            }
        }
    }

    /// Evaluates a constant step and replaces it by its value.
    fn folded(&mut self, step: StepIdx) -> Result<StepIdx> {
        if !self.folds_constants {
            return Ok(step);
        }
        let value = run::constant(&self.program, step);
        let id = self.program.step(step).id;
        match value {
            Ok(value) => Ok(self.push(id, StepKind::Const(value))),
            Err(crash) if crash.as_crash().is_some() => Err(crash),
            // A literal without a value fails at run time.
            Err(_) => Ok(step),
        }
    }

    fn plan_ident(&mut self, node: NodeId, name: &Arc<str>) -> Result<StepIdx> {
        let id = self.ast[node].id;
        let name = match self.checked.reference(node) {
            Some(Reference::Ident {
                constant: Some(value), ..
            }) => {
                return Ok(self.push(id, StepKind::Const(Value::Int(*value))));
            }
            Some(Reference::Ident { name, .. }) => name.clone(),
            _ => name.clone(),
        };
        if let Type::Type(of) = self.checked.type_of(node) {
            // The checker also knows type names (`timestamp`, types of the schema) that are not values at run time.
            let declared = matches!(self.environment.variable(&name), Some(Type::Type(_)));
            let is_message = well_known_struct(&name) && matches!(Type::object(&name), Type::Struct(_));
            if !declared && !is_message {
                return Err(EvalError::fatal(format!("reference to undefined type: {name}")));
            }
            let of = of.as_deref().cloned().unwrap_or(Type::Type(None));
            return Ok(self.push(id, StepKind::Const(Value::Type(of))));
        }
        let attribute = self.push_attribute(id, Base::Variable(name));
        Ok(self.push(id, StepKind::Attribute(attribute)))
    }

    fn plan_list(&mut self, id: i64, elements: &[NodeId], optional_indices: &[u32]) -> Result<StepIdx> {
        let mut steps = Vec::with_capacity(elements.len());
        let mut optional_indices = optional_indices.iter().copied().peekable();
        for (at, element) in elements.iter().enumerate() {
            let optional = optional_indices.next_if_eq(&(at as u32)).is_some();
            steps.push((self.plan(*element)?, optional));
        }
        let constant = steps.iter().all(|(s, _)| self.constant(*s).is_some());
        let step = self.push(id, StepKind::List(steps));
        if constant { self.folded(step) } else { Ok(step) }
    }

    /// The attribute of a step, or a new attribute that starts with the step's value.
    fn attribute_of(&mut self, step: StepIdx) -> (StepIdx, AttrIdx) {
        match self.program.step(step).kind {
            StepKind::Attribute(attribute) | StepKind::Test(attribute) => (step, attribute),
            _ => {
                let id = self.program.id(step);
                let attribute = self.push_attribute(id, Base::Step(step));
                (self.push(id, StepKind::Attribute(attribute)), attribute)
            }
        }
    }

    fn add_qualifier(&mut self, attribute: AttrIdx, qualifier: Qualifier) {
        if let Base::Conditional { truthy, falsy, .. } = self.program.attribute(attribute).base {
            self.add_qualifier(truthy, qualifier.clone());
            self.add_qualifier(falsy, qualifier);
        } else if budget::bytes(size_of::<Qualifier>() as u64).is_ok() {
            // Each branch of a conditional gets its own qualifier.
            self.program.attributes[attribute.0 as usize].qualifiers.push(qualifier);
        }
    }

    fn plan_select(&mut self, node: NodeId, operand: NodeId, field: &Arc<str>, test_only: bool) -> Result<StepIdx> {
        if matches!(self.checked.reference(node), Some(Reference::Ident { .. })) {
            return self.plan_ident(node, field);
        }
        let id = self.ast[node].id;
        let operand = self.plan(operand)?;
        let (step, attribute) = self.attribute_of(operand);
        let value = Value::String(field.clone());
        let kind = if test_only {
            QualifierKind::TestOnly(value)
        } else {
            QualifierKind::Const(value)
        };
        self.add_qualifier(
            attribute,
            Qualifier {
                id,
                kind,
                optional: false,
            },
        );
        Ok(if test_only {
            self.push(id, StepKind::Test(attribute))
        } else {
            step
        })
    }

    fn plan_call(
        &mut self,
        node: NodeId,
        function: &Arc<str>,
        target: Option<NodeId>,
        args: &[NodeId],
    ) -> Result<StepIdx> {
        let id = self.ast[node].id;
        let args = target
            .iter()
            .chain(args)
            .map(|arg| self.plan(*arg))
            .collect::<Result<Vec<_>>>()?;
        let undeclared = || EvalError::fatal(format!("no such overload: {function}"));
        let declared = self.environment.function(function).ok_or_else(undeclared)?;
        let Some(Body::Step(step)) = declared.overloads.first().map(|it| it.body) else {
            return self.call(node, declared, args);
        };
        match (step, &args[..]) {
            (FunctionStep::And, _) => Ok(self.push(id, StepKind::And(args))),
            (FunctionStep::Or, _) => Ok(self.push(id, StepKind::Or(args))),
            (FunctionStep::Equals, [a, b]) => Ok(self.push(id, StepKind::Equals(*a, *b))),
            (FunctionStep::NotEquals, [a, b]) => Ok(self.push(id, StepKind::NotEquals(*a, *b))),
            (FunctionStep::NotStrictlyFalse, [condition]) => Ok(self.push(id, StepKind::NotStrictlyFalse(*condition))),
            (FunctionStep::Conditional, [condition, truthy, falsy]) => {
                let (condition, truthy, falsy) = (*condition, *truthy, *falsy);
                let (_, truthy) = self.branch(truthy);
                let (_, falsy) = self.branch(falsy);
                let attribute = self.push_attribute(
                    id,
                    Base::Conditional {
                        condition,
                        truthy,
                        falsy,
                    },
                );
                Ok(self.push(id, StepKind::Attribute(attribute)))
            }
            (FunctionStep::Index, [operand, index]) => self.plan_index(id, *operand, *index, false),
            (FunctionStep::OptionalIndex, [operand, index]) => self.plan_index(id, *operand, *index, true),
            (FunctionStep::OptionalOr, [a, b]) => Ok(self.push(id, StepKind::OptionalOr(*a, *b))),
            (FunctionStep::OptionalOrValue, [a, b]) => Ok(self.push(id, StepKind::OptionalOrValue(*a, *b))),
            _ => Err(undeclared()),
        }
    }

    /// The attribute of a conditional's branch. The attribute has no step of its own, and therefore no cost of its own.
    fn branch(&mut self, step: StepIdx) -> (StepIdx, AttrIdx) {
        // A presence test is also reduced to its attribute. This skips the check whether an optional has a value.
        if let StepKind::Attribute(attribute) | StepKind::Test(attribute) = self.program.step(step).kind {
            return (step, attribute);
        }
        let id = self.program.id(step);
        (step, self.push_attribute(id, Base::Step(step)))
    }

    fn call(&mut self, node: NodeId, function: &FunctionDecl, args: Vec<StepIdx>) -> Result<StepIdx> {
        let id = self.ast[node].id;
        let overloads = match self.checked.overloads(node) {
            [overload] => Overloads::Known(overload.clone()),
            _ => Overloads::Among(function.overloads.clone()),
        };
        if self.folds_constants
            && let Overloads::Known(overload) = &overloads
            && *overload.id == *IN_LIST
            && let [of, list] = args[..]
            && let Some(Value::List(list)) = self.constant(list)
        {
            if list.is_empty() {
                return Ok(self.push(id, StepKind::Const(Value::Bool(false))));
            }
            if let Some(set) = member_set(list) {
                return Ok(self.push(id, StepKind::Member { of, set }));
            }
        }
        let mut pattern = None;
        if let (Some(call), Some(index)) = (function.pattern(), args.get(1))
            && let Some(Value::String(text)) = self.constant(*index)
        {
            let compiled = GoRegex::new(text).map_err(|e| EvalError::fatal(e.to_string()))?;
            pattern = Some((Arc::new(compiled), call));
        }
        let singleton = function.is_singleton();
        let (is_known, cost) = match &overloads {
            Overloads::Known(overload) => (true, overload.cost.actual),
            Overloads::Among(_) => (false, function.cost_without_overload()),
        };
        let converts = function.is_conversion() && matches!(args[..], [arg] if self.constant(arg).is_some());
        let step = self.push(
            id,
            StepKind::Call(Call {
                function: function.name.clone(),
                overloads,
                args,
                singleton,
                // Calls with a precompiled pattern, and calls whose overload is chosen at run time, are not binary calls.
                binary: pattern.is_none() && (is_known || singleton) && !function.is_variadic(),
                pattern,
                cost,
            }),
        );
        if !converts || !self.folds_constants {
            return Ok(step);
        }
        let value = run::constant(&self.program, step)?;
        Ok(self.push(id, StepKind::Const(value)))
    }

    fn plan_index(&mut self, id: i64, operand: StepIdx, index: StepIdx, optional: bool) -> Result<StepIdx> {
        let (step, attribute) = self.attribute_of(operand);
        let kind = match &self.program.step(index).kind {
            StepKind::Const(value) if !is_index(value) => {
                let message = format!("invalid qualifier type: {}", value.go_type());
                return Err(EvalError::fatal(message));
            }
            StepKind::Const(value) => QualifierKind::Const(value.clone()),
            StepKind::Attribute(index) | StepKind::Test(index) => QualifierKind::Attribute(*index),
            _ => QualifierKind::Computed(self.push_attribute(id, Base::Step(index))),
        };
        self.add_qualifier(attribute, Qualifier { id, kind, optional });
        Ok(step)
    }
}

/// Whether a constant can be used as an index.
fn is_index(value: &Value) -> bool {
    matches!(
        value,
        Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::String(_)
    )
}

/// The set of a constant list's elements; `None` if the list contains an element that cannot be looked up.
fn member_set(list: &crate::value::List) -> Option<std::collections::HashSet<Key>> {
    let mut set = std::collections::HashSet::new();
    for element in list.iter() {
        let element = element.ok()?;
        match element {
            Value::Bool(_) | Value::String(_) => {}
            Value::Double(d) => {
                set.extend(crate::value::exact_int(d).map(Key::Int));
                set.extend(crate::value::exact_uint(d).map(Key::Uint));
            }
            Value::Int(i) => {
                set.extend(Key::of(&Value::Double(i as f64)));
                set.extend(u64::try_from(i).ok().map(Key::Uint));
            }
            Value::Uint(u) => {
                set.extend(Key::of(&Value::Double(u as f64)));
                set.extend(i64::try_from(u).ok().map(Key::Int));
            }
            _ => return None,
        }
        set.insert(Key::of(&element).ok()?);
    }
    Some(set)
}
