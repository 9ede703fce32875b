//! CRDs as API servers serve them. Each is prepared once for each text and Kubernetes version.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock, Weak},
};

use crd_analyzer_resource::Definition;
use crd_analyzer_schema::KubernetesVersion;

use super::{decides::Decides, fingerprint::Fingerprint};

/// A CRD as the API server of each Kubernetes version serves it. `None` if the text cannot be decoded.
pub(super) struct ServedByVersion {
    by_version: HashMap<KubernetesVersion, OnceLock<Option<Arc<Definition>>>>,
    /// The fingerprints of the parts of the text that affect resources.
    pub(super) decides: Decides,
}

impl Default for ServedByVersion {
    fn default() -> Self {
        Self {
            by_version: KubernetesVersion::all().map(|it| (it, OnceLock::new())).collect(),
            decides: Decides::default(),
        }
    }
}

impl ServedByVersion {
    /// The CRD as the API server of this Kubernetes version serves it. Calls `prepare` on first use.
    pub(super) fn get(
        &self,
        version: KubernetesVersion,
        prepare: impl FnOnce() -> Option<Definition>,
    ) -> Option<Arc<Definition>> {
        let served = self.by_version.get(&version)?.get_or_init(|| prepare().map(Arc::new));
        served.clone()
    }
}

/// The prepared CRDs, by the text of the document and the index in a list. Entries that are no longer used are dropped.
#[derive(Default)]
pub(super) struct Memo {
    by_text: HashMap<(Fingerprint, Option<usize>), Weak<ServedByVersion>>,
    /// The number of entries at which those that are no longer used are dropped.
    full: usize,
}

/// The minimum value of `full`.
const FEW: usize = 1_000;

impl Memo {
    pub(super) fn of(&mut self, text: Fingerprint, item: Option<usize>) -> Arc<ServedByVersion> {
        let slot = self.by_text.entry((text, item)).or_default();
        if let Some(known) = slot.upgrade() {
            return known;
        }
        let new = Arc::<ServedByVersion>::default();
        *slot = Arc::downgrade(&new);
        if self.by_text.len() > self.full {
            self.by_text.retain(|_, it| it.strong_count() > 0);
            self.full = self.by_text.len().max(FEW) * 2;
        }
        new
    }
}
