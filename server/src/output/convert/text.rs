//! Text output: the objects as YAML with comments, then the problems.

use std::io::{self, Write};

use crd_analyzer_compat::shown_object;
use crd_analyzer_conversion::{Finding, Kind, RoundTrips};
use crd_analyzer_io::print::Terminal;
use crd_analyzer_resource::ChangeKind;
use crd_analyzer_schema::field::Path;
use crd_analyzer_workspace::resource::effective::{Change, Effective, annotated};
use serde_json::Value;

use super::{Format, Outcome, Report, at};
use crate::output::render::Renderer;

pub(super) const FORMAT: Format = Format {
    name: "text",
    help: "For people: the objects as YAML, with comments",
    print,
};

/// The maximum number of fields to list in a sentence.
const MOST_FIELDS: usize = 5;

fn print(out: &mut dyn Write, columns: usize, report: &Report) -> io::Result<()> {
    let mut text = Text {
        out: &mut Terminal::new(out, false),
        renderer: Renderer::new(columns),
        to: &report.to,
    };
    for (n, outcome) in report.converted.iter().enumerate() {
        if n > 0 {
            text.out.line("---")?;
        }
        text.object(outcome, report.has_webhook)?;
    }
    if let Some(trips) = &report.trips {
        text.trips(&report.name, trips)?;
    }
    Ok(())
}

struct Text<'t, 'w> {
    out: &'t mut Terminal<'w>,
    renderer: Renderer,
    to: &'t str,
}

impl Text<'_, '_> {
    fn said(&mut self, indent: &str, text: &str) -> io::Result<()> {
        self.renderer.indented(self.out, indent, &format!("{indent}    "), text)
    }

    /// Prints text as YAML comments, so that the output stays valid YAML.
    fn comment(&mut self, text: &str) -> io::Result<()> {
        self.renderer.indented(self.out, "# ", "#     ", text)
    }

    fn object(&mut self, outcome: &Outcome, has_webhook: bool) -> io::Result<()> {
        self.comment(&format!("{}: {} → {}", outcome.name(), outcome.from(), self.to))?;
        let converted = match &outcome.result {
            Ok(converted) => converted,
            Err(failure) => return self.comment(&format!("error: {}", failure.0)),
        };
        for (path, value) in outcome.lost() {
            let value = value.map_or_else(String::new, |it| format!(": {it}"));
            self.comment(&format!("lost: {path}{value}"))?;
        }
        if !converted.not_defaulted.is_empty() {
            let fields: Vec<&Path> = converted.not_defaulted.iter().map(|it| &it.path).collect();
            self.comment(&format!(
                "note: {} declares a default for {}, but the API server applies defaults to objects from clients, not to converted objects",
                self.to,
                list(&fields)
            ))?;
        }
        if let Some(why) = &outcome.refusal {
            self.comment(&format!(
                "error: {} rejects this object when it is written back: {why}",
                self.to
            ))?;
        }
        let mut changes = Vec::new();
        if !has_webhook {
            let defaulted = converted
                .stored_changes
                .iter()
                .filter(|it| it.kind == ChangeKind::Defaulted);
            let kept = defaulted.filter(|it| at(&converted.object, &it.path).is_some());
            changes.extend(kept.map(|it| Change {
                path: it.path.clone(),
                kind: it.kind,
                before: None,
            }));
        }
        changes.extend(converted.pruned.iter().map(|it| Change {
            path: it.path.clone(),
            kind: it.kind,
            before: at(&converted.unpruned, &it.path).cloned(),
        }));
        for line in annotated(&Effective::of_changes(converted.object.clone(), changes)) {
            self.out.line(&line.text)?;
        }
        Ok(())
    }

    fn trips(&mut self, name: &str, trips: &RoundTrips) -> io::Result<()> {
        for finding in &trips.findings {
            self.finding(finding)?;
        }
        for version in &trips.without_objects {
            self.said("", &format!("note: no object of {version} was found: the version has no schema, or its rules reject every object that crd-analyzer tried"))?;
        }
        let count = trips.findings.len();
        let found = match count {
            0 => "nothing is lost".to_owned(),
            1 => "1 kind of loss".to_owned(),
            n => format!("{n} kinds of loss"),
        };
        self.said(
            "",
            &format!("{name}: converted {} objects there and back: {found}", trips.tried),
        )
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        let Finding { from, to, words, .. } = finding;
        let fields: Vec<&Path> = finding.fields.iter().collect();
        let fields = list(&fields);
        let sentence = match finding.kind {
            Kind::Failed => format!("{from} → {to}: the conversion returns no object: {words}"),
            Kind::ListFailed => format!("{from} → {to}: the API server rejects the answer for a list: {words}"),
            Kind::Unstable => {
                format!("{from} → {to}: two conversions of the same object differ in {fields}")
            }
            Kind::Pruned => format!("{from} → {to}: the webhook sets {fields}, which {to} does not have"),
            Kind::Lossy => format!("{from} → {to} → {from}: {fields} changes on the way there and back"),
            Kind::Refused => {
                format!("{from} → {to}: {to} rejects the converted object when it is written back: {words}")
            }
            Kind::NotDefaulted => format!(
                "{from} → {to}: {to} declares a default for {fields}, and the converted object does not have the field"
            ),
        };
        self.said("", &format!("{sentence} [{}]", finding.kind.name()))?;
        for object in &finding.objects {
            self.said("  ", &format!("object: {}", shown_object(object)))?;
        }
        let others: [(String, &Option<Value>); 2] = [
            (format!("in {to}"), &finding.converted),
            ("back".to_owned(), &finding.back),
        ];
        for (what, object) in others {
            if let Some(object) = object {
                self.said("  ", &format!("{what}: {}", shown_object(object)))?;
            }
        }
        self.out.blank()
    }
}

fn list(fields: &[&Path]) -> String {
    let mut shown: Vec<String> = fields.iter().take(MOST_FIELDS).map(|it| format!("`{it}`")).collect();
    if fields.len() > MOST_FIELDS {
        shown.push(format!("{} more", fields.len() - MOST_FIELDS));
    }
    shown.join(", ")
}
