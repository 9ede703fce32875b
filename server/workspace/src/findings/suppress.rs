//! Comments that suppress findings: `# crd-analyzer: ignore[code, code] reason`, and the same text after `//` in Go.
//!
//! A comment at the end of a line applies to that line. A comment on a line of its own applies to the next line that is not blank. A comment with
//! `ignore-file[code]` applies to the whole file if nothing else precedes it.

use std::collections::HashMap;

use crd_analyzer_syntax::tree::Span;

use crate::{
    codes,
    findings::finding::{Class, Finding},
    words::{MAX_HEADLINE, clip},
};

/// A suppression comment.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Suppression {
    /// The span of the comment in the file.
    comment: Span,
    reach: Reach,
    codes: Vec<String>,
    reason: String,
}

/// The part of the file that a comment applies to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Reach {
    /// All findings of the file.
    File,
    /// The findings that start on this line, or at its end.
    Line(Span),
    /// Nothing, because the comment is not followed by another line.
    Nothing,
}

const MARK: &str = "crd-analyzer:";

/// The comment syntax of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// YAML: a comment starts with `#`.
    Yaml,
    /// Go: a comment starts with `//`. With a plus sign before the words, as in a marker, controller-gen does not copy the comment into descriptions.
    Go,
}

impl Form {
    /// The text with which a new comment starts.
    const fn sign(self) -> &'static str {
        match self {
            Self::Yaml => "# ",
            Self::Go => "// +",
        }
    }

    /// The words of a comment, without the sign that starts it.
    fn body(self, comment: &str) -> &str {
        match self {
            Self::Yaml => comment.trim_start_matches('#').trim_start(),
            Self::Go => {
                let body = comment.trim_start_matches('/').trim_start();
                body.strip_prefix('+').unwrap_or(body).trim_start()
            }
        }
    }

    /// Whether a comment above this line applies to a later line, because this line is itself blank or a comment.
    fn is_passed_over(self, line: &str) -> bool {
        match self {
            Self::Yaml => line.is_empty() || line.starts_with('#'),
            // In Go files, a comment can apply to a marker, which is a comment as well.
            Self::Go => {
                let comment = line.strip_prefix("//").map(str::trim_start);
                let is_marker = |it: &str| it.starts_with('+') && !self.body(line).starts_with(MARK);
                line.is_empty() || comment.is_some_and(|it| !is_marker(it))
            }
        }
    }
}

/// Whether a text may contain suppression comments.
pub(crate) fn may_be_in(text: &str) -> bool {
    text.contains(MARK)
}

/// A comment that suppresses a code, in the syntax of this form.
pub fn comment(form: Form, code: &str) -> String {
    format!("{}{MARK} ignore[{code}] reason", form.sign())
}

/// Marks the findings that comments suppress, and reports comments that suppress nothing, have no reason or cannot be parsed.
///
/// `comments` has the spans of the document's comments, in the order of the text. Each ends at the end of its line. The work is proportional to the
/// number of comments plus the number of findings, not to their product.
pub fn apply<'f>(
    text: &str,
    form: Form,
    comments: &[Span],
    findings: impl Iterator<Item = &'f mut Finding>,
) -> Vec<Finding> {
    let mut hints = Vec::new();
    let mut suppressions = Vec::new();
    let below = None;
    let mut lines = NextLines { text, form, below };
    // Go backward, because adjacent comment lines apply to the same line. This way, that line is found only once.
    for comment in comments.iter().rev() {
        match parse(text, *comment, &mut lines) {
            Some(Ok(suppression)) => suppressions.push(suppression),
            Some(Err(Malformed)) => {
                let headline = "this suppression is not valid, so it has no effect";
                hints.push(Finding {
                    label: Some("not a suppression".to_owned()),
                    help: vec![format!(
                        "write `{}`, or `ignore-file[code]` for the whole file",
                        self::comment(form, "code")
                    )],
                    ..Finding::new(Class::Hint, "malformed-suppression", *comment, headline)
                });
            }
            None => {}
        }
    }
    hints.reverse();
    suppressions.reverse();
    if suppressions.is_empty() {
        return hints;
    }
    let mut meant = Meant::new(&suppressions);
    for finding in findings {
        if meant.silence(finding) {
            finding.suppressed = true;
        }
    }
    let is_used: Vec<bool> = suppressions.iter().map(|it| meant.is_used(it)).collect();
    for (suppression, is_used) in suppressions.into_iter().zip(is_used) {
        if !is_used && suppression.codes.iter().all(|it| is_of_changes(it)) {
            // The code is reported only by a comparison. Without one, it is unknown whether the comment suppresses anything.
        } else if !is_used {
            hints.push(unused(&suppression));
        } else if suppression.reason.is_empty() {
            let headline = "this suppression has no reason";
            let code = "suppression-without-reason";
            hints.push(Finding {
                label: Some("no reason after `]`".to_owned()),
                help: vec![format!("add why: `{}`", comment(form, "code"))],
                ..Finding::new(Class::Hint, code, suppression.comment, headline)
            });
        }
    }
    hints
}

/// Whether a code is reported only when a text is compared with another one.
fn is_of_changes(code: &str) -> bool {
    [
        crd_analyzer_compat::codes::BREAKING_CHANGE,
        crd_analyzer_compat::codes::UNPROVEN_CHANGE,
    ]
    .contains(&code)
}

/// The error for a suppression comment that is not valid.
struct Malformed;

/// The finding about a suppression comment that suppresses nothing.
fn unused(suppression: &Suppression) -> Finding {
    let unknown = suppression.codes.iter().find(|it| codes::find(it).is_none());
    let near = unknown.and_then(|it| codes::nearest(it));
    let (headline, label, help) = match (unknown, near) {
        (Some(code), Some(near)) => (
            format!("`{code}` is not a diagnostic code"),
            format!("did you mean `{near}`?"),
            format!("change `{code}` to `{near}`"),
        ),
        (Some(code), None) => (
            format!("`{code}` is not a diagnostic code"),
            "not a diagnostic code".to_owned(),
            "remove the comment".to_owned(),
        ),
        (None, _) => (
            format!("`{}` is not reported here", suppression.codes.join("` or `")),
            "suppresses nothing".to_owned(),
            "remove the comment, or move it to the line of the diagnostic or above it".to_owned(),
        ),
    };
    let headline = clip(&headline, MAX_HEADLINE);
    Finding {
        unnecessary: true,
        label: Some(clip(&label, MAX_HEADLINE)),
        help: vec![help],
        ..Finding::new(Class::Hint, "unused-suppression", suppression.comment, headline)
    }
}

/// The places to which suppression comments apply, by code.
struct Meant<'s>(HashMap<&'s str, Places>);

#[derive(Default)]
struct Places {
    /// If a comment applies to the whole file: whether it has suppressed a finding.
    file: Option<bool>,
    /// The lines to which comments apply, by start offset: the end of the line, and whether a finding on it was suppressed.
    lines: HashMap<u32, (u32, bool)>,
    /// The start offsets of these lines, sorted.
    starts: Vec<u32>,
}

impl<'s> Meant<'s> {
    fn new(suppressions: &'s [Suppression]) -> Self {
        let mut by_code: HashMap<&str, Places> = HashMap::new();
        for suppression in suppressions {
            for code in &suppression.codes {
                let places = by_code.entry(code).or_default();
                match suppression.reach {
                    Reach::File => places.file = Some(false),
                    Reach::Line(line) => {
                        places.lines.insert(line.start, (line.end, false));
                    }
                    Reach::Nothing => {}
                }
            }
        }
        for places in by_code.values_mut() {
            places.starts.extend(places.lines.keys());
            places.starts.sort_unstable();
        }
        Self(by_code)
    }

    /// Whether a comment suppresses the finding. Records that the comment is used.
    fn silence(&mut self, finding: &Finding) -> bool {
        let Some(places) = self.0.get_mut(finding.code) else {
            return false;
        };
        if let Some(is_used) = &mut places.file {
            *is_used = true;
        }
        let at = finding.span.start;
        let next = places.starts.partition_point(|it| *it <= at);
        let line = next
            .checked_sub(1)
            .and_then(|it| places.lines.get_mut(&places.starts[it]));
        let line = line.filter(|(end, _)| at <= *end);
        let is_on_line = line.is_some();
        if let Some((_, is_used)) = line {
            *is_used = true;
        }
        is_on_line || places.file.is_some()
    }

    /// Whether the comment has suppressed any finding.
    fn is_used(&self, suppression: &Suppression) -> bool {
        let mut places = suppression.codes.iter().filter_map(|it| self.0.get(it.as_str()));
        places.any(|it| match suppression.reach {
            Reach::File => it.file == Some(true),
            Reach::Line(line) => it.lines.get(&line.start).is_some_and(|it| it.1),
            Reach::Nothing => false,
        })
    }
}

/// Parses a comment. `None` if it is not for crd-analyzer.
fn parse(text: &str, comment: Span, lines: &mut NextLines<'_>) -> Option<Result<Suppression, Malformed>> {
    let body = lines.form.body(text.get(comment.range())?);
    let body = body.strip_prefix(MARK)?.trim();
    let Some((verb, rest)) = body.split_once('[') else {
        return Some(Err(Malformed));
    };
    let Some((codes, reason)) = rest.split_once(']') else {
        return Some(Err(Malformed));
    };
    let codes: Vec<String> = codes
        .split(',')
        .map(|code| code.trim().to_owned())
        .filter(|code| !code.is_empty())
        .collect();
    if codes.is_empty() {
        return Some(Err(Malformed));
    }
    let reach = match verb.trim() {
        "ignore" => lines.reach(comment),
        "ignore-file" => Reach::File,
        _ => return Some(Err(Malformed)),
    };
    Some(Ok(Suppression {
        comment,
        reach,
        codes,
        reason: reason.trim().to_owned(),
    }))
}

/// Finds the lines to which comments apply. Must be asked from the last comment to the first.
struct NextLines<'t> {
    text: &'t str,
    form: Form,
    /// The start of the previous comment that has its own line, and the lines to which it applies.
    below: Option<(usize, Reach)>,
}

impl NextLines<'_> {
    /// The lines to which a comment applies. For a comment at the end of a line, that line. For a comment on its own line, the next line that is not
    /// blank.
    fn reach(&mut self, comment: Span) -> Reach {
        let text = self.text;
        let start = comment.start as usize;
        let line_start = text[..start].rfind(BREAKS).map_or(0, |at| at + 1);
        if !text[line_start..start].trim().is_empty() {
            return Reach::Line(Span::new(line_start as u32, self.line_end(start) as u32));
        }
        let reach = self.after(self.line_end(start));
        self.below = Some((line_start, reach));
        reach
    }

    /// The first line that is not blank after a line that ends at `at`.
    fn after(&self, mut at: usize) -> Reach {
        while at < self.text.len() {
            let start = at + 1;
            if let Some((line, reach)) = self.below
                && line == start
            {
                return reach;
            }
            let end = self.line_end(start);
            let line = self.text[start..end].trim();
            if !self.form.is_passed_over(line) {
                return Reach::Line(Span::new(start as u32, end as u32));
            }
            at = end;
        }
        Reach::Nothing
    }

    fn line_end(&self, from: usize) -> usize {
        self.text[from..].find(BREAKS).map_or(self.text.len(), |at| from + at)
    }
}

/// Line break characters.
const BREAKS: [char; 2] = ['\n', '\r'];

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts a finding `bad` at each `!`. Checks which lines keep their finding, and the diagnostics about the comments.
    fn check(text: &str, stay: &[usize], said: &[&str]) {
        let at = |needle: char| {
            text.char_indices()
                .filter(move |(_, c)| *c == needle)
                .map(|(at, _)| at as u32)
        };
        let mut findings: Vec<Finding> = at('!')
            .map(|at| Finding::new(Class::Error, "bad", Span::new(at, at + 1), ""))
            .collect();
        let comments: Vec<Span> = at('#')
            .map(|at| {
                Span::new(
                    at,
                    text[at as usize..]
                        .find('\n')
                        .map_or(text.len() as u32, |end| at + end as u32),
                )
            })
            .collect();
        let hints = apply(text, Form::Yaml, &comments, findings.iter_mut());
        let left: Vec<usize> = findings
            .iter()
            .filter(|it| !it.suppressed)
            .map(|it| text[..it.span.start as usize].lines().count())
            .collect();
        assert_eq!(left, stay, "{text}");
        assert_eq!(hints.iter().map(|hint| hint.code).collect::<Vec<_>>(), said, "{text}");
    }

    #[test]
    fn silences_its_line_or_the_next() {
        check("a: ! # crd-analyzer: ignore[bad] why\nb: !\n", &[2], &[]);
        check("# crd-analyzer: ignore[bad] why\n\n# other\na: !\nb: !\n", &[5], &[]);
        check("# crd-analyzer: ignore-file[bad] why\na: !\nb: !\n", &[], &[]);
    }

    #[test]
    fn comments_one_below_the_other_speak_of_one_line() {
        let of = |code: &str| format!("# crd-analyzer: ignore[{code}] why\n");
        let text = [&of("bad"), "\n# other\n", &of("other"), &of("bad"), "a: !\nb: !\n"].concat();
        check(&text, &[7], &["unused-suppression"]);
        check(&text.replace('\n', "\r\n"), &[7], &["unused-suppression"]);
        // The last comments are not followed by a line, and do not apply to the lines before them.
        let last = ["a: !\n", &of("bad"), &of("bad")].concat();
        check(&last, &[1], &["unused-suppression"; 2]);
    }

    #[test]
    fn a_finding_may_be_silenced_twice() {
        let text = "# crd-analyzer: ignore-file[bad] why\na: ! # crd-analyzer: ignore[x, bad] why\nb: !\n";
        check(text, &[], &[]);
    }

    #[test]
    fn many_comments_take_no_longer_than_many_lines() {
        // If the work were quadratic, the test would take minutes.
        let count = 50_000;
        let text = [
            "# crd-analyzer: ignore[bad] why\n".repeat(count),
            "a: !\n".repeat(count),
        ]
        .concat();
        let stay: Vec<usize> = (count + 2..=2 * count).collect();
        let comments: Vec<Span> = (0..count as u32).map(|it| Span::new(it * 32, it * 32 + 31)).collect();
        let first = (count * 32 + 3) as u32;
        let places = (0..count as u32).map(|it| Span::new(first + it * 5, first + it * 5 + 1));
        let mut findings: Vec<Finding> = places.map(|it| Finding::new(Class::Error, "bad", it, "")).collect();
        assert_eq!(apply(&text, Form::Yaml, &comments, findings.iter_mut()), []);
        let left = findings.iter().enumerate().filter(|it| !it.1.suppressed);
        let left: Vec<usize> = left.map(|it| count + 1 + it.0).collect();
        assert_eq!(left, stay);
    }

    /// Like `check`, but for a Go file with findings at each `!`.
    #[track_caller]
    fn check_go(text: &str, stay: &[usize], said: &[&str]) {
        let marks = text.match_indices('!').map(|it| it.0 as u32);
        let mut findings: Vec<Finding> = marks
            .map(|at| Finding::new(Class::Hint, "bad", Span::new(at, at + 1), ""))
            .collect();
        let mut at = 0;
        let mut comments = Vec::new();
        for line in text.split_inclusive('\n') {
            comments.extend(
                line.find("//")
                    .map(|it| Span::new(at + it as u32, at + line.trim_end().len() as u32)),
            );
            at += line.len() as u32;
        }
        let hints = apply(text, Form::Go, &comments, findings.iter_mut());
        let left = findings.iter().filter(|it| !it.suppressed);
        let left: Vec<usize> = left.map(|it| text[..it.span.start as usize].lines().count()).collect();
        assert_eq!(left, stay, "{text}");
        assert_eq!(hints.iter().map(|hint| hint.code).collect::<Vec<_>>(), said, "{text}");
    }

    #[test]
    fn in_go_markers_are_what_comments_speak_of() {
        for sign in ["//", "// ", "// +", "//+"] {
            let ignore = format!("{sign}crd-analyzer: ignore[bad] why\n");
            check_go(&format!("{ignore}// +a!\n// +b!\n"), &[3], &[]);
            check_go(&format!("{ignore}\n// A is one.\n{ignore}// +a!\n// +b!\n"), &[6], &[]);
            check_go(&format!("{ignore}A int // +a!\n"), &[], &[]);
            let file = ignore.replace("ignore[", "ignore-file[");
            check_go(&format!("{file}// +a!\n// +b!\n"), &[], &[]);
            check_go(&format!("{ignore}// +a\n// +b!\n"), &[3], &["unused-suppression"]);
        }
        check_go(
            "// +crd-analyzer: ignore[bad]\n// +a!\n",
            &[],
            &["suppression-without-reason"],
        );
        check_go(
            "// crd-analyzer: ignore bad\n// +a!\n",
            &[2],
            &["malformed-suppression"],
        );
        check_go("// crd-analyzer is fine\n// +a!\n", &[2], &[]);
    }

    #[test]
    fn says_when_a_comment_does_nothing() {
        check("a: 1 # crd-analyzer: ignore[bad] why\n", &[], &["unused-suppression"]);
        check(
            "a: ! # crd-analyzer: ignore[other] why\n",
            &[1],
            &["unused-suppression"],
        );
        check(
            "a: ! # crd-analyzer: ignore[bad]\n",
            &[],
            &["suppression-without-reason"],
        );
        check("a: ! # crd-analyzer: silence\n", &[1], &["malformed-suppression"]);
        check("a: ! # crd-analyzer: ignore[]\n", &[1], &["malformed-suppression"]);
    }
}
