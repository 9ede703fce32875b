//! Documents that are neither CRDs nor resources of known CRDs: finds out which of them are mistakes, and why the others are not checked.

use std::path::Path;

use crd_analyzer_apiextensions::{
    decode::WrittenType,
    kind::{CRD, parse_group_version},
};
use crd_analyzer_syntax::{
    reader::ReadError,
    split::Document,
    tree::{CollectionStyle, NodeId, NodeKind, Span, Tree},
};

use crate::{
    documents::text::Text,
    index::{GroupKind, group_kind, native},
    judging::{other_tools, unfinished::line_at},
};

/// The name of the file that defines a Helm chart. It has an `apiVersion` but is not a manifest.
pub(crate) const CHART: &str = "Chart.yaml";

/// The reason why a document is not checked, other than an unknown CRD.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Unchecked {
    /// The document is an object of this built-in kind.
    BuiltIn(String),
    /// The document cannot be parsed and does not look like a manifest.
    NotYaml,
    /// The document has only one of `apiVersion` and `kind`, and does not look like a manifest.
    HalfTyped,
    /// The document has neither `apiVersion` nor `kind`, or a program reads it as a file.
    NoObject,
    /// The document is an object of this kind in a test that expects the API server to reject it.
    Rejected(String),
    /// The document is a template, which is not valid YAML until a tool fills it in.
    Template,
}

/// The starts of actions in templates: Go and Jinja use the first, Jinja the second, ERB and EJS the third.
const ACTIONS: [&str; 3] = ["{{", "{%", "<%"];

/// The starts of the lines around the two sides of a merge conflict.
const CONFLICT: [&str; 3] = ["<<<<<<< ", "=======", ">>>>>>> "];

/// The starts of variables that a shell or Flux substitutes.
const VARIABLES: [&str; 2] = ["${", "$("];

/// Whether a tool fills in a document that cannot be parsed. This is so if it has an action, or if the line with the error has a variable.
pub(crate) fn is_template(text: &str, document: Span, error: &ReadError) -> bool {
    has_action(&text[document.range()]) || is_line_filled_in(text, error)
}

/// Like [`is_template`], for a file that Helm reads as it is. Actions in its comments and strings are for Helm.
pub(crate) fn is_template_for_helm(text: &str, document: Span, error: &ReadError) -> bool {
    let is_filled_in = |line: &str| {
        let action = ACTIONS.iter().filter_map(|it| line.find(it)).min();
        action.is_some_and(|it| !line[..it].contains(['#', '"', '\'']))
    };
    text[document.range()].lines().any(is_filled_in) || is_line_filled_in(text, error)
}

/// Whether the line with an error has something that a tool replaces.
fn is_line_filled_in(text: &str, error: &ReadError) -> bool {
    let line = line_of(text, error);
    VARIABLES.iter().any(|it| line.contains(it)) || has_placeholder(line)
}

/// Whether a file is JSON with comments, which only editors and build tools read as their settings.
pub(crate) fn is_json_with_comments(path: &Path, text: &str) -> bool {
    path.extension().is_some_and(|it| it == "json") && text.lines().any(|it| it.trim_start().starts_with("//"))
}

/// Whether a text has an action of a template.
pub(crate) fn has_action(text: &str) -> bool {
    ACTIONS.iter().any(|it| text.contains(it))
}

/// Whether a document cannot be parsed because of a placeholder.
pub(crate) fn is_placeholder(text: &str, error: &ReadError) -> bool {
    has_placeholder(line_of(text, error))
}

/// The line with an error.
fn line_of<'t>(text: &'t str, error: &ReadError) -> &'t str {
    &text[line_at(text, error.span.start as usize)]
}

/// The span of the line with an error, without the blanks around it.
pub(crate) fn line_span(text: &str, error: &ReadError) -> Span {
    let range = line_at(text, error.span.start as usize);
    let line = &text[range.clone()];
    let start = range.end - line.trim_start().len();
    Span::new(start as u32, (start + line.trim().len()) as u32)
}

/// Whether a line has a placeholder that scripts replace. It is a name in capital letters and braces, such as `{NAME}`, a name between two characters
/// that cannot start a YAML value, such as `@name@`, `%name%` or `%%%`, or a line that consists of a name such as `<ISSUER_ANNOTATION>`.
fn has_placeholder(line: &str) -> bool {
    let value = line.rsplit_once(": ").or_else(|| line.rsplit_once("- "));
    let value = value.map_or("", |it| it.1.trim());
    let is_token = |it: &str| {
        let is_of_name = |it: u8| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_';
        it.contains('_') && it.bytes().all(is_of_name)
    };
    let whole = line.trim().strip_prefix('<').and_then(|it| it.strip_suffix('>'));
    let is_marked = whole.is_some_and(is_token)
        || ['@', '%'].into_iter().any(|mark| {
            let inside = value.strip_prefix(mark).and_then(|it| it.strip_suffix(mark));
            let is_of_name = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it) || it == mark;
            inside.is_some_and(|it| !it.is_empty() && it.chars().all(is_of_name))
        });
    is_marked
        || line.split('{').skip(1).any(|it| {
            let name = it.split_once('}').map_or("", |it| it.0);
            !name.is_empty() && name.bytes().all(|it| it.is_ascii_uppercase() || it == b'_')
        })
}

/// Whether a document that cannot be parsed is probably a manifest, judging by its outermost keys.
pub(crate) fn shows_manifest(text: &str) -> bool {
    // In JSON, the lines with the outermost keys are indented.
    let is_json = text.trim_start().starts_with('{');
    let has = |key: &str| {
        text.lines().any(|line| {
            let line = line.strip_prefix('\u{FEFF}').unwrap_or(line);
            let line = if is_json {
                line.trim_start_matches([' ', '\t', '{', ','])
            } else {
                line
            };
            let line = line.strip_prefix('"').unwrap_or(line);
            let rest = line.strip_prefix(key).map(|it| it.strip_prefix('"').unwrap_or(it));
            rest.is_some_and(|it| it.trim_start().starts_with(':'))
        })
    };
    let (version, kind) = (has("apiVersion"), has("kind"));
    version && kind || (version || kind) && has("metadata")
}

/// The span of the first line of a merge conflict in a document.
pub(crate) fn conflict(text: &str, document: Span) -> Option<Span> {
    let mut start = document.start as usize;
    for line in text[document.range()].split_inclusive('\n') {
        let written = line.trim_end();
        if CONFLICT.iter().any(|it| line.starts_with(it)) && (written != CONFLICT[1] || text.contains(CONFLICT[0])) {
            return Some(Span::new(start as u32, (start + written.len()) as u32));
        }
        start += line.len();
    }
    None
}

/// The outermost fields of objects of the core group.
const OF_CORE: [&str; 14] = [
    "apiVersion",
    "automountServiceAccountToken",
    "binaryData",
    "data",
    "imagePullSecrets",
    "immutable",
    "items",
    "metadata",
    "secrets",
    "spec",
    "status",
    "stringData",
    "subsets",
    "type",
];

/// Whether an object has only one of `apiVersion` and `kind` but is probably a manifest, because it has a name. Configuration files of programs may
/// have a version such as `v1` and a name, too: OpenShift's `install-config.yaml` has both.
pub(crate) fn is_half_an_object((tree, node): (&Tree, NodeId), written: &WrittenType) -> bool {
    if written.kind.is_empty() {
        let group = parse_group_version(&written.api_version).map_or_else(|_| String::new(), |it| it.0.to_owned());
        let is_of_core = group.is_empty();
        let kind = GroupKind {
            group,
            kind: String::new(),
        };
        if other_tools::is_file(&kind) || is_of_core && !has_only((tree, node), &OF_CORE) {
            return false;
        }
    }
    let is_name = |name: &str| {
        let metadata = tree.get(node, "metadata")?;
        Some(tree.is_scalar(tree.get(metadata, name)?))
    };
    is_half_typed(written) && ["name", "generateName"].iter().any(|it| is_name(it) == Some(true))
}

/// Whether a document without `apiVersion` is JSON. People write manifests as YAML, but programs store their own objects as JSON: Perses has a
/// `Dashboard` with `metadata.name`.
pub(crate) fn is_json_without_version(tree: &Tree, written: &WrittenType) -> bool {
    let is_json = |it| tree.kind(it) == NodeKind::Mapping(CollectionStyle::Flow);
    written.api_version.is_empty() && tree.root().is_some_and(is_json)
}

/// Whether a mapping has no other keys.
fn has_only((tree, node): (&Tree, NodeId), keys: &[&str]) -> bool {
    tree.entries(node).all(|it| keys.contains(&&*tree.scalar(it.key)))
}

/// Fields that only the `spec` of a CRD has.
const OF_CRDS: [&str; 4] = ["group", "names", "scope", "versions"];

/// Whether a document without a kind may be a CRD.
pub(crate) fn may_be_crd(tree: &Tree, written: &WrittenType) -> bool {
    let spec = tree.root().and_then(|it| tree.get(tree.resolve(it), "spec"));
    let fields = spec.map_or(0, |spec| {
        let spec = tree.resolve(spec);
        OF_CRDS.iter().filter(|it| tree.get(spec, it).is_some()).count()
    });
    fields > 1 || parse_group_version(&written.api_version).is_ok_and(|it| it.0 == CRD.group)
}

fn is_half_typed(written: &WrittenType) -> bool {
    written.kind.is_empty() != written.api_version.is_empty()
}

/// Whether a text contains only comments.
pub(crate) fn is_blank(text: &Text) -> bool {
    let found = text.documents();
    let is_blank = |it: &Document| text.read(*it).is_ok_and(|tree| is_empty(&tree));
    found.error.is_none() && found.documents.iter().all(is_blank)
}

fn is_empty(tree: &Tree) -> bool {
    let is_empty = |root| tree.is_scalar(root) && tree.scalar(root).is_empty();
    tree.root().is_none_or(|it| is_empty(tree.resolve(it)))
}

/// The reason why a document that can be parsed is not checked. `None` if it is empty, or if another diagnostic is about its kind.
pub(crate) fn reason(tree: &Tree, written: &WrittenType) -> Option<Unchecked> {
    if is_empty(tree) {
        return None;
    }
    let root = tree.resolve(tree.root()?);
    if matches!(tree.kind(root), NodeKind::Mapping(_)) && is_half_typed(written) {
        return Some(Unchecked::HalfTyped);
    }
    let Some(kind) = group_kind(written) else {
        return Some(Unchecked::NoObject);
    };
    // The core group has only the version `v1`. If another version has no group, the object is one of kustomize's own.
    if kind.group.is_empty() && written.api_version != "v1" {
        return Some(Unchecked::NoObject);
    }
    unchecked(kind)
}

/// The reason why an object of a kind is not checked, if the kind itself is the reason.
pub(crate) fn unchecked(kind: GroupKind) -> Option<Unchecked> {
    if other_tools::is_file(&kind) {
        return Some(Unchecked::NoObject);
    }
    let is_built_in = native::is_native(&kind.group) && !native::is_of_clients(&kind.group);
    is_built_in.then_some(Unchecked::BuiltIn(kind.kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_known_by_their_outermost_keys() {
        for (text, expected) in [
            ("<<<<<<< HEAD\napiVersion: v1\nkind: Widget\n", true),
            ("- \napiVersion: v1\nkind: Widget\n", true),
            ("kind: Widget\nmetadata:\n\tname: a\n", true),
            ("{\n  \"apiVersion\": \"v1\",\n  \"kind\" : \"Widget\",,\n}\n", true),
            ("\u{FEFF}\"apiVersion\": v1\nkind: Widget\n", true),
            ("kind: pipeline\nname: \"a\n", false),
            ("a:\n  apiVersion: v1\n  kind: Widget\n b: c\n", false),
            ("kinds: a\napiVersions: b\n", false),
        ] {
            assert_eq!(shows_manifest(text), expected, "{text:?}");
        }
    }

    #[test]
    fn settings_of_editors_are_json_with_comments() {
        let text = "{\n  // A comment.\n  \"a\": 1,\n}\n";
        assert!(is_json_with_comments(Path::new("launch.json"), text));
        assert!(!is_json_with_comments(Path::new("launch.yaml"), text));
        assert!(!is_json_with_comments(Path::new("a.json"), "{\"a\": \"http://b\"}\n"));
    }

    #[test]
    fn placeholders_are_names_in_braces() {
        for (line, expected) in [
            ("clusterIP: {PREFIX_OF_IPS}.16", true),
            ("a: {b: c}.16", false),
            ("a: {}.16", false),
            ("a: {B", false),
            ("  namespace: %%%", true),
            ("- @NAME@", true),
            ("a: %name%", true),
            ("    <ISSUER_ANNOTATION_1>", true),
            ("<b>", false),
            ("a: <ISSUER_ANNOTATION", false),
            ("a: @name", false),
            ("a: @a b@", false),
            ("a: %%", false),
        ] {
            assert_eq!(has_placeholder(line), expected, "{line}");
        }
    }

    #[test]
    fn conflicts_are_known_by_their_lines() {
        for (text, expected) in [
            ("a: b\n<<<<<<< HEAD\nc: d\n", "<<<<<<< HEAD"),
            ("a: b\n>>>>>>> main\n", ">>>>>>> main"),
            ("a: b\n=======\n", ""),
            ("a: |\n  <<<<<<< HEAD\n", ""),
        ] {
            let found = conflict(text, Span::new(0, text.len() as u32));
            assert_eq!(found.map_or("", |it| &text[it.range()]), expected, "{text:?}");
        }
    }
}
