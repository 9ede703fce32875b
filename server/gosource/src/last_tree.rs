//! Keeps the syntax tree of the file that was parsed last, usually the one in which the user types. A keystroke then parses only the text around it.

use std::{
    borrow::Cow,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use tree_sitter::{InputEdit, Point, Tree};

use crate::{
    read::{SourceFile, parsed_after},
    unclosed::without_tags,
};

/// The syntax tree of the file that was parsed last.
#[derive(Debug, Default)]
pub(crate) struct LastTree(Mutex<Option<Last>>);

#[derive(Debug)]
struct Last {
    path: Arc<Path>,
    text: Arc<str>,
    tree: Tree,
}

impl LastTree {
    /// The syntax tree of a whole file, in which unclosed struct tags are left out. `None` if the file is too large.
    pub(crate) fn parsed(&self, file: &SourceFile) -> Option<Tree> {
        let text: Arc<str> = match without_tags(&file.text) {
            Cow::Borrowed(_) => file.text.clone(),
            Cow::Owned(text) => text.into(),
        };
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let before = last.filter(|it| it.path == file.path).map(|mut it| {
            it.tree.edit(&between(&it.text, &text));
            it.tree
        });
        let tree = parsed_after(&text, before.as_ref())?;
        let last = Last {
            path: file.path.clone(),
            text,
            tree: tree.clone(),
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
        Some(tree)
    }
}

/// The edit that turns one text into another one.
fn between(before: &str, after: &str) -> InputEdit {
    let same = |one: &mut dyn Iterator<Item = (u8, u8)>| one.take_while(|it| it.0 == it.1).count();
    let (one, other) = (before.as_bytes(), after.as_bytes());
    let ahead = same(&mut one.iter().copied().zip(other.iter().copied()));
    let start = before.floor_char_boundary(ahead);
    let rest = one[start..]
        .iter()
        .rev()
        .copied()
        .zip(other[start..].iter().rev().copied());
    let behind = same(&mut { rest });
    let old_end = before.ceil_char_boundary(one.len() - behind);
    let new_end = after.len() - (before.len() - old_end);
    let start_position = point(before, start);
    InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position,
        old_end_position: after_point(start_position, &before[start..old_end]),
        new_end_position: after_point(start_position, &after[start..new_end]),
    }
}

fn point(text: &str, offset: usize) -> Point {
    after_point(Point::new(0, 0), &text[..offset])
}

/// The point at the end of a text that starts at a point.
pub(crate) fn after_point(start: Point, text: &str) -> Point {
    match text.rfind('\n') {
        Some(last) => Point::new(start.row + text.matches('\n').count(), text.len() - last - 1),
        None => Point::new(start.row, start.column + text.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check, read::parsed};

    const TEXT: &str = "\
// +groupName=ä
package v1

import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"

// A is.
// +kubebuilder:validation:XValidation:rule=\"self.b == 'ö'\"
type A struct {
\tmetav1.TypeMeta `json:\",inline\"`
\t// B is one.
\t// +optional
\tB, C *string `json:\"b\"` // behind
\tD map[string][]A
}

func (a *A) MarshalJSON() ([]byte, error) { return nil, nil }

type (
\tE = A
\t// +kubebuilder:validation:Enum=a;b
\tF string
)

const G F = \"a\"
";

    /// Everything that is read of a file.
    fn read(tree: &Tree, text: &str) -> (check::comments::Comments, String) {
        (check::read_tree(tree, text), tree.root_node().to_sexp())
    }

    #[test]
    fn a_tree_after_an_edit_is_that_of_the_text() {
        let words = [
            "",
            "/",
            "// +optional\n",
            "\n",
            "\"",
            "{",
            "ä",
            "x",
            "\tH int `json:\"h\"`\n",
            "}",
            "`",
            "*/",
        ];
        let path: Arc<Path> = Path::new("/a.go").into();
        let last = LastTree::default();
        let mut seed = 7_u32;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as usize % below
        };
        let mut text = TEXT.to_owned();
        for n in 0..3_000 {
            // Most edits are undone by the next one, as those of people are.
            if n % 3 == 2 || text.len() > 4_000 {
                TEXT.clone_into(&mut text);
            } else {
                let start = text.floor_char_boundary(random(text.len() + 1));
                let end = text.ceil_char_boundary((start + random(12)).min(text.len()));
                text.replace_range(start..end, words[random(words.len())]);
            }
            let file = SourceFile {
                path: path.clone(),
                text: text.as_str().into(),
            };
            let tree = last.parsed(&file).expect("a tree");
            let fresh = parsed(&text).expect("a tree");
            assert_eq!(read(&tree, &text), read(&fresh, &text), "{text}");
        }
    }

    #[test]
    fn trees_of_other_files_are_not_used() {
        let last = LastTree::default();
        for (path, text) in [("/a.go", TEXT), ("/b.go", "package b\n"), ("/a.go", "package a\n")] {
            let file = SourceFile {
                path: Path::new(path).into(),
                text: text.into(),
            };
            let tree = last.parsed(&file).expect("a tree");
            let fresh = parsed(text).expect("a tree");
            assert_eq!(read(&tree, text), read(&fresh, text));
        }
    }
}
