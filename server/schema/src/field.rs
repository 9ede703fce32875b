//! Field paths and field errors, as `k8s.io/apimachinery/pkg/util/validation/field` has them.

mod cause;
mod make;
pub mod render;
mod trail;

use std::fmt;

pub use cause::Cause;
use crd_analyzer_budget as budget;
use crd_analyzer_cel::ast::IssueKind;
pub use trail::Trail;

/// One step of a [`Path`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Segment {
    /// A field of a struct: `.name` (`field.Path.Child`). May be empty and may itself contain dots where the API server's does.
    Field(String),
    /// A position in a list: `[3]` (`field.Path.Index`).
    Index(usize),
    /// A key of a map: `[name]` (`field.Path.Key`).
    Key(String),
}

/// The place of a finding in an object, from its root.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Path(Vec<Segment>);

impl Path {
    /// The root: no segment. Printed `<nil>`, as a nil `*field.Path` is.
    pub const fn root() -> Self {
        Self(Vec::new())
    }

    /// The path of these fields, one below the other (`field.NewPath`).
    pub fn of<'a>(fields: impl IntoIterator<Item = &'a str>) -> Self {
        Self(fields.into_iter().map(|name| Segment::Field(name.to_owned())).collect())
    }

    /// The steps from the root.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// This path and one step more.
    #[must_use]
    pub fn with(&self, segment: Segment) -> Self {
        let mut segments = Vec::with_capacity(self.0.len() + 1);
        segments.extend_from_slice(&self.0);
        segments.push(segment);
        Self(segments)
    }

    /// The field `name` below this path.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        self.with(Segment::Field(name.to_owned()))
    }

    /// The list item `index` below this path.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.with(Segment::Index(index))
    }

    /// The map entry `key` below this path.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.with(Segment::Key(key.to_owned()))
    }

    /// Takes a step down in place, for walks that undo it with [`Path::pop`] instead of copying the path at every node.
    pub fn push(&mut self, segment: Segment) {
        self.0.push(segment);
    }

    /// Takes back the last [`Path::push`].
    pub fn pop(&mut self) {
        self.0.pop();
    }
}

impl FromIterator<Segment> for Path {
    fn from_iter<I: IntoIterator<Item = Segment>>(segments: I) -> Self {
        Self(segments.into_iter().collect())
    }
}

impl fmt::Display for Path {
    /// As `field.Path.String`: `spec.versions[0].schema.properties[a]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("<nil>");
        }
        for (n, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Field(name) if n == 0 => f.write_str(name)?,
                Segment::Field(name) => write!(f, ".{name}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) => write!(f, "[{key}]")?,
            }
        }
        Ok(())
    }
}

/// The reason of a cause (`field.ErrorType`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ErrorType {
    /// A referred value does not exist.
    NotFound,
    /// A required value is missing.
    Required,
    /// A value that must be unique is there twice.
    Duplicate,
    /// A malformed value.
    Invalid,
    /// A value outside the supported ones.
    NotSupported,
    /// A value that is not allowed here.
    Forbidden,
    /// A value longer than allowed.
    TooLong,
    /// More values than allowed.
    TooMany,
    /// Fewer values than demanded.
    TooFew,
    /// Something went wrong that is not the request's fault.
    Internal,
    /// A value of the wrong type.
    TypeInvalid,
    /// A value shorter than demanded.
    TooShort,
}

impl ErrorType {
    /// The cause's reason as the API prints it (`FieldValueRequired` and so on).
    pub const fn reason(self) -> &'static str {
        match self {
            Self::NotFound => "FieldValueNotFound",
            Self::Required => "FieldValueRequired",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Invalid => "FieldValueInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::TooFew => "FieldValueTooFew",
            Self::Internal => "InternalError",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::TooShort => "FieldValueTooShort",
        }
    }

    /// The words before the value in the message (`field.ErrorType.String`).
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotFound => "Not found",
            Self::Required => "Required value",
            Self::Duplicate => "Duplicate value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::Forbidden => "Forbidden",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::TooFew => "Too few",
            Self::Internal => "Internal error",
            Self::TooShort => "Too short",
        }
    }
}

/// One cause of a rejection (`field.Error`).
#[derive(Clone, PartialEq, Debug)]
pub struct Error {
    /// The reason.
    pub kind: ErrorType,
    /// Where, in the API server's own (internal) form of the object.
    pub path: Path,
    /// The API server's words, without the value that may stand before them in the message.
    pub detail: String,
    /// The value as the message renders it (`"Widget"`, `3`, `{"Rule":…}`), empty where the message shows none.
    pub bad_value: String,
    /// Which of our diagnostic codes this is: kebab-case, set where the error is made. The pages of the codes name them.
    pub code: &'static str,
    /// What is known beyond these, for places and words: see [`Error::inner`], [`Error::cause`] and [`Error::place`].
    beyond: Option<Box<Beyond>>,
}

/// What is known of an error beyond what the API server says. In a box, since most have nothing of it, and many are made and dropped.
#[derive(Clone, PartialEq, Debug, Default)]
struct Beyond {
    inner: Option<std::ops::Range<usize>>,
    cause: Option<Cause>,
    about: Option<Path>,
    others: Vec<(IssueKind, std::ops::Range<usize>)>,
}

/// Problems of an expression that are kept beside the first.
const MAX_OTHERS: usize = 10;

/// The findings of one document that are told take about so many bytes at most; of the others it is told how many there are. Some ten
/// thousand of the usual length have room.
pub const MAX_FINDING_BYTES: usize = 8 << 20;

/// The room that there is for the findings of one document.
#[derive(Clone, Copy, Debug, Default)]
pub struct Room {
    taken: usize,
}

impl Room {
    /// Whether there is some.
    pub fn is_left(self) -> bool {
        self.taken < MAX_FINDING_BYTES
    }

    /// Takes some. The last finding may take more than there is.
    pub fn take(&mut self, bytes: usize) {
        self.taken = self.taken.saturating_add(bytes);
    }
}

/// Bytes that a finding takes beside its words, once it has a place and is printed.
pub const FINDING_BYTES: usize = 256;

/// Drops findings that the memory budget has no room for ([`budget::tell`]). The first one always stays, so that an
/// empty list still means that nothing was found.
pub fn leave_out<T>(findings: &mut Vec<T>, bytes: impl Fn(&T) -> usize) {
    let mut is_first = true;
    findings.retain(|it| {
        let bytes = bytes(it) as u64;
        let is_kept = std::mem::take(&mut is_first) && bytes > budget::left().findings;
        is_kept || budget::tell(bytes)
    });
}

impl Path {
    /// About the bytes that it takes.
    pub fn bytes(&self) -> usize {
        let segment = |it: &Segment| match it {
            Segment::Field(name) | Segment::Key(name) => name.len(),
            Segment::Index(_) => 0,
        };
        self.0.iter().map(|it| size_of::<Segment>() + segment(it)).sum()
    }
}

impl Error {
    /// About the bytes that it takes.
    pub fn bytes(&self) -> usize {
        let cause = self.beyond.as_ref().and_then(|it| it.cause.as_ref());
        let beyond = cause.map_or(0, Cause::bytes);
        FINDING_BYTES + self.path.bytes() + self.detail.len() + self.bad_value.len() + beyond
    }

    /// An error without a place inside the value.
    pub fn new(
        kind: ErrorType,
        code: &'static str,
        path: Path,
        bad_value: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            path,
            detail: detail.into(),
            bad_value: bad_value.into(),
            code,
            beyond: None,
        }
    }

    fn beyond(&mut self) -> &mut Beyond {
        self.beyond.get_or_insert_default()
    }

    /// The same error, about a part of the value: bytes of the decoded string (a token of a rule, the bad part of a pattern).
    #[must_use]
    pub fn within(mut self, inner: std::ops::Range<usize>) -> Self {
        self.beyond().inner = Some(inner);
        self
    }

    /// The same error, about another place than the one that the API server names.
    #[must_use]
    pub fn really_about(mut self, place: Path) -> Self {
        self.beyond().about = Some(place);
        self
    }

    /// The same error with its data.
    #[must_use]
    pub fn because(mut self, cause: Cause) -> Self {
        self.beyond().cause = Some(cause);
        self
    }

    /// The same error, which names further problems of the expression, each at bytes of it. The first ones are kept.
    #[must_use]
    pub fn with_others(mut self, others: impl IntoIterator<Item = (IssueKind, std::ops::Range<usize>)>) -> Self {
        let others: Vec<_> = others.into_iter().take(MAX_OTHERS).collect();
        if !others.is_empty() {
            self.beyond().others = others;
        }
        self
    }

    /// Further problems of an expression, each with its bytes in the decoded string.
    pub fn others(&self) -> &[(IssueKind, std::ops::Range<usize>)] {
        self.beyond.as_ref().map_or(&[], |it| &it.others)
    }

    /// The part of the value that it is about, in bytes of the decoded string, if it knows one.
    pub fn inner(&self) -> Option<std::ops::Range<usize>> {
        self.beyond.as_ref()?.inner.clone()
    }

    /// What it is about beyond code and path, where these do not say all.
    pub fn cause(&self) -> Option<&Cause> {
        self.beyond.as_ref()?.cause.as_ref()
    }

    /// The place that it is about: mostly the one that the API server names.
    pub fn place(&self) -> &Path {
        let about = self.beyond.as_ref().and_then(|it| it.about.as_ref());
        about.unwrap_or(&self.path)
    }
}
