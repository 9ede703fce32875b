//! Options of the parser. They depend on the API server's `cel-go` and on the environment of the expression.

use super::macros::{self, Macro};
use super::unescape::CodePoints;
use crate::KubernetesVersion;

/// The support for names in backticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EscapedIdentifiers {
    /// The lexer does not recognize names in backticks.
    Unknown,
    /// Names in backticks are parsed, but the environment does not allow them.
    Refused,
    /// Names in backticks are field names.
    Allowed,
}

/// Settings of the parser (`cel-go` `parser.Options`).
#[derive(Clone, Debug)]
pub struct ParseOptions {
    pub(super) macros: Vec<&'static Macro>,
    /// The name of a comprehension's accumulator.
    pub(super) accumulator: &'static str,
    /// Whether a macro rejects a variable with the accumulator's name.
    pub(super) accumulator_reserved: bool,
    /// Whether a macro that uses its target twice copies the target.
    pub(super) copies_targets: bool,
    /// Whether all uses of the accumulator in an expansion of `map` or `filter` share one node.
    pub(super) accumulator_shared: bool,
    pub(super) escaped_identifiers: EscapedIdentifiers,
    pub(super) optional_syntax: bool,
    /// Whether `a || b || c` is one call with three arguments instead of a balanced tree of calls.
    pub(super) variadic_logic: bool,
    pub(super) code_points: CodePoints,
    /// Whether Go formats messages without arguments, which garbles each `%`.
    pub(super) messages_are_formats: bool,
    /// Whether errors of the tree walk report the first character of a line as one past the end of the previous line.
    pub(super) lines_begin_late: bool,
    /// The maximum nesting depth of each grammar rule, and separately of operators.
    pub(super) max_recursion_depth: u32,
    /// The number of syntax errors after which parsing ends.
    pub(super) error_limit: usize,
    /// The maximum number of recoveries from errors.
    pub(super) recovery_limit: usize,
    /// The maximum number of tokens that one recovery may skip.
    pub(super) recovery_lookahead: usize,
    /// The maximum length of an expression, in code points.
    pub(super) size_limit: usize,
}

impl ParseOptions {
    /// The options of the API server `server` for an expression in an environment of version `environment` ([`KubernetesVersion::compatibility`] for
    /// new expressions, the newest version known to the API server for stored ones).
    ///
    /// The set of macros is from `k8s.io/apiserver/pkg/cel/environment` (`baseOpts`). All other options are the defaults of the `cel-go` release
    /// in the API server, because Kubernetes does not change them.
    pub fn kubernetes(server: KubernetesVersion, environment: KubernetesVersion) -> Self {
        let since = |minor| server >= KubernetesVersion::minor(minor);
        Self {
            macros: macros::MACROS
                .iter()
                .filter(|m| m.server <= server && m.environment <= environment)
                .collect(),
            accumulator: if since(33) { "@result" } else { "__result__" },
            accumulator_reserved: since(33),
            copies_targets: since(32),
            accumulator_shared: !since(31),
            escaped_identifiers: if since(37) {
                EscapedIdentifiers::Allowed
            } else if since(33) {
                EscapedIdentifiers::Refused
            } else {
                EscapedIdentifiers::Unknown
            },
            optional_syntax: true,
            variadic_logic: false,
            code_points: if since(33) {
                CodePoints::Characters
            } else {
                CodePoints::WithSurrogates
            },
            messages_are_formats: !since(33),
            lines_begin_late: server == KubernetesVersion::minor(31),
            max_recursion_depth: 250,
            error_limit: 100,
            recovery_limit: 30,
            recovery_lookahead: 256,
            size_limit: 100_000,
        }
    }

    /// The enabled macros.
    pub fn macros(&self) -> &[&'static Macro] {
        &self.macros
    }

    /// The message in the form that the API server prints.
    pub(super) fn worded(&self, message: &str) -> String {
        if self.messages_are_formats && message.contains('%') {
            crate::go::format_without_arguments(message)
        } else {
            message.to_owned()
        }
    }

    /// Sets whether `.?`, `[?` and `?` before an element or key are allowed.
    #[must_use]
    pub fn optional_syntax(mut self, allowed: bool) -> Self {
        self.optional_syntax = allowed;
        self
    }

    /// Sets the support for names in backticks.
    #[must_use]
    pub fn escaped_identifiers(mut self, escaped_identifiers: EscapedIdentifiers) -> Self {
        self.escaped_identifiers = escaped_identifiers;
        self
    }

    /// Sets the name of the accumulator: a hidden name (`@result`), or the former one (`__result__`), which an expression can use.
    #[must_use]
    pub fn hidden_accumulator(mut self, hidden: bool) -> Self {
        self.accumulator = if hidden { "@result" } else { "__result__" };
        self
    }

    /// Sets whether a chain of `&&` or `||` becomes one call.
    #[must_use]
    pub fn variadic_logic(mut self, variadic: bool) -> Self {
        self.variadic_logic = variadic;
        self
    }

    /// Sets the maximum nesting depth.
    #[must_use]
    pub fn max_recursion_depth(mut self, depth: u32) -> Self {
        self.max_recursion_depth = depth;
        self
    }

    /// Sets the number of reported syntax errors, of recoveries, and of tokens that one recovery may skip.
    #[must_use]
    pub fn error_limits(mut self, reported: usize, recoveries: usize, lookahead: usize) -> Self {
        self.error_limit = reported;
        self.recovery_limit = recoveries;
        self.recovery_lookahead = lookahead;
        self
    }

    /// Sets the maximum length of an expression, in code points.
    #[must_use]
    pub fn size_limit(mut self, code_points: usize) -> Self {
        self.size_limit = code_points;
        self
    }
}
