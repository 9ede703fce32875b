//! Parts of Go's standard library, with its error messages: quoted strings and numbers (`strconv`), URLs (`net/url`) and IP
//! addresses (`net/netip`), all of Go 1.26.

mod float;
mod is_print;
pub mod netip;
mod quote;
mod unquote;
pub mod url;

pub use float::parse_float;
pub use is_print::is_print;
pub use quote::{quote, quote_bytes};
pub use unquote::{take_char, unquote, unquote_char};
