//! Tables of Go tests: the files that a test expects to be rejected.

use std::{collections::HashMap, path::Path};

/// How far the braces of an entry of a table may be from a name in it, in bytes.
const MOST_BYTES: usize = 4_000;

/// The bytes of a name that may be one of a file.
const MOST_NAME: usize = 255;

/// The bytes of entries that are read, for each byte of a test: entries lie in each other.
const MOST_READ: usize = 16;

/// What the fields are called that say that a test expects an error: `wantErr`, `expectError`, `ErrExpected`.
const SAYS: [&str; 3] = ["want", "expect", "should"];

/// The files that a Go test names in its tables.
#[derive(Default, Debug)]
pub struct Rejected {
    /// Each last part of a path in quotes: whether all entries that have it expect an error.
    names: HashMap<String, bool>,
    /// The same for each whole text in double quotes. Tables often leave out the ending.
    stems: HashMap<String, bool>,
}

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

impl Rejected {
    /// Reads a test once, whatever files are asked about.
    pub fn of(test: &str) -> Self {
        let mut found = Self::default();
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
        // What is in no braces, or in braces that stay open, is no entry.
        for name in open.iter().flat_map(|it| &it.names) {
            found.add(name, false);
        }
        found
    }

    /// Whether the test names a file, and each entry that names it expects an error.
    pub fn names(&self, path: &Path) -> bool {
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
        Rejected::of(test).names(Path::new(file))
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
    fn entries_in_each_other_are_read_to_a_bound() {
        let deep = format!("{}{}", "{\"a.yaml\",wantErr: true,".repeat(20_000), "}".repeat(20_000));
        assert!(!expects_error(&deep, "a.yaml"));
        let wide = format!("{{{}}}", "{\"a.yaml\",wantErr: true},".repeat(20_000));
        assert!(expects_error(&wide, "a.yaml"));
    }
}
