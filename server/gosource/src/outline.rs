//! Parses only the declarations of a Go file, without the bodies of its functions and the values of its variables. Generated files consist mostly of
//! such bodies, which declare no API types, and the parser takes most of the time of reading a package.

use std::ops::Range;

use tree_sitter::{Parser, Point, Tree};

use crate::{last_tree::after_point, read::MAX_BYTES, unclosed::without_tags};

/// The syntax tree of a file, in which the braces of functions and variables are empty. Its places are those of the whole text. `None` if the file is
/// too large. The second value is whether nothing was left out.
pub(crate) fn parsed(text: &str) -> Option<(Tree, bool)> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_go::LANGUAGE.into()).ok()?;
    // If the text is not valid Go, where it has gone wrong is for the parser to find out.
    let text = without_tags(text);
    let text = &*text;
    let bodies = bodies(text).unwrap_or_default();
    let is_whole = bodies.is_empty() || parser.set_included_ranges(&around(text, &bodies)).is_err();
    Some((parser.parse(text, None)?, is_whole))
}

/// The ranges of a text around those that are left out.
fn around(text: &str, left_out: &[Range<usize>]) -> Vec<tree_sitter::Range> {
    let mut at = (0, Point::new(0, 0));
    let mut point_of = |offset: usize| {
        let point = after_point(at.1, &text[at.0..offset]);
        at = (offset, point);
        point
    };
    let starts = std::iter::once(0).chain(left_out.iter().map(|it| it.end));
    let ends = left_out.iter().map(|it| it.start).chain([text.len()]);
    starts
        .zip(ends)
        .map(|(start, end)| tree_sitter::Range {
            start_byte: start,
            end_byte: end,
            start_point: point_of(start),
            end_point: point_of(end),
        })
        .collect()
}

/// What is inside the outermost braces of each function and each variable, in order. `None` if the brackets or literals of the text are not
/// balanced.
fn bodies(text: &str) -> Option<Vec<Range<usize>>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut open: Vec<u8> = Vec::new();
    // The start of the body that is being read, and the number of brackets around it.
    let mut body: Option<(usize, usize)> = None;
    let mut is_at_start = true;
    let mut has_body = false;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' | b';' if open.is_empty() => is_at_start = true,
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = text[at..].find('\n').map_or(bytes.len(), |it| at + it);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at += 2 + text[at + 2..].find("*/")? + 2;
                continue;
            }
            b'`' => at += 1 + text[at + 1..].find('`')?,
            b'"' | b'\'' => at = end_of_literal(bytes, at)?,
            b'(' | b'[' | b'{' => {
                if *byte == b'{' && has_body && body.is_none() {
                    body = Some((at + 1, open.len()));
                }
                open.push(*byte);
            }
            b')' | b']' | b'}' => {
                let opened = open.pop()?;
                if !matches!((opened, byte), (b'(', b')') | (b'[', b']') | (b'{', b'}')) {
                    return None;
                }
                if let Some((start, _)) = body.take_if(|it| it.1 == open.len()) {
                    found.extend(Some(start..at).filter(|it| !it.is_empty()));
                }
            }
            _ if is_at_start => {
                is_at_start = false;
                let is_of_word = |it: &u8| it.is_ascii_alphanumeric() || *it == b'_';
                let word = bytes[at..].iter().take_while(|it| is_of_word(it)).count();
                has_body = matches!(&bytes[at..at + word], b"func" | b"var");
                at += word.max(1);
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    open.is_empty().then_some(found)
}

/// The closing quote of a string or character. `None` if its line ends before.
fn end_of_literal(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match *bytes.get(at)? {
            b'\n' => return None,
            b'\\' => at += 2,
            it if it == bytes[start] => return Some(at),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{read, read_types};

    /// The text without what is left out. `None` if it is parsed as a whole because it is not valid.
    fn kept(text: &str) -> Option<String> {
        let mut kept = text.to_owned();
        for body in bodies(text)?.into_iter().rev() {
            kept.replace_range(body, "");
        }
        Some(kept)
    }

    #[test]
    fn bodies_are_left_out() {
        for (text, rest) in [
            ("func a() { b{}; c() }\n", "func a() {}\n"),
            (
                "func (A) b(c struct{ d int }) {\n\tif x {\n\t}\n}",
                "func (A) b(c struct{}) {}",
            ),
            ("func a() interface{ B() } { return `}` }", "func a() interface{} {}"),
            (
                "var a = map[string]string{\n\t\"}\": '}',\n}\n",
                "var a = map[string]string{}\n",
            ),
            (
                "var (\n\ta = b{c}\n\td = func() { '\\'' }\n)\n",
                "var (\n\ta = b{}\n\td = func() {}\n)\n",
            ),
            ("var a b; type C struct { D e }", "var a b; type C struct { D e }"),
            ("func a() { // }\n}\n", "func a() {}\n"),
            ("func a() { /* } */ }\n", "func a() {}\n"),
            ("/* A. */ func a() { b }\n", "/* A. */ func a() {}\n"),
            ("type A struct {\n\tB func()\n}\n", "type A struct {\n\tB func()\n}\n"),
            ("const a = \"func {\"\n", "const a = \"func {\"\n"),
            ("// Ä { func\nfunc ä() { ö }\n", "// Ä { func\nfunc ä() {}\n"),
        ] {
            assert_eq!(kept(text).as_deref(), Some(rest), "{text}");
        }
        for text in [
            "func a() {",
            "func a() }",
            "func a() (}{)",
            "var a = \"b\n",
            "/*",
            "`",
            "'\\",
        ] {
            assert_eq!(kept(text), None, "{text}");
        }
    }

    const FILE: &str = "\
// +groupName=a
package v1

import \"b/c\"

// A is.
// +kubebuilder:validation:MinLength=1
type A string // Behind.

// +kubebuilder:validation:MaxLength=1

func (a A) MarshalJSON() ([]byte, error) {
\t// +kubebuilder:skip
\ttype d struct {
\t\t// +optional
\t\tE int `json:\"e\"`
\t}
\treturn nil, nil
}
// +optional

// B is.
type B struct {
\t// +required
\tC []A `json:\"c\"`
}

var f = map[string]B{
\t// +kubebuilder:object:root=true
\t\"g\": {},
}

// +kubebuilder:validation:Enum=h
type H string

const I H = \"h\"
";

    #[test]
    fn types_are_the_same_without_bodies() {
        let (tree, is_whole) = parsed(FILE).expect("a tree");
        assert!(!is_whole && !tree.root_node().has_error());
        let types = crate::check::read_tree(&tree, FILE).types;
        assert_eq!(types, read(FILE).types);
        assert_eq!(types, read_types(FILE));
        assert_eq!(types.declared.len(), 3);
        // Without a body, the text is read as a whole.
        let text = "package v1\n\n// +optional\ntype A int\n";
        let (tree, is_whole) = parsed(text).expect("a tree");
        assert!(is_whole);
        assert_eq!(crate::check::read_tree(&tree, text), read(text));
    }
}
