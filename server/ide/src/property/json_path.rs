//! Parses paths into resources as CRDs contain them (`.spec.items[0].name`, `.conditions[?(@.type=="Ready")]`), with the byte range of each name.

use std::ops::Range;

use super::Form;

/// One part of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// A field or key.
    Name {
        name: String,
        bytes: Range<usize>,
        form: Form,
    },
    /// One item of a list, or all items.
    Item,
    /// The items that match a condition. Contains the paths in the condition, each relative to an item.
    Filter(Vec<Vec<Part>>),
}

/// Parses a path up to the first unsupported part.
pub(super) fn read(text: &str) -> Vec<Part> {
    parts(text, 0).0
}

/// The parts of the path that begins at an offset, and its end.
fn parts(text: &str, start: usize) -> (Vec<Part>, usize) {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = start;
    loop {
        match bytes.get(at) {
            // `..` finds fields at any depth, so it is unknown which property follows.
            Some(b'.') if bytes.get(at + 1) != Some(&b'.') => {
                let (name, end) = dotted(text, at + 1);
                if name.is_empty() {
                    return (found, at);
                }
                found.push(if name == "*" {
                    Part::Item
                } else {
                    Part::Name {
                        name,
                        bytes: at + 1..end,
                        form: Form::Path,
                    }
                });
                at = end;
            }
            Some(b'[') => {
                let Some((part, end)) = bracket(text, at + 1) else {
                    return (found, at);
                };
                found.push(part);
                at = end;
            }
            _ => return (found, at),
        }
    }
}

/// The name after a dot. A backslash escapes the next character.
fn dotted(text: &str, start: usize) -> (String, usize) {
    let mut name = String::new();
    let mut chars = text[start..].char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => name.extend(chars.next().map(|it| it.1)),
            c if c.is_alphanumeric() || matches!(c, '_' | '-' | '*' | '/' | '$' | ':') => name.push(c),
            _ => return (name, start + at),
        }
    }
    (name, text.len())
}

fn bracket(text: &str, start: usize) -> Option<(Part, usize)> {
    let rest = &text[start..];
    let first = rest.chars().next()?;
    if matches!(first, '\'' | '"') {
        let close = rest[1..].find(first)? + 1;
        let end = rest[close..]
            .strip_prefix(first)?
            .strip_prefix(']')
            .map(|it| text.len() - it.len())?;
        let name = Part::Name {
            name: rest[1..close].to_owned(),
            bytes: start + 1..start + close,
            form: Form::QuotedPath(first),
        };
        return Some((name, end));
    }
    if rest.starts_with("?(") {
        let close = rest.find(")]")?;
        let mut inner = Vec::new();
        let mut at = 0;
        while let Some(found) = rest[at..close].find('@') {
            let (path, end) = parts(&text[..start + close], start + at + found + 1);
            inner.push(path);
            at = end - start;
        }
        return Some((Part::Filter(inner), start + close + 2));
    }
    let close = rest.find(']')?;
    Some((Part::Item, start + close + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(parts: &[Part], text: &str) -> String {
        let show_one = |it: &Part| match it {
            Part::Name { name, bytes, .. } => format!("{name}={}", &text[bytes.clone()]),
            Part::Item => "item".to_owned(),
            Part::Filter(paths) => {
                let paths: Vec<_> = paths.iter().map(|it| show(it, text)).collect();
                format!("({})", paths.join("|"))
            }
        };
        let shown: Vec<_> = parts.iter().map(show_one).collect();
        shown.join(" ")
    }

    #[test]
    fn names_have_places() {
        for (text, expected) in [
            (".spec.a-b[0].c", "spec=spec a-b=a-b item c=c"),
            (
                ".status.conditions[?(@.type==\"Ready\")].status",
                "status=status conditions=conditions (type=type) status=status",
            ),
            (
                ".metadata.annotations.a\\.b/c",
                "metadata=metadata annotations=annotations a.b/c=a\\.b/c",
            ),
            ("['a.b'][\"c\"].d", "a.b=a.b c=c d=d"),
            (".a[*].b..c", "a=a item b=b"),
            (".a[?(@.x==1 && @.y.z=='q')]", "a=a (x=x|y=y z=z)"),
            ("a.b", ""),
            (".a['b", "a=a"),
            (".é.[", "é=é"),
            ("", ""),
        ] {
            assert_eq!(show(&read(text), text), expected, "{text}");
        }
    }
}
