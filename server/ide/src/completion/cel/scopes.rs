//! The names that are in scope in an expression: the variables of the comprehensions around the cursor, with their types and schemas.

use std::sync::Arc;

use crd_analyzer_cel::{
    decls::Role,
    parser::{TokenClass, WrittenToken},
    type_of,
    types::{Type, unescape},
};
use crd_analyzer_schema::JsonSchemaProps;

use super::{
    Context, Name,
    context::{lex, receiver_start},
};
use crate::cel::Scope;

/// An expression with its context.
pub(super) struct Scoped<'c, 'a> {
    pub(super) context: &'c Context<'c, 'a>,
    /// The scope of the rule that contains the expression, if any.
    pub(super) scope: Option<Arc<Scope>>,
    /// The CEL context of the expression.
    pub(super) sees: crd_analyzer_cel::Context,
    /// The number of bytes of the expression before the cursor.
    pub(super) text_len: usize,
}

/// The variable of a comprehension.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) name: Name,
    pub(super) ty: Type,
    /// The expression of the list or map that the comprehension iterates over. `None` if the variable is not an element or value of it.
    over: Option<String>,
}

/// Macros whose first argument declares a variable, each with whether the second argument may declare another one.
const FOLDS: [(&str, bool); 12] = [
    ("all", true),
    ("exists", true),
    ("exists_one", true),
    ("existsOne", true),
    ("map", false),
    ("filter", false),
    ("sortBy", false),
    ("transformList", true),
    ("transformMap", true),
    ("transformMapEntry", true),
    ("optMap", false),
    ("optFlatMap", false),
];

/// An opening bracket that is not closed.
struct Open {
    token: usize,
    /// The first token of each argument.
    arguments: Vec<usize>,
}

impl Scoped<'_, '_> {
    /// The type of an expression.
    pub(super) fn type_of(&self, text: &str, locals: &[Local]) -> Option<Type> {
        if locals.is_empty() {
            return type_of(text, &self.sees);
        }
        let locals = locals.iter().map(|it| (&it.name, &it.ty));
        type_of(text, &self.sees.clone().with_locals(locals))
    }

    /// The variables of the comprehensions around an offset, and whether it is in `has()`. `None` if the user is typing a variable's name.
    pub(super) fn locals(&self, text: &str, at: usize) -> Option<(Vec<Local>, bool)> {
        let tokens = lex(&text[..at]);
        let mut open: Vec<Open> = Vec::new();
        for (number, token) in tokens.iter().enumerate() {
            match token.class {
                TokenClass::Open => open.push(Open {
                    token: number,
                    arguments: vec![number + 1],
                }),
                TokenClass::Close => {
                    open.pop();
                }
                TokenClass::Comma => {
                    if let Some(innermost) = open.last_mut() {
                        innermost.arguments.push(number + 1);
                    }
                }
                _ => {}
            }
        }
        let mut locals = Vec::new();
        let mut in_has = false;
        let innermost = open.last().map(|it| it.token);
        for bracket in &open {
            let is_innermost = Some(bracket.token) == innermost;
            let is_call = tokens[bracket.token].text(text) == "(";
            let Some(callee) = bracket
                .token
                .checked_sub(1)
                .filter(|it| is_call && tokens[*it].class == TokenClass::Identifier)
            else {
                continue;
            };
            let name = tokens[callee].text(text);
            let has_receiver = callee
                .checked_sub(1)
                .is_some_and(|it| tokens[it].class == TokenClass::Dot);
            if !has_receiver {
                in_has |= is_innermost && name == "has";
                continue;
            }
            let Some((_, takes_two)) = FOLDS.iter().find(|it| it.0 == name) else {
                continue;
            };
            let begins = |argument: usize| bracket.arguments.get(argument).copied();
            let is_naming =
                bracket.arguments.len() == 1 || bracket.arguments.len() == 2 && name.starts_with("transform");
            if is_naming {
                // The user chooses the variable's name, so nothing is offered.
                if is_innermost && tokens.len() == *bracket.arguments.last()? {
                    return None;
                }
                continue;
            }
            let named = |argument: usize| {
                let token = tokens.get(begins(argument)?)?;
                let next = tokens.get(begins(argument)? + 1)?;
                let is_name = token.class == TokenClass::Identifier && next.class == TokenClass::Comma;
                is_name.then(|| Name::from(token.text(text)))
            };
            let dot = callee - 1;
            let Some(first) = receiver_start(text, &tokens, dot) else {
                continue;
            };
            let receiver = text[tokens[first].start as usize..tokens[dot].start as usize].trim_end();
            let of = self.type_of(receiver, &locals).unwrap_or(Type::Dyn);
            let second = (*takes_two && bracket.arguments.len() > 2).then(|| named(1)).flatten();
            let (one, two) = variables(&of, second.is_some());
            let over = |is_element: bool| is_element.then(|| receiver.to_owned());
            if let Some(name) = named(0) {
                let is_element = second.is_none() && matches!(of, Type::List(_));
                locals.push(Local {
                    name,
                    ty: one,
                    over: over(is_element),
                });
            }
            if let Some(name) = second {
                locals.push(Local {
                    name,
                    ty: two,
                    over: over(true),
                });
            }
        }
        Some((locals, in_has))
    }

    /// The schema of the value that an expression selects. `None` if the expression is more than a selection.
    pub(super) fn schema_of(&self, text: &str, locals: &[Local]) -> Option<&JsonSchemaProps> {
        self.schema_within(text, locals, 0)
    }

    fn schema_within(&self, text: &str, locals: &[Local], depth: usize) -> Option<&JsonSchemaProps> {
        // The list of each comprehension may depend on the variables of outer ones.
        if depth > 32 {
            return None;
        }
        let tokens = lex(text);
        let first = tokens.first().filter(|it| it.class == TokenClass::Identifier)?;
        let name = first.text(text);
        let local = locals.iter().rposition(|it| *it.name == *name);
        let mut schema = match local {
            Some(at) => {
                let over = locals[at].over.as_deref()?;
                element(self.schema_within(over, &locals[..at], depth + 1)?)?
            }
            None => match self.sees.role(name)? {
                Role::Value | Role::OldValue => &self.scope.as_ref()?.schema,
                Role::Other => return None,
            },
        };
        let mut at = 1;
        while let Some(token) = tokens.get(at) {
            match token.class {
                TokenClass::Dot => {
                    at += 1;
                    if tokens.get(at).is_some_and(|it| it.text(text) == "?") {
                        at += 1;
                    }
                    let field = tokens.get(at)?.text(text).trim_matches('`');
                    // The name before a parenthesis is a method and not a field. Only some methods return a value with the same schema.
                    if tokens.get(at + 1).is_some_and(|it| it.text(text) == "(") {
                        if !matches!(field, "value" | "orValue" | "filter" | "reverse" | "distinct" | "sort") {
                            return None;
                        }
                        at = close(&tokens, at + 1)? + 1;
                        continue;
                    }
                    let name = unescape(field)?;
                    schema = match schema.properties.iter().find(|it| it.0 == name) {
                        Some((_, property)) => property,
                        None => element(schema)?,
                    };
                    at += 1;
                }
                TokenClass::Open if token.text(text) == "[" => {
                    schema = element(schema)?;
                    at = close(&tokens, at)? + 1;
                }
                _ => return None,
            }
        }
        Some(schema)
    }

    /// Whether a test for a field can be inserted before the operand at an offset. It must be the first operand of a whole condition.
    pub(super) fn can_guard(&self, text: &str, start: usize) -> bool {
        let is_rule =
            matches!(self.context.place.path.last(), Some(crd_analyzer_syntax::paths::Step::Key(key)) if key == "rule");
        let tokens = lex(&text[..start]);
        let last = tokens.last().map(|it| it.text(text));
        is_rule
            && !text[start..].contains('\n')
            && match last {
                None | Some("&&") => true,
                // Arguments of calls such as `has` and `size` are no conditions, except in comprehensions.
                Some("(") => callee(text, &tokens).is_none(),
                Some(",") => callee(text, &tokens).is_some_and(|it| FOLDS.iter().any(|fold| fold.0 == it)),
                Some(_) => false,
            }
            && !text[start..].contains(['\'', '"', '\\'])
    }
}

/// The name of the function whose arguments end the tokens.
fn callee<'t>(text: &'t str, tokens: &[WrittenToken]) -> Option<&'t str> {
    let mut closed = 0_usize;
    let open = tokens.iter().rposition(|it| match it.class {
        TokenClass::Close => {
            closed += 1;
            false
        }
        TokenClass::Open if closed > 0 => {
            closed -= 1;
            false
        }
        class => class == TokenClass::Open,
    })?;
    let name = &tokens[open.checked_sub(1)?];
    (tokens[open].text(text) == "(" && name.class == TokenClass::Identifier).then(|| name.text(text))
}

/// The schema of the items or values of a list or map.
fn element(schema: &JsonSchemaProps) -> Option<&JsonSchemaProps> {
    let items = schema.items.as_ref().and_then(|it| it.schema.as_deref());
    items.or_else(|| schema.additional_properties.as_ref()?.schema.as_deref())
}

/// The token that closes the bracket at `open`.
fn close(tokens: &[WrittenToken], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.class {
            TokenClass::Open => depth += 1,
            TokenClass::Close => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The types of a comprehension's variables.
fn variables(of: &Type, with_two: bool) -> (Type, Type) {
    match of {
        Type::List(element) if with_two => (Type::Int, (**element).clone()),
        Type::List(element) => ((**element).clone(), Type::Dyn),
        Type::Map(types) => (types[0].clone(), types[1].clone()),
        of => (of.optional_of().cloned().unwrap_or(Type::Dyn), Type::Dyn),
    }
}
