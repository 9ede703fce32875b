//! Finds the hazards of a CRD's rules, with their places.
//!
//! The search is separate from the verdict, and its results are cached by schema. While the user types, only the changed rule is searched.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use crd_analyzer_apiextensions::{
    internal::Hoisted,
    places,
    strategy::CrdVerdict,
    validation::{CompiledRules, CompiledSchema},
};
pub use crd_analyzer_hazards::codes;
use crd_analyzer_hazards::{Compiled, Effort, Hazard, fingerprint, of_node, shape};
use crd_analyzer_schema::{
    KubernetesVersion, ValidationRule,
    field::{Path, Trail},
    structural::{AdditionalProperties, Structural},
};
use crd_analyzer_syntax::{json::Json, tree::Tree};

use crate::{
    config::{Config, Level},
    documents::spans,
    findings::finding::{Class, Finding, Related, Severity},
    words,
};

/// The maximum number of cached schemas. When it is reached, the cache is cleared.
const MAX_REMEMBERED: usize = 20_000;
/// The maximum depth of schemas to search.
const MAX_DEPTH: usize = 100;

/// A cache of the hazards of schemas.
#[derive(Debug, Default)]
pub struct Memory {
    known: Mutex<Known>,
    /// Whether no schema changes while the cache exists. If so, nothing needs to be kept for edited rules.
    is_of_one_run: bool,
}

#[derive(Debug, Default)]
struct Known {
    /// The hazards of each schema, by a hash of the schema including its rules.
    of_schemas: HashMap<u64, Arc<[Hazard]>>,
    /// The rules and hazards of each schema in the last search, by a hash of the schema without its rules.
    of_shapes: HashMap<u64, (Vec<ValidationRule>, Arc<[Hazard]>)>,
}

impl Memory {
    /// Creates a cache for a run of the command line program, in which no text changes.
    pub fn of_one_run() -> Self {
        Self {
            known: Mutex::default(),
            is_of_one_run: true,
        }
    }

    fn get(&self, name: u64) -> Option<Arc<[Hazard]>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.of_schemas.get(&name).cloned()
    }

    /// The hazards that the last search found for these rules. While the user types in a rule, the hints about other rules stay until the next
    /// search.
    fn last(&self, shape: u64, rules: &[ValidationRule]) -> Vec<Hazard> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((before, hazards)) = known.of_shapes.get(&shape) else {
            return Vec::new();
        };
        let now = |it: &Hazard| {
            let rule = before.get(it.rule)?;
            let rule = rules.iter().position(|it| it == rule)?;
            Some(Hazard { rule, ..it.clone() })
        };
        let mut last: Vec<Hazard> = hazards.iter().filter_map(now).collect();
        last.sort_by_key(|it| it.rule);
        last
    }

    /// Stores the hazards of a schema. `shape` computes the hash of the schema without its rules.
    fn keep(&self, name: u64, shape: impl FnOnce() -> u64, rules: &[ValidationRule], hazards: Arc<[Hazard]>) {
        let shape = (!self.is_of_one_run).then(shape);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.of_schemas.len() >= MAX_REMEMBERED {
            *known = Known::default();
        }
        if let Some(shape) = shape {
            known.of_shapes.insert(shape, (rules.to_vec(), hazards.clone()));
        }
        known.of_schemas.insert(name, hazards);
    }
}

/// Which hazards to report, and whether to search for them.
#[derive(Clone, Copy, Debug, Default)]
pub enum Search<'a> {
    /// Hazards are not reported.
    #[default]
    Off,
    /// Only known hazards are reported.
    Remembered(&'a Memory),
    /// All hazards are searched for and reported.
    All(&'a Memory),
}

/// Whether a configuration shows any hazards.
pub fn are_shown(config: &Config) -> bool {
    codes::ALL
        .iter()
        .any(|(code, ..)| config.rules.get(*code) != Some(&Level::Off))
}

/// The hazards found in a CRD.
#[derive(Default)]
pub(crate) struct Found {
    /// The hints about hazards, ordered by schema.
    pub(crate) hints: Vec<Finding>,
    /// Whether some rules were not searched.
    pub(crate) is_unfinished: bool,
}

/// Finds the hazards of the rules of a CRD.
pub(crate) fn find(
    tree: &Tree,
    root: &Json<'_>,
    server: &CrdVerdict,
    version: KubernetesVersion,
    search: Search<'_>,
) -> Found {
    let mut found = Found::default();
    let (Some(definition), None) = (&server.definition, &server.unjudged) else {
        return found;
    };
    // If the verdict ran out of budget, not all rules were compiled, and the search would have to compile them.
    if matches!(search, Search::Off) || server.unfinished.is_some() {
        return found;
    }
    let mut walk = Walk {
        at: At {
            tree,
            root,
            hoisted: definition.hoisted,
        },
        version,
        search,
        compiled: server.compiled.iter().flat_map(CompiledSchema::nodes).collect(),
        left: Effort::usual().left,
        seen: HashMap::new(),
        found: &mut found,
    };
    let spec = &definition.internal.spec;
    let shared = spec.validation.iter().filter_map(|it| it.open_api_v3_schema.as_ref());
    let shared = shared.map(|it| (Path::of(["spec", "validation"]), it));
    let single = spec.versions.iter().enumerate().filter_map(|(n, it)| {
        let schema = it.schema.as_ref()?.open_api_v3_schema.as_ref()?;
        Some((Path::of(["spec", "versions"]).index(n).child("schema"), schema))
    });
    for (path, schema) in shared.chain(single) {
        if let Ok(schema) = Structural::new(schema) {
            let path = path.child("openAPIV3Schema");
            walk.schema(schema, true, &Trail::new(&path), 0);
        }
    }
    found
}

/// The data for finding places in a CRD.
struct At<'a> {
    tree: &'a Tree,
    root: &'a Json<'a>,
    hoisted: Hoisted,
}

impl At<'_> {
    /// The places of a part of a rule, in the order of the file. Each has a message, so that it can be shown as a related place.
    fn places(&self, path: &Path, hazard: &Hazard) -> Vec<Related> {
        let places = places::find(self.root, self.hoisted, path).into_iter();
        let related = |place: places::LocatedField| Related {
            span: if !place.missing && self.tree.is_scalar(place.value) {
                self.tree.source_map(place.value).span(hazard.bytes.clone())
            } else {
                spans::spot(self.tree, place.key, place.value)
            },
            message: words::same_elsewhere(self.root, &place.path),
            file: None,
        };
        places.map(related).collect()
    }
}

struct Walk<'w, 'a> {
    at: At<'a>,
    version: KubernetesVersion,
    search: Search<'w>,
    /// The rules that were compiled for the verdict, by the path of their schema.
    compiled: HashMap<&'w Path, CompiledRules<'w>>,
    /// The budget that is left for the CRD.
    left: u64,
    /// The index of the findings for each schema and path, so that versions with the same schema are reported together.
    seen: HashMap<(u64, String), usize>,
    found: &'w mut Found,
}

impl Walk<'_, '_> {
    fn schema(&mut self, schema: Structural<'_>, is_resource_root: bool, at: &Trail<'_>, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        if !schema.validations().is_empty() {
            self.rules(schema, is_resource_root, &at.path());
        }
        let below = |schema: Structural<'_>| schema.is_embedded_resource();
        if let Some(items) = schema.items() {
            self.schema(items, below(items), &at.child("items"), depth + 1);
        }
        if let Some(values) = schema.additional_properties().and_then(AdditionalProperties::schema) {
            self.schema(values, below(values), &at.child("additionalProperties"), depth + 1);
        }
        let properties = at.child("properties");
        for (name, property) in schema.properties() {
            self.schema(property, below(property), &properties.key(name), depth + 1);
        }
    }

    fn rules(&mut self, schema: Structural<'_>, is_resource_root: bool, path: &Path) {
        let name = fingerprint(schema.props(), is_resource_root, self.version);
        let hazards = self.hazards(name, schema, is_resource_root, path).unwrap_or_else(|| {
            self.found.is_unfinished = true;
            self.last_hazards(schema, is_resource_root)
        });
        let rules = path.child("x-kubernetes-validations");
        let place = words::name::SchemaPlace::of(path).unwrap_or_default();
        let key = (name, place.values().to_owned());
        let first = self.seen.get(&key).copied();
        self.seen.entry(key).or_insert(self.found.hints.len());
        for (n, hazard) in hazards.iter().enumerate() {
            let places = self.at.places(&rules.index(hazard.rule).child("rule"), hazard);
            let mut places = places.into_iter();
            if let Some(told) = first.and_then(|first| self.found.hints.get_mut(first + n)) {
                told.related.extend(places);
                continue;
            }
            let span = places.next().map(|it| it.span);
            let span = span.unwrap_or_else(|| self.at.tree.span(self.at.root.node));
            // Such large numbers are never written by accident, so this is only a hint.
            let severity = if hazard.code == codes::INTEGER_OVERFLOW {
                Severity::Hint
            } else {
                Class::Hint.severity()
            };
            self.found.hints.push(Finding {
                severity,
                related: places.collect(),
                label: (!hazard.label.is_empty()).then(|| hazard.label.to_owned()),
                notes: hazard.notes.clone(),
                help: vec![hazard.help.clone()],
                help_in_go: hazard.help_in_go.iter().cloned().collect(),
                ..Finding::new(Class::Hint, hazard.code, span, hazard.headline.clone())
            });
        }
    }

    /// The compiled rules of a schema, if all of them compile.
    fn compiled(&self, path: &Path) -> Option<Compiled> {
        let CompiledRules { ty, rules } = self.compiled.get(path)?;
        let expressions = rules.iter().map(|it| Some(it.rule.as_ref()?.clone()));
        Some(Compiled {
            ty: Arc::clone(ty),
            rules: expressions.collect::<Option<_>>()?,
        })
    }

    /// The hazards that were known before the last edits, to be shown until the next search.
    fn last_hazards(&self, schema: Structural<'_>, is_resource_root: bool) -> Arc<[Hazard]> {
        let Search::Remembered(memory) = self.search else {
            return Arc::default();
        };
        let shape = shape(schema.props(), is_resource_root, self.version);
        memory.last(shape, schema.validations()).into()
    }

    /// The hazards of a schema. `None` if they are unknown and are not searched for.
    fn hazards(
        &mut self,
        name: u64,
        schema: Structural<'_>,
        is_resource_root: bool,
        path: &Path,
    ) -> Option<Arc<[Hazard]>> {
        let (Search::All(memory) | Search::Remembered(memory)) = self.search else {
            return None;
        };
        if let Some(known) = memory.get(name) {
            return Some(known);
        }
        if matches!(self.search, Search::Remembered(_)) || self.left == 0 {
            return None;
        }
        // The budget for a schema must not depend on the schemas before it.
        let per_rule = Effort::usual().per_rule;
        let whole = per_rule.saturating_mul(schema.validations().len() as u64);
        let whole = whole.min(Effort::usual().left);
        let mut effort = Effort { per_rule, left: whole };
        let compiled = self.compiled(path);
        let found: Arc<[Hazard]> = of_node(schema, is_resource_root, self.version, compiled, &mut effort).into();
        self.left = self.left.saturating_sub(whole - effort.left);
        let shape = || shape(schema.props(), is_resource_root, self.version);
        memory.keep(name, shape, schema.validations(), found.clone());
        Some(found)
    }
}
