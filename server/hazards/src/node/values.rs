//! Example values that describe changes of a rule: accepted values, and values that only one rule rejects.

use serde_json::Value;

use super::{Node, Question};
use crate::read_fields::ReadFields;
use crate::search::Search;
use crate::static_analysis::{self, StaticResult};
use crate::{Effort, RuleFacts, Shown};

impl Node<'_> {
    /// Values that only one rule rejects.
    pub(crate) fn refused_by(&self, n: usize, most: usize, effort: &mut Effort) -> Vec<Shown> {
        let mut found = Vec::new();
        let Some(asked) = self.asked(n) else { return found };
        let others = asked.other_reads();
        Self::spend(effort, |left| {
            for question in asked.questions() {
                for (reads, is_first) in [(Some(&asked.reads), true), (others.as_ref(), false)] {
                    let Some(reads) = reads.filter(|_| found.len() < most) else {
                        continue;
                    };
                    let mut share = *left / 2;
                    let before = share;
                    let search = asked.first_cases(reads, is_first, *question, &mut share);
                    asked.search(reads, *question, search, &mut share, &mut |case, left| {
                        *left = left.saturating_sub(self.try_all());
                        let stored = self.stored(&case.sent);
                        let is_old_accepted = case.old.as_ref().is_none_or(|it| self.accepts(it));
                        if is_old_accepted && self.accepts(&stored) {
                            let answer = self.ask(&stored, case.old.as_ref(), Some(n));
                            if !answer.is_refused && answer.words.is_some() {
                                found.push(Shown {
                                    sent: case.sent,
                                    old: case.old,
                                });
                            }
                        }
                        found.len() < most
                    });
                    *left -= before - share;
                }
            }
        });
        found
    }

    /// Values that the schema and all rules accept.
    pub(crate) fn accepted(&self, most: usize, effort: &mut Effort) -> Vec<Value> {
        let mut found = Vec::new();
        let Some(asked) = (0..self.rules.len()).find_map(|n| self.asked(n)) else {
            return found;
        };
        let reads = asked.other_reads().unwrap_or_else(|| asked.reads.clone());
        Self::spend(effort, |left| {
            let mut share = *left / 2;
            let settled = asked.settled(&reads, Question::Create, &mut share);
            let search = Search::around(settled);
            asked.search(&reads, Question::Create, search, left, &mut |case, left| {
                *left = left.saturating_sub(self.try_all());
                let stored = self.stored(&case.sent);
                if self.accepts(&stored) && self.passes(&stored) {
                    found.push(case.sent);
                }
                found.len() < most
            });
        });
        found
    }

    /// Facts about a rule that are known without running the rule.
    pub(crate) fn facts(&self, n: usize) -> Option<RuleFacts> {
        let asked = self.asked(n)?;
        let checked = &asked.expression.checked;
        let is_always = static_analysis::of(checked, self.schema, &self.context) == Some(StaticResult::Always);
        Some(RuleFacts {
            is_always,
            may_fail: static_analysis::may_fail(checked, self.schema, &self.context, asked.is_optional()),
        })
    }

    /// The fields that a rule reads.
    pub(crate) fn read_fields(&self, n: usize) -> Option<ReadFields> {
        let asked = self.asked(n)?;
        Some(ReadFields::of(&asked.expression.checked.ast, &self.context))
    }
}
