//! Counts which rules of the tested CRDs were evaluated, and which rules rejected an object in a test.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use crd_analyzer_syntax::lines::LineIndex;

pub use crate::rules::Rule;
use crate::{
    definition::{Found, rules_by_name},
    run::Outcome,
};

/// The number of tests in which a rule was evaluated and failed.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleCoverage {
    /// The rule.
    pub rule: Rule,
    /// The number of tests in which the API server evaluated the rule.
    pub evaluated: usize,
    /// The number of tests in which the rule rejected an object.
    pub failed: usize,
}

impl RuleCoverage {
    /// A phrase that tells what the tests lack for this rule. `None` if a test makes the rule fail.
    pub fn gap(&self) -> Option<&'static str> {
        match (self.failed, self.evaluated) {
            (0, 0) => Some("no test evaluates this rule"),
            (0, _) => Some("no test makes this rule fail"),
            _ => None,
        }
    }
}

/// The rules of a CRD, in the versions that have tests.
#[derive(Debug)]
pub struct CrdCoverage {
    /// The CRD's file, as messages name it.
    pub label: String,
    /// The CRD's name.
    pub name: String,
    /// The text of the file.
    pub text: Arc<str>,
    /// The rules, in the order of the text.
    pub rules: Vec<RuleCoverage>,
    lines: Arc<LineIndex>,
}

impl CrdCoverage {
    /// The number of rules that rejected an object in a test.
    pub fn failed(&self) -> usize {
        self.rules.iter().filter(|it| it.failed > 0).count()
    }

    /// The line and column of a rule, counted from 1.
    pub fn position(&self, rule: &RuleCoverage) -> (u32, u32) {
        let (line, column) = self.lines.line_column(&self.text, rule.rule.span.start);
        (line + 1, column + 1)
    }
}

type Counts = HashMap<(String, String), (usize, usize)>;

#[derive(Debug)]
struct Tested {
    definition: Found,
    versions: HashSet<String>,
    /// For each rule, by version and path, the number of tests that evaluated it, and in which it failed.
    counts: Counts,
}

/// The line index of a file, and the rules of its CRDs by the name of the CRD.
type FileRules = (Arc<LineIndex>, HashMap<String, Vec<Rule>>);

/// The coverage of rules by the tests of several suites.
#[derive(Debug, Default)]
pub struct Coverage {
    /// The tested CRDs, by file and name.
    crds: BTreeMap<(String, String), Tested>,
}

impl Coverage {
    /// Adds the tests of a suite, which ran on these CRDs.
    pub fn add(&mut self, definitions: &[Found], outcomes: &[Outcome]) {
        for outcome in outcomes {
            // Count each test once, for however many Kubernetes versions it runs.
            let mut ran = HashSet::new();
            let mut failed = HashSet::new();
            for touched in &outcome.touched {
                let rule = |path: &String| (touched.definition, touched.version.clone(), path.clone());
                ran.extend(touched.ran.iter().map(rule));
                failed.extend(touched.failed.iter().map(rule));
                if let Some(crd) = self.crd(definitions, touched.definition) {
                    crd.versions.insert(touched.version.clone());
                }
            }
            for (definition, version, path) in ran {
                if let Some(crd) = self.crd(definitions, definition) {
                    crd.counts.entry((version, path)).or_default().0 += 1;
                }
            }
            for (definition, version, path) in failed {
                if let Some(crd) = self.crd(definitions, definition) {
                    crd.counts.entry((version, path)).or_default().1 += 1;
                }
            }
        }
    }

    fn crd(&mut self, definitions: &[Found], index: usize) -> Option<&mut Tested> {
        let found = definitions.get(index)?;
        let crd = self.crds.entry((found.label.clone(), found.name.clone()));
        Some(crd.or_insert_with(|| Tested {
            definition: found.clone(),
            versions: HashSet::new(),
            counts: HashMap::new(),
        }))
    }

    /// The coverage of each CRD with rules, sorted by file and name.
    pub fn crds(&self) -> Vec<CrdCoverage> {
        // Read each file once, even if several of its CRDs have tests.
        let mut files: HashMap<&str, FileRules> = HashMap::new();
        let mut crds = Vec::new();
        for ((label, name), tested) in &self.crds {
            let text = &tested.definition.text;
            let (lines, by_name) = files
                .entry(label)
                .or_insert_with(|| (Arc::new(LineIndex::new(text)), rules_by_name(text)));
            let rules = by_name.get(name).into_iter().flatten();
            let rules = rules.filter(|it| tested.versions.contains(&it.version));
            let rules = rules.map(|rule| {
                let key = (rule.version.clone(), rule.path.clone());
                let (evaluated, failed) = tested.counts.get(&key).copied().unwrap_or_default();
                RuleCoverage {
                    rule: rule.clone(),
                    evaluated,
                    failed,
                }
            });
            crds.push(CrdCoverage {
                label: label.clone(),
                name: name.clone(),
                text: text.clone(),
                rules: rules.collect(),
                lines: lines.clone(),
            });
        }
        crds.retain(|it| !it.rules.is_empty());
        crds
    }
}
