//! `completionItem/resolve`: the documentation of an item.

use std::sync::Arc;

use lsp_types::{CompletionItem, Uri};
use tower_lsp::jsonrpc::Result;

use super::completion;
use crate::{request_context, session::Session};

pub(crate) async fn handle(session: &Arc<Session>, mut item: CompletionItem) -> Result<CompletionItem> {
    let name = item
        .data
        .as_ref()
        .and_then(|it| serde_json::from_value(it.clone()).ok());
    let Some((uri, version, offset, number)): Option<(Uri, i32, u32, usize)> = name else {
        return Ok(item);
    };
    crate::folders::know_crds(session, &uri).await;
    let found = request_context::read(
        session,
        &uri,
        |it| it.completion,
        "the documentation of an item",
        move |request| {
            // The number of the item is only valid for the same version of the document.
            if request.snapshot.version != version {
                return None;
            }
            let found = completion::find(request, offset)?;
            let documentation = found.items.get(number)?.documentation.as_ref()?;
            Some(request.client().completion.documentation(documentation))
        },
    );
    if let Ok(Some(documentation)) = found.await {
        item.documentation = Some(documentation);
    }
    Ok(item)
}
