//! The totals of a run.

use std::{cmp::Reverse, collections::BTreeMap, io, path::Path, time::Duration};

use crd_analyzer_io::print::Terminal;
use crd_analyzer_workspace::{
    codes,
    findings::finding::{Class, Finding, Severity},
    findings::report::{DocumentReport, Subject},
    index::GroupKind,
    sources,
};

use super::{
    File, Look,
    aside::{ExpectedErrors, TestDataCounts},
    counted,
    not_checked::NotChecked,
    render::Renderer,
    repeated::OfCopies,
};

/// The maximum width of a statistics row before the description of its code, in columns.
const MOST_OF_A_ROW: usize = 45;

/// The maximum number of baseline entries to list that no longer occur. The rest are counted.
const MOST_GONE: usize = 20;

/// The maximum number of kinds to list. The rest are counted.
const MOST_KINDS: usize = 10;

/// The maximum number of files or folders to list that were not built. The rest are counted.
const MOST_NOT_BUILT: usize = 10;

/// The number of fixes by kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Fixable {
    /// The number of diagnostics that `--fix` fixes.
    pub(crate) safe: usize,
    /// The number of further fixes for errors that appear only after the first fixes.
    pub(crate) later: usize,
    /// The number of diagnostics that only `--fix=unsafe` fixes.
    pub(crate) more: usize,
}

impl Fixable {
    /// Adds the numbers of another file.
    pub(crate) fn add(&mut self, other: Self) {
        self.safe += other.safe;
        self.later += other.later;
        self.more += other.more;
    }
}

/// Describes the patches that `--fix` does not change.
pub(crate) fn kept_patches(labels: &[String]) -> String {
    let mut named: Vec<&str> = labels.iter().take(MOST_NOT_BUILT).map(String::as_str).collect();
    let more = format!("{} more", labels.len().saturating_sub(MOST_NOT_BUILT));
    if labels.len() > MOST_NOT_BUILT {
        named.push(&more);
    }
    format!(
        "`--fix` does not change patches, because one patch may change several objects. Change by hand: {}",
        named.join(", ")
    )
}

/// The totals over all files.
#[derive(Clone, Default, Debug)]
pub(crate) struct Summary {
    pub(crate) files: usize,
    pub(crate) definitions: usize,
    pub(crate) resources: usize,
    /// The number of objects of built-in kinds.
    pub(crate) built_in: usize,
    /// The number of CRDs that another file or a template completes. Only the known part of such a CRD is checked.
    pub(crate) bases: usize,
    /// The number of partial CRDs, as in patches and assertions.
    pub(crate) patches: usize,
    /// The number of resources that another file completes. Only the known part of such a resource is checked.
    pub(crate) in_part: usize,
    /// The kinds without a CRD, with the number of objects of each.
    pub(crate) unknown: BTreeMap<GroupKind, usize>,
    /// Other documents and files that were not checked.
    pub(crate) not_checked: NotChecked,
    /// The number of diagnostics of each code that were left out because another resource of the same kind has the same diagnostic.
    pub(crate) repeated: BTreeMap<&'static str, usize>,
    /// The omitted diagnostics of copies of CRDs.
    pub(crate) of_copies: OfCopies,
    /// The number of errors that are only counted, because their files have too many.
    pub(crate) left_out: usize,
    /// The number of errors that the configuration or a comment hides.
    pub(crate) hidden_errors: usize,
    /// The errors in test data that is invalid on purpose.
    pub(crate) expected: ExpectedErrors,
    /// The diagnostics in test data.
    pub(crate) test_data: TestDataCounts,
    pub(crate) errors: usize,
    /// The number of errors that the API server reports only after other errors are fixed.
    pub(crate) later_errors: usize,
    pub(crate) warnings: usize,
    pub(crate) hints: usize,
    pub(crate) unreadable: usize,
    /// The number of diagnostics by code and severity.
    pub(crate) by_code: BTreeMap<(&'static str, &'static str), usize>,
    /// The number of files that are missing in the older revision. `None` without a revision.
    pub(crate) new: Option<usize>,
    /// The files that kustomizations change but that were checked as written.
    pub(crate) not_built: Vec<String>,
    /// The folders of kustomizations that could not be built in the older revision.
    pub(crate) not_built_before: Vec<String>,
    /// The results of the baseline.
    pub(crate) baseline: Option<BaselineSummary>,
    /// The number of fixes.
    pub(crate) fixable: Fixable,
    /// The number of applied fixes, and the number of changed files.
    pub(crate) fixed: Option<(usize, usize)>,
    /// The patches that have fixes which `--fix` does not apply.
    pub(crate) kept_patches: Vec<String>,
}

/// The results of applying a baseline.
#[derive(Clone, Default, Debug)]
pub(crate) struct BaselineSummary {
    /// The number of diagnostics that the baseline hides.
    pub(crate) known: usize,
    /// The baseline entries that no longer occur: the file, the code and the headline of each.
    pub(crate) gone: Vec<[String; 3]>,
    /// The number of new entries and of all entries. `None` if the baseline was not updated.
    pub(crate) written: Option<(usize, usize)>,
}

impl BaselineSummary {
    /// Describes the results in lines.
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some((new, all)) = self.written {
            let gone = self.gone.len();
            lines.push(format!(
                "the baseline lists {} now: {new} added, {gone} removed",
                counted(all, "diagnostic")
            ));
        } else if self.known > 0 {
            let are = if self.known == 1 { "is" } else { "are" };
            let known = counted(self.known, "diagnostic");
            lines.push(format!("{known} of the baseline {are} not shown"));
        }
        if self.gone.is_empty() {
            return lines;
        }
        if self.written.is_none() {
            let (occurs, it) = if self.gone.len() == 1 {
                ("occurs", "it")
            } else {
                ("occur", "them")
            };
            let gone = counted(self.gone.len(), "diagnostic");
            lines.push(format!(
                "{gone} of the baseline no longer {occurs}; `--update-baseline` removes {it}:"
            ));
        }
        for [file, code, headline] in self.gone.iter().take(MOST_GONE) {
            lines.push(format!("  {file}: [{code}] {headline}"));
        }
        if self.gone.len() > MOST_GONE {
            lines.push(format!("  and {} more", self.gone.len() - MOST_GONE));
        }
        lines
    }
}

impl Summary {
    /// Adds a file and its displayed diagnostics.
    pub(crate) fn add(&mut self, file: &File<'_>) {
        let report = file.report;
        self.files += 1;
        let objects = report.documents.iter().filter(|it| it.subject == Subject::Resource);
        let (built_in, resources): (Vec<_>, Vec<_>) = objects.partition(|it| it.is_built_in());
        let (built_in, resources) = (built_in.len(), resources.len());
        self.built_in += built_in;
        self.resources += resources;
        let partial = report.documents.iter().filter(|it| it.subject == Subject::PartialCrd);
        let (completed, patches): (Vec<_>, Vec<_>) = partial.partition(|it| it.is_filled_in || file.is_base);
        let patches = patches.len();
        self.bases += completed.len();
        let is_resource = |it: &&DocumentReport| it.in_part && it.subject == Subject::Resource && !it.is_built_in();
        self.in_part += report.documents.iter().filter(is_resource).count();
        self.patches += patches;
        for kind in &report.unknown {
            *self.unknown.entry(kind.clone()).or_default() += 1;
        }
        for document in &report.unchecked {
            self.not_checked.add(file.label, document);
        }
        // CRDs generated from source files are counted elsewhere.
        if sources::of(Path::new(file.label)).is_none() {
            self.definitions += report.documents.len() - resources - built_in - patches;
        }
        let hidden = file
            .hidden
            .iter()
            .map(|it| it.by_configuration + it.by_comments + it.by_baseline);
        self.hidden_errors += hidden.sum::<usize>();
        self.left_out += report.left_out();
        self.expected.add(file.label, file.expected);
        self.test_data.add(file);
        let shown = file.shown.iter().flatten().map(|it| &it.finding);
        for finding in shown.chain(&file.findings) {
            self.count(finding);
        }
    }

    fn count(&mut self, finding: &Finding) {
        *self.by_code.entry((finding.code, finding.word())).or_default() += 1;
        *match (finding.class, finding.severity) {
            (Class::LaterError, _) => &mut self.later_errors,
            (_, Severity::Error) => &mut self.errors,
            (_, Severity::Warning) => &mut self.warnings,
            (_, Severity::Information | Severity::Hint) => &mut self.hints,
        } += 1;
    }

    /// Prints the number of diagnostics for each code and the totals, as `look` requests.
    pub(super) fn print(&self, out: &mut Terminal<'_>, look: &Look, elapsed: Duration) -> io::Result<()> {
        let renderer = Renderer::new(look.columns);
        if look.statistics {
            self.statistics(out, renderer)?;
        }
        if look.summary {
            if look.statistics && !self.by_code.is_empty() {
                out.blank()?;
            }
            self.sums(out, renderer, elapsed)?;
        }
        Ok(())
    }

    /// Prints a row for each code, with the most frequent code first.
    fn statistics(&self, out: &mut Terminal<'_>, renderer: Renderer) -> io::Result<()> {
        let mut rows: Vec<_> = self
            .by_code
            .iter()
            .map(|(&(code, word), &count)| (count, code, word))
            .collect();
        rows.sort_by_key(|&(count, code, word)| (Reverse(count), code, word));
        let named: Vec<String> = rows.iter().map(|(_, code, word)| format!("{word}[{code}]")).collect();
        let digits = rows.iter().map(|it| it.0.to_string().len()).max().unwrap_or(0);
        let longest = named.iter().map(String::len).max().unwrap_or(0);
        for ((count, code, _), named) in rows.iter().zip(&named) {
            let about = codes::find(code).map_or("", |it| it.summary);
            let first = format!("{count:>digits$}  {named:longest$}  ");
            let rest = " ".repeat(first.len());
            if first.len() <= MOST_OF_A_ROW {
                renderer.indented(out, &first, &rest, about)?;
            } else {
                // If the row and the description are too wide for one line, the description is printed below the code.
                let below = " ".repeat(digits + 4);
                renderer.text(out, first.trim_end())?;
                renderer.indented(out, &below, &below, about)?;
            }
        }
        Ok(())
    }

    /// Describes the objects that were not checked because their CRD is unknown.
    fn unknown_kinds(&self) -> Option<String> {
        let objects: usize = self.unknown.values().sum();
        let what = match objects {
            0 => return None,
            1 => "1 object is not checked, because no CRD here defines its kind".to_owned(),
            _ => format!("{objects} objects are not checked, because no CRD here defines their kinds"),
        };
        let (crds, them) = if self.unknown.len() == 1 {
            ("its CRD", "it")
        } else {
            ("their CRDs", "them")
        };
        let mut kinds: Vec<_> = self.unknown.iter().collect();
        kinds.sort_by_key(|&(kind, count)| (Reverse(*count), kind));
        let name = |(kind, count): &(&GroupKind, &usize)| match count {
            1 => format!("{} ({})", kind.kind, kind.group),
            _ => format!("{count} {} ({})", kind.kind, kind.group),
        };
        let mut named: Vec<String> = kinds.iter().take(MOST_KINDS).map(name).collect();
        if kinds.len() > MOST_KINDS {
            named.push(counted(kinds.len() - MOST_KINDS, "more kind"));
        }
        Some(format!(
            "{what}: {}. Add {crds} to the repository with `crd-analyzer crds add`, or name {them} with --crd",
            named.join(", ")
        ))
    }

    /// Describes the kustomizations that were not built.
    fn not_built_words(&self) -> Vec<String> {
        let listed = |names: &[String]| {
            let mut named: Vec<String> = names.iter().take(MOST_NOT_BUILT).cloned().collect();
            if names.len() > MOST_NOT_BUILT {
                named.push(format!("{} more", names.len() - MOST_NOT_BUILT));
            }
            named.join(", ")
        };
        let are = |count: usize| if count == 1 { "is" } else { "are" };
        let mut words = Vec::new();
        let (now, before) = (&self.not_built, &self.not_built_before);
        if !now.is_empty() {
            let files = counted(now.len(), "file");
            let are = are(now.len());
            words.push(format!(
                "{files} {are} judged as written, not as kustomize builds: {}",
                listed(now)
            ));
        }
        if !before.is_empty() {
            let kustomizations = counted(before.len(), "kustomization");
            let are = are(before.len());
            words.push(format!(
                "{kustomizations} {are} not built from the revision, and objects are compared with its files as written: {}",
                listed(before)
            ));
        }
        words
    }

    /// Describes what `--fix` has done.
    fn fixed_words(&self) -> Option<String> {
        let is_clean = self.errors + self.later_errors + self.warnings + self.hints == 0;
        match self.fixed? {
            (0, _) if is_clean || !self.kept_patches.is_empty() || self.fixable != Fixable::default() => None,
            (0, _) => Some("`--fix` changes nothing: no diagnostic has an unambiguous fix".to_owned()),
            (fixes, files) => Some(format!(
                "applied {} to {}",
                counted(fixes, "fix"),
                counted(files, "file")
            )),
        }
    }

    /// Describes the number of diagnostics that have a fix.
    fn fixable_words(&self) -> Option<String> {
        let Fixable { safe, later, more } = self.fixable;
        let then = match later {
            0 => String::new(),
            1 => ", and 1 more that appears then".to_owned(),
            later => format!(", and {later} more that appear then"),
        };
        Some(match (safe, more) {
            (0, 0) => return None,
            (safe, 0) => format!("`--fix` repairs {}{then}", counted(safe, "diagnostic")),
            (0, more) => format!("`--fix=unsafe` repairs {}, and drops text", counted(more, "diagnostic")),
            (safe, more) => format!(
                "`--fix` repairs {}{then}, and `--fix=unsafe` {more} more, which drops text",
                counted(safe, "diagnostic")
            ),
        })
    }

    fn sums(&self, out: &mut Terminal<'_>, renderer: Renderer, elapsed: Duration) -> io::Result<()> {
        let mut parts = vec![
            counted(self.files, "file"),
            counted(self.definitions, "CRD"),
            counted(self.errors, "error"),
            counted(self.warnings, "warning"),
            counted(self.hints, "hint"),
        ];
        if self.bases > 0 {
            parts[1] = format!("{} ({} checked in part)", parts[1], self.bases);
        }
        if let Some(new) = self.new.filter(|it| *it > 0) {
            parts[0] = format!("{} ({new} new)", parts[0]);
        }
        if self.later_errors > 0 {
            parts.insert(3, format!("{} after fixing these", self.later_errors));
        }
        if let Some(errors) = parts.get_mut(2).filter(|_| self.hidden_errors > 0) {
            *errors = format!("{errors} ({} suppressed)", self.hidden_errors);
        }
        let mut objects = Vec::new();
        if self.patches > 0 {
            objects.push(match self.patches {
                1 => "1 part of a CRD".to_owned(),
                all => format!("{all} parts of CRDs"),
            });
        }
        match (self.resources, self.in_part) {
            (0, _) => {}
            (all, 0) => objects.push(counted(all, "CR")),
            (all, in_part) => objects.push(format!("{} ({in_part} checked in part)", counted(all, "CR"))),
        }
        if self.built_in > 0 {
            objects.push(counted(self.built_in, "built-in object"));
        }
        parts.splice(2..2, objects);
        if !self.repeated.is_empty() {
            let codes = self
                .repeated
                .iter()
                .map(|(code, count)| format!("{count} more `{code}`"));
            let codes: Vec<String> = codes.collect();
            let words = format!("{} like those above, in other resources or files", codes.join(" and "));
            renderer.text(out, &words)?;
        }
        if self.left_out > 0 {
            let words = format!(
                "{} not shown, because there are too many in one file",
                match self.left_out {
                    1 => "1 more error is".to_owned(),
                    count => format!("{count} more errors are"),
                }
            );
            renderer.text(out, &words)?;
        }
        if let Some(words) = self.of_copies.words() {
            renderer.text(out, &words)?;
        }
        if let Some(words) = self.unknown_kinds() {
            renderer.text(out, &words)?;
        }
        if let Some(words) = self.not_checked.words() {
            renderer.text(out, &words)?;
        }
        for words in self.not_built_words() {
            renderer.text(out, &words)?;
        }
        if let Some(words) = self.fixed_words() {
            renderer.text(out, &words)?;
        }
        if !self.kept_patches.is_empty() {
            renderer.text(out, &kept_patches(&self.kept_patches))?;
        }
        if let Some(words) = self.fixable_words() {
            renderer.text(out, &words)?;
        }
        let baseline = self.baseline.iter().flat_map(BaselineSummary::lines);
        for words in baseline {
            renderer.text(out, &words)?;
        }
        if let Some(words) = self.expected.words() {
            renderer.text(out, &words)?;
        }
        if let Some(words) = self.test_data.words() {
            renderer.text(out, &words)?;
        }
        if self.unreadable > 0 {
            parts.push(format!("{} unreadable", self.unreadable));
        }
        let all = format!("{} in {} ms", parts.join(", "), elapsed.as_millis());
        renderer.text(out, &all)
    }
}
