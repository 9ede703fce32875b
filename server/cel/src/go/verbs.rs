//! Strings that Go interprets as format strings.

/// The result of Go's `fmt.Sprintf` for a format without arguments.
pub(crate) fn format_without_arguments(format: &str) -> String {
    let mut out = String::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        while chars.next_if(|c| matches!(c, '#' | '0' | '+' | '-' | ' ')).is_some() {}
        let mut bad_index = false;
        for part in ["WIDTH", "PREC"] {
            if part == "PREC" && chars.next_if_eq(&'.').is_none() {
                break;
            }
            bad_index |= skip_index(&mut chars);
            if chars.next_if_eq(&'*').is_some() {
                out.push_str("%!(BAD");
                out.push_str(part);
                out.push(')');
            } else {
                while chars.next_if(char::is_ascii_digit).is_some() {}
            }
        }
        bad_index |= skip_index(&mut chars);
        match chars.next() {
            None => out.push_str("%!(NOVERB)"),
            Some('%') => out.push('%'),
            Some(verb) => {
                out.push_str("%!");
                out.push(verb);
                out.push_str(if bad_index { "(BADINDEX)" } else { "(MISSING)" });
            }
        }
    }
    out
}

/// Skips an argument index in brackets. Without arguments, every index is invalid.
fn skip_index(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    if chars.peek() != Some(&'[') {
        return false;
    }
    let mut ahead = chars.clone();
    // Without a closing bracket, only the opening bracket is skipped.
    if ahead.any(|c| c == ']') {
        *chars = ahead;
    } else {
        chars.next();
    }
    true
}
