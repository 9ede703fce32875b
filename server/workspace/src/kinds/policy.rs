//! The table row for ValidatingAdmissionPolicy.

use crd_analyzer_admission::{Expressions, Site, VALIDATING_ADMISSION_POLICY, judge_create};
use crd_analyzer_cel::{Context, type_of};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    paths::{Step, lookup},
    tree::{NodeId, Tree},
};

use super::{Names, OutlineList, Row};

pub(super) const ROW: Row = Row {
    kind: &VALIDATING_ADMISSION_POLICY,
    alpha: &["v1alpha1"],
    judge: judge_create,
    context,
    deciding: "`paramKind` and `variables` decide what an expression sees",
    outline: &[
        OutlineList {
            path: ["spec", "matchConditions"],
            names: &["name"],
            detail: "expression",
        },
        OutlineList {
            path: ["spec", "variables"],
            names: &["name"],
            detail: "expression",
        },
        OutlineList {
            path: ["spec", "validations"],
            names: &["expression"],
            detail: "message",
        },
        OutlineList {
            path: ["spec", "auditAnnotations"],
            names: &["key"],
            detail: "valueExpression",
        },
    ],
    names: &[Names {
        path: ["spec", "variables"],
        field: "name",
        variable: "variables",
    }],
};

fn context(tree: &Tree, policy: NodeId, path: &[Step<'_>], version: KubernetesVersion) -> Option<Context> {
    let [Step::Key(spec), Step::Key(list), Step::Index(index), Step::Key(field)] = path else {
        return None;
    };
    let site = Site::of(list, field).filter(|_| spec == "spec")?;
    let spec = child(tree, policy, "spec")?;
    let variables = child(tree, spec, "variables").map_or_else(Vec::new, |it| tree.items(it).collect());
    let has_params = child(tree, spec, "paramKind").is_some_and(|it| !tree.is_scalar(it));
    let mut expressions = Expressions::new(has_params, !variables.is_empty(), version);
    let known = match site {
        Site::MatchCondition => 0,
        Site::Variable => *index,
        Site::Validation | Site::Message | Site::AuditAnnotation => variables.len(),
    };
    for variable in variables.into_iter().take(known) {
        let text = |name| child(tree, tree.resolve(variable), name).map(|it| tree.scalar(it));
        let (Some(name), Some(expression)) = (text("name"), text("expression")) else {
            continue;
        };
        let ty = type_of(&expression, &expressions.context(Site::Variable));
        expressions.define(&name, ty.as_ref());
    }
    Some(expressions.context(site))
}

/// The value of a key of a mapping, through aliases and merges.
fn child(tree: &Tree, mapping: NodeId, key: &str) -> Option<NodeId> {
    lookup(tree, tree.resolve(mapping), key).map(|it| tree.resolve(it.value))
}
