//! Small repositories from which kustomize and Flux would build gigabytes.

/// A repository with its files.
pub(crate) struct Repository {
    pub(crate) name: &'static str,
    pub(crate) files: Vec<(String, String)>,
}

const CRD: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
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
            properties:
              a: {type: string}
              b: {type: string}
              l: {type: array, items: {type: string}}
";

fn widget(name: &str, spec: &str) -> String {
    format!("apiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: {name}}}\nspec: {{{spec}}}\n")
}

fn widgets(count: usize) -> String {
    let all: Vec<String> = (0..count).map(|n| widget(&format!("w{n}"), "a: x")).collect();
    all.join("---\n")
}

fn repository(name: &'static str, files: &[(&str, String)]) -> Repository {
    let crd = ("crd.yaml".to_owned(), CRD.to_owned());
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), text.clone()));
    Repository {
        name,
        files: std::iter::once(crd).chain(files).collect(),
    }
}

/// A kustomization of these objects. The text `says` is appended to it.
fn kustomized(name: &'static str, says: &str, objects: String) -> Repository {
    let kustomization = format!("resources: [crd.yaml, r.yaml]\n{says}");
    repository(name, &[("kustomization.yaml", kustomization), ("r.yaml", objects)])
}

fn flux(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: f}}\nspec: {{{spec}}}\n"
    )
}

/// Repositories whose objects are too large to check completely.
pub(crate) fn too_large() -> Vec<Repository> {
    let text = |length: usize| "x".repeat(length);
    let growing: Vec<String> = (0..60)
        .map(|n| {
            let (from, to) = if n % 2 == 0 { ("a", "b") } else { ("b", "a") };
            format!(
                "- source: {{kind: Widget, fieldPath: spec.{from}}}\n  targets: [{{select: {{kind: Widget}}, fieldPaths: [spec.{to}], \
                 options: {{delimiter: /, index: 99999}}}}]\n"
            )
        })
        .collect();
    let paths: Vec<String> = (0..4_000).map(|n| format!("spec.b{n}")).collect();
    let keys: Vec<String> = (0..4_000).map(|n| format!("k{n}=f.txt")).collect();
    let large_file = format!("configMapGenerator: [{{name: a, files: [{}]}}]\n", keys.join(", "));
    let var = "vars: [{name: A, objref: {kind: Widget, name: w, apiVersion: example.com/v1}, fieldref: {fieldpath: spec.b}}]\nconfigurations: [c.yaml]\n";
    let mut with_var = kustomized(
        "a large var",
        var,
        widget("w", &format!("b: {}, a: \"{}\"", text(100_000), "$(A)".repeat(10_000))),
    );
    let of_var = "varReference: [{path: spec/a, kind: Widget}]\n".to_owned();
    with_var.files.push(("c.yaml".to_owned(), of_var));
    let mut with_file = kustomized("a large file", &large_file, widgets(1));
    with_file.files.push(("f.txt".to_owned(), text(200_000)));
    let large = widget("w", &format!("a: {}", text(300_000)));
    let mut overlays = repository(
        "overlays of a large base",
        &[
            ("base/kustomization.yaml", "resources: [r.yaml]\n".to_owned()),
            ("base/r.yaml", large),
        ],
    );
    for n in 0..600 {
        let overlay = format!("resources: [../base]\nnamePrefix: o{n}-\n");
        overlays.files.push((format!("o{n}/kustomization.yaml"), overlay));
    }
    let substituted = flux(
        "k",
        &format!("path: ./b, postBuild: {{substitute: {{A: {}}}}}", text(100_000)),
    );
    let each = format!(
        "{}  l:\n{}",
        widget("w", "").trim_end().trim_end_matches(" {}"),
        "  - ${A}\n".repeat(4_000)
    );
    let each = each.replace("spec:  l:", "spec:\n  l:");
    vec![
        kustomized(
            "replacements that grow",
            &format!("replacements:\n{}", growing.concat()),
            widget("w", "a: xxxxxxxx, b: yyyyyyyy"),
        ),
        with_var,
        with_file,
        kustomized(
            "a large value in many fields",
            &format!(
                "replacements:\n- sourceValue: {}\n  targets: [{{select: {{kind: Widget}}, options: {{create: true}}, fieldPaths: [{}]}}]\n",
                text(200_000),
                paths.join(", ")
            ),
            widgets(1),
        ),
        kustomized(
            "a large prefix",
            &format!("namePrefix: {}\n", text(300_000)),
            widgets(1_000),
        ),
        kustomized(
            "a large annotation",
            &format!("commonAnnotations: {{a: {}}}\n", text(200_000)),
            widgets(1_000),
        ),
        kustomized(
            "a large JSON patch",
            &format!(
                "patches:\n- target: {{kind: Widget}}\n  patch: |\n    - {{op: add, path: /spec/a, value: {}}}\n",
                text(300_000)
            ),
            widgets(800),
        ),
        kustomized(
            "a large merge patch",
            &format!(
                "patches:\n- target: {{kind: Widget}}\n  patch: |\n    {{apiVersion: example.com/v1, kind: Widget, metadata: {{name: x}}, spec: {{a: {}}}}}\n",
                text(300_000)
            ),
            widgets(800),
        ),
        overlays,
        repository(
            "a large variable in one text",
            &[
                ("flux.yaml", substituted.clone()),
                ("b/a.yaml", widget("w", &format!("a: \"{}\"", "${A}".repeat(20_000)))),
            ],
        ),
        repository(
            "a large variable in many texts",
            &[("flux.yaml", substituted), ("b/a.yaml", each)],
        ),
    ]
}

/// Kustomizations that build the same folder. One of them defines the variables in it, and the others do not.
fn with_missing_variables() -> Repository {
    let variables: Vec<String> = (0..60).map(|n| format!("V{n}")).collect();
    let defined: Vec<String> = variables.iter().map(|it| format!("{it}: x")).collect();
    let all = flux(
        "all",
        &format!("path: ./b, postBuild: {{substitute: {{{}}}}}", defined.join(", ")),
    );
    let others = (0..400).map(|n| flux(&format!("k{n}"), "path: ./b, postBuild: {substitute: {A: x}}"));
    let all: Vec<String> = std::iter::once(all).chain(others).collect();
    let used: Vec<String> = variables.iter().map(|it| format!("${{{it}}}")).collect();
    let objects: Vec<String> = (0..200)
        .map(|n| widget(&format!("w{n}"), &format!("a: \"{}\"", used.concat())))
        .collect();
    repository(
        "variables that most Kustomizations do not define",
        &[("flux.yaml", all.join("---\n")), ("b/a.yaml", objects.join("---\n"))],
    )
}

/// Many Kustomizations of artifacts that have the same name.
fn of_artifacts() -> Repository {
    let mut repository = repository("artifacts of the same name", &[]);
    for n in 0..600 {
        let generator = format!(
            "apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: ArtifactGenerator\nmetadata: {{name: g{n}, namespace: f}}\nspec:\n  \
             sources: [{{alias: a, kind: GitRepository, name: r}}]\n  artifacts: [{{name: n, copy: [{{from: \"@a/b/**\", to: \"@artifact/\"}}]}}]\n"
        );
        let kustomization = flux(
            &format!("k{n}"),
            "path: ./, sourceRef: {kind: ExternalArtifact, name: n}",
        );
        let file = (format!("c{n}/flux.yaml"), format!("{generator}---\n{kustomization}"));
        repository.files.push(file);
    }
    repository
}

/// Repositories with many objects. All objects are checked, without comparing every object with every other one.
pub(crate) fn many() -> Vec<Repository> {
    let items: Vec<String> = (0..4_000)
        .map(|n| format!("{{apiVersion: v1, kind: A, metadata: {{name: a{n}}}}}"))
        .collect();
    let list = format!("{{apiVersion: v1, kind: List, items: [\n{}]}}", items.join(",\n"));
    let mut chain = repository(
        "a chain of bases",
        &[
            ("d0/kustomization.yaml", "resources: [r.yaml]\n".to_owned()),
            ("d0/r.yaml", widgets(40)),
        ],
    );
    for n in 1..60 {
        let overlay = format!("resources: [../d{}]\nnamePrefix: d{n}-\n", n - 1);
        chain.files.push((format!("d{n}/kustomization.yaml"), overlay));
    }
    let config_map: Vec<String> = (0..40).map(|n| format!("k{n}: v")).collect();
    let config_map = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata: {{{}}}\n---\n",
        config_map.join(", ")
    );
    let from = vec!["{kind: ConfigMap, name: c}"; 1_500].join(", ");
    let from = flux("k", &format!("path: ./b, postBuild: {{substituteFrom: [{from}]}}"));
    let kustomizations: Vec<String> = (0..400)
        .map(|n| {
            let source = format!(
                "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {{name: r{n}, namespace: f}}\nspec: {{url: x/{n}}}\n---\n"
            );
            let spec = format!(
                "path: ./b, sourceRef: {{kind: GitRepository, name: r{n}}}, postBuild: {{substitute: {{A: x}}}}"
            );
            source + &flux(&format!("k{n}"), &spec)
        })
        .collect();
    let mut substituted = repository(
        "many Kustomizations of Flux",
        &[("flux.yaml", kustomizations.join("---\n"))],
    );
    for n in 0..60 {
        let text = widget(&format!("w{n}"), "a: \"${A}\"");
        substituted.files.push((format!("b/{n}.yaml"), text));
    }
    let applied: Vec<String> = (0..180)
        .map(|n| format!("    - apply: {{file: f{n}.yaml}}\n"))
        .collect();
    let applied = format!(
        "apiVersion: chainsaw.kyverno.io/v1alpha1\nkind: Test\nmetadata: {{name: t}}\nspec:\n  steps:\n  - try:\n{}",
        applied.concat()
    );
    let mut tests = repository("tests that apply many files", &[]);
    for n in 0..180 {
        let objects: Vec<String> = (0..12).map(|it| widget(&format!("w{n}-{it}"), "a: x")).collect();
        tests.files.push((format!("f{n}.yaml"), objects.join("---\n")));
        tests.files.push((format!("chainsaw-test-{n}.yaml"), applied.clone()));
    }
    let large_patch = widget("w", "a: x") + &"  # A comment.\n".repeat(50_000);
    let mut named = kustomized(
        "a large patch that is named many times",
        &format!("patches:\n{}", "- {path: p.yaml}\n".repeat(15_000)),
        widgets(1),
    );
    named.files.push(("p.yaml".to_owned(), large_patch));
    let kinds: Vec<String> = (0..40_000).map(|n| format!("kind: K{n}\n")).collect();
    let mut of_kinds = repository(
        "a patch of many kinds below many bases",
        &[
            (
                "d0/kustomization.yaml",
                "resources: [r.yaml]\npatches: [{path: p.yaml}]\n".to_owned(),
            ),
            ("d0/r.yaml", widgets(1)),
            ("d0/p.yaml", kinds.join("---\n")),
        ],
    );
    for n in 1..80 {
        let overlay = format!("resources: [../d{}]\n", n - 1);
        of_kinds.files.push((format!("d{n}/kustomization.yaml"), overlay));
    }
    vec![
        tests,
        named,
        of_kinds,
        with_missing_variables(),
        of_artifacts(),
        repository(
            "many objects of one file that Flux builds",
            &[
                ("flux.yaml", flux("k", "path: ./b, postBuild: {substitute: {A: x}}")),
                ("b/a.yaml", widgets(6_000) + "---\n" + &widget("last", "a: \"${A}\"")),
            ],
        ),
        repository(
            "beginnings of variables that Flux substitutes",
            &[
                ("flux.yaml", flux("k", "path: ./b, postBuild: {substitute: {A: x}}")),
                ("b/a.yaml", widget("w", &format!("a: \"{}\"", "${B}".repeat(50_000)))),
            ],
        ),
        kustomized("a long list", "namespace: x\n", list),
        chain,
        repository(
            "many ConfigMaps",
            &[
                ("flux.yaml", config_map.repeat(35) + &from),
                ("b/a.yaml", widget("w", "a: \"${k1}\"")),
            ],
        ),
        substituted,
        repository(
            "beginnings of variables",
            &[("a.yaml", widget("w", &format!("a: \"{}\"", "${".repeat(200_000))))],
        ),
    ]
}
