//! The expansions of macros.

use std::sync::Arc;

use super::build::Builder;
use super::macros::{Expansion, Macro, Quantifier};
use super::options::ParseOptions;
use crate::ast::{Comprehension, ExprKind, IssueKind, Limit, Literal, Location, MacroProblem, NodeId, operators};

/// The expansion of a call, or the reason why it cannot be expanded, with its location.
type Expanded = Result<NodeId, (Location, IssueKind)>;
/// The variables of a comprehension.
type Variables = (Arc<str>, Option<Arc<str>>);

/// The function that inserts an entry into the result of `transformMap`.
const MAP_INSERT: &str = "cel.@mapInsert";

/// The former name of the accumulator, which no variable may have.
const ACCUMULATOR: &str = "__result__";

/// The expansion of one call. All nodes that it creates have the position of the call.
struct Expand<'b, 'a> {
    builder: &'b mut Builder<'a>,
    options: &'b ParseOptions,
    call: Location,
    /// The name of the macro.
    name: &'static str,
}

/// Expands a call if it is a macro call. `id` is the id of the call; all created nodes get its position.
pub(super) fn expand(
    builder: &mut Builder<'_>,
    options: &ParseOptions,
    id: i64,
    function: &str,
    target: Option<NodeId>,
    args: &[NodeId],
) -> Option<Expanded> {
    let is_called =
        |m: &&&Macro| m.name == function && m.parameters.len() == args.len() && m.is_method() == target.is_some();
    let found = *options.macros.iter().rev().find(is_called)?;
    let call = builder.location(id);
    if builder.is_full() {
        return Some(Err((call, IssueKind::Limit(Limit::Expansion))));
    }
    let mut expand = Expand {
        builder,
        options,
        call,
        name: found.name,
    };
    // The expansion of a macro without a receiver ignores the target.
    Some(expand.as_declared(found.expansion, target.unwrap_or(args[0]), args))
}

impl Expand<'_, '_> {
    fn as_declared(&mut self, expansion: Expansion, target: NodeId, args: &[NodeId]) -> Expanded {
        match expansion {
            Expansion::Has => self.has(args[0]),
            Expansion::Quantifier(quantifier) => self.quantifier(quantifier, target, args),
            Expansion::QuantifierOfTwo(quantifier) => self.quantifier_two(quantifier, target, args),
            Expansion::Map => self.map(target, args),
            Expansion::Filter => self.filter(target, args),
            Expansion::OptionalMap => self.optional(target, args, true),
            Expansion::OptionalFlatMap => self.optional(target, args, false),
            Expansion::TransformList => self.transform_list(target, args),
            Expansion::TransformMap => self.transform_map(target, args, false),
            Expansion::TransformMapEntry => self.transform_map(target, args, true),
            Expansion::SortBy => self.sort_by(target, args),
        }
    }

    fn has(&mut self, field: NodeId) -> Expanded {
        let ExprKind::Select { operand, field, .. } = &self.builder.ast[field].kind else {
            return self.error(field, MacroProblem::NotAField);
        };
        let (operand, field) = (*operand, field.clone());
        Ok(self.node(ExprKind::Select {
            operand,
            field,
            test_only: true,
        }))
    }

    fn filter(&mut self, target: NodeId, args: &[NodeId]) -> Expanded {
        let element = self.variable(args[0])?;
        self.check_accumulator(&element, args[0])?;
        Ok(self.selection(target, element, Some(args[1]), args[0]))
    }

    fn node(&mut self, kind: ExprKind) -> NodeId {
        let id = self.builder.id_at(self.call);
        self.builder.push(id, kind)
    }

    fn error<T>(&self, node: NodeId, problem: MacroProblem) -> Result<T, (Location, IssueKind)> {
        let id = self.builder.ast[node].id;
        Err((self.builder.location_told(id, self.options), IssueKind::Macro(problem)))
    }

    fn literal(&mut self, value: Literal) -> NodeId {
        self.node(ExprKind::Literal(value))
    }

    fn ident(&mut self, name: Arc<str>) -> NodeId {
        self.node(ExprKind::Ident(name))
    }

    fn accumulator(&mut self) -> NodeId {
        self.ident(self.options.accumulator.into())
    }

    fn call(&mut self, function: &str, args: &[NodeId]) -> NodeId {
        self.node(ExprKind::Call {
            function: function.into(),
            target: None,
            args: args.to_vec(),
        })
    }

    fn member_call(&mut self, function: &str, target: NodeId) -> NodeId {
        self.node(ExprKind::Call {
            function: function.into(),
            target: Some(target),
            args: Vec::new(),
        })
    }

    fn list(&mut self, elements: &[NodeId]) -> NodeId {
        self.node(ExprKind::List {
            elements: elements.to_vec(),
            optional_indices: Vec::new(),
        })
    }

    fn comprehension_with_result(
        &mut self,
        range: NodeId,
        vars: Variables,
        accu: Arc<str>,
        parts: [NodeId; 4],
    ) -> NodeId {
        let [accu_init, loop_condition, loop_step, result] = parts;
        self.node(ExprKind::Comprehension(Box::new(Comprehension {
            iter_range: range,
            iter_var: vars.0,
            iter_var2: vars.1,
            accu_var: accu,
            accu_init,
            loop_condition,
            loop_step,
            result,
        })))
    }

    /// A comprehension with the given initial value, condition and step. Its result is the accumulator.
    fn comprehension(&mut self, range: NodeId, vars: Variables, parts: [NodeId; 3]) -> NodeId {
        let result = self.accumulator();
        let [init, condition, step] = parts;
        self.comprehension_with_result(
            range,
            vars,
            self.options.accumulator.into(),
            [init, condition, step, result],
        )
    }

    /// `accumulator + [element]`
    fn appended(&mut self, element: NodeId) -> NodeId {
        let accumulator = self.accumulator();
        let list = self.list(&[element]);
        self.call(operators::ADD, &[accumulator, list])
    }

    /// `predicate ? step : accumulator`
    fn if_kept(&mut self, predicate: NodeId, step: NodeId) -> NodeId {
        let accumulator = self.accumulator();
        self.call(operators::CONDITIONAL, &[predicate, step, accumulator])
    }

    /// The name in an argument that declares a variable.
    fn variable(&self, node: NodeId) -> Result<Arc<str>, (Location, IssueKind)> {
        match &self.builder.ast[node].kind {
            ExprKind::Ident(name) => Ok(name.clone()),
            _ => self.error(node, MacroProblem::NotAName { of: self.name }),
        }
    }

    fn check_accumulator(&self, variable: &str, node: NodeId) -> Result<(), (Location, IssueKind)> {
        if self.options.accumulator_reserved && (variable == self.options.accumulator || variable == ACCUMULATOR) {
            return self.error(node, MacroProblem::Accumulator);
        }
        Ok(())
    }

    /// The initial value, condition, step and result of a quantifier.
    fn quantifier_parts(&mut self, quantifier: Quantifier, predicate: NodeId) -> [NodeId; 4] {
        match quantifier {
            Quantifier::All => {
                let init = self.literal(Literal::Bool(true));
                let accumulator = self.accumulator();
                let condition = self.call(operators::NOT_STRICTLY_FALSE, &[accumulator]);
                let accumulator = self.accumulator();
                let step = self.call(operators::LOGICAL_AND, &[accumulator, predicate]);
                [init, condition, step, self.accumulator()]
            }
            Quantifier::Exists => {
                let init = self.literal(Literal::Bool(false));
                let accumulator = self.accumulator();
                let not = self.call(operators::LOGICAL_NOT, &[accumulator]);
                let condition = self.call(operators::NOT_STRICTLY_FALSE, &[not]);
                let accumulator = self.accumulator();
                let step = self.call(operators::LOGICAL_OR, &[accumulator, predicate]);
                [init, condition, step, self.accumulator()]
            }
            Quantifier::ExistsOne => {
                let init = self.literal(Literal::Int(0));
                // Before cel-go 0.22, the condition and the step use the same literal node.
                let shared = (!self.options.copies_targets).then(|| self.literal(Literal::Int(1)));
                let condition = self.literal(Literal::Bool(true));
                let accumulator = self.accumulator();
                let one = shared.unwrap_or_else(|| self.literal(Literal::Int(1)));
                let more = self.call(operators::ADD, &[accumulator, one]);
                let step = self.if_kept(predicate, more);
                let accumulator = self.accumulator();
                let one = shared.unwrap_or_else(|| self.literal(Literal::Int(1)));
                [init, condition, step, self.call(operators::EQUALS, &[accumulator, one])]
            }
        }
    }

    fn quantifier(&mut self, quantifier: Quantifier, target: NodeId, args: &[NodeId]) -> Expanded {
        let element = self.variable(args[0])?;
        self.check_accumulator(&element, args[0])?;
        let parts = self.quantifier_parts(quantifier, args[1]);
        Ok(self.comprehension_with_result(target, (element, None), self.options.accumulator.into(), parts))
    }

    fn map(&mut self, target: NodeId, args: &[NodeId]) -> Expanded {
        let element = self.variable(args[0])?;
        self.check_accumulator(&element, args[0])?;
        let predicate = (args.len() == 3).then(|| args[1]);
        Ok(self.selection(target, element, predicate, args[args.len() - 1]))
    }

    /// A comprehension that collects `item` for the elements for which the predicate is true.
    fn selection(&mut self, target: NodeId, element: Arc<str>, predicate: Option<NodeId>, item: NodeId) -> NodeId {
        let shared = self.options.accumulator_shared.then(|| self.accumulator());
        let init = self.list(&[]);
        let condition = self.literal(Literal::Bool(true));
        let accumulator = shared.unwrap_or_else(|| self.accumulator());
        let list = self.list(&[item]);
        let mut step = self.call(operators::ADD, &[accumulator, list]);
        if let Some(predicate) = predicate {
            let accumulator = shared.unwrap_or_else(|| self.accumulator());
            step = self.call(operators::CONDITIONAL, &[predicate, step, accumulator]);
        }
        let result = shared.unwrap_or_else(|| self.accumulator());
        let parts = [init, condition, step, result];
        self.comprehension_with_result(target, (element, None), self.options.accumulator.into(), parts)
    }

    /// Binds the list to a name, and sorts its elements by the list of their keys.
    fn sort_by(&mut self, target: NodeId, args: &[NodeId]) -> Expanded {
        const INPUT: &str = "@__sortBy_input__";
        if matches!(
            self.builder.ast[target].kind,
            ExprKind::Literal(_) | ExprKind::Map { .. } | ExprKind::Struct { .. } | ExprKind::Unspecified
        ) {
            return self.error(target, MacroProblem::SortTarget);
        }
        let step = self.ident(INPUT.into());
        let elements = self.ident(INPUT.into());
        let keys = self.map(elements, args)?;
        let list = self.ident(INPUT.into());
        let result = self.node(ExprKind::Call {
            function: "@sortByAssociatedKeys".into(),
            target: Some(list),
            args: vec![keys],
        });
        let range = self.list(&[]);
        let condition = self.literal(Literal::Bool(false));
        let parts = [target, condition, step, result];
        Ok(self.comprehension_with_result(range, ("#unused".into(), None), INPUT.into(), parts))
    }

    fn optional(&mut self, target: NodeId, args: &[NodeId], wrap: bool) -> Expanded {
        let variable = self.variable(args[0])?;
        let has_value = self.member_call("hasValue", target);
        let range = self.list(&[]);
        // Before cel-go 0.22, both uses of the target share one node, with the same ids.
        let second = if self.options.copies_targets {
            self.builder.copy(target, self.call)
        } else {
            target
        };
        let init = self.member_call("value", second);
        let condition = self.literal(Literal::Bool(false));
        let step = self.ident(variable.clone());
        let mut then = self.comprehension_with_result(
            range,
            ("#unused".into(), None),
            variable,
            [init, condition, step, args[1]],
        );
        if wrap {
            then = self.call("optional.of", &[then]);
        }
        let none = self.call("optional.none", &[]);
        Ok(self.call(operators::CONDITIONAL, &[has_value, then, none]))
    }

    fn two_variables(&self, args: &[NodeId]) -> Result<Variables, (Location, IssueKind)> {
        let key = self.variable(args[0])?;
        let value = self.variable(args[1])?;
        if key == value {
            let name = key.to_string();
            return self.error(args[1], MacroProblem::RepeatedName { name });
        }
        for (variable, node) in [(&key, args[0]), (&value, args[1])] {
            if **variable == *self.options.accumulator || **variable == *ACCUMULATOR {
                return self.error(node, MacroProblem::Accumulator);
            }
        }
        Ok((key, Some(value)))
    }

    fn quantifier_two(&mut self, quantifier: Quantifier, target: NodeId, args: &[NodeId]) -> Expanded {
        let variables = self.two_variables(args)?;
        let parts = self.quantifier_parts(quantifier, args[2]);
        Ok(self.comprehension_with_result(target, variables, self.options.accumulator.into(), parts))
    }

    fn transform_list(&mut self, target: NodeId, args: &[NodeId]) -> Expanded {
        let variables = self.two_variables(args)?;
        let mut step = self.appended(args[args.len() - 1]);
        if args.len() == 4 {
            step = self.if_kept(args[2], step);
        }
        let init = self.list(&[]);
        let condition = self.literal(Literal::Bool(true));
        Ok(self.comprehension(target, variables, [init, condition, step]))
    }

    fn transform_map(&mut self, target: NodeId, args: &[NodeId], entry: bool) -> Expanded {
        let variables = self.two_variables(args)?;
        let transform = args[args.len() - 1];
        let accumulator = self.accumulator();
        let mut step = if entry {
            self.call(MAP_INSERT, &[accumulator, transform])
        } else {
            let key = self.ident(variables.0.clone());
            self.call(MAP_INSERT, &[accumulator, key, transform])
        };
        if args.len() == 4 {
            step = self.if_kept(args[2], step);
        }
        let init = self.node(ExprKind::Map { entries: Vec::new() });
        let condition = self.literal(Literal::Bool(true));
        Ok(self.comprehension(target, variables, [init, condition, step]))
    }
}
