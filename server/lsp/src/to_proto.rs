//! Converts findings and spans to LSP.

use crd_analyzer_syntax::{lines::LineIndex, tree::Span};
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    documents::source::SourceText,
    findings::finding::{Class, Finding, Related, Severity},
    findings::report::MergedFinding,
};
use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    NumberOrString, Position, Range, Uri,
};

use crate::{capabilities::Client, display_text, limits, names::NAME, row::fitted};

/// A text and the client's capabilities, for converting spans.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    pub(crate) uri: &'a Uri,
    pub(crate) text: &'a str,
    pub(crate) lines: &'a LineIndex,
    pub(crate) client: &'a Client,
}

/// Converts a byte offset to an LSP position.
pub(crate) fn position(source: &Source<'_>, offset: u32) -> Position {
    let (line, column) = source.lines.position(source.text, offset, source.client.unit);
    Position::new(line, column)
}

/// Converts a span to an LSP range.
pub(crate) fn range(source: &Source<'_>, span: Span) -> Range {
    Range::new(position(source, span.start), position(source, span.end))
}

/// The location of a span in another file.
pub(crate) fn in_file(file: &SourceText, span: Span, client: &Client) -> Option<Location> {
    // A document that is not a file uses its URI as its path.
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

/// The LSP diagnostic of a finding. `asked` has the Kubernetes versions that were checked for.
pub(crate) fn diagnostic(source: &Source<'_>, shown: &MergedFinding, asked: VersionSet) -> Diagnostic {
    let finding = &shown.finding;
    let client = source.client;
    let related = client.related_information.then(|| related(source, finding));
    Diagnostic {
        range: range(source, finding.span),
        severity: Some(severity(finding.severity)),
        code: Some(NumberOrString::String(finding.code.to_owned())),
        code_description: client.pages.as_ref().and_then(|pages| {
            let href = pages.link(finding.code)?;
            Some(CodeDescription { href })
        }),
        source: Some(NAME.to_owned()),
        message: display_text::text(&message(shown, asked, (related.is_some(), client.shows_lines))),
        related_information: related.filter(|it| !it.is_empty()),
        tags: tags(finding, client),
        data: client.diagnostic_data.then(|| {
            serde_json::json!({
                "code": finding.code, "start": finding.span.start, "end": finding.span.end,
                "help": finding.help.iter().map(|it| display_text::text(it)).collect::<Vec<_>>(), "details": details(finding),
            })
        }),
    }
}

/// A diagnostic that says how many findings were omitted. It comes last. `first` is the span of the first omitted finding, if known.
pub(crate) fn left_out(source: &Source<'_>, count: usize, first: Option<Span>) -> Diagnostic {
    let at = first.map_or(0, |it| it.start);
    let s = if count == 1 { "" } else { "s" };
    Diagnostic {
        range: range(source, Span::new(at, at)),
        severity: Some(DiagnosticSeverity::INFORMATION),
        source: Some(NAME.to_owned()),
        message: format!("{count} more diagnostic{s} of this file not shown: run `crd-analyzer check` to see all"),
        ..Diagnostic::default()
    }
}

/// The message, which starts with the headline on one line. Clients without related information get the help on a second line. Clients that display
/// several lines well get the help and the notes.
fn message(shown: &MergedFinding, asked: VersionSet, (has_related, shows_lines): (bool, bool)) -> String {
    let finding = &shown.finding;
    let mut behind = String::new();
    // Editors do not show labels, but a label that asks a question is important.
    if let Some(question) = finding.label.as_deref().filter(|it| it.ends_with('?')) {
        behind = format!(", {}", display_text::line(question));
    }
    if finding.class == Class::LaterError {
        behind.push_str(" (after fixing the errors before it)");
    }
    let mut message = fitted(&display_text::line(&shown.headline(asked)), &behind);
    if !has_related || shows_lines {
        for help in &finding.help {
            message = format!("{message}\nhelp: {help}");
        }
    }
    if shows_lines {
        for note in &finding.notes {
            message = format!("{message}\nnote: {note}");
        }
    }
    message
}

/// The notes, with the API server's own message last.
fn details(finding: &Finding) -> Vec<String> {
    let server = finding.server_note(true);
    let all = finding.notes.iter().chain(&server);
    all.map(|it| display_text::text(it)).collect()
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

/// The related information: the help, related places and notes, except those that are already in the message.
fn related(source: &Source<'_>, finding: &Finding) -> Vec<DiagnosticRelatedInformation> {
    let here = |message: String| DiagnosticRelatedInformation {
        location: Location::new(source.uri.clone(), range(source, finding.span)),
        message: display_text::text(&message),
    };
    let (help, notes): (&[String], &[String]) = if source.client.shows_lines {
        (&[], &[])
    } else {
        (&finding.help, &finding.notes)
    };
    let help = help.iter().map(|it| here(format!("help: {it}")));
    let notes = notes.iter().map(|it| here(format!("note: {it}")));
    let convert = |it: &Related| {
        let location = match &it.file {
            Some(file) => in_file(file, it.span, source.client)?,
            None => Location::new(source.uri.clone(), range(source, it.span)),
        };
        Some(DiagnosticRelatedInformation {
            location,
            message: display_text::text(&it.message),
        })
    };
    let places = finding.related.iter().take(limits::RELATED).filter_map(convert);
    let left_out = finding.related.len().saturating_sub(limits::RELATED);
    let left_out = (left_out > 0).then(|| here(format!("{left_out} more places are not listed")));
    help.chain(places).chain(left_out).chain(notes).collect()
}

#[cfg(test)]
mod tests {
    use crd_analyzer_syntax::lines::ColumnUnit;
    use crd_analyzer_workspace::findings::finding::ServerSays;

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
            // Convert each position in both directions.
            let rope = ropey::Rope::from_str(TEXT);
            for (at, (offset, char)) in TEXT.char_indices().enumerate() {
                let between = char == '\n' && TEXT[..offset].ends_with('\r');
                let back = crate::from_proto::position(&rope, position(&source, offset as u32), unit);
                assert!(between || back == at, "{offset} in {unit:?}");
            }
        }
    }

    #[test]
    fn a_message_is_one_row_and_the_rest_is_behind_it() {
        let uri: Uri = "file:///a.yaml".parse().unwrap();
        let lines = LineIndex::new(TEXT);
        let mut finding = Finding::new(Class::LaterError, "a-code", Span::new(0, 1), "what is wrong");
        finding.server = Some(ServerSays::Other("the server's words".to_owned()));
        finding.notes.push("why".to_owned());
        finding.help.push("do this".to_owned());
        finding.unnecessary = true;
        let shown = MergedFinding {
            finding,
            versions: VersionSet::default(),
        };
        let told = |client: &Client| {
            let source = Source {
                uri: &uri,
                text: TEXT,
                lines: &lines,
                client,
            };
            diagnostic(&source, &shown, VersionSet::all())
        };
        let headline = "what is wrong (Kubernetes 1.37) (after fixing the errors before it)";
        let plain = told(&Client::default());
        assert_eq!(plain.message, format!("{headline}\nhelp: do this"));
        assert_eq!((plain.related_information, plain.tags, plain.data), (None, None, None));
        let rich = told(&Client {
            related_information: true,
            unnecessary_tag: true,
            diagnostic_data: true,
            ..Client::default()
        });
        assert_eq!(rich.message, headline);
        let related = rich.related_information.into_iter().flatten();
        assert_eq!(
            related.map(|it| it.message).collect::<Vec<_>>(),
            ["help: do this", "note: why"]
        );
        assert_eq!(rich.tags, Some(vec![DiagnosticTag::UNNECESSARY]));
        // The related information does not repeat the diagnostic's own location.
        let lines = told(&Client {
            related_information: true,
            shows_lines: true,
            ..Client::default()
        });
        assert_eq!(lines.message, format!("{headline}\nhelp: do this\nnote: why"));
        assert_eq!(lines.related_information, None);
        let details = ["why", "the API server reports: the server's words"];
        assert_eq!(rich.data.unwrap()["details"], serde_json::json!(details));
    }
}
