//! The cost of names, selections, calls and literals.

use std::sync::Arc;

use crd_analyzer_budget as budget;

use super::path::Path;
use super::{Call, CostEstimate, Coster, EntrySize, SizeEstimate};
use crate::ast::{ExprKind, NodeId};
use crate::library::Estimate;
use crate::types::Kind;

/// Budgeted work for the cost of one part of an expression.
const NODE_WORK: u64 = 100;

const SELECT_OR_IDENT: CostEstimate = CostEstimate::fixed(1);
const LIST: CostEstimate = CostEstimate::fixed(10);
const MAP: CostEstimate = CostEstimate::fixed(30);
const STRUCT: CostEstimate = CostEstimate::fixed(40);

impl Coster<'_> {
    pub(super) fn id(&self, node: NodeId) -> i64 {
        self.checked.ast[node].id
    }

    pub(super) fn cost(&mut self, node: NodeId) -> CostEstimate {
        let cost = crate::stack::grow(|| self.cost_of(node));
        let id = self.id(node);
        if let Some(parts) = &mut self.parts {
            parts.insert(id, cost);
        }
        cost
    }

    fn cost_of(&mut self, node: NodeId) -> CostEstimate {
        // The result is not the real cost; the caller's budget records this.
        if budget::work(NODE_WORK).is_err() {
            return CostEstimate::default();
        }
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
            ExprKind::Comprehension(comprehension) if self.eager && self.is_bind(comprehension) => {
                self.cost_bind(node, comprehension)
            }
            ExprKind::Comprehension(comprehension) if self.eager => self.cost_comprehension(node, comprehension),
            ExprKind::Comprehension(comprehension) => self.cost_comprehension_lazy(node, comprehension),
        }
    }

    pub(super) fn cost_ident(&mut self, node: NodeId, name: &Arc<str>) -> CostEstimate {
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

    pub(super) fn cost_select(
        &mut self,
        node: NodeId,
        operand: NodeId,
        field: &Arc<str>,
        test_only: bool,
    ) -> CostEstimate {
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

    pub(super) fn cost_call(
        &mut self,
        node: NodeId,
        function: &str,
        target: Option<NodeId>,
        args: &[NodeId],
    ) -> CostEstimate {
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
                target: target.as_ref(),
                args: &operands,
                arg_costs: &arg_costs,
            };
            let estimate = match overload.cost.estimate {
                Estimate::Fixed(cost) => call.costs(CostEstimate::fixed(cost)),
                Estimate::Sized(estimate) => {
                    estimate(self, &call).unwrap_or_else(|| call.costs(CostEstimate::fixed(1)))
                }
            };
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

    pub(super) fn cost_list(&mut self, node: NodeId, elements: &[NodeId]) -> CostEstimate {
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
}

/// The union of the sizes seen so far.
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
