//! Finds the names of fields in markers of structs, such as `+kubebuilder:validation:ExactlyOneOf=a;b`.

use std::{collections::HashSet, ops::Range, path::Path, sync::Arc};

use crate::{
    check::catalog::Release,
    declaration::{At, MAX_TYPES, field, of_type},
    literal::Literal,
    module::{MAX_PACKAGES, Module, Package},
    read::{Declared, SourceFile},
    said::To,
};

/// The markers with lists of the struct's fields.
const MARKERS: [&str; 3] = [
    "kubebuilder:validation:AtLeastOneOf",
    "kubebuilder:validation:AtMostOneOf",
    "kubebuilder:validation:ExactlyOneOf",
];

/// What the names of these markers have in common.
const IN_ALL: &str = "OneOf=";

/// The name of a field in a marker.
#[derive(Debug)]
pub struct Mention {
    /// The file of the marker.
    pub file: Arc<SourceFile>,
    /// The marker, in bytes of the file.
    pub marker: Range<usize>,
    /// The name, as it is written there.
    pub name: Literal,
}

impl Module {
    /// The names in markers that mean a field. `json` is the JSON name of the field, and `span` the name of the field in Go. The struct with the
    /// marker may have the field from an embedded struct.
    pub fn mentions(&self, (file, span): (&Path, &Range<usize>), json: &str) -> Vec<Mention> {
        let mut found = Vec::new();
        for folder in self.folders().take(MAX_PACKAGES) {
            let package = self.package(folder);
            for (source, types) in package.declared_in(|text| text.contains(IN_ALL) && text.contains(json)) {
                for (name, declared) in types {
                    let mentions = self.mentions_in((&package, name, declared), json);
                    if !mentions.is_empty() && self.has_field((&package, source, declared), (file, span), json) {
                        found.extend(mentions);
                    }
                }
            }
        }
        found.sort_by(|one, other| {
            (&one.file.path, one.name.span.start).cmp(&(&other.file.path, other.name.span.start))
        });
        found
    }

    fn mentions_in(&self, (_, name, declared): (&Arc<Package>, &str, &Declared), json: &str) -> Vec<Mention> {
        let site = of_type(name, declared);
        let release = self.controller_gen().unwrap_or(Release::NEWEST);
        let given = MARKERS.iter().flat_map(|it| site.given(it, release));
        let mentions = given.flat_map(|given| {
            let arguments = given.arguments.into_iter().flatten();
            let items = arguments.flat_map(|it| match it.1 {
                To::List(items) => items,
                _ => Vec::new(),
            });
            let items = items.filter(|it| it.text() == Some(json));
            let mention = |name| Mention {
                file: declared.file.clone(),
                marker: given.marker.clone(),
                name,
            };
            items.map(mention).collect::<Vec<_>>()
        });
        mentions.collect()
    }

    /// Whether the field of a struct with this JSON name is the one at a place.
    fn has_field(
        &self,
        (package, source, declared): (&Arc<Package>, &Arc<SourceFile>, &Declared),
        (file, span): (&Path, &Range<usize>),
        json: &str,
    ) -> bool {
        let at = At {
            package: package.clone(),
            file: source.clone(),
            of: declared.of.clone(),
        };
        let mut left = MAX_TYPES;
        let found = field(self, &at, ("", json), (&mut HashSet::new(), &mut left));
        found.is_some_and(|it| *it.site.file.path == *file && it.site.span == *span)
    }
}
