//! `textDocument/codeAction`: quick fixes for the diagnostics in a range. For clients without lenses, also the commands of some lenses.

use std::{collections::HashMap, path::Path, sync::Arc};

use crd_analyzer_ide::{
    fixes::{self, Fix, FixKind, Problem},
    lens,
};
use crd_analyzer_syntax::{lines::LineIndex, tree::Span};
use crd_analyzer_workspace::{findings::report::FileReport, judging::analysis::Around, judging::hazards::Search};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse, Diagnostic, Range, TextEdit,
    WorkspaceEdit,
};
use tower_lsp::jsonrpc::Result;

use super::{sample, tests};
use crate::{
    analysis::{self, Analysis},
    capabilities::Client,
    display_text,
    documents::Snapshot,
    edits::workspace_edit,
    from_proto,
    from_proto::place_of,
    session::Session,
    source_context,
    tasks::{self, Deadline},
    to_proto,
    tried_texts::Answer,
    workspace_index::{NearbyIndex, SyncedIndex},
};

pub(crate) async fn handle(session: &Arc<Session>, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
    let only = params.context.only;
    if !session.client().code_actions || !(wants_fixes(only.as_deref()) || wants(only.as_deref(), &fix_all())) {
        return Ok(None);
    }
    let Some(snapshot) = session.documents.snapshot(&params.text_document.uri) else {
        return Ok(None);
    };
    let analysis = session.analysis_in_time(&snapshot).await?;
    let has_commands = only.as_deref().is_none_or(<[_]>::is_empty) && sample::are_actions(session);
    if analysis.all_problems().next().is_none() && !has_commands {
        return Ok(None);
    }
    let (with_fixes, with_all) = (wants_fixes(only.as_deref()), wants(only.as_deref(), &fix_all()));
    // "Fix all" skips files with expected errors, which are wrong on purpose.
    let with_all = with_all && !analysis.is_aside;
    let (session, range) = (session.clone(), params.range);
    let found = tasks::answering("the search for fixes", move |deadline| {
        let only = only.as_deref();
        let known = analysis.tried.answer(range, only);
        let mut actions = known.unwrap_or_else(|| {
            let mut found = Vec::new();
            if with_fixes {
                found = find(&session, &snapshot, &analysis, range, deadline);
                let is_asked = |it: &CodeActionOrCommand| match (it, only) {
                    (_, None | Some([])) | (CodeActionOrCommand::Command(_), _) => true,
                    (CodeActionOrCommand::CodeAction(it), only) => it.kind.as_ref().is_some_and(|it| wants(only, it)),
                };
                found.retain(is_asked);
            }
            if with_all {
                let is_wanted = only.is_some();
                found.extend(repair_all(&session, &snapshot, &analysis, (deadline, is_wanted)).map(Into::into));
            }
            if !deadline.is_over() {
                analysis.tried.keep(Answer {
                    range,
                    only: only.map(<[_]>::to_vec),
                    actions: found.clone(),
                });
            }
            found
        });
        if has_commands {
            let chars = from_proto::range(&snapshot.text, range, session.client().unit);
            let offset = |char| snapshot.text.char_to_byte(char) as u32;
            let span = Span::new(offset(chars.start), offset(chars.end));
            actions.extend(sample::actions(&session, &snapshot, span));
            let commands = tests::actions(&session, &snapshot, span);
            actions.extend(commands.into_iter().map(CodeActionOrCommand::Command));
        }
        (!snapshot.is_stale()).then_some(actions)
    });
    let actions = found.await?.ok_or_else(tasks::stale)?;
    Ok(Some(actions))
}

/// Whether the client requests a kind of code action. A kind includes its subkinds.
fn wants(only: Option<&[CodeActionKind]>, kind: &CodeActionKind) -> bool {
    let covers = |it: &CodeActionKind| {
        let rest = kind.as_str().strip_prefix(it.as_str());
        rest.is_some_and(|it| it.is_empty() || it.starts_with('.')) || *it == CodeActionKind::EMPTY
    };
    only.is_some_and(|only| only.iter().any(covers))
}

/// Whether the client requests quick fixes. They are the default.
fn wants_fixes(only: Option<&[CodeActionKind]>) -> bool {
    only.is_none_or(<[_]>::is_empty)
        || wants(only, &CodeActionKind::QUICKFIX)
        || wants(only, &CodeActionKind::REFACTOR_REWRITE)
}

/// The kind of the action that applies all fixes at once, which editors request on save.
pub(crate) fn fix_all() -> CodeActionKind {
    CodeActionKind::from("source.fixAll.crd-analyzer".to_owned())
}

/// The report for the document with this text. `None` if the deadline has passed.
fn judge(
    session: &Arc<Session>,
    (snapshot, analysis): (&Snapshot, &Analysis),
    text: &str,
    deadline: &Deadline,
) -> Option<FileReport> {
    judge_at(&place_of(&snapshot.uri), session, (snapshot, analysis), text, deadline)
}

/// Like [`judge`], for another file that is checked with the settings of the document.
fn judge_at(
    path: &Path,
    session: &Arc<Session>,
    (snapshot, analysis): (&Snapshot, &Analysis),
    text: &str,
    deadline: &Deadline,
) -> Option<FileReport> {
    if deadline.is_over() {
        return None;
    }
    let (effective, definitions) = (session.effective(snapshot), SyncedIndex(session));
    let around = Around::crds(&definitions);
    let question = analysis::question(path, &effective, around, Search::All(&session.hazards));
    Some(analysis.tried.judge((path, text), &question))
}

/// The CRDs for the resources of the document.
fn definitions<'s>(session: &'s Arc<Session>, snapshot: &'s Snapshot) -> NearbyIndex<'s> {
    NearbyIndex {
        session,
        near: snapshot.path(),
    }
}

/// Applies all unambiguous fixes at once.
fn repair_all(
    session: &Arc<Session>,
    snapshot: &Snapshot,
    analysis: &Analysis,
    (deadline, is_wanted): (&Deadline, bool),
) -> Option<CodeAction> {
    let client = session.client();
    let text = snapshot.content();
    let (edits, fixes) = if snapshot.source().is_some() {
        let effective = session.effective(snapshot);
        let language = source_context::language(session, snapshot, &effective);
        let own = language.and_then(|it| it.repair_all(&text, analysis.all_problems().collect()));
        // This takes longer, so do it only on request, and not each time that the cursor moves.
        if is_wanted {
            session.repair_all_of_made((snapshot, &effective), analysis.all_problems(), own, deadline)?
        } else {
            own?
        }
    } else {
        fixes::repair_all(
            &text,
            analysis.all_problems(),
            &definitions(session, snapshot),
            &|text| judge(session, (snapshot, analysis), text, deadline),
        )?
    };
    let source = to_proto::Source {
        uri: &snapshot.uri,
        text: &text,
        lines: &LineIndex::new(&text),
        client,
    };
    let edits = edits.iter().map(|it| TextEdit {
        range: to_proto::range(&source, it.span),
        new_text: it.new_text.clone(),
    });
    Some(CodeAction {
        title: format!("Repair all ({})", fixes.len()),
        kind: Some(fix_all()),
        edit: Some(workspace_edit(snapshot, client.versioned_edits, edits.collect())),
        ..CodeAction::default()
    })
}

fn find(
    session: &Arc<Session>,
    snapshot: &Snapshot,
    analysis: &Analysis,
    range: Range,
    deadline: &Deadline,
) -> CodeActionResponse {
    let client = session.client();
    let text = snapshot.content();
    let chars = from_proto::range(&snapshot.text, range, client.unit);
    let offset = |char| snapshot.text.char_to_byte(char) as u32;
    let span = Span::new(offset(chars.start), offset(chars.end));
    let is_source = snapshot.source().is_some();
    let found = if is_source {
        of_source(session, snapshot, analysis, (&text, span), deadline)
    } else {
        of_manifest(session, snapshot, analysis, (&text, span), deadline)
    };
    let source = to_proto::Source {
        uri: &snapshot.uri,
        text: &text,
        lines: &LineIndex::new(&text),
        client,
    };
    let sent = analysis.diagnostics_of();
    let convert = |fix: Fix| {
        let diagnostics = sent.get(&fix.problem).into_iter().flatten();
        let diagnostics: Vec<Diagnostic> = diagnostics.map(|it| (*it).clone()).collect();
        CodeAction {
            title: display_text::line(&if is_source {
                fix.title.clone()
            } else {
                with_go(&fix.title, &diagnostics)
            }),
            kind: Some(kind_of(&fix)),
            diagnostics: Some(diagnostics),
            edit: Some(workspace_edit(
                snapshot,
                client.versioned_edits,
                text_edits(&source, &fix),
            )),
            is_preferred: (client.preferred_fixes && fix.preferred).then_some(true),
            ..CodeAction::default()
        }
    };
    let at_removal = |problem: &Problem| {
        let removes = |it: &Fix| it.problem == *problem && it.removes(&text);
        found.iter().position(removes)
    };
    let is_kept = |problem: &Problem| {
        let keeps = |it: &Fix| it.kind == FixKind::Repair && it.problem == *problem && !it.removes(&text);
        found.iter().any(keeps)
    };
    let declare = || {
        fixes::declarations(
            &text,
            analysis.all_problems().filter(|it| !is_kept(it)),
            span,
            &definitions(session, snapshot),
            &|file, text| judge_at(&file.path, session, (snapshot, analysis), text, deadline),
        )
    };
    let rewrite = || {
        let effective = session.effective(snapshot);
        session.rewritten_crds((snapshot, &effective), analysis.all_problems(), span, deadline)
    };
    let declared = if is_source {
        rewrite()
    } else {
        let rewritten = session.rewritten_crd(snapshot, analysis.all_problems(), span, deadline);
        rewritten.into_iter().chain(declare()).collect()
    };
    // Offer to declare a field before offering to remove it.
    let declared: Vec<_> = declared.into_iter().map(|it| (at_removal(&it.problem), it)).collect();
    let first_ignore = found.iter().position(|it| it.kind == FixKind::Ignore);
    let mut actions: Vec<CodeActionOrCommand> = found.into_iter().map(|it| convert(it).into()).collect();
    for (at, it) in declared.into_iter().rev() {
        let at = at.or(first_ignore).unwrap_or(actions.len());
        let diagnostics = sent.get(&it.problem).into_iter().flatten();
        let diagnostics: Vec<Diagnostic> = diagnostics.map(|it| (*it).clone()).collect();
        let Some(edit) = edit_of_file(&it, client) else {
            continue;
        };
        let action = CodeAction {
            title: display_text::line(&it.title),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(diagnostics),
            edit: Some(edit),
            ..CodeAction::default()
        };
        actions.insert(at, action.into());
    }
    actions
}

/// The fixes of a source file.
fn of_source(
    session: &Arc<Session>,
    snapshot: &Snapshot,
    analysis: &Analysis,
    (text, span): (&Arc<str>, Span),
    deadline: &Deadline,
) -> Vec<Fix> {
    let effective = session.effective(snapshot);
    let language = source_context::language(session, snapshot, &effective);
    let problems = || analysis.all_problems().collect();
    let mut found = language
        .as_ref()
        .map(|it| it.repairs(text, problems(), span))
        .unwrap_or_default();
    found.extend(session.repairs_of_made((snapshot, &effective), analysis.all_problems(), span, deadline));
    found.extend(language.iter().flat_map(|it| it.ignores(text, problems(), span)));
    found.truncate(fixes::MAX_FIXES);
    found
}

/// The fixes of a manifest.
fn of_manifest(
    session: &Arc<Session>,
    snapshot: &Snapshot,
    analysis: &Analysis,
    (text, span): (&Arc<str>, Span),
    deadline: &Deadline,
) -> Vec<Fix> {
    let mut found = Vec::new();
    if analysis.all_problems().any(|it| lens::is_about_cost(it.code)) {
        let versions = session.effective(snapshot).versions;
        let costs = snapshot.costs(versions.newest());
        let goes_on = || !deadline.is_over();
        let problems = analysis.all_problems();
        found.extend(lens::fixes(&costs, problems, span, versions, &goes_on));
    }
    // Checking a fix takes as long as an analysis, so check only the fixes in the requested range.
    let judge = |text: &str| judge(session, (snapshot, analysis), text, deadline);
    let problems = analysis.all_problems();
    found.extend(fixes::repairs(
        text,
        problems,
        span,
        &definitions(session, snapshot),
        &judge,
    ));
    if let Some((revision, by)) = snapshot.changes.compared() {
        let known = &snapshot.changes.known;
        let compared = fixes::ComparedText { revision, by, known };
        let is_asked = |it: &Problem| it.span.start <= span.end && span.start <= it.span.end;
        let asked = analysis.all_problems().filter(is_asked);
        let goes_on = || !deadline.is_over();
        found.extend(fixes::restorations(text, asked, compared, &judge, &goes_on));
    }
    let others = fixes::fixes(text, analysis.all_problems(), span);
    found.extend(fixes::judged(text, others, &judge));
    found.truncate(fixes::MAX_FIXES);
    found
}

/// The edits in the file of a CRD.
fn edit_of_file(it: &fixes::Declaration, client: &Client) -> Option<WorkspaceEdit> {
    let mut edits = Vec::new();
    let mut uri = None;
    for edit in &it.edits {
        let location = to_proto::in_file(&it.file, edit.span, client)?;
        uri = Some(location.uri);
        edits.push(TextEdit::new(location.range, edit.new_text.clone()));
    }
    Some(WorkspaceEdit {
        changes: Some(HashMap::from([(uri?, edits)])),
        ..WorkspaceEdit::default()
    })
}

fn kind_of(fix: &Fix) -> CodeActionKind {
    match fix.kind {
        FixKind::Repair | FixKind::Ignore => CodeActionKind::QUICKFIX,
        FixKind::Rewrite => CodeActionKind::REFACTOR_REWRITE,
    }
}

/// The title of a fix. If the CRD is generated from Go, the title adds that the fix changes only the CRD, and names the Go type to change.
fn with_go(title: &str, diagnostics: &[Diagnostic]) -> String {
    let related = diagnostics
        .iter()
        .flat_map(|it| it.related_information.iter().flatten());
    let in_go = related
        .map(|it| &it.location)
        .find(|it| it.uri.path().as_str().rsplit_once('.').is_some_and(|it| it.1 == "go"));
    let Some(location) = in_go else {
        return title.to_owned();
    };
    let file = location.uri.as_str().rsplit('/').next().unwrap_or_default();
    let line = location.range.start.line + 1;
    format!("{title} (in the generated file; its source is {file}:{line})")
}

/// The edits of a fix in the client's units.
pub(super) fn text_edits(source: &to_proto::Source<'_>, fix: &Fix) -> Vec<TextEdit> {
    let convert = |it: &fixes::TextEdit| TextEdit {
        range: to_proto::range(source, it.span),
        new_text: it.new_text.clone(),
    };
    fix.edits.iter().map(convert).collect()
}
