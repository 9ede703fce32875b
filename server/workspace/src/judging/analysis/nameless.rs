//! Objects without a name: a program reads them as files, or something names them before they are sent.

use super::Ask;
use crate::{
    index::objects::Object,
    roles::{self, Use},
    wrappers::Purpose,
};

impl Ask<'_> {
    /// Whether a program reads an object as a file. Objects with a name may be sent to an API server later.
    pub(super) fn is_data(&self, object: &Object) -> bool {
        self.uses.has(Use::Data) && object.written.name.is_empty()
    }

    /// Whether something names an object before it is sent: users name samples, and tests name the objects that they read from files.
    pub(super) fn is_named_later(&self, object: &Object) -> bool {
        let is_sample = object.inside.as_ref().is_some_and(|it| it.purpose == Purpose::Sample);
        let is_of_tests = || self.question.is_completed() && self.question.path.is_some_and(roles::is_in_tests);
        is_sample || is_of_tests()
    }
}
