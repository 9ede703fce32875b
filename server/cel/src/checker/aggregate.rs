//! Type checking of list, map and message literals (`checkCreateList`, `checkCreateMap`, `checkCreateStruct`).

use super::unify::most_general;
use super::{Checker, Reference};
use crate::ast::{ExprKind, IssueKind, NodeId};
use crate::types::{Kind, Type};

impl Checker<'_> {
    pub(super) fn check_list(&mut self, node: NodeId) {
        let ExprKind::List {
            elements,
            optional_indices,
        } = &self.ast[node].kind
        else {
            return;
        };
        let (elements, optional_indices) = (elements.clone(), optional_indices.clone());
        let mut joined: Option<Type> = None;
        for (at, element) in elements.into_iter().enumerate() {
            self.check(element);
            let mut ty = self.type_of(element);
            if optional_indices.binary_search(&(at as u32)).is_ok() {
                ty = self.unwrap_optional(element, ty);
            }
            if joined.is_some() || !is_untyped(&ty) {
                joined = Some(self.join(element, joined, ty));
            }
        }
        let element = joined.unwrap_or_else(|| self.mapping.fresh());
        self.set_type(node, Type::list(element));
    }

    pub(super) fn check_map(&mut self, node: NodeId) {
        let ExprKind::Map { entries } = &self.ast[node].kind else {
            return;
        };
        let entries: Vec<_> = entries
            .iter()
            .map(|entry| (entry.key, entry.value, entry.optional))
            .collect();
        let (mut key_type, mut value_type) = (None, None);
        for (key, value, optional) in entries {
            self.check(key);
            let ty = self.type_of(key);
            if key_type.is_some() || !is_untyped(&ty) {
                key_type = Some(self.join(key, key_type, ty));
            }
            self.check(value);
            let mut ty = self.type_of(value);
            if optional {
                ty = self.unwrap_optional(value, ty);
            }
            value_type = Some(self.join(value, value_type, ty));
        }
        let ty = match key_type.zip(value_type) {
            Some((key, value)) => Type::map(key, value),
            None => Type::map(self.mapping.fresh(), self.mapping.fresh()),
        };
        self.set_type(node, ty);
    }

    /// The type inside an optional element, entry or field.
    pub(super) fn unwrap_optional(&mut self, node: NodeId, ty: Type) -> Type {
        if let Some(inner) = ty.optional_of() {
            return inner.clone();
        }
        if !ty.is_dyn() {
            self.report_mismatch(node, &Type::optional(ty.clone()), &ty);
        }
        ty
    }

    /// The type of a list or map literal whose earlier elements have the type `previous` and whose next element has the
    /// type `current`.
    pub(super) fn join(&mut self, node: NodeId, previous: Option<Type>, current: Type) -> Type {
        let Some(previous) = previous else { return current };
        if self.mapping.is_assignable(&previous, &current) {
            return most_general(&previous, &current).clone();
        }
        if !self
            .scopes
            .context
            .environment()
            .features()
            .homogeneous_aggregate_literals
        {
            return Type::Dyn;
        }
        self.report_mismatch(node, &previous, &current);
        Type::Error
    }

    pub(super) fn check_struct(&mut self, node: NodeId) {
        let ExprKind::Struct { type_name, fields } = &self.ast[node].kind else {
            return;
        };
        let type_name = type_name.clone();
        let fields: Vec<_> = fields
            .iter()
            .map(|field| (field.id, field.name.clone(), field.value, field.optional))
            .collect();
        let Some(found) = self.scopes.resolve_type(&type_name) else {
            self.report_undeclared(node, &type_name);
            self.set_type(node, Type::Error);
            return;
        };
        let mut name = found.name.clone();
        if let ExprKind::Struct { type_name, .. } = &mut self.ast.node_mut(node).kind {
            *type_name = name.clone();
        }
        self.set_reference(
            node,
            Reference::Ident {
                name: name.clone(),
                constant: None,
            },
        );
        let mut result = Type::Error;
        match &found.ty {
            Type::Error => {}
            Type::Type(Some(of)) => {
                if let Some(known) = well_known_name(of) {
                    name = known.into();
                    result = (**of).clone();
                } else if let Type::Struct(of_name) = &**of {
                    name = of_name.clone();
                    result = (**of).clone();
                } else {
                    let name = of.declared_name();
                    self.report(node, IssueKind::NotAMessageType { name });
                }
            }
            other => {
                let name = other.declared_name();
                self.report(node, IssueKind::NotAType { name });
            }
        }
        self.set_type(node, result);
        for (id, field, value, optional) in fields {
            self.check(value);
            let field_type = self.field_type(id, &name, &field).unwrap_or(Type::Error);
            let mut value_type = self.type_of(value);
            if optional {
                value_type = self.unwrap_optional(value, value_type);
            }
            if !self.mapping.is_assignable(&field_type, &value_type) {
                let kind = IssueKind::WrongFieldType {
                    field: field.to_string(),
                    expected: self.printed(&field_type),
                    found: self.printed(&value_type),
                };
                self.report_id(id, kind);
            }
        }
    }
}

/// Whether `ty` is the type of a variable to which API servers of 1.32 assign no type (see `check_comprehension`).
fn is_untyped(ty: &Type) -> bool {
    matches!(ty, Type::Opaque(opaque) if opaque.name.is_empty())
}

/// The name of the protobuf message that a type represents; `None` for other types.
fn well_known_name(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Any => "google.protobuf.Any",
        Type::Timestamp => "google.protobuf.Timestamp",
        Type::Duration => "google.protobuf.Duration",
        Type::Dyn => "google.protobuf.Value",
        Type::Null => "google.protobuf.NullValue",
        Type::List(element) if **element == Type::Dyn => "google.protobuf.ListValue",
        Type::Map(types) if types[0] == Type::String && types[1] == Type::Dyn => "google.protobuf.Struct",
        Type::Wrapper(of) => match of.kind() {
            Kind::Bool => "google.protobuf.BoolValue",
            Kind::Bytes => "google.protobuf.BytesValue",
            Kind::Double => "google.protobuf.DoubleValue",
            Kind::Int => "google.protobuf.Int64Value",
            Kind::String => "google.protobuf.StringValue",
            Kind::Uint => "google.protobuf.UInt64Value",
            _ => return None,
        },
        _ => return None,
    })
}
