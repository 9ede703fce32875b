//! `textDocument/definition`: goes from a resource to its CRD, and from a name in a CRD to its declaration.

use std::sync::Arc;

use lsp_types::{GotoDefinitionParams, GotoDefinitionResponse};
use tower_lsp::jsonrpc::Result;

use crate::{navigation, request_context, session::Session};

pub(crate) async fn handle(
    session: &Arc<Session>,
    params: GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>> {
    let at = params.text_document_position_params;
    let found = request_context::read(
        session,
        &at.text_document.uri,
        |it| it.navigation,
        "the search for a definition",
        move |request| {
            let in_resource = navigation::at(request, at.position);
            if let Some(resource) = in_resource {
                return resource.definition().map(GotoDefinitionResponse::Scalar);
            }
            let declared = navigation::declarations(request, at.position)?;
            (!declared.is_empty()).then_some(GotoDefinitionResponse::Array(declared))
        },
    );
    found.await
}
