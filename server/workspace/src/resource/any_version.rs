//! Resources whose version a variable sets: `apiVersion: example.com/${VERSION}`.

use std::{collections::HashSet, sync::Arc};

use crd_analyzer_resource::{self as server, codes::UNKNOWN_FIELD};

use super::{One, locate::Locate};
use crate::{findings::report::DocumentVerdict, index::KnownCrd};

impl One<'_> {
    /// The unknown fields of a resource whose version is unknown: those that no served version has. The variable names one of these versions. Other
    /// errors are not reported, because tests put in versions, and they also send patches and run with older releases of the CRD. Nothing is said
    /// if several CRDs apply that decide differently.
    pub(super) fn judge_in_all_versions(&self) -> DocumentVerdict {
        let asked = self.asked;
        let (by, files) = (&asked.found.definition, asked.definitions.files());
        let Ok((definition, text)) = by.serve(files, self.version) else {
            return DocumentVerdict::default();
        };
        let versions = definition.served_versions();
        let names = || versions.iter().filter_map(|it| it.rsplit_once('/')).map(|it| it.1);
        let is_same = |it: &Arc<KnownCrd>| names().all(|name| it.decides(files, name) == by.decides(files, name));
        if asked.previous.is_some() || !asked.found.equals.iter().all(is_same) {
            return DocumentVerdict::default();
        }
        let has_variables = asked.completed.variables.is_some();
        let locate = Locate::new(self.tree, (self.json, self.known), asked.question, &text, has_variables);
        let mut verdicts = versions.iter().filter_map(|version| {
            let served = definition.serving(version, &asked.kind.kind).ok()?;
            let answer = self.answer(served, server::Question::Create, &locate);
            let mut verdict = locate.verdict(&answer);
            verdict.retain(|it| it.code == UNKNOWN_FIELD);
            Some(verdict)
        });
        let Some(mut common) = verdicts.next() else {
            return DocumentVerdict::default();
        };
        for other in verdicts {
            let unknown: HashSet<_> = other.findings().map(|it| it.span).collect();
            common.retain(|it| unknown.contains(&it.span));
        }
        common
    }
}
