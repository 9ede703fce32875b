//! Finds the lints of a CRD, with their places.

use std::sync::Arc;

use crd_analyzer_apiextensions::{places, strategy::CrdVerdict};
use crd_analyzer_diagnostic::Proposed;
pub use crd_analyzer_lints::{ALL, Cause, Check, Crd, Found, Lint, SchemaAt, Sink, Told};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{json::Json, tree::Tree};

use crate::{
    config::{Config, Level},
    documents::spans,
    findings::finding::{Class, Finding, Related},
    findings::report::DocumentReport,
    sources::generated::Origin,
    words,
};

/// Which lints to report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Lints {
    /// No lints are reported.
    #[default]
    Off,
    /// The lints that are on by default.
    Usual,
    /// All lints are reported.
    All,
}

impl Lints {
    /// The lints to search for with a configuration, which may later turn individual ones off.
    pub fn of(config: &Config) -> Self {
        let is_named = |code: &str| !matches!(config.rules.get(code), None | Some(Level::Off));
        let is_off = |lint: &&Lint| lint.is_off;
        if ALL.iter().filter(is_off).any(|it| is_named(it.code)) {
            Self::All
        } else {
            Self::Usual
        }
    }
}

/// Whether a lint is reported only once for all places with the same text.
pub fn is_told_once(code: &str) -> bool {
    ALL.iter().any(|it| it.is_told_once && it.code == code)
}

/// The lints of a CRD that was checked. Reports at most `most` of the requested lints in a table.
pub(crate) fn find(
    tree: &Tree,
    root: &Json<'_>,
    server: &CrdVerdict,
    version: KubernetesVersion,
    (table, wanted): (&[Lint], Lints),
    most: usize,
) -> Vec<Finding> {
    let (Some(definition), None, Lints::Usual | Lints::All) = (&server.definition, &server.unjudged, wanted) else {
        return Vec::new();
    };
    let is_wanted = |lint: &&Lint| wanted == Lints::All || !lint.is_off;
    let (internal, hoisted) = (&definition.internal, definition.hoisted);
    let lints = table.iter().filter(is_wanted);
    let found = crd_analyzer_lints::find(internal, hoisted, version, lints, most);
    let mut findings: Vec<Finding> = Vec::new();
    let is_certain = |it: &&Found<'_>| it.lint.needs.is_none_or(|field| is_written(root, field));
    for lint in found.iter().filter(is_certain) {
        let mut places = places::find(root, hoisted, &lint.path).into_iter();
        let Some(place) = places.next() else { continue };
        let mut told = lint.cause.tell(&place.path);
        let mut finding = Finding::new(Class::Hint, lint.lint.code, span(tree, lint, &place), "");
        words::put(&mut finding, told.words);
        for other in places {
            // The fix removes the lint only if it is applied to all versions that have the same text.
            let same = lint.cause.tell(&other.path).proposals;
            for (own, same) in told.proposals.iter_mut().zip(same).filter(|it| it.0.is_safe) {
                own.changes.extend(same.changes);
            }
            finding.related.push(Related {
                span: span(tree, lint, &other),
                message: words::same_elsewhere(root, &other.path),
                file: None,
            });
        }
        if !told.proposals.is_empty() {
            let (place, proposals) = (place.path, told.proposals);
            finding.proposed = Some(Arc::new(Proposed { place, proposals }));
        }
        findings.push(finding);
    }
    findings
}

/// Whether a field is written in an object.
fn is_written(object: &Json<'_>, field: &[&str]) -> bool {
    field.iter().try_fold(object, |json, key| json.get(key)).is_some()
}

fn span(tree: &Tree, lint: &Found<'_>, place: &places::LocatedField) -> crd_analyzer_syntax::tree::Span {
    match &lint.bytes {
        Some(bytes) if !place.missing && tree.is_scalar(place.value) => {
            tree.source_map(place.value).span(bytes.clone())
        }
        _ => spans::spot(tree, place.key, place.value),
    }
}

/// Adds lints to the answers of all Kubernetes versions, because lints do not depend on the version.
pub(crate) fn add(report: &mut DocumentReport, mut lints: Vec<Finding>, origin: Option<&Origin<'_>>) {
    if let Some(origin) = origin {
        origin.name(&mut lints);
    }
    for (_, verdict) in &mut report.verdicts {
        verdict.hints.extend_from_slice(&lints);
    }
}
