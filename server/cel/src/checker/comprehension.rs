//! Type checking of comprehensions (`checkComprehension`).

use super::Checker;
use crate::ast::{ExprKind, IssueKind, NodeId};
use crate::types::Type;

impl Checker<'_> {
    pub(super) fn check_comprehension(&mut self, node: NodeId) {
        let ExprKind::Comprehension(comprehension) = &self.ast[node].kind else {
            return;
        };
        let comprehension = comprehension.clone();
        self.check(comprehension.iter_range);
        self.check(comprehension.accu_init);
        let range = self.mapping.substitute(&self.type_of(comprehension.iter_range), false);
        let accu = self.type_of(comprehension.accu_init);
        self.scopes.enter(comprehension.accu_var.clone(), accu.clone());
        // Up to 1.32, `cel-go` does not assign a type to the second variable if the range is neither a list nor a map.
        let untyped = self.scopes.context.environment().features().version.number() <= 32;
        let second_of = |ty: Type| if untyped { Type::opaque("", Vec::new()) } else { ty };
        let (first, second) = match &range {
            Type::List(element) if comprehension.iter_var2.is_some() => (Type::Int, (**element).clone()),
            Type::List(element) => ((**element).clone(), Type::Dyn),
            Type::Map(types) => (types[0].clone(), types[1].clone()),
            Type::Dyn | Type::Error | Type::Param(_) | Type::Var(_) => {
                self.mapping.is_assignable(&Type::Dyn, &range);
                (Type::Dyn, second_of(Type::Dyn))
            }
            other => {
                let of = self.printed(other);
                self.report(comprehension.iter_range, IssueKind::NotIterable { of });
                (Type::Error, second_of(Type::Error))
            }
        };
        self.scopes.enter(comprehension.iter_var.clone(), first);
        let mut entered = 1;
        if let Some(second_var) = &comprehension.iter_var2 {
            self.scopes.enter(second_var.clone(), second);
            entered += 1;
        }
        self.check(comprehension.loop_condition);
        self.assert_type(comprehension.loop_condition, &Type::Bool);
        self.check(comprehension.loop_step);
        self.assert_type(comprehension.loop_step, &accu);
        self.scopes.leave(entered);
        self.check(comprehension.result);
        self.scopes.leave(1);
        let result = self.mapping.substitute(&self.type_of(comprehension.result), false);
        self.set_type(node, result);
    }

    pub(super) fn assert_type(&mut self, node: NodeId, expected: &Type) {
        let actual = self.type_of(node);
        if !self.mapping.is_assignable(expected, &actual) {
            self.report_mismatch(node, expected, &actual);
        }
    }
}
