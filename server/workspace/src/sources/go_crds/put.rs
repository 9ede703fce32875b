//! Updates CRDs from the markers of Go types: takes the CRD that controller-gen wrote, and sets the values that the markers set now. Everything else
//! stays as in the CRD, because scripts may have changed it.

use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    ops::Range,
    path::Path,
    sync::Arc,
};

use super::set::{Name, Object, Set, id_of, is_same, list, literal, says_object, text_of, values_in};
use crd_analyzer_budget as budget;
use crd_analyzer_gosource::{
    Cursor, KEYS, Kind, LISTS, Module, ONLY_MARKERS_SET, Said, Site, SourceFile, Step, To, check::catalog::Release,
    literal,
};
use crd_analyzer_syntax::{
    json::{Json, JsonValue},
    tree::{NodeId, Span},
};

use crate::{
    documents::source::SourceText,
    index::CrdText,
    sources::{
        generated::is_annotated,
        manifest::{Manifest, Place, Writing},
    },
};

/// The first controller-gen release that leaves out repeated list map keys.
const DROPS_TWICE: Release = Release(22);

/// The keyword for validation rules.
const RULES: &str = "x-kubernetes-validations";

/// The properties that every kind has, whose types Kubernetes itself declares.
const OF_ALL_OBJECTS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The work units to apply the markers of a field or type to one schema.
const A_SITE: u64 = 1_000;

/// The memory for a value that a marker sets, in bytes, in addition to the value's text.
const A_VALUE: u64 = 300;

/// The maximum ratio of the size of all applied markers to the size of the CRD. If types refer to each other, the same markers may apply to many
/// fields.
const MOST_TIMES: u64 = 4;
const LEAST_ROOM: u64 = 1 << 20;

/// The maximum nesting depth of schemas to update.
const MAX_DEPTH: usize = 100;

/// A CRD updated from the markers of Go types.
#[derive(Debug)]
pub struct GoCrd {
    /// The updated CRD.
    pub manifest: Manifest,
    /// Whether the CRD that controller-gen wrote already has the same content.
    pub is_in_step: bool,
}

/// Updates a CRD from the types of the repository from which it was generated. `None` if those types are not found.
pub fn make(crd: &CrdText, module: &Module) -> Option<GoCrd> {
    with_markers(crd, || module, false)
}

/// Like [`make`]. Calls `module` only if the CRD was generated. `are_begun` means that the user is typing, so that a string may be unterminated.
pub(super) fn with_markers<'m>(crd: &CrdText, module: impl FnOnce() -> &'m Module, are_begun: bool) -> Option<GoCrd> {
    let json = crd.shared_json()?;
    let root = json.get().root()?;
    if !is_annotated(root) {
        return None;
    }
    let spec = root.get("spec")?;
    let text_at = |of: &Json<'_>, path: &[&str]| {
        let found = path.iter().try_fold(of, |at, key| at.get(key))?;
        found.as_str().map(str::to_owned)
    };
    let (group, kind) = (text_at(spec, &["group"])?, text_at(spec, &["names", "kind"])?);
    let module = module();
    let mut put = Put {
        module,
        are_begun,
        schemas: HashMap::new(),
        texts: HashMap::new(),
        is_in_step: true,
        is_over: false,
        room: LEAST_ROOM + MOST_TIMES * crd.tree.span(crd.root).range().len() as u64,
        declared: 0,
        undeclared: 0,
    };
    // The place for parts that come neither from a field nor from a marker: the declaration of the kind.
    let mut anchor = None;
    let mut versions = Vec::new();
    let mut cursors = Vec::new();
    for version in spec.get("versions")?.items()? {
        let name = text_at(version, &["name"])?;
        let of = Kind {
            group: &group,
            version: &name,
            kind: &kind,
            is_generated: true,
        };
        cursors.push((version, module.cursor(&of)));
    }
    // Scripts may have added versions for which no types exist.
    let are_known = cursors.iter().all(|it| it.1.is_some());
    let is_only = cursors.len() == 1;
    for (version, cursor) in cursors {
        let site = cursor.as_ref().map(|it| it.declaration().site.clone());
        // controller-gen leaves out such a version, so keep its content from the CRD.
        let is_skipped = |it: &Site| !it.given("kubebuilder:skipversion", put.release()).is_empty();
        let schema = version.get("schema").and_then(|it| it.get("openAPIV3Schema"));
        if let (Some(cursor), Some(schema)) = (&cursor, schema)
            && !site.as_ref().is_some_and(is_skipped)
        {
            put.version(version, cursor, are_known.then_some(is_only));
            put.schema(schema, cursor, 0);
            anchor.get_or_insert_with(|| put.schemas[&version.node].declared.clone());
        }
        versions.push((version, site));
    }
    put.names((root, spec), (&group, &kind), &versions);
    // If too few properties are fields of the types, the types belong to another project and only have the same names.
    let anchor = anchor.filter(|_| put.declared >= put.undeclared && !put.is_over)?;
    let mut writing = Writing::default();
    writing.from(&anchor, None, |to| put.write(root, to));
    Some(GoCrd {
        manifest: writing.finish(crd.source.path.clone()),
        is_in_step: put.is_in_step,
    })
}

/// The changes to a schema or another mapping of the CRD.
pub(super) struct Schema<'j> {
    /// The place of the field or type from which the mapping is generated.
    pub(super) declared: Place,
    /// The new values of keywords that markers set.
    pub(super) set: BTreeMap<&'static str, Set<'j>>,
}

pub(super) struct Put<'a, 'j> {
    module: &'a Module,
    /// Whether the user is typing, so that strings in markers may be unterminated.
    are_begun: bool,
    /// The changes, by the node of the mapping.
    pub(super) schemas: HashMap<NodeId, Schema<'j>>,
    texts: HashMap<Arc<Path>, Arc<SourceText>>,
    pub(super) is_in_step: bool,
    /// Whether a limit was exceeded.
    is_over: bool,
    /// The number of bytes that are left for values of markers.
    room: u64,
    /// The number of properties that are fields of the types. `undeclared` is the number of other properties.
    declared: usize,
    undeclared: usize,
}

impl<'j> Put<'_, 'j> {
    /// Subtracts the length of a marker's text from the limits.
    pub(super) fn take_text(&mut self, length: usize) {
        self.take(A_VALUE + 2 * length as u64);
    }

    fn take(&mut self, bytes: u64) {
        let rest = self.room.checked_sub(bytes);
        self.room = rest.unwrap_or(0);
        self.is_over |= rest.is_none() || budget::bytes(bytes).is_err();
    }

    pub(super) fn place(&mut self, file: &SourceFile, span: &Range<usize>) -> Place {
        let new = || Arc::new(SourceText::new(file.path.clone(), file.text.clone()));
        Place {
            file: self.texts.entry(file.path.clone()).or_insert_with(new).clone(),
            span: Span::new(span.start as u32, span.end as u32),
        }
    }

    /// Applies the markers of the types to a schema and to the schemas in it.
    fn schema(&mut self, schema: &'j Json<'j>, at: &Cursor, depth: usize) {
        if self.is_over || depth > MAX_DEPTH || schema.members().is_none() || self.schemas.contains_key(&schema.node) {
            return;
        }
        let site = &at.declaration().site;
        let declared = self.place(&site.file, &site.span);
        let release = self.release();
        let mut said: BTreeMap<&'static str, Vec<(Place, To)>> = BTreeMap::new();
        let mut keys: Vec<Vec<(Place, literal::Literal)>> = Vec::new();
        let sites = at.sites(self.module);
        self.is_over |= budget::work(A_SITE * (1 + sites.all.len() as u64)).is_err();
        let mut adds_rules = !sites.are_all;
        for site in &sites.all {
            adds_rules |= site.adds_rules();
            let mut keys_here = Vec::new();
            let mut names: HashSet<String> = HashSet::new();
            for Said { keyword, to, marker } in site.said(release, self.are_begun) {
                let place = self.place(&site.file, &marker);
                self.take(A_VALUE * values_in(&to) + 2 * marker.len() as u64);
                if let (KEYS, To::Value(key)) = (keyword, &to) {
                    let is_new = names.insert(key.text().unwrap_or_default().to_owned());
                    if release < DROPS_TWICE || is_new {
                        keys_here.push((place, key.clone()));
                    }
                    continue;
                }
                said.entry(keyword).or_default().push((place, to));
            }
            keys.extend(Some(keys_here).filter(|it| !it.is_empty()));
            if self.is_over {
                return;
            }
        }
        if schema.get(RULES).is_some() {
            said.entry(RULES).or_default();
        }
        let mut set = BTreeMap::new();
        set.extend(self.keys(schema, keys).map(|it| (KEYS, it)));
        // If only markers can set a keyword and its marker is missing, the keyword is removed.
        let are_removed = sites.are_all && !sites.are_below_map() && !at.is_schemaless();
        for keyword in ONLY_MARKERS_SET.iter().filter(|_| are_removed) {
            if schema.get(keyword).is_some() && !said.contains_key(keyword) && !set.contains_key(keyword) {
                self.is_in_step = false;
                set.insert(keyword, Set::Nothing);
            }
        }
        for (keyword, said) in said {
            let written = schema.get(keyword);
            let becomes = match id_of(keyword) {
                Some(id) => Some(Set::Objects(self.objects((id, written), said, adds_rules))),
                None => self.value((keyword, written), (schema, said)),
            };
            set.extend(becomes.map(|it| (keyword, it)));
        }
        self.schemas.insert(schema.node, Schema { declared, set });
        let mut required: Vec<(String, Place, bool)> = Vec::new();
        for property in schema.get("properties").and_then(Json::members).unwrap_or_default() {
            // Kubernetes itself declares the fields that all objects have.
            if depth == 0 && OF_ALL_OBJECTS.contains(&&*property.key) {
                continue;
            }
            let name = property.key.as_ref().to_owned();
            let Some(below) = at.step(self.module, &Step::Property(name.clone())) else {
                self.undeclared += usize::from(at.is_struct());
                continue;
            };
            self.declared += 1;
            self.schema(&property.value, &below, depth + 1);
            let site = &below.declaration().site;
            if let Some(is) = site.is_required(release) {
                required.push((name, self.place(&site.file, &site.span), is));
            }
        }
        if !required.is_empty() {
            self.required(schema, required);
        }
        for (keyword, step) in [("items", Step::Items), ("additionalProperties", Step::Values)] {
            if let Some(schema) = schema.get(keyword)
                && let Some(below) = at.step(self.module, &step)
            {
                self.schema(schema, &below, depth + 1);
            }
        }
    }

    /// The new list of required properties. `said` has the properties that a marker makes required (`true`) or optional (`false`).
    fn required(&mut self, schema: &'j Json<'j>, said: Vec<(String, Place, bool)>) {
        let written = schema.get("required").and_then(Json::items).unwrap_or_default();
        let written: Vec<&str> = written.iter().filter_map(Json::as_str).collect();
        let are_written: HashSet<&str> = written.iter().copied().collect();
        let optional = said.iter().filter(|it| !it.2).map(|it| it.0.as_str());
        let optional: HashSet<String> = optional.map(str::to_owned).collect();
        let is_new = |it: &(String, Place, bool)| it.2 && !are_written.contains(it.0.as_str());
        let mut new = said.into_iter().filter(is_new).peekable();
        let mut is_same = new.peek().is_none();
        let mut names: Vec<Name> = Vec::new();
        for name in written {
            while let Some((new, place, _)) = new.next_if(|it| it.0.as_str() < name) {
                names.push(Name::Follows(place, new));
            }
            if optional.contains(name) {
                is_same = false;
            } else {
                names.push(Name::Kept(name.to_owned()));
            }
        }
        names.extend(new.map(|(name, place, _)| Name::Follows(place, name)));
        if is_same {
            return;
        }
        self.is_in_step = false;
        let set = if names.is_empty() {
            Set::Nothing
        } else {
            Set::Names(names)
        };
        if let Some(schema) = self.schemas.get_mut(&schema.node) {
            schema.set.insert("required", set);
        }
    }

    /// The new keys of a list map. `said` has the keys that each field or type sets.
    fn keys(&mut self, schema: &'j Json<'j>, mut said: Vec<Vec<(Place, literal::Literal)>>) -> Option<Set<'j>> {
        let written = schema.get(KEYS);
        let first = said.pop()?;
        let says_same = |it: &Vec<(Place, literal::Literal)>| {
            it.len() == first.len() && it.iter().zip(&first).all(|(it, first)| it.1.says_same(&first.1))
        };
        if !said.iter().all(says_same) {
            // Only one of these settings applies, but it is unknown which one.
            return written.map(|_| Set::As(first[0].0.clone()));
        }
        let names = first.into_iter().map(|(place, key)| Name::Said(place, key));
        let set = Set::Names(names.collect());
        self.is_in_step &= set.is_as_written(written);
        Some(set)
    }

    /// The new value of a keyword. If several markers set the keyword, controller-gen may write all of the values into `allOf`.
    fn value(
        &mut self,
        (keyword, written): (&str, Option<&Json<'_>>),
        (schema, said): (&Json<'_>, Vec<(Place, To)>),
    ) -> Option<Set<'j>> {
        // If one marker sets nothing, another one may still set the value.
        let says_some = said.iter().any(|it| it.1 != To::Nothing);
        let said: Vec<(Place, To)> = said
            .into_iter()
            .filter(|it| !says_some || it.1 != To::Nothing)
            .collect();
        let of_all = schema.get("allOf").and_then(Json::items).unwrap_or_default();
        let is_in_all = of_all.iter().any(|it| it.get(keyword).is_some());
        let (first, to) = said.first()?;
        let is_clear = said.iter().all(|it| it.1.says_same(to)) && !matches!(to, To::Unknown);
        let may_be_in_all = (is_in_all || said.len() > 1) && *to != To::True;
        if !is_clear || written.is_none() && may_be_in_all {
            let same = said
                .iter()
                .find(|it| written.is_some_and(|written| is_same(&it.1, written)));
            return match same {
                Some((place, to)) => Some(Set::To(place.clone(), to.clone())),
                None => written.map(|_| Set::As(first.clone())),
            };
        }
        let mut to = to.clone();
        // Empty braces mean an empty map, except in kubebuilder's default of a list.
        let is_kubebuilders = first.file.text[first.span.range()].starts_with("+kubebuilder:");
        let is_list = is_kubebuilders && schema.get("type").and_then(Json::as_str) == Some("array");
        if let (To::Value(value), "default", true) = (&mut to, keyword, is_list)
            && matches!(&value.value, literal::Value::Map(members) if members.is_empty())
        {
            value.value = literal::Value::List(Vec::new());
        }
        self.is_in_step &= match (written, &to) {
            (written, To::Nothing) => written.is_none(),
            (written, to) => written.is_some_and(|it| is_same(to, it)),
        };
        Some(match to {
            To::Nothing => Set::Nothing,
            to => Set::To(first.clone(), to),
        })
    }

    /// The objects that markers set. Unchanged objects keep their order. Other objects come from other markers or from scripts; `keeps_others` says
    /// whether such objects may exist.
    fn objects(
        &mut self,
        (id, written): (&str, Option<&'j Json<'j>>),
        said: Vec<(Place, To)>,
        keeps_others: bool,
    ) -> Vec<Object<'j>> {
        let is_unknown = said.iter().any(|it| it.1 == To::Unknown);
        let written = written.and_then(Json::items).unwrap_or_default();
        // The existing objects by index, and their indices by text.
        let mut left: Vec<Option<(usize, Object<'j>)>> = Vec::new();
        let mut of_text: HashMap<String, VecDeque<usize>> = HashMap::new();
        for (place, to) in said {
            let To::Object(fields) = to else { continue };
            let number = left.len();
            if let Some(text) = text_of(&fields, id) {
                of_text.entry(text.to_owned()).or_default().push_back(number);
            }
            left.push(Some((number, Object::Said(place, fields))));
        }
        let mut found: Vec<Option<(usize, Object<'j>)>> = Vec::new();
        for object in written {
            let text = object.get(id).and_then(Json::as_str);
            let same = text.and_then(|it| of_text.get_mut(it)?.pop_front());
            found.push(same.and_then(|it| left.get_mut(it)?.take()));
        }
        let mut others = left.into_iter().flatten();
        let mut all: Vec<(Option<usize>, Object<'j>)> = Vec::new();
        for (found, object) in found.into_iter().zip(written) {
            let is_found = found.is_some();
            let new = found.or_else(|| others.next());
            self.is_in_step &= match &new {
                Some((_, Object::Said(_, fields))) => is_found && says_object(fields, object),
                _ => keeps_others || is_unknown,
            };
            match new {
                Some((number, new)) => all.push((Some(number), new)),
                None if keeps_others || is_unknown => all.push((None, Object::Kept(object))),
                None => {}
            }
        }
        for (number, new) in others {
            self.is_in_step = false;
            all.push((Some(number), new));
        }
        if all.iter().all(|it| it.0.is_some()) {
            all.sort_by_key(|it| it.0);
        }
        all.into_iter().map(|it| it.1).collect()
    }

    /// Applies the markers of a kind to a version, except to its schema.
    fn version(&mut self, version: &'j Json<'j>, at: &Cursor, is_only: Option<bool>) {
        let site = at.declaration().site.clone();
        let declared = self.place(&site.file, &site.span);
        let mut said: BTreeMap<&'static str, Vec<(Place, To)>> = BTreeMap::new();
        for (keyword, _) in LISTS {
            if version.get(keyword).is_some() {
                said.entry(keyword).or_default();
            }
        }
        for Said { keyword, to, marker } in site.said_of_kind(self.release(), self.are_begun) {
            let place = self.place(&site.file, &marker);
            said.entry(keyword).or_default().push((place, to));
        }
        let mut set = self.of_version(&site, is_only);
        for (key, set) in &set {
            self.is_in_step &= set.is_as_written(version.get(key));
        }
        for (keyword, said) in said {
            let id = id_of(keyword).unwrap_or_default();
            let objects = self.objects((id, version.get(keyword)), said, false);
            set.insert(keyword, Set::Objects(objects));
        }
        self.schemas.insert(version.node, Schema { declared, set });
    }

    pub(super) fn release(&self) -> Release {
        self.module.controller_gen().unwrap_or(Release::NEWEST)
    }

    fn write(&self, value: &Json<'_>, to: &mut Writing) {
        match (&value.value, self.schemas.get(&value.node)) {
            (JsonValue::Object(_), Some(schema)) => {
                to.from(&schema.declared, None, |to| self.object(value, &schema.set, to));
            }
            (JsonValue::Object(_), None) => self.object(value, &BTreeMap::new(), to),
            (JsonValue::Array(items), _) => list(items, to, |to, item| self.write(item, to)),
            (JsonValue::String(text), _) => to.string(text),
            _ => to.raw(&value.to_value().to_string()),
        }
    }

    fn object(&self, value: &Json<'_>, set: &BTreeMap<&'static str, Set<'_>>, to: &mut Writing) {
        let members = value.members().unwrap_or_default();
        to.raw("{");
        let mut separator = "";
        let is_empty = |it: &Set<'_>| match it {
            Set::Nothing => true,
            Set::Objects(objects) => objects.is_empty(),
            _ => false,
        };
        for member in members {
            if set.get(&*member.key).is_some_and(is_empty) {
                continue;
            }
            to.raw(std::mem::replace(&mut separator, ", "));
            let write = |to: &mut Writing| {
                to.string(&member.key);
                to.raw(": ");
                self.write(&member.value, to);
            };
            match (set.get(&*member.key), self.schemas.get(&member.value.node)) {
                (Some(set), _) => self.set(&member.key, (set, Some(&member.value)), to),
                (None, Some(schema)) => to.from(&schema.declared, None, write),
                (None, None) => write(to),
            }
        }
        for (keyword, set) in set {
            if value.get(keyword).is_none() && !is_empty(set) {
                to.raw(std::mem::replace(&mut separator, ", "));
                self.set(keyword, (set, None), to);
            }
        }
        to.raw("}");
    }

    fn set(&self, keyword: &str, (set, written): (&Set<'_>, Option<&Json<'_>>), to: &mut Writing) {
        let key = |to: &mut Writing| {
            to.string(keyword);
            to.raw(": ");
        };
        match set {
            Set::To(place, said) => to.said(place, |to| {
                key(to);
                match said {
                    To::Value(value) => literal(place, value, to),
                    To::List(items) => list(items, to, |to, item| literal(place, item, to)),
                    To::True => to.raw("true"),
                    To::Object(_) | To::Nothing | To::Unknown => to.raw("null"),
                }
            }),
            Set::Nothing => {}
            Set::Follows(place, json) => to.said(place, |to| {
                key(to);
                to.raw(json);
            }),
            Set::Made(place, fields) => to.said(place, |to| {
                key(to);
                to.raw("{");
                for (n, (name, set)) in fields.iter().enumerate() {
                    to.raw(if n > 0 { ", " } else { "" });
                    self.set(name, (set, None), to);
                }
                to.raw("}");
            }),
            Set::Names(names) => {
                key(to);
                list(names, to, |to, name| match name {
                    Name::Said(place, name) => to.said(place, |to| literal(place, name, to)),
                    Name::Follows(place, name) => to.said(place, |to| to.string(name)),
                    Name::Kept(name) => to.string(name),
                });
            }
            Set::As(place) => to.guess(place, |to| {
                key(to);
                match written {
                    Some(written) => self.write(written, to),
                    None => to.raw("null"),
                }
            }),
            Set::Objects(objects) => {
                key(to);
                list(objects, to, |to, object| match object {
                    Object::Kept(object) => self.write(object, to),
                    Object::Said(place, fields) => to.said(place, |to| {
                        to.raw("{");
                        for (n, (name, value)) in fields.iter().enumerate() {
                            to.raw(if n > 0 { ", " } else { "" });
                            to.string(name);
                            to.raw(": ");
                            literal(place, value, to);
                        }
                        to.raw("}");
                    }),
                });
            }
        }
    }
}
