//! What is known of a value that a template computes.

use serde_json::Value;

/// A value in a template, before it is printed.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Computed {
    /// Exactly this value. `null` prints nothing.
    Exactly(Value),
    /// Any integer.
    Integer,
    /// Any number.
    Number,
    /// Any string. YAML may read it as anything.
    Text,
    /// A string in quotes.
    Quoted,
    /// An object, as Go prints it: `map[a:1]`.
    Map,
    /// A list, as Go prints it: `[a b]`.
    List,
    /// An object in YAML or JSON.
    Object,
    /// A list in YAML or JSON.
    Items,
}
