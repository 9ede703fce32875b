//! Escape sequences in Go strings.

/// The length of a Go escape sequence, without its backslash.
pub fn escape(rest: &str) -> Option<usize> {
    let digits = |begin: usize, count: usize, base: u32| {
        let digits = rest.get(begin..begin + count)?;
        digits.chars().all(|it| it.is_digit(base)).then_some(begin + count)
    };
    match rest.chars().next()? {
        'a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '\\' | '"' => Some(1),
        '0'..='7' => digits(0, 3, 8),
        'x' => digits(1, 2, 16),
        'u' => digits(1, 4, 16),
        'U' => digits(1, 8, 16),
        _ => None,
    }
}
