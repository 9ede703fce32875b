//! The macros: calls that the parser replaces by other expressions.
//!
//! Ported from `cel-go`: `parser/macro.go`, `cel/library.go` (`optMap`, `optFlatMap`), `ext/comprehensions.go` (two variables),
//! `ext/lists.go` (`sortBy`).

use std::sync::Arc;

use super::build::Builder;
use super::options::ParseOptions;
use crate::KubernetesVersion;
use crate::ast::{Comprehension, ExprKind, Literal, Location, NodeId, operators};

/// A macro, by the call that it replaces.
#[derive(Debug)]
pub struct Macro {
    /// The name of the function.
    pub name: &'static str,
    /// Whether it is called on something (`target.name(…)`).
    pub receiver: bool,
    /// What the arguments are, for people. Their number selects the macro.
    pub parameters: &'static [&'static str],
    /// What it does, in a sentence or two.
    pub documentation: &'static str,
    /// Expressions that use it, with what they are after `//`.
    pub examples: &'static [&'static str],
    /// The oldest server whose `cel-go` has it.
    pub server: KubernetesVersion,
    /// The oldest environment that has it.
    pub environment: KubernetesVersion,
    expand: Expander,
}

/// What replaces the call, or where and why it cannot be replaced.
type Expansion = Result<NodeId, (Location, String)>;
/// The variables of a fold.
type Variables = (Arc<str>, Option<Arc<str>>);
type Expander = fn(&mut Expand<'_, '_>, NodeId, &[NodeId]) -> Expansion;

const ALWAYS: KubernetesVersion = KubernetesVersion::minor(0);
const CEL_GO_0_22: KubernetesVersion = KubernetesVersion::minor(32);
const OPTIONALS: KubernetesVersion = KubernetesVersion::minor(28);
const TWO_VARIABLES: KubernetesVersion = KubernetesVersion::minor(32);
const LISTS: KubernetesVersion = KubernetesVersion::minor(34);

/// All macros of all minors.
pub const MACROS: &[Macro] = &[
    Macro {
        name: "has",
        receiver: false,
        parameters: &["operand.field"],
        documentation: "Whether the field is present: set in an object, or a key of a map.",
        examples: &["has({'a': 1}.a) // true", "has({'a': 1}.b) // false"],
        server: ALWAYS,
        environment: ALWAYS,
        expand: |e, _, args| match &e.builder.ast[args[0]].kind {
            ExprKind::Select { operand, field, .. } => {
                let (operand, field) = (*operand, field.clone());
                Ok(e.node(ExprKind::Select {
                    operand,
                    field,
                    test_only: true,
                }))
            }
            _ => e.error(args[0], "invalid argument to has() macro"),
        },
    },
    Macro {
        name: "all",
        receiver: true,
        parameters: &["element", "predicate"],
        documentation: "Whether the predicate holds for every element of a list, or every key of a map. \
            An element for which it is false outweighs errors of others.",
        examples: &[
            "[1, 2, 3].all(x, x > 0) // true",
            "{'a': 1}.all(k, k == 'b') // false",
            "[].all(x, x > 0) // true",
        ],
        server: ALWAYS,
        environment: ALWAYS,
        expand: |e, target, args| e.quantifier(Quantifier::All, target, args),
    },
    Macro {
        name: "exists",
        receiver: true,
        parameters: &["element", "predicate"],
        documentation: "Whether the predicate holds for at least one element of a list, or key of a map. \
            An element for which it is true outweighs errors of others.",
        examples: &["[1, 2, 3].exists(x, x > 2) // true", "[].exists(x, x > 2) // false"],
        server: ALWAYS,
        environment: ALWAYS,
        expand: |e, target, args| e.quantifier(Quantifier::Exists, target, args),
    },
    Macro {
        name: "exists_one",
        receiver: true,
        parameters: &["element", "predicate"],
        documentation: "Whether the predicate holds for exactly one element of a list, or key of a map. All are looked at.",
        examples: &[
            "[1, 2, 3].exists_one(x, x > 2) // true",
            "[1, 2, 3].exists_one(x, x > 1) // false",
        ],
        server: ALWAYS,
        environment: ALWAYS,
        expand: |e, target, args| e.quantifier(Quantifier::ExistsOne, target, args),
    },
    Macro {
        name: "map",
        receiver: true,
        parameters: &["element", "transform"],
        documentation: "The list of what becomes of each element of a list, or key of a map.",
        examples: &["[1, 2, 3].map(x, x * 2) // [2, 4, 6]"],
        server: ALWAYS,
        environment: ALWAYS,
        expand: |e, target, args| e.map(target, args),
    },
    Macro {
        name: "map",
        receiver: true,
        parameters: &["element", "predicate", "transform"],
        documentation: "The list of what becomes of those elements of a list (or keys of a map) for which the predicate holds.",
        examples: &["[1, 2, 3].map(x, x > 1, x * 2) // [4, 6]"],
        server: ALWAYS,
        environment: ALWAYS,
        expand: |e, target, args| e.map(target, args),
    },
    Macro {
        name: "filter",
        receiver: true,
        parameters: &["element", "predicate"],
        documentation: "The list of those elements of a list (or keys of a map) for which the predicate holds.",
        examples: &["[1, 2, 3].filter(x, x > 1) // [2, 3]"],
        server: ALWAYS,
        environment: ALWAYS,
        expand: |e, target, args| {
            let element = e.variable(args[0], "argument is not an identifier")?;
            e.check_accumulator(&element, args[0])?;
            Ok(e.selection(target, element, Some(args[1]), args[0]))
        },
    },
    Macro {
        name: "optMap",
        receiver: true,
        parameters: &["value", "transform"],
        documentation: "What becomes of an optional's value, as an optional; none if there is no value.",
        examples: &[
            "optional.of(1).optMap(x, x + 1) // optional.of(2)",
            "optional.none().optMap(x, x + 1) // optional.none()",
        ],
        server: ALWAYS,
        environment: OPTIONALS,
        expand: |e, target, args| e.optional(target, args, "optMap() variable name must be a simple identifier", true),
    },
    Macro {
        name: "optFlatMap",
        receiver: true,
        parameters: &["value", "transform"],
        documentation: "What becomes of an optional's value, where the transform itself gives an optional; none if there is no value.",
        examples: &["{'a': {'b': 1}}[?'a'].optFlatMap(m, m[?'b']) // optional.of(1)"],
        server: ALWAYS,
        environment: OPTIONALS,
        expand: |e, target, args| {
            e.optional(
                target,
                args,
                "optFlatMap() variable name must be a simple identifier",
                false,
            )
        },
    },
    Macro {
        name: "all",
        receiver: true,
        parameters: &["key", "value", "predicate"],
        documentation: "Whether the predicate holds for every index and element of a list, or every key and value of a map.",
        examples: &["[1, 2].all(i, x, i < x) // true", "{'a': 1}.all(k, v, v > 1) // false"],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expand: |e, target, args| e.quantifier_two(Quantifier::All, target, args),
    },
    Macro {
        name: "exists",
        receiver: true,
        parameters: &["key", "value", "predicate"],
        documentation: "Whether the predicate holds for at least one index and element of a list, or key and value of a map.",
        examples: &["{'a': 1}.exists(k, v, k == 'a' && v == 1) // true"],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expand: |e, target, args| e.quantifier_two(Quantifier::Exists, target, args),
    },
    Macro {
        name: "existsOne",
        receiver: true,
        parameters: &["key", "value", "predicate"],
        documentation: "Whether the predicate holds for exactly one index and element of a list, or key and value of a map.",
        examples: &["[1, 1].existsOne(i, x, i == x) // true"],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expand: |e, target, args| e.quantifier_two(Quantifier::ExistsOne, target, args),
    },
    Macro {
        name: "exists_one",
        receiver: true,
        parameters: &["key", "value", "predicate"],
        documentation: "Whether the predicate holds for exactly one index and element of a list, or key and value of a map.",
        examples: &["[1, 1].exists_one(i, x, i == x) // true"],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expand: |e, target, args| e.quantifier_two(Quantifier::ExistsOne, target, args),
    },
    Macro {
        name: "transformList",
        receiver: true,
        parameters: &["key", "value", "transform"],
        documentation: "The list of what becomes of each index and element of a list, or key and value of a map.",
        examples: &["[3, 4].transformList(i, x, i * x) // [0, 4]"],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expand: |e, target, args| e.transform_list(target, args),
    },
    Macro {
        name: "transformList",
        receiver: true,
        parameters: &["key", "value", "predicate", "transform"],
        documentation: "The list of what becomes of those indices and elements (or keys and values) for which the predicate holds.",
        examples: &["[3, 4].transformList(i, x, i > 0, x) // [4]"],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expand: |e, target, args| e.transform_list(target, args),
    },
    Macro {
        name: "transformMap",
        receiver: true,
        parameters: &["key", "value", "transform"],
        documentation: "A map with the same keys (of a list: the indices) and what becomes of each value.",
        examples: &["{'a': 1}.transformMap(k, v, v + 1) // {'a': 2}"],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expand: |e, target, args| e.transform_map(target, args, false),
    },
    Macro {
        name: "transformMap",
        receiver: true,
        parameters: &["key", "value", "predicate", "transform"],
        documentation: "A map of those keys (of a list: indices) for which the predicate holds, and what becomes of their values.",
        examples: &["{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v + 1) // {'b': 3}"],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expand: |e, target, args| e.transform_map(target, args, false),
    },
    Macro {
        name: "transformMapEntry",
        receiver: true,
        parameters: &["key", "value", "entry"],
        documentation: "A map of the entries that the transform makes (a map of one entry) of each key and value. Two entries with one key are an error.",
        examples: &["{'a': 'b'}.transformMapEntry(k, v, {v: k}) // {'b': 'a'}"],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expand: |e, target, args| e.transform_map(target, args, true),
    },
    Macro {
        name: "transformMapEntry",
        receiver: true,
        parameters: &["key", "value", "predicate", "entry"],
        documentation: "A map of the entries that the transform makes of those keys and values for which the predicate holds.",
        examples: &["{'a': 'b', 'c': 'd'}.transformMapEntry(k, v, k != 'c', {v: k}) // {'b': 'a'}"],
        server: CEL_GO_0_22,
        environment: TWO_VARIABLES,
        expand: |e, target, args| e.transform_map(target, args, true),
    },
    Macro {
        name: "sortBy",
        receiver: true,
        parameters: &["element", "key"],
        documentation: "The elements of a list in the ascending order of a key made from each.",
        examples: &["['ab', 'c'].sortBy(x, x.size()) // ['c', 'ab']"],
        server: LISTS,
        environment: LISTS,
        expand: |e, target, args| e.sort_by(target, args),
    },
];

/// The function that `transformMap` folds with.
const MAP_INSERT: &str = "cel.@mapInsert";

/// The older name of the accumulator, which no variable may have.
const ACCUMULATOR: &str = "__result__";

#[derive(Clone, Copy)]
enum Quantifier {
    All,
    Exists,
    ExistsOne,
}

/// One expansion: everything it makes is placed where the call is.
struct Expand<'b, 'a> {
    builder: &'b mut Builder<'a>,
    options: &'b ParseOptions,
    call: Location,
}

/// Replaces a call, if it is one of a macro. `id` is the number of the call, whose place everything gets that the macro makes.
pub(super) fn expand(
    builder: &mut Builder<'_>,
    options: &ParseOptions,
    id: i64,
    function: &str,
    target: Option<NodeId>,
    args: &[NodeId],
) -> Option<Expansion> {
    let is_called =
        |m: &&&Macro| m.name == function && m.parameters.len() == args.len() && m.receiver == target.is_some();
    let found = *options.macros.iter().rev().find(is_called)?;
    let call = builder.location(id);
    if builder.is_full() {
        return Some(Err((
            call,
            "expression is too large after the expansion of macros".to_owned(),
        )));
    }
    // A macro without receiver does not look at its target.
    Some((found.expand)(
        &mut Expand { builder, options, call },
        target.unwrap_or(args[0]),
        args,
    ))
}

impl Expand<'_, '_> {
    fn node(&mut self, kind: ExprKind) -> NodeId {
        let id = self.builder.id_at(self.call);
        self.builder.push(id, kind)
    }

    fn error<T>(&self, node: NodeId, message: &str) -> Result<T, (Location, String)> {
        let id = self.builder.ast[node].id;
        Err((self.builder.location_told(id, self.options), message.to_owned()))
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

    fn fold_of(&mut self, range: NodeId, vars: Variables, accu: Arc<str>, parts: [NodeId; 4]) -> NodeId {
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

    /// A fold (start, condition, step) whose result is the accumulator.
    fn fold(&mut self, range: NodeId, vars: Variables, parts: [NodeId; 3]) -> NodeId {
        let result = self.accumulator();
        let [init, condition, step] = parts;
        self.fold_of(
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

    /// The name that an argument is.
    fn variable(&self, node: NodeId, message: &str) -> Result<Arc<str>, (Location, String)> {
        match &self.builder.ast[node].kind {
            ExprKind::Ident(name) => Ok(name.clone()),
            _ => self.error(node, message),
        }
    }

    fn check_accumulator(&self, variable: &str, node: NodeId) -> Result<(), (Location, String)> {
        if self.options.accumulator_reserved && (variable == self.options.accumulator || variable == ACCUMULATOR) {
            return self.error(node, "iteration variable overwrites accumulator variable");
        }
        Ok(())
    }

    /// Start, condition, step and result of a quantifier.
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
                // Before cel-go 0.22 the same 1 stands in both places.
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

    fn quantifier(&mut self, quantifier: Quantifier, target: NodeId, args: &[NodeId]) -> Expansion {
        let element = self.variable(args[0], "argument must be a simple name")?;
        self.check_accumulator(&element, args[0])?;
        let parts = self.quantifier_parts(quantifier, args[1]);
        Ok(self.fold_of(target, (element, None), self.options.accumulator.into(), parts))
    }

    fn map(&mut self, target: NodeId, args: &[NodeId]) -> Expansion {
        let element = self.variable(args[0], "argument is not an identifier")?;
        self.check_accumulator(&element, args[0])?;
        let predicate = (args.len() == 3).then(|| args[1]);
        Ok(self.selection(target, element, predicate, args[args.len() - 1]))
    }

    /// The list of `item` for those elements for which the predicate holds.
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
        self.fold_of(target, (element, None), self.options.accumulator.into(), parts)
    }

    /// A name for the list, whose elements are then sorted by the list of their keys.
    fn sort_by(&mut self, target: NodeId, args: &[NodeId]) -> Expansion {
        const INPUT: &str = "@__sortBy_input__";
        if matches!(
            self.builder.ast[target].kind,
            ExprKind::Literal(_) | ExprKind::Map { .. } | ExprKind::Struct { .. } | ExprKind::Unspecified
        ) {
            return self.error(
                target,
                "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
            );
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
        Ok(self.fold_of(range, ("#unused".into(), None), INPUT.into(), parts))
    }

    fn optional(&mut self, target: NodeId, args: &[NodeId], message: &str, wrap: bool) -> Expansion {
        let variable = self.variable(args[0], message)?;
        let has_value = self.member_call("hasValue", target);
        let range = self.list(&[]);
        // Before cel-go 0.22 the target itself stands in both places, with the same numbers.
        let second = if self.options.copies_targets {
            self.builder.copy(target, self.call)
        } else {
            target
        };
        let init = self.member_call("value", second);
        let condition = self.literal(Literal::Bool(false));
        let step = self.ident(variable.clone());
        let mut then = self.fold_of(
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

    fn two_variables(&self, args: &[NodeId]) -> Result<Variables, (Location, String)> {
        let key = self.variable(args[0], "argument must be a simple name")?;
        let value = self.variable(args[1], "argument must be a simple name")?;
        if key == value {
            return self.error(args[1], &format!("duplicate variable name: {key}"));
        }
        for (variable, node) in [(&key, args[0]), (&value, args[1])] {
            if **variable == *self.options.accumulator || **variable == *ACCUMULATOR {
                return self.error(node, "iteration variable overwrites accumulator variable");
            }
        }
        Ok((key, Some(value)))
    }

    fn quantifier_two(&mut self, quantifier: Quantifier, target: NodeId, args: &[NodeId]) -> Expansion {
        let variables = self.two_variables(args)?;
        let parts = self.quantifier_parts(quantifier, args[2]);
        Ok(self.fold_of(target, variables, self.options.accumulator.into(), parts))
    }

    fn transform_list(&mut self, target: NodeId, args: &[NodeId]) -> Expansion {
        let variables = self.two_variables(args)?;
        let mut step = self.appended(args[args.len() - 1]);
        if args.len() == 4 {
            step = self.if_kept(args[2], step);
        }
        let init = self.list(&[]);
        let condition = self.literal(Literal::Bool(true));
        Ok(self.fold(target, variables, [init, condition, step]))
    }

    fn transform_map(&mut self, target: NodeId, args: &[NodeId], entry: bool) -> Expansion {
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
        Ok(self.fold(target, variables, [init, condition, step]))
    }
}
