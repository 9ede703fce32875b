//! Navigation from custom resources to their CRDs, and back.

use std::{path::Path, sync::Arc};

use crd_analyzer_ide::{
    hover::{Block, Hover, resource_hover},
    property::{Target, UseKind, resource_uses, target_at, uses},
    schema,
};
use crd_analyzer_io::read;
use crd_analyzer_syntax::{
    paths::{self, Step},
    tree::{NodeId, Span, Tree},
};
use crd_analyzer_workspace::{
    index::{CrdText, Definitions as _, Found, GroupKind},
    resource::columns,
};
use lsp_types::{Location, Position, Uri};

use crate::{
    from_proto, limits, request_context::RequestContext, to_proto, versions::Parsed, workspace_index::SyncedIndex,
};

/// A position in a custom resource whose CRD is known.
pub(crate) struct InResource<'r> {
    request: &'r RequestContext,
    tree: &'r Tree,
    /// The root of the object: the root of the document, or an item of a list.
    node: NodeId,
    /// The path from the object to the position.
    path: Vec<Step<'r>>,
    scalar: NodeId,
    version: String,
    found: Found,
    definition: Arc<CrdText>,
    offset: u32,
}

/// The string value of an object's field. Empty if the field is missing.
fn text(tree: &Tree, node: NodeId, key: &str) -> String {
    let entry = paths::lookup(tree, tree.resolve(node), key);
    let value = entry.map(|it| tree.resolve(it.value)).filter(|it| tree.is_scalar(*it));
    value.map(|it| tree.scalar(it).into_owned()).unwrap_or_default()
}

fn kind_of(tree: &Tree, node: NodeId) -> Option<(GroupKind, String)> {
    let api_version = text(tree, node, "apiVersion");
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    let kind = text(tree, node, "kind");
    let group_kind = GroupKind {
        group: group.to_owned(),
        kind,
    };
    (!group_kind.kind.is_empty()).then(|| (group_kind, version.to_owned()))
}

/// The custom resource at a position, if its CRD is known.
pub(crate) fn at(request: &RequestContext, position: Position) -> Option<InResource<'_>> {
    let (document, offset) = request.document_at(position)?;
    if !document.kind().is_declared {
        return None;
    }
    let tree = document.tree;
    let at = paths::at(tree, offset)?;
    let node = document.root?;
    let mut path = at.path;
    path.drain(..paths::path_of(tree, node).len().min(path.len()));
    let (kind, version) = kind_of(tree, node)?;
    let near = from_proto::place_of(&request.snapshot.uri);
    let definitions = SyncedIndex(&request.session);
    let found = definitions.find(&kind, &near)?;
    let definition = found.definition.text(definitions.files())?;
    Some(InResource {
        request,
        tree,
        node,
        path,
        scalar: at.node,
        version,
        found,
        definition,
        offset,
    })
}

impl InResource<'_> {
    /// The location in the CRD that a position refers to: the names of the kind for `kind`, the schema for a field.
    pub(crate) fn definition(&self) -> Option<Location> {
        let definition = &self.definition;
        let span = match self.path.as_slice() {
            [Step::Key(key)] if key == "kind" => definition.kind_span(),
            [Step::Key(key)] if key == "apiVersion" => {
                let name = definition.version(&self.version);
                let name = name.and_then(|it| definition.child(it, "name"));
                name.map_or_else(|| definition.kind_span(), |it| it.value_span(&definition.tree))
            }
            path => {
                // If a field has no schema, use that of its nearest parent with one.
                let known = (1..=path.len()).rev().map(|length| &path[..length]);
                let mut places = known.filter_map(|it| definition.schema_at(&self.version, it));
                let place = places.next().or_else(|| definition.schema(&self.version))?;
                place.key_span(&definition.tree)
            }
        };
        let (file, span) = definition.source.place(span);
        to_proto::in_file(&file, span, self.request.client())
    }

    /// The hover for the position.
    pub(crate) fn hover(&self) -> Option<Hover> {
        if matches!(self.path.as_slice(), [Step::Key(metadata), Step::Key(name)] if metadata == "metadata" && name == "name")
        {
            return self.columns();
        }
        let file = self.request.session.workspace.file_of(&self.definition);
        let document = file.document_at(self.definition.tree.span(self.definition.root).start)?;
        let versions = schema::versions(&document);
        let root = versions.iter().find(|it| it.name == self.version)?.schema?;
        resource_hover(
            self.tree,
            &self.path,
            self.offset,
            &document,
            root,
            self.request.version(),
        )
    }

    /// The values of the printer columns.
    fn columns(&self) -> Option<Hover> {
        let files = SyncedIndex(&self.request.session);
        let version = self.request.version();
        let columns = columns(&self.found.definition, files.files(), version, self.tree, self.node)?;
        if columns.is_empty() {
            return None;
        }
        let rows = columns.iter().map(|it| {
            let value = it.value.as_deref().unwrap_or("<none>");
            let name = it.name.replace('`', "'");
            format!(
                "{name}: `{}` (`{}`)",
                value.replace('`', "'"),
                it.json_path.replace('`', "'")
            )
        });
        Some(Hover {
            span: self.tree.span(self.scalar),
            blocks: vec![
                Block::Text(format!("what `kubectl get {}` prints", self.plural())),
                Block::List(rows.collect()),
            ],
        })
    }

    fn plural(&self) -> String {
        let place = self.definition.find(&["spec", "names", "plural"]);
        let tree = &self.definition.tree;
        place.map_or_else(
            || self.found.definition.defines.kind.clone(),
            |it| tree.scalar(tree.resolve(it.node)).into_owned(),
        )
    }
}

/// All uses of the property or name at a position of a CRD: in other parts of the CRD, and in resources. For the CRD's kind, all resources of the
/// kind.
pub(crate) fn references(
    request: &RequestContext,
    position: Position,
    with_declaration: bool,
) -> Option<Vec<Location>> {
    let (document, offset) = request.document_at(position)?;
    if !document.kind().declares {
        return None;
    }
    let tree = document.tree;
    let root = document.root?;
    let names = |path: &[&'static str]| {
        let steps: Vec<_> = path.iter().map(|it| Step::key(*it)).collect();
        let place = paths::find_from(tree, root, &steps);
        place.is_found().then(|| tree.resolve(place.node))
    };
    let scalar = |path: &[&'static str]| names(path).map(|it| tree.scalar(it).into_owned());
    let kind = GroupKind {
        group: scalar(&["spec", "group"])?,
        kind: scalar(&["spec", "names", "kind"])?,
    };
    let own = |span: Span| Location::new(request.snapshot.uri.clone(), request.range(span));
    let kind_node = names(&["spec", "names", "kind"])?;
    let kind_span = tree.span(kind_node);
    if kind_span.start <= offset && offset <= kind_span.end {
        let mut found: Vec<_> = with_declaration.then(|| own(kind_span)).into_iter().collect();
        in_resources(request, &kind, &mut found, |tree, object| {
            let entry = tree.entry(object, "kind");
            entry.map(|it| tree.span(it.value)).into_iter().collect()
        });
        return Some(found);
    }
    let (target, _) = target_at(&document, offset, request.version())?;
    let in_definition = uses(&document, &target, request.version()).all.into_iter();
    let mut found: Vec<_> = in_definition
        .filter(|it| with_declaration || it.kind != UseKind::Declaration)
        .map(|it| own(it.span(tree)))
        .collect();
    in_resources(request, &kind, &mut found, |tree, object| {
        let uses = resource_uses(tree, object, &target);
        uses.iter().map(|it| it.span(tree)).collect()
    });
    Some(found)
}

/// The declarations of the property at a position of a CRD, in the `properties` of all versions.
pub(crate) fn declarations(request: &RequestContext, position: Position) -> Option<Vec<Location>> {
    let (document, offset) = request.document_at(position)?;
    let (target, _): (Target, _) = target_at(&document, offset, request.version())?;
    let found = uses(&document, &target, request.version()).all;
    let declared = found.iter().filter(|it| it.kind == UseKind::Declaration);
    let own = |span: Span| Location::new(request.snapshot.uri.clone(), request.range(span));
    Some(declared.map(|it| own(it.span(document.tree))).collect())
}

/// Adds the spans that `spans` finds in each resource of a kind in the workspace.
fn in_resources(
    request: &RequestContext,
    kind: &GroupKind,
    found: &mut Vec<Location>,
    spans: impl Fn(&Tree, NodeId) -> Vec<Span>,
) {
    let session = &request.session;
    session.sync();
    let files: Vec<Arc<Path>> = session
        .workspace
        .catalog
        .with(|index| index.files_with(kind).cloned().collect());
    for path in files {
        if request.deadline.is_over() || found.len() >= limits::ANSWERS {
            break;
        }
        let snapshot = session.documents.at(&path);
        let uri = snapshot.as_ref().map(|it| it.uri.clone());
        let Some(uri) = uri.or_else(|| Uri::from_file_path(&path)) else {
            continue;
        };
        let parsed = match snapshot {
            Some(snapshot) => snapshot.parsed_for_now(),
            None => match read::found(&path).ok().and_then(|it| String::from_utf8(it).ok()) {
                Some(text) => Arc::new(Parsed::of(text)),
                None => continue,
            },
        };
        let source = to_proto::Source {
            uri: &uri,
            text: parsed.file.text(),
            lines: &parsed.lines,
            client: request.client(),
        };
        for document in parsed.file.objects() {
            let is_one = |it: &NodeId| kind_of(document.tree, *it).is_some_and(|it| it.0 == *kind);
            if let Some(object) = document.root.filter(is_one) {
                let places = spans(document.tree, object).into_iter();
                found.extend(places.map(|it| Location::new(uri.clone(), to_proto::range(&source, it))));
            }
        }
    }
    found.truncate(limits::ANSWERS);
}
