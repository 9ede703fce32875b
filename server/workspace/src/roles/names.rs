//! Conventions for file names.

use std::path::Path;

/// Whether a file states what kuttl or chainsaw expects of objects, judging by its name (`00-assert.yaml`, `errors.yaml`).
pub(crate) fn is_assertion(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    name.split(['-', '_', '.'])
        .any(|it| matches!(it, "assert" | "asserts" | "errors"))
}

/// Whether a file is a template of a Helm chart.
pub fn is_template(path: &Path) -> bool {
    let folders = path.parent().into_iter().flat_map(Path::components);
    folders.into_iter().any(|it| it.as_os_str() == "templates")
}

/// Whether a file of a Helm chart only defines templates that others include.
pub fn is_helpers(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "tpl") && is_template(path)
}

/// Whether a file is written in Markdown.
pub fn is_markdown(path: &Path) -> bool {
    let ending = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
    ["md", "markdown", "mdx"]
        .iter()
        .any(|it| ending.eq_ignore_ascii_case(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_test_tools() {
        for name in [
            "00-assert.yaml",
            "01-errors.yaml",
            "assert.yaml",
            "chainsaw-step-00-assert-1.yaml",
        ] {
            assert!(is_assertion(Path::new(name)), "{name}");
        }
        for name in ["assertion.yaml", "00-install.yaml"] {
            assert!(!is_assertion(Path::new(name)), "{name}");
        }
    }
}
