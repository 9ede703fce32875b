//! Finds the part of an old object that corresponds to a part of the new object (`k8s.io/apiserver/pkg/cel/common`, `CorrelatedObject` and
//! `MapList`).

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::rc::Rc;

use serde_json::Value;

use super::compare::deep_equal;
use crate::go::quote;
use crate::json_schema::JsonSchemaProps;
use crate::structural::lookup;
use crate::unknown::Known;

/// A value, its old value, and the schema of both.
#[derive(Clone, Copy)]
pub(crate) struct Correlated<'s, 'v> {
    pub(crate) schema: &'s JsonSchemaProps,
    pub(crate) old: &'v Value,
    pub(crate) new: &'v Value,
    /// The known parts of the new value. Unknown parts may have changed.
    pub(crate) known: Known<'v>,
}

impl Correlated<'_, '_> {
    /// The property `name` of both values (`CorrelatedObject.Key`); `None` if it is missing in one of the values or in the schema.
    pub(crate) fn property(self, name: &str) -> Option<Self> {
        let old = self.old.as_object()?.get(name)?;
        let new = self.new.as_object()?.get(name)?;
        let schema = lookup(&self.schema.properties, name).or_else(|| {
            self.schema
                .additional_properties
                .as_deref()
                .and_then(|additional| additional.schema.as_deref())
        })?;
        let known = self.known.field(name);
        Some(Self {
            schema,
            old,
            new,
            known,
        })
    }
}

/// Cached results of comparing an old and a new object.
#[derive(Default)]
pub(crate) struct Memo<'v> {
    /// Whether an old and a new value are equal, by the addresses of both.
    equal: RefCell<HashMap<(usize, usize), bool>>,
    /// The items of an old list by key, for each old list by its address.
    lists: RefCell<HashMap<usize, Rc<HashMap<String, &'v Value>>>>,
}

impl<'v> Memo<'v> {
    /// The item `index` of the new list and the old item with the same keys (`CorrelatedObject.Index`).
    pub(crate) fn item<'s>(&self, list: Correlated<'s, 'v>, index: usize) -> Option<Correlated<'s, 'v>> {
        let old_items = list.old.as_array()?;
        let new = list.new.as_array()?.get(index)?;
        if list.schema.x_list_type.as_deref() != Some("map") {
            return None;
        }
        let keys = &list.schema.x_list_map_keys;
        // An int-or-string has another type in the API server, but no structural schema of this type has items.
        if list.schema.r#type != "array" || keys.is_empty() {
            return None;
        }
        let key = key_of(new, keys)?;
        let by_key = self.lists.borrow().get(&address(list.old)).cloned();
        let by_key = by_key.unwrap_or_else(|| {
            let mut by_key: HashMap<String, &'v Value> = HashMap::with_capacity(old_items.len());
            for item in old_items {
                if let Some(key) = key_of(item, keys) {
                    by_key.entry(key).or_insert(item);
                }
            }
            let by_key = Rc::new(by_key);
            self.lists.borrow_mut().insert(address(list.old), by_key.clone());
            by_key
        });
        let old = *by_key.get(&key)?;
        let schema = list.schema.items.as_deref()?.schema.as_deref()?;
        let known = list.known.item(index);
        Some(Correlated {
            schema,
            old,
            new,
            known,
        })
    }

    /// Whether the old and the new value are equal (`CorrelatedObject.CachedDeepEqual`). The order of map lists is irrelevant, and an object with
    /// properties that the schema does not specify counts as changed.
    pub(crate) fn equal(&self, pair: Correlated<'_, 'v>) -> bool {
        if !pair.known.is_all() {
            return false;
        }
        if crate::depth::is_exhausted() {
            return deep_equal(pair.old, pair.new);
        }
        let key = (address(pair.old), address(pair.new));
        if let Some(known) = self.equal.borrow().get(&key) {
            return *known;
        }
        let is_equal = match (pair.old, pair.new) {
            (Value::Array(old), Value::Array(new)) => {
                old.len() == new.len()
                    && if pair.schema.x_list_type.as_deref() == Some("map") {
                        (0..new.len()).all(|n| self.item(pair, n).is_some_and(|below| self.equal(below)))
                    } else {
                        deep_equal(pair.old, pair.new)
                    }
            }
            (Value::Object(old), Value::Object(new)) => {
                old.len() == new.len()
                    && new
                        .keys()
                        .all(|name| pair.property(name).is_some_and(|below| self.equal(below)))
            }
            _ => deep_equal(pair.old, pair.new),
        };
        self.equal.borrow_mut().insert(key, is_equal);
        is_equal
    }
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value) as usize
}

/// The keys of an item as one string (`CompositeKeyFor`); `None` if the item is not an object, or a key is missing or not a scalar.
///
/// With one key the API server compares values. With several keys it compares this string, in which floats have six decimal places.
fn key_of(item: &Value, keys: &[String]) -> Option<String> {
    let object = item.as_object()?;
    let mut text = String::new();
    for key in keys {
        text.push('\0');
        match object.get(key)? {
            Value::Bool(flag) => {
                let _ = write!(text, "{flag}");
            }
            Value::String(string) => text.push_str(&quote(string)),
            Value::Number(number) => {
                let _ = match (number.as_i64(), number.as_f64()) {
                    (Some(int), _) => write!(text, "{int}"),
                    (None, Some(float)) if keys.len() == 1 => write!(text, "{float:?}"),
                    (None, float) => write!(text, "{:.6}", float.unwrap_or_default()),
                };
            }
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        }
    }
    Some(text)
}
