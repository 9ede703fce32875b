//! Formats values like Go's `%v` in `cel-go`, for error messages.

use std::fmt;

use crd_analyzer_budget as budget;

use super::Value;
use crate::go::double_g;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // If the budget is exhausted, printing stops. The evaluation then has no result, so the incomplete message does not matter.
        if budget::bytes(8 + self.text_bytes()).is_err() {
            return Ok(());
        }
        match self {
            Self::Null => f.write_str("0"),
            Self::Bool(b) => write!(f, "{b}"),
            Self::Int(i) => write!(f, "{i}"),
            Self::Uint(u) => write!(f, "{u}"),
            Self::Double(d) => f.write_str(&double_g(*d)),
            Self::String(s) => f.write_str(s),
            Self::Bytes(b) => {
                f.write_str("[")?;
                for (at, byte) in b.iter().enumerate() {
                    write!(f, "{}{byte}", if at == 0 { "" } else { " " })?;
                }
                f.write_str("]")
            }
            Self::Duration(d) => f.write_str(&d.go_string()),
            Self::Timestamp(t) => f.write_str(&t.go_string()),
            Self::List(l) => {
                f.write_str("[")?;
                for (at, value) in l.iter().enumerate() {
                    f.write_str(if at == 0 { "" } else { ", " })?;
                    match value {
                        Ok(value) => write!(f, "{value}")?,
                        Err(error) => write!(f, "{error}")?,
                    }
                }
                f.write_str("]")
            }
            Self::Map(m) => {
                f.write_str("{")?;
                for (at, key) in m.keys().into_iter().enumerate() {
                    f.write_str(if at == 0 { "" } else { ", " })?;
                    match m.find(&key) {
                        Ok(Some(value)) => write!(f, "{key}: {value}")?,
                        Ok(None) => write!(f, "{key}: <nil>")?,
                        Err(error) => write!(f, "{key}: {error}")?,
                    }
                }
                f.write_str("}")
            }
            Self::Optional(Some(value)) => write!(f, "optional({value})"),
            Self::Optional(None) => f.write_str("optional.none()"),
            Self::Type(ty) => f.write_str(&ty.type_name()),
            Self::Opaque(o) => write!(f, "{o}"),
            Self::Raw(raw) => write!(f, "{raw:?}"),
        }
    }
}

/// Bytes in padded base64 with the standard alphabet.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            text.push(if digit <= chunk.len() {
                char::from(DIGITS[(group >> (18 - 6 * digit) & 63) as usize])
            } else {
                '='
            });
        }
    }
    text
}
