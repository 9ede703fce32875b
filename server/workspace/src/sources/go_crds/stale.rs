//! Finds CRDs that are older than the Go types from which they were generated.
//!
//! Scripts may change a CRD after controller-gen has written it, and no file records how. So this module reports only differences that a script is
//! unlikely to make: a field that only the types or only the CRD has, and a value that the types and markers set differently.
//!
//! It ignores a keyword that only the CRD has, such as a pattern, and shortened descriptions. It also ignores a CRD that a script has changed as a
//! whole: more than a few lines are not formatted as controller-gen formats them, or the CRD has annotations or a conversion that no marker sets.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
    path::Path as FilePath,
    sync::Arc,
};

use crd_analyzer_generator::{
    Crd, Generator, Modules, Options,
    node::{Node, Origin, Part},
    settled as settled_parts, yaml,
};
use crd_analyzer_gosource::{
    LISTS, ONLY_MARKERS_SET,
    check::catalog::Release,
    crd_options::{self as options, CrdOptions},
};
use crd_analyzer_syntax::tree::Span;
use serde_json::Value;

use crate::{
    documents::source::SourceText,
    index::GroupKind,
    sources::{
        change::{Path, Segment},
        manifest::{Moves, Place},
    },
    words::stale::What,
};

/// A CRD that is older than the types from which it was generated.
#[derive(Clone, Debug)]
pub(in crate::sources) struct Stale {
    /// The file of the CRD.
    pub(in crate::sources) crd: Arc<SourceText>,
    /// The differences between the CRD and the types. Never empty.
    pub(in crate::sources) older: Vec<Older>,
    /// The first place in the project at which controller-gen fails: the CRD cannot follow the types.
    pub(in crate::sources) refused: Option<Place>,
}

/// A difference that shows that a CRD is older than the types.
#[derive(Clone, Debug)]
pub(in crate::sources) struct Older {
    /// The place in the source file of the field, type or marker.
    pub(in crate::sources) place: Place,
    /// The span in the file of the CRD. If the CRD lacks the value, the span of the part that would contain it.
    pub(in crate::sources) at: Span,
    /// The path in the CRD. If the CRD lacks the value, the path of the part that would contain it.
    pub(in crate::sources) path: Path,
    pub(in crate::sources) what: What,
}

impl Stale {
    /// The differences whose places still exist after a source file has changed. `None` if none of them does.
    pub(in crate::sources) fn after(&self, moves: &Moves) -> Option<Self> {
        let moved = |it: &Older| {
            let place = moves.place(&it.place)?;
            Some(Older { place, ..it.clone() })
        };
        let older: Vec<Older> = self.older.iter().filter_map(moved).collect();
        let crd = self.crd.clone();
        let refused = self.refused.as_ref().and_then(|it| moves.place(it));
        (!older.is_empty()).then_some(Self { crd, older, refused })
    }
}

/// A difference between a CRD in the repository and the CRD that its types generate.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    /// The path in the CRD. If the CRD lacks the value, the path of the part that would contain it.
    pub(super) path: Path,
    /// The place in the project's source files that sets the value.
    pub(super) from: Origin,
    pub(super) what: What,
}

/// Keys whose values prove nothing, because options, other releases of controller-gen, and scripts change them.
const LEFT_OUT: [&str; 5] = [
    "description",
    "status",
    "preserveUnknownFields",
    "creationTimestamp",
    ANNOTATION,
];

/// A property whose schema depends on an option of controller-gen.
const METADATA: &str = "metadata";

/// The keyword that lists the allowed values. Scripts set limits of fields, but rarely such a list.
const ENUM: &str = "enum";

/// The annotation in which controller-gen writes its version.
pub(in crate::sources) const ANNOTATION: &str = "controller-gen.kubebuilder.io/version";

/// The differences that show that a CRD is older than its types. Empty if a script may have made all of them. `declared` is the place that declares
/// the kind, and `root` the folder of the project.
pub(super) fn differences(crd: &Value, made: &Part, (declared, root): (&Origin, &FilePath)) -> Vec<Difference> {
    let mut all = Comparison {
        root,
        path: Path::default(),
        found: Vec::new(),
        is_changed: false,
    };
    all.part(crd, made, declared);
    if all.is_changed { Vec::new() } else { all.found }
}

struct Comparison<'r> {
    root: &'r FilePath,
    path: Path,
    found: Vec<Difference>,
    /// Whether a script changed the CRD.
    is_changed: bool,
}

impl Comparison<'_> {
    fn tell(&mut self, what: What, from: &Origin) {
        self.found.push(Difference {
            path: self.path.clone(),
            from: from.clone(),
            what,
        });
    }

    /// The place from which a part comes, if it is in the project. Otherwise the place from which the enclosing part comes.
    fn own<'o>(&self, part: &'o Part, around: &'o Origin) -> &'o Origin {
        let is_own = |it: &&Origin| {
            let below = it.file.strip_prefix(self.root);
            below.is_ok_and(|it| !it.starts_with("vendor"))
        };
        // Outside of schemas, the parts come from unrelated markers of the kind.
        let is_in_schema =
            (self.path.segments().iter()).any(|it| matches!(it, Segment::Field(name) if name == "schema"));
        let place = if is_in_schema {
            first_place(part)
        } else {
            part.from.as_ref()
        };
        place.filter(is_own).unwrap_or(around)
    }

    /// Adds a value at the current path that only the CRD has. `is_item` says whether it is in a list.
    fn more(&mut self, name: &str, is_item: bool, around: &Origin) {
        let segments = self.path.segments();
        let is_field = |n: usize, key: &str| matches!(segments.get(n), Some(Segment::Field(it)) if it == key);
        if is_field(0, METADATA) || is_field(1, "conversion") {
            self.is_changed |= !is_field(2, ANNOTATION);
            return;
        }
        // Only a marker can set this value, so the marker was removed. Other values may come from a script.
        let is_marked = LISTS.iter().any(|it| it.0 == name) || !is_item && ONLY_MARKERS_SET.contains(&name);
        if is_item && name == ENUM {
            self.tell(What::Other(name.to_owned()), around);
        } else if is_marked || name == ENUM {
            self.tell(What::Gone(name.to_owned()), around);
        }
    }

    fn at(&mut self, segment: Segment, then: impl FnOnce(&mut Self)) {
        self.path.push(segment);
        then(self);
        self.path.pop();
    }

    /// Compares a part. `around` is the place from which the enclosing part comes.
    fn part(&mut self, crd: &Value, made: &Part, around: &Origin) {
        let from = self.own(made, around);
        let (Value::Object(crd), Node::Map(members)) = (crd, &made.node) else {
            if !is_same(crd, &made.to_json()) {
                let name = self.path.segments().iter().rev().find_map(|it| match it {
                    Segment::Field(name) | Segment::Key(name) => Some(name.clone()),
                    Segment::Index(_) => None,
                });
                self.tell(What::Other(name.unwrap_or_default()), from);
            }
            return;
        };
        for (name, crd, made) in beside(crd, members).filter(|it| !LEFT_OUT.contains(&it.0)) {
            match (crd, made) {
                (Some(Value::Object(crd)), Some(made)) if name == "properties" => {
                    self.at(Segment::Field(name.to_owned()), |it| it.properties(crd, made, from));
                }
                (Some(crd), Some(made)) => {
                    self.at(Segment::Field(name.to_owned()), |it| it.member(name, crd, made, from));
                }
                (None, Some(made)) => {
                    let from = self.own(made, from);
                    self.tell(What::Absent(name.to_owned()), from);
                }
                (Some(_), None) => self.at(Segment::Field(name.to_owned()), |it| it.more(name, false, from)),
                (None, None) => {}
            }
        }
    }

    fn properties(&mut self, crd: &serde_json::Map<String, Value>, made: &Part, around: &Origin) {
        let Node::Map(members) = &made.node else { return };
        for (name, crd, made) in beside(crd, members).filter(|it| it.0 != METADATA) {
            match (crd, made) {
                (Some(crd), Some(made)) => self.at(Segment::Field(name.to_owned()), |it| it.part(crd, made, around)),
                (None, Some(made)) => {
                    let from = self.own(made, around);
                    self.tell(What::NewProperty(name.to_owned()), from);
                }
                (Some(_), None) => self.at(Segment::Field(name.to_owned()), |it| {
                    it.tell(What::GoneProperty(name.to_owned()), around);
                }),
                (None, None) => {}
            }
        }
    }

    fn member(&mut self, name: &str, crd: &Value, made: &Part, around: &Origin) {
        let from = self.own(made, around);
        let (Value::Array(crd), Node::List(items)) = (crd, &made.node) else {
            return self.part(crd, made, around);
        };
        if name == "versions" {
            let name_of = |it: &Value| it.get("name").and_then(Value::as_str).map(str::to_owned);
            for item in items {
                let version = name_of(&item.to_json());
                let from = self.own(item, from);
                match crd.iter().position(|it| name_of(it) == version) {
                    Some(at) => self.at(Segment::Index(at), |it| it.part(&crd[at], item, from)),
                    None => self.tell(What::Absent(version.unwrap_or_default()), from),
                }
            }
            return;
        }
        // The order of items may change each time that controller-gen runs, so compare them by value.
        let mut left: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, item) in crd.iter().enumerate().rev() {
            left.entry(key(item)).or_default().push(at);
        }
        let mut changed = 0;
        for item in items {
            if left.get_mut(&key(&item.to_json())).and_then(Vec::pop).is_none() {
                let from = self.own(item, from);
                self.tell(What::Other(name.to_owned()), from);
                changed += 1;
            }
        }
        let mut left: Vec<usize> = left.into_values().flatten().collect();
        left.sort_unstable();
        // The first of these items were changed. The others exist only in the CRD.
        for at in left.into_iter().skip(changed) {
            self.at(Segment::Index(at), |it| it.more(name, true, from));
        }
    }
}

/// The place from which a part comes. If the part only contains others, the place of the first one.
fn first_place(part: &Part) -> Option<&Origin> {
    part.from.as_ref().or_else(|| match &part.node {
        Node::Map(members) => members.iter().find_map(|it| first_place(&it.1)),
        Node::List(items) => items.iter().find_map(first_place),
        Node::Value(_) => None,
    })
}

/// The members of an object in the CRD and in the generated CRD, paired by name.
fn beside<'a>(
    crd: &'a serde_json::Map<String, Value>,
    made: &'a [(String, Part)],
) -> impl Iterator<Item = (&'a str, Option<&'a Value>, Option<&'a Part>)> {
    let made: HashMap<&str, &Part> = made.iter().map(|it| (it.0.as_str(), &it.1)).collect();
    let names: BTreeSet<&str> = crd.keys().map(String::as_str).chain(made.keys().copied()).collect();
    names
        .into_iter()
        .map(move |name| (name, crd.get(name), made.get(name).copied()))
}

/// A key for comparing values: equal values have the same key.
fn key(value: &Value) -> String {
    match value.as_f64() {
        Some(number) => number.to_string(),
        None => value.to_string(),
    }
}

fn is_same(crd: &Value, made: &Value) -> bool {
    crd == made || crd.as_f64().is_some() && crd.as_f64() == made.as_f64()
}

/// The maximum number of lines that differ between the file and controller-gen's output for the same object. People who edit a few lines by hand may
/// format them differently, but scripts format the whole file.
const MOST_BY_HAND: usize = 2;

/// The text before the object, in a file that controller-gen wrote. `None` if a script has written the file again.
pub(super) fn header<'t>(text: &'t str, object: &Value) -> Option<&'t str> {
    let is_before = |it: &str| it.is_empty() || it.starts_with('#') || it == "---";
    let written = yaml::written(object);
    if let Some(header) = text.strip_suffix(&written) {
        return header.lines().map(str::trim_end).all(is_before).then_some(header);
    }
    let before = text.split_inclusive('\n').take_while(|it| is_before(it.trim_end()));
    let (header, object) = text.split_at(before.map(str::len).sum());
    // Ignore the order of lines: a line that was moved by hand is still formatted by controller-gen.
    let mut lines: HashMap<&str, isize> = HashMap::new();
    let all = written
        .lines()
        .map(|it| (it, 1))
        .chain(object.lines().map(|it| (it.trim_end(), -1)));
    for (line, count) in all {
        *lines.entry(line).or_default() += count;
    }
    let others: usize = lines.values().map(|it| it.unsigned_abs()).sum();
    (others <= MOST_BY_HAND).then_some(header)
}

/// The release of controller-gen that wrote a CRD, and its version. `None` if the release is unknown.
pub(super) fn release_of(crd: &Value) -> Option<(Release, &str)> {
    let version = crd.get(METADATA)?.get("annotations")?.get(ANNOTATION)?.as_str()?;
    let minor = version.strip_prefix("v0.")?.split('.').next()?.parse::<u8>().ok()?;
    let release = Some(Release(minor)).filter(|it| (Release::OLDEST..=Release::NEWEST).contains(it))?;
    Some((release, version))
}

/// The CRD of a kind as the types generate it. Some of its lists may have another order each time that controller-gen runs.
#[derive(Debug)]
pub(super) struct Unsettled {
    crd: Crd,
    /// The same CRD with these lists in the opposite order. `None` if their order is certain.
    backward: Option<Crd>,
}

impl Unsettled {
    /// Generates the CRD of a kind. `options` has the options and the release of controller-gen. `None` if some types are unknown, or if the options
    /// are strict and controller-gen fails.
    pub(super) fn new(
        (modules, packages): (&Modules, &[String]),
        of: &GroupKind,
        (options, version): (&Options, &str),
    ) -> Option<Self> {
        let make = |options: &Options| {
            let mut generator = Generator::new(packages, modules, options, Some(version));
            let crd = generator
                .crd(&of.group, &of.kind)
                .filter(|it| !it.object.has_unknown())?;
            let fails = || !generator.refused().is_empty() || !generator.unreadable(&of.group).is_empty();
            let fails = options.is_strict && fails();
            (!fails).then(|| (crd, generator.has_choices()))
        };
        let (crd, has_choices) = make(options)?;
        let backward = if has_choices {
            let backward = Options {
                is_backward: true,
                ..options.clone()
            };
            Some(make(&backward)?.0)
        } else {
            None
        };
        Some(Self { crd, backward })
    }

    /// The CRD, with lists in the order of the existing CRD.
    pub(super) fn settled(&self, before: &Value) -> Cow<'_, Part> {
        let settled = |it: &Crd| settled_parts((&self.crd.object, &it.object), before);
        let backward = self.backward.as_ref().map(settled);
        backward.map_or(Cow::Borrowed(&self.crd.object), Cow::Owned)
    }

    /// The place that declares the kind.
    pub(super) fn declared(&self) -> Option<&Origin> {
        Some(&self.crd.declared.first()?.1)
    }
}

/// The text that controller-gen would write for a CRD if it ran now. Options that the project's commands do not say are taken from the CRD. `None` if
/// some types are unknown, or if controller-gen fails: a working CRD is not replaced by what it writes before it stops.
pub(in crate::sources) fn rewritten(
    of_module: (&Modules, &[String]),
    (of, project): (&GroupKind, &CrdOptions),
    (text, before): (&str, &Value),
) -> Option<String> {
    let (release, version) = release_of(before)?;
    let is_on = |name: &str, before: &dyn Fn() -> bool| project.is_on(name).unwrap_or_else(before);
    let options = Options {
        allows_dangerous_types: true,
        // Where the option is unknown, such a field is not an error.
        leaves_out_unexported: is_on("ignoreUnexportedFields", &|| true),
        has_embedded_metadata: is_on("generateEmbeddedObjectMeta", &|| has_embedded_metadata(before)),
        max_description: match project.get("maxDescLen") {
            options::Value::Given(length) => length.parse().ok(),
            options::Value::Default => None,
            options::Value::Unknown => (!has_descriptions(before)).then_some(0),
        },
        preserves_unknown_fields: before
            .get("spec")?
            .get("preserveUnknownFields")
            .and_then(Value::as_bool),
        ..Options::of(release)
    };
    let made = Unsettled::new(of_module, of, (&options, version))?;
    let made = made.settled(before).to_json();
    let is_known = !matches!(project.get("maxDescLen"), options::Value::Unknown);
    if !is_known && shortens(before, &made) {
        return None;
    }
    Some(format!("{}{}", header(text, before)?, yaml::written(&made)))
}

/// Whether the metadata of an embedded object has a schema with properties.
fn has_embedded_metadata(schema: &Value) -> bool {
    any(schema, &|key, it| key == METADATA && it.get("properties").is_some())
}

/// Whether a schema of the CRD has a description. Columns have descriptions of their own, which no option leaves out.
fn has_descriptions(crd: &Value) -> bool {
    let versions = crd
        .get("spec")
        .and_then(|it| it.get("versions"))
        .and_then(Value::as_array);
    let mut schemas = versions.into_iter().flatten().filter_map(|it| it.get("schema"));
    schemas.any(|it| any(it, &|key, it| key == "description" && it.is_string()))
}

/// Whether the CRD has only the begin of a description, because an option of controller-gen limits their length.
fn shortens(before: &Value, made: &Value) -> bool {
    match (before, made) {
        (Value::Object(before), Value::Object(made)) => before.iter().any(|(key, it)| match (it, made.get(key)) {
            (Value::String(it), Some(Value::String(made))) if key == "description" => {
                made.len() > it.len() && made.starts_with(it.trim_end_matches('.'))
            }
            (it, Some(made)) => shortens(it, made),
            (_, None) => false,
        }),
        (Value::Array(before), Value::Array(made)) => before.iter().zip(made).any(|it| shortens(it.0, it.1)),
        _ => false,
    }
}

fn any(value: &Value, is_it: &dyn Fn(&str, &Value) -> bool) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(key, it)| is_it(key, it) || any(it, is_it)),
        Value::Array(items) => items.iter().any(|it| any(it, is_it)),
        _ => false,
    }
}
