//! The rules of one schema node, and their results for values that the schema accepts.

mod checked_rule;
mod left_out;
mod on_create;
mod values;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::hash::BuildHasher;

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_cel::Context;
use crd_analyzer_cel::decls::Role;
use crd_analyzer_cel::eval::Program;
use crd_analyzer_cel::value::Value as Cel;
use crd_analyzer_schema::cel_types::decl_type;
use crd_analyzer_schema::codes::{RULE_EVALUATION, RULE_FAILED};
use crd_analyzer_schema::field::Path;
use crd_analyzer_schema::rules::run::{self, Bindings, RUNTIME_BUDGET, Request, ValueBinder};
use crd_analyzer_schema::rules::{CompiledRule, Expression, ExpressionSet, compile, context};
use crd_analyzer_schema::structural::Structural;
use crd_analyzer_schema::unknown::Known;
use crd_analyzer_schema::validation::Validator;
use crd_analyzer_schema::{KubernetesVersion, ValidationRule, defaulting, list_type, objectmeta};
use foldhash::quality::FixedState;
use serde_json::Value;

use crate::locate::{Locator, Site};
use crate::make::{Decisions, Maker};
use crate::reads::{Interest, Reads};
use crate::search::{Next, Recipe, Search};
use crate::shrink::{in_one_line, smallest};
use crate::static_analysis::{self, StaticResult};
use crate::words::server_reports;
use crate::{Compiled, Effort, Hazard, codes};

/// The minimum effort for a rule on one value, in addition to the cost of the rule.
const TRY: u64 = 30;
/// The number of rules that can be run on a value with one unit of effort.
const RULES_PER_EFFORT: u64 = 8;
/// Units of work per unit of effort. A unit of effort usually needs only some tens, because it is based on the API server's cost, and few rules do
/// much work that the cost does not include.
const WORK_PER_EFFORT: u64 = 400;
/// The maximum bytes allocated while one value is tried with a rule.
const RULE_BYTES: u64 = 8 << 20;
/// The maximum number of reported hazards per rule.
const MAX_OF_RULE: usize = 4;

/// A schema node with its rules.
pub(crate) struct Node<'s> {
    schema: Structural<'s>,
    pub(crate) is_resource_root: bool,
    version: KubernetesVersion,
    /// The CEL context of the rules.
    pub(crate) context: Context,
    place: OnceCell<ValueBinder>,
    validator: Validator<'s>,
    rules: Vec<CompiledRule>,
    /// The validator for all rules of the node and of the nodes inside it.
    all: OnceCell<run::Validator>,
    /// All parts of the value that the rules of the node read.
    all_reads: OnceCell<Reads>,
}

/// A value to try. For an update, also the value that it replaces.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Case {
    pub(crate) sent: Value,
    pub(crate) old: Option<Value>,
}

/// The kind of request for trying a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Question {
    Create,
    Update,
}

impl<'s> Node<'s> {
    /// Returns `None` if the node has no rules that can be checked.
    pub(crate) fn new(
        schema: Structural<'s>,
        is_resource_root: bool,
        version: KubernetesVersion,
        compiled: Option<Compiled>,
    ) -> Option<Self> {
        if schema.validations().is_empty() {
            return None;
        }
        let set = ExpressionSet::Stored;
        let compiled = compiled.filter(|it| it.rules.len() == schema.validations().len());
        let (ty, rules) = if let Some(known) = compiled {
            let rules = known.rules.into_iter().map(CompiledRule::of_expression);
            (known.ty, rules.collect())
        } else {
            let ty = decl_type(schema, is_resource_root, version)?;
            let rules = compile(&ty, schema.validations(), version, |_, _| set);
            (ty, rules)
        };
        if rules.iter().all(|it| it.rule.is_none()) {
            return None;
        }
        Some(Self {
            schema,
            is_resource_root,
            version,
            context: context(&ty, version, set, false),
            place: OnceCell::new(),
            validator: Validator::new(schema.props(), version),
            rules,
            all: OnceCell::new(),
            all_reads: OnceCell::new(),
        })
    }

    pub(crate) fn hazards(&self, effort: &mut Effort) -> Vec<Hazard> {
        let mut found = Vec::new();
        for asked in (0..self.rules.len()).filter_map(|n| self.asked(n)) {
            // Every hazard is proved by a completely checked value, so the search need not be complete.
            Self::spend(effort, |left| {
                found.extend(asked.claim(left));
                // The CRD fixes the type of a resource, and this code does not have the CRD.
                if !self.is_custom_resource() || !["apiVersion", "kind"].iter().any(|it| asked.reads.has(it)) {
                    asked.failures(left, &mut found);
                    found.extend(asked.defaults());
                    found.extend(asked.unchecked_on_create(left));
                }
            });
            // Several reads of the same field need only one guard, so they are one hazard.
            let mut seen = HashSet::new();
            found.retain(|it| {
                let part = asked.text().get(it.bytes.clone()).unwrap_or_default();
                let mut values = self.context.variables().iter().filter(|of| of.role != Role::Other);
                let is_of_value = values.any(|of| part.strip_prefix(&*of.name).is_some_and(|it| it.starts_with('.')));
                it.rule != asked.n || !is_of_value || seen.insert((it.code, part.to_owned()))
            });
        }
        found
    }

    /// Whether the values are custom resources, not embedded resources.
    pub(crate) fn is_custom_resource(&self) -> bool {
        self.is_resource_root && !self.schema.is_embedded_resource()
    }

    /// The effort for running all rules of the node on a value, without the costs of the rules. A few more rules hardly change this effort.
    fn try_all(&self) -> u64 {
        4 * TRY + self.rules.len() as u64 / RULES_PER_EFFORT
    }

    fn all(&self) -> &run::Validator {
        self.all
            .get_or_init(|| run::Validator::new(self.schema, self.is_resource_root, self.version))
    }

    /// The value after defaulting, in the form that the API server validates.
    fn stored(&self, sent: &Value) -> Value {
        let mut stored = sent.clone();
        defaulting::set_defaults(&mut stored, Known::ALL, Some(self.schema));
        stored
    }

    fn bindings(&self, stored: &Value, old: Option<&Value>, is_optional: bool) -> Bindings {
        let place = self
            .place
            .get_or_init(|| ValueBinder::new(self.schema, self.is_resource_root, self.version));
        let old = old.map(|it| place.value(it));
        let bindings = Bindings::new(place.value(stored));
        if is_optional {
            bindings.with_optional_old(old)
        } else {
            bindings.with_old(old)
        }
    }

    /// Whether the schema accepts a value. Rules are ignored.
    fn accepts(&self, stored: &Value) -> bool {
        self.validator.validate(&Path::root(), stored).is_empty()
            && list_type::validate_value(stored, self.schema, &Path::root(), self.version).is_empty()
            && objectmeta::validate(
                stored,
                Known::ALL,
                Some(self.schema),
                false,
                &Path::root(),
                self.version,
            )
            .is_empty()
            && !budget::is_stopped()
    }

    /// Whether a value satisfies all rules on create.
    fn passes(&self, stored: &Value) -> bool {
        let (errors, _) = self.all().validate(&Path::root(), stored, None, RUNTIME_BUDGET);
        errors.is_empty()
    }

    /// Runs all rules on a value. The result of the rule `except` is returned separately.
    fn ask(&self, stored: &Value, old: Option<&Value>, except: Option<usize>) -> Answer {
        let root = Path::root();
        let outcome = self.all().run(&Request {
            path: &root,
            value: stored,
            known: Known::ALL,
            old,
            ratcheting: None,
            budget: RUNTIME_BUDGET,
            wants_reads: false,
        });
        let mut answer = Answer::default();
        for it in outcome.errors {
            if it.schema == root && it.rule.is_some() && it.rule == except {
                answer.words = Some(it.error.to_string());
            } else if it.error.code != RULE_EVALUATION {
                answer.is_refused = true;
            }
        }
        answer
    }
}

/// The results of all rules for a value.
#[derive(Default)]
struct Answer {
    /// Whether any rule other than `except` is false. Rules that fail with an error are ignored.
    is_refused: bool,
    /// The API server's message for the rule `except`, if it is not true.
    words: Option<String>,
}

/// A rule under analysis.
pub(crate) struct CheckedRule<'n, 's> {
    pub(crate) node: &'n Node<'s>,
    pub(crate) n: usize,
    written: &'s ValidationRule,
    expression: &'n Expression,
    pub(crate) reads: Reads,
    uses_old_self: bool,
    /// Whether the rule is a transition rule, which does not run on create.
    is_transition: bool,
}

/// The failure of a rule.
pub(crate) struct Failed {
    pub(crate) site: Site,
}

impl<'s> CheckedRule<'_, 's> {
    /// The source text of the rule.
    pub(crate) fn text(&self) -> &'s str {
        &self.written.rule
    }

    fn is_optional(&self) -> bool {
        self.written.optional_old_self == Some(true)
    }

    /// Runs the rule.
    fn run(&self, program: &Program, case: &Case, left: &mut u64) -> crd_analyzer_cel::value::Result {
        let stored = self.node.stored(&case.sent);
        let bindings = self.node.bindings(&stored, case.old.as_ref(), self.is_optional());
        let evaluation = program.eval(&bindings, self.node.context.limits().evaluation);
        *left = left.saturating_sub(TRY + evaluation.cost);
        evaluation.result
    }

    /// The failure of the rule on a case, unless the cost is the reason for the failure.
    fn failure(&self, locator: &Locator<'_, '_>, case: &Case, left: &mut u64) -> Option<Failed> {
        let program = &self.expression.program;
        let error = self.run(program, case, left).err()?;
        if error.is_fatal() {
            return None;
        }
        let stored = self.node.stored(&case.sent);
        let bindings = self.node.bindings(&stored, case.old.as_ref(), self.is_optional());
        *left = left.saturating_sub(TRY);
        let is_created = case.old.is_none();
        let limit = self.node.context.limits().evaluation;
        let site = locator.site(program, &bindings, limit, &error, is_created)?;
        Some(Failed { site })
    }

    /// The API server's message for the rule, if all other checks accept a case.
    fn is_shown_by(&self, case: &Case, left: &mut u64) -> Option<String> {
        let (words, ended) = budget::within(Limits::NONE, || self.is_shown(case, left));
        words.filter(|_| ended.unfinished.is_none())
    }

    fn is_shown(&self, case: &Case, left: &mut u64) -> Option<String> {
        *left = left.saturating_sub(self.node.try_all());
        let node = self.node;
        let stored = node.stored(&case.sent);
        if !node.accepts(&stored) {
            return None;
        }
        if let Some(old) = &case.old {
            let is_renamed = node.is_custom_resource() && old["metadata"]["name"] != stored["metadata"]["name"];
            if is_renamed || !node.accepts(old) || node.ask(old, None, Some(self.n)).is_refused {
                return None;
            }
        }
        let answer = node.ask(&stored, case.old.as_ref(), Some(self.n));
        answer.words.filter(|_| !answer.is_refused)
    }

    fn make(&self, maker: &Maker<'_, 's>, question: Question, decisions: &mut Decisions<'_>) -> Option<Case> {
        let node = self.node;
        let sent = maker.make(node.schema, node.is_resource_root, decisions)?;
        let old = match question {
            Question::Create => None,
            Question::Update => {
                let mut old = maker.make(node.schema, node.is_resource_root, decisions)?;
                if node.is_resource_root {
                    // An update cannot change the name.
                    old["metadata"] = sent["metadata"].clone();
                }
                Some(node.stored(&old))
            }
        };
        Some(Case { sent, old })
    }

    /// Tries values. `found` returns whether to continue.
    fn search(
        &self,
        reads: &Reads,
        question: Question,
        mut search: Search,
        left: &mut u64,
        found: &mut dyn FnMut(Case, &mut u64) -> bool,
    ) {
        let maker = Maker::new(&self.node.validator, reads);
        let mut seen: HashSet<u64, FixedState> = HashSet::default();
        while *left > 0 && budget::left().work > 0 {
            *left = left.saturating_sub(2);
            let case = match search.next(|decisions| self.make(&maker, question, decisions)) {
                Next::Value(case) => case,
                Next::NoValue => continue,
                Next::End => return,
            };
            let name = FixedState::default().hash_one((&case.sent, &case.old));
            // Each value gets the full budget of bytes.
            if seen.insert(name) && !budget::within(Limits::NONE, || found(case, left)).0 {
                return;
            }
        }
    }

    /// Finds the errors with which the rule can fail.
    fn failures(&self, left: &mut u64, hazards: &mut Vec<Hazard>) {
        let (checked, schema, context) = (&self.expression.checked, self.node.schema, &self.node.context);
        if !static_analysis::may_fail(checked, schema, context, self.is_optional()) {
            return;
        }
        let locator = Locator::new(checked, &self.written.rule, schema, context);
        let mut shown: Vec<Site> = Vec::new();
        let others = self.other_reads();
        for question in self.questions() {
            let mut is_stuck = false;
            for (reads, is_first) in [(Some(&self.reads), true), (others.as_ref(), false)] {
                let Some(reads) = reads else { continue };
                // Most failures are found soon. The rest of the effort is kept for values that are hard to find.
                let mut share = *left / 2;
                let before = share;
                let search = self.first_cases(reads, is_first, *question, &mut share);
                self.search(reads, *question, search, &mut share, &mut |case, left| {
                    let Some(failed) = self.failure(&locator, &case, left) else {
                        return true;
                    };
                    if shown.contains(&failed.site) {
                        return true;
                    }
                    if self.is_shown_by(&case, left).is_none() {
                        is_stuck = true;
                        return true;
                    }
                    if self.asks_for(&locator, &case, &failed, left) {
                        return true;
                    }
                    let case = self.smaller(&locator, case, &failed, left);
                    if let Some(words) = self.is_shown_by(&case, left) {
                        hazards.push(self.hazard_of(&case, &failed, &words));
                        shown.push(failed.site);
                    }
                    shown.len() < MAX_OF_RULE
                });
                *left -= before - share;
                // If other rules reject the values, changing the parts that those rules read may help.
                if !is_stuck || !shown.is_empty() {
                    break;
                }
            }
        }
    }

    /// The requests for trying the rule: create, update, or both.
    fn questions(&self) -> &'static [Question] {
        match (self.uses_old_self, self.is_transition) {
            (false, _) => &[Question::Create],
            (true, true) => &[Question::Update],
            (true, false) => &[Question::Create, Question::Update],
        }
    }

    /// The start of a search: the default values, or values that the other rules accept.
    fn first_cases(&self, reads: &Reads, is_anywhere: bool, question: Question, left: &mut u64) -> Search {
        if is_anywhere {
            Search::new()
        } else {
            Search::around(self.settled(reads, question, left))
        }
    }

    /// Recipes for values that the other rules accept. Changes one decision at a time, as long as the number of violations decreases.
    fn settled(&self, reads: &Reads, question: Question, left: &mut u64) -> Vec<Recipe> {
        let maker = Maker::new(&self.node.validator, reads);
        let mut found = Vec::new();
        for is_sparse in [true, false] {
            let mut best = Recipe {
                is_sparse,
                ..Recipe::default()
            };
            let refusals = |recipe: &Recipe, left: &mut u64| {
                *left = left.saturating_sub(self.node.try_all());
                let mut decisions = recipe.decisions();
                let case = self.make(&maker, question, &mut decisions);
                (case.map_or(usize::MAX, |case| self.refusals(&case)), decisions.made)
            };
            let (mut least, mut made) = refusals(&best, left);
            let mut is_better = true;
            while least > 0 && is_better && *left > 0 {
                is_better = false;
                let neighbours: Vec<Recipe> = best.neighbours(&made, 0).map(|it| it.1).collect();
                for other in neighbours {
                    if *left == 0 {
                        break;
                    }
                    let (count, ways) = refusals(&other, left);
                    if count < least {
                        (best, least, made, is_better) = (other, count, ways, true);
                        break;
                    }
                }
            }
            if least == 0 {
                found.push(best);
            }
        }
        found
    }

    /// The number of errors in a case, from the schema and from the other rules.
    fn refusals(&self, case: &Case) -> usize {
        let root = Path::root();
        let stored = self.node.stored(&case.sent);
        let outcome = self.node.all().run(&Request {
            path: &root,
            value: &stored,
            known: Known::ALL,
            old: case.old.as_ref(),
            ratcheting: None,
            budget: RUNTIME_BUDGET,
            wants_reads: false,
        });
        let is_other = |it: &&run::RuleError| it.schema != root || it.rule != Some(self.n);
        let others = outcome.errors.iter().filter(is_other);
        let failed = others.filter(|it| it.error.code == RULE_FAILED).count();
        failed + self.node.validator.validate(&root, &stored).len()
    }

    /// All parts of the value that the rules of the node read; `None` if the node has no other rule.
    fn other_reads(&self) -> Option<Reads> {
        let node = self.node;
        let rules = node.rules.iter().filter_map(|it| it.rule.as_ref());
        if rules.clone().count() < 2 {
            return None;
        }
        let all = node.all_reads.get_or_init(|| {
            let mut reads = Reads::default();
            for rule in rules {
                reads.merge(&Reads::of(&rule.checked.ast, node.schema, &node.context));
            }
            reads
        });
        let mut reads = self.reads.clone();
        reads.merge(all);
        Some(reads)
    }

    /// The case without the parts that are not needed for the failure.
    fn smaller(&self, locator: &Locator<'_, '_>, case: Case, failed: &Failed, left: &mut u64) -> Case {
        let Case { sent, old } = case;
        let mut fails_so = |case: &Case| {
            let same = self.failure(locator, case, left).filter(|it| it.site == failed.site);
            same.is_some_and(|it| !self.asks_for(locator, case, &it, left)) && self.is_shown_by(case, left).is_some()
        };
        let sent = smallest(sent, &mut |it| {
            fails_so(&Case {
                sent: it.clone(),
                old: old.clone(),
            })
        });
        let old = old.map(|old| {
            smallest(old, &mut |it| {
                let has_defaults = self.node.stored(it) == *it;
                has_defaults
                    && fails_so(&Case {
                        sent: sent.clone(),
                        old: Some(it.clone()),
                    })
            })
        });
        Case { sent, old }
    }

    /// The hazard that the rule is always or never true.
    fn claim(&self, left: &mut u64) -> Option<Hazard> {
        let claim = static_analysis::of(&self.expression.checked, self.node.schema, &self.node.context)?;
        let whole = 0..self.written.rule.trim_end().len();
        let mut hazard = self.hazard(claim.code(), whole, None);
        match claim {
            StaticResult::Always => {
                "this rule is true for every value that the schema accepts".clone_into(&mut hazard.headline);
                hazard.label = "always true";
                "remove the rule, or compare with something that the schema does not guarantee"
                    .clone_into(&mut hazard.help);
            }
            StaticResult::Never => {
                let mut example = None;
                let question = if self.is_transition {
                    Question::Update
                } else {
                    Question::Create
                };
                self.search(&self.reads, question, Search::new(), left, &mut |case, _| {
                    let stored = self.node.stored(&case.sent);
                    if self.node.accepts(&stored) {
                        example = Some(case);
                    }
                    example.is_none()
                });
                hazard.example = example.as_ref().map(|it| self.shown(&it.sent));
                "this rule is false for every value that the schema accepts".clone_into(&mut hazard.headline);
                hazard.label = "never true";
                "change the rule, or the limits of the schema that contradict it".clone_into(&mut hazard.help);
                if let Some(example) = &hazard.example {
                    let example = in_one_line(example);
                    hazard
                        .notes
                        .push(format!("it rejects each value, for example `{example}`"));
                }
            }
        }
        Some(hazard)
    }

    /// The hazard that the rule is false for the defaults.
    fn defaults(&self) -> Option<Hazard> {
        if self.uses_old_self || !are_defaulted(&self.reads.interest, self.node.schema) {
            return None;
        }
        let nothing = Reads::default();
        let maker = Maker::new(&self.node.validator, &nothing);
        let mut decisions = Decisions::new(&[], true);
        let sent = maker.make(self.node.schema, self.node.is_resource_root, &mut decisions)?;
        let case = Case { sent, old: None };
        let stored = self.node.stored(&case.sent);
        let result = self.run(&self.expression.program, &case, &mut 0);
        if !matches!(result, Ok(Cel::Bool(false))) || !self.node.accepts(&stored) {
            return None;
        }
        let whole = 0..self.written.rule.trim_end().len();
        let mut hazard = self.hazard(codes::DEFAULT_FAILS_RULE, whole, Some(&case));
        let (sent, stored_as) = (Self::told(&hazard), in_one_line(&self.shown(&stored)));
        "this rule is false for the defaults of the schema".clone_into(&mut hazard.headline);
        hazard.label = "false for the defaults";
        "change the defaults or the rule, so that the rule holds for the defaults".clone_into(&mut hazard.help);
        hazard.notes.push(format!("for example, {sent} becomes `{stored_as}`"));
        let words = self.node.ask(&stored, None, Some(self.n)).words;
        hazard.notes.extend(words.as_deref().map(server_reports));
        Some(hazard)
    }
}

/// Whether defaults set all parts that the rule reads, if the object does not set them.
fn are_defaulted(interest: &Interest, schema: Structural<'_>) -> bool {
    !interest.properties.is_empty()
        && interest.element.is_none()
        && interest.properties.iter().all(|(name, below)| {
            schema.property(name).is_some_and(|property| {
                let is_required = schema.props().required.contains(name);
                property.default_value().is_some() || is_required && are_defaulted(below, property)
            })
        })
}
