//! Go tests: which files a test expects to be rejected, and which it only reads.

use std::{collections::HashMap, path::Path};

/// The maximum distance in bytes between a name and the braces of the table entry around it.
const MOST_BYTES: usize = 4_000;

/// The maximum length in bytes of a file name.
const MOST_NAME: usize = 255;

/// The maximum bytes of table entries that are searched, per byte of the test. Entries may be nested.
const MOST_READ: usize = 16;

/// Words in the names of fields that mean that a test expects an error: `wantErr`, `expectError`, `ErrExpected`.
const SAYS: [&str; 3] = ["want", "expect", "should"];

/// Strings in a test that mean that it applies objects to an API server.
const APPLIES: [&str; 3] = ["envtest.", "e2e-framework", "\"apply\""];

/// The files that a Go test names, and what it expects of them.
#[derive(Default, Debug)]
pub struct GoTest {
    /// Whether the test may apply its files to an API server.
    applies: bool,
    /// For each last part of a path in quotes: whether all table entries with it expect an error.
    names: HashMap<String, bool>,
    /// The same for each whole string in double quotes, because tables often omit the extension.
    stems: HashMap<String, bool>,
    /// For each manifest in quotes: what all calls with it do.
    used: HashMap<String, Use>,
    /// The last folder and the extension of each file pattern that is passed to a different kind of call.
    given: Vec<(String, String)>,
}

/// How the calls of a test use a manifest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    /// The calls only look at objects in a cluster.
    Looks,
    /// The calls expect that the manifest is rejected.
    Fails,
    /// Any other use.
    Other,
}

/// Words in names of functions that expect a failure: `ResourcesFailToApply`.
const FAILS: [&str; 6] = ["Fail", "Fails", "Rejected", "Rejects", "Refused", "Refuses"];

/// Words in names of functions that only look at what is in a cluster: `ResourcesHaveConditionWithin`.
const LOOKS: [&str; 9] = [
    "Has", "Have", "Exist", "Exists", "Created", "Deleted", "Expect", "Assert", "Wait",
];

/// The extensions of manifests.
const MANIFESTS: [&str; 2] = [".yaml", ".yml"];

/// The maximum distance in bytes between the name of a function and an argument.
const MOST_ARGUMENTS: usize = 300;

/// A name of a file in a test.
struct Name<'t> {
    text: &'t str,
    at: usize,
    is_whole: bool,
}

/// Open braces, and the names directly in them.
struct Open<'t> {
    start: usize,
    names: Vec<Name<'t>>,
}

impl GoTest {
    /// Reads a test once, independent of the files that are looked up later.
    pub fn of(test: &str) -> Self {
        let mut found = Self {
            applies: APPLIES.iter().any(|it| test.contains(it)),
            ..Self::default()
        };
        let mut left = MOST_READ * test.len();
        let mut open = vec![Open {
            start: 0,
            names: Vec::new(),
        }];
        // The offset of the last quote or slash.
        let mut last: Option<usize> = None;
        for (at, byte) in test.bytes().enumerate() {
            match byte {
                b'{' => open.push(Open {
                    start: at + 1,
                    names: Vec::new(),
                }),
                b'}' if open.len() > 1 => {
                    let Some(closed) = open.pop() else { break };
                    found.take(test, &closed, at, &mut left);
                }
                b'"' | b'`' => {
                    let name = last.and_then(|it| Some((it, test.get(it + 1..at)?)));
                    let name = name.filter(|it| (1..=MOST_NAME).contains(&it.1.len()));
                    // A string that begins outside the braces is not a name.
                    if let (Some((before, text)), Some(open)) = (name, open.last_mut())
                        && before >= open.start
                    {
                        let is_whole = test.as_bytes()[before] == b'"';
                        open.names.push(Name {
                            text,
                            at: before + 1,
                            is_whole,
                        });
                    }
                }
                _ => {}
            }
            if matches!(byte, b'"' | b'`' | b'/') {
                last = Some(at);
            }
        }
        found.take_calls(test);
        // A name outside of all braces, or in unclosed braces, is not in a table entry.
        for name in open.iter().flat_map(|it| &it.names) {
            found.add(name, false);
        }
        found
    }

    /// Whether the test may apply objects to an API server.
    pub const fn applies(&self) -> bool {
        self.applies
    }

    /// Whether the test names a file with its extension.
    pub fn names(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|it| it.to_str());
        name.is_some_and(|it| self.names.contains_key(it))
    }

    /// Whether the test names a file only to look at the file's objects in a cluster.
    pub fn only_looks_at(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        let folder = path.parent().and_then(Path::file_name).and_then(|it| it.to_str());
        let is_given = |it: &(String, String)| Some(it.0.as_str()) == folder && name.ends_with(&it.1);
        self.used.get(name) == Some(&Use::Looks) && !self.given.iter().any(is_given)
    }

    /// Whether all calls with a file expect that it is rejected.
    pub fn expects_failure(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        self.used.get(name) == Some(&Use::Fails)
    }

    /// Adds the manifests that are arguments of calls.
    fn take_calls(&mut self, test: &str) {
        for (at, text) in quoted(test).filter(|it| MANIFESTS.iter().any(|ending| it.1.ends_with(ending))) {
            let of = function(test, at).map_or(Use::Other, Use::of);
            let (folders, name) = text.rsplit_once('/').unwrap_or(("", text));
            if let Some((_, ending)) = name.rsplit_once('*') {
                if of == Use::Other {
                    let folder = folders.rsplit_once('/').map_or(folders, |it| it.1);
                    self.given.push((folder.to_owned(), ending.to_owned()));
                }
            } else {
                let known = self.used.entry(name.to_owned()).or_insert(of);
                if *known != of {
                    *known = Use::Other;
                }
            }
        }
    }

    /// Whether the test names a file, and each table entry with it expects an error.
    pub fn rejects(&self, path: &Path) -> bool {
        let says = |names: &HashMap<String, bool>, part: Option<&std::ffi::OsStr>| {
            let name = part.and_then(|it| it.to_str());
            name.is_some_and(|it| names.get(it) == Some(&true))
        };
        says(&self.names, path.file_name()) || says(&self.stems, path.file_stem())
    }

    /// Adds the names of a table entry that ends at `end`.
    fn take(&mut self, test: &str, entry: &Open<'_>, end: usize, left: &mut usize) {
        let is_near = |it: &&Name<'_>| it.at - entry.start < MOST_BYTES && end - it.at < MOST_BYTES;
        let has_near = entry.names.iter().any(|it| is_near(&it));
        let text = test.get(entry.start..end).filter(|_| has_near);
        // An entry that takes too much work to search is ignored.
        let says = text.is_some_and(|it| {
            let rest = left.checked_sub(it.len());
            *left = rest.unwrap_or(0);
            rest.is_some() && entry_expects_error(it)
        });
        for name in &entry.names {
            self.add(name, says && is_near(&name));
        }
    }

    fn add(&mut self, name: &Name<'_>, says: bool) {
        *self.names.entry(name.text.to_owned()).or_insert(true) &= says;
        if name.is_whole {
            *self.stems.entry(name.text.to_owned()).or_insert(true) &= says;
        }
    }
}

impl Use {
    /// The use according to the name of the called function.
    fn of(function: &str) -> Self {
        let has = |meant: &[&str]| words(function).any(|it| meant.contains(&it));
        if has(&FAILS) {
            Self::Fails
        } else if has(&LOOKS) {
            Self::Looks
        } else {
            Self::Other
        }
    }
}

/// The strings in double quotes in the lines of a test, each with the offset of its first quote.
fn quoted(test: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    let lines = test.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (at, line)
    });
    lines.flat_map(|(start, line)| {
        let quotes: Vec<usize> = line.match_indices('"').map(|it| it.0).collect();
        let pairs = quotes.chunks_exact(2).map(|it| (it[0], it[1]));
        let texts = pairs.map(|(from, to)| (start + from, &line[from + 1..to]));
        texts.collect::<Vec<_>>()
    })
}

/// The name of the function whose argument is at an offset.
fn function(test: &str, at: usize) -> Option<&str> {
    let before = test.get(test.floor_char_boundary(at.saturating_sub(MOST_ARGUMENTS))..at)?;
    let mut depth = 0;
    let open = before.bytes().rposition(|byte| {
        match byte {
            b')' => depth += 1,
            b'(' if depth == 0 => return true,
            b'(' => depth -= 1,
            _ => {}
        }
        false
    })?;
    let name = before[..open]
        .rsplit(|it: char| !(it.is_ascii_alphanumeric() || it == '_'))
        .next()?;
    (!name.is_empty()).then_some(name)
}

/// The words of a name such as `ResourcesHaveConditionWithin`.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = rest[first.len_utf8()..].find(|it: char| it.is_ascii_uppercase());
        let (word, after) = rest.split_at(end.map_or(rest.len(), |it| it + first.len_utf8()));
        rest = after;
        Some(word)
    })
}

/// Whether a field of a table entry says that an error is expected: `wantErr: true`, `expectedError: "no size"`, `wantErr: errInvalid`.
fn entry_expects_error(entry: &str) -> bool {
    entry.split(['\n', ',']).any(|field| {
        let Some((name, value)) = field.split_once(':') else {
            return false;
        };
        let name = name.trim().to_ascii_lowercase();
        let (value, is_name) = (
            value.trim(),
            name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_'),
        );
        let says = name.contains("err") && SAYS.iter().any(|it| name.contains(it));
        is_name && says && !matches!(value, "" | "false" | "nil" | "\"\"" | "``")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expects_error(test: &str, file: &str) -> bool {
        GoTest::of(test).rejects(Path::new(file))
    }

    #[test]
    fn entries_of_tables() {
        let test = |field: &str| {
            format!(
                "func TestLoad(t *testing.T) {{\n\ttests := []struct{{\n\t\tname string\n\t\twantErr bool\n\t}}{{\n\t\t{{\n\t\t\tname: \"good\",\n\t\t\tfile: \"good.yaml\",\n\t\t}},\n\t\t{{\n\t\t\tname: \"one\",\n\t\t\tfile: \"testdata/one.yaml\",\n\t\t\t{field}\n\t\t}},\n\t}}\n}}\n"
            )
        };
        for (field, expected) in [
            ("wantErr: true,", true),
            ("expectedError: \"no size\",", true),
            ("ErrorExpected: errInvalid,", true),
            ("wantErr: false,", false),
            ("wantErr: \"\",", false),
            ("wantErr: nil,", false),
            ("want: true,", false),
            ("", false),
        ] {
            assert_eq!(expects_error(&test(field), "one.yaml"), expected, "{field}");
        }
        assert!(!expects_error(&test("wantErr: true,"), "good.yaml"));
        assert!(!expects_error(&test("wantErr: true,"), "other.yaml"));
        assert!(!expects_error(&test("wantErr: true,"), "ne.yaml"));
        let twice = format!("{}{}", test("wantErr: true,"), test("wantErr: false,"));
        assert!(!expects_error(&twice, "one.yaml"), "another test expects none");
    }

    #[test]
    fn names_may_lack_their_ending_and_have_folders() {
        let test = "t := []T{{name: \"a/one\", wantErr: true}, {name: \"two\", wantErr: true}, {path: `x/three.yaml`, wantErr: true}}";
        for (file, expected) in [
            ("two.yaml", true),
            ("one.yaml", false),
            ("one", true),
            ("three.yaml", true),
            ("x", false),
        ] {
            assert_eq!(expects_error(test, file), expected, "{file}");
        }
        assert!(
            !expects_error("file := \"one.yaml\" // wantErr: true", "one.yaml"),
            "in no table"
        );
        assert!(
            !expects_error("{file: \"one.yaml\", wantErr: true", "one.yaml"),
            "not closed"
        );
    }

    #[test]
    fn files_that_are_read() {
        let of = |test: &str| GoTest::of(test);
        let test = of("b, err := os.ReadFile(\"testdata/one.yaml\")\n");
        assert!(test.names(Path::new("testdata/one.yaml")) && !test.applies());
        assert!(!test.names(Path::new("two.yaml")));
        for applies in [
            "env := &envtest.Environment{}",
            "import \"sigs.k8s.io/e2e-framework/klient\"",
            "exec.Command(\"kubectl\", \"apply\", \"-f\", file)",
        ] {
            assert!(of(applies).applies(), "{applies}");
        }
    }

    #[test]
    fn files_that_are_only_looked_at() {
        let test = GoTest::of(
            "funcs.ApplyResources(manager, manifests, \"setup/*.yaml\"),\nfuncs.ResourcesHaveConditionWithin(time.Minute*(2), manifests, \"one.yaml\"),\nfuncs.ResourcesDeletedWithin(1, manifests, \"both.yaml\"),\nfuncs.ApplyResources(manager, manifests, \"both.yaml\"),\nname := \"free.yaml\"\n",
        );
        for (path, expected) in [
            ("manifests/one.yaml", true),
            ("setup/one.yaml", false),
            ("manifests/both.yaml", false),
            ("manifests/free.yaml", false),
            ("manifests/other.yaml", false),
        ] {
            assert_eq!(test.only_looks_at(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn files_that_calls_expect_to_be_rejected() {
        let test = GoTest::of(
            "funcs.ResourcesFailToApply(manager, manifests, \"one.yaml\"),\nfuncs.ResourcesFailToApply(manager, manifests, \"both.yaml\"),\nfuncs.ApplyResources(manager, manifests, \"both.yaml\"),\n",
        );
        for (name, expected) in [("one.yaml", true), ("both.yaml", false), ("other.yaml", false)] {
            assert_eq!(test.expects_failure(Path::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn entries_in_each_other_are_read_to_a_bound() {
        let deep = format!("{}{}", "{\"a.yaml\",wantErr: true,".repeat(20_000), "}".repeat(20_000));
        assert!(!expects_error(&deep, "a.yaml"));
        let wide = format!("{{{}}}", "{\"a.yaml\",wantErr: true},".repeat(20_000));
        assert!(expects_error(&wide, "a.yaml"));
    }
}
