//! Recognizes data that only the tests of the repository read, such as golden files, snapshots and inputs of unit tests. Such data is not sent to an
//! API server.

use std::path::{Component, Path};

use super::{
    names::{is_of_cluster, is_read, words},
    place,
};

/// The facts that the path of a file shows about the tests that read the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TestData<'p> {
    /// The part of the path from which crd-analyzer concludes that the file is test data.
    pub evidence: &'p str,
    /// Whether tests generate the file, or compare results with it. If not, a test may apply the file to an API server.
    pub is_output: bool,
}

/// Folders with snapshots, which Jest and Helm's unittest plugin generate and compare.
const SNAPSHOTS: &[&str] = &["__snapshot__", "__snapshots__"];

/// A word in the names of files and folders that contain expected results.
const GOLDEN: &str = "golden";

/// Another word for expected results, but only in tests without a cluster. In tests with a cluster, such files state what is expected in the cluster.
const EXPECTED: &str = "expected";

/// The last folders in the path of inputs of Java tests.
const OF_JAVA: [&str; 3] = ["src", "test", "resources"];

impl<'p> TestData<'p> {
    /// Interprets the path of a file. The path is relative to its repository.
    pub fn of(path: &'p Path) -> Option<Self> {
        let folders = path.parent().into_iter().flat_map(Path::components);
        let folders: Vec<&str> = folders
            .filter_map(|it| match it {
                Component::Normal(name) => name.to_str(),
                _ => None,
            })
            .collect();
        let is_of_cluster = folders.iter().any(|it| is_of_cluster(it));
        let data = |evidence, is_output| Some(Self { evidence, is_output });
        let stem = path.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
        if stem.split('.').any(|it| it == GOLDEN) {
            return data(stem, true);
        }
        if let Some(name) = folders.iter().find(|it| SNAPSHOTS.contains(it)) {
            return data(name, true);
        }
        let tests = folders.iter().position(|it| place::is_of_tests(it));
        let of_tests = tests.map_or([].as_slice(), |it| &folders[it + 1..]);
        let mut of_tests = of_tests.iter().chain(tests.map(|_| &stem));
        let compares = |name: &&&str| words(name).any(|it| it == GOLDEN || it == EXPECTED && !is_of_cluster);
        if let Some(name) = of_tests.find(compares) {
            return data(name, true);
        }
        if is_of_cluster {
            return None;
        }
        if let Some(name) = folders.iter().find(|it| is_read(it)) {
            return data(name, false);
        }
        let is_of_java = folders.windows(OF_JAVA.len()).any(|it| it == OF_JAVA);
        data("src/test/resources", false).filter(|_| is_of_java)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_tests_read_lies_where_conventions_say() {
        for (path, expected) in [
            ("pkg/load/testdata/widget.yaml", "testdata"),
            ("pkg/load/test_data/a/widget.yaml", "test_data"),
            ("pkg/__fixtures__/widget.yaml", "__fixtures__"),
            ("tests/testdata/widget.yaml", "testdata"),
            ("policy/.kyverno-test/widget.yaml", ".kyverno-test"),
            ("charts/a/tests/__snapshot__/crd.yaml", "__snapshot__"),
            ("test/e2e/__snapshots__/widget.yaml", "__snapshots__"),
            ("test/golden/widget.yaml", "golden"),
            ("pkg/render/testdata/golden/widget.yaml", "golden"),
            ("clusters/golden/widget.yaml", ""),
            ("images/vm-golden.yaml", ""),
            ("test/e2e/expected/widget.yaml", ""),
            ("test/e2e/widget.golden.yaml", "widget.golden"),
            ("api/src/test/resources/widget.yaml", "src/test/resources"),
            ("test/render/expected.yaml", "expected"),
            ("test/render/expected/widget.yaml", "expected"),
            ("config/expected/widget.yaml", ""),
            ("test/widget.yaml", ""),
            ("test/e2e/testdata/widget.yaml", ""),
            ("testdata/e2e/widget.yaml", ""),
            ("test/integration/testdata/widget.yaml", ""),
            ("tests/kuttl/fixtures/widget.yaml", ""),
            ("config/samples/widget.yaml", ""),
            ("config/snapshots/widget.yaml", ""),
            ("src/main/resources/widget.yaml", ""),
            ("widget.yaml", ""),
        ] {
            let found = TestData::of(Path::new(path));
            assert_eq!(found.map_or("", |it| it.evidence), expected, "{path}");
        }
    }
}
