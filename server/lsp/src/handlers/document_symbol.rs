//! `textDocument/documentSymbol`

use std::sync::Arc;

use crd_analyzer_ide::{
    completion::has_definition,
    file::Document,
    symbols::{Symbol, SymbolKind, resource_symbols, symbols},
};
use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, SymbolInformation, SymbolKind as Kind,
};
use tower_lsp::jsonrpc::Result;

use super::completion::definitions;
use crate::{
    display_text, folders, limits,
    request_context::{self, RequestContext},
    session::Session,
};

pub(crate) async fn handle(
    session: &Arc<Session>,
    params: DocumentSymbolParams,
) -> Result<Option<DocumentSymbolResponse>> {
    folders::know_crds(session, &params.text_document.uri).await;
    let found = request_context::read(
        session,
        &params.text_document.uri,
        |it| it.symbols,
        "the search for symbols",
        |request| {
            let definitions = definitions(request);
            let of_object = |it: Document<'_>| {
                let is_known = || it.root.is_some_and(|root| has_definition(it.tree, root, &definitions));
                symbols(&it).or_else(|| is_known().then(|| resource_symbols(&it)).flatten())
            };
            let found: Vec<_> = request.file().objects().filter_map(of_object).collect();
            let mut left = limits::ANSWERS;
            if found.is_empty() {
                return None;
            }
            if request.client().nested_symbols {
                let nested = found.into_iter().map_while(|it| nested(request, it, &mut left));
                return Some(DocumentSymbolResponse::Nested(nested.collect()));
            }
            let mut all = Vec::new();
            for symbol in found {
                flat(request, symbol, None, &mut all);
            }
            all.truncate(left);
            Some(DocumentSymbolResponse::Flat(all))
        },
    );
    found.await
}

/// Converts a symbol with its children. `left` is the number of symbols that still fit into the answer. `None` if no more fit.
#[expect(deprecated, reason = "the protocol's type has a field that may not be left out")]
fn nested(request: &RequestContext, symbol: Symbol, left: &mut usize) -> Option<DocumentSymbol> {
    *left = left.checked_sub(1)?;
    let children = symbol.children.into_iter();
    let children: Vec<_> = children.map_while(|it| nested(request, it, left)).collect();
    Some(DocumentSymbol {
        name: display_text::line(&symbol.name),
        detail: (!symbol.detail.is_empty()).then(|| display_text::line(&symbol.detail)),
        kind: kind(request, symbol.kind),
        tags: None,
        deprecated: None,
        range: request.range(symbol.span),
        selection_range: request.range(symbol.selection),
        children: (!children.is_empty()).then_some(children),
    })
}

#[expect(deprecated, reason = "the protocol's type has a field that may not be left out")]
fn flat(request: &RequestContext, symbol: Symbol, container: Option<&str>, all: &mut Vec<SymbolInformation>) {
    all.push(SymbolInformation {
        name: display_text::line(&symbol.name),
        kind: kind(request, symbol.kind),
        tags: None,
        deprecated: None,
        location: Location::new(request.snapshot.uri.clone(), request.range(symbol.span)),
        container_name: container.map(display_text::line),
    });
    for child in symbol.children {
        flat(request, child, Some(&symbol.name), all);
    }
}

fn kind(request: &RequestContext, kind: SymbolKind) -> Kind {
    let is_newer = request.client().newer_symbols;
    match kind {
        SymbolKind::Definition => Kind::CLASS,
        SymbolKind::Resource if is_newer => Kind::STRUCT,
        SymbolKind::Resource => Kind::CLASS,
        SymbolKind::Version => Kind::NAMESPACE,
        SymbolKind::Object if is_newer => Kind::OBJECT,
        SymbolKind::Object => Kind::MODULE,
        SymbolKind::List => Kind::ARRAY,
        SymbolKind::Field => Kind::FIELD,
        SymbolKind::Rule if is_newer => Kind::EVENT,
        SymbolKind::Rule => Kind::FUNCTION,
    }
}
