//! Variables with which Flux fails.

use crate::sandbox::Sandbox;

/// A repository with a Flux Kustomization for the folder `apps`. `post_build` is its `postBuild`.
fn flux(post_build: &str, app: &str) -> Sandbox {
    let kustomization = format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: apps, namespace: flux-system}}\nspec:\n  path: ./apps\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n  postBuild: {post_build}\n"
    );
    Sandbox::new(&[("clusters/apps.yaml", &kustomization), ("apps/app.yaml", app)])
}

/// A ConfigMap with a value in its sixth line.
fn config_map(value: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: {value}\n")
}

const SIZE: &str = "{substitute: {SIZE: \"3\"}}";

#[track_caller]
fn check(post_build: &str, app: &str, expected: Option<&str>) {
    let outcome = flux(post_build, app).run(&["check", ".", "-o", "concise"]);
    match expected {
        Some(told) => {
            let told = told.replacen(
                ' ',
                ": error[kustomize-failure]: Flux fails: variable substitution failed: ",
                1,
            );
            outcome.expect(1, &[&format!("apps/app.yaml:{told}"), " 1 error"]);
        }
        None => {
            outcome.expect(0, &[" 0 errors"]);
        }
    }
}

#[test]
fn variables_that_nothing_defines() {
    check(
        SIZE,
        &config_map("${SIZE} ${COLOR}"),
        Some("6:16 variable not set: `COLOR`"),
    );
    check(
        SIZE,
        &config_map("\"\\t${SIZES^^}\""),
        Some("6:11 variable not set: `SIZES`"),
    );
    check(
        SIZE,
        &config_map("|\n    echo\n    ${HOME}"),
        Some("8:7 variable not set: `HOME`"),
    );
    for value in ["${COLOR:=red}", "$${COLOR}", "$COLOR", "${SIZE} # ${COLOR}"] {
        check(SIZE, &config_map(value), None);
    }
    // An object of the cluster may define it, and another tool may substitute it.
    let secret = "{substitute: {SIZE: \"3\"}, substituteFrom: [{kind: Secret, name: a}]}";
    check(secret, &config_map("${COLOR}"), None);
    check("{}", &config_map("${COLOR}"), None);
    let off = config_map("${COLOR}").replace("name: a", "labels: {kustomize.toolkit.fluxcd.io/substitute: disabled}");
    check(SIZE, &off, None);
}

#[test]
fn variables_that_flux_cannot_parse() {
    check(SIZE, &config_map("a ${SIZE"), Some("6:8 missing closing brace"));
    check(
        SIZE,
        &config_map("${{ SIZE }}"),
        Some("6:6 unable to parse variable name"),
    );
    let secret = "{substituteFrom: [{kind: Secret, name: a}]}";
    check(secret, &config_map("${A/b}"), Some("6:6 bad substitution"));
}

#[test]
fn only_what_flux_builds_is_substituted() {
    let sandbox = flux(SIZE, &config_map("${COLOR}"));
    sandbox.write("apps/kustomization.yaml", "resources: [other.yaml]\n");
    sandbox.write("apps/other.yaml", config_map("${SIZE}"));
    sandbox.run(&["check", "."]).expect(0, &[" 0 errors"]);
    sandbox.write("apps/kustomization.yaml", "resources: [../base]\n");
    sandbox.write("base/kustomization.yaml", "resources: [a.yaml]\n");
    sandbox.write("base/a.yaml", config_map("${COLOR}"));
    sandbox.run(&["check", "."]).expect(1, &["base/a.yaml:6:8", " 1 error"]);
    // The whole build may turn the substitution off.
    let off = "resources: [../base]\ncommonAnnotations: {kustomize.toolkit.fluxcd.io/substitute: disabled}\n";
    sandbox.write("apps/kustomization.yaml", off);
    sandbox.run(&["check", "."]).expect(0, &[" 0 errors"]);
}

/// Components are for many applications. One of them may forget a variable.
#[test]
fn a_kustomization_that_lacks_a_variable_of_its_component() {
    let flux = |name: &str, variables: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec:\n  path: ./apps/{name}\n  sourceRef: {{kind: GitRepository, name: flux-system}}\n  components: [../../parts]\n  postBuild:\n    substitute: {variables}\n"
        )
    };
    let kustomization = |name: &str| format!("resources: [{name}.yaml]\n");
    let sandbox = Sandbox::new(&[
        ("clusters/a.yaml", &flux("a", "{APP: a}")),
        ("clusters/b.yaml", &flux("b", "{NAME: b}")),
        ("apps/a/kustomization.yaml", &kustomization("a")),
        ("apps/a/a.yaml", &config_map("x")),
        ("apps/b/kustomization.yaml", &kustomization("b")),
        ("apps/b/b.yaml", &config_map("x")),
        (
            "parts/kustomization.yaml",
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [part.yaml]\n",
        ),
        (
            "parts/part.yaml",
            &config_map("${APP} ${SIZE:=3}").replace("name: a", "name: part"),
        ),
    ]);
    let outcome = sandbox.run(&["check", ".", "-o", "concise"]);
    outcome.expect(
        1,
        &[
            "clusters/b.yaml:8:3: error[kustomize-failure]",
            "variable not set: `APP`",
            " 1 error",
        ],
    );
    sandbox.write("clusters/b.yaml", flux("b", "{APP: b}"));
    sandbox.run(&["check", "."]).expect(0, &[" 0 errors"]);
    // If nothing defines it, the object has the mistake.
    for name in ["a", "b"] {
        sandbox.write(&format!("clusters/{name}.yaml"), flux(name, "{NAME: x}"));
    }
    let outcome = sandbox.run(&["check", ".", "-o", "concise"]);
    outcome.expect(1, &["parts/part.yaml:6:8: error[kustomize-failure]", " 1 error"]);
}

#[test]
fn names_of_variables_that_flux_refuses() {
    let sandbox = flux("{substitute: {A-B: x, C1: y, <<: {}}}", &config_map("x"));
    let error = "clusters/apps.yaml:7:28: error[kustomize-failure]: Flux fails: variable substitution failed: var name is invalid: `A-B`";
    sandbox
        .run(&["check", ".", "-o", "concise"])
        .expect(1, &[error, " 1 error"]);
}

/// A Kustomization that another one patches is checked as it is built, too.
#[test]
fn a_wrong_name_of_a_patched_kustomization_is_told_once() {
    let sandbox = flux("{substitute: {A-B: x}}", &config_map("x"));
    let parent = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: all, namespace: flux-system}\nspec:\n  path: ./clusters\n  sourceRef: {kind: GitRepository, name: flux-system}\n  patches:\n  - target: {kind: Kustomization}\n    patch: '- {op: add, path: /spec/prune, value: true}'\n";
    sandbox.write("main/all.yaml", parent);
    sandbox
        .run(&["check", "."])
        .expect(1, &["var name is invalid: `A-B`", " 1 error"]);
}

/// An ArtifactGenerator copies folders of the repository, and the paths of Kustomizations start in the copy.
#[test]
fn artifacts_are_folders_of_the_repository() {
    let generator = |from: &str, to: &str| {
        format!(
            "apiVersion: source.extensions.fluxcd.io/v1beta1\nkind: ArtifactGenerator\nmetadata: {{name: flux-system, namespace: flux-system}}\nspec:\n  sources: [{{alias: repo, kind: GitRepository, name: flux-system}}]\n  artifacts:\n  - name: apps\n    copy: [{{from: '@repo/{from}', to: '@artifact/{to}'}}]\n"
        )
    };
    let kustomization = |path: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: apps, namespace: flux-system}}\nspec:\n  path: {path}\n  sourceRef: {{kind: ExternalArtifact, name: apps}}\n  postBuild: {SIZE}\n"
        )
    };
    for (from, to, path, is_read) in [
        ("apps/**", "", "./prod", true),
        ("apps/prod/**", "prod/", "./prod", true),
        ("apps/prod/**", "prod/", "./", false),
        ("apps/prod/*.yaml", "prod/", "./prod", false),
        ("apps/prod/**", "other/", "./other", false),
    ] {
        let sandbox = Sandbox::new(&[
            ("clusters/artifacts.yaml", &generator(from, to)),
            ("clusters/apps.yaml", &kustomization(path)),
            ("apps/prod/app.yaml", &config_map("${COLOR}")),
        ]);
        let outcome = sandbox.run(&["check", ".", "-o", "concise"]);
        let error = "apps/prod/app.yaml:6:8: error[kustomize-failure]: Flux fails";
        assert_eq!(
            outcome.stdout.contains(error),
            is_read,
            "{from} {to} {path}: {}",
            outcome.stdout
        );
    }
}
