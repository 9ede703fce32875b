//! Tests of editor features in objects of kinds that the API server itself has, here ValidatingAdmissionPolicies.
#![allow(clippy::expect_used, reason = "a test says what it expected")]

use std::sync::Arc;

use crd_analyzer_ide::{
    completion::{Request, complete},
    file::File,
    hover::hover,
    semantic::{TokenKind, semantic_tokens},
    signature::signatures,
    symbols::symbols,
};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::Span;

const POLICY: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: replicas
spec:
  failurePolicy: Fail
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules:
      - {apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}
  matchConditions:
    - name: people
      expression: request.userInfo.username != 'robot'
  variables:
    - name: most
      expression: int(params.data.most)
    - name: is_small
      expression: object.spec.replicas < variables.most
  validations:
    - expression: |
        variables.is_small &&
        request.kind.kind.startsWith('D')
      message: too many replicas
";

/// The policy after replacing one string with another, and the offset of the cursor (`$0`).
#[track_caller]
fn edited(old: &str, new: &str) -> (String, u32) {
    assert!(POLICY.contains(old), "{old}");
    let text = POLICY.replacen(old, new, 1);
    let offset = text.find("$0").expect("a cursor") as u32;
    (text.replacen("$0", "", 1), offset)
}

/// The labels that are offered after replacing one string in the policy with another that contains the cursor.
#[track_caller]
fn offered(old: &str, new: &str) -> Vec<String> {
    let (text, offset) = edited(old, new);
    let file = File::new(text.as_str(), Arc::default());
    let document = file.document_at(offset).expect("a document");
    let found = complete(&Request {
        tree: document.tree,
        document: Some(&document),
        offset,
        version: KubernetesVersion::NEWEST,
        snippets: false,
        transforms: false,
        definitions: &(),
    });
    let items = found.map_or_else(Vec::new, |it| it.items);
    items.into_iter().map(|it| it.label).collect()
}

#[track_caller]
fn check_offered(old: &str, new: &str, some: &[&str], none: &[&str]) {
    let found = offered(old, new);
    for label in some {
        assert!(
            found.iter().any(|it| it == label),
            "{label} is not offered at {new}: {found:?}"
        );
    }
    for label in none {
        assert!(
            found.iter().all(|it| it != label),
            "{label} is offered at {new}: {found:?}"
        );
    }
}

/// The hover at a cursor, as Markdown.
#[track_caller]
fn hovered(old: &str, new: &str) -> String {
    let (text, offset) = edited(old, new);
    let file = File::new(text.as_str(), Arc::default());
    let document = file.document_at(offset).expect("a document");
    let found = hover(&document, offset, KubernetesVersion::NEWEST).expect("a hover");
    found.plain()
}

#[test]
fn fields_and_their_values_are_offered() {
    check_offered(
        "  failurePolicy: Fail\n",
        "  $0\n",
        &["failurePolicy", "auditAnnotations"],
        &["validations", "versions", "names"],
    );
    check_offered("failurePolicy: Fail", "failurePolicy: $0", &["Fail", "Ignore"], &[]);
    check_offered("operations: [CREATE]", "operations: [$0]", &["CREATE", "*"], &[]);
    check_offered(
        "      message: too",
        "      $0: too",
        &["reason", "messageExpression"],
        &["fieldPath"],
    );
    check_offered(
        "kind: ValidatingAdmissionPolicy",
        "kind: $0",
        &["ValidatingAdmissionPolicy"],
        &["CustomResourceDefinition"],
    );
}

#[test]
fn expressions_are_completed_from_what_they_see() {
    let expression = "request.userInfo.username != 'robot'";
    check_offered(
        expression,
        "$0",
        &["object", "request", "params", "authorizer"],
        &["variables", "self"],
    );
    check_offered(
        expression,
        "request.$0",
        &["userInfo", "operation", "kind"],
        &["object"],
    );
    check_offered(expression, "request.userInfo.$0", &["groups", "username"], &[]);
    check_offered(expression, "namespaceObject.metadata.$0", &["labels"], &["uid"]);
    check_offered(expression, "authorizer.$0", &["group", "path"], &[]);
    // Only variables that are declared above this one are offered.
    check_offered("int(params.data.most)", "variables.$0", &[], &["most", "is_small"]);
    check_offered("variables.most", "variables.$0", &["most"], &["is_small"]);
    check_offered(
        "        variables.is_small &&",
        "        variables.$0 &&",
        &["most", "is_small"],
        &[],
    );
    check_offered(
        "too many replicas",
        "a\n      messageExpression: $0",
        &["variables", "object"],
        &["authorizer"],
    );
}

#[test]
fn fields_and_parts_of_expressions_are_explained() {
    let text = hovered("failurePolicy", "fail$0urePolicy");
    assert!(text.contains("misconfigured") && text.contains("Ignore"), "{text}");
    let text = hovered("most\n      expression: int", "most\n      expression: in$0t");
    assert!(text.contains("int"), "{text}");
    let text = hovered("request.kind.kind.startsWith", "request.ki$0nd.kind.startsWith");
    assert!(text.contains("kind: object"), "{text}");
    let text = hovered("variables.is_small &&", "variables.is_sm$0all &&");
    assert!(text.contains("is_small: bool"), "{text}");
    let text = hovered("request.userInfo.username", "reque$0st.userInfo.username");
    assert!(text.contains("the user"), "{text}");
}

#[test]
fn calls_have_signatures() {
    let (text, offset) = edited("startsWith('D')", "startsWith($0'D')");
    let file = File::new(text.as_str(), Arc::default());
    let document = file.document_at(offset).expect("a document");
    let found = signatures(&document, offset, KubernetesVersion::NEWEST).expect("signatures");
    assert_eq!(found.all[found.active].label, "string.startsWith(string) -> bool");
}

#[test]
fn expressions_have_tokens() {
    let file = File::new(POLICY, Arc::default());
    let document = file.documents().next().expect("a document");
    let found = semantic_tokens(&document, Span::new(0, POLICY.len() as u32));
    let shown: Vec<_> = found.iter().map(|it| (&POLICY[it.span.range()], it.kind)).collect();
    assert_eq!(shown[0], ("request", TokenKind::Variable));
    assert!(shown.contains(&("is_small", TokenKind::Property)), "{shown:?}");
    assert!(shown.contains(&("startsWith", TokenKind::Function)), "{shown:?}");
}

#[test]
fn an_outline_shows_what_a_policy_checks() {
    let file = File::new(POLICY, Arc::default());
    let document = file.documents().next().expect("a document");
    let found = symbols(&document).expect("symbols");
    let lists: Vec<_> = found.children.iter().map(|it| it.name.as_str()).collect();
    let items = |at: usize| -> Vec<_> {
        let list: &crd_analyzer_ide::symbols::Symbol = &found.children[at];
        list.children
            .iter()
            .map(|it| (it.name.as_str(), it.detail.as_str()))
            .collect()
    };
    assert_eq!(
        (found.name.as_str(), found.detail.as_str()),
        ("replicas", "ValidatingAdmissionPolicy")
    );
    assert_eq!(lists, ["matchConditions", "variables", "validations"]);
    assert_eq!(items(1)[1], ("is_small", "object.spec.replicas < variables.most"));
    assert_eq!(
        items(2),
        [(
            "variables.is_small && request.kind.kind.startsWith('D')",
            "too many replicas"
        )]
    );
}
