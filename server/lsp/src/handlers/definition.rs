//! `textDocument/definition`: from a resource to its definition, and from a name in a definition to its declaration.

use std::sync::Arc;

use lsp_types::{GotoDefinitionParams, GotoDefinitionResponse};
use tower_lsp::jsonrpc::Result;

use crate::{crossing, reading, session::Session};

pub(crate) async fn handle(
    session: &Arc<Session>,
    params: GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>> {
    let at = params.text_document_position_params;
    let found = reading::read(
        session,
        &at.text_document.uri,
        |it| it.navigation,
        "the search for a definition",
        move |reading| {
            let in_resource = crossing::at(reading, at.position);
            if let Some(resource) = in_resource {
                return resource.definition().map(GotoDefinitionResponse::Scalar);
            }
            let declared = crossing::declarations(reading, at.position)?;
            (!declared.is_empty()).then_some(GotoDefinitionResponse::Array(declared))
        },
    );
    found.await
}
