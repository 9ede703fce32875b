//! Generates kustomization fields that change all objects.

use super::{Made, Object};

impl Made<'_> {
    pub(super) fn simple(&mut self, text: &mut String, objects: &[Object]) {
        for (percent, line) in [
            (25, "namePrefix: dev-\n"),
            (15, "nameSuffix: -v2\n"),
            (15, "namespace: system\n"),
            (20, "commonLabels: {team: a, app: web}\n"),
            (20, "commonAnnotations: {note: hello}\n"),
            (
                10,
                "labels:\n- pairs: {only: meta}\n- pairs: {inside: yep}\n  includeTemplates: true\n",
            ),
            (
                8,
                "labels:\n- pairs: {sel: \"1\"}\n  includeSelectors: true\n  fields:\n  - {path: spec/labels, kind: Widget, create: true}\n",
            ),
            (
                15,
                "images:\n- {name: nginx, newTag: \"2\"}\n- {name: reg.io/app/web, newName: other, digest: \"sha256:cd\"}\n",
            ),
        ] {
            let key = line.split(':').next().unwrap_or_default();
            if self.is(percent) && !text.contains(&format!("\n{key}:")) {
                text.push_str(line);
            }
        }
        let scaled: Vec<Object> = objects
            .iter()
            .filter(|it| self.is(90) == matches!(it.kind, "Deployment" | "StatefulSet"))
            .cloned()
            .collect();
        if self.is(30)
            && scaled.iter().any(|it| matches!(it.kind, "Deployment" | "StatefulSet")) | self.is(2)
            && !scaled.is_empty()
        {
            let object = self.pick(&scaled);
            text.push_str(&format!("replicas: [{{name: {}, count: 3}}]\n", object.name));
        }
        if self.is(4) {
            let object = self.pick(objects);
            text.push_str(&format!(
                "vars:\n- name: X\n  objref: {{apiVersion: {}, kind: {}, name: {}}}\n",
                object.api_version(),
                object.kind,
                object.name
            ));
        }
    }
}
