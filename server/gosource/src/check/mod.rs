//! Finds markers that controller-gen silently ignores or rejects.

pub mod about;
pub mod arguments;
pub mod catalog;
pub mod comments;
pub mod declared;
mod declared_types;
pub mod edited;
pub mod escape;
pub mod guessed;
pub mod invalid;
pub mod json;
mod no_kind;
pub mod parts;
pub mod place;
pub mod refused;
pub(crate) mod release;
mod scan;
mod skipped;
mod split;
pub mod types;
mod unknown;
mod without_plus;

use std::{collections::HashMap, ops::Range, sync::Arc};

use arguments::Refused;
use catalog::Release;
use comments::{Comments, Lost, Target, Written};
use declared::Declared;
use invalid::Invalid;
use parts::{Part, Parts};
use split::Split;
pub use types::Types;
use unknown::Guesses;

use tree_sitter::Tree;

use crate::{outline, read::parsed, unclosed};

/// Markers that may occur several times at one declaration.
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

/// The generator of controller-gen that writes Go code. Every kubebuilder project runs it.
const OF_CODE: &str = "object";

/// The begin of the names of markers for controller-gen's other generators, each with the generator. The generator `crd` does not know these markers, so
/// it rejects nothing in them.
const OF_OTHERS: [(&str, &str); 4] = [
    ("k8s:deepcopy-gen", OF_CODE),
    ("kubebuilder:object:", OF_CODE),
    ("kubebuilder:rbac", "rbac"),
    ("kubebuilder:webhook", "webhook"),
];

/// The generator of controller-gen that reads a marker, if it is not the generator of CRDs.
pub fn other_generator(marker: &str) -> Option<&'static str> {
    OF_OTHERS.iter().find(|it| marker.starts_with(it.0)).map(|it| it.1)
}

/// The generator of controller-gen that reads a marker, if a project that has CRDs may not run it.
pub fn optional_generator(marker: &str) -> Option<&'static str> {
    other_generator(marker).filter(|it| *it != OF_CODE)
}

/// Pairs of markers that contradict each other.
const CONTRADICTING: [(&str, &str); 2] = [("required", "optional"), ("k8s:required", "k8s:optional")];

/// A problem with a marker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The span of the problem, in bytes of the file.
    pub span: Range<usize>,
    /// What is wrong with the marker.
    pub problem: Problem,
}

/// The kinds of problems with a marker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// controller-gen does not know the marker.
    Unknown {
        /// The name of the marker, without the plus sign.
        name: String,
        /// Whether the marker is unknown because of text after its name, which becomes part of the name.
        has_text: bool,
        /// The marker that was probably meant: another name, possibly with a value.
        meant: Option<String>,
    },
    /// The marker is known only to later releases of controller-gen.
    Newer {
        /// The name of the marker.
        name: String,
        /// The first release that knows the marker.
        since: Release,
    },
    /// The marker has no effect at this position.
    Misplaced {
        /// The name of the marker.
        name: String,
        /// The kind of declaration to which the marker belongs, or the reason why it belongs to none.
        at: Result<Target, Lost>,
        /// The kinds of declarations at which the marker has an effect.
        fits: Vec<Target>,
    },
    /// The marker has an effect only at kinds, and the type is none.
    NoKind {
        /// The name of the marker.
        name: String,
        /// The name of the type.
        at: String,
        /// The kind that was probably meant.
        kind: Option<String>,
    },
    /// controller-gen rejects the marker's arguments with an error.
    Refused {
        /// The name of the marker.
        name: String,
        /// What is wrong with the arguments.
        problem: arguments::Problem,
        /// The argument that is meant by an unknown one, or by a value without a name.
        meant: Option<String>,
    },
    /// The declaration already has this marker, and only the last one applies.
    Repeated {
        /// The name of the marker.
        name: String,
        /// Whether both markers have the same arguments.
        is_same: bool,
        /// The span of the first marker.
        first: Range<usize>,
    },
    /// Another marker of the same declaration has the opposite meaning.
    Contradicts {
        /// The name of the marker.
        name: String,
        /// The name of the other marker.
        other: String,
        /// The span of the other marker.
        first: Range<usize>,
    },
    /// The marker does not fit the type of its declaration, and controller-gen fails with an error.
    Mismatched {
        /// The name of the marker.
        name: String,
        /// The way in which the marker does not fit.
        mismatch: Mismatch,
    },
    /// Another field of the struct has the same JSON name.
    SameName {
        /// The name in JSON.
        name: String,
        /// The other field.
        same: Same,
    },
    /// The plus sign is missing, so the comment is not a marker.
    WithoutPlus {
        /// The name of the marker that was probably meant.
        name: String,
    },
    /// The version is left out, but another marker of the kind needs it, so that controller-gen fails in some runs.
    Skipped {
        /// The name of the other marker.
        other: String,
        /// The span of the other marker.
        first: Range<usize>,
    },
    /// controller-gen reads a value of the marker in another way than it is probably meant.
    Misread {
        /// The name of the marker.
        name: String,
        /// How it is misread.
        of: Misread,
        /// What to write instead.
        meant: Option<String>,
    },
    /// The JSON tag of a field does not say what is probably meant.
    Tagged(Tagged),
    /// gofmt has replaced two quotes with one typographic quote.
    Quotes {
        /// The quotes that the author wrote.
        meant: &'static str,
    },
}

/// The ways in which controller-gen misreads a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Misread {
    /// Single quotes are a part of the value.
    Quotes,
    /// Several values are one, because they are not separated by semicolons.
    Separators,
    /// Brackets are a part of the values.
    Brackets,
    /// The value is the string `null`.
    Null,
}

/// The mistakes in JSON tags.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tagged {
    /// A field without a name in JSON: controller-gen puts the fields of its type into the struct itself, but Go does not.
    Nameless {
        /// The name of the field in Go.
        go: String,
    },
    /// An option that Go does not know, and ignores.
    Option {
        /// The option.
        written: String,
        /// The option that was probably meant.
        meant: Option<String>,
    },
    /// A name with an option in it, because the comma between them is missing.
    Name {
        /// The name, as Go and controller-gen read it.
        written: String,
        /// The name and the option that are meant.
        meant: String,
    },
}

/// A field with the same JSON name as another field of its struct.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Same {
    /// Both are fields of the struct itself, so `encoding/json` ignores both.
    Beside {
        /// The span of the first one.
        first: Range<usize>,
    },
    /// Both are fields of embedded structs, at the same depth, so `encoding/json` ignores both.
    Embedded {
        /// The span of the type that has the first one.
        first: Range<usize>,
    },
    /// The other one is a field of an embedded struct, so `encoding/json` ignores the other one.
    Inside {
        /// The embedded type, as written.
        within: String,
    },
}

/// The ways in which a marker does not fit the type of its declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// The marker applies only to values of another type.
    Type {
        /// The type to which the marker applies.
        wanted: Wanted,
        /// The type as controller-gen sees it.
        found: Found,
        /// The Go type.
        written: String,
    },
    /// The marker sets a number with a fraction as the limit of an integer.
    Fraction {
        /// The Go type.
        written: String,
    },
    /// The marker applies to the items of a list, but controller-gen sees no list.
    Items {
        /// The Go type.
        written: String,
        /// Whether the list has a named type. If so, the marker belongs to the declaration of that type.
        is_named: bool,
    },
    /// The marker sets list map keys without `+listType=map`.
    Keys,
    /// The value of the marker is not allowed.
    Value {
        /// The allowed values.
        values: &'static [&'static str],
    },
    /// The marker works only on types, although controller-gen knows it for fields.
    OnField,
    /// A text of the marker is not a name and a value with `=` between them.
    Pair {
        /// The text that was probably meant.
        meant: String,
    },
}

/// The types to which a marker applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// Integers and other numbers.
    Number,
    /// Strings.
    Text,
    /// Lists.
    List,
    /// Maps and structs.
    Object,
}

/// A Go type as controller-gen sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// A string.
    Text,
    /// An integer.
    Integer,
    /// `true` or `false`.
    Bool,
    /// A list.
    List,
    /// A map or a struct.
    Object,
    /// A type name that controller-gen does not resolve before it applies the marker.
    Name {
        /// Whether the type is declared in the same package. If so, a marker at its declaration would apply.
        is_local: bool,
    },
    /// A type with a method that determines how it is written in JSON.
    Marshaler,
    /// One of several types.
    Other,
}

/// A function that finds the known name that was probably meant by a misspelled one.
pub type Meant = for<'k> fn(&str, &mut dyn Iterator<Item = &'k str>) -> Option<&'k str>;

/// The context for checking the markers of a file.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The release of controller-gen to check for.
    pub release: Release,
    /// The markers that the project's other tools read.
    pub declared: &'a Declared,
    /// The function that finds the name that was meant by a misspelled one.
    pub meant: Meant,
}

/// Finds the problems with the markers of a Go file.
pub fn find(text: &str, comments: &Comments, known: &Known<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut guesses = Guesses::new(known);
    for marker in &comments.markers {
        let written = text.get(marker.span.clone()).unwrap_or_default();
        let split = Split::of(written);
        quotes(text, marker, &split, &mut found);
        found.extend(one(text, marker, &split, &mut guesses));
    }
    twice(text, &comments.markers, &mut found);
    found.extend(without_plus::find(&comments.types));
    found.extend(no_kind::find(&comments.types));
    found.extend(skipped::find(&comments.types));
    found.sort_by_key(|it| it.span.start);
    found
}

/// Parses the comments of a file, and assigns its markers to declarations.
pub fn read(text: &str) -> Comments {
    let Some(tree) = Some(text).filter(|it| it.contains("//")).and_then(parsed) else {
        return Comments::default();
    };
    read_tree(&tree, text)
}

/// The types that a file declares.
pub fn read_types(text: &str) -> Arc<Types> {
    // Always parse the file, because even a file without comments may declare types.
    outline::parsed(text).map_or_else(Arc::default, |it| read_tree(&it.0, text).types)
}

/// Parses the comments of a file from its syntax tree.
pub(crate) fn read_tree(tree: &Tree, text: &str) -> Comments {
    let mut comments = comments::read(tree.root_node(), text);
    // A marker for the package may be in a comment that is not the documentation of a declaration. It then belongs to the package.
    for marker in &mut comments.markers {
        let split = Split::of(text.get(marker.span.clone()).unwrap_or_default());
        let is_free = marker.belongs == Ok(Target::Type) && !marker.is_documentation;
        if is_free && split.definition(Target::Type).is_none() && split.definition(Target::Package).is_some() {
            marker.belongs = Ok(Target::Package);
            marker.declaration = 0;
        }
    }
    comments.types = Arc::new(declared_types::read(tree.root_node(), text, &comments));
    let invalid = invalid::first(tree.root_node()).map(Invalid::Part);
    let unclosed = unclosed::first(text).map(Invalid::Tag);
    comments.invalid = [unclosed, invalid]
        .into_iter()
        .flatten()
        .min_by_key(|it| it.span().start);
    comments
}

/// The markers of a file that have an effect, each with the kind of its declaration, its name and its span.
pub fn counting(text: &str) -> Vec<(Target, &'static str, Range<usize>)> {
    let of = |marker: Written| {
        let target = marker.belongs.ok()?;
        let definition = Split::of(text.get(marker.span.clone())?).definition(target)?;
        Some((target, definition.name, marker.span))
    };
    read(text).markers.into_iter().filter_map(of).collect()
}

fn one(text: &str, marker: &Written, split: &Split<'_>, guesses: &mut Guesses<'_>) -> Option<Finding> {
    let known = guesses.known;
    let release = known.release;
    let start = marker.span.start + 1;
    let name_span = start..start + split.whole.len();
    let finding = |span: Range<usize>, problem: Problem| Some(Finding { span, problem });
    let all = split.definitions();
    let Some(first) = all.first() else {
        return finding(name_span, guesses.problem(split, marker.belongs.ok())?);
    };
    let name = first.name.to_owned();
    let since = all.iter().map(|it| it.since).min().unwrap_or(Release::OLDEST);
    if since > release {
        if known.declared.covers(split.whole) {
            return None;
        }
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
    let Refused { span, problem } = arguments::refused(definition, release, split)?;
    let begin = marker.span.end - split.arguments.len();
    let span = match &problem {
        arguments::Problem::Equals => begin - 1..begin,
        arguments::Problem::Missing(_) => name_span,
        _ if span.is_empty() => name_span,
        _ => begin + span.start..begin + span.end,
    };
    let parts = Parts::of(text, marker, marker.span.end);
    let meant = match &problem {
        arguments::Problem::Unknown(argument) => {
            let mut free = parts.missing(text, release).map(|it| it.name.as_str());
            (known.meant)(argument, &mut free).map(str::to_owned)
        }
        arguments::Problem::Equals => parts.unnamed(text, release).map(|it| it.name.clone()),
        _ => None,
    };
    finding(span, Problem::Refused { name, problem, meant })
}

/// Finds typographic quotes with which gofmt has replaced two quotes in documentation.
fn quotes(text: &str, marker: &Written, split: &Split<'_>, found: &mut Vec<Finding>) {
    if split.definitions().is_empty() || !split.arguments.contains(OF_GOFMT.map(|it| it.0)) {
        return;
    }
    let parts = Parts::of(text, marker, marker.span.end);
    let values = parts.arguments.iter().filter(|it| !is_text(text, it));
    let places = values.filter_map(|it| it.value.clone()).flat_map(|value| {
        let of_value = OF_GOFMT.into_iter().flat_map({
            let value = value.clone();
            move |(character, meant)| {
                let marks = text[value.clone()].match_indices(character);
                marks.map(move |(at, mark)| (at, mark.len(), meant))
            }
        });
        of_value.map(move |(at, length, meant)| Finding {
            span: value.start + at..value.start + at + length,
            problem: Problem::Quotes { meant },
        })
    });
    found.extend(places.take(MOST_QUOTES));
}

/// The maximum number of typographic quotes to report for one marker. One quick fix corrects all of them.
const MOST_QUOTES: usize = 20;

/// The typographic quotes that gofmt writes, each with the two quotes that it replaces.
const OF_GOFMT: [(char, &str); 2] = [('\u{201C}', "``"), ('\u{201D}', "''")];

/// The names of arguments that contain CEL expressions.
pub const EXPRESSIONS: [&str; 2] = ["rule", "messageExpression"];

/// Whether a value is a quoted string, which may contain any character.
fn is_text(text: &str, part: &Part) -> bool {
    let value = part.value.as_ref().map_or("", |it| &text[it.clone()]);
    let is_expression = part
        .name
        .as_ref()
        .is_some_and(|it| EXPRESSIONS.contains(&&text[it.clone()]));
    value.trim_start().starts_with(['"', '`']) && !is_expression
}

/// Whether the marker may occur several times at one declaration.
fn is_repeatable(name: &str) -> bool {
    REPEATED.contains(&name) || name.contains(":items:") && name.ends_with("XValidation")
}

/// Finds markers that occur twice at one declaration.
fn twice(text: &str, markers: &[Written], found: &mut Vec<Finding>) {
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
        let problem = if let Some(first) = seen.get(&place(definition.name)) {
            if is_repeatable(definition.name) {
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
            span: marker.span.clone(),
            problem,
        });
    }
}

#[cfg(test)]
mod tests;
