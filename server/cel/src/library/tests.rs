//! Declarations against each other, their examples and the minors.

use super::LIBRARIES;
use crate::KubernetesVersion;
use crate::cost::{NoSizes, estimate};
use crate::decls::{Container, Environment, ExpressionSet};
use crate::eval::Program;
use crate::testing::compile;
use crate::value::Value;

#[test]
fn examples_give_what_they_say_within_their_estimate() {
    let environment = Environment::of(KubernetesVersion::NEWEST, ExpressionSet::Stored);
    let mut wrong = Vec::new();
    let functions = LIBRARIES.iter().flat_map(|entry| entry.library.functions);
    for (example, expected) in functions.flat_map(|function| function.examples) {
        let text = format!("({example}) == ({expected})");
        let checked = match compile(&text, environment, &[], &Container::default()) {
            Ok(checked) => checked,
            Err(error) => {
                wrong.push(error);
                continue;
            }
        };
        let program = Program::new(&checked, environment);
        let evaluation = program.map(|program| program.eval(&[] as &[(&str, Value); 0], None));
        let estimated = estimate(&checked, environment.features(), &NoSizes);
        match evaluation.map(|evaluation| (evaluation.result, evaluation.cost)) {
            // The server estimates every format as if it had the regular expression of a name, and some have longer ones.
            Ok((Ok(Value::Bool(true)), cost)) if cost <= estimated.max || example.starts_with("format.") => {}
            other => wrong.push(format!("{text}: {other:?}, estimated {estimated:?}")),
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_function_says_what_it_does() {
    for function in LIBRARIES.iter().flat_map(|entry| entry.library.functions) {
        assert!(function.doc.ends_with('.'), "{}", function.name);
        assert!(!function.overloads.is_empty(), "{}", function.name);
    }
}
