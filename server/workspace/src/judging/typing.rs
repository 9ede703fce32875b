//! Checks a text while the user types, so that an unfinished entry does not hide the other diagnostics.

use std::{ops::Range, sync::Arc};

use crd_analyzer_syntax::{common, tree::Span};

use crate::{
    documents::last_trees::LastTrees,
    documents::text::Text,
    findings::finding::Finding,
    findings::report::{DocumentReport, FileReport},
    judging::analysis::{Question, analyze_source, analyze_text, parse_failure},
    judging::deferred_search::DeferredSearch,
    judging::unfinished,
    judging::verdict,
    roles::is_template,
    sources,
};

/// What is known of the typing in a text.
#[derive(Clone, Copy, Default, Debug)]
pub struct Typing<'a> {
    /// The byte offset of the cursor.
    pub cursor: Option<u32>,
    /// The trees of the version of the text that was checked before. They only make the check faster.
    pub last_trees: Option<&'a Arc<LastTrees>>,
}

/// Like [`analyze`](crate::judging::analysis::analyze), for a text that the user is editing. If the document cannot be parsed because of an
/// unfinished entry at the cursor, the report is about the text without the entry, and [`FileReport::unfinished`] has the entry's error.
pub fn analyze_typing(text: Arc<str>, question: &Question<'_>, typing: Typing<'_>) -> (FileReport, DeferredSearch) {
    let source = Text::whole(text).after(typing.last_trees);
    let calm = typing.cursor.and_then(|it| without_action(&source, question, it));
    if let Some(answer) = calm {
        return answer;
    }
    if question.path.is_some_and(|it| sources::of(it).is_some()) {
        return analyze_source(&source, question);
    }
    let Some(cursor) = typing.cursor else {
        return analyze_text(&source, question);
    };
    if let Some(readable) = unfinished::readable(&source, cursor) {
        let error = verdict::not_yaml(&readable.error);
        let answer = analyze_text(&readable.text, question);
        return without_entry(answer, &source, cursor, error);
    }
    let answer = analyze_text(&source, question);
    // If a value has the wrong type, the whole CRD cannot be decoded.
    let line = unfinished::line_at(&source.content, cursor as usize);
    let is_here = |it: &&Finding| line.contains(&(it.span.start as usize));
    let newest = answer.0.documents.iter().filter_map(|it| it.verdicts.last());
    let Some(error) = newest
        .filter_map(|it| it.1.decode_error.as_ref())
        .find(is_here)
        .cloned()
    else {
        return answer;
    };
    for range in unfinished::candidates(&source.content, &line) {
        let text = unfinished::blanked(&source.content, &range);
        let calm = analyze_text(&source.with_other_content(text.into()), question);
        let is_decoded = |it: &DocumentReport| it.verdicts.iter().all(|it| it.1.decode_error.is_none());
        if calm.0.documents.len() == answer.0.documents.len() && calm.0.documents.iter().all(is_decoded) {
            return without_entry(calm, &source, cursor, error);
        }
    }
    answer
}

/// Checks a template of a Helm chart without the unfinished action at the cursor. `None` if Helm can parse the template, or cannot parse it for another
/// reason.
fn without_action(source: &Text, question: &Question<'_>, cursor: u32) -> Option<(FileReport, DeferredSearch)> {
    let path = question.path.filter(|it| is_template(it))?;
    let error = parse_failure(path, &source.content, question)?;
    let action = unfinished::action_at(&source.content, cursor as usize)?;
    let text = unfinished::blanked(&source.content, &action).into();
    if parse_failure(path, &text, question).is_some() {
        return None;
    }
    let answer = analyze_source(&source.with_other_content(text), question);
    Some(without_entry(answer, source, cursor, error))
}

/// Converts the report on a text without the unfinished entry to a report on the original text.
fn without_entry(
    (mut report, kept): (FileReport, DeferredSearch),
    source: &Text,
    cursor: u32,
    error: Finding,
) -> (FileReport, DeferredSearch) {
    let line = unfinished::line_at(&source.content, cursor as usize);
    let is_elsewhere = |it: &Finding| !line.contains(&(it.span.start as usize));
    for (_, verdict) in report.documents.iter_mut().flat_map(|it| &mut it.verdicts) {
        verdict.retain(is_elsewhere);
    }
    let removed = common::ahead(report.text.as_bytes(), source.content.as_bytes());
    let removed = unfinished::line_at(&source.content, removed);
    let mut parents = unfinished::lines_of_parents(&source.content, &removed);
    parents.extend(unfinished::lines_of_parents(&source.content, &line));
    let span = |it: Range<usize>| Span::new(it.start as u32, it.end as u32);
    report.around_unfinished = parents.into_iter().map(span).collect();
    report.text = source.content.clone();
    report.unfinished = Some(Box::new(error));
    (report, kept)
}
