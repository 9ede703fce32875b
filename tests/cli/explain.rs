//! `explain` prints pages.

use crate::Sandbox;

#[test]
fn prints_a_page_and_lists_all() {
    let sandbox = Sandbox::new(&[]);
    sandbox.run(&["explain", "unknown-type"]).expect(0, &["unknown-type"]);
    sandbox.run(&["explain"]).expect(0, &["unknown-type", "duplicate-key"]);
}

#[test]
fn says_what_was_meant() {
    Sandbox::new(&[])
        .run(&["explain", "unknown-typ"])
        .expect(2, &["did you mean `unknown-type`?"]);
}
