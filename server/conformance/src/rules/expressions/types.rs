//! The possible parts of an expression of a given type: fields of objects, and functions with a matching result.

use std::collections::HashMap;
use std::sync::Arc;

use crd_analyzer_cel::ast::operators;
use crd_analyzer_cel::types::{DeclKind, DeclType, Type};

pub(super) fn collect(ty: &DeclType, path: &str, objects: &mut HashMap<Arc<str>, Vec<(Arc<str>, Type)>>) {
    match &ty.kind {
        DeclKind::Simple(_) => {}
        DeclKind::List(element) => collect(element, &format!("{path}.@idx"), objects),
        DeclKind::Map(_, element) => collect(element, &format!("{path}.@elem"), objects),
        DeclKind::Object(fields) => {
            let mut types = Vec::new();
            for field in fields {
                let path = format!("{path}.{}", field.name);
                types.push((field.name.clone(), field.ty.cel_type(&path)));
                collect(&field.ty, &path, objects);
            }
            objects.insert(path.into(), types);
        }
    }
}

/// Whether a declared type can be the wanted type. Binds the type parameters of the declared type.
pub(super) fn unify(declared: &Type, want: &Type, bound: &mut HashMap<Arc<str>, Type>) -> bool {
    if let Type::Param(name) = declared {
        return *bound.entry(name.clone()).or_insert_with(|| want.clone()) == *want;
    }
    let (ours, theirs) = (declared.parameters(), want.parameters());
    declared.kind() == want.kind()
        && declared.type_name() == want.type_name()
        && ours.len() == theirs.len()
        && ours.iter().zip(theirs).all(|(ours, theirs)| unify(ours, theirs, bound))
}

pub(super) fn substitute(ty: &Type, bound: &HashMap<Arc<str>, Type>) -> Type {
    match ty {
        Type::Param(name) => bound.get(name).cloned().unwrap_or(Type::Dyn),
        Type::List(element) => Type::list(substitute(element, bound)),
        Type::Map(types) => Type::map(substitute(&types[0], bound), substitute(&types[1], bound)),
        Type::Type(Some(of)) => Type::type_of(substitute(of, bound)),
        Type::Opaque(opaque) => Type::opaque(
            opaque.name.clone(),
            opaque.params.iter().map(|it| substitute(it, bound)).collect(),
        ),
        other => other.clone(),
    }
}

/// The symbol of a prefix or infix operator.
pub(super) fn operator_of(name: &str) -> Option<&'static str> {
    operators::display_name(name).filter(|it| !it.is_empty())
}
