//! Case distinction: if a rule mentions a field several times, each case of the field is analyzed separately and the results are combined.

use crd_analyzer_cel::ast::{ExprKind, Literal, NodeId};

use super::abstract_value::{AbstractValue, Span};
use super::{FieldPath, Outcome, Reasoning, Root};

/// The maximum number of cases.
const MAX_CASES: usize = 256;
/// The maximum number of constants that split the values of a field.
const MAX_CUTS: usize = 12;

/// The assumption about a field in one case.
#[derive(Clone, Debug)]
pub(super) struct Supposed<'s> {
    pub(super) path: FieldPath,
    pub(super) is_present: Option<bool>,
    pub(super) known: Option<AbstractValue<'s>>,
}

/// A field that the rule mentions, and the places where the rule mentions it.
struct Mention {
    path: FieldPath,
    reads: Vec<NodeId>,
    tests: Vec<NodeId>,
}

impl<'s> Reasoning<'_, 's> {
    /// The possible results of the whole expression in all cases.
    pub(super) fn by_cases(&mut self, root: NodeId) -> Outcome<'s> {
        let mut count = 1;
        let mut fields = Vec::new();
        for cases in self.cases(root) {
            if count * cases.len() <= MAX_CASES {
                count *= cases.len();
                fields.push(cases);
            }
        }
        self.together(root, &fields)
    }

    fn together(&mut self, root: NodeId, fields: &[Vec<Supposed<'s>>]) -> Outcome<'s> {
        let Some((cases, others)) = fields.split_first() else {
            return self.part(root, 0);
        };
        let outcomes = cases.iter().map(|case| {
            self.supposed.push(case.clone());
            let outcome = self.together(root, others);
            self.supposed.pop();
            outcome
        });
        let either = |a: Outcome<'s>, b: Outcome<'s>| Outcome {
            known: a.known.or(&b.known),
            fails: a.fails || b.fails,
        };
        outcomes.reduce(either).unwrap_or(Outcome::ANYTHING)
    }

    /// The cases of each field that the rule mentions more than once.
    fn cases(&mut self, root: NodeId) -> Vec<Vec<Supposed<'s>>> {
        let mut mentions: Vec<Mention> = Vec::new();
        let mut cuts: Vec<i128> = Vec::new();
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            waiting.extend(self.ast.children(node));
            match &self.ast[node].kind {
                ExprKind::Literal(Literal::Int(int)) => cuts.push(i128::from(*int)),
                // The empty string is distinguished from other strings by its length.
                ExprKind::Literal(Literal::String(text)) if text.is_empty() => cuts.push(0),
                ExprKind::Select { .. } | ExprKind::Ident(_) => {
                    let Some(path) = self.path(node).filter(|it| it.0 == Root::This) else {
                        continue;
                    };
                    let at = mentions.iter().position(|it| it.path == path).unwrap_or(mentions.len());
                    if at == mentions.len() {
                        mentions.push(Mention {
                            path,
                            reads: Vec::new(),
                            tests: Vec::new(),
                        });
                    }
                    match &self.ast[node].kind {
                        ExprKind::Select { test_only: true, .. } => mentions[at].tests.push(node),
                        _ => mentions[at].reads.push(node),
                    }
                }
                _ => {}
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        cuts.truncate(MAX_CUTS);
        let cases = mentions.into_iter().map(|it| self.of_field(it, &cuts));
        cases.filter(|it| it.len() > 1).collect()
    }

    fn of_field(&mut self, field: Mention, cuts: &[i128]) -> Vec<Supposed<'s>> {
        let Mention { path, reads, tests } = field;
        let mut values = vec![None];
        if reads.len() > 1 {
            let ranges = ranges(&self.part(reads[0], 0).known, cuts);
            if !ranges.is_empty() {
                values = ranges.into_iter().map(Some).collect();
            }
        }
        let may_be_absent = tests.len() + reads.len() > 1
            && tests.first().is_some_and(|it| {
                let bools = self.part(*it, 0).known.bools();
                bools.can_be_true && bools.can_be_false
            });
        let case = |is_present, known| Supposed {
            path: path.clone(),
            is_present,
            known,
        };
        let absent = may_be_absent.then(|| case(Some(false), None));
        let is_present = may_be_absent.then_some(true);
        let present = values.into_iter().map(|known| case(is_present, known));
        absent.into_iter().chain(present).collect()
    }
}

/// Splits the possible values into ranges at these integers.
fn ranges<'s>(known: &AbstractValue<'s>, cuts: &[i128]) -> Vec<AbstractValue<'s>> {
    let spans = |span: &Span, of: &dyn Fn(Span) -> AbstractValue<'s>| span.cut(cuts).into_iter().map(of).collect();
    match known {
        AbstractValue::Bool(bools) => bools.each().map(AbstractValue::Bool).collect(),
        AbstractValue::Int(span) => spans(span, &AbstractValue::Int),
        AbstractValue::Text(None, span) => spans(span, &|it| match it.most {
            0 => AbstractValue::literal(&"".into()),
            _ => AbstractValue::Text(None, it),
        }),
        AbstractValue::Text(Some(texts), span) => {
            let one = |text: &std::sync::Arc<str>| AbstractValue::Text(Some(vec![text.clone()]), *span);
            texts.iter().map(one).collect()
        }
        AbstractValue::List(items, span) => spans(span, &|it| AbstractValue::List(*items, it)),
        AbstractValue::Map(span) => spans(span, &AbstractValue::Map),
        AbstractValue::Anything | AbstractValue::Double(..) | AbstractValue::Object(_) | AbstractValue::Written(_) => {
            Vec::new()
        }
    }
}
