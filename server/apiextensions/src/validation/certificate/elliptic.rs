//! Checks that a point is on one of NIST's curves (`crypto/internal/fips140/nistec`): y² = x³ - 3x + b modulo p.

use num_bigint::BigUint;

use super::Parsed;

/// A NIST curve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Curve {
    P224,
    P256,
    P384,
    P521,
}

impl Curve {
    /// The curve's name, the size of a coordinate in bytes, and p and b in hexadecimal (FIPS 186-4, D.1.2).
    fn parameters(self) -> (&'static str, usize, &'static str, &'static str) {
        match self {
            Self::P224 => (
                "P224",
                28,
                "ffffffffffffffffffffffffffffffff000000000000000000000001",
                "b4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4",
            ),
            Self::P256 => (
                "P256",
                32,
                "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
                "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b",
            ),
            Self::P384 => (
                "P384",
                48,
                "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff",
                "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef",
            ),
            Self::P521 => (
                "P521",
                66,
                "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
                 ffffffffffffffffffffffffffffffffff",
                "0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf\
                 073573df883d2c34f1ef451fd46b503f00",
            ),
        }
    }
}

/// Checks a point, which must be uncompressed (`ecdsa.ParseUncompressedPublicKey`).
pub(super) fn check_point(curve: Curve, point: &[u8]) -> Parsed {
    let Some((4, coordinates)) = point.split_first() else {
        return Err("ecdsa: invalid uncompressed public key".to_owned());
    };
    let (name, size, p, b) = curve.parameters();
    if coordinates.len() != 2 * size {
        return Err(format!("invalid {name} point encoding"));
    }
    let number = |hex: &str| BigUint::parse_bytes(hex.as_bytes(), 16).unwrap_or_default();
    let (p, b) = (number(p), number(b));
    let (x, y) = coordinates.split_at(size);
    let (x, y) = (BigUint::from_bytes_be(x), BigUint::from_bytes_be(y));
    if x >= p || y >= p {
        let element = if curve == Curve::P256 {
            "P256 element".to_owned()
        } else {
            format!("{name}Element")
        };
        return Err(format!("invalid {element} encoding"));
    }
    // x³ - 3x, as x³ + (p - 3)x, which is never negative.
    let right = (&x * &x * &x + (&p - 3u32) * &x + b) % &p;
    if (&y * &y) % &p != right {
        return Err(format!("{name} point not on curve"));
    }
    Ok(())
}
