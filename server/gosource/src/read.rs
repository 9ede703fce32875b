//! Parses the declarations of a Go file.

use std::{
    collections::HashMap,
    ops::Range,
    path::Path,
    sync::{Arc, OnceLock},
};

use tree_sitter::{Node, Parser, Tree};

use crate::{check::types::Import, unclosed::without_tags};

/// The maximum size of a Go file to parse, in bytes. Larger files do not contain hand-written types.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// The maximum depth of nested types.
const MAX_DEPTH: usize = 32;

/// A Go file and its content.
#[derive(Debug)]
pub struct SourceFile {
    /// The absolute path of the file.
    pub path: Arc<Path>,
    /// The content of the file.
    pub text: Arc<str>,
}

/// A kubebuilder marker, which is a comment that starts with `+`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Marker {
    /// The text after the slashes, such as `+kubebuilder:validation:MaxItems=64`.
    pub text: String,
    /// The whole comment, in bytes of the file.
    pub span: Range<usize>,
    /// The offset at which the marker's text starts, in bytes of the file.
    pub start: usize,
}

/// A type as written.
#[derive(Clone, Debug)]
pub(crate) enum Type {
    Struct(Arc<Fields>),
    List(Arc<Type>),
    Map(Arc<Type>),
    Named { package: Option<String>, name: String },
    Other,
}

/// A field of a struct. A declaration with several names results in several fields.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// The name of the field in Go. For an embedded field, the name of its type.
    pub(crate) name: String,
    pub(crate) span: Range<usize>,
    /// The name of the field in JSON. Empty if the fields of the embedded type belong to the surrounding struct.
    pub(crate) json: String,
    pub(crate) markers: Arc<[Marker]>,
    pub(crate) of: Type,
}

/// The fields of a struct, in declaration order.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    all: Vec<Field>,
    /// The indices of the fields by their JSON name, computed on first use.
    by_json: OnceLock<HashMap<String, Vec<usize>>>,
}

impl Fields {
    fn new(all: Vec<Field>) -> Self {
        Self {
            all,
            by_json: OnceLock::new(),
        }
    }

    fn of_json(&self, name: &str) -> impl Iterator<Item = &Field> {
        let by_json = self.by_json.get_or_init(|| {
            let mut by_json: HashMap<String, Vec<usize>> = HashMap::new();
            for (number, field) in self.all.iter().enumerate() {
                by_json.entry(field.json.clone()).or_default().push(number);
            }
            by_json
        });
        let numbers = by_json.get(name).into_iter().flatten();
        numbers.filter_map(|it| self.all.get(*it))
    }

    /// The field with this JSON name.
    pub(crate) fn named(&self, json: &str) -> Option<&Field> {
        self.of_json(json).next()
    }

    /// The embedded fields whose own fields belong to the struct.
    pub(crate) fn embedded(&self) -> impl Iterator<Item = &Field> {
        self.of_json("")
    }
}

/// A type declaration.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) file: Arc<SourceFile>,
    pub(crate) span: Range<usize>,
    pub(crate) markers: Arc<[Marker]>,
    pub(crate) of: Type,
}

/// The declarations of a file.
#[derive(Default, Debug)]
pub(crate) struct Declarations {
    pub(crate) types: HashMap<String, Declared>,
    /// The paths of the imported packages, by the name with which the file refers to each.
    pub(crate) imports: HashMap<String, String>,
}

/// The declarations of a file with this syntax tree. Text that is not valid Go is ignored.
pub(crate) fn declarations(file: &Arc<SourceFile>, tree: &Tree) -> Declarations {
    let mut found = Declarations::default();
    let reader = Reader { file };
    let mut comments = Vec::new();
    for node in children(tree.root_node()) {
        match node.kind() {
            "comment" => {
                comments.push(node);
                continue;
            }
            "import_declaration" => found.imports.extend(imports(node, &file.text)),
            "type_declaration" => reader.types(node, &comments, &mut found.types),
            // Line breaks and semicolons that end statements are nodes of their own.
            "\n" | ";" => continue,
            _ => {}
        }
        comments.clear();
    }
    found
}

struct Reader<'a> {
    file: &'a Arc<SourceFile>,
}

impl Reader<'_> {
    fn text(&self, node: Node<'_>) -> &str {
        self.file.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Parses a declaration of types. `before` has the comments above the declaration.
    fn types(&self, node: Node<'_>, before: &[Node<'_>], types: &mut HashMap<String, Declared>) {
        let mut comments = before.to_vec();
        for spec in children(node) {
            match spec.kind() {
                "comment" => comments.push(spec),
                "type_spec" | "type_alias" => {
                    let (Some(name), Some(of)) = (spec.child_by_field_name("name"), spec.child_by_field_name("type"))
                    else {
                        continue;
                    };
                    let declared = Declared {
                        file: self.file.clone(),
                        span: name.byte_range(),
                        markers: self.markers(&comments),
                        of: self.of(of, 0),
                    };
                    types.insert(self.text(name).to_owned(), declared);
                    comments.clear();
                }
                _ => {}
            }
        }
    }

    fn markers(&self, comments: &[Node<'_>]) -> Arc<[Marker]> {
        let marker = |node: &Node<'_>| {
            let comment = self.text(*node);
            let text = comment.strip_prefix("//")?.trim();
            text.starts_with('+').then(|| Marker {
                text: text.to_owned(),
                span: node.byte_range(),
                start: node.start_byte() + comment.find('+').unwrap_or_default(),
            })
        };
        comments.iter().filter_map(marker).collect()
    }

    fn of(&self, node: Node<'_>, depth: usize) -> Type {
        if depth > MAX_DEPTH {
            return Type::Other;
        }
        let within = |field: &str| node.child_by_field_name(field).map(|it| self.of(it, depth + 1));
        match node.kind() {
            "type_identifier" => Type::Named {
                package: None,
                name: self.text(node).to_owned(),
            },
            "qualified_type" => {
                let part = |field: &str| node.child_by_field_name(field).map(|it| self.text(it).to_owned());
                match part("name") {
                    Some(name) => Type::Named {
                        package: part("package"),
                        name,
                    },
                    None => Type::Other,
                }
            }
            "pointer_type" | "parenthesized_type" => {
                let pointed = children(node).into_iter().find(Node::is_named);
                pointed.map_or(Type::Other, |it| self.of(it, depth + 1))
            }
            "slice_type" | "array_type" => within("element").map_or(Type::Other, |it| Type::List(Arc::new(it))),
            "map_type" => within("value").map_or(Type::Other, |it| Type::Map(Arc::new(it))),
            "struct_type" => {
                let list = children(node)
                    .into_iter()
                    .find(|it| it.kind() == "field_declaration_list");
                Type::Struct(Arc::new(list.map_or_else(Fields::default, |it| self.fields(it, depth))))
            }
            _ => Type::Other,
        }
    }

    fn fields(&self, list: Node<'_>, depth: usize) -> Fields {
        let mut fields = Vec::new();
        let mut comments = Vec::new();
        for node in children(list) {
            match node.kind() {
                "comment" => comments.push(node),
                "field_declaration" => {
                    // A comment that follows a field on the same line belongs to that field.
                    let row = node.start_position().row;
                    comments.retain(|it: &Node<'_>| it.start_position().row < row);
                    self.field(node, &comments, depth, &mut fields);
                    comments.clear();
                }
                _ => {}
            }
        }
        Fields::new(fields)
    }

    fn field(&self, node: Node<'_>, comments: &[Node<'_>], depth: usize, fields: &mut Vec<Field>) {
        let Some(written) = node.child_by_field_name("type") else {
            return;
        };
        let of = self.of(written, depth + 1);
        let tag = node.child_by_field_name("tag").map(|it| json_name(self.text(it)));
        let markers = self.markers(comments);
        let mut cursor = node.walk();
        let names: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
        if names.is_empty() {
            let name = match &of {
                Type::Named { name, .. } => name.clone(),
                _ => return,
            };
            let json = tag.unwrap_or_default();
            fields.push(Field {
                name,
                span: written.byte_range(),
                json,
                markers,
                of,
            });
            return;
        }
        for name in names {
            let go = self.text(name).to_owned();
            let json = tag.clone().filter(|it| !it.is_empty()).unwrap_or_else(|| go.clone());
            fields.push(Field {
                name: go,
                span: name.byte_range(),
                json,
                markers: markers.clone(),
                of: of.clone(),
            });
        }
    }
}

/// The packages that a declaration imports, each as the name that the file uses and the path.
pub(crate) fn imports(node: Node<'_>, text: &str) -> Vec<(String, String)> {
    let named = |it: Import| {
        let last = || it.path.rsplit('/').next().unwrap_or_default().to_owned();
        (it.name.clone().unwrap_or_else(last), it.path)
    };
    imported(node, text).map(named).collect()
}

/// The packages that a declaration imports, with their local names if the file gives them.
pub(crate) fn imported(node: Node<'_>, text: &str) -> impl Iterator<Item = Import> {
    let written = |node: Node<'_>| text.get(node.byte_range()).unwrap_or_default();
    let specs = children(node).into_iter().flat_map(|it| match it.kind() {
        "import_spec_list" => children(it),
        _ => vec![it],
    });
    specs.filter(|it| it.kind() == "import_spec").filter_map(move |spec| {
        let path = spec.child_by_field_name("path")?;
        Some(Import {
            name: spec.child_by_field_name("name").map(|it| written(it).to_owned()),
            path: written(path).trim_matches(['"', '`']).to_owned(),
        })
    })
}

/// The JSON name in a tag such as `json:"replicas,omitempty"`.
fn json_name(tag: &str) -> String {
    let Some((_, rest)) = tag.split_once("json:") else {
        return String::new();
    };
    let rest = rest.trim_start_matches(['\\', '"']);
    let name = rest.split(['"', ',', '\\']).next().unwrap_or_default();
    name.to_owned()
}

/// The syntax tree of a Go file, unless the file is too large.
pub(crate) fn parsed(text: &str) -> Option<Tree> {
    if text.len() > MAX_BYTES {
        return None;
    }
    parsed_after(&without_tags(text), None)
}

/// Like [`parsed`], for a text without unclosed tags. `before` has the tree of an earlier text of the file, after the edit.
pub(crate) fn parsed_after(text: &str, before: Option<&Tree>) -> Option<Tree> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_go::LANGUAGE.into()).ok()?;
    let tree = parser.parse(text, before)?;
    if before.is_some() && tree.root_node().has_error() {
        // How the parser recovers from an error depends on the earlier tree.
        return parser.parse(text, None);
    }
    Some(tree)
}

pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}
