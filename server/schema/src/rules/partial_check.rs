//! What is known of an expression that may be unfinished or wrong: for editors. Verdicts come from [`compile`](super::compile).

use std::collections::HashMap;
use std::sync::Arc;

use crd_analyzer_cel::ast::Source;
use crd_analyzer_cel::checker::{CheckEnv, Checked, check_with_issues};
use crd_analyzer_cel::cost::{CostEstimate, estimate_parts};
use crd_analyzer_cel::decls::{Environment, ExpressionSet, Variable};
use crd_analyzer_cel::parser::parse;
use crd_analyzer_cel::types::{DeclType, Type};

use super::{Compiler, Problem, parse_options, problems, set_index};
use crate::KubernetesVersion;

/// An expression with all that could be found out about it.
#[derive(Clone, Debug)]
pub struct PartialCheck {
    /// Its text.
    pub source: Source,
    /// Its tree, with holes where it does not parse, and the types of what could be checked.
    pub checked: Checked,
    /// The problems of the parser or the checker. The first one is the API server's first problem.
    pub problems: Vec<Problem>,
    /// What evaluating it once costs at most, and what each part does, by id; only of an expression without problems.
    pub cost: Option<(CostEstimate, HashMap<i64, CostEstimate>)>,
}

/// Looks at an expression of a rule whose `self` is of this type, as an API server of this Kubernetes version does with new expressions.
pub fn partial_check(
    ty: &Arc<DeclType>,
    text: &str,
    optional_old_self: bool,
    version: KubernetesVersion,
) -> PartialCheck {
    let set = ExpressionSet::New;
    let compiler = Compiler::new(ty, version);
    let source = Source::new(text);
    let parsed = parse(&source, parse_options(version, set));
    let environment = Environment::of(version, set);
    let variables = compiler.variables(optional_old_self);
    let env = CheckEnv {
        environment,
        variables: &variables,
        types: &compiler.providers[set_index(set)],
        container: &compiler.container,
    };
    let places = parsed.ast.source_info.clone();
    let (checked, issues) = check_with_issues(parsed.ast, &source, env);
    // Holes are problems of the checker, too: where the text does not parse, only that counts.
    let issues = if parsed.issues.is_empty() {
        issues
    } else {
        parsed.issues
    };
    let problems = problems(&issues, &source, &places);
    let cost = problems
        .is_empty()
        .then(|| estimate_parts(&checked, environment.features(), &**ty));
    PartialCheck {
        source,
        checked,
        problems,
        cost,
    }
}

/// The type of an expression that is part of a rule, with the variables that folds around it have; `None` if it has none.
pub fn type_of(
    ty: &Arc<DeclType>,
    text: &str,
    locals: &[(Arc<str>, Type)],
    optional_old_self: bool,
    version: KubernetesVersion,
) -> Option<Type> {
    let set = ExpressionSet::New;
    let compiler = Compiler::new(ty, version);
    let source = Source::new(text);
    let parsed = parse(&source, parse_options(version, set));
    if !parsed.issues.is_empty() {
        return None;
    }
    let mut variables: Vec<_> = compiler.variables(optional_old_self).into();
    for (name, ty) in locals {
        // The innermost of a name counts.
        variables.retain(|it| it.name != *name);
        variables.push(Variable {
            name: name.clone(),
            ty: ty.clone(),
        });
    }
    let env = CheckEnv {
        environment: Environment::of(version, set),
        variables: &variables,
        types: &compiler.providers[set_index(set)],
        container: &compiler.container,
    };
    let (checked, _) = check_with_issues(parsed.ast, &source, env);
    let ty = checked.output_type();
    (*ty != Type::Error).then(|| ty.clone())
}
