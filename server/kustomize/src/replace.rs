//! Replacements (`sigs.k8s.io/kustomize/api/filters/replacement`, `sigs.k8s.io/kustomize/kyaml/yaml/match.go`).

use std::sync::Arc;

use crd_analyzer_goregexp::GoRegex;

use crate::{
    id::ResId,
    json_patch::{LONGEST_LIKE, MOST_KEYS},
    kustomization::{FieldOptions, Replacement, ReplacementSource, ReplacementTarget},
    node::{Node, Place, Value, plain},
    problem::{Problem, ProblemKind, Result},
    resource::Resources,
    selector::{Field, Selector},
    spec::split_field_path,
    spend,
    targets::{Wanted, missing},
};

/// Applies a replacement. `is_open` means that some objects may be unknown. Returns its targets, each with whether it selects an object.
pub(crate) fn replace<'r>(
    resources: &mut Resources,
    replacement: &'r Replacement,
    is_open: bool,
) -> Result<Vec<(&'r Selector, bool)>> {
    let place = replacement.place;
    let Some(targets) = &replacement.targets else {
        return Err(Problem::fails(place, "a replacement needs `targets`"));
    };
    let value = match (&replacement.source, &replacement.source_value) {
        (Some(_), Some(_)) => {
            return Err(Problem::fails(
                place,
                "a replacement has either `source` or `sourceValue`",
            ));
        }
        (None, None) => return Err(Problem::fails(place, "a replacement needs a `source`")),
        (None, Some(value)) => Node::plain(value.place, &value.text),
        (Some(source), None) => {
            spend::work(resources.list().len() * A_LOOK)?;
            let mut matches = resources
                .list()
                .iter()
                .filter(|it| it.all_ids().iter().any(|id| id.is_selected_by(&source.id)));
            let Some(object) = matches.next() else {
                // The source object may be in an input that was not read.
                let kind = if is_open {
                    ProblemKind::NotSupported
                } else {
                    ProblemKind::Fails
                };
                return Err(absent(source, resources, kind)?);
            };
            if matches.next().is_some() {
                return Err(Problem::fails(
                    source.place,
                    "several objects match the `source` of the replacement",
                ));
            }
            let path = if source.field_path.text.is_empty() {
                "metadata.name"
            } else {
                &source.field_path.text
            };
            let found = lookup(&object.node, &split_field_path(path)).filter(|it| !it.is_empty());
            let Some(found) = found else {
                let message = format!("the `source` of the replacement has no `{path}`");
                return Err(Problem::fails(source.field_path.place, message));
            };
            refined(found, source.options.as_ref(), source.place)?
        }
    };
    targets.iter().map(|it| into_target(resources, &value, it)).collect()
}

/// The problem that no object matches a source.
fn absent(source: &ReplacementSource, resources: &Resources, kind: ProblemKind) -> Result<Problem> {
    let wanted = Wanted {
        id: &source.id,
        place: source.place,
        fields: &source.fields,
    };
    let is_field = |field: Field, (now, first): (&ResId, &ResId)| {
        let is_of = |id: &ResId| match field {
            Field::Namespace => source.id.effective_namespace() == id.effective_namespace(),
            _ => field.of(&source.id) == field.of(id),
        };
        Ok(field.of(&source.id).is_empty() || is_of(now) || is_of(first))
    };
    let missing = missing(&wanted, resources, is_field, true)?;
    let message = match missing.message {
        Some(why) => format!("the `source` of the replacement is absent: {why}"),
        None => "no object matches the `source` of the replacement".to_owned(),
    };
    let problem = Problem::new(kind, missing.place, message);
    Ok(Problem {
        unknown: missing.unknown,
        ..problem
    })
}

/// The part of a value that the options select.
fn refined(value: &Node, options: Option<&FieldOptions>, place: Place) -> Result<Node> {
    let Some(options) = options.filter(|it| !it.delimiter.is_empty()) else {
        return spend::copied(value);
    };
    if !value.is_scalar() {
        return Err(Problem::fails(place, "`delimiter` needs a scalar"));
    }
    let text = value.text();
    spend::bytes(text.len())?;
    let part = usize::try_from(options.index)
        .ok()
        .and_then(|it| text.split(&*options.delimiter).nth(it));
    match part {
        Some(part) => Ok(with_text(value, &part.into())),
        None => Err(Problem::fails(place, format!("`{text}` has no part {}", options.index))),
    }
}

/// A scalar of the same type as `scalar`, with another text.
fn with_text(scalar: &Node, text: &Arc<str>) -> Node {
    let value = match scalar.value {
        Value::Int(_) | Value::Uint(_) | Value::Float(_) => match plain(text) {
            value @ (Value::Int(_) | Value::Uint(_) | Value::Float(_)) => value,
            _ => Value::String(text.clone()),
        },
        Value::Bool(_) => match plain(text) {
            value @ Value::Bool(_) => value,
            _ => Value::String(text.clone()),
        },
        Value::Null { .. } => plain(text),
        _ => Value::String(text.clone()),
    };
    Node::new(scalar.place, value)
}

/// Sets a value in the objects that a target selects. Returns the target's selector, and whether it selects an object.
fn into_target<'t>(
    resources: &mut Resources,
    value: &Node,
    target: &'t ReplacementTarget,
) -> Result<(&'t Selector, bool)> {
    let Some(select) = &target.select else {
        return Err(Problem::fails(target.place, "a target of a replacement needs `select`"));
    };
    let patterns = select.patterns()?;
    let rejects = target.reject.iter().map(|it| Ok((it, it.patterns()?)));
    let rejects: Vec<_> = rejects.collect::<Result<_>>()?;
    let mut is_matched = false;
    'objects: for resource in resources.list_mut() {
        spend::work(A_LOOK * (1 + rejects.len()))?;
        if !select.matches_labels(resource)? {
            continue;
        }
        let ids = resource.all_ids();
        for (selector, patterns) in &rejects {
            let has_texts = !(selector.labels.is_empty() && selector.annotations.is_empty());
            if has_texts && selector.matches_labels(resource)? {
                continue 'objects;
            }
            if selector.has_id() {
                for id in &ids {
                    if patterns.is_id(id)? {
                        continue 'objects;
                    }
                }
            }
        }
        let mut is_selected = false;
        for id in &ids {
            is_selected |= patterns.is_id(id)?;
        }
        if !is_selected {
            continue;
        }
        is_matched = true;
        let default = "metadata.name";
        let paths: Vec<(&str, Place)> = if target.field_paths.is_empty() {
            vec![(default, target.place)]
        } else {
            target.field_paths.iter().map(|it| (&*it.text, it.place)).collect()
        };
        for (path, place) in paths {
            spend::text(path.len())?;
            let parts = split_field_path(path);
            let create = target.options.as_ref().is_some_and(|it| it.create);
            let mut setting = Setting {
                value,
                options: target.options.as_ref(),
                create,
                place,
                is_found: false,
                is_made: false,
            };
            resource.change(|it| setting.descend(&mut it.node, &parts))?;
            if !setting.is_found {
                let message = format!("{} has no `{path}`", resource.id());
                let problem = Problem::fails(place, message);
                return Err(problem.of_unknown(path, paths_like(&resource.node, (path, &parts))));
            }
        }
    }
    Ok((select, is_matched))
}

/// The paths that exist, and differ from a path only by the first part that does not exist. Empty if a part of the path is in brackets or has dots.
fn paths_like(node: &Node, (path, parts): (&str, &[String])) -> Vec<Arc<str>> {
    if path.len() > LONGEST_LIKE || !path.split('.').eq(parts) {
        return Vec::new();
    }
    let (mut node, mut at) = (node, 0);
    for part in parts {
        let Some(next) = lookup(node, std::slice::from_ref(part)) else {
            let (before, after) = (&path[..at], &path[at + part.len()..]);
            let keys = node.entries().iter().take(MOST_KEYS);
            return keys.map(|it| format!("{before}{}{after}", it.key).into()).collect();
        };
        node = next;
        at += part.len() + 1;
    }
    Vec::new()
}

/// Whether a part of a path selects items of a list.
fn is_item(part: &str) -> bool {
    part.starts_with('[') && part.ends_with(']')
}

/// The value at a path (`PathGetter`).
pub(crate) fn lookup<'n>(node: &'n Node, path: &[String]) -> Option<&'n Node> {
    let mut node = node;
    for part in path {
        node = match &node.value {
            Value::List(items) if part == "-" => items.last()?,
            Value::List(items) if is_item(part) => {
                let (field, value) = part[1..part.len() - 1].split_once('=')?;
                items.iter().find(|it| {
                    if field.is_empty() {
                        it.is_scalar() && it.text() == value
                    } else {
                        it.get(field).is_some_and(|it| it.text() == value)
                    }
                })?
            }
            Value::List(items) => items.get(part.parse::<usize>().ok()?)?,
            Value::Map(_) => node.get(part)?,
            _ => return None,
        };
    }
    Some(node)
}

struct Setting<'a> {
    value: &'a Node,
    options: Option<&'a FieldOptions>,
    create: bool,
    place: Place,
    is_found: bool,
    /// Whether the replacement has created the field.
    is_made: bool,
}

impl Setting<'_> {
    fn fails(&self, message: impl Into<String>) -> Problem {
        Problem::fails(self.place, message)
    }

    /// The value to create for a part of a path, depending on the next part.
    fn made(&self, next: Option<&String>) -> Node {
        let value = match next {
            None => match self.value.value {
                Value::List(_) => Value::List(Vec::new()),
                Value::Map(_) => Value::Map(Vec::new()),
                _ => Value::Null { is_written: false },
            },
            Some(next) if is_item(next) || next.parse::<usize>().is_ok() => Value::List(Vec::new()),
            Some(_) => Value::Map(Vec::new()),
        };
        Node::new(self.place, value)
    }

    fn descend(&mut self, node: &mut Node, path: &[String]) -> Result<()> {
        let Some((part, rest)) = path.split_first() else {
            self.is_found = true;
            return self.set(node);
        };
        spend::work(1 + node.entries().len() / 4)?;
        if part.parse::<usize>().is_ok() || is_item(part) || part == "*" {
            let Value::List(items) = &mut node.value else {
                if node.is_null() && self.create {
                    let message = "crd-analyzer does not create an item in a list that is null";
                    return Err(Problem::new(ProblemKind::NotSupported, self.place, message));
                }
                if node.is_null() {
                    return Ok(());
                }
                return Err(self.fails(format!("`{part}` needs a list")));
            };
            return self.items(items, part, rest);
        }
        match &mut node.value {
            Value::Map(_) => {}
            Value::Null { .. } => return Ok(()),
            _ => return Err(self.fails(format!("`{part}` needs an object"))),
        }
        if node.get(part).is_none() {
            if !self.create {
                return Ok(());
            }
            spend::nodes(1)?;
            let made = self.made(rest.first());
            self.is_made = true;
            node.set(part.as_str(), self.place, made);
        }
        let Some(field) = node.get_mut(part) else { return Ok(()) };
        // kustomize would convert even a null to a string that contains the field.
        if field.is_scalar() && (!field.is_null() || self.create) && !rest.is_empty() {
            let message = format!("`{part}` is a string: crd-analyzer does not build replacements inside strings");
            return Err(Problem::new(ProblemKind::NotSupported, self.place, message));
        }
        self.descend(field, rest)
    }

    fn items(&mut self, items: &mut Vec<Node>, part: &str, rest: &[String]) -> Result<()> {
        if part == "*" {
            return items.iter_mut().try_for_each(|it| self.descend(it, rest));
        }
        if let Ok(at) = part.parse::<usize>() {
            if items.len() == at && self.create {
                spend::nodes(1)?;
                items.push(self.made(rest.first()));
                self.is_made = true;
            }
            let len = items.len();
            return match items.get_mut(at) {
                Some(item) => self.descend(item, rest),
                None => Err(self.fails(format!("the list has {len} items and no item {at}"))),
            };
        }
        let Some((field, pattern)) = part[1..part.len() - 1].split_once('=') else {
            return Err(self.fails(format!("write `{part}` as `[FIELD=VALUE]`")));
        };
        let regex =
            GoRegex::new(pattern).map_err(|_| self.fails(format!("`{pattern}` is not a regular expression")))?;
        let is_match = |text: &str| regex.is_match(text) == Ok(true);
        let mut is_any = false;
        for item in items.iter_mut() {
            spend::work(A_LOOK + item.entries().len())?;
            if field.is_empty() {
                // Matching items are set, whatever the rest of the path is.
                if item.is_scalar() && is_match(item.text().trim()) {
                    is_any = true;
                    self.descend(item, &[])?;
                }
            } else if item
                .get(field)
                .is_some_and(|it| it.is_scalar() && is_match(it.text().trim()))
            {
                is_any = true;
                self.descend(item, rest)?;
            }
        }
        if is_any || !self.create {
            return Ok(());
        }
        spend::nodes(2)?;
        spend::bytes(part.len())?;
        let mut made = if field.is_empty() {
            Node::plain(self.place, pattern)
        } else {
            let mut made = Node::empty_map(self.place);
            made.set(field, self.place, Node::plain(self.place, pattern));
            made
        };
        self.descend(&mut made, if field.is_empty() { &[] } else { rest })?;
        items.push(made);
        Ok(())
    }

    fn set(&self, target: &mut Node) -> Result<()> {
        let delimiter = self.options.filter(|it| !it.delimiter.is_empty());
        let value = match delimiter {
            None => spend::copied(self.value)?,
            Some(options) => Node::string(self.value.place, self.put_into(target, options)?),
        };
        if target.is_scalar() && !(self.is_made && target.is_null()) {
            let text = value.shared_text();
            let new = with_text(target, &text);
            let is_other = matches!(new.value, Value::String(_)) && !matches!(target.value, Value::String(_));
            if is_other || new.is_null() != target.is_null() {
                spend::bytes(text.len())?;
                let message = format!("the value there is not a string, and `{text}` is not of its type");
                return Err(self.fails(message));
            }
            *target = Node {
                place: value.place,
                shared: target.shared,
                is_quoted: target.is_quoted,
                ..new
            };
        } else if target.is_scalar() && value.is_scalar() {
            spend::text(value.text().len())?;
            let plain = match plain(&value.text()) {
                Value::String(_) => Value::String(value.shared_text()),
                other => other,
            };
            *target = Node {
                is_untagged: true,
                ..Node::new(value.place, plain)
            };
        } else {
            *target = value;
        }
        Ok(())
    }

    /// The text of a scalar after replacing a part of it with the value.
    fn put_into(&self, target: &Node, options: &FieldOptions) -> Result<Arc<str>> {
        if !target.is_scalar() {
            return Err(self.fails("`delimiter` needs a scalar"));
        }
        let old = target.text();
        let new = if self.value.is_scalar() {
            self.value.text()
        } else {
            "".into()
        };
        let delimiter = &*options.delimiter;
        spend::bytes(old.len() + new.len() + delimiter.len())?;
        let Ok(part) = usize::try_from(options.index) else {
            return Ok(format!("{new}{delimiter}{old}").into());
        };
        let mut parts = old.match_indices(delimiter).map(|it| it.0);
        let start = match part.checked_sub(1) {
            None => Some(0),
            Some(before) => parts.nth(before).map(|it| it + delimiter.len()),
        };
        let Some(start) = start else {
            return Ok(format!("{old}{delimiter}{new}").into());
        };
        let end = parts.next().unwrap_or(old.len());
        Ok(format!("{}{new}{}", &old[..start], &old[end..]).into())
    }
}

/// The work units for each object or item that is visited.
const A_LOOK: usize = 60;
