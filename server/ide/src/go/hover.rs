//! Hover on a marker: its effect, where it can be used, its arguments, and the controller-gen releases that support it.

use std::ops::Range;

use crd_analyzer_gosource::check::{
    about,
    catalog::{self, Argument, Definition},
    parts::Part,
    place,
};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::sources::go_file::Markers;

use super::words::{argument, sentence, sets, since, type_name};
use crate::{
    hover::{Block, Hover},
    markdown::code,
};

/// The hover for the marker at an offset.
pub(super) fn hover(text: &str, offset: u32, markers: &Markers) -> Option<Hover> {
    let offset = offset as usize;
    // A hover is on the character after the offset, but `place::at` looks at the text before it.
    let on = text.get(offset..)?.chars().next().filter(|it| *it != '\n');
    let place = place::at(text, offset + on?.len_utf8())?;
    let parts = &place.parts;
    let Some(definition) = parts.definition else {
        let span = parts.whole.clone();
        let is_declared = span.contains(&offset) && markers.declared.covers(text.get(span.clone())?);
        let says = "The configuration declares this marker: another tool of the project reads it.";
        return is_declared.then(|| of(span, vec![Block::Text(says.to_owned())]));
    };
    let holds = |it: &&Part| it.name.as_ref().is_some_and(|it| it.contains(&offset));
    if let Some(part) = parts.arguments.iter().find(holds) {
        let argument = parts.argument(text, part)?;
        return Some(of(part.name.clone()?, of_argument(definition, argument)));
    }
    let is_name = parts.name.contains(&offset) || offset + 1 == parts.name.start;
    is_name.then(|| of(parts.name.clone(), of_marker(definition)))
}

fn of(span: Range<usize>, blocks: Vec<Block>) -> Hover {
    Hover {
        span: Span::new(span.start as u32, span.end as u32),
        blocks,
    }
}

fn of_argument(definition: &Definition, it: &Argument) -> Vec<Block> {
    let mut facts = vec![if it.is_optional { "optional" } else { "required" }.to_owned()];
    facts.extend(since(it.since).filter(|_| it.since > definition.since));
    let header = format!("{}: {}", it.name, type_name(&it.r#type));
    vec![
        Block::Code("text", header),
        Block::Text(argument(definition, it)),
        Block::Text(format!(
            "An argument of {}, {}.",
            code(&format!("+{}", definition.name)),
            facts.join(", ")
        )),
    ]
}

fn of_marker(definition: &Definition) -> Vec<Block> {
    let mut blocks = vec![Block::Code("text", written(definition))];
    let about = about::marker(definition.name);
    blocks.extend(about.map(|it| Block::Text(sentence(&it))));
    blocks.extend(about.as_ref().and_then(sets).map(Block::Text));
    let all = catalog::definitions(definition.name);
    let places: Vec<_> = all
        .iter()
        .map(|it| match since(it.since) {
            Some(since) => format!("a {} ({since})", it.target.name()),
            None => format!("a {}", it.target.name()),
        })
        .collect();
    blocks.push(Block::Text(format!("Belongs to {}.", places.join(" or "))));
    let named = definition.arguments.iter().filter(|_| is_named(definition));
    let items = named.map(|it| {
        let need = if it.is_optional { "" } else { ", required" };
        let newer = since(it.since).filter(|_| it.since > definition.since);
        let newer = newer.map_or_else(String::new, |it| format!(", {it}"));
        format!(
            "{} ({}{need}{newer}): {}",
            code(&it.name),
            type_name(&it.r#type),
            argument(definition, it)
        )
    });
    blocks.push(Block::List(items.collect()));
    if !is_named(definition)
        && let Some(only) = definition.arguments.first()
    {
        let values = argument(definition, only);
        blocks.extend(Some(values).filter(|it| !it.is_empty()).map(Block::Text));
    }
    blocks
}

/// Whether arguments are written with their names.
fn is_named(definition: &Definition) -> bool {
    let is_unnamed = |it: &Argument| it.name.is_empty() || it.name == "value";
    !matches!(definition.arguments.as_slice(), [only] if is_unnamed(only)) && !definition.arguments.is_empty()
}

/// The syntax of a marker.
fn written(definition: &Definition) -> String {
    let name = definition.name;
    let Some(first) = definition.arguments.first() else {
        return format!("+{name}");
    };
    if !is_named(definition) {
        return format!("+{name}={}", type_name(&first.r#type));
    }
    let required = definition.arguments.iter().filter(|it| !it.is_optional);
    let required: Vec<_> = required
        .map(|it| format!("{}={}", it.name, type_name(&it.r#type)))
        .collect();
    match required.as_slice() {
        [] => format!("+{name}:{}={}", first.name, type_name(&first.r#type)),
        required => format!("+{name}:{}", required.join(",")),
    }
}
