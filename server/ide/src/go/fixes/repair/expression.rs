//! Quick fixes for CEL expressions in markers. A fix must result in a valid expression.

use crd_analyzer_cel::{
    ast::Source,
    parser::{ParseOptions, parse},
};
use crd_analyzer_gosource::check::{
    EXPRESSIONS, Finding,
    parts::{Part, Parts},
};
use crd_analyzer_schema::KubernetesVersion;

use super::{Repair, put};

/// The quotation mark that gofmt writes instead of two single quotes.
const OF_GOFMT: char = '\u{201D}';

/// The maximum length, in bytes, of an expression to fix.
const LONGEST: usize = 20_000;

fn is_expression(text: &str) -> bool {
    let newest = KubernetesVersion::NEWEST;
    text.len() <= LONGEST
        && parse(&Source::new(text), &ParseOptions::kubernetes(newest, newest))
            .issues
            .is_empty()
}

fn is_of_cel(text: &str, part: &Part) -> bool {
    let name = part.name.clone().and_then(|it| text.get(it));
    name.is_some_and(|it| EXPRESSIONS.contains(&it))
}

/// The text of a value without quotes around it.
fn content(written: &str) -> String {
    let inside = |quote: char| written.strip_prefix(quote)?.strip_suffix(quote);
    if let Some(inside) = inside('"') {
        return inside.replace("\\\"", "\"").replace("\\\\", "\\");
    }
    inside('`').unwrap_or(written).to_owned()
}

/// Replaces the quotation marks that gofmt wrote with straight quotes, if the expression is correct otherwise.
pub(super) fn quotes(text: &str, finding: &Finding, parts: &Parts) -> Option<Repair> {
    let holds = |it: &&Part| it.value.as_ref().is_some_and(|it| it.contains(&finding.span.start));
    let part = parts.arguments.iter().find(holds).filter(|it| is_of_cel(text, it))?;
    let value = part.value.clone()?;
    let written = text.get(value.clone())?;
    let straight = if written.trim_start().starts_with('"') {
        "\\\"\\\""
    } else {
        "\"\""
    };
    let repaired = written.replace(OF_GOFMT, straight);
    let (before, after) = (content(written.trim()), content(repaired.trim()));
    if is_expression(&before) || !is_expression(&after) {
        return None;
    }
    let marks = written.match_indices(OF_GOFMT);
    let edits = marks.map(|(at, mark)| put(value.start + at..value.start + at + mark.len(), straight));
    Some(Repair::certain("Write straight quotes", edits.collect()))
}

/// Quotes an expression that contains a comma.
pub(super) fn unquoted(text: &str, finding: &Finding, parts: &Parts) -> Option<Repair> {
    let all = &parts.arguments;
    let next = all
        .iter()
        .position(|it| finding.span.start <= it.span.end && it.span.start <= finding.span.start)?;
    let first = next.checked_sub(1)?;
    let start = all[first]
        .value
        .as_ref()
        .filter(|_| is_of_cel(text, &all[first]))?
        .start;
    let is_argument = |it: &Part| it.value.is_some() && parts.argument(text, it).is_some();
    let others = all[next..]
        .iter()
        .position(is_argument)
        .map_or(all.len(), |it| next + it);
    let end = all.get(others - 1)?.span.end;
    let written = text.get(start..end)?.trim();
    let start = end - text[start..end].trim_start().len();
    let quote = match (written.contains(['"', '\\']), written.contains('`')) {
        (false, _) => '"',
        (true, false) => '`',
        (true, true) => return None,
    };
    let span = start..start + written.len();
    is_expression(written).then(|| {
        Repair::certain(
            "Put the rule in quotes",
            vec![put(span.start..span.start, quote), put(span.end..span.end, quote)],
        )
    })
}
