//! SARIF output: a rule for each code of a change, and a result for each change that breaks something or is unknown.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use crd_analyzer_compat::{Answer, CODES, Change, Direction, Policy, Verdict, shown_object};
use crd_analyzer_schema::field::{Path, Segment};
use crd_analyzer_syntax::tree::Span;

use super::{
    Allowed, Format, Report, Side,
    order::is_harmless,
    said,
    sarif_objects::{self, Answers, Properties, Rules},
    short_path,
    text::olm,
};
use crate::output::{
    fingerprint::{self, Fingerprints},
    jsonl::write_line,
    sarif::{
        model::{Descriptor, Help, Level, Location, Log, Message, SarifResult, Suppression},
        physical, run,
    },
};

pub(super) const FORMAT: Format = Format {
    name: "sarif",
    help: "SARIF 2.1.0, for code scanning",
    print: |out, _, report| print(out, report),
};

/// The SARIF rule for updates that the Operator Lifecycle Manager rejects.
const OLM: &str = "refused-by-olm";

/// Prints a report.
fn print(out: &mut dyn Write, report: &Report<'_>) -> io::Result<()> {
    let mut rules = Rules::default();
    let mut prints = Fingerprints::default();
    let mut results = Vec::new();
    for compared in &report.reports {
        for (change, exception) in compared.each().filter(|it| report.all || !is_harmless(it.0)) {
            let rule = rules.number(change.code);
            let path = short_path(&change.path());
            let version = change.version.as_deref();
            let parts = [change.code, &compared.name, version.unwrap_or_default(), &path];
            let new = compared.new.as_ref();
            let old = location(compared.old.as_ref(), change.old_path.as_ref());
            let new = match &change.new_path {
                Some(path) => location(new, Some(path)),
                None => location(new, new.and_then(|it| same_place(it, change))),
            };
            let (place, before) = if new.is_some() { (new, old) } else { (old, None) };
            let before = before.map(|it| Location {
                id: Some(0),
                message: Some(Message::new("before the change")),
                ..it
            });
            let answer = |direction| change.answer(direction).name();
            results.push(SarifResult {
                rule_id: change.code,
                rule_index: rule,
                level: level(report.policy, change),
                message: message(change, &path),
                locations: place.into_iter().collect(),
                related_locations: before.into_iter().collect(),
                partial_fingerprints: BTreeMap::from([(fingerprint::NAME, prints.of_parts(&parts))]),
                suppressions: exception.map(suppression).into_iter().collect(),
                fixes: Vec::new(),
                properties: Properties {
                    crd: Some(&compared.name),
                    from: None,
                    version,
                    answers: Some(Answers {
                        stored: answer(Direction::Stored),
                        writers: answer(Direction::Writers),
                        readers: answer(Direction::Readers),
                    }),
                },
            });
        }
    }
    for compared in &report.reports {
        for refusal in &compared.olm {
            let rule = rules.number(OLM);
            let version = refusal.version.as_deref();
            let parts = [
                refusal.check,
                &compared.name,
                version.unwrap_or_default(),
                &refusal.property,
            ];
            // crdify reports a value without a location, so the result marks the name of the CRD.
            let name = Path::of(["metadata", "name"]);
            let place = location(compared.new.as_ref(), Some(&name));
            results.push(SarifResult {
                rule_id: OLM,
                rule_index: rule,
                level: Level::Error,
                message: Message::new(&olm(refusal)),
                locations: place.into_iter().collect(),
                related_locations: Vec::new(),
                partial_fingerprints: BTreeMap::from([(fingerprint::NAME, prints.of_parts(&parts))]),
                suppressions: Vec::new(),
                fixes: Vec::new(),
                properties: Properties {
                    crd: Some(&compared.name),
                    from: None,
                    version,
                    answers: None,
                },
            });
        }
    }
    if let Some(judged) = &report.objects {
        results.extend(sarif_objects::results(judged, report.policy, &mut rules, &mut prints));
    }
    let mut rules: Vec<_> = rules.0.into_iter().map(|(code, number)| (number, code)).collect();
    rules.sort_unstable();
    let rules = rules.into_iter().map(|it| descriptor(it.1)).collect();
    write_line(out, &Log::new(run(rules, results, report.is_incomplete, Vec::new())))
}

/// The SARIF level: an error if the policy forbids the change, a warning if the answer is unknown, otherwise a note.
fn level(policy: Policy, change: &Change) -> Level {
    match policy.verdict([change]) {
        Verdict::Breaks => Level::Error,
        Verdict::Unknown => Level::Warning,
        Verdict::Compatible => Level::Note,
    }
}

/// The message: the change, then a line for each group that it affects.
fn message(change: &Change, path: &str) -> Message {
    let version = change.version.as_ref().map_or_else(String::new, |it| format!("{it} "));
    let mut text = format!("{version}{path}: {}", summary(change.code));
    if !change.what.is_empty() {
        text = format!("{text}: {}", change.what);
    }
    for (direction, answer) in change.each() {
        text = format!("{text}\n{}", said(direction, answer));
        match answer {
            Answer::Breaks { witness, .. } => {
                if !witness.words.is_empty() {
                    text = format!("{text}: {}", witness.words);
                }
                text = format!("{text}\nobject: {}", shown_object(&witness.object));
            }
            Answer::Compatible { reason, .. } | Answer::Unknown { reason } => text = format!("{text}: {reason}"),
        }
    }
    Message::new(&text)
}

/// The location of a change on one side. For a missing field, the location of the key that would contain it.
fn location(side: Option<&Side<'_>>, path: Option<&Path>) -> Option<Location> {
    let (side, path) = side.zip(path)?;
    let span = side.span(path).unwrap_or(Span { start: 0, end: 0 });
    Some(Location {
        id: None,
        physical: physical(side.label, side.lines, side.text, span),
        message: None,
    })
}

/// The path in OLD of a part that NEW removes, if NEW still contains the same version of the CRD. The result then points to the surrounding key in
/// NEW, because code scanning can show this file.
fn same_place<'c>(new: &Side<'_>, change: &'c Change) -> Option<&'c Path> {
    let path = change.old_path.as_ref()?;
    let [
        Segment::Field(spec),
        Segment::Field(versions),
        Segment::Index(index),
        ..,
    ] = path.segments()
    else {
        return change.version.is_none().then_some(path);
    };
    let name = Path::of([spec.as_str(), versions.as_str()]).index(*index).child("name");
    let span = new.span(&name)?;
    let written = new.text.get(span.range())?.split_once(':')?.1;
    let written = written.trim().trim_matches(['"', '\'']);
    (Some(written) == change.version.as_deref()).then_some(path)
}

fn suppression(exception: Allowed<'_>) -> Suppression {
    Suppression::by_exception(&match exception.until {
        Some(until) => format!("Allowed until {until}: {}", exception.reason),
        None => format!("Allowed: {}", exception.reason),
    })
}

fn summary(code: &str) -> &'static str {
    if code == OLM {
        return "the Operator Lifecycle Manager rejects the update";
    }
    let of_objects = sarif_objects::RULES.iter();
    CODES
        .iter()
        .chain(of_objects)
        .find(|it| it.0 == code)
        .map_or("the CRD changed", |it| it.1)
}

/// The SARIF rule of a code.
fn descriptor(code: &'static str) -> Descriptor {
    let summary = summary(code);
    let help = if code == OLM {
        Some(
            "OLM uses crdify, which rejects even changes that break nothing: look at the answers for this change. Where they are compatible, a `crdUpgradeSafety` preflight with `enforcement: None` lets the update through.",
        )
    } else {
        let is_of_objects = sarif_objects::RULES.iter().any(|it| it.0 == code);
        is_of_objects
            .then_some("Undo the change of the CRD, make it in a new version, or change the object before the CRD.")
    };
    if let Some(help) = help {
        return Descriptor {
            id: code,
            short_description: Message::new(summary),
            help: Help {
                text: help.to_owned(),
                markdown: format!("# {code}\n\n{help}\n"),
            },
        };
    }
    let allow = "`crd-analyzer compat --exceptions FILE` allows the change if FILE lists it:";
    let exception = format!("exceptions:\n- change: {code}\n  reason: why it is allowed\n");
    Descriptor {
        id: code,
        short_description: Message::new(summary),
        help: Help {
            text: format!("{summary}. {allow}\n{exception}"),
            markdown: format!(
                "# {code}\n\n{summary}\n\n## Fix\n\nUndo the change, or make it in a new version of the CRD.\n\n{allow}\n\n```yaml\n{exception}```\n"
            ),
        },
    }
}
