//! Markers that controller-gen passes over in silence, or refuses.

pub mod arguments;
pub mod catalog;
pub mod comments;
pub(crate) mod release;

use std::{collections::HashMap, ops::Range};

use arguments::Refused;
use catalog::{Definition, Release};
use comments::{Lost, Target, Written};

use crate::read::parsed;

/// What begins the names of kubebuilder's own markers.
const OWN: &str = "kubebuilder:";

/// Names that kubebuilder's other tools read, or people: controller-gen has nothing to do with them.
const OF_OTHERS: [&str; 5] = [
    "groupGoName",
    "kubebuilder:scaffold",
    "kubebuilder:docs-gen",
    "kubebuilder:doc",
    "kubebuilder:ac",
];

/// Markers that may be at one place several times.
const REPEATED: [&str; 14] = [
    "kubebuilder:validation:XValidation",
    "kubebuilder:validation:AtLeastOneOf",
    "kubebuilder:validation:AtMostOneOf",
    "kubebuilder:validation:ExactlyOneOf",
    "kubebuilder:printcolumn",
    "kubebuilder:selectablefield",
    "kubebuilder:metadata",
    "kubebuilder:rbac",
    "kubebuilder:webhook",
    "kubebuilder:webhookconfiguration",
    "listMapKey",
    "k8s:listMapKey",
    "k8s:deepcopy-gen",
    "k8s:deepcopy-gen:interfaces",
];

/// Pairs of markers that contradict each other.
const CONTRADICTING: [(&str, &str); 2] = [("required", "optional"), ("k8s:required", "k8s:optional")];

/// Something about a marker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Where, in bytes of the file.
    pub span: Range<usize>,
    /// What it is.
    pub problem: Problem,
}

/// What is wrong with a marker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// controller-gen does not know it.
    Unknown {
        /// Its name without the plus sign.
        name: String,
        /// Text behind the name makes it another name.
        has_text: bool,
        /// What is probably meant: another name, perhaps with a value.
        meant: Option<String>,
    },
    /// No release before this one knows it.
    Newer {
        /// Its name.
        name: String,
        /// The first release that does.
        since: Release,
    },
    /// It does nothing there.
    Misplaced {
        /// Its name.
        name: String,
        /// Where it is, or why it belongs to nothing.
        at: Result<Target, Lost>,
        /// Where it may be.
        fits: Vec<Target>,
    },
    /// controller-gen ends with an error.
    Refused {
        /// Its name.
        name: String,
        /// What is refused.
        problem: arguments::Problem,
    },
    /// It is there twice, and the last one counts.
    Repeated {
        /// Its name.
        name: String,
        /// Both say the same.
        is_same: bool,
        /// The first one.
        first: Range<usize>,
    },
    /// Another marker of the same field says the opposite.
    Contradicts {
        /// Its name.
        name: String,
        /// The other one.
        other: String,
        /// Where that is.
        first: Range<usize>,
    },
    /// gofmt made one character of two quotes.
    Quotes {
        /// What was written.
        meant: &'static str,
    },
}

/// The name of a marker as controller-gen splits it, and its arguments.
struct Split<'a> {
    /// Without the last word.
    name: &'a str,
    /// With it.
    whole: &'a str,
    arguments: &'a str,
}

impl<'a> Split<'a> {
    fn of(marker: &'a str) -> Self {
        let marker = marker.strip_prefix('+').unwrap_or(marker);
        let Some((whole, arguments)) = marker.split_once('=') else {
            return Self {
                name: marker,
                whole: marker,
                arguments: "",
            };
        };
        Self {
            name: whole.rsplit_once(':').map_or(whole, |it| it.0),
            whole,
            arguments,
        }
    }

    /// What it is at a target.
    fn definition(&self, target: Target) -> Option<&'static Definition> {
        let of = |name: &str| catalog::definitions(name).iter().find(|it| it.target == target);
        of(self.whole).or_else(|| of(self.name))
    }

    /// Everything that it is somewhere.
    fn definitions(&self) -> &'static [Definition] {
        match catalog::definitions(self.whole) {
            [] => catalog::definitions(self.name),
            found => found,
        }
    }
}

/// What is wrong with the markers of a Go file, for a release of controller-gen. `is_known`: markers that other tools of the project read.
/// `meant`: which of several names somebody probably meant by another.
pub fn find(
    text: &str,
    release: Release,
    is_known: &dyn Fn(&str) -> bool,
    meant: &dyn Fn(&str, &mut dyn Iterator<Item = &'static str>) -> Option<&'static str>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    let markers = markers(text);
    for marker in &markers {
        let written = text.get(marker.span.clone()).unwrap_or_default();
        let split = Split::of(written);
        quotes(written, &split, marker.span.start, &mut found);
        if is_known(split.whole) {
            continue;
        }
        found.extend(one(marker, &split, release, meant));
    }
    twice(text, markers, &mut found);
    found.sort_by_key(|it| it.span.start);
    found
}

/// The markers of a file, and what they belong to.
pub fn markers(text: &str) -> Vec<Written> {
    let Some(tree) = Some(text).filter(|it| it.contains('+')).and_then(parsed) else {
        return Vec::new();
    };
    let mut markers = comments::markers(tree.root_node(), text);
    // What looks like a marker of type-level in comments that are no documentation may belong to the package.
    for marker in &mut markers {
        let split = Split::of(text.get(marker.span.clone()).unwrap_or_default());
        let is_free = marker.belongs == Ok(Target::Type) && !marker.is_documentation;
        if is_free && split.definition(Target::Type).is_none() && split.definition(Target::Package).is_some() {
            marker.belongs = Ok(Target::Package);
            marker.declaration = 0;
        }
    }
    markers
}

/// The markers of a file that count: what they belong to, their names, and where they are.
pub fn counting(text: &str) -> Vec<(Target, &'static str, Range<usize>)> {
    let of = |marker: Written| {
        let target = marker.belongs.ok()?;
        let definition = Split::of(text.get(marker.span.clone())?).definition(target)?;
        Some((target, definition.name, marker.span))
    };
    markers(text).into_iter().filter_map(of).collect()
}

/// Whether the arguments of a marker are not read here.
pub fn is_unread(text: &str, marker: &Written) -> bool {
    let split = Split::of(text.get(marker.span.clone()).unwrap_or_default());
    let definition = marker.belongs.ok().and_then(|it| split.definition(it));
    definition.is_some_and(Definition::is_unread)
}

fn one(
    marker: &Written,
    split: &Split<'_>,
    release: Release,
    meant: &dyn Fn(&str, &mut dyn Iterator<Item = &'static str>) -> Option<&'static str>,
) -> Option<Finding> {
    let start = marker.span.start + 1;
    let name_span = start..start + split.whole.len();
    let finding = |span: Range<usize>, problem: Problem| Some(Finding { span, problem });
    let all = split.definitions();
    let Some(first) = all.first() else {
        let is_at_declaration = matches!(marker.belongs, Ok(Target::Field | Target::Type));
        let problem = unknown(split, is_at_declaration, meant)?;
        return finding(name_span, problem);
    };
    let name = first.name.to_owned();
    let since = all.iter().map(|it| it.since).min().unwrap_or(Release::OLDEST);
    if since > release {
        return finding(name_span, Problem::Newer { name, since });
    }
    let definition = marker.belongs.ok().and_then(|it| split.definition(it));
    let Some(definition) = definition.filter(|it| it.since <= release) else {
        let fits = all
            .iter()
            .filter(|it| it.since <= release)
            .map(|it| it.target)
            .collect();
        let at = marker.belongs;
        return finding(name_span, Problem::Misplaced { name, at, fits });
    };
    if definition.is_unread() {
        return None;
    }
    let has_named = definition.name != split.whole;
    let named = has_named
        .then(|| split.whole.rsplit(':').next())
        .flatten()
        .map(str::trim);
    let Refused { span, problem } = arguments::refused(definition, release, named, split.arguments)?;
    let begin = marker.span.end - split.arguments.len();
    let is_whole = matches!(problem, arguments::Problem::Missing(_)) || span.is_empty();
    let span = if is_whole {
        name_span
    } else {
        begin + span.start..begin + span.end
    };
    finding(span, Problem::Refused { name, problem })
}

/// What an unknown name is, if somebody meant a marker of controller-gen by it.
fn unknown(
    split: &Split<'_>,
    is_at_declaration: bool,
    meant: &dyn Fn(&str, &mut dyn Iterator<Item = &'static str>) -> Option<&'static str>,
) -> Option<Problem> {
    if OF_OTHERS.iter().any(|it| split.whole.starts_with(it)) {
        return None;
    }
    let word = split.whole.split([' ', '\t']).next().unwrap_or_default();
    let has_text = word.len() < split.whole.len();
    let name = word.trim_end_matches([':', ';', '.', ',']);
    let is_own = split.whole.starts_with(OWN);
    let is_known = !catalog::definitions(name).is_empty();
    // A sentence may begin with a plus sign, and one in the middle of code is nobody's marker.
    if has_text && !(is_at_declaration && (is_own || is_known)) {
        return None;
    }
    let with_value = || {
        let (name, value) = name.rsplit_once(':')?;
        let takes_value = catalog::definitions(name).iter().any(|it| !it.arguments.is_empty());
        takes_value.then(|| format!("{name}={value}"))
    };
    let near = || meant(name, &mut catalog::names()).map(str::to_owned);
    let meant = if is_known {
        Some(name.to_owned())
    } else {
        with_value().or_else(near)
    };
    // Short names are words of other tools, too.
    let is_like = |it: &String| it.len() > SHORT && it.contains(':') == name.contains(':');
    let is_meant = is_own || is_known || meant.as_ref().is_some_and(is_like);
    is_meant.then(|| Problem::Unknown {
        name: word.to_owned(),
        has_text: has_text && is_known,
        meant,
    })
}

/// Names of so many letters are near to too many others.
const SHORT: usize = 6;

/// Quotes that gofmt made one character of: it takes two quotes in documentation for those of a typewriter.
fn quotes(written: &str, split: &Split<'_>, start: usize, found: &mut Vec<Finding>) {
    if split.definitions().is_empty() {
        return;
    }
    let begin = start + written.len() - split.arguments.len();
    for (at, character) in split.arguments.char_indices() {
        let meant = match character {
            '\u{201C}' => "``",
            '\u{201D}' => "''",
            _ => continue,
        };
        found.push(Finding {
            span: begin + at..begin + at + character.len_utf8(),
            problem: Problem::Quotes { meant },
        });
    }
}

/// Markers that are at one declaration twice.
fn twice(text: &str, markers: Vec<Written>, found: &mut Vec<Finding>) {
    let mut seen: HashMap<(usize, &'static str), Range<usize>> = HashMap::new();
    for marker in markers {
        let Ok(target) = marker.belongs else { continue };
        let written = text.get(marker.span.clone()).unwrap_or_default();
        let split = Split::of(written);
        let Some(definition) = split.definition(target).filter(|_| target != Target::Package) else {
            continue;
        };
        let place = |name| (marker.declaration, name);
        let opposite = CONTRADICTING.iter().find_map(|(one, other)| match definition.name {
            name if name == *one => Some(*other),
            name if name == *other => Some(*one),
            _ => None,
        });
        let name = definition.name.to_owned();
        let of_items = definition.name.contains(":items:");
        let problem = if let Some(first) = seen.get(&place(definition.name)) {
            if REPEATED.contains(&definition.name) || of_items && definition.name.ends_with("XValidation") {
                continue;
            }
            let first = first.clone();
            let is_same = text.get(first.clone()) == Some(written);
            Problem::Repeated { name, is_same, first }
        } else if let Some((other, first)) = opposite.and_then(|it| Some((it, seen.get(&place(it))?))) {
            Problem::Contradicts {
                name,
                other: other.to_owned(),
                first: first.clone(),
            }
        } else {
            seen.insert(place(definition.name), marker.span.clone());
            continue;
        };
        found.push(Finding {
            span: marker.span,
            problem,
        });
    }
}

#[cfg(test)]
mod tests;
