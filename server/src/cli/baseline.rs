//! `check --baseline`: a file that lists the existing diagnostics of a repository, so that a run only fails because of new ones.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use crd_analyzer_io::{
    escape,
    read::{self, Access},
    write::{self, Replaceable},
};
use crd_analyzer_workspace::{
    config::selection::Selection,
    config::{Config, Level},
    paths::relative,
};
use serde::{Deserialize, Serialize};

use super::UsageError;
use crate::output::{self, BaselineSummary, File};

/// The version of the file format. Each incompatible format has a new number.
const VERSION: u32 = 1;

/// The content of a baseline file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u32,
    diagnostics: Vec<Entry>,
}

/// A diagnostic in a baseline file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The path relative to the folder of the baseline, with `/` as separator.
    file: String,
    code: String,
    /// The SARIF fingerprint, which stays the same when lines move.
    fingerprint: String,
    /// The message, for people who read the file.
    message: String,
}

/// The baseline of a run.
pub(super) struct Baseline {
    path: PathBuf,
    /// The absolute path of the folder that contains the baseline.
    folder: PathBuf,
    /// The listed diagnostics, by file and fingerprint.
    listed: BTreeMap<String, BTreeMap<String, Entry>>,
    /// The files that this run has checked.
    checked: BTreeSet<String>,
    /// The file and fingerprint of each reported diagnostic that the baseline lists.
    known: Vec<(String, String)>,
    /// All diagnostics of the run, if `--update-baseline` is given.
    found: Option<BTreeSet<Entry>>,
    /// The codes that this run hides. The baseline keeps the entries with these codes.
    hidden: Config,
}

impl Baseline {
    /// Reads a baseline. With `updates`, the run writes the file at the end, so it may be missing.
    pub(super) fn read(path: &Path, updates: bool, selection: &Selection) -> anyhow::Result<Self> {
        let name = path.display();
        let absolute = std::path::absolute(path)?;
        let mut listed: BTreeMap<String, BTreeMap<String, Entry>> = BTreeMap::new();
        if read::exists(path) {
            let bytes = read::bytes(path, &Access::Named, Access::Named.manifest_bytes())
                .map_err(|why| anyhow::anyhow!("cannot read the baseline {name}: {why}"))?;
            let written: Written = serde_json::from_slice(&bytes)
                .map_err(|why| UsageError(format!("--baseline {name}: it is not a baseline: {why}")))?;
            if written.version != VERSION {
                let why =
                    "another version of crd-analyzer wrote it: delete it, and write it again with --update-baseline";
                return Err(UsageError(format!("--baseline {name}: {why}")).into());
            }
            for it in written.diagnostics {
                let of_file = listed.entry(it.file.clone()).or_default();
                of_file.insert(it.fingerprint.clone(), it);
            }
        } else if !updates {
            let why = "the file does not exist; --update-baseline writes it";
            return Err(UsageError(format!("--baseline {name}: {why}")).into());
        }
        Ok(Self {
            path: path.to_owned(),
            folder: absolute.parent().map(Path::to_owned).unwrap_or_default(),
            listed,
            checked: BTreeSet::new(),
            known: Vec::new(),
            found: updates.then(BTreeSet::new),
            hidden: selection.applied(&Config::default()),
        })
    }

    /// Removes the diagnostics of a file that the baseline lists or will list. `place` is the absolute path of the file.
    pub(super) fn apply(&mut self, file: &mut File<'_>, place: &Path) {
        let name = relative(place, &self.folder);
        let listed = self.listed.get(&name);
        let (known, found) = (&mut self.known, &mut self.found);
        file.leave_out_baseline(|(fingerprint, earlier), finding| {
            let is_in = |it: &&str| listed.is_some_and(|listed| listed.contains_key(*it));
            let as_listed = [fingerprint].into_iter().chain(earlier.map(String::as_str)).find(is_in);
            let is_listed = as_listed.is_some();
            known.extend(as_listed.map(|it| (name.clone(), it.to_owned())));
            let Some(found) = found else { return is_listed };
            found.insert(Entry {
                file: name.clone(),
                code: finding.code.to_owned(),
                fingerprint: fingerprint.to_owned(),
                message: finding.headline.clone(),
            });
            true
        });
        self.checked.insert(name);
    }

    /// Returns a summary of the baseline, and writes the file for `--update-baseline`. The string is the write error, if any.
    pub(super) fn end(self, replaceable: Replaceable) -> (BaselineSummary, Option<String>) {
        let known: BTreeSet<_> = self.known.iter().collect();
        let is_hidden = |code: &str| self.hidden.rules.get(code) == Some(&Level::Off);
        let mut summary = BaselineSummary {
            known: known.len(),
            ..BaselineSummary::default()
        };
        let mut kept: BTreeSet<Entry> = BTreeSet::new();
        for (file, entries) in &self.listed {
            // Entries of a file that this run did not check stay in the baseline, unless the file no longer exists.
            let is_asked = self.checked.contains(file) || !read::exists(&self.folder.join(file));
            for (fingerprint, entry) in entries {
                if !is_asked || is_hidden(&entry.code) {
                    kept.insert(entry.clone());
                } else if !known.contains(&(file.clone(), fingerprint.clone())) {
                    let Entry { code, message, .. } = entry.clone();
                    summary.gone.push([file.clone(), code, message]);
                }
            }
        }
        let Some(found) = self.found else {
            return (summary, None);
        };
        let new = found.len().saturating_sub(known.len());
        kept.extend(found);
        summary.written = Some((new, kept.len()));
        let failed = write::put(&self.path, text(&kept).as_bytes(), replaceable).err();
        let name = self.path.display().to_string();
        (summary, failed.map(|why| output::unwritten(&name, &why)))
    }
}

/// The content of the baseline file: one diagnostic per line, so that diffs are readable.
fn text(entries: &BTreeSet<Entry>) -> String {
    let mut text = format!("{{\"version\": {VERSION}, \"diagnostics\": [");
    for (n, it) in entries.iter().enumerate() {
        text.push_str(if n == 0 { "\n  " } else { ",\n  " });
        let line = serde_json::to_string(it).unwrap_or_default();
        text.push_str(&escape::json(&line));
    }
    text.push_str(if entries.is_empty() { "]}\n" } else { "\n]}\n" });
    text
}
