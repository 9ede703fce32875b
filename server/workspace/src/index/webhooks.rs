//! Mutating admission webhooks that the repository configures. The API server calls them before it validates an object, so they may add fields that
//! the object lacks.

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

/// The mutating webhooks that the files configure, and a cache of lookups.
#[derive(Default)]
pub(super) struct Webhooks {
    by_file: BTreeMap<Arc<Path>, Vec<MutatingWebhook>>,
    /// The name of the webhook that covers a resource, for each resource that was looked up.
    known: Mutex<HashMap<[String; 3], Option<Arc<str>>>>,
}

impl Webhooks {
    /// Sets the webhooks of a file. If they have changed, returns the new and the old ones.
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

/// A webhook that may change objects of some kinds when they are created.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MutatingWebhook {
    /// The name of the webhook.
    pub name: String,
    covers: Covers,
}

/// The objects that a webhook covers.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Covers {
    /// The objects that these rules select when they are created.
    Rules(Vec<Rule>),
    /// The objects whose group is at the end of the webhook's name. The file has no rules, because the webhook's program writes them when it starts,
    /// as with Knative's library.
    Named,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Rule {
    groups: Vec<String>,
    versions: Vec<String>,
    resources: Vec<String>,
}

/// The resource to which an object is sent.
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

    /// Whether the API server calls the webhook when an object of the resource is created.
    pub fn covers(&self, resource: &Resource<'_>) -> bool {
        match &self.covers {
            Covers::Rules(rules) => rules.iter().any(|it| it.covers(resource)),
            Covers::Named => {
                let before = self.name.strip_suffix(resource.group);
                before.is_some_and(|it| it.ends_with('.'))
            }
        }
    }

    /// Whether the API server calls the webhook for any objects of a group.
    pub(super) fn covers_group(&self, group: &str) -> bool {
        match &self.covers {
            Covers::Rules(rules) => rules.iter().any(|it| it.groups.iter().any(|it| it == group)),
            Covers::Named => self.name.ends_with(group),
        }
    }
}

impl Rule {
    /// Whether the rule covers a resource. A rule for all groups is ignored, because it belongs to a policy engine or a service mesh and says nothing
    /// about this kind.
    fn covers(&self, resource: &Resource<'_>) -> bool {
        let has = |all: &[String], one: &str| all.iter().any(|it| it == one || it == ALL);
        let is_named = self.groups.iter().any(|it| it == resource.group);
        is_named
            && has(&self.versions, resource.version)
            && (has(&self.resources, resource.plural) || self.resources.iter().any(|it| it == "*/*"))
    }
}

fn of_object(text: &Text, object: &Object) -> Vec<MutatingWebhook> {
    // If the text is a template, read as much of it as possible.
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

/// The rule, if it applies when objects are created.
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
