//! Custom resources: the way of a request from text to what would be stored.
//!
//! A [`Definition`] is what an API server prepares once for a CustomResourceDefinition that it serves; [`judge()`] takes a
//! document the way of a create or update request and gives the API server's answer.

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
