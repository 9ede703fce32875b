//! Finds further errors in a CRD that cannot be decoded, by validating it as if its wrong values were corrected.
//!
//! A value with one obvious correction (`"5"` if a number is required) is corrected. Other wrong values are left out, and so are all errors that may
//! follow from leaving them out.

use std::collections::HashSet;

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_schema::depth;
use crd_analyzer_schema::field::{Error, Path, Segment};
use crd_analyzer_schema::type_mismatch::STRING_TYPES;
use crd_analyzer_syntax::json::{Json, JsonDoc, JsonValue};
use crd_analyzer_syntax::tree::{NodeId, Tree};

use super::{CrdVerdict, DecodeError, DecodePlace, Received, Stored};
use crate::codes;
use crate::decode::DecodeProblem;
use crate::places::{self, LocatedField};
use crate::validation::CelCompiler;

/// The maximum number of corrected values. A document with more wrong values is not checked further.
const MOST: usize = 20;

/// The errors that an API server only reports after the values of a CRD have the right types.
#[derive(Debug)]
pub struct Later {
    /// The errors about the other wrong values; the first error, which is the API server's answer, is not included.
    pub decode_errors: Vec<DecodeError>,
    /// The validation result after all corrections, without errors that may follow from values that were left out. Empty if the result is unknown.
    pub verdict: CrdVerdict,
}

/// Finds the errors after the decoding error of a document, and corrects the document in the process. For an update, `old` is
/// the stored CRD. Returns `None` if the rest cannot be checked.
pub fn judge_later(
    document: &mut JsonDoc<'_>,
    tree: &Tree,
    old: Option<&Stored>,
    version: KubernetesVersion,
    compiler: Option<&CelCompiler>,
) -> Option<Later> {
    if document.depth() > depth::limit() {
        return None;
    }
    let mut correction = Correction {
        tree,
        corrected: HashSet::new(),
        left_out: Vec::new(),
    };
    let mut decode_errors = Vec::new();
    let mut is_answer = true;
    while decode_errors.len() < MOST {
        let error = match Received::new(document, version) {
            Ok(received) => {
                let verdict = correction.without_what_follows(received.judge(old, compiler), document);
                return Some(Later { decode_errors, verdict });
            }
            Err(verdict) => verdict.decode_error?,
        };
        let DecodePlace::Node(node) = error.place else {
            return None;
        };
        if error.code != codes::UNREADABLE_CRD || !correction.correct(document, node, &error.problem) {
            return None;
        }
        if !std::mem::take(&mut is_answer) {
            decode_errors.push(error);
        }
    }
    Some(Later {
        decode_errors,
        verdict: CrdVerdict::default(),
    })
}

/// The corrections to one document.
struct Correction<'t> {
    tree: &'t Tree,
    corrected: HashSet<NodeId>,
    /// The paths of the values that were left out.
    left_out: Vec<Path>,
}

impl Correction<'_> {
    /// Corrects the value of a node, including all aliases of the node. Returns whether a correction is possible.
    fn correct(&mut self, document: &mut JsonDoc<'_>, node: NodeId, problem: &DecodeProblem) -> bool {
        let is_first = self.corrected.insert(node);
        let into = match problem {
            DecodeProblem::Type(mismatch) => mismatch.into.as_ref(),
            _ => "",
        };
        let Some(root) = document.root_mut() else { return false };
        let mut found = Vec::new();
        find(root, node, &mut Path::root(), &mut |path, json| {
            let corrected = if is_first {
                corrected(json, into, self.tree)
            } else {
                None
            };
            match corrected {
                Some(value) => json.value = value,
                None if matches!(json.value, JsonValue::Null) => return,
                None => {
                    json.value = JsonValue::Null;
                    self.left_out.push(path.clone());
                }
            }
            found.push(path.segments().len());
        });
        // The root, `apiVersion` and `kind` cannot be left out.
        !found.is_empty() && found.iter().all(|it| *it > 0) && !self.left_out.iter().any(is_head)
    }

    /// Removes errors that may depend on values that were left out.
    fn without_what_follows(&self, mut verdict: CrdVerdict, document: &JsonDoc<'_>) -> CrdVerdict {
        if self.left_out.is_empty() {
            return verdict;
        }
        let Some(root) = document.root() else { return verdict };
        let hoisted = verdict.definition.as_ref().map(|it| it.hoisted).unwrap_or_default();
        let is_independent = |error: &Error| {
            let places = places::find(root, hoisted, error.place());
            let is_apart = |it: &LocatedField| self.left_out.iter().all(|out| is_apart(&it.path, out));
            places.iter().all(is_apart)
        };
        verdict.errors.retain(is_independent);
        verdict.hidden.retain(is_independent);
        verdict
    }
}

fn is_head(path: &Path) -> bool {
    matches!(path.segments(), [Segment::Field(name)] if name == "apiVersion" || name == "kind")
}

/// Visits the values that come from this node.
fn find<'t>(json: &mut Json<'t>, node: NodeId, path: &mut Path, visit: &mut impl FnMut(&Path, &mut Json<'t>)) {
    if json.node == node {
        visit(path, json);
        return;
    }
    match &mut json.value {
        JsonValue::Array(items) => {
            for (n, item) in items.iter_mut().enumerate() {
                path.push(Segment::Index(n));
                find(item, node, path, visit);
                path.pop();
            }
        }
        JsonValue::Object(members) => {
            for member in members {
                path.push(Segment::Field(member.key.clone().into_owned()));
                find(&mut member.value, node, path, visit);
                path.pop();
            }
        }
        _ => {}
    }
}

/// The obvious correction of a value that should have this Go type.
fn corrected<'t>(json: &Json<'t>, into: &str, tree: &Tree) -> Option<JsonValue<'t>> {
    let text = || json.as_str();
    match into {
        "int64" | "int32" => integer(text()?),
        "float64" => {
            let text = text()?;
            let float = || serde_json::from_str(text).ok().map(JsonValue::Float);
            integer(text).or_else(float)
        }
        // The error for `additionalProperties`, whose value is a schema or a boolean, does not contain a Go type.
        "bool" | "" => boolean(text()?),
        _ if STRING_TYPES.contains(&into) => match &json.value {
            JsonValue::Array(items) => {
                // `[string, "null"]` is a nullable string in other JSON Schema dialects.
                let mut types = items.iter().filter(|it| it.as_str() != Some("null"));
                let only = types.next().filter(|it| it.as_str().is_some())?;
                types.next().is_none().then(|| only.value.clone())
            }
            _ if tree.is_scalar(json.node) => Some(JsonValue::String(tree.scalar(json.node).into_owned().into())),
            _ => None,
        },
        "[]string" => text().map(|_| JsonValue::Array(vec![json.clone()])),
        "v1.ValidationRules" => only_item(json, "rule"),
        "[]v1.CustomResourceDefinitionVersion" => only_item(json, "name"),
        _ => None,
    }
}

/// A list that contains only this object, if it has the field that all items have.
fn only_item<'t>(json: &Json<'t>, field: &str) -> Option<JsonValue<'t>> {
    json.get(field).map(|_| JsonValue::Array(vec![json.clone()]))
}

/// The JSON integer in a quoted string. Other YAML integers, such as `0777`, stay strings.
fn integer(text: &str) -> Option<JsonValue<'static>> {
    serde_json::from_str(text).ok().map(JsonValue::Int)
}

fn boolean(text: &str) -> Option<JsonValue<'static>> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(JsonValue::Bool(true)),
        "false" | "no" | "off" => Some(JsonValue::Bool(false)),
        _ => None,
    }
}

/// Whether an error at `path` exists for every value at the path `out`.
fn is_apart(path: &Path, out: &Path) -> bool {
    let is_in_schema = |it: &Path| position(it, "openAPIV3Schema").is_some();
    match (is_in_schema(path), is_in_schema(out)) {
        (false, false) => false,
        // Selectable fields are validated against the schemas, so errors in them are not independent of a schema.
        (false, true) => position(path, "selectableFields").is_none(),
        (true, false) => position(out, "preserveUnknownFields").is_none() && !holds(out, path),
        (true, true) => {
            let (a, b) = (path.segments(), out.segments());
            let same = a.iter().zip(b).take_while(|(a, b)| is_same(a, b)).count();
            let Some((at, _)) = a.get(same).zip(b.get(same)) else {
                return false;
            };
            // The paths lead to different properties of one object, or to different versions.
            matches!(at, Segment::Key(_)) || same == 2 && is_named(&a[1], "versions")
        }
    }
}

/// Whether `path` equals `outer` or is below it.
fn holds(outer: &Path, path: &Path) -> bool {
    let (a, b) = (path.segments(), outer.segments());
    b.len() <= a.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
}

fn position(path: &Path, field: &str) -> Option<usize> {
    path.segments().iter().position(|it| is_named(it, field))
}

fn is_named(segment: &Segment, field: &str) -> bool {
    matches!(segment, Segment::Field(name) if name == field)
}

/// Whether two segments are equal in a document, which only distinguishes keys and indexes.
fn is_same(a: &Segment, b: &Segment) -> bool {
    match (a, b) {
        (Segment::Index(a), Segment::Index(b)) => a == b,
        (Segment::Field(a) | Segment::Key(a), Segment::Field(b) | Segment::Key(b)) => a == b,
        _ => false,
    }
}
