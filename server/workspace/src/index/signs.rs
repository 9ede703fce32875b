//! Finds out whether a text may contain something that affects objects in other files, namely a CRD or a mutating webhook. The text is searched but
//! not parsed, because most texts contain neither.

use crd_analyzer_apiextensions::kind::CRD;
use memchr::memmem;

use super::webhooks;

/// Whether a file with these bytes may contain CRDs or mutating webhooks. It is unlikely that both the kind and its group are written with escapes.
pub fn may_decide(bytes: &[u8]) -> bool {
    let is_utf16 = bytes.iter().take(4).any(|it| [0, 0xFE, 0xFF].contains(it));
    let has = |sign: &str| memmem::find(bytes, sign.as_bytes()).is_some();
    is_utf16 || CRD.signs().into_iter().chain([webhooks::KIND]).any(has)
}

/// Whether a decoded text contains the string `CustomResourceDefinition`.
pub fn names_crds(text: &str) -> bool {
    CRD.is_named_in(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_sign_is_enough() {
        assert!(may_decide(b"kind: CustomResourceDefinition"));
        assert!(may_decide(
            b"{\"apiVersion\": \"apiextensions.k8s.io/v1\", \"kind\": \"Custom\\u0052esourceDefinition\"}"
        ));
        assert!(may_decide(b"kind: MutatingWebhookConfiguration"));
        assert!(!may_decide(b"kind: Widget"));
    }

    #[test]
    fn utf16_is_not_searched() {
        let text: Vec<u8> = "kind: Widget".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(may_decide(&text));
    }
}
