//! From the text that somebody types in to the diagnostics of its documents: an unfinished entry does not hide the rest.

use std::sync::Arc;

use crate::{
    documents::text::Text,
    findings::finding::Finding,
    findings::report::{DocumentReport, FileReport},
    judging::analysis::{Question, analyze_source, analyze_text},
    judging::deferred_search::DeferredSearch,
    judging::unfinished,
    judging::verdict,
    sources,
};

/// Answers as [`analyze`](crate::judging::analysis::analyze) does, for a text that somebody types in, at the byte `cursor` if that is known. If the entry there is not finished and keeps the document from being read,
/// the answer is for the text without the entry, and [`FileReport::unfinished`] says what is wrong with it.
pub fn analyze_typing(text: Arc<str>, question: &Question<'_>, cursor: Option<u32>) -> (FileReport, DeferredSearch) {
    let source = Text::whole(text).after(question.last_trees);
    if question.path.is_some_and(|it| sources::of(it).is_some()) {
        return analyze_source(&source, question);
    }
    let Some(cursor) = cursor else {
        return analyze_text(&source, question);
    };
    if let Some(readable) = unfinished::readable(&source, cursor) {
        let error = verdict::not_yaml(&readable.error);
        let answer = analyze_text(&readable.text, question);
        return without_entry(answer, &source, cursor, error);
    }
    let answer = analyze_text(&source, question);
    // A value of the wrong type keeps a whole CRD from being decoded.
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

/// The answer for a text without an entry, as one for the text with it.
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
    report.text = source.content.clone();
    report.unfinished = Some(Box::new(error));
    (report, kept)
}
