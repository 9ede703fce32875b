//! Finds the other tokens of an expression that have the same meaning as a given token.

use std::sync::Arc;

use crd_analyzer_cel::{ast::ExprKind, parser::TokenClass, partial_check};
use crd_analyzer_schema::rules::SchemaStep;

use super::{Expression, Meaning};

/// The maximum number of node visits for one request, since each name may visit all nodes.
const MOST_LOOKS: usize = 20_000_000;

impl Expression<'_> {
    /// The names with the same meaning as a token, in the order of the text. Empty if there are too many to check.
    pub fn same(&self, token: usize) -> Vec<usize> {
        let Some(meant) = self.meaning(token) else {
            return Vec::new();
        };
        let text = self.tokens[token].text(self.text());
        let same = self.names(text).unwrap_or_default().into_iter().filter(|at| {
            let other = self.meaning(*at);
            other.is_some_and(|other| match (&meant, &other) {
                (Meaning::Variable { declared, .. }, Meaning::Variable { declared: other, .. }) => declared == other,
                (Meaning::Field { steps: Some(steps), .. }, Meaning::Field { steps: Some(other), .. }) => {
                    steps == other
                }
                (Meaning::Function { name, .. }, Meaning::Function { name: other, .. }) => name == other,
                (Meaning::Macro { of, .. }, Meaning::Macro { of: other, .. }) => of.name == other.name,
                _ => false,
            })
        });
        same.collect()
    }

    /// The names with the given text. `None` if there are too many of them to check.
    pub fn names(&self, text: &str) -> Option<Vec<usize>> {
        let is_name = |it: TokenClass| matches!(it, TokenClass::Identifier | TokenClass::EscapedIdentifier);
        let tokens = self.tokens.iter().enumerate();
        let named = tokens.filter(|(_, it)| is_name(it.class) && it.text(self.text()) == text);
        let named: Vec<usize> = named.map(|it| it.0).collect();
        let nodes = self.outline.as_ref().map_or(0, |it| it.checked.ast.nodes().count());
        (named.len().saturating_mul(nodes) <= MOST_LOOKS).then_some(named)
    }

    /// The token that declares the comprehension variable that a token names. `None` if the token does not name such a variable.
    pub fn declaring(&self, token: usize) -> Option<usize> {
        match self.meaning(token)? {
            Meaning::Variable { declared, .. } => declared,
            _ => None,
        }
    }

    /// The name of a field that a token selects from a variable of the context, such as `most` in `variables.most`.
    pub fn field_of_variable(&self, token: usize, variable: &str) -> Option<Arc<str>> {
        let Meaning::Field {
            name,
            steps: Some(steps),
            node,
            ..
        } = self.meaning(token)?
        else {
            return None;
        };
        let ast = &self.outline.as_ref()?.checked.ast;
        let operand = match &ast[node].kind {
            ExprKind::Select { operand, .. } => *operand,
            ExprKind::Call { args, .. } => *args.first()?,
            _ => return None,
        };
        let is_variable = matches!(&ast[operand].kind, ExprKind::Ident(it) if **it == *variable);
        (is_variable && matches!(steps[..], [SchemaStep::Property(_)])).then_some(name)
    }

    /// The same expression with another text. Spans still refer to the file with the old text.
    #[must_use]
    pub fn with_text(&self, text: &str) -> Self {
        let outline = self.outline.is_some().then(|| partial_check(text, &self.context));
        self.rewritten(text, outline)
    }
}
