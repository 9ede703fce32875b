//! The nested parts of an expression around an offset, without types.

use crd_analyzer_cel::{
    KubernetesVersion,
    ast::Source,
    parser::{Extents, ParseOptions, parse},
};
use crd_analyzer_syntax::tree::{Span, Tree};

use super::scalar_at;

/// The parts of the expression around an offset, smallest first; empty if the expression does not parse.
pub fn parts_around(tree: &Tree, offset: u32) -> Vec<Span> {
    let Some((place, byte)) = scalar_at(tree, offset) else {
        return Vec::new();
    };
    let source = Source::new(tree.scalar(place.scalar));
    let newest = KubernetesVersion::NEWEST;
    let parsed = parse(&source, &ParseOptions::kubernetes(newest, newest));
    if !parsed.issues.is_empty() {
        return Vec::new();
    }
    let mut parts: Vec<_> = Extents::new(&source).all(&parsed.ast).into_values().collect();
    parts.retain(|it| it.start <= byte && byte <= it.end);
    parts.sort_by_key(|it| (it.len(), it.start));
    parts.dedup();
    let map = tree.source_map(place.scalar);
    parts.into_iter().map(|it| map.span(it)).collect()
}
