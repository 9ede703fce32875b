//! Tests of the types of expressions, and of the issues reported for ill-typed ones.

use std::sync::Arc;

use serde_json::Value;

use crate::KubernetesVersion;
use crate::decls::{Container, Environment, OverloadDecl, Variable};
use crate::testing::{compile, environment_of, has_flag, variables_of};
use crd_analyzer_fixtures::tables::Table;

/// A type from the test tables, without angle brackets around its parameters.
fn type_text(text: &Value) -> String {
    text.as_str().expect("a type").replace(['<', '>'], "")
}

fn environment(case: &Value) -> Environment {
    let version = KubernetesVersion::NEWEST;
    let input = &case["input"];
    let mut environment = if input["disable_std_env"] == true {
        Environment::empty(version)
    } else {
        Environment::standard(version)
    };
    // The only option in this table says whether numbers of different types can be compared.
    let options = input["options"].as_array().is_some_and(|options| !options.is_empty());
    environment.features_mut().cross_type_numeric_comparisons = options && case["actual"]["errors"].is_null();
    for function in input["env"]["functions"].as_array().into_iter().flatten() {
        for overload in function["overloads"].as_array().expect("overloads") {
            let mut args: Vec<_> = overload["args"]
                .as_array()
                .expect("types")
                .iter()
                .map(type_text)
                .collect();
            let target = if overload["member"] == true {
                format!("{}.", args.remove(0))
            } else {
                String::new()
            };
            let signature = format!("{target}({}) -> {}", args.join(", "), type_text(&overload["result"]));
            let id = overload["id"].as_str().expect("an id");
            let declared = OverloadDecl::parse(id, &signature).expect("a signature");
            environment.add_overload(function["name"].as_str().expect("a name"), "", declared);
        }
    }
    environment
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn types_and_errors_are_those_of_cel_go() {
    let mut table = Table::open("celgo_checker");
    for case in table.cases() {
        let input = &case["input"];
        let reason = match &case["kind"] {
            kind if kind != "cel-check" => Some("are about costs"),
            _ if has_flag(&case, &["protobuf-types"]) => Some("use protobuf messages of the tests"),
            _ if input["env"]["variadicASTs"] == true => Some("have trees of a form that Kubernetes does not ask for"),
            _ => None,
        };
        if let Some(reason) = reason {
            table.except(reason);
            continue;
        }
        let mut environment = environment(&case);
        if input["env"]["optionalSyntax"] == true {
            let library = crate::library::LIBRARIES
                .iter()
                .find(|entry| entry.library.name == "optional");
            environment.add_library(&library.expect("the library").library);
        }
        let variables: Vec<_> = input["env"]["idents"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|ident| {
                let ty = type_text(&ident["type"]).parse().expect("a type");
                Variable::new(ident["name"].as_str().expect("a name"), ty)
            })
            .collect();
        let environment = Arc::new(environment);
        let container = Container::new(input["container"].as_str().unwrap_or_default());
        let text = input["expr"].as_str().expect("an expression");
        let (expected, actual) = match compile(text, &environment, &variables, &container) {
            Ok(checked) => (case["actual"]["type"].clone(), checked.output_type().declared_name()),
            Err(error) => (case["actual"]["errors"]["text"].clone(), error),
        };
        // The table also lists the type parameters of a type, but `declared_name` does not.
        let matches = expected
            .as_str()
            .is_some_and(|expected| expected == actual || expected.starts_with(&format!("{actual}(")));
        table.judge((!matches).then(|| format!("{text}: {actual} instead of {expected}")));
    }
    table.finish();
}

/// Functions that only newer library versions have, which Kubernetes does not use.
const NEWER: [&str; 4] = ["reverse()", "'tacocat'.reverse", "strings.quote", "format("];

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn library_calls_compile_as_in_the_server() {
    for name in ["lib_functions", "lib_cost", "celgo_ext"] {
        let mut table = Table::open(name);
        for case in table.cases() {
            let text = case["input"]["expr"].as_str().expect("an expression");
            let newer = name == "celgo_ext"
                && (NEWER.iter().any(|name| text.contains(name))
                    || case["test"].as_str().is_some_and(|t| t.contains("Version")));
            // Some cases are evaluated without type checking. Others use names that only the tests or other parts of the API server declare.
            let unchecked = case["actual"]["type"].is_null() && case["actual"]["issues"].is_null();
            let foreign = ["ExampleType", "test.", "jsonpatch."]
                .iter()
                .any(|name| text.contains(name));
            let reason = if has_flag(&case, &["library-not-in-kubernetes"]) {
                Some("use libraries that Kubernetes does not have")
            } else if newer {
                Some("use later versions of libraries than Kubernetes does")
            } else if unchecked {
                Some("were not checked")
            } else if foreign {
                Some("name what only the tests or other parts of the server have")
            } else {
                None
            };
            if let Some(reason) = reason {
                table.except(reason);
                continue;
            }
            let Some(environment) = environment_of(&case) else {
                table.except("use libraries that Kubernetes does not have");
                continue;
            };
            let variables = variables_of(&case["input"]["env"]["vars"]);
            let result = compile(text, &Arc::new(environment), &variables, &Container::default());
            let expected = &case["actual"]["issues"]["text"];
            table.judge(match (result, expected.as_str()) {
                (Ok(_), None) => None,
                (Err(error), Some(expected)) if error == expected => None,
                (result, expected) => {
                    let actual = result.map_or_else(|error| error, |checked| checked.output_type().to_string());
                    Some(format!("{text}: {actual} instead of {expected:?}"))
                }
            });
        }
        table.finish();
    }
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn environments_are_those_of_compatibility_versions() {
    let mut table = Table::open("lib_environment");
    for case in table.cases() {
        if has_flag(&case, &["extended-environment"]) {
            table.except("declare what is the tests' own");
            continue;
        }
        let newest = KubernetesVersion::NEWEST;
        let asked = case["input"]["kubernetes_version"].as_str().expect("a version");
        let minor = asked
            .strip_prefix("1.")
            .and_then(|minor| minor.parse().ok())
            .expect("a minor");
        let is_new = case["input"]["env_type"] == "NewExpressions";
        let compatibility = if is_new {
            KubernetesVersion::minor(minor)
        } else {
            newest
        };
        let environment = Arc::new(Environment::with_compatibility(newest, compatibility));
        let text = case["input"]["expr"].as_str().expect("an expression");
        let error = compile(text, &environment, &[], &Container::default()).err();
        let expected = &case["actual"]["error"];
        table
            .judge((error.as_deref() != expected.as_str()).then(|| format!("{text}: {error:?} instead of {expected}")));
    }
    table.finish();
}

/// An expression that a macro duplicates can get two types. Up to 1.30 the error prints it as a protobuf message, later as an address.
#[test]
fn expressions_with_two_types_are_printed_as_each_server_prints_them() {
    let check = |minor: u8, text: &str, expected: &str| {
        let environment = Environment::of(KubernetesVersion::minor(minor), crate::decls::ExpressionSet::Stored);
        let error = compile(text, environment, &[], &Container::default()).expect_err("two types");
        assert!(error.contains(expected), "1.{minor} {text}: {error}");
    };
    let none = "optional.none().optMap(v, 1).hasValue()";
    check(
        30,
        none,
        "incompatible type already exists for expression: id:2 call_expr:{function:\"optional.none\"}(2) old:optional(_var0), new:optional(_var3)",
    );
    check(
        30,
        "optional.of([]).optMap(v, v.size()).hasValue()",
        "for expression: id:3 list_expr:{}(3) old:list(_var0), new:list(_var4)",
    );
}
