//! Variables (`${NAME}`) in the texts of a resource: what a tool such as Flux makes of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crd_analyzer_budget::{self as budget, Unfinished};

/// The variables that are known, and who says so.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Variables {
    /// The values, by the names.
    pub(crate) values: Arc<BTreeMap<Arc<str>, Arc<str>>>,
    /// The Kustomizations of Flux that have them.
    pub(crate) by: BTreeSet<String>,
    /// How many more have them.
    pub(crate) more: usize,
    /// Values are missing that would take too much work or memory to find.
    pub(crate) is_unfinished: bool,
}

impl Variables {
    /// The names of the Kustomizations that have them, for a message.
    pub(crate) fn by(&self) -> String {
        let by: Vec<&str> = self.by.iter().map(String::as_str).collect();
        let by = by.join(", ");
        match self.more {
            0 => by,
            more => format!("{by} and {more} more"),
        }
    }
}

/// What a text has become.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Substituted {
    /// A part of it is not known.
    Unknown,
    /// The text, which stays text.
    Text(String),
    /// The text, which YAML takes for what it looks like.
    Written(String),
    /// The text. Whether it stays a text depends on the tool: Flux writes an object again before it substitutes, without quotes.
    Either(String),
}

/// A text after substitution; `None` if it has no variables. `is_plain`: it has no quotes in the file. `known`: Flux substitutes it.
pub(crate) fn substitute(written: &str, is_plain: bool, known: Option<&Variables>) -> Option<Substituted> {
    let (text, has_quotes) = match expand(written, known)? {
        Expanded::Unknown => return Some(Substituted::Unknown),
        Expanded::Text { text, has_quotes } => (text, has_quotes),
    };
    let quoting = quoting(written);
    Some(match known {
        None if is_plain => Substituted::Written(text),
        None if quoting == Quoting::Quoted => Substituted::Text(text),
        None => Substituted::Either(text),
        Some(_) => match quoting {
            Quoting::Plain => Substituted::Written(text),
            Quoting::Unsure => Substituted::Either(text),
            // What is put in may end the quotes.
            Quoting::Quoted if has_quotes => Substituted::Unknown,
            Quoting::Quoted => Substituted::Text(text),
        },
    })
}

/// How go-yaml writes a text, however it was written before.
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

/// Whether a variable with blanks around its name begins here, as clusterctl takes it (`${ NAME }`).
fn is_spaced(inside: &str) -> bool {
    // No further than the name goes: the end of the text may be far.
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
        /// Something that was put in may end quotes.
        has_quotes: bool,
    },
}

/// The operators that give a default. Flux makes no difference between them (`toDefault` of github.com/fluxcd/pkg/envsubst).
const DEFAULTS: [&str; 5] = [":=", ":-", ":+", ":?", "="];

/// Replaces variables by their values or their defaults, as Flux does (`github.com/fluxcd/pkg/envsubst`); `None` if there are none.
fn expand(written: &str, known: Option<&Variables>) -> Option<Expanded> {
    let mut text = String::new();
    let mut has_quotes = false;
    // Behind it no variable ends.
    let last = written.rfind('}').unwrap_or(0);
    let mut rest = written;
    let mut has_variables = false;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        // `$${NAME}` is how `${NAME}` is written.
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
        let operation = &after[..end];
        let default = DEFAULTS.iter().find_map(|it| operation.strip_prefix(it));
        let value = known.and_then(|it| it.values.get(name)).map(|it| &**it);
        if value.is_none() && known.is_some_and(|it| it.is_unfinished) {
            budget::miss(Unfinished::Bytes);
            return Some(Expanded::Unknown);
        }
        let value = match (value, default) {
            // An empty value counts as none.
            (Some(value), Some(_)) if !value.is_empty() => value,
            (Some(value), None) if operation.is_empty() => value,
            (_, Some(default)) if !default.contains("${") => default,
            _ => return Some(Expanded::Unknown),
        };
        if budget::bytes(value.len() as u64).is_err() {
            return Some(Expanded::Unknown);
        }
        text.push_str(value);
        has_quotes |= value.contains(['"', '\'', '\\', '\n']);
        rest = &after[end + 1..];
    }
    text.push_str(rest);
    has_variables.then_some(Expanded::Text { text, has_quotes })
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
        // clusterctl takes it.
        check("${ A }-tls", Some("unknown"));
        // Flux fails.
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

    /// What Flux answers to these (`JSONToYAML`, `envsubst.Eval`, `YAMLToJSON`).
    #[test]
    fn values_as_flux_puts_them_in() {
        let a = |value: &str| Variables {
            values: Arc::new(BTreeMap::from([("A".into(), value.into())])),
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
            ("${A^^}", "b", Substituted::Unknown),
            ("${B}", "3", Substituted::Unknown),
        ] {
            for is_plain in [true, false] {
                let found = substitute(from, is_plain, Some(&a(value)));
                assert_eq!(found.as_ref(), Some(&expected), "of {from:?} with {value:?}");
            }
        }
        // Another tool keeps the quotes.
        let found = substitute("${A:=3}", false, None);
        assert_eq!(found, Some(Substituted::Either("3".to_owned())));
        assert_eq!(substitute("*${A:=3}", false, None), Some(text("*3")));
    }
}
