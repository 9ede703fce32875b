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
        let is_file = [".yaml", ".yml", ".json"].iter().any(|it| path.ends_with(it));
        (is_of_patches && is_file && !path.contains([' ', ':'])).then_some(path)
    })
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
