//! `textDocument/codeLens`: the cost estimate above a rule, the number of workspace objects that fail a constraint, the effects of changes above a
//! version's name, and a link to the effective object above a custom resource.

use std::sync::Arc;

use crd_analyzer_ide::lens::{self, Cost};
use crd_analyzer_schema::rules::is_of_failure;
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{comparison::since_revision::ChangedVersion, costs::FileCosts};
use lsp_types::{
    CodeLens, CodeLensParams, Command, Diagnostic, DiagnosticSeverity, Location, NumberOrString, Position, Range,
};
use serde_json::json;
use tower_lsp::jsonrpc::Result;

use super::{sample, tests};
use crate::{
    display_text,
    documents::Snapshot,
    failing_objects::FailingPlace,
    limits,
    names::{ADD_BOUNDS, SHOW_CHANGE, SHOW_EFFECTIVE, SHOW_FAILING},
    request_context::{self, RequestContext},
    session::Session,
    source_context::{self, SourceContext},
    to_proto,
    workspace_index::NearbyIndex,
};

pub(crate) async fn handle(session: &Arc<Session>, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
    if let Some(snapshot) = session.documents.source_file(&params.text_document.uri) {
        let answer = |request: &SourceContext| {
            let costs = request.costs();
            let lens = |it: &Cost| CodeLens {
                range: to_proto::range(&request.source(), with_its_line(request.source().text, it.span)),
                command: Some(Command {
                    title: display_text::line(&it.words()),
                    ..Command::default()
                }),
                data: None,
            };
            let rules = if can_try(request.session()) {
                request.rules()
            } else {
                Vec::new()
            };
            let rules = rules.into_iter().map(|span| {
                let range = |it| to_proto::range(&request.source(), it);
                CodeLens {
                    range: range(with_its_line(request.source().text, span)),
                    command: Some(sample::try_rule(&request.snapshot.uri, range(span))),
                    data: None,
                }
            });
            let failing = failing(&request.snapshot, &request.source()).into_iter();
            let changes = changes(&request.snapshot, &request.source()).into_iter();
            let all = changes.chain(failing).chain(costs.iter().map(lens)).chain(rules);
            let all = all.take(limits::ANSWERS).collect();
            let (snapshot, source) = (&request.snapshot, request.source());
            let offset = |at| snapshot.offset(at, request.client().unit);
            let all = steady(
                request.session(),
                snapshot,
                all,
                (offset, |it| to_proto::range(&source, it)),
            );
            (!all.is_empty()).then_some(all)
        };
        return source_context::read(
            session,
            snapshot,
            |it| it.code_lens,
            "the cost estimate of rules",
            answer,
        )
        .await;
    }
    let found = request_context::read_costs(
        session,
        &params.text_document.uri,
        |it| it.code_lens,
        |request| {
            let priced = request.snapshot.costs(request.version());
            let costs = lens::costs(&priced);
            let costs = costs.iter().map(|it| convert(request, it));
            let failing = failing(&request.snapshot, &request.source());
            let samples = sample::lenses(request);
            let changes = changes(&request.snapshot, &request.source());
            let all = effective(request).chain(changes).chain(failing).chain(costs);
            let all = all
                .chain(untested(request))
                .chain(rules(request, &priced))
                .chain(samples)
                .chain(tests::lenses(request));
            let all = all.take(limits::ANSWERS).collect();
            let places = (|at| request.offset(at), |it| request.range(it));
            let all = steady(&request.session, &request.snapshot, all, places);
            (!all.is_empty()).then_some(all)
        },
    );
    found.await
}

/// While the user types, keeps the lenses that are shown, provided that the client can be asked to refresh them later. `offset` converts positions to
/// byte offsets, `range` spans to ranges.
fn steady(
    session: &Arc<Session>,
    snapshot: &Snapshot,
    found: Vec<CodeLens>,
    (offset, range): (impl Fn(Position) -> u32, impl Fn(Span) -> Range),
) -> Vec<CodeLens> {
    if !session.client().refreshes_code_lenses || snapshot.is_stale() {
        return found;
    }
    let start = |it: &CodeLens| offset(it.range.start) as usize;
    let place = |byte: usize| range(Span::new(byte as u32, byte as u32)).start;
    let (answer, is_other) = snapshot.lenses.apply(found, snapshot.is_typed(), start, place);
    if is_other {
        session.refresh_lenses_at_rest(snapshot.clone());
    }
    answer
}

/// Extends a span to the first character of its line, because some editors place a lens at the column where its range starts.
fn with_its_line(text: &str, span: Span) -> Span {
    let start = span.start as usize;
    let line = text[..start].rfind(['\n', '\r']).map_or(0, |it| it + 1);
    let blanks = text[line..start].len() - text[line..start].trim_start().len();
    Span::new((line + blanks) as u32, span.end)
}

/// Lenses that open the effective object of each custom resource, if the client can show it.
fn effective(request: &RequestContext) -> impl Iterator<Item = CodeLens> {
    let known = NearbyIndex {
        session: &request.session,
        near: request.snapshot.path(),
    };
    // The values of a template are not known, so there is no object.
    let can_show = request.client().shows_effective && request.chart().is_none();
    let places = can_show.then(|| lens::resources(request.file(), &known));
    places.into_iter().flatten().map(|span| {
        let range = request.range(span);
        let place = json!({ "uri": request.snapshot.uri, "line": range.start.line });
        CodeLens {
            range,
            command: Some(Command {
                title: "Show effective object".to_owned(),
                command: SHOW_EFFECTIVE.to_owned(),
                arguments: Some(vec![place]),
            }),
            data: None,
        }
    })
}

/// Lenses with the effects of changes since a revision. A click leads to the first important change, if the client can show it.
fn changes(snapshot: &Snapshot, source: &to_proto::Source<'_>) -> Vec<CodeLens> {
    let shows_documents = source.client.shows_documents;
    let lens = |version: &ChangedVersion| {
        let mut command = Command {
            title: display_text::line(&version.summary),
            ..Command::default()
        };
        let first = version.first.filter(|_| shows_documents);
        let place = first.and_then(|first| match &version.file {
            Some(file) => to_proto::in_file(file, first, source.client),
            None => Some(Location::new(snapshot.uri.clone(), to_proto::range(source, first))),
        });
        if let Some(place) = place {
            SHOW_CHANGE.clone_into(&mut command.command);
            command.arguments = Some(vec![json!({ "uri": place.uri, "range": place.range })]);
        }
        CodeLens {
            range: to_proto::range(source, with_its_line(source.text, version.span)),
            command: Some(command),
            data: None,
        }
    };
    snapshot.changes.known.versions().map(lens).collect()
}

fn convert(request: &RequestContext, cost: &Cost) -> CodeLens {
    let mut command = Command::default();
    if cost.remedy.is_some() {
        // A click inserts the limits, if the client can apply edits that the server sends.
        if request.client().applies_edits {
            ADD_BOUNDS.clone_into(&mut command.command);
            let place = json!({
                "uri": request.snapshot.uri,
                "version": request.snapshot.version,
                "start": cost.span.start,
                "end": cost.span.end,
            });
            command.arguments = Some(vec![place]);
        }
    }
    CodeLens {
        range: request.range(with_its_line(request.source().text, cost.span)),
        command: Some(Command {
            title: display_text::line(&cost.words()),
            ..command
        }),
        data: None,
    }
}

/// Lenses at the rules that no test makes fail. If the client can show documents, a click opens objects for a test.
fn untested(request: &RequestContext) -> impl Iterator<Item = CodeLens> {
    let is_clicked = can_try(&request.session) && request.client().applies_edits;
    request.snapshot.failing.untested().into_iter().map(move |it| {
        let command = sample::try_rule(&request.snapshot.uri, request.range(it.span));
        CodeLens {
            range: request.range(with_its_line(request.source().text, it.span)),
            command: Some(Command {
                title: it.words.to_owned(),
                ..if is_clicked { command } else { Command::default() }
            }),
            data: None,
        }
    })
}

/// Lenses that open a test file in which the user can try a rule, if the client can show it.
fn rules(request: &RequestContext, costs: &FileCosts) -> impl Iterator<Item = CodeLens> {
    let places = if can_try(&request.session) {
        lens::rules(costs)
    } else {
        Vec::new()
    };
    places.into_iter().map(|span| CodeLens {
        range: request.range(with_its_line(request.source().text, span)),
        command: Some(sample::try_rule(&request.snapshot.uri, request.range(span))),
        data: None,
    })
}

/// Whether the server can write a test file for trying a rule, and the client can show it.
fn can_try(session: &Session) -> bool {
    session.client().shows_documents && session.cache.is_some()
}

/// Lenses with the number of workspace objects that fail a constraint. A click lists all of them, or opens the first one if the client has no such
/// list.
fn failing(snapshot: &Snapshot, source: &to_proto::Source<'_>) -> Vec<CodeLens> {
    let client = source.client;
    let range = |it| to_proto::range(source, it);
    let lens = |(place, words): (FailingPlace, String)| {
        let mut command = Command {
            title: display_text::line(&words),
            ..Command::default()
        };
        if let Some(first) = place.locations.first() {
            if client.shows_failing {
                SHOW_FAILING.clone_into(&mut command.command);
                let place = json!({ "uri": snapshot.uri, "range": range(place.span) });
                command.arguments = Some(vec![place]);
            } else if client.shows_documents {
                SHOW_CHANGE.clone_into(&mut command.command);
                command.arguments = Some(vec![json!({ "uri": first.uri, "range": first.range })]);
            }
        }
        CodeLens {
            range: range(with_its_line(source.text, place.span)),
            command: Some(command),
            data: None,
        }
    };
    told(snapshot, source).map(lens).collect()
}

/// The constraints of a document that get a lens, each with the lens's title. Constraints that have an error themselves get none.
pub(super) fn told(snapshot: &Snapshot, source: &to_proto::Source<'_>) -> impl Iterator<Item = (FailingPlace, String)> {
    let analysis = snapshot.analysis.get();
    let diagnostics = analysis.map(|it| it.diagnostics.as_slice()).unwrap_or_default();
    let is_code = |it: &Diagnostic| matches!(&it.code, Some(NumberOrString::String(code)) if is_of_failure(code));
    // While the schema has an error, a rule that does not compile has only a hint.
    let errors = diagnostics
        .iter()
        .filter(|it| it.severity == Some(DiagnosticSeverity::ERROR) || is_code(it));
    let errors: Vec<Range> = errors.map(|it| it.range).collect();
    let places = snapshot.failing.places().into_iter();
    let places = places.filter(move |it| {
        let range = to_proto::range(source, it.whole);
        !errors.iter().any(|it| it.start < range.end && range.start < it.end)
    });
    places.map(|it| {
        let words = it.failing.words(&it.name, &it.objects);
        (it, words)
    })
}
