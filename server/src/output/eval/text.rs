//! Text output: the result, its cost, and the parts of the expression as a tree.

use std::{fmt::Write as _, io};

use crd_analyzer_io::print::{Style, Terminal};
use crd_analyzer_schema::{codes::RULE_SYNTAX, rules::CompileError};
use crd_analyzer_syntax::{lines::LineIndex, tree::Span};
use crd_analyzer_workspace::costs::{grouped, share};
use crd_analyzer_workspace::eval::{CelValue, Compiled, Part, Ran, shown, steps};
use crd_analyzer_workspace::words::expression::of_expression;
use serde_json::Value;

use super::{Answered, Format};
use crate::output::{
    cost::text::one_line,
    render::{Diagnostic, LabeledSpan, Note, Renderer, Source},
};

pub(super) const FORMAT: Format = Format {
    name: "text",
    help: "Text for people",
    names_version: false,
    print: |out, columns, answers| print(out, columns, answers.expression, answers.answered),
};

/// The maximum length of a value, in characters.
const VALUE_WIDTH: usize = 100;

/// Prints the results. `columns` is the line width.
fn print(out: &mut dyn io::Write, columns: usize, expression: Option<&str>, answered: &[Answered]) -> io::Result<()> {
    let mut printer = Printer {
        out: &mut Terminal::new(out, false),
        renderer: Renderer::new(columns),
    };
    match expression {
        Some(text) => printer.expression(text, answered),
        None => printer.rules(answered),
    }
}

struct Printer<'p, 'w> {
    out: &'p mut Terminal<'w>,
    renderer: Renderer,
}

impl Printer<'_, '_> {
    /// Prints a line, wrapped to the line width.
    fn line(&mut self, indent: &str, text: &str) -> io::Result<()> {
        self.renderer.indented(self.out, indent, &format!("{indent}  "), text)
    }

    fn expression(&mut self, text: &str, answered: &[Answered]) -> io::Result<()> {
        for it in answered {
            match &it.outcome().compiled {
                Ok(compiled) => self.of_expression(text, it, compiled, answered.len() > 1)?,
                Err(error) => {
                    self.compile_error(text, error)?;
                    break;
                }
            }
        }
        let compiled = answered.first().and_then(|it| it.outcome().compiled.as_ref().ok());
        let Some(compiled) = compiled else { return Ok(()) };
        let ran = answered.first().and_then(|it| it.outcome().ran.as_ref());
        let costs = costs(compiled, ran.filter(|_| answered.len() == 1));
        if !costs.is_empty() {
            self.line("", &costs)?;
        }
        // Without a schema this is not a rule, so its type need not be `bool`.
        if compiled.type_name != "bool" && compiled.estimate.is_some() {
            let note = format!(
                "note: a rule must be bool, and this is {}: the API server reports: cel expression must evaluate to a bool",
                compiled.type_name
            );
            self.line("", &note)?;
        }
        Ok(())
    }

    fn of_expression(
        &mut self,
        text: &str,
        it: &Answered,
        compiled: &Compiled,
        is_one_of_several: bool,
    ) -> io::Result<()> {
        let Answered::Expression { place, value, outcome } = it else {
            return Ok(());
        };
        let mut indent = "";
        if !place.is_empty() {
            let value = value.as_ref().map_or_else(|| "(nothing)".to_owned(), one_line_value);
            self.line("", &format!("{place} = {value}"))?;
            indent = "  ";
        }
        match &outcome.ran {
            Some(ran) => {
                let cost = if is_one_of_several {
                    format!("  (cost {})", grouped(ran.evaluation.cost))
                } else {
                    String::new()
                };
                self.line(indent, &format!("{}{cost}", result(ran)))?;
                match &ran.parts {
                    Some(part) => self.tree(text, part, indent),
                    None => Ok(()),
                }
            }
            None if compiled.uses_old_self && value.is_some() => {
                self.line(indent, "not run: the rule uses oldSelf, which has no value")
            }
            None => self.line(indent, &format!("compiles: {}", compiled.type_name)),
        }
    }

    fn compile_error(&mut self, text: &str, error: &CompileError) -> io::Result<()> {
        let is_syntax = error.code == RULE_SYNTAX;
        let first = error.problems.first();
        let words = first.map(|it| of_expression(&it.kind));
        let (title, help) = words.unwrap_or_else(|| (one_line(&error.detail), Vec::new()));
        // Later syntax errors are consequences of the first one, so only the first one is shown.
        let shown = if is_syntax { 1 } else { error.problems.len() };
        let headlines: Vec<String> = error.problems.iter().map(|it| of_expression(&it.kind).0).collect();
        let lines = LineIndex::new(text);
        let places = error
            .problems
            .iter()
            .take(shown)
            .enumerate()
            .map(|(n, problem)| LabeledSpan {
                source: Source {
                    label: "",
                    text,
                    lines: &lines,
                },
                span: Span::new(problem.bytes.start as u32, problem.bytes.end as u32),
                label: if n == 0 { "" } else { &headlines[n] },
            });
        let note = |word: &'static str, text: String| Note {
            word,
            text: text.into(),
        };
        let mut notes: Vec<Note<'_>> = help.into_iter().map(|it| note("help", it)).collect();
        notes.push(note("note", format!("the API server reports: {}", error.detail)));
        let diagnostic = Diagnostic {
            word: "error",
            style: Style::Error,
            code: Some(error.code),
            title: &title,
            places: places.collect(),
            notes,
        };
        self.renderer.print(self.out, &diagnostic)
    }

    fn rules(&mut self, answered: &[Answered]) -> io::Result<()> {
        if answered.is_empty() {
            return self.line("", "no rule of the CRD applies to a value in this object");
        }
        let (mut failed, mut not_run) = (0, 0);
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
            not_run += usize::from(word == "not run");
            self.line("", &format!("{word:<6} {place}[{index}]  {}", one_line(rule)))?;
            let indent = "       ";
            match &outcome.compiled {
                Err(error) => self.compile_error(rule, error)?,
                Ok(compiled) => {
                    if word == "not run" {
                        self.line(indent, "the rule uses oldSelf, which has no value here")?;
                    }
                    if word == "fails" && !message.is_empty() && errors.is_empty() {
                        self.line(indent, &one_line(message))?;
                    }
                    for error in errors {
                        self.line(indent, &format!("the API server reports: {}", one_line(error)))?;
                    }
                    if !matches!(word, "holds" | "not run") {
                        self.line(indent, &format!("self = {}", one_line_value(value)))?;
                    }
                    if let Some(part) = outcome.ran.as_ref().and_then(|it| it.parts.as_ref()) {
                        self.tree(rule, part, indent)?;
                    }
                    self.line(indent, &costs(compiled, outcome.ran.as_ref()))?;
                }
            }
        }
        let rules = answered.len() - not_run;
        let what = if rules == 1 { "rule" } else { "rules" };
        let left_out = match not_run {
            0 => String::new(),
            _ => format!(", {not_run} not run"),
        };
        self.out.blank()?;
        self.line("", &format!("{rules} {what} tried, {failed} failed{left_out}"))
    }

    /// Prints the parts of an expression as a tree. Wrapped lines are indented below the text of their branch.
    fn tree(&mut self, text: &str, root: &Part, indent: &str) -> io::Result<()> {
        for step in steps(text, root) {
            let (first, rest) = (
                format!("{indent}{}", step.branches),
                format!("{indent}{}    ", step.below),
            );
            self.renderer.indented(self.out, &first, &rest, &step.text)?;
        }
        Ok(())
    }
}

fn result(ran: &Ran) -> String {
    match &ran.evaluation.result {
        Ok(value) => shown(value, 10 * VALUE_WIDTH),
        Err(error) => format!("error: {}", error.message()),
    }
}

/// Describes the actual cost and the cost estimate. Empty if both are unknown.
fn costs(compiled: &Compiled, ran: Option<&Ran>) -> String {
    let cost = ran.map(|ran| grouped(ran.evaluation.cost));
    let (Some(estimate), Some(total)) = (compiled.estimate, compiled.cost()) else {
        return cost.map_or_else(String::new, |cost| format!("cost {cost}"));
    };
    let mut out = match cost {
        Some(cost) => format!("cost {cost}; "),
        None => "cost ".to_owned(),
    };
    let _ = write!(out, "at most {} by the API server's estimate", grouped(estimate));
    if compiled.cardinality != 1 {
        let objects = grouped(compiled.cardinality);
        let _ = write!(out, " × {objects} objects = {}", grouped(total));
    }
    let _ = write!(out, " ({} of the limit)", share(total));
    if compiled.is_over() {
        out.push_str(": the API server rejects the rule; `crd-analyzer cost` shows limits that make it fit");
    }
    out
}

fn one_line_value(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(VALUE_WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
