//! Text output: a table for each schema, with the most expensive rule first.

use std::{
    cmp::Reverse,
    io::{self, Write},
};

use clap::ValueEnum;
use crd_analyzer_io::{escape, print::Terminal};
use crd_analyzer_schema::field::{Path, Segment};
use crd_analyzer_syntax::lines::LineIndex;
use crd_analyzer_workspace::costs::{
    Bound, BoundsProposal, COST_LIMIT, DocumentCosts, FileCosts, PlacedCosts, RuleCost, SchemaCosts, TOTAL_COST_LIMIT,
    Unanswered, grouped, share,
};

use super::Format;
use crate::output::{
    counted,
    render::{Renderer, wrap},
};

pub(super) const FORMAT: Format = Format {
    name: "text",
    help: "A table for each schema, for one Kubernetes version",
    is_table: true,
    file: |out, layout, label, costs| file(out, layout.columns, layout.order, label, costs),
    unreadable: |_, _| Ok(()),
};

/// The maximum width of a rule, in characters.
const RULE_WIDTH: usize = 80;

/// The maximum number of extra rows to collect before the list of the most expensive rules is cut.
const MORE_ROWS: usize = 1_000;

/// The minimum width for a rule beside its costs. With less space, the rule is printed below its costs.
const LEAST_OF_A_RULE: usize = 20;

/// The order of the rules in a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Order {
    /// The most expensive rule first.
    Cost,
    /// As they are written.
    Line,
}

/// Prints the tables of a file. `columns` is the line width.
fn file(out: &mut dyn Write, columns: usize, order: Order, label: &str, costs: &FileCosts) -> io::Result<()> {
    let lines = LineIndex::new(&costs.text);
    let mut table = Table {
        out: &mut Terminal::new(out, false),
        renderer: Renderer::new(columns),
        columns,
        order,
        lines: &lines,
    };
    for document in costs.documents.iter() {
        for (version, answer) in &document.answers {
            match answer {
                Ok(schemas) => {
                    for placed in schemas {
                        table.line("", &heading(label, document, &placed.schema))?;
                        table.print(placed)?;
                    }
                }
                Err(Unanswered::Undecodable(why) | Unanswered::Unjudged(why)) => {
                    table.line(
                        "",
                        &format!("{label}: no cost estimate for Kubernetes {version}: {why}"),
                    )?;
                    table.out.blank()?;
                }
            }
        }
    }
    Ok(())
}

struct Table<'t, 'w> {
    out: &'t mut Terminal<'w>,
    renderer: Renderer,
    columns: usize,
    order: Order,
    lines: &'t LineIndex,
}

impl Table<'_, '_> {
    /// Prints a line, wrapped to the line width.
    fn line(&mut self, indent: &str, text: &str) -> io::Result<()> {
        self.renderer.indented(self.out, indent, &format!("{indent}    "), text)
    }

    fn print(&mut self, placed: &PlacedCosts) -> io::Result<()> {
        let schema = &placed.schema;
        let spans = placed.spans.iter();
        let mut rules: Vec<(&RuleCost, u32)> = schema
            .rules
            .iter()
            .zip(spans)
            .map(|(rule, span)| (rule, self.lines.line_of(span.start) + 1))
            .collect();
        match self.order {
            Order::Cost => rules.sort_by_key(|(rule, _)| Reverse(rule.cost.max(rule.message_cost))),
            Order::Line => rules.sort_by_key(|(_, line)| *line),
        }
        let rows: Vec<[String; 4]> = rules.iter().map(|(rule, line)| row(rule, *line)).collect();
        let titles = ["cost", "of limit", "× values", "line"].map(str::to_owned);
        let width = |column: usize| {
            let cells = rows.iter().chain([&titles]).map(|row| row[column].chars().count());
            cells.max().unwrap_or_default()
        };
        let widths = [width(0), width(1), width(2), width(3)];
        let line = |cells: &[String; 4]| {
            let [cost, share, values, line] = cells;
            let [a, b, c, d] = widths;
            format!("  {cost:>a$}  {share:>b$}  {values:>c$}  {line:>d$}  ")
        };
        self.out.line(format_args!("{}rule", line(&titles)))?;
        for ((rule, _), row) in rules.iter().zip(&rows) {
            let place = format!("{}[{}]", place(&rule.path, &schema.path), rule.index);
            let cells = format!("{}{}", line(row), escape::line(&place));
            let left = self.columns.saturating_sub(wrap::width(&cells) + 2);
            if left < LEAST_OF_A_RULE {
                self.line("", &cells)?;
                self.line("      ", &one_line(&rule.rule))?;
            } else {
                let rule = one_line(&rule.rule);
                self.line("", &format!("{cells}  {}", wrap::cut(&escape::line(&rule), left)))?;
            }
            for note in notes(rule, &schema.path) {
                self.line("      ", &note)?;
            }
        }
        if schema.is_over()
            && let Some(remedy) = &schema.remedy
        {
            let total = grouped(remedy.total);
            let limit = grouped(TOTAL_COST_LIMIT);
            self.line(
                "  ",
                &format!("the schema fits with {} → {total} of {limit}", bounds(remedy)),
            )?;
        }
        if let Some(why) = &schema.not_checked {
            self.line(
                "  ",
                &format!("the API server does not check these rules: {}", one_line(why)),
            )?;
        }
        self.out.blank()
    }
}

fn heading(label: &str, document: &DocumentCosts, schema: &SchemaCosts) -> String {
    let name = match &*document.name {
        "" => String::new(),
        name => format!("{name} "),
    };
    // A total without some of the rules is incomplete, so these rules are mentioned.
    let without = schema.rules.iter().filter(|it| !is_counted(it)).count();
    let without = match without {
        0 => String::new(),
        n => format!(", without {}", counted(n, "rule")),
    };
    format!(
        "{label}: {name}{}: schema total {} of {}{without}{}",
        schema.versions.join(", "),
        grouped(schema.total),
        grouped(TOTAL_COST_LIMIT),
        if schema.is_over() { ": over the limit" } else { "" },
    )
}

/// Whether the total of the schema includes a rule.
fn is_counted(rule: &RuleCost) -> bool {
    rule.checked && rule.error.is_none()
}

fn row(rule: &RuleCost, line: u32) -> [String; 4] {
    let line = line.to_string();
    if rule.error.is_some() {
        return ["-".to_owned(), "-".to_owned(), "-".to_owned(), line];
    }
    [grouped(rule.cost), share(rule.cost), grouped(rule.cardinality), line]
}

/// The most expensive rules of a run.
#[derive(Debug)]
pub(crate) struct Top {
    most: usize,
    rows: Vec<TopRow>,
    rules: usize,
    over: usize,
    not_counted: usize,
}

/// A rule among the most expensive ones.
#[derive(Debug)]
struct TopRow {
    cost: u64,
    place: String,
    rule: String,
}

impl Top {
    /// A list that keeps the `most` most expensive rules.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            rows: Vec::new(),
            rules: 0,
            over: 0,
            not_counted: 0,
        }
    }

    /// Adds the rules of a file.
    pub(crate) fn add(&mut self, label: &str, costs: &FileCosts) {
        let lines = LineIndex::new(&costs.text);
        let answers = costs.documents.iter().flat_map(|it| &it.answers);
        for placed in answers.filter_map(|it| it.1.as_ref().ok()).flatten() {
            let schema = &placed.schema;
            for (rule, span) in schema.rules.iter().zip(&placed.spans) {
                self.rules += 1;
                self.over += usize::from(rule.is_over());
                if rule.error.is_some() {
                    self.not_counted += 1;
                    continue;
                }
                let line = lines.line_of(span.start) + 1;
                self.rows.push(TopRow {
                    cost: rule.cost.max(rule.message_cost),
                    place: format!("{label}:{line}  {}[{}]", place(&rule.path, &schema.path), rule.index),
                    rule: one_line(&rule.rule),
                });
            }
            if self.rows.len() > 2 * self.most + MORE_ROWS {
                self.cut();
            }
        }
    }

    fn cut(&mut self) {
        self.rows.sort_by_key(|it| Reverse(it.cost));
        self.rows.truncate(self.most);
    }

    /// Prints the rules. `columns` is the line width.
    pub(crate) fn print(mut self, out: &mut dyn Write, columns: usize) -> io::Result<()> {
        self.cut();
        let out = &mut Terminal::new(out, false);
        let renderer = Renderer::new(columns);
        let cells = |it: &TopRow| (grouped(it.cost), share(it.cost));
        let widest = |of: &dyn Fn(&TopRow) -> usize, title: &str| {
            let all = self.rows.iter().map(of);
            all.max().unwrap_or(0).max(title.len())
        };
        let a = widest(&|it| cells(it).0.len(), "cost");
        let b = widest(&|it| cells(it).1.len(), "of limit");
        if !self.rows.is_empty() {
            out.line(format_args!("{:>a$}  {:>b$}  rule", "cost", "of limit"))?;
        }
        for row in &self.rows {
            let (cost, share) = cells(row);
            let first = format!("{cost:>a$}  {share:>b$}  ");
            let rest = " ".repeat(a + b + 4);
            renderer.indented(out, &first, &rest, &row.place)?;
            renderer.indented(out, &rest, &rest, &row.rule)?;
        }
        let mut sums = counted(self.rules, "rule");
        if self.rules > self.rows.len() + self.not_counted {
            sums = format!("the {} most expensive of {sums}", self.rows.len());
        }
        sums = format!("{sums}; {} above its limit", self.over);
        if self.not_counted > 0 {
            let rules = counted(self.not_counted, "rule");
            let does = if self.not_counted == 1 { "does" } else { "do" };
            sums = format!("{sums}; without {rules} that {does} not compile");
        }
        renderer.text(out, &sums)
    }
}

/// The notes to print below a rule.
fn notes(rule: &RuleCost, root: &Path) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(error) = &rule.error {
        notes.push(format!("does not compile: {}", one_line(first_error(error))));
    }
    if let Some(error) = &rule.message_error {
        notes.push(format!(
            "its messageExpression does not compile: {}",
            one_line(first_error(error))
        ));
    }
    if rule.message_cost > COST_LIMIT {
        let (cost, share) = (grouped(rule.message_cost), share(rule.message_cost));
        notes.push(format!("its messageExpression costs {cost}, {share} of the limit"));
    }
    if rule.cost > 0 && !rule.unbounded.is_empty() {
        let lacking = rule
            .unbounded
            .iter()
            .map(|it| format!("{}: no {}", place(&it.path, root), it.keyword));
        notes.push(format!("unbounded above: {}", joined(lacking)));
    }
    for (n, remedy) in rule.remedies.iter().enumerate() {
        let word = if n == 0 { "fits with" } else { "or with" };
        let cost = remedy.cost;
        notes.push(format!(
            "{word} {} → {} ({})",
            bounds(remedy),
            grouped(cost),
            share(cost)
        ));
        if n == 0 {
            notes.extend(remedy.bounds.iter().map(marker));
        }
    }
    if rule.is_over() && rule.remedies.is_empty() && rule.error.is_none() {
        notes.push("no missing limit makes it this expensive: simplify the rule".to_owned());
    }
    notes
}

/// The first error of an expression, without the API server's location in the expression.
fn first_error(detail: &str) -> &str {
    let Some((_, error)) = detail.split_once("ERROR: <input>:") else {
        return detail;
    };
    let line = error.lines().next().unwrap_or_default();
    line.split_once(": ").map_or(line, |it| it.1)
}

fn bounds(remedy: &BoundsProposal) -> String {
    joined(remedy.bounds.iter().map(|it| {
        let (keyword, suggested) = (it.keyword, it.suggested);
        let place = it.place();
        let place = if place.is_empty() { "(root)" } else { &place };
        if it.largest > suggested {
            format!(
                "{keyword}: {suggested} (up to {}) on {place}",
                grouped(it.largest as u64)
            )
        } else {
            format!("{keyword}: {suggested} on {place}")
        }
    }))
}

fn marker(bound: &Bound) -> String {
    let (marker, at) = bound.marker();
    format!("  // {marker}  at {at}")
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// The path of the values that a schema applies to: `spec.hosts[*]`.
fn place(path: &Path, root: &Path) -> String {
    let mut out = String::new();
    for segment in path.segments().iter().skip(root.segments().len()) {
        match segment {
            Segment::Key(name) if out.is_empty() => out.push_str(name),
            Segment::Key(name) => {
                out.push('.');
                out.push_str(name);
            }
            Segment::Field(name) if name == "items" || name == "additionalProperties" => out.push_str("[*]"),
            Segment::Field(_) | Segment::Index(_) => {}
        }
    }
    if out.is_empty() {
        out.push_str("(root)");
    }
    out
}

/// Joins the lines of a string, and shortens it if it is too long.
pub(crate) fn one_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(RULE_WIDTH) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}
