//! Patches: documents that are part of an object and are merged with the rest of it.

use crd_analyzer_schema::depth;
use crd_analyzer_syntax::{
    json::{Json, JsonDoc, JsonValue},
    tree::Tree,
};

use crate::{filled_in::written, findings::report::DocumentVerdict};

/// Whether a CRD lacks both versions and names, which suggests that it is a patch.
pub(crate) fn may_be(json: &JsonDoc<'_>) -> bool {
    let spec = json.root().and_then(|root| root.get("spec"));
    spec.is_none_or(|spec| spec.get("versions").is_none() && spec.get("names").is_none())
}

/// If the document may be a patch, adds a help text to the first error.
pub(crate) fn say_how_to_mark_it(verdict: &mut DocumentVerdict) {
    if let Some(first) = verdict.errors.iter_mut().min_by_key(|it| it.span.start) {
        let named = "if this file is a patch, name it in a `kustomization.yaml`";
        let help = format!("{named}, or under `partial` in `.crd-analyzer.yaml`");
        first.help.push(help);
    }
}

/// Whether a document contains a merge directive, which occurs only in strategic merge patches (`k8s.io/apimachinery/pkg/util/strategicpatch`).
///
/// `tree` is the tree from which `json` was converted.
pub(crate) fn has_directive(tree: &Tree, json: &JsonDoc<'_>) -> bool {
    if !may_have_directive(written(tree, json)) {
        return false;
    }
    let mut open = Vec::from_iter(json.root());
    while let Some(json) = open.pop() {
        let members = json.members().unwrap_or_default();
        if members.iter().any(|it| is_directive(&it.key)) {
            return true;
        }
        open.extend(members.iter().map(|it| &it.value));
        open.extend::<&[Json<'_>]>(json.items().unwrap_or_default());
    }
    false
}

/// Removes the merge directives from a document, because they are not part of the object.
pub(crate) fn take_directives(json: &mut JsonDoc<'_>) {
    if json.depth() <= depth::limit()
        && let Some(root) = json.root_mut()
    {
        take_directives_of(root);
    }
}

fn take_directives_of(json: &mut Json<'_>) {
    match &mut json.value {
        JsonValue::Object(members) => {
            members.retain(|it| !is_directive(&it.key));
            for member in members {
                take_directives_of(&mut member.value);
            }
        }
        JsonValue::Array(items) => items.iter_mut().for_each(take_directives_of),
        _ => {}
    }
}

/// The value of a key, if this is an object that has the key.
fn member<'j, 't>(json: &'j mut Json<'t>, key: &str) -> Option<&'j mut Json<'t>> {
    match &mut json.value {
        JsonValue::Object(members) => members.iter_mut().find(|it| it.key == key).map(|it| &mut it.value),
        _ => None,
    }
}

/// Turns the labels and annotations of a patch into strings, as kustomize does when it applies the patch.
pub(crate) fn make_texts(json: &mut JsonDoc<'_>) {
    for name in ["labels", "annotations"] {
        let metadata = json.root_mut().and_then(|it| member(it, "metadata"));
        let Some(JsonValue::Object(members)) = metadata.and_then(|it| member(it, name)).map(|it| &mut it.value) else {
            continue;
        };
        for it in members {
            if let JsonValue::Bool(_) | JsonValue::Int(_) | JsonValue::Uint(_) | JsonValue::Float(_) = it.value.value {
                it.value.value = JsonValue::String(it.value.to_value().to_string().into());
            }
        }
    }
}

/// Whether a text may contain a key that starts like a directive, plain or escaped. Most texts contain none, so their trees need not be searched.
fn may_have_directive(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr2_iter(b'$', b'\\', bytes).any(|at| {
        let rest = &bytes[at + 1..];
        match bytes[at] {
            b'$' => rest.first().is_some_and(|it| b"prds\\".contains(it)),
            _ => [&b"x24"[..], b"u0024", b"U00000024"]
                .iter()
                .any(|it| rest.starts_with(it)),
        }
    })
}

/// Whether a key is a merge directive.
pub(crate) fn is_directive(key: &str) -> bool {
    key.starts_with('$')
        && (matches!(key, "$patch" | "$retainKeys")
            || key.starts_with("$deleteFromPrimitiveList/")
            || key.starts_with("$setElementOrder/"))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crd_analyzer_syntax::{
        read_json,
        split::{read_document, split},
    };

    use super::*;

    fn is_patch(text: &str) -> bool {
        let text: Arc<str> = text.into();
        let tree = read_document(&text, split(&text).documents[0], &[]).unwrap();
        has_directive(&tree, &read_json(&tree).unwrap())
    }

    #[test]
    fn a_directive_is_found_however_it_is_written() {
        for key in [
            "$patch",
            "\"$patch\"",
            r#""\x24patch""#,
            r#""\u0024patch""#,
            r#""\U00000024patch""#,
            r#""$\x70atch""#,
        ] {
            assert!(is_patch(&format!("spec:\n- {{a: [{{{key}: delete}}]}}\n")), "{key}");
        }
        assert!(is_patch("$setElementOrder/a: []\n") && is_patch("$deleteFromPrimitiveList/a: []\n"));
        assert!(!is_patch("pattern: ^a$\npath: $patch\n$ref: a\n"));
    }
}
