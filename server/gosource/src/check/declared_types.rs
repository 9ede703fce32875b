//! Parses the types that a Go file declares.

use std::{collections::HashMap, ops::Range};

use tree_sitter::Node;

use super::{
    comments::{Comments, Target, Written},
    invalid,
    split::Split,
    types::{Constant, Declared, Member, Set, Shape, Types},
};
use crate::read::{children, imported, imports};

/// The maximum depth of nested types.
const MAX_DEPTH: usize = 32;

/// Parses the types of a file.
pub(super) fn read(root: Node<'_>, text: &str, comments: &Comments) -> Types {
    let documentation = comments.declarations.iter().copied().zip(&comments.documentation);
    let mut reader = Reader {
        text,
        is_lost: invalid::is_lost(root),
        markers: HashMap::new(),
        documentation: documentation
            .filter_map(|(start, it)| Some((start, it.clone()?)))
            .collect(),
        found: Types {
            text: text.into(),
            ..Types::default()
        },
    };
    reader.sort(&comments.markers, &comments.declarations);
    for node in children(root) {
        match node.kind() {
            "package_clause" => {
                let name = children(node).into_iter().find(|it| it.kind() == "package_identifier");
                reader.found.package = name.map_or("", |it| reader.text(it)).to_owned();
            }
            "import_declaration" => {
                reader.found.imports.extend(imports(node, text));
                reader.found.imported.extend(imported(node, text));
            }
            "const_declaration" => reader.constants(node),
            "type_declaration" => reader.types(node),
            "method_declaration" => reader.method(node),
            _ => {}
        }
    }
    reader.found
}

struct Reader<'a> {
    text: &'a str,
    /// Whether a mistake in the file may have changed where its declarations begin and end.
    is_lost: bool,
    /// The markers, by the start of the declaration to which they belong.
    markers: HashMap<usize, Vec<Set>>,
    /// The documentation, by the start of the declaration to which it belongs.
    documentation: HashMap<usize, Range<usize>>,
    found: Types,
}

impl Reader<'_> {
    fn text(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn sort(&mut self, markers: &[Written], declarations: &[usize]) {
        for marker in markers {
            let Ok(target) = marker.belongs else { continue };
            let split = Split::of(self.text.get(marker.span.clone()).unwrap_or_default());
            let Some(definition) = split.definition(target) else {
                continue;
            };
            let set = Set {
                name: definition.name,
                span: marker.span.clone(),
                arguments: marker.span.end - split.arguments.len()..marker.span.end,
            };
            if target == Target::Package {
                self.found.is_skipped |= definition.name == "kubebuilder:skip";
                self.found.has_group |= definition.name == "groupName";
                self.found.markers.push(set);
                continue;
            }
            let start = marker.declaration.checked_sub(1).and_then(|it| declarations.get(it));
            if let Some(start) = start {
                self.markers.entry(*start).or_default().push(set);
            }
        }
    }

    fn markers_of(&mut self, node: Node<'_>) -> Vec<Set> {
        self.markers.remove(&node.start_byte()).unwrap_or_default()
    }

    fn types(&mut self, node: Node<'_>) {
        for spec in children(node) {
            if !matches!(spec.kind(), "type_spec" | "type_alias") {
                continue;
            }
            let (Some(name), Some(of)) = (spec.child_by_field_name("name"), spec.child_by_field_name("type")) else {
                continue;
            };
            let declared = Declared {
                start: spec.start_byte(),
                name: name.byte_range(),
                is_alias: spec.kind() == "type_alias",
                is_generic: spec.child_by_field_name("type_parameters").is_some(),
                has_error: self.is_lost || spec.has_error(),
                documentation: self.documentation.get(&spec.start_byte()).cloned(),
                markers: self.markers_of(spec),
                of: of.byte_range(),
                shape: self.shape(of, 0),
            };
            let name = self.text(name).to_owned();
            self.found.declared.insert(name, declared);
        }
    }

    /// Parses constants that have an explicit type.
    fn constants(&mut self, node: Node<'_>) {
        for spec in children(node) {
            let part = |field: &str| spec.child_by_field_name(field);
            let (Some(of), Some(values)) = (part("type"), part("value")) else {
                continue;
            };
            let of = self.text(of).to_owned();
            let values = children(values)
                .into_iter()
                .filter(|it| it.is_named() && it.kind() != "comment");
            for value in values {
                let is_string = matches!(value.kind(), "interpreted_string_literal" | "raw_string_literal");
                self.found.constants.push(Constant {
                    of: of.clone(),
                    value: is_string.then(|| value.byte_range()),
                });
            }
        }
    }

    /// Parses a method if it determines how its type is written in JSON.
    fn method(&mut self, node: Node<'_>) {
        let name = node.child_by_field_name("name").map(|it| self.text(it));
        let (is_json, is_text) = (name == Some("MarshalJSON"), name == Some("MarshalText"));
        if !(is_json || is_text) || !self.is_marshaling(node) {
            return;
        }
        let receiver = node.child_by_field_name("receiver");
        let declared = receiver.and_then(|it| children(it).into_iter().find(|it| it.kind() == "parameter_declaration"));
        let of = declared.and_then(|it| it.child_by_field_name("type"));
        let Some(of) = of.map(|it| self.text(it).trim_start_matches(['*', '(', ' ']).to_owned()) else {
            return;
        };
        let of = of.split(['[', ')', ' ']).next().unwrap_or_default().to_owned();
        let marshals = self.found.marshals.entry(of).or_default();
        marshals.json |= is_json;
        marshals.text |= is_text;
    }

    /// Whether a method takes nothing and returns bytes and an error, as the interfaces of Go's library want it.
    fn is_marshaling(&self, node: Node<'_>) -> bool {
        let types = |field: &str| {
            let all = node.child_by_field_name(field).map(children).unwrap_or_default();
            let declared = all.into_iter().filter(|it| it.kind() == "parameter_declaration");
            let of = declared.flat_map(|it| {
                let names = children(it).into_iter().filter(|it| it.kind() == "identifier").count();
                let of = it.child_by_field_name("type").map_or("", |it| self.text(it));
                std::iter::repeat_n(of.replace(' ', ""), names.max(1))
            });
            of.collect::<Vec<String>>()
        };
        let returned = types("result");
        let returned: Vec<&str> = returned.iter().map(String::as_str).collect();
        types("parameters").is_empty() && matches!(returned.as_slice(), ["[]byte" | "[]uint8", "error"])
    }

    fn shape(&mut self, node: Node<'_>, depth: usize) -> Shape {
        if depth > MAX_DEPTH {
            return Shape::Other;
        }
        let part = |field: &str| node.child_by_field_name(field);
        match node.kind() {
            "type_identifier" => Shape::Name(self.text(node).to_owned()),
            "qualified_type" => match (part("package"), part("name")) {
                (Some(package), Some(name)) => Shape::Selected {
                    package: self.text(package).to_owned(),
                    name: self.text(name).to_owned(),
                },
                _ => Shape::Other,
            },
            "pointer_type" => {
                let pointed = children(node).into_iter().find(Node::is_named);
                pointed.map_or(Shape::Other, |it| Shape::Pointer(Box::new(self.shape(it, depth + 1))))
            }
            "slice_type" => {
                part("element").map_or(Shape::Other, |it| Shape::Slice(Box::new(self.shape(it, depth + 1))))
            }
            "array_type" => {
                part("element").map_or(Shape::Other, |it| Shape::Array(Box::new(self.shape(it, depth + 1))))
            }
            "map_type" => match (part("key"), part("value")) {
                (Some(key), Some(value)) => Shape::Map {
                    key: Box::new(self.shape(key, depth + 1)),
                    value: Box::new(self.shape(value, depth + 1)),
                },
                _ => Shape::Other,
            },
            "struct_type" => {
                let list = children(node);
                let list = list.into_iter().find(|it| it.kind() == "field_declaration_list");
                let fields = list.map(children).unwrap_or_default();
                let fields = fields.into_iter().filter(|it| it.kind() == "field_declaration");
                Shape::Struct(fields.filter_map(|it| self.member(it, depth)).collect())
            }
            "interface_type" => Shape::Interface,
            _ => Shape::Other,
        }
    }

    fn member(&mut self, node: Node<'_>, depth: usize) -> Option<Member> {
        let of = node.child_by_field_name("type")?;
        let markers = self.markers_of(node);
        let literal = node.child_by_field_name("tag");
        let tag = literal.and_then(|it| json_tag(self.text(it)));
        let is_left_out = tag.as_deref() == Some("-");
        let json = tag
            .as_ref()
            .map(|it| it.split(',').next().unwrap_or_default().to_owned());
        let json_name = literal.and_then(|it| json_name(self.text(it), it.start_byte()));
        let name = node.child_by_field_name("name").map(|it| self.text(it).to_owned());
        let mut cursor = node.walk();
        let names = node
            .children_by_field_name("name", &mut cursor)
            .map(|it| it.byte_range());
        let shape = self.shape(of, depth + 1);
        // The star of an embedded pointer is not part of the field's type.
        let is_pointer = name.is_none() && children(node).first().is_some_and(|it| it.kind() == "*");
        Some(Member {
            start: node.start_byte(),
            name,
            names: names.collect(),
            tag,
            documentation: self.documentation.get(&node.start_byte()).cloned(),
            json,
            json_name,
            is_left_out,
            markers,
            of: of.byte_range(),
            shape: if is_pointer {
                Shape::Pointer(Box::new(shape))
            } else {
                shape
            },
        })
    }
}

/// The range of the JSON name in a struct tag that is written in backquotes and starts at an offset. `None` if the tag has no name.
fn json_name(literal: &str, start: usize) -> Option<Range<usize>> {
    let tag = json_tag(literal).filter(|_| literal.starts_with('`'))?;
    let name = tag.split(',').next().filter(|it| !it.is_empty() && tag != "-")?;
    let begin = literal.find("json:\"")? + "json:\"".len();
    let is_it = literal.get(begin..)?.starts_with(&tag);
    is_it.then(|| start + begin..start + begin + name.len())
}

/// The `json` part of a struct tag such as `` `json:"replicas,omitempty"` ``, parsed as Go does.
fn json_tag(literal: &str) -> Option<String> {
    let inside = literal.get(1..literal.len().checked_sub(1)?)?;
    let tag = if literal.starts_with('"') {
        inside.replace("\\\"", "\"")
    } else {
        inside.to_owned()
    };
    let mut rest = tag.as_str();
    loop {
        rest = rest.trim_start_matches(' ');
        let (key, behind) = rest.split_once(":\"")?;
        let end = behind.find('"')?;
        if key == "json" {
            return Some(behind[..end].to_owned());
        }
        rest = &behind[end + 1..];
    }
}
