//! Which bounds a schema lacks that would bring an expensive rule below its limit.
//!
//! This is advice of ours: the server only says that a rule is too expensive.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_analyzer_cel::cost::{SizeEstimate, SizeEstimator, estimate};
use crd_analyzer_cel::decls::{Environment, ExpressionSet};
use crd_analyzer_cel::types::{DeclKind, DeclType, Type, unescape};

use super::{Expression, NodeTypes};
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
}

/// A step down in a schema.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SchemaStep {
    /// `properties[name]`
    Property(String),
    /// `items`
    Items,
    /// `additionalProperties`
    Values,
}

/// Numbers of elements that are tried, the most generous first.
const ELEMENTS: [i64; 12] = [1024, 512, 256, 128, 100, 64, 32, 16, 10, 8, 4, 2];
/// Lengths of strings that are tried for each of them.
const LENGTHS: [i64; 5] = [4096, 1024, 253, 63, 32];

/// The bounds that bring an expression below `limit`, where it is evaluated at most `cardinality` times. Lists and maps get one bound
/// and strings another, the most generous that do. Empty if it fits already, `None` if missing bounds are not what makes it expensive.
pub fn fit(
    types: &NodeTypes<'_>,
    expression: &Expression,
    version: KubernetesVersion,
    cardinality: u64,
    limit: u64,
) -> Option<Vec<MissingBound>> {
    let features = Environment::of(version, ExpressionSet::Stored).features();
    let found = RefCell::default();
    let cost = |bounds: Option<(i64, i64)>, spared: &BTreeSet<&[SchemaStep]>| {
        let sizes = Bounded {
            types,
            version,
            bounds,
            spared,
            found: &found,
        };
        estimate(&expression.checked, features, &sizes)
            .max
            .saturating_mul(cardinality)
    };
    let mut spared = BTreeSet::new();
    if cost(None, &spared) <= limit {
        return Some(Vec::new());
    }
    let missing = found.borrow().clone();
    let (elements, length) = ELEMENTS
        .into_iter()
        .flat_map(|elements| LENGTHS.into_iter().map(move |length| (elements, length)))
        .find(|bounds| cost(Some(*bounds), &spared) <= limit)?;
    // Bounds that are not needed are not asked for; lengths are the first to go.
    let (lengths, others): (Vec<_>, Vec<_>) = missing.iter().partition(|(_, keyword)| **keyword == "maxLength");
    for (path, _) in lengths.into_iter().chain(others) {
        spared.insert(path.as_slice());
        if cost(Some((elements, length)), &spared) > limit {
            spared.remove(path.as_slice());
        }
    }
    let needed = missing.iter().filter(|(path, _)| !spared.contains(path.as_slice()));
    let bounds = needed.map(|(path, keyword)| MissingBound {
        path: path.clone(),
        keyword,
        suggested: if *keyword == "maxLength" { length } else { elements },
    });
    Some(bounds.collect())
}

/// The sizes of a schema with bounds where it has none.
struct Bounded<'a> {
    types: &'a NodeTypes<'a>,
    version: KubernetesVersion,
    /// For lists and maps, and for strings.
    bounds: Option<(i64, i64)>,
    /// Schemas that stay without bound.
    spared: &'a BTreeSet<&'a [SchemaStep]>,
    /// The schemas without bound whose size was asked for.
    found: &'a RefCell<BTreeMap<Vec<SchemaStep>, &'static str>>,
}

impl SizeEstimator for Bounded<'_> {
    fn estimate_size(&self, path: &[Arc<str>]) -> Option<SizeEstimate> {
        let size = self.types.ty.estimate_size(path)?;
        let Some((steps, keyword, ty)) = self.missing(path) else {
            return Some(size);
        };
        let bounds = self.bounds.filter(|_| !self.spared.contains(steps.as_slice()));
        self.found.borrow_mut().insert(steps, keyword);
        let Some((elements, length)) = bounds else {
            return Some(size);
        };
        let bound = if keyword == "maxLength" {
            bytes(&ty, length)
        } else {
            elements
        };
        Some(SizeEstimate {
            max: size.max.min(bound as u64),
            ..size
        })
    }
}

/// The size that a length in characters stands for.
fn bytes(ty: &DeclType, length: i64) -> i64 {
    match ty.kind {
        DeclKind::Simple(Type::Bytes) => length,
        _ => length.saturating_mul(4),
    }
}

impl Bounded<'_> {
    /// Where the path leads, and which bound is missing there, if one is.
    fn missing(&self, path: &[Arc<str>]) -> Option<(Vec<SchemaStep>, &'static str, Arc<DeclType>)> {
        let mut schema = self.types.schema?;
        let mut ty = self.types.ty.clone();
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
