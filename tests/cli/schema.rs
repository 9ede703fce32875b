//! A JSON Schema validator for the keywords in our schemas and in the SARIF schema.

use serde_json::Value;

/// The violations of a schema in a value, each with its path.
pub(crate) fn problems(schema: &Value, value: &Value) -> Vec<String> {
    let mut checker = Checker {
        root: schema,
        problems: Vec::new(),
    };
    checker.check(schema, value, "");
    checker.problems
}

struct Checker<'s> {
    root: &'s Value,
    problems: Vec<String>,
}

impl Checker<'_> {
    fn fail(&mut self, at: &str, why: &str) {
        self.problems.push(format!("{at}: {why}"));
    }

    fn check(&mut self, schema: &Value, value: &Value, at: &str) {
        let Some(keywords) = schema.as_object() else {
            if schema == false {
                self.fail(at, "nothing may be here");
            }
            return;
        };
        for (keyword, wanted) in keywords {
            match keyword.as_str() {
                "$ref" => {
                    let pointer = wanted
                        .as_str()
                        .and_then(|it| it.strip_prefix('#'))
                        .expect("a place in the schema");
                    let target = self.root.pointer(pointer).expect("it is there").clone();
                    self.check(&target, value, at);
                }
                "type" => {
                    let names = wanted.as_array().cloned().unwrap_or_else(|| vec![wanted.clone()]);
                    if !names.iter().any(|it| is_of_type(value, it.as_str().expect("a name"))) {
                        self.fail(at, &format!("{value} is not {wanted}"));
                    }
                }
                "properties" => {
                    let members = value.as_object().into_iter().flatten();
                    for (name, member) in members {
                        if let Some(schema) = wanted.get(name) {
                            self.check(schema, member, &format!("{at}/{name}"));
                        }
                    }
                }
                "additionalProperties" => {
                    for (name, member) in value.as_object().into_iter().flatten() {
                        let is_known = keywords.get("properties").is_some_and(|it| it.get(name).is_some());
                        if !is_known {
                            self.check(wanted, member, &format!("{at}/{name}"));
                        }
                    }
                }
                "required" => {
                    for name in wanted.as_array().into_iter().flatten().filter_map(Value::as_str) {
                        if value.is_object() && value.get(name).is_none() {
                            self.fail(at, &format!("{name} does not exist"));
                        }
                    }
                }
                "items" => {
                    for (n, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(wanted, item, &format!("{at}/{n}"));
                    }
                }
                "enum" => {
                    if !wanted.as_array().is_some_and(|it| it.contains(value)) {
                        self.fail(at, &format!("{value} is not one of {wanted}"));
                    }
                }
                "minimum" | "maximum" => {
                    let is_within = value.as_f64().zip(wanted.as_f64()).is_none_or(|(value, bound)| {
                        if keyword == "minimum" {
                            value >= bound
                        } else {
                            value <= bound
                        }
                    });
                    if !is_within {
                        self.fail(at, &format!("{value} breaks {keyword} {wanted}"));
                    }
                }
                "minItems" => {
                    if value
                        .as_array()
                        .is_some_and(|it| (it.len() as u64) < wanted.as_u64().unwrap_or(0))
                    {
                        self.fail(at, "there are too few");
                    }
                }
                "uniqueItems" => {
                    let items = value.as_array().map_or(&[][..], Vec::as_slice);
                    let is_twice = |n: usize| items[..n].contains(&items[n]);
                    if wanted == true && (0..items.len()).any(is_twice) {
                        self.fail(at, "an item is there twice");
                    }
                }
                "pattern" => {
                    let pattern = regex::Regex::new(wanted.as_str().expect("a pattern")).expect("it compiles");
                    if value.as_str().is_some_and(|it| !pattern.is_match(it)) {
                        self.fail(at, &format!("{value} does not match {wanted}"));
                    }
                }
                "anyOf" | "oneOf" => {
                    let variants = wanted.as_array().expect("variants");
                    let fitting = variants.iter().filter(|it| self.fits(it, value)).count();
                    if fitting == 0 || keyword == "oneOf" && fitting > 1 {
                        self.fail(at, &format!("{fitting} variants of {keyword} fit"));
                    }
                }
                "format" => {
                    let text = value.as_str().unwrap_or_default();
                    if wanted == "uri" && !text.contains(':') || text.contains([' ', '\\', '<', '>', '"']) {
                        self.fail(at, &format!("{text:?} is no {wanted}"));
                    }
                }
                "$schema" | "id" | "$id" | "title" | "description" | "default" | "definitions" | "$defs" => {}
                other => panic!("the keyword {other} is not known here"),
            }
        }
    }

    fn fits(&self, schema: &Value, value: &Value) -> bool {
        let mut checker = Checker {
            root: self.root,
            problems: Vec::new(),
        };
        checker.check(schema, value, "");
        checker.problems.is_empty()
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("the type {other} does not exist"),
    }
}
