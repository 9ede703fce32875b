//! Tests of the results of expressions.

use std::ops::RangeInclusive;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{Evaluation, Program, Variables};
use crate::KubernetesVersion;
use crate::decls::{Container, Environment, ExpressionSet, Variable};
use crate::testing::{compile, environment_of, has_flag, variables_of};
use crate::value::{Map, Result, Value, equal};
use crd_analyzer_fixtures::tables::Table;

/// Converts a JSON value to a CEL value without a schema.
fn of_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) => n
            .as_i64()
            .map_or_else(|| Value::Double(n.as_f64().expect("a number")), Value::Int),
        Json::String(s) => Value::string(&**s),
        Json::Array(all) => Value::list(all.iter().map(of_json).collect()),
        Json::Object(all) => Value::Map(Map::of_names(all.iter().map(|(k, v)| (k.as_str().into(), of_json(v))))),
    }
}

/// The variable bindings of a case.
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

/// Evaluates an expression as an API server does, with a string as `self`.
fn run(version: KubernetesVersion, text: &str) -> Evaluation {
    run_any(version, text).expect("it compiles")
}

/// Like [`run`], for an expression that may not compile.
fn run_any(version: KubernetesVersion, text: &str) -> Option<Evaluation> {
    let environment = Environment::of(version, ExpressionSet::New);
    let variables = [Variable::new("self", crate::types::Type::String)];
    let checked = compile(text, environment, &variables, &Container::default()).ok()?;
    Some(match Program::new(&checked, environment) {
        Ok(program) => program.eval(&[("self", Value::string("abc"))], Some(10_000_000)),
        Err(error) => Evaluation {
            result: Err(error),
            cost: 0,
        },
    })
}

/// The range of Kubernetes versions, an expression about `self` (the string `abc`), its value or error, and its cost.
#[rustfmt::skip]
const ANSWERS: &[(RangeInclusive<u8>, &str, &str, u64)] = &[
    (30..=37, "b'abc' in {}", "false", 1),
    (30..=37, "[] in {[]: true}", "false", 1),
    (30..=37, "timestamp('2024-07-01T12:00:00Z').getHours('America/New_York')", "8", 1),
    (30..=37, "timestamp('2024-07-01T12:00:00Z').getHours('america/new_york')", "unknown time zone america/new_york", 1),
    (30..=37, "google.protobuf.Int64Value{value: 1} == 1", "true", 41),
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
    (37..=37, "lists.range(1000001).size() > 0 || self == 'abc'", "true", 16),
    (37..=37, "lists.range(9223372036854775807).size() > 0 || self == 'abc'", "true", 16),
    (37..=37, "lists.range(-1).size() > 0 || self == 'abc'", "true", 16),
    (37..=37, "lists.range(1000001).size() > 0 && self == ''", "false", 15),
    (37..=37, "lists.range(1000001).size() > 0 && self == 'abc'", "lists.range: size 1000001 exceeds maximum allowed (1000000)", 16),
    (37..=37, "self == 'abc' ? lists.range(1000001).size() > 0 : true", "lists.range: size 1000001 exceeds maximum allowed (1000000)", 16),
    (37..=37, "[1000001, 1].exists(n, lists.range(n).size() == 1)", "true", 39),
    (37..=37, "[1000001, 1].map(n, lists.range(n).size()) == [1, 1] || self == 'abc'", "true", 56),
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

/// Evaluates the deepest expressions that the parser accepts, on a thread of 2 MiB. Debug builds use the most stack.
#[test]
fn small_stacks_are_enough() {
    let nested = |open: &str, inner: &str, close: &str, depth: usize| {
        [&open.repeat(depth), inner, &close.repeat(depth)].concat()
    };
    let deepest = |make: &dyn Fn(usize) -> String| {
        let parses = |depth: &usize| {
            let options = crate::parser::ParseOptions::kubernetes(KubernetesVersion::NEWEST, KubernetesVersion::NEWEST);
            let parsed = crate::parser::parse(&crate::ast::Source::new(make(*depth)), &options);
            parsed.issues.is_empty()
        };
        let depth = [249, 240, 120, 80, 60, 40, 30, 20]
            .into_iter()
            .find(parses)
            .unwrap_or(1);
        assert!(depth > 10, "{}", make(3));
        make(depth)
    };
    let rules = [
        deepest(&|n| nested("(", "self == ''", ")", n)),
        deepest(&|n| nested("!(", "self == ''", ")", n)),
        deepest(&|n| nested("[", "self", "]", n) + ".size() == 1"),
        deepest(&|n| nested("[", "self", "]", n) + " == " + &nested("[", "self", "]", n)),
        deepest(&|n| nested("dyn(", "self", ")", n) + " == ''"),
        deepest(&|n| nested("{'a': ", "self", "}", n) + ".size() == 1"),
        deepest(&|n| "dyn(self)".to_owned() + &".a".repeat(n)),
        deepest(&|n| "dyn(self)".to_owned() + &"[0]".repeat(n)),
        deepest(&|n| "self".to_owned() + &" + 'a'".repeat(n) + " == ''"),
        deepest(&|n| nested("(self == '' ? ", "true", " : false)", n)),
        deepest(&|n| "self == 'x' ? true : ".repeat(n) + "true"),
        deepest(&|n| nested("[self].all(x, ", "true", ")", n)),
        deepest(&|n| nested("[self].exists_one(x, ", "true", ")", n)),
        deepest(&|n| nested("[self].map(x, ", "self", ")", n) + ".size() == 1"),
        deepest(&|n| nested("[self].transformMap(i, x, ", "self", ")", n) + ".size() == 1"),
        deepest(&|n| nested("optional.of(self).optMap(x, ", "self", ")", n) + ".hasValue()"),
        deepest(&|n| nested("('%s'.format([", "self", "]))", n) + " == ''"),
        "[self]".to_owned() + &".map(x, [x])".repeat(60) + ".size() == 1",
        "optional.of(self)".to_owned() + &".optMap(x, x)".repeat(12) + ".hasValue()",
    ];
    for rule in rules {
        let thread = std::thread::Builder::new().stack_size(2 << 20);
        let ran = thread.spawn(move || {
            for minor in [30, 37] {
                // The result does not matter. A stack overflow would abort the process.
                run_any(KubernetesVersion::minor(minor), &rule);
            }
        });
        ran.expect("a thread").join().expect("it ends by itself");
    }
}

/// Calls whose work grows faster than their string end early if they are too expensive.
#[test]
fn expensive_work_ends() {
    let newest = KubernetesVersion::NEWEST;
    for text in [
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

/// Compares a value with the expected value in the table, which names the type of each value.
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
        // The types are equal. This comparison ignores how values of these types are printed.
        _ => true,
    }
}

/// Why a case cannot apply to a rule of a CRD.
fn reason(name: &str, case: &Json) -> Option<&'static str> {
    const FLAGS: [(&str, &str); 5] = [
        (
            "library-not-in-kubernetes",
            "use libraries that Kubernetes does not have",
        ),
        ("protobuf-types", "use protobuf messages of the tests"),
        ("cost-options", "set options of the cost that Kubernetes does not"),
        ("has-funcs", "declare functions of the tests"),
        (
            "has-extraOpts",
            "set options of the interpreter that Kubernetes does not",
        ),
    ];
    let input = &case["input"];
    let text = input["expr"].as_str().unwrap_or_default();
    let flagged = FLAGS.iter().find(|(flag, _)| has_flag(case, &[flag]));
    if let Some((_, reason)) = flagged {
        return Some(reason);
    }
    let foreign = [
        "TestAllTypes",
        "google.expr",
        "NestedTestAllTypes",
        "GlobalEnum",
        "proto3.",
        "proto2.",
        "google.api",
    ];
    if foreign.iter().any(|part| case.to_string().contains(part)) {
        return Some("use protobuf messages of the tests");
    }
    if name == "cel_conformance" {
        let suite = case["test"].as_str().unwrap_or_default();
        let libraries = [
            "math_ext",
            "encoders_ext",
            "bindings_ext",
            "block_ext",
            "network_ext",
            "proto2_ext",
            "type_deduction",
        ];
        if libraries.contains(&suite) {
            return Some("use libraries that Kubernetes does not have");
        }
    }
    if input["disable_check"] == true {
        return Some("run without a check, which the server never does");
    }
    if name == "celgo_interp" && GO_VALUES.iter().any(|start| text.starts_with(start)) {
        return Some("bind values of Go that JSON cannot hold");
    }
    if name == "cel_conformance" && BAD_PRESENCE.iter().any(|part| text.contains(part)) {
        return Some("set that looking into what has no fields is an error, which Kubernetes does not");
    }
    if text == "[].flatten(dyn('1'))" {
        return Some("do not count the cost, with which the server crashes");
    }
    if input["check_only"] == true {
        return Some("are only checked");
    }
    // The table contains cel-go's newest `format`, also for other languages. Kubernetes has the first version, in English.
    (["celgo_ext", "cel_conformance"].contains(&name) && text.contains(".format("))
        .then_some("use a later version of format than Kubernetes does")
}

const GO_VALUES: [&str; 5] = [
    "m.boolStr[",
    "m.uintIface[",
    "m[(x ?",
    "{1: 'hello', 2: 'world'}[x]",
    "input.getFullYear()",
];

const BAD_PRESENCE: [&str; 3] = [
    ".?null_key.invalid.",
    "has({'foo': optional.none()}.foo.bar)",
    "[?true].absent.",
];

/// A variable's value from the conformance tables: protobuf's JSON of a CEL value.
fn of_proto(json: &Json) -> Option<Value> {
    let value = &json["value"];
    let (kind, it) = value.as_object()?.iter().next()?;
    let number = || it.as_str().map_or_else(|| it.to_string(), str::to_owned);
    Some(match kind.as_str() {
        "nullValue" => Value::Null,
        "boolValue" => Value::Bool(it.as_bool()?),
        "int64Value" => Value::Int(number().parse().ok()?),
        "uint64Value" => Value::Uint(number().parse().ok()?),
        "doubleValue" => Value::Double(number().parse().ok()?),
        "stringValue" => Value::string(it.as_str()?),
        "listValue" => {
            let items = it["values"].as_array().into_iter().flatten();
            Value::list(
                items
                    .map(|item| of_proto(&json!({"value": item})))
                    .collect::<Option<_>>()?,
            )
        }
        "mapValue" => {
            let entry = |entry: &Json| {
                let side = |side: &str| of_proto(&json!({"value": entry[side]}));
                Some((side("key")?, side("value")?))
            };
            let entries = it["entries"].as_array().into_iter().flatten();
            Value::Map(Map::new(entries.map(entry).collect::<Option<Vec<_>>>()?).ok()?)
        }
        _ => return None,
    })
}

/// A variable's type from the conformance tables: protobuf's JSON of a CEL type.
fn type_of_proto(json: &Json) -> Option<crate::types::Type> {
    use crate::types::Type;
    let (kind, it) = json.as_object()?.iter().next()?;
    Some(match (kind.as_str(), it.as_str().unwrap_or_default()) {
        ("primitive", "BOOL") => Type::Bool,
        ("primitive", "INT64") => Type::Int,
        ("primitive", "UINT64") => Type::Uint,
        ("primitive", "DOUBLE") => Type::Double,
        ("primitive", "STRING") => Type::String,
        ("primitive", "BYTES") => Type::Bytes,
        ("wellKnown", "TIMESTAMP") => Type::Timestamp,
        ("wellKnown", "DURATION") => Type::Duration,
        ("dyn", _) => Type::Dyn,
        ("null", _) => Type::Null,
        ("listType", _) => Type::list(type_of_proto(&it["elemType"])?),
        ("mapType", _) => Type::map(type_of_proto(&it["keyType"])?, type_of_proto(&it["valueType"])?),
        _ => return None,
    })
}

/// The variables of a case with their types and values; `None` if some are not available here.
fn variables_and_values(name: &str, case: &Json) -> Option<(Vec<Variable>, Bound)> {
    let input = &case["input"];
    match name {
        "cel_conformance" => {
            let mut variables = Vec::new();
            for declared in input["type_env"].as_array().into_iter().flatten() {
                let ty = type_of_proto(&declared["ident"]["type"])?;
                variables.push(Variable::new(declared["name"].as_str()?, ty));
            }
            let mut values = Vec::new();
            for (name, value) in input["bindings"].as_object().into_iter().flatten() {
                values.push((name.as_str().into(), of_proto(value)?));
            }
            Some((variables, Bound(values)))
        }
        "celgo_interp" => {
            let mut variables = Vec::new();
            for declared in input["vars"].as_array().into_iter().flatten() {
                let ty = declared["type"].as_str()?.parse().ok()?;
                variables.push(Variable::new(declared["name"].as_str()?, ty));
            }
            let bound = if input["in"].is_null() {
                &input["bindings"]
            } else {
                &input["in"]
            };
            let values = bound.as_object().into_iter().flatten();
            if bound.to_string().contains("\"$") {
                return None;
            }
            Some((
                variables,
                Bound(values.map(|(name, it)| (name.as_str().into(), of_json(it))).collect()),
            ))
        }
        _ => {
            let variables = variables_of(&input["env"]["vars"]);
            let bound = bindings(case);
            let text = input["expr"].as_str().unwrap_or_default();
            let unbound = |v: &Variable| text.contains(&*v.name) && bound.iter().all(|(name, _)| *name != v.name);
            (!variables.iter().any(unbound)).then_some((variables, Bound(bound)))
        }
    }
}

/// Runs the cases of a table.
fn agree(name: &str, environment: impl Fn(&Json) -> Option<Environment>) {
    let mut table = Table::open(name);
    for case in table.cases() {
        if let Some(reason) = reason(name, &case) {
            table.except(reason);
            continue;
        }
        let actual = &case["actual"];
        let text = case["input"]["expr"].as_str().unwrap_or_default();
        let error = actual["error"].as_str().or(actual["eval_error"].as_str());
        let error = error.or(case["expect"]["err"].as_str());
        // A case without an expected value only asserts that the expression is true.
        let holds = json!({"type": "bool", "value": true});
        let expected = if !actual["value"].is_null() {
            &actual["value"]
        } else if actual["asserted_equal"] == true {
            if case["expect"]["out"].is_null() {
                &holds
            } else {
                &case["expect"]["out"]
            }
        } else {
            &Json::Null
        };
        let has_cost = !actual["runtime_cost"].is_null();
        if expected.is_null() && error.is_none() && !has_cost {
            table.except("are not run");
            continue;
        }
        let Some(environment) = environment(&case) else {
            table.except("use libraries that Kubernetes does not have");
            continue;
        };
        let Some((variables, bound)) = variables_and_values(name, &case) else {
            table.except("have variables that the table does not tell whole");
            continue;
        };
        let environment = Arc::new(environment);
        let container = Container::new(case["input"]["container"].as_str().unwrap_or_default());
        let checked = match compile(text, &environment, &variables, &container) {
            Ok(checked) => checked,
            Err(why) if why.contains("undeclared reference") || why.contains("no matching overload") => {
                table.except("name what Kubernetes does not have");
                continue;
            }
            Err(_) if name == "celgo_interp" => {
                table.except("run without a check, which the server never does");
                continue;
            }
            Err(why) => {
                table.judge(Some(format!("{text}\n  {why}\n  {actual}")));
                continue;
            }
        };
        let found = match Program::without_folding(&checked, &environment) {
            Ok(program) => program.eval(&bound, None),
            Err(error) => Evaluation {
                result: Err(error),
                cost: 0,
            },
        };
        let agrees = match (&found.result, error) {
            (Ok(value), None) if expected["type"].is_null() => {
                let plain = of_json(expected);
                // These tables write bytes and times as strings.
                expected.is_null() || !matches!(equal(&plain, value), Ok(false)) || expected.is_object()
            }
            (Ok(value), None) => same(expected, value),
            // The expected error is only a part of the message.
            (Err(found), Some(error)) if actual["error"].is_null() && actual["eval_error"].is_null() => {
                found.message().contains(error)
            }
            (Err(found), Some(error)) => found.message() == error,
            _ => false,
        };
        // The newest string functions of cel-go have their own costs, but those in Kubernetes do not.
        let strings = case["input"]["env"]["libraries"]
            .to_string()
            .contains("cel.lib.ext.strings");
        let cost = if strings { &Json::Null } else { &actual["runtime_cost"] };
        let differs = !agrees || cost.as_u64().is_some_and(|cost| cost != found.cost);
        table.judge(differs.then(|| format!("{text}\n  {found:?}\n  {actual} {}", case["expect"])));
    }
    table.finish();
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn libraries_answer_as_kubernetes_does() {
    let stored = || Environment::clone(Environment::of(KubernetesVersion::NEWEST, ExpressionSet::Stored));
    let unvalidated = |_: &Json| {
        let mut environment = stored();
        environment.features_mut().validators = false;
        environment.features_mut().homogeneous_aggregate_literals = false;
        Some(environment)
    };
    agree("lib_functions", unvalidated);
    agree("lib_cost", unvalidated);
}

/// The environment of cel-go's own tests.
fn as_in_cel_go(mut environment: Environment) -> Environment {
    environment.features_mut().validators = false;
    environment.features_mut().homogeneous_aggregate_literals = false;
    environment.features_mut().presence_test_has_cost = true;
    environment
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn libraries_answer_as_cel_go_does() {
    agree("celgo_ext", |case| environment_of(case).map(as_in_cel_go));
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn expressions_answer_as_cel_go_does() {
    let stored = || Environment::clone(Environment::of(KubernetesVersion::NEWEST, ExpressionSet::Stored));
    agree("celgo_interp", |_| Some(as_in_cel_go(stored())));
    agree("cel_conformance", |_| Some(as_in_cel_go(stored())));
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
