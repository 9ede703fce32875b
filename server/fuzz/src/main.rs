//! Runs a target with libFuzzer. `cargo xtask fuzz` builds and starts it, and configures it with environment variables.
#![no_main]
#![allow(
    clippy::disallowed_methods,
    reason = "the driver measures, and writes down what it has measured"
)]

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::{LazyLock, Mutex, PoisonError},
    time::{Duration, Instant},
};

use crd_analyzer_fuzz::{TARGETS, cases::Cases, dictionary, find, measure::Histogram};
use libfuzzer_sys::fuzz_target;
use peak_alloc::PeakAlloc;
use rustix::time::{ClockId, clock_gettime};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The maximum processor time for an input.
const MOST_TIME: Duration = Duration::from_secs(5);
/// The maximum memory use for an input, in bytes.
const MOST_BYTES: usize = 256 << 20;
/// The interval at which measurements are written to the report.
const INTERVAL: Duration = Duration::from_millis(500);

/// The target that runs all other targets. Each of its inputs starts with the number of a target, so that the targets share their coverage.
const ALL: &str = "all";

/// The target of this process, and its measurements.
struct Run {
    target: fn(&[u8]),
    report: Option<PathBuf>,
    measured: Mutex<Measured>,
}

struct Measured {
    /// The processor time of each input, in nanoseconds.
    time: Histogram,
    /// The peak memory use of each input, in bytes.
    memory: Histogram,
    written: Instant,
}

static RUN: LazyLock<Run> = LazyLock::new(|| {
    let name = env::var("CRD_ANALYZER_FUZZ").unwrap_or_default();
    let target = match find(&name) {
        Some(target) => target.run,
        None if name == ALL => run_any,
        None => panic!("the target {name:?} does not exist"),
    };
    let report = env::var_os("CRD_ANALYZER_FUZZ_REPORT").map(PathBuf::from);
    let [time, memory] = report.as_deref().map(measured_before).unwrap_or_default();
    Run {
        target,
        report,
        measured: Mutex::new(Measured {
            time,
            memory,
            written: Instant::now(),
        }),
    }
});

fuzz_target!(init: prepare(), |bytes: &[u8]| {
    let run = &*RUN;
    MEMORY.reset_peak_usage();
    let (before, begin) = (MEMORY.current_usage(), processor_time());
    (run.target)(bytes);
    let taken = processor_time().saturating_sub(begin);
    let bytes = MEMORY.peak_usage().saturating_sub(before);
    assert!(taken <= MOST_TIME, "took {taken:?}, more than {MOST_TIME:?}");
    assert!(bytes <= MOST_BYTES, "took {bytes} bytes, more than {MOST_BYTES}");
    run.note(taken, bytes);
});

/// If requested, writes the seeds and dictionaries of all targets, and exits.
fn prepare() {
    let Some(folder) = env::var_os("CRD_ANALYZER_FUZZ_PREPARE").map(PathBuf::from) else {
        return;
    };
    let cases = Cases::of_repository();
    for (n, target) in TARGETS.iter().enumerate() {
        let seeds = folder.join(target.name);
        fs::create_dir_all(&seeds).expect("a folder for seeds");
        for (n, seed) in (target.seeds)(&cases).into_iter().enumerate() {
            fs::write(seeds.join(format!("{n:04}")), seed).expect("a seed can be written");
        }
        let words = folder.join(format!("{}.dict", target.name));
        fs::write(words, dictionary(target)).expect("a dictionary can be written");
        // The number of the target is used by the target that runs all others.
        fs::write(folder.join(format!("{}.number", target.name)), [n as u8]).expect("a number can be written");
    }
    std::process::exit(0);
}

fn run_any(bytes: &[u8]) {
    if let Some((number, rest)) = bytes.split_first()
        && let Some(target) = TARGETS.get(usize::from(*number))
    {
        (target.run)(rest);
    }
}

/// The processor time of all threads of this process.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The measurements of earlier runs. The new run adds its measurements to these.
fn measured_before(report: &Path) -> [Histogram; 2] {
    let text = fs::read_to_string(report).unwrap_or_default();
    ["time", "memory"].map(|name| {
        let lines = text.lines().filter_map(|it| it.split_once(' '));
        let mut counts = lines.filter(|it| it.0 == name);
        counts.find_map(|it| it.1.parse().ok()).unwrap_or_default()
    })
}

impl Run {
    fn note(&self, taken: Duration, bytes: usize) {
        let Some(report) = &self.report else { return };
        let mut measured = self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        measured.time.add(taken.as_nanos() as u64);
        measured.memory.add(bytes as u64);
        if measured.written.elapsed() < INTERVAL {
            return;
        }
        measured.written = Instant::now();
        let Measured { time, memory, .. } = &*measured;
        let text = format!(
            "inputs {}\ntime-999 {}\ntime-most {}\nmemory-999 {}\nmemory-most {}\ntime {time}\nmemory {memory}\n",
            time.count(),
            time.all_but(1),
            time.greatest(),
            memory.all_but(1),
            memory.greatest()
        );
        fs::write(report, text).expect("a report can be written");
    }
}
