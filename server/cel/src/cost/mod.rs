//! The estimated cost of expressions (`cel-go` `checker/cost.go`).
//!
//! Two generations: until 1.32 the server looked sizes up when a call asked for them, since 1.33 (cel-go 0.23) when an operand was
//! visited, and it knows the sizes of literals' elements and of local variables.

pub mod calls;
mod path;
mod size;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use path::Path;
pub use size::{CallEstimate, CostEstimate, SizeEstimate};

use crate::ast::{Comprehension, ExprKind, Literal, NodeId};
use crate::checker::Checked;
use crate::decls::{Features, OverloadDecl};
use crate::types::{DeclType, Kind, Type};

/// Knows how large the values of variables and of their parts are.
pub trait SizeEstimator {
    /// The size of what is at a path: a variable, then fields, `@items`, `@keys` and `@values`. Never asked with an empty path.
    fn estimate_size(&self, path: &[Arc<str>]) -> Option<SizeEstimate>;
}

/// Knows no sizes.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSizes;

impl SizeEstimator for NoSizes {
    fn estimate_size(&self, _: &[Arc<str>]) -> Option<SizeEstimate> {
        None
    }
}

impl SizeEstimator for DeclType {
    /// Every variable is taken for one of this type
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

/// Estimates the cost of a call. Declarations of functions name one of [`calls`]; `None` means that they take this call for any other,
/// which costs 1.
pub type EstimateFn = fn(&mut Coster<'_>, &Call<'_>) -> Option<CallEstimate>;

/// A call to estimate.
pub struct Call<'a> {
    /// The call.
    pub(crate) node: NodeId,
    /// What it may mean.
    pub(crate) overload: &'a OverloadDecl,
    pub(crate) target: Option<&'a Operand>,
    pub(crate) args: &'a [Operand],
    /// What evaluating the arguments (not the target) costs.
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

/// The sizes of the entries of a list or map.
#[derive(Clone, Copy, Debug)]
struct EntrySize {
    container: Kind,
    key: SizeEstimate,
    value: SizeEstimate,
}

#[derive(Clone, Debug)]
struct LocalVar {
    name: Arc<str>,
    /// The range that is iterated over.
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
    /// Whether sizes are found when an operand is visited (since 1.33).
    eager: bool,
    paths: HashMap<i64, Path>,
    computed: HashMap<i64, SizeEstimate>,
    entries: HashMap<i64, EntrySize>,
    locals: Vec<LocalVar>,
    steps: Steps,
}

/// The steps of paths that are no fields, made once.
struct Steps {
    items: Arc<str>,
    keys: Arc<str>,
    values: Arc<str>,
    indices: Arc<str>,
}

const SELECT_OR_IDENT: CostEstimate = CostEstimate::fixed(1);
const LIST: CostEstimate = CostEstimate::fixed(10);
const MAP: CostEstimate = CostEstimate::fixed(30);
const STRUCT: CostEstimate = CostEstimate::fixed(40);

/// The names of variables that macros accumulate in.
const ACCUMULATORS: [&str; 2] = ["__result__", "@result"];

/// The estimated cost of evaluating an expression once, as a server with these features computes it.
pub fn estimate(checked: &Checked, features: &Features, sizes: &dyn SizeEstimator) -> CostEstimate {
    let mut coster = Coster {
        checked,
        sizes,
        features: *features,
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
    };
    checked
        .ast
        .root()
        .map_or(CostEstimate::default(), |root| coster.cost(root))
}

impl Coster<'_> {
    fn id(&self, node: NodeId) -> i64 {
        self.checked.ast[node].id
    }

    fn cost(&mut self, node: NodeId) -> CostEstimate {
        let checked = self.checked;
        match &checked.ast[node].kind {
            ExprKind::Unspecified | ExprKind::Literal(_) => CostEstimate::default(),
            ExprKind::Ident(name) => self.cost_ident(node, name),
            ExprKind::Select {
                operand,
                field,
                test_only,
            } => self.cost_select(node, *operand, field, *test_only),
            ExprKind::Call { function, target, args } => self.cost_call(node, function, *target, args),
            ExprKind::List { elements, .. } => self.cost_list(node, elements),
            ExprKind::Map { entries } => {
                let mut sum = CostEstimate::default();
                let (mut keys, mut values) = (Range::default(), Range::default());
                for entry in entries {
                    sum = sum.plus(self.cost(entry.key)).plus(self.cost(entry.value));
                    if self.eager {
                        keys.add(self.size_of_node(entry.key));
                        values.add(self.size_of_node(entry.value));
                    }
                }
                if self.eager {
                    let entry = EntrySize {
                        container: Kind::Map,
                        key: keys.get(),
                        value: values.get(),
                    };
                    self.entries.insert(self.id(node), entry);
                }
                sum.plus(MAP)
            }
            ExprKind::Struct { fields, .. } => fields
                .iter()
                .fold(CostEstimate::default(), |sum, field| sum.plus(self.cost(field.value)))
                .plus(STRUCT),
            ExprKind::Comprehension(fold) if self.eager && self.is_bind(fold) => self.cost_bind(node, fold),
            ExprKind::Comprehension(fold) if self.eager => self.cost_comprehension(node, fold),
            ExprKind::Comprehension(fold) => self.cost_comprehension_lazy(node, fold),
        }
    }

    fn cost_ident(&mut self, node: NodeId, name: &Arc<str>) -> CostEstimate {
        let path = match self.local(name) {
            Some(local) if self.eager => Some(local.path.clone()),
            Some(local) => {
                let range = self.paths.get(&local.range).cloned().unwrap_or_default();
                match self.checked.type_of_id(local.range).kind() {
                    Kind::List => Some(range.append(self.steps.items.clone())),
                    Kind::Map => Some(range.append(self.steps.keys.clone())),
                    _ => None,
                }
            }
            None => Some(Path::of(name.clone())),
        };
        if let Some(path) = path {
            self.paths.insert(self.id(node), path);
        }
        SELECT_OR_IDENT
    }

    fn cost_select(&mut self, node: NodeId, operand: NodeId, field: &Arc<str>, test_only: bool) -> CostEstimate {
        let sum = self.cost(operand);
        if test_only {
            let test = u64::from(self.features.presence_test_has_cost);
            return sum.plus(CostEstimate::fixed(test));
        }
        let path = self.path_of(operand).append(field.clone());
        self.paths.insert(self.id(node), path);
        match self.checked.type_of(operand).kind() {
            Kind::Map | Kind::Struct | Kind::TypeParam => sum.plus(SELECT_OR_IDENT),
            _ => sum,
        }
    }

    fn cost_call(&mut self, node: NodeId, function: &str, target: Option<NodeId>, args: &[NodeId]) -> CostEstimate {
        if self.eager
            && function == "dyn"
            && let Some(arg) = args.first()
        {
            let cost = self.cost(*arg);
            self.copy_sizes(node, *arg);
            return cost.plus(CostEstimate::fixed(1));
        }
        let mut operands = Vec::with_capacity(args.len());
        let mut arg_costs = Vec::with_capacity(args.len());
        for arg in args {
            arg_costs.push(self.cost(*arg));
            operands.push(self.operand(*arg));
        }
        let overloads = self.checked.overloads(node);
        if overloads.is_empty() {
            return CostEstimate::default();
        }
        let mut sum = CostEstimate::default();
        let target = target.map(|target| {
            sum = self.cost(target);
            self.operand(target)
        });
        let mut range = CostEstimate { min: u64::MAX, max: 0 };
        let mut result_size: Option<SizeEstimate> = None;
        for overload in overloads {
            let call = Call {
                node,
                overload,
                target: target.as_ref(),
                args: &operands,
                arg_costs: &arg_costs,
            };
            let estimate = overload.cost.and_then(|estimate| estimate(self, &call));
            let estimate = estimate.unwrap_or_else(|| call.costs(CostEstimate::fixed(1)));
            range = range.union(estimate.cost);
            if let Some(size) = estimate.result_size {
                result_size = Some(result_size.map_or(size, |known| known.union(size)));
            }
            let step = match &*overload.id {
                "index_list" => Some(self.steps.items.clone()),
                "index_map" => Some(self.steps.values.clone()),
                _ => None,
            };
            if let (Some(step), Some(indexed)) = (step, args.first()) {
                if self.eager {
                    result_size = self.entry_size(*indexed).map(|entry| entry.value);
                }
                let path = self.path_of(*indexed).append(step);
                self.paths.insert(self.id(node), path);
            }
            if self.eager && result_size.is_none() {
                result_size = self.compute_size(node);
            }
        }
        self.set_size(node, result_size);
        sum.plus(range)
    }

    fn cost_list(&mut self, node: NodeId, elements: &[NodeId]) -> CostEstimate {
        let mut sum = CostEstimate::default();
        let mut items = Range::default();
        for element in elements {
            sum = sum.plus(self.cost(*element));
            if self.eager {
                items.add(self.size_of_node(*element));
            }
        }
        if self.eager {
            let entry = EntrySize {
                container: Kind::List,
                key: SizeEstimate::fixed(1),
                value: items.get(),
            };
            self.entries.insert(self.id(node), entry);
        }
        sum.plus(LIST)
    }

    fn cost_comprehension_lazy(&mut self, node: NodeId, fold: &Comprehension) -> CostEstimate {
        let mut sum = self.cost(fold.iter_range).plus(self.cost(fold.accu_init));
        self.locals.push(LocalVar {
            name: fold.iter_var.clone(),
            range: self.id(fold.iter_range),
            path: Path::default(),
            size: None,
            entry: None,
        });
        let condition = self.cost(fold.loop_condition);
        let step = self.cost(fold.loop_step);
        self.leave(&fold.iter_var);
        sum = sum.plus(self.cost(fold.result));
        let range = self.operand(fold.iter_range);
        let count = self.size(&range);
        self.computed.insert(self.id(node), count);
        sum.plus(count.times_cost(step.plus(condition)))
    }

    fn cost_comprehension(&mut self, node: NodeId, fold: &Comprehension) -> CostEstimate {
        let mut sum = self.cost(fold.iter_range).plus(self.cost(fold.accu_init));
        self.enter_local(&fold.accu_var, fold.accu_init);
        let entry = self.entry_size(fold.iter_range);
        let container = entry.map_or_else(|| self.checked.type_of(fold.iter_range).kind(), |entry| entry.container);
        let is_list = container == Kind::List;
        let (keys, values) = (entry.map(|entry| entry.key), entry.map(|entry| entry.value));
        if let Some(second) = &fold.iter_var2 {
            let (key_step, value_step) = if is_list {
                (self.steps.indices.clone(), self.steps.items.clone())
            } else {
                (self.steps.keys.clone(), self.steps.values.clone())
            };
            self.enter_iteration(&fold.iter_var, fold.iter_range, key_step, keys);
            self.enter_iteration(second, fold.iter_range, value_step, values);
        } else if is_list {
            self.enter_iteration(&fold.iter_var, fold.iter_range, self.steps.items.clone(), values);
        } else {
            self.enter_iteration(&fold.iter_var, fold.iter_range, self.steps.keys.clone(), keys);
        }
        let condition = self.cost(fold.loop_condition);
        let step = self.cost(fold.loop_step);
        self.leave(&fold.iter_var);
        if let Some(second) = &fold.iter_var2 {
            self.leave(second);
        }
        sum = sum.plus(self.cost(fold.result));
        self.leave(&fold.accu_var);
        let count = self.size_of_node(fold.iter_range);
        sum = sum.plus(count.times_cost(step.plus(condition)));
        match &self.checked.ast[fold.accu_init].kind {
            ExprKind::Literal(_) => {
                let size = self.compute_size(fold.accu_init);
                self.set_size(node, size);
            }
            ExprKind::List { .. } | ExprKind::Map { .. } => {
                self.set_size(node, Some(count));
                let entry = self.entry_size(fold.loop_step);
                self.set_entry_size(node, entry);
            }
            _ => {}
        }
        sum
    }

    /// Whether a comprehension only gives a name to a value, as `optMap` does.
    fn is_bind(&self, fold: &Comprehension) -> bool {
        matches!(&self.checked.ast[fold.iter_range].kind, ExprKind::List { elements, .. } if elements.is_empty())
            && matches!(
                self.checked.ast[fold.loop_condition].kind,
                ExprKind::Literal(Literal::Bool(false))
            )
            && *fold.accu_var != *ACCUMULATORS[0]
    }

    fn cost_bind(&mut self, node: NodeId, fold: &Comprehension) -> CostEstimate {
        let sum = self.cost(fold.iter_range).plus(self.cost(fold.accu_init));
        self.enter_local(&fold.accu_var, fold.accu_init);
        let sum = sum.plus(self.cost(fold.result));
        self.leave(&fold.accu_var);
        self.copy_sizes(node, fold.result);
        sum
    }

    fn local(&self, name: &str) -> Option<&LocalVar> {
        self.locals.iter().rev().find(|local| *local.name == *name)
    }

    fn enter_local(&mut self, name: &Arc<str>, init: NodeId) {
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

    fn enter_iteration(&mut self, name: &Arc<str>, range: NodeId, step: Arc<str>, size: Option<SizeEstimate>) {
        let path = self.path_of(range).append(step);
        self.locals.push(LocalVar {
            name: name.clone(),
            range: self.id(range),
            path,
            size,
            entry: None,
        });
    }

    fn leave(&mut self, name: &str) {
        if let Some(at) = self.locals.iter().rposition(|local| *local.name == *name) {
            self.locals.remove(at);
        }
    }

    fn path_of(&self, node: NodeId) -> Path {
        if self.eager
            && let ExprKind::Ident(name) = &self.checked.ast[node].kind
            && let Some(local) = self.local(name)
        {
            return local.path.clone();
        }
        self.paths.get(&self.id(node)).cloned().unwrap_or_default()
    }

    fn operand(&mut self, node: NodeId) -> Operand {
        let mut path = self.path_of(node);
        let names = if self.eager {
            &ACCUMULATORS[..]
        } else {
            &ACCUMULATORS[..1]
        };
        if path.starts_at(names) {
            path = Path::default();
        }
        let derived = if self.eager {
            self.compute_size(node)
        } else {
            self.computed.get(&self.id(node)).copied()
        };
        Operand {
            path,
            ty: self.checked.type_of(node).clone(),
            node: Some(node),
            derived,
        }
    }

    fn set_size(&mut self, node: NodeId, size: Option<SizeEstimate>) {
        if let Some(size) = size {
            self.computed.insert(self.id(node), size);
        }
    }

    fn set_entry_size(&mut self, node: NodeId, entry: Option<EntrySize>) {
        if let Some(entry) = entry {
            self.entries.insert(self.id(node), entry);
        }
    }

    fn copy_sizes(&mut self, to: NodeId, from: NodeId) {
        let size = self.compute_size(from);
        self.set_size(to, size);
        let entry = self.entry_size(from);
        self.set_entry_size(to, entry);
    }

    fn entry_size(&self, node: NodeId) -> Option<EntrySize> {
        if let Some(entry) = self.entries.get(&self.id(node)) {
            return Some(*entry);
        }
        match &self.checked.ast[node].kind {
            ExprKind::Ident(name) => self.local(name)?.entry,
            _ => None,
        }
    }

    /// The size of an expression as it is known now (since 1.33).
    fn compute_size(&mut self, node: NodeId) -> Option<SizeEstimate> {
        let id = self.id(node);
        if let Some(size) = self.computed.get(&id) {
            return Some(*size);
        }
        if let Some(size) = self.literal_size(node) {
            return Some(size);
        }
        if let Some(size) = self.ask(&self.path_of(node)) {
            self.computed.insert(id, size);
            return Some(size);
        }
        if self.is_scalar(self.checked.type_of(node)) {
            return Some(SizeEstimate::fixed(1));
        }
        match &self.checked.ast[node].kind {
            ExprKind::Ident(name) => self.local(name)?.size,
            _ => None,
        }
    }

    fn size_of_node(&mut self, node: NodeId) -> SizeEstimate {
        self.compute_size(node).unwrap_or(SizeEstimate::UNKNOWN)
    }

    fn literal_size(&self, node: NodeId) -> Option<SizeEstimate> {
        let size = match &self.checked.ast[node].kind {
            ExprKind::Literal(Literal::String(text)) => text.chars().count(),
            ExprKind::Literal(Literal::Bytes(bytes)) => bytes.len(),
            ExprKind::Literal(_) => 1,
            ExprKind::List { elements, .. } => elements.len(),
            ExprKind::Map { entries } => entries.len(),
            _ => return None,
        };
        Some(SizeEstimate::fixed(size as u64))
    }

    fn ask(&self, path: &Path) -> Option<SizeEstimate> {
        if path.is_empty() {
            return None;
        }
        path.with(|steps| self.sizes.estimate_size(steps))
    }

    fn is_scalar(&self, ty: &Type) -> bool {
        match ty.kind() {
            Kind::Bool | Kind::Double | Kind::Duration | Kind::Int | Kind::Timestamp | Kind::Uint => true,
            Kind::Opaque if self.eager => ty.optional_of().is_some_and(|inner| self.is_scalar(inner)),
            _ => false,
        }
    }

    /// The size of an operand that does not have to be looked up.
    pub(crate) fn computed_size(&self, operand: &Operand) -> Option<SizeEstimate> {
        if self.eager {
            return operand.derived;
        }
        operand.derived.or_else(|| self.literal_size(operand.node?))
    }

    /// The size of an operand, for the functions of `cel-go`.
    pub(crate) fn size(&self, operand: &Operand) -> SizeEstimate {
        if let Some(size) = self.computed_size(operand) {
            return size;
        }
        if self.eager {
            return SizeEstimate::UNKNOWN;
        }
        if let Some(size) = self.ask(&operand.path) {
            return size;
        }
        if self.is_scalar(&operand.ty) {
            SizeEstimate::fixed(1)
        } else {
            SizeEstimate::UNKNOWN
        }
    }

    /// The size of an operand, for the functions of Kubernetes and of libraries.
    pub(crate) fn library_size(&self, operand: &Operand) -> SizeEstimate {
        let known = self.computed_size(operand);
        known
            .or_else(|| self.ask(&operand.path))
            .unwrap_or(SizeEstimate::UNKNOWN)
    }

    /// An element of a list, if the operand has a type with parameters.
    pub(crate) fn element(&self, list: &Operand) -> Option<Operand> {
        let ty = list.ty.parameters().first()?.clone();
        let path = if list.path.is_empty() {
            Path::default()
        } else {
            list.path.copy_with(self.steps.items.clone())
        };
        Some(Operand {
            path,
            ty,
            node: None,
            derived: None,
        })
    }

    /// The int that an operand is written as.
    pub(crate) fn int_literal(&self, operand: &Operand) -> Option<i64> {
        match self.checked.ast[operand.node?].kind {
            ExprKind::Literal(Literal::Int(value)) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn features(&self) -> &Features {
        &self.features
    }

    /// Says that the entries of a call's result are like those of two of its operands.
    pub(crate) fn join_entries(&mut self, node: NodeId, first: &Operand, second: &Operand) {
        if !self.eager {
            return;
        }
        let entry = |coster: &Self, operand: &Operand| operand.node.and_then(|node| coster.entry_size(node));
        if let (Some(first), Some(second)) = (entry(self, first), entry(self, second)) {
            let joined = EntrySize {
                container: first.container,
                key: first.key.union(second.key),
                value: first.value.union(second.value),
            };
            self.entries.insert(self.id(node), joined);
        }
    }
}

impl Call<'_> {
    /// What the call costs besides its arguments, and nothing is known of its result.
    pub(crate) fn costs(&self, cost: CostEstimate) -> CallEstimate {
        CallEstimate {
            cost: self.with_arguments(cost),
            result_size: None,
        }
    }

    /// What the call costs besides its arguments, and how large its result is.
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

/// The range of sizes seen so far.
#[derive(Default)]
struct Range(Option<SizeEstimate>);

impl Range {
    fn add(&mut self, size: SizeEstimate) {
        self.0 = Some(self.0.map_or(size, |known| known.union(size)));
    }

    fn get(&self) -> SizeEstimate {
        self.0.unwrap_or(SizeEstimate::fixed(0))
    }
}
