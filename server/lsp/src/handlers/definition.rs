//! `textDocument/definition`: goes from a resource to its CRD, from a name in a CRD to its declaration, and from a value in a
//! template to `values.yaml`.

use std::sync::Arc;

use crd_analyzer_workspace::charts::value_at::path_at;
use lsp_types::{GotoDefinitionParams, GotoDefinitionResponse, Location, Position};
use tower_lsp::jsonrpc::Result;

use crate::{navigation, request_context, request_context::RequestContext, session::Session, to_proto};

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
            if let Some(value) = of_chart(request, at.position) {
                return Some(GotoDefinitionResponse::Scalar(value));
            }
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

/// The place that declares the value of a chart at a position of a template.
fn of_chart(request: &RequestContext, position: Position) -> Option<Location> {
    let (chart, path) = request.chart()?;
    let at = path_at(request.file().text(), request.offset(position) as usize)?;
    let (file, span) = chart.value_at(&path, &at)?.place;
    to_proto::in_file(&file, span, request.client())
}
