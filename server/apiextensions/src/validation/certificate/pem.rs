//! PEM as Go's `encoding/pem` parses it.

use crd_analyzer_schema::go::base64::{self, Alphabet};

/// A block between `-----BEGIN` and `-----END`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in super::super) struct Block {
    /// The text after `BEGIN`.
    pub(in super::super) label: Vec<u8>,
    /// Whether the block starts with `Key: value` lines.
    pub(in super::super) has_headers: bool,
    /// The bytes that the base64 text encodes.
    pub(in super::super) bytes: Vec<u8>,
}

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"\n-----END ";
const DASHES: &[u8] = b"-----";

/// Returns the next block and the rest after it (`pem.Decode`). Text outside of blocks is skipped.
pub(in super::super) fn decode(data: &[u8]) -> Option<(Block, &[u8])> {
    let mut rest = data;
    loop {
        // Find the first END line, and the last BEGIN line before it.
        let end = find(rest, END)?;
        let after_end = &rest[end + END.len()..];
        let begin = rfind(&rest[..end], BEGIN).filter(|&begin| begin == 0 || rest[begin - 1] == b'\n');
        let Some(begin) = begin else {
            rest = after_end;
            continue;
        };
        match decode_block(&rest[begin + BEGIN.len()..], end - begin - BEGIN.len()) {
            Attempt::Block(block, rest) => return Some((block, rest)),
            Attempt::Skip(after) => rest = after,
            Attempt::Nothing => return None,
        }
    }
}

enum Attempt<'d> {
    Block(Block, &'d [u8]),
    /// This is not a block; parsing continues with these bytes.
    Skip(&'d [u8]),
    Nothing,
}

/// Reads a block after its `-----BEGIN `. The END line, including the newline before it, starts at offset `end`.
fn decode_block(data: &[u8], end: usize) -> Attempt<'_> {
    let skip = || Attempt::Skip(&data[end + END.len()..]);
    let (label, mut rest) = line(data);
    let Some(label) = label.strip_suffix(DASHES) else {
        return skip();
    };
    let mut has_headers = false;
    loop {
        if rest.is_empty() {
            return Attempt::Nothing;
        }
        let (header, next) = line(rest);
        if !header.contains(&b':') {
            break;
        }
        has_headers = true;
        rest = next;
    }
    let body_start = data.len() - rest.len();
    // Without a body, reading the line before END has already consumed the newline before END. Header lines may even have consumed END itself.
    if has_headers && body_start > end {
        return if body_start > end + END.len() {
            Attempt::Nothing
        } else {
            skip()
        };
    }
    let trailer = &data[end + END.len()..];
    let Some(after_label) = trailer.strip_prefix(label).and_then(|it| it.strip_prefix(DASHES)) else {
        return skip();
    };
    let (blanks, after) = line(after_label);
    if !blanks.is_empty() {
        return skip();
    }
    let body = data.get(body_start..end).unwrap_or_default();
    let text: Vec<u8> = body.iter().copied().filter(|b| !b" \t".contains(b)).collect();
    let Some(bytes) = std::str::from_utf8(&text)
        .ok()
        .and_then(|it| base64::decode(it, Alphabet::Standard).ok())
    else {
        return skip();
    };
    let block = Block {
        label: label.to_vec(),
        has_headers,
        bytes,
    };
    Attempt::Block(block, after)
}

/// The first line without trailing blanks, and the rest (`getLine`).
fn line(data: &[u8]) -> (&[u8], &[u8]) {
    let (line, rest) = match data.iter().position(|&b| b == b'\n') {
        Some(newline) => {
            let end = if newline > 0 && data[newline - 1] == b'\r' {
                newline - 1
            } else {
                newline
            };
            (&data[..end], &data[newline + 1..])
        }
        None => (data, &data[data.len()..]),
    };
    let end = line
        .iter()
        .rposition(|b| !b" \t".contains(b))
        .map_or(0, |last| last + 1);
    (&line[..end], rest)
}

fn find(data: &[u8], part: &[u8]) -> Option<usize> {
    data.windows(part.len()).position(|it| it == part)
}

fn rfind(data: &[u8], part: &[u8]) -> Option<usize> {
    data.windows(part.len()).rposition(|it| it == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<(&str, &[u8], &str)>) {
        let seen = decode(text.as_bytes());
        let seen = seen.as_ref().map(|(block, rest)| {
            let label = std::str::from_utf8(&block.label).expect("labels here are text");
            let rest = std::str::from_utf8(rest).expect("so is the rest");
            (label, block.bytes.as_slice(), rest)
        });
        assert_eq!(seen, expected, "{text:?}");
    }

    #[test]
    fn finds_blocks() {
        check(
            "-----BEGIN A-----\nYWI=\n-----END A-----\nrest",
            Some(("A", b"ab", "rest")),
        );
        check(
            "x\n-----BEGIN A B----- \r\nYW\r\n I=\n-----END A B-----",
            Some(("A B", b"ab", "")),
        );
        check(
            "-----BEGIN A-----\n-----BEGIN A-----\nYWI=\n-----END A-----\n",
            Some(("A", b"ab", "")),
        );
        check("-----BEGIN A-----\n-----END A-----\n", Some(("A", b"", "")));
        check(
            "-----BEGIN A-----\nk: v\n\nYWI=\n-----END A-----\n",
            Some(("A", b"ab", "")),
        );
    }

    #[test]
    fn skips_what_is_no_block() {
        check("", None);
        check("YWI=", None);
        check("-----BEGIN A-----\nYWI=\n-----END B-----\n", None);
        check("-----BEGIN A-----\nYWI\n-----END A-----\n", None);
        check("-----BEGIN A-----\nY!I=\n-----END A-----\n", None);
        check(" -----BEGIN A-----\nYWI=\n-----END A-----\n", None);
        check("-----BEGIN A-----\nYWI=\n-----END A----- x\n", None);
    }
}
