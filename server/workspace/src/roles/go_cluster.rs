//! Finds out which tests of a Go package may send their files to an API server. Often, one test of the package starts an API server and keeps its
//! client in a variable, and some of the other tests use the client.

use std::{
    collections::HashSet,
    path::{Component, Path},
};

/// Strings in a test that show that it applies objects to an API server.
const APPLIES: [&str; 3] = ["envtest.", "e2e-framework", "\"apply\""];

/// The types of package variables that are not connected to an API server.
const UNCONNECTED: [&str; 5] = ["Scheme", "context.", "error", "bool", "string"];

/// The maximum length of a part of a path, in bytes.
const MOST_PART: usize = 255;

/// Whether a test applies objects to an API server without the help of another test.
pub(super) fn applies(test: &str) -> bool {
    APPLIES.iter().any(|it| test.contains(it))
}

/// The parts of paths in a test.
#[derive(Default, Debug)]
pub(super) struct Paths {
    parts: HashSet<String>,
    /// Whether the test may name files without quotes, in a directive that embeds them.
    embeds: bool,
}

impl Paths {
    pub(super) fn of(test: &str) -> Self {
        let texts = test.lines().flat_map(|line| line.split(['"', '`']).skip(1).step_by(2));
        let parts = texts.flat_map(|it| it.split('/')).filter(|it| it.len() <= MOST_PART);
        Self {
            parts: parts.map(str::to_owned).collect(),
            embeds: test.contains("//go:embed"),
        }
    }

    /// Whether the test names a file, or one of the folders between the test and the file. `below` is the path from the test's folder to the file.
    pub(super) fn may_name(&self, below: &Path) -> bool {
        let named = |name: &std::ffi::OsStr| name.to_str().is_none_or(|it| self.parts.contains(it));
        let mut components = below.components().filter_map(|it| match it {
            Component::Normal(name) => Some(name),
            _ => None,
        });
        self.embeds || below.file_stem().is_some_and(named) || components.any(named)
    }
}

/// The variables of a package that a test declares outside of functions, if they may be connected to an API server.
pub(super) fn clients(test: &str) -> HashSet<&str> {
    let mut found = HashSet::new();
    let mut is_in_block = false;
    for line in test.lines() {
        let declared = if is_in_block {
            is_in_block = !line.starts_with(')');
            line.strip_prefix('\t').filter(|it| !it.starts_with(['\t', '/']))
        } else {
            is_in_block = line == "var (";
            line.strip_prefix("var ")
        };
        let Some(declared) = declared else { continue };
        let (names, ty) = names_and_type(declared);
        if !UNCONNECTED.iter().any(|it| ty.contains(it)) {
            found.extend(names.filter(|it| is_name(it)));
        }
    }
    found
}

/// The names in a declaration such as `cfg, other *rest.Config = …`, and the type.
fn names_and_type(declared: &str) -> (impl Iterator<Item = &str>, &str) {
    let left = declared.split(['=', '(']).next().unwrap_or_default();
    // The names are separated by commas, and a type follows the last one.
    let end = left.rfind(',').map_or(0, |it| it + 1);
    let last = left[end..].trim_start();
    let (name, ty) = last.split_once(char::is_whitespace).unwrap_or((last, ""));
    (left[..end].split(',').map(str::trim).chain([name]), ty)
}

fn is_name(text: &str) -> bool {
    let is_of_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
    text.len() > 1 && text.chars().all(is_of_name)
}

/// Whether a test uses one of the variables.
pub(super) fn uses(test: &str, clients: &HashSet<&str>) -> bool {
    let mut words = test.split(|it: char| !(it.is_ascii_alphanumeric() || it == '_'));
    !clients.is_empty() && words.any(|it| clients.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUITE: &str = "package a\n\nvar (\n\tk8sClient client.Client\n\tone, other *rest.Config // c\n\tscheme *runtime.Scheme\n\t// comment x\n\tctx context.Context\n)\n\nvar env = &envtest.Environment{}\n\nvar _ = BeforeSuite(func() {\n\tvar local int\n})\n";

    #[test]
    fn clients_are_variables_of_the_package() {
        let mut found: Vec<&str> = clients(SUITE).into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, ["env", "k8sClient", "one", "other"]);
    }

    #[test]
    fn tests_use_clients_by_their_whole_names() {
        let clients = clients(SUITE);
        assert!(uses("Expect(k8sClient.Create(ctx, widget))", &clients));
        assert!(!uses("Expect(k8sClientScheme.Default(widget))", &clients));
    }

    #[test]
    fn paths_have_names_of_files_and_folders() {
        let paths = Paths::of("load(\"testdata/a.yaml\")\nread(filepath.Join(\"data\", name), `b`)\n");
        for (below, expected) in [
            ("testdata/x.yaml", true),
            ("data/x.yaml", true),
            ("other/a.yaml", true),
            ("other/b.yaml", true),
            ("other/c.yaml", false),
        ] {
            assert_eq!(paths.may_name(Path::new(below)), expected, "{below}");
        }
        assert!(Paths::of("//go:embed testdata\n").may_name(Path::new("x.yaml")));
    }
}
