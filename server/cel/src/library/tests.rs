//! Checks that declarations are consistent, that examples are right, and that every overload evaluates.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Actual, Body, CallRecord, Counted, Function, LIBRARIES, MOST_USED, declarations};
use crate::KubernetesVersion;
use crate::ast::operators;
use crate::checker::Checked;
use crate::cost::{CostEstimate, NoSizes, estimate};
use crate::decls::{Container, Environment, ExpressionSet, OverloadDecl};
use crate::eval::Program;
use crate::parser::macros::MACROS;
use crate::testing::compile;
use crate::types::Type;
use crate::value::{Result, Value};

fn functions() -> impl Iterator<Item = &'static Function> {
    LIBRARIES.iter().flat_map(|entry| entry.library.functions())
}

fn check(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Operands for which two functions that compute costs are compared. Pointers to functions say nothing: optimized code can have two of one function.
fn samples() -> Vec<Vec<Result>> {
    let text = |length: usize| Ok(Value::from("x".repeat(length)));
    vec![
        vec![text(10), text(20), text(30)],
        vec![text(1000), text(1), text(500)],
        vec![Ok(Value::Int(7)), text(90), Ok(Value::Bool(true))],
    ]
}

fn cost_of(actual: Actual, operands: &[Result]) -> Option<u64> {
    let result = &Ok(Value::from("y".repeat(70)));
    let version = KubernetesVersion::NEWEST;
    match actual {
        Actual::Fixed(cost) => Some(cost),
        Actual::Sized(cost) => {
            let call = CallRecord {
                version,
                operands,
                result,
            };
            cost(&call).ok()
        }
        Actual::OfValues => None,
    }
}

/// The value of a planned expression, its runtime cost and its cost estimate.
fn run(program: Result<Program>, checked: &Checked, environment: &Environment) -> Result<(Result, u64, CostEstimate)> {
    let evaluation = program?.eval(&[] as &[(&str, Value); 0], None);
    let estimated = estimate(checked, environment.features(), &NoSizes);
    Ok((evaluation.result, evaluation.cost, estimated))
}

#[test]
fn examples_have_the_value_that_they_say_within_their_estimate() {
    let environment = Environment::of(KubernetesVersion::NEWEST, ExpressionSet::Stored);
    let of_functions = functions().flat_map(|it| it.examples.iter().map(|example| (it.name, example)));
    let of_macros = MACROS
        .iter()
        .flat_map(|it| it.examples.iter().map(|example| (it.name, example)));
    let mut wrong = Vec::new();
    for (name, (example, value)) in of_functions.chain(of_macros) {
        let is_used = example.contains(name) || operators::display_name(name).is_some();
        if !is_used {
            wrong.push(format!("{name}: its example {example} does not use it"));
        }
        let text = format!("({example}) == ({value})");
        let checked = match compile(&text, environment, &[], &Container::default()) {
            Ok(checked) => checked,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        // Folded constants cost nothing, so the estimate is only an upper bound.
        match run(Program::new(&checked, environment), &checked, environment) {
            // The API server's estimate assumes the regular expression of a name for every format, but some formats have longer ones.
            Ok((Ok(Value::Bool(true)), cost, estimated)) if cost <= estimated.max || example.starts_with("format.") => {
            }
            other => wrong.push(format!("{name}: {text}: {other:?}")),
        }
    }
    check(&wrong);
}

#[test]
fn every_function_is_declared_completely() {
    let mut wrong = Vec::new();
    for function in functions() {
        let name = function.name;
        let mut expect = |holds: bool, what: &str| {
            if !holds {
                wrong.push(format!("{name}: {what}"));
            }
        };
        expect(function.doc.ends_with('.'), "what it does is not a sentence");
        expect(!function.overloads.is_empty(), "it has no overload");
        let is_internal = name.contains('@');
        let is_never_called = function.overloads.iter().all(|it| matches!(it.body, Body::NeverCalled));
        expect(
            !is_never_called
                || function
                    .overloads
                    .iter()
                    .all(|it| it.signature.contains("kubernetes.authorization.")),
            "nothing evaluates it",
        );
        expect(
            is_internal || is_never_called || !function.examples.is_empty(),
            "it has no example",
        );
        let traits = &function.traits;
        expect(traits.method_rank <= MOST_USED, "its rank as a method is too high");
        expect(traits.function_rank <= MOST_USED, "its rank as a function is too high");
        let declarations = declarations(name);
        expect(
            !traits.singleton || declarations.len() == 1,
            "a singleton has overloads in another library",
        );
        let has_same_cost = |other: &&Function| match (function.counted, other.counted) {
            (Counted::ByOverload, Counted::ByOverload) => true,
            (Counted::ByName(one), Counted::ByName(other)) => samples()
                .iter()
                .all(|it| cost_of(one.actual, it) == cost_of(other.actual, it)),
            _ => false,
        };
        expect(
            declarations.iter().all(has_same_cost),
            "another library counts calls without a known overload otherwise",
        );
        let steps = |it: &Function| {
            it.overloads
                .iter()
                .map(|it| match it.body {
                    Body::Step(step) => Some(step),
                    Body::Function(_) | Body::NeverCalled => None,
                })
                .collect::<Vec<_>>()
        };
        let mut all_steps: Vec<_> = declarations.iter().flat_map(|it| steps(it)).collect();
        all_steps.dedup();
        expect(all_steps.len() == 1, "its overloads are evaluated by different steps");
        if let Some(guard) = traits.guard {
            let guards = super::declarations(guard);
            expect(!guards.is_empty(), "its guard is not declared");
            expect(
                guards.iter().all(|it| it.is_predicate()),
                "its guard is not a condition",
            );
        }
    }
    check(&wrong);
}

/// Overloads whose runtime cost exceeds the estimate in the API server as well, by the reason.
const ESTIMATED_OTHERWISE: &[(&str, &[&str])] = &[
    (
        "a value that something is selected from is counted once more",
        &[
            "index_list",
            "index_map",
            "list_optindex_optional_int",
            "map_optindex_optional_value",
            "optional_list_index_int",
            "optional_list_optindex_optional_int",
            "optional_map_index_value",
            "optional_map_optindex_optional_value",
            "select_optional_field",
        ],
    ),
    (
        "a value that is there is taken without evaluating the other one",
        &["optional_or_optional", "optional_orValue_value"],
    ),
    (
        "the estimate rounds up, the evaluation rounds down",
        &[
            "list_bytes_is_sorted_bool",
            "list_bytes_max_bytes",
            "list_bytes_min_bytes",
            "list_bytes_sort",
            "list_includes_dyn_dyn",
            "list_string_is_sorted_bool",
            "list_string_max_string",
            "list_string_min_string",
            "list_string_sort",
            "string_index_of_string",
            "string_index_of_string_int",
            "string_last_index_of_string",
            "string_last_index_of_string_int",
        ],
    ),
    (
        "until 1.36 the estimate is of the argument, and the target is counted",
        &["ends_with_string", "starts_with_string"],
    ),
    (
        "the estimate is of addresses in bytes",
        &[
            "cidr_contains_cidr",
            "cidr_contains_cidr_string",
            "cidr_contains_ip_ip",
            "cidr_contains_ip_string",
        ],
    ),
    (
        "the estimate is of the regular expression of a name for every format",
        &["format-validate"],
    ),
];

/// Overloads that fail with "no such overload" for some operands in the API server as well, with the reason.
const REFUSED: &[(&str, &str)] = &[
    ("cidr_contains_ip_string", "it does not say what is wrong with the text"),
    ("int64_to_duration", "an int converts to no duration"),
];

/// Expressions of this type.
fn operands(ty: &Type) -> Vec<String> {
    let fixed: &[&str] = match ty {
        Type::Bool => &["true", "false"],
        Type::Int => &["0", "1", "2", "-1"],
        Type::Uint => &["0u", "1u"],
        Type::Double => &["0.0", "1.5"],
        Type::String => &[
            "''",
            "'a'",
            "'ab'",
            "'1'",
            "'true'",
            "'1h'",
            "'2020-01-01T00:00:00Z'",
            "'UTC'",
            "'1Gi'",
            "'https://example.com/a'",
            "'10.0.0.0/8'",
            "'10.0.0.1'",
            "'1.2.3'",
            "'v1.2'",
            "'[a-z]+'",
            "'%s'",
            "'uuid'",
        ],
        Type::Bytes => &["b''", "b'a'", "b'ab'"],
        Type::Duration => &["duration('1h')", "duration('2s')"],
        Type::Timestamp => &["timestamp(0)", "timestamp('2020-01-01T00:00:00Z')"],
        Type::Null => &["null"],
        Type::Type(_) => &["int"],
        Type::Dyn | Type::Any => &["dyn(1)", "dyn('a')", "dyn([1])", "dyn({'a': 1})"],
        Type::Param(_) => &["1", "2"],
        Type::List(element) => {
            let elements = operands(element);
            let first: Vec<_> = elements.iter().take(3).cloned().collect();
            return vec![
                format!("[{}]", elements[0]),
                format!("[{}]", first.join(", ")),
                "[]".to_owned(),
            ];
        }
        Type::Map(types) => {
            let (keys, values) = (operands(&types[0]), operands(&types[1]));
            return vec![format!("{{{}: {}}}", keys[0], values[0]), "{}".to_owned()];
        }
        Type::Opaque(opaque) if &*opaque.name == "net.IP" => &["ip('10.0.0.1')", "ip('::1')"],
        Type::Opaque(opaque) if &*opaque.name == "net.CIDR" => &["cidr('10.0.0.0/8')", "cidr('::/0')"],
        Type::Opaque(_) => {
            let of = ty.optional_of().expect("an optional");
            return vec![
                format!("optional.of({})", operands(of)[0]),
                "optional.none()".to_owned(),
            ];
        }
        Type::Struct(name) => match &**name {
            "kubernetes.Quantity" => &["quantity('1k')", "quantity('1.5')"],
            "kubernetes.URL" => &["url('https://example.com:80/a?b=c')"],
            "kubernetes.Semver" => &["semver('1.2.3')"],
            "kubernetes.NamedFormat" => &["format.dns1123Label()"],
            other => panic!("no operand of type {other}: add an expression here"),
        },
        other => panic!("no operand of type {other}: add an expression here"),
    };
    fixed.iter().map(|it| (*it).to_owned()).collect()
}

/// A call in source form; `None` for a function that only macros call.
fn call(name: &str, overload: &OverloadDecl, operands: &[&str]) -> Option<String> {
    Some(match (name, operands) {
        (operators::CONDITIONAL, [c, a, b]) => format!("({c} ? {a} : {b})"),
        (operators::INDEX, [a, b]) => format!("{a}[{b}]"),
        (operators::OPT_INDEX, [a, b]) => format!("{a}[?{b}]"),
        (operators::OPT_SELECT, _) => "{'a': 1}.?a".to_owned(),
        _ => match (operators::display_name(name), operands) {
            (Some(operator), [a]) => format!("({operator}({a}))"),
            (Some(operator), [a, b]) => format!("({a} {operator} {b})"),
            (Some(_), _) => return None,
            (None, _) if name.contains('@') => return None,
            (None, [target, rest @ ..]) if overload.member => format!("({target}).{name}({})", rest.join(", ")),
            (None, _) => format!("{name}({})", operands.join(", ")),
        },
    })
}

/// The maximum number of calls per overload.
const MAX_CALLS: usize = 300;

/// Combinations of one expression per parameter: all of them, or an even sample if there are too many.
fn choices(params: &[Type]) -> Vec<Vec<String>> {
    let all = params.iter().fold(vec![Vec::new()], |made, param| {
        let operands = operands(param);
        let with = |before: &Vec<String>| {
            let before = before.clone();
            operands
                .iter()
                .map(move |it| [&before[..], std::slice::from_ref(it)].concat())
                .collect::<Vec<_>>()
        };
        made.iter().flat_map(with).collect()
    });
    let step = all.len().div_ceil(MAX_CALLS);
    all.into_iter().step_by(step).collect()
}

#[test]
fn every_overload_is_evaluated_within_its_estimate() {
    let mut wrong = Vec::new();
    let mut excepted: BTreeSet<&str> = ESTIMATED_OTHERWISE.iter().flat_map(|it| it.1).copied().collect();
    for version in [KubernetesVersion::OLDEST, KubernetesVersion::NEWEST] {
        let environment = Environment::of(version, ExpressionSet::Stored);
        for function in environment.functions() {
            for overload in &function.overloads {
                if matches!(overload.body, Body::NeverCalled) {
                    continue;
                }
                let evaluated = evaluate_all(&function.name, overload, environment);
                let place = format!("{} ({}) in {version}", function.name, overload.id);
                wrong.extend(evaluated.wrong_value.map(|it| format!("{place}: {it}")));
                let is_excepted = ESTIMATED_OTHERWISE.iter().any(|it| it.1.contains(&&*overload.id));
                if let Some(cost) = evaluated.wrong_cost {
                    excepted.remove(&*overload.id);
                    wrong.extend((!is_excepted).then(|| format!("{place}: {cost}")));
                }
            }
        }
    }
    wrong.extend(
        excepted
            .iter()
            .map(|it| format!("{it}: evaluated within its estimate, which no longer needs an exception")),
    );
    check(&wrong);
}

/// The first problem found in the calls of an overload.
#[derive(Default)]
struct Evaluated {
    wrong_value: Option<String>,
    wrong_cost: Option<String>,
}

/// Evaluates calls of an overload.
fn evaluate_all(name: &str, overload: &OverloadDecl, environment: &Arc<Environment>) -> Evaluated {
    let is_total = declarations(name)
        .iter()
        .all(|it| it.traits.total && it.traits.pattern.is_none());
    let refused = REFUSED.iter().any(|it| *it.0 == *overload.id);
    let mut evaluated = Evaluated::default();
    let (mut is_internal, mut has_value) = (false, refused);
    for operands in choices(&overload.params) {
        let operands: Vec<_> = operands.iter().map(String::as_str).collect();
        let Some(text) = call(name, overload, &operands) else {
            is_internal = true;
            continue;
        };
        // The API server rejects some literal operands.
        let Ok(checked) = compile(&text, environment, &[], &Container::default()) else {
            continue;
        };
        let means_it = checked.ast.root().is_some_and(|root| {
            let overloads = checked.overloads(root);
            overloads.len() == 1 && overloads[0].id == overload.id
        });
        if !means_it {
            continue;
        }
        let program = Program::without_folding(&checked, environment);
        match run(program, &checked, environment) {
            Ok((Ok(value), cost, estimated)) => {
                has_value = true;
                let is_declared = matches!(overload.result, Type::Dyn | Type::Param(_))
                    || overload.result.type_name() == value.type_of().type_name();
                if !is_declared {
                    let wrong = format!("{text} is {value:?}, which is not of type {}", overload.result);
                    evaluated.wrong_value.get_or_insert(wrong);
                }
                if !(estimated.min..=estimated.max).contains(&cost) {
                    let wrong = format!("{text} costs {cost}, but is estimated at {estimated:?}");
                    evaluated.wrong_cost.get_or_insert(wrong);
                }
            }
            Ok((Err(error), ..)) if is_total || !refused && error.message().contains("no such overload") => {
                evaluated.wrong_value.get_or_insert(format!("{text}: {error}"));
            }
            Ok((Err(_), ..)) | Err(_) => {}
        }
    }
    if !is_internal && !has_value {
        evaluated.wrong_value.get_or_insert("no call has a value".to_owned());
    }
    evaluated
}
