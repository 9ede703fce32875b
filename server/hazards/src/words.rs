//! The texts of hazards.

use crd_analyzer_cel::decls::Role;
use serde_json::Value;

use crate::node::{Case, CheckedRule, Failed};
use crate::shrink::in_one_line;
use crate::{Hazard, codes};

/// The help for a schema, and for the Go types from which it is generated: a guard of the rule, or another schema.
fn in_both(guard: &str, schema: &str, types: &str) -> (String, Option<String>) {
    (format!("{guard}, or {schema}"), Some(format!("{guard}, or {types}")))
}

impl CheckedRule<'_, '_> {
    /// The value in the form that is shown to the user. Fields that exist in every resource are removed.
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
            headline: String::new(),
            label: "",
            help: String::new(),
            help_in_go: None,
            notes: Vec::new(),
            example: case.map(|it| self.shown(&it.sent)),
            old: case.and_then(|it| it.old.as_ref()).map(|it| self.shown(it)),
        }
    }

    pub(crate) fn hazard_of(&self, case: &Case, failed: &Failed, words: &str) -> Hazard {
        let site = &failed.site;
        let mut hazard = self.hazard(site.code, site.bytes.clone(), Some(case));
        let part = self.part(&site.bytes);
        let subject = clip(&site.subject);
        let old = self.name_of(Role::OldValue);
        let same = |help: String| (help, None);
        let (headline, label, (help, help_in_go)) = match site.code {
            codes::OPTIONAL_FIELD_READ if part.contains('(') => (
                format!("this rule fails when `{subject}` has no value"),
                "may have no value",
                same("guard it with `.hasValue()`, or give another value with `.orValue(…)`".to_owned()),
            ),
            codes::OPTIONAL_FIELD_READ => (
                // The message names the whole path to distinguish the old value's field from the same field of the new value.
                if !old.is_empty() && part.starts_with(old) {
                    format!("this rule fails when `{part}` is not set")
                } else {
                    format!("this rule fails when `{subject}` is not set")
                },
                "may not be set",
                in_both(
                    &format!(
                        "guard it with `!has({part}) || …` to accept objects without it, with `has({part}) && …` to \
                         reject them"
                    ),
                    &format!("list `{subject}` in `required`"),
                    &format!("add `+required` to the field `{subject}`"),
                ),
            ),
            codes::ABSENT_MAP_KEY => (
                format!("this rule fails when the map has no key `{subject}`"),
                "the key may be missing",
                same(match part.strip_suffix(']').and_then(|it| it.rsplit_once('[')) {
                    Some((map, key)) => format!(
                        "guard it with `!({key} in {map}) || …` to accept objects without it, or with `{key} in {map} && \
                         …` to reject them"
                    ),
                    None => format!(
                        "guard it with `!has({part}) || …` to accept objects without it, or with `has({part}) && …` to \
                         reject them"
                    ),
                }),
            ),
            codes::UNGUARDED_INDEX => {
                let index = part.strip_suffix(']').and_then(|it| it.rsplit_once('['));
                (
                    format!("this rule fails when the list has no `{subject}`"),
                    "the list may be shorter",
                    in_both(
                        &index.map_or_else(
                            || "guard it with the size of the list".to_owned(),
                            |(list, index)| format!("guard it with `size({list}) <= {index} || …`"),
                        ),
                        "set `minItems`",
                        "add `+kubebuilder:validation:MinItems` to the list",
                    ),
                )
            }
            codes::DIVISION_BY_ZERO => (
                format!("this rule fails when `{subject}` is 0"),
                "may divide by 0",
                in_both(
                    &format!("guard it with `{subject} == 0 || …`"),
                    "set `minimum: 1`",
                    "add `+kubebuilder:validation:Minimum=1` to the field",
                ),
            ),
            codes::INTEGER_OVERFLOW => (
                format!("this rule fails when `{subject}` is too large for an integer"),
                "may be too large",
                (
                    "set `maximum` on the numbers".to_owned(),
                    Some("add `+kubebuilder:validation:Maximum` to the numbers".to_owned()),
                ),
            ),
            codes::OLD_SELF_ON_CREATE => (
                format!("this rule fails when the object is created, because `{old}` has no value yet"),
                "no old value yet",
                same(format!("guard it with `!{old}.hasValue() || …`")),
            ),
            _ => (
                format!("this rule fails for some values: `{subject}` ends in an error"),
                "can end in an error",
                same("guard it with a condition, or allow fewer values in the schema".to_owned()),
            ),
        };
        hazard.headline = headline;
        hazard.label = label;
        hazard.help = help;
        hazard.help_in_go = help_in_go;
        hazard.notes.push(passes(&Self::told(&hazard)));
        hazard.notes.push(server_reports(words));
        hazard
    }

    /// The name of the variable with this role; empty without such a variable.
    pub(crate) fn name_of(&self, role: Role) -> &str {
        self.node.context.variable_of(role).map_or("", |it| &it.name)
    }

    /// A part of the rule on one line.
    fn part(&self, bytes: &std::ops::Range<usize>) -> String {
        let written = self.text().get(bytes.clone()).unwrap_or_default();
        clip(&written.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// The example for a note, in Markdown.
    pub(crate) fn told(hazard: &Hazard) -> String {
        let example = hazard.example.as_ref().map(in_one_line).unwrap_or_default();
        match &hazard.old {
            Some(old) if Some(old) == hazard.example.as_ref() => format!("`{example}`, stored before and sent again,"),
            Some(old) => format!("`{example}` after the stored `{}`", in_one_line(old)),
            None => format!("`{example}`"),
        }
    }
}

/// The note that the schema accepts an example, which is in Markdown.
pub(crate) fn passes(example: &str) -> String {
    format!("for example, {example} passes the schema")
}

/// The note with the API server's message. The position is left out, because it is the position of the rule.
pub(crate) fn server_reports(words: &str) -> String {
    let words = words.strip_prefix("<nil>: ").unwrap_or(words);
    format!("the API server then reports: {words}")
}

/// Shortens a string for a headline.
fn clip(text: &str) -> String {
    const MAX: usize = 44;
    match text.char_indices().nth(MAX) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}
