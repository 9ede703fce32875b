//! Where else in the document what is under the cursor is meant.

use crd_analyzer_cel::parser::TokenClass;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::Span;

use crate::{
    cel::{CelAt, Meaning, cel_at},
    file::Document,
    property::{target_at, uses},
};

/// The places that mean what the place means, in the order of the text; empty if nothing is known of it.
pub fn highlights(document: &Document<'_>, offset: u32, version: KubernetesVersion) -> Vec<Span> {
    if let Some((target, _)) = target_at(document, offset, version) {
        let found = uses(document, &target, version).all;
        return found.iter().map(|it| it.span(document.tree)).collect();
    }
    cel_at(document, offset, version).map_or_else(Vec::new, |it| in_expression(&it))
}

fn in_expression(at: &CelAt<'_>) -> Vec<Span> {
    let expression = &at.expression;
    let Some(token) = expression.token_at(at.byte) else {
        return Vec::new();
    };
    let Some(meant) = expression.meaning(token) else {
        return Vec::new();
    };
    let text = expression.tokens[token].text(expression.text());
    let candidates = expression.tokens.iter().enumerate().filter(|(_, it)| {
        matches!(it.class, TokenClass::Identifier | TokenClass::EscapedIdentifier) && it.text(expression.text()) == text
    });
    let same = candidates.filter(|(at, _)| {
        let other = expression.meaning(*at);
        other.is_some_and(|other| match (&meant, &other) {
            (Meaning::Variable { declared, .. }, Meaning::Variable { declared: other, .. }) => declared == other,
            (Meaning::Field { steps: Some(steps), .. }, Meaning::Field { steps: Some(other), .. }) => steps == other,
            (Meaning::Function { name, .. }, Meaning::Function { name: other, .. }) => name == other,
            (Meaning::Macro { of, .. }, Meaning::Macro { of: other, .. }) => of.name == other.name,
            _ => false,
        })
    });
    same.map(|(at, _)| expression.token_span(at)).collect()
}
