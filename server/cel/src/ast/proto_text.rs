//! Prints an expression as `cel-go` before 0.18 did in errors: as a protobuf message (`google.api.expr.v1alpha1.Expr`) on one line of
//! the text format. API servers up to 1.30 do this.
//!
//! Fields are separated by one blank. Some builds of protobuf write two.

use std::fmt::Write as _;

use crd_analyzer_budget as budget;

use super::{Ast, ExprKind, Literal, NodeId};
use crate::go::double_g;

/// Budgeted work for each node. Macros duplicate parts of an expression, so there can be more nodes than the source text suggests.
const NODE_WORK: u64 = 8;

/// The expression in the protobuf text format. It is truncated when the work budget is used up, which the budget reports.
pub(crate) fn proto_text(ast: &Ast, node: NodeId) -> String {
    let mut out = Text {
        ast,
        out: String::new(),
    };
    out.expr(node);
    out.out
}

struct Text<'a> {
    ast: &'a Ast,
    out: String,
}

impl Text<'_> {
    /// Writes the name of a field, after a separator if needed.
    fn name(&mut self, name: &str) {
        if !self.out.is_empty() && !self.out.ends_with('{') {
            self.out.push(' ');
        }
        self.out.push_str(name);
        self.out.push(':');
    }

    fn text(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.name(name);
            self.quoted(value.chars().map(Ok));
        }
    }

    fn flag(&mut self, name: &str, value: bool) {
        if value {
            self.name(name);
            self.out.push_str("true");
        }
    }

    fn integer(&mut self, name: &str, value: i64) {
        if value != 0 {
            self.name(name);
            let _ = write!(self.out, "{value}");
        }
    }

    fn message(&mut self, name: &str, fields: impl FnOnce(&mut Self)) {
        self.name(name);
        self.out.push('{');
        fields(self);
        self.out.push('}');
    }

    fn child(&mut self, name: &str, node: NodeId) {
        self.message(name, |it| it.expr(node));
    }

    /// Writes a quoted string. Bytes that are not UTF-8 are escaped.
    fn quoted(&mut self, text: impl Iterator<Item = Result<char, u8>>) {
        self.out.push('"');
        for c in text {
            match c {
                Ok(c @ ('"' | '\\')) => self.out.extend(['\\', c]),
                Ok('\n') => self.out.push_str("\\n"),
                Ok('\r') => self.out.push_str("\\r"),
                Ok('\t') => self.out.push_str("\\t"),
                Ok(c @ ('\0'..' ' | '\u{7f}')) => drop(write!(self.out, "\\x{:02x}", u32::from(c))),
                Err(byte) => drop(write!(self.out, "\\x{byte:02x}")),
                Ok(c @ '\u{80}'..='\u{9f}') => drop(write!(self.out, "\\u{:04x}", u32::from(c))),
                Ok(c) => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    fn expr(&mut self, node: NodeId) {
        if budget::work(NODE_WORK).is_err() {
            return;
        }
        let ast = self.ast;
        let expr = &ast[node];
        self.integer("id", expr.id);
        match &expr.kind {
            ExprKind::Unspecified => {}
            ExprKind::Literal(literal) => self.message("const_expr", |it| it.literal(literal)),
            ExprKind::Ident(name) => self.message("ident_expr", |it| it.text("name", name)),
            ExprKind::Select {
                operand,
                field,
                test_only,
            } => self.message("select_expr", |it| {
                it.child("operand", *operand);
                it.text("field", field);
                it.flag("test_only", *test_only);
            }),
            ExprKind::Call { function, target, args } => self.message("call_expr", |it| {
                if let Some(target) = target {
                    it.child("target", *target);
                }
                it.text("function", function);
                for arg in args {
                    it.child("args", *arg);
                }
            }),
            ExprKind::List {
                elements,
                optional_indices,
            } => self.message("list_expr", |it| {
                for element in elements {
                    it.child("elements", *element);
                }
                for index in optional_indices {
                    it.name("optional_indices");
                    let _ = write!(it.out, "{index}");
                }
            }),
            ExprKind::Map { entries } => self.message("struct_expr", |it| {
                for entry in entries {
                    it.message("entries", |it| {
                        it.integer("id", entry.id);
                        it.child("map_key", entry.key);
                        it.child("value", entry.value);
                        it.flag("optional_entry", entry.optional);
                    });
                }
            }),
            ExprKind::Struct { type_name, fields } => self.message("struct_expr", |it| {
                it.text("message_name", type_name);
                for field in fields {
                    it.message("entries", |it| {
                        it.integer("id", field.id);
                        it.name("field_key");
                        it.quoted(field.name.chars().map(Ok));
                        it.child("value", field.value);
                        it.flag("optional_entry", field.optional);
                    });
                }
            }),
            ExprKind::Comprehension(comprehension) => self.message("comprehension_expr", |it| {
                it.text("iter_var", &comprehension.iter_var);
                it.child("iter_range", comprehension.iter_range);
                it.text("accu_var", &comprehension.accu_var);
                it.child("accu_init", comprehension.accu_init);
                it.child("loop_condition", comprehension.loop_condition);
                it.child("loop_step", comprehension.loop_step);
                it.child("result", comprehension.result);
            }),
        }
    }

    /// Writes a constant. Unlike other fields, it is also written if it has the default value.
    fn literal(&mut self, literal: &Literal) {
        match literal {
            Literal::Null => {
                self.name("null_value");
                self.out.push_str("NULL_VALUE");
            }
            Literal::Bool(value) => {
                self.name("bool_value");
                let _ = write!(self.out, "{value}");
            }
            Literal::Int(value) => {
                self.name("int64_value");
                let _ = write!(self.out, "{value}");
            }
            Literal::Uint(value) => {
                self.name("uint64_value");
                let _ = write!(self.out, "{value}");
            }
            Literal::Double(value) => {
                self.name("double_value");
                self.out.push_str(&double_g(*value));
            }
            Literal::String(value) => {
                self.name("string_value");
                self.quoted(value.chars().map(Ok));
            }
            Literal::Bytes(value) => {
                self.name("bytes_value");
                let chunks = value.utf8_chunks();
                self.quoted(chunks.flat_map(|it| {
                    let bytes = it.invalid().iter().map(|byte| Err(*byte));
                    it.valid().chars().map(Ok).chain(bytes)
                }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::proto_text;
    use crate::KubernetesVersion;
    use crate::ast::Source;
    use crate::parser::{ParseOptions, parse};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let version = KubernetesVersion::minor(30);
        let parsed = parse(
            &Source::new(text.to_owned()),
            &ParseOptions::kubernetes(version, version),
        );
        let root = parsed.ast.root().expect("an expression");
        assert_eq!(proto_text(&parsed.ast, root), expected, "{text}");
    }

    #[test]
    fn expressions_are_printed_as_protobuf_prints_messages() {
        check(
            "a.none()",
            r#"id:2 call_expr:{target:{id:1 ident_expr:{name:"a"}} function:"none"}"#,
        );
        check(
            "a.b",
            r#"id:2 select_expr:{operand:{id:1 ident_expr:{name:"a"}} field:"b"}"#,
        );
        check(
            "has(a.b)",
            r#"id:4 select_expr:{operand:{id:2 ident_expr:{name:"a"}} field:"b" test_only:true}"#,
        );
        check(
            "[0, ?'a\"\\n\\x01é']",
            r#"id:1 list_expr:{elements:{id:2 const_expr:{int64_value:0}} elements:{id:3 const_expr:{string_value:"a\"\n\x01é"}} optional_indices:1}"#,
        );
        check(
            "{null: 1u}",
            r"id:1 struct_expr:{entries:{id:2 map_key:{id:3 const_expr:{null_value:NULL_VALUE}} value:{id:4 const_expr:{uint64_value:1}}}}",
        );
        check("b'\\xff'", r#"id:1 const_expr:{bytes_value:"\xff"}"#);
        check("1e21", "id:1 const_expr:{double_value:1e+21}");
        check("0.0", "id:1 const_expr:{double_value:0}");
        check("{}", "id:1 struct_expr:{}");
    }
}
