//! Finds the old item that corresponds to an item in a list of type `map` (`k8s.io/apiserver/pkg/cel/common`, `MapList`).

use std::collections::HashMap;
use std::fmt::Write as _;

use super::data::{Data, Entries};
use super::shape::{Shape, Type};
use crate::go::quote;

/// The items of an old list by their keys; if several items have the same key, the first wins.
#[derive(Default)]
pub(super) struct OldItems<'d> {
    keys: &'d [String],
    items: HashMap<String, &'d Data>,
}

impl<'d> OldItems<'d> {
    /// Indexes the old list. In lists of other types, no old item is ever found.
    pub(super) fn new(shape: &'d Shape, old: Option<&'d Data>) -> Self {
        let keys = &*shape.map_keys;
        let Some(Data::List(old)) = old else {
            return Self::default();
        };
        if shape.ty != Type::Array || &*shape.list_type != "map" || keys.is_empty() {
            return Self::default();
        }
        let mut items = HashMap::new();
        for item in &**old {
            if let Some(key) = item.as_map().and_then(|map| key_of(map, keys)) {
                items.entry(key).or_insert(item);
            }
        }
        Self { keys, items }
    }

    pub(super) fn get(&self, item: &Data) -> Option<&'d Data> {
        if self.items.is_empty() {
            return None;
        }
        self.items.get(&key_of(item.as_map()?, self.keys)?).copied()
    }
}

/// The key of an item. A key of several fields is a string in which floats have six decimal places.
fn key_of(map: &Entries, keys: &[String]) -> Option<String> {
    let mut text = String::new();
    for key in keys {
        text.push('\0');
        match map.get(key.as_str())? {
            Data::Bool(flag) => text.push_str(if *flag { "true" } else { "false" }),
            Data::Int(int) => text.push_str(&int.to_string()),
            Data::Float(float) if keys.len() == 1 => {
                let float = if *float == 0.0 { 0.0 } else { *float };
                let _ = write!(text, "f{float:?}");
            }
            Data::Float(float) => {
                let _ = write!(text, "{float:.6}");
            }
            Data::String(value) => text.push_str(&quote(value)),
            Data::Null | Data::List(_) | Data::Map(_) | Data::Native(_) | Data::Error | Data::Unknown { .. } => {
                return None;
            }
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use crd_analyzer_fixtures::tables;
    use serde_json::Value;

    use super::{Data, OldItems, Shape};
    use crate::structural::Structural;
    use crate::testing::schema;

    #[test]
    #[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
    fn items_are_found_as_the_server_finds_them() {
        for case in tables::cases("cel_maplist") {
            let input = &case["input"];
            let schema = schema(&input["schema"]);
            let shape = Shape::new(Structural::assume(&schema));
            let items = Data::of_known(&input["items"]);
            let old = OldItems::new(&shape, Some(&items));
            let earlier = input["earlier_queries"].as_array().into_iter().flatten();
            for query in earlier {
                old.get(&Data::of_known(query));
            }
            let found = old
                .get(&Data::of_known(&input["query"]))
                .map_or(Value::Null, Data::as_json);
            assert_eq!(found, case["expect"]["found"], "{}", case["id"]);
        }
    }
}
