//! The types of the fields whose values a build does not use. kustomize decodes them, too, and fails if they are wrong.

use crate::{
    decode::{Decoder, Fields, list, list_of_texts, text, texts, wrong},
    node::{Node, Value},
    problem::Result,
};

/// The type of a value in a kustomization.
enum Shape {
    Text,
    Flag,
    Texts,
    /// An object whose values are strings.
    TextMap,
    /// An object with any values.
    Any,
    Object(&'static [&'static str], &'static [(&'static str, Shape)]),
    List(&'static Shape),
}

use Shape::{Any, Flag, List, Object, Text, TextMap, Texts};

/// An object whose fields are strings, unless `more` has them.
macro_rules! object {
    ([$($text:literal),*], [$(($key:literal, $shape:expr)),*]) => {
        Object(&[$($text,)* $($key),*], &[$(($text, Text),)* $(($key, $shape)),*])
    };
}

const METADATA: Shape = object!(["name", "namespace"], [("labels", TextMap), ("annotations", TextMap)]);

const SORT_OPTIONS: Shape = object!(["order"], [("legacySortOptions", LEGACY)]);
const LEGACY: Shape = object!([], [("orderFirst", Texts), ("orderLast", Texts)]);

const HELM_GLOBALS: Shape = object!(["chartHome", "configHome"], []);

const HELM_CHART: Shape = object!(
    [
        "name",
        "version",
        "repo",
        "releaseName",
        "namespace",
        "valuesFile",
        "valuesMerge",
        "kubeVersion",
        "nameTemplate"
    ],
    [
        ("additionalValuesFiles", Texts),
        ("valuesInline", Any),
        ("includeCRDs", Flag),
        ("skipHooks", Flag),
        ("apiVersions", Texts),
        ("skipTests", Flag),
        ("debug", Flag),
        ("devel", Flag)
    ]
);

const HELM_CHART_ARGS: Shape = object!(
    [
        "chartName",
        "chartVersion",
        "chartRepoUrl",
        "chartHome",
        "chartRepoName",
        "helmBin",
        "helmHome",
        "values",
        "valuesMerge",
        "releaseName",
        "releaseNamespace"
    ],
    [("valuesLocal", Any), ("extraArgs", Texts)]
);

/// The fields of a kustomization whose values a build does not use.
const FIELDS: [(&str, Shape); 8] = [
    ("metadata", METADATA),
    ("sortOptions", SORT_OPTIONS),
    ("helmGlobals", HELM_GLOBALS),
    ("helmCharts", List(&HELM_CHART)),
    ("helmChartInflationGenerator", List(&HELM_CHART_ARGS)),
    ("openapi", TextMap),
    ("crds", Texts),
    ("buildMetadata", Texts),
];

/// Decodes the fields of a kustomization whose values a build does not use.
///
/// # Errors
///
/// If kustomize cannot decode one of them.
pub(crate) fn check(root: &Node) -> Result<()> {
    for entry in root.entries() {
        let field = FIELDS.iter().find(|it| it.0.eq_ignore_ascii_case(&entry.key));
        field.map_or(Ok(()), |it| it.1.decode(&entry.value))?;
    }
    Ok(())
}

impl Shape {
    fn decode(&self, node: &Node) -> Result<()> {
        let decoder = Decoder::Kustomization;
        match self {
            Text => text(node, decoder).map(|_| ()),
            Texts => list_of_texts(node, decoder).map(|_| ()),
            TextMap => texts(node, decoder).map(|_| ()),
            Flag | Any if node.is_null() => Ok(()),
            Flag => match node.value {
                Value::Bool(_) => Ok(()),
                _ => Err(wrong(node, "a boolean")),
            },
            Any => match node.value {
                Value::Map(_) => Ok(()),
                _ => Err(wrong(node, "an object")),
            },
            List(item) => list(node, |it| item.decode(it)).map(|_| ()),
            Object(known, shapes) => {
                let fields = Fields::known(node, known, decoder)?;
                let shape = |key: &str| shapes.iter().find(|it| it.0.eq_ignore_ascii_case(key));
                let mut entries = fields.entries();
                entries.try_for_each(|(key, _, value)| shape(key).map_or(Ok(()), |it| it.1.decode(value)))
            }
        }
    }
}
