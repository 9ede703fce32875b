//! The kind and name of a document, which are found even if the rest of the document cannot be read.

use crd_analyzer_apiextensions::decode::WrittenType;
use crd_analyzer_apiextensions::kind::parse_group_version;
use crd_analyzer_syntax::{
    edit, read_json,
    reader::ReadError,
    split::Document,
    tree::{Span, Tree},
};

use crate::{documents::text::Text, index::native};

/// The kind and name of a document, and the document's tree if it had to be parsed.
pub(crate) struct Head {
    /// The type and name as written. `WrittenType::default()` if none of it can be read.
    pub(crate) written: WrittenType,
    /// The result of parsing the whole document, if it was parsed.
    whole: Option<Result<Tree, ReadError>>,
}

impl Head {
    /// Reads the kind and name of the document.
    ///
    /// In the usual layout, the lines before `spec:` are enough. If the rest cannot be parsed, only those lines are used.
    pub(crate) fn read(text: &Text, document: Document) -> Self {
        let span = document.span;
        if text.content[span.range()].contains("\nspec:") {
            let top = WrittenType::of_document(&text.content, span, None);
            if !top.kind.is_empty() && !top.api_version.is_empty() {
                return Self {
                    written: top,
                    whole: None,
                };
            }
        }
        let whole = text.read(document);
        let json = whole.as_ref().ok().and_then(|tree| read_json(tree).ok());
        let written = WrittenType::of_document(&text.content, span, json.as_ref());
        let is_broken = whole.is_err() && written == WrittenType::default();
        let written = if is_broken { of_broken(text, span) } else { written };
        drop(json);
        Self {
            written,
            whole: Some(whole),
        }
    }

    /// The result of parsing the whole document. Parses it now if necessary.
    pub(crate) fn whole(self, text: &Text, document: Document) -> Result<Tree, ReadError> {
        self.whole.unwrap_or_else(|| text.read(document))
    }
}

/// Reads the kind and name of the document. `WrittenType::default()` if none of it can be read.
pub(crate) fn read(text: &Text, document: Document) -> WrittenType {
    Head::read(text, document).written
}

/// Whether any document of a text has an `apiVersion` or a `kind`.
pub(crate) fn says_objects(text: &Text) -> bool {
    let mut documents = text.documents().documents.iter();
    documents.any(|document| {
        let written = read(text, *document);
        !(written.kind.is_empty() && written.api_version.is_empty())
    })
}

/// The kind and name of a document that cannot be parsed, found by its indentation, if it is a custom resource or a CRD. A CRD of an API version that
/// is no longer served is excluded, because that error is reported before parsing.
fn of_broken(text: &Text, span: Span) -> WrittenType {
    let tree = edit::read(&text.content, span).tree;
    let field = |name: &str| {
        let value = tree.root().and_then(|root| tree.get(root, name));
        value.map(|it| tree.scalar(it).into_owned()).unwrap_or_default()
    };
    let found = WrittenType {
        api_version: field("apiVersion"),
        kind: field("kind"),
        name: String::new(),
    };
    let is_told = if found.is_crd() {
        found.unserved().is_none()
    } else {
        let group = parse_group_version(&found.api_version).ok().map(|it| it.0);
        !found.kind.is_empty() && group.is_some_and(|it| !native::is_native(it))
    };
    if is_told { found } else { WrittenType::default() }
}
