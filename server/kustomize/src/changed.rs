//! Maps the text of a scalar that was changed, for example by variable substitution of Flux, back to the original text.

use std::ops::Range;

/// A line of the changed text, and the line of the original text from which it comes.
#[derive(Debug)]
struct Line {
    now: Range<usize>,
    before: Range<usize>,
    /// How many bytes at the start are the same in both lines.
    same_before: usize,
    /// How many bytes at the end are the same in both lines.
    same_after: usize,
}

/// The lines of a changed text, in order.
#[derive(Debug)]
pub(crate) struct ChangedText(Vec<Line>);

impl ChangedText {
    /// Pairs the lines of the two texts. If the texts have different numbers of lines, each is treated as one line.
    pub(crate) fn new(now: &str, before: &str) -> Self {
        let is_paired = now.split('\n').count() == before.split('\n').count();
        let lines = |text: &str| {
            let mut at = 0;
            let ends = text.match_indices('\n').map(|it| it.0 + 1).chain([text.len()]);
            let ends = ends.filter(|it| is_paired || *it == text.len());
            let lines = ends.map(|end| std::mem::replace(&mut at, end)..end);
            lines.collect::<Vec<_>>()
        };
        let pairs = lines(now).into_iter().zip(lines(before));
        let line = |(of_now, of_before): (Range<usize>, Range<usize>)| {
            let (now, before) = (&now[of_now.clone()], &before[of_before.clone()]);
            let same = |pairs: &mut dyn Iterator<Item = (char, char)>| {
                let same = pairs.take_while(|it| it.0 == it.1);
                same.map(|it| it.0.len_utf8()).sum::<usize>()
            };
            let same_before = same(&mut now.chars().zip(before.chars()));
            let most_after = now.len().min(before.len()) - same_before;
            let same_after = same(&mut now.chars().rev().zip(before.chars().rev()));
            Line {
                now: of_now,
                before: of_before,
                same_before,
                same_after: if same_after > most_after { 0 } else { same_after },
            }
        };
        Self(pairs.map(line).collect())
    }

    /// Maps a range of the changed text to the range of the original text from which it comes.
    pub(crate) fn before(&self, now: Range<usize>) -> Range<usize> {
        let start = self.position(now.start, false);
        start..self.position(now.end, true).max(start)
    }

    fn position(&self, at: usize, is_end: bool) -> usize {
        let n = self.0.partition_point(|it| it.now.start < at + usize::from(!is_end));
        let Some(line) = self.0.get(n.saturating_sub(1)) else {
            return 0;
        };
        let within = at.saturating_sub(line.now.start);
        let left = line.now.end.saturating_sub(at);
        if within < line.same_before || within == line.same_before && !is_end {
            line.before.start + within
        } else if left < line.same_after || left == line.same_after && is_end {
            line.before.end - left.min(line.before.len())
        } else if is_end {
            line.before.end - line.same_after
        } else {
            line.before.start + line.same_before
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(now: &str, before: &str, part: &str, expected: &str) {
        let at = now.find(part).expect("the part");
        let changed = ChangedText::new(now, before);
        assert_eq!(&before[changed.before(at..at + part.len())], expected);
        for (start, _) in now.char_indices() {
            for (end, _) in now.char_indices().filter(|it| it.0 >= start) {
                assert!(before.get(changed.before(start..end)).is_some(), "{start}..{end}");
            }
        }
    }

    #[test]
    fn where_a_part_was_written() {
        let before = "spec:\n  size: ${SIZE}\n  color: 'x${A}'\nb: c\n";
        let now = "spec:\n  size: big\n  color: 'xy'\nb: c\n";
        check(now, before, "big", "${SIZE}");
        check(now, before, "size", "size");
        check(now, before, "'xy'", "'x${A}'");
        check(now, before, "b: c", "b: c");
        check(now, before, "c\n", "c\n");
        check("a: 1\nb: 2\n", "a: ${A}\n", "2", "${A}");
        check("", "${A}", "", "${A}");
        check("ä: ö", "ä: ${ö}", "ö", "${ö}");
        check("aa", "a", "aa", "a");
    }
}
