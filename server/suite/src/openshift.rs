//! Parses the format of openshift/api's integration tests (`tests/types.go` there). Other projects use variants of this format: with a `resourceName`
//! in each test, in other folders, or with the path of the CRD.

use std::sync::Arc;

use crd_analyzer_syntax::tree::{NodeId, NodeKind, Tree};
use serde_json::Value;

use crate::{
    model::{At, Body, Case, Create, Expected, Name, Problem, Suite, Update, Wanted},
    patch::Patch,
    reader::Reader,
};

const SUITE: [&str; 8] = [
    "apiVersion",
    "name",
    "crdName",
    "crd",
    "featureGate",
    "featureGates",
    "version",
    "tests",
];
const TESTS: [&str; 2] = ["onCreate", "onUpdate"];
const CREATE: [&str; 6] = [
    "name",
    "resourceName",
    "useGenerateName",
    "initial",
    "expected",
    "expectedError",
];
const UPDATE: [&str; 9] = [
    "name",
    "resourceName",
    "useGenerateName",
    "initialCRDPatches",
    "initial",
    "updated",
    "expected",
    "expectedError",
    "expectedStatusError",
];
const PATCH: [&str; 4] = ["op", "path", "from", "value"];

/// The prefix of generated object names.
const GENERATED: &str = "test-";

pub(crate) fn read(tree: &Tree) -> Result<Suite, Vec<Problem>> {
    let mut reader = Reader::lenient(tree);
    let suite = suite(&mut reader);
    match suite {
        Some((name, wanted, cases)) if reader.problems.is_empty() => Ok(Suite {
            name,
            wanted,
            versions: None,
            cases,
            warnings: reader.warnings,
            tree: Arc::new(tree.clone()),
        }),
        _ => Err(reader.problems),
    }
}

fn suite(reader: &mut Reader<'_>) -> Option<(Option<String>, Wanted, Vec<Case>)> {
    let root = reader.tree.root()?;
    let root = reader.mapping(root, "a suite", &SUITE)?;
    let name = text(reader, root, "name").map(|it| it.value);
    let version = text(reader, root, "version")
        .map(|it| it.value)
        .filter(|it| !it.is_empty());
    let mut gates: Vec<String> = text(reader, root, "featureGate")
        .map(|it| it.value)
        .into_iter()
        .collect();
    if let Some(list) = reader.get(root, "featureGates") {
        for item in reader.list(list, "`featureGates`") {
            gates.extend(reader.text(item, "a feature gate").map(|it| it.value));
        }
    }
    let wanted = if let Some(it) = text(reader, root, "crdName") {
        Wanted::Name {
            name: it.value,
            span: it.span,
            version,
            gates,
        }
    } else if let Some(it) = text(reader, root, "crd") {
        Wanted::File {
            path: it.value,
            span: it.span,
            version,
        }
    } else {
        let span = reader.span(root);
        reader.problem(
            span,
            "the suite does not say what it tests: `crdName`, or `crd` with a path",
        );
        return None;
    };
    let is_compared = matches!(wanted, Wanted::Name { .. });
    let tests = reader.get(root, "tests")?;
    let tests = reader.mapping(tests, "`tests`", &TESTS)?;
    let mut cases = Vec::new();
    for (list, read) in [("onCreate", create as ReadCase), ("onUpdate", update)] {
        if let Some(nodes) = reader.get(tests, list) {
            for node in reader.list(nodes, &format!("`{list}`")) {
                cases.push(case(reader, node, is_compared, read));
            }
        }
    }
    Some((name, wanted, cases))
}

type ReadCase = fn(&mut Reader<'_>, NodeId, bool) -> Option<Body>;

/// Parses a test. If it has an error, other tests are not affected.
fn case(reader: &mut Reader<'_>, node: NodeId, is_compared: bool, read: ReadCase) -> Case {
    let before = reader.problems.len();
    let name = match reader.tree.kind(node) {
        NodeKind::Mapping(_) => text(reader, node, "name"),
        _ => None,
    };
    let (name, span) = name.map_or_else(|| (String::new(), reader.span(node)), |it| (it.value, it.span));
    let body = read(reader, node, is_compared);
    let problems = reader.problems.split_off(before);
    Case {
        name,
        span,
        versions: None,
        node,
        body: match body {
            Some(body) if problems.is_empty() => body,
            _ => Body::Unreadable(problems),
        },
    }
}

fn text(reader: &mut Reader<'_>, mapping: NodeId, key: &str) -> Option<At<String>> {
    let node = reader.get(mapping, key)?;
    reader.text(node, &format!("`{key}`"))
}

/// The string at a key. `None` if it is missing or empty.
fn words(reader: &mut Reader<'_>, mapping: NodeId, key: &str) -> Option<At<String>> {
    text(reader, mapping, key).filter(|it| !it.value.is_empty())
}

/// Parses a test that creates an object. If `is_compared`, an object without expectations must be stored exactly as it is sent, as in openshift/api's
/// own runner. In other projects, suites name the file of the CRD or of the object, and their runners do not compare such objects.
fn create(reader: &mut Reader<'_>, node: NodeId, is_compared: bool) -> Option<Body> {
    let node = reader.mapping(node, "a test of creation", &CREATE)?;
    let initial = object(reader, node, "initial")?;
    let error = words(reader, node, "expectedError");
    let name = resource_name(reader, node);
    let expected = expected(reader, node, error.as_ref(), &name, is_compared.then_some(&initial));
    Some(Body::Create(Create {
        initial: initial.value,
        name,
        expected,
        error,
    }))
}

fn update(reader: &mut Reader<'_>, node: NodeId, is_compared: bool) -> Option<Body> {
    let node = reader.mapping(node, "a test of an update", &UPDATE)?;
    let initial = object(reader, node, "initial");
    let updated = object(reader, node, "updated");
    let error = words(reader, node, "expectedError");
    let status_error = words(reader, node, "expectedStatusError");
    let mut patches = Vec::new();
    let mut patches_span = reader.span(node);
    if let Some(list) = reader.get(node, "initialCRDPatches") {
        patches_span = reader.span(list);
        for item in reader.list(list, "`initialCRDPatches`") {
            patches.push(patch(reader, item)?);
        }
    }
    let (initial, updated) = (initial?, updated?);
    if let Some(error) = status_error.as_ref().filter(|_| updated.value.get("status").is_none()) {
        reader.minor(
            error.span,
            "`updated` has no `status`, so the API server cannot reject it",
        );
    }
    let name = resource_name(reader, node);
    let expected = expected(reader, node, error.as_ref(), &name, is_compared.then_some(&updated));
    Some(Body::Update(Box::new(Update {
        patches,
        patches_span,
        initial: initial.value,
        initial_span: initial.span,
        updated: updated.value,
        name,
        expected,
        error,
        status_error,
    })))
}

fn object(reader: &mut Reader<'_>, mapping: NodeId, key: &str) -> Option<At<Value>> {
    let node = reader.need(mapping, key, &format!("`{key}` is missing"))?;
    reader.object_in_text(node, &format!("`{key}`"))
}

/// The object that must be stored. It is the one at `expected`; if that is missing and objects are compared, the object that was `sent`.
fn expected(
    reader: &mut Reader<'_>,
    mapping: NodeId,
    error: Option<&At<String>>,
    name: &Name,
    sent: Option<&At<Value>>,
) -> Expected {
    if error.is_some() {
        return Expected::Nothing;
    }
    let is_blank = |it: &NodeId| reader.tree.is_scalar(*it) && reader.tree.scalar(*it).trim().is_empty();
    match reader.get(mapping, "expected").filter(|it| !is_blank(it)) {
        Some(node) => reader
            .object_in_text(node, "`expected`")
            .map_or(Expected::Nothing, Expected::Written),
        None => sent
            .filter(|_| matches!(name, Name::Generated(_)))
            .map_or(Expected::Nothing, |it| Expected::Sent(it.clone())),
    }
}

fn resource_name(reader: &mut Reader<'_>, mapping: NodeId) -> Name {
    let Some(name) = words(reader, mapping, "resourceName") else {
        return Name::Generated(GENERATED.to_owned());
    };
    let is_generated = reader.get(mapping, "useGenerateName").and_then(|it| reader.value(it));
    if is_generated.is_some_and(|it| it.value == Value::Bool(true)) {
        Name::Generated(name.value)
    } else {
        Name::Given(name.value)
    }
}

fn patch(reader: &mut Reader<'_>, node: NodeId) -> Option<Patch> {
    let node = reader.mapping(node, "a patch", &PATCH)?;
    let op = text(reader, node, "op");
    let path = text(reader, node, "path");
    let from = text(reader, node, "from");
    let value = reader.get(node, "value").and_then(|it| reader.value(it));
    Some(Patch {
        op: op?.value,
        path: path?.value,
        from: from.map(|it| it.value),
        value: value.map_or(Value::Null, |it| it.value),
    })
}
