//! Quick fixes for unknown names in rules.

use crd_analyzer_cel::{
    decls::Role,
    parser::TokenClass,
    types::{DeclType, Type, escape, is_reserved, unescape},
};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::{NodeKind, ScalarStyle};
use crd_analyzer_workspace::words::{
    expression::{Slip, meant_operator, meant_word, slips, unquoted},
    meant::meant,
};

use super::{
    super::{
        TextEdit,
        edits::{put, set_scalar},
    },
    At, Repair,
};
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
    let candidates = candidates.into_iter().flatten();
    let candidates: Vec<usize> = candidates.filter(|it| *it < expression.tokens.len()).collect();
    let slip = slip_at(expression, place.byte);
    if let Some(edit) = slip.as_ref().and_then(|it| Some((it, it.instead.as_ref()?))) {
        let (slip, instead) = edit;
        let edit = rewrite(at, expression, slip.range.clone(), instead);
        found.extend(Repair::one(format!("Write {instead}"), edit));
    }
    // What the parser expects inside of it is not meant.
    if slip.is_some() {
        return;
    }
    for token in &candidates {
        name(expression, *token, found);
        text(at, expression, *token, found);
    }
    for token in &candidates {
        operator(at, expression, *token, found);
        function(expression, *token, found);
        null_test(at, expression, *token, found);
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

/// The part of another language at a byte, or the only one of an expression whose end is missing.
fn slip_at(expression: &Expression<'_>, byte: usize) -> Option<Slip> {
    let mut all = slips(expression.text());
    let at = all.iter().position(|it| it.range.start <= byte && byte <= it.range.end);
    match at {
        Some(at) => Some(all.swap_remove(at)),
        None if byte >= expression.text().trim_end().len() && all.len() == 1 => all.pop(),
        None => None,
    }
}

/// Puts a name in quotes that is compared with a string.
fn text(at: &At<'_>, expression: &Expression<'_>, token: usize, found: &mut Vec<Repair>) {
    let it = expression.tokens[token];
    let written = it.text(expression.text());
    let Some(compared) = unquoted(expression.text(), written) else {
        return;
    };
    let Some(value) = expression.context.variable_of(Role::Value).map(|it| it.ty.clone()) else {
        return;
    };
    let types = expression.context.types();
    let ty = compared.compared.iter().try_fold(value, |ty, name| match ty {
        Type::Struct(path) => types.find_field_type(&path, name),
        _ => None,
    });
    let is_variable = expression.context.variables().iter().any(|it| *it.name == *written);
    if ty == Some(Type::String) && !is_variable {
        let quoted = format!("'{written}'");
        let edit = rewrite(at, expression, it.start as usize..it.end as usize, &quoted);
        found.extend(Repair::one(format!("Put {written} in quotes"), edit));
    }
}

/// Replaces a word or character that is not an operator by the operator that was meant.
fn operator(at: &At<'_>, expression: &Expression<'_>, token: usize, found: &mut Vec<Repair>) {
    let written = expression.tokens[token].text(expression.text()).trim_end();
    let Some(operator) = meant_operator(written) else {
        return;
    };
    let title = format!("Change {written} to {operator}");
    let start = expression.tokens[token].start as usize;
    // `not` is a word, but a blank after `!` is not usual.
    let end = match expression.tokens.get(token + 1) {
        Some(next) if operator == "!" => next.start as usize,
        _ => start + written.len(),
    };
    found.extend(Repair::one(title, rewrite(at, expression, start..end, operator)));
}

/// Corrects the name of a function that is called.
fn function(expression: &Expression<'_>, token: usize, found: &mut Vec<Repair>) {
    let text = |token: usize| expression.tokens.get(token).map(|it| it.text(expression.text()));
    let Some(written) = text(token).filter(|_| expression.tokens[token].class == TokenClass::Identifier) else {
        return;
    };
    if text(token + 1) == Some("(")
        && let Some(near) = meant_word(written)
    {
        let edit = put(expression.token_span(token), near);
        found.push(Repair::new(format!("Change {written} to {near}"), vec![edit]));
    }
}

/// Writes a comparison of a field with `null` as a test whether the field is set.
fn null_test(at: &At<'_>, expression: &Expression<'_>, token: usize, found: &mut Vec<Repair>) {
    let tokens = &expression.tokens;
    let text = |token: usize| tokens.get(token).map(|it| it.text(expression.text()));
    let negation = match text(token) {
        Some("==") => "!",
        Some("!=") => "",
        _ => return,
    };
    if text(token + 1) != Some("null") {
        return;
    }
    let is_name = |token: usize| tokens[token].class == TokenClass::Identifier;
    let Some(last) = token.checked_sub(1).filter(|it| is_name(*it)) else {
        return;
    };
    let mut first = last;
    while first >= 2 && tokens[first - 1].class == TokenClass::Dot && is_name(first - 2) {
        first -= 2;
    }
    let is_whole = first == 0 || tokens[first - 1].class != TokenClass::Dot;
    if first == last || !is_whole {
        return;
    }
    let field = &expression.text()[tokens[first].start as usize..tokens[last].end as usize];
    let test = format!("{negation}has({field})");
    let range = tokens[first].start as usize..tokens[token + 1].end as usize;
    let edit = rewrite(at, expression, range, &test);
    found.extend(Repair::one(format!("Write {test}"), edit));
}

/// Replaces a part of an expression. If the new text would not be the same without other quotes, writes the whole scalar.
fn rewrite(at: &At<'_>, expression: &Expression<'_>, range: std::ops::Range<usize>, new: &str) -> Option<TextEdit> {
    let text = expression.text();
    let begins = text[..range.start].trim().is_empty();
    let is_whole = match at.tree.kind(at.node) {
        // `!` would be a tag, and a quote would begin another style.
        NodeKind::Scalar(ScalarStyle::Plain) => {
            new.contains(": ") || new.contains(" #") || begins && new.starts_with(['!', '\'', '"', '[', '{'])
        }
        NodeKind::Scalar(ScalarStyle::SingleQuoted) => new.contains('\''),
        NodeKind::Scalar(ScalarStyle::DoubleQuoted) => new.contains(['"', '\\']),
        _ => false,
    };
    if new.contains('\n') {
        return None;
    }
    if is_whole {
        let is_all = at.tree.scalar(at.node) == text && !text.contains('\n');
        let whole = format!("{}{new}{}", &text[..range.start], &text[range.end..]);
        return is_all.then(|| set_scalar(at.tree, at.node, &whole)).flatten();
    }
    let span = expression.map.span(range);
    Some(put(span, new))
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
