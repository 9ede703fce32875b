//! What reading an object changed in it.

use crd_analyzer_schema::field::{Path, Segment};
use serde_json::{Map, Value};

use crate::verdict::{Change, ChangeKind};

/// The differences between an object as it was sent and as it was read, sorted by path.
pub(super) fn between(sent: &Map<String, Value>, read: &Map<String, Value>) -> Vec<Change> {
    let mut found = Vec::new();
    objects(sent, read, &mut Path::root(), &mut found);
    found.sort();
    found
}

fn objects(sent: &Map<String, Value>, read: &Map<String, Value>, at: &mut Path, found: &mut Vec<Change>) {
    for (name, value) in sent {
        at.push(Segment::Field(name.clone()));
        match read.get(name) {
            Some(now) => values(value, now, at, found),
            None => found.push(change(at, ChangeKind::Pruned)),
        }
        at.pop();
    }
    for name in read.keys().filter(|name| !sent.contains_key(*name)) {
        found.push(change(&at.child(name), ChangeKind::Defaulted));
    }
}

fn values(sent: &Value, read: &Value, at: &mut Path, found: &mut Vec<Change>) {
    match (sent, read) {
        (Value::Object(sent), Value::Object(read)) => objects(sent, read, at, found),
        (Value::Array(sent), Value::Array(read)) if sent.len() == read.len() => {
            for (n, (sent, read)) in sent.iter().zip(read).enumerate() {
                at.push(Segment::Index(n));
                values(sent, read, at, found);
                at.pop();
            }
        }
        (Value::Null, now) if !now.is_null() => found.push(change(at, ChangeKind::Defaulted)),
        (sent, read) if sent != read => found.push(change(at, ChangeKind::Rewritten)),
        _ => {}
    }
}

fn change(at: &Path, kind: ChangeKind) -> Change {
    Change { path: at.clone(), kind }
}
