//! Paths as people read them.

use std::path::{Component, Path};

/// A path relative to a folder, with `/` as separator on every machine; empty if they are the same. Both paths are absolute.
pub fn relative(path: &Path, folder: &Path) -> String {
    let (path, folder) = (normal(path), normal(folder));
    let shared = path.iter().zip(&folder).take_while(|(one, other)| one == other).count();
    let up = folder[shared..].iter().map(|_| "..".to_owned());
    up.chain(path[shared..].iter().cloned()).collect::<Vec<_>>().join("/")
}

/// The components of a path, with `.` and `..` resolved.
fn normal(path: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(names.pop()),
            Component::Normal(name) => names.push(name.to_string_lossy().into_owned()),
            Component::Prefix(prefix) => names.push(prefix.as_os_str().to_string_lossy().into_owned()),
            Component::CurDir | Component::RootDir => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_from_a_folder() {
        for (path, folder, expect) in [
            ("/a/b/c.yaml", "/a", "b/c.yaml"),
            ("/a/./b/../c.yaml", "/a/b", "../c.yaml"),
            ("/x/y.yaml", "/a/b", "../../x/y.yaml"),
            ("/a/b", "/a/b/", ""),
        ] {
            assert_eq!(relative(Path::new(path), Path::new(folder)), expect);
        }
    }
}
