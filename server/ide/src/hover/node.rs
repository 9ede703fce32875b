//! The hover of a schema property: its values, how the API server treats them, and which rules read it.

use crd_analyzer_schema::{
    KubernetesVersion,
    rules::{Part, SchemaStep},
};
use crd_analyzer_syntax::tree::{NodeId, Span, Tree};

use super::{Block, Hover, one_line};
use crate::{
    cel::{CelScalar, Expression, scalars_of},
    cost::{number, rule_cost},
    file::Document,
    markdown::{code, escape},
    property::{Target, UseKind, rules_that_read, uses},
    schema::{self, Property, child, follow, is_true, text},
};

/// The maximum number of rules that are shown.
const MAX_RULES: usize = 8;

/// Whether the property is explained to somebody who reads the CRD or a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reader {
    OfDefinition,
    OfResource,
}

/// The schema root of the version that contains a node, and the declaration of the property in that version.
pub(super) fn find(document: &Document<'_>, target: &Target, node: NodeId) -> Option<(NodeId, Property)> {
    let tree = document.tree;
    let mut steps = target.object.clone();
    steps.push(SchemaStep::Property(target.name.clone()));
    let versions = schema::versions(document);
    let own = versions.iter().find(|it| tree.is_in(node, it.item));
    let root = own.or_else(|| versions.first())?.schema?;
    Some((root, follow(tree, root, &steps)?))
}

/// The hover for a property.
pub(super) fn hover(
    document: &Document<'_>,
    root: NodeId,
    target: &Target,
    property: Property,
    span: Span,
    version: KubernetesVersion,
    who: Reader,
) -> Hover {
    let tree = document.tree;
    let node = property.schema;
    let mut blocks = vec![Block::Code(
        "yaml",
        format!("{}: {}", value_path(target), describe(tree, node)),
    )];
    blocks.extend(text(tree, node, "description").map(|it| Block::Quote(it.into_owned())));
    let mut facts = constraints(tree, node);
    facts.extend(treatment(tree, root, target, node, who));
    blocks.push(Block::List(facts));
    let here = own_rules(tree, node);
    if !here.is_empty() {
        blocks.push(Block::Text(format!("**Rules of this value** ({})", here.len())));
        blocks.push(typed_rules(document, &here, version));
    }
    let above = rules_that_read(document, root, target, version);
    if !above.is_empty() {
        blocks.push(Block::Text(format!("**Rules above that read it** ({})", above.len())));
        blocks.push(rules(&above, above.len()));
    }
    Hover { span, blocks }
}

/// The path of the property's values in resources.
fn value_path(target: &Target) -> String {
    let mut path = String::new();
    for step in &target.object {
        match step {
            SchemaStep::Property(name) => {
                path.push_str(name);
                path.push('.');
            }
            SchemaStep::Items => insert_brackets(&mut path, "[]"),
            SchemaStep::Values => insert_brackets(&mut path, "[key]"),
        }
    }
    path.push_str(&target.name);
    path
}

/// Inserts brackets after a name, before the dot that follows it.
fn insert_brackets(path: &mut String, brackets: &str) {
    if path.ends_with('.') {
        path.pop();
    }
    path.push_str(brackets);
    path.push('.');
}

/// A short description of the type of a schema's values.
pub(crate) fn describe(tree: &Tree, node: NodeId) -> String {
    describe_within(tree, node, 4)
}

fn describe_within(tree: &Tree, node: NodeId, depth: usize) -> String {
    if is_true(tree, node, "x-kubernetes-int-or-string") {
        return "integer or string".to_owned();
    }
    let nullable = if is_true(tree, node, "nullable") {
        " or null"
    } else {
        ""
    };
    let of = |keyword: &str| match child(tree, node, keyword) {
        Some(below) if depth > 0 && schema::is_mapping(tree, below) => {
            format!(" of {}", describe_within(tree, below, depth - 1))
        }
        _ => String::new(),
    };
    let ty = text(tree, node, "type");
    let described = match ty.as_deref() {
        Some("array") => format!("list{}", of("items")),
        Some("object") if is_true(tree, node, "x-kubernetes-embedded-resource") => "embedded resource".to_owned(),
        Some("object") if child(tree, node, "additionalProperties").is_some() => {
            format!("map{}", of("additionalProperties"))
        }
        Some("object") => "object".to_owned(),
        Some(ty) => match text(tree, node, "format") {
            Some(format) => format!("{ty} ({format})"),
            None => ty.to_owned(),
        },
        None if is_true(tree, node, "x-kubernetes-preserve-unknown-fields") => "anything".to_owned(),
        None => "no type".to_owned(),
    };
    described + nullable
}

/// The source of a value on one line.
fn source(tree: &Tree, node: NodeId) -> String {
    one_line(tree.source(node), 120)
}

/// The constraints on the values of a schema.
pub(super) fn constraints(tree: &Tree, node: NodeId) -> Vec<String> {
    let mut facts = Vec::new();
    let value = |keyword: &str| text(tree, node, keyword);
    let exclusive = |keyword: &str| is_true(tree, node, keyword);
    for (min, max, what) in [
        ("minLength", "maxLength", "characters"),
        ("minItems", "maxItems", "items"),
        ("minProperties", "maxProperties", "entries"),
    ] {
        match (value(min), value(max)) {
            (Some(min), Some(max)) => facts.push(format!("{min} to {max} {what}")),
            (Some(min), None) => facts.push(format!("at least {min} {what}")),
            (None, Some(max)) => facts.push(format!("at most {max} {what}")),
            (None, None) => {}
        }
    }
    if let Some(min) = value("minimum") {
        let word = if exclusive("exclusiveMinimum") {
            "more than"
        } else {
            "at least"
        };
        facts.push(format!("{word} {min}"));
    }
    if let Some(max) = value("maximum") {
        let word = if exclusive("exclusiveMaximum") {
            "less than"
        } else {
            "at most"
        };
        facts.push(format!("{word} {max}"));
    }
    facts.extend(value("multipleOf").map(|it| format!("a multiple of {it}")));
    facts.extend(value("pattern").map(|it| format!("matches {}", code(&it))));
    if let Some(values) = child(tree, node, "enum") {
        let all: Vec<_> = tree.items(values).collect();
        let mut shown: Vec<_> = all.iter().take(12).map(|it| code(&source(tree, *it))).collect();
        if all.len() > shown.len() {
            shown.push(format!("… ({} in all)", all.len()));
        }
        facts.push(format!("one of {}", shown.join(", ")));
    }
    for junctor in ["allOf", "anyOf", "oneOf"] {
        let count = child(tree, node, junctor).map_or(0, |it| tree.items(it).count());
        if count > 0 {
            facts.push(format!(
                "{} of {count} more schemas ({})",
                junctor.trim_end_matches("Of"),
                code(junctor)
            ));
        }
    }
    if child(tree, node, "not").is_some() {
        facts.push(format!("not what {} says", code("not")));
    }
    facts
}

/// How the API server treats values of the property, and which parts of the CRD refer to it.
fn treatment(tree: &Tree, root: NodeId, target: &Target, node: NodeId, who: Reader) -> Vec<String> {
    let mut facts = Vec::new();
    let default = child(tree, node, "default");
    let object = follow(tree, root, &target.object).map(|it| it.schema);
    let is_required = object
        .and_then(|it| child(tree, it, "required"))
        .is_some_and(|list| tree.items(list).any(|it| tree.scalar(it) == target.name));
    match (default, is_required) {
        (Some(default), true) => facts.push(format!("required, default {}", code(&source(tree, default)))),
        (Some(default), false) => facts.push(format!("default {}", code(&source(tree, default)))),
        (None, true) => facts.push("required".to_owned()),
        (None, false) if who == Reader::OfResource => facts.push("optional".to_owned()),
        (None, false) => facts.push(format!("optional: rules guard it with {}", code("has()"))),
    }
    match text(tree, node, "type").as_deref() {
        Some("array") => {
            let keys = child(tree, node, "x-kubernetes-list-map-keys")
                .into_iter()
                .flat_map(|it| tree.items(it));
            let keys: Vec<_> = keys.map(|it| code(&tree.scalar(it))).collect();
            facts.push(match text(tree, node, "x-kubernetes-list-type").as_deref() {
                Some("map") => format!("list of type map: {} identifies each item", keys.join(", ")),
                Some("set") => "list of type set: items are unique".to_owned(),
                _ => "list of type atomic: replaced as a whole, and rules below cannot use `oldSelf`".to_owned(),
            });
        }
        Some("object") => {
            if text(tree, node, "x-kubernetes-map-type").as_deref() == Some("atomic") {
                facts.push("atomic: replaced as a whole by server-side apply".to_owned());
            }
            let keeps = is_true(tree, node, "x-kubernetes-preserve-unknown-fields");
            let is_map = child(tree, node, "additionalProperties").is_some();
            if keeps {
                facts.push("unknown fields are kept".to_owned());
            } else if !is_map {
                facts.push("unknown fields are pruned".to_owned());
            }
        }
        _ => {}
    }
    facts
}

/// The rules of a schema.
fn own_rules(tree: &Tree, schema: NodeId) -> Vec<CelScalar> {
    let all = scalars_of(tree, schema).into_iter();
    let is_rule = |it: &CelScalar| it.rule.is_some_and(|it| it.part == Part::Rule);
    all.filter(is_rule).collect()
}

/// Like [`rules`], but type-checks only the rules that the hover shows.
fn typed_rules(document: &Document<'_>, all: &[CelScalar], version: KubernetesVersion) -> Block {
    let first = all.iter().take(MAX_RULES);
    let first: Vec<_> = first.map(|it| Expression::new(document, *it, version)).collect();
    rules(&first, all.len())
}

/// A list of rules with their costs. `count` is the total number, because some rules may be omitted.
fn rules(expressions: &[Expression<'_>], count: usize) -> Block {
    let show = |it: &Expression<'_>| {
        let cost = rule_cost(it).map_or_else(|| "does not compile".to_owned(), crate::cost::RuleCost::describe);
        let message = it.place.rule.and_then(|rule| text(it.tree, rule.rule, "message"));
        let message = message.map(|it| format!(": {}", escape(&one_line(&it, 100))));
        format!(
            "{} ({cost}){}",
            code(&one_line(it.text(), 100)),
            message.unwrap_or_default()
        )
    };
    let mut items: Vec<_> = expressions.iter().take(MAX_RULES).map(show).collect();
    if count > MAX_RULES {
        items.push(format!("{} more", number((count - MAX_RULES) as u64)));
    }
    Block::List(items)
}

/// The parts of a CRD that name a property, apart from its declaration and its rules.
pub(super) fn named_by(document: &Document<'_>, target: &Target, version: KubernetesVersion) -> Vec<String> {
    let found = uses(document, target, version).all;
    let mut kinds: Vec<_> = found.iter().map(|it| it.kind).collect();
    kinds.retain(|it| matches!(it, UseKind::Column | UseKind::SelectableField | UseKind::Scale));
    kinds.dedup();
    kinds.iter().map(|it| format!("named by a {}", it.describe())).collect()
}

/// The hover for the key `x-kubernetes-validations`: the rules of a schema.
pub(super) fn of_keyword(document: &Document<'_>, value: NodeId, version: KubernetesVersion) -> Vec<Block> {
    let tree = document.tree;
    let Some(node) = tree.parent(value) else {
        return Vec::new();
    };
    let own = own_rules(tree, node);
    if own.is_empty() {
        Vec::new()
    } else {
        vec![typed_rules(document, &own, version)]
    }
}
