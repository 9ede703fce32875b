//! Tests for quick fixes of markers, and for the file after applying them.

use crd_analyzer_gosource::check::{catalog::Release, declared::Declared};
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    judging::analysis::{Question, analyze},
};

use super::*;

fn markers() -> Markers {
    Markers {
        release: Release::NEWEST,
        declared: Declared::default(),
        path: "/widget_types.go".into(),
        module: None,
    }
}

/// The problems of a file that crd-analyzer shows.
fn problems(text: &str) -> Vec<Problem> {
    let question = Question {
        path: Some(std::path::Path::new("/types.go")),
        ..Question::new(VersionSet::default())
    };
    let report = analyze(text.as_bytes().to_vec(), &question);
    report.findings.iter().map(Problem::from).collect()
}

fn whole(text: &str) -> Span {
    Span::new(0, text.len() as u32)
}

/// The fixes of a file. Each has its title, whether it is unambiguous, and the file after applying it.
fn repaired(text: &str) -> Vec<(String, bool, String)> {
    let found = repairs(text, &markers(), problems(text), whole(text));
    let after = |it: &Fix| apply(text, &it.edits).expect("edits that fit");
    found
        .iter()
        .map(|it| (it.title.clone(), it.preferred, after(it)))
        .collect()
}

/// A field with these lines above it.
fn field(lines: &str) -> String {
    format!("package v1\n\ntype A struct {{\n{lines}\tB string `json:\"b\"`\n}}\n")
}

/// Checks the fix for a marker at a field, and the marker after applying it. Both are empty if there should be no fix.
#[track_caller]
fn check(marker: &str, title: &str, is_certain: bool, after: &str) {
    let line = |marker: &str| field(&format!("\t// +{marker}\n"));
    let found = repaired(&line(marker));
    let expected = (!title.is_empty()).then(|| (title.to_owned(), is_certain, line(after)));
    assert_eq!(found, Vec::from_iter(expected), "{marker}");
}

#[test]
fn a_missing_plus_sign_is_added() {
    let found = repaired(&field("\t// B is one.\n\t//kubebuilder:validation:MaxLength=3\n"));
    let after = field("\t// B is one.\n\t//+kubebuilder:validation:MaxLength=3\n");
    assert_eq!(found, [("Add the plus sign".to_owned(), false, after)]);
}

#[test]
fn names_are_spelled_right() {
    check(
        "kubebuilder:validation:MaxLenght=3",
        "Change +kubebuilder:validation:MaxLenght to +kubebuilder:validation:MaxLength",
        true,
        "kubebuilder:validation:MaxLength=3",
    );
    check(
        "kubebuilder:default:5",
        "Change +kubebuilder:default:5 to +kubebuilder:default=5",
        true,
        "kubebuilder:default=5",
    );
    check("optional.", "Change +optional. to +optional", true, "optional");
    check(" optional", "Change + optional to +optional", true, "optional");
    check(
        " kubebuilder:validation:MaxLength=3",
        "Change + kubebuilder:validation:MaxLength to +kubebuilder:validation:MaxLength",
        true,
        "kubebuilder:validation:MaxLength=3",
    );
    check(
        "kube-builder:validation:XValidation:rule=\"self != 'a'\"",
        "Change +kube-builder:validation:XValidation to +kubebuilder:validation:XValidation",
        true,
        "kubebuilder:validation:XValidation:rule=\"self != 'a'\"",
    );
    check("kubebuidler:something=3", "", false, "");
    check("kubebuilder:something=3", "", false, "");
    // With the right name, the value would be invalid, so nothing is offered.
    check("kubebuilder:validation:MaxLenght=three", "", false, "");
}

#[test]
fn text_behind_a_marker_moves_or_is_the_value() {
    check(
        "kubebuilder:validation:MaxLength 3",
        "Change +kubebuilder:validation:MaxLength 3 to +kubebuilder:validation:MaxLength=3",
        true,
        "kubebuilder:validation:MaxLength=3",
    );
    for (before, after) in [
        (
            "kubebuilder:validation:MaxLength = 5",
            "kubebuilder:validation:MaxLength=5",
        ),
        (
            "kubebuilder:validation:MaxLength: 10",
            "kubebuilder:validation:MaxLength=10",
        ),
        ("kubebuilder:default 5", "kubebuilder:default=5"),
        ("nullable:true", "nullable"),
        ("default:5", "default=5"),
    ] {
        check(before, &format!("Change +{before} to +{after}"), true, after);
    }
    check(
        "kubebuilder:example: a b",
        "Write = before the value",
        false,
        "kubebuilder:example=a b",
    );
    let after = field("\t// because of a=b\n\t// +optional\n");
    let title = "Move the text to a line of its own".to_owned();
    assert_eq!(
        repaired(&field("\t// +optional because of a=b\n")),
        [(title, false, after)]
    );
}

#[test]
fn arguments_are_repaired_where_one_thing_is_meant() {
    let validation = "kubebuilder:validation:";
    for (before, title, after) in [
        ("ExclusiveMaximum=True", "Write true", "ExclusiveMaximum=true"),
        ("ExclusiveMaximum=\"false\"", "Write false", "ExclusiveMaximum=false"),
        ("ExclusiveMaximum=yes", "", ""),
        ("MaxLength=\"3\"", "Write 3", "MaxLength=3"),
        ("MaxLength=3.0", "Write 3", "MaxLength=3"),
        ("MaxLength=3.5", "", ""),
        ("MaxLength=three", "", ""),
        ("Maximum=\"-3.5\"", "Write -3.5", "Maximum=-3.5"),
        (
            "XValidation:rule=\"true\",mesage=\"no\"",
            "Change mesage to message",
            "XValidation:rule=\"true\",message=\"no\"",
        ),
        (
            "XValidation:rule=\"true\" message=\"no\"",
            "Separate the arguments by a comma",
            "XValidation:rule=\"true\",message=\"no\"",
        ),
        (
            "XValidation:rule=self in [\"a\", \"b\"],message=\"no\"",
            "Put the rule in quotes",
            "XValidation:rule=`self in [\"a\", \"b\"]`,message=\"no\"",
        ),
        (
            "XValidation:rule=size(self) in [1, 2]",
            "Put the rule in quotes",
            "XValidation:rule=\"size(self) in [1, 2]\"",
        ),
        ("XValidation:rule=is no rule, at all", "", ""),
        (
            "Pattern=\"^\\d+\\.\\d$\"",
            "Write two backslashes",
            "Pattern=\"^\\\\d+\\\\.\\\\d$\"",
        ),
        ("Pattern=\"^\\d\\n$\"", "", ""),
        ("Pattern=`^a", "", ""),
        ("MaxLength", "", ""),
    ] {
        let after = format!("{validation}{after}");
        check(&format!("{validation}{before}"), title, !title.is_empty(), &after);
    }
}

#[test]
fn values_with_text_behind_them_get_quotes() {
    for (before, title, after) in [
        ("default=10s/a", "Put the value in quotes", "default=\"10s/a\""),
        (
            "validation:XValidation:rule=\"self != \"a,b\"\",message=\"no\"",
            "Put the string in backquotes",
            "validation:XValidation:rule=`self != \"a,b\"`,message=\"no\"",
        ),
        (
            "validation:XValidation:rule=\"true\",message=\"must be \"positive\"\"",
            "Put the string in backquotes",
            "validation:XValidation:rule=\"true\",message=`must be \"positive\"`",
        ),
    ] {
        let release = Markers {
            release: Release(19),
            ..markers()
        };
        let text = field(&format!("\t// +kubebuilder:{before}\n"));
        let file = File::read(&text, &release);
        let problems = file.found.iter().map(|it| {
            let span = Span::new(it.span.start as u32, it.span.end as u32);
            Problem::new(go_file::code(&it.problem), span)
        });
        let found = repairs(&text, &release, problems, whole(&text));
        let after = field(&format!("\t// +kubebuilder:{after}\n"));
        let of = |it: &Fix| (it.title.clone(), apply(&text, &it.edits).expect("edits that fit"));
        assert_eq!(found.iter().map(of).collect::<Vec<_>>(), [(title.to_owned(), after)]);
    }
}

#[test]
fn each_marker_gets_its_line() {
    let title = "Write one marker on each line".to_owned();
    let (limits, keys) = ("kubebuilder:validation:", "listMapKey=");
    for (before, after) in [
        (
            format!("{limits}MinLength=1,MaxLength=5"),
            format!("{limits}MinLength=1\n\t// +{limits}MaxLength=5"),
        ),
        (
            format!("{limits}MinLength=1 +{limits}MaxLength=5"),
            format!("{limits}MinLength=1\n\t// +{limits}MaxLength=5"),
        ),
        (
            format!("listType=map\n\t// +{keys}a,b"),
            format!("listType=map\n\t// +{keys}a\n\t// +{keys}b"),
        ),
    ] {
        let found = repaired(&field(&format!("\t// +{before}\n")));
        let after = field(&format!("\t// +{after}\n"));
        assert_eq!(found, [(title.clone(), true, after)], "{before}");
    }
}

#[test]
fn arguments_begin_with_a_colon() {
    let of = |marker: &str| format!("package v1\n\n// +kubebuilder:{marker}\ntype A struct{{}}\n");
    for (before, title, after) in [
        (
            "resource=path=a,scope=Cluster",
            "Write : before the first argument",
            "resource:path=a,scope=Cluster",
        ),
        (
            "validation:XValidation=\"self > 0\"",
            "Write :rule=",
            "validation:XValidation:rule=\"self > 0\"",
        ),
        (
            "printcolumn=\"V\",type=string,JSONPath=`.a`",
            "Write :name=",
            "printcolumn:name=\"V\",type=string,JSONPath=`.a`",
        ),
        (
            "deprecatedversion=\"a\"",
            "Write :warning=",
            "deprecatedversion:warning=\"a\"",
        ),
        ("selectablefield=.a", "Write :JSONPath=", "selectablefield:JSONPath=.a"),
    ] {
        let found = repaired(&of(before));
        assert_eq!(found, [(title.to_owned(), true, of(after))], "{before}");
    }
}

#[test]
fn items_are_separated_by_semicolons() {
    let of = |marker: &str| format!("package v1\n\n// +kubebuilder:{marker}\n\n// F does.\nfunc F() {{}}\n");
    for (before, after) in [
        (
            "rbac:groups=a,verbs=get,list,watch",
            "rbac:groups=a,verbs=get;list;watch",
        ),
        (
            "rbac:groups=a,verbs=get, list,urls=b",
            "rbac:groups=a,verbs=get; list,urls=b",
        ),
    ] {
        let found = repaired(&of(before));
        let title = "Separate the items by semicolons".to_owned();
        assert_eq!(found, [(title, true, of(after))], "{before}");
    }
    assert_eq!(repaired(&of("rbac:groups=a,verbs=get,")), []);
    let of_type = |marker: &str| format!("package v1\n\n// +kubebuilder:{marker}\ntype A struct{{}}\n");
    let found = repaired(&of_type("validation:AtMostOneOf=a,b,c"));
    assert_eq!(found[0].2, of_type("validation:AtMostOneOf=a;b;c"));
}

#[test]
fn quotes_of_gofmt_become_straight() {
    let rule = "kubebuilder:validation:XValidation:rule=";
    // One fix changes both quotation marks. It is offered for each diagnostic.
    let both = repaired(&field(&format!(
        "\t// +{rule}\"self != \u{201D} && \u{201D} != self\"\n"
    )));
    let after = field(&format!("\t// +{rule}\"self != \\\"\\\" && \\\"\\\" != self\"\n"));
    assert_eq!(both.iter().map(|it| &it.2).collect::<Vec<_>>(), [&after, &after]);
    // Here the quotation mark is part of a string, or the rule has other mistakes.
    check(&format!("{rule}\"self != '\u{201D}'\""), "", false, "");
    check(&format!("{rule}\"self !== \u{201D}\""), "", false, "");
    let found = repaired(&field(&format!("\t// +{rule}\"self != \u{201D}\"\n")));
    let after = field(&format!("\t// +{rule}\"self != \\\"\\\"\"\n"));
    assert_eq!(found, [("Write straight quotes".to_owned(), true, after)]);
    let found = repaired(&field(&format!("\t// +{rule}`self != \u{201D}`\n")));
    assert_eq!(found[0].2, field(&format!("\t// +{rule}`self != \"\"`\n")));
}

#[test]
fn what_is_said_twice_or_behind_goes_to_its_place() {
    let twice = field("\t// +optional\n\t// B is one.\n\t// +optional\n");
    assert_eq!(
        repaired(&twice),
        [(
            "Remove the repeated marker".to_owned(),
            true,
            field("\t// +optional\n\t// B is one.\n")
        )]
    );
    // It is unclear which of the two markers is meant.
    assert_eq!(repaired(&field("\t// +required\n\t// +optional\n")), []);
    let behind = "package v1\n\ntype A struct {\n\t// B is one.\n\tB int // +optional\n\tC int\n}\n";
    let above = "package v1\n\ntype A struct {\n\t// B is one.\n\t// +optional\n\tB int\n\tC int\n}\n";
    let title = "Move the marker above the declaration".to_owned();
    assert_eq!(repaired(behind), [(title, true, above.to_owned())]);
    let windows = twice.replace('\n', "\r\n");
    assert_eq!(
        repaired(&windows)[0].2,
        field("\t// +optional\n\t// B is one.\n").replace('\n', "\r\n")
    );
}

#[test]
fn markers_of_the_package_leave_documentation() {
    let (groups, roles) = (
        "// +kubebuilder:rbac:groups=a,verbs=get\n",
        "// +kubebuilder:rbac:groups=b,verbs=list\n",
    );
    let function = "func F() {}\n";
    let after = format!("package v1\n\n{groups}{roles}\n// F does.\n{function}");
    let title = "Separate the markers from the documentation";
    for before in [
        format!("package v1\n\n// F does.\n{groups}{roles}{function}"),
        format!("package v1\n\n{groups}// F does.\n{roles}{function}"),
    ] {
        let found = repaired(&before);
        let expected = (title.to_owned(), true, after.clone());
        assert_eq!(found, [expected.clone(), expected], "{before}");
        let (edits, _) = repair_all(&before, &markers(), problems(&before)).expect("a repair");
        assert_eq!(apply(&before, &edits), Some(after.clone()));
    }
    let only = repaired(&format!("package v1\n\n{groups}{function}"));
    assert_eq!(only[0].2, format!("package v1\n\n{groups}\n{function}"));
    // The marker would also fit a field, so both places are possible.
    assert_eq!(
        repaired(&format!(
            "package v1\n\n// +kubebuilder:validation:Optional\n{function}"
        )),
        []
    );
}

#[test]
fn all_that_is_certain_is_repaired_at_once() {
    let lines = "\t// +kubebuilder:validation:MaxLenght=3\n\t// +optional because\n\t// +kubebuilder:validation:MinLength=\"1\"\n";
    let text = field(lines);
    let (edits, fixes) = repair_all(&text, &markers(), problems(&text)).expect("repairs");
    assert_eq!(fixes.len(), 2);
    let after =
        "\t// +kubebuilder:validation:MaxLength=3\n\t// +optional because\n\t// +kubebuilder:validation:MinLength=1\n";
    assert_eq!(apply(&text, &edits), Some(field(after)));
    let good = field("\t// +optional\n");
    assert_eq!(repair_all(&good, &markers(), problems(&good)), None);
}

#[test]
fn a_comment_above_silences_a_marker() {
    let text = field("\t// B is one.\n\t// +kubebuilder:somethin\n\t// +optional because\n");
    let found = ignores(&text, problems(&text), whole(&text));
    assert_eq!(found.len(), 2);
    for fix in &found {
        let edited = apply(&text, &fix.edits).expect("edits that fit");
        assert_eq!(problems(&edited).len(), 1, "{edited}");
        assert!(
            edited.contains("\n\t// +crd-analyzer: ignore[unknown-marker] reason\n\t// +"),
            "{edited}"
        );
    }
    let edits = found.iter().flat_map(|it| it.edits.clone()).collect::<Vec<_>>();
    let edited = apply(&text, &edits).expect("edits that fit");
    assert_eq!(problems(&edited), []);
}
