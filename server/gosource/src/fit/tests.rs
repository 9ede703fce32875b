//! Tests which markers do not fit their types.

use super::*;
use crate::{
    check::{self, Misread, Same, Tagged, declared::Declared},
    module::Folders,
};

/// The files of a package in a module.
struct Files(Vec<(&'static str, String)>);

impl Folders for Files {
    fn list(&self, folder: &Path) -> Vec<(String, bool)> {
        let below = |it: &&(&'static str, String)| Path::new(it.0).starts_with(folder) && Path::new(it.0) != folder;
        let names = self.0.iter().filter(below).filter_map(|it| {
            let rest = Path::new(it.0).strip_prefix(folder).ok()?;
            let mut parts = rest.iter();
            let first = parts.next()?.to_str()?.to_owned();
            Some((first, parts.next().is_some()))
        });
        let mut names: Vec<_> = names.collect();
        names.sort();
        names.dedup();
        names
    }

    fn read(&self, file: &Path) -> Option<String> {
        let found = self.0.iter().find(|it| Path::new(it.0) == file);
        found.map(|it| it.1.clone())
    }
}

const HEAD: &str = "// +groupName=example.com\npackage v1\n\nimport (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\t\"example.com/m/shared\"\n)\n\n\
                    type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\tSpec Spec `json:\"spec\"`\n}\n\n";

const BESIDE: &str = "package v1\n\ntype Name string\n\ntype Names []string\n\ntype Labels map[string]string\n\ntype Written struct{}\n\n\
                      func (w *Written) MarshalText() ([]byte, error) { return nil, nil }\n";

const SHARED: &str = "package shared\n\ntype Names []string\n\ntype Size int\n";

/// The markers in a file that do not fit their types, each with the mismatch.
fn found_in(text: &str, release: u8, has_module: bool) -> Vec<String> {
    let found = all_in(text, release, has_module);
    let shown = found.into_iter().map(|it| {
        let Problem::Mismatched { name, mismatch } = it.problem else {
            return String::new();
        };
        let word = name.rsplit(':').next().unwrap_or_default().to_owned();
        match mismatch {
            Mismatch::Type { wanted, found, written } => format!("{word}: {wanted:?}, not {found:?} {written}"),
            Mismatch::Items { is_named, .. } => format!("{word}: items, named {is_named}"),
            other => format!("{word}: {other:?}"),
        }
    });
    shown.collect()
}

/// The findings in a file.
fn all_in(text: &str, release: u8, has_module: bool) -> Vec<Finding> {
    let files = Files(vec![
        ("/m/go.mod", "module example.com/m\n".to_owned()),
        ("/m/api/v1/types.go", "package v1\n".to_owned()),
        ("/m/api/v1/beside.go", BESIDE.to_owned()),
        ("/m/shared/shared.go", SHARED.to_owned()),
    ]);
    let module = Module::new("/m".into(), std::sync::Arc::new(files));
    let comments = check::read(text);
    let path = Path::new("/m/api/v1/types.go");
    let known = Known {
        release: Release(release),
        declared: &Declared::default(),
        meant: |_, known| known.next(),
    };
    find(&comments, path, has_module.then_some(&module), &known)
}

/// A struct field with this type and these markers, in a file with other declarations.
fn field(markers: &[&str], of: &str) -> String {
    let markers: Vec<String> = markers.iter().map(|it| format!("\t// +{it}\n")).collect();
    let markers = markers.concat();
    format!("{HEAD}type Spec struct {{\n{markers}\tField {of} `json:\"field\"`\n}}\n")
}

#[track_caller]
fn check(release: u8, markers: &[&str], of: &str, expected: &[&str]) {
    let text = field(markers, of);
    assert_eq!(
        found_in(&text, release, true),
        expected,
        "{markers:?} {of}, 0.{release}"
    );
}

const V: &str = "kubebuilder:validation:";

#[test]
fn metadata_consists_of_pairs() {
    let of = |release, marker: &str| {
        let head = HEAD.replace(
            "type Widget",
            &format!("// +kubebuilder:metadata:{marker}\ntype Widget"),
        );
        found_in(&format!("{head}type Spec struct{{}}\n"), release, true)
    };
    let pair = |meant: &str| vec![format!("metadata: Pair {{ meant: {meant:?} }}")];
    assert_eq!(of(19, "labels=foo"), pair("foo=…"));
    assert_eq!(of(23, "labels=a:b"), pair("a=b"));
    assert_eq!(of(19, "annotations=\"a=b\";\"c: d\""), pair("c=d"));
    for fine in [
        "labels=a=b",
        "labels=\"a=b\",annotations={\"c=d\",\"e=f=g\"}",
        "labels=",
    ] {
        assert_eq!(of(19, fine), [] as [String; 0], "{fine}");
    }
}

#[test]
fn types_of_go_itself() {
    let validation = |it: &str| format!("{V}{it}");
    for (marker, of, expected) in [
        ("Minimum=1", "string", Some("Minimum: Number, not Text string")),
        ("Minimum=1", "int32", None),
        ("Minimum=1", "*int32", None),
        ("Minimum=1", "float64", None),
        ("Minimum=1.5", "int32", Some("Minimum: Fraction { written: \"int32\" }")),
        ("Minimum=1.5", "float64", None),
        ("MaxLength=1", "int", Some("MaxLength: Text, not Integer int")),
        ("MaxLength=1", "[]byte", None),
        ("MaxItems=1", "[]byte", Some("MaxItems: List, not Text []byte")),
        ("MaxItems=1", "[]uint8", None),
        ("MaxItems=1", "[4]byte", None),
        (
            "UniqueItems=true",
            "map[string]string",
            Some("UniqueItems: List, not Object map[string]string"),
        ),
        ("MinProperties=1", "map[string]string", None),
        (
            "MinProperties=1",
            "[]string",
            Some("MinProperties: Object, not List []string"),
        ),
        ("Pattern=a", "bool", Some("Pattern: Text, not Bool bool")),
        ("items:Pattern=a", "[]string", None),
        ("items:Pattern=a", "[]int", Some("Pattern: Text, not Integer int")),
        ("items:Pattern=a", "string", Some("Pattern: items, named false")),
        ("items:MaxItems=1", "[][]string", None),
        ("Enum=a;b", "int", None),
        ("Minimum=1", "[]Unknown", Some("Minimum: Number, not List []Unknown")),
        ("Minimum=1", "Unknown", None),
        ("Minimum=1", "List[string]", None),
    ] {
        check(23, &[&validation(marker)], of, expected.as_slice());
    }
}

#[test]
fn names_are_looked_behind_by_some_releases() {
    let text = "kubebuilder:validation:MaxLength=3";
    let local = "MaxLength: Text, not Name { is_local: true } Name";
    check(19, &[text], "Name", &[local]);
    check(20, &[text], "Name", &[]);
    check(
        20,
        &["kubebuilder:validation:Minimum=1"],
        "Name",
        &["Minimum: Number, not Text Name"],
    );
    check(
        22,
        &["listType=set"],
        "Names",
        &["listType: List, not Name { is_local: true } Names"],
    );
    check(23, &["listType=set"], "Names", &[]);
    check(
        23,
        &["kubebuilder:validation:items:MaxLength=3"],
        "Names",
        &["MaxLength: items, named true"],
    );
    check(
        22,
        &["mapType=atomic"],
        "Labels",
        &["mapType: Object, not Name { is_local: true } Labels"],
    );
    check(23, &["mapType=atomic"], "Labels", &[]);
    check(
        23,
        &["kubebuilder:validation:MinProperties=1"],
        "Spec",
        &["MinProperties: Object, not Name { is_local: true } Spec"],
    );
    check(
        23,
        &[text],
        "metav1.Duration",
        &["MaxLength: Text, not Name { is_local: false } metav1.Duration"],
    );
    check(
        23,
        &["kubebuilder:validation:Type=string", text],
        "metav1.Duration",
        &[],
    );
    check(23, &["kubebuilder:validation:MaxItems=3"], "metav1.Duration", &[]);
    check(
        22,
        &["kubebuilder:validation:MaxItems=3"],
        "metav1.Duration",
        &["MaxItems: List, not Name { is_local: false } metav1.Duration"],
    );
    check(23, &["kubebuilder:validation:MaxItems=3"], "shared.Names", &[]);
    check(
        23,
        &["kubebuilder:validation:MaxItems=3"],
        "shared.Size",
        &["MaxItems: List, not Name { is_local: false } shared.Size"],
    );
}

#[test]
fn integers_or_strings() {
    let markers = [
        "kubebuilder:validation:XIntOrString",
        "kubebuilder:validation:Pattern=a",
    ];
    check(16, &markers, "intstr.IntOrString", &[]);
    let markers = [
        "kubebuilder:validation:XIntOrString",
        "kubebuilder:validation:MaxLength=3",
    ];
    check(17, &markers, "intstr.IntOrString", &[]);
    check(
        16,
        &markers,
        "intstr.IntOrString",
        &["MaxLength: Text, not Name { is_local: false } intstr.IntOrString"],
    );
}

#[test]
fn lists_with_keys() {
    check(23, &["listType=map", "listMapKey=a"], "[]Spec", &[]);
    check(23, &["listMapKey=a"], "[]Spec", &["listMapKey: Keys"]);
    check(23, &["listType=set", "listMapKey=a"], "[]Spec", &["listMapKey: Keys"]);
    check(23, &["listMapKey=a"], "string", &["listMapKey: List, not Text string"]);
    check(
        23,
        &["listType=maps"],
        "[]Spec",
        &["listType: Value { values: [\"map\", \"set\", \"atomic\"] }"],
    );
    check(
        23,
        &["mapType=set"],
        "map[string]string",
        &["mapType: Value { values: [\"granular\", \"atomic\"] }"],
    );
    let rule = "kubebuilder:validation:XValidation:rule=\"true\",reason=";
    check(23, &[&format!("{rule}FieldValueInvalid")], "string", &[]);
    let reasons = "[\"FieldValueRequired\", \"FieldValueInvalid\", \"FieldValueForbidden\", \"FieldValueDuplicate\"]";
    let expected = format!("XValidation: Value {{ values: {reasons} }}");
    check(23, &[&format!("{rule}\"Invalid\"")], "string", &[&expected]);
    check(23, &["k8s:enum"], "string", &["enum: OnField"]);
    check(20, &["k8s:enum"], "string", &[]);
}

#[test]
fn declarations_of_types() {
    let minimum = "// +kubebuilder:validation:Minimum=1\n";
    let spec = "type Spec struct {\n\tField Size `json:\"field\"`\n}\n\n";
    let told =
        |declaration: &str, release: u8| found_in(&format!("{HEAD}{spec}{minimum}{declaration}\n"), release, true);
    assert_eq!(told("type Size string", 23), ["Minimum: Number, not Text string"]);
    assert_eq!(told("type Size int", 23), [] as [&str; 0]);
    assert_eq!(told("type Size Name", 23), ["Minimum: Number, not Text Name"]);
    assert_eq!(told("type Size = string", 23), ["Minimum: Number, not Text string"]);
    let writes =
        |method: &str| format!("type Size int\n\nfunc (Size) {method}() ([]byte, error) {{ return nil, nil }}");
    assert_eq!(told(&writes("MarshalJSON"), 23), ["Minimum: Number, not Marshaler int"]);
    assert_eq!(told(&writes("MarshalText"), 23), ["Minimum: Number, not Text int"]);
    assert_eq!(told(&writes("MarshalText"), 16), [] as [&str; 0]);
}

#[test]
fn only_what_controller_gen_reads() {
    let wrong = "\t// +kubebuilder:validation:Minimum=1\n\tField string";
    let told = |text: &str| found_in(text, 23, true).len();
    let spec = |field: &str| format!("{HEAD}type Spec struct {{\n{field}\n}}\n");
    assert_eq!(told(&spec(&format!("{wrong} `json:\"field\"`"))), 1);
    assert_eq!(
        told(&spec(&format!("{wrong} `json:\"-\"`"))),
        0,
        "the field is left out"
    );
    assert_eq!(told(&spec(wrong)), 0, "another error comes first");
    let other = format!("{HEAD}type Spec struct{{}}\n\ntype Unused struct {{\n{wrong} `json:\"field\"`\n}}\n");
    assert_eq!(told(&other), 0, "no kind uses it");
    let text = spec(&format!("{wrong} `json:\"field\"`"));
    assert_eq!(told(&text.replace("package v1", "// +kubebuilder:skip\npackage v1")), 0);
    assert_eq!(
        found_in(&text, 23, false),
        [] as [&str; 0],
        "other files of the package may have methods"
    );
    let without_group = text.replace("// +groupName=example.com\n", "");
    assert_eq!(found_in(&without_group, 19, true).len(), 1);
    assert_eq!(found_in(&without_group, 18, true).len(), 0);
}

/// The fields with the JSON name of another field in a struct with these lines, each with the other one.
fn same_names(lines: &str) -> Vec<String> {
    let others = "type Left struct {\n\tA string `json:\"a\"`\n\tDeep `json:\",inline\"`\n}\n\n\
                  type Right struct {\n\tA string `json:\"a\"`\n\tB string `json:\"b\"`\n}\n\n\
                  type Deep struct {\n\tB string `json:\"b\"`\n}\n";
    let text = format!("{HEAD}type Spec struct {{\n{lines}}}\n\n{others}");
    let shown = all_in(&text, 21, true).into_iter().map(|it| {
        let Problem::SameName { name, same } = it.problem else {
            return String::new();
        };
        let other = match same {
            Same::Beside { first } => format!(
                "{} at {}",
                &text[first.clone()],
                text[..first.start].matches('\n').count()
            ),
            Same::Embedded { first } => format!("in {}", &text[first]),
            Same::Inside { within } => format!("hides {within}"),
        };
        format!("{} {name}: {other}", &text[it.span])
    });
    shown.collect()
}

#[test]
fn fields_with_the_same_json_name() {
    let first = HEAD.matches('\n').count() + 1;
    let beside = |names: &str, other: &str| vec![format!("{names} a: {other} at {first}")];
    let none: Vec<String> = Vec::new();
    for (lines, expected) in [
        ("\tA int `json:\"a\"`\n\tB int `json:\"b\"`\n", none.clone()),
        (
            "\tA int `json:\"a\"`\n\tB int `json:\"a,omitempty\"`\n",
            beside("a", "a"),
        ),
        ("\tA, B int `json:\"a\"`\n", beside("a", "A")),
        ("\tA int `json:\"-\"`\n\tB int `json:\"-\"`\n", none.clone()),
        ("\ta int `json:\"a\"`\n\tA int `json:\"a\"`\n", none.clone()),
        ("\tLeft `json:\",inline\"`\n", none.clone()),
        ("\tLeft `json:\"left\"`\n\tA int `json:\"a\"`\n", none.clone()),
        (
            "\tA int `json:\"a\"`\n\t*Left `json:\",inline\"`\n",
            vec!["a a: hides Left".to_owned()],
        ),
        // `b` of `Left` is one struct further down, so only that of `Right` remains.
        (
            "\tLeft `json:\",inline\"`\n\tRight `json:\",inline\"`\n",
            vec!["Right a: in Left".to_owned()],
        ),
    ] {
        assert_eq!(same_names(lines), expected, "{lines}");
    }
}

#[test]
fn fields_of_other_types_may_have_the_same_json_name() {
    // No kind uses the type, so it may not be a part of an API.
    let text = "package v1\n\ntype A struct {\n\tA int `json:\"a\"`\n\tB int `json:\"a\"`\n}\n";
    assert_eq!(all_in(text, 21, true), []);
}

/// What is misread in the markers of a struct with these lines, and what is wrong with its JSON tags.
fn misread(lines: &str) -> Vec<String> {
    let text = format!("{HEAD}type Spec struct {{\n{lines}}}\n");
    let shown = |it: Finding| match it.problem {
        Problem::Misread { of, meant, .. } => Some(format!("{of:?} {}: {meant:?}", &text[it.span])),
        Problem::Tagged(of) => Some(format!("{} {of:?}", &text[it.span])),
        _ => None,
    };
    all_in(&text, 21, true).into_iter().filter_map(shown).collect()
}

#[test]
fn values_that_are_read_in_another_way() {
    for (marker, expected) in [
        ("validation:Enum=a;b", None),
        ("validation:Enum=a|b", Some((Misread::Separators, "a|b", Some("a;b")))),
        (
            "validation:Enum=\"a;b\"",
            Some((Misread::Separators, "\"a;b\"", Some("a;b"))),
        ),
        ("validation:Enum=[a;b]", Some((Misread::Brackets, "[a;b]", Some("a;b")))),
        ("validation:Enum=(a)", Some((Misread::Brackets, "(a)", Some("a")))),
        ("validation:Enum=a;'b'", Some((Misread::Quotes, "'b'", Some("\"b\"")))),
        ("validation:Enum=a | \";\"", None),
        ("default='a'", Some((Misread::Quotes, "'a'", Some("\"a\"")))),
        ("default=it's", None),
        ("default=null", Some((Misread::Null, "null", None))),
        ("default=\"null\"", None),
    ] {
        let found = misread(&format!("\t// +kubebuilder:{marker}\n\tA string `json:\"a\"`\n"));
        let expected = expected.map(|(of, written, meant)| format!("{of:?} {written}: {meant:?}"));
        assert_eq!(found, Vec::from_iter(expected), "{marker}");
    }
    let of_pointer = "\t// +kubebuilder:default=null\n\t// +nullable\n\tA *Other `json:\"a\"`\n";
    assert_eq!(misread(of_pointer), [] as [&str; 0], "the type is unknown");
}

#[test]
fn tags_that_say_something_else() {
    let option = |written: &str, meant: Option<&str>| {
        let of = Tagged::Option {
            written: written.to_owned(),
            meant: meant.map(str::to_owned),
        };
        vec![format!("{written} {of:?}")]
    };
    let nameless = |tag: &str| vec![format!("{tag} {:?}", Tagged::Nameless { go: "A".to_owned() })];
    let name = |written: &str, meant: &str| {
        let (written, meant) = (written.to_owned(), meant.to_owned());
        let shown = written.clone();
        vec![format!("{shown} {:?}", Tagged::Name { written, meant })]
    };
    assert_eq!(misread("\tName `json:\"inline\"`\n"), name("inline", ",inline"));
    for (tag, expected) in [
        ("a", vec![]),
        ("a,omitempty", vec![]),
        ("a,omitempty,string", vec![]),
        ("a,omitzero,format:date", vec![]),
        ("-", vec![]),
        ("a,omitEmpty", option("omitEmpty", Some("omitempty"))),
        ("a, omitempty", option(" omitempty", Some("omitempty"))),
        ("a,omitemtpy", option("omitemtpy", Some("omitempty"))),
        ("a,opt", option("opt", Some("omitempty"))),
        ("a omitempty", name("a omitempty", "a,omitempty")),
        ("a; omitempty", name("a; omitempty", "a,omitempty")),
        ("a omitempty,string", name("a omitempty", "a,omitempty")),
        ("a b", vec![]),
        ("inline", vec![]),
        (",omitempty", nameless(",omitempty")),
        (",inline", nameless(",inline")),
    ] {
        let found = misread(&format!("\tA string `json:\"{tag}\"`\n"));
        assert_eq!(found, expected, "{tag}");
    }
}
