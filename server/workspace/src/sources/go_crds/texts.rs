//! Writes generated CRDs as manifests, with the places in the Go files from which their parts come.

use std::{collections::HashMap, path::Path, sync::Arc};

use crd_analyzer_generator::node::{Node, Origin, Part};
use crd_analyzer_gosource::literal;
use crd_analyzer_syntax::{
    json::{Json, Member},
    tree::{Span, Tree},
};
use serde_json::Value;

use super::set::{list, literal};
use crate::{
    documents::source::SourceText,
    sources::manifest::{Manifest, Place, Writing},
};

/// The keyword with which a schema accepts any value.
const OPEN: &str = "x-kubernetes-preserve-unknown-fields";

/// The files from which the parts of a CRD come, by path, and what to write for the parts that are not completely known.
#[derive(Clone, Copy)]
pub(super) struct Texts<'t> {
    pub(super) texts: &'t HashMap<Arc<Path>, Arc<SourceText>>,
    /// The CRD of the repository with the current markers, which has the parts that the types do not say.
    pub(super) known: Option<Known<'t>>,
}

/// A CRD of the repository with the current markers.
#[derive(Clone, Copy)]
pub(super) struct Known<'t> {
    pub(super) manifest: &'t Manifest,
    pub(super) tree: &'t Tree,
}

impl Texts<'_> {
    pub(super) fn place(self, origin: &Origin) -> Place {
        Place {
            file: self.texts[&origin.file].clone(),
            span: Span::new(origin.span.start as u32, origin.span.end as u32),
        }
    }

    /// Writes a part without the place from which it comes. `known` has what the CRD of the repository has there.
    pub(super) fn write(self, part: &Part, known: Option<&Json<'_>>, to: &mut Writing) {
        match &part.node {
            Node::Map(members) if part.is_unknown => self.unknown(members, known, to),
            Node::Map(members) => self.members(members, known, to),
            Node::List(items) => {
                let known = known.and_then(Json::items).unwrap_or_default();
                let items: Vec<(usize, &Part)> = items.iter().enumerate().collect();
                list(&items, to, |to, (n, item)| {
                    self.within(item, to, |to| self.write(item, known.get(*n), to));
                });
            }
            Node::Value(value) => {
                let written = part.from.as_ref().and_then(|it| Some((it, it.written.as_ref()?)));
                match written {
                    Some((origin, written)) if says(written, value) => literal(&self.place(origin), written, to),
                    _ => json(value, to),
                }
            }
        }
    }

    fn members(self, members: &[(String, Part)], known: Option<&Json<'_>>, to: &mut Writing) {
        to.raw("{");
        for (n, (key, member)) in members.iter().enumerate() {
            to.raw(if n > 0 { ", " } else { "" });
            self.member((key, member), known, to);
        }
        to.raw("}");
    }

    /// Writes a member of an object. `known` is the object in the CRD of the repository.
    fn member(self, (key, member): (&str, &Part), known: Option<&Json<'_>>, to: &mut Writing) {
        self.within(member, to, |to| {
            to.string(key);
            to.raw(": ");
            self.write(member, known.and_then(|it| it.get(key)), to);
        });
    }

    /// Writes a schema that the types do not completely say. Other content of the CRD in the repository may come from the unknown types.
    fn unknown(self, members: &[(String, Part)], known: Option<&Json<'_>>, to: &mut Writing) {
        let known = known.filter(|it| is_same_type(members, it.get("type").and_then(Json::as_str)));
        let Some((from, json)) = self.known.zip(known) else {
            to.raw("{");
            for (key, member) in members {
                self.member((key, member), None, to);
                to.raw(", ");
            }
            let is_object = find(members, "type").is_none_or(|it| it.to_json() == "object");
            // The API server accepts the keyword only for objects.
            to.unknown(|to| {
                to.string(OPEN);
                to.raw(if is_object { ": true" } else { ": false" });
            });
            return to.raw("}");
        };
        let is_to_merge = |key: &str| matches!(key, "properties" | "required");
        to.raw("{");
        let mut separator = "";
        for member in json.members().unwrap_or_default() {
            if !is_to_merge(&member.key) || find(members, &member.key).is_none() {
                to.raw(std::mem::replace(&mut separator, ", "));
                from.copy(member, to);
            }
        }
        for (key, part) in members.iter().filter(|it| is_to_merge(&it.0)) {
            to.raw(std::mem::replace(&mut separator, ", "));
            to.string(key);
            to.raw(": ");
            match &part.node {
                Node::Map(fields) => self.fields(fields, (from, json.get(key)), to),
                _ => self.required((part, members), json.get(key), to),
            }
        }
        let names = json.get("properties").and_then(Json::members).unwrap_or_default();
        if are_all(names.iter().map(|it| &*it.key), members) {
            to.unknown(|_| {});
        }
        to.raw("}");
    }

    /// Writes the fields that the types say, and those that only the CRD of the repository has.
    fn fields(self, fields: &[(String, Part)], (from, known): (Known<'_>, Option<&Json<'_>>), to: &mut Writing) {
        to.raw("{");
        let mut separator = "";
        for (name, field) in fields {
            to.raw(std::mem::replace(&mut separator, ", "));
            self.member((name, field), known, to);
        }
        let others = known.and_then(Json::members).unwrap_or_default();
        for member in others.iter().filter(|it| find(fields, &it.key).is_none()) {
            to.raw(std::mem::replace(&mut separator, ", "));
            from.copy(member, to);
        }
        to.raw("}");
    }

    /// Writes the names of the fields that the types require, and of those that only the CRD of the repository has.
    fn required(self, (part, members): (&Part, &[(String, Part)]), known: Option<&Json<'_>>, to: &mut Writing) {
        let Node::List(items) = &part.node else {
            return self.write(part, None, to);
        };
        let fields = find(members, "properties").map(|it| &it.node);
        let is_field = |name: &str| matches!(fields, Some(Node::Map(fields)) if find(fields, name).is_some());
        let others = known.and_then(Json::items).unwrap_or_default().iter();
        let others = others.filter_map(Json::as_str).filter(|it| !is_field(it));
        let names: Vec<Part> = items.iter().cloned().chain(others.map(Part::value)).collect();
        list(&names, to, |to, item| {
            self.within(item, to, |to| self.write(item, None, to));
        });
    }

    /// Writes a part with the place from which it comes: a field or type declares it, or a marker sets it.
    fn within(self, part: &Part, to: &mut Writing, write: impl FnOnce(&mut Writing)) {
        let Some(origin) = &part.from else {
            return write(to);
        };
        let place = self.place(origin);
        if place.file.text[place.span.range()].starts_with('+') {
            to.said(&place, write);
        } else {
            to.from(&place, None, write);
        }
    }
}

impl Known<'_> {
    fn copy(self, member: &Member<'_>, to: &mut Writing) {
        let (start, end) = (
            self.tree.span(member.key_node).start,
            self.tree.span(member.value.node).end,
        );
        to.copy(self.manifest, Span::new(start, end));
    }
}

pub(super) fn find<'p>(members: &'p [(String, Part)], key: &str) -> Option<&'p Part> {
    members.iter().find(|it| it.0 == key).map(|it| &it.1)
}

/// Whether a schema that the types do not completely say may have the type that the CRD of the repository has there.
pub(super) fn is_same_type(members: &[(String, Part)], known: Option<&str>) -> bool {
    find(members, "type").is_none_or(|it| it.to_json().as_str() == known)
}

/// Whether the types say all properties that the CRD of the repository has in a schema. If so, the fields of unknown types are new.
pub(super) fn are_all<'k>(mut known: impl Iterator<Item = &'k str>, members: &[(String, Part)]) -> bool {
    match find(members, "properties").map(|it| &it.node) {
        Some(Node::Map(fields)) => known.all(|it| find(fields, it).is_some()),
        _ => false,
    }
}

/// Whether a string value equals the literal, so that their characters correspond.
fn says(literal: &literal::Literal, value: &Value) -> bool {
    match (&literal.value, value) {
        (literal::Value::String(text), Value::String(value)) => text == value,
        (literal::Value::List(_) | literal::Value::Map(_), _) => false,
        (literal::Value::String(_), _) | (_, Value::String(_)) => false,
        _ => true,
    }
}

/// Writes a value in JSON.
fn json(value: &Value, to: &mut Writing) {
    match value {
        Value::String(text) => to.string(text),
        Value::Array(items) => list(items, to, |to, item| json(item, to)),
        Value::Object(members) => {
            to.raw("{");
            for (n, (key, value)) in members.iter().enumerate() {
                to.raw(if n > 0 { ", " } else { "" });
                to.string(key);
                to.raw(": ");
                json(value, to);
            }
            to.raw("}");
        }
        other => to.raw(&other.to_string()),
    }
}
