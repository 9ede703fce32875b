//! Converts the parse tree to an [`Ast`](crate::ast::Ast) and expands macros (the visitor of `cel-go` `parser/parser.go`).
//!
//! Syntax errors can leave gaps in the tree. The API server reports what its visitor finds in such a tree together with the syntax
//! errors, so this visitor takes the same steps.

use std::sync::Arc;

use super::build::Builder;
use super::expansion;
use super::options::{EscapedIdentifiers, ParseOptions};
use super::tree::{Label, Rule, TokenIdx, Tree, TreeIdx};
use super::unescape::unescape;
use crate::ast::{
    ExprKind, Incomplete, IssueKind, Issues, Limit, Literal, LiteralProblem, Location, MapEntry, NodeId, Span,
    StructField, Unsupported, operators,
};

/// Reserved names, which cannot be variables although the grammar accepts them as identifiers.
pub const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "package",
    "namespace",
    "null",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// The expression is nested too deeply. No further problems are reported for it.
pub(super) struct TooDeep;

type Visited<T = NodeId> = Result<T, TooDeep>;

/// The origin of a node, which determines its position.
#[derive(Clone, Copy)]
enum Origin {
    Token(TokenIdx),
    Node(TreeIdx),
    At(Location),
}

pub(super) struct Visitor<'v, 'a> {
    pub(super) tree: &'v Tree,
    pub(super) options: &'v ParseOptions,
    pub(super) builder: Builder<'a>,
    pub(super) issues: &'v mut Issues,
    depth: u32,
}

impl<'v, 'a> Visitor<'v, 'a> {
    pub(super) fn new(tree: &'v Tree, options: &'v ParseOptions, builder: Builder<'a>, issues: &'v mut Issues) -> Self {
        Self {
            tree,
            options,
            builder,
            issues,
            depth: 0,
        }
    }

    fn span(&self, place: Origin) -> Span {
        match place {
            Origin::Token(token) => {
                let token = self.tree.token(token);
                Span {
                    offset: token.offset as i32,
                    bytes: token.bytes,
                }
            }
            Origin::Node(node) => {
                let node = self.tree.node(node);
                let (start, stop) = (self.tree.token(node.start), self.tree.token(node.stop));
                let end = stop.bytes.1.max(start.bytes.0);
                Span {
                    offset: start.offset as i32,
                    bytes: (start.bytes.0, end),
                }
            }
            Origin::At(_) => Span {
                offset: -1,
                bytes: (0, 0),
            },
        }
    }

    fn id(&mut self, place: Origin) -> i64 {
        if let Origin::At(location) = place {
            return self.builder.id_at(location);
        }
        let span = self.span(place);
        self.builder.id(span)
    }

    /// Creates the id of an expression at a token, or returns -1 if the token is missing.
    fn token_id(&mut self, token: Option<TokenIdx>) -> i64 {
        token.map_or(-1, |token| self.id(Origin::Token(token)))
    }

    fn make(&mut self, place: Origin, kind: ExprKind) -> NodeId {
        let id = self.id(place);
        self.builder.push(id, kind)
    }

    fn unspecified(&mut self, place: Origin) -> NodeId {
        self.make(place, ExprKind::Unspecified)
    }

    fn report(&mut self, place: Origin, kind: IssueKind) -> NodeId {
        let message = kind.server_words();
        self.report_worded(place, kind, message)
    }

    fn report_worded(&mut self, place: Origin, kind: IssueKind, message: String) -> NodeId {
        let node = self.unspecified(place);
        let id = self.builder.ast[node].id;
        let location = match place {
            Origin::At(location) => location,
            _ => self.builder.location_told(id, self.options),
        };
        self.issues.report_worded(kind, id, location, message);
        node
    }

    fn text(&self, token: TokenIdx) -> &str {
        self.tree.token(token).text(self.builder.source.text())
    }

    /// Skips nodes that only wrap another node.
    fn unnest(&self, mut node: TreeIdx) -> Option<TreeIdx> {
        loop {
            let wraps = match self.tree.node(node).rule {
                Rule::Expr | Rule::ConditionalOr | Rule::ConditionalAnd | Rule::Relation | Rule::Calc => {
                    self.tree.token_of(node, Label::Op).is_none()
                }
                Rule::MemberExpr | Rule::PrimaryExpr | Rule::Nested | Rule::ConstantLiteral => true,
                _ => false,
            };
            if !wraps {
                return Some(node);
            }
            node = self.tree.node_of(node, Label::E)?;
        }
    }

    pub(super) fn visit_start(&mut self, node: TreeIdx) -> Visited {
        let expr = self.tree.node_of(node, Label::E);
        self.visit(expr)
    }

    fn visit(&mut self, node: Option<TreeIdx>) -> Visited {
        crate::stack::grow(|| self.visit_here(node))
    }

    fn visit_here(&mut self, node: Option<TreeIdx>) -> Visited {
        let Some(node) = node.and_then(|n| self.unnest(n)) else {
            return Ok(self.unknown("<nil>"));
        };
        match self.tree.node(node).rule {
            Rule::Expr => self.deeper(|v| v.visit_expr(node)),
            Rule::ConditionalOr => self.visit_logic(node, operators::LOGICAL_OR, "||"),
            Rule::ConditionalAnd => self.visit_logic(node, operators::LOGICAL_AND, "&&"),
            Rule::Relation | Rule::Calc => self.deeper(|v| v.visit_binary(node)),
            Rule::LogicalNot => self.visit_unary(node, operators::LOGICAL_NOT),
            Rule::Negate => self.visit_unary(node, operators::NEGATE),
            Rule::Unary => Ok(self.make(
                Origin::Node(node),
                ExprKind::Literal(Literal::String("<<error>>".into())),
            )),
            Rule::Select => self.deeper(|v| v.visit_select(node)),
            Rule::MemberCall => self.deeper(|v| v.visit_member_call(node)),
            Rule::Index => self.deeper(|v| v.visit_index(node)),
            Rule::Ident => Ok(self.visit_ident(node)),
            Rule::GlobalCall => self.visit_global_call(node),
            Rule::CreateList => self.visit_list(node),
            Rule::CreateStruct => self.visit_map(node),
            Rule::CreateMessage => self.visit_message(node),
            Rule::Int | Rule::Uint | Rule::Double | Rule::String | Rule::Bytes => Ok(self.visit_literal(node)),
            Rule::BoolTrue => Ok(self.literal(node, Literal::Bool(true))),
            Rule::BoolFalse => Ok(self.literal(node, Literal::Bool(false))),
            Rule::Null => Ok(self.literal(node, Literal::Null)),
            rule => Ok(self.unknown(&format!("{rule:?}"))),
        }
    }

    /// A placeholder for a missing or incomplete part. The missing part is only reported if no other issue is.
    fn unknown(&mut self, what: &str) -> NodeId {
        if self.issues.is_empty() {
            return self.report(
                Origin::At(Location::NONE),
                IssueKind::Incomplete(Incomplete::Part(what.to_owned())),
            );
        }
        self.unspecified(Origin::At(Location::NONE))
    }

    fn deeper<T>(&mut self, visit: impl FnOnce(&mut Self) -> Visited<T>) -> Visited<T> {
        self.depth += 1;
        if self.depth > self.options.max_recursion_depth {
            self.issues
                .report(IssueKind::Limit(Limit::TreeDepth), 0, Location::NONE);
            return Err(TooDeep);
        }
        let visited = visit(self);
        self.depth -= 1;
        visited
    }

    fn literal(&mut self, node: TreeIdx, value: Literal) -> NodeId {
        self.make(Origin::Node(node), ExprKind::Literal(value))
    }

    fn visit_expr(&mut self, node: TreeIdx) -> Visited {
        let condition = self.visit(self.tree.node_of(node, Label::E))?;
        let id = self.token_id(self.tree.token_of(node, Label::Op));
        let then = self.visit(self.tree.node_of(node, Label::E1))?;
        let otherwise = self.visit(self.tree.node_of(node, Label::E2))?;
        Ok(self.call_or_macro(id, operators::CONDITIONAL, None, vec![condition, then, otherwise]))
    }

    fn visit_logic(&mut self, node: TreeIdx, function: &'static str, operator: &'static str) -> Visited {
        let mut terms = vec![self.visit(self.tree.node_of(node, Label::E))?];
        let mut ids = Vec::new();
        let tree = self.tree;
        let mut rest = tree.nodes_of(node, Label::E1);
        for op in tree.tokens_of(node, Label::Op) {
            let Some(next) = rest.next() else {
                let missing = IssueKind::Incomplete(Incomplete::Operand(operator));
                return Ok(self.report(Origin::Node(node), missing));
            };
            terms.push(self.visit(Some(next))?);
            ids.push(self.id(Origin::Token(op)));
        }
        if self.options.variadic_logic {
            return Ok(self.builder.push(
                ids[0],
                ExprKind::Call {
                    function: function.into(),
                    target: None,
                    args: terms,
                },
            ));
        }
        Ok(self.balanced(&function.into(), &terms, &ids))
    }

    /// A balanced tree of calls: its depth is the logarithm of the number of terms.
    fn balanced(&mut self, function: &Arc<str>, terms: &[NodeId], ids: &[i64]) -> NodeId {
        if ids.is_empty() {
            return terms[0];
        }
        let mid = ids.len() / 2;
        let left = self.balanced(function, &terms[..=mid], &ids[..mid]);
        let right = self.balanced(function, &terms[mid + 1..], &ids[mid + 1..]);
        self.builder.push(
            ids[mid],
            ExprKind::Call {
                function: function.clone(),
                target: None,
                args: vec![left, right],
            },
        )
    }

    fn visit_binary(&mut self, node: TreeIdx) -> Visited {
        let op = self.tree.token_of(node, Label::Op);
        let Some(function) = op.and_then(|op| operators::find(self.text(op))) else {
            return Ok(self.report(Origin::Node(node), IssueKind::Incomplete(Incomplete::Operator)));
        };
        let left = self.visit(self.tree.node_of(node, Label::E))?;
        let id = self.token_id(op);
        let right = self.visit(self.tree.node_of(node, Label::E1))?;
        Ok(self.call_or_macro(id, function, None, vec![left, right]))
    }

    fn visit_unary(&mut self, node: TreeIdx, function: &'static str) -> Visited {
        let operand = self.tree.node_of(node, Label::E);
        if self.tree.tokens_of(node, Label::Op).count().is_multiple_of(2) {
            return self.visit(operand);
        }
        let id = self.token_id(self.tree.token_of(node, Label::Op));
        let operand = self.visit(operand)?;
        Ok(self.call_or_macro(id, function, None, vec![operand]))
    }

    /// The field name of the node `of` with its position, or the reason why it is invalid. In grammars without names in backticks, the name is a
    /// token; in later grammars, it is a node.
    fn field_name(&self, of: TreeIdx) -> Option<(Origin, Result<Arc<str>, Unsupported>)> {
        if let Some(token) = self.tree.token_of(of, Label::Id) {
            return Some((Origin::Token(token), Ok(self.text(token).into())));
        }
        let ident = self.tree.node_of(of, Label::Id)?;
        let text = self.tree.token_of(ident, Label::Id).map_or("", |t| self.text(t));
        let name = match self.tree.node(ident).rule {
            Rule::SimpleIdentifier => Ok(text.into()),
            Rule::EscapedIdentifier if self.options.escaped_identifiers != EscapedIdentifiers::Allowed => {
                Err(Unsupported::Backticks)
            }
            Rule::EscapedIdentifier => match text.get(1..text.len().saturating_sub(1)) {
                Some(name) if text.len() > 2 => Ok(name.into()),
                _ => Err(Unsupported::EmptyBackticks),
            },
            _ => Err(Unsupported::Name),
        };
        Some((Origin::Node(ident), name))
    }

    fn visit_select(&mut self, node: TreeIdx) -> Visited {
        let operand = self.visit(self.tree.node_of(node, Label::E))?;
        let (Some((place, name)), Some(op)) = (self.field_name(node), self.tree.token_of(node, Label::Op)) else {
            return Ok(self.unspecified(Origin::Node(node)));
        };
        let field = name.unwrap_or_else(|problem| {
            self.report(place, IssueKind::Unsupported(problem));
            "".into()
        });
        if self.tree.token_of(node, Label::Opt).is_none() {
            return Ok(self.make(
                Origin::Token(op),
                ExprKind::Select {
                    operand,
                    field,
                    test_only: false,
                },
            ));
        }
        if !self.options.optional_syntax {
            return Ok(self.report(Origin::Token(op), IssueKind::Unsupported(Unsupported::OptionalField)));
        }
        let field = self.make(place, ExprKind::Literal(Literal::String(field)));
        let call = ExprKind::Call {
            function: operators::OPT_SELECT.into(),
            target: None,
            args: vec![operand, field],
        };
        Ok(self.make(Origin::Token(op), call))
    }

    fn visit_member_call(&mut self, node: TreeIdx) -> Visited {
        let operand = self.visit(self.tree.node_of(node, Label::E))?;
        let Some(name) = self.tree.token_of(node, Label::Id) else {
            return Ok(self.unspecified(Origin::Node(node)));
        };
        let id = self.token_id(self.tree.token_of(node, Label::Open));
        let args = self.visit_args(node)?;
        let name = self.text(name).to_owned();
        Ok(self.call_or_macro(id, &name, Some(operand), args))
    }

    fn visit_args(&mut self, node: TreeIdx) -> Visited<Vec<NodeId>> {
        let Some(list) = self.tree.node_of(node, Label::Args) else {
            return Ok(Vec::new());
        };
        let tree = self.tree;
        tree.nodes_of(list, Label::E).map(|arg| self.visit(Some(arg))).collect()
    }

    fn visit_index(&mut self, node: TreeIdx) -> Visited {
        let operand = self.visit(self.tree.node_of(node, Label::E))?;
        let Some(op) = self.tree.token_of(node, Label::Op) else {
            return Ok(self.unspecified(Origin::Node(node)));
        };
        let id = self.id(Origin::Token(op));
        let index = self.visit(self.tree.node_of(node, Label::E1))?;
        let mut function = operators::INDEX;
        if self.tree.token_of(node, Label::Opt).is_some() {
            if !self.options.optional_syntax {
                return Ok(self.report(Origin::Token(op), IssueKind::Unsupported(Unsupported::OptionalIndex)));
            }
            function = operators::OPT_INDEX;
        }
        Ok(self.call_or_macro(id, function, None, vec![operand, index]))
    }

    /// The name of a variable or function with its token. If the name is missing or reserved, the error is a placeholder expression.
    fn visit_name(&mut self, node: TreeIdx) -> Result<(String, TokenIdx), NodeId> {
        let Some(token) = self.tree.token_of(node, Label::Id) else {
            return Err(self.unspecified(Origin::Node(node)));
        };
        let name = self.text(token);
        if RESERVED.contains(&name) {
            let name = name.to_owned();
            return Err(self.report(Origin::Node(node), IssueKind::ReservedName { name }));
        }
        let dot = if self.tree.token_of(node, Label::LeadingDot).is_some() {
            "."
        } else {
            ""
        };
        Ok((format!("{dot}{name}"), token))
    }

    fn visit_ident(&mut self, node: TreeIdx) -> NodeId {
        match self.visit_name(node) {
            Ok((name, token)) => self.make(Origin::Token(token), ExprKind::Ident(name.into())),
            Err(instead) => instead,
        }
    }

    fn visit_global_call(&mut self, node: TreeIdx) -> Visited {
        let (name, token) = match self.visit_name(node) {
            Ok(named) => named,
            Err(instead) => return Ok(instead),
        };
        // Without names in backticks, the grammar has a single alternative for variables and calls.
        if self.options.escaped_identifiers == EscapedIdentifiers::Unknown
            && self.tree.token_of(node, Label::Op).is_none()
        {
            return Ok(self.make(Origin::Token(token), ExprKind::Ident(name.into())));
        }
        let id = self.token_id(self.tree.token_of(node, Label::Op));
        let args = self.visit_args(node)?;
        Ok(self.call_or_macro(id, &name, None, args))
    }

    fn visit_list(&mut self, node: TreeIdx) -> Visited {
        let id = self.token_id(self.tree.token_of(node, Label::Op));
        let mut elements = Vec::new();
        let mut optional_indices = Vec::new();
        if let Some(list) = self.tree.node_of(node, Label::Args) {
            let tree = self.tree;
            for (at, element) in tree.nodes_of(list, Label::E).enumerate() {
                elements.push(self.visit(tree.node_of(element, Label::E))?);
                match tree.token_of(element, Label::Opt) {
                    Some(opt) if !self.options.optional_syntax => {
                        self.report(Origin::Token(opt), IssueKind::Unsupported(Unsupported::OptionalEntry));
                    }
                    Some(_) => optional_indices.push(at as u32),
                    None => {}
                }
            }
        }
        Ok(self.builder.push(
            id,
            ExprKind::List {
                elements,
                optional_indices,
            },
        ))
    }

    fn visit_map(&mut self, node: TreeIdx) -> Visited {
        let id = self.token_id(self.tree.token_of(node, Label::Op));
        let entries = match self.tree.node_of(node, Label::Args) {
            Some(list) => self.visit_map_entries(list)?,
            None => Vec::new(),
        };
        Ok(self.builder.push(id, ExprKind::Map { entries }))
    }

    fn visit_map_entries(&mut self, list: TreeIdx) -> Visited<Vec<MapEntry>> {
        let tree = self.tree;
        let mut keys = tree.nodes_of(list, Label::Key);
        let mut values = tree.nodes_of(list, Label::Value);
        let mut entries = Vec::new();
        for col in tree.tokens_of(list, Label::Col) {
            let id = self.id(Origin::Token(col));
            let (Some(key), Some(value)) = (keys.next(), values.next()) else {
                return Ok(Vec::new());
            };
            let optional = tree.token_of(key, Label::Opt).is_some();
            if optional && !self.options.optional_syntax {
                self.report(Origin::Node(key), IssueKind::Unsupported(Unsupported::OptionalEntry));
                continue;
            }
            let key = self.visit(tree.node_of(key, Label::E))?;
            let value = self.visit(Some(value))?;
            entries.push(MapEntry {
                id,
                key,
                value,
                optional,
            });
        }
        Ok(entries)
    }

    fn visit_message(&mut self, node: TreeIdx) -> Visited {
        let tree = self.tree;
        let names: Vec<_> = tree.tokens_of(node, Label::Id).map(|t| self.text(t)).collect();
        let dot = if tree.token_of(node, Label::LeadingDot).is_some() {
            "."
        } else {
            ""
        };
        let type_name = format!("{dot}{}", names.join("."));
        let id = self.token_id(tree.token_of(node, Label::Op));
        let fields = match tree.node_of(node, Label::Args) {
            Some(list) => self.visit_fields(list)?,
            None => Vec::new(),
        };
        Ok(self.builder.push(
            id,
            ExprKind::Struct {
                type_name: type_name.into(),
                fields,
            },
        ))
    }

    fn visit_fields(&mut self, list: TreeIdx) -> Visited<Vec<StructField>> {
        let tree = self.tree;
        let mut cols = tree.tokens_of(list, Label::Col);
        let mut values = tree.nodes_of(list, Label::Value);
        let mut fields = Vec::new();
        for field in tree.nodes_of(list, Label::Key) {
            let (Some(col), Some(value)) = (cols.next(), values.next()) else {
                return Ok(Vec::new());
            };
            let id = self.id(Origin::Token(col));
            let optional = tree.token_of(field, Label::Opt).is_some();
            if optional && !self.options.optional_syntax {
                self.report(Origin::Node(field), IssueKind::Unsupported(Unsupported::OptionalEntry));
                continue;
            }
            let name = match self.field_name(field) {
                Some((_, Ok(name))) => name,
                Some((_, Err(problem))) => {
                    self.report(Origin::Node(list), IssueKind::Unsupported(problem));
                    continue;
                }
                // Without names in backticks, a missing name ends the list of fields.
                None if self.options.escaped_identifiers == EscapedIdentifiers::Unknown => return Ok(Vec::new()),
                None => {
                    self.report(Origin::Node(list), IssueKind::Unsupported(Unsupported::Name));
                    continue;
                }
            };
            let value = self.visit(Some(value))?;
            fields.push(StructField {
                id,
                name,
                value,
                optional,
            });
        }
        Ok(fields)
    }

    fn visit_literal(&mut self, node: TreeIdx) -> NodeId {
        let Some(token) = self.tree.token_of(node, Label::Tok) else {
            return self.unknown("literal");
        };
        let sign = if self.tree.token_of(node, Label::Sign).is_some() {
            "-"
        } else {
            ""
        };
        let text = self.text(token);
        let value = match self.tree.node(node).rule {
            Rule::Int => {
                let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |hex| (hex, 16));
                i64::from_str_radix(&format!("{sign}{digits}"), radix)
                    .map(Literal::Int)
                    .map_err(|_| LiteralProblem::Int)
            }
            Rule::Uint => {
                let text = text.trim_end_matches(['u', 'U']);
                let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |hex| (hex, 16));
                u64::from_str_radix(digits, radix)
                    .map(Literal::Uint)
                    .map_err(|_| LiteralProblem::Uint)
            }
            Rule::Double => match format!("{sign}{text}").parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(Literal::Double(value)),
                _ => Err(LiteralProblem::Double),
            },
            Rule::Bytes => unescape(&text[1..], true, self.options.code_points).map(|b| Literal::Bytes(b.into())),
            _ => unescape(text, false, self.options.code_points)
                .map(|b| Literal::String(String::from_utf8_lossy(&b).into_owned().into())),
        };
        match value {
            Ok(value) => self.literal(node, value),
            Err(problem) => {
                let quoted = matches!(self.tree.node(node).rule, Rule::String | Rule::Bytes);
                let error = self.report(Origin::Node(node), IssueKind::Literal(problem));
                // An invalid string literal is kept as written.
                if quoted {
                    self.literal(node, Literal::String(self.text(token).into()))
                } else {
                    error
                }
            }
        }
    }

    fn call_or_macro(&mut self, id: i64, function: &str, target: Option<NodeId>, args: Vec<NodeId>) -> NodeId {
        match expansion::expand(&mut self.builder, self.options, id, function, target, &args) {
            None => self.builder.push(
                id,
                ExprKind::Call {
                    function: function.into(),
                    target,
                    args,
                },
            ),
            Some(Ok(node)) => {
                let expansion = self.builder.ast[node].id;
                self.builder.add_macro_call(expansion, function, target, &args);
                self.builder.delete_id(id);
                node
            }
            Some(Err((location, kind))) => {
                self.builder.delete_id(id);
                let message = self.options.worded(&kind.server_words());
                self.report_worded(Origin::At(location), kind, message)
            }
        }
    }
}
