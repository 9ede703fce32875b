//! JSON struct tags.

/// The content of a JSON struct tag.
#[derive(Debug)]
pub(crate) struct Tag<'t> {
    /// The name. Empty if there is none.
    pub(crate) name: &'t str,
    /// Whether its fields are inlined into the surrounding struct.
    pub(crate) is_inline: bool,
    /// Whether it is omitted if empty.
    pub(crate) is_left_out_if_empty: bool,
}

impl<'t> Tag<'t> {
    /// Parses a tag. `None` if the field is skipped. `has_zero` says whether the release supports `omitzero`.
    pub(crate) fn read(tag: &'t str, has_zero: bool) -> Option<Self> {
        if tag == "-" {
            return None;
        }
        let mut parts = tag.split(',');
        let name = parts.next().unwrap_or_default();
        let options: Vec<&str> = parts.collect();
        let has = |option: &str| options.contains(&option);
        Some(Self {
            name,
            is_inline: name.is_empty() || has("inline"),
            is_left_out_if_empty: has("omitempty") || has_zero && has("omitzero"),
        })
    }
}
