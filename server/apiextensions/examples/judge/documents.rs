//! The documents of a text (JSON only so far).

use std::sync::Arc;

use crd_analyzer_apiextensions::decode::{StrictError, WrittenType};
use crd_analyzer_syntax::json::{Json, JsonValue, Member};
use crd_analyzer_syntax::tree::{NodeId, NodeKind, ScalarStyle, Span, Tree};

pub(crate) struct Document {
    pub(crate) index: usize,
    pub(crate) written: WrittenType,
    tree: Result<Tree, String>,
    pub(crate) duplicates: Option<StrictError>,
}

impl Document {
    pub(crate) fn with_json<T>(&self, look: impl FnOnce(&Json<'_>) -> T) -> Result<T, String> {
        let tree = self
            .tree
            .as_ref()
            .map_err(|why| format!("error converting YAML to JSON: {why}"))?;
        let root = tree.root().ok_or("empty")?;
        Ok(look(&to_json(tree, root)))
    }
}

pub(crate) fn documents(text: &str) -> Vec<Document> {
    let text: Arc<str> = Arc::from(text);
    let tree = crd_analyzer_syntax::read(&text, Span::new(0, text.len() as u32)).map_err(|it| it.to_string());
    let mut document = Document {
        index: 0,
        written: WrittenType::default(),
        tree,
        duplicates: None,
    };
    document.written = document.with_json(WrittenType::of).unwrap_or_default();
    vec![document]
}

fn to_json(tree: &Tree, node: NodeId) -> Json<'_> {
    let value = match tree.kind(node) {
        NodeKind::Mapping(_) => {
            let mut members: Vec<Member<'_>> = tree
                .entries(node)
                .map(|it| Member {
                    key: tree.scalar(it.key),
                    key_node: it.key,
                    value: to_json(tree, it.value),
                })
                .collect();
            members.sort_by(|a, b| a.key.cmp(&b.key));
            JsonValue::Object(members)
        }
        NodeKind::Sequence(_) => JsonValue::Array(tree.items(node).map(|it| to_json(tree, it)).collect()),
        NodeKind::Scalar(ScalarStyle::Plain) => plain(tree.source(node)),
        _ => JsonValue::String(tree.scalar(node)),
    };
    Json { node, value }
}

fn plain(text: &str) -> JsonValue<'_> {
    match text {
        "" | "null" | "~" => JsonValue::Null,
        "true" => JsonValue::Bool(true),
        "false" => JsonValue::Bool(false),
        _ => {
            if let Ok(value) = text.parse() {
                JsonValue::Int(value)
            } else if let Ok(value) = text.parse() {
                JsonValue::Uint(value)
            } else if let Ok(value) = text.parse::<f64>() {
                if value.fract() == 0.0 && value.abs() < 9.2e18 {
                    JsonValue::Int(value as i64)
                } else {
                    JsonValue::Float(value)
                }
            } else {
                JsonValue::String(text.into())
            }
        }
    }
}
