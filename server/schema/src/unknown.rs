//! Unknown values: a template, a substitution or the base of a patch fills them in before the object is sent.
//!
//! A separate tree ([`Unknown`]) describes the unknown parts of a value, since any placeholder string could also be a real
//! value. Validation receives a [`Known`] with each value and skips unknown parts. A rule that reads an unknown value has no
//! result ([`touch`]).

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::field::{Path, Segment};

thread_local! {
    static TOUCHED: Cell<bool> = const { Cell::new(false) };
}

/// The unknown parts of a value. A fully known value has none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    how: How,
    /// The fields that an object may have besides those that are known. `None` if it may have any field.
    names: Option<BTreeSet<String>>,
    fields: BTreeMap<String, Unknown>,
    items: BTreeMap<usize, Unknown>,
}

/// The way in which a value is unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    /// The value is partly unknown: some of its parts may be anything.
    Inside,
    /// The value is an object or list that may have more entries or items than are known.
    More,
    /// The value may be anything.
    Value,
    /// The value may be anything of the type that it has here.
    Typed,
    /// The value is an item that represents any number of items.
    Items,
}

/// A builder for the unknown parts of an object or list.
#[derive(Default, Debug)]
pub struct Parts {
    has_more: bool,
    /// See [`Unknown::names`].
    names: Option<BTreeSet<String>>,
    fields: BTreeMap<String, Unknown>,
    items: BTreeMap<usize, Unknown>,
}

impl Parts {
    /// Records that there may be more entries or items.
    pub fn more(&mut self) {
        self.has_more = true;
        self.names = None;
    }

    /// Records that there may be more entries, but none with other names than these.
    pub fn more_of(&mut self, names: impl IntoIterator<Item = String>) {
        if !self.has_more {
            self.has_more = true;
            self.names = Some(BTreeSet::new());
        }
        if let Some(all) = &mut self.names {
            all.extend(names);
        }
    }

    /// Records the unknown parts of a field.
    pub fn field(&mut self, name: &str, unknown: Option<Unknown>) {
        if let Some(unknown) = unknown {
            self.fields.insert(name.to_owned(), unknown);
        }
    }

    /// Records the unknown parts of an item.
    pub fn item(&mut self, index: usize, unknown: Option<Unknown>) {
        if let Some(unknown) = unknown {
            if unknown.how == How::Items {
                self.more();
            }
            self.items.insert(index, unknown);
        }
    }

    /// The unknown parts of the object or list; `None` if everything is known.
    pub fn whole(self) -> Option<Unknown> {
        let how = if self.has_more { How::More } else { How::Inside };
        (self.has_more || !self.fields.is_empty() || !self.items.is_empty()).then_some(Unknown {
            how,
            names: self.names,
            fields: self.fields,
            items: self.items,
        })
    }
}

impl Unknown {
    /// The state of a value that may be anything.
    pub fn value() -> Self {
        Self::whole(How::Value)
    }

    /// The state of a value that may be anything of its type. The placeholder in the object has this type.
    pub fn typed() -> Self {
        Self::whole(How::Typed)
    }

    /// The state of an item that represents any number of items.
    pub fn items() -> Self {
        Self::whole(How::Items)
    }

    fn whole(how: How) -> Self {
        Self {
            how,
            names: None,
            fields: BTreeMap::new(),
            items: BTreeMap::new(),
        }
    }

    /// Removes the fields and items that are missing in `value`. `None` if nothing is left.
    #[must_use]
    pub fn of_what_is_in(self, value: &Value) -> Option<Self> {
        let fields = self.fields.into_iter().filter_map(|(name, unknown)| {
            let unknown = unknown.of_what_is_in(value.get(&name)?)?;
            Some((name, unknown))
        });
        let items = self.items.into_iter().filter_map(|(n, unknown)| {
            let unknown = unknown.of_what_is_in(value.get(n)?)?;
            Some((n, unknown))
        });
        let left = Self {
            how: self.how,
            names: self.names,
            fields: fields.collect(),
            items: items.collect(),
        };
        (left.how != How::Inside || !left.fields.is_empty() || !left.items.is_empty()).then_some(left)
    }

    /// Marks a field as known.
    #[must_use]
    pub fn without(mut self, field: &str) -> Self {
        self.fields.remove(field);
        self
    }

    /// The unknown parts of an object that contains only this field.
    #[must_use]
    pub fn only(mut self, field: &str) -> Self {
        let of_field = self.fields.remove(field);
        Self {
            fields: of_field.into_iter().map(|it| (field.to_owned(), it)).collect(),
            ..Self::whole(How::Inside)
        }
    }

    /// Marks the value at a path as unknown, in addition to the parts that were already unknown.
    pub fn at(before: Option<Self>, path: &[Segment]) -> Self {
        let mut here = before.unwrap_or(Self::whole(How::Inside));
        if matches!(here.how, How::Value | How::Typed | How::Items) {
            return here;
        }
        match path {
            [] => return Self::value(),
            [Segment::Field(name) | Segment::Key(name), rest @ ..] => {
                let below = here.fields.remove(name);
                here.fields.insert(name.clone(), Self::at(below, rest));
            }
            [Segment::Index(index), rest @ ..] => {
                let below = here.items.remove(index);
                here.items.insert(*index, Self::at(below, rest));
            }
        }
        here
    }

    /// Marks the value at a path of fields as unknown.
    #[must_use]
    pub fn with(mut self, path: &[&str]) -> Self {
        match path {
            [] => Self::value(),
            [first, rest @ ..] => {
                let below = self.fields.remove(*first).unwrap_or(Self::whole(How::Inside));
                self.fields.insert((*first).to_owned(), below.with(rest));
                self
            }
        }
    }
}

/// The known parts of a value, for code that validates it.
#[derive(Clone, Copy, Default, Debug)]
pub struct Known<'u>(Option<&'u Unknown>);

impl<'u> From<Option<&'u Unknown>> for Known<'u> {
    fn from(unknown: Option<&'u Unknown>) -> Self {
        Self(unknown)
    }
}

impl<'u> Known<'u> {
    /// Everything is known.
    pub const ALL: Self = Self(None);

    /// The known parts of the value at a path.
    #[must_use]
    pub fn at(self, path: &[Segment]) -> Self {
        path.iter().fold(self, |at, segment| match segment {
            Segment::Field(name) | Segment::Key(name) => at.field(name),
            Segment::Index(index) => at.item(*index),
        })
    }

    /// Whether the whole value is known.
    pub fn is_all(self) -> bool {
        self.0.is_none()
    }

    /// Whether the value is completely unknown, except for its type.
    pub fn is_nothing(self) -> bool {
        self.0
            .is_some_and(|it| matches!(it.how, How::Value | How::Typed | How::Items))
    }

    /// Whether only the type of the value is known.
    pub fn has_type(self) -> bool {
        self.0.is_some_and(|it| it.how == How::Typed)
    }

    /// Whether the value is an item that represents any number of items.
    pub fn is_items(self) -> bool {
        self.0.is_some_and(|it| it.how == How::Items)
    }

    /// Whether the object or list may have more entries or items than are known.
    pub fn has_more(self) -> bool {
        self.0.is_some_and(|it| it.how == How::More)
    }

    /// Whether the object may have a field that is not in it.
    pub fn may_have(self, name: &str) -> bool {
        let names = self.0.filter(|it| it.how == How::More).map(|it| it.names.as_ref());
        names.is_some_and(|it| it.is_none_or(|it| it.contains(name)))
    }

    /// The known parts of a field.
    #[must_use]
    pub fn field(self, name: &str) -> Self {
        Self(self.0.and_then(|it| it.fields.get(name)))
    }

    /// The known parts of an item.
    #[must_use]
    pub fn item(self, index: usize) -> Self {
        Self(self.0.and_then(|it| it.items.get(&index)))
    }

    /// The unknown parts, for callers that store them.
    pub fn unknown(self) -> Option<&'u Unknown> {
        self.0
    }
}

/// Records that an evaluation read an unknown value.
pub fn touch() {
    TOUCHED.set(true);
}

/// Whether an unknown value was read since the last call.
pub fn was_touched() -> bool {
    TOUCHED.replace(false)
}

/// Sets the unknown values to null, and removes the items that represent any number of items. Returns the paths of the nulls.
pub fn without_unknown(value: &mut Value, known: Known<'_>) -> Vec<Path> {
    let mut found = Vec::new();
    take_unknown(value, known, &mut Path::root(), &mut found);
    found
}

fn take_unknown(value: &mut Value, known: Known<'_>, path: &mut Path, found: &mut Vec<Path>) {
    if known.is_all() {
        return;
    }
    if known.is_nothing() {
        *value = Value::Null;
        found.push(path.clone());
        return;
    }
    match value {
        Value::Array(items) => {
            let (mut places, mut left) = (0.., 0);
            items.retain_mut(|item| {
                let known = places.next().map_or(Known::ALL, |n| known.item(n));
                if known.is_items() {
                    return false;
                }
                path.push(Segment::Index(left));
                take_unknown(item, known, path, found);
                path.pop();
                left += 1;
                true
            });
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                path.push(Segment::Field(name.clone()));
                take_unknown(value, known.field(name), path, found);
                path.pop();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Removes the unknown parts of metadata so that it can be decoded. Unknown names stay as strings, since a name is not missing.
pub fn settle_metadata<'v>(metadata: &'v Value, known: Known<'_>) -> Cow<'v, Value> {
    if known.is_all() {
        return Cow::Borrowed(metadata);
    }
    let Value::Object(fields) = metadata else {
        let is_nothing = known.is_nothing();
        return if is_nothing {
            Cow::Owned(Value::Object(Map::new()))
        } else {
            Cow::Borrowed(metadata)
        };
    };
    let mut settled = Map::new();
    for (name, value) in fields {
        let known = known.field(name);
        match (name.as_str(), value) {
            ("labels" | "annotations", Value::Object(entries)) => {
                let known = entries.iter().filter(|it| known.field(it.0).is_all());
                let known = known.map(|(key, value)| (key.clone(), value.clone())).collect();
                settled.insert(name.clone(), Value::Object(known));
            }
            ("name" | "generateName" | "namespace", Value::String(_)) => {
                settled.insert(name.clone(), value.clone());
            }
            ("name" | "generateName" | "namespace", _) if known.is_nothing() => {
                settled.insert(name.clone(), Value::String("unknown".to_owned()));
            }
            _ if known.is_all() => {
                settled.insert(name.clone(), value.clone());
            }
            _ => {}
        }
    }
    Cow::Owned(Value::Object(settled))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object<const N: usize>(fields: [(&str, Unknown); N]) -> Unknown {
        let mut parts = Parts::default();
        for (name, unknown) in fields {
            parts.field(name, Some(unknown));
        }
        parts.whole().unwrap()
    }

    #[test]
    fn settled_metadata_can_be_decoded() {
        let metadata = json!({
            "name": "${A}", "labels": {"a": "${A}", "b": "c"}, "annotations": "${A}",
            "ownerReferences": [{"uid": "${A}"}], "finalizers": ["a/b"],
        });
        let mut owners = Parts::default();
        owners.item(0, Some(object([("uid", Unknown::value())])));
        let unknown = object([
            ("name", Unknown::value()),
            ("labels", object([("a", Unknown::value())])),
            ("annotations", Unknown::value()),
            ("ownerReferences", owners.whole().unwrap()),
        ]);
        let settled = settle_metadata(&metadata, Some(&unknown).into());
        assert_eq!(
            *settled,
            json!({"name": "${A}", "labels": {"b": "c"}, "finalizers": ["a/b"]})
        );
        let left = unknown.of_what_is_in(&settled).unwrap();
        assert_eq!(left, object([("name", Unknown::value())]));
        assert_eq!(
            *settle_metadata(&json!("${A}"), Some(&Unknown::value()).into()),
            json!({})
        );
        assert_eq!(*settle_metadata(&json!("${A}"), Known::ALL), json!("${A}"));
    }

    #[test]
    fn a_list_with_an_item_for_any_number_has_more() {
        let mut parts = Parts::default();
        parts.item(0, Some(Unknown::items()));
        let list = parts.whole();
        let known = Known::from(list.as_ref());
        assert!(known.has_more() && known.item(0).is_nothing() && known.item(1).is_all());
        let mut value = json!(["${B}", "e"]);
        without_unknown(&mut value, known);
        assert_eq!(value, json!(["e"]));
        assert_eq!(Parts::default().whole(), None);
    }

    #[test]
    fn of_a_value_only_the_type_is_known() {
        let whole = object([("a", Unknown::typed())]);
        let known = Known::from(Some(&whole));
        let path = [Segment::Field("a".to_owned())];
        assert!(known.at(&path).is_nothing() && known.at(&path).has_type());
        assert!(!known.at(&[]).is_nothing() && !Known::from(Some(&Unknown::value())).has_type());
        assert_eq!(
            Unknown::at(Some(whole.clone()), &[path[0].clone(), Segment::Index(0)]),
            whole
        );
    }

    #[test]
    fn a_value_at_a_path_is_not_known() {
        let path = [
            Segment::Field("a".to_owned()),
            Segment::Index(1),
            Segment::Key("b".to_owned()),
        ];
        let unknown = Unknown::at(None, &path);
        let known = Known::from(Some(&unknown)).field("a");
        assert!(known.item(0).is_all() && known.item(1).field("b").is_nothing() && known.item(1).field("c").is_all());
        let more = Unknown::at(Some(unknown), &path[..1]);
        assert_eq!(more, object([("a", Unknown::value())]));
        assert_eq!(Unknown::at(Some(more.clone()), &path), more, "nothing of it is known");
    }

    #[test]
    fn what_becomes_known_is_not_unknown() {
        let unknown = object([("a", Unknown::value()), ("b", object([("c", Unknown::value())]))]);
        assert_eq!(unknown.clone().without("a").of_what_is_in(&json!({"b": {}})), None);
        assert_eq!(unknown.clone().only("a"), object([("a", Unknown::value())]));
        assert_eq!(unknown.clone().without("a").with(&["a"]), unknown);
    }
}
