//! Without a subcommand, the program describes the folder and suggests a command.

use crate::Sandbox;

#[test]
fn says_what_is_here_and_what_to_type() {
    let example = include_str!("../../examples/crontab.crd.yaml");
    let sandbox = Sandbox::new(&[("config/crd/a.yaml", example), ("a.yaml", "a: 1\n")]);
    let expected = [
        "This folder has 2 YAML or JSON files and 1 CRD (config/crd).",
        "crd-analyzer check ",
    ];
    // The exit code is not 0, because a script without a subcommand has checked nothing.
    sandbox.run(&[]).expect(2, &expected);
    Sandbox::new(&[])
        .run(&[])
        .expect(2, &["no CRD", "name them with --crd PATH"]);
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
