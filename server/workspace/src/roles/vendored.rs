//! Files that `.gitattributes` marks with `linguist-vendored`, which GitHub uses for files from other projects.

use std::path::Path;

use crate::config::excluded::Excluded;

/// The name of the attribute.
const VENDORED: &str = "linguist-vendored";

/// The maximum number of patterns to use.
const MOST_PATTERNS: usize = 200;

/// The files of a repository that come from other projects.
#[derive(Clone, Default, Debug)]
pub struct Vendored {
    patterns: Vec<String>,
    covering: Excluded,
}

impl Vendored {
    /// Reads the text of the `.gitattributes` file in the repository at this absolute path. As in git, a line with an invalid pattern has no effect.
    pub fn of(attributes: &str, root: &Path) -> Self {
        let patterns: Vec<String> = attributes.lines().filter_map(pattern).take(MOST_PATTERNS).collect();
        let readable = |it: &String| Excluded::new(VENDORED, std::slice::from_ref(it), root.to_owned()).is_ok();
        let patterns: Vec<String> = patterns.into_iter().filter(readable).collect();
        let covering = Excluded::new(VENDORED, &patterns, root.to_owned()).unwrap_or_default();
        Self { patterns, covering }
    }

    /// Whether the file with this absolute path is vendored.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        !self.patterns.is_empty() && self.covering.covers(path)
    }
}

impl PartialEq for Vendored {
    fn eq(&self, other: &Self) -> bool {
        self.patterns == other.patterns
    }
}

impl Eq for Vendored {}

/// The pattern of a line, if the line sets the attribute.
fn pattern(line: &str) -> Option<String> {
    let mut words = line.split_ascii_whitespace();
    let pattern = words.next().filter(|it| !it.starts_with(['#', '[', '"']))?;
    let set = [VENDORED, "linguist-vendored=true"];
    let is_set = words.any(|it| set.contains(&it));
    is_set.then(|| pattern.trim_start_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_mark_files_of_others() {
        let text = "# vendor/** linguist-vendored\n/common/** linguist-vendored\n*.gen.yaml text linguist-vendored=true\n\
                    own/** -linguist-vendored\nother/** linguist-vendored=false\n[ linguist-vendored\n";
        let vendored = Vendored::of(text, Path::new("/r"));
        for (path, expected) in [
            ("/r/common/a/b.yaml", true),
            ("/r/x/a.gen.yaml", true),
            ("/r/vendor/a.yaml", false),
            ("/r/own/a.yaml", false),
            ("/r/other/a.yaml", false),
            ("/r/a.yaml", false),
        ] {
            assert_eq!(vendored.covers(Path::new(path)), expected, "{path}");
        }
    }
}
