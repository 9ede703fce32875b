//! Reads Go tests to find out which files a test expects to be rejected, and which it only reads.

use std::{collections::HashMap, path::Path};

use super::go_cluster::{self, Paths};

/// The maximum distance, in bytes, between a file name and the braces of the table entry that contains it.
const MOST_BYTES: usize = 4_000;

/// The maximum length of a file name, in bytes.
const MOST_NAME: usize = 255;

/// The maximum number of bytes of table entries to search for each byte of the test. Entries may be nested, so bytes may be searched several times.
const MOST_READ: usize = 16;

/// Words in the names of fields by which a test says that it expects an error: `wantErr`, `expectError`, `ErrExpected`.
const SAYS: [&str; 3] = ["want", "expect", "should"];

/// The files that a Go test names, and what the test expects of them.
#[derive(Default, Debug)]
pub struct GoTest {
    /// The paths in the test.
    paths: Paths,
    /// Whether the test may apply its files to an API server.
    sends: bool,
    /// For each last part of a quoted path: whether all table entries that contain it expect an error.
    names: HashMap<String, bool>,
    /// For each whole string in double quotes: whether all table entries that contain it expect an error. Tables often leave out the extension of a
    /// file.
    stems: HashMap<String, bool>,
    /// How the calls of the test use each quoted manifest name.
    used: HashMap<String, Use>,
    /// The last folder and the extension of each file pattern that is passed to a call with another name.
    given: Vec<(String, String)>,
}

/// How the calls of a test use a manifest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    /// The calls only look for the objects in a cluster.
    Looks,
    /// The calls expect the API server to reject the manifest.
    Fails,
    /// The calls use the manifest in some other way.
    Other,
}

/// Words in the names of functions that expect a failure, such as `ResourcesFailToApply`.
const FAILS: [&str; 6] = ["Fail", "Fails", "Rejected", "Rejects", "Refused", "Refuses"];

/// Words in the names of functions that only look at objects in a cluster, such as `ResourcesHaveConditionWithin`.
const LOOKS: [&str; 9] = [
    "Has", "Have", "Exist", "Exists", "Created", "Deleted", "Expect", "Assert", "Wait",
];

/// The extensions of manifest files.
const MANIFESTS: [&str; 2] = [".yaml", ".yml"];

/// The maximum distance, in bytes, between the name of a function and one of its arguments.
const MOST_ARGUMENTS: usize = 300;

/// A file name in a test.
struct Name<'t> {
    text: &'t str,
    at: usize,
    is_whole: bool,
}

/// An opening brace that is not closed yet, and the names directly inside it.
struct Open<'t> {
    start: usize,
    names: Vec<Name<'t>>,
}

impl GoTest {
    /// Reads all tests of a package. They may use a client that one of them connects to an API server.
    pub fn of_package<T: AsRef<str>>(tests: &[T]) -> Vec<Self> {
        let applying = tests.iter().map(AsRef::as_ref).filter(|it| go_cluster::applies(it));
        let clients = applying.flat_map(go_cluster::clients).collect();
        let read = |test: &T| {
            let test = test.as_ref();
            Self {
                paths: Paths::of(test),
                sends: go_cluster::applies(test) || go_cluster::uses(test, &clients),
                ..Self::of(test)
            }
        };
        tests.iter().map(read).collect()
    }

    /// Reads a test once. The result can be used to look up any number of files.
    fn of(test: &str) -> Self {
        let mut found = Self::default();
        let mut left = MOST_READ * test.len();
        let mut open = vec![Open {
            start: 0,
            names: Vec::new(),
        }];
        // The offset of the last quote or slash so far.
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
                    // If a string starts before the braces, it is not a name inside them.
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
        // A name that is outside of all braces, or inside braces that are not closed, is not in a table entry.
        for name in open.iter().flat_map(|it| &it.names) {
            found.add(name, false);
        }
        found
    }

    /// Whether the tests of a package may apply a file to an API server. `below` is the path from the package to the file. If no test names the file or a
    /// folder of it, any of them may use it.
    pub fn apply(package: &[Self], below: &Path) -> bool {
        let mut naming = package.iter().filter(|it| it.paths.may_name(below)).peekable();
        if naming.peek().is_some() {
            naming.any(|it| it.sends)
        } else {
            package.iter().any(|it| it.sends)
        }
    }

    /// Whether the test names a file with its extension.
    pub fn names(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|it| it.to_str());
        name.is_some_and(|it| self.names.contains_key(it))
    }

    /// Whether the test names a file only to look for the file's objects in a cluster.
    pub fn only_looks_at(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        let folder = path.parent().and_then(Path::file_name).and_then(|it| it.to_str());
        let is_given = |it: &(String, String)| Some(it.0.as_str()) == folder && name.ends_with(&it.1);
        self.used.get(name) == Some(&Use::Looks) && !self.given.iter().any(is_given)
    }

    /// Whether all calls with a file expect the API server to reject it.
    pub fn expects_failure(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        self.used.get(name) == Some(&Use::Fails)
    }

    /// Adds the manifests that are passed to functions.
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

    /// Whether the test names a file, and each table entry that contains it expects an error.
    pub fn rejects(&self, path: &Path) -> bool {
        let says = |names: &HashMap<String, bool>, part: Option<&std::ffi::OsStr>| {
            let name = part.and_then(|it| it.to_str());
            name.is_some_and(|it| names.get(it) == Some(&true))
        };
        says(&self.names, path.file_name()) || says(&self.stems, path.file_stem())
    }

    /// Adds the names in a table entry that ends at `end`.
    fn take(&mut self, test: &str, entry: &Open<'_>, end: usize, left: &mut usize) {
        let is_near = |it: &&Name<'_>| it.at - entry.start < MOST_BYTES && end - it.at < MOST_BYTES;
        let has_near = entry.names.iter().any(|it| is_near(&it));
        let text = test.get(entry.start..end).filter(|_| has_near);
        // Ignore an entry if searching it would take too much work.
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
    /// How a function uses a manifest, according to the name of the function.
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

/// The strings in double quotes on the lines of a test, each with the offset of its opening quote.
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

/// The name of the function that has an argument at an offset.
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

/// Whether a field of a table entry says that the test expects an error: `wantErr: true`, `expectedError: "no size"`, `wantErr: errInvalid`.
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
        let of = |test: &str| GoTest::of_package(&[test]).remove(0);
        let file = Path::new("testdata/one.yaml");
        let test = of("b, err := os.ReadFile(\"testdata/one.yaml\")\n");
        assert!(test.names(file) && !test.names(Path::new("two.yaml")));
        assert!(!GoTest::apply(&[test], file));
        for applies in [
            "env := &envtest.Environment{}\nload(\"testdata\")",
            "import \"sigs.k8s.io/e2e-framework/klient\"\nconst name = \"one\"",
            "exec.Command(\"kubectl\", \"apply\", \"-f\", \"one.yaml\")",
        ] {
            assert!(GoTest::apply(&[of(applies)], file), "{applies}");
        }
    }

    #[test]
    fn tests_of_a_package_share_a_client() {
        let suite = "var k8sClient client.Client\n\nfunc TestMain(m *testing.M) {\n\tenv := envtest.Environment{CRDDirectoryPaths: []string{\"crds\"}}\n}\n";
        let sends = "Expect(k8sClient.Create(ctx, load(\"testdata/one.yaml\")))\n";
        let reads = "b, err := os.ReadFile(\"testdata/two.yaml\")\n";
        let tests = GoTest::of_package(&[suite, sends, reads]);
        for (file, expected) in [
            ("crds/a.yaml", true),
            ("testdata/one.yaml", true),
            ("data/two.yaml", false),
            // No test names it, so a helper may send it.
            ("data/three.yaml", true),
        ] {
            assert_eq!(GoTest::apply(&tests, Path::new(file)), expected, "{file}");
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
