//! The errors that make controller-gen fail.

use crd_analyzer_gosource::check::types::Shape;

use crate::node::Origin;

/// An error that makes controller-gen fail.
#[derive(Clone, PartialEq, Debug)]
pub struct Refused {
    /// The place that causes the error.
    pub origin: Option<Origin>,
    /// The reason for the error.
    pub reason: Reason,
}

/// The reason why controller-gen fails.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reason {
    /// A marker does not fit its type, or its value is invalid.
    Marker,
    /// The type is an interface.
    Interface,
    /// The type is a struct that is written where it is used, without a name.
    NamelessStruct,
    /// The type has no schema, such as a function or a channel.
    Type,
    /// The package declares no type of this name, so its types cannot be loaded.
    Undefined,
    /// The imported package declares no type of this name.
    NotInPackage,
    /// The file imports no package of this name.
    NotImported,
    /// A field has no JSON tag.
    Tag,
    /// An embedded struct has no JSON tag.
    Embedded,
    /// A field is a floating-point number, and the option that allows them is not set.
    Float,
    /// The keys of a map are not strings.
    Key,
    /// A field in a group of alternatives is required.
    OneOf,
    /// Embedded types set the type of the schema to different values.
    Conflict,
    /// No version of the kind is the storage version.
    Versions,
    /// No version of the kind is served.
    Unserved,
    /// A struct of Go's own library, whose fields have no JSON tags.
    OfGo,
    /// This release of controller-gen crashes.
    Crash,
    /// A text has a control character. controller-gen cannot write the CRD, nor those after it.
    Text,
}

/// Why controller-gen does not generate a schema for a type of this form.
pub(crate) const fn reason_of(shape: &Shape) -> Reason {
    match shape {
        Shape::Interface => Reason::Interface,
        Shape::Struct(_) => Reason::NamelessStruct,
        _ => Reason::Type,
    }
}
