//! What Flux substitutes for variables after it has built a folder: `spec.postBuild` of its Kustomizations
//! (`SubstituteVariables` of github.com/fluxcd/pkg/kustomize).

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_kustomize::joined;
use crd_analyzer_syntax::{
    json::Json,
    read_json,
    split::{read_document, split},
};
use serde_json::Value;

use crate::variables::Variables;

/// The group of Flux's Kustomizations.
const GROUP: &str = "kustomize.toolkit.fluxcd.io";

/// The label or annotation that keeps Flux from substituting something in an object, if it is `disabled`.
pub(crate) const SWITCH: &str = "kustomize.toolkit.fluxcd.io/substitute";

/// The Kustomizations of Flux in some files, and the ConfigMaps beside them.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Flux {
    kustomizations: Vec<Kustomization>,
    config_maps: Vec<ConfigMap>,
}

/// One Kustomization that substitutes variables or patches objects.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Kustomization {
    /// What it builds, an absolute path.
    folder: PathBuf,
    name: String,
    namespace: String,
    /// Where it is written.
    file: PathBuf,
    /// The position of its document in the file, if it patches objects.
    patching: Option<u32>,
    is_substituting: bool,
    inline: BTreeMap<String, String>,
    /// The kind and the name of what more variables are in, the last first to count.
    from: Vec<(String, String)>,
}

/// A Kustomization that patches what it builds.
#[derive(Clone, Copy, Debug)]
pub struct Patching<'f> {
    /// Where it is written, an absolute path.
    pub file: &'f Path,
    /// The position of its document in the file.
    pub document: u32,
    /// What it builds, an absolute path.
    pub folder: &'f Path,
    pub(crate) name: &'f str,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct ConfigMap {
    name: String,
    namespace: String,
    data: BTreeMap<String, String>,
}

impl Flux {
    /// Whether a text may hold a Kustomization of Flux that substitutes variables or patches objects.
    pub fn is_in(text: &str) -> bool {
        text.contains(GROUP)
            && ["postBuild", "patches", "components"]
                .iter()
                .any(|it| text.contains(it))
    }

    /// Whether a text may hold a ConfigMap. Descriptions name them, too: it is of interest only where a Kustomization was found.
    pub fn may_be_config_map(text: &str) -> bool {
        text.contains("ConfigMap")
    }

    /// Takes what is known of other files.
    pub fn join(&mut self, other: &Self) {
        self.kustomizations.extend_from_slice(&other.kustomizations);
        self.config_maps.extend_from_slice(&other.config_maps);
    }

    /// Takes what a file holds. `root`: the folder that `spec.path` begins at.
    pub fn add(&mut self, file: &Path, root: &Path, text: &Arc<str>) {
        for document in split(text).documents {
            let Ok(tree) = read_document(text, document, &[]) else {
                continue;
            };
            let Ok(json) = read_json(&tree) else { continue };
            let Some(object) = json.root().map(Json::to_value) else {
                continue;
            };
            let items = object["items"].as_array().filter(|_| object["kind"] == "List");
            match items {
                Some(items) => items.iter().for_each(|it| self.add_object((file, None), root, it)),
                None => self.add_object((file, Some(document.index)), root, &object),
            }
        }
    }

    /// `document`: the position of the object in the file, if it is a document of its own.
    fn add_object(&mut self, (file, document): (&Path, Option<u32>), root: &Path, object: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let name = text(&object["metadata"]["name"]);
        let namespace = text(&object["metadata"]["namespace"]);
        let version = object["apiVersion"].as_str().unwrap_or_default();
        match object["kind"].as_str() {
            Some("ConfigMap") if version == "v1" => self.config_maps.push(ConfigMap {
                name,
                namespace,
                data: texts(&object["data"]),
            }),
            Some("Kustomization") if version.split_once('/').is_some_and(|it| it.0 == GROUP) => {
                let spec = &object["spec"];
                let after = &spec["postBuild"];
                let is_patching = ["patches", "components"]
                    .iter()
                    .any(|it| spec[*it].as_array().is_some_and(|it| !it.is_empty()));
                let patching = document.filter(|_| is_patching);
                if !after.is_object() && patching.is_none() {
                    return;
                }
                let from = after["substituteFrom"].as_array().into_iter().flatten();
                let path = spec["path"].as_str().unwrap_or_default();
                self.kustomizations.push(Kustomization {
                    folder: joined(root, path.trim_start_matches('/')),
                    name,
                    namespace,
                    file: file.to_owned(),
                    patching,
                    is_substituting: after.is_object(),
                    inline: texts(&after["substitute"]),
                    from: from.map(|it| (text(&it["kind"]), text(&it["name"]))).collect(),
                });
            }
            _ => {}
        }
    }

    /// Whether no Kustomization substitutes something.
    pub fn is_empty(&self) -> bool {
        !self.kustomizations.iter().any(|it| it.is_substituting)
    }

    /// The Kustomizations that patch what they build.
    pub fn patching(&self) -> impl Iterator<Item = Patching<'_>> {
        self.kustomizations.iter().filter_map(|it| {
            Some(Patching {
                file: &it.file,
                document: it.patching?,
                folder: &it.folder,
                name: &it.name,
            })
        })
    }

    /// Whether a Kustomization counts for what lies at a path.
    pub fn is_of(&self, path: &Path) -> bool {
        self.kustomizations.iter().any(|it| path.starts_with(&it.folder))
    }

    /// The variables that are known in what the Kustomizations of some folders build: those on which all of them agree.
    pub(crate) fn variables(&self, is_of: impl Fn(&Path) -> bool) -> Option<Variables> {
        let mut of_all: Option<Variables> = None;
        for kustomization in self
            .kustomizations
            .iter()
            .filter(|it| it.is_substituting && is_of(&it.folder))
        {
            let values = self.values(kustomization);
            let by = format!("`{}` ({})", kustomization.name, file_name(&kustomization.file));
            match &mut of_all {
                None => {
                    of_all = Some(Variables {
                        values,
                        by: BTreeSet::from([by]),
                    });
                }
                Some(known) => {
                    known.values.retain(|name, value| values.get(name) == Some(value));
                    known.by.insert(by);
                }
            }
        }
        of_all
    }

    /// The same in what one Kustomization builds, which is named by its file and its name; else in what those of some folders build.
    pub(crate) fn variables_of(
        &self,
        one: Option<&(PathBuf, String)>,
        is_of: impl Fn(&Path) -> bool,
    ) -> Option<Variables> {
        let Some((file, name)) = one else {
            return self.variables(is_of);
        };
        let of_one = self
            .kustomizations
            .iter()
            .find(|it| it.file == *file && it.name == *name);
        let of_one = of_one.filter(|it| it.is_substituting)?;
        Some(Variables {
            values: self.values(of_one),
            by: BTreeSet::from([format!("`{name}` ({})", file_name(file))]),
        })
    }

    fn values(&self, of: &Kustomization) -> BTreeMap<String, String> {
        let mut values = BTreeMap::new();
        for (kind, name) in &of.from {
            let is_it = |it: &&ConfigMap| {
                it.name == *name && (it.namespace == of.namespace || it.namespace.is_empty() || of.namespace.is_empty())
            };
            let found: Vec<&ConfigMap> = self
                .config_maps
                .iter()
                .filter(|_| kind == "ConfigMap")
                .filter(is_it)
                .collect();
            if found.is_empty() {
                // What it has may be the same variables.
                values.clear();
            }
            for (name, value) in found.iter().flat_map(|it| &it.data) {
                // A patch of a ConfigMap is written like one.
                let is_sure = found.iter().all(|it| it.data.get(name).is_none_or(|it| it == value));
                if is_sure && !value.contains("${") {
                    values.insert(name.clone(), value.clone());
                } else {
                    values.remove(name);
                }
            }
        }
        values.extend(of.inline.clone());
        // What a Kustomization gets from another one is not known here.
        values.retain(|_, value| !value.contains("${"));
        values
    }
}

/// The texts of an object, on one line each, as Flux takes them.
fn texts(object: &Value) -> BTreeMap<String, String> {
    let entries = object.as_object().into_iter().flatten();
    let texts = entries.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.replace('\n', ""))));
    texts.collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
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
        let found = flux.variables(|it| Path::new(folder).starts_with(it))?;
        Some(
            found
                .values
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
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
        let without = apps.replace("postBuild", "postbuild");
        assert!(!Flux::is_in(&without));
        let other = apps.replace("x,", "y,");
        check(&[&apps, &other], "/r/apps/prod", &["B=12"]);
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
        let patching = flux("patches: [{patch: x}]");
        assert!(patching.is_empty() && patching.variables(|_| true).is_none());
        let found: Vec<_> = patching
            .patching()
            .map(|it| (it.folder.to_owned(), it.document))
            .collect();
        assert_eq!(found, [(PathBuf::from("/r/apps"), 1)]);
        assert_eq!(flux("patches: [], postBuild: {}").patching().count(), 0);
        assert_eq!(flux("components: [../c], postBuild: {}").patching().count(), 1);
    }

    #[test]
    fn of_config_maps() {
        let from = |names: &str| {
            format!("{APPS}spec: {{path: apps, postBuild: {{substitute: {{A: x}}, substituteFrom: [{names}]}}}}\n")
        };
        let map = |data: &str| format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m}}\ndata: {data}\n");
        let m = "{kind: ConfigMap, name: m}";
        check(&[&from(m), &map("{A: z, B: b}")], "/r/apps", &["A=x", "B=b"]);
        check(&[&from(m), &map("{B: '${C}', D: d}")], "/r/apps", &["A=x", "D=d"]);
        // Another file with the name may be a patch of it, or the one of another cluster.
        check(
            &[&from(m), &map("{B: b, C: c}"), &map("{B: other}")],
            "/r/apps",
            &["A=x", "C=c"],
        );
        check(&[&from(m)], "/r/apps", &["A=x"]);
        // What comes later counts.
        let secret = "{kind: Secret, name: s}";
        check(
            &[&from(&format!("{secret}, {m}")), &map("{B: b}")],
            "/r/apps",
            &["A=x", "B=b"],
        );
        check(&[&from(&format!("{m}, {secret}")), &map("{B: b}")], "/r/apps", &["A=x"]);
        let elsewhere = map("{B: b}").replace("name: m", "name: m, namespace: other");
        check(&[&from(m), &elsewhere], "/r/apps", &["A=x"]);
    }
}
