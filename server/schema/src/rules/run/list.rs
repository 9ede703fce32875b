//! Lists, including sets and maps (`k8s.io/apiserver/pkg/cel/common`, `unstructuredList` and related types).

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crd_analyzer_cel::types::escape;
use crd_analyzer_cel::value::{EvalError, List, ListValue, Result, Value};

use super::data::Data;
use super::key::{Key, element_key, map_key, value_key, value_map_key};
use super::reads;
use super::shape::Shape;
use super::value::{raw, same, value_of};
use crate::KubernetesVersion;

/// The first Kubernetes version whose list concatenation keeps elements as CEL values. Earlier versions convert the elements back to data and
/// interpret this data by the schema.
const KEEPS_VALUES_SINCE: KubernetesVersion = KubernetesVersion::minor(37);

/// The list type.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Atomic,
    Set,
    /// A map with its keys, escaped for CEL.
    Map(Arc<[String]>),
}

impl Kind {
    /// The kind of a list of type `map` with these keys.
    pub(super) fn map(keys: &[String]) -> Self {
        let escaped = keys
            .iter()
            .map(|key| escape(key).map_or_else(|| key.clone(), std::borrow::Cow::into_owned));
        Self::Map(escaped.collect())
    }
}

/// A list of data.
#[derive(Debug)]
pub(super) struct Items {
    data: Arc<[Data]>,
    shape: Arc<Shape>,
    kind: Kind,
    version: KubernetesVersion,
    /// The keys of a set, computed on first use. Up to 1.36 a concatenation adds the keys of the other list.
    keys: Mutex<Option<HashSet<Key>>>,
    /// The value without a schema, computed on first use.
    native: OnceLock<Value>,
}

impl Items {
    pub(super) fn new(data: Arc<[Data]>, shape: Arc<Shape>, kind: Kind, version: KubernetesVersion) -> Self {
        Self {
            data,
            shape,
            kind,
            version,
            keys: Mutex::default(),
            native: OnceLock::new(),
        }
    }

    pub(super) fn data(&self) -> &Arc<[Data]> {
        &self.data
    }

    fn keeps_values(&self) -> bool {
        self.version >= KEEPS_VALUES_SINCE
    }

    /// The key of an element of the set.
    fn set_key(&self, element: Result) -> Result<Key> {
        if self.keeps_values() {
            value_key(element)
        } else {
            element.map_or_else(|_| Ok(Key::unlike_all()), |element| element_key(&raw(&element)))
        }
    }

    /// The keys of the set, computed on first use.
    fn set_keys<'k>(&self, keys: &'k mut Option<HashSet<Key>>) -> Result<&'k mut HashSet<Key>> {
        if keys.is_none() {
            let mut found = HashSet::new();
            for (n, data) in self.data.iter().enumerate() {
                let key = if self.keeps_values() {
                    value_key(self.get(n))
                } else {
                    element_key(data)
                };
                found.insert(key?);
            }
            *keys = Some(found);
        }
        Ok(keys.get_or_insert_default())
    }

    fn equal_sets(&self, other: &List) -> Result<bool> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let ours = self.set_keys(&mut keys)?;
        let mut seen = HashSet::new();
        for element in other.iter() {
            let key = self.set_key(element)?;
            if !ours.contains(&key) {
                return Ok(false);
            }
            seen.insert(key);
        }
        Ok(!self.keeps_values() || seen.len() == ours.len())
    }

    fn equal_maps(&self, other: &List, keys: &[String]) -> Result<bool> {
        let mut ours = HashMap::new();
        for data in &*self.data {
            ours.insert(map_key(data, keys, self.version)?, data);
        }
        let mut seen = HashSet::new();
        for element in other.iter() {
            let key = match &element {
                Ok(element) => map_key(&raw(element), keys, self.version)?,
                Err(_) => Key::unlike_all(),
            };
            let Some(data) = ours.get(&key) else {
                return Ok(false);
            };
            if !same(value_of(data, &self.shape, self.version), element)? {
                return Ok(false);
            }
            seen.insert(key);
        }
        Ok(!self.keeps_values() || seen.len() == ours.len())
    }

    fn sum_of_data(&self, other: &List) -> Result<Vec<Data>> {
        let mut sum = self.data.to_vec();
        // The other list is read before this list is locked, because they may be the same list.
        let more: Vec<Data> = other
            .iter()
            .map(|element| element.map_or(Data::Error, |element| raw(&element)))
            .collect();
        match &self.kind {
            Kind::Atomic => sum.extend(more),
            Kind::Set => {
                let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
                let seen = self.set_keys(&mut keys)?;
                for data in more {
                    if seen.insert(element_key(&data)?) {
                        sum.push(data);
                    }
                }
            }
            Kind::Map(keys) => {
                let mut places = HashMap::new();
                for (n, data) in sum.iter().enumerate() {
                    places.insert(map_key(data, keys, self.version)?, n);
                }
                for data in more {
                    match places.get(&map_key(&data, keys, self.version)?) {
                        Some(&n) => sum[n] = data,
                        None => sum.push(data),
                    }
                }
            }
        }
        Ok(sum)
    }
}

impl ListValue for Items {
    fn len(&self) -> usize {
        self.data.len()
    }

    fn get(&self, index: usize) -> Result {
        reads::note_item(&self.data, index);
        value_of(&self.data[index], &self.shape, self.version)
    }

    fn equal(&self, other: &List) -> Option<Result<bool>> {
        match &self.kind {
            Kind::Atomic => None,
            _ if self.len() != other.len() => Some(Ok(false)),
            Kind::Set => Some(self.equal_sets(other)),
            Kind::Map(keys) => Some(self.equal_maps(other, keys)),
        }
    }

    fn add(&self, other: &List) -> Option<Result> {
        if !self.keeps_values() {
            let sum = self.sum_of_data(other).map(|data| {
                let list = Self::new(data.into(), Arc::clone(&self.shape), self.kind.clone(), self.version);
                Value::List(List::foreign(Arc::new(list)))
            });
            return Some(sum);
        }
        let values = |list: &Self| (0..list.len()).map(|n| kept(list.get(n))).collect::<Result<Vec<_>>>();
        match &self.kind {
            Kind::Atomic => None,
            Kind::Set | Kind::Map(_) => Some(values(self).and_then(|values| sum(values, other, &self.kind))),
        }
    }

    fn go_type(&self) -> &'static str {
        match self.kind {
            Kind::Atomic => "*common.unstructuredList",
            Kind::Set => "*common.unstructuredSetList",
            Kind::Map(_) => "*common.unstructuredMapList",
        }
    }

    fn native(&self) -> Option<Value> {
        let native = || Data::List(Arc::clone(&self.data)).as_plain_value();
        Some(self.native.get_or_init(native).clone())
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// Stores an error as an element of the concatenation, unless it is fatal and thus ends the evaluation.
fn kept(element: Result) -> Result {
    match element {
        Err(error) if !error.is_fatal() => Ok(Value::failure(error)),
        element => element,
    }
}

/// The concatenation of a set or map and another list (`refValSetList`, `refValMapList`).
#[derive(Debug)]
struct Sum {
    values: Vec<Value>,
    kind: Kind,
}

impl Sum {
    fn key(&self, element: Result) -> Result<Key> {
        match &self.kind {
            Kind::Map(keys) => Ok(value_map_key(element, keys)),
            Kind::Set | Kind::Atomic => value_key(element),
        }
    }

    fn equal_elements(&self, other: &List) -> Result<bool> {
        let mut ours = HashMap::new();
        for value in &self.values {
            ours.insert(self.key(value.clone().or_failure())?, value);
        }
        let mut seen = HashSet::new();
        for element in other.iter() {
            let key = self.key(element.clone())?;
            let Some(value) = ours.get(&key) else {
                return Ok(false);
            };
            if matches!(self.kind, Kind::Map(_)) && !same((*value).clone().or_failure(), element)? {
                return Ok(false);
            }
            seen.insert(key);
        }
        Ok(seen.len() == ours.len())
    }
}

fn sum(mut values: Vec<Value>, other: &List, kind: &Kind) -> Result {
    match kind {
        Kind::Map(keys) => {
            let keyed = values.iter().enumerate();
            let key = |it: &Value| value_map_key(it.clone().or_failure(), keys);
            let places: HashMap<_, _> = keyed.map(|(n, it)| (key(it), n)).collect();
            for element in other.iter() {
                let element = kept(element)?;
                match places.get(&key(&element)) {
                    Some(&n) => values[n] = element,
                    None => values.push(element),
                }
            }
        }
        Kind::Set | Kind::Atomic => {
            let mut seen = HashSet::new();
            for value in &values {
                seen.insert(value_key(value.clone().or_failure())?);
            }
            for element in other.iter() {
                if seen.insert(value_key(element.clone())?) {
                    values.push(kept(element)?);
                }
            }
        }
    }
    let kind = kind.clone();
    Ok(Value::List(List::foreign(Arc::new(Sum { values, kind }))))
}

impl ListValue for Sum {
    fn len(&self) -> usize {
        self.values.len()
    }

    fn get(&self, index: usize) -> Result {
        self.values[index].clone().or_failure()
    }

    fn equal(&self, other: &List) -> Option<Result<bool>> {
        if self.len() != other.len() {
            return Some(Ok(false));
        }
        Some(self.equal_elements(other))
    }

    fn add(&self, other: &List) -> Option<Result> {
        Some(sum(self.values.clone(), other, &self.kind))
    }

    fn is_made_by_expression(&self) -> bool {
        true
    }

    fn go_type(&self) -> &'static str {
        match self.kind {
            Kind::Map(_) => "*common.refValMapList",
            Kind::Set | Kind::Atomic => "*common.refValSetList",
        }
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// The error for elements that are not scalars. Such elements have no key in a set.
pub(super) fn not_scalar() -> EvalError {
    EvalError::new("listSet operations are only supported on lists of scalar values")
}
