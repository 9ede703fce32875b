//! Environments: the declarations that an expression is compiled against.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, OnceLock};

use super::{FunctionDecl, OverloadDecl};
use crate::KubernetesVersion;
use crate::library::{LIBRARIES, Library};
use crate::parser::ParseOptions;
use crate::types::{OPTIONAL, Type};

/// The origin of an expression, which determines what an API server allows (`k8s.io/apiserver/pkg/cel/environment`, `Type`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ExpressionSet {
    /// Expressions in a request: limited to features that the previous Kubernetes version also had.
    New,
    /// Stored expressions: all features of this Kubernetes version are allowed.
    Stored,
}

/// A variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// The name, which may have dots.
    pub name: Arc<str>,
    /// The type of the variable.
    pub ty: Type,
    /// The role of the variable.
    pub role: Role,
    /// A description for the user.
    pub doc: &'static str,
}

impl Variable {
    /// A variable with only a name and a type.
    pub fn new(name: impl Into<Arc<str>>, ty: Type) -> Self {
        Self {
            name: name.into(),
            ty,
            role: Role::Other,
            doc: "",
        }
    }
}

/// The role of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The value that the expression is about, such as `self`.
    Value,
    /// The value before the update, such as `oldSelf`.
    OldValue,
    /// Any other role.
    Other,
}

/// The behavior of an API server's type checker and cost estimate, as far as it changed between Kubernetes versions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// The Kubernetes version of the API server.
    pub version: KubernetesVersion,
    /// Whether ints, uints and doubles can be compared with each other.
    pub cross_type_numeric_comparisons: bool,
    /// Whether the checker rejects list and map literals with mixed types. Kubernetes leaves this to the validators.
    pub homogeneous_aggregate_literals: bool,
    /// Whether literals (durations, timestamps, regular expressions, lists, maps, formats) are validated after type checking (since 1.29).
    pub validators: bool,
    /// Whether a presence test costs 1. Kubernetes sets this to false.
    pub presence_test_has_cost: bool,
    /// Whether a field whose name is a reserved word can also be selected by the word without escapes (since 1.31).
    pub keyword_fields: bool,
    /// Whether the name of a declared type, used as a value, has the type `type(T)`. Before 1.32, it has the type `T`.
    pub names_are_types: bool,
}

impl Features {
    /// The type as this version prints it. The first API servers with optional types called them `optional`.
    pub fn print(&self, ty: &Type) -> String {
        self.with_old_names(ty.to_string())
    }

    /// The type as Go's `%v` prints it in this version. Only a few messages print types in this form.
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

/// The environments of [`KubernetesVersion::all`], in both sets. They are built on first use, because most programs need one or two.
static ENVIRONMENTS: LazyLock<Vec<[OnceLock<Arc<Environment>>; 2]>> =
    LazyLock::new(|| KubernetesVersion::all().map(|_| Default::default()).collect());

impl Environment {
    /// The environment of an API server of this Kubernetes version, built once. Versions outside the known range use the oldest or newest
    /// known version.
    pub fn of(version: KubernetesVersion, set: ExpressionSet) -> &'static Arc<Self> {
        let version = version.clamp(KubernetesVersion::OLDEST, KubernetesVersion::NEWEST);
        let at = version.number() - KubernetesVersion::OLDEST.number();
        let made = &ENVIRONMENTS[usize::from(at)][usize::from(set == ExpressionSet::Stored)];
        made.get_or_init(|| Arc::new(Self::build(version, set)))
    }

    /// An environment with only the standard library and the checker of this Kubernetes version, as a base for custom environments.
    pub fn standard(version: KubernetesVersion) -> Self {
        let mut environment = Self::empty(version);
        environment.add_library(&LIBRARIES[0].library);
        environment
    }

    /// An environment without declarations.
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

    /// The environment of an API server of this Kubernetes version for a compatibility version: it has only the features that the compatibility
    /// version had (`MustBaseEnvSet`).
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
    /// If the library contains an invalid signature.
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
            // The name `optional_type` is a value since cel-go 0.20, and its type has a parameter since 0.29.
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

    /// Adds an overload after the existing ones of the function.
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

    /// Adds a variable, or replaces the variable of the same name.
    pub fn add_variable(&mut self, name: impl Into<Arc<str>>, ty: Type) {
        self.variables.insert(name.into(), ty);
    }

    /// The features of the API server's version.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The options of the parser.
    pub fn parsing(&self) -> &ParseOptions {
        &self.parsing
    }

    /// The features, for changing them.
    pub fn features_mut(&mut self) -> &mut Features {
        &mut self.features
    }

    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<&FunctionDecl> {
        self.functions.get(name)
    }

    /// All functions, in unspecified order.
    pub fn functions(&self) -> impl Iterator<Item = &FunctionDecl> {
        self.functions.values()
    }

    /// The type of the variable of this name.
    pub fn variable(&self, name: &str) -> Option<&Type> {
        self.variables.get(name)
    }
}

/// The container in which names are looked up first (`cel-go` `common/containers`): in `a.b`, `x` can mean `a.b.x`, `a.x` or `x`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Container(String);

impl Container {
    /// Creates a container with this name, which may be empty.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The name of the container.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// Calls `find` for each name that `name` can mean and returns the first result. A name with a leading dot is absolute.
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
