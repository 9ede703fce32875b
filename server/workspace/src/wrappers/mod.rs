//! Objects inside other objects. A table with one row for each kind of wrapper says at which paths a wrapper contains objects, and for what purpose.
//!
//! No code outside a row compares the name of such a kind. The objects of a document include those inside it, each with its path, so that their
//! diagnostics have places in the author's file.

mod rows;
mod walk;

use crd_analyzer_syntax::paths::Step;

use crate::table::Table;
pub use walk::{MAX_DEPTH, Value, Wrapped, inside, is_begun};
pub(crate) use walk::{in_text, texts};

/// A kind of object that contains other objects.
#[derive(Debug)]
pub struct Row {
    /// The name for users.
    pub name: &'static str,
    /// Whether an object is of this kind, by its `apiVersion` and `kind`.
    pub is: fn(&str, &str) -> bool,
    /// Whether clients send only the objects inside, and never the wrapper itself.
    pub is_opened: bool,
    /// The places of the objects inside.
    pub places: &'static [Place],
    /// The special values that the objects inside may contain.
    pub values: Values,
}

/// A place in a wrapper at which objects are.
#[derive(Debug)]
pub struct Place {
    /// The path from the wrapper to the objects.
    pub path: &'static [Part],
    /// The purpose of the objects.
    pub purpose: Purpose,
    /// The purpose of an object if an object before it in the document has the same kind and name, and is sent. `None` if it is the same purpose.
    pub purpose_again: Option<Purpose>,
    /// The field beside an object that can say that the API server has to reject the object.
    pub rejection: Option<Rejection>,
}

/// A field beside an object that can say that the API server has to reject the object.
#[derive(Clone, Copy, Debug)]
pub struct Rejection {
    /// The key of the field.
    pub key: &'static str,
    /// Whether a value of the field says so.
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
    /// Each document in the content of a string.
    Text,
}

/// The purpose of an object inside a wrapper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// The object is sent as it is.
    Sent,
    /// The object is a sample, which users rename before they send it.
    Sample,
    /// The object is merged into another object, which may have the missing fields.
    Part,
    /// The object states what is expected of another object.
    Assertion,
    /// The object is sent, and the API server has to reject it.
    Rejected,
}

/// The special values that objects in a wrapper may contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// The objects contain no special values.
    Plain,
    /// Values in parentheses are chainsaw expressions.
    Expressions,
    /// Values with this mark are filled in before the object is sent.
    FilledIn(&'static Mark),
}

/// A text in values that are filled in before the object is sent.
#[derive(Debug)]
pub struct Mark {
    /// The text.
    pub text: &'static str,
    /// Whether a value with the mark may become something else than a string.
    pub is_any: fn(&str) -> bool,
}

impl PartialEq for Mark {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Mark {}

impl Mark {
    /// A mark in values that may become anything.
    pub const fn any(text: &'static str) -> Self {
        Self { text, is_any: |_| true }
    }
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

/// The table row for an `apiVersion` and `kind`.
pub fn of(api_version: &str, kind: &str) -> Option<&'static Row> {
    TABLE.rows().find(|it| (it.is)(api_version, kind))
}

/// The table row for an object that may be incomplete. An object without a kind may become a list.
pub fn of_begun(api_version: Option<&str>, kind: Option<&str>) -> Option<&'static Row> {
    match kind {
        Some(kind) => of(api_version.unwrap_or_default(), kind),
        None => Some(&rows::LIST),
    }
}

impl Row {
    /// The number of steps in a path from a wrapper to the object that contains the end of the path. `None` if the end is not in such an object.
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
