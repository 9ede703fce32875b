//! Builds a small repository with kustomize, Flux and Helm. Any of the known files may exist in it, with any content.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use crd_analyzer_workspace::{
    builds::flux::Flux,
    builds::overlay::{Files, FluxFolders, Overlays, is_kustomization},
    config::versions::VersionSet,
    findings::report::FileReport,
    judging::analysis::{Around, Question, analyze},
    roles::{Use, Uses},
};

use super::{crd::assert_sound, resource::catalog};
use crate::{
    Target,
    dictionary::{YAML, owned},
    in_memory::InMemory,
    input::Input,
};

pub(super) const TARGET: Target = Target {
    name: "built",
    run,
    seeds: |_| SEEDS.iter().map(|it| repository(it)).collect(),
    words: || {
        let mut words = owned(YAML);
        words.extend(owned(WORDS));
        words
    },
};

/// The files that may exist. An input refers to them by number.
const FILES: [&str; 16] = [
    "/repo/base/kustomization.yaml",
    "/repo/base/a.yaml",
    "/repo/base/b.yaml",
    "/repo/over/kustomization.yaml",
    "/repo/over/patch.yaml",
    "/repo/over/more.yaml",
    "/repo/other/kustomization.yaml",
    "/repo/other/b.yaml",
    "/repo/part/kustomization.yaml",
    "/repo/part/patch.yaml",
    "/repo/clusters/flux.yaml",
    "/repo/clusters/more.yaml",
    "/repo/apps/a.yaml",
    "/repo/apps/b.yaml",
    "/repo/chart/templates/a.yaml",
    "/repo/a-assert.yaml",
];

/// The maximum number of files in an input. More files would be slow.
const MOST_FILES: usize = 20;

/// The CRD of the objects.
const DEFINITION: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ws.acme.io}
spec:
  group: acme.io
  names: {kind: W, plural: ws}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [a]
            properties:
              a: {type: string, maxLength: 1000, pattern: '^[^!]*$'}
              s: {type: integer, default: 3}
              c: {enum: [red, 7, null]}
              l: {type: array, items: {type: string}}
              m: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}
            x-kubernetes-validations: [{rule: 'self.s < 10 || self.a.size() > 3'}]
";

const W: &str = "apiVersion: acme.io/v1\nkind: W\nmetadata: {name: a}\nspec: {a: x, s: 4, l: [b], m: [{k: c}]}\n";
const FLUX: &str =
    "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: k, namespace: f}\nspec: ";

/// The initial repositories: the numbers and the texts of their files. `@` in a text is replaced by the object, `^` by the start of a Flux
/// Kustomization.
const SEEDS: &[&[(u8, &str)]] = &[
    &[
        (0, "resources: [a.yaml]\n"),
        (1, "@"),
        (
            3,
            "resources: [../base]\nnamePrefix: o-\npatches: [{path: patch.yaml}]\n",
        ),
        (
            4,
            "apiVersion: acme.io/v1\nkind: W\nmetadata: {name: a}\nspec: {s: 70, l: null}\n",
        ),
    ],
    &[
        (0, "resources: [a.yaml]\ncommonAnnotations: {a: b}\n"),
        (1, "@"),
        (
            3,
            "resources: [../base, more.yaml]\nreplacements: [{path: patch.yaml}]\n",
        ),
        (
            5,
            "@---\napiVersion: acme.io/v1\nkind: W\nmetadata: {name: b}\nspec: {a: y}\n",
        ),
        (
            4,
            "source: {kind: W, fieldPath: spec.a}\ntargets: [{select: {kind: W}, fieldPaths: [spec.c], options: {create: true, delimiter: /, index: 9999}}]\n",
        ),
        (6, "resources: [../base]\nnameSuffix: -x\n"),
    ],
    &[
        (
            3,
            "resources: [more.yaml]\ncomponents: [../part]\nvars: [{name: A, objref: {kind: W, name: a, apiVersion: acme.io/v1}, fieldref: {fieldpath: spec.a}}]\nconfigurations: [patch.yaml]\n",
        ),
        (4, "varReference: [{path: spec/a, kind: W}]\n"),
        (5, "@"),
        (
            8,
            "kind: Component\npatches:\n- target: {kind: W}\n  patch: |\n    - {op: add, path: /spec/a, value: $(A)$(A)}\n",
        ),
    ],
    &[
        (
            3,
            "resources: [more.yaml]\nconfigMapGenerator: [{name: a, files: [k=patch.yaml, l=patch.yaml]}]\nimages: [{name: a, newTag: b}]\n",
        ),
        (4, "x\n"),
        (
            5,
            "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: acme.io/v1, kind: W, metadata: {name: a}}\n- {apiVersion: acme.io/v2, kind: W, metadata: {name: b}}\n",
        ),
    ],
    &[
        (10, "^{path: ./apps, postBuild: {substitute: {A: '3', B: '${A}'}}}\n"),
        (
            12,
            "apiVersion: acme.io/v1\nkind: W\nmetadata: {name: '${B}'}\nspec:\n  a: ${A}${A}\n  s: ${A}\n  c: ${C:=red}\n  '${A}': 1\n",
        ),
    ],
    &[
        (
            10,
            "^{path: apps, namePrefix: p-, patches: [{patch: '{apiVersion: acme.io/v1, kind: W, metadata: {name: a}, spec: {s: x}}'}], postBuild: {substituteFrom: [{kind: ConfigMap, name: c}]}}\n",
        ),
        (
            11,
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: f}\ndata: {A: x, B: \"y\\nz\"}\n---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: r, namespace: f}\nspec: {url: x}\n",
        ),
        (12, "@"),
        (
            13,
            "apiVersion: acme.io/v1\nkind: W\nmetadata: {name: b}\nspec: {a: '${A}', l: ['${B}']}\n",
        ),
    ],
    &[
        (
            14,
            "{{- range .x }}\n---\napiVersion: acme.io/v1\nkind: W\nmetadata:\n  name: {{ .name }}\n  labels:\n    {{- include \"l\" . | nindent 4 }}\nspec:\n  a: {{ .a | quote }}\n  {{- if .s }}\n  s: {{ .s }}\n  {{- else }}\n  s: 3\n  {{- end }}\n  l:\n  {{- toYaml .l | nindent 2 }}\n  - b\n{{- end }}\n",
        ),
        (
            15,
            "apiVersion: acme.io/v1\nkind: W\nspec:\n  (s > `1`): true\n  a: ($a)\n",
        ),
    ],
];

const WORDS: &[&str] = &[
    "resources: ",
    "components: ",
    "patches: ",
    "patch: |\n    ",
    "path: ",
    "target: {kind: W}",
    "replacements: ",
    "sourceValue: ",
    "source: {kind: W, fieldPath: spec.a}",
    "targets: [{select: {kind: W}, fieldPaths: [spec.l.*]}]",
    "options: {create: true}",
    "options: {delimiter: /, index: 99999999}",
    "$patch: delete",
    "$patch: replace",
    "namePrefix: ",
    "nameSuffix: ",
    "namespace: ",
    "commonLabels: {a: b}",
    "commonAnnotations: {a: ",
    "labels: [{pairs: {a: b}}]",
    "configMapGenerator: ",
    "generatorOptions: {disableNameSuffixHash: true}",
    "images: [{name: x, newTag: y}]",
    "vars: ",
    "configurations: [patch.yaml]",
    "crds: [patch.yaml]",
    "openapi: {path: patch.yaml}",
    "../base",
    "../part",
    "../other",
    "a.yaml",
    "more.yaml",
    "- {op: add, path: /spec/a, value: x}\n",
    "- {op: copy, from: /spec, path: /spec/a}\n",
    "- {op: remove, path: /spec}\n",
    "kind: W\n",
    "kind: List\nitems:\n- ",
    "apiVersion: acme.io/v1\n",
    "metadata: {name: a}\n",
    "metadata: {annotations: {config.kubernetes.io/local-config: 'true'}}\n",
    "spec: {a: x}\n",
    "postBuild: {substitute: {A: x}}",
    "substituteFrom: [{kind: ConfigMap, name: c}]",
    "sourceRef: {kind: GitRepository, name: r}",
    "${A}",
    "${A:=b}",
    "$${A}",
    "${",
    "{{ .x }}",
    "{{- if .x }}\n",
    "{{- else }}\n",
    "{{- range .x }}\n",
    "{{- end }}\n",
    "{{- toYaml .x | nindent 4 }}\n",
    "{{/* x */}}",
    "{{ define \"x\" }}",
    "\\uFFFF\\uFFFE?",
    "\\uFFFF\\uFFFE*",
    "\u{F8FF}",
    "\\uF8FF",
    "(s > `1`): true",
    "($a)",
    "ENC[AES256]",
    "sops: {mac: x}",
];

/// The input for a repository with these files.
fn repository(files: &[(u8, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (n, text) in files {
        bytes.push(*n);
        bytes.extend(text.replace('@', W).replace('^', FLUX).into_bytes());
        bytes.push(0);
    }
    bytes
}

fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let mut files: BTreeMap<PathBuf, Arc<str>> = BTreeMap::new();
    for _ in 0..MOST_FILES {
        if input.is_empty() {
            break;
        }
        let path = FILES[input.below(FILES.len())];
        files.insert(path.into(), input.text());
    }
    let files = InMemory(Arc::new(files));
    let flux = flux(&files);
    let manifests: Vec<&Path> = files.0.keys().map(PathBuf::as_path).collect();
    let all = Some(&files as &dyn Files);
    let of_flux = FluxFolders::new(&flux, &manifests, |_| all, |_| all);
    let kustomizations = manifests.iter().filter(|it| is_kustomization(it));
    let folders: BTreeSet<&Path> = kustomizations.filter_map(|it| it.parent()).collect();
    let folders: Vec<_> = folders.into_iter().map(|it| (it.to_owned(), files.clone())).collect();
    let overlays = Overlays::since(&folders, Some(&of_flux), None, None);
    let catalog = catalog(DEFINITION.as_bytes());
    let versions = VersionSet::one(VersionSet::default().newest());
    let question = Question {
        uses: Uses::COMPLETED,
        around: Around::crds(&catalog),
        ..Question::new(versions)
    };
    let mut said = 0;
    let mut lost = Vec::new();
    for (path, text) in files.0.iter() {
        let question = Question {
            path: Some(path),
            ..question
        };
        let alone = analyze(text.as_bytes().to_vec(), &question);
        let question = Question {
            uses: Uses::COMPLETED.with_if(Use::Part, overlays.is_open(path)),
            around: Around {
                overlays: Some(&overlays),
                ..question.around
            },
            ..question
        };
        let mut report = analyze(text.as_bytes().to_vec(), &question);
        overlays.complete(path, &mut report, &question);
        assert_sound(&report);
        let reported = objects(&report);
        lost.extend(
            objects(&alone)
                .into_iter()
                .filter(|it| !reported.contains(it))
                .map(|it| (path, it)),
        );
        said += report.unknown.len() + report.findings.len();
    }
    // Every object that is not checked must be reported, unless a patch deletes it or changes its kind. Objects must not disappear in any other way.
    let may_delete = |it: &Arc<str>| ["$patch", "\\", "kind", "op"].iter().all(|word| !it.contains(word));
    let patches = files
        .0
        .iter()
        .filter(|it| !it.0.ends_with("a.yaml") && !it.0.ends_with("b.yaml"));
    let is_harmless = patches.clone().all(|it| may_delete(it.1));
    assert!(
        lost.is_empty() || said > 0 || !is_harmless,
        "no diagnostic names {lost:?}"
    );
}

/// The locations of the checked objects in a report: the document, and the item of a list.
fn objects(report: &FileReport) -> BTreeSet<(usize, Option<usize>)> {
    report.documents.iter().map(|it| (it.index, it.item)).collect()
}

/// The Flux objects of the repository, read as on the command line.
fn flux(files: &InMemory) -> Flux {
    let mut flux = Flux::default();
    let root = Path::new("/repo");
    for (path, text) in files.0.iter().filter(|it| Flux::is_in(it.1)) {
        flux.add(path, root, text);
    }
    if flux.has_kustomizations() {
        let others = files.0.iter().filter(|it| !Flux::is_in(it.1));
        for (path, text) in others.filter(|it| Flux::may_be_config_map(it.1)) {
            flux.add(path, root, text);
        }
    }
    flux
}
