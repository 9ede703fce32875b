//! Public keys (`parsePublicKey`). Unknown algorithms are accepted.

use super::der::{BitString, Der, int_of, is_positive, tag};
use super::elliptic::{self, Curve};
use super::{Algorithm, Parsed, malformed, or};

/// Checks a key and its parameters.
pub(super) fn check_public_key(algorithm: &Algorithm<'_>, key: &BitString<'_>) -> Parsed {
    let key = key.right_aligned();
    match algorithm.oid.as_slice() {
        [1, 2, 840, 113_549, 1, 1, 1] => rsa(algorithm.parameters, Der(&key)),
        [1, 2, 840, 10_040, 4, 1] => dsa(algorithm.parameters, Der(&key)),
        [1, 2, 840, 10_045, 2, 1] => ecdsa(algorithm.parameters, &key),
        [1, 3, 101, 112] => ed25519(algorithm.parameters, &key),
        _ => Ok(()),
    }
}

fn rsa(parameters: &[u8], mut key: Der<'_>) -> Parsed {
    if parameters != [5, 0] {
        return malformed("RSA key missing NULL parameters");
    }
    let mut key = or(key.read(tag::SEQUENCE), "invalid RSA public key")?;
    let modulus = or(key.read_integer(), "invalid RSA modulus")?;
    let exponent = or(key.read_integer().and_then(int_of), "invalid RSA public exponent")?;
    if !is_positive(modulus) {
        return malformed("RSA modulus is not a positive number");
    }
    if exponent <= 0 {
        return malformed("RSA public exponent is not a positive number");
    }
    Ok(())
}

fn dsa(parameters: &[u8], mut key: Der<'_>) -> Parsed {
    let y = or(key.read_integer(), "invalid DSA public key")?;
    let parameters = Der(parameters)
        .read(tag::SEQUENCE)
        .and_then(|mut it| Some([it.read_integer()?, it.read_integer()?, it.read_integer()?]));
    let [p, q, g] = or(parameters, "invalid DSA parameters")?;
    if ![y, p, q, g].into_iter().all(is_positive) {
        return malformed("zero or negative DSA parameter");
    }
    Ok(())
}

fn ecdsa(parameters: &[u8], key: &[u8]) -> Parsed {
    let curve = or(Der(parameters).read_oid(), "invalid ECDSA parameters")?;
    let curve = match curve.as_slice() {
        [1, 3, 132, 0, 33] => Curve::P224,
        [1, 2, 840, 10_045, 3, 1, 7] => Curve::P256,
        [1, 3, 132, 0, 34] => Curve::P384,
        [1, 3, 132, 0, 35] => Curve::P521,
        _ => return malformed("unsupported elliptic curve"),
    };
    elliptic::check_point(curve, key)
}

fn ed25519(parameters: &[u8], key: &[u8]) -> Parsed {
    if !parameters.is_empty() {
        return malformed("Ed25519 key encoded with illegal parameters");
    }
    if key.len() != 32 {
        return malformed("wrong Ed25519 public key size");
    }
    Ok(())
}
