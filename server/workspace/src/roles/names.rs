//! Conventions for file names.

use std::path::Path;

/// Whether a file states what kuttl or chainsaw expects of objects, judging by its name (`00-assert.yaml`, `errors.yaml`).
pub(crate) fn is_assertion(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    name.split(['-', '_', '.'])
        .any(|it| matches!(it, "assert" | "asserts" | "errors"))
}

/// Whether a file is a template of a Helm chart.
pub fn is_template(path: &Path) -> bool {
    let folders = path.parent().into_iter().flat_map(Path::components);
    folders.into_iter().any(|it| it.as_os_str() == "templates")
}

/// Whether a file of a Helm chart only defines templates that others include.
pub fn is_helpers(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "tpl") && is_template(path)
}

/// The second extensions of manifests that a program fills in: `widget.yaml.tmpl`.
const FILLED_IN: [&str; 6] = ["gotmpl", "j2", "jinja2", "template", "tmpl", "tpl"];

/// Whether a program fills in a manifest, judging by its extensions.
pub fn is_filled_in(path: &Path) -> bool {
    let has = |path: &Path, endings: &[&str]| {
        let ending = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        endings.contains(&ending)
    };
    let inner = path.file_stem().map(Path::new);
    has(path, &FILLED_IN) && inner.is_some_and(|it| has(it, &["yaml", "yml"]))
}

/// Whether a file is written in Markdown.
pub fn is_markdown(path: &Path) -> bool {
    let ending = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
    ["md", "markdown", "mdx"]
        .iter()
        .any(|it| ending.eq_ignore_ascii_case(it))
}

/// Words in the names of folders with tests that apply their files to an API server.
const OF_CLUSTERS: &[&str] = &[
    "acceptance",
    "chainsaw",
    "conformance",
    "e2e",
    "extended",
    "integration",
    "kuttl",
    "scorecard",
    "system",
    "systemtest",
    "systemtests",
];

/// Names of folders with inputs of tests. A leading `-`, `_` or dot is left out: the go tool ignores `testdata`, and kyverno's command line looks for
/// its tests in `.kyverno-test`.
const READ: &[&str] = &[
    "fixture",
    "fixtures",
    "kyvernotest",
    "mockdata",
    "testdata",
    "testfixture",
    "testfixtures",
    "testresources",
];

/// Whether a folder has inputs that only tests read, judging by its name.
pub(super) fn is_read(folder: &str) -> bool {
    let name = folder.trim_matches(['_', '.']).replace(['-', '_'], "");
    READ.contains(&name.as_str())
}

/// Whether a folder has tests that apply their files to an API server, judging by its name.
pub(super) fn is_of_cluster(folder: &str) -> bool {
    words(folder).any(|it| OF_CLUSTERS.contains(&it))
}

/// The words in a name.
pub(super) fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(['-', '_', ' ']).filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_test_tools() {
        for name in [
            "00-assert.yaml",
            "01-errors.yaml",
            "assert.yaml",
            "chainsaw-step-00-assert-1.yaml",
        ] {
            assert!(is_assertion(Path::new(name)), "{name}");
        }
        for name in ["assertion.yaml", "00-install.yaml"] {
            assert!(!is_assertion(Path::new(name)), "{name}");
        }
    }
}
