//! Transition rules: rules that read `oldSelf`, the value before an update.

use crd_analyzer_cel::value::Result as CelResult;

use super::bindings::Bindings;
use crate::{ValidationRule, rules::CompiledRule};

/// `self` and `oldSelf` for the rules of a schema.
pub(super) struct Values {
    /// The variables for rules without `optionalOldSelf`.
    plain: Bindings,
    /// The variables with `oldSelf` as an optional, for rules with `optionalOldSelf`.
    optional: Bindings,
    /// Whether the value is new, that is, without an old value.
    is_new: bool,
}

impl Values {
    pub(super) fn new(this: CelResult, old: Option<CelResult>, is_new: bool) -> Self {
        let plain = Bindings::new(this).with_old(old.clone());
        Self {
            optional: plain.clone().with_optional_old(old),
            plain,
            is_new,
        }
    }

    /// The variables of a rule, or `None` if the rule does not run: on a new value, a transition rule runs only with `optionalOldSelf`
    /// (`validator.validateExpressions`). A rule that does not compile always runs, so that its error is reported.
    pub(super) fn of_rule(&self, written: &ValidationRule, compiled: &CompiledRule) -> Option<&Bindings> {
        if written.optional_old_self == Some(true) {
            return Some(&self.optional);
        }
        let runs = !(compiled.uses_old_self && self.is_new && compiled.error.is_none());
        runs.then_some(&self.plain)
    }

    /// The variables of message expressions.
    pub(super) const fn of_messages(&self) -> &Bindings {
        &self.plain
    }
}
