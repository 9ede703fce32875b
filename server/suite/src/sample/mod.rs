//! Test files in which the user tries a rule. The key `x-rule` names the rule.

mod add;
mod results;

use crd_analyzer_syntax::{paths::lookup, tree::Span};

use crate::{definition::rules_by_name, model::Suite};
pub use add::{Added, path_beside};
pub(crate) use add::{head, test};
pub use results::{CaseResult, SiteResult, Trial};

/// The key that names the rule.
pub(crate) const RULE: &str = "x-rule";

/// The name of a rule.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RuleName {
    /// The `metadata.name` of the CRD.
    pub crd: String,
    /// The version of the CRD.
    pub version: String,
    /// The path of the rule, relative to the schema of the version: `properties[spec].x-kubernetes-validations[0]`.
    pub path: String,
}

/// The rule whose expression touches a span, in a text that contains CRDs.
pub fn rule_at(content: &std::sync::Arc<str>, span: Span) -> Option<RuleName> {
    let touches = |it: &Span| it.start <= span.end && span.start <= it.end;
    let mut all: Vec<_> = rules_by_name(content).into_iter().collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all.into_iter().find_map(|(crd, rules)| {
        let rule = rules.into_iter().find(|it| touches(&it.span))?;
        Some(RuleName {
            crd,
            version: rule.version,
            path: rule.path,
        })
    })
}

impl Suite {
    /// The rule that the file tries, if it names one.
    pub fn rule(&self) -> Option<RuleName> {
        let tree = &self.tree;
        let crate::Wanted::File { version, .. } = &self.wanted else {
            return None;
        };
        let root = tree.resolve(tree.root()?);
        let rule = tree.resolve(tree.get(root, RULE)?);
        let text = |key: &str| {
            let value = tree.resolve(lookup(tree, rule, key)?.value);
            tree.is_scalar(value).then(|| tree.scalar(value).into_owned())
        };
        Some(RuleName {
            crd: text("crd")?,
            version: version.clone()?,
            path: text("path")?,
        })
    }
}
