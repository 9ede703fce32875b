//! Fields and types of source files that the generator of a manifest rejects.

use std::{collections::BTreeMap, path::Path};

use crd_analyzer_generator::Reason;
use crd_analyzer_syntax::tree::Span;

use super::manifest::{Moves, Place};
use crate::{
    codes::GO_TYPE_REFUSED,
    findings::finding::{Class, Finding, Severity},
    words::{
        self,
        refused_types::{self, What, Why},
    },
};

/// A place that the generator rejects.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    pub(super) place: Place,
    pub(super) what: What,
}

impl Refused {
    /// What is wrong with the text at a place. `None` if it is told elsewhere, or if the text is not finished.
    /// `names` returns the names of the types that may be written there.
    pub(super) fn new(place: Place, why: impl Into<Why>, names: impl FnOnce() -> Vec<String>) -> Option<Self> {
        let why = why.into();
        let text = place.file.text.get(place.span.range())?;
        let what = What::of(why, text, names)?;
        let of_field = matches!(why, Why::Rejected(Reason::Tag | Reason::Embedded));
        let tag = of_field.then(|| tag_after(&place)).flatten();
        let malformed = tag.and_then(|(place, tag)| Some((place, what.clone().with_tag(&tag)?)));
        let (place, what) = malformed.unwrap_or((place, what));
        Some(Self { place, what })
    }

    /// The same after an edit of a file. `None` if the place no longer exists.
    pub(super) fn after(&self, moves: &Moves) -> Option<Self> {
        Some(Self {
            place: moves.place(&self.place)?,
            what: self.what.clone(),
        })
    }
}

/// The tag on the line of a field or its type.
fn tag_after(field: &Place) -> Option<(Place, String)> {
    let text = &field.file.text;
    let line = text.get(field.span.end as usize..)?.lines().next()?;
    let (before, tag) = line.split_once('`').filter(|it| !it.0.contains("//"))?;
    let tag = &tag[..tag.find('`')?];
    let start = field.span.end + before.len() as u32;
    let place = Place {
        file: field.file.clone(),
        span: Span::new(start, start + tag.len() as u32 + 2),
    };
    Some((place, tag.to_owned()))
}

/// The findings in a source file. There is one at each place, even if several manifests depend on it. While the file `is_edited`, the language server
/// of Go shows what the compiler reports.
pub(super) fn in_source<'r>(refused: impl Iterator<Item = &'r Refused>, path: &Path, is_edited: bool) -> Vec<Finding> {
    let places: BTreeMap<(u32, u32), &Refused> = refused
        .filter(|it| *it.place.file.path == *path && !(is_edited && it.what.is_of_compiler()))
        .map(|it| ((it.place.span.start, it.place.span.end), it))
        .collect();
    let finding = |refused: &Refused| {
        let mut finding = Finding::new(Class::Hint, GO_TYPE_REFUSED, refused.place.span, "");
        finding.severity = Severity::Error;
        words::put(&mut finding, refused_types::words(&refused.what));
        finding.meant = refused.what.meant().map(str::to_owned);
        finding
    };
    places.into_values().map(finding).collect()
}
