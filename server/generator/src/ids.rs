//! The IDs of packages and types during generation.

use std::rc::Rc;

/// The ID of a package. The package may not exist.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct PackageId(pub(crate) usize);

/// The ID of a type in a package.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct TypeId {
    pub(crate) package: PackageId,
    pub(crate) name: Rc<str>,
}
