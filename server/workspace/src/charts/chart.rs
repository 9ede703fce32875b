//! The templates of a chart, and what they define.

use std::{
    collections::HashMap,
    ops::Range,
    path::Path,
    sync::{Arc, OnceLock},
};

use super::{
    checked::CheckedTemplates,
    metadata::{self, All, Metadata},
    parsed::TemplateNames,
    reads::Names,
    values::{self, Values},
};
use crate::{
    documents::source::SourceText,
    filled_in::fill::actions::{Action, Kind, actions},
};

/// The charts of a repository.
pub trait Charts: Sync {
    /// The chart that has a template at this path.
    fn of(&self, template: &Path) -> Option<Arc<Chart>>;

    /// Whether diagnostics at a place in a file are shown with that file. If not, they are shown where the place is included.
    fn shows(&self, path: &Path) -> bool;

    /// The templates that were checked so far. `None` if CRDs may change in between, as in editors.
    fn checked_templates(&self) -> Option<&CheckedTemplates> {
        None
    }
}

/// The templates of a chart and of the charts in it, and their values.
#[derive(Default, Debug)]
pub struct Chart {
    pub(super) files: Vec<File>,
    /// The templates by name. `None` if there are several with the name.
    defines: HashMap<Box<str>, Option<Define>>,
    /// The values of the chart and of the charts in it.
    values: Vec<Values>,
    /// What the charts say of themselves.
    metadata: Vec<Metadata>,
    /// See [`Self::template_names`].
    template_names: OnceLock<Option<TemplateNames>>,
    /// See [`Self::keeps_values`].
    keeps_values: OnceLock<bool>,
    /// See [`Self::names`].
    names: OnceLock<Names>,
}

/// A file below `templates/`.
#[derive(Debug)]
pub(super) struct File {
    pub(super) source: Arc<SourceText>,
    pub(super) actions: Vec<Action>,
}

/// A template that a `define` declares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Define {
    /// The index of its file.
    pub(super) file: usize,
    /// The text between `define` and `end`, as far as it is printed.
    pub(super) body: Range<usize>,
    /// The actions in it, by index.
    pub(super) actions: Range<usize>,
}

impl Chart {
    /// A chart with these files, each with its absolute path: templates, files about values ([`values::FILES`]), and files about charts
    /// ([`metadata::is_metadata`]). In Go templates, a name has one meaning in all files, so a name that is defined twice is left unknown.
    pub fn new(files: impl IntoIterator<Item = (Arc<Path>, Arc<str>)>) -> Self {
        let mut chart = Self::default();
        for (path, text) in files {
            if values::is_about_values(&path) {
                Values::add(&mut chart.values, path, text);
                continue;
            }
            if metadata::is_metadata(&path) {
                Metadata::add(&mut chart.metadata, path, text);
                continue;
            }
            let actions = actions(&text).unwrap_or_default();
            chart.add(&text, &actions);
            chart.files.push(File {
                source: Arc::new(SourceText::new(path, text)),
                actions,
            });
        }
        chart
    }

    /// The chart with the texts of files that were changed and not saved. `None` if no file has another text. `text` is the text of a file, if it is open.
    pub fn with_changes(&self, text: impl Fn(&Path) -> Option<Arc<str>>) -> Option<Self> {
        let mut has_changes = false;
        let templates = self.files.iter().map(|it| &it.source);
        let files = templates.chain(self.about()).map(|file| {
            let (path, saved) = (&file.path, &file.text);
            let changed = text(path).filter(|it| it != saved);
            has_changes |= changed.is_some();
            (path.clone(), changed.unwrap_or_else(|| saved.clone()))
        });
        let files: Vec<_> = files.collect();
        has_changes.then(|| Self::new(files))
    }

    /// Whether a file is a template of the chart, or says something about its values.
    pub fn has(&self, path: &Path) -> bool {
        self.file(path).is_some() || self.about().any(|it| *it.path == *path)
    }

    /// The files other than templates.
    fn about(&self) -> impl Iterator<Item = &Arc<SourceText>> {
        let of_values = self.values.iter().flat_map(Values::files);
        of_values.chain(self.metadata.iter().flat_map(Metadata::files))
    }

    /// What the chart and the charts in it say of themselves.
    pub(super) fn metadata(&self) -> All<'_> {
        All(&self.metadata)
    }

    /// The names of all templates that Helm finds. `None` if Helm cannot parse one of the files, or if a chart is missing.
    pub(super) fn template_names(&self) -> Option<&TemplateNames> {
        let find = || {
            let is_parsed = |it: &&File| self.metadata().parse(&it.source.path);
            let files = self.files.iter().filter(is_parsed);
            let files = files.map(|it| (&*it.source.path, &*it.source.text));
            self.metadata()
                .are_complete()
                .then(|| TemplateNames::of(files))
                .flatten()
        };
        self.template_names.get_or_init(find).as_ref()
    }

    /// The values that a template of the chart reads.
    pub(crate) fn values(&self, template: &Path) -> Option<&Values> {
        self.values.iter().find(|it| it.are_of(template))
    }

    /// Whether no other chart with values is in it.
    pub(super) fn is_alone(&self) -> bool {
        self.values.len() == 1
    }

    /// What the templates read and name.
    pub(super) fn names(&self) -> &Names {
        let files = || self.files.iter().map(|it| (&*it.source.text, &*it.actions));
        self.names.get_or_init(|| Names::of(files()))
    }

    /// Whether no template changes the values that others read. Templates of charts that are not there may change them.
    pub(crate) fn keeps_values(&self) -> bool {
        *self.keeps_values.get_or_init(|| {
            let mut actions = self
                .files
                .iter()
                .flat_map(|file| file.actions.iter().map(|it| it.code(&file.source.text)));
            actions.all(|it| !changes_values(it) && names(it).all(|it| self.defines.contains_key(it)))
        })
    }

    /// Adds what the next file defines. A file whose blocks are not balanced defines nothing.
    fn add(&mut self, text: &str, actions: &[Action]) {
        let mut open: Vec<usize> = Vec::new();
        let mut found = Vec::new();
        for (n, action) in actions.iter().enumerate() {
            match action.kind {
                Kind::Begin | Kind::Define => open.push(n),
                Kind::End => match open.pop() {
                    Some(first) if actions[first].kind == Kind::Define => found.push((first, n)),
                    Some(_) => {}
                    None => return,
                },
                Kind::Else | Kind::Value | Kind::Nothing => {}
            }
        }
        if !open.is_empty() {
            return;
        }
        for (first, last) in found {
            let Some(name) = name(actions[first].code(text)) else {
                continue;
            };
            let define = Define {
                file: self.files.len(),
                body: body(text, &actions[first], &actions[last]),
                actions: first + 1..last,
            };
            let usable = is_usable(text, &define, actions).then_some(define);
            let is_new = !self.defines.contains_key(name);
            self.defines.insert(name.into(), usable.filter(|_| is_new));
        }
    }

    /// Whether a file defines a template that can be put in.
    pub(super) fn has_defines(&self, file: usize) -> bool {
        self.defines.values().flatten().any(|it| it.file == file)
    }

    /// The template with a name. `None` if it is unknown what an include of the name prints.
    pub(super) fn named(&self, name: &str) -> Option<(&str, &Define)> {
        let (name, define) = self.defines.get_key_value(name)?;
        Some((name, define.as_ref()?))
    }

    /// The index of the file at a path.
    pub(super) fn file(&self, path: &Path) -> Option<usize> {
        self.files.iter().position(|it| *it.source.path == *path)
    }
}

/// The functions that change the object that they get.
const CHANGING: [&str; 6] = [
    "set",
    "unset",
    "merge",
    "mergeOverwrite",
    "mustMerge",
    "mustMergeOverwrite",
];

/// Whether an action may change values.
fn changes_values(code: &str) -> bool {
    let mut words = code.split(|it: char| !it.is_ascii_alphanumeric());
    words.any(|it| CHANGING.contains(&it))
}

/// The names of the templates that an action includes, as far as they are written in it.
fn names(code: &str) -> impl Iterator<Item = &str> {
    let calls = ["include ", "template "].into_iter();
    calls.flat_map(move |call| {
        let called = code.match_indices(call).filter_map(move |(at, _)| {
            let rest = code[at + call.len()..].trim_start();
            rest.strip_prefix('"')?.split('"').next()
        });
        called.collect::<Vec<_>>()
    })
}

/// The name in the code `define "name"`. A `block` also prints its text, so it has none here.
fn name(code: &str) -> Option<&str> {
    let rest = code.strip_prefix("define")?.trim();
    let quote = rest.chars().next().filter(|it| matches!(it, '"' | '`'))?;
    let name = rest[1..].strip_suffix(quote)?;
    (!name.contains(['\\', quote])).then_some(name)
}

/// The text between two actions, without the blanks that they remove.
fn body(text: &str, first: &Action, last: &Action) -> Range<usize> {
    let (mut start, mut end) = (first.span.end, last.span.start);
    let inside = &text[start..end];
    if first.trims_after(text) {
        start += inside.len() - inside.trim_start().len();
    }
    if last.trims_before(text) {
        end = start.max(end - (inside.len() - inside.trim_end().len()));
    }
    start..end
}

/// Whether the lines of a template are printed as they are written, and some of them have a key or an item. Others print names or single values, or
/// their trim markers join lines.
fn is_usable(text: &str, define: &Define, actions: &[Action]) -> bool {
    let mut has_entry = false;
    // Whether nothing was printed so far.
    let mut is_first = true;
    let mut at = define.body.start;
    let mut before: Option<&Action> = None;
    let inside = &actions[define.actions.clone()];
    for next in inside.iter().map(Some).chain([None]) {
        let end = next.map_or(define.body.end, |it| it.span.start).max(at);
        let written = &text[at..end];
        if !written.trim().is_empty() {
            let blanks = &written[..written.len() - written.trim_start().len()];
            if before.is_some_and(|it| it.trims_after(text))
                && let Some((_, column)) = blanks.rsplit_once('\n')
                && !(is_first && column.is_empty())
            {
                return false;
            }
            has_entry |= written.lines().any(is_entry);
            is_first = false;
        }
        let Some(action) = next else { break };
        if action.kind == Kind::Define {
            return false;
        }
        is_first &= action.kind == Kind::Nothing;
        at = action.span.end;
        before = Some(action);
    }
    has_entry
}

/// Whether a line looks like an entry of an object or an item of a list.
fn is_entry(line: &str) -> bool {
    let written = line.trim();
    let has_key = written.starts_with(|it: char| it.is_ascii_alphanumeric() || matches!(it, '"' | '\'' | '_'))
        && (written.contains(": ") || written.ends_with(':'));
    has_key || written.starts_with("- ") || written == "-"
}
