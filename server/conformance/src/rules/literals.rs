//! Literals for expressions: for each type and function, valid values and near misses.

use crd_analyzer_cel::library::{Spelling, declarations};
use crd_analyzer_cel::types::Type;
use fastrand::Rng;

use super::{constants, pick, texts};

const TEXTS: &[&str] = &[
    "",
    "a",
    "abc",
    "hello world",
    "ABC",
    "é",
    "日本語",
    "a,b,c",
    "1",
    "-5",
    "1.5",
    "true",
    "T",
    "x y",
    "  x ",
    "😀",
    "my-name",
    "a.b",
    "a-b-c",
    "0x1F",
    "1e3",
    "NaN",
    "é\u{301}",
];
const PATTERNS: &[&str] = &[
    "^[a-z]+$",
    "[a-z]+",
    "a|b",
    "(",
    "\\\\d+",
    "(?i)ABC",
    "^$",
    "a*",
    "[[:alpha:]]",
    "\\\\p{Greek}",
    "(a)(b)?",
    "(?!x)",
    "x{2,3}",
    "^(([a-z0-9]|[a-z0-9][a-z0-9-]*[a-z0-9])[.])*$",
];
const QUANTITIES: &[&str] = &[
    "1",
    "1k",
    "1.5Gi",
    "200m",
    "-3",
    "0",
    "1e3",
    "1E",
    "100Mi",
    "0.1",
    "1.50",
    "12345678901234567890",
    "1n",
    "1u5",
    "+5",
    "1Ki ",
    "0.0000000001",
    "9223372036854775807",
    "9223372036854775808",
    "1e-3",
    "5.000",
    "1000000",
    "1024",
    "1Pi",
    "1.Gi",
    ".5",
    "-0.25M",
];
const URLS: &[&str] = &[
    "https://example.com:80/a/b?x=1&x=2&y=#f",
    "https://u:p@example.com",
    "http://[::1]:8080/",
    "http://[fe80::1%25en0]/",
    "/path/to?q",
    "../path",
    "https://a b/",
    "ftp://x.y/%2f",
    "mailto:a@b.c",
    "https://x.y:port",
    "//host/path",
    "https://ex.com/a%zz",
    "https://ex.com/?a=%zz&b=1;c",
    "https://x/é?k=ü",
];
const ADDRESSES: &[&str] = &[
    "10.0.0.1",
    "127.0.0.1",
    "::1",
    "fe80::1",
    "::ffff:1.2.3.4",
    "::",
    "0.0.0.0",
    "224.0.0.1",
    "ff02::1",
    "192.168.01.1",
    "1.2.3",
    "1.2.3.256",
    "2001:DB8::1",
    "fe80::1%eth0",
    "255.255.255.255",
    "169.254.1.1",
    "1:2:3:4:5:6:7:8:9",
];
const NETWORKS: &[&str] = &[
    "10.0.0.0/8",
    "192.168.1.5/24",
    "::1/128",
    "2001:db8::/32",
    "0.0.0.0/0",
    "10.0.0.0/33",
    "10.0.0.0",
    "::ffff:1.2.3.0/120",
    "10.0.0.0/08",
    "fe80::/10",
    "10.0.0.0/-1",
];
const VERSIONS: &[&str] = &[
    "1.2.3",
    "0.0.1",
    "1.2.3-alpha.1",
    "1.2.3-alpha.10+build.5",
    "v1.2.3",
    "1.2",
    "1",
    "01.2.3",
    "1.2.3-01",
    "2.0.0",
    "1.2.3+b",
    "99999999999999999999.0.0",
    "1.2.x",
    " 1.2.3",
];
const DURATIONS: &[&str] = &[
    "1h",
    "5m",
    "1.5s",
    "-2h45m",
    "0",
    "100ms",
    "1us",
    "1d",
    "",
    "1h1",
    "315576000000s",
    "9223372036s",
    "1ns",
    ".5h",
    "1e3s",
    "µs",
    "3µs",
];
const TIMES: &[&str] = &[
    "2020-01-01T00:00:00Z",
    "2023-12-31T23:59:59.123Z",
    "1970-01-01T00:00:00Z",
    "2024-02-29T12:00:00+02:00",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999999Z",
    "2024-02-30T00:00:00Z",
    "2024-01-01",
    "x",
    "2024-01-02t03:04:05z",
    "2024-03-10T02:30:00-05:00",
    "2024-07-01T00:00:00.5Z",
    "2024-01-02T03:04:05.1234567891Z",
];
const ZONES: &[&str] = &[
    "UTC",
    "+02:00",
    "-08:00",
    "",
    "02:00",
    "x",
    "25:99",
    "America/New_York",
    "Europe/Berlin",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Local",
    "america/new_york",
    "US/Pacific",
    "Africa/Casablanca",
    "America/Sao_Paulo",
    "EST",
    "Etc/GMT+5",
    "-0:30",
    "+1:5",
    "../x",
];
const FORMATS: &[&str] = &[
    "dns1123Label",
    "uuid",
    "date",
    "byte",
    "uri",
    "datetime",
    "nope",
    "labelValue",
    "dns1035LabelPrefix",
];
const FORMATTED: &[&str] = &[
    "my-name",
    "My_Name",
    "a.b.c",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "2024-01-02",
    "YWJj",
    "https://x.y/z",
    "2024-01-02T03:04:05Z",
    "example.com/name",
    "-a",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "+1",
    "1.5",
    "1e3",
    "0x10",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "1_000",
    "inf",
    "NaN",
    "-Infinity",
    ".5",
    "5.",
    "1e400",
    "18446744073709551615",
    "007",
    "",
];
const TEMPLATES: &[&str] = &[
    "%s", "%d-%s", "%.2f %x", "%s %s", "%b", "%o", "%X", "%e", "%.0f", "%5d", "%", "%%", "%q", "%.3e", "%f", "%x",
    "%.20f",
];
const SEPARATORS: &[&str] = &["", ",", "a", " ", "b", "é", "\\n", "l"];

fn pool(spelling: Spelling) -> Option<&'static [&'static str]> {
    Some(match spelling {
        Spelling::Anything => return None,
        Spelling::Part => SEPARATORS,
        Spelling::Pattern => PATTERNS,
        Spelling::Quantity => QUANTITIES,
        Spelling::Url => URLS,
        Spelling::Address => ADDRESSES,
        Spelling::Network => NETWORKS,
        Spelling::Version => VERSIONS,
        Spelling::Duration => DURATIONS,
        Spelling::Time => TIMES,
        Spelling::Zone => ZONES,
        Spelling::Number => NUMBERS,
        Spelling::Template => TEMPLATES,
        Spelling::FormatName => FORMATS,
        Spelling::Formatted => FORMATTED,
    })
}

/// The syntax of the string operands of a function.
fn spelling_of(function: &str) -> Spelling {
    let mut spellings = declarations(function).iter().map(|it| it.traits.spelling);
    let found = spellings.find(|it| *it != Spelling::Anything);
    found.unwrap_or(Spelling::Anything)
}

/// Any text.
pub(super) fn any_text(rng: &mut Rng) -> String {
    if rng.u8(..4) == 0 {
        return texts::any_text(rng);
    }
    let pools = [
        TEXTS, TEXTS, TEXTS, QUANTITIES, URLS, ADDRESSES, NETWORKS, VERSIONS, DURATIONS, TIMES, FORMATTED, NUMBERS,
        SEPARATORS,
    ];
    let pool = pools[rng.usize(..pools.len())];
    pick(rng, pool).to_owned()
}

/// A literal for a string argument of this function.
pub(super) fn text_for(rng: &mut Rng, function: &str) -> Option<String> {
    let spelling = spelling_of(function);
    if rng.u8(..5) < 2
        && let Some(text) = texts::spelled(rng, spelling)
    {
        return Some(constants::quoted(rng, &text));
    }
    let pool = pool(spelling)?;
    let text = pick(rng, pool);
    Some(quoted(rng, text))
}

/// A literal of a string without quotes in it.
fn quoted(rng: &mut Rng, text: &str) -> String {
    match rng.u8(..12) {
        0 => format!("\"{text}\""),
        1 if !text.contains('\\') => format!("r'{text}'"),
        2 => format!("'''{text}'''"),
        _ => format!("'{text}'"),
    }
}

/// A literal or the shortest call of a type; `None` if the type has neither.
pub(super) fn literal(rng: &mut Rng, ty: &Type) -> Option<String> {
    if rng.u8(..4) == 0 {
        match ty {
            Type::Int => return Some(constants::int(rng)),
            Type::Uint => return Some(constants::uint(rng)),
            Type::Double => return Some(constants::double(rng)),
            Type::Bytes => return Some(constants::bytes(rng)),
            _ => {}
        }
    }
    let fixed: &[&str] = match ty {
        Type::Int => &[
            "0",
            "1",
            "-1",
            "2",
            "3",
            "7",
            "10",
            "42",
            "100000",
            "0x1f",
            "9223372036854775807",
            "-9223372036854775808",
        ],
        Type::Uint => &["0u", "1u", "7u", "0xFFu", "18446744073709551615u"],
        Type::Double => &[
            "0.0",
            "1.0",
            "-1.5",
            "2.5",
            "1e3",
            "1e-7",
            "3.14159",
            "1e19",
            "-0.0",
            ".5",
            "123456789.0",
            "1e308",
        ],
        Type::Bool => &["true", "false"],
        Type::Bytes => &["b''", "b'abc'", "b'\\xff'", "b'é'", "b'\\101'", "rb'\\n'"],
        Type::Null => &["null"],
        Type::Duration => &[
            "duration('1h')",
            "duration('5m')",
            "duration('1.5s')",
            "duration('-1ns')",
        ],
        Type::Timestamp => &[
            "timestamp('2020-01-01T00:00:00Z')",
            "timestamp('2020-01-01T00:00:00.5+01:00')",
            "timestamp(0)",
            "timestamp('1999-12-31T23:59:59Z')",
        ],
        Type::String => {
            let text = any_text(rng);
            return Some(constants::quoted(rng, &text));
        }
        Type::Type(_) => &[
            "int",
            "string",
            "bool",
            "list",
            "map",
            "double",
            "bytes",
            "uint",
            "null_type",
            "type",
            "google.protobuf.Timestamp",
            "google.protobuf.Duration",
            "net.IP",
            "optional_type",
            "kubernetes.Quantity",
            "type(1)",
        ],
        Type::Dyn => &[
            "dyn(1)",
            "dyn('a')",
            "dyn([1])",
            "dyn({'a': 1})",
            "dyn(null)",
            "dyn(1.5)",
            "dyn(1u)",
            "dyn(true)",
        ],
        Type::Opaque(_) | Type::Struct(_) => match &*ty.type_name() {
            "kubernetes.Quantity" => &["quantity('1k')", "quantity('1.5Gi')", "quantity('0')"],
            "kubernetes.URL" => &["url('https://example.com:80/a?b=c')"],
            "net.IP" => &["ip('127.0.0.1')", "ip('fe80::1')"],
            "net.CIDR" => &["cidr('10.0.0.0/8')", "cidr('fe80::/10')"],
            "kubernetes.Semver" => &["semver('1.2.3')", "semver('1.2.3-a+b')"],
            "kubernetes.NamedFormat" => &[
                "format.dns1123Label()",
                "format.uuid()",
                "format.date()",
                "format.qualifiedName()",
                "format.dns1035LabelPrefix()",
                "format.named('uri').value()",
            ],
            _ => return None,
        },
        _ => return None,
    };
    Some(pick(rng, fixed).to_owned())
}
