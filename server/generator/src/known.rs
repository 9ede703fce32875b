//! The types for which controller-gen has built-in schemas, whatever their source says (`pkg/crd/known_types.go`).

use std::{collections::BTreeMap, rc::Rc};

use crate::schema::{Keyword, Property, Schema, Values};

/// The package of `ObjectMeta` and `TypeMeta`.
pub(crate) const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

/// The regular expression for a quantity.
const QUANTITY: &str = "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

/// The built-in schema of a type. `has_metadata` says whether to describe the metadata of embedded objects.
pub(crate) fn schema(package: &str, name: &str, has_metadata: bool) -> Option<Schema> {
    let text = || Schema::of_type("string");
    let number_or_text = || Schema {
        any_of: vec![Rc::new(Schema::of_type("integer")), Rc::new(text())],
        ..Schema::default().with(Keyword::IntOrString, true)
    };
    let open = |schema: Schema| schema.with(Keyword::PreserveUnknownFields, true);
    Some(match (package, name) {
        (META, "ObjectMeta") if has_metadata => metadata(),
        (META, "ObjectMeta") | ("k8s.io/apimachinery/pkg/apis/meta/v1/unstructured", "Unstructured") => {
            Schema::of_type("object")
        }
        (META, "Time" | "MicroTime") => text().with(Keyword::Format, "date-time"),
        (META, "Duration") => text(),
        (META, "Fields") => Schema {
            additional: Some(Values::Any),
            ..Schema::of_type("object")
        },
        ("k8s.io/apimachinery/pkg/api/resource", "Quantity") => number_or_text().with(Keyword::Pattern, QUANTITY),
        ("k8s.io/apimachinery/pkg/runtime", "RawExtension") => open(Schema::of_type("object")),
        ("k8s.io/apimachinery/pkg/util/intstr", "IntOrString") => number_or_text(),
        (
            "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
            | "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
            "JSON",
        ) => open(Schema::default()),
        _ => return None,
    })
}

/// A schema for a common type whose package is not on this machine. It has no descriptions.
pub(crate) fn without_sources(package: &str, name: &str) -> Option<Schema> {
    let text = || Schema::of_type("string");
    let texts = || Schema {
        items: Some(Rc::new(text())),
        ..Schema::of_type("array")
    };
    let atomic = |schema: Schema| schema.with(Keyword::ListType, "atomic");
    Some(match (package, name) {
        ("time", "Duration") => Schema::of_type("integer").with(Keyword::Format, "int64"),
        ("encoding/json", "RawMessage") => text().with(Keyword::Format, "byte"),
        ("encoding/json", "Number") | ("net", "IP") | ("net/netip", "Addr" | "AddrPort" | "Prefix") => text(),
        (META, "TypeMeta") => object([("apiVersion", text()), ("kind", text())], &[]),
        (META, "LabelSelector") => {
            let matched = Schema {
                additional: Some(Values::Of(Rc::new(text()))),
                ..Schema::of_type("object")
            };
            let expression = object(
                [("key", text()), ("operator", text()), ("values", atomic(texts()))],
                &["key", "operator"],
            );
            let expressions = Schema {
                items: Some(Rc::new(expression)),
                ..Schema::of_type("array")
            };
            object(
                [("matchExpressions", atomic(expressions)), ("matchLabels", matched)],
                &[],
            )
            .with(Keyword::MapType, "atomic")
        }
        (META, "Condition") => condition(),
        _ => return None,
    })
}

/// Whether a type of Go's own library is a struct that makes controller-gen fail, because its fields have no JSON tags.
/// The list has the types that may be meant as fields of a kind.
pub(crate) fn is_struct_of_go(package: &str, name: &str) -> bool {
    let names: &[&str] = match package {
        "bytes" => &["Buffer"],
        "crypto/tls" => &["Certificate", "Config"],
        "crypto/x509" => &["CertPool", "Certificate"],
        "database/sql" => &[
            "NullBool",
            "NullByte",
            "NullFloat64",
            "NullInt16",
            "NullInt32",
            "NullInt64",
            "NullString",
            "NullTime",
        ],
        "html/template" | "text/template" => &["Template"],
        "log" => &["Logger"],
        "math/big" => &["Int"],
        "net" => &["IPAddr", "IPNet", "TCPAddr", "UDPAddr"],
        "net/http" => &["Client", "Cookie", "Request", "Response"],
        "net/mail" => &["Address"],
        "net/url" => &["URL", "Userinfo"],
        "strings" => &["Builder"],
        "sync" => &["Map", "Mutex", "Once", "RWMutex", "WaitGroup"],
        "time" => &["Location", "Ticker", "Time", "Timer"],
        _ => &[],
    };
    names.contains(&name)
}

fn condition() -> Schema {
    let text = || Schema::of_type("string");
    let name = "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$";
    let reason = text()
        .with(Keyword::MaxLength, 1024)
        .with(Keyword::MinLength, 1)
        .with(Keyword::Pattern, "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$");
    let generation = Schema::of_type("integer")
        .with(Keyword::Format, "int64")
        .with(Keyword::Minimum, 0);
    object(
        [
            ("lastTransitionTime", text().with(Keyword::Format, "date-time")),
            ("message", text().with(Keyword::MaxLength, 32768)),
            ("observedGeneration", generation),
            ("reason", reason),
            ("status", text().with(Keyword::Enum, vec!["True", "False", "Unknown"])),
            (
                "type",
                text().with(Keyword::MaxLength, 316).with(Keyword::Pattern, name),
            ),
        ],
        &["lastTransitionTime", "message", "reason", "status", "type"],
    )
}

fn object<const N: usize>(properties: [(&str, Schema); N], required: &[&str]) -> Schema {
    let property = |(name, of): (&str, Schema)| {
        let of = Rc::new(of);
        (name.into(), Property { of, from: None })
    };
    Schema {
        properties: Some(properties.into_iter().map(property).collect()),
        required: required.iter().map(|it| ((*it).into(), None)).collect(),
        ..Schema::of_type("object")
    }
}

/// Whether controller-gen uses only its built-in schemas for a package, and ignores other types of the package.
pub(crate) fn is_alone(package: &str) -> bool {
    [
        "k8s.io/apimachinery/pkg/api/resource",
        "k8s.io/apimachinery/pkg/util/intstr",
    ]
    .contains(&package)
}

fn metadata() -> Schema {
    let text = || Rc::new(Schema::of_type("string"));
    let texts = || Schema {
        additional: Some(Values::Of(text())),
        ..Schema::of_type("object")
    };
    let list = Schema {
        items: Some(text()),
        ..Schema::of_type("array")
    };
    let properties = [
        ("name", text()),
        ("namespace", text()),
        ("annotations", Rc::new(texts())),
        ("labels", Rc::new(texts())),
        ("finalizers", Rc::new(list)),
    ];
    let properties: BTreeMap<Rc<str>, Property> = properties
        .into_iter()
        .map(|(name, of)| (name.into(), Property { of, from: None }))
        .collect();
    Schema {
        properties: Some(properties),
        ..Schema::of_type("object")
    }
}
