//! Generates complete CRDs from Go types, for kinds without a CRD in the repository, and for kinds whose CRD in the repository has other fields than
//! the types.

use std::{
    cell::OnceCell,
    collections::{BTreeSet, HashMap},
    path::Path,
    rc::Rc,
    sync::Arc,
};

use crd_analyzer_generator::{
    Crd, Generator, Modules, Options, Reach, Sources as _,
    node::{Node, Origin, Part},
};
use crd_analyzer_gosource::{Module, check::catalog::Release, literal};
use crd_analyzer_syntax::{paths::find, read_json_of, tree::Span};
use serde_json::Value;

use super::{
    set::{list, literal},
    stale::{self, Difference, Older, Stale, Unsettled},
};
use crate::{
    documents::source::SourceText,
    index::{Files, GroupKind, KnownCrd},
    sources::{
        change,
        made::Made,
        manifest::{Manifest, Place, Writing},
        refused::Refused,
    },
};

/// Generates CRDs from the packages of a module.
pub(in crate::sources) struct Whole<'m> {
    modules: &'m Modules,
    packages: &'m [String],
    options: Options,
    /// Whether controller-gen certainly rejects fields that are not exported and have no JSON tag.
    rejects_unexported: bool,
    generator: Generator<'m>,
    kinds: Option<Rc<[GroupKind]>>,
    /// The complete CRDs so far, because the repository may have several copies of a CRD. `None` if a CRD is not completely known.
    known: HashMap<GroupKind, Option<Rc<Known>>>,
    /// The CRDs that other releases of controller-gen, or other runs, generate.
    others: HashMap<(GroupKind, String), Option<Rc<Unsettled>>>,
    texts: HashMap<Arc<Path>, Arc<SourceText>>,
}

/// A complete CRD.
struct Known {
    crd: Crd,
    value: OnceCell<Value>,
}

impl Known {
    fn value(&self) -> &Value {
        self.value.get_or_init(|| self.crd.object.to_json())
    }
}

/// The result of generating the complete CRD for a kind that already has a CRD.
#[derive(Default)]
pub(in crate::sources) struct Newer {
    /// The generated CRD. `None` if it is not what the project applies to the cluster.
    pub(in crate::sources) manifest: Option<Manifest>,
    /// Whether the types may have other fields than the CRD. If so, the generated CRD may be used after a change of markers.
    pub(in crate::sources) may_be: bool,
}

impl<'m> Whole<'m> {
    /// Creates a generator for the packages with these import paths. `are_begun` means that the user is typing, so that a string may be unterminated.
    pub(in crate::sources) fn new(
        modules: &'m Modules,
        packages: &'m [String],
        module: &Module,
        are_begun: bool,
    ) -> Self {
        let project = module.crd_options();
        let options = Options {
            // Where the project's options for controller-gen are unknown, choose options with which nothing is rejected.
            allows_dangerous_types: project.is_on("allowDangerousTypes") != Some(false),
            has_embedded_metadata: project.is_on("generateEmbeddedObjectMeta") != Some(false),
            leaves_out_unexported: project.is_on("ignoreUnexportedFields") == Some(true),
            may_lack_descriptions: true,
            are_begun,
            is_strict: false,
            ..Options::of(module.controller_gen().unwrap_or(Release::NEWEST))
        };
        let tool = module.controller_gen_version().unwrap_or_default();
        Self {
            modules,
            packages,
            generator: Generator::new(packages, modules, &options, Some(tool)),
            rejects_unexported: project.is_on("ignoreUnexportedFields") == Some(false),
            options,
            kinds: None,
            known: HashMap::new(),
            others: HashMap::new(),
            texts: HashMap::new(),
        }
    }

    /// The folder of the module.
    pub(in crate::sources) fn root(&self) -> &'m Path {
        self.modules.root()
    }

    /// The kinds for which controller-gen writes CRDs, sorted.
    pub(in crate::sources) fn kinds(&mut self) -> Rc<[GroupKind]> {
        let found = self.kinds.get_or_insert_with(|| {
            let mut kinds = self.generator.kinds();
            kinds.retain(|(group, kind)| !group.is_empty() && !self.generator.is_internal(group, kind));
            let kinds = kinds.into_iter();
            kinds.map(|(group, kind)| GroupKind { group, kind }).collect()
        });
        found.clone()
    }

    /// The types on which the CRD of a kind may depend.
    pub(in crate::sources) fn reach(&mut self, of: &GroupKind) -> Reach {
        self.generator.reach((&of.group, &of.kind))
    }

    /// The generated CRD for a kind that has no CRD in the repository. `None` if it is not completely known, or if a CRD of the repository has its name:
    /// a script has then changed the kind. Its file is assumed to be in the module's folder, so CRDs near that folder take precedence.
    pub(in crate::sources) fn new_crd(&mut self, of: &GroupKind, is_taken: impl Fn(&str) -> bool) -> Option<Manifest> {
        let crd = &self.known(of)?.crd;
        if is_taken(&format!("{}.{}", crd.plural, crd.group)) {
            return None;
        }
        self.manifest(crd, self.modules.root().join(&crd.file).into())
    }

    /// The types that these kinds need and that are not on this machine, each after the import path of its package.
    pub(in crate::sources) fn missing(&mut self, of: impl Fn(&GroupKind) -> bool) -> Vec<String> {
        for kind in self.kinds().iter().filter(|it| of(it)) {
            let _ = self.generator.crd(&kind.group, &kind.kind);
        }
        self.generator.missing().to_vec()
    }

    /// The fields and types of the project for which controller-gen fails when it generates the CRD of a kind.
    pub(in crate::sources) fn refused(&mut self, of: &GroupKind) -> Vec<Refused> {
        let _ = self.known(of);
        let mut found = Vec::new();
        for refused in self.generator.refused_of((&of.group, &of.kind)) {
            let Some(origin) = refused.origin.filter(|it| self.is_own(&it.file)) else {
                continue;
            };
            if self.read(&origin).is_some() {
                let refused = Refused::new(Texts(&self.texts).place(&origin), refused.reason);
                found.extend(refused.filter(|it| self.rejects_unexported || !it.what.is_unexported()));
            }
        }
        found
    }

    /// Whether a file belongs to the module, and not to one of its dependencies.
    fn is_own(&self, file: &Path) -> bool {
        let below = file.strip_prefix(self.modules.root());
        below.is_ok_and(|it| !it.starts_with("vendor"))
    }

    /// The place of a kind without a CRD: the declaration of its type.
    pub(in crate::sources) fn without_crd(&mut self, of: &GroupKind) -> Option<Manifest> {
        let crd = self.generator.crd(&of.group, &of.kind)?;
        let (_, declared) = crd.declared.first()?;
        self.read(declared)?;
        let mut writing = Writing::default();
        writing.from(&Texts(&self.texts).place(declared), None, |_| {});
        Some(writing.finish(self.modules.root().join(&crd.file).into()))
    }

    fn known(&mut self, of: &GroupKind) -> Option<Rc<Known>> {
        if let Some(known) = self.known.get(of) {
            return known.clone();
        }
        let crd = self.generator.crd(&of.group, &of.kind);
        let known = crd.filter(|it| !it.object.has_unknown()).map(|crd| {
            let value = OnceCell::new();
            Rc::new(Known { crd, value })
        });
        self.known.insert(of.clone(), known.clone());
        known
    }

    /// The CRD of a kind as this version of controller-gen generates it. The version belongs to the release.
    fn other(&mut self, of: &GroupKind, (release, version): (Release, &str)) -> Option<Rc<Unsettled>> {
        let key = (of.clone(), version.to_owned());
        if let Some(known) = self.others.get(&key) {
            return known.clone();
        }
        let options = Options {
            release,
            ..self.options.clone()
        };
        let of_module = (self.modules, self.packages);
        let made = Unsettled::new(of_module, of, (&options, version)).map(Rc::new);
        self.others.insert(key, made.clone());
        made
    }

    /// Compares the complete CRD that the types generate with the updated CRD in `made`. It is used if the types only have other fields. If anything
    /// else differs, a script changed the CRD after it was generated, so the generated CRD is not what the project applies to the cluster.
    pub(in crate::sources) fn newer(&mut self, made: &Made, crd: &KnownCrd) -> Newer {
        let text = &made.manifest().text;
        // If some types are unknown, they stay unknown until a field changes.
        let Some((whole, made)) = self.known(&crd.defines).zip(serde_json::from_str::<Value>(text).ok()) else {
            return Newer::default();
        };
        let value = whole.value();
        let may_be = has_other_fields(&made, value);
        let is_newer = may_be && is_newer(&made, value);
        Newer {
            manifest: is_newer.then(|| self.manifest(&whole.crd, crd.path.clone())).flatten(),
            may_be,
        }
    }

    /// The differences that show that a CRD is older than its types. `None` if it is not older, or if a script may have made the differences. `root`
    /// is the folder of the project.
    pub(in crate::sources) fn stale(&mut self, crd: &KnownCrd, (root, files): (&Path, &dyn Files)) -> Option<Stale> {
        let text = crd.text(files).filter(|it| it.is_readable && !it.is_inside)?;
        let value = read_json_of(&text.tree, text.root).ok()?.root()?.to_value();
        let compare = |made: &Part, declared: &Origin| stale::differences(&value, made, (declared, root));
        let known = self.known(&crd.defines)?;
        if !self.refused(&crd.defines).is_empty() {
            // controller-gen fails, so nobody can update the CRD.
            return None;
        }
        let mut found = compare(&known.crd.object, &known.crd.declared.first()?.1);
        if found.is_empty() || stale::header(&text.source.text, &value).is_none() {
            return None;
        }
        let (release, version) = stale::release_of(&value)?;
        if release != self.options.release || self.generator.has_choices() {
            // Another release of controller-gen, or just another run, may generate a different CRD from the same types, so compare again with the
            // same release.
            let made = self.other(&crd.defines, (release, version))?;
            found = compare(&made.settled(&value), made.declared()?);
        }
        let mut older = Vec::new();
        for Difference { path, from, what } in found {
            let Some(target) = find(&text.tree, &change::steps(&path)) else {
                continue;
            };
            self.read(&from)?;
            older.push(Older {
                place: Texts(&self.texts).place(&from),
                at: target.key_span(&text.tree),
                what,
            });
        }
        let crd = text.source.clone();
        (!older.is_empty()).then_some(Stale { crd, older })
    }

    fn manifest(&mut self, crd: &Crd, path: Arc<Path>) -> Option<Manifest> {
        // The place for parts that come neither from a field nor from a marker: the declaration of the kind.
        let (_, declared) = crd.declared.first()?;
        self.read(declared)?;
        self.read_all(&crd.object)?;
        let texts = Texts(&self.texts);
        let mut writing = Writing::default();
        writing.from(&texts.place(declared), None, |to| texts.write(&crd.object, to));
        Some(writing.finish(path))
    }

    /// Reads the files from which a part comes.
    fn read_all(&mut self, part: &Part) -> Option<()> {
        part.from.as_ref().map_or(Some(()), |it| self.read(it))?;
        match &part.node {
            Node::Map(members) => members.iter().try_for_each(|it| self.read_all(&it.1)),
            Node::List(items) => items.iter().try_for_each(|it| self.read_all(it)),
            Node::Value(_) => Some(()),
        }
    }

    fn read(&mut self, origin: &Origin) -> Option<()> {
        if !self.texts.contains_key(&origin.file) {
            let types = self.modules.types(&origin.file)?;
            let file = Arc::new(SourceText::new(origin.file.clone(), types.text.clone()));
            self.texts.insert(origin.file.clone(), file);
        }
        Some(())
    }
}

/// The files from which the parts of a CRD come, by path.
#[derive(Clone, Copy)]
struct Texts<'t>(&'t HashMap<Arc<Path>, Arc<SourceText>>);

impl Texts<'_> {
    fn place(self, origin: &Origin) -> Place {
        Place {
            file: self.0[&origin.file].clone(),
            span: Span::new(origin.span.start as u32, origin.span.end as u32),
        }
    }

    /// Writes a part without the place from which it comes.
    fn write(self, part: &Part, to: &mut Writing) {
        match &part.node {
            Node::Map(members) => {
                to.raw("{");
                for (n, (key, member)) in members.iter().enumerate() {
                    to.raw(if n > 0 { ", " } else { "" });
                    self.within(member, to, |to| {
                        to.string(key);
                        to.raw(": ");
                        self.write(member, to);
                    });
                }
                to.raw("}");
            }
            Node::List(items) => list(items, to, |to, item| self.within(item, to, |to| self.write(item, to))),
            Node::Value(value) => {
                let written = part.from.as_ref().and_then(|it| Some((it, it.written.as_ref()?)));
                match written {
                    Some((origin, written)) if says(written, value) => literal(&self.place(origin), written, to),
                    _ => json(value, to),
                }
            }
        }
    }

    /// Writes a part with the place from which it comes: a field or type declares it, or a marker sets it.
    fn within(self, part: &Part, to: &mut Writing, write: impl FnOnce(&mut Writing)) {
        let Some(origin) = &part.from else {
            return write(to);
        };
        let place = self.place(origin);
        if place.file.text[place.span.range()].starts_with('+') {
            to.said(&place, write);
        } else {
            to.from(&place, None, write);
        }
    }
}

/// Whether a string value equals the literal, so that their characters correspond.
fn says(literal: &literal::Literal, value: &Value) -> bool {
    match (&literal.value, value) {
        (literal::Value::String(text), Value::String(value)) => text == value,
        (literal::Value::List(_) | literal::Value::Map(_), _) => false,
        (literal::Value::String(_), _) | (_, Value::String(_)) => false,
        _ => true,
    }
}

/// Writes a value in JSON.
fn json(value: &Value, to: &mut Writing) {
    match value {
        Value::String(text) => to.string(text),
        Value::Array(items) => list(items, to, |to, item| json(item, to)),
        Value::Object(members) => {
            to.raw("{");
            for (n, (key, value)) in members.iter().enumerate() {
                to.raw(if n > 0 { ", " } else { "" });
                to.string(key);
                to.raw(": ");
                json(value, to);
            }
            to.raw("}");
        }
        other => to.raw(&other.to_string()),
    }
}

/// A property whose schema depends on an option of controller-gen.
const METADATA: &str = "metadata";

/// Whether the generated CRD differs from a CRD in the repository only because somebody has changed the types. This is so if it equals `put` except
/// for descriptions, and for fields that are new or removed. Otherwise a script has changed the CRD, and the generated one is not what the project
/// applies to the cluster.
fn is_newer(put: &Value, whole: &Value) -> bool {
    match (put, whole) {
        (Value::Object(put), Value::Object(whole)) => {
            let keys: BTreeSet<&String> = put.keys().chain(whole.keys()).collect();
            keys.into_iter().all(|key| match (put.get(key), whole.get(key)) {
                _ if matches!(
                    key.as_str(),
                    "description" | "annotations" | "labels" | "required" | "status"
                ) =>
                {
                    true
                }
                (Some(Value::Object(put)), Some(Value::Object(whole))) if key == "properties" => {
                    let mut fields = put.iter().filter(|it| it.0 != METADATA);
                    fields.all(|(name, it)| whole.get(name).is_none_or(|other| is_newer(it, other)))
                }
                (Some(put), Some(whole)) => is_newer(put, whole),
                (Some(one), None) | (None, Some(one)) => {
                    matches!(
                        key.as_str(),
                        "creationTimestamp" | "conversion" | "preserveUnknownFields"
                    ) || one.is_null()
                        || key == "properties"
                }
                (None, None) => true,
            })
        }
        (Value::Array(put), Value::Array(whole)) => {
            put.len() == whole.len() && put.iter().zip(whole).all(|(put, whole)| is_newer(put, whole))
        }
        (put, whole) => put == whole || put.as_f64().is_some() && put.as_f64() == whole.as_f64(),
    }
}

/// Whether some properties are only in the types or only in the CRD.
fn has_other_fields(put: &Value, whole: &Value) -> bool {
    match (put, whole) {
        (Value::Object(put), Value::Object(whole)) => {
            let keys: BTreeSet<&String> = put.keys().chain(whole.keys()).collect();
            let mut keys = keys
                .into_iter()
                .filter(|it| !matches!(it.as_str(), "description" | "metadata"));
            keys.any(|key| match (put.get(key), whole.get(key)) {
                (Some(Value::Object(put)), Some(Value::Object(whole))) if key == "properties" => {
                    let is_other = |it: &String| !(put.contains_key(it) && whole.contains_key(it));
                    let mut below = put.iter().filter(|it| it.0 != METADATA);
                    put.keys().chain(whole.keys()).any(is_other)
                        || below.any(|(name, it)| whole.get(name).is_some_and(|other| has_other_fields(it, other)))
                }
                (Some(put), Some(whole)) => has_other_fields(put, whole),
                _ => key == "properties",
            })
        }
        (Value::Array(put), Value::Array(whole)) => {
            put.iter().zip(whole).any(|(put, whole)| has_other_fields(put, whole))
        }
        _ => false,
    }
}
