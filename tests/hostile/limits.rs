//! What a process may take, as the system counts it: a loaded machine changes nothing about these limits.

use std::process::Command;

/// Megabytes that a process may take.
pub(crate) const MAX_MEMORY: u64 = 256;
/// Seconds of the processor, without optimization. With it an input may take 5.
const MAX_CPU: u64 = 160;
/// Kilobytes of addresses: where memory grows without end, the process ends before the machine does.
const MAX_ADDRESSES: u64 = 3 << 20;

/// The command within limits that the system holds it to.
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

/// The megabytes that a process has taken at most. `None` if it has ended.
pub(crate) fn peak(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    // A process that has ended has no memory, and then no status.
    let line = text.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1024)
}
