//! The licences of the libraries in the binary. They have to be distributed with the binary.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use anyhow::Context as _;

use super::metadata::{Library, libraries};

/// The text of the licences. Each licence is listed once, after the libraries that use it.
pub(super) fn of_libraries(root: &Path) -> anyhow::Result<String> {
    let others: Vec<Library> = libraries(root, None)?.into_iter().filter(|it| !it.is_ours).collect();
    let mut with_texts = Vec::new();
    for library in &others {
        with_texts.push((
            library,
            texts(&library.folder).with_context(|| library.folder.display().to_string())?,
        ));
    }
    Ok(joined(&with_texts))
}

/// The texts of the licence files in a folder.
fn texts(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        let is_license = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT", "UNLICENSE"];
        if path.is_file() && is_license.iter().any(|it| name.starts_with(it)) {
            let text = String::from_utf8_lossy(&std::fs::read(&path)?).replace('\r', "");
            found.push(text.trim().to_owned());
        }
    }
    found.sort();
    Ok(found)
}

fn joined(libraries: &[(&Library, Vec<String>)]) -> String {
    let mut all = String::from("The program contains these libraries.\n");
    let mut by_text: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (library, texts) in libraries {
        let title = format!("{} {}", library.name, library.version);
        let _ = writeln!(all, "- {title}: {}", library.license.as_deref().unwrap_or("see below"));
        for text in texts {
            by_text.entry(text).or_default().push(title.clone());
        }
    }
    for (text, of) in by_text {
        let _ = write!(all, "\n{}\n{}:\n\n{text}\n", "-".repeat(80), of.join(", "));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::metadata;

    #[test]
    fn each_licence_is_there_once() {
        let libraries = metadata::tests::libraries();
        let of = |n: usize, text: &str| (&libraries[n], vec![text.to_owned()]);
        let text = joined(&[of(1, "Permission"), of(2, "Permission")]);
        assert!(text.contains("- inner 2.0.0: ISC\n- used 1.0.0: MIT\n"), "{text}");
        assert!(text.ends_with("-\ninner 2.0.0, used 1.0.0:\n\nPermission\n"), "{text}");
    }
}
