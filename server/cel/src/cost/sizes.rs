//! The sizes of operands, and of the entries of lists and maps.

use super::path::Path;
use super::{ACCUMULATORS, Coster, EntrySize, Operand, SizeEstimate};
use crate::ast::{ExprKind, Literal, NodeId};
use crate::decls::Features;
use crate::types::{Kind, Type};

impl Coster<'_> {
    pub(super) fn path_of(&self, node: NodeId) -> Path {
        if self.eager
            && let ExprKind::Ident(name) = &self.checked.ast[node].kind
            && let Some(local) = self.local(name)
        {
            return local.path.clone();
        }
        self.paths.get(&self.id(node)).cloned().unwrap_or_default()
    }

    pub(super) fn operand(&mut self, node: NodeId) -> Operand {
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

    pub(super) fn set_size(&mut self, node: NodeId, size: Option<SizeEstimate>) {
        if let Some(size) = size {
            self.computed.insert(self.id(node), size);
        }
    }

    pub(super) fn set_entry_size(&mut self, node: NodeId, entry: Option<EntrySize>) {
        if let Some(entry) = entry {
            self.entries.insert(self.id(node), entry);
        }
    }

    pub(super) fn copy_sizes(&mut self, to: NodeId, from: NodeId) {
        let size = self.compute_size(from);
        self.set_size(to, size);
        let entry = self.entry_size(from);
        self.set_entry_size(to, entry);
    }

    pub(super) fn entry_size(&self, node: NodeId) -> Option<EntrySize> {
        if let Some(entry) = self.entries.get(&self.id(node)) {
            return Some(*entry);
        }
        match &self.checked.ast[node].kind {
            ExprKind::Ident(name) => self.local(name)?.entry,
            _ => None,
        }
    }

    /// The size of an expression from the information collected so far (since 1.33).
    pub(super) fn compute_size(&mut self, node: NodeId) -> Option<SizeEstimate> {
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

    pub(super) fn size_of_node(&mut self, node: NodeId) -> SizeEstimate {
        self.compute_size(node).unwrap_or(SizeEstimate::UNKNOWN)
    }

    pub(super) fn literal_size(&self, node: NodeId) -> Option<SizeEstimate> {
        let size = match &self.checked.ast[node].kind {
            ExprKind::Literal(Literal::String(text)) => text.chars().count(),
            ExprKind::Literal(Literal::Bytes(bytes)) => bytes.len(),
            ExprKind::Literal(_) => 1,
            ExprKind::List { elements, .. } => elements.len(),
            ExprKind::Map { entries } => entries.len(),
            // Before 1.31, `cel-go` treats messages as maps without entries.
            ExprKind::Struct { .. } if self.features.version.number() < 31 => 0,
            _ => return None,
        };
        Some(SizeEstimate::fixed(size as u64))
    }

    pub(super) fn ask(&self, path: &Path) -> Option<SizeEstimate> {
        if path.is_empty() {
            return None;
        }
        path.with(|steps| self.sizes.estimate_size(steps))
    }

    pub(super) fn is_scalar(&self, ty: &Type) -> bool {
        match ty.kind() {
            Kind::Bool | Kind::Double | Kind::Duration | Kind::Int | Kind::Timestamp | Kind::Uint => true,
            Kind::Opaque if self.eager => ty.optional_of().is_some_and(|inner| self.is_scalar(inner)),
            _ => false,
        }
    }

    /// The size of an operand, if it is known without a path lookup.
    pub(crate) fn computed_size(&self, operand: &Operand) -> Option<SizeEstimate> {
        if self.eager {
            return operand.derived;
        }
        operand.derived.or_else(|| self.literal_size(operand.node?))
    }

    /// The size of an operand of a `cel-go` function.
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

    /// The size of an operand of a function from Kubernetes or a library.
    pub(crate) fn library_size(&self, operand: &Operand) -> SizeEstimate {
        let known = self.computed_size(operand);
        known
            .or_else(|| self.ask(&operand.path))
            .unwrap_or(SizeEstimate::UNKNOWN)
    }

    /// The element of a list, if the operand's type has parameters.
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

    /// The value of an operand that is an int literal.
    pub(crate) fn int_literal(&self, operand: &Operand) -> Option<i64> {
        match self.checked.ast[operand.node?].kind {
            ExprKind::Literal(Literal::Int(value)) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn features(&self) -> &Features {
        &self.features
    }

    /// Records that the entries of a call's result are like those of two of its operands.
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
