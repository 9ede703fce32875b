//! Sets values at a path in objects (`sigs.k8s.io/kustomize/api/filters/valueadd`).

use crate::{
    kustomization::{Namespace, Subjects, Text, ValueTarget},
    node::{Node, Place, Value},
    problem::{Problem, ProblemKind, Result},
    resource::Resources,
    spec::split_path,
    spend, transform,
};

/// The path whose value is set in the same way as by `namespace` of a kustomization.
const NAMESPACE: &str = "metadata/namespace";

/// Applies one target of a `ValueAddTransformer`.
pub(crate) fn add(resources: &mut Resources, value: &Text, target: &ValueTarget) -> Result<()> {
    let patterns = target.select.as_ref().map(|it| Ok((it, it.patterns()?))).transpose()?;
    let path: Vec<String> = split_path(&target.field_path, '/');
    let path: Vec<&str> = path.iter().map(|it| it.trim()).filter(|it| !it.is_empty()).collect();
    let namespace = Namespace {
        text: value.clone(),
        unset_only: false,
        subjects: Subjects::Default,
    };
    for resource in resources.list_mut() {
        if let Some((selector, patterns)) = &patterns
            && !selector.selects(patterns, resource)?
        {
            continue;
        }
        spend::text(target.field_path.len())?;
        if *target.field_path == *NAMESPACE {
            transform::set_namespace(resource, &namespace, &[])?;
        } else {
            let adding = Adding { value, target };
            resource.change(|it| adding.put(&mut it.node, &path))?;
        }
    }
    Ok(())
}

struct Adding<'a> {
    value: &'a Text,
    target: &'a ValueTarget,
}

impl Adding<'_> {
    fn fails(&self, message: String) -> Problem {
        Problem::fails(self.target.place, message)
    }

    fn node(&self, value: Value) -> Node {
        Node::new(self.value.place, value)
    }

    fn put(&self, node: &mut Node, path: &[&str]) -> Result<()> {
        let Some((part, rest)) = path.split_first() else {
            return self.set(node);
        };
        spend::work(1 + node.entries().len() / 4)?;
        if node.is_null() {
            return self.nothing();
        }
        let inner = part.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
        if part.parse::<i64>().is_ok() || *part == "-" || inner.is_some() {
            let Value::List(items) = &mut node.value else {
                return Err(self.fails(format!("`{part}` needs a list")));
            };
            return match inner {
                Some(inner) => self.item(items, inner, rest),
                None => match part.parse::<usize>() {
                    Ok(at) => items
                        .get_mut(at)
                        .map_or_else(|| self.nothing(), |it| self.put(it, rest)),
                    Err(_) => items.last_mut().map_or_else(|| self.nothing(), |it| self.put(it, rest)),
                },
            };
        }
        if *part == "*" {
            return Err(self.fails("wildcard is not supported in PathGetter".to_owned()));
        }
        if !matches!(node.value, Value::Map(_)) {
            return Err(self.fails(format!("`{part}` needs an object")));
        }
        if node.get(part).is_none() {
            spend::nodes(1)?;
            spend::bytes(part.len())?;
            let made = match rest.first() {
                None => Value::String("".into()),
                Some(next) if next.starts_with('[') || next.parse::<usize>().is_ok() => Value::List(Vec::new()),
                Some(_) => Value::Map(Vec::new()),
            };
            node.set(*part, self.value.place, self.node(made));
        }
        node.get_mut(part).map_or(Ok(()), |it| self.put(it, rest))
    }

    /// The result if the path ends before its last part. If the value is to be inserted into a file path, this is not supported.
    fn nothing(&self) -> Result<()> {
        if self.target.position == 0 {
            return Ok(());
        }
        let message = "crd-analyzer does not put a part into a path that is missing";
        Err(Problem::new(ProblemKind::NotSupported, self.target.place, message))
    }

    /// Sets the value in the first item that matches. If no item matches, creates one.
    fn item(&self, items: &mut Vec<Node>, selector: &str, rest: &[&str]) -> Result<()> {
        let Some((field, wanted)) = selector.split_once('=') else {
            return Err(self.fails(format!("write `[{selector}]` as `[FIELD=VALUE]`")));
        };
        spend::work(items.len())?;
        let is_match = |it: &Node| match field {
            "" => it.is_scalar() && it.text() == wanted,
            _ => it.get(field).is_some_and(|it| it.text() == wanted),
        };
        if let Some(item) = items.iter_mut().find(|it| is_match(it)) {
            return self.put(item, rest);
        }
        spend::nodes(2)?;
        spend::bytes(field.len() + wanted.len())?;
        let value = Node::plain(self.value.place, wanted);
        let mut made = if field.is_empty() {
            value
        } else {
            let mut made = self.node(Value::Map(Vec::new()));
            made.set(field, self.value.place, value);
            made
        };
        self.put(&mut made, rest)?;
        items.push(made);
        Ok(())
    }

    fn set(&self, node: &mut Node) -> Result<()> {
        if !node.is_scalar() {
            return Err(self.fails("the value there must be a scalar".to_owned()));
        }
        let value = &self.value.text;
        if self.target.position == 0 {
            spend::bytes(value.len())?;
            *node = in_place_of(node, self.value.place, value);
            return Ok(());
        }
        if node.is_null() {
            return self.nothing();
        }
        let path = node.text();
        spend::bytes(path.len() + value.len() + 1)?;
        let made = with_part(&path, self.target.position - 1, value);
        *node = in_place_of(node, self.value.place, &made);
        Ok(())
    }
}

/// A scalar that replaces `old` and has the same quotes. Without quotes, the text determines the type.
fn in_place_of(old: &Node, place: Place, text: &str) -> Node {
    let value = if old.is_quoted {
        Value::String(text.into())
    } else {
        Node::plain(place, text).value
    };
    Node {
        is_quoted: old.is_quoted,
        is_untagged: true,
        shared: old.shared,
        ..Node::new(place, value)
    }
}

/// Inserts a part into a file path at a position, counted from 0 (`InsertPathPart`).
fn with_part(path: &str, position: usize, part: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut parts: Vec<&str> = path.split('/').filter(|it| !it.is_empty()).collect();
    parts.insert(position.min(parts.len()), part);
    let slash = if is_absolute { "/" } else { "" };
    format!("{slash}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_paths() {
        for (path, position, expected) in [
            ("", 0, "PEACH"),
            ("/", 3, "/PEACH"),
            ("pie", 0, "PEACH/pie"),
            ("/pie", 0, "/PEACH/pie"),
            ("raw", 1, "raw/PEACH"),
            ("/raw", 7, "/raw/PEACH"),
            ("a/nice/warm/pie", 3, "a/nice/warm/PEACH/pie"),
            ("/a/nice/warm/pie", 3, "/a/nice/warm/PEACH/pie"),
        ] {
            assert_eq!(with_part(path, position, "PEACH"), expected, "of {path} at {position}");
        }
    }
}
