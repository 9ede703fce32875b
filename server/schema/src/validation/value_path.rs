//! The path of a value in kube-openapi's notation.

use std::fmt::Write as _;

use crate::field::{Path, Segment};

/// The path from the validated value down to one of its parts, kept on the stack of the walk.
#[derive(Clone, Copy)]
pub(super) enum ValuePath<'a> {
    /// The validated value. The name of its path is empty.
    Root,
    /// A field that `properties` specifies. At the root, the name has no dot before the field.
    Property(&'a ValuePath<'a>, &'a str),
    /// Any other named field. The name always has a dot before the field, even at the root.
    Member(&'a ValuePath<'a>, &'a str),
    /// An item of a list.
    Index(&'a ValuePath<'a>, usize),
}

impl ValuePath<'_> {
    pub(super) const fn is_root(&self) -> bool {
        matches!(self, Self::Root)
    }

    /// The steps from the root down.
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

    /// The name of the path, and the same path as segments.
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

/// A path as it appears in messages, and the same path as segments.
pub(super) struct Name {
    /// `spec.a[0]`; fields of the root that `properties` does not specify start with a dot.
    pub(super) text: String,
    segments: Vec<Segment>,
}

impl Name {
    /// The path below `base`. It is printed like the API server's path, where the whole name is one field (`kubeOpenAPIResultToFieldErrors`): below a
    /// path that is not the root, an index follows a dot.
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
        // Names that are empty or start with a dot are printed in a way that segments cannot represent.
        if is_plain { path } else { base.child(printed) }
    }
}
