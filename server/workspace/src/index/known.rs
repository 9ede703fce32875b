//! A definition that objects are checked against, and its text.

use std::{
    fmt,
    hash::{DefaultHasher, Hasher},
    path::Path,
    sync::{Arc, OnceLock},
};

use crd_analyzer_syntax::{
    edit,
    paths::{self, Place, Step},
    read_json,
    split::Document,
    tree::{NodeId, NodeKind, Span, Tree},
};

use super::{files::Files, objects::GroupKind};
use crate::text::Text;

/// How a definition came to be known. The earlier ones count for more, wherever they lie.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// The user named it as a definition to use.
    Given,
    /// It lies in the workspace, or among what is checked.
    Workspace,
    /// The configuration says where it lies.
    Configured,
}

/// What tells the text of one document from another: its hash.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(u64, u32);

impl Fingerprint {
    /// Of a text.
    pub fn of(text: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        hasher.write(text.as_bytes());
        Self(hasher.finish(), text.len() as u32)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}+{}", self.0, self.1)
    }
}

/// A definition, by the place where it is written.
pub struct KnownDefinition {
    /// The file, absolute.
    pub path: Arc<Path>,
    /// What it defines.
    pub defines: GroupKind,
    /// How it came to be known.
    pub origin: Origin,
    /// Of its text, or of the whole list that it is an item of.
    pub fingerprint: Fingerprint,
    pub(super) document: Document,
    pub(super) item: Option<usize>,
    /// The text of the file, if it is open and need not be read.
    pub(super) text: Option<Arc<str>>,
    /// The last version of it that could be read: the text of a document that is being edited often cannot.
    pub(super) previous: Option<Arc<KnownDefinition>>,
    pub(super) loaded: OnceLock<Option<Arc<DefinitionText>>>,
}

impl fmt::Debug for KnownDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}/{} in {}",
            self.defines.group,
            self.defines.kind,
            self.path.display()
        )
    }
}

impl KnownDefinition {
    /// Its text, read once. If that is not YAML right now, the last one that was. `None` if there is no such definition any more.
    pub fn text(&self, files: &dyn Files) -> Option<Arc<DefinitionText>> {
        let loaded = self.loaded.get_or_init(|| self.load(files).map(Arc::new));
        match (loaded, &self.previous) {
            (Some(text), _) if text.is_readable => Some(text.clone()),
            (_, Some(previous)) => previous.text(files),
            (Some(text), None) => Some(text.clone()),
            (None, None) => None,
        }
    }

    /// The definition itself if its text could be read when somebody looked, or the last one before it that could.
    pub(super) fn readable(self: &Arc<Self>) -> Option<Arc<Self>> {
        match self.loaded.get() {
            Some(Some(text)) if text.is_readable => Some(self.clone()),
            _ => self.previous.clone(),
        }
    }

    fn load(&self, files: &dyn Files) -> Option<DefinitionText> {
        let text = match &self.text {
            Some(text) => Text::decode(text.as_bytes().to_vec()),
            None => Text::decode(files.read(&self.path)?),
        };
        // The file may have changed since it was looked at; then somebody will say so, and this definition is forgotten.
        let cut = crd_analyzer_syntax::split::split(&text.content).documents;
        let document = *cut.iter().find(|it| it.index == self.document.index)?;
        let (tree, is_readable) = match text.read(document) {
            Ok(tree) => {
                let is_json = read_json(&tree).is_ok();
                (tree, is_json)
            }
            Err(_) => (edit::read(&text.content, document.span).tree, false),
        };
        let mut root = tree.resolve(tree.root()?);
        if let Some(item) = self.item {
            let place = paths::find_from(&tree, root, &[Step::key("items"), Step::Index(item)]);
            root = place.is_found().then(|| tree.resolve(place.node))?;
        }
        Some(DefinitionText {
            path: self.path.clone(),
            text: text.content,
            tree,
            root,
            item: self.item,
            is_readable,
        })
    }
}

/// The text of a definition as a tree.
#[derive(Debug)]
pub struct DefinitionText {
    /// The file.
    pub path: Arc<Path>,
    /// The text of the whole file, in which all spans count.
    pub text: Arc<str>,
    /// The tree of the document that the definition is in.
    pub tree: Tree,
    /// The mapping that is the definition: the root, or an item of a list.
    pub root: NodeId,
    /// Its position, if it is an item of a list.
    pub item: Option<usize>,
    /// Whether the text is YAML that JSON can be made of; else the tree is the editing reader's.
    pub is_readable: bool,
}

impl DefinitionText {
    /// Where the kind is defined: the value at `spec.names.kind`, or the definition's first line.
    pub fn kind_span(&self) -> Span {
        let place = self.find(&["spec", "names", "kind"]);
        place.map_or_else(
            || crate::verdict::first_line(&self.text, self.tree.span(self.root)),
            |place| place.value_span(&self.tree),
        )
    }

    /// The names of the versions, in the order of the text.
    pub fn versions(&self) -> Vec<String> {
        let single = self.find(&["spec", "version"]);
        let list = self.find(&["spec", "versions"]).map(|it| self.tree.resolve(it.node));
        let items = list.into_iter().flat_map(|it| self.tree.items(it));
        let names = items.filter_map(|it| self.child(it, "name"));
        names
            .chain(single)
            .map(|it| self.tree.scalar(self.tree.resolve(it.node)).into_owned())
            .collect()
    }

    /// The mapping of a version among `spec.versions`.
    pub fn version(&self, name: &str) -> Option<NodeId> {
        let list = self.tree.resolve(self.find(&["spec", "versions"])?.node);
        self.tree.items(list).map(|it| self.tree.resolve(it)).find(|it| {
            self.child(*it, "name")
                .is_some_and(|name_of| self.tree.scalar(self.tree.resolve(name_of.node)) == name)
        })
    }

    /// The schema of an object of a version (`openAPIV3Schema`): the version's own, or the one that all share in `v1beta1`.
    pub fn schema(&self, version: &str) -> Option<Place> {
        let own = self
            .version(version)
            .and_then(|it| self.follow(it, &["schema", "openAPIV3Schema"]));
        own.or_else(|| self.find(&["spec", "validation", "openAPIV3Schema"]))
    }

    /// The schema of the value at a path of an object: through `properties`, `additionalProperties` and `items`. `None` if the schema says
    /// nothing of it.
    pub fn schema_at(&self, version: &str, path: &[Step<'_>]) -> Option<Place> {
        let mut place = self.schema(version)?;
        for step in path {
            let schema = self.tree.resolve(place.node);
            place = match step {
                Step::Key(key) => self
                    .child(schema, "properties")
                    .and_then(|properties| self.child(properties.node, key))
                    .or_else(|| self.schema_in(schema, "additionalProperties"))?,
                Step::Index(_) => self.schema_in(schema, "items")?,
            };
        }
        Some(place)
    }

    fn schema_in(&self, schema: NodeId, key: &str) -> Option<Place> {
        self.child(schema, key)
            .filter(|it| matches!(self.tree.kind(self.tree.resolve(it.node)), NodeKind::Mapping(_)))
    }

    /// The value at a path of keys of the definition.
    pub fn find(&self, path: &[&str]) -> Option<Place> {
        self.follow(self.root, path)
    }

    fn follow(&self, node: NodeId, path: &[&str]) -> Option<Place> {
        let mut place = None;
        let mut node = node;
        for key in path {
            let next = self.child(node, key)?;
            node = next.node;
            place = Some(next);
        }
        place
    }

    /// The value at a key, through aliases and merge keys.
    pub fn child(&self, mapping: NodeId, key: &str) -> Option<Place> {
        let entry = paths::lookup(&self.tree, self.tree.resolve(mapping), key)?;
        Some(Place {
            node: entry.value,
            key: Some(entry.key),
            missing: 0,
        })
    }
}
