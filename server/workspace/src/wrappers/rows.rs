//! The rows.

use super::{
    Part::{Items, Key},
    Place,
    Purpose::Sent,
    Row, Values,
};

pub(super) const ALL: &[Row] = &[LIST];

const fn sent(path: &'static [super::Part]) -> Place {
    Place {
        path,
        purpose: Sent,
        rejection: None,
    }
}

/// `kind: List` and the lists of a kind, such as `WidgetList`: clients send each item alone.
pub(super) const LIST: Row = Row {
    name: "list",
    is: |_, kind| kind.ends_with("List"),
    is_opened: true,
    places: &[sent(&[Key("items"), Items])],
    values: Values::Plain,
};
