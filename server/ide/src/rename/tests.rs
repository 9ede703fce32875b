//! Tests for renaming, and for names that cannot be changed.

use std::sync::Arc;

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_workspace::config::versions::VersionSet;

use super::{Renaming, prepare, rename};
use crate::{
    file::File,
    fixes::{TextEdit, apply},
};

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

fn in_file(found: &Renaming, text: &str, new_name: &str) -> Result<Vec<TextEdit>, String> {
    let resources = found.resources.as_ref().expect("resources have the property");
    resources.of_file(&File::new(text, Arc::default()), new_name)
}

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
    let resource = in_file(&found, RESOURCE, new_name)?;
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
        ("Namespaced", "x", super::NOTHING),
        ("type: integer", "x", super::NOTHING),
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
    let edits = in_file(&found, list, "length").expect("there is no such key");
    assert_eq!(
        apply(list, &edits).expect("the edits fit"),
        list.replace("size: 1", "length: 1")
    );
}

#[test]
fn objects_in_objects_are_resources() {
    let file = File::new(TEXT, Arc::default());
    let offset = TEXT.find("size: {type").expect("the needle") as u32;
    let document = file.document_at(offset).expect("a document");
    let newest = KubernetesVersion::NEWEST;
    let found = rename(&document, offset, "length", newest, VersionSet::all()).expect("it can be renamed");
    let work = "\
apiVersion: work.open-cluster-management.io/v1
kind: ManifestWork
spec:
  workload:
    manifests:
    - {kind: List, items: [{kind: Widget, apiVersion: example.com/v1, spec: {size: 1}}]}
    - {kind: Widget, apiVersion: example.com/v2, spec: {size: 2}}
    other:
    - {kind: Widget, apiVersion: example.com/v1, spec: {size: 1}}
";
    let edits = in_file(&found, work, "length").expect("there is no such key");
    assert_eq!(
        apply(work, &edits).expect("the edits fit"),
        work.replacen("size: 1", "length: 1", 1)
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
    let kind = found.resources.expect("a kind").kind;
    assert_eq!((kind.group.as_str(), kind.kind.as_str()), ("example.com", "Widget"));
}

/// The text after renaming the name at the mark, or the error.
fn renamed(marked: &str, new_name: &str) -> Result<String, String> {
    let offset = marked.find('¦').expect("a mark") as u32;
    let text = marked.replace('¦', "");
    let file = File::new(text.as_str(), Arc::default());
    let document = file.document_at(offset).expect("a document");
    let newest = KubernetesVersion::NEWEST;
    let old = prepare(&document, offset, newest)?;
    assert_eq!(&text[old.span.range()], old.name);
    let found = rename(&document, offset, new_name, newest, VersionSet::all())?;
    assert_eq!(found.resources, None);
    Ok(apply(&text, &found.edits).expect("the edits fit"))
}

#[test]
fn variables_of_comprehensions_change_in_their_comprehension() {
    const RULE: &str =
        r#"'self.mode.split("x").all(m, m.split("y").exists(n, n == m)) || self.mode.split("").all(m, m == "")'"#;
    let text = |rule: &str| TEXT.replace("'self.size > 1 || self.mode == ''size'''", rule);
    for (mark, new_name) in [("all(¦m, m.s", "part"), ("n == ¦m))", "part"), ("(m, m¦.split", "_1")] {
        let rule = RULE.replacen(&mark.replace('¦', ""), mark, 1);
        let expected = RULE
            .replace("all(m, m.s", &format!("all({new_name}, {new_name}.s"))
            .replace("n == m))", &format!("n == {new_name}))"));
        assert_eq!(renamed(&text(&rule), new_name), Ok(text(&expected)), "{mark}");
    }
    let refused = |new_name: &str, why: &str| {
        let rule = RULE.replacen("n == m", "n == ¦m", 1);
        let why = why.replace("NAME", new_name);
        assert_eq!(renamed(&text(&rule), new_name), Err(why));
    };
    refused("n", "`NAME` has another meaning in the expression");
    refused("in", "`NAME` is not a valid name of a CEL variable");
    refused("a b", "`NAME` is not a valid name of a CEL variable");
    refused("", "`NAME` is not a valid name of a CEL variable");
    let outer = r#"'self.mode.split("x").all(¦m, m == self.mode)'"#;
    let why = "`self` has another meaning in the expression";
    assert_eq!(renamed(&text(outer), "self"), Err(why.to_owned()));
}

const POLICY: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: replicas}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  variables:
  - name: most
    expression: 3
  - {name: 'all', expression: 'variables.most + 1'}
  validations:
  - expression: |
      object.spec.replicas < variables.most &&
        [1].all(most, most > 0) && has(variables.most)
";

#[test]
fn variables_of_policies_change_where_they_are_declared_and_read() {
    let text = POLICY.replace("expression: 3", "expression: '3'");
    let expected = text
        .replace("variables.most", "variables.limit")
        .replace("name: most", "name: limit");
    for mark in [
        "name: mo¦st",
        "replicas < variables.¦most",
        "has(variables.¦most",
        "'variables.m¦ost +",
    ] {
        let marked = text.replacen(&mark.replace('¦', ""), mark, 1);
        assert_eq!(renamed(&marked, "limit"), Ok(expected.clone()), "{mark}");
    }
    let marked = text.replace("name: 'all'", "name: 'a¦ll'");
    let expected = text.replace("name: 'all'", "name: 'every'");
    assert_eq!(renamed(&marked, "every"), Ok(expected));
    let why = "a variable `most` already exists";
    assert_eq!(renamed(&marked, "most"), Err(why.to_owned()));
    let inner = text.replace("all(most, most", "all(most, ¦most");
    let expected = text.replace("all(most, most", "all(one, one");
    assert_eq!(renamed(&inner, "one"), Ok(expected));
    for mark in ["¦object.spec", "name: re¦plicas", "operations: [¦CREATE"] {
        let marked = text.replacen(&mark.replace('¦', ""), mark, 1);
        assert_eq!(renamed(&marked, "x"), Err(super::NOTHING.to_owned()), "{mark}");
    }
}

#[test]
fn large_expressions_keep_nobody_waiting() {
    let text = |rule: &str| TEXT.replace("'self.size > 1 || self.mode == ''size'''", rule);
    // Many comprehensions with the same variable name, and one with many uses.
    let many = format!("'{}[1].all(¦x, x > 0)'", "[1].all(x, x > 0) && ".repeat(100));
    let expected = many.replace("all(¦x, x >", "all(y, y >");
    assert!(renamed(&text(&many), "y") == Ok(text(&expected)));
    let uses = format!("'[1].all(¦x, {}x > 0)'", "x > 0 && ".repeat(10_000));
    let why = "an expression contains the name `x` too often to check each place";
    assert!(renamed(&text(&uses), "y") == Err(why.to_owned()));
}

#[test]
fn large_policies_keep_nobody_waiting() {
    let variable = |n: usize| format!("  - {{name: v{n}, expression: 'variables.most > {n}'}}\n");
    let text = |most: usize| {
        let variables: String = (0..most).map(variable).collect();
        POLICY.replace(
            "  - name: most\n    expression: 3\n",
            &format!("  - name: mo¦st\n    expression: '3'\n{variables}"),
        )
    };
    assert!(renamed(&text(20), "limit").is_ok_and(|it| it.matches("variables.limit").count() == 23));
    let why = "too many expressions may read `most` to check each of them";
    assert!(renamed(&text(2_000), "limit") == Err(why.to_owned()));
}
