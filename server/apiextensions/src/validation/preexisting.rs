//! Expressions of the stored CRD. They can use functions that are not yet available to new expressions.

use std::collections::HashSet;

/// The rules and message expressions of the stored CRD.
#[derive(Debug, Default)]
pub struct Preexisting<'a> {
    pub(super) rules: HashSet<&'a str>,
    pub(super) message_expressions: HashSet<&'a str>,
}

impl Preexisting<'_> {
    /// Whether the stored CRD has no expressions, or no CRD is stored.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.message_expressions.is_empty()
    }

    /// Whether the stored CRD contains this rule. If so, the rule compiles in the environment of stored expressions.
    pub fn has_rule(&self, rule: &str) -> bool {
        self.rules.contains(rule)
    }

    /// Whether the stored CRD has this message expression.
    pub fn has_message_expression(&self, expression: &str) -> bool {
        self.message_expressions.contains(expression)
    }
}
