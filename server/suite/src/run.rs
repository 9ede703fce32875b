//! Runs a suite. For each Kubernetes version, it gets the result of each test and compares it with the expected result.

mod openshift;
pub(crate) mod own;

use std::collections::HashMap;

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::config::versions::VersionSet;
use serde_json::Value;

use crate::{
    definition::Found,
    model::{Body, Case, Problem, Suite},
    server::{Answer, Server},
    touched::Touched,
};

/// The limits for running all tests of a suite.
const RUNNING: Limits = Limits {
    work: 1_000_000_000,
    ..Limits::NONE
};

/// The outcome of a test.
#[derive(Debug)]
pub struct Outcome {
    /// The index of the test in the suite.
    pub case: usize,
    /// The Kubernetes versions for which the test ran. `None` if it applies to none of the requested ones.
    pub versions: Option<VersionSet>,
    /// The failures of the test. Empty if it passed.
    pub failures: Vec<Failed>,
    /// If the test fails and only one Kubernetes version was requested: the other versions for which it would pass.
    pub passes_on: Option<VersionSet>,
    /// The rules that were evaluated in the request that the test is about.
    pub(crate) touched: Vec<Touched>,
    /// The actual result for each Kubernetes version.
    pub(crate) came: Vec<(KubernetesVersion, Came)>,
}

impl Outcome {
    /// Whether the test passed.
    pub fn is_passed(&self) -> bool {
        self.failures.is_empty()
    }

    /// The answer of each Kubernetes version to the tested request, in machine-readable form with `accepted`, `message` and `stored`.
    pub fn answers(&self) -> impl Iterator<Item = (KubernetesVersion, Value)> {
        self.came.iter().map(|(version, came)| (*version, came.summary()))
    }
}

/// A failure, and the Kubernetes versions for which it occurs.
#[derive(Clone, PartialEq, Debug)]
pub struct Failed {
    /// The Kubernetes versions.
    pub versions: VersionSet,
    /// The failure.
    pub failure: Failure,
}

impl Failed {
    /// The failure in one line. Names the Kubernetes versions that fail, unless these are all the requested versions.
    pub fn message(&self, asked: Option<VersionSet>) -> String {
        if asked == Some(self.versions) {
            self.failure.message.clone()
        } else {
            format!("{} (Kubernetes {})", self.failure.message, self.versions)
        }
    }
}

/// A difference between the expected and the actual result.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    /// The position of the expectation in the suite's file, in bytes.
    pub span: Span,
    /// A message on one line that can be understood without the rest.
    pub message: String,
    /// The actual result, one item per line.
    pub got: Vec<String>,
    /// What the expectation at `span` would have to say instead, if it is one value.
    pub instead: Option<String>,
    /// The expected and the actual text, for a diff.
    pub diff: Option<(String, String)>,
    /// Whether the test failed during its preparations, before the request that it tests was sent.
    pub is_setup: bool,
}

impl Failure {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            got: Vec::new(),
            instead: None,
            diff: None,
            is_setup: false,
        }
    }

    fn setup(span: Span, message: impl Into<String>) -> Self {
        Self {
            is_setup: true,
            ..Self::new(span, message)
        }
    }

    fn got(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        self.got.extend(lines);
        self
    }

    fn instead(mut self, value: &str) -> Self {
        self.instead = Some(crate::yaml::scalar(&value.into()));
        self
    }

    fn diff(mut self, expected: String, got: String) -> Self {
        self.diff = Some((expected, got));
        self
    }
}

/// The actual result of a test, for writing it into the suite.
#[derive(Clone, Debug)]
pub(crate) enum Came {
    /// The answer to the request of a test in crd-analyzer's own format.
    Own(Box<Answer>),
    /// The API server rejected the request (openshift/api's format).
    Refused { message: String, causes: String },
    /// The API server rejected the update of the status.
    StatusRefused { message: String, causes: String },
    /// The API server accepted the object. This is the object as a client gets it.
    Stored(Value),
    /// The test failed before it had a result.
    Nothing,
}

impl Came {
    fn summary(&self) -> Value {
        let (accepted, message, stored) = match self {
            Self::Own(answer) => (
                answer.refusal.is_none(),
                answer.refusal.as_ref().map(|it| it.message.clone()),
                answer.stored.clone().map(Value::Object),
            ),
            Self::Refused { message, .. } | Self::StatusRefused { message, .. } => (false, Some(message.clone()), None),
            Self::Stored(object) => (true, None, Some(object.clone())),
            Self::Nothing => return Value::Null,
        };
        serde_json::json!({"accepted": accepted, "message": message, "stored": stored})
    }
}

/// Runs the tests of a suite that are selected by name. A test runs for the given Kubernetes versions to which the suite and the test apply.
///
/// If the suite names a file, `definitions` has all CRDs in the file. Otherwise it has the variant of the CRD to test.
pub fn run(
    suite: &Suite,
    definitions: &[Found],
    versions: VersionSet,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<Outcome> {
    let rack = Rack {
        suite,
        definitions,
        servers: HashMap::new(),
        touched: Vec::new(),
    };
    budget::within(RUNNING, || run_within(rack, versions, is_wanted)).0
}

fn run_within(mut rack: Rack<'_>, versions: VersionSet, is_wanted: impl Fn(&str) -> bool) -> Vec<Outcome> {
    let suite = rack.suite;
    let mut outcomes = Vec::new();
    for (n, case) in suite.cases.iter().enumerate() {
        if !is_wanted(&case.name) {
            continue;
        }
        let mut asked = Some(versions);
        for only in [suite.versions, case.versions].into_iter().flatten() {
            asked = asked.and_then(|it| it.intersection(only));
        }
        let mut outcome = Outcome {
            case: n,
            versions: asked,
            failures: Vec::new(),
            passes_on: None,
            touched: Vec::new(),
            came: Vec::new(),
        };
        for version in asked.iter().flat_map(|it| it.iter()) {
            let (came, failures) = rack.run(case, version);
            outcome.touched.append(&mut rack.touched);
            outcome.came.push((version, came));
            for failure in failures {
                let one = VersionSet::one(version);
                match outcome.failures.iter_mut().find(|it| it.failure == failure) {
                    Some(it) => it.versions = it.versions.union(one),
                    None => outcome.failures.push(Failed { versions: one, failure }),
                }
            }
        }
        let is_alone = asked.is_some_and(|it| it.count() == 1);
        if is_alone && outcome.failures.iter().any(|it| !it.failure.is_setup) {
            let others = VersionSet::all()
                .iter()
                .filter(|it| asked != Some(VersionSet::one(*it)));
            let passing = others.filter(|it| rack.run(case, *it).1.is_empty());
            outcome.passes_on = passing.map(VersionSet::one).reduce(VersionSet::union);
        }
        // Runs for other Kubernetes versions do not belong to the test's coverage.
        rack.touched.clear();
        outcomes.push(outcome);
    }
    outcomes
}

type Ran = (Came, Vec<Failure>);

/// The API servers for a suite: one for each CRD and Kubernetes version. They are created when they are needed.
struct Rack<'s> {
    suite: &'s Suite,
    definitions: &'s [Found],
    servers: HashMap<(usize, KubernetesVersion), Result<Server, String>>,
    /// The rules that requests have reached since the list was last taken.
    touched: Vec<Touched>,
}

impl Rack<'_> {
    /// Runs a test. A test that exceeds its budget fails, whatever it expects.
    fn run(&mut self, case: &Case, version: KubernetesVersion) -> Ran {
        let (ran, ended) = budget::within(Limits::NONE, || self.run_within(case, version));
        match ended.unfinished {
            Some(unfinished) => (Came::Nothing, vec![Failure::setup(case.span, unfinished.to_string())]),
            None => ran,
        }
    }

    fn run_within(&mut self, case: &Case, version: KubernetesVersion) -> Ran {
        let result = match &case.body {
            Body::Own(own) => self.own(case, own, version),
            Body::Create(create) => self.create(create, version),
            Body::Update(update) => self.update(update, version),
            Body::Unreadable(problems) => {
                let failure = |it: &Problem| Failure::setup(it.span, it.message.clone());
                Ok((Came::Nothing, problems.iter().map(failure).collect()))
            }
        };
        result.unwrap_or_else(|failure| (Came::Nothing, vec![*failure]))
    }

    /// The CRD, reduced to the version that the suite tests.
    fn value(&self, definition: usize) -> Result<Value, Box<Failure>> {
        let (crate::Wanted::File { span, version, .. } | crate::Wanted::Name { span, version, .. }) =
            &self.suite.wanted;
        let found = &self.definitions[definition];
        let setup = |why: String| Box::new(Failure::setup(*span, why));
        if version.is_none() && matches!(self.suite.wanted, crate::Wanted::Name { .. }) && found.version_count() > 1 {
            let why = format!("{} has several versions: say which with `version`", found.label);
            return Err(setup(why));
        }
        found.only(version.as_deref()).map_err(setup)
    }

    fn server(&mut self, definition: usize, version: KubernetesVersion) -> Result<&Server, Box<Failure>> {
        let key = (definition, version);
        if !self.servers.contains_key(&key) {
            let value = self.value(definition)?;
            self.servers.insert(key, Server::install(&value, None, version));
        }
        let label = &self.definitions[definition].label;
        match &self.servers[&key] {
            Ok(server) => Ok(server),
            Err(why) => Err(Box::new(
                Failure::setup(
                    self.suite.wanted.span(),
                    format!("the API server rejects the CRD {label}, so no object of it can be stored"),
                )
                .got([why.clone()]),
            )),
        }
    }
}
