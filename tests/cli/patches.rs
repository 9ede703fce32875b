//! Broken patches of every kind. Each mistake must be reported once, in the file and line that cause it, and never in the base.

use crate::{Sandbox, definition};

const SPEC: &str = "              type: object
              required: [size, choice]
              x-kubernetes-validations:
                - {rule: \"self.size < 10 || self.tier == 'big'\", message: only big ones}
                - {rule: \"!has(self.hosts) || self.hosts.all(h, h != 'bad')\", message: no bad hosts}
              properties:
                size: {type: integer}
                tier: {type: string, enum: [big, small]}
                color: {type: string}
                hosts: {type: array, minItems: 1, maxItems: 3, x-kubernetes-list-type: set, items: {type: string}}
                labels: {type: object, maxProperties: 2, additionalProperties: {type: string}}
                choice:
                  type: object
                  oneOf: [{required: [a]}, {required: [b]}]
                  properties: {a: {type: string}, b: {type: string}}
";

pub(crate) const HEAD: &str = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n";
const BASE: &str = "\
spec:
  size: 5
  tier: small
  hosts: [x, y]
  labels: {a: x}
  choice: {a: x}
";
const NAMES_PATCH: &str = "resources: [../base]\npatches: [path: patch.yaml]\n";

/// Checks the reported errors in a tree with the base: `file:line:column: error[code]`.
#[track_caller]
pub(crate) fn check(files: &[(&str, &str)], expected: &[&str]) {
    let crd = definition(SPEC);
    let base = format!("{HEAD}{BASE}");
    let mut all = vec![
        ("crd.yaml", crd.as_str()),
        ("base/kustomization.yaml", "resources: [w.yaml]\n"),
        ("base/w.yaml", base.as_str()),
    ];
    for file in files {
        all.retain(|it| it.0 != file.0);
        all.push(*file);
    }
    let outcome = Sandbox::new(&all).run(&["check", ".", "-o", "concise"]);
    let errors = outcome.stdout.lines().filter(|it| it.contains(": error"));
    let found: Vec<&str> = errors.map(|it| it.split_once("]: ").map_or(it, |it| it.0)).collect();
    let found: Vec<String> = found.into_iter().map(|it| format!("{it}]")).collect();
    assert_eq!(found, expected, "{}", outcome.stdout);
}

/// Like [`check`], for one overlay with a strategic merge patch in a file. `spec` is the rest of the patch.
#[track_caller]
fn merge(spec: &str, expected: &[&str]) {
    let patch = format!("{HEAD}{spec}");
    check(
        &[("prod/kustomization.yaml", NAMES_PATCH), ("prod/patch.yaml", &patch)],
        expected,
    );
}

/// Like [`check`], for the operations of a JSON patch in a file.
#[track_caller]
fn json(operations: &str, expected: &[&str]) {
    let names = "resources: [../base]\npatches:\n- path: patch.yaml\n  target: {kind: Widget}\n";
    check(
        &[("prod/kustomization.yaml", names), ("prod/patch.yaml", operations)],
        expected,
    );
}

/// Like [`check`], for a kustomization.
#[track_caller]
fn inline(kustomization: &str, expected: &[&str]) {
    let text = format!("resources: [../base]\n{kustomization}");
    check(&[("prod/kustomization.yaml", &text)], expected);
}

#[test]
fn values_of_a_merge_patch() {
    merge("spec:\n  size: x\n", &["prod/patch.yaml:5:9: error[wrong-type]"]);
    merge("spec:\n  tier: smal\n", &["prod/patch.yaml:5:9: error[not-in-enum]"]);
    merge("spec:\n  sise: 1\n", &["prod/patch.yaml:5:3: error[unknown-field]"]);
    merge(
        "spec:\n  color: red\n  size: 15\n",
        &["prod/patch.yaml:6:9: error[rule-failed]"],
    );
}

#[test]
fn what_a_merge_patch_takes_away() {
    merge(
        "spec:\n  color: red\n  size: null\n",
        &["prod/patch.yaml:6:9: error[missing-property]"],
    );
    merge("spec:\n  size:\n", &["prod/patch.yaml:5:3: error[missing-property]"]);
    merge(
        "spec:\n  choice:\n    $patch: delete\n",
        &["prod/patch.yaml:5:3: error[missing-property]"],
    );
    merge(
        "spec:\n  $patch: replace\n  size: 1\n",
        &["prod/patch.yaml:4:1: error[missing-property]"],
    );
    // The rule reads a field that the patch removes.
    merge(
        "spec:\n  size: 15\n  tier: null\n",
        &["prod/patch.yaml:5:9: error[rule-evaluation]"],
    );
}

#[test]
fn lists_and_maps_of_a_merge_patch() {
    merge(
        "spec:\n  hosts: [a, b, c, d]\n",
        &["prod/patch.yaml:5:3: error[too-many-items]"],
    );
    merge("spec:\n  hosts: []\n", &["prod/patch.yaml:5:3: error[too-few-items]"]);
    merge(
        "spec:\n  hosts: [a, a]\n",
        &["prod/patch.yaml:5:14: error[duplicate-list-item]"],
    );
    merge(
        "spec:\n  hosts:\n  - a\n  - bad\n  - c\n",
        &["prod/patch.yaml:7:5: error[rule-failed]"],
    );
    merge(
        "spec:\n  labels:\n    b: x\n    c: x\n",
        &["prod/patch.yaml:6:5: error[too-many-properties]"],
    );
    merge(
        "spec:\n  choice:\n    b: x\n",
        &["prod/patch.yaml:6:5: error[one-of-mismatch]"],
    );
}

#[test]
fn operations_of_a_json_patch() {
    json(
        "- {op: replace, path: /spec/size, value: x}\n",
        &["prod/patch.yaml:1:42: error[wrong-type]"],
    );
    json(
        "- op: test\n  path: /spec/size\n  value: 5\n- op: replace\n  path: /spec/size\n  value: 15\n",
        &["prod/patch.yaml:6:10: error[rule-failed]"],
    );
    json(
        "- op: remove\n  path: /spec/size\n",
        &["prod/patch.yaml:2:9: error[missing-property]"],
    );
    json(
        "- {op: add, path: /spec/hosts/-, value: z}\n- {op: add, path: /spec/hosts/-, value: u}\n",
        &["prod/patch.yaml:1:41: error[too-many-items]"],
    );
    json(
        "- {op: add, path: /spec/hosts/-, value: bad}\n",
        &["prod/patch.yaml:1:41: error[rule-failed]"],
    );
    json(
        "- {op: add, path: /spec/hosts/-, value: x}\n",
        &["prod/patch.yaml:1:41: error[duplicate-list-item]"],
    );
    json(
        "- {op: remove, path: /spec/hosts/0}\n- {op: remove, path: /spec/hosts/0}\n",
        &["prod/patch.yaml:1:22: error[too-few-items]"],
    );
    json(
        "- {op: move, from: /spec/size, path: /spec/sise}\n",
        &[
            "prod/patch.yaml:1:3: error[missing-property]",
            "prod/patch.yaml:1:44: error[unknown-field]",
        ],
    );
}

#[test]
fn patches_in_a_kustomization() {
    inline(
        "patches:\n- patch: |-\n    apiVersion: example.com/v1\n    kind: Widget\n    metadata: {name: a}\n    spec:\n      size: 15\n",
        &["prod/kustomization.yaml:8:13: error[rule-failed]"],
    );
    inline(
        "patches:\n- target: {kind: Widget}\n  patch: |-\n    - op: remove\n      path: /spec/choice\n",
        &["prod/kustomization.yaml:6:13: error[missing-property]"],
    );
    inline(
        "patches:\n- target: {kind: Widget}\n  patch: |-\n    - op: add\n      path: /spec/labels\n      value: {a: x, b: x, c: x}\n",
        &["prod/kustomization.yaml:7:7: error[too-many-properties]"],
    );
    inline(
        "patchesStrategicMerge:\n- |-\n  apiVersion: example.com/v1\n  kind: Widget\n  metadata: {name: a}\n  spec: {choice: {b: x}}\n",
        &["prod/kustomization.yaml:7:19: error[one-of-mismatch]"],
    );
    inline(
        "patchesJson6902:\n- target: {group: example.com, version: v1, kind: Widget, name: a}\n  patch: '[{\"op\": \"add\", \"path\": \"/spec/size\", \"value\": 15}]'\n",
        &["prod/kustomization.yaml:4:57: error[rule-failed]"],
    );
    inline(
        "namePrefix: Prod_\n",
        &["prod/kustomization.yaml:2:13: error[invalid-metadata-name]"],
    );
}

#[test]
fn a_replacement_is_decided_where_its_value_is() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n  size: \"15\"\n";
    let text = "\
resources: [../base, map.yaml]
replacements:
- source: {kind: ConfigMap, name: m, fieldPath: data.size}
  targets:
  - select: {kind: Widget}
    fieldPaths: [spec.size]
";
    check(
        &[("prod/kustomization.yaml", text), ("prod/map.yaml", map)],
        &["prod/map.yaml:5:9: error[rule-failed]"],
    );
}

#[test]
fn a_transformer_is_decided_in_its_file_and_in_the_patch_that_it_names() {
    let transformer = "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: t}\n";
    let patch = format!("{HEAD}spec: {{size: big}}\n");
    check(
        &[
            (
                "prod/kustomization.yaml",
                "resources: [../base]\ntransformers: [named.yaml, ./folder]\n",
            ),
            ("prod/named.yaml", &format!("{transformer}path: patch.yaml\n")),
            ("prod/patch.yaml", &patch),
            ("prod/folder/kustomization.yaml", "resources: [t.yaml]\n"),
            (
                "prod/folder/t.yaml",
                &format!(
                    "{}target: {{kind: Widget}}\npatch: |-\n  - {{op: add, path: /spec/tier, value: huge}}\n",
                    transformer.replace("name: t", "name: inline")
                ),
            ),
        ],
        &[
            "prod/folder/t.yaml:6:40: error[not-in-enum]",
            "prod/patch.yaml:4:14: error[wrong-type]",
        ],
    );
}

#[test]
fn components_and_layers() {
    let component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [path: patch.yaml]\n";
    let patch = format!("{HEAD}spec:\n  size: 15\n");
    check(
        &[
            ("parts/kustomization.yaml", component),
            ("parts/patch.yaml", &patch),
            (
                "prod/kustomization.yaml",
                "resources: [../base]\ncomponents: [../parts]\n",
            ),
        ],
        &["parts/patch.yaml:5:9: error[rule-failed]"],
    );
    let other = format!("{HEAD}spec:\n  color: red\n");
    check(
        &[
            ("mid/kustomization.yaml", NAMES_PATCH),
            ("mid/patch.yaml", &patch),
            (
                "prod/kustomization.yaml",
                "resources: [../mid]\npatches: [path: patch.yaml]\n",
            ),
            ("prod/patch.yaml", &other),
        ],
        &["mid/patch.yaml:5:9: error[rule-failed]"],
    );
}

#[test]
fn each_overlay_has_its_own_mistakes() {
    let [big, text, fine] = ["15", "x", "3"].map(|it| format!("{HEAD}spec:\n  size: {it}\n"));
    check(
        &[
            ("dev/kustomization.yaml", NAMES_PATCH),
            ("dev/patch.yaml", &fine),
            ("prod/kustomization.yaml", NAMES_PATCH),
            ("prod/patch.yaml", &big),
            ("staging/kustomization.yaml", NAMES_PATCH),
            ("staging/patch.yaml", &text),
        ],
        &[
            "prod/patch.yaml:5:9: error[rule-failed]",
            "staging/patch.yaml:5:9: error[wrong-type]",
        ],
    );
}

#[test]
fn what_several_builds_share_is_wrong_once() {
    let [big, text] = ["15", "x"].map(|it| format!("{HEAD}spec:\n  size: {it}\n"));
    // A mistake in a component that two overlays use is reported once, even if the built objects have different names.
    let component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [path: patch.yaml]\n";
    check(
        &[
            ("parts/kustomization.yaml", component),
            ("parts/patch.yaml", &text),
            (
                "prod/kustomization.yaml",
                "resources: [../base]\nnamePrefix: prod-\ncomponents: [../parts]\n",
            ),
            (
                "staging/kustomization.yaml",
                "resources: [../base]\nnamePrefix: staging-\ncomponents: [../parts]\n",
            ),
        ],
        &["parts/patch.yaml:5:9: error[wrong-type]"],
    );
    // A mistake in a patch for all objects of a kind is reported once.
    let both = format!("{HEAD}{BASE}---\n{}{BASE}", HEAD.replace("name: a", "name: b"));
    let all = "resources: [../base]\npatches:\n- target: {kind: Widget}\n  path: patch.yaml\n";
    check(
        &[
            ("base/w.yaml", &both),
            ("prod/kustomization.yaml", all),
            ("prod/patch.yaml", &big),
        ],
        &["prod/patch.yaml:5:9: error[rule-failed]"],
    );
}

#[test]
fn patches_of_flux() {
    let flux = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  path: ./base
  sourceRef: {kind: GitRepository, name: repo}
";
    let with = |more: &str| format!("{flux}{more}");
    let rule = with(
        "  patches:\n  - target: {kind: Widget}\n    patch: |\n      - op: replace\n        path: /spec/size\n        value: 15\n",
    );
    check(
        &[("clusters/apps.yaml", &rule)],
        &["clusters/apps.yaml:12:16: error[rule-failed]"],
    );
    let removes =
        with("  patches:\n  - target: {kind: Widget}\n    patch: |\n      - op: remove\n        path: /spec/size\n");
    check(
        &[("clusters/apps.yaml", &removes)],
        &["clusters/apps.yaml:11:15: error[missing-property]"],
    );
    let merges = with(
        "  patches:\n  - patch: |\n      apiVersion: example.com/v1\n      kind: Widget\n      metadata: {name: a}\n      spec: {choice: {b: x}}\n",
    );
    check(
        &[("clusters/apps.yaml", &merges)],
        &["clusters/apps.yaml:12:23: error[one-of-mismatch]"],
    );
}

#[test]
fn the_base_is_marked_for_its_own_mistakes() {
    let patch = format!("{HEAD}spec:\n  color: red\n");
    let check = |base: &str, expected: &[&str]| {
        let base = format!("{HEAD}{base}");
        let files = [
            ("base/w.yaml", base.as_str()),
            ("prod/kustomization.yaml", NAMES_PATCH),
            ("prod/patch.yaml", &patch),
            ("staging/kustomization.yaml", NAMES_PATCH),
            ("staging/patch.yaml", &patch),
        ];
        check(&files, expected);
    };
    check(&BASE.replace('5', "15"), &["base/w.yaml:4:1: error[rule-failed]"]);
    check(
        &BASE.replace("  size: 5\n", ""),
        &["base/w.yaml:4:1: error[missing-property]"],
    );
    check(
        &BASE.replace("{a: x}\n  choice", "{a: x, b: x, c: x}\n  choice"),
        &["base/w.yaml:8:3: error[too-many-properties]"],
    );
    check(
        &BASE.replace("choice: {a: x}", "choice: {}"),
        &[
            "base/w.yaml:9:3: error[one-of-mismatch]",
            "base/w.yaml:9:3: error[missing-property]",
        ],
    );
}

#[test]
fn a_baseline_does_not_depend_on_the_names_that_builds_give() {
    let crd = definition(SPEC);
    let base = format!("{HEAD}{}", BASE.replace('5', "x"));
    let named = |it: &str| format!("resources: [../base]\nnamePrefix: {it}-\n");
    let sandbox = Sandbox::new(&[
        ("crd.yaml", &crd),
        ("base/kustomization.yaml", "resources: [w.yaml]\n"),
        ("base/w.yaml", &base),
        ("prod/kustomization.yaml", &named("prod")),
    ]);
    let run = |more: &[&str]| {
        let args = ["check", ".", "--select", "wrong-type", "--baseline", "known.json"];
        sandbox.run(&[args.as_slice(), more].concat())
    };
    // This baseline was written by an earlier version, and contains the name of the built object.
    let earlier = r#"{"version": 1, "diagnostics": [
  {"file":"base/w.yaml","code":"wrong-type","fingerprint":"3fe15e3882a04626:1","message":"it is"}
]}"#;
    sandbox.write("known.json", earlier);
    run(&[]).expect(0, &["1 diagnostic of the baseline is not shown"]);
    run(&["--update-baseline"]).expect(0, &[]);
    // With this new overlay, another build of the object comes first.
    sandbox.write("dev/kustomization.yaml", named("dev"));
    run(&[]).expect(0, &["1 diagnostic of the baseline is not shown"]);
}

#[test]
fn a_note_says_which_builds_have_a_mistake() {
    let crd = definition(SPEC);
    let base = format!("{HEAD}{}", BASE.replace("  size: 5\n", ""));
    let [color, size] = ["color: red", "size: 3"].map(|it| format!("{HEAD}spec:\n  {it}\n"));
    let mut files = vec![
        ("crd.yaml".to_owned(), crd.as_str()),
        ("base/kustomization.yaml".to_owned(), "resources: [w.yaml]\n"),
        ("base/w.yaml".to_owned(), &base),
    ];
    for (folder, patch) in [("o1", &color), ("o2", &color), ("fine", &size)] {
        files.push((format!("{folder}/kustomization.yaml"), NAMES_PATCH));
        files.push((format!("{folder}/patch.yaml"), patch));
    }
    let check = |files: &[(String, &str)], note: &str| {
        let files: Vec<(&str, &str)> = files.iter().map(|it| (it.0.as_str(), it.1)).collect();
        let outcome = Sandbox::new(&files).run(&["check", "."]);
        outcome.expect(1, &[note, "base/w.yaml: a rejected (1 error)"]);
        assert_eq!(
            outcome.stdout.matches("note: kustomize").count(),
            1,
            "{}",
            outcome.stdout
        );
    };
    check(
        &files,
        "kustomize builds it like this for `o1` and `o2`, not for `fine`\n",
    );
    for n in 3..=20 {
        files.push((format!("o{n}/kustomization.yaml"), NAMES_PATCH));
        files.push((format!("o{n}/patch.yaml"), &color));
    }
    check(&files, "`o1`, `o10`, `o11`, `o12`, `o13` and 15 more, not for `fine`\n");
}

#[test]
fn comments_count_in_each_file_that_decides() {
    let ignore = "# crd-analyzer: ignore[rule-failed] known";
    let patch = format!("{HEAD}spec:\n  {ignore}\n  size: 15\n");
    let names = ("prod/kustomization.yaml", NAMES_PATCH);
    check(&[names, ("prod/patch.yaml", &patch)], &[]);
    let base = format!("{HEAD}{ignore}\n{BASE}");
    let patch = format!("{HEAD}spec:\n  size: 15\n");
    check(&[names, ("base/w.yaml", &base), ("prod/patch.yaml", &patch)], &[]);
    let inline = format!(
        "resources: [../base]\npatches:\n- target: {{kind: Widget}}\n  {ignore}\n  patch: '[{{\"op\": \"add\", \"path\": \"/spec/size\", \"value\": 15}}]'\n"
    );
    check(&[("prod/kustomization.yaml", &inline)], &[]);
    // The comment suppresses a different code.
    let patch = format!("{HEAD}spec:\n  # crd-analyzer: ignore[wrong-type] known\n  size: 15\n");
    check(
        &[names, ("prod/patch.yaml", &patch)],
        &["prod/patch.yaml:6:9: error[rule-failed]"],
    );
}

/// A CRD whose `spec` requires `size`, a base that sets `size`, and an overlay that patches another field.
pub(crate) fn overlay_with(kustomization: &str) -> Sandbox {
    let schema = "              type: object\n              required: [size]\n              properties:\n                \
                  size: {type: integer}\n                color: {type: string}\n";
    let widget = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: ";
    Sandbox::new(&[
        ("crd.yaml", &definition(schema)),
        ("base/kustomization.yaml", "resources: [widget.yaml]\n"),
        ("base/widget.yaml", &format!("{widget}{{size: 1}}\n")),
        ("prod/patch.yaml", &format!("{widget}{{color: red}}\n")),
        ("prod/kustomization.yaml", kustomization),
    ])
}

#[test]
fn a_kustomization_that_kustomize_cannot_read_is_an_error_and_its_patches_are_innocent() {
    for (kustomization, expected) in [
        (
            "resource: [../base]\npatches: [{path: patch.yaml}]\n",
            "prod/kustomization.yaml:1:1: error[kustomize-failure]: kustomize fails: a kustomization has no field `resource`",
        ),
        (
            "resources: [../base]\npatchs:\n- path: patch.yaml\n",
            "prod/kustomization.yaml:2:1: error[kustomize-failure]: kustomize fails: a kustomization has no field `patchs`",
        ),
        (
            "patches:\n- pth: patch.yaml\n",
            "prod/kustomization.yaml:2:3: error[kustomize-failure]: kustomize fails: `pth` is not a field here",
        ),
        (
            "kind: Kustomizaton\nresources: [../base]\npatches: [{path: patch.yaml}]\n",
            "prod/kustomization.yaml:1:7: error[kustomize-failure]: kustomize fails: kind `Kustomizaton` is neither",
        ),
        (
            "resources:\n\t- ../base\n",
            "prod/kustomization.yaml:2:1: error[invalid-yaml]",
        ),
    ] {
        let sandbox = overlay_with(kustomization);
        let outcome = sandbox.run(&["check", ".", "-o", "concise"]);
        outcome.expect(1, &[expected, ", 1 error,"]);
        assert!(!outcome.stdout.contains("missing-property"), "{}", outcome.stdout);
    }
    let outcome = overlay_with("resources: [../base]\npatchs:\n- path: patch.yaml\n").run(&["check", "."]);
    outcome.expect(
        1,
        &[
            "did you mean `patches`?",
            "help: change `patchs` to `patches`",
            "2 CRs (1 checked in part)",
        ],
    );
}

#[test]
fn what_may_be_the_patch_that_is_missing_is_checked_in_part() {
    let sandbox = overlay_with("resources: [../base]\npatches:\n- path: patches.yaml\n");
    sandbox.write(
        "prod/more/whole.yaml",
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: b}\nspec: {}\n",
    );
    sandbox.write("prod/more/kustomization.yaml", "resources: [whole.yaml]\n");
    let outcome = sandbox.run(&["check", ".", "-o", "concise"]);
    outcome.expect(
        1,
        &[
            "error[kustomize-failure]",
            "prod/more/whole.yaml:4:1: error[missing-property]",
            ", 2 errors,",
        ],
    );
}

#[test]
fn only_patches_that_no_object_is_there_for_are_a_hint() {
    let sandbox = overlay_with("patches: [{path: patch.yaml}]\n");
    sandbox.run(&["check", "."]).expect(0, &["hint[kustomize-failure]"]);
    sandbox.write(
        "prod/broken.yaml",
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {\n",
    );
    sandbox.write("prod/kustomization.yaml", "resources: [broken.yaml]\n");
    sandbox
        .run(&["check", "."])
        .expect(1, &["prod/broken.yaml:4:1", "error[invalid-yaml]"]);
}

#[test]
fn an_object_without_a_name_fails_at_its_metadata() {
    let sandbox = overlay_with("resources: [../base]\n");
    sandbox.write(
        "base/widget.yaml",
        "apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  labels: {a: b}\nspec: {size: 1}\n",
    );
    let outcome = sandbox.run(&["check", ".", "-o", "concise"]);
    outcome.expect(
        1,
        &["base/widget.yaml:3:1: error[kustomize-failure]: kustomize fails: the object has no `metadata.name`"],
    );
    sandbox.write(
        "base/widget.yaml",
        "apiVersion: example.com/v1\nkind: Widget\nspec: {size: 1}\n",
    );
    let outcome = sandbox.run(&["check", ".", "-o", "concise"]);
    outcome.expect(
        1,
        &["base/widget.yaml:1:1: error[kustomize-failure]: kustomize fails: the object has no `metadata.name`"],
    );
}
