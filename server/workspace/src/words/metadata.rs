//! Words for errors about `apiVersion`, `kind` and `metadata` of CRDs, resources and embedded resources.

use crd_analyzer_resource::codes as resource_codes;
use crd_analyzer_schema::{
    codes,
    field::{Cause, ErrorType},
};
use crd_analyzer_syntax::json::Json;

use super::{
    About, Words,
    meant::meant_object_name,
    misspelt_key, name,
    text::{a_type, clip, code, number, written},
};

pub(super) fn words(about: &About<'_>) -> Option<Words> {
    let field = name::value(about.path);
    let words = match about.code {
        codes::TYPE_META => type_meta(about, &field),
        codes::METADATA_DECODE => Words::new(format!("{field} has a value of the wrong type"))
            .label("wrong type in metadata")
            .help("write names, labels and annotations as strings: put numbers and `true` in quotes")
            .quote(),
        codes::INVALID_METADATA_NAME => invalid_name(about, &field),
        codes::MISSING_METADATA_NAME => Words::new("the object has no `metadata.name`")
            .label("`name` is missing here")
            .help(match about.root.get("metadata") {
                Some(_) => "add `name: …` to `metadata`",
                None => "add `metadata` with a `name`: `metadata: {name: …}`",
            }),
        codes::INVALID_METADATA_NAMESPACE => namespace(about),
        codes::INVALID_GENERATION => Words::new(format!("{field} cannot be negative or go back"))
            .label("set by the API server")
            .help("remove `generation`: the API server sets it"),
        codes::INVALID_LABEL => entry(about, "label"),
        codes::INVALID_ANNOTATION => entry(about, "annotation"),
        codes::ANNOTATIONS_TOO_LONG => Words::new("all annotations together have more than 262144 bytes")
            .label("more than 262144 bytes")
            .help("shorten or remove annotations; apply with `kubectl apply --server-side`"),
        codes::INVALID_OWNER_REFERENCE => owner_reference(about, &field),
        codes::INVALID_FINALIZER => finalizer(about),
        codes::INVALID_MANAGED_FIELDS => Words::new(format!("only the API server writes {field}"))
            .label("written by the API server")
            .help("remove `managedFields`")
            .quote(),
        codes::IMMUTABLE_METADATA => Words::new(format!("{field} cannot change once the object exists"))
            .label("was another value before")
            .help("restore the old value"),
        codes::MISSING_RESOURCE_VERSION => Words::new("an update needs `metadata.resourceVersion`")
            .label("`resourceVersion` is missing here")
            .help("read the object first, and keep its `resourceVersion`"),
        resource_codes::INVALID_SCALE => scale(about, &field),
        resource_codes::UNCHECKED_RULES => {
            Words::new("the API server did not check some rules because of the other errors")
                .label("rules not checked")
                .help("fix the other errors of this object first")
        }
        _ => return None,
    };
    Some(words)
}

fn shown(about: &About<'_>) -> String {
    let found = about.value().map(written).unwrap_or_default();
    code(found.trim_matches('"'))
}

fn type_meta(about: &About<'_>, field: &str) -> Words {
    let key = about.last();
    let misspelt = misspelt_key(about.around(1), key).filter(|_| about.value().is_none());
    if let Some(wrong) = misspelt {
        return Words::new(format!("{} must be {}", code(wrong), code(key)))
            .label(format!("{} is missing here", code(key)))
            .help(format!("change `{}` to `{key}`", clip(wrong, 40)));
    }
    match about.kind {
        ErrorType::Required => Words::new(format!(
            "{} has no {}",
            name::value(&name::parent(about.path)),
            code(key)
        ))
        .label(format!("{} is missing here", code(key)))
        .help(match key {
            "apiVersion" => "add `apiVersion: group/version`, such as `apiVersion: v1`",
            _ => "add `kind: …`, such as `kind: ConfigMap`",
        }),
        _ => Words::new(match key {
            "apiVersion" => format!(
                "{field} must be a group and a version, but the value is {}",
                shown(about)
            ),
            _ => format!(
                "{field} must be a name such as `CronTab`, but the value is {}",
                shown(about)
            ),
        })
        .label("not valid here")
        .help(match key {
            "apiVersion" => "write it as `group/version`, such as `example.com/v1`",
            _ => "write a name of letters, digits and `-`, such as `CronTab`",
        }),
    }
}

fn invalid_name(about: &About<'_>, field: &str) -> Words {
    let found = about.value().and_then(Json::as_str).unwrap_or_default();
    let words = Words::new(format!("{} is not a valid name", code(found)));
    let words = if found.len() > 253 {
        words.label("longer than 253 characters")
    } else {
        words.label("not a DNS name")
    };
    words.help(match meant_object_name(found) {
        Some(near) => format!(
            "change it to `{}`: only lower-case letters, digits, `-` and `.`",
            clip(&near, 80)
        ),
        None => format!("write {field} with lower-case letters, digits, `-` and `.` only"),
    })
}

fn namespace(about: &About<'_>) -> Words {
    match about.kind {
        ErrorType::Required => Words::new("the object has no `metadata.namespace`")
            .label("`namespace` is missing here")
            .help("add `namespace: default` to `metadata`"),
        ErrorType::Forbidden => Words::new("`metadata.namespace` is set, but the kind is not in a namespace")
            .label("not allowed for this kind")
            .help("remove `namespace`"),
        _ => Words::new(format!("{} is not the name of a namespace", shown(about)))
            .label("not a DNS label")
            .help("use lower-case letters, digits and `-` only"),
    }
}

fn entry(about: &About<'_>, what: &str) -> Words {
    let (key, is_value) = match about.cause {
        Some(Cause::Entry { key, is_value }) => (key.as_str(), *is_value),
        _ => (about.last(), false),
    };
    if is_value {
        let found = about.value().and_then(Json::as_str).unwrap_or_default();
        return Words::new(format!(
            "the value of {what} {} is not valid: {}",
            code(key),
            code(&clip(found, 24))
        ))
        .label(if found.len() > 63 {
            "longer than 63 characters"
        } else {
            "not a label value"
        })
        .help("use at most 63 letters, digits, `-`, `_` and `.`, beginning and ending with a letter or digit");
    }
    Words::new(format!("{} is not a valid {what} key", code(key)))
        .label(format!("not a {what} key"))
        .help("write `name` or `example.com/name`: letters, digits, `-`, `_` and `.`, at most 63 in the name")
}

fn owner_reference(about: &About<'_>, field: &str) -> Words {
    let key = about.last();
    match key {
        "apiVersion" | "kind" | "name" | "uid" => {
            let reference = name::value(&name::parent(about.path));
            Words::new(format!("{reference} needs a valid {}", code(key)))
                .label(format!("{} is missing or malformed", code(key)))
                .help(format!("set {} to that of the owner", code(key)))
        }
        _ => Words::new(format!("{field} names an owner that cannot be one"))
            .label("not a valid owner")
            .help("keep one reference with `controller: true`, and no `Event` as an owner")
            .quote(),
    }
}

fn finalizer(about: &About<'_>) -> Words {
    match about.cause {
        Some(Cause::Entry { key, .. }) => Words::new(format!("{} is not a valid finalizer", code(key)))
            .label("not a valid finalizer")
            .help("write it as `example.com/name`: a domain, a slash and a name"),
        _ if about.kind == ErrorType::Forbidden => {
            Words::new("an object that is being deleted cannot get new finalizers")
                .label("new finalizer")
                .help("remove the new finalizer")
        }
        _ => Words::new("finalizers `orphan` and `foregroundDeletion` exclude each other")
            .label("both are set")
            .help("remove one of them"),
    }
}

fn scale(about: &About<'_>, field: &str) -> Words {
    let found = about.value().map(|it| format!(", but the value is `{}`", written(it)));
    let found = found.unwrap_or_default();
    match about.cause {
        Some(Cause::Type(wanted)) => Words::new(format!(
            "the scale subresource reads {field}: it must be {}{found}",
            a_type(wanted)
        ))
        .label(format!("must be {}", a_type(wanted)))
        .help(format!("write {}", a_type(wanted))),
        Some(Cause::Bound { limit, .. }) if *limit == 0.0 => Words::new(format!(
            "the scale subresource reads {field}: it cannot be negative{found}"
        ))
        .label("cannot be negative")
        .help("write 0 or a positive number"),
        Some(Cause::Bound { limit, .. }) => Words::new(format!(
            "the scale subresource reads {field}: it can be at most {}",
            number(*limit)
        ))
        .label(format!("at most {}", number(*limit)))
        .help(format!("write a number up to {}", number(*limit))),
        _ => Words::new(format!(
            "the scale subresource reads {field}, but a value on the path is not an object"
        ))
        .label("not an object")
        .help("write an object here, as the schema requires")
        .quote(),
    }
}
