//! Go formatting that appears in the API server's messages.

pub mod base64;
mod case;
mod number;
mod space;
mod time;

pub use case::to_lower;
pub use crd_analyzer_gostd::{is_print, quote};
pub use number::{json_float, plain_float};
pub use space::trim_space;
pub use time::{Layout, Moment, date, days_since_1970, parse_time, read_rfc3339};
