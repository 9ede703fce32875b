//! Decodes a file of `configurations` as strictly as kustomize does (`makeTransformerConfigFromBytes`).

use crate::{
    decode::{Decoder, Fields, field_spec, list},
    id::Gvk,
    node::Node,
    problem::{Problem, Result},
    spec::{Config, LISTS, NameReference},
};

/// The list of the fields that refer to objects of a kind.
const REFERENCES: &str = "nameReference";

/// Decodes the object of a file.
pub(crate) fn decode(root: &Node) -> Result<Config> {
    let (mut lists, mut references) = (Vec::new(), Vec::new());
    for (written, place, node) in Fields::of(root, Decoder::Configuration)?.entries() {
        let known = || LISTS.into_iter().chain([REFERENCES]);
        let Some(key) = known().find(|it| it.eq_ignore_ascii_case(written)) else {
            let message = format!("a file of `configurations` has no field `{written}`");
            return Err(Problem::fails(place, message).of_unknown(written, known()));
        };
        if key == REFERENCES {
            references = list(node, reference)?;
        } else {
            lists.push((key, list(node, |it| field_spec(it, Decoder::Configuration))?));
        }
    }
    Ok(Config::of_file(lists, references))
}

fn reference(node: &Node) -> Result<NameReference> {
    let fields = Fields::known(
        node,
        &["group", "version", "kind", "fieldSpecs"],
        Decoder::Configuration,
    )?;
    Ok(NameReference {
        target: Gvk {
            group: fields.string("group")?,
            version: fields.string("version")?,
            kind: fields.string("kind")?,
        },
        referrers: fields.list("fieldSpecs", |it| field_spec(it, Decoder::Configuration))?,
    })
}
