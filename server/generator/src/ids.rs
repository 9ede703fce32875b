//! Names of packages and types while CRDs are made.

use std::rc::Rc;

/// A package that has been looked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct PackageId(pub(crate) usize);

/// A type of a package.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct TypeId {
    pub(crate) package: PackageId,
    pub(crate) name: Rc<str>,
}
