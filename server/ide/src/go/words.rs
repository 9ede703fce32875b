//! Descriptions of markers.

use crd_analyzer_gosource::check::{
    about::{self, About},
    catalog::{Argument, Definition, Release, Type},
};

use crate::markdown::code;

/// A phrase that describes the values of an argument, such as "a number".
pub(super) fn type_name(of: &Type) -> String {
    match of {
        Type::Int => "integer".to_owned(),
        Type::Number => "number".to_owned(),
        Type::String => "string".to_owned(),
        Type::Bool => "boolean".to_owned(),
        Type::Any => "value".to_owned(),
        Type::Raw => "text".to_owned(),
        Type::List(of) => format!("{} list", type_name(of)),
    }
}

/// The effect of a marker, in Markdown.
pub(super) fn sentence(about: &About) -> String {
    let of_items = if about.is_of_items {
        "For each item of the list: "
    } else {
        ""
    };
    format!("{of_items}{}", about.sentence)
}

/// The CRD fields that a marker sets, in Markdown.
pub(super) fn sets(about: &About) -> Option<String> {
    let names: Vec<_> = about.sets.split(", ").filter(|it| !it.is_empty()).map(code).collect();
    let schema = if about.is_of_items {
        "In the CRD: `items`, "
    } else {
        "In the CRD: "
    };
    (!names.is_empty()).then(|| format!("{schema}{}.", names.join(" and ")))
}

/// The first controller-gen release that supports a feature. `None` if all supported releases do.
pub(super) fn since(release: Release) -> Option<String> {
    (release > Release::OLDEST).then(|| format!("since controller-gen {release}"))
}

/// A description of an argument, in Markdown.
pub(super) fn argument(definition: &Definition, argument: &Argument) -> String {
    let about = about::argument(definition.name, &argument.name);
    let values: Vec<_> = about.values().map(code).collect();
    let values = (!values.is_empty()).then(|| format!("Values: {}.", values.join(", ")));
    let sentence = Some(about.sentence).filter(|it| !it.is_empty());
    let parts: Vec<&str> = sentence.into_iter().chain(values.as_deref()).collect();
    parts.join(" ")
}
