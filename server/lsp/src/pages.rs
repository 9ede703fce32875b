//! The pages of diagnostic codes as files, so that every editor can follow a link to them.
//!
//! A page is in the program. When a finding with its code is first shown, it is written into a folder of the user's cache, where it is the
//! page of this very version, can be read without a network, and is opened by editors that know nothing of us.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use crd_analyzer_workspace::codes;
use lsp_types::Uri;

/// The pages in one folder.
#[derive(Debug)]
pub(crate) struct Pages {
    folder: PathBuf,
    /// Where the pages are that were written or found; `None` for those that could not be.
    links: Mutex<HashMap<String, Option<Uri>>>,
}

impl Pages {
    /// Pages below a cache folder.
    pub(crate) fn new(cache: &Path) -> Self {
        Self {
            folder: cache.join(env!("CARGO_PKG_VERSION")).join("codes"),
            links: Mutex::default(),
        }
    }

    /// Where the page of a code is, after it was seen to be there.
    pub(crate) fn link(&self, code: &str) -> Option<Uri> {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(link) = links.get(code) {
            return link.clone();
        }
        let link = codes::find(code).and_then(|found| match self.write(found.name, found.page) {
            Ok(path) => Uri::from_file_path(path),
            Err(error) => {
                tracing::warn!(
                    "the page of {code} cannot be written to {}: {error}",
                    self.folder.display()
                );
                None
            }
        });
        links.insert(code.to_owned(), link.clone());
        link
    }

    fn write(&self, name: &str, page: &str) -> io::Result<PathBuf> {
        let path = self.folder.join(format!("{name}.md"));
        if fs::read(&path).is_ok_and(|it| it == page.as_bytes()) {
            return Ok(path);
        }
        fs::create_dir_all(&self.folder)?;
        // Another server may read or write it at the same time.
        let unfinished = self.folder.join(format!("{name}.{}.tmp", std::process::id()));
        fs::write(&unfinished, page)?;
        fs::rename(&unfinished, &path)?;
        Ok(path)
    }
}

/// The folder for what this program can make again, below the user's cache folder.
pub(crate) fn cache_folder() -> Option<PathBuf> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_the_page() {
        let folder = tempfile::tempdir().unwrap();
        let pages = Pages::new(folder.path());
        let link = pages.link("unknown-type").unwrap();
        let path = link.to_file_path().unwrap().into_owned();
        let page = codes::find("unknown-type").unwrap().page;
        assert_eq!(fs::read_to_string(&path).unwrap(), page);
        assert_eq!(pages.link("no-such-code"), None);
        // An older page of the same version is replaced.
        fs::write(&path, "old").unwrap();
        let again = Pages::new(folder.path());
        assert_eq!(again.link("unknown-type"), Some(link));
        assert_eq!(fs::read_to_string(&path).unwrap(), page);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn where_nothing_can_be_written_there_is_no_link() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert_eq!(Pages::new(&file).link("unknown-type"), None);
    }
}
