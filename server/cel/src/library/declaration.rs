//! The declarations of functions. A function without a body or a cost does not compile.

use crd_analyzer_goregexp::GoRegex;

use crate::KubernetesVersion;
use crate::cost::EstimateFn;
use crate::value::{Result, Value};

/// A set of functions that is enabled as a whole.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// The name of the library.
    pub name: &'static str,
    /// The functions of the library, one slice per subject.
    pub subjects: &'static [&'static [Function]],
    /// The types whose names the library declares as values.
    pub types: &'static [&'static str],
}

impl Library {
    /// All functions of the library.
    pub fn functions(&self) -> impl Iterator<Item = &'static Function> {
        self.subjects.iter().copied().flatten()
    }
}

/// A function, method or operator.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// The name in the tree. In the name of an operator, underscores stand for the operands.
    pub name: &'static str,
    /// A one-sentence description.
    pub doc: &'static str,
    /// How the API server determines the runtime cost of a call.
    pub counted: Counted,
    /// Example expressions, each with its value.
    pub examples: &'static [(&'static str, &'static str)],
    /// The overloads.
    pub overloads: &'static [Overload],
    /// Further properties.
    pub traits: Traits,
}

/// One overload of a function.
#[derive(Clone, Copy, Debug)]
pub struct Overload {
    /// The name of the overload.
    pub id: &'static str,
    /// The types of the operands and of the result; see [`Signature`](crate::types::Signature).
    pub signature: &'static str,
    /// The first Kubernetes minor version that has the overload in this library; 0 if every version has it.
    pub since: u8,
    /// The first Kubernetes minor version that no longer has the overload; 255 if every later version has it.
    pub until: u8,
    /// The cost of a call.
    pub cost: Cost,
    /// The evaluator of a call.
    pub body: Body,
    /// The work of a call, if it must be known before the call is evaluated.
    pub work: Option<WorkFn>,
}

/// The cost of a call in cost units, without the cost of its operands.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// The estimate, from the sizes that the schema allows.
    pub estimate: Estimate,
    /// The runtime cost.
    pub actual: Actual,
}

/// The estimated cost of a call.
#[derive(Clone, Copy, Debug)]
pub enum Estimate {
    /// The same cost for every call.
    Fixed(u64),
    /// A cost that depends on the operands. If the function returns `None`, the cost is 1.
    Sized(EstimateFn),
}

/// The runtime cost of a call.
#[derive(Clone, Copy, Debug)]
pub enum Actual {
    /// The same cost for every call.
    Fixed(u64),
    /// A cost that depends on the operands or the result.
    Sized(ActualFn),
    /// The call itself costs nothing. The evaluator counts the values that it reads.
    OfValues,
}

/// Computes the runtime cost of a call. An error means that the API server's cost tracker panics on this call.
pub type ActualFn = fn(&CallRecord<'_>) -> Result<u64>;

/// An evaluated call.
#[derive(Clone, Copy, Debug)]
pub struct CallRecord<'a> {
    /// The Kubernetes version of the API server.
    pub version: KubernetesVersion,
    /// The operands, the target of a method first.
    pub operands: &'a [Result],
    /// The value of the call.
    pub result: &'a Result,
}

/// How the API server determines the runtime cost of a call. The difference matters if operands are dynamic, because then the overload is only known
/// from their values.
#[derive(Clone, Copy, Debug)]
pub enum Counted {
    /// Determined by the overload (`cel-go` `interpreter/runtimecost.go` and `ext`). A call without a known overload costs 1.
    ByOverload,
    /// Determined by the name of the function (`k8s.io/apiserver/pkg/cel/library/cost.go`, `CallCost`). A call without a known overload has the cost
    /// given here.
    ByName(Cost),
}

/// The evaluator of a call.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// A function of the operands.
    Function(BodyFn),
    /// A step of the evaluator, which chooses the operands to evaluate.
    Step(Step),
    /// Calls are never evaluated, because no rule of a CRD has values of the operand types.
    NeverCalled,
}

/// Evaluates a call. The operands have the types of the overload, except in a [singleton](Traits::singleton).
pub type BodyFn = fn(KubernetesVersion, &[Value]) -> Result;

/// Computes the work of a call with these operands, in cost units. A call whose work exceeds the cost limit is not evaluated. Returns an
/// error if the API server rejects the call before it does any work.
pub type WorkFn = fn(KubernetesVersion, &[Value]) -> Result<u64>;

/// Evaluates a call whose second operand is a constant regular expression.
pub type PatternFn = fn(&GoRegex, &[Value]) -> Result;

/// A step of the evaluator, for calls whose result is not just a function of their operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// `c ? a : b`
    Conditional,
    /// `a && b`
    And,
    /// `a || b`
    Or,
    /// True for everything except `false`, including errors.
    NotStrictlyFalse,
    /// `a == b`
    Equals,
    /// `a != b`
    NotEquals,
    /// `a[b]`
    Index,
    /// `a[?b]` and `a.?b`
    OptionalIndex,
    /// `a.or(b)`
    OptionalOr,
    /// `a.orValue(b)`
    OptionalOrValue,
}

/// Properties of a function besides its overloads.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// Whether one body serves all overloads and checks the types of its operands itself (`cel-go` `decls.SingletonFunctionBinding`).
    pub singleton: bool,
    /// Whether the function accepts any number of operands. The operands are then evaluated up to the first error.
    pub variadic: bool,
    /// Whether a call with a constant operand is evaluated during planning (`cel-go` `overloads.IsTypeConversionFunction`).
    pub conversion: bool,
    /// The evaluator for a constant regular expression, which is compiled during planning. Set if the second operand of the function is a regular
    /// expression.
    pub pattern: Option<PatternFn>,
    /// Whether the function has a value for all operands of its types, if its regular expression is valid.
    pub total: bool,
    /// The function that tests whether the function declared here has a value for the same operand.
    pub guard: Option<&'static str>,
    /// Whether the function returns its first operand, the value inside that operand, or a list of some of its elements.
    pub passes_on: bool,
    /// The syntax of the function's string operands.
    pub spelling: Spelling,
    /// How often rules call the function as a method, compared with other methods: from 0 for seldom to [`MOST_USED`].
    pub method_rank: u8,
    /// How often rules call the function without a target, compared with other functions: from 0 for seldom to [`MOST_USED`].
    pub function_rank: u8,
}

/// The rank of the most used function.
pub const MOST_USED: u8 = 12;

/// The syntax of a string.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Spelling {
    /// Any string.
    Anything,
    /// A part of another string.
    Part,
    /// A regular expression in RE2 syntax.
    Pattern,
    /// A resource quantity such as `1.5Gi`.
    Quantity,
    /// A URL.
    Url,
    /// An IP address.
    Address,
    /// An IP address range in CIDR notation.
    Network,
    /// A semantic version.
    Version,
    /// A duration such as `1h30m`.
    Duration,
    /// A time in RFC 3339 notation.
    Time,
    /// A time zone.
    Zone,
    /// A number or boolean.
    Number,
    /// A format string with verbs such as `%s`.
    Template,
    /// The name of a format such as `dns1123Label`.
    FormatName,
    /// A value of a named format.
    Formatted,
}

/// A function with its name, description, cost accounting, examples and overloads.
pub(super) const fn function(
    name: &'static str,
    doc: &'static str,
    counted: Counted,
    examples: &'static [(&'static str, &'static str)],
    overloads: &'static [Overload],
) -> Function {
    Function {
        name,
        doc,
        counted,
        examples,
        overloads,
        traits: Traits {
            singleton: false,
            variadic: false,
            conversion: false,
            pattern: None,
            total: false,
            guard: None,
            passes_on: false,
            spelling: Spelling::Anything,
            method_rank: 0,
            function_rank: 0,
        },
    }
}

/// An overload that a function of the operands evaluates.
pub(super) const fn overload(id: &'static str, signature: &'static str, cost: Cost, body: BodyFn) -> Overload {
    with_body(id, signature, cost, Body::Function(body))
}

/// An overload that a step of the evaluator evaluates.
pub(super) const fn step(id: &'static str, signature: &'static str, cost: Cost, step: Step) -> Overload {
    with_body(id, signature, cost, Body::Step(step))
}

/// An overload for operands that no rule of a CRD has.
pub(super) const fn never_called(id: &'static str, signature: &'static str, cost: Cost) -> Overload {
    with_body(id, signature, cost, Body::NeverCalled)
}

const fn with_body(id: &'static str, signature: &'static str, cost: Cost, body: Body) -> Overload {
    Overload {
        id,
        signature,
        since: 0,
        until: u8::MAX,
        cost,
        body,
        work: None,
    }
}

/// A cost that depends on the operands.
pub(super) const fn cost(estimate: EstimateFn, actual: ActualFn) -> Cost {
    Cost {
        estimate: Estimate::Sized(estimate),
        actual: Actual::Sized(actual),
    }
}

/// A cost whose estimate depends on the operands, and whose runtime cost consists of the values that the evaluator reads.
pub(super) const fn cost_of_values(estimate: EstimateFn) -> Cost {
    Cost {
        estimate: Estimate::Sized(estimate),
        actual: Actual::OfValues,
    }
}

impl Cost {
    /// A cost of 1 for every call.
    pub const ONE: Self = Self::fixed(1);

    /// The same cost for every call.
    pub(crate) const fn fixed(cost: u64) -> Self {
        Self {
            estimate: Estimate::Fixed(cost),
            actual: Actual::Fixed(cost),
        }
    }
}

impl Actual {
    /// The runtime cost of an evaluated call, or the error if the API server's cost tracker panics.
    pub(crate) fn of(self, call: &CallRecord<'_>) -> Result<u64> {
        match self {
            Self::Fixed(cost) => Ok(cost),
            Self::Sized(cost) => cost(call),
            Self::OfValues => Ok(0),
        }
    }
}

impl Counted {
    /// The runtime cost of a call without a known overload.
    pub(crate) fn without_overload(self) -> Actual {
        match self {
            Self::ByOverload => Actual::Fixed(1),
            Self::ByName(cost) => cost.actual,
        }
    }
}

impl Overload {
    pub(super) const fn since(mut self, minor: u8) -> Self {
        self.since = minor;
        self
    }

    pub(super) const fn until(mut self, minor: u8) -> Self {
        self.until = minor;
        self
    }

    pub(super) const fn work(mut self, work: WorkFn) -> Self {
        self.work = Some(work);
        self
    }
}

impl Function {
    /// Whether every overload returns a boolean.
    pub fn is_predicate(&self) -> bool {
        self.overloads.iter().all(|it| it.signature.ends_with("-> bool"))
    }

    pub(super) const fn singleton(mut self) -> Self {
        self.traits.singleton = true;
        self
    }

    pub(super) const fn variadic(mut self) -> Self {
        self.traits.variadic = true;
        self
    }

    pub(super) const fn conversion(mut self) -> Self {
        self.traits.conversion = true;
        self
    }

    pub(super) const fn pattern(mut self, call: PatternFn) -> Self {
        self.traits.pattern = Some(call);
        self.traits.spelling = Spelling::Pattern;
        self
    }

    pub(super) const fn total(mut self) -> Self {
        self.traits.total = true;
        self
    }

    pub(super) const fn guard(mut self, function: &'static str) -> Self {
        self.traits.guard = Some(function);
        self
    }

    pub(super) const fn passes_on(mut self) -> Self {
        self.traits.passes_on = true;
        self
    }

    pub(super) const fn spelling(mut self, spelling: Spelling) -> Self {
        self.traits.spelling = spelling;
        self
    }

    pub(super) const fn method_rank(mut self, rank: u8) -> Self {
        self.traits.method_rank = rank;
        self
    }

    pub(super) const fn function_rank(mut self, rank: u8) -> Self {
        self.traits.function_rank = rank;
        self
    }
}
