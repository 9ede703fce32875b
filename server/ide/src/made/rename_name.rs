//! Renames a name that manifests take over from a source file, such as the JSON name of a Go field: where it is written, in the CRDs of the
//! repository, and in all parts of other source files that read the property.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use crd_analyzer_schema::{KubernetesVersion, rules::SchemaStep};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    documents::source::SourceText,
    index::{GroupKind, KnownCrd},
    sources::{
        Name,
        manifest::{Manifest, Place},
    },
};

use super::SourceFile;
use crate::{
    file::{Document, File},
    fixes::TextEdit,
    property::{Target, UseKind, target_at},
    rename::{Renamable, Resources, defined, edits_in, is_accepted, property_at},
    schema,
};

/// The edits that rename a name in source files and in the CRDs of the repository.
#[derive(Debug)]
pub struct RenamedName {
    /// The edits by file, in the order of the text.
    pub files: Vec<(Arc<SourceText>, Vec<TextEdit>)>,
    /// The resources that have the property.
    pub resources: Vec<Resources>,
    /// The old name.
    pub old_name: String,
}

impl RenamedName {
    /// The kinds with the property, sorted.
    pub fn kinds(&self) -> Vec<&str> {
        let mut kinds: Vec<&str> = self.resources.iter().map(|it| it.kind.kind.as_str()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

/// The edits so far, by file.
#[derive(Default)]
struct Edits(BTreeMap<Arc<Path>, (Arc<SourceText>, Vec<TextEdit>)>);

impl Edits {
    fn add(&mut self, file: &Arc<SourceText>, edit: TextEdit) {
        let of_file = self.0.entry(file.path.clone());
        of_file.or_insert_with(|| (file.clone(), Vec::new())).1.push(edit);
    }
}

impl SourceFile<'_> {
    /// The name at an offset of the file, if manifests take it over and it can be changed.
    pub fn prepare_name(&self, offset: u32) -> Option<Renamable> {
        let name = self.name_at(offset)?;
        let mut manifests = self.manifests.with_crds();
        let is_used = manifests.any(|it| it.0.declared_by(&name.declared).next().is_some());
        is_used.then_some(Renamable {
            span: name.written.span,
            name: name.name,
        })
    }

    /// Renames the name at an offset of the file, or the property there in a rule. `None` if the file declares no such name. The error gives the
    /// reason why the name cannot be changed.
    pub fn rename_name(&self, (offset, new_name): (u32, &str)) -> Option<Result<RenamedName, String>> {
        let name = self.name_at(offset).or_else(|| {
            let version = self.question.versions.newest();
            let mut manifests = self.manifests.manifests(self.path);
            let (manifest, spot) = manifests.find_map(|it| Some((it, it.spot(self.path, offset)?)))?;
            let file = File::new(manifest.text.to_string(), Arc::default());
            let document = file.document_at(spot)?;
            let target = property_at(&document, spot, version)?;
            self.declaring(manifest, &document, &target, None)
        })?;
        self.renamed(&name, new_name)
    }

    /// Renames the property at an offset of a CRD that the source files make. `None` if the property has its name from elsewhere.
    pub fn rename_property(
        &self,
        document: &Document<'_>,
        offset: u32,
        new_name: &str,
    ) -> Option<Result<RenamedName, String>> {
        let target = property_at(document, offset, self.question.versions.newest())?;
        let around = |item| document.tree.span(item).range().contains(&(offset as usize));
        let mut versions = schema::versions(document).into_iter();
        let version = versions.find(|it| around(it.item)).map(|it| it.name.into_owned());
        let mut manifests = self.manifests.with_crds();
        let is_it = |it: &(&Arc<Manifest>, Option<&Arc<KnownCrd>>)| it.1.is_some_and(|it| *it.path == *self.path);
        let name = manifests.by_ref().filter(is_it).find_map(|(manifest, _)| {
            let file = File::new(manifest.text.to_string(), Arc::default());
            self.declaring(manifest, &file.document_at(0)?, &target, version.as_deref())
        })?;
        self.renamed(&name, new_name)
    }

    fn name_at(&self, offset: u32) -> Option<Name> {
        let is_at = |it: &Name| it.written.span.start <= offset && offset <= it.written.span.end;
        self.unit.names(self.path).into_iter().find(is_at)
    }

    /// The name that a manifest takes over for a property, in this version or in any.
    fn declaring(
        &self,
        manifest: &Manifest,
        document: &Document<'_>,
        target: &Target,
        version: Option<&str>,
    ) -> Option<Name> {
        let mut steps = target.object.clone();
        steps.push(SchemaStep::Property(target.name.clone()));
        let versions = schema::versions(document).into_iter();
        let mut roots = versions.filter(|it| version.is_none_or(|wanted| it.name == wanted));
        let key = roots.find_map(|it| schema::follow(document.tree, it.schema?, &steps)?.key)?;
        let declared = manifest.origin(document.tree.span(key))?;
        let is_it = |it: &Name| it.name == target.name && it.declared.span == declared.span;
        self.unit.names(&declared.file.path).into_iter().find(is_it)
    }

    /// The edits for a new name. `None` if no manifest takes the name over.
    fn renamed(&self, name: &Name, new_name: &str) -> Option<Result<RenamedName, String>> {
        let mut edits = Edits::default();
        let new_text = new_name.to_owned();
        let span = name.written.span;
        edits.add(&name.written.file, TextEdit { span, new_text });
        let mentions = match self.unit.mentions(name, new_name) {
            Ok(mentions) => mentions,
            Err(why) => return Some(Err(why)),
        };
        for (_, (place, new_text)) in &mentions {
            let (span, new_text) = (place.span, new_text.clone());
            edits.add(&place.file, TextEdit { span, new_text });
        }
        let markers: Vec<Place> = mentions.into_iter().map(|it| it.0).collect();
        let mut resources = Vec::new();
        let mut is_used = false;
        for (manifest, crd) in self.manifests.with_crds() {
            let of = Of {
                name,
                new_name,
                versions: self.question.versions,
                markers: &markers,
            };
            let file = File::new(manifest.text.to_string(), Arc::default());
            let properties = of.properties(manifest, &file);
            if properties.is_empty() {
                continue;
            }
            is_used = true;
            if let Some(why) = self.unit.refuses_name(new_name) {
                return Some(Err(why));
            }
            let text = |crd: &Arc<KnownCrd>| {
                let text = crd
                    .text(self.question.around.definitions?.files())
                    .filter(|it| it.is_readable)?;
                Some(text.source.clone())
            };
            let renamed = of
                .in_manifest((manifest, &file), &properties, &mut edits)
                .and_then(|found| {
                    // Several manifests may have the same resources.
                    let new: Vec<_> = found.into_iter().filter(|it| !resources.contains(it)).collect();
                    resources.extend(new);
                    let written = crd.and_then(|it| Some((it, text(it)?)));
                    written.map_or(Ok(()), |(crd, text)| {
                        of.in_crd((&crd.defines, &text), &properties, &mut edits)
                    })
                });
            if let Err(why) = renamed {
                return Some(Err(why));
            }
            for copy in crd.into_iter().flat_map(|it| self.unit.copies(it)) {
                // A copy in another state stays as it is.
                let _ = text(&copy).map(|it| of.in_crd((&copy.defines, &it), &properties, &mut edits));
            }
        }
        if !is_used {
            return None;
        }
        let mut files: Vec<_> = edits.0.into_values().collect();
        for (_, edits) in &mut files {
            edits.sort_by_key(|it| (it.span.start, it.span.end));
            edits.dedup();
            if edits.windows(2).any(|it| it[0].span.end > it[1].span.start) {
                return Some(Err("the places of the name overlap".to_owned()));
            }
        }
        let old_name = name.name.clone();
        Some(Ok(RenamedName {
            files,
            resources,
            old_name,
        }))
    }
}

/// A property of a manifest, and the versions in which it takes over the name.
type Properties = Vec<(Target, Vec<String>)>;

/// A new name.
struct Of<'n> {
    name: &'n Name,
    new_name: &'n str,
    versions: VersionSet,
    /// The markers in which the name is changed already.
    markers: &'n [Place],
}

impl Of<'_> {
    fn newest(&self) -> KubernetesVersion {
        self.versions.newest()
    }

    /// The properties that take over the name in a manifest. Several fields may have the type with the name.
    fn properties(&self, manifest: &Manifest, file: &File) -> Properties {
        let mut found: Properties = Vec::new();
        for span in manifest.declared_by(&self.name.declared) {
            if !manifest.text[span.range()].starts_with('"') {
                continue;
            }
            // Inside the quotes of the key.
            let offset = span.start + 1;
            let Some(document) = file.document_at(offset) else {
                continue;
            };
            let Some((target, _)) = target_at(&document, offset, self.newest()) else {
                continue;
            };
            let around = |item| document.tree.span(item).range().contains(&(offset as usize));
            let versions = schema::versions(&document).into_iter();
            let Some(version) = versions
                .filter(|it| around(it.item))
                .map(|it| it.name.into_owned())
                .next()
            else {
                continue;
            };
            if target.name != self.name.name {
                continue;
            }
            match found.iter_mut().find(|it| it.0 == target) {
                Some((_, versions)) if versions.contains(&version) => {}
                Some((_, versions)) => versions.push(version),
                None => found.push((target, vec![version])),
            }
        }
        found
    }

    /// Adds the edits of source files for a manifest. Returns the resources that have the properties.
    fn in_manifest(
        &self,
        (manifest, file): (&Manifest, &File),
        properties: &Properties,
        edits: &mut Edits,
    ) -> Result<Vec<Resources>, String> {
        let mut all: Vec<TextEdit> = Vec::new();
        let mut resources = Vec::new();
        for (target, versions) in properties {
            let Some(document) = file.document_at(0) else { continue };
            let is_wanted = |it: &str| versions.iter().any(|version| version == it);
            let found = edits_in(&document, target.clone(), self.new_name, self.newest(), &is_wanted)?;
            resources.extend(found.resources);
            for (kind, edit) in found.edits {
                let follows = matches!(kind, UseKind::Declaration | UseKind::Required);
                match manifest.edit(edit.span, &edit.new_text) {
                    Some((place, new_text)) => {
                        let span = place.span;
                        edits.add(&place.file, TextEdit { span, new_text });
                    }
                    // Only the CRD has this part: something other than the types adds it.
                    None if follows || !manifest.is_said(edit.span) || self.is_changed(manifest, edit.span) => {}
                    None => return Err(self.is_written_elsewhere(manifest, edit.span, kind)),
                }
                all.push(edit);
            }
        }
        all.sort_by_key(|it| it.span.start);
        all.dedup();
        is_accepted(&manifest.text, &all, self.versions)?;
        Ok(resources)
    }

    /// Whether a part comes from a marker in which the name is changed already.
    fn is_changed(&self, manifest: &Manifest, span: Span) -> bool {
        let place = manifest.origin(span);
        let is_it = |it: &Place| {
            let is_same = |place: &Place| place.span == it.span && place.file.path == it.file.path;
            place.as_ref().is_some_and(is_same)
        };
        self.markers.iter().any(is_it)
    }

    /// The message about a part that a marker sets and that cannot be edited there.
    fn is_written_elsewhere(&self, manifest: &Manifest, span: Span, kind: UseKind) -> String {
        let name = &self.name.name;
        let place = manifest.origin(span);
        let written = place.as_ref().and_then(|it| it.file.text.get(it.span.range()));
        let marker = written.and_then(|it| it.lines().next()).unwrap_or_default();
        format!(
            "`{name}` is also in a {}, which `{marker}` sets: change it by hand first",
            kind.describe()
        )
    }

    /// Adds the edits of a CRD in the repository.
    fn in_crd(
        &self,
        (defines, crd): (&GroupKind, &Arc<SourceText>),
        properties: &Properties,
        edits: &mut Edits,
    ) -> Result<(), String> {
        let file = File::new(crd.text.to_string(), Arc::default());
        let mut all: Vec<TextEdit> = Vec::new();
        let is_it = |it: &Document<'_>| it.kind().declares && defined(it).as_ref() == Some(defines);
        for document in file.objects().filter(is_it) {
            for (target, versions) in properties {
                let is_wanted = |it: &str| versions.iter().any(|version| version == it);
                let found = edits_in(&document, target.clone(), self.new_name, self.newest(), &is_wanted)?;
                all.extend(found.edits.into_iter().map(|it| it.1));
            }
        }
        all.sort_by_key(|it| it.span.start);
        all.dedup();
        is_accepted(&crd.text, &all, self.versions)?;
        for edit in all {
            edits.add(crd, edit);
        }
        Ok(())
    }
}
