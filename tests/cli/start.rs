//! Without a subcommand, the program describes the folder and suggests a command.

use crate::Sandbox;

#[test]
fn says_what_is_here_and_what_to_type() {
    let example = include_str!("../../examples/crontab.crd.yaml");
    let sandbox = Sandbox::new(&[("config/crd/a.yaml", example), ("a.yaml", "a: 1\n")]);
    let expected = [
        "This folder has 2 YAML or JSON files and 1 CRD with a kind (config/crd).",
        "crd-analyzer check ",
    ];
    // The exit code is not 0, because a script without a subcommand has checked nothing.
    sandbox.run(&[]).expect(2, &expected);
    Sandbox::new(&[])
        .run(&[])
        .expect(2, &["no CRD", "name them with --crd PATH"]);
}

/// All commands count the files that `check` checks, and say which CRDs they count.
#[test]
fn all_commands_count_the_same() {
    let example = include_str!("../../examples/crontab.crd.yaml");
    let suite = "crds: [a.yaml]\ntests:\n- name: one\n  object: {apiVersion: stable.example.com/v1, kind: CronTab}\n  accepted: true\n";
    let sandbox = Sandbox::new(&[
        (".crd-analyzer.yaml", "exclude: [skipped]\n"),
        ("a.yaml", example),
        ("b.yaml", &example.replace("scope: Namespaced\n", "scope: [\n")),
        ("c.yaml.j2", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"),
        ("a.test.yaml", suite),
        ("skipped/a.yaml", example),
    ]);
    let checked = sandbox.run(&["check"]);
    assert!(checked.stdout.contains("\n3 files, 2 CRDs,"), "{checked:#?}");
    let usable = "This folder has 3 YAML or JSON files and 2 CRDs with a kind (.).";
    sandbox.run(&[]).expect(2, &[usable]);
    sandbox.run(&["init"]).expect(0, &[usable]);
    let both = [
        "ok: 3 YAML or JSON files are checked, with 2 CRDs",
        "2 CRDs with a kind are found",
    ];
    sandbox.run(&["doctor"]).expect(0, &both);
}

#[test]
fn check_has_other_names_and_needs_no_path() {
    let sandbox = Sandbox::new(&[("a.yaml", include_str!("../../examples/broken.crd.yaml"))]);
    let named = sandbox.run(&["check", ".", "-o", "concise", "--quiet"]);
    named.expect(1, &["a.yaml:21:"]);
    for command in ["check", "lint", "validate"] {
        let outcome = sandbox.run(&[command, "-o", "concise", "--quiet"]);
        assert_eq!((outcome.code, &outcome.stdout), (Some(1), &named.stdout), "{command}");
    }
    // The help does not show the aliases.
    let help = sandbox.run(&["help"]);
    assert!(
        !help.stdout.contains("lint,") && !help.stdout.contains("validate"),
        "{}",
        help.stdout
    );
}
