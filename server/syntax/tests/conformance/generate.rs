//! Generates random documents that use every part of the grammar.

use super::random::Random;

const PLAIN: &[&str] = &[
    "a",
    "b",
    "name",
    "key",
    "x",
    "foo bar",
    "true",
    "yes",
    "Off",
    "y",
    "n",
    "null",
    "~",
    "Null",
    "0",
    "1",
    "-1",
    "+12",
    "007",
    "08",
    "0x1F",
    "0o17",
    "0b101",
    "-0b11",
    "1_000",
    "1.5",
    ".5",
    "1.",
    "1e3",
    "1E-7",
    "1e21",
    "6.02e23",
    "-0",
    "-0.0",
    ".inf",
    "-.Inf",
    ".NaN",
    "1:30",
    "190:20:30",
    "2001-12-14",
    "2001-12-14t21:59:43.10-05:00",
    "2001-12-14 21:59:43.10",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "<<",
    "=",
    "a:b",
    "http://x/y",
    "a#b",
    "-a",
    "?a",
    ":a",
    "é",
    "日本",
    "😀",
    "a\u{A0}b",
    "1.0",
    "100000000000000000000",
    "self.a <= self.b",
    "x y z w",
    "1e400",
    "4.611686018427387904e18",
    "0.1",
    "123456789.0",
    "~a",
    "o",
    "t",
    "-",
    "--",
    "0x",
    "12e",
    "1__0",
];

const QUOTED: &[&str] = &[
    "''",
    "\"\"",
    "'a'",
    "\"a\"",
    "'it''s'",
    "\"tab\\t nl\\n q\\\" b\\\\\"",
    "\"\\x41\\u00e9\\U0001F600\"",
    "\"\\/\"",
    "'a: b'",
    "\"a # b\"",
    "' a '",
    "\" a \"",
    "\"<&>\\u2028\"",
    "'\"'",
    "\"\\e\\0\\a\\_\\N\\L\\P\"",
    "\"\\ud83d\\ude00\"",
    "\"a\\\n  b\"",
    "'a\n  b'",
    "\"a  \n\n   b\"",
    "'a\n\n\n  b '",
    "\"a \\\n   \\ b\"",
    "\"\\q\"",
    "\"\\x4\"",
    "'1'",
    "\"true\"",
    "'<<'",
];

const TAGS: &[&str] = &[
    "!!str",
    "!!int",
    "!!float",
    "!!bool",
    "!!null",
    "!!binary",
    "!!timestamp",
    "!!map",
    "!!seq",
    "!!merge",
    "!",
    "!local",
    "!<tag:yaml.org,2002:str>",
    "!<!x>",
    "!e!tag",
    "!a%20b",
    "!!s%74r",
    "!!set",
    "!a,b",
    "!!",
];

const COMMENTS: &[&str] = &["# c", "#", "#c: d", "# é", "#\t"];

const PIECES: &[&str] = &[
    " ",
    " ",
    " ",
    " ",
    "  ",
    "\n",
    "\n",
    "\n",
    "\n  ",
    "\n ",
    "a",
    "b",
    "1",
    "~",
    ":",
    ": ",
    ": ",
    ":\n",
    "- ",
    "- ",
    "-",
    "-\n",
    "? ",
    "?",
    "?\n",
    ",",
    ", ",
    "[",
    "]",
    "{",
    "}",
    "[]",
    "{}",
    "[ ",
    " ]",
    "#",
    " # c\n",
    "&a ",
    "&a",
    "*a",
    "*a ",
    "!",
    "! ",
    "!!str ",
    "!x ",
    "!!",
    "|",
    "|\n",
    ">",
    ">-\n",
    "|+\n",
    "|2\n",
    "'",
    "''",
    "\"",
    "\"\"",
    "'a'",
    "\"a\"",
    "%",
    "@",
    "`",
    "\t",
    "\r",
    "\r\n",
    "---",
    "---\n",
    "--- ",
    "...",
    "...\n",
    "<<",
    "<<: ",
    "\\",
    "\\\n",
    "\u{FEFF}",
    "\u{85}",
    "\u{2028}",
    "é",
    "\u{1}",
    "a: ",
    "a: ",
    "b: ",
    "\n- ",
    "\na: ",
    "\n  b: ",
    "\n  - ",
    "%YAML 1.1\n",
    "%TAG ! !\n",
    "x y",
    ".",
    "=",
    "0",
];

/// Pieces of YAML in random order.
pub(crate) fn soup(random: &mut Random) -> String {
    let count = 1 + random.below(30);
    (0..count).map(|_| random.text(PIECES)).collect()
}

struct Writer<'r> {
    random: &'r mut Random,
    out: String,
    anchors: usize,
    left: usize,
}

/// A document of up to about 30 nodes.
pub(crate) fn document(random: &mut Random) -> String {
    let left = 3 + random.below(30);
    let mut writer = Writer {
        random,
        out: String::new(),
        anchors: 0,
        left,
    };
    writer.prologue();
    match writer.random.below(8) {
        0 => {
            writer.properties();
            writer.flow(0);
        }
        1 => {
            writer.scalar(0);
        }
        2..4 => writer.sequence(0),
        _ => writer.mapping(0),
    }
    writer.epilogue();
    let out = writer.out;
    if random.one_in(20) {
        out.replace('\n', random.text(&["\r\n", "\r", "\u{85}", "\u{2028}"]))
    } else {
        out
    }
}

impl Writer<'_> {
    fn prologue(&mut self) {
        if self.random.one_in(40) {
            self.out.push('\u{FEFF}');
        }
        if self.random.one_in(15) {
            let directive = self.random.text(&[
                "%YAML 1.1\n",
                "%TAG ! tag:x,2000:\n",
                "%TAG !e! tag:yaml.org,2002:\n",
                "%YAML 1.2\n",
                "%FOO x\n",
            ]);
            self.out.push_str(directive);
            self.out.push_str("---\n");
        } else if self.random.one_in(8) {
            self.out
                .push_str(self.random.text(&["---\n", "--- ", "--- # c\n", "---\t", "---\n\n"]));
        }
        if self.random.one_in(10) {
            self.comment();
        }
    }

    fn epilogue(&mut self) {
        if self.random.one_in(12) {
            self.out.push_str(
                self.random
                    .text(&["...\n", "---\nb: 2\n", "... # c\n", "---\n[", "\n\n", "# end"]),
            );
        } else if self.random.one_in(12) && self.out.ends_with('\n') {
            self.out.pop();
        }
    }

    fn comment(&mut self) {
        let comment = self.random.text(COMMENTS);
        self.out.push_str(comment);
        self.out.push('\n');
    }

    fn line_end(&mut self) {
        if self.random.one_in(12) {
            self.out.push(' ');
            let comment = self.random.text(COMMENTS);
            self.out.push_str(comment);
        }
        if self.random.one_in(30) {
            self.out.push_str(self.random.text(&[" ", "\t", "  "]));
        }
        self.out.push('\n');
        if self.random.one_in(25) {
            self.out.push_str(self.random.text(&["\n", "  \n", "   # c\n", "\n\n"]));
        }
    }

    fn indent(&mut self, columns: usize) {
        for _ in 0..columns {
            self.out.push(' ');
        }
        if self.random.one_in(200) {
            self.out.push_str(self.random.text(&[" ", "\t"]));
        }
    }

    fn push_name(&mut self, sigil: &str, name: usize) {
        self.out.push_str(sigil);
        self.out.push_str(&name.to_string());
    }

    fn properties(&mut self) {
        for _ in 0..2 {
            if self.random.one_in(14) {
                self.anchors += 1;
                let name = self.random.below(4);
                self.push_name("&a", name);
                self.out.push(' ');
            }
            if self.random.one_in(14) {
                let tag = self.random.text(TAGS);
                self.out.push_str(tag);
                self.out.push(' ');
            }
        }
    }

    fn key(&mut self) {
        match self.random.below(30) {
            0 => self.out.push_str(self.random.text(QUOTED)),
            1 => self.out.push_str(self.random.text(PLAIN)),
            2 if self.anchors > 0 => {
                let name = self.random.below(4);
                self.push_name("*a", name);
                self.out.push(' ');
            }
            3 => {
                self.properties();
                self.out.push('a');
            }
            4 | 5 => self.out.push_str("<<"),
            _ => {
                let name = self.random.below(12);
                self.out.push(char::from(b'a' + name as u8));
            }
        }
    }

    fn mapping(&mut self, columns: usize) {
        let entries = 1 + self.random.below(5);
        for at in 0..entries {
            if at > 0 || !self.out.ends_with("- ") && !self.out.ends_with("? ") {
                self.indent(columns);
            }
            if self.random.one_in(25) {
                self.out.push_str("? ");
                self.value(columns + 2, true);
                if self.random.one_in(4) {
                    continue;
                }
                self.indent(columns);
                self.out.push(':');
            } else {
                self.key();
                self.out
                    .push_str(self.random.text(&[":", ":", ":", ":", ":", ":", " :"]));
            }
            if self.random.one_in(25) {
                self.line_end();
                continue;
            }
            self.value(columns, false);
            if self.left == 0 {
                return;
            }
        }
    }

    fn sequence(&mut self, columns: usize) {
        let items = 1 + self.random.below(4);
        for at in 0..items {
            if at > 0 || !self.out.ends_with("- ") && !self.out.ends_with("? ") {
                self.indent(columns);
            }
            self.out.push('-');
            if self.random.one_in(20) {
                self.line_end();
                continue;
            }
            self.out.push(' ');
            self.value(columns + 2, true);
            if self.left == 0 {
                return;
            }
        }
    }

    /// Writes the value of a key at `columns` or, if `inline` is set, the node after a dash.
    fn value(&mut self, columns: usize, inline: bool) {
        self.left = self.left.saturating_sub(1);
        if !inline {
            self.out.push(' ');
        }
        let deep = self.left > 0 && columns < 30;
        match self.random.below(12) {
            0..3 if deep => {
                self.properties();
                if inline && !self.random.one_in(4) {
                    self.mapping(columns);
                } else {
                    self.line_end();
                    let deeper = 1 + self.random.below(3);
                    self.mapping(columns + deeper);
                }
            }
            3..5 if deep => {
                self.properties();
                if inline && !self.random.one_in(4) {
                    self.sequence(columns);
                } else {
                    self.line_end();
                    let deeper = self.random.below(3);
                    self.sequence(columns + deeper);
                }
            }
            5 if deep => {
                self.properties();
                self.flow(columns);
                self.line_end();
            }
            6 => {
                self.properties();
                self.block_scalar(columns);
            }
            7 if self.anchors > 0 => {
                let name = self.random.below(4);
                self.push_name("*a", name);
                self.line_end();
            }
            _ => {
                self.properties();
                self.scalar(columns);
                self.line_end();
            }
        }
    }

    fn scalar(&mut self, columns: usize) {
        if self.random.one_in(3) {
            let text = self.random.text(QUOTED);
            self.out
                .push_str(&text.replace('\n', &format!("\n{}", " ".repeat(columns))));
            return;
        }
        let words = if self.random.one_in(6) {
            2 + self.random.below(3)
        } else {
            1
        };
        for at in 0..words {
            if at > 0 {
                if self.random.one_in(2) {
                    self.out.push('\n');
                    if self.random.one_in(4) {
                        self.out.push('\n');
                    }
                    let deeper = self.random.below(4);
                    self.indent(columns + deeper);
                } else {
                    self.out.push(' ');
                }
            }
            let text = self.random.text(PLAIN);
            self.out.push_str(text);
        }
    }

    fn block_scalar(&mut self, columns: usize) {
        let header = self.random.text(&[
            "|", ">", "|-", ">-", "|+", ">+", "|2", ">1-", "|-3", "|0", "| # c", ">x", "|9", "|+1",
        ]);
        self.out.push_str(header);
        self.out.push('\n');
        let indent = columns + 1 + self.random.below(3);
        for _ in 0..self.random.below(5) {
            match self.random.below(8) {
                0 => {}
                1 => self.indent(indent + 2),
                2 => self.out.push_str(self.random.text(&[" ", "   ", "\t", "      "])),
                _ => {
                    self.indent(indent);
                    let text = self.random.text(PLAIN);
                    self.out.push_str(text);
                }
            }
            self.out.push('\n');
        }
    }

    fn flow(&mut self, columns: usize) {
        self.left = self.left.saturating_sub(1);
        let braces = self.random.one_in(2);
        self.out.push(if braces { '{' } else { '[' });
        for _ in 0..self.random.below(4) {
            self.flow_gap(columns);
            if braces || self.random.one_in(8) {
                if self.random.one_in(15) {
                    self.out.push_str("? ");
                }
                self.key();
                self.out
                    .push_str(self.random.text(&[": ", ": ", ": ", ":", ",", " : "]));
            }
            self.properties();
            match self.random.below(5) {
                0 if self.left > 0 => self.flow(columns),
                1 if self.anchors > 0 => {
                    let name = self.random.below(4);
                    self.push_name("*a", name);
                }
                _ => self.scalar(columns),
            }
            self.flow_gap(columns);
            self.out.push_str(self.random.text(&[",", ", ", ", ", ",\n "]));
        }
        self.flow_gap(columns);
        self.out.push(if braces { '}' } else { ']' });
    }

    fn flow_gap(&mut self, columns: usize) {
        match self.random.below(20) {
            0 => {
                self.out.push('\n');
                self.indent(columns + 1);
            }
            1 => self.out.push(' '),
            2 => self.out.push('\t'),
            3 => self.out.push_str(" # c\n "),
            _ => {}
        }
    }
}
