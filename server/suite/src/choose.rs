//! Selects the variants of a CRD that a suite tests. openshift/api generates a variant for each feature set, and a suite may require that some
//! features are on or off (`tests/crd_filter.go` there).

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use crate::{definition::Found, reader::read_object};

const FEATURE_SET: &str = "release.openshift.io/feature-set";
const CLUSTER_PROFILE: &str = "include.release.openshift.io/";
const MAJOR_VERSION: &str = "release.openshift.io/major-version";
/// The feature set in which every feature is on.
const EVERYTHING: &str = "CustomNoUpgrade";
const DEFAULT: &str = "Default";

/// Which features are on in a feature set of a cluster profile.
#[derive(Clone, Debug)]
pub struct FeatureGates(Value);

impl FeatureGates {
    /// Parses a manifest of kind `FeatureGate`. `None` if the manifest is of another kind.
    pub fn read(text: &Arc<str>) -> Option<Self> {
        let value = read_object(text).ok()?;
        (value["kind"] == "FeatureGate").then_some(Self(value))
    }

    fn annotation(&self, name: &str) -> Option<&str> {
        self.0.pointer("/metadata/annotations")?.get(name)?.as_str()
    }

    /// The name of the feature set, from an annotation or a field.
    fn set(&self) -> &str {
        let of_spec = || self.0.pointer("/spec/featureSet").and_then(Value::as_str);
        self.annotation(FEATURE_SET)
            .or_else(of_spec)
            .filter(|it| !it.is_empty())
            .unwrap_or(DEFAULT)
    }

    fn versions(&self) -> Vec<u64> {
        let annotations = self.0.pointer("/metadata/annotations").and_then(Value::as_object);
        let found = annotations
            .into_iter()
            .flatten()
            .find(|it| it.0.starts_with(MAJOR_VERSION));
        found.and_then(|it| it.1.as_str()).map(numbers).unwrap_or_default()
    }

    /// All features, and whether each is on.
    fn gates(&self) -> BTreeMap<&str, bool> {
        let mut found = BTreeMap::new();
        for (list, is_on) in [("enabled", true), ("disabled", false)] {
            let gates = self.0.pointer(&format!("/status/featureGates/0/{list}"));
            let gates = gates.and_then(Value::as_array);
            let names = gates.into_iter().flatten().filter_map(|it| it["name"].as_str());
            found.extend(names.map(|it| (it, is_on)));
        }
        found
    }
}

fn numbers(list: &str) -> Vec<u64> {
    list.split(',').filter_map(|it| it.trim().parse().ok()).collect()
}

/// The variants in which all `gates` are on or off as required. `known` describes the feature sets. Without it, only the variant with every feature
/// certainly has a feature, and all others may lack it.
///
/// The error is the reason why the variants cannot be selected.
pub fn variants(mut all: Vec<Found>, gates: &[String], known: &[FeatureGates]) -> Result<Vec<Found>, String> {
    if gates.is_empty() {
        return Ok(all);
    }
    if known.is_empty() {
        let has_all = |it: &Found| {
            it.annotations()
                .any(|it| it.0 == FEATURE_SET && it.1.contains(EVERYTHING))
        };
        let wants_all = gates.iter().all(|it| !it.starts_with('-'));
        if all.iter().any(has_all) {
            all.retain(|it| has_all(it) == wants_all);
        }
        return Ok(all);
    }
    let mut kept = Vec::new();
    for found in all {
        if is_meant(&found, gates, known)? {
            kept.push(found);
        }
    }
    Ok(kept)
}

fn is_meant(found: &Found, gates: &[String], known: &[FeatureGates]) -> Result<bool, String> {
    let mut sets: Vec<&str> = Vec::new();
    let mut profiles: Vec<&str> = Vec::new();
    let mut versions = Vec::new();
    for (name, value) in found.annotations() {
        if name == FEATURE_SET {
            sets.extend(value.split(',').filter(|it| !it.is_empty()));
        } else if name.starts_with(CLUSTER_PROFILE) && value == "true" {
            profiles.push(name);
        } else if name.starts_with(MAJOR_VERSION) {
            versions.extend(numbers(value));
        }
    }
    if sets.contains(&EVERYTHING) {
        return Ok(gates.iter().all(|it| !it.starts_with('-')));
    }
    profiles.sort_unstable();
    let Some(profile) = profiles.first() else {
        return Ok(true);
    };
    if sets.is_empty() {
        // A CRD without the annotation is the same in every feature set.
        sets.push(DEFAULT);
    }
    let of_set = known.iter().find(|it| {
        it.annotation(profile).is_some()
            && sets.contains(&it.set())
            && (versions.is_empty() || it.versions().iter().any(|it| versions.contains(it)))
    });
    let Some(of_set) = of_set else {
        return Err(format!(
            "{}: no manifest lists the features of the set {} for {profile}",
            found.label,
            sets.join(", ")
        ));
    };
    let states = of_set.gates();
    for gate in gates {
        let (name, wanted) = gate.strip_prefix('-').map_or((gate.as_str(), true), |it| (it, false));
        match states.get(name) {
            None => return Err(format!("{}: the feature gate `{name}` does not exist", found.label)),
            Some(is_on) if *is_on != wanted => return Ok(false),
            Some(_) => {}
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn variant(label: &str, sets: &str) -> Found {
        Found {
            label: label.to_owned(),
            name: "a.b".to_owned(),
            value: json!({"metadata": {"annotations": {
                FEATURE_SET: sets, "include.release.openshift.io/self-managed-high-availability": "true",
            }}}),
            text: "".into(),
        }
    }

    fn gates(set: &str, is_on: bool) -> FeatureGates {
        let (enabled, disabled) = if is_on { ("A", "B") } else { ("B", "A") };
        FeatureGates(json!({
            "metadata": {"annotations": {FEATURE_SET: set, "include.release.openshift.io/self-managed-high-availability": "false-cluster"}},
            "status": {"featureGates": [{"enabled": [{"name": enabled}], "disabled": [{"name": disabled}]}]},
        }))
    }

    fn check(wanted: &[&str], expect: Result<&[&str], &str>) {
        let all = vec![
            variant("default", "Default"),
            variant("preview", "TechPreviewNoUpgrade,DevPreviewNoUpgrade"),
            variant("custom", EVERYTHING),
        ];
        let known = [gates(DEFAULT, false), gates("TechPreviewNoUpgrade", true)];
        let wanted: Vec<String> = wanted.iter().map(|it| (*it).to_owned()).collect();
        let got = variants(all, &wanted, &known);
        let got = got.map(|it| it.into_iter().map(|it| it.label).collect::<Vec<_>>());
        assert_eq!(
            got,
            expect
                .map(|it| it.iter().map(|it| (*it).to_owned()).collect())
                .map_err(str::to_owned)
        );
    }

    #[test]
    fn gates_choose_variants() {
        check(&[], Ok(&["default", "preview", "custom"]));
        check(&["A"], Ok(&["preview", "custom"]));
        check(&["-A"], Ok(&["default"]));
        check(&["A", "B"], Ok(&["custom"]));
        check(&["C"], Err("default: the feature gate `C` does not exist"));
    }
}
