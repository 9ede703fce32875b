//! Generates random Go types with markers in two versions: the version from which the CRD was generated, and a version with other marker values.

use std::fmt::Write as _;

use fastrand::Rng;

/// A package with one kind.
pub(super) struct Package {
    /// The number of the package. The names of its group and kind contain this number.
    number: usize,
    pieces: Vec<Piece>,
}

/// A piece of a file.
enum Piece {
    Text(String),
    /// The value of a marker, before and after the change.
    Value([String; 2]),
    /// A line, and whether the file contains the line before and after the change.
    Line(String, [bool; 2]),
}

/// The type of a field.
#[derive(Clone)]
enum Type {
    Text,
    Number,
    Bool,
    List(Box<Type>),
    Map(Box<Type>),
    /// A named type of the package, with its underlying type.
    Named(String, Box<Type>),
    Struct(String),
}

impl Type {
    fn go(&self) -> String {
        match self {
            Self::Text => "string".to_owned(),
            Self::Number => "int32".to_owned(),
            Self::Bool => "bool".to_owned(),
            Self::List(of) => format!("[]{}", of.go()),
            Self::Map(of) => format!("map[string]{}", of.go()),
            Self::Named(name, _) | Self::Struct(name) => name.clone(),
        }
    }

    /// The underlying type.
    fn behind(&self) -> &Self {
        match self {
            Self::Named(_, of) => of.behind(),
            other => other,
        }
    }
}

impl Package {
    /// Generates a random package.
    pub(super) fn new(number: usize, random: &mut Rng) -> Self {
        let mut making = Making {
            random,
            pieces: Vec::new(),
        };
        making.package(number);
        Self {
            number,
            pieces: making.pieces,
        }
    }

    /// The path of the package's file.
    pub(super) fn path(&self) -> String {
        format!("p{}/v1/types.go", self.number)
    }

    /// The prefix of the file name of the package's CRD.
    pub(super) fn crd(&self) -> String {
        format!("g{}.example.com_", self.number)
    }

    /// The content of the package's file, before or after the change.
    pub(super) fn text(&self, is_after: bool) -> String {
        let at = usize::from(is_after);
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(it) => text.push_str(it),
                Piece::Value(values) => text.push_str(&values[at]),
                Piece::Line(line, is_there) if is_there[at] => text.push_str(line),
                Piece::Line(..) => {}
            }
        }
        text
    }
}

/// Values whose type controller-gen guesses.
const ANY: &[&str] = &[
    "5",
    "-3",
    "1.5",
    "1.0",
    "1e3",
    "012",
    "true",
    "false",
    "tea",
    "no",
    "null",
    "\"1\"",
    "`a`",
    "'x'",
    "{}",
    "{a: 1}",
    "{\"a\": {b: \"x\"}, c: true, d: {1,2}}",
    "{a: {}, b: -1.50}",
    "{1,2}",
    "{\"a\", \"b\"}",
    "{{a: 1}, {b: x}}",
    "{{1},{2, 3}}",
    "a;b",
    "1;2",
    "a ;b",
    "x;1",
    ";a",
    "100Mi",
    "2024-01-15",
    "087",
    "12/a",
    "a b",
    "a:b",
    "a \"b;c\"",
    "{a: b:c}",
    "{a: 5m, b: 1 }",
];

/// Values in JSON syntax.
const JSON: &[&str] = &[
    "5",
    "-1.50",
    "1e3",
    "\"a\"",
    "\"a\\u00e4\\/\"",
    "true",
    "null",
    "[]",
    "{}",
    "[1, \"a\", null]",
    "{\"a\": {\"b\": [1]}, \"a\": 2}",
    "ref(Some)",
];

struct Making<'r> {
    random: &'r mut Rng,
    pieces: Vec<Piece>,
}

impl Making<'_> {
    fn text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    fn is(&mut self, percent: u8) -> bool {
        self.random.u8(0..100) < percent
    }

    fn package(&mut self, number: usize) {
        self.text(&format!(
            "// +groupName=g{number}.example.com\n// +versionName=v1\npackage v1\n\nimport metav1 \
             \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n"
        ));
        let mut known: Vec<Type> = vec![Type::Text, Type::Number, Type::Bool];
        for n in 0..self.random.usize(0..4) {
            let of = self.of(&known);
            if matches!(of.behind(), Type::Struct(_)) {
                continue;
            }
            let name = format!("Named{n}");
            self.markers(&of, false);
            self.text(&format!("type {name} {}\n\n", of.go()));
            known.push(Type::Named(name, Box::new(of)));
        }
        let structs = self.random.usize(1..4);
        for n in 0..structs {
            let name = if n + 1 == structs {
                "Spec".to_owned()
            } else {
                format!("Struct{n}")
            };
            self.structure(&name, &known);
            known.push(Type::Struct(name));
        }
        for n in 0..self.random.usize(0..3) {
            let name = ["Name", "Phase", "Size"][n];
            self.text(&format!(
                "// +kubebuilder:printcolumn:name={name},type=string,JSONPath="
            ));
            self.value(|random| format!(".spec.f{}", random.u8(0..5)));
            self.text("\n");
        }
        self.kind();
        self.text(&format!(
            "type K{number} struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta \
             `json:\"metadata,omitempty\"`\n\tSpec Spec `json:\"spec\"`\n}}\n"
        ));
    }

    /// Writes markers of the kind, except for its columns.
    fn kind(&mut self) {
        let resources = [
            "",
            "shortName=a;bc",
            "shortName={a}",
            "scope=Cluster",
            "scope=Namespaced,shortName=x",
            "path=others",
            "path=Others,singular=one",
            "categories=all;own,singular=one",
            "scope=cluster",
        ];
        let resource = |random: &mut Rng| match resources[random.usize(0..resources.len())] {
            "" => "// +kubebuilder:storageversion\n".to_owned(),
            arguments => format!("// +kubebuilder:resource:{arguments}\n"),
        };
        let status = |random: &mut Rng| ["", "// +kubebuilder:subresource:status\n"][random.usize(0..2)].to_owned();
        let scale = |random: &mut Rng| {
            let path = [".spec.a", "spec.a", ""][random.usize(0..3)];
            let selector = ["", ",selectorpath=.status.s"][random.usize(0..2)];
            match path {
                "" => String::new(),
                _ => format!("// +kubebuilder:subresource:scale:specpath={path},statuspath=.status.b{selector}\n"),
            }
        };
        let others = [
            "",
            "// +kubebuilder:deprecatedversion\n",
            "// +kubebuilder:deprecatedversion:warning=\"a, b\"\n",
            "// +kubebuilder:storageversion\n",
        ];
        let other = |random: &mut Rng| others[random.usize(0..others.len())].to_owned();
        self.value(resource);
        self.value(status);
        self.value(scale);
        self.value(other);
    }

    fn of(&mut self, known: &[Type]) -> Type {
        let of = known[self.random.usize(0..known.len())].clone();
        match self.random.u8(0..10) {
            0..2 => Type::List(Box::new(of)),
            2 => Type::Map(Box::new(of)),
            _ => of,
        }
    }

    fn structure(&mut self, name: &str, known: &[Type]) {
        self.markers(&Type::Struct(name.to_owned()), false);
        self.text(&format!("type {name} struct {{\n"));
        let others = known.iter().filter_map(|it| match it {
            Type::Struct(name) => Some(name.clone()),
            _ => None,
        });
        let others: Vec<String> = others.collect();
        if let Some(other) = others.first()
            && self.is(30)
        {
            self.text(&format!("\t{other} `json:\",inline\"`\n"));
        }
        for n in 0..self.random.usize(1..6) {
            let of = self.of(known);
            self.markers(&of, true);
            let pointer = if self.is(20) && matches!(of, Type::Struct(_) | Type::Text) {
                "*"
            } else {
                ""
            };
            let field = format!("{}{n}", name.to_lowercase());
            let go = of.go();
            let name = field.replacen(|it: char| it.is_ascii_lowercase(), "F", 1);
            self.text(&format!("\t{name} {pointer}{go} `json:\"{field}\"`\n"));
        }
        self.text("}\n\n");
    }

    /// Writes markers that fit a type.
    fn markers(&mut self, of: &Type, is_field: bool) {
        let indent = if is_field { "\t" } else { "" };
        for _ in 0..self.random.usize(0..4) {
            if self.is(25) {
                self.flag(of, indent, is_field);
                continue;
            }
            let is_items = matches!(of, Type::List(_)) && self.is(40);
            let (of, items) = match of {
                Type::List(of) if is_items => (&**of, "items:"),
                other => (other, ""),
            };
            let numbers: &[&str] = match of.behind() {
                Type::Text => &["MaxLength", "MinLength"],
                Type::Number => &["Maximum", "Minimum", "MultipleOf"],
                Type::List(_) => &["MaxItems", "MinItems"],
                Type::Map(_) | Type::Struct(_) => &["MaxProperties", "MinProperties"],
                Type::Bool | Type::Named(..) => &[],
            };
            // controller-gen does not resolve all named types.
            let is_plain = !matches!(of, Type::Named(..) | Type::Struct(_)) || numbers.len() == 3;
            let begin = format!("{indent}// +kubebuilder:validation:{items}");
            match self.random.u8(0..10) {
                0..4 => self.rule(&begin),
                4..7 if is_plain && !numbers.is_empty() => {
                    let name = numbers[self.random.usize(0..numbers.len())];
                    self.value(|random| match random.u8(0..4) {
                        0 => String::new(),
                        _ => format!("{begin}{name}={}\n", random.u8(1..100)),
                    });
                }
                7 if matches!(of, Type::Text) => {
                    self.text(&format!("{begin}Pattern="));
                    self.value(|random| quoted(&format!("^[a-z]{{1,{}}}\\d\"?$", random.u8(1..50)), random));
                    self.text("\n");
                }
                8 if matches!(of, Type::Text) => {
                    self.text(&format!("{begin}Enum="));
                    self.value(|random| {
                        let words = ["a", "b-c", "\"d e\"", "`f`", "F1", "1", "true", "1.5", "a b"];
                        let count = random.usize(1..4);
                        let chosen: Vec<&str> = (0..count).map(|n| words[(n + random.usize(0..5)) % 9]).collect();
                        chosen.join(";")
                    });
                    self.text("\n");
                }
                9 if is_field && items.is_empty() => {
                    let of = of.clone();
                    let name = [
                        "kubebuilder:default",
                        "kubebuilder:default:",
                        "kubebuilder:example",
                        "default",
                    ];
                    let name = name[self.random.usize(0..name.len())];
                    self.text(&format!("{indent}// +{name}="));
                    let is_json = name == "default";
                    self.value(move |random| match of {
                        _ if is_json => JSON[random.usize(0..JSON.len())].to_owned(),
                        _ if random.u8(0..3) == 0 => ANY[random.usize(0..ANY.len())].to_owned(),
                        Type::Number => random.u8(1..50).to_string(),
                        Type::Bool => random.bool().to_string(),
                        Type::List(_) => "{}".to_owned(),
                        _ if random.bool() => quoted("a \"b\"\\", random),
                        _ => format!("x{}", random.u8(..)),
                    });
                    self.text("\n");
                }
                _ => {}
            }
        }
    }

    /// Writes a marker with a list or map type, or a marker without a value. The marker may exist only before or only after the change.
    fn flag(&mut self, of: &Type, indent: &str, is_field: bool) {
        let is_there = [[true, true], [true, false], [false, true]][self.random.usize(0..3)];
        let list = ["listType=atomic", "listType=set", "listType=map"][self.random.usize(0..3)];
        let mut names = vec!["kubebuilder:pruning:PreserveUnknownFields"];
        if is_field {
            names.extend(["nullable", "optional", "required", "kubebuilder:validation:Optional"]);
            names.push("kubebuilder:validation:Required");
        }
        match of {
            Type::List(_) => names.extend([list, list, list]),
            Type::Map(_) => names.extend(["mapType=atomic", "mapType=granular"]),
            Type::Struct(_) => names.extend(["structType=atomic", "kubebuilder:validation:XEmbeddedResource"]),
            _ => {}
        }
        let name = names[self.random.usize(0..names.len())];
        if name == "listType=map" {
            let keys = [
                "",
                "// +listMapKey=a\n",
                "// +listMapKey=a\n// +listMapKey=b\n",
                "// +listMapKey=a\n// +listMapKey=a\n",
            ];
            self.text(&format!("{indent}// +{name}\n"));
            self.value(|random| keys[random.usize(0..4)].replace("//", &format!("{indent}//")));
            return;
        }
        let line = format!("{indent}// +{name}\n");
        // Without the marker, the JSON tag determines whether a field is required, and the CRD is then not updated.
        let stays = name.ends_with("ptional") || name.ends_with("equired");
        let is_there = if stays {
            [is_there[0] && is_there[1], true]
        } else {
            is_there
        };
        self.pieces.push(Piece::Line(line, is_there));
    }

    fn rule(&mut self, begin: &str) {
        let expression = |random: &mut Rng| {
            let text = [
                "self == oldSelf",
                "has(self.a) && self.b != \"x\"",
                "self.matches('^\\\\d+$')",
                "size(self) < 5",
                "true",
            ][random.usize(0..5)];
            let mut text = text.to_owned();
            let _ = write!(text, " || {} > 1", random.u8(..));
            text
        };
        let first = expression(self.random);
        let line = format!("{begin}XValidation:rule={}\n", quoted(&first, self.random));
        match self.random.u8(0..10) {
            0 => self.pieces.push(Piece::Line(line, [true, false])),
            1 => self.pieces.push(Piece::Line(line, [false, true])),
            _ => {
                self.text(&format!("{begin}XValidation:rule="));
                self.value(|random| quoted(&expression(random), random));
                if self.is(40) {
                    self.text(",message=");
                    self.value(|random| quoted(["a, b", "it is \"wrong\"", "x"][random.usize(0..3)], random));
                }
                self.text("\n");
            }
        }
    }

    /// Writes a value that may differ before and after the change.
    fn value(&mut self, make: impl Fn(&mut Rng) -> String) {
        let before = make(self.random);
        let after = if self.is(30) { make(self.random) } else { before.clone() };
        self.pieces.push(Piece::Value([before, after]));
    }
}

/// A string in Go quotes.
fn quoted(text: &str, random: &mut Rng) -> String {
    if random.bool() && !text.contains('`') {
        return format!("`{text}`");
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
