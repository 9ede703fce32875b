//! Finds the fields that a marker can name: those of its own struct, of the items of a list, or at the end of a path.

use std::{path::Path, sync::Arc};

use super::scope::Scope;
use crate::{
    check::{
        catalog::Release,
        comments::Comments,
        types::{Member, Shape, Types},
    },
    module::Module,
};

/// The maximum depth of names and embedded structs.
const MAX_DEPTH: usize = 32;

/// A step on a path through types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step<'a> {
    /// A step to the field with this JSON name.
    Field(&'a str),
    /// A step to the items of a list.
    Items,
}

/// A field that a marker can name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldName {
    /// The name of the field in JSON.
    pub name: String,
    /// The Go type of the field, as written.
    pub of: String,
}

/// The fields of the type at a declaration and a path, in declaration order. `declaration` is its number in the comments, `path` the absolute path of
/// the file, and `module` the repository that contains it.
pub fn fields(
    comments: &Comments,
    declaration: usize,
    path: &Path,
    module: Option<&Module>,
    steps: &[Step<'_>],
) -> Vec<FieldName> {
    let start = declaration.checked_sub(1).and_then(|it| comments.declarations.get(it));
    let Some(shape) = start.and_then(|it| shape_of(&comments.types, *it)) else {
        return Vec::new();
    };
    let mut at = At {
        scope: Scope::new(&comments.types, path, module, Release::NEWEST),
        file: words_of(&comments.types),
        shape: shape.clone(),
    };
    for step in steps {
        let found = match (step, at.behind_names(0)) {
            (Step::Field(name), Some(at)) => at
                .members(0)
                .into_iter()
                .find(|it| it.name.name == *name)
                .map(|it| it.at),
            (Step::Items, Some(At { scope, file, shape })) => match shape {
                Shape::Slice(of) | Shape::Array(of) => Some(At {
                    scope,
                    file,
                    shape: *of,
                }),
                _ => None,
            },
            (_, None) => None,
        };
        match found {
            Some(found) => at = found,
            None => return Vec::new(),
        }
    }
    let members = at.behind_names(0).map(|it| it.members(0)).unwrap_or_default();
    members.into_iter().map(|it| it.name).collect()
}

/// The type in the declaration that starts at an offset.
fn shape_of(types: &Types, start: usize) -> Option<&Shape> {
    types.declared.values().find_map(|it| {
        if it.start == start {
            return Some(&it.shape);
        }
        match &it.shape {
            Shape::Struct(members) => members.iter().find(|it| it.start == start).map(|it| &it.shape),
            _ => None,
        }
    })
}

/// The text and imports of a file, without its types. They are enough to resolve names.
fn words_of(file: &Types) -> Types {
    Types {
        text: file.text.clone(),
        imports: file.imports.clone(),
        ..Types::default()
    }
}

/// A type, and the file in which it is written. The imports of that file determine what its names mean.
struct At<'a> {
    scope: Scope<'a>,
    file: Types,
    shape: Shape,
}

/// A field, and its type.
struct Found<'a> {
    name: FieldName,
    at: At<'a>,
}

impl<'a> At<'a> {
    /// The type after resolving names and pointers.
    fn behind_names(&self, depth: usize) -> Option<Self> {
        if depth > MAX_DEPTH {
            return None;
        }
        let (scope, name) = match &self.shape {
            Shape::Pointer(of) => return self.of(of).behind_names(depth + 1),
            Shape::Name(name) => (self.scope.clone(), name),
            Shape::Selected { package, name } => match self.scope.imported(&self.file, package) {
                Some(scope) => (scope, name),
                // The fields of Kubernetes' metadata types are known from the name alone.
                None => return Some(self.of(&self.shape)),
            },
            other => return Some(self.of(other)),
        };
        let (file, shape) = {
            let (file, declared) = scope.declared(name)?;
            (words_of(file), declared.shape.clone())
        };
        Self { scope, file, shape }.behind_names(depth + 1)
    }

    fn of(&self, shape: &Shape) -> Self {
        Self {
            scope: self.scope.clone(),
            file: self.file.clone(),
            shape: shape.clone(),
        }
    }

    /// The fields of a struct, including those of embedded structs.
    fn members(&self, depth: usize) -> Vec<Found<'a>> {
        if depth > MAX_DEPTH {
            return Vec::new();
        }
        let Shape::Struct(members) = &self.shape else {
            return self.of_meta();
        };
        let mut found = Vec::new();
        for member in members.iter().filter(|it| it.json.is_some() && !it.is_left_out) {
            match member.json.as_deref() {
                Some("") | None => {
                    let inline = self.of(&member.shape).behind_names(depth + 1);
                    found.extend(inline.map(|it| it.members(depth + 1)).unwrap_or_default());
                }
                Some(name) => found.push(self.found(name, member)),
            }
        }
        found
    }

    fn found(&self, name: &str, member: &Member) -> Found<'a> {
        Found {
            name: FieldName {
                name: name.to_owned(),
                of: self.file.text.get(member.of.clone()).unwrap_or_default().to_owned(),
            },
            at: self.of(&member.shape),
        }
    }

    /// The fields of a Kubernetes metadata type that kinds embed.
    fn of_meta(&self) -> Vec<Found<'a>> {
        let names: &[(&str, &str)] = if Scope::is_meta(&self.file, &self.shape, "ObjectMeta") {
            &OBJECT_META
        } else if Scope::is_meta(&self.file, &self.shape, "TypeMeta") {
            &TYPE_META
        } else {
            &[]
        };
        let found = |(name, of): &(&str, &str)| Found {
            name: FieldName {
                name: (*name).to_owned(),
                of: (*of).to_owned(),
            },
            at: At {
                scope: self.scope.clone(),
                file: Types {
                    text: Arc::default(),
                    ..Types::default()
                },
                shape: Shape::Other,
            },
        };
        names.iter().map(found).collect()
    }
}

/// The fields of `ObjectMeta` that are commonly used.
const OBJECT_META: [(&str, &str); 8] = [
    ("name", "string"),
    ("namespace", "string"),
    ("creationTimestamp", "Time"),
    ("deletionTimestamp", "*Time"),
    ("generation", "int64"),
    ("labels", "map[string]string"),
    ("annotations", "map[string]string"),
    ("uid", "types.UID"),
];

const TYPE_META: [(&str, &str); 2] = [("apiVersion", "string"), ("kind", "string")];
