//! Custom resources and their CRDs, both from the input.

use std::{path::Path, sync::Arc};

use crd_analyzer_ide::{
    completion,
    fixes::{self, Problem},
};
use crd_analyzer_syntax::tree::Span;
use crd_analyzer_workspace::{
    config::Config,
    config::versions::VersionSet,
    index::{Catalog, CrdText, Definitions, GroupKind, MemoryFiles, NewFile, Origin, objects},
    judging::analysis::{Around, Old, Question, Update, analyze},
    resource::annotated,
};

use super::crd::assert_sound;
use crate::{
    Target, dictionary,
    input::{Input, input},
};

pub(super) const TARGET: Target = Target {
    name: "resource",
    run,
    seeds: |cases| {
        let all = cases.resources.iter().enumerate();
        all.map(|(n, it)| {
            let old = it.old.as_deref();
            let flags = n as u8 & !UPDATE | if old.is_some() { UPDATE } else { 0 };
            input(&[0, flags], &[&it.object, &it.definition, old.unwrap_or_default()])
        })
        .collect()
    },
    words: dictionary::definition,
};

const UPDATE: u8 = 1;
const PAIRED: u8 = 2;
const FIXES: u8 = 4;

/// A catalog with the CRDs of a file in memory.
pub(super) fn catalog(definition: &[u8]) -> Catalog {
    let path = Path::new("/definition.yaml");
    let (text, objects) = objects(definition.to_vec());
    let catalog = Catalog::new(MemoryFiles([(path.to_owned(), text.to_string())].into()));
    catalog.change(|index| {
        index.set(&NewFile {
            path,
            origin: Origin::Workspace,
            text: &text,
            objects: &objects,
            keep_text: false,
        })
    });
    catalog
}

/// A catalog in the form that completion and quick fixes use.
pub(super) struct Near<'c>(pub(super) &'c Catalog);

impl completion::Definitions for Near<'_> {
    fn find(&self, kind: &GroupKind) -> Option<Arc<CrdText>> {
        let found = Definitions::find(self.0, kind, Path::new("/resource.yaml"))?;
        self.0.text(&found.definition)
    }

    fn kinds(&self) -> Vec<GroupKind> {
        self.0
            .with(|index| index.definitions().map(|it| it.defines.clone()).collect())
    }
}

fn run(bytes: &[u8]) {
    let mut input = Input::new(bytes);
    let version = input.version();
    let flags = input.number();
    let (object, definition, old) = (input.part(), input.part(), input.part());
    let catalog = catalog(definition);
    let versions = VersionSet::one(version);
    let question = Question {
        named: true,
        path: Some(Path::new("/resource.yaml")),
        update: Update {
            old: (flags & UPDATE != 0).then_some(Old {
                text: old,
                is_paired: flags & PAIRED != 0,
            }),
            ..Update::default()
        },
        around: Around::crds(&catalog),
        ..Question::new(versions)
    };
    let report = analyze(object.to_vec(), &question);
    assert_sound(&report);
    let verdicts = report.documents.iter().flat_map(|it| &it.verdicts);
    for effective in verdicts.filter_map(|it| it.1.resource.as_deref()) {
        for line in annotated(effective) {
            assert!(!line.text.contains('\n'), "{:?} is more than a line", line.text);
        }
    }
    if flags & FIXES != 0 {
        let text = &report.text;
        let shown = report
            .documents
            .iter()
            .flat_map(|it| it.merged_findings(&Config::default()));
        let problems: Vec<Problem> = shown.map(|it| Problem::from(&it.finding)).take(8).collect();
        let whole = Span::new(0, text.len() as u32);
        let judge = |text: &str| Some(analyze(text.as_bytes().to_vec(), &question));
        for fix in fixes::repairs(text, problems, whole, &Near(&catalog), &judge) {
            assert!(
                fixes::apply(text, &fix.edits).is_some(),
                "{}: the edits do not fit {text:?}",
                fix.title
            );
        }
    }
}
