//! The pages of diagnostic codes as files, so that every editor can follow a link to them.
//!
//! The program contains the pages. When it first shows a diagnostic with some code, it writes that code's page to the user's cache folder. The page
//! therefore matches the version of the program, needs no network, and opens in every editor.

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use crd_analyzer_io::write::CacheFolder;
use crd_analyzer_workspace::codes;
use lsp_types::Uri;

/// The pages in a cache folder.
#[derive(Debug)]
pub(crate) struct Pages {
    cache: CacheFolder,
    /// The links to the pages written or found so far. `None` for pages that could not be written.
    links: Mutex<HashMap<String, Option<Uri>>>,
}

impl Pages {
    /// Creates the pages below a cache folder.
    pub(crate) fn new(cache: &Path) -> Self {
        Self {
            cache: CacheFolder::new(cache),
            links: Mutex::default(),
        }
    }

    /// The link to the page of a code. Writes the page if it does not exist.
    pub(crate) fn link(&self, code: &str) -> Option<Uri> {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(link) = links.get(code) {
            return link.clone();
        }
        let link = codes::find(code).and_then(|found| match self.write(found.name, &found.text()) {
            Ok(path) => Uri::from_file_path(path),
            Err(error) => {
                tracing::warn!(
                    "the page of {code} cannot be written to {}: {error}",
                    self.cache.path().display()
                );
                None
            }
        });
        links.insert(code.to_owned(), link.clone());
        link
    }

    fn write(&self, name: &str, page: &str) -> io::Result<PathBuf> {
        let folder = Path::new(env!("CARGO_PKG_VERSION")).join("codes");
        self.cache.keep(&folder.join(format!("{name}.md")), page.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_link_leads_to_the_page() {
        let folder = tempfile::tempdir().unwrap();
        let pages = Pages::new(folder.path());
        let link = pages.link("unknown-type").unwrap();
        let path = link.to_file_path().unwrap().into_owned();
        let page = codes::find("unknown-type").unwrap().text();
        assert_eq!(fs::read_to_string(&path).unwrap(), page);
        assert_eq!(pages.link("no-such-code"), None);
        // A changed page of the same version is replaced.
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
