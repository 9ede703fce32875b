//! Words for constant parts of expressions that always fail: literal arguments of functions, and format strings.

use crd_analyzer_cel::ast::{ClauseProblem, FormatProblem};

use crate::words::{
    Words,
    text::{clip, code},
};

/// Words for an invalid literal argument of a function, which the API server checks when it compiles the rule.
pub(super) fn invalid_argument(function: &str) -> Words {
    match function {
        "duration" => Words::new("this string is not a duration")
            .label("not a duration")
            .help("use the units `h`, `m`, `s`, `ms`, `us` and `ns`, as in `duration('1h30m')`"),
        "timestamp" => Words::new("this string is not a timestamp")
            .label("not a timestamp")
            .help("write date, time and zone, as in `timestamp('2026-01-31T00:00:00Z')`"),
        _ => Words::new("this string is not a regular expression")
            .label("not a regular expression")
            .help("correct the pattern: the syntax is that of Go (RE2), without look-around and back-references"),
    }
}

/// Words for a format string that does not fit its arguments.
pub(super) fn format(problem: &FormatProblem) -> Words {
    match problem {
        FormatProblem::UnexpectedEnd => Words::new("the format string ends with a single `%`")
            .label("ends with `%`")
            .help("write `%%` for a percent sign, or add a letter, as in `%s`"),
        FormatProblem::MissingArgument { index } => Words::new(format!(
            "the format string uses {} arguments or more, but gets {index}",
            index + 1
        ))
        .label("an argument is missing")
        .help("add a value to the list, or remove a clause such as `%s`; write `%%` for a percent sign"),
        FormatProblem::SpareArguments { used, given } => {
            Words::new(format!("the format string uses {used} of {given} arguments"))
                .label("too many arguments")
                .help("remove arguments, or add a clause such as `%s` for each of them")
        }
        FormatProblem::Clause(problem) => clause(problem),
        FormatProblem::Argument { letter, found } => {
            let letter = char::from(*letter);
            Words::new(format!(
                "`%{letter}` does not accept a value of type {}",
                code(&clip(found, 40))
            ))
            .label(format!("not for `%{letter}`"))
            .help("use `%s` for text and lists, `%d` for integers, and `%f` for numbers of type `double`")
        }
    }
}

fn clause(problem: &ClauseProblem) -> Words {
    let words = match problem {
        ClauseProblem::Unfinished => Words::new("a clause of the format string is not complete"),
        ClauseProblem::NoPrecision => Words::new("a clause of the format string has a `.` without a number"),
        ClauseProblem::PrecisionOutOfRange { digits } => {
            Words::new(format!("the precision {} is too large", clip(digits, 40)))
        }
        ClauseProblem::UnknownLetter(letter) => {
            let clause = code(&format!("%{letter}"));
            Words::new(format!("format strings do not have the clause {clause}"))
        }
    };
    words
        .label("in this format string")
        .help("use `%s`, `%d`, `%f`, `%e`, `%b`, `%x`, `%X` or `%o`; write `%%` for a percent sign")
}

/// Words for a constant part of an expression that always fails. The API server's answer contains the error.
pub(super) fn failing() -> Words {
    Words::new("a constant part of this expression always fails")
        .label("always fails")
        .help("correct the constant that the API server reports, or remove it")
        .quote()
}
