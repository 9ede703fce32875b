//! Environments: the declarations that an expression is compiled against.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};

use super::{FunctionDecl, OverloadDecl};
use crate::KubernetesVersion;
use crate::library::{LIBRARIES, Library};
use crate::parser::ParseOptions;
use crate::types::{OPTIONAL, Type};

/// Which expressions an API server allows (`k8s.io/apiserver/pkg/cel/environment`, `Type`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ExpressionSet {
    /// Expressions in a request: only what the Kubernetes version before knew as well.
    New,
    /// Expressions that were stored before: everything this Kubernetes version knows.
    Stored,
}

/// A variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// The name, which may have dots.
    pub name: Arc<str>,
    /// Its type.
    pub ty: Type,
    /// What it represents.
    pub role: Role,
    /// What it is, for people.
    pub doc: &'static str,
}

impl Variable {
    /// A variable; only its type is known.
    pub fn new(name: impl Into<Arc<str>>, ty: Type) -> Self {
        Self {
            name: name.into(),
            ty,
            role: Role::Other,
            doc: "",
        }
    }
}

/// What a variable represents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The value that the expression is about.
    Value,
    /// The same before it was changed.
    OldValue,
    /// Something else.
    Other,
}

/// How an API server's version of the checker and of the cost estimate works, as facts that changed between Kubernetes versions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// The API server's minor.
    pub version: KubernetesVersion,
    /// Ints, uints and doubles compare with each other.
    pub cross_type_numeric_comparisons: bool,
    /// The checker refuses list and map literals with elements of several types. Kubernetes leaves that to the validators.
    pub homogeneous_aggregate_literals: bool,
    /// Literals of durations, times and regular expressions, list and map literals and formats are validated after the check (since 1.29).
    pub validators: bool,
    /// A presence test adds 1 to the cost. Kubernetes says no.
    pub presence_test_has_cost: bool,
    /// A field that is named like a reserved word is also found by that word (since 1.31).
    pub keyword_fields: bool,
    /// A declared type's name as a value has the type `type(T)`; before 1.32 the API server gave it the type `T`.
    pub names_are_types: bool,
}

impl Features {
    /// A type as this version prints it: the first API servers that had optional types called them `optional`.
    pub fn print(&self, ty: &Type) -> String {
        self.with_old_names(ty.to_string())
    }

    /// The same as Go's `%v` prints it, which few messages do.
    pub fn go_string(&self, ty: &Type) -> String {
        self.with_old_names(ty.go_string(self.version.number() >= 34))
    }

    fn with_old_names(self, printed: String) -> String {
        if self.version.number() <= 30 {
            printed.replace("optional_type(", "optional(")
        } else {
            printed
        }
    }
}

/// The declarations that an expression is compiled against.
#[derive(Clone, Debug)]
pub struct Environment {
    features: Features,
    parsing: ParseOptions,
    functions: HashMap<Arc<str>, FunctionDecl>,
    variables: HashMap<Arc<str>, Type>,
}

/// The Kubernetes versions of [`KubernetesVersion::all`], each with both sets, made when first asked for: most programs ask for one or two.
static ENVIRONMENTS: LazyLock<Vec<[OnceLock<Arc<Environment>>; 2]>> =
    LazyLock::new(|| KubernetesVersion::all().map(|_| Default::default()).collect());

impl Environment {
    /// The environment of an API server of this Kubernetes version, built once. Minors before the oldest known are taken for it, those after the newest
    /// for that.
    pub fn of(version: KubernetesVersion, set: ExpressionSet) -> &'static Arc<Self> {
        let version = version.clamp(KubernetesVersion::OLDEST, KubernetesVersion::NEWEST);
        let at = version.number() - KubernetesVersion::OLDEST.number();
        let made = &ENVIRONMENTS[usize::from(at)][usize::from(set == ExpressionSet::Stored)];
        made.get_or_init(|| Arc::new(Self::build(version, set)))
    }

    /// Only the standard library, with the checker of this Kubernetes version: what an environment that is not an API server's begins with.
    pub fn standard(version: KubernetesVersion) -> Self {
        let mut environment = Self::empty(version);
        environment.add_library(&LIBRARIES[0].library);
        environment
    }

    /// Nothing declared.
    pub fn empty(version: KubernetesVersion) -> Self {
        Self {
            features: Features {
                version,
                cross_type_numeric_comparisons: true,
                homogeneous_aggregate_literals: false,
                validators: false,
                presence_test_has_cost: true,
                keyword_fields: version.number() >= 31,
                names_are_types: version.number() >= 32,
            },
            parsing: ParseOptions::kubernetes(version, version),
            functions: HashMap::new(),
            variables: HashMap::new(),
        }
    }

    fn build(version: KubernetesVersion, set: ExpressionSet) -> Self {
        let compatibility = match set {
            ExpressionSet::New => version.compatibility(),
            ExpressionSet::Stored => version,
        };
        Self::with_compatibility(version, compatibility)
    }

    /// The environment that an API server of this Kubernetes version makes for a compatibility version, with what that version knew
    /// (`MustBaseEnvSet`).
    pub fn with_compatibility(version: KubernetesVersion, compatibility: KubernetesVersion) -> Self {
        let minor = compatibility.number();
        let mut environment = Self::empty(version);
        environment.features.cross_type_numeric_comparisons = minor >= 28;
        environment.features.validators = minor >= 29;
        environment.features.presence_test_has_cost = false;
        environment.features.keyword_fields = minor >= 31;
        environment.parsing = ParseOptions::kubernetes(version, compatibility);
        for entry in LIBRARIES {
            let removed = entry.removed.is_some_and(|removed| minor >= removed);
            if minor >= entry.introduced && !removed {
                environment.add_library(&entry.library);
            }
        }
        environment
    }

    /// Adds the functions and types of a library.
    ///
    /// # Panics
    /// If a signature in the library is none.
    pub fn add_library(&mut self, library: &Library) {
        let minor = self.features.version.number();
        for function in library.functions() {
            for overload in function.overloads {
                if minor < overload.since || minor >= overload.until {
                    continue;
                }
                let parsed = OverloadDecl::parse(overload.id, overload.signature);
                let mut declared = parsed.expect("a test reads every declared signature");
                declared.cost = overload.cost;
                declared.body = overload.body;
                declared.work = overload.work;
                self.add_overload(function.name, function.doc, declared);
            }
            if let Some(declared) = self.functions.get_mut(function.name) {
                declared.declarations.push(function);
            }
        }
        if library.name == "optional" && minor >= 31 {
            // Its name became a value with cel-go 0.20, and got a parameter with 0.29.
            let params = if minor >= 37 { vec![Type::Dyn] } else { Vec::new() };
            self.add_variable(OPTIONAL, Type::type_of(Type::opaque(OPTIONAL, params)));
        }
        if library.name == "standard" {
            self.add_standard_types();
        }
        for name in library.types {
            let ty: Type = name.parse().expect("a test reads every declared type");
            self.add_variable(*name, Type::type_of(ty));
        }
    }

    fn add_standard_types(&mut self) {
        let (a, b) = if self.features.version.number() >= 37 {
            (Type::Dyn, Type::Dyn)
        } else {
            (Type::Param("A".into()), Type::Param("B".into()))
        };
        for ty in [
            Type::Bool,
            Type::Bytes,
            Type::Double,
            Type::Duration,
            Type::Int,
            Type::list(a.clone()),
            Type::map(a, b),
            Type::Null,
            Type::String,
            Type::Timestamp,
            Type::Type(None),
            Type::Uint,
        ] {
            let name = ty.type_name().into_owned();
            self.add_variable(name, Type::type_of(ty));
        }
    }

    /// Adds an overload, after those that the function has.
    pub fn add_overload(&mut self, function: &str, doc: &'static str, overload: OverloadDecl) {
        let declared = self.functions.entry(function.into()).or_insert_with(|| FunctionDecl {
            name: function.into(),
            doc,
            overloads: Vec::new(),
            declarations: Vec::new(),
        });
        if !declared.overloads.iter().any(|o| o.id == overload.id) {
            declared.overloads.push(Arc::new(overload));
        }
    }

    /// Adds a variable, instead of one of the same name.
    pub fn add_variable(&mut self, name: impl Into<Arc<str>>, ty: Type) {
        self.variables.insert(name.into(), ty);
    }

    /// How the API server's version works.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// How the parser reads expressions.
    pub fn parsing(&self) -> &ParseOptions {
        &self.parsing
    }

    /// The features, to change them.
    pub fn features_mut(&mut self) -> &mut Features {
        &mut self.features
    }

    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<&FunctionDecl> {
        self.functions.get(name)
    }

    /// All functions, in no order.
    pub fn functions(&self) -> impl Iterator<Item = &FunctionDecl> {
        self.functions.values()
    }

    /// The type of the variable of this name.
    pub fn variable(&self, name: &str) -> Option<&Type> {
        self.variables.get(name)
    }
}

/// Where names are looked up first (`cel-go` `common/containers`): within `a.b`, `x` is `a.b.x`, `a.x` or `x`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Container(String);

impl Container {
    /// The container of this name; empty for none.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// The first of the names that `name` may mean for which there is an answer. A leading dot means the name itself.
    pub fn resolve<T>(&self, name: &str, mut find: impl FnMut(&str) -> Option<T>) -> Option<T> {
        if let Some(absolute) = name.strip_prefix('.') {
            return find(absolute);
        }
        let mut container = self.0.as_str();
        while !container.is_empty() {
            if let Some(found) = find(&format!("{container}.{name}")) {
                return Some(found);
            }
            container = container.rfind('.').map_or("", |dot| &container[..dot]);
        }
        find(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_can_be_declared() {
        for version in KubernetesVersion::all() {
            for set in [ExpressionSet::New, ExpressionSet::Stored] {
                let environment = Environment::of(version, set);
                assert!(environment.function("_+_").is_some());
                assert_eq!(environment.features().version, version);
            }
        }
    }

    #[test]
    fn new_expressions_have_the_libraries_of_the_minor_before() {
        let check = |minor, set, name, declared| {
            let environment = Environment::of(KubernetesVersion::minor(minor), set);
            assert_eq!(
                environment.function(name).is_some(),
                declared,
                "{name} in 1.{minor} {set:?}"
            );
        };
        check(30, ExpressionSet::New, "isIP", false);
        check(30, ExpressionSet::Stored, "isIP", true);
        check(31, ExpressionSet::New, "isIP", true);
        check(37, ExpressionSet::New, "includes", false);
        check(37, ExpressionSet::Stored, "includes", true);
        check(33, ExpressionSet::New, "first", true);
        check(32, ExpressionSet::Stored, "first", false);
    }

    #[test]
    fn container_names_come_first() {
        let mut asked = Vec::new();
        let found: Option<()> = Container::new("a.b").resolve("x.y", |name| {
            asked.push(name.to_owned());
            None
        });
        assert!(found.is_none());
        assert_eq!(asked, ["a.b.x.y", "a.x.y", "x.y"]);
    }
}
