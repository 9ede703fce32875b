//! The table of the kinds that the API server itself has and that are checked here: one row a kind.
//!
//! Nothing outside a row compares the name of such a kind. CRDs have tables of fields as well, and more questions than rows answer.

pub mod files;
mod policy;

use crd_analyzer_admission::Verdict;
use crd_analyzer_apiextensions::{
    decode::WrittenType,
    kind::{CRD, Kind, Version},
};
use crd_analyzer_cel::Context;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    json::JsonDoc,
    paths::Step,
    tree::{NodeId, Tree},
};

use crate::table::Table;

/// A kind.
#[derive(Debug)]
pub struct Row {
    /// How it is recognised, and its fields.
    pub kind: &'static Kind,
    /// Versions that API servers have only if somebody turns them on. Their objects are not checked.
    pub alpha: &'static [&'static str],
    /// What the API server answers to a request that creates an object in one of the versions.
    pub judge: fn(&JsonDoc<'_>, &'static Version, KubernetesVersion) -> Verdict,
    /// What the expression at a path of an object sees. `None` for a path without an expression.
    pub context: fn(&Tree, NodeId, &[Step<'_>], KubernetesVersion) -> Option<Context>,
    /// What decides what an expression sees, in a sentence.
    pub deciding: &'static str,
    /// The lists that an outline of an object shows.
    pub outline: &'static [OutlineList],
    /// The lists whose items give expressions of the object names for something.
    pub names: &'static [Names],
}

/// A list whose items are known to expressions by name.
#[derive(Debug)]
pub struct Names {
    /// The keys that lead to it.
    pub path: [&'static str; 2],
    /// The field of an item with its name.
    pub field: &'static str,
    /// The variable that has the items as fields.
    pub variable: &'static str,
}

/// A list of objects in an outline.
#[derive(Debug)]
pub struct OutlineList {
    /// The keys that lead to it.
    pub path: [&'static str; 2],
    /// The fields that name an item, the best first.
    pub names: &'static [&'static str],
    /// The field that says more about it.
    pub detail: &'static str,
}

impl Row {
    /// What the expression at a path of an object sees, for an API server of a Kubernetes version. `None` for a path without an expression.
    pub fn context(
        &self,
        tree: &Tree,
        object: NodeId,
        path: &[Step<'_>],
        version: KubernetesVersion,
    ) -> Option<Context> {
        (self.context)(tree, object, path, version)
    }
}

static TABLE: Table<Row> = Table::new(&[policy::ROW]);

/// Adds rows to the table, for a program that checks more kinds than these. It has to do so before it reads the first manifest: what is known of
/// a document is kept.
///
/// # Errors
/// The rows, if some have been added before.
pub fn add(rows: &'static [Row]) -> Result<(), &'static [Row]> {
    TABLE.add(rows)
}

/// The row of what an object says it is, and its version if that exists. `None` for versions whose objects are not checked.
pub fn of(api_version: &str, kind: &str) -> Option<(&'static Row, Option<&'static Version>)> {
    let row = TABLE.rows().find(|it| it.kind.is(api_version, kind))?;
    let name = api_version.rsplit('/').next().unwrap_or_default();
    (!row.alpha.contains(&name)).then(|| (row, row.kind.version(api_version)))
}

/// The same for what a document says.
pub(crate) fn of_written(written: &WrittenType) -> Option<(&'static Row, Option<&'static Version>)> {
    of(&written.api_version, &written.kind)
}

/// The API server's own kinds whose fields are known: CRDs, and those of the rows.
pub fn all() -> impl Iterator<Item = &'static Kind> {
    std::iter::once(&CRD).chain(TABLE.rows().map(|it| it.kind))
}

/// The kind, CRDs among them, that an object is or is being written as: it may not say its `apiVersion` yet.
pub fn written_as(api_version: Option<&str>, kind: Option<&str>) -> Option<&'static Kind> {
    all().find(|it| it.may_become(api_version, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_knows_its_versions() {
        let name = |api_version: &str, kind: &str| of(api_version, kind).map(|it| it.1.map_or("", |it| it.name));
        assert_eq!(
            name("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
            Some("v1")
        );
        assert_eq!(
            name("admissionregistration.k8s.io/v1beta1", "ValidatingAdmissionPolicy"),
            Some("v1beta1")
        );
        assert_eq!(
            name("admissionregistration.k8s.io/v1alpha1", "ValidatingAdmissionPolicy"),
            None
        );
        assert_eq!(
            name("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding"),
            None
        );
        assert_eq!(name("example.com/v1", "ValidatingAdmissionPolicy"), None);
    }

    #[test]
    fn what_is_being_written_may_lack_its_version() {
        let name = |kind: &str| written_as(None, Some(kind)).map(|it| it.name);
        assert_eq!(name("ValidatingAdmissionPolicy"), Some("ValidatingAdmissionPolicy"));
        assert_eq!(name(CRD.name), Some(CRD.name));
        assert_eq!(name("Deployment"), None);
    }
}
