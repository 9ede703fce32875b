//! Random strings and numbers in the syntax that functions expect, sometimes slightly wrong. They complement the tables of constants.

use crd_analyzer_cel::library::Spelling;
use fastrand::Rng;

use super::pick;

/// Characters of one, two, three and four bytes. Some have a special meaning for the functions.
const LETTERS: &[&str] = &[
    "a",
    "b",
    "c",
    "A",
    "Z",
    "0",
    "9",
    "-",
    ".",
    "_",
    "/",
    " ",
    "é",
    "ß",
    "İ",
    "語",
    "😀",
    "\u{301}",
    "\u{200b}",
    "%",
    "'",
    "\"",
    "\\",
    "\n",
    "\t",
    "\u{7f}",
    "\u{1}",
    "\u{feff}",
    "\u{2028}",
    ",",
    "x",
    "{",
    "}",
    "\u{10ffff}",
    "\u{e000}",
];

pub(super) fn several(rng: &mut Rng, most: usize, mut one: impl FnMut(&mut Rng) -> String) -> String {
    (0..rng.usize(..=most)).map(|_| one(rng)).collect()
}

pub(super) fn digits(rng: &mut Rng, most: usize) -> String {
    let count = 1 + rng.usize(..most);
    (0..count).map(|_| rng.digit(10)).collect()
}

/// Random characters.
fn any(rng: &mut Rng) -> String {
    several(rng, 8, |rng| pick(rng, LETTERS).to_owned())
}

/// A string, sometimes with one character removed, doubled or inserted.
fn nearly(rng: &mut Rng, text: String) -> String {
    if rng.u8(..8) > 0 {
        return text;
    }
    let mut letters: Vec<String> = text.chars().map(String::from).collect();
    let at = rng.usize(..=letters.len());
    match rng.u8(..3) {
        0 => letters.insert(at, pick(rng, LETTERS).to_owned()),
        1 if at < letters.len() => drop(letters.remove(at)),
        _ if at < letters.len() => letters.insert(at, letters[at].clone()),
        _ => {}
    }
    letters.concat()
}

fn number(rng: &mut Rng) -> String {
    let sign = pick(rng, &["", "", "", "-", "+"]);
    let body = match rng.u8(..10) {
        0..3 => digits(rng, 3),
        3 => digits(rng, 20),
        4 => format!("{}.{}", digits(rng, 4), digits(rng, 12)),
        5 => format!("{}e{}{}", digits(rng, 2), pick(rng, &["", "-", "+"]), digits(rng, 3)),
        6 => format!("{}.{}E{}", digits(rng, 2), digits(rng, 3), digits(rng, 2)),
        7 => format!("0x{}", digits(rng, 4)),
        8 => pick(
            rng,
            &[
                "inf", "NaN", "Infinity", "nan", "INF", "1_0", "0b1", "0o7", "0x1p-2", "0X1P+4",
            ],
        )
        .to_owned(),
        _ => pick(rng, &[".5", "5.", ".", "", "00", "0.0"]).to_owned(),
    };
    format!("{sign}{body}")
}

fn quantity(rng: &mut Rng) -> String {
    let suffixes = [
        "", "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E3", "e-3",
        "e+2", "K", "ki", "e", "mi", "e20", "E-12",
    ];
    let body = match rng.u8(..6) {
        0..2 => digits(rng, 3),
        2 => digits(rng, 19),
        3 => format!("{}.{}", digits(rng, 2), digits(rng, 10)),
        4 => format!(".{}", digits(rng, 3)),
        _ => format!("{}.", digits(rng, 3)),
    };
    format!("{}{body}{}", pick(rng, &["", "", "-", "+"]), pick(rng, &suffixes))
}

fn name(rng: &mut Rng) -> String {
    pick(
        rng,
        &[
            "a",
            "example.com",
            "x-1",
            "EX",
            "a.b.",
            "é.x",
            "%41",
            "a%20b",
            "a_b",
            "",
            "[::1]",
            "[fe80::1%25e]",
            "1.2.3.4",
            "[::g]",
            "a b",
        ],
    )
    .to_owned()
}

fn url(rng: &mut Rng) -> String {
    let scheme = pick(rng, &["https:", "http:", "HTTP:", "a+b:", "1a:", "", "", ":"]);
    let user = pick(rng, &["", "", "", "u@", "u:p@", "u:p%40@", ":@", "a b@"]);
    let port = pick(rng, &["", "", ":80", ":", ":x", ":99999"]);
    let authority = if rng.u8(..6) == 0 {
        String::new()
    } else {
        format!("//{user}{}{port}", name(rng))
    };
    let path = several(rng, 3, |rng| {
        format!(
            "/{}",
            pick(
                rng,
                &[
                    "a", "", "..", "%2f", "%zz", "a b", "é", "a;b", "a:b", "*", "'", "%C3%A9", "[", "~"
                ]
            )
        )
    });
    let query = if rng.bool() {
        let pairs: Vec<String> = (0..rng.usize(..4))
            .map(|_| {
                let (key, value) = (
                    pick(rng, &["a", "b", "", "a%20", "%zz", "é", "a+b", "a;b"]),
                    pick(rng, &["=", "=1", "", "=a=b", "=%2", "=+"]),
                );
                format!("{key}{value}")
            })
            .collect();
        format!("?{}", pairs.join("&"))
    } else {
        String::new()
    };
    let fragment = pick(rng, &["", "", "", "#f", "#", "#%zz", "#a#b"]);
    format!("{scheme}{authority}{path}{query}{fragment}")
}

fn ip(rng: &mut Rng) -> String {
    match rng.u8(..10) {
        0..4 => {
            let parts: Vec<String> = (0..4)
                .map(|_| {
                    pick(
                        rng,
                        &["0", "1", "10", "127", "255", "224", "169", "254", "256", "01", ""],
                    )
                    .to_owned()
                })
                .collect();
            let count = if rng.u8(..10) == 0 { 3 } else { 4 };
            parts[..count].join(".")
        }
        4..8 => {
            let count = 1 + rng.usize(..8);
            let mut parts: Vec<String> = (0..count)
                .map(|_| {
                    pick(
                        rng,
                        &[
                            "0", "1", "ff02", "fe80", "FF0E", "2001", "db8", "00a", "ffff", "12345", "g", "fc00",
                        ],
                    )
                    .to_owned()
                })
                .collect();
            if count < 8 || rng.u8(..4) == 0 {
                let at = rng.usize(..=count);
                parts.insert(at, String::new());
            }
            let mut text = parts.join(":");
            if text.starts_with(':') {
                text.insert(0, ':');
            }
            if text.ends_with(':') {
                text.push(':');
            }
            text + pick(rng, &["", "", "", "%eth0", "%"])
        }
        8 => format!("::ffff:{}.2.3.{}", digits(rng, 2), digits(rng, 2)),
        _ => pick(
            rng,
            &[
                "::",
                "::1",
                "0.0.0.0",
                "1::1.2.3.4",
                "0::0",
                "::127.0.0.1",
                "255.255.255.255",
            ],
        )
        .to_owned(),
    }
}

fn cidr(rng: &mut Rng) -> String {
    let bits = pick(
        rng,
        &[
            "0", "8", "16", "24", "32", "33", "64", "128", "129", "08", "-1", "", "1", "31", "127", "+8",
        ],
    );
    format!("{}{}{bits}", ip(rng), pick(rng, &["/", "/", "/", "/", "/", "//", ""]))
}

fn version(rng: &mut Rng) -> String {
    let part = |rng: &mut Rng| {
        pick(
            rng,
            &["0", "1", "2", "10", "01", "007", "18446744073709551615", "x", ""],
        )
        .to_owned()
    };
    let parts = [3, 3, 3, 3, 2, 1, 4][rng.usize(..7)];
    let numbers: Vec<String> = (0..parts)
        .map(|_| if rng.u8(..8) == 0 { part(rng) } else { digits(rng, 2) })
        .collect();
    let words = |rng: &mut Rng| {
        let words: Vec<&str> = (0..=rng.usize(..3))
            .map(|_| pick(rng, &["alpha", "1", "10", "rc", "0", "01", "a-b", "", "é", "x1"]))
            .collect();
        words.join(".")
    };
    let pre = if rng.u8(..3) == 0 {
        format!("-{}", words(rng))
    } else {
        String::new()
    };
    let build = if rng.u8(..4) == 0 {
        format!("+{}", words(rng))
    } else {
        String::new()
    };
    format!(
        "{}{}{pre}{build}",
        pick(rng, &["", "", "", "v", "V", " ", "="]),
        numbers.join(".")
    )
}

fn duration(rng: &mut Rng) -> String {
    let sign = pick(rng, &["", "", "", "-", "+"]);
    let body = several(rng, 3, |rng| {
        let amount = match rng.u8(..6) {
            0 => format!("{}.{}", digits(rng, 2), digits(rng, 10)),
            1 => digits(rng, 12),
            2 => format!(".{}", digits(rng, 2)),
            _ => digits(rng, 3),
        };
        amount + pick(rng, &["h", "m", "s", "ms", "us", "µs", "μs", "ns", "d", ""])
    });
    format!("{sign}{body}")
}

fn timestamp(rng: &mut Rng) -> String {
    let year = pick(
        rng,
        &[
            "2024", "1970", "1969", "0001", "9999", "2000", "1900", "0000", "10000", "2011", "1883",
        ],
    );
    let month = if rng.u8(..12) == 0 {
        pick(rng, &["00", "13", "2"]).to_owned()
    } else {
        format!("{:02}", rng.u8(1..13))
    };
    let day = if rng.u8(..12) == 0 {
        pick(rng, &["00", "31", "32", "29"]).to_owned()
    } else {
        format!("{:02}", rng.u8(1..29))
    };
    let hour = if rng.u8(..16) == 0 {
        pick(rng, &["24", "25", "7"]).to_owned()
    } else {
        format!("{:02}", rng.u8(..24))
    };
    let second = if rng.u8(..16) == 0 {
        pick(rng, &["60", "61", "5"]).to_owned()
    } else {
        format!("{:02}", rng.u8(..60))
    };
    let fraction = match rng.u8(..4) {
        0 => format!(".{}", digits(rng, 10)),
        1 if rng.u8(..6) == 0 => pick(rng, &[".", ",5", ".5000"]).to_owned(),
        _ => String::new(),
    };
    let zone = pick(
        rng,
        &[
            "Z", "Z", "Z", "z", "+00:00", "-00:00", "+14:00", "-23:59", "+24:00", "+05:30", "+5:30", "", "+0530", " Z",
        ],
    );
    format!(
        "{year}-{month}-{day}{}{hour}:{:02}:{second}{fraction}{zone}",
        pick(rng, &["T", "T", "T", "T", "t", " "]),
        rng.u8(..60)
    )
}

fn zone(rng: &mut Rng) -> String {
    match rng.u8(..4) {
        0 => format!(
            "{}{:02}:{:02}",
            pick(rng, &["+", "-", "", "--", "+-"]),
            rng.u8(..27),
            rng.u8(..70)
        ),
        1 => format!("{}{}:{}", pick(rng, &["+", "-", ""]), digits(rng, 3), digits(rng, 3)),
        2 => pick(
            rng,
            &[
                "Asia/Tokyo",
                "Europe/London",
                "America/St_Johns",
                "Pacific/Apia",
                "Asia/Kathmandu",
                "GMT",
                "CET",
                "Etc/UTC",
                "UCT",
                "Zulu",
                "Antarctica/Troll",
                "Europe/Dublin",
                "America/Caracas",
                "Asia/Pyongyang",
            ],
        )
        .to_owned(),
        _ => pick(
            rng,
            &[
                "utc",
                "Local",
                "local",
                "UTC ",
                " ",
                "/",
                "Europe/",
                "Europe",
                ":",
                "1:",
                ":1",
                "posix/UTC",
                "é",
                "Z",
                "+1",
            ],
        )
        .to_owned(),
    }
}

fn pattern(rng: &mut Rng) -> String {
    let mut pattern = several(rng, 4, |rng| {
        let atom = pick(
            rng,
            &[
                "a",
                "b",
                ".",
                "\\d",
                "\\w+",
                "[a-z]",
                "[^a-c]",
                "(a|b)",
                "(?:x|)",
                "(?i:AB)",
                "\\.",
                "^",
                "$",
                "\\b",
                "\\B",
                "[[:digit:]]",
                "\\p{L}",
                "\\pN",
                "\\x{1F600}",
                "\\Q.*\\E",
                "(?P<n>a)",
                "(?<n>a)",
                "\\z",
                "\\A",
                "é",
                "[é-ü]",
                "\\1",
                "(",
                "[",
                "\\",
                "(?s).",
                "(?U)a+",
                "[^\\s]",
                "\\C",
                "{",
                "}",
                "]",
                "(?=a)",
                "[z-a]",
                "[a-\\d]",
                "(?m)^b$",
                "\\PL",
                "\\p{Nope}",
                "x",
                "",
                "|",
                "()",
            ],
        );
        let repeat = pick(
            rng,
            &[
                "", "", "", "", "*", "+", "?", "{2}", "{1,3}", "{,2}", "*?", "+?", "{2,1}", "**", "{1001}", "{0}",
                "{2,}",
            ],
        );
        format!("{atom}{repeat}")
    });
    if rng.u8(..3) == 0 {
        pattern = format!("^{pattern}$");
    }
    pattern
}

/// A format string for `format`.
pub(super) fn template(rng: &mut Rng) -> String {
    several(rng, 4, |rng| {
        let text = pick(rng, &["", "", " ", "a", "é", "%%", "😀", "-"]);
        let precision = pick(
            rng,
            &[
                "", "", "", ".0", ".1", ".3", ".12", ".30", ".", ".x", "5", "+", "#", "-", " ", "0", ".-1", ".",
            ],
        );
        let verb = pick(rng, &["s", "s", "d", "f", "e", "x", "X", "o", "b", "q", "v", "", "%"]);
        format!("{text}%{precision}{verb}")
    })
}

/// A string that has a given syntax, or nearly has it; `None` if any string is valid.
pub(super) fn spelled(rng: &mut Rng, spelling: Spelling) -> Option<String> {
    let text = match spelling {
        Spelling::Anything | Spelling::FormatName => return None,
        Spelling::Part => any(rng),
        Spelling::Pattern => pattern(rng),
        Spelling::Quantity => quantity(rng),
        Spelling::Url => url(rng),
        Spelling::Address => ip(rng),
        Spelling::Network => cidr(rng),
        Spelling::Version => version(rng),
        Spelling::Duration => duration(rng),
        Spelling::Time => timestamp(rng),
        Spelling::Zone => zone(rng),
        Spelling::Number => number(rng),
        Spelling::Template => template(rng),
        Spelling::Formatted => match rng.u8(..5) {
            0 => url(rng),
            1 => timestamp(rng),
            2 => version(rng),
            _ => any(rng),
        },
    };
    Some(nearly(rng, text))
}

/// A string of any syntax.
pub(super) fn any_text(rng: &mut Rng) -> String {
    let kinds = [
        Spelling::Pattern,
        Spelling::Quantity,
        Spelling::Url,
        Spelling::Address,
        Spelling::Network,
        Spelling::Version,
        Spelling::Duration,
        Spelling::Time,
        Spelling::Number,
        Spelling::Template,
        Spelling::Part,
        Spelling::Part,
        Spelling::Part,
        Spelling::Zone,
    ];
    let kind = kinds[rng.usize(..kinds.len())];
    spelled(rng, kind).unwrap_or_default()
}
