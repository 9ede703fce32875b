//! Renames a variable. A comprehension declares it for a part of its expression, or an object declares it for all its expressions.

use crd_analyzer_cel::types::is_reserved;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    paths::{Side, Step, at as place_at, path_of},
    tree::{NodeId, Span, Tree},
};
use crd_analyzer_workspace::kinds::Names;

use super::Renamable;
use crate::{
    cel::{CelAt, Expression, cel_at, scalars_of_row},
    file::Document,
    fixes::TextEdit,
    manifest::object_at,
    schema::child,
    write,
};

/// A variable that can be renamed.
pub(super) enum Variable<'d> {
    /// A variable of a comprehension, with the token that declares it.
    OfComprehension(Box<Expression<'d>>, usize),
    /// A variable that an item of a list declares by its name.
    OfObject {
        object: NodeId,
        names: &'static Names,
        renamable: Renamable,
    },
}

/// The variable whose name is at an offset. `None` if there is none, or if the API server declares it.
pub(super) fn at<'d>(document: &Document<'d>, offset: u32, version: KubernetesVersion) -> Option<Variable<'d>> {
    if let Some(CelAt { expression, byte }) = cel_at(document, offset, version) {
        let token = expression.token_at(byte)?;
        if expression.declaring(token).is_some() {
            return Some(Variable::OfComprehension(Box::new(expression), token));
        }
        let lists = document.row()?.names;
        let (names, name) = lists
            .iter()
            .find_map(|it| Some((it, expression.field_of_variable(token, it.variable)?)))?;
        return Some(Variable::OfObject {
            object: document.root?,
            names,
            renamable: Renamable {
                span: expression.token_span(token),
                name: name.to_string(),
            },
        });
    }
    let tree = document.tree;
    let at = place_at(tree, offset)?;
    let is_value = tree.is_scalar(at.node) && at.side == Side::Value && at.in_scalar.is_some();
    let path = path_of(tree, at.node);
    let (_, path) = object_at(tree, &path);
    let [Step::Key(first), Step::Key(second), Step::Index(_), Step::Key(field)] = path else {
        return None;
    };
    let is_it = |it: &&Names| it.path == [&**first, &**second] && it.field == field;
    let names = document.row()?.names.iter().find(is_it).filter(|_| is_value)?;
    let name = tree.scalar(at.node).into_owned();
    let span = tree.source_map(at.node).span(0..name.len());
    Some(Variable::OfObject {
        object: document.root?,
        names,
        renamable: Renamable { span, name },
    })
}

impl Variable<'_> {
    /// The name of the variable, and its span.
    pub(super) fn renamable(self) -> Renamable {
        match self {
            Self::OfComprehension(expression, token) => Renamable {
                span: expression.token_span(token),
                name: expression.tokens[token].text(expression.text()).to_owned(),
            },
            Self::OfObject { renamable, .. } => renamable,
        }
    }

    /// The edits that rename the variable.
    pub(super) fn edits(
        self,
        document: &Document<'_>,
        new_name: &str,
        version: KubernetesVersion,
    ) -> Result<Vec<TextEdit>, String> {
        if !is_identifier(new_name) {
            return Err(format!("`{new_name}` is not a valid name of a CEL variable"));
        }
        match self {
            Self::OfComprehension(expression, token) => in_comprehension(&expression, token, new_name),
            Self::OfObject {
                object,
                names,
                renamable,
            } => in_object(document, (object, names), (&renamable.name, new_name), version),
        }
    }
}

/// Whether a name is a valid CEL identifier for a variable.
fn is_identifier(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !is_reserved(name)
}

/// The tokens of an expression with the given name.
fn names_in(expression: &Expression<'_>, name: &str) -> Result<Vec<usize>, String> {
    let too_many = || format!("an expression contains the name `{name}` too often to check each place");
    expression.names(name).ok_or_else(too_many)
}

fn in_comprehension(expression: &Expression<'_>, token: usize, new_name: &str) -> Result<Vec<TextEdit>, String> {
    let old_name = expression.tokens[token].text(expression.text());
    let old = names_in(expression, old_name)?;
    let new = if old_name == new_name {
        Vec::new()
    } else {
        names_in(expression, new_name)?
    };
    let uses = expression.same(token);
    let mut text = expression.text().to_owned();
    for at in uses.iter().rev() {
        let it = expression.tokens[*at];
        text.replace_range(it.start as usize..it.end as usize, new_name);
    }
    // Each occurrence must refer to the same declaration in the old and the new expression.
    let after = expression.with_text(&text);
    let means_the_same = |at: &usize| expression.declaring(*at) == after.declaring(*at);
    if after.tokens.len() != expression.tokens.len() || !old.iter().chain(&new).all(means_the_same) {
        return Err(format!("`{new_name}` has another meaning in the expression"));
    }
    edits(expression, &uses, new_name)
}

/// The edits that rename tokens of an expression.
fn edits(expression: &Expression<'_>, tokens: &[usize], new_name: &str) -> Result<Vec<TextEdit>, String> {
    let edits = tokens.iter().map(|at| {
        let new_text = write::piece(expression.tree, expression.place.scalar, new_name);
        Ok(TextEdit {
            span: expression.token_span(*at),
            new_text: new_text.ok_or("the name cannot be written in the expression")?,
        })
    });
    edits.collect()
}

/// The limit for one request: the number of expressions to search, times the number of items that each may use.
const MOST_ASKED: usize = 20_000;

/// The edits that rename an item of a list, and its uses in all expressions of the object.
fn in_object(
    document: &Document<'_>,
    (object, list): (NodeId, &Names),
    (old_name, new_name): (&str, &str),
    version: KubernetesVersion,
) -> Result<Vec<TextEdit>, String> {
    let tree = document.tree;
    let names = names(tree, object, list);
    if old_name != new_name && names.iter().any(|it| tree.scalar(*it) == new_name) {
        return Err(format!("a variable `{new_name}` already exists"));
    }
    let is_it = |it: &&NodeId| tree.scalar(**it) == old_name;
    let [declared] = names.iter().filter(is_it).collect::<Vec<_>>()[..] else {
        return Err(format!("`{old_name}` is not the name of exactly one variable"));
    };
    let mut all = vec![TextEdit {
        span: inner(tree, *declared),
        new_text: write::piece(tree, *declared, new_name).ok_or("the name cannot be written there")?,
    }];
    let mut naming = scalars_of_row(tree, object);
    naming.retain(|it| tree.scalar(it.scalar).contains(old_name));
    if naming.len().saturating_mul(names.len()) > MOST_ASKED {
        return Err(format!(
            "too many expressions may read `{old_name}` to check each of them"
        ));
    }
    for scalar in naming {
        let expression = Expression::new(document, scalar, version);
        let mut uses = names_in(&expression, old_name)?;
        uses.retain(|it| expression.field_of_variable(*it, list.variable).is_some());
        all.extend(edits(&expression, &uses, new_name)?);
    }
    // If aliases use an expression several times, its edits occur more than once.
    all.sort_by_key(|it| it.span.start);
    all.dedup();
    Ok(all)
}

/// The nodes with the names of a list's items.
fn names(tree: &Tree, object: NodeId, list: &Names) -> Vec<NodeId> {
    let [first, second] = list.path;
    let items = child(tree, object, first).and_then(|it| child(tree, it, second));
    let items = items.into_iter().flat_map(|it| tree.items(it));
    let names = items.filter_map(|it| child(tree, tree.resolve(it), list.field));
    names.filter(|it| tree.is_scalar(*it)).collect()
}

/// The span of a scalar without quotes.
fn inner(tree: &Tree, scalar: NodeId) -> Span {
    tree.source_map(scalar).span(0..tree.scalar(scalar).len())
}
