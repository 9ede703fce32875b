//! Finds the end of a single token: pure functions over the bytes of the text.
//!
//! For text that go-yaml accepts, these functions find the same ends as go-yaml's scanner. For other text they find a plausible end.

use crate::scalar::break_len;

/// Whether there is a space or tab at `at`.
pub(crate) fn is_blank(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at), Some(b' ' | b'\t'))
}

/// Whether a line or the text ends at `at`.
pub(crate) fn is_breakz(bytes: &[u8], at: usize) -> bool {
    at >= bytes.len() || break_len(bytes, at) > 0
}

/// Whether there is a blank, a line end or the text's end at `at`.
pub(crate) fn is_blankz(bytes: &[u8], at: usize) -> bool {
    is_blank(bytes, at) || is_breakz(bytes, at)
}

/// The first byte at or after `at` that is not a blank.
pub(crate) fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while is_blank(bytes, at) {
        at += 1;
    }
    at
}

/// The end of the line that contains `at`, before its line break.
pub(crate) fn line_end(bytes: &[u8], mut at: usize) -> usize {
    while !is_breakz(bytes, at) {
        at += 1;
    }
    at
}

/// Whether a `---` or `...` that is not part of a longer word is at `at`, which is the start of a line.
pub(crate) fn is_document_marker(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at..at + 3), Some(b"---" | b"...")) && is_blankz(bytes, at + 3)
}

/// The cause that ended the text of a plain scalar on a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// `:` before a blank.
    Colon,
    /// `#` after a blank.
    Comment,
    /// The end of the line.
    Line,
    /// An indicator of a flow collection, inside such a collection.
    Flow,
}

/// Scans the plain text on one line from `start`. Returns the end of the text, without trailing blanks, and the cause of the end.
pub(crate) fn plain_line(bytes: &[u8], start: usize, in_flow: bool) -> (usize, Stop) {
    let mut end = start;
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' => {
                at += 1;
                continue;
            }
            b':' if is_blankz(bytes, at + 1) => return (end, Stop::Colon),
            b'#' if at > start && is_blank(bytes, at - 1) => return (end, Stop::Comment),
            b',' | b'?' | b'[' | b']' | b'{' | b'}' if in_flow => return (end, Stop::Flow),
            b'\n' | b'\r' => break,
            0xC2 | 0xE2 if break_len(bytes, at) > 0 => break,
            _ => {}
        }
        at += 1;
        end = at;
    }
    (end, Stop::Line)
}

/// A plain scalar with all its lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Plain {
    /// The end of the scalar (exclusive).
    pub(crate) end: usize,
    /// The cause of the end of its last line.
    pub(crate) stop: Stop,
    /// Set if the scalar ends only because a later line contains a key: the start of that line, and the start of the text in that line.
    pub(crate) cut: Option<(usize, usize)>,
    /// The last byte that the scan looked at.
    pub(crate) looked: usize,
}

/// The flow collection around a plain scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct InFlow {
    /// For an unclosed collection, the column after which its lines start.
    pub(crate) limit: Option<i32>,
    /// Whether the scalar is a key after a question mark.
    pub(crate) is_explicit_key: bool,
}

/// The plain scalar at `start`. Its lines are indented deeper than `indent`, the column of the collection around it (-1 at the root).
///
/// In a flow collection, a key has only one line unless a question mark precedes it. So if the scalar's last line is a key, this line is a separate
/// key, and a comma is missing before it.
pub(crate) fn plain(bytes: &[u8], start: usize, indent: i32, flow: Option<InFlow>) -> Plain {
    let in_flow = flow.is_some();
    let limit = flow.and_then(|it| it.limit);
    let (first_end, stop) = plain_line(bytes, start, in_flow);
    let mut found = Plain {
        end: first_end,
        stop,
        cut: None,
        looked: skip_blanks(bytes, first_end),
    };
    while found.stop == Stop::Line {
        let Some((line, at)) = next_text(bytes, found.end) else {
            found.looked = bytes.len();
            break;
        };
        found.looked = at;
        let column = (at - line) as i32;
        if bytes[at] == b'#'
            || (at == line && is_document_marker(bytes, at))
            || (!in_flow && column <= indent)
            || (in_flow && limit.is_some_and(|it| column <= it))
        {
            break;
        }
        let (end, stop) = plain_line(bytes, at, in_flow);
        found.looked = skip_blanks(bytes, end);
        if stop == Stop::Colon && flow.is_some_and(|it| !it.is_explicit_key) {
            break;
        }
        if stop == Stop::Colon && !in_flow {
            return Plain {
                end: first_end,
                stop: Stop::Line,
                cut: Some((line, at)),
                looked: found.looked,
            };
        }
        if end == at {
            break;
        }
        found.end = end;
        found.stop = stop;
    }
    found
}

/// The next line after `at` that contains text: the start of the line and the start of its text.
pub(crate) fn next_text(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let mut at = skip_blanks(bytes, at);
    let mut line = at;
    loop {
        match break_len(bytes, at) {
            0 => break,
            len => {
                line = at + len;
                at = skip_blanks(bytes, line);
            }
        }
    }
    (at < bytes.len()).then_some((line, at))
}

/// The end of the quoted scalar at `start` (exclusive), and whether the scalar spans several lines. If the document does not close the scalar, the
/// error is the last byte that was looked at.
pub(crate) fn quoted(bytes: &[u8], start: usize) -> Result<(usize, bool), usize> {
    let end = closing_quote(bytes, start).ok_or(bytes.len())?;
    let mut many = false;
    let mut at = start;
    while at < end {
        let len = break_len(bytes, at);
        if len > 0 {
            many = true;
            if is_document_marker(bytes, at + len) {
                return Err(end);
            }
        }
        at += len.max(1);
    }
    Ok((end, many))
}

/// The offset after the quote that closes the quote at `start`.
fn closing_quote(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    if bytes[start] == b'"' {
        loop {
            at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
            if bytes[at] == b'"' {
                return Some(at + 1);
            }
            at += 2;
        }
    }
    loop {
        at += memchr::memchr(b'\'', bytes.get(at..)?)? + 1;
        if bytes.get(at) != Some(&b'\'') {
            return Some(at);
        }
        at += 1;
    }
}

/// A block scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BlockScalar {
    /// The end of the value (exclusive).
    pub(crate) end: usize,
    /// The offset at which the search for the next token starts.
    pub(crate) next: usize,
    /// The indentation of the content in columns.
    pub(crate) indent: usize,
    /// Whether the header is valid.
    pub(crate) is_whole: bool,
    /// The comment in the header.
    pub(crate) comment: Option<(usize, usize)>,
}

/// The block scalar whose indicator is at `start`, in a collection at column `parent` (-1 at the root).
pub(crate) fn block_scalar(bytes: &[u8], start: usize, parent: i32) -> BlockScalar {
    let mut at = start + 1;
    let mut chomp = None;
    let mut increment = 0;
    for _ in 0..2 {
        match bytes.get(at) {
            Some(&it @ (b'+' | b'-')) if chomp.is_none() => chomp = Some(it),
            Some(&it @ b'1'..=b'9') if increment == 0 => increment = usize::from(it - b'0'),
            _ => break,
        }
        at += 1;
    }
    let header = skip_blanks(bytes, at);
    at = line_end(bytes, header);
    let comment = (bytes.get(header) == Some(&b'#')).then_some((header, at));
    let is_whole = header == at || comment.is_some();
    let content = at + break_len(bytes, at);
    let mut indent = if increment > 0 {
        usize::try_from(parent).unwrap_or(0) + increment
    } else {
        0
    };
    // Lines without text at the start of the scalar, and the indentation.
    let (mut line, mut column) = breaks(bytes, content, indent);
    if indent == 0 {
        let widest = widest_blank(bytes, content, line).max(column);
        indent = widest.max(usize::try_from(parent + 1).unwrap_or(0)).max(1);
    }
    let mut last_text = None;
    while column == indent && line + column < bytes.len() {
        let end = line_end(bytes, line + column);
        last_text = Some(end);
        if end == bytes.len() {
            line = end;
            break;
        }
        (line, column) = breaks(bytes, end + break_len(bytes, end), indent);
    }
    let end = match (chomp, last_text) {
        (Some(b'-'), Some(end)) => end,
        (None, Some(end)) => end + break_len(bytes, end),
        (Some(b'+'), _) => line,
        _ => header,
    };
    BlockScalar {
        end: end.max(header),
        next: line.max(header),
        indent,
        is_whole,
        comment,
    }
}

/// The first line from `line` on that is not just a break after fewer than `indent` spaces (0 means any number), and the number of its leading
/// spaces, at most `indent`.
fn breaks(bytes: &[u8], mut line: usize, indent: usize) -> (usize, usize) {
    loop {
        let mut at = line;
        while (indent == 0 || at - line < indent) && bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        match break_len(bytes, at) {
            0 => return (line, at - line),
            len => line = at + len,
        }
    }
}

/// The largest number of spaces on a line between `from` and `to`. All of these lines are blank.
fn widest_blank(bytes: &[u8], from: usize, to: usize) -> usize {
    let mut widest = 0;
    let mut at = from;
    while at < to {
        let text = at;
        while bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        widest = widest.max(at - text);
        at += break_len(bytes, at).max(1);
    }
    widest
}

/// The end of the anchor or alias (`&` or `*`) at `start`.
pub(crate) fn anchor(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while bytes
        .get(at)
        .is_some_and(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-'))
    {
        at += 1;
    }
    at
}

/// The end of the tag at `start` (exclusive).
pub(crate) fn tag(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    if bytes.get(at) == Some(&b'<') {
        while !is_blankz(bytes, at) {
            at += 1;
            if bytes[at - 1] == b'>' {
                break;
            }
        }
        return at;
    }
    while bytes
        .get(at)
        .is_some_and(|&it| it.is_ascii_alphanumeric() || b"_-;/?:@&=+$,.!~*'()[]%".contains(&it))
    {
        at += 1;
    }
    at
}

/// Whether a line whose text is at `at` starts with a dash, or with a word and a colon. False for text with a colon later in the line.
pub(crate) fn begins_entry(bytes: &[u8], at: usize) -> bool {
    if bytes.get(at) == Some(&b'-') && is_blankz(bytes, at + 1) {
        return true;
    }
    let (end, stop) = plain_line(bytes, at, false);
    let is_word = |it: &u8| !matches!(it, b' ' | b'\t' | b'(' | b')' | b']' | b'}');
    stop == Stop::Colon && at < end && bytes[at] != b'#' && bytes[at..end].iter().all(is_word)
}

/// Whether the first word on a line contains a comma.
fn word_has_comma(bytes: &[u8], at: usize) -> bool {
    let (end, _) = plain_line(bytes, at, false);
    bytes[at..end].contains(&b',')
}

/// Whether there is a blank or a line break before the position.
fn is_behind_blank(bytes: &[u8], at: usize) -> bool {
    is_blank(bytes, at - 1) || (1..=3).any(|len| len <= at && break_len(bytes, at - len) == len)
}

/// The offset after the bracket that closes the bracket at `start`. If the bracket is not closed before `to`, or is closed by the other kind of
/// bracket, the error is the last byte that was looked at.
///
/// The bracket also counts as unclosed if a line at or before column `limit` starts with a key or a dash and no comma precedes the line, because
/// go-yaml rejects such text. (After a plain scalar, a dash continues the scalar; a word with a comma in it ends the scalar.)
pub(crate) fn matching_bracket(bytes: &[u8], start: usize, to: usize, limit: i32) -> Result<usize, usize> {
    let mut open = Vec::new();
    // The last byte that is not a blank, or a double quote after any quoted scalar.
    let mut last = b'[';
    let mut looked = start;
    // Whether a scalar can start at this position. If not, a quote is part of a plain scalar.
    let mut begins = true;
    let mut at = start;
    while at < to {
        match bytes[at] {
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            close @ (b']' | b'}') => {
                if open.pop() != Some(close) {
                    return Err(looked.max(at));
                }
                if open.is_empty() {
                    return Ok(at + 1);
                }
            }
            b'"' | b'\'' if begins => {
                at = quoted(bytes, at).map_err(|it| looked.max(it))?.0;
                let next = skip_blanks(bytes, at);
                looked = looked.max(next);
                begins = bytes.get(next) == Some(&b':');
                last = if begins { b':' } else { b'"' };
                at = if begins { next + 1 } else { at };
                continue;
            }
            b'!' | b'&' if begins => {
                at = if bytes[at] == b'!' {
                    tag(bytes, at)
                } else {
                    anchor(bytes, at)
                };
                continue;
            }
            // After a plain scalar, `#` only starts a comment if a blank precedes it.
            b'#' if begins || is_behind_blank(bytes, at) || matches!(last, b'"' | b']' | b'}') => {
                at = line_end(bytes, at);
                continue;
            }
            // These line breaks have several bytes: U+0085, U+2028, U+2029.
            0xC2 | 0xE2 if break_len(bytes, at) > 0 => {
                at += break_len(bytes, at);
                continue;
            }
            b'\n' if !matches!(last, b',' | b'[' | b'{' | b':' | b'?') => {
                let line = at + 1;
                let text = skip_blanks(bytes, line);
                looked = looked.max(line_end(bytes, text));
                let is_text = bytes.get(text) == Some(&b'-') && !matches!(last, b'"' | b']' | b'}');
                let is_entry = |it: usize| begins_entry(bytes, it) && !word_has_comma(bytes, it);
                if (text - line) as i32 <= limit && !is_text && is_entry(text) {
                    return Err(looked);
                }
            }
            _ => {}
        }
        match bytes[at] {
            b' ' | b'\t' | b'\n' | b'\r' => {}
            // Inside a plain scalar, a quote is an ordinary character.
            b'"' | b'\'' => last = b'a',
            byte => last = byte,
        }
        begins = match bytes[at] {
            b'[' | b'{' | b',' | b'?' => true,
            b':' => begins || is_blankz(bytes, at + 1) || matches!(bytes[at - 1], b']' | b'}'),
            b' ' | b'\t' | b'\n' | b'\r' => begins,
            _ => false,
        };
        at += 1;
    }
    Err(looked.max(at))
}
