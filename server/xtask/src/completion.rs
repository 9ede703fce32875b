//! Measures how often completion offers a word that was deleted at a random position of the corpus, and how fast.

pub(crate) mod corpus;
mod offers;
mod positions;

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use fastrand::Rng;

use corpus::Corpus;
use offers::{Deletion, Trial};
use positions::{Kind, Position};

/// Measure completion on the corpus.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The number of positions.
    #[arg(long, default_value_t = 2_000)]
    positions: usize,
    /// The seed; random by default.
    #[arg(long)]
    seed: Option<u64>,
    /// Print at most this many positions whose word is not offered, or not among the first five.
    #[arg(long, default_value_t = 10)]
    show: usize,
    /// Only positions of this kind: `crd-key`, `crd-value`, `crd-name`, `cr-key`, `cr-value` or `cel`.
    #[arg(long)]
    only: Option<String>,
    /// Take files up to this size in bytes.
    #[arg(long, default_value_t = 4_000_000)]
    max_size: usize,
}

/// The number of words among the items, the number of words among the first five items, and the number of all words.
#[derive(Clone, Copy, Default)]
struct Score {
    offered: usize,
    first_five: usize,
    of: usize,
}

impl Score {
    fn add(&mut self, rank: Option<usize>) {
        self.of += 1;
        self.offered += usize::from(rank.is_some());
        self.first_five += usize::from(rank.is_some_and(|it| it < 5));
    }

    fn shown(self) -> String {
        let percent = |it: usize| 100.0 * it as f64 / self.of.max(1) as f64;
        format!(
            "offered {:>6.2} %  first five {:>6.2} %  of {}",
            percent(self.offered),
            percent(self.first_five),
            self.of
        )
    }
}

/// The required share of words that completion offers at all, and among the first five items.
const OFFERED: f64 = 0.99;
const FIRST_FIVE: f64 = 0.90;

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    println!("seed {seed}");
    let corpus = Corpus::load(args.max_size)?;
    let mut random = Rng::with_seed(seed);
    let mut scores: BTreeMap<(Deletion, Kind), Score> = BTreeMap::new();
    let mut missed: Vec<String> = Vec::new();
    let mut late: Vec<String> = Vec::new();
    let mut refused: Vec<String> = Vec::new();
    let (mut checked, mut found) = (0, 0);
    let mut times = Vec::new();
    while found < args.positions {
        let wanted = Kind::at(found);
        if args.only.as_ref().is_some_and(|it| it != wanted.name()) {
            found += 1;
            continue;
        }
        let Some(position) = Position::random(&corpus, wanted, &mut random) else {
            continue;
        };
        found += 1;
        let cut = position.random_cut(&mut random);
        for deletion in [Deletion::Token, Deletion::Line] {
            let trial = Trial::new(&corpus, &position, cut, deletion);
            times.push(trial.time);
            scores.entry((deletion, wanted)).or_default().add(trial.rank);
            let list = match trial.rank {
                None => &mut missed,
                Some(rank) if rank >= 5 => &mut late,
                Some(_) => continue,
            };
            list.push(trial.describe(&position, cut));
        }
        if let Some(outcome) = offers::check_one(&corpus, &position, &mut random) {
            checked += 1;
            refused.extend(outcome.err());
        }
    }
    let mut is_reached = true;
    for deletion in [Deletion::Token, Deletion::Line] {
        let mut all = Score::default();
        for ((_, kind), score) in scores.iter().filter(|it| it.0.0 == deletion) {
            println!("{:<16} {:<10} {}", deletion.name(), kind.name(), score.shown());
            all.of += score.of;
            all.offered += score.offered;
            all.first_five += score.first_five;
        }
        println!("{:<16} {:<10} {}", deletion.name(), "all", all.shown());
        let share = |it: usize| it as f64 / all.of.max(1) as f64;
        is_reached &= share(all.offered) >= OFFERED && share(all.first_five) >= FIRST_FIVE;
    }
    println!(
        "of {checked} offered items that replaced the word, {} were refused as unknown",
        refused.len()
    );
    println!("time to answer, trees being there: {}", shown(&mut times));
    for (title, list) in [
        ("not offered", &missed),
        ("not among the first five", &late),
        ("refused", &refused),
    ] {
        for it in list.iter().take(args.show) {
            println!("{title}: {it}");
        }
    }
    if args.only.is_none() {
        is_reached &= largest(&corpus, &mut random);
    }
    Ok(is_reached && refused.is_empty())
}

/// Measures times on the largest CRD. Returns whether they are within the limits.
fn largest(corpus: &Corpus, random: &mut Rng) -> bool {
    let Some(file) = corpus.definitions.iter().max_by_key(|it| it.text.len()) else {
        return true;
    };
    let mut times = Vec::new();
    let mut reading = Vec::new();
    for _ in 0..200 {
        let Some(position) = Position::random_in(corpus, file, Kind::CrdKey, random) else {
            continue;
        };
        let cut = position.random_cut(random);
        let start = Instant::now();
        let trial = Trial::new(corpus, &position, cut, Deletion::Line);
        reading.push(start.elapsed().saturating_sub(trial.time));
        times.push(trial.time);
    }
    println!(
        "{} ({} bytes): {}",
        file.path.display(),
        file.text.len(),
        shown(&mut times)
    );
    println!("  and to parse it again: {}", shown(&mut reading));
    percentile(&times, 95) < Duration::from_millis(2)
}

fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    sorted
        .get((sorted.len() * percent / 100).min(sorted.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}

fn shown(times: &mut [Duration]) -> String {
    times.sort();
    let at = |percent| percentile(times, percent).as_secs_f64() * 1_000.0;
    format!(
        "median {:.3} ms, p95 {:.3} ms, p99 {:.3} ms, most {:.3} ms",
        at(50),
        at(95),
        at(99),
        at(100)
    )
}
