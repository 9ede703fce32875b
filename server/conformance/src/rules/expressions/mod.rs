//! Random expressions: calls of the declared functions, macros and operators. They nearly always have the requested type.

mod folds;
mod forms;
mod oddities;
mod types;

use std::collections::HashMap;
use std::sync::Arc;

use crd_analyzer_cel::ast::operators;
use crd_analyzer_cel::decls::{Environment, OverloadDecl};
use crd_analyzer_cel::types::{DeclType, Type};
use fastrand::Rng;

use self::oddities::{FAILURES, ODDITIES, OVERSIZED};
use self::types::{collect, operator_of, substitute, unify};
use super::{literals, pick};

/// Expressions with more bytes than this are not extended.
const LONG: usize = 1500;
/// The maximum length of a path into an object.
const MAX_STEPS: u8 = 4;
/// The maximum number of paths from one variable.
const MAX_PATHS: usize = 80;

/// Generates expressions about one schema.
pub(super) struct Expressions<'a> {
    rng: &'a mut Rng,
    functions: Vec<(Arc<str>, Vec<Arc<OverloadDecl>>)>,
    objects: HashMap<Arc<str>, Vec<(Arc<str>, Type)>>,
    /// The names in scope with their types.
    scope: Vec<Vec<(String, Type)>>,
    has_two_variables: bool,
    /// Whether the API server rejects large lists before it creates them.
    limits_sizes: bool,
    /// The percentage of parts that have any type (`dyn`). The checker accepts these parts, but they may fail at run time.
    dynamic: f64,
}

impl<'a> Expressions<'a> {
    /// Creates a generator for a schema of this type, with the functions of this environment.
    pub(super) fn new(rng: &'a mut Rng, environment: &Environment, this: &DeclType) -> Self {
        let mut functions: Vec<_> = environment
            .functions()
            .filter(|it| match operators::display_name(&it.name) {
                Some(operator) => !operator.is_empty(),
                None => !it.name.starts_with('@'),
            })
            .map(|it| (it.name.clone(), it.overloads.clone()))
            .collect();
        functions.sort_by(|a, b| a.0.cmp(&b.0));
        let mut objects = HashMap::new();
        collect(this, "selfType", &mut objects);
        let mut made = Self {
            rng,
            functions,
            objects,
            scope: Vec::new(),
            has_two_variables: environment.features().version.number() >= 33,
            limits_sizes: environment.features().version.number() >= 37,
            dynamic: 0.0,
        };
        if made.chance(25.0) {
            made.dynamic = [3.0, 10.0, 25.0][made.rng.usize(..3)];
        }
        made.declare("self", this.cel_type("selfType"));
        made
    }

    /// Adds a variable.
    pub(super) fn declare(&mut self, name: &str, ty: Type) {
        let mut paths = Vec::new();
        self.walk(name, ty, 0, &mut paths);
        self.scope.push(paths);
    }

    /// The type of `self`.
    pub(super) fn self_type(&self) -> Type {
        self.scope[0][0].1.clone()
    }

    fn walk(&self, path: &str, ty: Type, steps: u8, paths: &mut Vec<(String, Type)>) {
        if paths.len() >= MAX_PATHS {
            return;
        }
        paths.push((path.to_owned(), ty.clone()));
        if steps == MAX_STEPS {
            return;
        }
        let (of, is_optional) = match ty.optional_of() {
            Some(of) => (of.clone(), true),
            None => (ty, false),
        };
        if let Type::Struct(name) = &of {
            for (field, ty) in self.objects.get(name).into_iter().flatten() {
                let ty = if is_optional {
                    Type::optional(ty.clone())
                } else {
                    ty.clone()
                };
                self.walk(&format!("{path}.{field}"), ty, steps + 1, paths);
            }
        }
    }

    fn chance(&mut self, percent: f64) -> bool {
        self.rng.f64() * 100.0 < percent
    }

    fn one_path(&mut self, fits: impl Fn(&Type) -> bool) -> Option<(String, Type)> {
        let fitting: Vec<&(String, Type)> = self.scope.iter().flatten().filter(|it| fits(&it.1)).collect();
        (!fitting.is_empty()).then(|| fitting[self.rng.usize(..fitting.len())].clone())
    }

    /// A random type that expressions often have.
    pub(super) fn any_type(&mut self, depth: u8) -> Type {
        match self.rng.u8(..if depth == 0 { 75 } else { 100 }) {
            0..16 => Type::Int,
            16..32 => Type::String,
            32..42 => Type::Bool,
            42..48 => Type::Double,
            48..53 => Type::Uint,
            53..57 => Type::Bytes,
            57..62 => Type::Timestamp,
            62..67 => Type::Duration,
            67..69 => Type::Dyn,
            69..71 => Type::Null,
            71..75 => self
                .one_path(|ty| matches!(ty, Type::Struct(_)))
                .map_or(Type::Int, |it| it.1),
            75..88 => Type::list(self.any_type(depth - 1)),
            88..95 => {
                let key = [Type::String, Type::String, Type::Int, Type::Bool, Type::Uint][self.rng.usize(..5)].clone();
                Type::map(key, self.any_type(depth - 1))
            }
            _ => Type::optional(self.any_type(depth - 1)),
        }
    }

    /// An expression of this type.
    pub(super) fn of(&mut self, want: &Type, depth: u8) -> String {
        if self.chance(1.0) {
            let other = self.any_type(1);
            return self.of(&other, depth);
        }
        if self.chance(0.5) {
            return pick(self.rng, ODDITIES).to_owned();
        }
        if *want == Type::Dyn && self.chance(60.0) {
            let other = self.any_type(1);
            return self.of(&other, depth);
        }
        if self.dynamic > 0.0 && self.chance(self.dynamic) {
            let other = self.any_type(1);
            return format!("dyn({})", self.of(&other, depth.saturating_sub(1)));
        }
        let is_leaf = depth == 0;
        if self.chance(if is_leaf { 80.0 } else { 30.0 })
            && let Some((path, _)) = self.one_path(|ty| ty == want)
        {
            return path;
        }
        if is_leaf || self.chance(8.0) {
            return self.simple(want);
        }
        let below = depth - 1;
        if *want == Type::Bool && self.chance(4.0) {
            return self.around_failure(below);
        }
        match self.rng.u8(..100) {
            0..6 => {
                let condition = self.of(&Type::Bool, below);
                format!("({condition} ? {} : {})", self.of(want, below), self.of(want, below))
            }
            6..11 => {
                let list = self.target(&Type::list(want.clone()), below);
                let index = self.of(&Type::Int, below);
                format!("{list}[{index}]")
            }
            11..15 => {
                let key = [Type::String, Type::String, Type::Int][self.rng.usize(..3)].clone();
                let map = self.target(&Type::map(key.clone(), want.clone()), below);
                if key == Type::String && self.chance(20.0) {
                    return format!("{map}.{}", pick(self.rng, &["a", "b", "abc"]));
                }
                let key = self.of(&key, below);
                format!("{map}[{key}]")
            }
            15..17 => {
                let other = self.any_type(0);
                let of = if self.chance(50.0) { &other } else { want };
                format!("dyn({})", self.of(of, below))
            }
            17..32 => match self.form(want, below) {
                Some(made) => made,
                None => self.call(want, below),
            },
            32..52 => match self.folded(want, below) {
                Some(made) => made,
                None => self.call(want, below),
            },
            _ => self.call(want, below),
        }
    }

    /// A failing expression inside one that may absorb the failure.
    fn around_failure(&mut self, depth: u8) -> String {
        let mut failures = FAILURES.to_vec();
        if self.limits_sizes {
            failures.extend(OVERSIZED);
        }
        let failure = pick(self.rng, &failures);
        let other = self.of(&Type::Bool, depth);
        match self.rng.u8(..10) {
            0 | 1 => format!("({failure} || {other})"),
            2 | 3 => format!("({other} || {failure})"),
            4 => format!("({failure} && {other})"),
            5 => format!("({other} && {failure})"),
            6 => format!("({failure} ? {other} : true)"),
            7 => format!("({other} ? {failure} : {other})"),
            8 => format!("[1, 2].exists(i, i == 1 ? {failure} : {other})"),
            _ => format!("[1, 2].all(i, i == 1 ? {failure} : {other})"),
        }
    }

    /// A literal, or an expression that is as short as a literal.
    fn simple(&mut self, want: &Type) -> String {
        if let Some(of) = want.optional_of() {
            return if self.rng.bool() {
                "optional.none()".to_owned()
            } else {
                format!("optional.of({})", self.simple(of))
            };
        }
        match want {
            Type::List(element) => {
                let count = self.rng.usize(..4);
                let items: Vec<String> = (0..count).map(|_| self.simple(element)).collect();
                format!("[{}]", items.join(", "))
            }
            Type::Map(types) => {
                let count = self.rng.usize(..3);
                let entries: Vec<String> = (0..count)
                    .map(|_| format!("{}: {}", self.simple(&types[0]), self.simple(&types[1])))
                    .collect();
                format!("{{{}}}", entries.join(", "))
            }
            _ => match literals::literal(self.rng, want) {
                Some(literal) => literal,
                None => self
                    .one_path(|ty| ty == want)
                    .map_or_else(|| "dyn(null)".to_owned(), |it| it.0),
            },
        }
    }

    /// Like [`of`](Self::of), in parentheses if needed before a dot or a bracket.
    fn target(&mut self, want: &Type, depth: u8) -> String {
        let made = self.of(want, depth);
        if made.starts_with(['-', '!']) {
            format!("({made})")
        } else {
            made
        }
    }

    fn argument(&mut self, function: &str, want: &Type, depth: u8) -> String {
        if *want == Type::String
            && self.chance(if function == "validate" { 70.0 } else { 55.0 })
            && let Some(text) = literals::text_for(self.rng, function)
        {
            return text;
        }
        self.of(want, depth)
    }

    fn call(&mut self, want: &Type, depth: u8) -> String {
        let mut candidates = Vec::new();
        for (n, (_, overloads)) in self.functions.iter().enumerate() {
            for (m, overload) in overloads.iter().enumerate() {
                let mut bound = HashMap::new();
                if unify(&overload.result, want, &mut bound) {
                    // Without a low weight, functions with a generic result would be in every second call.
                    let weight = if matches!(overload.result, Type::Param(_)) {
                        1
                    } else {
                        6
                    };
                    if candidates.last().is_none_or(|it: &(usize, Vec<usize>, u32)| it.0 != n) {
                        candidates.push((n, Vec::new(), weight));
                    }
                    if let Some(last) = candidates.last_mut() {
                        last.1.push(m);
                    }
                }
            }
        }
        let total: u32 = candidates.iter().map(|it| it.2).sum();
        if total == 0 {
            return self.simple(want);
        }
        let mut roll = self.rng.u32(..total);
        let Some((n, overloads, _)) = candidates.into_iter().find(|it| {
            let found = roll < it.2;
            roll = roll.saturating_sub(it.2);
            found
        }) else {
            return self.simple(want);
        };
        let overload = Arc::clone(&self.functions[n].1[overloads[self.rng.usize(..overloads.len())]]);
        let name = Arc::clone(&self.functions[n].0);
        let mut bound = HashMap::new();
        unify(&overload.result, want, &mut bound);
        for param in &overload.type_params {
            if !bound.contains_key(param) {
                let ty = self.any_type(1);
                bound.insert(param.clone(), ty);
            }
        }
        let params: Vec<Type> = overload.params.iter().map(|it| substitute(it, &bound)).collect();
        self.write_call(&name, overload.member, &params, depth)
    }

    fn write_call(&mut self, name: &str, member: bool, params: &[Type], depth: u8) -> String {
        if name == "lists.range" {
            let mut sizes = vec!["0", "3", "7", "-1", "100", "2000"];
            // API servers before 1.37 run out of memory for a large list before they check its cost.
            if self.limits_sizes {
                sizes.extend(["1000001", "9223372036854775807", "-9223372036854775808"]);
            }
            return format!("lists.range({})", pick(self.rng, &sizes));
        }
        if name == "format" && params.len() == 2 {
            return self.format(depth);
        }
        if let Some(operator) = operator_of(name) {
            if let [operand] = params {
                let operand = self.of(operand, depth);
                return if self.chance(70.0) {
                    format!("{operator}({operand})")
                } else {
                    format!("{operator}{operand}")
                };
            }
            let (a, b) = (self.of(&params[0], depth), self.of(&params[1], depth));
            return if self.chance(85.0) {
                format!("({a} {operator} {b})")
            } else {
                format!("{a} {operator} {b}")
            };
        }
        let mut arguments = Vec::new();
        for param in &params[usize::from(member)..] {
            arguments.push(self.argument(name, param, depth));
        }
        let arguments = arguments.join(", ");
        if member {
            let of_text = params[0] == Type::String && !name.starts_with("get");
            let target = if of_text && self.chance(30.0) {
                self.argument("", &params[0], depth)
            } else {
                self.target(&params[0], depth)
            };
            format!("{target}.{name}({arguments})")
        } else {
            format!("{name}({arguments})")
        }
    }

    fn format(&mut self, depth: u8) -> String {
        let template = literals::text_for(self.rng, "format").unwrap_or_default();
        let verbs = template.matches('%').count().min(3);
        let mut arguments = Vec::new();
        for _ in 0..if self.chance(90.0) { verbs } else { 1 } {
            let ty = self.any_type(1);
            arguments.push(self.of(&ty, depth));
        }
        format!("{template}.format([{}])", arguments.join(", "))
    }

    /// An expression of limited length. Sometimes it makes the checker report its type in an error message.
    pub(super) fn rule(&mut self, depth: u8) -> String {
        loop {
            let made = if self.chance(4.0) {
                let ty = self.any_type(2);
                format!("{}.size(0, 0)", self.target(&ty, depth))
            } else {
                self.of(&Type::Bool, depth)
            };
            if made.len() <= LONG {
                return made;
            }
        }
    }
}
