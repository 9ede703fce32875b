//! Generates Go files with markers in all kinds of places and with all kinds of arguments.

#![allow(clippy::format_push_string, reason = "the files are small, and written once")]

use fastrand::Rng;

/// Names of existing markers, and names that do not exist.
const MARKERS: &[&str] = &[
    "optional",
    "required",
    "nullable",
    "groupName=example.com",
    "versionName=v1",
    "listType=map",
    "listMapKey=name",
    "default=3",
    "kubebuilder:default=3",
    "kubebuilder:default:={a: 1}",
    "kubebuilder:object:root=true",
    "kubebuilder:object:generate=true",
    "kubebuilder:subresource:status",
    "kubebuilder:subresource:scale:specpath=.a,statuspath=.b",
    "kubebuilder:printcolumn:name=A,type=string,JSONPath=.spec.a",
    "kubebuilder:rbac:groups=a;b,resources=c,verbs=get;list",
    "kubebuilder:resource:shortName={a,b},scope=Cluster",
    "kubebuilder:skip",
    "kubebuilder:validation:Required",
    "kubebuilder:validation:Optional",
    "kubebuilder:validation:MaxLength=3",
    "kubebuilder:validation:MinLength=-3",
    "kubebuilder:validation:Maximum=3.5",
    "kubebuilder:validation:ExclusiveMaximum=true",
    "kubebuilder:validation:Pattern=^a$",
    "kubebuilder:validation:Pattern=`^a,b$`",
    "kubebuilder:validation:Enum=a;b;c",
    "kubebuilder:validation:Enum=a,b",
    "kubebuilder:validation:Enum={a,b}",
    "kubebuilder:validation:Enum=1;2",
    "kubebuilder:validation:items:Enum=\"a\";b c",
    "kubebuilder:example={a: {1,2}}",
    "kubebuilder:title=a b",
    "default={\"a\": [1]}",
    "default=\"a\"",
    "kubebuilder:validation:items:MaxLength=3",
    "kubebuilder:validation:XValidation:rule=\"self.a == 1\",message=\"no\"",
    "kubebuilder:validation:XValidation:rule=\"self.a == 1\", message=\"no\"",
    "kubebuilder:validation:ExactlyOneOf=a;b",
    "kubebuilder:validation:UniqueItems=false",
    "kubebuilder:metadata:labels=a=b",
    "kubebuilder:externalDocs:url=\"https://example.com\"",
    "k8s:enum",
    "k8s:required",
    "k8s:immutable",
    "k8s:listMapKey=name",
    "k8s:maxItems=3",
    "k8s:maximum=1.5 # a comment",
    "k8s:minimum=3",
    "k8s:deepcopy-gen:interfaces=example.com/a.B",
    "k8s:deepcopy-gen=package",
    "genclient",
    "kubebuilder:nothing=3",
    "optional text",
];

/// Fragments that make arguments invalid or unusual.
const ODD: &[&str] = &[
    "",
    "a",
    "1.5",
    "true",
    "\"",
    "`",
    "\"a",
    "{",
    "}",
    ";",
    ",",
    "=",
    " ",
    "-1",
    "1 2",
    "a=b",
    "{a,b}",
    "\"a\" b",
    "x,y=1",
    "rule=1",
    "1;a",
    "true;false",
    "12Mi",
    "087",
    "0x1F",
    "1_0",
    "{a: 1, b: {c: x}}",
    "{a: 1;2}",
    "{{1},{2}}",
    "{a:",
    "[1,2]",
    "[1,",
    "{\"a\": 01}",
    "\"\\q\"",
    "null",
    "'x'",
    "a: b",
    "1.",
    "-",
    "- 1",
    "1e",
    "0b12",
    "1 ",
    "a ;b",
    "{a;b}",
    "{1, a}",
    "ref(A)",
];

/// A file with valid Go syntax.
pub(super) fn file(random: &mut Rng) -> String {
    let mut text = String::new();
    comments(random, "", &mut text);
    text.push_str("package v1\n\n");
    for n in 0..random.usize(1..6) {
        comments(random, "", &mut text);
        match random.u8(..6) {
            0 => text += &format!("func F{n}() {{\n\t// +optional\n\t_ = 1 // +required\n}}\n"),
            1 => text += &format!("const C{n} = 1{}\n", behind(random)),
            2 => {
                text.push_str("type (\n");
                for m in 0..random.usize(1..3) {
                    comments(random, "\t", &mut text);
                    text += &format!("\tG{n}x{m} ");
                    of(random, "\t", 0, &mut text);
                    text.push_str(&behind(random));
                    text.push('\n');
                }
                comments(random, "\t", &mut text);
                text.push_str(")\n");
            }
            _ => {
                text += &format!("type T{n} ");
                of(random, "", 0, &mut text);
                text.push_str(&behind(random));
                text.push('\n');
            }
        }
        if random.bool() {
            text.push('\n');
        }
    }
    comments(random, "", &mut text);
    text
}

/// A random type.
fn of(random: &mut Rng, indent: &str, depth: usize, text: &mut String) {
    if depth > 2 || random.u8(..3) == 0 {
        let types = ["string", "int", "[]string", "map[string]int", "metav1.Time", "*T0"];
        text.push_str(types[random.usize(..types.len())]);
        return;
    }
    text.push_str("struct {");
    text.push_str(&behind(random));
    text.push('\n');
    let inner = format!("{indent}\t");
    for n in 0..random.usize(..5) {
        comments(random, &inner, text);
        text.push_str(&inner);
        match random.u8(..8) {
            0 => text.push_str("metav1.ObjectMeta `json:\"metadata\"`"),
            1 => *text += &format!("A{n}, B{n} string"),
            2 => {
                *text += &format!("S{n} ");
                of(random, &inner, depth + 1, text);
            }
            _ => *text += &format!("F{n} string `json:\"f{n}\"`"),
        }
        text.push_str(&behind(random));
        text.push('\n');
    }
    comments(random, &inner, text);
    *text += &format!("{indent}}}");
}

/// A comment at the end of a line, or nothing.
fn behind(random: &mut Rng) -> String {
    match random.u8(..6) {
        0 => format!(" // +{}", marker(random)),
        1 => " // a".to_owned(),
        _ => String::new(),
    }
}

/// Comment lines, some of them separated by blank lines.
fn comments(random: &mut Rng, indent: &str, text: &mut String) {
    for _ in 0..random.usize(..4) {
        match random.u8(..8) {
            0 => *text += &format!("{indent}// What it is.\n"),
            1 => text.push('\n'),
            2 if random.bool() => *text += &format!("{indent}/* a\n{indent}+optional */\n"),
            _ => text.push_str(&format!(
                "{indent}//{}+{}\n",
                [" ", "", "  "][random.usize(..3)],
                marker(random)
            )),
        }
    }
    if random.u8(..4) == 0 {
        text.push('\n');
    }
}

fn marker(random: &mut Rng) -> String {
    let mut marker = MARKERS[random.usize(..MARKERS.len())].to_owned();
    if random.u8(..6) == 0 {
        let odd = ODD[random.usize(..ODD.len())];
        match marker.rfind(['=', ',']).filter(|_| random.bool()) {
            Some(at) => marker.replace_range(at + 1.., odd),
            None => marker.push_str(odd),
        }
    }
    marker
}
