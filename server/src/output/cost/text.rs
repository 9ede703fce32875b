//! For people: a table for each schema, the dearest rule first.

use std::{
    cmp::Reverse,
    io::{self, Write},
};

use crd_analyzer_io::{escape, print::Terminal};
use crd_analyzer_schema::field::{Path, Segment};
use crd_analyzer_workspace::costs::{
    Bound, BoundsProposal, COST_LIMIT, DocumentCosts, FileCosts, RuleCost, SchemaCosts, TOTAL_COST_LIMIT, Unanswered,
    grouped, share,
};

use crate::output::render::{Renderer, wrap};

/// Characters of a rule that are shown.
const RULE_WIDTH: usize = 80;

/// A rule that would have fewer columns beside its costs is below them.
const LEAST_OF_A_RULE: usize = 20;

/// Prints the tables of a file, in so many columns.
pub(crate) fn file(out: &mut dyn Write, columns: usize, label: &str, costs: &FileCosts) -> io::Result<()> {
    let mut table = Table {
        out: &mut Terminal::new(out, false),
        renderer: Renderer::new(columns),
        columns,
    };
    for document in costs.documents.iter() {
        for (version, answer) in &document.answers {
            match answer {
                Ok(schemas) => {
                    for placed in schemas {
                        table.line("", &heading(label, document, &placed.schema))?;
                        table.print(&placed.schema)?;
                    }
                }
                Err(Unanswered::Undecodable(why) | Unanswered::Unjudged(why)) => {
                    table.line("", &format!("{label}: not priced for Kubernetes {version}: {why}"))?;
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
}

impl Table<'_, '_> {
    /// Prints a line, broken where it is too long.
    fn line(&mut self, indent: &str, text: &str) -> io::Result<()> {
        self.renderer.indented(self.out, indent, &format!("{indent}    "), text)
    }

    fn print(&mut self, schema: &SchemaCosts) -> io::Result<()> {
        let mut rules: Vec<&RuleCost> = schema.rules.iter().collect();
        rules.sort_by_key(|rule| Reverse(rule.cost.max(rule.message_cost)));
        let rows: Vec<[String; 3]> = rules.iter().map(|rule| row(rule)).collect();
        let titles = ["cost", "of budget", "× objects"].map(str::to_owned);
        let width = |column: usize| {
            let cells = rows.iter().chain([&titles]).map(|row| row[column].chars().count());
            cells.max().unwrap_or_default()
        };
        let widths = [width(0), width(1), width(2)];
        let line = |cells: &[String; 3]| {
            let [cost, share, objects] = cells;
            let [a, b, c] = widths;
            format!("  {cost:>a$}  {share:>b$}  {objects:>c$}  ")
        };
        self.out.line(format_args!("{}rule", line(&titles)))?;
        for (rule, row) in rules.iter().zip(&rows) {
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
                &format!("the server does not get to these rules: {}", one_line(why)),
            )?;
        }
        self.out.blank()
    }
}

fn heading(label: &str, document: &DocumentCosts, schema: &SchemaCosts) -> String {
    let name = if document.name.is_empty() {
        label
    } else {
        &document.name
    };
    format!(
        "{name}  {}  schema total {} of {}{}",
        schema.versions.join(", "),
        grouped(schema.total),
        grouped(TOTAL_COST_LIMIT),
        if schema.is_over() { ": over budget" } else { "" },
    )
}

fn row(rule: &RuleCost) -> [String; 3] {
    if rule.error.is_some() {
        return ["-".to_owned(), "-".to_owned(), "-".to_owned()];
    }
    [grouped(rule.cost), share(rule.cost), grouped(rule.cardinality)]
}

/// What there is to say below a rule.
fn notes(rule: &RuleCost, root: &Path) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(error) = &rule.error {
        notes.push(format!("does not compile: {}", one_line(error)));
    }
    if let Some(error) = &rule.message_error {
        notes.push(format!("its messageExpression does not compile: {}", one_line(error)));
    }
    if rule.message_cost > COST_LIMIT {
        let (cost, share) = (grouped(rule.message_cost), share(rule.message_cost));
        notes.push(format!("its messageExpression costs {cost}, {share} of the budget"));
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
        notes.push("no missing bound makes it so expensive: simplify the rule".to_owned());
    }
    notes
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

/// A schema as the path of the values that it is for: `spec.hosts[*]`.
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

/// A text on one line, cut where it is long.
pub(crate) fn one_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(RULE_WIDTH) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}
