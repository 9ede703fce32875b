//! Prepares a rule for the analysis, and limits the effort of searches.

use crd_analyzer_budget::{self as budget, Limits};

use super::{CheckedRule, Node, RULE_BYTES, WORK_PER_EFFORT};
use crate::{Effort, reads::Reads};

impl<'s> Node<'s> {
    /// The rule with this index, if it compiles.
    pub(super) fn asked<'n>(&'n self, n: usize) -> Option<CheckedRule<'n, 's>> {
        let (rule, written) = (self.rules.get(n)?, self.schema.validations().get(n)?);
        let expression = rule.rule.as_ref()?;
        Some(CheckedRule {
            node: self,
            n,
            written,
            expression,
            reads: Reads::of(&expression.checked.ast, self.schema, &self.context),
            is_transition: rule.uses_old_self && written.optional_old_self != Some(true),
            uses_old_self: rule.uses_old_self,
        })
    }

    /// Runs a search within the effort.
    pub(super) fn spend(effort: &mut Effort, search: impl FnOnce(&mut u64)) {
        let mut left = effort.per_rule.min(effort.left);
        let whole = left;
        let limits = Limits {
            work: left * WORK_PER_EFFORT,
            bytes: RULE_BYTES,
            ..Limits::NONE
        };
        let before = budget::left().work;
        budget::within(limits, || search(&mut left));
        let worked = before.saturating_sub(budget::left().work) / WORK_PER_EFFORT;
        effort.left = effort.left.saturating_sub(worked.max(whole - left));
    }
}
