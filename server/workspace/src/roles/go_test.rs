//! Go tests: the files that a test expects to be rejected, and those that it only reads.

use std::{collections::HashMap, path::Path};

/// How far the braces of an entry of a table may be from a name in it, in bytes.
const MOST_BYTES: usize = 4_000;

/// The bytes of a name that may be one of a file.
const MOST_NAME: usize = 255;

/// The bytes of entries that are read, for each byte of a test: entries lie in each other.
const MOST_READ: usize = 16;

/// What the fields are called that say that a test expects an error: `wantErr`, `expectError`, `ErrExpected`.
const SAYS: [&str; 3] = ["want", "expect", "should"];

/// What of a test's text says that it gives objects to an API server.
const APPLIES: [&str; 3] = ["envtest.", "e2e-framework", "\"apply\""];

/// What a Go test says of files.
#[derive(Default, Debug)]
pub struct GoTest {
    /// It may give what it reads to an API server.
    applies: bool,
    /// Each last part of a path in quotes: whether all entries that have it expect an error.
    names: HashMap<String, bool>,
    /// The same for each whole text in double quotes. Tables often leave out the ending.
    stems: HashMap<String, bool>,
    /// Each manifest in quotes, and what all calls that have it do.
    used: HashMap<String, Use>,
    /// The last folder and the ending of each pattern of files that is given to something else than such a call.
    given: Vec<(String, String)>,
}

/// What the calls of a test do with a manifest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    /// They look at what is in a cluster.
    Looks,
    /// They expect that it is rejected.
    Fails,
    /// Anything else.
    Other,
}

/// Words in names of functions that expect a failure: `ResourcesFailToApply`.
const FAILS: [&str; 6] = ["Fail", "Fails", "Rejected", "Rejects", "Refused", "Refuses"];

/// Words in names of functions that only look at what is in a cluster: `ResourcesHaveConditionWithin`.
const LOOKS: [&str; 9] = [
    "Has", "Have", "Exist", "Exists", "Created", "Deleted", "Expect", "Assert", "Wait",
];

/// The endings of manifests.
const MANIFESTS: [&str; 2] = [".yaml", ".yml"];

/// How far the name of a function may be before a name among its arguments, in bytes.
const MOST_ARGUMENTS: usize = 300;

/// A name in a test.
struct Name<'t> {
    text: &'t str,
    at: usize,
    is_whole: bool,
}

/// Braces that are open, and the names right in them.
struct Open<'t> {
    start: usize,
    names: Vec<Name<'t>>,
}

impl GoTest {
    /// Reads a test once, whatever files are asked about.
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
        // Where the last quote or slash was.
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
                    // What goes on from outside of the braces is no name.
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
        // What is in no braces, or in braces that stay open, is no entry.
        for name in open.iter().flat_map(|it| &it.names) {
            found.add(name, false);
        }
        found
    }

    /// Whether the test may give objects to an API server.
    pub const fn applies(&self) -> bool {
        self.applies
    }

    /// Whether the test names a file with its ending.
    pub fn names(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|it| it.to_str());
        name.is_some_and(|it| self.names.contains_key(it))
    }

    /// Whether the test names a file, and only to look at what a cluster has of the objects in it.
    pub fn only_looks_at(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        let folder = path.parent().and_then(Path::file_name).and_then(|it| it.to_str());
        let is_given = |it: &(String, String)| Some(it.0.as_str()) == folder && name.ends_with(&it.1);
        self.used.get(name) == Some(&Use::Looks) && !self.given.iter().any(is_given)
    }

    /// Whether all calls that name a file expect that it is rejected.
    pub fn expects_failure(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        self.used.get(name) == Some(&Use::Fails)
    }

    /// Takes the manifests among the arguments of calls.
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

    /// Whether the test names a file, and each entry that names it expects an error.
    pub fn rejects(&self, path: &Path) -> bool {
        let says = |names: &HashMap<String, bool>, part: Option<&std::ffi::OsStr>| {
            let name = part.and_then(|it| it.to_str());
            name.is_some_and(|it| names.get(it) == Some(&true))
        };
        says(&self.names, path.file_name()) || says(&self.stems, path.file_stem())
    }

    /// Takes the names of an entry that ends here.
    fn take(&mut self, test: &str, entry: &Open<'_>, end: usize, left: &mut usize) {
        let is_near = |it: &&Name<'_>| it.at - entry.start < MOST_BYTES && end - it.at < MOST_BYTES;
        let has_near = entry.names.iter().any(|it| is_near(&it));
        let text = test.get(entry.start..end).filter(|_| has_near);
        // What takes too much to read says nothing.
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
    /// By the name of the function.
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

/// The texts in double quotes in the lines of a test, each with the place of its first quote.
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

/// The name of the function that has what is at a place among its arguments.
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

/// Whether a field of an entry says that there is an error: `wantErr: true`, `expectedError: "no size"`, `wantErr: errInvalid`.
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
