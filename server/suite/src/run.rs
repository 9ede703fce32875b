//! Running a suite: what each test comes to on each Kubernetes version, and where that is not what it expects.

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

/// What all tests of a suite may take.
const RUNNING: Limits = Limits {
    work: 1_000_000_000,
    ..Limits::NONE
};

/// What a test came to.
#[derive(Debug)]
pub struct Outcome {
    /// Which test of the suite.
    pub case: usize,
    /// The Kubernetes versions that it was run on; `None`: on none that are asked about.
    pub versions: Option<VersionSet>,
    /// Where it is not as expected.
    pub failures: Vec<Failed>,
    /// Of a test that fails on the only Kubernetes version that was asked about: the other Kubernetes versions that it passes on.
    pub passes_on: Option<VersionSet>,
    /// The rules that ran for what the test is about.
    pub(crate) touched: Vec<Touched>,
    /// What came out, by Kubernetes version.
    pub(crate) came: Vec<(KubernetesVersion, Came)>,
}

impl Outcome {
    /// Whether all is as expected.
    pub fn is_passed(&self) -> bool {
        self.failures.is_empty()
    }

    /// What a Kubernetes version answered to the request that the test is about, for machines: `accepted`, `message`, `stored`.
    pub fn answers(&self) -> impl Iterator<Item = (KubernetesVersion, Value)> {
        self.came.iter().map(|(version, came)| (*version, came.summary()))
    }
}

/// A failure, and the Kubernetes versions that have it.
#[derive(Clone, PartialEq, Debug)]
pub struct Failed {
    /// The Kubernetes versions.
    pub versions: VersionSet,
    /// The failure.
    pub failure: Failure,
}

/// Something that is not as expected.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    /// What expects something else, in bytes of the suite's file.
    pub span: Span,
    /// What is wrong, in one line that makes sense alone.
    pub message: String,
    /// What came out instead, a line each.
    pub got: Vec<String>,
    /// What was expected and what came out, as texts to compare.
    pub diff: Option<(String, String)>,
    /// The test did not get so far as to ask what it is about.
    pub is_setup: bool,
}

impl Failure {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            got: Vec::new(),
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

    fn diff(mut self, expected: String, got: String) -> Self {
        self.diff = Some((expected, got));
        self
    }
}

/// The actual result of a test, for callers that write it into the suite.
#[derive(Clone, Debug)]
pub(crate) enum Came {
    /// The answer to the request that a test of our format is about.
    Own(Box<Answer>),
    /// Of a test of openshift/api's format: a refusal, or the object.
    Refused { message: String, causes: String },
    /// The update of the status is refused.
    StatusRefused { message: String, causes: String },
    /// Accepted: the object as a client gets it.
    Stored(Value),
    /// The test did not get so far.
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

/// Runs the tests of a suite that are wanted by name, on these Kubernetes versions, or on those of them that the suite or the test is for.
///
/// `definitions`: for a suite that names a file, all CRDs in it; else the one variant to test.
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
        // What other Kubernetes versions answer is no part of the test.
        rack.touched.clear();
        outcomes.push(outcome);
    }
    outcomes
}

type Ran = (Came, Vec<Failure>);

/// The API servers of a suite: one a CRD and minor, installed when first needed.
struct Rack<'s> {
    suite: &'s Suite,
    definitions: &'s [Found],
    servers: HashMap<(usize, KubernetesVersion), Result<Server, String>>,
    /// What the requests touched that tests are about, since somebody took it.
    touched: Vec<Touched>,
}

impl Rack<'_> {
    /// An answer that is not finished is not the one that is expected, whatever that is.
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

    /// The CRD as the suite wants it.
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
