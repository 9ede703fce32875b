//! Whether the user trusts the workspace.
//!
//! VS Code asks the user. It reports the answer at startup (`trusted` in the initialization options), and later if the user grants trust. Other
//! editors do not ask, so a workspace without an answer is trusted. In an untrusted workspace, crd-analyzer does not run git and kubectl, and reads
//! Go files only in the workspace folders.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

/// Whether the workspace is trusted.
#[derive(Debug)]
pub(crate) struct Trust(AtomicBool);

impl Default for Trust {
    fn default() -> Self {
        Self(AtomicBool::new(true))
    }
}

impl Trust {
    /// Reads the initialization options. Does not read settings, because a workspace can contain its own settings.
    pub(crate) fn read(&self, options: &Value) {
        if let Some(answer) = options.get("trusted") {
            self.0.store(answer.as_bool().unwrap_or(false), Ordering::Release);
        }
    }

    /// Marks the workspace as trusted. Returns whether it was untrusted before.
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
