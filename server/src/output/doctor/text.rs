//! Text output: a title for each subject, and a sentence for each check.

use std::io::{self, Write};

use crd_analyzer_io::print::Terminal;

use super::{Format, Line, Section, State};
use crate::output::{counted, render::Renderer};

pub(super) const FORMAT: Format = Format {
    name: "text",
    help: "For people",
    print,
};

/// The maximum number of items to list in a line. The rest are counted.
const MOST_ITEMS: usize = 12;

fn print(out: &mut dyn Write, columns: usize, sections: &[Section]) -> io::Result<()> {
    let (out, renderer) = (&mut Terminal::new(out, false), Renderer::new(columns));
    for section in sections {
        renderer.text(out, section.title)?;
        for line in &section.lines {
            print_line(out, renderer, line)?;
        }
        out.blank()?;
    }
    let count = |state| {
        sections
            .iter()
            .flat_map(|it| &it.lines)
            .filter(|it| it.state == state)
            .count()
    };
    let end = match count(State::Broken) {
        0 if count(State::Idle) > 0 => "Nothing is broken, but no custom resource is checked.".to_owned(),
        0 => "Nothing is broken.".to_owned(),
        1 => "1 thing is broken.".to_owned(),
        count => format!("{} are broken.", counted(count, "thing")),
    };
    renderer.text(out, &end)
}

fn print_line(out: &mut Terminal<'_>, renderer: Renderer, line: &Line) -> io::Result<()> {
    let first = format!("  {}: ", line.state.word());
    renderer.indented(out, &first, "      ", &line.text)?;
    // A single item needs no more room than the words that count it.
    let most = if line.items.len() == MOST_ITEMS + 1 {
        MOST_ITEMS + 1
    } else {
        MOST_ITEMS
    };
    for item in line.items.iter().take(most) {
        renderer.indented(out, "      ", "        ", item)?;
    }
    if line.items.len() > most {
        let left = line.items.len() - most;
        renderer.indented(
            out,
            "      ",
            "        ",
            &format!("and {left} more, which `--format json` lists"),
        )?;
    }
    match &line.help {
        Some(help) => renderer.indented(out, "      help: ", "        ", help),
        None => Ok(()),
    }
}
