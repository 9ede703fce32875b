//! Comments that silence findings: `# crd-analyzer: ignore[code, code] reason`.
//!
//! At the end of a line the comment speaks of that line, on a line of its own of the next line that holds something.
//! A comment before everything else in the file that says `ignore-file[code]` speaks of the whole file.

use crd_analyzer_syntax::tree::Span;

use crate::finding::{Class, Finding};

/// What a comment silences.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Suppression {
    /// The comment.
    comment: Span,
    /// The bytes whose findings it speaks of.
    reach: Span,
    codes: Vec<String>,
    reason: String,
    used: bool,
}

const MARK: &str = "crd-analyzer:";

/// Marks the findings that comments silence, and reports comments that silence nothing, have no reason or cannot be read.
///
/// `comments` are the spans of the document's comments, from `#` to the end of the line.
pub fn apply<'f>(text: &str, comments: &[Span], findings: impl Iterator<Item = &'f mut Finding>) -> Vec<Finding> {
    let mut hints = Vec::new();
    let mut suppressions = Vec::new();
    for comment in comments {
        match parse(text, *comment) {
            Some(Ok(suppression)) => suppressions.push(suppression),
            Some(Err(why)) => hints.push(Finding::new(Class::Hint, "malformed-suppression", *comment, why)),
            None => {}
        }
    }
    if suppressions.is_empty() {
        return hints;
    }
    for finding in findings {
        for suppression in &mut suppressions {
            let meant = suppression.codes.iter().any(|code| code == finding.code);
            if meant && suppression.reach.start <= finding.span.start && finding.span.start <= suppression.reach.end {
                finding.suppressed = true;
                suppression.used = true;
            }
        }
    }
    for suppression in suppressions {
        if !suppression.used {
            let message = format!(
                "nothing here to ignore: no finding `{}` in reach of this comment",
                suppression.codes.join("`, `")
            );
            hints.push(Finding {
                unnecessary: true,
                ..Finding::new(Class::Hint, "unused-suppression", suppression.comment, message)
            });
        } else if suppression.reason.is_empty() {
            let message = "say why: `# crd-analyzer: ignore[code] reason`";
            hints.push(Finding::new(
                Class::Hint,
                "suppression-without-reason",
                suppression.comment,
                message,
            ));
        }
    }
    hints
}

/// Reads one comment. `None`: it does not speak to us.
fn parse(text: &str, comment: Span) -> Option<Result<Suppression, String>> {
    let body = text
        .get(comment.range())?
        .trim_start_matches('#')
        .trim_start()
        .strip_prefix(MARK)?
        .trim();
    let form = || "write `# crd-analyzer: ignore[code] reason`, or `ignore-file[code]` for the whole file".to_owned();
    let Some((verb, rest)) = body.split_once('[') else {
        return Some(Err(form()));
    };
    let Some((codes, reason)) = rest.split_once(']') else {
        return Some(Err(form()));
    };
    let codes: Vec<String> = codes
        .split(',')
        .map(|code| code.trim().to_owned())
        .filter(|code| !code.is_empty())
        .collect();
    if codes.is_empty() {
        return Some(Err(
            "name what to ignore: `# crd-analyzer: ignore[code] reason`".to_owned()
        ));
    }
    let reach = match verb.trim() {
        "ignore" => reach(text, comment),
        "ignore-file" => Span::new(0, text.len() as u32),
        _ => return Some(Err(form())),
    };
    Some(Ok(Suppression {
        comment,
        reach,
        codes,
        reason: reason.trim().to_owned(),
        used: false,
    }))
}

/// The line of the comment, or if nothing else stands on it, the next line that holds something.
fn reach(text: &str, comment: Span) -> Span {
    let start = comment.start as usize;
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = |from: usize| text[from..].find('\n').map_or(text.len(), |at| from + at);
    if !text[line_start..start].trim().is_empty() {
        return Span::new(line_start as u32, line_end(start) as u32);
    }
    let mut at = line_end(start);
    while at < text.len() {
        let end = line_end(at + 1);
        let line = text[at + 1..end].trim();
        if !line.is_empty() && !line.starts_with('#') {
            return Span::new(at as u32 + 1, end as u32);
        }
        at = end;
    }
    comment
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts a finding `bad` at every `!` and says which lines stay, and what is said of the comments.
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
        let hints = apply(text, &comments, findings.iter_mut());
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
