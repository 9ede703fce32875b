//! The role of a manifest in its repository, described in words.

use std::{fmt, path::Path};

use super::{Aside, Place, Standing, Version};
use crate::index::{Chosen, Found, Index, KnownCrd, Object};

/// The role of a manifest in its repository.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// The CRD that people edit, or that a generator writes.
    SourceOfTruth,
    /// A copy of a CRD, for users or from another project.
    Copy,
    /// A copy of a CRD from a release.
    CopyOfRelease(Option<Version>),
    /// A part of a CRD.
    Part,
    /// The expectations of a test.
    Assertion,
    /// A manifest that belongs to a test.
    TestData,
    /// A manifest that only tests read and never apply.
    OnlyRead,
    /// A manifest of a test that the API server has to reject.
    WrongOnPurpose,
    /// An example for readers.
    Documentation,
    /// A manifest that is applied to a cluster.
    Manifest,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::SourceOfTruth => "source of truth",
            Self::Copy => "copy",
            Self::CopyOfRelease(Some(version)) => return write!(f, "copy of release {version}"),
            Self::CopyOfRelease(None) => "copy of a release",
            Self::Part => "part of a CRD",
            Self::Assertion => "assertion of a test",
            Self::TestData => "test data",
            Self::OnlyRead => "test data that only tests read",
            Self::WrongOnPurpose => "test data that is wrong on purpose",
            Self::Documentation => "documentation",
            Self::Manifest => "manifest",
        };
        f.write_str(words)
    }
}

/// A role and the evidence for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// The role.
    pub role: Role,
    /// The reason, as a clause without a full stop.
    pub reason: String,
}

/// What an object is according to its own text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// An object that is not a CRD.
    Object,
    Definition,
    /// A CRD that lacks fields that every CRD has.
    Lacking,
    /// A part of a CRD, because another file names it as a patch.
    Part,
}

impl Judgement {
    fn new(role: Role, reason: impl Into<String>) -> Self {
        Self {
            role,
            reason: reason.into(),
        }
    }

    /// The role of a CRD in the index.
    pub fn of_known(definition: &KnownCrd) -> Self {
        let judged = Self::of_standing(&definition.place);
        match definition.built_from() {
            Some(built) => Self::new(judged.role, built.words()),
            None => judged,
        }
    }

    /// The role of an object in the file with this absolute path.
    pub fn of_object(index: &Index, path: &Path, object: &Object, aside: Option<&Aside>) -> Self {
        let what = if !object.written.is_crd() {
            What::Object
        } else if object.lacks.is_part() {
            What::Lacking
        } else {
            What::Definition
        };
        Self::of(index, path, (what, &object.written.name), aside)
    }

    pub(crate) fn of(index: &Index, path: &Path, (what, name): (What, &str), aside: Option<&Aside>) -> Self {
        match aside {
            Some(Aside::Expected(reason)) => return Self::new(Role::WrongOnPurpose, reason),
            Some(Aside::TestData(reason)) => return Self::new(Role::OnlyRead, reason),
            Some(Aside::Vendored(reason)) => return Self::new(Role::Copy, reason),
            Some(Aside::OldCopies(_) | Aside::OldRelease(_)) | None => {}
        }
        let place = index.place(path);
        let evidence = place.evidence.as_deref().unwrap_or_default();
        match (what, place.standing) {
            (What::Definition, _) => Self::of_standing(&place),
            (What::Lacking | What::Part, _) => Self::of_part(index, path, (what, name), &place),
            (_, Standing::Assertion) => Self::new(Role::Assertion, format!("the file is called `{evidence}`")),
            (_, Standing::Test) => Self::new(Role::TestData, format!("`{evidence}` in the path")),
            (_, Standing::Documentation) => Self::new(Role::Documentation, format!("`{evidence}` in the path")),
            (_, Standing::Old) => Self::new(Role::CopyOfRelease(place.version), format!("`{evidence}` in the path")),
            _ => Self::new(Role::Manifest, "no folder in the path means something else"),
        }
    }

    fn of_part(index: &Index, path: &Path, (what, name): (What, &str), place: &Place) -> Self {
        match index.whole(name, path) {
            Some(whole) => {
                let whole = index.relative(whole.written_path()).display().to_string();
                Self::new(Role::Part, format!("`{whole}` has the whole CRD"))
            }
            None if super::is_patch(path) => Self::new(Role::Part, "it is in a folder of patches"),
            None if what == What::Part && place.standing != Standing::Assertion => {
                Self::new(Role::Part, "a kustomization or a test completes it")
            }
            None => Self::of_standing(place),
        }
    }

    fn of_standing(place: &Place) -> Self {
        let evidence = place.evidence.as_deref().unwrap_or_default();
        let in_path = format!("`{evidence}` in the path");
        match place.standing {
            Standing::Built => Self::new(Role::SourceOfTruth, "as a kustomization of the repository builds it"),
            Standing::Generated => {
                let reason = match &place.generated_by {
                    Some(by) => format!("controller-gen writes to this folder, as `{by}` says"),
                    None => format!("controller-gen writes to `{evidence}`"),
                };
                Self::new(Role::SourceOfTruth, reason)
            }
            Standing::Plain => Self::new(Role::SourceOfTruth, "the path does not look like a copy"),
            Standing::Packaged => Self::new(Role::Copy, format!("{in_path} names a package")),
            Standing::Old => Self::new(Role::CopyOfRelease(place.version.clone()), in_path),
            Standing::Vendored if place.evidence.is_none() => {
                Self::new(Role::Copy, "`.gitattributes` marks it as vendored")
            }
            Standing::Vendored => Self::new(Role::Copy, format!("{in_path} names another project's files")),
            Standing::Documentation => Self::new(Role::Documentation, in_path),
            Standing::Test => Self::new(Role::TestData, in_path),
            Standing::Unserved => Self::new(Role::CopyOfRelease(None), "no supported API server has its API version"),
            Standing::Part => Self::new(Role::Part, "it lacks fields that every CRD has"),
            Standing::Assertion => Self::new(Role::Assertion, format!("the file is called `{evidence}`")),
        }
    }
}

impl Found {
    /// The reason why the chosen CRD is used for a resource, as a clause without a full stop.
    pub fn reason(&self) -> String {
        let role = Judgement::of_known(&self.definition);
        match self.chosen {
            Chosen::Only => "the only CRD of the kind".to_owned(),
            Chosen::Origin => "named for this run, or the only one in the repository".to_owned(),
            Chosen::SameFile => "in the same file".to_owned(),
            Chosen::SameRelease => match &self.definition.place.version {
                Some(version) => format!("of the same release, {version}"),
                None => "of the same release".to_owned(),
            },
            Chosen::Standing => format!("{}: {}", role.role, role.reason),
            Chosen::Nearest => "nearer than the others".to_owned(),
            Chosen::Newest => match &self.definition.place.version {
                Some(version) => format!("the newest release, {version}"),
                None => "not part of a release, so newer than all releases".to_owned(),
            },
            Chosen::Order => "the first of several equal CRDs".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::objects;

    fn role(path: &str, text: &str) -> String {
        let (_, objects) = objects(text.as_bytes().to_vec());
        let found = Judgement::of_object(&Index::default(), Path::new(path), &objects[0], None);
        format!("{}: {}", found.role, found.reason)
    }

    #[test]
    fn roles_have_reasons() {
        let crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\nspec:\n  group: a.b\n  names: {kind: A}\n  scope: Cluster\n  versions:\n  - name: v1\n";
        let part = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\n";
        let resource = "apiVersion: a.b/v1\nkind: A\nmetadata: {name: x}\n";
        for (path, text, expected) in [
            (
                "config/crd/bases/a.yaml",
                crd,
                "source of truth: controller-gen writes to `config/crd/bases`",
            ),
            (
                "crds/a.yaml",
                crd,
                "source of truth: the path does not look like a copy",
            ),
            (
                "charts/x/crds/a.yaml",
                crd,
                "copy: `charts` in the path names a package",
            ),
            (
                "releases/v1.15.0.yaml",
                crd,
                "copy of release 1.15.0: `releases` in the path",
            ),
            (
                "vendor/x/a.yaml",
                crd,
                "copy: `vendor` in the path names another project's files",
            ),
            ("test/a.yaml", crd, "test data: `test` in the path"),
            (
                "test/a-assert.yaml",
                crd,
                "assertion of a test: the file is called `a-assert`",
            ),
            (
                "config/crd/patches/a.yaml",
                part,
                "part of a CRD: it is in a folder of patches",
            ),
            ("docs/a.yaml", resource, "documentation: `docs` in the path"),
            (
                "a.yaml",
                resource,
                "manifest: no folder in the path means something else",
            ),
        ] {
            assert_eq!(role(path, text), expected, "{path}");
        }
    }
}
