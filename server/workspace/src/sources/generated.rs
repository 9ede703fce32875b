//! CRDs that are generated from Go. For each finding, finds the Go declaration of the field, and the marker that sets the value.

use std::{
    cell::{OnceCell, RefCell},
    collections::HashMap,
    path::Path,
    sync::Arc,
};

pub use crd_analyzer_generator::Modules;
pub use crd_analyzer_gosource::Module;
use crd_analyzer_gosource::{Declaration, Kind, Marked, SourceFile, Step as GoStep, marker_for};
use crd_analyzer_syntax::{
    json::Json,
    paths::{Step, at, find},
    tree::{Span, Tree},
};

use super::change::{self, Change, Value};
use crate::{
    documents::source::SourceText,
    findings::finding::{Finding, Related},
    index::CrdText,
};

/// The annotation that controller-gen adds to its CRDs.
const ANNOTATION: &str = "controller-gen.kubebuilder.io/version";

/// The maximum number of findings in one verdict to look up in Go.
const MAX_FINDINGS: usize = 200;

/// Whether controller-gen wrote a CRD, which is shown by the annotation.
pub(crate) fn is_annotated(crd: &Json<'_>) -> bool {
    let annotations = crd.get("metadata").and_then(|it| it.get("annotations"));
    annotations.is_some_and(|it| it.get(ANNOTATION).is_some())
}

/// A source of Go modules.
pub trait GoSources: Send + Sync {
    /// The Go repository that contains a file, if there is one.
    fn around(&self, manifest: &Path) -> Option<Arc<Module>>;

    /// The Go module that contains a file, with the packages from which its types may come.
    fn modules(&self, _file: &Path) -> Option<Arc<Modules>> {
        None
    }
}

/// The Go file that declares the type of a CRD, if it is in the same repository as the CRD.
pub fn declaring_file(crd: &CrdText, sources: &dyn GoSources) -> Option<Arc<Path>> {
    let origin = Origin::of(&crd.tree, Some(&crd.source.path), Some(sources))?;
    let root = |version| Subject {
        version,
        steps: Vec::new(),
        marker: None,
        value: None,
    };
    // Start with the last versions, because they are usually the newest.
    let mut versions = crd.versions().into_iter().rev();
    let (declaration, _) = versions.find_map(|it| origin.declaration(&root(it)))?;
    Some(declaration.site.file.path.clone())
}

/// The Go source of a generated CRD. It is looked up when there is a first finding.
pub(crate) struct Origin<'a> {
    tree: &'a Tree,
    path: &'a Path,
    sources: &'a dyn GoSources,
    found: OnceCell<Option<Source>>,
    /// The files that findings refer to, each read once.
    texts: RefCell<HashMap<Arc<Path>, Arc<SourceText>>>,
}

/// The repository of a CRD, and the group and kind that the CRD defines.
struct Source {
    module: Arc<Module>,
    group: String,
    kind: String,
    is_generated: bool,
}

/// The part of a schema, and the value, that a place in a CRD is about.
struct Subject {
    version: String,
    steps: Vec<GoStep>,
    /// The marker that sets the value, and the value itself, which distinguishes markers with the same name.
    marker: Option<&'static str>,
    value: Option<String>,
}

impl<'a> Origin<'a> {
    /// The Go source of a CRD in a file, if Go sources are available.
    pub(crate) fn of(tree: &'a Tree, path: Option<&'a Path>, sources: Option<&'a dyn GoSources>) -> Option<Self> {
        Some(Self {
            tree,
            path: path?,
            sources: sources?,
            found: OnceCell::new(),
            texts: RefCell::default(),
        })
    }

    /// The repository, if it contains the CRD's file and has Go sources.
    fn source(&self) -> Option<&Source> {
        let find = || {
            let annotation = [Step::key("metadata"), Step::key("annotations"), Step::key(ANNOTATION)];
            Some(Source {
                is_generated: scalar(self.tree, &annotation).is_some(),
                group: scalar(self.tree, &[Step::key("spec"), Step::key("group")])?,
                kind: scalar(self.tree, &[Step::key("spec"), Step::key("names"), Step::key("kind")])?,
                module: self.sources.around(self.path)?,
            })
        };
        self.found.get_or_init(find).as_ref()
    }

    fn related(&self, file: &SourceFile, span: &std::ops::Range<usize>, message: String) -> Related {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let mut texts = self.texts.borrow_mut();
        let text = texts
            .entry(file.path.clone())
            .or_insert_with(|| Arc::new(SourceText::new(file.path.clone(), file.text.clone())));
        Related {
            span: Span::new(offset(span.start), offset(span.end)),
            message,
            file: Some(text.clone()),
        }
    }

    /// Adds the Go field and the marker to each finding.
    pub(crate) fn name(&self, findings: &mut [Finding]) {
        for finding in findings.iter_mut().take(MAX_FINDINGS) {
            finding.related.extend(self.declared(finding.span));
        }
    }

    fn declared(&self, span: Span) -> Option<Related> {
        self.source()?;
        let subject = self.subject(span.start)?;
        let (declaration, is_whole) = self.declaration(&subject)?;
        let site = &declaration.site;
        if !is_whole {
            let message = format!("the nearest field in Go: `{}`", site.name);
            return Some(self.related(&site.file, &site.span, message));
        }
        let Some(marker) = subject.marker else {
            let message = format!("`{}` declares it in Go", site.name);
            return Some(self.related(&site.file, &site.span, message));
        };
        let found = declaration.marked(marker, subject.value.as_deref());
        let name = &found.site.name;
        Some(match (found.written, found.name) {
            (Some(written), _) => {
                let message = format!("the marker of `{name}` that sets it in Go");
                self.related(&found.site.file, &written.span, message)
            }
            // If people edit the YAML instead, they lose the edit when the CRD is generated again.
            (None, Some(_)) if let Some(other) = found.other => {
                let message = format!("the marker of `{name}` in Go differs: change it, or generate the CRD again");
                self.related(&found.site.file, &other.span, message)
            }
            // The type of a field usually follows from its Go type, and each subresource has its own marker, so no marker is suggested for them.
            (None, Some(marker)) if !marker.ends_with(":Type") && !marker.ends_with(":subresource") => {
                let message = format!("`{name}` declares it in Go: `// {marker}` would set it");
                self.related(&found.site.file, &found.site.span, message)
            }
            (None, _) => {
                let message = format!("`{name}` declares it in Go");
                self.related(&found.site.file, &found.site.span, message)
            }
        })
    }

    /// The place in Go code where a marker would set a bound, for the schema whose key or first line is at `span`. Also returns whether Go already
    /// sets a bound that is as low.
    pub(crate) fn bound(&self, span: Span, keyword: &str, value: i64) -> Option<(Related, bool)> {
        let subject = self.subject(span.start)?;
        let (declaration, is_whole) = self.declaration(&subject)?;
        if !is_whole {
            return None;
        }
        let found = declaration.marked(marker_for(keyword, true)?, None);
        let name = &found.site.name;
        let said = found
            .written
            .and_then(|it| it.text.split_once('=')?.1.trim().parse::<i64>().ok());
        let is_set = said.is_some_and(|it| it <= value);
        let related = match (found.written, found.name) {
            (Some(written), _) if is_set => {
                let message = format!("`{name}` in Go has the limit, but the CRD does not: generate the CRD again");
                self.related(&found.site.file, &written.span, message)
            }
            (Some(written), Some(marker)) => {
                let message = format!("`{name}` in Go: make it `// {marker}={value}`");
                self.related(&found.site.file, &written.span, message)
            }
            (None, Some(marker)) => {
                let message = format!("`{name}` in Go: add `// {marker}={value}`");
                self.related(&found.site.file, &found.site.span, message)
            }
            (_, None) => {
                let message = format!("`{name}` in Go: give its values a type of their own, with the marker on it");
                self.related(&found.site.file, &found.site.span, message)
            }
        };
        Some((related, is_set))
    }

    /// The edit of a Go file that has the same effect as a change of a schema: the file, the replaced bytes, and the new text. `None` if no marker
    /// can set the value, or if the field is not declared in the repository.
    pub(crate) fn write(&self, change: &Change) -> Option<(Arc<SourceFile>, std::ops::Range<usize>, String)> {
        let (path, to) = match change {
            Change::Set(path, value) => (path, Some(value)),
            Change::Remove(path) => (path, None),
            // A rename would have to change the Go field, and a change inside a string is made elsewhere.
            Change::Rename(..) | Change::Splice(..) => return None,
        };
        let path = change::steps(path);
        let keys: Vec<&str> = path.iter().map(key_of).collect();
        let (["spec", "versions", _, "schema", "openAPIV3Schema", schema @ ..], Some(Step::Index(version))) =
            (keys.as_slice(), path.get(2))
        else {
            return None;
        };
        let (steps, [keyword]) = steps_of(schema) else {
            return None;
        };
        let name = [
            Step::key("spec"),
            Step::key("versions"),
            Step::Index(*version),
            Step::key("name"),
        ];
        let subject = Subject {
            version: scalar(self.tree, &name)?,
            steps,
            marker: None,
            value: None,
        };
        let (declaration, _) = self.declaration(&subject).filter(|it| it.1)?;
        let marked = declaration.marked(marker_for(keyword, true)?, None);
        let file = marked.site.file.clone();
        let (span, text) = marker_edit(&marked, &file.text, to)?;
        Some((file, span, text))
    }

    /// The declaration of the field. If the repository does not declare it, that of the nearest parent field that the repository declares.
    fn declaration(&self, subject: &Subject) -> Option<(Declaration, bool)> {
        let source = self.source()?;
        for length in (0..=subject.steps.len()).rev() {
            let steps = &subject.steps[..length];
            let kind = Kind {
                group: &source.group,
                version: &subject.version,
                kind: &source.kind,
                is_generated: source.is_generated,
            };
            let found = source.module.declaration(&kind, steps);
            if let Some(found) = found {
                return Some((found, length == subject.steps.len()));
            }
            // Kubernetes itself declares `metadata`, and users know it.
            if length == 1 {
                return None;
            }
        }
        None
    }

    fn subject(&self, offset: u32) -> Option<Subject> {
        let path = at(self.tree, offset)?.path;
        let keys: Vec<&str> = path.iter().map(key_of).collect();
        let version_of = |index: usize| {
            scalar(
                self.tree,
                &[
                    Step::key("spec"),
                    Step::key("versions"),
                    Step::Index(index),
                    Step::key("name"),
                ],
            )
        };
        let (version, rest) = match (keys.as_slice(), path.get(2)) {
            (["spec", "versions", _, rest @ ..], Some(Step::Index(index))) => (version_of(*index)?, rest),
            (["spec", rest @ ..], _) => {
                let named = || scalar(self.tree, &[Step::key("spec"), Step::key("version")]);
                (version_of(0).or_else(named)?, rest)
            }
            _ => return None,
        };
        let before = path.len() - rest.len();
        if let ["schema" | "validation", "openAPIV3Schema", schema @ ..] = rest {
            return Some(self.of_schema(version, &path, schema));
        }
        let at = rest.iter().rposition(|it| marker_for(it, false).is_some())?;
        let item = path.get(..before + at + 2);
        Some(Subject {
            version,
            steps: Vec::new(),
            marker: marker_for(rest[at], false),
            value: item.and_then(|item| self.member(item, &["jsonPath", "JSONPath"])),
        })
    }

    /// The subject of a path whose last keys are `schema`. These keys start at the root of a schema.
    fn of_schema(&self, version: String, path: &[Step<'_>], schema: &[&str]) -> Subject {
        let (steps, left) = steps_of(schema);
        let marker = left.first().and_then(|it| marker_for(it, true));
        let item = path.get(..path.len() - left.len() + 2).filter(|_| marker.is_some());
        Subject {
            version,
            steps,
            marker,
            value: item.and_then(|item| self.member(item, &["rule"]).or_else(|| scalar(self.tree, item))),
        }
    }

    fn member(&self, item: &[Step<'_>], names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| {
            let mut path = item.to_vec();
            path.push(Step::key((*name).to_owned()));
            scalar(self.tree, &path)
        })
    }
}

/// Converts keys below the root of a schema to steps in Go types. Also returns the keys that are left.
fn steps_of<'k>(schema: &'k [&'k str]) -> (Vec<GoStep>, &'k [&'k str]) {
    let mut steps = Vec::new();
    let mut left = schema;
    loop {
        left = match left {
            ["properties", name, rest @ ..] => {
                steps.push(GoStep::Property((*name).to_owned()));
                rest
            }
            ["items", rest @ ..] => {
                steps.push(GoStep::Items);
                rest
            }
            ["additionalProperties", rest @ ..] => {
                steps.push(GoStep::Values);
                rest
            }
            _ => return (steps, left),
        }
    }
}

/// The edit of a Go file that adds, changes or removes the marker for a value.
fn marker_edit(marked: &Marked<'_>, text: &str, to: Option<&Value>) -> Option<(std::ops::Range<usize>, String)> {
    let line_of = |at: usize| {
        let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
        let end = text[at..].find('\n').map_or(text.len(), |it| at + it + 1);
        start..end
    };
    let before = marked.written.and_then(|it| it.text.split_once('='));
    let value = to.map(|it| marker_value(it, before));
    match (marked.written, value) {
        (Some(written), Some(value)) => {
            let equals = written.text.find('=')?;
            Some((written.start + equals + 1..written.span.end, value?))
        }
        (Some(written), None) => {
            let line = line_of(written.span.start);
            (text[line.clone()].trim() == text[written.span.clone()].trim()).then(|| (line, String::new()))
        }
        (None, Some(value)) => {
            let site = marked.site.span.start;
            let line = line_of(site);
            let before = &text[line.start..site];
            let indent = &before[..before.len() - before.trim_start().len()];
            let is_first = before.trim().is_empty() || before.trim() == "type";
            let end = if text[line.clone()].ends_with("\r\n") {
                "\r\n"
            } else {
                "\n"
            };
            let name = marked.name.as_ref().filter(|_| is_first)?;
            Some((line.start..line.start, format!("{indent}// {name}={}{end}", value?)))
        }
        (None, None) => None,
    }
}

/// A value in the syntax of markers. `before` has the marker's name and the value to replace, whose quotes are kept.
fn marker_value(value: &Value, before: Option<(&str, &str)>) -> Option<String> {
    match value {
        Value::Bool(value) => Some(value.to_string()),
        Value::AsWritten(text) if text.parse::<f64>().is_ok() => Some(text.clone()),
        Value::Text(text) if text.contains(['`', '\n', '\r']) => None,
        Value::Text(text) => {
            let (name, before) = before.unwrap_or_default();
            // These markers contain JSON.
            let is_json = matches!(name, "+default" | "+k8s:default");
            Some(match before.trim() {
                // The number was meant as a text, such as a version, which the value no longer has: `1.10` and 1.1.
                before if is_same_number(before, text) => format!("\"{before}\""),
                before if is_json || before.starts_with('"') => serde_json::to_string(text).ok()?,
                before if is_word(before) && is_word(text) => text.clone(),
                _ => format!("`{text}`"),
            })
        }
        _ => None,
    }
}

/// Whether two texts are the same number.
fn is_same_number(one: &str, other: &str) -> bool {
    let number = |it: &str| it.parse::<f64>().ok().filter(|it| it.is_finite());
    number(one).is_some_and(|it| number(other) == Some(it))
}

/// Whether controller-gen reads a text as a string although it has no quotes.
fn is_word(text: &str) -> bool {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.');
    text.starts_with(|it: char| it.is_ascii_alphabetic())
        && text.chars().all(is_plain)
        && !matches!(text, "true" | "false" | "null")
}

fn key_of<'s>(step: &'s Step<'_>) -> &'s str {
    match step {
        Step::Key(key) => key,
        Step::Index(_) => "",
    }
}

fn scalar(tree: &Tree, path: &[Step<'_>]) -> Option<String> {
    let place = find(tree, path)?;
    let node = tree.resolve(place.node);
    (place.is_found() && tree.is_scalar(node)).then(|| tree.scalar(node).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_value_has_the_quotes_of_the_old_one() {
        let value = |text: &str, before| marker_value(&Value::Text(text.to_owned()), before);
        for (name, before, text, expected) in [
            ("+kubebuilder:default", "Alow", "Allow", "Allow"),
            ("+kubebuilder:default", "\"Alow\"", "Allow", "\"Allow\""),
            ("+kubebuilder:default", "`Alow`", "Allow", "`Allow`"),
            ("+kubebuilder:default", "Alow", "not; allowed", "`not; allowed`"),
            ("+kubebuilder:default", "Tru", "true", "`true`"),
            ("+kubebuilder:default", "3", "Allow", "`Allow`"),
            ("+default", "3", "Allow", "\"Allow\""),
            ("+kubebuilder:default", "1.10", "1.1", "\"1.10\""),
            ("+kubebuilder:default", "007", "7", "\"007\""),
            ("+kubebuilder:default", "1e3", "1000", "\"1e3\""),
            ("+default", "1.10", "1.1", "\"1.10\""),
        ] {
            assert_eq!(value(text, Some((name, before))).as_deref(), Some(expected), "{before}");
        }
        assert_eq!(value("Allow", None).as_deref(), Some("`Allow`"));
        assert_eq!(value("a`b", None), None);
    }
}
