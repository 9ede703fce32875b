//! Reference documentation as HTML without scripts and external resources.

use crd_analyzer_io::escape;

use super::{Block, COLUMNS, Format, Row, Span, visible};

pub(super) const FORMAT: Format = Format {
    name: "html",
    help: "HTML: one file without scripts or external resources",
    extension: "html",
    index: "index.html",
    write,
};

/// The style sheet, for light and dark mode.
const STYLE: &str = "\
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.25; margin: 2rem 0 .5rem; overflow-wrap: anywhere; }
h3 { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding-top: 1rem; font-size: 1.05rem; }
p, ul, pre { margin: .5rem 0; }
.description { white-space: pre-line; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: .25rem .5rem; text-align: left; vertical-align: top; }
td { overflow-wrap: anywhere; }
td:last-child { width: 60%; }
code { overflow-wrap: anywhere; }
pre { overflow-x: auto; padding: .75rem; background: color-mix(in srgb, currentColor 8%, transparent); border-radius: 4px; }
";

/// Writes the HTML document.
fn write(title: &str, blocks: &[Block<'_>]) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        text_on_a_line(title)
    );
    for block in blocks {
        let html = match block {
            Block::Heading { level, anchor, text } => format!("<h{level} id=\"{anchor}\">{}</h{level}>", line(text)),
            Block::Paragraph(text) => format!("<p>{}</p>", line(text)),
            Block::Description(text) => paragraphs(text),
            Block::List(items) => {
                let items: Vec<String> = items.iter().map(|it| format!("<li>{}</li>\n", line(it))).collect();
                format!("<ul>\n{}</ul>", items.concat())
            }
            Block::Code { text, .. } => format!("<pre><code>{}</code></pre>", text_of_lines(text)),
            Block::Table(rows) => table(rows),
        };
        out.push_str(&html);
        out.push('\n');
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn line(spans: &[Span<'_>]) -> String {
    let spans = spans.iter().map(|span| match span {
        Span::Ours(text) => text_on_a_line(text),
        Span::Theirs(text) => text_on_a_line(text),
        Span::Code(text) => format!("<code>{}</code>", text_on_a_line(text)),
        Span::Link { target, name } => format!("<a href=\"{target}\"><code>{}</code></a>", text_on_a_line(name)),
        Span::Break => "<br>".to_owned(),
    });
    spans.collect()
}

fn table(rows: &[Row<'_>]) -> String {
    let head = format!("<th>{}</th>", COLUMNS.join("</th><th>"));
    let rows = rows.iter().map(|row| {
        let id = row.anchor.iter().map(|it| format!(" id=\"{it}\""));
        let cells = row.cells.iter().map(|it| format!("<td>{}</td>", line(it)));
        format!("<tr{}>{}</tr>\n", id.collect::<String>(), cells.collect::<String>())
    });
    format!("<table>\n<tr>{head}</tr>\n{}</table>", rows.collect::<String>())
}

/// The paragraphs of a description, with its line breaks.
fn paragraphs(text: &str) -> String {
    let text = text_of_lines(text);
    let mut paragraphs: Vec<String> = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines().chain([""]) {
        if !line.trim().is_empty() {
            lines.push(line);
        } else if !lines.is_empty() {
            paragraphs.push(format!("<p class=\"description\">{}</p>", lines.join("\n")));
            lines.clear();
        }
    }
    paragraphs.join("\n")
}

/// A string on one line, with invisible characters escaped.
fn text_on_a_line(text: &str) -> String {
    without_markup(&escape::line(text))
}

fn text_of_lines(text: &str) -> String {
    without_markup(&visible(text))
}

fn without_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}
