//! From a path in a schema to the field that it is generated from.

use std::{collections::HashSet, ops::Range, sync::Arc};

use crate::{
    check::comments::Target,
    module::{Module, Package},
    read::{Declared, Field, Marker, SourceFile, Type},
};

/// Named types and embedded structs that one path goes through at most.
const MAX_TYPES: usize = 200;

/// One step down a schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// `properties`, by name.
    Property(String),
    /// `items`.
    Items,
    /// `additionalProperties`.
    Values,
}

/// A version of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Kind<'a> {
    /// The group: `stable.example.com`.
    pub group: &'a str,
    /// The version: `v1`.
    pub version: &'a str,
    /// The kind: `CronTab`.
    pub kind: &'a str,
    /// The definition says that a tool made it from Go.
    pub is_generated: bool,
}

/// A place in Go where markers stand: a field or a type.
#[derive(Clone, Debug)]
pub struct Site {
    /// The file.
    pub file: Arc<SourceFile>,
    /// The name that is declared, in bytes of the file.
    pub span: Range<usize>,
    /// `CronTabSpec.Hosts`, or the name of a type.
    pub name: String,
    /// Whether it is a field or a type.
    pub target: Target,
    /// The markers in front of it, as they are written.
    pub markers: Arc<[Marker]>,
    /// How far below the field the schema is: 1 for the items of a list, 2 for items of items. Of a type 0.
    pub items: usize,
    /// Values of a map are on the way from the field, for which there are not any markers.
    pub is_below_map: bool,
}

impl Site {
    fn is_schemaless(&self) -> bool {
        let mut markers = self.markers.iter();
        markers.any(|it| it.text == "+kubebuilder:validation:Schemaless")
    }
}

/// What a schema is generated from.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The innermost field on the way, or the type if there is none.
    pub site: Site,
    /// The named types that the schema represents, outermost first: their markers count, too.
    pub types: Vec<Site>,
}

impl Module {
    /// Where a schema of this version of this kind comes from; `steps` lead to it from the root.
    pub fn declaration(&self, of: &Kind<'_>, steps: &[Step]) -> Option<Declaration> {
        let mut at = self.cursor(of)?;
        for step in steps {
            at = at.step(self, step)?;
        }
        Some(at.declaration)
    }

    /// The root of the schema of this version of this kind.
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

fn of_type(name: &str, declared: &Declared) -> Site {
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

/// A type, and the file in whose words it is written.
#[derive(Clone)]
struct At {
    package: Arc<Package>,
    file: Arc<SourceFile>,
    of: Type,
}

/// Go's own types that are values of schemas.
const BASIC: &[&str] = &[
    "bool", "string", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "byte",
    "rune", "float32", "float64",
];

/// Where markers say something of a schema.
pub struct Sites {
    /// The field, the types that it names, and the structs that are embedded in the last one, in the order in which controller-gen writes their
    /// rules.
    pub all: Vec<Site>,
    /// Every type on the way is known, so no other markers count.
    pub are_all: bool,
}

impl Sites {
    /// Whether values of a map are on the way from the field.
    pub fn are_below_map(&self) -> bool {
        self.all.first().is_some_and(|it| it.is_below_map)
    }
}

/// A place in Go types, beside a schema that is generated from it.
#[derive(Clone)]
pub struct Cursor {
    declaration: Declaration,
    /// The last named type.
    owner: String,
    left: usize,
    /// It is the type of a kind.
    is_root: bool,
    /// The type, where all names that it goes through are known.
    at: Option<At>,
}

impl Cursor {
    /// Follows names to what they stand for.
    fn new(module: &Module, declaration: Declaration, (owner, left): (String, usize), at: At) -> Self {
        let mut cursor = Self {
            declaration,
            owner,
            left,
            is_root: false,
            at: None,
        };
        // What is below such a field is not looked at.
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

    /// What the schema is generated from.
    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    /// Whether a marker keeps controller-gen from looking at the type.
    pub fn is_schemaless(&self) -> bool {
        self.declaration.site.is_schemaless()
    }

    /// Whether it is a struct whose fields are known, but perhaps for those of structs in other modules.
    pub fn is_struct(&self) -> bool {
        self.at.as_ref().is_some_and(|it| matches!(it.of, Type::Struct(_)))
    }

    /// Where the markers are that say something of the schema.
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

    /// A step down. `None`: the types do not say what is there.
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

    /// A named type on the way takes the markers of what is below it.
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

/// What keeps a way through embedded structs from going round.
type Bounds<'a> = (&'a mut HashSet<String>, &'a mut usize);

/// The named types that are embedded in a struct and were not seen yet, and whether these are all.
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

/// A field of a struct.
struct Found {
    site: Site,
    at: At,
}

/// The field of a struct, or of those that are embedded in it, with this name in JSON.
fn field(module: &Module, at: &At, (owner, name): (&str, &str), (seen, left): Bounds<'_>) -> Option<Found> {
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
