//! Finds the folders to which controller-gen writes CRDs according to a Makefile or a script, as in `controller-gen crd output:crd:dir=manifests`.

use std::path::{Component, Path, PathBuf};

use crd_analyzer_gosource::Variables;

use super::Vendored;

/// The options of controller-gen that name the folder for CRDs.
const OPTIONS: [&str; 3] = ["output:crd:artifacts:config=", "output:crd:dir=", "output:dir="];

/// The maximum number of folders to take from one text.
const MOST_FOLDERS: usize = 100;

/// A repository: its root, and facts about its folders from its files.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Repository {
    /// The root folder, absolute.
    pub root: PathBuf,
    /// The folders to which generators write CRDs.
    pub generated: Vec<GeneratedInto>,
    /// The files that come from other projects.
    pub vendored: Vendored,
}

/// A folder to which a generator writes CRDs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GeneratedInto {
    /// The absolute path of the folder.
    pub folder: PathBuf,
    /// The file that configures the generator, relative to the repository.
    pub by: String,
}

/// The folders to which a Makefile or shell script makes controller-gen write CRDs, relative to the folder where it runs. Leaves out paths with
/// variables that the text does not set.
pub fn generated_into(text: &str) -> Vec<PathBuf> {
    if !OPTIONS.iter().any(|it| text.contains(it)) {
        return Vec::new();
    }
    let variables = Variables::of(text);
    let mut found = Vec::new();
    for option in OPTIONS {
        for (at, _) in text.match_indices(option) {
            let rest = text[at + option.len()..].trim_start_matches(['"', '\'']);
            let end = rest.find(|it: char| it.is_whitespace() || "\"'`\\;&|".contains(it));
            let written = &rest[..end.unwrap_or(rest.len())];
            if let Some(folder) = variables.put_in(written).and_then(|it| below(&it))
                && !found.contains(&folder)
            {
                found.push(folder);
                if found.len() == MOST_FOLDERS {
                    return found;
                }
            }
        }
    }
    found
}

/// A path without `.` parts. `None` if it is empty or leaves the current folder.
fn below(path: &str) -> Option<PathBuf> {
    let parts = Path::new(path).components();
    let kept: PathBuf = parts.filter(|it| !matches!(it, Component::CurDir)).collect();
    let is_here = !kept.as_os_str().is_empty() && kept.is_relative();
    is_here.then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folders_of_generators() {
        for (text, expected) in [
            (
                "\t$(CONTROLLER_GEN) crd paths=\"./...\" output:crd:artifacts:config=config/crd/bases\n",
                &["config/crd/bases"][..],
            ),
            ("controller-gen crd output:crd:dir=./manifests \\\n", &["manifests"]),
            (
                "CRDS ?= deploy/crds # here\n\tcontroller-gen output:dir=$(CRDS)/a\n",
                &["deploy/crds/a"],
            ),
            ("A=x\nB := ${A}/y\n\tgen output:crd:dir=\"${B}\"", &["x/y"]),
            ("gen output:crd:dir=$(PWD)/example/crds/", &["example/crds"]),
            ("gen output:crd:dir=$(TMP)/crds", &[]),
            ("A = $(A)/x\ngen output:crd:dir=$(A)", &[]),
            ("gen output:crd:dir=$$TMP", &[]),
            ("gen output:crd:dir=/tmp/crds output:crd:dir=", &[]),
            (
                "gen output:crd:dir=a; gen output:crd:dir=b; gen output:crd:dir=a",
                &["a", "b"],
            ),
            ("gen output:rbac:dir=a", &[]),
            ("gen output:crd:stdout", &[]),
        ] {
            let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
            assert_eq!(generated_into(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_names_a_bounded_number_of_folders() {
        let many: Vec<String> = (0..5_000).map(|n| format!("gen output:crd:dir=a{n}\n")).collect();
        assert_eq!(generated_into(&many.concat()).len(), MOST_FOLDERS);
    }

    #[test]
    fn variables_that_grow_end_soon() {
        let lines = (0..20).map(|n| format!("A{n} = $(A{})$(A{})\n", n + 1, n + 1));
        let many = lines.collect::<Vec<_>>().concat();
        assert_eq!(
            generated_into(&format!("{many}gen output:crd:dir=$(A0)")),
            Vec::<PathBuf>::new()
        );
    }
}
