//! Files that options on the command line exclude from a run.

use std::path::{Path, PathBuf};

use crate::{
    config::covering::Covering,
    config::{ConfigError, globs},
};

/// Globs of files and folders.
#[derive(Clone, Debug, Default)]
pub struct Excluded {
    globs: Covering,
    /// The folder to which the globs are relative.
    folder: PathBuf,
}

impl Excluded {
    /// Parses the globs of an option, relative to an absolute folder.
    ///
    /// # Errors
    /// If one of them is not a glob.
    pub fn new(option: &'static str, written: &[String], folder: PathBuf) -> Result<Self, ConfigError> {
        let written: Vec<String> = written
            .iter()
            .map(|it| it.trim_start_matches("./").trim_end_matches('/').to_owned())
            .collect();
        Ok(Self {
            globs: Covering::new(globs(option, &written)?),
            folder,
        })
    }

    /// Whether a glob matches the file with this absolute path or one of its parent folders.
    pub fn covers(&self, path: &Path) -> bool {
        let relative = path.strip_prefix(&self.folder).unwrap_or(path);
        self.globs.covers(relative) || path != relative && self.globs.is_match(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_covers_what_is_in_it() {
        let globs = ["vendor", "./charts/*/crds/", "*.gen.yaml", "/other/**"].map(str::to_owned);
        let excluded = Excluded::new("--exclude", &globs, "/repo".into()).expect("globs");
        for (path, expect) in [
            ("/repo/vendor/a/b.yaml", true),
            ("/repo/vendors/b.yaml", false),
            ("/repo/charts/a/crds/b.yaml", true),
            ("/repo/charts/a/b.yaml", false),
            ("/repo/config/a.gen.yaml", true),
            ("/other/a.yaml", true),
            ("/repo/a.yaml", false),
        ] {
            assert_eq!(excluded.covers(Path::new(path)), expect, "{path}");
        }
        assert!(Excluded::new("--exclude", &["[".to_owned()], PathBuf::new()).is_err());
    }
}
