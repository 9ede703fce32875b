//! Policies: which of the changes that break something are not allowed.

use crate::answer::{Answer, Direction, Effect};
use crate::change::{Change, PROPERTY_ADDED};
use crate::fate::Fate;

/// What is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// Nothing may break stored objects or writers. New defaults and nulls are allowed, since no object is refused or loses anything by them.
    #[default]
    Writers,
    /// Nothing may break anybody, and nothing may be stored other than before.
    Strict,
    /// The rules of the Kubernetes API conventions, by the stability level of the version: anything is allowed in an alpha version; beta and
    /// stable versions may get optional fields, new defaults for them, and wider validation.
    ApiConventions,
    /// What the Operator Lifecycle Manager refuses, see [`olm_refusals`](crate::olm_refusals): it has no opinion of single changes.
    Olm,
}

impl Policy {
    /// The name, as on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Writers => "writers",
            Self::Strict => "strict",
            Self::ApiConventions => "api-conventions",
            Self::Olm => "olm",
        }
    }

    /// Whether a policy is about a change in a direction at all.
    pub fn is_about(self, change: &Change, direction: Direction) -> bool {
        match self {
            Self::Strict => true,
            Self::Olm => false,
            Self::Writers => direction != Direction::Readers,
            Self::ApiConventions => {
                let is_alpha = change.version.as_deref().is_some_and(is_alpha);
                // Readers must be ready for fields and values that they do not know.
                direction != Direction::Readers && !is_alpha
            }
        }
    }

    /// What a policy makes of an answer.
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
                        // A default that was there must stay what it was; that of a new field is free.
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

    /// What a policy makes of something that happens to a stored object of a version.
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

    /// What a policy makes of all changes.
    pub fn verdict<'c>(self, changes: impl IntoIterator<Item = &'c Change>) -> Verdict {
        let each = |change: &'c Change| {
            let answers = change.each();
            let verdicts = answers.map(|(direction, answer)| self.judge(change, direction, answer));
            verdicts.max().unwrap_or_default()
        };
        changes.into_iter().map(each).max().unwrap_or_default()
    }
}

/// What a policy makes of changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Verdict {
    /// All is allowed.
    #[default]
    Compatible,
    /// Something is not known, and nothing is forbidden.
    Unknown,
    /// Something is forbidden.
    Breaks,
}

impl Verdict {
    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compatible => "compatible",
            Self::Unknown => "unknown",
            Self::Breaks => "breaks",
        }
    }
}

/// Whether a version is one that may change in any way: `v1alpha1`.
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
