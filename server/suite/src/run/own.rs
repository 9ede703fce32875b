//! Runs tests in crd-analyzer's own format.

use crd_analyzer_schema::KubernetesVersion;
use serde_json::{Map, Value, json};

use super::{Came, Failure, Rack, Ran};
use crate::{
    definition::Found,
    equal::comparable,
    errors::Cause,
    model::{Action, At, Case, Cause as Pattern, Expect, Own, Rejected},
    server::{Answer, Refusal},
    touched::Touched,
    yaml,
};

/// The name of objects that have none.
pub(crate) const NAME: &str = "test";

/// The cause that the API server adds if it does not evaluate rules because of other errors. Tests need not expect it.
const UNCHECKED: &str = "some validation rules were not checked because the object was invalid";

impl Rack<'_> {
    pub(super) fn own(&mut self, case: &Case, own: &Own, version: KubernetesVersion) -> Result<Ran, Box<Failure>> {
        let (from, to) = match &own.action {
            Action::Create(object) => (None, object),
            Action::Update { from, to } | Action::UpdateStatus { from, to } => (Some(from), to),
        };
        let definition = self.choose(case, to)?;
        let found = self.definitions[definition].clone();
        let suite_version = match &self.suite.wanted {
            crate::Wanted::File { version, .. } => version.clone(),
            crate::Wanted::Name { .. } => None,
        };
        let default_version = suite_version.unwrap_or_else(|| found.version().to_owned());
        let filled = |object: &Value| filled(object, &found, &default_version);
        let server = self.server(definition, version)?;
        let stored = match from {
            None => None,
            Some(from) => {
                let mut from = filled(from);
                name(&mut from, NAME);
                let Value::Object(from) = from else {
                    return Err(Box::new(Failure::setup(case.span, "`from` is not an object")));
                };
                let stored = server.get(&from);
                Some(stored.map_err(|why| Box::new(Failure::setup(case.span, "`from` cannot be stored").got([why])))?)
            }
        };
        let mut to = filled(to);
        let answer = match (&own.action, &stored) {
            (Action::UpdateStatus { .. }, Some(stored)) => {
                take_name(&mut to, stored.object());
                server.update_status(stored, &to)
            }
            (_, Some(stored)) => {
                take_name(&mut to, stored.object());
                server.update(stored, &to)
            }
            (_, None) => {
                name(&mut to, NAME);
                server.create(&to)
            }
        };
        self.touched.push(Touched::new(definition, &to, &answer));
        let failures = if let Some(expect) = &own.expect {
            compare(expect, &answer, &filled)
        } else {
            let failure = Failure::new(
                case.span,
                "the test expects nothing yet: add `expect`, or run with `--update`",
            );
            vec![failure.got(told(&answer))]
        };
        Ok((Came::Own(Box::new(answer)), failures))
    }

    /// The CRD for an object. It is the one with the object's kind, or the only one.
    fn choose(&self, case: &Case, object: &Value) -> Result<usize, Box<Failure>> {
        let text = |name: &str| object.get(name).and_then(Value::as_str);
        let kind = text("kind");
        let group = text("apiVersion").map(|it| it.rsplit_once('/').map_or("", |(group, _)| group));
        let fits =
            |it: &Found| kind.is_none_or(|kind| it.kind() == kind) && group.is_none_or(|group| it.group() == group);
        let mut found = self.definitions.iter().enumerate().filter(|(_, it)| fits(it));
        let failure = |message: String| Err(Box::new(Failure::setup(case.span, message)));
        match (found.next(), found.next()) {
            (Some((n, _)), None) => Ok(n),
            (Some((n, first)), Some((_, second))) => {
                // If the CRDs are identical copies, any of them can be used.
                if self
                    .definitions
                    .iter()
                    .filter(|it| fits(it))
                    .all(|it| it.value == first.value)
                {
                    return Ok(n);
                }
                failure(format!(
                    "`crd` matches several CRDs ({} in {}, {} in {}): give the object its `apiVersion` and `kind`",
                    first.kind(),
                    first.label,
                    second.kind(),
                    second.label
                ))
            }
            (None, _) => failure(format!(
                "the CRDs of this suite do not define {}",
                kind.map_or_else(|| "such kind".to_owned(), |it| format!("`{it}`"))
            )),
        }
    }
}

/// The object, with the fields that tests may leave out.
pub(crate) fn filled(object: &Value, definition: &Found, version: &str) -> Value {
    let mut object = object.clone();
    if let Value::Object(object) = &mut object {
        object
            .entry("apiVersion")
            .or_insert_with(|| json!(format!("{}/{version}", definition.group())));
        object.entry("kind").or_insert_with(|| json!(definition.kind()));
    }
    object
}

pub(crate) fn take_name(object: &mut Value, from: &Map<String, Value>) {
    let metadata = from.get("metadata");
    let old = metadata.and_then(|it| it.get("name")?.as_str()).unwrap_or_default();
    name(object, if old.is_empty() { NAME } else { old });
    if let Some(namespace) = metadata.and_then(|it| it.get("namespace"))
        && let Some(Value::Object(metadata)) = object.get_mut("metadata")
    {
        metadata.entry("namespace").or_insert_with(|| namespace.clone());
    }
}

/// Sets the name of an object that has no name.
pub(crate) fn name(object: &mut Value, name: &str) {
    let Value::Object(object) = object else { return };
    let metadata = object.entry("metadata").or_insert_with(|| json!({}));
    if let Value::Object(metadata) = metadata
        && !metadata.contains_key("generateName")
    {
        metadata.entry("name").or_insert_with(|| json!(name));
    }
}

/// The messages for a client, one on each line.
fn told(answer: &Answer) -> Vec<String> {
    match answer.strict_refusal() {
        None => vec!["it is accepted".to_owned()],
        Some(refusal) => causes(&refusal).into_iter().map(|it| it.text).collect(),
    }
}

/// The causes of a rejection. If the API server reports none, its message.
pub(crate) fn causes(refusal: &Refusal) -> Vec<Cause> {
    if refusal.causes.is_empty() {
        vec![Cause::strict(&refusal.message)]
    } else {
        refusal.causes.clone()
    }
}

/// Whether tests need not expect a cause.
pub(crate) fn is_implied(cause: &Cause) -> bool {
    cause.detail.starts_with(UNCHECKED)
}

/// The rejection to compare with the expectation. If a test expects pruned fields, it does not use strict field validation.
pub(crate) fn refusal_for(expect: Option<&Expect>, answer: &Answer) -> Option<Refusal> {
    if expect.is_some_and(|it| it.pruned.is_some()) {
        answer.refusal.clone()
    } else {
        answer.strict_refusal()
    }
}

fn compare(expect: &Expect, answer: &Answer, filled: &dyn Fn(&Value) -> Value) -> Vec<Failure> {
    let mut failures = Vec::new();
    let refusal = refusal_for(Some(expect), answer);
    match (&expect.rejected, &refusal) {
        (None, None) => {}
        (None, Some(refusal)) => {
            let got = causes(refusal).into_iter().map(|it| it.text);
            return vec![Failure::new(expect.span, "it is rejected").got(got)];
        }
        (Some(rejected), None) => {
            return vec![Failure::new(rejected.span, "it is accepted").instead("accepted")];
        }
        (Some(rejected), Some(refusal)) => compare_causes(rejected, refusal, &mut failures),
    }
    if let Some(expected) = &expect.warnings {
        let lines = |all: Vec<String>| all.iter().fold(String::new(), |out, it| out + it + "\n");
        let (mut wanted, mut got): (Vec<_>, _) = (
            expected.value.iter().map(|it| it.value.clone()).collect(),
            answer.warnings.clone(),
        );
        wanted.sort();
        got.sort();
        if wanted != got {
            failures.push(Failure::new(expected.span, "the warnings are different").diff(lines(wanted), lines(got)));
        }
    }
    if refusal.is_some() {
        return failures;
    }
    if let Some(expected) = &expect.pruned {
        for missing in expected.value.iter().filter(|it| !answer.pruned.contains(&it.value)) {
            failures.push(Failure::new(
                missing.span,
                format!("`{}` is not dropped", missing.value),
            ));
        }
        let said = |path: &String| expected.value.iter().any(|it| it.value == *path);
        let unsaid: Vec<String> = answer.pruned.iter().filter(|it| !said(it)).cloned().collect();
        if !unsaid.is_empty() {
            let message = "other fields are dropped, too";
            failures.push(Failure::new(expected.span, message).got(unsaid));
        }
    }
    if let Some(expected) = &expect.defaulted {
        for (path, value) in &expected.value {
            let got = answer.defaulted.iter().find(|it| it.0 == *path);
            match got {
                Some((_, got)) if *got == value.value => {}
                Some((_, got)) => {
                    let failure = Failure::new(value.span, format!("`{path}` gets another default"));
                    failures.push(failure.got([yaml::json(got)]));
                }
                None => failures.push(Failure::new(value.span, format!("`{path}` gets no default"))),
            }
        }
        let said = |path: &String| expected.value.iter().any(|it| it.0 == *path);
        let unsaid = answer.defaulted.iter().filter(|it| !said(&it.0));
        let unsaid: Vec<String> = unsaid
            .map(|(path, value)| format!("{path}: {}", yaml::json(value)))
            .collect();
        if !unsaid.is_empty() {
            failures.push(Failure::new(expected.span, "other fields get defaults, too").got(unsaid));
        }
    }
    if let Some(expected) = &expect.stored {
        let wanted = filled(&expected.value);
        let got = answer.stored.clone().map_or(Value::Null, Value::Object);
        let (wanted, got) = (comparable(&wanted, &wanted), comparable(&got, &wanted));
        if wanted != got {
            let failure = Failure::new(expected.span, "another object is stored");
            failures.push(failure.diff(yaml::block(&wanted, 0), yaml::block(&got, 0)));
        }
    }
    failures
}

fn compare_causes(rejected: &At<Rejected>, refusal: &Refusal, failures: &mut Vec<Failure>) {
    let got = causes(refusal);
    let patterns = match &rejected.value {
        Rejected::Somehow => return,
        Rejected::Saying(text) => {
            if !refusal.message.contains(text) {
                let failure = Failure::new(rejected.span, "it is rejected with another message");
                failures.push(failure.got(got.into_iter().map(|it| it.text)));
            }
            return;
        }
        Rejected::By(patterns) => patterns,
    };
    let (unmet, unsaid) = matched(patterns, &got);
    let free: Vec<&Cause> = unsaid.iter().map(|it| &got[*it]).collect();
    for pattern in unmet.iter().map(|it| &patterns[*it]) {
        let wanted = &pattern.value;
        let of_field = free.iter().find(|it| wanted.field.as_ref() == Some(&it.field));
        failures.push(of_field.map_or_else(
            || {
                let shown = free.iter().map(|it| it.text.clone());
                Failure::new(pattern.span, "the API server does not report this cause").got(shown)
            },
            |cause| other(pattern, cause),
        ));
    }
    let extra: Vec<String> = free
        .iter()
        .filter(|it| !is_implied(it))
        .map(|it| it.text.clone())
        .collect();
    if unmet.is_empty() && !extra.is_empty() {
        failures.push(Failure::new(rejected.span, "the API server also reports other causes").got(extra));
    }
}

/// The failure of a pattern for the field of this cause, at the part of the pattern that does not fit.
fn other(pattern: &At<Pattern>, cause: &Cause) -> Failure {
    let wanted = &pattern.value;
    let failure = match (&wanted.kind, &wanted.detail, &wanted.contains) {
        (Some(kind), ..) if !is_kind(cause, &kind.value) => {
            let message = format!(
                "the cause at `{}` is of another type: {} ({})",
                cause.field, cause.words, cause.reason
            );
            Failure::new(kind.span, message).instead(cause.words)
        }
        (_, detail, contains) => {
            let message = format!("the cause at `{}` has another message", cause.field);
            match detail.as_ref().filter(|it| it.value != cause.detail) {
                Some(detail) => Failure::new(detail.span, message).instead(&cause.detail),
                None => Failure::new(contains.as_ref().map_or(pattern.span, |it| it.span), message),
            }
        }
    };
    failure.got([cause.text.clone()])
}

/// Assigns a different cause to each of as many patterns as possible. Returns the patterns without a cause, and the remaining causes.
pub(crate) fn matched(patterns: &[At<Pattern>], causes: &[Cause]) -> (Vec<usize>, Vec<usize>) {
    let mut taken: Vec<Option<usize>> = vec![None; causes.len()];
    let mut unmet = Vec::new();
    for n in 0..patterns.len() {
        if !give(n, patterns, causes, &mut taken, &mut vec![false; causes.len()]) {
            unmet.push(n);
        }
    }
    let left = taken.iter().enumerate().filter(|it| it.1.is_none()).map(|it| it.0);
    (unmet, left.collect())
}

/// Finds a cause for a pattern. Reassigns the causes of other patterns if necessary.
fn give(
    pattern: usize,
    patterns: &[At<Pattern>],
    causes: &[Cause],
    taken: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    for (n, cause) in causes.iter().enumerate() {
        if tried[n] || !fits(&patterns[pattern].value, cause) {
            continue;
        }
        tried[n] = true;
        if taken[n].is_none_or(|other| give(other, patterns, causes, taken, tried)) {
            taken[n] = Some(pattern);
            return true;
        }
    }
    false
}

fn is_kind(cause: &Cause, kind: &str) -> bool {
    cause.reason == kind || cause.words == kind
}

fn fits(pattern: &Pattern, cause: &Cause) -> bool {
    pattern.kind.as_ref().is_none_or(|it| is_kind(cause, &it.value))
        && pattern.field.as_ref().is_none_or(|it| *it == cause.field)
        && pattern.detail.as_ref().is_none_or(|it| it.value == cause.detail)
        && pattern
            .contains
            .as_ref()
            .is_none_or(|it| cause.text.contains(&it.value))
}
