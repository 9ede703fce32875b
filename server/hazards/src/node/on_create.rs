//! Conditions of a transition rule that the API server does not check on create.

use crd_analyzer_cel::compile;
use crd_analyzer_cel::decls::Role;
use crd_analyzer_cel::value::Value as Cel;

use super::{Case, CheckedRule, Question};
use crate::reads::Reads;
use crate::search::Search;
use crate::shrink::smallest;
use crate::static_analysis;
use crate::words::passes;
use crate::{Hazard, codes};

impl CheckedRule<'_, '_> {
    /// Finds a condition of a transition rule that does not read the old value, but is not checked on create either.
    pub(super) fn unchecked_on_create(&self, left: &mut u64) -> Option<Hazard> {
        if !self.is_transition {
            return None;
        }
        static_analysis::independent_terms(&self.expression.checked, &self.written.rule, &self.node.context)
            .into_iter()
            .find_map(|bytes| {
                let text = self.written.rule.get(bytes.clone())?;
                let term = compile(text, &self.node.context).ok()?;
                let reads = Reads::of(&term.checked.ast, self.node.schema, &self.node.context);
                let mut found = None;
                let mut share = *left / 2;
                self.search(
                    &reads,
                    Question::Create,
                    Search::new(),
                    &mut share,
                    &mut |case, left| {
                        if matches!(self.run(&term.program, &case, left), Ok(Cel::Bool(false)))
                            && self.slips_through(&case)
                        {
                            found = Some(case);
                        }
                        found.is_none()
                    },
                );
                *left -= *left / 2 - share;
                let case = found?;
                let sent = smallest(case.sent, &mut |it| {
                    let case = Case {
                        sent: it.clone(),
                        old: None,
                    };
                    let is_no = matches!(self.run(&term.program, &case, &mut 0), Ok(Cel::Bool(false)));
                    is_no && self.slips_through(&case)
                });
                let case = Case { sent, old: None };
                let mut hazard = self.hazard(codes::OLD_SELF_ON_CREATE, bytes, Some(&case));
                let old = self.name_of(Role::OldValue);
                hazard.headline = format!("this condition is not checked on create, because the rule reads `{old}`");
                hazard.label = "not checked on create";
                hazard.help = format!("move the condition into a rule of its own, without `{old}`");
                hazard.notes.push(passes(&Self::told(&hazard)));
                Some(hazard)
            })
    }

    /// Whether a value can be created, but cannot be updated afterwards.
    fn slips_through(&self, case: &Case) -> bool {
        let node = self.node;
        let stored = node.stored(&case.sent);
        let unchanged = Case {
            sent: case.sent.clone(),
            old: Some(stored.clone()),
        };
        node.accepts(&stored)
            && node.passes(&stored)
            && matches!(
                self.run(&self.expression.program, &unchanged, &mut 0),
                Ok(Cel::Bool(false))
            )
    }
}
