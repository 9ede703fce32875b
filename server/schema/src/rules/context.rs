//! The CEL environment of a node's rules, with the current value and the old value.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::{Arc, LazyLock};

use crd_analyzer_cel::decls::{Environment, ExpressionSet, Role, Variable};
use crd_analyzer_cel::types::{DeclType, Type, TypeRoot};
use crd_analyzer_cel::{Context, CostLimits};

use super::Part;
use super::run::PER_CALL_LIMIT;
use crate::KubernetesVersion;

/// The limit for the cost estimate of one rule or message expression, in cost units (`StaticEstimatedCostLimit`).
pub const COST_LIMIT: u64 = 10_000_000;

/// The variable with the value that a rule validates.
pub(super) const SELF: &str = "self";
/// The variable with the stored value.
pub(super) const OLD_SELF: &str = "oldSelf";
/// The name of the type of `self` in messages. The API server appends a number that depends on the current time.
const SELF_TYPE: &str = "selfType#";

/// The names of the variables, allocated once.
static NAMES: LazyLock<[Arc<str>; 2]> = LazyLock::new(|| [SELF, OLD_SELF].map(Arc::from));

/// The context of a rule's expressions for values of type `ty`, as in an API server of this Kubernetes version. The
/// expressions may have any result type.
pub fn context(ty: &Arc<DeclType>, version: KubernetesVersion, set: ExpressionSet, optional_old_self: bool) -> Context {
    let environment = Environment::of(version, set);
    let root = TypeRoot {
        name: Cow::Borrowed(SELF_TYPE),
        shown: Cow::Borrowed(SELF),
        ty: Arc::clone(ty),
    };
    let this = root.cel_type();
    let old = if optional_old_self {
        Type::optional(this.clone())
    } else {
        this.clone()
    };
    let [self_name, old_name] = &*NAMES;
    let variables = [
        Variable {
            role: Role::Value,
            doc: "The value that the rule validates.",
            ..Variable::new(Arc::clone(self_name), this)
        },
        Variable {
            role: Role::OldValue,
            doc: "The stored value, on an update. A rule that reads it is a transition rule: it does not run on creation.",
            ..Variable::new(Arc::clone(old_name), old)
        },
    ];
    Context::new(Arc::clone(environment))
        .with_types(vec![root])
        .with_variables(variables)
        .with_sizes(Arc::clone(ty))
        .with_limits(CostLimits {
            estimate: Some(COST_LIMIT),
            evaluation: Some(PER_CALL_LIMIT),
        })
}

/// The contexts of the rules of one node, each created on first use.
pub(super) struct Contexts<'t> {
    ty: &'t Arc<DeclType>,
    version: KubernetesVersion,
    made: [OnceCell<Context>; 8],
}

impl<'t> Contexts<'t> {
    pub(super) fn new(ty: &'t Arc<DeclType>, version: KubernetesVersion) -> Self {
        Self {
            ty,
            version,
            made: Default::default(),
        }
    }

    pub(super) fn of(&self, part: Part, set: ExpressionSet, optional_old_self: bool) -> &Context {
        let is_message = part == Part::MessageExpression;
        let is_stored = set == ExpressionSet::Stored;
        let at = [is_message, is_stored, optional_old_self]
            .into_iter()
            .fold(0, |at, it| 2 * at + usize::from(it));
        let make = || context(self.ty, self.version, set, optional_old_self).with_results(part.results());
        self.made[at].get_or_init(make)
    }
}
