//! Compares our format checks with the API server's code. A Go program with this code answers through two pipes:
//!
//! ```text
//! cd tests/conformance/formats && go build -o /tmp/formats . && cd -
//! cargo run --profile fast -p crd-analyzer-schema --example formats_differential -- /tmp/formats 20000 SEED
//! ```
//!
//! The number is the number of values per format.

#![allow(clippy::disallowed_methods, reason = "tests run programs and read files")]
#![allow(clippy::print_stdout, reason = "it reports to a person")]

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Command, Stdio};

use crd_analyzer_schema::{KubernetesVersion, formats};
use serde_json::{Value, json};

/// Formats, each with initial values for mutations, and pieces to mutate them with.
const FORMATS: &[(&str, &[&str], &str)] = &[
    (
        "bsonobjectid",
        &["507f1f77bcf86cd799439011", ""],
        "0123456789abcdefABCDEFg",
    ),
    ("byte", &["YWJj", "YQ==", "YWI=", "", "+/+/"], "AZaz09+/=-_\n"),
    (
        "cidr",
        &[
            "10.0.0.0/8",
            "::/0",
            "2001:db8::/32",
            "::ffff:1.2.3.4/96",
            "010.1.1.1/024",
        ],
        "0123456789abf.:/% ",
    ),
    (
        "creditcard",
        &[
            "4111 1111 1111 1111",
            "5555555555554444",
            "378282246310005",
            "30569309025904",
            "3530111333300000",
            "6011111111111117",
        ],
        "0123456789- ",
    ),
    (
        "date",
        &["2024-02-29", "0000-01-01", "9999-12-31", "2023-04-30"],
        "0123456789- ",
    ),
    (
        "date-time",
        &[
            "2024-02-29T10:00:00Z",
            "2024-01-01t23:59:59.123+01:00",
            "2024-01-01T00:00:00-99:99",
            "2024-01-01T10:00:00+01+01:00",
        ],
        "0123456789-:+.TtZzé\n ",
    ),
    (
        "duration",
        &[
            "1h30m",
            "22 ns",
            "3 weeks",
            "1.5h",
            ".5s",
            "-1m",
            "5µs",
            "5μs",
            "9223372036854775807ns",
            "9223372036854775808ns",
            "1d",
            "2 Hours",
            "99999999999999999999s",
            "0",
            "2562047h47m16.854775807s",
        ],
        "0123456789.-+ nuµmshdwkayecoirl",
    ),
    (
        "email",
        &[
            "a@b",
            "Joe Q. Public <john.q.public@example.com>",
            "\"Joe\" <a@b.c>",
            "a@[127.0.0.1]",
            "a@[::1]",
            "g: a@b;",
            "g: a@b, c@d;",
            "a@b (comment (nested) \\))",
            "=?utf-8?q?J=C3=B6rg?= <a@b>",
            "=?us-ascii?B?YQ==?= <a@b>",
            "=?iso-8859-1?q?a?= =?utf-8?q?b?= x <a@b>",
            "a@b (=?utf-8?q?x?=)",
            "\"a b\"@c",
            "<a@b>",
            "(c) <a@b>",
            "A.B. <a@b>",
            "é@ü.de",
            "\"\\\"\" <a@b>",
            "g:;",
            "(x)",
            "a (c) b <a@b>",
            "=?x?q?a?= <a@b>",
            "=?utf-8?q??= <a@b>",
        ],
        "ab@<>.,:;()[]\\\"=?q_ \té-1",
    ),
    ("hexcolor", &["#fff", "abcdef", "#ABCDEF"], "0123456789abcdefABCDEFg#"),
    (
        "hostname",
        &[
            "a",
            "a.example",
            "a-b.example.com",
            "☃.com",
            "xn--a.b",
            "a-",
            "a-bcdef",
            "é.日本",
            "localhost",
            "1.de",
            "a.b.c.d",
        ],
        "abzAZ09-.☃é日_ €",
    ),
    (
        "ipv4",
        &["1.2.3.4", "01.002.3.4", "255.255.255.255", "::ffff:1.2.3.4", "1.2.3"],
        "0123456789.:afx",
    ),
    (
        "ipv6",
        &[
            "::",
            "::1",
            "1:2:3:4:5:6:7:8",
            "::ffff:1.2.3.4",
            "fe80::1%eth0",
            "1::",
            "1:2:3:4:5:6:1.2.3.4",
        ],
        "0123456789abcdef:.%",
    ),
    (
        "isbn",
        &["0321751043", "978-0321751041", "080442957X", "9780306406157"],
        "0123456789X- \n",
    ),
    (
        "isbn10",
        &["0321751043", "080442957X", "0-8044-2957-X"],
        "0123456789X- ",
    ),
    ("isbn13", &["978-0321751041", "9780306406157"], "0123456789X- "),
    ("k8s-long-name", &["a.b-c", "abc", "a-b.c-d.e"], "abz09-.A_"),
    ("k8s-short-name", &["a-b", "abc", "0"], "abz09-.A_"),
    (
        "mac",
        &[
            "00:00:5e:00:53:01",
            "02-00-5e-10-00-00-00-01",
            "0000.5e00.5301",
            "00005e005301",
            "0200.5e10.0000.0001",
            "00:00:00:00:fe:80:00:00:00:00:00:00:02:00:5e:10:00:00:00:01",
        ],
        "0123456789abcdefg:-.",
    ),
    ("password", &["", "x"], "ab"),
    (
        "rgbcolor",
        &["rgb(255, 0,1)", "rgb(0,0,0)", "rgb( 249 , 19, 255 )"],
        "rgb(0123456789, )\t\n",
    ),
    ("ssn", &["111-22-3333", "111 22 3333", "111223333"], "0123456789- "),
    (
        "uri",
        &[
            "/a/b?c#d",
            "http://user:pass@host:80/p%20q?x=%zz",
            "mailto:a@b",
            "*",
            "http://[::1]:80/",
            "http://[fe80::1%25en0]/",
            "http://a:b:1/",
            "x://a:b:1/",
            "http://a,b:1/",
            "//a/b",
            "http://[1.2.3.4]/",
            "http://%41/",
            "http://%e4/",
            "http://a b/",
            "http://u%zz@h/",
            "http://h/%",
            "a:/b",
            "1:a",
            ":a",
            "http://h:",
            "http://[::ffff:1.2.3.4]/",
            "http://[::1]a/",
            "x+y-z.1://h",
        ],
        "abh:/?#[]@!$&'()*+,;=%25zé \"<>^`{|}~\\.-_019\u{7f}\u{1}",
    ),
    (
        "uuid",
        &[
            "123e4567-e89b-12d3-a456-426614174000",
            "123E4567e89b12d3a456426614174000",
        ],
        "0123456789abcdefABCDEFg-",
    ),
    (
        "uuid3",
        &["123e4567-e89b-32d3-a456-426614174000"],
        "0123456789abcdefABCDEFg-",
    ),
    (
        "uuid4",
        &["123e4567-e89b-42d3-a456-426614174000"],
        "0123456789abcdefABCDEFg-",
    ),
    (
        "uuid5",
        &["123e4567-e89b-52d3-a456-426614174000"],
        "0123456789abcdefABCDEFg-",
    ),
    ("int32", &["1"], "0123"),
    ("no-such-format", &["1"], "0123"),
];

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

fn value(random: &mut Random, seeds: &[&str], pieces: &[char]) -> String {
    if random.below(10) == 0 {
        return (0..random.below(14))
            .map(|_| pieces[random.below(pieces.len())])
            .collect();
    }
    let mut chars: Vec<char> = seeds[random.below(seeds.len())].chars().collect();
    for _ in 0..random.below(4) {
        let at = random.below(chars.len() + 1);
        match random.below(6) {
            0 if at < chars.len() => drop(chars.remove(at)),
            1 | 2 if at < chars.len() => chars[at] = pieces[random.below(pieces.len())],
            3 => {
                let end = (at + random.below(6)).min(chars.len());
                let part = chars[at..end].to_vec();
                let to = random.below(chars.len() + 1);
                chars.splice(to..to, part);
            }
            4 if random.below(20) == 0 => {
                let c = pieces[random.below(pieces.len())];
                chars.splice(at..at, std::iter::repeat_n(c, 20 + random.below(240)));
            }
            _ => chars.insert(at, pieces[random.below(pieces.len())]),
        }
    }
    chars.into_iter().collect()
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let [_, go, count, seed] = &args[..] else {
        panic!("usage: formats_differential GO COUNT SEED")
    };
    let count: usize = count.parse().expect("a number");
    let mut random = Random(seed.parse::<u64>().expect("a number") * 2 + 0x9E37_79B9_7F4A_7C15);
    let mut child = Command::new(go)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the Go program starts");
    let mut input = BufWriter::new(child.stdin.take().expect("piped"));
    let mut answers = BufReader::new(child.stdout.take().expect("piped")).lines();
    let cases: Vec<(&str, Vec<String>)> = FORMATS
        .iter()
        .map(|(format, seeds, pieces)| {
            let pieces: Vec<char> = pieces.chars().collect();
            (
                *format,
                (0..count).map(|_| value(&mut random, seeds, &pieces)).collect(),
            )
        })
        .collect();
    let requests: Vec<String> = cases
        .iter()
        .map(|(format, values)| json!({"format": format, "values": values}).to_string())
        .collect();
    let writer = std::thread::spawn(move || {
        for request in requests {
            writeln!(input, "{request}").expect("the Go program reads");
        }
    });
    let mut differences = 0;
    for (format, values) in &cases {
        let answer: Value = serde_json::from_str(&answers.next().expect("an answer").expect("a line")).expect("JSON");
        let mut accepted = 0;
        for (n, value) in values.iter().enumerate() {
            let ours = formats::validates(format, value, KubernetesVersion::NEWEST);
            accepted += usize::from(ours == Some(true));
            if json!(ours) != answer[n] {
                differences += 1;
                if differences <= 40 {
                    println!("{format} {value:?}: go {}, ours {ours:?}", answer[n]);
                }
            }
        }
        println!("{format}: {count} values, {accepted} accepted");
    }
    writer.join().expect("the writer ends");
    child.wait().expect("the Go program ends");
    println!("{differences} differences");
    std::process::exit(i32::from(differences > 0));
}
