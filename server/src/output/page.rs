//! Prints the page of a diagnostic code in a terminal, without Markdown markup.

use std::io;

use crd_analyzer_io::print::{Part, Style, Terminal};

use super::render::Renderer;

/// A piece of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Piece {
    Heading(String),
    Paragraph(String),
    /// An item of a list.
    Item(String),
    /// A line of an example.
    Code(String),
    Blank,
}

/// Prints a page. `columns` is the line width.
pub(crate) fn print(terminal: &mut Terminal<'_>, columns: usize, page: &str) -> io::Result<()> {
    let renderer = Renderer::new(columns);
    for piece in pieces(page) {
        match piece {
            Piece::Heading(text) => terminal.parts(&[Part::new(Style::Bold, text)])?,
            Piece::Paragraph(text) => renderer.indented(terminal, "", "", &text)?,
            Piece::Item(text) => renderer.indented(terminal, "- ", "  ", &text)?,
            Piece::Code(line) => terminal.line(format_args!("    {line}"))?,
            Piece::Blank => terminal.blank()?,
        }
    }
    Ok(())
}

/// Parses the Markdown subset of the pages: headings, paragraphs, lists, table rows, and fenced examples.
fn pieces(page: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut is_code = false;
    for line in page.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if is_code {
            pieces.push(Piece::Code(line.to_owned()));
        } else if line.trim().is_empty() {
            pieces.push(Piece::Blank);
        } else if let Some(heading) = line.strip_prefix('#') {
            pieces.push(Piece::Heading(heading.trim_start_matches('#').trim().to_owned()));
        } else if let Some(item) = line.strip_prefix("- ") {
            pieces.push(Piece::Item(without_links(item)));
        } else if let Some(row) = line.strip_prefix('|') {
            let cells: Vec<String> = row
                .trim_end_matches('|')
                .split('|')
                .map(|it| without_links(it.trim()))
                .collect();
            if !cells.iter().all(|it| it.bytes().all(|it| it == b'-')) {
                pieces.push(Piece::Item(cells.join(": ")));
            }
        } else {
            let line = without_links(line.trim());
            match pieces.last_mut() {
                // The line continues the paragraph or item.
                Some(Piece::Paragraph(text) | Piece::Item(text)) => {
                    text.push(' ');
                    text.push_str(&line);
                }
                _ => pieces.push(Piece::Paragraph(line)),
            }
        }
    }
    pieces
}

/// The text of a line, with each link replaced by its text and its address.
fn without_links(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("](") {
        let (Some(begin), Some((address, after))) = (before.rfind('['), after.split_once(')')) else {
            break;
        };
        text.push_str(&before[..begin]);
        text.push_str(&before[begin + 1..]);
        if address.contains("://") {
            text.push_str(" (");
            text.push_str(address);
            text.push(')');
        }
        rest = after;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use crd_analyzer_workspace::codes;

    use super::*;

    fn printed(page: &str) -> String {
        let mut out = Vec::new();
        print(&mut Terminal::new(&mut out, false), 60, page).expect("bytes");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn marks_become_layout() {
        let page = "# a-code\n\nIt is\nwrong.\n\n- One [link](b.md) and [another](https://example.com).\n- A long item that goes on\n  in the next line, and is broken where it is too wide.\n\n| a | b |\n|-|-|\n| `c` | d |\n\n## Fails\n\n```yaml schema\na: [b](c)\n  # d\n```\n";
        assert_eq!(
            printed(page),
            "a-code\n\nIt is wrong.\n\n- One link and another (https://example.com).\n- A long item that goes on in the next line, and is broken\n  where it is too wide.\n\n- a: b\n- `c`: d\n\nFails\n\n    a: [b](c)\n      # d\n"
        );
    }

    #[test]
    fn no_page_has_raw_marks() {
        for code in codes::all() {
            let printed = printed(&code.text());
            for line in printed.lines().filter(|it| !it.starts_with("    ")) {
                let is_raw = line.starts_with('#') || line.starts_with("```") || line.contains("](");
                assert!(!is_raw, "{}: {line}", code.name);
            }
        }
    }
}
