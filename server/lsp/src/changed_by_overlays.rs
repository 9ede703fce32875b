//! What the overlays that use a base make of one of its values.

use std::path::PathBuf;

use crd_analyzer_ide::{
    hover::{Block, Hover, one_line},
    markdown,
};
use crd_analyzer_syntax::paths;
use crd_analyzer_workspace::builds::overlay::{Becomes, ChangedValue};

use crate::{display_text, from_proto, request_context::RequestContext};

/// The maximum length of a value that is shown, in characters.
const MOST_CHARACTERS: usize = 80;

/// The overlays that change the value at an offset of a document, as a hover. `None` if no overlay changes it.
pub(crate) fn find(request: &RequestContext, offset: u32) -> Option<Hover> {
    let path = from_proto::place_of(&request.snapshot.uri);
    let text = request.snapshot.content();
    let changes = request
        .session
        .ask_builds(&path, &text, |it| it.changes_of(&path, offset))?;
    if changes.is_empty() {
        return None;
    }
    let document = request.file().document_at(offset)?;
    let span = document.tree.span(paths::at(document.tree, offset)?.node);
    let folders = request.session.folders();
    let items = changes.iter().map(|it| told(it, &folders)).collect();
    Some(Hover {
        span,
        blocks: vec![
            Block::Text("Overlays change this value:".to_owned()),
            Block::List(items),
        ],
    })
}

/// What a build makes of the value, in Markdown.
fn told(change: &ChangedValue, folders: &[PathBuf]) -> String {
    let becomes = match &change.becomes {
        Becomes::Scalar(text) => markdown::whole_code(&one_line(text, MOST_CHARACTERS)),
        Becomes::Changed => "other content".to_owned(),
        Becomes::Removed => "removed".to_owned(),
    };
    let build = markdown::whole_code(&display_text::line(&change.build));
    let (file, span) = &change.by;
    let line = file.lines().line_of(span.start) + 1;
    let by = markdown::whole_code(&format!("{}:{line}", display_text::path(&file.path, folders)));
    format!("{build}: {becomes}, by {by}")
}
