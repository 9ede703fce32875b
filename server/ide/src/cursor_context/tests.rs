//! Tests for cursor contexts in complete, incomplete and broken text. `$0` is the cursor.

use std::sync::Arc;

use crd_analyzer_syntax::{edit::EditingTree, paths::display};

use super::{CursorContext, Slot};

/// A description of the context in one line: the path, `key`, `value` or `dash`, the prefix, and further properties.
fn show(text: &str) -> String {
    let offset = text.find("$0").expect("a cursor") as u32;
    let text: Arc<str> = text.replacen("$0", "", 1).into();
    let trees = EditingTree::new(text);
    let Some(tree) = trees.document_at(offset).map(|it| &it.tree) else {
        return "no document".to_owned();
    };
    let Some(place) = CursorContext::at(tree, offset) else {
        return "-".to_owned();
    };
    let path = display(&place.path);
    let prefix = &place.token.prefix;
    let mut shown = match place.slot {
        Slot::Key { has_colon, list, .. } => {
            let mut shown = format!("key {path}/{prefix}");
            if !place.siblings().is_empty() {
                shown += " with ";
                shown += &place.siblings().join(",");
            }
            if has_colon {
                shown += " colon";
            }
            if list.is_some() {
                shown += " or-dash";
            }
            shown
        }
        Slot::Value { on_own_line, .. } => {
            format!("value {path}/{prefix}{}", if on_own_line { " own-line" } else { "" })
        }
        Slot::Dash { .. } => format!("dash {path}"),
    };
    if place.is_json() {
        shown += " json";
    } else if place.is_flow {
        shown += " flow";
    }
    shown
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let shown = show(text);
        if shown != *expected {
            wrong.push(format!("{text:?}\n  is       {shown}\n  not      {expected}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn on_tokens() {
    check(&[
        ("ki$0nd: x\napi: y\n", "key /ki with api colon"),
        ("$0kind: x\n", "key / colon"),
        ("kind$0: x\n", "key /kind colon"),
        ("a:\n  b: val$0ue\n", "value a.b/val"),
        ("a:\n  - x$0y\n", "value a[0]/x own-line"),
        ("a: 'it''s$0 x'\n", "value a/it's"),
        ("a: \"x\\ty$0\"\n", "value a/x\ty"),
        ("a: 'x'$0\n", "-"),
        ("a: |\n  self.$0x\n  y\n", "value a/self."),
        ("a: >-\n  self.x\n  && y$0\nb: 1\n", "value a/self.x && y"),
        ("a: |$0\n  x\n", "-"),
        ("# com$0ment\na: 1\n", "-"),
        ("a: 1 # com$0ment\n", "-"),
        ("a: &x$0 1\n", "-"),
        ("a: x\n  y$0z\n", "value a/x y"),
        ("a: !se$0\n", "value a/!se"),
        ("a: {b: !has(self.$0}\n", "value a.b/!has(self. flow"),
        ("a: !x y$0\n", "value a/y"),
        ("a: !x$0 y\n", "-"),
    ]);
}

#[test]
fn half_typed_lines() {
    check(&[
        ("spec:\n  gr$0\n  other: 1\n", "key spec/gr with other"),
        ("spec:\n  other: 1\n  gr$0\n", "key spec/gr with other"),
        ("spec:\n  gr$0\n", "value spec/gr own-line"),
        ("spec:\n  gr$0", "value spec/gr own-line"),
        ("a:\n- na$0\n- b: 1\n", "value a[0]/na own-line"),
        ("a:\n- na$0\n  value: 1\n", "key a[0]/na with value"),
        ("a:\n- value: 1\n  na$0\n- value: 2\n", "key a[0]/na with value"),
        ("a:\n  b: \"se$0\n  c: 1\n", "value a.b/se"),
        ("a:\n  b: 'se$0\n  c: 'x'\n", "value a.b/se"),
        ("gr$0\n", "value /gr own-line"),
        ("a: 1\nb$0\n  c: 2\n", "key /b with a"),
        ("a: 1\n$0: 2\nb: 3\n", "key / with a,b colon"),
        ("x:\n  $0: 2\n  b: 3\n", "key x/ with b colon"),
        ("a: self.$0: x\nb: 1\n", "value a/self."),
    ]);
}

#[test]
fn quotes_without_end_reach_as_deep_as_their_lines() {
    check(&[
        (
            "v:\n- m: x\n  rule: '!(''*'' in a\n    || (has(s$0\nstatus: 1\n",
            "value v[0].rule/!('*' in a || (has(s",
        ),
        (
            "v:\n- m: x\n  rule: '!(''*'' in $0\n    || c'\nstatus: 1\n",
            "value v[0].rule/!('*' in ",
        ),
        (
            "v:\n- rule: \"a == \\\"b\\\"\n    && has(x) && $0\nmaxItems: 1\n",
            "value v[0].rule/a == \"b\" && has(x) && ",
        ),
        (
            "v:\n- rule: 'a ? 1\n    : 0) + b$0\n  m: x\n",
            "value v[0].rule/a ? 1 : 0) + b",
        ),
        ("v:\n- rule: 'a\n    ? b : !c$0\n  m: x\n", "value v[0].rule/a ? b : !c"),
        ("v:\n- a: \"$0\n  m: x\n", "value v[0].a/"),
        ("v:\n- \"$0\n- x\n", "value v[0]/ own-line"),
        ("v:\n  d: |-\n    text\n  $0\n    type: x\n  e: 1\n", "key v/ with d,e"),
        ("v:\n  $0\n    - type: x\n", "value v/ own-line"),
        ("v:\n  rule: 'a\n  m$0: x\n", "key v/m with rule colon"),
        ("v:\n  rule: 'a\n    m$0: x\n", "key v/m with rule colon"),
    ]);
}

#[test]
fn behind_colons_and_dashes() {
    check(&[
        ("a: $0\n", "value a/"),
        ("a:$0\n", "value a/"),
        ("a: $0\nb: 1\n", "value a/"),
        ("a:  $0 # x\nb: 1\n", "value a/"),
        ("x:\n  a: $0\n  b: 1\n", "value x.a/"),
        ("a: $0 x\n", "value a/"),
        ("a: x $0\n", "value a/x "),
        ("a: x $0\nb: y\n", "value a/x "),
        ("a: x\n  $0\nb: y\n", "value a/x "),
        ("a: x $0 y\n", "value a/x "),
        ("a: $0\n  b: 1\n", "-"),
        ("a:\n- $0\n", "value a[0]/ own-line"),
        ("a:\n- x\n- $0\n", "value a[1]/ own-line"),
        ("a:\n- x\n- $0\n- y\nb: 1\n", "value a[1]/ own-line"),
        ("a:\n  - b: 1\n  - $0\nc: 1\n", "value a[1]/ own-line"),
        ("a:\n- - x\n  - $0\n", "value a[0][1]/ own-line"),
        ("a:\n- b: $0\n", "value a[0].b/"),
        ("- $0", "value [0]/ own-line"),
    ]);
}

#[test]
fn empty_lines() {
    check(&[
        ("$0\n", "no document"),
        ("a: 1\n$0\n", "key / with a"),
        ("$0\na: 1\n", "key / with a"),
        ("a: 1\n$0\nb: 1\n", "key / with a,b"),
        ("a:\n  b: 1\n  $0\n", "key a/ with b"),
        ("a:\n  b: 1\n$0\n", "key / with a"),
        ("a:\n  b: 1\n  $0\n  c: 1\nd: 1\n", "key a/ with b,c"),
        ("a:\n  $0\n  c: 1\nd: 1\n", "key a/ with c"),
        ("a:\n  $0\nb: 1\n", "value a/ own-line"),
        ("a:\n  $0", "value a/ own-line"),
        ("x:\n  a:\n    $0\n  b: 1\n", "value x.a/ own-line"),
        ("x:\n  a:\n  $0\n  b: 1\n", "key x/ with a,b"),
        ("a:\n  b: true\n  $0\n    more text\n  c: 1\n", "key a/ with b,c"),
        ("a:\n  $0\n  - b: 1\nc: 1\n", "value a/ own-line"),
        ("a:\n- b: 1\n  $0\n", "key a[0]/ with b"),
        ("a:\n- b: 1\n$0\n", "key / with a or-dash"),
        ("a:\n- b: 1\n$0\n- c: 1\n", "key / with a or-dash"),
        ("a:\n  - b: 1\n  $0\nc: 1\n", "dash a[1]"),
        ("a:\n  - b: 1\n    $0\nc: 1\n", "key a[0]/ with b"),
        ("a:\n  -\n    $0\nc: 1\n", "value a[0]/ own-line"),
        ("a:\n  b: |\n    x\n    $0\n  c: 1\n", "value a.b/x\n"),
        ("a:\n  b: |\n    x\n  $0\n  c: 1\n", "key a/ with b,c"),
        ("a:\n  b: |\n    $0\n  c: 1\n", "value a.b/"),
        ("a:\n  b: |\n\n    $0\n    x\n", "value a.b/\n"),
    ]);
}

#[test]
fn in_brackets() {
    check(&[
        ("a: {b: 1, $0}\n", "key a/ with b flow"),
        ("a: {$0}\n", "key a/ flow"),
        ("a: {b$0}\n", "key a/b flow"),
        ("a: {b: $0}\n", "value a.b/ flow"),
        ("a: {b: $0, c: 1}\n", "value a.b/ flow"),
        ("a: {b: x$0, c: 1}\n", "value a.b/x flow"),
        ("a: {b: 1 $0}\n", "value a.b/1  flow"),
        ("a: [x, $0]\n", "value a[1]/ flow"),
        ("a: [$0]\n", "value a[0]/ flow"),
        ("a: [x, y$0]\n", "value a[1]/y flow"),
        ("a: {b: 1, $0\nc: 1\n", "key a/ with b flow"),
        ("a: ['$0\nc: 1\n", "value a[0]/ flow"),
        ("a: [x, \"$0\nc: 1\n", "value a[1]/ flow"),
        ("a: {b: \"$0\nc: 1\n", "value a.b/ flow"),
        ("a: {b: $0\nc: 1\n", "value a.b/ flow"),
        ("a: {type: st$0\nc: 1\n", "value a.type/st flow"),
        ("{\"a\": {\"b\": 1, \"$0\"}}", "key a/ with b json"),
        ("{\"a\": {\"b\": 1, \"c$0\": 2}}", "key a/c with b colon json"),
        ("{\"a\": {\"b\": \"x$0\"}}", "value a.b/x json"),
        ("{\"a\": {\n  \"b\": 1,\n  $0\n}}", "key a/ with b json"),
        ("{\"a\": {\n  \"b\": 1,\n  \"c$0\n}}", "key a/c with b json"),
        ("{\n  \"a\": $0\n}\n", "value a/ json"),
        ("{$0}", "key / json"),
        ("{\"a\": [\n  \"x\",\n  $0\n]}", "value a[1]/ json"),
    ]);
}

#[test]
fn in_brackets_that_something_is_missing_in() {
    check(&[
        ("{a: 1, $0: 2}\n", "key / with a colon flow"),
        ("{$0: 2, a: 1}\n", "key / with a colon flow"),
        ("{\"$0", "key / json"),
        ("{\"$0\n", "key / json"),
        ("{a: x == $0}\n", "value a/x ==  flow"),
        ("{a: x == $0, b: c}\n", "value a/x ==  flow"),
        ("{a: \"x || $0\n  b: \"c\"}\n", "value a/x ||  flow"),
        ("{a: 'x == $0\n", "value a/x ==  flow"),
        ("a: {r: 'x && $0\n  b: c\n", "value a.r/x &&  flow"),
        ("{a: [f$0\n  bar: x, foo: {}}\n", "value a[0]/f flow"),
        ("{a: $0\n  b: {c: 1}}\n", "value a/ flow"),
        ("{a: b, c$0\n  d: {e: 1}}\n", "key /c with a,d flow"),
        ("{\"a\": $0\n  \"b\": {\"c\": 1}}\n", "value a/ json"),
        ("{? a\n  b$0: c}\n", "key /a b colon flow"),
    ]);
}

/// The context of any position in any text can be found without a panic, and its prefix is always the text before the cursor.
#[test]
fn every_place_of_broken_text_can_be_asked_for() {
    const PIECES: [&str; 26] = [
        "a", "b:", "c: ", "\n", "\n", "\n  ", "\n  ", "\n    ", "- ", "-", "? ", ": ", "[", "]", "{", "}", ",", "\"",
        "'", "|\n", ">-\n  x", "&a ", "# x", "é😀", "\t", "\r\n",
    ];
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = move |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    for _ in 0..2_000 {
        let text: String = (0..below(25)).map(|_| PIECES[below(PIECES.len())]).collect();
        let trees = EditingTree::new(text.as_str());
        for (offset, _) in text.char_indices() {
            let Some(reading) = trees.document_at(offset as u32) else {
                continue;
            };
            if let Some(place) = CursorContext::at(&reading.tree, offset as u32) {
                assert!(
                    place.token.span.start <= offset as u32 && offset as u32 <= place.token.span.end,
                    "{offset} in {text:?}"
                );
                let _ = (place.siblings(), place.in_scalar(), place.is_json());
            }
        }
    }
}
