//! The CA bundle of a webhook (`k8s.io/apiserver/pkg/util/webhook`, `ValidateCABundle`).

use super::certificate::{parse_certificate, pem};

/// The reason why the API server cannot use the bundle, which needs at least one PEM certificate that the API server can parse. `None` if the bundle
/// is valid.
pub(super) fn ca_bundle_error(bundle: &[u8]) -> Option<String> {
    let mut rest = bundle;
    let mut first_error = None;
    // A single valid certificate is enough. Without one, the first error is reported.
    while !rest.is_empty() {
        let Some((block, after)) = pem::decode(rest) else {
            first_error = first_error.or_else(|| Some("unable to parse bytes as PEM block".to_owned()));
            break;
        };
        rest = after;
        if block.label != b"CERTIFICATE" || block.has_headers {
            continue;
        }
        match parse_certificate(&block.bytes) {
            Ok(()) => return None,
            Err(error) => {
                first_error = first_error.or_else(|| Some(format!("failed to parse certificate: {error}")));
            }
        }
    }
    let error = first_error.unwrap_or_else(|| "no valid certificate authority data seen".to_owned());
    Some(format!("unable to load root certificates: {error}"))
}
#[cfg(test)]
mod tests {
    use super::*;
    use crd_analyzer_schema::go::base64::{self, Alphabet};

    /// A certificate with an Ed25519 key.
    const CERTIFICATE: &str = "MIIBIjCB1aADAgECAgEGMAUGAytlcDAZMQswCQYDVQQKDALDqTEKMAgGA1UEAxMBeDAeFw0yNjExMjEwNDEwM\
        DBaFw0yNjExMjIwNDEwMDBaMBkxCzAJBgNVBAoMAsOpMQowCAYDVQQDEwF4MCowBQYDK2VwAyEA48GYVtS5dNwhE8TpAijia3mNna03BR691is+b/b\
        Wg6+jQjBAMA4GA1UdDwEB/wQEAwICBDAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBSKgfHZAyQx1sJsly8kvK/PG3fNkDAFBgMrZXADQQB7V2hom\
        T8J2mGgxsDzL8yvzOtx8LyzBHG0ZEhINlsn8zpdzwFYgzFhoiYIKQVl9365c3I+CeOsFGfMe+jjtYsL";

    fn check(bundle: &str, expected: Option<&str>) {
        let seen = ca_bundle_error(bundle.as_bytes());
        let words = |it: &String| it.replacen("unable to load root certificates: ", "", 1);
        assert_eq!(seen.as_ref().map(words).as_deref(), expected, "{bundle}");
    }

    fn pem(certificate: &str) -> String {
        format!("-----BEGIN CERTIFICATE-----\n{certificate}\n-----END CERTIFICATE-----\n")
    }

    #[test]
    fn wants_one_good_certificate() {
        let good = pem(CERTIFICATE);
        check(&good, None);
        check(&format!("# a comment\n{}{good}", pem("AAAA")), None);
        check("x", Some("unable to parse bytes as PEM block"));
        check(
            &pem("AAAA"),
            Some("failed to parse certificate: x509: malformed certificate"),
        );
        let key = "-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n";
        check(key, Some("no valid certificate authority data seen"));
        check(&format!("{key}\n"), Some("unable to parse bytes as PEM block"));
    }

    /// Changes one byte of the certificate and checks Go's error.
    #[test]
    fn says_what_is_wrong_with_a_certificate() {
        let certificate = base64::decode(CERTIFICATE, Alphabet::Standard).expect("it is base64");
        for (at, byte, expected) in [
            (1, 0x81, "x509: malformed certificate"),
            (9, 0x31, "x509: malformed version"),
            (11, 0x5, "x509: invalid version"),
            (14, 0x86, "x509: negative serial number"),
            (
                20,
                0x64,
                "x509: inner and outer signature algorithm identifiers don't match",
            ),
            (27, 0x8, "x509: invalid RDNSequence: invalid attribute value"),
            (
                33,
                0x13,
                "x509: invalid RDNSequence: invalid attribute value: invalid PrintableString",
            ),
            (
                35,
                0x28,
                "x509: invalid RDNSequence: invalid attribute value: invalid UTF-8 string",
            ),
            (55, 0x39, "x509: malformed UTCTime"),
            (65, 0x7a, "x509: malformed UTCTime"),
            (50, 0x17, "x509: malformed UTCTime"),
            (114, 0x80, "x509: malformed OID"),
            (118, 0x20, "x509: wrong Ed25519 public key size"),
            (159, 0x6, "x509: malformed extension OID field"),
            (229, 0x3, "x509: malformed signature"),
        ] {
            let mut changed = certificate.clone();
            changed[at] = byte;
            let seen = super::super::certificate::parse_certificate(&changed);
            assert_eq!(seen, Err(expected.to_owned()), "{at}");
        }
    }
}
