//! A CRD without a served version.

use crd_analyzer_diagnostic::{Change, Proposal, Value, Words};
use crd_analyzer_schema::field::Path;

use crate::{Cause, Check, Crd, Lint, Sink, Told};

pub(super) const LINT: Lint = Lint::new(
    "no-served-version",
    "No version of a CRD is served.",
    include_str!("../../codes/no-served-version.md"),
    Check::Crd(check),
)
.field("served")
.group("versions");

/// The maximum number of versions with a quick fix.
const MOST_VERSIONS: usize = 3;

/// No version is served.
#[derive(Debug)]
struct NoServedVersion {
    /// The names of the first versions.
    names: Vec<String>,
}

fn check(crd: &Crd<'_>, sink: &mut Sink<'_, '_>) {
    if !crd.versions.is_empty() && crd.versions.iter().all(|it| !it.served) {
        let names = crd.versions.iter().take(MOST_VERSIONS).map(|it| it.name.to_owned());
        let names = names.collect();
        sink.add(Path::of(["spec", "versions"]), NoServedVersion { names });
    }
}

impl Cause for NoServedVersion {
    fn tell(&self, place: &Path) -> Told {
        let words = Words::new("no version is served, so this CRD has no resources")
            .label("`served` is missing or false in each")
            .help("set `served: true` in a version")
            .in_go("remove `+kubebuilder:unservedversion` from a version");
        let fixes = self.names.iter().enumerate().map(|(n, name)| {
            let served = Change::Set(place.index(n).child("served"), Value::Bool(true));
            Proposal::new(format!("Serve {name}"), served)
        });
        fixes.fold(Told::from(words), Told::propose)
    }
}
