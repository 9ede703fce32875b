//! Tags and their handles.

use std::collections::HashMap;

/// A tag with its handle replaced by the handle's prefix, for which `handles` has those of `%TAG` directives.
pub(crate) fn resolve(tag: &str, handles: &HashMap<&str, &str>) -> Box<str> {
    if let Some(verbatim) = tag.strip_prefix("!<") {
        return verbatim.strip_suffix('>').unwrap_or(verbatim).into();
    }
    let handle = match tag[1..].find('!') {
        Some(at) => &tag[..at + 2],
        None if tag.len() > 1 => "!",
        None => return tag.into(),
    };
    let suffix = &tag[handle.len()..];
    match (handles.get(handle), handle) {
        (Some(prefix), _) => format!("{prefix}{suffix}").into(),
        (None, "!!") => format!("tag:yaml.org,2002:{suffix}").into(),
        (None, _) => tag.into(),
    }
}
