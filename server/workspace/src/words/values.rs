//! Words for a value that its schema does not accept. The value is in a resource, or is a default in a CRD.

use crd_analyzer_diagnostic::text::{MAX_VALUE, meant_boolean, without_quotes};
use crd_analyzer_schema::{codes, field::Cause};
use crd_analyzer_syntax::json::{Json, JsonValue};

use super::{
    About, ITEM_OF_OBJECT, Words,
    meant::meant,
    name,
    text::{a_type, clip, code, counted, either, is, is_type, number, placeholder, value, written},
};

/// The maximum total length of the allowed values in a headline, in characters.
const MAX_LISTED: usize = 40;

/// The maximum length of an example of a missing value, in characters.
const MAX_EXAMPLE: usize = 60;

pub(super) fn words(about: &About<'_>) -> Option<Words> {
    let subject = name::value(about.path);
    let words = match (about.code, about.cause) {
        (codes::WRONG_TYPE, Some(Cause::Type(expected))) => wrong_type(about, &subject, expected),
        (codes::MISSING_PROPERTY, Some(Cause::Property { r#type, example })) => {
            missing(about, r#type, example.as_deref())
        }
        (codes::NOT_IN_ENUM, Some(Cause::Allowed(allowed))) => not_in_enum(about, &subject, allowed),
        (codes::STRING_TOO_LONG, Some(Cause::Count(max))) => too_long(about, &subject, *max),
        (codes::STRING_TOO_SHORT, Some(Cause::Count(min))) => too_short(about, &subject, *min),
        (codes::PATTERN_MISMATCH, Some(Cause::Pattern(pattern))) => pattern_mismatch(about, &subject, pattern),
        (codes::FORMAT_MISMATCH, Some(Cause::Format(format))) => wrong_format(about, &subject, format),
        (codes::NUMBER_OUT_OF_FORMAT, Some(Cause::Format(format))) => out_of_format(about, &subject, format),
        (codes::NUMBER_OUT_OF_FORMAT, Some(Cause::BoundOutOfFormat { keyword, limit, format })) => {
            bound_out_of_format(&subject, keyword, *limit, format)
        }
        (codes::NUMBER_TOO_LARGE, Some(Cause::Bound { limit, is_exclusive })) => {
            let relation = if *is_exclusive { "less than" } else { "at most" };
            bound(about, &subject, relation, *limit)
        }
        (codes::NUMBER_TOO_SMALL, Some(Cause::Bound { limit, is_exclusive })) => {
            let relation = if *is_exclusive { "greater than" } else { "at least" };
            bound(about, &subject, relation, *limit)
        }
        (codes::NOT_A_MULTIPLE, Some(Cause::Multiple(factor))) => multiple(about, &subject, *factor),
        (
            codes::TOO_MANY_ITEMS | codes::TOO_FEW_ITEMS | codes::TOO_MANY_PROPERTIES | codes::TOO_FEW_PROPERTIES,
            Some(Cause::Count(limit)),
        ) => count(about, &subject, *limit)?,
        (codes::ANY_OF_MISMATCH, _) => Words::new(format!("{subject} matches none of the schemas in `anyOf`"))
            .label("matches none of `anyOf`")
            .help("change the value so that it matches one of the schemas in `anyOf`"),
        (codes::ONE_OF_MISMATCH, Some(Cause::Matches(0))) => {
            Words::new(format!("{subject} matches none of the schemas in `oneOf`"))
                .label("matches none of `oneOf`")
                .help("change the value so that it matches exactly one of the schemas in `oneOf`")
        }
        (codes::ONE_OF_MISMATCH, Some(Cause::Matches(n))) => Words::new(format!(
            "{subject} matches {n} schemas of `oneOf`, but must match exactly one"
        ))
        .label(format!("matches {n} of `oneOf`"))
        .help("change the value so that it matches exactly one of the schemas in `oneOf`"),
        (codes::ALL_OF_MISMATCH, _) => Words::new(format!("{subject} does not match all schemas in `allOf`"))
            .label("must match all of `allOf`")
            .help("change the value so that it matches each of the schemas in `allOf`"),
        (codes::NOT_MISMATCH, _) => Words::new(format!("{subject} matches the schema in `not`, which is not allowed"))
            .label("matches the schema in `not`")
            .help("change the value so that it does not match the schema in `not`"),
        (codes::DUPLICATE_LIST_ITEM, _) => duplicate_item(about, &subject),
        (codes::LIST_MAP_ITEM_TYPE, _) => Words::new(format!("{subject} must be an object, because the list is a map"))
            .label("not an object")
            .help("write an object with the keys of `x-kubernetes-list-map-keys`"),
        (codes::DEFAULT_UNKNOWN_FIELD, cause) => unknown_in_default(&subject, cause),
        (codes::DEFAULT_METADATA, _) => Words::new(format!("{subject} is not valid metadata"))
            .label("not valid as metadata")
            .help("remove this default, or write a value that Kubernetes accepts there")
            .quote(),
        _ => return None,
    };
    Some(words)
}

/// The last step of the path with the given value, as `key: value`.
fn entry(about: &About<'_>, value: &str) -> String {
    match about.last() {
        "" => format!("`{value}`"),
        key => format!("`{}: {value}`", clip(key, 40)),
    }
}

/// Help that says what to write instead of the value. In Go files, a value is written in a marker, whose lists are in braces.
fn to_write(words: Words, about: &About<'_>, what: &str, value: &str) -> Words {
    let list = value.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let argument = list.map_or_else(|| value.to_owned(), |it| format!("{{{it}}}"));
    let in_go = match about.last() {
        "default" => format!("{what}: `+kubebuilder:default={argument}`"),
        _ => format!("{what}: `{argument}`"),
    };
    words.help(format!("{what}: {}", entry(about, value))).in_go(in_go)
}

/// The words for a value with parameters or expressions, which becomes a string.
fn becomes_string(written: &str, subject: &str, expected: &str) -> Words {
    let name = written.strip_prefix("${").and_then(|it| it.strip_suffix('}'));
    let name = name.filter(|it| it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_'));
    let help = match name {
        Some(name) => format!(
            "write {} without quotes: it may become {}",
            code(&format!("${{{{{name}}}}}")),
            a_type(expected)
        ),
        None => format!(
            "write nothing but one expression, which may become {}",
            a_type(expected)
        ),
    };
    Words::new(format!(
        "{subject} must be {}, but {} becomes a string",
        a_type(expected),
        code(written)
    ))
    .label("this becomes a string")
    .help(help)
}

/// The words for an action that prints a value of another type.
fn printed(about: &About<'_>, subject: &str, expected: &str) -> Words {
    let written = about.tree.zip(about.value()).map(|(tree, it)| tree.scalar(it.node));
    if let Some(written) = written.filter(|it| it.contains("${") && !it.contains("{{")) {
        return becomes_string(&clip(&written, 40), subject, expected);
    }
    let found = match about.value().map(|it| &it.value) {
        Some(JsonValue::Bool(_)) => "boolean",
        Some(JsonValue::Int(_) | JsonValue::Uint(_) | JsonValue::Float(_)) => "number",
        Some(JsonValue::Object(_)) => "object",
        Some(JsonValue::Array(_)) => "array",
        _ => "string",
    };
    let words = Words::new(format!(
        "{subject} must be {}, but the template prints {}",
        a_type(expected),
        a_type(found)
    ));
    match (found, expected) {
        ("string", "object" | "array") => words
            .label("this prints a string")
            .help(format!("print {}, for example with `toYaml`", a_type(expected))),
        ("string", _) => words
            .label("this prints a string")
            .help(format!("remove the quotes, or `| quote`: print {}", a_type(expected))),
        ("boolean" | "number", "string") => words
            .label("not a string without quotes")
            .help("add `| quote` at the end of the action"),
        _ => words
            .label(format!("this prints {}", a_type(found)))
            .help(format!("print {}", a_type(expected))),
    }
}

fn wrong_type(about: &About<'_>, subject: &str, expected: &str) -> Words {
    let expected_words = a_type(expected);
    if !is_type(expected) {
        // The schema has an invalid type, and the other errors are a consequence of that.
        if expected.is_empty() {
            return Words::new(format!("{subject} has no type that it could be of"))
                .label("no value fits a schema without a type")
                .help("add the `type` to the schema first");
        }
        return Words::new(format!(
            "{subject} cannot be of type {}, which does not exist",
            code(expected)
        ))
        .label("no value is of this type")
        .help(format!("correct the type {} in the schema first", code(expected)));
    }
    if about.known.at(about.path.segments()).is_nothing() {
        return printed(about, subject, expected);
    }
    let Some(found) = about.value() else {
        return Words::new(format!("{subject} must be {expected_words}"))
            .help(format!("write {}", entry(about, placeholder(expected))));
    };
    let words = Words::new(format!(
        "{subject} must be {expected_words}, but the value is {}",
        value(found)
    ))
    .label(is(found));
    let text = match &found.value {
        JsonValue::String(text) => Some(text.trim()),
        _ => None,
    };
    let unquoted = text.and_then(|it| without_quotes(it, expected));
    let is_scalar = !matches!(
        found.value,
        JsonValue::Null | JsonValue::Array(_) | JsonValue::Object(_)
    );
    match (expected, text, &found.value) {
        (..) if let Some(unquoted) = unquoted => to_write(words, about, "remove the quotes", &unquoted),
        ("boolean", Some(text), _) if let Some(meant) = meant_boolean(text) => {
            to_write(words, about, &format!("write `{meant}`"), meant)
        }
        (_, _, JsonValue::Null) => words.help(format!(
            "write {}, or remove the field",
            entry(about, placeholder(expected))
        )),
        ("string" | "integer or string", None, _) if is_scalar => {
            let read = written(found);
            let source = about.tree.map_or(&*read, |it| it.source(found.node));
            if source.contains("${") {
                let value = code(&format!("'\"{read}\"'"));
                return words.help(format!(
                    "Flux drops quotes around a variable: put them into its value, {value}"
                ));
            }
            // Something dropped the quotes before the object is sent.
            if source.starts_with(['"', '\'']) {
                return words;
            }
            let quoted = format!("\"{}\"", clip(source, MAX_VALUE));
            let words = to_write(words, about, "put the value in quotes", &quoted);
            if source == read {
                words
            } else {
                words.label(format!("YAML reads this as {read}"))
            }
        }
        ("array", Some(text), _) if text.contains(',') => words.help(format!(
            "make it a list of several items, {}, or of one, {}",
            entry(about, &format!("[{}]", quoted_items(text))),
            entry(about, &format!("[{}]", written(found)))
        )),
        ("array", ..) if is_scalar => to_write(words, about, "make it a list", &format!("[{}]", written(found))),
        ("array", _, JsonValue::Object(members)) if !members.is_empty() => words.help(ITEM_OF_OBJECT),
        ("integer", _, JsonValue::Float(float)) => {
            to_write(words, about, "write a whole number", &number(float.round()))
        }
        ("object", _, JsonValue::Array(items)) if items.len() > 1 => {
            words.help("remove the `- ` before each of its keys: the value is one object, not a list")
        }
        ("object", _, JsonValue::Array(_)) => {
            words.help("remove the `- ` before its first key: the value is one object, not a list")
        }
        _ => to_write(words, about, &format!("write {expected_words}"), placeholder(expected)),
    }
}

/// The parts of a string between commas, each in quotes.
fn quoted_items(text: &str) -> String {
    let items = text.split(',').map(str::trim).filter(|it| !it.is_empty());
    let items: Vec<String> = items.map(|it| format!("\"{it}\"")).collect();
    clip(&items.join(", "), 60)
}

fn missing(about: &About<'_>, r#type: &str, example: Option<&str>) -> Words {
    let name = about.last();
    let parent = name::value(&name::parent(about.path));
    let value = example.unwrap_or_else(|| placeholder(r#type));
    let entry = format!("`{}: {}`", clip(name, 40), clip(value, MAX_EXAMPLE));
    // The API server drops a null value that the schema does not allow.
    if about.value().is_some_and(|it| matches!(it.value, JsonValue::Null)) {
        return Words::new(format!("{} is empty, but a value is required", name::value(about.path)))
            .label("this is `null`")
            .help(format!("write {entry}"));
    }
    Words::new(format!("{parent} has no {}, which is required", name::shown(name)))
        .label(format!("{} is missing here", name::shown(name)))
        .help(format!("add {entry}"))
}

fn not_in_enum(about: &About<'_>, subject: &str, allowed: &[String]) -> Words {
    let list = either(allowed);
    let found = about.value().map(written).unwrap_or_default();
    let headline = if list.chars().count() <= MAX_LISTED {
        format!("{subject} must be {list}, but the value is `{found}`")
    } else {
        format!("{subject} does not allow the value `{found}`")
    };
    let words = Words::new(headline);
    let texts = allowed.iter().map(|it| it.trim_matches('"'));
    let near = about.value().and_then(Json::as_str).and_then(|it| meant(it, texts));
    match near {
        Some(near) => words.did_you_mean(found.trim_matches('"'), near),
        None => words.label("not an allowed value").help(format!("write {list}")),
    }
}

fn length(about: &About<'_>) -> i64 {
    let text = about.value().and_then(Json::as_str).unwrap_or_default();
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX)
}

fn characters(n: i64) -> String {
    counted(n, "character", "characters")
}

fn too_long(about: &About<'_>, subject: &str, max: i64) -> Words {
    let length = length(about);
    let words = Words::new(format!(
        "{subject} has {}, but at most {max} are allowed",
        characters(length)
    ))
    .label(characters(length))
    .help(format!("shorten the value by {}", characters(length - max)));
    let has_wide = about.value().and_then(Json::as_str).is_some_and(|it| !it.is_ascii());
    if has_wide {
        words.note("the API server counts characters here, although its message says bytes")
    } else {
        words
    }
}

fn too_short(about: &About<'_>, subject: &str, min: i64) -> Words {
    let length = length(about);
    Words::new(format!(
        "{subject} has {}, but at least {min} {} required",
        characters(length),
        if min == 1 { "is" } else { "are" }
    ))
    .label(characters(length))
    .help(format!("write at least {}", characters(min)))
}

fn pattern_mismatch(about: &About<'_>, subject: &str, pattern: &str) -> Words {
    let found = about
        .value()
        .map(|it| format!(": `{}`", written(it)))
        .unwrap_or_default();
    Words::new(format!("{subject} does not match its pattern{found}"))
        .label("does not match the pattern")
        .help(format!("write a value that matches `{}`", clip(pattern, 200)))
}

/// An example of a value with a format.
fn example_of(format: &str) -> Option<&'static str> {
    Some(match format {
        "date-time" | "datetime" => "2026-01-31T09:30:00Z",
        "date" => "2026-01-31",
        "duration" => "1h30m",
        "ipv4" | "ip" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "cidr" => "192.0.2.0/24",
        "mac" => "00:00:5e:00:53:01",
        "uuid" | "uuid3" | "uuid4" | "uuid5" => "6ba7b810-9dad-41d1-80b4-00c04fd430c8",
        "email" => "name@example.com",
        "hostname" => "www.example.com",
        "uri" => "https://example.com/path",
        "byte" => "aGVsbG8=",
        "bsonobjectid" => "507f1f77bcf86cd799439011",
        "isbn" | "isbn13" => "978-0321751041",
        "isbn10" => "0321751043",
        "creditcard" => "4242424242424242",
        "ssn" => "111-11-1111",
        "hexcolor" => "#ff8800",
        "rgbcolor" => "rgb(255,136,0)",
        _ => return None,
    })
}

fn wrong_format(about: &About<'_>, subject: &str, format: &str) -> Words {
    let found = about.value().map(|it| format!(", but the value is `{}`", written(it)));
    let words = Words::new(format!(
        "{subject} must have the format `{}`{}",
        clip(format, 20),
        found.unwrap_or_default()
    ))
    .label(format!("not of format `{}`", clip(format, 20)));
    match example_of(format) {
        Some(example) => words.help(format!("write it like {}", entry(about, &format!("\"{example}\"")))),
        None => words.help(format!("write a value of the format `{}`", clip(format, 40))),
    }
}

fn out_of_format(about: &About<'_>, subject: &str, format: &str) -> Words {
    let (name, range) = range_of(format);
    let found = about.value().map(|it| format!(": {}", written(it))).unwrap_or_default();
    Words::new(format!("{subject} does not fit {name}{found}"))
        .label("out of range")
        .help(format!("write {range}"))
}

fn bound_out_of_format(subject: &str, keyword: &str, limit: f64, format: &str) -> Words {
    let (name, range) = range_of(format);
    let limit = number(limit);
    Words::new(format!(
        "the API server accepts no number for {subject}: `{keyword}: {limit}` does not fit {name}"
    ))
    .label("no number is accepted")
    .help(format!("in the CRD, set `{keyword}` to {range}, or remove it"))
}

/// The name of a format, and its range of numbers.
fn range_of(format: &str) -> (&'static str, &'static str) {
    match format {
        "int32" => ("`int32`", "a number from -2147483648 to 2147483647"),
        "float" => ("`float`", "a number that a 32-bit float can hold"),
        _ => (
            "the type `integer`",
            "a number from -9223372036854775808 to 9223372036854775807",
        ),
    }
}

/// The integer that the API server uses for a limit of integers. `None` if the limit does not fit into an integer.
fn cut(limit: f64) -> Option<i64> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    #[allow(clippy::cast_possible_truncation, reason = "it is cut, and is in range")]
    (-LIMIT..LIMIT).contains(&limit).then_some(limit as i64)
}

fn bound(about: &About<'_>, subject: &str, relation: &str, limit: f64) -> Words {
    let found = about.value().map(|it| format!(", but the value is {}", written(it)));
    let words = number(limit);
    let integer = about.value().and_then(|it| match it.value {
        JsonValue::Int(int) => Some(int as f64),
        _ => None,
    });
    let holds = integer.is_some_and(|it| match relation {
        "at most" => it <= limit,
        "less than" => it < limit,
        "at least" => it >= limit,
        _ => it > limit,
    });
    let keyword = if matches!(relation, "at most" | "less than") {
        "maximum"
    } else {
        "minimum"
    };
    match cut(limit) {
        None if holds => Words::new(format!(
            "{subject} cannot be an integer: its `{keyword}` does not fit 64 bits"
        ))
        .label(format!("rejected, although {relation} {words}"))
        .help(format!(
            "set `{keyword}` to a number from {} to {}, or write a number with a fraction",
            i64::MIN,
            i64::MAX
        )),
        Some(cut) if holds => Words::new(format!(
            "{subject} must be {relation} {cut}: Kubernetes cuts its `{keyword}`, {words}, beside an integer"
        ))
        .label(format!("must be {relation} {cut}"))
        .help(format!(
            "write an integer that is {relation} {cut}, or set `{keyword}` to an integer"
        )),
        _ => Words::new(format!(
            "{subject} must be {relation} {words}{}",
            found.unwrap_or_default()
        ))
        .label(format!("must be {relation} {words}"))
        .help(match relation {
            "at least" | "at most" => {
                format!("write {}, or a number that is {relation} {words}", entry(about, &words))
            }
            _ => format!("write a number that is {relation} {words}"),
        }),
    }
}

fn multiple(about: &About<'_>, subject: &str, factor: f64) -> Words {
    let found = about.value().map(|it| format!(", but the value is {}", written(it)));
    let factor_words = number(factor);
    let words = Words::new(format!(
        "{subject} must be a multiple of {factor_words}{}",
        found.unwrap_or_default()
    ))
    .label(format!("not a multiple of {factor_words}"));
    let (value, is_integer) = match about.value().map(|it| &it.value) {
        Some(JsonValue::Int(int)) => (Some(*int as f64), true),
        Some(JsonValue::Float(float)) => (Some(*float), false),
        _ => (None, false),
    };
    // For integers, the API server truncates the factor as well.
    let of_integers = cut(factor).filter(|it| *it > 0);
    if is_integer && of_integers.is_none() {
        return words.help(
            "set `multipleOf` to a positive integer of 64 bits: with this value, Kubernetes rejects all integers",
        );
    }
    let step = if is_integer {
        of_integers.map_or(factor, |it| it as f64)
    } else {
        factor
    };
    let is_accepted = |it: &f64| {
        let as_integer = of_integers.is_some_and(|of| it % of as f64 == 0.0);
        it.fract() != 0.0 || as_integer
    };
    let near = value.filter(|_| step > 0.0).map(|value| (value / step).floor() * step);
    let near = near.map_or_else(Vec::new, |it| vec![it, it + step]);
    let near: Vec<String> = near.into_iter().filter(is_accepted).map(number).collect();
    if near.is_empty() {
        words.help(format!("write a multiple of {factor_words}"))
    } else {
        words.help(format!("write {}", near.join(" or ")))
    }
}

fn count(about: &About<'_>, subject: &str, limit: i64) -> Option<Words> {
    let (one, many, have) = match about.code {
        codes::TOO_MANY_ITEMS | codes::TOO_FEW_ITEMS => {
            // An item that is there any number of times does not count.
            let known = about.known.at(about.path.segments());
            let items = 0..about.value()?.items()?.len();
            ("item", "items", items.filter(|n| !known.item(*n).is_items()).count())
        }
        _ => ("property", "properties", about.value()?.members()?.len()),
    };
    let have = i64::try_from(have).unwrap_or(i64::MAX);
    let counted_of = |n: i64| counted(n, one, many);
    let are = |n: i64| if n == 1 { "is" } else { "are" };
    let is_too_many = matches!(about.code, codes::TOO_MANY_ITEMS | codes::TOO_MANY_PROPERTIES);
    let words = if is_too_many {
        Words::new(format!(
            "{subject} has {}, but at most {limit} {} allowed",
            counted_of(have),
            are(limit)
        ))
        .help(format!("remove {}", counted_of((have - limit).max(1))))
    } else if have >= limit {
        Words::new(format!(
            "{subject} needs at least {} that the schema knows",
            counted_of(limit)
        ))
        .label("the API server drops unknown properties first")
        .help("correct the unknown properties")
    } else {
        Words::new(format!(
            "{subject} has {}, but at least {limit} {} required",
            counted_of(have),
            are(limit)
        ))
        .help(format!("add {}", counted_of((limit - have).max(1))))
    };
    Some(words.label(counted_of(have)))
}

fn duplicate_item(about: &About<'_>, subject: &str) -> Words {
    let item = about.value();
    let shown = item.map_or_else(String::new, |it| match &it.value {
        JsonValue::Array(_) | JsonValue::Object(_) => String::new(),
        _ => format!(": `{}`", written(it)),
    });
    let keys = match about.cause {
        Some(Cause::Allowed(keys)) => keys.as_slice(),
        _ => &[],
    };
    let words = Words::new(format!("{subject} repeats an earlier item of the list{shown}"))
        .label("an earlier item is the same");
    if keys.is_empty() {
        words.help("remove this item")
    } else {
        words.help(format!("remove this item, or change its {}", either(keys)))
    }
}

fn unknown_in_default(subject: &str, cause: Option<&Cause>) -> Words {
    match cause {
        Some(Cause::NotFound(field)) => Words::new(format!(
            "{subject} sets {}, which the schema does not have",
            name::shown(field)
        ))
        .label("sets an unknown field")
        .help(format!(
            "remove {} from the default, or add it to `properties`",
            code(field)
        )),
        _ => Words::new(format!("{subject} sets a field that the schema does not have"))
            .label("sets an unknown field")
            .help("remove the field from the default, or add it to `properties`"),
    }
}
