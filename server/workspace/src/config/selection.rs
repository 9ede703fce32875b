//! Which diagnostics the command line selects: `--select` and `--ignore`.

use std::str::FromStr;

use crate::{
    codes::{self, OFF_BY_DEFAULT},
    config::{Config, Level},
};

/// The word that selects all codes.
const ALL: &str = "all";

/// A code, or the first words of codes, as written on the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selector {
    word: String,
    /// Whether the word is the full name of a code, and not the first words of several codes.
    is_code: bool,
}

impl Selector {
    fn covers(&self, code: &str) -> bool {
        if self.is_code || self.word == ALL {
            return self.word == ALL || self.word == code;
        }
        code.strip_prefix(self.word.as_str())
            .is_some_and(|rest| rest.starts_with('-'))
    }

    /// How specific the selector is. If several selectors match a code, the most specific one applies.
    fn exactness(&self) -> usize {
        if self.word == ALL { 0 } else { self.word.len() }
    }
}

impl FromStr for Selector {
    type Err = String;

    /// Parses a code, the first words of codes, or `all`. For example, `unknown` selects `unknown-field`, `unknown-type` and others.
    fn from_str(text: &str) -> Result<Self, String> {
        let word = text.trim();
        let is_code = codes::find(word).is_some();
        let selector = Self {
            // `unknown-` and `unknown-*` mean the same as `unknown`.
            word: if is_code {
                word.to_owned()
            } else {
                word.trim_end_matches('*').trim_end_matches('-').to_owned()
            },
            is_code,
        };
        if is_code || selector.word == ALL || codes::all().iter().any(|it| selector.covers(it.name)) {
            return Ok(selector);
        }
        let meant = codes::nearest(word).map_or_else(
            || "`crd-analyzer explain` lists the codes".to_owned(),
            |it| format!("did you mean `{it}`?"),
        );
        Err(format!(
            "no diagnostic code is `{word}` or begins with `{word}-`; {meant}"
        ))
    }
}

/// The diagnostics that a run shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection {
    /// The codes to show. If empty, all are shown.
    pub selected: Vec<Selector>,
    /// The codes to hide.
    pub ignored: Vec<Selector>,
}

impl Selection {
    /// Whether the selection leaves the configuration unchanged.
    pub fn is_empty(&self) -> bool {
        self.selected.is_empty() && self.ignored.is_empty()
    }

    /// The configuration after applying this selection. A selected code is shown even if it is off by default. If it is selected by its full name, it
    /// is shown even if the configuration turns it off.
    #[must_use]
    pub fn applied(&self, config: &Config) -> Config {
        let mut config = config.clone();
        let best = |selectors: &[Selector], code: &str| {
            let covering = selectors.iter().filter(|it| it.covers(code));
            covering.max_by_key(|it| it.exactness()).cloned()
        };
        for code in codes::all().iter().map(|it| it.name) {
            let selected = best(&self.selected, code);
            let ignored = best(&self.ignored, code);
            let is_shown = match (&selected, &ignored) {
                (Some(selected), Some(ignored)) => selected.exactness() > ignored.exactness(),
                (selected, None) => selected.is_some() || self.selected.is_empty(),
                (None, Some(_)) => false,
            };
            if !is_shown {
                config.rules.insert(code.to_owned(), Level::Off);
                continue;
            }
            let Some(selector) = selected else { continue };
            if selector.is_code && config.rules.get(code) == Some(&Level::Off) {
                config.rules.remove(code);
            }
            if OFF_BY_DEFAULT.contains(&code) {
                config.rules.entry(code.to_owned()).or_insert(Level::Info);
            }
        }
        config
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(selected: &[&str], ignored: &[&str]) -> Selection {
        let read = |words: &[&str]| words.iter().map(|it| it.parse().expect("a selector")).collect();
        Selection {
            selected: read(selected),
            ignored: read(ignored),
        }
    }

    #[test]
    fn the_more_exact_word_decides() {
        for (selected, ignored, shown, hidden) in [
            (&[][..], &[][..], &["unknown-field", "wrong-type"][..], &[][..]),
            (
                &["wrong-type"],
                &[],
                &["wrong-type"],
                &["unknown-field", "missing-type"],
            ),
            (&["unknown"], &[], &["unknown-field", "unknown-type"], &["wrong-type"]),
            (
                &["unknown-*"],
                &["unknown-field"],
                &["unknown-type"],
                &["unknown-field"],
            ),
            (&["unknown-field"], &["unknown"], &["unknown-field"], &["unknown-type"]),
            (&[], &["all"], &[], &["wrong-type"]),
            (&["wrong-type"], &["wrong-type"], &[], &["wrong-type"]),
            (&["wrong-type"], &["all"], &["wrong-type"], &["unknown-field"]),
        ] {
            let config = selection(selected, ignored).applied(&Config::default());
            let is_off = |code: &&str| config.rules.get(*code) == Some(&Level::Off);
            assert!(!shown.iter().any(is_off), "{selected:?} {ignored:?}");
            assert!(hidden.iter().all(is_off), "{selected:?} {ignored:?}");
        }
    }

    #[test]
    fn what_is_off_is_shown_where_it_is_selected() {
        let config = Config::parse("rules: {wrong-type: off, unknown-field: off}").expect("valid");
        let applied = selection(&["all", "wrong-type"], &[]).applied(&config);
        assert_eq!(applied.rules.get("wrong-type"), None);
        assert_eq!(applied.rules.get("unknown-field"), Some(&Level::Off));
        assert_eq!(applied.rules.get(OFF_BY_DEFAULT[0]), Some(&Level::Info));
    }

    #[test]
    fn a_misspelt_code_is_an_error() {
        let error = "unknown-feild".parse::<Selector>().expect_err("misspelt");
        assert!(error.ends_with("did you mean `unknown-field`?"), "{error}");
        assert!("unk".parse::<Selector>().is_err() && "".parse::<Selector>().is_err());
    }
}
