//! The CRDs of a cluster, as files to which findings can refer.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use crd_analyzer_apiextensions::kind::CRD;
use serde_json::Value;

/// The path of the file for a CRD. `folder` has a subfolder for each context.
pub fn path(folder: &Path, context: &str, name: &str) -> PathBuf {
    folder.join(encode(context)).join(format!("{}.json", encode(name)))
}

/// The context to which a file at a [`path`] belongs.
pub fn context(path: &Path) -> Option<String> {
    Some(decode(path.parent()?.file_name()?.to_str()?))
}

/// The name and the text of a CRD. The text has one field per line, and no fields that only the API server needs. If the CRD cannot be parsed, the
/// name is empty and the text is unchanged.
pub fn text(sent: &str) -> (String, String) {
    let Ok(mut object) = serde_json::from_str::<Value>(sent) else {
        return (String::new(), sent.to_owned());
    };
    let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
        // In a list from the API server, items lack these fields.
        fields
            .entry("apiVersion")
            .or_insert_with(|| CRD.served().api_version.into());
        fields.entry("kind").or_insert_with(|| CRD.name.into());
    }
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        metadata.remove("managedFields");
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
        }
    }
    (name, format!("{object:#}\n"))
}

/// Encodes a name so that every file system accepts it.
fn encode(name: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    for (n, byte) in name.bytes().enumerate() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-_@+".contains(&byte) || byte == b'.' && n > 0;
        if is_plain {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

fn decode(encoded: &str) -> String {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        match digits.and_then(|it| u8::from_str_radix(it, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_tells_the_context() {
        for name in ["kind-prod", "arn:aws:eks:eu-1:12:cluster/a b", "..", "ä%41", "admin@c"] {
            let path = path(Path::new("/cache"), name, "widgets.example.com");
            assert_eq!(path.components().count(), 4, "{}", path.display());
            assert_eq!(context(&path).as_deref(), Some(name));
        }
    }

    #[test]
    fn a_text_has_what_its_author_wrote() {
        let (name, text) = text(
            r#"{"metadata":{"name":"a","managedFields":[1],"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"x","b":"c"}},
                "spec":{"group":"g"},"status":{"d":1}}"#,
        );
        assert_eq!(name, "a");
        assert!(text.contains("\"b\": \"c\"") && text.contains("\"kind\": \"CustomResourceDefinition\""));
        assert!(
            !["managedFields", "last-applied", "status"]
                .iter()
                .any(|it| text.contains(it)),
            "{text}"
        );
        for odd in [
            "{",
            "3",
            "[]",
            r#"{"metadata": 3}"#,
            r#"{"metadata": {"name": 3, "annotations": []}}"#,
        ] {
            assert_eq!(super::text(odd).0, "", "{odd}");
        }
    }
}
