//! A decoded struct as Go code reads it: the value of a missing field is the zero value.

use std::sync::LazyLock;

use serde_json::{Map, Value};

/// The fields of a decoded struct.
#[derive(Clone, Copy)]
pub(crate) struct View<'a>(&'a Map<String, Value>);

impl<'a> View<'a> {
    pub(crate) fn new(fields: &'a Map<String, Value>) -> Self {
        Self(fields)
    }

    /// A string field.
    pub(crate) fn text(self, name: &str) -> &'a str {
        self.pointer(name).unwrap_or_default()
    }

    /// A field that is a pointer to a string.
    pub(crate) fn pointer(self, name: &str) -> Option<&'a str> {
        self.0.get(name)?.as_str()
    }

    /// A field that is a pointer to a struct.
    pub(crate) fn structure(self, name: &str) -> Option<Self> {
        self.0.get(name)?.as_object().map(Self)
    }

    /// The structs in a list.
    pub(crate) fn structures(self, name: &str) -> impl ExactSizeIterator<Item = Self> + use<'a> {
        // The decoder puts only objects into a list of structs, so this value is never used.
        static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
        let fields = |it: &'a Value| Self(it.as_object().unwrap_or(&NONE));
        self.items(name).iter().map(fields)
    }

    /// The strings in a list.
    pub(crate) fn texts(self, name: &str) -> Vec<&'a str> {
        let items = self.items(name).iter();
        items.map(|it| it.as_str().unwrap_or_default()).collect()
    }

    /// The keys and values of a map of strings.
    pub(crate) fn entries(self, name: &str) -> Vec<(String, String)> {
        let entries = self.0.get(name).and_then(Value::as_object).into_iter().flatten();
        let text = |it: &Value| it.as_str().unwrap_or_default().to_owned();
        entries.map(|(key, value)| (key.clone(), text(value))).collect()
    }

    fn items(self, name: &str) -> &'a [Value] {
        self.0.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}
