//! Parses JSON struct tags.

/// The content of a JSON struct tag.
#[derive(Debug)]
pub(crate) struct Tag<'t> {
    /// The name of the field in JSON. Empty if the tag has none.
    pub(crate) name: &'t str,
    /// Whether the field's own fields become fields of the surrounding struct.
    pub(crate) is_inline: bool,
    /// Whether the field is left out of JSON if it is empty.
    pub(crate) is_left_out_if_empty: bool,
}

impl<'t> Tag<'t> {
    /// Parses a tag. `None` if the tag excludes the field from JSON. `has_zero` says whether the release supports `omitzero`.
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
