//! What is said of what was found.

use serde_json::Value;

use crate::node::{Asked, Case, Failed};
use crate::shrink::in_one_line;
use crate::{Hazard, codes};

/// Examples longer than this are told apart from the message, in bytes.
pub(crate) const MAX_IN_MESSAGE: usize = 120;

impl Asked<'_, '_> {
    /// The value as it is shown: of a resource without what every resource has.
    pub(crate) fn shown(&self, value: &Value) -> Value {
        let mut value = value.clone();
        if self.node.is_custom_resource()
            && let Some(fields) = value.as_object_mut()
            && !self.reads.has("metadata")
        {
            for name in ["apiVersion", "kind", "metadata"] {
                fields.remove(name);
            }
        }
        value
    }

    pub(crate) fn hazard(&self, code: &'static str, bytes: std::ops::Range<usize>, case: Option<&Case>) -> Hazard {
        Hazard {
            rule: self.n,
            code,
            bytes,
            message: String::new(),
            notes: Vec::new(),
            example: case.map(|it| self.shown(&it.sent)),
            old: case.and_then(|it| it.old.as_ref()).map(|it| self.shown(it)),
        }
    }

    pub(crate) fn hazard_of(&self, case: &Case, failed: &Failed, words: &str) -> Hazard {
        let Failed { site, message } = failed;
        let subject = &site.subject;
        let what = match site.code {
            codes::OPTIONAL_FIELD_READ => format!("{subject} may be absent"),
            codes::ABSENT_MAP_KEY => format!("the map may have no key {subject}"),
            codes::UNGUARDED_INDEX => format!("there may be no {subject}"),
            codes::DIVISION_BY_ZERO => format!("{subject} may be zero"),
            codes::INTEGER_OVERFLOW => format!("{subject} may be too large"),
            codes::OLD_SELF_ON_CREATE => "there is no old value when the object is created".to_owned(),
            _ => format!("{subject} can fail"),
        };
        let mut hazard = self.hazard(site.code, site.bytes.clone(), Some(case));
        let example = Self::told(&hazard);
        hazard.message = if example.len() <= MAX_IN_MESSAGE {
            format!("{what}: {example} is accepted by the schema, and this rule then ends in {message:?}")
        } else {
            hazard.notes.push(format!("an example: {example}"));
            format!("{what}: the schema accepts that, and this rule then ends in {message:?}")
        };
        hazard.notes.push(server_says(words));
        hazard
    }

    /// The example, in words.
    pub(crate) fn told(hazard: &Hazard) -> String {
        let example = hazard.example.as_ref().map(in_one_line).unwrap_or_default();
        match &hazard.old {
            Some(old) if Some(old) == hazard.example.as_ref() => format!("{example}, unchanged,"),
            Some(old) => format!("{example} in place of {}", in_one_line(old)),
            None => example,
        }
    }
}

/// The words of an error without the place, which is that of the rule.
pub(crate) fn server_says(words: &str) -> String {
    format!("the server says: {}", words.strip_prefix("<nil>: ").unwrap_or(words))
}
