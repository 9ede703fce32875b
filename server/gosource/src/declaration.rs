//! From a path in a schema to the field that it is generated from.

use std::{collections::HashSet, ops::Range, sync::Arc};

use crate::{
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
    /// The markers in front of it, as they are written.
    pub markers: Vec<Marker>,
    /// How far below the field the schema is: 1 for the items of a list, 2 for items of items. Of a type 0.
    pub items: usize,
    /// Values of a map are on the way from the field, for which there are not any markers.
    pub is_below_map: bool,
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
        let package = self.package_of(of)?;
        let declared = package.declared(of.kind)?.clone();
        let mut walk = Walk {
            module: self,
            site: of_type(of.kind, &declared),
            types: Vec::new(),
            owner: of.kind.to_owned(),
            left: MAX_TYPES,
        };
        let mut at = At {
            package,
            file: declared.file,
            of: declared.of,
        };
        for step in steps {
            at = walk.step(at, step)?;
        }
        walk.named(at);
        Some(Declaration {
            site: walk.site,
            types: walk.types,
        })
    }
}

fn of_type(name: &str, declared: &Declared) -> Site {
    Site {
        file: declared.file.clone(),
        span: declared.span.clone(),
        name: name.to_owned(),
        markers: declared.markers.clone(),
        items: 0,
        is_below_map: false,
    }
}

/// A type, and the file in whose words it is written.
struct At {
    package: Arc<Package>,
    file: Arc<SourceFile>,
    of: Type,
}

struct Walk<'a> {
    module: &'a Module,
    site: Site,
    types: Vec<Site>,
    owner: String,
    left: usize,
}

impl Walk<'_> {
    /// Follows names to what they stand for.
    fn named(&mut self, mut at: At) -> Option<At> {
        while let Type::Named { package, name } = &at.of {
            self.left = self.left.checked_sub(1)?;
            let (found, declared) = self.lookup(&at, package.as_deref(), name)?;
            self.types.push(of_type(name, &declared));
            self.owner.clone_from(name);
            at = At {
                package: found,
                file: declared.file,
                of: declared.of,
            };
        }
        Some(at)
    }

    fn lookup(&self, at: &At, package: Option<&str>, name: &str) -> Option<(Arc<Package>, Declared)> {
        let package = match package {
            None => at.package.clone(),
            Some(package) => self.module.imported(at.package.import(&at.file.path, package)?)?,
        };
        let declared = package.declared(name)?.clone();
        Some((package, declared))
    }

    fn step(&mut self, at: At, step: &Step) -> Option<At> {
        let at = self.named(at)?;
        match (step, &at.of) {
            (Step::Property(name), Type::Struct(_)) => {
                let owner = self.owner.clone();
                let (found, field) = self.field(at, &owner, name, &mut HashSet::new())?;
                self.types.clear();
                Some(At { of: field.of, ..found })
            }
            (Step::Items, Type::List(of)) => {
                self.below(false);
                Some(At {
                    of: (**of).clone(),
                    ..at
                })
            }
            (Step::Values, Type::Map(of)) => {
                self.below(true);
                Some(At {
                    of: (**of).clone(),
                    ..at
                })
            }
            _ => None,
        }
    }

    /// A named type on the way takes the markers of what is below it.
    fn below(&mut self, is_map: bool) {
        if let Some(site) = self.types.pop() {
            self.site = site;
        }
        self.types.clear();
        self.site.items += usize::from(!is_map);
        self.site.is_below_map |= is_map;
    }

    /// The field of a struct, or of those that are embedded in it, with this name in JSON.
    fn field(&mut self, at: At, owner: &str, name: &str, seen: &mut HashSet<String>) -> Option<(At, Field)> {
        self.left = self.left.checked_sub(1)?;
        let Type::Struct(fields) = &at.of else {
            return None;
        };
        if let Some(field) = fields.iter().find(|it| it.json == name) {
            self.site = Site {
                file: at.file.clone(),
                span: field.span.clone(),
                name: format!("{owner}.{}", field.name),
                markers: field.markers.clone(),
                items: 0,
                is_below_map: false,
            };
            let field = field.clone();
            return Some((at, field));
        }
        let embedded: Vec<Type> = fields
            .iter()
            .filter(|it| it.json.is_empty())
            .map(|it| it.of.clone())
            .collect();
        for of in embedded {
            let Type::Named { package, name: of_name } = &of else {
                continue;
            };
            let Some((package, declared)) = self.lookup(&at, package.as_deref(), of_name) else {
                continue;
            };
            if !seen.insert(format!("{}#{of_name}", declared.file.path.display())) {
                continue;
            }
            let within = At {
                package,
                file: declared.file,
                of: declared.of,
            };
            if let Some(found) = self.field(within, of_name, name, seen) {
                return Some(found);
            }
        }
        None
    }
}
