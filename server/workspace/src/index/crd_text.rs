//! CRDs that objects are checked against, and their texts.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    path::Path,
    sync::{
        Arc, Mutex, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

use crd_analyzer_apiextensions::strategy::Stored;
use crd_analyzer_resource::Definition;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    edit,
    json::{JsonDoc, KeptJson},
    paths::{self, PathTarget, Step},
    read_json, read_json_of,
    split::Document,
    tree::{NodeId, NodeKind, Span, Tree},
};

use super::{
    decides,
    files::Files,
    fingerprint::Fingerprint,
    objects::{self, GroupKind, Inside},
    served::ServedByVersion,
};
use crate::{
    documents::source::{BuiltFrom, SourceText},
    documents::text::Text,
    filled_in::{
        fill::{Filled, Places, fill, with_blocks},
        unknown_crd::{self, Taken},
    },
    index::cluster,
    roles::{Place, Standing},
};

/// The origin of a CRD. Earlier variants take precedence, wherever the files are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Origin {
    /// The user gave the CRD on the command line.
    Given,
    /// The CRD is in the workspace, or among the checked files.
    Workspace,
    /// The CRD is at a path that the configuration lists.
    Configured,
    /// The CRD was collected from another project, and a lock lists it.
    Collected,
    /// The CRD comes from a cluster.
    Cluster,
}

/// A file with CRDs. All CRDs of the file share its text and trees, which are read once.
pub(super) struct DefiningFile {
    path: Arc<Path>,
    text: OnceLock<Option<Shared>>,
    /// The text as a template, with its actions replaced. `None` if it is none.
    filled: OnceLock<Option<Printed>>,
    /// The same, with the lines that blocks may omit.
    filled_with_blocks: OnceLock<Option<Printed>>,
    /// The trees by the index of the document.
    trees: Mutex<HashMap<u32, Arc<OnceLock<DocumentTree>>>>,
}

/// A template with its actions replaced, and the places of the actions.
type Printed = (Text, Arc<Places>);

fn printed(filled: Option<Filled>) -> Option<Printed> {
    filled.map(|it| (Text::whole(it.text.into()), Arc::new(it.places)))
}

struct Shared {
    source: Arc<SourceText>,
    text: Text,
}

impl Shared {
    fn new(path: Arc<Path>, text: Text) -> Self {
        let source = Arc::new(SourceText::new(path, text.content.clone()));
        Self { source, text }
    }
}

impl DefiningFile {
    /// Creates a file. If the file is open in an editor, `text` is its text, so that it need not be read.
    pub(super) fn new(path: Arc<Path>, text: Option<&Arc<str>>) -> Self {
        let known = text.map(|text| Some(Shared::new(path.clone(), Text::whole(text.clone()))));
        Self {
            path,
            text: known.map_or_else(OnceLock::new, OnceLock::from),
            filled: OnceLock::new(),
            filled_with_blocks: OnceLock::new(),
            trees: Mutex::default(),
        }
    }

    /// Creates a file for a text that a kustomization has built.
    pub(super) fn built(path: Arc<Path>, text: &Arc<str>, from: Arc<BuiltFrom>) -> Self {
        let shared = Shared {
            source: Arc::new(SourceText::built(path.clone(), text.clone(), from)),
            text: Text::whole(text.clone()),
        };
        Self {
            path,
            text: OnceLock::from(Some(shared)),
            filled: OnceLock::new(),
            filled_with_blocks: OnceLock::new(),
            trees: Mutex::default(),
        }
    }

    /// The files from which a kustomization has built this file, if one has.
    fn built_from(&self) -> Option<&BuiltFrom> {
        self.text.get()?.as_ref()?.source.built.as_deref()
    }

    fn text(&self, files: &dyn Files) -> Option<&Shared> {
        let read = || {
            let bytes = files.read(&self.path)?;
            Some(Shared::new(self.path.clone(), Text::decode(bytes)))
        };
        self.text.get_or_init(read).as_ref()
    }

    fn tree(&self, document: Document, text: &Text) -> DocumentTree {
        let cell = {
            let mut trees = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
            trees.entry(document.index).or_default().clone()
        };
        cell.get_or_init(|| {
            let tree = text.read(document).ok().map(Arc::new);
            let json = tree.as_ref().and_then(|it| KeptJson::read(it.clone()).ok());
            // Braces of a template may look like YAML that has no JSON.
            if let Some(filled) = json.is_none().then(|| self.filled_tree(document, text)).flatten() {
                return filled;
            }
            DocumentTree {
                tree: tree.unwrap_or_else(|| Arc::new(edit::read(&text.content, document.span).tree)),
                is_readable: json.is_some(),
                json: Arc::new(Mutex::new(json)),
                filled: None,
            }
        })
        .clone()
    }

    /// The tree of a CRD in a template, if resources do not depend on what the template prints, such as labels or the certificate of a webhook. If the
    /// template may omit some versions, the tree has them, because resources of these versions need them.
    fn filled_tree(&self, document: Document, text: &Text) -> Option<DocumentTree> {
        let filled = self.filled.get_or_init(|| printed(fill(&text.content)));
        let (taken, tree) = DocumentTree::of_template(filled.as_ref()?, document)?;
        if taken <= Taken::Conversion {
            return Some(tree);
        }
        if taken > Taken::Versions {
            return None;
        }
        let whole = &self.filled_with_blocks;
        let whole = whole.get_or_init(|| printed(with_blocks(&text.content)));
        let (taken, tree) = DocumentTree::of_template(whole.as_ref()?, document)?;
        (taken <= Taken::Conversion).then_some(tree)
    }
}

#[derive(Clone)]
struct DocumentTree {
    tree: Arc<Tree>,
    is_readable: bool,
    /// The JSON until its first use, then `None`. Most CRDs are prepared only once, right after they are parsed.
    json: Arc<Mutex<Option<KeptJson>>>,
    /// The places in a template that are not known.
    filled: Option<Arc<Places>>,
}

impl DocumentTree {
    /// The tree of a CRD in a template, and what of the CRD is not known.
    fn of_template((text, places): &Printed, document: Document) -> Option<(Taken, Self)> {
        let tree = Arc::new(text.read(document).ok()?);
        let mut json = read_json(&tree).ok()?;
        let taken = unknown_crd::take(&mut json, &tree, Some(places)).taken;
        let read = Self {
            tree: tree.clone(),
            is_readable: true,
            json: Arc::default(),
            filled: Some(places.clone()),
        };
        Some((taken, read))
    }
}

/// A CRD, and the file that contains it.
pub struct KnownCrd {
    /// The absolute path of the file.
    pub path: Arc<Path>,
    /// The kind that the CRD defines.
    pub defines: GroupKind,
    /// The name of the CRD: the plural name and the group.
    pub name: String,
    /// The origin of the CRD.
    pub origin: Origin,
    /// The role of the file according to its path. The CRD's text may change it.
    pub place: Arc<Place>,
    pub(super) of_text: Standing,
    /// The fingerprint of the CRD's text. If another object contains the CRD, that of the whole document.
    pub fingerprint: Fingerprint,
    pub(super) document: Document,
    pub(super) inside: Option<Inside>,
    pub(super) file: Arc<DefiningFile>,
    /// Whether the file is open in an editor.
    pub(super) is_open: bool,
    /// The last version of the CRD that could be parsed, because a document often cannot be parsed while the user edits it.
    pub(super) previous: Option<Arc<KnownCrd>>,
    pub(super) loaded: Loaded,
    /// The CRD as the API server of each Kubernetes version serves it. All CRDs with the same text share this.
    pub(super) served: Arc<ServedByVersion>,
}

/// The text of a CRD, loaded on first use. `None` if the CRD does not exist.
#[derive(Default)]
pub(super) struct Loaded {
    text: OnceLock<Option<Arc<CrdText>>>,
    is_used: AtomicBool,
}

impl Loaded {
    pub(super) fn get(&self) -> Option<&Option<Arc<CrdText>>> {
        self.text.get()
    }

    fn get_or_init(&self, load: impl FnOnce() -> Option<Arc<CrdText>>) -> Option<&Arc<CrdText>> {
        if self.text.get().is_some() && !self.is_used() {
            self.is_used.store(true, Ordering::Relaxed);
        }
        self.text.get_or_init(load).as_ref()
    }

    /// Whether the text was used more than once, or was used since the last call of [`Loaded::forget_use`].
    pub(super) fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Relaxed)
    }

    pub(super) fn forget_use(&self) {
        self.is_used.store(false, Ordering::Relaxed);
    }
}

impl fmt::Debug for KnownCrd {
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

impl KnownCrd {
    /// The CRD and its text. If the text is not valid YAML, the last version that could be parsed and its text. The text is read once. `None` if the
    /// CRD no longer exists.
    pub fn readable_text(&self, files: &dyn Files) -> Option<(&Self, Arc<CrdText>)> {
        let loaded = self.loaded.get_or_init(|| self.load(files).map(Arc::new));
        match (loaded, &self.previous) {
            (Some(text), _) if text.is_readable => Some((self, text.clone())),
            (_, Some(previous)) => previous.readable_text(files),
            (Some(text), None) => Some((self, text.clone())),
            (None, None) => None,
        }
    }

    /// The files from which a kustomization has built the CRD, if one has.
    pub fn built_from(&self) -> Option<&BuiltFrom> {
        self.file.built_from()
    }

    /// The file that the user can open for this CRD.
    pub fn written_path(&self) -> &Path {
        self.built_from().map_or(&self.path, |it| &it.path)
    }

    /// The same CRD in another file object, without its text loaded.
    pub(super) fn unread(&self, file: Arc<DefiningFile>) -> Self {
        Self {
            path: self.path.clone(),
            defines: self.defines.clone(),
            name: self.name.clone(),
            origin: self.origin,
            place: self.place.clone(),
            of_text: self.of_text,
            fingerprint: self.fingerprint,
            document: self.document,
            inside: self.inside.clone(),
            file,
            is_open: self.is_open,
            previous: self.previous.clone(),
            loaded: Loaded::default(),
            served: Arc::default(),
        }
    }

    /// The index of its document among all documents of the file.
    pub fn document_index(&self) -> usize {
        self.document.index as usize
    }

    /// Whether the CRD has all fields that the API server requires, and does not only state what a test expects.
    pub fn is_whole(&self) -> bool {
        self.place.standing < Standing::Part
    }

    /// Whether the CRD is current, which means that it does not belong to an older release, another project, documentation or tests.
    pub fn is_current(&self) -> bool {
        self.place.standing <= Standing::Packaged
    }

    /// The text of the CRD, see [`KnownCrd::readable_text`].
    pub fn text(&self, files: &dyn Files) -> Option<Arc<CrdText>> {
        self.readable_text(files).map(|it| it.1)
    }

    /// This CRD, if its text was loaded and could be parsed. Otherwise the last version that could be parsed.
    pub(super) fn readable(self: &Arc<Self>) -> Option<Arc<Self>> {
        match self.loaded.get() {
            Some(Some(text)) if text.is_readable => Some(self.clone()),
            _ => self.previous.clone(),
        }
    }

    fn load(&self, files: &dyn Files) -> Option<CrdText> {
        let shared = self.file.text(files)?;
        let there = shared.text.content.get(self.document.span.range());
        let (document, inside) = if there.is_some_and(|it| Fingerprint::of(it) == self.fingerprint) {
            (self.document, self.inside.clone())
        } else {
            // The file has changed since it was indexed, so search for the CRD again.
            let now = objects::read(&shared.text);
            let same = now
                .into_iter()
                .rev()
                .find(|it| it.defines.as_ref() == Some(&self.defines))?;
            (same.document, same.inside)
        };
        let DocumentTree {
            tree,
            is_readable,
            json,
            filled,
        } = self.file.tree(document, &shared.text);
        let mut root = tree.resolve(tree.root()?);
        if let Some(inside) = &inside {
            let place = paths::find_from(&tree, root, &inside.path);
            root = place.is_found().then(|| tree.resolve(place.node))?;
        }
        Some(CrdText {
            source: shared.source.clone(),
            tree,
            root,
            is_inside: inside.is_some(),
            is_readable,
            json,
            shared_json: Mutex::default(),
            filled,
            cluster: (self.origin == Origin::Cluster)
                .then(|| cluster::context(&self.path))
                .flatten(),
            unreadable: OnceLock::new(),
            wrong_parts: Mutex::default(),
        })
    }
}

/// A part of a CRD that the API server rejects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum WrongPart {
    /// A keyword of a schema with its value.
    Keyword(Span),
    /// A schema with a wrong default.
    Default(Span),
}

/// A CRD as an API server serves it, and its text.
pub type Served = (Arc<Definition>, Arc<CrdText>);

/// The text of a CRD that cannot be served. `None` if the CRD no longer exists.
pub type Unserved = Option<Arc<CrdText>>;

impl KnownCrd {
    /// The CRD as an API server of this Kubernetes version serves it, with its text.
    pub fn serve(&self, files: &dyn Files, version: KubernetesVersion) -> Result<Served, Unserved> {
        let (known, text) = self.readable_text(files).ok_or(None)?;
        match known.served.get(version, || text.prepare(version)) {
            Some(definition) => Ok((definition, text)),
            None => Err(Some(text)),
        }
    }
}

impl KnownCrd {
    /// A fingerprint of the parts of a CRD that affect resources of a version. CRDs with the same fingerprint accept the same resources. `None` if
    /// the text cannot be parsed.
    pub fn decides(&self, files: &dyn Files, version: &str) -> Option<Fingerprint> {
        let (known, text) = self.readable_text(files)?;
        known.served.decides.of(version, || text.decides(version))
    }
}

/// The text and tree of a CRD.
#[derive(Debug)]
pub struct CrdText {
    /// The file and its whole text, to which all spans refer.
    pub source: Arc<SourceText>,
    /// The tree of the document that contains the CRD.
    pub tree: Arc<Tree>,
    /// The root mapping of the CRD, which is the root of the document or an object in it.
    pub root: NodeId,
    /// Whether the CRD is inside another object, such as an item of a list.
    pub(crate) is_inside: bool,
    /// Whether the text is valid YAML that can be converted to JSON. If not, the tree comes from the error-tolerant parser.
    pub is_readable: bool,
    /// The JSON of the document until its first use, then `None`.
    json: Arc<Mutex<Option<KeptJson>>>,
    /// The JSON of the CRD, as long as somebody uses it.
    shared_json: Mutex<Weak<KeptJson>>,
    /// The places in a template that are not known. No schema has one.
    filled: Option<Arc<Places>>,
    /// The context of the cluster from which the CRD comes, if any.
    pub cluster: Option<String>,
    /// The reason why the CRD cannot be decoded, and its span. Every resource of the kind tells it.
    pub(crate) unreadable: OnceLock<Option<(Span, String)>>,
    /// The parts of the CRD that the API server of a Kubernetes version rejects.
    wrong_parts: Mutex<BTreeMap<KubernetesVersion, Arc<[WrongPart]>>>,
}

impl CrdText {
    /// The parts of the CRD that the API server of a Kubernetes version rejects. `find` is called once for each version.
    pub(crate) fn wrong_parts(
        &self,
        version: KubernetesVersion,
        find: impl FnOnce() -> Arc<[WrongPart]>,
    ) -> Arc<[WrongPart]> {
        let mut known = self.wrong_parts.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(version).or_insert_with(find).clone()
    }

    /// The JSON of the CRD, without the values that are not known. It is converted once for all who hold it at the same time. `None` if it cannot be converted.
    pub(crate) fn shared_json(&self) -> Option<Arc<KeptJson>> {
        let mut shared = self.shared_json.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(json) = shared.upgrade() {
            return Some(json);
        }
        let known = |json: &mut JsonDoc<'_>, tree: &Tree| {
            if let Some(places) = &self.filled {
                unknown_crd::take(json, tree, Some(places));
            }
        };
        let json = Arc::new(KeptJson::read_changed(self.tree.clone(), self.root, known).ok()?);
        *shared = Arc::downgrade(&json);
        Some(json)
    }

    fn decides(&self, version: &str) -> Option<Fingerprint> {
        let kept = self.json.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(json) = kept.as_ref().filter(|_| !self.is_inside) {
            return decides::of(json.get().root()?, version);
        }
        drop(kept);
        decides::of(self.read()?.root()?, version)
    }

    /// The JSON of the CRD, without the values that are not known.
    fn read(&self) -> Option<JsonDoc<'_>> {
        let mut json = read_json_of(&self.tree, self.root).ok()?;
        if let Some(places) = &self.filled {
            unknown_crd::take(&mut json, &self.tree, Some(places));
        }
        Some(json)
    }

    /// The CRD as the API server of this Kubernetes version serves it. `None` if the text cannot be decoded.
    fn prepare(&self, version: KubernetesVersion) -> Option<Definition> {
        if !self.is_readable {
            return None;
        }
        let kept = || self.json.lock().unwrap_or_else(PoisonError::into_inner).take();
        let stored = match (!self.is_inside).then(kept).flatten() {
            Some(json) => Stored::establish(json.get(), version)?,
            None => Stored::establish(&self.read()?, version)?,
        };
        Some(Definition::new(stored, version))
    }

    /// The span of the value of `spec.names.kind`. If it is missing, the CRD's first line.
    pub fn kind_span(&self) -> Span {
        let place = self.find(&["spec", "names", "kind"]);
        place.map_or_else(
            || crate::documents::spans::first_line(&self.source.text, self.tree.span(self.root)),
            |place| place.value_span(&self.tree),
        )
    }

    /// The names of the resource in commands: plural, singular and short names.
    pub fn names(&self) -> Vec<String> {
        let list = self.find(&["spec", "names", "shortNames"]);
        let short = list
            .into_iter()
            .flat_map(|it| self.tree.items(self.tree.resolve(it.node)));
        let single = [["spec", "names", "plural"], ["spec", "names", "singular"]];
        let single = single.iter().filter_map(|it| Some(self.find(it)?.node));
        let names = single.chain(short).map(|it| self.tree.resolve(it));
        let names = names.filter(|it| matches!(self.tree.kind(*it), NodeKind::Scalar(_)));
        names
            .map(|it| self.tree.scalar(it).into_owned())
            .filter(|it| !it.is_empty())
            .collect()
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

    /// The schema of objects of a version (`openAPIV3Schema`). It is the version's own schema, or the schema that all versions share in `v1beta1`.
    pub fn schema(&self, version: &str) -> Option<PathTarget> {
        let own = self
            .version(version)
            .and_then(|it| self.follow(it, &["schema", "openAPIV3Schema"]));
        own.or_else(|| self.find(&["spec", "validation", "openAPIV3Schema"]))
    }

    /// The schema of the value at a path of an object, found through `properties`, `additionalProperties` and `items`. `None` if the schema does not
    /// exist.
    pub fn schema_at(&self, version: &str, path: &[Step<'_>]) -> Option<PathTarget> {
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

    fn schema_in(&self, schema: NodeId, key: &str) -> Option<PathTarget> {
        self.child(schema, key)
            .filter(|it| matches!(self.tree.kind(self.tree.resolve(it.node)), NodeKind::Mapping(_)))
    }

    /// The value at a path of keys of the CRD.
    pub fn find(&self, path: &[&str]) -> Option<PathTarget> {
        self.follow(self.root, path)
    }

    fn follow(&self, node: NodeId, path: &[&str]) -> Option<PathTarget> {
        let mut place = None;
        let mut node = node;
        for key in path {
            let next = self.child(node, key)?;
            node = next.node;
            place = Some(next);
        }
        place
    }

    /// The value of a key, through aliases and merge keys.
    pub fn child(&self, mapping: NodeId, key: &str) -> Option<PathTarget> {
        let entry = paths::lookup(&self.tree, self.tree.resolve(mapping), key)?;
        Some(PathTarget {
            node: entry.value,
            key: Some(entry.key),
            missing: 0,
        })
    }
}
