//! Lints of a definition, at their places.

use crd_analyzer_apiextensions::{places, strategy::CrdVerdict};
pub use crd_analyzer_lints::codes;
use crd_analyzer_lints::{Lint, find as find_lints};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{json::Json, tree::Tree};

use crate::{
    config::{Config, Level},
    finding::{Class, Finding, Related},
    generated::Origin,
    report::DocumentReport,
    spans, words,
};

/// Which lints are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Lints {
    /// None.
    #[default]
    Off,
    /// Those that are worth a change.
    Usual,
    /// All of them.
    All,
}

impl Lints {
    /// Those that a configuration shows, before it silences single ones.
    pub fn of(config: &Config) -> Self {
        let is_named = |code: &&&str| !matches!(config.rules.get(**code), None | Some(Level::Off));
        if codes::OFF_BY_DEFAULT.iter().find(is_named).is_some() {
            Self::All
        } else {
            Self::Usual
        }
    }
}

/// The lints of a definition that was judged: `most` of those that are wanted.
pub(crate) fn find(
    tree: &Tree,
    root: &Json<'_>,
    server: &CrdVerdict,
    version: KubernetesVersion,
    wanted: Lints,
    most: usize,
) -> Vec<Finding> {
    let (Some(definition), None, Lints::Usual | Lints::All) = (&server.definition, &server.unjudged, wanted) else {
        return Vec::new();
    };
    let found = find_lints(
        &definition.internal,
        definition.hoisted,
        version,
        wanted == Lints::All,
        most,
    );
    let mut findings: Vec<Finding> = Vec::new();
    // Where nothing is written about conversion, a patch often adds the webhook.
    let has_conversion = root.get("spec").and_then(|it| it.get("conversion")).is_some();
    let is_certain = |it: &&Lint| has_conversion || it.problem.code() != codes::PROPERTIES_LOST_IN_STORAGE;
    for lint in found.iter().filter(is_certain) {
        let mut places = places::find(root, definition.hoisted, &lint.path).into_iter();
        let Some(place) = places.next() else { continue };
        let mut finding = Finding::new(Class::Hint, lint.problem.code(), span(tree, lint, &place), "");
        words::put(&mut finding, words::lints::words(lint, &place.path));
        finding.related.extend(places.map(|it| Related {
            span: span(tree, lint, &it),
            message: words::same_elsewhere(root, &it.path),
            file: None,
        }));
        findings.push(finding);
    }
    findings
}

fn span(tree: &Tree, lint: &Lint, place: &places::LocatedField) -> crd_analyzer_syntax::tree::Span {
    match &lint.bytes {
        Some(bytes) if !place.missing && tree.is_scalar(place.value) => {
            tree.source_map(place.value).span(bytes.clone())
        }
        _ => spans::spot(tree, place.key, place.value),
    }
}

/// Adds lints to the answers of all Kubernetes versions: they are the same for each.
pub(crate) fn add(report: &mut DocumentReport, mut lints: Vec<Finding>, origin: Option<&Origin<'_>>) {
    if let Some(origin) = origin {
        origin.name(&mut lints);
    }
    for (_, verdict) in &mut report.verdicts {
        verdict.hints.extend_from_slice(&lints);
    }
}
