//! Paths of CRDs that are used for checking resources but are not checked themselves: files, folders and globs.

use std::path::{Component, Path, PathBuf};

use globset::{Error, GlobBuilder, GlobMatcher};

/// A file, all files below a folder, or the files below a folder whose paths match a glob.
#[derive(Clone, Debug)]
pub struct CrdPath {
    /// The file or folder. It is absolute if `written` or `folder` is absolute.
    pub base: PathBuf,
    matcher: Option<GlobMatcher>,
}

impl CrdPath {
    /// Parses a path relative to `folder`.
    pub fn parse(written: &str, folder: &Path) -> Result<Self, Error> {
        let is_glob = |part: &Component<'_>| part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']);
        let written = Path::new(written);
        let fixed: PathBuf = written.components().take_while(|it| !is_glob(it)).collect();
        let base = clean(&folder.join(&fixed));
        if !written.components().any(|it| is_glob(&it)) {
            return Ok(Self { base, matcher: None });
        }
        let rest = written.components().skip(fixed.components().count());
        let rest: PathBuf = rest.collect();
        let glob = GlobBuilder::new(&rest.to_string_lossy())
            .literal_separator(true)
            .build()?;
        Ok(Self {
            base,
            matcher: Some(glob.compile_matcher()),
        })
    }

    /// Whether the path is a glob.
    pub fn is_glob(&self) -> bool {
        self.matcher.is_some()
    }

    /// Whether the path covers a file.
    pub fn holds(&self, file: &Path) -> bool {
        let Ok(below) = file.strip_prefix(&self.base) else {
            return false;
        };
        self.matcher.as_ref().is_none_or(|it| it.is_match(below))
    }
}

/// Removes `.` and `..` from a path without looking at the file system.
fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if cleaned.file_name().is_some() => {
                cleaned.pop();
            }
            other => cleaned.push(other),
        }
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(written: &str, base: &str, holds: &[&str], not: &[&str]) {
        let path = CrdPath::parse(written, Path::new("/repo/a")).expect("a path");
        assert_eq!(path.base, Path::new(base), "{written}");
        for file in holds {
            assert!(path.holds(Path::new(file)), "{written} holds {file}");
        }
        for file in not {
            assert!(!path.holds(Path::new(file)), "{written} does not hold {file}");
        }
    }

    #[test]
    fn reads_files_folders_and_globs() {
        check(
            "crds",
            "/repo/a/crds",
            &["/repo/a/crds/x/y.yaml", "/repo/a/crds"],
            &["/repo/a/crds2"],
        );
        check(
            "../b/./crd.yaml",
            "/repo/b/crd.yaml",
            &["/repo/b/crd.yaml"],
            &["/repo/b/crd.yml"],
        );
        check(
            "/crds/*/base.yaml",
            "/crds",
            &["/crds/x/base.yaml"],
            &["/crds/x/y/base.yaml", "/crds/base.yaml"],
        );
        check(
            "../**/crds/*.yaml",
            "/repo",
            &["/repo/crds/a.yaml", "/repo/x/y/crds/a.yaml"],
            &["/repo/x/a.yaml"],
        );
        assert!(CrdPath::parse("a[", Path::new("/")).is_err());
    }
}
