//! Words for documents that cannot be decoded because of invalid YAML, values of the wrong type, or unknown types.

use crd_analyzer_apiextensions::{
    codes,
    decode::{DecodeProblem, WrittenType},
    kind::CRD,
};
use crd_analyzer_diagnostic::other_types::schema_of_type;
use crd_analyzer_schema::type_mismatch::{STRING_TYPES, TypeMismatch};
use crd_analyzer_syntax::reader::Problem;

use super::{
    ITEM_OF_OBJECT, MAX_HEADLINE, Words, clip,
    text::{code, either},
};

/// The wording for a document that cannot be decoded. `server` is the API server's text.
pub(crate) fn words(finding_code: &str, problem: &DecodeProblem, server: &str) -> Words {
    let mut words = match problem {
        DecodeProblem::Yaml(problem) => yaml(problem),
        DecodeProblem::Type(mismatch) => wrong_type(mismatch),
        DecodeProblem::WithoutKind { written: Some(key) } => Words::new(format!("{} must be `kind`", code(key)))
            .label("`kind` is missing here")
            .help(format!("change `{}` to `kind`", clip(key, 40)))
            .quote(),
        DecodeProblem::WithoutKind { written: None } | DecodeProblem::Other => other(finding_code, server),
    };
    words.headline = clip(&words.headline, MAX_HEADLINE);
    words
}

fn told(headline: &str, label: &str, help: &str) -> Words {
    Words::new(headline).label(label).help(help)
}

/// Words for a text that is not YAML.
fn yaml(problem: &Problem) -> Words {
    match problem {
        Problem::MissingColon => told(
            "this key has no colon after it",
            "a colon is missing",
            "write `key: value`; indent text that continues a value deeper than its key",
        ),
        Problem::ColonWithoutBlank => told(
            "the colon after this key has no space after it",
            "a space is missing",
            "write a space after the colon: `key: value`",
        ),
        Problem::MissingKey => told(
            "this line does not fit the lines around it",
            "wrong indentation, or an open bracket or quote",
            "indent it like the keys beside it, or close the quote or bracket before it",
        ),
        Problem::TextAfterQuote => told(
            "the value ends at the quote before this text",
            "after the closing quote",
            "write a quote inside `'…'` twice (`''`), and a quote inside `\"…\"` with a backslash (`\\\"`)",
        ),
        Problem::MissingDash => told(
            "this line is indented like a list item, but does not begin with `- `",
            "not a list item",
            "begin the line with `- `, or indent it as the keys that it belongs to",
        ),
        Problem::ValueNotAllowed => told(
            "a second `: ` is not allowed in a value without quotes",
            "a second colon",
            "put the value in quotes; if it is a key, indent it like the keys beside it, or add a colon to the line above",
        ),
        Problem::IndentedKey => told(
            "this key is indented deeper than the line above, which already has a value",
            "indented too deep",
            "indent it like the keys beside it; if it continues the value above, put the whole value in quotes",
        ),
        Problem::KeyAfterText => told(
            "this line has no colon, so the key below cannot follow it",
            "a colon is missing",
            "write the line as `key: value`; if both lines are text, put the text in quotes",
        ),
        Problem::KeyAfterColon => told(
            "the colon in this line has no space after it, so the key below cannot follow it",
            "a space is missing",
            "write a space after each colon: `key: value`",
        ),
        Problem::KeyNotAllowed => told(
            "`?` begins a key, which is not allowed here",
            "not a key",
            "put the text in quotes",
        ),
        Problem::SequenceNotAllowed => told(
            "a list cannot begin on the line of its key",
            "begins a list",
            "begin the first `- ` on the next line",
        ),
        Problem::TabIndents | Problem::TabForSpace | Problem::TabBegins => told(
            "this line is indented with a tab, but YAML allows only spaces",
            "a tab",
            "replace the tab with spaces",
        ),
        Problem::NoToken => told(
            "a value without quotes cannot begin with this character",
            "not allowed at the beginning",
            "put the value in quotes",
        ),
        Problem::EndOfStream => told(
            "a quote is not closed before the document ends",
            "the quote begins here",
            "close the quote",
        ),
        Problem::DocumentIndicator => told(
            "a quote is not closed before the next document begins",
            "the quote begins here",
            "close the quote",
        ),
        Problem::MissingCommaOrBracket => told(
            "a comma or `]` is missing after this item",
            "`,` or `]` is missing",
            "add `]` to end the list, or `,` before the next item",
        ),
        Problem::MissingCommaOrBrace => told(
            "a comma or `}` is missing after this entry",
            "`,` or `}` is missing",
            "add `}` to end the mapping, or `,` before the next entry",
        ),
        Problem::MissingNode => told(
            "a value is missing here",
            "a value is missing",
            "write a value after `,`, `[` or `{`",
        ),
        Problem::UnknownEscape => told(
            "this is not an escape of double quotes",
            "not an escape",
            "write the backslash twice (`\\\\`), or use single quotes",
        ),
        Problem::HexadecimalNumber | Problem::InvalidEscape => told(
            "this escape needs more hexadecimal digits",
            "not an escape",
            "write the backslash twice (`\\\\`), or use single quotes",
        ),
        Problem::CommentOrLineBreak => told(
            "text cannot follow `|` or `>` on the same line",
            "not allowed here",
            "begin the text on the next line, or put the whole value in quotes",
        ),
        Problem::BlockAfterTag => told(
            "YAML reads a word that begins with `!` as a tag, not as part of the value",
            "a YAML tag",
            "put the whole value in quotes",
        ),
        Problem::ZeroIndentation => told(
            "the indentation after `|` or `>` cannot be 0",
            "cannot be 0",
            "write a number from 1 to 9, or none",
        ),
        Problem::AnchorName => told(
            "`&` and `*` begin an anchor and an alias, which need a name",
            "not an anchor or alias",
            "put the text in quotes",
        ),
        Problem::UnknownAnchor(name) => Words::new(format!("the alias {} has no anchor before it", code(name)))
            .label("not an anchor")
            .help("put the text in quotes, or set the anchor with `&` first"),
        Problem::WhitespaceOrLineBreak | Problem::Whitespace => {
            told("a space is missing after this", "a space is missing", "add a space")
        }
        Problem::DocumentStart => told(
            "a document ended before this text",
            "after the end",
            "begin a new document with `---`, or indent this line",
        ),
        Problem::UndefinedTagHandle
        | Problem::ClosingAngle
        | Problem::TagExclamation
        | Problem::TagUri
        | Problem::UriOctet
        | Problem::LeadingOctet
        | Problem::TrailingOctet => told(
            "`!` begins a YAML tag, and this is not one",
            "not a tag",
            "put the text in quotes",
        ),
        Problem::ControlCharacter => told(
            "a control character is not allowed in YAML",
            "a control character",
            "remove this character",
        ),
        Problem::Encoding(_) => told(
            "these bytes are not text in UTF-8 or UTF-16",
            "not text",
            "save the file in UTF-8",
        ),
        Problem::TooDeep => told(
            "collections are nested too deeply here",
            "nested too deeply",
            "nest fewer lists and mappings",
        ),
        Problem::Json(_) => told(
            "only JSON can follow several JSON objects",
            "not JSON",
            "put `---` on a line between the objects, from the first one on, or remove what follows",
        ),
        Problem::Separator(_) => told(
            "text cannot follow `---` on the same line",
            "not allowed here",
            "begin the text on the next line",
        ),
        Problem::DuplicateYamlDirective
        | Problem::IncompatibleVersion
        | Problem::DuplicateTagDirective
        | Problem::DirectiveName
        | Problem::NotAlphabetical
        | Problem::UnknownDirective
        | Problem::VersionDigit
        | Problem::LongVersion
        | Problem::VersionNumber => told(
            "a line that begins with `%` is a YAML directive, and this is not a valid one",
            "not a directive",
            "remove the line, or put the text in quotes",
        ),
    }
}

/// Words for a value whose type is not the type of its field.
fn wrong_type(mismatch: &TypeMismatch) -> Words {
    let (value, into) = (mismatch.value.as_str(), &*mismatch.into);
    let field = mismatch.field.rsplit('.').next().filter(|it| !it.is_empty());
    let name = mismatch.key.as_deref().or(field);
    let name = name.map_or_else(|| "this".to_owned(), code);
    let wanted = type_words(into);
    let (found, label) = match value.split_once(' ').unwrap_or((value, "")) {
        ("string", _) => ("a string", "this is a string"),
        ("bool", _) => ("`true` or `false`", "this is a boolean"),
        ("array", _) => ("a list", "this is a list"),
        ("object", _) => (OBJECT, "this is an object"),
        ("number", "") => ("a number", "this is a number"),
        ("number", number) => {
            return Words::new(format!("{name} must be {wanted}, but the value is {number}"))
                .label("does not fit")
                .help(format!("write {wanted}"));
        }
        _ => ("`null`", "this is `null`"),
    };
    if name == "`required`" && (found, wanted) == ("a list", OBJECT) {
        return Words::new("`required` is inside `properties`")
            .label("read as a property")
            .help("move `required` out of `properties`: indent it like the key `properties`");
    }
    let words = Words::new(format!("{name} must be {wanted}, but the value is {found}")).label(label);
    match (found, wanted) {
        (OBJECT, LIST) => words.help(ITEM_OF_OBJECT),
        ("a list", "a string") if field == Some("type") => {
            words.help("write one type, and `nullable: true` if `null` is allowed")
        }
        ("`true` or `false`", OBJECT) if field == Some("status") => words.help("write `status: {}`"),
        ("a string", LIST) if field == Some("required") => {
            words.help("list names of properties in the schema of their object: `required: [name]`")
        }
        ("a string", OBJECT) => words.help("write `key: value` below it: a key needs a colon"),
        ("a string", LIST) => words.help("begin each item with `- `, or put the items in brackets: `[first, second]`"),
        ("a string", "an integer" | "a number" | "`true` or `false`") => {
            words.help(format!("write {wanted} without quotes"))
        }
        (_, "a string") if !matches!(found, "a list" | OBJECT) => words.help("put the value in quotes"),
        ("`true` or `false`", _) if field == Some("required") => {
            words.help("list names of properties in the schema of their object: `required: [name]`")
        }
        _ => words.help(format!("write {wanted}")),
    }
}

/// Help for a string in the place of an object that has this string as its only part: a type instead of a schema, an expression instead of a rule.
pub(crate) fn written_so(problem: &DecodeProblem, text: &str) -> Option<String> {
    let DecodeProblem::Type(mismatch) = problem else {
        return None;
    };
    if mismatch.value != "string" {
        return None;
    }
    match &*mismatch.into {
        "v1.JSONSchemaProps" => {
            let name = mismatch.key.as_deref().or(mismatch.field.rsplit('.').next())?;
            Some(format!("write `{}: {}`", clip(name, 40), schema_of_type(text)?))
        }
        "v1.ValidationRule" | "v1.ValidationRules" if !text.trim().is_empty() => {
            let is_plain =
                !text.contains([':', '#', '\'', '"', '\n']) && text.starts_with(|c: char| c.is_alphanumeric());
            let rule = clip(text.trim(), 60);
            let rule = if is_plain {
                rule
            } else {
                format!("\"{}\"", rule.replace('"', "\\\""))
            };
            Some(format!("write `- rule: {rule}`: a rule is an object"))
        }
        _ => None,
    }
}

const OBJECT: &str = "an object";
const LIST: &str = "a list";

/// A description of the values that a Go type accepts.
fn type_words(into: &str) -> &'static str {
    match into {
        "bool" => "`true` or `false`",
        "int" | "int32" | "int64" => "an integer",
        "float64" => "a number",
        "[]uint8" => "a string in base64",
        "v1.ValidationRules" => LIST,
        _ if STRING_TYPES.contains(&into) => "a string",
        _ if into.starts_with("[]") => LIST,
        _ => OBJECT,
    }
}

fn other(finding_code: &str, server: &str) -> Words {
    match finding_code {
        codes::UNSERVED_API_VERSION => told(
            "no API server since Kubernetes 1.22 has this version of the CRD API",
            "no longer served",
            "change `apiVersion` to `apiextensions.k8s.io/v1`, and move the schema into each version",
        ),
        codes::INVALID_YAML => told(
            "this YAML cannot be made JSON, which is what the API server reads",
            "cannot be JSON",
            "write keys as strings, and put values such as `.nan` in quotes",
        )
        .quote(),
        codes::UNREADABLE_CRD if server.contains("boolean or JSON schema expected") => told(
            "`additionalProperties` must be a schema",
            "not a schema",
            "write a schema with a type: `additionalProperties: {type: string}`",
        )
        .quote(),
        codes::UNREADABLE_CRD => told(
            "the API server cannot read this document as a CRD",
            "not a CRD",
            "check `apiVersion` and `kind` of the document",
        )
        .quote(),
        _ => {
            let headline = "the API server cannot read this document";
            Words::new(if server.is_empty() {
                "this document cannot be read"
            } else {
                headline
            })
            .label("cannot be read")
            .help("check `apiVersion`, `kind` and `metadata` of the document")
            .quote()
        }
    }
}

/// Words for a resource whose version its CRD does not serve. `served` has the valid values of `apiVersion`.
pub(crate) fn not_served(api_version: &str, kind: &str, served: &[String]) -> Words {
    let words = Words::new(clip(
        &format!("version {} of {} is not served", code(api_version), code(kind)),
        MAX_HEADLINE,
    ))
    .label("not served");
    match served {
        [] => words.help("add the version to the CRD, with `served: true`"),
        [one] => words.help(format!("change `apiVersion` to `{}`", clip(one, 100))),
        several => words.help(format!("change `apiVersion` to {}", either(several))),
    }
}

/// Words for an object whose kind or group is misspelt. `key` is the wrong key, and `right` its right value.
pub(crate) fn misspelt(written: &WrittenType, (key, right): (&str, &str)) -> Words {
    let is_kind = key == "kind";
    let is_missing = !is_kind && written.api_version.is_empty();
    let headline = match (is_kind, is_missing) {
        (false, true) => format!("this {} has no `apiVersion`", clip(&written.kind, 60)),
        (false, false) => format!(
            "no API server has {} in {}",
            code(&written.kind),
            code(&written.api_version)
        ),
        (true, _) => format!(
            "the kind {} does not exist in {}",
            code(&written.kind),
            code(&written.api_version)
        ),
    };
    Words::new(clip(&headline, MAX_HEADLINE))
        .label(match (is_kind, is_missing) {
            (true, _) => "not a kind",
            (false, true) => "`apiVersion` is missing here",
            (false, false) => "another group or version",
        })
        .help(format!("write `{key}: {}`", clip(right, 100)))
}

/// Words for an object whose kind a CRD has in another group, which resembles the group of the object.
pub(crate) fn resembling(written: &WrittenType, group: &str, api_version: &str) -> Words {
    let headline = format!(
        "no CRD here defines {} in {}",
        code(&written.kind),
        code(&written.api_version)
    );
    Words::new(clip(&headline, MAX_HEADLINE))
        .label(format!("did you mean {}?", code(group)))
        .help(format!("if so, write `apiVersion: {}`", clip(api_version, 100)))
}

/// Words for an object without `apiVersion`.
pub(crate) fn without_version(kind: &str) -> Words {
    Words::new(format!("this {} has no `apiVersion`", clip(kind, 60)))
        .label("`apiVersion` is missing here")
        .help("write `apiVersion: GROUP/VERSION`, such as `apiVersion: example.com/v1`")
}

/// Words for an object whose `apiVersion` is only a group.
pub(crate) fn only_group(group: &str) -> Words {
    let group = clip(group, 60);
    Words::new(format!("`apiVersion` has no version: `{group}` is only a group"))
        .label("the version is missing")
        .help(format!("write the version after the group, such as `{group}/v1`"))
}

/// Words for an object without `kind`.
pub(crate) fn without_kind(api_version: &str) -> Words {
    Words::new(format!("this object of {} has no `kind`", code(api_version)))
        .label("`kind` is missing here")
        .help("write the kind of the object, such as `kind: Widget`")
}

/// Words for a text that contains a merge conflict.
pub(crate) fn conflict() -> Words {
    told(
        "a merge conflict is not resolved",
        "the conflict begins here",
        "keep one side, and delete the lines that begin with `<<<<<<<`, `=======` and `>>>>>>>`",
    )
}

/// Words for an object whose CRD is required but not among the checked files.
pub(crate) fn no_crd(api_version: &str, kind: &str) -> Words {
    let headline = format!("no CRD here defines {} of {}", code(kind), code(api_version));
    Words::new(clip(&headline, MAX_HEADLINE)).label("no CRD").help(
        "add the CRD with `crd-analyzer crds add`, or name it with `--crd`, or with `crds` in `.crd-analyzer.yaml`",
    )
}

/// Words for an object whose kind no CRD defines.
pub(crate) fn no_definition(api_version: &str, kind: &str) -> Words {
    let headline = if kind == CRD.name {
        format!("the API server has no {} in {}", code(kind), code(api_version))
    } else {
        format!("the CRD does not define {} in {}", code(kind), code(api_version))
    };
    Words::new(clip(&headline, MAX_HEADLINE))
        .label("another kind or group")
        .help("check the spelling of `apiVersion` and `kind`")
}
