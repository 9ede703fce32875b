//! What an action of a template prints, as far as its functions and the chart's schema of values decide.

use std::ops::Range;

use crd_analyzer_syntax::json::JsonValue;
use serde_json::Value;

use super::{
    computed::Computed,
    values::{Values, path_of},
};
use crate::filled_in::{
    fill::{
        Typed, Written,
        actions::{Action, Kind, actions, commands},
    },
    scalar::resolved,
};

/// What is known of an argument.
type Argument = Option<Vec<Computed>>;

/// The maximum number of values that an action may print. If there are more, nothing is known.
const MOST: usize = 16;

/// The maximum number of words of a command. Functions with a known result have fewer arguments.
const MOST_WORDS: usize = 8;

/// The maximum number of parentheses in each other.
const MAX_DEPTH: usize = 16;

/// An action whose output has a known type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Printed {
    pub(crate) action: Range<usize>,
    /// What the action prints, and where.
    pub(crate) written: Written,
    /// The path of the value that it prints, if the schema of the values decides the type.
    pub(crate) path: Option<Vec<String>>,
}

/// The actions of a text whose output has a known type. `is_own` says whether `.` is the root at an offset, apart from blocks.
pub(crate) fn printed(text: &str, values: Option<&Values>, is_own: &dyn Fn(Range<usize>) -> bool) -> Vec<Printed> {
    let mut found = Vec::new();
    // Whether `.` is another value in each open block.
    let mut open: Vec<Rebinds> = Vec::new();
    for action in actions(text).unwrap_or_default() {
        let code = action.code(text);
        match action.kind {
            Kind::Begin if code.starts_with("if") => open.push(Rebinds::No),
            Kind::Begin => open.push(Rebinds::Dot),
            Kind::Define => open.push(Rebinds::All),
            Kind::End => {
                open.pop();
            }
            Kind::Value => {
                let rebinds = open.iter().max().copied().unwrap_or(Rebinds::No);
                let values = values.filter(|_| rebinds != Rebinds::All && is_own(action.span.clone()));
                let printing = Printing {
                    values,
                    is_root: rebinds == Rebinds::No,
                };
                found.extend(printing.of(text, &action, code));
            }
            Kind::Else | Kind::Nothing => {}
        }
    }
    found
}

/// What a block changes for the text in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rebinds {
    No,
    /// `.` is another value.
    Dot,
    /// `.` and `$` are other values.
    All,
}

/// What is known of the values that an action reads.
struct Printing<'v> {
    values: Option<&'v Values>,
    /// Whether `.` is the root.
    is_root: bool,
}

impl Printing<'_> {
    fn of(&self, text: &str, action: &Action, code: &str) -> Option<Printed> {
        let all = self.pipeline(code, 0)?;
        let mut types = all.iter().map(typed);
        let first = types.next()??;
        let typed = types.try_fold(first, |all, it| all.with(it?))?;
        // Without the schema, the functions alone may decide.
        let plain = Printing {
            values: None,
            is_root: self.is_root,
        };
        let path = match plain.pipeline(code, 0) {
            Some(_) => None,
            None => Some(Self::path_in(code)?),
        };
        let written = Written::new(text, action.span.clone(), typed);
        let action = action.span.clone();
        Some(Printed { action, written, path })
    }

    /// The path of the only value in a code.
    fn path_in(code: &str) -> Option<Vec<String>> {
        let at = code.find(".Values.")?;
        let rest = &code[at + ".Values.".len()..];
        let end = rest
            .find(|it: char| !(it.is_ascii_alphanumeric() || it == '_' || it == '.'))
            .unwrap_or(rest.len());
        Some(rest[..end].split('.').map(str::to_owned).collect())
    }

    fn pipeline(&self, code: &str, depth: usize) -> Option<Vec<Computed>> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut piped = Vec::new();
        for command in commands(code)? {
            piped = vec![self.command(command, piped, depth)];
        }
        piped.pop()?.filter(|it| !it.is_empty() && it.len() <= MOST)
    }

    /// What a command computes. `piped` has what the command before it computes, if there is one.
    fn command(&self, command: &str, piped: Vec<Argument>, depth: usize) -> Option<Vec<Computed>> {
        let words = words(command).filter(|it| it.len() <= MOST_WORDS)?;
        let (first, rest) = words.split_first()?;
        if rest.is_empty() && piped.is_empty() {
            return self.term(first, depth);
        }
        let mut arguments: Vec<Argument> = rest.iter().map(|it| self.term(it, depth)).collect();
        arguments.extend(piped);
        call(first, arguments)
    }

    fn term(&self, word: &str, depth: usize) -> Option<Vec<Computed>> {
        if let Some(inner) = word.strip_prefix('(') {
            return self.pipeline(inner.strip_suffix(')')?, depth + 1);
        }
        if let Some((path, is_of_root)) = path_of(word) {
            return self.values.filter(|_| is_of_root || self.is_root)?.allowed(&path);
        }
        literal(word).map(|it| vec![Computed::Exactly(it)])
    }
}

/// A literal of a template.
fn literal(word: &str) -> Option<Value> {
    match word {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        _ if word.starts_with('"') => serde_json::from_str(word).ok(),
        _ => word.parse::<i64>().ok().map(Value::from),
    }
}

/// The words of a command. Strings and parentheses are one word.
fn words(command: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let (mut depth, mut quote, mut start) = (0_usize, 0, None);
    let mut bytes = command.bytes().enumerate();
    while let Some((n, byte)) = bytes.next() {
        if byte.is_ascii_whitespace() && depth == 0 && quote == 0 {
            found.extend(start.take().map(|it: usize| &command[it..n]));
            continue;
        }
        start.get_or_insert(n);
        match byte {
            b'\\' if quote == b'"' => {
                bytes.next();
            }
            b'"' | b'`' if quote == 0 => quote = byte,
            byte if quote == byte => quote = 0,
            _ if quote != 0 => {}
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    found.extend(start.map(|it| &command[it..]));
    (depth == 0 && quote == 0).then_some(found)
}

/// What a function returns. An argument is `None` if nothing is known of it.
fn call(function: &str, mut arguments: Vec<Argument>) -> Option<Vec<Computed>> {
    let last = arguments.pop()?;
    match function {
        "int" | "int64" | "len" | "add" | "add1" | "sub" | "mul" | "div" | "mod" => Some(vec![Computed::Integer]),
        "not" | "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "empty" | "has" | "hasKey" | "contains" | "hasPrefix"
        | "hasSuffix" | "kindIs" | "typeIs" | "semverCompare" | "regexMatch" => {
            Some([true, false].map(|it| Computed::Exactly(Value::Bool(it))).into())
        }
        "quote" | "squote" => {
            let Some(all) = last else {
                // Of a value that is missing, nothing is printed.
                return Some(vec![Computed::Exactly(Value::Null), Computed::Quoted]);
            };
            let quoted = |it: Computed| match it {
                Computed::Exactly(Value::Null) => it,
                _ => Computed::Quoted,
            };
            Some(all.into_iter().map(quoted).collect())
        }
        "toYaml" | "toJson" => {
            let written = |it: Computed| match it {
                Computed::Exactly(Value::String(_)) | Computed::Text => Computed::Quoted,
                Computed::Exactly(Value::Object(_)) | Computed::Map => Computed::Object,
                Computed::Exactly(Value::Array(_)) | Computed::List => Computed::Items,
                Computed::Quoted | Computed::Object | Computed::Items => Computed::Text,
                it => it,
            };
            Some(last?.into_iter().map(written).collect())
        }
        // The number of blanks is checked where the text is filled in.
        "nindent" | "indent" => last,
        "default" => {
            let other = arguments.pop()??;
            let (kept, missing): (Vec<_>, Vec<_>) = last?.into_iter().partition(|it| !may_be_empty(it));
            let may_be_other = missing.iter().filter(|it| !matches!(it, Computed::Exactly(_)));
            let mut all: Vec<Computed> = kept.into_iter().chain(may_be_other.cloned()).collect();
            if !missing.is_empty() {
                all.extend(other);
            }
            Some(all)
        }
        "required" => {
            let is_missing = |it: &Computed| {
                matches!(it, Computed::Exactly(Value::Null)) || *it == Computed::Exactly(Value::from(""))
            };
            let mut all = last?;
            all.retain(|it| !is_missing(it));
            Some(all)
        }
        "ternary" => {
            let (other, first) = (arguments.pop()??, arguments.pop()??);
            Some(first.into_iter().chain(other).collect())
        }
        _ => None,
    }
}

/// Whether `default` may replace a value.
fn may_be_empty(value: &Computed) -> bool {
    match value {
        Computed::Exactly(Value::Null | Value::Bool(false)) => true,
        Computed::Exactly(Value::Bool(true)) | Computed::Quoted => false,
        Computed::Exactly(Value::Number(number)) => number.as_f64() == Some(0.0),
        Computed::Exactly(Value::String(text)) => text.is_empty(),
        Computed::Exactly(Value::Array(items)) => items.is_empty(),
        Computed::Exactly(Value::Object(fields)) => fields.is_empty(),
        Computed::Integer
        | Computed::Number
        | Computed::Text
        | Computed::Map
        | Computed::List
        | Computed::Object
        | Computed::Items => true,
    }
}

/// The type that YAML reads if a value is printed. `None` if it depends on the value.
fn typed(value: &Computed) -> Option<Typed> {
    match value {
        Computed::Exactly(Value::Bool(_)) => Some(Typed::Boolean),
        Computed::Exactly(Value::Number(number)) if number.is_i64() => Some(Typed::Integer),
        Computed::Exactly(Value::Number(_)) | Computed::Number => Some(Typed::Number),
        Computed::Exactly(Value::String(text)) => match resolved(text)? {
            JsonValue::Bool(_) => Some(Typed::Boolean),
            JsonValue::Int(_) => Some(Typed::Integer),
            JsonValue::Uint(_) | JsonValue::Float(_) => Some(Typed::Number),
            JsonValue::String(_) => Some(Typed::String),
            JsonValue::Null | JsonValue::Array(_) | JsonValue::Object(_) => None,
        },
        Computed::Exactly(Value::Null) | Computed::Text => None,
        Computed::Integer => Some(Typed::Integer),
        // A string that begins with `map[`.
        Computed::Exactly(Value::Object(_)) | Computed::Map | Computed::Quoted => Some(Typed::String),
        Computed::Exactly(Value::Array(_)) | Computed::List | Computed::Items => Some(Typed::List),
        Computed::Object => Some(Typed::Object),
    }
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use super::*;
    use crate::charts::chart::Chart;

    const SCHEMA: &str = r##"{
        "properties": {
            "size": {"type": "integer"},
            "ratio": {"type": "number"},
            "on": {"type": "boolean"},
            "maybe": {"type": "boolean"},
            "mode": {"enum": ["A", "B"]},
            "digits": {"enum": ["1", "2"]},
            "mixed": {"enum": ["A", 1]},
            "name": {"type": "string"},
            "labels": {"type": "object", "required": ["app"], "properties": {"app": {"const": "5"}}},
            "list": {"$ref": "#/$defs/list"},
            "both": {"type": ["integer", "string"]}
        },
        "required": ["size", "ratio", "on", "mode", "digits", "mixed", "name", "labels", "list", "both"],
        "$defs": {"list": {"type": "array"}}
    }"##;

    #[track_caller]
    fn check(code: &str, expected: Option<Typed>) {
        let files = [("/c/values.schema.json", SCHEMA), ("/c/templates/a.yaml", "a: 1")];
        let chart = Chart::new(files.map(|it| (Arc::from(Path::new(it.0)), Arc::from(it.1))));
        let text = format!("a: {{{{ {code} }}}}\n");
        let values = chart.values(Path::new("/c/templates/a.yaml"));
        let found = printed(&text, values, &|_| true);
        let found = found.first().map(|it| it.written.typed);
        assert_eq!(found, expected, "of {code}");
    }

    #[test]
    fn the_schema_decides_types() {
        check(".Values.size", Some(Typed::Integer));
        check("$.Values.size", Some(Typed::Integer));
        check(".Values.ratio", Some(Typed::Number));
        check(".Values.on", Some(Typed::Boolean));
        check(".Values.mode", Some(Typed::String));
        check(".Values.digits", Some(Typed::Integer));
        check(".Values.labels", Some(Typed::String));
        check(".Values.labels.app", Some(Typed::Integer));
        check(".Values.list", Some(Typed::List));
        check(".Values.list | toYaml | nindent 2", Some(Typed::List));
        check("toYaml .Values.labels", Some(Typed::Object));
        check("toJson .Values.name", Some(Typed::String));
        check(".Values.maybe | default true", Some(Typed::Boolean));
        check(".Values.size | default \"a\"", None);
        check("required \"say it\" .Values.maybe", Some(Typed::Boolean));
        // It may be missing, or YAML reads it as something else.
        for code in [
            ".Values.maybe",
            ".Values.mixed",
            ".Values.name",
            ".Values.both",
            ".Values.other",
            ".Values.size.other",
            ".size",
            ".Values.size | other",
            "index .Values \"size\"",
        ] {
            check(code, None);
        }
    }

    #[test]
    fn functions_decide_types() {
        check(".Values.other | int", Some(Typed::Integer));
        check("int .x", Some(Typed::Integer));
        check("eq .x 1", Some(Typed::Boolean));
        check("ternary 1 2 (eq .x 1)", Some(Typed::Integer));
        check("(int .x) | quote", Some(Typed::String));
        check(".Values.size | quote", Some(Typed::String));
        check(".Values.on | quote", Some(Typed::String));
        check(".Values.other | quote", None);
        check(".Values.maybe | quote", None);
        check("(.x", None);
        check("", None);
    }

    #[test]
    fn what_is_known_is_bounded() {
        check(
            &format!("ternary .Values.size .Values.size{}", " .x".repeat(100_000)),
            None,
        );
        check(&format!("{}1{}", "(".repeat(10_000), ")".repeat(10_000)), None);
        check(&format!("$.Values{}", ".size".repeat(100_000)), None);
    }

    #[test]
    fn dots_are_other_values_in_blocks() {
        let files = [("/c/values.schema.json", SCHEMA)];
        let chart = Chart::new(files.map(|it| (Arc::from(Path::new(it.0)), Arc::from(it.1))));
        let text = "{{ with .x }}{{ .Values.size }}{{ $.Values.on }}{{ end }}{{ if .x }}{{ .Values.size }}{{ end }}\
                    {{ define \"d\" }}{{ .Values.size }}{{ $.Values.size }}{{ end }}";
        let found = printed(text, chart.values(Path::new("/c/templates/a.yaml")), &|_| true);
        let found: Vec<Typed> = found.iter().map(|it| it.written.typed).collect();
        assert_eq!(found, [Typed::Boolean, Typed::Integer]);
    }
}
