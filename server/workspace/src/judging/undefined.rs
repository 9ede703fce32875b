//! Objects whose kind is unknown.

use std::{path::Path as FilePath, sync::Arc};

use crd_analyzer_apiextensions::decode::WrittenType;
use crd_analyzer_apiextensions::kind::{CRD, parse_group_version};
use crd_analyzer_diagnostic::{Change, Proposal, Proposed, Value};
use crd_analyzer_schema::field::Path;
use crd_analyzer_schema::go;
use crd_analyzer_syntax::tree::{NodeId, Tree};

use crate::{
    codes,
    config::versions::VersionSet,
    documents::spans,
    documents::text::Text,
    findings::finding::{Class, Finding, ServerSays, Severity},
    findings::report::{DocumentReport, DocumentVerdict, Subject},
    index::{Definitions, GroupKind, Object, groups, native},
    words::{self, meant::meant as meant_word},
};

/// The reason why an object of an unknown kind is an error.
pub(crate) enum Undefined {
    /// The object was sent together with the CRD of another kind.
    Elsewhere,
    /// The kind is probably a misspelling of this kind.
    Misspelt(Meant),
    /// The user requires all CRDs.
    Required,
    /// The object has no `apiVersion`.
    WithoutVersion,
    /// The object has no `kind`.
    WithoutKind,
    /// The `apiVersion` consists only of a group.
    OnlyGroup,
}

/// The kind that the author probably meant.
pub(crate) struct Meant {
    pub(crate) api_version: String,
    pub(crate) kind: String,
}

impl Meant {
    /// The key that has the wrong value, and the right value.
    pub(crate) fn correction(&self, written: &WrittenType) -> (&'static str, &str) {
        if self.kind == written.kind {
            ("apiVersion", &self.api_version)
        } else {
            ("kind", &self.kind)
        }
    }

    /// The fix that writes the right value. `None` if the key is missing.
    fn proposed(&self, written: &WrittenType) -> Option<Proposed> {
        let (key, right) = self.correction(written);
        let wrong = if key == "kind" {
            &written.kind
        } else {
            &written.api_version
        };
        let place = Path::root().child(key);
        let change = Change::Set(place.clone(), Value::text_of(right));
        let proposal = Proposal::new(format!("Change {wrong} to {right}"), change);
        // Nothing else has a name that is almost that of CRDs.
        let is_safe = self.kind == CRD.name && meant_word(wrong, [right]).is_some();
        (!wrong.is_empty()).then(|| Proposed {
            place,
            proposals: vec![Proposal { is_safe, ..proposal }],
        })
    }
}

/// The kinds in the API group of CRDs. Only the API server sends `ConversionReview` objects.
const KINDS: [&str; 3] = [CRD.name, CRD.list, "ConversionReview"];

/// The kind that the author of an object with an unknown kind in the file at `near` probably meant.
pub(crate) fn meant(
    written: &WrittenType,
    kind: &GroupKind,
    (definitions, near): (&dyn Definitions, &FilePath),
) -> Option<Meant> {
    let is_of_group = kind.group == CRD.group && !KINDS.contains(&&*kind.kind);
    if written.kind == CRD.name || is_of_group && !kind.kind.is_empty() {
        return Some(Meant {
            api_version: CRD.served().api_version.to_owned(),
            kind: CRD.name.to_owned(),
        });
    }
    let is_core = kind.group.is_empty();
    // A program may read an object without a name.
    let is_native = native::has(&kind.group, &kind.kind);
    if is_native == Some(true) || is_core && written.name.is_empty() || kind.kind.is_empty() {
        return None;
    }
    if let Some(own) = native::meant(&kind.group, &kind.kind) {
        return Some(Meant {
            api_version: written.api_version.clone(),
            kind: own.to_owned(),
        });
    }
    let known = definitions.meant(kind);
    // Kubernetes' own groups have no other kinds.
    let meant = known.or_else(|| definitions.elsewhere(kind).filter(|_| is_native.is_some()))?;
    with_version(meant, written, kind, (definitions, near))
}

/// The hint at an object of an unknown kind, if a CRD has the kind in a group that resembles the group of the object. That may also be another group
/// that no CRD here defines.
pub(crate) fn hint(
    (text, object, read): (&Text, &Object, Option<(&Tree, NodeId)>),
    kind: &GroupKind,
    (definitions, near): (&dyn Definitions, &FilePath),
) -> Option<Finding> {
    let known = definitions.elsewhere(kind)?;
    if kind.kind.is_empty() || !groups::resembles(&kind.group, &known.group) {
        return None;
    }
    let group = known.group.clone();
    let meant = with_version(known, &object.written, kind, (definitions, near))?;
    let place = value_of(text, object, read, "apiVersion");
    let mut finding = Finding::new(Class::Hint, codes::UNKNOWN_KIND, place, "");
    finding.severity = Severity::Hint;
    words::put(
        &mut finding,
        words::decode::resembling(&object.written, &group, &meant.api_version),
    );
    Some(finding)
}

/// The kind that was meant, in the version that was written. If its CRD does not have that version, in the newest one.
fn with_version(
    meant: GroupKind,
    written: &WrittenType,
    kind: &GroupKind,
    (definitions, near): (&dyn Definitions, &FilePath),
) -> Option<Meant> {
    let (_, version) = parse_group_version(&written.api_version).ok()?;
    let mut version = version.to_owned();
    let is_core = kind.group.is_empty();
    let crd = || definitions.find(&meant, near)?.definition.text(definitions.files());
    match (meant.group != kind.group).then(crd) {
        None => {}
        // The group is left out if the CRD has the version, or if the kind is exactly that of the CRD.
        Some(None) if is_core => return None,
        Some(None) => {}
        Some(Some(crd)) => {
            let versions = crd.versions();
            if !versions.iter().any(|it| **it == *version) {
                let is_it = !is_core || meant.kind == kind.kind && version == "v1";
                version.clone_from(versions.last().filter(|_| is_it)?);
            }
        }
    }
    Some(Meant {
        api_version: format!("{}/{version}", meant.group),
        kind: meant.kind,
    })
}

/// Whether the `apiVersion` of an object is only the name of a group, with dots and words. The core group has no name, and `v1` is its only version.
pub(crate) fn is_only_group(written: &WrittenType) -> bool {
    let is_word = |it: &str| {
        it.starts_with(|c: char| c.is_ascii_lowercase())
            && it
                .bytes()
                .all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-')
    };
    let labels: Vec<&str> = written.api_version.split('.').collect();
    let is_domain = labels.len() > 1 && labels.iter().all(|it| is_word(it));
    is_domain && !written.kind.is_empty() && !written.name.is_empty()
}

/// The answer of an API server that has no CRD for the object. `read` has the object's tree and node, if its document was parsed.
pub(crate) fn report(
    text: &Text,
    object: &Object,
    read: Option<(&Tree, NodeId)>,
    why: &Undefined,
    versions: VersionSet,
) -> DocumentReport {
    let subject = match why {
        Undefined::Misspelt(meant) if meant.kind == CRD.name => Subject::Definition,
        _ => Subject::Resource,
    };
    let mut report = DocumentReport::new(object, subject);
    let written = &object.written;
    let said = parse_group_version(&written.api_version).map_or_else(
        |error| error,
        |_| {
            let (kind, version) = (go::quote(&written.kind), go::quote(&written.api_version));
            format!("no matches for kind {kind} in version {version}")
        },
    );
    if let Some((tree, node)) = read {
        report.span = tree.span(node);
    }
    let place = wrong_key(text, object, read, why);
    let mut finding = Finding::new(Class::Error, codes::UNKNOWN_KIND, place, "");
    let told = match why {
        Undefined::Elsewhere => words::decode::no_definition(&written.api_version, &written.kind),
        Undefined::Misspelt(meant) => words::decode::misspelt(written, meant.correction(written)),
        Undefined::Required => words::decode::no_crd(&written.api_version, &written.kind),
        Undefined::WithoutVersion => words::decode::without_version(&written.kind),
        Undefined::OnlyGroup => words::decode::only_group(&written.api_version),
        Undefined::WithoutKind => words::decode::without_kind(&written.api_version),
    };
    words::put(&mut finding, told);
    if let Undefined::Misspelt(meant) = why {
        finding.proposed = meant.proposed(written).map(Arc::new);
    }
    finding.server = Some(ServerSays::Decode(said));
    let verdict = DocumentVerdict {
        decode_error: Some(finding),
        ..DocumentVerdict::default()
    };
    report.verdicts.extend(versions.iter().map(|it| (it, verdict.clone())));
    report
}

/// The span of the key with the wrong value. If it is missing, the first line of the object.
fn wrong_key(
    text: &Text,
    object: &Object,
    read: Option<(&Tree, NodeId)>,
    why: &Undefined,
) -> crd_analyzer_syntax::tree::Span {
    let key = match why {
        Undefined::Misspelt(meant) => meant.correction(&object.written).0,
        Undefined::WithoutVersion | Undefined::OnlyGroup => "apiVersion",
        _ => "kind",
    };
    value_of(text, object, read, key)
}

/// The span of the value of an object's key. If it is missing, the first line of the object.
pub(crate) fn value_of(
    text: &Text,
    object: &Object,
    read: Option<(&Tree, NodeId)>,
    key: &str,
) -> crd_analyzer_syntax::tree::Span {
    let own = read.is_none().then(|| text.read(object.document).ok()).flatten();
    let found = read.or_else(|| own.as_ref().and_then(|tree| Some((tree, tree.root()?))));
    let value = found.and_then(|(tree, node)| Some(tree.span(tree.get(node, key)?)));
    value.unwrap_or_else(|| {
        let whole = read.map_or(object.document.span, |(tree, node)| tree.span(node));
        spans::first_line(&text.content, whole)
    })
}
