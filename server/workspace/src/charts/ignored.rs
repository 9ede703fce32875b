//! The files that `.helmignore` names (`helm.sh/helm/v3/pkg/ignore`).

/// The maximum size of a `.helmignore`, in bytes. All rules are tried on each path, and real files have less than a tenth of it.
const MOST_BYTES: usize = 8 << 10;

/// The rules of a `.helmignore`, in their order.
#[derive(Debug)]
pub(super) struct Ignored(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    /// Matches the whole path, or only the name if the rule has no `/`.
    pattern: Vec<char>,
    is_of_path: bool,
    is_negated: bool,
    /// Whether only folders match.
    is_of_folders: bool,
}

impl Default for Ignored {
    fn default() -> Self {
        Self::of_lines("")
    }
}

impl Ignored {
    /// The rules in a text. `None` if it is too long.
    pub(super) fn new(text: &str) -> Option<Self> {
        (text.len() <= MOST_BYTES).then(|| Self::of_lines(text))
    }

    fn of_lines(text: &str) -> Self {
        let written = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        let written = written.filter(|it| !it.is_empty() && !it.starts_with('#'));
        // Helm itself adds the last one.
        Self(written.chain(["templates/.?*"]).map(Rule::new).collect())
    }

    /// Whether Helm does not read a file. Its path is relative to the chart.
    pub(super) fn has(&self, path: &str) -> bool {
        let folders = path.match_indices('/').map(|it| (&path[..it.0], true));
        folders.chain([(path, false)]).any(|it| self.has_entry(it))
    }

    fn has_entry(&self, (path, is_folder): (&str, bool)) -> bool {
        let path: Vec<char> = path.chars().collect();
        for rule in &self.0 {
            let matches = (is_folder || !rule.is_of_folders) && rule.matches(&path);
            // A negated rule leaves out all that it does not match.
            if matches != rule.is_negated {
                return true;
            }
        }
        false
    }
}

impl Rule {
    fn new(written: &str) -> Self {
        let pattern = written.strip_prefix('!').unwrap_or(written);
        let is_negated = pattern.len() < written.len();
        let folder = pattern.strip_suffix('/');
        let pattern = folder.unwrap_or(pattern);
        Self {
            pattern: pattern.strip_prefix('/').unwrap_or(pattern).chars().collect(),
            is_of_path: pattern.contains('/'),
            is_negated,
            is_of_folders: folder.is_some(),
        }
    }

    fn matches(&self, path: &[char]) -> bool {
        let name = path.rsplit(|it| *it == '/').next().unwrap_or_default();
        matches(&self.pattern, if self.is_of_path { path } else { name })
    }
}

/// Whether a text matches a pattern with `*`, `?`, `[a-z]` and `\` (`path/filepath.Match`). Stars do not match `/`.
fn matches(pattern: &[char], text: &[char]) -> bool {
    let (mut p, mut t) = (0, 0);
    // The last star, and the first character after what it matches so far.
    let mut star: Option<(usize, usize)> = None;
    loop {
        if pattern.get(p) == Some(&'*') {
            star = Some((p + 1, t));
            p += 1;
            continue;
        }
        if t == text.len() && p == pattern.len() {
            return true;
        }
        let length = text.get(t).and_then(|it| one(&pattern[p..], *it));
        if let Some(length) = length {
            p += length;
            t += 1;
            continue;
        }
        // The last star matches one character more.
        match star {
            Some((after, end)) if text.get(end).is_some_and(|it| *it != '/') => {
                star = Some((after, end + 1));
                (p, t) = (after, end + 1);
            }
            _ => return false,
        }
    }
}

/// The length of the part of a pattern that matches one character. `None` if it matches another one.
fn one(pattern: &[char], c: char) -> Option<usize> {
    match pattern.first()? {
        '?' => (c != '/').then_some(1),
        '\\' => (pattern.get(1) == Some(&c)).then_some(2),
        '[' => {
            let is_negated = pattern.get(1) == Some(&'^');
            let first = 1 + usize::from(is_negated);
            let (mut at, mut is_in) = (first, false);
            while at == first || *pattern.get(at)? != ']' {
                let low = *pattern.get(at)?;
                let high = if pattern.get(at + 1) == Some(&'-') {
                    at += 2;
                    *pattern.get(at)?
                } else {
                    low
                };
                is_in |= (low..=high).contains(&c);
                at += 1;
            }
            (is_in != is_negated).then_some(at + 1)
        }
        other => (*other == c).then_some(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rules: &str, path: &str, expected: bool) {
        let ignored = Ignored::new(rules).expect("a short text");
        assert_eq!(ignored.has(path), expected, "{rules:?} of {path}");
    }

    #[test]
    fn long_texts_are_left_out() {
        assert!(Ignored::new(&"*.bak\n".repeat(MOST_BYTES)).is_none());
    }

    #[test]
    fn rules() {
        for (rules, path, expected) in [
            ("", "templates/a.yaml", false),
            ("", "templates/.a.yaml", true),
            ("# templates\n*.bak\n", "templates/a.bak", true),
            ("*.bak\n", "templates/a.yaml", false),
            ("templates/*.bak", "templates/b/a.bak", false),
            ("templates/b/", "templates/b/a.yaml", true),
            ("b/", "templates/b/a.yaml", true),
            ("b/", "templates/b", false),
            ("/b", "templates/b", false),
            ("/templates/[a-c]?.yaml", "templates/bx.yaml", true),
            ("/templates/[^a-c]?.yaml", "templates/bx.yaml", false),
            ("t*s/a*a*a.yaml", "templates/abaca.yaml", true),
            ("t*s/a*a*b.yaml", "templates/abaca.yaml", false),
            ("!templates/a.yaml", "templates/b.yaml", true),
            ("\\*.yaml", "*.yaml", true),
            ("[a", "a", false),
        ] {
            check(rules, path, expected);
        }
    }
}
