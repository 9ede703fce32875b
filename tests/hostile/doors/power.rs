//! Simulates a power failure by killing `check --fix` and `test --update` at different times. Each file must have either its old or its new content
//! afterwards.
//!
//! `CRD_ANALYZER_KILLS` is the number of kills (default 20; `.ci/run` uses 150).

use std::{
    fs,
    os::unix::process::ExitStatusExt as _,
    process::{Command, Stdio},
    thread,
    time::Instant,
};

use crate::{
    sandbox::{CRD, Sandbox},
    writing::{broken, repaired, wrong_suite},
};

/// The number of files to fix or update.
const FILES: usize = 12;

/// The number of times that a run is killed.
fn kills() -> u32 {
    std::env::var("CRD_ANALYZER_KILLS")
        .ok()
        .and_then(|it| it.parse().ok())
        .unwrap_or(20)
}

/// A command that changes files, and its files: the name, and the content before and after.
struct Run {
    args: &'static [&'static str],
    files: Vec<(String, String, String)>,
}

fn runs() -> [Run; 2] {
    let files = |suffix: &str, text: &dyn Fn(&str) -> (String, String)| {
        let named = (0..FILES).map(|it| format!("f{it}{suffix}"));
        named
            .map(|name| {
                let (before, after) = text(&name);
                (name, before, after)
            })
            .collect()
    };
    [
        Run {
            args: &["check", "--fix", "."],
            files: files(".yaml", &|name| (broken(name), repaired(&broken(name)))),
        },
        Run {
            args: &["test", "--update", "."],
            files: files(".test.yaml", &|_| {
                (wrong_suite(), wrong_suite().replace("rejected", "accepted"))
            }),
        },
    ]
}

impl Run {
    fn sandbox(&self) -> Sandbox {
        let sandbox = Sandbox::new(&[("crd.yaml", CRD)]);
        self.reset(&sandbox);
        sandbox
    }

    fn reset(&self, sandbox: &Sandbox) {
        for (name, before, _) in &self.files {
            sandbox.write(name, before);
        }
        for name in sandbox.names().iter().filter(|it| is_unfinished(it)) {
            fs::remove_file(sandbox.path().join(name)).expect("it can be removed");
        }
    }

    fn command(&self, sandbox: &Sandbox) -> Command {
        let mut command = sandbox.command(self.args);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Checks that each file is complete, and that all other files are temporary files. Returns the number of files with the new content.
    #[track_caller]
    fn look(&self, sandbox: &Sandbox, moment: &str) -> usize {
        let mut new = 0;
        for (name, before, after) in &self.files {
            let now = sandbox.read(name);
            new += usize::from(now == *after);
            assert!(now == *before || now == *after, "{name}, {moment}: {now}");
        }
        for name in sandbox.names() {
            let is_known = name == "crd.yaml" || self.files.iter().any(|it| it.0 == name);
            assert!(is_known || is_unfinished(&name), "{name}, {moment}");
        }
        new
    }
}

/// Whether this is the name of a temporary file that a killed run left behind.
fn is_unfinished(name: &str) -> bool {
    name.starts_with(".f") && name.contains(".yaml.crd-analyzer-") && name.rsplit('.').next() == Some("tmp")
}

#[test]
fn a_run_that_is_killed_leaves_whole_files() {
    for run in runs() {
        let sandbox = run.sandbox();
        let start = Instant::now();
        assert!(run.command(&sandbox).status().expect("it runs").success());
        let whole = start.elapsed();
        assert_eq!(run.look(&sandbox, "all of it"), FILES);
        let mut seen = [0; FILES + 1];
        for moment in 0..kills() {
            run.reset(&sandbox);
            let mut child = run.command(&sandbox).spawn().expect("it runs");
            // Files are written in the last part of a run.
            thread::sleep(whole.mul_f64(0.3 + 0.8 * f64::from(moment * 61 % 97) / 97.0));
            child.kill().expect("it can be killed");
            child.wait().expect("it ends");
            seen[run.look(&sandbox, &format!("moment {moment}"))] += 1;
        }
        // Files that earlier runs left behind do not disturb later runs.
        assert!(run.command(&sandbox).status().expect("it runs").success());
        assert_eq!(run.look(&sandbox, "the run after"), FILES);
        eprintln!("{:?}: after kills, files were new this often: {seen:?}", run.args);
    }
}

/// System calls that change the disk, or occur between such calls. The last calls in the list also occur elsewhere.
const CALLS: &[&str] = &[
    "fsync",
    "fchmod",
    "renameat2",
    "unlinkat",
    "flock",
    "openat",
    "write",
    "close",
];

#[test]
fn a_run_that_is_killed_at_each_call_leaves_whole_files() {
    let is_possible = Command::new("strace").args(["-o", "/dev/null", "true"]).status();
    if !is_possible.is_ok_and(|it| it.success()) {
        assert!(std::env::var_os("CI").is_none(), "strace is not installed");
        eprintln!("no calls can be traced here");
        return;
    }
    let mut killed = 0;
    for run in runs() {
        let sandbox = run.sandbox();
        let (calls, most) = if kills() > 100 { (CALLS, 200) } else { (&CALLS[..4], 4) };
        for call in calls {
            for n in 1..=most {
                run.reset(&sandbox);
                let own = run.command(&sandbox);
                let mut traced = Command::new("strace");
                // The n-th call kills the program, on any thread. If a run succeeds, it makes fewer such calls.
                traced.args(["-f", "-o", "/dev/null", "-e", &format!("trace={call}")]);
                traced.arg("-e").arg(format!("inject={call}:signal=KILL:when={n}"));
                traced
                    .arg(own.get_program())
                    .args(own.get_args())
                    .current_dir(sandbox.path());
                traced
                    .env("NO_COLOR", "1")
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null());
                let status = traced.status().expect("strace runs");
                run.look(&sandbox, &format!("{call} {n}"));
                if status.code() == Some(0) {
                    break;
                }
                assert!(
                    status.signal().is_some() || status.code().is_some_and(|it| it > 128),
                    "{call} {n}: {status:?}"
                );
                killed += 1;
            }
        }
    }
    assert!(killed > 10, "{killed} kills");
}
