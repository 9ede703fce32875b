//! The table of output formats, with one file and one row for each format. A row also says which results the format needs besides the diagnostics,
//! because these results take time to compute.

use super::{Look, Printer, concise, github, gitlab, json, jsonl, junit, sarif, tap, text};

/// All formats, in the order of the help text.
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

/// An output format for diagnostics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// The name to type on the command line.
    pub(crate) name: &'static str,
    /// Creates the printer of a run.
    pub(crate) printer: fn(Look) -> Box<dyn Printer>,
    /// Whether the format is for people. Such a format also lists unreadable files, so they are not repeated on standard error.
    pub(crate) is_text: bool,
    /// Whether the format shows the number of diagnostics with fixes.
    pub(crate) counts_fixes: bool,
    /// Whether the format contains fingerprints.
    pub(crate) has_fingerprints: bool,
    /// Whether the format contains fixes.
    pub(crate) has_fixes: bool,
    /// Whether the format contains each custom resource in the form that the API server stores.
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

/// Makes the rows of another table of formats selectable by name on the command line. Each row has a `name` and a `help`.
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

/// The names of the formats, with `or` before the last.
pub(crate) fn names() -> String {
    let names: Vec<&str> = ALL.iter().map(|it| it.name).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
