//! Functions on strings (`cel-go` `ext.Strings`, version 2).

use super::{Function, Library, function, overload};
use crate::cost::calls;

/// The strings library as Kubernetes enables it since 1.29.
pub(super) const LIBRARY: Library = Library {
    name: "strings",
    functions: FUNCTIONS,
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "charAt",
        "The character at an index from 0; empty at the end, an error past it.",
    )
    .examples(&[("'hello'.charAt(4)", "'o'")])
    .overloads(&[overload("string_char_at_int", "string.(int) -> string")]),
    function(
        "indexOf",
        "Where the other string begins first, searched from an optional index on; -1 if nowhere.",
    )
    .examples(&[
        ("'hello mellow'.indexOf('ello')", "1"),
        ("'hello mellow'.indexOf('ello', 2)", "7"),
    ])
    .cost(calls::list_or_string_scan)
    .overloads(&[
        overload("string_index_of_string", "string.(string) -> int"),
        overload("string_index_of_string_int", "string.(string, int) -> int"),
    ]),
    function(
        "lastIndexOf",
        "Where the other string begins last, searched up to an optional index; -1 if nowhere.",
    )
    .examples(&[("'hello mellow'.lastIndexOf('ello')", "7")])
    .cost(calls::list_or_string_scan)
    .overloads(&[
        overload("string_last_index_of_string", "string.(string) -> int"),
        overload("string_last_index_of_string_int", "string.(string, int) -> int"),
    ]),
    function("lowerAscii", "The string with ASCII letters in lower case.")
        .examples(&[("'TacoCat'.lowerAscii()", "'tacocat'")])
        .cost(calls::traverse_target)
        .overloads(&[overload("string_lower_ascii", "string.() -> string")]),
    function("upperAscii", "The string with ASCII letters in upper case.")
        .examples(&[("'TacoCat'.upperAscii()", "'TACOCAT'")])
        .cost(calls::traverse_target)
        .overloads(&[overload("string_upper_ascii", "string.() -> string")]),
    function(
        "replace",
        "The string with all (or the first so many) occurrences of one string replaced by another.",
    )
    .examples(&[
        ("'hello hello'.replace('he', 'we')", "'wello wello'"),
        ("'hello hello'.replace('he', 'we', 1)", "'wello hello'"),
    ])
    .cost(calls::replace)
    .overloads(&[
        overload("string_replace_string_string", "string.(string, string) -> string"),
        overload(
            "string_replace_string_string_int",
            "string.(string, string, int) -> string",
        ),
    ]),
    function(
        "split",
        "The parts of the string between separators; a limit keeps the rest in the last part.",
    )
    .examples(&[
        ("'a b c'.split(' ')", "['a', 'b', 'c']"),
        ("'a b c'.split(' ', 2)", "['a', 'b c']"),
    ])
    .cost(calls::split)
    .overloads(&[
        overload("string_split_string", "string.(string) -> list(string)"),
        overload("string_split_string_int", "string.(string, int) -> list(string)"),
    ]),
    function(
        "substring",
        "The characters from an index on, up to an optional other index.",
    )
    .examples(&[
        ("'tacocat'.substring(4)", "'cat'"),
        ("'tacocat'.substring(0, 4)", "'taco'"),
    ])
    .cost(calls::traverse_target)
    .overloads(&[
        overload("string_substring_int", "string.(int) -> string"),
        overload("string_substring_int_int", "string.(int, int) -> string"),
    ]),
    function("trim", "The string without white space at both ends.")
        .examples(&[("'  trim  '.trim()", "'trim'")])
        .cost(calls::traverse_target)
        .overloads(&[overload("string_trim", "string.() -> string")]),
    function(
        "format",
        "The string with its %s, %d, %f, %e, %b, %x, %X and %o filled in from the list.",
    )
    .examples(&[("'%s is %d'.format(['a', 1])", "'a is 1'")])
    .cost(calls::format)
    .overloads(&[overload("string_format", "string.(list(dyn)) -> string")]),
    function(
        "join",
        "The strings of a list one after the other, with an optional separator between.",
    )
    .examples(&[("['a', 'b'].join('-')", "'a-b'")])
    .cost(calls::join)
    .overloads(&[
        overload("list_join", "list(string).() -> string"),
        overload("list_join_string", "list(string).(string) -> string"),
    ]),
    function("strings.quote", "The string in double quotes, safe to print.")
        .examples(&[("strings.quote('a\\n')", "'\"a\\\\n\"'")])
        .cost(calls::quote)
        .overloads(&[overload("strings_quote", "(string) -> string")]),
];
