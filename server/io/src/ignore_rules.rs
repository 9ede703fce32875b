//! Rules that leave files out (`.gitignore` and its like), within bounds: whoever wrote a repository also wrote its rules.
//!
//! A rule with wildcards becomes a regular expression, which takes time to compile and memory to keep, and matching a path may have to try each
//! of them. Rules without wildcards, and those for an ending such as `*.yaml`, are looked up in tables: they are free.

use std::path::Path;

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};

/// What rules may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Lines of one file.
    pub(crate) lines: usize,
    /// Rules with wildcards that hold in one folder: those of its files and of the folders above.
    pub(crate) in_a_folder: usize,
    /// Rules with wildcards that are compiled, in all folders.
    pub(crate) compiled: usize,
    /// Rules with wildcards that are tried on paths, beyond [`FREE`] for each path.
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

/// So many rules with wildcards are tried together in about the time that a table takes.
const FREE: usize = 200;

/// What the rules of a walk have taken.
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
    /// Those with wildcards.
    pub(crate) wild: usize,
}

impl Spent {
    /// Where the rules of all folders are kept to the end.
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

    /// Reads the rules of a file; those of the folder it is for. `above`: how many rules with wildcards hold there without them.
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
            // A rule that is not one leaves nothing out, as in git.
            let _ = builder.add_line(None, line);
        }
        let compiled = builder.build().map_err(|why| why.to_string())?;
        Ok(Rules { compiled, wild })
    }

    /// Counts that a path is held to so many rules with wildcards.
    pub(crate) fn try_all(&mut self, wild: usize) {
        self.tried = self.tried.saturating_add(wild.saturating_sub(FREE));
    }

    /// Whether that takes too much: then nothing more is matched.
    pub(crate) fn is_too_much(&self) -> bool {
        self.tried > self.bounds.tried
    }
}

impl Rules {
    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.compiled.is_empty()
    }

    /// What they say of a path below their folder.
    pub(crate) fn matched(&self, path: &Path, is_folder: bool) -> Option<bool> {
        decided(&self.compiled.matched(path, is_folder))
    }

    /// What they say of a file, or of the folders that it is in.
    pub(crate) fn matched_or_folders(&self, file: &Path) -> Option<bool> {
        decided(&self.compiled.matched_path_or_any_parents(file, false))
    }
}

/// Whether something is left out; `None` if no rule says so.
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
