//! The fields of a ValidatingAdmissionPolicy. Decoding, completion and hover read them.

use crd_analyzer_apiextensions::api::{FieldType, OBJECT_META, Struct, field, value};

static STRING: FieldType = FieldType::String;

/// `ValidatingAdmissionPolicy`, which has the same fields in `v1` and `v1beta1`.
pub(crate) static POLICY: FieldType = FieldType::Object(&POLICY_STRUCT);

static POLICY_STRUCT: Struct = Struct {
    name: "ValidatingAdmissionPolicy",
    doc: "Accepts or rejects requests by CEL expressions.",
    fields: &[
        field("apiVersion", FieldType::String, "The version of the policy API.")
            .required()
            .such_as(&[value(
                "admissionregistration.k8s.io/v1",
                "The version since Kubernetes 1.30.",
            )]),
        field("kind", FieldType::String, "The kind of the object.")
            .required()
            .one_of(&[value(
                "ValidatingAdmissionPolicy",
                "Accepts or rejects requests by CEL expressions.",
            )]),
        field(
            "metadata",
            FieldType::Object(&OBJECT_META),
            "Name, labels and annotations. A policy has no namespace.",
        )
        .required(),
        field(
            "spec",
            FieldType::Object(&SPEC),
            "Which requests the policy is about, and what it checks.",
        )
        .required(),
        field(
            "status",
            FieldType::Object(&STATUS),
            "The current state of the policy. The API server writes it, and ignores it in manifests.",
        )
        .by_server(),
    ],
};

static SPEC: Struct = Struct {
    name: "ValidatingAdmissionPolicySpec",
    doc: "Which requests the policy is about, and what it checks.",
    fields: &[
        field("failurePolicy", FieldType::String, "What happens to a request if the policy is misconfigured or an expression ends in an error. The default is `Fail`.")
            .of_go_type("FailurePolicyType")
            .one_of(&[
                value("Fail", "The policy does what `validationActions` of its binding says. This is the default."),
                value("Ignore", "The policy lets the request pass."),
            ]),
        field("paramKind", FieldType::Object(&PARAM_KIND), "The kind of the objects that the policy takes parameters from. Only with it can expressions read `params`."),
        field("matchConstraints", FieldType::Object(&MATCH_RESOURCES), "The resources that the policy checks. It needs at least one entry in `resourceRules`.").required(),
        field("matchConditions", FieldType::List(&MATCH_CONDITION_TYPE), "More conditions on requests, at most 64. The policy checks a request only if all conditions are `true`. They cannot read `variables`."),
        field("variables", FieldType::List(&VARIABLE_TYPE), "Named expressions. Later variables and the other expressions read them as `variables.<name>`; `matchConditions` cannot."),
        field("validations", FieldType::List(&VALIDATION_TYPE), "Expressions that must be `true`. A policy needs at least one entry here or in `auditAnnotations`."),
        field("auditAnnotations", FieldType::List(&AUDIT_ANNOTATION_TYPE), "Annotations for the audit event of a request, at most 20."),
    ],
};

static PARAM_KIND: Struct = Struct {
    name: "ParamKind",
    doc: "The kind of the objects that the policy takes parameters from.",
    fields: &[
        field(
            "apiVersion",
            FieldType::String,
            "The API version of the kind: `group/version`, or `v1` for the core group.",
        )
        .required(),
        field("kind", FieldType::String, "The kind.").required(),
    ],
};

static MATCH_RESOURCES: Struct = Struct {
    name: "MatchResources",
    doc: "Which resources a policy is about.",
    fields: &[
        field("resourceRules", FieldType::List(&RULE_TYPE), "Operations and resources. A request must match at least one rule.").required(),
        field("excludeResourceRules", FieldType::List(&RULE_TYPE), "Operations and resources that the policy does not check, even if they match `resourceRules`."),
        field("namespaceSelector", FieldType::Object(&LABEL_SELECTOR), "Labels of the object's namespace. By default the policy checks all namespaces. Cluster-scoped objects other than namespaces always match."),
        field("objectSelector", FieldType::Object(&LABEL_SELECTOR), "Labels of the object. By default the policy checks all objects. Authors of objects can avoid the check by changing labels."),
        field("matchPolicy", FieldType::String, "Whether a rule also matches requests for the same resource in other API versions and groups. The default is `Equivalent`.")
            .of_go_type("MatchPolicyType")
            .one_of(&[
                value("Equivalent", "Rules match the resource in every group and version. This is the default."),
                value("Exact", "Rules match only the groups and versions that they name."),
            ]),
    ],
};

static RULE_TYPE: FieldType = FieldType::Object(&RULE);

/// The embedded Go structs that contain the fields of `Rule` in a rule's struct.
const OF_RULE: &[&str] = &["RuleWithOperations", "Rule"];

static RULE: Struct = Struct {
    name: "NamedRuleWithOperations",
    doc: "Operations and resources.",
    fields: &[
        field("apiGroups", FieldType::List(&STRING), "API groups. `\"\"` is the core group, `*` matches all groups.").embedded_in(OF_RULE).required(),
        field("apiVersions", FieldType::List(&STRING), "API versions. `*` matches all versions.").embedded_in(OF_RULE).required(),
        field("operations", FieldType::List(&STRING), "Operations. `*` matches all operations.")
            .of_go_type("v1.OperationType")
            .embedded_in(&["RuleWithOperations"])
            .required()
            .one_of(&[
                value("CREATE", "An object is created."),
                value("UPDATE", "An object is changed."),
                value("DELETE", "An object is deleted. `object` is `null`."),
                value("CONNECT", "A connection, such as `kubectl exec`."),
                value("*", "All operations."),
            ]),
        field("resources", FieldType::List(&STRING), "Resources in the plural: `pods`, `pods/log` for a subresource, `*` for all resources without subresources, `*/*` for everything.").embedded_in(OF_RULE).required(),
        field("scope", FieldType::String, "The scope of the resources. The default is `*`.")
            .of_go_type("v1.ScopeType")
            .embedded_in(OF_RULE)
            .one_of(&[
                value("*", "Any scope. This is the default."),
                value("Namespaced", "Only resources in namespaces."),
                value("Cluster", "Only cluster-scoped resources, such as namespaces."),
            ]),
        field("resourceNames", FieldType::List(&STRING), "Names of objects. By default the rule matches objects of all names."),
    ],
};

static LABEL_SELECTOR: Struct = Struct {
    name: "LabelSelector",
    doc: "Conditions on labels. An object must meet all of them.",
    fields: &[
        field(
            "matchLabels",
            FieldType::Map(&STRING),
            "Labels with the values that they must have.",
        ),
        field(
            "matchExpressions",
            FieldType::List(&REQUIREMENT_TYPE),
            "Conditions on individual labels.",
        ),
    ],
};

static REQUIREMENT_TYPE: FieldType = FieldType::Object(&REQUIREMENT);

static REQUIREMENT: Struct = Struct {
    name: "LabelSelectorRequirement",
    doc: "A condition on a label.",
    fields: &[
        field("key", FieldType::String, "The key of the label.").required(),
        field("operator", FieldType::String, "The condition.")
            .of_go_type("v1.LabelSelectorOperator")
            .required()
            .one_of(&[
                value("In", "The value is one of `values`."),
                value("NotIn", "The value is not one of `values`, or the label is not set."),
                value("Exists", "The label is set."),
                value("DoesNotExist", "The label is not set."),
            ]),
        field(
            "values",
            FieldType::List(&STRING),
            "Values for `In` and `NotIn`. Leave them out for `Exists` and `DoesNotExist`.",
        ),
    ],
};

static MATCH_CONDITION_TYPE: FieldType = FieldType::Object(&MATCH_CONDITION);

static MATCH_CONDITION: Struct = Struct {
    name: "MatchCondition",
    doc: "A condition on requests.",
    fields: &[
        field("name", FieldType::String, "The name of the condition, unique in the policy: letters, digits, `-`, `_` and `.`, with an optional DNS prefix.").required(),
        field("expression", FieldType::Cel, "A CEL expression that gives `true` or `false`. The policy checks a request only if it gives `true`. It reads `object`, `oldObject`, `request`, `namespaceObject`, `authorizer` and, with `paramKind`, `params`.").required(),
    ],
};

static VARIABLE_TYPE: FieldType = FieldType::Object(&VARIABLE);

static VARIABLE: Struct = Struct {
    name: "Variable",
    doc: "A named expression.",
    fields: &[
        field("name", FieldType::String, "The name, a CEL identifier. Expressions read `variables.<name>`.").required(),
        field("expression", FieldType::Cel, "A CEL expression of any type. It reads what validations read, and the variables above it. The API server evaluates it when another expression first needs it.").required(),
    ],
};

static VALIDATION_TYPE: FieldType = FieldType::Object(&VALIDATION);

static VALIDATION: Struct = Struct {
    name: "Validation",
    doc: "A condition that requests must meet.",
    fields: &[
        field("expression", FieldType::Cel, "A CEL expression that gives `true` or `false`. The policy rejects the request if it gives `false`. It reads `object`, `oldObject`, `request`, `namespaceObject`, `authorizer`, with `paramKind` `params`, and with `variables` `variables`.").required(),
        field("message", FieldType::String, "What users see if the expression is `false`: one line."),
        field("messageExpression", FieldType::Cel, "A CEL expression that gives the message, a string. It takes precedence over `message`. It reads what `expression` reads except `authorizer`."),
        field("reason", FieldType::String, "The reason of the rejection in the API server's answer. The default is `Invalid`.")
            .of_go_type("v1.StatusReason")
            .one_of(&[
                value("Forbidden", "HTTP status 403."),
                value("Invalid", "HTTP status 422. This is the default."),
                value("RequestEntityTooLarge", "HTTP status 413."),
            ]),
    ],
};

static AUDIT_ANNOTATION_TYPE: FieldType = FieldType::Object(&AUDIT_ANNOTATION);

static AUDIT_ANNOTATION: Struct = Struct {
    name: "AuditAnnotation",
    doc: "An annotation of an audit event.",
    fields: &[
        field("key", FieldType::String, "The key, unique in the policy. The annotation's key is `<policy name>/<key>`.").required(),
        field("valueExpression", FieldType::Cel, "A CEL expression that gives the value: a string, or `null` for no annotation. It has at most 5 KiB, and reads what validations read.").required(),
    ],
};

static STATUS: Struct = Struct {
    name: "ValidatingAdmissionPolicyStatus",
    doc: "The current state of a policy.",
    fields: &[
        field(
            "observedGeneration",
            FieldType::Integer,
            "The generation that the controller has seen.",
        )
        .by_server(),
        field(
            "typeChecking",
            FieldType::Object(&TYPE_CHECKING),
            "What type checking found in the expressions.",
        )
        .by_server(),
        field(
            "conditions",
            FieldType::List(&CONDITION_TYPE),
            "Conditions of the policy.",
        )
        .by_server(),
    ],
};

static TYPE_CHECKING: Struct = Struct {
    name: "TypeChecking",
    doc: "What type checking found in the expressions.",
    fields: &[field(
        "expressionWarnings",
        FieldType::List(&EXPRESSION_WARNING_TYPE),
        "Warnings about expressions.",
    )
    .by_server()],
};

static EXPRESSION_WARNING_TYPE: FieldType = FieldType::Object(&EXPRESSION_WARNING);

static EXPRESSION_WARNING: Struct = Struct {
    name: "ExpressionWarning",
    doc: "A warning about an expression.",
    fields: &[
        field("fieldRef", FieldType::String, "The field with the expression.").by_server(),
        field("warning", FieldType::String, "The warning.").by_server(),
    ],
};

static CONDITION_TYPE: FieldType = FieldType::Object(&CONDITION);

static CONDITION: Struct = Struct {
    name: "Condition",
    doc: "One aspect of the current state.",
    fields: &[
        field("type", FieldType::String, "What the condition is about.").by_server(),
        field("status", FieldType::String, "Whether the condition holds.")
            .of_go_type("v1.ConditionStatus")
            .by_server(),
        field(
            "observedGeneration",
            FieldType::Integer,
            "The generation that the condition was found for.",
        )
        .by_server(),
        field("lastTransitionTime", FieldType::Time, "When the status last changed.").by_server(),
        field("reason", FieldType::String, "Why the status is what it is, in a word.").by_server(),
        field(
            "message",
            FieldType::String,
            "Why the status is what it is, for people.",
        )
        .by_server(),
    ],
};
