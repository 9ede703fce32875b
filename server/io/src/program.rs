//! Runs other programs. A program must be outside the workspace, and always has a time limit.

use std::{
    ffi::OsString,
    fmt,
    fs::File,
    io::{self, Read, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    thread,
    time::{Duration, Instant},
};

/// The number of bytes of standard error to keep.
const MAX_STDERR: u64 = 8 << 10;
/// The number of bytes to read at a time.
const CHUNK: usize = 64 << 10;
/// How long to wait for the end of standard error after the program has exited. One of its child processes may keep it open.
const STDERR_GRACE: Duration = Duration::from_millis(500);

/// The error if a program is not in `PATH`, or only in folders from which programs must not be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotFound {
    /// The name of the program.
    pub name: String,
    /// The first file with that name that was skipped because it is inside the workspace.
    pub passed_over: Option<PathBuf>,
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, passed_over } = self;
        match passed_over {
            None => write!(f, "the program `{name}` is not in PATH"),
            Some(path) => write!(
                f,
                "the program `{name}` is in PATH only as {}, which is in the workspace, so crd-analyzer does not run it",
                path.display()
            ),
        }
    }
}

impl std::error::Error for NotFound {}

/// The folders in `PATH` from which programs may be run.
///
/// Relative entries are excluded, because they depend on the current folder. Folders in the workspace are excluded as well, and so are programs in
/// other folders that are links into the workspace. If the workspace contains the user's home folder, nothing is excluded, because the user's own
/// programs are there.
#[derive(Clone, Debug)]
pub struct SearchPath {
    folders: Vec<PathBuf>,
    workspace: Vec<PathBuf>,
}

impl SearchPath {
    /// The folders in the environment's `PATH`, without those in a workspace.
    pub fn new(workspace: &[PathBuf]) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let home = std::env::home_dir().and_then(|it| it.canonicalize().ok());
        Self::of(std::env::split_paths(&path), workspace, home.as_deref())
    }

    fn of(folders: impl Iterator<Item = PathBuf>, workspace: &[PathBuf], home: Option<&Path>) -> Self {
        let real = |it: &PathBuf| it.canonicalize().unwrap_or_else(|_| it.clone());
        let is_excluded = |it: &PathBuf| it.parent().is_some() && !home.is_some_and(|home| home.starts_with(it));
        Self {
            folders: folders.filter(|it| it.is_absolute()).collect(),
            workspace: workspace.iter().map(real).filter(is_excluded).collect(),
        }
    }

    fn is_outside(&self, path: &Path) -> bool {
        let real = path.canonicalize();
        real.is_ok_and(|it| !self.workspace.iter().any(|folder| it.starts_with(folder)))
    }

    /// Finds a program and returns its absolute path.
    pub fn find(&self, name: &str) -> Result<PathBuf, NotFound> {
        let mut passed_over = None;
        for folder in &self.folders {
            let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
            if !is_executable(&program) {
                continue;
            }
            if self.is_outside(folder) && self.is_outside(&program) {
                return Ok(program);
            }
            passed_over.get_or_insert(program);
        }
        Err(NotFound {
            name: name.to_owned(),
            passed_over,
        })
    }

    /// A value for `PATH` with only these folders, for a program that runs other programs.
    pub fn joined(&self) -> OsString {
        let folders = self.folders.iter().filter(|it| self.is_outside(it));
        std::env::join_paths(folders).unwrap_or_default()
    }
}

/// Whether two paths are the same program, which means the same file or two files with the same content.
pub fn is_same(one: &Path, other: &Path) -> bool {
    if let (Ok(one), Ok(other)) = (one.canonicalize(), other.canonicalize())
        && one == other
    {
        return true;
    }
    let opened = |path: &Path| -> io::Result<(File, u64)> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_file() {
            Ok((file, metadata.len()))
        } else {
            Err(io::ErrorKind::InvalidInput.into())
        }
    };
    let (Ok((mut one, length)), Ok((mut other, other_length))) = (opened(one), opened(other)) else {
        return false;
    };
    let (mut left, mut bytes, mut other_bytes) = (length, vec![0; CHUNK], vec![0; CHUNK]);
    while length == other_length && left > 0 {
        let count = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK);
        let read = one
            .read_exact(&mut bytes[..count])
            .and_then(|()| other.read_exact(&mut other_bytes[..count]));
        if read.is_err() || bytes[..count] != other_bytes[..count] {
            return false;
        }
        left -= count as u64;
    }
    length == other_length
}

fn is_executable(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    metadata.is_file()
}

/// The reason why a program gave no usable answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The program cannot be started, or a pipe to it is broken.
    Io(String),
    /// The program did not answer in time, and was killed.
    Timeout,
    /// The answer exceeded the size limit, and the program was killed.
    TooLong,
    /// The program exited before it had answered.
    Ended,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error.to_string())
    }
}

/// A running program that receives requests on standard input and answers on standard output. Dropping this kills the program.
#[derive(Debug)]
pub struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Receiver<Vec<u8>>,
    stderr: Receiver<Vec<u8>>,
    /// Output that was received but not yet returned.
    pending: Vec<u8>,
}

impl Running {
    /// Starts a program.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        Self::start_with(command.stderr(Stdio::piped()))
    }

    fn start_with(command: &mut Command) -> io::Result<Self> {
        command.stdout(Stdio::piped());
        let mut child = command.spawn()?;
        // Use small queues, so that a program that writes faster than we read has to wait.
        let (out, stdout) = sync_channel(4);
        let (err, stderr) = sync_channel(1);
        if let Some(pipe) = child.stdout.take() {
            thread::spawn(move || forward(pipe, &out));
        }
        if let Some(mut pipe) = child.stderr.take() {
            thread::spawn(move || {
                let mut kept = Vec::new();
                // Read and discard the rest, so that the program never blocks on writing to standard error.
                let _ = pipe.by_ref().take(MAX_STDERR).read_to_end(&mut kept);
                let _ = io::copy(&mut pipe, &mut io::sink());
                let _ = err.send(kept);
            });
        }
        Ok(Self {
            stdin: child.stdin.take(),
            child,
            stdout,
            stderr,
            pending: Vec::new(),
        })
    }

    /// Sends a request. The request must fit into the buffer of a pipe, unless the program reads all of it before it answers.
    pub fn send(&mut self, question: &[u8]) -> Result<(), Failure> {
        let stdin = self.stdin.as_mut().ok_or(Failure::Ended)?;
        stdin.write_all(question).and_then(|()| stdin.flush()).map_err(|error| {
            if error.kind() == io::ErrorKind::BrokenPipe {
                Failure::Ended
            } else {
                error.into()
            }
        })
    }

    /// The next line of the answer, without its line break.
    pub fn line(&mut self, max: usize, deadline: Instant) -> Result<Vec<u8>, Failure> {
        let mut searched = 0;
        loop {
            if let Some(end) = self.pending[searched..].iter().position(|it| *it == b'\n') {
                let rest = self.pending.split_off(searched + end + 1);
                let mut line = std::mem::replace(&mut self.pending, rest);
                line.pop();
                return Ok(line);
            }
            searched = self.pending.len();
            if searched > max {
                return Err(Failure::TooLong);
            }
            self.more(deadline)?;
        }
    }

    /// The next bytes of the answer.
    pub fn bytes(&mut self, count: usize, deadline: Instant) -> Result<Vec<u8>, Failure> {
        while self.pending.len() < count {
            self.more(deadline)?;
        }
        let rest = self.pending.split_off(count);
        Ok(std::mem::replace(&mut self.pending, rest))
    }

    fn more(&mut self, deadline: Instant) -> Result<(), Failure> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.stdout.recv_timeout(left) {
            Ok(chunk) => {
                self.pending.extend_from_slice(&chunk);
                Ok(())
            }
            Err(RecvTimeoutError::Timeout) => Err(Failure::Timeout),
            Err(RecvTimeoutError::Disconnected) => Err(Failure::Ended),
        }
    }

    /// The content of the program's standard error, after the program has exited. At most `MAX_STDERR` bytes.
    pub fn stderr(&self) -> Vec<u8> {
        self.stderr.recv_timeout(STDERR_GRACE).unwrap_or_default()
    }

    /// Waits for the program to exit. This does not take long, because its standard output has already ended.
    fn wait(&mut self, deadline: Instant) -> Result<ExitStatus, Failure> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if Instant::now() > deadline {
                return Err(Failure::Timeout);
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // Ignore errors, because a program that has already exited cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn forward(mut pipe: impl Read, chunks: &SyncSender<Vec<u8>>) {
    loop {
        let mut chunk = vec![0; CHUNK];
        match pipe.read(&mut chunk) {
            Ok(0) | Err(_) => return,
            Ok(count) => chunk.truncate(count),
        }
        if chunks.send(chunk).is_err() {
            return;
        }
    }
}

/// The output of a program that has exited.
#[derive(Clone, Debug)]
pub struct Output {
    /// The exit status of the program.
    pub status: ExitStatus,
    /// The complete content of standard output.
    pub stdout: Vec<u8>,
    /// The start of standard error.
    pub stderr: Vec<u8>,
}

/// Runs a program until it exits. Fails if that takes longer than `timeout`, or if the output has more than `max` bytes.
pub fn run(command: &mut Command, input: Option<Vec<u8>>, max: usize, timeout: Duration) -> Result<Output, Failure> {
    if input.is_some() {
        command.stdin(Stdio::piped());
    }
    finish(Running::start(command)?, input, max, timeout)
}

/// Like [`run`], for a program that may interact with the user. It uses the terminal's standard input and standard error, which are not captured.
pub fn run_in_terminal(command: &mut Command, max: usize, timeout: Duration) -> Result<Output, Failure> {
    finish(Running::start_with(command)?, None, max, timeout)
}

fn finish(mut running: Running, input: Option<Vec<u8>>, max: usize, timeout: Duration) -> Result<Output, Failure> {
    let deadline = Instant::now() + timeout;
    if let (Some(input), Some(mut stdin)) = (input, running.stdin.take()) {
        // Ignore errors: if a program does not read its input, its output or the timeout shows that.
        thread::spawn(move || stdin.write_all(&input));
    }
    loop {
        match running.more(deadline) {
            Ok(()) if running.pending.len() > max => return Err(Failure::TooLong),
            Ok(()) => {}
            Err(Failure::Ended) => break,
            Err(failure) => return Err(failure),
        }
    }
    let status = running.wait(deadline)?;
    Ok(Output {
        status,
        stderr: running.stderr(),
        stdout: std::mem::take(&mut running.pending),
    })
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn program(path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn the_same_program_is_one_file_or_has_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let large = vec![7; CHUNK + 3];
        for (name, bytes) in [
            ("a", &large[..]),
            ("b", &large),
            ("shorter", &large[1..]),
            ("empty", b""),
        ] {
            std::fs::write(path(name), bytes).unwrap();
        }
        let mut other = large.clone();
        other[CHUNK + 1] = 8;
        std::fs::write(path("other"), other).unwrap();
        symlink(path("a"), path("link")).unwrap();
        for (name, expected) in [
            ("a", true),
            ("b", true),
            ("link", true),
            ("shorter", false),
            ("other", false),
            ("empty", false),
            ("missing", false),
            (".", false),
        ] {
            assert_eq!(is_same(&path("a"), &path(name)), expected, "{name}");
        }
    }

    #[test]
    fn programs_of_the_workspace_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let (inside, outside) = (folder.path().join("repo"), folder.path().join("usr"));
        program(&inside.join("bin/git"));
        program(&outside.join("bin/git"));
        std::fs::create_dir(folder.path().join("links")).unwrap();
        symlink(inside.join("bin/git"), folder.path().join("links/git")).unwrap();
        symlink(inside.join("bin"), folder.path().join("linked")).unwrap();
        std::fs::create_dir_all(folder.path().join("empty/git")).unwrap();
        let find = |entries: &[&str]| {
            let entries = entries.iter().map(|it| {
                if it.starts_with("./") || it.is_empty() {
                    PathBuf::from(it)
                } else {
                    folder.path().join(it)
                }
            });
            SearchPath::of(entries, std::slice::from_ref(&inside), None).find("git")
        };
        let found = outside.join("bin/git");
        assert_eq!(
            find(&["", "./bin", "empty", "repo/bin", "links", "linked", "usr/bin"]),
            Ok(found)
        );
        for entries in [&["repo/bin"][..], &["links"], &["linked"]] {
            let error = find(entries).unwrap_err();
            assert!(error.to_string().contains("is in the workspace"), "{error}");
        }
        assert_eq!(find(&["./bin", "", "empty"]).unwrap_err().passed_over, None);
        let own = || [inside.join("bin")].into_iter();
        for (workspace, home) in [(Path::new("/"), None), (&inside, Some(inside.join("bin")))] {
            let path = SearchPath::of(own(), &[workspace.to_owned()], home.as_deref());
            assert!(path.find("git").is_ok());
        }
        let path = SearchPath::of(
            [inside.join("bin"), outside.clone()].into_iter(),
            std::slice::from_ref(&inside),
            None,
        );
        assert_eq!(path.joined(), outside.into_os_string());
    }

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdin(Stdio::null());
        command
    }

    #[test]
    fn programs_are_waited_for_within_bounds() {
        let second = Duration::from_mins(1);
        let output = run(&mut shell("echo a; echo b >&2; exit 3"), None, 100, second).unwrap();
        assert_eq!(
            (output.status.code(), &*output.stdout, &*output.stderr),
            (Some(3), &b"a\n"[..], &b"b\n"[..])
        );
        let echoed = run(&mut shell("cat"), Some(vec![b'x'; 1 << 20]), 1 << 20, second).unwrap();
        assert_eq!(echoed.stdout.len(), 1 << 20);
        let failure =
            |script: &str, timeout| run(&mut shell(script), Some(vec![0; 1 << 20]), 1000, timeout).unwrap_err();
        assert_eq!(failure("sleep 100", Duration::from_millis(100)), Failure::Timeout);
        assert_eq!(
            failure("exec >&-; sleep 100", Duration::from_millis(100)),
            Failure::Timeout
        );
        assert_eq!(failure("yes", second), Failure::TooLong);
        assert!(matches!(
            run(&mut Command::new("/nowhere/at/all"), None, 1, second),
            Err(Failure::Io(_))
        ));
        let talkative = run(&mut shell("head -c 1000000 /dev/zero >&2"), None, 1, second).unwrap();
        assert_eq!(talkative.stderr.len() as u64, MAX_STDERR);
    }

    #[test]
    fn a_conversation_goes_line_by_line_and_by_bytes() {
        let mut command = shell("while read -r line; do echo \"$line!\"; printf '%s' 12345; done");
        let mut running = Running::start(command.stdin(Stdio::piped())).unwrap();
        let deadline = Instant::now() + Duration::from_mins(1);
        for _ in 0..3 {
            running.send(b"question\n").unwrap();
            assert_eq!(running.line(100, deadline).unwrap(), b"question!");
            assert_eq!(running.bytes(5, deadline).unwrap(), b"12345");
        }
        drop(running.stdin.take());
        assert_eq!(running.line(100, deadline), Err(Failure::Ended));
    }
}
