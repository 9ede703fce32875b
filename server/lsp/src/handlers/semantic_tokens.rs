//! `textDocument/semanticTokens/full` and `textDocument/semanticTokens/range`

use std::sync::Arc;

use crd_analyzer_ide::semantic::{SemanticToken, TokenKind, semantic_tokens};
use crd_analyzer_syntax::tree::Span;
use lsp_types::{
    SemanticToken as Token, SemanticTokenType, SemanticTokens, SemanticTokensLegend, SemanticTokensParams,
    SemanticTokensRangeParams, SemanticTokensRangeResult, SemanticTokensResult,
};
use tower_lsp::jsonrpc::Result;

use crate::{
    reading::{self, Reading},
    session::Session,
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
    let found = reading::read(
        session,
        &params.text_document.uri,
        |it| it.semantic_tokens,
        "the search for tokens",
        |reading| {
            let whole = Span::new(0, reading.file().text().len() as u32);
            Some(SemanticTokensResult::Tokens(tokens(reading, whole)))
        },
    );
    found.await
}

pub(crate) async fn handle_range(
    session: &Arc<Session>,
    params: SemanticTokensRangeParams,
) -> Result<Option<SemanticTokensRangeResult>> {
    let found = reading::read(
        session,
        &params.text_document.uri,
        |it| it.semantic_tokens,
        "the search for tokens",
        move |reading| {
            let within = Span::new(reading.offset(params.range.start), reading.offset(params.range.end));
            Some(SemanticTokensRangeResult::Tokens(tokens(reading, within)))
        },
    );
    found.await
}

fn tokens(reading: &Reading, within: Span) -> SemanticTokens {
    let documents = reading.file().documents();
    let found = documents.flat_map(|it| semantic_tokens(&it, within));
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
    SemanticTokens {
        result_id: None,
        data: found.map(convert).collect(),
    }
}
