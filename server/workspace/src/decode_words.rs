//! Why a document cannot be read, in words for people. The server's own words follow as a note.

/// Phrases of the reader (`go.yaml.in/yaml/v2`, `scannerc.go` and `parserc.go`), and what is wrong and what to do.
const PHRASES: &[(&str, &str)] = &[
    (
        "could not find expected ':'",
        "a key has no colon behind it, or text that goes on is not indented deeper than its key",
    ),
    (
        "did not find expected key",
        "this does not fit the lines around it: it is indented otherwise, or a quote or bracket before it is not closed",
    ),
    (
        "did not find expected '-' indicator",
        "this is indented as an item of a list and does not begin with `- `",
    ),
    (
        "mapping values are not allowed in this context",
        "a second colon in a value: put the value in quotes, or indent the line as the keys that it belongs to",
    ),
    (
        "mapping keys are not allowed in this context",
        "a `?` begins a key here: put the text in quotes",
    ),
    (
        "block sequence entries are not allowed in this context",
        "a list cannot begin in the line of its key: begin its first `- ` on the next line",
    ),
    (
        "found a tab character",
        "a tab indents this line: YAML takes only blanks",
    ),
    (
        "found character that cannot start any token",
        "text cannot begin with this character (`@`, a backtick, `%` or a tab): put it in quotes, and indent with blanks",
    ),
    (
        "found unexpected end of stream",
        "a quote is not closed before the document ends",
    ),
    (
        "found unexpected document indicator",
        "a quote is not closed before the next document begins",
    ),
    (
        "did not find expected ',' or ']'",
        "a comma or `]` is missing behind this item",
    ),
    (
        "did not find expected ',' or '}'",
        "a comma or `}` is missing behind this entry",
    ),
    (
        "did not find expected node content",
        "a value is missing here: after `,`, `[` or `{` something must stand",
    ),
    (
        "found unknown escape character",
        "double quotes know no such escape: write the backslash twice, or use single quotes",
    ),
    (
        "did not find expected hexdecimal number",
        "an escape in double quotes needs more hexadecimal digits: write the backslash twice, or use single quotes",
    ),
    (
        "did not find expected comment or line break",
        "behind `|` or `>` nothing but `+`, `-`, a digit and a comment may stand: begin the text on the next line, or put it in quotes",
    ),
    (
        "did not find expected alphabetic or numeric character",
        "`&` and `*` begin an anchor and an alias, which need a name: put the text in quotes",
    ),
    (
        "did not find expected whitespace or line break",
        "a blank is missing behind this",
    ),
    (
        "did not find expected <document start>",
        "a document ended before this: what follows must begin with `---`",
    ),
    (
        "found undefined tag handle",
        "`!` begins a tag, and no such tag is declared: put the text in quotes",
    ),
    (
        "unknown anchor",
        "`*` begins an alias, and nothing before it is anchored by this name: put the text in quotes",
    ),
    (
        "control characters are not allowed",
        "a control character stands in the text: remove it",
    ),
    ("exceeded max depth", "this is nested too deep"),
];

/// Words for people in place of the server's; `None` if those say it best.
pub(crate) fn of(server: &str) -> Option<String> {
    if let Some((_, why)) = server.split_once("yaml: ") {
        let found = PHRASES.iter().find(|(phrase, _)| why.contains(phrase));
        return found.map(|(_, words)| (*words).to_owned());
    }
    let (_, why) = server.split_once("json: cannot unmarshal ")?;
    other_type(why)
}

/// What the decoder of JSON says of a value of another type than the field's (Go's `encoding/json`, `UnmarshalTypeError`).
fn other_type(why: &str) -> Option<String> {
    let (value, rest) = why.split_once(" into Go struct field ")?;
    let (path, into) = rest.split_once(" of type ")?;
    let field = path.rsplit('.').next()?;
    let wanted = type_words(into);
    let found = match value.split_once(' ').unwrap_or((value, "")) {
        ("string", _) => "text",
        ("bool", _) => "`true` or `false`",
        ("array", _) => "a list",
        ("object", _) => OBJECT,
        ("number", "") => "a number",
        ("number", number) => return Some(format!("`{field}` is {wanted}: {number} does not fit it")),
        _ => return None,
    };
    let mut words = format!("`{field}` is {wanted}, not {found}");
    if (found, wanted) == ("text", OBJECT) {
        words.push_str(" (a key needs a colon behind it)");
    }
    Some(words)
}

const OBJECT: &str = "an object";

/// What a value of a Go type is.
fn type_words(into: &str) -> &'static str {
    // Types of the API that are strings in Go.
    const STRINGS: [&str; 9] = [
        "string",
        "types.UID",
        "v1.ConditionStatus",
        "v1.ConversionStrategyType",
        "v1.CustomResourceDefinitionConditionType",
        "v1.FieldValueErrorReason",
        "v1.JSONSchemaURL",
        "v1.ManagedFieldsOperationType",
        "v1.ResourceScope",
    ];
    match into {
        "bool" => "`true` or `false`",
        "int" | "int32" | "int64" => "a whole number",
        "float64" => "a number",
        "[]uint8" => "text in base64",
        "v1.ValidationRules" => "a list",
        _ if STRINGS.contains(&into) => "text",
        _ if into.starts_with("[]") => "a list",
        _ => OBJECT,
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        analysis::{Question, analyze},
        finding::ServerSays,
        versions::VersionSet,
    };

    /// What a person is told of lines of a definition, which the server does not read.
    fn told(lines: &str) -> String {
        let text =
            format!("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n{lines}\nspec: {{}}\n");
        let report = analyze(text.into_bytes(), &Question::new(VersionSet::default()));
        let verdict = &report.documents[0].verdicts[0].1;
        let finding = verdict.decode_error.clone().expect("it is not read");
        assert!(matches!(&finding.server, Some(ServerSays::Decode(server)) if *server != finding.message));
        finding.message
    }

    #[test]
    fn what_is_wrong_is_said_in_other_words_than_the_servers() {
        for (lines, words) in [
            ("metadata", "a key has no colon"),
            ("metadata: {name: a", "a comma or `}`"),
            ("metadata: [a: b", "a comma or `]`"),
            ("metadata: \"abc", "a quote is not closed"),
            ("metadata:\n  name: a: b", "a second colon"),
            ("metadata:\n  name: @a", "text cannot begin"),
            ("metadata:\n    a: b\n  c: d", "this does not fit"),
            ("metadata:\n  a: - b", "a list cannot begin"),
            ("metadata:\n  a: \"\\d\"", "double quotes"),
            ("metadata:\n  a: |b", "behind `|`"),
            ("metadata:\n  a: *b", "`*` begins"),
            ("metadata:\n  - a\n  b: c", "this is indented as an item"),
            (
                "metadata:\n  na",
                "`metadata` is an object, not text (a key needs a colon",
            ),
            ("metadata: {name: 1}", "`name` is text, not a number"),
            ("metadata: {labels: []}", "`labels` is an object, not a list"),
            (
                "metadata: {finalizers: {a: b}}",
                "`finalizers` is a list, not an object",
            ),
            (
                "metadata: {generation: 1.5}",
                "`generation` is a whole number: 1.5 does not fit it",
            ),
        ] {
            let told = told(lines);
            assert!(told.starts_with(words), "{lines:?}: {told}");
        }
    }
}
