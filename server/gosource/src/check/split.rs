//! Splits a marker into its name and its arguments.

use super::{
    catalog::{self, Definition},
    comments::Target,
};

/// A marker's name, split in the same way as by controller-gen, and its arguments.
pub(super) struct Split<'a> {
    /// The marker without its plus sign.
    pub(super) marker: &'a str,
    /// The name without its last word.
    pub(super) name: &'a str,
    /// The name with its last word.
    pub(super) whole: &'a str,
    /// Whether `=` follows the name.
    pub(super) has_equals: bool,
    pub(super) arguments: &'a str,
}

impl<'a> Split<'a> {
    pub(super) fn of(marker: &'a str) -> Self {
        let marker = marker.strip_prefix('+').unwrap_or(marker);
        let Some((whole, arguments)) = marker.split_once('=') else {
            return Self {
                marker,
                name: marker,
                whole: marker,
                has_equals: false,
                arguments: "",
            };
        };
        Self {
            marker,
            name: whole.rsplit_once(':').map_or(whole, |it| it.0),
            whole,
            has_equals: true,
            arguments,
        }
    }

    /// The marker's definition for a target.
    pub(super) fn definition(&self, target: Target) -> Option<&'static Definition> {
        let of = |name: &str| catalog::definitions(name).iter().find(|it| it.target == target);
        of(self.whole).or_else(|| of(self.name))
    }

    /// The marker's definitions for all targets.
    pub(super) fn definitions(&self) -> &'static [Definition] {
        match catalog::definitions(self.whole) {
            [] => catalog::definitions(self.name),
            found => found,
        }
    }
}
