//! Documents that are part of an object, to be merged into the rest of it.

use crd_analyzer_syntax::json::{Json, JsonDoc};

use crate::report::DocumentVerdict;

/// Whether a CRD lacks both its versions and its names, as a patch does.
pub(crate) fn may_be(json: &JsonDoc<'_>) -> bool {
    let spec = json.root().and_then(|root| root.get("spec"));
    spec.is_none_or(|spec| spec.get("versions").is_none() && spec.get("names").is_none())
}

/// Says with the first error what to do if the document is a patch.
pub(crate) fn say_how_to_mark_it(verdict: &mut DocumentVerdict) {
    if let Some(first) = verdict.errors.iter_mut().min_by_key(|it| it.span.start) {
        let named = "if this file is a patch, name it in a `kustomization.yaml`";
        let help = format!("{named}, or under `partial` in `.crd-analyzer.yaml`");
        first.help.push(help);
    }
}

/// Whether something in a document tells how to merge it, as only a strategic merge patch does (`k8s.io/apimachinery/pkg/util/strategicpatch`).
pub(crate) fn has_directive(json: &JsonDoc<'_>) -> bool {
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

/// Whether a key is one of those.
pub(crate) fn is_directive(key: &str) -> bool {
    key.starts_with('$')
        && (matches!(key, "$patch" | "$retainKeys")
            || key.starts_with("$deleteFromPrimitiveList/")
            || key.starts_with("$setElementOrder/"))
}
