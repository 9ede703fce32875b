//! Shared test helpers: compile expressions in the environments of the test tables.

use std::sync::Arc;

use serde_json::Value;

use crate::KubernetesVersion;
use crate::ast::Source;
use crate::checker::{Checked, check};
use crate::context::Context;
use crate::decls::{Container, Environment, Variable};
use crate::library::LIBRARIES;
use crate::parser::{ParseOptions, parse};
use crate::validators::validate;

/// Whether a case has one of these flags.
pub(crate) fn has_flag(case: &Value, flags: &[&str]) -> bool {
    let own = case["flags"].as_array();
    own.is_some_and(|own| {
        own.iter()
            .any(|flag| flag.as_str().is_some_and(|flag| flags.contains(&flag)))
    })
}

/// The environment with the libraries that a case names. `None` if Kubernetes does not have one of them.
pub(crate) fn environment_of(case: &Value) -> Option<Environment> {
    let mut environment = Environment::empty(KubernetesVersion::NEWEST);
    let names: Vec<&str> = case["input"]["env"]["libraries"]
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    for name in &names {
        let known = match *name {
            "cel.lib.std" => "standard",
            "cel.lib.optional" => "optional",
            "cel.lib.ext.strings" => "strings",
            "cel.lib.ext.sets" => "sets",
            "cel.lib.ext.comprev2" => "two-variable comprehensions",
            "cel.lib.ext.lists" => "lists",
            "kubernetes.Semver" => "kubernetes.semver",
            "kubernetes.lists" => "kubernetes.lists",
            "kubernetes.jsonpatch" => continue,
            other if other.starts_with("kubernetes.") => other,
            _ => return None,
        };
        for entry in LIBRARIES.iter().filter(|entry| entry.library.name == known) {
            environment.add_library(&entry.library);
        }
        if known == "kubernetes.lists" {
            let includes = LIBRARIES
                .iter()
                .find(|entry| entry.library.name == "kubernetes.lists.v1")?;
            environment.add_library(&includes.library);
        }
    }
    Some(environment)
}

/// The variables that a case declares, `{"name": "type"}`.
pub(crate) fn variables_of(declared: &Value) -> Vec<Variable> {
    let declared = declared.as_object().into_iter().flatten();
    declared
        .map(|(name, ty)| {
            let ty = ty.as_str().expect("a type");
            Variable::new(name.as_str(), ty.parse().expect("a type"))
        })
        .collect()
}

/// Compiles an expression. The error is the API server's message.
pub(crate) fn compile(
    text: &str,
    environment: &Arc<Environment>,
    variables: &[Variable],
    container: &Container,
) -> Result<Checked, String> {
    let options = ParseOptions::kubernetes(environment.features().version, environment.features().version);
    let source = Source::new(text);
    let parsed = parse(&source, &options);
    if !parsed.issues.is_empty() {
        return Err(parsed.issues.display(&source));
    }
    let context = Context::new(Arc::clone(environment))
        .with_variables(variables)
        .with_container(container.clone());
    let checked = check(parsed.ast, &source, &context).map_err(|issues| issues.display(&source))?;
    if environment.features().validators {
        let issues = validate(&checked, &source, environment.features()).issues;
        if !issues.is_empty() {
            return Err(issues.display(&source));
        }
    }
    Ok(checked)
}
