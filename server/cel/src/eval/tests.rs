//! What expressions come to.

use std::ops::RangeInclusive;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{Evaluation, Program, Variables};
use crate::KubernetesVersion;
use crate::decls::{Container, Environment, ExpressionSet, Variable};
use crate::testing::{assert_none, compile, environment_of, has_flag, kubernetes_cases, variables_of};
use crate::value::{Map, Result, Value, equal};

/// A value of JSON as it comes without a schema.
fn of_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) => n
            .as_i64()
            .map_or_else(|| Value::Double(n.as_f64().expect("a number")), Value::Int),
        Json::String(s) => Value::string(&**s),
        Json::Array(all) => Value::list(all.iter().map(of_json).collect()),
        Json::Object(all) => Value::Map(Map::new(all.iter().map(|(k, v)| (Value::string(&**k), of_json(v))))),
    }
}

/// The values that a case gives to variables.
fn bindings(case: &Json) -> Vec<(Arc<str>, Value)> {
    let all = case["input"]["bindings"].as_object();
    all.into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str().into(), of_json(value)))
        .collect()
}

struct Bound(Vec<(Arc<str>, Value)>);

impl Variables for Bound {
    fn resolve(&self, name: &str) -> Option<Result> {
        let bound = self.0.iter().find(|(n, _)| **n == *name);
        bound.map(|(_, value)| Ok(value.clone()))
    }
}

/// Runs an expression on a server, with `self` a string.
fn run(version: KubernetesVersion, text: &str) -> Evaluation {
    let environment = Environment::of(version, ExpressionSet::New);
    let variables = [Variable {
        name: "self".into(),
        ty: crate::types::Type::String,
    }];
    let checked = compile(text, environment, &variables, &Container::default()).expect("it compiles");
    match Program::new(&checked, environment) {
        Ok(program) => program.eval(&[("self", Value::string("abc"))], Some(10_000_000)),
        Err(error) => Evaluation {
            result: Err(error),
            cost: 0,
        },
    }
}

/// From one minor to another: an expression about `self`, the string `abc`; its value or error; and what it cost.
#[rustfmt::skip]
const ANSWERS: &[(RangeInclusive<u8>, &str, &str, u64)] = &[
    (30..=37, "self == 'abc'", "true", 2),
    (30..=37, "true || self == ''", "true", 0),
    (30..=37, "self + self == 'abcabc'", "true", 4),
    (30..=37, "[1, 2, 3].all(x, x > 0) && self.size() == 3", "true", 19),
    (30..=37, "{'a': 1}.a == 1 || self == ''", "true", 3),
    (30..=37, "has({'a': 1}.a) && self != ''", "true", 2),
    (30..=36, "'abcdefghijklmnop'.startsWith(self)", "true", 3),
    (37..=37, "'abcdefghijklmnop'.startsWith(self)", "true", 2),
    (30..=37, "'abcdefghijklmnop'.contains(self)", "true", 3),
    (30..=37, "self.matches('^[a-z]+$')", "true", 3),
    (30..=37, "['b', self].exists(x, x == 'abc')", "true", 24),
    (30..=37, "[self].map(x, x + x) == ['abcabc']", "true", 28),
    (30..=37, "{self: 1}.size() == 1", "true", 33),
    (30..=37, "1 / (self.size() - 3) > 0", "division by zero", 5),
    (30..=37, "1 % (self.size() - 3) > 0", "modulus by zero", 5),
    (30..=37, "9223372036854775807 + self.size() > 0", "integer overflow", 4),
    (30..=37, "[1][self.size()] == 1", "index out of bounds: 3", 5),
    (30..=37, "{'a': 1}[self] == 1", "no such key: abc", 3),
    (30..=37, "int(self) == 1", "type conversion error from 'string' to 'int'", 3),
    (30..=37, "dyn(self) + 1 == 2", "no such overload", 4),
    (30..=37, "duration(self) > duration('1s')", "type conversion error from 'string' to 'google.protobuf.Duration'", 3),
    (30..=37, "timestamp(self) > timestamp('2024-01-01T00:00:00Z')", "type conversion error from 'string' to 'google.protobuf.Timestamp'", 3),
    (30..=37, "quantity(self).isGreaterThan(quantity('1'))", "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'", 4),
    (30..=37, "optional.none().value() == self", "optional.none() dereference", 4),
    (30..=37, "optional.of(self).optMap(x, x + x).value() == 'abcabc'", "true", 12),
    (30..=37, "1 / 0 > 0 || self == 'abc'", "true", 4),
    (30..=37, "self == 'abc' || 1 / 0 > 0", "true", 2),
    (30..=37, "1 / 0 > 0 && self == ''", "false", 3),
    (30..=37, "[0, 1].exists(x, 1 / x > 0) && self == 'abc'", "true", 17),
    (30..=37, "[0, 1].all(x, 1 / x > 0)", "division by zero", 13),
    (30..=37, "self == 'abc' ? true : 1 / 0 > 0", "true", 2),
    (30..=31, "self.indexOf('c', 7) == -1", "index out of range: 7", 2),
    (32..=37, "self.indexOf('c', 7) == -1", "true", 2),
    (30..=37, "self.lastIndexOf('') == 3", "true", 2),
    (30..=33, "''.lastIndexOf(self) == -1", "index out of range: -1", 2),
    (34..=37, "''.lastIndexOf(self) == -1", "true", 2),
    (30..=32, "{self: 1}['%e'.format([1234567.0])] == 1", "no such key: 1.234567\u{202f}×\u{202f}10⁰⁶", 35),
    (33..=37, "{self: 1}['%e'.format([1234567.0])] == 1", "no such key: 1.234567×10⁰⁶", 35),
    (30..=32, "{self: 1}['%.3e|%.2f|%d|%x|%s'.format([0.5, 1234.5, 7, 'abc', [1.5, 2.0]])] == 1", "no such key: 5.000000\u{202f}×\u{202f}10⁻⁰¹|1,234.50|7|616263|[1.500000, 2.000000]", 36),
    (33..=37, "{self: 1}['%.3e|%.2f|%d|%x|%s'.format([0.5, 1234.5, 7, 'abc', [1.5, 2.0]])] == 1", "no such key: 5.000000×10⁻⁰¹|1,234.50|7|616263|[1.500000, 2.000000]", 36),
    (30..=37, "dyn(9223372036854775807) == 9223372036854775807.0 && self != ''", "true", 2),
    (30..=37, "{self: 1}[string(dyn(1.0)) + string(1e30) + string(-1e-7)] == 1", "no such key: 11e+30-1e-07", 37),
    (30..=37, "timestamp('2024-02-29T23:30:00Z').getDayOfMonth('+01:00') == 1 && self != ''", "false", 2),
    (30..=37, "{self: 1}[string(duration('90m') + duration('1.5s'))] == 1", "no such key: 5401.5s", 36),
    (30..=37, "{self: 1}[string(timestamp('2024-02-29T23:30:00.5+01:00'))] == 1", "no such key: 2024-02-29T23:30:00.5+01:00", 34),
    (30..=37, "self.substring(2, 1) == ''", "invalid substring range. start: 2, end: 1", 2),
    (30..=37, "self.charAt(4) == ''", "index out of range: 4", 2),
    (30..=37, "'a,b'.split(',')[2] == self", "index out of bounds: 2", 5),
    (31..=37, "cidr('10.0.0.0/8').containsIP('10.1.2.3') && self != ''", "true", 4),
    (31..=37, "ip('10.0.0.256').family() == 4", "IP Address \"10.0.0.256\" parse error during conversion from string: ParseAddr(\"10.0.0.256\"): IPv4 field has value >255", 3),
    (30..=37, "url('https://a.example:8080/p?q=1').getPort() == '8080' && self != ''", "true", 6),
    (30..=37, "sets.contains([1, 2], [2]) && self != ''", "true", 4),
    (30..=37, "{dyn(b'a'): self}.size() == 1", "internal error: runtime error: hash of unhashable type types.Bytes", 1),
];

#[test]
fn values_errors_and_costs_are_those_of_each_server() {
    for (minors, text, expected, cost) in ANSWERS {
        for minor in minors.clone() {
            let found = run(KubernetesVersion::minor(minor), text);
            let result = match found.result {
                Ok(value) => value.to_string(),
                Err(error) => error.message().to_owned(),
            };
            assert_eq!((&*result, found.cost), (*expected, *cost), "1.{minor}: {text}");
        }
    }
}

/// Work that grows faster than the text ends when it is too expensive.
#[test]
fn expensive_work_ends() {
    let newest = KubernetesVersion::NEWEST;
    for text in [
        "lists.range(1000000000000).size() > 0",
        "lists.range(900000).distinct().size() > 0",
        "sets.equivalent(lists.range(900000), lists.range(900000))",
        &("[1, 2].map(x, ".repeat(40) + "self" + &")".repeat(40) + " == dyn(1)"),
    ] {
        let found = run(newest, text);
        let error = found.result.expect_err("too expensive");
        assert_eq!(
            error.message(),
            "operation cancelled: actual cost limit exceeded",
            "{text}"
        );
    }
    let long = run(newest, "'%.100000f'.format([1.5]).size() == 100002 && self == 'abc'");
    assert!(matches!(long.result, Ok(Value::Bool(true))));
}

/// A value of a table, which names the type of each value.
fn same(expected: &Json, found: &Value) -> bool {
    let (ty, value) = (expected["type"].as_str().unwrap_or_default(), &expected["value"]);
    if ty != found.type_name() {
        return false;
    }
    match found {
        Value::Null => true,
        Value::Bool(b) => *value == json!(b),
        Value::Int(i) => *value == json!(i),
        Value::Uint(u) => *value == json!(u),
        Value::Double(d) => value
            .as_f64()
            .map_or_else(|| !d.is_finite(), |expected| expected.to_bits() == d.to_bits()),
        Value::String(s) => value.as_str() == Some(s),
        Value::List(list) => {
            let expected = value.as_array().expect("elements");
            let mut pairs = expected.iter().zip(list.iter());
            expected.len() == list.len() && pairs.all(|(e, f)| f.is_ok_and(|f| same(e, &f)))
        }
        Value::Map(map) => {
            let expected = value.as_array().expect("entries");
            expected.len() == map.len()
                && expected.iter().all(|entry| {
                    map.keys()
                        .iter()
                        .any(|key| same(&entry[0], key) && map.at(key).is_ok_and(|found| same(&entry[1], &found)))
                })
        }
        // Their types are the same; how they are printed is not what this compares.
        _ => true,
    }
}

/// Runs the cases of a table, as many as can be run here, and tells how many that were.
fn agree(table: &str, environment: impl Fn(&Json) -> Option<Environment>) -> usize {
    const FOREIGN: &[&str] = &[
        "library-not-in-kubernetes",
        "protobuf-types",
        "cost-options",
        "extended-environment",
        "needs-fake-function",
    ];
    let mut wrong = Vec::new();
    let mut cases = 0;
    for case in kubernetes_cases(table) {
        let actual = &case["actual"];
        let text = case["input"]["expr"].as_str().unwrap_or_default();
        let error = actual["error"].as_str().or(actual["eval_error"].as_str());
        if has_flag(&case, FOREIGN) || (actual["value"].is_null() && error.is_none()) {
            continue;
        }
        let Some(environment) = environment(&case) else {
            continue;
        };
        let variables = variables_of(&case["input"]["env"]["vars"]);
        let bindings = bindings(&case);
        let unbound = |v: &Variable| text.contains(&*v.name) && bindings.iter().all(|(name, _)| *name != v.name);
        // The table has the newest `format` of cel-go and other languages; Kubernetes has the first, in English.
        if variables.iter().any(unbound) || (table == "celgo_ext" && text.contains(".format(")) {
            continue;
        }
        // What is not declared here belongs to a library that Kubernetes does not have.
        let Ok(checked) = compile(text, &environment, &variables, &Container::default()) else {
            continue;
        };
        cases += 1;
        let found = match Program::without_folding(&checked, &environment) {
            Ok(program) => program.eval(&Bound(bindings), None),
            Err(error) => Evaluation {
                result: Err(error),
                cost: 0,
            },
        };
        let agrees = match (&found.result, error) {
            (Ok(value), None) => same(&actual["value"], value),
            (Err(found), Some(error)) => found.message() == error,
            _ => false,
        };
        // The newest strings of cel-go say what they cost; those of Kubernetes do not.
        let strings = case["input"]["env"]["libraries"]
            .to_string()
            .contains("cel.lib.ext.strings");
        let cost = if strings { &Json::Null } else { &actual["runtime_cost"] };
        if !agrees || cost.as_u64().is_some_and(|cost| cost != found.cost) {
            wrong.push(format!("{text}\n  {found:?}\n  {actual}"));
        }
    }
    assert_none(&wrong);
    cases
}

#[test]
fn libraries_answer_as_kubernetes_does() {
    let stored = |_: &Json| Some(Environment::of(KubernetesVersion::NEWEST, ExpressionSet::Stored).clone());
    let cases = agree("lib_functions", stored) + agree("lib_cost", stored);
    assert!(cases == 0 || cases > 250, "only {cases} cases were run");
}

#[test]
fn libraries_answer_as_cel_go_does() {
    let own = |case: &Json| {
        let mut environment = environment_of(case)?;
        environment.features_mut().validators = false;
        environment.features_mut().homogeneous_aggregate_literals = false;
        environment.features_mut().presence_test_has_cost = true;
        Some(environment)
    };
    let cases = agree("celgo_ext", own);
    assert!(cases == 0 || cases > 150, "only {cases} cases were run");
}

#[test]
fn numbers_of_different_types_are_equal_if_they_are_the_same_number() {
    let yes = [
        (Value::Int(1), Value::Uint(1)),
        (Value::Int(-2), Value::Double(-2.0)),
        (Value::Uint(u64::MAX), Value::Uint(u64::MAX)),
        (Value::Double(0.0), Value::Double(-0.0)),
    ];
    let no = [
        (Value::Int(-1), Value::Uint(u64::MAX)),
        (Value::Double(f64::NAN), Value::Double(f64::NAN)),
        (Value::Int(1), Value::string("1")),
    ];
    for (a, b) in yes {
        assert!(matches!(equal(&a, &b), Ok(true)), "{a:?} {b:?}");
    }
    for (a, b) in no {
        assert!(matches!(equal(&a, &b), Ok(false)), "{a:?} {b:?}");
    }
}
