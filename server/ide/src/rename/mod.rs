//! Renames a property or a variable at all its uses.

mod in_tests;
#[cfg(test)]
mod tests;
mod variable;

use std::collections::BTreeMap;

pub use in_tests::InTests;

use crd_analyzer_cel::types::escape;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::{NodeId, Span, Tree};
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    findings::finding::Class,
    index::GroupKind,
    judging::analysis::{MOST_FINDINGS, Question, Wants, analyze},
};

use crate::{
    file::{Document, File},
    fixes::{TextEdit, apply},
    property::{Form, Target, Use, UseKind, resource_uses, target_at, uses_in},
    schema::{self, SchemaStep, child, text},
    write,
};

/// A name that can be changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Renamable {
    /// The span of the name at the requested place.
    pub span: Span,
    /// The name.
    pub name: String,
}

/// The edits of a file that rename a name, and the resources that must change as well.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Renaming {
    /// The edits of the file, in the order of the text.
    pub edits: Vec<TextEdit>,
    /// The resources that have the property. `None` if the name is only used in this file.
    pub resources: Option<Resources>,
}

/// The resources that have a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resources {
    /// The property.
    target: Target,
    /// The kind of the resources.
    pub kind: GroupKind,
    /// The versions whose resources have the property.
    versions: Vec<String>,
}

/// The message at positions where no name can be changed.
const NOTHING: &str = "only properties of schemas and variables of expressions can be renamed";

/// The property or variable at an offset of an object. An error gives the reason why the name cannot be changed.
pub fn prepare(document: &Document<'_>, offset: u32, version: KubernetesVersion) -> Result<Renamable, String> {
    if let Some(found) = variable::at(document, offset, version) {
        return Ok(found.renamable());
    }
    let (target, span) = target_at(document, offset, version).ok_or(NOTHING)?;
    keeps_its_name(document, &target)?;
    Ok(Renamable {
        span,
        name: target.name,
    })
}

/// Fields that every resource has, whatever its schema. They cannot be renamed.
const FIXED: [&str; 3] = ["apiVersion", "kind", "metadata"];

fn keeps_its_name(document: &Document<'_>, target: &Target) -> Result<(), String> {
    let is_resource = target.object.is_empty() || is_embedded(document, &target.object);
    if is_resource && FIXED.contains(&target.name.as_str()) {
        return Err(format!("every resource has `{}`", target.name));
    }
    if let Some((SchemaStep::Property(last), above)) = target.object.split_last()
        && last == "metadata"
        && (above.is_empty() || is_embedded(document, above))
    {
        return Err(format!("every resource has `metadata.{}`", target.name));
    }
    Ok(())
}

fn is_embedded(document: &Document<'_>, object: &[SchemaStep]) -> bool {
    let tree = document.tree;
    let roots = schema::versions(document).into_iter().filter_map(|it| it.schema);
    let mut objects = roots.filter_map(|it| schema::follow(tree, it, object));
    objects.any(|it| schema::is_true(tree, it.schema, "x-kubernetes-embedded-resource"))
}

/// Renames the property at an offset of a CRD in all versions that have it, or a variable in all expressions that can use it. An error gives
/// the reason why that is impossible.
///
/// The result is checked for the Kubernetes `versions`, and must have no new errors.
pub fn rename(
    document: &Document<'_>,
    offset: u32,
    new_name: &str,
    version: KubernetesVersion,
    versions: VersionSet,
) -> Result<Renaming, String> {
    let renaming = unjudged(document, offset, new_name, version)?;
    is_accepted(document.file().text(), &renaming.edits, versions)?;
    Ok(renaming)
}

/// Checks that a file has no new errors after edits of names.
pub(crate) fn is_accepted(text: &str, edits: &[TextEdit], versions: VersionSet) -> Result<(), String> {
    let edited = apply(text, edits).ok_or("the places of the name overlap")?;
    let question = Question {
        wants: Wants {
            most_findings: MOST_FINDINGS,
            effective: false,
            ..Wants::default()
        },
        ..Question::new(versions)
    };
    let findings = |text: &str| {
        let report = analyze(text.as_bytes().to_vec(), &question);
        let mut counts: BTreeMap<&'static str, (usize, String)> = BTreeMap::new();
        for (_, verdict) in report.documents.iter().flat_map(|it| &it.verdicts) {
            for finding in verdict.findings().filter(|it| it.class != Class::Hint) {
                let count = counts
                    .entry(finding.code)
                    .or_insert_with(|| (0, finding.headline.clone()));
                count.0 += 1;
            }
        }
        counts
    };
    let before = findings(text);
    let after = findings(&edited);
    for (code, (count, message)) in after {
        if before.get(code).is_none_or(|it| it.0 < count) {
            return Err(format!("then the API server would reject the object: {message}"));
        }
    }
    Ok(())
}

/// The property whose name is at an offset. `None` if a variable is there.
pub(crate) fn property_at(document: &Document<'_>, offset: u32, version: KubernetesVersion) -> Option<Target> {
    if variable::at(document, offset, version).is_some() {
        return None;
    }
    Some(target_at(document, offset, version)?.0)
}

/// The edits for a new name, without checking the result.
pub(crate) fn unjudged(
    document: &Document<'_>,
    offset: u32,
    new_name: &str,
    version: KubernetesVersion,
) -> Result<Renaming, String> {
    if let Some(found) = variable::at(document, offset, version) {
        let edits = found.edits(document, new_name, version)?;
        return Ok(Renaming { edits, resources: None });
    }
    let (target, _) = target_at(document, offset, version).ok_or(NOTHING)?;
    edits_for(document, target, new_name, version)
}

/// The edits that rename a property in a CRD.
fn edits_for(
    document: &Document<'_>,
    target: Target,
    new_name: &str,
    version: KubernetesVersion,
) -> Result<Renaming, String> {
    let EditedUses { edits, resources } = edits_in(document, target, new_name, version, &|_| true)?;
    let mut edits: Vec<TextEdit> = edits.into_iter().map(|it| it.1).collect();
    edits.sort_by_key(|it| it.span.start);
    edits.dedup();
    Ok(Renaming { edits, resources })
}

/// The edits that rename a property in a CRD.
pub(crate) struct EditedUses {
    /// The edits, each with the kind of the use.
    pub(crate) edits: Vec<(UseKind, TextEdit)>,
    /// The resources that have the property.
    pub(crate) resources: Option<Resources>,
}

/// The edits that rename a property in those versions of a CRD whose name `is_wanted` accepts.
pub(crate) fn edits_in(
    document: &Document<'_>,
    target: Target,
    new_name: &str,
    version: KubernetesVersion,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<EditedUses, String> {
    let tree = document.tree;
    keeps_its_name(document, &target)?;
    if new_name.is_empty() || new_name.contains(|c: char| c.is_control()) {
        return Err("a name is a line of text".to_owned());
    }
    let is_resource = target.object.is_empty() || is_embedded(document, &target.object);
    if is_resource && FIXED.contains(&new_name) {
        return Err(format!("every resource has `{new_name}` already"));
    }
    let other = Target {
        object: target.object.clone(),
        name: new_name.to_owned(),
    };
    let taken = uses_in(document, &other, version, is_wanted);
    if taken.all.iter().any(|it| it.kind == UseKind::Declaration) {
        return Err(format!("there is a property `{new_name}` already"));
    }
    let found = uses_in(document, &target, version, is_wanted);
    if !found.is_complete {
        return Err(format!(
            "too many rules may read `{}` to check each of them",
            target.name
        ));
    }
    let edited = found
        .all
        .iter()
        .map(|it| Ok::<_, String>((it.kind, edit(tree, it, new_name)?)));
    let edits: Vec<(UseKind, TextEdit)> = edited.collect::<Result<_, _>>()?;
    let mut steps = target.object.clone();
    steps.push(SchemaStep::Property(target.name.clone()));
    let versions = schema::versions(document).into_iter().filter(|it| {
        let property = it.schema.and_then(|root| schema::follow(tree, root, &steps));
        property.is_some() && is_wanted(&it.name)
    });
    let versions = versions.map(|it| it.name.into_owned()).collect();
    let resources = defined(document).map(|kind| Resources { target, kind, versions });
    Ok(EditedUses { edits, resources })
}

/// The kind that a CRD defines.
pub(crate) fn defined(document: &Document<'_>) -> Option<GroupKind> {
    let tree = document.tree;
    let spec = child(tree, document.root?, "spec")?;
    Some(GroupKind {
        group: text(tree, spec, "group")?.into_owned(),
        kind: text(tree, child(tree, spec, "names")?, "kind")?.into_owned(),
    })
}

/// The edit of one use.
fn edit(tree: &Tree, one: &Use, new_name: &str) -> Result<TextEdit, String> {
    let place = || one.kind.describe();
    let span = one.span(tree);
    let is_simple = new_name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let new_text = match one.form {
        Form::Name => {
            return Ok(TextEdit {
                span: tree.span(one.scalar),
                new_text: write::whole(tree, one.scalar, new_name)
                    .ok_or_else(|| format!("the name cannot be written in a {}", place()))?,
            });
        }
        Form::Cel => {
            let written = &tree.scalar(one.scalar)[one.bytes.clone()];
            if written.starts_with('`') {
                format!("`{new_name}`")
            } else {
                let escaped = escape(new_name);
                escaped
                    .ok_or_else(|| format!("rules read the property, and cannot name `{new_name}`"))?
                    .into_owned()
            }
        }
        Form::Path if is_simple => new_name.to_owned(),
        Form::Path if one.kind == UseKind::Column => new_name.replace('\\', "\\\\").replace('.', "\\."),
        Form::QuotedPath(quote) if !new_name.contains([quote, '\\']) => new_name.to_owned(),
        Form::Path | Form::QuotedPath(_) => return Err(format!("`{new_name}` cannot be written in a {}", place())),
    };
    let new_text = write::piece(tree, one.scalar, &new_text);
    Ok(TextEdit {
        span,
        new_text: new_text.ok_or_else(|| format!("the name cannot be written in a {}", place()))?,
    })
}

impl Resources {
    /// The name of the property.
    pub fn name(&self) -> &str {
        &self.target.name
    }

    /// Whether an object is a resource that may have the property.
    fn concerns(&self, tree: &Tree, object: NodeId) -> bool {
        let kind = &self.kind;
        let says = |key| text(tree, object, key);
        let version = says("apiVersion");
        let version = version
            .as_deref()
            .and_then(|it| it.strip_prefix(kind.group.as_str())?.strip_prefix('/'));
        says("kind").as_deref() == Some(kind.kind.as_str())
            && version.is_some_and(|it| self.versions.iter().any(|own| own == it))
    }

    /// The edits of a resource. `Err` if it already has a field with the new name.
    fn of_resource(&self, tree: &Tree, resource: NodeId, new_name: &str) -> Result<Vec<TextEdit>, String> {
        let other = Target {
            name: new_name.to_owned(),
            ..self.target.clone()
        };
        if !resource_uses(tree, resource, &other).is_empty() {
            return Err(format!("a resource has `{new_name}` already"));
        }
        let found = resource_uses(tree, resource, &self.target);
        let mut edits = found
            .iter()
            .map(|it| edit(tree, it, new_name))
            .collect::<Result<Vec<_>, _>>()?;
        edits.sort_by_key(|it| it.span.start);
        edits.dedup();
        Ok(edits)
    }

    /// The edits of all resources in a file.
    ///
    /// # Errors
    /// If a resource already has a field with the new name, or if the name cannot be written there.
    pub fn of_file(&self, file: &File, new_name: &str) -> Result<Vec<TextEdit>, String> {
        let mut edits = Vec::new();
        for document in file.objects() {
            let object = document.root.filter(|it| self.concerns(document.tree, *it));
            if let Some(object) = object {
                edits.extend(self.of_resource(document.tree, object, new_name)?);
            }
        }
        Ok(edits)
    }
}
