//! Words for the API server's warnings.

use crd_analyzer_apiextensions::codes;
use crd_analyzer_resource::codes as resource_codes;
use crd_analyzer_schema::{KubernetesVersion, field::Cause, formats};
use crd_analyzer_syntax::json::Json;

use super::{
    About, Words,
    meant::meant,
    name::{self, SchemaPlace, parent},
    text::{clip, code, either},
};

pub(super) fn words(about: &About<'_>) -> Option<Words> {
    Some(match about.code {
        codes::UNRECOGNIZED_FORMAT => unrecognized_format(about),
        codes::SET_OF_OBJECTS => {
            let list = SchemaPlace::of(&parent(about.path)).unwrap_or_default().name();
            Words::new(format!(
                "list {list} is a set of objects or lists, which the API server cannot merge"
            ))
            .label("a set of scalars only")
            .help("set `x-kubernetes-list-type: map` with `x-kubernetes-list-map-keys`, or `atomic`")
            .note("server-side apply and CEL rules do not support such sets")
        }
        resource_codes::DEPRECATED_VERSION => {
            let version = about.value().and_then(Json::as_str).unwrap_or_default();
            let kind = about.text(&["kind"]).unwrap_or_default();
            let (version, kind) = (clip(version, 60), clip(kind, 40));
            let words = Words::new(format!("version `{version}` of `{kind}` is deprecated"))
                .label("deprecated")
                .quote();
            match about.cause {
                Some(Cause::Allowed(versions)) if !versions.is_empty() => {
                    words.help(format!("change `apiVersion` to {}", either(versions)))
                }
                _ => words.help("move to another API before the version is removed"),
            }
        }
        resource_codes::UNQUALIFIED_FINALIZER => {
            let key = match about.cause {
                Some(Cause::Entry { key, .. }) => key.as_str(),
                _ => "",
            };
            let headline = format!("finalizer {} has no slash, so others may use the same name", code(key));
            let words = Words::new(headline).label("no domain and slash");
            match owner(key) {
                Some(tool) => words.help(format!("keep it: {tool} looks for exactly this name")),
                None => words.help("if it is yours, begin it with a domain and a slash; keep names of other tools"),
            }
        }
        resource_codes::RATCHETED_RULE => {
            let rule = match about.cause {
                Some(Cause::Rule { rule, .. }) => clip(rule, 160),
                _ => String::new(),
            };
            Words::new(format!(
                "{} fails a rule, which is tolerated because the value has not changed",
                name::value(about.path)
            ))
            .label("the rule fails here")
            .help(format!("change the value so that the rule holds: `{rule}`"))
        }
        _ => return None,
    })
}

/// The domains of finalizers without a slash, each with the tool that uses it.
const FINALIZERS: [(&str, &str); 10] = [
    ("argoproj.io", "Argo"),
    ("cert-manager.io", "cert-manager"),
    ("cluster.x-k8s.io", "Cluster API"),
    ("crossplane.io", "Crossplane"),
    ("fluxcd.io", "Flux"),
    ("istio.io", "Istio"),
    ("keda.sh", "KEDA"),
    ("kubevirt.io", "KubeVirt"),
    ("longhorn.io", "Longhorn"),
    ("rook.io", "Rook"),
];

/// The tool to which a finalizer belongs, found by the domain at its end.
fn owner(finalizer: &str) -> Option<&'static str> {
    let is_of = |domain: &str| {
        let rest = finalizer.strip_suffix(domain);
        rest.is_some_and(|it| it.is_empty() || it.ends_with('.'))
    };
    FINALIZERS.iter().find(|it| is_of(it.0)).map(|it| it.1)
}

fn unrecognized_format(about: &About<'_>) -> Words {
    let format = about.value().and_then(Json::as_str).unwrap_or_default();
    let r#type = about
        .around(1)
        .and_then(|it| it.get("type")?.as_str())
        .unwrap_or_default();
    let version = KubernetesVersion::NEWEST;
    let of = TYPES_WITH_FORMATS
        .into_iter()
        .find(|it| has_format(it, format, version));
    if let Some(of) = of.filter(|it| *it != r#type && !r#type.is_empty()) {
        return format_of_other_type(format, r#type, of);
    }
    let words = Words::new(format!(
        "format {} has no effect: Kubernetes does not know it",
        code(format)
    ));
    let near = match r#type {
        "integer" => meant(format, formats::integer_formats(version).iter().copied()),
        "number" => meant(format, formats::number_formats(version).iter().copied()),
        _ => meant(format, formats::string_formats(version)),
    };
    match near {
        Some(near) => words.did_you_mean(format, near),
        None if r#type == "string" => words
            .label("not checked")
            .help("remove `format`, or use `pattern` to check the value"),
        None => words.label("not checked").help("remove `format`"),
    }
}

/// The types whose values Kubernetes checks against formats.
const TYPES_WITH_FORMATS: [&str; 3] = ["string", "integer", "number"];

/// Whether `format` is a format of values of a type.
fn has_format(r#type: &str, format: &str, version: KubernetesVersion) -> bool {
    formats::is_enforced(format, r#type, version)
}

/// Words for a format of another type than the type of its schema.
fn format_of_other_type(format: &str, r#type: &str, of: &str) -> Words {
    let words = Words::new(format!(
        "format {} has no effect on {}",
        code(format),
        code(&format!("type: {type}")),
    ))
    .label(format!("a format of {}", code(&format!("type: {of}"))));
    match r#type {
        "array" => words.help("move `format` into `items`, or remove it"),
        "object" => words.help("remove `format`"),
        _ => words.help(format!("remove `format`, or change the type to `{of}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finalizers_of_other_tools_are_known() {
        assert_eq!(owner("resources-finalizer.argocd.argoproj.io"), Some("Argo"));
        assert_eq!(owner("longhorn.io"), Some("Longhorn"));
        assert_eq!(owner("notlonghorn.io"), None);
        assert_eq!(owner("cleanup"), None);
    }
}
