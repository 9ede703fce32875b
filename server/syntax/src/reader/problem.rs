//! The reasons why a text is not YAML, with the messages of the API server's YAML library.

use std::borrow::Cow;

use super::scan::MAX_DEPTH;

/// The reason why a text is not YAML (`go.yaml.in/yaml/v2`: `readerc.go`, `scannerc.go`, `parserc.go`, `decode.go`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// Text follows a document that has ended.
    DocumentStart,
    /// Two `%YAML` directives.
    DuplicateYamlDirective,
    /// A `%YAML` directive of another version than 1.1.
    IncompatibleVersion,
    /// Two `%TAG` directives with one handle.
    DuplicateTagDirective,
    /// A value is missing.
    MissingNode,
    /// No `%TAG` directive declares the handle of a tag.
    UndefinedTagHandle,
    /// A line is indented like an item of the surrounding list but does not start with `-`.
    MissingDash,
    /// A line does not continue the surrounding mapping.
    MissingKey,
    /// Text follows the closing quote of a value on the same line.
    TextAfterQuote,
    /// An item is followed by neither a comma nor a `]`.
    MissingCommaOrBracket,
    /// An entry is followed by neither a comma nor a `}`.
    MissingCommaOrBrace,
    /// A character that cannot start a token.
    NoToken,
    /// A tab at a position where a key or a value could start.
    TabBegins,
    /// A key without a colon after it.
    MissingColon,
    /// Text that must be a key, with a colon in it and no blank after the colon.
    ColonWithoutBlank,
    /// A list starts on the line of its key.
    SequenceNotAllowed,
    /// A `?` at a position where a key cannot start.
    KeyNotAllowed,
    /// A colon at a position where a value cannot start.
    ValueNotAllowed,
    /// A key that is indented deeper than the entry on the line above.
    IndentedKey,
    /// A key after a line with the same indentation that has no colon.
    KeyAfterText,
    /// A key after a line with the same indentation, whose colon has no blank after it.
    KeyAfterColon,
    /// A tab in the indentation of a plain scalar.
    TabIndents,
    /// A tab in the indentation of a block scalar.
    TabForSpace,
    /// `---` or `...` inside a quoted scalar.
    DocumentIndicator,
    /// The document ends inside a quoted scalar.
    EndOfStream,
    /// An escape sequence that double-quoted scalars do not allow.
    UnknownEscape,
    /// An escape with too few hexadecimal digits.
    HexadecimalNumber,
    /// An escape whose number is not a character.
    InvalidEscape,
    /// A block scalar with the indentation indicator 0.
    ZeroIndentation,
    /// Text after the header of a block scalar or after a directive.
    CommentOrLineBreak,
    /// Text after the header of a block scalar, which follows a tag on the same line: `!a || b`.
    BlockAfterTag,
    /// An anchor or alias without a name.
    AnchorName,
    /// A verbatim tag that is not closed.
    ClosingAngle,
    /// A tag or directive without a blank after it.
    WhitespaceOrLineBreak,
    /// A tag handle that does not end in `!`.
    TagExclamation,
    /// A tag without its URI.
    TagUri,
    /// A `%` in a tag without two hexadecimal digits.
    UriOctet,
    /// Escaped bytes in a tag that cannot start a character.
    LeadingOctet,
    /// Escaped bytes in a tag that cannot continue a character.
    TrailingOctet,
    /// A `%` without the name of a directive.
    DirectiveName,
    /// A directive's name is followed by an invalid character.
    NotAlphabetical,
    /// A directive other than `%YAML` and `%TAG`.
    UnknownDirective,
    /// A `%YAML` directive whose version has no dot.
    VersionDigit,
    /// A `%YAML` directive whose version is too long.
    LongVersion,
    /// A `%YAML` directive without a version.
    VersionNumber,
    /// A missing blank in a `%TAG` directive.
    Whitespace,
    /// A control character.
    ControlCharacter,
    /// Collections that are nested too deeply.
    TooDeep,
    /// Bytes that are not UTF-8.
    Encoding(&'static str),
    /// An alias whose anchor does not occur before it.
    UnknownAnchor(Box<str>),
    /// Text after the `---` that separates two documents.
    Separator(Box<str>),
    /// Text that is not JSON after several JSON values, with Go's message.
    Json(Box<str>),
}

impl Problem {
    /// The API server's message, without the line.
    pub fn server_words(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::DocumentStart => "did not find expected <document start>",
            Self::DuplicateYamlDirective => "found duplicate %YAML directive",
            Self::IncompatibleVersion => "found incompatible YAML document",
            Self::DuplicateTagDirective => "found duplicate %TAG directive",
            Self::MissingNode => "did not find expected node content",
            Self::UndefinedTagHandle => "found undefined tag handle",
            Self::MissingDash => "did not find expected '-' indicator",
            Self::MissingKey | Self::TextAfterQuote => "did not find expected key",
            Self::MissingCommaOrBracket => "did not find expected ',' or ']'",
            Self::MissingCommaOrBrace => "did not find expected ',' or '}'",
            Self::NoToken | Self::TabBegins => "found character that cannot start any token",
            Self::MissingColon | Self::ColonWithoutBlank => "could not find expected ':'",
            Self::SequenceNotAllowed => "block sequence entries are not allowed in this context",
            Self::KeyNotAllowed => "mapping keys are not allowed in this context",
            Self::ValueNotAllowed | Self::IndentedKey | Self::KeyAfterText | Self::KeyAfterColon => {
                "mapping values are not allowed in this context"
            }
            Self::TabIndents => "found a tab character that violates indentation",
            Self::TabForSpace => "found a tab character where an indentation space is expected",
            Self::DocumentIndicator => "found unexpected document indicator",
            Self::EndOfStream => "found unexpected end of stream",
            Self::UnknownEscape => "found unknown escape character",
            Self::HexadecimalNumber => "did not find expected hexdecimal number",
            Self::InvalidEscape => "found invalid Unicode character escape code",
            Self::ZeroIndentation => "found an indentation indicator equal to 0",
            Self::CommentOrLineBreak | Self::BlockAfterTag => "did not find expected comment or line break",
            Self::AnchorName => "did not find expected alphabetic or numeric character",
            Self::ClosingAngle => "did not find the expected '>'",
            Self::WhitespaceOrLineBreak => "did not find expected whitespace or line break",
            Self::TagExclamation => "did not find expected '!'",
            Self::TagUri => "did not find expected tag URI",
            Self::UriOctet => "did not find URI escaped octet",
            Self::LeadingOctet => "found an incorrect leading UTF-8 octet",
            Self::TrailingOctet => "found an incorrect trailing UTF-8 octet",
            Self::DirectiveName => "could not find expected directive name",
            Self::NotAlphabetical => "found unexpected non-alphabetical character",
            Self::UnknownDirective => "found unknown directive name",
            Self::VersionDigit => "did not find expected digit or '.' character",
            Self::LongVersion => "found extremely long version number",
            Self::VersionNumber => "did not find expected version number",
            Self::Whitespace => "did not find expected whitespace",
            Self::ControlCharacter => "control characters are not allowed",
            Self::Encoding(words) => words,
            Self::TooDeep => return format!("exceeded max depth of {MAX_DEPTH}").into(),
            Self::UnknownAnchor(name) => return format!("unknown anchor '{name}' referenced").into(),
            Self::Json(words) => return words.to_string().into(),
            Self::Separator(text) => return format!("invalid Yaml document separator: {text}").into(),
        })
    }
}
