//! Hazards of the rules of a CRD, at their places.
//!
//! They are looked for beside the verdict, and what was found about a schema is remembered: typing costs the search of the rule that changes.

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

/// Schemas that are remembered; then all is forgotten.
const MAX_REMEMBERED: usize = 20_000;
/// Schemas nested deeper are left alone.
const MAX_DEPTH: usize = 100;

/// Hazards of schemas that were looked at.
#[derive(Debug, Default)]
pub struct Memory {
    known: Mutex<Known>,
    /// The schemas do not change while this lives, so that nothing is kept for the time during an edit.
    is_of_one_run: bool,
}

#[derive(Debug, Default)]
struct Known {
    /// By the names of schemas with their rules.
    of_schemas: HashMap<u64, Arc<[Hazard]>>,
    /// By the shapes of schemas: what was found last, and for which rules.
    of_shapes: HashMap<u64, (Vec<ValidationRule>, Arc<[Hazard]>)>,
}

impl Memory {
    /// For a run of the command line, in which no text changes.
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

    /// What was found last of those rules that a schema had already, when it had other rules, too. While somebody types a rule, hints on
    /// others stay until the search goes on.
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

    /// `shape`: the name of the schema without its rules.
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

/// Whether hazards are told, and looked for.
#[derive(Clone, Copy, Debug, Default)]
pub enum Search<'a> {
    /// No one wants to know.
    #[default]
    Off,
    /// Those that are known already.
    Remembered(&'a Memory),
    /// All of them.
    All(&'a Memory),
}

/// Whether some hazard is shown by a configuration.
pub fn are_shown(config: &Config) -> bool {
    codes::ALL
        .iter()
        .any(|(code, ..)| config.rules.get(*code) != Some(&Level::Off))
}

/// What was found about a CRD.
#[derive(Default)]
pub(crate) struct Found {
    /// The hazards, in the order of the schemas.
    pub(crate) hints: Vec<Finding>,
    /// Something was not looked at.
    pub(crate) is_unfinished: bool,
}

/// The hazards of the rules of a CRD.
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
    // Where a budget ended, not all rules are compiled, and the search would compile them.
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

/// Where the schemas of a CRD are written.
struct At<'a> {
    tree: &'a Tree,
    root: &'a Json<'a>,
    hoisted: Hoisted,
}

impl At<'_> {
    /// The places of a part of a rule, the first in the file first, each with what it is beside the first one.
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
    /// What was compiled for the verdict, by the place of the schema.
    compiled: HashMap<&'w Path, CompiledRules<'w>>,
    /// What may still be spent on the CRD.
    left: u64,
    /// Where the findings of a schema are, so that versions that have the same schema at the same place are told together.
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
            // No one writes such numbers by accident.
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
                ..Finding::new(Class::Hint, hazard.code, span, hazard.headline.clone())
            });
        }
    }

    /// The rules of a node as they are compiled already, if all of them are.
    fn compiled(&self, path: &Path) -> Option<Compiled> {
        let CompiledRules { ty, rules } = self.compiled.get(path)?;
        let expressions = rules.iter().map(|it| Some(it.rule.as_ref()?.clone()));
        Some(Compiled {
            ty: Arc::clone(ty),
            rules: expressions.collect::<Option<_>>()?,
        })
    }

    /// What was known before the last edits, while the search waits.
    fn last_hazards(&self, schema: Structural<'_>, is_resource_root: bool) -> Arc<[Hazard]> {
        let Search::Remembered(memory) = self.search else {
            return Arc::default();
        };
        let shape = shape(schema.props(), is_resource_root, self.version);
        memory.last(shape, schema.validations()).into()
    }

    /// What is known of a schema, or can be found out; `None` if it is not known and not looked for.
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
        // What a schema gets does not depend on those before it.
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
