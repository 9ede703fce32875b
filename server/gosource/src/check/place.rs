//! The context of a position in a Go file: the marker there, and the kinds of declarations to which it can belong.

use tree_sitter::{Node, Tree};

use super::{
    catalog,
    comments::{Comments, Lost, Target, Written},
    parts::Parts,
    read_tree,
};
use crate::read::parsed;

/// A position inside a marker.
#[derive(Clone, Debug)]
pub struct Place {
    /// The marker as written.
    pub marker: Written,
    /// The parts of the marker, including blanks up to the position.
    pub parts: Parts,
    /// The end of the marker, including blanks up to the position.
    pub end: usize,
    /// The kinds of declarations to which a marker at this position can belong.
    pub targets: Vec<Target>,
    /// The comments and types of the file.
    pub comments: Comments,
    /// The names of the other markers of the same declaration.
    pub beside: Vec<&'static str>,
}

/// Whether a position may be inside a marker. Looks only at the line of the position.
pub fn may_be_at(text: &str, offset: usize) -> bool {
    let line = text.get(..offset).and_then(|it| it.rsplit('\n').next());
    line.and_then(|it| it.split_once("//"))
        .is_some_and(|it| it.1.contains('+'))
}

/// Whether a position may be inside a struct tag with a JSON name. Looks only at the line of the position.
pub fn may_be_in_tag(text: &str, offset: usize) -> bool {
    let line = text.get(..offset).and_then(|it| it.rsplit('\n').next());
    line.and_then(|it| it.split_once('`'))
        .is_some_and(|it| it.1.contains("json:\""))
}

/// The marker that contains a position after its plus sign. If the line cannot have a marker, does not parse the file.
pub fn at(text: &str, offset: usize) -> Option<Place> {
    if !may_be_at(text, offset) {
        return None;
    }
    let tree = parsed(text)?;
    let comments = read_tree(&tree, text);
    let number = comments
        .markers
        .partition_point(|it| it.span.start < offset)
        .checked_sub(1)?;
    let marker = comments.markers.get(number)?.clone();
    let end = marker.span.end.max(offset);
    let is_blank = |it: &str| it.chars().all(|it| matches!(it, ' ' | '\t'));
    if !text.get(marker.span.end..end).is_some_and(is_blank) {
        return None;
    }
    let is_beside = |it: &&Written| it.declaration == marker.declaration && it.declaration != 0 && **it != marker;
    let beside = comments.markers.iter().filter(is_beside);
    let beside = beside.filter_map(|it| Some(Parts::of(text, it, it.span.end).definition?.name));
    Some(Place {
        targets: targets(&tree, text, &marker),
        parts: Parts::of(text, &marker, end),
        beside: beside.collect(),
        comments,
        end,
        marker,
    })
}

fn targets(tree: &Tree, text: &str, marker: &Written) -> Vec<Target> {
    match marker.belongs {
        Ok(Target::Type) if !marker.is_documentation => vec![Target::Type, Target::Package],
        // The user may not have written the type yet.
        Ok(Target::Package) if is_last(text, marker) => vec![Target::Package, Target::Type],
        Ok(target) => vec![target],
        // The user may not have written the field yet.
        Err(Lost::Inside) if is_in_struct(tree, marker) => vec![Target::Field],
        Err(_) => Vec::new(),
    }
}

/// Whether only comments follow the marker.
fn is_last(text: &str, marker: &Written) -> bool {
    let mut lines = text[marker.span.end..].lines().map(str::trim);
    lines.all(|it| it.is_empty() || it.starts_with("//"))
}

fn is_in_struct(tree: &Tree, marker: &Written) -> bool {
    let start = marker.span.start;
    let comment = tree.root_node().descendant_for_byte_range(start, start);
    let around = comment.as_ref().and_then(Node::parent);
    around.is_some_and(|it| it.kind() == "field_declaration_list")
}

impl Place {
    /// Whether the declaration may have the marker in addition to those that it has.
    pub fn takes(&self, definition: &catalog::Definition) -> bool {
        let is_free = || super::is_repeatable(definition.name) || !self.beside.contains(&definition.name);
        self.targets.contains(&definition.target) && is_free()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the kinds of declarations to which a marker at `|` can belong.
    #[track_caller]
    fn check(marked: &str, expected: Option<&[Target]>) {
        let offset = marked.find('|').expect("a place");
        let text = marked.replacen('|', "", 1);
        let found = at(&text, offset).map(|it| it.targets);
        assert_eq!(found.as_deref(), expected, "{marked}");
    }

    #[test]
    fn a_place_says_what_a_marker_can_belong_to() {
        use Target::{Field, Package, Type};
        check("package v1\n\ntype A struct {\n\t// +|\n\tB int\n}\n", Some(&[Field]));
        check(
            "package v1\n\ntype A struct {\n\tB int\n\n\t// +opt|\n}\n",
            Some(&[Field]),
        );
        check("package v1\n\n// A is one.\n// +|\ntype A struct{}\n", Some(&[Type]));
        check(
            "package v1\n\n// +|\n\n// A is one.\ntype A struct{}\n",
            Some(&[Type, Package]),
        );
        check("// +|\npackage v1\n", Some(&[Package]));
        check("package v1\n\n// +kube|\n", Some(&[Package, Type]));
        check("package v1\n\n// F does.\n// +|\nfunc F() {}\n", Some(&[]));
        check("package v1\n\nfunc F() {\n\t// +|\n}\n", Some(&[]));
        check("package v1\n\ntype A struct {\n\tB int // +|\n}\n", Some(&[]));
    }

    #[test]
    fn elsewhere_is_no_marker() {
        for marked in [
            "package v1|\n",
            "package v1\n\n// A + b|\ntype A struct{}\n",
            "package v1\n\nvar a = \"// +opt|\"\n",
            "package v1\n\nvar a = 1 // 2\nvar b = 1 +| 2\n",
            "package v1\n\n// |+optional\ntype A struct{}\n",
            "package v1\n\n// +optional\n|type A struct{}\n",
            "package v1\n\n/* // +opt| */\ntype A struct{}\n",
            "|",
            "// +optional é|",
        ] {
            let is_of_text = marked == "// +optional é|";
            let offset = marked.find('|').expect("a place");
            let found = at(&marked.replacen('|', "", 1), offset);
            assert_eq!(found.is_some(), is_of_text, "{marked}");
        }
    }

    #[test]
    fn markers_beside_are_known() {
        let text = "package v1\n\ntype A struct {\n\t// +optional\n\t// +kubebuilder:default=1\n\t// +\n\tB int\n}\n";
        let place = at(text, text.find("// +\n").expect("it") + 4).expect("a place");
        assert_eq!(place.beside, ["optional", "kubebuilder:default"]);
        let definition = |name: &str| &catalog::definitions(name)[0];
        assert!(!place.takes(definition("optional")) && place.takes(definition("nullable")));
        assert!(!place.takes(definition("groupName")));
    }
}
