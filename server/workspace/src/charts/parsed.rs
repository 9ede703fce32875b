//! Parses templates as Helm does, and collects the names that they define.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::LazyLock,
};

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_gotemplate::{Error, Parsed, parse};

/// The functions that templates may call. Go's and Helm's own packages printed their names (`tests/conformance/helm`).
pub(super) static FUNCTIONS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("functions.txt").lines().collect());

/// The function whose first argument is the name of a template.
const INCLUDE: &str = "include";

/// Parses a template as Helm does.
///
/// # Errors
///
/// If Helm cannot parse it.
pub fn parsed(text: &str) -> Result<Option<Parsed>, Box<Error>> {
    let (found, _) = budget::within(Limits::file(text.len()), || {
        parse(text, &|it| FUNCTIONS.contains(it), &|it| it == INCLUDE)
    });
    found
}

/// Whether a file only defines templates.
pub(super) fn is_partial(path: &Path) -> bool {
    path.file_name().is_some_and(|it| it.to_string_lossy().starts_with('_'))
}

/// The templates that the files of a chart define.
#[derive(Debug)]
pub(super) struct TemplateNames {
    /// For each name, whether Helm may execute the template.
    all: HashMap<String, bool>,
}

impl TemplateNames {
    /// The names in these files. `None` if one of them cannot be parsed.
    pub(super) fn of<'f>(files: impl Iterator<Item = (&'f Path, &'f str)>) -> Option<Self> {
        let mut all: HashMap<String, bool> = HashMap::new();
        let mut calls: HashMap<String, Vec<String>> = HashMap::new();
        let mut open = Vec::new();
        for (path, text) in files {
            let parsed = parsed(text).ok().flatten()?;
            for define in &parsed.defines {
                all.insert(define.name.clone(), false);
            }
            for call in parsed.calls {
                match call.within {
                    Some(define) => calls
                        .entry(parsed.defines[define].name.clone())
                        .or_default()
                        .push(call.name),
                    None if is_partial(path) => {}
                    None => open.push(call.name),
                }
            }
        }
        while let Some(name) = open.pop() {
            if let Some(is_executed) = all.get_mut(&name).filter(|it| !**it) {
                *is_executed = true;
                open.extend(calls.remove(&name).unwrap_or_default());
            }
        }
        Some(Self { all })
    }

    /// Whether a template has this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.all.contains_key(name)
    }

    /// Whether Helm may execute the template with this name.
    pub(super) fn are_executed(&self, name: &str) -> bool {
        self.all.get(name).copied().unwrap_or_default()
    }

    /// All names.
    pub(super) fn all(&self) -> impl ExactSizeIterator<Item = &str> {
        self.all.keys().map(|it| &**it)
    }
}
