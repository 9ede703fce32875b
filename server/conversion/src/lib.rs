//! Custom resources in another version of their CRD: as the API server converts them when it reads them, and what is lost on the way.
//!
//! A conversion webhook is asked through the trait [`Webhook`], and its answers are checked as the API server checks them.
//! [`round_trips()`] converts random objects there and back.
//!
//! This crate knows no YAML, no files and no network: objects go in, objects and findings come out. Random objects are the same for
//! the same seed.

mod answer;
mod convert;
mod metadata;
mod review;
mod round_trips;
mod shrink;

pub use convert::{Converted, Converter, Failure, Webhook};
pub use review::Review;
pub use round_trips::{Finding, Kind, RoundTrips, round_trips};
