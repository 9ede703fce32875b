//! Reuse of freed memory that the system's allocator keeps.

/// Makes all threads of a long-lived process use the same freed memory.
///
/// glibc keeps freed memory separate for each thread, in up to eight pools per core. So a language server that checked one large document on
/// several threads in turn would hold the memory of all of them. The number of pools is fixed when a process starts, by an environment
/// variable: this restarts the program in the same process, once, before anything is read or written.
///
/// Returns if this was already done, is impossible, or the user set the variable.
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
    // This returns only if it fails. Then the process keeps more memory; everything else is the same.
    let _ = again.args(arguments).env(POOLS, "1").exec();
}

/// Does nothing: other allocators share freed memory by default.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn share_freed() {}
