//! Damages texts in small ways.

use std::path::PathBuf;

use super::random::Random;

/// Returns some lines of a file.
pub(crate) fn excerpt(random: &mut Random, files: &[PathBuf]) -> String {
    let bytes = std::fs::read(random.pick(files)).expect("a readable file");
    let text = String::from_utf8(bytes).expect("the corpus is UTF-8");
    if text.len() < 3000 && random.one_in(2) {
        return text;
    }
    let mut begin = random.below(text.len().max(1));
    while !text.is_char_boundary(begin) {
        begin += 1;
    }
    let begin = text[..begin].rfind('\n').map_or(0, |it| it + 1);
    let lines = 2 + random.below(50);
    let end: usize = text[begin..].split_inclusive('\n').take(lines).map(str::len).sum();
    let mut end = begin + end.min(6000);
    while !text.is_char_boundary(end) {
        end += 1;
    }
    text[begin..end].to_owned()
}

const INSERTS: &[&str] = &[
    ":",
    ": ",
    "- ",
    "? ",
    ",",
    "[",
    "]",
    "{",
    "}",
    "#",
    " #",
    "&a ",
    "*a",
    "*a ",
    "! ",
    "!!str ",
    "!!int ",
    "!!binary ",
    "|",
    ">",
    "|\n",
    ">-\n",
    "'",
    "\"",
    "%",
    "@",
    "`",
    "\t",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    "---\n",
    "\n---\n",
    "\n...\n",
    "--- ",
    "<<: *a\n",
    "<<: {a: b}\n",
    "\\",
    "\\n",
    "\\u00e9",
    "''",
    "\u{FEFF}",
    "\u{85}",
    "\u{2028}",
    "\u{2029}",
    "é",
    "😀",
    "\u{1}",
    "\u{7F}",
    "\u{FFFE}",
    "~",
    "null",
    "true",
    "0x1",
    ".inf",
    "1e3",
    "{{ .Values.x }}",
    "{{",
    "}}",
    "a: b",
    "a: &a ",
    "&a\n",
    "%YAML 1.1\n---\n",
    "%TAG ! !x\n---\n",
    "[[[[",
    "]]]]",
    "{a: {b: {c: ",
    "? [a]\n: ",
    "!<x> ",
    "2001-01-01",
    "\u{A0}",
    "=",
];

/// Applies one random change.
pub(crate) fn mutate(random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
    let at = if bytes.is_empty() {
        0
    } else {
        random.below(bytes.len() + 1)
    };
    match random.below(16) {
        0..5 => {
            let insert = random.text(INSERTS).as_bytes();
            let at = if random.one_in(2) { line_start(&bytes, at) } else { at };
            let at = if random.one_in(3) { skip_spaces(&bytes, at) } else { at };
            bytes.splice(at..at, insert.iter().copied());
        }
        5 | 6 => {
            let end = bytes.len().min(at + 1 + random.below(3));
            bytes.drain(at..end);
        }
        7 => {
            if at < bytes.len() {
                bytes[at] = if random.one_in(3) {
                    random.next() as u8
                } else {
                    *random.pick(b":-?,[]{}#&*!|>'\"%@` \n\tab0")
                };
            }
        }
        8 | 9 => {
            // Indents or dedents a line.
            let start = line_start(&bytes, at);
            if random.one_in(2) {
                let spaces = vec![b' '; 1 + random.below(3)];
                bytes.splice(start..start, spaces);
            } else if bytes.get(start) == Some(&b' ') {
                bytes.remove(start);
            }
        }
        10 => {
            let start = line_start(&bytes, at);
            let end = line_end(&bytes, at);
            bytes.drain(start..end);
        }
        11 | 12 => {
            let start = line_start(&bytes, at);
            let end = line_end(&bytes, at);
            let line = bytes[start..end].to_vec();
            let to = line_start(&bytes, random.below(bytes.len() + 1));
            bytes.splice(to..to, line);
        }
        13 => bytes.truncate(at),
        14 => bytes.insert(at, random.next() as u8),
        _ => {
            // The text is long enough for the length limit of keys and for the parser's input pieces.
            let filler = random.text(&["x", "é", "x ", "\"x\" ", "x, ", "[", "日"]);
            let text = filler.repeat(1 + random.below(1200));
            bytes.splice(at..at, text.into_bytes());
        }
    }
    bytes
}

/// Encodes a text as UTF-16 with a byte order mark.
pub(crate) fn utf16(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let little = random.one_in(2);
    let text = String::from_utf8_lossy(bytes);
    std::iter::once(0xFEFF)
        .chain(text.encode_utf16())
        .flat_map(|it| if little { it.to_le_bytes() } else { it.to_be_bytes() })
        .collect()
}

fn line_start(bytes: &[u8], at: usize) -> usize {
    bytes[..at].iter().rposition(|&it| it == b'\n').map_or(0, |it| it + 1)
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..]
        .iter()
        .position(|&it| it == b'\n')
        .map_or(bytes.len(), |it| at + it + 1)
}

fn skip_spaces(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|&&it| it == b' ').count()
}
