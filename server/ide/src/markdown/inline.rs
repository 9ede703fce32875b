//! Rewrites one line of untrusted Markdown so that only harmless markup remains.

use super::code;

/// Whether a character between two others has a special meaning in Markdown.
fn is_markup(before: Option<char>, c: char, after: Option<char>) -> bool {
    let is_word = |it: Option<char>| it.is_some_and(char::is_alphanumeric);
    match c {
        '\\' | '`' | '*' | '[' | '<' => true,
        // An underscore inside a word has no special meaning.
        '_' => !(is_word(before) && is_word(after)),
        '~' => before == Some('~') || after == Some('~'),
        '!' => after == Some('['),
        '&' => after.is_some_and(|it| it == '#' || it.is_ascii_alphabetic()),
        // Clients make links of mail addresses and of URLs with other schemes than `http` and `https`.
        '@' => is_word(before) && is_word(after),
        ':' if before.is_some() => is_word(before) && after.is_some_and(|it| !it.is_whitespace()),
        // At the start of a line, these characters start lists, headings, quotes and tables.
        ':' | '#' | '-' | '+' | '=' | '>' | '|' => before.is_none(),
        _ => false,
    }
}

/// Writes the character at an offset of a line, escaped if necessary. Returns its length.
pub(super) fn push(out: &mut String, line: &str, at: usize) -> usize {
    let mut behind = line[at..].chars();
    let Some(c) = behind.next() else { return 0 };
    if is_markup(line[..at].chars().next_back(), c, behind.next()) {
        out.push('\\');
    }
    out.push(c);
    c.len_utf8()
}

/// Rewrites the text of a line, without its list or heading marker.
pub(super) fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    write(&mut out, text, true);
    out
}

fn write(out: &mut String, text: &str, may_link: bool) {
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let (before, rest) = text.split_at(at);
        at += match c {
            '\\' if rest[1..].starts_with(|c: char| c.is_ascii_punctuation()) => {
                // The character is already escaped.
                out.push_str(&rest[..2]);
                2
            }
            '`' => span(out, rest),
            '*' | '_' => emphasis(out, text, at, may_link),
            '[' if may_link && !before.ends_with('!') => link(out, rest),
            'h' | 'H' if !before.ends_with(char::is_alphanumeric) => address(out, rest),
            _ => push(out, text, at),
        };
    }
}

/// Writes a code span, or only the backticks if it is not closed. Returns the number of bytes read.
fn span(out: &mut String, text: &str) -> usize {
    let count = run(text, '`');
    let mut from = count;
    while let Some(found) = text[from..].find('`') {
        let closing = from + found;
        let length = run(&text[closing..], '`');
        if length == count {
            out.push_str(&code(text[count..closing].trim()));
            return closing + length;
        }
        from = closing + length;
    }
    out.push_str(&"\\`".repeat(count));
    count
}

fn run(text: &str, of: char) -> usize {
    text.len() - text.trim_start_matches(of).len()
}

/// Writes emphasis that ends on the same line. If it does not end there, writes only its marks.
fn emphasis(out: &mut String, text: &str, at: usize, may_link: bool) -> usize {
    let rest = &text[at..];
    let mark = if rest.starts_with('*') { '*' } else { '_' };
    let count = run(rest, mark);
    let before = text[..at].chars().next_back();
    let opens = before.is_none_or(|it| it.is_whitespace() || matches!(it, '(' | '"' | '\'')) && count <= 2;
    let inner = &rest[count..];
    if opens && inner.starts_with(|c: char| c.is_alphanumeric()) {
        let marks = &rest[..count];
        // Emphasis may not contain other markup, so nested marks are shown literally.
        if let Some(end) = inner.find(['*', '_', '`', '[', ']', '\\', '<', '!']) {
            let behind = &inner[end..];
            let closes = behind.starts_with(marks) && run(behind, mark) == count;
            let after = behind.get(count..).and_then(|it| it.chars().next());
            let ends = after
                .is_none_or(|it| it.is_whitespace() || matches!(it, '.' | ',' | ';' | ':' | '?' | ')' | '"' | '\''));
            if closes && ends && inner[..end].ends_with(|c: char| c.is_alphanumeric()) {
                out.push_str(marks);
                write(out, &inner[..end], may_link);
                out.push_str(marks);
                return count + end + count;
            }
        }
    }
    (at..at + count).for_each(|at| {
        push(out, text, at);
    });
    count
}

/// Writes a link `[text](https://…)`. If it is not a valid link, writes only the bracket.
fn link(out: &mut String, text: &str) -> usize {
    // Search only up to the end of the label, because the rest may be long.
    let inside = &text[1..];
    let end = inside.find(['[', ']', '`', '\\', '<', '!']).unwrap_or(inside.len());
    let (label, behind) = inside.split_at(end);
    let parts = behind.strip_prefix("](").and_then(|rest| {
        let (target, after) = rest.split_at(length_of_address(rest));
        let is_link = !label.trim().is_empty() && !target.is_empty() && after.starts_with(')');
        is_link.then_some((label, target))
    });
    let Some((label, target)) = parts else {
        out.push_str("\\[");
        return 1;
    };
    out.push('[');
    write(out, label, false);
    out.push_str("](");
    out.push_str(target);
    out.push(')');
    1 + label.len() + 2 + target.len() + 1
}

/// Writes a web address, which clients turn into a link. If it is not a valid address, writes only its first letter.
fn address(out: &mut String, text: &str) -> usize {
    let found = text[..length_of_address(text)].trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '/');
    let found = if found.contains("://") { found } else { &text[..1] };
    out.push_str(found);
    found.len()
}

/// The length of a web address at the start of a text; 0 if there is none.
fn length_of_address(text: &str) -> usize {
    let schemes = ["https://", "http://"];
    let is_scheme = |it: &&&str| text.get(..it.len()).is_some_and(|start| start.eq_ignore_ascii_case(it));
    let Some(scheme) = schemes.iter().find(is_scheme) else {
        return 0;
    };
    let rest = &text[scheme.len()..];
    if !rest.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return 0;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-._~/?#%&=+:@!$',;".contains(c);
    scheme.len() + rest.find(|c| !is_part(c)).unwrap_or(rest.len())
}
