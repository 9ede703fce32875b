//! Completion in CRDs, in resources of their kinds, and in CEL expressions.

mod cel;
mod configuration;
mod definition;
mod habits;
mod head;
mod insert;
mod item;
mod json_paths;
mod keys;
mod nav;
mod property_names;
mod rank;
pub(crate) mod resource;
mod schema_values;
#[cfg(test)]
mod tests;

use std::{cell::RefCell, collections::HashMap, sync::Arc};

use crd_analyzer_apiextensions::kind::CRD;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    paths::{Step, find_from},
    tree::{NodeId, Tree},
};
use crd_analyzer_workspace::{
    index::{CrdText, GroupKind},
    kinds,
};
pub use item::{Completions, Item, ItemKind};
use item::{escape_choice, escape_snippet};

use crate::{cursor_context::CursorContext, file::Document, fixes::TextEdit, manifest::object_at};

/// CRDs that objects are checked against.
pub trait Definitions {
    /// The CRD of a kind of objects.
    fn find(&self, kind: &GroupKind) -> Option<Arc<CrdText>>;

    /// The kinds of all CRDs.
    fn kinds(&self) -> Vec<GroupKind>;
}

/// No CRDs.
impl Definitions for () {
    fn find(&self, _: &GroupKind) -> Option<Arc<CrdText>> {
        None
    }

    fn kinds(&self) -> Vec<GroupKind> {
        Vec::new()
    }
}

/// A cache of CRDs by kind, because a file may have many resources of one kind.
pub struct Remembered<'a> {
    definitions: &'a dyn Definitions,
    found: RefCell<HashMap<GroupKind, Option<Arc<CrdText>>>>,
}

impl<'a> Remembered<'a> {
    /// Creates an empty cache.
    pub fn new(definitions: &'a dyn Definitions) -> Self {
        Self {
            definitions,
            found: RefCell::default(),
        }
    }
}

impl Definitions for Remembered<'_> {
    fn find(&self, kind: &GroupKind) -> Option<Arc<CrdText>> {
        let mut found = self.found.borrow_mut();
        let find = || self.definitions.find(kind);
        found.entry(kind.clone()).or_insert_with(find).clone()
    }

    fn kinds(&self) -> Vec<GroupKind> {
        self.definitions.kinds()
    }
}

/// A completion request.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The document, parsed by the error-tolerant parser.
    pub tree: &'a Tree,
    /// The document with the data that is kept for its file; `None` for a text without content.
    pub document: Option<&'a Document<'a>>,
    /// The byte offset of the cursor in the file.
    pub offset: u32,
    /// The oldest Kubernetes version that must support the offered items.
    pub version: KubernetesVersion,
    /// Whether the editor supports snippets.
    pub snippets: bool,
    /// Whether a placeholder may start with text derived from another placeholder (`${2:${1/(.*)/${1:/upcase}/}}`).
    pub transforms: bool,
    /// CRDs of other kinds.
    pub definitions: &'a dyn Definitions,
}

/// The items at a position in `.crd-analyzer.yaml`.
pub fn complete_configuration(request: &Request<'_>) -> Option<Completions> {
    let place = CursorContext::at(request.tree, request.offset)?;
    let context = Context::new(request, &place);
    if place.token.has_blank || context.writer.is_before_text() {
        return None;
    }
    let items = configuration::complete(&context);
    let (replace, insert) = context.writer.spans();
    (!items.is_empty()).then_some(Completions {
        is_incomplete: false,
        items,
        replace,
        insert,
    })
}

/// The items at a position; `None` if crd-analyzer does not know what can be written there.
pub fn complete(request: &Request<'_>) -> Option<Completions> {
    let place = CursorContext::at(request.tree, request.offset)?;
    let Some((key, is_number)) = place.key_below_value() else {
        return complete_at(request, &place);
    };
    let found = complete_at(request, &place);
    // If the value has known values or is a number, text on the next line cannot continue it. An expression can continue.
    if (is_number || found.is_some()) && !Context::new(request, &place).is_expression() {
        complete_at(request, &key)
    } else {
        found
    }
}

fn complete_at(request: &Request<'_>, place: &CursorContext<'_>) -> Option<Completions> {
    let context = Context::new(request, place);
    let has_fields = nav::has_fields(request.tree, &place.path);
    if context.is_expression() {
        let mut found = cel::complete(&context)?;
        if !request.snippets {
            for it in &mut found.items {
                it.snippet = None;
            }
        }
        return Some(found);
    }
    if place.token.has_blank || context.writer.is_before_text() {
        return None;
    }
    let items = if has_fields {
        definition::complete(&context)
    } else {
        resource::complete(&context)
    };
    let mut items = items?;
    // The empty string is shown as `''`, as it is written. A name without letters is not offered.
    items.retain_mut(|it| {
        if it.label.is_empty() && matches!(it.kind, ItemKind::EnumMember | ItemKind::Value) {
            it.label.clone_from(&it.text);
        }
        !it.label.is_empty()
    });
    let wrong_indentation = place.wrong_indentation();
    if !request.snippets || wrong_indentation.is_some() {
        items.retain(|it| it.kind != ItemKind::Snippet);
        for it in &mut items {
            it.snippet = None;
        }
    }
    if let Some((span, columns)) = wrong_indentation {
        // Clients indent the second and later lines of an item differently, but these items have only one line.
        let new_text = " ".repeat(columns as usize);
        for it in &mut items {
            it.edits.push(TextEdit {
                span,
                new_text: new_text.clone(),
            });
        }
    }
    if items.is_empty() {
        return None;
    }
    let (replace, insert) = context.writer.spans();
    Some(Completions {
        is_incomplete: if has_fields {
            json_paths::is_path(&context)
        } else {
            place.path.is_empty() && resource::whole::are_many(&context)
        },
        items,
        replace,
        insert,
    })
}

/// Whether a position is in an expression that the user has begun.
pub fn is_begun_expression(request: &Request<'_>) -> bool {
    CursorContext::at(request.tree, request.offset).is_some_and(|place| {
        let is_begun = !place.token.prefix.trim().is_empty();
        is_begun && Context::new(request, &place).is_expression()
    })
}

/// Whether a document is a CRD, an object whose kind is in the table, or a resource with a known CRD. In such a document, an empty list means that
/// nothing fits.
pub fn is_known(tree: &Tree, definitions: &dyn Definitions) -> bool {
    crate::manifest::objects(tree).into_iter().any(|it| {
        let (api_version, kind) = head::written(tree, it);
        let has_fields = api_version
            .zip(kind)
            .is_some_and(|(api_version, kind)| CRD.is(&api_version, &kind) || kinds::of(&api_version, &kind).is_some());
        has_fields || resource::crd_of(tree, it, definitions).is_some()
    })
}

/// Whether the CRD of an object is known.
pub fn has_definition(tree: &Tree, object: NodeId, definitions: &dyn Definitions) -> bool {
    resource::crd_of(tree, object, definitions).is_some()
}

/// A request and its cursor context.
struct Context<'c, 'a> {
    request: &'c Request<'a>,
    place: &'c CursorContext<'a>,
    writer: insert::Writer<'c, 'a>,
}

impl<'c, 'a> Context<'c, 'a> {
    fn new(request: &'c Request<'a>, place: &'c CursorContext<'a>) -> Self {
        Self {
            request,
            place,
            writer: insert::Writer::new(place),
        }
    }

    /// Whether the cursor is in an expression.
    fn is_expression(&self) -> bool {
        nav::has_fields(self.request.tree, &self.place.path) && cel::is_expression(self)
    }

    /// The part of the item that is already typed.
    fn typed(&self) -> &str {
        let (_, insert) = self.writer.spans();
        &self.place.tree.text()[insert.range()]
    }

    /// The object at the cursor, which may be an item of a list, and the path from the object to the cursor.
    fn object(&self) -> (Option<NodeId>, &[Step<'a>]) {
        object_at(self.place.tree, &self.place.path)
    }

    /// The node in the object at the start of a path.
    fn in_object(&self, path: &[Step<'_>]) -> Option<NodeId> {
        let found = find_from(self.place.tree, self.object().0?, path);
        found.is_found().then(|| self.place.tree.resolve(found.node))
    }
}
