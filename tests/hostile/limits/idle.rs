//! Detects when a process is idle.

use std::time::Duration;

/// Waits until a process is idle, which means that none of its threads has run for some time.
pub(crate) fn until_idle(process: u32) {
    const LOOK: Duration = Duration::from_millis(50);
    const LONGEST_PAUSE: Duration = Duration::from_secs(1);
    let mut idle = Duration::ZERO;
    while idle < LONGEST_PAUSE {
        std::thread::sleep(LOOK);
        idle = if is_at_work(process) {
            Duration::ZERO
        } else {
            idle + LOOK
        };
    }
}

/// Whether a thread of a process is running or runnable.
fn is_at_work(process: u32) -> bool {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else {
        return false;
    };
    threads.flatten().any(|it| {
        let text = std::fs::read_to_string(it.path().join("stat")).unwrap_or_default();
        // The process name is in front of the state, and may contain any character.
        let state = text.rsplit_once(')').map(|it| it.1.trim_start());
        state.is_some_and(|it| it.starts_with(['R', 'D']))
    })
}
