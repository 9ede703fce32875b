//! Field paths and field errors (`k8s.io/apimachinery/pkg/util/validation/field`).

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
    /// A field of a struct: `.name` (`field.Path.Child`). As in the API server, the name may be empty or contain dots.
    Field(String),
    /// An index of a list: `[3]` (`field.Path.Index`).
    Index(usize),
    /// A key of a map: `[name]` (`field.Path.Key`).
    Key(String),
}

/// The path of an error in an object, from the root.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Path(Vec<Segment>);

impl Path {
    /// The root: a path without segments. Printed as `<nil>`, like a nil `*field.Path`.
    pub const fn root() -> Self {
        Self(Vec::new())
    }

    /// The path that consists of these fields, outermost first (`field.NewPath`).
    pub fn of<'a>(fields: impl IntoIterator<Item = &'a str>) -> Self {
        Self(fields.into_iter().map(|name| Segment::Field(name.to_owned())).collect())
    }

    /// The segments from the root.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// Returns this path with one more segment.
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

    /// Appends a segment in place. Walks remove the segment with [`Path::pop`] instead of copying the path at every node.
    pub fn push(&mut self, segment: Segment) {
        self.0.push(segment);
    }

    /// Removes the segment of the last [`Path::push`].
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
    /// Formats like `field.Path.String`: `spec.versions[0].schema.properties[a]`.
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

/// The type of an error (`field.ErrorType`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ErrorType {
    /// A referenced value does not exist.
    NotFound,
    /// A required value is missing.
    Required,
    /// A value that must be unique occurs twice.
    Duplicate,
    /// A malformed value.
    Invalid,
    /// A value that is not one of the supported values.
    NotSupported,
    /// A value that is not allowed here.
    Forbidden,
    /// A value longer than allowed.
    TooLong,
    /// More values than allowed.
    TooMany,
    /// Fewer values than required.
    TooFew,
    /// An internal error, which the request did not cause.
    Internal,
    /// A value of the wrong type.
    TypeInvalid,
    /// A value shorter than required.
    TooShort,
}

impl ErrorType {
    /// The reason in the API's status (`FieldValueRequired` and so on).
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

    /// The start of the message, before the value (`field.ErrorType.String`).
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
    /// The type.
    pub kind: ErrorType,
    /// The path in the API server's internal form of the object.
    pub path: Path,
    /// The API server's message, without the value that may precede it.
    pub detail: String,
    /// The value as the message shows it (`"Widget"`, `3`, `{"Rule":…}`); empty if the message shows none.
    pub bad_value: String,
    /// The diagnostic code, in kebab-case. Each code has a page.
    pub code: &'static str,
    /// Details that most errors lack: see [`Error::inner`], [`Error::cause`] and [`Error::place`].
    beyond: Option<Box<Beyond>>,
}

/// Details of an error beyond the API server's answer. They are boxed because most errors have none, and many errors are created and dropped.
#[derive(Clone, PartialEq, Debug, Default)]
struct Beyond {
    inner: Option<std::ops::Range<usize>>,
    cause: Option<Cause>,
    about: Option<Path>,
    others: Vec<(IssueKind, std::ops::Range<usize>)>,
}

/// The maximum number of further problems of an expression that an error keeps.
const MAX_OTHERS: usize = 10;

/// The limit on the total size of one document's reported errors, in bytes. Further errors are only counted. About ten thousand errors of the usual
/// length fit into the limit.
pub const MAX_FINDING_BYTES: usize = 8 << 20;

/// The memory left for the errors of one document, at first [`MAX_FINDING_BYTES`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Room {
    taken: usize,
}

impl Room {
    /// Whether any memory is left.
    pub fn is_left(self) -> bool {
        self.taken < MAX_FINDING_BYTES
    }

    /// Subtracts memory. The last error may exceed the limit.
    pub fn take(&mut self, bytes: usize) {
        self.taken = self.taken.saturating_add(bytes);
    }
}

/// The size of an error without its strings, in bytes. It includes the position of the error and its printed form.
pub const FINDING_BYTES: usize = 256;

/// Drops errors that do not fit into the memory budget ([`budget::tell`]). The first error always stays, so that an empty list still means success.
pub fn leave_out<T>(findings: &mut Vec<T>, bytes: impl Fn(&T) -> usize) {
    let mut is_first = true;
    findings.retain(|it| {
        let bytes = bytes(it) as u64;
        let is_kept = std::mem::take(&mut is_first) && bytes > budget::left().findings;
        is_kept || budget::tell(bytes)
    });
}

impl Path {
    /// The approximate size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        let segment = |it: &Segment| match it {
            Segment::Field(name) | Segment::Key(name) => name.len(),
            Segment::Index(_) => 0,
        };
        self.0.iter().map(|it| size_of::<Segment>() + segment(it)).sum()
    }
}

impl Error {
    /// The approximate size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        let cause = self.beyond.as_ref().and_then(|it| it.cause.as_ref());
        let beyond = cause.map_or(0, Cause::bytes);
        FINDING_BYTES + self.path.bytes() + self.detail.len() + self.bad_value.len() + beyond
    }

    /// Creates an error about the whole value.
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

    /// Narrows the error to a part of the value (a token of a rule, the bad part of a pattern), given in bytes of the decoded string.
    #[must_use]
    pub fn within(mut self, inner: std::ops::Range<usize>) -> Self {
        self.beyond().inner = Some(inner);
        self
    }

    /// Sets the path that the error is really about, if the API server names another path.
    #[must_use]
    pub fn really_about(mut self, place: Path) -> Self {
        self.beyond().about = Some(place);
        self
    }

    /// Adds the cause.
    #[must_use]
    pub fn because(mut self, cause: Cause) -> Self {
        self.beyond().cause = Some(cause);
        self
    }

    /// Adds further problems of the expression, each with its byte range in the expression. Only the first problems are kept.
    #[must_use]
    pub fn with_others(mut self, others: impl IntoIterator<Item = (IssueKind, std::ops::Range<usize>)>) -> Self {
        let others: Vec<_> = others.into_iter().take(MAX_OTHERS).collect();
        if !others.is_empty() {
            self.beyond().others = others;
        }
        self
    }

    /// Further problems of the expression, each with its byte range in the decoded string.
    pub fn others(&self) -> &[(IssueKind, std::ops::Range<usize>)] {
        self.beyond.as_ref().map_or(&[], |it| &it.others)
    }

    /// The part of the value that the error is about, as bytes of the decoded string, if known.
    pub fn inner(&self) -> Option<std::ops::Range<usize>> {
        self.beyond.as_ref()?.inner.clone()
    }

    /// The details of the error beyond its code and path, if any.
    pub fn cause(&self) -> Option<&Cause> {
        self.beyond.as_ref()?.cause.as_ref()
    }

    /// The path that the error is about: usually the path that the API server names.
    pub fn place(&self) -> &Path {
        let about = self.beyond.as_ref().and_then(|it| it.about.as_ref());
        about.unwrap_or(&self.path)
    }
}
