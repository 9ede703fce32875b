//! Names that other objects refer to, after they changed (`sigs.k8s.io/kustomize/api/filters/nameref`).

use crate::{
    id::{Gvk, ResId},
    node::{Node, Value},
    problem::{Problem, Result},
    resource::{Resource, Resources},
    spec::{Change, NameReference},
};

/// What is asked of an object that others may refer to.
struct Candidate {
    id: ResId,
    /// The namespace as it is written.
    namespace: String,
    first: ResId,
    previous: Vec<ResId>,
    prefixes: Vec<String>,
    suffixes: Vec<String>,
}

/// Gives all references the names that the objects have now.
pub(crate) fn fix(resources: &mut Resources, references: &[NameReference]) -> Result<()> {
    let candidates: Vec<Candidate> = resources
        .list
        .iter()
        .map(|it| Candidate {
            id: it.id(),
            namespace: it.namespace(),
            first: it.first_id(),
            previous: it.previous_ids(),
            prefixes: it.prefixes.clone(),
            suffixes: it.suffixes.clone(),
        })
        .collect();
    for (n, resource) in resources.list.iter_mut().enumerate() {
        let mut known = None;
        for reference in references {
            for spec in &reference.referrers {
                if !candidates[n].first.gvk.is_selected(&spec.gvk) {
                    continue;
                }
                let known = known.get_or_insert_with(|| referable(&candidates, &candidates[n], resource));
                let fixing = Fixing {
                    referrer: &candidates[n],
                    target: &reference.target,
                    role: spec
                        .path
                        .ends_with("roleRef/name")
                        .then(|| role(&resource.node))
                        .flatten(),
                    known,
                };
                let mut set = |node: &mut Node| fixing.set(node);
                let mut change = Change {
                    create: None,
                    place: resource.node.place,
                    set: &mut set,
                };
                let spec = crate::spec::FieldSpec {
                    gvk: Gvk::default(),
                    ..spec.clone()
                };
                change.apply(&mut resource.node, &Gvk::default(), &spec)?;
            }
        }
    }
    Ok(())
}

/// `SubsetThatCouldBeReferencedByResource`
fn referable<'c>(candidates: &'c [Candidate], of: &Candidate, resource: &Resource) -> Vec<&'c Candidate> {
    if of.id.gvk.is_cluster_scoped() {
        return candidates.iter().collect();
    }
    let mut namespaces = Vec::new();
    if of.id.gvk.kind == "RoleBinding" {
        let subjects = resource.node.get("subjects").map(Node::items).unwrap_or_default();
        let accounts = subjects
            .iter()
            .filter(|it| it.get("kind").is_some_and(|it| it.text() == "ServiceAccount"));
        namespaces.extend(accounts.filter_map(|it| it.get("namespace").map(Node::text)));
    }
    candidates
        .iter()
        .filter(|it| {
            it.id.gvk.is_cluster_scoped()
                || it.id.effective_namespace() == of.id.effective_namespace()
                || namespaces.contains(&it.namespace)
        })
        .collect()
}

/// The kind that a binding's `roleRef` names.
fn role(binding: &Node) -> Option<Gvk> {
    let role = binding.get("roleRef")?;
    Some(Gvk {
        group: role.get("apiGroup")?.text(),
        version: String::new(),
        kind: role.get("kind")?.text(),
    })
}

struct Fixing<'a> {
    referrer: &'a Candidate,
    target: &'a Gvk,
    role: Option<Gvk>,
    known: &'a [&'a Candidate],
}

impl Fixing<'_> {
    fn set(&self, node: &mut Node) -> Result<()> {
        match &mut node.value {
            Value::Null { .. } => Ok(()),
            Value::Map(_) => self.set_map(node),
            Value::List(items) => items.iter_mut().try_for_each(|it| match it.value {
                Value::List(_) => Err(Problem::fails(it.place, "a reference must be a string or an object")),
                Value::Map(_) => self.set_map(it),
                Value::Null { .. } => Ok(()),
                _ => self.set_scalar(it),
            }),
            _ => self.set_scalar(node),
        }
    }

    fn set_scalar(&self, node: &mut Node) -> Result<()> {
        let old = node.text();
        let found = self.select(&old, self.known.to_vec(), |a, b| a.id.name == b.id.name, node)?;
        if let Some(found) = found.filter(|it| it.id.name != old) {
            node.value = Value::String(found.id.name.clone());
        }
        Ok(())
    }

    fn set_map(&self, node: &mut Node) -> Result<()> {
        let Some(name) = node.get("name") else {
            return Err(Problem::fails(node.place, "a reference has no `name`"));
        };
        let old = name.text();
        let candidates = match node.get("namespace") {
            None => self.known.to_vec(),
            Some(namespace) => {
                let namespace = namespace.text();
                let in_namespace = |of: fn(&Candidate) -> &ResId| -> Vec<&Candidate> {
                    let is_in =
                        |it: &&&Candidate| !of(it).gvk.is_cluster_scoped() && of(it).effective_namespace() == namespace;
                    self.known.iter().filter(is_in).copied().collect()
                };
                let first = in_namespace(|it| &it.first);
                if first.is_empty() {
                    in_namespace(|it| &it.id)
                } else {
                    first
                }
            }
        };
        let is_same = |a: &Candidate, b: &Candidate| a.id.name == b.id.name && a.namespace == b.namespace;
        let Some(found) = self.select(&old, candidates, is_same, node)? else {
            return Ok(());
        };
        if found.id.name == old && found.namespace.is_empty() {
            return Ok(());
        }
        let place = node.get("name").map_or(node.place, |it| it.place);
        node.set("name", place, Node::string(place, found.id.name.as_str()));
        if !found.namespace.is_empty() {
            let place = node.get("namespace").map_or(place, |it| it.place);
            node.set("namespace", place, Node::string(place, found.namespace.as_str()));
        }
        Ok(())
    }

    /// `selectReferral`: the object that is meant by a name that it had.
    fn select<'c>(
        &self,
        name: &str,
        mut candidates: Vec<&'c Candidate>,
        is_same: impl Fn(&Candidate, &Candidate) -> bool,
        node: &Node,
    ) -> Result<Option<&'c Candidate>> {
        let referrer = self.referrer;
        candidates.retain(|it| it.previous.iter().any(|it| it.name == name));
        candidates.retain(|it| it.previous.iter().any(|it| it.gvk.is_selected(self.target)));
        if let Some(role) = &self.role {
            candidates.retain(|it| it.previous.iter().any(|it| it.gvk.is_selected(role)));
        }
        if !referrer.id.gvk.is_cluster_scoped() {
            candidates.retain(|it| {
                it.id.gvk.is_cluster_scoped()
                    || it.id.gvk.kind == "ServiceAccount"
                    || it.id.effective_namespace() == referrer.id.effective_namespace()
            });
        }
        if let [one] = candidates.as_slice() {
            return Ok(Some(one));
        }
        candidates.retain(|it| has_same_affixes(it, referrer, true));
        if candidates.len() > 1 {
            candidates.retain(|it| has_same_affixes(it, referrer, false));
        }
        let Some(first) = candidates.first() else {
            return Ok(None);
        };
        if candidates.iter().all(|it| is_same(first, it)) {
            Ok(Some(first))
        } else {
            Err(Problem::fails(
                node.place,
                format!("several objects may be meant by `{name}`"),
            ))
        }
    }
}

/// `PrefixesSuffixesEquals`
fn has_same_affixes(a: &Candidate, b: &Candidate, allows_none: bool) -> bool {
    let is_same = |a: &[String], b: &[String]| {
        let (short, long) = if a.len() > b.len() { (b, a) } else { (a, b) };
        if short.is_empty() {
            long.is_empty()
        } else {
            long.ends_with(short)
        }
    };
    let matches = |a: &[String], b: &[String]| allows_none && (a.is_empty() || b.is_empty()) || is_same(a, b);
    matches(&a.prefixes, &b.prefixes) && matches(&a.suffixes, &b.suffixes)
}
