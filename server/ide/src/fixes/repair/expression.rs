//! Quick fixes for unknown names in rules.

use crd_analyzer_cel::{
    decls::Role,
    parser::TokenClass,
    types::{DeclType, Type, escape, is_reserved, unescape},
};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::words::meant::meant;

use super::{super::edits::put, At, Repair};
use crate::cel::{Expression, cel_at};

/// Fixes for the name at the finding: a similar name, or the escaped form of the name.
pub(super) fn names(at: &At<'_>, found: &mut Vec<Repair>) {
    let Some(place) = cel_at(at.document, at.problem.span.start, KubernetesVersion::NEWEST) else {
        return;
    };
    let expression = &place.expression;
    let Some(token) = expression.token_at(place.byte) else {
        return;
    };
    // The parser reports a syntax error at the wrong word or at the token after it.
    let candidates = [Some(token), token.checked_sub(1), Some(token + 1)];
    for token in candidates
        .into_iter()
        .flatten()
        .filter(|it| *it < expression.tokens.len())
    {
        name(expression, token, found);
    }
    // An error about `has(…)` is reported at its opening parenthesis.
    let is_has = |token: usize| expression.tokens[token].text(expression.text()) == "has";
    if is_has(token) || token.checked_sub(1).is_some_and(is_has) {
        let rest = token + 1..expression.tokens.len();
        for token in rest.take_while(|it| expression.tokens[*it].class != TokenClass::Close) {
            name(expression, token, found);
        }
    }
    if let Some(unguarded) = expression
        .tokens
        .get(token)
        .filter(|it| it.class == TokenClass::Identifier)
    {
        let text = unguarded.text(expression.text());
        let before = token.checked_sub(1).map(|it| expression.tokens[it].class);
        if before != Some(TokenClass::Dot) {
            // An unknown variable may be meant as a field of `self`.
            let value = expression.context.variable_of(Role::Value);
            let object = value.and_then(|it| object_of(expression, &it.ty));
            let escaped = escape(text).filter(|it| object.is_some_and(|object| object.field(it).is_some()));
            let variables = expression.context.variables().iter().map(|it| &*it.name);
            if let (Some(value), Some(escaped)) = (value, escaped) {
                let field = format!("{}.{escaped}", value.name);
                let edit = put(expression.token_span(token), field.as_str());
                found.push(Repair::new(format!("Change {text} to {field}"), vec![edit]));
            } else if let Some(near) = meant(text, variables) {
                let edit = put(expression.token_span(token), near);
                found.push(Repair::new(format!("Change {text} to {near}"), vec![edit]));
            }
        }
    }
}

/// The object type that a type refers to.
fn object_of<'e>(expression: &'e Expression<'_>, ty: &Type) -> Option<&'e DeclType> {
    match ty {
        Type::Struct(path) => expression.context.types().find(path),
        _ => None,
    }
}

fn name(expression: &Expression<'_>, token: usize, found: &mut Vec<Repair>) {
    let it = expression.tokens[token];
    let text = it.text(expression.text());
    let before = token.checked_sub(1).map(|it| expression.tokens[it].class);
    if before != Some(TokenClass::Dot) {
        return;
    }
    let span = expression.token_span(token);
    if is_reserved(text) {
        let escaped = format!("__{text}__");
        found.push(Repair::new(format!("Escape {text} as {escaped}"), vec![put(span, escaped)]).safe());
        return;
    }
    if it.class != TokenClass::Identifier {
        return;
    }
    // The fields of the value before the dot. If its type is unknown, the fields of the rule's value.
    let operand = token.checked_sub(2).and_then(|it| expression.meaning(it));
    let ty = operand.and_then(|it| match it {
        crate::cel::Meaning::Variable { ty, .. } | crate::cel::Meaning::Field { ty, .. } => Some(ty),
        _ => None,
    });
    let Some(object) = ty.and_then(|ty| object_of(expression, &ty)) else {
        return;
    };
    let fields: Vec<&str> = object.fields().iter().map(|it| &*it.name).collect();
    if fields.contains(&text) {
        return;
    }
    let escaped = fields
        .iter()
        .find(|it| unescape(it).is_some_and(|name| name.replace(['-', '.', '/'], "_") == text));
    if let Some(escaped) = escaped {
        found.push(Repair::new(
            format!("Change {text} to {escaped}"),
            vec![put(span, *escaped)],
        ));
    } else if let Some(near) = meant(text, fields) {
        found.push(Repair::new(format!("Change {text} to {near}"), vec![put(span, near)]));
    }
}
