//! Memory that was freed, and that the system's allocator keeps.

/// Has all threads of a process that lives long use the same freed memory.
///
/// glibc keeps freed memory apart for each thread, up to eight pools a core. So a language server that judged one large document on one
/// thread after the other would hold the memory of all of them. How many pools there are is settled where a process begins, by a variable of
/// its environment: this starts the program again in the same process, once, before anything is read or written.
///
/// Returns where that is done, cannot be done, or is settled by the user.
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
    // This comes back only if it fails. More memory is then kept, and all else is the same.
    let _ = again.args(arguments).env(POOLS, "1").exec();
}

/// Other allocators do it by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn share_freed() {}
