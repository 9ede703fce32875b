//! The differences between two schemas: one entry for each keyword of a node.

use std::collections::{BTreeMap, HashSet};

use crd_analyzer_schema::structural::lookup;
use crd_analyzer_schema::{JsonSchemaProps, SchemaOrBool, ValidationRule};

use crate::steps::Step;

/// The maximum number of added or removed `enum` values in a message.
const MOST_LISTED: usize = 6;

/// The kind of a difference at a node.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Kind {
    /// `type`, and `x-kubernetes-int-or-string`, because it acts as a type.
    Type,
    /// `format`
    Format,
    /// `nullable`
    Nullable,
    /// `enum`
    Enum,
    /// A limit on a number or on the size of a string, list or map. The string is the keyword of the limit.
    Bound(&'static str),
    /// `pattern`
    Pattern,
    /// `multipleOf`
    MultipleOf,
    /// A name in `required`.
    Required(String),
    /// A property that exists on one side only. The node of the difference contains the property.
    Property(String),
    /// `default`
    Default,
    /// `additionalProperties`, without differences inside its schema.
    Values,
    /// `items`, without differences inside its schema.
    Items,
    /// `allOf`, `anyOf`, `oneOf` or `not`.
    Junctor(&'static str),
    /// A rule that exists on one side only, with its index on that side.
    Rule(usize),
    /// The message, reason or field path of a rule, with its index in NEW.
    RuleMessage(usize),
    /// `x-kubernetes-list-type`, `x-kubernetes-list-map-keys`
    ListType,
    /// `x-kubernetes-map-type`
    MapType,
    /// `x-kubernetes-preserve-unknown-fields`
    Preserve,
    /// `x-kubernetes-embedded-resource`
    Embedded,
    /// `uniqueItems`
    UniqueItems,
    /// Any other difference.
    Other,
}

/// Where the differing part of the schema exists: only in one of the two CRDs, or in both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Old,
    New,
    Both,
}

/// A difference.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Difference {
    pub(crate) kind: Kind,
    pub(crate) side: Side,
    /// The steps from the root to the node.
    pub(crate) steps: Vec<Step>,
    /// The old and the new value, in a few words.
    pub(crate) what: String,
    /// A sentence that names the changed part, if it is more specific than the sentence of the code.
    pub(crate) told: Option<String>,
}

/// All differences between two schemas.
#[derive(Default)]
pub(crate) struct Differences {
    pub(crate) found: Vec<Difference>,
    /// The number of nodes that differ only in keywords without an effect on validation.
    pub(crate) described: usize,
    /// The edited rules: the indices in `found` of the new and of the old rule.
    pub(crate) edited_rules: Vec<(usize, usize)>,
    steps: Vec<Step>,
}

impl Differences {
    pub(crate) fn of(old: &JsonSchemaProps, new: &JsonSchemaProps) -> Self {
        let mut differences = Self::default();
        differences.node(old, new);
        differences
    }

    /// The differences at the node of a difference and below it. They are neighbors, because the nodes are compared depth first.
    pub(crate) fn within(&self, n: usize) -> &[Difference] {
        let steps = &self.found[n].steps;
        let is_within = |it: &&Difference| it.steps.starts_with(steps);
        let before = self.found[..n].iter().rev().take_while(is_within).count();
        let after = self.found[n..].iter().take_while(is_within).count();
        &self.found[n - before..n + after]
    }

    fn push(&mut self, kind: Kind, side: Side, what: String) {
        self.found.push(Difference {
            kind,
            side,
            steps: self.steps.clone(),
            what,
            told: None,
        });
    }

    /// Sets the sentence of the last difference.
    fn tell(&mut self, told: String) {
        if let Some(last) = self.found.last_mut() {
            last.told = Some(told);
        }
    }

    /// Adds a difference if an optional keyword differs.
    fn keyword<T: PartialEq>(&mut self, kind: Kind, old: Option<&T>, new: Option<&T>, shown: impl Fn(&T) -> String) {
        if old == new {
            return;
        }
        let side = match (old, new) {
            (Some(_), None) => Side::Old,
            (None, Some(_)) => Side::New,
            _ => Side::Both,
        };
        let or_none = |it: Option<&T>| it.map_or_else(|| "none".to_owned(), &shown);
        let what = format!("{} → {}", or_none(old), or_none(new));
        let told = match (&kind, old, new) {
            (Kind::Bound(keyword), Some(old), Some(new)) => {
                Some(format!("`{keyword}` changed from {} to {}", shown(old), shown(new)))
            }
            (Kind::Bound(keyword), None, Some(new)) => Some(format!("`{keyword}: {}` was added", shown(new))),
            (Kind::Bound(keyword), Some(old), None) => Some(format!("`{keyword}: {}` was removed", shown(old))),
            _ => None,
        };
        self.push(kind, side, what);
        if let Some(told) = told {
            self.tell(told);
        }
    }

    fn node(&mut self, old: &JsonSchemaProps, new: &JsonSchemaProps) {
        if is_described_otherwise(old, new) {
            self.described += 1;
        }
        if type_of(old) != type_of(new) {
            let what = format!("{} → {}", type_of(old), type_of(new));
            self.push(Kind::Type, Side::Both, what);
            return;
        }
        self.scalars(old, new);
        self.junctors(old, new);
        self.rules(&old.x_validations, &new.x_validations);
        self.markers(old, new);
        self.required(old, new);
        self.properties(old, new);
        self.below(old, new);
    }

    fn scalars(&mut self, old: &JsonSchemaProps, new: &JsonSchemaProps) {
        let text = |it: &String| it.clone();
        let some = |it: &'_ String| (!it.is_empty()).then(|| it.clone());
        self.keyword(
            Kind::Format,
            some(&old.format).as_ref(),
            some(&new.format).as_ref(),
            text,
        );
        self.keyword(
            Kind::Pattern,
            some(&old.pattern).as_ref(),
            some(&new.pattern).as_ref(),
            text,
        );
        let numbers = [
            ("maximum", old.maximum, new.maximum),
            ("minimum", old.minimum, new.minimum),
        ];
        for (keyword, old, new) in numbers {
            self.keyword(Kind::Bound(keyword), old.as_ref(), new.as_ref(), f64::to_string);
        }
        let flags = [
            ("exclusiveMaximum", old.exclusive_maximum, new.exclusive_maximum),
            ("exclusiveMinimum", old.exclusive_minimum, new.exclusive_minimum),
        ];
        for (keyword, old, new) in flags {
            self.keyword(Kind::Bound(keyword), Some(&old), Some(&new), bool::to_string);
        }
        let counts = [
            ("maxLength", old.max_length, new.max_length),
            ("minLength", old.min_length, new.min_length),
            ("maxItems", old.max_items, new.max_items),
            ("minItems", old.min_items, new.min_items),
            ("maxProperties", old.max_properties, new.max_properties),
            ("minProperties", old.min_properties, new.min_properties),
        ];
        for (keyword, old, new) in counts {
            self.keyword(Kind::Bound(keyword), old.as_ref(), new.as_ref(), i64::to_string);
        }
        self.keyword(
            Kind::MultipleOf,
            old.multiple_of.as_ref(),
            new.multiple_of.as_ref(),
            f64::to_string,
        );
        let nulls = (Some(&old.nullable), Some(&new.nullable));
        self.keyword(Kind::Nullable, nulls.0, nulls.1, bool::to_string);
        if old.r#enum != new.r#enum {
            let listed = |these: &JsonSchemaProps, those: &JsonSchemaProps, sign: char| {
                let others: HashSet<_> = those.r#enum.iter().collect();
                let only = these.r#enum.iter().filter(|it| !others.contains(it));
                only.map(|it| format!("{sign}{it}"))
                    .take(MOST_LISTED)
                    .collect::<Vec<_>>()
            };
            let (mut gone, come) = (listed(old, new, '-'), listed(new, old, '+'));
            gone.extend(come);
            let side = match (old.r#enum.is_empty(), new.r#enum.is_empty()) {
                (true, false) => Side::New,
                (false, true) => Side::Old,
                _ => Side::Both,
            };
            gone.truncate(MOST_LISTED);
            self.push(Kind::Enum, side, gone.join(" "));
            let removed = gone.iter().filter_map(|it| it.strip_prefix('-')).map(shortened);
            let removed: Vec<_> = removed.map(|it| format!("`{it}`")).collect();
            match &removed[..] {
                _ if side != Side::Both => {}
                [] => {}
                [one] => self.tell(format!("{one} was removed from `enum`")),
                [first, more @ ..] => self.tell(format!("{first} and {} more were removed from `enum`", more.len())),
            }
        }
        let default = |it: &JsonSchemaProps| it.default.clone().filter(|it| !it.is_null());
        let short = |it: &serde_json::Value| shortened(&it.to_string());
        self.keyword(Kind::Default, default(old).as_ref(), default(new).as_ref(), short);
        self.keyword(
            Kind::UniqueItems,
            Some(&old.unique_items),
            Some(&new.unique_items),
            bool::to_string,
        );
    }

    fn junctors(&mut self, old: &JsonSchemaProps, new: &JsonSchemaProps) {
        for ((keyword, old_clauses), (_, new_clauses)) in old.clauses().into_iter().zip(new.clauses()) {
            let (old_clauses, new_clauses) = (plain_all(old, old_clauses), plain_all(new, new_clauses));
            if old_clauses != new_clauses {
                let what = format!("{} → {} branches", old_clauses.len(), new_clauses.len());
                self.push(Kind::Junctor(keyword), Side::Both, what);
            }
        }
        let not = |it: &JsonSchemaProps| it.not.as_deref().map(plain);
        if not(old) != not(new) {
            self.push(Kind::Junctor("not"), Side::Both, String::new());
        }
    }

    fn rules(&mut self, old: &[ValidationRule], new: &[ValidationRule]) {
        let mut added = Vec::new();
        let key = |it: &ValidationRule| (without_blanks(&it.rule), it.optional_old_self == Some(true));
        let mut left: BTreeMap<(String, bool), Vec<usize>> = BTreeMap::new();
        for (n, rule) in old.iter().enumerate() {
            left.entry(key(rule)).or_default().push(n);
        }
        for (n, rule) in new.iter().enumerate() {
            let known = left.get_mut(&key(rule)).filter(|it| !it.is_empty());
            let Some(known) = known else {
                added.push((n, self.found.len()));
                self.push(Kind::Rule(n), Side::New, shortened(&rule.rule));
                continue;
            };
            // An identical rule is preferred.
            let same = known.iter().position(|it| old[*it] == *rule);
            let before = &old[known.remove(same.unwrap_or(0))];
            if before != rule {
                self.push(Kind::RuleMessage(n), Side::Both, shortened(&rule.rule));
            }
        }
        let mut gone: Vec<usize> = left.into_values().flatten().collect();
        gone.sort_unstable();
        let mut removed = Vec::new();
        for n in gone {
            removed.push((n, self.found.len()));
            self.push(Kind::Rule(n), Side::Old, shortened(&old[n].rule));
        }
        self.edited_rules.extend(edited(&removed, &added, |was, is| {
            let message = &new[is].message;
            !message.is_empty() && *message == old[was].message
        }));
    }

    fn markers(&mut self, old: &JsonSchemaProps, new: &JsonSchemaProps) {
        let list = |it: &JsonSchemaProps| {
            let mut keys = it.x_list_map_keys.clone();
            keys.sort();
            let keys = if keys.is_empty() {
                String::new()
            } else {
                format!(" by {}", keys.join(", "))
            };
            // Lists are atomic by default.
            format!("{}{keys}", it.x_list_type.as_deref().unwrap_or("atomic"))
        };
        self.keyword(Kind::ListType, Some(&list(old)), Some(&list(new)), String::clone);
        let map = |it: &JsonSchemaProps| it.x_map_type.clone().unwrap_or_else(|| "granular".to_owned());
        self.keyword(Kind::MapType, Some(&map(old)), Some(&map(new)), String::clone);
        let preserves = |it: &JsonSchemaProps| it.x_preserve_unknown_fields == Some(true);
        self.keyword(
            Kind::Preserve,
            Some(&preserves(old)),
            Some(&preserves(new)),
            bool::to_string,
        );
        self.keyword(
            Kind::Embedded,
            Some(&old.x_embedded_resource),
            Some(&new.x_embedded_resource),
            bool::to_string,
        );
        let others = |it: &JsonSchemaProps| {
            (
                it.r#ref.clone(),
                it.pattern_properties.clone(),
                it.dependencies.clone(),
                it.additional_items.clone(),
                it.definitions.clone(),
            )
        };
        if (old.rare.get().is_some() || new.rare.get().is_some()) && others(old) != others(new) {
            self.push(Kind::Other, Side::Both, String::new());
        }
    }

    fn required(&mut self, old: &JsonSchemaProps, new: &JsonSchemaProps) {
        let names = |it: &JsonSchemaProps| it.required.iter().cloned().collect::<HashSet<_>>();
        let (before, now) = (names(old), names(new));
        for name in old.required.iter().filter(|it| !now.contains(*it)) {
            self.push(Kind::Required(name.clone()), Side::Old, name.clone());
        }
        for name in new.required.iter().filter(|it| !before.contains(*it)) {
            self.push(Kind::Required(name.clone()), Side::New, name.clone());
            self.tell(format!("`{}` became required", shortened(name)));
        }
    }

    fn properties(&mut self, old: &JsonSchemaProps, new: &JsonSchemaProps) {
        for (name, schema) in &old.properties {
            if let Some(other) = lookup(&new.properties, name) {
                self.steps.push(Step::Property(name.clone()));
                self.node(schema, other);
                self.steps.pop();
            } else {
                self.push(Kind::Property(name.clone()), Side::Old, name.clone());
            }
        }
        for (name, _) in &new.properties {
            if lookup(&old.properties, name).is_none() {
                self.push(Kind::Property(name.clone()), Side::New, name.clone());
            }
        }
    }

    fn below(&mut self, old: &JsonSchemaProps, new: &JsonSchemaProps) {
        let items = |it: &'_ JsonSchemaProps| it.items.is_some();
        if items(old) != items(new) {
            let side = if items(old) { Side::Old } else { Side::New };
            self.push(Kind::Items, side, String::new());
        }
        let (old_items, new_items) = (old.items.as_deref(), new.items.as_deref());
        if let (Some(old), Some(new)) = (
            old_items.and_then(|it| it.schema.as_deref()),
            new_items.and_then(|it| it.schema.as_deref()),
        ) {
            self.steps.push(Step::Items);
            self.node(old, new);
            self.steps.pop();
        }
        let (old, new) = (
            old.additional_properties.as_deref(),
            new.additional_properties.as_deref(),
        );
        if values_of(old) != values_of(new) {
            self.push(
                Kind::Values,
                Side::Both,
                format!("{} → {}", values_of(old), values_of(new)),
            );
            return;
        }
        if let (Some(old), Some(new)) = (
            old.and_then(|it| it.schema.as_deref()),
            new.and_then(|it| it.schema.as_deref()),
        ) {
            self.steps.push(Step::Values);
            self.node(old, new);
            self.steps.pop();
        }
    }
}

fn values_of(values: Option<&SchemaOrBool>) -> &'static str {
    match values {
        None => "none",
        Some(SchemaOrBool { schema: Some(_), .. }) => "a schema",
        Some(SchemaOrBool { allows: true, .. }) => "true",
        Some(_) => "false",
    }
}

/// The edited rules, as pairs of indices in the differences: the new rule and the old one. A rule counts as edited if it is the only rule that
/// differs, or if it has the index and the message of the old rule.
fn edited(
    removed: &[(usize, usize)],
    added: &[(usize, usize)],
    says_the_same: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    if let (&[(_, old)], &[(_, new)]) = (removed, added) {
        return vec![(new, old)];
    }
    let same_place = added.iter().filter_map(|&(position, new)| {
        let at = removed.binary_search_by_key(&position, |it| it.0).ok()?;
        says_the_same(position, position).then_some((new, removed[at].1))
    });
    same_place.collect()
}

/// The type for validating a value.
pub(crate) fn type_of(schema: &JsonSchemaProps) -> &str {
    if schema.x_int_or_string {
        "int-or-string"
    } else if schema.r#type.is_empty() {
        "any"
    } else {
        &schema.r#type
    }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 120;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

fn is_described_otherwise(old: &JsonSchemaProps, new: &JsonSchemaProps) -> bool {
    old.description != new.description
        || (old.title != new.title || old.example != new.example || old.external_docs != new.external_docs)
}

/// Removes insignificant blanks from a rule. A rule with a comment or an escape is returned unchanged.
fn without_blanks(rule: &str) -> String {
    if rule.contains('\\') || rule.contains("//") || rule.contains("\"\"\"") || rule.contains("'''") {
        return rule.trim().to_owned();
    }
    let mut found = String::with_capacity(rule.len());
    let mut quote = None;
    let mut chars = rule.chars().peekable();
    while let Some(it) = chars.next() {
        match quote {
            Some(mark) => {
                found.push(it);
                if it == mark {
                    quote = None;
                }
            }
            None if it.is_ascii_whitespace() => {
                let is_word = |it: Option<char>| it.is_some_and(|it| it.is_ascii_alphanumeric() || it == '_');
                let rest = chars.clone().find(|it| !it.is_ascii_whitespace());
                if is_word(found.chars().last()) && is_word(rest) {
                    found.push(' ');
                }
                while chars.next_if(char::is_ascii_whitespace).is_some() {}
            }
            None => {
                found.push(it);
                if it == '"' || it == '\'' {
                    quote = Some(it);
                }
            }
        }
    }
    found
}

/// A clause without the keywords that have no effect on validation.
pub(crate) fn plain(clause: &JsonSchemaProps) -> JsonSchemaProps {
    let mut clause = clause.clone();
    strip(&mut clause);
    clause
}

/// The clauses of a junctor, without keywords that have no effect on validation and without the redundant `anyOf` of an int-or-string.
pub(crate) fn plain_all(schema: &JsonSchemaProps, clauses: &[JsonSchemaProps]) -> Vec<JsonSchemaProps> {
    let is_any_of = std::ptr::eq(clauses, schema.any_of.as_slice());
    let clauses: Vec<_> = clauses.iter().map(plain).collect();
    let is_alone = |it: &JsonSchemaProps, name: &str| {
        *it == JsonSchemaProps {
            r#type: name.to_owned(),
            ..JsonSchemaProps::default()
        }
    };
    match &clauses[..] {
        [first, second]
            if schema.x_int_or_string && is_any_of && is_alone(first, "integer") && is_alone(second, "string") =>
        {
            Vec::new()
        }
        _ => clauses,
    }
}

fn strip(schema: &mut JsonSchemaProps) {
    schema.description.clear();
    schema.required.sort();
    if let Some(rare) = schema.rare.get_mut() {
        rare.title.clear();
        rare.example = None;
        rare.external_docs = None;
        let clauses = rare.all_of.iter_mut().chain(&mut rare.any_of).chain(&mut rare.one_of);
        clauses.chain(rare.not.as_deref_mut()).for_each(strip);
    }
    let items = schema.items.as_mut().and_then(|it| it.schema.as_deref_mut());
    let values = schema
        .additional_properties
        .as_mut()
        .and_then(|it| it.schema.as_deref_mut());
    items.into_iter().chain(values).for_each(strip);
    schema.properties.iter_mut().for_each(|(_, it)| strip(it));
}
