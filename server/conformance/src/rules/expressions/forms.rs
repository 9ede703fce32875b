//! Generates expressions from a table of forms, which combine functions and operators.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use crd_analyzer_cel::types::Type;

use super::super::{constants, literals, pick, texts};
use super::Expressions;
use super::types::{substitute, unify};

/// Types, each with a form for expressions of this type.
static FORMS: LazyLock<Vec<(Type, &str)>> = LazyLock::new(|| {
    include_str!("forms.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let (ty, form) = line
                .split_once(" => ")
                .unwrap_or_else(|| unreachable!("no arrow in {line}"));
            (type_of(ty), form)
        })
        .collect()
});

/// Names for placeholders in forms.
const NAMES: &[&str] = &[
    "a", "b", "c", "abc", "name", "spec", "items", "zzz", "size", "kind", "metadata", "x", "value", "map",
];

fn type_of(text: &str) -> Type {
    let text = text.replace("opt(", "optional_type(");
    text.parse().unwrap_or_else(|error| unreachable!("{text}: {error}"))
}

impl Expressions<'_> {
    /// An expression of this type from a form. `None` if no form has this type.
    pub(super) fn form(&mut self, want: &Type, depth: u8) -> Option<String> {
        let fitting: Vec<&(Type, &str)> = FORMS
            .iter()
            .filter(|(ty, _)| unify(ty, want, &mut HashMap::new()))
            .collect();
        if fitting.is_empty() {
            return None;
        }
        let (ty, form) = fitting[self.rng.usize(..fitting.len())];
        let mut bound = HashMap::new();
        unify(ty, want, &mut bound);
        let made = self.filled(form, &mut bound, depth);
        Some(if self.rng.u8(..4) > 0 && !form.ends_with([')', ']']) {
            format!("({made})")
        } else {
            made
        })
    }

    fn filled(&mut self, form: &str, bound: &mut HashMap<Arc<str>, Type>, depth: u8) -> String {
        let mut made = String::new();
        let mut rest = form;
        while let Some((before, after)) = rest.split_once('‹') {
            let Some((place, after)) = after.split_once('›') else {
                break;
            };
            made.push_str(before);
            let filling = self.filling(place, bound, depth);
            // An operand that binds less strongly than the following selection or index needs parentheses.
            if after.starts_with(['.', '[']) && !filling.ends_with([')', ']', '\'']) {
                made = format!("{made}({filling})");
            } else {
                made.push_str(&filling);
            }
            rest = after;
        }
        made + rest
    }

    fn filling(&mut self, place: &str, bound: &mut HashMap<Arc<str>, Type>, depth: u8) -> String {
        if let Some(kind) = place.strip_prefix('#') {
            return self.literal_of(kind, depth);
        }
        if let Some(ty) = place.strip_prefix('*') {
            let element = self.bound_type(ty, bound);
            let count = 11 + self.rng.usize(..25);
            let items: Vec<String> = (0..count).map(|_| self.of(&element, 0)).collect();
            return format!("[{}]", items.join(", "));
        }
        if place == "?" {
            let ty = self.any_type(1);
            return self.of(&ty, depth);
        }
        let (ty, variables) = place.split_once('|').unwrap_or((place, ""));
        let ty = self.bound_type(ty, bound);
        let variables: Vec<(&str, Type)> = variables
            .split(',')
            .filter_map(|it| it.split_once(':'))
            .map(|(name, ty)| (name, self.bound_type(ty, bound)))
            .collect();
        self.with(&variables, &ty, depth)
    }

    /// Parses a type. Chooses its type parameters if they are not bound yet.
    fn bound_type(&mut self, text: &str, bound: &mut HashMap<Arc<str>, Type>) -> Type {
        let ty = type_of(text);
        let mut open = vec![ty.clone()];
        while let Some(ty) = open.pop() {
            if let Type::Param(name) = &ty
                && !bound.contains_key(name)
            {
                let chosen = if ["K", "L"].contains(&&**name) {
                    [Type::String, Type::String, Type::Int, Type::Bool, Type::Uint][self.rng.usize(..5)].clone()
                } else {
                    self.any_type(1)
                };
                bound.insert(name.clone(), chosen);
            }
            open.extend(ty.parameters().iter().cloned());
        }
        substitute(&ty, bound)
    }

    fn literal_of(&mut self, kind: &str, depth: u8) -> String {
        match kind {
            "name" => {
                let fields: Vec<Arc<str>> = self.objects.values().flatten().map(|it| it.0.clone()).collect();
                if !fields.is_empty() && self.rng.u8(..4) == 0 {
                    return fields[self.rng.usize(..fields.len())].to_string();
                }
                pick(self.rng, NAMES).to_owned()
            }
            "index" if self.rng.u8(..4) == 0 => self.of(&Type::Int, depth.min(1)),
            "index" => constants::index(self.rng),
            "small" => pick(self.rng, &["0", "1", "3", "12", "13", "40", "-1"]).to_owned(),
            "int" => constants::int(self.rng),
            "uint" => constants::uint(self.rng),
            "double" => constants::double(self.rng),
            "template" => {
                let template = texts::template(self.rng);
                constants::quoted(self.rng, &template)
            }
            _ => {
                let function = kind.strip_prefix("text:").unwrap_or(kind);
                literals::text_for(self.rng, function).unwrap_or_else(|| "''".to_owned())
            }
        }
    }
}
