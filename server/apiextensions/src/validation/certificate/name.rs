//! Distinguished names (`parseName`, `parseASN1String`).

use super::der::{Der, tag};
use super::{Parsed, malformed, or};

/// Checks the content of a name's sequence.
pub(super) fn check_name(mut name: Der<'_>) -> Parsed {
    while !name.is_empty() {
        let mut set = or(name.read(tag::SET), "invalid RDNSequence")?;
        while !set.is_empty() {
            let mut attribute = or(set.read(tag::SEQUENCE), "invalid RDNSequence: invalid attribute")?;
            or(attribute.read_oid(), "invalid RDNSequence: invalid attribute type")?;
            let (tag, value) = or(attribute.read_any(), "invalid RDNSequence: invalid attribute value")?;
            if let Some(wrong) = string_error(tag, value.0) {
                return malformed(&format!("invalid RDNSequence: invalid attribute value: {wrong}"));
            }
        }
    }
    Ok(())
}

/// The error in a string with this tag, if any.
fn string_error(tag: u8, value: &[u8]) -> Option<String> {
    let (is_valid, kind) = match tag {
        tag::T61_STRING => return None,
        tag::PRINTABLE_STRING => (value.iter().all(|&byte| is_printable(byte)), "PrintableString"),
        tag::UTF8_STRING => (std::str::from_utf8(value).is_ok(), "UTF-8 string"),
        tag::BMP_STRING => (is_bmp(value), "BMPString"),
        tag::IA5_STRING => (value.is_ascii(), "IA5String"),
        tag::NUMERIC_STRING => {
            let is_numeric = |byte: &u8| byte.is_ascii_digit() || *byte == b' ';
            (value.iter().all(is_numeric), "NumericString")
        }
        _ => return Some(format!("unsupported string type: {tag}")),
    };
    (!is_valid).then(|| format!("invalid {kind}"))
}

/// Whether a byte is valid in a PrintableString. Like Go, allows two more characters because they occur in real certificates.
fn is_printable(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b" '()+,-./:=?*&".contains(&byte)
}

/// Whether the bytes are valid 16-bit characters, without surrogates and noncharacters.
fn is_bmp(value: &[u8]) -> bool {
    let value = value
        .strip_suffix(&[0, 0])
        .filter(|_| value.len().is_multiple_of(2))
        .unwrap_or(value);
    let reserved = |pair: &[u8]| {
        let point = u16::from_be_bytes([pair[0], pair[1]]);
        matches!(point, 0xfffe | 0xffff | 0xfdd0..=0xfdef | 0xd800..=0xdfff)
    };
    value.len().is_multiple_of(2) && !value.chunks_exact(2).any(reserved)
}
