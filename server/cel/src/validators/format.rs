//! Validates format strings and their arguments before evaluation (`cel-go` `ext/formatting.go`, `stringFormatValidator`).

use crate::ast::{ClauseProblem, ExprKind, FormatProblem, NodeId};
use crate::checker::Checked;
use crate::types::{Kind, Type};

/// A problem, and the argument that causes it; `None` if the problem concerns the whole call.
pub(super) struct FormatError {
    pub(super) node: Option<NodeId>,
    pub(super) problem: FormatProblem,
}

fn call_error(problem: FormatProblem) -> FormatError {
    FormatError { node: None, problem }
}

/// Checks the arguments against a format string. Returns the number of arguments that the format string uses.
pub(super) fn check(checked: &Checked, format: &str, args: &[NodeId]) -> Result<usize, FormatError> {
    let mut rest = format.as_bytes();
    let mut used = 0;
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(b"%") {
            rest = after;
            continue;
        }
        used += 1;
        if rest.is_empty() {
            return Err(call_error(FormatProblem::UnexpectedEnd));
        }
        let Some(arg) = args.get(used - 1) else {
            return Err(call_error(FormatProblem::MissingArgument { index: used - 1 }));
        };
        let clause = read_clause(rest).map_err(|problem| call_error(FormatProblem::Clause(problem)))?;
        rest = clause.rest;
        check_argument(checked, clause.letter, *arg)?;
    }
    Ok(used)
}

/// A clause of a format string, after the `%`.
pub(crate) struct Clause<'a> {
    /// The letter of the clause.
    pub(crate) letter: u8,
    /// The precision, if given.
    pub(crate) precision: Option<usize>,
    /// The rest of the format string.
    pub(crate) rest: &'a [u8],
}

/// Parses the clause at the start of `text`.
pub(crate) fn read_clause(text: &[u8]) -> Result<Clause<'_>, ClauseProblem> {
    let (mut rest, mut precision) = (text, None);
    if let Some(after) = text.strip_prefix(b".") {
        let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == after.len() {
            return Err(ClauseProblem::Unfinished);
        }
        let number = String::from_utf8_lossy(&after[..digits]);
        if number.is_empty() {
            return Err(ClauseProblem::NoPrecision);
        }
        let Ok(value) = number.parse::<i64>() else {
            let digits = number.into_owned();
            return Err(ClauseProblem::PrecisionOutOfRange { digits });
        };
        precision = usize::try_from(value).ok();
        rest = &after[digits..];
    }
    match rest {
        [
            letter @ (b's' | b'd' | b'f' | b'e' | b'b' | b'x' | b'X' | b'o'),
            rest @ ..,
        ] => Ok(Clause {
            letter: *letter,
            precision,
            rest,
        }),
        [other, ..] => Err(ClauseProblem::UnknownLetter(char::from(*other))),
        [] => Err(ClauseProblem::Unfinished),
    }
}

fn check_argument(checked: &Checked, letter: u8, arg: NodeId) -> Result<(), FormatError> {
    let kinds: &[Kind] = match letter {
        b's' => {
            return match unprintable(checked, arg) {
                Some(bad) => Err(argument_error(checked, letter, bad)),
                None => Ok(()),
            };
        }
        b'd' | b'o' => &[Kind::Int, Kind::Uint],
        b'f' | b'e' => &[Kind::Double, Kind::String],
        b'b' => &[Kind::Int, Kind::Uint, Kind::Bool],
        _ => &[Kind::Int, Kind::Uint, Kind::String, Kind::Bytes],
    };
    let ty = checked.type_of(arg);
    if *ty == Type::Dyn || kinds.contains(&ty.kind()) {
        Ok(())
    } else {
        Err(argument_error(checked, letter, arg))
    }
}

fn argument_error(checked: &Checked, letter: u8, arg: NodeId) -> FormatError {
    let found = checked.type_of(arg).type_name().to_string();
    FormatError {
        node: Some(arg),
        problem: FormatProblem::Argument { letter, found },
    }
}

/// The first part of an argument that `%s` cannot print.
fn unprintable(checked: &Checked, arg: NodeId) -> Option<NodeId> {
    let ty = checked.type_of(arg);
    let printable = matches!(
        ty.kind(),
        Kind::List
            | Kind::Map
            | Kind::Int
            | Kind::Uint
            | Kind::Double
            | Kind::Bool
            | Kind::String
            | Kind::Timestamp
            | Kind::Bytes
            | Kind::Duration
            | Kind::Type
            | Kind::Null
    );
    if *ty != Type::Dyn && !printable {
        return Some(arg);
    }
    match &checked.ast[arg].kind {
        ExprKind::List { elements, .. } => elements.iter().find_map(|element| unprintable(checked, *element)),
        ExprKind::Map { entries } => entries
            .iter()
            .find_map(|entry| unprintable(checked, entry.key).or_else(|| unprintable(checked, entry.value))),
        _ => None,
    }
}
