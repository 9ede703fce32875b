//! A cache of the rules that the user tried last, compiled and ready to run again.

use std::sync::{Arc, Mutex, PoisonError};

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_suite::sample::{RuleName, Trial};

use crate::pause::Pause;

/// The maximum number of rules to keep.
const KEPT: usize = 4;

/// The rules that the user tried last.
#[derive(Debug, Default)]
pub(crate) struct Trials {
    prepared: Mutex<Vec<Prepared>>,
    pub(crate) pause: Pause,
}

/// A compiled rule, and the text of its CRD.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    pub(crate) content: Arc<str>,
    pub(crate) rule: RuleName,
    pub(crate) kubernetes: KubernetesVersion,
    pub(crate) trial: Arc<Trial>,
}

impl Trials {
    /// The compiled rule for a name. The text of its CRD may be older than the current one.
    pub(crate) fn get(&self, rule: &RuleName, kubernetes: KubernetesVersion) -> Option<Prepared> {
        let prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = prepared.iter();
        known.rfind(|it| it.is_of(rule, kubernetes)).cloned()
    }

    /// Adds a compiled rule, or replaces the one with the same name.
    pub(crate) fn put(&self, new: Prepared) {
        let mut prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        prepared.retain(|it| !it.is_of(&new.rule, new.kubernetes));
        if prepared.len() >= KEPT {
            prepared.remove(0);
        }
        prepared.push(new);
    }
}

impl Prepared {
    fn is_of(&self, rule: &RuleName, kubernetes: KubernetesVersion) -> bool {
        self.rule == *rule && self.kubernetes == kubernetes
    }
}
