//! Merges hints with the same cause at several places of a CRD: hints about rules that read an optional field, and about columns and paths that are
//! the same in several versions. Editors still mark each place.

use std::collections::HashMap;

use crd_analyzer_syntax::lines::LineIndex;
use crd_analyzer_workspace::{
    config::Config,
    findings::report::{FileReport, MergedFinding},
    judging::hazards::codes::OPTIONAL_FIELD_READ,
    judging::lints::is_told_once,
};

/// The maximum number of lines to list.
const MOST_LINES: usize = 10;

/// The findings to show for each document, with hints of the same cause merged.
pub(super) fn documents(report: &FileReport, config: &Config) -> Vec<Vec<MergedFinding>> {
    let mut all = report.merged_findings(config);
    let may_join = |it: &MergedFinding| it.finding.code == OPTIONAL_FIELD_READ || is_told_once(it.finding.code);
    if all
        .iter()
        .all(|shown| shown.iter().filter(|it| may_join(it)).count() < 2)
    {
        return all;
    }
    let lines = LineIndex::new(&report.text);
    let line_of = |it: &MergedFinding| lines.line_of(it.finding.span.start);
    let text_of = |line: u32| {
        let span = lines.line_start(line) as usize..lines.line_start(line + 1) as usize;
        report.text.get(span).unwrap_or_default().trim()
    };
    // Each line is compared only once, even if it has many hints, because one line may contain the whole file.
    let (mut first_lines, mut alike): (HashMap<&str, u32>, HashMap<u32, u32>) = Default::default();
    let mut first_like = |line: u32| {
        *alike
            .entry(line)
            .or_insert_with(|| *first_lines.entry(text_of(line)).or_insert(line))
    };
    for shown in &mut all {
        // The index of the first hint of each cause, and the lines of the other hints.
        let mut causes: HashMap<(&str, String, Option<u32>), usize> = HashMap::new();
        let mut others: HashMap<usize, Vec<u32>> = HashMap::new();
        let mut kept: Vec<MergedFinding> = Vec::with_capacity(shown.len());
        for it in std::mem::take(shown) {
            if !may_join(&it) {
                kept.push(it);
                continue;
            }
            let line = line_of(&it);
            let is_of_line = it.finding.code != OPTIONAL_FIELD_READ;
            let like = is_of_line.then(|| first_like(line));
            let next = kept.len();
            let cause = (it.finding.code, it.finding.headline.clone(), like);
            let first = *causes.entry(cause).or_insert(next);
            if first == next {
                kept.push(it);
            } else {
                others.entry(first).or_default().push(line + 1);
            }
        }
        for (first, lines) in others {
            if let Some(it) = kept.get_mut(first) {
                it.finding.notes.extend(also(lines));
            }
        }
        *shown = kept;
    }
    all
}

/// A note that lists the other lines with the same hint. `lines` contains the line of each hint.
pub(super) fn also(mut lines: Vec<u32>) -> Option<String> {
    let places = lines.len();
    lines.sort_unstable();
    lines.dedup();
    // Several hints may be on the same line.
    let times = if lines.len() < places {
        format!(" ({places} times)")
    } else {
        String::new()
    };
    // The last line number takes no more space than "and 1 others".
    let most = if lines.len() == MOST_LINES + 1 {
        lines.len()
    } else {
        MOST_LINES
    };
    let named: Vec<String> = lines.iter().take(most).map(u32::to_string).collect();
    let (last, rest) = named.split_last()?;
    Some(match (rest, lines.len() - named.len()) {
        ([], 0) => format!("the same in line {last}{times}"),
        (rest, 0) => format!("the same in lines {} and {last}{times}", rest.join(", ")),
        (_, more) => format!("the same in lines {} and {more} others{times}", named.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_lines_are_named() {
        let words = |lines: &[u32]| also(lines.to_vec()).unwrap_or_default();
        assert_eq!(words(&[]), "");
        assert_eq!(words(&[7]), "the same in line 7");
        assert_eq!(words(&[7, 9]), "the same in lines 7 and 9");
        assert_eq!(words(&[9, 7, 9]), "the same in lines 7 and 9 (3 times)");
        let many: Vec<u32> = (1..=12).collect();
        assert_eq!(
            words(&many),
            "the same in lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 others"
        );
    }
}
