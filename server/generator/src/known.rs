//! Types whose schemas controller-gen knows, whatever their sources say (`pkg/crd/known_types.go`).

use std::{collections::BTreeMap, rc::Rc};

use crate::schema::{Keyword, Property, Schema, Values};

/// The package of `ObjectMeta` and `TypeMeta`.
pub(crate) const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

/// What a quantity looks like.
const QUANTITY: &str = "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

/// The schema of a type of a package. `has_metadata`: metadata in objects is described.
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

/// The schema of a type of Go's standard library, without its description, for where the library is not read.
pub(crate) fn of_library(package: &str, name: &str) -> Option<Schema> {
    let text = || Schema::of_type("string");
    Some(match (package, name) {
        ("time", "Duration") => Schema::of_type("integer").with(Keyword::Format, "int64"),
        ("encoding/json", "RawMessage") => text().with(Keyword::Format, "byte"),
        ("encoding/json", "Number") | ("net", "IP") | ("net/netip", "Addr" | "AddrPort" | "Prefix") => text(),
        _ => return None,
    })
}

/// Whether controller-gen looks at nothing else in a package.
pub(crate) fn is_alone(package: &str) -> bool {
    ["k8s.io/apimachinery/pkg/api/resource", "k8s.io/apimachinery/pkg/util/intstr"].contains(&package)
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
