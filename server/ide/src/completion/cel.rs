//! Completion in expressions, which are usually incomplete.
//!
//! The parts before the cursor are complete: the receiver of a method, or the list of a comprehension. Only they are parsed and checked. The text
//! after the cursor does not matter.

mod context;
mod functions;
mod quoting;
mod scopes;
mod values;

use std::sync::Arc;

use crate::markdown::Documentation;
use context::{Situation, situation};
use crd_analyzer_cel::{decls::ExpressionSet, types::Type};
use crd_analyzer_schema::rules;
use crd_analyzer_syntax::{paths::Step, tree::Span};
use quoting::Quoting;
use scopes::Scoped;

use super::{Completions, Context, Item, ItemKind, nav, property_names};
use crate::{
    cel::display_type,
    fixes::TextEdit,
    schema::{api_at, row_at},
};

/// Whether the value at a place is an expression.
pub(super) fn is_expression(context: &Context<'_, '_>) -> bool {
    let is_key = matches!(context.place.path.last(), Some(Step::Key(_)));
    let is_value = matches!(context.place.slot, crate::cursor_context::Slot::Value { .. });
    is_key
        && is_value
        && api_at(context.place.tree, &context.place.path)
            .is_some_and(|it| matches!(it.ty, crd_analyzer_apiextensions::api::FieldType::Cel))
}

pub(super) fn complete(context: &Context<'_, '_>) -> Option<Completions> {
    let text = context.place.token.prefix.as_str();
    let situation = situation(text)?;
    let scoped = Scoped::new(context, text)?;
    let partial = situation.partial(text);
    let quoting = Quoting::new(context);
    let items = match &situation {
        Situation::Member {
            receiver, is_optional, ..
        } => {
            let (locals, in_has) = scoped.locals(text, receiver.start)?;
            members(&scoped, text, receiver, *is_optional, &locals, in_has)
        }
        Situation::Name { start, tokens } => {
            let (locals, in_has) = scoped.locals(text, *start)?;
            let mut items = values::compared(&scoped, text, tokens, &locals, &quoting);
            items.extend(globals(&scoped, &locals, in_has));
            items
        }
        Situation::Text { tokens, quote, .. } => {
            let start = tokens.last().map_or(0, |it| it.end as usize);
            let (locals, _) = scoped.locals(text, start)?;
            values::in_text(&scoped, text, tokens, &locals, *quote)
        }
        Situation::Operator { .. } => vec![Item {
            detail: Some("whether a list or map contains it".to_owned()),
            ..Item::new("in", ItemKind::Keyword)
        }],
    };
    let offset = context.place.offset;
    let start = offset - partial.len() as u32;
    let file = &context.place.tree.text()[offset as usize..];
    let rest = file
        .find(|it: char| !(it.is_ascii_alphanumeric() || it == '_'))
        .unwrap_or(file.len());
    let has_call = file[rest..].starts_with('(');
    let replace = Span::new(start, offset + rest as u32);
    let mut items: Vec<_> = items
        .into_iter()
        .map(|mut item| {
            if has_call && item.kind != ItemKind::Field {
                // The parentheses are already there.
                item.snippet = None;
                item.text.clone_from(&item.filter);
            }
            quoting.apply(&mut item, replace);
            item
        })
        .collect();
    items.dedup_by(|one, other| one.label == other.label && one.suffix == other.suffix);
    (!items.is_empty()).then_some(Completions {
        items,
        replace,
        insert: Span::new(start, offset),
        is_incomplete: false,
    })
}

/// The members of a value: fields that can be selected, and methods that can be called.
fn members(
    scoped: &Scoped<'_, '_>,
    text: &str,
    receiver: &std::ops::Range<usize>,
    is_optional: bool,
    locals: &[scopes::Local],
    in_has: bool,
) -> Vec<Item> {
    let written = &text[receiver.clone()];
    let Some(ty) = scoped.type_of(written, locals) else {
        // The receiver is a namespace such as `optional.` or `lists.`.
        return functions::of_namespace(&scoped.sees, written);
    };
    let object = ty.optional_of().unwrap_or(&ty);
    let mut items = fields(
        scoped,
        text,
        receiver,
        object,
        locals,
        is_optional || ty.optional_of().is_some(),
    );
    if !in_has && !is_optional {
        items.extend(functions::of_type(&scoped.sees, &ty));
    }
    items
}

/// The fields of an object.
fn fields(
    scoped: &Scoped<'_, '_>,
    text: &str,
    receiver: &std::ops::Range<usize>,
    ty: &Type,
    locals: &[scopes::Local],
    is_optional: bool,
) -> Vec<Item> {
    let Type::Struct(path) = ty else { return Vec::new() };
    let Some(object) = scoped.sees.types().find(path) else {
        return Vec::new();
    };
    let schema = scoped.schema_of(&text[receiver.clone()], locals);
    let mut found = Vec::new();
    let mut guarded = Vec::new();
    for field in object.fields() {
        let name = crd_analyzer_cel::types::unescape(&field.name).unwrap_or_else(|| (&*field.name).into());
        let property = schema
            .and_then(|it| it.properties.iter().find(|it| it.0 == name))
            .map(|it| &it.1);
        let has_default = property.is_some_and(|it| it.default.is_some());
        let mut item = Item::new(&*field.name, ItemKind::Field);
        item.detail = Some(display_type(
            &scoped.sees,
            &field.ty.cel_type(&format!("{path}.{}", field.name)),
        ));
        item.documentation = property
            .filter(|it| !it.description.is_empty())
            .map(|it| Documentation::Theirs(it.description.clone()));
        item.note = (name != *field.name).then(|| format!("escapes {name}"));
        item.commit = &['.'];
        let may_lack = !field.required && !has_default && !is_optional;
        if may_lack && scoped.can_guard(text, receiver.start) {
            guarded.push(guard(scoped, &item, &text[receiver.clone()], receiver.start));
        }
        // Declared fields come before the fields that every resource has.
        let is_implied = matches!(&*name, "apiVersion" | "kind" | "metadata") && property.is_none();
        found.push((is_implied, name.into_owned(), item));
    }
    found.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
    found.into_iter().map(|it| it.2).chain(guarded).collect()
}

/// An item that inserts the field after a test that the field is set.
fn guard(scoped: &Scoped<'_, '_>, field: &Item, receiver: &str, at: usize) -> Item {
    let mut item = field.clone();
    let test = format!("has({receiver}.{}) && ", field.text);
    item.suffix = Some(" (if present)".to_owned());
    item.note = Some(test.clone());
    // The receiver's position in the file. Subtracting is correct because `can_guard` excludes line breaks between the receiver and the cursor.
    let start = scoped.context.place.offset - (scoped.text_len - at) as u32;
    item.edits.push(TextEdit {
        span: Span::new(start, start),
        new_text: test,
    });
    item
}

/// The items that can start an operand.
fn globals(scoped: &Scoped<'_, '_>, locals: &[scopes::Local], in_has: bool) -> Vec<Item> {
    let mut items = Vec::new();
    for local in locals.iter().rev() {
        let mut item = Item::new(&*local.name, ItemKind::Variable);
        item.detail = Some(display_type(&scoped.sees, &local.ty));
        item.documentation = Some("The current element.".into());
        item.commit = &['.'];
        items.push(item);
    }
    for variable in scoped.sees.variables() {
        let mut item = Item::new(&*variable.name, ItemKind::Variable);
        item.detail = Some(display_type(&scoped.sees, &variable.ty));
        item.documentation = Some(variable.doc.into());
        item.commit = &['.'];
        items.push(item);
    }
    if in_has {
        return items;
    }
    items.extend(functions::global(&scoped.sees));
    for (name, doc) in [
        ("true", "boolean"),
        ("false", "boolean"),
        ("null", "the absence of a value"),
    ] {
        let mut item = Item::new(name, ItemKind::Keyword);
        item.detail = Some(doc.to_owned());
        items.push(item);
    }
    items
}

/// An expression's context for the requested Kubernetes version.
impl<'c, 'a> Scoped<'c, 'a> {
    fn new(context: &'c Context<'c, 'a>, text: &str) -> Option<Self> {
        let (tree, version) = (context.place.tree, context.request.version);
        if let Some((row, object, path)) = row_at(tree, &context.place.path) {
            return Some(Self {
                context,
                sees: row.context(tree, object, path, version)?,
                scope: None,
                text_len: text.len(),
            });
        }
        let schema = property_names::schema_of_rule(context)?;
        let document = context.request.document?;
        let rule = super::schema_values::schema_of(context)?;
        let scope = document.file().scope(document, schema, version)?;
        let optional_old_self = nav::is_true(tree, rule, "optionalOldSelf");
        Some(Self {
            context,
            sees: rules::context(&scope.ty, version, ExpressionSet::New, optional_old_self),
            scope: Some(scope),
            text_len: text.len(),
        })
    }
}

type Name = Arc<str>;
