//! Updates references to objects whose names have changed (`sigs.k8s.io/kustomize/api/filters/nameref`).

use std::{collections::HashMap, sync::Arc};

use crate::{
    id::{Gvk, ResId},
    node::{Node, Value},
    problem::{Problem, Result},
    resource::{Resource, Resources},
    spec::{Change, NameReference},
    spend,
};

/// The properties of an object to which others may refer.
struct Candidate {
    id: ResId,
    /// The namespace as it is written.
    namespace: Arc<str>,
    first: ResId,
    previous: Vec<ResId>,
    prefixes: Vec<Arc<str>>,
    suffixes: Vec<Arc<str>>,
}

/// Changes all references so that they use the current names of the objects.
pub(crate) fn fix(resources: &mut Resources, references: &[NameReference]) -> Result<()> {
    let ids: usize = resources.list().iter().map(Resource::ids).sum();
    spend::work(ids * A_CANDIDATE)?;
    let candidates: Vec<Candidate> = resources
        .list()
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
    let mut by_name: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
    let mut by_namespace: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
    for (n, candidate) in candidates.iter().enumerate() {
        if !candidate.first.gvk.is_cluster_scoped() {
            let namespace = candidate.first.effective_namespace().into();
            by_namespace.entry(namespace).or_default().push(n);
        }
        for id in &candidate.previous {
            let named = by_name.entry(id.name.clone()).or_default();
            if named.last() != Some(&n) {
                named.push(n);
            }
        }
    }
    for (n, resource) in resources.list_mut().iter_mut().enumerate() {
        let mut accounts = None;
        for reference in references {
            spend::work(reference.referrers.len())?;
            for spec in &reference.referrers {
                if !candidates[n].first.gvk.is_selected(&spec.gvk) {
                    continue;
                }
                let accounts: &Vec<Arc<str>> =
                    accounts.get_or_insert_with(|| namespaces_of_accounts(&candidates[n], resource));
                let known = Known {
                    candidates: &candidates,
                    by_name: &by_name,
                    by_namespace: &by_namespace,
                    referrer: &candidates[n],
                    accounts,
                };
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

/// The work units for each id to which an object may refer.
const A_CANDIDATE: usize = 40;

/// The objects to which an object may refer.
#[derive(Clone, Copy)]
struct Known<'a> {
    candidates: &'a [Candidate],
    /// The indices of the candidates that have or had a name, in order.
    by_name: &'a HashMap<Arc<str>, Vec<usize>>,
    /// The indices of the candidates, by their original namespace.
    by_namespace: &'a HashMap<Arc<str>, Vec<usize>>,
    referrer: &'a Candidate,
    /// The namespaces of the service accounts that a binding names.
    accounts: &'a [Arc<str>],
}

impl<'a> Known<'a> {
    /// The candidates that have or had a name (`SubsetThatCouldBeReferencedByResource`).
    fn named(&self, name: &str) -> Result<Vec<&'a Candidate>> {
        let named = self.by_name.get(name).map(Vec::as_slice).unwrap_or_default();
        spend::work(named.len() * A_CANDIDATE)?;
        let named = named.iter().map(|it| &self.candidates[*it]);
        Ok(named.filter(|it| self.may_refer_to(it)).collect())
    }

    fn may_refer_to(&self, it: &Candidate) -> bool {
        let of = &self.referrer.id;
        of.gvk.is_cluster_scoped()
            || it.id.gvk.is_cluster_scoped()
            || it.id.effective_namespace() == of.effective_namespace()
            || self.accounts.contains(&it.namespace)
    }

    /// Whether the referrer may refer to objects whose original namespace was this one.
    fn has_first_in(&self, namespace: &str) -> Result<bool> {
        for candidate in self.by_namespace.get(namespace).into_iter().flatten() {
            spend::work(A_CANDIDATE)?;
            if self.may_refer_to(&self.candidates[*candidate]) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The namespaces of the service accounts that a binding names.
fn namespaces_of_accounts(of: &Candidate, resource: &Resource) -> Vec<Arc<str>> {
    if *of.id.gvk.kind != *"RoleBinding" {
        return Vec::new();
    }
    let subjects = resource.node.get("subjects").map(Node::items).unwrap_or_default();
    let accounts = subjects
        .iter()
        .filter(|it| it.get("kind").is_some_and(|it| it.text() == "ServiceAccount"));
    accounts
        .filter_map(|it| it.get("namespace").map(Node::shared_text))
        .collect()
}

/// The kind in a binding's `roleRef`.
fn role(binding: &Node) -> Option<Gvk> {
    let role = binding.get("roleRef")?;
    Some(Gvk {
        group: role.get("apiGroup")?.shared_text(),
        version: "".into(),
        kind: role.get("kind")?.shared_text(),
    })
}

struct Fixing<'a> {
    referrer: &'a Candidate,
    target: &'a Gvk,
    role: Option<Gvk>,
    known: Known<'a>,
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
        let old = node.shared_text();
        let found = self.select(&old, self.known.named(&old)?, |a, b| a.id.name == b.id.name, node)?;
        if let Some(found) = found.filter(|it| it.id.name != old) {
            node.value = Value::String(found.id.name.clone());
        }
        Ok(())
    }

    fn set_map(&self, node: &mut Node) -> Result<()> {
        let Some(name) = node.get("name") else {
            return Err(Problem::fails(node.place, "a reference has no `name`"));
        };
        let old = name.shared_text();
        let mut candidates = self.known.named(&old)?;
        match node.get("namespace") {
            None => {}
            Some(namespace) => {
                let namespace = namespace.text();
                let is_in = |it: &ResId| !it.gvk.is_cluster_scoped() && it.effective_namespace() == namespace;
                if self.known.has_first_in(&namespace)? {
                    candidates.retain(|it| is_in(&it.first));
                } else {
                    candidates.retain(|it| is_in(&it.id));
                }
            }
        }
        let is_same = |a: &Candidate, b: &Candidate| a.id.name == b.id.name && a.namespace == b.namespace;
        let Some(found) = self.select(&old, candidates, is_same, node)? else {
            return Ok(());
        };
        if found.id.name == old && found.namespace.is_empty() {
            return Ok(());
        }
        let place = node.get("name").map_or(node.place, |it| it.place);
        node.set("name", place, Node::string(place, found.id.name.clone()));
        if !found.namespace.is_empty() {
            let place = node.get("namespace").map_or(place, |it| it.place);
            node.set("namespace", place, Node::string(place, found.namespace.clone()));
        }
        Ok(())
    }

    /// The object to which a reference by an earlier name refers (`selectReferral`).
    fn select<'c>(
        &self,
        name: &str,
        mut candidates: Vec<&'c Candidate>,
        is_same: impl Fn(&Candidate, &Candidate) -> bool,
        node: &Node,
    ) -> Result<Option<&'c Candidate>> {
        let referrer = self.referrer;
        candidates.retain(|it| it.previous.iter().any(|it| *it.name == *name));
        spend::work(candidates.iter().map(|it| it.previous.len()).sum())?;
        candidates.retain(|it| it.previous.iter().any(|it| it.gvk.is_selected(self.target)));
        if let Some(role) = &self.role {
            candidates.retain(|it| it.previous.iter().any(|it| it.gvk.is_selected(role)));
        }
        if !referrer.id.gvk.is_cluster_scoped() {
            candidates.retain(|it| {
                it.id.gvk.is_cluster_scoped()
                    || *it.id.gvk.kind == *"ServiceAccount"
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
            Err(Problem::fails(node.place, format!("`{name}` matches several objects")))
        }
    }
}

/// Whether two objects have got the same prefixes and suffixes (`PrefixesSuffixesEquals`).
fn has_same_affixes(a: &Candidate, b: &Candidate, allows_none: bool) -> bool {
    let is_same = |a: &[Arc<str>], b: &[Arc<str>]| {
        let (short, long) = if a.len() > b.len() { (b, a) } else { (a, b) };
        if short.is_empty() {
            long.is_empty()
        } else {
            long.ends_with(short)
        }
    };
    let matches = |a: &[Arc<str>], b: &[Arc<str>]| allows_none && (a.is_empty() || b.is_empty()) || is_same(a, b);
    matches(&a.prefixes, &b.prefixes) && matches(&a.suffixes, &b.suffixes)
}
