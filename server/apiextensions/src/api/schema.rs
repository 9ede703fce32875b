//! Schemas and the rules in them.

use super::{FieldType, Struct, Value, field, value};

static STRING: FieldType = FieldType::String;
static ANY: FieldType = FieldType::Any;
pub(super) static A_SCHEMA: FieldType = FieldType::Object(&SCHEMA);
static RULE_TYPE: FieldType = FieldType::Object(&VALIDATION_RULE);

const TYPES: &[Value] = &[
    value(
        "object",
        "An object: with `properties`, or a map with `additionalProperties`.",
    ),
    value("string", "Text; see `format`, `pattern`, `enum`."),
    value("array", "A list; needs `items`."),
    value("integer", "A whole number of 64 bits; see `format`."),
    value("boolean", "`true` or `false`."),
    value(
        "number",
        "A number of 64 bits with a fraction. CEL sees a `double`; prefer `integer` or a quantity as a string.",
    ),
];

/// What formats say; the minors that know one have it from [`crd_analyzer_schema::formats`].
const FORMATS: &[Value] = &[
    value("int32", "Of integers: 32 bits. Checked since 1.35."),
    value("int64", "Of integers: 64 bits."),
    value("date-time", "A time as RFC 3339 has it. CEL sees a `timestamp`."),
    value("float", "Of numbers: 32 bits."),
    value("double", "Of numbers: 64 bits."),
    value("date", "A day such as `2006-01-02`. CEL sees a `timestamp`."),
    value(
        "duration",
        "A duration as Go writes it, such as `1h30m`. CEL sees a `duration`.",
    ),
    value("byte", "Base64. CEL sees `bytes`."),
    value("uri", "A URI as Go parses it."),
    value("hostname", "A host name as RFC 1034 has it."),
    value("ipv4", "An IPv4 address."),
    value("ipv6", "An IPv6 address."),
    value("cidr", "An IP network such as `10.0.0.0/8`."),
    value("mac", "A MAC address."),
    value("uuid", "A UUID of any version."),
    value("uuid3", "A UUID of version 3."),
    value("uuid4", "A UUID of version 4."),
    value("uuid5", "A UUID of version 5."),
    value("email", "A mail address as Go parses it."),
    value("password", "Any text; clients may hide it."),
    Value {
        text: "k8s-short-name",
        doc: "A name as a DNS label: at most 63 characters.",
        since: 34,
    },
    Value {
        text: "k8s-long-name",
        doc: "A name as a DNS subdomain: at most 253 characters.",
        since: 34,
    },
    value("bsonobjectid", "A BSON object ID: 24 hexadecimal digits."),
    value("isbn", "An ISBN of 10 or 13 digits."),
    value("isbn10", "An ISBN of 10 digits."),
    value("isbn13", "An ISBN of 13 digits."),
    value("creditcard", "A credit card number."),
    value("ssn", "A U.S. social security number."),
    value("hexcolor", "A color such as `#FFFFFF`."),
    value("rgbcolor", "A color such as `rgb(255,255,255)`."),
];

const OBJECT: &[&str] = &["object"];
const ARRAY: &[&str] = &["array"];
const TEXT: &[&str] = &["string"];
const NUMBERS: &[&str] = &["integer", "number"];

/// `JSONSchemaProps`
pub static SCHEMA: Struct = Struct {
    name: "JSONSchemaProps",
    doc: "A schema, as OpenAPI v3 has it, with extensions of Kubernetes.",
    fields: &[
    field("description", FieldType::String, "What the value means, for people: `kubectl explain` shows it.").not_in_junctor(),
    field("type", FieldType::String, "The type of the value. Required everywhere in a structural schema, except with `x-kubernetes-int-or-string` or `x-kubernetes-preserve-unknown-fields`; at the root it is `object`.")
        .one_of(TYPES)
        .not_in_junctor(),
    field("properties", FieldType::Map(&A_SCHEMA), "The fields of an object. Others are pruned on the way to storage, and refused under strict field validation.").applies_to(OBJECT),
    field("required", FieldType::List(&STRING), "Names of fields that must be there. A field with a default is filled in before that is looked at.").applies_to(OBJECT),
    field("items", FieldType::SchemaOrList, "The schema of a list's items. Required with `type: array`.").applies_to(ARRAY),
    field("format", FieldType::String, "What the text or number is. Formats that the server does not know are ignored, with a warning.").such_as(FORMATS).applies_to(&["string", "integer", "number"]),
    field("enum", FieldType::List(&ANY), "The values that are allowed. Of strings they also bound the length that CEL costs are estimated from."),
    field("default", FieldType::Any, "Filled in where the field is missing: in requests, and when stored objects are read. It must be valid itself, and it is pruned. A default inside of an object only works when the object is there (or has a default such as `{}`).").not_in_junctor(),
    field("additionalProperties", FieldType::SchemaOrBool, "The schema of a map's values. Not beside `properties`, and not at the root.").applies_to(OBJECT).not_in_junctor(),
    field("maxLength", FieldType::Integer, "The most characters. CEL costs are estimated from it: without it a string may fill a request.").applies_to(TEXT),
    field("minLength", FieldType::Integer, "The fewest characters.").applies_to(TEXT),
    field("pattern", FieldType::String, "A regular expression of Go's (RE2) that must match somewhere in the text: anchor it with `^` and `$`.").applies_to(TEXT),
    field("maximum", FieldType::Number, "The largest number.").applies_to(NUMBERS),
    field("minimum", FieldType::Number, "The smallest number.").applies_to(NUMBERS),
    field("maxItems", FieldType::Integer, "The most items. CEL costs are estimated from it: a rule on or below items of a list without it is priced for the longest list that fits into a request.").applies_to(ARRAY),
    field("minItems", FieldType::Integer, "The fewest items.").applies_to(ARRAY),
    field("maxProperties", FieldType::Integer, "The most entries of a map. CEL costs are estimated from it.").applies_to(OBJECT),
    field("minProperties", FieldType::Integer, "The fewest entries of a map.").applies_to(OBJECT),
    field("nullable", FieldType::Boolean, "Whether `null` is allowed and kept. Otherwise a `null` is dropped where there is a default, and refused where there is none.").not_in_junctor(),
    field("x-kubernetes-validations", FieldType::List(&RULE_TYPE), "Rules in CEL that every value must satisfy. `self` is the value. A rule that reads `oldSelf` compares with the stored value, and is only asked on updates.").not_in_junctor(),
    field("x-kubernetes-list-type", FieldType::String, "How a list is merged by server-side apply, and whether its items are unique.")
        .one_of(&[
            value("atomic", "The list is replaced as a whole. The default."),
            value("set", "Items are scalars (or atomic) and unique; each has its own owner."),
            value("map", "Items are objects, told apart by `x-kubernetes-list-map-keys`; each has its own owner."),
        ])
        .applies_to(ARRAY)
        .not_in_junctor(),
    field("x-kubernetes-list-map-keys", FieldType::List(&STRING), "The properties that tell the items of a list apart, with `x-kubernetes-list-type: map`. They are scalars, and required or with a default.").applies_to(ARRAY).not_in_junctor(),
    field("x-kubernetes-map-type", FieldType::String, "How an object or map is merged by server-side apply.")
        .one_of(&[
            value("granular", "Each entry has its own owner. The default."),
            value("atomic", "The object is replaced as a whole."),
        ])
        .applies_to(OBJECT)
        .not_in_junctor(),
    field("x-kubernetes-preserve-unknown-fields", FieldType::Boolean, "`true` keeps fields that the schema does not name, from here down to where `properties` or `additionalProperties` are specified again. CEL does not see them.")
        .one_of(&[value("true", "Nothing is pruned here.")])
        .not_in_junctor(),
    field("x-kubernetes-int-or-string", FieldType::Boolean, "The value is an integer or a string, such as a port or a percentage. `type` is then left out; CEL sees `dyn`.").not_in_junctor(),
    field("x-kubernetes-embedded-resource", FieldType::Boolean, "The value is a whole Kubernetes object: `apiVersion`, `kind` and `metadata` are there and checked, also where the schema does not name them.").applies_to(OBJECT).not_in_junctor(),
    field("anyOf", FieldType::List(&A_SCHEMA), "The value satisfies at least one of these. They may only say more about what is declared outside: no `type`, `description`, `default`, `nullable` or `additionalProperties` in them."),
    field("oneOf", FieldType::List(&A_SCHEMA), "The value satisfies exactly one of these. They may only say more about what is declared outside, as in `anyOf`."),
    field("allOf", FieldType::List(&A_SCHEMA), "The value satisfies all of these. They may only say more about what is declared outside, as in `anyOf`."),
    field("not", FieldType::Object(&SCHEMA), "The value does not satisfy this. It may only say more about what is declared outside, as in `anyOf`."),
    field("exclusiveMaximum", FieldType::Boolean, "The value is below `maximum`, not equal to it.").applies_to(NUMBERS),
    field("exclusiveMinimum", FieldType::Boolean, "The value is above `minimum`, not equal to it.").applies_to(NUMBERS),
    field("multipleOf", FieldType::Number, "The number is a multiple of this one.").applies_to(NUMBERS),
    field("title", FieldType::String, "A heading, for documentation.").not_in_junctor(),
        field("externalDocs", FieldType::Object(&EXTERNAL_DOCS), "Where there is more to read."),
    field("example", FieldType::Any, "A value as it may be, for documentation."),
    field("uniqueItems", FieldType::Boolean, "Must not be `true`: comparing all items with each other costs too much. Use `x-kubernetes-list-type: set`.")
        .one_of(&[value("false", "The only value that the server accepts; the same as leaving the field out.")])
        .applies_to(ARRAY),
    field("$ref", FieldType::String, "A reference to another schema. Refused in definitions: schemas stand on their own.").refused(),
    field("$schema", FieldType::String, "The dialect of the schema. Refused in definitions.").refused(),
    field("id", FieldType::String, "An identifier of the schema. Refused in definitions.").refused(),
    field("definitions", FieldType::Map(&A_SCHEMA), "Schemas to refer to. Refused in definitions.").refused(),
    field("dependencies", FieldType::Map(&DEPENDENCY), "What must be there if a field is. Refused in definitions: write a rule in CEL.").refused(),
    field("patternProperties", FieldType::Map(&A_SCHEMA), "Schemas for fields whose names match. Refused in definitions.").refused(),
    field("additionalItems", FieldType::SchemaOrBool, "The schema of items after those that `items` lists. Refused in definitions.").refused(),
],
};

static DEPENDENCY: FieldType = FieldType::SchemaOrNames;

static EXTERNAL_DOCS: Struct = Struct {
    name: "ExternalDocumentation",
    doc: "Where there is more to read.",
    fields: &[
        field("url", FieldType::String, "The address."),
        field("description", FieldType::String, "What is there."),
    ],
};

/// `ValidationRule`
pub static VALIDATION_RULE: Struct = Struct {
    name: "ValidationRule",
    doc: "A rule in CEL that every value of its schema must satisfy.",
    fields: &[
        field("rule", FieldType::Cel, "An expression that is true for valid values. `self` is the value of the schema that the rule stands at, `oldSelf` the stored one. Fields that CEL cannot name are escaped (`__namespace__`, `my__dash__field`).").required(),
        field("message", FieldType::String, "What is said when the rule fails: one line. Required if the rule has line breaks. Without it the rule itself is shown."),
        field("messageExpression", FieldType::Cel, "An expression for the text that is said when the rule fails: it gives a string, and has `self` and `oldSelf` as the rule has. If it fails or gives an empty text or line breaks, `message` is used."),
        field("reason", FieldType::String, "The machine-readable reason of the error. By default `FieldValueInvalid`.").one_of(&[
            value("FieldValueInvalid", "The value is wrong (`Invalid value`)."),
            value("FieldValueForbidden", "The value must not be there (`Forbidden`)."),
            value("FieldValueRequired", "The value must be there (`Required value`)."),
            value("FieldValueDuplicate", "The value is there twice (`Duplicate value`)."),
        ]),
        field("fieldPath", FieldType::String, "The field that the error is reported at, below the schema's own: `.spec.name`, `['my-map'].key`. It must exist in the schema, and does not go into lists."),
        field("optionalOldSelf", FieldType::Boolean, "`true` asks a transition rule on creation too: `oldSelf` is then an optional value, to be used as `oldSelf.orValue(…)` or `oldSelf.hasValue()`. On by default since 1.30."),
    ],
};
