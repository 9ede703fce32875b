//! Tests in editors: LSP extensions that list and run tests, lenses that do the same in editors without a test view, and a command that updates the
//! expectations of tests to what the API server answers.

use std::{collections::HashSet, path::Path, sync::Arc};

use crd_analyzer_suite::{self as suite, rewrite::Edit, run::Failed, update};
use crd_analyzer_syntax::{lines::LineIndex, tree::Span};
use lsp_types::{CodeLens, Command, MessageType, Range, TextEdit, Uri};
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};

use super::sample::Place;
use crate::{
    display_text,
    documents::Snapshot,
    edits::edits_of_file,
    from_proto::path_of,
    limits,
    names::{RUN_TESTS, UPDATE_TESTS},
    request_context::RequestContext,
    session::Session,
    tasks,
    test_runs::Ran,
    to_proto,
};

/// The request that lists the tests of the workspace, or of the file `{uri}`. The response is `{files: [{uri, tests: [{name, range}], problem}]}`.
/// `problem` tells why a file cannot be read.
pub(crate) const LIST: &str = "crd-analyzer/tests";

/// The request that runs the tests `{uri, tests: [name]}` of a file; without `tests`, all of them. The response is `{tests: [{name, state, failures:
/// [{message, range, expected, actual}]}], problems: [{message, range}]}`. A state is `passed`, `failed` or `skipped`.
pub(crate) const RUN: &str = "crd-analyzer/runTests";

/// The maximum number of files in a response.
const MOST_FILES: usize = 2_000;
/// The maximum total size of the files that are read to list tests, in bytes.
const MOST_BYTES: usize = 64 << 20;

#[derive(Deserialize, Default)]
#[serde(default)]
struct Asked {
    uri: Option<Uri>,
    tests: Option<Vec<String>>,
}

fn asked(params: Value) -> Result<Asked> {
    if params.is_null() {
        return Ok(Asked::default());
    }
    serde_json::from_value(params).map_err(|error| Error::invalid_params(error.to_string()))
}

/// Converts spans of a text to LSP ranges.
struct Places<'a> {
    source: to_proto::Source<'a>,
}

impl Places<'_> {
    fn range(&self, span: Span) -> Range {
        to_proto::range(&self.source, span)
    }
}

fn with_places<T>(session: &Session, uri: &Uri, text: &str, ask: impl FnOnce(&Places<'_>) -> T) -> T {
    ask(&Places {
        source: to_proto::Source {
            uri,
            text,
            lines: &LineIndex::new(text),
            client: session.client(),
        },
    })
}

/// Lists the tests of the workspace, or of one file.
pub(crate) async fn list(session: &Arc<Session>, params: Value) -> Result<Value> {
    let asked = asked(params)?;
    session.first_look.ended().await;
    let session = session.clone();
    let found = tasks::answering("the list of tests", move |deadline| {
        let paths = match asked.uri {
            Some(uri) => path_of(&uri).into_iter().collect(),
            None => session.test_paths(),
        };
        let mut left = MOST_BYTES;
        let mut files = Vec::new();
        for path in paths.iter().take(MOST_FILES) {
            if deadline.is_over() {
                break;
            }
            let Some(text) = session.test_text(path) else { continue };
            let Some(rest) = left.checked_sub(text.len()) else {
                break;
            };
            left = rest;
            files.extend(file(&session, path, &text));
        }
        files
    });
    Ok(json!({ "files": found.await? }))
}

/// The tests of a file. `None` if the file only tries a rule, and so has no expectations.
fn file(session: &Session, path: &Path, text: &Arc<str>) -> Option<Value> {
    let uri = session.documents.at(path).map(|it| it.uri);
    let uri = uri.or_else(|| Uri::from_file_path(path))?;
    let read = suite::read(text);
    if read.as_ref().is_ok_and(|it| it.rule().is_some()) {
        return None;
    }
    Some(with_places(session, &uri, text, |places| {
        let (tests, problem) = match &read {
            Ok(suite) => {
                let test = |it: &suite::Case| json!({ "name": it.name, "range": places.range(it.span) });
                (suite.cases.iter().take(limits::ANSWERS).map(test).collect(), None)
            }
            Err(problems) => (Vec::new(), problems.first().map(|it| display_text::line(&it.message))),
        };
        json!({ "uri": uri, "tests": tests, "problem": problem })
    }))
}

/// Runs tests of a file.
pub(crate) async fn run(session: &Arc<Session>, params: Value) -> Result<Value> {
    let asked = asked(params)?;
    let uri = asked.uri.ok_or_else(|| Error::invalid_params("`uri` is missing"))?;
    session.first_look.ended().await;
    let session = session.clone();
    let found = tasks::answering("the run of tests", move |_| {
        let path = path_of(&uri)?;
        let text = session.test_text(&path)?;
        let wanted: Option<HashSet<String>> = asked.tests.map(|it| it.into_iter().collect());
        let is_wanted = |name: &str| wanted.as_ref().is_none_or(|it| it.contains(name));
        let ran = session.run_tests(&path, text, is_wanted);
        Some(with_places(&session, &uri, &ran.text, |places| results(&ran, places)))
    });
    Ok(found.await?.unwrap_or_default())
}

fn results(ran: &Ran, places: &Places<'_>) -> Value {
    let problem =
        |it: &suite::Problem| json!({ "message": display_text::line(&it.message), "range": places.range(it.span) });
    let mut tests: Vec<Value> = Vec::new();
    for (case, of_case) in ran.by_case().into_iter().take(limits::ANSWERS) {
        if of_case.is_empty() {
            continue;
        }
        let mut failures = Vec::new();
        for (variant, outcome) in &of_case {
            let told = outcome.failures.iter();
            failures.extend(told.map(|it| failure(it, (*variant, outcome.versions), &ran.text, places)));
        }
        let state = match (failures.is_empty(), of_case.iter().any(|it| it.1.versions.is_some())) {
            (false, _) => "failed",
            (true, true) => "passed",
            (true, false) => "skipped",
        };
        tests.push(json!({ "name": case.name, "state": state, "failures": failures }));
    }
    let problems: Vec<Value> = ran.problems().iter().map(problem).collect();
    json!({ "tests": tests, "problems": problems })
}

/// Converts a failed expectation, with the expected and the actual answer, to JSON.
fn failure(
    failed: &Failed,
    (variant, asked): (
        Option<&str>,
        Option<crd_analyzer_workspace::config::versions::VersionSet>,
    ),
    text: &str,
    places: &Places<'_>,
) -> Value {
    let failure = &failed.failure;
    let mut message = failed.message(asked);
    if let Some(variant) = variant {
        message = format!("{message} (with {variant})");
    }
    let (expected, actual) = failure.diff.clone().unwrap_or_else(|| {
        let expected = text.get(failure.span.range()).unwrap_or_default();
        let actual = failure.instead.clone();
        (expected.to_owned(), actual.unwrap_or_else(|| failure.got.join("\n")))
    });
    let is_shown = !failure.is_setup && !actual.is_empty();
    if !is_shown && !failure.got.is_empty() {
        message = format!("{message}: {}", failure.got.join("; "));
    }
    json!({
        "message": display_text::text(&message),
        "range": places.range(failure.span),
        "expected": is_shown.then(|| display_text::text(&expected)),
        "actual": is_shown.then(|| display_text::text(&actual)),
    })
}

/// The result of a test, as lenses and hints show it.
pub(crate) struct Told {
    /// The span of the test's name.
    pub(crate) span: Span,
    pub(crate) words: String,
    pub(crate) is_failed: bool,
}

/// The results of the tests in a document; empty if the tests have not run.
pub(crate) fn told(session: &Session, snapshot: &Snapshot) -> Vec<Told> {
    let Some(ran) = session.ran(snapshot) else {
        return Vec::new();
    };
    let problems = ran.problems().iter().map(|it| Told {
        span: it.span,
        words: it.message.clone(),
        is_failed: false,
    });
    let cases = ran.by_case().into_iter().filter_map(|(case, of_case)| {
        of_case.first()?;
        let (mut first, mut is_run) = (None, false);
        for (_, outcome) in of_case {
            is_run |= outcome.versions.is_some();
            first = first.or_else(|| Some(outcome.failures.first()?.message(outcome.versions)));
        }
        Some(Told {
            span: case.span,
            is_failed: first.is_some(),
            words: match first {
                Some(message) => format!("Test failed: {message}"),
                None if is_run => "Test passed".to_owned(),
                None => "Test is not for these Kubernetes versions".to_owned(),
            },
        })
    });
    problems.chain(cases).collect()
}

/// The lenses of a test file, for clients without a test view.
pub(crate) fn lenses(request: &RequestContext) -> Vec<CodeLens> {
    if request.client().shows_tests {
        return Vec::new();
    }
    let told = told(&request.session, &request.snapshot);
    let uri = &request.snapshot.uri;
    let lens = |span: Span, (title, command): (&str, &str)| CodeLens {
        range: request.range(span),
        command: Some(command_at(uri, request.range(span), title, command)),
        data: None,
    };
    if told.is_empty() {
        let Some(suite) = tests_of(&request.snapshot) else {
            return Vec::new();
        };
        let whole = Span::new(0, request.source().text.len() as u32);
        let mut all = lens(suite.wanted.span(), ("Run all tests", RUN_TESTS));
        if let Some(command) = &mut all.command {
            *command = command_at(uri, request.range(whole), "Run all tests", RUN_TESTS);
        }
        let each = suite.cases.iter().map(|it| lens(it.span, ("Run test", RUN_TESTS)));
        return [all].into_iter().chain(each).collect();
    }
    let mut lenses = Vec::new();
    for it in told {
        lenses.push(lens(it.span, (&it.words, RUN_TESTS)));
        if it.is_failed && request.client().applies_edits {
            lenses.push(lens(it.span, ("Update the expectation", UPDATE_TESTS)));
        }
    }
    lenses
}

/// The tests in a document. `None` if the document only tries a rule.
fn tests_of(snapshot: &Snapshot) -> Option<suite::Suite> {
    let (path, text) = (snapshot.path()?, snapshot.content());
    if !suite::may_be_suite(&path) || !suite::is_suite(&path, &text) {
        return None;
    }
    suite::read(&text).ok().filter(|it| it.rule().is_none())
}

fn command_at(uri: &Uri, range: Range, title: &str, command: &str) -> Command {
    Command {
        title: display_text::line(title),
        command: command.to_owned(),
        arguments: Some(vec![json!({ "uri": uri, "range": range })]),
    }
}

/// The commands for the tests that touch a span of a document, for clients without lenses.
pub(crate) fn actions(session: &Session, snapshot: &Snapshot, span: Span) -> Vec<Command> {
    let touches = |it: &Span| it.start <= span.end && span.start <= it.end;
    let Some(suite) = tests_of(snapshot) else {
        return Vec::new();
    };
    let told = told(session, snapshot);
    with_places(session, &snapshot.uri, &snapshot.content(), |places| {
        let mut commands = Vec::new();
        for case in suite.cases.iter().filter(|it| touches(&it.span)) {
            let range = places.range(case.span);
            commands.push(command_at(&snapshot.uri, range, "Run test", RUN_TESTS));
            let is_failed = told.iter().any(|it| it.is_failed && it.span == case.span);
            if is_failed && session.client().applies_edits {
                commands.push(command_at(&snapshot.uri, range, "Update the expectation", UPDATE_TESTS));
            }
        }
        commands
    })
}

/// Runs the tests of a document, and shows their results.
pub(crate) async fn run_shown(session: &Arc<Session>, place: Place) -> Result<()> {
    let snapshot = session.documents.snapshot(&place.uri);
    let snapshot = snapshot.ok_or_else(|| Error::invalid_params("the document is not open"))?;
    session.first_look.ended().await;
    let worker = session.clone();
    let found = tasks::answering("the run of tests", move |_| {
        let path = snapshot.path()?;
        worker.run_file(&path)?;
        let offset = |it| snapshot.offset(it, worker.client().unit);
        let asked = Span::new(offset(place.range.start), offset(place.range.end));
        let touches = |it: &Span| it.start <= asked.end && asked.start <= it.end;
        let told = told(&worker, &snapshot).into_iter();
        Some(told.filter(|it| touches(&it.span)).map(|it| it.words).next())
    });
    let Some(words) = found.await? else { return Ok(()) };
    session.refresh_costs();
    let client = session.client();
    let are_shown = client.code_lens || client.inlay_hints;
    if let (false, Some(words)) = (are_shown, words) {
        let session = session.clone();
        tasks::beside(async move {
            session
                .remote
                .show_message(MessageType::INFO, display_text::line(&words))
                .await;
        });
    }
    Ok(())
}

/// Updates the expectations of the failed tests at a place to what the API server answers.
pub(crate) async fn update(session: &Arc<Session>, place: Place) -> Result<()> {
    session.first_look.ended().await;
    let worker = session.clone();
    let found = tasks::answering("the update of tests", move |_| {
        let path = path_of(&place.uri)?;
        let text = worker.test_text(&path)?;
        let ran = worker.run_tests(&path, text, |_| true);
        let suite = ran.suite.as_ref().ok()?;
        let lines = LineIndex::new(&ran.text);
        let unit = worker.client().unit;
        let offset = |it: lsp_types::Position| lines.offset(&ran.text, it.line, it.character, unit);
        let asked = Span::new(offset(place.range.start), offset(place.range.end));
        let touches = |it: Span| it.start <= asked.end && asked.start <= it.end;
        let outcomes = ran
            .outcomes()
            .map(|it| it.1)
            .filter(|it| touches(suite.cases[it.case].span));
        let updates = update::edits(suite, outcomes);
        let edits = with_places(&worker, &place.uri, &ran.text, |places| {
            let convert = |it: &Edit| TextEdit::new(places.range(it.span), it.text.clone());
            updates.edits.iter().map(convert).collect::<Vec<_>>()
        });
        let left = updates
            .left
            .first()
            .map(|it| format!("`{}` stays as it is: {}", suite.cases[it.0].name, it.1));
        Some((edits_of_file(&worker, &place.uri, edits), left))
    });
    let Some((edit, left)) = found.await? else {
        return Ok(());
    };
    let session = session.clone();
    tasks::beside(async move {
        if let Some(edit) = edit
            && let Err(error) = session.remote.apply_edit(edit).await
        {
            tracing::warn!("the client did not apply an edit: {error}");
        }
        if let Some(left) = left {
            session
                .remote
                .show_message(MessageType::INFO, display_text::line(&left))
                .await;
        }
    });
    Ok(())
}
