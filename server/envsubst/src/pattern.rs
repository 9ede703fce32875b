//! Matches the patterns of `${NAME#pattern}` (`envsubst/path`). They differ from those of Go's `path`: `*` and `?` match `/`, too.

/// A pattern that cannot be parsed.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct BadPattern;

/// Whether a pattern matches the whole of a text. Both are ASCII.
pub(crate) fn matches(mut pattern: &[u8], mut text: &[u8]) -> Result<bool, BadPattern> {
    'pattern: while !pattern.is_empty() {
        let (has_star, chunk, rest) = next_chunk(pattern);
        pattern = rest;
        if has_star && chunk.is_empty() {
            return Ok(true);
        }
        // The last chunk must match up to the end of the text.
        let is_enough = |after: &[u8]| after.is_empty() || !pattern.is_empty();
        if let Some(after) = after_chunk(chunk, text)?
            && is_enough(after)
        {
            text = after;
            continue;
        }
        if has_star {
            for n in 1..=text.len() {
                if let Some(after) = after_chunk(chunk, &text[n..])?
                    && is_enough(after)
                {
                    text = after;
                    continue 'pattern;
                }
            }
        }
        return Ok(false);
    }
    Ok(text.is_empty())
}

/// Whether stars come first, the part up to the next star, and the rest.
fn next_chunk(pattern: &[u8]) -> (bool, &[u8], &[u8]) {
    let stars = pattern.iter().take_while(|it| **it == b'*').count();
    let pattern = &pattern[stars..];
    let mut is_in_class = false;
    let mut end = 0;
    while let Some(c) = pattern.get(end) {
        match c {
            b'\\' if end + 1 < pattern.len() => end += 1,
            b'[' => is_in_class = true,
            b']' => is_in_class = false,
            b'*' if !is_in_class => break,
            _ => {}
        }
        end += 1;
    }
    (stars > 0, &pattern[..end], &pattern[end..])
}

/// The text after the part that a chunk matches. `None` if the text does not start with such a part.
fn after_chunk<'t>(mut chunk: &[u8], mut text: &'t [u8]) -> Result<Option<&'t [u8]>, BadPattern> {
    while let Some((&first, rest)) = chunk.split_first() {
        let Some((&c, after)) = text.split_first() else {
            return Ok(None);
        };
        chunk = rest;
        match first {
            b'[' => {
                let (is_matched, rest) = class(chunk, c)?;
                if !is_matched {
                    return Ok(None);
                }
                chunk = rest;
            }
            b'?' => {}
            b'\\' => {
                let (escaped, rest) = chunk.split_first().ok_or(BadPattern)?;
                if *escaped != c {
                    return Ok(None);
                }
                chunk = rest;
            }
            _ if first != c => return Ok(None),
            _ => {}
        }
        text = after;
    }
    Ok(Some(text))
}

/// Whether a class, after its `[`, contains a character, and the pattern after it.
fn class(mut chunk: &[u8], c: u8) -> Result<(bool, &[u8]), BadPattern> {
    let is_negated = chunk.first() == Some(&b'^');
    if is_negated {
        chunk = &chunk[1..];
    }
    let mut is_in = false;
    for n in 0.. {
        if n > 0 && chunk.first() == Some(&b']') {
            chunk = &chunk[1..];
            break;
        }
        let (low, rest) = member(chunk)?;
        chunk = rest;
        let mut high = low;
        if chunk.first() == Some(&b'-') {
            (high, chunk) = member(&chunk[1..])?;
        }
        is_in |= low <= c && c <= high;
    }
    Ok((is_in != is_negated, chunk))
}

/// The next character of a class, and the pattern after it. The class must go on.
fn member(chunk: &[u8]) -> Result<(u8, &[u8]), BadPattern> {
    let (c, rest) = match chunk {
        [] | [b'-' | b']', ..] => return Err(BadPattern),
        [b'\\', escaped, rest @ ..] => (*escaped, rest),
        [b'\\'] => return Err(BadPattern),
        [c, rest @ ..] => (*c, rest),
    };
    if rest.is_empty() {
        return Err(BadPattern);
    }
    Ok((c, rest))
}
