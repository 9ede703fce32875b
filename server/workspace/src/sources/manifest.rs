//! Manifests that are generated from other files, such as Go types, with a map from the manifest to these files.

use std::{
    collections::{HashMap, HashSet},
    fmt::{self, Write as _},
    ops::Range,
    path::Path,
    sync::Arc,
};

use crd_analyzer_syntax::tree::{Span, Tree};

use crate::documents::{source::SourceText, text::Text};

/// An object that is sent to the API server, but whose source may be in another language.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The file into which the manifest is generated. CRDs near it take precedence.
    pub path: Arc<Path>,
    /// The text of the object, in JSON.
    pub text: Arc<str>,
    /// The parts of the text, each with the place from which it comes. They are sorted by start, and outer parts come first. Text outside all parts
    /// does not come from a file that people edit.
    pub parts: Vec<Part>,
    /// The files of the parts, sorted.
    files: Vec<Arc<Path>>,
    /// The indices of declared parts in which a value is unknown.
    guesses: HashSet<usize>,
    /// The spans of values whose verdict depends on unknown parts elsewhere.
    open: Vec<Span>,
}

/// A part of a manifest, and the place from which it comes.
#[derive(Clone, Debug)]
pub struct Part {
    /// The span of the part in the manifest.
    pub span: Span,
    /// The file from which the part comes.
    pub file: Arc<SourceText>,
    /// The span in that file from which the part comes.
    pub origin: Span,
    /// How the value is encoded in the file. `None` if the part follows from the place but is not written there.
    pub encoding: Option<Arc<dyn Encoding>>,
    /// How the part relates to the part that contains it.
    pub kind: PartKind,
    /// The index of the part that contains this one.
    around: Option<usize>,
}

/// How a part relates to the part that contains it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartKind {
    /// The place declares the part. For example, a field of a Go type declares a property.
    Declared,
    /// The place sets a value inside a declared part. For example, a marker sets a keyword.
    Said,
    /// Like `Said`, but the real value is unknown, so diagnostics about the surrounding part are left out.
    Guess,
}

/// How a string is written in a file, according to the file's language.
pub trait Encoding: Send + Sync + fmt::Debug {
    /// Converts a range of the string's value to a range of the file's text.
    fn place(&self, text: &str, value: Range<usize>) -> Range<usize>;

    /// Converts an offset in the file to an offset in the string. `None` if it is outside the string.
    fn offset(&self, text: &str, place: usize) -> Option<usize>;

    /// The value, escaped for the string in the file. `None` if the string cannot contain it.
    fn written(&self, value: &str) -> Option<String>;

    /// If other parts of the file were edited: the original encoding, the text at that time, and the number of bytes by which the string has moved
    /// since then.
    fn moved(&self) -> Option<(Arc<dyn Encoding>, Arc<str>, isize)> {
        None
    }
}

/// A place in a file that people edit.
#[derive(Clone, Debug)]
pub struct Place {
    /// The file.
    pub file: Arc<SourceText>,
    /// The span in the file.
    pub span: Span,
}

impl Manifest {
    /// The innermost part that contains a span of the text.
    fn part(&self, span: Span) -> Option<usize> {
        let before = self.parts.partition_point(|it| it.span.start <= span.start);
        let is_around = |it: &Part| span.start < it.span.end || it.span.is_empty() && span.start == it.span.start;
        let mut part = before.checked_sub(1);
        while let Some(number) = part.filter(|it| !is_around(&self.parts[*it])) {
            part = self.parts[number].around;
        }
        part
    }

    /// The declared part that contains a part, or the part itself.
    fn declared(&self, mut part: usize) -> usize {
        while self.parts[part].kind != PartKind::Declared
            && let Some(around) = self.parts[part].around
        {
            part = around;
        }
        part
    }

    /// Whether a file sets the text in a span. Otherwise it only declares the field.
    pub fn is_said(&self, span: Span) -> bool {
        let part = self.part(span).map(|it| &self.parts[it]);
        part.is_some_and(|it| it.kind != PartKind::Declared)
    }

    /// Leaves open what the diagnostics of these values are, because the values depend on unknown parts elsewhere.
    #[must_use]
    pub(super) fn leaving_open(mut self, open: Vec<Span>) -> Self {
        self.open = open;
        self
    }

    /// Whether the diagnostics of a span may be wrong: it depends on unknown parts, or the declared part that contains it has an unknown value.
    pub fn is_guess(&self, span: Span) -> bool {
        if self.open.iter().any(|it| it.start <= span.start && span.end <= it.end) {
            return true;
        }
        let declared = self.part(span).map(|it| self.declared(it));
        declared.is_some_and(|it| self.guesses.contains(&it))
    }

    /// The place where a span of the text is written.
    pub fn origin(&self, span: Span) -> Option<Place> {
        let part = &self.parts[self.part(span)?];
        Some(Place {
            file: part.file.clone(),
            span: part.inner(&self.text, span).unwrap_or(part.origin),
        })
    }

    /// The place that declares the member of an object with a key. `None` if the member only follows from another declaration.
    pub fn declaration(&self, key: Span) -> Option<Place> {
        let part = &self.parts[self.part(key)?];
        let is_it = part.kind == PartKind::Declared && part.span.start == key.start;
        is_it.then(|| Place {
            file: part.file.clone(),
            span: part.origin,
        })
    }

    /// The spans of the parts that a place declares, in the order of the text.
    pub fn declared_by<'a>(&'a self, place: &'a Place) -> impl Iterator<Item = Span> + 'a {
        let is_it =
            |it: &&Part| it.kind == PartKind::Declared && it.origin == place.span && it.file.path == place.file.path;
        self.parts.iter().filter(is_it).map(|it| it.span)
    }

    /// The offset in the manifest's text for an offset in a file. `None` unless a string of the manifest is written there.
    pub fn spot(&self, path: &Path, offset: u32) -> Option<u32> {
        self.parts.iter().filter(|it| *it.file.path == *path).find_map(|part| {
            let encoding = part.encoding.as_deref()?;
            let value = encoding.offset(&part.file.text, offset as usize)?;
            let quoted = &self.text[part.span.range()];
            Some(part.span.start + text_offset(quoted, value) as u32)
        })
    }

    /// Converts an edit of the manifest's text to an edit of the source file. `None` if the edited text does not come from exactly one place, or if
    /// the string there cannot contain the new text.
    pub fn edit(&self, span: Span, new: &str) -> Option<(Place, String)> {
        let part = self
            .parts
            .iter()
            .rev()
            .find(|it| it.encoding.is_some() && it.span.start < span.start && span.end < it.span.end)?;
        let encoding = part.encoding.as_deref()?;
        let place = Place {
            file: part.file.clone(),
            span: part.inner(&self.text, span)?,
        };
        Some((place, encoding.written(&string(&format!("\"{new}\""))?)?))
    }

    /// The syntax tree of the manifest's text. `None` if it cannot be parsed.
    pub fn tree(&self) -> Option<Tree> {
        let text = Text::whole(self.text.clone());
        text.read(*text.documents().documents.first()?).ok()
    }

    /// The text of one of the files from which the manifest is generated.
    pub fn text_of(&self, path: &Path) -> Option<&Arc<str>> {
        let part = self.parts.iter().find(|it| *it.file.path == *path)?;
        Some(&part.file.text)
    }

    /// The same manifest after a file has changed. `None` if the place of one of its parts no longer exists.
    #[must_use]
    pub fn after(&self, moves: &Moves) -> Option<Self> {
        let mut parts = self.parts.clone();
        for part in parts.iter_mut().filter(|it| it.file.path == moves.file.path) {
            let now = (moves.moved)(part.origin)?;
            if let Some(encoding) = &part.encoding {
                let by = now.start as isize - part.origin.start as isize;
                part.encoding = Some(MovedEncoding::of(encoding, &part.file.text, by));
            }
            part.origin = now;
            part.file = moves.file.clone();
        }
        Some(Self {
            path: self.path.clone(),
            text: self.text.clone(),
            parts,
            files: self.files.clone(),
            guesses: self.guesses.clone(),
            open: self.open.clone(),
        })
    }

    /// Whether the kind of the manifest is declared in a file.
    pub fn is_declared_in(&self, path: &Path) -> bool {
        self.origin(Span::default()).is_some_and(|it| *it.file.path == *path)
    }

    /// Whether a part of the manifest comes from a file.
    pub fn is_made_of(&self, path: &Path) -> bool {
        self.files.binary_search_by(|it| (**it).cmp(path)).is_ok()
    }
}

/// Where the places in a file are after an edit of the file.
pub struct Moves {
    /// The file with its text after the edit.
    pub file: Arc<SourceText>,
    /// Returns where a piece of the old text is now. `None` if it no longer exists.
    pub moved: Box<dyn Fn(Span) -> Option<Span>>,
}

impl Moves {
    /// Where a place is after the edit.
    pub fn place(&self, place: &Place) -> Option<Place> {
        if place.file.path != self.file.path {
            return Some(place.clone());
        }
        Some(Place {
            span: (self.moved)(place.span)?,
            file: self.file.clone(),
        })
    }
}

/// The encoding of a string in a file in which other parts were edited.
#[derive(Debug)]
struct MovedEncoding {
    before: Arc<dyn Encoding>,
    /// The text to which the offsets of the original encoding refer.
    text: Arc<str>,
    /// The number of bytes by which the string has moved since then.
    by: isize,
}

impl MovedEncoding {
    fn of(of: &Arc<dyn Encoding>, text: &Arc<str>, by: isize) -> Arc<dyn Encoding> {
        let (before, text, by) = match of.moved() {
            Some((before, text, earlier)) => (before, text, by + earlier),
            None => (of.clone(), text.clone(), by),
        };
        Arc::new(Self { before, text, by })
    }
}

impl Encoding for MovedEncoding {
    fn place(&self, _: &str, value: Range<usize>) -> Range<usize> {
        let place = self.before.place(&self.text, value);
        place.start.saturating_add_signed(self.by)..place.end.saturating_add_signed(self.by)
    }

    fn offset(&self, _: &str, place: usize) -> Option<usize> {
        self.before.offset(&self.text, place.checked_add_signed(-self.by)?)
    }

    fn written(&self, value: &str) -> Option<String> {
        self.before.written(value)
    }

    fn moved(&self) -> Option<(Arc<dyn Encoding>, Arc<str>, isize)> {
        Some((self.before.clone(), self.text.clone(), self.by))
    }
}

impl Part {
    /// The place of a span that is inside a string. `None` if the span is the whole part, or if it is not in a string that is written in a file.
    fn inner(&self, text: &str, span: Span) -> Option<Span> {
        let encoding = self.encoding.as_deref()?;
        let quoted = &text[self.span.range()];
        let is_part = span.start > self.span.start || span.end < self.span.end;
        if !is_part || !quoted.starts_with('"') {
            return None;
        }
        let at = |offset: u32| value_offset(quoted, (offset.min(self.span.end) - self.span.start) as usize);
        let place = encoding.place(&self.file.text, at(span.start)..at(span.end));
        Some(Span::new(place.start as u32, place.end as u32))
    }
}

fn string(quoted: &str) -> Option<String> {
    serde_json::from_str(quoted).ok()
}

/// The characters of a JSON string. For each, the number of bytes in the text and in the value.
fn characters(quoted: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    let inner = quoted.strip_prefix('"').unwrap_or(quoted);
    let mut rest = inner.strip_suffix('"').unwrap_or(inner);
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let text = match (first, rest.as_bytes().get(1)) {
            ('\\', Some(b'u')) => 6,
            ('\\', _) => 2,
            _ => first.len_utf8(),
        };
        let (this, next) = rest.split_at_checked(text)?;
        rest = next;
        let value = if first == '\\' {
            string(&format!("\"{this}\""))?.len()
        } else {
            text
        };
        Some((text, value))
    })
}

/// Converts an offset in the text of a JSON string to an offset in its value.
fn value_offset(quoted: &str, text: usize) -> usize {
    let (mut at, mut offset) = (1, 0);
    for (of_text, of_value) in characters(quoted) {
        if at + of_text > text {
            break;
        }
        at += of_text;
        offset += of_value;
    }
    offset
}

/// Converts an offset in the value of a JSON string to an offset in its text.
fn text_offset(quoted: &str, value: usize) -> usize {
    let (mut at, mut offset) = (1, 0);
    for (of_text, of_value) in characters(quoted) {
        if offset >= value {
            break;
        }
        at += of_text;
        offset += of_value;
    }
    at
}

/// Writes the text of a manifest, and records the places from which its parts come.
#[derive(Debug, Default)]
pub struct Writing {
    text: String,
    parts: Vec<Part>,
    /// The index of the part that is being written.
    around: Option<usize>,
}

impl Writing {
    /// Writes text as it is, such as punctuation.
    pub fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Writes a string.
    pub fn string(&mut self, value: &str) {
        let is_escaped = |it: char| match it {
            '"' | '\\' => true,
            // In YAML, these characters would be line breaks.
            '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => true,
            _ => it < ' ',
        };
        self.text.push('"');
        let mut rest = value;
        while let Some((plain, after)) = rest.find(is_escaped).map(|it| rest.split_at(it)) {
            self.text.push_str(plain);
            let mut after = after.chars();
            match after.next() {
                Some('\n') => self.text.push_str("\\n"),
                Some(it @ ('"' | '\\')) => self.text.extend(['\\', it]),
                Some(it) => {
                    let _ = write!(self.text, "\\u{:04x}", u32::from(it));
                }
                None => {}
            }
            rest = after.as_str();
        }
        self.text.push_str(rest);
        self.text.push('"');
    }

    /// Writes a part, and records the place from which it comes.
    pub fn from(&mut self, place: &Place, encoding: Option<Arc<dyn Encoding>>, write: impl FnOnce(&mut Self)) {
        let kind = if encoding.is_some() {
            PartKind::Said
        } else {
            PartKind::Declared
        };
        self.part(place, (kind, encoding), write);
    }

    /// Writes a part that a place sets inside the part that contains it.
    pub fn said(&mut self, place: &Place, write: impl FnOnce(&mut Self)) {
        self.part(place, (PartKind::Said, None), write);
    }

    /// Writes a placeholder for an unknown value.
    pub fn guess(&mut self, place: &Place, write: impl FnOnce(&mut Self)) {
        self.part(place, (PartKind::Guess, None), write);
    }

    /// Says that the part that is being written has unknown values.
    pub fn unknown(&mut self, write: impl FnOnce(&mut Self)) {
        let Some(around) = self.around.map(|it| &self.parts[it]) else {
            return write(self);
        };
        let place = Place {
            file: around.file.clone(),
            span: around.origin,
        };
        self.guess(&place, write);
    }

    /// Writes a piece of another manifest, with the places from which its parts come.
    pub fn copy(&mut self, manifest: &Manifest, span: Span) {
        let start = self.text.len() as u32;
        self.text.push_str(&manifest.text[span.range()]);
        let first = manifest.parts.partition_point(|it| it.span.start < span.start);
        let mut numbers: HashMap<usize, usize> = HashMap::new();
        for (number, part) in manifest.parts.iter().enumerate().skip(first) {
            if part.span.start >= span.end {
                break;
            }
            if part.span.end > span.end {
                continue;
            }
            let around = part.around.and_then(|it| numbers.get(&it).copied());
            numbers.insert(number, self.parts.len());
            self.parts.push(Part {
                span: Span::new(part.span.start - span.start + start, part.span.end - span.start + start),
                around: around.or(self.around),
                ..part.clone()
            });
        }
    }

    fn part(
        &mut self,
        place: &Place,
        (kind, encoding): (PartKind, Option<Arc<dyn Encoding>>),
        write: impl FnOnce(&mut Self),
    ) {
        let number = self.parts.len();
        let start = self.text.len() as u32;
        self.parts.push(Part {
            span: Span::new(start, start),
            file: place.file.clone(),
            origin: place.span,
            encoding,
            kind,
            around: self.around.replace(number),
        });
        write(self);
        let part = &mut self.parts[number];
        part.span.end = self.text.len() as u32;
        self.around = part.around;
    }

    /// Finishes the manifest of the object at a path.
    pub fn finish(self, path: Arc<Path>) -> Manifest {
        let mut files: Vec<Arc<Path>> = Vec::new();
        // Compare only with the last path, because adjacent parts are usually from the same file.
        for part in &self.parts {
            if files.last().is_none_or(|it| *it != part.file.path) {
                files.push(part.file.path.clone());
            }
        }
        files.sort_unstable();
        files.dedup();
        let mut manifest = Manifest {
            path,
            text: self.text.into(),
            parts: self.parts,
            files,
            guesses: HashSet::new(),
            open: Vec::new(),
        };
        let parts = manifest.parts.iter().enumerate();
        let guesses = parts.filter(|it| it.1.kind == PartKind::Guess);
        manifest.guesses = guesses.map(|it| manifest.declared(it.0)).collect();
        manifest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An encoding for tests: the string is written backward, with dots between its characters.
    #[derive(Debug)]
    struct Dotted(usize);

    impl Encoding for Dotted {
        fn place(&self, _: &str, value: Range<usize>) -> Range<usize> {
            self.0 + value.start * 2..self.0 + value.end * 2
        }

        fn offset(&self, text: &str, place: usize) -> Option<usize> {
            (self.0..=text.len()).contains(&place).then(|| (place - self.0) / 2)
        }

        fn written(&self, value: &str) -> Option<String> {
            (!value.contains('.')).then(|| value.chars().flat_map(|it| [it, '.']).collect())
        }
    }

    #[test]
    fn places_lead_there_and_back() {
        let path: Arc<Path> = Path::new("/a").into();
        let file = Arc::new(SourceText::new(path.clone(), "rule: a.\".b.".into()));
        let place = Place {
            file,
            span: Span::new(6, 12),
        };
        let mut writing = Writing::default();
        writing.raw("{\"rule\": ");
        writing.from(&place, Some(Arc::new(Dotted(6))), |it| it.string("a\"b"));
        writing.raw("}");
        let manifest = writing.finish(path.clone());
        assert_eq!(&*manifest.text, r#"{"rule": "a\"b"}"#);
        let at = |part: &str| {
            let start = manifest.text.find(part).expect("a part") as u32;
            Span::new(start, start + part.len() as u32)
        };
        let origin = |span| manifest.origin(span).map(|it| it.span);
        assert_eq!(origin(at("\"a\\\"b\"")), Some(Span::new(6, 12)));
        assert_eq!(origin(at("\\\"")), Some(Span::new(8, 10)));
        assert_eq!(origin(at("b\"")), Some(Span::new(10, 12)));
        assert_eq!(origin(at("{")), None);
        assert_eq!(manifest.spot(&path, 8), Some(at("\\\"").start));
        assert_eq!(manifest.spot(&path, 2), None);
        let edit =
            |part: &str, new: &str| Some((manifest.edit(at(part), new)?.0.span, manifest.edit(at(part), new)?.1));
        assert_eq!(edit("\\\"", "x\\\""), Some((Span::new(8, 10), "x.\".".to_owned())));
        assert_eq!(edit("\\\"", "."), None);
        assert_eq!(edit("rule", "x"), None);
    }

    #[test]
    fn places_move_with_the_text_around_them() {
        let path: Arc<Path> = Path::new("/a").into();
        let source = |text: &str| Arc::new(SourceText::new(path.clone(), text.into()));
        let place = Place {
            file: source("rule: a.b."),
            span: Span::new(6, 10),
        };
        let mut writing = Writing::default();
        writing.from(&place, Some(Arc::new(Dotted(6))), |it| it.string("ab"));
        let mut manifest = writing.finish(path.clone());
        for (text, by) in [("the rule: a.b.", 4), ("a rule: a.b.", -2)] {
            let moved = move |span: Span| {
                let at = |it: u32| it.checked_add_signed(by);
                Some(Span::new(at(span.start)?, at(span.end)?))
            };
            let moves = Moves {
                file: source(text),
                moved: Box::new(moved),
            };
            manifest = manifest.after(&moves).expect("all is there");
        }
        let place = manifest.origin(Span::new(2, 3)).expect("a place");
        assert_eq!((place.span, &*place.file.text), (Span::new(10, 12), "a rule: a.b."));
        assert_eq!(manifest.spot(&path, 10), Some(2));
        let gone = Moves {
            file: source(""),
            moved: Box::new(|_| None),
        };
        assert!(manifest.after(&gone).is_none());
    }
}
