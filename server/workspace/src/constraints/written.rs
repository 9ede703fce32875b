//! Finds the constraints in the text of a CRD, and which of them were edited.

use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use crd_analyzer_syntax::tree::{NodeId, NodeKind, Span, Tree};

use crate::documents::spans;

/// A rule, or a keyword of a schema that rejects values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// The span to which errors of resources refer.
    pub span: Span,
    /// The span of the whole constraint: the keyword with its value, or the text of the rule, where its other lenses are.
    pub whole: Span,
    /// The name of the constraint in a sentence: `this rule`, or the keyword in backquotes.
    pub name: String,
    /// Whether authors use the constraint to reject values. If such a constraint is edited, its effect is shown even if no object fails it.
    pub is_limit: bool,
    /// Hashes of the path to the constraint, and of its value.
    says: (u64, u64),
}

/// The constraints of a CRD, in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The constraints.
    pub constraints: Vec<Constraint>,
}

/// The keywords that reject values, each with the value for [`Constraint::is_limit`].
const KEYWORDS: [(&str, bool); 20] = [
    ("additionalProperties", false),
    ("allOf", false),
    ("anyOf", false),
    ("enum", true),
    ("format", true),
    ("maxItems", true),
    ("maxLength", true),
    ("maxProperties", true),
    ("maximum", true),
    ("minItems", true),
    ("minLength", true),
    ("minProperties", true),
    ("minimum", true),
    ("multipleOf", true),
    ("not", false),
    ("oneOf", false),
    ("pattern", true),
    ("required", true),
    ("type", false),
    ("x-kubernetes-list-type", false),
];

/// The formats that controller-gen writes for the types of numbers. Authors do not write them to reject values.
const OF_NUMBERS: [&str; 4] = ["int32", "int64", "float", "double"];

/// The keyword with a list of rules.
const RULES: &str = "x-kubernetes-validations";

/// The role of a node within a schema.
#[derive(Clone, Copy)]
enum Part {
    Schema,
    /// A map of schemas by name.
    Named,
    /// A list of schemas.
    Schemas,
    Rules,
}

impl Written {
    /// The constraints of the CRD at a node. If an alias refers to a schema, its constraints are those at the place where the schema is written.
    pub fn of(tree: &Tree, crd: NodeId) -> Self {
        let said = said(tree);
        let mut found = Vec::new();
        let mut work: Vec<(NodeId, Part, u64)> = roots(tree, crd);
        while let Some((node, part, at)) = work.pop() {
            match part {
                Part::Schema => of_schema(tree, (node, at), &said, &mut found, &mut work),
                Part::Named => work.extend(tree.entries(node).map(|it| {
                    let at = below(at, &tree.scalar(it.key));
                    (it.value, Part::Schema, at)
                })),
                // The order of the schemas does not matter, so they all have the same path.
                Part::Schemas => work.extend(tree.items(node).map(|it| (it, Part::Schema, at))),
                Part::Rules => {
                    let rules = tree.items(node).map(|it| tree.resolve(it));
                    let rules = rules.filter_map(|it| Some((it, tree.get(it, "rule")?)));
                    found.extend(rules.map(|(item, rule)| Constraint {
                        span: spans::spot(tree, None, item),
                        whole: tree.span(rule),
                        name: "this rule".to_owned(),
                        is_limit: true,
                        says: (at, said[&rule]),
                    }));
                }
            }
        }
        found.sort_by_key(|it| it.span.start);
        // Several aliases of one scalar have the same span.
        found.dedup_by_key(|it| it.span);
        Self { constraints: found }
    }

    /// For each constraint, in order, whether it is a limit that is new or has a different value than before.
    pub fn edited_since(&self, before: &Self) -> Vec<bool> {
        let before: HashSet<_> = before.constraints.iter().map(|it| it.says).collect();
        let all = self.constraints.iter();
        all.map(|it| it.is_limit && !before.contains(&it.says)).collect()
    }
}

/// The schemas of a CRD's versions, and the schema that all versions share, if any.
fn roots(tree: &Tree, crd: NodeId) -> Vec<(NodeId, Part, u64)> {
    let child = |node: NodeId, key: &str| tree.get(node, key);
    let Some(spec) = child(crd, "spec") else {
        return Vec::new();
    };
    let shared = child(spec, "validation").and_then(|it| child(it, "openAPIV3Schema"));
    let mut found: Vec<_> = shared.map(|it| (it, Part::Schema, 0)).into_iter().collect();
    let versions = child(spec, "versions").into_iter().flat_map(|it| tree.items(it));
    for version in versions {
        let name = child(version, "name").map(|it| tree.scalar(it)).unwrap_or_default();
        let schema = child(version, "schema").and_then(|it| child(it, "openAPIV3Schema"));
        found.extend(schema.map(|it| (it, Part::Schema, below(1, &name))));
    }
    found
}

fn of_schema(
    tree: &Tree,
    (schema, at): (NodeId, u64),
    said: &HashMap<NodeId, u64>,
    found: &mut Vec<Constraint>,
    work: &mut Vec<(NodeId, Part, u64)>,
) {
    for entry in tree.entries(schema) {
        let keyword = tree.scalar(entry.key);
        let at = below(at, &keyword);
        if let Some((keyword, is_limit)) = KEYWORDS.iter().find(|it| it.0 == keyword) {
            found.push(Constraint {
                span: spans::spot(tree, Some(entry.key), tree.resolve(entry.value)),
                whole: tree.span(entry.key).join(tree.span(entry.value)),
                name: format!("`{keyword}`"),
                is_limit: *is_limit && !OF_NUMBERS.contains(&&*tree.scalar(entry.value)),
                says: (at, said[&entry.value]),
            });
        }
        let part = match &*keyword {
            "properties" | "patternProperties" | "definitions" => Part::Named,
            "allOf" | "anyOf" | "oneOf" => Part::Schemas,
            "items" | "additionalProperties" | "not" => Part::Schema,
            RULES => Part::Rules,
            _ => continue,
        };
        work.push((entry.value, part, at));
    }
}

/// A hash of the path to a key, from the hash of the path of its parent.
fn below(at: u64, key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (at, key).hash(&mut hasher);
    hasher.finish()
}

/// A hash of each node's value, which does not depend on the style in which it is written. Visits children before parents.
fn said(tree: &Tree) -> HashMap<NodeId, u64> {
    let mut said = HashMap::with_capacity(tree.len());
    for node in tree.nodes().rev() {
        let mut hasher = DefaultHasher::new();
        match tree.kind(node) {
            NodeKind::Scalar(_) => tree.scalar(node).hash(&mut hasher),
            NodeKind::Alias => tree.source(node).hash(&mut hasher),
            NodeKind::Mapping(_) | NodeKind::Sequence(_) | NodeKind::Error => {
                for child in tree.children(node) {
                    said.get(&child).hash(&mut hasher);
                }
            }
        }
        said.insert(node, hasher.finish());
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::revision::Revision;

    const CRD: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        x-kubernetes-validations:
        - message: small
          rule: self.a < 3
        properties:
          spec: {allOf: [{minLength: 1}], items: {enum: [a, b]}, additionalProperties: &m {maximum: 3}, not: *m}
";

    fn written(text: &str) -> Written {
        let revision = Revision::new("", text.as_bytes());
        let (tree, node) = revision.crd("widgets.example.com").expect("a CRD");
        Written::of(tree, node)
    }

    /// Checks the names of the limits that differ between two texts.
    #[track_caller]
    fn check(before: &str, text: &str, expected: &[&str]) {
        let written = written(text);
        let edited = written.edited_since(&self::written(before));
        let all = written.constraints.iter().zip(edited).filter(|it| it.1);
        assert_eq!(all.map(|it| it.0.name.as_str()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn constraints_stand_where_errors_point_to() {
        let found = written(CRD);
        let found: Vec<_> = found
            .constraints
            .iter()
            .map(|it| (it.name.as_str(), &CRD[it.span.range()]))
            .collect();
        let expected = [
            ("`type`", "object"),
            ("`required`", "required"),
            ("this rule", "message: small"),
            ("`allOf`", "allOf"),
            ("`minLength`", "1"),
            ("`enum`", "enum"),
            ("`additionalProperties`", "additionalProperties"),
            ("`maximum`", "3"),
            ("`not`", "not"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn only_limits_that_say_something_else_are_edited() {
        check(CRD, CRD, &[]);
        check(CRD, &CRD.replace("[a, b]", "[ 'a', \"b\" ]"), &[]);
        check(CRD, &CRD.replace("message: small", "message: large"), &[]);
        check(CRD, &CRD.replace("[a, b]", "[a]"), &["`enum`"]);
        check(CRD, &CRD.replace("< 3", "< 4"), &["this rule"]);
        check(CRD, &CRD.replace("maximum: 3", "maximum: 4"), &["`maximum`"]);
        check(CRD, &CRD.replace("type: object", "type: string"), &[]);
        check(CRD, &CRD.replace("maximum: 3", "maximum: 3, format: int32"), &[]);
        check(
            CRD,
            &CRD.replace("maximum: 3", "maximum: 3, format: date"),
            &["`format`"],
        );
        let first = "        x-kubernetes-validations:\n";
        let another = CRD.replace(first, &format!("{first}        - rule: self.b > 1\n"));
        check(CRD, &another, &["this rule"]);
        check(&another, CRD, &[]);
        let all = ["`required`", "this rule", "`minLength`", "`enum`", "`maximum`"];
        check(CRD, &CRD.replace("name: v1", "name: v2"), &all);
    }
}
