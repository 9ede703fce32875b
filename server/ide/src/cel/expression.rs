//! A CEL expression of an object: its text, its tokens and, if its context is known, its type-checked parts.

use std::{ops::Range, sync::Arc};

use crd_analyzer_cel::{
    Context, PartialCheck,
    ast::Source,
    decls::{Environment, ExpressionSet},
    parser::{WrittenToken, tokens},
    partial_check,
    types::Type,
};
use crd_analyzer_schema::{KubernetesVersion, rules};
use crd_analyzer_syntax::{
    paths::path_of,
    source_map::SourceMap,
    tree::{Span, Tree},
};

use super::{CelScalar, Scope, display_type, spans, type_shape};
use crate::{file::Document, schema};

/// An expression in the text of a file.
#[derive(Clone, Debug)]
pub struct Expression<'d> {
    /// The document.
    pub tree: &'d Tree,
    /// The scalar that contains it.
    pub place: CelScalar,
    /// Maps bytes of the expression to bytes of the file.
    pub map: SourceMap,
    /// The tokens of the expression's text.
    pub tokens: Vec<WrittenToken>,
    /// The schema and type that the expression's rule can use. `None` if the expression belongs to no rule, or if the schema never had valid types.
    pub scope: Option<Arc<Scope>>,
    /// The context of the expression. If it is unknown, the context has only functions.
    pub context: Context,
    /// The result of type-checking as far as possible; `None` if the context is unknown.
    pub outline: Option<PartialCheck>,
    text: String,
}

impl<'d> Expression<'d> {
    /// Reads and checks an expression.
    pub fn new(document: &Document<'d>, place: CelScalar, version: KubernetesVersion) -> Self {
        let tree = document.tree;
        let text = tree.scalar(place.scalar).into_owned();
        let rule = place.rule;
        let scope = rule.and_then(|it| document.file().scope(document, it.schema, version));
        let set = ExpressionSet::New;
        let of_rule = rule.zip(scope.as_ref()).map(|(rule, scope)| {
            let optional_old_self = schema::is_true(tree, rule.rule, "optionalOldSelf");
            rules::context(&scope.ty, version, set, optional_old_self)
        });
        let known = of_rule.or_else(|| {
            let path = path_of(tree, place.scalar);
            let (row, object, path) = schema::row_at(tree, &path)?;
            row.context(tree, object, path, version)
        });
        let outline = known.as_ref().map(|context| partial_check(&text, context));
        let context = known.unwrap_or_else(|| Context::new(Arc::clone(Environment::of(version, set))));
        Self {
            tree,
            place,
            map: tree.source_map(place.scalar),
            tokens: tokens(&Source::new(text.as_str())),
            scope,
            context,
            outline,
            text,
        }
    }

    /// An expression in the same scalar, with another text and the given result of its type check.
    pub(super) fn rewritten(&self, text: &str, outline: Option<PartialCheck>) -> Self {
        Self {
            tokens: tokens(&Source::new(text)),
            outline,
            text: text.to_owned(),
            ..self.clone()
        }
    }

    /// The text of the expression.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The name of a type for users.
    pub fn shown(&self, ty: &Type) -> String {
        display_type(&self.context, ty)
    }

    /// The shape of a type, see [`type_shape`].
    pub fn shape(&self, ty: &Type) -> String {
        type_shape(&self.context, ty)
    }

    /// The index of the token at a byte. Between two adjacent tokens, a name is preferred.
    pub fn token_at(&self, byte: usize) -> Option<usize> {
        let byte = byte as u32;
        let end = self.tokens.partition_point(|it| it.start <= byte);
        let touched = (end.saturating_sub(2)..end).filter(|at| self.tokens[*at].touches(byte));
        let is_name = |at: &usize| {
            let text = self.tokens[*at].text(&self.text);
            text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '`' | '\'' | '"'))
        };
        touched.max_by_key(|at| (is_name(at), *at))
    }

    /// The span of a part in the file, from its first to its last byte.
    pub fn span(&self, bytes: Range<usize>) -> Span {
        self.map.span(bytes)
    }

    /// The spans of a part in the file: one for each line, without indentation.
    pub fn spans(&self, bytes: Range<usize>) -> Vec<Span> {
        spans(self.tree, &self.map, bytes)
    }

    /// The span of a token in the file.
    pub fn token_span(&self, token: usize) -> Span {
        let it = self.tokens[token];
        self.span(it.start as usize..it.end as usize)
    }
}
