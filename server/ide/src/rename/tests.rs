//! What is renamed with a name, and what cannot be.

use std::sync::Arc;

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::config::versions::VersionSet;

use super::{of_file, prepare, rename};
use crate::{file::File, fixes::apply};

const TEXT: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: '.spec.size'}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            default: {\"size\": 2}
            required: ['size'] # size
            properties:
              mode: {type: string, maxLength: 5}
              size: {type: integer}
            x-kubernetes-validations:
            - rule: 'self.size > 1 || self.mode == ''size'''
              fieldPath: .size
";

const RESOURCE: &str = "\
kind: Widget
apiVersion: example.com/v1
spec: {size: 1} # size
---
kind: Widget
apiVersion: example.com/v2
spec: {size: 1}
";

fn at(needle: &str, new_name: &str) -> Result<(String, String), String> {
    let file = File::new(TEXT, Arc::default());
    let offset = TEXT.find(needle).expect("the needle") as u32;
    let document = file.document_at(offset).expect("a document");
    prepare(&document, offset, KubernetesVersion::NEWEST)?;
    let found = rename(
        &document,
        offset,
        new_name,
        KubernetesVersion::NEWEST,
        VersionSet::all(),
    )?;
    let resource = of_file(&found, &File::new(RESOURCE, Arc::default()), new_name)?;
    let apply = |text, edits| apply(text, edits).expect("the edits fit");
    Ok((apply(TEXT, &found.edits), apply(RESOURCE, &resource)))
}

#[test]
fn a_name_changes_everywhere_and_nothing_else() {
    for (new_name, cel, key) in [
        ("length", "length", "length"),
        ("in", "__in__", "in"),
        ("on", "on", "'on'"),
        ("a-b", "a__dash__b", "a-b"),
    ] {
        let (definition, resource) = at("size: {type", new_name).expect("it can be renamed");
        let expected = TEXT
            .replace("\"size\": 2", &format!("\"{new_name}\": 2"))
            .replace("['size']", &format!("['{new_name}']"))
            .replace("size: {type", &format!("{key}: {{type"))
            .replace("self.size", &format!("self.{cel}"))
            .replace(".spec.size", &format!(".spec.{new_name}"))
            .replace("fieldPath: .size", &format!("fieldPath: .{new_name}"));
        assert_eq!(definition, expected);
        assert_eq!(resource, RESOURCE.replacen("{size: 1}", &format!("{{{key}: 1}}"), 1));
        assert_eq!(at("size > 1", new_name), at("size: {type", new_name));
    }
}

#[test]
fn names_that_break_are_refused() {
    for (needle, new_name, why) in [
        ("size: {type", "mode", "there is a property `mode` already"),
        ("size: {type", "", "a name is a line of text"),
        ("size: {type", "a\nb", "a name is a line of text"),
        ("size: {type", "1a", "rules read the property, and cannot name `1a`"),
        ("size: {type", "ä", "rules read the property, and cannot name `ä`"),
        (
            "spec:\n            type",
            "metadata",
            "every resource has `metadata` already",
        ),
        ("mode == ", "é", "rules read the property, and cannot name `é`"),
        ("Namespaced", "x", "only properties of schemas can be renamed"),
        ("type: integer", "x", "only properties of schemas can be renamed"),
    ] {
        assert_eq!(at(needle, new_name), Err(why.to_owned()), "{needle} -> {new_name}");
    }
}

#[test]
fn items_of_lists_are_resources() {
    let file = File::new(TEXT, Arc::default());
    let offset = TEXT.find("size: {type").expect("the needle") as u32;
    let document = file.document_at(offset).expect("a document");
    let newest = KubernetesVersion::NEWEST;
    let found = rename(&document, offset, "length", newest, VersionSet::all()).expect("it can be renamed");
    let list = "\
apiVersion: v1
kind: List
items:
- {kind: Widget, apiVersion: example.com/v1, spec: {size: 1}}
- {kind: Widget, apiVersion: example.com/v2, spec: {size: 2}}
- {kind: Gadget, apiVersion: example.com/v1, spec: {size: 3}}
";
    let edits = of_file(&found, &File::new(list, Arc::default()), "length").expect("there is no such key");
    assert_eq!(
        apply(list, &edits).expect("the edits fit"),
        list.replace("size: 1", "length: 1")
    );
}

#[test]
fn of_a_list_one_definition_changes() {
    let item = format!("- {}", TEXT.replace('\n', "\n  ").trim_end());
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n{}\n{item}\n",
        item.replace("idget", "adget")
    );
    let file = File::new(list.as_str(), Arc::default());
    let offset = list.rfind("size: {type").expect("the property") as u32;
    let document = file.document_at(offset).expect("a document");
    let version = KubernetesVersion::NEWEST;
    let found = rename(&document, offset, "length", version, VersionSet::all()).expect("a renaming");
    let renamed = apply(&list, &found.edits).expect("the edits fit");
    let (first, second) = renamed
        .split_once("\n- apiVersion")
        .and_then(|it| it.1.split_once("\n- apiVersion"))
        .expect("two items");
    assert!(!first.contains("length"), "{first}");
    let (single, _) = at("size: {type", "length").expect("a renaming");
    assert_eq!(
        format!("apiVersion{second}"),
        single.replace('\n', "\n  ").trim_end().to_owned() + "\n"
    );
    let kind = found.kind.expect("a kind");
    assert_eq!((kind.group.as_str(), kind.kind.as_str()), ("example.com", "Widget"));
}
