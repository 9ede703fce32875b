//! Semantic tokens of expressions, for syntax highlighting.

use crd_analyzer_cel::{
    ast::Source,
    parser::{TokenClass, WrittenToken, macros::MACROS, tokens},
};
use crd_analyzer_syntax::tree::Span;

use crate::{cel::spans, file::Document};

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TokenKind {
    /// `self`, or the variable of a comprehension.
    Variable,
    /// A field.
    Property,
    /// A function or method.
    Function,
    /// A macro.
    Macro,
    /// A keyword: `in`, `true`, `false` or `null`.
    Keyword,
    /// An operator.
    Operator,
    /// A string.
    String,
    /// A number.
    Number,
    /// A comment.
    Comment,
}

impl TokenKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 9] = [
        Self::Variable,
        Self::Property,
        Self::Function,
        Self::Macro,
        Self::Keyword,
        Self::Operator,
        Self::String,
        Self::Number,
        Self::Comment,
    ];
}

/// A token. If a token has several lines, the part on one of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SemanticToken {
    /// The span, which is always within one line.
    pub span: Span,
    /// The kind of token.
    pub kind: TokenKind,
    /// Whether the token defines the variable of a comprehension.
    pub is_definition: bool,
}

impl TokenKind {
    /// Whether tokens of this kind name something that CEL's library defines.
    pub fn is_of_library(self) -> bool {
        matches!(self, Self::Function | Self::Macro)
    }
}

/// The tokens of all expressions of an object that touch a span, in the order of the text. This does not need type checking.
pub fn semantic_tokens(document: &Document<'_>, within: Span) -> Vec<SemanticToken> {
    let mut found = Vec::new();
    let tree = document.tree;
    for place in (document.kind().expressions)(document) {
        let span = tree.span(place.scalar);
        if document.root.is_some_and(|it| !tree.is_in(place.scalar, it))
            || span.end < within.start
            || within.end < span.start
        {
            continue;
        }
        let text = tree.scalar(place.scalar);
        let map = tree.source_map(place.scalar);
        let tokens = tokens(&Source::new(text.as_ref()));
        for at in 0..tokens.len() {
            let Some(kind) = kind(&tokens, at, &text) else { continue };
            let token = tokens[at];
            let lines = spans(tree, &map, token.start as usize..token.end as usize);
            let lines = lines.into_iter().filter(|it| !it.is_empty());
            let is_definition = defines(&tokens, at, &text);
            found.extend(lines.map(|span| SemanticToken {
                span,
                kind,
                is_definition,
            }));
        }
    }
    found.retain(|it| it.span.end > within.start && it.span.start < within.end);
    found.sort_by_key(|it| it.span.start);
    found
}

/// Whether a token is the first argument of a macro that is a method: the variable that it defines.
fn defines(tokens: &[WrittenToken], at: usize, text: &str) -> bool {
    let before = |count: usize| at.checked_sub(count).map(|it| tokens[it].text(text));
    let is_first = before(1) == Some("(") && before(3) == Some(".");
    let is_name = tokens[at].class == TokenClass::Identifier;
    let is_whole = tokens.get(at + 1).is_some_and(|it| it.class == TokenClass::Comma);
    let defines = |name: &str| MACROS.iter().any(|it| it.name == name && it.is_method());
    is_name && is_first && is_whole && before(2).is_some_and(defines)
}

fn kind(tokens: &[WrittenToken], at: usize, text: &str) -> Option<TokenKind> {
    let token = tokens[at];
    let before = at.checked_sub(1).map(|it| tokens[it]);
    Some(match token.class {
        TokenClass::Identifier | TokenClass::EscapedIdentifier => {
            let is_member = before.is_some_and(|it| {
                it.class == TokenClass::Dot
                    || it.text(text) == "?" && at >= 2 && tokens[at - 2].class == TokenClass::Dot
            });
            let is_call = tokens.get(at + 1).is_some_and(|it| it.text(text) == "(");
            if is_call {
                let name = token.text(text);
                let is_macro = MACROS.iter().any(|it| it.name == name && it.is_method() == is_member);
                if is_macro {
                    TokenKind::Macro
                } else {
                    TokenKind::Function
                }
            } else if is_member {
                TokenKind::Property
            } else {
                TokenKind::Variable
            }
        }
        TokenClass::Constant | TokenClass::In => TokenKind::Keyword,
        TokenClass::Number => TokenKind::Number,
        TokenClass::String => TokenKind::String,
        TokenClass::Operator => TokenKind::Operator,
        TokenClass::Comment => TokenKind::Comment,
        TokenClass::Dot | TokenClass::Comma | TokenClass::Open | TokenClass::Close | TokenClass::Unknown => {
            return None;
        }
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::file::File;

    const TEXT: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  versions:
  - schema:
      openAPIV3Schema:
        x-kubernetes-validations:
        - rule: 'self.a.all(x, x in [1, ''é
            b'']) && has(self.?b) // c'
        - messageExpression: \"string(\\x73elf) + 'x\"
";

    #[test]
    fn tokens_lie_on_one_line() {
        use TokenKind::{Comment, Function, Keyword, Macro, Number, Operator, Property, String, Variable};

        let file = File::new(TEXT, Arc::default());
        let document = file.documents().next().expect("a document");
        let shown = |within: Span| -> Vec<_> {
            let found = semantic_tokens(&document, within);
            found.iter().map(|it| (&TEXT[it.span.range()], it.kind)).collect()
        };
        let all = shown(document.span());
        assert_eq!(
            all,
            [
                ("self", Variable),
                ("a", Property),
                ("all", Macro),
                ("x", Variable),
                ("x", Variable),
                ("in", Keyword),
                ("1", Number),
                ("''é", String),
                ("b''", String),
                ("&&", Operator),
                ("has", Macro),
                ("self", Variable),
                ("?", Operator),
                ("b", Property),
                ("// c", Comment),
                ("string", Function),
                ("\\x73elf", Variable),
                ("+", Operator),
            ]
        );
        let tokens = semantic_tokens(&document, document.span());
        let defined: Vec<u32> = tokens
            .iter()
            .filter(|it| it.is_definition)
            .map(|it| it.span.start)
            .collect();
        assert_eq!(defined, [TEXT.find("x, x").expect("it") as u32]);
        let at = TEXT.find("string(").expect("it") as u32;
        assert_eq!(shown(Span::new(at, at + 3)), [("string", Function)]);
    }
}
