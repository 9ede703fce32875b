//! Decides whether new validation keywords are implied by the schemas that already accepted the values.
//!
//! Each function follows one check of `kube-openapi/pkg/validation/validate`, and uses `schema::validation` for all calculations of the check.

use std::collections::HashSet;

use crd_analyzer_goregexp::{Texts, missed};
use crd_analyzer_schema::validation::{NumberKeyword, NumberSpan, Numbers};
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion};

use crate::diff::{plain, type_of};
use crate::steps::{Step, below};

/// The maximum length limit for which string lengths are compared.
const LONGEST: u32 = 64;

/// The known facts about the values of a node: all the schemas listed here accepted these values.
pub(crate) struct Accepted<'s> {
    /// The node itself, and the `allOf` clauses about its values.
    pub(crate) nodes: Vec<&'s JsonSchemaProps>,
    pub(crate) kubernetes: KubernetesVersion,
    /// Whether the values were stored before the new check.
    pub(crate) is_stored: bool,
}

impl Accepted<'_> {
    fn any(&self, holds: impl Fn(&JsonSchemaProps) -> bool) -> bool {
        self.nodes.iter().any(|it| holds(it))
    }

    /// The types of the nodes that specify a type.
    fn types(&self) -> impl Iterator<Item = &str> {
        let types = self.nodes.iter().map(|it| type_of(it));
        types.filter(|it| *it != "any")
    }

    /// The range of the numbers among the values (`numberValidator`).
    pub(crate) fn numbers(&self) -> NumberSpan {
        let spans = self.nodes.iter().map(|it| Numbers::new(it, self.kubernetes).span());
        let span = spans.reduce(NumberSpan::and).unwrap_or(NumberSpan {
            ints: Some((i64::MIN, i64::MAX)),
            floats: Some((f64::MIN, f64::MAX)),
        });
        if self.is_stored { span.stored() } else { span }
    }

    /// Whether none of the values is a number (`typeValidator`).
    pub(crate) fn has_no_numbers(&self) -> bool {
        self.types()
            .any(|it| !["integer", "number", "int-or-string"].contains(&it))
    }

    /// Whether all numbers among the values pass these checks of `numberValidator`. If a check accepts two numbers, it also accepts all numbers
    /// between them.
    pub(crate) fn pass_number(&self, keywords: &[NumberKeyword], to: &JsonSchemaProps) -> bool {
        if self.has_no_numbers() {
            return true;
        }
        let checks = Numbers::new(to, self.kubernetes);
        let passes = |keyword: NumberKeyword| match keyword {
            // A number between two multiples is not necessarily a multiple.
            NumberKeyword::MultipleOf => to.multiple_of.is_none(),
            keyword => self.numbers().ends().all(|it| checks.accepts(keyword, &it)),
        };
        keywords.iter().all(|it| passes(*it))
    }

    /// Whether all values pass a limit. The checks of lengths and counts (`stringValidator`, `schemaSliceValidator`, `objectValidator`) each compare
    /// one number with the limit.
    pub(crate) fn pass_bound(&self, keyword: &str, to: &JsonSchemaProps) -> bool {
        let most = |bound: fn(&JsonSchemaProps) -> Option<i64>| {
            bound(to).is_none_or(|to| self.any(|it| bound(it).is_some_and(|known| to >= known)))
        };
        let least = |bound: fn(&JsonSchemaProps) -> Option<i64>| {
            bound(to).is_none_or(|to| to <= 0 || self.any(|it| bound(it).is_some_and(|known| to <= known)))
        };
        match keyword {
            "maximum" | "exclusiveMaximum" => to.maximum.is_none() || self.pass_number(&[NumberKeyword::Maximum], to),
            "minimum" | "exclusiveMinimum" => to.minimum.is_none() || self.pass_number(&[NumberKeyword::Minimum], to),
            "maxLength" => most(|it| it.max_length) || self.pass_length(None, to.max_length),
            "maxItems" => most(|it| it.max_items),
            "maxProperties" => most(|it| it.max_properties),
            "minLength" => least(|it| it.min_length) || self.pass_length(to.min_length, None),
            "minItems" => least(|it| it.min_items),
            "minProperties" => least(|it| it.min_properties),
            _ => false,
        }
    }

    /// Whether the new `enum` lists all values that the old `enum` listed (`basicCommonValidator`). An enum never lists null, and null bypasses
    /// `allOf` (`SchemaValidator.Validate`).
    pub(crate) fn pass_enum(&self, to: &JsonSchemaProps) -> bool {
        let listed: HashSet<_> = to.r#enum.iter().collect();
        let has_nulls = self.nodes.first().is_none_or(|it| it.nullable || type_of(it) == "any");
        let judging = self.nodes.iter().take(if has_nulls { 1 } else { usize::MAX });
        let is_part = |it: &JsonSchemaProps| !it.r#enum.is_empty() && it.r#enum.iter().all(|it| listed.contains(it));
        listed.is_empty() || judging.into_iter().any(|it| is_part(it))
    }

    /// Whether all values have the property (`objectValidator`).
    pub(crate) fn has_required(&self, name: &str) -> bool {
        self.any(|it| it.required.iter().any(|it| it == name))
    }

    /// Whether all strings among the values match the pattern (`stringValidator`). Automata decide this.
    pub(crate) fn pass_pattern(&self, to: &JsonSchemaProps) -> bool {
        to.pattern.is_empty()
            || self.any(|it| it.pattern == to.pattern)
            || missed(&self.texts(), Texts::Matching(&to.pattern)) == Ok(None)
    }

    /// The shortest string that the known patterns and lengths accept and the new pattern rejects, if any.
    pub(crate) fn mismatch(&self, pattern: &str) -> Option<String> {
        missed(&self.texts(), Texts::Matching(pattern)).ok()?
    }

    /// The sets of strings that the patterns and lengths allow. Other constraints are ignored.
    fn texts(&self) -> Vec<Texts<'_>> {
        let patterns = self.nodes.iter().filter(|it| !it.pattern.is_empty());
        let mut found: Vec<_> = patterns.map(|it| Texts::Matching(&it.pattern)).collect();
        let lengths = self.nodes.iter().filter_map(|it| {
            let least = u32::try_from(it.min_length.unwrap_or(0).max(0)).ok()?;
            let most = it.max_length.map(|it| u32::try_from(it.max(0)));
            let most = most.and_then(Result::ok).filter(|it| *it <= LONGEST);
            (least <= LONGEST && (least > 0 || most.is_some())).then_some(Texts::OfLength(least, most))
        });
        found.extend(lengths);
        found
    }

    /// Whether all strings have a length in this range (`stringValidator`). Automata decide this.
    fn pass_length(&self, least: Option<i64>, most: Option<i64>) -> bool {
        let least = u32::try_from(least.unwrap_or(0).max(0));
        let most = most.map(u32::try_from).transpose();
        let has_pattern = self.any(|it| !it.pattern.is_empty());
        let (true, Ok(least), Ok(most)) = (has_pattern, least, most) else {
            return false;
        };
        missed(&self.texts(), Texts::OfLength(least, most)) == Ok(None)
    }

    fn below(&self, step: &Step) -> Option<Self> {
        let nodes: Vec<_> = self.nodes.iter().filter_map(|it| below(it, step)).collect();
        (!nodes.is_empty()).then_some(Self {
            nodes,
            kubernetes: self.kubernetes,
            is_stored: self.is_stored,
        })
    }

    /// Whether all values pass a branch of `allOf`, `anyOf` or `oneOf` (`schemaPropsValidator`), because all its keywords are implied.
    pub(crate) fn pass_branch(&self, branch: &JsonSchemaProps) -> bool {
        let mut rest = plain(branch);
        let names = std::mem::take(&mut rest.required);
        let properties = std::mem::take(&mut rest.properties);
        if let Some(rare) = rest.rare.get_mut() {
            (rare.maximum, rare.minimum) = (None, None);
            (rare.exclusive_maximum, rare.exclusive_minimum) = (false, false);
            (rare.max_length, rare.min_length) = (None, None);
            (rare.max_items, rare.min_items) = (None, None);
            (rare.max_properties, rare.min_properties) = (None, None);
            rare.pattern.clear();
            rare.r#enum.clear();
            rare.all_of.clear();
        }
        let bounds = [
            "maximum",
            "minimum",
            "maxLength",
            "minLength",
            "maxItems",
            "minItems",
            "maxProperties",
            "minProperties",
        ];
        rest == JsonSchemaProps::default()
            && bounds.into_iter().all(|it| self.pass_bound(it, branch))
            && self.pass_enum(branch)
            && self.pass_pattern(branch)
            && names.iter().all(|it| self.has_required(it))
            && branch.all_of.iter().all(|it| self.pass_branch(it))
            && properties.iter().all(|(name, property)| {
                let below = self.below(&Step::Property(name.clone()));
                below.is_some_and(|it| it.pass_branch(property))
            })
    }
}
