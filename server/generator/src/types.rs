//! Generates schemas from types (`pkg/crd/schema.go` of controller-gen). A schema refers to the schemas of other types.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::Path,
    rc::Rc,
    sync::Arc,
};

use crd_analyzer_budget as budget;
use crd_analyzer_gosource::check::{
    catalog::Release,
    comments::Target,
    types::{Declared, Member, Shape, Types},
};
use serde_json::json;

use crate::{
    Options, documentation,
    ids::{PackageId, TypeId},
    known,
    node::Origin,
    packages::{File, Markers, Meaning, Packages, Sources, markers},
    refused::{Reason, Refused, reason_of},
    schema::{Keyword, Property, Rule, Said, Schema, Values},
    tags::Tag,
};

/// The maximum depth of nested types.
const MAX_DEPTH: usize = 100;

/// The work units for each field.
const A_FIELD: u64 = 2_000;

/// The first release with each change of the generated schemas.
const TEXT_MARSHALERS: Release = Release(17);
const OMITS_ZERO: Release = Release(22);
const KEYS_AS_TEXT: Release = Release(22);
const LOOKS_AT_NAMED: Release = Release(20);
const KNOWS_ALIASES: Release = Release(17);
const TELLS_INTERFACES: Release = Release(21);
const TELLS_INLINE: Release = Release(22);
const TYPES_OF_LISTS: Release = Release(23);

/// A file, and the offset in it at which a span starts.
type Start = (Arc<Path>, usize);

/// Generates schemas.
pub(crate) struct Maker<'s> {
    pub(crate) packages: Packages<'s>,
    pub(crate) options: Options,
    pub(crate) schemata: HashMap<TypeId, Rc<Schema>>,
    pub(crate) refused: Vec<Refused>,
    /// The errors that were already reported, so that each is reported only once.
    told: HashSet<(Option<Start>, Reason)>,
    /// The types whose source files are not on this machine.
    pub(crate) missing: Vec<String>,
    /// Whether the work limit was reached.
    pub(crate) is_over: bool,
    /// Whether the result depends on the order of markers that have different names.
    pub(crate) has_choices: bool,
    pub(crate) depth: usize,
}

/// The context of a schema: its package and file, and the declaration to which it belongs.
#[derive(Clone, Copy)]
pub(crate) struct Context<'c> {
    pub(crate) package: PackageId,
    pub(crate) file: &'c File,
    pub(crate) declared: Option<&'c Declared>,
    /// The markers of the declaration.
    pub(crate) markers: Option<&'c Markers>,
}

impl<'c> Context<'c> {
    fn within(self) -> Self {
        Self {
            declared: None,
            markers: None,
            ..self
        }
    }

    pub(crate) fn types(&self) -> &'c Types {
        &self.file.types
    }

    pub(crate) fn origin(&self, span: std::ops::Range<usize>) -> Origin {
        origin_of(&self.file.path, span)
    }

    fn documentation(&self, of: Option<&std::ops::Range<usize>>) -> String {
        let text = of.and_then(|it| self.file.types.text.get(it.clone()));
        text.map(documentation::of).unwrap_or_default()
    }
}

impl<'s> Maker<'s> {
    pub(crate) fn new(sources: &'s dyn Sources, options: &Options) -> Self {
        Self {
            packages: Packages::new(sources, options.reading()),
            options: options.clone(),
            schemata: HashMap::new(),
            refused: Vec::new(),
            told: HashSet::new(),
            missing: Vec::new(),
            is_over: false,
            has_choices: false,
            depth: 0,
        }
    }

    pub(crate) fn refuse(&mut self, origin: impl Into<Option<Origin>>, reason: Reason) {
        let origin = origin.into();
        let place = origin.as_ref().map(|it| (it.file.clone(), it.span.start));
        if self.told.insert((place, reason)) {
            self.refused.push(Refused { origin, reason });
        }
    }

    /// The schema of a type. References in it are not resolved yet.
    pub(crate) fn schema(&mut self, id: &TypeId) -> Rc<Schema> {
        if let Some(schema) = self.schemata.get(id) {
            return schema.clone();
        }
        let path = self.packages.path(id.package);
        if let Some(known) = known::schema(&path, &id.name, self.options.has_embedded_metadata) {
            let known = Rc::new(known);
            self.schemata.insert(id.clone(), known.clone());
            return known;
        }
        self.schemata.insert(id.clone(), Rc::default());
        let package = self.packages.get(id.package);
        let found = package.as_ref().and_then(|it| it.find(&id.name));
        let schema = match found {
            Some(found) if !known::is_alone(&path) => {
                let context = Context {
                    package: id.package,
                    file: found.file,
                    declared: Some(found.declared),
                    markers: None,
                };
                self.declared(context, found.declared)
            }
            _ => {
                let is_enough = self.options.may_lack_descriptions;
                let known = known::without_sources(&path, &id.name).filter(|_| is_enough);
                known.unwrap_or_else(|| {
                    self.missing.push(format!("{path}.{}", id.name));
                    Schema::unknown()
                })
            }
        };
        let schema = Rc::new(schema);
        self.schemata.insert(id.clone(), schema.clone());
        schema
    }

    /// The schema for a declaration of a type.
    fn declared(&mut self, context: Context<'_>, declared: &Declared) -> Schema {
        if declared.is_generic {
            self.refuse(context.origin(declared.of.clone()), Reason::Type);
            return Schema::unknown();
        }
        let name = context.types().text.get(declared.name.clone()).unwrap_or_default();
        let marshals = self.packages.marshals(context.package, name);
        let of_type = markers(context.file, &declared.markers, Target::Type, self.options.reading());
        let context = Context {
            markers: Some(&of_type),
            ..context
        };
        if marshals.json {
            let mut schema = Schema::default();
            self.apply(context, &of_type, &mut schema);
            if !schema.type_name().is_empty() {
                return schema;
            }
        } else if marshals.text && self.options.release >= TEXT_MARSHALERS {
            let mut schema = Schema::of_type("string");
            self.apply(context, &of_type, &mut schema);
            if schema.type_name() != "string" {
                self.refuse(context.origin(declared.of.clone()), Reason::Marker);
            }
            return schema;
        }
        self.written(context, &declared.shape, declared.of.clone())
    }

    /// The schema for a type expression.
    fn written(&mut self, context: Context<'_>, shape: &Shape, span: std::ops::Range<usize>) -> Schema {
        self.depth += 1;
        let schema = if self.depth > MAX_DEPTH {
            Schema::unknown()
        } else {
            self.shape(context, shape, span)
        };
        self.depth -= 1;
        schema
    }

    fn shape(&mut self, context: Context<'_>, shape: &Shape, span: std::ops::Range<usize>) -> Schema {
        let mut schema = match shape {
            Shape::Name(name) => self.local(context, name, &span),
            Shape::Selected { package, name } => self.selected(context, package, name, &span),
            Shape::Slice(of) => self.list(context, (of, true), span),
            Shape::Array(of) => self.list(context, (of, false), span),
            Shape::Map { key, value } => self.map(context, (key, value), span),
            // If a declaration is a pointer, the first supported releases apply its markers twice.
            Shape::Pointer(of) if self.options.release < LOOKS_AT_NAMED => self.written(context, of, span),
            Shape::Pointer(of) => self.written(context.within(), of, span),
            Shape::Struct(members) => match context.declared {
                Some(declared) if std::ptr::eq(&raw const declared.shape, shape) => {
                    self.members(context, declared, members)
                }
                _ => {
                    let is_told = self.options.release >= TELLS_INLINE;
                    let reason = if is_told { Reason::NamelessStruct } else { Reason::Crash };
                    self.refuse(context.origin(span), reason);
                    return Schema {
                        is_unknown: true,
                        ..Schema::of_type("object")
                    };
                }
            },
            Shape::Interface | Shape::Other => {
                self.refuse(context.origin(span), reason_of(shape));
                return Schema::unknown();
            }
        };
        schema.description = context.documentation(context.declared.and_then(|it| it.documentation.as_ref()));
        if let Some(of_type) = context.markers {
            self.apply(context, of_type, &mut schema);
        }
        schema
    }

    /// The schema for a type name without a package.
    fn local(&mut self, context: Context<'_>, name: &str, span: &std::ops::Range<usize>) -> Schema {
        let meaning = self.packages.local((context.package, context.types()), name);
        let (id, of) = match meaning {
            Meaning::Basic(basic) => return self.basic(context, &basic, span),
            Meaning::Declared(id, of) => (id, of),
            Meaning::Unknown => {
                self.undeclared(context, name, span);
                return Schema::unknown();
            }
        };
        let Some(package) = self.packages.get(id) else {
            return self.link(context, id, &of);
        };
        let Some(found) = package.find(&of) else {
            return self.link(context, id, &of);
        };
        if !found.declared.is_alias {
            return self.link(context, id, &of);
        }
        // An alias is replaced by its target. The first supported releases did not distinguish aliases from other types.
        let meaning = if self.options.release < KNOWS_ALIASES {
            self.packages.unaliased(id, &of)
        } else {
            self.packages.meaning((id, &found.file.types), &found.declared.shape)
        };
        match meaning {
            Meaning::Basic(basic) => Schema {
                reference: Some(TypeId {
                    package: context.package,
                    name: name.into(),
                }),
                ..self.basic(context, &basic, span)
            },
            Meaning::Declared(id, of) => self.link(context, id, &of),
            Meaning::Unknown => {
                let shape = &found.declared.shape;
                if !matches!(shape, Shape::Name(_) | Shape::Selected { .. }) {
                    let is_told = self.options.release >= TELLS_INTERFACES;
                    let reason = if is_told { reason_of(shape) } else { Reason::Crash };
                    self.refuse(context.origin(span.clone()), reason);
                }
                Schema::unknown()
            }
        }
    }

    /// A schema that refers to the schema of a type. If the type is simple, it also has the JSON type.
    fn link(&mut self, context: Context<'_>, id: PackageId, name: &str) -> Schema {
        let mut schema = Schema::referring_to(id, name);
        if self.options.release < LOOKS_AT_NAMED {
            return schema;
        }
        let Some(shape) = self.packages.underlying(id, name) else {
            return schema;
        };
        let knows_lists = self.options.release >= TYPES_OF_LISTS;
        match &shape {
            Shape::Slice(_) if knows_lists => schema.r#type = Some(Said::made("array")),
            Shape::Map { .. } if knows_lists => schema.r#type = Some(Said::made("object")),
            Shape::Name(basic) if !matches!(basic.as_str(), "any" | "error" | "comparable") => {
                // controller-gen looks up the type in the package that contains the reference.
                let package = self.packages.get(context.package);
                let found = package.as_ref().and_then(|it| it.find(name));
                if found.is_none() {
                    // controller-gen does not find names from a dot import.
                    self.refuse(None, Reason::Crash);
                }
                if let Some(found) = found {
                    let context = Context {
                        package: context.package,
                        file: found.file,
                        declared: Some(found.declared),
                        markers: None,
                    };
                    self.depth += 1;
                    if self.depth < MAX_DEPTH {
                        let of = self.declared(context, found.declared);
                        schema.r#type = of.r#type;
                        schema
                            .values
                            .extend(of.values.into_iter().filter(|it| it.0 == Keyword::Format));
                    }
                    self.depth -= 1;
                }
            }
            _ => {}
        }
        schema
    }

    /// The schema for a type in another package.
    fn selected(&mut self, context: Context<'_>, package: &str, name: &str, span: &std::ops::Range<usize>) -> Schema {
        let mut meaning = self.packages.selected(context.types(), package, name);
        if let Meaning::Declared(id, name) = &meaning
            && self.options.release < KNOWS_ALIASES
        {
            meaning = self.packages.unaliased(*id, name);
        }
        match meaning {
            Meaning::Declared(id, name) => {
                let shape = self.packages.underlying(id, &name);
                let is_list = matches!(shape, Some(Shape::Slice(_) | Shape::Map { .. }));
                if is_list && self.options.release >= TYPES_OF_LISTS {
                    return self.link(context, id, &name);
                }
                Schema::referring_to(id, &name)
            }
            Meaning::Basic(_) => {
                self.refuse(context.origin(span.clone()), Reason::Crash);
                Schema::unknown()
            }
            Meaning::Unknown => {
                self.undeclared_in(context, (package, name), span);
                Schema::unknown()
            }
        }
    }

    /// The schema of a built-in type of Go.
    fn basic(&mut self, context: Context<'_>, name: &str, span: &std::ops::Range<usize>) -> Schema {
        let of = |name: &str, format: Option<&str>| {
            let schema = Schema::of_type(name);
            match format {
                Some(format) => schema.with(Keyword::Format, format),
                None => schema,
            }
        };
        match name {
            "bool" => of("boolean", None),
            "string" => of("string", None),
            "int32" | "uint32" | "rune" => of("integer", Some("int32")),
            "int64" | "uint64" => of("integer", Some("int64")),
            "int" | "int8" | "int16" | "uint" | "uint8" | "uint16" | "byte" | "uintptr" => of("integer", None),
            "float32" | "float64" => {
                if !self.options.allows_dangerous_types {
                    self.refuse(context.origin(span.clone()), Reason::Float);
                    if self.options.is_strict {
                        return Schema::default();
                    }
                }
                of("number", None)
            }
            _ => {
                let reason = match name {
                    // It belongs to no package, which controller-gen does not expect of an interface with a name.
                    "error" => Reason::Crash,
                    "any" | "comparable" => Reason::Interface,
                    _ => Reason::Type,
                };
                self.refuse(context.origin(span.clone()), reason);
                Schema::unknown()
            }
        }
    }

    fn list(&mut self, context: Context<'_>, (of, is_slice): (&Shape, bool), span: std::ops::Range<usize>) -> Schema {
        let is_byte = matches!(of, Shape::Name(name) if name == "byte")
            && self.packages.meaning((context.package, context.types()), of) == Meaning::Basic("byte".to_owned());
        if is_slice && is_byte {
            return Schema::of_type("string").with(Keyword::Format, "byte");
        }
        let items = self.written(context.within(), of, span);
        Schema {
            items: Some(Rc::new(items)),
            ..Schema::of_type("array")
        }
    }

    fn map(&mut self, context: Context<'_>, (key, value): (&Shape, &Shape), span: std::ops::Range<usize>) -> Schema {
        if !self.is_key(context, key) {
            self.refuse(context.origin(span), Reason::Key);
            return Schema::unknown();
        }
        if matches!(value, Shape::Struct(_) | Shape::Interface | Shape::Other) {
            self.refuse(context.origin(span), reason_of(value));
            return Schema::unknown();
        }
        let values = self.written(context.within(), value, span);
        Schema {
            additional: Some(Values::Of(Rc::new(values))),
            ..Schema::of_type("object")
        }
    }

    /// Whether a type may be the key of a map. `true` for unknown types.
    fn is_key(&mut self, context: Context<'_>, key: &Shape) -> bool {
        let takes_text = self.options.release >= KEYS_AS_TEXT;
        match self.packages.meaning((context.package, context.types()), key) {
            Meaning::Basic(basic) => basic == "string",
            Meaning::Unknown => matches!(key, Shape::Name(_) | Shape::Selected { .. }),
            Meaning::Declared(id, name) => {
                let is_alias = self
                    .packages
                    .get(id)
                    .is_some_and(|it| it.find(&name).is_some_and(|it| it.declared.is_alias));
                let underlying = self.packages.underlying(id, &name);
                let is_text = match &underlying {
                    Some(Shape::Name(basic)) => basic == "string",
                    Some(_) => false,
                    None => true,
                };
                is_text && !is_alias || takes_text && self.packages.marshals(id, &name).text
            }
        }
    }

    /// Whether an embedded type is not known. It may be the name of a field whose type is still being typed.
    fn is_missing(&mut self, context: Context<'_>, embedded: &Shape) -> bool {
        let of = match embedded {
            Shape::Pointer(of) => of,
            of => of,
        };
        self.packages.meaning((context.package, context.types()), of) == Meaning::Unknown
    }

    /// The schema of a struct with its fields.
    fn members(&mut self, context: Context<'_>, declared: &Declared, members: &[Member]) -> Schema {
        let release = self.options.release;
        let mut schema = Schema::of_type("object");
        let mut properties = BTreeMap::new();
        let Some(alternatives) = context.markers.map_or_else(|| Some(HashSet::new()), alternatives) else {
            self.refuse(context.origin(declared.of.clone()), Reason::OneOf);
            schema.properties = Some(properties);
            return schema;
        };
        let package = self.packages.get(context.package);
        let is_optional = package.is_some_and(|it| it.markers.contains_key("kubebuilder:validation:Optional"));
        let mut immutable: Vec<(Rc<str>, Option<Origin>)> = Vec::new();
        for member in members {
            if budget::work(A_FIELD).is_err() {
                self.is_over = true;
                schema.is_unknown = true;
                break;
            }
            let of_member = markers(context.file, &member.markers, Target::Field, self.options.reading());
            let names: Vec<Option<std::ops::Range<usize>>> = if member.name.is_none() {
                vec![None]
            } else {
                member.names.iter().cloned().map(Some).collect()
            };
            for name in names {
                let place = name.clone().unwrap_or_else(|| member.of.clone());
                let go = name.and_then(|it| context.types().text.get(it)).unwrap_or_default();
                let is_exported = go.starts_with(char::is_uppercase);
                if !go.is_empty() && self.options.leaves_out_unexported && !is_exported {
                    continue;
                }
                let origin = context.origin(place);
                let Some(tag) = &member.tag else {
                    let is_embedded = member.name.is_none();
                    if is_embedded && !self.options.is_strict && self.is_missing(context, &member.shape) {
                        continue;
                    }
                    self.refuse(origin, if is_embedded { Reason::Embedded } else { Reason::Tag });
                    continue;
                };
                let Some(tag) = Tag::read(tag, release >= OMITS_ZERO) else {
                    continue;
                };
                let says = |name: &str| of_member.contains_key(name);
                let is_required = if says("kubebuilder:validation:Optional") {
                    false
                } else if says("kubebuilder:validation:Required") {
                    true
                } else if says("optional") || says("k8s:optional") {
                    false
                } else if says("required") || says("k8s:required") {
                    true
                } else {
                    !is_optional && !tag.is_inline && !tag.is_left_out_if_empty
                };
                if is_required && alternatives.contains(tag.name) {
                    self.refuse(origin, Reason::OneOf);
                    schema.properties = Some(properties);
                    return schema;
                }
                let name: Rc<str> = tag.name.into();
                if is_required {
                    schema.required.push((name.clone(), Some(origin.clone())));
                }
                let mut property = if says("kubebuilder:validation:Schemaless") {
                    Schema::default()
                } else {
                    self.written(context.within(), &member.shape, member.of.clone())
                };
                property.description = context.documentation(member.documentation.as_ref());
                self.apply(context, &of_member, &mut property);
                if tag.is_inline {
                    schema.all_of.push(Rc::new(property));
                    continue;
                }
                if says("k8s:immutable") {
                    let marker = of_member.get("k8s:immutable").and_then(|it| it.first());
                    immutable.push((name.clone(), marker.map(|it| it.origin.clone())));
                }
                let of = Rc::new(property);
                let from = Some(origin);
                properties.insert(name, Property { of, from });
            }
        }
        if release >= LOOKS_AT_NAMED {
            schema.required.sort_by(|one, other| one.0.cmp(&other.0));
        }
        for (name, from) in immutable {
            if schema.required.iter().any(|it| it.0 == name) {
                continue;
            }
            let rule = json!(format!("!has(oldSelf.{name}) || has(self.{name})"));
            let message = json!(format!("field {name} is immutable once set"));
            schema.rules.push(Rule {
                fields: vec![("rule", Said::made(rule)), ("message", Said::made(message))],
                from,
            });
        }
        schema.properties = Some(properties);
        schema
    }
}

/// The names of fields in markers such as `ExactlyOneOf`. `None` if a name is invalid.
fn alternatives(of_type: &Markers) -> Option<HashSet<&str>> {
    let mut names = HashSet::new();
    for marker in ["ExactlyOneOf", "AtMostOneOf", "AtLeastOneOf"] {
        let name = format!("kubebuilder:validation:{marker}");
        for marker in of_type.get(name.as_str()).into_iter().flatten() {
            let texts = marker.values.as_ref().map(|it| it.texts("")).unwrap_or_default();
            for (text, _) in texts {
                if text.contains('.') {
                    return None;
                }
                names.insert(text);
            }
        }
    }
    Some(names)
}

/// The origin for a span of a file.
pub(crate) fn origin_of(file: &Arc<Path>, span: std::ops::Range<usize>) -> Origin {
    Origin {
        file: file.clone(),
        span,
        written: None,
    }
}
