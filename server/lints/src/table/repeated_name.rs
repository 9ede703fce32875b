//! Names that occur twice in a list.

use std::collections::HashSet;

use crd_analyzer_diagnostic::{Change, Proposal, Words, text::code};
use crd_analyzer_schema::field::Path;

use crate::{Cause, Check, Crd, Lint, Sink, Told};

pub(super) const LINT: Lint = Lint::new(
    "repeated-name",
    "A short name or a category is listed twice.",
    include_str!("../../codes/repeated-name.md"),
    Check::Crd(check),
)
.safe_fix();

/// A name occurs twice in a list.
#[derive(Debug)]
struct RepeatedName {
    name: String,
    /// The list: `shortNames` or `categories`.
    list: &'static str,
}

fn check(crd: &Crd<'_>, sink: &mut Sink<'_, '_>) {
    let path = Path::of(["spec", "names"]);
    for (list, names) in [
        ("shortNames", &crd.spec.names.short_names),
        ("categories", &crd.spec.names.categories),
    ] {
        let mut seen = HashSet::new();
        for (n, name) in names.iter().enumerate() {
            if !seen.insert(name) {
                let name = name.clone();
                sink.add(path.child(list).index(n), RepeatedName { name, list });
            }
        }
    }
}

impl Cause for RepeatedName {
    fn tell(&self, place: &Path) -> Told {
        let words = Words::new(format!("{} is listed twice in {}", code(&self.name), code(self.list)))
            .label("listed before")
            .help("remove it here");
        Told::from(words).propose(Proposal::new("Remove the item", Change::Remove(place.clone())).safe())
    }
}
