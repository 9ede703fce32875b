//! Generates packages with types of all kinds, and markers that fit some of them.

#![allow(clippy::format_push_string, reason = "the files are small, and written once")]

use std::{fs, path::Path};

use fastrand::Rng;

/// Markers that fit some types.
const MARKERS: &[&str] = &[
    "kubebuilder:validation:Maximum=3",
    "kubebuilder:validation:Maximum=3.5",
    "kubebuilder:validation:Minimum=-1",
    "kubebuilder:validation:Minimum=0.25",
    "kubebuilder:validation:MultipleOf=2",
    "kubebuilder:validation:MultipleOf=2.5",
    "kubebuilder:validation:ExclusiveMaximum=true",
    "kubebuilder:validation:ExclusiveMinimum=false",
    "kubebuilder:validation:MaxLength=3",
    "kubebuilder:validation:MinLength=1",
    "kubebuilder:validation:Pattern=`^a$`",
    "kubebuilder:validation:MaxItems=3",
    "kubebuilder:validation:MinItems=1",
    "kubebuilder:validation:UniqueItems=true",
    "kubebuilder:validation:MaxProperties=3",
    "kubebuilder:validation:MinProperties=1",
    "kubebuilder:validation:Enum=a;b",
    "kubebuilder:validation:Format=date-time",
    "kubebuilder:validation:XIntOrString",
    "kubebuilder:validation:EmbeddedResource",
    "kubebuilder:pruning:PreserveUnknownFields",
    "kubebuilder:validation:XValidation:rule=\"true\"",
    "kubebuilder:validation:XValidation:rule=\"true\",reason=FieldValueInvalid",
    "kubebuilder:validation:XValidation:rule=\"true\",reason=\"Other\"",
    "kubebuilder:validation:items:Maximum=3",
    "kubebuilder:validation:items:Minimum=0.5",
    "kubebuilder:validation:items:MaxLength=3",
    "kubebuilder:validation:items:Pattern=`^a$`",
    "kubebuilder:validation:items:MaxItems=3",
    "kubebuilder:validation:items:MaxProperties=3",
    "kubebuilder:validation:items:Enum=a;b",
    "kubebuilder:validation:items:XIntOrString",
    "listType=map",
    "listType=set",
    "listType=atomic",
    "listType=other",
    "listMapKey=a",
    "mapType=atomic",
    "mapType=granular",
    "mapType=other",
    "structType=atomic",
    "structType=other",
    "k8s:listType=map",
    "k8s:listMapKey=b",
    "k8s:maxItems=3",
    "k8s:minimum=1",
    "k8s:maximum=1.5",
    "kubebuilder:default=3",
    "kubebuilder:example=3",
];

/// Markers that only fields have.
const OF_FIELDS: &[&str] = &[
    "optional",
    "required",
    "nullable",
    "kubebuilder:validation:Schemaless",
    "k8s:required",
    "k8s:immutable",
    "k8s:enum",
];

/// Arguments of markers that change the type.
const TYPES: &[&str] = &["string", "integer", "number", "boolean", "array", "object", "other"];

/// Go's basic types.
const BASIC: &[&str] = &[
    "string", "bool", "int", "int32", "int64", "uint8", "byte", "float64", "rune",
];

/// Types of another package of the module, and of other modules.
const SELECTED: &[&str] = &[
    "common.Text",
    "common.Number",
    "common.List",
    "common.Map",
    "common.Struct",
    "common.Writes",
    "metav1.Time",
    "metav1.Duration",
    "metav1.ObjectMeta",
    "other.Number",
    "other.Struct",
    "other.Writes",
    "other.List",
];

/// The number of selected types that belong to the module.
const KNOWN: usize = 6;

/// A source of random choices.
struct Random<'a> {
    random: &'a mut Rng,
    is_known: bool,
}

impl std::ops::Deref for Random<'_> {
    type Target = Rng;

    fn deref(&self) -> &Rng {
        self.random
    }
}

impl std::ops::DerefMut for Random<'_> {
    fn deref_mut(&mut self) -> &mut Rng {
        self.random
    }
}

/// Writes the module that will contain the packages, and modules outside it.
pub(super) fn write_module(root: &Path, outside: &Path) -> anyhow::Result<()> {
    let write = |path: &Path, text: &str| -> anyhow::Result<()> {
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        fs::write(path, text)?;
        Ok(())
    };
    let module = |name: &str| format!("module {name}\n\ngo 1.22\n");
    let meta = outside.join("apimachinery");
    let other = outside.join("other");
    write(
        &root.join("go.mod"),
        &format!(
            "{}\nrequire (\n\tk8s.io/apimachinery v0.0.0\n\tother.org/other v0.0.0\n)\n\nreplace (\n\tk8s.io/apimachinery => {}\n\tother.org/other => {}\n)\n",
            module("example.com/m"),
            meta.display(),
            other.display(),
        ),
    )?;
    write(&meta.join("go.mod"), &module("k8s.io/apimachinery"))?;
    write(
        &meta.join("pkg/apis/meta/v1/types.go"),
        "package v1\n\ntype TypeMeta struct {\n\tKind string `json:\"kind\"`\n}\n\ntype ObjectMeta struct {\n\tName string `json:\"name\"`\n}\n\n\
         type Time struct{}\n\nfunc (Time) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype Duration struct{}\n\n\
         func (Duration) MarshalJSON() ([]byte, error) { return nil, nil }\n",
    )?;
    write(&other.join("go.mod"), &module("other.org/other"))?;
    write(
        &other.join("types.go"),
        "package other\n\ntype Number int\n\ntype List []string\n\ntype Struct struct {\n\tA string `json:\"a\"`\n}\n\n\
         type Writes struct {\n\tA string `json:\"a\"`\n}\n\nfunc (Writes) MarshalText() ([]byte, error) { return nil, nil }\n",
    )?;
    write(
        &root.join("common/types.go"),
        "package common\n\ntype Text string\n\ntype Number int32\n\ntype List []string\n\ntype Map map[string]Number\n\n\
         type Struct struct {\n\tA string `json:\"a\"`\n}\n\ntype Writes struct {\n\tA string `json:\"a\"`\n}\n\n\
         func (Writes) MarshalText() ([]byte, error) { return nil, nil }\n",
    )
}

/// The files of a package, with their names.
///
/// If `is_known` is set, all types are in the module, except the types that kinds embed.
pub(super) fn package(n: usize, is_known: bool, random: &mut Rng) -> Vec<(&'static str, String)> {
    let random = &mut Random { random, is_known };
    let header = format!(
        "package {}\n\nimport (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\t\"example.com/m/common\"\n\t\"other.org/other\"\n)\n\n\
         var _ = metav1.Time{{}}\nvar _ = common.Struct{{}}\nvar _ = other.Struct{{}}\n",
        if is_known { format!("p{n}") } else { format!("part{n}") }
    );
    let mut files = [header.clone(), header];
    let count = random.usize(2..8);
    for at in 0..count {
        let mut text = String::new();
        declaration(random, at, count, &mut text);
        files[random.usize(..2)].push_str(&text);
    }
    let kind = "\ntype Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec T0 `json:\"spec\"`\n";
    let file = &mut files[random.usize(..2)];
    file.push_str(kind);
    if random.bool() {
        markers(random, "\t", true, file);
        file.push_str(&format!("\tStatus T{} `json:\"status\"`\n", random.usize(..count)));
    }
    file.push_str("}\n");
    let [mut first, second] = files;
    if random.u8(..8) > 0 {
        first.insert_str(0, "// +groupName=example.com\n");
    }
    vec![("a.go", first), ("b.go", second)]
}

/// A declaration of `T<at>`, which only refers to types that are declared later.
fn declaration(random: &mut Random, at: usize, count: usize, text: &mut String) {
    text.push('\n');
    // crd-analyzer does not resolve aliases of aliases.
    let is_alias = at.is_multiple_of(2) && random.u8(..10) == 0;
    let begin = text.len();
    markers(random, "", false, text);
    let has_items = text[begin..].contains(":items:");
    *text += &format!("type T{at} {}", if is_alias { "= " } else { "" });
    let is_struct = !is_alias && random.u8(..3) > 0;
    if is_struct {
        text.push_str("struct {\n");
        for n in 0..random.usize(1..5) {
            field(random, at, count, n, text);
        }
        text.push_str("}\n");
    } else {
        // controller-gen rejects an alias of anything else.
        let of = match is_alias {
            true if at + 1 < count && random.bool() => format!("T{}", at + 1),
            true => ["string", "bool", "int32", "float64"][random.usize(..4)].to_owned(),
            false => shape(random, at, count, 0),
        };
        text.push_str(&of);
        text.push('\n');
        // Pointer types have no methods.
        if of.starts_with('*') {
            return;
        }
    }
    if is_alias {
        return;
    }
    for method in ["MarshalJSON", "MarshalText"] {
        // For a list type with this method, controller-gen reports two errors with different messages about an `items` marker.
        if has_items && method == "MarshalJSON" {
            continue;
        }
        if random.u8(..12) == 0 {
            let pointer = if random.bool() { "*" } else { "" };
            *text += &format!("\nfunc (t {pointer}T{at}) {method}() ([]byte, error) {{ return nil, nil }}\n");
        }
    }
}

fn field(random: &mut Random, at: usize, count: usize, n: usize, text: &mut String) {
    markers(random, "\t", true, text);
    let later = at + 1..count;
    match random.u8(..14) {
        // At most one type is embedded. If two embedded types have the same method, Go drops it, but crd-analyzer ignores this.
        0 if n == 0 && !later.is_empty() => *text += &format!("\tT{} `json:\",inline\"`\n", random.usize(later)),
        1 => *text += &format!("\tF{n} {} `json:\"-\"`\n", shape(random, at, count, 0)),
        2 if n == 0 && random.bool() => {
            let package = if random.is_known { "common" } else { "other" };
            *text += &format!(
                "\t{package}.{} `json:\",inline\"`\n",
                ["Struct", "Writes"][random.usize(..2)]
            );
        }
        3 if random.bool() => *text += &format!("\tF{n}, G{n} {} `json:\"f{n}\"`\n", shape(random, at, count, 0)),
        _ => *text += &format!("\tF{n} {} `json:\"f{n},omitempty\"`\n", shape(random, at, count, 0)),
    }
}

/// A random type: a basic type, a type of this package, a type of another package, or a composite of these.
fn shape(random: &mut Random, at: usize, count: usize, depth: usize) -> String {
    let most = if depth > 2 { 6 } else { 13 };
    match random.u8(..most) {
        0..=2 => BASIC[random.usize(..BASIC.len())].to_owned(),
        3 => {
            let count = if random.is_known { KNOWN } else { SELECTED.len() };
            SELECTED[random.usize(..count)].to_owned()
        }
        4 | 5 | 12 if at + 1 < count => format!("T{}", random.usize(at + 1..count)),
        6 | 7 => format!("[]{}", shape(random, at, count, depth + 1)),
        8 => format!("*{}", shape(random, at, count, depth + 1)),
        9 => format!("[2]{}", shape(random, at, count, depth + 1)),
        10 | 11 => format!("map[string]{}", shape(random, at, count, depth + 1)),
        _ => "string".to_owned(),
    }
}

/// Writes random marker lines.
fn markers(random: &mut Random, indent: &str, is_field: bool, text: &mut String) {
    let mut all: Vec<String> = Vec::new();
    for _ in 0..random.usize(..4) {
        all.push(match random.u8(..12) {
            0 => format!("kubebuilder:validation:Type={}", TYPES[random.usize(..TYPES.len())]),
            1 if random.bool() => format!(
                "kubebuilder:validation:items:Type={}",
                TYPES[random.usize(..TYPES.len())]
            ),
            2 if is_field => OF_FIELDS[random.usize(..OF_FIELDS.len())].to_owned(),
            2 if random.bool() => "k8s:enum".to_owned(),
            _ => MARKERS[random.usize(..MARKERS.len())].to_owned(),
        });
    }
    // controller-gen applies these markers in random order, so they are not combined.
    if all.iter().any(|it| it.contains("listType=") || it == "k8s:enum") {
        all.retain(|it| !it.starts_with("kubebuilder:validation:Type="));
    }
    let is_type = |it: &String| it.contains("listType=");
    while all.iter().filter(|it| is_type(it)).count() > 1 {
        let at = all.iter().position(is_type).unwrap_or_default();
        all.remove(at);
    }
    for marker in all {
        *text += &format!("{indent}// +{marker}\n");
    }
}
