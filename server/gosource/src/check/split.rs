//! The name of a marker, and its arguments.

use super::{
    catalog::{self, Definition},
    comments::Target,
};

/// The name of a marker as controller-gen splits it, and its arguments.
pub(super) struct Split<'a> {
    /// Without the last word.
    pub(super) name: &'a str,
    /// With it.
    pub(super) whole: &'a str,
    pub(super) arguments: &'a str,
}

impl<'a> Split<'a> {
    pub(super) fn of(marker: &'a str) -> Self {
        let marker = marker.strip_prefix('+').unwrap_or(marker);
        let Some((whole, arguments)) = marker.split_once('=') else {
            return Self {
                name: marker,
                whole: marker,
                arguments: "",
            };
        };
        Self {
            name: whole.rsplit_once(':').map_or(whole, |it| it.0),
            whole,
            arguments,
        }
    }

    /// What it is at a target.
    pub(super) fn definition(&self, target: Target) -> Option<&'static Definition> {
        let of = |name: &str| catalog::definitions(name).iter().find(|it| it.target == target);
        of(self.whole).or_else(|| of(self.name))
    }

    /// Everything that it is somewhere.
    pub(super) fn definitions(&self) -> &'static [Definition] {
        match catalog::definitions(self.whole) {
            [] => catalog::definitions(self.name),
            found => found,
        }
    }
}
