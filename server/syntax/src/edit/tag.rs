//! Tags and their handles.

use std::collections::HashMap;

use crate::reader::tag::{Tag, unescape};

/// Replaces a tag's handle with its prefix. `handles` contains the handles of `%TAG` directives in their written form.
pub(crate) fn resolve(written: &str, handles: &HashMap<&str, &str>) -> Box<str> {
    let tag = Tag::read(written);
    if tag.handle.is_empty() {
        return tag.suffix.into();
    }
    let prefix = match (handles.get(tag.handle), tag.handle) {
        (Some(prefix), _) => unescape(prefix),
        (None, "!!") => "tag:yaml.org,2002:".into(),
        (None, _) => tag.handle.into(),
    };
    format!("{prefix}{}", tag.suffix).into()
}
