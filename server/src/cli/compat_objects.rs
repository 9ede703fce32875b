//! Checks existing objects with a changed CRD (`compat --objects`, `compat --from-cluster`).

use std::{path::PathBuf, sync::Arc};

use crd_analyzer_cluster::{Prompts, Resource, list_objects};
use crd_analyzer_compat::{Subject, fate_of_known};
use crd_analyzer_io::{git, kustomize::Kustomizations};
use crd_analyzer_schema::unknown::Known;
use crd_analyzer_syntax::lines::LineIndex;
use crd_analyzer_workspace::{
    config::Config,
    documents::object_documents::{ObjectDocument, Wanted, object_documents},
};
use rayon::prelude::*;
use serde_json::Value;

use super::{
    UsageError,
    judge::{is_test_file, uses_of},
    manifests::{Settings, on_pool},
};
use crate::{
    input::{self, Collected, Input, Reading, Unreadable},
    output::compat::{JudgedObject, JudgedObjects, ObjectText},
};

/// Two CRDs with the same name. The second is `None` if the CRD was removed.
pub(super) type Pair<'c> = (&'c Subject, Option<&'c Subject>);

/// The objects to check.
pub(super) struct Asked<'a> {
    /// Files and folders.
    pub(super) paths: &'a [PathBuf],
    /// The kubeconfig context. An empty string means the current one.
    pub(super) cluster: Option<&'a str>,
    /// The old and the new version of `--old-version`: objects of the old version are treated as objects of the new version.
    pub(super) renamed: Option<(&'a str, &'a str)>,
    pub(super) settings: &'a Settings,
}

/// The kinds of the CRDs.
struct Kinds<'a>(&'a [Pair<'a>]);

impl Wanted for Kinds<'_> {
    fn has(&self, group: &str, kind: &str) -> bool {
        self.0.iter().any(|pair| pair.0.defines_kind(group, kind))
    }

    fn has_kind(&self, kind: &str) -> bool {
        self.0.iter().any(|pair| pair.0.kind() == kind)
    }
}

/// Checks all objects with the CRDs. The flag is set if any input could not be read.
pub(super) fn judge(asked: &Asked<'_>, pairs: &[Pair<'_>]) -> anyhow::Result<(JudgedObjects, bool)> {
    let Collected {
        mut inputs, unreadable, ..
    } = input::collect(asked.paths, &Reading::OF_CHECK)?;
    unreadable.iter().for_each(Unreadable::tell);
    let mut is_incomplete = !unreadable.is_empty();
    let mut configs = asked.settings.configs()?;
    configs.leave_out(&mut inputs)?;
    let mut judged = JudgedObjects::default();
    let kustomizations = Kustomizations::default();
    let judge = |it: &Input, config: &Config| Ok(of_file(it, asked, (config, &kustomizations), pairs));
    configs.each(&inputs, judge, |input, _, found| {
        match found {
            Ok(found) => {
                judged.objects.extend(found.objects);
                judged.templates += found.templates;
                is_incomplete |= !found.unread.is_empty();
                for why in found.unread {
                    input.unreadable(&anyhow::anyhow!(why)).tell();
                }
            }
            Err(error) if error.is::<UsageError>() => return Err(error),
            Err(error) => {
                input.unreadable(&error).tell();
                is_incomplete = true;
            }
        }
        Ok(())
    })?;
    if let Some(context) = asked.cluster {
        judged.objects.extend(of_cluster(context, pairs)?);
    }
    Ok((judged, is_incomplete))
}

/// The objects of a file.
#[derive(Default)]
struct OfFile {
    objects: Vec<JudgedObject>,
    /// See [`JudgedObjects::templates`].
    templates: usize,
    /// Why documents cannot be read.
    unread: Vec<String>,
}

fn of_file(
    input: &Input,
    asked: &Asked<'_>,
    (config, kustomizations): (&Config, &Kustomizations),
    pairs: &[Pair<'_>],
) -> anyhow::Result<OfFile> {
    let bytes = input::read(&input.source)?.unwrap_or_default();
    let path = input.place()?;
    if is_test_file(input, &bytes) {
        return Ok(OfFile::default());
    }
    let uses = uses_of(input, &path, config, kustomizations);
    let read = object_documents(bytes, (&path, uses), &Kinds(pairs));
    let mut lines = None;
    let mut found = OfFile {
        templates: read.templates,
        ..OfFile::default()
    };
    for document in read.objects {
        let lines = lines
            .get_or_insert_with(|| Arc::new(LineIndex::new(&read.text)))
            .clone();
        match document {
            Ok(document) => {
                let object = (&document.value, document.known());
                let judged = of_value(&input.label, object, asked.renamed, pairs);
                found
                    .objects
                    .extend(judged.map(|it| placed(it, &document, &read.text, lines)));
            }
            Err(unreadable) => {
                let (line, _) = lines.line_column(&read.text, unreadable.span.start);
                found.unread.push(format!("line {}: {}", line + 1, unreadable.why));
            }
        }
    }
    Ok(found)
}

fn placed(judged: JudgedObject, document: &ObjectDocument, text: &Arc<str>, lines: Arc<LineIndex>) -> JudgedObject {
    let happenings = judged.fate.as_deref().unwrap_or_default();
    let places = document.places(happenings.iter().map(|it| &it.place));
    JudgedObject {
        name: document.name.clone(),
        in_part: !document.known().is_all(),
        text: Some(ObjectText {
            text: text.clone(),
            lines,
            object: document.span(),
            places,
        }),
        ..judged
    }
}

fn of_value(
    label: &str,
    (value, known): (&Value, Known<'_>),
    renamed: Option<(&str, &str)>,
    pairs: &[Pair<'_>],
) -> Option<JudgedObject> {
    let fields = value.as_object()?;
    let (old, new) = pairs.iter().find(|it| it.0.defines(fields))?;
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let metadata = |name: &str| fields.get("metadata").and_then(|it| it.get(name));
    let api_version = text(fields.get("apiVersion"));
    let version = api_version.split_once('/').map_or("", |it| it.1).to_owned();
    let mut sent = value.clone();
    if let Some((_, now)) = renamed.filter(|it| it.0 == version) {
        sent["apiVersion"] = old.api_version(now).into();
    }
    Some(JudgedObject {
        label: label.to_owned(),
        kind: text(fields.get("kind")),
        name: text(metadata("name")),
        namespace: metadata("namespace").and_then(Value::as_str).map(str::to_owned),
        version,
        in_part: false,
        fate: fate_of_known(old, *new, (&sent, known)),
        text: None,
    })
}

/// The objects of a cluster. They are requested in their storage version if it is served.
fn of_cluster(context: &str, pairs: &[Pair<'_>]) -> anyhow::Result<Vec<JudgedObject>> {
    let resources = pairs.iter().filter_map(|(old, _)| {
        let served: Vec<&str> = old.served_versions().collect();
        let stored = old.storage_version().filter(|it| served.contains(it));
        let (group, plural) = old.resource();
        Some(Resource {
            group,
            version: stored.or_else(|| served.first().copied())?,
            plural,
        })
    });
    let resources: Vec<Resource<'_>> = resources.collect();
    let context = (!context.is_empty()).then_some(context);
    let workspace = std::env::current_dir().ok().and_then(|it| git::root_around(&it));
    let workspace: Vec<PathBuf> = workspace.into_iter().collect();
    let listing = list_objects(context, Prompts::Allowed, &workspace, &resources)?;
    let label = format!("cluster/{}", listing.context);
    let judged = on_pool(|| {
        let each = listing.objects.par_iter().filter_map(|sent| {
            let value: Value = serde_json::from_str(sent).ok()?;
            of_value(&label, (&value, Known::ALL), None, pairs)
        });
        each.collect::<Vec<_>>()
    });
    Ok(judged)
}
