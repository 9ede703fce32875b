//! `textDocument/references`: from a property or the kind of a CRD to all its uses, including those in resources.

use std::sync::Arc;

use lsp_types::{Location, ReferenceParams};
use tower_lsp::jsonrpc::Result;

use crate::{navigation, request_context, session::Session};

pub(crate) async fn handle(session: &Arc<Session>, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
    let at = params.text_document_position;
    let with_declaration = params.context.include_declaration;
    let found = request_context::read(
        session,
        &at.text_document.uri,
        |it| it.navigation,
        "the search for references",
        move |request| navigation::references(request, at.position, with_declaration),
    );
    found.await
}
