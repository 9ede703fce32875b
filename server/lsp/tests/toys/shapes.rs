//! A toy language, added as a contributor would add one: each file describes an object, and a CRD is generated from it.
//!
//! ```text
//! shape Circle
//! text name maxLength=10
//! check «self.name != ~~»
//! ```

use std::{ops::Range, path::Path, sync::Arc};

use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{
    documents::source::SourceText,
    findings::report::FileReport,
    judging::analysis::Question,
    sources::{
        Row, Unit, World,
        change::{Change, Segment, Value, Written},
        made::Made,
        manifest::{Encoding, Place, Writing},
    },
};

pub(crate) static ROW: Row = Row {
    name: "shapes",
    is_of: |path| path.extension().is_some_and(|it| it == "shape"),
    report,
    silence: |_| {},
    may_be_made: |_, _| true,
    may_be_name: |_, _| false,
    may_have_made: |_| false,
    unit: |path, text, _: &dyn World| {
        let file = Arc::new(SourceText::new(path.into(), text.clone()));
        Some(Box::new(Shape { file }))
    },
};

fn report(text: &Arc<str>, _: &Path, _: &Question<'_>) -> FileReport {
    FileReport::empty(text.clone())
}

/// A string between these quotes, in which a tilde means a double quote.
#[derive(Debug)]
struct Quoted(usize);

impl Encoding for Quoted {
    fn place(&self, _: &str, value: Range<usize>) -> Range<usize> {
        self.0 + value.start..self.0 + value.end
    }

    fn offset(&self, text: &str, place: usize) -> Option<usize> {
        let end = self.0 + text[self.0..].find('»')?;
        (self.0..=end).contains(&place).then(|| place - self.0)
    }

    fn written(&self, value: &str) -> Option<String> {
        (!value.contains(['~', '»', '\n'])).then(|| value.replace('"', "~"))
    }
}

struct Shape {
    file: Arc<SourceText>,
}

impl Shape {
    /// The lines that start with a word: the rest of each line, and its offset.
    fn lines(&self, word: &str) -> Vec<(&str, usize)> {
        let text = &*self.file.text;
        let lines = text.split_inclusive('\n');
        let rest = lines.filter_map(|it| it.strip_prefix(word)?.strip_prefix(' '));
        rest.map(|it| (it.trim_end(), it.as_ptr() as usize - text.as_ptr() as usize))
            .collect()
    }

    fn place(&self, start: usize, length: usize) -> Place {
        Place {
            file: self.file.clone(),
            span: Span::new(start as u32, (start + length) as u32),
        }
    }
}

impl Unit for Shape {
    fn root(&self) -> &Path {
        &self.file.path
    }

    fn make(&self) -> Vec<Made> {
        let Some((kind, at)) = self.lines("shape").first().copied() else {
            return Vec::new();
        };
        let lower = kind.to_lowercase();
        let mut to = Writing::default();
        to.from(&self.place(at, kind.len()), None, |to| {
            to.raw(&format!(
                r#"{{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {{"name": "{lower}s.shapes.example.com"}},
"spec": {{"group": "shapes.example.com", "names": {{"kind": "{kind}", "plural": "{lower}s"}}, "scope": "Namespaced",
"versions": [{{"name": "v1", "served": true, "storage": true, "schema": {{"openAPIV3Schema": {{"type": "object", "properties": {{"#
            ));
            for (n, (field, at)) in self.lines("text").into_iter().enumerate() {
                let mut words = field.split(' ');
                let name = words.next().unwrap_or_default();
                to.raw(if n > 0 { ", " } else { "" });
                to.from(&self.place(at, name.len()), None, |to| {
                    to.string(name);
                    to.raw(": ");
                    to.raw(r#"{"type": "string""#);
                    for (key, value) in words.filter_map(|it| it.split_once('=')) {
                        to.raw(&format!(r#", "{key}": {value}"#));
                    }
                    to.raw("}");
                });
            }
            to.raw(r#"}, "x-kubernetes-validations": ["#);
            for (n, (check, at)) in self.lines("check").into_iter().enumerate() {
                let quotes = '«'.len_utf8();
                let rule = check.trim_start_matches('«').trim_end_matches('»');
                to.raw(if n > 0 { r#", {"rule": "# } else { r#"{"rule": "# });
                let encoding = Arc::new(Quoted(at + quotes));
                to.from(&self.place(at, check.len()), Some(encoding), |to| to.string(&rule.replace('~', "\"")));
                to.raw("}");
            }
            to.raw("]}}}]}}");
        });
        vec![Made::new(to.finish(self.file.path.clone()))]
    }

    fn write(&self, _: &Made, change: &Change) -> Option<Written> {
        let keys = change.path().segments().iter().map(|it| match it {
            Segment::Field(name) | Segment::Key(name) => name.as_str(),
            Segment::Index(_) => "",
        });
        let keys: Vec<&str> = keys.collect();
        let lines = self.lines("text");
        let line = |field: &str| lines.iter().find(|it| it.0.split(' ').next() == Some(field));
        match (change, &keys[..]) {
            (Change::Set(_, Value::AsWritten(value)), [.., "properties", field, keyword]) => {
                let (line, at) = line(field)?;
                Some((self.place(at + line.len(), 0), format!(" {keyword}={value}")))
            }
            (Change::Rename(_, name), [.., "properties", field]) => {
                let (_, at) = line(field).filter(|_| !name.contains(char::is_whitespace))?;
                Some((self.place(*at, field.len()), name.clone()))
            }
            _ => None,
        }
    }
}
