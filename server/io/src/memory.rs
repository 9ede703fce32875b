//! Makes threads reuse freed memory that the system's allocator keeps.

/// Makes all threads of a long-lived process use the same freed memory.
///
/// glibc keeps freed memory separate for each thread, in up to eight pools per core. If a language server checks a large document on several threads
/// in turn, each keeps the memory for it. An environment variable sets the number of pools, but only when a process starts. So this function restarts
/// the program once, in the same process, before it reads or writes anything.
///
/// Returns if the program was already restarted, if a restart is impossible, or if the user has set the variable.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn share_freed() {
    use std::os::unix::process::CommandExt as _;

    const POOLS: &str = "MALLOC_ARENA_MAX";
    if std::env::var_os(POOLS).is_some() {
        return;
    }
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    let mut arguments = std::env::args_os();
    let mut again = std::process::Command::new(program);
    if let Some(name) = arguments.next() {
        again.arg0(name);
    }
    // `exec` returns only if it fails. In that case, the process just uses more memory.
    let _ = again.args(arguments).env(POOLS, "1").exec();
}

/// Does nothing, because other allocators share freed memory by default.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn share_freed() {}
