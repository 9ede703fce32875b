//! The environment of a policy's expressions (`k8s.io/apiserver/pkg/admission/plugin/cel`, `compile.go` and `composition.go`).

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use crd_analyzer_budget::{self as budget, Unfinished};
use crd_analyzer_cel::decls::{Environment, ExpressionSet, Role, Variable};
use crd_analyzer_cel::types::{DeclField, DeclType, Type, TypeRoot};
use crd_analyzer_cel::{Context, CostLimits};
use crd_analyzer_schema::{KubernetesVersion, rules::run::PER_CALL_LIMIT};

/// The first Kubernetes version that treats a nullable result type as the type it wraps.
const UNWRAPPED_SINCE: KubernetesVersion = KubernetesVersion::minor(32);

/// The variable that contains the policy's own variables, and the name of its type.
const VARIABLES: &str = "variables";
const VARIABLES_TYPE: &str = "kubernetes.variables";

/// A field of a policy that contains expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Site {
    /// `spec.matchConditions[*].expression`
    MatchCondition,
    /// `spec.variables[*].expression`
    Variable,
    /// `spec.validations[*].expression`
    Validation,
    /// `spec.validations[*].messageExpression`
    Message,
    /// `spec.auditAnnotations[*].valueExpression`
    AuditAnnotation,
}

impl Site {
    /// The site for this field of a list in `spec`.
    pub fn of(list: &str, field: &str) -> Option<Self> {
        Some(match (list, field) {
            ("matchConditions", "expression") => Self::MatchCondition,
            ("variables", "expression") => Self::Variable,
            ("validations", "expression") => Self::Validation,
            ("validations", "messageExpression") => Self::Message,
            ("auditAnnotations", "valueExpression") => Self::AuditAnnotation,
            _ => return None,
        })
    }

    /// The allowed result types of the expression; empty if any type is allowed.
    const fn results(self) -> &'static [Type] {
        match self {
            Self::MatchCondition | Self::Validation => &[Type::Bool],
            Self::Message => &[Type::String],
            Self::AuditAnnotation => &[Type::String, Type::Null],
            Self::Variable => &[],
        }
    }
}

/// The environment of a policy's expressions, extended step by step: each variable is visible to the variables after it.
#[derive(Clone, Debug)]
pub struct Expressions {
    /// The context without the policy's own variables.
    bare: Context,
    /// The context with the variables defined so far; `None` if the policy has no variables.
    composed: Option<Context>,
}

impl Expressions {
    /// Creates the environment of a new policy. `has_params` is set if the policy has a `paramKind`, and `has_variables` if it has `variables`.
    pub fn new(has_params: bool, has_variables: bool, version: KubernetesVersion) -> Self {
        let environment = Environment::of(version, ExpressionSet::New);
        let mut roots = TYPES.clone();
        let mut variables: Vec<Variable> = ALWAYS.iter().map(Known::variable).collect();
        if has_params {
            variables.push(PARAMS.variable());
        }
        let context = |roots, variables| {
            let context = Context::new(Arc::clone(environment))
                .with_types(roots)
                .with_variables(variables)
                .with_limits(CostLimits {
                    estimate: None,
                    evaluation: Some(PER_CALL_LIMIT),
                });
            if version >= UNWRAPPED_SINCE {
                context.with_unwrapped_results()
            } else {
                context
            }
        };
        let bare = context(roots.clone(), variables.clone());
        let composed = has_variables.then(|| {
            roots.push(root(VARIABLES_TYPE, Vec::new()));
            variables.push(OWN.variable());
            context(roots, variables)
        });
        Self { bare, composed }
    }

    /// The context of an expression at a site, with the variables defined so far.
    pub fn context(&self, site: Site) -> Context {
        let context = match (site, &self.composed) {
            (Site::MatchCondition, _) | (_, None) => &self.bare,
            (_, Some(composed)) => composed,
        };
        let context = context.clone().with_results(site.results());
        if site == Site::Message {
            return context;
        }
        let mut variables = context.variables().to_vec();
        variables.extend(AUTHORIZER.iter().map(Known::variable));
        context.with_variables(variables)
    }

    /// Defines a variable with the type of its expression. `ty` is `None` if the expression does not compile.
    pub fn define(&mut self, name: &str, ty: Option<&Type>) {
        let is_small = |ty: &&Type| {
            let is_small = fits(ty, &mut { MOST_PARTS });
            if !is_small {
                budget::give_up(Unfinished::Bytes);
            }
            is_small
        };
        let ty = ty.filter(is_small).map_or(Type::Dyn, declared);
        self.composed = self
            .composed
            .take()
            .map(|it| it.with_composed(VARIABLES, name, Arc::new(DeclType::simple(ty, 0))));
    }
}

/// The maximum number of parts of a variable's type. A limit is needed because with maps of maps, each type can be twice as large as the previous
/// one.
const MOST_PARTS: usize = 1 << 10;

/// Whether a type has at most `left` parts. Subtracts these parts from `left`.
fn fits(ty: &Type, left: &mut usize) -> bool {
    let Some(rest) = left.checked_sub(1) else {
        return false;
    };
    *left = rest;
    match ty {
        Type::List(of) => fits(of, left),
        Type::Map(of) => fits(&of[0], left) && fits(&of[1], left),
        _ => true,
    }
}

/// The declared type of a variable: types other than scalars, lists and maps become dynamic.
fn declared(ty: &Type) -> Type {
    match ty {
        Type::Any
        | Type::Bool
        | Type::Bytes
        | Type::Double
        | Type::Duration
        | Type::Int
        | Type::Null
        | Type::String
        | Type::Timestamp
        | Type::Uint => ty.clone(),
        Type::List(of) => Type::list(declared(of)),
        Type::Map(of) => Type::map(declared(&of[0]), declared(&of[1])),
        _ => Type::Dyn,
    }
}

/// A variable in the tables below.
struct Known {
    name: &'static str,
    /// The name of the variable's type; empty for any value.
    ty: &'static str,
    role: Role,
    doc: &'static str,
}

impl Known {
    fn variable(&self) -> Variable {
        Variable {
            role: self.role,
            doc: self.doc,
            ..Variable::new(self.name, named(self.ty))
        }
    }
}

/// The type with this name, or any value if the name is empty.
fn named(ty: &'static str) -> Type {
    if ty.is_empty() { Type::Dyn } else { Type::object(ty) }
}

const ALWAYS: [Known; 4] = [
    Known {
        name: "object",
        ty: "",
        role: Role::Value,
        doc: "The object of the request. `null` for `DELETE`.",
    },
    Known {
        name: "oldObject",
        ty: "",
        role: Role::OldValue,
        doc: "The stored object. `null` for `CREATE`.",
    },
    Known {
        name: "namespaceObject",
        ty: "kubernetes.Namespace",
        role: Role::Other,
        doc: "The namespace of the object. `null` for cluster-scoped objects.",
    },
    Known {
        name: "request",
        ty: "kubernetes.AdmissionRequest",
        role: Role::Other,
        doc: "The request: the user, the operation and the resource.",
    },
];

const PARAMS: Known = Known {
    name: "params",
    ty: "",
    role: Role::Other,
    doc: "The object of `paramKind` that the binding refers to.",
};

const OWN: Known = Known {
    name: VARIABLES,
    ty: VARIABLES_TYPE,
    role: Role::Other,
    doc: "The values of `spec.variables`, by their names.",
};

const AUTHORIZER: [Known; 2] = [
    Known {
        name: "authorizer",
        ty: "kubernetes.authorization.Authorizer",
        role: Role::Other,
        doc: "Answers what the user of the request may do.",
    },
    Known {
        name: "authorizer.requestResource",
        ty: "kubernetes.authorization.ResourceCheck",
        role: Role::Other,
        doc: "Answers what the user of the request may do with the resource of the request.",
    },
];

/// A field: its name, its type, and whether it is always set.
type Field = (&'static str, Part, bool);

/// The type of a field.
#[derive(Clone, Copy)]
enum Part {
    Text,
    Bool,
    Int,
    Time,
    Any,
    Texts,
    TextsByText,
    TextByText,
    Object(&'static str),
    Objects(&'static str),
}

impl Part {
    fn declared(self) -> DeclType {
        let text = || Arc::new(DeclType::string(0));
        match self {
            Self::Text => DeclType::string(0),
            Self::Bool => DeclType::bool(),
            Self::Int => DeclType::int(),
            Self::Time => DeclType::simple(Type::Timestamp, 0),
            Self::Any => DeclType::simple(Type::Dyn, 0),
            Self::Texts => DeclType::list(text(), -1),
            Self::TextsByText => DeclType::map(Arc::new(Self::Texts.declared()), -1),
            Self::TextByText => DeclType::map(text(), -1),
            Self::Object(name) => DeclType::simple(Type::object(name), 0),
            Self::Objects(name) => DeclType::list(Arc::new(Self::Object(name).declared()), -1),
        }
    }
}

/// The object types (`BuildRequestType`, `BuildNamespaceType`).
const OBJECTS: &[(&str, &[Field])] = &[
    (
        "kubernetes.AdmissionRequest",
        &[
            ("kind", Part::Object("kubernetes.GroupVersionKind"), true),
            ("resource", Part::Object("kubernetes.GroupVersionResource"), true),
            ("subResource", Part::Text, false),
            ("requestKind", Part::Object("kubernetes.GroupVersionKind"), true),
            ("requestResource", Part::Object("kubernetes.GroupVersionResource"), true),
            ("requestSubResource", Part::Text, false),
            ("name", Part::Text, true),
            ("namespace", Part::Text, false),
            ("operation", Part::Text, true),
            ("userInfo", Part::Object("kubernetes.UserInfo"), true),
            ("dryRun", Part::Bool, false),
            ("options", Part::Any, false),
        ],
    ),
    (
        "kubernetes.GroupVersionKind",
        &[
            ("group", Part::Text, true),
            ("version", Part::Text, true),
            ("kind", Part::Text, true),
        ],
    ),
    (
        "kubernetes.GroupVersionResource",
        &[
            ("group", Part::Text, true),
            ("version", Part::Text, true),
            ("resource", Part::Text, true),
        ],
    ),
    (
        "kubernetes.UserInfo",
        &[
            ("username", Part::Text, false),
            ("uid", Part::Text, false),
            ("groups", Part::Texts, false),
            ("extra", Part::TextsByText, false),
        ],
    ),
    (
        "kubernetes.Namespace",
        &[
            ("metadata", Part::Object("kubernetes.NamespaceMetadata"), true),
            ("spec", Part::Object("kubernetes.NamespaceSpec"), true),
            ("status", Part::Object("kubernetes.NamespaceStatus"), true),
        ],
    ),
    (
        "kubernetes.NamespaceMetadata",
        &[
            ("name", Part::Text, true),
            ("generateName", Part::Text, true),
            ("namespace", Part::Text, true),
            ("labels", Part::TextByText, true),
            ("annotations", Part::TextByText, true),
            ("UID", Part::Text, true),
            ("creationTimestamp", Part::Time, true),
            ("deletionGracePeriodSeconds", Part::Int, true),
            ("deletionTimestamp", Part::Time, true),
            ("generation", Part::Int, true),
            ("resourceVersion", Part::Text, true),
            ("finalizers", Part::Texts, true),
        ],
    ),
    ("kubernetes.NamespaceSpec", &[("finalizers", Part::Texts, true)]),
    (
        "kubernetes.NamespaceStatus",
        &[
            ("conditions", Part::Objects("kubernetes.NamespaceCondition"), true),
            ("phase", Part::Text, true),
        ],
    ),
    (
        "kubernetes.NamespaceCondition",
        &[
            ("status", Part::Text, true),
            ("type", Part::Text, true),
            ("lastTransitionTime", Part::Time, true),
            ("message", Part::Text, true),
            ("reason", Part::Text, true),
        ],
    ),
];

/// The object types, created once.
static TYPES: LazyLock<Vec<TypeRoot>> = LazyLock::new(|| {
    let of = |(name, fields): &(&'static str, &[Field])| {
        let fields = fields.iter().map(|(name, ty, required)| DeclField {
            name: (*name).into(),
            ty: Arc::new(ty.declared()),
            required: *required,
        });
        root(name, fields.collect())
    };
    OBJECTS.iter().map(of).collect()
});

fn root(name: &'static str, fields: Vec<DeclField>) -> TypeRoot {
    TypeRoot {
        name: Cow::Borrowed(name),
        shown: Cow::Borrowed(name.rsplit('.').next().unwrap_or(name)),
        ty: Arc::new(DeclType::object(fields, 2)),
    }
}
