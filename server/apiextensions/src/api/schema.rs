//! Schemas and their rules.

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
    value("string", "A string. Restrict it with `format`, `pattern` or `enum`."),
    value("array", "A list; needs `items`."),
    value("integer", "An integer of 64 bits. Restrict it with `format`."),
    value("boolean", "`true` or `false`."),
    value(
        "number",
        "A floating-point number of 64 bits, `double` in CEL. Prefer `integer`, or a quantity as a string.",
    ),
];

/// The meaning of each format; [`crd_analyzer_schema::formats`] contains the Kubernetes versions that support it.
const FORMATS: &[Value] = &[
    value("int32", "An integer of 32 bits. Checked since 1.35."),
    value("int64", "Of integers: 64 bits."),
    value("date-time", "A time in the format of RFC 3339, `timestamp` in CEL."),
    value("float", "Of numbers: 32 bits."),
    value("double", "Of numbers: 64 bits."),
    value("date", "A date such as `2006-01-02`, `timestamp` in CEL."),
    value("duration", "A Go duration such as `1h30m`, `duration` in CEL."),
    value("byte", "Base64, `bytes` in CEL."),
    value("uri", "A URI as Go parses it."),
    value("hostname", "A host name of RFC 1034."),
    value("ipv4", "An IPv4 address."),
    value("ipv6", "An IPv6 address."),
    value("cidr", "An IP network such as `10.0.0.0/8`."),
    value("mac", "A MAC address."),
    value("uuid", "A UUID of any version."),
    value("uuid3", "A UUID of version 3."),
    value("uuid4", "A UUID of version 4."),
    value("uuid5", "A UUID of version 5."),
    value("email", "A mail address that Go can parse."),
    value("password", "Any string. Clients can hide it."),
    Value {
        text: "k8s-short-name",
        doc: "A DNS label of at most 63 characters.",
        since: 34,
    },
    Value {
        text: "k8s-long-name",
        doc: "A DNS subdomain of at most 253 characters.",
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
    doc: "An OpenAPI v3 schema with the extensions of Kubernetes.",
    fields: &[
    field("description", FieldType::String, "The description of the value. `kubectl explain` prints it.").not_in_junctor(),
    field("type", FieldType::String, "The type of the value. A structural schema needs it everywhere, except with `x-kubernetes-int-or-string` or `x-kubernetes-preserve-unknown-fields`. At the root it is `object`.")
        .one_of(TYPES)
        .not_in_junctor(),
    field("properties", FieldType::Map(&A_SCHEMA), "The fields of an object. The API server prunes other fields, or rejects them under strict field validation.").applies_to(OBJECT),
    field("required", FieldType::List(&STRING), "The names of required fields. The API server sets defaults before it checks for them.").applies_to(OBJECT),
    field("items", FieldType::SchemaOrList, "The schema of a list's items. Required with `type: array`.").applies_to(ARRAY),
    field("format", FieldType::String, "The format of the string or number. The API server ignores unknown formats with a warning.").such_as(FORMATS).applies_to(&["string", "integer", "number"]),
    field("enum", FieldType::List(&ANY), "The allowed values. The length of the longest string also limits the CEL cost estimate."),
    field("default", FieldType::Any, "The value of the field if it is missing, in requests and in stored objects. The default must be valid. A default inside an object has an effect only if the object is present, or has a default such as `{}`.").not_in_junctor(),
    field("additionalProperties", FieldType::SchemaOrBool, "The schema of the values of a map. Not allowed together with `properties`, and not at the root.").applies_to(OBJECT).not_in_junctor(),
    field("maxLength", FieldType::Integer, "The maximum number of characters. The CEL cost estimate uses it. Without it, the estimate assumes a string as large as a request.").applies_to(TEXT),
    field("minLength", FieldType::Integer, "The minimum number of characters.").applies_to(TEXT),
    field("pattern", FieldType::String, "A regular expression of Go (RE2). It matches anywhere in the string: anchor it with `^` and `$`.").applies_to(TEXT),
    field("maximum", FieldType::Number, "The largest allowed number.").applies_to(NUMBERS),
    field("minimum", FieldType::Number, "The smallest allowed number.").applies_to(NUMBERS),
    field("maxItems", FieldType::Integer, "The maximum number of items. The CEL cost estimate uses it. Without it, the estimate assumes the longest list that fits into a request.").applies_to(ARRAY),
    field("minItems", FieldType::Integer, "The minimum number of items.").applies_to(ARRAY),
    field("maxProperties", FieldType::Integer, "The maximum number of entries of a map. The CEL cost estimate uses it.").applies_to(OBJECT),
    field("minProperties", FieldType::Integer, "The minimum number of entries of a map.").applies_to(OBJECT),
    field("nullable", FieldType::Boolean, "Whether `null` is allowed. Otherwise the API server replaces `null` by the default, or rejects it if there is none.").not_in_junctor(),
    field("x-kubernetes-validations", FieldType::List(&RULE_TYPE), "CEL rules that each value must satisfy. `self` is the value. A rule that uses `oldSelf` compares it with the stored value and runs only on updates.").not_in_junctor(),
    field("x-kubernetes-list-type", FieldType::String, "How server-side apply merges the list, and whether its items are unique.")
        .one_of(&[
            value("atomic", "Server-side apply replaces the whole list. This is the default."),
            value("set", "The items are scalars (or atomic) and unique. Each item has its own owner."),
            value("map", "The items are objects that `x-kubernetes-list-map-keys` identifies. Each item has its own owner."),
        ])
        .applies_to(ARRAY)
        .not_in_junctor(),
    field("x-kubernetes-list-map-keys", FieldType::List(&STRING), "The properties that identify the items of a list with `x-kubernetes-list-type: map`. Each is a scalar that is required or has a default.").applies_to(ARRAY).not_in_junctor(),
    field("x-kubernetes-map-type", FieldType::String, "How server-side apply merges the object or map.")
        .one_of(&[
            value("granular", "Each entry has its own owner. This is the default."),
            value("atomic", "Server-side apply replaces the whole object."),
        ])
        .applies_to(OBJECT)
        .not_in_junctor(),
    field("x-kubernetes-preserve-unknown-fields", FieldType::Boolean, "`true` keeps fields that the schema does not specify, down to the next `properties` or `additionalProperties`. CEL rules cannot read these fields.")
        .one_of(&[value("true", "Nothing is pruned here.")])
        .not_in_junctor(),
    field("x-kubernetes-int-or-string", FieldType::Boolean, "The value is an integer or a string, such as a port or a percentage. Leave `type` out. The type in CEL is `dyn`.").not_in_junctor(),
    field("x-kubernetes-embedded-resource", FieldType::Boolean, "The value is a complete Kubernetes object. The API server checks its `apiVersion`, `kind` and `metadata`, even if the schema does not specify them.").applies_to(OBJECT).not_in_junctor(),
    field("anyOf", FieldType::List(&A_SCHEMA), "The value must match at least one of these schemas. They can only restrict properties that the schema outside specifies: `type`, `description`, `default`, `nullable` and `additionalProperties` are not allowed."),
    field("oneOf", FieldType::List(&A_SCHEMA), "The value must match exactly one of these schemas. They can only restrict properties that the schema outside specifies, as in `anyOf`."),
    field("allOf", FieldType::List(&A_SCHEMA), "The value must match all of these schemas. They can only restrict properties that the schema outside specifies, as in `anyOf`."),
    field("not", FieldType::Object(&SCHEMA), "The value must not match this schema. It can only restrict properties that the schema outside specifies, as in `anyOf`."),
    field("exclusiveMaximum", FieldType::Boolean, "Whether the value must be below `maximum` instead of at most `maximum`.").applies_to(NUMBERS),
    field("exclusiveMinimum", FieldType::Boolean, "Whether the value must be above `minimum` instead of at least `minimum`.").applies_to(NUMBERS),
    field("multipleOf", FieldType::Number, "The number must be a multiple of this number.").applies_to(NUMBERS),
    field("title", FieldType::String, "A heading, for documentation.").not_in_junctor(),
        field("externalDocs", FieldType::Object(&EXTERNAL_DOCS), "A link to more documentation."),
    field("example", FieldType::Any, "An example value, for documentation."),
    field("uniqueItems", FieldType::Boolean, "Must not be `true`, because comparing all items takes too long. Use `x-kubernetes-list-type: set`.")
        .one_of(&[value("false", "The only value that the API server accepts. It has no effect.")])
        .applies_to(ARRAY),
    field("$ref", FieldType::String, "A reference to another schema. Not allowed in CRDs: write the schema itself.").refused(),
    field("$schema", FieldType::String, "The dialect of the schema. Not allowed in CRDs.").refused(),
    field("id", FieldType::String, "An identifier of the schema. Not allowed in CRDs.").refused(),
    field("definitions", FieldType::Map(&A_SCHEMA), "Schemas for references. Not allowed in CRDs.").refused(),
    field("dependencies", FieldType::Map(&DEPENDENCY), "Fields that are required if another field is set. Not allowed in CRDs: write a CEL rule.").refused(),
    field("patternProperties", FieldType::Map(&A_SCHEMA), "Schemas for fields whose names match a pattern. Not allowed in CRDs.").refused(),
    field("additionalItems", FieldType::SchemaOrBool, "The schema of items after those that `items` lists. Not allowed in CRDs.").refused(),
],
};

static DEPENDENCY: FieldType = FieldType::SchemaOrNames;

static EXTERNAL_DOCS: Struct = Struct {
    name: "ExternalDocumentation",
    doc: "A link to more documentation.",
    fields: &[
        field("url", FieldType::String, "The URL of the documentation."),
        field("description", FieldType::String, "A description of the documentation."),
    ],
};

/// `ValidationRule`
pub static VALIDATION_RULE: Struct = Struct {
    name: "ValidationRule",
    doc: "A CEL rule that each value of its schema must satisfy.",
    fields: &[
        field("rule", FieldType::Cel, "An expression that is true for valid values. `self` is the value of the schema that has the rule, `oldSelf` is the stored value. Fields that CEL cannot name are escaped (`__namespace__`, `my__dash__field`).").required(),
        field("message", FieldType::String, "The error message if a value does not satisfy the rule: one line. Required if the rule has line breaks. By default the API server prints the rule."),
        field("messageExpression", FieldType::Cel, "A CEL expression that returns the error message. It can use `self` and `oldSelf`. If it fails, or returns an empty string or line breaks, the API server uses `message`."),
        field("reason", FieldType::String, "The machine-readable reason of the error. By default, `FieldValueInvalid`.").one_of(&[
            value("FieldValueInvalid", "The value is wrong (`Invalid value`)."),
            value("FieldValueForbidden", "The value must not be set (`Forbidden`)."),
            value("FieldValueRequired", "The value must be set (`Required value`)."),
            value("FieldValueDuplicate", "The value is a duplicate (`Duplicate value`)."),
        ]),
        field("fieldPath", FieldType::String, "The field that the error names, relative to the schema: `.spec.name` or `['my-map'].key`. It must exist in the schema, and cannot be inside a list."),
        field("optionalOldSelf", FieldType::Boolean, "`true` runs a transition rule on create, too. `oldSelf` is then an optional value: use `oldSelf.orValue(…)` or `oldSelf.hasValue()`. Enabled by default since 1.30."),
    ],
};
