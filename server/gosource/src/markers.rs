//! Finds the kubebuilder marker that sets a keyword of a CRD.

use std::collections::HashSet;

use crate::{
    declaration::{Declaration, Site},
    read::Marker,
};

/// Schema keywords, and the markers that set them.
const OF_SCHEMAS: &[(&str, &str)] = &[
    ("default", "+default"),
    ("enum", "+kubebuilder:validation:Enum"),
    ("example", "+kubebuilder:example"),
    ("exclusiveMaximum", "+kubebuilder:validation:ExclusiveMaximum"),
    ("exclusiveMinimum", "+kubebuilder:validation:ExclusiveMinimum"),
    ("format", "+kubebuilder:validation:Format"),
    ("maxItems", "+kubebuilder:validation:MaxItems"),
    ("maxLength", "+kubebuilder:validation:MaxLength"),
    ("maxProperties", "+kubebuilder:validation:MaxProperties"),
    ("maximum", "+kubebuilder:validation:Maximum"),
    ("minItems", "+kubebuilder:validation:MinItems"),
    ("minLength", "+kubebuilder:validation:MinLength"),
    ("minProperties", "+kubebuilder:validation:MinProperties"),
    ("minimum", "+kubebuilder:validation:Minimum"),
    ("multipleOf", "+kubebuilder:validation:MultipleOf"),
    ("nullable", "+nullable"),
    ("pattern", "+kubebuilder:validation:Pattern"),
    ("type", "+kubebuilder:validation:Type"),
    ("uniqueItems", "+kubebuilder:validation:UniqueItems"),
    (
        "x-kubernetes-embedded-resource",
        "+kubebuilder:validation:EmbeddedResource",
    ),
    ("x-kubernetes-int-or-string", "+kubebuilder:validation:XIntOrString"),
    ("x-kubernetes-list-map-keys", "+listMapKey"),
    ("x-kubernetes-list-type", "+listType"),
    ("x-kubernetes-map-type", "+mapType"),
    (
        "x-kubernetes-preserve-unknown-fields",
        "+kubebuilder:pruning:PreserveUnknownFields",
    ),
    ("x-kubernetes-validations", "+kubebuilder:validation:XValidation"),
];

/// Fields of a CRD outside its schemas, and the markers of the type that set them.
const OF_KINDS: &[(&str, &str)] = &[
    ("additionalPrinterColumns", "+kubebuilder:printcolumn"),
    ("categories", "+kubebuilder:resource"),
    ("deprecated", "+kubebuilder:deprecatedversion"),
    ("deprecationWarning", "+kubebuilder:deprecatedversion"),
    ("names", "+kubebuilder:resource"),
    ("scale", "+kubebuilder:subresource:scale"),
    ("scope", "+kubebuilder:resource"),
    ("selectableFields", "+kubebuilder:selectablefield"),
    ("served", "+kubebuilder:unservedversion"),
    ("shortNames", "+kubebuilder:resource"),
    ("status", "+kubebuilder:subresource:status"),
    ("storage", "+kubebuilder:storageversion"),
    ("subresources", "+kubebuilder:subresource"),
];

/// Names of markers that mean the same as another name.
const ALIASES: &[(&str, &[&str])] = &[
    ("+default", &["+kubebuilder:default", "+k8s:default"]),
    ("+nullable", &["+kubebuilder:validation:Nullable"]),
    ("+listType", &["+k8s:listType"]),
    ("+listMapKey", &["+k8s:listMapKey"]),
    ("+mapType", &["+structType"]),
    ("+kubebuilder:validation:MaxItems", &["+k8s:maxItems"]),
    ("+kubebuilder:validation:Maximum", &["+k8s:maximum"]),
    ("+kubebuilder:validation:Minimum", &["+k8s:minimum"]),
    (
        "+kubebuilder:validation:EmbeddedResource",
        &["+kubebuilder:validation:XEmbeddedResource"],
    ),
    (
        "+kubebuilder:pruning:PreserveUnknownFields",
        &["+kubebuilder:validation:XPreserveUnknownFields"],
    ),
];

/// Keywords that a schema has only if a marker sets them. Scripts add limits and rules to CRDs, but never these keywords.
pub const ONLY_MARKERS_SET: [&str; 5] = [
    "nullable",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-map-type",
];

/// The marker that sets a field of a CRD. `is_schema` says whether the field is a keyword of a schema.
pub fn marker_for(keyword: &str, is_schema: bool) -> Option<&'static str> {
    let table = if is_schema { OF_SCHEMAS } else { OF_KINDS };
    table.iter().find(|it| it.0 == keyword).map(|it| it.1)
}

/// The schema keyword that a marker sets. `name` is the marker's name without the plus sign.
pub(crate) fn keyword_of(name: &str) -> Option<&'static str> {
    let is_it = |it: &str| it.strip_prefix('+') == Some(name);
    let alias = ALIASES.iter().find(|(_, others)| others.iter().any(|it| is_it(it)));
    let is_named = |it: &&(&str, &str)| is_it(it.1) || alias.is_some_and(|alias| alias.0 == it.1);
    OF_SCHEMAS.iter().find(is_named).map(|it| it.0)
}

/// Converts the name of a marker at a field to the marker with the same effect at the schema that is `items` list levels below the field.
pub(crate) fn of_items(name: &str, items: usize) -> Option<String> {
    let Some(mut rest) = name.strip_prefix("kubebuilder:validation:") else {
        return (items == 0).then(|| name.to_owned());
    };
    for _ in 0..items {
        rest = rest.strip_prefix("items:")?;
    }
    (!rest.starts_with("items:")).then(|| format!("kubebuilder:validation:{rest}"))
}

/// The declaration in Go at which a keyword is set or can be set.
#[derive(Clone, Debug)]
pub struct Marked<'a> {
    /// The field or type.
    pub site: &'a Site,
    /// The name that the marker has at this declaration, without a value, such as `+kubebuilder:validation:items:MaxLength`. `None` if no marker can
    /// set the keyword there.
    pub name: Option<String>,
    /// The existing marker that sets the keyword.
    pub written: Option<&'a Marker>,
    /// If `written` is `None`: a marker with the same name and a similar value, for markers that may be repeated. Its value was edited in the CRD.
    pub other: Option<&'a Marker>,
}

impl Declaration {
    /// Finds the declaration at which a marker sets a keyword of this schema. `value` is the value's text in the CRD, which distinguishes several
    /// markers with the same name.
    pub fn marked(&self, marker: &'static str, value: Option<&str>) -> Marked<'_> {
        let of_site = name_at(marker, &self.site);
        let mut sites = vec![(&self.site, of_site.clone())];
        sites.extend(self.types.iter().map(|it| (it, Some(marker.to_owned()))));
        let mut other = None;
        for (site, name) in &sites {
            let Some(name) = name else {
                continue;
            };
            let all: Vec<&Marker> = site.markers.iter().filter(|it| is_named(&it.text, name)).collect();
            let says = |it: &&&Marker| value.is_some_and(|value| contains(&it.text, value));
            let exact = all.iter().find(says);
            let only = (all.len() == 1 && (value.is_none() || !is_repeated(marker))).then(|| &all[0]);
            if let Some(written) = exact.or(only) {
                return Marked {
                    site,
                    name: Some(name.clone()),
                    written: Some(written),
                    other: None,
                };
            }
            let similar = value.and_then(|value| most_similar(&all, value));
            if let Some(similar) = similar {
                other.get_or_insert((*site, name.clone(), similar));
            }
        }
        if let Some((site, name, first)) = other {
            return Marked {
                site,
                name: Some(name),
                written: None,
                other: Some(first),
            };
        }
        // If no marker of the field can set the keyword, a marker at the type can.
        let by_type = self.types.last().filter(|_| of_site.is_none());
        Marked {
            site: by_type.unwrap_or(&self.site),
            name: if by_type.is_some() {
                Some(marker.to_owned())
            } else {
                of_site
            },
            written: None,
            other: None,
        }
    }
}

/// The marker that has most words of a value, if it has at least two thirds of them.
fn most_similar<'m>(all: &[&'m Marker], value: &str) -> Option<&'m Marker> {
    let wanted: Vec<&str> = words(value).collect();
    let shared = |it: &'m Marker| {
        let own: HashSet<&str> = words(&it.text).collect();
        wanted.iter().filter(|it| own.contains(*it)).count()
    };
    let short = all
        .iter()
        .filter(|it| it.text.len() <= MOST_COMPARED.1)
        .take(MOST_COMPARED.0);
    let (shared, best) = short.map(|it| (shared(it), *it)).max_by_key(|it| it.0)?;
    (shared * 3 >= wanted.len() * 2).then_some(best)
}

/// The maximum number of markers to compare with a value, and their maximum length in bytes. A declaration may have any number of them.
const MOST_COMPARED: (usize, usize) = (50, 4_000);

/// The words of an expression or a marker.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty())
}

/// Whether a declaration may have this marker several times.
fn is_repeated(marker: &str) -> bool {
    [
        "+kubebuilder:validation:XValidation",
        "+listMapKey",
        "+kubebuilder:printcolumn",
        "+kubebuilder:selectablefield",
    ]
    .contains(&marker)
}

/// The name that a marker must have at a field to apply to a schema below the field.
fn name_at(marker: &'static str, site: &Site) -> Option<String> {
    if site.is_below_map {
        return None;
    }
    if site.items == 0 {
        return Some(marker.to_owned());
    }
    let rest = marker.strip_prefix("+kubebuilder:validation:")?;
    Some(format!("+kubebuilder:validation:{}{rest}", "items:".repeat(site.items)))
}

fn is_named(text: &str, name: &str) -> bool {
    let aliases = ALIASES.iter().find(|it| it.0 == name).map_or(&[][..], |it| it.1);
    std::iter::once(name).chain(aliases.iter().copied()).any(|name| {
        text.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', ':', ',']))
    })
}

/// Whether a marker's text contains a value, either unchanged or escaped as in a quoted string.
fn contains(text: &str, value: &str) -> bool {
    if text.contains(value) {
        return true;
    }
    let escaped: String = value
        .chars()
        .map(|it| match it {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            '\n' => "\\n".to_owned(),
            '\t' => "\\t".to_owned(),
            other => other.to_string(),
        })
        .collect();
    text.contains(&escaped)
}
