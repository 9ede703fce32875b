//! Quick fixes for custom resources, using the schema of their CRD, and for defaults in a CRD.

use std::borrow::Cow;

use crd_analyzer_apiextensions::codes as api_codes;
use crd_analyzer_budget as budget;
use crd_analyzer_diagnostic::text::{meant_boolean, without_quotes};
use crd_analyzer_schema::codes;
use crd_analyzer_syntax::{
    json::{JsonDoc, JsonValue},
    paths::{self, Step},
    read_json_of,
    tree::{CollectionStyle, Entry, NodeId, NodeKind, ScalarStyle, Tree},
};
use crd_analyzer_workspace::{
    index::GroupKind,
    words::meant::{meant, meant_object_name},
};

use super::{
    super::edits::{Value, as_item, flow, in_brackets, put, remove_entry, set_scalar, set_value},
    At, Repair,
};
use crate::{
    completion::{
        Definitions,
        resource::{defined, view::View},
    },
    schema,
};

/// The maximum number of enum values to offer if none of them resembles the written value.
const MOST_VALUES: usize = 4;

/// The maximum length, in characters, of a value that a fix's title repeats.
const LONGEST_SHOWN: usize = 40;

/// Fixes for a finding in an object with a known CRD.
pub(super) fn repairs(at: &At<'_>, definitions: &dyn Definitions, found: &mut Vec<Repair>) {
    let around = at.around().filter(|_| at.problem.code == codes::MISSING_PROPERTY);
    for at in around.iter().chain([at]) {
        repairs_at(at, definitions, found);
    }
}

fn repairs_at(at: &At<'_>, definitions: &dyn Definitions, found: &mut Vec<Repair>) {
    // A missing field is reported at the mapping that lacks it. An unknown field is reported at the field, so use the mapping around it.
    let path = match at.problem.code {
        api_codes::UNKNOWN_FIELD => {
            let Some(mapping) = at.mapping() else { return };
            let path = paths::path_of(at.tree, mapping);
            // The schema of `metadata` is the same for all kinds, and not part of the CRD.
            if matches!(path.first(), Some(Step::Key(key)) if key == "metadata") {
                return;
            }
            path
        }
        _ => at.path.clone(),
    };
    let Some((definition, version, path)) = defined(at.tree, &path, definitions) else {
        return;
    };
    let Some(root) = definition.schema(&version) else {
        return;
    };
    let tree = &definition.tree;
    let view = |path: &[Step<'_>]| View::root(tree, tree.resolve(root.node)).follow(path);
    if at.problem.code == api_codes::UNKNOWN_FIELD
        && let Some(moved) = super::misplaced::out_of(at, |steps| view(path.get(..steps)?))
    {
        found.push(moved);
        remove(at, found);
        return;
    }
    let Some(view) = view(path) else { return };
    value(at, &view, found);
}

/// Removes an unknown field.
fn remove(at: &At<'_>, found: &mut Vec<Repair>) {
    if let Some((own, mapping)) = at.entry.zip(at.mapping()) {
        let edit = remove_entry(at.tree, mapping, own);
        found.extend(Repair::one(format!("Remove {}", at.tree.scalar(own.key)), edit));
    }
}

/// Fixes for a finding in a default, which must be valid under its own schema.
pub(super) fn of_default(at: &At<'_>, found: &mut Vec<Repair>) {
    let is_default = |step: &Step<'_>| matches!(step, Step::Key(key) if key == "default");
    for (number, _) in at.path.iter().enumerate().filter(|it| is_default(it.1)) {
        let Some(schema) = paths::find(at.tree, &at.path[..number]) else {
            continue;
        };
        let schema = at.tree.resolve(schema.node);
        if schema::is_mapping(at.tree, schema)
            && schema::is_schema_node(at.tree, schema)
            && let Some(view) = View::value(at.tree, schema).follow(&at.path[number + 1..])
        {
            value(at, &view, found);
            return;
        }
    }
}

/// The maximum number of versions to offer for a resource.
const MOST_VERSIONS: usize = 4;

/// Changes the version of the resource to a served version.
pub(super) fn version(at: &At<'_>, definitions: &dyn Definitions, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let Some(object) = at.mapping().or(at.document.root) else {
        return;
    };
    let Some((written, kind)) = schema::child(tree, object, "apiVersion").zip(schema::child(tree, object, "kind"))
    else {
        return;
    };
    let api_version = tree.scalar(written);
    let Some((group, own)) = api_version.split_once('/') else {
        return;
    };
    let kind = GroupKind {
        group: group.to_owned(),
        kind: tree.scalar(kind).into_owned(),
    };
    let versions = match at.document.row() {
        Some(row) => vec![row.kind.served().name.to_owned()],
        None => definitions.find(&kind).map_or_else(Vec::new, |it| it.versions()),
    };
    let others = versions.into_iter().filter(|it| it != own);
    for version in others.take(MOST_VERSIONS) {
        let edit = set_scalar(tree, written, &format!("{group}/{version}"));
        found.extend(Repair::one(format!("Change {own} to {version}"), edit));
    }
}

/// Changes the name of the object to a similar valid one.
pub(super) fn object_name(at: &At<'_>) -> Option<Repair> {
    let written = short(at)?;
    let near = meant_object_name(&written)?;
    Repair::one(
        format!("Change {written} to {near}"),
        set_scalar(at.tree, at.node, &near),
    )
}

fn value(at: &At<'_>, view: &View<'_>, found: &mut Vec<Repair>) {
    match at.problem.code {
        api_codes::UNKNOWN_FIELD => unknown_field(at, view, found),
        codes::MISSING_PROPERTY => missing(at, view, found),
        codes::NOT_IN_ENUM => not_in_enum(at, view, found),
        codes::WRONG_TYPE => wrong_type(at, view, found),
        codes::NUMBER_TOO_SMALL => bound(at, view, "minimum", found),
        codes::NOT_A_MULTIPLE => multiple(at, view, found),
        codes::DUPLICATE_LIST_ITEM => super::keywords::item(at, found),
        codes::DEFAULT_UNKNOWN_FIELD => unknown_field(at, view, found),
        codes::NUMBER_TOO_LARGE => bound(at, view, "maximum", found),
        _ => {}
    }
}

/// Changes the name of an unknown field that the path of a JSON patch writes.
pub(super) fn in_pointer(at: &At<'_>) -> Option<Repair> {
    let problem = &at.problem;
    let wanted = problem
        .meant
        .as_deref()
        .filter(|_| problem.code == api_codes::UNKNOWN_FIELD)?;
    let is_key = |it: Entry| at.tree.span(it.key) == problem.span;
    if at.document.is_crd() || at.entry.is_some_and(is_key) {
        return None;
    }
    let name = at.tree.text().get(problem.span.range())?;
    let repair = Repair::one(format!("Change {name} to {wanted}"), Some(put(problem.span, wanted)))?;
    // A required field that is missing has another name, and may be meant or not.
    Some(if meant(name, [wanted]).is_some() {
        repair.safe()
    } else {
        repair
    })
}

fn unknown_field(at: &At<'_>, view: &View<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let Some((own, mapping)) = at.entry.zip(at.mapping()) else {
        return;
    };
    let name = tree.scalar(own.key);
    let fields = view.fields();
    let free = fields.iter().map(|it| it.0.as_ref());
    let work = at.entries(mapping);
    let free = free.filter(|it| budget::advise(work) && tree.entry(mapping, it).is_none());
    let near = meant(&name, free);
    // The check of the object knows the only required field that can be meant.
    let missing = at.problem.meant.as_deref().filter(|it| near != Some(*it));
    if let Some(missing) = missing {
        let edit = set_scalar(tree, own.key, missing);
        found.extend(Repair::one(format!("Rename {name} to {missing}"), edit));
    }
    if let Some(near) = near {
        let edit = set_scalar(tree, own.key, near);
        found.extend(Repair::one(format!("Change {name} to {near}"), edit).map(Repair::safe));
    } else {
        let home = super::misplaced::into_home(at, view);
        found.extend(home.or_else(|| super::misplaced::into_owner(at, view)));
    }
    remove(at, found);
}

/// Adds a required field. The finding does not say which field is missing, so each missing one is a candidate.
fn missing(at: &At<'_>, view: &View<'_>, found: &mut Vec<Repair>) {
    if let Some(own) = at.entry.filter(|it| is_null(at.tree, it.value)) {
        let edit = first_value(view).and_then(|it| set_value(at.tree, own.value, &it));
        found.extend(Repair::one(format!("Set {}", at.tree.scalar(own.key)), edit));
        return;
    }
    let required = view.required();
    let work = required.len() as u64 + at.entries(at.node);
    for (name, field) in view.fields() {
        if !budget::advise(work) {
            return;
        }
        if !required.contains(&name) || at.tree.entry(at.node, &name).is_some() {
            continue;
        }
        if let Some(value) = first_value(&field) {
            let edit = at.insert(at.node, &name, &value);
            found.extend(Repair::one(format!("Add {name}"), edit));
        }
    }
}

/// Whether a value is null, which the API server drops.
fn is_null(tree: &Tree, value: NodeId) -> bool {
    let is_null = |it: JsonDoc<'_>| it.root().is_some_and(|it| matches!(it.value, JsonValue::Null));
    tree.is_scalar(value) && read_json_of(tree, value).is_ok_and(is_null)
}

/// The number of levels of required fields to write.
const MOST_LEVELS: usize = 4;

/// An initial value for a required field. An object gets its own required fields, because it would be invalid without them.
fn first_value(field: &View<'_>) -> Option<Value> {
    first_value_of(field, MOST_LEVELS)
}

fn first_value_of(field: &View<'_>, levels: usize) -> Option<Value> {
    let written = |text: Cow<'_, str>| match field.ty() {
        Some("string") => Value::text_of(text),
        _ => Value::AsWritten(text.into_owned()),
    };
    let given = field.default_value().or_else(|| field.enum_values().first().copied());
    if let Some(given) = given {
        return field.tree.is_scalar(given).then(|| written(field.tree.scalar(given)));
    }
    Some(match field.ty()? {
        "string" => Value::text_of(""),
        "boolean" => Value::Bool(false),
        "integer" | "number" => Value::AsWritten(field.text("minimum").unwrap_or("0".into()).into_owned()),
        "array" => Value::List(Vec::new()),
        "object" => Value::Map(first_fields(field, levels.checked_sub(1)?)),
        _ => return None,
    })
}

/// The required fields of an object without a default, each with an initial value.
fn first_fields(object: &View<'_>, levels: usize) -> Vec<(String, Value)> {
    let required = object.required();
    let fields = object.fields();
    if !budget::advise((required.len() + fields.len()) as u64) {
        return Vec::new();
    }
    let fields = fields.into_iter();
    let fields = fields.filter(|(name, field)| required.contains(name) && field.default_value().is_none());
    let fields = fields.filter_map(|(name, field)| Some((name.into_owned(), first_value_of(&field, levels)?)));
    fields.collect()
}

/// The source text of the value, if it is short enough for a title.
fn short<'t>(at: &At<'t>) -> Option<Cow<'t, str>> {
    let is_scalar = at.tree.is_scalar(at.node) && !at.tree.is_absent(at.node);
    let written = is_scalar.then(|| at.tree.scalar(at.node))?;
    (written.chars().count() <= LONGEST_SHOWN && !written.contains('\n')).then_some(written)
}

fn not_in_enum(at: &At<'_>, view: &View<'_>, found: &mut Vec<Repair>) {
    let Some(written) = short(at) else { return };
    let values: Vec<_> = view.enum_values().into_iter().map(|it| view.tree.scalar(it)).collect();
    let chosen: Vec<&str> = match meant(&written, values.iter().map(AsRef::as_ref)) {
        Some(near) => vec![near],
        None if values.len() <= MOST_VALUES => values.iter().map(AsRef::as_ref).collect(),
        None => Vec::new(),
    };
    for value in chosen {
        let edit = set_scalar(at.tree, at.node, value);
        let repair = Repair::one(format!("Change {written} to {value}"), edit);
        let is_case = written.eq_ignore_ascii_case(value);
        found.extend(repair.map(|it| if is_case { it.safe() } else { it }));
    }
}

/// Fixes for a value of the wrong type: add or remove quotes, add brackets, or insert an initial value of the right type.
fn wrong_type(at: &At<'_>, view: &View<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    let (Some(_), NodeKind::Scalar(style)) = (short(at), tree.kind(at.node)) else {
        return collection(at, view, found);
    };
    let (span, source) = (tree.span(at.node), tree.source(at.node));
    match view.ty() {
        ty if style == ScalarStyle::Plain && (ty == Some("string") || view.is_int_or_string()) => {
            // The characters of the value stay the same.
            found.push(Repair::new("Quote the value", vec![put(span, format!("\"{source}\""))]).safe());
        }
        Some("integer" | "number" | "boolean") if style != ScalarStyle::Plain => {
            let value = view.ty().and_then(|it| without_quotes(&tree.scalar(at.node), it));
            found.extend(value.map(|it| Repair::new("Remove the quotes", vec![put(span, it)]).safe()));
        }
        Some("array") => found.extend(Repair::one("Make it a list", in_brackets(tree, at.node))),
        _ => {}
    }
    if let Some(written) = view
        .ty()
        .filter(|it| *it == "object")
        .and_then(|_| only_property(at, view))
    {
        let edit = put(span, written.as_str());
        found.push(Repair::new(format!("Write {written}"), vec![edit]));
    }
    if !found.is_empty() {
        return;
    }
    let boolean = short(at).filter(|_| view.ty() == Some("boolean"));
    if let Some((written, meant)) = boolean.and_then(|it| meant_boolean(&it).map(|meant| (it, meant))) {
        let repair = Repair::new(format!("Change {written} to {meant}"), vec![put(span, meant)]);
        let is_case = written.eq_ignore_ascii_case(meant);
        found.push(if is_case { repair.safe() } else { repair });
        return;
    }
    let rounded = short(at).filter(|_| view.ty() == Some("integer"));
    if let Some(whole) = rounded.and_then(|it| Some(it.parse::<f64>().ok()?.round())) {
        let title = format!("Change {source} to {whole}");
        found.push(Repair::new(title, vec![put(span, whole.to_string())]));
    } else if let Some(written) = first_value(view).and_then(|it| flow(&it, false)) {
        let title = format!("Replace the value by {written}");
        found.push(Repair::new(title, vec![put(span, written)]));
    }
}

/// The object for a string that is written in its place, if it requires only one property, which is a string.
fn only_property(at: &At<'_>, view: &View<'_>) -> Option<String> {
    let required = view.required();
    let [only] = required.as_slice() else { return None };
    let fields = view.fields();
    let is_string = fields.iter().any(|it| it.0 == *only && it.1.ty() == Some("string"));
    let text = at.tree.scalar(at.node).into_owned();
    let object = Value::Map(vec![(only.clone().into_owned(), Value::text_of(text))]);
    is_string.then(|| flow(&object, false)).flatten()
}

/// Replaces a list or an object of the wrong type. An object becomes the only item of a list. A list of one scalar on one line becomes that scalar, or
/// an initial value replaces it.
fn collection(at: &At<'_>, view: &View<'_>, found: &mut Vec<Repair>) {
    let tree = at.tree;
    if let Some(item) = view.item().filter(|_| view.ty() == Some("array")) {
        let is_field = |it: Entry| item.clone().follow(&[Step::key(tree.scalar(it.key))]).is_some();
        if tree.entries(at.node).all(is_field) {
            found.extend(Repair::one("Make it a list of one object", as_item(tree, at.node)));
        }
        return;
    }
    let is_flow = matches!(
        tree.kind(at.node),
        NodeKind::Sequence(CollectionStyle::Flow) | NodeKind::Mapping(CollectionStyle::Flow)
    );
    let wants_scalar = matches!(view.ty(), Some("string" | "integer" | "number" | "boolean"));
    let (span, source) = (tree.full_span(at.node), tree.source(at.node));
    if !is_flow || !wants_scalar || source.contains(['\n', '\r']) {
        return;
    }
    let mut items = tree.items(at.node);
    if let (Some(only), None) = (items.next(), items.next())
        && tree.is_scalar(only)
    {
        let title = "Take the only item out of the list";
        found.push(Repair::new(title, vec![put(span, tree.source(only))]));
    }
    if let Some(written) = first_value(view).and_then(|it| flow(&it, false)) {
        let title = format!("Replace the value by {written}");
        found.push(Repair::new(title, vec![put(span, written)]));
    }
}

/// Changes a number to the next lower or higher multiple.
fn multiple(at: &At<'_>, view: &View<'_>, found: &mut Vec<Repair>) {
    let (Some(written), Some(of)) = (short(at), view.text("multipleOf")) else {
        return;
    };
    let (Ok(number), Ok(of)) = (written.parse::<i64>(), of.parse::<i64>()) else {
        return;
    };
    if of <= 0 {
        return;
    }
    let below = number.div_euclid(of).saturating_mul(of);
    for chosen in [below, below.saturating_add(of)] {
        let edit = put(at.tree.span(at.node), chosen.to_string());
        found.push(Repair::new(format!("Change {written} to {chosen}"), vec![edit]));
    }
}

/// Changes a number that is beyond a bound to the bound.
fn bound(at: &At<'_>, view: &View<'_>, keyword: &str, found: &mut Vec<Repair>) {
    let (Some(written), Some(bound)) = (short(at), view.text(keyword)) else {
        return;
    };
    // The number satisfies the bound, so the error has another cause: the bound does not fit into an integer.
    if let (Ok(number), Ok(limit)) = (written.parse::<f64>(), bound.parse::<f64>())
        && (if keyword == "maximum" {
            number <= limit
        } else {
            number >= limit
        })
    {
        return;
    }
    let edit = put(at.tree.span(at.node), bound.as_ref());
    found.push(Repair::new(
        format!("Change {written} to the {keyword}, {bound}"),
        vec![edit],
    ));
}
