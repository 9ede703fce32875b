//! Mutating admission webhooks of the repository: the API server asks them before it validates an object, so what an object lacks may come
//! from one.

use std::{path::Path, sync::Arc};

use crd_analyzer_syntax::{
    edit,
    json::Json,
    tree::{NodeId, Tree},
};

use super::Object;
use crate::text::Text;

/// The API group of webhook configurations.
const GROUP: &str = "admissionregistration.k8s.io";
/// The kind of those that change objects.
const KIND: &str = "MutatingWebhookConfiguration";
/// What stands for every group, version, resource or operation.
const ALL: &str = "*";

/// A webhook that may change objects of some kinds when they are created.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MutatingWebhook {
    /// Its name.
    pub name: String,
    /// The file that configures it, absolute.
    pub file: Arc<Path>,
    covers: Covers,
}

/// Which objects a webhook is asked about.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Covers {
    /// Those of its rules for the creation of objects.
    Rules(Vec<Rule>),
    /// It has no rules in the file: its program writes them when it starts, as those built with Knative's library do. Then its name ends in
    /// the group.
    Named,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Rule {
    groups: Vec<String>,
    versions: Vec<String>,
    resources: Vec<String>,
}

/// The resource of an API server that an object is sent to.
#[derive(Clone, Copy, Debug)]
pub struct Resource<'a> {
    /// The group.
    pub group: &'a str,
    /// The version.
    pub version: &'a str,
    /// The plural name.
    pub plural: &'a str,
}

impl MutatingWebhook {
    /// Whether an object configures mutating webhooks.
    pub fn is_configured_by(object: &Object) -> bool {
        object.written.kind == KIND && object.group_kind().is_some_and(|it| it.group == GROUP)
    }

    /// The webhooks that the objects of a file configure.
    pub(super) fn all_of(path: &Arc<Path>, text: &Arc<str>, objects: &[Object]) -> Vec<Self> {
        let configurations = objects.iter().filter(|it| Self::is_configured_by(it));
        let configurations: Vec<&Object> = configurations.collect();
        if configurations.is_empty() {
            return Vec::new();
        }
        let text = Text::whole(text.clone());
        configurations
            .into_iter()
            .flat_map(|it| of_object(path, &text, it))
            .collect()
    }

    /// Whether the API server asks it about an object that is created.
    pub fn covers(&self, resource: &Resource<'_>) -> bool {
        match &self.covers {
            Covers::Rules(rules) => rules.iter().any(|it| it.covers(resource)),
            Covers::Named => {
                let before = self.name.strip_suffix(resource.group);
                before.is_some_and(|it| it.ends_with('.'))
            }
        }
    }

    /// Whether the API server asks it about objects of a group.
    pub(super) fn covers_group(&self, group: &str) -> bool {
        match &self.covers {
            Covers::Rules(rules) => rules.iter().any(|it| it.groups.iter().any(|it| it == group)),
            Covers::Named => self.name.ends_with(group),
        }
    }
}

impl Rule {
    /// A rule for all groups is that of a policy engine or a mesh, which knows nothing of the kind: it does not count.
    fn covers(&self, resource: &Resource<'_>) -> bool {
        let has = |all: &[String], one: &str| all.iter().any(|it| it == one || it == ALL);
        let is_named = self.groups.iter().any(|it| it == resource.group);
        is_named
            && has(&self.versions, resource.version)
            && (has(&self.resources, resource.plural) || self.resources.iter().any(|it| it == "*/*"))
    }
}

fn of_object(path: &Arc<Path>, text: &Text, object: &Object) -> Vec<MutatingWebhook> {
    // A template is read as far as it can be.
    let tree = text.read(object.document);
    let tree = tree.unwrap_or_else(|_| edit::read(&text.content, object.document.span).tree);
    in_tree(path, &tree, object.node(&tree)).unwrap_or_default()
}

fn in_tree(path: &Arc<Path>, tree: &Tree, node: Option<NodeId>) -> Option<Vec<MutatingWebhook>> {
    let json = crd_analyzer_syntax::json::read_json_of(tree, node?).ok()?;
    let webhooks = json.root()?.get("webhooks")?.items()?;
    let webhook = |it: &Json<'_>| {
        let covers = match it.get("rules") {
            None => Covers::Named,
            Some(rules) => Covers::Rules(rules.items()?.iter().filter_map(rule).collect()),
        };
        Some(MutatingWebhook {
            name: it.get("name")?.as_str()?.to_owned(),
            file: path.clone(),
            covers,
        })
    };
    Some(webhooks.iter().filter_map(webhook).collect())
}

/// The rule, if it is about the creation of objects.
fn rule(rule: &Json<'_>) -> Option<Rule> {
    let strings = |key: &str| -> Option<Vec<String>> {
        let items = rule.get(key)?.items()?.iter();
        Some(items.filter_map(|it| it.as_str().map(str::to_owned)).collect())
    };
    let operations = strings("operations")?;
    let creates = operations.iter().any(|it| it == "CREATE" || it == ALL);
    creates.then_some(())?;
    Some(Rule {
        groups: strings("apiGroups")?,
        versions: strings("apiVersions")?,
        resources: strings("resources")?,
    })
}
