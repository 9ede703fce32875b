//! Completion in a kubebuilder marker: marker names that fit the declaration below the comment, arguments, and values.

use std::ops::Range;

use crd_analyzer_gosource::{
    check::{
        about,
        catalog::{self, Argument, Definition, Type},
        parts::Part,
        place::{self, Place},
    },
    fit::{
        fields::{Step, fields},
        offered::Declared,
    },
};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::sources::go_file::Markers;

use super::words::{argument, sentence, sets, since, type_name};
use crate::{
    completion::{Completions, Item, ItemKind},
    markdown::Documentation,
};

/// The items at an offset of a Go file; `None` outside of markers.
pub(super) fn complete(text: &str, offset: u32, markers: &Markers, snippets: bool) -> Option<Completions> {
    let offset = offset as usize;
    let place = place::at(text, offset)?;
    let request = Request {
        text,
        offset,
        place: &place,
        markers,
    };
    let (mut items, replace) = if offset <= place.parts.whole.end {
        request.names()?
    } else {
        request.arguments()?
    };
    if !snippets {
        for it in &mut items {
            it.snippet = None;
        }
    }
    let span = |it: Range<usize>| Span::new(it.start as u32, it.end as u32);
    (!items.is_empty()).then(|| Completions {
        items,
        insert: span(replace.start..offset),
        replace: span(replace),
        is_incomplete: false,
    })
}

/// A completion request.
struct Request<'a> {
    text: &'a str,
    offset: usize,
    place: &'a Place,
    markers: &'a Markers,
}

type Found = (Vec<Item>, Range<usize>);

impl Request<'_> {
    fn is_known(&self, definition: &Definition) -> bool {
        definition.since <= self.markers.release && self.place.takes(definition)
    }

    /// The names of markers, including those with arguments.
    fn names(&self) -> Option<Found> {
        let whole = self.place.parts.whole.clone();
        let typed = self.text.get(whole.start..self.offset)?;
        if typed.contains([' ', '\t']) {
            return None;
        }
        let has_value = self.text[whole.end..].starts_with('=');
        let declared = self.declared();
        let has_choices = declared.as_ref().is_some_and(|it| !it.choices().is_empty());
        let mut found = Vec::new();
        for name in catalog::names() {
            let mut definitions = catalog::definitions(name).iter();
            if let Some(definition) = definitions.find(|it| self.is_known(it)) {
                let mut item = name_item(definition, has_value);
                item.asks_again &= has_choices || !OF_VALUES.contains(&name);
                found.push((rank(name), item));
                found.extend(
                    self.with_arguments(definition, typed, has_value)
                        .map(|it| (rank(name), it)),
                );
            }
        }
        let fits = |it: &Item| declared.as_ref().is_none_or(|declared| declared.takes(&it.label));
        found.sort_by_cached_key(|it| (!fits(&it.1), it.0));
        let mut items: Vec<Item> = found.into_iter().map(|it| it.1).collect();
        if !self.place.targets.is_empty() {
            items.extend(self.markers.declared.names().map(declared_item));
        }
        Some((items, whole))
    }

    /// The declaration to which the marker belongs.
    fn declared(&self) -> Option<Declared<'_>> {
        let file = (self.markers.path.as_path(), self.markers.module.as_deref());
        Declared::of(
            &self.place.comments,
            self.place.marker.declaration,
            file,
            self.markers.release,
        )
    }

    /// Marker names with arguments, after the user has typed a marker's name and a colon.
    fn with_arguments<'d>(
        &self,
        definition: &'d Definition,
        typed: &str,
        has_value: bool,
    ) -> impl Iterator<Item = Item> + use<'d> {
        let is_typed = typed
            .strip_prefix(definition.name)
            .is_some_and(|it| it.starts_with(':'));
        let release = self.markers.release;
        let arguments = definition
            .arguments
            .iter()
            .filter(move |it| is_typed && it.since <= release && !it.name.is_empty());
        arguments.map(move |it| {
            let mut item = argument_item(definition, it, has_value);
            let before = format!("{}:", definition.name);
            item.label.insert_str(0, &before);
            item.filter.insert_str(0, &before);
            item.text.insert_str(0, &before);
            item.snippet = item.snippet.map(|it| format!("{before}{it}"));
            item
        })
    }

    /// The names of arguments, or the values after the first `=`.
    fn arguments(&self) -> Option<Found> {
        let parts = &self.place.parts;
        let definition = parts.definition.filter(|it| self.place.targets.contains(&it.target))?;
        let holds = |it: &&Part| it.span.start <= self.offset && self.offset <= it.span.end;
        let part = parts.arguments.iter().rev().find(holds)?;
        if let Some(value) = part.value.clone().filter(|it| it.start <= self.offset) {
            let argument = parts.argument(self.text, part)?;
            return self.values(definition, argument, value);
        }
        let name = part.name.clone()?;
        let span = name.start.min(self.offset)..name.end.max(self.offset);
        let has_value = part.value.is_some();
        let missing = parts.missing(self.text, self.markers.release);
        Some((
            missing.map(|it| argument_item(definition, it, has_value)).collect(),
            span,
        ))
    }

    /// The values of an argument, if they are known.
    fn values(&self, definition: &Definition, argument: &Argument, value: Range<usize>) -> Option<Found> {
        let is_list = matches!(argument.r#type, Type::List(_));
        let written = &self.text[value.clone()];
        let at = self.offset - value.start;
        let (before, after) = (written.get(..at)?, written.get(at..)?);
        let ends = |it: char| is_list && matches!(it, ';' | ',' | '{' | '}') || matches!(it, '"' | '`');
        let start = before.rfind(ends).map_or(0, |it| it + 1);
        let start = start + before[start..].len() - before[start..].trim_start().len();
        let end = at + after.find(ends).unwrap_or(after.len());
        let mut others = vec![&written[..start], &written[end..]];
        others.retain(|_| is_list);
        let is_there = |it: &str| {
            let mut words = others.iter().flat_map(|it| it.split(|it: char| !it.is_alphanumeric()));
            words.any(|word| word == it)
        };
        let item = |value: &str| Item::new(value, ItemKind::EnumMember);
        let items = values(definition, argument).filter(|it| !is_there(it)).map(item);
        let mut items: Vec<Item> = items.collect();
        if OF_VALUES.contains(&definition.name) {
            let choices = self.declared().map(|it| it.choices()).unwrap_or_default();
            let quoted = written.starts_with(['"', '`']);
            items.extend(
                choices
                    .iter()
                    .map(|it| item(if quoted { it.trim_matches(['"', '`']) } else { it })),
            );
        }
        let mut start = start;
        if let Some(named) = Named::of(definition.name, &argument.name) {
            let typed = &before[start..];
            let (fields, below) = self.fields(named, typed);
            start += below;
            items.extend(fields.into_iter().filter(|it| !is_there(&it.label)));
        }
        Some((items, value.start + start..value.start + end))
    }

    /// The fields that may be named here, and the start of the last name in the typed text.
    fn fields(&self, named: Named, typed: &str) -> (Vec<Item>, usize) {
        let mut steps = Vec::new();
        if matches!(named, Named::OfItems | Named::PathOfItems) {
            steps.push(Step::Items);
        }
        let last = typed.rfind('.').map_or(0, |it| it + 1);
        let is_path = matches!(named, Named::Path | Named::PathOfItems);
        if is_path {
            let names = typed[..last].split('.').filter(|it| !it.is_empty());
            for name in names {
                let (name, is_list) = name.split_once('[').map_or((name, false), |it| (it.0, true));
                steps.push(Step::Field(name));
                steps.extend(is_list.then_some(Step::Items));
            }
        }
        let comments = &self.place.comments;
        let module = self.markers.module.as_deref();
        let number = self.place.marker.declaration;
        let found = fields(comments, number, &self.markers.path, module, &steps);
        let begins_path = is_path && last == 0;
        let items = found.into_iter().map(|it| {
            let mut item = Item::new(it.name.as_str(), ItemKind::Field);
            if begins_path {
                item.text.insert(0, '.');
                item.filter.insert(0, '.');
            }
            item.detail = Some(it.of);
            item
        });
        (items.collect(), if is_path { last } else { 0 })
    }
}

/// The markers with a value of the field.
const OF_VALUES: [&str; 2] = ["kubebuilder:default", "kubebuilder:example"];

/// Where to look for the fields that an argument names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    /// The fields of the struct itself.
    Here,
    /// The fields of a list's items.
    OfItems,
    /// A path of fields from the value.
    Path,
    /// A path of fields from a list's items.
    PathOfItems,
}

impl Named {
    fn of(marker: &str, argument: &str) -> Option<Self> {
        let word = marker.rsplit(':').next().unwrap_or_default();
        Some(match (word, argument) {
            ("AtMostOneOf" | "AtLeastOneOf" | "ExactlyOneOf", _) => Self::Here,
            ("listMapKey", _) => Self::OfItems,
            ("XValidation", "fieldPath") if marker.contains(":items:") => Self::PathOfItems,
            (_, "fieldPath" | "JSONPath" | "specpath" | "statuspath" | "selectorpath") => Self::Path,
            _ => return None,
        })
    }
}

/// The values of an argument, if they are known.
fn values(definition: &Definition, argument: &Argument) -> impl Iterator<Item = &'static str> + use<> {
    let of = match &argument.r#type {
        Type::List(of) => of,
        of => of,
    };
    let of_bool: &[&str] = if *of == Type::Bool { &["true", "false"] } else { &[] };
    let known = about::argument(definition.name, &argument.name).values();
    of_bool.iter().copied().chain(known)
}

/// The rank of a marker in the list. Markers for list items, and markers that start with `k8s:`, come last.
fn rank(name: &str) -> usize {
    ["k8s:", "kubebuilder:validation:items:"]
        .iter()
        .position(|it| name.starts_with(it))
        .map_or(0, |it| it + 1)
}

fn documentation(definition: &Definition) -> Option<Documentation> {
    let about = about::marker(definition.name)?;
    let sentences = [Some(sentence(&about)), sets(&about)];
    let sentences: Vec<_> = sentences.into_iter().flatten().collect();
    Some(Documentation::Ours(sentences.join("\n\n").into()))
}

/// An item for a marker. `has_value` means that an `=` already follows.
fn name_item(definition: &Definition, has_value: bool) -> Item {
    let mut item = Item::new(definition.name, ItemKind::Key);
    item.documentation = documentation(definition);
    item.note = since(definition.since);
    let is_unnamed = |it: &Argument| it.name.is_empty() || it.name == "value";
    match definition.arguments.as_slice() {
        [only] if is_unnamed(only) => {
            item.detail = Some(type_name(&only.r#type));
            if !has_value {
                item.snippet = Some(format!("{}={}", definition.name, place_for(definition, only, 1)));
                item.text.push('=');
                item.asks_again = offers_values(definition, only);
            }
        }
        all => {
            let required: Vec<_> = all.iter().filter(|it| !it.is_optional).collect();
            if let Some(first) = required.first() {
                if has_value {
                    item.text = format!("{}:{}", definition.name, first.name);
                } else {
                    let places = required.iter().enumerate();
                    let places: Vec<_> = places
                        .map(|(n, it)| format!("{}={}", it.name, place_for(definition, it, n + 1)))
                        .collect();
                    item.snippet = Some(format!("{}:{}", definition.name, places.join(",")));
                    item.text = format!("{}:{}=", definition.name, first.name);
                    item.asks_again = offers_values(definition, first);
                }
            }
        }
    }
    item
}

/// An item for a marker that the project itself declares for other tools.
fn declared_item(name: &str) -> Item {
    let mut item = Item::new(name, ItemKind::Key);
    item.note = Some("declared in the configuration".to_owned());
    item
}

fn argument_item(definition: &Definition, it: &Argument, has_value: bool) -> Item {
    let mut item = Item::new(it.name.as_str(), ItemKind::Field);
    item.detail = Some(type_name(&it.r#type));
    item.note = since(it.since).filter(|_| it.since > definition.since);
    let about = argument(definition, it);
    item.documentation = (!about.is_empty()).then(|| Documentation::Ours(about.into()));
    if !has_value {
        item.snippet = Some(format!("{}={}", it.name, place_for(definition, it, 1)));
        item.text.push('=');
        item.asks_again = offers_values(definition, it);
    }
    item
}

/// Whether completion may offer values of an argument. If it offers none, VS Code shows words of the file instead, and the next Enter inserts one.
fn offers_values(definition: &Definition, argument: &Argument) -> bool {
    let is_expression = matches!(argument.name.as_str(), "rule" | "messageExpression");
    is_expression
        || values(definition, argument).next().is_some()
        || OF_VALUES.contains(&definition.name)
        || Named::of(definition.name, &argument.name).is_some()
}

/// A snippet placeholder for the value of an argument.
fn place_for(definition: &Definition, argument: &Argument, number: usize) -> String {
    let is_list = matches!(argument.r#type, Type::List(_));
    let choices: Vec<_> = values(definition, argument).filter(|_| !is_list).collect();
    if !choices.is_empty() {
        return format!("${{{number}|{}|}}", choices.join(","));
    }
    // An unquoted string would end at a comma.
    match argument.r#type {
        Type::String if definition.name.ends_with(":Pattern") => format!("`${number}`"),
        Type::String if !argument.name.is_empty() => format!("\"${number}\""),
        _ => format!("${number}"),
    }
}
