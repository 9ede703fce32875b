//! The kinds of problems that an expression can have, the data for their messages, and `cel-go`'s wording.

use super::syntax_error::SyntaxError;
use crate::types::Type;

/// The kind of a problem with an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum IssueKind {
    /// The text is not an expression.
    Syntax(SyntaxError),
    /// The expression exceeds a limit of the parser or the checker.
    Limit(Limit),
    /// A part of the expression is missing. The parser reports a syntax error before it.
    Incomplete(Incomplete),
    /// A number, string or bytes literal has no value.
    Literal(LiteralProblem),
    /// The expression uses a part of the language that the API server does not enable.
    Unsupported(Unsupported),
    /// A variable or function has a name that CEL reserves.
    ReservedName {
        /// The name.
        name: String,
    },
    /// A macro does not accept its argument or its target.
    Macro(MacroProblem),
    /// A name is not declared.
    UndeclaredReference {
        /// The name of a variable, function or type.
        name: String,
        /// The container that the name is looked up in.
        container: String,
    },
    /// An object has no such field.
    UndefinedField {
        /// The name of the field as the expression writes it.
        field: String,
        /// The name of the object's type.
        of: String,
    },
    /// A field is read from a value whose type has no fields.
    NoFields {
        /// The type of the value.
        of: String,
    },
    /// A comprehension runs over a value that is neither a list nor a map.
    NotIterable {
        /// The type of the value.
        of: String,
    },
    /// A value has a type that its position does not accept.
    WrongType {
        /// The expected type.
        expected: String,
        /// The type of the value.
        found: String,
    },
    /// A field of a message literal has a value of another type.
    WrongFieldType {
        /// The name of the field.
        field: String,
        /// The type of the field.
        expected: String,
        /// The type of the value.
        found: String,
    },
    /// The name before the braces of a message literal is not the name of a type.
    NotAType {
        /// The declared name.
        name: String,
    },
    /// The type before the braces of a message literal has no fields.
    NotAMessageType {
        /// The name of the type.
        name: String,
    },
    /// No overload of a function takes operands of these types.
    NoMatchingOverload {
        /// The name of the function. In the name of an operator, underscores stand for the operands.
        function: String,
        /// The types of the operands: `string.(int)`.
        operands: String,
    },
    /// An optional selection (`value.?field`) is called as a function with arguments that the operator would not pass.
    OptionalSelection(OptionalSelection),
    /// The literal argument of a function is not a valid string for it.
    InvalidArgument {
        /// `duration`, `timestamp` or `matches`.
        function: &'static str,
    },
    /// A format string does not fit its arguments.
    Format(FormatProblem),
    /// The result of the expression has a type that its context does not allow.
    WrongResult {
        /// The allowed types.
        allowed: &'static [Type],
        /// The type of the value.
        found: String,
    },
    /// A constant part of the expression fails when it is evaluated.
    FailingConstant {
        /// The error of the evaluation.
        error: String,
    },
    /// The API server crashes on the expression.
    ServerCrash {
        /// The reason, in our own words.
        why: &'static str,
    },
    /// The checker contradicts itself. A parsed expression never causes this.
    Internal(Internal),
}

/// The limit that an expression exceeds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Limit {
    /// The length of the source text.
    Length {
        /// The length of the source text, in code points.
        length: usize,
        /// The limit, in code points.
        limit: usize,
    },
    /// The nesting depth of grammar rules during parsing.
    GrammarDepth(u32),
    /// The nesting depth of the parsed expression.
    TreeDepth,
    /// The nesting depth of the checked expression.
    CheckedDepth,
    /// The size of the expression after macro expansion.
    Expansion,
    /// The number of reported syntax errors.
    SyntaxErrors(usize),
    /// The number of syntax errors from which the parser recovers.
    Recoveries(usize),
    /// The number of tokens that the parser skips to recover from a syntax error.
    RecoveryTokens(usize),
}

/// The missing part of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Incomplete {
    /// A part, named by its grammar rule.
    Part(String),
    /// An operand of `&&` or `||`.
    Operand(&'static str),
    /// The operator between two operands.
    Operator,
}

/// The reason why a literal has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LiteralProblem {
    /// An `int` is out of range.
    Int,
    /// A `uint` is out of range.
    Uint,
    /// A `double` is out of range.
    Double,
    /// A string has an escape sequence that does not exist.
    Escape,
    /// An octal escape sequence has fewer than three digits.
    OctalEscape,
    /// A string ends with a backslash.
    LastBackslash,
    /// An escape sequence names a character that does not exist.
    CodePoint,
}

/// A part of the language that the API server does not enable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsupported {
    /// `value.?field`
    OptionalField,
    /// `value[?index]`
    OptionalIndex,
    /// `?` before an element or a key.
    OptionalEntry,
    /// A name in backticks.
    Backticks,
    /// Backticks without a name.
    EmptyBackticks,
    /// Another kind of name.
    Name,
}

/// The reason why a macro cannot be expanded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MacroProblem {
    /// The argument that names a variable is not a name.
    NotAName {
        /// The name of the macro.
        of: &'static str,
    },
    /// The argument of `has()` does not end with a field.
    NotAField,
    /// A variable has the name of the macro's own accumulator.
    Accumulator,
    /// Both variables have the same name.
    RepeatedName {
        /// The name.
        name: String,
    },
    /// `sortBy` is called on something that is not a list.
    SortTarget,
}

/// The reason why the call of an optional selection is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionalSelection {
    /// The field is not a string literal.
    Field {
        /// The field, as the checker of `cel-go` prints it.
        printed: String,
    },
    /// The number of arguments is wrong, or the function is called as a method.
    Signature {
        /// Whether the function is called as a method.
        is_method: bool,
        /// The number of arguments.
        count: usize,
    },
}

/// The reason why a format string does not fit its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FormatProblem {
    /// The format string ends with a `%`.
    UnexpectedEnd,
    /// The format string has more clauses than there are arguments.
    MissingArgument {
        /// The index of the first missing argument, from 0.
        index: usize,
    },
    /// There are more arguments than clauses.
    SpareArguments {
        /// The number of clauses.
        used: usize,
        /// The number of arguments.
        given: usize,
    },
    /// A clause cannot be parsed.
    Clause(ClauseProblem),
    /// A clause does not accept the type of its argument.
    Argument {
        /// The letter of the clause.
        letter: u8,
        /// The type of the argument.
        found: String,
    },
}

/// The reason why a clause of a format string cannot be parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClauseProblem {
    /// The format string ends within the clause.
    Unfinished,
    /// The precision is not a number.
    NoPrecision,
    /// The precision is out of range.
    PrecisionOutOfRange {
        /// The digits of the precision.
        digits: String,
    },
    /// No clause has this letter.
    UnknownLetter(char),
}

/// A contradiction that only an expression from outside the parser can cause.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Internal {
    /// An expression has no kind.
    Unspecified,
    /// An expression has two types.
    TwoTypes {
        /// The id of the expression.
        id: i64,
        /// The expression, as API servers up to 1.30 print it. Empty for later ones, which print a memory address.
        printed: String,
        /// The first type, in Go syntax.
        old: String,
        /// The second type, in Go syntax.
        new: String,
    },
    /// The type of an object is not declared.
    UnknownType {
        /// The name of the type.
        name: String,
    },
}

impl IssueKind {
    /// The message of `cel-go` and the API server, without position.
    pub fn server_words(&self) -> String {
        match self {
            Self::Syntax(error) => error.server_words(),
            Self::Limit(limit) => limit.server_words(),
            Self::Incomplete(Incomplete::Part(rule)) => format!("unknown parse element encountered: <{rule}>"),
            Self::Incomplete(Incomplete::Operand(operator)) => format!("unexpected character, wanted '{operator}'"),
            Self::Incomplete(Incomplete::Operator) => "operator not found".to_owned(),
            Self::Literal(problem) => problem.server_words().to_owned(),
            Self::Unsupported(what) => what.server_words().to_owned(),
            Self::ReservedName { name } => format!("reserved identifier: {name}"),
            Self::Macro(problem) => problem.server_words(),
            Self::UndeclaredReference { name, container } => {
                format!("undeclared reference to '{name}' (in container '{container}')")
            }
            Self::UndefinedField { field, .. } => format!("undefined field '{field}'"),
            Self::NoFields { of } => format!("type '{of}' does not support field selection"),
            Self::NotIterable { of } => {
                format!("expression of type '{of}' cannot be range of a comprehension (must be list, map, or dynamic)")
            }
            Self::WrongType { expected, found } => format!("expected type '{expected}' but found '{found}'"),
            Self::WrongFieldType { field, expected, found } => {
                format!("expected type of field '{field}' is '{expected}' but provided type is '{found}'")
            }
            Self::NotAType { name } => format!("'{name}' is not a type"),
            Self::NotAMessageType { name } => format!("'{name}' is not a message type"),
            Self::NoMatchingOverload { function, operands } => {
                format!("found no matching overload for '{function}' applied to '{operands}'")
            }
            Self::OptionalSelection(problem) => problem.server_words(),
            Self::InvalidArgument { function } => format!("invalid {function} argument"),
            Self::Format(problem) => problem.server_words(),
            Self::WrongResult { allowed, found } => {
                let allowed: Vec<_> = allowed.iter().map(|it| it.go_string(true)).collect();
                match allowed.as_slice() {
                    [only] => format!("must evaluate to {only} but got {found}"),
                    all => format!("must evaluate to one of [{}] but got {found}", all.join(" ")),
                }
            }
            Self::FailingConstant { error } => error.clone(),
            Self::ServerCrash { why } => (*why).to_owned(),
            Self::Internal(problem) => problem.server_words(),
        }
    }
}

impl Limit {
    fn server_words(&self) -> String {
        match self {
            Self::Length { length, limit } => {
                format!("expression code point size exceeds limit: size: {length}, limit {limit}")
            }
            Self::GrammarDepth(limit) => format!("expression recursion limit exceeded: {limit}"),
            Self::TreeDepth => "max recursion depth exceeded".to_owned(),
            Self::CheckedDepth => "expression is nested too deep".to_owned(),
            Self::Expansion => "expression is too large after the expansion of macros".to_owned(),
            Self::SyntaxErrors(limit) => format!("Syntax error: More than {limit} syntax errors"),
            Self::Recoveries(limit) => format!("Syntax error: error recovery attempt limit exceeded: {limit}"),
            Self::RecoveryTokens(limit) => format!("error recovery token lookahead limit exceeded: {limit}"),
        }
    }
}

impl LiteralProblem {
    fn server_words(self) -> &'static str {
        match self {
            Self::Int => "invalid int literal",
            Self::Uint => "invalid uint literal",
            Self::Double => "invalid double literal",
            Self::Escape => "unable to unescape string",
            Self::OctalEscape => "unable to unescape octal sequence in string",
            Self::LastBackslash => "unable to unescape string, found '\\' as last character",
            Self::CodePoint => "invalid unicode code point",
        }
    }
}

impl Unsupported {
    fn server_words(self) -> &'static str {
        match self {
            Self::OptionalField => "unsupported syntax '.?'",
            Self::OptionalIndex => "unsupported syntax '[?'",
            Self::OptionalEntry => "unsupported syntax '?'",
            Self::Backticks => "unsupported syntax: '`'",
            Self::EmptyBackticks => "invalid escaped identifier: underflow",
            Self::Name => "unsupported ident kind",
        }
    }
}

impl MacroProblem {
    fn server_words(&self) -> String {
        match self {
            Self::NotAName {
                of: "map" | "filter" | "sortBy",
            } => "argument is not an identifier".to_owned(),
            Self::NotAName {
                of: of @ ("optMap" | "optFlatMap"),
            } => {
                format!("{of}() variable name must be a simple identifier")
            }
            Self::NotAName { .. } => "argument must be a simple name".to_owned(),
            Self::NotAField => "invalid argument to has() macro".to_owned(),
            Self::Accumulator => "iteration variable overwrites accumulator variable".to_owned(),
            Self::RepeatedName { name } => format!("duplicate variable name: {name}"),
            Self::SortTarget => {
                "sortBy can only be applied to a list, identifier, comprehension, call or select expression".to_owned()
            }
        }
    }
}

impl OptionalSelection {
    fn server_words(&self) -> String {
        match self {
            Self::Field { printed } => format!("unsupported optional field selection: {printed}"),
            Self::Signature { is_method, count } => {
                let call = if *is_method { " member call with" } else { "" };
                format!("unsupported optional field selection: incorrect signature.{call} argument count: {count}")
            }
        }
    }
}

impl FormatProblem {
    fn server_words(&self) -> String {
        match self {
            Self::UnexpectedEnd => "unexpected end of string".to_owned(),
            Self::MissingArgument { index } => format!("index {index} out of range"),
            Self::SpareArguments { used, given } => {
                format!("too many arguments supplied to string.format (expected {used}, got {given})")
            }
            Self::Clause(problem) => format!("could not parse formatting clause: {}", problem.server_words()),
            Self::Argument { letter, found } => {
                format!("error during formatting: {}, was given {found}", accepted(*letter))
            }
        }
    }
}

/// The types that a clause accepts, in `cel-go`'s words.
fn accepted(letter: u8) -> &'static str {
    match letter {
        b's' => {
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
        }
        b'd' => "decimal clause can only be used on integers",
        b'f' => "fixed-point clause can only be used on doubles",
        b'e' => "scientific clause can only be used on doubles",
        b'b' => "only integers and bools can be formatted as binary",
        b'o' => "octal clause can only be used on integers",
        _ => "only integers, byte buffers, and strings can be formatted as hex",
    }
}

impl ClauseProblem {
    /// The message of `cel-go`, which is also the error of an evaluation.
    pub(crate) fn server_words(&self) -> String {
        let precision = |what: &str| format!("error while parsing precision: {what}");
        let not_a_number = |digits: &str, why: &str| {
            precision(&format!(
                "error while converting precision to integer: strconv.Atoi: parsing \"{digits}\": {why}"
            ))
        };
        match self {
            Self::Unfinished => precision("could not find end of precision specifier"),
            Self::NoPrecision => not_a_number("", "invalid syntax"),
            Self::PrecisionOutOfRange { digits } => not_a_number(digits, "value out of range"),
            Self::UnknownLetter(letter) => format!("unrecognized formatting clause \"{letter}\""),
        }
    }
}

impl Internal {
    fn server_words(&self) -> String {
        match self {
            Self::Unspecified => "unexpected unspecified type: expr".to_owned(),
            Self::TwoTypes { id, printed, old, new } => {
                format!("incompatible type already exists for expression: {printed}({id}) old:{old}, new:{new}")
            }
            Self::UnknownType { name } => format!("unexpected failed resolution of '{name}'"),
        }
    }
}
