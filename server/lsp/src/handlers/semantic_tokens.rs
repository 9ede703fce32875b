//! `textDocument/semanticTokens/full`, `textDocument/semanticTokens/full/delta` and `textDocument/semanticTokens/range`

use std::sync::Arc;

use crd_analyzer_ide::semantic::{SemanticToken, TokenKind, semantic_tokens};
use crd_analyzer_syntax::tree::Span;
use lsp_types::{
    SemanticToken as Token, SemanticTokenType, SemanticTokens, SemanticTokensDelta, SemanticTokensDeltaParams,
    SemanticTokensFullDeltaResult, SemanticTokensLegend, SemanticTokensParams, SemanticTokensRangeParams,
    SemanticTokensRangeResult, SemanticTokensResult, TextDocumentIdentifier,
};
use tower_lsp::jsonrpc::Result;

use crate::{
    reading::{self, Reading},
    session::Session,
    token_lists::difference,
};

/// The names of the kinds, in the order of their numbers.
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
        token_modifiers: Vec::new(),
    }
}

pub(crate) async fn handle(
    session: &Arc<Session>,
    params: SemanticTokensParams,
) -> Result<Option<SemanticTokensResult>> {
    let found = read(session, &params.text_document, |reading| {
        let data = all_tokens(reading);
        named(reading, data).into()
    });
    found.await
}

pub(crate) async fn handle_delta(
    session: &Arc<Session>,
    params: SemanticTokensDeltaParams,
) -> Result<Option<SemanticTokensFullDeltaResult>> {
    let found = read(session, &params.text_document, move |reading| {
        let lists = &reading.session.token_lists;
        let old = lists.get(&reading.snapshot.uri, &params.previous_result_id);
        let data = all_tokens(reading);
        let Some(old) = old else {
            return named(reading, data).into();
        };
        let edits = difference(&old, &data).into_iter().collect();
        SemanticTokensFullDeltaResult::TokensDelta(SemanticTokensDelta {
            result_id: Some(lists.keep(&reading.snapshot.uri, &data)),
            edits,
        })
    });
    found.await
}

pub(crate) async fn handle_range(
    session: &Arc<Session>,
    params: SemanticTokensRangeParams,
) -> Result<Option<SemanticTokensRangeResult>> {
    let found = read(session, &params.text_document, move |reading| {
        let within = Span::new(reading.offset(params.range.start), reading.offset(params.range.end));
        SemanticTokensRangeResult::Tokens(SemanticTokens {
            result_id: None,
            data: tokens(reading, within),
        })
    });
    found.await
}

/// Answers a request for tokens, if semantic tokens are wanted.
async fn read<T: Send + 'static>(
    session: &Arc<Session>,
    document: &TextDocumentIdentifier,
    answer: impl FnOnce(&Reading) -> T + Send + 'static,
) -> Result<Option<T>> {
    let found = reading::read(
        session,
        &document.uri,
        |it| it.semantic_tokens,
        "the search for tokens",
        |reading| Some(answer(reading)),
    );
    found.await
}

/// A list, with a name to ask by for what changed if the client does that.
fn named(reading: &Reading, data: Vec<Token>) -> SemanticTokens {
    let keep = || reading.session.token_lists.keep(&reading.snapshot.uri, &data);
    SemanticTokens {
        result_id: reading.client().token_changes.then(keep),
        data,
    }
}

fn all_tokens(reading: &Reading) -> Vec<Token> {
    tokens(reading, Span::new(0, reading.file().text().len() as u32))
}

fn tokens(reading: &Reading, within: Span) -> Vec<Token> {
    let objects = reading.file().objects();
    let found = objects.flat_map(|it| semantic_tokens(&it, within));
    let mut last = lsp_types::Position::new(0, 0);
    let convert = |it: SemanticToken| {
        let range = reading.range(it.span);
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
            token_modifiers_bitset: 0,
        }
    };
    found.map(convert).collect()
}
