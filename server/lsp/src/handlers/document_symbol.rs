//! `textDocument/documentSymbol`

use std::sync::Arc;

use crd_analyzer_ide::symbols::{Symbol, SymbolKind, symbols};
use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, SymbolInformation, SymbolKind as Kind,
};
use tower_lsp::jsonrpc::Result;

use crate::{
    reading::{self, Reading},
    session::Session,
};

pub(crate) async fn handle(
    session: &Arc<Session>,
    params: DocumentSymbolParams,
) -> Result<Option<DocumentSymbolResponse>> {
    let found = reading::read(
        session,
        &params.text_document.uri,
        |it| it.symbols,
        "the search for symbols",
        |reading| {
            let found: Vec<_> = reading.file().objects().filter_map(|it| symbols(&it)).collect();
            if found.is_empty() {
                return None;
            }
            if reading.client().nested_symbols {
                let nested = found.into_iter().map(|it| nested(reading, it)).collect();
                return Some(DocumentSymbolResponse::Nested(nested));
            }
            let mut all = Vec::new();
            for symbol in found {
                flat(reading, symbol, None, &mut all);
            }
            Some(DocumentSymbolResponse::Flat(all))
        },
    );
    found.await
}

#[expect(deprecated, reason = "the protocol's type has a field that may not be left out")]
fn nested(reading: &Reading, symbol: Symbol) -> DocumentSymbol {
    let children: Vec<_> = symbol.children.into_iter().map(|it| nested(reading, it)).collect();
    DocumentSymbol {
        name: symbol.name,
        detail: (!symbol.detail.is_empty()).then_some(symbol.detail),
        kind: kind(reading, symbol.kind),
        tags: None,
        deprecated: None,
        range: reading.range(symbol.span),
        selection_range: reading.range(symbol.selection),
        children: (!children.is_empty()).then_some(children),
    }
}

#[expect(deprecated, reason = "the protocol's type has a field that may not be left out")]
fn flat(reading: &Reading, symbol: Symbol, container: Option<&str>, all: &mut Vec<SymbolInformation>) {
    all.push(SymbolInformation {
        name: symbol.name.clone(),
        kind: kind(reading, symbol.kind),
        tags: None,
        deprecated: None,
        location: Location::new(reading.snapshot.uri.clone(), reading.range(symbol.span)),
        container_name: container.map(ToOwned::to_owned),
    });
    for child in symbol.children {
        flat(reading, child, Some(&symbol.name), all);
    }
}

fn kind(reading: &Reading, kind: SymbolKind) -> Kind {
    let is_newer = reading.client().newer_symbols;
    match kind {
        SymbolKind::Definition => Kind::CLASS,
        SymbolKind::Version => Kind::NAMESPACE,
        SymbolKind::Object if is_newer => Kind::OBJECT,
        SymbolKind::Object => Kind::MODULE,
        SymbolKind::List => Kind::ARRAY,
        SymbolKind::Field => Kind::FIELD,
        SymbolKind::Rule if is_newer => Kind::EVENT,
        SymbolKind::Rule => Kind::FUNCTION,
    }
}
