//! The user's cache folder: what this program can make again.

use std::path::PathBuf;

/// The folder for what this program can make again, below the user's cache folder. `None` if the environment names no such folder.
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
