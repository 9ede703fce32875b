//! JSONPath of printer columns (`k8s.io/client-go/util/jsonpath`): names, indexes, wildcards and simple filters.

use std::ops::Range;

use serde_json::Value;

/// One step of a path.
#[derive(Clone, PartialEq, Debug)]
pub enum Step<'p> {
    /// `.name` or `['name']`
    Name(String),
    /// `[3]`; negative indexes count from the end.
    Index(i64),
    /// `[*]` or `.*`
    All,
    /// `..name`
    Below(String),
    /// `[?(@.type=="Ready")]`
    Filter {
        /// The path after `@`, which consists of names only.
        path: &'p str,
        /// Whether the operator is `==`; otherwise it is `!=`.
        is_equal: bool,
        /// The value to compare with.
        to: Value,
    },
}

/// The steps of a path, each with its byte range in `path`. `None` if the path is not supported.
///
/// ```
/// use crd_analyzer_apiextensions::json_path::{Step, steps};
///
/// let found = steps(".spec.replicas").unwrap();
/// assert_eq!(found[1], (Step::Name("replicas".to_owned()), 6..14));
/// ```
pub fn steps(path: &str) -> Option<Vec<(Step<'_>, Range<usize>)>> {
    let inner = path.trim();
    let inner = inner
        .strip_prefix('{')
        .and_then(|it| it.strip_suffix('}'))
        .unwrap_or(inner);
    let inner = inner.strip_prefix('$').unwrap_or(inner);
    let place = |part: &str| {
        let start = part.as_ptr() as usize - path.as_ptr() as usize;
        start..start + part.len()
    };
    let mut steps = Vec::new();
    let mut rest = inner;
    while !rest.is_empty() {
        let (step, begin, after) = if let Some(below) = rest.strip_prefix("..") {
            let (name, after) = name(below)?;
            (Step::Below(name), below, after)
        } else if let Some(after) = rest.strip_prefix(".*").or_else(|| rest.strip_prefix("[*]")) {
            (Step::All, rest, after)
        } else if let Some(after) = rest.strip_prefix('.') {
            if after.is_empty() {
                break;
            }
            if after.starts_with('[') {
                rest = after;
                continue;
            }
            let (name, end) = name(after)?;
            (Step::Name(name), after, end)
        } else if let Some(inside) = rest.strip_prefix("[?(") {
            let (filter, after) = inside.split_once(")]")?;
            (self::filter(filter)?, inside, after)
        } else if let Some(inside) = rest.strip_prefix('[') {
            let quote = inside.chars().next().filter(|it| matches!(it, '\'' | '"'));
            if let Some(quote) = quote {
                let (name, after) = inside[1..].split_once(quote)?;
                (Step::Name(name.to_owned()), inside, after.strip_prefix(']')?)
            } else {
                let (index, after) = inside.split_once(']')?;
                (Step::Index(index.trim().parse().ok()?), inside, after)
            }
        } else {
            // The first dot is optional.
            let (name, after) = name(rest)?;
            (Step::Name(name), rest, after)
        };
        let written = &begin[..begin.len() - after.len()];
        steps.push((step, place(written)));
        rest = after;
    }
    Some(steps)
}

/// Reads a name up to the next unescaped dot or bracket.
fn name(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => name.push(chars.next()?.1),
            '.' | '[' => return (!name.is_empty()).then(|| (name, &text[at..])),
            other => name.push(other),
        }
    }
    (!name.is_empty()).then_some((name, ""))
}

fn filter(text: &str) -> Option<Step<'_>> {
    let (path, to, is_equal) = match text.split_once("==") {
        Some((path, to)) => (path, to, true),
        None => text.split_once("!=").map(|(path, to)| (path, to, false))?,
    };
    let path = path.trim().strip_prefix('@')?;
    let to = to.trim();
    let quoted = to.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
    let to = match quoted {
        Some(text) => Value::String(text.to_owned()),
        None => serde_json::from_str(to).ok()?,
    };
    Some(Step::Filter { path, is_equal, to })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: &[&str]) {
        let found = steps(path).expect("a path");
        let written: Vec<&str> = found.iter().map(|(_, bytes)| &path[bytes.clone()]).collect();
        assert_eq!(written, expected);
    }

    #[test]
    fn steps_have_places() {
        check(".spec.list[1].n", &["spec", "list", "1]", "n"]);
        check("{.a['b.c'][*]}", &["a", "'b.c']", "[*]"]);
        check(
            r#"..a\.b[?(@.type=="Ready")].status"#,
            &[r"a\.b", r#"@.type=="Ready")]"#, "status"],
        );
        assert_eq!(steps(".spec["), None);
    }
}
