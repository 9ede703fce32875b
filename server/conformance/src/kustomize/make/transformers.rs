//! Generates objects for `transformers`.

use super::{Made, Object};

impl Made<'_> {
    /// Adds kustomize's built-in transformers, in files and inline.
    pub(super) fn add_transformers(&mut self, text: &mut String, folder: &str, objects: &[Object]) {
        if !self.is(15) {
            return;
        }
        text.push_str("transformers:\n");
        for n in 0..self.random.usize(1..4) {
            let made = self.transformer(n, objects);
            if self.is(50) {
                let file = format!("t{n}.yaml");
                text.push_str(&format!("- {file}\n"));
                self.files.push((format!("{folder}/{file}"), made));
            } else {
                text.push_str(&format!("- |\n  {}\n", made.trim_end().replace('\n', "\n  ")));
            }
        }
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
        let (what, fields) = match self.random.u8(0..8) {
            0 => (
                "PatchTransformer",
                format!(
                    "patch: '[{{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {{\"k\": \"v\"}}}}]'\ntarget: {{kind: {kind}, name: {name}}}\n"
                ),
            ),
            1 => {
                let head = object.head("spec:\n  size: 7\n");
                let patch = head.trim_end().replace('\n', "\n  ");
                let target = self.pick(&["", "target: {kind: Widget}\n"]);
                ("PatchTransformer", format!("patch: |-\n  {patch}\n{target}"))
            }
            2 => (
                "LabelTransformer",
                format!("labels: {{team: a, tier: b}}\n{}", specs("metadata/labels")),
            ),
            3 => (
                "AnnotationsTransformer",
                format!("annotations: {{note: n}}\n{}", specs("metadata/annotations")),
            ),
            4 => {
                let what = self.pick(&["PrefixTransformer", "SuffixTransformer", "PrefixSuffixTransformer"]);
                let path = self.pick(&["metadata/name", "spec/a", "metadata/labels/app"]);
                (what, format!("prefix: p-\nsuffix: -s\n{}", specs(path)))
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
            _ => ("LabelTransformer", "labels: {}\n".to_owned()),
        };
        format!("apiVersion: builtin\nkind: {what}\nmetadata:\n  name: t{n}\n{fields}")
    }
}
