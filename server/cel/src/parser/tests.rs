//! Tests of the parser: trees and error messages.

use std::fmt::Write as _;

use crate::KubernetesVersion;
use crate::ast::{Ast, ExprKind, Literal, NodeId, Source};
use crate::go::quote;
use crate::parser::{EscapedIdentifiers, ParseOptions, Parsed, parse};
use crd_analyzer_budget::{Limits, within};
use crd_analyzer_fixtures::tables::Table;

/// Prints a tree like the parser tests of `cel-go`: each expression with its id and kind.
struct Printer<'a> {
    ast: &'a Ast,
    text: String,
}

impl Printer<'_> {
    fn line(&mut self, indent: usize) {
        self.text.push('\n');
        self.text.push_str(&"  ".repeat(indent));
    }

    fn adorn(&mut self, id: i64, kind: &str) {
        let _ = write!(self.text, "^#{id}:*expr.{kind}#");
    }

    fn print(&mut self, node: NodeId, indent: usize) {
        let expr = &self.ast[node];
        let kind = match &expr.kind {
            ExprKind::Unspecified => return,
            ExprKind::Literal(literal) => self.literal(literal),
            ExprKind::Ident(name) => {
                self.text.push_str(name);
                "Expr_IdentExpr"
            }
            ExprKind::Select {
                operand,
                field,
                test_only,
            } => {
                self.print(*operand, indent);
                let test = if *test_only { "~test-only~" } else { "" };
                let _ = write!(self.text, ".{field}{test}");
                "Expr_SelectExpr"
            }
            ExprKind::Call { function, target, args } => {
                if let Some(target) = target {
                    self.print(*target, indent);
                    self.text.push('.');
                }
                self.text.push_str(function);
                self.group(
                    ("(", ")"),
                    args.iter().map(|arg| move |p: &mut Self| p.print(*arg, indent + 1)),
                    indent,
                );
                "Expr_CallExpr"
            }
            ExprKind::List {
                elements,
                optional_indices,
            } => {
                let _ = optional_indices;
                self.group(
                    ("[", "]"),
                    elements.iter().map(|e| move |p: &mut Self| p.print(*e, indent + 1)),
                    indent,
                );
                "Expr_ListExpr"
            }
            ExprKind::Map { entries } => {
                let print = entries.iter().map(|entry| {
                    move |p: &mut Self| {
                        p.text.push_str(if entry.optional { "?" } else { "" });
                        p.print(entry.key, indent + 1);
                        p.text.push(':');
                        p.print(entry.value, indent + 1);
                        p.adorn(entry.id, "Expr_CreateStruct_Entry");
                    }
                });
                self.group(("{", "}"), print, indent);
                "Expr_StructExpr"
            }
            ExprKind::Struct { type_name, fields } => {
                self.text.push_str(type_name);
                let print = fields.iter().map(|field| {
                    move |p: &mut Self| {
                        p.text.push_str(if field.optional { "?" } else { "" });
                        let _ = write!(p.text, "{}:", field.name);
                        p.print(field.value, indent + 1);
                        p.adorn(field.id, "Expr_CreateStruct_Entry");
                    }
                });
                self.group(("{", "}"), print, indent);
                "Expr_StructExpr"
            }
            ExprKind::Comprehension(comprehension) => {
                self.text.push_str("__comprehension__(");
                self.line(indent + 1);
                let _ = write!(self.text, "// Variable");
                for name in [Some(&comprehension.iter_var), comprehension.iter_var2.as_ref()]
                    .into_iter()
                    .flatten()
                {
                    self.line(indent + 1);
                    let _ = write!(self.text, "{name},");
                }
                self.part("Target", comprehension.iter_range, ",", indent);
                self.line(indent + 1);
                let _ = write!(self.text, "// Accumulator");
                self.line(indent + 1);
                let _ = write!(self.text, "{},", comprehension.accu_var);
                self.part("Init", comprehension.accu_init, ",", indent);
                self.part("LoopCondition", comprehension.loop_condition, ",", indent);
                self.part("LoopStep", comprehension.loop_step, ",", indent);
                self.part("Result", comprehension.result, ")", indent);
                "Expr_ComprehensionExpr"
            }
        };
        self.adorn(expr.id, kind);
    }

    fn part(&mut self, title: &str, node: NodeId, end: &str, indent: usize) {
        self.line(indent + 1);
        let _ = write!(self.text, "// {title}");
        self.line(indent + 1);
        self.print(node, indent + 1);
        self.text.push_str(end);
    }

    fn group<F: FnOnce(&mut Self)>(
        &mut self,
        (open, close): (&str, &str),
        items: impl ExactSizeIterator<Item = F>,
        indent: usize,
    ) {
        self.text.push_str(open);
        let some = items.len() > 0;
        for (at, item) in items.enumerate() {
            self.text.push_str(if at > 0 { "," } else { "" });
            self.line(indent + 1);
            item(self);
        }
        if some {
            self.line(indent);
        }
        self.text.push_str(close);
    }

    fn literal(&mut self, literal: &Literal) -> &'static str {
        let (text, kind) = match literal {
            Literal::Null => ("null".to_owned(), "Constant_NullValue"),
            Literal::Bool(b) => (b.to_string(), "Constant_BoolValue"),
            Literal::Int(i) => (i.to_string(), "Constant_Int64Value"),
            Literal::Uint(u) => (format!("{u}u"), "Constant_Uint64Value"),
            Literal::Double(d) => (crate::go::double_g(*d), "Constant_DoubleValue"),
            Literal::String(s) => (quote(s), "Constant_StringValue"),
            Literal::Bytes(b) => (
                format!("b{}", quote(&String::from_utf8_lossy(b))),
                "Constant_BytesValue",
            ),
        };
        self.text.push_str(&text);
        kind
    }
}

fn print(ast: &Ast) -> String {
    let mut printer = Printer {
        ast,
        text: String::new(),
    };
    if let Some(root) = ast.root() {
        printer.print(root, 0);
    }
    printer.text
}

fn run(text: &str, options: &ParseOptions) -> (Source, Parsed) {
    let source = Source::new(text);
    let parsed = parse(&source, options);
    (source, parsed)
}

#[test]
#[ignore = "needs the test tables of the Kubernetes and cel-go projects"]
fn trees_places_and_errors_are_those_of_cel_go() {
    let mut table = Table::open("celgo_parser");
    for case in table.cases() {
        let settings = &case["input"]["parser"];
        if case["kind"] != "cel-parse" {
            table.except("print an expression, which no part of the server does");
            continue;
        }
        if settings.is_null() {
            table.except("do not say how they were parsed");
            continue;
        }
        let mut wrong = Vec::new();
        let text = case["input"]["expr"].as_str().expect("an expression");
        if text == "m.existsOne(v, f)" {
            table.except("call a macro of cel-go's parser that no environment uses");
            continue;
        }
        let version = KubernetesVersion::NEWEST;
        // One test case sets its own limit, but the table does not contain it.
        let limit = if text == "x{?." { 10 } else { 4 };
        let escaped = if settings["identEscapeSyntax"] == true {
            EscapedIdentifiers::Allowed
        } else {
            EscapedIdentifiers::Refused
        };
        let options = ParseOptions::kubernetes(version, KubernetesVersion::minor(27))
            .optional_syntax(settings["optionalSyntax"] == true)
            .escaped_identifiers(escaped)
            .hidden_accumulator(settings["hiddenAccumulatorName"] == true)
            .max_recursion_depth(32)
            .error_limits(100, limit, limit);
        let (source, parsed) = run(text, &options);
        let actual = &case["actual"];
        if let Some(errors) = actual["errors"]["text"].as_str() {
            let found = parsed.issues.display(&source);
            table.judge((found != errors).then(|| format!("{text}\n  {found}\n  {errors}")));
            continue;
        }
        let found = print(&parsed.ast);
        // The table does not mark optional list elements, and has no literals that are not UTF-8.
        if actual["debug"].as_str() != Some(&*found) {
            wrong.push(format!("{text}\n  {found}\n  {}", actual["debug"]));
        }
        for (id, place) in actual["offsets"].as_object().expect("places") {
            let id = id.parse().expect("a number");
            let offset = parsed.ast.source_info.span(id).map(|span| i64::from(span.offset));
            if offset != place[0].as_i64() {
                wrong.push(format!("{text}: {id} is at {offset:?}, not at {place}"));
            }
        }
        table.judge((!wrong.is_empty()).then(|| wrong.join("\n")));
    }
    table.finish();
}

/// The errors of each API server for invalid expressions; empty if it accepts the expression.
#[test]
fn errors_are_those_of_each_server() {
    let check = |minors: std::ops::RangeInclusive<u8>, text: &str, expected: &str| {
        for minor in minors {
            let server = KubernetesVersion::minor(minor);
            let (source, parsed) = run(text, &ParseOptions::kubernetes(server, server.compatibility()));
            assert_eq!(parsed.issues.display(&source), expected, "1.{minor}: {text}");
        }
    };
    for accepted in [
        "self.a.b[0] > 1 && has(self.c)",
        "'''a\n'b''' + r\"\\d\" == \"\\u00e9\\x41\\101\\U0001F600\"",
        "b'\\xff' != B\"a\"",
        "-9223372036854775808 < 18446744073709551615u",
        ".self.all(x, x.y > 0x1F ? true : false) // a remark",
        "{'a': 1, 'b': [1, 2.5e3,],}['a'] in [1]",
    ] {
        check(30..=37, accepted, "");
    }
    check(
        30..=37,
        "1 +",
        "ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', \
         NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | 1 +\n | ...^",
    );
    check(
        30..=37,
        "self.all(x.y, true)",
        "ERROR: <input>:1:11: argument must be a simple name\n | self.all(x.y, true)\n | ..........^",
    );
    check(
        30..=37,
        "has(self)",
        "ERROR: <input>:1:5: invalid argument to has() macro\n | has(self)\n | ....^",
    );
    let at_the_line = "ERROR: <input>:2:1: invalid argument to has() macro\n | self)\n | ^";
    check(30..=30, "has(\nself)", at_the_line);
    check(
        31..=31,
        "has(\nself)",
        "ERROR: <input>:1:6: invalid argument to has() macro\n | has(\n | ....^",
    );
    check(32..=37, "has(\nself)", at_the_line);
    check(
        30..=37,
        "9223372036854775808 > 0",
        "ERROR: <input>:1:1: invalid int literal\n | 9223372036854775808 > 0\n | ^",
    );
    check(
        30..=37,
        "self.in == 1",
        "ERROR: <input>:1:6: Syntax error: no viable alternative at input '.in'\n | self.in == 1\n | .....^\n\
         ERROR: <input>:1:9: Syntax error: extraneous input '==' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', \
         NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | self.in == 1\n | ........^",
    );
    check(
        30..=37,
        "{'a' 1}",
        "ERROR: <input>:1:6: Syntax error: missing ':' at '1'\n | {'a' 1}\n | .....^",
    );
    check(
        30..=31,
        "`a` == 1",
        "ERROR: <input>:1:1: Syntax error: token recognition error at: '`'\n | `a` == 1\n | ^\n\
         ERROR: <input>:1:3: Syntax error: token recognition error at: '`'\n | `a` == 1\n | ..^",
    );
    check(
        36..=37,
        "`a` == 1",
        "ERROR: <input>:1:1: Syntax error: mismatched input '`a`' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', \
         NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | `a` == 1\n | ^",
    );
    check(
        30..=37,
        "while(1)",
        "ERROR: <input>:1:1: reserved identifier: while\n | while(1)\n | ^",
    );
}

#[test]
fn escapes_say_where_they_fail() {
    let check = |text: &str, expected: Option<&str>| {
        let version = KubernetesVersion::NEWEST;
        let (source, parsed) = run(text, &ParseOptions::kubernetes(version, version));
        let found = parsed.issues.display(&source);
        match expected {
            None => assert_eq!(found, "", "{text}"),
            Some(expected) => assert!(found.contains(expected), "{text}: {found}"),
        }
    };
    check(r#"'\a\b\f\n\r\t\v\"\'\\\?\`'"#, None);
    check(r"b'\377\u00e9'", Some("unable to unescape string"));
    check(r"'\ud800'", Some("invalid unicode code point"));
    check(r"'\400'", Some("token recognition error"));
    check(r"'\q'", Some("token recognition error"));
    check("'a\nb'", Some("token recognition error"));
}

/// Expressions that are too long or too deep cause an error.
#[test]
fn size_and_depth_are_bounded() {
    let check = |text: String, expected: &str| {
        for server in KubernetesVersion::all() {
            let (source, parsed) = run(&text, &ParseOptions::kubernetes(server, server));
            let found = parsed.issues.display(&source);
            assert!(found.contains(expected), "{server}: {found:.200}");
        }
    };
    check(
        "1".repeat(100_001),
        "expression code point size exceeds limit: size: 100001, limit 100000",
    );
    check("(".repeat(10_000), "expression recursion limit exceeded: 250");
    check(
        "[1].all(x, ".repeat(1_000) + "true" + &")".repeat(1_000),
        "expression recursion limit exceeded: 250",
    );
    check("1+".repeat(40_000) + "1", "max recursion depth exceeded");
    check("self".to_owned() + &".a".repeat(40_000), "max recursion depth exceeded");
    check(
        "( ) ] [ { ! ".repeat(8_000),
        "error recovery token lookahead limit exceeded: 256",
    );
    check("!".repeat(90_000) + "true", "");
    check("optional.of(1)".to_owned() + &".optMap(x, x)".repeat(60), "");
}

#[test]
fn recovering_from_errors_has_an_end() {
    let source = Source::new("self.a +");
    let options = ParseOptions::kubernetes(KubernetesVersion::NEWEST, KubernetesVersion::NEWEST);
    let limits = Limits {
        work: 100,
        ..Limits::NONE
    };
    let (_, ended) = within(limits, || parse(&source, &options));
    assert!(ended.unfinished.is_some());
}
