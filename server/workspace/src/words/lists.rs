//! Words for errors about list types and map types.

use crd_analyzer_apiextensions::codes;
use crd_analyzer_schema::field::Cause;
use crd_analyzer_syntax::json::Json;

use super::{
    About, Words,
    meant::meant,
    name::{SchemaPlace, parent},
    text::{code, either, written},
};

pub(super) fn words(about: &About<'_>) -> Option<Words> {
    let place = SchemaPlace::of(about.path)?;
    let noun = place.noun();
    let words = match about.code {
        codes::MAP_TYPE_WITHOUT_OBJECT => Words::new(format!(
            "{noun} has `x-kubernetes-map-type`, so its type must be `object`"
        ))
        .label("must be `object`")
        .help("set `type: object`, or remove `x-kubernetes-map-type`")
        .in_go("use a map or a struct, or remove the marker"),
        codes::LIST_TYPE_WITHOUT_ARRAY => Words::new(format!(
            "{noun} has `x-kubernetes-list-type`, so its type must be `array`"
        ))
        .label("must be `array`")
        .help("set `type: array`, or remove `x-kubernetes-list-type`")
        .in_go("use a list, or remove `+listType`"),
        codes::UNKNOWN_MAP_TYPE => unknown(about, "map type"),
        codes::UNKNOWN_LIST_TYPE => unknown(about, "list type"),
        codes::GRANULAR_SET_ITEMS => {
            let list = SchemaPlace::of(&parent(&parent(about.path))).unwrap_or_default().name();
            Words::new(format!("the items of set {list} must be atomic"))
                .label("must be `atomic`")
                .help(format!("set `{}: atomic` in `items`", about.last()))
                .in_go(if about.last() == "x-kubernetes-list-type" {
                    "add `+listType=atomic` to the type of the items"
                } else {
                    "add `+structType=atomic` to the type of the items, or `+mapType=atomic` if that is a map"
                })
        }
        codes::LIST_MAP_KEYS_WITHOUT_MAP => Words::new(format!(
            "{noun} has `x-kubernetes-list-map-keys`, but is not a list of type `map`"
        ))
        .label("must be `map`")
        .help("set `x-kubernetes-list-type: map`, or remove `x-kubernetes-list-map-keys`")
        .in_go("add `+listType=map`, or remove `+listMapKey`"),
        codes::MISSING_LIST_MAP_KEYS => missing_keys(about, &place),
        codes::INVALID_LIST_MAP_ITEMS => invalid_items(about),
        codes::INVALID_LIST_MAP_KEY => invalid_key(about, &place),
        codes::NULLABLE_LIST_ITEMS => {
            Words::new(format!("{noun} cannot be nullable, because the list is a set or a map"))
                .label("not allowed here")
                .help("remove `nullable`")
                .in_go("remove `+nullable`")
        }
        codes::OPTIONAL_LIST_MAP_KEY => {
            let key = code(about.up(1));
            Words::new(format!("list map key {key} must be required or have a default"))
                .label(format!("{key} is optional"))
                .help(format!("add {key} to `required` of the items, or give it a `default`"))
                .in_go(format!("add `+required` or `+kubebuilder:default` to the field {key}"))
        }
        codes::NULLABLE_LIST_MAP_KEY => {
            let key = code(about.up(1));
            Words::new(format!("list map key {key} cannot be nullable"))
                .label("not allowed for a key")
                .help("remove `nullable`")
                .in_go("remove `+nullable`")
        }
        _ => return None,
    };
    Some(words)
}

fn unknown(about: &About<'_>, what: &str) -> Words {
    let found = about.value().map(written).unwrap_or_default();
    let found = found.trim_matches('"');
    let allowed = match about.cause {
        Some(Cause::Allowed(allowed)) => allowed.as_slice(),
        _ => &[],
    };
    let near = meant(found, allowed.iter().map(String::as_str));
    let words = Words::new(format!("`{found}` is not a {what}"));
    match near {
        Some(near) => words.did_you_mean(found, near),
        None => words
            .label(format!("not a {what}"))
            .help(format!("write {}", either(allowed))),
    }
}

fn missing_keys(about: &About<'_>, place: &SchemaPlace) -> Words {
    let words = Words::new(format!(
        "list {} of type `map` has no `x-kubernetes-list-map-keys`",
        place.name()
    ))
    .label("names no keys");
    // Suggest a required scalar property of the items, because it may identify them.
    let items = about.around(1).and_then(|it| it.get("items"));
    let required = items.and_then(|it| it.get("required")?.items()).unwrap_or_default();
    let is_scalar = |name: &str| {
        let property = items.and_then(|it| it.get("properties")?.get(name)?.get("type")?.as_str());
        property.is_some_and(|it| matches!(it, "string" | "integer" | "boolean" | "number"))
    };
    match required.iter().filter_map(Json::as_str).find(|it| is_scalar(it)) {
        Some(name) => words
            .help(format!("add `x-kubernetes-list-map-keys: [{name}]`"))
            .in_go(format!("add `+listMapKey={name}`")),
        None => words
            .help("add `x-kubernetes-list-map-keys` with the properties that identify an item")
            .in_go("add `+listMapKey` for each field that identifies an item"),
    }
}

fn invalid_items(about: &About<'_>) -> Words {
    let is_type = about.last() == "type";
    let items = if is_type {
        parent(about.path)
    } else {
        about.path.clone()
    };
    let list = SchemaPlace::of(&parent(&items));
    let list = list.unwrap_or_default().name();
    if is_type {
        return Words::new(format!("list {list} is of type `map`, so its items must be objects"))
            .label("must be `object`")
            .help("set `type: object` in `items`, or change `x-kubernetes-list-type`")
            .in_go("use a list of structs, or change `+listType`");
    }
    match about.value().and_then(Json::items) {
        Some(_) => Words::new(format!("list {list} of type `map` must have one schema for all items"))
            .label("this is a list of schemas")
            .help("write one schema: `items: {type: object, …}`"),
        None => Words::new(format!("list {list} of type `map` has no `items`"))
            .label("`items` is missing here")
            .help("add `items: {type: object, properties: …}`"),
    }
}

fn invalid_key(about: &About<'_>, place: &SchemaPlace) -> Words {
    let list = place.name();
    match about.cause {
        Some(Cause::NotFound(key)) => {
            let words = Words::new(format!(
                "list map key {} is not a property of the items of {list}",
                code(key)
            ));
            let properties = about
                .around(1)
                .and_then(|it| it.get("items")?.get("properties")?.members());
            let names = properties.unwrap_or_default().iter().map(|it| it.key.as_ref());
            match meant(key, names) {
                Some(near) => words.did_you_mean(key, near),
                None => words
                    .label("no such property")
                    .help(format!(
                        "add {} to the properties of the items, or remove the key",
                        code(key)
                    ))
                    .in_go(format!(
                        "add a field {} to the type of the items, or remove the key",
                        code(key)
                    )),
            }
        }
        Some(Cause::Repeated(key)) => Words::new(format!("list map key {} is listed twice", code(key)))
            .label("listed twice")
            .help(format!("remove the second {}", code(key))),
        _ => {
            let key = code(about.up(1));
            Words::new(format!("list map key {key} must be a string, a number or a boolean"))
                .label("not a scalar")
                .help(format!(
                    "change the type of {key}, or name another key in `x-kubernetes-list-map-keys`"
                ))
                .in_go(format!(
                    "change the type of {key}, or name another key with `+listMapKey`"
                ))
        }
    }
}
