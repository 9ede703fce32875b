//! Groups diagnostics into blocks for people who read a log: one block for all errors of a value, and one block for a cause that repeats in a file.
//! Limits the number of blocks for each code and folder.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

use crd_analyzer_workspace::{findings::finding::Finding, findings::one_value, findings::report::MergedFinding};

use super::{File, joined};

/// The maximum number of blocks to print for each code and folder.
const MOST_IN_FOLDER: usize = 50;

/// The usual names of test folders. All files inside such a folder count as files of one folder.
const OF_TESTS: [&str; 5] = ["testdata", "test", "tests", "e2e", "fixtures"];

/// A group of diagnostics that is printed as one.
#[derive(Debug)]
pub(super) struct Block {
    /// The first diagnostic.
    pub(super) shown: MergedFinding,
    /// The number of other places in the file with the same cause.
    pub(super) repeats: usize,
}

/// The index of a document, and the index of a block in it.
type At = (usize, usize);

/// The properties by which two diagnostics of a file have the same cause: severity, code, headline and help.
type Cause<'a> = (&'static str, &'static str, &'a str, &'a [String]);

fn cause(finding: &Finding) -> Cause<'_> {
    (finding.word(), finding.code, &finding.headline, &finding.help)
}

/// The blocks of each document of a file.
pub(super) fn of(file: &File<'_>) -> Vec<Vec<Block>> {
    let mut first: HashMap<Cause<'_>, At> = HashMap::new();
    let mut lines: HashMap<At, Vec<u32>> = HashMap::new();
    let mut blocks: Vec<Vec<Block>> = Vec::new();
    for (n, (document, shown)) in file.documents().enumerate() {
        let mut of_document: Vec<Block> = Vec::new();
        let heads = one_value::heads(document, shown);
        // The block of each diagnostic that represents all diagnostics of its value.
        let mut of_heads: HashMap<usize, At> = HashMap::new();
        for (number, it) in shown.iter().enumerate().filter(|it| heads[it.0] == it.0) {
            let finding = &it.finding;
            let next = (n, of_document.len());
            let at = *first.entry(cause(finding)).or_insert(next);
            of_heads.insert(number, at);
            if at == next {
                of_document.push(Block {
                    shown: it.clone(),
                    repeats: 0,
                });
            } else {
                lines.entry(at).or_default().push(file.position(finding.span.start).0);
            }
        }
        for (number, it) in shown.iter().enumerate().filter(|it| heads[it.0] != it.0) {
            let at = of_heads.get(&heads[number]);
            // The block may belong to an earlier value with the same cause.
            let block = at.filter(|it| it.0 == n).and_then(|it| of_document.get_mut(it.1));
            if let Some(head) = block.map(|it| &mut it.shown.finding)
                && let Some(note) = one_value::note(head, &it.finding).filter(|it| !head.notes.contains(it))
            {
                head.notes.push(note);
            }
        }
        blocks.push(of_document);
    }
    for ((n, block), lines) in lines {
        if let Some(block) = blocks.get_mut(n).and_then(|it| it.get_mut(block)) {
            block.repeats = lines.len();
            block.shown.finding.notes.extend(joined::also(lines));
        }
    }
    blocks
}

/// The number of printed blocks for each folder and code.
#[derive(Default, Debug)]
pub(super) struct Folders {
    printed: HashMap<(String, &'static str), usize>,
    left_out: BTreeMap<(String, &'static str), usize>,
}

impl Folders {
    /// Whether to print a block. The blocks over the limit are only counted.
    pub(super) fn take(&mut self, label: &str, block: &Block) -> bool {
        let key = (folder(label), block.shown.finding.code);
        let printed = self.printed.entry(key.clone()).or_default();
        if *printed < MOST_IN_FOLDER {
            *printed += 1;
            return true;
        }
        *self.left_out.entry(key).or_default() += 1 + block.repeats;
        false
    }

    /// The summary lines of the skipped diagnostics, one for each folder and code.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |((folder, code), count): (&(String, &str), &usize)| {
            let name = Path::new(folder).file_name().and_then(|it| it.to_str());
            match name {
                Some(name) => {
                    format!(
                        "… and {count} more {code} like this in `{folder}` (to skip the folder: --exclude '**/{name}/**')"
                    )
                }
                None => format!("… and {count} more {code} like this in the current folder"),
            }
        };
        self.left_out.iter().map(line).collect()
    }
}

/// Whether a file is in a test folder.
pub(crate) fn is_of_tests(label: &str) -> bool {
    let mut folders = label.rsplit_once('/').map_or("", |it| it.0).split('/');
    folders.any(|it| OF_TESTS.contains(&it))
}

/// The folder whose limit applies to a file.
pub(super) fn folder(label: &str) -> String {
    let folders: Vec<&str> = label.rsplit_once('/').map_or("", |it| it.0).split('/').collect();
    let tests = folders.iter().position(|it| OF_TESTS.contains(it));
    let length = tests.map_or(folders.len(), |it| it + 1);
    folders[..length].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_tests_count_as_one() {
        for (label, expected) in [
            ("a.yaml", ""),
            ("pkg/a/b.yaml", "pkg/a"),
            ("pkg/testdata/a/b.yaml", "pkg/testdata"),
            ("/pkg/a.yaml", "/pkg"),
        ] {
            assert_eq!(folder(label), expected, "{label}");
        }
    }
}
