//! A kind that no API server has, added as a contributor would add one: its fields, its validation, the variables of its two expressions, and its
//! entry in the table of kinds.

use std::sync::Arc;

use crd_analyzer_admission::Verdict;
use crd_analyzer_apiextensions::{
    api::{FieldType, OBJECT_META, Struct, field, value},
    decode::decode_object,
    kind::{Kind, Version},
};
use crd_analyzer_cel::{
    Context, compile,
    decls::{Environment, ExpressionSet, Variable},
    types::Type,
};
use crd_analyzer_schema::{
    KubernetesVersion,
    field::{Cause, Error, Path},
    go::quote,
    rules::failure_code,
};
use crd_analyzer_syntax::{
    json::JsonDoc,
    paths::Step,
    tree::{NodeId, Tree},
};
use crd_analyzer_workspace::kinds::{OutlineList, Row};

static GATE: Struct = Struct {
    name: "Gate",
    doc: "Lets visitors in.",
    fields: &[
        field("apiVersion", FieldType::String, "The version of the API.").required(),
        field("kind", FieldType::String, "The kind of the object.").required(),
        field(
            "metadata",
            FieldType::Object(&OBJECT_META),
            "Name, labels and annotations.",
        ),
        field("spec", FieldType::Object(&SPEC), "Whom the gate lets in.").required(),
    ],
};

static SPEC: Struct = Struct {
    name: "GateSpec",
    doc: "Whom the gate lets in.",
    fields: &[
        field("color", FieldType::String, "What the gate looks like.")
            .one_of(&[value("Red", "The default."), value("Green", "Rare.")]),
        field("doors", FieldType::List(&DOOR_TYPE), "The doors.").required(),
    ],
};

static DOOR_TYPE: FieldType = FieldType::Object(&DOOR);

static DOOR: Struct = Struct {
    name: "GateDoor",
    doc: "A door.",
    fields: &[
        field("name", FieldType::String, "What people call the door.").required(),
        field("opens", FieldType::Cel, "Whether the door opens for a visitor."),
        field("greeting", FieldType::Cel, "What the door says to a visitor."),
    ],
};

static FIELDS: FieldType = FieldType::Object(&GATE);

static KIND: Kind = Kind {
    group: "toys.example.com",
    name: "Gate",
    list: "GateList",
    versions: &[Version {
        api_version: "toys.example.com/v1",
        name: "v1",
        removed: None,
        fields: &FIELDS,
    }],
};

pub(crate) static ROW: Row = Row {
    kind: &KIND,
    alpha: &[],
    judge,
    context,
    deciding: "a visitor has a name and an age",
    outline: &[OutlineList {
        path: ["spec", "doors"],
        names: &["name"],
        detail: "opens",
    }],
    names: &[],
};

/// The variables and the result type of the expression in this field of a door.
fn site(field: &str, version: KubernetesVersion) -> Option<Context> {
    let results: &'static [Type] = match field {
        "opens" => &[Type::Bool],
        "greeting" => &[Type::String],
        _ => return None,
    };
    let environment = Environment::of(version, ExpressionSet::New);
    let context = Context::new(Arc::clone(environment))
        .with_variables([
            Variable::new("visitor", Type::String),
            Variable {
                doc: "How old the visitor is.",
                ..Variable::new("age", Type::Int)
            },
        ])
        .with_results(results);
    Some(context)
}

fn context(_: &Tree, _: NodeId, path: &[Step<'_>], version: KubernetesVersion) -> Option<Context> {
    match path {
        [Step::Key(spec), Step::Key(doors), Step::Index(_), Step::Key(field)] if spec == "spec" && doors == "doors" => {
            site(field, version)
        }
        _ => None,
    }
}

fn judge(document: &JsonDoc<'_>, of: &'static Version, version: KubernetesVersion) -> Verdict {
    let mut verdict = Verdict::default();
    let Some(json) = document.root() else { return verdict };
    let decoded = match decode_object(json, (&KIND, of), version, "unreadable-gate") {
        Ok(decoded) => decoded,
        Err(refused) => {
            verdict.refused = Some(refused);
            return verdict;
        }
    };
    verdict.strict = decoded.strict;
    let spec = decoded.object.get("spec");
    let doors = spec.and_then(|it| it.get("doors")).and_then(|it| it.as_array());
    for (n, door) in doors.into_iter().flatten().enumerate() {
        for name in ["opens", "greeting"] {
            let Some(text) = door.get(name).and_then(|it| it.as_str()) else {
                continue;
            };
            let Some(Err(failure)) = site(name, version).map(|it| compile(text, &it)) else {
                continue;
            };
            let path = Path::of(["spec", "doors"]).index(n).child(name);
            let mut error = Error::invalid(failure_code(&failure), path, quote(text), failure.printed.clone());
            if let Some(problem) = failure.problems.into_iter().next() {
                error = error.because(Cause::Compile(problem.kind)).within(problem.bytes);
            }
            verdict.errors.push(error);
        }
    }
    verdict
}
