//! What servers make of definitions: prepared once for each text and minor.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock, Weak},
};

use crd_analyzer_apiextensions::strategy::Stored;
use crd_analyzer_resource::Definition;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::json::read_json_of;

use super::{
    definition_text::{DefinitionText, Fingerprint, KnownDefinition},
    files::Files,
};

/// A definition as the servers of the minors that were asked serve it; `None`: nothing can be made of the text.
pub(super) struct ServedByMinor(HashMap<KubernetesVersion, OnceLock<Option<Arc<Definition>>>>);

impl Default for ServedByMinor {
    fn default() -> Self {
        Self(KubernetesVersion::all().map(|it| (it, OnceLock::new())).collect())
    }
}

impl ServedByMinor {
    fn get(&self, text: &DefinitionText, version: KubernetesVersion) -> Option<Arc<Definition>> {
        self.0.get(&version)?.get_or_init(|| prepare(text, version)).clone()
    }
}

fn prepare(text: &DefinitionText, version: KubernetesVersion) -> Option<Arc<Definition>> {
    let json = read_json_of(&text.tree, text.root).ok()?;
    let stored = Stored::establish(&json, version)?;
    Some(Arc::new(Definition::new(stored, version)))
}

/// A definition as a server serves it, and its text.
pub type Served = (Arc<Definition>, Arc<DefinitionText>);

/// The text of a definition that nothing can be made of; `None`: it is gone.
pub type Unserved = Option<Arc<DefinitionText>>;

impl KnownDefinition {
    /// The definition as a server of this minor serves it, with its text.
    pub fn serve(&self, files: &dyn Files, version: KubernetesVersion) -> Result<Served, Unserved> {
        let (known, text) = self.readable_text(files).ok_or(None)?;
        match known.served.get(&text, version) {
            Some(definition) => Ok((definition, text)),
            None => Err(Some(text)),
        }
    }
}

/// By the text of the document and the position in a list. What no one uses any more is forgotten.
#[derive(Default)]
pub(super) struct Memo {
    by_text: HashMap<(Fingerprint, Option<usize>), Weak<ServedByMinor>>,
    /// When there are as many, it is time to look which are still used.
    full: usize,
}

/// Fewer are not worth a look.
const FEW: usize = 1_000;

impl Memo {
    pub(super) fn of(&mut self, text: Fingerprint, item: Option<usize>) -> Arc<ServedByMinor> {
        let slot = self.by_text.entry((text, item)).or_default();
        if let Some(known) = slot.upgrade() {
            return known;
        }
        let new = Arc::<ServedByMinor>::default();
        *slot = Arc::downgrade(&new);
        if self.by_text.len() > self.full {
            self.by_text.retain(|_, it| it.strong_count() > 0);
            self.full = self.by_text.len().max(FEW) * 2;
        }
        new
    }
}
