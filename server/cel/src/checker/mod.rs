//! Type checking (`cel-go` `checker`): the type of every part of an expression, the overloads of its calls, and the type errors.

mod aggregate;
mod call;
mod comprehension;
mod scope;
mod select;
#[cfg(test)]
mod tests;
mod unify;

use std::sync::Arc;

use crd_analyzer_budget::{self as budget, Limits, Unfinished};

use scope::Scopes;
use unify::Mapping;

use crate::KubernetesVersion;
use crate::ast::{Ast, ExprKind, Internal, IssueKind, Issues, Limit, Literal, NodeId, Source, proto_text};
use crate::context::Context;
use crate::decls::OverloadDecl;
use crate::types::Type;

/// The meaning of a name or a call in a checked expression.
#[derive(Clone, Debug)]
pub enum Reference {
    /// A variable, type or constant.
    Ident {
        /// The full name of the variable, type or constant.
        name: Arc<str>,
        /// The value of an enum constant.
        constant: Option<i64>,
    },
    /// A function, with the overloads that fit the known argument types.
    Function(Vec<Arc<OverloadDecl>>),
}

/// A type-checked expression.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The tree. Names in the tree are fully qualified, and a call of a function with a dotted name has no target.
    pub ast: Ast,
    types: Vec<Option<Type>>,
    references: Vec<Option<Reference>>,
    /// The budget that ran out before all types were found, if any. The types must not be used then.
    pub(crate) unfinished: Option<Unfinished>,
}

impl Checked {
    /// The type of the expression with this id, or `dyn` if it was not checked.
    pub fn type_of_id(&self, id: i64) -> &Type {
        usize::try_from(id)
            .ok()
            .and_then(|at| self.types.get(at)?.as_ref())
            .unwrap_or(&Type::Dyn)
    }

    /// The type of a node.
    pub fn type_of(&self, node: NodeId) -> &Type {
        self.type_of_id(self.ast[node].id)
    }

    /// The meaning of a node, if it is a name or a call.
    pub fn reference(&self, node: NodeId) -> Option<&Reference> {
        self.references.get(usize::try_from(self.ast[node].id).ok()?)?.as_ref()
    }

    /// The overloads that a call may use. Empty if the node is not a call.
    pub fn overloads(&self, node: NodeId) -> &[Arc<OverloadDecl>] {
        match self.reference(node) {
            Some(Reference::Function(overloads)) => overloads,
            _ => &[],
        }
    }

    /// The type of the whole expression.
    pub fn output_type(&self) -> &Type {
        self.ast.root().map_or(&Type::Dyn, |root| self.type_of(root))
    }

    /// Whether the checker gave up before it found all types, because the budget ran out. The expression still
    /// evaluates to the same values.
    pub fn is_unfinished(&self) -> bool {
        self.unfinished.is_some()
    }

    /// Whether the expression uses this variable.
    pub fn uses_variable(&self, variable: &str) -> bool {
        self.references
            .iter()
            .flatten()
            .any(|reference| matches!(reference, Reference::Ident { name, .. } if **name == *variable))
    }
}

/// Checks an expression. The positions of problems are those of `source`.
pub fn check(ast: Ast, source: &Source, context: &Context) -> Result<Checked, Issues> {
    let (checked, issues) = check_with_issues(ast, source, context);
    if issues.is_empty() { Ok(checked) } else { Err(issues) }
}

/// Like [`check`], but also returns the types that are known in spite of problems, for editor features on incomplete expressions.
/// Parts with a problem have [`Type::Error`].
pub fn check_with_issues(ast: Ast, source: &Source, context: &Context) -> (Checked, Issues) {
    let ((mut checked, issues), ended) = budget::within(CHECKING, || check_within(ast, source, context));
    if let Some(unfinished) = ended.unfinished {
        budget::miss(unfinished);
        checked.unfinished = Some(unfinished);
        // Issues found so far would not match those of the API server.
        return (checked, Issues::new());
    }
    (checked, issues)
}

/// Since this Kubernetes version, `cel-go` checks its own structures instead of protobuf messages.
const EXPRESSIONS_ARE_STRUCTURES_SINCE: KubernetesVersion = KubernetesVersion::minor(31);

/// The budget for checking one expression. Types that share parts can be far larger than the source text.
const CHECKING: Limits = Limits {
    work: Limits::DOCUMENT.work / 4,
    ..Limits::NONE
};

fn check_within(ast: Ast, source: &Source, context: &Context) -> (Checked, Issues) {
    let features = *context.environment().features();
    let mut checker = Checker {
        ast,
        source,
        scopes: Scopes::new(context),
        mapping: Mapping::new(features.version.number() >= 31),
        types: Vec::new(),
        references: Vec::new(),
        issues: Issues::new(),
        depth: 0,
    };
    if let Some(root) = checker.ast.root() {
        checker.check(root);
    }
    let Checker {
        ast,
        mapping,
        mut types,
        references,
        issues,
        ..
    } = checker;
    mapping.finish(types.iter_mut().flatten());
    let checked = Checked {
        ast,
        types,
        references,
        unfinished: None,
    };
    (checked, issues)
}

/// Budgeted work for the types of one part of an expression.
const NODE_WORK: u64 = 100;

/// The maximum depth of a tree. Deeper trees are rejected, so that no input overflows the stack. The parser's own limit is far below.
const MAX_DEPTH: usize = 1500;

struct Checker<'a> {
    ast: Ast,
    source: &'a Source,
    scopes: Scopes<'a>,
    mapping: Mapping,
    types: Vec<Option<Type>>,
    references: Vec<Option<Reference>>,
    issues: Issues,
    depth: usize,
}

impl Checker<'_> {
    fn check(&mut self, node: NodeId) {
        crate::stack::grow(|| self.check_here(node));
    }

    fn check_here(&mut self, node: NodeId) {
        if budget::work(NODE_WORK).is_err() {
            return;
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.report(node, IssueKind::Limit(Limit::CheckedDepth));
            self.set_type(node, Type::Error);
            self.depth -= 1;
            return;
        }
        match &self.ast[node].kind {
            ExprKind::Unspecified => self.report(node, IssueKind::Internal(Internal::Unspecified)),
            ExprKind::Literal(literal) => {
                let ty = match literal {
                    Literal::Null => Type::Null,
                    Literal::Bool(_) => Type::Bool,
                    Literal::Int(_) => Type::Int,
                    Literal::Uint(_) => Type::Uint,
                    Literal::Double(_) => Type::Double,
                    Literal::String(_) => Type::String,
                    Literal::Bytes(_) => Type::Bytes,
                };
                self.set_type(node, ty);
            }
            ExprKind::Ident(name) => {
                let name = name.clone();
                self.check_ident(node, &name);
            }
            ExprKind::Select { .. } => self.check_select(node),
            ExprKind::Call { .. } => self.check_call(node),
            ExprKind::List { .. } => self.check_list(node),
            ExprKind::Map { .. } => self.check_map(node),
            ExprKind::Struct { .. } => self.check_struct(node),
            ExprKind::Comprehension(_) => self.check_comprehension(node),
        }
        self.depth -= 1;
    }

    fn type_of(&self, node: NodeId) -> Type {
        let at = usize::try_from(self.ast[node].id).ok();
        at.and_then(|at| self.types.get(at)?.clone()).unwrap_or(Type::Error)
    }

    fn set_type(&mut self, node: NodeId, ty: Type) {
        let id = self.ast[node].id;
        let Ok(at) = usize::try_from(id) else { return };
        if at >= self.types.len() {
            self.types.resize(at + 1, None);
        }
        match &self.types[at] {
            Some(old) if !old.is_exact(&ty) => {
                let features = self.scopes.context.environment().features();
                let is_message = features.version < EXPRESSIONS_ARE_STRUCTURES_SINCE;
                let kind = IssueKind::Internal(Internal::TwoTypes {
                    id,
                    printed: if is_message {
                        proto_text(&self.ast, node)
                    } else {
                        String::new()
                    },
                    old: features.go_string(old),
                    new: features.go_string(&ty),
                });
                self.report(node, kind);
            }
            _ => self.types[at] = Some(ty),
        }
    }

    fn set_reference(&mut self, node: NodeId, reference: Reference) {
        let Ok(at) = usize::try_from(self.ast[node].id) else {
            return;
        };
        if at >= self.references.len() {
            self.references.resize(at + 1, None);
        }
        self.references[at] = Some(reference);
    }

    fn printed(&self, ty: &Type) -> String {
        self.scopes.context.environment().features().print(ty)
    }

    fn report(&mut self, node: NodeId, kind: IssueKind) {
        self.report_id(self.ast[node].id, kind);
    }

    fn report_id(&mut self, id: i64, kind: IssueKind) {
        let version = self.scopes.context.environment().features().version;
        let location = self.ast.source_info.location_told(self.source, id, version);
        self.issues.report(kind, id, location);
    }

    fn report_undeclared(&mut self, node: NodeId, name: &str) {
        let kind = IssueKind::UndeclaredReference {
            name: name.to_owned(),
            container: self.scopes.context.container().name().to_owned(),
        };
        self.report(node, kind);
    }

    fn report_mismatch(&mut self, node: NodeId, expected: &Type, actual: &Type) {
        let kind = IssueKind::WrongType {
            expected: self.printed(expected),
            found: self.printed(actual),
        };
        self.report(node, kind);
    }
}
