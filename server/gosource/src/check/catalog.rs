//! The markers that controller-gen knows. `cargo conformance markers` writes the table from controller-gen itself.

use std::{collections::BTreeMap, fmt, sync::LazyLock};

use super::comments::Target;

/// The table of markers. Its columns are the name, the target, the first release with the marker at that target, and the arguments.
const TABLE: &str = include_str!("markers.tsv");

/// A minor release of controller-gen. For example, 21 means 0.21.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Release(pub u8);

impl Release {
    /// The first release in the table.
    pub const OLDEST: Self = Self(16);
    /// The last release in the table.
    pub const NEWEST: Self = Self(23);
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0.{}", self.0)
    }
}

/// The definition of a marker for a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The name of the marker, without the plus sign.
    pub name: &'static str,
    /// The kind of declaration to which the marker applies.
    pub target: Target,
    /// The first release that supports the marker at this target.
    pub since: Release,
    /// The arguments of the marker. If the marker has just a value, a single unnamed argument.
    pub arguments: Vec<Argument>,
}

impl Definition {
    /// Whether the marker has just a value after `=`. The arguments of other markers have names, and begin with a colon.
    pub fn is_anonymous(&self) -> bool {
        matches!(self.arguments.as_slice(), [it] if it.name.is_empty() || it.r#type.is_any())
    }

    /// Whether controller-gen reads the last word of the marker's own name as an argument, because `=` follows it: `a:b=c=1` is the argument `b` of a
    /// marker that takes others.
    pub(super) fn is_assigned(&self, whole: &str, has_equals: bool) -> bool {
        has_equals && whole == self.name && !self.arguments.is_empty() && !self.is_anonymous()
    }
}

/// An argument of a marker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// The name of the argument.
    pub name: String,
    /// Whether the argument may be omitted.
    pub is_optional: bool,
    /// The type of the argument's value.
    pub r#type: Type,
    /// The first release that supports the argument.
    pub since: Release,
}

/// The type of an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// An integer.
    Int,
    /// A number.
    Number,
    /// A string.
    String,
    /// `true` or `false`.
    Bool,
    /// Any value.
    Any,
    /// The rest of the line.
    Raw,
    /// A list of values of a type.
    List(Box<Type>),
}

impl Type {
    /// Whether controller-gen guesses the type of the value or of the items.
    pub(super) fn is_any(&self) -> bool {
        match self {
            Self::Any => true,
            Self::List(of) => of.is_any(),
            _ => false,
        }
    }

    fn read(written: &str) -> Self {
        if let Some(of) = written.strip_prefix("[]") {
            return Self::List(Box::new(Self::read(of)));
        }
        match written.trim_start_matches('*') {
            "int" => Self::Int,
            "float64" => Self::Number,
            "string" => Self::String,
            "bool" => Self::Bool,
            "<raw>" => Self::Raw,
            _ => Self::Any,
        }
    }
}

/// All markers, by name.
static ALL: LazyLock<BTreeMap<&'static str, Vec<Definition>>> = LazyLock::new(|| {
    let mut all: BTreeMap<&'static str, Vec<Definition>> = BTreeMap::new();
    for definition in TABLE.lines().filter_map(row) {
        all.entry(definition.name).or_default().push(definition);
    }
    all
});

fn release(written: &str) -> Option<Release> {
    Some(Release(written.strip_prefix("0.")?.parse().ok()?))
}

fn row(line: &'static str) -> Option<Definition> {
    let mut cells = line.split('\t');
    let name = cells.next()?;
    let target = match cells.next()? {
        "package" => Target::Package,
        "type" => Target::Type,
        "field" => Target::Field,
        _ => return None,
    };
    let since = release(cells.next()?)?;
    let arguments = cells.next().unwrap_or_default();
    let argument = |written: &str| {
        let (written, since) = match written.split_once('@') {
            Some((written, since)) => (written, release(since)?),
            None => (written, since),
        };
        let (name, of) = written.split_once(':')?;
        Some(Argument {
            name: name.trim_end_matches('?').to_owned(),
            is_optional: name.ends_with('?') || of.starts_with('*'),
            r#type: Type::read(of),
            since,
        })
    };
    Some(Definition {
        name,
        target,
        since,
        arguments: arguments.split(' ').filter_map(argument).collect(),
    })
}

/// The definitions of a marker for all targets.
pub fn definitions(name: &str) -> &'static [Definition] {
    ALL.get(name).map_or(&[], Vec::as_slice)
}

/// The names of all markers, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.keys().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_whole() {
        let read: usize = ALL.values().map(Vec::len).sum();
        assert_eq!(read, TABLE.lines().count());
        let rule = &definitions("kubebuilder:validation:XValidation")[0].arguments;
        let needed: Vec<_> = rule
            .iter()
            .filter(|it| !it.is_optional)
            .map(|it| it.name.as_str())
            .collect();
        assert_eq!(needed, ["rule"]);
        assert_eq!(definitions("kubebuilder:validation:MaxItems").len(), 2);
    }
}
