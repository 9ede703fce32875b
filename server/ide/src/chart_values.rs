//! The values of a Helm chart in its templates: completion and hover after `.Values.`.

use std::path::Path;

use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::charts::{
    chart::Chart,
    value_at::{ChartValue, path_at},
};

use crate::{
    completion::{Completions, Item, ItemKind},
    hover::{Block, Hover, one_line},
    markdown::{Documentation, code},
};

/// The maximum length of a default in a list, in characters.
const MOST_CHARACTERS: usize = 40;

/// The values that can follow at an offset of a template. `None` if no path of values is there.
pub fn complete(chart: &Chart, template: &Path, text: &str, offset: u32) -> Option<Completions> {
    let path = path_at(text, offset as usize)?;
    let values = chart.values_below(template, &path.above);
    let span = Span::new(path.range.start as u32, path.range.end as u32);
    Some(Completions {
        items: values.into_iter().map(item).collect(),
        replace: span,
        insert: Span::new(span.start, offset),
        is_incomplete: false,
    })
}

fn item(value: ChartValue) -> Item {
    let mut item = Item::new(value.name, ItemKind::Field);
    let is_block = value.is_object || value.type_name == "array";
    item.detail = Some(value.type_name).filter(|it| !it.is_empty());
    let default = value.default.filter(|it| !is_block && !it.is_empty());
    item.note = default.map(|it| one_line(&it, MOST_CHARACTERS));
    item.documentation = value.description.map(Documentation::Theirs);
    item
}

/// The hover of the value at an offset of a template.
pub fn hover(chart: &Chart, template: &Path, text: &str, offset: u32) -> Option<Hover> {
    let path = path_at(text, offset as usize)?;
    let value = chart.value_at(template, &path)?;
    let names: Vec<&str> = path.above.iter().copied().chain([path.name]).collect();
    let mut head = code(&format!(".Values.{}", names.join(".")));
    if !value.type_name.is_empty() {
        head.push_str(": ");
        head.push_str(&value.type_name);
    }
    let mut blocks = vec![Block::Text(head)];
    blocks.extend(value.description.map(Block::Quote));
    match value.default.filter(|it| !it.is_empty()) {
        Some(default) => {
            blocks.push(Block::Text("default in `values.yaml`:".to_owned()));
            blocks.push(Block::Code("yaml", default));
        }
        None => blocks.push(Block::Text("`values.yaml` has no default".to_owned())),
    }
    Some(Hover {
        span: Span::new(path.range.start as u32, path.range.end as u32),
        blocks,
    })
}
