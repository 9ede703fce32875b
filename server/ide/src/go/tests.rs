//! Tests for completion and hover in Go files.

use crd_analyzer_gosource::check::{catalog::Release, declared::Declared};
use crd_analyzer_workspace::sources::go_file::Markers;

use super::{completion::complete, hover::hover};

fn markers() -> Markers {
    Markers {
        release: Release(21),
        declared: Declared::new(["kubebuilder:oneOf"]).expect("a name"),
        path: "/widget_types.go".into(),
        module: None,
    }
}

/// A field with a marker in its comment; `|` is the cursor.
fn field(marker: &str) -> String {
    format!("package v1\n\ntype A struct {{\n\t// {marker}\n\tB string `json:\"b\"`\n}}\n")
}

fn at(marked: &str) -> (String, u32) {
    let offset = marked.find('|').expect("a cursor");
    (marked.replacen('|', "", 1), offset as u32)
}

/// The labels of the items that start with the typed text, and the line after accepting the first one.
fn offered(marked: &str) -> (Vec<String>, String) {
    let (text, offset) = at(marked);
    let Some(found) = complete(&text, offset, &markers(), true) else {
        return (Vec::new(), String::new());
    };
    let typed = &text[found.insert.range()];
    let fitting: Vec<_> = found.items.iter().filter(|it| it.filter.starts_with(typed)).collect();
    let mut taken = text.clone();
    if let Some(first) = fitting.first() {
        taken.replace_range(found.replace.range(), first.snippet.as_ref().unwrap_or(&first.text));
    }
    let line = taken.lines().find(|it| it.contains("// +")).unwrap_or_default();
    let labels = fitting.iter().map(|it| it.label.clone());
    (labels.collect(), line.trim().to_owned())
}

#[track_caller]
fn check(marked: &str, expected: &[&str], line: &str) {
    let (labels, taken) = offered(marked);
    let first: Vec<_> = labels.iter().take(expected.len().max(1)).map(String::as_str).collect();
    assert_eq!((first.as_slice(), taken.as_str()), (expected, line), "{marked}");
}

/// Without values to offer, VS Code would show words of the file.
#[test]
fn a_list_of_values_is_opened_only_if_there_are_values() {
    let opens = |marker: &str| {
        let marked = format!("package v1\n\ntype A struct {{\n\t// +{marker}|\n\tB string `json:\"b\"`\n}}\n");
        let (text, offset) = at(&marked);
        let found = complete(&text, offset, &markers(), true).expect("a list");
        let item = found.items.iter().find(|it| it.label == marker);
        item.expect("the marker is offered").asks_again
    };
    for (marker, expected) in [
        ("kubebuilder:validation:MinLength", false),
        ("kubebuilder:validation:Pattern", false),
        ("kubebuilder:default", false),
        ("kubebuilder:validation:Format", true),
        ("kubebuilder:validation:XValidation", true),
        ("listType", true),
    ] {
        assert_eq!(opens(marker), expected, "{marker}");
    }
}

/// A kind with a marker at its type.
fn kind(marker: &str) -> String {
    format!(
        "package v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// A is one.\n// {marker}\ntype A struct {{\n\
         \tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\tSpec *Spec `json:\"spec\"`\n}}\n\n\
         type Spec struct {{\n\tSize int `json:\"size\"`\n\tPorts []Port `json:\"ports\"`\n\tCommon `json:\",inline\"`\n}}\n\n\
         type Port struct {{\n\tName string `json:\"name\"`\n\tNumber int `json:\"number\"`\n}}\n\n\
         type Common struct {{\n\tClass string `json:\"class\"`\n}}\n"
    )
}

#[test]
fn fields_are_named() {
    let column = "+kubebuilder:printcolumn:name=A,type=string,JSONPath=";
    check(
        &kind(&format!("{column}|")),
        &["apiVersion", "kind", "metadata", "spec"],
        &format!("// {column}.apiVersion"),
    );
    check(
        &kind(&format!("{column}.spec.|")),
        &["size", "ports", "class"],
        &format!("// {column}.spec.size"),
    );
    check(
        &kind(&format!("{column}.spec.ports[0].n|")),
        &["name", "number"],
        &format!("// {column}.spec.ports[0].name"),
    );
    check(
        &kind(&format!("{column}.metadata.cr|")),
        &["creationTimestamp"],
        &format!("// {column}.metadata.creationTimestamp"),
    );
    let selectable = "+kubebuilder:selectablefield:JSONPath=`.spec.cl|`";
    check(
        &kind(selectable),
        &["class"],
        "// +kubebuilder:selectablefield:JSONPath=`.spec.class`",
    );
    check(
        &kind("+kubebuilder:validation:AtMostOneOf=spec;meta|"),
        &["metadata"],
        "// +kubebuilder:validation:AtMostOneOf=spec;metadata",
    );
    check(
        &kind("+kubebuilder:validation:XValidation:rule=\"true\",fieldPath=\".spec.si|\""),
        &["size"],
        "// +kubebuilder:validation:XValidation:rule=\"true\",fieldPath=\".spec.size\"",
    );
    let list = |marker: &str| {
        kind("+a")
            .replace("\tPorts []", &format!("\t// {marker}\n\tPorts []"))
            .replace("// +a\n", "")
    };
    check(&list("+listMapKey=|"), &["name", "number"], "// +listMapKey=name");
    check(&list("+listMapKey=nu|"), &["number"], "// +listMapKey=number");
    // A value of an unknown type has no fields.
    check(&kind(&format!("{column}.spec.size.|")), &[], "");
}

#[test]
fn names_fit_the_place() {
    check(
        &field("+kubebuilder:validation:MaxL|"),
        &["kubebuilder:validation:MaxLength"],
        "// +kubebuilder:validation:MaxLength=$1",
    );
    check(&field("+opt|"), &["optional"], "// +optional");
    check(&field("+kubebuilder:sub|"), &[], "// +kubebuilder:sub");
    check(
        "package v1\n\n// A is one.\n// +kubebuilder:subresource:s|\ntype A struct{}\n",
        &["kubebuilder:subresource:scale", "kubebuilder:subresource:status"],
        "// +kubebuilder:subresource:scale:specpath=\"$1\",statuspath=\"$2\"",
    );
    check("// +group|\npackage v1\n", &["groupName"], "// +groupName=$1");
    // The release of this test does not have the marker. Later releases have it.
    check(&field("+k8s:maxI|"), &[], "// +k8s:maxI");
    check(
        &field("+kubebuilder:one|"),
        &["kubebuilder:oneOf"],
        "// +kubebuilder:oneOf",
    );
    // A marker is not offered twice.
    check(&field("+optional\n\t// +opt|"), &[], "// +optional");
}

#[test]
fn names_are_offered_with_their_arguments() {
    check(
        "package v1\n\n// A is one.\n// +kubebuilder:resource:s|\ntype A struct{}\n",
        &[
            "kubebuilder:resource:scope",
            "kubebuilder:resource:shortName",
            "kubebuilder:resource:singular",
        ],
        "// +kubebuilder:resource:scope=${1|Namespaced,Cluster|}",
    );
    check(
        &field("+kubebuilder:validation:XV|"),
        &["kubebuilder:validation:XValidation"],
        "// +kubebuilder:validation:XValidation:rule=\"$1\"",
    );
    check(
        &field("+kubebuilder:validation:Patt|=^a$"),
        &["kubebuilder:validation:Pattern"],
        "// +kubebuilder:validation:Pattern=^a$",
    );
}

#[test]
fn arguments_and_values_are_offered() {
    let rule = "+kubebuilder:validation:XValidation:rule=\"self > 0\",";
    check(
        &field(&format!("{rule}mess|")),
        &["message", "messageExpression"],
        &format!("// {rule}message=\"$1\""),
    );
    check(
        &field(&format!("{rule}reason=FieldValueI|")),
        &["FieldValueInvalid"],
        &format!("// {rule}reason=FieldValueInvalid"),
    );
    check(&field(&format!("{rule}ru|")), &[], &format!("// {rule}ru"));
    check(&field("+listType=|"), &["atomic", "map", "set"], "// +listType=atomic");
    check(
        &field("+kubebuilder:validation:ExclusiveMaximum=t|"),
        &["true"],
        "// +kubebuilder:validation:ExclusiveMaximum=true",
    );
    let rbac = "package v1\n\n// +kubebuilder:rbac:groups=a,verbs=get;list;|;watch\n\n// F does.\nfunc F() {}\n";
    check(
        rbac,
        &["create", "update"],
        "// +kubebuilder:rbac:groups=a,verbs=get;list;create;watch",
    );
    check(&field("+kubebuilder:validation:MaxLength=|"), &[], "");
    check(&field("+kubebuilder:unknown:a=|"), &[], "");
}

#[test]
fn values_of_a_field_are_its_enum() {
    let own = |marker: &str| {
        field(&format!(
            "+kubebuilder:validation:Enum=Allow;\"Not allow\";Forbid\n\t// {marker}"
        ))
    };
    let labels = |marked: &str| offered(marked).0;
    assert_eq!(
        labels(&own("+kubebuilder:default=|")),
        ["Allow", "\"Not allow\"", "Forbid"]
    );
    assert_eq!(labels(&own("+kubebuilder:default=\"F|\"")), ["Forbid"]);
    assert_eq!(labels(&own("+kubebuilder:example=Al|")), ["Allow"]);
    let of_type = field("+kubebuilder:default=|").replace("B string", "B *Policy")
        + "\n// +kubebuilder:validation:Enum=1;2\ntype Policy int\n";
    assert_eq!(labels(&of_type), ["1", "2"]);
    let of_bool = field("+kubebuilder:default=|").replace("B string", "B *bool");
    assert_eq!(labels(&of_bool), ["true", "false"]);
    assert_eq!(labels(&field("+kubebuilder:default=|")), [] as [&str; 0]);
}

#[test]
fn markers_that_fit_the_type_come_first() {
    let last = |of: &str, name: &str| {
        let marked = field("+kubebuilder:validation:|").replace("B string", &format!("B {of}"));
        let labels = offered(&marked).0;
        let place = |name: &str| labels.iter().position(|it| it.ends_with(&format!("validation:{name}")));
        place(name).expect("it is offered") > place("XValidation").expect("it is offered")
    };
    for (of, fitting, others) in [
        (
            "int32",
            &["Maximum"][..],
            &["MaxItems", "MaxLength", "MinProperties", "Pattern", "items:Maximum"][..],
        ),
        (
            "*string",
            &["MaxLength", "Pattern"],
            &["Minimum", "MaxItems", "MaxProperties"],
        ),
        (
            "[]string",
            &["MaxItems", "items:MaxLength"],
            &["MaxLength", "items:Maximum"],
        ),
        ("map[string]int", &["MaxProperties"], &["MaxItems", "Maximum"]),
        ("other.Thing", &["MaxProperties", "MaxLength", "Maximum"], &[]),
    ] {
        for name in fitting {
            assert!(!last(of, name) || name.starts_with("items:"), "{name} of {of}");
        }
        for name in others {
            assert!(last(of, name), "{name} of {of}");
        }
    }
}

#[test]
fn nothing_is_offered_outside_of_markers() {
    for marked in [
        "package v1|\n",
        "package v1\n\n// A is |\ntype A struct{}\n",
        "package v1\n\nvar a = \"// +|\"\n",
        "package v1\n\ntype A struct {\n\tB int // +|\n}\n",
        "package v1\n\nfunc F() {\n\t// +|\n}\n",
        &field("+optional because |"),
    ] {
        let (text, offset) = at(marked);
        assert_eq!(complete(&text, offset, &markers(), true), None, "{marked}");
    }
}

/// The hover at the cursor, as text.
fn said(marked: &str) -> Option<String> {
    let (text, offset) = at(marked);
    let found = hover(&text, offset, &markers())?;
    Some(format!("{}\n---\n{}", &text[found.span.range()], found.plain()))
}

#[test]
fn markers_are_explained() {
    assert_eq!(
        said(&field("+kubebuilder:validation:Max|Length=3")).as_deref(),
        Some(
            "kubebuilder:validation:MaxLength\n---\n+kubebuilder:validation:MaxLength=integer\n\nLimits the number of characters.\n\n\
             In the CRD: maxLength.\n\nBelongs to a field or a type."
        )
    );
    let scale = said("package v1\n\n// +kubebuilder:ti|tle=a\ntype A struct{}\n").expect("a hover");
    assert!(
        scale.contains("Belongs to a field (since controller-gen 0.18) or a type (since controller-gen 0.20)."),
        "{scale}"
    );
    let items = said(&field("|+kubebuilder:validation:items:Enum=a")).expect("a hover");
    assert!(items.contains("For each item of the list: Restricts"), "{items}");
    let rule = said(&field("+kubebuilder:validation:XValid|ation:rule=\"true\"")).expect("a hover");
    for part in [
        "+kubebuilder:validation:XValidation:rule=string",
        "- rule (string, required): The CEL expression.",
        "- optionalOldSelf (boolean, since controller-gen 0.17)",
        "Values: FieldValueInvalid, FieldValueForbidden",
    ] {
        assert!(rule.contains(part), "{rule}");
    }
    let argument = said(&field("+kubebuilder:validation:XValidation:rule=\"true\",mes|sage=a")).expect("a hover");
    assert!(
        argument.starts_with("message\n---\nmessage: string\n\nThe message of the error."),
        "{argument}"
    );
    let declared = said(&field("+kubebuilder:one|Of:={}")).expect("a hover");
    assert!(declared.contains("declares this marker"), "{declared}");
    for marked in [
        &field("+kubebuilder:unkn|own"),
        &field("+optional |because"),
        &field("|/ optional"),
        "package v|1\n",
        "|",
        "// +optional|",
    ] {
        assert_eq!(said(marked), None, "{marked}");
    }
}

#[test]
fn hostile_files_take_bounded_time() {
    let long = format!("+kubebuilder:validation:XValidation:rule=\"{}|", "a,".repeat(500_000));
    let many = format!("+|\n{}", "\t// +optional\n".repeat(70_000));
    let large = format!("{}{}", field("+|"), "var a = 1\n".repeat(200_000));
    let colons = format!("+{}|", ":".repeat(1_000_000));
    let texts = [field(&long), field(&many), large, field(&colons)];
    for marked in &texts {
        let (text, offset) = at(marked);
        complete(&text, offset, &markers(), true);
        hover(&text, offset, &markers());
    }
    let (text, offset) = at(&texts[2]);
    assert_eq!(
        complete(&text, offset, &markers(), true),
        None,
        "larger files are not parsed"
    );
}

/// Parts of Go files that the test combines at random: whole lines, and parts of lines.
const PIECES: [&str; 46] = [
    "\tB string `json:\"b\"`\n",
    "\tB int // +nullable\n",
    "}\n\ntype A struct {\n",
    "}\n\n// F does.\n// +kubebuilder:rbac:groups=a,verbs=get,list\nfunc F() {}\n\ntype A struct {\n",
    "\t// +optional because of this\n",
    "\t// +kubebuilder:validation:MaxLenght=3\n",
    "\t// +kubebuilder:validation:MaxLength=\"3\"\n",
    "\t// +kubebuilder:validation:XValidation:rule=self in [1, 2],mesage=\"é😀\"\n",
    "\t// +kubebuilder:validation:XValidation:rule=\"self != \u{201D}\"\n",
    "\t// +kubebuilder:validation:Pattern=\"^\\d$\"\r\n",
    "package v1\n",
    "type A struct {\n",
    "}\n",
    "\tB string `json:\"b\"`",
    "\tB struct {",
    "func F() {}\n",
    "type (\n",
    "\n",
    "\r\n",
    "\t// +",
    "// +",
    "//+",
    "/* +optional */",
    "// Text é😀.\n",
    "optional",
    "kubebuilder:validation:",
    "kubebuilder:rbac:groups=a,verbs=get,list",
    "kubebuilder:resource:scope",
    "XValidation:rule=",
    "Pattern=",
    "Enum:=",
    "MaxLenght",
    "ExclusiveMaximum=True",
    "mesage=",
    "crd-analyzer: ignore[unknown-marker] a",
    "=",
    ",",
    ";",
    ":",
    " ",
    "\"",
    "`",
    "{",
    "\\d",
    "\u{201D}",
    "self in [1, 2]",
];

#[test]
fn places_and_edits_fit_any_text() {
    use super::fixes::{ignores, repair_all, repairs};
    use crate::fixes::{Problem, apply};
    use crd_analyzer_gosource::check;
    use crd_analyzer_syntax::tree::Span;
    use crd_analyzer_workspace::sources::go_file;

    let mut random = fastrand::Rng::with_seed(7);
    let mut repaired = 0;
    for _ in 0..100 {
        let count = random.usize(1..20);
        let pieces = std::iter::repeat_with(|| *random.choice(&PIECES).expect("a piece"));
        let text: String = ["package v1\n\n", "type A struct {\n"]
            .into_iter()
            .chain(pieces.take(count).collect::<Vec<_>>())
            .collect();
        let markers = markers();
        let found = markers.find(&text, &check::read(&text));
        let problem = |it: &check::Finding| {
            let span = Span::new(it.span.start as u32, it.span.end as u32);
            Problem::new(go_file::code(&it.problem), span)
        };
        let problems: Vec<_> = found.iter().map(problem).collect();
        for at in text.char_indices().map(|it| it.0).filter(|_| random.u8(..) < 40) {
            if let Some(found) = complete(&text, at as u32, &markers, true) {
                let (insert, replace) = (found.insert, found.replace);
                assert!(text.get(replace.range()).is_some_and(|it| !it.contains('\n')), "{text}");
                assert!(replace.start == insert.start && insert.end <= replace.end, "{text}");
            }
            if let Some(found) = hover(&text, at as u32, &markers) {
                assert!(text.get(found.span.range()).is_some(), "{text}");
            }
        }
        let whole = Span::new(0, text.len() as u32);
        let all = repairs(&text, &markers, problems.iter().cloned(), whole);
        repaired += all.len();
        for fix in all.iter().chain(&ignores(&text, problems.iter().cloned(), whole)) {
            assert!(apply(&text, &fix.edits).is_some(), "{fix:?}\n{text}");
        }
        if let Some((edits, _)) = repair_all(&text, &markers, problems) {
            assert!(apply(&text, &edits).is_some(), "{text}");
        }
    }
    assert!(repaired > 30, "{repaired}");
}
