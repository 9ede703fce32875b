//! `textDocument/documentLink`

use std::sync::Arc;

use crd_analyzer_ide::links::{Target, links};
use lsp_types::{DocumentLink, DocumentLinkParams, Uri};
use tower_lsp::jsonrpc::Result;

use crate::{limits, request_context, session::Session};

pub(crate) async fn handle(session: &Arc<Session>, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
    let found = request_context::read(
        session,
        &params.text_document.uri,
        |it| it.links,
        "the search for links",
        |request| {
            let found = request.file().documents().flat_map(|it| links(&it));
            let convert = |it: crd_analyzer_ide::links::Link| {
                let (target, tooltip): (Uri, _) = match it.target {
                    Target::Code(code) => (
                        request.client().pages.as_ref()?.link(&code)?,
                        Some(format!("what {code} means")),
                    ),
                    Target::Address(address) => (address.parse().ok()?, None),
                };
                Some(DocumentLink {
                    range: request.range(it.span),
                    target: Some(target),
                    tooltip,
                    data: None,
                })
            };
            Some(found.filter_map(convert).take(limits::ANSWERS).collect())
        },
    );
    found.await
}
