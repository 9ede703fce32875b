//! Patterns at Go's limits: the results of Go 1.26 on either side of each limit, and checks that this crate neither panics nor overflows.

use crd_analyzer_budget::{Limits, Unfinished, within};
use crd_analyzer_goregexp::{ErrorCode, GoRegex, check};

#[track_caller]
fn accepts(pattern: &str) {
    assert_eq!(check(pattern), Ok(()), "{pattern:.60}");
}

#[track_caller]
fn refuses(pattern: &str, code: ErrorCode) {
    let error = check(pattern).expect_err("Go refuses this");
    assert_eq!(
        (error.code, error.message),
        (code, format!("error parsing regexp: {code}: `{pattern}`"))
    );
}

fn nested(open: &str, close: &str, n: usize) -> String {
    format!("{}a{}", open.repeat(n), close.repeat(n))
}

fn growing_alternatives(n: usize) -> String {
    (1..n).map(|i| "a".repeat(i)).collect::<Vec<_>>().join("|")
}

#[test]
fn a_tree_may_have_a_thousand_levels() {
    accepts(&nested("(", ")", 999));
    refuses(&nested("(", ")", 1000), ErrorCode::NestingDepth);
    accepts(&nested("(?:", ")+", 999));
    refuses(&nested("(?:", ")+", 1000), ErrorCode::NestingDepth);
    refuses(&growing_alternatives(990), ErrorCode::NestingDepth);
    refuses(&growing_alternatives(1900), ErrorCode::NestingDepth);
}

#[test]
fn a_program_may_have_some_millions_of_instructions() {
    accepts(&"(a{1000})".repeat(3348));
    refuses(&"(a{1000})".repeat(3349), ErrorCode::Large);
    accepts(&"(a{1000}){0}".repeat(5000));
    refuses(&"(x{0,1000}y)".repeat(3400), ErrorCode::Large);
}

#[test]
fn classes_may_have_some_millions_of_bounds() {
    accepts(&r"\pL".repeat(1000));
    refuses(&r"\pL".repeat(25_800), ErrorCode::Large);
}

#[test]
fn counted_repetitions_multiply() {
    accepts("((a{100}){10}){1}");
    let error = check("((a{100}){10}){2}").expect_err("Go refuses this");
    assert_eq!((error.code, error.span), (ErrorCode::InvalidRepeatSize, 14..17));
}

#[test]
fn what_is_accepted_can_be_compiled_and_run() {
    let deep = GoRegex::new(&nested("(", ")", 999)).expect("Go accepts this");
    assert_eq!(deep.is_match("xa"), Ok(true));
    let deep = GoRegex::new(&nested("(?:", ")*", 999)).expect("Go accepts this");
    assert_eq!(deep.find("aab"), Ok(Some(0..2)));
    let wide = GoRegex::new(r"^[\pL\d]{1000}$").expect("Go accepts this");
    assert_eq!(wide.is_match(&"é".repeat(1000)), Ok(true));
    assert_eq!(wide.is_match(&"é".repeat(999)), Ok(false));
}

#[test]
fn what_takes_too_much_is_not_finished() {
    let long = GoRegex::new(&"(a{1000})".repeat(3000)).expect("Go accepts this");
    assert_eq!(long.is_match("a"), Err(Unfinished::Bytes));
    let empty = GoRegex::new(&"(?:(){1000})".repeat(1000)).expect("Go accepts this");
    assert_eq!(empty.is_match("a"), Err(Unfinished::Bytes));
    let classes: Vec<String> = ('!'..='~').map(|c| format!("[\\pL\\x{{{:x}}}]", c as u32)).collect();
    let classes = GoRegex::new(&classes.concat().repeat(40)).expect("Go accepts this");
    assert_eq!(classes.is_match("a"), Ok(false), "the same class is kept once");
    let slow = GoRegex::new("[ab]*a[ab]{900}$").expect("Go accepts this");
    assert_eq!(slow.is_match(&"ab".repeat(200)), Ok(false));
    let text = "ab".repeat(500_000);
    let limits = Limits {
        work: 10_000_000,
        ..Limits::NONE
    };
    let (answer, ended) = within(limits, || slow.is_match(&text));
    assert_eq!(
        (answer, ended.unfinished),
        (Err(Unfinished::Work), Some(Unfinished::Work))
    );
}
