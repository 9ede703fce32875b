//! Words for errors about printer columns, the scale subresource and selectable fields.

use crd_analyzer_apiextensions::codes;
use crd_analyzer_schema::field::Cause;
use crd_analyzer_syntax::json::Json;

use super::{
    About, Words,
    meant::{meant, meant_type},
    misspelt_key,
    text::{clip, code, either, written},
};

pub(super) fn words(about: &About<'_>) -> Option<Words> {
    let words = match about.code {
        codes::MISSING_COLUMN_FIELD => missing(about),
        codes::UNKNOWN_COLUMN_TYPE => unknown(about, "column type"),
        codes::UNKNOWN_COLUMN_FORMAT => unknown(about, "column format"),
        codes::INVALID_JSON_PATH => invalid_path(about),
        codes::MISSING_SCALE_PATH => {
            let field = about.last();
            let path = if field == "statusReplicasPath" {
                ".status.replicas"
            } else {
                ".spec.replicas"
            };
            Words::new(format!("the scale subresource has no {}", code(field)))
                .label(format!("{} is missing here", code(field)))
                .help(format!("add `{field}: {path}`"))
                .in_go(format!(
                    "add `{}={path}` to `+kubebuilder:subresource:scale`",
                    if field == "statusReplicasPath" {
                        "statuspath"
                    } else {
                        "specpath"
                    }
                ))
        }
        codes::SCALE_PATH_ELSEWHERE => {
            let field = about.last();
            let below = match field {
                "specReplicasPath" => "`.spec`",
                "statusReplicasPath" => "`.status`",
                _ => "`.spec` or `.status`",
            };
            Words::new(format!("{} must be a path below {below}", code(field)))
                .label(format!("not below {below}"))
                .help(match field {
                    "specReplicasPath" => "write a path such as `.spec.replicas`",
                    "statusReplicasPath" => "write a path such as `.status.replicas`",
                    _ => "write a path such as `.status.selector`",
                })
        }
        codes::SELECTABLE_FIELD_WITHOUT_SCHEMA => Words::new("`selectableFields` needs a schema in the same version")
            .label("no schema to select from")
            .help("add `schema.openAPIV3Schema` to the version, or remove `selectableFields`"),
        codes::INVALID_SELECTABLE_FIELD => selectable(about),
        codes::DUPLICATE_SELECTABLE_FIELD => Words::new(format!("selectable field {} is listed twice", shown(about)))
            .label("listed before")
            .help("remove this entry"),
        codes::TOO_MANY_SELECTABLE_FIELDS => {
            let have = about.value().and_then(Json::items).map_or(0, <[_]>::len);
            let max = match about.cause {
                Some(Cause::Count(max)) => *max,
                _ => 8,
            };
            Words::new(format!(
                "`selectableFields` has {have} entries, but at most {max} are allowed"
            ))
            .label(format!("more than {max} entries"))
            .help(format!("keep at most {max} selectable fields"))
        }
        _ => return None,
    };
    Some(words)
}

/// The value as written, in backquotes.
fn shown(about: &About<'_>) -> String {
    let found = about.value().map(written).unwrap_or_default();
    code(found.trim_matches('"'))
}

fn missing(about: &About<'_>) -> Words {
    let field = about.last();
    let column = about.around(1);
    let name = column.and_then(|it| it.get("name")?.as_str());
    let column_words = name.map_or_else(
        || "a printer column".to_owned(),
        |it| format!("printer column {}", code(it)),
    );
    let words =
        Words::new(format!("{column_words} has no {}", code(field))).label(format!("{} is missing here", code(field)));
    match (misspelt_key(column, field), field) {
        (Some(near), _) => words.help(format!("change `{}` to `{field}`", clip(near, 30))),
        (None, "jsonPath") => words
            .help("add `jsonPath: .spec.…`, the path of the value")
            .in_go("write the path of the value, as in `JSONPath=.spec.size`"),
        (None, "type") => words
            .help("add `type: string`, `integer`, `number`, `boolean` or `date`")
            .in_go("write `type=string`, `integer`, `number`, `boolean` or `date`"),
        (None, _) => words
            .help("add `name`, the title of the column")
            .in_go("write the title of the column, as in `name=Size`"),
    }
}

fn unknown(about: &About<'_>, what: &str) -> Words {
    let found = about.value().and_then(Json::as_str).unwrap_or_default();
    let allowed = match about.cause {
        Some(Cause::Allowed(allowed)) => allowed.as_slice(),
        _ => &[],
    };
    let known = || allowed.iter().map(String::as_str);
    let near = meant(found, known()).or_else(|| meant_type(found).filter(|it| known().any(|known| known == *it)));
    let words = Words::new(format!("{} is not a {what}", shown(about)));
    match near {
        Some(near) => words.did_you_mean(found, near),
        None => words
            .label(format!("not a {what}"))
            .help(format!("write {}", either(allowed))),
    }
}

fn invalid_path(about: &About<'_>) -> Words {
    let field = code(about.last());
    let found = about.value().and_then(Json::as_str).unwrap_or_default();
    let bare = found
        .trim_start_matches(['$', '{'])
        .trim_end_matches('}')
        .trim_start_matches('.');
    let words = Words::new(format!("{field} must begin with a dot")).label("no dot at the beginning");
    if bare.is_empty() {
        words.help("write a path such as `.spec.replicas`")
    } else {
        words.help(format!("change it to `.{}`", clip(bare, 60)))
    }
}

fn selectable(about: &About<'_>) -> Words {
    match about.cause {
        Some(Cause::Empty) => Words::new("a selectable field has no `jsonPath`")
            .label("`jsonPath` is missing here")
            .help("add `jsonPath: .spec.…`, the path of the field")
            .in_go("write the path of the field, as in `JSONPath=.spec.color`"),
        Some(Cause::InMetadata) => Words::new(format!("selectable field {} is in `metadata`", shown(about)))
            .label("in `metadata`")
            .help("remove this entry: `metadata.name` and `metadata.namespace` can be selected by anyway"),
        Some(Cause::NotFound(name)) => Words::new(format!("selectable field {} leads to no property", shown(about)))
            .label(format!("no property {}", code(name)))
            .help(format!(
                "write the path of a property of the schema: {} does not exist",
                code(name)
            )),
        Some(Cause::Malformed(_)) => Words::new(format!("{} is not a path of properties", shown(about)))
            .label("not a path")
            .help("write names with dots, such as `.spec.color`")
            .quote(),
        _ => Words::new(format!(
            "selectable field {} is not a string, integer or boolean",
            shown(about)
        ))
        .label("not a selectable type")
        .help("write the path of a property of type `string`, `integer` or `boolean`"),
    }
}
