//! Checks markers with one mistake each: the diagnostic, its position, and the file after the first fix. controller-gen 0.21 and 0.23 fail on a
//! marker exactly if its code is an error.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_gosource::{Folders, Module};
use crd_analyzer_ide::{
    fixes::{Problem, apply},
    language,
};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    judging::analysis::{Around, Question, analyze},
    sources::generated::GoSources,
};

/// Each line has the position of the marker (at a field, type or kind), the type there, the marker, the code, the marked text, and the marker after
/// the fix, if there is a fix. `⇥` is a tab, and `
/// ` separates markers.
const TABLE: &str = include_str!("broken_markers.tsv");

const PATH: &str = "/api/v1/widget_types.go";

/// A file with markers at a field, a type or a kind.
fn file(at: &str, of: &str, markers: &[&str]) -> String {
    let lines = |indent: &str| -> String {
        let lines = markers.iter().map(|it| format!("{indent}// +{it}\n"));
        lines.collect::<Vec<_>>().concat()
    };
    let (of_kind, spec) = match at {
        "field" => {
            let fields = format!("{}\tF {of} `json:\"f\"`\n", lines("\t"));
            (String::new(), format!("type Spec struct {{\n{fields}}}\n"))
        }
        "type" => {
            let own = format!("{}type T {of}\n\n", lines(""));
            (String::new(), own + "type Spec struct {\n\tF T `json:\"f\"`\n}\n")
        }
        _ => (lines(""), "type Spec struct {\n\tF string `json:\"f\"`\n}\n".to_owned()),
    };
    format!(
        "// +groupName=example.com\npackage v1\n\n\
         import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n{spec}\n{of_kind}type Widget struct {{\n\
         \tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\
         \tSpec Spec `json:\"spec,omitempty\"`\n}}\n"
    )
}

/// The markers of a file, except those of its package, in the notation of the table.
fn markers(text: &str) -> String {
    let lines = text.lines().skip(1);
    let found = lines.filter_map(|it| it.split_once("// +"));
    let found: Vec<&str> = found.map(|it| it.1).collect();
    found.join("⏎")
}

/// A Go module with a single file.
struct Folder(String);

impl Folders for Folder {
    fn list(&self, folder: &Path) -> Vec<(String, bool)> {
        let mut parts = Path::new(PATH).strip_prefix(folder).into_iter().flat_map(Path::iter);
        let name = parts.next().map(|it| it.display().to_string());
        name.into_iter().map(|it| (it, parts.next().is_some())).collect()
    }

    fn read(&self, file: &Path) -> Option<String> {
        (file == Path::new(PATH)).then(|| self.0.clone())
    }
}

struct Go(Arc<Module>);

impl GoSources for Go {
    fn around(&self, _: &Path) -> Option<Arc<Module>> {
        Some(self.0.clone())
    }
}

/// The last cells of a table row: the code, the marked text, and the markers after the first fix.
fn told(text: &str) -> [String; 3] {
    let go = Go(Module::new(PathBuf::from("/"), Arc::new(Folder(text.to_owned()))).into());
    let around = Around {
        go: Some(&go),
        ..Around::default()
    };
    let question = Question {
        path: Some(Path::new(PATH)),
        around,
        ..Question::new(VersionSet::default())
    };
    let report = analyze(text.as_bytes().to_vec(), &question);
    let [finding] = report.findings.as_slice() else {
        return [
            format!("{} findings", report.findings.len()),
            String::new(),
            String::new(),
        ];
    };
    let language = language::of(Path::new(PATH), around).expect("Go");
    let whole = Span::new(0, text.len() as u32);
    let repairs = language.repairs(text, vec![Problem::from(finding)], whole);
    let after = repairs.first().and_then(|it| apply(text, &it.edits));
    let after = after.map(|it| markers(&it));
    let marked = &text[finding.span.range()];
    [finding.code.to_owned(), marked.to_owned(), after.unwrap_or_default()]
}

#[test]
fn each_mistake_is_told_at_its_place() {
    let mut found = String::new();
    for row in TABLE.lines() {
        let cells: Vec<&str> = row.split('\t').collect();
        let written = cells[2].replace('⇥', "\t");
        let written: Vec<&str> = written.split('⏎').collect();
        let [code, marked, after] = told(&file(cells[0], cells[1], &written)).map(|it| it.replace('\t', "⇥"));
        let _ = writeln!(
            found,
            "{}\t{}\t{}\t{code}\t{marked}\t{after}",
            cells[0], cells[1], cells[2]
        );
    }
    assert!(TABLE.lines().count() > 200);
    for (found, expected) in found.lines().zip(TABLE.lines()) {
        assert_eq!(found, expected);
    }
}
