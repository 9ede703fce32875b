//! A lint only for this test: a property whose name begins with a capital letter.

use crd_analyzer_diagnostic::{Change, Proposal, Words, text::code};
use crd_analyzer_schema::field::Path;
use crd_analyzer_workspace::judging::lints::{Cause, Check, Lint, SchemaAt, Sink, Told};

pub(crate) const LINT: Lint = Lint::new(
    "capital-property",
    "A property begins with a capital letter.",
    "# capital-property\n\nA property begins with a capital letter.\n",
    Check::Schema(check),
);

#[derive(Debug)]
struct CapitalProperty {
    name: String,
}

fn check(schema: &SchemaAt<'_>, sink: &mut Sink<'_, '_>) {
    if schema.in_junctor {
        return;
    }
    for (name, _) in schema.structural.properties() {
        if name.starts_with(|it: char| it.is_ascii_uppercase()) {
            let path = schema.at.child("properties").path().key(name);
            let name = name.to_owned();
            sink.add(path, CapitalProperty { name });
        }
    }
}

impl Cause for CapitalProperty {
    fn tell(&self, place: &Path) -> Told {
        let name = &self.name;
        let (first, rest) = name.split_at(1);
        let meant = first.to_ascii_lowercase() + rest;
        let words = Words::new(format!("property {} begins with a capital letter", code(name)))
            .label("a capital letter")
            .help(format!("change it to {}", code(&meant)));
        let change = Change::Rename(place.clone(), meant.clone());
        Told::from(words).propose(Proposal::new(format!("Change {name} to {meant}"), change).safe())
    }
}
