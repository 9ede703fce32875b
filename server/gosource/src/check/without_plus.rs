//! Finds comments that are markers except for the plus sign, such as `//kubebuilder:default=1`. controller-gen ignores them.

use std::ops::Range;

use super::{
    Finding, Problem,
    comments::Target,
    split::Split,
    types::{Shape, Types},
};

/// The beginning of the markers that are not words of prose.
const OWN: &str = "kubebuilder:";

/// Finds the markers without a plus sign that are directly above a field or type and have an effect there with it.
pub(super) fn find(types: &Types) -> Vec<Finding> {
    let mut found = Vec::new();
    for declared in types.declared.values() {
        add(&types.text, declared.documentation.as_ref(), Target::Type, &mut found);
        if let Shape::Struct(members) = &declared.shape {
            for member in members {
                add(&types.text, member.documentation.as_ref(), Target::Field, &mut found);
            }
        }
    }
    found
}

fn add(text: &str, comments: Option<&Range<usize>>, target: Target, found: &mut Vec<Finding>) {
    let Some((start, comments)) = comments.and_then(|it| Some((it.start, text.get(it.clone())?))) else {
        return;
    };
    if !comments.contains(OWN) {
        return;
    }
    let mut line_start = start;
    for line in comments.split_inclusive('\n') {
        let begin = line_start;
        line_start += line.len();
        let inside = line.trim_start().strip_prefix("//").map(str::trim_start);
        let Some(inside) = inside.filter(|it| it.starts_with(OWN)) else {
            continue;
        };
        let split = Split::of(inside.trim_end());
        if let Some(definition) = split.definition(target) {
            let start = begin + line.len() - inside.len();
            found.push(Finding {
                span: start..start + split.whole.len(),
                problem: Problem::WithoutPlus {
                    name: definition.name.to_owned(),
                },
            });
        }
    }
}
