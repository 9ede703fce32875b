//! Tests of `--help`: all documented texts appear in it.

use crate::Sandbox;

/// Subcommands whose help has examples.
const WITH_EXAMPLES: &[&[&str]] = &[
    &[],
    &["check"],
    &["compat"],
    &["completions"],
    &["convert"],
    &["cost"],
    &["docs"],
    &["doctor"],
    &["eval"],
    &["explain"],
    &["generate", "crd"],
    &["init"],
    &["man"],
    &["schema"],
    &["test"],
];

#[test]
fn help_has_examples() {
    let sandbox = Sandbox::new(&[]);
    for command in WITH_EXAMPLES {
        let outcome = sandbox.run(&[*command, &["--help"]].concat());
        let (_, examples) = outcome
            .stdout
            .split_once("\nExample")
            .unwrap_or_else(|| panic!("{command:?}"));
        assert!(examples.contains("\n  crd-analyzer "), "{command:?}: {examples}");
    }
}

#[test]
fn help_says_what_the_exit_codes_mean() {
    let sandbox = Sandbox::new(&[]);
    for command in [
        "check", "compat", "convert", "cost", "docs", "doctor", "eval", "schema", "storage", "test",
    ] {
        let help = sandbox.run(&[command, "--help"]).stdout.to_lowercase();
        assert!(
            help.contains("exit code is 1 if") || help.contains("exit codes:\n  0  "),
            "{command}: {help}"
        );
    }
}

#[test]
fn options_of_check_are_in_groups() {
    let help = Sandbox::new(&[]).run(&["check", "--help"]).stdout;
    let of = |option: &str| {
        let at = help
            .find(&format!("      {option}"))
            .unwrap_or_else(|| panic!("{option}"));
        let lines: Vec<&str> = help[..at].lines().collect();
        let heading = lines.iter().rev().find(|it| it.ends_with(':') && !it.starts_with(' '));
        heading.copied().unwrap_or_default().to_owned()
    };
    for (option, group) in [
        ("--output-file <", "Output:"),
        ("--exclude", "Files:"),
        ("--crd <", "CRDs:"),
        ("--ignore", "Diagnostics:"),
        ("--old-ref", "Git and updates:"),
        ("--fix", "Fixes:"),
    ] {
        assert_eq!(of(option), group, "{option}: {help}");
    }
}

#[test]
fn the_format_has_one_name_everywhere() {
    let crd = include_str!("../../examples/crontab.crd.yaml");
    let sandbox = Sandbox::new(&[("a.yaml", crd)]);
    let check = |arguments: &[&str]| {
        let outcomes = ["-o", "--output", "--format", "--output-format"]
            .map(|option| sandbox.run(&[arguments, &[option, "jsonl"]].concat()));
        for outcome in &outcomes {
            assert_eq!(outcome.stdout, outcomes[0].stdout, "{arguments:?}: {}", outcome.stderr);
            assert!(outcome.stdout.starts_with('{'), "{arguments:?}: {}", outcome.stderr);
        }
    };
    check(&["check", "a.yaml"]);
    check(&["cost", "a.yaml"]);
    check(&["compat", "a.yaml", "a.yaml", "--all"]);
    check(&["eval", "1 == 1"]);
}
