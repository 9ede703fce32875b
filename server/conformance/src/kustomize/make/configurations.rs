//! Generates files of `configurations`.

use super::Made;

impl Made<'_> {
    /// Adds a file of `configurations` to some kustomizations.
    pub(super) fn add_configurations(&mut self, text: &mut String, folder: &str) {
        if !self.is(5) {
            return;
        }
        let mut file = String::new();
        for list in [
            "commonLabels",
            "commonAnnotations",
            "images",
            "namePrefix",
            "namespace",
            "replicas",
            "varReference",
        ] {
            if self.is(25) {
                let spec = self.spec();
                file.push_str(&format!("{list}:\n- {spec}\n"));
            }
        }
        if self.is(50) || file.is_empty() {
            let (kind, spec) = (self.pick(&["ConfigMap", "Secret", "Widget"]), self.spec());
            file.push_str(&format!("nameReference:\n- kind: {kind}\n  fieldSpecs:\n  - {spec}\n"));
        }
        // kustomize refuses these.
        if self.is(12) {
            file.push_str(self.pick(&[
                "nameReferences: []\n",
                "labels:\n- {path: spec/a, kinds: Widget}\n",
                "labels:\n- {path: spec/a, create: \"yes\"}\n",
                "labels: {path: spec/a}\n",
                "nameReference:\n- {kind: Secret, fieldSpec: []}\n",
                "nameReference:\n- {kind: Secret, path: spec/a}\n",
            ]));
        }
        self.files.push((format!("{folder}/configuration.yaml"), file));
        text.push_str("configurations: [configuration.yaml]\n");
    }

    /// A field of some objects.
    fn spec(&mut self) -> String {
        let kind = self.pick(&[
            "kind: Widget, ",
            "kind: Gadget, ",
            "group: example.com, ",
            "version: v1, ",
            "",
        ]);
        let path = self.pick(&[
            "spec/a/x",
            "spec/b",
            "spec/list/x",
            "metadata/annotations/x",
            "spec/template/x",
        ]);
        let create = self.pick(&["", "", "", "", "", ", create: true"]);
        format!("{{{kind}path: {path}{create}}}")
    }
}
