//! Hints about CRDs that the API server accepts.

use crd_analyzer_lints::{Bound, Lint, Problem};
use crd_analyzer_schema::field::Path;

use super::{
    Words,
    meant::meant,
    name::{SchemaPlace, parent, shown},
    text::{a_type, clip, code, either, joined, number},
};

/// So many names are offered where none is near.
const MOST_OFFERED: usize = 4;

/// The wording of a lint; `path` is its place as the author wrote it.
pub(crate) fn words(lint: &Lint, path: &Path) -> Words {
    match &lint.problem {
        Problem::UnknownPath {
            is_scale,
            step,
            parent,
            known,
        } => unknown_path(*is_scale, step, parent, known, path),
        Problem::ColumnType { column, property } => Words::new(format!(
            "a column of type {} never shows a property of type {}",
            code(column),
            code(property)
        ))
        .label(format!("the property is {}", a_type(property)))
        .help(match column_type(property) {
            Some(fit) => format!("change the type of the column to {}", code(fit)),
            None => "show a property with a single value, such as a string or a number".to_owned(),
        })
        .note("`kubectl get` leaves the column empty"),
        Problem::ScaleType { wanted, property } => Words::new(format!(
            "{} needs type {}, but the property is {}",
            code(last(path)),
            code(wanted),
            a_type(property)
        ))
        .label(format!("leads to {}", a_type(property)))
        .help(format!("use a property of type {}", code(wanted)))
        .note("`kubectl scale` and autoscalers fail on such objects"),
        Problem::UndefinedRequired {
            name,
            known,
            in_junctor,
        } => {
            let place = SchemaPlace::of(&parent(&parent(path))).unwrap_or_default();
            let words = Words::new(format!(
                "`required` names {}, which is not a property of {}",
                shown(name),
                place.name()
            ));
            let words = match meant(name, known.iter().map(String::as_str)) {
                Some(near) => words.did_you_mean(name, near),
                None => words.label("no such property").help(format!(
                    "add {} to `properties`, or remove it from `required`",
                    shown(name)
                )),
            };
            let note = "the API server removes properties that the schema does not have";
            words.note(if *in_junctor {
                format!("{note}, so nothing satisfies this")
            } else {
                format!("{note}, so it rejects every object")
            })
        }
        Problem::RepeatedName { name, list } => Words::new(format!("{} is listed twice in {}", code(name), code(list)))
            .label("listed before")
            .help("remove it here"),
        Problem::StatusWithoutSubresource => {
            Words::new("the schema has a `status`, but the version has no status subresource")
                .label("no subresource")
                .help("add `subresources: {status: {}}` to the version")
                .note("without it, everybody who may change the object may change its `status`")
        }
        Problem::LostProperties {
            version,
            storage,
            properties,
        } => {
            let names: Vec<&str> = properties.iter().map(String::as_str).collect();
            Words::new(format!(
                "the storage version {} loses properties of {}",
                code(storage),
                code(version)
            ))
            .label("more properties than are stored")
            .help(format!(
                "add {} to version {}, or convert with a webhook",
                all(&names),
                code(storage)
            ))
            .note("with the conversion strategy `None`, only `apiVersion` changes when an object is stored")
        }
        Problem::ContradictoryBounds { low, high } => {
            let bound = |it: &Bound| format!("`{}: {}`", it.keyword, number(it.value));
            Words::new(format!("no value satisfies both {} and {}", bound(low), bound(high)))
                .label(format!("larger than `{}`", high.keyword))
                .help(format!(
                    "make {} smaller, or {} larger",
                    code(low.keyword),
                    code(high.keyword)
                ))
        }
        Problem::ImpossibleEnumValue { value, error } => {
            let value = clip(&value.to_string(), 40);
            Words::new(format!("`enum` lists `{value}`, which its own schema rejects"))
                .label("never valid")
                .help("remove it, or change the keyword that rejects it")
                .note(format!("the API server says of this value: {}", error.body()))
        }
        Problem::PatternMatchesEverything => Words::new("every string matches this pattern")
            .label("rejects nothing")
            .help("put `^` at the beginning and `$` at the end, if the whole string is meant")
            .note("a pattern may match anywhere in a string, also at its beginning with no characters"),
        Problem::PatternMatchesNothing => Words::new("no string matches this pattern")
            .label("rejects everything")
            .help("put `^` only at the beginning and `$` only at the end, and no slashes around the pattern"),
        Problem::NoServedVersion => Words::new("no version is served, so this CRD has no resources")
            .label("`served` is missing or false in each")
            .help("set `served: true` in a version"),
        Problem::ListWithoutType => {
            let place = SchemaPlace::of(path).unwrap_or_default();
            Words::new(format!("list {} has no `x-kubernetes-list-type`", place.name()))
                .label("one value for server-side apply")
                .help("add `x-kubernetes-list-type: map`, `set` or `atomic`")
        }
    }
}

fn unknown_path(is_scale: bool, step: &str, parent: &str, known: &[String], path: &Path) -> Words {
    let of = if parent.is_empty() {
        "the schema".to_owned()
    } else {
        shown(parent)
    };
    let words = Words::new(format!("{} is not a property of {of}", shown(step)));
    let words = match meant(step, known.iter().map(String::as_str)) {
        Some(near) => words.did_you_mean(step, near),
        None if known.is_empty() => words
            .label("no such property")
            .help(format!("add it to the schema, or change {}", code(last(path)))),
        None => {
            let offered: Vec<&str> = known.iter().map(String::as_str).take(MOST_OFFERED).collect();
            let more = if known.len() > offered.len() {
                " or another property"
            } else {
                ""
            };
            words
                .label("no such property")
                .help(format!("add it to the schema, or write {}{more}", either(&offered)))
        }
    };
    words.note(if is_scale {
        "`kubectl scale` and autoscalers do not work with this CRD"
    } else {
        "`kubectl get` leaves the column empty"
    })
}

/// The column type that shows a property's values.
fn column_type(property: &str) -> Option<&'static str> {
    match property {
        "integer" => Some("integer"),
        "number" => Some("number"),
        "boolean" => Some("boolean"),
        "string" | "object" | "array" => Some("string"),
        _ => None,
    }
}

/// The last field of a path.
fn last(path: &Path) -> &str {
    path.segments().last().map_or("", super::name_of)
}

/// Names in backquotes, `and` before the last.
fn all(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|it| shown(it)).collect();
    joined(&names, "and")
}
