//! The versions in which a CRD's objects are stored, and the steps that are needed before a version can be removed from the CRD.
//!
//! The steps are those of the Kubernetes documentation, "Versions in CustomResourceDefinitions": upgrade existing objects to a new
//! stored version, and remove an old version.

use crd_analyzer_apiextensions::{strategy::judge_update, types::Spec, validation::CelCompiler};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::read_json;
use serde_json::{Value, json};

use crate::comparison::compared::ComparedCrd;

/// The progress of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// The step is already done.
    Done,
    /// The step can be done now.
    Due,
    /// The step can be done when the earlier steps are done.
    Later,
    /// The CRD does not show whether the step is done.
    Unknown,
}

impl State {
    /// The name of the state in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Due => "due",
            Self::Later => "later",
            Self::Unknown => "unknown",
        }
    }
}

/// One step of a migration.
#[derive(Clone, PartialEq, Debug)]
pub struct MigrationStep {
    /// The kind of step.
    pub code: &'static str,
    /// The progress of the step.
    pub state: State,
    /// A description of what to do.
    pub text: String,
    /// The command to run.
    pub command: Option<String>,
    /// The object to apply to the cluster.
    pub object: Option<Value>,
}

/// The stored versions of a CRD, the API server's errors, and the steps to take.
#[derive(Clone, PartialEq, Debug)]
pub struct StoragePlan {
    /// The storage version, in which objects are stored when they are written.
    pub storage: String,
    /// The versions in which objects may be stored (`status.storedVersions`).
    pub stored: Vec<String>,
    /// The API server's errors about the CRD as an update.
    pub refusals: Vec<String>,
    /// The steps in order. Empty if all objects are stored in the storage version.
    pub steps: Vec<MigrationStep>,
    /// The versions that can be removed now, because no object is stored in them.
    pub removable: Vec<String>,
    /// Whether conversion may lose fields, because the API server only changes `apiVersion` although the schemas of the versions differ.
    pub loses_fields: bool,
}

/// The value of `status.storedVersions` in the CRD's document. `None` if it is missing.
pub fn written(crd: &ComparedCrd) -> Option<Vec<String>> {
    let json = read_json(&crd.tree).ok()?;
    let document = json.root()?.to_value();
    let versions = document["status"]["storedVersions"].as_array()?;
    let names = versions.iter().filter_map(|it| it.as_str().map(str::to_owned));
    Some(names.collect::<Vec<_>>()).filter(|it| !it.is_empty())
}

/// The plan for a CRD whose objects are stored in these versions. `None` if the CRD does not have a storage version.
pub fn plan(crd: &ComparedCrd, stored: &[String]) -> Option<StoragePlan> {
    let definition = crd.stored.definition();
    let spec = &definition.spec;
    let storage = spec.versions.iter().find(|it| it.storage)?.name.clone();
    let old: Vec<&String> = stored.iter().filter(|it| **it != storage).collect();
    let removable = spec
        .versions
        .iter()
        .filter(|it| !it.storage && !stored.contains(&it.name));
    let schema = |name: &str| {
        spec.versions
            .iter()
            .find(|it| it.name == name)
            .map(|it| spec.schema_of(it))
    };
    let is_none = spec.conversion.as_ref().is_none_or(|it| it.strategy == "None");
    let steps = if old.is_empty() {
        Vec::new()
    } else {
        steps(&definition.metadata.name, spec, &storage, stored, crd.kubernetes)
    };
    Some(StoragePlan {
        refusals: refusals(crd, stored),
        removable: removable.map(|it| it.name.clone()).collect(),
        loses_fields: is_none
            && old
                .iter()
                .any(|it| schema(it).is_some_and(|it| Some(it) != schema(&storage))),
        stored: stored.to_vec(),
        steps,
        storage,
    })
}

/// The API server's errors about the CRD as an update of itself in a cluster that stores these versions.
fn refusals(crd: &ComparedCrd, stored: &[String]) -> Vec<String> {
    let Ok(json) = read_json(&crd.tree) else {
        return Vec::new();
    };
    let before = crd.stored.clone().with_stored_versions(stored.to_vec());
    let compiler = CelCompiler::new(crd.kubernetes);
    let verdict = judge_update(&json, &before, crd.kubernetes, Some(&compiler));
    let mut words: Vec<String> = verdict.errors.iter().map(ToString::to_string).collect();
    words.dedup();
    words
}

fn steps(
    name: &str,
    spec: &Spec,
    storage: &str,
    stored: &[String],
    kubernetes: KubernetesVersion,
) -> Vec<MigrationStep> {
    let old: Vec<&str> = stored.iter().map(String::as_str).filter(|it| *it != storage).collect();
    let of_spec = |name: &str| spec.versions.iter().find(|it| it.name == name);
    let missing: Vec<&str> = old.iter().copied().filter(|it| of_spec(it).is_none()).collect();
    let is_served = old.iter().any(|it| of_spec(it).is_some_and(|it| it.served));
    let is_applied = stored.iter().any(|it| it == storage);
    let names = list(&old);
    let mut steps = Vec::new();
    let mut push = |code, state, text: String| {
        steps.push(MigrationStep {
            code,
            state,
            text,
            command: None,
            object: None,
        });
        steps.len() - 1
    };
    if !missing.is_empty() {
        let text = format!(
            "put {} into `spec.versions` again, with `served: false`: objects may be stored in it",
            list(&missing)
        );
        push("restore-version", State::Due, text);
    }
    let is_open = missing.is_empty();
    let after = |is_ready: bool| if is_ready { State::Due } else { State::Later };
    let state = if is_applied { State::Done } else { after(is_open) };
    push(
        "store",
        state,
        format!("store objects as `{storage}`: apply the CRD with `storage: true` in this version"),
    );
    let is_ready = is_open && is_applied;
    let text = format!(
        "write every object again, so that it is stored as `{storage}`: create this object, and wait until it has succeeded"
    );
    let at = push("migrate", after(is_ready), text);
    let forget = push(
        "forget",
        State::Later,
        format!("remove {names} from `status.storedVersions`"),
    );
    let state = if is_served { State::Unknown } else { State::Done };
    push(
        "unserve",
        state,
        format!("if {names} is to be removed: move all clients to another version, and set `served: false`"),
    );
    push(
        "remove",
        State::Later,
        format!("then remove {names} from `spec.versions`"),
    );
    if spec.conversion.as_ref().is_some_and(|it| it.strategy == "Webhook") {
        push(
            "drop-conversion",
            State::Later,
            format!("then remove the conversion of {names} from the webhook"),
        );
    }
    steps[at].object = Some(migration(spec, storage, kubernetes));
    let patch = json!({"status": {"storedVersions": [storage]}});
    steps[forget].command = Some(format!(
        "kubectl patch customresourcedefinition {name} \\\n  --subresource=status --type=merge --patch '{patch}'"
    ));
    steps
}

/// The `StorageVersionMigration` object for a Kubernetes version.
fn migration(spec: &Spec, storage: &str, kubernetes: KubernetesVersion) -> Value {
    let name = format!("{}.{}", spec.names.plural, spec.group);
    let mut resource = json!({"group": spec.group, "resource": spec.names.plural});
    let version = if kubernetes >= KubernetesVersion::minor(37) {
        "v1"
    } else if kubernetes >= KubernetesVersion::minor(35) {
        "v1beta1"
    } else {
        // The migrator requests objects in this version.
        let mut served = spec.versions.iter().filter(|it| it.served).map(|it| it.name.as_str());
        let first = served.clone().next();
        resource["version"] = json!(served.find(|it| *it == storage).or(first).unwrap_or(storage));
        "v1alpha1"
    };
    json!({
        "apiVersion": format!("storagemigration.k8s.io/{version}"),
        "kind": "StorageVersionMigration",
        "metadata": {"name": name},
        "spec": {"resource": resource},
    })
}

fn list(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
    names.join(", ")
}
