//! Tests of the commands that packages and their users need: version, completions and manual pages.

use crate::Sandbox;

#[test]
fn the_version_names_the_kubernetes_versions() {
    let sandbox = Sandbox::new(&[]);
    let short = format!("crd-analyzer {}\n", env!("CARGO_PKG_VERSION"));
    let outcome = sandbox.run(&["-V"]);
    assert_eq!((outcome.code, &*outcome.stdout), (Some(0), &*short));
    let long = sandbox.run(&["--version"]);
    let lines: Vec<&str> = long.stdout.lines().collect();
    assert!(lines[0].starts_with(short.trim_end()), "{long:?}");
    assert_eq!(lines[1..], ["Kubernetes 1.30 to 1.37"]);
}

#[test]
fn each_shell_completes_subcommands_and_options() {
    let sandbox = Sandbox::new(&[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let outcome = sandbox.run(&["completions", shell]);
        outcome.expect(0, &["compat", "kubernetes-version"]);
        assert!(!outcome.stdout.contains('\u{1b}'), "{shell}");
    }
    sandbox.run(&["completions", "sh"]).expect(2, &["invalid value 'sh'"]);
}

/// bash accepts the script, and completes words.
#[test]
fn bash_completes() {
    let sandbox = Sandbox::new(&[]);
    sandbox.write("script", sandbox.run(&["completions", "bash"]).stdout);
    let ask = "source ./script; set -- $(complete -p crd-analyzer); while [ \"$1\" != -F ]; do shift; done; \
               COMP_WORDS=(crd-analyzer com); COMP_CWORD=1; \"$2\" crd-analyzer com crd-analyzer; \
               echo \"${COMPREPLY[@]}\"";
    let Ok(output) = std::process::Command::new("bash")
        .args(["--norc", "-c", ask])
        .current_dir(sandbox.path())
        .output()
    else {
        return;
    };
    let offered = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        offered.trim(),
        "compat completions",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn there_is_a_manual_page_for_each_subcommand() {
    let sandbox = Sandbox::new(&[]);
    let all = sandbox.run(&["man"]);
    all.expect(0, &[".TH crd-analyzer 1", "crd\\-analyzer\\-check(1)"]);
    let named = all.stdout.lines().filter_map(|it| it.strip_prefix("crd\\-analyzer\\-"));
    let mut count = 0;
    for name in named.filter_map(|it| it.strip_suffix("(1)")).filter(|it| *it != "help") {
        let title = format!(".TH crd-analyzer-{name} 1");
        sandbox
            .run(&["man", name])
            .expect(0, &[&title, "\"crd-analyzer ", ".SH SYNOPSIS"]);
        count += 1;
    }
    assert!(count >= 13, "{}", all.stdout);
    sandbox
        .run(&["man", "nothing"])
        .expect(2, &["the subcommand `nothing` does not exist"]);
}
