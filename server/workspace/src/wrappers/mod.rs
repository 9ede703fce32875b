//! Objects inside other objects: which kinds wrap others, at which paths, and for what purpose. One row for each kind of wrapper.
//!
//! No code outside a row compares the name of such a kind. The objects of a document include the wrapped ones, each with its path, so their
//! diagnostics have places in the author's own file.

mod rows;
mod walk;

use crd_analyzer_syntax::paths::Step;

use crate::table::Table;
pub use walk::{MAX_DEPTH, Value, Wrapped, inside, is_begun};
pub(crate) use walk::{in_text, texts};

/// A kind of objects that wrap others.
#[derive(Debug)]
pub struct Row {
    /// The name for users.
    pub name: &'static str,
    /// Whether an object is of this kind, by its `apiVersion` and `kind`.
    pub is: fn(&str, &str) -> bool,
    /// Whether clients send only the wrapped objects, never the wrapper itself.
    pub is_opened: bool,
    /// The places of the wrapped objects.
    pub places: &'static [Place],
    /// The special values that the objects may contain.
    pub values: Values,
}

/// A place of objects in a wrapper.
#[derive(Debug)]
pub struct Place {
    /// The path from the wrapper.
    pub path: &'static [Part],
    /// The purpose of the objects.
    pub purpose: Purpose,
    /// The field next to an object that says that the API server has to reject it.
    pub rejection: Option<Rejection>,
}

/// A field which says that the API server has to reject an object.
#[derive(Clone, Copy, Debug)]
pub struct Rejection {
    /// The key next to the object.
    pub key: &'static str,
    /// Whether this value of the key says so.
    pub is_said: fn(&serde_json::Value) -> bool,
}

/// A step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The value of this key.
    Key(&'static str),
    /// The value of one of these keys.
    OneOf(&'static [&'static str]),
    /// Each item of a list.
    Items,
    /// The text of a string: each document in it.
    Text,
}

/// The purpose of a wrapped object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// It is sent as it is.
    Sent,
    /// It is a sample, which users rename before they send it.
    Sample,
    /// It is merged into another object, which may have the missing fields.
    Part,
    /// It states expectations about an object.
    Assertion,
    /// It is sent, and the API server has to reject it.
    Rejected,
}

/// The special values that objects may contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// No special values.
    Plain,
    /// Values in parentheses are chainsaw expressions.
    Expressions,
    /// Values with one of these marks are filled in before the object is sent.
    FilledIn(&'static [&'static str]),
}

static TABLE: Table<Row> = Table::new(rows::ALL);

/// Adds rows to the table, for a program that supports more wrappers. Call it before the first manifest is read, because results about documents
/// are cached.
///
/// # Errors
/// Returns the rows if rows have been added before.
pub fn add(rows: &'static [Row]) -> Result<(), &'static [Row]> {
    TABLE.add(rows)
}

/// The row for an `apiVersion` and `kind`.
pub fn of(api_version: &str, kind: &str) -> Option<&'static Row> {
    TABLE.rows().find(|it| (it.is)(api_version, kind))
}

/// The row for an object that may be incomplete: without a kind, it may be a list.
pub fn of_begun(api_version: Option<&str>, kind: Option<&str>) -> Option<&'static Row> {
    match kind {
        Some(kind) => of(api_version.unwrap_or_default(), kind),
        None => Some(&rows::LIST),
    }
}

impl Row {
    /// The number of steps of a path from a wrapper to the object inside that contains it. `None` if the path is not in such an object.
    pub fn steps_inside(&self, path: &[Step<'_>]) -> Option<usize> {
        let leads = |place: &&Place| {
            let steps = place.path.iter().zip(path);
            path.len() >= place.path.len() && steps.into_iter().all(|(part, step)| part.is(step))
        };
        self.places.iter().find(leads).map(|it| it.path.len())
    }
}

impl Part {
    fn is(self, step: &Step<'_>) -> bool {
        match (self, step) {
            (Self::Key(wanted), Step::Key(key)) => wanted == key,
            (Self::OneOf(wanted), Step::Key(key)) => wanted.contains(&&**key),
            (Self::Items, Step::Index(_)) => true,
            _ => false,
        }
    }
}
