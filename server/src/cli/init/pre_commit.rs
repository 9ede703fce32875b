//! The crd-analyzer entry in the configuration of pre-commit.

use std::sync::Arc;

use crd_analyzer_syntax::{
    lines::line_break_at,
    split::{read_document, split},
    tree::{CollectionStyle, NodeKind, Tree},
};

/// The address of crd-analyzer's repository.
pub(super) const REPOSITORY: &str = "https://github.com/crd-analyzer/crd-analyzer";

/// The pattern for files whose changes trigger the hook if the hook also checks Go types.
const FILES: &str = r"\.(ya?ml|json|go)$|(^|/)kustomization$";

/// Adds the hook as the last entry of `repos`. `go` lists the packages that the hook also checks. `None` if the list has an unusual form.
pub(super) fn with_hook(text: &str, release: &str, go: &[String]) -> Option<String> {
    let tree = read(text)?;
    let repos = tree.get(tree.root()?, "repos")?;
    if tree.kind(repos) != NodeKind::Sequence(CollectionStyle::Block) {
        return None;
    }
    let last = tree.items(repos).last()?;
    let first = tree.full_span(tree.items(repos).next()?).start as usize;
    let line = text[..first].rfind('\n').map_or(0, |it| it + 1);
    let dash = text[line..first].find('-')?;
    let indent = &text[line..line + dash];
    if !indent.bytes().all(|it| it == b' ') {
        return None;
    }
    let line_break = line_break_at(text, 0);
    let end = tree.full_span(last).end as usize;
    let end = text[end..].find(['\r', '\n']).map_or(text.len(), |it| end + it);
    let begin = format!("{line_break}{indent}");
    let mut entry = vec![
        format!("- repo: {REPOSITORY}"),
        format!("  rev: {release}"),
        "  hooks:".to_owned(),
        "    - id: crd-analyzer".to_owned(),
    ];
    if !go.is_empty() {
        entry.push(format!("      args: [., {}]", go.join(", ")));
        entry.push(format!("      files: {FILES}"));
    }
    let entry = format!("{begin}{}", entry.join(&begin));
    let mut after = format!("{}{entry}{}", text[..end].trim_end(), &text[end..]);
    if !after.ends_with('\n') {
        after.push_str(line_break);
    }
    // The result must contain the same entries as before, and the new one.
    let changed = read(&after)?;
    let of_both = changed.get(changed.root()?, "repos")?;
    let count = tree.items(repos).count();
    let added = changed.items(of_both).nth(count)?;
    let is_there = changed
        .get(added, "repo")
        .is_some_and(|it| changed.scalar(it) == REPOSITORY);
    (is_there && changed.items(of_both).count() == count + 1).then_some(after)
}

fn read(text: &str) -> Option<Tree> {
    let text: Arc<str> = text.into();
    let documents = split(&text).documents;
    let [document] = documents.as_slice() else {
        return None;
    };
    read_document(&text, *document, &[]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(with_hook(text, "v1", &[]).as_deref(), expected, "{text}");
    }

    #[test]
    fn the_entry_is_the_last_one() {
        check(
            "repos:\n- repo: a\n  hooks: [{id: b}] # why\n\n# the end\nci: {}\n",
            Some(
                "repos:\n- repo: a\n  hooks: [{id: b}] # why\n- repo: https://github.com/crd-analyzer/crd-analyzer\n  rev: v1\n  hooks:\n    - id: crd-analyzer\n\n# the end\nci: {}\n",
            ),
        );
        check(
            "repos:\n  - repo: a\n    hooks:\n      - id: b",
            Some(
                "repos:\n  - repo: a\n    hooks:\n      - id: b\n  - repo: https://github.com/crd-analyzer/crd-analyzer\n    rev: v1\n    hooks:\n      - id: crd-analyzer\n",
            ),
        );
    }

    #[test]
    fn lines_end_as_the_others_do() {
        let text = "repos:\r\n- repo: a\r\nci: {}\r\n";
        let after = with_hook(text, "v1", &[]).expect("an entry");
        assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{after:?}");
        assert!(after.ends_with("crd-analyzer\r\nci: {}\r\n"), "{after:?}");
    }

    #[test]
    fn what_is_written_in_another_way_stays() {
        for text in [
            "",
            "repos: []\n",
            "repos: [{repo: a}]\n",
            "repos:\n",
            "- a\n",
            "a: [",
            "repos:\n- a\n---\nb: 1\n",
        ] {
            check(text, None);
        }
    }
}
