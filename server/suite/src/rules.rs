//! Finds the rules of a CRD, and their positions in the text.

use crd_analyzer_syntax::{
    json::Json,
    tree::{Span, Tree},
};

/// The keyword with the rules of a schema.
pub(crate) const RULES: &str = "x-kubernetes-validations";

/// A rule of a CRD.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// The version of the CRD that has the rule.
    pub version: String,
    /// The path to the rule from the root of the version's schema.
    pub path: String,
    /// The expression of the rule.
    pub text: String,
    /// The span of the rule, in bytes of the CRD's file.
    pub span: Span,
}

/// The rules of a CRD in the order of the text.
pub(crate) fn rules(tree: &Tree, crd: &Json<'_>) -> Vec<Rule> {
    let mut found = Vec::new();
    let Some(spec) = crd.get("spec") else { return found };
    let shared = spec.get("validation").and_then(|it| it.get("openAPIV3Schema"));
    let versions = spec.get("versions").and_then(Json::items).unwrap_or_default();
    for version in versions {
        let name = version.get("name").and_then(Json::as_str).unwrap_or_default();
        let own = version.get("schema").and_then(|it| it.get("openAPIV3Schema"));
        let mut work: Vec<(&Json<'_>, String)> = own.or(shared).map(|it| (it, String::new())).into_iter().collect();
        while let Some((schema, path)) = work.pop() {
            let below = |keyword: &str| match path.as_str() {
                "" => keyword.to_owned(),
                path => format!("{path}.{keyword}"),
            };
            let rules = schema.get(RULES).and_then(Json::items).unwrap_or_default();
            for (n, rule) in rules.iter().enumerate() {
                let Some(text) = rule.get("rule") else { continue };
                found.push(Rule {
                    version: name.to_owned(),
                    path: format!("{}[{n}]", below(RULES)),
                    text: text.as_str().unwrap_or_default().to_owned(),
                    span: tree.span(text.node),
                });
            }
            let properties = schema.get("properties").and_then(Json::members).unwrap_or_default();
            let properties = properties
                .iter()
                .map(|it| (&it.value, format!("{}[{}]", below("properties"), it.key)));
            work.extend(properties);
            for keyword in ["items", "additionalProperties"] {
                work.extend(schema.get(keyword).map(|it| (it, below(keyword))));
            }
            let clauses = schema.get("allOf").and_then(Json::items).unwrap_or_default();
            work.extend(
                clauses
                    .iter()
                    .enumerate()
                    .map(|(n, it)| (it, format!("{}[{n}]", below("allOf")))),
            );
        }
    }
    found.sort_by_key(|it| it.span.start);
    found
}
