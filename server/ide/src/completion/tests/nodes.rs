//! Tests for snippets of whole nodes whose content depends on the schema.

use super::{
    check_first, check_none_of,
    definitions::{HEAD, at, indented, spec},
};

#[test]
fn nodes_have_the_paths_of_the_schema() {
    let version = |schema: &str, lines: &str| {
        let schema = indented(schema);
        spec(&format!(
            "  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n{schema}{lines}"
        ))
    };
    let replicas = "type: object\nproperties:\n  spec:\n    type: object\n    properties:\n      min: {type: integer}\n      replicas: {type: integer}\n      name: {type: string}\n  status:\n    type: object\n    properties:\n      phase: {type: string}\n      since: {type: string, format: date-time}\n      count: {type: integer}\n      inner: {type: object, properties: {ready: {type: boolean}}}\n";
    let scale = version(replicas, "    subresources:\n      $0\n");
    check_first(&scale, &["status", "scale …", "scale"]);
    let taken = scale.taken("scale …");
    let paths = "          specReplicasPath: ${1|.spec.replicas,.spec.min|}\n          statusReplicasPath: ${2:.status.count}\n";
    assert!(
        taken.ends_with(&format!("      scale:\n{paths}").replace("          ", "        ")),
        "{taken}"
    );
    let missing = version(replicas, "    subresources:\n      scale:\n        $0\n").taken("required fields");
    assert!(
        missing.contains("specReplicasPath: ${1|.spec.replicas,.spec.min|}\n"),
        "{missing}"
    );
    // Without a schema, the snippet has the usual paths.
    let usual = version("type: object\n", "    subresources:\n      $0\n").taken("scale …");
    assert!(
        usual.contains("${1:.spec.replicas}") && usual.contains("${2:.status.replicas}"),
        "{usual}"
    );
    check_none_of(
        &version(replicas, "    subresources:\n      scale: {}\n      $0\n"),
        &["scale …"],
    );
    let columns = version(replicas, "    additionalPrinterColumns:\n    - $0\n");
    for (label, expected) in [
        (
            "column …",
            "name: ${1:Phase}\n      type: ${2|string,integer,date,boolean,number|}\n      jsonPath: ${3:.status.phase}\n",
        ),
        (
            "column Since …",
            "name: ${1:Since}\n      type: ${2|date,string,integer,boolean,number|}\n      jsonPath: ${3:.status.since}\n",
        ),
        (
            "column Count …",
            "name: ${1:Count}\n      type: ${2|integer,string,date,boolean,number|}\n      jsonPath: ${3:.status.count}\n",
        ),
    ] {
        let taken = columns.taken(label);
        assert!(taken.ends_with(&format!("    - {expected}")), "{taken}");
    }
    let paths = version(replicas, "    additionalPrinterColumns:\n    - jsonPath: $0\n");
    assert!(paths.labels().contains(&".status.inner.ready"), "{:?}", paths.labels());
    let webhook = spec("  conversion:\n    $0\n");
    check_first(&webhook, &["webhook …", "strategy"]);
    let webhook = webhook.taken("webhook …");
    assert!(
        webhook.ends_with("  conversion:\n    strategy: Webhook\n    webhook:\n      conversionReviewVersions:\n      - v1\n      clientConfig:\n        service:\n          namespace: ${1:system}\n          name: ${2:webhook-service}\n          path: ${3:/convert}\n"),
        "{webhook}"
    );
    let old = at(&format!(
        "{}spec:\n  group: example.com\n  conversion:\n    $0\n",
        HEAD.replace("/v1", "/v1beta1")
    ));
    check_none_of(&old, &["webhook …"]);
}
