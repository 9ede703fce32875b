//! Formats the value of each part of an expression as lines of a tree.

use crd_analyzer_cel::eval::{Iteration, Part};
use crd_analyzer_cel::value::shown;

/// The maximum length of a value, in characters.
const VALUE_WIDTH: usize = 100;
/// The maximum length of a part of an expression, in characters.
const PART_WIDTH: usize = 100;

/// The branches of a tree: before a part that is not the last, before the last part, and before the parts below it.
const MORE: &str = "├─ ";
const LAST: &str = "└─ ";
const THROUGH: &str = "│  ";
const BLANK: &str = "   ";

/// A line of the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The characters that draw the branches, before the text.
    pub branches: String,
    /// The branches before the later lines of the text, if it is wrapped.
    pub below: String,
    /// A part of the expression and its value.
    pub text: String,
}

/// The lines of the tree for an evaluated expression. The first line is the whole expression. `text` is the expression's source.
pub fn steps(text: &str, root: &Part) -> Vec<Step> {
    let mut lines = vec![Step {
        branches: String::new(),
        below: String::new(),
        text: of_part(text, root),
    }];
    below(text, root, "", &mut lines);
    lines
}

/// An item at one level of the tree.
enum Item<'p> {
    Part(&'p Part),
    Iteration(&'p Iteration),
    LeftOut(usize),
}

fn of_part(text: &str, part: &Part) -> String {
    let source = text.get(part.bytes.clone()).unwrap_or_default();
    let source = cut(&source.split_whitespace().collect::<Vec<_>>().join(" "));
    match &part.value {
        Some(Ok(value)) => format!("{source}  = {}", shown(value, VALUE_WIDTH)),
        Some(Err(error)) => format!("{source}  ! {}", error.message()),
        None => format!("{source}  (not evaluated)"),
    }
}

fn below(text: &str, part: &Part, indent: &str, lines: &mut Vec<Step>) {
    let mut found: Vec<Item<'_>> = part.parts.iter().map(Item::Part).collect();
    for iteration in &part.iterations {
        let so_far = found.iter().filter(|it| matches!(it, Item::Iteration(_))).count();
        if part.iterations_left_out > 0 && so_far + part.iterations_left_out == iteration.index {
            found.push(Item::LeftOut(part.iterations_left_out));
        }
        found.push(Item::Iteration(iteration));
    }
    items(text, &found, indent, lines);
}

fn items(text: &str, found: &[Item<'_>], indent: &str, lines: &mut Vec<Step>) {
    for (n, item) in found.iter().enumerate() {
        let (branch, through) = if n + 1 == found.len() {
            (LAST, BLANK)
        } else {
            (MORE, THROUGH)
        };
        let inner = format!("{indent}{through}");
        let mut line = |text: String| {
            lines.push(Step {
                branches: format!("{indent}{branch}"),
                below: inner.clone(),
                text,
            });
        };
        match item {
            Item::Part(part) => {
                line(of_part(text, part));
                below(text, part, &inner, lines);
            }
            Item::LeftOut(count) => line(format!("… {count} more")),
            Item::Iteration(iteration) => {
                let variables = iteration.variables.iter().map(|(name, value)| match value {
                    Ok(value) => format!("{name} = {}", shown(value, VALUE_WIDTH)),
                    Err(error) => format!("{name} ! {}", error.message()),
                });
                let variables = variables.collect::<Vec<_>>().join(", ");
                line(format!("[{}] {variables}", iteration.index));
                let parts = iteration.parts.iter().filter(|it| it.value.is_some());
                items(text, &parts.map(Item::Part).collect::<Vec<_>>(), &inner, lines);
            }
        }
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(PART_WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
