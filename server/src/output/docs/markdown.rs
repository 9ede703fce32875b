//! Reference documentation as Markdown.

use crd_analyzer_ide::markdown::{self, whole_block, whole_code, whole_description};
use crd_analyzer_io::escape;

use super::{Block, Format, Span, visible};

pub(super) const FORMAT: Format = Format {
    name: "markdown",
    help: "Markdown",
    extension: "md",
    index: "README.md",
    write: |_, blocks| write(blocks),
};

/// The document.
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
        }
    }
    out
}

/// A description without headings of its own: the document's are ours.
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
