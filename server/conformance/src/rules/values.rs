//! Generates random values for a schema. Some of them are invalid.

use fastrand::Rng;
use serde_json::{Map, Value, json};

use super::{constants, literals, pick};

/// Generates values of schemas.
pub(super) struct Values<'a> {
    pub(super) rng: &'a mut Rng,
    /// The strings that are written in the rule.
    pub(super) texts: &'a [String],
}

impl Values<'_> {
    /// A value of a schema. About one in thirty of its parts is invalid.
    pub(super) fn of(&mut self, schema: &Value) -> Value {
        if self.rng.u8(..32) == 0 {
            return self.anything(2);
        }
        if schema["nullable"] == true && self.rng.u8(..4) == 0 {
            return Value::Null;
        }
        if schema["x-kubernetes-int-or-string"] == true {
            return if self.rng.bool() { self.integer() } else { self.text() };
        }
        if let Some(choice) = schema["enum"].as_array()
            && !choice.is_empty()
        {
            return choice[self.rng.usize(..choice.len())].clone();
        }
        match schema["type"].as_str().unwrap_or_default() {
            "string" => self.string(schema),
            "integer" => self.integer(),
            "number" => match self.rng.u8(..4) {
                0 => self.integer(),
                1 => json!(f64::from_bits(self.rng.u64(..) & !(1 << 62))),
                _ => json!(
                    [
                        0.0,
                        0.5,
                        -1.25,
                        1e30,
                        1e-7,
                        3.0,
                        1e19,
                        100.25,
                        -0.0,
                        1e308,
                        5e-324,
                        1e21,
                        123_456_789.5
                    ][self.rng.usize(..13)]
                ),
            },
            "boolean" => self.rng.bool().into(),
            "array" => self.list(schema),
            "object" => self.object(schema),
            _ => self.anything(2),
        }
    }

    fn list(&mut self, schema: &Value) -> Value {
        let usual = if self.rng.u8(..10) == 0 { 20 } else { 4 };
        let most = schema["maxItems"].as_u64().unwrap_or(usual).clamp(1, usual) as usize;
        let mut items: Vec<Value> = (0..self.rng.usize(..=most))
            .map(|_| self.of(&schema["items"]))
            .collect();
        let is_set = schema["x-kubernetes-list-type"] == "set";
        if is_set && self.rng.u8(..4) > 0 {
            let mut seen = Vec::new();
            items.retain(|item| {
                !seen.contains(item) && {
                    seen.push(item.clone());
                    true
                }
            });
        } else if !items.is_empty() && self.rng.u8(..6) == 0 {
            items.push(items[0].clone());
        }
        items.into()
    }

    fn object(&mut self, schema: &Value) -> Value {
        let mut value = Map::new();
        let required: Vec<&str> = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let chance = if required.contains(&name.as_str()) { 19 } else { 15 };
            if self.rng.u8(..20) < chance {
                value.insert(name.clone(), self.of(property));
            }
        }
        if schema["additionalProperties"].is_object() {
            for _ in 0..self.rng.usize(..4) {
                let key = self.key();
                value.insert(key, self.of(&schema["additionalProperties"]));
            }
        }
        if schema["x-kubernetes-embedded-resource"] == true {
            value.insert("apiVersion".to_owned(), "v1".into());
            value.insert("kind".to_owned(), "Pod".into());
            value
                .entry("metadata")
                .or_insert_with(|| json!({"name": "n", "labels": {"a": "b"}}));
        }
        let is_open = schema["x-kubernetes-preserve-unknown-fields"] == true;
        if self.rng.u8(..if is_open { 2 } else { 30 }) == 0 {
            value.insert(self.key(), self.anything(1));
        }
        value.into()
    }

    fn key(&mut self) -> String {
        if self.rng.u8(..3) == 0 && !self.texts.is_empty() {
            return self.texts[self.rng.usize(..self.texts.len())].clone();
        }
        pick(
            self.rng,
            &["a", "b", "c", "abc", "x.y/z", "1", "", "é", "😀", "a-b", "name"],
        )
        .to_owned()
    }

    fn integer(&mut self) -> Value {
        if self.rng.u8(..6) == 0 {
            return json!(constants::int(self.rng).parse::<i64>().unwrap_or(4));
        }
        json!([0, 1, -1, 2, 3, 5, 7, 10, 42, 80, 100, 65_535, i64::MAX, i64::MIN][self.rng.usize(..14)])
    }

    fn text(&mut self) -> Value {
        if self.rng.u8(..3) == 0 && !self.texts.is_empty() {
            return self.texts[self.rng.usize(..self.texts.len())].clone().into();
        }
        literals::any_text(self.rng).into()
    }

    fn string(&mut self, schema: &Value) -> Value {
        let well_formed = match schema["format"].as_str().unwrap_or_default() {
            "byte" => &[
                "YWJj",
                "",
                "AA==",
                "aGVsbG8gd29ybGQ=",
                "/w==",
                "8J+YgA==",
                "YQ",
                "YW\nJj",
            ][..],
            "duration" => &[
                "1h30m",
                "0s",
                "5ms",
                "-2h",
                "100ns",
                "1.5h",
                "1d",
                "2 weeks",
                "1h30m5.25s",
                "292y",
            ],
            "date" => &["2024-02-29", "1970-01-01", "0001-01-01", "9999-12-31", "2023-02-29"],
            "date-time" | "datetime" => &[
                "2024-01-02T03:04:05Z",
                "1970-01-01T00:00:00+02:00",
                "2024-06-30T23:59:59.5Z",
                "1999-12-31T23:59:59.999999999-08:00",
                "2024-01-02 03:04:05",
                "2024-01-02T03:04:05",
                "2024-01-02T03:04Z",
                "2024-01-02t03:04:05z",
                "0000-01-01T00:00:00Z",
            ],
            _ => return self.text(),
        };
        if self.rng.u8(..12) == 0 {
            self.text()
        } else {
            pick(self.rng, well_formed).into()
        }
    }

    fn anything(&mut self, depth: u8) -> Value {
        match self.rng.u8(..if depth == 0 { 5 } else { 7 }) {
            0 => Value::Null,
            1 => self.integer(),
            2 => self.text(),
            3 => self.rng.bool().into(),
            4 => json!(1.5),
            5 => (0..self.rng.u8(..3)).map(|_| self.anything(depth - 1)).collect(),
            _ => (0..self.rng.u8(..3))
                .map(|_| (self.key(), self.anything(depth - 1)))
                .collect::<Map<_, _>>()
                .into(),
        }
    }
}

/// The contents of the plain string literals in a rule.
pub(super) fn texts_of(rule: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for quote in ['\'', '"'] {
        let parts: Vec<&str> = rule.split(quote).collect();
        texts.extend(
            parts
                .iter()
                .skip(1)
                .step_by(2)
                .filter(|it| it.len() <= 80)
                .map(|it| (*it).to_owned()),
        );
    }
    texts
}
