//! `status` without the status subresource.

use crd_analyzer_diagnostic::{Change, Proposal, Value, Words};
use crd_analyzer_schema::field::Path;

use crate::{Cause, Check, Crd, Lint, Sink, Told, crd::version_at};

pub(super) const LINT: Lint = Lint::new(
    "status-without-subresource",
    "The schema has `status`, but the version has no status subresource.",
    include_str!("../../codes/status-without-subresource.md"),
    Check::Crd(check),
)
.off()
.field("status");

/// The schema has `status`, but the version has no status subresource.
#[derive(Debug)]
struct StatusWithoutSubresource;

/// Finds versions whose schema has a `status` with properties, but that have no status subresource.
fn check(crd: &Crd<'_>, sink: &mut Sink<'_, '_>) {
    let mut told: Vec<&Path> = Vec::new();
    for version in &crd.versions {
        let has_subresource = version.subresources.is_some_and(|it| it.status.is_some());
        let status = version.schema.and_then(|it| it.property("status"));
        let is_used = status.is_some_and(|it| !it.has_no_properties());
        // A schema that several versions share is only reported once.
        if is_used && !has_subresource && !told.contains(&&version.schema_path) {
            told.push(&version.schema_path);
            let path = version.schema_path.child("properties").key("status");
            sink.add(path, StatusWithoutSubresource);
        }
    }
}

impl Cause for StatusWithoutSubresource {
    fn tell(&self, place: &Path) -> Told {
        let words = Words::new("the schema has a `status`, but the version has no status subresource")
            .label("no subresource")
            .help("add `subresources: {status: {}}` to the version")
            .in_go("add `+kubebuilder:subresource:status` to the type of the kind")
            .note("without it, every user who may change the object may also change its `status`");
        let fix = |version: Path| {
            let status = version.child("subresources").child("status");
            let change = Change::Set(status, Value::Map(Vec::new()));
            Proposal::new("Add the status subresource", change)
        };
        Told::from(words).propose(version_at(place).map(fix))
    }
}
