//! How many objects of the workspace fail a constraint, in words.

use std::fmt::Write as _;

use crd_analyzer_diagnostic::text::counted;

/// The objects of a CRD's kind in the workspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Objects {
    /// Those that were checked.
    pub checked: usize,
    /// Those that were not checked to the end.
    pub not_checked: usize,
    /// The files whose objects were not looked at, as there are too many.
    pub files_not_checked: usize,
}

/// How many objects fail a constraint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Failing {
    /// All of them.
    pub all: usize,
    /// Those whose errors need no fix: only tests read them, or they are wrong on purpose.
    pub aside: usize,
    /// Somebody has edited the constraint.
    pub is_edited: bool,
}

impl Failing {
    /// Whether a lens shows it. In an unedited CRD, errors in test data are ignored.
    pub fn is_told(&self, objects: &Objects) -> bool {
        let is_known = objects.checked > 0;
        self.all > self.aside || self.is_edited && (is_known || self.all > 0)
    }

    /// The sentence. `name`: what the constraint is called.
    pub fn words(&self, name: &str, objects: &Objects) -> String {
        let all = objects.checked.max(self.all);
        let mut words = match (self.all, all) {
            (0, 1) => format!("the only object in the workspace passes {name}"),
            (0, _) => format!("all {all} objects in the workspace pass {name}"),
            (_, 1) => format!("the only object in the workspace fails {name}"),
            (1, _) => format!("1 of {all} objects in the workspace fails {name}"),
            (failing, _) => format!("{failing} of {all} objects in the workspace fail {name}"),
        };
        if self.aside > 0 {
            let _ = if self.aside == self.all {
                write!(words, " (in test data)")
            } else {
                write!(words, " ({} in test data)", self.aside)
            };
        }
        if objects.not_checked > 0 {
            let _ = write!(words, ", {} not checked", objects.not_checked);
        }
        if objects.files_not_checked > 0 {
            let files = counted(objects.files_not_checked as i64, "file", "files");
            let _ = write!(words, ", {files} not checked");
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(failing: [usize; 2], objects: [usize; 3], expected: &str) {
        let [all, aside] = failing;
        let [checked, not_checked, files_not_checked] = objects;
        let failing = Failing {
            all,
            aside,
            is_edited: true,
        };
        let objects = Objects {
            checked,
            not_checked,
            files_not_checked,
        };
        assert_eq!(failing.words("this rule", &objects), expected);
    }

    #[test]
    fn counts_agree_with_their_nouns() {
        check([3, 0], [41, 0, 0], "3 of 41 objects in the workspace fail this rule");
        check([1, 0], [41, 0, 0], "1 of 41 objects in the workspace fails this rule");
        check([1, 0], [1, 0, 0], "the only object in the workspace fails this rule");
        check([0, 0], [41, 0, 0], "all 41 objects in the workspace pass this rule");
        check([0, 0], [1, 0, 0], "the only object in the workspace passes this rule");
        check(
            [3, 2],
            [41, 12, 0],
            "3 of 41 objects in the workspace fail this rule (2 in test data), 12 not checked",
        );
        check(
            [2, 2],
            [41, 0, 1],
            "2 of 41 objects in the workspace fail this rule (in test data), 1 file not checked",
        );
    }

    #[test]
    fn an_untouched_crd_is_silent_unless_something_is_to_be_fixed() {
        let objects = Objects {
            checked: 2,
            ..Objects::default()
        };
        let is_told = |all, aside, is_edited, objects: &Objects| Failing { all, aside, is_edited }.is_told(objects);
        assert!(!is_told(0, 0, false, &objects));
        assert!(!is_told(1, 1, false, &objects));
        assert!(is_told(2, 1, false, &objects));
        assert!(is_told(0, 0, true, &objects));
        assert!(!is_told(0, 0, true, &Objects::default()), "there are none");
    }
}
