//! Checks a CRD that can be parsed.

use std::path::Path;

use crd_analyzer_apiextensions::{
    decode::WrittenType,
    strategy::{Stored, judge_create, judge_update},
    validation::CelCompiler,
};
use crd_analyzer_syntax::{
    json::{JsonDoc, read_json, read_json_of},
    tree::Tree,
};

use super::Ask;
use crate::{
    codes,
    comparison::breaking::{self, Written},
    comparison::previous::Previous,
    comparison::revision::Compared,
    costs::{self, DocumentCosts},
    filled_in::fill::Places,
    filled_in::patch,
    filled_in::unknown,
    filled_in::unknown_crd::{self, Taken, UnknownParts},
    findings::advice,
    findings::finding::{Class, Finding, Related, Severity},
    findings::report::{DocumentReport, DocumentVerdict, Subject},
    index::Lacks,
    judging::deferred_search::{UnsearchedReport, UnsearchedVerdict},
    judging::hazards,
    judging::hints,
    judging::lints,
    judging::merged,
    judging::verdict,
    roles::{Use, is_patch},
    sources::generated::Origin,
    words,
};

impl Ask<'_> {
    /// Checks a CRD that can be parsed. `filled` has the places at which the actions of a template were filled in.
    pub(super) fn definition(
        &self,
        mut report: DocumentReport,
        tree: &Tree,
        json: &JsonDoc<'_>,
        filled: Option<&Places>,
    ) -> UnsearchedReport {
        let has_directive = patch::has_directive(tree, json);
        if self.uses.has(Use::Part) || has_directive {
            report.subject = Subject::PartialCrd;
            report.in_part = true;
        }
        let partial = if report.in_part {
            None
        } else {
            self.partial(&report, tree, json)
        };
        if partial.is_some() {
            report.subject = Subject::PartialCrd;
            report.in_part = true;
        }
        let has_unknown = filled.is_some() || self.question.is_completed() && unknown_crd::has_placeholder(json);
        let has_overrides = self.question.is_completed() && merged::has_overrides(tree, json);
        let is_part = report.subject == Subject::PartialCrd;
        let root = json
            .root()
            .filter(|_| has_directive || has_unknown || has_overrides || is_part);
        let mut rest = root.and_then(|root| read_json_of(tree, root.node).ok());
        let mut unknown_parts = UnknownParts::default();
        if let Some(rest) = &mut rest {
            merged::forget_overrides(tree, rest);
            patch::take_directives(rest);
            if is_part {
                patch::make_texts(rest);
            }
            if has_unknown {
                unknown_parts = unknown_crd::take(rest, tree, filled);
            }
        }
        if self.uses.has(Use::InstalledByCrossplane) {
            unknown_parts.add_service(json);
        }
        report.in_part |= unknown_parts.taken > Taken::Nothing;
        if unknown_parts.taken > Taken::Conversion {
            report.is_filled_in = report.subject == Subject::Definition;
            report.subject = Subject::PartialCrd;
        }
        let json = rest.as_ref().unwrap_or(json);
        if unknown::asserts_definition(self.uses, tree, json) {
            report.subject = Subject::PartialCrd;
            report.in_part = true;
            let all = self.question.versions.iter();
            report.verdicts.extend(all.map(|it| (it, DocumentVerdict::default())));
            return UnsearchedReport::new(report);
        }
        let (subject, most) = (report.subject, self.question.wants.most_findings);
        let hints = hints::find(tree, json, most);
        let written = WrittenType {
            api_version: report.api_version.clone(),
            kind: report.kind.clone(),
            name: report.name.clone(),
        };
        let stored = self.previous.map(|previous| previous.definition(&written));
        // If no CRD had this name before, this CRD is new, unless the user says that it replaces one.
        let is_new = |previous: &Previous| !previous.must_replace(&written);
        let is_new = matches!(stored, Some(None)) && self.previous.is_some_and(is_new);
        let old_json = stored.flatten().and_then(|(tree, node)| read_json_of(tree, node).ok());
        let revision = self.question.update.revision.and_then(|it| {
            let (tree, node) = it.previous().definition(&written)?;
            Some((it, read_json_of(tree, node).ok()?))
        });
        let newest = self.question.versions.newest();
        let origin = Origin::of(tree, self.question.path, self.question.around.go);
        let mut bare = UnsearchedReport::new(report);
        for version in self.question.versions.iter() {
            let compiler = CelCompiler::new(version);
            let stored = old_json.as_ref().and_then(|it| Stored::establish(it, version));
            let server = if self.previous.is_none() || is_new {
                judge_create(json, version, Some(&compiler))
            } else if let Some(stored) = &stored {
                judge_update(json, stored, version, Some(&compiler))
            } else {
                let answer = verdict::without_previous(tree);
                bare.report.verdicts.push((version, answer));
                continue;
            };
            let mut verdict = verdict::with_places(&server, tree, json, subject, most);
            let asked = (stored.as_ref(), version);
            verdict
                .hints
                .extend(verdict::after_decoding(&server, (tree, json), asked, subject, most));
            unknown_parts.apply(&mut verdict);
            verdict.hints.extend_from_slice(&hints);
            verdict.hints.extend(partial.clone());
            if self.question.wants.is_edited {
                let later = verdict::later_warnings(&server, version, tree, json, subject, most);
                verdict.warnings.extend(later);
            }
            if !bare.report.in_part && patch::may_be(json) {
                patch::say_how_to_mark_it(&mut verdict);
            }
            let is_needed = advice::is_needed(&verdict);
            let is_wanted = self.question.wants.costs && version == newest && server.unjudged.is_none();
            // If the cost estimate did not finish, the costs are not known.
            let is_priced = (is_needed || is_wanted) && server.unfinished.is_none();
            if let Some(root) = json.root().filter(|_| is_priced) {
                let placed = costs::of_verdict(tree, root, &server, version);
                if is_needed {
                    advice::give(&mut verdict, &placed, origin.as_ref());
                }
                if is_wanted && !placed.is_empty() {
                    self.costs.borrow_mut().push(DocumentCosts {
                        index: Some(bare.report.index),
                        name: bare.report.name.clone(),
                        answers: vec![(version, Ok(placed))],
                    });
                }
            }
            if let (Some((revision, old)), Some(root)) = (&revision, json.root())
                && let Some(stored) = Stored::establish(old, version)
            {
                let updated = judge_update(json, &stored, version, Some(&compiler));
                let updated = verdict::with_places(&updated, tree, json, subject, most);
                let at = Compared {
                    written: &written,
                    tree,
                    node: root.node,
                };
                revision.add(&mut verdict, &updated, &at);
            }
            if let Some(origin) = &origin {
                origin.name(&mut verdict.errors);
                origin.name(&mut verdict.warnings);
                origin.name(&mut verdict.hints);
            }
            bare.report.verdicts.push((version, verdict));
            if version == newest
                && let Some(root) = json.root()
            {
                // Lints do not depend on the Kubernetes version, so one version is enough.
                if !bare.report.in_part {
                    let wanted = (self.question.wants.lint_table, self.question.wants.lints);
                    let found = lints::find(tree, root, &server, version, wanted, most);
                    lints::add(&mut bare.report, found, origin.as_ref());
                }
                if let (Some(by), Some(old), false) =
                    (self.question.update.compatibility, &old_json, bare.report.in_part)
                {
                    let node = root.node;
                    let found = breaking::find(old, Written { tree, node, json }, version, by, most);
                    let errors = bare.report.verdicts.last().map(|it| it.1.errors.as_slice());
                    let found = breaking::beside_errors(tree, &found, errors.unwrap_or_default()).cloned();
                    let found = found.collect();
                    lints::add(&mut bare.report, found, origin.as_ref());
                }
                if let (Some(known), Some(_)) = (self.question.update.changes, &revision) {
                    bare.changes = known.of(&written.name, origin.as_ref());
                }
                if filled.is_some() {
                    continue;
                }
                let mut found = hazards::find(tree, root, &server, version, self.question.wants.hazards);
                if let Some(origin) = &origin {
                    origin.name(&mut found.hints);
                }
                bare.hazards = found.hints;
                if found.is_unfinished {
                    bare.unsearched = Some(UnsearchedVerdict {
                        node: root.node,
                        version,
                        server,
                    });
                    continue;
                }
            }
            if self.source.keeps_trees() {
                self.kept.borrow_mut().push_spent(server);
            }
        }
        bare
    }

    /// Reports a document with an old API version as a part of a CRD, if it is one. Only its kustomization is sent.
    pub(super) fn leave_part(&self, report: &mut DocumentReport, tree: &Tree) {
        let json = read_json(tree).ok();
        let Some(part) = json.and_then(|json| self.partial(report, tree, &json)) else {
            return;
        };
        report.subject = Subject::PartialCrd;
        report.in_part = true;
        for (_, verdict) in &mut report.verdicts {
            *verdict = DocumentVerdict {
                hints: vec![part.clone()],
                ..DocumentVerdict::default()
            };
        }
    }

    /// The finding for a document that is only a part of a CRD. The document lacks so many fields that they must be elsewhere, and either a complete
    /// CRD with its name exists, or the file is in a folder for patches.
    fn partial(&self, report: &DocumentReport, tree: &Tree, json: &JsonDoc<'_>) -> Option<Finding> {
        let path = self.question.path.unwrap_or(Path::new(""));
        let root = json.root().filter(|_| self.question.is_completed())?;
        if !Lacks::of_definition(tree, root.node).is_part() {
            return None;
        }
        let definitions = self.question.around.definitions;
        let whole = definitions.and_then(|it| Some((it, it.whole(&report.name, path)?)));
        if whole.is_none() && !is_patch(path) {
            return None;
        }
        let kind = tree.get(root.node, "kind").unwrap_or(root.node);
        let of = words::text::code(&report.name);
        let headline = format!("this is a part of the CRD {of}, so missing fields are not reported");
        let headline = words::clip(&headline, words::MAX_HEADLINE);
        let mut finding = Finding::new(Class::Hint, codes::PARTIAL_CRD, tree.span(kind), headline);
        let text = whole.and_then(|(definitions, whole)| whole.text(definitions.files()));
        finding.related.extend(text.map(|text| Related {
            span: text.kind_span(),
            message: "the whole CRD".to_owned(),
            file: Some(text.source.clone()),
        }));
        finding.severity = Severity::Hint;
        Some(finding)
    }
}
