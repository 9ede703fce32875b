//! Generates objects for `generators`, `transformers` and `validators`.

use super::{Made, Object};

impl Made<'_> {
    /// Adds plugins that are built into kustomize, in files, in folders and as inline texts.
    pub(super) fn add_plugins(&mut self, text: &mut String, folder: &str, objects: &[Object]) {
        if self.is(12) {
            self.list(text, folder, "generators", &mut |it, n| it.generator(n, folder));
        }
        if self.is(18) {
            self.list(text, folder, "transformers", &mut |it, n| it.transformer(n, objects));
        }
        if self.is(5) {
            self.list(text, folder, "validators", &mut |it, n| {
                if it.is(90) {
                    it.harmless(n, objects)
                } else {
                    it.transformer(n, objects)
                }
            });
        }
    }

    fn list(&mut self, text: &mut String, folder: &str, field: &str, make: &mut dyn FnMut(&mut Self, usize) -> String) {
        text.push_str(&format!("{field}:\n"));
        for n in 0..self.random.usize(1..4) {
            let made = make(self, n);
            let name = format!("{field}{n}");
            match self.random.u8(0..10) {
                0..4 => {
                    text.push_str(&format!("- {name}.yaml\n"));
                    self.files.push((format!("{folder}/{name}.yaml"), made));
                }
                4..6 => {
                    text.push_str(&format!("- ./{name}\n"));
                    let more = self.pick(&[
                        "",
                        "",
                        "commonAnnotations: {a: b}\n",
                        "namespace: other\n",
                        "nameSuffix: -x\n",
                    ]);
                    let kustomization = format!("resources: [o.yaml]\n{more}");
                    self.files
                        .push((format!("{folder}/{name}/kustomization.yaml"), kustomization));
                    self.files.push((format!("{folder}/{name}/o.yaml"), made));
                }
                _ => text.push_str(&format!("- |\n  {}\n", made.trim_end().replace('\n', "\n  "))),
            }
        }
    }

    fn generator(&mut self, n: usize, folder: &str) -> String {
        let own = match self.random.u8(0..20) {
            0 => "behavior: merge\n",
            1..6 => "name: named\n",
            6..11 => "namespace: x\n",
            _ => "",
        };
        let options = self.pick(&[
            "",
            "options: {disableNameSuffixHash: true, labels: {g: h}}\n",
            "options: {immutable: true}\n",
        ]);
        let namespace = self.pick(&["", ", namespace: default"]);
        let (kind, fields) = match self.random.u8(0..30) {
            0..17 => (
                "ConfigMapGenerator",
                format!("literals: [\"x=1\", \"y='q'\"]\nenv: gone.env\n{own}{options}"),
            ),
            17..25 => {
                self.files
                    .push((format!("{folder}/p.env"), "# c\nA=1\n  B=two words\nC\n".to_owned()));
                let of = self.pick(&["", "type: example.com/t\n"]);
                ("SecretGenerator", format!("envs: [p.env]\n{of}{own}{options}"))
            }
            25..29 => (
                "IAMPolicyGenerator",
                "cloud: gke\nkubernetesService: {name: k8s, namespace: ns}\nserviceAccount: {name: sa, projectId: p}\n"
                    .to_owned(),
            ),
            _ => (self.pick(&["LabelTransformer", "Nothing"]), String::new()),
        };
        let name = self.random.u16(0..500);
        format!("apiVersion: builtin\nkind: {kind}\nmetadata: {{name: g{n}-{name}{namespace}}}\n{fields}unknown: 1\n")
    }

    /// A transformer that changes little or nothing.
    fn harmless(&mut self, n: usize, objects: &[Object]) -> String {
        let object = self.pick(objects);
        let (kind, name) = (object.kind, &object.name);
        let (what, fields) = match self.random.u8(0..4) {
            0 => (
                "LabelTransformer",
                "labels: {validated-by: me}\nfieldSpecs: [{path: metadata/labels, create: true}]\n".to_owned(),
            ),
            1 | 2 => (
                "PatchTransformer",
                format!(
                    "patch: '[{{\"op\": \"test\", \"path\": \"/kind\", \"value\": \"{kind}\"}}]'\ntarget: {{kind: {kind}, name: {name}}}\n"
                ),
            ),
            _ => ("LabelTransformer", "labels: {}\n".to_owned()),
        };
        format!("apiVersion: builtin\nkind: {what}\nmetadata:\n  name: v{n}\n{fields}")
    }

    fn transformer(&mut self, n: usize, objects: &[Object]) -> String {
        let object = self.pick(objects);
        let (kind, name) = (object.kind, &object.name);
        let of_kind = if self.is(50) {
            format!("kind: {kind}, ")
        } else {
            String::new()
        };
        let create = self.pick(&["", ", create: true"]);
        let specs = |path: &str| format!("fieldSpecs:\n- {{{of_kind}path: {path}{create}}}\n");
        let mut namespace = "";
        let (what, fields) = match self.random.u8(0..15) {
            0 => (
                "PatchTransformer",
                format!(
                    "patch: '[{{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {{\"k\": \"v\"}}}}]'\ntarget: {{kind: {kind}, name: {name}, unknown: 1}}\nunknown: 1\n"
                ),
            ),
            1 => {
                let patch = self.merge_patch(&object);
                let patch = patch.trim_end().replace('\n', "\n  ");
                let target = self.pick(&["", "target: {kind: Widget}\n"]);
                ("PatchTransformer", format!("patch: |-\n  {patch}\n{target}"))
            }
            2 => (
                "LabelTransformer",
                format!(
                    "labels: {{team: {}, tier: b}}\n{}",
                    self.pick(&["a", "1", "1.50", "true", "null", "[]", "9223372036854775808"]),
                    specs("metadata/labels")
                ),
            ),
            3 => (
                "AnnotationsTransformer",
                format!("annotations: {{note: n}}\n{}", specs("metadata/annotations")),
            ),
            4 => {
                let what = self.pick(&["PrefixTransformer", "SuffixTransformer", "PrefixSuffixTransformer"]);
                let path = self.pick(&["metadata/name", "spec/a", "metadata/labels/app"]);
                let fields = if self.is(8) { String::new() } else { specs(path) };
                (what, format!("prefix: p-\nsuffix: -s\n{fields}"))
            }
            5 => (
                "ReplicaCountTransformer",
                format!("replica: {{name: {name}, count: 4}}\n{}", specs("spec/replicas")),
            ),
            6 => (
                "ImageTagTransformer",
                format!(
                    "imageTag: {{name: nginx, newTag: v9}}\n{}",
                    specs("spec/template/spec/containers/image")
                ),
            ),
            7 | 8 => {
                namespace = self.pick(&["\n  namespace: fresh", "\n  namespace: x", ""]);
                let subjects = self.pick(&["allServiceAccounts", "none", "defaultOnly"]);
                let subjects = if self.is(3) { "some" } else { subjects };
                let more = self.pick(
                    &[
                        "unsetOnly: true\n",
                        "",
                        &format!("setRoleBindingSubjects: {subjects}\n"),
                    ]
                    .map(str::to_owned),
                );
                let specs = self.pick(&["", "fieldSpecs: [{path: spec/a, create: true, kind: Widget}]\n"]);
                ("NamespaceTransformer", format!("{more}{specs}"))
            }
            9 => {
                let is_json = self.is(50);
                let operations = self.operations(&object, is_json).trim_end().replace('\n', "\n  ");
                let target = self.pick(&[
                    format!("target: {{kind: {kind}, name: {name}}}\n"),
                    format!("target: {{kind: {kind}, name: {name}}}\n"),
                    format!("target: {{kind: {kind}}}\n"),
                ]);
                (
                    "PatchJson6902Transformer",
                    format!("jsonOp: |-\n  {operations}\n{target}"),
                )
            }
            10 => {
                let patch = self.merge_patch(&object);
                let patch = patch.trim_end().replace('\n', "\n  ");
                let text = format!("patches: |-\n  {patch}\n");
                let list = format!("paths:\n- |-\n  {patch}\n");
                (
                    "PatchStrategicMergeTransformer",
                    if self.is(5) {
                        "paths: []\n".to_owned()
                    } else {
                        self.pick(&[text, list])
                    },
                )
            }
            11 => ("ReplacementTransformer", self.replacements(objects)),
            12 | 13 => {
                let value = self.pick(&["value: PEACH\n", "value: \" v3 \"\n", ""]);
                let path = self.pick(&[
                    "metadata/namespace",
                    "spec/a",
                    "spec/b/c",
                    "spec/list/[name=a]/x",
                    "spec/list/0",
                    "metadata/labels/app",
                    "metadata/annotations/example.com\\/x",
                ]);
                let path = if self.is(3) { "" } else { path };
                let selector = self.pick(&["", "  selector: {kind: Widget}\n", "  selector: {name: a}\n"]);
                let position = self.pick(&["", "", "  filePathPosition: 1\n", "  filePathPosition: 9\n"]);
                (
                    "ValueAddTransformer",
                    format!("{value}targets:\n- fieldPath: {path:?}\n{selector}{position}"),
                )
            }
            _ => (
                self.pick(&[
                    "HashTransformer",
                    "LabelTransformer",
                    "SortOrderTransformer",
                    "SecretGenerator",
                ]),
                "labels: {}\n".to_owned(),
            ),
        };
        format!("apiVersion: builtin\nkind: {what}\nmetadata:\n  name: t{n}{namespace}\n{fields}")
    }
}
