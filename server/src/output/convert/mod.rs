//! The output of `convert`, in several formats.

mod json;
mod text;

use std::io::{self, Write};

use crd_analyzer_conversion::{Converted, Failure, RoundTrips};
use crd_analyzer_resource::ChangeKind;
use crd_analyzer_schema::field::{Path, Segment};
use serde_json::{Map, Value};

use super::format::choose;

/// All formats.
const ALL: &[&Format] = &[&text::FORMAT, &json::FORMAT];

/// An output format.
#[derive(Debug)]
pub(crate) struct Format {
    /// The name to type on the command line.
    name: &'static str,
    /// The help text.
    help: &'static str,
    /// Prints a report. The number is the line width for text output, in columns.
    pub(crate) print: fn(&mut dyn Write, usize, &Report) -> io::Result<()>,
}

choose!(Format, ALL);

/// The result of a conversion.
pub(crate) struct Outcome {
    pub(crate) sent: Map<String, Value>,
    pub(crate) result: Result<Converted, Failure>,
    /// The reason if the API server rejects the converted object when it is written.
    pub(crate) refusal: Option<String>,
}

impl Outcome {
    fn name(&self) -> String {
        let text = |it: Option<&Value>| it.and_then(Value::as_str).unwrap_or_default().to_owned();
        let metadata = self.sent.get("metadata");
        format!(
            "{} {}",
            text(self.sent.get("kind")),
            text(metadata.and_then(|it| it.get("name")))
        )
    }

    /// The version of the object before the conversion.
    fn from(&self) -> &str {
        let api_version = self.sent.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        api_version.rsplit('/').next().unwrap_or_default()
    }

    /// The dropped fields with their values. Fields that the object's own version does not have either come first.
    fn lost(&self) -> Vec<(&Path, Option<&Value>)> {
        let Ok(converted) = &self.result else {
            return Vec::new();
        };
        let of = |changes: &'_ [crd_analyzer_resource::Change]| -> Vec<usize> {
            let is_lost = |n: &usize| changes[*n].kind == ChangeKind::Pruned;
            (0..changes.len()).filter(is_lost).collect()
        };
        let mut lost = Vec::new();
        for n in of(&converted.stored_changes) {
            let path = &converted.stored_changes[n].path;
            lost.push((path, at(&self.sent, path)));
        }
        for n in of(&converted.pruned) {
            let path = &converted.pruned[n].path;
            lost.push((path, at(&converted.unpruned, path)));
        }
        lost
    }

    fn is_clean(&self) -> bool {
        self.result.is_ok() && self.refusal.is_none() && self.lost().is_empty()
    }
}

fn at<'v>(object: &'v Map<String, Value>, path: &Path) -> Option<&'v Value> {
    let (first, rest) = path.segments().split_first()?;
    let (Segment::Field(name) | Segment::Key(name)) = first else {
        return None;
    };
    rest.iter().try_fold(object.get(name)?, |it, segment| match segment {
        Segment::Field(name) | Segment::Key(name) => it.get(name),
        Segment::Index(index) => it.get(index),
    })
}

/// The results of all conversions.
pub(crate) struct Report {
    /// The name of the CRD.
    pub(crate) name: String,
    /// The target version.
    pub(crate) to: String,
    pub(crate) has_webhook: bool,
    pub(crate) converted: Vec<Outcome>,
    pub(crate) trips: Option<RoundTrips>,
}

impl Report {
    /// Whether no field is lost and no conversion is rejected.
    pub(crate) fn is_clean(&self) -> bool {
        self.converted.iter().all(Outcome::is_clean) && self.trips.as_ref().is_none_or(|it| it.findings.is_empty())
    }
}
