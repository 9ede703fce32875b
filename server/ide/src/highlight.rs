//! Highlights all uses of the name at the cursor in the document.

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::Span;

use crate::{
    cel::{CelAt, cel_at},
    file::Document,
    property::{target_at, uses},
};

/// The spans that refer to the same name as the given offset, in the order of the text. Empty if the name is unknown.
pub fn highlights(document: &Document<'_>, offset: u32, version: KubernetesVersion) -> Vec<Span> {
    if let Some((target, _)) = target_at(document, offset, version) {
        let found = uses(document, &target, version).all;
        return found.iter().map(|it| it.span(document.tree)).collect();
    }
    cel_at(document, offset, version).map_or_else(Vec::new, |it| in_expression(&it))
}

fn in_expression(at: &CelAt<'_>) -> Vec<Span> {
    let expression = &at.expression;
    let same = expression.token_at(at.byte).map(|it| expression.same(it));
    let same = same.unwrap_or_default().into_iter();
    same.map(|at| expression.token_span(at)).collect()
}
