//! Fingerprints identify a finding across runs even if it has moved. They are made from the code of the finding, the object, and the field, or the
//! content of the line if the finding has no field.

use std::collections::HashMap;

use crd_analyzer_syntax::lines::LineIndex;
use crd_analyzer_workspace::{
    findings::finding::{Finding, ServerSays},
    findings::report::DocumentReport,
};

/// The name and version of this fingerprint algorithm. A change of the algorithm needs a new version.
pub(super) const NAME: &str = "crdAnalyzer/v1";

/// The maximum number of bytes of a line that affect the fingerprint.
const MOST_OF_A_LINE: usize = 1_000;

/// A hash that identifies the finding in copies of its object in other files.
pub(super) fn identity(document: &DocumentReport, finding: &Finding, text: &str, lines: &LineIndex) -> u64 {
    let mut hash = hash_of(Some((document, name(document))), finding, text, lines);
    hash.add(&finding.headline);
    hash.0
}

/// The name of an object as written in the file. A kustomization may change this name.
fn name(document: &DocumentReport) -> &str {
    document.written_name.as_deref().unwrap_or(&document.name)
}

/// The hash of a finding. `document` also contains the name of the object.
fn hash_of(document: Option<(&DocumentReport, &str)>, finding: &Finding, text: &str, lines: &LineIndex) -> Hash {
    let mut hash = Hash::default();
    hash.add(finding.code);
    if let Some((document, name)) = document {
        for part in [&document.api_version, &document.kind, name] {
            hash.add(part);
        }
    }
    if let Some(ServerSays::Cause { field, .. }) = &finding.server {
        hash.add(field);
    } else {
        let line = lines.line_of(finding.span.start);
        let (start, end) = (lines.line_start(line) as usize, lines.line_start(line + 1) as usize);
        let end = text.floor_char_boundary(end.min(start + MOST_OF_A_LINE));
        hash.add(text[start..end.max(start)].trim());
    }
    hash
}

/// The fingerprints of a file. Equal fingerprints get a number, so that all are unique.
#[derive(Clone, Default)]
pub(super) struct Fingerprints {
    seen: HashMap<u64, usize>,
}

impl Fingerprints {
    pub(super) fn of(
        &mut self,
        document: Option<&DocumentReport>,
        finding: &Finding,
        text: &str,
        lines: &LineIndex,
    ) -> String {
        let document = document.map(|it| (it, name(it)));
        self.numbered(&hash_of(document, finding, text, lines))
    }

    /// The fingerprint in earlier versions of crd-analyzer. It used the name of the object after kustomize changed it.
    pub(super) fn earlier(
        &mut self,
        document: &DocumentReport,
        finding: &Finding,
        text: &str,
        lines: &LineIndex,
    ) -> String {
        self.numbered(&hash_of(Some((document, &document.name)), finding, text, lines))
    }

    /// The fingerprint of some strings.
    pub(super) fn of_parts(&mut self, parts: &[&str]) -> String {
        let mut hash = Hash::default();
        for part in parts {
            hash.add(part);
        }
        self.numbered(&hash)
    }

    fn numbered(&mut self, hash: &Hash) -> String {
        let count = self.seen.entry(hash.0).or_default();
        *count += 1;
        format!("{:016x}:{count}", hash.0)
    }
}

/// FNV-1a, a hash that is the same on all platforms and in all releases.
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn add(&mut self, part: &str) {
        // A byte that does not occur in UTF-8 separates the parts.
        for byte in part.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
