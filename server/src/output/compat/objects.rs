//! The output for existing objects, in several formats.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    sync::Arc,
};

use crd_analyzer_compat::{Fate, Happening, NotStored, Policy, Verdict};
use crd_analyzer_io::print::Terminal;
use crd_analyzer_schema::field::Path;
use crd_analyzer_syntax::{lines::LineIndex, tree::Span};
use serde::Serialize;

use crate::output::{
    counted,
    jsonl::{Range, range},
    render::Renderer,
};

/// The maximum number of rows in a table.
const MOST_ROWS: usize = 200;

/// The content of the file from which an object was read.
#[derive(Clone)]
pub(crate) struct ObjectText {
    pub(crate) text: Arc<str>,
    pub(crate) lines: Arc<LineIndex>,
    /// The span of the object, and a span for each effect on it.
    pub(crate) object: Span,
    pub(crate) places: Vec<Span>,
}

/// An object, and the effects on it.
pub(crate) struct JudgedObject {
    /// The name of the file or of the cluster.
    pub(crate) label: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) namespace: Option<String>,
    /// The version in its `apiVersion`.
    pub(crate) version: String,
    /// Whether only a part of the object is known. Effects that depend on the other parts are left out.
    pub(crate) in_part: bool,
    /// All effects on the object, worst first.
    pub(crate) fate: Result<Vec<Happening>, NotStored>,
    /// The location in a file, if the object came from one.
    pub(crate) text: Option<ObjectText>,
}

impl JudgedObject {
    /// The word for the effect on the object, such as `pruned`.
    pub(crate) fn word(&self) -> &'static str {
        match &self.fate {
            Ok(happenings) => happenings.first().map_or("kept", |it| it.fate.name()),
            Err(NotStored::Refused(_) | NotStored::Unserved(_)) => "not-stored",
            Err(NotStored::Unfinished) => "unknown",
        }
    }

    /// The verdict of a policy on the object.
    pub(crate) fn verdict(&self, policy: Policy) -> Verdict {
        match &self.fate {
            Ok(happenings) => {
                let each = happenings.iter().map(|it| policy.judge_fate(it.fate, &self.version));
                each.max().unwrap_or_default()
            }
            Err(NotStored::Unfinished) => Verdict::Unknown,
            Err(NotStored::Refused(_) | NotStored::Unserved(_)) => Verdict::Compatible,
        }
    }

    /// Whether an effect on the object breaks something, even if the policy allows it.
    fn breaks(&self) -> bool {
        let happenings = self.fate.as_deref().unwrap_or_default();
        happenings.iter().any(|it| it.fate != Fate::Tolerated)
    }

    /// The kind and name, as in `Widget default/one`.
    pub(super) fn title(&self) -> String {
        let namespace = self.namespace.as_ref().map_or_else(String::new, |it| format!("{it}/"));
        let title = format!("{} {namespace}{}", self.kind, self.name);
        title.trim_end().to_owned()
    }

    /// The location of the object or of one effect on it, as `file:line`.
    pub(super) fn place(&self, happening: Option<usize>) -> String {
        let Some(text) = &self.text else {
            return self.label.clone();
        };
        let span = happening.and_then(|it| text.places.get(it)).unwrap_or(&text.object);
        let (line, _) = text.lines.line_column(&text.text, span.start);
        format!("{}:{}", self.label, line + 1)
    }

    fn range(&self, happening: Option<usize>) -> Option<Range> {
        let text = self.text.as_ref()?;
        let span = happening.and_then(|it| text.places.get(it)).unwrap_or(&text.object);
        Some(range(&text.lines, &text.text, *span))
    }
}

/// All objects with their results.
#[derive(Default)]
pub(crate) struct JudgedObjects {
    pub(crate) objects: Vec<JudgedObject>,
    /// The number of documents that are not tried, because a template fills in too much of them.
    pub(crate) templates: usize,
}

impl JudgedObjects {
    /// The number of objects for each word.
    fn counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for it in &self.objects {
            *counts.entry(it.word()).or_default() += 1;
        }
        counts
    }

    fn sentence(&self) -> String {
        let counts = self.counts();
        let words = Fate::ALL.into_iter().map(Fate::name);
        let words = words.chain(["kept", "not-stored", "unknown"]);
        let each = words.filter_map(|word| {
            let count = counts.get(word)?;
            let word = if word == "not-stored" {
                "rejected by OLD, too"
            } else {
                word
            };
            Some(format!("{count} {word}"))
        });
        let each: Vec<String> = each.collect();
        let found = if each.is_empty() {
            "no object of these CRDs was found".to_owned()
        } else {
            let in_part = match self.in_part() {
                0 => String::new(),
                count => format!(" ({count} known in part)"),
            };
            let objects = counted(self.objects.len(), "object");
            format!("{objects}{in_part}: {}", each.join(", "))
        };
        match self.templates {
            0 => found,
            count => format!("{found}; not tried: {}", counted(count, "template")),
        }
    }

    /// The number of objects that are known only in part.
    pub(super) fn in_part(&self) -> usize {
        self.objects.iter().filter(|it| it.in_part).count()
    }

    /// The number of objects that break.
    pub(super) fn breaks(&self) -> usize {
        self.objects.iter().filter(|it| it.breaks()).count()
    }

    /// The number of objects that break although the policy forbids it.
    pub(super) fn forbidden(&self, policy: Policy) -> usize {
        let each = self.objects.iter().map(|it| it.verdict(policy));
        each.filter(|it| *it == Verdict::Breaks).count()
    }

    /// The verdict of a policy on all objects.
    pub(crate) fn verdict(&self, policy: Policy) -> Verdict {
        let each = self.objects.iter().map(|it| it.verdict(policy));
        each.max().unwrap_or_default()
    }
}

/// Describes the effect on a field, as a sentence.
pub(super) fn said(happening: &Happening) -> String {
    let Happening {
        fate,
        place,
        is_status,
        words,
        ..
    } = happening;
    let field = if place == &Path::root() {
        "the object".to_owned()
    } else {
        place.to_string()
    };
    let status = if *is_status { " in updates of the status" } else { "" };
    match fate {
        Fate::Refused => format!("refused{status}: {words}"),
        Fate::Unserved => format!("not served: {words}"),
        Fate::Pruned => format!("{field} is dropped"),
        Fate::Tolerated => format!("tolerated{status} until the value changes: {words}"),
        Fate::Defaulted if words.starts_with("a new object") => format!("{field}: {words}"),
        Fate::Defaulted => format!("{field} is filled in with {words}"),
    }
}

/// Prints the objects as text. Unchanged objects are only counted.
pub(super) fn text(
    out: &mut Terminal<'_>,
    renderer: Renderer,
    judged: &JudgedObjects,
    policy: Policy,
) -> io::Result<()> {
    let mut line = |indent: &str, text: &str| renderer.indented(out, indent, &format!("{indent}    "), text);
    line("", &judged.sentence())?;
    for object in judged.objects.iter().filter(|it| it.word() != "kept") {
        let (title, place) = (object.title(), object.place(None));
        match &object.fate {
            Ok(happenings) => {
                line("  ", &format!("{title} [{}]", object.word()))?;
                for (n, happening) in happenings.iter().enumerate() {
                    let forbidden = match policy.judge_fate(happening.fate, &object.version) {
                        Verdict::Breaks => "forbidden: ",
                        Verdict::Unknown | Verdict::Compatible => "",
                    };
                    let (place, said) = (object.place(Some(n)), said(happening));
                    line("    ", &format!("{place}: {forbidden}{said}"))?;
                }
            }
            Err(NotStored::Refused(words) | NotStored::Unserved(words)) => {
                line(
                    "  ",
                    &format!("{title} [not-stored] at {place}: OLD rejects it, too: {words}"),
                )?;
            }
            Err(NotStored::Unfinished) => {
                line(
                    "  ",
                    &format!("{title} [unknown] at {place}: the answer takes too much work"),
                )?;
            }
        }
    }
    Ok(())
}

/// Prints a Markdown table of the objects that change.
pub(super) fn markdown(out: &mut Terminal<'_>, judged: &JudgedObjects) -> io::Result<()> {
    out.blank()?;
    out.line(format_args!("#### Objects: {}", judged.sentence()))?;
    let changed: Vec<_> = judged.objects.iter().filter(|it| it.word() != "kept").collect();
    if changed.is_empty() {
        return Ok(());
    }
    out.blank()?;
    out.line("| object | where | what happens |")?;
    out.line("|-|-|-|")?;
    for object in changed.iter().take(MOST_ROWS) {
        let what = match &object.fate {
            Ok(happenings) => happenings.iter().map(said).collect::<Vec<_>>().join("; "),
            Err(NotStored::Refused(words) | NotStored::Unserved(words)) => format!("OLD rejects it, too: {words}"),
            Err(NotStored::Unfinished) => "unknown".to_owned(),
        };
        let (title, place) = (code(&object.title()), code(&object.place(Some(0))));
        out.line(format_args!("| {title} | {place} | {} |", code(&what)))?;
    }
    if changed.len() > MOST_ROWS {
        out.blank()?;
        out.line(format_args!(
            "{} more objects are not shown.",
            changed.len() - MOST_ROWS
        ))?;
    }
    Ok(())
}

/// An object in JSON output.
#[derive(Serialize)]
pub(super) struct ObjectLine<'a> {
    file: &'a str,
    range: Option<Range>,
    kind: &'a str,
    namespace: Option<&'a str>,
    name: &'a str,
    fate: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    in_part: bool,
    happenings: Vec<HappeningLine<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct HappeningLine<'a> {
    fate: &'static str,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    subresource: Option<&'static str>,
    words: &'a str,
    range: Option<Range>,
}

/// The JSON lines of the objects.
pub(super) fn lines(judged: &JudgedObjects) -> impl Iterator<Item = ObjectLine<'_>> {
    judged.objects.iter().map(|object| {
        let (happenings, reason) = match &object.fate {
            Ok(all) => (all.as_slice(), None),
            Err(NotStored::Refused(words) | NotStored::Unserved(words)) => (&[][..], Some(words.as_str())),
            Err(NotStored::Unfinished) => (&[][..], Some("the answer takes too much work")),
        };
        ObjectLine {
            file: &object.label,
            range: object.range(None),
            kind: &object.kind,
            namespace: object.namespace.as_deref(),
            name: &object.name,
            fate: object.word(),
            in_part: object.in_part,
            happenings: happenings
                .iter()
                .enumerate()
                .map(|(n, it)| HappeningLine {
                    fate: it.fate.name(),
                    path: it.place.to_string(),
                    subresource: it.is_status.then_some("status"),
                    words: &it.words,
                    range: object.range(Some(n)),
                })
                .collect(),
            reason,
        }
    })
}

/// The number of objects for each word, and the number of documents that are not tried.
pub(super) fn counts(judged: Option<&JudgedObjects>) -> Option<BTreeMap<&'static str, usize>> {
    let judged = judged?;
    let mut counts = judged.counts();
    if judged.templates > 0 {
        counts.insert("not-tried", judged.templates);
    }
    Some(counts)
}

/// Prints the objects as JSON lines.
pub(super) fn jsonl(out: &mut dyn Write, judged: &JudgedObjects) -> io::Result<()> {
    lines(judged).try_for_each(|it| crate::output::jsonl::write_line(out, &it))
}

/// A Markdown code span for a table cell, with any text inside.
pub(super) fn code(text: &str) -> String {
    let longest = text.split(|it| it != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let text = text.replace('|', "\\|");
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}
