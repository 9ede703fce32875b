//! Go's case mapping.

/// `text` in lower case (`strings.ToLower`): character by character, so `İ` becomes `i` and a final sigma is not special.
pub fn to_lower(text: &str) -> String {
    text.chars().map(|c| c.to_lowercase().next().unwrap_or(c)).collect()
}

#[cfg(test)]
mod tests {
    use super::to_lower;

    #[test]
    fn maps_characters_one_by_one() {
        assert_eq!(to_lower("İa AΣ \u{212a}"), "ia aσ k");
    }
}
