//! The markers that controller-gen knows: a table that `cargo conformance markers` writes from controller-gen itself.

use std::{collections::BTreeMap, fmt, sync::LazyLock};

use super::comments::Target;

/// The table: name, target, the first release that has it there, arguments.
const TABLE: &str = include_str!("markers.tsv");

/// A minor release of controller-gen: 21 for 0.21.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Release(pub u8);

impl Release {
    /// The first one that the table knows.
    pub const OLDEST: Self = Self(16);
    /// The last one that the table knows.
    pub const NEWEST: Self = Self(23);
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0.{}", self.0)
    }
}

/// What a marker is at a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// Its name without the plus sign.
    pub name: &'static str,
    /// What it belongs to.
    pub target: Target,
    /// The first release that knows it there.
    pub since: Release,
    /// Its arguments; one without a name if the marker is one value.
    pub arguments: Vec<Argument>,
}

impl Definition {
    /// Whether its arguments are not read here: controller-gen reads them by other rules.
    pub fn is_unread(&self) -> bool {
        self.name.starts_with("k8s:")
    }
}

/// An argument of a marker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// It may be missing.
    pub is_optional: bool,
    /// What its value is.
    pub r#type: Type,
    /// The first release that has it.
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
    /// Whatever somebody writes.
    Any,
    /// The rest of the line.
    Raw,
    /// Several of a type.
    List(Box<Type>),
}

impl Type {
    /// Whether controller-gen guesses the type of the value, or of the items.
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

/// What a marker is at each target.
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
