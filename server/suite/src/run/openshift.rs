//! Runs tests in openshift/api's format, with the same steps as its runner (`tests/generator.go` there).

use crd_analyzer_resource::Stored;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::Span;
use serde_json::{Map, Value, json};

use super::{Came, Failure, Rack, Ran};
use crate::{
    equal::comparable,
    errors::aggregate,
    model::{At, Create, Name, Update},
    patch,
    server::{Answer, Refusal, Server},
    touched::Touched,
    yaml,
};

const NAMESPACE: &str = "default";

/// The property by which the runner notices that a changed CRD has taken effect, and the property's values before and after.
const SENTINEL: &str = "sentinel";
const PATCHED: &str = "+patched";
const RESTORED: &str = "+restored";

impl Rack<'_> {
    pub(super) fn create(&mut self, test: &Create, version: KubernetesVersion) -> Result<Ran, Box<Failure>> {
        let object = named(&test.initial, &test.name);
        let answer = self.server(0, version)?.create(&object);
        self.touched.push(Touched::new(0, &object, &answer));
        let server = self.server(0, version)?;
        if let Some(error) = &test.error {
            return Ok(said(error, &answer, server));
        }
        let span = test.expected.object().map(|it| it.span);
        let stored = accepted(answer, span.unwrap_or(self.suite.wanted.span()), "the object");
        match stored {
            Ok(stored) => {
                let server = self.server(0, version)?;
                Ok(stored_as(test.expected.object(), server, &stored))
            }
            Err(ran) => Ok(*ran),
        }
    }

    pub(super) fn update(&mut self, test: &Update, version: KubernetesVersion) -> Result<Ran, Box<Failure>> {
        let stored = self.initial(test, version)?;
        let mut updated = named(&test.updated, &test.name);
        let metadata = stored.object().get("metadata");
        for name in ["name", "namespace", "resourceVersion"] {
            let old = metadata.and_then(|it| it.get(name)).cloned();
            set_metadata(&mut updated, name, old);
        }
        let answer = self.server(0, version)?.update(&stored, &updated);
        self.touched.push(Touched::new(0, &updated, &answer));
        let mut server = self.server(0, version)?;
        if let Some(error) = &test.error {
            return Ok(said(error, &answer, server));
        }
        let places = [
            &test.status_error.as_ref().map(|it| it.span),
            &test.expected.object().map(|it| it.span),
        ];
        let span = places
            .into_iter()
            .flatten()
            .next()
            .copied()
            .unwrap_or(test.initial_span);
        let mut now = match accepted(answer, span, "the update") {
            Ok(stored) => stored,
            Err(ran) => return Ok(*ran),
        };
        if let Some(status) = updated.get("status") {
            let mut sent = Value::Object(now.clone());
            sent["status"] = status.clone();
            let answer = server.update_status(&Stored::of(now), &sent);
            self.touched.push(Touched::new(0, &sent, &answer));
            server = self.server(0, version)?;
            if let Some(error) = &test.status_error {
                let (came, failures) = said(error, &answer, server);
                return Ok((of_status(came), failures));
            }
            now = match accepted(answer, span, "the update of the status") {
                Ok(stored) => stored,
                Err(ran) => return Ok((of_status(ran.0), ran.1)),
            };
        }
        Ok(stored_as(test.expected.object(), server, &now))
    }

    /// The object to update, with its status. If the test has patches, the object is created under the patched CRD.
    fn initial(&mut self, test: &Update, version: KubernetesVersion) -> Result<Stored, Box<Failure>> {
        let mut initial = named(&test.initial, &test.name);
        if test.patches.is_empty() {
            let server = self.server(0, version)?;
            let stored = create_with_status(server, &initial, test.initial_span)?;
            return get(server, &stored, test.initial_span);
        }
        // The CRD must be valid without the patches.
        self.server(0, version)?;
        let base = self.value(0)?;
        let refused = |what: &str, why: String| Box::new(Failure::setup(test.patches_span, what).got([why]));
        let mut patched = self.definitions[0].value.clone();
        patch::apply(&mut patched, &test.patches).map_err(|why| refused("the patches do not apply", why))?;
        add_sentinel(&mut patched, PATCHED);
        let server = Server::install(&patched, Some(&base), version)
            .map_err(|why| refused("the API server rejects the patched CRD", why))?;
        initial[SENTINEL] = json!(PATCHED);
        let stored = create_with_status(&server, &initial, test.initial_span)?;

        let mut restored = base;
        add_sentinel(&mut restored, RESTORED);
        let server = Server::install(&restored, Some(&patched), version)
            .map_err(|why| refused("the CRD cannot be restored after the patches", why))?;
        let before = get(&server, &stored, test.initial_span)?;
        let mut sent = Value::Object(stored);
        sent[SENTINEL] = json!(RESTORED);
        let answer = server.update(&before, &sent);
        let stored = expect_accepted(
            answer,
            test.initial_span,
            "without the patches, the API server rejects every update of the stored object, even one that changes nothing",
        )?;
        let server = self.server(0, version)?;
        get(server, &stored, test.initial_span)
    }
}

fn get(server: &Server, stored: &Map<String, Value>, span: Span) -> Result<Stored, Box<Failure>> {
    server
        .get(stored)
        .map_err(|why| Box::new(Failure::setup(span, "the stored object cannot be read").got([why])))
}

fn expect_accepted(answer: Answer, span: Span, message: &str) -> Result<Map<String, Value>, Box<Failure>> {
    match (answer.refusal, answer.stored) {
        (None, Some(stored)) => Ok(stored),
        (refusal, _) => {
            let failure = Failure::setup(span, message);
            Err(Box::new(failure.got(refusal.map(|it| it.message))))
        }
    }
}

fn create_with_status(server: &Server, object: &Value, span: Span) -> Result<Map<String, Value>, Box<Failure>> {
    let stored = expect_accepted(server.create(object), span, "`initial` is rejected")?;
    let Some(status) = object.get("status") else {
        return Ok(stored);
    };
    let mut sent = Value::Object(stored.clone());
    sent["status"] = status.clone();
    let answer = server.update_status(&Stored::of(stored), &sent);
    expect_accepted(answer, span, "the status of `initial` is rejected")
}

/// The object with the name that openshift/api's runner would give it.
fn named(object: &Value, name: &Name) -> Value {
    let mut object = object.clone();
    match name {
        Name::Generated(prefix) => set_metadata(&mut object, "generateName", Some(json!(prefix))),
        Name::Given(name) => set_metadata(&mut object, "name", Some(json!(name))),
    }
    set_metadata(&mut object, "namespace", Some(json!(NAMESPACE)));
    object
}

fn set_metadata(object: &mut Value, name: &str, value: Option<Value>) {
    let Value::Object(object) = object else { return };
    let metadata = object.entry("metadata").or_insert_with(|| json!({}));
    if metadata.is_null() {
        *metadata = json!({});
    }
    if let Value::Object(metadata) = metadata {
        match value {
            Some(value) => {
                metadata.insert(name.to_owned(), value);
            }
            None => {
                metadata.remove(name);
            }
        }
    }
}

fn add_sentinel(definition: &mut Value, value: &str) {
    let schema = definition.pointer_mut("/spec/versions/0/schema/openAPIV3Schema");
    let Some(Value::Object(schema)) = schema else { return };
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        properties.insert(SENTINEL.to_owned(), json!({"type": "string", "enum": [value]}));
    }
}

/// Checks that an answer is a rejection, and that its message contains the expected error.
fn said(error: &At<String>, answer: &Answer, server: &Server) -> Ran {
    let Some(refusal) = &answer.refusal else {
        let came = answer
            .stored
            .as_ref()
            .map_or(Came::Nothing, |it| Came::Stored(shown(server, it)));
        return (came, vec![Failure::new(error.span, "it is accepted")]);
    };
    let mut failures = Vec::new();
    if !refusal.message.contains(&error.value) {
        failures.push(Failure::new(error.span, "it is rejected with another message").got([refusal.message.clone()]));
    }
    (refused(refusal), failures)
}

fn refused(refusal: &Refusal) -> Came {
    let causes = refusal.causes.iter().filter(|it| !super::own::is_implied(it));
    let causes = aggregate(causes.map(|it| it.text.clone()));
    Came::Refused {
        message: refusal.message.clone(),
        causes: if refusal.causes.is_empty() {
            refusal.message.clone()
        } else {
            causes
        },
    }
}

fn of_status(came: Came) -> Came {
    match came {
        Came::Refused { message, causes } => Came::StatusRefused { message, causes },
        other => other,
    }
}

/// The stored object. `Err` if the answer is a rejection.
fn accepted(answer: Answer, span: Span, what: &str) -> Result<Map<String, Value>, Box<Ran>> {
    match (answer.refusal, answer.stored) {
        (None, Some(stored)) => Ok(stored),
        (Some(refusal), _) => {
            let failure = Failure::new(span, format!("{what} is rejected")).got([refusal.message.clone()]);
            Err(Box::new((refused(&refusal), vec![failure])))
        }
        (None, None) => Err(Box::new((
            Came::Nothing,
            vec![Failure::setup(span, format!("{what} has no answer"))],
        ))),
    }
}

/// The object as a client gets it, without the metadata that the API server sets.
fn shown(server: &Server, stored: &Map<String, Value>) -> Value {
    let got = server
        .get(stored)
        .map_or_else(|_| stored.clone(), |it| it.object().clone());
    comparable(&Value::Object(got), &Value::Null)
}

/// Compares the stored object with the expected one. If none is expected, any accepted object passes.
fn stored_as(expected: Option<&At<Value>>, server: &Server, stored: &Map<String, Value>) -> Ran {
    let got = shown(server, stored);
    let mut failures = Vec::new();
    if let Some(expected) = expected {
        let wanted = comparable(&expected.value, &Value::Null);
        if wanted != got {
            let failure = Failure::new(expected.span, "another object is stored");
            failures.push(failure.diff(yaml::block(&wanted, 0), yaml::block(&got, 0)));
        }
    }
    (Came::Stored(got), failures)
}
