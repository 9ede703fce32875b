//! Tests for the changes that are found and their places after edits.

use super::*;

const OLD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          size: {type: integer, maximum: 100}
          name: {type: string, maxLength: 20}
  - name: v1alpha1
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          size: {type: integer, maximum: 100}
";

fn find(old: &str, new: &str, policy: Policy) -> KnownChanges {
    let by = Comparison {
        kubernetes: KubernetesVersion::NEWEST,
        policy,
    };
    let revision = Revision::new("v1.4.0", old.as_bytes());
    KnownChanges::find(new, &revision, by, &KnownChanges::default(), &|| true).expect("all changes")
}

/// Checks the summaries of versions and the findings. Each comes with the text in its span.
fn check(new: &str, policy: Policy, versions: &[&str], findings: &[&str]) {
    let found = find(OLD, new, policy);
    let summaries: Vec<String> = found
        .versions()
        .map(|it| format!("{}: {}", &new[it.span.range()], it.summary))
        .collect();
    assert_eq!(summaries, versions);
    let told: Vec<String> = found
        .changes()
        .map(|it| {
            format!(
                "{:?} {}: {}",
                it.finding.severity,
                &new[it.finding.span.range()],
                it.finding.headline
            )
        })
        .collect();
    assert_eq!(told, findings);
}

#[test]
fn a_version_has_one_summary() {
    let new = OLD
        .replacen("maximum: 100", "maximum: 10", 1)
        .replace("maxLength: 20", "maxLength: 30");
    check(
        &new,
        Policy::ApiConventions,
        &["v1: 2 changes since v1.4.0: 1 breaks writers"],
        &["Information 10: `maximum` changed from 100 to 10 at `size`: this breaks writers"],
    );
    check(
        &new,
        Policy::Strict,
        &["v1: 2 changes since v1.4.0: 2 break writers and readers"],
        &[
            "Information 30: `maxLength` changed from 20 to 30 at `name`: this breaks readers",
            "Information 10: `maximum` changed from 100 to 10 at `size`: this breaks writers",
        ],
    );
}

#[test]
fn alpha_versions_may_change_by_the_conventions() {
    let at = OLD.rfind("maximum: 100").expect("a bound");
    let new = format!("{}maximum: 10}}\n", &OLD[..at]);
    check(&new, Policy::ApiConventions, &[], &[]);
    check(
        &new,
        Policy::Writers,
        &["v1alpha1: 1 change since v1.4.0: 1 breaks writers"],
        &["Information 10: `maximum` changed from 100 to 10 at `size`: this breaks writers"],
    );
}

#[test]
fn a_new_field_is_counted_and_not_marked() {
    let new = OLD.replacen(
        "          name:",
        "          more: {type: string, description: x}\n          name:",
        1,
    );
    check(
        &new,
        Policy::ApiConventions,
        &["v1: 1 change since v1.4.0: none breaks stored objects or writers"],
        &[],
    );
    let described = OLD.replacen("type: string", "type: string, description: x", 1);
    check(&described, Policy::Strict, &[], &[]);
}

#[test]
fn what_cannot_be_read_now_stays() {
    let new = OLD.replacen("maximum: 100", "maximum: 10", 1);
    let before = find(OLD, &new, Policy::Writers);
    let by = Comparison {
        kubernetes: KubernetesVersion::NEWEST,
        policy: Policy::Writers,
    };
    let revision = Revision::new("HEAD", OLD.as_bytes());
    let broken = format!("{new}   - {{\n");
    let after = KnownChanges::find(&broken, &revision, by, &before, &|| true);
    assert_eq!(after.as_ref(), Some(&before));
    assert_eq!(KnownChanges::find(&new, &revision, by, &before, &|| false), None);
    let same = KnownChanges::find(OLD, &revision, by, &before, &|| true).expect("no changes");
    assert!(same.is_empty());
}

#[test]
fn places_follow_edits() {
    let place = |start, end| Some(Span::new(start, end));
    let at = Span::new(10, 14);
    for (range, inserted, expected) in [
        (0..0, 5, place(15, 19)),
        (20..25, 0, at.into()),
        // An insertion before the span, one inside it, and one at its end.
        (10..10, 1, place(11, 15)),
        (12..12, 1, place(10, 15)),
        (14..14, 1, place(10, 15)),
        // A deletion of part of the span.
        (12..13, 0, place(10, 13)),
        (8..12, 1, place(9, 11)),
        (12..20, 3, place(10, 12)),
        // A replacement of the span, a deletion of it, and a deletion of it together with the text around it.
        (10..14, 2, place(10, 12)),
        (10..14, 0, None),
        (9..14, 4, None),
        (0..40, 0, None),
    ] {
        assert_eq!(moved(at, &range, inserted), expected, "{range:?} {inserted}");
    }
}

#[test]
fn changes_follow_edits() {
    let new = OLD.replacen("maximum: 100", "maximum: 10", 1);
    let found = find(OLD, &new, Policy::Writers);
    let line = new.find("spec:").expect("a line");
    let mut edited = found.clone();
    edited.edited(&(line..line), 8);
    let text = format!("{}# four.\n{}", &new[..line], &new[line..]);
    let change = edited.changes().next().expect("a change");
    assert_eq!(&text[change.finding.span.range()], "10");
    let version = edited.versions().next().expect("a version");
    assert_eq!(&text[version.span.range()], "v1");
    let mut deleted = found;
    deleted.edited(&(0..new.len()), 0);
    assert!(deleted.is_empty());
}
