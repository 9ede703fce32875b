//! The cost estimate of comprehensions and their variables.

use std::sync::Arc;

use super::path::Path;
use super::{ACCUMULATORS, CostEstimate, Coster, LocalVar, SizeEstimate};
use crate::ast::{Comprehension, ExprKind, Literal, NodeId};
use crate::types::Kind;

impl Coster<'_> {
    pub(super) fn cost_comprehension_lazy(&mut self, node: NodeId, comprehension: &Comprehension) -> CostEstimate {
        let mut sum = self
            .cost(comprehension.iter_range)
            .plus(self.cost(comprehension.accu_init));
        self.locals.push(LocalVar {
            name: comprehension.iter_var.clone(),
            range: self.id(comprehension.iter_range),
            path: Path::default(),
            size: None,
            entry: None,
        });
        let condition = self.cost(comprehension.loop_condition);
        let step = self.cost(comprehension.loop_step);
        self.leave(&comprehension.iter_var);
        sum = sum.plus(self.cost(comprehension.result));
        let range = self.operand(comprehension.iter_range);
        let count = self.size(&range);
        self.computed.insert(self.id(node), count);
        sum.plus(count.times_cost(step.plus(condition)))
    }

    pub(super) fn cost_comprehension(&mut self, node: NodeId, comprehension: &Comprehension) -> CostEstimate {
        let mut sum = self
            .cost(comprehension.iter_range)
            .plus(self.cost(comprehension.accu_init));
        self.enter_local(&comprehension.accu_var, comprehension.accu_init);
        let entry = self.entry_size(comprehension.iter_range);
        let container = entry.map_or_else(
            || self.checked.type_of(comprehension.iter_range).kind(),
            |entry| entry.container,
        );
        let is_list = container == Kind::List;
        let (keys, values) = (entry.map(|entry| entry.key), entry.map(|entry| entry.value));
        if let Some(second) = &comprehension.iter_var2 {
            let (key_step, value_step) = if is_list {
                (self.steps.indices.clone(), self.steps.items.clone())
            } else {
                (self.steps.keys.clone(), self.steps.values.clone())
            };
            self.enter_iteration(&comprehension.iter_var, comprehension.iter_range, key_step, keys);
            self.enter_iteration(second, comprehension.iter_range, value_step, values);
        } else if is_list {
            self.enter_iteration(
                &comprehension.iter_var,
                comprehension.iter_range,
                self.steps.items.clone(),
                values,
            );
        } else {
            self.enter_iteration(
                &comprehension.iter_var,
                comprehension.iter_range,
                self.steps.keys.clone(),
                keys,
            );
        }
        let condition = self.cost(comprehension.loop_condition);
        let step = self.cost(comprehension.loop_step);
        self.leave(&comprehension.iter_var);
        if let Some(second) = &comprehension.iter_var2 {
            self.leave(second);
        }
        sum = sum.plus(self.cost(comprehension.result));
        self.leave(&comprehension.accu_var);
        let count = self.size_of_node(comprehension.iter_range);
        sum = sum.plus(count.times_cost(step.plus(condition)));
        match &self.checked.ast[comprehension.accu_init].kind {
            ExprKind::Literal(_) => {
                let size = self.compute_size(comprehension.accu_init);
                self.set_size(node, size);
            }
            ExprKind::List { .. } | ExprKind::Map { .. } => {
                self.set_size(node, Some(count));
                let entry = self.entry_size(comprehension.loop_step);
                self.set_entry_size(node, entry);
            }
            _ => {}
        }
        sum
    }

    /// Whether a comprehension only binds a value to a name, as `optMap` does.
    pub(super) fn is_bind(&self, comprehension: &Comprehension) -> bool {
        matches!(&self.checked.ast[comprehension.iter_range].kind, ExprKind::List { elements, .. } if elements.is_empty())
            && matches!(
                self.checked.ast[comprehension.loop_condition].kind,
                ExprKind::Literal(Literal::Bool(false))
            )
            && *comprehension.accu_var != *ACCUMULATORS[0]
    }

    pub(super) fn cost_bind(&mut self, node: NodeId, comprehension: &Comprehension) -> CostEstimate {
        let sum = self
            .cost(comprehension.iter_range)
            .plus(self.cost(comprehension.accu_init));
        self.enter_local(&comprehension.accu_var, comprehension.accu_init);
        let sum = sum.plus(self.cost(comprehension.result));
        self.leave(&comprehension.accu_var);
        self.copy_sizes(node, comprehension.result);
        sum
    }

    pub(super) fn local(&self, name: &str) -> Option<&LocalVar> {
        self.locals.iter().rev().find(|local| *local.name == *name)
    }

    pub(super) fn enter_local(&mut self, name: &Arc<str>, init: NodeId) {
        let path = self.path_of(init);
        let entry = self.entry_size(init);
        let size = self.compute_size(init);
        self.locals.push(LocalVar {
            name: name.clone(),
            range: self.id(init),
            path,
            size,
            entry,
        });
    }

    pub(super) fn enter_iteration(
        &mut self,
        name: &Arc<str>,
        range: NodeId,
        step: Arc<str>,
        size: Option<SizeEstimate>,
    ) {
        let path = self.path_of(range).append(step);
        self.locals.push(LocalVar {
            name: name.clone(),
            range: self.id(range),
            path,
            size,
            entry: None,
        });
    }

    pub(super) fn leave(&mut self, name: &str) {
        if let Some(at) = self.locals.iter().rposition(|local| *local.name == *name) {
            self.locals.remove(at);
        }
    }
}
