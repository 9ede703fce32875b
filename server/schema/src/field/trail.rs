//! A field path on the stack of a walk. It is only converted to a [`Path`] if there is something to report.

use super::{Path, Segment};

/// The path from the root of an object to the current position of a recursive walk.
///
/// Each step borrows its name and the step above, so a walk that finds nothing allocates nothing:
///
/// ```
/// use crd_analyzer_schema::field::{Path, Trail};
///
/// let base = Path::of(["spec"]);
/// let trail = Trail::new(&base);
/// assert_eq!(trail.child("properties").key("a").index(0).to_string(), "spec.properties[a][0]");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Trail<'a> {
    up: Option<&'a Trail<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Base(&'a Path),
    Field(&'a str),
    Index(usize),
    Key(&'a str),
}

impl<'a> Trail<'a> {
    /// Starts a walk at the root.
    pub const fn root() -> Self {
        static ROOT: Path = Path::root();
        Self::new(&ROOT)
    }

    /// Starts a walk at `base`.
    pub const fn new(base: &'a Path) -> Self {
        Self {
            up: None,
            step: Step::Base(base),
        }
    }

    /// The field `name` below this path (`field.Path.Child`).
    #[must_use]
    pub const fn child<'b>(&'b self, name: &'b str) -> Trail<'b> {
        Trail {
            up: Some(self),
            step: Step::Field(name),
        }
    }

    /// The list item `index` below this path (`field.Path.Index`).
    #[must_use]
    pub const fn index(&self, index: usize) -> Trail<'_> {
        Trail {
            up: Some(self),
            step: Step::Index(index),
        }
    }

    /// The map entry `key` below this path (`field.Path.Key`).
    #[must_use]
    pub const fn key<'b>(&'b self, key: &'b str) -> Trail<'b> {
        Trail {
            up: Some(self),
            step: Step::Key(key),
        }
    }

    /// The path from the root.
    pub fn path(&self) -> Path {
        let mut steps = Vec::new();
        let mut at = Some(self);
        let mut base: &[Segment] = &[];
        while let Some(trail) = at {
            match trail.step {
                Step::Base(path) => base = path.segments(),
                Step::Field(name) => steps.push(Segment::Field(name.to_owned())),
                Step::Index(index) => steps.push(Segment::Index(index)),
                Step::Key(key) => steps.push(Segment::Key(key.to_owned())),
            }
            at = trail.up;
        }
        let mut path = Path(Vec::with_capacity(base.len() + steps.len()));
        path.0.extend_from_slice(base);
        path.0.extend(steps.into_iter().rev());
        path
    }
}

impl std::fmt::Display for Trail<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.path().fmt(f)
    }
}
