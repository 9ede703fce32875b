//! What shell scripts set in manifests before they send them: `sed -e "s/name:/name: $NAME/"`, `yq '.spec.image = "…"'`.

use std::{collections::BTreeSet, path::Path};

/// The sed command for replacing text, without its delimiter.
const REPLACE: char = 's';

/// Programs that assign to paths of a manifest.
const ASSIGN: [&str; 2] = ["yq", "jq"];

/// The maximum number of keys, groups and words of each kind to keep. Each text and value is searched for all of them.
const MOST: usize = 256;

/// What the scripts of a folder set in manifests.
#[derive(Default, Debug)]
pub struct SetByScripts {
    /// The API groups of objects whose versions scripts set.
    groups: BTreeSet<String>,
    /// The keys after which scripts write a value.
    keys: BTreeSet<String>,
    /// The keys that scripts add to objects: the key of the object, and the added key.
    added: BTreeSet<(String, String)>,
    /// The keys that scripts replace with other keys.
    renamed: BTreeSet<String>,
    /// The words in capitals that scripts replace.
    words: BTreeSet<String>,
    /// The names of the files in which scripts substitute variables. `*` means all files.
    substituted: BTreeSet<String>,
    /// Whether scripts substitute variables in the file.
    substitutes: bool,
}

/// The program that substitutes variables: `envsubst < deploy/widget.yaml`.
const SUBSTITUTE: &str = "envsubst";

impl SetByScripts {
    /// Reads a script and adds what it sets.
    pub fn add(&mut self, script: &str) {
        for line in script.lines().filter(|it| it.contains("sed")) {
            for (pattern, replacement) in replacements(line) {
                self.replace(pattern, replacement);
            }
        }
        if script.contains(SUBSTITUTE) {
            add_to(&mut self.substituted, files(script));
        }
        if ASSIGN.iter().any(|it| script.contains(it)) {
            script.lines().for_each(|it| self.assign(it));
        }
    }

    /// Adds what the scripts of another folder set.
    pub fn extend(&mut self, other: &Self) {
        add_to(&mut self.groups, other.groups.iter().cloned());
        add_to(&mut self.keys, other.keys.iter().cloned());
        add_to(&mut self.added, other.added.iter().cloned());
        add_to(&mut self.renamed, other.renamed.iter().cloned());
        add_to(&mut self.words, other.words.iter().cloned());
        self.extend_substituted(other);
    }

    /// Adds only the files in which the scripts of another folder substitute variables.
    pub fn extend_substituted(&mut self, other: &Self) {
        add_to(&mut self.substituted, other.substituted.iter().cloned());
    }

    /// The same for one of the files.
    #[must_use]
    pub fn in_file(self, file: &Path) -> Self {
        let name = file.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        Self {
            substitutes: [name, "*"].iter().any(|it| self.substituted.contains(*it)),
            ..self
        }
    }

    /// Whether scripts substitute variables in the file.
    pub fn substitute(&self) -> bool {
        self.substitutes
    }

    /// Whether the scripts may set something in a file with this text.
    pub fn may_change(&self, text: &str) -> bool {
        let objects = self.added.iter().map(|it| &it.0);
        let keys = self.keys.iter().chain(&self.renamed);
        let mut all = keys.chain(&self.groups).chain(&self.words).chain(objects);
        self.substitutes && text.contains('$') || all.any(|it| text.contains(it.as_str()))
    }

    /// Whether a script sets the versions of a group's objects.
    pub fn set_version_of(&self, group: &str) -> bool {
        self.groups.contains(group)
    }

    /// Whether a script writes a value after this key. In the file, the value may be empty.
    pub fn set_value_of(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// Whether a script replaces this key with another one.
    pub fn rename(&self, key: &str) -> bool {
        self.renamed.contains(key)
    }

    /// The keys that scripts add to the object at this key.
    pub fn added_to<'a>(&'a self, key: &str) -> impl Iterator<Item = &'a str> {
        let from = (key.to_owned(), String::new());
        let added = self.added.range(from..);
        let end = key.to_owned();
        added.take_while(move |it| it.0 == end).map(|it| &*it.1)
    }

    /// Whether a script replaces a word in this text.
    pub fn replace_in(&self, text: &str) -> bool {
        self.words.iter().any(|it| text.contains(it.as_str()))
    }

    /// Adds what a replacement of sed sets.
    fn replace(&mut self, pattern: &str, replacement: &str) {
        let pattern = pattern.trim_start_matches(['^', ' ']);
        if is_placeholder(pattern) {
            add_to(&mut self.words, [pattern.to_owned()]);
        }
        let Some((key, rest)) = pattern.split_once(':').filter(|it| is_key(it.0)) else {
            return;
        };
        if key == "apiVersion" {
            add_to(&mut self.groups, group(rest));
            return;
        }
        match replacement.trim_start().split_once(':') {
            Some((same, value)) if same == key && !value.is_empty() => add_to(&mut self.keys, [key.to_owned()]),
            Some((other, _)) if other != key && is_key(other) => add_to(&mut self.renamed, [key.to_owned()]),
            _ => {}
        }
    }

    /// Adds what the assignments in a line set: `.spec.image = "…"`, `.image |= …`.
    fn assign(&mut self, line: &str) {
        for (at, _) in line.match_indices('=') {
            let is_comparison = line[at + 1..].starts_with('=') || line[..at].ends_with(['=', '!', '<', '>', ':']);
            let before = line[..at].trim_end_matches('|');
            let path = before.trim_end_matches(' ');
            // In a shell, no space precedes the sign of an assignment.
            if is_comparison || path.len() == before.len() {
                continue;
            }
            let start = path
                .rfind(|it: char| !(it.is_ascii_alphanumeric() || "._-".contains(it)))
                .map_or(0, |it| it + path[it..].chars().next().map_or(1, char::len_utf8));
            let mut keys = path[start..].rsplit('.');
            let Some(key) = keys.next().filter(|it| is_key(it)) else {
                continue;
            };
            let Some(of) = keys.next() else {
                continue;
            };
            add_to(&mut self.keys, [key.to_owned()]);
            if is_key(of) {
                add_to(&mut self.added, [(of.to_owned(), key.to_owned())]);
            }
        }
    }
}

/// Adds items to a set, up to the maximum.
fn add_to<T: Ord>(set: &mut BTreeSet<T>, items: impl IntoIterator<Item = T>) {
    let room = MOST.saturating_sub(set.len());
    set.extend(items.into_iter().take(room));
}

/// The patterns and texts of the replacements in a line of sed.
fn replacements(line: &str) -> impl Iterator<Item = (&str, &str)> {
    line.match_indices(REPLACE).filter_map(|(at, _)| {
        let before = line[..at].chars().next_back();
        let mut after = line[at + 1..].chars();
        let delimiter = after.next().filter(char::is_ascii_punctuation)?;
        if before.is_some_and(|it| it.is_ascii_alphanumeric() || "-_.$/".contains(it)) || "-_.=".contains(delimiter) {
            return None;
        }
        let (pattern, rest) = after.as_str().split_once(delimiter)?;
        Some((pattern, rest.split_once(delimiter)?.0))
    })
}

/// The names of the manifests that a script names. `*` if it names all of a folder.
fn files(script: &str) -> impl Iterator<Item = String> {
    let words = script.split(|it: char| it.is_whitespace() || "\"'`;|&<>()=".contains(it));
    words.filter_map(|word| {
        let name = word.rsplit('/').next().unwrap_or_default();
        let stem = [".yaml", ".yml"].iter().find_map(|it| name.strip_suffix(it))?;
        let is_name = |it: char| it.is_ascii_alphanumeric() || "-_.".contains(it);
        match stem {
            "*" => Some("*".to_owned()),
            _ => (!stem.is_empty() && stem.chars().all(is_name)).then(|| name.to_owned()),
        }
    })
}

fn is_key(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_alphabetic())
        && text.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it))
}

/// Whether a pattern is a word in capitals.
fn is_placeholder(pattern: &str) -> bool {
    /// The least length: shorter words may occur in any text.
    const LEAST: usize = 4;
    pattern.len() >= LEAST
        && pattern.bytes().any(|it| it.is_ascii_uppercase())
        && pattern
            .bytes()
            .all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || b"-_@".contains(&it))
}

/// The API group in a pattern for the value of `apiVersion`.
fn group(pattern: &str) -> Option<String> {
    let pattern = pattern.trim_start_matches(['\\', 's', ' ', '*', '+']);
    let group = pattern.split(['/', '\\', '*']).next()?.trim_end_matches('.');
    let is_group = group.contains('.')
        && group
            .bytes()
            .all(|it| it.is_ascii_alphanumeric() || b".-".contains(&it));
    is_group.then(|| group.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_by(script: &str) -> SetByScripts {
        let mut set = SetByScripts::default();
        set.add(script);
        set
    }

    #[test]
    fn versions() {
        for (line, expected) in [
            (
                "| $sed -e \"s#apiVersion: example.com/v.*\\$#apiVersion: $API#\" \\",
                true,
            ),
            ("sed -i 's|^apiVersion: example.com.*|apiVersion: x|' a.yaml", true),
            ("sed 's#apiVersion: other.com/v.*#x#'", false),
            ("echo apiVersion: example.com/v1 # used", false),
            ("sed 's#image: .*#apiVersion: example.com/v1#'", false),
            ("sed 's#apiVersion: .*#x#'", false),
        ] {
            assert_eq!(set_by(line).set_version_of("example.com"), expected, "{line}");
        }
    }

    #[test]
    fn values() {
        for (line, expected) in [
            ("| $sed -e \"s/image:/image: $IMAGE/\" \\", true),
            ("sed -e \"s^image: .*^image: ${IMAGE}^;s/a/b/\"", true),
            ("sed 's/image:/picture: a/'", false),
            ("sed 's/image:/image:/'", false),
            (
                "yq eval '(.spec | select(.image == null)).image = \"'\"$IMAGE\"'\"' a.yaml",
                true,
            ),
            ("yq -i '.spec.image |= \"a\"' a.yaml", true),
            ("yq '.spec.image == \"a\"' a.yaml", false),
            ("yq '.spec.image' a.yaml; b.image=a", false),
            (".spec.image = 1", false),
            ("image = é.yq", false),
        ] {
            assert_eq!(set_by(line).set_value_of("image"), expected, "{line}");
        }
    }

    #[test]
    fn files_in_which_variables_are_substituted() {
        for (script, expected) in [
            ("envsubst < deploy/a.yaml | kubectl apply -f -", true),
            (
                "for m in \"a.yaml b.yaml\"; do\n  envsubst< ${m} | kubectl apply -f -",
                true,
            ),
            ("for m in deploy/*.yaml; do envsubst < $m; done", true),
            ("envsubst < b.yaml", false),
            ("kubectl apply -f a.yaml", false),
        ] {
            let set = set_by(script);
            assert!(!set.substitute());
            let set = set.in_file(Path::new("deploy/a.yaml"));
            assert_eq!(set.substitute(), expected, "{script}");
            assert_eq!(set.may_change("a: $B"), expected, "{script}");
        }
    }

    #[test]
    fn a_script_without_end_sets_few_values() {
        let lines = (0..100_000).map(|n| format!("sed 's/WORD-{n}/a/; s/key{n}:/key{n}: a/'\n"));
        let mut set = set_by(&lines.collect::<String>());
        assert_eq!((set.words.len(), set.keys.len()), (MOST, MOST));
        set.extend(&set_by("sed 's/OTHER-WORD/a/'"));
        assert_eq!(set.words.len(), MOST);
    }

    #[test]
    fn added_keys_and_words() {
        let set = set_by(
            "yq '.spec.backup.image = 1 |\n (.spec | select(has(\"b\"))).b.c = 2'\nsed 's/BACKUP-NAME/$NAME/; s/a/B/; s/kind-of:/type:/'",
        );
        assert_eq!(set.added_to("backup").collect::<Vec<_>>(), ["image"]);
        assert_eq!(set.added_to("b").collect::<Vec<_>>(), ["c"]);
        assert_eq!(set.added_to("spec").count(), 0);
        assert!(set.replace_in("s3://BACKUP-NAME/a"));
        assert!(!set.replace_in("B"));
        assert!(set.rename("kind-of") && !set.rename("type"));
    }
}
