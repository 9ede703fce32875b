//! Without a subcommand, the program says what it sees and what to type.

use crate::Sandbox;

#[test]
fn says_what_is_here_and_what_to_type() {
    let example = include_str!("../../examples/crontab.crd.yaml");
    let sandbox = Sandbox::new(&[("config/crd/a.yaml", example), ("a.yaml", "a: 1\n")]);
    let expected = [
        "This folder has 2 YAML or JSON files and 1 CRD (config/crd).",
        "crd-analyzer check ",
    ];
    // A script that forgets the subcommand has checked nothing.
    sandbox.run(&[]).expect(2, &expected);
    Sandbox::new(&[])
        .run(&[])
        .expect(2, &["no CRD", "name these with --crd PATH"]);
}
