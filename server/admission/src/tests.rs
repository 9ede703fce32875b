//! Answers for small policies.

use std::sync::Arc;

use crd_analyzer_apiextensions::decode::Refused;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    read_json,
    split::{read_document, split},
};

use crate::{VALIDATING_ADMISSION_POLICY as POLICY, Verdict, judge_create};

const HEAD: &str =
    "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: a}\n";

const MATCHES: &str = "  matchConstraints:\n    resourceRules:\n    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}\n";

fn judge(text: &str, minor: u8) -> Verdict {
    let text: Arc<str> = text.into();
    let tree = read_document(&text, split(&text).documents[0], &[]).expect("YAML");
    let json = read_json(&tree).expect("JSON");
    judge_create(&json, POLICY.served(), KubernetesVersion::minor(minor))
}

fn errors(verdict: &Verdict) -> Vec<String> {
    verdict.errors.iter().map(ToString::to_string).collect()
}

/// Checks the errors of a policy with this YAML below `matchConstraints` in its spec.
#[track_caller]
fn check(spec: &str, minor: u8, expected: &[&str]) {
    let verdict = judge(&format!("{HEAD}spec:\n{MATCHES}{spec}"), minor);
    assert!(verdict.refused.is_none(), "{:?}", verdict.refused);
    assert_eq!(errors(&verdict), expected, "{spec}");
}

/// Checks the error of the first validation if it has this expression.
#[track_caller]
fn check_expression(expression: &str, expected: Option<&str>) {
    let spec = format!("  validations: [{{expression: \"{expression}\"}}]\n");
    let prefix = "spec.validations[0].expression: Invalid value: ";
    let verdict = judge(&format!("{HEAD}spec:\n{MATCHES}{spec}"), 37);
    let found = errors(&verdict);
    let detail = verdict
        .errors
        .first()
        .map(|it| it.detail.lines().next().unwrap_or_default());
    assert!(found.iter().all(|it| it.starts_with(prefix)), "{found:?}");
    assert_eq!(detail, expected, "{expression}");
}

#[test]
fn a_policy_needs_rules_and_something_to_check() {
    check("  validations: [{expression: 'true'}]\n", 37, &[]);
    let verdict = judge(HEAD, 37);
    assert_eq!(
        errors(&verdict),
        [
            "spec.matchConstraints: Required value",
            "spec.validations: Required value: validations or auditAnnotations must contain at least one item",
            "spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item",
        ]
    );
    let verdict = judge(
        &format!("{HEAD}spec: {{matchConstraints: {{}}, validations: [{{}}]}}"),
        37,
    );
    assert_eq!(
        errors(&verdict),
        [
            "spec.matchConstraints.resourceRules: Required value",
            "spec.validations[0].expression: Required value: expression is not specified",
        ]
    );
}

#[test]
fn types_and_unknown_fields_are_told_in_the_decoders_words() {
    let refused = |spec: &str| match judge(&format!("{HEAD}spec: {spec}"), 37).refused {
        Some(Refused::ByServer { text, .. }) => text,
        other => panic!("{spec}: {other:?}"),
    };
    let begin = "ValidatingAdmissionPolicy in version \"v1\" cannot be handled as a ValidatingAdmissionPolicy: json: cannot unmarshal ";
    for (spec, end) in [
        (
            "{failurePolicy: 1}",
            "number into Go struct field ValidatingAdmissionPolicySpec.spec.failurePolicy of type v1.FailurePolicyType",
        ),
        (
            "{validations: {}}",
            "object into Go struct field ValidatingAdmissionPolicySpec.spec.validations of type []v1.Validation",
        ),
        (
            "{matchConstraints: {resourceRules: [{operations: [1]}]}}",
            "number into Go struct field NamedRuleWithOperations.spec.matchConstraints.resourceRules.RuleWithOperations.operations of type v1.OperationType",
        ),
        (
            "{matchConstraints: {objectSelector: a}}",
            "string into Go struct field MatchResources.spec.matchConstraints.objectSelector of type v1.LabelSelector",
        ),
    ] {
        assert_eq!(refused(spec), format!("{begin}{end}"), "{spec}");
    }
    let verdict = judge(
        &format!("{HEAD}spec: {{validation: [], matchConstraints: {{rules: []}}}}"),
        37,
    );
    let strict: Vec<_> = verdict.strict.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(
        strict,
        [
            "unknown field \"spec.matchConstraints.rules\"",
            "unknown field \"spec.validation\""
        ]
    );
}

#[test]
fn expressions_see_what_the_server_declares() {
    let undeclared = |name: &str| {
        format!("compilation failed: ERROR: <input>:1:1: undeclared reference to '{name}' (in container '')")
    };
    check_expression("object.spec.replicas < 5 && oldObject == null", None);
    check_expression("request.userInfo.groups.exists(it, it == 'admins')", None);
    check_expression(
        "request.userInfo.extra['a'][0] == 'b' && request.options.dryRun == ['All']",
        None,
    );
    check_expression("namespaceObject.metadata.labels['a'] == 'b'", None);
    check_expression(
        "namespaceObject.status.conditions.all(it, it.lastTransitionTime < timestamp('2030-01-01T00:00:00Z'))",
        None,
    );
    check_expression("authorizer.group('').resource('pods').check('get').allowed()", None);
    check_expression("authorizer.requestResource.check('delete').allowed()", None);
    // Objects of a declared type cannot be created, but this only fails at run time.
    check_expression("kubernetes.UserInfo{username: 'a'}.username == 'a'", None);
    check_expression("params.limit > 1", Some(&undeclared("params")));
    check_expression("variables.a", Some(&undeclared("variables")));
    check_expression("self.a", Some(&undeclared("self")));
    check_expression(
        "request.kind.resource == ''",
        Some("compilation failed: ERROR: <input>:1:13: undefined field 'resource'"),
    );
    check_expression("1", Some("must evaluate to bool but got int"));
    check_expression("object.a", Some("must evaluate to bool but got dyn"));
}

#[test]
fn parameters_need_their_kind_and_messages_have_no_authorizer() {
    check(
        "  paramKind: {apiVersion: v1, kind: ConfigMap}\n  validations: [{expression: params.a == 'b', messageExpression: 'string(params.a)'}]\n  matchConditions: [{name: a, expression: ' params.a == \"b\"'}]\n",
        37,
        &[],
    );
    check(
        "  validations: [{expression: 'true', messageExpression: 'authorizer == null ? \"a\" : \"b\"'}, {expression: 'true', messageExpression: '1'}]\n",
        37,
        &[
            "spec.validations[0].messageExpression: Invalid value: \"authorizer == null ? \\\"a\\\" : \\\"b\\\"\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'authorizer' (in container '')\n | authorizer == null ? \"a\" : \"b\"\n | ^",
            "spec.validations[1].messageExpression: Invalid value: \"1\": must evaluate to string but got int",
        ],
    );
}

#[test]
fn variables_are_composed_in_their_order() {
    check(
        "  variables:\n  - {name: count, expression: object.spec.replicas}\n  - {name: m, expression: '[1, 2]'}\n  - {name: big, expression: 'variables.count > 5 && variables.m[0] == 1'}\n  validations: [{expression: '!variables.big'}]\n",
        37,
        &[],
    );
    check(
        "  variables:\n  - {name: a, expression: variables.b}\n  - {name: b, expression: variables.b}\n  - {name: c, expression: '1'}\n  - {name: c, expression: 'true'}\n  - {name: d.e, expression: '1'}\n  matchConditions: [{name: a, expression: variables.c}]\n  validations: [{expression: variables.a}, {expression: variables.c}]\n",
        37,
        &[
            "spec.matchConditions[0].expression: Invalid value: \"variables.c\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.c\n | ^",
            "spec.variables[0].expression: Invalid value: \"variables.b\": compilation failed: ERROR: <input>:1:10: undefined field 'b'\n | variables.b\n | .........^",
            "spec.variables[1].expression: Invalid value: \"variables.b\": compilation failed: ERROR: <input>:1:10: undefined field 'b'\n | variables.b\n | .........^",
            "spec.variables[4].name: Invalid value: \"d.e\": must be a valid CEL identifier",
            "spec.validations[0].expression: Invalid value: \"variables.a\": must evaluate to bool but got dyn",
        ],
    );
}

#[test]
fn annotations_have_keys_of_the_policy() {
    check(
        "  auditAnnotations:\n  - {key: k, valueExpression: \"'a'\"}\n  - {key: k, valueExpression: ' null'}\n  - {key: '', valueExpression: '1'}\n",
        31,
        &[
            "spec.auditAnnotations[1].key: Duplicate value: \"k\"",
            "spec.auditAnnotations[2].key: Invalid value: \"a/\": name part must be non-empty",
            "spec.auditAnnotations[2].key: Invalid value: \"a/\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
            "spec.auditAnnotations[2].valueExpression: Invalid value: \"1\": must evaluate to one of [string null_type]",
        ],
    );
}

#[test]
fn an_old_version_is_removed() {
    let check = |version: usize, minor: u8, is_served: bool| {
        let version = &POLICY.versions[version];
        let by = KubernetesVersion::minor(minor);
        assert_eq!(version.is_served(by), is_served, "{} {minor}", version.name);
    };
    check(0, 37, true);
    check(1, 33, true);
    check(1, 34, false);
}

#[test]
fn types_that_double_end_the_work() {
    let variable = |n: usize| {
        let before = if n == 0 {
            "1".to_owned()
        } else {
            format!("variables.v{}", n - 1)
        };
        format!("  - {{name: v{n}, expression: '{{{before}: {before}}}'}}\n")
    };
    let of = |count: usize| {
        let variables: String = (0..count).map(variable).collect::<Vec<_>>().concat();
        judge(
            &format!("{HEAD}spec:\n{MATCHES}  variables:\n{variables}  validations: [{{expression: 'true'}}]\n"),
            37,
        )
    };
    assert!(of(8).unfinished.is_none());
    assert!(of(60).unfinished.is_some());
}
