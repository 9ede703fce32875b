//! Lists that server-side apply replaces as a whole.

use crd_analyzer_diagnostic::{Change, Proposal, Value, Words, name::SchemaPlace};
use crd_analyzer_schema::field::Path;

use crate::{Cause, Check, Lint, SchemaAt, Sink, Told};

pub(super) const LINT: Lint = Lint::new(
    "list-without-type",
    "A list has no `x-kubernetes-list-type`, so server-side apply replaces it as a whole.",
    include_str!("../../codes/list-without-type.md"),
    Check::Schema(check),
)
.off()
.field("x-kubernetes-list-type")
.group("lists");

/// Server-side apply treats the list as one value.
#[derive(Debug)]
struct ListWithoutType;

fn check(schema: &SchemaAt<'_>, sink: &mut Sink<'_, '_>) {
    let list = schema.structural;
    if !schema.in_junctor && list.r#type() == "array" && list.list_type().is_none() {
        sink.add(schema.at.path(), ListWithoutType);
    }
}

impl Cause for ListWithoutType {
    fn tell(&self, place: &Path) -> Told {
        let list = SchemaPlace::of(place).unwrap_or_default();
        let words = Words::new(format!("list {} has no `x-kubernetes-list-type`", list.name()))
            .label("one value for server-side apply")
            .help("add `x-kubernetes-list-type: map`, `set` or `atomic`")
            .in_go("add `+listType=map` with `+listMapKey`, `+listType=set`, or `+listType=atomic`");
        // The author has to decide about the other list types, because only the author knows the keys of an item.
        let change = Change::Set(place.child("x-kubernetes-list-type"), Value::text_of("atomic"));
        Told::from(words).propose(Proposal::new("Make it a list of type atomic, as it is now", change))
    }
}
