//! Checks the static analysis with random schemas and values.

use fastrand::Rng;

use super::*;

/// A condition over the properties of [`random_schema`].
fn random_condition(rng: &mut Rng, depth: usize) -> String {
    if depth > 0 && rng.u8(..3) > 0 {
        let (a, b) = (random_condition(rng, depth - 1), random_condition(rng, depth - 1));
        return match rng.u8(..4) {
            0 => format!("({a} && {b})"),
            1 => format!("({a} || {b})"),
            2 => format!("!{a}"),
            _ => format!("({a} ? {b} : {})", random_condition(rng, depth - 1)),
        };
    }
    let operator = *rng.choice(["<", "<=", ">", ">=", "==", "!="].iter()).unwrap_or(&"<");
    let number = |rng: &mut Rng| match rng.u8(..6) {
        0 => "self.n".to_owned(),
        1 => "self.o".to_owned(),
        2 => "size(self.l)".to_owned(),
        3 => "size(self.t)".to_owned(),
        4 => format!("(self.n {} {})", ["+", "-", "*"][rng.usize(..3)], rng.i64(-4..5)),
        _ => rng.i64(-4..8).to_string(),
    };
    match rng.u8(..8) {
        0 => "has(self.o)".to_owned(),
        1 => "self.b".to_owned(),
        2 => format!(
            "self.t {} '{}'",
            ["==", "!="][rng.usize(..2)],
            ["", "a", "bb"][rng.usize(..3)]
        ),
        3 => format!("self.t in ['a', '{}']", ["b", "bb", ""][rng.usize(..3)]),
        4 => format!("self.l.all(x, x {operator} {})", rng.i64(-3..6)),
        5 => format!("self.l.exists(x, x {operator} self.n)"),
        _ => {
            let (a, b) = (number(rng), number(rng));
            format!("{a} {operator} {b}")
        }
    }
}

fn random_schema(rng: &mut Rng) -> JsonSchemaProps {
    let (low, items) = (rng.i64(-3..4), rng.i64(0..3));
    let mut number = json!({"type": "integer", "minimum": low, "maximum": low + rng.i64(0..4)});
    if rng.bool() {
        number["exclusiveMinimum"] = json!(rng.bool());
        number["maximum"] = json!(low + 2);
    }
    let text = match rng.u8(..3) {
        0 => json!({"type": "string", "enum": ["a", "bb"]}),
        1 => json!({"type": "string", "minLength": 1, "maxLength": 2}),
        _ => json!({"type": "string", "enum": ["a"]}),
    };
    let mut properties = json!({
        "n": number,
        "o": {"type": "integer"},
        "t": text,
        "b": {"type": "boolean"},
        "l": {"type": "array", "minItems": items, "maxItems": items + rng.i64(0..3),
            "items": {"type": "integer", "minimum": low, "maximum": 4}},
    });
    if rng.bool() {
        properties["o"]["default"] = json!(2);
    }
    if rng.u8(..4) == 0 {
        properties["b"]["enum"] = json!([true]);
    }
    let rule = random_condition(rng, 3);
    object(&properties, &["n", "t", "b", "l"], &[&rule])
}

fn random_value(rng: &mut Rng) -> Value {
    let items: Vec<i64> = (0..rng.usize(..5)).map(|_| rng.i64(-3..5)).collect();
    let text = ["", "a", "b", "bb", "ab"][rng.usize(..5)];
    let mut value = json!({
        "n": rng.i64(-4..8),
        "t": text,
        "b": rng.bool(),
        "l": items,
    });
    if rng.bool() {
        value["o"] = json!(rng.i64(-4..8));
    }
    value
}

/// Checks that a rule does not fail if the static analysis excludes failures.
fn never_fails_where_said(props: &JsonSchemaProps, rng: &mut Rng) {
    let schema = Structural::assume(props);
    let ty = decl_type(schema, false, VERSION).expect("an object has a type");
    let compiled = compile(&ty, &props.x_validations, VERSION, |_, _| ExpressionSet::New);
    let Some(rule) = &compiled[0].rule else { return };
    if static_analysis::may_fail(
        &rule.checked,
        schema,
        &context(&ty, VERSION, ExpressionSet::New, false),
        false,
    ) {
        return;
    }
    let rules = run::Validator::new(schema, false, VERSION);
    for _ in 0..50 {
        let mut value = random_value(rng);
        defaulting::set_defaults(&mut value, Known::ALL, Some(schema));
        if Validator::new(props, VERSION)
            .validate(&Path::root(), &value)
            .is_empty()
        {
            let (errors, _) = rules.validate(&Path::root(), &value, None, RUNTIME_BUDGET);
            assert!(errors.iter().all(|it| it.code == RULE_FAILED), "{errors:?}");
        }
    }
}

/// Checks with random values that rules reported as always or never true really are, and that examples are right.
#[test]
fn no_random_value_contradicts_what_is_said() {
    let mut rng = Rng::with_seed(7);
    let (mut claims, mut tried) = (0, 0);
    for _ in 0..1_500 {
        let props = random_schema(&mut rng);
        let found = hazards(&props);
        never_fails_where_said(&props, &mut rng);
        let claim = found
            .iter()
            .find(|it| [codes::ALWAYS_TRUE_RULE, codes::UNSATISFIABLE_RULE].contains(&it.code));
        let Some(claim) = claim else { continue };
        claims += 1;
        let schema = Structural::assume(&props);
        let validator = Validator::new(&props, VERSION);
        let rules = run::Validator::new(schema, false, VERSION);
        for _ in 0..200 {
            let mut value = random_value(&mut rng);
            defaulting::set_defaults(&mut value, Known::ALL, Some(schema));
            if !validator.validate(&Path::root(), &value).is_empty() {
                continue;
            }
            tried += 1;
            let (errors, _) = rules.validate(&Path::root(), &value, None, RUNTIME_BUDGET);
            let holds = errors.is_empty();
            assert_eq!(
                holds,
                claim.code == codes::ALWAYS_TRUE_RULE,
                "{} for {value} under {props:?}",
                props.x_validations[0].rule
            );
        }
    }
    assert!(
        claims > 100 && tried > 1_000,
        "{claims} claims were tried with {tried} values"
    );
}
