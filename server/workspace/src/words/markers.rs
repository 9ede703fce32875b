//! Words for problems with kubebuilder markers in Go files.

use crd_analyzer_gosource::check::{
    Found, Mismatch, Misread, Problem, Same, Tagged, Wanted,
    arguments::Problem as Argument,
    comments::{Lost, Target},
    optional_generator,
};

use super::{
    Words,
    refused_types::in_json,
    text::{clip, code, either},
};

/// The wording of a problem with a marker.
pub(crate) fn words(problem: &Problem) -> Words {
    match problem {
        Problem::Unknown { name, has_text, meant } => unknown(name, *has_text, meant.as_deref()),
        Problem::Newer { name, since } => Words::new(format!("controller-gen before {since} ignores {}", marker(name)))
            .label(format!("known since {since}"))
            .help(format!(
                "update controller-gen to {since} or later, or remove the marker"
            )),
        Problem::Misplaced { name, at, fits } => misplaced(name, *at, fits),
        Problem::NoKind { name, at, kind } => no_kind(name, at, kind.as_deref()),
        Problem::Refused { name, problem, meant } => refused(name, problem, meant.as_deref()),
        Problem::Repeated { name, is_same, .. } => Words::new(format!("{} is set twice here", marker(name)))
            .label(if *is_same {
                "repeats the first one"
            } else {
                "overrides the first one"
            })
            .help("remove one of the two"),
        Problem::Contradicts { name, other, .. } => Words::new(format!(
            "{} contradicts {} of the same field",
            marker(name),
            marker(other)
        ))
        .label("says the opposite")
        .help("remove one of the two"),
        Problem::Skipped { other, .. } => {
            let skipped = "`+kubebuilder:skipversion`";
            Words::new(format!("{skipped} leaves out the version that {} needs", marker(other)))
                .label("leaves out the version")
                .help("remove one of the two")
                .note("controller-gen stops with an error in some of its runs, because it applies markers in any order")
        }
        Problem::Misread { name, of, meant } => misread(name, *of, meant.as_deref()),
        Problem::Tagged(of) => tagged(of),
        Problem::Mismatched { name, mismatch } => mismatched(name, mismatch),
        Problem::SameName { name, same } => same_name(name, same),
        Problem::WithoutPlus { name } => Words::new(format!("without a plus sign, {} is only a comment", code(name)))
            .label("does nothing")
            .help(format!("write `// +{name}`"))
            .note("controller-gen ignores comments that do not begin with a plus sign"),
        Problem::Quotes { meant } => Words::new("CEL and Go do not know this quotation mark")
            .label(format!("{} before gofmt", code(meant)))
            .help("write `\\\"\\\"` for the empty string, which gofmt does not change")
            .note("in comments above declarations, gofmt replaces two quotes by one character"),
    }
}

/// Words for a value that controller-gen reads in another way than it is meant.
fn misread(name: &str, of: Misread, meant: Option<&str>) -> Words {
    let name = marker(name);
    let (headline, label, note) = match of {
        Misread::Quotes => (
            format!("the single quotes belong to the value of {name}"),
            "not a string in quotes",
            "controller-gen knows only double quotes and backquotes",
        ),
        Misread::Separators => (
            format!("{name} has only one value here"),
            "a single value",
            "controller-gen separates the values by `;`",
        ),
        Misread::Brackets => (
            format!("{name} has brackets in its values"),
            "not a list",
            "controller-gen separates the values by `;`, without brackets",
        ),
        Misread::Null => (
            format!("{name} sets the text `null`, not no value"),
            "a string",
            "without a default, a field that is left out has no value",
        ),
    };
    let words = Words::new(headline).label(label).note(note);
    match meant {
        Some(meant) => words.help(format!("write {}", code(&clip(meant, LONGEST_NAME)))),
        None => words.help("remove the marker"),
    }
}

/// Words for a mistake in a JSON tag.
fn tagged(of: &Tagged) -> Words {
    match of {
        Tagged::Nameless { go } => {
            let go = clip(go, LONGEST_NAME);
            Words::new(format!("the JSON tag of `{go}` has no name"))
                .label("no name")
                .help(format!("write a name, such as `{}`", in_json(&go)))
                .note(format!(
                    "Go names the field `{go}` in JSON, but controller-gen takes it for an embedded struct"
                ))
        }
        Tagged::Option { written, meant } => {
            let shown = clip(written, LONGEST_NAME);
            let words = Words::new(format!("JSON tags have no option {}", code(&shown)));
            let words = match meant {
                Some(meant) => words.did_you_mean(&shown, meant),
                None => words.label("does nothing").help("remove it"),
            };
            words.note("Go and controller-gen ignore it")
        }
        Tagged::Name { written, meant } => {
            let shown = code(&clip(written, LONGEST_NAME));
            Words::new(format!("{shown} is the JSON name of the field: the comma is missing"))
                .label("the whole name")
                .help(format!("write {}", code(&clip(meant, 2 * LONGEST_NAME))))
        }
    }
}

/// Words for a field with the same JSON name as another field.
fn same_name(name: &str, same: &Same) -> Words {
    let shown = code(&clip(name, LONGEST_NAME));
    let (words, note) = match same {
        Same::Beside { .. } => (
            Words::new(format!("another field of this struct has the JSON name {shown}, too")).label("the same name"),
            "Go reads and writes neither of the two fields; the CRD has the last one",
        ),
        Same::Embedded { .. } => (
            Words::new(format!(
                "another embedded struct has a field with the JSON name {shown}, too"
            ))
            .label(format!("has {shown}, too")),
            "Go reads and writes neither of the two fields; the CRD has the markers of both",
        ),
        Same::Inside { within } => {
            let within = code(&clip(within, LONGEST_NAME));
            (
                Words::new(format!(
                    "the embedded struct {within} has a field with the JSON name {shown}, too"
                ))
                .label("the same name"),
                "Go reads and writes only this field; the CRD has the markers of both",
            )
        }
    };
    words
        .help("give one of the two fields another JSON name, or remove it")
        .note(note)
}

/// The maximum length of a name in a headline. It is long, so that users can copy the whole name.
const LONGEST_NAME: usize = 80;

fn marker(name: &str) -> String {
    format!("`+{}`", clip(name, LONGEST_NAME))
}

/// A phrase for a marker that controller-gen knows, with its full name.
fn known(name: &str) -> String {
    format!("`+{name}`")
}

fn unknown(name: &str, has_text: bool, meant: Option<&str>) -> Words {
    let note = "controller-gen ignores markers that it does not know, and prints nothing";
    if has_text {
        return Words::new(format!("text after {} makes it an unknown marker", marker(name)))
            .label("part of the name")
            .help("move the text to a line of its own")
            .note(note);
    }
    if meant.is_some_and(|it| name.starts_with([' ', '\t']) && name.trim_start() == it) {
        return Words::new(format!("the space in {} makes it an unknown marker", marker(name)))
            .label("part of the name")
            .help("remove the space after the plus sign")
            .note(note);
    }
    let words = Words::new(format!("controller-gen has no marker {}", marker(name)));
    let words = match meant {
        Some(meant) => {
            let meant = clip(meant, LONGEST_NAME);
            words
                .label(format!("did you mean `{meant}`?"))
                .help(format!("change `{}` to `{meant}`", clip(name, LONGEST_NAME)))
        }
        None => words
            .label("does nothing")
            .help("remove it, or correct its name")
            .help("if another tool reads it, list it under `markers` in `.crd-analyzer.yaml`"),
    };
    words.note(note)
}

fn misplaced(name: &str, at: Result<Target, Lost>, fits: &[Target]) -> Words {
    let of_package = fits.contains(&Target::Package);
    let fits: Vec<&str> = fits.iter().map(|it| it.name()).collect();
    let fits = format!("a {}", fits.join(" or a "));
    let (headline, label, help) = match at {
        Ok(target) => (
            format!("{} does nothing at a {}", marker(name), target.name()),
            format!("belongs to {fits}"),
            format!("move it to {fits}, or remove it"),
        ),
        Err(Lost::Documentation) if of_package => (
            format!("{} does nothing in this comment", marker(name)),
            "part of other documentation".to_owned(),
            "put an empty line between the marker and the comment below it".to_owned(),
        ),
        Err(Lost::Documentation) => (
            format!(
                "{} does nothing at a function, constant, variable or group",
                marker(name)
            ),
            format!("belongs to {fits}"),
            format!("move it to {fits}, or remove it"),
        ),
        Err(Lost::Detached) => (
            format!("another comment separates {} from its declaration", marker(name)),
            "does nothing".to_owned(),
            "move it into the comment right above the declaration".to_owned(),
        ),
        Err(Lost::Behind) => (
            format!("{} does nothing after a declaration", marker(name)),
            "does nothing".to_owned(),
            "move it to a line above the declaration".to_owned(),
        ),
        Err(Lost::Inside) => (
            format!("no declaration follows {}", marker(name)),
            "does nothing".to_owned(),
            "move it above a declaration, or remove it".to_owned(),
        ),
    };
    Words::new(headline)
        .label(label)
        .help(help)
        .note("controller-gen ignores it, and prints nothing")
}

fn no_kind(name: &str, at: &str, kind: Option<&str>) -> Words {
    let shown = |name: &str| code(&clip(name, LONGEST_NAME));
    let place = kind.map_or_else(|| "the type of a kind".to_owned(), shown);
    Words::new(format!(
        "{} does nothing at {}, which is not a kind",
        marker(name),
        shown(at)
    ))
    .label("belongs to a kind")
    .help(format!("move it above {place}, or remove it"))
    .note("controller-gen ignores it: only a type that embeds `metav1.TypeMeta` and `metav1.ObjectMeta` is a kind")
}

fn refused(written: &str, problem: &Argument, meant: Option<&str>) -> Words {
    let name = marker(written);
    let (headline, label, help) = match problem {
        Argument::Integer => (
            format!("{name} needs an integer"),
            "not an integer",
            "write an integer".to_owned(),
        ),
        Argument::Number => (
            format!("{name} needs a number"),
            "not a number",
            "write a number".to_owned(),
        ),
        Argument::Bool => (
            format!("{name} needs `true` or `false`"),
            "neither of them",
            match written.split_once(":Exclusive") {
                Some((before, limit)) => format!("write `true` here, and the number in `+{before}:{limit}=…`"),
                None => "write `true` or `false`".to_owned(),
            },
        ),
        Argument::Unknown(argument) => (
            format!("{name} has no argument {}", code(argument)),
            "no such argument",
            "remove it, or correct its name".to_owned(),
        ),
        Argument::Name => (
            format!("a comma in {name} begins another argument"),
            "no name with `=`",
            "put the value before it in quotes, or write `name=value`".to_owned(),
        ),
        Argument::Missing(argument) if argument.is_empty() => (
            format!("{name} needs a value"),
            "no value",
            format!("write `{}=` and the value", name.trim_matches('`')),
        ),
        Argument::Missing(argument) => (
            format!("{name} needs the argument {}", code(argument)),
            "an argument is missing",
            format!("add `{argument}=…`"),
        ),
        Argument::Equals => {
            let shown = name.trim_matches('`');
            let help = match meant {
                Some(meant) => format!("write `{shown}:{meant}=` and the value"),
                None => format!("write `:` before the first argument: `{shown}:…`"),
            };
            (
                format!("the arguments of {name} begin with a colon"),
                "not a colon",
                help,
            )
        }
        Argument::Unquoted(quoted) => (
            format!("the value of {name} ends before this text"),
            "not part of the value",
            format!("put the value in quotes: {}", code(quoted)),
        ),
        Argument::InnerQuote => (
            "this quote ends the string".to_owned(),
            "not part of the string",
            "put the string in backquotes, or write `'…'` inside it".to_owned(),
        ),
        Argument::Pair(meant) => (
            format!("{name} needs a name and a value with `=` between them"),
            "no `=`",
            format!("write {}", code(meant)),
        ),
        Argument::Another(other) => (
            format!("{name} and another marker are on one line"),
            "the other marker",
            format!(
                "write {} on a line of its own",
                code(&clip(&format!("// {other}"), LONGEST_NAME))
            ),
        ),
        Argument::Several(markers) => (
            format!("{name} takes one value"),
            "not part of the value",
            format!("write a marker for each value: {}", all_of(markers)),
        ),
        Argument::Extra => (
            format!("{name} has text after its arguments"),
            "not an argument",
            "remove it, or separate arguments by commas".to_owned(),
        ),
        Argument::Comma => (
            format!("the value of {name} ends before the comma"),
            "not part of the value",
            "separate the items of a list by `;`, or put a text with a comma in quotes".to_owned(),
        ),
        Argument::Quote => (
            format!("a string in {name} has no closing quote"),
            "begins here",
            "close the string on the same line".to_owned(),
        ),
        Argument::Escape => (
            format!("a string in {name} has an escape sequence that Go does not have"),
            "not an escape sequence of Go",
            if written.ends_with(":XValidation") {
                // CEL has escape sequences of its own in its strings.
                "put the string in backquotes, and `r` before a string with a backslash in a rule: `r'…'`".to_owned()
            } else {
                "write two backslashes, or put the string in backquotes".to_owned()
            },
        ),
        Argument::Separator => (
            format!("the list in {name} is not complete"),
            "unexpected here",
            "separate the items by `;`, or by `,` between `{` and `}`".to_owned(),
        ),
        Argument::Colon => (
            format!("the map in {name} is not complete"),
            "unexpected here",
            "write `{key: value}`".to_owned(),
        ),
        Argument::Json => (
            format!("{name} needs a value in JSON"),
            "not JSON",
            "put strings in double quotes, as in `+default=\"a\"`".to_owned(),
        ),
    };
    let words = match (problem, meant) {
        (Argument::Unknown(argument), Some(meant)) => {
            Words::new(headline).did_you_mean(&clip(argument, LONGEST_NAME), meant)
        }
        _ => Words::new(headline).label(label).help(help),
    };
    words.note(match optional_generator(written) {
        Some(generator) => format!("`controller-gen {generator}` stops with an error at this marker"),
        None => "controller-gen stops with an error at this marker".to_owned(),
    })
}

/// Markers in a sentence, the last after "and".
fn all_of(markers: &[String]) -> String {
    let shown = markers.iter().take(MOST_SHOWN);
    let shown: Vec<String> = shown.map(|it| format!("`{}`", clip(it, LONGEST_NAME))).collect();
    match shown.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => shown.concat(),
    }
}

/// The maximum number of markers in a sentence.
const MOST_SHOWN: usize = 4;

fn mismatched(name: &str, mismatch: &Mismatch) -> Words {
    let marked = known(name);
    let words = match mismatch {
        Mismatch::Type { wanted, found, written } => of_type(name, *wanted, *found, written),
        Mismatch::Fraction { written } => Words::new(format!(
            "{marked} needs an integer, because {} is an integer type",
            code(written)
        ))
        .label("has a fraction")
        .help("write an integer"),
        Mismatch::Items {
            written,
            is_named: true,
        } => Words::new(format!(
            "{marked} does not reach the items of the named type {}",
            code(written)
        ))
        .label("the list has a name")
        .help(format!(
            "move the marker to the declaration of {}",
            code(written.trim_start_matches('*'))
        )),
        Mismatch::Items { written, .. } => {
            Words::new(format!("{marked} needs a list, but {} is not one", code(written)))
                .label("not a list")
                .help(format!(
                    "write {} to limit the value itself, or remove it",
                    known(&name.replacen(":items:", ":", 1))
                ))
        }
        Mismatch::Keys => Words::new(format!("{marked} needs `+listType=map` at the same place"))
            .label("not a list with keys")
            .help("add `+listType=map`, or remove the key"),
        Mismatch::Value { values } => Words::new(format!("{marked} does not have this value"))
            .label("not a value of it")
            .help(format!("write {}", either(values))),
        Mismatch::Pair { meant } => {
            let meant = code(&format!("\"{}\"", clip(meant, LONGEST_NAME)));
            Words::new(format!("{marked} needs a name and a value with `=` between them"))
                .label("no `=`")
                .help(format!("write {meant}"))
        }
        Mismatch::OnField => Words::new(format!("{marked} belongs to a type, not to a field"))
            .label("at a field")
            .help("move it to the declaration of the type"),
    };
    words.note("controller-gen stops with an error at this marker")
}

/// Words for a marker on a field or type whose values have a type that the marker does not fit.
fn of_type(name: &str, wanted: Wanted, found: Found, written: &str) -> Words {
    let (needs, typed) = match wanted {
        Wanted::Number => ("a number", "integer"),
        Wanted::Text => ("a string", "string"),
        Wanted::List => ("a list", "array"),
        Wanted::Object => ("a map or a struct", "object"),
    };
    let words = Words::new(format!("{} needs {needs}, not {}", known(name), code(written)));
    let of_field = format!("add `+kubebuilder:validation:Type={typed}` if the value is {needs} in JSON");
    let label = match found {
        Found::Text => "the type is a string",
        Found::Integer => "the type is an integer",
        Found::Bool => "the type is a boolean",
        Found::List => "the type is a list",
        Found::Object => "the type is a map or a struct",
        Found::Other => "the type is something else",
        Found::Name { .. } => "controller-gen does not look up this type",
        Found::Marshaler => "the type writes its own JSON",
    };
    let words = words.label(label);
    match found {
        Found::Name { is_local: true } => words
            .help(format!(
                "move the marker to the declaration of {}",
                code(written.trim_start_matches('*'))
            ))
            .help(of_field),
        Found::Name { is_local: false } | Found::Marshaler => words.help(of_field),
        _ => words.help("remove the marker, or change the type"),
    }
}
