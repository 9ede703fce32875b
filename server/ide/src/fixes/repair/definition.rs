//! Quick fixes for names, versions and paths of a CRD.

use std::collections::HashSet;

use crd_analyzer_apiextensions::types::next_version_name;
use crd_analyzer_syntax::tree::NodeId;
use crd_analyzer_workspace::judging::plural;

use super::{
    super::edits::{Value, add_item, set_bool, set_scalar},
    At, Repair, values,
};
use crate::{
    hover::compare_versions,
    schema::{self, child, text},
};

/// The mapping at a path from the root.
fn find(at: &At<'_>, keys: &[&str]) -> Option<NodeId> {
    keys.iter()
        .try_fold(at.document.root?, |node, key| child(at.tree, node, key))
}

/// Makes exactly one version the storage version.
pub(super) fn storage(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let mut versions = schema::versions(at.document);
    versions.sort_by(|a, b| compare_versions(&a.name, &b.name));
    let is_stored = |item: NodeId| schema::is_true(tree, tree.resolve(item), "storage");
    let marked: Vec<_> = versions
        .iter()
        .filter(|it| is_stored(it.item))
        .map(|it| it.item)
        .collect();
    let candidates = versions
        .iter()
        .filter(|it| marked.is_empty() || marked.contains(&it.item));
    let mut seen = HashSet::new();
    // If several versions have the same name, use the first one.
    let candidates = candidates.filter(|it| seen.insert(&*it.name));
    for chosen in candidates.take(3) {
        let mut edits = Vec::new();
        for version in &versions {
            let item = tree.resolve(version.item);
            let wanted = version.item == chosen.item;
            let edit = match child(tree, item, "storage") {
                Some(_) if is_stored(item) == wanted => continue,
                Some(value) => set_bool(tree, value, wanted),
                None if !wanted => continue,
                None => at.insert(item, "storage", &Value::Bool(true)),
            };
            let Some(edit) = edit else { return };
            edits.push(edit);
        }
        if !edits.is_empty() {
            let is_alone = versions.iter().filter(|it| it.name == chosen.name).count() == 1;
            let which = if is_alone { "" } else { "the first " };
            found.push(Repair::new(
                format!("Mark only {which}{} as storage", chosen.name),
                edits,
            ));
        }
    }
}

/// If two versions have the same name, renames the second to the next version name.
pub(super) fn version_name(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let versions = schema::versions(at.document);
    let mut seen = HashSet::new();
    let Some(twice) = versions.iter().find(|it| !seen.insert(&*it.name)) else {
        return;
    };
    let next = next_version_name(versions.iter().map(|it| &*it.name));
    let written = tree.entry(tree.resolve(twice.item), "name");
    let edit = written.and_then(|it| set_scalar(tree, it.value, &next));
    found.extend(Repair::one(format!("Rename the second {} to {next}", twice.name), edit));
}

/// Sets `metadata.name` to the plural name, a dot and the group.
pub(super) fn name(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let plural = find(at, &["spec", "names", "plural"]).map(|it| tree.scalar(it));
    let group = find(at, &["spec", "group"]).map(|it| tree.scalar(it));
    let Some((plural, group)) = plural
        .zip(group)
        .filter(|(plural, group)| !plural.is_empty() && !group.is_empty())
    else {
        return;
    };
    let kind = find(at, &["spec", "names", "kind"]).map(|it| tree.scalar(it));
    let own = find(at, &["metadata", "name"]).map(|it| tree.scalar(it));
    if let Some((own, kind)) = own.zip(kind)
        && let Some(meant) = plural::meant(&own, (&group, &kind, &plural))
    {
        let edit = find(at, &["spec", "names", "plural"]).and_then(|it| set_scalar(tree, it, meant));
        found.extend(Repair::one(format!("Change plural to {meant}"), edit).map(Repair::safe));
        return;
    }
    let name = format!("{plural}.{group}");
    let edit = match find(at, &["metadata", "name"]) {
        Some(written) => set_scalar(tree, written, &name),
        None => match find(at, &["metadata"]) {
            Some(metadata) => at.insert(metadata, "name", &Value::text_of(&name)),
            None => at.document.root.and_then(|root| {
                at.insert(
                    root,
                    "metadata",
                    &Value::Map(vec![("name".to_owned(), Value::text_of(&name))]),
                )
            }),
        },
    };
    found.extend(Repair::one(format!("Name it {name}"), edit).map(Repair::safe));
}

/// Adds the review version `v1`, because the API server sends this version.
pub(super) fn review_versions(at: &At<'_>, found: &mut Vec<Repair>) {
    let Some(webhook) = find(at, &["spec", "conversion", "webhook"]) else {
        return;
    };
    let key = "conversionReviewVersions";
    let edit = match child(at.tree, webhook, key) {
        Some(list) => add_item(at.tree, list, "v1"),
        None => at.insert(webhook, key, &Value::List(vec!["v1".to_owned()])),
    };
    found.extend(Repair::one("Add v1 to conversionReviewVersions", edit));
}

/// Sets the conversion strategy to `None`. Conversion without a webhook only changes `apiVersion`.
pub(super) fn no_conversion(at: &At<'_>, found: &mut Vec<Repair>) {
    let strategy = find(at, &["spec", "conversion", "strategy"]);
    let edit = strategy.and_then(|it| set_scalar(at.tree, it, "None"));
    found.extend(Repair::one("Set strategy: None", edit));
}

/// Sets the group from the CRD's name.
pub(super) fn group(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let text_at = |keys: &[&str]| find(at, keys).map(|it| tree.scalar(it));
    let (Some(own), Some(plural)) = (text_at(&["metadata", "name"]), text_at(&["spec", "names", "plural"])) else {
        return;
    };
    let group = own.strip_prefix(&*plural).and_then(|it| it.strip_prefix('.'));
    let Some((group, spec)) = group.zip(find(at, &["spec"])) else {
        return;
    };
    let edit = match child(tree, spec, "group").filter(|it| !tree.is_absent(*it)) {
        Some(written) => set_scalar(tree, written, group),
        None => at.insert(spec, "group", &Value::text_of(group)),
    };
    found.extend(Repair::one(format!("Set group: {group}"), edit).map(Repair::safe));
}

/// Adds the annotation that CRDs in Kubernetes' own groups need, with a value that says that the API is not approved.
pub(super) fn approval(at: &At<'_>, found: &mut Vec<Repair>) {
    const KEY: &str = "api-approved.kubernetes.io";
    const VALUE: &str = "unapproved, experimental-only";
    let tree = at.tree;
    let Some(metadata) = find(at, &["metadata"]) else {
        return;
    };
    let written = Value::Map(vec![(KEY.to_owned(), Value::text_of(VALUE))]);
    let edit = match child(tree, metadata, "annotations") {
        Some(annotations) => match tree.entry(annotations, KEY) {
            Some(entry) => set_scalar(tree, entry.value, VALUE),
            None => at.insert(annotations, KEY, &Value::text_of(VALUE)),
        },
        None => at.insert(metadata, "annotations", &written),
    };
    found.extend(Repair::one(format!("Set it to {VALUE}"), edit));
}

/// Sets the path for replicas to the usual one.
pub(super) fn scale_path(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let around = std::iter::once(at.node).chain(tree.ancestors(at.node));
    let scale = around.into_iter().find(|it| {
        let entry = tree.entry_of(*it);
        entry.is_some_and(|entry| entry.value == *it && tree.scalar(entry.key) == "scale")
    });
    let Some(scale) = scale else { return };
    for (key, path) in [
        ("specReplicasPath", ".spec.replicas"),
        ("statusReplicasPath", ".status.replicas"),
    ] {
        let edit = match child(tree, scale, key).filter(|it| !tree.is_absent(*it)) {
            Some(written) if tree.scalar(written).is_empty() => set_scalar(tree, written, path),
            Some(_) => continue,
            None => at.insert(scale, key, &Value::text_of(path)),
        };
        found.extend(Repair::one(format!("Set {key}: {path}"), edit));
    }
}

pub(super) fn list_kind(at: &At<'_>, found: &mut Vec<Repair>) {
    let kind = find(at, &["spec", "names", "kind"]).map(|it| at.tree.scalar(it));
    let Some((kind, written)) = kind.zip(find(at, &["spec", "names", "listKind"])) else {
        return;
    };
    let name = format!("{kind}List");
    let edit = set_scalar(at.tree, written, &name);
    found.extend(Repair::one(format!("Set listKind: {name}"), edit).map(Repair::safe));
}

/// Changes names to lower case.
pub(super) fn lower(at: &At<'_>, found: &mut Vec<Repair>) {
    if !at.tree.is_scalar(at.node) {
        return;
    }
    let written = at.tree.scalar(at.node);
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let name: String = written.to_ascii_lowercase().chars().filter(|c| fits(*c)).collect();
    if name.is_empty() || name == *written {
        return;
    }
    let mut edits: Vec<_> = set_scalar(at.tree, at.node, &name).into_iter().collect();
    // The CRD's own name starts with the plural name, so it changes as well.
    let is_plural = at.entry.is_some_and(|it| at.tree.scalar(it.key) == "plural");
    if is_plural
        && let Some(own) = find(at, &["metadata", "name"])
        && let Some(group) = find(at, &["spec", "group"])
    {
        let wanted = format!("{name}.{}", at.tree.scalar(group));
        if at.tree.scalar(own) != wanted {
            edits.extend(set_scalar(at.tree, own, &wanted));
        }
    }
    let repair = Repair::new(format!("Change {written} to {name}"), edits);
    // The fix is safe only if it just changes the case and does not remove letters.
    let is_case = name == written.to_ascii_lowercase();
    found.push(if is_case { repair.safe() } else { repair });
}

/// Sets the scope. If it is missing, offers both values. If it is misspelt, offers the similar one.
pub(super) fn scope(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let Some(spec) = find(at, &["spec"]) else { return };
    if child(tree, spec, "scope").is_some() {
        super::wording::known_value(at, found);
        return;
    }
    for scope in ["Namespaced", "Cluster"] {
        let edit = at.insert(spec, "scope", &Value::text_of(scope));
        found.extend(Repair::one(format!("Add scope: {scope}"), edit));
    }
}

/// The singular form of a plural name in ASCII, according to its ending.
fn singular_of(plural: &str) -> String {
    if !plural.is_ascii() {
        return String::new();
    }
    match plural.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => plural.strip_suffix('s').unwrap_or(plural).to_owned(),
    }
}

/// Adds missing names that can be derived from others: the kind from the plural or singular name, and the plural name from the CRD's name.
pub(super) fn missing_names(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let Some(names) = find(at, &["spec", "names"]) else {
        return;
    };
    let own = find(at, &["metadata", "name"]).map(|it| tree.scalar(it).into_owned());
    let group = find(at, &["spec", "group"]).map(|it| tree.scalar(it).into_owned());
    let is_missing = |key: &str| text(tree, names, key).is_none_or(|it| it.is_empty());
    if is_missing("kind")
        && let Some(singular) = text(tree, names, "singular")
            .or_else(|| text(tree, names, "plural"))
            .map(|it| singular_of(&it))
            .filter(|it| !it.is_empty())
    {
        let kind: String = singular[..1].to_ascii_uppercase() + &singular[1..];
        let edit = match child(tree, names, "kind").filter(|it| !tree.is_absent(*it)) {
            Some(written) => set_scalar(tree, written, &kind),
            None => at.insert(names, "kind", &Value::text_of(kind.as_str())),
        };
        found.extend(Repair::one(format!("Add kind: {kind}"), edit));
    }
    if is_missing("plural")
        && let Some(plural) = own
            .zip(group)
            .and_then(|(own, group)| Some(own.strip_suffix(&group)?.strip_suffix('.')?.to_owned()))
    {
        let edit = match child(tree, names, "plural").filter(|it| !tree.is_absent(*it)) {
            Some(written) => set_scalar(tree, written, &plural),
            None => at.insert(names, "plural", &Value::text_of(&plural)),
        };
        found.extend(Repair::one(format!("Add plural: {plural}"), edit).map(Repair::safe));
    }
}

pub(super) fn missing_schema(at: &At<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let around = std::iter::once(at.node).chain(tree.ancestors(at.node));
    let versions: Vec<_> = schema::versions(at.document)
        .iter()
        .map(|it| tree.resolve(it.item))
        .collect();
    let near = around.into_iter().find(|it| versions.contains(it));
    let anything = || {
        Value::Map(vec![
            ("type".to_owned(), Value::text_of("object")),
            ("x-kubernetes-preserve-unknown-fields".to_owned(), Value::Bool(true)),
        ])
    };
    for version in near.into_iter().chain(versions.iter().copied()).take(4) {
        let edit = match child(tree, version, "schema") {
            None => at.insert(
                version,
                "schema",
                &Value::Map(vec![("openAPIV3Schema".to_owned(), anything())]),
            ),
            Some(schema) if child(tree, schema, "openAPIV3Schema").is_none() => {
                at.insert(schema, "openAPIV3Schema", &anything())
            }
            Some(_) => continue,
        };
        found.extend(Repair::one("Add a schema that allows anything", edit));
    }
    found.dedup();
}

pub(super) fn deprecated(at: &At<'_>, found: &mut Vec<Repair>) {
    let Some(version) = at.mapping() else { return };
    let edit = match child(at.tree, version, "deprecated") {
        Some(written) => set_bool(at.tree, written, true),
        None => at.insert(version, "deprecated", &Value::Bool(true)),
    };
    found.extend(Repair::one("Mark the version as deprecated", edit));
    found.extend(super::remove_at(at));
}

pub(super) fn webhook(at: &At<'_>, found: &mut Vec<Repair>) {
    let Some(conversion) = find(at, &["spec", "conversion"]) else {
        return;
    };
    let edit = match child(at.tree, conversion, "strategy") {
        Some(written) => set_scalar(at.tree, written, "Webhook"),
        None => at.insert(conversion, "strategy", &Value::text_of("Webhook")),
    };
    found.extend(Repair::one("Set strategy: Webhook", edit));
    found.extend(Repair::one("Remove webhook", at.remove(conversion, "webhook")));
}

/// Adds the dot that must be at the start of a path.
pub(super) fn json_path(at: &At<'_>, found: &mut Vec<Repair>) {
    if let Some((path, edit)) = values::dotted(at.tree, at.node) {
        found.push(Repair::new(format!("Change it to {path}"), vec![edit]).safe());
    }
}
