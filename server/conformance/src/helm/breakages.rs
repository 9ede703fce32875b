//! Breakages of literal text in templates, and which of them crd-analyzer finds.

use std::{collections::BTreeMap, path::Path};

use fastrand::Rng;

use super::{
    Printed, ask,
    chart::{Case, Told, is_template},
    marks::mark,
    with_mark,
};

/// A chart with a breakage.
pub(super) struct Breakage {
    /// The name of the chart without the breakage.
    chart: String,
    pub(super) case: Case,
    /// The same with a mark at the breakage.
    marked: Case,
    file: String,
    /// The kind of the breakage, for the statistics.
    kind: &'static str,
    /// The line that was broken, and what it became.
    change: (String, String),
}

/// The number of the mark at a breakage. Errors have smaller numbers.
const MARK: usize = 1_000_000;

/// Values that most schemas refuse.
const VALUES: [&str; 8] = ["\"zzz Bad\"", "zzzBad", "[1]", "{a: 1}", "-777", "true", "1.5", "\"5\""];

/// Breakages at random literal lines of a chart.
pub(super) fn of(case: &Case, count: usize, random: &mut Rng) -> Vec<Breakage> {
    let mut places: Vec<(&String, usize)> = Vec::new();
    for (file, text) in case.files.iter().filter(|it| is_template(it.0)) {
        let is_helpers = Path::new(file).extension().is_some_and(|it| it == "tpl");
        let mut is_in_spec = is_helpers;
        for (n, line) in text.lines().enumerate() {
            if !line.starts_with([' ', '-', '{', '#']) && !line.is_empty() {
                is_in_spec = line.starts_with("spec:");
            }
            if is_in_spec && (parts(line).is_some() || branches(line).is_some()) {
                places.push((file, n));
            }
        }
    }
    random.shuffle(&mut places);
    places.truncate(count);
    let broken = places.into_iter().enumerate();
    let broken = broken.filter_map(|(n, (file, line))| {
        let (text, kind, change) = broken_at(&case.files[file], line, random)?;
        let name = format!("{} breakage {n}", case.name);
        let plain = text.replace(&format!(" {}", mark(MARK)), "");
        Some(Breakage {
            chart: case.name.clone(),
            case: case.with(name.clone(), file, plain),
            marked: case.with(name, file, text),
            file: file.clone(),
            kind,
            change,
        })
    });
    broken.collect()
}

/// The blanks and dash, the key and the value of a line that is written without an action.
fn parts(line: &str) -> Option<(&str, &str, &str)> {
    if line.contains("{{") || line.contains(" #") {
        return None;
    }
    let written = line.trim_start_matches([' ', '-']);
    let (key, value) = written.split_once(':')?;
    let is_key = !key.is_empty() && key.bytes().all(|it| it.is_ascii_alphanumeric());
    let value = value.strip_prefix(' ').unwrap_or(value).trim_end();
    let is_text = value.starts_with(['|', '>', '&', '*']);
    (is_key && !is_text && line.len() > written.len()).then(|| (&line[..line.len() - written.len()], key, value))
}

/// The texts around the last branch of a block that is the value of a line.
fn branches(line: &str) -> Option<(&str, &str)> {
    let (_, value) = line.split_once(": {{ if ")?;
    if value.contains(['"', '\'']) {
        return None;
    }
    let last = line
        .rfind("{{ end }}")
        .filter(|it| line[*it..].len() == "{{ end }}".len())?;
    let start = line[..last].rfind("}}")? + 2;
    (start < last).then(|| (&line[..start], &line[last..]))
}

type Broken = (String, &'static str, (String, String));

fn broken_at(text: &str, at: usize, random: &mut Rng) -> Option<Broken> {
    let lines: Vec<&str> = text.lines().collect();
    let line = lines[at];
    let mark = mark(MARK);
    let mut until = at + 1;
    let (kind, broken) = if let Some((before, after)) = branches(line) {
        let value = VALUES[1 + random.usize(..VALUES.len() - 1)];
        ("branch in a line", format!("{before}{value} {mark}{after}"))
    } else {
        let (start, key, value) = parts(line)?;
        match random.u8(..10) {
            0..3 => ("unknown field", format!("{start}{key}x: {value} {mark}")),
            3..8 if !value.is_empty() => {
                let other = VALUES[random.usize(..VALUES.len())];
                ("value", format!("{start}{key}: {other} {mark}"))
            }
            _ => {
                // The field with everything below it. A dash stays.
                let column = start.len();
                let column_of = |it: &str| it.len() - it.trim_start_matches([' ', '-']).len();
                while until < lines.len() && (lines[until].trim().is_empty() || column_of(lines[until]) > column) {
                    if lines[until].contains("{{") {
                        return None;
                    }
                    until += 1;
                }
                if start.contains('-') {
                    return None;
                }
                ("missing field", format!("{start}{mark}"))
            }
        }
    };
    let mut made: Vec<&str> = lines[..at].to_vec();
    made.push(&broken);
    made.extend(&lines[until..]);
    let text = made.join("\n") + "\n";
    Some((text, kind, (line.to_owned(), broken.clone())))
}

/// Compares the breakages with the objects that are rendered, and prints those that crd-analyzer does not find.
pub(super) fn compare(oracle: &Path, cases: &[Case], tried: &[Breakage], is_verbose: bool) -> anyhow::Result<()> {
    let whole = ask(oracle, cases)?;
    let whole: BTreeMap<&str, (&Case, Vec<Printed>)> = cases
        .iter()
        .zip(whole)
        .map(|(case, it)| (&*case.name, (case, it)))
        .collect();
    let broken = ask(oracle, tried.iter().map(|it| &it.marked))?;
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (breakage, printed) in tried.iter().zip(broken) {
        let (case, whole) = &whole[&*breakage.chart];
        if !is_refused(breakage, case, whole, &printed) {
            continue;
        }
        let before = case.told();
        let is_new = |it: &&Told| {
            !before
                .iter()
                .any(|old| old.file == it.file && old.headline == it.headline)
        };
        let told = breakage.case.told();
        let is_found = told.iter().any(|it| is_new(&it));
        let count = counts.entry(breakage.kind).or_default();
        count.0 += usize::from(is_found);
        count.1 += 1;
        if !is_found {
            println!("not found: {} {}: {}", breakage.case.name, breakage.file, breakage.kind);
            println!("    {}\n    {}", breakage.change.0.trim(), breakage.change.1.trim());
            if is_verbose {
                println!("{}", breakage.case.files[&breakage.file]);
            }
        }
    }
    let (found, all) = counts.values().fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    for (kind, (found, all)) in &counts {
        println!("{found} of {all} found: {kind}");
    }
    println!(
        "{found} of {all} literal breakages found that are always refused, {} tried",
        tried.len()
    );
    Ok(())
}

/// Whether a breakage is refused in each object with it, and an object is accepted without it.
fn is_refused(breakage: &Breakage, case: &Case, whole: &[Printed], broken: &[Printed]) -> bool {
    let mark = mark(MARK);
    let mut is_accepted_before = false;
    for (whole, broken) in whole.iter().zip(broken) {
        let with = with_mark(&breakage.marked, broken, &mark);
        if with.iter().any(|it| it.0.is_accepted) {
            return false;
        }
        if !with.is_empty() && whole.is_ok() {
            let files = whole.iter().flatten().filter(|it| is_template(it.0));
            let mut before = files.flat_map(|it| case.rendered(it.1));
            is_accepted_before |= before.all(|it| it.is_accepted);
        }
    }
    is_accepted_before
}
