//! Words for fields that do not exist, and for repeated keys.

use crd_analyzer_apiextensions::api::{self, FieldType, PathStep, Struct};
use crd_analyzer_syntax::{
    paths::{self, Step},
    tree::{NodeId, Tree},
};

use super::{
    MAX_HEADLINE, Words, clip,
    meant::meant,
    name::shown,
    text::{a_type, is_type},
};
use crate::judging::misplaced::{Belongs, property};

/// Words for a key of a CRD that does not exist in the API. `root` is the CRD in the tree.
pub(crate) fn in_definition(tree: &Tree, root: NodeId, key: NodeId) -> Words {
    let fields = match tree.get(root, "apiVersion").map(|it| tree.scalar(it)) {
        Some(version) if version.ends_with("v1beta1") => &api::V1BETA1,
        _ => &api::V1,
    };
    in_object(tree, root, key, (fields, "a CRD"))
}

/// Words for a key of an object that does not exist in the API. `root` is the object in the tree. `fields` and `what` are the fields of its type, and
/// a noun for it.
pub(crate) fn in_object(tree: &Tree, root: NodeId, key: NodeId, (fields, what): (&'static FieldType, &str)) -> Words {
    let name = tree.scalar(key);
    let mut path = paths::path_of(tree, key);
    path.drain(..paths::path_of(tree, root).len().min(path.len()));
    path.pop();
    let mut parent = String::new();
    for step in &path {
        match step {
            Step::Key(key) if parent.is_empty() => parent.push_str(key),
            Step::Key(key) => parent = parent + "." + key,
            Step::Index(n) => parent = format!("{parent}[{n}]"),
        }
    }
    let structure = structure(fields, &path);
    let is_schema = structure.is_some_and(|it| std::ptr::eq(it, &raw const api::SCHEMA));
    let headline = match (is_schema, parent.as_str()) {
        (true, _) => format!("{} is not a keyword of schemas", shown(&name)),
        (false, "") => format!("{} is not a field of {what}", shown(&name)),
        (false, parent) => format!("{} is not a field of {}", shown(&name), shown(parent)),
    };
    if is_schema && let Some(belongs) = property(tree, key) {
        return Words::new(clip(&headline, MAX_HEADLINE))
            .label("belongs elsewhere")
            .help(move_to(tree, &name, &belongs));
    }
    let known = structure.map_or(&[][..], |it| it.fields).iter().map(|it| it.name);
    let near = meant(&name, known).or_else(|| structure.and_then(|it| api::field_known_as(&name, it)));
    let near = near.filter(|it| key_beside(tree, key, it).is_none());
    let words = Words::new(clip(&headline, MAX_HEADLINE));
    match near {
        Some(near) => words.did_you_mean(&name, near),
        None if let Some(place) = place_of(&name, &path).filter(|_| std::ptr::eq(fields, &raw const api::V1)) => {
            words.label("belongs elsewhere").help(place)
        }
        None if is_schema && let Some(instead) = instead(&name) => words.label("not in CRDs").help(instead),
        None => words.label("does not exist").help(format!("remove {}", shown(&name))),
    }
}

/// Help for a property that is written among the keywords of a schema.
fn move_to(tree: &Tree, name: &str, belongs: &Belongs) -> String {
    match belongs {
        Belongs::Inside(Some(_)) => format!("move {} into `properties`: indent it below `properties:`", shown(name)),
        Belongs::Inside(None) => format!(
            "move {} into `properties`: add `properties:`, and indent it below",
            shown(name)
        ),
        Belongs::After(around) => {
            let around = shown(&tree.scalar(around.key));
            format!("move {} out of {around}: indent it like {around}", shown(name))
        }
    }
}

/// Help for a field that belongs in `spec` or `metadata` but is at the top level.
pub(super) fn into(home: &str, field: &str) -> String {
    format!("move {} into `{home}`: indent it below `{home}:`", shown(field))
}

/// Help for a key that belongs to another place in a CRD. `path` is the path of the mapping that contains the key.
fn place_of(key: &str, path: &[Step<'_>]) -> Option<String> {
    let has = |of: &[PathStep<'_>]| {
        let found = api::at(&api::V1, of.iter().copied())?;
        let structure = match found.ty {
            FieldType::Object(it) => *it,
            _ => return None,
        };
        structure.fields.iter().find(|it| it.name == key)
    };
    let version = [PathStep::Key("spec"), PathStep::Key("versions"), PathStep::Item];
    let steps: Vec<&str> = path
        .iter()
        .map(|it| match it {
            Step::Key(key) => key.as_ref(),
            Step::Index(_) => "[]",
        })
        .collect();
    match steps.as_slice() {
        [] if has(&version[..1]).is_some() => Some(into("spec", key)),
        ["spec"] if key == "validation" => {
            Some("move the schema into each version: `schema: {openAPIV3Schema: …}`".to_owned())
        }
        ["spec"] if key != "name" && has(&version).is_some() => Some(format!("move `{key}` into each of `versions`")),
        ["spec", "conversion"] if ["webhookClientConfig", "clientConfig"].contains(&key) => Some(format!(
            "move `{key}` into `webhook`, as `webhook: {{clientConfig: …}}`"
        )),
        ["spec", "conversion"] if key == "conversionReviewVersions" => Some(format!("move `{key}` into `webhook`")),
        ["spec", "versions", "[]"] if key == "openAPIV3Schema" => {
            Some("put `openAPIV3Schema` below a key `schema`, and indent it".to_owned())
        }
        ["spec", "versions", "[]"] if has(&version[..1]).is_some() => {
            Some(format!("move `{key}` into `spec`, out of the version"))
        }
        ["spec", "versions", "[]", "schema"] if api::SCHEMA.fields.iter().any(|it| it.name == key) => {
            Some(format!("put `{key}` below a key `openAPIV3Schema`, and indent it"))
        }
        _ => None,
    }
}

/// Help for a JSON Schema keyword that CRDs do not support.
fn instead(keyword: &str) -> Option<&'static str> {
    Some(match keyword {
        "const" => "write `enum` with one value",
        "min" => "change `min` to `minimum`, or to `minLength` or `minItems`",
        "max" => "change `max` to `maximum`, or to `maxLength` or `maxItems`",
        "regex" | "match" => "write `pattern`",
        "values" => "write `enum`",
        "if" | "then" | "else" | "dependentRequired" | "dependentSchemas" => "write a rule: `x-kubernetes-validations`",
        "examples" => "write `example`, or put examples into `description`",
        "propertyNames" => "write a rule about the keys, such as `self.all(key, key.size() <= 63)`",
        "prefixItems" | "contains" => "write a rule about the items, such as `self.exists(item, …)`",
        "$defs" => "write each schema where it is used: CRDs have no references",
        _ => return None,
    })
}

/// The node of a mapping's key. `beside` is another key of the mapping. In very large mappings, only the first entries are searched.
pub(crate) fn key_beside(tree: &Tree, beside: NodeId, key: &str) -> Option<NodeId> {
    const MAX_ENTRIES: usize = 1_000;
    let entries = tree.parent(beside).into_iter().flat_map(|it| tree.entries(it));
    let mut keys = entries.take(MAX_ENTRIES).map(|it| it.key);
    keys.find(|it| tree.scalar(*it) == key)
}

/// The API struct at a path. If it has none, the struct at the nearest parent path that has one.
fn structure(fields: &'static FieldType, path: &[Step<'_>]) -> Option<&'static Struct> {
    for end in (0..=path.len()).rev() {
        let steps = path[..end].iter().map(|it| match it {
            Step::Key(key) => PathStep::Key(key),
            Step::Index(_) => PathStep::Item,
        });
        if let Some(found) = api::at(fields, steps) {
            return match found.ty {
                FieldType::Object(it) => Some(*it),
                FieldType::SchemaOrBool | FieldType::SchemaOrList | FieldType::SchemaOrNames => Some(&api::SCHEMA),
                _ => None,
            };
        }
    }
    None
}

/// Words for an unknown field of an object's `metadata`. `key` is the field's key in the tree of the object.
pub(crate) fn in_metadata(tree: &Tree, key: NodeId) -> Words {
    let path = paths::path_of(tree, key);
    let start = path
        .iter()
        .position(|it| matches!(it, Step::Key(key) if key == "metadata"));
    let root = start.and_then(|it| Some(tree.resolve(paths::find(tree, &path[..=it])?.node)));
    match root {
        Some(root) => in_object(tree, root, key, (&OBJECT_META, "`metadata`")),
        None => in_resource(&tree.scalar(key), "`metadata`", None),
    }
}

static OBJECT_META: FieldType = FieldType::Object(&api::OBJECT_META);

/// Words for a field of a resource that is not in its schema. `parent` is a phrase for the object that contains it, and `near` the name that was
/// probably meant.
pub(crate) fn in_resource(name: &str, parent: &str, near: Option<&str>) -> Words {
    let words = Words::new(clip(
        &format!("{} is not a field of {parent}", shown(name)),
        MAX_HEADLINE,
    ));
    match near {
        Some(near) => words.did_you_mean(name, near),
        None => words
            .label("not in the schema")
            .help(format!("remove {}, or add it to the schema of the CRD", shown(name))),
    }
}

/// Words for a field of a resource inside a value that should not be an object. `expected` is the type that the value should have.
pub(crate) fn in_other_type(name: &str, parent: &str, expected: &str) -> Words {
    let headline = format!("{} is not a field of {parent}", shown(name));
    let words = Words::new(clip(&headline, MAX_HEADLINE));
    if is_type(expected) {
        words.label(format!("{parent} must be {}", a_type(expected)))
    } else {
        words
    }
}

/// Words for a field of a resource that belongs to an object further out. `parent` and `outer` are phrases for the object that contains it, and for the
/// one that declares it. `around` is the key out of whose object it has to move.
pub(crate) fn inside(name: &str, parent: &str, (around, outer): (&str, &str)) -> Words {
    let (name, around) = (shown(name), shown(around));
    Words::new(clip(
        &format!("{name} is a field of {outer}, but is inside {parent}"),
        MAX_HEADLINE,
    ))
    .label("indented too deep")
    .help(format!("move {name} out of {around}: indent it like {around}"))
}

/// Words for a field that belongs in `spec` or `metadata`, which is `home`, but is at the root of a resource.
pub(crate) fn outside_of(home: &str, name: &str) -> Words {
    Words::new(clip(
        &format!("{} is a field of `{home}`, but is not inside `{home}`", shown(name)),
        MAX_HEADLINE,
    ))
    .label(format!("not inside `{home}`"))
    .help(into(home, name))
}

/// Words for a document with two objects.
pub(crate) fn two_objects() -> Words {
    Words::new("two objects are in one document: the line `---` between them is missing".to_owned())
        .label("the second object begins here")
        .help("write a line `---` above this line".to_owned())
}

/// Words for a key that is written after a merge key that sets it, too.
pub(crate) fn overrides_merged(name: &str) -> Words {
    merged(&format!("key {} is also set by the merge key `<<`", shown(name)))
        .label("the merge key sets it, too")
        .help(remove_merged(name))
}

/// Words for a key that is written before a merge key that sets it, too.
pub(crate) fn replaced_by_merge(name: &str) -> Words {
    merged(&format!(
        "the merge key `<<` below replaces the value of {}",
        shown(name)
    ))
    .label("the merge key sets it, too")
    .help(remove_merged(name))
}

/// Words for a key that two merge keys set.
pub(crate) fn merged_twice(name: &str) -> Words {
    let name = shown(name);
    merged(&format!("two merged objects set the key {name}"))
        .label("merged from here, too")
        .help(format!(
            "remove {name} from one of the merged objects: the API server rejects such YAML"
        ))
}

fn merged(headline: &str) -> Words {
    Words::new(clip(headline, MAX_HEADLINE))
}

fn remove_merged(name: &str) -> String {
    let name = shown(name);
    format!("remove {name} here or from the merged object: the API server rejects such YAML")
}

/// Words for a repeated key.
pub(crate) fn twice(name: &str) -> Words {
    Words::new(clip(&format!("key {} is written twice", shown(name)), MAX_HEADLINE))
        .label("written a second time")
        .help(format!("keep one {}, and remove the other", shown(name)))
}
