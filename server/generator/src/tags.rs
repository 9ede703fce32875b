//! Tags of fields for JSON.

/// What a tag says of a field.
#[derive(Debug)]
pub(crate) struct Tag<'t> {
    /// The name; empty if none is given.
    pub(crate) name: &'t str,
    /// Its fields belong to the struct around it.
    pub(crate) is_inline: bool,
    /// It may be missing.
    pub(crate) is_left_out_if_empty: bool,
}

impl<'t> Tag<'t> {
    /// Reads a tag. `None`: the field is left out. `has_zero`: `omitzero` is known.
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
