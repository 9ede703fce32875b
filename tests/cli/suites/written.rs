//! Test files that `test --init` and `test --update` write.

use expect_test::expect;

use super::{FAILING, SCHEMA, check, sandbox};
use crate::definition;

#[test]
fn update_writes_what_came_out_and_shows_it() {
    let sandbox = sandbox(&[("widgets.test.yaml", FAILING)]);
    let outcome = sandbox.run(&["test", ".", "--update"]);
    check(
        &outcome,
        0,
        &expect![[r#"
            --- widgets.test.yaml
            +++ widgets.test.yaml
            @@ -2,32 +2,42 @@
             tests:
               - name: small
                 create: {spec: {size: 1}}
            -    expect: rejected # it is not
            +    expect: accepted # it is not
               - name: large
                 create: {spec: {size: 10}}
            -    expect: accepted
            +    expect:
            +      rejected:
            +        - type: Invalid value
            +          field: spec.size
            +          detail: spec.size in body should be less than or equal to 9
               - name: words
                 create: {spec: {size: 10, color: 1234567890}}
                 expect:
                   rejected:
                     # the bound of sizes
                     - field: spec.size
            -          detail: too large
            -        - {type: Required value, field: spec.name}
            +          detail: spec.size in body should be less than or equal to 9
            +        - {type: Invalid value, field: spec.color}
               - name: more
                 create: {spec: {size: 10, name: abcdefghijk}}
                 expect:
                   rejected:
                     - spec.size # only this
            +        - type: Too long
            +          field: spec.name
            +          detail: may not be more than 9 bytes
               - name: stored
                 create: {spec: {size: 1}}
                 expect:
                   stored:
                     spec:
            -          color: blue
            +          color: red
                       size: 1 # small
                   defaulted:
            -        spec.color: blue
            -      warnings: [careful]
            +        spec.color: red
            +      warnings: []
               - name: nothing
                 create: {spec: {size: 1, colour: red}}
            +    expect:
            +      rejected:
            +        - 'unknown field "spec.colour"'
            1 file, 6 tests: 6 passed, 0 failed, 6 updated in N ms
        "#]],
    );
    sandbox.run(&["test", "."]).expect(0, &["6 passed, 0 failed"]);
    sandbox
        .run(&["test", ".", "--update"])
        .expect(0, &["1 file, 6 tests: 6 passed, 0 failed in "]);
    // If Kubernetes versions give different results, the program cannot know which result the author expects.
    let differing = "crd: widgets.yaml\nkubernetesVersions: all\ntests:\n  - name: words\n    create: {spec: {size: 5}}\n    expect:\n      rejected:\n        - {field: spec, type: FieldValueRequired}\n";
    sandbox.write("widgets.test.yaml", differing);
    sandbox.run(&["test", ".", "--update"]).expect(0, &["1 updated"]);
    sandbox.write(
        "widgets.yaml",
        definition("              type: object\n              x-kubernetes-validations: [{rule: isIP('1')}]\n"),
    );
    sandbox.run(&["test", ".", "--update"]).expect(
        1,
        &[
            "`words` stays as it is: the API server rejects the CRD widgets.yaml",
            "(Kubernetes 1.30)",
        ],
    );
}

#[test]
fn a_first_file_is_made_for_a_definition() {
    let sandbox = sandbox(&[]);
    sandbox.run(&["test", "--init", "widgets.yaml"]).expect(
        0,
        &["widgets.test.yaml: 7 tests", "1 file, 7 tests: 7 passed, 0 failed"],
    );
    let made = std::fs::read_to_string(sandbox.path().join("widgets.test.yaml")).expect("it is written");
    expect![[r#"
        # What the API server of Kubernetes 1.37 answers. Run with `crd-analyzer test`.
        crd: widgets.yaml
        tests:
          - name: the smallest object
            create:
              spec:
                size: 0
            expect:
              defaulted:
                spec.color: red

          - name: spec.color has at most 9 bytes
            create:
              spec:
                color: aaaaaaaaaa
                size: 0
            expect:
              rejected:
                - type: Too long
                  field: spec.color
                  detail: may not be more than 9 bytes

          - name: spec.name has at most 9 bytes
            create:
              spec:
                name: aaaaaaaaaa
                size: 0
            expect:
              rejected:
                - type: Too long
                  field: spec.name
                  detail: may not be more than 9 bytes

          - name: spec.size is required
            create:
              spec: {}
            expect:
              rejected:
                - type: Required value
                  field: spec.size

          - name: spec.size is at most 9
            create:
              spec:
                size: 10
            expect:
              rejected:
                - type: Invalid value
                  field: spec.size
                  detail: spec.size in body should be less than or equal to 9

          - name: "spec: five is taken"
            create:
              spec:
                size: 5
            expect:
              rejected:
                - type: Invalid value
                  field: spec
                  detail: five is taken

          - name: "spec: a name stays"
            update:
              from:
                spec:
                  name: a
                  size: 0
              to:
                spec:
                  size: 0
            expect:
              rejected:
                - type: Invalid value
                  field: spec
                  detail: a name stays
    "#]]
    .assert_eq(&made);
    sandbox
        .run(&["test", "--init", "widgets.yaml"])
        .expect(2, &["widgets.test.yaml is there already"]);
    sandbox.write("none.yaml", "kind: List\n");
    sandbox
        .run(&["test", "--init", "none.yaml"])
        .expect(2, &["--init needs a file with one CRD, but none.yaml has 0"]);
    let unbreakable = SCHEMA.replace("rule: self.size != 5", "rule: self.size == self.size");
    sandbox.write("other.crd.yaml", definition(&unbreakable));
    sandbox.run(&["test", "--init", "other.crd.yaml"]).expect(
        0,
        &["crd-analyzer found no object that violates the rule at spec: self.size == self.size"],
    );
    sandbox.write("refused.yaml", definition("              type: strnig\n"));
    sandbox
        .run(&["test", "--init", "refused.yaml"])
        .expect(3, &["refused.yaml: spec.validation"]);
}
