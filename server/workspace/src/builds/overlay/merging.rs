//! Merges the findings of several builds. The result has one finding for each cause and place, with a note that lists the builds.

use std::collections::HashMap;

use crate::{
    findings::finding::{BuiltFor, Class, Finding},
    findings::report::{DocumentReport, DocumentVerdict},
    findings::same::{Same, same},
    words::text::joined,
};

/// The merged reports of several builds about the same object or patch in a file.
#[derive(Default)]
pub(super) struct Merging {
    report: Option<DocumentReport>,
    /// The index of each finding in its list, by Kubernetes version and kind of list.
    known: Vec<[HashMap<Same, usize>; 5]>,
}

/// The maximum number of findings in one list. More findings are counted but not kept.
const MOST_FINDINGS: usize = 4_000;

/// The maximum number of builds that a note names.
const MOST_NAMED: usize = 5;

fn lists(verdict: &mut DocumentVerdict) -> [&mut Vec<Finding>; 5] {
    [
        &mut verdict.strict,
        &mut verdict.errors,
        &mut verdict.warnings,
        &mut verdict.hints,
        &mut verdict.unfinished,
    ]
}

impl Merging {
    /// Adds the report of a build. If the object has different names, it keeps the name from the first build that the API server rejects.
    pub(super) fn add(&mut self, mut other: DocumentReport) {
        let Some(report) = &mut self.report else {
            // If a build creates several objects from one, they may have the same finding.
            self.report = Some(DocumentReport {
                verdicts: other
                    .verdicts
                    .iter()
                    .map(|it| (it.0, DocumentVerdict::default()))
                    .collect(),
                ..other.clone()
            });
            let empty = || std::array::from_fn(|_| HashMap::new());
            self.known = other.verdicts.iter().map(|_| empty()).collect();
            for (verdict, it) in self
                .report
                .iter_mut()
                .flat_map(|it| &mut it.verdicts)
                .zip(&mut other.verdicts)
            {
                verdict.1.resource = it.1.resource.take();
            }
            return self.add(other);
        };
        let is_refused = |it: &DocumentReport| it.verdicts.iter().any(|it| !it.1.accepted_strict());
        if !is_refused(report) && is_refused(&other) {
            report.name.clone_from(&other.name);
        }
        let verdicts = report.verdicts.iter_mut().zip(&mut other.verdicts);
        for (((_, verdict), (_, other)), known) in verdicts.zip(&mut self.known) {
            let mut left_out = 0;
            for ((list, more), known) in lists(verdict).into_iter().zip(lists(other)).zip(known) {
                for finding in more.drain(..) {
                    match known.get(&same(&finding)) {
                        Some(at) => list[*at].take_builds(finding),
                        None if list.len() < MOST_FINDINGS => {
                            known.insert(same(&finding), list.len());
                            list.push(finding);
                        }
                        None => left_out += 1,
                    }
                }
            }
            verdict.left_out = verdict.left_out.max(other.left_out) + left_out;
            merge_one(&mut verdict.decode_error, other.decode_error.take());
            merge_one(&mut verdict.other_error, other.other_error.take());
        }
    }

    /// The merged report, with notes that name the builds. `all` has all builds of the object.
    pub(super) fn report(self, all: &[BuiltFor]) -> Option<DocumentReport> {
        let mut report = self.merged()?;
        let verdicts = report.verdicts.iter_mut();
        verdicts
            .flat_map(|it| it.1.findings_mut())
            .for_each(|it| name_builds(it, all));
        Some(report)
    }

    /// The merged report.
    fn merged(self) -> Option<DocumentReport> {
        let mut report = self.report?;
        for (_, verdict) in &mut report.verdicts {
            // In one build, an earlier error hides this error, so that it is a hint. In another build, it is an error.
            let errors: HashMap<Same, usize> = verdict.errors.iter().map(same).zip(0..).collect();
            let hidden = verdict.hints.extract_if(.., |it| {
                let is_later = it.class == Class::LaterError;
                is_later && errors.contains_key(&same(it))
            });
            for it in hidden {
                if let Some(at) = errors.get(&same(&it)) {
                    verdict.errors[*at].take_builds(it);
                }
            }
        }
        Some(report)
    }
}

fn merge_one(one: &mut Option<Finding>, other: Option<Finding>) {
    match (one, other) {
        (Some(one), Some(other)) if same(one) == same(&other) => one.take_builds(other),
        (one @ None, other) => *one = other,
        _ => {}
    }
}

impl Finding {
    /// Adds the builds that have the same finding.
    pub(super) fn take_builds(&mut self, other: Self) {
        for it in other.builds {
            if !self.builds.contains(&it) {
                self.builds.push(it);
            }
        }
    }
}

/// Adds a note that names the builds with the finding, and the builds in `all` without it. If a patch causes the finding in several objects, another
/// note names the objects.
pub(super) fn name_builds(finding: &mut Finding, all: &[BuiltFor]) {
    let builds = std::mem::take(&mut finding.builds);
    let mut told: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut objects: Vec<&str> = Vec::new();
    for BuiltFor { what, name, object } in &builds {
        if let Some(name) = name {
            match told.iter_mut().find(|it| it.0 == *what) {
                Some((_, names)) if names.contains(&name.as_str()) => {}
                Some((_, names)) => names.push(name),
                None => told.push((what, vec![name])),
            }
        } else if !what.is_empty() && !told.iter().any(|it| it.0 == *what) {
            told.push((what, Vec::new()));
        }
        if let Some(object) = object
            && !objects.contains(&object.as_str())
        {
            objects.push(object);
        }
    }
    if objects.len() > 1 {
        finding.notes.push(format!("it is in {}", listed(&objects)));
    }
    for (what, names) in told {
        let others = all.iter().filter(|it| it.what == what && !builds.contains(it));
        let others: Vec<&str> = others.filter_map(|it| it.name.as_deref()).collect();
        let not_for = match others.as_slice() {
            [] => String::new(),
            others => format!(", not for {}", listed(others)),
        };
        finding.notes.push(if names.is_empty() {
            what.to_owned()
        } else {
            format!("{what} {}{not_for}", listed(&names))
        });
    }
}

/// The first few names, and how many more there are.
fn listed(names: &[&str]) -> String {
    // Naming one more takes no more space than "and 1 more".
    let most = if names.len() == MOST_NAMED + 1 {
        names.len()
    } else {
        MOST_NAMED
    };
    let mut named: Vec<String> = names.iter().take(most).map(|it| (*it).to_owned()).collect();
    let more = names.len() - named.len();
    if more > 0 {
        named.push(format!("{more} more"));
    }
    joined(&named, "and")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crd_analyzer_fixtures::random::Random;
    use crd_analyzer_schema::KubernetesVersion;
    use crd_analyzer_syntax::tree::Span;

    use super::*;
    use crate::findings::report::Subject;

    /// A report of a build with random findings. There are 40 different ones.
    fn random_report(random: &mut Random, build: usize) -> DocumentReport {
        let mut verdict = DocumentVerdict::default();
        for n in 0..random.below(12) {
            let at = random.below(20) as u32;
            let class = if random.below(2) == 0 {
                Class::Error
            } else {
                Class::LaterError
            };
            let code = if at.is_multiple_of(2) { "a" } else { "b" };
            let mut finding = Finding::new(class, code, Span::new(at, at + 1), code);
            finding.builds.push(BuiltFor {
                what: "for",
                name: Some(format!("{build}/{n}")),
                object: None,
            });
            match class {
                Class::Error => verdict.errors.push(finding),
                _ => verdict.hints.push(finding),
            }
        }
        let mut report = DocumentReport::empty(Subject::Resource);
        report.verdicts.push((KubernetesVersion::NEWEST, verdict));
        report
    }

    #[test]
    fn nothing_that_a_build_says_is_lost() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let mut merging = Merging::default();
            let mut said = 0;
            for build in 0..10 {
                let report = random_report(&mut random, build);
                said += report.verdicts[0].1.findings().count();
                merging.add(report);
            }
            let merged = merging.merged().expect("a report");
            let findings: Vec<&Finding> = merged.verdicts[0].1.findings().collect();
            let told: usize = findings.iter().map(|it| it.builds.len()).sum();
            assert_eq!(told, said, "each build is named at what it says");
            let keys: HashSet<Same> = findings.iter().map(|it| same(it)).collect();
            assert_eq!(keys.len(), findings.len(), "each finding is there once");
        }
    }

    #[test]
    fn a_few_names_are_told() {
        let names: Vec<String> = (1..=9).map(|it| format!("`{it}`")).collect();
        let words = |n: usize| listed(&names[..n].iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(words(1), "`1`");
        assert_eq!(words(2), "`1` and `2`");
        assert_eq!(words(6), "`1`, `2`, `3`, `4`, `5` and `6`");
        assert_eq!(words(9), "`1`, `2`, `3`, `4`, `5` and 4 more");
    }
}
