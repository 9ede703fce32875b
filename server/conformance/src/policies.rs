//! ValidatingAdmissionPolicies for the comparison with the API server's own code: the files, the oracle, and a vocabulary for mutants.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, ensure};
use crd_analyzer_fixtures::answers::Scope;

use crate::{
    choice::{Choice, Printed, Versions},
    crds::{self, Mutants, Question},
    mutate::Words,
    peers,
};

/// ValidatingAdmissionPolicies of a folder, or mutants of them.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// A folder with one policy or more a file.
    folder: PathBuf,
    /// Compare this many mutants of the policies instead of the policies themselves.
    #[arg(long, value_name = "COUNT")]
    mutants: Option<usize>,
    #[command(flatten)]
    versions: Versions,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    printed: Printed,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let folder = args.folder.canonicalize();
    let folder = folder.with_context(|| format!("no folder {}", args.folder.display()))?;
    let wanted = args.mutants.map(|count| Mutants {
        count,
        choice: &args.choice,
        is_update: false,
        signs: false,
        words: &WORDS,
    });
    let question = Question {
        folder: &folder,
        name: "policy",
        oracle,
        kind: Some(KIND),
        scope: Scope {
            without_cel: false,
            bad_values: true,
        },
    };
    crds::compare_all(
        &question,
        &files(&folder)?,
        wanted.as_ref(),
        &args.versions,
        &args.printed,
    )
}

/// The files of a folder, by path relative to it.
fn files(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut files = Vec::new();
    for file in std::fs::read_dir(folder)? {
        let path = file?.path();
        if path.extension().is_some_and(|it| it == "yaml") {
            files.push(path.strip_prefix(folder)?.to_string_lossy().into_owned());
        }
    }
    ensure!(!files.is_empty(), "{} has no policies", folder.display());
    files.sort();
    Ok(files)
}

/// The program that answers for a Kubernetes version: `$ORACLE_OUT/policies-v<minor>/policies`, built if it does not exist. Needs Go.
fn oracle(minor: u8) -> anyhow::Result<PathBuf> {
    let out = std::env::var_os("ORACLE_OUT").map_or_else(|| peers::root().join("target/oracle"), PathBuf::from);
    let binary = out.join(format!("policies-v{minor}/policies"));
    if !binary.exists() {
        eprintln!("building the program for policies of 1.{minor} in {}", out.display());
        std::fs::create_dir_all(&out)?;
        let status = Command::new("bash")
            .arg(peers::root().join("tests/conformance/policies/build.sh"))
            .arg(minor.to_string())
            .env("ORACLE_OUT", &out)
            .status()
            .context("cannot run bash")?;
        ensure!(
            status.success(),
            "it does not build: Go 1.26 and the Go module proxy are needed"
        );
    }
    Ok(binary)
}

/// The kind of the compared objects.
const KIND: &str = "ValidatingAdmissionPolicy";

/// The words of policies.
static WORDS: Words = Words {
    values: VALUES,
    shallow: SPEC_ENTRIES,
    deep: ENTRIES,
};

/// Values for fields, valid and invalid.
const VALUES: &[&str] = &[
    "null",
    "true",
    "0",
    "1.5",
    "9223372036854775808",
    "\"\"",
    "' '",
    "\"a\\nb\"",
    "a",
    "\"*\"",
    "[]",
    "{}",
    "[a]",
    "[a, a]",
    "['*']",
    "['*', a]",
    "['*/*', pods]",
    "['*', pods]",
    "[pods/*, pods/log]",
    "['*/log', pods/log]",
    "[CREATE, create]",
    "[CREATE, '*']",
    "['']",
    "[null]",
    "{a: 1}",
    "{a: b}",
    "Fail",
    "Ignore",
    "Exact",
    "Equivalent",
    "Namespaced",
    "Cluster",
    "Forbidden",
    "Invalid",
    "Unauthorized",
    "In",
    "Exists",
    "v1",
    "apps/v1",
    "/v1",
    "a/b/c",
    "Apps/v1",
    "'true'",
    "object",
    "object.spec.replicas",
    "object.spec.replicas < 3",
    "oldObject == null || object.a == oldObject.a",
    "request.operation == 'CREATE'",
    "request.userInfo.groups",
    "request.userInfo.groups.exists(it, it == 'a')",
    "request.kind.kind + request.resource.resource",
    "request.options",
    "request.uid",
    "request.object",
    "namespaceObject.metadata.labels",
    "namespaceObject.metadata.uid",
    "namespaceObject.metadata.UID",
    "namespaceObject.status.conditions[0].lastTransitionTime",
    "has(namespaceObject.metadata.annotations)",
    "params",
    "params.maxReplicas > 3",
    "variables",
    "variables.a",
    "variables.a + 1",
    "variables.a.b.c",
    "variables.namespace",
    "has(variables.a)",
    "authorizer",
    "authorizer.requestResource.check('get').allowed()",
    "authorizer.serviceAccount('a', 'b').group('').resource('pods').check('get').reason()",
    "authorizer.path('/healthz').check('get').errored()",
    "'''a'' + string(1)'",
    "dyn(1)",
    "\"[1, 'a']\"",
    "'[1, 2]'",
    "'{\"a\": 1}'",
    "'{1: [dyn(1)]}'",
    "optional.of(1)",
    "type(1)",
    "timestamp('2020-01-01T00:00:00Z')",
    "duration('1x')",
    "duration('1h')",
    "quantity('1Gi')",
    "ip('1.2.3.4')",
    "'1 +'",
    "a(",
    "self",
    "'google.protobuf.BoolValue{value: true}'",
    "'kubernetes.Namespace{}'",
    "'kubernetes.UserInfo{username: \"a\"}'",
    "'null'",
    "'{}'",
    "99999999999999999999",
    "'ä'",
    "~",
];

/// Entries for the policy and its spec.
const SPEC_ENTRIES: &[&str] = &[
    "failurePolicy: Fail",
    "failurePolicy: fail",
    "failurePolicy: ''",
    "failurePolicy: null",
    "paramKind: {}",
    "paramKind: null",
    "paramKind: {apiVersion: v1, kind: ConfigMap}",
    "paramKind: {apiVersion: a/b/c, kind: A}",
    "paramKind: {apiVersion: /, kind: 'A b'}",
    "paramKind: {apiVersion: A.b/v1, kind: a.b}",
    "paramKind: {apiVersion: a.b/, kind: A, group: b}",
    "matchConstraints: {}",
    "matchConstraints: null",
    "matchConstraints: {resourceRules: [{}]}",
    "matchConditions: []",
    "matchConditions: [{}]",
    "matchConditions: [{name: a, expression: 'true'}, {name: a, expression: '1'}]",
    "matchConditions: [{name: a/b/c, expression: ' '}]",
    "matchConditions: [{name: a, expression: ' variables.a '}]",
    "matchConditions: [{name: a, expression: \"\\n params.a == authorizer.a\"}]",
    "variables: []",
    "variables: [{}]",
    "variables: [{name: a, expression: '1'}]",
    "variables: [{name: a, expression: '[1]'}, {name: b, expression: 'variables.a[0] + 1'}, {name: a, expression: 'variables.b > 1'}]",
    "variables: [{name: a.b, expression: 'x'}, {name: in, expression: '{}'}, {name: ' ', expression: ' '}]",
    "variables: [{name: a, expression: 'variables.a'}, {name: b, expression: 'variables.a'}]",
    "variables: [{name: a, expression: 'request.userInfo'}, {name: b, expression: 'variables.a.groups[0] == 1'}]",
    "variables: [{name: a, expression: '{\"a\": [optional.none()]}'}, {name: b, expression: 'variables.a.a[0]'}]",
    "validations: []",
    "validations: null",
    "validations: [{expression: 'true'}]",
    "validations: [{expression: variables.a, messageExpression: variables.b, reason: Foo}]",
    "validations: [{expression: 'true', message: ' ', messageExpression: ' ', reason: ''}]",
    "validations: [{expression: 'true', message: \"a\\nb\"}]",
    "validations: [{expression: '1', messageExpression: authorizer, reason: Invalid}]",
    "auditAnnotations: []",
    "auditAnnotations: [{}]",
    "auditAnnotations: [{key: a, valueExpression: '1'}, {key: a, valueExpression: 'null'}]",
    "auditAnnotations: [{key: a b, valueExpression: \" 'a' \"}]",
    "auditAnnotations: [{key: a, valueExpression: 'object.a'}]",
    "status: {}",
    "status: {conditions: [{type: a, status: True, lastTransitionTime: x}]}",
    "status: {typeChecking: {expressionWarnings: [{fieldRef: a}]}, observedGeneration: 1}",
    "metadata: {}",
    "metadata: {generateName: a-}",
    "metadata: {name: a.static.k8s.io}",
    "name: a.static.k8s.io",
    "name: A_b",
    "namespace: a",
    "labels: {a b: c}",
    "annotations: {a: 1}",
    "finalizers: [a]",
    "validation: []",
    "spec: null",
    "spec: []",
];

/// Entries for other mappings.
const ENTRIES: &[&str] = &[
    "matchPolicy: Exact",
    "matchPolicy: exact",
    "namespaceSelector: {}",
    "namespaceSelector: {matchLabels: {a: b c, 'd e': f}}",
    "objectSelector: {matchExpressions: [{}]}",
    "objectSelector: {matchExpressions: [{key: a, operator: In}]}",
    "objectSelector: {matchExpressions: [{key: a, operator: Exists, values: [b]}]}",
    "objectSelector: {matchExpressions: [{key: a/b/c, operator: NotIn, values: ['b c']}]}",
    "objectSelector: {matchExpressions: [{key: a, operator: Gt, values: [1]}]}",
    "objectSelector: null",
    "resourceRules: []",
    "excludeResourceRules: [{}]",
    "excludeResourceRules: [{apiGroups: [''], apiVersions: [''], operations: [GET], resources: ['']}]",
    "resourceNames: [a, a]",
    "resourceNames: [a/b, '.', '%']",
    "resources: ['*', pods]",
    "resources: ['*/*', pods/log]",
    "apiGroups: ['*', apps]",
    "apiVersions: ['*', v1]",
    "operations: ['*', CREATE]",
    "operations: [PATCH]",
    "scope: '*'",
    "scope: cluster",
    "expression: ''",
    "expression: 'variables.a'",
    "expression: ' object.a == 1 && object.b '",
    "message: ''",
    "messageExpression: ''",
    "messageExpression: 'params'",
    "reason: Forbidden",
    "reason: NotFound",
    "key: a",
    "name: a",
    "valueExpression: ''",
    "operator: In",
    "values: [a]",
    "unknown: 1",
    "Expression: 'true'",
];
