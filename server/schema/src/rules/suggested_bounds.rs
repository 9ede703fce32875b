//! Suggests limits for a schema that bring an expensive rule below its cost limit.
//!
//! Only crd-analyzer makes such suggestions: the API server just reports that a rule is too expensive.

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

/// A limit that is missing in a schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingBound {
    /// The path from the schema with the rule to the schema that lacks the limit.
    pub path: Vec<SchemaStep>,
    /// `maxItems`, `maxProperties` or `maxLength`.
    pub keyword: &'static str,
    /// The suggested limit. All suggested limits together bring the rule below its cost limit.
    pub suggested: i64,
    /// The largest limit that also brings the rule below its cost limit, if the other limits are as suggested.
    pub largest: i64,
}

/// A step from a schema to a subschema.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SchemaStep {
    /// `properties[name]`
    Property(String),
    /// `items`
    Items,
    /// `additionalProperties`
    Values,
}

/// The number of times that an expression may be evaluated for one object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// The current number: the product of the limits of all surrounding lists and maps, or the maximum number of values in one request.
    pub cardinality: u64,
    /// The number of surrounding lists and maps without a limit.
    pub unbounded: u32,
    /// The product of the limits of the other lists and maps.
    pub bounded: u64,
}

impl Occurrence {
    /// A number that does not depend on the limits of surrounding lists and maps.
    pub const fn fixed(cardinality: u64) -> Self {
        Self {
            cardinality,
            unbounded: 0,
            bounded: cardinality,
        }
    }

    /// The number of evaluations if all surrounding lists and maps without a limit get the limit `bound`.
    fn with(self, bound: Option<i64>) -> u64 {
        match bound {
            Some(bound) => self
                .bounded
                .saturating_mul((bound.max(0) as u64).saturating_pow(self.unbounded)),
            None => self.cardinality,
        }
    }
}

/// Limits that together bring an expression below its cost limit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SuggestedBounds {
    /// The limits for schemas that the expression reads.
    pub bounds: Vec<MissingBound>,
    /// The limit for each surrounding list or map without one: the suggested and the largest sufficient value.
    pub above: Option<(i64, i64)>,
}

/// The remaining search effort. In some schemas, very many combinations have to be tried and none suffices, so the search is limited.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Effort(Cell<u64>);

impl Effort {
    /// Allows visits to `parts` nodes of expressions and schemas. Repeated visits to a node count.
    pub const fn new(parts: u64) -> Self {
        Self(Cell::new(parts))
    }

    /// Subtracts `parts`; returns false if less effort is left.
    pub fn spend(&self, parts: usize) -> bool {
        let left = self.0.get().checked_sub(parts as u64);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// Candidate limits for lists and maps, the largest first.
const ELEMENTS: [i64; 12] = [1024, 512, 256, 128, 100, 64, 32, 16, 10, 8, 4, 2];
/// The largest suggested `maxLength`.
const LONGEST: i64 = 4096;
/// The limit for lists below which a suggestion is too restrictive to be useful.
const ROOM: i64 = 64;

/// The candidate limits of lists and strings, in the order of the search: first long lists with strings as long as host
/// names, then shorter lists and strings.
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
/// The largest limit that makes sense: the maximum size of a request in bytes.
const LARGEST: i64 = 3 * 1024 * 1024;

/// Returns the ways to bring the cost of an expression below `limit` by adding missing limits, the best way first. A way adds limits to schemas that
/// the expression reads, to the surrounding lists and maps, or to both. The result is empty if missing limits are not the cause of the high cost, or
/// if the effort is used up first. It is one empty way if the expression is already cheap enough. `schema` contains the rule, and `ty` is the type of
/// its values.
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
        // Limits that are too restrictive are the last resort.
        if ways.is_empty() && largest.is_none_or(|it| it < ROOM) {
            ways.extend(solver.balanced());
        }
        ways.extend(above);
    }
    ways
}

/// The largest round number up to `bound`.
fn round(bound: i64) -> i64 {
    ROUND.into_iter().find(|it| *it <= bound).unwrap_or(bound)
}

/// The largest value for which `holds` is true, if it is true for 1.
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

/// The candidate limits, by the path of their schema.
type Bounds = BTreeMap<Vec<SchemaStep>, i64>;

struct Solver<'a> {
    schema: Structural<'a>,
    ty: &'a Arc<DeclType>,
    expression: &'a Expression,
    version: KubernetesVersion,
    occurrence: Occurrence,
    limit: u64,
    effort: &'a Effort,
    /// The schemas that have no limit although the cost estimate needed their size.
    found: RefCell<BTreeMap<Vec<SchemaStep>, &'static str>>,
    /// The string length that the functions in the expression need if they parse strings of a known format.
    called: Option<i64>,
    /// The string lengths that the formats of the schemas in `found` need.
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

    /// Limits of about the same size on the surrounding lists and on the schemas that the expression reads.
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

    /// The fewest and largest sufficient limits for the schemas that the expression reads. All lists and maps get one limit, and all strings get
    /// another.
    fn below(&self, above: Option<i64>) -> Option<SuggestedBounds> {
        let missing = self.found.borrow().clone();
        let needed = |path: &Vec<SchemaStep>| self.formats.borrow().get(path).copied().or(self.called);
        let with = |elements: i64, length: i64| -> Bounds {
            let bound = |(path, keyword): (&Vec<SchemaStep>, &&str)| match *keyword {
                // A smaller limit would reject valid strings of the format, and a larger limit would have no use.
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
        // Drops limits that are not needed, string lengths first.
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
            // A single limit may be larger, up to a reasonable size.
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

/// Estimates sizes of values. A schema without a limit gets the candidate limit.
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

/// The maximum length of a string of this format, in characters; a smaller limit would reject valid strings.
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

/// The maximum length of the strings that the functions of an expression parse, in characters.
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

/// The maximum size of a value with `length` characters, in bytes.
fn bytes(ty: &DeclType, length: i64) -> i64 {
    match ty.kind {
        DeclKind::Simple(Type::Bytes) => length,
        _ => length.saturating_mul(4),
    }
}

impl Solver<'_> {
    /// The schema at the end of a path and its missing limit; `None` if no limit is missing.
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
        // Before 1.34 the API server ignores the length of an int-or-string.
        DeclKind::Simple(Type::Dyn) if props.max_length.is_none() && version.number() >= 34 => Some("maxLength"),
        _ => None,
    }
}
