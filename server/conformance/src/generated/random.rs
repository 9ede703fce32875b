//! Generates random Go types of all forms, with markers that may or may not fit.

use std::fmt::Write as _;

use fastrand::Rng;

/// The file of a package with one kind. The names of its group and kind contain `number`.
pub(super) fn file(number: usize, random: &mut Rng) -> String {
    let mut making = Making {
        random,
        text: String::new(),
        types: Vec::new(),
        is_careful: false,
    };
    // Most packages should be accepted.
    making.is_careful = making.random.u8(..10) < 8;
    making.package(number);
    making.text
}

/// The JSON form of a type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Integer,
    Bool,
    List,
    Object,
    Unknown,
}

/// A named type.
#[derive(Clone)]
struct Named {
    name: String,
    form: Form,
    /// Whether the type is a struct that other types can embed.
    is_struct: bool,
    /// Whether controller-gen does not resolve references to the type.
    is_hidden: bool,
}

struct Making<'r> {
    random: &'r mut Rng,
    text: String,
    types: Vec<Named>,
    is_careful: bool,
}

/// Types of other packages.
const IMPORTED: [(&str, Form); 14] = [
    ("metav1.Time", Form::Unknown),
    ("metav1.Duration", Form::Unknown),
    ("metav1.MicroTime", Form::Unknown),
    ("metav1.Condition", Form::Unknown),
    ("metav1.LabelSelector", Form::Unknown),
    ("metav1.ObjectMeta", Form::Unknown),
    ("metav1.FieldsV1", Form::Unknown),
    ("resource.Quantity", Form::Unknown),
    ("intstr.IntOrString", Form::Unknown),
    ("runtime.RawExtension", Form::Unknown),
    ("apiextensionsv1.JSON", Form::Unknown),
    ("corev1.SecretKeySelector", Form::Unknown),
    ("corev1.ResourceRequirements", Form::Unknown),
    ("corev1.PullPolicy", Form::Unknown),
];

/// The packages that files can import, with their aliases.
const PACKAGES: [(&str, &str); 6] = [
    ("corev1", "k8s.io/api/core/v1"),
    (
        "apiextensionsv1",
        "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
    ),
    ("resource", "k8s.io/apimachinery/pkg/api/resource"),
    ("metav1", "k8s.io/apimachinery/pkg/apis/meta/v1"),
    ("runtime", "k8s.io/apimachinery/pkg/runtime"),
    ("intstr", "k8s.io/apimachinery/pkg/util/intstr"),
];

const DOCUMENTATION: [&str; 14] = [
    "It says how many there are.",
    "The first line.\nThe second line, which goes on.",
    "A paragraph.\n\nAnother paragraph.",
    "A very long line that goes on and on until it is much longer than the eighty characters that fit, and then some more of it.",
    "TODO: left out.\nKept.",
    "Words: with a colon.",
    "# A hash at the start",
    "- a list\n- of two",
    "It's \"quoted\" and `raw`.",
    "Before.\n---\nBehind a line.",
    "```\ncode:\n  more\n```",
    "true",
    "tab\there and trailing   ",
    "Grüße, 世界 — done…",
];

impl Making<'_> {
    fn chance(&mut self, percent: u8) -> bool {
        self.random.u8(..100) < percent
    }

    fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.random.usize(..all.len())].clone()
    }

    fn documentation(&mut self, indent: &str) {
        if !self.chance(60) {
            return;
        }
        let text = self.pick(&DOCUMENTATION);
        if self.chance(6) {
            let _ = writeln!(self.text, "{indent}/* {} */", text.replace('\n', "\n   "));
            return;
        }
        for line in text.split('\n') {
            let blank = if line.is_empty() || self.chance(4) { "" } else { " " };
            let _ = writeln!(self.text, "{indent}//{blank}{line}");
        }
    }

    fn package(&mut self, number: usize) {
        if self.chance(10) {
            self.text.push_str("// +kubebuilder:validation:Optional\n");
        }
        let _ = writeln!(self.text, "// +groupName=g{number}.example.com\npackage v1\n");
        let head = std::mem::take(&mut self.text);
        for n in 0..self.random.usize(2..9) {
            self.declaration(n);
        }
        let kinds = [
            "Widget",
            "Policy",
            "Ingress",
            "Index",
            "DNS",
            "Redis",
            "Box",
            "Hero",
            "Proxy",
            "Status",
            "APIKey",
            "SSH",
            "NetworkACL",
            "Person",
        ];
        let kind = self.pick(&kinds);
        self.kind(kind);
        let mut imports = String::from("import (\n");
        for (name, path) in PACKAGES.iter().filter(|it| self.text.contains(&format!("{}.", it.0))) {
            let _ = writeln!(imports, "\t{name} \"{path}\"");
        }
        self.text = format!("{head}{imports})\n\n{}", self.text);
    }

    fn kind(&mut self, kind: &str) {
        for marker in [
            "+kubebuilder:object:root=true",
            "+kubebuilder:subresource:status",
            "+kubebuilder:subresource:scale:specpath=.spec.n,statuspath=.status.n,selectorpath=.status.s",
            "+kubebuilder:subresource:scale:specpath=.spec.n,statuspath=.status.n",
            "+kubebuilder:resource:scope=Cluster,shortName=a;b,categories={all,some}",
            "+kubebuilder:resource:path=widgetz,singular=widget",
            "+kubebuilder:printcolumn:name=\"Age\",type=date,JSONPath=`.metadata.creationTimestamp`",
            "+kubebuilder:printcolumn:name=N,type=integer,JSONPath=.spec.n,priority=1,format=int32,description=\"how many\"",
            "+kubebuilder:selectablefield:JSONPath=.spec.n",
            "+kubebuilder:deprecatedversion",
            "+kubebuilder:deprecatedversion:warning=\"old\"",
            "+kubebuilder:metadata:annotations={\"a=b\",\"c=d=e\"},labels=x=y",
            "+kubebuilder:storageversion",
            "+kubebuilder:unservedversion",
        ] {
            let percent = if marker.ends_with("unservedversion") { 3 } else { 25 };
            if self.chance(percent) {
                let _ = writeln!(self.text, "// {marker}");
            }
        }
        self.text.push('\n');
        self.documentation("");
        let _ = writeln!(
            self.text,
            "type {kind} struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n"
        );
        self.fields(3);
        self.text.push_str("}\n");
    }

    fn declaration(&mut self, n: usize) {
        let name = format!("Type{n}");
        let form = self.pick(&[
            Form::Text,
            Form::Integer,
            Form::Bool,
            Form::List,
            Form::Object,
            Form::Object,
            Form::Object,
        ]);
        let mut is_struct = false;
        let mut is_hidden = false;
        let written = match form {
            Form::Text => self.pick(&["string", "string", "[]byte"]).to_owned(),
            Form::Integer => self.pick(&["int32", "int64", "int", "uint8", "uint32"]).to_owned(),
            Form::Bool => "bool".to_owned(),
            Form::List => {
                is_hidden = true;
                format!("[]{}", self.type_of(2))
            }
            _ if self.chance(25) => {
                is_hidden = true;
                format!("map[string]{}", self.value_type())
            }
            _ => {
                is_struct = true;
                is_hidden = true;
                String::new()
            }
        };
        let other = self
            .types
            .iter()
            .filter(|it| !it.is_struct)
            .cloned()
            .collect::<Vec<_>>();
        if self.chance(10) && !other.is_empty() {
            // This declares an alias of a type, or a new type based on it.
            let of = self.pick(&other);
            let sign = if self.chance(50) { "= " } else { "" };
            self.documentation("");
            let _ = writeln!(self.text, "type {name} {sign}{}\n", of.name);
            let is_hidden = of.is_hidden || sign.is_empty();
            self.types.push(Named { name, is_hidden, ..of });
            return;
        }
        self.documentation("");
        if is_struct {
            if self.chance(15) {
                let marker = self.pick(&["AtMostOneOf", "ExactlyOneOf", "AtLeastOneOf"]);
                let _ = writeln!(self.text, "// +kubebuilder:validation:{marker}=oneA;oneB");
            }
            self.markers((form, false), "");
            let _ = writeln!(self.text, "type {name} struct {{");
            self.text.push_str("\t// +optional\n\tOneA *string `json:\"oneA,omitempty\"`\n\t// +optional\n\tOneB *string `json:\"oneB,omitempty\"`\n");
            // Types can be recursive.
            if self.chance(15) {
                let _ = writeln!(self.text, "\tSelf *{name} `json:\"self,omitempty\"`");
            }
            self.fields(6);
            self.text.push_str("}\n\n");
        } else {
            let is_bytes = written == "[]byte";
            if form == Form::Text && !is_bytes && self.chance(10) {
                self.text.push_str("// +k8s:enum\n");
            }
            self.markers((if is_bytes { Form::Text } else { form }, !is_hidden), "");
            let _ = writeln!(self.text, "type {name} {written}\n");
            if form == Form::Text && !is_bytes {
                let _ = writeln!(
                    self.text,
                    "const (\n\t{name}A {name} = \"a\"\n\t{name}B {name} = `b\"c`\n)\n"
                );
            }
        }
        if self.chance(6) {
            let method = self.pick(&["MarshalJSON", "MarshalText"]);
            let _ = writeln!(
                self.text,
                "func (t {name}) {method}() ([]byte, error) {{ return nil, nil }}\n"
            );
        }
        self.types.push(Named {
            name,
            form,
            is_struct,
            is_hidden,
        });
    }

    fn fields(&mut self, most: usize) {
        for n in 0..self.random.usize(1..=most) {
            self.field(n);
        }
        let structs: Vec<Named> = self.types.iter().filter(|it| it.is_struct).cloned().collect();
        if self.chance(25) && !structs.is_empty() {
            let of = self.pick(&structs).name;
            let star = self.pick(&["", "*"]);
            let tag = self.pick(&[",inline", ",inline", "", ",omitempty"]);
            self.documentation("\t");
            let _ = writeln!(self.text, "\t{star}{of} `json:\"{tag}\"`");
        }
    }

    fn field(&mut self, n: usize) {
        let (written, form, is_known) = self.of_field();
        self.text.push('\n');
        self.documentation("\t");
        if self.chance(25) {
            let marker = self.pick(&[
                "+optional",
                "+required",
                "+kubebuilder:validation:Optional",
                "+kubebuilder:validation:Required",
                "+k8s:required",
                "+k8s:optional",
                "+nullable",
                "+k8s:immutable",
            ]);
            let _ = writeln!(self.text, "\t// {marker}");
        }
        if self.chance(50) {
            self.markers((form, is_known), "\t");
        }
        let star = if self.chance(30) && !written.starts_with(['[', 'm', '*']) {
            "*"
        } else {
            ""
        };
        let options = self.pick(&["", ",omitempty", ",omitempty", ",omitzero", ",string,omitempty"]);
        let names = if self.chance(3) {
            format!("Field{n}, Other{n}")
        } else {
            format!("Field{n}")
        };
        let json = if self.chance(3) {
            "-,".to_owned()
        } else {
            format!("field{n}{options}")
        };
        let tag = match self.random.u8(..60) {
            0 => "`json:\"-\"`".to_owned(),
            1 => format!("`yaml:\"x\" json:\"{json}\"`"),
            2 if !self.is_careful => String::new(),
            _ => format!("`json:\"{json}\"`"),
        };
        let _ = writeln!(self.text, "\t{names} {star}{written} {tag}");
    }

    /// The type of a field, the form of the type, and whether controller-gen supports the form.
    fn of_field(&mut self) -> (String, Form, bool) {
        match self.random.u8(..10) {
            0..=1 => ("string".to_owned(), Form::Text, true),
            2 => (
                self.pick(&["int32", "int64", "int", "uint16"]).to_owned(),
                Form::Integer,
                true,
            ),
            3 => ("bool".to_owned(), Form::Bool, true),
            4 => (format!("[]{}", self.type_of(2)), Form::List, true),
            5 => (format!("map[string]{}", self.value_type()), Form::Object, true),
            6 => {
                let (name, form) = self.pick(&IMPORTED);
                (name.to_owned(), form, false)
            }
            7 if !self.is_careful && self.chance(30) => {
                let odd = self.pick(&[
                    "float64",
                    "interface{}",
                    "struct{ A string }",
                    "any",
                    "map[int]string",
                    "chan int",
                    "func(string) error",
                    "complex64",
                    "[]float32",
                    "[]any",
                    "[]map[bool]string",
                    "map[string]interface{}",
                    "map[string]func()",
                    "map[string]struct{ A string }",
                    "[3]string",
                ]);
                (odd.to_owned(), Form::Unknown, false)
            }
            _ => match self.types.clone().as_slice() {
                [] => ("string".to_owned(), Form::Text, true),
                types => {
                    let of = self.pick(types);
                    (of.name, of.form, !of.is_hidden)
                }
            },
        }
    }

    fn type_of(&mut self, depth: usize) -> String {
        if depth > 0 && self.chance(15) {
            return match self.random.u8(..3) {
                0 => format!("[]{}", self.type_of(depth - 1)),
                1 => format!("map[string]{}", self.value_type()),
                _ => format!("*{}", self.type_of(0)),
            };
        }
        self.of_field_name()
    }

    fn of_field_name(&mut self) -> String {
        let of: Vec<String> = self.types.iter().map(|it| it.name.clone()).collect();
        if !of.is_empty() && self.chance(50) {
            return self.pick(&of);
        }
        self.pick(&["string", "int32", "bool", "metav1.Duration", "intstr.IntOrString"])
            .to_owned()
    }

    fn value_type(&mut self) -> String {
        match self.random.u8(..4) {
            0 => format!("[]{}", self.type_of(0)),
            1 => format!("*{}", self.type_of(0)),
            _ => self.type_of(0),
        }
    }

    /// Writes markers for a type of a form. `is_known` is set if controller-gen supports the form.
    fn markers(&mut self, (form, is_known): (Form, bool), indent: &str) {
        for _ in 0..self.random.usize(..3) {
            let form = if !self.is_careful && self.chance(30) {
                self.pick(&[Form::Text, Form::Integer, Form::List, Form::Object])
            } else if is_known || indent.is_empty() && form != Form::Unknown {
                form
            } else {
                Form::Unknown
            };
            let n = self.random.u8(..20);
            let marker = match form {
                Form::Text => self.pick(&[
                    format!("MaxLength={n}"),
                    format!("MinLength={n}"),
                    "Pattern=`^[a-z]+\\.x$`".to_owned(),
                    "Pattern=\"a\\\\d\"".to_owned(),
                    "Enum=a;b;\"c d\"".to_owned(),
                    "Enum={a,\"1\",true}".to_owned(),
                    "Format=date-time".to_owned(),
                ]),
                Form::Integer => self.pick(&[
                    format!("Maximum={n}"),
                    format!("Minimum=-{n}"),
                    format!("MultipleOf={n}"),
                    "ExclusiveMinimum=true".to_owned(),
                    "ExclusiveMaximum=false".to_owned(),
                    "Enum=1;2;3".to_owned(),
                    "Maximum=9007199254740993".to_owned(),
                    "Minimum=1e3".to_owned(),
                ]),
                Form::List => self.pick(&[
                    format!("MaxItems={n}"),
                    format!("MinItems={n}"),
                    "UniqueItems=true".to_owned(),
                    "listType=atomic".to_owned(),
                    "listType=set".to_owned(),
                    "listType=map".to_owned(),
                    "items:XValidation:rule=\"true\"".to_owned(),
                ]),
                Form::Object => self.pick(&[
                    format!("MaxProperties={n}"),
                    format!("MinProperties={n}"),
                    "mapType=atomic".to_owned(),
                    "structType=atomic".to_owned(),
                    "pruning:PreserveUnknownFields".to_owned(),
                ]),
                Form::Bool | Form::Unknown => self.pick(&[
                    "XValidation:rule=\"self == oldSelf\",message=\"it's fixed\"".to_owned(),
                    "XValidation:rule=`has(self.a)`,reason=FieldValueInvalid,fieldPath=`.a`,messageExpression=\"'x'\""
                        .to_owned(),
                    "XValidation:rule=\"true\",optionalOldSelf=true".to_owned(),
                    "Type=string".to_owned(),
                    "Schemaless".to_owned(),
                    "XPreserveUnknownFields".to_owned(),
                    "XIntOrString".to_owned(),
                    "XEmbeddedResource".to_owned(),
                    "title=\"A title\"".to_owned(),
                    "default=x".to_owned(),
                    "default={a: 1, b: {c}}".to_owned(),
                    "default={}".to_owned(),
                    "default=\"\"".to_owned(),
                    "example=12".to_owned(),
                    "json={\"a\": [1, 2.5, \"x\"]}".to_owned(),
                    "externalDocs:url=https://example.com,description=\"See.\"".to_owned(),
                ]),
            };
            let is_of_field = ["default", "example", "json", "Schemaless"]
                .iter()
                .any(|it| marker.starts_with(it));
            if is_of_field && indent.is_empty() {
                continue;
            }
            let name = match marker.as_str() {
                it if it.starts_with("json=") => format!("default={}", &it[5..]),
                it if ["listType", "mapType", "structType"]
                    .iter()
                    .any(|name| it.starts_with(name)) =>
                {
                    marker
                }
                it if ["default", "example", "title", "pruning", "externalDocs"]
                    .iter()
                    .any(|name| it.starts_with(name)) =>
                {
                    format!("kubebuilder:{marker}")
                }
                _ => format!("kubebuilder:validation:{marker}"),
            };
            let _ = writeln!(self.text, "{indent}// +{name}");
            if name == "listType=map" {
                let _ = writeln!(self.text, "{indent}// +listMapKey=a\n{indent}// +listMapKey=b");
            }
        }
    }
}
