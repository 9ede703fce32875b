//! The format of openshift/api's integration tests (`tests/types.go` there), which other projects have taken over: with a `resourceName` for
//! each test, in other folders, or with the path of the definition.

use std::sync::Arc;

use crd_analyzer_syntax::tree::{NodeId, Span, Tree};
use serde_json::Value;

use crate::{
    model::{At, Body, Case, Create, Name, Problem, Suite, Update, Wanted},
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

/// What the generated names of objects begin with.
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
    if let Some(list) = reader.get(tests, "onCreate") {
        for node in reader.list(list, "`onCreate`") {
            cases.extend(create(reader, node, is_compared));
        }
    }
    if let Some(list) = reader.get(tests, "onUpdate") {
        for node in reader.list(list, "`onUpdate`") {
            cases.extend(update(reader, node, is_compared));
        }
    }
    Some((name, wanted, cases))
}

fn text(reader: &mut Reader<'_>, mapping: NodeId, key: &str) -> Option<At<String>> {
    let node = reader.get(mapping, key)?;
    reader.text(node, &format!("`{key}`"))
}

/// A text that is there and not empty.
fn words(reader: &mut Reader<'_>, mapping: NodeId, key: &str) -> Option<At<String>> {
    text(reader, mapping, key).filter(|it| !it.value.is_empty())
}

/// The name of a test and where it is written.
fn name(reader: &mut Reader<'_>, node: NodeId) -> (String, Span) {
    let name = text(reader, node, "name");
    name.map_or_else(|| (String::new(), reader.span(node)), |it| (it.value, it.span))
}

/// `is_compared`: an object of which nothing is expected must be stored as it was sent, as openshift/api's own runner has it. The runners of
/// projects that name the file of the definition or the object do not compare it.
fn create(reader: &mut Reader<'_>, node: NodeId, is_compared: bool) -> Option<Case> {
    let node = reader.mapping(node, "a test of creation", &CREATE)?;
    let (name, span) = name(reader, node);
    let initial = object(reader, node, "initial")?;
    let name_of_object = resource_name(reader, node);
    let is_compared = is_compared && matches!(name_of_object, Name::Generated(_));
    let expected = expected(reader, node).or_else(|| is_compared.then(|| initial.clone()));
    let error = words(reader, node, "expectedError");
    Some(Case {
        name,
        span,
        versions: None,
        node,
        body: Body::Create(Create {
            initial: initial.value,
            name: name_of_object,
            expected,
            error,
        }),
    })
}

fn update(reader: &mut Reader<'_>, node: NodeId, is_compared: bool) -> Option<Case> {
    let node = reader.mapping(node, "a test of an update", &UPDATE)?;
    let (name, span) = name(reader, node);
    let initial = object(reader, node, "initial");
    let updated = object(reader, node, "updated");
    let expected = expected(reader, node);
    let error = words(reader, node, "expectedError");
    let status_error = words(reader, node, "expectedStatusError");
    let mut patches = Vec::new();
    let mut patches_span = span;
    if let Some(list) = reader.get(node, "initialCRDPatches") {
        patches_span = reader.span(list);
        for item in reader.list(list, "`initialCRDPatches`") {
            patches.push(patch(reader, item)?);
        }
    }
    let (initial, updated) = (initial?, updated?);
    let name_of_object = resource_name(reader, node);
    let is_compared = is_compared && matches!(name_of_object, Name::Generated(_));
    let expected = expected.or_else(|| is_compared.then(|| updated.clone()));
    Some(Case {
        name,
        span,
        versions: None,
        node,
        body: Body::Update(Box::new(Update {
            patches,
            patches_span,
            initial: initial.value,
            initial_span: initial.span,
            updated: updated.value,
            name: name_of_object,
            expected,
            error,
            status_error,
        })),
    })
}

fn object(reader: &mut Reader<'_>, mapping: NodeId, key: &str) -> Option<At<Value>> {
    let node = reader.need(mapping, key, &format!("`{key}` is missing"))?;
    reader.object_in_text(node, &format!("`{key}`"))
}

/// What must be stored, if it is said.
fn expected(reader: &mut Reader<'_>, mapping: NodeId) -> Option<At<Value>> {
    let node = reader.get(mapping, "expected")?;
    if reader.tree.is_scalar(node) && reader.tree.scalar(node).trim().is_empty() {
        return None;
    }
    reader.object_in_text(node, "`expected`")
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
