//! Tests which markers have problems, and which problems.

use super::*;

/// A known name that differs by at most two letters.
fn near<'k>(name: &str, known: &mut dyn Iterator<Item = &'k str>) -> Option<&'k str> {
    let differs = |it: &&str| *it != name && it.chars().zip(name.chars()).filter(|(a, b)| a != b).count() < 3;
    known.filter(|it| it.len().abs_diff(name.len()) < 2).find(differs)
}

/// The markers with problems in a text, as written, each with its problem.
fn found(text: &str) -> Vec<(String, String)> {
    found_with(text, &Declared::default())
}

fn found_with(text: &str, declared: &Declared) -> Vec<(String, String)> {
    let known = Known {
        release: Release(21),
        declared,
        meant: near,
    };
    let found = find(text, &read(text), &known);
    let shown = |it: &Finding| {
        let problem = match &it.problem {
            Problem::Unknown { meant, has_text, .. } => format!("unknown {meant:?} {has_text}"),
            Problem::Newer { since, .. } => format!("since {since}"),
            Problem::Misplaced { at, .. } => format!("at {at:?}"),
            Problem::NoKind { at, kind, .. } => format!("no kind {at} {kind:?}"),
            Problem::Refused { problem, .. } => format!("refused {problem:?}"),
            Problem::Repeated { .. } => "repeated".to_owned(),
            Problem::Contradicts { other, .. } => format!("contradicts {other}"),
            Problem::Mismatched { mismatch, .. } => format!("mismatched {mismatch:?}"),
            Problem::WithoutPlus { name } => format!("without plus {name}"),
            Problem::Quotes { meant } => format!("quotes {meant}"),
            Problem::SameName { name, .. } => format!("same name {name}"),
            Problem::Skipped { other, .. } => format!("skipped {other}"),
            Problem::Misread { of, meant, .. } => format!("misread {of:?} {meant:?}"),
            Problem::Tagged(of) => format!("tagged {of:?}"),
        };
        (text[it.span.clone()].to_owned(), problem)
    };
    found.iter().map(shown).collect()
}

#[track_caller]
fn check(text: &str, expected: &[(&str, &str)]) {
    let found = found(text);
    let found: Vec<_> = found.iter().map(|it| (it.0.as_str(), it.1.as_str())).collect();
    assert_eq!(found, expected, "{text}");
}

/// A struct field with these lines above it.
fn field(lines: &str) -> String {
    format!("package v1\n\ntype A struct {{\n{lines}\tB string `json:\"b\"`\n}}\n")
}

#[test]
fn markers_without_a_plus_sign() {
    let name = "kubebuilder:validation:MaxLength";
    for line in [
        "//kubebuilder:validation:MaxLength=3",
        "// kubebuilder:validation:MaxLength=3 ",
    ] {
        check(
            &field(&format!("\t// B is one.\n\t{line}\n")),
            &[(name, &format!("without plus {name}"))],
        );
    }
    check(
        "package v1\n\n//kubebuilder:object:root=true\n// A is one.\ntype A struct{}\n",
        &[("kubebuilder:object:root", "without plus kubebuilder:object:root")],
    );
    for none in [
        "kubebuilder:validation:MaxLength limits it",
        "kubebuilder:something=1",
        "kubebuilder:subresource:status",
        "optional",
        "see kubebuilder:validation:MaxLength=3",
    ] {
        check(&field(&format!("\t// {none}\n")), &[]);
    }
    check("package v1\n\n//kubebuilder:validation:MaxLength=3\nfunc F() {}\n", &[]);
}

#[test]
fn names_that_nothing_knows() {
    check(
        &field("\t// +kubebuilder:validation:MaxLenght=3\n"),
        &[(
            "kubebuilder:validation:MaxLenght",
            "unknown Some(\"kubebuilder:validation:MaxLength\") false",
        )],
    );
    check(
        &field("\t// +kubebuilder:validations:Something=3\n"),
        &[("kubebuilder:validations:Something", "unknown None false")],
    );
    check(
        &field("\t// +optional because of this\n"),
        &[("optional because of this", "unknown Some(\"optional\") true")],
    );
    check(
        &field("\t// +kubebuilder:default:5\n"),
        &[("kubebuilder:default:5", "unknown Some(\"kubebuilder:default=5\") false")],
    );
    for (written, meant) in [
        ("kubebuilder:Enum", Some("kubebuilder:validation:Enum")),
        ("kubebuilder:Required", Some("kubebuilder:validation:Required")),
        ("kubebuilder:validation:Default", Some("kubebuilder:default")),
        ("kubebuilder:validation:ListType", Some("listType")),
        ("kubebuilder:plural", None),
        ("kubebuilder:status", Some("kubebuilder:subresource:status")),
    ] {
        let expected = format!("unknown {meant:?} false");
        check(&field(&format!("\t// +{written}=a\n")), &[(written, expected.as_str())]);
    }
    check(
        &field("\t// +listTyp=map\n"),
        &[("listTyp", "unknown Some(\"listType\") false")],
    );
    for others in [
        "+genclient",
        "+k8s:openapi-gen=true",
        "+openshift:enable:FeatureGate=a",
        "+kubebuilder:scaffold:imports",
        "+ a list",
        "+1 for this",
        "+patchStrategy=merge",
    ] {
        check(&field(&format!("\t// {others}\n")), &[]);
    }
}

#[test]
fn blanks_and_misspelt_beginnings() {
    let written = |line: &str, name: &str, meant: Option<&str>| {
        let whole = line.split('=').next().unwrap_or_default();
        let expected = format!("unknown {meant:?} false");
        check(&field(&format!("\t// +{line}\n")), &[(whole, expected.as_str())]);
        let problem = &find_one(&field(&format!("\t// +{line}\n")));
        assert!(
            matches!(problem, Problem::Unknown { name: it, .. } if it == name),
            "{problem:?}"
        );
    };
    let length = "kubebuilder:validation:MaxLength";
    for (line, name, meant) in [
        (
            " kubebuilder:validation:MaxLength=3",
            " kubebuilder:validation:MaxLength",
            Some(length),
        ),
        (
            "\tkubebuilder:validation:MaxLength:=3",
            "\tkubebuilder:validation:MaxLength",
            Some(length),
        ),
        (
            " kubebuilder:validation:MaxLenght=3",
            " kubebuilder:validation:MaxLenght",
            Some(length),
        ),
        (
            "Kubebuilder:validation:MaxLength=3",
            "Kubebuilder:validation:MaxLength",
            Some(length),
        ),
        (
            "kubebuildre:validation:MaxLength=3",
            "kubebuildre:validation:MaxLength",
            Some(length),
        ),
        (
            "kubebuildre:validation:XValidation:rule=\"a=b\"",
            "kubebuildre:validation:XValidation",
            Some("kubebuilder:validation:XValidation"),
        ),
        (
            "kubebuildre:printcolumn:name=a",
            "kubebuildre:printcolumn",
            Some("kubebuilder:printcolumn"),
        ),
        ("kubebuildre:something:else=3", "kubebuildre:something:else", None),
        (" optional", " optional", Some("optional")),
        (" listType=map", " listType", Some("listType")),
    ] {
        written(line, name, meant);
    }
    for others in [
        "+ optional because of this",
        "+ kubebuilder:validation:MaxLength is what limits it",
        "+ something else",
        "+ default",
        "+kubebuildre:scaffold:imports",
        "+ openshift:enable:FeatureGate=a",
    ] {
        check(&field(&format!("\t// {others}\n")), &[]);
    }
    // If no declaration follows, only kubebuilder's names are markers. Other lines are prose.
    check(
        "package v1\n\n// + optional\n\n// + a\nfunc f() {\n\t// + optional\n}\n",
        &[],
    );
}

fn find_one(text: &str) -> Problem {
    let known = Known {
        release: Release(21),
        declared: &Declared::default(),
        meant: near,
    };
    let mut found = find(text, &read(text), &known);
    found.pop().expect("something is wrong").problem
}

#[test]
fn places_where_markers_do_nothing() {
    check(
        &field("\t// +kubebuilder:subresource:status\n"),
        &[("kubebuilder:subresource:status", "at Ok(Field)")],
    );
    check(
        "package v1\n\n// A is one.\n// +optional\ntype A string\n",
        &[("optional", "at Ok(Type)")],
    );
    check(
        "package v1\n\n// Reconcile reconciles.\n// +kubebuilder:rbac:groups=a,verbs=get\nfunc Reconcile() {}\n",
        &[("kubebuilder:rbac:groups", "at Err(Documentation)")],
    );
    check(
        "package v1\n\n// +kubebuilder:rbac:groups=a,verbs=get\n\n// Reconcile reconciles.\nfunc Reconcile() {}\n",
        &[],
    );
    check(
        &field("\t// +optional\n\n\t// What B is.\n\n\t// B is one.\n"),
        &[("optional", "at Err(Detached)")],
    );
    check(&field("\t// +optional\n\n\t// B is one.\n"), &[]);
    check(
        "package v1\n\ntype A struct {\n\tB string // +optional\n\tC string\n\t// +optional\n}\n",
        &[("optional", "at Err(Behind)"), ("optional", "at Err(Inside)")],
    );
    check(
        "package v1\n\n// +kubebuilder:object:root=true\ntype (\n\t// A is one.\n\t// +kubebuilder:object:root=true\n\tA struct{}\n)\n",
        &[("kubebuilder:object:root", "at Err(Documentation)")],
    );
}

#[test]
fn packages_have_markers() {
    check("// Package v1 has types.\n// +groupName=example.com\npackage v1\n", &[]);
    check(
        "// +kubebuilder:object:generate=true\n\n// Package v1 has types.\npackage v1\n\n// +groupName=example.com\n",
        &[],
    );
    check(
        "package v1\n\n// +kubebuilder:validation:Required\n\n// A is one.\ntype A struct{}\n",
        &[],
    );
}

#[test]
fn arguments_that_are_refused() {
    let validation = "kubebuilder:validation:";
    for (marker, expected) in [
        ("MaxLength=3", None),
        ("MaxLength=three", Some(("three", "refused Integer"))),
        ("MaxLength=3.5", Some(("3.5", "refused Integer"))),
        ("MaxLength=-3", None),
        ("MaxLength", Some(("MaxLength", "refused Missing(\"\")"))),
        ("MaxLength=3 4", Some(("4", "refused Extra"))),
        ("Maximum=3.5", None),
        ("Maximum=a", Some(("a", "refused Number"))),
        ("ExclusiveMaximum=yes", Some(("yes", "refused Bool"))),
        ("Pattern=^[a-z]+$", None),
        ("Pattern=`^[a-z],+$`", None),
        ("Pattern=`^[a-z]", Some(("`^[a-z]", "refused Quote"))),
        ("Enum=a;b;c", None),
        ("XValidation:rule=\"self.a == 1\",message=\"no\"", None),
        (
            "XValidation:rule=\"self.a == 1\",massage=\"no\"",
            Some(("massage=", "refused Unknown(\"massage\")")),
        ),
        (
            "XValidation:message=\"no\"",
            Some(("message", "refused Missing(\"rule\")")),
        ),
        (
            "XValidation:rule=\"self.a == 1\" message=\"no\"",
            Some(("message=\"no\"", "refused Extra")),
        ),
        ("XValidation:rule=self.a == 1", None),
        ("XValidation:rule=size(self) in [1, 2]", Some(("2]", "refused Name"))),
    ] {
        let found = found(&field(&format!("\t// +{validation}{marker}\n")));
        let found: Vec<_> = found
            .iter()
            .map(|it| (it.0.rsplit(':').next().unwrap_or_default(), it.1.as_str()))
            .collect();
        assert_eq!(found, Vec::from_iter(expected), "{marker}");
    }
}

#[test]
fn raw_arguments_consist_of_tokens() {
    let package = |marker: &str| format!("// +{marker}\npackage v1\n");
    check(&package("k8s:deepcopy-gen=package,register"), &[]);
    check(&package("k8s:deepcopy-gen=\"a"), &[("\"a", "refused Quote")]);
    check(&package("k8s:deepcopy-gen=\"\\q\""), &[("\\q", "refused Escape")]);
    check(&package("k8s:deepcopy-gen=1e"), &[("1e", "refused Number")]);
}

#[test]
fn arguments_of_kubernetes_tags() {
    check(&field("\t// +k8s:required=a\n"), &[("a", "refused Extra")]);
    check(&field("\t// +k8s:optional\n"), &[]);
    let is_refused = |marker: &str| {
        let split = Split::of(marker);
        let definition = split.definition(Target::Field).expect("a marker of fields");
        arguments::is_refused(definition, Release::NEWEST, marker)
    };
    for (marker, expected) in [
        ("+k8s:maxItems=3 # the most", false),
        ("+k8s:maxItems=3.5", true),
        ("+k8s:maxItems=# none", true),
        ("+k8s:maximum=1.5", false),
        ("+k8s:minimum=a", true),
        ("+kubebuilder:validation:Maximum=3 # the most", true),
    ] {
        assert_eq!(is_refused(marker), expected, "{marker}");
    }
}

#[test]
fn arguments_that_begin_with_the_wrong_sign() {
    let of_type = |marker: &str| format!("package v1\n\n// +kubebuilder:{marker}\ntype A struct{{}}\n");
    for marker in [
        "resource=path=a,scope=Cluster",
        "printcolumn=name=\"V\",type=string,JSONPath=`.a`",
        "subresource:scale=specpath=.a,statuspath=.b",
        "deprecatedversion=warning=\"a\"",
        "metadata=labels=\"a=b\"",
        "selectablefield=JSONPath=.a",
        "selectablefield=.a",
        "deprecatedversion=\"a\"",
        "validation:XValidation=rule=\"self > 0\"",
        "resource=",
    ] {
        check(&of_type(marker), &[("=", "refused Equals")]);
    }
    for marker in ["resource:path=a", "deprecatedversion", "validation:MaxLength=1"] {
        check(&of_type(marker), &[]);
    }
}

#[test]
fn text_behind_a_value() {
    for (marker, span, problem) in [
        ("default=10s", "s", "Unquoted(\"\\\"10s\\\"\")"),
        ("default=a:b,c", ":b,c", "Unquoted(\"\\\"a:b,c\\\"\")"),
        ("validation:Pattern=a:b", ":b", "Unquoted(\"\\\"a:b\\\"\")"),
        (
            "validation:MinLength=1,MaxLength=5",
            ",MaxLength=5",
            "Another(\"+kubebuilder:validation:MaxLength=5\")",
        ),
        (
            "validation:MinLength=1 +kubebuilder:example=5",
            "+kubebuilder:example=5",
            "Another(\"+kubebuilder:example=5\")",
        ),
        ("validation:MinLength=1 a", "a", "Extra"),
        (
            "validation:XValidation:rule=\"self != \"a\"\",message=\"b\"",
            "a\"\",message=\"b\"",
            "InnerQuote",
        ),
    ] {
        let expected = format!("refused {problem}");
        check(
            &field(&format!("\t// +kubebuilder:{marker}\n")),
            &[(span, expected.as_str())],
        );
    }
    check(
        &field("\t// +listMapKey=a,b\n"),
        &[(",b", "refused Several([\"+listMapKey=a\", \"+listMapKey=b\"])")],
    );
    check(
        "package v1\n\n// +kubebuilder:metadata:labels=a:b\ntype A struct{}\n",
        &[(":b", "refused Pair(\"\\\"a=b\\\"\")")],
    );
}

#[test]
fn values_behind_a_colon_or_a_blank() {
    for (written, meant) in [
        ("listType:set", Some("listType=set")),
        ("listMapKey:name", Some("listMapKey=name")),
        ("nullable:true", Some("nullable")),
        ("required:true", Some("required")),
        ("default:5", Some("default=5")),
        ("listType set", Some("listType=set")),
        ("kubebuilder:default 5", Some("kubebuilder:default=5")),
        (
            "kubebuilder:validation:MaxLength: 10",
            Some("kubebuilder:validation:MaxLength=10"),
        ),
    ] {
        let expected = format!("unknown {meant:?} false");
        check(&field(&format!("\t// +{written}\n")), &[(written, expected.as_str())]);
    }
    check(
        &field("\t// +kubebuilder:validation:MaxLength = 5\n"),
        &[(
            "kubebuilder:validation:MaxLength ",
            "unknown Some(\"kubebuilder:validation:MaxLength=5\") false",
        )],
    );
    check(&field("\t// +nullable:false\n\t// +k8s:other:true\n"), &[]);
}

#[test]
fn markers_of_kinds_at_other_types() {
    let text = |above: &str, of: &str| {
        format!(
            "package v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Cart struct \
             {{\n\tmetav1.TypeMeta\n\tmetav1.ObjectMeta\n}}\n\n// +kubebuilder:{above}\ntype {of}\n"
        )
    };
    let list = "CartList struct {\n\tmetav1.TypeMeta\n\tmetav1.ListMeta\n\tItems []Cart\n}";
    for (above, of, span, at) in [
        ("resource:scope=Cluster", list, "kubebuilder:resource:scope", "CartList"),
        (
            "subresource:status",
            "CartSpec struct{ A int }",
            "kubebuilder:subresource:status",
            "CartSpec",
        ),
        ("storageversion", "Other string", "kubebuilder:storageversion", "Other"),
        (
            "storageversion",
            "CartOf struct{ Other }\n\ntype Other struct{}",
            "kubebuilder:storageversion",
            "CartOf",
        ),
    ] {
        check(&text(above, of), &[(span, &format!("no kind {at} Some(\"Cart\")"))]);
    }
    for (above, of) in [
        ("validation:XValidation:rule=\"true\"", list),
        ("object:root=true", list),
        (
            "storageversion",
            "Box struct {\n\tmetav1.TypeMeta\n\tmetav1.ObjectMeta\n}",
        ),
        // Another file may declare an alias of a metadata type.
        ("storageversion", "Box struct {\n\tMeta\n}"),
        ("storageversion", "Box = Cart"),
    ] {
        check(&text(above, of), &[]);
    }
    check("package v1\n\n// +kubebuilder:storageversion\ntype A struct{}\n", &[]);
}

#[test]
fn what_is_said_twice() {
    check(
        &field("\t// +kubebuilder:validation:MaxLength=3\n\t// +kubebuilder:validation:MaxLength=4\n"),
        &[("+kubebuilder:validation:MaxLength=4", "repeated")],
    );
    check(
        &field("\t// +required\n\t// +optional\n"),
        &[("+optional", "contradicts required")],
    );
    check(
        &field(
            "\t// +kubebuilder:validation:XValidation:rule=\"true\"\n\t// +kubebuilder:validation:XValidation:rule=\"false\"\n",
        ),
        &[],
    );
}

#[test]
fn quotes_of_gofmt() {
    check(
        &field("\t// +kubebuilder:validation:XValidation:rule=\"self != \u{201D}\"\n"),
        &[("\u{201D}", "quotes ''")],
    );
    check(
        &field("\t// +kubebuilder:default=\u{201C}\n"),
        &[("\u{201C}", "quotes ``")],
    );
    // Strings in a marker may contain typographic quotes.
    check(
        &field("\t// +kubebuilder:validation:XValidation:rule=\"true\",message=\"no \u{201C}a\u{201D}\"\n"),
        &[],
    );
}

#[test]
fn what_is_declared_is_known() {
    let declared = Declared::new(["kubebuilder:oneOf", "k8s:maxItems"]).expect("names");
    let found = |marker: &str| found_with(&field(&format!("\t// +{marker}\n")), &declared);
    for marker in ["kubebuilder:oneOf:={a:1}", "kubebuilder:oneOf", "k8s:maxItems=3"] {
        assert_eq!(found(marker), [], "{marker}");
    }
    let expected = |written: &str, problem: &str| vec![(written.to_owned(), problem.to_owned())];
    assert_eq!(
        found("kubebuilder:oneOff={}"),
        expected("kubebuilder:oneOff", "unknown Some(\"kubebuilder:oneOf\") false")
    );
    assert_eq!(
        found("kubebuilder:oneOf of these"),
        expected("kubebuilder:oneOf of these", "unknown Some(\"kubebuilder:oneOf\") true")
    );
    // The marker is declared, but controller-gen knows it as well, so it is still checked.
    assert_eq!(
        found("kubebuilder:validation:MaxLength=a"),
        expected("a", "refused Integer")
    );
}

#[test]
fn lines_may_have_very_many_comments() {
    // If the work were quadratic, each case would take minutes.
    let count = 60_000;
    let blanks = " ".repeat(200_000);
    for text in [
        format!("package v1\n{}\n", "/**/".repeat(count)),
        format!("package v1\n{blanks}{}\n", "/**/".repeat(count)),
        format!("package v1\ntype A struct {{ {} }}\n", "B int /**/; ".repeat(count)),
        format!(
            "package v1\ntype A struct {{ {}{blanks}// +optional\n}}\n",
            "B int;".repeat(count)
        ),
        field(&"\t// +optional\n".repeat(count)),
        field(&format!("\t// +optional{}\n", ":".repeat(900_000))),
    ] {
        assert!(text.len() < 1 << 20, "{}", text.len());
        read(&text);
    }
}

#[test]
fn newer_markers() {
    check(&field("\t// +k8s:maxItems=3\n"), &[("k8s:maxItems", "since 0.23")]);
}

#[test]
fn what_is_no_go_ends() {
    for text in [
        "",
        "+",
        "// +optional",
        "package",
        "type A struct {\n// +optional\n",
        "type (\n// +a:b=\n",
    ] {
        let _found = found(text);
    }
}

#[test]
fn markers_without_their_prefix() {
    let meant = "unknown Some(\"kubebuilder:validation:MaxLength\") false";
    check(
        &field("\t// +validation:MaxLength=3\n"),
        &[("validation:MaxLength", meant)],
    );
    check(&field("\t// +validation:Nothing=3\n"), &[]);
}

#[test]
fn a_version_that_is_left_out_has_no_columns() {
    let text = "package v1\n\n// +kubebuilder:skipversion\n// +kubebuilder:subresource:status\ntype A struct {\n}\n";
    check(
        text,
        &[("kubebuilder:skipversion", "skipped kubebuilder:subresource:status")],
    );
}
