//! Candidate quick fixes for markers.

mod arguments;
mod expression;

use std::ops::Range;

use crd_analyzer_gosource::check::{
    Finding, Problem, Tagged,
    arguments::Problem as Refused,
    catalog::{self, Definition},
    comments::{Lost, Target, Written},
    parts::Parts,
};
use crd_analyzer_syntax::{lines::line_break_at, tree::Span};

use super::File;
use crate::{fixes::TextEdit, markdown::shortened};

/// A candidate fix that was not tried yet.
pub(super) struct Repair {
    pub(super) title: String,
    /// The edits in the order of the text.
    pub(super) edits: Vec<TextEdit>,
    /// Whether the fix is unambiguous.
    pub(super) is_certain: bool,
}

impl Repair {
    fn certain(title: impl Into<String>, edits: Vec<TextEdit>) -> Self {
        Self {
            title: title.into(),
            edits,
            is_certain: true,
        }
    }
}

/// An edit that replaces a range.
fn put(span: Range<usize>, new_text: impl Into<String>) -> TextEdit {
    TextEdit {
        span: Span::new(span.start as u32, span.end as u32),
        new_text: new_text.into(),
    }
}

/// The candidate fixes for a finding.
pub(super) fn repairs(file: &File<'_>, finding: &Finding) -> Vec<Repair> {
    if let Problem::WithoutPlus { .. } = &finding.problem {
        let start = finding.span.start;
        return vec![Repair {
            title: "Add the plus sign".to_owned(),
            edits: vec![put(start..start, "+")],
            is_certain: false,
        }];
    }
    if let Problem::Tagged(
        Tagged::Option {
            written,
            meant: Some(meant),
        }
        | Tagged::Name { written, meant },
    ) = &finding.problem
    {
        // Without a backquoted tag, the finding is at the type.
        let is_written = file.text.get(finding.span.clone()) == Some(written);
        let title = format!("Change {} to {meant}", shortened(written, LONGEST_SHOWN));
        let repair = || Repair::certain(title, vec![put(finding.span.clone(), meant)]);
        return is_written.then(repair).into_iter().collect();
    }
    let Some(marker) = marker_at(file, finding.span.start) else {
        return Vec::new();
    };
    let found = match &finding.problem {
        Problem::Unknown {
            name,
            has_text: false,
            meant: Some(meant),
        } => Some(spelling(finding, name, meant)),
        Problem::Unknown {
            name,
            meant: Some(meant),
            ..
        } => text_behind(file, marker, name, meant),
        Problem::Refused { problem, meant, .. } => {
            let parts = Parts::of(file.text, marker, marker.span.end);
            match problem {
                Refused::Another(other) => on_lines(file, marker, finding.span.start, std::slice::from_ref(other)),
                Refused::Several(all) => on_lines(file, marker, marker.span.start, all),
                _ => arguments::repair(file, finding, &parts, (problem, meant.as_deref())),
            }
        }
        Problem::Misplaced {
            at: Err(Lost::Behind), ..
        } => above(file, marker),
        Problem::Misplaced {
            at: Err(Lost::Documentation),
            fits,
            ..
        } if *fits == [Target::Package] => out_of_documentation(file, marker),
        Problem::Repeated { is_same: true, .. } => without(file, marker),
        Problem::Misread { meant: Some(meant), .. } => Some(Repair::certain(
            format!("Write {}", shortened(meant, LONGEST_SHOWN)),
            vec![put(finding.span.clone(), meant)],
        )),
        Problem::Quotes { .. } => {
            let parts = Parts::of(file.text, marker, marker.span.end);
            expression::quotes(file.text, finding, &parts)
        }
        _ => None,
    };
    found.into_iter().collect()
}

/// The marker at an offset.
fn marker_at<'f>(file: &'f File<'_>, at: usize) -> Option<&'f Written> {
    let all = &file.comments.markers;
    let before = all.partition_point(|it| it.span.start <= at).checked_sub(1)?;
    all.get(before).filter(|it| at <= it.span.end)
}

/// The maximum length of a name in a title, in characters.
const LONGEST_SHOWN: usize = 60;

fn spelling(finding: &Finding, name: &str, meant: &str) -> Repair {
    let start = finding.span.start;
    let title = format!(
        "Change +{} to +{}",
        shortened(name, LONGEST_SHOWN),
        shortened(meant, LONGEST_SHOWN)
    );
    Repair::certain(title, vec![put(start..start + name.len(), meant)])
}

/// Turns text after a marker into the marker's value, or moves it to its own line. `word` is the name as written.
fn text_behind(file: &File<'_>, marker: &Written, word: &str, name: &str) -> Option<Repair> {
    let text = file.text;
    let word_end = marker.span.start + 1 + word.len();
    let rest = text.get(word_end..marker.span.end)?.trim_start();
    let rest_start = marker.span.end - rest.len();
    let name_span = marker.span.start + 1..word_end;
    let takes_value = catalog::definitions(name).iter().any(Definition::is_anonymous);
    if takes_value && word.ends_with(':') {
        return Some(Repair {
            title: "Write = before the value".to_owned(),
            edits: vec![put(name_span.start..rest_start, format!("{name}="))],
            is_certain: false,
        });
    }
    let line = Line::of(text, marker.span.start)?;
    let before = text.get(line.start..marker.span.start)?;
    let moved = format!("{rest}{}{before}+{name}", line.end);
    Some(Repair {
        title: "Move the text to a line of its own".to_owned(),
        edits: vec![put(marker.span.clone(), moved)],
        is_certain: false,
    })
}

/// Replaces the end of a marker's line, from an offset, by markers on lines of their own.
fn on_lines(file: &File<'_>, marker: &Written, from: usize, markers: &[String]) -> Option<Repair> {
    let text = file.text;
    let line = Line::of(text, marker.span.start)?;
    let before = text.get(line.start..marker.span.start)?;
    let kept = text.get(marker.span.start..from)?.trim_end().len();
    let mut written = markers.join(&format!("{}{before}", line.end));
    if kept > 0 {
        written.insert_str(0, &format!("{}{before}", line.end));
    }
    let edit = put(marker.span.start + kept..marker.span.end, written);
    Some(Repair::certain("Write one marker on each line", vec![edit]))
}

/// The line of a marker, if the marker is alone on it.
pub(super) struct Line {
    pub(super) start: usize,
    /// The line break at the end of the line.
    pub(super) end: &'static str,
    /// The start of the next line.
    next: usize,
}

impl Line {
    /// The line of a marker, if its comment starts the line.
    fn of(text: &str, marker: usize) -> Option<Self> {
        let line = Self::around(text, marker)?;
        let before = text.get(line.start..marker)?.trim();
        before.trim_end_matches([' ', '\t']).eq("//").then_some(line)
    }

    pub(super) fn around(text: &str, at: usize) -> Option<Self> {
        let start = text.get(..at)?.rfind('\n').map_or(0, |it| it + 1);
        let rest = text.get(at..)?;
        let next = rest.find('\n').map_or(text.len(), |it| at + it + 1);
        let end = line_break_at(text, at);
        Some(Self { start, end, next })
    }
}

/// Removes a marker that repeats an earlier one, together with its line.
fn without(file: &File<'_>, marker: &Written) -> Option<Repair> {
    let line = Line::of(file.text, marker.span.start)?;
    Some(Repair::certain(
        "Remove the repeated marker",
        vec![put(line.start..line.next, "")],
    ))
}

/// Moves a marker from the end of a declaration's line to a line above the declaration.
fn above(file: &File<'_>, marker: &Written) -> Option<Repair> {
    let text = file.text;
    let line = Line::around(text, marker.span.start)?;
    let before = text.get(line.start..marker.span.start)?;
    let code = before.trim_end().strip_suffix("//")?.trim_end();
    let indentation = &before[..before.len() - before.trim_start().len()];
    let moved = format!("{indentation}// {}{}", &text[marker.span.clone()], line.end);
    let edits = vec![
        put(line.start..line.start, moved),
        put(line.start + code.len()..marker.span.end, ""),
    ];
    Some(Repair::certain("Move the marker above the declaration", edits))
}

/// The maximum number of comment lines to rearrange.
const LONGEST_GROUP: usize = 200;

/// Moves all package markers out of the documentation comment that contains the given one.
fn out_of_documentation(file: &File<'_>, marker: &Written) -> Option<Repair> {
    let text = file.text;
    let line = Line::of(text, marker.span.start)?;
    let is_comment = |it: &str| it.trim_start().starts_with("//");
    let (mut top, mut left) = (line.start, LONGEST_GROUP);
    while left > 0
        && let Some(above) = top.checked_sub(1)
        && let Some(above) = Line::around(text, above)
        && is_comment(&text[above.start..top])
    {
        top = above.start;
        left -= 1;
    }
    let mut bottom = line.next;
    while left > 0
        && let Some(below) = Line::around(text, bottom)
        && bottom < text.len()
        && is_comment(&text[bottom..below.next])
    {
        bottom = below.next;
        left -= 1;
    }
    if left == 0 {
        return None;
    }
    let number_at = |at: usize| file.comments.markers.partition_point(|it| it.span.start < at);
    let all = file.comments.markers[number_at(top)..number_at(bottom)].iter();
    let lines: Vec<Line> = all.map(|it| Line::of(text, it.span.start)).collect::<Option<_>>()?;
    let moved: String = lines.iter().map(|it| &text[it.start..it.next]).collect();
    let title = "Separate the markers from the documentation";
    if moved.len() == bottom - top {
        return Some(Repair::certain(title, vec![put(bottom..bottom, line.end)]));
    }
    let mut edits = vec![put(top..top, format!("{moved}{}", line.end))];
    edits.extend(lines.iter().map(|it| put(it.start..it.next, "")));
    Some(Repair::certain(title, edits))
}
