//! Sets the parts of a CRD outside the schemas that depend on the markers of a kind: names, scope, versions, and subresources (`ApplyToCRD` in
//! `pkg/crd/markers` of `sigs.k8s.io/controller-tools`).

use std::collections::BTreeMap;

use crd_analyzer_gosource::{Given, Site, To, literal};
use crd_analyzer_schema::metadata::names::dns1035_label;
use crd_analyzer_syntax::json::Json;

use super::{
    put::{Put, Schema},
    set::Set,
};
use crate::sources::manifest::Place;

/// A version of a CRD, and the kind's type in that version if it is known.
pub(super) type Version<'j> = (&'j Json<'j>, Option<Site>);

impl<'j> Put<'_, 'j> {
    /// Sets the names and the scope. `root` and `spec` are the nodes of the CRD and its `spec`.
    pub(super) fn names(
        &mut self,
        (root, spec): (&'j Json<'j>, &'j Json<'j>),
        (group, kind): (&str, &str),
        versions: &[Version<'j>],
    ) {
        let sites: Option<Vec<&Site>> = versions.iter().map(|it| it.1.as_ref()).collect();
        let (Some(sites), Some(names)) = (sites, spec.get("names")) else {
            return;
        };
        let Some(first) = sites.first() else { return };
        let declared = self.place(&first.file, &first.span);
        // The marker of each version sets all names, and the order is arbitrary. So a name is known only if all markers agree on it. If they do not,
        // one that the API server rejects is an error in some runs of controller-gen.
        let mut said: Vec<(Place, Arguments)> = Vec::new();
        for site in &sites {
            if let Some((place, given)) = self.last(site, "kubebuilder:resource") {
                let Some(arguments) = given else { return };
                said.push((place, arguments));
            }
        }
        let is_clear = said.windows(2).all(|it| says_same(&it[0].1, &it[1].1));
        if !is_clear {
            said.retain(|it| is_rejected(&it.1));
            if said.is_empty() {
                return;
            }
        }
        let (place, arguments) = match said.into_iter().next() {
            Some((place, arguments)) => (place, arguments),
            None => (declared.clone(), Vec::new()),
        };
        let text = |name: &str| match argument(&arguments, name) {
            Some(To::Value(it)) if !it.is_empty() => Some(it.clone()),
            _ => None,
        };
        let list = |name: &str| match argument(&arguments, name) {
            Some(To::List(items)) if !items.is_empty() => Set::To(place.clone(), To::List(items.clone())),
            _ => Set::Nothing,
        };
        let of = |literal: literal::Literal| Set::To(place.clone(), To::Value(literal));
        let mut set = BTreeMap::new();
        if let Some(path) = text("path") {
            let literal::Value::String(plural) = &path.value else {
                return;
            };
            let name = Set::Follows(place.clone(), quoted(&format!("{plural}.{group}")));
            set.insert("plural", of(path));
            if let Some(metadata) = root.get("metadata") {
                self.set_in(metadata, &declared, BTreeMap::from([("name", name)]));
            }
        }
        let singular = text("singular").map(of);
        let own = || Set::Follows(place.clone(), quoted(&kind.to_lowercase()));
        set.insert("singular", singular.unwrap_or_else(own));
        set.insert("shortNames", list("shortName"));
        set.insert("categories", list("categories"));
        self.set_in(names, &declared, set);
        let namespaced = || Set::Follows(place.clone(), quoted("Namespaced"));
        let scope = text("scope").map(of);
        let scope = BTreeMap::from([("scope", scope.unwrap_or_else(namespaced))]);
        self.set_in(spec, &declared, scope);
    }

    /// The values that the markers of a kind set in a version. `is_only` says whether it is the only version. It is `None` if the types of another
    /// version are unknown.
    pub(super) fn of_version(&mut self, site: &Site, is_only: Option<bool>) -> BTreeMap<&'static str, Set<'j>> {
        let declared = self.place(&site.file, &site.span);
        let flag = |given: &Option<(Place, Option<Arguments>)>, is: bool| {
            let place = given.as_ref().map_or(&declared, |it| &it.0);
            Set::Follows(place.clone(), is.to_string())
        };
        let mut set = BTreeMap::new();
        let storage = self.last(site, "kubebuilder:storageversion");
        let is_storage = storage.is_some().then_some(true).or(is_only);
        set.extend(is_storage.map(|is| ("storage", flag(&storage, is))));
        let unserved = self.last(site, "kubebuilder:unservedversion");
        if unserved.is_some() || is_only.is_some() {
            set.insert("served", flag(&unserved, unserved.is_none()));
        }
        let deprecated = self.last(site, "kubebuilder:deprecatedversion");
        let warning = match &deprecated {
            Some((place, Some(arguments))) => match argument(arguments, "warning") {
                Some(it @ To::Value(_)) => Set::To(place.clone(), it.clone()),
                _ => Set::Nothing,
            },
            Some((place, None)) => Set::As(place.clone()),
            None => Set::Nothing,
        };
        set.insert("deprecationWarning", warning);
        let is_deprecated = deprecated.is_some();
        set.insert(
            "deprecated",
            if is_deprecated {
                flag(&deprecated, true)
            } else {
                Set::Nothing
            },
        );
        set.insert("subresources", self.subresources(site));
        set
    }

    fn subresources(&mut self, site: &Site) -> Set<'j> {
        let declared = self.place(&site.file, &site.span);
        let status = self.last(site, "kubebuilder:subresource:status");
        let scale = self.last(site, "kubebuilder:subresource:scale");
        let column = self.last(site, "kubebuilder:printcolumn");
        let Some((place, _)) = status.as_ref().or(scale.as_ref()).or(column.as_ref()) else {
            return Set::Nothing;
        };
        let place = if column.is_some() { declared } else { place.clone() };
        let mut fields = Vec::new();
        if let Some((place, _)) = status {
            fields.push(("status", Set::Follows(place, "{}".to_owned())));
        }
        if let Some((place, arguments)) = scale {
            let Some(arguments) = arguments else {
                return Set::As(place);
            };
            let mut of_scale = Vec::new();
            for (name, field) in SCALE {
                match argument(&arguments, name) {
                    Some(to @ To::Value(_)) => of_scale.push((field, Set::To(place.clone(), to.clone()))),
                    // controller-gen fails if the value is missing.
                    _ if name != "selectorpath" => return Set::As(place),
                    _ => {}
                }
            }
            fields.push(("scale", Set::Made(place, of_scale)));
        }
        Set::Made(place, fields)
    }

    /// The last marker with a name at a type, and its arguments if they are known.
    fn last(&mut self, site: &Site, name: &str) -> Option<(Place, Option<Arguments>)> {
        let Given { marker, arguments } = site.given(name, self.release()).pop()?;
        self.take_text(marker.len());
        Some((self.place(&site.file, &marker), arguments))
    }

    /// Sets values in a mapping that is not part of a schema.
    fn set_in(&mut self, of: &'j Json<'j>, declared: &Place, set: BTreeMap<&'static str, Set<'j>>) {
        for (key, set) in &set {
            self.is_in_step &= set.is_as_written(of.get(key));
        }
        let declared = declared.clone();
        self.schemas.insert(of.node, Schema { declared, set });
    }
}

/// The arguments of the scale marker, and the fields that they set.
const SCALE: [(&str, &str); 3] = [
    ("specpath", "specReplicasPath"),
    ("statuspath", "statusReplicasPath"),
    ("selectorpath", "labelSelectorPath"),
];

/// The arguments of a marker, by name.
type Arguments = Vec<(&'static str, To)>;

fn argument<'a>(arguments: &'a Arguments, name: &str) -> Option<&'a To> {
    arguments.iter().find(|it| it.0 == name).map(|it| &it.1)
}

/// Whether the API server certainly rejects what the arguments of a kind's marker set.
fn is_rejected(arguments: &Arguments) -> bool {
    let is_name = |it: &literal::Literal| it.text().is_none_or(|it| dns1035_label(it).is_empty());
    arguments.iter().any(|(name, to)| match (*name, to) {
        (_, To::Value(it)) if it.is_empty() => false,
        ("scope", To::Value(it)) => !matches!(it.text(), Some("Cluster" | "Namespaced")),
        ("path" | "singular", To::Value(it)) => !is_name(it),
        ("shortName" | "categories", To::List(items)) => !items.iter().all(is_name),
        _ => false,
    })
}

fn says_same(one: &Arguments, other: &Arguments) -> bool {
    let is_in = |(name, to): &(&str, To)| argument(other, name).is_some_and(|it| it.says_same(to));
    one.len() == other.len() && one.iter().all(is_in)
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
