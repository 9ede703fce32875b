//! The context of an expression: its variables and types, the allowed result types and the cost limits.

use std::sync::Arc;

use crate::decls::{Container, Environment, Role, Variable};
use crate::types::{DeclType, DeclTypes, Type, TypeRoot};

/// The API server's cost limits for an expression. `None` means unlimited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CostLimits {
    /// The maximum cost estimate of an expression, in cost units.
    pub estimate: Option<u64>,
    /// The maximum cost of one evaluation, in cost units.
    pub evaluation: Option<u64>,
}

/// The context in which an expression is compiled, estimated, run and completed. It depends on where the expression is written.
///
/// A copy shares everything with the original.
#[derive(Clone, Debug)]
pub struct Context {
    environment: Arc<Environment>,
    variables: Arc<[Variable]>,
    types: Arc<DeclTypes>,
    container: Container,
    results: &'static [Type],
    unwraps_results: bool,
    sizes: Option<Arc<DeclType>>,
    limits: CostLimits,
}

impl Context {
    /// A context with only the functions, types and variables of an environment.
    pub fn new(environment: Arc<Environment>) -> Self {
        Self {
            environment,
            variables: Arc::default(),
            types: Arc::default(),
            container: Container::default(),
            results: &[],
            unwraps_results: false,
            sizes: None,
            limits: CostLimits::default(),
        }
    }

    /// Adds variables to the variables of the environment.
    #[must_use]
    pub fn with_variables(self, variables: impl Into<Arc<[Variable]>>) -> Self {
        Self {
            variables: variables.into(),
            ..self
        }
    }

    /// Adds the variables of enclosing comprehensions, innermost last. They shadow variables of the same name.
    #[must_use]
    pub fn with_locals<'l>(self, locals: impl IntoIterator<Item = (&'l Arc<str>, &'l Type)>) -> Self {
        let mut variables = self.variables.to_vec();
        for (name, ty) in locals {
            variables.retain(|it| it.name != *name);
            variables.push(Variable::new(Arc::clone(name), ty.clone()));
        }
        self.with_variables(variables)
    }

    /// Adds the object types below these roots.
    #[must_use]
    pub fn with_types(self, roots: Vec<TypeRoot>) -> Self {
        let features = self.environment.features();
        let types = DeclTypes::new(roots, features.keyword_fields, features.names_are_types);
        Self {
            types: Arc::new(types),
            ..self
        }
    }

    /// Adds a field to a composed variable: `variable.field` is the result of an earlier expression. The type of the variable must be the object
    /// type of a root.
    #[must_use]
    pub fn with_composed(self, variable: &str, field: &str, ty: Arc<DeclType>) -> Self {
        let Some(Type::Struct(root)) = self.variable(variable).map(|it| &it.ty) else {
            return self;
        };
        let mut types = DeclTypes::clone(&self.types);
        types.set_field(root, field, ty);
        Self {
            types: Arc::new(types),
            ..self
        }
    }

    /// Replaces the container in which names are looked up first.
    #[must_use]
    pub fn with_container(self, container: Container) -> Self {
        Self { container, ..self }
    }

    /// Restricts the result to these types; an empty list allows any type.
    #[must_use]
    pub fn with_results(self, results: &'static [Type]) -> Self {
        Self { results, ..self }
    }

    /// Also allows wrappers of the result types: a nullable boolean is accepted as a boolean (`types.Type.IsExactType`).
    #[must_use]
    pub fn with_unwrapped_results(self) -> Self {
        Self {
            unwraps_results: true,
            ..self
        }
    }

    /// Sets the type that determines the sizes of all variables. Without it, no size is known.
    #[must_use]
    pub fn with_sizes(self, sizes: Arc<DeclType>) -> Self {
        Self {
            sizes: Some(sizes),
            ..self
        }
    }

    /// Sets the cost limits.
    #[must_use]
    pub fn with_limits(self, limits: CostLimits) -> Self {
        Self { limits, ..self }
    }

    /// The environment: functions, and the behavior of the API server's checker and cost estimate.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The variables in addition to those of the environment.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The variable of this name, if the context declares it.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|it| *it.name == *name)
    }

    /// The role of a variable, or `None` if the context does not declare it.
    pub fn role(&self, name: &str) -> Option<Role> {
        self.variable(name).map(|it| it.role)
    }

    /// The variable with this role.
    pub fn variable_of(&self, role: Role) -> Option<&Variable> {
        self.variables.iter().find(|it| it.role == role)
    }

    /// The object types.
    pub fn types(&self) -> &DeclTypes {
        &self.types
    }

    /// The container in which names are looked up first.
    pub fn container(&self) -> &Container {
        &self.container
    }

    /// The allowed result types; empty for any.
    pub fn results(&self) -> &'static [Type] {
        self.results
    }

    /// Whether the result of the expression may have this type.
    pub fn allows(&self, result: &Type) -> bool {
        let mut results = self.results.iter();
        self.results.is_empty() || results.any(|it| it == result || self.unwraps_results && it.is_exact(result))
    }

    /// The type that determines the sizes of all variables.
    pub fn sizes(&self) -> Option<&Arc<DeclType>> {
        self.sizes.as_ref()
    }

    /// The cost limits of the expression.
    pub fn limits(&self) -> CostLimits {
        self.limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decls::ExpressionSet;
    use crate::types::DeclField;
    use crate::{KubernetesVersion, Stage, compile, partial_check, type_of};

    /// A root type with this name and these fields.
    fn root(name: &'static str, fields: Vec<(&str, DeclType)>) -> TypeRoot {
        let fields = fields.into_iter().map(|(name, ty)| DeclField {
            name: name.into(),
            ty: Arc::new(ty),
            required: true,
        });
        TypeRoot {
            name: name.into(),
            shown: name.into(),
            ty: Arc::new(DeclType::object(fields.collect(), 2)),
        }
    }

    /// A context with a variable of any type, and a request whose type has named parts.
    fn context() -> Context {
        let kind = DeclType::simple(Type::object("test.Kind"), 2);
        let request = root("test.Request", vec![("kind", kind), ("name", DeclType::string(253))]);
        let variables = [
            Variable {
                role: Role::Value,
                ..Variable::new("object", Type::Dyn)
            },
            Variable::new("request", request.cel_type()),
            Variable::new("request.count", Type::Int),
        ];
        let environment = Environment::of(KubernetesVersion::NEWEST, ExpressionSet::New);
        let types = vec![request, root("test.Kind", vec![("group", DeclType::string(63))])];
        Context::new(Arc::clone(environment))
            .with_types(types)
            .with_variables(variables)
    }

    #[test]
    fn an_expression_sees_what_its_place_declares() {
        let check = |text: &str, expected: Result<(), &str>| {
            let compiled = compile(text, &context());
            let actual = compiled.map(drop).map_err(|it| it.problems[0].message.clone());
            assert_eq!(actual, expected.map_err(str::to_owned), "{text}");
        };
        check("object.spec.replicas < 5 && request.kind.group == ''", Ok(()));
        check("request.count + 1", Ok(()));
        check("request.group", Err("undefined field 'group'"));
        check("request.kind.name", Err("undefined field 'name'"));
        check("self.spec", Err("undeclared reference to 'self' (in container '')"));
    }

    #[test]
    fn the_place_says_which_types_are_allowed() {
        let check = |allowed: &'static [Type], text: &str, expected: Option<&str>| {
            let compiled = compile(text, &context().with_results(allowed));
            let failure = compiled.err().filter(|it| it.stage == Stage::Result);
            assert_eq!(failure.map(|it| it.printed).as_deref(), expected, "{text}");
        };
        check(&[Type::Bool], "request.name == ''", None);
        check(
            &[Type::Bool],
            "request.name",
            Some("must evaluate to bool but got string"),
        );
        check(&[Type::String, Type::Int], "2", None);
        check(
            &[Type::String, Type::Int],
            "true",
            Some("must evaluate to one of [string int] but got bool"),
        );
        check(&[], "1", None);
        let wrapped = "google.protobuf.BoolValue{value: true}";
        check(
            &[Type::Bool],
            wrapped,
            Some("must evaluate to bool but got wrapper(bool)"),
        );
        let context = context().with_results(&[Type::Bool]).with_unwrapped_results();
        assert!(compile(wrapped, &context).is_ok());
    }

    #[test]
    fn local_variables_hide_those_of_the_place() {
        let names: [Arc<str>; 2] = ["x".into(), "request".into()];
        let types = [Type::Int, Type::String];
        let inner = context().with_locals(names.iter().zip(&types));
        assert_eq!(type_of("x + 1", &inner), Some(Type::Int));
        assert_eq!(type_of("request", &inner), Some(Type::String));
        assert_eq!(type_of("object", &inner), Some(Type::Dyn));
        assert_eq!(type_of("x", &context()), None);
    }

    #[test]
    fn a_composed_variable_has_the_types_of_earlier_expressions() {
        let place = context().with_composed("request", "name", Arc::new(DeclType::int()));
        let composed = |of: &Context, name: &str, text: &str| {
            let expression = compile(text, of).expect("it compiles");
            let ty = expression.checked.output_type().clone();
            of.clone()
                .with_composed("request", name, Arc::new(DeclType::simple(ty, 0)))
        };
        let first = composed(&place, "double", "request.name * 2");
        let both = composed(&first, "is_even", "request.double % 4 == 0");
        assert_eq!(type_of("request.double", &both), Some(Type::Int));
        assert_eq!(type_of("request.is_even", &both), Some(Type::Bool));
        assert_eq!(type_of("request.is_even", &first), None);
        // A type without fields does not get one.
        assert_eq!(
            type_of(
                "object.x",
                &both.with_composed("object", "x", Arc::new(DeclType::int()))
            ),
            Some(Type::Dyn)
        );
    }

    #[test]
    fn sizes_are_those_of_the_place() {
        let cost = |context: &Context| {
            compile("request.name.matches('a')", context)
                .expect("it compiles")
                .max_cost
        };
        let unknown = cost(&context());
        let (request, _) = context()
            .types()
            .root_of("test.Request")
            .map(|it| (it.0.clone(), it.1))
            .expect("a root");
        let known = cost(&context().with_sizes(request.ty));
        assert!(known < 1_000 && unknown > 1_000_000, "{known} {unknown}");
    }

    #[test]
    fn what_is_known_of_an_unfinished_expression_has_its_types() {
        let checked = partial_check("request.name +", &context());
        assert!(checked.cost.is_none() && !checked.problems.is_empty());
        let nodes = checked.checked.ast.nodes();
        let types: Vec<_> = nodes
            .map(|(node, _)| checked.checked.type_of(node).to_string())
            .collect();
        assert!(types.iter().any(|it| it == "test.Request"), "{types:?}");
    }
}
