//! Extreme arguments, lists and pipes.

use std::process::{Command, Stdio};

use crate::sandbox::{CRD, Sandbox};

#[test]
fn too_many_threads() {
    let sandbox = Sandbox::new(&[("crd.yaml", CRD)]);
    for threads in ["100000", "4000000000", "33"] {
        let outcome = sandbox.run(&["check", "--threads", threads, "crd.yaml"]);
        outcome.expect(
            0,
            &["1 file, 1 CRD", &format!("note: --threads {threads}: starting 32")],
        );
    }
    // If memory is not sufficient for all stacks, fewer threads are started.
    let script = "ulimit -v 1000000; \"$@\"";
    let outcome = sandbox.run_in_shell(script, &["check", "--threads", "100000", "crd.yaml"]);
    outcome.expect(0, &["1 file, 1 CRD"]);
}

#[test]
fn bad_lines_of_a_list_are_answered_like_the_others() {
    let sandbox = Sandbox::new(&[("crd.yaml", CRD)]);
    let lines: [&[u8]; 7] = [
        b"{\"id\": \"first\", \"text\": 3}",
        b"crd.yaml",
        b"{broken",
        b"",
        b"\xFF\xFE",
        b"{\"file\": \"crd.yaml\", \"old\": []}",
        b"{\"id\": \"last\", \"file\": \"crd.yaml\"}",
    ];
    let list = lines.join(&b'\n');
    sandbox.write("list", &list);
    let expected = |outcome: &crate::sandbox::Outcome, files: &[(&str, bool)]| {
        let lines = outcome.stdout.lines().map(|it| serde_json::from_str(it).expect("JSON"));
        let found: Vec<(String, bool)> = lines
            .map(|it: serde_json::Value| {
                (
                    it["file"].as_str().unwrap_or_default().to_owned(),
                    it["unreadable"].is_null(),
                )
            })
            .collect();
        let expected: Vec<_> = files.iter().map(|it| (it.0.to_owned(), it.1)).collect();
        assert_eq!(found, expected, "{outcome:#?}");
    };
    let args = |list: &'static str| ["check", "-o", "jsonl", "--list", list];
    let outcome = sandbox.run_with_input(&args("-"), &list);
    outcome.expect(
        3,
        &[
            "cannot read first: it is not a request",
            "cannot read line 3 of the list",
        ],
    );
    expected(
        &outcome,
        &[
            ("first", false),
            ("crd.yaml", true),
            ("line 3 of the list", false),
            ("\u{FFFD}\u{FFFD}", false),
            ("crd.yaml", false),
            ("crd.yaml", true),
        ],
    );
    let outcome = sandbox.run(&args("list"));
    outcome.expect(3, &[]);
    assert_eq!(outcome.stdout.lines().count(), 6, "{outcome:#?}");
}

#[test]
fn output_that_nobody_reads_to_its_end_is_no_good_news() {
    let sandbox = Sandbox::new(&[]);
    for number in 0..600 {
        sandbox.write(&format!("{number}.yaml"), CRD);
    }
    for (format, code) in [("jsonl", 0), ("json", 0)] {
        let script = format!("\"$@\" -o {format} . > /dev/null");
        sandbox.run_in_shell(&script, &["check"]).expect(code, &[]);
        for reader in ["head -1", "true", "head -c 10000"] {
            let script = format!("\"$@\" -o {format} . | {reader} > /dev/null; exit ${{PIPESTATUS[0]}}");
            sandbox.run_in_shell(&script, &["check"]).expect(141, &[]);
        }
        // The consumer reads the complete output.
        let script = format!("\"$@\" -o {format} . | cat > /dev/null; exit ${{PIPESTATUS[0]}}");
        sandbox.run_in_shell(&script, &["check"]).expect(code, &[]);
    }
    let outcome = sandbox.run_in_shell("\"$@\" > /dev/full", &["check", "-o", "jsonl", "."]);
    outcome.expect(3, &["No space left on device"]);
}

#[test]
fn errors_that_nobody_reads_are_no_crash() {
    let sandbox = Sandbox::new(&[("crd.yaml", CRD)]);
    for script in ["\"$@\" 2> /dev/full", "\"$@\" 2>&-", "\"$@\" 2> >(true)"] {
        sandbox
            .run_in_shell(script, &["check", "none.yaml", "crd.yaml"])
            .expect(3, &[]);
    }
}

#[test]
fn standard_input_has_a_bound() {
    let sandbox = Sandbox::new(&[]);
    // Input without a line end is a single line, and the program does not keep all of it in memory.
    let mut child = sandbox
        .command(&["check", "-o", "jsonl", "--list", "-"])
        .stdin(
            Command::new("true")
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .spawn()
                .expect("it runs")
                .stdout
                .take()
                .expect("a pipe"),
        )
        .stdout(Stdio::null())
        .spawn()
        .expect("crd-analyzer runs");
    assert!(child.wait().expect("it ends").success());
}
