//! `textDocument/semanticTokens/full`, `textDocument/semanticTokens/full/delta` and `textDocument/semanticTokens/range`

use std::sync::Arc;

use crd_analyzer_ide::semantic::{SemanticToken, TokenKind, semantic_tokens};
use crd_analyzer_syntax::tree::Span;
use lsp_types::{
    SemanticToken as Token, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensDelta,
    SemanticTokensDeltaParams, SemanticTokensFullDeltaResult, SemanticTokensLegend, SemanticTokensParams,
    SemanticTokensRangeParams, SemanticTokensRangeResult, SemanticTokensResult, TextDocumentIdentifier,
};
use tower_lsp::jsonrpc::Result;

use crate::{
    limits,
    request_context::{self, RequestContext},
    session::Session,
    token_lists::difference,
};

/// The names of the token kinds, in the order of their numbers, and of the modifiers, in the order of their bits.
pub(crate) fn legend() -> SemanticTokensLegend {
    let name = |kind: TokenKind| match kind {
        TokenKind::Variable => SemanticTokenType::VARIABLE,
        TokenKind::Property => SemanticTokenType::PROPERTY,
        TokenKind::Function => SemanticTokenType::FUNCTION,
        TokenKind::Macro => SemanticTokenType::MACRO,
        TokenKind::Keyword => SemanticTokenType::KEYWORD,
        TokenKind::Operator => SemanticTokenType::OPERATOR,
        TokenKind::String => SemanticTokenType::STRING,
        TokenKind::Number => SemanticTokenType::NUMBER,
        TokenKind::Comment => SemanticTokenType::COMMENT,
    };
    SemanticTokensLegend {
        token_types: TokenKind::ALL.map(name).into(),
        token_modifiers: vec![
            SemanticTokenModifier::DEFINITION,
            SemanticTokenModifier::DEFAULT_LIBRARY,
        ],
    }
}

pub(crate) async fn handle(
    session: &Arc<Session>,
    params: SemanticTokensParams,
) -> Result<Option<SemanticTokensResult>> {
    let found = read(session, &params.text_document, |request| {
        let data = all_tokens(request);
        named(request, data).into()
    });
    found.await
}

pub(crate) async fn handle_delta(
    session: &Arc<Session>,
    params: SemanticTokensDeltaParams,
) -> Result<Option<SemanticTokensFullDeltaResult>> {
    let found = read(session, &params.text_document, move |request| {
        let lists = &request.session.token_lists;
        let old = lists.get(&request.snapshot.uri, &params.previous_result_id);
        let data = all_tokens(request);
        let Some(old) = old else {
            return named(request, data).into();
        };
        let edits = difference(&old, &data).into_iter().collect();
        SemanticTokensFullDeltaResult::TokensDelta(SemanticTokensDelta {
            result_id: Some(lists.keep(&request.snapshot.uri, &data)),
            edits,
        })
    });
    found.await
}

pub(crate) async fn handle_range(
    session: &Arc<Session>,
    params: SemanticTokensRangeParams,
) -> Result<Option<SemanticTokensRangeResult>> {
    let found = read(session, &params.text_document, move |request| {
        let within = Span::new(request.offset(params.range.start), request.offset(params.range.end));
        SemanticTokensRangeResult::Tokens(SemanticTokens {
            result_id: None,
            data: tokens(request, within),
        })
    });
    found.await
}

/// Answers a request for tokens, if semantic tokens are turned on.
async fn read<T: Send + 'static>(
    session: &Arc<Session>,
    document: &TextDocumentIdentifier,
    answer: impl FnOnce(&RequestContext) -> T + Send + 'static,
) -> Result<Option<T>> {
    let found = request_context::read(
        session,
        &document.uri,
        |it| it.semantic_tokens,
        "the search for tokens",
        |request| Some(answer(request)),
    );
    found.await
}

/// A list of tokens. It has an ID if the client supports deltas.
fn named(request: &RequestContext, data: Vec<Token>) -> SemanticTokens {
    let keep = || request.session.token_lists.keep(&request.snapshot.uri, &data);
    SemanticTokens {
        result_id: request.client().token_changes.then(keep),
        data,
    }
}

fn all_tokens(request: &RequestContext) -> Vec<Token> {
    tokens(request, Span::new(0, request.file().text().len() as u32))
}

fn tokens(request: &RequestContext, within: Span) -> Vec<Token> {
    let objects = request.file().objects();
    let found = objects.flat_map(|it| semantic_tokens(&it, within));
    let mut last = lsp_types::Position::new(0, 0);
    let convert = |it: SemanticToken| {
        let range = request.range(it.span);
        let delta_line = range.start.line - last.line;
        let from = if delta_line == 0 { last.character } else { 0 };
        last = range.start;
        Token {
            delta_line,
            delta_start: range.start.character - from,
            length: range.end.character - range.start.character,
            token_type: TokenKind::ALL
                .iter()
                .position(|kind| *kind == it.kind)
                .unwrap_or_default() as u32,
            token_modifiers_bitset: u32::from(it.is_definition) | u32::from(it.kind.is_of_library()) << 1,
        }
    };
    found.take(limits::TOKENS).map(convert).collect()
}
