//! Mutating admission webhooks of the repository. The API server calls them before it validates an object, so they may add fields that an
//! object lacks.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_syntax::{
    edit,
    json::Json,
    tree::{NodeId, Tree},
};

use super::Object;
use crate::documents::text::Text;

/// The API group of webhook configurations.
const GROUP: &str = "admissionregistration.k8s.io";
/// The kind of configurations of mutating webhooks.
pub(super) const KIND: &str = "MutatingWebhookConfiguration";
/// Matches every group, version, resource or operation.
const ALL: &str = "*";

/// The mutating webhooks of the files, and cached lookups of resources.
#[derive(Default)]
pub(super) struct Webhooks {
    by_file: BTreeMap<Arc<Path>, Vec<MutatingWebhook>>,
    /// The name of a webhook for each resource that was looked up.
    known: Mutex<HashMap<[String; 3], Option<Arc<str>>>>,
}

impl Webhooks {
    /// Sets the webhooks of a file. If they differ from the old ones, returns both the new and the old ones.
    pub(super) fn set(&mut self, path: &Arc<Path>, webhooks: Vec<MutatingWebhook>) -> Vec<MutatingWebhook> {
        let mut changed = self.by_file.remove(path).unwrap_or_default();
        let is_same = changed == webhooks;
        if !is_same {
            self.known.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
            changed.extend(webhooks.iter().cloned());
        }
        if !webhooks.is_empty() {
            self.by_file.insert(path.clone(), webhooks);
        }
        if is_same { Vec::new() } else { changed }
    }

    /// The name of the first webhook that covers a resource.
    pub(super) fn about(&self, resource: &Resource<'_>) -> Option<Arc<str>> {
        if self.by_file.is_empty() {
            return None;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = [resource.group, resource.version, resource.plural].map(str::to_owned);
        let find = || {
            let mut all = self.by_file.values().flatten();
            all.find(|it| it.covers(resource)).map(|it| it.name.as_str().into())
        };
        known.entry(key).or_insert_with(find).clone()
    }
}

/// A webhook that may change objects of some kinds on creation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MutatingWebhook {
    /// Its name.
    pub name: String,
    covers: Covers,
}

/// The objects that a webhook covers.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Covers {
    /// The objects that its rules select for creation.
    Rules(Vec<Rule>),
    /// The rules are not in the file, because the webhook's program writes them when it starts, as with Knative's library. In this case its
    /// name ends in the group.
    Named,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Rule {
    groups: Vec<String>,
    versions: Vec<String>,
    resources: Vec<String>,
}

/// The resource that an object is sent to.
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
    pub(super) fn all_of(text: &Arc<str>, objects: &[Object]) -> Vec<Self> {
        let configurations = objects.iter().filter(|it| Self::is_configured_by(it));
        let configurations: Vec<&Object> = configurations.collect();
        if configurations.is_empty() {
            return Vec::new();
        }
        let text = Text::whole(text.clone());
        configurations.into_iter().flat_map(|it| of_object(&text, it)).collect()
    }

    /// Whether the API server calls it when an object of the resource is created.
    pub fn covers(&self, resource: &Resource<'_>) -> bool {
        match &self.covers {
            Covers::Rules(rules) => rules.iter().any(|it| it.covers(resource)),
            Covers::Named => {
                let before = self.name.strip_suffix(resource.group);
                before.is_some_and(|it| it.ends_with('.'))
            }
        }
    }

    /// Whether the API server calls it for objects of a group.
    pub(super) fn covers_group(&self, group: &str) -> bool {
        match &self.covers {
            Covers::Rules(rules) => rules.iter().any(|it| it.groups.iter().any(|it| it == group)),
            Covers::Named => self.name.ends_with(group),
        }
    }
}

impl Rule {
    /// Whether the rule covers a resource. A rule for all groups does not count: it belongs to a policy engine or a mesh, not to the kind.
    fn covers(&self, resource: &Resource<'_>) -> bool {
        let has = |all: &[String], one: &str| all.iter().any(|it| it == one || it == ALL);
        let is_named = self.groups.iter().any(|it| it == resource.group);
        is_named
            && has(&self.versions, resource.version)
            && (has(&self.resources, resource.plural) || self.resources.iter().any(|it| it == "*/*"))
    }
}

fn of_object(text: &Text, object: &Object) -> Vec<MutatingWebhook> {
    // Read as much of a template as possible.
    let tree = text.read(object.document);
    let tree = tree.unwrap_or_else(|_| edit::read(&text.content, object.document.span).tree);
    in_tree(&tree, object.node(&tree)).unwrap_or_default()
}

fn in_tree(tree: &Tree, node: Option<NodeId>) -> Option<Vec<MutatingWebhook>> {
    let json = crd_analyzer_syntax::json::read_json_of(tree, node?).ok()?;
    let webhooks = json.root()?.get("webhooks")?.items()?;
    let webhook = |it: &Json<'_>| {
        let covers = match it.get("rules") {
            None => Covers::Named,
            Some(rules) => Covers::Rules(rules.items()?.iter().filter_map(rule).collect()),
        };
        Some(MutatingWebhook {
            name: it.get("name")?.as_str()?.to_owned(),
            covers,
        })
    };
    Some(webhooks.iter().filter_map(webhook).collect())
}

/// The rule, if it selects the creation of objects.
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
