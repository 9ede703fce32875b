//! The user's cache folder, for files that this program can create again.

use std::path::PathBuf;

/// The folder for files that this program can create again, inside the user's cache folder. `None` if the environment does not define one.
pub fn folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let cache = if cfg!(windows) {
        set("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        set("HOME").map(|it| it.join("Library/Caches"))
    } else {
        set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|it| it.join(".cache")))
    };
    cache.map(|it| it.join("crd-analyzer"))
}
