//! Words for errors of the type checker, about names, fields, calls and types.

use crd_analyzer_cel::{Context, KubernetesVersion, library, types::unescape};
use crd_analyzer_schema::field::{Path, Segment};
use crd_analyzer_syntax::json::{Json, JsonValue};

use super::unquoted::unquoted;
use crate::words::{
    About, Words, at,
    meant::meant,
    name::{self, SchemaPlace},
    text::{clip, code, either},
};

/// The schema that has the rule.
fn schema_of_rule<'a>(about: &About<'a>) -> Option<&'a Json<'a>> {
    about.around(3)
}

/// The schema of an object type, and the name of its values. The checker names the type by its path from `self`.
fn object_of<'a>(about: &About<'a>, of: &str) -> (Option<&'a Json<'a>>, String) {
    let rule = name::parent(&name::parent(&name::parent(about.path)));
    let base = SchemaPlace::of(&rule).unwrap_or_default();
    let mut schema = schema_of_rule(about);
    let mut values = base.values().to_owned();
    // Skip the first name, which means `self`.
    for step in of.split('.').skip(1) {
        schema = schema.and_then(|it| match step {
            "@idx" => it.get("items"),
            "@elem" => it.get("additionalProperties"),
            name => it
                .get("properties")?
                .get(&unescape(name).unwrap_or_else(|| name.into())),
        });
        match step {
            "@idx" => values.push_str("[*]"),
            "@elem" => values.push_str(".*"),
            name if values.is_empty() => values.push_str(name),
            name => values = format!("{values}.{name}"),
        }
    }
    let name = if values.is_empty() {
        RESOURCE.to_owned()
    } else {
        name::shown(&values)
    };
    (schema, name)
}

/// The metadata that rules can read, of a resource and of a resource inside it.
const READABLE: [&str; 2] = ["name", "generateName"];

/// Whether an object is the metadata of a resource.
fn is_metadata(about: &About<'_>, of: &str) -> bool {
    let parent = of.strip_suffix(".metadata").map(|it| object_of(about, it));
    parent.is_some_and(|(schema, name)| {
        let embeds = schema.and_then(|it| it.get("x-kubernetes-embedded-resource"));
        name == RESOURCE || embeds.is_some_and(|it| matches!(it.value, JsonValue::Bool(true)))
    })
}

/// The words for the object that has no name.
const RESOURCE: &str = "the resource";

/// The names of the properties of a schema.
fn properties<'a>(schema: Option<&'a Json<'a>>) -> Vec<&'a str> {
    let members = schema
        .and_then(|it| it.get("properties")?.members())
        .unwrap_or_default();
    members.iter().map(|it| it.key.as_ref()).collect()
}

pub(super) fn undefined_field(about: Option<&About<'_>>, field: &str, of: &str) -> Words {
    if let Some(context) = about.and_then(|it| it.sees) {
        return undefined_in(context, field, of);
    }
    let (schema, object) = about.map_or_else(|| (None, "the object".to_owned()), |it| object_of(it, of));
    let is_metadata = about.is_some_and(|it| is_metadata(it, of));
    let known = if is_metadata {
        READABLE.to_vec()
    } else {
        properties(schema)
    };
    if known.contains(&field) {
        return Words::new(format!(
            "{} of {object} has no type that rules can read",
            name::shown(field)
        ))
        .label("its schema has an error")
        .help(format!("correct the schema of {}", name::shown(field)));
    }
    let words = Words::new(format!("{} is not a property of {object}", name::shown(field)));
    if object == name::shown(field) {
        return words.label("`self` is that value").help(format!(
            "leave out {}: `self` is the value of {object} here",
            code(&format!(".{field}"))
        ));
    }
    // A rule sees only the value at its own place.
    let is_own = !of.contains('.');
    let outer = about.filter(|_| is_own).and_then(|it| of_outer(it, field));
    let is_root_field = matches!(field, "metadata" | "status" | "spec" | "apiVersion" | "kind");
    if let Some(help) = outer.as_ref().filter(|_| is_root_field) {
        return words.label("not in the value that `self` is").help(help);
    }
    let escaped = known.iter().find(|it| it.replace(['-', '.', '/'], "_") == *field);
    if let Some(near) = escaped.copied().or_else(|| meant(field, known.iter().copied())) {
        let near = crd_analyzer_cel::types::escape(near).map_or_else(|| near.to_owned(), std::borrow::Cow::into_owned);
        return words.did_you_mean(field, &near);
    }
    if let Some(help) = outer {
        return words.label("not in the value that `self` is").help(help);
    }
    if is_metadata {
        return words
            .label("no rule can read it")
            .help("read another field: of the metadata, rules can read only the name and the generateName");
    }
    let words = words.label("no such property");
    if known.is_empty() {
        words
            .help(format!("add {} to the `properties` of the schema", name::shown(field)))
            .in_go(format!("add a field {} to the type", name::shown(field)))
    } else {
        words.help(format!("use one of its properties: {}", either(&known)))
    }
}

/// Words for an unknown field of an object type that the expression's context provides.
fn undefined_in(context: &Context, field: &str, of: &str) -> Words {
    let types = context.types();
    let object = types.root_of(of).map_or(of, |it| &*it.0.shown);
    let known: Vec<&str> = types
        .find(of)
        .map_or_else(Vec::new, |it| it.fields().iter().map(|it| &*it.name).collect());
    let words = Words::new(format!("{} is not a field of {}", name::shown(field), code(object)));
    if let Some(near) = meant(field, known.iter().copied()) {
        return words.did_you_mean(field, near);
    }
    let words = words.label("no such field");
    if known.is_empty() {
        words.help(format!("define {} above this expression", name::shown(field)))
    } else {
        words.help(format!("use one of its fields: {}", either(&known)))
    }
}

/// The names of all functions.
fn functions() -> impl Iterator<Item = &'static str> {
    let names = library::LIBRARIES
        .iter()
        .flat_map(|it| it.library.functions())
        .map(|it| it.name);
    let macros = [
        "has",
        "all",
        "exists",
        "exists_one",
        "map",
        "filter",
        "existsOne",
        "transformList",
        "transformMap",
    ];
    let is_name = |it: &&str| it.starts_with(|c: char| c.is_ascii_alphabetic());
    names.chain(macros).filter(is_name)
}

/// The first Kubernetes version that has a function.
fn since(name: &str) -> Option<u8> {
    let entries = library::LIBRARIES.iter();
    let found = entries.flat_map(|entry| {
        let functions = entry.library.functions().filter(|it| it.name == name);
        functions.map(|it| {
            let overloads = it.overloads.iter().map(|it| it.since).min();
            entry.introduced.max(overloads.unwrap_or(0))
        })
    });
    found.min()
}

pub(super) fn undeclared(about: Option<&About<'_>>, name: &str) -> Words {
    let shown = code(name);
    let known = properties(about.and_then(schema_of_rule));
    if known.contains(&name) {
        return Words::new(format!("{shown} is not a variable: properties are read from `self`"))
            .label(format!("did you mean `self.{}`?", clip(name, 40)))
            .help(format!("change {shown} to `self.{}`", clip(name, 40)));
    }
    let members: Vec<&str> = functions()
        .filter(|it| it.strip_prefix(name).is_some_and(|it| it.starts_with('.')))
        .collect();
    if !members.is_empty() {
        let listed = either(&members);
        return Words::new(format!("{shown} has no such function in this Kubernetes version"))
            .label("not a function")
            .help(format!("write {listed}"));
    }
    if let Some(since) = since(name) {
        // New expressions may use a function only if the previous Kubernetes version has it, too.
        let since = KubernetesVersion::minor(since.saturating_add(1)).max(KubernetesVersion::OLDEST);
        return Words::new(format!("this Kubernetes version does not have the function {shown}"))
            .label(format!("needs Kubernetes {since}"))
            .help(format!("write the rule without {shown}, or require Kubernetes {since}"));
    }
    let words = Words::new(format!("{shown} is neither a variable nor a function"));
    if let Some(context) = about.and_then(|it| it.sees) {
        return undeclared_in(context, name, words);
    }
    let compared = about.and_then(|it| compared_with(it, name));
    if compared.is_some_and(|it| is_value_of(it, name)) {
        return text(name, words);
    }
    if let Some(near) = meant(name, ["self", "oldSelf"]) {
        return words.did_you_mean(name, near);
    }
    if let Some(own) = about.and_then(|it| of_policy(it, name)) {
        return own;
    }
    let is_string = compared.and_then(|it| it.get("type")?.as_str()) == Some("string");
    // Only a call can mean a function.
    if let Some(near) = meant(name, functions()).filter(|_| !is_string) {
        return words.did_you_mean(name, near);
    }
    let property = meant(name, known.iter().copied()).map(|it| format!("self.{it}"));
    match (property, other_language(name)) {
        (Some(near), _) => words.did_you_mean(name, &near),
        (None, Some(instead)) => words.label("not declared").help(format!("write {instead} instead")),
        (None, None) if is_string => text(name, words),
        (None, None) => words
            .label("not declared")
            .help("read the value from `self`, as in `self.replicas`; or put text in quotes"),
    }
}

/// The schema of the value with which an expression compares a name.
fn compared_with<'a>(about: &About<'a>, name: &str) -> Option<&'a Json<'a>> {
    let found = unquoted(about.value()?.as_str()?, name)?;
    found.compared.iter().try_fold(schema_of_rule(about)?, |schema, field| {
        let name = unescape(field).unwrap_or_else(|| (*field).into());
        schema.get("properties")?.get(&name)
    })
}

/// Whether a word is a value of an enum.
fn is_value_of(schema: &Json<'_>, word: &str) -> bool {
    let values = schema.get("enum").and_then(Json::items).unwrap_or_default();
    values.iter().any(|it| it.as_str() == Some(word))
}

/// Words for a name that was meant as text.
fn text(name: &str, words: Words) -> Words {
    let name = clip(name, 40);
    words
        .label("text needs quotes")
        .help(format!("put the text in quotes: `'{name}'`"))
}

/// Words for a variable of admission policies in a rule of a CRD.
fn of_policy(about: &About<'_>, name: &str) -> Option<Words> {
    let own = match name {
        "object" => "self",
        "oldObject" => "oldSelf",
        "request" | "params" | "authorizer" | "namespaceObject" | "variables" => "",
        _ => return None,
    };
    let words = Words::new(format!(
        "{} is a variable of admission policies, not of rules in CRDs",
        code(name)
    ))
    .label("not declared");
    if own.is_empty() {
        return Some(words.help("write a ValidatingAdmissionPolicy, or a rule that reads only `self`"));
    }
    let place = place_of_rule(about);
    let whole = format!("{name}.{}", place.values());
    let text = about.value().and_then(Json::as_str).unwrap_or_default();
    Some(if place.values().is_empty() {
        words.help(format!("change {} to {}", code(name), code(own)))
    } else if text.contains(&whole) {
        words.help(format!("change {} to {}", code(&whole), code(own)))
    } else {
        let value = name::shown(place.values());
        words.help(format!(
            "change {} to {}, which is the value of {value} here",
            code(name),
            code(own)
        ))
    })
}

/// The schema that has the rule, as a place.
fn place_of_rule(about: &About<'_>) -> SchemaPlace {
    let rule = name::parent(&name::parent(&name::parent(about.path)));
    SchemaPlace::of(&rule).unwrap_or_default()
}

/// Help for a field that only a schema around the rule has.
fn of_outer(about: &About<'_>, field: &str) -> Option<String> {
    let steps = about.path.segments();
    let rule = steps.len().checked_sub(3)?;
    let root = steps
        .iter()
        .position(|it| matches!(it, Segment::Field(name) if name == "openAPIV3Schema"))?
        + 1;
    // From the inside to the root: schemas with such a property.
    let has = |end: usize| {
        let schema = at(about.root, &steps[..end]);
        let is_meta = end == root && matches!(field, "metadata" | "apiVersion" | "kind");
        is_meta || schema.and_then(|it| it.get("properties")?.get(field)).is_some()
    };
    let end = (root..rule).rev().find(|end| has(*end))?;
    let outer = steps[..end].iter().cloned().collect::<Path>();
    let place = SchemaPlace::of(&outer).unwrap_or_default();
    let to = if place.values().is_empty() {
        "the root of the schema".to_owned()
    } else {
        format!("the schema of {}", name::shown(place.values()))
    };
    let own = place_of_rule(about);
    let own = own.values().strip_prefix(place.values()).unwrap_or_default();
    let own = own.trim_start_matches('.');
    let read = code(&format!("self.{field}"));
    Some(if own.is_empty() || own.contains(['[', '*']) {
        format!("move the rule to {to}, where it can read {read}")
    } else {
        let value = code(&format!("self.{own}"));
        format!("move the rule to {to}, where it can read {read}, and this value as {value}")
    })
}

/// Words for a name that is not declared in the expression's context.
fn undeclared_in(context: &Context, name: &str, words: Words) -> Words {
    let variables: Vec<&str> = context.variables().iter().map(|it| &*it.name).collect();
    let near = meant(name, variables.iter().copied()).or_else(|| meant(name, functions()));
    if let Some(near) = near {
        return words.did_you_mean(name, near);
    }
    let words = words.label("not declared");
    match other_language(name) {
        Some(instead) => words.help(format!("write {instead} instead")),
        None => words.help(format!("use what this expression can read: {}", either(&variables))),
    }
}

/// The function or constant of CEL that was meant by a name: a similar one, or the one for a name from another language.
pub fn meant_word(name: &str) -> Option<&'static str> {
    if functions().any(|it| it == name) {
        return None;
    }
    meant(name, functions()).or_else(|| {
        let instead = other_language(name)?.strip_prefix('`')?.strip_suffix('`')?;
        let word = instead.trim_end_matches("(…)").trim_end_matches("()");
        word.chars().all(|it| it.is_ascii_alphabetic()).then_some(word)
    })
}

/// The CEL way to write a name from another language.
fn other_language(name: &str) -> Option<&'static str> {
    Some(match name {
        "len" | "length" | "count" | "Len" => "`size(…)`",
        "any" | "some" => "`exists(…)`",
        "every" | "each" => "`all(…)`",
        "includes" | "include" => "`contains(…)`",
        "str" | "toString" | "String" => "`string(…)`",
        "hasPrefix" | "HasPrefix" => "`startsWith(…)`",
        "hasSuffix" | "HasSuffix" => "`endsWith(…)`",
        "toLower" | "lower" | "lowercase" => "`lowerAscii()`",
        "toUpper" | "upper" | "uppercase" => "`upperAscii()`",
        "match" | "regex" | "test" => "`matches(…)`",
        "nil" | "undefined" | "None" | "NULL" | "Null" => "`null`, or `has(…)` to test whether a field is set",
        "True" | "TRUE" => "`true`",
        "False" | "FALSE" => "`false`",
        "and" => "`&&`",
        "or" => "`||`",
        "not" => "`!`",
        _ => return None,
    })
}

/// The symbol of an operator.
fn operator(function: &str) -> Option<&'static str> {
    Some(match function {
        "_==_" => "==",
        "_!=_" => "!=",
        "_<_" => "<",
        "_<=_" => "<=",
        "_>_" => ">",
        "_>=_" => ">=",
        "_+_" => "+",
        "_-_" => "-",
        "_*_" => "*",
        "_/_" => "/",
        "_%_" => "%",
        "_&&_" => "&&",
        "_||_" => "||",
        "!_" => "!",
        "-_" => "-",
        "@in" => "in",
        "_[_]" => "[…]",
        "_?_:_" => "? :",
        _ => return None,
    })
}

/// The name of a checker's type for users. Object types are named by their path from `self`.
pub(super) fn type_name(ty: &str) -> String {
    let mut out = String::new();
    for part in ty.split_inclusive(|c: char| "(), ".contains(c)) {
        // A dot at the end is that of a call: `selfType.(string)`.
        let word = part.trim_end_matches(|c: char| "(), .".contains(c));
        let rest = &part[word.len()..];
        out.push_str(if word.starts_with("selfType") { "object" } else { word });
        out.push_str(rest);
    }
    out
}

pub(super) fn no_overload(function: &str, operands: &str) -> Words {
    let operands = type_name(operands);
    let Some(operator) = operator(function) else {
        return no_such_call(function, &operands);
    };
    let inner = operands.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    let types: Vec<&str> = split_types(inner.unwrap_or(&operands));
    let shown: Vec<String> = types.iter().map(|it| code(it)).collect();
    let words = Words::new(format!("{} does not accept {}", code(operator), shown.join(" and "))).label(
        match types.as_slice() {
            [left, right] => clip(&format!("{left} {operator} {right}"), 40),
            _ => "types do not fit".to_owned(),
        },
    );
    let has = |ty: &str| types.contains(&ty);
    words.help(match operator {
        "&&" | "||" | "!" => "use conditions here: compare the value, as in `self.replicas > 0`",
        "? :" => "begin with a condition, and give both values the same type",
        "[…]" => "use an integer with a list, and a key of the right type with a map",
        "in" => "write a list or a map after `in`, with values of the same type",
        _ if has("null_type") || has("null") => {
            "test with `has(…)` whether the field is set: only nullable fields can be `null`"
        }
        _ if has("duration") && has("string") => "make it a duration: `duration('1h')`",
        _ if has("timestamp") && has("string") => "make it a timestamp: `timestamp('2026-01-31T00:00:00Z')`",
        _ if has("string") && (has("int") || has("uint") || has("double")) => {
            "use values of one type: convert a string with `int(…)`, or a number with `string(…)`"
        }
        _ if has("int") && has("double") => "use numbers of one type: `double(…)` or `int(…)`, or write `1.0` for `1`",
        _ => "use values of the same type on both sides",
    })
}

/// Splits a list of types at the commas that are not in parentheses.
fn split_types(types: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, c) in types.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(types[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(types[start..].trim());
    found
}

fn no_such_call(function: &str, operands: &str) -> Words {
    // In a method call, the target is before the dot, as in `string.(int)`.
    let call = match operands.split_once(".(") {
        Some((target, rest)) => format!("{target}.{function}({rest}"),
        None => format!("{function}{operands}"),
    };
    let words =
        Words::new(format!("{} cannot be called as `{}`", code(function), clip(&call, 50))).label("types do not fit");
    let signatures: Vec<String> = library::declarations(function)
        .iter()
        .flat_map(|it| it.overloads)
        .map(|it| as_called(function, it.signature))
        .take(3)
        .collect();
    if signatures.is_empty() {
        return words.help("call it with values of the types that it takes");
    }
    words.help(format!("call it as {}", either(&signatures)))
}

/// A signature without its result type, such as `string.startsWith(string)`.
fn as_called(function: &str, signature: &str) -> String {
    let call = signature.split("->").next().unwrap_or_default().trim();
    match call.split_once(".(") {
        Some((target, rest)) => format!("{}.{function}({rest}", target.trim()),
        None => format!("{function}{call}"),
    }
}

/// Words for a field of a value that has no fields.
pub(super) fn no_fields(of: &str) -> Words {
    let of = type_name(of);
    let help = if of.starts_with("list") {
        "write `size(self.items)` for the length, `self.items[0].name` for an item, or `self.items.all(it, …)`"
    } else {
        "remove the field, or read it from an object"
    };
    Words::new(format!("a value of type {} has no fields", code(&of)))
        .label("has no fields")
        .help(help)
}

/// Words for a comprehension over a value that is not a list or map.
pub(super) fn not_iterable(of: &str) -> Words {
    Words::new(format!(
        "only a list or a map has elements, but this value is of type {}",
        code(&type_name(of))
    ))
    .label("neither a list nor a map")
    .help("call `all`, `exists`, `map` and `filter` on a list or a map")
}

pub(super) fn wrong_type(expected: &str, found: &str) -> Words {
    let (expected, found) = (type_name(expected), type_name(found));
    let help = match expected.as_str() {
        "bool" => "use a condition here: compare the value, as in `self.replicas > 0`".to_owned(),
        "string" | "int" | "uint" | "double" if matches!(found.as_str(), "string" | "int" | "uint" | "double") => {
            format!("convert the value, as in `{expected}(…)`, or write a literal of that type")
        }
        _ => format!("use a value of type {} here", code(&expected)),
    };
    Words::new(format!(
        "type {} is expected here, but the value is of type {}",
        code(&clip(&expected, 30)),
        code(&clip(&found, 30))
    ))
    .label(format!("must be {}", code(&clip(&expected, 30))))
    .help(help)
}

pub(super) fn wrong_field_type(field: &str, expected: &str, found: &str) -> Words {
    let words = wrong_type(expected, found);
    Words {
        headline: format!(
            "{} must be of type {}, but the value is of type {}",
            code(&clip(field, 30)),
            code(&clip(&type_name(expected), 20)),
            code(&clip(&type_name(found), 20))
        ),
        ..words
    }
}

pub(super) fn not_a_message_type(name: &str) -> Words {
    Words::new(format!("{} is not a type that can be written with braces", code(name)))
        .label("not an object type")
        .help("write a map instead, as in `{'name': self.name}`")
}

pub(super) fn optional_selection() -> Words {
    Words::new("an optional field is written `object.?field`")
        .label("not a field")
        .help("write `.?` and the name of the field, as in `self.?name`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_objects_have_no_inner_names() {
        assert_eq!(type_name("list(selfType#.a.@idx)"), "list(object)");
        assert_eq!(type_name("map(string, selfType#)"), "map(string, object)");
        assert_eq!(split_types("map(string, int), string"), ["map(string, int)", "string"]);
    }

    #[test]
    fn functions_of_newer_versions_are_known() {
        assert_eq!(since("startsWith"), Some(0));
        assert!(since("ip").is_some_and(|it| it > 0));
        assert_eq!(since("len"), None);
    }
}
