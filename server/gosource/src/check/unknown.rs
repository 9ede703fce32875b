//! Finds marker names that controller-gen does not know, and the names that were probably meant.

use std::{borrow::Cow, collections::HashMap};

use super::{
    Known, Problem,
    catalog::{self, Definition, Type},
    comments::Target,
    split::Split,
};

/// The prefix of kubebuilder's own markers.
const OWN: &str = "kubebuilder";

/// Prefixes of markers that controller-gen ignores, because they are for other kubebuilder tools, for forks, or for people.
const OF_OTHERS: [&str; 6] = [
    "openshift:",
    "groupGoName",
    "kubebuilder:scaffold",
    "kubebuilder:docs-gen",
    "kubebuilder:doc",
    "kubebuilder:ac",
];

/// The maximum length of a short name. Short names are similar to too many other names.
const SHORT: usize = 6;

/// A cache of the names that were probably meant by misspelled ones.
pub(super) struct Guesses<'a> {
    pub(super) known: &'a Known<'a>,
    names: HashMap<String, Option<String>>,
}

impl<'a> Guesses<'a> {
    pub(super) fn new(known: &'a Known<'a>) -> Self {
        Self {
            known,
            names: HashMap::new(),
        }
    }

    /// The problem with an unknown name, if it was probably meant as a marker of controller-gen. `belongs` is the kind of its declaration.
    pub(super) fn problem(&mut self, split: &Split<'_>, belongs: Option<Target>) -> Option<Problem> {
        let whole = split.whole.trim_start();
        let blank = split.whole.len() - whole.len();
        let own = self.with_own_prefix(whole);
        let is_of_others = OF_OTHERS.iter().any(|it| own.starts_with(it));
        if is_of_others || self.known.declared.covers(whole) {
            return None;
        }
        let is_own = own.strip_prefix(OWN).is_some_and(|it| it.starts_with(':'));
        let is_at_declaration = matches!(belongs, Some(Target::Field | Target::Type));
        if blank == 0 && own == whole {
            let is_of_package = belongs == Some(Target::Package);
            if let Some(problem) = spaced(split).filter(|_| is_at_declaration || is_of_package) {
                return Some(problem);
            }
            let problem = self.misspelt(whole, is_own, is_at_declaration)?;
            let is_guessed = !matches!(&problem, Problem::Unknown { meant: None, .. });
            if !is_own || is_guessed {
                return Some(problem);
            }
            let named = self.with_argument(whole, split);
            return Some(named.map_or(problem, |(before, meant)| Problem::Unknown {
                name: before.to_owned(),
                has_text: false,
                meant: Some(meant),
            }));
        }
        // In prose, a list item may start with a plus sign, which is followed by a blank.
        let may_be = blank == 0 || is_at_declaration || is_own && belongs.is_some();
        if !may_be || whole.contains([' ', '\t']) {
            return None;
        }
        let meant = match known_part(&own, split) {
            // A single word in prose may look like the name of a marker, but this marker needs a value.
            Some(meant) if !is_own && split.arguments.is_empty() && !meant.arguments.is_empty() => return None,
            Some(meant) => Some(meant.name.to_owned()),
            None if is_own => match self.misspelt(&own, true, is_at_declaration)? {
                Problem::Unknown { meant, .. } => meant,
                _ => None,
            },
            None => return None,
        };
        // Keep the arguments that are named before the first `=`.
        let left = meant.as_ref().and_then(|it| own.strip_prefix(it.as_str()));
        let left = left.map_or(0, str::len);
        Some(Problem::Unknown {
            name: split.whole[..split.whole.len() - left].to_owned(),
            has_text: false,
            meant,
        })
    }

    /// The name with a misspelled or missing prefix `kubebuilder` corrected.
    fn with_own_prefix<'n>(&mut self, name: &'n str) -> Cow<'n, str> {
        let is_new = |name: &str| catalog::definitions(name).is_empty();
        match name.split_once(':') {
            Some((prefix, rest)) if (self.known.meant)(prefix, &mut [OWN].into_iter()).is_some() => {
                Cow::Owned(format!("{OWN}:{rest}"))
            }
            // The prefix may be missing.
            Some((before, _)) if is_new(name) && is_new(before) => {
                let whole = format!("{OWN}:{name}");
                let arguments = OWN.len() + 1 + before.len();
                if is_new(&whole) && is_new(&whole[..arguments]) {
                    Cow::Borrowed(name)
                } else {
                    Cow::Owned(whole)
                }
            }
            _ => Cow::Borrowed(name),
        }
    }

    /// The problem with a name whose prefix is correct.
    fn misspelt(&mut self, whole: &str, is_own: bool, is_at_declaration: bool) -> Option<Problem> {
        let word = whole.split([' ', '\t']).next().unwrap_or_default();
        let has_text = word.len() < whole.len();
        let name = word.trim_end_matches([':', ';', '.', ',']);
        let is_known = !catalog::definitions(name).is_empty() || self.known.declared.covers(name);
        // A sentence may start with a plus sign. In the middle of code, such a sentence is not a marker.
        if has_text && !(is_at_declaration && (is_own || is_known)) {
            return None;
        }
        let with_value = name.rsplit_once(':').and_then(|(name, value)| assigned(name, value));
        let of_same_word = || Some(name).filter(|_| is_own).and_then(of_same_word).map(str::to_owned);
        let meant = if is_known {
            Some(name.to_owned())
        } else {
            with_value.clone().or_else(|| self.near(name)).or_else(of_same_word)
        };
        // Short names may be words of other tools.
        let is_like = |it: &String| it.len() > SHORT && it.contains(':') == name.contains(':');
        let is_value = is_at_declaration && with_value.is_some();
        let is_meant = is_own || is_known || is_value || meant.as_ref().is_some_and(is_like);
        is_meant.then(|| Problem::Unknown {
            name: word.to_owned(),
            has_text: has_text && is_known,
            meant,
        })
    }

    /// Splits a name at its last word, if that is the name of an argument. Returns the text before this word, and the marker that was probably meant
    /// by it. The marker has an argument with that name.
    fn with_argument<'n>(&mut self, whole: &'n str, split: &Split<'_>) -> Option<(&'n str, String)> {
        let (before, argument) = whole.rsplit_once(':').filter(|_| split.name != split.whole)?;
        let takes = |name: &str| {
            let mut arguments = catalog::definitions(name).iter().flat_map(|it| &it.arguments);
            arguments.any(|it| it.name == argument)
        };
        let near = self.near(before).filter(|it| takes(it));
        let meant = near.or_else(|| of_same_word(before).filter(|it| takes(it)).map(str::to_owned))?;
        Some((before, meant))
    }

    fn near(&mut self, name: &str) -> Option<String> {
        if let Some(found) = self.names.get(name) {
            return found.clone();
        }
        let mut names: Vec<&str> = catalog::names().collect();
        names.extend(self.known.declared.names());
        let found = (self.known.meant)(name, &mut names.into_iter()).map(str::to_owned);
        self.names.insert(name.to_owned(), found.clone());
        found
    }
}

/// The problem of a known name and a value with blanks or a colon between them, as in `name = value`, `name: value` and `name value`.
fn spaced(split: &Split<'_>) -> Option<Problem> {
    let end = split.whole.find([' ', '\t'])?;
    let name = split.whole[..end].trim_end_matches(':');
    let value = split.marker[name.len()..].trim_start_matches([' ', '\t', ':', '=']);
    Some(Problem::Unknown {
        name: split.marker.to_owned(),
        has_text: false,
        meant: Some(assigned(name, value)?),
    })
}

/// A marker and its value, if the value fits a marker with this name.
fn assigned(name: &str, value: &str) -> Option<String> {
    let fits = |it: &Definition| match it.arguments.as_slice() {
        [only] if it.is_anonymous() => is_value(&only.r#type, value),
        _ => false,
    };
    let all = catalog::definitions(name);
    if all.iter().any(fits) {
        return Some(format!("{name}={value}"));
    }
    let is_set = value == "true" && all.iter().any(|it| it.arguments.is_empty());
    is_set.then(|| name.to_owned())
}

/// Whether a text is one value of a type.
fn is_value(of: &Type, text: &str) -> bool {
    match of {
        Type::Int => text.parse::<i64>().is_ok(),
        Type::Number => text.parse::<f64>().is_ok_and(f64::is_finite),
        Type::Bool => matches!(text, "true" | "false"),
        Type::Raw => false,
        Type::String | Type::Any | Type::List(_) => !text.is_empty() && !text.contains([' ', '\t']),
    }
}

/// The marker to which a corrected name refers. Arguments in the name are ignored.
fn known_part(name: &str, split: &Split<'_>) -> Option<&'static Definition> {
    let has_value = split.name != split.whole;
    let without = name.rsplit_once(':').map_or(name, |it| it.0);
    let parts = [Some(name), has_value.then_some(without)];
    parts.into_iter().flatten().flat_map(catalog::definitions).next()
}

/// The only marker with the same last word, because the words before it are often wrong. kubebuilder's own markers take precedence over others.
fn of_same_word(name: &str) -> Option<&'static str> {
    let last = |it: &str| it.rsplit(':').next().unwrap_or_default().to_ascii_lowercase();
    let word = last(name);
    let is_like = |it: &&str| !it.starts_with("k8s:") && !it.contains(":items:") && last(it) == word;
    let is_own = |it: &&str| it.strip_prefix(OWN).is_some_and(|it| it.starts_with(':'));
    let (own, others): (Vec<_>, Vec<_>) = catalog::names().filter(is_like).partition(is_own);
    match (own.as_slice(), others.as_slice()) {
        ([only], _) | ([], [only]) => Some(only),
        _ => None,
    }
}
