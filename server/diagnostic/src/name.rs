//! Names of properties and fields in messages.

use crd_analyzer_schema::field::{Path, Segment};

use crate::text::clip;

/// The maximum number of characters of a name in messages. Longer names are shortened to their end.
const MAX_NAME: usize = 36;

/// A location in the schema of a CRD, from the author's point of view.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SchemaPlace {
    /// The path of the values that the schema describes: `spec.hosts[*]`; empty for the root.
    values: String,
    /// The innermost junctor on the path, such as `anyOf[0]`; empty without a junctor.
    junctor: String,
    /// The keyword and the rest of the path after it; empty if the location is the schema itself.
    pub rest: Vec<Segment>,
}

impl SchemaPlace {
    /// The location of a path in the author's document; `None` if the path is not in a schema.
    pub fn of(path: &Path) -> Option<Self> {
        let steps = path.segments();
        let begin = steps
            .iter()
            .position(|it| matches!(it, Segment::Field(name) if name == "openAPIV3Schema"))?;
        let mut place = Self::default();
        let mut rest = &steps[begin + 1..];
        loop {
            rest = match rest {
                [
                    Segment::Field(key),
                    Segment::Key(name) | Segment::Field(name),
                    rest @ ..,
                ] if key == "properties" => {
                    if !place.values.is_empty() {
                        place.values.push('.');
                    }
                    place.values.push_str(name);
                    rest
                }
                [Segment::Field(key), rest @ ..] if key == "items" => {
                    place.values.push_str("[*]");
                    rest
                }
                [Segment::Field(key), rest @ ..] if key == "additionalProperties" => {
                    place.values.push_str(".*");
                    rest
                }
                [Segment::Field(key), Segment::Index(n), rest @ ..]
                    if matches!(key.as_str(), "anyOf" | "allOf" | "oneOf") =>
                {
                    place.junctor = format!("{key}[{n}]");
                    rest
                }
                [Segment::Field(key), rest @ ..] if key == "not" => {
                    "not".clone_into(&mut place.junctor);
                    rest
                }
                _ => break,
            };
        }
        place.rest = rest.to_vec();
        Some(place)
    }

    /// A description of the property, such as: property `spec.a`, the items of `spec.hosts`, the root of the schema.
    pub fn noun(&self) -> String {
        let values = if self.values.is_empty() {
            "the root of the schema".to_owned()
        } else if let Some(list) = self.values.strip_suffix("[*]") {
            format!("the items of {}", shown(list))
        } else if let Some(map) = self.values.strip_suffix(".*") {
            format!("the values of {}", shown(map))
        } else {
            format!("property {}", shown(&self.values))
        };
        if self.junctor.is_empty() {
            values
        } else {
            format!("`{}` of {}", self.junctor, values.trim_start_matches("property "))
        }
    }

    /// The name of the property: `spec.a`.
    pub fn name(&self) -> String {
        if self.values.is_empty() {
            "the root".to_owned()
        } else {
            shown(&self.values)
        }
    }

    /// The path of the values that the schema describes: `spec.hosts[*]`.
    pub fn values(&self) -> &str {
        &self.values
    }

    /// The last name of the path: `hosts`.
    pub fn short(&self) -> String {
        let last = self.values.rsplit('.').next().unwrap_or_default();
        if last.is_empty() {
            "the root".to_owned()
        } else {
            shown(last)
        }
    }

    /// Whether the location is the root of a schema.
    pub fn is_root(&self) -> bool {
        self.values.is_empty()
    }

    /// The keyword of the junctor: `anyOf` for `anyOf[0]`.
    pub fn junctor(&self) -> &str {
        self.junctor.split('[').next().unwrap_or_default()
    }
}

/// The path of the values that a schema location describes, such as `spec.hosts[*]`; empty for the root, and `None` if the location is not in a
/// schema.
pub fn schema_values(path: &Path) -> Option<String> {
    SchemaPlace::of(path).map(|it| it.values)
}

/// A name in backquotes; a long name is shortened to its end.
pub fn shown(name: &str) -> String {
    let length = name.chars().count();
    if length <= MAX_NAME {
        return format!("`{}`", clip(name, MAX_NAME));
    }
    let end: String = name.chars().skip(length - (MAX_NAME - 1)).collect();
    // A cut between two names is preferred.
    let end = end
        .find(['.', '['])
        .filter(|at| *at > 0 && *at < MAX_NAME / 2)
        .map_or(end.as_str(), |at| &end[at..]);
    format!("`…{}`", clip(end, MAX_NAME))
}

/// The name of a field of a resource: `spec.hosts[0]`, or "the object" for the root.
pub fn field(path: &Path) -> String {
    if path.segments().is_empty() {
        return "the object".to_owned();
    }
    let mut name = String::new();
    for step in path.segments() {
        match step {
            Segment::Index(n) => name = format!("{name}[{n}]"),
            Segment::Field(key) | Segment::Key(key) => {
                if !name.is_empty() {
                    name.push('.');
                }
                name.push_str(key);
            }
        }
    }
    shown(&name)
}

/// The name in a segment; empty for an index.
pub fn name_of(segment: &Segment) -> &str {
    match segment {
        Segment::Field(name) | Segment::Key(name) => name,
        Segment::Index(_) => "",
    }
}

/// The last name of a path.
pub fn last(path: &Path) -> &str {
    path.segments().last().map_or("", name_of)
}

/// The path without its last segment.
pub fn parent(path: &Path) -> Path {
    let steps = path.segments();
    steps[..steps.len().saturating_sub(1)].iter().cloned().collect()
}

/// A description of the value at a path: a field of a resource, or a default of a CRD.
pub fn value(path: &Path) -> String {
    match SchemaPlace::of(path) {
        Some(place) => match place.rest.split_first() {
            Some((Segment::Field(key), [])) if key == "default" => format!("the default of {}", place.name()),
            Some((Segment::Field(key), below)) if key == "default" => {
                let below: Path = below.iter().cloned().collect();
                format!("{} in the default of {}", field(&below), place.short())
            }
            _ => place.noun(),
        },
        None => field(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(steps: &[&str]) -> SchemaPlace {
        let mut path = Path::of(["spec", "versions"])
            .index(0)
            .child("schema")
            .child("openAPIV3Schema");
        for step in steps {
            path.push(match step.parse() {
                Ok(n) => Segment::Index(n),
                Err(_) => Segment::Field((*step).to_owned()),
            });
        }
        SchemaPlace::of(&path).expect("a schema")
    }

    #[test]
    fn properties_have_the_names_of_their_values() {
        for (steps, noun) in [
            (&[][..], "the root of the schema"),
            (&["type"], "the root of the schema"),
            (&["properties", "spec", "type"], "property `spec`"),
            (
                &["properties", "spec", "properties", "a", "items"],
                "the items of `spec.a`",
            ),
            (
                &["properties", "a", "additionalProperties", "type"],
                "the values of `a`",
            ),
            (&["properties", "a", "anyOf", "1", "type"], "`anyOf[1]` of `a`"),
        ] {
            assert_eq!(place(steps).noun(), noun);
        }
    }

    #[test]
    fn long_names_keep_their_end() {
        assert_eq!(shown("spec.a"), "`spec.a`");
        let name = shown(&format!("spec.{}.hosts", "x".repeat(40)));
        assert!(name.starts_with("`…") && name.ends_with(".hosts`"), "{name}");
        assert!(name.chars().count() <= 40, "{name}");
    }
}
