//! The changes that decoding makes to an object.

use crd_analyzer_schema::field::{FINDING_BYTES, Path, Room, Segment};
use serde_json::{Map, Value};

use crate::verdict::{Change, ChangeKind};

/// The differences between the object in the request and the decoded object, sorted by path.
pub(crate) fn between(sent: &Map<String, Value>, read: &Map<String, Value>) -> Vec<Change> {
    let mut found = Found::default();
    objects(sent, read, &mut Path::root(), &mut found);
    found.changes.sort();
    found.changes
}

/// The changes found so far, as long as memory is left for them.
#[derive(Default)]
struct Found {
    changes: Vec<Change>,
    room: Room,
}

impl Found {
    fn push(&mut self, at: &Path, kind: ChangeKind) {
        if self.room.is_left() {
            self.room.take(FINDING_BYTES + at.bytes());
            self.changes.push(Change { path: at.clone(), kind });
        }
    }
}

fn objects(sent: &Map<String, Value>, read: &Map<String, Value>, at: &mut Path, found: &mut Found) {
    for (name, value) in sent {
        at.push(Segment::Field(name.clone()));
        match read.get(name) {
            Some(now) => values(value, now, at, found),
            None => found.push(at, ChangeKind::Pruned),
        }
        at.pop();
    }
    for name in read.keys().filter(|name| !sent.contains_key(*name)) {
        at.push(Segment::Field(name.clone()));
        found.push(at, ChangeKind::Defaulted);
        at.pop();
    }
}

fn values(sent: &Value, read: &Value, at: &mut Path, found: &mut Found) {
    match (sent, read) {
        (Value::Object(sent), Value::Object(read)) => objects(sent, read, at, found),
        (Value::Array(sent), Value::Array(read)) if sent.len() == read.len() => {
            for (n, (sent, read)) in sent.iter().zip(read).enumerate() {
                at.push(Segment::Index(n));
                values(sent, read, at, found);
                at.pop();
            }
        }
        (Value::Null, now) if !now.is_null() => found.push(at, ChangeKind::Defaulted),
        (sent, read) if sent != read => found.push(at, ChangeKind::Rewritten),
        _ => {}
    }
}
