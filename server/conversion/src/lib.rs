//! Converts custom resources between versions of their CRD like the API server when it reads them, and finds the fields that are lost in the
//! conversion.
//!
//! A conversion webhook is called through the trait [`Webhook`], and its answers are checked in the same way as in the API server. [`round_trips()`]
//! converts random objects there and back.
//!
//! This crate does not use YAML, files or the network: its input are objects, and its output are objects and findings. Random objects are the same
//! for the same seed.

mod answer;
mod convert;
mod metadata;
mod review;
mod round_trips;
mod shrink;

pub use convert::{Converted, Converter, Failure, Webhook};
pub use review::Review;
pub use round_trips::{Finding, Kind, RoundTrips, round_trips};
