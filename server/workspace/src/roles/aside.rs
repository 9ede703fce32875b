//! Errors that need no fix, because they are in test data or in copies of old releases.

use std::path::{Component, Path};

use super::{
    names,
    place::{self, Place, Standing},
};
use crate::index::Index;

/// The reason why the errors of a file do not make a run fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Aside {
    /// The file is wrong on purpose, so its errors are expected. The string is the reason.
    Expected(String),
    /// Only tests read the file, so its objects are never sent to an API server. The string is the reason.
    TestData(String),
    /// The CRDs in the file are copies of a release, and people edit them elsewhere. The errors of the copies become hints. The string is the reason.
    OldCopies(String),
    /// The file belongs to a release, and newer releases lie beside it, or it documents a release whose CRDs are not there. Its errors and warnings
    /// become hints. The string is the reason.
    OldRelease(String),
    /// Go's tools copied the file from another project, which maintains it. The string is the reason.
    Vendored(String),
}

/// Words in the names of test files and folders which mean that something in them is wrong.
const WRONG: &[&str] = &[
    "bad",
    "broken",
    "err",
    "expectedfailures",
    "fail",
    "failed",
    "failing",
    "failure",
    "failures",
    "illegal",
    "incorrect",
    "invalid",
    "malformed",
    "negative",
    "rejected",
    "unparsable",
    "wrong",
];

/// Words with the same meaning that apply in the name of any folder, such as `invalid-examples`.
const WRONG_ANYWHERE: &[&str] = &["illegal", "invalid", "malformed"];

/// Words after `failure` that together name a subject of Kubernetes, as in `failure-domains.yaml`.
const AFTER_FAILURE: &[&str] = &["domain", "domains", "policies", "policy", "threshold", "thresholds"];

/// Whether a word of a name is one of those which mean that something is wrong.
fn says_wrong(words: &[&str], n: usize, says: &[&str]) -> bool {
    let is_subject = words[n] == "failure" && words.get(n + 1).is_some_and(|it| AFTER_FAILURE.contains(it));
    says.contains(&words[n]) && !is_subject
}

/// Words that describe what is wrong in a file, as in `server-with-invalid-keys.yaml`.
const OF_TEXT: &[&str] = &[
    "crd",
    "data",
    "field",
    "fields",
    "format",
    "json",
    "key",
    "keys",
    "manifest",
    "openapi",
    "properties",
    "property",
    "schema",
    "spec",
    "syntax",
    "type",
    "types",
    "value",
    "values",
    "yaml",
];

/// The start of a key in istio's tests. It marks an object that the API server has to reject.
const ERROR_KEY: &str = "_err:";

impl Aside {
    /// Returns `Self::Expected` if the path and text of a file show that its errors are expected. `path` is relative to the repository.
    pub(crate) fn expected(path: &Path, text: &str) -> Option<Self> {
        if text.lines().any(|it| it.starts_with(ERROR_KEY)) {
            return Some(Self::Expected(format!("an object has the key `{ERROR_KEY}`")));
        }
        let stem = path.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
        let folders = path.parent().into_iter().flat_map(Path::components);
        let folders = folders.filter_map(|it| match it {
            Component::Normal(name) => name.to_str(),
            _ => None,
        });
        let mut is_test = false;
        for folder in folders {
            let says = if is_test { WRONG } else { WRONG_ANYWHERE };
            let words: Vec<&str> = names::words(folder).collect();
            if let Some(n) = (0..words.len()).find(|n| says_wrong(&words, *n, says)) {
                return Some(Self::Expected(format!(
                    "the name of the folder `{folder}` contains `{}`",
                    words[n]
                )));
            }
            is_test |= place::is_of_tests(folder);
        }
        // Dots separate what a file is about from what it is for, as in `widget.invalid-key.input.yaml`.
        let words: Vec<&str> = stem.split('.').flat_map(names::words).collect();
        let is_end = |n: usize| n == 0 || n + 1 == words.len();
        // In the middle of a name, such a word usually describes the subject of a valid object, as in `route-invalid-backend-ref`.
        let is_of_text = |n: usize| WRONG_ANYWHERE.contains(&words[n]) && OF_TEXT.contains(&words[n + 1]);
        let mut named = (0..words.len()).filter(|_| is_test);
        let n = named.find(|n| says_wrong(&words, *n, WRONG) && (is_end(*n) || is_of_text(*n)))?;
        Some(Self::Expected(format!(
            "the name of this test's file contains `{}`",
            words[n]
        )))
    }

    /// Returns `Self::TestData` if a test file has a format of its own that the API server does not read, because an object has a key in capitals,
    /// such as `TEST`. `path` is relative to the repository.
    pub(crate) fn in_own_language(path: &Path, text: &str) -> Option<Self> {
        if !place::is_in_tests(path) {
            return None;
        }
        let key = text.lines().find_map(|it| {
            let (key, _) = it.split_once(':')?;
            let is_in_capitals = key.len() > 2
                && key.starts_with(|it: char| it.is_ascii_uppercase())
                && key
                    .bytes()
                    .all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || b"_-".contains(&it));
            is_in_capitals.then_some(key)
        })?;
        Some(Self::TestData(format!(
            "an object has the key `{key}` of a test's own language"
        )))
    }

    /// Returns `Self::OldCopies` if the CRDs in a file, which have these names, are copies of a release. `path` is absolute.
    pub(crate) fn old_copies<'a>(index: &Index, path: &Path, mut names: impl Iterator<Item = &'a str>) -> Option<Self> {
        if let Some(folder) = place::merged(index.relative(path)) {
            return Some(Self::OldCopies(format!(
                "a generator merges the files in `{folder}`, and writes the CRD to another folder"
            )));
        }
        let place = index.place(path);
        // A file in a folder for tests or documentation may belong to a release as well. Its version shows that.
        if place.standing != Standing::Old && place.version.is_none() {
            return None;
        }
        let is_better = |name: &str| {
            let better = index.whole(name, path).filter(|it| it.place.standing < Standing::Old);
            better.is_some()
        };
        if !names.all(is_better) && !is_superseded(index, &place) {
            return None;
        }
        let release = match (&place.version, &place.evidence) {
            (Some(version), _) => format!("the path names release {version}"),
            (None, evidence) => format!("`{}` in the path", evidence.as_deref().unwrap_or_default()),
        };
        Some(Self::OldCopies(format!(
            "{release}, and the CRD that people edit is elsewhere"
        )))
    }

    /// Returns `Self::OldRelease` if a file belongs to a release that others follow, such as a bundle in `deploy/olm-catalog/0.1.0`, or if it documents a
    /// release whose CRDs are not in the repository. Tests may still apply old releases. `path` is absolute.
    pub(crate) fn old_release(index: &Index, path: &Path) -> Option<Self> {
        let place = index.place(path);
        let version = place.version.as_ref().filter(|_| place.standing != Standing::Test)?;
        if is_superseded(index, &place) {
            let container = place.container.display();
            return Some(Self::OldRelease(format!(
                "the path names release {version}, and a newer one is in `{container}`"
            )));
        }
        let is_of_it = |it: &Place| it.container == place.container && it.version == place.version;
        let is_documented = place.standing == Standing::Documentation && place.release.is_some();
        (is_documented && !index.definitions().any(|it| is_of_it(&it.place))).then(|| {
            Self::OldRelease(format!(
                "it documents release {version}, whose CRDs are not in the repository"
            ))
        })
    }

    /// The text of the reason.
    pub fn reason(&self) -> &str {
        match self {
            Self::Expected(reason)
            | Self::TestData(reason)
            | Self::OldCopies(reason)
            | Self::OldRelease(reason)
            | Self::Vendored(reason) => reason,
        }
    }
}

/// Whether a file belongs to a release whose folder also has CRDs of a newer release. People do not edit old releases.
fn is_superseded(index: &Index, place: &Place) -> bool {
    let is_newer = |it: &Place| it.container == place.container && it.version > place.version;
    place.release.is_some() && index.definitions().any(|it| is_newer(&it.place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_tests_have_keys_in_capitals() {
        let text = "kind: Widget\nTEST: READ\n";
        let of = |path, text| Aside::in_own_language(Path::new(path), text).is_some();
        assert!(of("tests/e2e/testdata/script.yaml", text));
        assert!(!of("config/script.yaml", text));
        assert!(!of("tests/script.yaml", "kind: Widget\nspec:\n  TEST: READ\n"));
        assert!(!of("tests/script.yaml", "kind: Widget\nTest: READ\n"));
    }

    #[test]
    fn what_is_wrong_on_purpose_says_so() {
        for (path, expected) in [
            ("pkg/testdata/invalid-widget.yaml", true),
            ("pkg/testdata/widget_invalid.yaml", true),
            ("tests/data/widget-with-invalid-keys-openapi.yaml", true),
            ("tests/data/zone-a.widget.invalid-key.input.yaml", true),
            ("tests/data/widget.failover-x.yaml", false),
            ("pkg/testdata/fail/widget.yaml", true),
            ("tests/size-invalid/00-install.yaml", true),
            ("test/e2e/expectedfailures/widget.yaml", true),
            ("test/failover/widget.yaml", false),
            ("test/data/failure-domains.yaml", false),
            ("test/data/failure-domains/widget.yaml", false),
            ("test/data/failure-apply.yaml", true),
            ("hack/invalid-examples/widget.yaml", true),
            ("pkg/testdata/widget.yaml", false),
            ("pkg/testdata/route-invalid-backend-ref.yaml", false),
            ("pkg/testdata/invalidate-cache.yaml", false),
            ("config/samples/invalid-widget.yaml", false),
            ("fail/widget.yaml", false),
            ("bad/testdata/widget.yaml", false),
            ("examples/fail-over.yaml", false),
        ] {
            let found = Aside::expected(Path::new(path), "kind: Widget\n");
            assert_eq!(found.is_some(), expected, "{path}: {found:?}");
        }
        assert!(Aside::expected(Path::new("a.yaml"), "_err: bad\nkind: Widget\n").is_some());
    }
}
