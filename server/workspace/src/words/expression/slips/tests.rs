//! Tests of the parts that are found, and of what is written instead.

use super::*;

#[test]
fn parts_of_other_languages_are_written_in_cel() {
    for (written, expected) in [
        ("self.mode === 'Fast'", "self.mode == 'Fast'"),
        ("self.mode !== 'Fast'", "self.mode != 'Fast'"),
        ("self.mode <> 'Fast'", "self.mode != 'Fast'"),
        ("self.cron not in ['a']", "!(self.cron in ['a'])"),
        (
            "a && self.m['x'].f(1) not in self.b.c || d",
            "a && !(self.m['x'].f(1) in self.b.c) || d",
        ),
        ("if a then b else c", "a ? b : c"),
        ("(if a > 1 then b else c) && d", "(a > 1 ? b : c) && d"),
        ("if a then b", "!(a) || (b)"),
        ("self?.name == 'x'", "self.?name.orValue('') == 'x'"),
        ("self.spec?.size > 1", "self.spec.?size.orValue(0) > 1"),
        ("self.min <= self.max <= 10", "self.min <= self.max && self.max <= 10"),
        ("1 < self.a + 1 < 10 || b", "1 < self.a + 1 && self.a + 1 < 10 || b"),
        ("self.name.equals('y')", "self.name == 'y'"),
        ("!self.name.equals(a ? 'y' : 'z')", "self.name != (a ? 'y' : 'z')"),
        ("self.name.isSet()", "has(self.name)"),
        ("!self.name.isSet() || a", "!has(self.name) || a"),
        ("self.name.isNull()", "!has(self.name)"),
        ("!self.tags.isEmpty()", "size(self.tags) > 0"),
        ("self.name =~ '^a'", "self.name.matches('^a')"),
        ("self.tags.all(t => t != '')", "self.tags.all(t, t != '')"),
        ("self.tags.all((t) => t != '')", "self.tags.all(t, t != '')"),
        ("self.tags.all(t -> t != '')", "self.tags.all(t, t != '')"),
    ] {
        let found = slips(written);
        let [slip] = found.as_slice() else {
            panic!("{written}: {found:?}");
        };
        let mut text = written.to_owned();
        text.replace_range(slip.range.clone(), slip.instead.as_deref().unwrap_or("?"));
        assert_eq!(text, expected, "{written}");
    }
}

#[test]
fn cel_has_no_such_parts() {
    for text in [
        "self.a == 'x' && self.b != 'y' ? self.c in ['a'] : !(self.d in ['b'])",
        "self.a < 1 && self.b < 2",
        "self.a < 1 ? self.b > 2 : self.c >= 3",
        "self.?a.orValue('') == 'x' && has(self.b)",
        "self.list.exists(x, x.a > -1) && self.b.matches('=>')",
        "f(self.a < 1, self.b < 2) && [self.a < 1, self.b < 2].all(x, x)",
        "// if a then b\nself.a.size() > 1",
    ] {
        assert_eq!(slips(text), [], "{text}");
    }
}

#[test]
fn unfinished_text_has_no_certain_slip() {
    for text in [
        "if",
        "not in",
        "=~",
        "self?.",
        "=>",
        ".equals(",
        "a <",
        "a < b <",
        "if a then",
        "===",
        "(((not in",
        "x -> ",
    ] {
        assert!(
            slips(text)
                .iter()
                .all(|it| it.instead.is_none() || text == "===" || text == "x -> "),
            "{text}"
        );
    }
}

#[test]
fn comparisons_that_a_word_joins_are_two() {
    assert_eq!(slips("self.a < 1 and self.b > 2"), []);
}
