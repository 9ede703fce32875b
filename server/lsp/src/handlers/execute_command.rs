//! `workspace/executeCommand`: the commands of code lenses, and a command that reads the cluster's CRDs again.

use std::sync::Arc;

use crd_analyzer_ide::{fixes::Fix, lens};
use crd_analyzer_syntax::{lines::LineIndex, tree::Span};
use lsp_types::{ExecuteCommandParams, LSPAny, Location, MessageType, ShowDocumentParams, Uri, WorkspaceEdit};
use serde::Deserialize;
use tower_lsp::jsonrpc::{Error, Result};

use super::{
    code_action::text_edits,
    sample::{self, Place},
    tests,
};
use crate::{
    cluster,
    documents::Snapshot,
    edits::workspace_edit,
    names::{ADD_BOUNDS, FAILING_OBJECTS, MAKE_TEST, READ_CLUSTER, RUN_TESTS, SHOW_CHANGE, TRY_RULE, UPDATE_TESTS},
    session::Session,
    tasks::{self, Deadline},
    to_proto,
};

/// The document and the range that a command applies to.
#[derive(Deserialize)]
struct CommandTarget {
    uri: Uri,
    version: i32,
    /// The range in that version, as byte offsets.
    start: u32,
    end: u32,
}

pub(crate) async fn handle(session: &Arc<Session>, params: ExecuteCommandParams) -> Result<Option<LSPAny>> {
    if params.command == READ_CLUSTER {
        cluster::read(session, true);
        return Ok(None);
    }
    if params.command == SHOW_CHANGE {
        return show_change(session, params.arguments);
    }
    if params.command == FAILING_OBJECTS {
        return failing_objects(session, params.arguments).map(Some);
    }
    if params.command == TRY_RULE {
        return sample::open(session, place_of(params.arguments)?).await.map(|()| None);
    }
    if params.command == MAKE_TEST {
        return sample::add(session, place_of(params.arguments)?).await.map(|()| None);
    }
    if params.command == RUN_TESTS {
        return tests::run_shown(session, place_of(params.arguments)?)
            .await
            .map(|()| None);
    }
    if params.command == UPDATE_TESTS {
        return tests::update(session, place_of(params.arguments)?).await.map(|()| None);
    }
    if params.command != ADD_BOUNDS {
        return Err(Error::invalid_params(format!(
            "the command {} does not exist",
            params.command
        )));
    }
    let place = params.arguments.into_iter().next().unwrap_or_default();
    let place: CommandTarget =
        serde_json::from_value(place).map_err(|error| Error::invalid_params(error.to_string()))?;
    let snapshot = session.documents.manifest(&place.uri);
    let Some(snapshot) = snapshot.filter(|it| it.version == place.version) else {
        return Err(tasks::stale());
    };
    let worker = session.clone();
    let span = Span::new(place.start, place.end);
    let edit = tasks::answering("the search for bounds", move |deadline| {
        find(&worker, &snapshot, span, deadline)
    })
    .await?;
    // The thread that reads messages must not wait for the client's answer.
    let session = session.clone();
    tasks::beside(async move {
        let Some(edit) = edit else {
            let message = "these bounds cannot be written here without changing something else";
            session.remote.show_message(MessageType::INFO, message).await;
            return;
        };
        if let Err(error) = session.remote.apply_edit(edit).await {
            tracing::warn!("the client did not apply an edit: {error}");
        }
    });
    Ok(None)
}

/// The place in the first argument of a command.
fn place_of(arguments: Vec<LSPAny>) -> Result<Place> {
    let place = arguments.into_iter().next().unwrap_or_default();
    serde_json::from_value(place).map_err(|error| Error::invalid_params(error.to_string()))
}

/// The locations of the objects that fail the constraint at the given location.
fn failing_objects(session: &Arc<Session>, arguments: Vec<LSPAny>) -> Result<LSPAny> {
    let place = place_of(arguments)?;
    let snapshot = session.documents.snapshot(&place.uri);
    let found: Vec<Location> = snapshot.map_or_else(Vec::new, |snapshot| {
        let offset = |it| snapshot.offset(it, session.client().unit);
        let asked = Span::new(offset(place.range.start), offset(place.range.end));
        let places = snapshot.failing.places().into_iter();
        let failing = places.filter(|it| it.span == asked);
        failing.flat_map(|it| it.locations.to_vec()).collect()
    });
    serde_json::to_value(found).map_err(|_| Error::internal_error())
}

/// Shows a change to the user.
fn show_change(session: &Arc<Session>, arguments: Vec<LSPAny>) -> Result<Option<LSPAny>> {
    let place = place_of(arguments)?;
    let session = session.clone();
    tasks::beside(async move {
        let shown = ShowDocumentParams {
            uri: place.uri,
            external: None,
            take_focus: Some(true),
            selection: Some(place.range),
        };
        if let Err(error) = session.remote.show_document(shown).await {
            tracing::warn!("the client did not show a change: {error}");
        }
    });
    Ok(None)
}

fn find(session: &Arc<Session>, snapshot: &Snapshot, span: Span, deadline: &Deadline) -> Option<WorkspaceEdit> {
    let versions = session.effective(snapshot).versions;
    let costs = snapshot.costs(versions.newest());
    let fix: Fix = lens::fix(&costs, span, versions, &|| !deadline.is_over())?;
    let source = to_proto::Source {
        uri: &snapshot.uri,
        text: &costs.text,
        lines: &LineIndex::new(&costs.text),
        client: session.client(),
    };
    let edits = text_edits(&source, &fix);
    Some(workspace_edit(snapshot, session.client().versioned_edits, edits))
}
