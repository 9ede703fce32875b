//! The objects of a file, with the kind and name of each. An object is a document, or is inside a document.

use std::{
    cell::OnceCell,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crd_analyzer_apiextensions::decode::WrittenType;
use crd_analyzer_apiextensions::kind::parse_group_version;
use crd_analyzer_syntax::{
    edit,
    json::Json,
    paths::{Step, find_from},
    read_json,
    split::Document,
    tree::{NodeId, Tree},
};

use crate::{
    documents::head,
    documents::text::Text,
    filled_in::fill::{Places, fill},
    roles::{Use, Uses},
    wrappers::{self, Purpose, Values, Wrapped},
};

/// A group and kind, which identify a CRD.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct GroupKind {
    /// The group; empty for the core group.
    pub group: String,
    /// The kind.
    pub kind: String,
}

/// An object: a document, or an object inside a document, such as an item of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// The document that contains the object.
    pub document: Document,
    /// The position of the object in the document. `None` if the object is the document itself.
    pub inside: Option<Inside>,
    /// The kind and name of the object, as written.
    pub written: WrittenType,
    /// The kind that the object defines, if it is a CRD of any API version and has that field.
    pub defines: Option<GroupKind>,
    /// For a CRD: the required fields that are missing.
    pub lacks: Lacks,
}

/// The position of an object in the document that contains it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inside {
    /// The index of the object among the objects of the document.
    pub item: usize,
    /// The path from the document to the object.
    pub path: Arc<[Step<'static>]>,
    /// The purpose that the object has in the document.
    pub purpose: Purpose,
    /// The form in which the values of the object are written.
    pub values: Values,
}

impl Inside {
    /// What tools do with the object, according to the document that contains it.
    pub(crate) fn uses(&self) -> Uses<'static> {
        Uses::default()
            .with_if(Use::Part, self.purpose == Purpose::Part)
            .with_if(Use::Assertion, self.purpose == Purpose::Assertion)
            .with_if(Use::Expressions, self.values == Values::Expressions)
    }
}

/// The required fields that are missing in a CRD: `group`, `names`, `scope`, or a version.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Lacks(u8);

impl Lacks {
    /// The required fields that are missing in the CRD at a node.
    pub(crate) fn of_definition(tree: &Tree, root: NodeId) -> Self {
        Self::of(tree, root, has_version(tree, root))
    }

    fn of(tree: &Tree, root: NodeId, has_version: bool) -> Self {
        let has = |key: &'static str| find_from(tree, root, &[Step::key("spec"), Step::key(key)]).is_found();
        let present = [has("group"), has("names"), has("scope"), has_version];
        Self(present.iter().filter(|it| !**it).count() as u8)
    }

    /// Whether no field is missing.
    pub fn is_whole(self) -> bool {
        self.0 == 0
    }

    /// Whether so much is missing that the CRD is probably only a part, which something else completes.
    pub fn is_part(self) -> bool {
        self.0 > 1
    }
}

impl Object {
    /// An object for a document that is not a CRD.
    pub(crate) fn of_document(document: Document, written: WrittenType) -> Self {
        Self {
            document,
            inside: None,
            written,
            defines: None,
            lacks: Lacks::default(),
        }
    }

    /// The index of the object among the objects of its document. `None` if it is the document itself.
    pub fn item(&self) -> Option<usize> {
        self.inside.as_ref().map(|it| it.item)
    }

    /// Whether the object is sent to the API server as it is. False for parts of objects and for expectations of tests.
    pub(crate) fn is_sent(&self) -> bool {
        self.inside.as_ref().is_none_or(|it| it.purpose == Purpose::Sent)
    }

    /// The group and kind of the object. `None` if it does not have them.
    pub fn group_kind(&self) -> Option<GroupKind> {
        group_kind(&self.written)
    }

    /// The node of the object in the tree of its document.
    pub(crate) fn node(&self, tree: &Tree) -> Option<NodeId> {
        let root = tree.resolve(tree.root()?);
        let path = self.inside.as_ref().map_or(&[][..], |it| &it.path);
        let place = find_from(tree, root, path);
        place.is_found().then(|| tree.resolve(place.node))
    }
}

/// The group and kind of an object. `None` if it lacks one of the two.
pub fn group_kind(written: &WrittenType) -> Option<GroupKind> {
    let (group, version) = parse_group_version(&written.api_version).ok()?;
    let says = !written.kind.is_empty() && !version.is_empty();
    says.then(|| GroupKind {
        group: group.to_owned(),
        kind: written.kind.clone(),
    })
}

/// The objects of a text, in order. A document that cannot be parsed is included, with the fields that can be recognized.
pub fn objects(bytes: Vec<u8>) -> (Arc<str>, Vec<Object>) {
    let text = Text::decode(bytes);
    let found = read(&text);
    (text.content, found)
}

/// Like [`objects`], for a text that is already decoded.
pub fn objects_of(text: &Arc<str>) -> Vec<Object> {
    read(&Text::whole(text.clone()))
}

pub(crate) fn read(text: &Text) -> Vec<Object> {
    let mut objects = Vec::new();
    let printed = Printed::of(text);
    for &document in &text.documents().documents {
        let written = head::read(text, document);
        let row = wrapper(&written);
        let inside = row.and_then(|_| inside(&text.read(document).ok()?, document));
        let is_opened = inside.is_some() && row.is_some_and(|it| it.is_opened);
        if !is_opened {
            let (defines, lacks) = if written.is_crd() {
                defined(text, document, &printed)
            } else {
                Default::default()
            };
            objects.push(Object {
                defines,
                lacks,
                ..Object::of_document(document, written)
            });
        }
        objects.extend(inside.into_iter().flatten().map(|it| it.0));
    }
    objects
}

/// The rules for finding the objects inside a document of this kind. `None` if its kind does not contain objects.
pub(crate) fn wrapper(written: &WrittenType) -> Option<&'static wrappers::Row> {
    wrappers::of(&written.api_version, &written.kind)
}

/// The objects inside a document, each with its node. `None` if the document's kind does not contain objects.
pub(crate) fn inside(tree: &Tree, document: Document) -> Option<Vec<(Object, NodeId)>> {
    let json = read_json(tree).ok()?;
    inside_of((tree, document), json.root()?)
}

/// Like [`inside`], for a document that was already converted to JSON.
pub(crate) fn inside_of((tree, document): (&Tree, Document), root: &Json<'_>) -> Option<Vec<(Object, NodeId)>> {
    let found = wrappers::inside(&root);
    let is_wrapper = !found.is_empty() || wrappers::is_begun(&root);
    is_wrapper.then(|| objects_of_wrapped((tree, document), found, 0).collect())
}

/// The objects that were found in a document, each with its node. `first` is the index of the first object.
fn objects_of_wrapped(
    (tree, document): (&Tree, Document),
    found: Vec<Wrapped<&Json<'_>>>,
    first: usize,
) -> impl Iterator<Item = (Object, NodeId)> {
    let sent = first_sent(tree, &found);
    let found = found.into_iter().enumerate().filter(|it| !it.1.is_opened());
    found.map(move |(n, wrapped)| {
        let written = WrittenType::of(wrapped.value);
        let node = tree.resolve(wrapped.value.node);
        let again = wrapped.place.purpose_again.filter(|_| {
            let first = sent.get(&written);
            first.is_some_and(|it| *it < tree.span(node).start)
        });
        let purpose = match wrapped.purpose() {
            Purpose::Sent => again.unwrap_or(Purpose::Sent),
            purpose => purpose,
        };
        let (defines, lacks) = if written.is_crd() && purpose == Purpose::Sent {
            (defined_by(tree, node), Lacks::of_definition(tree, node))
        } else {
            Default::default()
        };
        let object = Object {
            document,
            inside: Some(Inside {
                item: first + n,
                path: wrapped.path.into(),
                purpose,
                values: wrapped.row.values,
            }),
            written,
            defines,
            lacks,
        };
        (object, node)
    })
}

/// Where the first object of each kind and name starts that is sent, if the purpose of another one depends on it.
fn first_sent(tree: &Tree, found: &[Wrapped<&Json<'_>>]) -> HashMap<WrittenType, u32> {
    let mut first = HashMap::new();
    if found.iter().all(|it| it.place.purpose_again.is_none()) {
        return first;
    }
    for wrapped in found.iter().filter(|it| it.purpose() == Purpose::Sent) {
        let written = WrittenType::of(wrapped.value);
        if !written.name.is_empty() {
            let start = tree.span(tree.resolve(wrapped.value.node)).start;
            let known = first.entry(written).or_insert(start);
            *known = start.min(*known);
        }
    }
    first
}

/// A string in a document that contains objects as text.
pub(crate) struct InText {
    /// The string.
    pub(crate) node: NodeId,
    /// The content of the string.
    pub(crate) text: Text,
    /// The documents in the content that can be parsed, each with its objects. Spans refer to the content.
    pub(crate) documents: Vec<(Tree, Vec<(Object, NodeId)>)>,
    /// The number of documents in the content that cannot be parsed.
    pub(crate) unread: usize,
}

/// The strings in a document that contain objects as text. `first` is the index of the first object.
pub(crate) fn in_texts(tree: &Tree, root: &Json<'_>, mut first: usize) -> Vec<InText> {
    let mut seen = HashSet::new();
    let texts = wrappers::texts(&root).into_iter();
    // A string that several aliases refer to is parsed once.
    let texts = texts.filter(|it| it.value.as_str().is_some() && seen.insert(tree.resolve(it.value.node)));
    let read = |wrapped: Wrapped<&Json<'_>>| {
        let node = tree.resolve(wrapped.value.node);
        let text = Text::whole(tree.scalar(node).into());
        let (mut documents, mut unread) = (Vec::new(), usize::from(text.documents().error.is_some()));
        for &document in &text.documents().documents {
            let Ok(tree) = text.read(document) else {
                unread += 1;
                continue;
            };
            let Ok(json) = read_json(&tree) else {
                unread += 1;
                continue;
            };
            let found = json
                .root()
                .map(|it| wrappers::in_text(&wrapped, &it))
                .unwrap_or_default();
            let count = found.len();
            let objects: Vec<_> = objects_of_wrapped((&tree, document), found, first).collect();
            first += count;
            drop(json);
            documents.push((tree, objects));
        }
        InText {
            node,
            text,
            documents,
            unread,
        }
    };
    texts.map(read).collect()
}

/// A text with the actions of its template replaced, made when it is first needed.
struct Printed<'t> {
    text: &'t Text,
    filled: OnceCell<Option<(Text, Places)>>,
}

impl<'t> Printed<'t> {
    fn of(text: &'t Text) -> Self {
        Self {
            text,
            filled: OnceCell::new(),
        }
    }

    /// The kind that a CRD in a template defines, and the fields that are missing. `None` if the template fills in the kind.
    fn defined(&self, document: Document) -> Option<(GroupKind, Lacks)> {
        let content = &self.text.content;
        if !content[document.span.range()].contains("{{") {
            return None;
        }
        let fill = || fill(content).map(|it| (Text::whole(it.text.into()), it.places));
        let (printed, places) = self.filled.get_or_init(fill).as_ref()?;
        let tree = printed.read(document).ok()?;
        let root = tree.root()?;
        let defines = defined_by(&tree, root)?;
        let is_written = !places.is_in(&defines.group) && !places.is_in(&defines.kind);
        is_written.then(|| (defines, Lacks::of_definition(&tree, root)))
    }
}

/// The kind that a CRD defines, and the fields that are missing. The versions are nearly all of the text, so they are parsed only if the other fields
/// come after them.
fn defined(text: &Text, document: Document, printed: &Printed<'_>) -> (Option<GroupKind>, Lacks) {
    let content = &text.content;
    let span = document.span;
    if let Some(length) = content[span.range()].find("\n  versions:") {
        let top = crd_analyzer_syntax::tree::Span::new(span.start, span.start + length as u32 + 1);
        let read = crd_analyzer_syntax::read(content, top).ok();
        let found = read.and_then(|tree| {
            let root = tree.root()?;
            Some((defined_by(&tree, root)?, Lacks::of(&tree, root, true)))
        });
        if let Some((defines, lacks)) = found.filter(|it| it.1.is_whole()) {
            return (Some(defines), lacks);
        }
    }
    let read = text.read(document);
    // A block such as `{{ if }}` may hide the fields below it.
    if read.is_err()
        && let Some((defines, lacks)) = printed.defined(document)
    {
        return (Some(defines), lacks);
    }
    let tree = read.unwrap_or_else(|_| edit::read(content, span).tree);
    match tree.root() {
        Some(root) => (defined_by(&tree, root), Lacks::of_definition(&tree, root)),
        None => Default::default(),
    }
}

/// Whether a CRD has a version with a name. In `v1beta1`, a field can name the only version.
fn has_version(tree: &Tree, root: NodeId) -> bool {
    let is_found = |path: &[Step<'static>]| find_from(tree, root, path).is_found();
    let (spec, versions) = (Step::key("spec"), Step::key("versions"));
    is_found(&[spec.clone(), versions, Step::Index(0), Step::key("name")]) || is_found(&[spec, Step::key("version")])
}

fn defined_by(tree: &Tree, root: NodeId) -> Option<GroupKind> {
    let at = |path: &[&'static str]| {
        let steps: Vec<Step<'static>> = path.iter().map(|it| Step::key(*it)).collect();
        let place = crd_analyzer_syntax::paths::find_from(tree, root, &steps);
        let node = tree.resolve(place.node);
        (place.is_found() && tree.is_scalar(node))
            .then(|| tree.scalar(node).into_owned())
            .filter(|it| !it.is_empty())
    };
    Some(GroupKind {
        group: at(&["spec", "group"])?,
        kind: at(&["spec", "names", "kind"])?,
    })
}
