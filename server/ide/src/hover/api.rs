//! Hover on fields and values of the Kubernetes API.

use crd_analyzer_apiextensions::api::{Field, Presence, Values};
use crd_analyzer_schema::KubernetesVersion;

use super::Block;
use crate::markdown::code;

/// The description of a field.
pub(super) fn field(field: &Field, version: KubernetesVersion) -> Vec<Block> {
    let presence = match field.presence {
        Presence::Required => ", required",
        Presence::Optional => "",
        Presence::Server => ", written by the server",
        Presence::Refused => ", refused",
    };
    let mut blocks = vec![
        Block::Code("yaml", format!("{}: {}{presence}", field.name, field.ty.display())),
        Block::Text(field.doc.to_owned()),
    ];
    let mut notes = Vec::new();
    if field.since > KubernetesVersion::OLDEST.number() || !field.is_in(version) {
        notes.push(format!("since Kubernetes 1.{}", field.since));
    }
    if !field.applies_to.is_empty() {
        let types: Vec<_> = field.applies_to.iter().map(|it| code(it)).collect();
        notes.push(format!("applies to values of type {}", types.join(", ")));
    }
    if let Values::Closed(values) = &field.values {
        let known = values.iter().filter(|it| it.is_in(version));
        let known: Vec<_> = known.map(|it| code(it.text)).collect();
        notes.push(format!("one of {}", known.join(", ")));
    }
    blocks.push(Block::List(notes));
    blocks
}

/// The meaning of a value of a field.
pub(super) fn value(field: &Field, value: &str, version: KubernetesVersion) -> Option<Block> {
    let known = field.values.known().iter().find(|it| it.text == value)?;
    let since = if known.is_in(version) && known.since <= KubernetesVersion::OLDEST.number() {
        String::new()
    } else {
        format!(" Since Kubernetes 1.{}.", known.since)
    };
    Some(Block::Text(format!("{}: {}{since}", code(value), known.doc)))
}
