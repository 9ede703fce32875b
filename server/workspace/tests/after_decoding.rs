//! A CRD that cannot be decoded has other diagnostics beside the decoding error. Checks that the CRD still has them after the value is corrected.
//!
//! Each test gives one value of a CRD a type that its field does not have. `CRD_ANALYZER_BREAKS=100..1000` uses these seeds instead of the few that
//! each test run uses.

#![allow(clippy::disallowed_methods, reason = "a test reads the files of the corpus")]

use std::collections::BTreeMap;

use crd_analyzer_fixtures::{
    corpus, own,
    random::{Edit, Random, seeds},
};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    read,
    split::split,
    tree::{NodeKind, ScalarStyle, Tree},
};
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    findings::finding::{Class, Finding},
    findings::report::DocumentVerdict,
    judging::analysis::{Question, analyze},
};

/// The number of findings by code and line. The headline is ignored, because it may contain the changed value.
type Found = BTreeMap<(&'static str, usize), usize>;

/// The verdict on a text that is one CRD.
fn verdict(text: &str) -> Option<DocumentVerdict> {
    let versions = VersionSet::one(KubernetesVersion::NEWEST);
    let report = analyze(text.as_bytes().to_vec(), &Question::new(versions));
    let mut documents = report.documents.into_iter();
    let (only, None) = (documents.next()?, documents.next()) else {
        return None;
    };
    only.verdicts.into_iter().next().map(|it| it.1)
}

fn count<'a>(text: &str, findings: impl Iterator<Item = &'a Finding>) -> Found {
    let mut found = Found::new();
    for it in findings {
        let line = text[..it.span.start as usize].matches('\n').count();
        *found.entry((it.code, line)).or_default() += 1;
    }
    found
}

/// An edit that gives a value a wrong type, and the obvious correction if there is one.
fn breaking(tree: &Tree, random: &mut Random) -> Option<(Edit, Option<String>)> {
    let nodes: Vec<_> = tree
        .nodes()
        .filter(|it| tree.kind(*it) == NodeKind::Scalar(ScalarStyle::Plain))
        .filter(|it| tree.entry_of(*it).is_some_and(|entry| entry.value == *it))
        .filter(|it| !["", "~", "null"].contains(&tree.source(*it)))
        .filter(|it| !tree.source(*it).contains(['\n', '"', '\\']))
        .collect();
    let node = *nodes.get(random.below(nodes.len()))?;
    let written = tree.source(node);
    let is_word = |it: char| it.is_ascii_alphabetic();
    let is_text = written.chars().all(is_word) && !["true", "false"].contains(&written);
    let (text, corrected) = match random.below(5) {
        0 => (format!("\"{written}\""), Some(written.to_owned())),
        1 => (format!("[{written}]"), is_text.then(|| written.to_owned())),
        2 => ("7".to_owned(), Some("\"7\"".to_owned())),
        3 => (format!("{{x: {written}}}"), None),
        _ => (format!("[{written}, 5]"), None),
    };
    let range = tree.span(node).range();
    Some((Edit { range, text }, corrected))
}

/// Breaks a value of a CRD. Returns whether the CRD could be decoded before and cannot be decoded afterwards.
fn check(text: &str, random: &mut Random) -> bool {
    let is_decoded =
        |it: &DocumentVerdict| it.decode_error.is_none() && it.other_error.is_none() && it.unfinished.is_empty();
    let Some(before) = verdict(text).filter(is_decoded) else {
        return false;
    };
    let Some(document) = split(text).documents.into_iter().next() else {
        return false;
    };
    let Ok(tree) = read(&text.into(), document.span) else {
        return false;
    };
    let Some((edit, corrected)) = breaking(&tree, random) else {
        return false;
    };
    let with = |value: &str| {
        let mut text = text.to_owned();
        text.replace_range(edit.range.clone(), value);
        text
    };
    let broken = with(&edit.text);
    let Some(after) = verdict(&broken).filter(|it| it.decode_error.is_some()) else {
        return false;
    };
    // If the correction is not obvious, the original value is the correct one.
    let corrected = corrected.map(|it| with(&it));
    let corrected = corrected.and_then(|text| Some((verdict(&text).filter(is_decoded)?, text)));
    let is_obvious = corrected.is_some();
    let (right, text) = corrected.unwrap_or_else(|| (before, text.to_owned()));
    let is_later = |it: &&Finding| it.class == Class::LaterError;
    // If the edit replaces a wrong value with another wrong value, both cause errors.
    let end = edit.range.start + edit.text.len();
    let is_broken = |it: &&Finding| !is_obvious && (edit.range.start..end).contains(&(it.span.start as usize));
    let shown = after.hints.iter().filter(is_later).filter(|it| !is_broken(it));
    let shown = count(&broken, shown);
    let later = right.hints.iter().filter(is_later);
    let known = count(&text, right.strict.iter().chain(&right.errors).chain(later));
    for (key, times) in &shown {
        let known = known.get(key).copied().unwrap_or_default();
        assert!(
            *times <= known,
            "{edit:?} shows {key:?} {times} times, and {known} times it is so in\n{text}"
        );
    }
    if is_obvious {
        assert_eq!(shown, known, "{edit:?} in\n{text}");
    }
    true
}

#[test]
fn of_edited_crds() {
    let mut broken = 0;
    for seed in seeds("CRD_ANALYZER_BREAKS", 0..60) {
        let mut random = Random::new(seed);
        let mut text = own::side_by_side(&mut random).swap_remove(0);
        for _ in 0..8 {
            let before = text.clone();
            random.edit(&text).apply(&mut text);
            if verdict(&text).is_none_or(|it| it.decode_error.is_some()) {
                text = before;
            }
            broken += usize::from(check(&text, &mut random));
        }
    }
    assert!(broken > 20, "only {broken} CRDs were broken");
}

#[test]
#[ignore = "needs a corpus of real manifests"]
fn of_the_corpus() {
    let mut random = Random::new(7);
    let mut broken = 0;
    for path in corpus::files("crds") {
        let Ok(text) = std::fs::read_to_string(&path) else {
            continue;
        };
        for document in split(&text).documents {
            let text = &text[document.span.range()];
            if text.len() > 200 << 10 {
                continue;
            }
            broken += usize::from((0..6).any(|_| check(text, &mut random)));
        }
    }
    assert!(broken > 100, "only {broken} CRDs were broken");
}
