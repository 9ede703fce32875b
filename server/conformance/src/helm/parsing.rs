//! Compares what Go says of templates that it cannot parse with what we say: for the templates of charts, and for mutants of them.

use std::{collections::BTreeMap, path::Path, process::Command};

use anyhow::bail;
use crd_analyzer_workspace::charts::parsed::parsed;
use fastrand::Rng;
use serde_json::{Value, json};

use super::chart::Case;
use crate::peers;

/// The name of the template in requests. Go puts it into some messages.
const NAME: &str = "t";

/// A template, whole or with a mutation.
struct Template {
    /// The chart and the file.
    name: String,
    text: String,
    /// What was changed.
    mutation: &'static str,
}

/// Compares all templates and some mutants of them. Returns whether both parsers say the same of each.
pub(super) fn compare(
    oracle: &Path,
    cases: &[Case],
    (mutants, is_verbose): (usize, bool),
    random: &mut Rng,
) -> anyhow::Result<bool> {
    let mut templates = Vec::new();
    for case in cases {
        let files = case
            .files
            .iter()
            .filter(|it| it.0.split('/').any(|it| it == "templates"));
        templates.extend(files.map(|(file, text)| Template {
            name: format!("{}/{file}", case.name),
            text: text.clone(),
            mutation: "",
        }));
    }
    let whole = templates.len();
    if whole == 0 {
        return Ok(true);
    }
    // Large repositories have many templates without an action.
    let with_actions: Vec<usize> = (0..whole).filter(|it| templates[*it].text.contains("{{")).collect();
    while templates.len() < whole + mutants && !with_actions.is_empty() {
        let of = &templates[with_actions[random.usize(..with_actions.len())]];
        let Some((text, mutation)) = mutated(&of.text, random) else {
            continue;
        };
        let name = of.name.clone();
        templates.push(Template { name, text, mutation });
    }
    let requests = templates
        .iter()
        .map(|it| json!({"id": "", "parse": true, "files": {NAME: it.text}}).to_string());
    let answers = peers::ask_lines(&mut Command::new(oracle), &requests.collect::<Vec<_>>())?;
    if answers.len() != templates.len() {
        bail!("{} answers to {} templates", answers.len(), templates.len());
    }
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut differences = 0;
    for (template, answer) in templates.iter().zip(&answers) {
        let theirs = said(&answer["parsed"][NAME]);
        let ours = parsed(&template.text)
            .err()
            .map(|it| (it.line(&template.text) as u64, it.words(&template.text, NAME)));
        let count = counts.entry(template.mutation).or_default();
        count.0 += usize::from(theirs.is_some());
        count.1 += 1;
        if ours != theirs {
            differences += 1;
            println!(
                "{} {}: Go says {theirs:?}, we say {ours:?}",
                template.name, template.mutation
            );
            if is_verbose {
                println!("{}", template.text);
            }
        }
    }
    for (mutation, (failed, all)) in &counts {
        let what = if mutation.is_empty() { "unchanged" } else { mutation };
        println!("{failed} of {all} templates cannot be parsed: {what}");
    }
    println!("{differences} differences between the parsers on {whole} templates and {mutants} mutants");
    Ok(differences == 0)
}

/// The line and the words of an answer, if there is an error.
fn said(answer: &Value) -> Option<(u64, String)> {
    let words = answer["words"].as_str()?;
    // Go says twice that it is about a template.
    let words = words.strip_prefix("template: ").unwrap_or(words);
    Some((answer["line"].as_u64()?, words.to_owned()))
}

/// A template with a mistake in one of its actions.
fn mutated(text: &str, random: &mut Rng) -> Option<(String, &'static str)> {
    let starts: Vec<usize> = text.match_indices("{{").map(|it| it.0).collect();
    let start = starts[random.usize(..starts.len())];
    let end = text[start..].find("}}").map_or(text.len(), |it| start + it + 2);
    let action = &text[start..end];
    let replaced = |range: std::ops::Range<usize>, with: &str| {
        format!("{}{with}{}", &text[..start + range.start], &text[start + range.end..])
    };
    let places = |wanted: &str| -> Vec<usize> { action.match_indices(wanted).map(|it| it.0).collect() };
    let choose = |all: Vec<usize>, random: &mut Rng| (!all.is_empty()).then(|| all[random.usize(..all.len())]);
    Some(match random.u8(..13) {
        0 => {
            let ends: Vec<usize> = text.match_indices("{{- end }}").map(|it| it.0).collect();
            let at = choose(ends, random)?;
            (format!("{}{}", &text[..at], &text[at + 10..]), "no end")
        }
        1 => (replaced(0..0, "{{ end }}"), "another end"),
        2 => {
            let (from, to) = word(action, random)?;
            let at = from + random.usize(..to - from);
            action.is_char_boundary(at + 1).then_some(())?;
            (replaced(at..at + 1, ""), "a letter less")
        }
        3 => {
            let (from, to) = word(action, random)?;
            let at = from + random.usize(..to - from);
            (replaced(at..at, "x"), "a letter more")
        }
        4 => {
            let at = choose(["{", "}"].iter().flat_map(|it| places(it)).collect(), random)?;
            (replaced(at..at + 1, ""), "no brace")
        }
        5 => (replaced(action.len()..action.len(), "}"), "another brace"),
        6 => {
            let at = choose(["\"", "`"].iter().flat_map(|it| places(it)).collect(), random)?;
            (replaced(at..at + 1, ""), "no quote")
        }
        7 => {
            let at = choose(["(", ")"].iter().flat_map(|it| places(it)).collect(), random)?;
            (replaced(at..at + 1, ""), "no parenthesis")
        }
        8 => {
            let at = choose(places("."), random)?;
            (
                replaced(at..at + 1, ["$x.", "", "..", "$"][random.usize(..4)]),
                "another dot",
            )
        }
        9 => {
            let at = choose(places(" "), random)?;
            let with = [
                " if ", " else ", " define ", " nil ", "\n", " 1x ", " 'ab' ", " := ", " | 5 | ", ", ",
            ];
            (replaced(at..at + 1, with[random.usize(..with.len())]), "another word")
        }
        10 => {
            let at = choose(["|", "-", ",", ":="].iter().flat_map(|it| places(it)).collect(), random)?;
            (replaced(at..at + 1, ""), "no sign")
        }
        11 => {
            let with = [
                "{{ else }}",
                "{{ break }}",
                "{{ define \"a\" }}",
                "{{/* a",
                "{{ if }}",
                "{{ block \"a\" . }}",
                "{{ $x := 1 }}",
            ];
            (replaced(0..0, with[random.usize(..with.len())]), "another action")
        }
        _ => (replaced(0..action.len(), ""), "no action"),
    })
}

/// A word of an action.
fn word(action: &str, random: &mut Rng) -> Option<(usize, usize)> {
    let is_in = |it: char| it.is_ascii_alphanumeric();
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in action.char_indices() {
        if is_in(c) {
            start.get_or_insert(at);
        } else if let Some(from) = start.take() {
            words.push((from, at));
        }
    }
    (!words.is_empty()).then(|| words[random.usize(..words.len())])
}
