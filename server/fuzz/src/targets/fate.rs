//! The fate of a stored object under a changed CRD.

use crd_analyzer_compat::{Fate, fate_of};
use crd_analyzer_syntax::{
    read_json,
    split::{read_document, split},
};
use serde_json::Value;

use super::{compat::only, crd};
use crate::{
    Target,
    input::{Input, input},
};

pub(super) const TARGET: Target = Target {
    name: "fate",
    run,
    seeds: |cases| {
        let resources = cases.resources.iter();
        let shorter = |it: &str| {
            it.replace("maximum: 1", "maximum: ")
                .replace("maxLength: 1", "maxLength: ")
        };
        resources
            .map(|it| input(&[], &[&it.definition, &shorter(&it.definition), &it.object]))
            .collect()
    },
    words: crd::TARGET.words,
};

fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let [Some((_, old)), Some((_, new))] = [input.part(), input.part()].map(only) else {
        return;
    };
    let Some(object) = object(&input.text()) else { return };
    // If the CRD is unchanged, a served object stays the same. If the CRD is removed, no object is served.
    if let Ok(happenings) = fate_of(&old.subject, Some(&old.subject), &object) {
        let is_other = happenings.iter().any(|it| it.fate != Fate::Unserved);
        assert!(!is_other, "{happenings:?} to {object} under the same CRD");
        let gone = fate_of(&old.subject, None, &object).map(|it| it.iter().map(|it| it.fate).collect());
        assert_eq!(gone, Ok(vec![Fate::Unserved]), "of {object}");
    }
    if let Ok(happenings) = fate_of(&old.subject, Some(&new.subject), &object) {
        assert!(happenings.is_sorted_by_key(|it| it.fate), "{happenings:?}");
    }
}

/// The first object of a file.
fn object(text: &std::sync::Arc<str>) -> Option<Value> {
    let document = *split(text).documents.first()?;
    let tree = read_document(text, document, &[]).ok()?;
    let object = read_json(&tree).ok()?.root()?.to_value();
    object.is_object().then_some(object)
}
