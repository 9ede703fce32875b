//! Finds the release of controller-gen that a repository uses, from its Makefile or a `go.mod`.

use super::catalog::Release;

/// The Go module that contains controller-gen.
const MODULE: &str = "sigs.k8s.io/controller-tools";

/// The text that precedes the version, in Makefiles, commands or a `go.mod`.
const BEFORE: [&str; 5] = [
    "CONTROLLER_TOOLS_VERSION",
    "CONTROLLER_GEN_VERSION",
    "controller-gen@",
    "controller-tools/cmd/controller-gen ",
    "sigs.k8s.io/controller-tools ",
];

/// Whether a `go.mod` replaces controller-gen with a fork. The releases of a fork have different numbers.
fn has_fork(text: &str) -> bool {
    let name = MODULE;
    text.lines().any(|line| match line.split_once("=>") {
        Some((of, by)) => of.contains(name) && !by.trim_start().starts_with(name),
        None => false,
    })
}

/// The release that a text names, and its full version, such as `v0.21.0`.
pub(crate) fn named_in(text: &str) -> Option<(Release, String)> {
    if has_fork(text) {
        return None;
    }
    BEFORE.iter().find_map(|before| {
        let mut places = text.match_indices(before);
        places.find_map(|(at, _)| version(&text[at + before.len()..]))
    })
}

/// The version at the start of a text such as `?= v0.21.0`.
fn version(text: &str) -> Option<(Release, String)> {
    let text = text.trim_start_matches([' ', '\t', '?', ':', '=']);
    let end = text.find(|it: char| !(it.is_ascii_alphanumeric() || it == '.' || it == '-'));
    let whole = &text[..end.unwrap_or(text.len())];
    let minor: u8 = whole.strip_prefix("v0.")?.split('.').next()?.parse().ok()?;
    let release = Release(minor.clamp(Release::OLDEST.0, Release::NEWEST.0));
    Some((release, whole.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makefiles_and_modules_name_a_release() {
        for (text, expected) in [
            ("CONTROLLER_TOOLS_VERSION ?= v0.21.0\n", Some(21)),
            ("CONTROLLER_GEN_VERSION             ?= v0.20.0", Some(20)),
            ("CONTROLLER_GEN_VERSION=v0.11.1", Some(16)),
            (
                "go install sigs.k8s.io/controller-tools/cmd/controller-gen@v0.18.0",
                Some(18),
            ),
            ("require (\n\tsigs.k8s.io/controller-tools v0.17.3\n)", Some(17)),
            ("run controller-gen@latest and controller-gen@v0.19.0", Some(19)),
            ("CONTROLLER_TOOLS_VERSION ?= latest", None),
            (
                "require sigs.k8s.io/controller-tools v0.18.0\nreplace sigs.k8s.io/controller-tools => example.com/fork v0.12.1\n",
                None,
            ),
            (
                "require sigs.k8s.io/controller-tools v0.18.0\nreplace sigs.k8s.io/controller-tools => sigs.k8s.io/controller-tools v0.18.0\n",
                Some(18),
            ),
            ("", None),
        ] {
            assert_eq!(named_in(text).map(|it| it.0), expected.map(Release), "{text}");
        }
    }
}
