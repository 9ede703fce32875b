//! What the parser accepts, which depends on the API server's `cel-go` and on the environment it compiles for.

use super::macros::{self, Macro};
use super::unescape::CodePoints;
use crate::KubernetesVersion;

/// What names in backticks are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EscapedIdentifiers {
    /// No tokens.
    Unknown,
    /// Tokens, but the environment does not allow them.
    Refused,
    /// Names of fields.
    Allowed,
}

/// Settings of the parser (`cel-go` `parser.Options`).
#[derive(Clone, Debug)]
pub struct ParseOptions {
    pub(super) macros: Vec<&'static Macro>,
    /// The name of a comprehension's accumulator.
    pub(super) accumulator: &'static str,
    /// Whether a macro may not name its variable as an accumulator.
    pub(super) accumulator_reserved: bool,
    /// Whether a macro that uses its target twice copies it.
    pub(super) copies_targets: bool,
    /// Whether `map` and `filter` name their accumulator once and put that in every place.
    pub(super) accumulator_shared: bool,
    pub(super) escaped_identifiers: EscapedIdentifiers,
    pub(super) optional_syntax: bool,
    /// `a || b || c` is one call with three arguments, instead of a balanced tree of calls.
    pub(super) variadic_logic: bool,
    pub(super) code_points: CodePoints,
    /// Whether messages are formats that lack their arguments, so that `%` becomes something else.
    pub(super) messages_are_formats: bool,
    /// Whether errors of the walk over the grammar tell the first character of a line as one past the end of the line before.
    pub(super) lines_begin_late: bool,
    /// How deep rules of the grammar may nest, and separately operators.
    pub(super) max_recursion_depth: u32,
    /// Syntax errors after this many end the parse.
    pub(super) error_limit: usize,
    /// How often an error may be recovered from.
    pub(super) recovery_limit: usize,
    /// How many tokens one recovery may skip.
    pub(super) recovery_lookahead: usize,
    /// The longest text, in code points.
    pub(super) size_limit: usize,
}

impl ParseOptions {
    /// How an API server of minor `server` parses an expression in an environment of minor `environment` (for new expressions
    /// [`KubernetesVersion::compatibility`], for stored ones the newest that the API server knows).
    ///
    /// `k8s.io/apiserver/pkg/cel/environment` (`baseOpts`) says which macros there are; the rest are defaults of the `cel-go`
    /// that the API server is built with, which Kubernetes leaves alone.
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

    /// The macros that are expanded.
    pub fn macros(&self) -> &[&'static Macro] {
        &self.macros
    }

    /// The message that becomes of a text.
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

    /// Sets what names in backticks are.
    #[must_use]
    pub fn escaped_identifiers(mut self, escaped_identifiers: EscapedIdentifiers) -> Self {
        self.escaped_identifiers = escaped_identifiers;
        self
    }

    /// Sets the accumulator's name: hidden (`@result`) or the older one that an expression can name (`__result__`).
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

    /// Sets how deep the expression may nest.
    #[must_use]
    pub fn max_recursion_depth(mut self, depth: u32) -> Self {
        self.max_recursion_depth = depth;
        self
    }

    /// Sets how many syntax errors are reported, how often and over how many tokens is recovered.
    #[must_use]
    pub fn error_limits(mut self, reported: usize, recoveries: usize, lookahead: usize) -> Self {
        self.error_limit = reported;
        self.recovery_limit = recoveries;
        self.recovery_lookahead = lookahead;
        self
    }

    /// Sets the longest text, in code points.
    #[must_use]
    pub fn size_limit(mut self, code_points: usize) -> Self {
        self.size_limit = code_points;
        self
    }
}
