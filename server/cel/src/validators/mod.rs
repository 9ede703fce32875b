//! The API server's validation of type-checked expressions (`cel-go` `cel/validator.go`, `ext/formatting.go`): literals of durations,
//! times and regular expressions, mixed types in list and map literals, and format strings.

mod format;

use crate::ast::{ExprKind, FormatProblem, IssueKind, Issues, Literal, NodeId, Source};
use crate::checker::Checked;
use crate::decls::Features;
use crate::types::Type;
use crate::value::EvalError;

pub use crate::literals::{parse_duration, parse_timestamp, timestamp_from_seconds};
pub(crate) use format::read_clause;

/// The outcome of the validation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Validated {
    /// The problems.
    pub issues: Issues,
    /// The part on which the API server itself crashes without reporting anything.
    pub crash: Option<Crash>,
}

/// A part of an expression on which the API server's validation panics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crash {
    /// The id of the part.
    pub id: i64,
    /// The reason, in our own words.
    pub why: &'static str,
}

/// Validates a checked expression like an API server with these features. The positions of problems are those of `source`.
pub fn validate(checked: &Checked, source: &Source, features: &Features) -> Validated {
    let mut nodes = Vec::new();
    if let Some(root) = checked.ast.root() {
        collect(
            checked,
            root,
            Above::default(),
            features.version.number() <= 30,
            &mut nodes,
        );
    }
    let mut validation = Validation {
        checked,
        source,
        features,
        issues: Issues::new(),
        crash: None,
    };
    for (node, above) in &nodes {
        if !above.exempt {
            validation.check_list(*node);
        }
    }
    for (node, above) in &nodes {
        if !above.exempt {
            validation.check_map(*node);
        }
    }
    for node in &nodes {
        validation.check_literal(node.0, "duration", is_duration);
    }
    for node in &nodes {
        validation.check_literal(node.0, "timestamp", is_timestamp);
    }
    for node in &nodes {
        validation.check_literal(node.0, "matches", is_pattern);
    }
    // 1.30 only checks formats during evaluation.
    if features.version.number() >= 31 {
        for (node, _) in &nodes {
            validation.check_format(*node, features.version.number() == 31);
        }
    }
    Validated {
        issues: validation.issues,
        crash: validation.crash,
    }
}

/// Information from the ancestors of a node.
#[derive(Clone, Copy, Default)]
struct Above {
    /// Whether the node is in an argument of `format`, which allows lists with mixed types.
    exempt: bool,
}

/// Collects the nodes, children before parents. In 1.30 (`direct`), only lists and maps between a `format` call and a node keep the exemption.
fn collect(checked: &Checked, node: NodeId, above: Above, direct: bool, nodes: &mut Vec<(NodeId, Above)>) {
    let below = match &checked.ast[node].kind {
        ExprKind::Call { function, .. } if **function == *"format" => Above { exempt: true },
        ExprKind::List { .. } | ExprKind::Map { .. } => above,
        _ if direct => Above::default(),
        _ => above,
    };
    for child in checked.ast.children(node) {
        collect(checked, child, below, direct, nodes);
    }
    nodes.push((node, above));
}

struct Validation<'a> {
    checked: &'a Checked,
    source: &'a Source,
    features: &'a Features,
    issues: Issues,
    crash: Option<Crash>,
}

impl<'a> Validation<'a> {
    /// The inner type of an optional element. The API server assumes that the element's type has an inner type, but `dyn` has none.
    fn unwrapped(&mut self, node: NodeId, ty: &'a Type) -> &'a Type {
        if ty.parameters().is_empty() {
            self.crash(
                node,
                "it expects that the type of an optional element is known, and the element is dynamic",
            );
        }
        ty.parameters().first().unwrap_or(ty)
    }

    fn crash(&mut self, node: NodeId, why: &'static str) {
        self.crash.get_or_insert(Crash {
            id: self.checked.ast[node].id,
            why,
        });
    }

    fn check_list(&mut self, node: NodeId) {
        let ExprKind::List {
            elements,
            optional_indices,
        } = &self.checked.ast[node].kind
        else {
            return;
        };
        let mut first: Option<&Type> = None;
        for (at, element) in elements.iter().enumerate() {
            let mut ty = self.checked.type_of(*element);
            if optional_indices.binary_search(&(at as u32)).is_ok() {
                ty = self.unwrapped(*element, ty);
            }
            match first {
                None => first = Some(ty),
                Some(first) if !first.is_exact(ty) => {
                    self.report_mismatch(*element, first, ty);
                    break;
                }
                Some(_) => {}
            }
        }
    }

    fn check_map(&mut self, node: NodeId) {
        let ExprKind::Map { entries } = &self.checked.ast[node].kind else {
            return;
        };
        let mut first: Option<(&Type, &Type)> = None;
        for entry in entries {
            let key = self.checked.type_of(entry.key);
            let mut value = self.checked.type_of(entry.value);
            if entry.optional {
                value = self.unwrapped(entry.value, value);
            }
            let Some((first_key, first_value)) = first else {
                first = Some((key, value));
                continue;
            };
            if !first_key.is_exact(key) {
                self.report_mismatch(entry.key, first_key, key);
            }
            if !first_value.is_exact(value) {
                self.report_mismatch(entry.value, first_value, value);
            }
        }
    }

    fn check_literal(&mut self, node: NodeId, function: &'static str, is_valid: fn(&Literal) -> bool) {
        let ExprKind::Call {
            function: called, args, ..
        } = &self.checked.ast[node].kind
        else {
            return;
        };
        if **called != *function {
            return;
        }
        let Some(arg) = args.first() else { return };
        if let ExprKind::Literal(literal) = &self.checked.ast[*arg].kind
            && !is_valid(literal)
        {
            self.report(*arg, IssueKind::InvalidArgument { function });
        }
    }

    fn check_format(&mut self, node: NodeId, needs_literal: bool) {
        let ExprKind::Call {
            function,
            target: Some(target),
            args,
        } = &self.checked.ast[node].kind
        else {
            return;
        };
        if **function != *"format" {
            return;
        }
        if needs_literal && !matches!(self.checked.ast[*target].kind, ExprKind::Literal(_)) {
            self.crash(*target, "it expects that a format string is written as a literal");
            return;
        }
        if args.len() != 1 {
            return;
        }
        let (ExprKind::Literal(Literal::String(format)), ExprKind::List { elements, .. }) =
            (&self.checked.ast[*target].kind, &self.checked.ast[args[0]].kind)
        else {
            return;
        };
        match format::check(self.checked, format, elements) {
            Ok(used) if elements.len() > used => {
                let given = elements.len();
                let problem = FormatProblem::SpareArguments { used, given };
                self.report(node, IssueKind::Format(problem));
            }
            Ok(_) => {}
            Err(error) => {
                let kind = IssueKind::Format(error.problem);
                let message = EvalError::of_format(kind.server_words(), self.features.version);
                self.report_worded(error.node.unwrap_or(node), kind, message.message().to_owned());
            }
        }
    }

    fn report(&mut self, node: NodeId, kind: IssueKind) {
        let message = kind.server_words();
        self.report_worded(node, kind, message);
    }

    fn report_worded(&mut self, node: NodeId, kind: IssueKind, message: String) {
        let id = self.checked.ast[node].id;
        let places = &self.checked.ast.source_info;
        let location = places.location_told(self.source, id, self.features.version);
        self.issues.report_worded(kind, id, location, message);
    }

    fn report_mismatch(&mut self, node: NodeId, expected: &Type, actual: &Type) {
        let (expected, actual) = (self.features.print(expected), self.features.print(actual));
        self.report(
            node,
            IssueKind::WrongType {
                expected,
                found: actual,
            },
        );
    }
}

fn is_duration(literal: &Literal) -> bool {
    match literal {
        Literal::String(text) => parse_duration(text).is_some(),
        // A number is accepted as a declared argument up to 1.36, but its conversion always fails.
        _ => false,
    }
}

fn is_timestamp(literal: &Literal) -> bool {
    match literal {
        Literal::String(text) => {
            parse_timestamp(text).is_some_and(|(seconds, _)| timestamp_from_seconds(seconds).is_some())
        }
        Literal::Int(seconds) => timestamp_from_seconds(*seconds).is_some(),
        _ => false,
    }
}

fn is_pattern(literal: &Literal) -> bool {
    match literal {
        Literal::String(pattern) => crd_analyzer_goregexp::check(pattern).is_ok(),
        _ => false,
    }
}
