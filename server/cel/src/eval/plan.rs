//! From a checked expression to steps that run (`cel-go` `interpreter/planner.go` and `decorators.go`).

use std::collections::HashMap;
use std::sync::Arc;

use super::functions::{self, Binding};
use super::{Program, run};
use crate::ast::{Ast, ExprKind, NodeId, operators};
use crate::checker::{Checked, Reference};
use crate::decls::{Environment, OverloadDecl};
use crate::types::{Type, find_scalar, well_known_struct};
use crate::value::{EvalError, Key, Result, Value};

/// The index of a step in its program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StepIdx(pub(super) u32);

/// The index of an attribute in its program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct AttrIdx(pub(super) u32);

/// A part of the expression that has a value.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) id: i64,
    pub(super) kind: StepKind,
}

#[derive(Debug)]
pub(super) enum StepKind {
    Const(Value),
    /// A variable or other value with what is selected from it.
    Attribute(AttrIdx),
    /// `has()`; the last thing that is selected is only tested for.
    Test(AttrIdx),
    And(Vec<StepIdx>),
    Or(Vec<StepIdx>),
    Equals(StepIdx, StepIdx),
    NotEquals(StepIdx, StepIdx),
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
    /// Elements, and which of them are optional.
    List(Vec<(StepIdx, bool)>),
    /// Keys and values, and which of them are optional.
    Map(Vec<(StepIdx, StepIdx, bool)>),
    /// A message with its fields, and which of them are optional.
    Message {
        type_name: Arc<str>,
        fields: Vec<(Arc<str>, StepIdx, bool)>,
    },
    Fold(Box<Fold>),
}

/// A call of a function.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) function: Arc<str>,
    /// The overload that the checker decided on, if it could.
    pub(super) overload: Option<Arc<OverloadDecl>>,
    pub(super) args: Vec<StepIdx>,
    pub(super) binding: Binding,
    /// A pattern that is known.
    pub(super) pattern: Option<Arc<crd_analyzer_goregexp::GoRegex>>,
}

#[derive(Debug)]
pub(super) struct Fold {
    pub(super) range: StepIdx,
    pub(super) iter_var: Arc<str>,
    pub(super) iter_var2: Option<Arc<str>>,
    pub(super) accu_var: Arc<str>,
    pub(super) accu: StepIdx,
    pub(super) condition: StepIdx,
    pub(super) step: StepIdx,
    pub(super) result: StepIdx,
}

/// A value from which something may be selected.
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

/// Something that is selected.
#[derive(Clone, Debug)]
pub(super) struct Qualifier {
    pub(super) id: i64,
    pub(super) kind: QualifierKind,
    /// Whether it may be missing.
    pub(super) optional: bool,
}

#[derive(Clone, Debug)]
pub(super) enum QualifierKind {
    /// A field, or a key or index that is known.
    Const(Value),
    /// The same, only tested for.
    TestOnly(Value),
    /// A key or index that is an attribute itself.
    Attribute(AttrIdx),
    /// A key or index that is computed.
    Computed(AttrIdx),
}

/// The overloads of functions for which the decision is made when they are called.
pub(super) type Functions = HashMap<Arc<str>, Vec<Arc<OverloadDecl>>>;

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
    functions: Functions,
    /// Whether what has only constants is run at once.
    fold: bool,
}

pub(super) fn plan(checked: &Checked, environment: &Environment, fold: bool) -> Result<Program> {
    let root = checked
        .ast
        .root()
        .ok_or_else(|| EvalError::fatal("there is no expression"))?;
    let ids = checked.ast.nodes().map(|(_, e)| e.id).max().unwrap_or(0).max(0) as usize + 1;
    let program = Program {
        steps: Vec::new(),
        attributes: Vec::new(),
        root: StepIdx(0),
        presence_test_has_cost: environment.features().presence_test_has_cost,
        version: environment.features().version,
        ids,
        environment: Arc::default(),
    };
    let mut planner = Planner {
        checked,
        ast: &checked.ast,
        environment,
        program,
        functions: Functions::new(),
        fold,
    };
    let root = planner.plan(root)?;
    planner.program.root = root;
    planner.program.environment = Arc::new(planner.functions);
    Ok(planner.program)
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
            // What is no message is found to be none only when it shall be made.
            ExprKind::Struct { type_name, fields }
                if well_known_struct(type_name) || find_scalar(type_name).is_some() =>
            {
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
            ExprKind::Struct { type_name, .. } => Err(EvalError::fatal(format!("unknown type: {type_name}"))),
            ExprKind::Comprehension(fold) => {
                let accu = self.plan(fold.accu_init)?;
                let range = self.plan(fold.iter_range)?;
                let condition = self.plan(fold.loop_condition)?;
                let step = self.plan(fold.loop_step)?;
                let result = self.plan(fold.result)?;
                let fold = Fold {
                    range,
                    iter_var: fold.iter_var.clone(),
                    iter_var2: fold.iter_var2.clone(),
                    accu_var: fold.accu_var.clone(),
                    accu,
                    condition,
                    step,
                    result,
                };
                Ok(self.push(id, StepKind::Fold(Box::new(fold))))
            }
        }
    }

    /// Runs a step that has only constants, and makes its value the step.
    fn folded(&mut self, step: StepIdx) -> Result<StepIdx> {
        if !self.fold {
            return Ok(step);
        }
        let value = run::constant(&self.program, step);
        let id = self.program.step(step).id;
        match value {
            Ok(value) => Ok(self.push(id, StepKind::Const(value))),
            Err(crash) if crash.as_crash().is_some() => Err(crash),
            // A literal that has no value is left to fail when it runs.
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
            // The checker knows names of types (`timestamp`, types of the schema) that are no values when the rule runs.
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

    /// The attribute that a step is, or one that begins with the step's value.
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
        } else {
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
        match (&**function, &args[..]) {
            (operators::LOGICAL_AND, _) => return Ok(self.push(id, StepKind::And(args))),
            (operators::LOGICAL_OR, _) => return Ok(self.push(id, StepKind::Or(args))),
            (operators::EQUALS, [a, b]) => return Ok(self.push(id, StepKind::Equals(*a, *b))),
            (operators::NOT_EQUALS, [a, b]) => return Ok(self.push(id, StepKind::NotEquals(*a, *b))),
            (operators::CONDITIONAL, [condition, truthy, falsy]) => {
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
                return Ok(self.push(id, StepKind::Attribute(attribute)));
            }
            (operators::INDEX, [operand, index]) => return self.plan_index(id, *operand, *index, false),
            (operators::OPT_INDEX | operators::OPT_SELECT, [operand, index]) => {
                return self.plan_index(id, *operand, *index, true);
            }
            _ => {}
        }
        let overloads = self.checked.overloads(node);
        let overload = if let [overload] = overloads {
            Some(overload.clone())
        } else {
            None
        };
        let overload_id = overload.as_ref().map_or("", |o| &*o.id);
        match (&**function, &args[..]) {
            ("or", [a, b]) if overload_id.is_empty() || overload_id == "optional_or_optional" => {
                return Ok(self.push(id, StepKind::OptionalOr(*a, *b)));
            }
            ("orValue", [a, b]) if overload_id.is_empty() || overload_id == "optional_orValue_value" => {
                return Ok(self.push(id, StepKind::OptionalOrValue(*a, *b)));
            }
            _ => {}
        }
        self.call(id, function, overload, args)
    }

    /// A branch of a conditional: an attribute without its step, which then costs nothing of its own.
    fn branch(&mut self, step: StepIdx) -> (StepIdx, AttrIdx) {
        // Of a test, too, only the attribute is taken: whether an optional has a value is then not asked.
        if let StepKind::Attribute(attribute) | StepKind::Test(attribute) = self.program.step(step).kind {
            return (step, attribute);
        }
        let id = self.program.id(step);
        (step, self.push_attribute(id, Base::Step(step)))
    }

    fn call(
        &mut self,
        id: i64,
        function: &Arc<str>,
        overload: Option<Arc<OverloadDecl>>,
        args: Vec<StepIdx>,
    ) -> Result<StepIdx> {
        let overload_id = overload.as_ref().map_or("", |o| &*o.id);
        if self.fold
            && overload_id == "in_list"
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
        let is_declared = || self.environment.function(function).is_some();
        let binding = functions::binding(function)
            .or_else(|| is_declared().then_some(functions::NEVER_CALLED))
            .ok_or_else(|| EvalError::fatal(format!("no such overload: {function}")))?;
        let mut pattern = None;
        if let ("matches" | "find" | "findAll", Some(index)) = (&**function, args.get(1))
            && let Some(Value::String(text)) = self.constant(*index)
        {
            let compiled = crd_analyzer_goregexp::GoRegex::new(text);
            pattern = Some(Arc::new(compiled.map_err(|e| EvalError::fatal(e.to_string()))?));
        }
        if overload.is_none() && !self.functions.contains_key(function) {
            let overloads = self
                .environment
                .function(function)
                .map(|f| f.overloads.clone())
                .unwrap_or_default();
            self.functions.insert(function.clone(), overloads);
        }
        let converts = is_conversion(function) && matches!(args[..], [arg] if self.constant(arg).is_some());
        let step = self.push(
            id,
            StepKind::Call(Call {
                function: function.clone(),
                overload,
                args,
                binding,
                pattern,
            }),
        );
        if !converts || !self.fold {
            return Ok(step);
        }
        self.program.environment = Arc::new(self.functions.clone());
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

/// Whether a constant can be an index.
fn is_index(value: &Value) -> bool {
    matches!(
        value,
        Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::String(_)
    )
}

/// The functions that are run at once if their argument is known (`cel-go` `overloads.IsTypeConversionFunction`).
fn is_conversion(function: &str) -> bool {
    matches!(
        function,
        "bool" | "bytes" | "double" | "duration" | "dyn" | "int" | "string" | "timestamp" | "type" | "uint"
    )
}

/// What equals an element of a list of constants; `None` if the list has something that cannot be looked up.
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
