//! Objects inside other objects: which objects wrap others, where these are, and what they are there. One row a kind of wrapper.
//!
//! Nothing outside a row compares the name of such a kind. Whoever asks for the objects of a document gets those inside, too, each with its path.
//! Diagnostics of an object inside thus have places in the author's own file.

mod rows;
mod walk;

use crd_analyzer_syntax::paths::Step;

use crate::table::Table;
pub use walk::{MAX_DEPTH, Value, Wrapped, inside, is_begun};
pub(crate) use walk::{in_text, texts};

/// A kind of objects that wrap others.
#[derive(Debug)]
pub struct Row {
    /// Its name, as people say it.
    pub name: &'static str,
    /// Whether an object is of it, by its `apiVersion` and its `kind`.
    pub is: fn(&str, &str) -> bool,
    /// Clients send what is inside, and never the object itself.
    pub is_opened: bool,
    /// Where the objects are.
    pub places: &'static [Place],
    /// What values in them may be.
    pub values: Values,
}

/// Where objects are in one that wraps them.
#[derive(Debug)]
pub struct Place {
    /// The way from the wrapper.
    pub path: &'static [Part],
    /// What they are there.
    pub purpose: Purpose,
    /// What beside an object says that the API server has to reject it.
    pub rejection: Option<Rejection>,
}

/// What says that the API server has to reject an object.
#[derive(Clone, Copy, Debug)]
pub struct Rejection {
    /// The key beside the object.
    pub key: &'static str,
    /// Whether the value of the key says so.
    pub is_said: fn(&serde_json::Value) -> bool,
}

/// A part of a way.
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

/// What an object is to who wraps it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// It is sent as it is.
    Sent,
    /// People take it as a sample: they give it a name before it is sent.
    Sample,
    /// It is merged into another: whatever is missing may be there.
    Part,
    /// It says what has to be true of an object.
    Assertion,
    /// It is sent, and the API server has to reject it.
    Rejected,
}

/// What values may be, besides what they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// Nothing else.
    Plain,
    /// In parentheses: expressions of chainsaw.
    Expressions,
    /// With one of these marks: something that is filled in before the object is sent.
    FilledIn(&'static [&'static str]),
}

static TABLE: Table<Row> = Table::new(rows::ALL);

/// Adds rows to the table, for a program that knows more wrappers than these. It has to do so before it reads the first manifest: what is known of
/// a document is kept.
///
/// # Errors
/// The rows, if some have been added before.
pub fn add(rows: &'static [Row]) -> Result<(), &'static [Row]> {
    TABLE.add(rows)
}

/// The row of what an object says it is.
pub fn of(api_version: &str, kind: &str) -> Option<&'static Row> {
    TABLE.rows().find(|it| (it.is)(api_version, kind))
}

/// The row of an object that somebody types: it may be a list as long as it does not say its kind.
pub fn of_begun(api_version: Option<&str>, kind: Option<&str>) -> Option<&'static Row> {
    match kind {
        Some(kind) => of(api_version.unwrap_or_default(), kind),
        None => Some(&rows::LIST),
    }
}

impl Row {
    /// How many steps of a path from a wrapper lead to an object inside. `None`: the path leads to none.
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
