//! The edits of Go files since manifests were generated from them, and which manifests they affect.

use std::{path::Path, rc::Rc, sync::Arc};

use crd_analyzer_gosource::{
    Module,
    check::{Types, edited::Edited},
};
use crd_analyzer_syntax::tree::Span;

use super::{go_crds::wholes::Wholes, made::Made, manifest::Moves, one_made::KnownTypes};
use crate::{documents::source::SourceText, index::GroupKind};

/// The edits of some files.
pub(super) struct Edits(Vec<FileEdit>);

impl Edits {
    /// The edits of these files since the manifests were generated. `module` has the new texts.
    pub(super) fn new(module: &Module, before: &[Made], files: &[&Path]) -> Self {
        Self(files.iter().map(|it| FileEdit::new(module, before, it)).collect())
    }

    /// Whether the types may have other fields than before.
    pub(super) fn have_other_fields(&self) -> bool {
        self.0.iter().any(|it| it.has_other_fields)
    }

    /// Where the places in the files are now.
    pub(super) fn moves(&self) -> Vec<Moves> {
        self.0.iter().map(FileEdit::moves).collect()
    }

    /// The manifests of a kind before the edits. `changed` has those that must be generated again.
    pub(super) fn before<'b>(&self, changed: &'b [Made], of: &GroupKind) -> Before<'b> {
        Before {
            has_other_fields: self.have_other_fields(),
            ..Before::marked(changed, of)
        }
    }

    /// Divides the manifests. The first list has those that stay the same, with their current places. The second has those that must be generated
    /// again. `declared` has the kinds that the files declare.
    pub(super) fn sorted_out(
        &self,
        before: &[Made],
        declared: &[String],
        wholes: &mut Wholes<'_>,
    ) -> (Vec<Made>, Vec<Made>) {
        let (mut kept, mut changed) = (Vec::new(), Vec::new());
        for made in before {
            match self.kept(made, declared, wholes) {
                Some(same) => kept.push(same),
                None => changed.push(made.clone()),
            }
        }
        (kept, changed)
    }

    /// A manifest with its current places. `None` if it must be generated again.
    fn kept(&self, made: &Made, declared: &[String], wholes: &mut Wholes<'_>) -> Option<Made> {
        let is_declared = made.kind().is_some_and(|it| declared.contains(&it.kind));
        let mut same = made.clone();
        for edit in &self.0 {
            let manifest = made.manifest();
            let is_of_text = manifest
                .text_of(&edit.now.path)
                .is_none_or(|it| Some(it) == edit.before.as_ref());
            match (&edit.types, made.kind(), made.types()) {
                (Some(types), Some(kind), Some(known)) if is_of_text => {
                    let folder = edit.now.path.parent().unwrap_or(&edit.now.path);
                    let mut reach = || known.reach(|| wholes.reach(&known.module, kind));
                    // The kind may be declared in any package.
                    if types.changed.contains(&kind.kind) || reach().has(folder, &types.changed) {
                        return None;
                    }
                    same = same.moved(&edit.moves())?;
                }
                // If the kind is not completely known, only a change of a file that the manifest comes from can affect it.
                _ => {
                    let may_be_known = made.types().is_none() && is_declared && edit.has_other_fields;
                    if may_be_known || manifest.is_made_of(&edit.now.path) {
                        return None;
                    }
                    // The names in the file may mean other types now.
                    if let Some(known) = same.types().filter(|_| edit.types.is_none()) {
                        let new = KnownTypes::new(known.module.clone());
                        same = same.of_types(Arc::new(new));
                    }
                }
            }
        }
        Some(same)
    }
}

/// The manifests of a kind before an edit of source files. Empty if they are unknown.
#[derive(Default)]
pub(super) struct Before<'m> {
    made: Vec<&'m Made>,
    /// Whether the edit may have changed fields.
    has_other_fields: bool,
}

impl<'m> Before<'m> {
    /// The manifests of a kind before an edit that changed no field. `changed` has the manifests that must be generated again.
    pub(super) fn marked(changed: &'m [Made], of: &GroupKind) -> Self {
        Self {
            made: changed.iter().filter(|it| it.kind() == Some(of)).collect(),
            has_other_fields: false,
        }
    }

    /// Whether the manifests were generated before.
    pub(super) fn are_known(&self) -> bool {
        !self.made.is_empty()
    }

    /// Whether the types may have other fields than the kind's CRD. If not, a complete CRD is the same as the updated one.
    pub(super) fn may_be_whole(&self) -> bool {
        self.has_other_fields || self.made.is_empty() || self.made.iter().any(|it| it.may_be_whole())
    }

    /// Whether the kind's CRD may be older than the types, although it has all values that markers set.
    pub(super) fn may_be_older(&self) -> bool {
        self.may_be_whole() || self.made.iter().any(|it| it.may_be_older())
    }

    /// The types on which the kind depends. If a field has changed, they are unknown.
    pub(super) fn types(&self) -> Option<Arc<KnownTypes>> {
        let first = self.made.first().filter(|_| !self.has_other_fields)?;
        first.types().cloned()
    }
}

/// The edit of a file since the manifests were generated.
struct FileEdit {
    /// The text before the edit. `None` if no manifest comes from the file.
    before: Option<Arc<str>>,
    /// The text after the edit.
    now: Arc<SourceText>,
    /// The differences between the types before and after the edit. `None` if something other than types has changed.
    types: Option<Rc<Edited>>,
    /// Whether the types may have other fields than before.
    has_other_fields: bool,
}

impl FileEdit {
    fn new(module: &Module, before: &[Made], file: &Path) -> Self {
        let now = module.types(file);
        let text = before.iter().find_map(|it| it.manifest().text_of(file)).cloned();
        let types = text.as_ref().and_then(|it| module.types_of(file, it));
        let edited = match (&types, &now) {
            (Some(before), Some(now)) => Edited::between(before, now),
            (None, Some(now)) if text.is_none() => Some(Edited::of_new(now)),
            _ => None,
        };
        let fields = |it: &Option<Arc<Types>>| it.as_ref().map(|it| it.fields());
        let now_text = now.as_ref().map_or_else(|| "".into(), |it| it.text.clone());
        Self {
            before: text,
            now: Arc::new(SourceText::new(file.into(), now_text)),
            has_other_fields: edited.is_none() || fields(&types) != fields(&now),
            types: edited.map(Rc::new),
        }
    }

    /// Where the places in the file are now. If something other than types has changed, that is unknown.
    fn moves(&self) -> Moves {
        let types = self.types.clone();
        let moved = move |span: Span| {
            let now = types.as_ref()?.moved(&span.range())?;
            Some(Span::new(now.start as u32, now.end as u32))
        };
        Moves {
            file: self.now.clone(),
            moved: Box::new(moved),
        }
    }
}
