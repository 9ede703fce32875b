//! Names of types that nothing declares.

use std::ops::Range;

use crate::{
    refused::Reason,
    types::{Context, Maker},
};

impl Maker<'_> {
    /// Notes a name that no known type has. `span` has the type in which it is written.
    pub(crate) fn undeclared(&mut self, context: Context<'_>, name: &str, span: &Range<usize>) {
        let types = context.types();
        let is_generic = context.declared.is_some_and(|it| it.is_generic);
        let written = types.text.get(span.clone()).unwrap_or_default();
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let is_whole = |at: &usize| {
            let (before, after) = (&written[..*at], &written[at + name.len()..]);
            !before.ends_with(is_part) && !after.starts_with(is_part)
        };
        let at = written.match_indices(name).map(|it| it.0).find(is_whole);
        match at {
            Some(at) if !is_generic && self.packages.is_undefined((context.package, types), name) => {
                let start = span.start + at;
                self.refuse(context.origin(start..start + name.len()), Reason::Undefined);
            }
            _ => self.missing.push(name.to_owned()),
        }
    }
}
