//! The wording of diagnostics: creates a headline, a label and a help text from the code and the data of an error.
//!
//! Each family of codes has its own file. The functions use the error's [`Cause`], its path in the author's document, and the values there. They
//! never parse the API server's text. A code without a wording of its own uses that text as its headline.

mod conversion;
pub(crate) mod decode;
mod definition;
pub mod expression;
mod lists;
pub(crate) mod markers;
mod metadata;
mod policy;
mod printer_columns;
pub(crate) mod refused_types;
mod rules;
mod schema;
pub(crate) mod stale;
mod structural;
pub(crate) mod text;
pub(crate) mod unchecked;
pub(crate) mod unknown;
mod values;
mod warnings;

use crd_analyzer_cel::Context;
pub use crd_analyzer_diagnostic::{MAX_HEADLINE, meant, name::schema_values};
pub(crate) use crd_analyzer_diagnostic::{
    Words,
    name::{self, name_of},
    text::{clip, clip_headline, clip_path},
};
use crd_analyzer_schema::{
    field::{Cause, Error, ErrorType, Path, Segment},
    unknown::Known,
};
use crd_analyzer_syntax::{json::Json, tree::Tree};

use crate::findings::finding::Finding;

/// An error and its context.
#[derive(Clone, Copy)]
pub(crate) struct About<'a> {
    pub(crate) code: &'static str,
    pub(crate) kind: ErrorType,
    pub(crate) cause: Option<&'a Cause>,
    /// The path of the error in the author's document.
    pub(crate) path: &'a Path,
    /// The document.
    pub(crate) root: &'a Json<'a>,
    /// Whether the document is a CRD.
    pub(crate) is_crd: bool,
    /// The context of the expression at the place, if the context does not depend on a schema.
    pub(crate) sees: Option<&'a Context>,
    /// The syntax tree of the document, if the source text of scalars is needed.
    pub(crate) tree: Option<&'a Tree>,
    /// The parts of the document that are known.
    pub(crate) known: Known<'a>,
}

impl<'a> About<'a> {
    /// The context of an error at a path in the author's document.
    pub(crate) fn new(error: &'a Error, path: &'a Path, root: &'a Json<'a>, is_crd: bool) -> Self {
        Self {
            code: error.code,
            kind: error.kind,
            cause: error.cause(),
            path,
            root,
            is_crd,
            sees: None,
            tree: None,
            known: Known::ALL,
        }
    }

    /// Adds the tree of the document, which has the source text of scalars.
    #[must_use]
    pub(crate) fn of_tree(self, tree: &'a Tree) -> Self {
        let tree = Some(tree);
        Self { tree, ..self }
    }

    /// Says which parts of the document are known.
    #[must_use]
    pub(crate) fn of_known(self, known: Known<'a>) -> Self {
        Self { known, ..self }
    }

    /// The context of a warning, or of something else that is not an error.
    pub(crate) fn of(
        code: &'static str,
        cause: Option<&'a Cause>,
        path: &'a Path,
        root: &'a Json<'a>,
        is_crd: bool,
    ) -> Self {
        Self {
            code,
            kind: ErrorType::Invalid,
            cause,
            path,
            root,
            is_crd,
            sees: None,
            tree: None,
            known: Known::ALL,
        }
    }

    /// The value at the place, if it is written.
    fn value(&self) -> Option<&'a Json<'a>> {
        at(self.root, self.path.segments())
    }

    /// The last name on the path.
    fn last(&self) -> &'a str {
        self.up(0)
    }

    /// The name that is the given number of steps before the end of the path. Empty if that step is a list index or does not exist.
    fn up(&self, steps: usize) -> &'a str {
        let segments = self.path.segments();
        let at = segments.len().checked_sub(steps + 1);
        at.map_or("", |at| name_of(&segments[at]))
    }

    /// The value that is the given number of steps above the place, if it is written.
    fn around(&self, steps: usize) -> Option<&'a Json<'a>> {
        let segments = self.path.segments();
        at(self.root, &segments[..segments.len().checked_sub(steps)?])
    }

    /// The string value at a path of the document.
    fn text(&self, path: &[&str]) -> Option<&'a str> {
        path.iter().try_fold(self.root, |json, key| json.get(key))?.as_str()
    }
}

/// If `key` is missing from a mapping: the mapping's key that is probably a misspelling of it.
fn misspelt_key<'a>(mapping: Option<&'a Json<'a>>, key: &str) -> Option<&'a str> {
    let keys = mapping.and_then(Json::members).unwrap_or_default();
    let mut keys = keys.iter().map(|it| it.key.as_ref());
    keys.find(|it| meant::meant(it, [key]).is_some())
}

/// Help for an object where a list of such objects is needed.
const ITEM_OF_OBJECT: &str = "put `- ` before its first key, and indent its other keys by two more spaces";

/// The value at a path.
pub(crate) fn at<'a>(root: &'a Json<'a>, steps: &[Segment]) -> Option<&'a Json<'a>> {
    steps.iter().try_fold(root, |json, step| match step {
        Segment::Field(name) | Segment::Key(name) => json.get(name),
        Segment::Index(index) => json.items()?.get(*index),
    })
}

/// The API server's text as a headline, for errors without a wording of their own.
fn title(error: &Error) -> String {
    let words = error.kind.words();
    match (error.kind, error.detail.as_str(), error.bad_value.as_str()) {
        (_, "", "") => format!("{words}: {}", error.path),
        (_, "", value) => format!("{words}: {value}"),
        (ErrorType::NotSupported | ErrorType::Duplicate, detail, value) if !value.is_empty() => {
            format!("{words}: {value}: {detail}")
        }
        (_, detail, _) => detail.lines().next().unwrap_or_default().to_owned(),
    }
}

/// Sets the wording of a finding. If `words` is `None`, uses the API server's text.
pub(crate) fn give(finding: &mut Finding, words: Option<Words>, error: &Error) {
    let words = words.unwrap_or_else(|| Words::new(title(error).trim()).quote());
    put(finding, words);
}

/// Sets the wording of a finding that does not have one yet.
pub(crate) fn put(finding: &mut Finding, words: Words) {
    finding.headline = words.headline;
    finding.label = words.label;
    finding.help.extend(words.help);
    finding.help_in_go.extend(words.help_in_go);
    finding.notes.extend(words.notes);
    finding.quotes_server = words.quotes_server;
}

/// The help for a previous revision that cannot be read.
pub(crate) const FIX_PREVIOUS: &str = "compare with a revision that the API server accepts";

/// Words for a request that is rejected as a whole.
pub(crate) fn refused() -> Words {
    Words::new("the API server rejects the request as a whole")
        .label("rejected")
        .help("fix what the API server reports below")
        .quote()
}

/// Words for an object that cannot be checked: the API server crashes on it, or it is nested too deeply for crd-analyzer.
pub(crate) fn unjudged(crashes: bool) -> Words {
    if crashes {
        Words::new("the API server crashes on this CRD and answers HTTP 500")
            .label("crashes the API server")
            .help("remove this, or add what it needs")
            .quote()
    } else {
        Words::new("this is nested too deeply to be checked")
            .label("nested too deeply")
            .help("nest fewer lists, objects or schemas")
    }
}

/// The label for the same mistake in another version of a CRD. It names that version.
pub(crate) fn same_elsewhere(root: &Json<'_>, path: &Path) -> String {
    let steps = path.segments();
    let version = steps.iter().position(|it| matches!(it, Segment::Index(_)));
    let name = version.and_then(|n| at(root, &steps[..=n])?.get("name")?.as_str());
    name.map_or_else(
        || "the same here".to_owned(),
        |it| format!("the same in version {}", text::code(it)),
    )
}

/// The wording of an error, if its code has a wording.
pub(crate) fn of(about: &About<'_>) -> Option<Words> {
    let families = [
        values::words,
        structural::words,
        schema::words,
        lists::words,
        rules::words,
        expression::words,
        printer_columns::words,
        conversion::words,
        definition::words,
        metadata::words,
        policy::words,
        warnings::words,
    ];
    let mut words = families.iter().find_map(|family| family(about))?;
    words.headline = clip_headline(&words.headline, MAX_HEADLINE);
    Some(words)
}
