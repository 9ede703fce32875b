//! `completionItem/resolve`: the documentation of an item.

use std::sync::Arc;

use lsp_types::{CompletionItem, Uri};
use tower_lsp::jsonrpc::Result;

use super::completion;
use crate::{reading, session::Session};

pub(crate) async fn handle(session: &Arc<Session>, mut item: CompletionItem) -> Result<CompletionItem> {
    let name = item
        .data
        .as_ref()
        .and_then(|it| serde_json::from_value(it.clone()).ok());
    let Some((uri, version, offset, number)): Option<(Uri, i32, u32, usize)> = name else {
        return Ok(item);
    };
    let found = reading::read(
        session,
        &uri,
        |it| it.completion,
        "the documentation of an item",
        move |reading| {
            // The same question has the same answer. Of another version nobody knows what the item was.
            if reading.snapshot.version != version {
                return None;
            }
            let found = completion::find(reading, offset)?;
            let documentation = found.items.get(number)?.documentation.as_ref()?;
            Some(reading.client().completing.documentation(documentation))
        },
    );
    if let Ok(Some(documentation)) = found.await {
        item.documentation = Some(documentation);
    }
    Ok(item)
}
