//! Converts custom resources between versions of their CRD as the API server does on reads, and finds what is lost on the way.
//!
//! A conversion webhook is called through the trait [`Webhook`], and its answers are checked as the API server checks them.
//! [`round_trips()`] converts random objects there and back.
//!
//! This crate knows no YAML, no files and no network: it takes objects and returns objects and findings. Random objects are the same for
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
