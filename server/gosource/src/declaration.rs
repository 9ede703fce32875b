//! Finds the Go field from which a schema path is generated.

use std::{collections::HashSet, ops::Range, sync::Arc};

use crate::{
    check::comments::Target,
    module::{Module, Package},
    read::{Declared, Field, Marker, SourceFile, Type},
};

/// The maximum number of named types and embedded structs on a path.
pub(crate) const MAX_TYPES: usize = 200;

/// One step down a schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A step into `properties`, to the property with this name.
    Property(String),
    /// A step into `items`.
    Items,
    /// A step into `additionalProperties`.
    Values,
}

/// A kind in one version.
#[derive(Clone, Copy, Debug)]
pub struct Kind<'a> {
    /// The API group, such as `stable.example.com`.
    pub group: &'a str,
    /// The version, such as `v1`.
    pub version: &'a str,
    /// The kind, such as `CronTab`.
    pub kind: &'a str,
    /// Whether the CRD itself says that a tool generated it from Go.
    pub is_generated: bool,
}

/// A Go declaration with markers: a field or a type.
#[derive(Clone, Debug)]
pub struct Site {
    /// The file that contains the declaration.
    pub file: Arc<SourceFile>,
    /// The declared name, in bytes of the file.
    pub span: Range<usize>,
    /// The name for users: a field such as `CronTabSpec.Hosts`, or the name of a type.
    pub name: String,
    /// Whether the declaration is a field or a type.
    pub target: Target,
    /// The markers above the declaration, as written.
    pub markers: Arc<[Marker]>,
    /// The number of lists between the field and the schema: 1 for the items of a list, 2 for the items of items. 0 for a type.
    pub items: usize,
    /// Whether the schema is inside the values of a map, to which markers of the field cannot apply.
    pub is_below_map: bool,
}

impl Site {
    fn is_schemaless(&self) -> bool {
        let mut markers = self.markers.iter();
        markers.any(|it| it.text == "+kubebuilder:validation:Schemaless")
    }
}

/// The Go declarations from which a schema is generated.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The innermost field on the path. If the path has no field, the type.
    pub site: Site,
    /// The named types of the schema, outermost first. Their markers apply to the schema, too.
    pub types: Vec<Site>,
}

impl Module {
    /// The declaration for a schema of this kind and version. `steps` lead from the root of the kind's schema to this schema.
    pub fn declaration(&self, of: &Kind<'_>, steps: &[Step]) -> Option<Declaration> {
        let mut at = self.cursor(of)?;
        for step in steps {
            at = at.step(self, step)?;
        }
        Some(at.declaration)
    }

    /// A cursor at the root of the schema of this kind and version.
    pub fn cursor(&self, of: &Kind<'_>) -> Option<Cursor> {
        let package = self.package_of(of)?;
        let declared = package.declared(of.kind)?.clone();
        let declaration = Declaration {
            site: of_type(of.kind, &declared),
            types: Vec::new(),
        };
        let at = At {
            package,
            file: declared.file,
            of: declared.of,
        };
        let mut cursor = Cursor::new(self, declaration, (of.kind.to_owned(), MAX_TYPES), at);
        cursor.is_root = true;
        Some(cursor)
    }
}

pub(crate) fn of_type(name: &str, declared: &Declared) -> Site {
    Site {
        file: declared.file.clone(),
        span: declared.span.clone(),
        name: name.to_owned(),
        target: Target::Type,
        markers: declared.markers.clone(),
        items: 0,
        is_below_map: false,
    }
}

/// A type, and the file in which it is written. The imports of that file determine what its names mean.
#[derive(Clone)]
pub(crate) struct At {
    pub(crate) package: Arc<Package>,
    pub(crate) file: Arc<SourceFile>,
    pub(crate) of: Type,
}

/// Go's built-in types that can be values in a schema.
const BASIC: &[&str] = &[
    "bool", "string", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "byte",
    "rune", "float32", "float64",
];

/// The declarations whose markers apply to a schema.
pub struct Sites {
    /// The field, the named types to which it refers, and the structs embedded in the last of these types. They are in the order in which
    /// controller-gen writes their rules.
    pub all: Vec<Site>,
    /// Whether all types on the path are known. If so, no other declarations have markers for the schema.
    pub are_all: bool,
}

impl Sites {
    /// Whether the schema is inside the values of a map.
    pub fn are_below_map(&self) -> bool {
        self.all.first().is_some_and(|it| it.is_below_map)
    }
}

/// A position in Go types. It follows the path of a generated schema.
#[derive(Clone)]
pub struct Cursor {
    declaration: Declaration,
    /// The name of the last named type.
    owner: String,
    left: usize,
    /// Whether the type is the type of a kind.
    is_root: bool,
    /// The type at this position. `None` if its name cannot be resolved.
    at: Option<At>,
}

impl Cursor {
    /// Creates a cursor, and resolves the name of its type.
    fn new(module: &Module, declaration: Declaration, (owner, left): (String, usize), at: At) -> Self {
        let mut cursor = Self {
            declaration,
            owner,
            left,
            is_root: false,
            at: None,
        };
        // controller-gen ignores the type of a schemaless field.
        if !cursor.declaration.site.is_schemaless() {
            cursor.at = cursor.named(module, at);
        }
        cursor
    }

    fn named(&mut self, module: &Module, mut at: At) -> Option<At> {
        while let Type::Named { package, name } = &at.of {
            if package.is_none() && BASIC.contains(&name.as_str()) && at.package.declared(name).is_none() {
                at.of = Type::Other;
                break;
            }
            self.left = self.left.checked_sub(1)?;
            let (found, declared) = lookup(module, &at, package.as_deref(), name)?;
            self.declaration.types.push(of_type(name, &declared));
            self.owner.clone_from(name);
            at = At {
                package: found,
                file: declared.file,
                of: declared.of,
            };
        }
        Some(at)
    }

    /// The declaration from which the schema is generated.
    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    /// Whether a marker makes controller-gen ignore the type.
    pub fn is_schemaless(&self) -> bool {
        self.declaration.site.is_schemaless()
    }

    /// Whether the type is a struct with known fields. Fields of embedded structs from other modules may be unknown.
    pub fn is_struct(&self) -> bool {
        self.at.as_ref().is_some_and(|it| matches!(it.of, Type::Struct(_)))
    }

    /// The declarations whose markers apply to the schema.
    pub fn sites(&self, module: &Module) -> Sites {
        let mut all = vec![self.declaration.site.clone()];
        all.extend(self.declaration.types.iter().cloned());
        let mut sites = Sites {
            all,
            are_all: self.at.is_some() || self.declaration.site.is_schemaless(),
        };
        if let Some(at) = &self.at {
            let mut left = self.left;
            let own = sites.all.len();
            embedded(module, at, (&mut HashSet::new(), &mut left), &mut sites);
            if self.is_root {
                sites.all.rotate_left(own);
            }
        }
        sites
    }

    /// Moves one step down. `None` if the types do not show what is there.
    pub fn step(&self, module: &Module, step: &Step) -> Option<Self> {
        let at = self.at.as_ref()?;
        let mut left = self.left;
        match (step, &at.of) {
            (Step::Property(name), Type::Struct(_)) => {
                let found = field(module, at, (&self.owner, name), (&mut HashSet::new(), &mut left))?;
                let declaration = Declaration {
                    site: found.site,
                    types: Vec::new(),
                };
                Some(Self::new(module, declaration, (self.owner.clone(), left), found.at))
            }
            (Step::Items, Type::List(of)) => Some(self.below(module, at, of, false)),
            (Step::Values, Type::Map(of)) => Some(self.below(module, at, of, true)),
            _ => None,
        }
    }

    /// Moves to the items of a list or the values of a map. Their markers are at the last named type, or at the field if there is none.
    fn below(&self, module: &Module, at: &At, of: &Type, is_map: bool) -> Self {
        let Declaration { site, types } = &self.declaration;
        let mut site = types.last().unwrap_or(site).clone();
        site.items += usize::from(!is_map);
        site.is_below_map |= is_map;
        let declaration = Declaration {
            site,
            types: Vec::new(),
        };
        let at = At {
            of: of.clone(),
            ..at.clone()
        };
        Self::new(module, declaration, (self.owner.clone(), self.left), at)
    }
}

fn lookup(module: &Module, at: &At, package: Option<&str>, name: &str) -> Option<(Arc<Package>, Declared)> {
    let package = match package {
        None => at.package.clone(),
        Some(package) => module.imported(at.package.import(&at.file.path, package)?)?,
    };
    let declared = package.declared(name)?.clone();
    Some((package, declared))
}

/// The limits that prevent endless recursion through embedded structs.
pub(crate) type Bounds<'a> = (&'a mut HashSet<String>, &'a mut usize);

/// The named types that are embedded in a struct, without those already visited, and whether all embedded types are known.
fn embedded_types(module: &Module, at: &At, (seen, left): Bounds<'_>) -> (Vec<(String, At, Declared)>, bool) {
    let Type::Struct(fields) = &at.of else {
        return (Vec::new(), true);
    };
    let mut found = Vec::new();
    let mut are_all = true;
    for field in fields.embedded() {
        let Type::Named { package, name } = &field.of else {
            are_all = false;
            continue;
        };
        let Some((package, declared)) = lookup(module, at, package.as_deref(), name) else {
            are_all = false;
            continue;
        };
        let is_new = seen.insert(format!("{}#{name}", declared.file.path.display()));
        let Some(rest) = left.checked_sub(1).filter(|_| is_new) else {
            continue;
        };
        *left = rest;
        let within = At {
            package,
            file: declared.file.clone(),
            of: declared.of.clone(),
        };
        found.push((name.clone(), within, declared));
    }
    (found, are_all)
}

fn embedded(module: &Module, at: &At, (seen, left): Bounds<'_>, sites: &mut Sites) {
    let (found, are_all) = embedded_types(module, at, (seen, left));
    sites.are_all &= are_all && *left > 0;
    for (name, within, declared) in found.into_iter().rev() {
        sites.all.push(of_type(&name, &declared));
        embedded(module, &within, (seen, left), sites);
    }
}

/// A field that was found in a struct, and the field's type.
pub(crate) struct Found {
    pub(crate) site: Site,
    at: At,
}

/// The field with this JSON name in a struct or in the structs embedded in it.
pub(crate) fn field(module: &Module, at: &At, (owner, name): (&str, &str), (seen, left): Bounds<'_>) -> Option<Found> {
    let Type::Struct(fields) = &at.of else {
        return None;
    };
    if let Some(Field {
        span,
        markers,
        of,
        name,
        ..
    }) = fields.named(name)
    {
        let site = Site {
            file: at.file.clone(),
            span: span.clone(),
            name: format!("{owner}.{name}"),
            target: Target::Field,
            markers: markers.clone(),
            items: 0,
            is_below_map: false,
        };
        let at = At {
            of: of.clone(),
            ..at.clone()
        };
        return Some(Found { site, at });
    }
    let (embedded, _) = embedded_types(module, at, (seen, left));
    embedded
        .into_iter()
        .find_map(|(of_name, within, _)| field(module, &within, (&of_name, name), (seen, left)))
}
