//! Interprets the path of a file by the conventions of tools that generate and use CRDs.

use std::{
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use super::{
    names::{self, words},
    version::Version,
};

/// How suitable a CRD is for checking resources, according to its path. Earlier variants are better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Standing {
    /// kustomize builds the CRD from one of the next two variants, with changes that affect resources.
    Built,
    /// A generator writes the CRD to this path.
    Generated,
    /// Nothing suggests that people edit the CRD in another file.
    Plain,
    /// The CRD is part of a package for users: a chart, a bundle, or one file with everything.
    Packaged,
    /// The CRD is a copy of a release or another old state, or a generator such as OpenShift's merges it into other CRDs.
    Old,
    /// The CRD comes from another project.
    Vendored,
    /// The CRD is an example in documentation.
    Documentation,
    /// Tests use the CRD.
    Test,
    /// The CRD has an API version that the API server no longer serves.
    Unserved,
    /// The object is only part of a CRD and lacks required fields.
    Part,
    /// The object states what a test expects of a CRD.
    Assertion,
}

/// The facts that a path shows about a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// How suitable a CRD at the path is.
    pub standing: Standing,
    /// The part of the path that is the evidence for `standing`.
    pub evidence: Option<String>,
    /// The file that configures a generator to write to the folder, if the path itself does not show that.
    pub generated_by: Option<String>,
    /// The release that the path names, if any.
    pub version: Option<Version>,
    /// The folder that contains all releases. Without releases, the folder of the file.
    pub container: PathBuf,
    /// The folder of the release, if the release has a folder of its own.
    pub release: Option<PathBuf>,
    /// For a CRD of tests: the folder that these tests are about. Other folders have nothing to do with the CRD.
    pub tested: Option<PathBuf>,
    /// For a CRD of one of several examples: that example.
    pub example: Option<Example>,
}

/// One of several examples in a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// The folder of the example.
    pub folder: PathBuf,
    /// The folder that contains all examples.
    pub all: PathBuf,
}

/// A word in the names of folders that contain inputs of OpenShift's CRD generator.
const MERGED: &str = "generated.featuregated";

/// The folder in a path whose files a generator merges into CRDs elsewhere. The path is relative to its repository.
pub(super) fn merged(path: &Path) -> Option<&str> {
    let folders = path
        .parent()
        .into_iter()
        .flat_map(Path::iter)
        .filter_map(|it| it.to_str());
    folders.into_iter().find(|it| words(it).any(|it| it == MERGED))
}

/// The meaning of names of folders, or of words in them. If a path has several, the worst one applies.
const FOLDERS: &[(Standing, &[&str])] = &[
    (
        Standing::Packaged,
        &[
            "bundle",
            "bundles",
            "chart",
            "charts",
            "dist",
            "helm",
            "helmchart",
            "helmcharts",
            "olm",
            "packaging",
            "templates",
        ],
    ),
    (
        Standing::Old,
        &[
            "archive",
            "archived",
            "backup",
            "deprecated",
            MERGED,
            "legacy",
            "old",
            "override",
            "overrides",
            "previous",
            "releases",
        ],
    ),
    (
        Standing::Vendored,
        &["3rdparty", "external", "thirdparty", "vendor", "vendored"],
    ),
    (
        Standing::Documentation,
        &[
            "blog",
            "content",
            "demo",
            "demos",
            "doc",
            "docs",
            "documentation",
            "example",
            "examples",
            "proposals",
            "quickstart",
            "runbook",
            "runbooks",
            "sample",
            "samples",
            "site",
            "tutorial",
            "tutorials",
            "walkthrough",
            "website",
        ],
    ),
    (
        Standing::Test,
        &[
            "chainsaw",
            "conformance",
            "e2e",
            "envtest",
            "fixture",
            "fixtures",
            "integration",
            "kuttl",
            "mock",
            "mocks",
            "test",
            "testcrds",
            "testdata",
            "testing",
            "tests",
            "testutil",
            "testutils",
        ],
    ),
];

/// Words in the name of a file that contains everything a user installs.
const ALL_IN_ONE: &[&str] = &["bundle", "install", "release", "standalone"];

/// The last folders of the path to which controller-gen writes by default.
const GENERATED: &[&str] = &["config", "crd", "bases"];

impl Place {
    /// Interprets the path of a file. The path is relative to its repository.
    pub fn of(path: &Path) -> Self {
        let folders: Vec<&str> = path
            .parent()
            .into_iter()
            .flat_map(Path::components)
            .filter_map(|it| match it {
                Component::Normal(name) => name.to_str(),
                _ => None,
            })
            .collect();
        let stem = path.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
        let (mut standing, mut evidence) = (Standing::Plain, None);
        let mut worsen = |to: Standing, name: &str| {
            if to > standing {
                (standing, evidence) = (to, Some(name.to_owned()));
            }
        };
        for folder in &folders {
            for (says, names) in FOLDERS {
                if words(folder).any(|it| names.contains(&it)) {
                    worsen(*says, folder);
                }
            }
        }
        if words(stem).any(|it| ALL_IN_ONE.contains(&it)) || names::is_filled_in(path) {
            worsen(Standing::Packaged, stem);
        }
        let (version, at) = version_in(&folders, stem);
        if version.is_some() {
            worsen(Standing::Old, folders.get(at).copied().unwrap_or(stem));
        }
        if names::is_assertion(path) {
            worsen(Standing::Assertion, stem);
        }
        if standing == Standing::Plain && folders.ends_with(GENERATED) {
            (standing, evidence) = (Standing::Generated, Some(GENERATED.join("/")));
        }
        let above = |count: usize| path.ancestors().nth(folders.len() + 1 - count).unwrap_or(Path::new(""));
        let release = version.is_some() && at < folders.len();
        Self {
            standing,
            evidence,
            generated_by: None,
            version,
            container: above(at).to_owned(),
            release: release.then(|| above(at + 1).to_owned()),
            tested: tested(&folders).map(|it| above(it).to_owned()),
            example: example(&folders).map(|(all, own)| Example {
                folder: above(own).to_owned(),
                all: above(all).to_owned(),
            }),
        }
    }

    /// Changes the place to that of a generated file, because the file `by` configures a generator to write to this folder. A place of tests or of an
    /// old state stays unchanged.
    pub(crate) fn generated(self, by: &str) -> Self {
        if !matches!(
            self.standing,
            Standing::Plain | Standing::Packaged | Standing::Documentation
        ) {
            return self;
        }
        Self {
            standing: Standing::Generated,
            generated_by: Some(by.to_owned()),
            ..self
        }
    }

    /// Changes the place to that of a file from another project, because a file in the folder says so.
    pub(crate) fn vendored(self) -> Self {
        if self.standing >= Standing::Vendored {
            return self;
        }
        Self {
            standing: Standing::Vendored,
            evidence: None,
            ..self
        }
    }

    /// The same place with absolute folders. `relative` is the path of the file from which the place was read.
    pub(crate) fn below(self, path: &Path, relative: &Path) -> Self {
        let above = path.components().count() - relative.components().count();
        let root: PathBuf = path.components().take(above).collect();
        Self {
            container: root.join(&self.container),
            release: self.release.map(|it| root.join(it)),
            tested: self.tested.map(|it| root.join(it)),
            example: self.example.map(|it| Example {
                folder: root.join(it.folder),
                all: root.join(it.all),
            }),
            ..self
        }
    }

    /// The place of a CRD whose text shows that it is at best as suitable as `least`.
    pub(crate) fn at_least(&self, least: Standing) -> Arc<Self> {
        let standing = self.standing.max(least);
        Arc::new(Self {
            standing,
            ..self.clone()
        })
    }
}

/// Names of folders whose CRDs are for all tests or examples beside them.
const SHARED: &[&str] = &[
    "base",
    "bases",
    "common",
    "config",
    "crd",
    "crds",
    "install",
    "manifests",
    "schemas",
    "setup",
    "shared",
];

/// The number of folders that lead to the folder that the tests in a path are about. `None` if the path has no tests.
fn tested(folders: &[&str]) -> Option<usize> {
    let tests = folders.iter().position(|it| is_of_tests(it))?;
    let data = folders.iter().position(|it| names::is_read(it));
    let of_one_test = data.filter(|it| {
        let inside = folders.get(it + 1);
        let is_shared = |it: &&str| words(it).any(|it| SHARED.contains(&it));
        inside.is_some_and(|it| !is_shared(it)) && !folders.iter().any(|it| names::is_of_cluster(it))
    });
    // Test data has a folder for each test.
    Some(of_one_test.map_or(tests, |it| it + 2))
}

/// Words in the names of folders with several examples that have nothing to do with each other.
const EXAMPLES: &[&str] = &["demo", "demos", "example", "examples", "tutorial", "tutorials"];

/// The numbers of folders that lead to the folder of all examples, and to the example that a path is in. `None` if the path is in no example, or in what
/// all examples share.
fn example(folders: &[&str]) -> Option<(usize, usize)> {
    let is_of_examples = |folder: &&str| words(folder).any(|it| EXAMPLES.contains(&it));
    let all = folders.iter().position(is_of_examples)? + 1;
    let is_own = |folder: &&str| !words(folder).any(|it| SHARED.contains(&it));
    let own = folders.iter().rposition(is_own)? + 1;
    (own > all).then_some((all, own))
}

/// Whether a file is in or below a folder called `patches`, which kubebuilder creates for kustomize patches.
pub(crate) fn is_patch(path: &Path) -> bool {
    let folders = path.parent().into_iter().flat_map(Path::iter);
    let mut folders = folders.filter_map(|it| it.to_str());
    folders.any(|it| words(it).any(|it| matches!(it, "patch" | "patches")))
}

/// The last version in the names of folders and of a file, and the number of folders before it.
fn version_in(folders: &[&str], stem: &str) -> (Option<Version>, usize) {
    if let Some(version) = Version::in_name(stem) {
        return (Some(version), folders.len());
    }
    let mut named = folders.iter().enumerate().rev();
    let found = named.find_map(|(n, it)| Some((Version::in_name(it)?, n)));
    found.map_or((None, folders.len()), |(version, n)| (Some(version), n))
}

/// The last folders in the path of the CRDs in a Crossplane package. Crossplane completes these CRDs.
const OF_CROSSPLANE: [&str; 2] = ["package", "crds"];

/// Whether a file is a CRD of a Crossplane package, according to its path.
pub(crate) fn is_of_crossplane(path: &Path) -> bool {
    path.parent().is_some_and(|it| it.ends_with(OF_CROSSPLANE.join("/")))
}

/// Whether a folder contains tests or their data, judging by its name.
pub(super) fn is_of_tests(folder: &str) -> bool {
    let names = FOLDERS.iter().filter(|it| it.0 == Standing::Test).flat_map(|it| it.1);
    names.into_iter().any(|name| words(folder).any(|it| it == *name))
}

/// Whether one of the folders of a file contains tests or their data.
pub(crate) fn is_in_tests(path: &Path) -> bool {
    let folders = path.parent().into_iter().flat_map(Path::iter);
    folders.filter_map(|it| it.to_str()).any(is_of_tests)
}

/// Names of folders with files that are for human readers, or in which programs replace parts.
const OF_FILLED_IN: [&str; 14] = [
    "assets",
    "doc",
    "docs",
    "documentation",
    "example",
    "examples",
    "guides",
    "sample",
    "samples",
    "site",
    "snippets",
    "template",
    "templates",
    "website",
];

/// Whether the manifests in the file's folder may have placeholders. This is so in documentation, in tests, and in templates of programs. In other
/// folders, text that looks like a placeholder is sent to the API server as it is.
pub(crate) fn has_placeholders(path: &Path) -> bool {
    let folders = path.parent().into_iter().flat_map(Path::iter);
    let mut folders = folders.filter_map(|it| it.to_str());
    names::is_markdown(path)
        || names::is_filled_in(path)
        || folders.any(|it| is_of_tests(it) || words(it).any(|it| OF_FILLED_IN.contains(&it)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_has_a_folder() {
        for (path, expected) in [
            ("examples/aws/eks/crds/a.yaml", Some("examples/aws/eks")),
            ("examples/eks/a.yaml", Some("examples/eks")),
            ("examples/crds/a.yaml", None),
            ("docs/a/b.yaml", None),
            ("config/crd/a.yaml", None),
        ] {
            let found = Place::of(Path::new(path)).example.map(|it| it.folder);
            assert_eq!(found.as_deref(), expected.map(Path::new), "{path}");
        }
    }

    #[test]
    fn tests_are_about_the_folder_around_them() {
        for (path, expected) in [
            ("pkg/readiness/testdata/crds/a.yaml", Some("pkg/readiness")),
            ("pkg/load/testdata/a.yaml", Some("pkg/load")),
            ("pkg/load/testdata/info/a.yaml", Some("pkg/load/testdata/info")),
            ("test/crds/a.yaml", Some("")),
            ("test/e2e/testdata/info/a.yaml", Some("")),
            ("config/crd/a.yaml", None),
        ] {
            let found = Place::of(Path::new(path)).tested;
            assert_eq!(found.as_deref(), expected.map(Path::new), "{path}");
        }
    }

    #[test]
    fn paths_say_what_a_crd_is() {
        for (path, expected, evidence) in [
            ("config/crd/bases/a.yaml", Standing::Generated, "config/crd/bases"),
            (
                "operator/config/crd/bases/a.yaml",
                Standing::Generated,
                "config/crd/bases",
            ),
            ("test/config/crd/bases/a.yaml", Standing::Test, "test"),
            ("config/crd/a.yaml", Standing::Plain, ""),
            ("deploy/crds/a.yaml", Standing::Plain, ""),
            ("manifests/0000_50_widgets.crd.yaml", Standing::Plain, ""),
            ("charts/a/crds/a.yaml", Standing::Packaged, "charts"),
            ("helm-charts/a/crds/a.yaml", Standing::Packaged, "helm-charts"),
            ("bundle/manifests/a.yaml", Standing::Packaged, "bundle"),
            ("deploy/install.yaml", Standing::Packaged, "install"),
            ("releases/v1.15.0.yaml", Standing::Old, "releases"),
            ("deploy/olm-catalog/0.1.0/a.yaml", Standing::Old, "0.1.0"),
            ("x-v0.86.0.yaml", Standing::Old, "x-v0.86.0"),
            ("old/crds/a.yaml", Standing::Old, "old"),
            (
                "api/v1/zz_generated.featuregated-crd-manifests/a/b.yaml",
                Standing::Old,
                "zz_generated.featuregated-crd-manifests",
            ),
            ("api/v1/zz_generated.crd-manifests/a.yaml", Standing::Plain, ""),
            ("vendor/example.com/crds/a.yaml", Standing::Vendored, "vendor"),
            ("docs/1.2/a.yaml", Standing::Documentation, "docs"),
            ("tests/e2e-upgrade/x-v0.86.0.yaml", Standing::Test, "tests"),
            ("internal/testdata/a.yaml", Standing::Test, "testdata"),
            ("latest/crds/a.yaml", Standing::Plain, ""),
            ("crds/a-assert.yaml", Standing::Assertion, "a-assert"),
            ("a.yaml", Standing::Plain, ""),
        ] {
            let found = Place::of(Path::new(path));
            assert_eq!(found.standing, expected, "{path}");
            assert_eq!(found.evidence.as_deref().unwrap_or_default(), evidence, "{path}");
        }
    }

    #[test]
    fn releases_lie_in_a_folder() {
        for (path, container, release) in [
            ("a/releases/v1.15.0.yaml", "a/releases", None),
            (
                "a/releases/v1.15.0/crds/x.yaml",
                "a/releases",
                Some("a/releases/v1.15.0"),
            ),
            ("a/b/x.yaml", "a/b", None),
            ("v1.2.yaml", "", None),
            ("1.2/x.yaml", "", Some("1.2")),
        ] {
            let found = Place::of(Path::new(path));
            assert_eq!(found.container, Path::new(container), "{path}");
            assert_eq!(found.release.as_deref(), release.map(Path::new), "{path}");
        }
    }
}
