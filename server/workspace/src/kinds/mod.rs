//! The API server's own kinds that crd-analyzer checks, as a table with one row for each kind.
//!
//! No code outside a row compares the name of such a kind. CRDs are not in this table, because rows cannot answer all questions about them.

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

/// The checks and features for one kind.
#[derive(Debug)]
pub struct Row {
    /// The name, versions and fields of the kind.
    pub kind: &'static Kind,
    /// Versions that API servers serve only if an administrator enables them. Their objects are not checked.
    pub alpha: &'static [&'static str],
    /// The API server's answer to a request that creates an object of this kind and version.
    pub judge: fn(&JsonDoc<'_>, &'static Version, KubernetesVersion) -> Verdict,
    /// The variables and functions of the expression at a path of an object. `None` if the path has no expression.
    pub context: fn(&Tree, NodeId, &[Step<'_>], KubernetesVersion) -> Option<Context>,
    /// A sentence that says what the expressions' context depends on.
    pub deciding: &'static str,
    /// The lists that the outline of an object shows.
    pub outline: &'static [OutlineList],
    /// The lists whose items define names for the expressions of the object.
    pub names: &'static [Names],
}

/// A list in an object whose items expressions refer to by name.
#[derive(Debug)]
pub struct Names {
    /// The path of the list.
    pub path: [&'static str; 2],
    /// The field of an item that contains its name.
    pub field: &'static str,
    /// The variable that has the items as its fields.
    pub variable: &'static str,
}

/// A list in the outline of an object.
#[derive(Debug)]
pub struct OutlineList {
    /// The path of the list.
    pub path: [&'static str; 2],
    /// The fields that can name an item, in order of preference.
    pub names: &'static [&'static str],
    /// The field that describes the item in more detail.
    pub detail: &'static str,
}

impl Row {
    /// The context of the expression at a path of an object for a Kubernetes version. `None` if the path has no expression.
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

/// Adds rows to the table, for a program that checks more kinds. Call it before the first manifest is read, because results about documents
/// are cached.
///
/// # Errors
/// Returns the rows if rows have been added before.
pub fn add(rows: &'static [Row]) -> Result<(), &'static [Row]> {
    TABLE.add(rows)
}

/// The table row for an `apiVersion` and `kind`, and the version if it exists. `None` for versions whose objects are not checked.
pub fn of(api_version: &str, kind: &str) -> Option<(&'static Row, Option<&'static Version>)> {
    let row = TABLE.rows().find(|it| it.kind.is(api_version, kind))?;
    let name = api_version.rsplit('/').next().unwrap_or_default();
    (!row.alpha.contains(&name)).then(|| (row, row.kind.version(api_version)))
}

/// The table row for the kind of a document, as in [`of`].
pub(crate) fn of_written(written: &WrittenType) -> Option<(&'static Row, Option<&'static Version>)> {
    of(&written.api_version, &written.kind)
}

/// The API server's own kinds whose fields are known: CRDs, and the kinds in the table.
pub fn all() -> impl Iterator<Item = &'static Kind> {
    std::iter::once(&CRD).chain(TABLE.rows().map(|it| it.kind))
}

/// The kind of an object that may still be incomplete, and may lack its `apiVersion`. The kind may be that of CRDs.
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
