//! Proofs that a change is harmless.
//!
//! A proof is about one keyword of one node: the new schema accepts every value that the old schema accepts at this keyword. This is enough because
//! every other keyword checks the same value as before: a change of pruning or defaulting is never proved harmless if it could affect another
//! keyword.
//!
//! Each proof follows a function of the API server and names that function. If the function calculates, the proof calls our port of the function
//! (`implied`) and never calculates by itself.

use std::collections::HashSet;

use crd_analyzer_schema::field::Path;
use crd_analyzer_schema::formats;
use crd_analyzer_schema::structural::lookup;
use crd_analyzer_schema::validation::{NumberKeyword, Validator};
use crd_analyzer_schema::{JsonSchemaProps, KubernetesVersion};
use serde_json::Value;

use crate::answer::Direction;
use crate::diff::{Difference, Kind, Side, plain, plain_all, type_of};
use crate::implied::Accepted;
use crate::scope::{Scope, has_resources_below, has_rules_below, is_seen_unchanged};
use crate::steps::{self, Step, nodes_below as below};

/// The first Kubernetes version that ratchets updates of the status.
const STATUS_RATCHETING_SINCE: KubernetesVersion = KubernetesVersion::minor(33);

/// The input of a proof.
pub(crate) struct Question<'s> {
    pub(crate) direction: Direction,
    pub(crate) difference: &'s Difference,
    /// The node in the schema that accepted the values.
    pub(crate) from: &'s JsonSchemaProps,
    /// The node in the schema that checks the values now.
    pub(crate) to: &'s JsonSchemaProps,
    /// The root of the schema that checks the values now.
    pub(crate) to_root: &'s JsonSchemaProps,
    /// The root of the schema that accepted the values.
    pub(crate) from_root: &'s JsonSchemaProps,
    pub(crate) kubernetes: KubernetesVersion,
    /// Whether the status is a subresource in at least one of the two versions.
    pub(crate) has_status: bool,
}

impl Question<'_> {
    /// Whether the difference exists only in the schema that checks the values now.
    fn is_only_in_to(&self) -> bool {
        match self.difference.side {
            Side::New => !self.direction.is_backward(),
            Side::Old => self.direction.is_backward(),
            Side::Both => false,
        }
    }

    fn is_only_in_from(&self) -> bool {
        self.difference.side != Side::Both && !self.is_only_in_to()
    }

    fn scope(&self) -> Scope {
        let (from, to) = (
            Scope::of(self.from_root, &self.difference.steps),
            Scope::of(self.to_root, &self.difference.steps),
        );
        Scope {
            has_rules: from.has_rules || to.has_rules,
            counts_fields: from.counts_fields || to.counts_fields,
            keeps_unknown: from.keeps_unknown || to.keeps_unknown,
            is_resource: from.is_resource || to.is_resource,
            is_metadata: from.is_metadata || to.is_metadata,
        }
    }

    /// The known facts about the values.
    fn accepted(&self) -> Accepted<'_> {
        Accepted {
            nodes: steps::all_at(self.from_root, &self.difference.steps),
            kubernetes: self.kubernetes,
            is_stored: self.direction == Direction::Stored,
        }
    }

    /// The reason why the change is harmless.
    pub(crate) fn proof(&self) -> Option<String> {
        let kind = &self.difference.kind;
        if let Some(reason) = self.by_keyword(kind) {
            return Some(reason);
        }
        self.by_ratcheting(kind)
    }

    fn by_keyword(&self, kind: &Kind) -> Option<String> {
        let to = self.to;
        let said = |reason: &str| Some(reason.to_owned());
        let (accepting, side) = (self.direction.accepting(), self.direction.checking());
        match kind {
            Kind::Bound(keyword) => self.bound(keyword).or_else(|| self.by_values()),
            // `basicCommonValidator`
            Kind::Enum if to.r#enum.is_empty() => Some(format!("{side} allows every value")),
            Kind::Enum if self.accepted().pass_enum(to) => {
                Some(format!("{side} lists all values that {accepting} accepts"))
            }
            // `stringValidator`
            Kind::Pattern if to.pattern.is_empty() => Some(format!("{side} has no pattern")),
            Kind::Pattern if self.accepted().pass_pattern(to) => Some(format!(
                "every string that {accepting} accepts matches the pattern of {side}"
            )),
            // `numberValidator`
            Kind::MultipleOf if to.multiple_of.is_none() => Some(format!("{side} has no `multipleOf`")),
            Kind::Enum | Kind::Pattern | Kind::MultipleOf => self.by_values(),
            Kind::Format => self.format(),
            Kind::Required(_) if self.is_only_in_from() => Some(format!("{side} does not require the property")),
            // `objectValidator`
            Kind::Required(name) if self.accepted().has_required(name) => {
                Some(format!("`allOf` of {accepting} requires the property"))
            }
            // `defaulting.Default`
            Kind::Required(name) => {
                // `customResourceStrategy.PrepareForCreate` drops the status after defaulting.
                let is_dropped = self.has_status && self.difference.steps.is_empty() && name == "status";
                let default = lookup(&to.properties, name).and_then(default_of);
                default.filter(|_| !is_dropped).and(said("the property has a default"))
            }
            Kind::Property(name) if self.is_only_in_to() => self.new_property(name),
            Kind::Property(_) => self.removed_property(),
            Kind::Default => self.default(),
            Kind::Type => self.r#type(),
            // `pruning.Prune`
            Kind::Preserve => {
                let widens = to.x_preserve_unknown_fields == Some(true);
                (widens && !self.scope().has_rules && !has_rules_below(to))
                    .then(|| "unknown fields are kept, and known fields do not change".to_owned())
            }
            Kind::Junctor(keyword) => self.junctor(keyword),
            // `Validator.validateExpressions`
            Kind::Rule(_) if self.is_only_in_from() => Some(format!("{side} does not have the rule")),
            Kind::Rule(_) => None,
            Kind::RuleMessage(_) => said("the same values are accepted: only the error message changes"),
            // `listtype.ValidateListSetsAndMaps`
            Kind::ListType => {
                let is_atomic = to.x_list_type.as_deref().unwrap_or("atomic") == "atomic";
                let is_free = !self.scope().has_rules && !has_rules_below(to) && !has_rules_below(self.from);
                (is_atomic && is_free).then(|| format!("{side} allows duplicates, and no rule compares the list"))
            }
            // Only server-side apply uses the map type.
            Kind::MapType => {
                let is_free = !self.scope().has_rules && !has_rules_below(to) && !has_rules_below(self.from);
                is_free.then(|| "the same values are accepted, and no rule compares the map".to_owned())
            }
            Kind::Nullable => self.nullable(),
            Kind::Values | Kind::Items | Kind::Embedded | Kind::UniqueItems | Kind::Other => None,
        }
    }

    /// Whether an accepted object may lose fields before its fields are counted. Unknown fields and nulls are dropped (`pruning.Prune`,
    /// `defaulting.PruneNonNullableNullsWithoutDefaults`).
    fn loses_fields(&self) -> bool {
        let (from, to) = (self.from, self.to);
        let keeps_unknown = to.x_preserve_unknown_fields == Some(true) || self.scope().keeps_unknown;
        let values = |it| steps::below(it, &Step::Values);
        let drops = |from: &JsonSchemaProps, to: &JsonSchemaProps| from.nullable && !to.nullable;
        let of_properties =
            from.properties
                .iter()
                .any(|(name, it)| match lookup(&to.properties, name).or(values(to)) {
                    Some(to) => drops(it, to),
                    None => !keeps_unknown,
                });
        let of_values = match (values(from), values(to)) {
            (Some(from), Some(to)) => drops(from, to) || !self.to.properties.is_empty(),
            (Some(_), None) => true,
            (None, _) => {
                let has_others = from.x_preserve_unknown_fields == Some(true) || from.additional_properties.is_some();
                has_others && !keeps_unknown
            }
        };
        of_properties || of_values
    }

    /// A proof for a limit on numbers, strings, lists or maps.
    fn bound(&self, keyword: &str) -> Option<String> {
        if keyword == "minProperties" && self.to.min_properties.is_some_and(|it| it > 0) && self.loses_fields() {
            return None;
        }
        let accepted = self.accepted();
        if accepted.pass_bound(keyword, self.to) {
            let is_number = ["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"].contains(&keyword);
            let none = is_number && accepted.numbers().ends().next().is_none();
            return Some(if none {
                "the other CRD accepts no number".to_owned()
            } else {
                format!("the bound of {} is wider", self.direction.checking())
            });
        }
        // `pruning.Prune` keeps only properties in the schema, and `apiVersion`, `kind` and `metadata` of a resource.
        let scope = self.scope();
        let is_closed = !scope.keeps_unknown && self.from.additional_properties.is_none() && !scope.is_metadata;
        let most = self.from.properties.len() + 3;
        let is_enough = self.to.max_properties.is_none_or(|it| it >= most as i64);
        (keyword == "maxProperties" && is_closed && self.from.r#type == "object" && is_enough)
            .then(|| "the schema does not have that many properties".to_owned())
    }

    /// A proof by trying all values of an `enum` (`SchemaValidator.Validate`).
    fn by_values(&self) -> Option<String> {
        let (from, to) = (self.from, self.to);
        let is_plain = |it: &JsonSchemaProps| !it.r#type.is_empty() && it.format.is_empty();
        if from.r#enum.is_empty() || !is_plain(from) || !is_plain(to) || type_of(from) != type_of(to) {
            return None;
        }
        // Numbers are compared after a conversion, so an enum accepts more numbers than it lists.
        if from.r#type != "string" || !from.r#enum.iter().all(Value::is_string) {
            return None;
        }
        // For strings, the enum itself is skipped, because searching a long list for each value is slow.
        let unlisted = |it: &JsonSchemaProps| {
            let mut besides = it.clone();
            besides.r#enum.clear();
            besides
        };
        let (from_besides, to_besides) = (unlisted(from), unlisted(to));
        let (before, now) = (
            Validator::new(&from_besides, self.kubernetes),
            Validator::new(&to_besides, self.kubernetes),
        );
        let listed_now: HashSet<_> = to.r#enum.iter().collect();
        let root = Path::root();
        let mut accepted = from.r#enum.iter().filter(|it| before.validate(&root, it).is_empty());
        accepted
            .all(|it| (listed_now.is_empty() || listed_now.contains(it)) && now.validate(&root, it).is_empty())
            .then(|| "each value of the enum was tried, and is accepted".to_owned())
    }

    fn format(&self) -> Option<String> {
        let (from, to) = (self.from, self.to);
        let is_enforced = |it: &JsonSchemaProps| {
            !it.format.is_empty() && formats::is_enforced(&it.format, &it.r#type, self.kubernetes)
        };
        // The CEL types that rules use depend on these formats.
        let is_typed = |it: &JsonSchemaProps| ["date", "date-time", "duration", "byte"].contains(&it.format.as_str());
        if (is_typed(from) || is_typed(to)) && self.scope().has_rules {
            return None;
        }
        if from.x_int_or_string || to.x_int_or_string {
            return None;
        }
        // `StripUnsupportedFormatsPostProcess`
        if !is_enforced(from) && !is_enforced(to) {
            return Some("the API server does not enforce either format".to_owned());
        }
        // `numberValidator`: a format also limits the range.
        let is_number = ["integer", "number"].contains(&from.r#type.as_str()) && from.r#type == to.r#type;
        (is_number && self.accepted().pass_number(&NumberKeyword::ALL, to)).then(|| {
            format!(
                "every number that {} accepts has the format",
                self.direction.accepting()
            )
        })
    }

    /// Whether every object has the property and no schema prunes it (`pruning.PruneWithOptions`).
    fn is_head(&self, name: &str) -> bool {
        self.difference.steps.is_empty() && ["apiVersion", "kind", "metadata"].contains(&name)
    }

    /// A proof for a property that only the schema that checks the values now contains.
    fn new_property(&self, name: &str) -> Option<String> {
        let property = lookup(&self.to.properties, name)?;
        let scope = self.scope();
        if self.is_head(name) {
            // `ObjectMeta` and `TypeMeta` are decoded before schema validation.
            let r#type = if name == "metadata" { "object" } else { "string" };
            let said = JsonSchemaProps {
                r#type: r#type.to_owned(),
                ..JsonSchemaProps::default()
            };
            return (plain(property) == said).then(|| "every object has it, and it always has this type".to_owned());
        }
        let is_meta = ["apiVersion", "kind", "metadata"].contains(&name) && scope.is_resource || scope.is_metadata;
        // `pruning.Prune`
        let is_closed = self.from.additional_properties.is_none() && !scope.keeps_unknown;
        if is_meta || !is_closed || self.from.r#type != "object" {
            return None;
        }
        if default_of(property).is_none() {
            return Some(match self.direction {
                Direction::Stored | Direction::Writers => {
                    "no object has the property yet, and it has no default".to_owned()
                }
                Direction::Readers => "no object of NEW has the property, and OLD has no default for it".to_owned(),
            });
        }
        // A default is harmless for readers if the fields of the object are not counted.
        let is_harmless = !scope.has_rules
            && !scope.counts_fields
            && !self.is_compared()
            && self.to.property_names_are_free()
            && self.fills_in_valid(property);
        (self.direction == Direction::Readers && is_harmless)
            .then(|| "the property is filled in with a default, and nothing else reads it".to_owned())
    }

    /// A proof for a property that only the schema that accepted the values contains.
    fn removed_property(&self) -> Option<String> {
        let Kind::Property(name) = &self.difference.kind else {
            return None;
        };
        let property = lookup(&self.from.properties, name)?;
        let scope = self.scope();
        if self.is_head(name) || scope.is_metadata {
            return Some("the API server keeps the value even without a schema".to_owned());
        }
        // A null in an unknown field is preserved (`defaulting.PruneNonNullableNullsWithoutDefaults`).
        if self.direction == Direction::Writers && drops_nulls(property) {
            return None;
        }
        // `pruning.Prune`
        let is_kept = self.to.x_preserve_unknown_fields == Some(true) && self.to.additional_properties.is_none();
        (is_kept
            && default_of(property).is_none()
            && !has_defaults_below(property)
            && !has_resources_below(property)
            && !scope.has_rules
            && !scope.is_resource)
            .then(|| "unknown fields are kept here".to_owned())
    }

    fn default(&self) -> Option<String> {
        let Some((Step::Property(name), above)) = self.difference.steps.split_last() else {
            return None;
        };
        let (from, to) = (self.from, self.to);
        // The status is not stored with a new object if it is a subresource. Its defaults are set when the object is read.
        let is_of_status =
            self.has_status && self.difference.steps.first() == Some(&Step::Property("status".to_owned()));
        match self.direction {
            Direction::Stored if is_of_status => None,
            Direction::Stored => (default_of(from).is_some() && from.nullable == to.nullable)
                .then(|| "stored objects keep the default value with which they were written".to_owned()),
            Direction::Writers => None,
            Direction::Readers => {
                let scope = self.scope();
                let is_missed = steps::at(self.to_root, above)
                    .is_some_and(|it| it.required.contains(name) && default_of(to).is_none());
                let is_nullable = from.nullable || to.nullable;
                let is_told_apart = self.is_compared() || self.is_list_key(name);
                let is_looked_at = scope.has_rules || scope.counts_fields || is_missed || is_nullable || is_told_apart;
                (!is_looked_at && self.fills_in_valid(to))
                    .then(|| "readers take the value as it is, and nothing else reads it".to_owned())
            }
        }
    }

    /// A proof for `nullable`. In an object, the API server drops a null that is not allowed, or sets the default. In a list, it keeps the null and
    /// rejects it.
    fn nullable(&self) -> Option<String> {
        let (from, to) = (self.from, self.to);
        let (last, above) = self.difference.steps.split_last()?;
        let is_typed = !from.r#type.is_empty() || from.x_int_or_string;
        // `typeValidator` rejects the null; but a null item is replaced by the default, if any (`defaulting.Default`).
        let is_refused = *last == Step::Items && default_of(from).is_none();
        if to.nullable && is_typed && (self.direction == Direction::Stored || is_refused) {
            return Some("no object has a null there, and other values are validated in the same way".to_owned());
        }
        let scope = self.scope();
        let has_rules = scope.has_rules || has_rules_below(from) || has_rules_below(to);
        let is_dropped = *last != Step::Items && self.direction == Direction::Readers;
        let around = steps::at(self.to_root, above)?;
        let is_needed =
            matches!(last, Step::Property(name) if around.required.contains(name) || self.is_list_key(name));
        let is_looked_at = has_rules || scope.counts_fields || scope.is_resource || is_needed || self.is_compared();
        (is_dropped && !is_looked_at && self.fills_in_valid(to)).then(|| {
            let what = if to.nullable { "accepted" } else { "dropped" };
            format!("a null is {what}, and nothing else reads the value")
        })
    }

    /// Whether the default of a schema is valid by itself. The API server does not validate every default of a CRD.
    fn fills_in_valid(&self, schema: &JsonSchemaProps) -> bool {
        default_of(schema).is_none_or(|it| {
            let validator = Validator::new(schema, self.kubernetes);
            !has_rules_below(schema) && validator.validate(&Path::root(), it).is_empty()
        })
    }

    /// Whether the node, or a node around it, is compared with other values: the values of an enum, or other items of a set.
    fn is_compared(&self) -> bool {
        let steps = &self.difference.steps;
        (0..=steps.len()).any(|n| {
            let at = steps::at(self.to_root, &steps[..n]);
            at.is_none_or(|it| !it.r#enum.is_empty() || it.x_list_type.as_deref() == Some("set"))
        })
    }

    /// Whether the property is a key of the list that contains the node.
    fn is_list_key(&self, name: &String) -> bool {
        let Some((Step::Items, list)) = self.difference.steps.split_last().and_then(|it| it.1.split_last()) else {
            return false;
        };
        [self.from_root, self.to_root]
            .into_iter()
            .filter_map(|root| steps::at(root, list))
            .any(|it| it.x_list_map_keys.contains(name))
    }

    fn r#type(&self) -> Option<String> {
        let (from, to) = (self.from, self.to);
        if self.scope().has_rules || !from.x_validations.is_empty() || !to.x_validations.is_empty() {
            return None;
        }
        let is_bare = |it: &JsonSchemaProps| it.rare.get().is_none() && it.format.is_empty() && it.default.is_none();
        let is_same_else = || {
            let typeless = |it: &JsonSchemaProps| {
                let mut it = plain(it);
                it.r#type.clear();
                it
            };
            from.default.is_none() && from.format.is_empty() && typeless(from) == typeless(to)
        };
        match (type_of(from), type_of(to)) {
            ("integer", "number") if is_same_else() => Some("every integer is a number".to_owned()),
            ("integer" | "string", "int-or-string")
                if is_bare(from) && to.format.is_empty() && to.nullable == from.nullable && to.default.is_none() =>
            {
                let is_free = to.rare.get().is_none() || plain_all(to, &to.any_of).is_empty() && has_only_any_of(to);
                is_free.then(|| "int-or-string accepts both".to_owned())
            }
            _ => None,
        }
    }

    /// A proof for `allOf`, `anyOf`, `oneOf` or `not` (`schemaPropsValidator`).
    fn junctor(&self, keyword: &str) -> Option<String> {
        let clauses = |it: &JsonSchemaProps| {
            let mut all = it.clauses().into_iter();
            let found = all.find(|(name, _)| *name == keyword).map_or(&[][..], |found| found.1);
            plain_all(it, found)
        };
        let (from, to) = (clauses(self.from), clauses(self.to));
        let is_part = |part: &[JsonSchemaProps], whole: &[JsonSchemaProps]| part.iter().all(|it| whole.contains(it));
        let (accepting, side) = (self.direction.accepting(), self.direction.checking());
        match keyword {
            "not" => self.to.not.is_none().then(|| format!("{side} has no `not`")),
            _ if to.is_empty() => Some(format!("{side} has no `{keyword}`")),
            "allOf" if is_part(&to, &from) => Some(format!("{accepting} has every branch of {side}'s `allOf`")),
            "allOf" => to
                .iter()
                .all(|it| from.contains(it) || self.accepted().pass_branch(it))
                .then(|| "every branch of `allOf` follows from the rest of the schema".to_owned()),
            "anyOf" if !from.is_empty() && is_part(&from, &to) => {
                Some(format!("{side} has every branch of {accepting}'s `anyOf`"))
            }
            "anyOf" => {
                let one_of = plain_all(self.from, &self.from.one_of);
                if !one_of.is_empty() && is_part(&one_of, &to) {
                    return Some(format!(
                        "the branches of {accepting}'s `oneOf` are branches of {side}'s `anyOf`"
                    ));
                }
                to.iter()
                    .any(|it| self.accepted().pass_branch(it))
                    .then(|| "a branch of `anyOf` follows from the rest of the schema".to_owned())
            }
            "oneOf" => {
                let count =
                    |list: &[JsonSchemaProps], it: &JsonSchemaProps| list.iter().filter(|other| *other == it).count();
                let is_same = from.len() == to.len() && from.iter().all(|it| count(&from, it) == count(&to, it));
                if is_same {
                    return Some("the branches of `oneOf` are the same in another order".to_owned());
                }
                None
            }
            _ => None,
        }
    }

    /// A proof by ratcheting: unchanged values are not validated again (`ratchetingValueValidator.Validate`).
    fn by_ratcheting(&self, kind: &Kind) -> Option<String> {
        if self.direction != Direction::Stored {
            return None;
        }
        let is_status = matches!(self.difference.steps.first(), Some(Step::Property(name)) if name == "status")
            || self.difference.steps.is_empty();
        if is_status && self.has_status && self.kubernetes < STATUS_RATCHETING_SINCE {
            return None;
        }
        // The name of an object never changes.
        let is_name = matches!(kind, Kind::Property(name) if name == "name") && self.is_only_in_to();
        if is_name && self.difference.steps[..] == [Step::Property("metadata".to_owned())] && !self.scope().has_rules {
            let name = lookup(&self.to.properties, "name").is_some_and(|it| !has_rules_below(it));
            return name.then(|| "the API server does not validate a name again".to_owned());
        }
        if !is_seen_unchanged(self.from_root, self.to_root, &self.difference.steps) {
            return None;
        }
        let is_validation = match kind {
            Kind::Bound(_) | Kind::Enum | Kind::Pattern | Kind::MultipleOf | Kind::Required(_) | Kind::Junctor(_) => {
                true
            }
            Kind::Format => !self.scope().has_rules,
            Kind::Nullable => {
                let is_in_list = self.difference.steps.last() == Some(&Step::Items);
                is_in_list && default_of(self.to).is_none() && !self.scope().has_rules && !has_rules_below(self.to)
            }
            Kind::ListType => {
                let is_set = self.to.x_list_type.as_deref() == Some("set");
                is_set && !self.scope().has_rules && !has_rules_below(self.to)
            }
            Kind::Type => {
                let is_scalar = |it: &JsonSchemaProps| {
                    ["string", "integer", "number", "boolean", "int-or-string"].contains(&type_of(it))
                };
                is_scalar(self.from)
                    && is_scalar(self.to)
                    && !self.scope().has_rules
                    && self.from.nullable == self.to.nullable
                    && self.from.default == self.to.default
            }
            _ => false,
        };
        let is_resource = self.scope().is_resource;
        (is_validation && !is_resource).then(|| "the API server does not validate unchanged values again".to_owned())
    }
}

fn has_only_any_of(schema: &JsonSchemaProps) -> bool {
    let mut schema = schema.clone();
    schema.any_of.clear();
    *schema.rare == crd_analyzer_schema::RareKeywords::default()
}

/// The default, if it is not null.
pub(crate) fn default_of(schema: &JsonSchemaProps) -> Option<&Value> {
    schema.default.as_ref().filter(|it| !it.is_null())
}

fn has_defaults_below(schema: &JsonSchemaProps) -> bool {
    default_of(schema).is_some() || below(schema).any(has_defaults_below)
}

/// Whether nulls at a node or below it are dropped.
fn drops_nulls(schema: &JsonSchemaProps) -> bool {
    !schema.nullable || below(schema).any(drops_nulls)
}

trait FreeNames {
    fn property_names_are_free(&self) -> bool;
}

impl FreeNames for JsonSchemaProps {
    fn property_names_are_free(&self) -> bool {
        self.min_properties.is_none() && self.max_properties.is_none()
    }
}
