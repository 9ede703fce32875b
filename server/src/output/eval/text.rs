//! For people: the result, what it cost, and the parts of the expression as a tree.

use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use crd_analyzer_schema::{codes::RULE_SYNTAX, rules::CompileError};
use crd_analyzer_workspace::costs::{grouped, share};
use crd_analyzer_workspace::eval::{CelValue, Compiled, Part, Ran, Turn, in_plain_words, shown};
use serde_json::Value;

use crate::{cli::eval::Answered, output::cost::text::one_line};

/// Characters of a value that are shown.
const VALUE_WIDTH: usize = 100;
/// Characters of a part of an expression that are shown.
const PART_WIDTH: usize = 100;

/// What there is to say of what was asked.
pub(crate) fn printed(expression: Option<&str>, answered: &[Answered]) -> String {
    let mut out = String::new();
    let Some(text) = expression else {
        rules(&mut out, answered);
        return out;
    };
    for it in answered {
        match &it.outcome().compiled {
            Ok(compiled) => of_expression(&mut out, text, it, compiled, answered.len() > 1),
            Err(error) => {
                compile_error(&mut out, text, error);
                break;
            }
        }
    }
    let compiled = answered.first().and_then(|it| it.outcome().compiled.as_ref().ok());
    if let Some(compiled) = compiled {
        let ran = answered.first().and_then(|it| it.outcome().ran.as_ref());
        let costs = costs(compiled, ran.filter(|_| answered.len() == 1));
        if !costs.is_empty() {
            let _ = writeln!(out, "{costs}");
        }
        if compiled.type_name != "bool" {
            let _ = writeln!(
                out,
                "note: the type is {}; a rule must be bool: cel expression must evaluate to a bool",
                compiled.type_name
            );
        }
    }
    out
}

fn of_expression(out: &mut String, text: &str, it: &Answered, compiled: &Compiled, is_one_of_several: bool) {
    let Answered::Expression { place, value, outcome } = it else {
        return;
    };
    let mut indent = "";
    if !place.is_empty() {
        let value = value.as_ref().map_or_else(|| "(nothing)".to_owned(), one_line_value);
        let _ = writeln!(out, "{place} = {value}");
        indent = "  ";
    }
    match &outcome.ran {
        Some(ran) => {
            let cost = if is_one_of_several {
                format!("  (cost {})", grouped(ran.evaluation.cost))
            } else {
                String::new()
            };
            let _ = writeln!(out, "{indent}{}{cost}", result(ran));
            if let Some(part) = &ran.parts {
                tree(out, text, part, indent);
            }
        }
        None if compiled.uses_old_self && value.is_some() => {
            let _ = writeln!(
                out,
                "{indent}not run: it compares with oldSelf, and there is no old value"
            );
        }
        None => {
            let _ = writeln!(out, "{indent}compiles: {}", compiled.type_name);
        }
    }
}

fn result(ran: &Ran) -> String {
    match &ran.evaluation.result {
        Ok(value) => shown(value, 10 * VALUE_WIDTH),
        Err(error) => format!("error: {}", error.message()),
    }
}

/// What it cost, and what the server thinks that it may cost; empty if nothing is known.
fn costs(compiled: &Compiled, ran: Option<&Ran>) -> String {
    let cost = ran.map(|ran| grouped(ran.evaluation.cost));
    let (Some(estimate), Some(total)) = (compiled.estimate, compiled.cost()) else {
        return cost.map_or_else(String::new, |cost| format!("cost {cost}"));
    };
    let mut out = match cost {
        Some(cost) => format!("cost {cost}; "),
        None => "cost ".to_owned(),
    };
    let _ = write!(out, "at most {} by the server's estimate", grouped(estimate));
    if compiled.cardinality != 1 {
        let objects = grouped(compiled.cardinality);
        let _ = write!(out, " × {objects} objects = {}", grouped(total));
    }
    let _ = write!(out, " ({} of the budget)", share(total));
    if compiled.is_over() {
        out.push_str(": the server refuses the rule, `crd-analyzer cost` says what would make it fit");
    }
    out
}

fn compile_error(out: &mut String, text: &str, error: &CompileError) {
    let is_syntax = error.code == RULE_SYNTAX;
    let first = error.problems.first();
    let plain = first.and_then(|it| in_plain_words(&it.message));
    let is_plain = plain.is_none();
    let said = first.map_or(&error.detail, |it| &it.message);
    let title = plain.unwrap_or_else(|| said.split_whitespace().collect::<Vec<_>>().join(" "));
    // What a parser says after its first error follows from it.
    let shown = if is_syntax { 1 } else { error.problems.len() };
    let mut group = Level::ERROR
        .primary_title(title)
        .id(error.code)
        .elements(first.map(|_| {
            let marks = error.problems.iter().take(shown).enumerate().map(|(n, problem)| {
                if n == 0 {
                    AnnotationKind::Primary.span(problem.bytes.clone())
                } else {
                    AnnotationKind::Context
                        .span(problem.bytes.clone())
                        .label(problem.message.as_str())
                }
            });
            Snippet::source(text).annotations(marks)
        }));
    if !is_plain || first.is_none() {
        group = group.element(Level::NOTE.message(format!("the server says: {}", error.detail)));
    }
    let _ = writeln!(out, "{}", Renderer::plain().render(&[group]));
}

fn rules(out: &mut String, answered: &[Answered]) {
    if answered.is_empty() {
        let _ = writeln!(out, "no rule of the definition is about anything in this object");
        return;
    }
    let mut failed = 0;
    for it in answered {
        let Answered::Rule {
            place,
            index,
            rule,
            message,
            value,
            outcome,
            errors,
        } = it
        else {
            continue;
        };
        let place = if place.is_empty() { "(root)" } else { place };
        let word = match (&outcome.compiled, &outcome.ran) {
            (Err(_), _) => "does not compile",
            (Ok(_), None) => "not run",
            (Ok(_), Some(ran)) => match &ran.evaluation.result {
                Ok(CelValue::Bool(true)) => "holds",
                Ok(_) => "fails",
                Err(_) => "error",
            },
        };
        failed += usize::from(!matches!(word, "holds" | "not run"));
        let _ = writeln!(out, "{word:<6} {place}[{index}]  {}", one_line(rule));
        let indent = "       ";
        match &outcome.compiled {
            Err(error) => compile_error(out, rule, error),
            Ok(compiled) => {
                if word == "not run" {
                    let _ = writeln!(out, "{indent}it compares with oldSelf, and there is no old value here");
                }
                if word == "fails" && !message.is_empty() && errors.is_empty() {
                    let _ = writeln!(out, "{indent}{}", one_line(message));
                }
                for error in errors {
                    let _ = writeln!(out, "{indent}the server says: {}", one_line(error));
                }
                if !matches!(word, "holds" | "not run") {
                    let _ = writeln!(out, "{indent}self = {}", one_line_value(value));
                }
                if let Some(part) = outcome.ran.as_ref().and_then(|it| it.parts.as_ref()) {
                    tree(out, rule, part, indent);
                }
                let _ = writeln!(out, "{indent}{}", costs(compiled, outcome.ran.as_ref()));
            }
        }
    }
    let rules = answered.len();
    let what = if rules == 1 { "rule" } else { "rules" };
    let _ = writeln!(out, "\n{rules} {what} tried, {failed} failed");
}

fn one_line_value(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(VALUE_WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The parts of an expression below one another.
fn tree(out: &mut String, text: &str, root: &Part, indent: &str) {
    let mut tree = Tree { out, text };
    tree.line(root, indent, "");
    tree.below(root, indent);
}

struct Tree<'a> {
    out: &'a mut String,
    text: &'a str,
}

/// What is drawn at one level.
enum Item<'p> {
    Part(&'p Part),
    Turn(&'p Turn),
    LeftOut(usize),
}

impl Tree<'_> {
    fn line(&mut self, part: &Part, indent: &str, branch: &str) {
        let source = self.text.get(part.bytes.clone()).unwrap_or_default();
        let source = cut(&source.split_whitespace().collect::<Vec<_>>().join(" "));
        let value = match &part.value {
            Some(Ok(value)) => format!("= {}", shown(value, VALUE_WIDTH)),
            Some(Err(error)) => format!("! {}", error.message()),
            None => "(not evaluated)".to_owned(),
        };
        let _ = writeln!(self.out, "{indent}{branch}{source}  {value}");
    }

    fn below(&mut self, part: &Part, indent: &str) {
        let mut items: Vec<Item<'_>> = part.parts.iter().map(Item::Part).collect();
        for turn in &part.turns {
            if part.turns_left_out > 0
                && items.iter().filter(|it| matches!(it, Item::Turn(_))).count() + part.turns_left_out == turn.index
            {
                items.push(Item::LeftOut(part.turns_left_out));
            }
            items.push(Item::Turn(turn));
        }
        self.items(&items, indent);
    }

    fn items(&mut self, items: &[Item<'_>], indent: &str) {
        for (n, item) in items.iter().enumerate() {
            let is_last = n + 1 == items.len();
            let branch = if is_last { "└─ " } else { "├─ " };
            let inner = format!("{indent}{}", if is_last { "   " } else { "│  " });
            match item {
                Item::Part(part) => {
                    self.line(part, indent, branch);
                    self.below(part, &inner);
                }
                Item::LeftOut(count) => {
                    let _ = writeln!(self.out, "{indent}{branch}… {count} more");
                }
                Item::Turn(turn) => {
                    let variables = turn.variables.iter().map(|(name, value)| match value {
                        Ok(value) => format!("{name} = {}", shown(value, VALUE_WIDTH)),
                        Err(error) => format!("{name} ! {}", error.message()),
                    });
                    let variables = variables.collect::<Vec<_>>().join(", ");
                    let _ = writeln!(self.out, "{indent}{branch}[{}] {variables}", turn.index);
                    let parts: Vec<_> = turn
                        .parts
                        .iter()
                        .filter(|it| it.value.is_some())
                        .map(Item::Part)
                        .collect();
                    self.items(&parts, &inner);
                }
            }
        }
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(PART_WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
