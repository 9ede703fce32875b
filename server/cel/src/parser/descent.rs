//! The fast parser: recursive descent for expressions without syntax errors. It gives up at the first error. It also gives up if the nesting is so
//! deep that the limits of the slow parser decide whether the expression is valid.

use super::token::Kind;
use super::tree::{Label, Node, Part, Rule, TokenIdx, Tree, TreeIdx};

/// This parser cannot parse the expression, so the slow parser has to do it.
pub(super) struct GaveUp;

type Parsed = Result<TreeIdx, GaveUp>;

/// The maximum nesting depth in this parser. The API server's limit is 250 per grammar rule, and one level can nest the same rule several times.
const MAX_DEPTH: u32 = 60;

/// Parses the tokens of `tree` (the last one is the end of the expression) and returns the start node.
pub(super) fn parse(tree: &mut Tree) -> Parsed {
    let mut parser = Parser { tree, at: 0, depth: 0 };
    let expr = parser.expr()?;
    parser.expect(Kind::Eof)?;
    Ok(parser.node(Rule::Start, 0, vec![(Label::E, Part::Node(expr))]))
}

struct Parser<'a> {
    tree: &'a mut Tree,
    at: TokenIdx,
    depth: u32,
}

impl Parser<'_> {
    fn kind(&self) -> Kind {
        self.tree.kind(self.at)
    }

    /// The kind of the token at offset `ahead` from the current one.
    fn peek(&self, ahead: usize) -> Kind {
        self.tree
            .tokens
            .get(self.at as usize + ahead)
            .map_or(Kind::Eof, |t| t.kind)
    }

    fn take(&mut self) -> Part {
        let token = self.at;
        if self.kind() != Kind::Eof {
            self.at += 1;
        }
        Part::Token(token)
    }

    fn take_if(&mut self, kind: Kind) -> Option<Part> {
        (self.kind() == kind).then(|| self.take())
    }

    fn expect(&mut self, kind: Kind) -> Result<Part, GaveUp> {
        self.take_if(kind).ok_or(GaveUp)
    }

    /// Creates a node for the tokens from `start` up to (but not including) the current one.
    fn node(&mut self, rule: Rule, start: TokenIdx, parts: Vec<(Label, Part)>) -> TreeIdx {
        self.tree.push(Node {
            rule,
            start,
            stop: self.at.saturating_sub(1).max(start),
            parts,
        })
    }

    fn expr(&mut self) -> Parsed {
        crate::stack::grow(|| self.expr_here())
    }

    fn expr_here(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(GaveUp);
        }
        let start = self.at;
        let mut expr = self.logic(Kind::LogicalOr)?;
        if let Some(op) = self.take_if(Kind::QuestionMark) {
            let then = self.logic(Kind::LogicalOr)?;
            self.expect(Kind::Colon)?;
            let otherwise = self.expr()?;
            let parts = vec![
                (Label::E, Part::Node(expr)),
                (Label::Op, op),
                (Label::E1, Part::Node(then)),
                (Label::E2, Part::Node(otherwise)),
            ];
            expr = self.node(Rule::Expr, start, parts);
        }
        self.depth -= 1;
        Ok(expr)
    }

    /// Parses a chain of `||` over chains of `&&` over relations.
    fn logic(&mut self, op: Kind) -> Parsed {
        let or = op == Kind::LogicalOr;
        let start = self.at;
        let first = if or {
            self.logic(Kind::LogicalAnd)?
        } else {
            self.relation()?
        };
        if self.kind() != op {
            return Ok(first);
        }
        let mut parts = vec![(Label::E, Part::Node(first))];
        while let Some(op) = self.take_if(op) {
            parts.push((Label::Op, op));
            let next = if or {
                self.logic(Kind::LogicalAnd)?
            } else {
                self.relation()?
            };
            parts.push((Label::E1, Part::Node(next)));
        }
        Ok(self.node(
            if or { Rule::ConditionalOr } else { Rule::ConditionalAnd },
            start,
            parts,
        ))
    }

    fn relation(&mut self) -> Parsed {
        let start = self.at;
        let mut left = self.calc(1)?;
        while (Kind::Equals..=Kind::Greater).contains(&self.kind()) {
            let op = self.take();
            let right = self.calc(1)?;
            let parts = vec![
                (Label::E, Part::Node(left)),
                (Label::Op, op),
                (Label::E1, Part::Node(right)),
            ];
            left = self.node(Rule::Relation, start, parts);
        }
        Ok(left)
    }

    /// Parses operators that bind at least as strongly as `precedence`: 1 for sums, 2 for products.
    fn calc(&mut self, precedence: u32) -> Parsed {
        let start = self.at;
        let mut left = self.unary()?;
        loop {
            let binds = match self.kind() {
                Kind::Plus | Kind::Minus => 1,
                Kind::Star | Kind::Slash | Kind::Percent => 2,
                _ => return Ok(left),
            };
            if binds < precedence {
                return Ok(left);
            }
            let op = self.take();
            let right = self.calc(binds + 1)?;
            let parts = vec![
                (Label::E, Part::Node(left)),
                (Label::Op, op),
                (Label::E1, Part::Node(right)),
            ];
            left = self.node(Rule::Calc, start, parts);
        }
    }

    fn unary(&mut self) -> Parsed {
        let start = self.at;
        let op = self.kind();
        // A single minus before a number belongs to the literal.
        let number = op == Kind::Minus && matches!(self.peek(1), Kind::Int | Kind::Float);
        if !matches!(op, Kind::Exclam | Kind::Minus) || number {
            return self.member();
        }
        let mut parts = Vec::new();
        while let Some(op) = self.take_if(op) {
            parts.push((Label::Op, op));
        }
        // After `!`, a minus can only be the sign of a number.
        if self.kind() == Kind::Exclam {
            return Err(GaveUp);
        }
        let operand = self.member()?;
        parts.push((Label::E, Part::Node(operand)));
        Ok(self.node(
            if op == Kind::Exclam {
                Rule::LogicalNot
            } else {
                Rule::Negate
            },
            start,
            parts,
        ))
    }

    fn member(&mut self) -> Parsed {
        let start = self.at;
        let mut member = self.primary()?;
        loop {
            let mut parts = vec![(Label::E, Part::Node(member))];
            if self.kind() == Kind::Dot && self.peek(1) == Kind::Identifier && self.peek(2) == Kind::LParen {
                self.take();
                parts.push((Label::Id, self.take()));
                parts.push((Label::Open, self.take()));
                self.arguments(&mut parts)?;
                member = self.node(Rule::MemberCall, start, parts);
            } else if let Some(op) = self.take_if(Kind::Dot) {
                parts.push((Label::Op, op));
                self.optional_mark(&mut parts);
                let name = self.field_name()?;
                parts.push((Label::Id, Part::Node(name)));
                member = self.node(Rule::Select, start, parts);
            } else if let Some(op) = self.take_if(Kind::LBracket) {
                parts.push((Label::Op, op));
                self.optional_mark(&mut parts);
                let index = self.expr()?;
                parts.push((Label::E1, Part::Node(index)));
                self.expect(Kind::RBracket)?;
                member = self.node(Rule::Index, start, parts);
            } else {
                return Ok(member);
            }
        }
    }

    fn optional_mark(&mut self, parts: &mut Vec<(Label, Part)>) {
        parts.extend(self.take_if(Kind::QuestionMark).map(|opt| (Label::Opt, opt)));
    }

    fn field_name(&mut self) -> Parsed {
        let start = self.at;
        let rule = match self.kind() {
            Kind::Identifier => Rule::SimpleIdentifier,
            Kind::EscIdentifier => Rule::EscapedIdentifier,
            _ => return Err(GaveUp),
        };
        let id = self.take();
        Ok(self.node(rule, start, vec![(Label::Id, id)]))
    }

    /// Parses the arguments after an opening parenthesis.
    fn arguments(&mut self, parts: &mut Vec<(Label, Part)>) -> Result<(), GaveUp> {
        if self.take_if(Kind::RParen).is_some() {
            return Ok(());
        }
        let start = self.at;
        let mut args = Vec::new();
        loop {
            let arg = self.expr()?;
            args.push((Label::E, Part::Node(arg)));
            if self.take_if(Kind::Comma).is_none() {
                break;
            }
        }
        let list = self.node(Rule::ExprList, start, args);
        parts.push((Label::Args, Part::Node(list)));
        self.expect(Kind::RParen)?;
        Ok(())
    }

    fn primary(&mut self) -> Parsed {
        let start = self.at;
        match self.kind() {
            Kind::Dot | Kind::Identifier => self.named(),
            Kind::LParen => {
                self.take();
                let inner = self.expr()?;
                self.expect(Kind::RParen)?;
                Ok(self.node(Rule::Nested, start, vec![(Label::E, Part::Node(inner))]))
            }
            Kind::LBracket => {
                let op = self.take();
                let (rule, list) = (Rule::CreateList, Rule::ListInit);
                self.aggregate(start, vec![(Label::Op, op)], rule, list, Kind::RBracket)
            }
            Kind::LBrace => {
                let op = self.take();
                let (rule, list) = (Rule::CreateStruct, Rule::MapInitializerList);
                self.aggregate(start, vec![(Label::Op, op)], rule, list, Kind::RBrace)
            }
            _ => self.literal(),
        }
    }

    /// Parses a variable, a function call or a message.
    fn named(&mut self) -> Parsed {
        let start = self.at;
        let mut parts = Vec::new();
        parts.extend(self.take_if(Kind::Dot).map(|dot| (Label::LeadingDot, dot)));
        parts.push((Label::Id, self.expect(Kind::Identifier)?));
        // A dotted name before a brace is the name of a message.
        let mut ahead = 0;
        while self.peek(ahead) == Kind::Dot && self.peek(ahead + 1) == Kind::Identifier {
            ahead += 2;
        }
        if self.peek(ahead) == Kind::LBrace {
            while self.take_if(Kind::Dot).is_some() {
                parts.push((Label::Id, self.expect(Kind::Identifier)?));
            }
            parts.push((Label::Op, self.expect(Kind::LBrace)?));
            return self.aggregate(
                start,
                parts,
                Rule::CreateMessage,
                Rule::FieldInitializerList,
                Kind::RBrace,
            );
        }
        if let Some(op) = self.take_if(Kind::LParen) {
            parts.push((Label::Op, op));
            self.arguments(&mut parts)?;
            return Ok(self.node(Rule::GlobalCall, start, parts));
        }
        Ok(self.node(Rule::Ident, start, parts))
    }

    /// Parses a list, map or message after its opening bracket: entries, an optional trailing comma, the closing bracket.
    fn aggregate(
        &mut self,
        start: TokenIdx,
        mut parts: Vec<(Label, Part)>,
        rule: Rule,
        list_rule: Rule,
        close: Kind,
    ) -> Parsed {
        let list_start = self.at;
        let mut entries = Vec::new();
        if self.kind() != close && self.kind() != Kind::Comma {
            self.entry(list_rule, &mut entries)?;
            while self.kind() == Kind::Comma && self.peek(1) != close {
                self.take();
                self.entry(list_rule, &mut entries)?;
            }
        }
        if !entries.is_empty() {
            let list = self.node(list_rule, list_start, entries);
            parts.push((Label::Args, Part::Node(list)));
        }
        self.take_if(Kind::Comma);
        self.expect(close)?;
        Ok(self.node(rule, start, parts))
    }

    fn entry(&mut self, list_rule: Rule, entries: &mut Vec<(Label, Part)>) -> Result<(), GaveUp> {
        let start = self.at;
        let mut key = Vec::new();
        self.optional_mark(&mut key);
        if list_rule == Rule::FieldInitializerList {
            let name = self.field_name()?;
            key.push((Label::Id, Part::Node(name)));
            let key = self.node(Rule::OptField, start, key);
            entries.push((Label::Key, Part::Node(key)));
        } else {
            let expr = self.expr()?;
            key.push((Label::E, Part::Node(expr)));
            let key = self.node(Rule::OptExpr, start, key);
            if list_rule == Rule::ListInit {
                entries.push((Label::E, Part::Node(key)));
                return Ok(());
            }
            entries.push((Label::Key, Part::Node(key)));
        }
        entries.push((Label::Col, self.expect(Kind::Colon)?));
        let value = self.expr()?;
        entries.push((Label::Value, Part::Node(value)));
        Ok(())
    }

    fn literal(&mut self) -> Parsed {
        let start = self.at;
        let mut parts = Vec::new();
        parts.extend(self.take_if(Kind::Minus).map(|sign| (Label::Sign, sign)));
        let rule = match self.kind() {
            Kind::Int => Rule::Int,
            Kind::Float => Rule::Double,
            _ if !parts.is_empty() => return Err(GaveUp),
            Kind::Uint => Rule::Uint,
            Kind::String => Rule::String,
            Kind::Bytes => Rule::Bytes,
            Kind::True => Rule::BoolTrue,
            Kind::False => Rule::BoolFalse,
            Kind::Null => Rule::Null,
            _ => return Err(GaveUp),
        };
        parts.push((Label::Tok, self.take()));
        Ok(self.node(rule, start, parts))
    }
}
