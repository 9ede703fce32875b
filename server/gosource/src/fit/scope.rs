//! Determines the types that controller-gen sees before it applies markers (`pkg/crd/schema.go` of `sigs.k8s.io/controller-tools`).
//!
//! Before it applies the markers of a field, controller-gen resolves only some type names. Later releases resolve more of them.

use std::{cell::RefCell, collections::HashMap, path::Path, rc::Rc, sync::Arc};

use crate::{
    check::{
        catalog::Release,
        types::{Declared, Marshals, Set, Shape, Types},
    },
    module::{Module, Package},
};

use super::kinds::Kinds;

/// The maximum length of a chain of type names.
const MAX_DEPTH: usize = 32;

/// The package of the types that every kind embeds. None of these types determines its own JSON form.
const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

/// The prefix of packages in which no type determines its own text form.
const API: &str = "k8s.io/api/";

/// The first release that resolves the names of strings, numbers and booleans.
const BASIC_NAMES: Release = Release(20);
/// The first release that resolves the names of slices and maps.
const LIST_NAMES: Release = Release(23);
/// The first release that treats a type with its own text form as a string.
const TEXT: Release = Release(17);

/// The package in which a type is written.
#[derive(Clone)]
pub(super) struct Scope<'a> {
    /// The file that is being checked, in its current state. `None` if the scope is another package.
    own: Option<&'a Types>,
    /// The package as it is on disk. If it is missing, the other files of the package are unknown.
    package: Option<Arc<Package>>,
    /// The index of the file that is being checked in the package on disk.
    own_on_disk: Option<usize>,
    module: Option<&'a Module>,
    /// The packages that were looked up, by import path.
    imported: Rc<RefCell<Imported>>,
    pub(super) release: Release,
}

/// Packages of the module by import path. `None` if a package is not in the module.
type Imported = HashMap<String, Option<Arc<Package>>>;

/// Whether a type has a certain method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Has {
    Yes,
    No,
    Perhaps,
}

impl Has {
    /// Combines two embedded types. If both have the method, the outer type has it from neither.
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

/// Whether a type has the methods that determine its JSON or text form.
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

    /// Whether controller-gen certainly looks at the types inside a type. `is_typed` means that a marker sets the type's schema type.
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

/// The type after all names are resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Underlying {
    Basic(Kinds),
    Slice,
    Map,
    /// A struct, an array, a pointer or an interface.
    Other,
    Unknown,
}

/// The schema that controller-gen generates for a type, as far as it is needed here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Schema {
    pub(super) kinds: Kinds,
    pub(super) items: Items,
}

/// What is known about the items of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Items {
    /// controller-gen sees no items.
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
        let package = module.and_then(|it| it.package_around(path));
        let position = |it: &Arc<Package>| it.types().position(|it| it.0 == path);
        Self {
            own: Some(types),
            own_on_disk: package.as_ref().and_then(position),
            package,
            module,
            imported: Rc::default(),
            release,
        }
    }

    /// The files of the package.
    pub(super) fn files(&self) -> impl Iterator<Item = &Types> {
        let on_disk = self.package.as_deref().into_iter().flat_map(Package::types);
        let others = on_disk.enumerate().filter(|it| self.own_on_disk != Some(it.0));
        self.own.into_iter().chain(others.map(|it| &**it.1.1))
    }

    /// The declaration of a type in the package, and the file that contains it.
    pub(super) fn declared(&self, name: &str) -> Option<(&Types, &Declared)> {
        self.files().find_map(|it| Some((it, it.declared.get(name)?)))
    }

    /// The scope of a package of the module that a file imports.
    pub(super) fn imported(&self, file: &Types, package: &str) -> Option<Scope<'a>> {
        let module = self.module?;
        let path = file.imports.get(package)?;
        let known = self.imported.borrow().get(path).cloned();
        let package = known.unwrap_or_else(|| {
            let found = module.imported(path);
            self.imported.borrow_mut().insert(path.clone(), found.clone());
            found
        });
        Some(Scope {
            own: None,
            package: Some(package?),
            own_on_disk: None,
            module: self.module,
            imported: self.imported.clone(),
            release: self.release,
        })
    }

    /// The schema of a type, before its markers are applied.
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
            // It depends on how controller-gen was built whether it treats an alias of `byte` as a byte.
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
                // controller-gen rejects other types of keys and values, and generates an empty schema.
                let kinds = if is_string && has_schema {
                    Kinds::OBJECT
                } else {
                    Kinds::OBJECT.or(Kinds::NONE)
                };
                Schema::of(kinds)
            }
            Shape::Struct(_) if depth == 0 => Schema::of(Kinds::OBJECT),
            // controller-gen rejects anonymous structs.
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

    /// The schema of a type that has a name without a package.
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

    /// The schema type of a named string, number or boolean, including the effect of the markers at its declaration.
    fn named_basic(&self, name: &str, file: &Types, declared: &Declared, depth: usize) -> Kinds {
        let methods = self.methods(name, file, declared);
        let base = self.schema_at(file, &declared.shape, depth + 1).kinds;
        let written = self.written(base, methods);
        let typed = typed(file, &declared.markers).unwrap_or(written);
        let is_enum = self.release >= Release(21) && declared.markers.iter().any(|it| it.name == "k8s:enum");
        // An enum whose underlying type is a string is a string.
        let is_string = || self.underlying(file, &declared.shape, depth + 1) == Underlying::Basic(Kinds::STRING);
        if is_enum && is_string() {
            typed.or(Kinds::STRING)
        } else {
            typed
        }
    }

    /// The schema type, taking into account methods that determine the type's own form.
    pub(super) fn written(&self, base: Kinds, methods: Methods) -> Kinds {
        match methods.text {
            _ if self.release < TEXT => base,
            // The JSON method takes precedence over the text method. Without a marker that sets the type, it changes nothing.
            Has::Yes if methods.json == Has::No => Kinds::STRING,
            Has::No => base,
            Has::Yes | Has::Perhaps if methods.json == Has::Yes => base,
            Has::Yes | Has::Perhaps => base.or(Kinds::STRING),
        }
    }

    /// The schema type of a name from another package.
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

    /// The type after resolving all names.
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

    /// The methods of a type that determine its own form.
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

    /// The methods that a type gets from the types embedded in it.
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
            // If a type is defined as another named type, it does not get that type's methods, but those of the types embedded there.
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

    /// Whether a struct member embeds the wanted metadata type of Kubernetes.
    pub(super) fn is_meta(file: &Types, shape: &Shape, wanted: &str) -> bool {
        matches!(shape, Shape::Selected { package, name } if name == wanted && file.imports.get(package).is_some_and(|it| it == META))
    }
}

/// The metadata types that kinds embed.
const IN_KINDS: [&str; 3] = ["TypeMeta", "ObjectMeta", "ListMeta"];

/// The schema type that the markers of a declaration set.
pub(super) fn typed(file: &Types, markers: &[Set]) -> Option<Kinds> {
    of_markers(file, markers, "kubebuilder:validation:Type")
}

/// The schema type that the markers set for the items of a list.
pub(super) fn typed_items(file: &Types, markers: &[Set]) -> Option<Kinds> {
    of_markers(file, markers, "kubebuilder:validation:items:Type")
}

fn of_markers(file: &Types, markers: &[Set], name: &str) -> Option<Kinds> {
    // The last marker applies.
    let last = markers.iter().rfind(|it| it.name == name)?;
    Some(plain(file, last).map_or(Kinds::ALL, Kinds::named))
}

/// The value of a marker, if it is a single string without escapes.
pub(super) fn plain<'t>(file: &'t Types, marker: &Set) -> Option<&'t str> {
    plain_text(file.text.get(marker.arguments.clone())?)
}

/// The value of an argument, if it is a single string without escapes.
pub(super) fn plain_text(text: &str) -> Option<&str> {
    let text = text.trim();
    let unquoted = ['"', '`']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
    let is_odd = |it: char| !it.is_alphanumeric() && !matches!(it, '-' | '_' | '.');
    unquoted.or(Some(text)).filter(|it| !it.contains(is_odd))
}

/// The JSON types of Go's built-in types.
fn basic(name: &str) -> Option<Kinds> {
    Some(match name {
        "string" => Kinds::STRING,
        "bool" => Kinds::BOOLEAN,
        "int" | "int8" | "int16" | "int32" | "int64" | "uint" | "uint8" | "uint16" | "uint32" | "uint64"
        | "uintptr" | "byte" | "rune" => Kinds::INTEGER,
        // Without an option, controller-gen rejects floating-point types.
        "float32" | "float64" => Kinds::NUMBER.or(Kinds::NONE),
        _ => return None,
    })
}
