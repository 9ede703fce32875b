//! The variables that Flux substitutes after it has built a folder: `spec.postBuild` of its Kustomizations
//! (`SubstituteVariables` of github.com/fluxcd/pkg/kustomize).

mod artifacts;
mod building;
mod files;
mod kustomization;
mod paths;
mod values;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_kustomize::{BuiltKustomization, Node, Sources};
use crd_analyzer_syntax::{
    json::Json,
    read_json,
    split::{read_document, split},
    tree::Span,
};
use serde_json::Value;

use crate::filled_in::variables::{Values, Variables};
use artifacts::Artifact;
pub use building::Building;
pub use files::{FluxFiles, MayHold};
use kustomization::texts;
pub(crate) use paths::Paths;
use values::Known;

/// The API group of Flux's Kustomizations.
pub(crate) const GROUP: &str = "kustomize.toolkit.fluxcd.io";

/// The label or annotation that turns off Flux's substitution in an object if its value is `disabled`.
pub(crate) const SWITCH: &str = "kustomize.toolkit.fluxcd.io/substitute";

/// The API group of the sources from which Flux's Kustomizations take files.
const SOURCES: &str = "source.toolkit.fluxcd.io";

/// The name of the GitRepository that `flux bootstrap` creates for the repository in which it stores its own manifests.
const BOOTSTRAPPED: &str = "flux-system";

/// The maximum size, in bytes, of files to search for Flux objects.
pub const TEXT_BYTES: u64 = 128 << 10;

/// The Flux Kustomizations in some files, and the ConfigMaps and GitRepositories in the same files.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Flux {
    kustomizations: Vec<Kustomization>,
    config_maps: Vec<ConfigMap>,
    repositories: Vec<Repository>,
    artifacts: Vec<Artifact>,
    known: values::Cache,
}

/// A GitRepository object of Flux.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Repository {
    name: String,
    namespace: String,
    /// The URL in a normalized form, see [`plain_url`].
    url: String,
}

/// A Kustomization object of Flux.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Kustomization {
    /// The folder that the Kustomization builds, as an absolute path.
    folder: PathBuf,
    /// The folder that `spec.path` is relative to.
    root: PathBuf,
    path: Option<WrittenPath>,
    /// The file and the span of `spec.postBuild`, if the Kustomization has it.
    variables_at: Option<(PathBuf, Span)>,
    name: String,
    namespace: String,
    at: At,
    /// Whether the Kustomization changes objects in other ways than by substituting variables.
    is_patching: bool,
    is_substituting: bool,
    /// The namespace and name of the GitRepository to which the path is relative.
    source: Option<(String, String)>,
    /// The namespace and name of the ExternalArtifact to which the path is relative.
    artifact: Option<(String, String)>,
    /// Whether the Kustomization builds something else than this repository: all of an OCI artifact or a bucket, which a program fills, usually not with
    /// all of this repository. Or, with neither a source nor a path, nothing: it is a patch of another Kustomization.
    is_elsewhere: bool,
    inline: Arc<Values>,
    /// The kind and name of each object that provides more variables. The last object takes precedence.
    from: Vec<(String, String)>,
    /// If a parent Kustomization changes this one: the changed Kustomization, and the files that it depends on.
    built: Option<(BuiltKustomization, Asked)>,
}

/// A field of `spec` with the folder that a Kustomization builds.
const PATH: &str = "path";

/// A field of `spec` with the variables.
const POST_BUILD: &str = "postBuild";

/// The file and the span of `spec.path` and of `spec.postBuild`, if the Kustomization has these fields.
type FieldsAt = [Option<(PathBuf, Span)>; 2];

/// The files that the builds of a Kustomization's parents tried to read.
pub(crate) type Asked = Vec<Arc<BTreeSet<Arc<Path>>>>;

/// The value of `spec.path`, with its file and its span.
#[derive(Clone, PartialEq, Eq, Debug)]
struct WrittenPath {
    text: String,
    file: PathBuf,
    span: Span,
}

/// The place where an object is written.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct At {
    /// The absolute path of the file.
    pub(crate) file: PathBuf,
    /// The index of the document in the file.
    pub(crate) document: u32,
    /// The index of the item, if the document is a list.
    pub(crate) item: Option<usize>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct ConfigMap {
    file: Arc<Path>,
    name: String,
    namespace: String,
    data: Arc<Values>,
}

impl Flux {
    /// Adds the objects that were found in other files.
    pub fn join(&mut self, other: &Self) {
        self.known = values::Cache::default();
        self.kustomizations.extend_from_slice(&other.kustomizations);
        self.config_maps.extend_from_slice(&other.config_maps);
        self.repositories.extend_from_slice(&other.repositories);
        self.artifacts.extend_from_slice(&other.artifacts);
    }

    /// Adds the objects in a file. `root` is the folder that `spec.path` is relative to.
    pub fn add(&mut self, file: &Path, root: &Path, text: &Arc<str>) {
        self.known = values::Cache::default();
        for document in split(text).documents {
            let Ok(tree) = read_document(text, document, &[]) else {
                continue;
            };
            let Ok(json) = read_json(&tree) else { continue };
            let Some(object) = json.root().map(Json::to_value) else {
                continue;
            };
            let items = object["items"].as_array().filter(|_| object["kind"] == "List");
            let field_at = |item: Option<usize>, field: &str| {
                let object = match item {
                    None => tree.root(),
                    Some(n) => tree.items(tree.get(tree.root()?, "items")?).nth(n),
                };
                let entry = tree.entry(tree.get(object?, "spec")?, field)?;
                let spot = if field == PATH { entry.value } else { entry.key };
                Some((file.to_owned(), tree.span(spot)))
            };
            let fields_at = |item| [field_at(item, PATH), field_at(item, POST_BUILD)];
            let at = |item| At {
                file: file.to_owned(),
                document: document.index,
                item,
            };
            match items {
                Some(items) => items
                    .iter()
                    .enumerate()
                    .for_each(|(n, it)| self.add_object(at(Some(n)), root, (it, fields_at(Some(n))))),
                None => self.add_object(at(None), root, (&object, fields_at(None))),
            }
        }
    }

    /// Adds an object of a file: a document, or an item of a document.
    fn add_object(&mut self, at: At, root: &Path, (object, fields_at): (&Value, FieldsAt)) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let name = text(&object["metadata"]["name"]);
        let namespace = text(&object["metadata"]["namespace"]);
        let version = object["apiVersion"].as_str().unwrap_or_default();
        match object["kind"].as_str() {
            Some("ConfigMap") if version == "v1" => self.config_maps.push(ConfigMap {
                file: at.file.as_path().into(),
                name,
                namespace,
                data: texts(&object["data"]),
            }),
            Some("Kustomization") if version.split_once('/').is_some_and(|it| it.0 == GROUP) => {
                self.kustomizations
                    .push(Kustomization::new(at, root, object, fields_at));
            }
            Some("ArtifactGenerator") if version.split_once('/').is_some_and(|it| it.0 == artifacts::GROUP) => {
                self.artifacts.extend(Artifact::all(&at, object));
            }
            Some("GitRepository") if version.split_once('/').is_some_and(|it| it.0 == SOURCES) => {
                self.repositories.push(Repository {
                    name,
                    namespace,
                    url: plain_url(object["spec"]["url"].as_str().unwrap_or_default()),
                });
            }
            _ => {}
        }
    }

    /// The index of each Kustomization, by the place where it is written.
    pub(crate) fn written(&self) -> HashMap<&At, usize> {
        let numbered = self.kustomizations.iter().enumerate();
        numbered.map(|(n, it)| (&it.at, n)).collect()
    }

    /// Replaces Kustomizations by the versions that their parents build. `built` has these versions, by the index of the written Kustomization. A
    /// `None` among them, or a Kustomization that is not in `built`, means that Flux also applies the Kustomization as it is written.
    pub(crate) fn with_built(
        &self,
        built: &BTreeMap<usize, Vec<Option<(BuiltKustomization, Asked)>>>,
        sources: &Sources,
    ) -> Self {
        let mut kustomizations = Vec::new();
        for (n, written) in self.kustomizations.iter().enumerate() {
            let Some(all) = built.get(&n) else {
                kustomizations.push(written.clone());
                continue;
            };
            kustomizations.extend(all.iter().map(|it| match it {
                Some(built) => written.as_built(built, sources),
                None => written.clone(),
            }));
        }
        Self {
            kustomizations,
            config_maps: self.config_maps.clone(),
            repositories: self.repositories.clone(),
            artifacts: self.artifacts.clone(),
            known: values::Cache::default(),
        }
    }

    fn known(&self) -> &Known {
        self.known.get_or_init(|| Known::new(self))
    }

    /// The Kustomizations that build this repository, and those for which the repository is unknown.
    fn of_this_repository(&self) -> impl Iterator<Item = &Kustomization> {
        self.known().here.iter().map(|it| self.kustomization(*it))
    }

    fn kustomization(&self, number: usize) -> &Kustomization {
        let resolved = self.known().resolved.get(&number);
        resolved.unwrap_or_else(|| &self.kustomizations[number])
    }

    /// The indices of the Kustomizations that build this repository. `all` has all Kustomizations.
    fn here<'f>(&'f self, all: impl Iterator<Item = &'f Kustomization>) -> Vec<usize> {
        let mut by_name: HashMap<&str, Vec<&Repository>> = HashMap::new();
        for repository in &self.repositories {
            by_name.entry(&repository.name).or_default().push(repository);
        }
        let mut known: HashMap<(&str, &str), Option<&str>> = HashMap::new();
        let mut url_of = |namespace, name| {
            *known.entry((namespace, name)).or_insert_with(|| {
                let named = by_name.get(name).into_iter().flatten();
                let is_it =
                    |it: &&&Repository| it.namespace == namespace || it.namespace.is_empty() || namespace.is_empty();
                let mut urls: Vec<&str> = named.filter(is_it).map(|it| it.url.as_str()).collect();
                urls.dedup();
                // If there are several clusters with different URLs, the URL of this repository is unknown.
                <[&str; 1]>::try_from(urls).ok().map(|it| it[0])
            })
        };
        let own = url_of(BOOTSTRAPPED, BOOTSTRAPPED);
        let mut here = Vec::new();
        for (n, kustomization) in all.enumerate() {
            let source = kustomization.source.as_ref();
            let named = source.and_then(|(namespace, name)| url_of(namespace.as_str(), name.as_str()));
            if !kustomization.is_elsewhere && (own.is_none() || named.is_none() || own == named) {
                here.push(n);
            }
        }
        here
    }

    /// The folders, as absolute paths, that Kustomizations build without changes other than variables.
    pub(crate) fn applied(&self) -> impl Iterator<Item = &Path> {
        let unchanging = self.of_this_repository().filter(|it| !it.is_patching);
        unchanging.map(|it| it.folder.as_path())
    }

    /// The file and the span of the variables of a Kustomization.
    pub(crate) fn variables_at(&self, number: usize) -> Option<&(PathBuf, Span)> {
        self.kustomizations[number].variables_at.as_ref()
    }

    /// The Kustomizations that substitute variables in objects of this repository: their indices and their folders, as absolute paths.
    pub(crate) fn substituting(&self) -> impl Iterator<Item = (usize, &Path)> {
        let substituting = self.building().filter(|it| it.kustomization.is_substituting);
        substituting.map(|it| (it.number, it.folder()))
    }

    /// Whether no Kustomization substitutes variables.
    pub fn is_empty(&self) -> bool {
        !self.kustomizations.iter().any(|it| it.is_substituting)
    }

    /// Whether there are any Flux Kustomizations.
    pub fn has_kustomizations(&self) -> bool {
        !self.kustomizations.is_empty()
    }

    /// The Kustomizations that build folders of this repository.
    pub fn building(&self) -> impl Iterator<Item = Building<'_>> {
        let building = |number: &usize| Building {
            number: *number,
            kustomization: self.kustomization(*number),
        };
        self.known().here.iter().map(building)
    }

    /// The files that contain Kustomizations.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.kustomizations.iter().map(|it| it.at.file.as_path())
    }

    /// Whether a Kustomization may change the files at a path, or substitute variables in them.
    pub fn is_of(&self, path: &Path) -> bool {
        // If there are several Kustomizations, one may change another, even the folder that the other one builds.
        self.known().here.len() > 1 || path.ancestors().any(|it| self.known().folders.contains(it))
    }

    /// The known variables in the builds that contain any of these paths. A variable is known if all the Kustomizations agree on its value.
    pub(crate) fn variables(&self, places: &[&Path]) -> Option<Arc<Variables>> {
        self.known().variables(places)
    }

    /// The known variables in the build of one Kustomization. Without an index, those in all builds of the folder.
    pub(crate) fn variables_of(&self, one: Option<usize>, folder: &Path) -> Option<Arc<Variables>> {
        match one {
            Some(number) => self.known().of_one.get(&number).cloned(),
            None => self.variables(&[folder]),
        }
    }
}

/// Whether an object in a build is a Flux Kustomization.
pub(crate) fn is_kustomization(object: &Node) -> bool {
    let text = |name| object.at(&[name]).and_then(Node::as_str).unwrap_or_default();
    text("kind") == "Kustomization" && text("apiVersion").split_once('/').is_some_and(|it| it.0 == GROUP)
}

/// Whether a label or annotation of an object turns variable substitution off.
pub(crate) fn is_switched_off(object: &Node) -> bool {
    let is_off = |field| object.at(&["metadata", field, SWITCH]).and_then(Node::as_str) == Some("disabled");
    is_off("labels") || is_off("annotations")
}

/// A URL without its scheme, its user, and `.git` at the end.
fn plain_url(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |it| it.1);
    let rest = rest.split_once('@').map_or(rest, |it| it.1);
    let rest = rest.trim_end_matches('/').trim_end_matches(".git");
    rest.replace(':', "/").to_lowercase()
}

/// The name of a file with its folder, because many files of a repository have the same name.
pub(crate) fn file_name(path: &Path) -> String {
    let names: Vec<_> = path.iter().rev().take(2).map(|it| it.to_string_lossy()).collect();
    names.into_iter().rev().collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const APPS: &str = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux-system}\n";

    fn known(texts: &[&str], folder: &str) -> Option<Vec<String>> {
        let mut flux = Flux::default();
        for text in texts {
            assert!(Flux::is_in(text) || Flux::may_be_config_map(text), "{text}");
            flux.add(Path::new("/r/clusters/a.yaml"), Path::new("/r"), &Arc::from(*text));
        }
        let found = flux.variables(&[Path::new(folder)])?;
        Some(
            found
                .values
                .iter()
                .map(|(name, value)| format!("{name}={}", value.as_deref().unwrap_or("?")))
                .collect(),
        )
    }

    #[track_caller]
    fn check(texts: &[&str], folder: &str, expected: &[&str]) {
        assert_eq!(known(texts, folder).expect("a Kustomization"), expected);
    }

    #[test]
    fn of_a_kustomization() {
        let apps = format!("{APPS}spec: {{path: ./apps/prod, postBuild: {{substitute: {{A: x, B: \"1\\n2\"}}}}}}\n");
        check(&[&apps], "/r/apps/prod", &["A=x", "B=12"]);
        check(&[&apps], "/r/apps/prod/below", &["A=x", "B=12"]);
        assert_eq!(known(&[&apps], "/r/apps/production"), None);
        let other = apps.replace("x,", "y,");
        check(&[&apps, &other], "/r/apps/prod", &["A=?", "B=12"]);
        let list = format!("kind: List\nitems:\n- {}", apps.trim_end().replace('\n', "\n  "));
        check(&[&list], "/r/apps/prod", &["A=x", "B=12"]);
    }

    #[test]
    fn of_patches() {
        let flux = |spec: &str| {
            let text = format!("kind: x\n---\n{APPS}spec: {{path: apps, {spec}}}\n");
            let mut flux = Flux::default();
            assert!(Flux::is_in(&text));
            flux.add(Path::new("/r/a.yaml"), Path::new("/r"), &Arc::from(text));
            flux
        };
        let patching = |spec: &str| flux(spec).building().filter(Building::is_patching).count();
        let one = flux("patches: [{patch: x}]");
        assert!(one.is_empty() && one.variables(&[Path::new("/r/apps")]).is_none());
        let found = one.building().map(|it| (it.folder(), it.at().document, it.at().item));
        assert_eq!(found.collect::<Vec<_>>(), [(Path::new("/r/apps"), 1, None)]);
        assert_eq!(patching("patches: [{patch: x}]"), 1);
        assert_eq!(patching("images: [{name: a, newTag: v2}]"), 1);
        assert_eq!(patching("commonMetadata: {labels: {a: b}}"), 1);
        assert_eq!(flux("targetNamespace: a").applied().count(), 1);
        assert_eq!(patching("patches: [], postBuild: {}"), 0);
        assert_eq!(patching("components: [../c], postBuild: {}"), 1);
    }

    #[test]
    fn without_variables() {
        let of = |after: &str| {
            known(
                &[&format!("{APPS}spec: {{path: apps, postBuild: {after}}}\n")],
                "/r/apps",
            )
        };
        for after in [
            "{}",
            "{substitute: {}}",
            "{substituteFrom: []}",
            "{substituteStrategy: WithVariables}",
        ] {
            assert_eq!(of(after), None, "{after}");
        }
        assert_eq!(of("{substituteStrategy: Always}"), Some(Vec::new()));
        assert_eq!(of("{substituteFrom: [{kind: Secret, name: s}]}"), Some(Vec::new()));
    }

    /// A program fills an artifact, usually with a part of the repository.
    #[test]
    fn of_a_whole_artifact() {
        let of = |path: &str, kind: &str| {
            let spec = format!(
                "spec: {{path: {path}, postBuild: {{substitute: {{A: x}}}}, sourceRef: {{kind: {kind}, name: a}}}}\n"
            );
            known(&[&format!("{APPS}{spec}")], "/r/apps").is_some()
        };
        assert!(of("./", "GitRepository") && of("apps", "OCIRepository"));
        assert!(!of("./", "OCIRepository") && !of("./", "Bucket"));
        // A patch of another Kustomization has no source.
        let patch = format!("{APPS}spec: {{postBuild: {{substitute: {{A: x}}}}}}\n");
        assert!(known(&[&patch], "/r/apps").is_none());
    }

    #[test]
    fn of_another_repository() {
        let repository = |name: &str, url: &str| {
            format!(
                "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {{name: {name}, namespace: flux-system}}\nspec: {{url: '{url}'}}\n"
            )
        };
        let own = repository("flux-system", "ssh://git@example.com/o/fleet");
        let apps = |source: &str| {
            format!(
                "{APPS}spec: {{path: apps, postBuild: {{substitute: {{A: x}}}}, sourceRef: {{kind: GitRepository, name: {source}}}}}\n"
            )
        };
        let of = |others: &[(&str, &str)], source: &str| {
            let others: String = others.iter().map(|(name, url)| repository(name, url)).collect();
            known(&[&apps(source), &format!("{own}{others}")], "/r/apps").is_some()
        };
        assert!(of(&[], "flux-system") && of(&[], "unknown"));
        assert!(!of(&[("app", "https://example.com/o/app")], "app"));
        assert!(of(&[("app", "https://example.com/o/fleet.git")], "app"));
        // Each of the two clusters has its own GitRepository.
        assert!(of(
            &[
                ("app", "https://example.com/o/app"),
                ("flux-system", "https://example.com/o/other")
            ],
            "app"
        ));
    }

    #[test]
    fn of_config_maps() {
        let from = |names: &str| {
            format!("{APPS}spec: {{path: apps, postBuild: {{substitute: {{A: x}}, substituteFrom: [{names}]}}}}\n")
        };
        let map = |data: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m}}\ndata: {data}\n");
        let m = "{kind: ConfigMap, name: m}";
        check(&[&from(m), &map("{A: z, B: b}")], "/r/apps", &["A=x", "B=b"]);
        check(
            &[&from(m), &map("{B: '${C}', D: d}")],
            "/r/apps",
            &["A=x", "B=?", "D=d"],
        );
        // Another file has a ConfigMap with the same name. It may be a patch, or belong to another cluster.
        check(
            &[&from(m), &map("{B: b, C: c}"), &map("{B: other}")],
            "/r/apps",
            &["A=x", "B=?", "C=c"],
        );
        check(&[&from(m)], "/r/apps", &["A=x"]);
        // The last source takes precedence.
        let secret = "{kind: Secret, name: s}";
        check(
            &[&from(&format!("{secret}, {m}")), &map("{B: b}")],
            "/r/apps",
            &["A=x", "B=b"],
        );
        check(
            &[&from(&format!("{m}, {secret}")), &map("{B: b}")],
            "/r/apps",
            &["A=x", "B=?"],
        );
        let elsewhere = map("{B: b}").replace("name: m", "name: m, namespace: other");
        check(&[&from(m), &elsewhere], "/r/apps", &["A=x"]);
    }
}
