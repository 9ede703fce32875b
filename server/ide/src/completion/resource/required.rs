//! A snippet with all required fields of an object.

use super::{super::insert, Context, Item, ItemKind, View};
use crate::{completion::escape_snippet, completion::rank::Keys};

/// The maximum nesting depth of required fields.
const MAX_DEPTH: usize = 6;
/// The maximum number of lines of the snippet.
const MAX_LINES: usize = 60;

/// The item, if it would insert more than one field. `with_dash` means that the object is the first item of a list.
pub(super) fn snippet(context: &Context<'_, '_>, view: &View<'_>, with_dash: bool) -> Option<Item> {
    if !context.request.snippets || !context.writer.can_have_lines() {
        return None;
    }
    let mut lines = Lines {
        step: context.writer.layout().indent,
        dash: context.writer.layout().list_indent,
        place: 0,
        written: Vec::new(),
    };
    let known = Keys::new(context.place);
    let present: Vec<_> = known.present.iter().map(AsRef::as_ref).collect();
    let names = match (view.ty(), view.item()) {
        (Some("array"), Some(item)) if !with_dash => {
            lines.item(&item, 0, 0, &[]);
            vec!["an item".to_owned()]
        }
        _ => lines.fields(view, 0, 0, &present, &[]),
    };
    if lines.written.len() < 2 {
        return None;
    }
    if with_dash {
        dash_first(&mut lines.written, 0);
    }
    let mut item = Item::new("required fields", ItemKind::Snippet);
    item.detail = Some(names.join(", "));
    item.documentation = Some("All missing required fields, including those in required objects.".into());
    context.writer.lines(&mut item, &lines.written);
    Some(item)
}

/// The lines from `spec:` on, with all required fields of the object. `places` is the number of snippet placeholders before them.
pub(super) fn spec(context: &Context<'_, '_>, view: &View<'_>, places: usize) -> Vec<(usize, String)> {
    let mut lines = Lines {
        step: context.writer.layout().indent,
        dash: context.writer.layout().list_indent,
        place: places,
        written: Vec::new(),
    };
    let fields = view.fields();
    if let Some((name, field)) = fields.iter().find(|it| it.0 == "spec") {
        lines.field(name, field, 0, 0);
    } else {
        lines.fields(view, 0, 0, &["metadata"], &[]);
    }
    lines.written
}

struct Lines {
    step: usize,
    dash: usize,
    place: usize,
    written: Vec<(usize, String)>,
}

impl Lines {
    /// Writes the required fields of an object, and returns their names.
    fn fields(&mut self, view: &View<'_>, indent: usize, depth: usize, present: &[&str], more: &[&str]) -> Vec<String> {
        let required = view.required();
        let mut written = Vec::new();
        for (name, field) in view.fields() {
            let is_wanted = required.contains(&name) && !field.has("default") || more.contains(&name.as_ref());
            if !is_wanted
                || present.contains(&name.as_ref())
                || matches!(name.as_ref(), "apiVersion" | "kind") && depth == 0
                || self.written.len() >= MAX_LINES
            {
                continue;
            }
            self.field(&name, &field, indent, depth);
            written.push(name.into_owned());
        }
        written
    }

    fn field(&mut self, name: &str, field: &View<'_>, indent: usize, depth: usize) {
        let key = escape_snippet(&insert::scalar(name));
        match field.ty() {
            Some("object") => {
                let at = self.written.len();
                self.written.push((indent, format!("{key}:")));
                if depth < MAX_DEPTH {
                    self.fields(field, indent + self.step, depth + 1, &[], &[]);
                }
                if self.written.len() == at + 1 {
                    let place = self.next();
                    self.written.push((indent + self.step, format!("${{{place}}}")));
                }
            }
            Some("array") => {
                self.written.push((indent, format!("{key}:")));
                let item = field.item();
                let keys = field.list_map_keys();
                let keys: Vec<_> = keys.iter().map(AsRef::as_ref).collect();
                if let Some(item) = item.filter(|it| it.ty() == Some("object") && depth < MAX_DEPTH) {
                    self.item(&item, indent + self.dash, depth + 1, &keys);
                } else {
                    let place = self.next();
                    self.written.push((indent + self.dash, format!("- ${{{place}}}")));
                }
            }
            _ => {
                let value = self.value(field);
                self.written.push((indent, format!("{key}: {value}")));
            }
        }
    }

    /// Writes an item of a list.
    fn item(&mut self, item: &View<'_>, indent: usize, depth: usize, keys: &[&str]) {
        let at = self.written.len();
        self.fields(item, indent, depth, &[], keys);
        if self.written.len() == at {
            let value = self.value(item);
            self.written.push((indent, value));
        }
        dash_first(&mut self.written, at);
    }

    fn next(&mut self) -> usize {
        self.place += 1;
        self.place
    }

    fn value(&mut self, field: &View<'_>) -> String {
        let place = self.next();
        let choice = |it: &str| it.replace('\\', "\\\\").replace(',', "\\,").replace('|', "\\|");
        let texts = match field.ty() {
            Some("boolean") => vec!["true".to_owned(), "false".to_owned()],
            _ => field.enum_texts(),
        };
        if texts.len() > 1 {
            let texts: Vec<_> = texts.iter().map(|it| choice(it)).collect();
            return format!("${{{place}|{}|}}", texts.join(","));
        }
        let only = texts.into_iter().next().or_else(|| field.default_text());
        match only {
            Some(text) => format!("${{{place}:{}}}", escape_snippet(&text)),
            None => format!("${{{place}}}"),
        }
    }
}

/// Turns the lines from an index on into a list item by adding a dash.
fn dash_first(lines: &mut [(usize, String)], from: usize) {
    for (number, (indent, line)) in lines[from..].iter_mut().enumerate() {
        if number == 0 {
            line.insert_str(0, "- ");
        } else {
            *indent += 2;
        }
    }
}
