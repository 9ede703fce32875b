//! The lines of a template, and those around a place of the text that is made of it. Each line is looked at once.

use std::ops::Range;

/// The lines of a template.
pub(super) struct Lines {
    all: Vec<Line>,
    /// Where lines begin that say what an object is, in order.
    heads: Vec<usize>,
}

/// A line, without its line break.
struct Line {
    range: Range<usize>,
    /// What of it is not blank.
    written: Range<usize>,
}

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        let mut all = Vec::new();
        let mut heads = Vec::new();
        let mut start = 0;
        for line in text.split('\n') {
            let written = start + line.len() - line.trim_start().len();
            all.push(Line {
                range: start..start + line.len(),
                written: written..written + line.trim().len(),
            });
            if line.starts_with("apiVersion:") || line.starts_with("kind:") {
                heads.push(start);
            }
            start += line.len() + 1;
        }
        Self { all, heads }
    }

    /// Which line an offset is in.
    fn at(&self, offset: usize) -> usize {
        self.all.partition_point(|it| it.range.end < offset)
    }

    /// The whole lines of a range, without the last line break.
    pub(super) fn around(&self, range: &Range<usize>) -> Range<usize> {
        self.all[self.at(range.start)].range.start..self.all[self.at(range.end)].range.end
    }

    /// Whether nothing else is on the lines of a range.
    pub(super) fn is_alone(&self, range: &Range<usize>) -> bool {
        let (first, last) = (&self.all[self.at(range.start)], &self.all[self.at(range.end)]);
        range.start <= first.written.start && last.written.end <= range.end
    }

    /// Whether a line in a range says what an object is.
    pub(super) fn has_head(&self, range: Range<usize>) -> bool {
        let first = self.heads.partition_point(|it| *it < range.start);
        self.heads.get(first).is_some_and(|it| *it < range.end)
    }

    /// The lines of the text that is made, as they are now.
    pub(super) fn around_of(&self, made: &[u8]) -> Around<'_> {
        let mut after = Vec::with_capacity(self.all.len());
        let mut next = None;
        for line in self.all.iter().rev() {
            next = Shape::of(made, line).or(next);
            after.push(next);
        }
        after.reverse();
        Around {
            lines: &self.all,
            after,
            before: Vec::new(),
            seen: 0,
        }
    }
}

/// What matters of a line that is not blank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// How many blanks it begins with.
    pub(super) indent: usize,
    pub(super) is_separator: bool,
    pub(super) is_item: bool,
    pub(super) ends_in_colon: bool,
}

impl Shape {
    fn of(made: &[u8], line: &Line) -> Option<Self> {
        let line = std::str::from_utf8(&made[line.range.clone()]).ok()?;
        let written = line.trim();
        (!written.is_empty()).then(|| Self {
            indent: indent(line),
            is_separator: line.starts_with("---"),
            is_item: line.trim_start().starts_with("- "),
            ends_in_colon: written.ends_with(':'),
        })
    }
}

/// The lines around a place that moves forward.
pub(super) struct Around<'l> {
    lines: &'l [Line],
    /// For each line: itself or the next that is not blank, before anything was written into blank lines.
    after: Vec<Option<Shape>>,
    /// Lines above the place, each deeper than the one before it: others are not asked for.
    before: Vec<Shape>,
    /// How many lines are above the place.
    seen: usize,
}

impl Around<'_> {
    /// Moves to a place, the beginning of a line.
    pub(super) fn advance(&mut self, made: &[u8], place: usize) {
        while let Some(line) = self.lines.get(self.seen).filter(|it| it.range.start < place) {
            if let Some(shape) = Shape::of(made, line) {
                while self.before.pop_if(|it| it.indent >= shape.indent).is_some() {}
                self.before.push(shape);
            }
            self.seen += 1;
        }
    }

    /// The nearest line above that is not deeper than a column.
    pub(super) fn before(&self, column: usize) -> Option<Shape> {
        let found = self.before.partition_point(|it| it.indent <= column);
        found.checked_sub(1).map(|it| self.before[it])
    }

    /// The next line below the one that ends at an offset.
    pub(super) fn after(&self, end: usize) -> Option<Shape> {
        let line = self.lines.partition_point(|it| it.range.end < end);
        self.after.get(line + 1).copied().flatten()
    }
}

pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}
