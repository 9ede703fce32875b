//! Lists (`cel-go` `common/types/list.go`, `k8s.io/apiserver/pkg/cel/common/valuesunstructured.go`).

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crd_analyzer_budget as budget;

use super::compare::{equal, equal_to, not_comparable};
use super::number::{exact_int, exact_uint};
use super::{ErrorKind, EvalError, Key, Result, Value};

/// A foreign list: a list from outside the expression, which is read lazily.
pub trait ListValue: fmt::Debug + Send + Sync {
    /// The number of elements.
    fn len(&self) -> usize;

    /// Whether the list is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element at `index`, which is less than [`Self::len`].
    fn get(&self, index: usize) -> Result;

    /// Whether another list is equal. With `None`, the lists are equal if all elements are equal, in this order.
    fn equal(&self, other: &List) -> Option<Result<bool>> {
        let _ = other;
        None
    }

    /// The concatenation with another list. With `None`, the result contains all elements of both lists.
    fn add(&self, other: &List) -> Option<Result> {
        let _ = other;
        None
    }

    /// Whether an expression created the list. Such a list behaves like a list of values, except for [`Self::equal`] and [`Self::add`].
    fn is_made_by_expression(&self) -> bool {
        false
    }

    /// The list as plain data without its schema; `None` if the list is already plain.
    fn native(&self) -> Option<Value> {
        None
    }

    /// The API server's Go type of the list, for error messages.
    fn go_type(&self) -> &'static str {
        "*common.unstructuredList"
    }

    /// The list as `Any`, for callers that know its concrete type.
    fn as_any(&self) -> &dyn std::any::Any;
}

/// The source of a value, which its creator can retrieve later.
pub type Origin = Arc<dyn std::any::Any + Send + Sync>;

/// A list. Cheap to clone.
#[derive(Clone, Debug)]
pub struct List(Repr);

#[derive(Clone, Debug)]
enum Repr {
    Values(Arc<[Value]>),
    /// Values that result from concatenating two short lists.
    Joined(Arc<[Value]>),
    /// Values, and the data from which they were read.
    Plain(Arc<(Vec<Value>, Origin)>),
    /// A concatenation of two lists, and its length.
    Concat(Arc<(List, List)>, usize),
    /// The accumulator of a comprehension. All clones share one list until the comprehension ends.
    Growing(Arc<Mutex<Vec<Value>>>),
    Foreign(Arc<dyn ListValue>),
}

impl List {
    pub(super) fn go_type(&self) -> &'static str {
        match &self.0 {
            Repr::Values(_) | Repr::Plain(_) => "*types.baseList",
            Repr::Joined(_) | Repr::Concat(..) => "*types.concatList",
            Repr::Growing(_) => "*types.mutableList",
            Repr::Foreign(list) => list.go_type(),
        }
    }

    /// A list of these values. Reading an element that is a [`Value::failure`] returns its error.
    pub fn new(values: Vec<Value>) -> Self {
        Self(Repr::Values(values.into()))
    }

    /// A list without a schema (`types.NativeToValue`), with the data from which it was read.
    pub fn plain(values: Vec<Value>, origin: Origin) -> Self {
        Self(Repr::Plain(Arc::new((values, origin))))
    }

    /// The data from which a list of [`Self::plain`] was read.
    pub fn origin(&self) -> Option<&Origin> {
        match &self.0 {
            Repr::Plain(plain) => Some(&plain.1),
            _ => None,
        }
    }

    /// A list of these elements, which may be errors. The first fatal error is returned instead of the list.
    pub fn of_results(elements: impl IntoIterator<Item = Result>) -> Result<Self> {
        let kept = |element: Result| match element {
            Err(error) if error.is_fatal() => Err(error),
            Err(error) => Ok(Value::failure(error)),
            value => value,
        };
        elements
            .into_iter()
            .map(kept)
            .collect::<Result<Vec<_>>>()
            .map(Self::new)
    }

    /// The address of the list, unique among all existing lists.
    pub(super) fn address(&self) -> usize {
        match &self.0 {
            Repr::Values(values) | Repr::Joined(values) => Arc::as_ptr(values).cast::<()>() as usize,
            Repr::Plain(plain) => Arc::as_ptr(plain) as usize,
            Repr::Concat(parts, _) => Arc::as_ptr(parts) as usize,
            Repr::Growing(values) => Arc::as_ptr(values) as usize,
            Repr::Foreign(list) => Arc::as_ptr(list).cast::<()>() as usize,
        }
    }

    /// A foreign list.
    pub fn foreign(list: Arc<dyn ListValue>) -> Self {
        Self(Repr::Foreign(list))
    }

    /// An empty list to which [`Self::add`] adds in place.
    pub(crate) fn growing() -> Self {
        Self(Repr::Growing(Arc::default()))
    }

    /// The current state of a growing list, as an immutable list.
    pub(crate) fn frozen(self) -> Self {
        match self.0 {
            Repr::Growing(values) => {
                let values = std::mem::take(&mut *values.lock().unwrap_or_else(PoisonError::into_inner));
                Self::new(values)
            }
            repr => Self(repr),
        }
    }

    /// Whether the list is data from outside the expression, which is read lazily.
    pub(crate) fn is_data(&self) -> bool {
        matches!(&self.0, Repr::Foreign(list) if !list.is_made_by_expression())
    }

    /// Whether the list is a concatenation of two lists.
    pub(crate) fn is_sum(&self) -> bool {
        matches!(self.0, Repr::Joined(_) | Repr::Concat(..))
    }

    /// The foreign list, if this is one.
    pub fn as_foreign(&self) -> Option<&dyn ListValue> {
        match &self.0 {
            Repr::Foreign(list) => Some(&**list),
            _ => None,
        }
    }

    /// The list as plain data without its schema.
    pub(crate) fn native(&self) -> Self {
        match &self.0 {
            Repr::Foreign(list) => match list.native() {
                Some(Value::List(native)) => native,
                _ => self.clone(),
            },
            _ => self.clone(),
        }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Values(values) | Repr::Joined(values) => values.len(),
            Repr::Plain(plain) => plain.0.len(),
            Repr::Concat(_, len) => *len,
            Repr::Growing(values) => values.lock().unwrap_or_else(PoisonError::into_inner).len(),
            Repr::Foreign(list) => list.len(),
        }
    }

    /// The size of the list itself in bytes, without the contents of its elements.
    pub(crate) fn bytes(&self) -> u64 {
        (self.len() * size_of::<Value>()) as u64
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the list is a zero value, like an unset field. Foreign lists are never zero values.
    pub(super) fn is_zero(&self) -> bool {
        !self.is_data() && self.is_empty()
    }

    /// The element at an index.
    pub fn get(&self, index: usize) -> Option<Result> {
        let mut list = self.clone();
        let mut index = index;
        loop {
            match &list.0 {
                Repr::Plain(plain) => return plain.0.get(index).cloned().map(Value::or_failure),
                Repr::Values(values) | Repr::Joined(values) => {
                    return values.get(index).cloned().map(Value::or_failure);
                }
                Repr::Growing(values) => {
                    return values
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .get(index)
                        .cloned()
                        .map(Value::or_failure);
                }
                Repr::Foreign(list) => return (index < list.len()).then(|| list.get(index)),
                Repr::Concat(parts, _) => {
                    let first = parts.0.len();
                    let next = if index < first {
                        parts.0.clone()
                    } else {
                        index -= first;
                        parts.1.clone()
                    };
                    list = next;
                }
            }
        }
    }

    /// Iterates over all elements.
    pub fn iter(&self) -> impl Iterator<Item = Result> + '_ {
        (0..self.len()).map_while(|index| self.get(index))
    }

    /// The element at an index given as a CEL value. The errors are the same as for the list's Go type.
    pub fn at(&self, index: &Value) -> Result {
        if self.is_data() {
            let Value::Int(i) = index else {
                return Err(EvalError::new(format!("unsupported index: {index}")));
            };
            let found = usize::try_from(*i).ok().and_then(|i| self.get(i));
            return found.unwrap_or_else(|| {
                Err(EvalError::of(
                    ErrorKind::NoSuchIndex,
                    format!("index out of bounds: {i}"),
                ))
            });
        }
        let i = Self::index(index)?;
        let found = usize::try_from(i).ok().and_then(|i| self.get(i));
        found.unwrap_or_else(|| {
            Err(EvalError::of(
                ErrorKind::NoSuchIndex,
                format!("index '{i}' out of range in list size '{}'", self.len()),
            ))
        })
    }

    /// Converts a CEL value to an index.
    pub fn index(value: &Value) -> Result<i64> {
        match value {
            Value::Int(i) => Ok(*i),
            Value::Double(d) => {
                exact_int(*d).ok_or_else(|| EvalError::new(format!("unsupported index value {value} in list")))
            }
            Value::Uint(u) => {
                i64::try_from(*u).map_err(|_| EvalError::new(format!("unsupported index value {value} in list")))
            }
            _ => Err(EvalError::new(format!(
                "unsupported index type '{}' in list",
                value.type_name()
            ))),
        }
    }

    /// Whether an element equals a value.
    pub fn contains(&self, value: &Value) -> Result<bool> {
        match &self.0 {
            Repr::Foreign(list) if self.is_data() => {
                value.clone().or_failure()?;
                let mut error = None;
                for index in 0..list.len() {
                    match list.get(index).and_then(|element| equal_to(&element, value)) {
                        Ok(true) => return Ok(true),
                        Ok(false) => {}
                        Err(e) => error = error.or(Some(e)),
                    }
                }
                error.map_or(Ok(false), Err)
            }
            Repr::Concat(parts, _) => {
                let first = parts.0.contains(value);
                if matches!(first, Ok(true)) {
                    return Ok(true);
                }
                match (first, parts.1.contains(value)) {
                    (_, Ok(true)) => Ok(true),
                    (Err(e), _) => Err(e),
                    (_, second) => second,
                }
            }
            _ => {
                for element in self.iter().flatten() {
                    match equal_to(value, &element) {
                        Ok(true) => return Ok(true),
                        Err(fatal) if fatal.is_fatal() => return Err(fatal),
                        _ => {}
                    }
                }
                Ok(false)
            }
        }
    }

    /// Whether another value is an equal list.
    pub(super) fn equal(&self, other: &Value) -> Result<bool> {
        if let Repr::Foreign(list) = &self.0 {
            let Value::List(other) = other else {
                return Err(not_comparable(other));
            };
            if let Some(answer) = list.equal(other) {
                return answer;
            }
            if list.len() != other.len() {
                return Ok(false);
            }
            for index in 0..list.len() {
                let ours = list.get(index)?;
                let theirs = other.get(index).unwrap_or(Ok(Value::Null));
                if !equal_to(&ours, &theirs.unwrap_or_else(Value::failure))? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        let Value::List(other) = other else { return Ok(false) };
        if self.len() != other.len() {
            return Ok(false);
        }
        let mut error = None;
        for (a, b) in self.iter().zip(other.iter()) {
            match a.and_then(|a| equal(&a, &b.unwrap_or_else(Value::failure))) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(fatal) if fatal.is_fatal() => return Err(fatal),
                Err(e) => error = error.or(Some(e)),
            }
        }
        // The API server only reports comparison errors of elements for concatenated lists.
        match error {
            Some(error) if self.is_sum() => Err(error),
            _ => Ok(true),
        }
    }

    /// The concatenation of this list and another.
    pub fn add(&self, other: &Self) -> Result {
        match &self.0 {
            Repr::Growing(values) => {
                budget::bytes(other.bytes())?;
                let more: Vec<Value> = other.iter().map(|it| it.unwrap_or_else(Value::failure)).collect();
                values.lock().unwrap_or_else(PoisonError::into_inner).extend(more);
                Ok(Value::List(self.clone()))
            }
            Repr::Foreign(list) => {
                budget::bytes(self.bytes() + other.bytes())?;
                if let Some(sum) = list.add(other) {
                    return sum;
                }
                Self::of_results(self.iter().chain(other.iter())).map(Value::List)
            }
            _ if self.is_empty() => Ok(Value::List(other.clone())),
            _ if other.is_empty() => Ok(Value::List(self.clone())),
            // Long chains of concatenations are flattened to limit the nesting.
            _ => {
                let small = self.len() + other.len() <= 64;
                budget::bytes(if small { self.bytes() + other.bytes() } else { 64 })?;
                let foreign = matches!(other.0, Repr::Foreign(_)) || matches!(self.0, Repr::Concat(..));
                if small && !foreign {
                    let joined = Self::of_results(self.iter().chain(other.iter()))?;
                    return Ok(Value::List(match joined.0 {
                        Repr::Values(values) => Self(Repr::Joined(values)),
                        repr => Self(repr),
                    }));
                }
                let len = self.len() + other.len();
                Ok(Value::List(Self(Repr::Concat(
                    Arc::new((self.clone(), other.clone())),
                    len,
                ))))
            }
        }
    }
}

/// The same number in other numeric types. Map lookups also look for these keys.
pub(super) fn same_number(value: &Value) -> impl Iterator<Item = Key> + use<> {
    let (first, second) = match value {
        Value::Double(d) => (exact_int(*d).map(Key::Int), exact_uint(*d).map(Key::Uint)),
        Value::Int(i) => (u64::try_from(*i).ok().map(Key::Uint), None),
        Value::Uint(u) => (i64::try_from(*u).ok().map(Key::Int), None),
        _ => (None, None),
    };
    first.into_iter().chain(second)
}
