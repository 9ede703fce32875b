//! Ignore rules (`.gitignore` and similar files), with limits, because they come from an untrusted repository.
//!
//! A rule with wildcards becomes a regular expression. Compiling it takes time, keeping it takes memory, and a path may have to be matched against
//! all of them. Rules without wildcards, and those for a suffix such as `*.yaml`, are looked up in tables and cost almost nothing.

use std::path::Path;

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

/// The limits on ignore rules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The maximum number of lines in a file.
    pub(crate) lines: usize,
    /// The maximum number of rules with wildcards that apply in a folder. They come from its own files and from the folders above it.
    pub(crate) in_a_folder: usize,
    /// The maximum number of compiled rules with wildcards, in all folders together.
    pub(crate) compiled: usize,
    /// The maximum number of matches of a path against a rule with wildcards. For each path, the first [`FREE`] matches are not counted.
    pub(crate) tried: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            lines: 5_000,
            in_a_folder: 5_000,
            compiled: 50_000,
            tried: 10_000_000,
        }
    }
}

/// The number of rules with wildcards that can be matched in about the time of a table lookup.
const FREE: usize = 200;

/// The part of the limits that is already used.
#[derive(Default, Debug)]
pub(crate) struct Spent {
    bounds: Bounds,
    compiled: usize,
    tried: usize,
}

/// The rules of a file.
#[derive(Debug)]
pub(crate) struct Rules {
    compiled: Gitignore,
    /// The number of rules with wildcards.
    pub(crate) wild: usize,
}

impl Spent {
    /// Creates the state for a walk that keeps the rules of all folders until it ends.
    pub(crate) fn keeping_all() -> Self {
        let mut spent = Self::default();
        spent.bounds.compiled = spent.bounds.in_a_folder;
        spent
    }

    #[cfg(test)]
    pub(crate) fn within(bounds: Bounds) -> Self {
        Self {
            bounds,
            ..Self::default()
        }
    }

    /// Parses the rules in a file of a folder. `above` is the number of rules with wildcards that already apply in the folder.
    pub(crate) fn rules(&mut self, folder: &Path, text: &str, above: usize) -> Result<Rules, String> {
        let Bounds {
            lines,
            in_a_folder,
            compiled,
            ..
        } = self.bounds;
        if text.lines().count() > lines {
            return Err(format!("there are more than {lines}"));
        }
        let wild = text.lines().filter(|it| is_wild(it)).count();
        if above + wild > in_a_folder {
            return Err(format!(
                "with those above, there are more than {in_a_folder} with wildcards"
            ));
        }
        if self.compiled + wild > compiled {
            return Err(format!(
                "with those of other folders, there are more than {compiled} with wildcards"
            ));
        }
        self.compiled += wild;
        let mut builder = GitignoreBuilder::new(folder);
        for line in text.lines() {
            // As in git, an invalid rule has no effect.
            let _ = builder.add_line(None, line);
        }
        let compiled = builder.build().map_err(|why| why.to_string())?;
        Ok(Rules { compiled, wild })
    }

    /// Records that a path is matched against a number of rules with wildcards.
    pub(crate) fn try_all(&mut self, wild: usize) {
        self.tried = self.tried.saturating_add(wild.saturating_sub(FREE));
    }

    /// Whether the limit is exceeded. If so, no more paths are matched.
    pub(crate) fn is_too_much(&self) -> bool {
        self.tried > self.bounds.tried
    }
}

impl Rules {
    /// Whether the list of rules is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.compiled.is_empty()
    }

    /// Whether the rules ignore a path in their folder. `None` if no rule matches.
    pub(crate) fn matched(&self, path: &Path, is_folder: bool) -> Option<bool> {
        decided(&self.compiled.matched(path, is_folder))
    }

    /// Whether the rules ignore a file or one of the folders that contain it. `None` if no rule matches.
    pub(crate) fn matched_or_folders(&self, file: &Path) -> Option<bool> {
        decided(&self.compiled.matched_path_or_any_parents(file, false))
    }
}

/// Whether a path is ignored, according to a match. `None` if no rule matched.
fn decided<T>(found: &Match<T>) -> Option<bool> {
    match found {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

/// Whether a rule becomes a regular expression.
fn is_wild(line: &str) -> bool {
    if line.starts_with('#') {
        return false;
    }
    let rule = line.trim_end().trim_start_matches('!').trim_start_matches('/');
    let rule = rule.strip_prefix("**/").unwrap_or(rule);
    let rule = match rule.strip_prefix('*') {
        Some(ending) if ending.starts_with('.') => ending,
        _ => rule,
    };
    let rule = rule.trim_end_matches('/');
    let rule = rule.strip_suffix("/**").unwrap_or(rule);
    rule.contains(['*', '?', '[', '{', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_a_table_holds_are_free() {
        for rule in [
            "", "# *", "a", "!/a/b/", "*.yaml", "**/a.b", "/**/*.c", "a/**", "a/b/**/",
        ] {
            assert!(!is_wild(rule), "{rule}");
        }
        for rule in [
            "a*",
            "*a*",
            "*.py[cod]",
            "a?",
            "\\!a",
            "a/**/b",
            "{a,b}",
            "*.*",
            "*",
            "a/*",
        ] {
            assert!(is_wild(rule), "{rule}");
        }
    }

    #[test]
    fn each_bound_ends_it() {
        let mut spent = Spent::within(Bounds {
            lines: 9,
            in_a_folder: 4,
            compiled: 6,
            tried: 1_000,
        });
        let folder = Path::new("/a");
        let mut rules = |text: &str, above| spent.rules(folder, text, above).map(|it| it.wild);
        assert_eq!(rules("a*b\n*.c\n", 2), Ok(1));
        assert_eq!(
            rules("a*b\nb*c\n", 3),
            Err("with those above, there are more than 4 with wildcards".to_owned())
        );
        assert_eq!(rules(&"a*b\n".repeat(4), 0), Ok(4));
        assert_eq!(
            rules("a*b\nb*c\n", 0),
            Err("with those of other folders, there are more than 6 with wildcards".to_owned())
        );
        assert_eq!(rules(&"#\n".repeat(10), 0), Err("there are more than 9".to_owned()));
        for _ in 0..10 {
            spent.try_all(FREE + 100);
            spent.try_all(FREE);
            assert!(!spent.is_too_much());
        }
        spent.try_all(FREE + 1);
        assert!(spent.is_too_much());
    }
}
