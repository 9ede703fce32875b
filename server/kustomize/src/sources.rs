//! The documents that builds have read, and the interface through which they read files.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_syntax::{
    json::{Json, JsonValue, Member},
    read_json,
    split::{read_document, split},
    tree::{CollectionStyle, NodeId, NodeKind, ScalarStyle, Span, Tree},
};

use crate::{
    bases::{Base, Kept},
    changed::ChangedText,
    dates::timestamp,
    node::{Entry, Node, Place, Value, Word, plain},
    problem::{NotYaml, Problem, ProblemKind, Result, Unreadable},
    repeated::Repeated,
    spend,
};

/// A source of files for kustomizations. Paths are absolute and contain neither `.` nor `..`.
pub trait Files {
    /// The text of a file. `None` if the file does not exist or is not text.
    fn read(&self, path: &Path) -> Option<Arc<str>>;

    /// Whether a folder exists.
    fn is_folder(&self, path: &Path) -> bool;

    /// Whether a file or folder exists.
    fn exists(&self, path: &Path) -> bool {
        self.is_folder(path) || self.read(path).is_some()
    }

    /// The names of the files and folders directly in a folder, to suggest one instead of a missing one.
    fn names(&self, folder: &Path) -> Vec<String> {
        let _ = folder;
        Vec::new()
    }

    /// A number that identifies the source: two sources with the same number return the same files during a run. `None` if that is unknown.
    fn identity(&self) -> Option<usize> {
        None
    }

    /// A short reason why a file or folder exists but must not be read. `None` if it does not exist.
    fn refusal(&self, path: &Path) -> Option<String> {
        let _ = path;
        None
    }

    /// Whether a program may create a missing file or folder before kustomize runs.
    fn is_made(&self, path: &Path) -> bool {
        let _ = path;
        false
    }
}

impl<F: Files> Files for &F {
    fn read(&self, path: &Path) -> Option<Arc<str>> {
        (**self).read(path)
    }

    fn is_folder(&self, path: &Path) -> bool {
        (**self).is_folder(path)
    }

    fn exists(&self, path: &Path) -> bool {
        (**self).exists(path)
    }

    fn names(&self, folder: &Path) -> Vec<String> {
        (**self).names(folder)
    }

    fn identity(&self) -> Option<usize> {
        (**self).identity()
    }

    fn refusal(&self, path: &Path) -> Option<String> {
        (**self).refusal(path)
    }

    fn is_made(&self, path: &Path) -> bool {
        (**self).is_made(path)
    }
}

/// The maximum number of characters of a path in a message that also has a reason, so that both fit into a headline.
const MOST_SHOWN: usize = 24;

/// The last part of a path, if it is too long for a message.
pub(crate) fn end_of(path: &str) -> String {
    match path.char_indices().rev().nth(MOST_SHOWN - 1) {
        Some((at, _)) if at > 0 => format!("…{}", &path[at..]),
        _ => path.to_owned(),
    }
}

/// The problem to report for a file or folder that does not exist.
pub(crate) fn missing(files: &dyn Files, path: &Path) -> ProblemKind {
    if files.is_made(path) {
        ProblemKind::Missing
    } else {
        ProblemKind::Fails
    }
}

/// Whether a text, which is not YAML, has lines that a program replaces before kustomize runs: actions such as `{{ end }}`, or words in capitals and
/// angle brackets.
fn has_lines_to_fill(text: &str) -> bool {
    let is_between = |line: &str, (begin, end): (&str, &str)| {
        let inside = line.strip_prefix(begin).and_then(|it| it.strip_suffix(end));
        inside.is_some_and(|it| !it.is_empty())
    };
    let is_name = |it: &str| {
        it.bytes()
            .all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || b"<>_-".contains(&it))
    };
    text.lines().map(str::trim).any(|line| {
        is_between(line, ("{{", "}}"))
            || is_between(line, ("{%", "%}"))
            || is_between(line, ("<", ">")) && is_name(line)
    })
}

/// A document from which values come.
#[derive(Debug)]
struct Source {
    path: Arc<Path>,
    /// The index of the document among all documents of the file.
    index: u32,
    tree: Arc<Tree>,
    /// The scalar that contains the document, if the document is inline text in another document.
    within: Option<Place>,
    /// If the inline text was changed, maps its positions to the text of the scalar.
    changed: Option<ChangedText>,
    /// The long strings in the document, which all builds share.
    texts: HashMap<NodeId, Arc<str>>,
    repeated: Repeated,
}

/// A file that was read.
#[derive(Debug)]
struct KnownFile {
    text: Arc<str>,
    /// The range of its documents, or the reason why it is not YAML.
    documents: Result<Range<u32>>,
}

/// The documents from which the values of builds come. All builds of a run share them, so that each file is read once.
#[derive(Default, Debug)]
pub struct Sources {
    documents: Vec<Source>,
    /// The files that were read.
    files: HashMap<Arc<Path>, KnownFile>,
    /// The scalars whose content was parsed, each with the range of its documents. The key also contains the changed text, if the content was
    /// changed.
    inside: HashMap<(Place, Option<Arc<str>>), Range<u32>>,
    /// The places of unquoted dates.
    dates: HashSet<Place>,
    /// The state of the bases that were built, by folder.
    pub(crate) bases: HashMap<PathBuf, Base>,
    /// The size in bytes of the objects of bases, and of changed texts, that are kept.
    kept_bytes: u64,
}

/// The minimum length of strings to share, in bytes.
const LONG: usize = 64;

/// The maximum nesting depth of values.
const MOST_DEPTH: usize = 400;

impl Sources {
    /// Keeps the result of a base for later builds.
    pub(crate) fn keep(&mut self, folder: &Path, base: Kept) {
        self.kept_bytes += base.bytes();
        self.bases.insert(folder.to_owned(), Base::Kept(Arc::new(base)));
    }

    /// The size in bytes of the objects of bases, and of changed texts, that are kept for other builds.
    pub fn kept_bytes(&self) -> u64 {
        self.kept_bytes
    }

    /// The text of a file. If the file was read before and has not changed, returns the same string.
    pub(crate) fn text(&self, files: &dyn Files, path: &Path) -> Result<Option<Arc<str>>> {
        let Some(text) = files.read(path) else { return Ok(None) };
        spend::text(text.len())?;
        let known = self.files.get(path).map(|it| &it.text).filter(|it| **it == text);
        Ok(Some(known.cloned().unwrap_or(text)))
    }

    /// The file that contains a place, and the index of its document in the file.
    pub fn document(&self, place: Place) -> (&Arc<Path>, u32) {
        let outer = self.outermost(place);
        let source = &self.documents[outer.document as usize];
        (&source.path, source.index)
    }

    /// The file that contains a document, and the document's index in the file.
    pub fn path_of(&self, document: u32) -> (&Arc<Path>, u32) {
        let source = &self.documents[document as usize];
        match source.within {
            Some(outer) => self.document(outer),
            None => (&source.path, source.index),
        }
    }

    /// The text of the file that contains a place.
    pub fn text_of(&self, place: Place) -> &str {
        self.documents[self.outermost(place).document as usize].tree.text()
    }

    /// If a place is in inline text, the scalar that contains it in the file. Otherwise the place itself.
    pub fn outermost(&self, mut place: Place) -> Place {
        while let Some(outer) = self.documents[place.document as usize].within {
            place = outer;
        }
        place
    }

    /// Converts booleans such as `yes`, which only YAML 1.1 reads as booleans, to strings. kustomize reads objects as YAML 1.2, but not its own
    /// files.
    pub(crate) fn make_newer(&mut self, node: &mut Node) {
        match &mut node.value {
            Value::String(text) => {
                let tree = &self.documents[node.place.document as usize].tree;
                let is_plain = tree.kind(node.place.node) == NodeKind::Scalar(ScalarStyle::Plain);
                node.is_quoted = !is_plain;
                if is_plain && tree.tag(node.place.node).is_none() && timestamp(text).is_some() {
                    self.dates.insert(node.place);
                }
            }
            Value::Bool(_) => {
                let tree = &self.documents[node.place.document as usize].tree;
                let is_plain = tree.kind(node.place.node) == NodeKind::Scalar(ScalarStyle::Plain);
                let word = tree.scalar(node.place.node);
                if is_plain && tree.tag(node.place.node).is_none() && !matches!(plain(&word), Value::Bool(_)) {
                    node.value = Value::String(word.into());
                }
            }
            Value::Int(_) | Value::Uint(_) | Value::Float(_) => {
                let tree = &self.documents[node.place.document as usize].tree;
                let word = tree.scalar(node.place.node);
                node.written = (node.text() != *word).then(|| Box::new(Word(word.into())));
            }
            Value::List(items) => items.iter_mut().for_each(|it| self.make_newer(it)),
            Value::Map(entries) => {
                for entry in entries {
                    self.make_newer_key(entry);
                    self.make_newer(&mut entry.value);
                }
            }
            Value::Null { .. } => {}
        }
    }

    /// Like [`Self::make_newer`], for a key: `y` does not mean `true`.
    fn make_newer_key(&self, entry: &mut Entry) {
        if !matches!(&*entry.key, "true" | "false") {
            return;
        }
        let (tree, node) = self.tree(entry.key_place);
        let is_plain = tree.kind(node) == NodeKind::Scalar(ScalarStyle::Plain);
        let word = tree.scalar(node);
        if is_plain && tree.tag(node).is_none() && !matches!(plain(&word), Value::Bool(_)) {
            entry.key = word.into();
        }
    }

    /// Replaces unquoted dates with timestamps.
    pub(crate) fn print_dates(&self, node: &mut Node) {
        match &mut node.value {
            Value::String(text) if !node.is_quoted && self.dates.contains(&node.place) => {
                if let Some(printed) = timestamp(text) {
                    *text = printed.into();
                }
            }
            Value::List(items) => items.iter_mut().for_each(|it| self.print_dates(it)),
            Value::Map(entries) => entries.iter_mut().for_each(|it| self.print_dates(&mut it.value)),
            _ => {}
        }
    }

    /// Whether any document has unquoted dates.
    pub(crate) fn has_dates(&self) -> bool {
        !self.dates.is_empty()
    }

    /// The keys of a place's document that kustomize does not accept.
    pub(crate) fn repeated(&self, place: Place) -> Repeated {
        self.documents[place.document as usize].repeated
    }

    /// The tree and the node of a place.
    pub fn tree(&self, place: Place) -> (&Tree, NodeId) {
        (&self.documents[place.document as usize].tree, place.node)
    }

    /// Whether a place is a scalar with this text.
    pub(crate) fn is_scalar_of(&self, place: Place, text: &str) -> bool {
        let (tree, node) = self.tree(place);
        tree.is_scalar(node) && tree.scalar(node) == text
    }

    /// Whether a place is in inline text, which is the content of a scalar.
    pub fn is_inside(&self, place: Place) -> bool {
        self.documents[place.document as usize].within.is_some()
    }

    /// The span of a place in the text of its file.
    pub fn span(&self, place: Place) -> Span {
        let tree = &self.documents[place.document as usize].tree;
        self.outward(place.document, tree.span(place.node))
    }

    /// The span in the file of a part of the text at a place. The part is given in bytes of the text's value.
    pub fn span_of_part(&self, place: Place, part: Span) -> Span {
        let tree = &self.documents[place.document as usize].tree;
        let span = tree.source_map(place.node).span(part.range());
        self.outward(place.document, span)
    }

    /// Converts a span in a document to a span in the document's file.
    pub fn outward(&self, document: u32, span: Span) -> Span {
        let source = &self.documents[document as usize];
        let Some(outer) = source.within else { return span };
        let range = match &source.changed {
            Some(changed) => changed.before(span.range()),
            None => span.range(),
        };
        let map = self.documents[outer.document as usize].tree.source_map(outer.node);
        self.outward(outer.document, map.span(range))
    }

    /// The documents in the text of a file that are not empty.
    pub(crate) fn read_file(&mut self, path: &Path, text: &Arc<str>) -> Result<Vec<Node>> {
        if let Some(known) = self.files.get(path)
            && *known.text == **text
        {
            return self.read_again(known.documents.clone()?);
        }
        let path: Arc<Path> = path.into();
        let (documents, read) = match self.read_text(&path, text, None) {
            Ok((documents, read)) => (Ok(documents), Ok(read)),
            // Other problems depend on what is left of the budget.
            Err(problem) if problem.unreadable.is_none() => return Err(problem),
            Err(problem) => (Err(problem.clone()), Err(problem)),
        };
        let text = text.clone();
        self.files.insert(path, KnownFile { text, documents });
        read
    }

    /// The documents in the content of a scalar.
    pub(crate) fn read_inside(&mut self, place: Place) -> Result<Vec<Node>> {
        self.read_inline(place, None)
    }

    /// The documents in the changed content of a scalar.
    pub(crate) fn read_changed(&mut self, place: Place, text: &Arc<str>) -> Result<Vec<Node>> {
        self.read_inline(place, Some(text))
    }

    fn read_inline(&mut self, place: Place, changed: Option<&Arc<str>>) -> Result<Vec<Node>> {
        let key = (place, changed.cloned());
        if let Some(documents) = self.inside.get(&key) {
            return self.read_again(documents.clone());
        }
        let source = &self.documents[place.document as usize];
        let path = source.path.clone();
        let text: Arc<str> = match changed {
            Some(text) => {
                // Each build may change the content in a different way.
                let bytes = text.len() * PARSED;
                spend::bytes(bytes)?;
                self.kept_bytes += bytes as u64;
                text.clone()
            }
            None => source.tree.scalar(place.node).into(),
        };
        let read = self.read_text(&path, &text, Some(place));
        // The places of a changed text are not those of the file.
        let of_file = |it: Problem| if changed.is_some() { it.of_part(None) } else { it };
        let (documents, read) = read.map_err(of_file)?;
        if changed.is_some() {
            let (tree, node) = self.tree(place);
            let before = if tree.is_scalar(node) {
                tree.scalar(node).into_owned()
            } else {
                String::new()
            };
            for number in documents.clone() {
                self.documents[number as usize].changed = Some(ChangedText::new(&text, &before));
            }
        }
        self.inside.insert(key, documents);
        Ok(read)
    }

    /// The values of the documents with these indices, which were parsed before.
    fn read_again(&self, documents: Range<u32>) -> Result<Vec<Node>> {
        let mut read = Vec::new();
        for number in documents {
            let source = &self.documents[number as usize];
            spend::text(source.tree.document_span().range().len())?;
            spend::nodes(source.tree.len())?;
            // The conversion cannot fail, because it has succeeded before.
            let Ok(json) = read_json(&source.tree) else { continue };
            let mut texts = |node: NodeId, _: &str| source.texts.get(&node).cloned();
            let node = json.root().map(|it| node_of(&source.tree, it, number, &mut texts));
            if let Some(node) = node.as_ref().filter(|_| source.tree.has_aliases()) {
                spend::nodes(node.size())?;
            }
            read.extend(node);
        }
        Ok(read)
    }

    fn read_text(
        &mut self,
        path: &Arc<Path>,
        text: &Arc<str>,
        within: Option<Place>,
    ) -> Result<(Range<u32>, Vec<Node>)> {
        spend::work(text.len() * PARSING)?;
        let found = split(text);
        let cannot = |error: NotYaml| {
            if has_lines_to_fill(text) {
                let message = format!("`{}` is a template, and not YAML", name(path));
                return Problem::new(ProblemKind::NotSupported, within, message);
            }
            if within.is_some() {
                // The line in the message counts from the start of the text, and the place is shown.
                let message = format!("the text in this field is not YAML: {}", error.without_line());
                return Problem::fails(within, message).of_part(Some(error.span()));
            }
            let message = format!("`{}` is not YAML: {error}", name(path));
            let (path, text) = (path.clone(), text.clone());
            Problem::fails(None, message).of_file(Unreadable { path, text, error })
        };
        if let Some(error) = found.error {
            return Err(cannot(NotYaml::Read(error)));
        }
        let first = self.documents.len() as u32;
        let mut read = Vec::new();
        for document in found.documents {
            let tree = read_document(text, document, &[]).map_err(|it| cannot(NotYaml::Read(it)))?;
            let tree = Arc::new(tree);
            let number = self.documents.len() as u32;
            let json = read_json(&tree).map_err(|it| cannot(NotYaml::Convert(it)))?;
            if json.depth() > MOST_DEPTH {
                return Err(Problem::new(
                    ProblemKind::TooLarge,
                    within,
                    format!("`{}` is nested too deep", name(path)),
                ));
            }
            let mut texts: HashMap<NodeId, Arc<str>> = HashMap::new();
            // Several aliases may refer to the same node, so store its string once.
            let mut share = |node: NodeId, text: &str| {
                let is_long = text.len() >= LONG;
                is_long.then(|| texts.entry(node).or_insert_with(|| text.into()).clone())
            };
            if let Some(root) = json.root() {
                let node = node_of(&tree, root, number, &mut share);
                if tree.has_aliases() {
                    spend::nodes(node.size())?;
                }
                read.push(node);
            }
            let repeated = Repeated::of(&tree, &json);
            drop(json);
            self.documents.push(Source {
                path: path.clone(),
                index: document.index,
                tree,
                within,
                changed: None,
                texts,
                repeated,
            });
        }
        Ok((first..self.documents.len() as u32, read))
    }
}

/// How many bytes of memory a parsed text needs for each of its bytes.
const PARSED: usize = 16;

/// The work units for each byte of a text that is parsed.
const PARSING: usize = 2;

/// The last part of a path, for messages.
pub(crate) fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Converts a node of a tree to a value with places. `shared` returns the shared string of a long scalar.
fn node_of(
    tree: &Tree,
    json: &Json<'_>,
    document: u32,
    shared: &mut dyn FnMut(NodeId, &str) -> Option<Arc<str>>,
) -> Node {
    let place = Place {
        document,
        node: json.node,
    };
    let value = match &json.value {
        JsonValue::Null => Value::Null {
            is_written: !tree.is_absent(json.node),
        },
        JsonValue::Bool(value) => Value::Bool(*value),
        JsonValue::Int(value) => Value::Int(*value),
        JsonValue::Uint(value) => Value::Uint(*value),
        JsonValue::Float(value) => Value::Float(*value),
        JsonValue::String(text) => Value::String(shared(json.node, text).unwrap_or_else(|| Arc::from(text.as_ref()))),
        JsonValue::Array(items) => Value::List(items.iter().map(|it| node_of(tree, it, document, shared)).collect()),
        JsonValue::Object(members) => {
            let entry = |it: &Member<'_>| Entry {
                key: key_of(tree, it, shared),
                key_place: Place {
                    document,
                    node: it.key_node,
                },
                value: node_of(tree, &it.value, document, shared),
            };
            Value::Map(members.iter().map(entry).collect())
        }
    };
    let is_flow = matches!(
        tree.kind(json.node),
        NodeKind::Mapping(CollectionStyle::Flow) | NodeKind::Sequence(CollectionStyle::Flow)
    );
    Node {
        is_flow,
        ..Node::new(place, value)
    }
}

/// A key as kustomize reads it: `on` and `yes` are strings, while the API server's YAML parser reads them as `true`.
fn key_of(tree: &Tree, member: &Member<'_>, shared: &mut dyn FnMut(NodeId, &str) -> Option<Arc<str>>) -> Arc<str> {
    if matches!(member.key.as_ref(), "true" | "false") && tree.is_scalar(member.key_node) {
        return tree.scalar(member.key_node).into();
    }
    shared(member.key_node, &member.key).unwrap_or_else(|| Arc::from(member.key.as_ref()))
}

/// Joins a folder and a relative path, and resolves `.` and `..` in the result.
pub fn joined(folder: &Path, relative: &str) -> PathBuf {
    let mut path = folder.to_owned();
    for component in Path::new(relative).components() {
        match component {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                path.pop();
            }
            other => path.push(other),
        }
    }
    path
}
