//! The effects of a program, taken from its system calls.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use crate::repository::Place;

/// The traced system calls, as far as the system supports them: calls that start a program, connect, or change the disk.
const CALLS: &str = "execve,execveat,socket,connect,bind,sendto,sendmsg,open,openat,openat2,creat,rename,renameat,renameat2,\
    link,linkat,symlink,symlinkat,mkdir,mkdirat,mknod,mknodat,rmdir,unlink,unlinkat,truncate,chmod,fchmodat,fchmodat2,\
    chown,lchown,fchownat,utimensat,setxattr,mount";

/// The observed effects.
#[derive(Default, Debug)]
pub(crate) struct Trace {
    /// The programs that were started, without the traced program itself.
    pub(crate) programs: BTreeSet<PathBuf>,
    /// Calls that open a connection or prepare one.
    pub(crate) network: Vec<String>,
    /// Files and folders that were created, changed or removed.
    pub(crate) changed: BTreeSet<PathBuf>,
    /// Files and folders that were opened for reading, and the targets of links.
    pub(crate) opened: BTreeSet<PathBuf>,
    /// The number of lines in the trace.
    pub(crate) lines: usize,
}

/// The command under strace, which writes one file per thread into the folder `trace`.
pub(crate) fn traced(place: &Place, command: &Command) -> Command {
    let _ = std::fs::remove_dir_all(place.path("trace"));
    std::fs::create_dir(place.path("trace")).expect("a folder");
    let mut traced = Command::new("strace");
    traced
        .args(["-ff", "-y", "-qq", "-s", "8192", "-e"])
        .arg(format!("trace=?{}", CALLS.replace(',', ",?")))
        .arg("-o")
        .arg(place.path("trace/of"))
        .arg(command.get_program())
        .args(command.get_args())
        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .current_dir(command.get_current_dir().expect("a folder"));
    traced
}

/// Reads the trace of a command that ran in a folder.
pub(crate) fn read(place: &Place, folder: &Path) -> Trace {
    let mut trace = Trace::default();
    for entry in place.path("trace").read_dir().expect("a folder").flatten() {
        let text = std::fs::read(entry.path()).expect("it is there");
        for line in String::from_utf8_lossy(&text).lines() {
            trace.lines += 1;
            trace.add(line, folder);
        }
    }
    assert!(trace.lines > 0, "strace wrote nothing");
    let program = Path::new(env!("CARGO_BIN_EXE_crd-analyzer"));
    assert!(trace.programs.remove(program), "the program was not traced: {trace:#?}");
    trace
}

impl Trace {
    fn add(&mut self, line: &str, folder: &Path) {
        let Some((call, rest)) = line.split_once('(') else {
            return;
        };
        // A failed call changes nothing on disk, but a failed connection was still attempted.
        let has_failed = line.rsplit_once(" = ").is_some_and(|it| it.1.starts_with('-'));
        match call {
            "socket" | "connect" | "bind" | "sendto" | "sendmsg" => self.network.push(line.to_owned()),
            "execve" | "execveat" => {
                self.programs.extend(paths(rest, folder).into_iter().next());
            }
            "open" | "openat" | "openat2"
                if !["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"]
                    .iter()
                    .any(|it| rest.contains(it)) =>
            {
                if !has_failed {
                    self.opened.extend(paths(rest, folder));
                    // This is the target of a link.
                    let found = line.strip_suffix('>').and_then(|it| it.rsplit_once('<'));
                    self.opened.extend(found.map(|it| PathBuf::from(it.1)));
                }
            }
            _ if has_failed => {}
            _ => self.changed.extend(paths(rest, folder)),
        }
        self.changed.remove(Path::new("/dev/null"));
    }

    /// The changed paths, except those allowed by `is_allowed`.
    pub(crate) fn changed_besides(&self, is_allowed: impl Fn(&Path) -> bool) -> Vec<&Path> {
        self.changed
            .iter()
            .map(PathBuf::as_path)
            .filter(|it| !is_allowed(it))
            .collect()
    }
}

/// The paths in the arguments of a call. In `5</folder>, "name"`, the name is relative to the folder.
fn paths(arguments: &str, folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut base = folder.to_owned();
    let mut rest = arguments;
    // Paths come before the first argument of another type.
    loop {
        rest = rest.trim_start_matches([',', ' ']);
        if let Some(quoted) = rest.strip_prefix('"') {
            let Some((text, behind)) = unquoted(quoted) else {
                return paths;
            };
            paths.push(base.join(text));
            rest = behind;
            folder.clone_into(&mut base);
        } else if rest.starts_with("AT_FDCWD") || rest.starts_with(|it: char| it.is_ascii_digit()) {
            let Some((_, behind)) = rest.split_once('<') else {
                return paths;
            };
            let Some((text, behind)) = behind.split_once('>') else {
                return paths;
            };
            base = PathBuf::from(text);
            rest = behind;
        } else {
            return paths;
        }
    }
}

/// The content of a string up to its closing quote, and the rest of the text.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut plain = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((plain, &text[at + 1..])),
            '\\' => plain.push(chars.next()?.1),
            c => plain.push(c),
        }
    }
    None
}

/// Checks that strace's output is parsed correctly. If it were not, an empty trace would hide problems.
pub(crate) fn is_read() {
    let folder = Path::new("/w");
    let mut trace = Trace::default();
    for line in [
        r#"execve("/usr/bin/git", ["git", "x"], 0x7ff /* 3 vars */) = 0"#,
        r#"execve("./run.sh", ["./run.sh"], 0x7ff /* 3 vars */) = -1 ENOENT (No such file)"#,
        r#"openat(AT_FDCWD</c>, "a", O_RDONLY|O_CLOEXEC) = 3</c/a>"#,
        r#"openat(AT_FDCWD</c>, "link", O_RDONLY|O_CLOEXEC) = 3</elsewhere>"#,
        r#"openat(AT_FDCWD</c>, "b", O_WRONLY|O_CREAT, 0666) = 3</c/b>"#,
        r#"openat(AT_FDCWD</c>, "/d\"", O_RDWR) = 3</d">"#,
        r#"openat(AT_FDCWD</c>, "/dev/null", O_RDWR) = 3</dev/null>"#,
        r#"openat(7</e>, "f", O_WRONLY|O_CREAT, 0666) = -1 EACCES (Permission denied)"#,
        r#"mkdir("g", 0777) = 0"#,
        r#"rename("/h", "/i") = 0"#,
        r#"renameat2(AT_FDCWD</c>, "j", 5</k>, "l", RENAME_NOREPLACE) = 0"#,
        r#"unlinkat(6</m>, "n", AT_REMOVEDIR) = 0"#,
        r#"symlink("o", "/p") = 0"#,
        "connect(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(80)}, 16) = -1 ECONNREFUSED",
        "+++ exited with 0 +++",
    ] {
        trace.add(line, folder);
    }
    let programs: Vec<_> = trace.programs.iter().map(|it| it.display().to_string()).collect();
    assert_eq!(programs, ["/usr/bin/git", "/w/./run.sh"]);
    let changed: Vec<_> = trace.changed.iter().map(|it| it.display().to_string()).collect();
    assert_eq!(
        changed,
        ["/c/b", "/c/j", "/d\"", "/h", "/i", "/k/l", "/m/n", "/p", "/w/g", "/w/o"]
    );
    let opened: Vec<_> = trace.opened.iter().map(|it| it.display().to_string()).collect();
    assert_eq!(opened, ["/c/a", "/c/link", "/elsewhere"]);
    assert_eq!(trace.network.len(), 1);
}
