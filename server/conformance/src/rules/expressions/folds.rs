//! Generates macro calls, and list and map literals that contain expressions.

use crd_analyzer_cel::types::Type;

use super::super::pick;
use super::Expressions;

impl Expressions<'_> {
    pub(super) fn with(&mut self, variables: &[(&str, Type)], want: &Type, depth: u8) -> String {
        for (name, ty) in variables {
            self.declare(name, ty.clone());
        }
        let made = self.of(want, depth);
        self.scope.truncate(self.scope.len() - variables.len());
        made
    }

    /// A list or map to iterate over, and the types of its keys and values.
    fn range(&mut self, depth: u8) -> (String, Type, Type) {
        let known = self
            .chance(75.0)
            .then(|| self.one_path(|ty| matches!(ty, Type::List(_) | Type::Map(_))))
            .flatten();
        let (range, ty) = known.unwrap_or_else(|| {
            let element = self.any_type(1);
            let ty = if self.chance(70.0) {
                Type::list(element)
            } else {
                Type::map(Type::String, element)
            };
            (self.target(&ty, depth), ty)
        });
        match &ty {
            Type::Map(types) => (range, types[0].clone(), types[1].clone()),
            Type::List(element) => (range, Type::Int, (**element).clone()),
            _ => (range, Type::Dyn, Type::Dyn),
        }
    }

    /// A macro call, or a literal that contains expressions.
    pub(super) fn folded(&mut self, want: &Type, depth: u8) -> Option<String> {
        let name = pick(self.rng, &["x", "y", "e", "k", "i", "name", "self"]);
        let two = self.has_two_variables && self.chance(30.0);
        if let Some(of) = want.optional_of() {
            return Some(self.optional(of, depth));
        }
        Some(match want {
            Type::Bool => {
                if self.chance(20.0) {
                    let (path, ty) = self.one_path(|ty| matches!(ty, Type::Struct(_) | Type::Map(_)))?;
                    let field = match &ty {
                        Type::Struct(name) => {
                            let fields = self.objects.get(name).filter(|it| !it.is_empty())?;
                            fields[self.rng.usize(..fields.len())].0.to_string()
                        }
                        _ => pick(self.rng, &["a", "b", "abc"]).to_owned(),
                    };
                    return Some(format!("has({path}.{field})"));
                }
                let (range, key, value) = self.range(depth);
                if two {
                    let quantifier = pick(self.rng, &["all", "exists", "existsOne", "exists_one"]);
                    let condition = self.with(&[("i", key), ("v", value)], want, depth);
                    format!("{range}.{quantifier}(i, v, {condition})")
                } else {
                    let quantifier = pick(self.rng, &["all", "exists", "exists_one", "existsOne"]);
                    let element = if range.ends_with(']') || key == Type::Int {
                        value
                    } else {
                        key
                    };
                    let condition = self.with(&[(name, element)], want, depth);
                    format!("{range}.{quantifier}({name}, {condition})")
                }
            }
            Type::List(element) => match self.rng.u8(..8) {
                0..2 => {
                    let mut items = Vec::new();
                    for _ in 0..=self.rng.usize(..3) {
                        items.push(if self.chance(8.0) {
                            format!("?{}", self.of(&Type::optional((**element).clone()), depth))
                        } else {
                            self.of(element, depth)
                        });
                    }
                    format!("[{}]", items.join(", "))
                }
                2..4 => {
                    let range = self.target(want, depth);
                    let condition = self.with(&[(name, (**element).clone())], &Type::Bool, depth);
                    format!("{range}.filter({name}, {condition})")
                }
                4 => {
                    let range = self.target(want, depth);
                    let key = self.any_type(0);
                    let key = self.with(&[(name, (**element).clone())], &key, depth);
                    format!("{range}.sortBy({name}, {key})")
                }
                _ => {
                    let (range, key, value) = self.range(depth);
                    let condition = self.chance(30.0);
                    if two {
                        let variables = [("i", key), ("v", value)];
                        let condition = if condition {
                            self.with(&variables, &Type::Bool, depth) + ", "
                        } else {
                            String::new()
                        };
                        let item = self.with(&variables, element, depth);
                        return Some(format!("{range}.transformList(i, v, {condition}{item})"));
                    }
                    let variables = [(name, if key == Type::Int { value } else { key })];
                    let condition = if condition {
                        self.with(&variables, &Type::Bool, depth) + ", "
                    } else {
                        String::new()
                    };
                    let item = self.with(&variables, element, depth);
                    format!("{range}.map({name}, {condition}{item})")
                }
            },
            Type::Map(types) => {
                if !two || self.chance(40.0) {
                    let mut entries = Vec::new();
                    for _ in 0..=self.rng.usize(..2) {
                        let optional = self.chance(6.0);
                        let ty = if optional {
                            Type::optional(types[1].clone())
                        } else {
                            types[1].clone()
                        };
                        let mark = if optional { "?" } else { "" };
                        entries.push(format!("{mark}{}: {}", self.of(&types[0], depth), self.of(&ty, depth)));
                    }
                    return Some(format!("{{{}}}", entries.join(", ")));
                }
                let (range, key, value) = self.range(depth);
                let variables = [("i", key), ("v", value)];
                let condition = if self.chance(30.0) {
                    self.with(&variables, &Type::Bool, depth) + ", "
                } else {
                    String::new()
                };
                let value = self.with(&variables, &types[1], depth);
                if self.rng.bool() {
                    format!("{range}.transformMap(i, v, {condition}{value})")
                } else {
                    let key = self.with(&variables, &types[0], depth);
                    format!("{range}.transformMapEntry(i, v, {condition}{{{key}: {value}}})")
                }
            }
            _ => return None,
        })
    }

    fn optional(&mut self, of: &Type, depth: u8) -> String {
        let whole = Type::optional(of.clone());
        match self.rng.u8(..8) {
            0..2 => {
                let mut fields = Vec::new();
                for (path, ty) in self.scope.iter().flatten() {
                    if let Type::Struct(name) = ty {
                        let fitting = self.objects.get(name).into_iter().flatten().filter(|it| it.1 == *of);
                        fields.extend(fitting.map(|field| format!("{path}.?{}", field.0)));
                    }
                }
                if fields.is_empty() {
                    self.simple(&whole)
                } else {
                    fields.swap_remove(self.rng.usize(..fields.len()))
                }
            }
            2 => {
                let list = self.target(&Type::list(of.clone()), depth);
                format!("{list}[?{}]", self.of(&Type::Int, depth))
            }
            3 => {
                let map = self.target(&Type::map(Type::String, of.clone()), depth);
                format!("{map}[?{}]", self.of(&Type::String, depth))
            }
            4..6 => {
                let from = self.any_type(0);
                let target = self.target(&Type::optional(from.clone()), depth);
                let value = self.with(&[("o", from)], of, depth);
                format!("{target}.optMap(o, {value})")
            }
            6 => {
                let from = self.any_type(0);
                let target = self.target(&Type::optional(from.clone()), depth);
                let value = self.with(&[("o", from)], &whole, depth);
                format!("{target}.optFlatMap(o, {value})")
            }
            _ => self.call(&whole, depth),
        }
    }
}
