//! Substitutes `vars`, the older form of replacements (`sigs.k8s.io/kustomize/api/filters/refvar`).

use std::{collections::HashMap, fmt::Write as _, sync::Arc};

use crate::{
    kustomization::Var,
    node::{Node, Value},
    problem::{Problem, Result},
    replace::lookup,
    resource::Resources,
    spec::{Change, FieldSpec, split_field_path},
    spend,
};

/// Records the objects that the vars of a kustomization read (`MergeVars`).
pub(crate) fn note(resources: &mut Resources, known: &mut Vec<Var>, vars: &[Var]) -> Result<()> {
    for var in vars {
        let wanted = &var.object;
        let is_exact = !wanted.namespace.is_empty() || wanted.gvk.is_cluster_scoped();
        let found = resources.by_any_id(&wanted.name, |id| {
            if is_exact {
                id.is_same(wanted)
            } else {
                id.name == wanted.name && id.gvk == wanted.gvk
            }
        })?;
        match found.as_slice() {
            [] => {}
            [one] => {
                if let Some(resource) = resources.get_mut(*one) {
                    resource.vars.push(var.name.clone());
                }
            }
            _ => {
                return Err(Problem::fails(
                    var.place,
                    format!("several objects match the var `{}`", var.name),
                ));
            }
        }
    }
    vars.iter().try_for_each(|it| add(known, it.clone()))
}

/// Adds a var. Fails if a var with the same name exists.
pub(crate) fn add(known: &mut Vec<Var>, var: Var) -> Result<()> {
    spend::work(known.len())?;
    if known.iter().any(|it| it.name == var.name) {
        return Err(Problem::fails(var.place, format!("there are two vars `{}`", var.name)));
    }
    known.push(var);
    Ok(())
}

/// Substitutes the values of vars.
pub(crate) fn resolve(resources: &mut Resources, vars: &[Var], specs: &[FieldSpec]) -> Result<()> {
    if vars.is_empty() {
        return Ok(());
    }
    let mut values: HashMap<Arc<str>, Value> = HashMap::new();
    let mut objects: HashMap<Arc<str>, usize> = HashMap::new();
    for (n, resource) in resources.list().iter().enumerate() {
        for var in &resource.vars {
            objects.entry(var.clone()).or_insert(n);
        }
    }
    for var in vars {
        let object = objects.get(&var.name).and_then(|it| resources.list().get(*it));
        spend::text(var.field_path.len())?;
        let path: Vec<String> = split_field_path(&var.field_path)
            .into_iter()
            .flat_map(|it| {
                // Split `args[0]` into the field and the index.
                match it.strip_suffix(']').and_then(|it| it.split_once('[')) {
                    Some((field, index)) if !field.is_empty() => vec![field.to_owned(), index.to_owned()],
                    _ => vec![it],
                }
            })
            .collect();
        let Some(value) = object.and_then(|it| lookup(&it.node, &path)) else {
            return Err(Problem::fails(
                var.place,
                format!("the var `{}` leads to no field", var.name),
            ));
        };
        let value = match &value.value {
            Value::Null { .. } => Value::String(value.shared_text()),
            _ => spend::copied(value)?.value,
        };
        values.insert(var.name.clone(), value);
    }
    let mut set = |node: &mut Node| -> Result<()> {
        if is_string(node) {
            return put(node, &values);
        }
        match &mut node.value {
            Value::Map(entries) => entries.iter_mut().try_for_each(|it| put(&mut it.value, &values))?,
            Value::List(items) => {
                if let Some(other) = items.iter().find(|it| !is_string(it)) {
                    return Err(Problem::fails(
                        other.place,
                        "a list in which vars are replaced has an item that is not a string",
                    ));
                }
                for item in items {
                    put(item, &values)?;
                }
            }
            _ => {}
        }
        Ok(())
    };
    for resource in resources.list_mut() {
        let gvk = resource.gvk();
        let mut change = Change {
            create: None,
            place: resource.node.place,
            set: &mut set,
        };
        change.apply_all(&mut resource.node, &gvk, specs)?;
    }
    Ok(())
}

/// Whether a value may contain vars.
fn is_string(node: &Node) -> bool {
    matches!(node.value, Value::String(_)) || node.is_untagged
}

/// Replaces each `$(NAME)` in a string.
fn put(node: &mut Node, values: &HashMap<Arc<str>, Value>) -> Result<()> {
    if !is_string(node) {
        return Ok(());
    }
    let text = node.shared_text();
    (node.is_untagged, node.written) = (false, None);
    spend::text(text.len())?;
    if !text.contains('$') {
        node.value = Value::String(text);
        return Ok(());
    }
    spend::bytes(text.len())?;
    let mut made = String::new();
    let mut rest = &*text;
    // A variable that starts after this offset is not closed.
    let last = text.rfind(')').unwrap_or(0);
    while let Some(at) = rest.find('$') {
        made.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if after.is_empty() {
            rest = &rest[at..];
            break;
        }
        if let Some(escaped) = after.strip_prefix('$') {
            made.push('$');
            rest = escaped;
            continue;
        }
        let has_end = text.len() - after.len() <= last;
        let inside = after.strip_prefix('(').filter(|_| has_end);
        let Some((name, behind)) = inside.and_then(|it| it.split_once(')')) else {
            made.push('$');
            let first = after.chars().next().map_or(0, char::len_utf8);
            made.push_str(&after[..first]);
            rest = &after[first..];
            continue;
        };
        match values.get(name) {
            Some(Value::List(_) | Value::Map(_)) | None => {
                let _ = write!(made, "$({name})");
            }
            Some(value) if text.len() == name.len() + 3 => {
                node.value = value.clone();
                return Ok(());
            }
            Some(Value::String(value)) => {
                spend::bytes(value.len())?;
                made.push_str(value);
            }
            Some(value) => made.push_str(&Node::new(node.place, value.clone()).text()),
        }
        rest = behind;
    }
    made.push_str(rest);
    node.value = Value::String(made.into());
    Ok(())
}
