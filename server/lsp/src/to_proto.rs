//! From our findings and places to the protocol's.

use crd_analyzer_syntax::{lines::LineIndex, tree::Span};
use crd_analyzer_workspace::{
    finding::{Finding, Related, Severity},
    report::Shown,
    source::SourceText,
    versions::VersionSet,
};
use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    NumberOrString, Position, Range, Uri,
};

use crate::capabilities::{Client, NAME};

/// The text that places count in, and for whom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) uri: &'a Uri,
    pub(crate) text: &'a str,
    pub(crate) lines: &'a LineIndex,
    pub(crate) client: &'a Client,
}

/// A byte offset as the client counts.
pub(crate) fn position(source: &Source<'_>, offset: u32) -> Position {
    let (line, column) = source.lines.position(source.text, offset, source.client.unit);
    Position::new(line, column)
}

/// A span as the client counts.
pub(crate) fn range(source: &Source<'_>, span: Span) -> Range {
    Range::new(position(source, span.start), position(source, span.end))
}

/// A place in another file.
pub(crate) fn in_file(file: &SourceText, span: Span, client: &Client) -> Option<Location> {
    // What is no file is known by its URI.
    let uri = Uri::from_file_path(&file.path).or_else(|| file.path.to_str()?.parse().ok())?;
    let source = Source {
        uri: &uri,
        text: &file.text,
        lines: file.lines(),
        client,
    };
    let range = range(&source, span);
    Some(Location::new(uri, range))
}

/// A finding as the client can show it. `asked` are the minors that were asked.
pub(crate) fn diagnostic(source: &Source<'_>, shown: &Shown, asked: VersionSet) -> Diagnostic {
    let finding = &shown.finding;
    let client = source.client;
    let related = client.related_information.then(|| related(source, &finding.related));
    Diagnostic {
        range: range(source, finding.span),
        severity: Some(severity(finding.severity)),
        code: Some(NumberOrString::String(finding.code.to_owned())),
        code_description: client.pages.as_ref().and_then(|pages| {
            let href = pages.link(finding.code)?;
            Some(CodeDescription { href })
        }),
        source: Some(NAME.to_owned()),
        message: message(finding, (shown.versions != asked).then_some(shown.versions)),
        related_information: related.filter(|it| !it.is_empty()),
        tags: tags(finding, client),
        data: client
            .diagnostic_data
            .then(|| serde_json::json!({ "code": finding.code, "start": finding.span.start, "end": finding.span.end })),
    }
}

/// What is wrong, in a line that makes sense alone; then why, and what to do.
fn message(finding: &Finding, only: Option<VersionSet>) -> String {
    let mut lines = vec![finding.message.clone()];
    if let Some(server) = finding
        .server
        .as_ref()
        .map(|it| it.message_beside(&finding.message))
        .filter(|it| *it != finding.message)
    {
        lines.push(format!("the server says: {server}"));
    }
    if finding.hidden {
        lines.push("the server says so once the errors before it are repaired".to_owned());
    }
    lines.extend(only.map(|it| format!("only Kubernetes {it}")));
    lines.extend(finding.notes.iter().map(|it| format!("note: {it}")));
    lines.extend(finding.help.iter().map(|it| format!("help: {it}")));
    lines.join("\n")
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Information => DiagnosticSeverity::INFORMATION,
        Severity::Hint => DiagnosticSeverity::HINT,
    }
}

fn tags(finding: &Finding, client: &Client) -> Option<Vec<DiagnosticTag>> {
    let unnecessary = (finding.unnecessary && client.unnecessary_tag).then_some(DiagnosticTag::UNNECESSARY);
    let deprecated = (finding.deprecated && client.deprecated_tag).then_some(DiagnosticTag::DEPRECATED);
    let tags: Vec<_> = unnecessary.into_iter().chain(deprecated).collect();
    (!tags.is_empty()).then_some(tags)
}

fn related(source: &Source<'_>, related: &[Related]) -> Vec<DiagnosticRelatedInformation> {
    let convert = |it: &Related| {
        let location = match &it.file {
            Some(file) => in_file(file, it.span, source.client)?,
            None => Location::new(source.uri.clone(), range(source, it.span)),
        };
        Some(DiagnosticRelatedInformation {
            location,
            message: it.message.clone(),
        })
    };
    related.iter().filter_map(convert).collect()
}

#[cfg(test)]
mod tests {
    use crd_analyzer_syntax::lines::ColumnUnit;
    use crd_analyzer_workspace::finding::{Class, ServerSays};

    use super::*;

    const TEXT: &str = "a: é😀b\r\nc: 1\n";

    fn client(unit: ColumnUnit) -> Client {
        Client {
            unit,
            ..Client::default()
        }
    }

    #[test]
    fn places_count_what_was_agreed() {
        let uri: Uri = "file:///a.yaml".parse().unwrap();
        let lines = LineIndex::new(TEXT);
        for (unit, of_b, end) in [
            (ColumnUnit::Utf8, 9, 10),
            (ColumnUnit::Utf16, 6, 7),
            (ColumnUnit::Utf32, 5, 6),
        ] {
            let client = client(unit);
            let source = Source {
                uri: &uri,
                text: TEXT,
                lines: &lines,
                client: &client,
            };
            let b = TEXT.find('b').unwrap() as u32;
            let places = range(&source, Span::new(b, b + 1));
            assert_eq!(
                places,
                Range::new(Position::new(0, of_b), Position::new(0, end)),
                "{unit:?}"
            );
            assert_eq!(
                position(&source, b + 3),
                Position::new(1, 0),
                "after the break, in {unit:?}"
            );
            assert_eq!(
                position(&source, 9_999),
                Position::new(2, 0),
                "past the end, in {unit:?}"
            );
            // There and back.
            let rope = ropey::Rope::from_str(TEXT);
            for (at, (offset, char)) in TEXT.char_indices().enumerate() {
                let between = char == '\n' && TEXT[..offset].ends_with('\r');
                let back = crate::from_proto::position(&rope, position(&source, offset as u32), unit);
                assert!(between || back == at, "{offset} in {unit:?}");
            }
        }
    }

    #[test]
    fn a_message_says_what_then_why_then_what_to_do() {
        let mut finding = Finding::new(Class::Error, "a-code", Span::new(0, 1), "what is wrong");
        finding.server = Some(ServerSays::Other("the server's words".to_owned()));
        finding.notes.push("why".to_owned());
        finding.help.push("do this".to_owned());
        finding.hidden = true;
        finding.unnecessary = true;
        let expected = "what is wrong\nthe server says: the server's words\nthe server says so once the errors before it are repaired\n\
                        only Kubernetes 1.37\nnote: why\nhelp: do this";
        assert_eq!(message(&finding, Some(VersionSet::default())), expected);
        let client = Client {
            unnecessary_tag: true,
            ..Client::default()
        };
        assert_eq!(tags(&finding, &client), Some(vec![DiagnosticTag::UNNECESSARY]));
        assert_eq!(tags(&finding, &Client::default()), None);
    }
}
