//! Functions on strings (`cel-go` `ext.Strings`, version 2).

mod format;

use super::costs::{READ_TARGET, SCAN, STRING, traversal};
use super::declaration::{Cost, Counted, Function, Library, Spelling, cost, function, overload};
use super::operands::{elements, int, text};
use crate::KubernetesVersion;
use crate::cost::{Call, CallEstimate, Coster, SizeEstimate};
use crate::value::{EvalError, Result, Value};

/// The strings library as Kubernetes enables it since 1.29.
pub(super) const LIBRARY: Library = Library {
    name: "strings",
    subjects: &[FUNCTIONS],
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "charAt",
        "The character at an index from 0; empty at the end of the string, an error after it.",
        Counted::ByOverload,
        &[("'hello'.charAt(4)", "'o'")],
        &[overload(
            "string_char_at_int",
            "string.(int) -> string",
            Cost::ONE,
            |_, args| char_at(text(&args[0])?, int(&args[1])?),
        )],
    ),
    function(
        "indexOf",
        "The index of the first occurrence of the other string, from an optional start; -1 if there is none.",
        Counted::ByName(SCAN),
        &[
            ("'hello mellow'.indexOf('ello')", "1"),
            ("'hello mellow'.indexOf('ello', 2)", "7"),
        ],
        &[
            overload("string_index_of_string", "string.(string) -> int", SCAN, index_of),
            overload(
                "string_index_of_string_int",
                "string.(string, int) -> int",
                SCAN,
                index_of,
            ),
        ],
    )
    .spelling(Spelling::Part),
    function(
        "lastIndexOf",
        "The index of the last occurrence of the other string, up to an optional end; -1 if there is none.",
        Counted::ByName(SCAN),
        &[("'hello mellow'.lastIndexOf('ello')", "7")],
        &[
            overload(
                "string_last_index_of_string",
                "string.(string) -> int",
                SCAN,
                last_index_of,
            ),
            overload(
                "string_last_index_of_string_int",
                "string.(string, int) -> int",
                SCAN,
                last_index_of,
            ),
        ],
    )
    .spelling(Spelling::Part),
    function(
        "lowerAscii",
        "The string with ASCII letters in lower case.",
        Counted::ByName(READ_TARGET),
        &[("'TacoCat'.lowerAscii()", "'tacocat'")],
        &[overload(
            "string_lower_ascii",
            "string.() -> string",
            READ_TARGET,
            |_, args| Ok(text(&args[0])?.to_ascii_lowercase().into()),
        )],
    ),
    function(
        "upperAscii",
        "The string with ASCII letters in upper case.",
        Counted::ByName(READ_TARGET),
        &[("'TacoCat'.upperAscii()", "'TACOCAT'")],
        &[overload(
            "string_upper_ascii",
            "string.() -> string",
            READ_TARGET,
            |_, args| Ok(text(&args[0])?.to_ascii_uppercase().into()),
        )],
    ),
    function(
        "replace",
        "Replaces all occurrences of one string by another, up to an optional limit.",
        Counted::ByName(REPLACE),
        &[
            ("'hello hello'.replace('he', 'we')", "'wello wello'"),
            ("'hello hello'.replace('he', 'we', 1)", "'wello hello'"),
        ],
        &[
            overload(
                "string_replace_string_string",
                "string.(string, string) -> string",
                REPLACE,
                replace,
            ),
            overload(
                "string_replace_string_string_int",
                "string.(string, string, int) -> string",
                REPLACE,
                replace,
            ),
        ],
    )
    .spelling(Spelling::Part),
    function(
        "split",
        "The parts of the string between separators; a limit keeps the rest in the last part.",
        Counted::ByName(SPLIT),
        &[
            ("'a b c'.split(' ')", "['a', 'b', 'c']"),
            ("'a b c'.split(' ', 2)", "['a', 'b c']"),
        ],
        &[
            overload("string_split_string", "string.(string) -> list(string)", SPLIT, split),
            overload(
                "string_split_string_int",
                "string.(string, int) -> list(string)",
                SPLIT,
                split,
            ),
        ],
    )
    .spelling(Spelling::Part)
    .method_rank(7),
    function(
        "substring",
        "The characters from an index on, up to an optional other index.",
        Counted::ByName(READ_TARGET),
        &[
            ("'tacocat'.substring(4)", "'cat'"),
            ("'tacocat'.substring(0, 4)", "'taco'"),
        ],
        &[
            overload("string_substring_int", "string.(int) -> string", READ_TARGET, substring),
            overload(
                "string_substring_int_int",
                "string.(int, int) -> string",
                READ_TARGET,
                substring,
            ),
        ],
    ),
    function(
        "trim",
        "The string without white space at both ends.",
        Counted::ByName(READ_TARGET),
        &[("'  trim  '.trim()", "'trim'")],
        // The characters are those of Go's `unicode.IsSpace`.
        &[overload(
            "string_trim",
            "string.() -> string",
            READ_TARGET,
            |_, args| Ok(text(&args[0])?.trim().into()),
        )],
    ),
    function(
        "format",
        "Replaces %s, %d, %f, %e, %b, %x, %X and %o by the values of the list.",
        Counted::ByOverload,
        &[("'%s is %d'.format(['a', 1])", "'a is 1'")],
        &[overload(
            "string_format",
            "string.(list(dyn)) -> string",
            FORMAT,
            |version, args| format::format(version, text(&args[0])?, elements(&args[1])?),
        )],
    )
    .variadic()
    .spelling(Spelling::Template)
    .method_rank(3),
    function(
        "join",
        "Joins the strings of a list, with an optional separator.",
        Counted::ByName(JOIN),
        &[("['a', 'b'].join('-')", "'a-b'")],
        &[
            overload("list_join", "list(string).() -> string", JOIN, join),
            overload("list_join_string", "list(string).(string) -> string", JOIN, join),
        ],
    )
    .spelling(Spelling::Part),
    function(
        "strings.quote",
        "The string in double quotes, safe to print.",
        Counted::ByOverload,
        &[("strings.quote('a\\n')", "'\"a\\\\n\"'")],
        &[overload("strings_quote", "(string) -> string", QUOTE, |_, args| {
            Ok(quote(text(&args[0])?).into())
        })],
    ),
];

/// The cost of `replace`: reading the string and creating the result.
const REPLACE: Cost = cost(estimate_replace, |call| Ok(traversal(call.size(0) as f64 * 2.0)));

/// The cost of `split`: reading the string and creating the parts, at most one per character.
const SPLIT: Cost = cost(
    |coster, call| {
        let size = coster.library_size(call.target?);
        let limit = call.args.get(1).and_then(|limit| coster.int_literal(limit));
        let max = limit.map_or(size.max, |limit| limit as u64);
        Some(call.gives(size.times_factor(2.0 * STRING), SizeEstimate { min: 0, max }))
    },
    |call| Ok(traversal(call.size(0) as f64 * 2.0)),
);

/// The cost of `join`: reading the elements and the separators between them.
const JOIN: Cost = cost(estimate_join, |call| Ok(traversal(call.result_size() as f64 * 2.0)));

/// The cost of `format`: reading the format string. The size of the result is unknown.
const FORMAT: Cost = cost(
    |coster, call| Some(call.costs(coster.size(call.target?).times_factor(STRING))),
    |call| Ok(traversal(call.size_of_value(0) as f64)),
);

/// The cost of `strings.quote`: every character may be escaped.
const QUOTE: Cost = cost(
    |coster, call| {
        let size = coster.size(call.args.first()?);
        let quoted = SizeEstimate {
            min: size.min.wrapping_add(2),
            max: size.max.wrapping_mul(2).wrapping_add(2),
        };
        Some(call.gives(size.times_factor(STRING), quoted))
    },
    |call| Ok(traversal(call.size_of_value(0) as f64)),
);

/// Estimates `replace`. The number of possible matches bounds the size of the result.
fn estimate_replace(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let [part, with, ..] = call.args else { return None };
    let size = coster.library_size(call.target?);
    let (part, with) = (coster.library_size(part), coster.library_size(with));
    // The longest result: an empty part matches between all characters; a longer replacement replaces the shortest parts.
    let (max_count, max_kept) = if part.min == 0 {
        (size.max.saturating_add(1), size.max)
    } else if with.max <= part.min {
        (0, size.max)
    } else {
        (divided(size.max, part.min), 0)
    };
    // The shortest result.
    let (min_count, min_kept) = if part.max == 0 {
        (size.min.saturating_add(1), size.min)
    } else if part.max <= with.min {
        (0, size.min)
    } else {
        (divided(size.min, part.max), 0)
    };
    let count = SizeEstimate {
        min: min_count,
        max: max_count,
    };
    let kept = SizeEstimate {
        min: min_kept,
        max: max_kept,
    };
    Some(call.gives(size.times_factor(2.0 * STRING), count.times(with).plus(kept)))
}

/// The quotient, rounded up. 2^64 becomes 2^63, like Go's conversion on the processors of API servers.
fn divided(size: u64, by: u64) -> u64 {
    let quotient = (size as f64 / by as f64).ceil();
    if quotient >= 18_446_744_073_709_551_616.0 {
        1 << 63
    } else {
        quotient as u64
    }
}

fn estimate_join(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<CallEstimate> {
    let target = call.target?;
    let count = coster.library_size(target);
    let mut size = SizeEstimate::fixed(0);
    if let Some(element) = coster.element(target) {
        size = count.times(coster.library_size(&element));
    }
    if let Some(separator) = call.args.first() {
        let between = SizeEstimate {
            min: count.min.saturating_sub(1),
            max: count.max.saturating_sub(1),
        };
        size = size.plus(coster.library_size(separator).times(between));
    }
    Some(call.gives(size.times_factor(STRING), size))
}

fn out_of_range(index: i64) -> EvalError {
    EvalError::new(format!("index out of range: {index}"))
}

/// The byte offset of a character; the end of the string for the index after the last one.
fn byte_of(text: &str, index: usize) -> Option<usize> {
    text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(index)
}

fn char_at(text: &str, index: i64) -> Result {
    let at = usize::try_from(index)
        .ok()
        .and_then(|i| byte_of(text, i))
        .ok_or_else(|| out_of_range(index))?;
    Ok(text[at..].chars().next().map_or_else(String::new, String::from).into())
}

/// The start of a search (`Ok`), or the result of the search if it does not depend on the string (`Err`). The results for edge cases changed between
/// versions.
fn search_start(
    version: KubernetesVersion,
    text: &str,
    part: &str,
    from: i64,
) -> Result<std::result::Result<usize, i64>> {
    let length = text.chars().count() as i64;
    if part.is_empty() && version.number() < 37 {
        return Ok(Err(from));
    }
    if from < 0 || (from >= length && version.number() < 32) {
        return Err(out_of_range(from));
    }
    if part.is_empty() {
        return Ok(Err(from.min(length)));
    }
    Ok(if from >= length { Err(-1) } else { Ok(from as usize) })
}

fn index_of(version: KubernetesVersion, args: &[Value]) -> Result {
    let (text, part, from) = (text(&args[0])?, text(&args[1])?, args.get(2).map_or(Ok(0), int)?);
    if from == 0 && part.is_empty() {
        return Ok(Value::Int(0));
    }
    let found = match search_start(version, text, part, from)? {
        Err(known) => known,
        Ok(start) => byte_of(text, start)
            .and_then(|at| Some(at + text[at..].find(part)?))
            .map_or(-1, |at| text[..at].chars().count() as i64),
    };
    Ok(Value::Int(found))
}

fn last_index_of(version: KubernetesVersion, args: &[Value]) -> Result {
    let (text, part, from) = (text(&args[0])?, text(&args[1])?, args.get(2).map(int).transpose()?);
    let length = text.chars().count() as i64;
    if from.is_none() && part.is_empty() {
        return Ok(Value::Int(length));
    }
    if from.is_none() && text.len() < part.len() && version.number() >= 34 {
        return Ok(Value::Int(-1));
    }
    let from = match search_start(version, text, part, from.unwrap_or(length - 1))? {
        Err(known) => return Ok(Value::Int(known)),
        Ok(start) => start,
    };
    // The last possible match starts at character `from`.
    let at = byte_of(text, from).unwrap_or(text.len());
    let mut end = (at + part.len()).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Ok(Value::Int(
        text[..end]
            .rfind(part)
            .map_or(-1, |at| text[..at].chars().count() as i64),
    ))
}

fn replace(_: KubernetesVersion, args: &[Value]) -> Result {
    let (from, to) = (text(&args[1])?, text(&args[2])?);
    let count = args.get(3).map_or(Ok(-1), int)?;
    Ok(match usize::try_from(count) {
        Ok(count) => text(&args[0])?.replacen(from, to, count).into(),
        Err(_) => text(&args[0])?.replace(from, to).into(),
    })
}

fn split(_: KubernetesVersion, args: &[Value]) -> Result {
    let (text, by, limit) = (text(&args[0])?, text(&args[1])?, args.get(2).map_or(Ok(-1), int)?);
    let limit = match usize::try_from(limit) {
        Ok(0) => return Ok(Value::list(Vec::new())),
        Ok(limit) => limit,
        Err(_) => usize::MAX,
    };
    if by.is_empty() {
        let mut parts: Vec<Value> = Vec::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if parts.len() + 1 == limit {
                parts.push(rest.into());
                break;
            }
            let (first, after) = rest.split_at(c.len_utf8());
            parts.push(first.into());
            rest = after;
        }
        return Ok(Value::list(parts));
    }
    Ok(Value::list(text.splitn(limit, by).map(Value::from).collect()))
}

fn substring(_: KubernetesVersion, args: &[Value]) -> Result {
    let (text, start, end) = (text(&args[0])?, int(&args[1])?, args.get(2).map(int).transpose()?);
    if let Some(end) = end.filter(|end| start > *end) {
        return Err(EvalError::new(format!(
            "invalid substring range. start: {start}, end: {end}"
        )));
    }
    let byte = |index: i64| {
        usize::try_from(index)
            .ok()
            .and_then(|i| byte_of(text, i))
            .ok_or_else(|| out_of_range(index))
    };
    let first = byte(start)?;
    let last = end.map_or(Ok(text.len()), byte)?;
    Ok(text[first..last].into())
}

fn join(_: KubernetesVersion, args: &[Value]) -> Result {
    let (list, separator) = (elements(&args[0])?, args.get(1).map_or(Ok(""), text)?);
    let mut joined = String::new();
    for (at, element) in list.iter().enumerate() {
        if at > 0 {
            joined.push_str(separator);
        }
        match element {
            Ok(Value::String(text)) => joined.push_str(&text),
            Ok(other) => return Err(EvalError::new(format!("join: invalid input: {other}"))),
            Err(error) => return Err(EvalError::new(format!("join: invalid input: {error}"))),
        }
    }
    Ok(joined.into())
}

fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
