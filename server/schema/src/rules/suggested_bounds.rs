//! Which bounds a schema lacks that would bring an expensive rule below its limit.
//!
//! This is advice of our own: the API server only says that a rule is too expensive.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use crd_analyzer_cel::ast::ExprKind;
use crd_analyzer_cel::cost::{SizeEstimate, SizeEstimator, estimate};
use crd_analyzer_cel::decls::{Environment, ExpressionSet};
use crd_analyzer_cel::types::{DeclKind, DeclType, Type, unescape};

use super::Expression;
use crate::KubernetesVersion;
use crate::structural::Structural;

/// A bound that a schema does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingBound {
    /// From the node with the rule to the schema that lacks the bound.
    pub path: Vec<SchemaStep>,
    /// `maxItems`, `maxProperties` or `maxLength`.
    pub keyword: &'static str,
    /// With this value (and those of the other bounds) the rule fits.
    pub suggested: i64,
    /// The largest value with which it does, if the other bounds are as suggested.
    pub largest: i64,
}

/// A step down in a schema.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SchemaStep {
    /// `properties[name]`
    Property(String),
    /// `items`
    Items,
    /// `additionalProperties`
    Values,
}

/// How often an expression may be evaluated for one object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// As it is: the product of all bounds above, or how many of the smallest values fit into a request.
    pub cardinality: u64,
    /// Lists and maps above that have no bound.
    pub unbounded: u32,
    /// The product of the bounds of the others.
    pub bounded: u64,
}

impl Occurrence {
    /// It is evaluated this often, and nothing above can change that.
    pub const fn fixed(cardinality: u64) -> Self {
        Self {
            cardinality,
            unbounded: 0,
            bounded: cardinality,
        }
    }

    /// How often if all lists and maps above that have no bound get this one.
    fn with(self, bound: Option<i64>) -> u64 {
        match bound {
            Some(bound) => self
                .bounded
                .saturating_mul((bound.max(0) as u64).saturating_pow(self.unbounded)),
            None => self.cardinality,
        }
    }
}

/// Bounds that together bring an expression below its limit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SuggestedBounds {
    /// For schemas of what the expression looks at.
    pub bounds: Vec<MissingBound>,
    /// For each list and map above that has no bound: what is suggested, and the largest that does.
    pub above: Option<(i64, i64)>,
}

/// How much may still be tried. Advice is worth some time, but not any: schemas can be such that there is much to try and little to find.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effort(Cell<u64>);

impl Effort {
    /// So many parts of expressions or schemas may be looked at, one as often as it is.
    pub const fn new(parts: u64) -> Self {
        Self(Cell::new(parts))
    }

    /// Takes as much of it; false if there is not as much left.
    pub fn spend(&self, parts: usize) -> bool {
        let left = self.0.get().checked_sub(parts as u64);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// Bounds of elements, the most generous first.
const ELEMENTS: [i64; 12] = [1024, 512, 256, 128, 100, 64, 32, 16, 10, 8, 4, 2];
/// The longest string that is proposed.
const LONGEST: i64 = 4096;
/// Lists with fewer elements have little room.
const ROOM: i64 = 64;

/// Numbers of elements and lengths that are tried, the first that suffice win: long lists as long as strings may have names of hosts, then
/// shorter ones of both.
const TRIED: [(&[i64], &[i64]); 3] = [
    (&[1024, 512, 256, 128, 100, 64], &[4096, 1024, 253]),
    (&[100, 64, 32, 16, 10], &[253, 63, 32]),
    (&[8, 4, 2], &[63, 32, 16, 8]),
];
/// Round numbers that people choose.
const ROUND: [i64; 26] = [
    1_000_000, 500_000, 250_000, 100_000, 65_536, 32_768, 16_384, 10_000, 8192, 4096, 2048, 1024, 512, 256, 253, 128,
    100, 64, 63, 32, 20, 16, 10, 8, 5, 4,
];
/// No bound is larger: so many bytes a request has.
const LARGEST: i64 = 3 * 1024 * 1024;

/// The ways to bring an expression below `limit` with bounds that are missing, the best first: bounds of what it looks at, bounds of what
/// lies above, or both. Empty if missing bounds are not what makes it expensive, or the effort is used up before they are found; one empty
/// way if it fits already. `ty`: the type of values of `schema`, which has the rule.
pub fn suggest_bounds(
    schema: Structural<'_>,
    ty: &Arc<DeclType>,
    expression: &Expression,
    version: KubernetesVersion,
    occurrence: Occurrence,
    limit: u64,
    effort: &Effort,
) -> Vec<SuggestedBounds> {
    let solver = Solver {
        schema,
        ty,
        expression,
        version,
        occurrence,
        limit,
        effort,
        found: RefCell::default(),
        called: needed_by_calls(expression),
        formats: RefCell::default(),
    };
    if solver.fits(&BTreeMap::new(), None) {
        return vec![SuggestedBounds::default()];
    }
    let mut ways: Vec<SuggestedBounds> = solver.below(None).into_iter().collect();
    if occurrence.unbounded > 0 {
        let largest = largest_that(|bound| solver.fits(&BTreeMap::new(), Some(bound)));
        let above = largest.map(|largest| SuggestedBounds {
            bounds: Vec::new(),
            above: Some((round(largest).min(ELEMENTS[0]), largest)),
        });
        // Bounds that hardly leave room are the last resort.
        if ways.is_empty() && largest.is_none_or(|it| it < ROOM) {
            ways.extend(solver.balanced());
        }
        ways.extend(above);
    }
    ways
}

/// The largest round number that is not larger.
fn round(bound: i64) -> i64 {
    ROUND.into_iter().find(|it| *it <= bound).unwrap_or(bound)
}

/// The largest bound that holds, if the smallest does.
fn largest_that(holds: impl Fn(i64) -> bool) -> Option<i64> {
    if !holds(1) {
        return None;
    }
    let (mut low, mut high) = (1, LARGEST);
    while low < high {
        let middle = low + (high - low + 1) / 2;
        if holds(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Some(low)
}

/// Bounds by the schemas that get them.
type Bounds = BTreeMap<Vec<SchemaStep>, i64>;

struct Solver<'a> {
    schema: Structural<'a>,
    ty: &'a Arc<DeclType>,
    expression: &'a Expression,
    version: KubernetesVersion,
    occurrence: Occurrence,
    limit: u64,
    effort: &'a Effort,
    /// The schemas without bound whose size was asked for.
    found: RefCell<BTreeMap<Vec<SchemaStep>, &'static str>>,
    /// The characters that the texts of a function need which the expression calls.
    called: Option<i64>,
    /// The same of the formats of the schemas in `found`.
    formats: RefCell<BTreeMap<Vec<SchemaStep>, i64>>,
}

impl Solver<'_> {
    fn fits(&self, bounds: &Bounds, above: Option<i64>) -> bool {
        if !self.effort.spend(self.expression.checked.ast.len()) {
            return false;
        }
        let features = Environment::of(self.version, ExpressionSet::Stored).features();
        let sizes = Bounded { solver: self, bounds };
        let once = estimate(&self.expression.checked, features, &sizes).max;
        once.saturating_mul(self.occurrence.with(above)) <= self.limit
    }

    /// Bounds of what lies above and of what the expression looks at that leave about as much room to both.
    fn balanced(&self) -> Option<SuggestedBounds> {
        let mut all = ELEMENTS
            .into_iter()
            .filter_map(|elements| Some((elements, self.below(Some(elements))?)));
        let first = all.next()?;
        let is_even = |(above, fit): &(i64, SuggestedBounds)| {
            let lists = fit.bounds.iter().filter(|it| it.keyword != "maxLength");
            lists.map(|it| it.suggested).min().is_none_or(|it| it >= above / 4)
        };
        let even = std::iter::once(first.clone()).chain(all).find(is_even);
        even.or(Some(first)).map(|it| it.1)
    }

    /// Bounds of what the expression looks at that suffice, as few and as generous as can be. Lists and maps get one bound and strings
    /// another.
    fn below(&self, above: Option<i64>) -> Option<SuggestedBounds> {
        let missing = self.found.borrow().clone();
        let needed = |path: &Vec<SchemaStep>| self.formats.borrow().get(path).copied().or(self.called);
        let with = |elements: i64, length: i64| -> Bounds {
            let bound = |(path, keyword): (&Vec<SchemaStep>, &&str)| match *keyword {
                // Shorter texts would not be all of the format, and longer ones are none of it.
                "maxLength" => needed(path).unwrap_or(length),
                _ => elements,
            };
            missing.iter().map(|it| (it.0.clone(), bound(it))).collect()
        };
        let pairs = |it: &(&'static [i64], &'static [i64])| {
            let lengths = it.1;
            it.0.iter()
                .flat_map(move |elements| lengths.iter().map(move |length| (*elements, *length)))
        };
        let mut bounds = TRIED
            .iter()
            .flat_map(pairs)
            .map(|(elements, length)| with(elements, length))
            .find(|bounds| self.fits(bounds, above))?;
        // Bounds that are not needed are not asked for; lengths are the first to go.
        let (lengths, others): (Vec<_>, Vec<_>) = missing.iter().partition(|(_, keyword)| **keyword == "maxLength");
        for (path, _) in lengths.into_iter().chain(others) {
            if let Some(bound) = bounds.remove(path)
                && !self.fits(&bounds, above)
            {
                bounds.insert(path.clone(), bound);
            }
        }
        let largest = |path: &Vec<SchemaStep>| {
            let holds = |bound| {
                let mut bounds = bounds.clone();
                bounds.insert(path.clone(), bound);
                self.fits(&bounds, above)
            };
            largest_that(holds)
        };
        let mut out: Vec<MissingBound> = Vec::new();
        for (path, suggested) in &bounds {
            let largest = largest(path).unwrap_or(*suggested).max(*suggested);
            // The only bound may be as generous as it can be in reason.
            let most = if missing[path] == "maxLength" {
                needed(path).unwrap_or(LONGEST)
            } else {
                ELEMENTS[0]
            };
            let suggested = if bounds.len() == 1 {
                round(largest).min(most).max(*suggested)
            } else {
                *suggested
            };
            out.push(MissingBound {
                path: path.clone(),
                keyword: missing[path],
                suggested,
                largest,
            });
        }
        Some(SuggestedBounds {
            bounds: out,
            above: above.map(|it| (it, it)),
        })
    }
}

/// The sizes of a schema with bounds where it has none.
struct Bounded<'a> {
    solver: &'a Solver<'a>,
    bounds: &'a Bounds,
}

impl SizeEstimator for Bounded<'_> {
    fn estimate_size(&self, path: &[Arc<str>]) -> Option<SizeEstimate> {
        let size = self.solver.ty.estimate_size(path)?;
        let Some((steps, keyword, ty)) = self.solver.missing(path) else {
            return Some(size);
        };
        let bound = self.bounds.get(&steps).copied();
        self.solver.found.borrow_mut().insert(steps, keyword);
        let Some(bound) = bound else {
            return Some(size);
        };
        let bound = if keyword == "maxLength" {
            bytes(&ty, bound)
        } else {
            bound
        };
        Some(SizeEstimate {
            max: size.max.min(bound as u64),
            ..size
        })
    }
}

/// The characters of the longest texts of a format: shorter ones would not be all of it.
fn longest_of_format(format: &str) -> Option<i64> {
    Some(match format {
        "date" => 10,
        "ipv4" => 15,
        "mac" => 17,
        "date-time" | "datetime" => 35,
        "uuid" | "uuid3" | "uuid4" | "uuid5" => 36,
        "ip" | "ipv6" => 39,
        "cidr" => 43,
        "k8s-short-name" => 63,
        "hostname" | "k8s-long-name" => 253,
        "email" => 254,
        _ => return None,
    })
}

/// The characters of the longest texts that the functions of an expression read.
fn needed_by_calls(expression: &Expression) -> Option<i64> {
    let calls = expression.checked.ast.nodes().filter_map(|(_, it)| match &it.kind {
        ExprKind::Call { function, .. } => Some(function),
        _ => None,
    });
    let needed = calls.filter_map(|function| match function.trim_start_matches('.') {
        "ip" | "isIP" => longest_of_format("ip"),
        "cidr" | "isCIDR" => longest_of_format("cidr"),
        _ => None,
    });
    needed.max()
}

/// The size that a length in characters represents.
fn bytes(ty: &DeclType, length: i64) -> i64 {
    match ty.kind {
        DeclKind::Simple(Type::Bytes) => length,
        _ => length.saturating_mul(4),
    }
}

impl Solver<'_> {
    /// Where the path leads, and which bound is missing there, if one is.
    fn missing(&self, path: &[Arc<str>]) -> Option<(Vec<SchemaStep>, &'static str, Arc<DeclType>)> {
        let mut schema = self.schema;
        let mut ty = self.ty.clone();
        let mut steps = Vec::new();
        for step in path.get(1..)? {
            match &**step {
                "@items" | "@values" => {
                    let element = ty.element()?.clone();
                    ty = element;
                    if let Some(items) = schema.items() {
                        schema = items;
                        steps.push(SchemaStep::Items);
                    } else {
                        schema = schema.additional_properties()?.schema()?;
                        steps.push(SchemaStep::Values);
                    }
                }
                "@keys" => return None,
                field => {
                    let next = ty.field(field)?.ty.clone();
                    ty = next;
                    let name = unescape(field)?;
                    schema = schema.property(&name)?;
                    steps.push(SchemaStep::Property(name.into_owned()));
                }
            }
        }
        let keyword = missing_keyword(schema, &ty, self.version)?;
        if let Some(needed) = longest_of_format(&schema.props().format) {
            self.formats.borrow_mut().insert(steps.clone(), needed);
        }
        Some((steps, keyword, ty))
    }
}

fn missing_keyword(schema: Structural<'_>, ty: &DeclType, version: KubernetesVersion) -> Option<&'static str> {
    let props = schema.props();
    match &ty.kind {
        DeclKind::List(_) if props.max_items.is_none() => Some("maxItems"),
        DeclKind::Map(..) if props.max_properties.is_none() => Some("maxProperties"),
        DeclKind::Simple(Type::String) if props.max_length.is_none() && props.r#enum.is_empty() => Some("maxLength"),
        DeclKind::Simple(Type::Bytes) if props.max_length.is_none() => Some("maxLength"),
        // Before 1.34 no length of an int-or-string counts.
        DeclKind::Simple(Type::Dyn) if props.max_length.is_none() && version.number() >= 34 => Some("maxLength"),
        _ => None,
    }
}
