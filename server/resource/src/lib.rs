//! Custom resources: the processing of a request from text to the stored object.
//!
//! A [`Definition`] contains what an API server prepares once for each CustomResourceDefinition that it serves; [`judge()`] processes
//! a document as a create or update request and returns the API server's answer.

pub mod codes;
mod decode;
mod definition;
mod judge;
mod nodes;
mod paths;
pub mod places;
mod prepare;
mod stored;
mod strategy;
mod verdict;
mod warnings;

pub use definition::{Definition, NotServed, ServedVersion};
pub use judge::{Question, Stored, judge, judge_known, judge_traced};
pub use stored::{Read, differences, read_converted, read_stored, with_defaults};
pub use verdict::{
    Change, ChangeKind, Decider, DecodeError, DecodePlace, NotFinished, RejectionCause, ResourceVerdict, StrictError,
    StrictErrorKind, Unjudged, Warning,
};
