//! Whether the user trusts the workspace.
//!
//! VS Code asks its user and says so when the session begins (`trusted` in the initialization options) and when trust is granted
//! later. Other editors have no such question: without an answer, the workspace is trusted. In a workspace that is not trusted, git and
//! kubectl are not run, and Go files are read in the workspace's folders only.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

/// The answer.
#[derive(Debug)]
pub(crate) struct Trust(AtomicBool);

impl Default for Trust {
    fn default() -> Self {
        Self(AtomicBool::new(true))
    }
}

impl Trust {
    /// Reads what the initialization options say. Settings don't count: a workspace can have some of its own.
    pub(crate) fn read(&self, options: &Value) {
        if let Some(answer) = options.get("trusted") {
            self.0.store(answer.as_bool().unwrap_or(false), Ordering::Release);
        }
    }

    /// The user trusts the workspace from now on. Returns whether that is new.
    pub(crate) fn grant(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }

    /// Whether the workspace is trusted.
    pub(crate) fn is_granted(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_workspace_is_trusted_unless_the_editor_says_otherwise() {
        for (options, expected) in [
            (json!(null), true),
            (json!({}), true),
            (json!({"trusted": true}), true),
            (json!({"trusted": false}), false),
            (json!({"trusted": "yes"}), false),
            (json!({"trusted": null}), false),
            (json!({"crd-analyzer": {"trusted": false}}), true),
            (json!({"trusted": false, "crd-analyzer": {"trusted": true}}), false),
        ] {
            let trust = Trust::default();
            trust.read(&options);
            assert_eq!(trust.is_granted(), expected, "{options}");
            assert_eq!(trust.grant(), !expected);
            assert!(trust.is_granted());
        }
    }
}
