//! The grammar of CEL, rule by rule.

use super::super::token::Kind;
use super::super::tree::{Label, Rule};
use super::network::{Kinds, RuleId, kinds};

/// The grammar's constructs.
pub(super) enum G {
    /// A token from a set.
    T(Kinds, Option<Label>),
    /// A call of a rule.
    R(RuleId, u8, Label),
    /// An optional construct. The next token tells whether it is present.
    Opt(Vec<G>),
    /// An optional construct. Lookahead over several tokens tells whether it is present.
    OptAhead(Vec<G>),
    /// Zero or more repetitions. The next token tells whether another one follows.
    Star(Vec<G>),
    /// Zero or more repetitions. Lookahead over several tokens tells whether another one follows.
    StarAhead(Vec<G>),
    /// One or more repetitions. The next token tells whether another one follows.
    Plus(Vec<G>),
    /// One or more repetitions. Lookahead over several tokens tells whether another one follows.
    PlusAhead(Vec<G>),
    /// Alternatives. Lookahead over several tokens selects one.
    Either(Vec<(Rule, Vec<G>)>),
    /// Alternatives. The next token selects one.
    EitherNext(Vec<(Rule, Vec<G>)>),
    /// The replacement of left recursion: any number of operators with their precedence.
    Recursion(Vec<(Rule, u8, Vec<G>)>),
}

fn t(kind: Kind) -> G {
    G::T(kinds(kind), None)
}

fn l(kind: Kind, label: Label) -> G {
    G::T(kinds(kind), Some(label))
}

fn set(of: &[Kind], label: Label) -> G {
    G::T(of.iter().map(|k| kinds(*k)).sum(), Some(label))
}

fn r(rule: RuleId, label: Label) -> G {
    G::R(rule, 0, label)
}

/// A rule of the grammar. Without names in backticks, a call is a variable with arguments, and a field is a token.
pub(super) fn grammar(rule: RuleId, escaped_identifiers: bool) -> (Rule, Vec<G>) {
    use Kind as K;
    use Label as L;
    let expr = |label| r(RuleId::Expr, label);
    let args = || G::Opt(vec![r(RuleId::ExprList, L::Args)]);
    let opt = || G::Opt(vec![l(K::QuestionMark, L::Opt)]);
    let leading_dot = || G::Opt(vec![l(K::Dot, L::LeadingDot)]);
    let trailing = || G::Opt(vec![t(K::Comma)]);
    let entries = |rule| G::Opt(vec![r(rule, L::Args)]);
    let chain = |rule, op| vec![r(rule, L::E), G::Star(vec![l(op, L::Op), r(rule, L::E1)])];
    let entry = |key| vec![r(key, L::Key), l(K::Colon, L::Col), expr(L::Value)];
    let entry_list = |key| {
        let mut list = entry(key);
        let mut more = vec![t(K::Comma)];
        more.extend(entry(key));
        list.push(G::StarAhead(more));
        list
    };
    let name = || {
        if escaped_identifiers {
            r(RuleId::EscapeIdent, L::Id)
        } else {
            l(K::Identifier, L::Id)
        }
    };
    match rule {
        RuleId::Start => (Rule::Start, vec![expr(L::E), t(K::Eof)]),
        RuleId::Expr => {
            let rest = vec![
                l(K::QuestionMark, L::Op),
                r(RuleId::ConditionalOr, L::E1),
                t(K::Colon),
                expr(L::E2),
            ];
            (Rule::Expr, vec![r(RuleId::ConditionalOr, L::E), G::Opt(rest)])
        }
        RuleId::ConditionalOr => (Rule::ConditionalOr, chain(RuleId::ConditionalAnd, K::LogicalOr)),
        RuleId::ConditionalAnd => (Rule::ConditionalAnd, chain(RuleId::Relation, K::LogicalAnd)),
        RuleId::Relation => {
            let ops = [
                K::Equals,
                K::NotEquals,
                K::In,
                K::Less,
                K::LessEquals,
                K::GreaterEquals,
                K::Greater,
            ];
            let body = vec![set(&ops, L::Op), G::R(RuleId::Relation, 2, L::E1)];
            (
                Rule::Relation,
                vec![r(RuleId::Calc, L::E), G::Recursion(vec![(Rule::Relation, 1, body)])],
            )
        }
        RuleId::Calc => {
            let product = vec![
                set(&[K::Star, K::Slash, K::Percent], L::Op),
                G::R(RuleId::Calc, 3, L::E1),
            ];
            let sum = vec![set(&[K::Plus, K::Minus], L::Op), G::R(RuleId::Calc, 2, L::E1)];
            let recursion = G::Recursion(vec![(Rule::Calc, 2, product), (Rule::Calc, 1, sum)]);
            (Rule::Calc, vec![r(RuleId::Unary, L::E), recursion])
        }
        RuleId::Unary => {
            let member = || r(RuleId::Member, L::E);
            let alternatives = vec![
                (Rule::MemberExpr, vec![member()]),
                (Rule::LogicalNot, vec![G::Plus(vec![l(K::Exclam, L::Op)]), member()]),
                (Rule::Negate, vec![G::PlusAhead(vec![l(K::Minus, L::Op)]), member()]),
            ];
            (Rule::Unary, vec![G::Either(alternatives)])
        }
        RuleId::Member => {
            let select = vec![l(K::Dot, L::Op), opt(), name()];
            let call = vec![
                t(K::Dot),
                l(K::Identifier, L::Id),
                l(K::LParen, L::Open),
                args(),
                t(K::RParen),
            ];
            let index = vec![l(K::LBracket, L::Op), opt(), expr(L::E1), t(K::RBracket)];
            let recursion = G::Recursion(vec![
                (Rule::Select, 3, select),
                (Rule::MemberCall, 2, call),
                (Rule::Index, 1, index),
            ]);
            (Rule::PrimaryExpr, vec![r(RuleId::Primary, L::E), recursion])
        }
        RuleId::Primary => {
            let ident = || vec![leading_dot(), l(K::Identifier, L::Id)];
            let call = || vec![l(K::LParen, L::Op), args(), t(K::RParen)];
            let mut alternatives = Vec::new();
            if escaped_identifiers {
                alternatives.push((Rule::Ident, ident()));
                alternatives.push((Rule::GlobalCall, ident().into_iter().chain(call()).collect()));
            } else {
                alternatives.push((
                    Rule::GlobalCall,
                    ident().into_iter().chain([G::OptAhead(call())]).collect(),
                ));
            }
            let more_names = G::Star(vec![t(K::Dot), l(K::Identifier, L::Id)]);
            alternatives.extend([
                (Rule::Nested, vec![t(K::LParen), expr(L::E), t(K::RParen)]),
                (
                    Rule::CreateList,
                    vec![
                        l(K::LBracket, L::Op),
                        entries(RuleId::ListInit),
                        trailing(),
                        t(K::RBracket),
                    ],
                ),
                (
                    Rule::CreateStruct,
                    vec![
                        l(K::LBrace, L::Op),
                        entries(RuleId::MapInitializerList),
                        trailing(),
                        t(K::RBrace),
                    ],
                ),
                (
                    Rule::CreateMessage,
                    vec![
                        leading_dot(),
                        l(K::Identifier, L::Id),
                        more_names,
                        l(K::LBrace, L::Op),
                        entries(RuleId::FieldInitializerList),
                        trailing(),
                        t(K::RBrace),
                    ],
                ),
                (Rule::ConstantLiteral, vec![r(RuleId::Literal, L::E)]),
            ]);
            (Rule::Primary, vec![G::Either(alternatives)])
        }
        RuleId::ExprList => (Rule::ExprList, vec![expr(L::E), G::Star(vec![t(K::Comma), expr(L::E)])]),
        RuleId::ListInit => {
            let element = || r(RuleId::OptExpr, L::E);
            (
                Rule::ListInit,
                vec![element(), G::StarAhead(vec![t(K::Comma), element()])],
            )
        }
        RuleId::FieldInitializerList => (Rule::FieldInitializerList, entry_list(RuleId::OptField)),
        RuleId::MapInitializerList => (Rule::MapInitializerList, entry_list(RuleId::OptExpr)),
        RuleId::OptField => (Rule::OptField, vec![opt(), name()]),
        RuleId::EscapeIdent => {
            let alternatives = vec![
                (Rule::SimpleIdentifier, vec![l(K::Identifier, L::Id)]),
                (Rule::EscapedIdentifier, vec![l(K::EscIdentifier, L::Id)]),
            ];
            (Rule::EscapeIdent, vec![G::EitherNext(alternatives)])
        }
        RuleId::OptExpr => (Rule::OptExpr, vec![opt(), expr(L::E)]),
        RuleId::Literal => {
            let sign = || G::Opt(vec![l(K::Minus, L::Sign)]);
            let alternatives = vec![
                (Rule::Int, vec![sign(), l(K::Int, L::Tok)]),
                (Rule::Uint, vec![l(K::Uint, L::Tok)]),
                (Rule::Double, vec![sign(), l(K::Float, L::Tok)]),
                (Rule::String, vec![l(K::String, L::Tok)]),
                (Rule::Bytes, vec![l(K::Bytes, L::Tok)]),
                (Rule::BoolTrue, vec![l(K::True, L::Tok)]),
                (Rule::BoolFalse, vec![l(K::False, L::Tok)]),
                (Rule::Null, vec![l(K::Null, L::Tok)]),
            ];
            (Rule::Literal, vec![G::Either(alternatives)])
        }
    }
}
