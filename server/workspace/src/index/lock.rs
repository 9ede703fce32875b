//! The lock `.crd-analyzer/crds.lock`. It lists the CRDs of other projects that a repository has collected in `.crd-analyzer/crds`.
//!
//! Each line is about one CRD, and lines are sorted by name. The columns are the name, the kind, the size in bytes, the SHA-256, and the source,
//! which is only informative and never opened. The name of a CRD determines its file, so a line cannot refer to any other file. Only the lock is read
//! at first: a CRD's file is read when a resource needs it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

pub use crd_analyzer_kustomize::sha256;
use crd_analyzer_syntax::split::Document;

use super::{
    DefiningFile, Entry, Fingerprint, GroupKind, Index, KnownCrd, Loaded, Origin, changed_kinds, fingerprints,
};
use crate::roles::Standing;

/// The folder in a repository with crd-analyzer's files.
pub const FOLDER: &str = ".crd-analyzer";
/// The name of the lock in [`FOLDER`].
pub const FILE_NAME: &str = "crds.lock";
/// The name of the folder with the CRDs in [`FOLDER`].
pub const CRDS: &str = "crds";

/// The maximum size of a lock, in bytes.
pub const MOST_BYTES: u64 = 16 << 20;
/// The maximum number of CRDs in a lock.
pub const MOST_CRDS: usize = 50_000;
/// The maximum length of a CRD's name, in bytes. A file name has at most 255 bytes, including `.yaml`.
const MOST_NAME: usize = 250;
/// The maximum length of a source, in characters. Longer sources are cut.
const MOST_SOURCE: usize = 300;
/// The maximum number of malformed lines to report.
const MOST_PROBLEMS: usize = 10;

const HEAD: &str = "# The CRDs in `crds`: name, kind, bytes, SHA-256, source.\n\
                    # `crd-analyzer crds add` writes this file, and `crd-analyzer crds verify` compares it with the CRDs.\n";

/// The entry for a CRD in a lock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Locked {
    /// The kind that the CRD defines.
    pub kind: String,
    /// The size of the CRD's file, in bytes.
    pub bytes: u32,
    /// The SHA-256 of the CRD's file, in hexadecimal digits.
    pub sha256: String,
    /// The source of the CRD, such as a URL.
    pub source: String,
}

/// The content of a lock.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Lock {
    /// The entries by the name of the CRD.
    pub crds: BTreeMap<String, Locked>,
    /// The first malformed lines, each as the line number and the reason.
    pub problems: Vec<(usize, String)>,
}

/// Whether a path is the path of a lock.
pub fn is_lock(path: &Path) -> bool {
    path.ends_with(Path::new(FOLDER).join(FILE_NAME))
}

/// Whether a CRD with this name can be collected, which means that the API server accepts the name and it can be a file name.
pub fn is_name(name: &str) -> bool {
    let is_part = |part: &str| {
        let is_plain = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit();
        let bytes = part.as_bytes();
        let ends = [bytes.first(), bytes.last()];
        ends.iter().all(|it| it.is_some_and(|it| is_plain(*it))) && bytes.iter().all(|it| is_plain(*it) || *it == b'-')
    };
    name.len() <= MOST_NAME && name.contains('.') && name.split('.').all(is_part)
}

/// The path of a CRD's file, relative to the folder that contains [`FOLDER`].
pub fn file_of(name: &str) -> PathBuf {
    Path::new(FOLDER).join(CRDS).join(format!("{name}.yaml"))
}

/// The group and kind that a CRD with this name defines.
pub fn defines(name: &str, kind: &str) -> GroupKind {
    GroupKind {
        group: name.split_once('.').map_or("", |it| it.1).to_owned(),
        kind: kind.to_owned(),
    }
}

/// A source in the form in which a lock contains it: on one line, of limited length.
pub fn source(written: &str) -> String {
    let shown = written.chars().map(|it| if it.is_control() { '\u{FFFD}' } else { it });
    shown.take(MOST_SOURCE).collect::<String>().trim().to_owned()
}

impl Lock {
    /// Parses a lock. Records malformed lines, such as merge conflict markers, as problems, and uses the rest.
    pub fn parse(text: &str) -> Self {
        let mut lock = Self::default();
        for (n, line) in text.lines().enumerate() {
            let line = line.trim_end();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let read = match parse_line(line) {
                _ if lock.crds.len() >= MOST_CRDS => Err(format!("a lock has {MOST_CRDS} CRDs at most")),
                Some((name, locked)) if lock.crds.contains_key(name) => {
                    let is_same = lock.crds[name] == locked;
                    Err(format!(
                        "`{name}` has {} line",
                        if is_same { "the same" } else { "another" }
                    ))
                }
                Some((name, locked)) => {
                    lock.crds.insert(name.to_owned(), locked);
                    Ok(())
                }
                None => Err("it is not a line of a lock".to_owned()),
            };
            if let Err(why) = read
                && lock.problems.len() < MOST_PROBLEMS
            {
                lock.problems.push((n + 1, why));
            }
        }
        lock
    }

    /// Formats the lock as the text of a file.
    pub fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        for (name, crd) in &self.crds {
            let Locked {
                kind,
                bytes,
                sha256,
                source,
            } = crd;
            let _ = writeln!(text, "{name} {kind} {bytes} sha256:{sha256} {source}");
        }
        text
    }
}

fn parse_line(line: &str) -> Option<(&str, Locked)> {
    let mut words = line.splitn(5, ' ');
    let mut next = || words.next();
    let (name, kind, bytes, hash) = (next()?, next()?, next()?, next()?);
    let sha256 = hash.strip_prefix("sha256:")?;
    let is_hash = sha256.len() == 64 && sha256.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
    let is_kind =
        !kind.is_empty() && kind.len() <= 63 && kind.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
    let locked = Locked {
        kind: kind.to_owned(),
        bytes: bytes.parse().ok()?,
        sha256: sha256.to_owned(),
        source: source(next().unwrap_or_default()),
    };
    (is_name(name) && is_kind && is_hash).then_some((name, locked))
}

impl Index {
    /// Adds a CRD that a lock lists, without reading its file, which must contain only this CRD. Returns the kinds whose CRDs have changed.
    pub fn set_locked(&mut self, path: &Path, name: &str, locked: &Locked) -> BTreeSet<GroupKind> {
        let path: Arc<Path> = path.into();
        let old = self.take(&path);
        let before = fingerprints(old.iter().flat_map(|it| &it.definitions));
        let fingerprint = Fingerprint::locked(&locked.sha256, locked.bytes);
        let definition = KnownCrd {
            path: path.clone(),
            defines: defines(name, &locked.kind),
            name: name.to_owned(),
            origin: Origin::Collected,
            place: self.place(&path).into(),
            of_text: Standing::Built,
            fingerprint,
            document: Document::of_length(locked.bytes),
            inside: None,
            file: Arc::new(DefiningFile::new(path.clone(), None)),
            is_open: false,
            previous: None,
            loaded: Loaded::default(),
            served: self.served.of(fingerprint, None),
        };
        let entry = Entry {
            definitions: vec![Arc::new(definition)],
            resources: BTreeSet::new(),
        };
        let after = fingerprints(&entry.definitions);
        let mut changed = changed_kinds(&before, &after);
        changed.extend(self.set_webhooks(&path, Vec::new()));
        self.put(path, entry);
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locked(source: &str) -> Locked {
        Locked {
            kind: "Widget".to_owned(),
            bytes: 7,
            sha256: "0123456789abcdef".repeat(4),
            source: source.to_owned(),
        }
    }

    #[test]
    fn a_lock_reads_what_it_writes() {
        let mut lock = Lock::default();
        for (name, source) in [("widgets.example.com", "chart 1.tgz:a/crds/b.yaml"), ("a.b", "")] {
            lock.crds.insert(name.to_owned(), locked(source));
        }
        assert_eq!(Lock::parse(&lock.text()), lock);
        assert_eq!(defines("widgets.example.com", "Widget").group, "example.com");
    }

    #[test]
    fn names_lead_nowhere_else() {
        for name in ["widgets.example.com", "a.b", "0.b-c", &format!("{}.b", "a".repeat(248))] {
            assert!(is_name(name), "{name}");
        }
        for name in [
            "",
            "a",
            ".a",
            "a.",
            "a..b",
            "../a.b",
            "a/b.c",
            "A.b",
            "a.b\0",
            "a.b\n",
            "-a.b",
            "a.-b",
            "a b.c",
            "ä.b",
            "a\\b.c",
            &format!("{}.b", "a".repeat(249)),
        ] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn what_is_no_line_is_told_and_the_others_count() {
        let mut lock = Lock::default();
        lock.crds.insert("a.b".to_owned(), locked("x"));
        let line = lock.text().lines().last().map(str::to_owned).unwrap_or_default();
        let text = format!(
            "<<<<<<< HEAD\n{line}\n=======\n{line}\n{}\n>>>>>>> b\n\n# c\n",
            line.replace("Widget", "Other")
        );
        let read = Lock::parse(&text);
        assert_eq!(read.crds, lock.crds);
        assert_eq!(read.problems.iter().map(|it| it.0).collect::<Vec<_>>(), [1, 3, 4, 5, 6]);
        for wrong in [
            "a.b Widget 7",
            "a.b Widget -7",
            "../a.b Widget 7",
            "a.b Wi/dget 7",
            "a.b Widget 99999999999",
        ] {
            let hash = "0".repeat(64);
            assert_eq!(
                Lock::parse(&format!("{wrong} sha256:{hash} x")).crds.len(),
                usize::from(wrong == "a.b Widget 7")
            );
        }
        let many = "x\n".repeat(100_000);
        assert_eq!(Lock::parse(&many).problems.len(), MOST_PROBLEMS);
    }

    #[test]
    fn sources_are_one_line() {
        assert_eq!(source("a\nb\u{1b}[0m "), "a\u{FFFD}b\u{FFFD}[0m");
        assert_eq!(source(&"x".repeat(1000)).len(), MOST_SOURCE);
    }
}
