//! Parses crd-analyzer's own format, which is a list of tests with objects written as YAML mappings.

use std::{collections::HashSet, sync::Arc};

use crd_analyzer_schema::field::ErrorType;
use crd_analyzer_syntax::tree::{NodeId, NodeKind, Tree};

use crate::{
    model::{Action, At, Body, Case, Cause, Expect, Own, Problem, Rejected, Suite, Wanted},
    reader::Reader,
};

const SUITE: [&str; 5] = ["name", "crd", "version", "kubernetesVersions", "tests"];
const CASE: [&str; 6] = [
    "name",
    "kubernetesVersions",
    "create",
    "update",
    "updateStatus",
    "expect",
];
const EXPECT: [&str; 5] = ["rejected", "warnings", "defaulted", "pruned", "stored"];
const CAUSE: [&str; 4] = ["type", "field", "detail", "contains"];

/// All error types that a cause can have.
const TYPES: [ErrorType; 12] = [
    ErrorType::NotFound,
    ErrorType::Required,
    ErrorType::Duplicate,
    ErrorType::Invalid,
    ErrorType::NotSupported,
    ErrorType::Forbidden,
    ErrorType::TooLong,
    ErrorType::TooMany,
    ErrorType::TooFew,
    ErrorType::Internal,
    ErrorType::TypeInvalid,
    ErrorType::TooShort,
];

pub(crate) fn read(tree: &Tree) -> Result<Suite, Vec<Problem>> {
    let mut reader = Reader::new(tree);
    let suite = suite(&mut reader);
    match suite {
        Some((name, wanted, versions, cases)) if reader.problems.is_empty() => Ok(Suite {
            name,
            wanted,
            versions,
            cases,
            warnings: reader.warnings,
            tree: Arc::new(tree.clone()),
        }),
        _ => {
            if reader.problems.is_empty() {
                reader.problem(tree.document_span(), "this file has no tests");
            }
            Err(reader.problems)
        }
    }
}

type Parts = (
    Option<String>,
    Wanted,
    Option<crd_analyzer_workspace::config::versions::VersionSet>,
    Vec<Case>,
);

fn suite(reader: &mut Reader<'_>) -> Option<Parts> {
    let root = reader.tree.root()?;
    let says = |key: &str| reader.tree.entry(root, key).map(|it| reader.tree.span(it.value));
    if let Some((kind, _)) = says("kind").zip(says("apiVersion")) {
        let what = "this is a Kubernetes object, not a test file: name the test file, which names its CRD with `crd`";
        reader.problem(kind, what);
        return None;
    }
    let root = reader.mapping(root, "a test file", &SUITE)?;
    let name = reader.get(root, "name").and_then(|it| reader.text(it, "`name`"));
    let version = reader.get(root, "version").and_then(|it| reader.text(it, "`version`"));
    let missing = "`crd` is missing: the path of the CRD, relative to the folder of this file";
    let wanted = reader
        .need(root, "crd", missing)
        .and_then(|it| reader.text(it, "`crd`"));
    let wanted = wanted.map(|it| Wanted::File {
        path: it.value,
        span: it.span,
        version: version.map(|it| it.value),
    });
    let versions = reader.versions(root);
    let mut cases: Vec<Case> = Vec::new();
    if let Some(tests) = reader.need(root, "tests", "`tests` is missing: a list of tests") {
        for node in reader.list(tests, "`tests`") {
            cases.extend(case(reader, node));
        }
    }
    let mut names = HashSet::new();
    for it in &cases {
        if !names.insert(it.name.as_str()) {
            reader.problem(it.span, format!("another test has the name `{}`", it.name));
        }
    }
    Some((name.map(|it| it.value), wanted?, versions, cases))
}

fn case(reader: &mut Reader<'_>, node: NodeId) -> Option<Case> {
    let node = reader.mapping(node, "a test", &CASE)?;
    let name = reader.need(node, "name", "a test needs a `name`");
    let name = name.and_then(|it| reader.text(it, "`name`"));
    let versions = reader.versions(node);
    let action = action(reader, node);
    let expect = reader.get(node, "expect").and_then(|it| expect(reader, it));
    let name = name?;
    Some(Case {
        name: name.value,
        span: name.span,
        versions,
        node,
        body: Body::Own(Own {
            action: action?,
            expect,
        }),
    })
}

fn action(reader: &mut Reader<'_>, case: NodeId) -> Option<Action> {
    let given: Vec<_> = ["create", "update", "updateStatus"]
        .into_iter()
        .filter_map(|key| Some((key, reader.get(case, key)?)))
        .collect();
    let [(key, node)] = given[..] else {
        let span = given.get(1).map_or(reader.span(case), |it| reader.span(it.1));
        reader.problem(span, "a test has exactly one of `create`, `update` and `updateStatus`");
        return None;
    };
    if key == "create" {
        return Some(Action::Create(reader.object(node, "`create`")?.value));
    }
    let what = format!("`{key}`");
    let node = reader.mapping(node, &what, &["from", "to"])?;
    let mut side = |name: &str| {
        let it = reader.need(node, name, &format!("{what} needs `{name}`"))?;
        reader.object(it, &format!("`{name}`")).map(|it| it.value)
    };
    let (from, to) = (side("from"), side("to"));
    let (from, to) = (from?, to?);
    Some(if key == "update" {
        Action::Update { from, to }
    } else {
        Action::UpdateStatus { from, to }
    })
}

fn expect(reader: &mut Reader<'_>, node: NodeId) -> Option<Expect> {
    let span = reader.span(node);
    let mut found = Expect {
        span,
        rejected: None,
        warnings: None,
        defaulted: None,
        pruned: None,
        stored: None,
    };
    if reader.tree.is_scalar(node) {
        match &*reader.tree.scalar(node) {
            "accepted" => {}
            "rejected" => {
                found.rejected = Some(At {
                    value: Rejected::Somehow,
                    node,
                    span,
                });
            }
            other => {
                let message =
                    format!("`{other}` is not an expectation: write `accepted`, `rejected`, or a mapping with details");
                reader.problem(span, message);
                return None;
            }
        }
        return Some(found);
    }
    let node = reader.mapping(node, "`expect`", &EXPECT)?;
    found.rejected = reader.get(node, "rejected").and_then(|it| rejected(reader, it));
    found.warnings = texts(reader, node, "warnings");
    found.pruned = texts(reader, node, "pruned");
    found.stored = reader.get(node, "stored").and_then(|it| reader.object(it, "`stored`"));
    found.defaulted = reader.get(node, "defaulted").and_then(|it| {
        let tree = reader.tree;
        if !matches!(tree.kind(it), NodeKind::Mapping(_)) {
            let span = reader.span(it);
            reader.problem(
                span,
                "`defaulted` must be a mapping from paths such as `spec.replicas` to values",
            );
            return None;
        }
        let entries = tree.entries(it).filter_map(|entry| {
            let value = reader.value(entry.value)?;
            let value = At {
                span: tree.span(entry.key).join(value.span),
                ..value
            };
            Some((tree.scalar(entry.key).into_owned(), value))
        });
        let value = entries.collect();
        let span = reader.span(it);
        Some(At { value, node: it, span })
    });
    if let Some(rejected) = &found.rejected {
        let span = rejected.span;
        if found.stored.is_some() || found.defaulted.is_some() || found.pruned.is_some() {
            reader.problem(
                span,
                "a rejected object is not stored, so remove `stored`, `defaulted` and `pruned`, or `rejected`",
            );
        }
    }
    Some(found)
}

fn texts(reader: &mut Reader<'_>, mapping: NodeId, key: &str) -> Option<At<Vec<At<String>>>> {
    let node = reader.get(mapping, key)?;
    let what = format!("`{key}`");
    let mut value = Vec::new();
    for item in reader.list(node, &what) {
        value.extend(reader.text(item, &format!("an item of {what}")));
    }
    let span = reader.span(node);
    Some(At { value, node, span })
}

fn rejected(reader: &mut Reader<'_>, node: NodeId) -> Option<At<Rejected>> {
    let span = reader.span(node);
    let at = |value| Some(At { value, node, span });
    if reader.tree.is_scalar(node) {
        let text = reader.text(node, "`rejected`")?;
        return at(Rejected::Saying(text.value));
    }
    let items = reader.list(node, "`rejected`");
    if items.is_empty() && reader.problems.is_empty() {
        reader.problem(span, "no cause: write `expect: rejected` to accept any cause");
    }
    let mut causes = Vec::new();
    for item in items {
        let span = reader.span(item);
        let value = if reader.tree.is_scalar(item) {
            Cause {
                contains: Some(reader.text(item, "a cause")?),
                ..Cause::default()
            }
        } else {
            cause(reader, item)?
        };
        causes.push(At {
            value,
            node: item,
            span,
        });
    }
    at(Rejected::By(causes))
}

fn cause(reader: &mut Reader<'_>, node: NodeId) -> Option<Cause> {
    let node = reader.mapping(node, "a cause", &CAUSE)?;
    let mut text = |key: &str| {
        let value = reader.get(node, key)?;
        reader.text(value, &format!("`{key}`"))
    };
    let cause = Cause {
        kind: text("type"),
        field: text("field").map(|it| it.value),
        detail: text("detail"),
        contains: text("contains"),
    };
    if let Some(kind) = cause.kind.as_ref().map(|it| &it.value)
        && !TYPES.iter().any(|it| it.reason() == kind || it.words() == kind)
    {
        let names = TYPES.iter().flat_map(|it| [it.words(), it.reason()]);
        let meant = crd_analyzer_workspace::words::meant::meant(kind, names);
        let meant = meant.map_or_else(
            || {
                let types: Vec<String> = TYPES.iter().map(|it| format!("`{}`", it.words())).collect();
                format!("; the types are {}", types.join(", "))
            },
            |it| format!("; did you mean `{it}`?"),
        );
        let span = reader.get(node, "type").map_or(reader.span(node), |it| reader.span(it));
        reader.problem(span, format!("the cause type `{kind}` does not exist{meant}"));
    }
    Some(cause)
}
