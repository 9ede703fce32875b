//! The files that a `kustomization.yaml` names.

pub use crd_analyzer_kustomize::FILE_NAMES;

/// The fields of a kustomization that name patches.
const OF_PATCHES: [&str; 3] = ["patches", "patchesStrategicMerge", "patchesJson6902"];

/// The files that a kustomization names as patches, relative to its folder. Names in comments are included, because kubebuilder writes patch files
/// and comments out their names until the author needs them.
pub fn patches(text: &str) -> impl Iterator<Item = &str> {
    let mut is_of_patches = false;
    text.lines().filter_map(move |line| {
        let is_comment = line.starts_with('#');
        let line = line.strip_prefix('#').unwrap_or(line).trim_end();
        let entry = line.trim_start();
        let key = line.split_once(':').map(|it| it.0).filter(|it| is_name(it));
        if let Some(key) = key.filter(|_| line == entry) {
            is_of_patches = OF_PATCHES.contains(&key) || is_comment && is_of_patches && key == "path";
            return None;
        }
        let entry = entry.strip_prefix("- ").map_or(entry, str::trim_start);
        let path = entry.strip_prefix("path:").unwrap_or(entry).trim();
        let path = path.trim_matches(['"', '\'']);
        (is_of_patches && is_manifest(path) && !path.contains([' ', ':'])).then_some(path)
    })
}

/// The fields of a kustomization that put files into ConfigMaps and Secrets.
const OF_DATA: [&str; 2] = ["configMapGenerator", "secretGenerator"];

/// The manifests that a kustomization puts into ConfigMaps and Secrets, relative to its folder. Programs read them from there as files.
pub fn data(text: &str) -> impl Iterator<Item = &str> {
    let mut is_of_data = false;
    let entries = text.lines().filter(move |line| {
        let key = line.split_once(':').map(|it| it.0).filter(|it| is_name(it));
        is_of_data = key.map_or(is_of_data, |it| OF_DATA.contains(&it));
        is_of_data && !line.trim_start().starts_with('#')
    });
    let values = entries.flat_map(|it| it.split([' ', ',', '[', ']', '"', '\'']));
    let files = values.map(|it| it.rsplit_once('=').map_or(it, |it| it.1));
    files.filter(|it| is_manifest(it))
}

/// Whether a path in a kustomization is that of a manifest.
fn is_manifest(path: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|it| path.ends_with(it))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.bytes().all(|it| it.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(super::patches(text).collect::<Vec<_>>(), expected, "of {text:?}");
    }

    #[test]
    fn names_of_patches() {
        check(
            "resources:\n- a.yaml\npatchesStrategicMerge:\n- p/b.yaml\n- ./c.yml\n",
            &["p/b.yaml", "./c.yml"],
        );
        check(
            "patches:\n  - path: 'a.yaml'\n    target: {kind: X}\n  - target: {}\n    path: \"b.yaml\"\nconfigurations:\n- k.yaml\n",
            &["a.yaml", "b.yaml"],
        );
        check("patches:\n- patch: |-\n    - op: add\n      path: /spec/x\n", &[]);
        check("resources:\n- a.yaml\n- b.yaml\n", &[]);
    }

    #[test]
    fn names_of_data() {
        let text = "resources:\n- a.yaml\nconfigMapGenerator:\n- name: x\n  files:\n  - b.yaml\n  - c=d/e.yaml\n  # - f.yaml\n- files: ['g.json', h=i.yml, k.txt]\n  name: y\npatches:\n- path: p.yaml\n";
        let found: Vec<&str> = super::data(text).collect();
        assert_eq!(found, ["b.yaml", "d/e.yaml", "g.json", "i.yml"]);
    }

    #[test]
    fn what_kubebuilder_comments_out() {
        check(
            "patches:\n# [WEBHOOK] To enable webhook, uncomment all the sections\n#- path: patches/webhook_in_a.yaml\n# - patches/b.yaml\n",
            &["patches/webhook_in_a.yaml", "patches/b.yaml"],
        );
        check(
            "#patchesStrategicMerge:\n#- p.yaml\n#resources:\n#- r.yaml\n",
            &["p.yaml"],
        );
    }
}
