//! The standard functions and macros of CEL (`cel-go` `common/stdlib`).

use super::{Function, Library, function, overload};
use crate::cost::calls;

/// What every environment has.
pub(super) const LIBRARY: Library = Library {
    name: "standard",
    functions: FUNCTIONS,
    types: &[],
};

const FUNCTIONS: &[Function] = &[
    function(
        "_?_:_",
        "The second value if the condition holds, else the third; only one of them is evaluated.",
    )
    .examples(&[("2 > 1 ? 'more' : 'less'", "'more'")])
    .cost(calls::conditional)
    .overloads(&[overload("conditional", "(bool, A, A) -> A")]),
    function(
        "_&&_",
        "Whether both conditions hold. A false one decides even if the other is an error.",
    )
    .examples(&[("true && false", "false")])
    .cost(calls::logical)
    .overloads(&[overload("logical_and", "(bool, bool) -> bool")]),
    function(
        "_||_",
        "Whether one of the conditions holds. A true one decides even if the other is an error.",
    )
    .examples(&[("true || false", "true")])
    .cost(calls::logical)
    .overloads(&[overload("logical_or", "(bool, bool) -> bool")]),
    function("!_", "Whether the condition does not hold.")
        .examples(&[("!false", "true")])
        .overloads(&[overload("logical_not", "(bool) -> bool")]),
    function(
        "@not_strictly_false",
        "True for everything but false; the condition under which a macro goes on.",
    )
    .overloads(&[overload("not_strictly_false", "(bool) -> bool")]),
    function("_==_", "Whether both values are equal.")
        .examples(&[("'a' == 'a'", "true"), ("duration('1h') == duration('60m')", "true")])
        .cost(calls::equality)
        .overloads(&[overload("equals", "(A, A) -> bool")]),
    function("_!=_", "Whether the values differ.")
        .examples(&[("1 != 2", "true")])
        .cost(calls::comparison)
        .overloads(&[overload("not_equals", "(A, A) -> bool")]),
    function(
        "_+_",
        "The sum of two numbers or times, or two strings, byte sequences or lists one after the other.",
    )
    .examples(&[("1 + 2", "3"), ("'a' + 'b'", "'ab'"), ("[1] + [2]", "[1, 2]")])
    .overloads(&[
        overload("add_bytes", "(bytes, bytes) -> bytes").cost(calls::concatenation),
        overload("add_double", "(double, double) -> double"),
        overload("add_duration_duration", "(duration, duration) -> duration"),
        overload("add_duration_timestamp", "(duration, timestamp) -> timestamp"),
        overload("add_timestamp_duration", "(timestamp, duration) -> timestamp"),
        overload("add_int64", "(int, int) -> int"),
        overload("add_list", "(list(A), list(A)) -> list(A)").cost(calls::list_concatenation),
        overload("add_string", "(string, string) -> string").cost(calls::concatenation),
        overload("add_uint64", "(uint, uint) -> uint"),
    ]),
    function("_/_", "One number divided by another; integers without remainder.")
        .examples(&[("7 / 2", "3"), ("1.0 / 4.0", "0.25")])
        .overloads(&[
            overload("divide_double", "(double, double) -> double"),
            overload("divide_int64", "(int, int) -> int"),
            overload("divide_uint64", "(uint, uint) -> uint"),
        ]),
    function("_%_", "The remainder of an integer division.")
        .examples(&[("7 % 2", "1")])
        .overloads(&[
            overload("modulo_int64", "(int, int) -> int"),
            overload("modulo_uint64", "(uint, uint) -> uint"),
        ]),
    function("_*_", "The product of two numbers.")
        .examples(&[("2 * 3", "6")])
        .overloads(&[
            overload("multiply_double", "(double, double) -> double"),
            overload("multiply_int64", "(int, int) -> int"),
            overload("multiply_uint64", "(uint, uint) -> uint"),
        ]),
    function("-_", "The number with the opposite sign.")
        .examples(&[("-(2)", "-2")])
        .overloads(&[
            overload("negate_double", "(double) -> double"),
            overload("negate_int64", "(int) -> int"),
        ]),
    function("_-_", "The difference of two numbers or times.")
        .examples(&[("3 - 2", "1")])
        .overloads(&[
            overload("subtract_double", "(double, double) -> double"),
            overload("subtract_duration_duration", "(duration, duration) -> duration"),
            overload("subtract_int64", "(int, int) -> int"),
            overload("subtract_timestamp_duration", "(timestamp, duration) -> timestamp"),
            overload("subtract_timestamp_timestamp", "(timestamp, timestamp) -> duration"),
            overload("subtract_uint64", "(uint, uint) -> uint"),
        ]),
    function("_<_", "Whether the first value is less than the second.")
        .examples(&[("1 < 2", "true")])
        .overloads(&[
            overload("less_bool", "(bool, bool) -> bool"),
            overload("less_int64", "(int, int) -> bool"),
            overload("less_int64_double", "(int, double) -> bool"),
            overload("less_int64_uint64", "(int, uint) -> bool"),
            overload("less_uint64", "(uint, uint) -> bool"),
            overload("less_uint64_double", "(uint, double) -> bool"),
            overload("less_uint64_int64", "(uint, int) -> bool"),
            overload("less_double", "(double, double) -> bool"),
            overload("less_double_int64", "(double, int) -> bool"),
            overload("less_double_uint64", "(double, uint) -> bool"),
            overload("less_string", "(string, string) -> bool").cost(calls::comparison),
            overload("less_bytes", "(bytes, bytes) -> bool").cost(calls::comparison),
            overload("less_timestamp", "(timestamp, timestamp) -> bool"),
            overload("less_duration", "(duration, duration) -> bool"),
        ]),
    function("_<=_", "Whether the first value is at most the second.")
        .examples(&[("2 <= 2", "true")])
        .overloads(&[
            overload("less_equals_bool", "(bool, bool) -> bool"),
            overload("less_equals_int64", "(int, int) -> bool"),
            overload("less_equals_int64_double", "(int, double) -> bool"),
            overload("less_equals_int64_uint64", "(int, uint) -> bool"),
            overload("less_equals_uint64", "(uint, uint) -> bool"),
            overload("less_equals_uint64_double", "(uint, double) -> bool"),
            overload("less_equals_uint64_int64", "(uint, int) -> bool"),
            overload("less_equals_double", "(double, double) -> bool"),
            overload("less_equals_double_int64", "(double, int) -> bool"),
            overload("less_equals_double_uint64", "(double, uint) -> bool"),
            overload("less_equals_string", "(string, string) -> bool").cost(calls::comparison),
            overload("less_equals_bytes", "(bytes, bytes) -> bool").cost(calls::comparison),
            overload("less_equals_timestamp", "(timestamp, timestamp) -> bool"),
            overload("less_equals_duration", "(duration, duration) -> bool"),
        ]),
    function("_>_", "Whether the first value is greater than the second.")
        .examples(&[("2 > 1", "true")])
        .overloads(&[
            overload("greater_bool", "(bool, bool) -> bool"),
            overload("greater_int64", "(int, int) -> bool"),
            overload("greater_int64_double", "(int, double) -> bool"),
            overload("greater_int64_uint64", "(int, uint) -> bool"),
            overload("greater_uint64", "(uint, uint) -> bool"),
            overload("greater_uint64_double", "(uint, double) -> bool"),
            overload("greater_uint64_int64", "(uint, int) -> bool"),
            overload("greater_double", "(double, double) -> bool"),
            overload("greater_double_int64", "(double, int) -> bool"),
            overload("greater_double_uint64", "(double, uint) -> bool"),
            overload("greater_string", "(string, string) -> bool").cost(calls::comparison),
            overload("greater_bytes", "(bytes, bytes) -> bool").cost(calls::comparison),
            overload("greater_timestamp", "(timestamp, timestamp) -> bool"),
            overload("greater_duration", "(duration, duration) -> bool"),
        ]),
    function("_>=_", "Whether the first value is at least the second.")
        .examples(&[("2 >= 2", "true")])
        .overloads(&[
            overload("greater_equals_bool", "(bool, bool) -> bool"),
            overload("greater_equals_int64", "(int, int) -> bool"),
            overload("greater_equals_int64_double", "(int, double) -> bool"),
            overload("greater_equals_int64_uint64", "(int, uint) -> bool"),
            overload("greater_equals_uint64", "(uint, uint) -> bool"),
            overload("greater_equals_uint64_double", "(uint, double) -> bool"),
            overload("greater_equals_uint64_int64", "(uint, int) -> bool"),
            overload("greater_equals_double", "(double, double) -> bool"),
            overload("greater_equals_double_int64", "(double, int) -> bool"),
            overload("greater_equals_double_uint64", "(double, uint) -> bool"),
            overload("greater_equals_string", "(string, string) -> bool").cost(calls::comparison),
            overload("greater_equals_bytes", "(bytes, bytes) -> bool").cost(calls::comparison),
            overload("greater_equals_timestamp", "(timestamp, timestamp) -> bool"),
            overload("greater_equals_duration", "(duration, duration) -> bool"),
        ]),
    function(
        "_[_]",
        "The element of a list at an index from 0, or the value of a map at a key; an error if there is none.",
    )
    .examples(&[("[1, 2, 3][1]", "2"), ("{'a': 1}['a']", "1")])
    .overloads(&[
        overload("index_list", "(list(A), int) -> A"),
        overload("index_map", "(map(A, B), A) -> B"),
    ]),
    function("@in", "Whether a list has the element, or a map the key.")
        .examples(&[("2 in [1, 2]", "true"), ("'b' in {'a': 1}", "false")])
        .overloads(&[
            overload("in_list", "(A, list(A)) -> bool").cost(calls::membership),
            overload("in_map", "(A, map(A, B)) -> bool"),
        ]),
    function(
        "size",
        "The number of characters of a string, bytes of a byte sequence, elements of a list or entries of a map.",
    )
    .examples(&[("size('abc')", "3"), ("[1, 2].size()", "2")])
    .overloads(&[
        overload("size_bytes", "(bytes) -> int"),
        overload("bytes_size", "bytes.() -> int"),
        overload("size_list", "(list(A)) -> int"),
        overload("list_size", "list(A).() -> int"),
        overload("size_map", "(map(A, B)) -> int"),
        overload("map_size", "map(A, B).() -> int"),
        overload("size_string", "(string) -> int"),
        overload("string_size", "string.() -> int"),
    ]),
    function("type", "The type of a value.")
        .examples(&[("type('a') == string", "true")])
        .overloads(&[overload("type", "(A) -> type(A)")]),
    function("bool", "The boolean that a string spells.")
        .examples(&[("bool('true')", "true")])
        .overloads(&[
            overload("bool_to_bool", "(bool) -> bool"),
            overload("string_to_bool", "(string) -> bool"),
        ]),
    function("bytes", "The bytes of a string in UTF-8.")
        .examples(&[("bytes('a')", "b'a'")])
        .overloads(&[
            overload("bytes_to_bytes", "(bytes) -> bytes"),
            overload("string_to_bytes", "(string) -> bytes").cost(calls::string_to_bytes),
        ]),
    function("double", "The value as a double.")
        .examples(&[("double('1.5')", "1.5"), ("double(2)", "2.0")])
        .overloads(&[
            overload("double_to_double", "(double) -> double"),
            overload("int64_to_double", "(int) -> double"),
            overload("string_to_double", "(string) -> double"),
            overload("uint64_to_double", "(uint) -> double"),
        ]),
    function("duration", "The duration that a string such as 1h30m spells.")
        .examples(&[("duration('90m') == duration('1h30m')", "true")])
        .overloads(&[
            overload("duration_to_duration", "(duration) -> duration"),
            overload("int64_to_duration", "(int) -> duration").until(37),
            overload("string_to_duration", "(string) -> duration"),
        ]),
    function(
        "dyn",
        "The value itself, with its type checked only when the rule runs.",
    )
    .examples(&[("dyn(1) == 1", "true")])
    .overloads(&[overload("to_dyn", "(A) -> dyn")]),
    function(
        "int",
        "The value as an int; doubles are cut, timestamps count seconds since 1970, durations nanoseconds.",
    )
    .examples(&[("int('12')", "12"), ("int(1.9)", "1")])
    .overloads(&[
        overload("int64_to_int64", "(int) -> int"),
        overload("double_to_int64", "(double) -> int"),
        overload("duration_to_int64", "(duration) -> int"),
        overload("string_to_int64", "(string) -> int"),
        overload("timestamp_to_int64", "(timestamp) -> int"),
        overload("uint64_to_int64", "(uint) -> int"),
    ]),
    function("string", "The value as text.")
        .examples(&[("string(12)", "'12'"), ("string(true)", "'true'")])
        .overloads(&[
            overload("string_to_string", "(string) -> string"),
            overload("bool_to_string", "(bool) -> string"),
            overload("bytes_to_string", "(bytes) -> string").cost(calls::bytes_to_string),
            overload("double_to_string", "(double) -> string"),
            overload("duration_to_string", "(duration) -> string"),
            overload("int64_to_string", "(int) -> string"),
            overload("timestamp_to_string", "(timestamp) -> string"),
            overload("uint64_to_string", "(uint) -> string"),
        ]),
    function(
        "timestamp",
        "The time that an RFC 3339 string spells, or that many seconds after 1970.",
    )
    .examples(&[("timestamp(0) == timestamp('1970-01-01T00:00:00Z')", "true")])
    .overloads(&[
        overload("timestamp_to_timestamp", "(timestamp) -> timestamp"),
        overload("int64_to_timestamp", "(int) -> timestamp"),
        overload("string_to_timestamp", "(string) -> timestamp"),
    ]),
    function("uint", "The value as an unsigned int.")
        .examples(&[("uint('12')", "12u")])
        .overloads(&[
            overload("uint64_to_uint64", "(uint) -> uint"),
            overload("double_to_uint64", "(double) -> uint"),
            overload("int64_to_uint64", "(int) -> uint"),
            overload("string_to_uint64", "(string) -> uint"),
        ]),
    function("contains", "Whether the string has the other one in it.")
        .examples(&[("'hello world'.contains('o w')", "true")])
        .cost(calls::contains)
        .overloads(&[overload("contains_string", "string.(string) -> bool")]),
    function("endsWith", "Whether the string ends with the other one.")
        .examples(&[("'hello'.endsWith('lo')", "true")])
        .cost(calls::affix)
        .overloads(&[overload("ends_with_string", "string.(string) -> bool")]),
    function("startsWith", "Whether the string begins with the other one.")
        .examples(&[("'hello'.startsWith('he')", "true")])
        .cost(calls::affix)
        .overloads(&[overload("starts_with_string", "string.(string) -> bool")]),
    function(
        "matches",
        "Whether the regular expression (RE2) is found in the string; anchor it with ^ and $ to match all of it.",
    )
    .examples(&[("'v1beta1'.matches('^v[0-9]+')", "true")])
    .overloads(&[
        overload("matches", "(string, string) -> bool").cost(calls::matches_global),
        overload("matches_string", "string.(string) -> bool").cost(calls::matches_member),
    ]),
    function("getFullYear", "The year, in UTC or the given time zone.")
        .examples(&[("timestamp('2023-07-14T10:30:45.123Z').getFullYear()", "2023")])
        .overloads(&[
            overload("timestamp_to_year", "timestamp.() -> int"),
            overload("timestamp_to_year_with_tz", "timestamp.(string) -> int"),
        ]),
    function("getMonth", "The month from 0, in UTC or the given time zone.")
        .examples(&[("timestamp('2023-07-14T10:30:45.123Z').getMonth()", "6")])
        .overloads(&[
            overload("timestamp_to_month", "timestamp.() -> int"),
            overload("timestamp_to_month_with_tz", "timestamp.(string) -> int"),
        ]),
    function(
        "getDayOfYear",
        "The day of the year from 0, in UTC or the given time zone.",
    )
    .examples(&[("timestamp('2023-07-14T10:30:45.123Z').getDayOfYear()", "194")])
    .overloads(&[
        overload("timestamp_to_day_of_year", "timestamp.() -> int"),
        overload("timestamp_to_day_of_year_with_tz", "timestamp.(string) -> int"),
    ]),
    function(
        "getDayOfMonth",
        "The day of the month from 0, in UTC or the given time zone.",
    )
    .examples(&[("timestamp('2023-07-14T10:30:45.123Z').getDayOfMonth()", "13")])
    .overloads(&[
        overload("timestamp_to_day_of_month", "timestamp.() -> int"),
        overload("timestamp_to_day_of_month_with_tz", "timestamp.(string) -> int"),
    ]),
    function("getDate", "The day of the month from 1, in UTC or the given time zone.")
        .examples(&[("timestamp('2023-07-14T10:30:45.123Z').getDate()", "14")])
        .overloads(&[
            overload("timestamp_to_day_of_month_1_based", "timestamp.() -> int"),
            overload("timestamp_to_day_of_month_1_based_with_tz", "timestamp.(string) -> int"),
        ]),
    function(
        "getDayOfWeek",
        "The day of the week from 0 for Sunday, in UTC or the given time zone.",
    )
    .examples(&[("timestamp('2023-07-14T10:30:45.123Z').getDayOfWeek()", "5")])
    .overloads(&[
        overload("timestamp_to_day_of_week", "timestamp.() -> int"),
        overload("timestamp_to_day_of_week_with_tz", "timestamp.(string) -> int"),
    ]),
    function(
        "getHours",
        "The hour of a time, in UTC or the given time zone; of a duration, its whole hours.",
    )
    .examples(&[("timestamp('2023-07-14T10:30:45.123Z').getHours()", "10")])
    .overloads(&[
        overload("timestamp_to_hours", "timestamp.() -> int"),
        overload("timestamp_to_hours_with_tz", "timestamp.(string) -> int"),
        overload("duration_to_hours", "duration.() -> int"),
    ]),
    function(
        "getMinutes",
        "The minute of a time, in UTC or the given time zone; of a duration, its whole minutes.",
    )
    .examples(&[("timestamp('2023-07-14T10:30:45.123Z').getMinutes()", "30")])
    .overloads(&[
        overload("timestamp_to_minutes", "timestamp.() -> int"),
        overload("timestamp_to_minutes_with_tz", "timestamp.(string) -> int"),
        overload("duration_to_minutes", "duration.() -> int"),
    ]),
    function("getSeconds", "The second of a time; of a duration, its whole seconds.")
        .examples(&[("timestamp('2023-07-14T10:30:45.123Z').getSeconds()", "45")])
        .overloads(&[
            overload("timestamp_to_seconds", "timestamp.() -> int"),
            overload("timestamp_to_seconds_tz", "timestamp.(string) -> int"),
            overload("duration_to_seconds", "duration.() -> int"),
        ]),
    function(
        "getMilliseconds",
        "The milliseconds of a time or duration past its last whole second.",
    )
    .examples(&[("timestamp('2023-07-14T10:30:45.123Z').getMilliseconds()", "123")])
    .overloads(&[
        overload("timestamp_to_milliseconds", "timestamp.() -> int"),
        overload("timestamp_to_milliseconds_with_tz", "timestamp.(string) -> int"),
        overload("duration_to_milliseconds", "duration.() -> int"),
    ]),
];
