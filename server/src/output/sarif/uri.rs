//! Paths as URIs (RFC 3986).

use std::fmt::Write as _;

/// The URI reference for a path: relative to the working directory, or a `file:` URI if the path is absolute.
pub(super) fn of(label: &str) -> String {
    if label == "-" {
        return "stdin".to_owned();
    }
    let path = if cfg!(windows) {
        label.replace('\\', "/")
    } else {
        label.to_owned()
    };
    let is_drive = path.as_bytes().get(1) == Some(&b':') && cfg!(windows);
    let mut uri = match () {
        () if is_drive => "file:///".to_owned(),
        () if path.starts_with('/') => "file://".to_owned(),
        () => String::new(),
    };
    let mut path = &*path;
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    if path.is_empty() {
        path = ".";
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            byte => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn paths_are_references() {
        assert_eq!(of("./config/crd.yaml"), "config/crd.yaml");
        assert_eq!(of("a b:c%#?é.yaml"), "a%20b%3Ac%25%23%3F%C3%A9.yaml");
        assert_eq!(of("../a.yaml"), "../a.yaml");
        assert_eq!(of("-"), "stdin");
        #[cfg(not(windows))]
        assert_eq!(of("/srv/a.yaml"), "file:///srv/a.yaml");
    }
}
