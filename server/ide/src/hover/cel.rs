//! Hover on tokens of expressions.

use std::sync::Arc;

use crd_analyzer_cel::{
    ast::{ExprKind, NodeId, operators},
    decls::{Environment, ExpressionSet, OverloadDecl},
    library::declarations,
    types::Type,
};
use crd_analyzer_schema::{KubernetesVersion, rules::Part};
use crd_analyzer_syntax::tree::{NodeId as TreeNode, Span, Tree};

use super::{Block, Hover, node::constraints};
use crate::{
    cel::{CelAt, Expression, Meaning},
    cost::{number, rule_cost},
    file::Document,
    markdown::code,
    schema::{child, is_true, text},
};

/// The hover for a token of an expression. `place_of` says on which line a key of the document is written.
pub(crate) fn hover(
    document: &Document<'_>,
    at: &CelAt<'_>,
    place_of: impl Fn(Span) -> Option<String>,
) -> Option<Hover> {
    let expression = &at.expression;
    let token = expression.token_at(at.byte)?;
    let meaning = expression.meaning(token)?;
    let mut blocks = match &meaning {
        Meaning::Variable { name, ty, declared, .. } => {
            let what = match declared {
                Some(_) => "The current element.",
                None => expression.context.variable(name).map_or("", |it| it.doc),
            };
            let mut blocks = vec![
                Block::Code("cel", format!("{name}: {}", expression.shape(ty))),
                Block::Text(what.to_owned()),
            ];
            blocks.extend(fields(expression, ty));
            blocks
        }
        Meaning::Type { ty } => vec![Block::Code("cel", expression.shape(ty))],
        Meaning::Field { name, property, ty, .. } => {
            let mut blocks = vec![Block::Code("cel", format!("{name}: {}", expression.shape(ty)))];
            if let Some(property) = property {
                let tree = document.tree;
                blocks.extend(text(tree, property.schema, "description").map(|it| Block::Quote(it.into_owned())));
                let mut facts = beside_type(tree, property.schema);
                facts.extend(constraints(tree, property.schema));
                if let Some((key, place)) = property.key.and_then(|it| Some((it, place_of(tree.span(it))?))) {
                    facts.push(format!("declared as {} {place}", code(&tree.scalar(key))));
                }
                blocks.push(Block::List(facts));
            }
            blocks
        }
        Meaning::Function {
            name, doc, overloads, ..
        } => function(name, doc, overloads),
        Meaning::Macro { of, ty, node } => {
            let call = format!("{}({})", of.name, of.parameters.join(", "));
            let receiver = if of.is_method() {
                format!("{}.", range_of(expression, *node))
            } else {
                String::new()
            };
            let mut blocks = vec![
                Block::Code("cel", format!("{receiver}{call} -> {}", expression.shape(ty))),
                Block::Text(of.documentation.to_owned()),
            ];
            blocks.extend(of.examples.first().map(example));
            blocks
        }
        Meaning::Literal { ty, .. } => vec![Block::Code("cel", expression.shown(ty))],
    };
    blocks.push(Block::List(costs(expression, &meaning)));
    Some(Hover {
        span: expression.token_span(token),
        blocks,
    })
}

/// The maximum number of fields that are shown.
const MAX_FIELDS: usize = 12;

/// The fields of an object.
fn fields(expression: &Expression<'_>, ty: &Type) -> Option<Block> {
    let fields = expression.fields_of(ty);
    if fields.is_empty() {
        return None;
    }
    let show = |(name, ty): &(String, Type)| format!("{}: {}", code(name), code(&expression.shape(ty)));
    let mut items: Vec<_> = fields.iter().take(MAX_FIELDS).map(show).collect();
    if fields.len() > MAX_FIELDS {
        items.push(format!("{} more fields", fields.len() - MAX_FIELDS));
    }
    Some(Block::List(items))
}

/// The type of the value that a macro iterates over.
fn range_of(expression: &Expression<'_>, node: NodeId) -> String {
    let checked = expression.outline.as_ref().map(|it| &it.checked);
    let range = checked.and_then(|it| match &it.ast[node].kind {
        ExprKind::Comprehension(comprehension) => Some(it.type_of(comprehension.iter_range)),
        _ => None,
    });
    range.map_or_else(|| "<range>".to_owned(), |ty| expression.shape(ty))
}

/// The constraints of a schema that its CEL type does not express.
fn beside_type(tree: &Tree, node: TreeNode) -> Vec<String> {
    let mut facts = Vec::new();
    if is_true(tree, node, "x-kubernetes-int-or-string") {
        facts.push("integer or string".to_owned());
    }
    if is_true(tree, node, "x-kubernetes-embedded-resource") {
        facts.push("embedded resource".to_owned());
    }
    facts.extend(text(tree, node, "format").map(|it| format!("format {}", code(&it))));
    let items = child(tree, node, "items").and_then(|it| text(tree, it, "format"));
    facts.extend(items.map(|it| format!("items have the format {}", code(&it))));
    if is_true(tree, node, "nullable") {
        facts.push("may be null".to_owned());
    }
    facts
}

/// The cost of the part of an expression, and of the whole expression.
fn costs(expression: &Expression<'_>, meaning: &Meaning) -> Vec<String> {
    let mut lines = Vec::new();
    let outline = expression.outline.as_ref();
    if let (Some(node), Some((_, parts))) = (meaning.node(), outline.and_then(|it| it.cost.as_ref()))
        && let Some(cost) = outline.and_then(|it| parts.get(&it.checked.ast[node].id))
        && cost.max > 1
    {
        lines.push(format!("this part costs up to {}", number(cost.max)));
    }
    if let Some((cost, rule)) = rule_cost(expression).zip(expression.place.rule) {
        let what = match rule.part {
            Part::Rule => "the rule",
            Part::MessageExpression => "the message expression",
        };
        let unbounded = if cost.is_unbounded {
            ", because a list or map above has no limit"
        } else {
            ""
        };
        lines.push(format!("{what}: {}{unbounded}", cost.describe()));
    }
    lines
}

/// The description of a function and its overloads.
pub(crate) fn function(name: &str, doc: &str, overloads: &[Arc<OverloadDecl>]) -> Vec<Block> {
    let signatures: Vec<_> = overloads.iter().take(6).map(|it| signature(name, it)).collect();
    let mut blocks = vec![Block::Code("cel", signatures.join("\n"))];
    if !doc.is_empty() {
        blocks.push(Block::Text(doc.to_owned()));
    }
    let first = declarations(name).iter().find_map(|it| it.examples.first());
    blocks.extend(first.map(example));
    let mut notes = Vec::new();
    if let Some(since) = since(name, overloads) {
        notes.push(format!("in new rules since Kubernetes {since}"));
    }
    blocks.push(Block::List(notes));
    blocks
}

fn example((expression, value): &(&str, &str)) -> Block {
    Block::Code("cel", format!("{expression} // {value}"))
}

/// How to write a call of an overload.
pub(crate) fn signature(name: &str, overload: &OverloadDecl) -> String {
    let types: Vec<_> = overload.params.iter().map(Type::to_string).collect();
    let result = overload.result.to_string();
    if let Some(operator) = operators::display_name(name) {
        let call = match (name, types.as_slice()) {
            (operators::CONDITIONAL, [c, a, b]) => format!("{c} ? {a} : {b}"),
            (operators::INDEX, [a, b]) => format!("{a}[{b}]"),
            (operators::OPT_INDEX, [a, b]) => format!("{a}[?{b}]"),
            (operators::OPT_SELECT, [a, _]) => format!("{a}.?field"),
            (_, [a]) => format!("{operator}{a}"),
            (_, [a, b]) => format!("{a} {operator} {b}"),
            _ => types.join(" "),
        };
        return format!("{call} -> {result}");
    }
    match types.as_slice() {
        [target, rest @ ..] if overload.member => format!("{target}.{name}({}) -> {result}", rest.join(", ")),
        all => format!("{name}({}) -> {result}", all.join(", ")),
    }
}

/// The first Kubernetes version whose new expressions may use one of the overloads. `None` if all supported versions allow it.
fn since(name: &str, overloads: &[Arc<OverloadDecl>]) -> Option<KubernetesVersion> {
    let has = |version: &KubernetesVersion| {
        let declared = Environment::of(*version, ExpressionSet::New).function(name);
        declared.is_some_and(|it| {
            it.overloads
                .iter()
                .any(|it| overloads.iter().any(|own| own.id == it.id))
        })
    };
    let first = KubernetesVersion::all().find(has)?;
    (first > KubernetesVersion::OLDEST).then_some(first)
}
