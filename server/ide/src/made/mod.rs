//! Editor features in the source file of a generated manifest, such as a Go file. A feature runs on the manifest, and its result is mapped to the
//! source file.

mod costs;
mod fixes;
mod rename;
mod rename_name;

use std::{path::Path, sync::Arc};

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::sources::manifest::Manifest;

use crate::{
    cel::cel_at,
    completion::{self, Completions, Request},
    file::{Document, File, Memory},
    fixes::TextEdit,
    highlight,
    hover::{self, Hover},
    markdown::code,
    rename::{Renamable, prepare},
    signature::{self, Signatures},
};

pub use costs::{costs, rules};
pub use fixes::{SourceFile, rewritten};
pub use rename_name::RenamedName;

/// An object that is generated from source files, and a position in it.
#[derive(Debug)]
pub struct Made<'a> {
    manifest: &'a Manifest,
    file: File,
    path: &'a Path,
    /// The byte offset in the object's text.
    spot: u32,
}

impl<'a> Made<'a> {
    /// Creates the view of a position in an object. `path` is the source file of the request, and `spot` the byte offset in the object's text.
    pub fn new(manifest: &'a Manifest, memory: Arc<Memory>, path: &'a Path, spot: u32) -> Self {
        Self {
            manifest,
            file: File::new(manifest.text.to_string(), memory),
            path,
            spot,
        }
    }

    fn document(&self) -> Option<Document<'_>> {
        self.file.document_at(self.spot)
    }

    /// The span in the source file for a span in the object.
    fn moved(&self, span: Span) -> Option<Span> {
        let place = self.manifest.origin(span)?;
        (*place.file.path == *self.path).then_some(place.span)
    }

    /// The line on which the property with a key is declared. `None` if no file declares it.
    fn place_of(&self, key: Span) -> Option<String> {
        let place = self.manifest.declaration(key)?;
        let line = hover::on_line(&place.file.text, place.span.start);
        if *place.file.path == *self.path {
            return Some(line);
        }
        let name = place.file.path.file_name()?.to_string_lossy();
        Some(format!("{line} of {}", code(&name)))
    }

    fn edit(&self, span: Span, text: &str) -> Option<(Span, String)> {
        let (place, text) = self.manifest.edit(span, text)?;
        (*place.file.path == *self.path).then_some((place.span, text))
    }

    /// The hover on a part of an expression.
    pub fn hover(&self, version: KubernetesVersion) -> Option<Hover> {
        let document = self.document()?;
        let at = cel_at(&document, self.spot, version)?;
        let mut found = hover::of_expression(&document, &at, |key| self.place_of(key))?;
        found.span = self.moved(found.span)?;
        Some(found)
    }

    /// See [`signature::signatures`].
    pub fn signatures(&self, version: KubernetesVersion) -> Option<Signatures> {
        signature::signatures(&self.document()?, self.spot, version)
    }

    /// See [`highlight::highlights`].
    pub fn highlights(&self, version: KubernetesVersion) -> Vec<Span> {
        let found = self.document().map(|it| highlight::highlights(&it, self.spot, version));
        let found = found.into_iter().flatten();
        found.filter_map(|it| self.moved(it)).collect()
    }

    /// See [`rename::prepare`](crate::rename::prepare).
    pub fn prepare_rename(&self, version: KubernetesVersion) -> Option<Renamable> {
        let found = prepare(&self.document()?, self.spot, version).ok()?;
        let span = self.moved(found.span)?;
        Some(Renamable { span, ..found })
    }

    /// See [`completion::complete`]. Leaves out items that cannot be expressed in the source file.
    pub fn complete(&self, version: KubernetesVersion, (snippets, transforms): (bool, bool)) -> Option<Completions> {
        let document = self.document()?;
        let found = completion::complete(&Request {
            tree: document.tree,
            document: Some(&document),
            offset: self.spot,
            version,
            snippets,
            transforms,
            definitions: &(),
        })?;
        let items = found.items.into_iter().filter_map(|mut item| {
            item.text = self.edit(found.replace, &item.text)?.1;
            let snippet = item.snippet.take();
            item.snippet = snippet.and_then(|it| Some(self.edit(found.replace, &it)?.1));
            let edits = item.edits.into_iter().map(|it| {
                let (span, new_text) = self.edit(it.span, &it.new_text)?;
                Some(TextEdit { span, new_text })
            });
            item.edits = edits.collect::<Option<_>>()?;
            Some(item)
        });
        Some(Completions {
            items: items.collect(),
            replace: self.edit(found.replace, "")?.0,
            insert: self.edit(found.insert, "")?.0,
            is_incomplete: found.is_incomplete,
        })
    }
}
