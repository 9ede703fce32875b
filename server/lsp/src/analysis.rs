//! What is known about one version of a document, ready to be sent.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use crd_analyzer_ide::fixes::Problem;
use crd_analyzer_syntax::lines::LineIndex;
use crd_analyzer_workspace::{
    analysis::{Question, analyze},
    costs::DocumentCosts,
    generated,
    hazards::{Search, are_shown},
    index::Definitions,
    report::Shown,
    revision::{Revision, add_update},
};
use lsp_types::{Diagnostic, Uri};
use ropey::Rope;

use crate::{capabilities::Client, go_sources::GoSources, known, settings::Effective, to_proto};

/// What is known about one version of a document.
#[derive(Debug)]
pub(crate) struct Analysis {
    /// What is shown, in the order of the text.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The same, as fixes are asked for.
    pub(crate) problems: Vec<Problem>,
    /// Names this list: two lists with the same name are the same.
    pub(crate) result_id: String,
    /// Hazards of some rules are not known yet.
    pub(crate) is_unfinished: bool,
    /// What its rules cost, if that was asked.
    pub(crate) costs: Option<Arc<[DocumentCosts]>>,
}

/// What is wanted of an analysis beside the verdict.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'a> {
    /// Which hazards of rules are told.
    pub(crate) hazards: Search<'a>,
    /// What rules cost.
    pub(crate) costs: bool,
    /// What the text is to replace.
    pub(crate) replaced: Option<Revision<'a>>,
    /// What definitions are generated from.
    pub(crate) go: Option<&'a GoSources>,
}

impl Analysis {
    /// Nothing to show.
    pub(crate) fn empty() -> Self {
        Self::of(Vec::new(), Vec::new())
    }

    /// Asks about a text.
    pub(crate) fn new(
        uri: &Uri,
        text: &Rope,
        effective: &Effective,
        client: &Client,
        definitions: &dyn Definitions,
        wanted: &Wanted<'_>,
    ) -> Self {
        if effective.is_excluded {
            return Self::empty();
        }
        let mut bytes = Vec::with_capacity(text.len_bytes());
        text.chunks().for_each(|it| bytes.extend_from_slice(it.as_bytes()));
        let path = known::path_of(uri.as_str());
        let question = Question {
            path: Some(&path),
            definitions: Some(definitions),
            go: wanted.go.map(|it| it as &dyn generated::GoSources),
            hazards: if are_shown(&effective.config) {
                wanted.hazards
            } else {
                Search::Off
            },
            wants_costs: wanted.costs,
            ..Question::new(effective.versions)
        };
        let mut report = analyze(bytes, &question);
        let costs = wanted.costs.then(|| std::mem::take(&mut report.costs).into());
        if let Some(replaced) = &wanted.replaced {
            add_update(&mut report, &question, replaced);
        }
        let mut shown: Vec<Shown> = report
            .documents
            .iter()
            .flat_map(|it| it.shown(&effective.config))
            .collect();
        let of_file = report
            .findings
            .iter()
            .filter_map(|it| effective.config.apply(it.clone()));
        shown.extend(of_file.map(|finding| Shown {
            finding,
            versions: effective.versions,
        }));
        if shown.is_empty() {
            return Self {
                is_unfinished: report.is_unfinished,
                costs,
                ..Self::empty()
            };
        }
        let source = to_proto::Source {
            uri,
            text: &report.text,
            lines: &LineIndex::new(&report.text),
            client,
        };
        let convert = |it: &Shown| to_proto::diagnostic(&source, it, effective.versions);
        let problems = shown.iter().map(|it| Problem::from(&it.finding)).collect();
        Self {
            is_unfinished: report.is_unfinished,
            costs,
            ..Self::of(shown.iter().map(convert).collect(), problems)
        }
    }

    fn of(diagnostics: Vec<Diagnostic>, problems: Vec<Problem>) -> Self {
        let mut hasher = DefaultHasher::new();
        serde_json::to_string(&diagnostics)
            .unwrap_or_default()
            .hash(&mut hasher);
        Self {
            diagnostics,
            problems,
            result_id: format!("{:016x}", hasher.finish()),
            is_unfinished: false,
            costs: None,
        }
    }
}
