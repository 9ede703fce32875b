//! The diagnostics and code lenses outside the entry that is being typed, for comparing two points in time.

use std::collections::BTreeMap;

use serde_json::Value;

/// The lines that are being typed.
#[derive(Clone, Copy)]
pub(super) struct Region {
    /// The number of the last line before the typed lines.
    pub(super) before: usize,
    /// The number of typed lines.
    pub(super) lines: usize,
}

/// Diagnostics or code lenses by name and position. Line numbers after the typed lines are relative to the end of the typed lines.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Outside(BTreeMap<String, usize>);

impl Outside {
    pub(super) fn of(list: &Value, region: Region) -> Self {
        let mut found = BTreeMap::new();
        for it in list.as_array().into_iter().flatten() {
            let start = &it["range"]["start"];
            let line = start["line"].as_u64().unwrap_or_default() as usize;
            let place = if line <= region.before {
                format!("line {}", line + 1)
            } else if line > region.before + region.lines {
                format!("{} lines below", line - region.before - region.lines)
            } else {
                continue;
            };
            let name = format!(
                "{} {} at {place}, column {}",
                it["code"], it["severity"], start["character"]
            );
            *found.entry(name).or_default() += 1;
        }
        Self(found)
    }

    /// The entries that both have.
    pub(super) fn both(&self, other: &Self) -> Self {
        let common = self.0.iter().filter_map(|(name, count)| {
            let other = other.0.get(name)?;
            Some((name.clone(), *count.min(other)))
        });
        Self(common.collect())
    }

    /// The names that occur here more often than in each of the others.
    pub(super) fn without(&self, others: &[&Self]) -> Vec<String> {
        let missing = |name: &&String| {
            let most = others.iter().filter_map(|it| it.0.get(*name)).max();
            self.0[*name] > most.copied().unwrap_or_default()
        };
        self.0.keys().filter(missing).cloned().collect()
    }
}
