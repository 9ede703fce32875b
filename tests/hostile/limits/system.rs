//! Limits of a process that the system enforces. They do not depend on the load of the machine.

use std::process::Command;

/// The maximum memory of a process, in megabytes.
pub(crate) const MAX_MEMORY: u64 = 256;
/// The maximum processor time of a process, in seconds. Without optimizations, a run takes up to 30 times as long.
const MAX_CPU: u64 = if cfg!(debug_assertions) { 160 } else { 10 };
/// The maximum address space in kilobytes. If the memory of a process grows without limit, the process ends before it affects the machine.
const MAX_ADDRESSES: u64 = 3 << 20;

/// The command, with limits enforced by the system.
pub(crate) fn limited(command: &Command) -> Command {
    let mut limited = Command::new("sh");
    let limits = format!("ulimit -t {MAX_CPU} && ulimit -v {MAX_ADDRESSES} && exec \"$0\" \"$@\"");
    limited
        .args(["-c", &limits])
        .arg(command.get_program())
        .args(command.get_args());
    let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    limited.envs(variables);
    if let Some(folder) = command.get_current_dir() {
        limited.current_dir(folder);
    }
    limited
}

/// The peak memory of a process in megabytes; `None` if it has ended.
pub(crate) fn peak(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    // A process that is ending first has no memory, and then no status file.
    let line = text.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1024)
}
