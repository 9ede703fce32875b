//! Maps. At run time, objects are maps as well (`cel-go` `common/types/map.go`, `k8s.io/apiserver/pkg/cel/common/valuesunstructured.go`).

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crd_analyzer_budget as budget;

use super::compare::{equal, not_comparable};
use super::list::{Origin, same_number};
use super::{EvalError, Key, Result, Value};

/// A foreign object or map: data from outside the expression, which is read lazily. Its keys are strings.
pub trait MapValue: fmt::Debug + Send + Sync {
    /// The number of entries, including those that expressions cannot access.
    fn len(&self) -> usize;

    /// Whether the map is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key (escaped if the key is the name of a property).
    fn find(&self, key: &str) -> Option<Result>;

    /// The keys that expressions can access.
    fn keys(&self) -> Vec<Arc<str>>;

    /// Whether another map is equal.
    fn equal(&self, other: &Map) -> Result<bool>;

    /// The map as plain data without its schema; `None` if the map is already plain.
    fn native(&self) -> Option<Value> {
        None
    }

    /// The map as `Any`, for callers that know its concrete type.
    fn as_any(&self) -> &dyn std::any::Any;
}

#[derive(Clone, Debug, Default)]
struct Entries {
    index: HashMap<Key, usize>,
    pairs: Vec<(Value, Value)>,
    /// The data from which the entries were read.
    origin: Option<Origin>,
}

impl Entries {
    fn find(&self, key: &Value) -> Result<Option<&Value>> {
        if self.pairs.is_empty() {
            return Ok(None);
        }
        let find = |key: &Key| self.index.get(key).map(|at| &self.pairs[*at].1);
        let found = find(&Key::of(key)?);
        Ok(found.or_else(|| same_number(key).find_map(|key| find(&key))))
    }

    fn insert(&mut self, key: Value, value: Value) -> Result<()> {
        match self.index.entry(Key::of(&key)?) {
            std::collections::hash_map::Entry::Occupied(at) => self.pairs[*at.get()].1 = value,
            std::collections::hash_map::Entry::Vacant(slot) => {
                slot.insert(self.pairs.len());
                self.pairs.push((key, value));
            }
        }
        Ok(())
    }
}

/// The size of a map entry in bytes, without the contents of its value.
pub(crate) const ENTRY_BYTES: u64 = 128;

/// A map. Cheap to clone. Entries keep their insertion order; in the API server, the order is random.
#[derive(Clone, Debug)]
pub struct Map(Repr);

#[derive(Clone, Debug)]
enum Repr {
    Values(Arc<Entries>),
    /// The accumulator of a comprehension. All clones share one map until the comprehension ends.
    Growing(Arc<Mutex<Entries>>),
    Foreign(Arc<dyn MapValue>),
}

impl Map {
    pub(super) fn go_type(&self) -> &'static str {
        match &self.0 {
            Repr::Values(_) => "*types.baseMap",
            Repr::Growing(_) => "*types.mutableMap",
            Repr::Foreign(_) => "*common.unstructuredMap",
        }
    }

    /// A map of these entries. For duplicate keys, the last entry applies. Returns an error if a value cannot be a key.
    pub fn new(entries: impl IntoIterator<Item = (Value, Value)>) -> Result<Self> {
        let mut map = Entries::default();
        for (key, value) in entries {
            map.insert(key, value)?;
        }
        Ok(Self(Repr::Values(Arc::new(map))))
    }

    /// A map with string keys. For duplicate keys, the last entry applies.
    pub fn of_names(entries: impl IntoIterator<Item = (Arc<str>, Value)>) -> Self {
        let mut map = Entries::default();
        for (name, value) in entries {
            // A string can always be a key.
            let _ = map.insert(Value::String(name), value);
        }
        Self(Repr::Values(Arc::new(map)))
    }

    /// A map without a schema (`types.NativeToValue`), with the data from which it was read.
    pub fn plain(entries: impl IntoIterator<Item = (Arc<str>, Value)>, origin: Origin) -> Self {
        let mut map = Self::of_names(entries);
        if let Repr::Values(entries) = &mut map.0
            && let Some(entries) = Arc::get_mut(entries)
        {
            entries.origin = Some(origin);
        }
        map
    }

    /// The data from which a map of [`Self::plain`] was read.
    pub fn origin(&self) -> Option<&Origin> {
        match &self.0 {
            Repr::Values(entries) => entries.origin.as_ref(),
            _ => None,
        }
    }

    /// The address of the map, unique among all existing maps.
    pub(super) fn address(&self) -> usize {
        match &self.0 {
            Repr::Values(entries) => Arc::as_ptr(entries) as usize,
            Repr::Growing(entries) => Arc::as_ptr(entries) as usize,
            Repr::Foreign(map) => Arc::as_ptr(map).cast::<()>() as usize,
        }
    }

    /// A foreign map.
    pub fn foreign(map: Arc<dyn MapValue>) -> Self {
        Self(Repr::Foreign(map))
    }

    /// An empty map to which [`Self::insert`] adds in place.
    pub(crate) fn growing() -> Self {
        Self(Repr::Growing(Arc::default()))
    }

    /// The current state of a growing map, as an immutable map.
    pub(crate) fn frozen(self) -> Self {
        match self.0 {
            Repr::Growing(entries) => {
                let entries = std::mem::take(&mut *entries.lock().unwrap_or_else(PoisonError::into_inner));
                Self(Repr::Values(Arc::new(entries)))
            }
            repr => Self(repr),
        }
    }

    /// The foreign map, if this is one.
    pub fn as_foreign(&self) -> Option<&dyn MapValue> {
        match &self.0 {
            Repr::Foreign(map) => Some(&**map),
            _ => None,
        }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Values(entries) => entries.pairs.len(),
            Repr::Growing(entries) => entries.lock().unwrap_or_else(PoisonError::into_inner).pairs.len(),
            Repr::Foreign(map) => map.len(),
        }
    }

    /// Whether the map is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the map is a zero value, like an unset field. Foreign objects and maps are never zero values.
    pub(super) fn is_zero(&self) -> bool {
        !matches!(self.0, Repr::Foreign(_)) && self.is_empty()
    }

    /// The value of a key.
    pub fn find(&self, key: &Value) -> Result<Option<Value>> {
        match &self.0 {
            Repr::Values(entries) => Ok(entries.find(key)?.cloned()),
            Repr::Growing(entries) => Ok(entries
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .find(key)?
                .cloned()),
            Repr::Foreign(map) => match key {
                Value::String(key) => map.find(key).transpose(),
                _ => Err(EvalError::no_such_overload()),
            },
        }
    }

    /// The value of a key, or an error if the key is missing.
    pub fn at(&self, key: &Value) -> Result {
        self.find(key)?.ok_or_else(|| EvalError::no_such_key(key))
    }

    /// The keys.
    pub fn keys(&self) -> Vec<Value> {
        match &self.0 {
            Repr::Values(entries) => entries.pairs.iter().map(|(key, _)| key.clone()).collect(),
            Repr::Growing(entries) => {
                let entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
                entries.pairs.iter().map(|(key, _)| key.clone()).collect()
            }
            // The API server iterates over as many keys as the map has entries. Entries that expressions cannot access appear as null.
            Repr::Foreign(map) => {
                let mut keys: Vec<Value> = map.keys().into_iter().map(Value::String).collect();
                keys.resize(map.len().max(keys.len()), Value::Null);
                keys
            }
        }
    }

    /// The map with one more entry. Returns an error if the key already exists.
    pub fn insert(&self, key: &Value, value: &Value) -> Result {
        let exists = || EvalError::new(format!("insert failed: key {key} already exists"));
        if let Repr::Growing(entries) = &self.0 {
            let mut entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
            if entries.find(key)?.is_some() {
                return Err(exists());
            }
            budget::bytes(ENTRY_BYTES)?;
            entries.insert(key.clone(), value.clone())?;
            return Ok(Value::Map(self.clone()));
        }
        if self.find(key)?.is_some() {
            return Err(exists());
        }
        budget::bytes(ENTRY_BYTES * (self.len() as u64 + 1))?;
        let mut entries = Vec::with_capacity(self.len() + 1);
        for key in self.keys() {
            let value = self.at(&key)?;
            entries.push((key, value));
        }
        entries.push((key.clone(), value.clone()));
        Ok(Value::Map(Self::new(entries)?))
    }

    /// Whether another value is an equal map.
    pub(super) fn equal(&self, other: &Value) -> Result<bool> {
        if let Repr::Foreign(map) = &self.0 {
            let Value::Map(other) = other else {
                return Err(not_comparable(other));
            };
            return map.equal(other);
        }
        let Value::Map(other) = other else { return Ok(false) };
        if self.len() != other.len() {
            return Ok(false);
        }
        for key in self.keys() {
            // An error in the other map is compared as a value. Values that cannot be compared are considered equal.
            let theirs = match other.find(&key) {
                Ok(Some(theirs)) => theirs,
                Ok(None) => return Ok(false),
                Err(error) => Value::failure(error),
            };
            match self.at(&key).and_then(|ours| equal(&ours, &theirs)) {
                Ok(false) => return Ok(false),
                Err(fatal) if fatal.is_fatal() => return Err(fatal),
                _ => {}
            }
        }
        Ok(true)
    }
}
