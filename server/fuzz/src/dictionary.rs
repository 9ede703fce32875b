//! The dictionaries for fuzzing: words from the tables that the analyzer itself uses.

use std::fmt::Write as _;

use crd_analyzer_apiextensions::api::{DEFINITION, FieldType, OBJECT_META, SCHEMA, Struct, VALIDATION_RULE};
use crd_analyzer_cel::{
    decls::{Environment, ExpressionSet},
    parser::macros::MACROS,
};
use crd_analyzer_schema::KubernetesVersion;

/// YAML syntax.
pub(crate) const YAML: &[&str] = &[
    "---\n",
    "...\n",
    "- ",
    ": ",
    "? ",
    "\n  ",
    "\n    ",
    "# ",
    " #",
    "|",
    ">-",
    "|+\n",
    "|2-\n",
    "&a ",
    "*a",
    "<<: ",
    "!!str ",
    "!!binary ",
    "!!int ",
    "!e!x ",
    "%TAG !e! tag:e,2000:\n",
    "%YAML 1.1\n",
    "{",
    "}",
    "[",
    "]",
    ", ",
    "'",
    "\"",
    "\\n",
    "\\u00e9",
    "\\U0001F600",
    "\\x",
    "~",
    "null",
    "true",
    "yes",
    "0x1F",
    "0o17",
    "1e3",
    ".inf",
    ".nan",
    "1_000",
    "2001-01-01",
    "9223372036854775808",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\r\n",
    "\t",
    "é",
    "\u{1F600}",
    "=",
    "\\/",
];

/// JSON syntax.
pub(crate) const JSON: &[&str] = &[
    "{\"", "\":", "\",\"", "[{", "}]", "null", "true", "false", "-0", "1e400", "\\u0000", "\\ud800", "\\\"",
];

/// CEL syntax other than functions.
const OPERATORS: &[&str] = &[
    " && ",
    " || ",
    " ? ",
    " : ",
    " == ",
    " != ",
    " <= ",
    " in ",
    "self",
    "oldSelf",
    "self.",
    "[0]",
    "[?",
    ".?",
    "!",
    "-",
    " % ",
    " / ",
    "has(",
    "b'",
    "r\"",
    "'''",
    "\"\"\"",
    "1u",
    "0x",
    "1.5e3",
    "duration('1h')",
    "timestamp('2024-01-01T00:00:00Z')",
    "optional.of(",
    ".orValue(",
    "{'a': 1}",
    "dyn(",
    "type(",
    "//",
    "\n",
    "`a`",
    "__namespace__",
    "e, e",
    ".all(x, ",
    ".map(x, ",
    ".filter(x, ",
    ".exists(i, v, ",
];

/// Regular expression syntax.
pub(crate) const PATTERNS: &[&str] = &[
    "(?i)",
    "(?s:",
    "(?P<n>",
    "(?<n>",
    "(?:",
    "(?=",
    "\\pL",
    "\\p{Greek}",
    "\\P{^Lu}",
    "[[:alpha:]]",
    "[^",
    "\\Q",
    "\\E",
    "\\x{10FFFF}",
    "\\b",
    "\\B",
    "\\A",
    "\\z",
    "\\C",
    "{2,}",
    "{0,1000}",
    "{1001}",
    "*?",
    "+?",
    "??",
    "|",
    "^",
    "$",
    "(?m)",
    "(?U)",
    "\\d",
    "\\W",
    "é",
    "ſ",
    "\u{212a}",
];

/// Adds the field names of a structure and of all nested structures, without duplicates.
fn add_fields(structure: &'static Struct, found: &mut Vec<String>) {
    for field in structure.fields {
        let key = format!("{}: ", field.name);
        if found.contains(&key) {
            continue;
        }
        found.push(key);
        found.extend(field.values.known().iter().map(|it| it.text.to_owned()));
        let below = |ty: &'static FieldType| ty.structure().or_else(|| ty.element()?.structure());
        if let Some(below) = below(&field.ty) {
            add_fields(below, found);
        }
    }
}

/// The words for CRDs.
pub(crate) fn definition() -> Vec<String> {
    let mut found = owned(YAML);
    found.push("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n".to_owned());
    found.push("# crd-analyzer: ignore[".to_owned());
    for structure in [&DEFINITION, &OBJECT_META, &SCHEMA, &VALIDATION_RULE] {
        add_fields(structure, &mut found);
    }
    found
}

/// The words for CEL expressions.
pub(crate) fn expression() -> Vec<String> {
    let mut found = owned(OPERATORS);
    let environment = Environment::of(KubernetesVersion::NEWEST, ExpressionSet::Stored);
    let names = environment.functions().map(|it| &*it.name);
    let names = names.filter(|it| it.starts_with(char::is_alphabetic));
    found.extend(names.map(|it| format!("{it}(")));
    found.extend(MACROS.iter().map(|it| format!(".{}(", it.name)));
    found
}

/// Converts words to owned strings.
pub(crate) fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|it| (*it).to_owned()).collect()
}

/// The file format: one quoted word per line, without duplicates.
pub(crate) fn written(mut words: Vec<String>) -> String {
    words.sort();
    words.dedup();
    let mut text = String::new();
    for word in words.iter().filter(|it| (2..=64).contains(&it.len())) {
        text.push('"');
        for byte in word.bytes() {
            match byte {
                b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
                b' '..=b'~' => text.push(char::from(byte)),
                _ => drop(write!(text, "\\x{byte:02X}")),
            }
        }
        text.push_str("\"\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_written_as_the_engine_reads_them() {
        let words = ["a: ", "\n  ", "\"x\\", "a: ", "é", "x"];
        assert_eq!(
            written(owned(&words)),
            "\"\\x0A  \"\n\"\\\"x\\\\\"\n\"a: \"\n\"\\xC3\\xA9\"\n"
        );
        let words = definition();
        assert!(words.contains(&"openAPIV3Schema: ".to_owned()) && words.contains(&"Namespaced".to_owned()));
        assert!(expression().contains(&"isSorted(".to_owned()));
    }
}
