//! Finds the folders that the paths of Kustomizations refer to.
//!
//! A path starts at the root of its source, which may be another repository. crd-analyzer assumes that the source is this repository if most of the
//! source's paths exist here.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
};

use crd_analyzer_kustomize::Files;
use crd_analyzer_syntax::tree::Span;

use super::{BOOTSTRAPPED, Flux, Kustomization};
use crate::{
    codes,
    findings::finding::{Class, Finding, Severity},
    roles::{Place, Standing},
    words,
};

/// The minimum number of existing paths for assuming that a source is this repository.
const LEAST: usize = 3;

/// The folders that the paths of Kustomizations are known to refer to.
#[derive(Default)]
pub(crate) struct Paths {
    /// The folders that Flux certainly builds, unchanged, from this repository.
    pub(crate) certain: BTreeSet<PathBuf>,
    /// The paths that do not exist: the file with the path, and the finding about it.
    pub(crate) nowhere: Vec<(PathBuf, Finding)>,
}

/// The Kustomizations with the same source.
#[derive(Default)]
struct OfSource<'f> {
    existing: Vec<&'f Kustomization>,
    missing: Vec<&'f Kustomization>,
}

impl Flux {
    /// Finds the folders of all Kustomizations. `files` returns the files that are available to the Kustomization in a file, if they are known.
    pub(crate) fn paths<'f>(&self, files: &dyn Fn(&Path) -> Option<&'f dyn Files>) -> Paths {
        let mut sources: HashMap<&(String, String), OfSource<'_>> = HashMap::new();
        let mut asked: HashMap<&Path, Option<bool>> = HashMap::new();
        for kustomization in self.of_this_repository() {
            let Some(source) = &kustomization.source else { continue };
            let folder = kustomization.folder.as_path();
            let exists = *asked.entry(folder).or_insert_with(|| {
                let files = files(&kustomization.at.file)?;
                let is_there = files.is_folder(folder);
                // If access to the folder is refused, it may exist.
                (is_there || files.refusal(folder).is_none()).then_some(is_there)
            });
            let of_source = sources.entry(source).or_default();
            match exists {
                Some(true) => of_source.existing.push(kustomization),
                Some(false) if kustomization.has_plain_path() => of_source.missing.push(kustomization),
                _ => {}
            }
        }
        let mut paths = Paths::default();
        for (source, found) in sources {
            if found.is_here(source) {
                found.add_to(&mut paths);
            }
        }
        paths
            .nowhere
            .sort_by(|a, b| (&a.0, a.1.span.start, &a.1.headline).cmp(&(&b.0, b.1.span.start, &b.1.headline)));
        // Several Kustomizations may get their path from the same patch.
        paths.nowhere.dedup();
        paths
    }
}

impl Kustomization {
    /// Whether the path is written literally, without a part that is filled in later.
    fn has_plain_path(&self) -> bool {
        let is_plain = |it: u8| it.is_ascii_alphanumeric() || b"._-/".contains(&it);
        self.path.as_ref().is_some_and(|it| it.text.bytes().all(is_plain))
    }

    /// Whether nothing in the path of the file suggests that the Kustomization is an example, is old, or is for tests.
    fn is_plain(&self) -> bool {
        let file = self.at.file.strip_prefix(&self.root).unwrap_or(&self.at.file);
        Place::of(file).standing == Standing::Plain
    }

    /// Whether the path names a folder below the root of the source.
    fn names_folder(&self) -> bool {
        self.path
            .as_ref()
            .is_some_and(|it| it.text.split('/').any(|it| !matches!(it, "" | ".")))
    }
}

impl OfSource<'_> {
    /// Whether the source is most likely this repository.
    fn is_here(&self, (namespace, name): &(String, String)) -> bool {
        let existing = self.existing.iter().filter(|it| it.names_folder());
        let existing: HashSet<&Path> = existing.map(|it| it.folder.as_path()).collect();
        let missing: HashSet<&Path> = self.missing.iter().map(|it| it.folder.as_path()).collect();
        let is_own = name == BOOTSTRAPPED && (namespace.is_empty() || namespace == BOOTSTRAPPED);
        existing.len() >= if is_own { 1 } else { LEAST } && existing.len() > missing.len()
            || is_own && !existing.is_empty() && existing.len() == missing.len()
    }

    fn add_to(&self, paths: &mut Paths) {
        let folders: HashSet<&Path> = self.existing.iter().map(|it| it.folder.as_path()).collect();
        let beside: HashSet<&Path> = self.existing.iter().filter_map(|it| it.at.file.parent()).collect();
        let missing: HashSet<&Path> = self.missing.iter().map(|it| it.folder.as_path()).collect();
        paths.certain.extend(folders.iter().map(|it| it.to_path_buf()));
        for kustomization in &self.missing {
            // Flux may never apply a Kustomization that is not next to others that work. If nearly all paths exist, it is most likely one that applies
            // the others.
            let mut around = kustomization.at.file.ancestors().skip(1);
            let is_beside = kustomization.at.file.parent().is_some_and(|it| beside.contains(it));
            let is_of_few = missing.len() == 1 || missing.len() * LEAST <= folders.len();
            let is_exception = is_of_few && kustomization.is_plain();
            if let Some(path) = &kustomization.path
                && (is_beside || is_exception || around.any(|it| folders.contains(it)))
            {
                paths.nowhere.push((path.file.clone(), told(&path.text, path.span)));
            }
        }
    }
}

fn told(path: &str, span: Span) -> Finding {
    let headline = format!(
        "Flux fails: kustomization path not found: `{}`",
        words::clip_path(path, 50)
    );
    let mut finding = Finding::new(Class::Hint, codes::KUSTOMIZE_FAILURE, span, headline);
    finding.severity = Severity::Error;
    finding.help = vec!["name a folder of the repository, as seen from its root".to_owned()];
    finding
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// A file system that has only these folders.
    struct Folders(&'static [&'static str]);

    impl Files for Folders {
        fn read(&self, _: &Path) -> Option<Arc<str>> {
            None
        }

        fn is_folder(&self, path: &Path) -> bool {
            self.0.iter().any(|it| Path::new(it).starts_with(path))
        }

        fn refusal(&self, path: &Path) -> Option<String> {
            path.ends_with("refused").then(|| "it is refused".to_owned())
        }
    }

    const FOLDERS: Folders = Folders(&["/r/clusters/prod", "/r/apps/a", "/r/apps/b", "/r/apps/c"]);

    /// The paths that do not exist, for Kustomizations in `clusters/prod` with these sources and paths.
    fn nowhere(kustomizations: &[(&str, &str)]) -> Vec<String> {
        let text: Vec<String> = kustomizations
            .iter()
            .map(|(source, path)| {
                format!(
                    "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: a, namespace: flux-system}}\nspec:\n  path: '{path}'\n  sourceRef: {{kind: GitRepository, name: {source}}}\n"
                )
            })
            .collect();
        let text: Arc<str> = text.join("---\n").into();
        let mut flux = Flux::default();
        flux.add(Path::new("/r/clusters/prod/all.yaml"), Path::new("/r"), &text);
        let found = flux.paths(&|_| Some(&FOLDERS)).nowhere;
        found.iter().map(|it| text[it.1.span.range()].to_owned()).collect()
    }

    #[test]
    fn paths_of_this_repository() {
        let own = "flux-system";
        assert_eq!(nowhere(&[(own, "./apps/a"), (own, "./apps/x")]), ["'./apps/x'"]);
        assert_eq!(nowhere(&[(own, "apps/a"), (own, "/apps/b/")]), [""; 0]);
        // Nothing shows that the source is this repository.
        assert_eq!(nowhere(&[(own, "./apps/x")]), [""; 0]);
        assert_eq!(nowhere(&[(own, "./"), (own, "./apps/x")]), [""; 0]);
        assert_eq!(nowhere(&[("other", "./apps/a"), ("other", "./apps/x")]), [""; 0]);
        let three = [
            ("other", "apps/a"),
            ("other", "apps/b"),
            ("other", "apps/c"),
            ("other", "apps/d"),
        ];
        assert_eq!(nowhere(&three), ["'apps/d'"]);
        assert_eq!(nowhere(&[three[0], three[1], three[2], ("another", "apps/d")]), [""; 0]);
    }

    #[test]
    fn the_path_of_the_kustomization_that_applies_the_others() {
        let kustomization = |path: &str| {
            format!(
                "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: a, namespace: flux-system}}\nspec:\n  path: {path}\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n"
            )
        };
        for (file, expected) in [("/r/clusters/main/all.yaml", 1), ("/r/docs/all.yaml", 0)] {
            let mut flux = Flux::default();
            let mut add =
                |file: &str, path: &str| flux.add(Path::new(file), Path::new("/r"), &kustomization(path).into());
            add(file, "./app");
            add("/r/apps/a.yaml", "./apps/a");
            add("/r/apps/b.yaml", "./apps/b");
            assert_eq!(flux.paths(&|_| Some(&FOLDERS)).nowhere.len(), expected, "{file}");
        }
    }

    #[test]
    fn paths_that_something_fills_in_or_that_are_refused() {
        let own = "flux-system";
        for path in ["./apps/${CLUSTER}", "./apps/{{ name }}", "./apps/refused"] {
            assert_eq!(nowhere(&[(own, "./apps/a"), (own, path)]), [""; 0], "{path}");
        }
    }
}
