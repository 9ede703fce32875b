//! Recognizes a document that contains two objects because the line `---` between them is missing.

use crd_analyzer_syntax::tree::{NodeId, Tree};

use crate::findings::report::DocumentReport;

/// The key with which the second object starts. It is the first repeated key, if both `apiVersion` and `kind` are repeated.
pub fn second_object(tree: &Tree) -> Option<NodeId> {
    let root = tree.resolve(tree.root()?);
    let mut seen: Vec<(String, bool)> = Vec::new();
    let mut second = None;
    for entry in tree.entries(root) {
        let name = tree.scalar(entry.key);
        if let Some((_, is_again)) = seen.iter_mut().find(|it| it.0 == name) {
            *is_again = true;
            second = second.or(Some(entry.key));
        } else if seen.len() < MOST_KEYS {
            seen.push((name.into_owned(), false));
        }
    }
    let is_again = |name: &str| seen.iter().any(|it| it.0 == name && it.1);
    second.filter(|_| is_again("apiVersion") && is_again("kind"))
}

/// The maximum number of an object's keys to look at.
const MOST_KEYS: usize = 50;

/// If a document mixes two objects, removes its other errors, because they are a consequence.
pub(crate) fn leave_out_rest(document: &mut DocumentReport) {
    for (_, verdict) in &mut document.verdicts {
        if verdict.findings().any(|it| it.explains_rest) {
            for it in verdict.findings_mut().filter(|it| !it.explains_rest) {
                (it.suppressed, it.follows) = (true, true);
            }
        }
    }
}
