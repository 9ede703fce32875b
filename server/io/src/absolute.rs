//! Makes paths absolute, without asking the system for the current folder each time.

use std::{
    io,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// Like [`std::path::absolute`], but reads the current folder only once, because the program never changes it.
///
/// # Errors
/// If the path is empty, or the current folder is unknown.
pub fn absolute(path: &Path) -> io::Result<PathBuf> {
    static CURRENT: OnceLock<PathBuf> = OnceLock::new();
    if path.is_absolute() || path.as_os_str().is_empty() {
        return std::path::absolute(path);
    }
    let current = if let Some(current) = CURRENT.get() {
        current
    } else {
        let current = std::env::current_dir()?;
        CURRENT.get_or_init(|| current)
    };
    std::path::absolute(current.join(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_standard_library() {
        for path in ["a", "./a/./b", "a/../b", "..", ".", "a/", "/a//b/.", "/", ""] {
            let path = Path::new(path);
            assert_eq!(
                absolute(path).ok(),
                std::path::absolute(path).ok(),
                "{}",
                path.display()
            );
        }
    }
}
