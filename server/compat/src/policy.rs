//! Policies: which breaking changes are forbidden.

use crate::answer::{Answer, Direction, Effect};
use crate::change::{Change, PROPERTY_ADDED};
use crate::fate::Fate;

/// A policy defines the changes that are allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// Stored objects and writers must not break. New defaults and nulls are allowed, because they neither reject an object nor lose data.
    #[default]
    Writers,
    /// Nothing must break, and stored values must not differ from before.
    Strict,
    /// The Kubernetes API conventions, by the stability level of the version: alpha versions may change in any way; beta and stable versions may get
    /// optional fields, new defaults for these fields, and wider validation.
    ApiConventions,
    /// The checks of the Operator Lifecycle Manager, see [`olm_refusals`](crate::olm_refusals). They do not apply to individual changes.
    Olm,
}

impl Policy {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Writers => "writers",
            Self::Strict => "strict",
            Self::ApiConventions => "api-conventions",
            Self::Olm => "olm",
        }
    }

    /// Whether the policy applies to a change in a direction.
    pub fn is_about(self, change: &Change, direction: Direction) -> bool {
        match self {
            Self::Strict => true,
            Self::Olm => false,
            Self::Writers => direction != Direction::Readers,
            Self::ApiConventions => {
                let is_alpha = change.version.as_deref().is_some_and(is_alpha);
                // Readers have to tolerate unknown fields and values, so changes for readers are allowed.
                direction != Direction::Readers && !is_alpha
            }
        }
    }

    /// The policy's verdict on an answer.
    pub fn judge(self, change: &Change, direction: Direction, answer: &Answer) -> Verdict {
        if !self.is_about(change, direction) {
            return Verdict::Compatible;
        }
        match answer {
            Answer::Compatible { .. } => Verdict::Compatible,
            Answer::Unknown { .. } => Verdict::Unknown,
            Answer::Breaks { effect, .. } => {
                let is_allowed = match self {
                    Self::Strict => false,
                    Self::Olm => true,
                    Self::Writers => matches!(effect, Effect::Defaulted | Effect::NullKept),
                    Self::ApiConventions => {
                        // An existing default must not change, but a new field may have any default.
                        *effect == Effect::NullKept || *effect == Effect::Defaulted && change.code == PROPERTY_ADDED
                    }
                };
                if is_allowed {
                    Verdict::Compatible
                } else {
                    Verdict::Breaks
                }
            }
        }
    }

    /// The policy's verdict on the fate of a stored object of a version.
    pub fn judge_fate(self, fate: Fate, version: &str) -> Verdict {
        let is_forbidden = match (self, fate) {
            (Self::Olm, _) | (_, Fate::Tolerated) => false,
            (Self::ApiConventions, _) if is_alpha(version) => false,
            (_, Fate::Refused | Fate::Unserved | Fate::Pruned) => true,
            (_, Fate::Defaulted) => self == Self::Strict,
        };
        if is_forbidden {
            Verdict::Breaks
        } else {
            Verdict::Compatible
        }
    }

    /// The policy's verdict on all changes.
    pub fn verdict<'c>(self, changes: impl IntoIterator<Item = &'c Change>) -> Verdict {
        let each = |change: &'c Change| {
            let answers = change.each();
            let verdicts = answers.map(|(direction, answer)| self.judge(change, direction, answer));
            verdicts.max().unwrap_or_default()
        };
        changes.into_iter().map(each).max().unwrap_or_default()
    }
}

/// The verdict of a policy.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Verdict {
    /// Everything is allowed.
    #[default]
    Compatible,
    /// Nothing is known to be forbidden, but something is unknown.
    Unknown,
    /// Something is forbidden.
    Breaks,
}

impl Verdict {
    /// The lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compatible => "compatible",
            Self::Unknown => "unknown",
            Self::Breaks => "breaks",
        }
    }
}

/// Whether a version is an alpha version, such as `v1alpha1`, which may change in any way.
fn is_alpha(version: &str) -> bool {
    let rest = version.strip_prefix('v').unwrap_or(version);
    let rest = rest.trim_start_matches(|it: char| it.is_ascii_digit());
    rest.starts_with("alpha")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alpha_versions_are_told_by_their_names() {
        assert!(is_alpha("v1alpha1"));
        assert!(!is_alpha("v1beta1"));
        assert!(!is_alpha("v1"));
        assert!(!is_alpha("beta-alpha"));
    }
}
