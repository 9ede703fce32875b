//! What a declaration of a function says. A function without a body or a cost does not compile.

use crd_analyzer_goregexp::GoRegex;

use crate::KubernetesVersion;
use crate::cost::EstimateFn;
use crate::value::{Result, Value};

/// A set of functions that is enabled as a whole.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// What it is called.
    pub name: &'static str,
    /// Its functions, a slice for each subject.
    pub subjects: &'static [&'static [Function]],
    /// The types whose names it declares as values.
    pub types: &'static [&'static str],
}

impl Library {
    /// All its functions.
    pub fn functions(&self) -> impl Iterator<Item = &'static Function> {
        self.subjects.iter().copied().flatten()
    }
}

/// A function, method or operator.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// The name in the tree: the name of an operator has underscores for its operands.
    pub name: &'static str,
    /// What it does, in a sentence.
    pub doc: &'static str,
    /// How the API server finds what a call costs.
    pub counted: Counted,
    /// Expressions that use it, each with its value.
    pub examples: &'static [(&'static str, &'static str)],
    /// The ways to call it.
    pub overloads: &'static [Overload],
    /// What else is known of it.
    pub traits: Traits,
}

/// One way to call a function.
#[derive(Clone, Copy, Debug)]
pub struct Overload {
    /// The name of the overload.
    pub id: &'static str,
    /// The types of its operands and of its result, see [`Signature`](crate::types::Signature).
    pub signature: &'static str,
    /// The first Kubernetes minor version that has it in this library; 0 if every version has it.
    pub since: u8,
    /// The first Kubernetes minor version that no longer has it; 255 if every later version has it.
    pub until: u8,
    /// What a call costs.
    pub cost: Cost,
    /// What evaluates a call.
    pub body: Body,
    /// The work of a call, where it must be known before the call is evaluated.
    pub work: Option<WorkFn>,
}

/// What a call costs, in cost units, without its operands.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Before the rule runs, from the sizes that the schema allows.
    pub estimate: Estimate,
    /// When the rule runs.
    pub actual: Actual,
}

/// The estimated cost of a call.
#[derive(Clone, Copy, Debug)]
pub enum Estimate {
    /// The same for every call.
    Fixed(u64),
    /// Depends on the operands. `None` from the function means 1.
    Sized(EstimateFn),
}

/// The runtime cost of a call.
#[derive(Clone, Copy, Debug)]
pub enum Actual {
    /// The same for every call.
    Fixed(u64),
    /// Depends on the operands or the result.
    Sized(ActualFn),
    /// Nothing for the call itself: the evaluator counts the values that it looks at.
    OfValues,
}

/// Computes the runtime cost of a call. An error means that the API server's cost tracker panics on this call.
pub type ActualFn = fn(&CallRecord<'_>) -> Result<u64>;

/// A call that was evaluated.
#[derive(Clone, Copy, Debug)]
pub struct CallRecord<'a> {
    /// The Kubernetes version that evaluates it.
    pub version: KubernetesVersion,
    /// The operands, the target of a method first.
    pub operands: &'a [Result],
    /// The value of the call.
    pub result: &'a Result,
}

/// How the API server finds the runtime cost of a call. It matters where the operands are dynamic, so that only their values tell the
/// overload.
#[derive(Clone, Copy, Debug)]
pub enum Counted {
    /// By the overload (`cel-go` `interpreter/runtimecost.go` and `ext`). A call without a known overload costs 1.
    ByOverload,
    /// By the name of the function (`k8s.io/apiserver/pkg/cel/library/cost.go`, `CallCost`). A call without a known overload has this
    /// cost.
    ByName(Cost),
}

/// What evaluates a call.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// A function of the operands.
    Function(BodyFn),
    /// A step of the evaluator, which decides itself which operands it evaluates.
    Step(Step),
    /// No call is ever evaluated: no rule of a CRD has a value of the operands' types.
    NeverCalled,
}

/// Evaluates a call. The operands have the types of the overload, except in a [singleton](Traits::singleton).
pub type BodyFn = fn(KubernetesVersion, &[Value]) -> Result;

/// The work of a call with these operands, in cost units. A call whose work exceeds the cost limit is not evaluated. An error is that of
/// a call that the API server refuses before it does any work.
pub type WorkFn = fn(KubernetesVersion, &[Value]) -> Result<u64>;

/// A call of a function whose second operand is a constant regular expression.
pub type PatternFn = fn(&GoRegex, &[Value]) -> Result;

/// A step of the evaluator for a call that is more than a function of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// `c ? a : b`
    Conditional,
    /// `a && b`
    And,
    /// `a || b`
    Or,
    /// True for everything but false, also for an error.
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

/// What is known of a function besides its overloads.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// One body serves all overloads and checks the types of its operands itself (`cel-go` `decls.SingletonFunctionBinding`).
    pub singleton: bool,
    /// It is bound as a function of any number of operands, so its operands are evaluated up to the first error.
    pub variadic: bool,
    /// A call with a constant operand is evaluated when the rule is planned (`cel-go` `overloads.IsTypeConversionFunction`).
    pub conversion: bool,
    /// The second operand is a regular expression. A constant one is compiled when the rule is planned.
    pub pattern: Option<PatternFn>,
    /// It has a value for all operands of its types, given that its regular expression is valid.
    pub total: bool,
    /// The function that tells whether this one has a value for the same operand.
    pub guard: Option<&'static str>,
    /// Its value is its first operand, the value in it, or a list of some of its elements.
    pub passes_on: bool,
    /// What the strings among its operands spell.
    pub spelling: Spelling,
    /// How often rules call it as a method, compared with other methods: from 0 for seldom to [`MOST_USED`].
    pub method_rank: u8,
    /// How often rules call it without a target, compared with other functions: from 0 for seldom to [`MOST_USED`].
    pub function_rank: u8,
}

/// The rank of the function that rules use most.
pub const MOST_USED: u8 = 12;

/// What a string spells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Spelling {
    /// Nothing in particular.
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

/// A function: its name, what it does, how a call is counted, examples, and the ways to call it.
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

/// One way to call a function, which a function of the operands evaluates.
pub(super) const fn overload(id: &'static str, signature: &'static str, cost: Cost, body: BodyFn) -> Overload {
    with_body(id, signature, cost, Body::Function(body))
}

/// One way to call a function, which a step of the evaluator evaluates.
pub(super) const fn step(id: &'static str, signature: &'static str, cost: Cost, step: Step) -> Overload {
    with_body(id, signature, cost, Body::Step(step))
}

/// One way to call a function, for operands that no rule of a CRD has.
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

/// A cost whose estimate depends on the operands, and which is counted with the values that the evaluator looks at.
pub(super) const fn cost_of_values(estimate: EstimateFn) -> Cost {
    Cost {
        estimate: Estimate::Sized(estimate),
        actual: Actual::OfValues,
    }
}

impl Cost {
    /// 1, whatever the operands are.
    pub const ONE: Self = Self::fixed(1);

    /// The same for every call.
    pub(crate) const fn fixed(cost: u64) -> Self {
        Self {
            estimate: Estimate::Fixed(cost),
            actual: Actual::Fixed(cost),
        }
    }
}

impl Actual {
    /// The cost of a call that was evaluated, or the panic of the API server that counts it.
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
    /// Whether every call is a condition.
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
