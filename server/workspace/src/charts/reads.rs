//! The values that templates read, by their names.

use std::collections::{HashMap, HashSet};

use super::values::path_of;
use crate::filled_in::fill::actions::{Action, Kind};

/// Functions that ask whether a value is there. A value that one of them gets may be left out on purpose.
const ASKING: [&str; 19] = [
    "and", "coalesce", "default", "dig", "empty", "eq", "fail", "get", "has", "hasKey", "kindIs", "ne", "not", "or",
    "pluck", "required", "ternary", "typeIs", "with",
];

/// A value that an action reads.
pub(super) struct Read<'t> {
    /// The path below `.Values`.
    pub(super) path: Vec<&'t str>,
    /// The offset of the path in the text.
    pub(super) at: usize,
    /// Whether the value is only printed, so that it must be there.
    pub(super) is_printed: bool,
}

/// The values that a text reads. `may_be_in_define` says whether `.Values` is also certain in a `define`, whose text is printed elsewhere.
pub(super) fn reads<'t>(text: &'t str, all: &[Action], may_be_in_define: bool) -> Vec<Read<'t>> {
    let mut found = Vec::new();
    // Whether each open block is a `define`, and how many are.
    let mut open = Vec::new();
    let mut defines = 0_usize;
    for action in all {
        match action.kind {
            Kind::Begin | Kind::Define => {
                open.push(action.kind == Kind::Define);
                defines += usize::from(action.kind == Kind::Define);
            }
            Kind::End => defines -= usize::from(open.pop().unwrap_or_default()),
            Kind::Else | Kind::Value | Kind::Nothing => {}
        }
        let code = action.code(text);
        let mut words = code.split(|it: char| !(it.is_ascii_alphanumeric() || it == '_'));
        let is_here = may_be_in_define || defines == 0;
        let is_printed = action.kind == Kind::Value && is_here && !words.any(|it| ASKING.contains(&it));
        let start = action.span.start + text[action.span.clone()].find(code).unwrap_or_default();
        for (at, _) in code.match_indices(".Values.") {
            let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '.');
            // `$root.Values` may be anything.
            let before = code[..at].strip_suffix('$').unwrap_or(&code[..at]);
            let is_root = !before.ends_with(is_part);
            let word = &code[at..];
            let word = &word[..word.find(|it| !is_part(it)).unwrap_or(word.len())];
            let Some((path, _)) = path_of(word) else { continue };
            found.push(Read {
                path,
                at: start + at + ".Values.".len(),
                is_printed: is_printed && is_root,
            });
        }
    }
    found
}

/// What the templates of a chart read and name.
#[derive(Default, Debug)]
pub(super) struct Names {
    /// For each path of a value, and of an object with values, the index of the first file that reads it, and whether others do.
    read: HashMap<String, (usize, bool)>,
    /// The strings in actions.
    strings: HashSet<String>,
}

impl Names {
    /// The names in these files.
    pub(super) fn of<'f>(files: impl Iterator<Item = (&'f str, &'f [Action])>) -> Self {
        let mut names = Self::default();
        for (n, (text, actions)) in files.enumerate() {
            for read in reads(text, actions, true) {
                for length in 1..=read.path.len() {
                    let known = names.read.entry(read.path[..length].join(".")).or_insert((n, false));
                    known.1 |= known.0 != n;
                }
            }
            names.take_strings(text, actions);
        }
        names
    }

    /// Adds the strings in the actions of a text.
    pub(super) fn take_strings(&mut self, text: &str, actions: &[Action]) {
        let codes = actions.iter().map(|it| it.code(text));
        let strings = codes.flat_map(|it| it.split('"').skip(1).step_by(2));
        self.strings
            .extend(strings.filter(|it| !it.is_empty()).map(str::to_owned));
    }

    /// Whether an action has this string.
    pub(super) fn has_string(&self, text: &str) -> bool {
        self.strings.contains(text)
    }

    /// Whether a file other than this one reads a value.
    pub(super) fn are_read_elsewhere(&self, path: &str, file: usize) -> bool {
        self.read.get(path).is_some_and(|it| it.0 != file || it.1)
    }
}
