//! A repository in its own folder, with commands that run within limits on time and memory.

use std::{
    ffi::OsStr,
    fs,
    io::{Read, Write as _},
    os::unix::{fs::symlink, net::UnixListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// The maximum processor time of a run. It does not depend on the load of the machine.
const MAX_CPU: Duration = Duration::from_secs(5);
/// The maximum time that a test waits for a run. It applies if a run waits endlessly.
const MAX_WAIT: Duration = Duration::from_secs(90);
/// The maximum memory of a run, in KiB.
const MAX_MEMORY: u64 = 256 << 10;

/// A CRD without errors.
pub(crate) const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
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
          size: {type: integer}
";

/// A custom resource for the CRD in [`CRD`].
pub(crate) const RESOURCE: &str = "\
apiVersion: example.com/v1
kind: Widget
metadata: {name: one}
size: 3
";

/// A test file for the CRD in [`CRD`].
pub(crate) const SUITE: &str = "\
crd: crd.yaml
tests:
- name: one
  create: {size: 3}
  expect: accepted
";

/// A trap that replaces a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trap {
    Link(&'static str),
    Fifo,
    Socket,
    /// A sparse file of 20 GB.
    Huge,
    Folder,
    /// A link to itself.
    Loop,
}

/// All traps.
pub(crate) const TRAPS: &[Trap] = &[
    Trap::Link("/dev/zero"),
    Trap::Link("/dev/stdin"),
    Trap::Link("/proc/self/fd/0"),
    Trap::Link("/proc/self/environ"),
    Trap::Link("/proc/kmsg"),
    Trap::Link("/sys/kernel/profiling"),
    Trap::Link("/"),
    Trap::Link("nowhere"),
    Trap::Link("fifo"),
    Trap::Fifo,
    Trap::Socket,
    Trap::Huge,
    Trap::Folder,
    Trap::Loop,
];

/// A temporary folder with a folder `repository` in it.
pub(crate) struct Sandbox(tempfile::TempDir);

impl Sandbox {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let sandbox = Self(tempfile::tempdir().expect("a temporary folder"));
        fs::create_dir_all(sandbox.path().join(".git")).expect("folders can be made");
        for (name, text) in files {
            sandbox.write(name, text);
        }
        sandbox
    }

    /// The path of the repository.
    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("repository")
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        fs::write(path, text).expect("the file can be written");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).expect("the file is there")
    }

    /// The names of the files and folders in the repository, except `.git`.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).expect("a folder");
        let names = entries.map(|it| it.expect("an entry").file_name().display().to_string());
        let mut names: Vec<_> = names.filter(|it| it != ".git").collect();
        names.sort();
        names
    }

    /// Replaces a file by a trap.
    pub(crate) fn trap(&self, name: &str, trap: Trap) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        let made = match trap {
            Trap::Link(target) => symlink(target, &path),
            Trap::Loop => symlink(path.file_name().expect("a name"), &path),
            Trap::Fifo => {
                fifo(&path);
                Ok(())
            }
            Trap::Socket => UnixListener::bind(&path).map(drop),
            Trap::Huge => fs::File::create(&path).and_then(|it| it.set_len(20 << 30)),
            Trap::Folder => fs::create_dir(&path),
        };
        made.expect("the trap can be made");
        let beside = path.with_file_name("fifo");
        if trap == Trap::Link("fifo") && !beside.exists() {
            fifo(&beside);
        }
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crd-analyzer"));
        command
            .args(args)
            .current_dir(self.path())
            .env("NO_COLOR", "1")
            .env("XDG_CACHE_HOME", self.0.path().join("cache"));
        command
    }

    /// Runs the command. Its standard input is an open pipe that never contains data.
    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        Outcome::of(self.command(args), None)
    }

    pub(crate) fn run_with_input(&self, args: &[&str], input: &[u8]) -> Outcome {
        Outcome::of(self.command(args), Some(input.to_vec()))
    }

    /// Runs a shell script that contains the command as `"$@"`.
    pub(crate) fn run_in_shell(&self, script: &str, args: &[&str]) -> Outcome {
        let of = self.command(args);
        let mut shell = Command::new("bash");
        shell
            .args(["-c", script, "bash"])
            .arg(of.get_program())
            .args(of.get_args());
        shell.current_dir(self.path()).env("NO_COLOR", "1");
        Outcome::of(shell, Some(Vec::new()))
    }

    /// Starts a language server with the repository as its workspace, opens a document, sends some requests, and exits.
    pub(crate) fn session(&self, name: &str, text: &str) -> Outcome {
        self.session_until(name, text, "")
    }

    /// Like [`Self::session`], but waits until the diagnostics contain a text.
    pub(crate) fn session_until(&self, name: &str, text: &str, wanted: &str) -> Outcome {
        let uri = |path: &Path| format!("file://{}", path.display());
        let (folder, document) = (uri(&self.path()), uri(&self.path().join(name)));
        let messages = [
            json!({"id": 1, "method": "initialize", "params": {
                "capabilities": {},
                "workspaceFolders": [{"uri": folder, "name": "repository"}],
            }}),
            json!({"method": "initialized", "params": {}}),
            json!({"method": "textDocument/didOpen", "params": {
                "textDocument": {"uri": document, "languageId": "yaml", "version": 1, "text": text},
            }}),
            json!({"id": 2, "method": "textDocument/hover", "params": {
                "textDocument": {"uri": document}, "position": {"line": 0, "character": 0},
            }}),
            json!({"id": 3, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": document}}}),
            json!({"id": 4, "method": "shutdown"}),
            json!({"method": "exit"}),
        ];
        Outcome::of_session(self.command(&["lsp"]), &messages, wanted)
    }
}

/// Creates a FIFO.
pub(crate) fn fifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().expect("mkfifo runs");
    assert!(made.success());
}

/// The exit code and output of a command.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The processor time, or zero if unknown.
    #[allow(dead_code, reason = "tests of limits read it")]
    pub(crate) cpu: Duration,
}

impl Outcome {
    /// Runs a command. `input` is the content of standard input. If it is `None`, standard input stays open.
    fn of(mut command: Command, input: Option<Vec<u8>>) -> Self {
        let (mut child, stdout, stderr) = start(&mut command);
        let mut stdin = child.stdin.take().expect("a pipe");
        let open = match input {
            Some(input) => {
                thread::spawn(move || drop(stdin.write_all(&input)));
                None
            }
            None => Some(stdin),
        };
        let (status, cpu) = wait(&mut child, &command);
        drop(open);
        Self {
            code: status.code(),
            cpu,
            stdout: stdout.join().expect("it was read"),
            stderr: stderr.join().expect("it was read"),
        }
    }

    /// Sends messages. Each request is sent after the response to the previous request. Waits for diagnostics before the last two messages.
    fn of_session(mut command: Command, messages: &[Value], wanted: &str) -> Self {
        let wanted = wanted.to_owned();
        let is_wanted =
            move |it: &Value| it["method"] == "textDocument/publishDiagnostics" && it.to_string().contains(&wanted);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("crd-analyzer runs");
        let stderr = collect(child.stderr.take().expect("a pipe"));
        let mut stdin = child.stdin.take().expect("a pipe");
        let mut stdout = std::io::BufReader::new(child.stdout.take().expect("a pipe"));
        let messages = messages.to_vec();
        let talk = thread::spawn(move || {
            let mut said = String::new();
            let mut has_diagnostics = false;
            for mut message in messages {
                while message["method"] == "shutdown" && !has_diagnostics {
                    has_diagnostics |= is_wanted(&next(&mut stdout, &mut said)?);
                }
                message["jsonrpc"] = json!("2.0");
                let body = message.to_string();
                write!(stdin, "Content-Length: {}\r\n\r\n{body}", body.len()).ok()?;
                while !message["id"].is_null() {
                    let answer = next(&mut stdout, &mut said)?;
                    has_diagnostics |= is_wanted(&answer);
                    if answer["id"] == message["id"] && answer["method"].is_null() {
                        break;
                    }
                }
            }
            Some(said)
        });
        let (status, cpu) = wait(&mut child, &command);
        Self {
            code: status.code(),
            cpu,
            stdout: talk.join().expect("it was read").expect("all was answered"),
            stderr: stderr.join().expect("it was read"),
        }
    }

    /// Checks the exit code, and that each text is in one of the streams.
    #[track_caller]
    pub(crate) fn expect(&self, code: i32, texts: &[&str]) -> &Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        for text in texts {
            assert!(
                self.stdout.contains(text) || self.stderr.contains(text),
                "{text:?} is missing in {self:#?}"
            );
        }
        self
    }

    /// Both streams on one line, because long lines are wrapped.
    pub(crate) fn on_one_line(&self) -> String {
        let words = self.stdout.split_whitespace().chain(self.stderr.split_whitespace());
        words.collect::<Vec<_>>().join(" ")
    }

    /// Checks that neither stream contains a text.
    #[track_caller]
    pub(crate) fn never_says(&self, text: &str) -> &Self {
        let is_said = self.stdout.contains(text) || self.stderr.contains(text);
        assert!(!is_said, "{text:?} is in {self:#?}");
        self
    }
}

/// The next message of the language server.
fn next(stdout: &mut impl std::io::BufRead, said: &mut String) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        stdout.read_line(&mut line).ok().filter(|it| *it > 0)?;
        match line.trim_end() {
            "" => break,
            header => {
                if let Some(it) = header.strip_prefix("Content-Length: ") {
                    length = it.parse().ok()?;
                }
            }
        }
    }
    let mut body = vec![0; length];
    stdout.read_exact(&mut body).ok()?;
    said.push_str(&String::from_utf8_lossy(&body));
    serde_json::from_slice(&body).ok()
}

type Collected = thread::JoinHandle<String>;

fn start(command: &mut Command) -> (Child, Collected, Collected) {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("crd-analyzer runs");
    let stdout = collect(child.stdout.take().expect("a pipe"));
    let stderr = collect(child.stderr.take().expect("a pipe"));
    (child, stdout, stderr)
}

fn collect(mut pipe: impl Read + Send + 'static) -> Collected {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).expect("a pipe can be read");
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits for the end of a run, which must be within the limits. Returns its exit status and processor time.
#[track_caller]
fn wait(child: &mut Child, command: &Command) -> (std::process::ExitStatus, Duration) {
    let start = Instant::now();
    let mut last = Duration::ZERO;
    loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return (status, last);
        }
        let (cpu, memory) = used(child.id()).unwrap_or_default();
        last = last.max(cpu);
        let is_over = cpu > MAX_CPU || memory > MAX_MEMORY || start.elapsed() > MAX_WAIT;
        if is_over {
            let _ = child.kill();
            let _ = child.wait();
            let args: Vec<&OsStr> = command.get_args().collect();
            panic!(
                "{args:?}: {cpu:?} of processor time, {memory} KiB, {:?}",
                start.elapsed()
            );
        }
        thread::sleep(Duration::from_millis(3));
    }
}

/// The processor time and peak memory (in KiB) of a process so far; `None` if unknown.
fn used(id: u32) -> Option<(Duration, u64)> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let peak = status.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
    let memory = peak.trim().strip_suffix(" kB")?.parse().ok()?;
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The process name may contain blanks.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some((Duration::from_millis(ticks * 10), memory))
}
