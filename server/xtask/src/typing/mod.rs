//! Measures how stable and helpful the language server is while a person types: deletes parts of real manifests, and types them again key by
//! key like VS Code.

mod editor;
mod outside;
mod popup;
mod snippet;
mod subtrees;
mod typist;

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use fastrand::Rng;
use serde_json::{Value, json};

use crate::{completion::corpus::Corpus, session::EditorSession};
use crd_analyzer_conformance::peers;
use editor::EnterRules;
use subtrees::{Candidates, Kind};
use typist::Typist;

/// Type parts of the corpus.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The number of parts.
    #[arg(long, default_value_t = 200)]
    subtrees: usize,
    /// The seed; random by default.
    #[arg(long)]
    seed: Option<u64>,
    /// Print at most this many cases of each kind.
    #[arg(long, default_value_t = 5)]
    show: usize,
    /// Type only parts of this kind: `property`, `rule`, `version`, `spec` or `field`.
    #[arg(long)]
    only: Option<String>,
    /// Use files up to this size in bytes.
    #[arg(long, default_value_t = 100_000)]
    max_size: usize,
    /// The language server to use, instead of building one.
    #[arg(long)]
    server: Option<PathBuf>,
    /// Simulate VS Code without the Enter rules of the extension.
    #[arg(long)]
    without_enter_rules: bool,
}

/// The counts of all sessions.
#[derive(Default)]
pub(super) struct Stats {
    /// The number of pressed keys, and the number of keys that would be pressed without any completion list.
    keys: usize,
    plain_keys: usize,
    /// The number of keys after which a diagnostic or code lens outside the typed part was lost or moved, or appeared only temporarily.
    lost: usize,
    lost_lenses: usize,
    appeared: usize,
    /// The number of accepted items, and the number of items that damaged the text.
    accepted: usize,
    damaged: usize,
    /// The number of keys to correct the indentation of accepted items.
    corrected: usize,
    /// The number of lists that contained the wanted item, and the number of lists in which it came first.
    offered: usize,
    first: usize,
    /// The number of keys after which a list was shown, the number of unwanted lists, and the number of unwanted lists with words of the document.
    shown: usize,
    unwanted: usize,
    words: usize,
    /// The number of times that a list had to be dismissed to press Enter or Tab.
    escaped: usize,
    times: Vec<Duration>,
    cases: Vec<(&'static str, String)>,
}

impl Stats {
    fn case(&mut self, what: &'static str, case: impl FnOnce() -> String) {
        // Each kind of case is limited, so that a frequent kind leaves space for the others.
        const MOST: usize = 200;
        if self.cases.iter().filter(|it| it.0 == what).count() < MOST {
            self.cases.push((what, case()));
        }
    }
}

/// The client capabilities of VS Code.
pub(crate) fn client() -> Value {
    json!({
        "clientInfo": { "name": "Visual Studio Code" },
        "initializationOptions": { "crd-analyzer": {}, "client": { "triggerSuggest": true, "offersWords": true, "snippetTransforms": true, "showEffectiveObject": true } },
        "capabilities": {
            "general": { "positionEncodings": ["utf-16"] },
            "window": { "workDoneProgress": true },
            "workspace": {
                "diagnostics": { "refreshSupport": true },
                "codeLens": { "refreshSupport": true },
                "applyEdit": true,
            },
            "textDocument": {
                "diagnostic": { "relatedDocumentSupport": false },
                "codeLens": {},
                "completion": {
                    "contextSupport": true,
                    "completionItem": {
                        "snippetSupport": true,
                        "commitCharactersSupport": true,
                        "preselectSupport": true,
                        "insertReplaceSupport": true,
                        "labelDetailsSupport": true,
                        "resolveSupport": { "properties": ["documentation"] },
                        "documentationFormat": ["markdown", "plaintext"],
                        "insertTextModeSupport": { "valueSet": [1, 2] },
                    },
                    "completionItemKind": { "valueSet": [1, 2, 3] },
                },
            },
        },
    })
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let seed = args.seed.unwrap_or_else(|| fastrand::u64(..));
    println!("seed {seed}");
    let corpus = Corpus::load(args.max_size)?;
    let server = match &args.server {
        Some(path) => path.clone(),
        None => peers::analyzer()?,
    };
    let rules = EnterRules::new(!args.without_enter_rules)?;
    let (mut session, _) = EditorSession::start_as(&server, &peers::corpus()?, client())?;
    let mut random = Rng::with_seed(seed);
    let candidates = [Kind::Property, Kind::Rule, Kind::Version, Kind::Spec, Kind::Field]
        .map(|kind| (kind, Candidates::of(&corpus, kind)));
    let mut stats = Stats::default();
    let begin = Instant::now();
    let mut typed = 0;
    for turn in 0.. {
        if typed >= args.subtrees {
            break;
        }
        let kind = Kind::at(turn);
        if args.only.as_ref().is_some_and(|it| it != kind.name()) {
            continue;
        }
        let known = candidates.iter().find(|it| it.0 == kind);
        let Some(subtree) = known.and_then(|it| it.1.random(&corpus, &mut random)) else {
            anyhow::bail!("the corpus has no {}", kind.name());
        };
        typed += 1;
        Typist::new(&mut session, &rules, subtree, typed, &mut stats)?.run()?;
    }
    report(&mut stats, typed, begin.elapsed());
    for what in [
        "lost",
        "lost lens",
        "damaged",
        "appeared",
        "corrected",
        "escaped",
        "unwanted",
        "not first",
    ] {
        let of_kind = stats.cases.iter().filter(|it| it.0 == what);
        for (_, case) in of_kind.take(args.show) {
            println!("{what}: {case}");
        }
    }
    session.end()?;
    Ok(stats.lost == 0 && stats.lost_lenses == 0 && stats.damaged == 0)
}

fn report(stats: &mut Stats, typed: usize, time: Duration) {
    let share = |part: usize, of: usize| format!("{part} of {of} ({:.1} %)", 100.0 * part as f64 / of.max(1) as f64);
    stats.times.sort_unstable();
    let at = |percent: usize| {
        let last = stats.times.len().saturating_sub(1);
        stats
            .times
            .get(last * percent / 100)
            .map_or(0.0, |it| it.as_secs_f64() * 1_000.0)
    };
    println!("{typed} parts in {:.0} s", time.as_secs_f64());
    println!(
        "diagnostics lost or moved wrongly outside of the entry   {}",
        share(stats.lost, stats.keys)
    );
    println!(
        "lenses lost or moved wrongly outside of the entry        {}",
        share(stats.lost_lenses, stats.keys)
    );
    println!(
        "diagnostics that only appeared meanwhile                 {}",
        share(stats.appeared, stats.keys)
    );
    println!(
        "texts damaged by accepted items                          {}",
        share(stats.damaged, stats.accepted)
    );
    println!(
        "keys to put accepted text into its column                {}",
        stats.corrected
    );
    let saved = stats.plain_keys.saturating_sub(stats.keys);
    println!(
        "keys saved                                               {}",
        share(saved, stats.plain_keys)
    );
    println!(
        "wanted items in first place where they are offered       {}",
        share(stats.first, stats.offered)
    );
    println!(
        "unwanted pop-ups                                         {}",
        share(stats.unwanted, stats.shown)
    );
    println!(
        "  of these words of the document                         {}",
        stats.words
    );
    println!(
        "pop-ups in the way of Enter or Tab                       {}",
        stats.escaped
    );
    println!(
        "completion answered: median {:.1} ms, p95 {:.1} ms, p99 {:.1} ms",
        at(50),
        at(95),
        at(99)
    );
}
