//! Describes in words how many objects of the workspace fail a constraint.

use std::fmt::Write as _;

use crd_analyzer_diagnostic::text::counted;

/// The number of objects in the workspace that have the CRD's kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Objects {
    /// The number of objects that were checked.
    pub checked: usize,
    /// The number of objects whose check did not finish.
    pub not_checked: usize,
    /// The number of files whose objects were not checked, because there are too many files.
    pub files_not_checked: usize,
}

/// The number of objects that fail a constraint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Failing {
    /// The number of all objects that fail it.
    pub all: usize,
    /// The number of objects whose errors need no fix, because only tests read them or they are wrong on purpose.
    pub aside: usize,
    /// Whether the user has edited the constraint.
    pub is_edited: bool,
}

impl Failing {
    /// Whether to show a lens. For a constraint that was not edited, errors in test data do not matter.
    pub fn is_told(&self, objects: &Objects) -> bool {
        let is_known = objects.checked > 0;
        self.all > self.aside || self.is_edited && (is_known || self.all > 0)
    }

    /// The title of the lens. `name` is the name of the constraint in a sentence.
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
