//! Applies markers to schemas: `pkg/crd/markers/validation.go` and `topology.go` of controller-gen.

use std::{collections::HashMap, rc::Rc, sync::Arc};

use crd_analyzer_gosource::{
    check::{
        catalog::Release,
        types::{Declared, Shape},
    },
    literal::{self, Literal},
};
use serde_json::{Value, json};

use crate::{
    packages::{Marker, Markers},
    refused::Reason,
    schema::{Keyword, Rule, Said, Schema},
    types::{Context, Maker},
    values::{number, number_to_json, text, to_json},
};

/// The prefix of markers that apply to the items of a list.
const ITEMS: &str = "kubebuilder:validation:items:";

/// The first release with each change of the effect of markers.
const TEXTUAL: Release = Release(17);
const SUMS: Release = Release(22);
const NEEDS_CONTENT: Release = Release(23);

/// The reasons that a rule may state.
const REASONS: [&str; 4] = [
    "FieldValueRequired",
    "FieldValueInvalid",
    "FieldValueForbidden",
    "FieldValueDuplicate",
];

/// The part of a marker's name that determines the effect, without the prefixes that say where the marker applies.
fn word(name: &str) -> &str {
    let name = name.strip_prefix(ITEMS).unwrap_or(name);
    match name {
        "kubebuilder:pruning:PreserveUnknownFields" => "XPreserveUnknownFields",
        "kubebuilder:validation:EmbeddedResource" => "XEmbeddedResource",
        "k8s:listType" => "listType",
        "k8s:listMapKey" => "listMapKey",
        "k8s:maxItems" => "MaxItems",
        "k8s:minimum" => "Minimum",
        "k8s:maximum" => "Maximum",
        _ => name.strip_prefix("kubebuilder:validation:").unwrap_or(name),
    }
}

/// The priority of a marker. Markers with lower numbers are applied first.
fn priority(word: &str) -> u8 {
    match word {
        "Type" | "XIntOrString" | "listType" | "default" => 9,
        "AtMostOneOf" => 11,
        "ExactlyOneOf" => 12,
        "AtLeastOneOf" => 13,
        _ => 10,
    }
}

/// The keyword that a marker sets. If two markers with different names set the same keyword and have the same priority, controller-gen applies them
/// in either order.
fn effect(word: &str) -> &str {
    match word {
        "k8s:immutable" => "XValidation",
        "k8s:enum" => "Enum",
        "structType" => "mapType",
        word => word,
    }
}

impl Maker<'_> {
    /// Applies the markers of a declaration to a schema.
    pub(crate) fn apply(&mut self, context: Context<'_>, markers: &Markers, schema: &mut Schema) {
        let mut own: Vec<(&str, &Marker)> = Vec::new();
        let mut of_items: Vec<(&str, &Marker)> = Vec::new();
        // The name of the marker that was applied for each target, priority and effect.
        let mut said: HashMap<(bool, u8, &str), &str> = HashMap::new();
        for name in markers.keys() {
            let key = (name.starts_with(ITEMS), priority(word(name)), effect(word(name)));
            self.has_choices |= *said.entry(key).or_insert(name) != *name;
        }
        let mut ordered: Vec<_> = markers.iter().collect();
        if self.options.is_backward {
            ordered.reverse();
        }
        for (name, all) in ordered {
            let to = if name.starts_with(ITEMS) {
                &mut of_items
            } else {
                &mut own
            };
            to.extend(all.iter().map(|it| (word(name), it)));
        }
        own.sort_by_key(|it| priority(it.0));
        of_items.sort_by_key(|it| priority(it.0));
        for (word, marker) in own {
            self.one(context, (word, marker), schema);
        }
        for (word, marker) in of_items {
            if schema.type_name() != "array" {
                self.refuse(marker.origin.clone(), Reason::Marker);
            } else if let Some(items) = &mut schema.items {
                self.one(context, (word, marker), Rc::make_mut(items));
            } else {
                self.refuse(marker.origin.clone(), Reason::Marker);
            }
        }
    }

    fn one(&mut self, context: Context<'_>, (word, marker): (&str, &Marker), schema: &mut Schema) {
        let Some(values) = &marker.values else {
            self.refuse(marker.origin.clone(), Reason::Marker);
            return;
        };
        let change = Change {
            release: self.options.release,
            marker,
            schema,
        };
        let is_taken = match word {
            "XValidation" => change.rule(),
            "AtMostOneOf" | "ExactlyOneOf" | "AtLeastOneOf" => change.one_of(word),
            "k8s:immutable" => change.immutable(),
            "k8s:required" => change.needs_content(),
            "k8s:enum" => self.constants(context, marker, schema),
            _ => change.value(word, values.one()),
        };
        if !is_taken {
            self.refuse(marker.origin.clone(), Reason::Marker);
        }
    }

    /// Sets `enum` to the constants of a type.
    fn constants(&mut self, context: Context<'_>, marker: &Marker, schema: &mut Schema) -> bool {
        let Some(declared) = context.declared else {
            return false;
        };
        let name = name_of(context, declared);
        let is_text = matches!(
            self.packages.underlying(context.package, name),
            Some(Shape::Name(basic)) if basic == "string"
        );
        let Some(package) = self.packages.get(context.package).filter(|_| is_text) else {
            return false;
        };
        let mut found: Vec<String> = Vec::new();
        for file in &package.files {
            let constants = file.types.constants.iter().filter(|it| it.of == name);
            let written = constants.filter_map(|it| file.types.text.get(it.value.clone()?));
            found.extend(written.filter_map(literal::unquoted));
        }
        if found.is_empty() {
            return false;
        }
        found.sort_by_key(|it| json!(it).to_string());
        schema.r#type = Some(Said::made("string"));
        schema.values.insert(
            Keyword::Enum,
            Said {
                value: found.into(),
                from: Some(marker.origin.clone()),
            },
        );
        true
    }
}

fn name_of<'c>(context: Context<'c>, declared: &Declared) -> &'c str {
    context.file.types.text.get(declared.name.clone()).unwrap_or_default()
}

/// A marker that is being applied to a schema.
struct Change<'a> {
    release: Release,
    marker: &'a Marker,
    schema: &'a mut Schema,
}

impl Change<'_> {
    fn set(&mut self, keyword: Keyword, value: Value, literal: Option<&Arc<Literal>>) -> bool {
        let from = Some(literal.map_or_else(|| self.marker.origin.clone(), |it| self.marker.given(it)));
        self.schema.values.insert(keyword, Said { value, from });
        true
    }

    /// Sets a keyword to a string or a boolean. Empty values are left out.
    fn set_compared(&mut self, keyword: Keyword, value: Value, literal: Option<&Arc<Literal>>) -> bool {
        if value == json!("") || value == json!(false) {
            self.schema.values.remove(&keyword);
            return true;
        }
        self.set(keyword, value, literal)
    }

    /// Applies a marker that has one value or none. Returns whether controller-gen accepts the marker.
    fn value(mut self, word: &str, literal: Option<&Arc<Literal>>) -> bool {
        let of_type = self.schema.type_name();
        let is_number = matches!(of_type, "integer" | "number");
        let is_integer = of_type == "integer";
        let is_text = of_type == "string" || self.schema.is_set(Keyword::IntOrString) && self.release >= TEXTUAL;
        let (is_list, is_object) = (of_type == "array", of_type == "object");
        let json = || literal.map_or(Value::Null, |it| to_json(it));
        match word {
            "Maximum" | "Minimum" | "MultipleOf" => {
                let Some(number) = literal.and_then(|it| number(it)) else {
                    return false;
                };
                if !is_number || is_integer && number.fract() != 0.0 {
                    return false;
                }
                let keyword = match word {
                    "Maximum" => Keyword::Maximum,
                    "Minimum" => Keyword::Minimum,
                    _ => Keyword::MultipleOf,
                };
                self.set(keyword, number_to_json(number), literal)
            }
            "ExclusiveMaximum" => is_number && self.set_compared(Keyword::ExclusiveMaximum, json(), literal),
            "ExclusiveMinimum" => is_number && self.set_compared(Keyword::ExclusiveMinimum, json(), literal),
            "MaxLength" => is_text && self.set(Keyword::MaxLength, json(), literal),
            "MinLength" => is_text && self.set(Keyword::MinLength, json(), literal),
            "Pattern" => {
                let is_text = is_text || self.schema.is_set(Keyword::IntOrString);
                is_text && self.set_compared(Keyword::Pattern, json(), literal)
            }
            "MaxItems" => is_list && self.set(Keyword::MaxItems, json(), literal),
            "MinItems" => is_list && self.set(Keyword::MinItems, json(), literal),
            "UniqueItems" => is_list && self.set_compared(Keyword::UniqueItems, json(), literal),
            "MaxProperties" => is_object && self.set(Keyword::MaxProperties, json(), literal),
            "MinProperties" => is_object && self.set(Keyword::MinProperties, json(), literal),
            "Enum" => {
                let is_empty = json().as_array().is_none_or(Vec::is_empty);
                if is_empty {
                    self.schema.values.remove(&Keyword::Enum);
                    return true;
                }
                self.set(Keyword::Enum, json(), literal)
            }
            "Format" => self.set_compared(Keyword::Format, json(), literal),
            "Type" => {
                let from = literal.map(|it| self.marker.given(it));
                let value = json();
                self.schema.r#type = (value != json!("")).then_some(Said { value, from });
                true
            }
            "nullable" => self.set(Keyword::Nullable, json!(true), None),
            "kubebuilder:default" => {
                let mut value = json();
                if is_list && value == json!({}) {
                    value = json!([]);
                }
                self.set(Keyword::Default, value, literal)
            }
            "default" => match literal {
                Some(literal) => self.set(Keyword::Default, to_json(literal), Some(literal)),
                None => true,
            },
            "kubebuilder:example" => self.set(Keyword::Example, json(), literal),
            "kubebuilder:title" => match literal.map(|it| text(it).is_some()) {
                Some(true) => self.set_compared(Keyword::Title, json(), literal),
                Some(false) => false,
                None => true,
            },
            "XPreserveUnknownFields" => self.set(Keyword::PreserveUnknownFields, json!(true), None),
            "XEmbeddedResource" => self.set(Keyword::EmbeddedResource, json!(true), None),
            "XIntOrString" => self.set(Keyword::IntOrString, json!(true), None),
            "kubebuilder:externalDocs" => self.external_docs(),
            "listType" => {
                let is_known = literal
                    .and_then(|it| text(it))
                    .is_some_and(|it| ["map", "set", "atomic"].contains(&it));
                is_list && is_known && self.set(Keyword::ListType, json(), literal)
            }
            "listMapKey" => is_list && self.key(literal),
            "mapType" | "structType" => {
                let is_known = literal
                    .and_then(|it| text(it))
                    .is_some_and(|it| ["atomic", "granular"].contains(&it));
                let fits = is_object || word == "structType" && of_type.is_empty();
                fits && is_known && self.set(Keyword::MapType, json(), literal)
            }
            // Other markers have no effect on schemas.
            _ => true,
        }
    }

    fn key(&mut self, literal: Option<&Arc<Literal>>) -> bool {
        let is_map = self.schema.values.get(&Keyword::ListType).and_then(Said::as_str) == Some("map");
        let Some(key) = literal.and_then(|it| text(it)).filter(|_| is_map) else {
            return false;
        };
        let from = Some(self.marker.origin.clone());
        let said = self
            .schema
            .values
            .entry(Keyword::ListMapKeys)
            .or_insert_with(|| Said::made(json!([])));
        said.from = from;
        if let Value::Array(keys) = &mut said.value
            && !(self.release >= SUMS && keys.iter().any(|it| it == key))
        {
            keys.push(key.into());
        }
        true
    }

    fn external_docs(&mut self) -> bool {
        let Some(values) = &self.marker.values else {
            return false;
        };
        let Some(url) = values.text("url") else { return false };
        // The address must start with a scheme or with a slash.
        let has_scheme = url.split_once(':').is_some_and(|(scheme, _)| {
            scheme.starts_with(|it: char| it.is_ascii_alphabetic())
                && scheme
                    .chars()
                    .all(|it| it.is_ascii_alphanumeric() || "+-.".contains(it))
        });
        if !has_scheme && !url.starts_with('/') || url.contains(|it: char| it.is_ascii_control()) {
            return false;
        }
        let mut docs = serde_json::Map::new();
        if let Some(description) = values.text("description").filter(|it| !it.is_empty()) {
            docs.insert("description".to_owned(), description.into());
        }
        docs.insert("url".to_owned(), url.into());
        self.set(Keyword::ExternalDocs, Value::Object(docs), None)
    }

    /// Adds a validation rule.
    fn rule(self) -> bool {
        let Some(values) = &self.marker.values else {
            return false;
        };
        if values
            .text("reason")
            .is_some_and(|it| !it.is_empty() && !REASONS.contains(&it))
        {
            return false;
        }
        let mut fields = Vec::new();
        for name in [
            "rule",
            "message",
            "messageExpression",
            "reason",
            "fieldPath",
            "optionalOldSelf",
        ] {
            let Some(literal) = values.get(name) else { continue };
            let is_empty = text(literal) == Some("") && name != "rule";
            if !is_empty {
                let from = Some(self.marker.given(literal));
                let value = to_json(literal);
                fields.push((name, Said { value, from }));
            }
        }
        self.schema.rules.push(Rule {
            fields,
            from: Some(self.marker.origin.clone()),
        });
        true
    }

    /// Adds the rule for a marker that describes a rule without containing it.
    fn made_rule(self, rule: String, message: String) -> bool {
        self.schema.rules.push(Rule {
            fields: vec![("rule", Said::made(rule)), ("message", Said::made(message))],
            from: Some(self.marker.origin.clone()),
        });
        true
    }

    fn one_of(self, word: &str) -> bool {
        let Some(values) = &self.marker.values else {
            return false;
        };
        let names: Vec<&str> = values.texts("").into_iter().map(|it| it.0).collect();
        if names.is_empty() {
            return true;
        }
        let joined = |sign: &str, each: fn(&str) -> String| {
            let each: Vec<String> = names.iter().map(|it| each(it)).collect();
            each.join(sign)
        };
        let (sign, sentence) = match word {
            "AtMostOneOf" => ("<=", "at most one of the fields in"),
            "ExactlyOneOf" => ("==", "exactly one of the fields in"),
            _ => (">=", "at least one of the fields in"),
        };
        let may = if word == "AtMostOneOf" { "may" } else { "must" };
        let rule = if self.release < SUMS {
            let all = joined(",", |it| format!("has(self.{it})"));
            format!("[{all}].filter(x,x==true).size() {sign} 1")
        } else if word == "AtLeastOneOf" {
            joined("||", |it| format!("has(self.{it})"))
        } else {
            let all = joined("+", |it| format!("(has(self.{it})?1:0)"));
            format!("{all} {sign} 1")
        };
        let message = format!("{sentence} [{}] {may} be set", names.join(" "));
        self.made_rule(rule, message)
    }

    fn immutable(self) -> bool {
        self.made_rule("self == oldSelf".to_owned(), "field is immutable".to_owned())
    }

    /// Checks that a required value is not empty.
    fn needs_content(mut self) -> bool {
        if self.release < NEEDS_CONTENT {
            return true;
        }
        let keyword = match self.schema.type_name() {
            "string" => Keyword::MinLength,
            "array" => Keyword::MinItems,
            "object" => Keyword::MinProperties,
            _ if self.schema.reference.is_some() => Keyword::MinProperties,
            _ => return true,
        };
        self.schema.is_set(keyword) || self.set(keyword, json!(1), None)
    }
}
