//! Variables (`${NAME}`) in the strings of a resource, and how a tool such as Flux substitutes them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crd_analyzer_budget::{self as budget, Unfinished};
use crd_analyzer_envsubst::{Node, Value, parse};

/// What Kustomizations or ConfigMaps define: the values by name. `None` if a value is not known.
pub(crate) type Values = BTreeMap<Arc<str>, Option<Arc<str>>>;

/// The known variables, and the Kustomizations that set them.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Variables {
    /// The defined variables.
    pub(crate) values: Arc<Values>,
    /// Whether no other variables can be defined, because everything that defines any is known.
    pub(crate) is_complete: bool,
    /// The Flux Kustomizations that set the variables.
    pub(crate) by: BTreeSet<String>,
    /// The number of Kustomizations that are not in `by`.
    pub(crate) more: usize,
    /// Whether some values are missing, because finding them would take too much work or memory.
    pub(crate) is_unfinished: bool,
}

impl Variables {
    /// The names of the Kustomizations, for a message.
    pub(crate) fn by(&self) -> String {
        let by: Vec<&str> = self.by.iter().map(String::as_str).collect();
        let by = by.join(", ");
        match self.more {
            0 => by,
            more => format!("{by} and {more} more"),
        }
    }

    /// Whether a variable is certainly not defined.
    pub(crate) fn is_undefined(&self, name: &str) -> bool {
        self.is_complete && !self.is_unfinished && !self.values.contains_key(name)
    }

    /// What is known about a variable. Its default is taken if nothing known defines it.
    fn value(&self, name: &str) -> Value<'_> {
        match self.values.get(name) {
            None => Value::Undefined,
            Some(None) => Value::Unknown,
            Some(Some(value)) => Value::Known(value),
        }
    }
}

/// A string after variables were substituted in it.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Substituted {
    /// A part of the string is unknown.
    Unknown,
    /// The result remains a string.
    Text(String),
    /// YAML parses the result as a plain scalar, so it may no longer be a string.
    Written(String),
    /// It depends on the tool whether the result is a string. Flux removes the quotes before it substitutes, other tools may not.
    Either(String),
}

/// Substitutes variables in a string. `None` if it has none. `is_plain` means that the file has the string without quotes. `known` has the variables
/// that Flux sets.
pub(crate) fn substitute(written: &str, is_plain: bool, known: Option<&Variables>) -> Option<Substituted> {
    let expanded = match known {
        Some(known) => expand_as_flux(written, known)?,
        None => expand(written)?,
    };
    let Expanded::Text { text, has_quotes } = expanded else {
        return Some(Substituted::Unknown);
    };
    let quoting = quoting(written);
    Some(match known {
        None if is_plain => Substituted::Written(text),
        None if quoting == Quoting::Quoted => Substituted::Text(text),
        None => Substituted::Either(text),
        Some(_) => match quoting {
            Quoting::Plain => Substituted::Written(text),
            Quoting::Unsure => Substituted::Either(text),
            // The value contains quotes, so it may close the quotes around it.
            Quoting::Quoted if has_quotes => Substituted::Unknown,
            Quoting::Quoted => Substituted::Text(text),
        },
    })
}

/// How go-yaml writes a string, whatever its style in the file.
#[derive(PartialEq, Eq, Debug)]
enum Quoting {
    Plain,
    Quoted,
    Unsure,
}

fn quoting(text: &str) -> Quoting {
    let is_quoted = text.starts_with([
        ' ', '*', '&', '!', '@', '%', '`', '{', '}', '[', ']', ',', '#', '|', '>', '"', '\'',
    ]) || text.ends_with([' ', ':'])
        || ["\n", "\t", ": ", " #"].iter().any(|it| text.contains(it))
        || text.starts_with("- ")
        || text.starts_with("? ");
    let begins = text.starts_with(|c: char| c == '$' || c.is_ascii_alphanumeric() || "/._(".contains(c));
    if is_quoted {
        Quoting::Quoted
    } else if begins && text.bytes().all(|it| it.is_ascii_graphic() || it == b' ') {
        Quoting::Plain
    } else {
        Quoting::Unsure
    }
}

/// Whether a variable with blanks around its name starts here, as in `${ NAME }`, which clusterctl allows.
fn is_spaced(inside: &str) -> bool {
    // Search only up to the end of the name, because the end of the text may be far away.
    let begin = inside.trim_start();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = begin.find(|c| !is_part(c)).unwrap_or(begin.len());
    let (name, behind) = begin.split_at(end);
    let after = behind.trim_start();
    let blanks = [
        &inside[..inside.len() - begin.len()],
        &behind[..behind.len() - after.len()],
    ];
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && after.starts_with('}')
        && blanks.iter().any(|it| it.contains(' '))
}

enum Expanded {
    Unknown,
    Text {
        text: String,
        /// Whether a substituted value contains quotes, which may close those around it.
        has_quotes: bool,
    },
}

/// The operators that introduce a default.
const DEFAULTS: [&str; 5] = [":=", ":-", ":+", ":?", "="];

/// Replaces variables with their values or defaults, as Flux does. `None` if the string has neither variables nor escapes.
fn expand_as_flux(written: &str, known: &Variables) -> Option<Expanded> {
    if !(written.contains("${") || written.contains("$$")) {
        return None;
    }
    let Ok(template) = parse(written) else {
        return Some(Expanded::Unknown);
    };
    let mut variables = template.variables().into_iter();
    if known.is_unfinished && variables.any(|it| !known.values.contains_key(it.name.as_str())) {
        budget::miss(Unfinished::Bytes);
        return Some(Expanded::Unknown);
    }
    let mut expanded = String::new();
    let mut has_quotes = false;
    for node in &template.nodes {
        let Some(part) = node.expand(&|name| known.value(name)) else {
            return Some(Expanded::Unknown);
        };
        has_quotes |= matches!(node, Node::Variable(_)) && part.contains(['"', '\'', '\\', '\n']);
        expanded.push_str(&part);
    }
    Some(Expanded::Text {
        text: expanded,
        has_quotes,
    })
}

/// Replaces variables by their defaults. `None` if the string has no variables. Tools differ in what else they take for a variable.
fn expand(written: &str) -> Option<Expanded> {
    let mut text = String::new();
    // A variable that starts after this offset is not closed.
    let last = written.rfind('}').unwrap_or(0);
    let mut rest = written;
    let mut has_variables = false;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        // `$${NAME}` is an escape for the text `${NAME}`.
        if let Some(after) = from.strip_prefix("$$") {
            text.push('$');
            rest = after;
            continue;
        }
        let Some(inside) = from.strip_prefix("${") else {
            text.push('$');
            rest = &from[1..];
            continue;
        };
        let length = inside
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(inside.len());
        let (name, after) = inside.split_at(length);
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let is_function = name.is_empty() && after.starts_with('#');
        if is_spaced(inside) {
            return Some(Expanded::Unknown);
        }
        if !(is_name || is_function) || after.starts_with(['.', ' ', '{', '(', '[']) {
            text.push_str("${");
            rest = inside;
            continue;
        }
        has_variables = true;
        let has_end = written.len() - after.len() <= last;
        let Some(end) = after.find('}').filter(|_| has_end) else {
            return Some(Expanded::Unknown);
        };
        let mut defaults = DEFAULTS.iter().filter_map(|it| after[..end].strip_prefix(it));
        let Some(default) = defaults.next().filter(|it| !it.contains("${")) else {
            return Some(Expanded::Unknown);
        };
        if budget::bytes(default.len() as u64).is_err() {
            return Some(Expanded::Unknown);
        }
        text.push_str(default);
        rest = &after[end + 1..];
    }
    text.push_str(rest);
    has_variables.then_some(Expanded::Text {
        text,
        has_quotes: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(written: &str, expected: Option<&str>) {
        let found = substitute(written, true, None).map(|it| match it {
            Substituted::Written(text) => text,
            Substituted::Unknown => "unknown".to_owned(),
            other => format!("{other:?}"),
        });
        assert_eq!(found.as_deref(), expected, "of {written:?}");
    }

    #[test]
    fn defaults() {
        check("${A}", Some("unknown"));
        check("${A}-tls", Some("unknown"));
        check("${A:=b}-tls", Some("b-tls"));
        check("x-${A:-}-${B=2}", Some("x--2"));
        check("${A:=${B}}", Some("unknown"));
        check("${A/b/c}", Some("unknown"));
        check("${#A}", Some("unknown"));
        // clusterctl accepts this form.
        check("${ A }-tls", Some("unknown"));
        // Flux fails on this form.
        check("${A-2}", Some("unknown"));
    }

    #[test]
    fn no_variables() {
        check("$${A}", None);
        check("${{ inputs.a }}", None);
        check("${params.a}", None);
        check("$(A)", None);
        check("$A $$ 3$", None);
    }

    /// The values that result from these strings in Flux (`JSONToYAML`, `envsubst.Eval`, `YAMLToJSON`).
    #[test]
    fn values_as_flux_puts_them_in() {
        let a = |value: &str| Variables {
            values: Arc::new(Values::from([("A".into(), Some(value.into())), ("U".into(), None)])),
            ..Variables::default()
        };
        let (text, written) = (
            |it: &str| Substituted::Text(it.to_owned()),
            |it: &str| Substituted::Written(it.to_owned()),
        );
        for (from, value, expected) in [
            ("${A}", "3", written("3")),
            ("${A:=b}", "3", written("3")),
            ("${A:=b}", "", written("b")),
            ("${A:+b}", "3", written("3")),
            ("${A}", "", written("")),
            ("x ${A}: b", "3", text("x 3: b")),
            ("${A}\n", "3", text("3\n")),
            ("a\t${A}", "3", text("a\t3")),
            ("- ${A}", "3", text("- 3")),
            ("*.${A}", "3", text("*.3")),
            ("{${A}}", "3", text("{3}")),
            ("'${A}'", "3", text("'3'")),
            ("${A} #x", "3", text("3 #x")),
            ("${A}#x", "3", written("3#x")),
            ("*${A}", "it's", Substituted::Unknown),
            ("-${A}", "3", Substituted::Either("-3".to_owned())),
            ("$$${A}", "3", written("$3")),
            ("$A a$$b ${A}", "3", written("$A a$b 3")),
            ("${A^^}", "b", written("B")),
            ("${A/b/${B:=c}}", "b", written("c")),
            ("$${A}", "3", written("${A}")),
            ("${B}", "3", Substituted::Unknown),
            ("${B:=4}", "3", written("4")),
            ("${U:=4}", "3", Substituted::Unknown),
            ("${{ A }}", "3", Substituted::Unknown),
        ] {
            for is_plain in [true, false] {
                let found = substitute(from, is_plain, Some(&a(value)));
                assert_eq!(found.as_ref(), Some(&expected), "of {from:?} with {value:?}");
            }
        }
        // Tools other than Flux may keep the quotes.
        let found = substitute("${A:=3}", false, None);
        assert_eq!(found, Some(Substituted::Either("3".to_owned())));
        assert_eq!(substitute("*${A:=3}", false, None), Some(text("*3")));
    }
}
