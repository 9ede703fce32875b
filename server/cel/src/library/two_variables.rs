//! Comprehensions with two variables (`cel-go` `ext.TwoVarComprehensions`).

use super::declaration::{Cost, Counted, Function, Library, function, overload};
use crate::KubernetesVersion;
use crate::value::{EvalError, Map, Result, Value};

/// Functions for the expansion of macros with two variables (index and element, or key and value). The macros are in
/// [`parser::macros`](crate::parser::macros).
pub(super) const LIBRARY: Library = Library {
    name: "two-variable comprehensions",
    subjects: &[FUNCTIONS],
    types: &[],
};

const FUNCTIONS: &[Function] = &[function(
    "cel.@mapInsert",
    "Adds an entry, or the entries of another map, to a map; macros that make maps expand to this.",
    Counted::ByOverload,
    &[],
    &[
        overload(
            "@mapInsert_map_key_value",
            "(map(K, V), K, V) -> map(K, V)",
            Cost::ONE,
            map_insert,
        ),
        overload(
            "@mapInsert_map_map",
            "(map(K, V), map(K, V)) -> map(K, V)",
            Cost::ONE,
            map_insert,
        ),
    ],
)];

fn map_insert(_: KubernetesVersion, args: &[Value]) -> Result {
    match args {
        [Value::Map(map), key, value] => map.insert(key, value),
        [Value::Map(map), Value::Map(more)] => {
            let mut result: Map = map.clone();
            for key in more.keys() {
                if let Value::Map(inserted) = result.insert(&key, &more.at(&key)?)? {
                    result = inserted;
                }
            }
            Ok(Value::Map(result))
        }
        _ => Err(EvalError::no_such_overload()),
    }
}
