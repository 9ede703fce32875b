//! The displayed diagnostics of a document: one for each cause, with the Kubernetes versions that report it.

use std::{
    collections::{HashMap, VecDeque},
    hash::{BuildHasher as _, Hash, RandomState},
};

use crd_analyzer_schema::KubernetesVersion;

use crate::{
    config::Config,
    config::versions::VersionSet,
    findings::advice,
    findings::consequences,
    findings::finding::{Class, Finding, ServerSays},
    findings::report::{DocumentReport, MergedFinding},
    findings::same::{Same, same},
};

impl DocumentReport {
    /// The diagnostics to display, in the order of the text. There is one for each cause, with the Kubernetes versions that report it. Suppression
    /// comments and the configuration are applied.
    pub fn merged_findings(&self, config: &Config) -> Vec<MergedFinding> {
        let mut shown: Vec<MergedFinding> = Vec::new();
        // The findings of newer Kubernetes versions, by a hash of their cause.
        let mut newer: HashMap<u64, VecDeque<usize>> = HashMap::new();
        let hasher = RandomState::new();
        for (version, verdict) in self.verdicts.iter().rev() {
            newer.clear();
            for (n, it) in shown.iter().enumerate() {
                newer
                    .entry(hasher.hash_one(cause(&it.finding)))
                    .or_default()
                    .push_back(n);
            }
            for finding in verdict.findings().filter(|finding| !finding.suppressed) {
                let one = VersionSet::one(*version);
                let same = newer.get_mut(&hasher.hash_one(cause(finding))).and_then(|same| {
                    let at = same.iter().position(|n| cause(&shown[*n].finding) == cause(finding))?;
                    same.remove(at)
                });
                if let Some(same) = same.map(|n| &mut shown[n]) {
                    same.versions = same.versions.union(one);
                    note_other_words(&mut same.finding, finding, *version);
                } else if let Some(finding) = config.apply(finding.clone()) {
                    shown.push(MergedFinding { finding, versions: one });
                }
            }
        }
        tell_once(&mut shown);
        consequences::tell_once(&mut shown);
        consequences::tell_rules(&mut shown);
        // The error about all rules of a schema may be a consequence of a rule that another place shows.
        advice::merge(&mut shown);
        shown.retain(|it| !it.finding.repeats);
        shown.sort_by_key(|it| {
            let is_later = it.finding.class == Class::LaterError;
            (is_later, it.finding.span.start, it.finding.class)
        });
        shown
    }
}

/// Keeps only one of the findings with the same message and span. The API server may report the same mistake for two reasons.
fn tell_once(shown: &mut Vec<MergedFinding>) {
    if shown.len() < 2 {
        return;
    }
    let mut first: HashMap<(Class, Same, String), usize> = HashMap::new();
    let mut kept: Vec<MergedFinding> = Vec::with_capacity(shown.len());
    for it in std::mem::take(shown) {
        let finding = &it.finding;
        let key = (finding.class, same(finding), finding.headline.clone());
        let at = *first.entry(key).or_insert(kept.len());
        if let Some(told) = kept.get_mut(at) {
            told.versions = told.versions.union(it.versions);
            told.finding.repeats &= it.finding.repeats;
        } else {
            kept.push(it);
        }
    }
    *shown = kept;
}

/// The parts of a finding that identify its cause. Its text may differ between Kubernetes versions.
fn cause(finding: &Finding) -> impl Hash + PartialEq {
    let said = match &finding.server {
        Some(ServerSays::Cause { reason, field, .. }) => Some(Some((*reason, field.as_str()))),
        Some(_) => Some(None),
        None => None,
    };
    (finding.class, finding.code, finding.span, said)
}

fn note_other_words(newer: &mut Finding, older: &Finding, version: KubernetesVersion) {
    let (Some(new_words), Some(old_words)) = (&newer.server, &older.server) else {
        return;
    };
    let old_words = old_words.message();
    if new_words.message() != old_words && !newer.notes.iter().any(|note| note.ends_with(&old_words)) {
        newer
            .notes
            .push(format!("up to {version}, the API server reports: {old_words}"));
    }
}
