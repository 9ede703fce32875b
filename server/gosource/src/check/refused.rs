//! The errors that controller-gen reports for the arguments of a marker.

use std::ops::Range;

use super::{
    catalog::{Argument, Definition, Type, definitions},
    is_repeatable,
    split::Split,
};

/// An error that controller-gen reports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// The span of the error, in bytes of the arguments.
    pub span: Range<usize>,
    /// What is wrong.
    pub problem: Problem,
}

/// The kinds of errors in arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// An integer is required.
    Integer,
    /// A number is required.
    Number,
    /// `true` or `false` is required.
    Bool,
    /// The marker has no argument with this name.
    Unknown(String),
    /// An argument must have a name and `=`.
    Name,
    /// The argument with this name is missing. If the name is empty, the value is missing.
    Missing(String),
    /// The name of the first argument must follow a colon, not `=`. The problem is at the `=`.
    Equals,
    /// Text follows the arguments.
    Extra,
    /// Text follows a value without quotes. This is the whole value in quotes.
    Unquoted(String),
    /// Text follows a string, because a quote inside the string ends it.
    InnerQuote,
    /// A text must be a name and a value with `=` between them. This is the text that was probably meant, in quotes.
    Pair(String),
    /// Another marker follows the arguments. This is the other marker.
    Another(String),
    /// A comma follows the value, where an argument without a name has none. The author probably meant a list.
    Comma,
    /// Values are separated by commas, but the marker has one value, and may occur several times. These are the markers with one value each.
    Several(Vec<String>),
    /// A quoted string is not closed.
    Quote,
    /// A backslash does not begin a Go escape sequence.
    Escape,
    /// The items are separated by the wrong character.
    Separator,
    /// A key needs a colon and a value.
    Colon,
    /// A JSON value is required.
    Json,
}

impl Problem {
    /// The problem of a text that follows a value in the arguments of a marker. The value is at `value`, and the text begins at its end or later.
    pub(super) fn of_rest(definition: &Definition, arguments: &str, value: usize, start: usize) -> Self {
        let (before, rest) = arguments.split_at(start);
        if let Some(other) = another(definition.name, rest) {
            return Self::Another(other);
        }
        if rest.starts_with(',') {
            let values: Vec<&str> = arguments.split(',').collect();
            let is_text = matches!(definition.arguments.as_slice(), [it] if it.r#type == Type::String);
            let are_words = is_text && values.iter().all(|it| is_word(it));
            let markers = || values.iter().map(|it| format!("+{}={it}", definition.name));
            return if are_words && is_repeatable(definition.name) {
                Self::Several(markers().collect())
            } else {
                Self::Comma
            };
        }
        if before.ends_with('"') {
            return Self::InnerQuote;
        }
        // Without quotes, older releases end a string before a colon.
        let is_any = |it: &Argument| it.r#type == Type::Any;
        let is_text = rest.starts_with(':') || definition.arguments.first().is_some_and(is_any);
        let whole = &arguments[value..];
        let end = if definition.is_anonymous() {
            None
        } else {
            whole.find([',', ';'])
        };
        let whole = &whole[..end.unwrap_or(whole.len())];
        if definition.name == OF_PAIRS && rest.starts_with(':') {
            return Self::Pair(format!("\"{}\"", whole.replacen(':', "=", 1)));
        }
        let is_bare = is_text && !whole.trim_start().starts_with(['"', '`', '{']);
        let quoted = is_bare.then(|| quoted(whole)).flatten();
        quoted.map_or(Self::Extra, Self::Unquoted)
    }
}

/// The marker whose texts are pairs of a name and a value.
pub(crate) const OF_PAIRS: &str = "kubebuilder:metadata";

/// Whether a text is a single word, such as the name of a field.
fn is_word(text: &str) -> bool {
    let is_of_word = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-');
    !text.is_empty() && text.chars().all(is_of_word)
}

/// A text in quotes that need no escapes.
fn quoted(text: &str) -> Option<String> {
    let quote = match (text.contains(['"', '\\']), text.contains('`')) {
        (false, _) => '"',
        (true, false) => '`',
        (true, true) => return None,
    };
    Some(format!("{quote}{}{quote}", text.trim()))
}

/// The marker that a text after the arguments of another marker begins: `+a:b=1`, or `,b=1` after a marker `a:c`.
fn another(name: &str, rest: &str) -> Option<String> {
    if let Some(written) = rest.strip_prefix('+') {
        let split = Split::of(written);
        return (!split.definitions().is_empty()).then(|| rest.trim_end().to_owned());
    }
    let written = rest.strip_prefix(',')?.trim();
    let word = written.split('=').next().filter(|it| it.len() < written.len())?;
    let folder = name.rsplit_once(':').map_or("", |it| it.0);
    let other = format!("{folder}:{word}");
    (!definitions(&other).is_empty()).then(|| format!("+{folder}:{written}"))
}
