//! The rules that were tried last, ready to be tried again.

use std::sync::{Arc, Mutex, PoisonError};

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_suite::sample::{RuleName, Trial};

use crate::pause::Pause;

/// The maximum number of rules to keep ready.
const KEPT: usize = 4;

/// The rules that were tried last.
#[derive(Debug, Default)]
pub(crate) struct Trials {
    prepared: Mutex<Vec<Prepared>>,
    pub(crate) pause: Pause,
}

/// A rule of a CRD with this text, ready to be tried.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    pub(crate) content: Arc<str>,
    pub(crate) rule: RuleName,
    pub(crate) kubernetes: KubernetesVersion,
    pub(crate) trial: Arc<Trial>,
}

impl Trials {
    /// What is known of a rule, with any text of its CRD.
    pub(crate) fn get(&self, rule: &RuleName, kubernetes: KubernetesVersion) -> Option<Prepared> {
        let prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = prepared.iter();
        known.rfind(|it| it.is_of(rule, kubernetes)).cloned()
    }

    /// Replaces what was known of a rule.
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
