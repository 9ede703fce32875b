//! Numbers in the place of strings whose pattern does not match them in quotes, such as a duration without a unit.

use crd_analyzer_budget as budget;
use crd_analyzer_diagnostic::text::clip;
use crd_analyzer_goregexp::GoRegex;
use crd_analyzer_schema::field::{Error, Segment};
use crd_analyzer_syntax::{
    json::{Json, JsonValue},
    tree::{NodeId, Tree},
};

use crate::{findings::finding::Finding, words};

/// The units of durations to try: seconds and minutes.
const UNITS: [&str; 2] = ["s", "m"];

/// The work units for compiling a pattern, for each of its bytes.
const A_BYTE: u64 = 200;

/// The error is about a wrong type. If quotes would not repair it because of the pattern in `schema`, makes the help say what the pattern wants. `root`
/// is the object, and `written` its tree.
pub(super) fn say(
    finding: &mut Finding,
    error: &Error,
    (root, written): (&Json<'_>, &Tree),
    (tree, schema): (&Tree, NodeId),
) {
    let path = error.place().segments();
    let number = words::at(root, path).filter(|it| matches!(it.value, JsonValue::Int(_) | JsonValue::Float(_)));
    let pattern = tree.get(schema, "pattern").map(|it| tree.scalar(tree.resolve(it)));
    let (Some(number), Some(pattern)) = (number, pattern) else {
        return;
    };
    if !budget::advise(A_BYTE * pattern.len() as u64) {
        return;
    }
    let source = written.source(number.node);
    let Some(regex) = GoRegex::new(&pattern)
        .ok()
        .filter(|it| it.is_match(source) == Ok(false))
    else {
        return;
    };
    let is_unit = |it: &&&str| regex.is_match(&format!("{source}{it}")) == Ok(true);
    let help = match (UNITS.iter().find(is_unit), path.last()) {
        (Some(unit), Some(Segment::Field(key) | Segment::Key(key))) => {
            format!("add a unit, such as `{}: {source}{unit}`", clip(key, 40))
        }
        _ => format!("write a string that matches `{}`", clip(&pattern, 200)),
    };
    finding.help = vec![help];
}
