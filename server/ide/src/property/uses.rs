//! Finds all uses of a property.

use std::ops::Range;

use crd_analyzer_cel::{parser::TokenClass, types::escape};
use crd_analyzer_schema::{
    KubernetesVersion,
    rules::{Part as RulePart, SchemaStep},
};
use crd_analyzer_syntax::tree::{NodeId, Tree};

use super::{
    Form, Target, Use, UseKind,
    json_path::{self, Part},
};
use crate::{
    cel::{CelScalar, Expression, Meaning, RULES, scalars_of},
    file::Document,
    schema::{self, Version, child, follow, is_mapping},
};

/// The uses of a property in a CRD.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Uses {
    /// The uses in the order of the text.
    pub all: Vec<Use>,
    /// Whether all rules were searched. False if some were skipped because that would take too long.
    pub is_complete: bool,
}

/// The limit for type-checking rules when searching for one property, in bytes of schemas and expressions.
const MAX_TYPED: usize = 64 << 20;

/// The cost of type-checking one expression, in addition to its length, in the unit of [`MAX_TYPED`].
const EXPRESSION: usize = 16 << 10;

/// All uses of a property in a CRD, in all versions that have it.
pub fn uses(document: &Document<'_>, target: &Target, version: KubernetesVersion) -> Uses {
    uses_in(document, target, version, &|_| true)
}

/// All uses of a property in those versions of a CRD that have it and whose name `is_wanted` accepts.
pub fn uses_in(
    document: &Document<'_>,
    target: &Target,
    version: KubernetesVersion,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Uses {
    let tree = document.tree;
    let mut found = Vec::new();
    let mut left = Effort::new();
    for one in schema::versions(document) {
        let Some(root) = one.schema else { continue };
        if !is_wanted(&one.name) || !declares(tree, root, target) {
            continue;
        }
        Search {
            document,
            tree,
            root,
            target,
            version,
            left: &mut left,
            found: &mut found,
        }
        .all(&one);
    }
    found.sort_by_key(|it| (it.scalar, it.bytes.start));
    // Versions may share text by aliases, so the same use may be found more than once.
    found.dedup();
    Uses {
        all: found,
        is_complete: !left.is_spent,
    }
}

/// The remaining effort, which starts at [`MAX_TYPED`].
struct Effort {
    left: usize,
    /// Whether expressions were skipped because the limit was reached.
    is_spent: bool,
    /// The schema that was type-checked last. Its other rules have the same types and cost less.
    typed: Option<NodeId>,
}

impl Effort {
    fn new() -> Self {
        Self {
            left: MAX_TYPED,
            is_spent: false,
            typed: None,
        }
    }

    /// Whether an expression may be type-checked.
    fn allows(&mut self, tree: &Tree, scalar: CelScalar) -> bool {
        let mut effort = EXPRESSION + 16 * tree.source(scalar.scalar).len();
        let schema = scalar.rule.map(|it| it.schema);
        if let Some(schema) = schema.filter(|it| self.typed != Some(*it)) {
            effort += tree.source(schema).len();
        }
        let rest = self.left.checked_sub(effort);
        self.is_spent |= rest.is_none();
        if let Some(rest) = rest {
            self.left = rest;
            self.typed = schema;
        }
        rest.is_some()
    }
}

/// The expressions of schemas above a property that read the property, innermost first, each with the syntax of the name.
pub fn rules_that_read<'d>(
    document: &Document<'d>,
    root: NodeId,
    target: &Target,
    version: KubernetesVersion,
) -> Vec<Expression<'d>> {
    let tree = document.tree;
    let mut found = Vec::new();
    let mut left = Effort::new();
    for length in (0..=target.object.len()).rev() {
        let above = &target.object[..length];
        let Some(node) = follow(tree, root, above) else {
            continue;
        };
        for scalar in scalars_of(tree, node.schema) {
            if scalar.rule.is_some_and(|it| it.part == RulePart::Rule)
                && let Some((expression, tokens)) = reads(document, scalar, above, target, version, &mut left)
                && !tokens.is_empty()
            {
                found.push(expression);
            }
        }
    }
    found
}

/// Whether a schema has the property, either directly or in `allOf`, `anyOf`, `oneOf` or `not`.
fn declares(tree: &Tree, root: NodeId, target: &Target) -> bool {
    let schemas = schemas_at(tree, root, &target.object);
    schemas
        .into_iter()
        .any(|it| child(tree, it, "properties").is_some_and(|it| schema::entry(tree, it, &target.name).is_some()))
}

/// The maximum depth of schemas to search. The API server accepts no CRD with deeper schemas.
const MAX_DEPTH: usize = 500;

/// The maximum number of schemas, or of values in a resource, to visit for one property. Nested aliases can expand to more of them than any text
/// contains.
const MAX_VISITED: usize = 2_000_000;

/// All schemas that describe the values at a path, including those in `allOf`, `anyOf`, `oneOf` and `not`.
fn schemas_at(tree: &Tree, root: NodeId, steps: &[SchemaStep]) -> Vec<NodeId> {
    let mut found = Vec::new();
    collect(tree, root, steps, 0, &mut MAX_VISITED.clone(), &mut found);
    found
}

fn collect(tree: &Tree, node: NodeId, steps: &[SchemaStep], depth: usize, left: &mut usize, found: &mut Vec<NodeId>) {
    let node = tree.resolve(node);
    if depth > MAX_DEPTH || *left == 0 || !is_mapping(tree, node) {
        return;
    }
    *left -= 1;
    match steps.split_first() {
        None => found.push(node),
        Some((first, rest)) => {
            if let Some(next) = follow(tree, node, std::slice::from_ref(first)) {
                collect(tree, next.schema, rest, depth + 1, left, found);
            }
        }
    }
    for junctor in ["allOf", "anyOf", "oneOf"] {
        for clause in child(tree, node, junctor).into_iter().flat_map(|it| tree.items(it)) {
            collect(tree, clause, steps, depth + 1, left, found);
        }
    }
    if let Some(clause) = child(tree, node, "not") {
        collect(tree, clause, steps, depth + 1, left, found);
    }
}

struct Search<'a, 'd> {
    document: &'a Document<'d>,
    tree: &'d Tree,
    root: NodeId,
    target: &'a Target,
    version: KubernetesVersion,
    left: &'a mut Effort,
    found: &'a mut Vec<Use>,
}

impl Search<'_, '_> {
    fn all(&mut self, version: &Version<'_>) {
        self.declarations();
        self.rules();
        self.values();
        for path in names_of(self.tree, version) {
            self.path(path.scalar, path.kind, &[]);
        }
    }

    fn whole(&mut self, kind: UseKind, scalar: NodeId) {
        let length = self.tree.scalar(scalar).len();
        self.found.push(Use {
            kind,
            scalar,
            bytes: 0..length,
            form: Form::Name,
        });
    }

    /// Finds uses in `properties`, `required` and `x-kubernetes-list-map-keys`.
    fn declarations(&mut self) {
        let tree = self.tree;
        for schema in schemas_at(tree, self.root, &self.target.object) {
            if let Some(properties) = child(tree, schema, "properties")
                && let Some(entry) = schema::entry(tree, properties, &self.target.name)
            {
                self.whole(UseKind::Declaration, entry.key);
            }
            self.items(schema, "required", UseKind::Required);
        }
        if let Some((SchemaStep::Items, list)) = self.target.object.split_last() {
            for schema in schemas_at(tree, self.root, list) {
                self.items(schema, "x-kubernetes-list-map-keys", UseKind::ListMapKey);
            }
        }
    }

    fn items(&mut self, schema: NodeId, keyword: &str, kind: UseKind) {
        let tree = self.tree;
        for item in child(tree, schema, keyword).into_iter().flat_map(|it| tree.items(it)) {
            let item = tree.resolve(item);
            if tree.is_scalar(item) && tree.scalar(item) == self.target.name {
                self.whole(kind, item);
            }
        }
    }

    /// Finds uses in the rules of the schemas above, and in the `fieldPath` of these rules.
    fn rules(&mut self) {
        let tree = self.tree;
        for length in 0..=self.target.object.len() {
            let above = &self.target.object[..length];
            let Some(node) = follow(tree, self.root, above) else {
                break;
            };
            for scalar in scalars_of(tree, node.schema) {
                let Some((expression, tokens)) =
                    reads(self.document, scalar, above, self.target, self.version, self.left)
                else {
                    continue;
                };
                let kind = match scalar.rule.map(|it| it.part) {
                    Some(RulePart::MessageExpression) => UseKind::MessageExpression,
                    _ => UseKind::Rule,
                };
                for token in tokens {
                    let it = expression.tokens[token];
                    self.found.push(Use {
                        kind,
                        scalar: scalar.scalar,
                        bytes: it.start as usize..it.end as usize,
                        form: Form::Cel,
                    });
                }
            }
            let rules = child(tree, node.schema, RULES);
            for rule in rules.into_iter().flat_map(|it| tree.items(it)) {
                if let Some(path) = child(tree, rule, "fieldPath") {
                    self.path(path, UseKind::FieldPath, above);
                }
            }
        }
    }

    /// Finds uses in a path that starts at the values at `base`.
    fn path(&mut self, scalar: NodeId, kind: UseKind, base: &[SchemaStep]) {
        let text = self.tree.scalar(scalar);
        if !text.contains(self.target.name.split(['.', '\\']).next().unwrap_or_default()) {
            return;
        }
        let parts = json_path::read(&text);
        let mut names = Vec::new();
        walk_path(
            self.tree,
            self.root,
            base.to_vec(),
            &parts,
            &mut |steps, bytes, form| {
                names.push((steps.to_vec(), bytes, form));
            },
        );
        for (steps, bytes, form) in names {
            if let Some((SchemaStep::Property(name), object)) = steps.split_last()
                && *name == self.target.name
                && *object == *self.target.object
            {
                self.found.push(Use {
                    kind,
                    scalar,
                    bytes,
                    form,
                });
            }
        }
    }

    /// Finds uses in defaults, examples and enums of the schemas above.
    fn values(&mut self) {
        let tree = self.tree;
        for length in 0..=self.target.object.len() {
            let (above, rest) = self.target.object.split_at(length);
            for schema in schemas_at(tree, self.root, above) {
                for keyword in ["default", "example"] {
                    if let Some(value) = child(tree, schema, keyword) {
                        self.keys(value, rest, UseKind::Value);
                    }
                }
                for value in child(tree, schema, "enum").into_iter().flat_map(|it| tree.items(it)) {
                    self.keys(value, rest, UseKind::Value);
                }
            }
        }
    }

    fn keys(&mut self, value: NodeId, steps: &[SchemaStep], kind: UseKind) {
        let mut keys = Vec::new();
        keys_in(
            self.tree,
            value,
            steps,
            &self.target.name,
            &mut MAX_VISITED.clone(),
            &mut keys,
        );
        for key in keys {
            self.whole(kind, key);
        }
    }
}

/// The keys in a resource that name the property, in the order of the text.
pub fn resource_uses(tree: &Tree, resource: NodeId, target: &Target) -> Vec<Use> {
    let mut keys = Vec::new();
    keys_in(
        tree,
        resource,
        &target.object,
        &target.name,
        &mut MAX_VISITED.clone(),
        &mut keys,
    );
    let as_use = |key| Use {
        kind: UseKind::Resource,
        scalar: key,
        bytes: 0..tree.scalar(key).len(),
        form: Form::Name,
    };
    keys.into_iter().map(as_use).collect()
}

/// Finds the keys called `name` in the objects at a path from a value. `left` is the number of values that may still be visited.
fn keys_in(tree: &Tree, value: NodeId, steps: &[SchemaStep], name: &str, left: &mut usize, found: &mut Vec<NodeId>) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    let value = tree.resolve(value);
    match steps.split_first() {
        None => {
            let keys = tree.entries(value).map(|it| it.key);
            found.extend(keys.filter(|it| tree.is_scalar(*it) && tree.scalar(*it) == name));
        }
        Some((SchemaStep::Property(property), rest)) => {
            if let Some(value) = child(tree, value, property) {
                keys_in(tree, value, rest, name, left, found);
            }
        }
        Some((SchemaStep::Items, rest)) => {
            for item in tree.items(value) {
                keys_in(tree, item, rest, name, left, found);
            }
        }
        Some((SchemaStep::Values, rest)) => {
            for entry in tree.entries(value) {
                keys_in(tree, entry.value, rest, name, left, found);
            }
        }
    }
}

/// The tokens of an expression that read the property. `None` if its text shows that no token does, or if type-checking would take too long.
fn reads<'d>(
    document: &Document<'d>,
    scalar: CelScalar,
    above: &[SchemaStep],
    target: &Target,
    version: KubernetesVersion,
    left: &mut Effort,
) -> Option<(Expression<'d>, Vec<usize>)> {
    let escaped = escape(&target.name)?;
    let text = document.tree.scalar(scalar.scalar);
    let is_named = text.contains(&*escaped) || text.contains(&target.name);
    if !is_named || !left.allows(document.tree, scalar) {
        return None;
    }
    let expression = Expression::new(document, scalar, version);
    let is_name = |class| {
        matches!(
            class,
            TokenClass::Identifier | TokenClass::EscapedIdentifier | TokenClass::In
        )
    };
    let is_meant = |token: &usize| {
        let it = expression.tokens[*token];
        let written = it.text(expression.text()).trim_matches('`');
        if !is_name(it.class) || !(written == escaped || written == target.name) {
            return false;
        }
        let Some(Meaning::Field { steps: Some(steps), .. }) = expression.meaning(*token) else {
            return false;
        };
        let whole = above.iter().chain(&steps);
        let last = SchemaStep::Property(target.name.clone());
        whole.eq(target.object.iter().chain([&last]))
    };
    let tokens = (0..expression.tokens.len()).filter(is_meant).collect();
    Some((expression, tokens))
}

/// A path in a version of a CRD. It starts at the root of the resource.
pub(super) struct PathOf {
    pub(super) scalar: NodeId,
    pub(super) kind: UseKind,
}

/// The paths in a version: those of printer columns, selectable fields and the scale subresource.
pub(super) fn names_of(tree: &Tree, version: &Version<'_>) -> Vec<PathOf> {
    let item = tree.resolve(version.item);
    let mut found = Vec::new();
    for (list, kind) in [
        ("additionalPrinterColumns", UseKind::Column),
        ("selectableFields", UseKind::SelectableField),
    ] {
        for one in child(tree, item, list).into_iter().flat_map(|it| tree.items(it)) {
            let scalar = child(tree, one, "jsonPath");
            found.extend(scalar.map(|scalar| PathOf { scalar, kind }));
        }
    }
    let scale = child(tree, item, "subresources").and_then(|it| child(tree, it, "scale"));
    for name in ["specReplicasPath", "statusReplicasPath", "labelSelectorPath"] {
        let scalar = scale.and_then(|it| child(tree, it, name));
        found.extend(scalar.map(|scalar| PathOf {
            scalar,
            kind: UseKind::Scale,
        }));
    }
    found.retain(|it| tree.is_scalar(it.scalar));
    found
}

/// A callback that is called with the steps to a name, the byte range of the name, and its syntax.
type Visit<'v> = dyn FnMut(&[SchemaStep], Range<usize>, Form) + 'v;

/// Follows a path, and calls `visit` for each name in it.
fn walk_path(tree: &Tree, root: NodeId, mut at: Vec<SchemaStep>, parts: &[Part], visit: &mut Visit<'_>) {
    for part in parts {
        let schema = follow(tree, root, &at).map(|it| it.schema);
        let has = |keyword| schema.is_some_and(|it| child(tree, it, keyword).is_some());
        match part {
            Part::Name { name, bytes, form } => {
                if has("properties") || !has("additionalProperties") {
                    at.push(SchemaStep::Property(name.clone()));
                    visit(&at, bytes.clone(), *form);
                } else {
                    at.push(SchemaStep::Values);
                }
            }
            Part::Item if has("items") => at.push(SchemaStep::Items),
            Part::Item => at.push(SchemaStep::Values),
            Part::Filter(paths) => {
                at.push(SchemaStep::Items);
                for path in paths {
                    walk_path(tree, root, at.clone(), path, visit);
                }
            }
        }
    }
}

/// The steps to the name at an offset of a path, and the byte range of that name.
pub(super) fn name_in_path(
    tree: &Tree,
    root: NodeId,
    base: Vec<SchemaStep>,
    parts: &[Part],
    byte: usize,
) -> Option<(Vec<SchemaStep>, Range<usize>)> {
    let mut found = None;
    walk_path(tree, root, base, parts, &mut |steps, bytes, _| {
        if bytes.start <= byte && byte <= bytes.end {
            found = Some((steps.to_vec(), bytes));
        }
    });
    found
}

/// The schema of the values at a path, such as the path of a printer column.
pub fn schema_at_path(tree: &Tree, root: NodeId, path: &str) -> Option<NodeId> {
    let (steps, _) = name_in_path(tree, root, Vec::new(), &json_path::read(path), path.len())?;
    follow(tree, root, &steps).map(|it| it.schema)
}
