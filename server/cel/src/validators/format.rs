//! Format strings with their arguments before they run (`cel-go` `ext/formatting.go`, `stringFormatValidator`).

use crate::ast::{ExprKind, NodeId};
use crate::checker::Checked;
use crate::types::{Kind, Type};

/// What is wrong, and with which argument; `None` for the call.
pub(super) struct FormatError {
    pub(super) node: Option<NodeId>,
    pub(super) message: String,
}

fn call_error(message: impl Into<String>) -> FormatError {
    FormatError {
        node: None,
        message: message.into(),
    }
}

/// Checks the arguments against a format string. Returns how many of them it uses.
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
            return Err(call_error("unexpected end of string"));
        }
        let Some(arg) = args.get(used - 1) else {
            return Err(call_error(format!("index {} out of range", used - 1)));
        };
        let clause =
            read_clause(rest).map_err(|message| call_error(format!("could not parse formatting clause: {message}")))?;
        rest = clause.rest;
        check_argument(checked, clause.letter, *arg).map_err(|error| FormatError {
            message: format!("error during formatting: {}", error.message),
            ..error
        })?;
    }
    Ok(used)
}

/// A clause of a format string, behind its `%`.
pub(crate) struct Clause<'a> {
    /// The letter.
    pub(crate) letter: u8,
    /// The precision, if there is one.
    pub(crate) precision: Option<usize>,
    /// What follows.
    pub(crate) rest: &'a [u8],
}

/// The clause that a text begins with.
pub(crate) fn read_clause(text: &[u8]) -> Result<Clause<'_>, String> {
    let failed = |message: &str| format!("error while parsing precision: {message}");
    let (mut rest, mut precision) = (text, None);
    if let Some(after) = text.strip_prefix(b".") {
        let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == after.len() {
            return Err(failed("could not find end of precision specifier"));
        }
        let number = String::from_utf8_lossy(&after[..digits]);
        let Ok(value) = number.parse::<i64>() else {
            let why = if number.is_empty() {
                "invalid syntax"
            } else {
                "value out of range"
            };
            return Err(failed(&format!(
                "error while converting precision to integer: strconv.Atoi: parsing \"{number}\": {why}"
            )));
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
        [other, ..] => Err(format!("unrecognized formatting clause \"{}\"", char::from(*other))),
        [] => Err(failed("could not find end of precision specifier")),
    }
}

fn check_argument(checked: &Checked, letter: u8, arg: NodeId) -> Result<(), FormatError> {
    let (kinds, words): (&[Kind], _) = match letter {
        b's' => {
            return match unprintable(checked, arg) {
                Some(bad) => Err(argument_error(
                    checked,
                    bad,
                    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
                )),
                None => Ok(()),
            };
        }
        b'd' => (&[Kind::Int, Kind::Uint], "decimal clause can only be used on integers"),
        b'f' => (
            &[Kind::Double, Kind::String],
            "fixed-point clause can only be used on doubles",
        ),
        b'e' => (
            &[Kind::Double, Kind::String],
            "scientific clause can only be used on doubles",
        ),
        b'b' => (
            &[Kind::Int, Kind::Uint, Kind::Bool],
            "only integers and bools can be formatted as binary",
        ),
        b'o' => (&[Kind::Int, Kind::Uint], "octal clause can only be used on integers"),
        _ => (
            &[Kind::Int, Kind::Uint, Kind::String, Kind::Bytes],
            "only integers, byte buffers, and strings can be formatted as hex",
        ),
    };
    let ty = checked.type_of(arg);
    if *ty == Type::Dyn || kinds.contains(&ty.kind()) {
        Ok(())
    } else {
        Err(argument_error(checked, arg, words))
    }
}

fn argument_error(checked: &Checked, arg: NodeId, words: &str) -> FormatError {
    FormatError {
        node: Some(arg),
        message: format!("{words}, was given {}", checked.type_of(arg).type_name()),
    }
}

/// The first part of an argument that `%s` does not print.
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
