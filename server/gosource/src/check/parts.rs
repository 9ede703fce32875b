//! Splits a marker, even an incomplete one, into its name and its arguments, with their positions.

use std::ops::Range;

use super::{
    Split,
    catalog::{Argument, Definition, Release},
    comments::Written,
};

/// The parts of a marker. All ranges are bytes of the file.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The range from after the plus sign to the first `=`.
    pub whole: Range<usize>,
    /// The range of the marker's name within `whole`. Equal to `whole` if the marker is unknown.
    pub name: Range<usize>,
    /// The definition of the marker for its declaration. If it belongs to none, the definition for the first target that the marker has.
    pub definition: Option<&'static Definition>,
    /// Whether `=` follows the name, although the arguments have names and begin with a colon.
    pub is_assigned: bool,
    /// The arguments as written.
    pub arguments: Vec<Part>,
}

/// An argument as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The whole argument, between two commas.
    pub span: Range<usize>,
    /// The name of the argument. `None` if the marker has a single, unnamed value.
    pub name: Option<Range<usize>>,
    /// The text after the argument's `=`. `None` without `=`.
    pub value: Option<Range<usize>>,
}

impl Parts {
    /// Splits a marker that ends at `end`.
    pub fn of(text: &str, marker: &Written, end: usize) -> Self {
        let written = text.get(marker.span.start..end).unwrap_or_default();
        let split = Split::of(written);
        let start = marker.span.start + usize::from(written.starts_with('+'));
        let whole = start..start + split.whole.len();
        let definition = marker
            .belongs
            .ok()
            .and_then(|it| split.definition(it))
            .or_else(|| split.definitions().first());
        let name = definition.map_or(split.whole, |it| it.name);
        let name = start..start + name.len();
        let mut parts = Self {
            whole: whole.clone(),
            name: name.clone(),
            definition,
            is_assigned: definition.is_some_and(|it| it.is_assigned(split.whole, whole.end < end)),
            arguments: Vec::new(),
        };
        if whole.end == end {
            return parts;
        }
        let values = whole.end + 1..end;
        // `:=` means the same as `=`.
        let is_unnamed = ["", ":"].contains(&&text[name.end..whole.end]);
        let is_one = definition.is_some_and(Definition::is_anonymous) && is_unnamed;
        if is_one {
            parts.arguments.push(Part {
                span: values.clone(),
                name: None,
                value: Some(values),
            });
            return parts;
        }
        let mut at = values.start;
        if name != whole {
            // The first argument's name is before the first `=`, as part of the marker's name.
            at = values.start + piece(&text[values.clone()]);
            parts.arguments.push(Part {
                span: name.end + 1..at,
                name: Some(name.end + 1..whole.end),
                value: Some(values.start..at),
            });
            if at == end {
                return parts;
            }
            at += 1;
        }
        loop {
            let next = at + piece(&text[at..end]);
            let equals = text[at..next].find('=').map(|it| at + it);
            parts.arguments.push(Part {
                span: at..next,
                name: Some(trimmed(text, at..equals.unwrap_or(next))),
                value: equals.map(|it| it + 1..next),
            });
            if next == end {
                return parts;
            }
            at = next + 1;
        }
    }

    /// The definition of the argument that a part sets.
    pub fn argument(&self, text: &str, part: &Part) -> Option<&'static Argument> {
        let all = &self.definition?.arguments;
        match &part.name {
            None => all.first(),
            Some(name) => all.iter().find(|it| it.name == text[name.clone()]),
        }
    }

    /// If `=` follows the name, and then a value without a name: the argument that was meant, which is the only one that is necessary and not set, or
    /// the only one at all.
    pub fn unnamed(&self, text: &str, release: Release) -> Option<&'static Argument> {
        let is_named = |it: &Part| it.value.is_some() && self.argument(text, it).is_some();
        if !self.is_assigned || self.arguments.first().is_none_or(is_named) {
            return None;
        }
        let missing: Vec<_> = self.missing(text, release).collect();
        let necessary: Vec<_> = missing.iter().filter(|it| !it.is_optional).collect();
        match (necessary.as_slice(), missing.as_slice()) {
            ([only], _) => Some(only),
            ([], [only]) => Some(only),
            _ => None,
        }
    }

    /// The arguments that a release supports and that are not set yet.
    pub fn missing(&self, text: &str, release: Release) -> impl Iterator<Item = &'static Argument> {
        let set: Vec<&str> = self
            .arguments
            .iter()
            .filter(|it| it.value.is_some())
            .filter_map(|it| text.get(it.name.clone()?))
            .collect();
        let all = self.definition.map_or(&[][..], |it| it.arguments.as_slice());
        all.iter()
            .filter(move |it| it.since <= release && !it.name.is_empty() && !set.contains(&it.name.as_str()))
    }
}

/// Removes the blanks at both ends of a range of the text.
fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    let piece = &text[span.clone()];
    let start = span.end - piece.trim_start().len();
    start..start + piece.trim().len()
}

/// The length of the text before the first comma that is not in quotes or braces.
fn piece(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        if let Some(open) = quote {
            let is_end = byte == open && !is_escaped;
            is_escaped = byte == b'\\' && open == b'"' && !is_escaped;
            if is_end {
                quote = None;
            }
            continue;
        }
        match byte {
            b'"' | b'`' => quote = Some(byte),
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    /// The name of a marker, and its arguments with their values.
    fn parts(marker: &str) -> (String, Vec<(String, Option<String>)>) {
        let text = format!("package v1\n\n// +{marker}\ntype A struct{{}}\n");
        let comments = read(&text);
        let marker = &comments.markers[0];
        let parts = Parts::of(&text, marker, marker.span.end);
        let of = |it: &Range<usize>| text[it.clone()].to_owned();
        let arguments = parts
            .arguments
            .iter()
            .map(|it| (it.name.as_ref().map(of).unwrap_or_default(), it.value.as_ref().map(of)));
        (of(&parts.name), arguments.collect())
    }

    #[track_caller]
    fn check(marker: &str, name: &str, arguments: &[(&str, Option<&str>)]) {
        let (found, of) = parts(marker);
        let of: Vec<_> = of.iter().map(|it| (it.0.as_str(), it.1.as_deref())).collect();
        assert_eq!((found.as_str(), of.as_slice()), (name, arguments), "{marker}");
    }

    #[test]
    fn markers_are_taken_apart() {
        check("kubebuilder:storageversion", "kubebuilder:storageversion", &[]);
        check(
            "kubebuilder:validation:Enum=a;b,c",
            "kubebuilder:validation:Enum",
            &[("", Some("a;b,c"))],
        );
        check(
            "kubebuilder:validation:Enum:=a,b",
            "kubebuilder:validation:Enum",
            &[("", Some("a,b"))],
        );
        check(
            "kubebuilder:default:={a: [1, 2]}",
            "kubebuilder:default",
            &[("", Some("{a: [1, 2]}"))],
        );
        check(
            "kubebuilder:resource:path=a,scope=Cluster, shortName",
            "kubebuilder:resource",
            &[("path", Some("a")), ("scope", Some("Cluster")), ("shortName", None)],
        );
        check(
            "kubebuilder:validation:XValidation:rule=\"a, \\\"b\\\", c\",message=`d,`,reason={e,f}",
            "kubebuilder:validation:XValidation",
            &[
                ("rule", Some("\"a, \\\"b\\\", c\"")),
                ("message", Some("`d,`")),
                ("reason", Some("{e,f}")),
            ],
        );
        check(
            "kubebuilder:validation:XValidation:rule=\"a,",
            "kubebuilder:validation:XValidation",
            &[("rule", Some("\"a,"))],
        );
        check("nothing:knows=this", "nothing:knows", &[("this", None)]);
        check(
            "kubebuilder:resource:path=a,",
            "kubebuilder:resource",
            &[("path", Some("a")), ("", None)],
        );
    }
}
