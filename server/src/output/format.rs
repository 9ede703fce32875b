//! The table of output formats: one file and one row each. What a format needs beyond the diagnostics is said in its row, since it takes time
//! to find out.

use super::{Look, Printer, concise, github, gitlab, json, jsonl, junit, sarif, tap, text};

/// Every format, in the order that people read them in.
pub(crate) const ALL: &[Format] = &[
    text::FORMAT,
    concise::FORMAT,
    json::FORMAT,
    jsonl::FORMAT,
    github::FORMAT,
    gitlab::FORMAT,
    sarif::FORMAT,
    junit::FORMAT,
    tap::FORMAT,
];

/// How diagnostics are printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// What people type.
    pub(crate) name: &'static str,
    /// Makes the printer of a run.
    pub(crate) printer: fn(Look) -> Box<dyn Printer>,
    /// It is for people. It then includes unreadable files, so standard error need not repeat them.
    pub(crate) is_text: bool,
    /// It says how many diagnostics have fixes.
    pub(crate) counts_fixes: bool,
    /// It has fingerprints.
    pub(crate) has_fingerprints: bool,
    /// It has repairs.
    pub(crate) has_fixes: bool,
    /// It says what an API server makes of each custom resource.
    pub(crate) has_resources: bool,
}

impl Format {
    /// A format for programs that needs only the diagnostics.
    pub(crate) const fn new(name: &'static str, printer: fn(Look) -> Box<dyn Printer>) -> Self {
        Self {
            name,
            printer,
            is_text: false,
            counts_fixes: false,
            has_fingerprints: false,
            has_fixes: false,
            has_resources: false,
        }
    }
}

/// Lets people choose a row of another table of formats, which have a `name` and a `help`, by its name.
macro_rules! choose {
    ($format:ty, $all:expr) => {
        impl clap::ValueEnum for &'static $format {
            fn value_variants<'a>() -> &'a [Self] {
                $all
            }

            fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
                Some(clap::builder::PossibleValue::new(self.name).help(self.help))
            }
        }
    };
}
pub(super) use choose;

/// The names of formats, `or` before the last.
pub(crate) fn names() -> String {
    let names: Vec<&str> = ALL.iter().map(|it| it.name).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
