//! Steps of a kuttl test: the files of a folder by their numbers. kuttl merges an object of a later step into the one that an earlier step made.

use std::path::Path;

use crate::{index::Object, unknown};

/// The number of the step that a file belongs to: `01-update.yaml` is of step 1.
pub fn number(file: &Path) -> Option<u64> {
    let name = file.file_name()?.to_str()?;
    let (number, _) = name.split_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
    is_number.then(|| number.parse().ok()).flatten()
}

/// Whether a file of a step says what kuttl expects, and not what it applies.
pub fn is_assertion(file: &Path) -> bool {
    unknown::is_assertion(file)
}

/// Whether all objects of a step are updates of objects of earlier steps.
pub fn are_updates(step: &[Object], earlier: &[Object]) -> bool {
    let applied = |it: &&Object| !it.written.api_version.starts_with("kuttl.dev/");
    let is_update = |it: &Object| {
        let kind = it.group_kind();
        let is_same = |old: &Object| old.group_kind() == kind && old.written.name == it.written.name;
        kind.is_some() && !it.written.name.is_empty() && earlier.iter().any(is_same)
    };
    step.iter().any(|it| applied(&it)) && step.iter().filter(applied).all(is_update)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::objects;

    #[test]
    fn numbers_of_steps() {
        for (name, expected) in [
            ("tests/00-install.yaml", Some(0)),
            ("10-assert.yaml", Some(10)),
            ("crd.yaml", None),
            ("-x.yaml", None),
            ("99999999999999999999-x.yaml", None),
        ] {
            assert_eq!(number(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn what_later_steps_update() {
        let of = |text: &str| objects(text.as_bytes().to_vec()).1;
        let a = "apiVersion: example.com/v1\nkind: A\nmetadata: {name: a}\n";
        let b = "apiVersion: example.com/v1\nkind: A\nmetadata: {name: b}\n";
        let step = "apiVersion: kuttl.dev/v1beta1\nkind: TestStep\n";
        assert!(are_updates(&of(a), &of(a)));
        assert!(are_updates(&of(&format!("{step}---\n{a}")), &of(a)));
        assert!(!are_updates(&of(&format!("{a}---\n{b}")), &of(a)));
        assert!(!are_updates(&of(step), &of(a)));
        assert!(!are_updates(&of(""), &of(a)));
    }
}
