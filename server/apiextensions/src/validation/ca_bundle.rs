//! The CA bundle of a webhook (`k8s.io/apiserver/pkg/util/webhook`, `ValidateCABundle`).

use super::{pem, x509};

/// Why the server cannot use the bundle: it needs one certificate in PEM that it can parse.
pub(super) fn ca_bundle_error(bundle: &[u8]) -> Option<String> {
    let mut rest = bundle;
    let mut first_error = None;
    // Good certificates count wherever they stand; of what is bad, the first is told.
    while !rest.is_empty() {
        let Some((block, after)) = pem::decode(rest) else {
            first_error = first_error.or_else(|| Some("unable to parse bytes as PEM block".to_owned()));
            break;
        };
        rest = after;
        if block.label != b"CERTIFICATE" || block.has_headers {
            continue;
        }
        match x509::parse_certificate(&block.bytes) {
            Ok(()) => return None,
            Err(error) => {
                first_error = first_error.or_else(|| Some(format!("failed to parse certificate: {error}")));
            }
        }
    }
    let error = first_error.unwrap_or_else(|| "no valid certificate authority data seen".to_owned());
    Some(format!("unable to load root certificates: {error}"))
}
