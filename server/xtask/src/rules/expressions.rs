//! Random expressions: calls of the functions that the library declares, macros and operators, of the type that is asked for —
//! nearly always.

use std::collections::HashMap;
use std::sync::Arc;

use crd_analyzer_cel::decls::{Environment, OverloadDecl};
use crd_analyzer_cel::types::{DeclKind, DeclType, Type};
use fastrand::Rng;

use super::{literals, pick};

/// Expressions longer than this are not made any longer.
const LONG: usize = 1500;
/// How far a path goes into an object.
const MAX_STEPS: u8 = 4;
/// The most paths that are looked at from one variable.
const MAX_PATHS: usize = 80;

/// What is wrong or strange wherever it stands.
const ODDITIES: &[&str] = &[
    "zzz",
    "self.zzz",
    "foo(1)",
    "self.foo(1)",
    "oldSelf",
    "oldSelf.zz",
    ".self",
    "self.?q",
    "optional_type",
    "has(self.zzz)",
    "has(self)",
    "__result__",
    "net.IP",
    "google.protobuf.Timestamp{seconds: 1}",
    "google.protobuf.Duration{seconds: 1, nanos: 2}",
    "google.protobuf.Int64Value{value: 1}",
    "google.protobuf.Int32Value{value: 3000000000}",
    "google.protobuf.UInt64Value{value: 1u}",
    "google.protobuf.StringValue{value: 'a'}",
    "google.protobuf.BoolValue{}",
    "google.protobuf.DoubleValue{value: 1}",
    "google.protobuf.FloatValue{value: 1.5}",
    "google.protobuf.BytesValue{value: b'a'}",
    "google.protobuf.ListValue{values: [1.0, 'a']}",
    "google.protobuf.Struct{fields: {'a': 1.0}}",
    "google.protobuf.Value{number_value: 1.0}",
    "google.protobuf.Value{null_value: null}",
    "google.protobuf.Any{}",
    "google.protobuf.NullValue.NULL_VALUE",
    "google.protobuf.Empty{}",
    "Object{a: 1}",
    "selfType{a: 1}",
    "{?'a': optional.of(1)}",
    "[?optional.none()]",
    "self[?'a']",
    "1.0 == 1",
    "{1: 2, 1: 3}",
    "{'a': 1, 2: 'b'}",
    "[1, 'a', 2.0]",
    "{1.0: 1}",
    "{[1]: 1}",
    "null == self",
    "authorizer",
    "request",
    "cel.bind(x, 1, x)",
    "math.greatest(1, 2)",
    "base64.encode(b'a')",
    "self.`a-b`",
    "as",
    "in",
    "b'a' + 'b'",
    "'a' 'b'",
    "1..2",
    "self.",
    "self.all(x)",
    "[1].all(x.y, true)",
    "[1].map(x, y, z, w)",
    "[1].exists(self, self == 1)",
    "[1].all(i, i, true)",
    "'\\q'",
    "99999999999999999999",
    "1e999",
    "0x",
    "-9223372036854775808",
    "-(-9223372036854775808)",
    "18446744073709551616u",
    "type(type(self))",
    "type(self) == type",
    "self != self",
    "dyn(self) == 1",
    "'%s'.format([self])",
    "'%d %d'.format([1])",
    "1 in self",
    "[self]",
    "{'a': self}",
    "optional.of(self)",
    "optional.ofNonZeroValue(self)",
    "self.min()",
    "size(self)",
    "string(self)",
    "[self].sum()",
    "[[1, 2], [3]].flatten().map(x, [x, 'a'])",
];

/// Makes expressions over one schema.
pub(super) struct Expressions<'a> {
    rng: &'a mut Rng,
    functions: Vec<(Arc<str>, Vec<Arc<OverloadDecl>>)>,
    objects: HashMap<Arc<str>, Vec<(Arc<str>, Type)>>,
    /// What can be named here, with its type.
    scope: Vec<Vec<(String, Type)>>,
    has_two_variables: bool,
}

impl<'a> Expressions<'a> {
    /// Over a schema of this type, with the functions of this environment.
    pub(super) fn new(rng: &'a mut Rng, environment: &Environment, this: &DeclType) -> Self {
        let mut functions: Vec<_> = environment
            .functions()
            .filter(|it| !it.name.starts_with('@') || &*it.name == "@in")
            .filter(|it| !["_?_:_", "_[_]", "_[?_]", "_?._"].contains(&&*it.name))
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
        };
        made.declare("self", this.cel_type("selfType"));
        made
    }

    /// Makes a variable known.
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

    /// A type that expressions often have.
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
            17..40 => match self.folded(want, below) {
                Some(made) => made,
                None => self.call(want, below),
            },
            _ => self.call(want, below),
        }
    }

    /// A literal, or something as short.
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

    /// The same as [`of`](Self::of) to put a dot or a bracket behind.
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
                    // Whatever gives anything would be in every second call.
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
            // Servers before 1.37 take all memory for a large one, before they look what it costs.
            return format!("lists.range({})", pick(self.rng, &["0", "3", "7", "-1", "100", "2000"]));
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

    fn with(&mut self, variables: &[(&str, Type)], want: &Type, depth: u8) -> String {
        for (name, ty) in variables {
            self.declare(name, ty.clone());
        }
        let made = self.of(want, depth);
        self.scope.truncate(self.scope.len() - variables.len());
        made
    }

    /// A list or map to go over, and what its keys and values are.
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

    /// A macro, or a literal with expressions in it.
    fn folded(&mut self, want: &Type, depth: u8) -> Option<String> {
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

    /// An expression that is not too long, made so that a message tells its type in some of the cases.
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

fn collect(ty: &DeclType, path: &str, objects: &mut HashMap<Arc<str>, Vec<(Arc<str>, Type)>>) {
    match &ty.kind {
        DeclKind::Simple(_) => {}
        DeclKind::List(element) => collect(element, &format!("{path}.@idx"), objects),
        DeclKind::Map(_, element) => collect(element, &format!("{path}.@elem"), objects),
        DeclKind::Object(fields) => {
            let mut types = Vec::new();
            for field in fields {
                let path = format!("{path}.{}", field.name);
                types.push((field.name.clone(), field.ty.cel_type(&path)));
                collect(&field.ty, &path, objects);
            }
            objects.insert(path.into(), types);
        }
    }
}

/// Whether a declared type can be what is wanted, and what its parameters are then.
fn unify(declared: &Type, want: &Type, bound: &mut HashMap<Arc<str>, Type>) -> bool {
    if let Type::Param(name) = declared {
        return *bound.entry(name.clone()).or_insert_with(|| want.clone()) == *want;
    }
    let (ours, theirs) = (declared.parameters(), want.parameters());
    declared.kind() == want.kind()
        && declared.type_name() == want.type_name()
        && ours.len() == theirs.len()
        && ours.iter().zip(theirs).all(|(ours, theirs)| unify(ours, theirs, bound))
}

fn substitute(ty: &Type, bound: &HashMap<Arc<str>, Type>) -> Type {
    match ty {
        Type::Param(name) => bound.get(name).cloned().unwrap_or(Type::Dyn),
        Type::List(element) => Type::list(substitute(element, bound)),
        Type::Map(types) => Type::map(substitute(&types[0], bound), substitute(&types[1], bound)),
        Type::Type(Some(of)) => Type::type_of(substitute(of, bound)),
        Type::Opaque(opaque) => Type::opaque(
            opaque.name.clone(),
            opaque.params.iter().map(|it| substitute(it, bound)).collect(),
        ),
        other => other.clone(),
    }
}

/// How an operator is written.
fn operator_of(name: &str) -> Option<&str> {
    if name == "@in" {
        return Some("in");
    }
    let bare = name.trim_matches('_');
    (bare.len() < name.len() && !bare.is_empty() && bare.chars().all(|c| !c.is_ascii_alphanumeric())).then_some(bare)
}
