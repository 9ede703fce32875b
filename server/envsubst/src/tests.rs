//! Texts with variables, and what Flux makes of them.

use super::*;

/// The text in which `A` is `aXbXc`, `E` is empty, `U` is unknown, and all others are undefined.
fn expand(text: &str) -> Result<Option<String>, (String, String)> {
    let value = |name: &str| match name {
        "A" => Value::Known("aXbXc"),
        "E" => Value::Known(""),
        "U" => Value::Unknown,
        _ => Value::Undefined,
    };
    match parse(text) {
        Ok(template) => Ok(template.nodes.iter().map(|it| it.expand(&value)).collect()),
        Err(bad) => Err((bad.cause.to_string(), text[bad.span].to_owned())),
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(expand(text), Ok(Some(expected.to_owned())), "of {text:?}");
}

#[test]
fn values_and_defaults() {
    check("a ${A} $A $$A $${A} $$${A}", "a aXbXc $A $A ${A} $aXbXc");
    check("${E:=b}${E=b}${A:=b}${N:-x ${A} y}", "bbaXbXcx aXbXc y");
    check("${N:=}${N==a}${N:=$$}", "=a$$");
}

#[test]
fn operators() {
    check("${A^^}${A^}${A,,}${A,}${#A}", "AXBXCAXbXcaxbxcaXbXc5");
    check("${A:2}${A:1:3}${A:-1}${A:0:1}${A:x}", "bXcXbXaXbXcaaXbXc");
    check("${A/X/y}${A//X/y}${A//X/}${A/#a/y}${A/%c/y}", "aybXcaybycabcyXbXcaXbXy");
    check("${A#*X}-${A##*X}-${A%X*}-${A%%X*}-${A#[a-c]?}", "bXc-c-aXb-a-bXc");
    check("${A//\\//y}${A/X/${A}}", "aXbXcaaXbXcbXc");
}

#[test]
fn unknown_and_undefined() {
    for text in ["${U}", "${U:=b}", "${N}", "${N^^}", "${E:=${N}}", "${A:0:-9}"] {
        assert_eq!(expand(text), Ok(None), "of {text:?}");
    }
    let template = parse("${A}${B:=${C}}").expect("it has no errors");
    let variables = template.variables();
    let names: Vec<_> = variables
        .iter()
        .map(|it| (it.name.as_str(), it.has_default()))
        .collect();
    assert_eq!(names, [("A", false), ("C", false), ("B", true)]);
}

#[test]
fn errors_in_the_words_of_flux() {
    for (text, cause, at) in [
        ("x ${A", "missing closing brace", "${A"),
        ("x ${A y}", "missing closing brace", "${A"),
        ("x ${A-2}", "missing closing brace", "${A"),
        ("${}", "unable to parse variable name", "${"),
        ("${{ a }}", "unable to parse variable name", "${"),
        ("${A:=b", "unable to parse substitution within function", "${A:=b"),
        ("${A:=${B", "missing closing brace", "${B"),
        ("${A/b}", "bad substitution", "${A/b}"),
        ("${#}", "bad substitution", "${#"),
        ("${A:é}", "bad substitution", "${A"),
    ] {
        let expected = (cause.to_owned(), at.to_owned());
        assert_eq!(expand(text), Err(expected), "of {text:?}");
    }
    let deep = "${A:=".repeat(100_000);
    assert_eq!(expand(&deep).map_err(|it| it.0), Err(Cause::NotFollowed.to_string()));
}
