//! What fits a declaration: which markers its type can have, and which values its default can have.

use std::path::Path;

use super::{
    Values, innermost,
    kinds::Kinds,
    scope::{Scope, Underlying},
    wanted_by,
};
use crate::{
    check::{
        catalog::{Release, Type},
        comments::Comments,
        guessed::{self, Guessed},
        types::{Set, Shape, Types},
    },
    literal::Value,
    module::Module,
};

/// The marker that lists the possible values.
const ENUM: &str = "kubebuilder:validation:Enum";

/// A declaration of a field or type in a file.
pub struct Declared<'a> {
    scope: Scope<'a>,
    types: &'a Types,
    shape: &'a Shape,
    markers: &'a [Set],
}

impl<'a> Declared<'a> {
    /// The declaration with a number in the comments of a file. `path` is the absolute path of the file, and `module` the repository that contains it.
    pub fn of(
        comments: &'a Comments,
        number: usize,
        (path, module): (&'a Path, Option<&'a Module>),
        release: Release,
    ) -> Option<Self> {
        let start = *comments.declarations.get(number.checked_sub(1)?)?;
        let types = &comments.types;
        let (shape, markers) = types.declared.values().find_map(|it| match &it.shape {
            shape if it.start == start => Some((shape, it.markers.as_slice())),
            Shape::Struct(members) => {
                let member = members.iter().find(|it| it.start == start)?;
                Some((&member.shape, member.markers.as_slice()))
            }
            _ => None,
        })?;
        Some(Self {
            scope: Scope::new(types, path, module, release),
            types,
            shape,
            markers,
        })
    }

    /// Whether the type can have a marker with this name. `true` if that is not known.
    pub fn takes(&self, name: &str) -> bool {
        let (word, kinds) = match name.strip_prefix(super::OF_ITEMS) {
            Some(word) => match innermost(self.shape) {
                Shape::Slice(of) | Shape::Array(of) => (word, self.kinds(of)),
                Shape::Name(_) | Shape::Selected { .. } if self.kinds(self.shape).meets(Kinds::ARRAY) => return true,
                _ => return false,
            },
            None => (
                name.strip_prefix("kubebuilder:validation:").unwrap_or(name),
                self.kinds(self.shape),
            ),
        };
        let values = Values {
            kinds,
            has_no_type: false,
            is_int_or_string: false,
        };
        wanted_by(word).is_none_or(|it| values.fits(it))
    }

    /// The values that the default can have, as they are written in markers. Empty if there are too many, or if they are not known.
    pub fn choices(&self) -> Vec<String> {
        let own = listed(self.types, self.markers);
        let of_type = || match innermost(self.shape) {
            Shape::Name(name) => self.scope.declared(name).and_then(|it| listed(it.0, &it.1.markers)),
            _ => None,
        };
        let is_bool = || self.kinds(self.shape) == Kinds::BOOLEAN;
        let of_bool = || is_bool().then(|| vec!["true".to_owned(), "false".to_owned()]);
        own.or_else(of_type).or_else(of_bool).unwrap_or_default()
    }

    /// The JSON types that a type may have after its names are resolved.
    fn kinds(&self, shape: &Shape) -> Kinds {
        match self.scope.underlying(self.types, innermost(shape), 0) {
            Underlying::Basic(kinds) => kinds,
            Underlying::Slice => Kinds::ARRAY,
            Underlying::Map => Kinds::OBJECT,
            Underlying::Other => Kinds::OBJECT.or(Kinds::ARRAY),
            Underlying::Unknown => Kinds::ALL,
        }
    }
}

/// The values that the marker of an enum lists.
fn listed(types: &Types, markers: &[Set]) -> Option<Vec<String>> {
    let marker = markers.iter().find(|it| it.name == ENUM)?;
    let of = Type::List(Box::new(Type::Any));
    let Guessed::Value(found) = guessed::read(&types.text, marker.arguments.clone(), &of, Release::NEWEST) else {
        return None;
    };
    let Value::List(items) = found.value else { return None };
    let written = items
        .iter()
        .map(|it| Some(types.text.get(it.span.clone())?.trim().to_owned()));
    written.collect()
}
