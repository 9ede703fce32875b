//! What controller-gen takes Go types for before it applies markers (`pkg/crd/schema.go` of `sigs.k8s.io/controller-tools`).
//!
//! It looks up few names of types before it applies the markers of a field. Which names depends on the release.

use std::{path::Path, sync::Arc};

use crate::{
    check::{
        catalog::Release,
        types::{Declared, Marshals, Set, Shape, Types},
    },
    module::{Module, Package},
};

use super::kinds::Kinds;

/// Names that stand for names that are followed.
const MAX_DEPTH: usize = 32;

/// Where the API's own types of every kind are declared; none of those that kinds embed says how it is written.
const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

/// Below this, no type says how it is written as text.
const API: &str = "k8s.io/api/";

/// From this release on, a name of a string, number or boolean is looked behind.
const BASIC_NAMES: Release = Release(20);
/// From this release on, a name of a slice or a map is looked behind.
const LIST_NAMES: Release = Release(23);
/// From this release on, a type that writes itself as text is a string.
const TEXT: Release = Release(17);

/// The package in whose words a type is written.
#[derive(Clone)]
pub(super) struct Scope<'a> {
    /// The file that is checked, as it is now. `None`: another package.
    own: Option<(&'a Types, &'a Path)>,
    /// What is on disk; without it other files of the package are not known.
    package: Option<Arc<Package>>,
    module: Option<&'a Module>,
    pub(super) release: Release,
}

/// What may be: whether a type has a method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Has {
    Yes,
    No,
    Perhaps,
}

impl Has {
    /// Of two embedded types: Go has no method of that name if both have it.
    fn beside(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, it) | (it, Self::No) => it,
            _ => Self::Perhaps,
        }
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Yes, _) | (_, Self::Yes) => Self::Yes,
            (Self::No, Self::No) => Self::No,
            _ => Self::Perhaps,
        }
    }
}

/// Whether a type has the methods by which it says how it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Methods {
    pub(super) json: Has,
    pub(super) text: Has,
}

impl Methods {
    pub(super) const NONE: Self = Self {
        json: Has::No,
        text: Has::No,
    };
    const UNKNOWN: Self = Self {
        json: Has::Perhaps,
        text: Has::Perhaps,
    };

    /// Whether controller-gen reads what is below a type in any case. `is_typed`: a marker says what type it is.
    pub(super) fn lets_read(self, release: Release, is_typed: bool) -> bool {
        let is_no_text = self.text == Has::No || release < TEXT;
        match self.json {
            Has::Yes => !is_typed,
            Has::No => is_no_text,
            Has::Perhaps => is_no_text && !is_typed,
        }
    }

    fn beside(self, other: Self) -> Self {
        Self {
            json: self.json.beside(other.json),
            text: self.text.beside(other.text),
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            json: self.json.or(other.json),
            text: self.text.or(other.text),
        }
    }
}

/// What a type is behind all names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Underlying {
    Basic(Kinds),
    Slice,
    Map,
    /// A struct, an array, a pointer, an interface.
    Other,
    Unknown,
}

/// What controller-gen takes a type for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Schema {
    pub(super) kinds: Kinds,
    pub(super) items: Items,
}

/// What is known of the items of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Items {
    /// They are not seen.
    None,
    Of(Box<Schema>),
    Unknown,
}

impl Schema {
    pub(super) fn of(kinds: Kinds) -> Self {
        Self {
            kinds,
            items: Items::None,
        }
    }

    pub(super) fn unknown() -> Self {
        Self {
            kinds: Kinds::ALL,
            items: Items::Unknown,
        }
    }
}

impl<'a> Scope<'a> {
    pub(super) fn new(types: &'a Types, path: &'a Path, module: Option<&'a Module>, release: Release) -> Self {
        Self {
            own: Some((types, path)),
            package: module.and_then(|it| it.package_around(path)),
            module,
            release,
        }
    }

    /// The files of the package.
    pub(super) fn files(&self) -> impl Iterator<Item = &Types> {
        let own = self.own;
        let on_disk = self.package.as_deref().into_iter().flat_map(Package::types);
        let others = on_disk.filter(move |it| own.is_none_or(|own| own.1 != it.0));
        own.map(|it| it.0).into_iter().chain(others.map(|it| &**it.1))
    }

    /// The declaration of a name of the package, and the file that it is in.
    pub(super) fn declared(&self, name: &str) -> Option<(&Types, &Declared)> {
        self.files().find_map(|it| Some((it, it.declared.get(name)?)))
    }

    /// The same of a name of another package of the module.
    pub(super) fn imported(&self, file: &Types, package: &str) -> Option<Scope<'a>> {
        let module = self.module?;
        let package = module.imported(file.imports.get(package)?)?;
        Some(Scope {
            own: None,
            package: Some(package),
            module: self.module,
            release: self.release,
        })
    }

    /// What a type is in a schema, before its markers.
    pub(super) fn schema(&self, file: &Types, shape: &Shape) -> Schema {
        self.schema_at(file, shape, 0)
    }

    fn schema_at(&self, file: &Types, shape: &Shape, depth: usize) -> Schema {
        if depth > MAX_DEPTH {
            return Schema::unknown();
        }
        match shape {
            Shape::Name(name) => self.name(name, depth),
            Shape::Selected { package, name } => Schema::of(self.selected(file, package, name)),
            Shape::Pointer(of) => self.schema_at(file, of, depth + 1),
            Shape::Slice(of) if matches!(&**of, Shape::Name(it) if it == "byte" && self.declared(it).is_none()) => {
                Schema::of(Kinds::STRING)
            }
            // Whether an alias of `byte` is one depends on how controller-gen was built.
            Shape::Slice(of) if self.is_alias_of_byte(of) => Schema {
                kinds: Kinds::STRING.or(Kinds::ARRAY),
                items: Items::Unknown,
            },
            Shape::Slice(of) | Shape::Array(of) => Schema {
                kinds: Kinds::ARRAY,
                items: Items::Of(Box::new(self.schema_at(file, of, depth + 1))),
            },
            Shape::Map { key, value } => {
                let is_string = self.underlying(file, key, depth) == Underlying::Basic(Kinds::STRING);
                let has_schema = !matches!(&**value, Shape::Other | Shape::Struct(_));
                // Other keys and values are refused, and the schema then is empty.
                let kinds = if is_string && has_schema {
                    Kinds::OBJECT
                } else {
                    Kinds::OBJECT.or(Kinds::NONE)
                };
                Schema::of(kinds)
            }
            Shape::Struct(_) if depth == 0 => Schema::of(Kinds::OBJECT),
            // Structs without a name are refused.
            Shape::Struct(_) | Shape::Interface | Shape::Other => Schema::unknown(),
        }
    }

    fn is_alias_of_byte(&self, shape: &Shape) -> bool {
        let declared = match shape {
            Shape::Name(name) => self.declared(name),
            _ => None,
        };
        declared.is_some_and(|(_, it)| {
            it.is_alias && matches!(&it.shape, Shape::Name(of) if of == "byte" || self.is_alias(of))
        })
    }

    fn is_alias(&self, name: &str) -> bool {
        self.declared(name).is_some_and(|it| it.1.is_alias)
    }

    /// A name without a package.
    fn name(&self, name: &str, depth: usize) -> Schema {
        let Some((file, declared)) = self.declared(name) else {
            return basic(name).map_or_else(Schema::unknown, Schema::of);
        };
        if declared.is_generic || declared.is_alias {
            return match &declared.shape {
                Shape::Name(of) if !declared.is_generic && self.declared(of).is_none_or(|it| !it.1.is_alias) => {
                    self.name(of, depth + 1)
                }
                _ => Schema::unknown(),
            };
        }
        Schema::of(match self.underlying(file, &declared.shape, depth + 1) {
            Underlying::Basic(_) if self.release >= BASIC_NAMES => self.named_basic(name, file, declared, depth),
            Underlying::Slice if self.release >= LIST_NAMES => Kinds::ARRAY,
            Underlying::Map if self.release >= LIST_NAMES => Kinds::OBJECT,
            Underlying::Unknown if self.release >= BASIC_NAMES => Kinds::ALL,
            _ => Kinds::NONE,
        })
    }

    /// A name of a string, a number or a boolean: the markers at its declaration count.
    fn named_basic(&self, name: &str, file: &Types, declared: &Declared, depth: usize) -> Kinds {
        let methods = self.methods(name, file, declared);
        let base = self.schema_at(file, &declared.shape, depth + 1).kinds;
        let written = self.written(base, methods);
        let typed = typed(file, &declared.markers).unwrap_or(written);
        let is_enum = self.release >= Release(21) && declared.markers.iter().any(|it| it.name == "k8s:enum");
        // An enumeration of strings is a string.
        let is_string = || self.underlying(file, &declared.shape, depth + 1) == Underlying::Basic(Kinds::STRING);
        if is_enum && is_string() {
            typed.or(Kinds::STRING)
        } else {
            typed
        }
    }

    /// What a type is, if it may say by a method how it is written.
    pub(super) fn written(&self, base: Kinds, methods: Methods) -> Kinds {
        match methods.text {
            _ if self.release < TEXT => base,
            // Of two methods, that for JSON counts; without a marker for the type it changes nothing.
            Has::Yes if methods.json == Has::No => Kinds::STRING,
            Has::No => base,
            Has::Yes | Has::Perhaps if methods.json == Has::Yes => base,
            Has::Yes | Has::Perhaps => base.or(Kinds::STRING),
        }
    }

    /// A name of another package.
    fn selected(&self, file: &Types, package: &str, name: &str) -> Kinds {
        if self.release < LIST_NAMES {
            return Kinds::NONE;
        }
        let selected = Shape::Selected {
            package: package.to_owned(),
            name: name.to_owned(),
        };
        match self.underlying(file, &selected, 0) {
            Underlying::Slice => Kinds::ARRAY,
            Underlying::Map => Kinds::OBJECT,
            Underlying::Basic(_) | Underlying::Other => Kinds::NONE,
            Underlying::Unknown => Kinds::NONE.or(Kinds::ARRAY).or(Kinds::OBJECT),
        }
    }

    /// What a type is behind all names.
    pub(super) fn underlying(&self, file: &Types, shape: &Shape, depth: usize) -> Underlying {
        if depth > MAX_DEPTH {
            return Underlying::Unknown;
        }
        match shape {
            Shape::Name(name) => match self.declared(name) {
                Some((_, declared)) if declared.is_generic => Underlying::Unknown,
                Some((file, declared)) => self.underlying(file, &declared.shape, depth + 1),
                None if matches!(name.as_str(), "any" | "error") => Underlying::Other,
                None => basic(name).map_or(Underlying::Unknown, Underlying::Basic),
            },
            Shape::Selected { package, name } => {
                let Some(scope) = self.imported(file, package) else {
                    return Underlying::Unknown;
                };
                match scope.declared(name) {
                    Some((file, declared)) if !declared.is_generic => {
                        scope.underlying(file, &declared.shape, depth + 1)
                    }
                    _ => Underlying::Unknown,
                }
            }
            Shape::Slice(_) => Underlying::Slice,
            Shape::Map { .. } => Underlying::Map,
            Shape::Struct(_) | Shape::Array(_) | Shape::Pointer(_) => Underlying::Other,
            Shape::Interface | Shape::Other => Underlying::Unknown,
        }
    }

    /// The methods of a type by which it says how it is written.
    pub(super) fn methods(&self, name: &str, file: &Types, declared: &Declared) -> Methods {
        let own = self.own_methods(name);
        own.or(self.promoted(file, &declared.shape, 0))
    }

    fn own_methods(&self, name: &str) -> Methods {
        let mut all = Marshals::default();
        for found in self.files().filter_map(|it| it.marshals.get(name)) {
            all.json |= found.json;
            all.text |= found.text;
        }
        let of = |has: bool| match has {
            true => Has::Yes,
            false if self.package.is_some() => Has::No,
            false => Has::Perhaps,
        };
        Methods {
            json: of(all.json),
            text: of(all.text),
        }
    }

    /// The methods that a type has from what is embedded in it.
    fn promoted(&self, file: &Types, shape: &Shape, depth: usize) -> Methods {
        if depth > MAX_DEPTH {
            return Methods::UNKNOWN;
        }
        match shape {
            Shape::Struct(members) => {
                let embedded = members.iter().filter(|it| it.name.is_none());
                embedded.fold(Methods::NONE, |all, it| {
                    all.beside(self.embedded(file, &it.shape, depth))
                })
            }
            // A type with the name of another one has none of its methods, but what is embedded there.
            Shape::Name(name) => match self.declared(name) {
                Some((_, declared)) if declared.is_generic => Methods::UNKNOWN,
                Some((file, declared)) => self.promoted(file, &declared.shape, depth + 1),
                None if basic(name).is_some() => Methods::NONE,
                None => Methods::UNKNOWN,
            },
            Shape::Selected { package, name } => match self.imported(file, package) {
                Some(scope) => match scope.declared(name) {
                    Some((file, declared)) if !declared.is_generic => scope.promoted(file, &declared.shape, depth + 1),
                    _ => Methods::UNKNOWN,
                },
                None => Methods::UNKNOWN,
            },
            Shape::Interface | Shape::Other => Methods::UNKNOWN,
            Shape::Pointer(_) | Shape::Slice(_) | Shape::Array(_) | Shape::Map { .. } => Methods::NONE,
        }
    }

    fn embedded(&self, file: &Types, shape: &Shape, depth: usize) -> Methods {
        if depth > MAX_DEPTH {
            return Methods::UNKNOWN;
        }
        match shape {
            Shape::Pointer(of) => self.embedded(file, of, depth + 1),
            Shape::Name(name) => match self.declared(name) {
                Some((_, declared)) if declared.is_generic => Methods::UNKNOWN,
                Some((file, declared)) if declared.is_alias => self.embedded(file, &declared.shape, depth + 1),
                Some((file, declared)) => {
                    let own = self.own_methods(name);
                    own.or(self.promoted(file, &declared.shape, depth + 1))
                }
                None if basic(name).is_some() => Methods::NONE,
                None => Methods::UNKNOWN,
            },
            Shape::Selected { package, name } => match file.imports.get(package) {
                Some(path) if path == META && IN_KINDS.contains(&name.as_str()) => Methods::NONE,
                Some(path) if path.starts_with(API) => Methods {
                    json: Has::Perhaps,
                    text: Has::No,
                },
                _ => match self.imported(file, package) {
                    Some(scope) => scope.embedded(&Types::default(), &Shape::Name(name.clone()), depth + 1),
                    None => Methods::UNKNOWN,
                },
            },
            _ => Methods::UNKNOWN,
        }
    }

    /// Whether a member of a struct is one of those that make it a kind.
    pub(super) fn is_meta(file: &Types, shape: &Shape, wanted: &str) -> bool {
        matches!(shape, Shape::Selected { package, name } if name == wanted && file.imports.get(package).is_some_and(|it| it == META))
    }
}

/// What kinds embed.
const IN_KINDS: [&str; 3] = ["TypeMeta", "ObjectMeta", "ListMeta"];

/// What the markers of a declaration or a field say that the type is.
pub(super) fn typed(file: &Types, markers: &[Set]) -> Option<Kinds> {
    of_markers(file, markers, "kubebuilder:validation:Type")
}

/// The same of the items of a list.
pub(super) fn typed_items(file: &Types, markers: &[Set]) -> Option<Kinds> {
    of_markers(file, markers, "kubebuilder:validation:items:Type")
}

fn of_markers(file: &Types, markers: &[Set], name: &str) -> Option<Kinds> {
    // Of several, the last one counts.
    let last = markers.iter().rfind(|it| it.name == name)?;
    Some(plain(file, last).map_or(Kinds::ALL, Kinds::named))
}

/// The value of a marker, if it is one plain string.
pub(super) fn plain<'t>(file: &'t Types, marker: &Set) -> Option<&'t str> {
    plain_text(file.text.get(marker.arguments.clone())?)
}

/// What a text of an argument is, if it is one plain string.
pub(super) fn plain_text(text: &str) -> Option<&str> {
    let text = text.trim();
    let unquoted = ['"', '`']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    let is_odd = |it: char| !it.is_alphanumeric() && !matches!(it, '-' | '_' | '.');
    unquoted.or(Some(text)).filter(|it| !it.contains(is_odd))
}

/// The types that Go has by itself.
fn basic(name: &str) -> Option<Kinds> {
    Some(match name {
        "string" => Kinds::STRING,
        "bool" => Kinds::BOOLEAN,
        "int" | "int8" | "int16" | "int32" | "int64" | "uint" | "uint8" | "uint16" | "uint32" | "uint64"
        | "uintptr" | "byte" | "rune" => Kinds::INTEGER,
        // They need an option of controller-gen.
        "float32" | "float64" => Kinds::NUMBER.or(Kinds::NONE),
        _ => return None,
    })
}
