//! The estimated cost of expressions (`cel-go` `checker/cost.go`).
//!
//! The API server's estimator exists in two generations. Up to 1.32, the estimator looks up sizes when a call needs them. Since 1.33 (cel-go 0.23),
//! it looks them up when it visits an operand, and it also knows the sizes of local variables and of the elements of literals.

mod comprehension;
mod path;
mod size;
mod sizes;
#[cfg(test)]
mod tests;
mod visit;

use std::collections::HashMap;
use std::sync::Arc;

use path::Path;
pub use size::{CallEstimate, CostEstimate, SizeEstimate};

use crate::ast::NodeId;
use crate::checker::Checked;
use crate::decls::Features;
use crate::types::{DeclType, Kind, Type};

/// Estimates the sizes of variables and of their parts.
pub trait SizeEstimator {
    /// The size of the value at a path: a variable, then fields, `@items`, `@keys` and `@values`. The path is never empty.
    fn estimate_size(&self, path: &[Arc<str>]) -> Option<SizeEstimate>;
}

/// An estimator that knows no sizes.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSizes;

impl SizeEstimator for NoSizes {
    fn estimate_size(&self, _: &[Arc<str>]) -> Option<SizeEstimate> {
        None
    }
}

impl SizeEstimator for DeclType {
    /// Every variable is assumed to have this type
    /// (`k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel`, `sizeEstimator.EstimateSize`).
    fn estimate_size(&self, path: &[Arc<str>]) -> Option<SizeEstimate> {
        let mut at = self;
        for step in path.get(1..)? {
            at = match &**step {
                "@items" | "@values" => at.element()?,
                "@keys" => at.key()?,
                field => &at.field(field)?.ty,
            };
        }
        Some(SizeEstimate {
            min: 0,
            max: at.max_elements as u64,
        })
    }
}

/// The cost estimator in the declaration of a function. `None` means a cost of 1.
pub type EstimateFn = fn(&mut Coster<'_>, &Call<'_>) -> Option<CallEstimate>;

/// A call whose cost is estimated.
pub struct Call<'a> {
    /// The node of the call.
    pub(crate) node: NodeId,
    pub(crate) target: Option<&'a Operand>,
    pub(crate) args: &'a [Operand],
    /// The costs of evaluating the arguments (without the target).
    pub(crate) arg_costs: &'a [CostEstimate],
}

/// An operand of a call (`cel-go` `checker.AstNode`).
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    path: Path,
    pub(crate) ty: Type,
    pub(crate) node: Option<NodeId>,
    derived: Option<SizeEstimate>,
}

/// The sizes of the keys and values of a list or map.
#[derive(Clone, Copy, Debug)]
struct EntrySize {
    container: Kind,
    key: SizeEstimate,
    value: SizeEstimate,
}

#[derive(Clone, Debug)]
struct LocalVar {
    name: Arc<str>,
    /// The id of the range of the comprehension.
    range: i64,
    path: Path,
    size: Option<SizeEstimate>,
    entry: Option<EntrySize>,
}

/// Estimates the cost of one checked expression.
pub struct Coster<'a> {
    checked: &'a Checked,
    sizes: &'a dyn SizeEstimator,
    features: Features,
    /// Whether sizes are computed when an operand is visited (since 1.33).
    eager: bool,
    paths: HashMap<i64, Path>,
    computed: HashMap<i64, SizeEstimate>,
    entries: HashMap<i64, EntrySize>,
    locals: Vec<LocalVar>,
    steps: Steps,
    /// The cost of each part, if requested.
    parts: Option<HashMap<i64, CostEstimate>>,
}

/// The path steps that are not fields, allocated once.
struct Steps {
    items: Arc<str>,
    keys: Arc<str>,
    values: Arc<str>,
    indices: Arc<str>,
}

/// The names of the accumulator variables of macros.
const ACCUMULATORS: [&str; 2] = ["__result__", "@result"];

/// The estimated cost of evaluating an expression once, as an API server with these features computes it.
pub fn estimate(checked: &Checked, features: &Features, sizes: &dyn SizeEstimator) -> CostEstimate {
    run(checked, *features, sizes, None).0
}

/// Like [`estimate`], and also returns the cost of each part by its id. The cost of a part of a comprehension is the cost in one iteration.
pub fn estimate_parts(
    checked: &Checked,
    features: &Features,
    sizes: &dyn SizeEstimator,
) -> (CostEstimate, HashMap<i64, CostEstimate>) {
    let (cost, parts) = run(checked, *features, sizes, Some(HashMap::new()));
    (cost, parts.unwrap_or_default())
}

fn run(
    checked: &Checked,
    features: Features,
    sizes: &dyn SizeEstimator,
    parts: Option<HashMap<i64, CostEstimate>>,
) -> (CostEstimate, Option<HashMap<i64, CostEstimate>>) {
    let mut coster = Coster {
        checked,
        sizes,
        features,
        eager: features.version.number() >= 33,
        paths: HashMap::new(),
        computed: HashMap::new(),
        entries: HashMap::new(),
        locals: Vec::new(),
        steps: Steps {
            items: "@items".into(),
            keys: "@keys".into(),
            values: "@values".into(),
            indices: "@indices".into(),
        },
        parts,
    };
    let cost = checked
        .ast
        .root()
        .map_or(CostEstimate::default(), |root| coster.cost(root));
    (cost, coster.parts)
}

impl Call<'_> {
    /// An estimate with the cost of the call without its arguments, and an unknown result size.
    pub(crate) fn costs(&self, cost: CostEstimate) -> CallEstimate {
        CallEstimate {
            cost: self.with_arguments(cost),
            result_size: None,
        }
    }

    /// An estimate with the cost of the call without its arguments, and the size of its result.
    pub(crate) fn gives(&self, cost: CostEstimate, result_size: SizeEstimate) -> CallEstimate {
        CallEstimate {
            cost: self.with_arguments(cost),
            result_size: Some(result_size),
        }
    }

    fn with_arguments(&self, cost: CostEstimate) -> CostEstimate {
        self.arg_costs.iter().fold(cost, |sum, arg| sum.plus(*arg))
    }
}
