//! Selects the objects to which a patch or a replacement applies (`sigs.k8s.io/kustomize/api/types/selector.go`).

use std::sync::Arc;

use crd_analyzer_goregexp::GoRegex;

use crate::{
    id::{Gvk, ResId},
    node::Place,
    problem::{Problem, ProblemKind, Result},
    resource::Resource,
    spend,
};

/// The work units for each object that is checked.
const A_LOOK: usize = 100;

/// A selector as written.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Selector {
    pub(crate) place: Place,
    /// The places of the fields of `id`.
    pub(crate) fields: Vec<(Field, Place)>,
    pub(crate) id: ResId,
    pub(crate) labels: Arc<str>,
    pub(crate) annotations: Arc<str>,
}

/// A field of an id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Field {
    Kind,
    Group,
    Version,
    Name,
    Namespace,
}

impl Field {
    pub(crate) const ALL: [Self; 5] = [Self::Kind, Self::Group, Self::Version, Self::Name, Self::Namespace];

    /// The key of the field in a kustomization.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Kind => "kind",
            Self::Group => "group",
            Self::Version => "version",
            Self::Name => "name",
            Self::Namespace => "namespace",
        }
    }

    /// The value of the field in an id.
    pub(crate) fn of(self, id: &ResId) -> &Arc<str> {
        match self {
            Self::Kind => &id.gvk.kind,
            Self::Group => &id.gvk.group,
            Self::Version => &id.gvk.version,
            Self::Name => &id.name,
            Self::Namespace => &id.namespace,
        }
    }
}

/// The compiled patterns of a selector.
pub(crate) struct Patterns {
    place: Place,
    group: Option<GoRegex>,
    version: Option<GoRegex>,
    kind: Option<GoRegex>,
    name: Option<GoRegex>,
    namespace: Option<GoRegex>,
}

impl Selector {
    pub(crate) fn patterns(&self) -> Result<Patterns> {
        let pattern = |text: &str| {
            if text.is_empty() {
                return Ok(None);
            }
            let regex = GoRegex::new(&format!("^(?:{text})$"));
            let invalid = |_| Problem::fails(self.place, format!("`{text}` is not a regular expression"));
            regex.map(Some).map_err(invalid)
        };
        Ok(Patterns {
            place: self.place,
            group: pattern(&self.id.gvk.group)?,
            version: pattern(&self.id.gvk.version)?,
            kind: pattern(&self.id.gvk.kind)?,
            name: pattern(&self.id.name)?,
            namespace: pattern(&self.id.namespace)?,
        })
    }

    /// Whether this target of a patch selects an object (`Select`).
    pub(crate) fn selects(&self, patterns: &Patterns, resource: &Resource) -> Result<bool> {
        spend::work(A_LOOK)?;
        let (now, first) = (resource.id(), resource.first_id());
        for field in Field::ALL {
            if !patterns.is_field(field, (&now, &first))? {
                return Ok(false);
            }
        }
        self.matches_labels(resource)
    }

    /// Whether the label and annotation selectors match an object.
    pub(crate) fn matches_labels(&self, resource: &Resource) -> Result<bool> {
        let matches = |selector: &str, field: &str| -> Result<bool> {
            if selector.is_empty() {
                return Ok(true);
            }
            spend::work(selector.len() + A_LOOK)?;
            let requirements = parse(selector)
                .ok_or_else(|| Problem::fails(self.place, format!("`{selector}` is not a label selector")))?;
            let texts = resource.texts(field);
            spend::work(requirements.len() * texts.len())?;
            let value = |key: &str| texts.iter().rfind(|it| *it.0 == *key).map(|it| &*it.1);
            Ok(requirements.iter().all(|it| it.matches(value(&it.key))))
        };
        Ok(matches(&self.annotations, "annotations")? && matches(&self.labels, "labels")?)
    }

    pub(crate) fn has_id(&self) -> bool {
        self.id != ResId::default()
    }
}

impl Patterns {
    fn matches(&self, regex: Option<&GoRegex>, text: &str) -> Result<bool> {
        let too_large = |_| Problem::new(ProblemKind::TooLarge, self.place, "the pattern takes too much work");
        regex.map_or(Ok(true), |it| it.is_match(text).map_err(too_large))
    }

    fn is_name(&self, name: &str) -> Result<bool> {
        self.matches(self.name.as_ref(), name)
    }

    fn is_namespace(&self, namespace: &str) -> Result<bool> {
        self.matches(self.namespace.as_ref(), namespace)
    }

    fn is_kind(&self, gvk: &Gvk) -> Result<bool> {
        Ok(self.matches(self.group.as_ref(), &gvk.group)?
            && self.matches(self.version.as_ref(), &gvk.version)?
            && self.matches(self.kind.as_ref(), &gvk.kind)?)
    }

    /// Whether a field of a target selects an object: see [`Selector::selects`].
    pub(crate) fn is_field(&self, field: Field, (now, first): (&ResId, &ResId)) -> Result<bool> {
        match field {
            Field::Kind => self.matches(self.kind.as_ref(), &now.gvk.kind),
            Field::Group => self.matches(self.group.as_ref(), &now.gvk.group),
            Field::Version => self.matches(self.version.as_ref(), &now.gvk.version),
            Field::Name => Ok(self.is_name(&first.name)? || self.is_name(&now.name)?),
            Field::Namespace => {
                Ok(self.is_namespace(first.effective_namespace())? || self.is_namespace(now.effective_namespace())?)
            }
        }
    }

    /// Whether the patterns match an id (`TargetSelectorRegex.Selects`).
    pub(crate) fn is_id(&self, id: &ResId) -> Result<bool> {
        Ok(self.is_kind(&id.gvk)? && self.is_name(&id.name)? && self.is_namespace(&id.namespace)?)
    }
}

/// A requirement in a label selector.
struct Requirement {
    key: String,
    operator: Operator,
}

enum Operator {
    Exists,
    Absent,
    In(Vec<String>),
    NotIn(Vec<String>),
    Greater(i64),
    Less(i64),
}

impl Requirement {
    fn matches(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|it| it.parse::<i64>().ok());
        match &self.operator {
            Operator::Exists => value.is_some(),
            Operator::Absent => value.is_none(),
            Operator::In(values) => value.is_some_and(|it| values.iter().any(|value| value == it)),
            Operator::NotIn(values) => value.is_none_or(|it| values.iter().all(|value| value != it)),
            Operator::Greater(bound) => number().is_some_and(|it| it > *bound),
            Operator::Less(bound) => number().is_some_and(|it| it < *bound),
        }
    }
}

/// Parses a label selector (`k8s.io/apimachinery/pkg/labels`). `None` if it is invalid.
fn parse(text: &str) -> Option<Vec<Requirement>> {
    let mut parts: Vec<String> = vec![String::new()];
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut()?.push(c);
    }
    parts.iter().map(|it| requirement(it.trim())).collect()
}

fn requirement(text: &str) -> Option<Requirement> {
    let made = |key: &str, operator| {
        let key = key.trim();
        let is_key = !key.is_empty()
            && key
                .bytes()
                .all(|it| it.is_ascii_alphanumeric() || b"-_./".contains(&it));
        is_key.then(|| Requirement {
            key: key.to_owned(),
            operator,
        })
    };
    let one = |value: &str| vec![value.trim().to_owned()];
    if let Some(key) = text.strip_prefix('!') {
        return made(key, Operator::Absent);
    }
    if let Some((key, value)) = text.split_once("!=") {
        return made(key, Operator::NotIn(one(value)));
    }
    if let Some((key, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
        return made(key, Operator::In(one(value)));
    }
    if let Some((key, value)) = text.split_once('>') {
        return made(key, Operator::Greater(value.trim().parse().ok()?));
    }
    if let Some((key, value)) = text.split_once('<') {
        return made(key, Operator::Less(value.trim().parse().ok()?));
    }
    if let Some((left, values)) = text.strip_suffix(')').and_then(|it| it.split_once('(')) {
        let values = values.split(',').map(|it| it.trim().to_owned()).collect();
        let (key, operator) = left.trim().split_once(char::is_whitespace)?;
        return match operator.trim() {
            "in" => made(key, Operator::In(values)),
            "notin" => made(key, Operator::NotIn(values)),
            _ => None,
        };
    }
    made(text, Operator::Exists)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(selector: &str, value: Option<&str>, expected: Option<bool>) {
        let found = parse(selector).map(|it| it.iter().all(|it| it.matches(value)));
        assert_eq!(found, expected, "of {selector:?}");
    }

    #[test]
    fn label_selectors() {
        check("a=b", Some("b"), Some(true));
        check("a == b, a", Some("b"), Some(true));
        check("a!=b", None, Some(true));
        check("a in (b, c),a", Some("c"), Some(true));
        check("a notin (b, c)", Some("c"), Some(false));
        check("!a", Some("c"), Some(false));
        check("a b", None, None);
    }
}
