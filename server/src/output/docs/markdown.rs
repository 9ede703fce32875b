//! Reference documentation as Markdown.

use crd_analyzer_ide::markdown::{self, whole_block, whole_code, whole_description};
use crd_analyzer_io::escape;

use super::{Block, COLUMNS, Format, Row, Span, visible};

pub(super) const FORMAT: Format = Format {
    name: "markdown",
    help: "Markdown",
    extension: "md",
    index: "README.md",
    write: |_, blocks| write(blocks),
};

/// Writes the Markdown document.
fn write(blocks: &[Block<'_>]) -> String {
    let mut out = String::new();
    for block in blocks {
        match block {
            Block::Heading { level, anchor, text } => {
                let marker = "#".repeat(*level);
                out.extend([
                    "<a id=\"",
                    anchor,
                    "\"></a>

",
                    &marker,
                    " ",
                    &line(text),
                ]);
            }
            Block::Paragraph(text) => out.push_str(&line(text)),
            Block::Description(text) => out.push_str(&description(text)),
            Block::List(items) => {
                let items: Vec<String> = items.iter().map(|it| format!("- {}", line(it))).collect();
                out.push_str(&items.join("\n"));
            }
            Block::Code { language, text } => out.push_str(&whole_block(language, &visible(text))),
            Block::Table(rows) => out.push_str(&table(rows)),
        }
        out.push_str("\n\n");
    }
    format!("{}\n", out.trim_end())
}

fn line(spans: &[Span<'_>]) -> String {
    let mut out = String::new();
    for span in spans {
        match span {
            Span::Ours(text) => out.push_str(text),
            Span::Theirs(text) => out.push_str(&markdown::escape(&escape::line(text))),
            Span::Code(text) => out.push_str(&whole_code(&escape::line(text))),
            Span::Link { target, name } => {
                out.extend(["[", &whole_code(&escape::line(name)), "](", target, ")"]);
            }
            Span::Break => out.push_str("<br>"),
        }
    }
    out
}

fn table(rows: &[Row<'_>]) -> String {
    let head = format!("| {} |\n|{}\n", COLUMNS.join(" | "), "-|".repeat(COLUMNS.len()));
    let rows = rows.iter().map(|row| {
        let anchor = row.anchor.iter().map(|it| format!("<a id=\"{it}\"></a>"));
        let cells: Vec<String> = row.cells.iter().map(|it| cell(it)).collect();
        format!("| {}{} |", anchor.collect::<String>(), cells.join(" | "))
    });
    head + &rows.collect::<Vec<_>>().join("\n")
}

/// A line in a table. A bar would end the cell, even in code, so bars are escaped.
fn cell(spans: &[Span<'_>]) -> String {
    let mut out = String::new();
    for span in spans {
        match span {
            Span::Theirs(text) => {
                let text = escape::line(text);
                let parts: Vec<String> = text.split('|').map(markdown::escape).collect();
                out.push_str(&parts.join("&#124;"));
            }
            Span::Code(text) | Span::Link { name: text, .. } if text.contains(['|', '\\']) => {
                let code = code_without_marks(&escape::line(text));
                match span {
                    Span::Link { target, .. } => out.extend(["[", &code, "](", target, ")"]),
                    _ => out.push_str(&code),
                }
            }
            other => out.push_str(&line(std::slice::from_ref(other))),
        }
    }
    out
}

/// Code with all punctuation written as character numbers.
fn code_without_marks(text: &str) -> String {
    let mut out = "<code>".to_owned();
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            out.extend(["&#", &u32::from(c).to_string(), ";"]);
        } else {
            out.push(c);
        }
    }
    out + "</code>"
}

/// A description with its headings escaped, so that only our own headings structure the document.
fn description(text: &str) -> String {
    let mut fence = String::new();
    let lines = whole_description(&visible(text));
    let lines = lines.lines().map(|line| {
        let run: String = line.chars().take_while(|it| *it == '`').collect();
        if fence.is_empty() {
            if run.len() >= 3 {
                fence = run;
            } else if line.starts_with('#') {
                return format!("\\{line}");
            }
        } else if line == fence {
            fence.clear();
        }
        line.to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}
