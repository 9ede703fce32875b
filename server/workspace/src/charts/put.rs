//! Replaces includes in a template by the templates that they include.

use std::{ops::Range, path::Path, sync::Arc};

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_syntax::tree::Span;

use super::{
    chart::{Chart, Define},
    include::{Include, include},
};
use crate::{
    documents::text::Text,
    filled_in::fill::{
        actions::{Action, Kind, actions},
        fill,
    },
};

/// The text that all includes of one file together may add. Charts of real projects need less than a tenth of it.
const LIMITS: Limits = Limits {
    bytes: 512 << 10,
    ..Limits::NONE
};

/// What an include costs beside its text, so that includes of nothing are bounded, too.
const EACH: u64 = 256;

/// The maximum number of templates that include each other.
const MAX_DEPTH: usize = 16;

/// A template in which includes are replaced. It is a template itself.
#[derive(Debug)]
pub(crate) struct Put {
    pub(crate) text: Arc<str>,
    /// The parts of the text, sorted by start.
    pieces: Vec<Piece>,
}

/// A part of the text, up to the next part.
#[derive(Debug)]
struct Piece {
    start: usize,
    /// The index of the chart's file in which it is written. `None` for the template itself.
    file: Option<usize>,
    /// The offset in that file.
    at: usize,
    /// Whether it is written there. Otherwise, it is only near.
    is_written: bool,
    /// The include in the template.
    include: Range<usize>,
}

/// The place where a part of the text is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// In the template itself.
    Own(Span),
    /// In a template that it includes.
    Included {
        /// The index of the chart's file.
        file: usize,
        /// The span in that file.
        span: Span,
        /// The span of the include in the template itself.
        include: Span,
    },
}

impl Put {
    /// The place where a span of the text is written.
    pub(crate) fn origin(&self, span: Span) -> Origin {
        let first = self.piece(span.start as usize);
        let last = self.piece((span.end.max(span.start + 1) - 1) as usize);
        let start = first.offset(span.start as usize);
        let end = if first.file == last.file {
            last.offset(span.end as usize).max(start)
        } else {
            start
        };
        let written = Span::new(start as u32, end as u32);
        match first.file {
            None => Origin::Own(written),
            Some(file) => Origin::Included {
                file,
                span: written,
                include: Span::new(first.include.start as u32, first.include.end as u32),
            },
        }
    }

    /// The span in the template itself that a span of the text comes from.
    pub(crate) fn own(&self, span: Span) -> Span {
        let at = |offset: usize, is_end: bool| {
            let piece = self.piece(if is_end { offset.saturating_sub(1) } else { offset });
            match piece.file {
                None => piece.offset(offset),
                Some(_) if is_end => piece.include.end,
                Some(_) => piece.include.start,
            }
        };
        let start = at(span.start as usize, false);
        let end = if span.is_empty() {
            start
        } else {
            at(span.end as usize, true).max(start)
        };
        Span::new(start as u32, end as u32)
    }

    /// Whether the text can be parsed as the template itself can. Otherwise, something is not printed as it seems.
    pub(crate) fn is_readable(&self, template: &Text) -> bool {
        let filled = |text: &Arc<str>| {
            if text.contains("{{") {
                fill(text).map(|it| Text::whole(it.text.into()))
            } else {
                Some(Text::whole(text.clone()))
            }
        };
        // Actions at the start of the template are a document only before they are filled in.
        let template = filled(&template.content).unwrap_or_else(|| Text::whole(template.content.clone()));
        filled(&self.text).is_some_and(|it| it.is_readable_like(&template))
    }

    /// Whether a part of the text is written in a file of the chart.
    pub(crate) fn uses(&self, file: usize) -> bool {
        self.pieces.iter().any(|it| it.file == Some(file))
    }

    fn piece(&self, offset: usize) -> &Piece {
        let after = self.pieces.partition_point(|it| it.start <= offset);
        let piece = &self.pieces[after.saturating_sub(1)];
        // Blanks before a line belong to the line.
        match self.pieces.get(after) {
            Some(next) if !piece.is_written => next,
            _ => piece,
        }
    }
}

impl Piece {
    /// The offset in the file for an offset in the text.
    fn offset(&self, offset: usize) -> usize {
        if self.is_written {
            self.at + offset.saturating_sub(self.start)
        } else {
            self.at
        }
    }
}

/// The template with its includes replaced. `None` if it has none that can be replaced. `path` is the path of the template.
pub(crate) fn put(path: &Path, text: &str, chart: &Chart) -> Option<Put> {
    if !(text.contains("include") || text.contains("template")) {
        return None;
    }
    let actions = actions(text)?;
    let own = chart.file(path).filter(|it| *chart.files[*it].source.text == *text);
    let mut putting = Putting {
        chart,
        own,
        text: String::with_capacity(text.len()),
        pieces: Vec::new(),
        include: 0..0,
        open: Vec::new(),
    };
    let found = budget::within(LIMITS, || putting.template(text, &actions)).0;
    if !found || u32::try_from(putting.text.len()).is_err() {
        return None;
    }
    Some(Put {
        text: putting.text.into(),
        pieces: putting.pieces,
    })
}

struct Putting<'c> {
    chart: &'c Chart,
    /// The index of the template itself among the chart's files.
    own: Option<usize>,
    text: String,
    pieces: Vec<Piece>,
    /// The include of the template that is being replaced.
    include: Range<usize>,
    /// The names of the templates that are being put in.
    open: Vec<&'c str>,
}

/// The file that is being copied, and how far its lines are indented.
struct Copied<'t> {
    text: &'t str,
    file: Option<usize>,
    /// The number of blanks before the line that is copied next.
    next: usize,
    /// The number of blanks before all lines after it.
    rest: usize,
}

/// How an include is replaced.
struct Place {
    /// The offset up to which the text before the include stays.
    from: usize,
    /// Whether the template that is included starts on a line of its own.
    breaks_line: bool,
    /// The number of blanks before its first line.
    first: usize,
    /// The number of blanks before its other lines.
    rest: usize,
}

impl<'c> Putting<'c> {
    /// Copies the template itself. Returns whether an include was replaced.
    fn template(&mut self, text: &str, actions: &[Action]) -> bool {
        let mut copied = Copied {
            text,
            file: None,
            next: 0,
            rest: 0,
        };
        let mut at = 0;
        let mut has_put = false;
        // Whether each open block is a `define`, whose text is printed elsewhere.
        let mut open: Vec<bool> = Vec::new();
        let mut defines = 0_usize;
        for action in actions {
            match action.kind {
                Kind::Begin | Kind::Define => {
                    open.push(action.kind == Kind::Define);
                    defines += usize::from(action.kind == Kind::Define);
                }
                Kind::End => match open.pop() {
                    Some(is_define) => defines -= usize::from(is_define),
                    None => return false,
                },
                Kind::Value if defines == 0 => {
                    let Some((define, name, place)) = self.found(&copied, action, 0) else {
                        continue;
                    };
                    self.lines(&mut copied, at..place.from.max(at));
                    self.include = action.span.clone();
                    self.body(define, name, &place);
                    has_put = true;
                    at = action.span.end;
                }
                Kind::Value | Kind::Else | Kind::Nothing => {}
            }
        }
        self.lines(&mut copied, at..text.len());
        has_put
    }

    /// The template that an action includes, and its place. Charges its text. `None` if the action stays as it is. `from` is where the text that
    /// contains the action starts.
    fn found(&self, copied: &Copied<'_>, action: &Action, from: usize) -> Option<(&'c Define, &'c str, Place)> {
        let code = action.code(copied.text);
        let include = include(code)?;
        let chart = self.chart;
        let (name, define) = chart.named(include.name)?;
        let place = place(copied, action, from, &include)?;
        if self.open.len() >= MAX_DEPTH || self.open.contains(&name) {
            return None;
        }
        budget::bytes(define.body.len() as u64 + EACH).ok()?;
        Some((define, name, place))
    }

    /// Copies the text of a template that is included.
    fn body(&mut self, define: &'c Define, name: &'c str, place: &Place) {
        if place.breaks_line {
            self.made("\n", (Some(define.file), define.body.start));
        }
        let file = &self.chart.files[define.file];
        let is_own = self.own == Some(define.file);
        let text: &'c str = &file.source.text;
        let mut copied = Copied {
            text,
            file: Some(define.file).filter(|_| !is_own),
            next: place.first,
            rest: place.rest,
        };
        self.open.push(name);
        let mut at = define.body.start;
        for action in &file.actions[define.actions.clone()] {
            if action.kind == Kind::Value
                && let Some((inner, name, place)) = self.found(&copied, action, define.body.start)
            {
                self.lines(&mut copied, at..place.from.max(at));
                self.body(inner, name, &place);
                copied.next = copied.rest;
                at = action.span.end;
                continue;
            }
            self.lines(&mut copied, at..action.span.start.max(at));
            self.action(&mut copied, action);
            at = action.span.end;
        }
        self.lines(&mut copied, at..define.body.end.max(at));
        self.open.pop();
    }

    /// Copies lines, indented as far as the include says.
    fn lines(&mut self, copied: &mut Copied<'_>, range: Range<usize>) {
        if copied.rest == 0 && copied.next == 0 {
            self.piece(copied.file, range.start, true);
            self.text.push_str(&copied.text[range]);
            return;
        }
        let mut at = range.start;
        for line in copied.text[range].split_inclusive('\n') {
            if !line.trim_end_matches(['\n', '\r']).is_empty() {
                self.pad(copied, at);
            }
            self.piece(copied.file, at, true);
            self.text.push_str(line);
            if line.ends_with('\n') {
                copied.next = copied.rest;
            }
            at += line.len();
        }
    }

    /// Copies an action. If it says at which column it prints, the column moves with the text around it.
    fn action(&mut self, copied: &mut Copied<'_>, action: &Action) {
        let written = &copied.text[action.span.clone()];
        self.pad(copied, action.span.start);
        let mut at = 0;
        while copied.rest > 0
            && let Some(found) = written[at..].find("indent ")
        {
            let start = at + found + "indent ".len();
            let digits = written[start..].bytes().take_while(u8::is_ascii_digit).count();
            self.copy(copied.file, action.span.start + at, &written[at..start]);
            at = start + digits;
            let number = &written[start..at];
            match number.parse::<usize>() {
                Ok(column) => self.made(
                    &column.saturating_add(copied.rest).to_string(),
                    (copied.file, action.span.start + start),
                ),
                Err(_) => self.copy(copied.file, action.span.start + start, number),
            }
        }
        self.copy(copied.file, action.span.start + at, &written[at..]);
    }

    /// Indents the next line, if it starts here.
    fn pad(&mut self, copied: &Copied<'_>, at: usize) {
        if copied.next > 0 && (self.text.is_empty() || self.text.ends_with('\n')) {
            self.made(&" ".repeat(copied.next), (copied.file, at));
        }
    }

    fn copy(&mut self, file: Option<usize>, at: usize, text: &str) {
        self.piece(file, at, true);
        self.text.push_str(text);
    }

    /// Adds text that is not written anywhere, near an offset of a file.
    fn made(&mut self, text: &str, (file, at): (Option<usize>, usize)) {
        self.piece(file, at, false);
        self.text.push_str(text);
    }

    fn piece(&mut self, file: Option<usize>, at: usize, is_written: bool) {
        // A part without text is replaced by the next one.
        self.pieces.pop_if(|it| it.start == self.text.len());
        self.pieces.push(Piece {
            start: self.text.len(),
            file,
            at,
            is_written,
            include: self.include.clone(),
        });
    }
}

/// Where the text of an include starts, and how its lines are indented. `None` if it shares a line with anything but the key of its value.
fn place(copied: &Copied<'_>, action: &Action, from: usize, include: &Include<'_>) -> Option<Place> {
    let text = copied.text;
    let after = &text[action.span.end..];
    let rest_of_line = after.split('\n').next().unwrap_or_default();
    let next = after.trim_start();
    // The next line would be joined to the last line that is included.
    let joins = action.trims_after(text) && !(next.is_empty() || next.starts_with("{{"));
    if !rest_of_line.trim().is_empty() || joins {
        return None;
    }
    let line = text[from..action.span.start].rfind('\n').map(|it| from + it + 1);
    let start = line.unwrap_or(from);
    let before = &text[start..action.span.start];
    let is_alone = before.bytes().all(|it| it == b' ');
    let rest = copied.rest + include.indent;
    if include.breaks_line {
        if before.contains("{{") || before.contains('#') {
            return None;
        }
        let kept = if is_alone { 0 } else { before.trim_end().len() };
        return Some(Place {
            from: start + kept,
            breaks_line: !is_alone,
            first: rest,
            rest,
        });
    }
    let around = if line.is_some() { copied.rest } else { copied.next };
    (is_alone && !action.trims_before(text)).then(|| Place {
        from: start,
        breaks_line: false,
        first: around + before.len() + include.indent,
        rest,
    })
}
