//! Go files with API types: checks the kubebuilder markers in them.

use std::{
    collections::HashSet,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_gosource::{
    Module,
    check::{
        self, Finding as Marker, Known, Problem, Same, catalog::Release, comments::Comments, declared::Declared,
        invalid::Invalid,
    },
    fit,
};
use crd_analyzer_schema::codes::UNDEFINED_FIELD;
use crd_analyzer_syntax::tree::Span;

use crate::{
    codes,
    documents::spans,
    findings::finding::{Class, Finding, Related, Severity},
    findings::report::FileReport,
    findings::suppress::{self, Form},
    judging::question::Question,
    sources::generated::GoSources,
    words::{self, Words, meant::meant},
};

pub use crd_analyzer_gosource::is_source;

/// Whether a file is a Go file.
pub fn is_go(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "go")
}

/// The context for checking the markers of a Go file.
#[derive(Clone, Debug)]
pub struct Markers {
    /// The release of controller-gen that the project uses.
    pub release: Release,
    /// The markers that are for other tools that the project uses.
    pub declared: Declared,
    /// The absolute path of the file.
    pub path: PathBuf,
    /// The Go repository that contains the file.
    pub module: Option<Arc<Module>>,
}

impl Markers {
    /// The context for the file at a path. `declared` has the markers that the configuration declares.
    pub fn of(path: &Path, go: Option<&dyn GoSources>, declared: Option<&Declared>) -> Self {
        let module = go.and_then(|it| it.around(path));
        Self {
            release: module
                .as_ref()
                .and_then(|it| it.controller_gen())
                .unwrap_or(Release::NEWEST),
            declared: declared.cloned().unwrap_or_default(),
            path: path.to_owned(),
            module,
        }
    }

    /// The comments in a text of the file, each with the declaration that its markers belong to.
    pub fn comments(&self, text: &Arc<str>) -> Arc<Comments> {
        let known = self.module.as_ref().and_then(|it| it.comments(&self.path, text));
        known.unwrap_or_else(|| Arc::new(check::read(text)))
    }

    /// The problems of the markers in a text that has these comments.
    pub fn find(&self, text: &str, comments: &Comments) -> Vec<Marker> {
        let known = Known {
            release: self.release,
            declared: &self.declared,
            meant: |name, known| meant(name, known),
        };
        let find = || {
            let mut found = check::find(text, comments, &known);
            let refused = found.iter().filter(|it| matches!(it.problem, Problem::Refused { .. }));
            let refused: HashSet<usize> = refused.map(|it| line_of(text, it.span.start)).collect();
            // If the arguments of a marker cannot be parsed, don't report as well that the marker does not fit the type.
            let fitting = fit::find(comments, &self.path, self.module.as_deref(), &known);
            found.extend(
                fitting
                    .into_iter()
                    .filter(|it| !refused.contains(&line_of(text, it.span.start))),
            );
            found.sort_by_key(|it| it.span.start);
            found
        };
        budget::within(Limits::ADVICE, find).0
    }
}

/// The report on the markers of a Go file.
pub(crate) fn report(text: &Arc<str>, path: &Path, question: &Question<'_>) -> FileReport {
    let mut report = FileReport::empty(text.clone());
    let markers = Markers::of(path, question.around.go, question.around.markers);
    let comments = markers.comments(text);
    let found = markers.find(text, &comments);
    if let Some(part) = comments.invalid.as_ref().filter(|_| !question.wants.is_edited) {
        // Whatever else is found may follow from the mistake.
        report.findings.push(invalid(text, part));
        return report;
    }
    let mut findings: Vec<Finding> = found.iter().map(finding).collect();
    let lines: Vec<Span> = comments.lines.iter().map(span).collect();
    let hints = suppress::apply(text, Form::Go, &lines, findings.iter_mut());
    findings.retain(|it| !it.suppressed);
    findings.extend(hints);
    findings.sort_by_key(|it| it.span.start);
    report.findings = findings;
    report
}

/// The error about the first part of a file that is not valid Go.
fn invalid(text: &str, part: &Invalid) -> Finding {
    let mut finding = Finding::new(Class::Hint, codes::INVALID_GO, Span::default(), "");
    finding.severity = Severity::Error;
    // The parser may find out late, so the place is the first line of what it cannot read.
    finding.span = spans::first_line(text, span(part.span()));
    let words = Words::new("controller-gen fails: the file is not valid Go");
    let words = match part {
        Invalid::Tag(_) => words
            .label("the tag does not end on this line")
            .help("add a backquote at the end of the tag"),
        Invalid::Part(_) => words
            .label("the first part that is not Go")
            .help("`go vet` says what is wrong: the mistake may be a little earlier"),
    };
    words::put(&mut finding, words);
    finding
}

/// Applies suppression comments to the reports on CRDs that are generated from the types of a Go file. Leaves out that a CRD is older than a field or
/// type whose marker has an error.
pub(crate) fn silence(report: &mut FileReport) {
    if report.findings.iter().any(|it| it.code == codes::INVALID_GO) {
        report.documents.clear();
        report.findings.retain(|it| it.code == codes::INVALID_GO);
        return;
    }
    leave_out_beside_problems(report);
    leave_out_what_follows(report);
    let text = report.text.clone();
    if !suppress::may_be_in(&text) {
        return;
    }
    let lines: Vec<Span> = check::read(&text).lines.iter().map(span).collect();
    let verdicts = report.documents.iter_mut().flat_map(|it| &mut it.verdicts);
    let of_documents = verdicts.flat_map(|it| it.1.findings_mut());
    let hints = suppress::apply(&text, Form::Go, &lines, of_documents.chain(&mut report.findings));
    let unused: HashSet<Span> = hints.iter().map(|it| it.span).collect();
    let is_unused = |it: &Finding| it.code == codes::UNUSED_SUPPRESSION && !unused.contains(&it.span);
    report.findings.retain(|it| !it.suppressed && !is_unused(it));
}

/// Removes the findings about older CRDs at fields and types that have another problem. A CRD can only follow when the markers are right.
fn leave_out_beside_problems(report: &mut FileReport) {
    let verdicts = || report.documents.iter().flat_map(|it| &it.verdicts);
    let of_crds = || verdicts().flat_map(|it| it.1.findings());
    if !of_crds().any(|it| it.code == codes::STALE_CRD) {
        return;
    }
    let errors = of_crds().filter(|it| it.severity == Severity::Error);
    let of_markers = report.findings.iter();
    let of_markers = of_markers.filter(|it| matches!(it.severity, Severity::Error | Severity::Warning));
    let mut problems: Vec<u32> = errors.chain(of_markers).map(|it| it.span.start).collect();
    problems.sort_unstable();
    let text = report.text.clone();
    let stays = |it: &mut Finding| {
        let around = with_comments(&text, it.span);
        let first = problems.partition_point(|it| *it < around.start);
        it.code != codes::STALE_CRD || problems.get(first).is_none_or(|it| *it >= around.end)
    };
    let verdicts = report.documents.iter_mut().flat_map(|it| &mut it.verdicts);
    verdicts.for_each(|(_, verdict)| verdict.retain_mut(stays));
}

/// Removes the errors of the API server that follow from an error of controller-gen: those about the same marker, and those about rules that read a
/// field for which controller-gen fails, because the manifest does not have it.
fn leave_out_what_follows(report: &mut FileReport) {
    let errors = report.findings.iter().filter(|it| it.severity == Severity::Error);
    let text = report.text.clone();
    let line = |it: &Finding| line_of(&text, it.span.start as usize);
    let is_marker = |it: &&Finding| matches!(it.code, codes::INVALID_MARKER | codes::MISMATCHED_MARKER);
    let markers: HashSet<usize> = errors.clone().filter(is_marker).map(line).collect();
    let is_refused = errors.clone().any(|it| it.code == codes::GO_TYPE_REFUSED);
    if markers.is_empty() && !is_refused {
        return;
    }
    let stays = |it: &mut Finding| {
        let follows = is_refused && it.code == UNDEFINED_FIELD || markers.contains(&line(it));
        !(matches!(it.class, Class::Error | Class::LaterError) && follows)
    };
    let verdicts = report.documents.iter_mut().flat_map(|it| &mut it.verdicts);
    verdicts.for_each(|(_, verdict)| verdict.retain_mut(stays));
}

/// The lines of a field or type together with the comments above it. The span may be in one of the comments.
fn with_comments(text: &str, span: Span) -> Span {
    let is_comment = |line: &str| line.trim_start().starts_with("//");
    let (before, after) = text.split_at(span.start as usize);
    let own = before.rfind('\n').map_or(0, |it| it + 1);
    let above = before[..own]
        .split_inclusive('\n')
        .rev()
        .take_while(|it| is_comment(it));
    let start = own - above.map(str::len).sum::<usize>();
    let is_in_comment = is_comment(&text[own..]);
    let mut end = before.len();
    for (n, line) in after.split_inclusive('\n').enumerate() {
        end += line.len();
        if !(is_comment(line) || n == 0 && is_in_comment) {
            break;
        }
    }
    Span::new(start as u32, end as u32)
}

/// The start of the line that contains an offset.
fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |it| it + 1)
}

fn span(range: &Range<usize>) -> Span {
    Span::new(range.start as u32, range.end as u32)
}

/// The code of a problem with a marker.
pub const fn code(problem: &Problem) -> &'static str {
    match problem {
        Problem::Unknown { .. } | Problem::Newer { .. } | Problem::WithoutPlus { .. } => codes::UNKNOWN_MARKER,
        Problem::Misplaced { .. } | Problem::NoKind { .. } => codes::MISPLACED_MARKER,
        Problem::Refused { .. } => codes::INVALID_MARKER,
        Problem::Repeated { .. } | Problem::Contradicts { .. } | Problem::Skipped { .. } => codes::REPEATED_MARKER,
        Problem::Mismatched { .. } => codes::MISMATCHED_MARKER,
        Problem::Quotes { .. } => codes::MARKER_QUOTES,
        Problem::SameName { .. } => codes::REPEATED_JSON_NAME,
        Problem::Misread { .. } => codes::MISREAD_MARKER,
        Problem::Tagged(_) => codes::MALFORMED_JSON_TAG,
    }
}

fn finding(marker: &Marker) -> Finding {
    let severity = match &marker.problem {
        // It does not affect the CRD, and the project may not run the other generator.
        Problem::Refused { name, .. } if check::optional_generator(name).is_some() => Severity::Warning,
        Problem::Refused { .. } | Problem::Mismatched { .. } => Severity::Error,
        Problem::Repeated { is_same: true, .. }
        | Problem::SameName {
            same: Same::Inside { .. },
            ..
        } => Severity::Information,
        _ => Severity::Warning,
    };
    let mut finding = Finding::new(Class::Hint, code(&marker.problem), span(&marker.span), "");
    finding.severity = severity;
    if let Problem::Repeated { first, .. }
    | Problem::Contradicts { first, .. }
    | Problem::Skipped { first, .. }
    | Problem::SameName {
        same: Same::Beside { first } | Same::Embedded { first },
        ..
    } = &marker.problem
    {
        finding.related.push(Related {
            span: span(first),
            message: match &marker.problem {
                Problem::Skipped { .. } => "needs the version",
                _ => "the first one is here",
            }
            .to_owned(),
            file: None,
        });
    }
    words::put(&mut finding, words::markers::words(&marker.problem));
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::versions::VersionSet;

    fn codes_of(text: &str) -> Vec<&'static str> {
        let question = Question::new(VersionSet::default());
        let report = report(&text.into(), Path::new("/a_types.go"), &question);
        report.findings.iter().map(|it| it.code).collect()
    }

    fn field(lines: &str) -> String {
        format!("package v1\n\ntype A struct {{\n{lines}\tB int `json:\"b\"`\n}}\n")
    }

    #[test]
    fn a_misspelt_argument_is_told_with_the_one_that_is_meant() {
        let question = Question::new(VersionSet::default());
        let help = |arguments: &str| {
            let text = format!("package a\n\n// +kubebuilder:printcolumn:{arguments}\ntype A struct{{}}\n");
            let report = report(&text.as_str().into(), Path::new("/a_types.go"), &question);
            report.findings.first().map(|it| it.help.join("|"))
        };
        for (arguments, expected) in [
            ("name=a,type=integer,JsonPath=`.a`", "change `JsonPath` to `JSONPath`"),
            ("name=a,typ=integer,JSONPath=`.a`", "change `typ` to `type`"),
            // The argument that is meant is there already.
            (
                "name=a,type=integer,JSONPath=`.a`,typ=integer",
                "remove it, or correct its name",
            ),
            (
                "name=a,type=integer,JSONPath=`.a`,color=red",
                "remove it, or correct its name",
            ),
        ] {
            assert_eq!(help(arguments).as_deref(), Some(expected), "{arguments}");
        }
    }

    #[test]
    fn comments_silence_findings() {
        let marker = "\t// +kubebuilder:nothing\n";
        assert_eq!(codes_of(&field(marker)), [codes::UNKNOWN_MARKER]);
        let ignore = "\t// +crd-analyzer: ignore[unknown-marker] a test\n";
        assert_eq!(codes_of(&field(&[ignore, marker].concat())), [] as [&str; 0]);
        assert_eq!(codes_of(&field(ignore)), [codes::UNUSED_SUPPRESSION]);
        let of_file = ignore.trim_start().replace("ignore[", "ignore-file[");
        assert_eq!(codes_of(&[of_file, field(marker)].concat()), [] as [&str; 0]);
    }

    #[test]
    fn comments_belong_to_what_is_below() {
        let text = "type A struct {\n\tA int\n\t// one\n\t// two\n\tB int\n\t// three\n\tC int\n}\n";
        let of = |word: &str| {
            let at = text.find(word).expect("a word") as u32;
            text[with_comments(text, Span::new(at, at + 1)).range()].to_owned()
        };
        for word in ["one", "two", "B int"] {
            assert_eq!(of(word), "\t// one\n\t// two\n\tB int\n", "{word}");
        }
        assert_eq!(of("A int"), "\tA int\n");
        assert_eq!(of("}"), "}\n");
    }

    #[test]
    fn many_findings_take_no_longer_than_many_lines() {
        // If the work were quadratic, each of these would take minutes.
        for marker in ["optional", "kubebuilder:n", "kubebuilder:validation:MaxLenght"] {
            let line = format!("\t// +{marker}\n");
            let count = 300_000 / line.len();
            assert!(codes_of(&field(&line.repeat(count))).len() > count / 2);
        }
    }
}
