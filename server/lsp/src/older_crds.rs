//! Finds open CRDs that are older than the source files from which they were generated. The search runs after a pause in typing, because it reads all
//! these source files.

use std::{sync::Arc, time::Duration};

use crd_analyzer_ide::{
    fixes::{Declaration, Problem},
    made::rewritten,
};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{
    builds::overlay::AsBuilt,
    codes::STALE_CRD,
    findings::finding::{Class, Finding},
    judging::analysis::Question,
    sources::{self, Row, Unit, made::Manifests},
};
use lsp_types::Uri;

use crate::{
    documents::Snapshot,
    made::{Found, lock},
    made_manifests::Extent,
    session::Session,
    settings::Effective,
    tasks::Deadline,
};

/// The language of the source files from which a manifest with this text may have been generated.
fn row_of(text: &str) -> Option<&'static Row> {
    sources::rows().find(|it| (it.may_have_made)(text))
}

fn is_shown(effective: &Effective) -> bool {
    let finding = Finding::new(Class::Hint, STALE_CRD, Span::default(), "");
    !effective.is_excluded && effective.config.apply(finding).is_some()
}

impl Session {
    /// The diagnostics of an open CRD that is older than its source files, as far as they are known. If they are outdated, another search runs after
    /// a pause in typing.
    pub(crate) fn older_in_crd(self: &Arc<Self>, snapshot: &Snapshot, effective: &Effective) -> Option<Arc<AsBuilt>> {
        let path = snapshot.path().filter(|_| is_shown(effective))?;
        row_of(&snapshot.content())?;
        let known = lock(&self.made.older).get(&path).cloned();
        if !known.as_ref().is_some_and(|it| self.is_current(it, snapshot)) {
            self.make_manifests_soon();
        }
        known.map(|it| it.built)
    }

    /// Checks whether an open CRD is older than its source files, and shows new results.
    pub(crate) fn look_for_older(self: &Arc<Self>, uri: &Uri) {
        let Some(snapshot) = self.documents.manifest(uri) else {
            return;
        };
        let (Some(path), text) = (snapshot.path(), snapshot.content()) else {
            return;
        };
        let Some(row) = row_of(&text).filter(|_| is_shown(&self.effective(&snapshot))) else {
            return;
        };
        let known = lock(&self.made.older).get(&path).cloned();
        if known.as_ref().is_some_and(|it| self.is_current(it, &snapshot)) {
            return;
        }
        let versions = self.effective(&snapshot).versions;
        let (epoch, editions) = (self.overlays.epoch(), self.editions());
        let older = |made: &Manifests, unit: &dyn Unit| {
            made.compare(unit);
            made.older(&path, &Question::new(versions))
        };
        let built = match self.with_made(Extent::Unit, (row, &path, &text), older).flatten() {
            Some((file, finding)) => AsBuilt::of_manifest(&file.text, vec![finding]),
            None => AsBuilt::of_manifest(&text, Vec::new()),
        };
        let is_other = match &known {
            Some(known) => !built.is_said_by(&known.built),
            None => !built.is_said_by(&AsBuilt::of_manifest(&text, Vec::new())),
        };
        let found = Found {
            built: Arc::new(built),
            edition: snapshot.edition,
            epoch,
            editions,
            is_unfinished: false,
            took: Duration::ZERO,
        };
        lock(&self.made.older).insert(path, found);
        if is_other {
            self.analyze_anew(uri);
        }
    }

    fn is_current(&self, found: &Found, snapshot: &Snapshot) -> bool {
        (found.edition, found.epoch, found.editions) == (snapshot.edition, self.overlays.epoch(), self.editions())
    }

    /// The fix that replaces an open CRD by the one that its source files generate.
    pub(crate) fn rewritten_crd(
        self: &Arc<Self>,
        snapshot: &Snapshot,
        problems: impl Iterator<Item = Problem>,
        range: Span,
        deadline: &Deadline,
    ) -> Option<Declaration> {
        let touches = |it: &Problem| it.span.start <= range.end && range.start <= it.span.end;
        let problem = problems.into_iter().find(|it| it.code == STALE_CRD && touches(it))?;
        let (path, text) = (snapshot.path().filter(|_| !deadline.is_over())?, snapshot.content());
        let versions = self.effective(snapshot).versions;
        let write = |made: &Manifests, unit: &dyn Unit| {
            made.compare(unit);
            let (file, _) = made
                .older(&path, &Question::new(versions))
                .filter(|it| it.0.text == text)?;
            Some(rewritten(file, &made.rewritten(&path, unit)?, &problem))
        };
        self.with_made(Extent::Unit, (row_of(&text)?, &path, &text), write)?
    }
}
