//! The built-in transformers, in the order in which kustomize runs them (`sigs.k8s.io/kustomize/api/internal/builtins`).

use std::sync::Arc;

use crd_analyzer_goregexp::GoRegex;

use crate::{
    id::{Gvk, ResId},
    kustomization::{Image, Label, Namespace, Replica, Subjects, Text},
    node::{Node, Place, Value},
    problem::{Problem, Result},
    resource::{AN_ID, Resource, Resources},
    spec::{Change, Config, Create, FieldSpec, merge_specs},
    spend,
};

/// The work units for each node that is visited.
const A_VISIT: usize = 4;

/// Sets the value of a scalar to a string.
fn set_text(node: &mut Node, place: Place, text: Arc<str>) -> Result<()> {
    if !node.is_scalar() {
        return Err(Problem::fails(node.place, "the value must be a scalar"));
    }
    *node = Node::string(place, text);
    Ok(())
}

/// Applies `namespace`.
pub(crate) fn namespace(resources: &mut Resources, namespace: &Namespace, specs: &[FieldSpec]) -> Result<()> {
    if namespace.text.text.is_empty() {
        return Ok(());
    }
    // Earlier objects already have their new ids in this list, and later ones still have their old ids.
    let mut counted = resources.counted()?;
    for resource in resources.list_mut() {
        if resource.node.is_empty() {
            continue;
        }
        let before = resource.id().key();
        resource.store_id();
        set_namespace(resource, namespace, specs)?;
        let id = resource.id();
        if let Some(count) = counted.get_mut(&before) {
            *count -= 1;
        }
        let count = counted.entry(id.key()).or_default();
        *count += 1;
        if *count != 1 {
            return Err(Problem::fails(
                namespace.text.place,
                format!("`namespace` makes two objects {id}"),
            ));
        }
    }
    Ok(())
}

/// Sets the namespace of an object, and other fields that must have the same namespace.
pub(crate) fn set_namespace(resource: &mut Resource, namespace: &Namespace, specs: &[FieldSpec]) -> Result<()> {
    let gvk = resource.gvk();
    let Text { text, place } = &namespace.text;
    let mut set = |node: &mut Node| {
        if namespace.unset_only && node.is_scalar() && !node.is_null() && !node.text().is_empty() {
            return Ok(());
        }
        set_text(node, *place, text.clone())
    };
    let is_binding = matches!(&*gvk.kind, "RoleBinding" | "ClusterRoleBinding");
    let (key, wanted) = match namespace.subjects {
        Subjects::Default => ("name", "default"),
        Subjects::All => ("kind", "ServiceAccount"),
        Subjects::None => ("", ""),
    };
    if is_binding && let Some(Value::List(subjects)) = resource.node.get_mut("subjects").map(|it| &mut it.value) {
        let subjects = subjects.iter_mut();
        for subject in subjects.filter(|it| it.get(key).is_some_and(|it| it.text() == wanted)) {
            if subject.get("namespace").is_none() {
                let none = Node::new(*place, Value::Null { is_written: false });
                subject.set("namespace", *place, none);
            }
            subject.get_mut("namespace").map_or(Ok(()), &mut set)?;
        }
    }
    let mut change = Change {
        create: Some(Create::Scalar),
        place: *place,
        set: &mut set,
    };
    if !gvk.is_cluster_scoped() {
        let spec = FieldSpec {
            gvk: Gvk::default(),
            path: "metadata/namespace".into(),
            create: true,
        };
        change.apply(&mut resource.node, &gvk, &spec)?;
    }
    let is_wanted = |spec: &&FieldSpec| {
        *spec.path != *"metadata/namespace"
            && !(gvk.api_version() != "v1" && *spec.path == *"metadata/name")
            && !(is_binding
                && matches!(&*spec.gvk.kind, "RoleBinding" | "ClusterRoleBinding")
                && *spec.path == *"subjects/namespace")
    };
    let mut specs = specs.iter().filter(is_wanted);
    specs.try_for_each(|it| change.apply(&mut resource.node, &gvk, it))
}

/// Whether `namePrefix` and `nameSuffix` do not apply to a kind.
fn keeps_name(gvk: &Gvk) -> bool {
    matches!(
        (&*gvk.group, &*gvk.kind),
        (_, "CustomResourceDefinition" | "Namespace") | ("apiregistration.k8s.io", "APIService")
    )
}

/// Applies `namePrefix` and `nameSuffix`.
pub(crate) fn affix(resources: &mut Resources, text: &Text, is_prefix: bool, specs: &[FieldSpec]) -> Result<()> {
    let affix = &text.text;
    for resource in resources.list_mut() {
        let id = resource.first_id();
        if keeps_name(&id.gvk) {
            continue;
        }
        for spec in specs.iter().filter(|it| id.gvk.is_selected(&it.gvk)) {
            if *spec.path == *"metadata/name" {
                let list = if is_prefix {
                    &mut resource.prefixes
                } else {
                    &mut resource.suffixes
                };
                list.push(affix.clone());
                resource.store_id();
            }
            let gvk = resource.gvk();
            // If the whole name is invalid, the cause is usually the object's own name, so record its place.
            let mut set = |node: &mut Node| {
                let name = node.text();
                spend::bytes(affix.len() + name.len())?;
                let name = if is_prefix {
                    format!("{affix}{name}")
                } else {
                    format!("{name}{affix}")
                };
                let (place, shared) = (node.place, node.shared);
                set_text(node, place, name.into())?;
                node.shared = shared;
                node.note_removal("".into(), text.place);
                Ok(())
            };
            let mut change = Change {
                create: Some(Create::Scalar),
                place: text.place,
                set: &mut set,
            };
            resource.change(|it| change.apply(&mut it.node, &gvk, spec))?;
        }
    }
    Ok(())
}

/// Sets labels or annotations, in the fields that the specs name.
pub(crate) fn entries(resources: &mut Resources, pairs: &[(Text, Text)], specs: &[FieldSpec]) -> Result<()> {
    let mut pairs: Vec<&(Text, Text)> = pairs.iter().collect();
    pairs.sort_by(|a, b| a.0.text.cmp(&b.0.text));
    let finds_annotations = specs.iter().any(|it| !it.create && *it.path == *"metadata/annotations");
    for resource in resources.list_mut() {
        let gvk = resource.gvk();
        if finds_annotations {
            resource.show_notes();
        }
        for (key, value) in &pairs {
            resource.shared += 1;
            let new = Node {
                shared: resource.shared,
                ..Node::string(value.place, value.text.clone())
            };
            let mut replaced = Vec::new();
            let mut set = |node: &mut Node| {
                // kustomize adds the entry to a node that it then writes as `null`.
                if node.is_null() {
                    return Ok(());
                }
                if !matches!(node.value, Value::Map(_)) {
                    return Err(Problem::fails(node.place, "the value must be an object"));
                }
                spend::nodes(1)?;
                spend::work(node.entries().len())?;
                let new = match node.get(&key.text) {
                    None => new.clone(),
                    Some(old) => {
                        replaced.extend(Some(old.shared).filter(|it| *it != 0));
                        Node {
                            shared: old.shared,
                            is_quoted: old.is_quoted,
                            ..new.clone()
                        }
                    }
                };
                node.set(key.text.clone(), key.place, new);
                Ok(())
            };
            let mut change = Change {
                create: Some(Create::Map),
                place: key.place,
                set: &mut set,
            };
            change.apply_all(&mut resource.node, &gvk, specs)?;
            if !replaced.is_empty() {
                // If a changed value is shared, change the nodes that share it as well.
                spend::work(resource.node.size())?;
                resource.node.each_shared(&mut |it| {
                    if replaced.contains(&it.shared) {
                        (it.place, it.value) = (new.place, new.value.clone());
                    }
                });
            }
        }
    }
    Ok(())
}

/// The fields that an entry of `labels` changes.
pub(crate) fn specs_of_label(label: &Label, config: &Config) -> Result<Vec<FieldSpec>> {
    let mut specs = label.fields.clone();
    merge_specs(&mut specs, &config.labels)?;
    if label.include_selectors {
        merge_specs(&mut specs, &config.common_labels)?;
        return Ok(specs);
    }
    if label.include_templates {
        merge_specs(&mut specs, &config.template_labels)?;
    }
    if label.include_volume_claim_templates {
        merge_specs(&mut specs, &config.volume_claim_template_labels)?;
    }
    let of_object = FieldSpec {
        gvk: Gvk::default(),
        path: "metadata/labels".into(),
        create: true,
    };
    merge_specs(&mut specs, &[of_object])?;
    Ok(specs)
}

/// Applies `replicas`.
pub(crate) fn replicas(resources: &mut Resources, replica: &Replica, specs: &[FieldSpec], is_open: bool) -> Result<()> {
    let mut is_found = is_open;
    for spec in specs {
        let found = resources.by_any_id(&replica.name, |id| {
            id.name == replica.name && id.gvk.is_selected(&spec.gvk)
        })?;
        for n in found {
            is_found = true;
            let Some(resource) = resources.get_mut(n) else { continue };
            let gvk = resource.gvk();
            let mut set = |node: &mut Node| {
                if !node.is_scalar() {
                    return Err(Problem::fails(node.place, "the value must be a scalar"));
                }
                *node = Node::new(replica.place, Value::Int(replica.count)).in_place_of(Some(node));
                Ok(())
            };
            let mut change = Change {
                create: Some(Create::Scalar),
                place: replica.place,
                set: &mut set,
            };
            change.apply(&mut resource.node, &gvk, spec)?;
        }
    }
    if is_found {
        Ok(())
    } else {
        let message = format!(
            "`replicas` names `{}`, but no object of this name has replicas",
            replica.name
        );
        spend::work(resources.list().len() * AN_ID)?;
        let is_scaled = |id: &ResId| specs.iter().any(|it| id.gvk.is_selected(&it.gvk));
        let ids = resources.list().iter().map(Resource::first_id).filter(is_scaled);
        let problem = Problem::fails(replica.name_place, message);
        Err(problem.of_unknown(&replica.name, ids.map(|it| it.name)))
    }
}

/// Applies `images`.
pub(crate) fn images(resources: &mut Resources, image: &Image, specs: &[FieldSpec]) -> Result<()> {
    let tail = r"(:[a-zA-Z0-9_.{}-]*)?(@[a-zA-Z0-9]+([.+_-][a-zA-Z0-9]+)*:[a-zA-Z0-9_.{}-]*)?$";
    let Ok(pattern) = GoRegex::new(&format!("^{}{tail}", image.name)) else {
        return Ok(());
    };
    let mut set = |node: &mut Node| {
        if !node.is_scalar() {
            return Err(Problem::fails(node.place, "the image must be a scalar"));
        }
        let written = node.text();
        if pattern.is_match(&written) == Ok(true) {
            let made = renamed(&written, image)?;
            *node = Node::string(image.place, made);
        }
        Ok(())
    };
    for resource in resources
        .list_mut()
        .iter_mut()
        .filter(|it| *it.kind() != *"CustomResourceDefinition")
    {
        spend::work(resource.node.size() * A_VISIT)?;
        in_containers(&mut resource.node, &mut set)?;
        let gvk = resource.gvk();
        let mut change = Change {
            create: None,
            place: image.place,
            set: &mut set,
        };
        change.apply_all(&mut resource.node, &gvk, specs)?;
    }
    Ok(())
}

/// Visits the images in all lists that are called like a container list of a pod, wherever they are.
fn in_containers(node: &mut Node, set: &mut dyn FnMut(&mut Node) -> Result<()>) -> Result<()> {
    match &mut node.value {
        Value::List(items) => items.iter_mut().try_for_each(|it| in_containers(it, set)),
        Value::Map(entries) => entries.iter_mut().try_for_each(|entry| {
            in_containers(&mut entry.value, set)?;
            if !matches!(&*entry.key, "containers" | "initContainers") {
                return Ok(());
            }
            let Value::List(containers) = &mut entry.value.value else {
                return Ok(());
            };
            containers
                .iter_mut()
                .filter_map(|it| it.get_mut("image"))
                .try_for_each(&mut *set)
        }),
        _ => Ok(()),
    }
}

/// Splits an image into name, tag and digest (`image.Split`).
fn parts(image: &str) -> (&str, &str, &str) {
    let slash = image.find('/').filter(|it| *it > 0).unwrap_or(0);
    let digest = image[slash..].find('@').map(|it| it + slash);
    let tag = image[slash..].find(':').map(|it| it + slash);
    match (tag, digest) {
        (None, None) => (image, "", ""),
        (None, Some(at)) => (&image[..at], "", &image[at + 1..]),
        (Some(tag), Some(at)) if at < tag => (&image[..at], "", &image[at + 1..]),
        (Some(tag), Some(at)) => (&image[..tag], &image[tag + 1..at], &image[at + 1..]),
        (Some(tag), None) => (&image[..tag], &image[tag + 1..], ""),
    }
}

fn renamed(written: &str, image: &Image) -> Result<String> {
    let parts_of = [&image.new_name, &image.new_tag, &image.tag_suffix, &image.digest];
    spend::bytes(written.len() + parts_of.iter().map(|it| it.len()).sum::<usize>())?;
    let (name, tag, digest) = parts(written);
    let name = if image.new_name.is_empty() {
        name
    } else {
        &image.new_name
    };
    let with_suffix = format!("{tag}{}", image.tag_suffix);
    let (tag, digest) = match (&*image.new_tag, &*image.digest) {
        ("", "") if !image.tag_suffix.is_empty() => (with_suffix.as_str(), ""),
        ("", "") => (tag, digest),
        ("", new) => ("", new),
        (new, digest) => (new, digest),
    };
    let mut made = name.to_owned();
    for (mark, part) in [(':', tag), ('@', digest)] {
        if !part.is_empty() {
            made.push(mark);
            made.push_str(part);
        }
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_have_three_parts() {
        assert_eq!(parts("host:80/a/b:1@sha256:x"), ("host:80/a/b", "1", "sha256:x"));
        assert_eq!(parts("a@sha256:x"), ("a", "", "sha256:x"));
        assert_eq!(parts("a"), ("a", "", ""));
    }
}
