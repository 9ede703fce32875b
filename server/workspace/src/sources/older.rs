//! Diagnostics about CRDs that are older than their source files. They are shown both in the source files and in the CRD.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use crd_analyzer_syntax::tree::Span;

use super::{
    go_crds::stale::Older,
    one_made::{Made, SourceError},
};
use crate::{
    codes::STALE_CRD,
    documents::text::Text,
    findings::{
        finding::{Class, Finding, Related, Severity},
        report::{DocumentReport, DocumentVerdict, FileReport},
        suppress::{self, Form},
    },
    judging::question::Question,
    words::{self, stale::What},
};

/// The maximum number of CRDs, or of places in source files, to which a finding refers.
const MOST_RELATED: usize = 3;

/// The first place in a source file that is newer than the CRD. `None` if the generator fails: that error is shown instead, because the CRD can only
/// follow after it is corrected.
pub(super) fn first<'m>(made: &'m Made, path: &Path) -> Option<&'m Older> {
    let older = made.stale().filter(|it| it.refused.is_none())?.older.iter();
    older
        .filter(|it| *it.place.file.path == *path)
        .min_by_key(|it| it.place.span.start)
}

/// The findings in a source file. There is one at each place, even if several CRDs are older.
pub(super) fn in_source<'m>(
    made: impl Iterator<Item = &'m Made>,
    path: &Path,
    question: &Question<'_>,
) -> Vec<DocumentReport> {
    let mut places: BTreeMap<(u32, u32), Vec<(&Made, &Older)>> = BTreeMap::new();
    for made in made {
        if let Some(older) = first(made, path) {
            let Span { start, end } = older.place.span;
            places.entry((start, end)).or_default().push((made, older));
        }
    }
    let tell = |((start, end), all): ((u32, u32), Vec<(&Made, &Older)>)| {
        let (made, older) = *all.first()?;
        let more = made.stale()?.older.len() - 1;
        let kinds: Vec<&str> = all.iter().filter_map(|it| Some(it.0.kind()?.kind.as_str())).collect();
        let error = all.iter().find_map(|it| it.0.error(Some(question)));
        let mut finding = finding(Span::new(start, end), &older.what, &kinds, (more, error.as_ref()));
        let crds = all.iter().take(MOST_RELATED).filter_map(|(made, older)| {
            Some(Related {
                span: older.at,
                message: "the CRD".to_owned(),
                file: Some(made.stale()?.crd.clone()),
            })
        });
        finding.related = error.iter().map(|it| related(it, path)).chain(crds).collect();
        let mut document = made.found(question).first()?.clone();
        document.span = finding.span;
        for (_, verdict) in &mut document.verdicts {
            *verdict = DocumentVerdict {
                hints: vec![finding.clone()],
                ..DocumentVerdict::default()
            };
        }
        Some(document)
    };
    places.into_iter().filter_map(tell).collect()
}

/// The finding for the file of a CRD that is older than its source, at the first difference. Comments in the file may suppress it.
pub(super) fn of_crd(made: &[Made], (path, text): (&Path, &Arc<str>), question: &Question<'_>) -> Option<Finding> {
    let is_it = |it: &&Made| it.crd().is_some_and(|it| *it.path == *path);
    let (made, stale) = made.iter().filter(is_it).find_map(|it| Some((it, it.stale()?)))?;
    let first = stale.older.iter().min_by_key(|it| it.at.start)?;
    let kinds: Vec<&str> = made.kind().iter().map(|it| it.kind.as_str()).collect();
    let error = made.error(Some(question));
    let about = (stale.older.len() - 1, error.as_ref());
    let mut finding = finding(first.at, &first.what, &kinds, about);
    if first.what != What::Stuck {
        finding.label = Some("older than the types".to_owned());
    }
    let places = stale.older.iter().take(MOST_RELATED).map(|it| Related {
        span: it.place.span,
        message: "the types".to_owned(),
        file: Some(it.place.file.clone()),
    });
    finding.related = match &error {
        Some(error) => vec![related(error, path)],
        None => places.collect(),
    };
    let text = Text::whole(text.clone());
    let tree = text.documents().documents.first().and_then(|it| text.read(*it).ok());
    if let Some(tree) = tree {
        suppress::apply(tree.text(), Form::Yaml, tree.comments(), std::iter::once(&mut finding));
    }
    Some(finding)
}

/// If a CRD is older than its source, adds a finding to the report on the CRD's file.
pub(super) fn in_crd(made: &[Made], (path, report): (&Path, &mut FileReport), question: &Question<'_>) {
    let Some(finding) = of_crd(made, (path, &report.text), question) else {
        return;
    };
    let around = |it: &&mut DocumentReport| it.span.start <= finding.span.start && finding.span.end <= it.span.end;
    if let Some(document) = report.documents.iter_mut().find(around) {
        for (_, verdict) in &mut document.verdicts {
            verdict.hints.push(finding.clone());
        }
    }
}

/// The place of an error in the source files, beside a finding in the file at a path.
fn related(error: &SourceError, path: &Path) -> Related {
    let place = error.place();
    Related {
        span: place.span,
        message: "the error".to_owned(),
        file: (*place.file.path != *path).then(|| place.file.clone()),
    }
}

fn finding(span: Span, what: &What, kinds: &[&str], (more, error): (usize, Option<&SourceError>)) -> Finding {
    let mut finding = Finding::new(Class::Hint, STALE_CRD, span, "");
    finding.severity = Severity::Warning;
    let error = error.map(|it| match it {
        SourceError::Refused(_) => words::stale::Error::Refused,
        SourceError::Rejected(_) => words::stale::Error::Rejected,
    });
    words::put(&mut finding, words::stale::words(what, kinds, (more, error)));
    finding
}
