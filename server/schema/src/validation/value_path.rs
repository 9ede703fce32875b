//! Where a value is, in the way kube-openapi spells it.

use std::fmt::Write as _;

use crate::field::{Path, Segment};

/// The way from the value that is validated down to one of its parts, on the stack of the walk.
#[derive(Clone, Copy)]
pub(super) enum ValuePath<'a> {
    /// The value itself. Its name is empty.
    Root,
    /// What `properties` speaks of: no dot below the root.
    Property(&'a ValuePath<'a>, &'a str),
    /// What anything else speaks of by name: always a dot, also below the root.
    Member(&'a ValuePath<'a>, &'a str),
    /// An item of a list.
    Index(&'a ValuePath<'a>, usize),
}

impl ValuePath<'_> {
    pub(super) const fn is_root(&self) -> bool {
        matches!(self, Self::Root)
    }

    /// From the root down.
    fn steps(&self) -> Vec<&ValuePath<'_>> {
        let mut steps = Vec::new();
        let mut at = self;
        while let ValuePath::Property(up, _) | ValuePath::Member(up, _) | ValuePath::Index(up, _) = at {
            steps.push(at);
            at = up;
        }
        steps.reverse();
        steps
    }

    /// The name and the steps that it means.
    pub(super) fn name(&self) -> Name {
        let mut text = String::new();
        let mut segments = Vec::new();
        for step in self.steps() {
            match step {
                ValuePath::Root => {}
                ValuePath::Property(_, name) | ValuePath::Member(_, name) => {
                    if !text.is_empty() || matches!(step, ValuePath::Member(..)) {
                        text.push('.');
                    }
                    text.push_str(name);
                    segments.push(Segment::Field((*name).to_owned()));
                }
                ValuePath::Index(_, index) => {
                    let _ = write!(text, "[{index}]");
                    segments.push(Segment::Index(*index));
                }
            }
        }
        Name { text, segments }
    }
}

/// The name of a place as it is in messages, and the same in steps.
pub(super) struct Name {
    /// `spec.a[0]`; the root's members that `properties` does not know have a dot in front.
    pub(super) text: String,
    segments: Vec<Segment>,
}

impl Name {
    /// The place below `base`. It prints as the API server's, which takes the whole name for one field
    /// (`kubeOpenAPIResultToFieldErrors`): below a path that is not the root, an index comes after a dot.
    pub(super) fn below(self, base: &Path) -> Path {
        if self.text.is_empty() || self.text == "." {
            return base.clone();
        }
        let printed = self.text.strip_prefix('.').unwrap_or(&self.text);
        let is_plain = self.segments.iter().enumerate().all(|(n, segment)| match segment {
            Segment::Field(name) => !(name.is_empty() || n == 0 && name.starts_with('.')),
            _ => true,
        });
        let mut path = base.clone();
        for (n, segment) in self.segments.into_iter().enumerate() {
            path.push(match segment {
                Segment::Index(index) if n == 0 => Segment::Field(format!("[{index}]")),
                segment => segment,
            });
        }
        // Names that are empty or begin with a dot print in ways that no steps do.
        if is_plain { path } else { base.child(printed) }
    }
}
