//! Generates random kustomizations: bases, overlays and components, with patches of all forms.
#![allow(clippy::format_push_string, clippy::format_collect, reason = "the texts are short")]

mod configurations;
mod ignored;
mod openapi;
mod plugins;
mod simple;

use fastrand::Rng;

/// The files of a kustomization. Its folder is `top`.
pub(super) fn files(random: &mut Rng) -> Vec<(String, String)> {
    let mut made = Made {
        random,
        files: Vec::new(),
        folders: 0,
        known: std::collections::HashSet::new(),
    };
    let depth = made.random.usize(0..3);
    made.folder("top", depth, false);
    made.files
}

struct Made<'r> {
    random: &'r mut Rng,
    files: Vec<(String, String)>,
    folders: usize,
    /// The generated items so far, to avoid duplicates.
    known: std::collections::HashSet<(&'static str, String)>,
}

/// The identity of a generated object.
#[derive(Clone, Debug)]
struct Object {
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    name: String,
    namespace: Option<&'static str>,
}

const KINDS: [(&str, &str, &str); 14] = [
    ("example.com", "v1", "Widget"),
    ("example.com", "v1", "Widget"),
    ("example.com", "v1alpha1", "Gadget"),
    ("apiextensions.k8s.io", "v1", "CustomResourceDefinition"),
    ("apps", "v1", "Deployment"),
    ("apps", "v1", "Deployment"),
    ("apps", "v1", "StatefulSet"),
    ("", "v1", "Service"),
    ("", "v1", "ConfigMap"),
    ("", "v1", "Secret"),
    ("", "v1", "ServiceAccount"),
    ("", "v1", "Namespace"),
    ("rbac.authorization.k8s.io", "v1", "RoleBinding"),
    ("rbac.authorization.k8s.io", "v1", "ClusterRole"),
];

impl Object {
    fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_owned()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }

    fn head(&self, more: &str) -> String {
        let namespace = self
            .namespace
            .map(|it| format!("  namespace: {it}\n"))
            .unwrap_or_default();
        let (version, kind, name) = (self.api_version(), self.kind, &self.name);
        format!("apiVersion: {version}\nkind: {kind}\nmetadata:\n  name: {name}\n{namespace}{more}")
    }
}

impl Made<'_> {
    fn is(&mut self, percent: u8) -> bool {
        self.random.u8(0..100) < percent
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.random.usize(0..of.len())].clone()
    }

    fn object(&mut self) -> Object {
        let (mut group, mut version, mut kind) = self.pick(&KINDS);
        let names = ["a", "b", "c", "d", "main"];
        let mut name = self.pick(&names).to_owned();
        for _ in 0..20 {
            if self.known.insert((kind, name.clone())) || self.is(1) {
                break;
            }
            (group, version, kind) = self.pick(&KINDS);
            self.pick(&["a", "b", "c", "d", "e", "f", "g", "h", "main"])
                .clone_into(&mut name);
        }
        if kind == "CustomResourceDefinition" {
            name = format!("{name}.example.com");
        }
        let namespace = self.is(30).then(|| self.pick(&["x", "default", "system"]));
        Object {
            group,
            version,
            kind,
            name,
            namespace,
        }
    }

    /// A random value of a field. The name of the field determines whether the value is an object, a list or a scalar, because merging different
    /// types fails. A few values have another type.
    fn value(&mut self, key: &str, depth: usize, indent: usize) -> String {
        let pad = " ".repeat(indent);
        let kind = match key {
            _ if self.is(3) => self.random.u8(0..12),
            "a" | "b" if depth > 0 => 9,
            "list" if depth > 0 => self.pick(&[5, 8]),
            "list" => 5,
            _ => self.pick(&[0, 1, 2, 3, 4, 6, 7]),
        };
        let kind = if depth == 0 { kind.min(7) } else { kind };
        match kind {
            0 => " 1\n".to_owned(),
            1 => " true\n".to_owned(),
            2 => " \"3\"\n".to_owned(),
            3 => " text\n".to_owned(),
            4 => " null\n".to_owned(),
            5 => " [1, two, {three: 3}]\n".to_owned(),
            6 => " 1.5\n".to_owned(),
            7 => self
                .pick(&["\n", " {}\n", " []\n", " ~\n", " yes\n", " 0644\n", " 2001-01-01\n"])
                .to_owned(),
            8 => {
                let one = self.value("x", depth - 1, indent + 4);
                format!("\n{pad}- name: a\n{pad}  x:{one}{pad}- name: b\n")
            }
            _ => {
                let fields = self.fields(depth - 1, indent);
                if fields.is_empty() {
                    " {}\n".to_owned()
                } else {
                    format!("\n{fields}")
                }
            }
        }
    }

    fn fields(&mut self, depth: usize, indent: usize) -> String {
        let pad = " ".repeat(indent);
        let mut text = String::new();
        for key in ["a", "b", "c", "list", "size"] {
            if self.is(35) {
                let value = self.value(key, depth, indent + 2);
                text.push_str(&format!("{pad}{key}:{value}"));
            }
        }
        text
    }

    fn metadata(&mut self) -> String {
        let mut text = String::new();
        for field in ["labels", "annotations"] {
            if self.is(35) {
                text.push_str(&format!("  {field}:\n"));
                for key in ["app", "tier", "example.com/x"] {
                    if self.is(60) {
                        let value = self.pick(&["web", "\"1\"", "db"]);
                        text.push_str(&format!("    {key}: {value}\n"));
                    }
                }
                if text.ends_with(&format!("  {field}:\n")) {
                    text.truncate(text.len() - 1);
                    text.push_str(" {}\n");
                }
            }
        }
        text
    }

    fn containers(&mut self, indent: usize) -> String {
        let pad = " ".repeat(indent);
        let mut text = String::new();
        for name in ["web", "side", "init"] {
            if !self.is(60) {
                continue;
            }
            text.push_str(&format!("{pad}- name: {name}\n"));
            if self.is(70) {
                let image = self.pick(&["nginx:1.0", "nginx", "reg.io/app/web:v1@sha256:ab", "redis"]);
                text.push_str(&format!("{pad}  image: {image}\n"));
            }
            if self.is(50) {
                text.push_str(&format!("{pad}  ports:\n"));
                for port in ["80", "8080", "\"80\""] {
                    if self.is(50) {
                        text.push_str(&format!("{pad}  - containerPort: {}\n", port.trim_matches('"')));
                        if self.is(50) {
                            let protocol = self.pick(&["TCP", "UDP"]);
                            text.push_str(&format!("{pad}    protocol: {protocol}\n"));
                        }
                    }
                }
            }
            if self.is(50) {
                text.push_str(&format!("{pad}  env:\n{pad}  - name: A\n{pad}    value: one\n"));
                if self.is(50) {
                    let of = self.pick(&["a", "b", "c"]);
                    text.push_str(&format!(
                        "{pad}  - name: B\n{pad}    valueFrom:\n{pad}      configMapKeyRef: {{name: {of}, key: k}}\n"
                    ));
                }
            }
            if self.is(30) {
                let args = self.pick(&["[a, b]", "[\"$(X)\", c]", "[]"]);
                text.push_str(&format!("{pad}  args: {args}\n"));
            }
        }
        if text.is_empty() {
            " []\n".to_owned()
        } else {
            format!("\n{text}")
        }
    }

    /// The body of an object, after its metadata.
    fn body(&mut self, kind: &str) -> String {
        match kind {
            "Deployment" | "StatefulSet" => {
                let containers = self.containers(6);
                let replicas = if self.is(50) { "  replicas: 1\n" } else { "" };
                let selector = if self.is(60) { "  selector:\n    matchLabels: {app: web}\n" } else { "" };
                let account = self.pick(&["", "      serviceAccountName: a\n", "      serviceAccountName: b\n"]);
                let volumes = self.pick(&[
                    "",
                    "      volumes:\n      - name: v\n        configMap: {name: a}\n      - name: s\n        secret: {secretName: b}\n",
                    "      volumes:\n      - name: v\n        emptyDir: {}\n",
                ]);
                format!("spec:\n{replicas}{selector}  template:\n    spec:\n      containers:{containers}{account}{volumes}")
            }
            "Service" => "spec:\n  selector: {app: web}\n  ports:\n  - port: 80\n    targetPort: 8080\n  - port: 443\n".to_owned(),
            "ConfigMap" => "data:\n  k: v\n  config.json: '{\"a\": 1}'\n".to_owned(),
            "Secret" => "type: Opaque\ndata:\n  k: dg==\n".to_owned(),
            "ServiceAccount" => {
                if self.is(50) { "imagePullSecrets:\n- name: a\n" } else { "automountServiceAccountToken: false\n" }.to_owned()
            }
            "RoleBinding" => "roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: ClusterRole\n  name: a\nsubjects:\n- kind: ServiceAccount\n  name: default\n- kind: ServiceAccount\n  name: a\n  namespace: x\n".to_owned(),
            "ClusterRole" => "rules:\n- apiGroups: [\"\"]\n  resources: [secrets]\n  verbs: [get]\n  resourceNames: [a]\n".to_owned(),
            "Namespace" => String::new(),
            "CustomResourceDefinition" => "spec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: A, plural: a}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec: {type: object}\n".to_owned(),
            _ => {
                let fields = self.fields(3, 2);
                if fields.is_empty() { "spec: {}\n".to_owned() } else { format!("spec:\n{fields}") }
            }
        }
    }

    fn resource(&mut self, object: &Object) -> String {
        let metadata = self.metadata();
        let body = self.body(object.kind);
        object.head(&metadata) + &body
    }

    fn directive(&mut self) -> &'static str {
        self.pick(&["merge", "replace", "delete"])
    }

    /// A strategic merge patch for an object.
    fn merge_patch(&mut self, object: &Object) -> String {
        let metadata = self.metadata();
        let body = if self.is(8) {
            "$patch: delete\n".to_owned()
        } else if self.is(20) && matches!(object.kind, "Deployment" | "StatefulSet") {
            let directive = self.directive();
            let container = self.pick(&["web", "side", "new"]);
            self.pick(&[
                format!("spec:\n  template:\n    spec:\n      containers:\n      - name: {container}\n        $patch: {directive}\n        image: other\n"),
                format!("spec:\n  template:\n    spec:\n      containers:\n      - $patch: {directive}\n      - name: {container}\n        image: other\n"),
                format!("spec:\n  template:\n    $patch: {directive}\n    spec:\n      nodeName: n\n"),
                format!("spec:\n  template:\n    spec:\n      containers:\n      - name: {container}\n        ports:\n        - containerPort: 80\n          protocol: TCP\n          name: http\n"),
                "spec:\n  replicas: null\n  template:\n    metadata:\n      labels: {a: b}\n".to_owned(),
            ])
        } else if self.is(15) && object.group == "example.com" {
            let directive = self.directive();
            format!("spec:\n  a:\n    $patch: {directive}\n    x: 1\n  b: null\n")
        } else {
            self.body(object.kind)
        };
        object.head(&metadata) + &body
    }

    fn operations(&mut self, object: &Object, is_json: bool) -> String {
        let mut list = Vec::new();
        for _ in 0..self.random.usize(1..4) {
            let path = match object.kind {
                "Deployment" | "StatefulSet" => self.pick(&[
                    "/spec/replicas",
                    "/spec/template/spec/nodeName",
                    "/spec/template/spec/containers/-",
                    "/spec/paused",
                ]),
                "CustomResourceDefinition" => self.pick(&["/spec/versions/0/served", "/spec/conversion", "/spec/x~1y"]),
                "Widget" | "Gadget" if self.is(90) => self.pick(&["/spec/a", "/spec/list", "/spec/size"]),
                "Service" => self.pick(&["/spec/type", "/spec/ports/0", "/spec/ports/-", "/spec/selector/x"]),
                _ => self.pick(&["/data", "/metadata/labels", "/x", "/y", "/z", "/metadata/annotations/x"]),
            };
            let value = self.pick(&["1", "\"x\"", "{\"name\": \"n\"}", "[1]", "null"]);
            let op = self.pick(&[
                "add", "add", "add", "add", "add", "add", "replace", "replace", "remove", "copy", "move", "test",
            ]);
            if !matches!(op, "add" | "copy" | "move") && !path.contains("/0") && !path.ends_with('-') && self.is(95) {
                list.push(format!("{{\"op\": \"add\", \"path\": \"{path}\", \"value\": {value}}}"));
            }
            list.push(match op {
                "remove" => format!("{{\"op\": \"remove\", \"path\": \"{path}\"}}"),
                "copy" => format!("{{\"op\": \"copy\", \"from\": \"/metadata/name\", \"path\": \"{path}\"}}"),
                "move" => format!("{{\"op\": \"move\", \"from\": \"/kind\", \"path\": \"{path}\"}}, {{\"op\": \"add\", \"path\": \"/kind\", \"value\": \"{}\"}}", object.kind),
                _ => format!("{{\"op\": \"{op}\", \"path\": \"{path}\", \"value\": {value}}}"),
            });
        }
        if is_json {
            format!("[{}]", list.join(", "))
        } else {
            list.iter()
                .map(|it| format!("- {}\n", it.replace("}, {\"op\"", "}\n- {\"op\"")))
                .collect()
        }
    }

    fn target(&mut self, object: &Object) -> String {
        let (kind, name) = (object.kind, &object.name);
        match self.random.u8(0..8) {
            0 => format!("{{kind: {kind}}}"),
            1 => format!("{{kind: {kind}, name: {name}}}"),
            2 => format!("{{name: \"{}.*\"}}", &name[..1]),
            3 => "{labelSelector: app=web}".to_owned(),
            4 => "{annotationSelector: \"tier in (db, web)\"}".to_owned(),
            5 => format!("{{version: {}, kind: {kind}}}", object.version),
            6 => format!("{{group: {:?}, kind: {kind}, name: {name}}}", object.group),
            _ => format!("{{kind: \"{kind}|Service\", namespace: \"x|default\"}}"),
        }
    }

    fn replacements(&mut self, objects: &[Object]) -> String {
        let (from, to) = (self.pick(objects), self.pick(objects));
        let field = self.pick(&[
            "",
            "",
            "    fieldPath: metadata.name\n",
            "    fieldPath: apiVersion\n",
            "    fieldPath: kind\n",
            "    fieldPath: metadata.labels.app\n",
        ]);
        let source = format!("  source:\n    kind: {}\n    name: {}\n{field}", from.kind, from.name);
        let path = match to.kind {
            "Deployment" | "StatefulSet" => self.pick(&[
                "metadata.annotations.[example.com/x]",
                "spec.template.spec.containers.[name=web].image",
                "spec.template.spec.containers.*.image",
                "spec.template.spec.containers.0.args.0",
            ]),
            "Widget" | "Gadget" => self.pick(&["spec.a", "spec.b.c", "spec.list.0", "spec.[x.y].z"]),
            "ConfigMap" => "data.k",
            _ => "metadata.labels.app",
        };
        let options = self.pick(&[
            "    options: {create: true}\n",
            "    options: {create: true}\n",
            "",
            "    options: {create: true, delimiter: \":\", index: 1}\n",
            "    options: {create: true, delimiter: \"-\", index: -1}\n",
        ]);
        // A replacement that changes its own source would give another value for each target.
        let source = if options.contains("delimiter") && field.contains("labels") {
            source.replace(field, "")
        } else {
            source
        };
        let select = self.target(&to);
        let select = if select.contains("abelSelector") || select.contains(".*") {
            select
        } else {
            format!("{{kind: {}}}", to.kind)
        };
        format!(
            "replacements:\n-{}  targets:\n  - select: {select}\n    fieldPaths: [{path}]\n{options}",
            &source[1..]
        )
    }

    /// Writes a folder with a kustomization. Returns the objects that it builds, as far as they are known.
    fn folder(&mut self, folder: &str, depth: usize, is_component: bool) -> Vec<Object> {
        let mut objects = Vec::new();
        let mut text = if is_component {
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n".to_owned()
        } else {
            String::new()
        };
        let mut resources = Vec::new();
        if depth > 0 && !is_component {
            for _ in 0..self.random.usize(1..3) {
                self.folders += 1;
                let base = format!("base{}", self.folders);
                objects.extend(self.folder(&base, depth - 1, false));
                resources.push(format!("../{base}"));
            }
        }
        let own = self
            .random
            .usize(usize::from(objects.is_empty())..4)
            .min(3 - depth.min(2));
        let own = own.max(usize::from(objects.is_empty()));
        for n in 0..own {
            let count = self.random.usize(1..3);
            let made: Vec<Object> = (0..count).map(|_| self.object()).collect();
            let texts: Vec<String> = made.iter().map(|it| self.resource(it)).collect();
            let file = if self.is(10) {
                let items = texts
                    .iter()
                    .map(|it| format!("- {}\n", it.trim_end().replace('\n', "\n  ")));
                format!("apiVersion: v1\nkind: List\nitems:\n{}", items.collect::<String>())
            } else {
                texts.join("---\n")
            };
            let name = format!("r{n}.yaml");
            self.files.push((format!("{folder}/{name}"), file));
            resources.push(name);
            objects.extend(made);
        }
        if !resources.is_empty() {
            text.push_str(&format!("resources: [{}]\n", resources.join(", ")));
        }
        if !is_component && self.is(25) {
            self.folders += 1;
            let component = format!("part{}", self.folders);
            objects.extend(self.folder(&component, 0, true));
            text.push_str(&format!("components: [../{component}]\n"));
        }
        if objects.is_empty() {
            objects.push(self.object());
        }
        self.generators(&mut text, folder, &objects);
        self.patches(&mut text, folder, &objects);
        self.simple(&mut text, &objects);
        if self.is(12) {
            text.push_str(&self.replacements(&objects));
        }
        self.add_openapi(&mut text, folder);
        self.add_configurations(&mut text, folder);
        self.add_plugins(&mut text, folder, &objects);
        self.ignored(&mut text);
        self.files.push((format!("{folder}/kustomization.yaml"), text));
        objects
    }

    fn generators(&mut self, text: &mut String, folder: &str, objects: &[Object]) {
        if self.is(15) {
            let own: Vec<&str> = objects
                .iter()
                .filter(|it| it.kind == "ConfigMap")
                .map(|it| it.name.as_str())
                .collect();
            let name = if own.is_empty() || self.is(40) {
                "gen"
            } else {
                self.pick(&own)
            };
            let is_new = name == "gen";
            let behavior = match self.random.u8(0..100) {
                0..50 if !is_new => "  behavior: merge\n",
                50..75 if !is_new => "  behavior: replace\n",
                0..5 => "  behavior: merge\n",
                _ => "",
            };
            let options = self.pick(&["", "  options: {disableNameSuffixHash: true, labels: {g: h}}\n"]);
            let files = if self.is(50) {
                self.files
                    .push((format!("{folder}/file.txt"), "line <1>\nline 2\n".to_owned()));
                "  files: [file.txt, other=file.txt]\n"
            } else {
                ""
            };
            text.push_str(&format!(
                "configMapGenerator:\n- name: {name}\n  literals: [\"x=1\", \"y='q'\"]\n{files}{behavior}{options}"
            ));
        }
        if self.is(10) {
            self.files
                .push((format!("{folder}/s.env"), "# c\nA=1\n  B=two words\nC\n".to_owned()));
            let kind = self.pick(&["", "  type: example.com/t\n"]);
            text.push_str(&format!("secretGenerator:\n- name: sec\n  envs: [s.env]\n{kind}"));
        }
        if self.is(5) {
            text.push_str("generatorOptions: {annotations: {note: \"n\"}, immutable: true}\n");
        }
    }

    fn patches(&mut self, text: &mut String, folder: &str, objects: &[Object]) {
        if self.is(25) {
            text.push_str("patchesStrategicMerge:\n");
            let object = self.pick(objects);
            let patch = self.merge_patch(&object);
            if self.is(50) {
                text.push_str("- old.yaml\n");
                self.files.push((format!("{folder}/old.yaml"), patch));
            } else {
                text.push_str(&format!("- |-\n  {}\n", patch.trim_end().replace('\n', "\n  ")));
            }
        }
        if self.is(20) {
            let object = self.pick(objects);
            let is_json = self.is(50);
            let operations = self.operations(&object, is_json);
            let target = format!(
                "{{group: {:?}, version: {}, kind: {}, name: {}}}",
                object.group, object.version, object.kind, object.name
            );
            self.files.push((format!("{folder}/ops.yaml"), operations));
            text.push_str(&format!("patchesJson6902:\n- target: {target}\n  path: ops.yaml\n"));
        }
        if self.is(60) {
            text.push_str("patches:\n");
            for n in 0..self.random.usize(1..3) {
                let object = self.pick(objects);
                let is_merge = self.is(60);
                let is_json = self.is(30);
                let patch = if is_merge {
                    self.merge_patch(&object)
                } else {
                    self.operations(&object, is_json)
                };
                let target = self.target(&object);
                let target = if is_merge && self.is(60) {
                    String::new()
                } else if self.is(70) {
                    format!(
                        "  target: {{group: {:?}, kind: {}, name: {}}}\n",
                        object.group, object.kind, object.name
                    )
                } else {
                    format!("  target: {target}\n")
                };
                if self.is(50) {
                    let name = format!("p{n}.yaml");
                    text.push_str(&format!("- path: {name}\n{target}"));
                    self.files.push((format!("{folder}/{name}"), patch));
                } else {
                    let patch = patch.trim_end().replace('\n', "\n    ");
                    text.push_str(&format!("- patch: |-\n    {patch}\n{target}"));
                }
                if is_merge && self.is(15) {
                    text.push_str("  options: {allowNameChange: true, allowKindChange: true}\n");
                }
            }
        }
    }
}
