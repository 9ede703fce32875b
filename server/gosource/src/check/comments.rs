//! Finds the declaration to which each marker belongs, as controller-gen does (`pkg/markers/collect.go` of `sigs.k8s.io/controller-tools`).
//!
//! Go's parser puts comments on consecutive lines into one group. The group right above a declaration is the declaration's documentation. For types
//! and fields, the nearest group above the documentation also has markers of the declaration. An earlier declaration may already have taken a group,
//! so declarations are visited in the order of `go/ast`.

use std::{ops::Range, sync::Arc};

use tree_sitter::Node;

use super::{invalid::Invalid, types::Types};
use crate::read::children;

/// The maximum depth of nested declarations.
const MAX_DEPTH: usize = 64;

/// The kind of declaration to which a marker belongs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// The package of the file.
    Package,
    /// A type.
    Type,
    /// A field of a struct.
    Field,
}

impl Target {
    /// The usual name of this kind of declaration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Package => "package",
            Self::Type => "type",
            Self::Field => "field",
        }
    }
}

/// The reason why a marker does not belong to a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lost {
    /// The marker is in the documentation of a function, a constant, a variable or a group of declarations.
    Documentation,
    /// Another comment separates the marker from the declaration.
    Detached,
    /// The marker comes after a declaration on the same line.
    Behind,
    /// The marker is inside a declaration, but no field or type follows inside it to which the marker could belong.
    Inside,
}

/// A marker in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The range from the plus sign to the last character, in bytes of the file.
    pub span: Range<usize>,
    /// The kind of declaration to which the marker belongs, or the reason why it belongs to none.
    pub belongs: Result<Target, Lost>,
    /// Whether the marker is in the declaration's documentation.
    pub is_documentation: bool,
    /// The number of the declaration. The package has the number 0.
    pub declaration: usize,
}

/// Comments on consecutive lines.
struct Group {
    span: Range<usize>,
    last_row: usize,
    /// Whether the group starts on the same line as the code before it.
    is_behind: bool,
    markers: Vec<Range<usize>>,
    /// The number of the group's first marker.
    first: usize,
}

/// The kind of a `go/ast` node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    /// A single `type X …`, not in parentheses.
    OneType,
    /// Several declarations in parentheses, or one of another kind.
    Several,
    TypeSpec,
    Field,
    /// A node that has documentation but takes no markers: a function, a constant or an import.
    Documented,
    Other,
}

/// The comments and types of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Comments {
    /// The markers, in file order.
    pub markers: Vec<Written>,
    /// All `//` comments as byte ranges, in file order.
    pub lines: Vec<Range<usize>>,
    /// The start of each declaration to which markers may belong. The first one has the number 1.
    pub declarations: Vec<usize>,
    /// The documentation of each declaration in `declarations`: the comments right above it.
    pub documentation: Vec<Option<Range<usize>>>,
    /// The types that the file declares.
    pub types: Arc<Types>,
    /// The first part of the file that is not valid Go, if it is outside functions.
    pub invalid: Option<Invalid>,
}

/// Parses the comments of a file. Does not parse its types.
pub(super) fn read(root: Node<'_>, text: &str) -> Comments {
    let mut comments = Vec::new();
    collect(root, 0, &mut comments);
    let is_line = |it: &Range<usize>| text.get(it.clone()).is_some_and(|it| it.starts_with("//"));
    Comments {
        lines: comments.iter().map(Node::byte_range).filter(is_line).collect(),
        ..sorted(root, &comments, text)
    }
}

/// The markers of a file, and the declarations to which they may belong.
fn sorted(root: Node<'_>, comments: &[Node<'_>], text: &str) -> Comments {
    let groups = grouped(comments, text);
    let mut visit = Visit {
        text,
        groups: &groups,
        next: 0,
        behind: None,
        saved: Vec::new(),
        found: vec![None; groups.iter().map(|it| it.markers.len()).sum()],
        declarations: Vec::new(),
        above_type: None,
        documentation: Vec::new(),
    };
    visit.file(root);
    visit.finish()
}

/// Collects the comments inside a node, in file order.
fn collect<'t>(node: Node<'t>, depth: usize, comments: &mut Vec<Node<'t>>) {
    if node.kind() == "comment" {
        comments.push(node);
        return;
    }
    if depth > MAX_DEPTH * 4 || node.named_child_count() == 0 {
        return;
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        collect(child, depth + 1, comments);
    }
}

fn grouped(comments: &[Node<'_>], text: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut previous_end = 0;
    for comment in comments {
        let (start, end) = (comment.start_byte(), comment.end_byte());
        let written = text.get(start..end).unwrap_or_default();
        let row = comment.start_position().row;
        let last_row = row + written.matches('\n').count();
        // A line may have very many comments, so look only at the text since the previous comment.
        let begin_of_line = start - comment.start_position().column;
        let is_alone = previous_end <= begin_of_line;
        let is_first = is_alone && text[begin_of_line..start].trim_start().is_empty();
        previous_end = end;
        let marker = marker(written).map(|it| start + it.start..start + it.end);
        if let Some(group) = groups.last_mut()
            && text[group.span.end..start].trim_start().is_empty()
            && row <= group.last_row + usize::from(!group.is_behind)
        {
            group.span.end = end;
            group.last_row = last_row;
            group.markers.extend(marker);
            continue;
        }
        let first = groups.last().map_or(0, |it| it.first + it.markers.len());
        groups.push(Group {
            span: start..end,
            last_row,
            is_behind: !is_first,
            markers: marker.into_iter().collect(),
            first,
        });
    }
    groups
}

/// The range of the marker in a comment: `// +name`.
fn marker(comment: &str) -> Option<Range<usize>> {
    let inside = comment.strip_prefix("//")?;
    let trimmed = inside.trim_start();
    if !trimmed.starts_with('+') {
        return None;
    }
    let begin = comment.len() - trimmed.len();
    Some(begin..begin + trimmed.trim_end().len())
}

struct Visit<'a> {
    text: &'a str,
    groups: &'a [Group],
    /// The first group that is not assigned to a declaration yet.
    next: usize,
    /// The group that follows the last declaration on the same line.
    behind: Option<usize>,
    /// The groups above the keyword `type` that belong to the type after it. `true` means that the group is documentation.
    saved: Vec<(usize, bool)>,
    /// The results for the markers so far.
    found: Vec<Option<Written>>,
    /// The start of each declaration to which markers may belong.
    declarations: Vec<usize>,
    /// The group right above the keyword `type`, for the type after it.
    above_type: Option<usize>,
    /// The group right above each declaration.
    documentation: Vec<Option<usize>>,
}

/// The comment groups attached to a node.
#[derive(Clone, Copy, Default)]
struct Attached {
    documentation: Option<usize>,
    behind: Option<usize>,
}

impl Visit<'_> {
    fn file(&mut self, root: Node<'_>) {
        let children = children(root);
        let package = children.iter().find(|it| it.kind() == "package_clause");
        let start = package.map_or(root.start_byte(), Node::start_byte);
        let documentation = self.documentation_of(start);
        self.enter(
            Kind::File,
            start,
            Attached {
                documentation,
                behind: None,
            },
            true,
        );
        if let Some(package) = package {
            for name in self::children(*package).iter().filter(|it| it.is_named()) {
                self.leaf(*name, true);
            }
        }
        for node in children {
            match node.kind() {
                "import_declaration" | "const_declaration" | "var_declaration" | "type_declaration" => {
                    self.declarations(node);
                }
                "function_declaration" | "method_declaration" => {
                    let documentation = self.documentation_of(node.start_byte());
                    self.enter(
                        Kind::Documented,
                        node.start_byte(),
                        Attached {
                            documentation,
                            behind: None,
                        },
                        true,
                    );
                    // Functions may contain declarations of types.
                    for part in parts(node) {
                        self.inside(part, 0);
                    }
                    self.leave(node);
                }
                _ => {}
            }
        }
        // Comments that are left belong to the package.
        for group in self.next..self.groups.len() {
            self.take(group, Ok(Target::Package), false, 0);
        }
    }

    /// Visits an `import`, `const`, `var` or `type` declaration.
    fn declarations(&mut self, node: Node<'_>) {
        let is_type = node.kind() == "type_declaration";
        let inner: Vec<Node<'_>> = children(node);
        let is_group = inner.iter().any(|it| it.kind() == "(" || it.kind().ends_with("_list"));
        let documentation = self.documentation_of(node.start_byte());
        let kind = if is_type && !is_group {
            Kind::OneType
        } else {
            Kind::Several
        };
        self.enter(
            kind,
            node.start_byte(),
            Attached {
                documentation,
                behind: None,
            },
            true,
        );
        for spec in inner {
            match spec.kind() {
                "type_spec" | "type_alias" => {
                    let documentation = if is_group {
                        self.documentation_of(spec.start_byte())
                    } else {
                        None
                    };
                    let behind = self.behind(spec.end_byte());
                    self.enter(
                        Kind::TypeSpec,
                        spec.start_byte(),
                        Attached { documentation, behind },
                        false,
                    );
                    for part in parts(spec) {
                        self.inside(part, 0);
                    }
                    self.comment(behind);
                    self.leave(spec);
                }
                _ => self.spec(spec, is_group),
            }
        }
        self.leave(node);
    }

    /// Visits a constant, a variable or an import, or a list of them.
    fn spec(&mut self, node: Node<'_>, is_group: bool) {
        if node.kind().ends_with("_list") {
            for below in children(node) {
                self.spec(below, is_group);
            }
        } else if node.is_named() && node.kind() != "comment" {
            let documentation = if is_group {
                self.documentation_of(node.start_byte())
            } else {
                None
            };
            let behind = self.behind(node.end_byte());
            self.enter(
                Kind::Documented,
                node.start_byte(),
                Attached { documentation, behind },
                false,
            );
            self.leaf(node, false);
            self.comment(behind);
            self.leave(node);
        }
    }

    /// Visits the comment at the end of a declaration. It comes after all other parts of the declaration.
    fn comment(&mut self, group: Option<usize>) {
        let Some(group) = group.filter(|it| *it >= self.next) else {
            return;
        };
        let span = self.groups[group].span.clone();
        self.enter(Kind::Other, span.start, Attached::default(), false);
        while self.next < self.groups.len() && self.groups[self.next].span.start < span.end {
            self.take(self.next, Err(Lost::Behind), false, 0);
            self.next += 1;
        }
    }

    /// Visits the fields of all structs inside a type.
    fn inside(&mut self, node: Node<'_>, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        if node.kind() == "field_declaration" {
            let documentation = self.documentation_of(node.start_byte());
            let behind = self.behind(node.end_byte());
            self.enter(
                Kind::Field,
                node.start_byte(),
                Attached { documentation, behind },
                false,
            );
            for part in parts(node) {
                self.inside(part, depth + 1);
            }
            self.comment(behind);
            self.leave(node);
            return;
        }
        self.enter(Kind::Other, node.start_byte(), Attached::default(), false);
        for part in parts(node) {
            self.inside(part, depth + 1);
        }
        self.leave(node);
    }

    fn leaf(&mut self, node: Node<'_>, is_of_file: bool) {
        self.enter(Kind::Other, node.start_byte(), Attached::default(), is_of_file);
        self.leave(node);
    }

    /// The group that ends right above a position.
    fn documentation_of(&self, start: usize) -> Option<usize> {
        let at = self.groups.partition_point(|it| it.span.end <= start).checked_sub(1)?;
        let group = &self.groups[at];
        let between = self.text.get(group.span.end..start)?;
        let is_above = between.trim_start().is_empty() && between.matches('\n').count() == 1 && !group.is_behind;
        is_above.then_some(at)
    }

    /// The group that follows a position on the same line.
    fn behind(&self, end: usize) -> Option<usize> {
        let at = self.groups.partition_point(|it| it.span.start < end);
        let group = self.groups.get(at)?;
        let between = self.text.get(end..group.span.start)?;
        if !between.trim_start_matches([' ', '\t', '\r', ';']).is_empty() {
            return None;
        }
        // The group must be the last text on its line.
        let is_blank = |it: char| it != '\n' && it.is_whitespace();
        let rest = self.text[group.span.end..].trim_start_matches(is_blank);
        (rest.is_empty() || rest.starts_with('\n')).then_some(at)
    }

    /// Enters a node. `is_of_file` means that it is a top-level declaration.
    fn enter(&mut self, kind: Kind, start: usize, comments: Attached, is_of_file: bool) {
        if self.behind == Some(self.next) && self.next < self.groups.len() {
            self.take(self.next, Err(Lost::Behind), false, 0);
            self.next += 1;
        }
        let mut above = None;
        let mut documentation = Vec::new();
        if self.next < self.groups.len() {
            let end = self.next.max(self.groups.partition_point(|it| it.span.start < start));
            self.behind = comments.behind;
            // Either of the two groups may already be assigned.
            let last = end as isize - 1;
            let is_documented = comments.documentation.is_some_and(|it| it as isize == last);
            let nearest = last - isize::from(is_documented);
            if nearest >= self.next as isize {
                let nearest = nearest as usize;
                for group in self.next..nearest {
                    let belongs = if is_of_file {
                        Ok(Target::Package)
                    } else {
                        Err(Lost::Detached)
                    };
                    self.take(group, belongs, false, 0);
                }
                above = Some(nearest);
                documentation.extend(nearest + 1..end);
            } else {
                documentation.extend((nearest + 1).max(0) as usize..end);
            }
            self.next = end;
        }
        if kind == Kind::OneType {
            self.above_type = comments.documentation;
        }
        if matches!(kind, Kind::TypeSpec | Kind::Field) {
            let above_type = self.above_type.take();
            self.declarations.push(start);
            self.documentation.push(comments.documentation.or(above_type));
        }
        self.give(kind, above, &documentation, is_of_file);
    }

    /// Assigns the groups above a node to the node's declaration.
    fn give(&mut self, kind: Kind, above: Option<usize>, documentation: &[usize], is_of_file: bool) {
        match kind {
            Kind::File => {
                for group in above.iter().chain(documentation) {
                    self.take(*group, Ok(Target::Package), false, 0);
                }
            }
            Kind::OneType => {
                self.saved.extend(above.map(|it| (it, false)));
                self.saved.extend(documentation.iter().map(|it| (*it, true)));
            }
            Kind::TypeSpec | Kind::Field => {
                let target = if kind == Kind::Field {
                    Target::Field
                } else {
                    Target::Type
                };
                let saved = if kind == Kind::TypeSpec {
                    std::mem::take(&mut self.saved)
                } else {
                    Vec::new()
                };
                let own = above
                    .map(|it| (it, false))
                    .into_iter()
                    .chain(documentation.iter().map(|it| (*it, true)));
                for (group, is_documentation) in saved.into_iter().chain(own.collect::<Vec<_>>()) {
                    self.take(group, Ok(target), is_documentation, self.declarations.len());
                }
            }
            Kind::Several | Kind::Documented | Kind::Other => {
                if let Some(group) = above {
                    let is_packages = is_of_file || kind == Kind::Several;
                    self.take(
                        group,
                        if is_packages {
                            Ok(Target::Package)
                        } else {
                            Err(Lost::Detached)
                        },
                        false,
                        0,
                    );
                }
                for group in documentation {
                    self.take(*group, Err(Lost::Documentation), false, 0);
                }
            }
        }
    }

    /// Leaves a node. The groups inside it that are still not assigned belong to no declaration.
    fn leave(&mut self, node: Node<'_>) {
        while self.next < self.groups.len() && self.groups[self.next].span.start < node.end_byte() {
            self.take(self.next, Err(Lost::Inside), false, 0);
            self.next += 1;
        }
    }

    fn take(&mut self, group: usize, belongs: Result<Target, Lost>, is_documentation: bool, declaration: usize) {
        let group = &self.groups[group];
        for (n, span) in group.markers.iter().enumerate() {
            self.found[group.first + n].get_or_insert(Written {
                span: span.clone(),
                belongs,
                is_documentation,
                declaration,
            });
        }
    }

    fn finish(self) -> Comments {
        let span_of = |group: Option<usize>| Some(self.groups[group?].span.clone());
        Comments {
            markers: self.found.into_iter().flatten().collect(),
            declarations: self.declarations,
            documentation: self.documentation.into_iter().map(span_of).collect(),
            ..Comments::default()
        }
    }
}

/// The children of a node, without punctuation and comments.
fn parts(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    children(node)
        .into_iter()
        .filter(|it| it.is_named() && it.kind() != "comment")
}
