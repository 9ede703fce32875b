//! Templates of Helm charts that are not YAML because of a line that the author wrote. Helm cannot render them, whatever their actions print.

use std::collections::BTreeMap;

use crd_analyzer_syntax::{reader::ReadError, split::Document};

use crate::{
    codes,
    config::versions::VersionSet,
    documents::head,
    documents::text::Text,
    filled_in::fill::{fill_around, has_no_blocks, is_literal},
    findings::report::{DocumentReport, FileReport, Subject, Unchecked},
    judging::{passed_over, unfinished::line_at, verdict},
};

/// The maximum number of errors of a template that are looked at. Helm reports only the first.
const MOST: usize = 16;

/// The documents of a template that are not YAML, by their index.
#[derive(Default)]
pub(crate) struct Broken {
    found: BTreeMap<u32, (DocumentReport, ReadError)>,
    /// The number of errors that were looked at.
    seen: usize,
    /// The number of documents that are not YAML if all blocks are unknown. They may be counted as templates that are not checked.
    unread: usize,
}

impl Broken {
    /// Finds the documents that are not YAML in a template with its actions filled in and its blocks unknown.
    pub(crate) fn find_without_blocks(&mut self, template: &str, filled: &str) {
        self.find(template, filled);
        self.unread = self.found.len();
    }

    /// Finds the documents that are not YAML in a template with its actions filled in.
    pub(crate) fn find(&mut self, template: &str, filled: &str) {
        let filled = Text::whole(filled.into());
        for document in &filled.documents().documents {
            let Err(error) = filled.check(*document) else {
                continue;
            };
            self.seen += 1;
            let is_manifest = || passed_over::shows_manifest(&filled.content[document.span.range()]);
            if self.seen <= MOST
                && !self.found.contains_key(&document.index)
                && is_manifest()
                && is_certain(template, &error)
            {
                self.found.insert(document.index, (report(&filled, *document), error));
            }
        }
    }

    /// Adds the errors to the report on the template. They replace the other results of these documents.
    pub(crate) fn tell(self, report: &mut FileReport, versions: VersionSet) {
        let mut counted = self.unread;
        report.unchecked.retain(|it| {
            *it != Unchecked::Template || {
                let is_told = counted > 0;
                counted = counted.saturating_sub(1);
                !is_told
            }
        });
        for (mut broken, error) in self.found.into_values() {
            broken.verdicts = versions.iter().map(|it| (it, verdict::not_cut(&error))).collect();
            let span = broken.span;
            let is_in = |start: u32| span.start <= start && start < span.end;
            report
                .findings
                .retain(|it| it.code != codes::TEMPLATE || !is_in(it.span.start));
            report.documents.retain(|it| it.index != broken.index);
            let at = report.documents.partition_point(|it| it.index < broken.index);
            report.documents.insert(at, broken);
        }
    }
}

/// The report on a document without what is wrong with it.
fn report(filled: &Text, document: Document) -> DocumentReport {
    let written = head::read(filled, document);
    let subject = if written.is_crd() {
        Subject::Definition
    } else {
        Subject::Resource
    };
    DocumentReport::of_head(document.index, document.span, &written, subject)
}

/// Whether a template is not YAML for this reason, whatever its actions print: the line is also wrong if the actions print nothing.
fn is_certain(template: &str, error: &ReadError) -> bool {
    let place = error.span.range();
    // An action may have longer characters than what replaces it.
    if template.get(place.clone()).is_none() {
        return false;
    }
    let around = error
        .context
        .as_ref()
        .filter(|it| it.text.contains("quoted") || it.text.contains("flow"));
    if !is_literal(template, place.clone())
        || around.is_some_and(|it| !has_no_blocks(template, it.span.start as usize..place.end))
    {
        return false;
    }
    let Some(alone) = fill_around(template, place.start) else {
        return false;
    };
    let alone = Text::whole(alone.text.into());
    let mut errors = alone
        .documents()
        .documents
        .iter()
        .filter_map(|it| alone.check(*it).err());
    errors.any(|it| it.problem == error.problem && line(template, it.span.start) == line(template, error.span.start))
}

/// The offset at which the line of an offset starts.
fn line(text: &str, offset: u32) -> usize {
    line_at(text, offset as usize).start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filled_in::fill::{Readings, fill};

    /// Checks the lines of the errors that are found in a template.
    #[track_caller]
    fn check(template: &str, expected: &[&str]) {
        let mut broken = Broken::default();
        if let Some(filled) = fill(template) {
            broken.find(template, &filled.text);
        }
        for reading in Readings::of(template).iter().flat_map(Readings::all) {
            broken.find(template, &reading.filled.text);
        }
        let found = broken.found.values();
        let lines = found.map(|it| {
            template[line(template, it.1.span.start)..]
                .lines()
                .next()
                .unwrap_or_default()
        });
        assert_eq!(lines.collect::<Vec<_>>(), expected, "{template}");
    }

    const HEAD: &str = "kind: Widget\nmetadata:\n  name: {{ .x }}\n";

    #[test]
    fn lines_of_the_author_that_are_not_yaml_are_found() {
        let labels = "  labels:\n    {{- include \"l\" . | nindent 4 }}\n";
        for (rest, line) in [
            ("spec:\n\tsize: 1\n", "\tsize: 1"),
            (
                "spec:\n\tsize: {{ include \"x\" . }}\n",
                "\tsize: {{ include \"x\" . }}",
            ),
            ("spec\n  size: 1\n", "spec"),
            ("spec:\n  a: 1\n   b: 2\n", "   b: 2"),
            ("spec:\n  a: {{ .x }}\n   b: {{ .y }}\n", "   b: {{ .y }}"),
            ("spec:\n  a {{ .x }}\n  b: 1\n", "  a {{ .x }}"),
            ("spec:\n    a: 1\n  b: 2\n", "  b: 2"),
            ("spec:\n  a: \"b\n", "  a: \"b"),
            ("spec:\n  {{- if .x }}\n  a: 1\n   b: 2\n  {{- end }}\n", "   b: 2"),
        ] {
            check(&format!("{HEAD}{labels}{rest}"), &[line]);
        }
        check(&format!("{HEAD}---\n{HEAD}spec\n---\n{HEAD}a: @\n"), &["spec", "a: @"]);
    }

    #[test]
    fn what_an_action_may_repair_is_not_found() {
        for rest in [
            "spec:\n  {{ include \"x\" . }}\n    a: 1\n   b: 2\n",
            "spec:\n  a: {{ include \"x\" . }}\n    b: 1\n",
            "  labels:\n    {{- include \"l\" . | nindent 4 }}\n   annotations:\n    a: b\n",
            "spec:\n  {{ if .x }}\n  a: 1\n  {{ else }}\n    b: 1\n  {{ end }}\n    c: 1\n",
            "spec:\n  a: \"b\n  {{ if .x }}\n  \"\n  {{ else }}\n  c\"\n  {{ end }}\n",
            "data:\n  a: |\n    {{- $y := .x }}\n    b: {{ $y }}\n",
        ] {
            check(&format!("{HEAD}{rest}"), &[]);
        }
        // Not a manifest.
        check("a: {{ .x }}\n  b: 1\n", &[]);
    }

    #[test]
    fn actions_may_have_long_characters() {
        let written = "é".repeat(700);
        for rest in [
            format!("{{{{ \"{written}\" }}}}: b\nspec\n"),
            format!("a: b{{{{ \"{written}\" }}}}: c\n"),
            format!("\"a{{{{ \"{written}\" }}}}\n"),
        ] {
            let template = format!("{HEAD}{rest}");
            let filled = fill(&template).expect("it has actions");
            Broken::default().find(&template, &filled.text);
        }
    }

    #[test]
    fn a_template_with_very_many_broken_documents_is_read_in_time() {
        let many = format!("{HEAD}spec\n---\n").repeat(20_000);
        let filled = fill(&many).expect("it has actions");
        let mut broken = Broken::default();
        broken.find(&many, &filled.text);
        assert_eq!(broken.found.len(), MOST);
    }
}
