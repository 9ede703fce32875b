//! The types of the values that actions of a template print, as far as they are known.

use std::{cell::RefCell, collections::HashMap, ops::Range};

use crd_analyzer_schema::codes::WRONG_TYPE;
use crd_analyzer_syntax::tree::Span;

use crate::{
    charts::{
        printed::{Printed, printed},
        put::{Origin, Put},
        values::Values,
    },
    filled_in::fill::Filled,
    findings::finding::Related,
    findings::report::FileReport,
};

/// The actions of a template that print values of a known type.
pub(super) struct Types<'v> {
    values: Option<&'v Values>,
    all: Vec<Printed>,
    /// The places of values that were filled in, each with the index of its action.
    places: RefCell<HashMap<Span, usize>>,
}

impl<'v> Types<'v> {
    /// The actions of a text. In the text of templates that it includes, `.` may be any value.
    pub(super) fn new(text: &str, values: Option<&'v Values>, put: Option<&Put>) -> Self {
        let is_own = |range| put.is_none_or(|it| matches!(it.origin(span(range)), Origin::Own(_)));
        Self {
            values,
            all: printed(text, values, &is_own),
            places: RefCell::default(),
        }
    }

    /// Records the types in a text that was filled in.
    pub(super) fn put_in(&self, mut filled: Filled) -> Filled {
        let ranges = filled.places.take_types(self.all.iter().map(|it| &it.written));
        let found = ranges.into_iter().enumerate();
        let found = found.filter_map(|(n, range)| Some((span(range?), n)));
        self.places.borrow_mut().extend(found);
        filled
    }

    /// Shows each error about a type at the whole action, and adds what the schema of the values says.
    pub(super) fn name_deciding(&self, report: &mut FileReport) {
        let places = self.places.borrow();
        let verdicts = report.documents.iter_mut().flat_map(|it| &mut it.verdicts);
        let findings = verdicts.flat_map(|it| it.1.findings_mut());
        for finding in findings.filter(|it| it.code == WRONG_TYPE) {
            let Some(printed) = places.get(&finding.span).map(|it| &self.all[*it]) else {
                continue;
            };
            finding.span = span(printed.action.clone());
            let schema = printed.path.as_ref().zip(self.values);
            if let Some((path, (file, span))) = schema.and_then(|(path, values)| Some((path, values.place(path)?))) {
                finding.related.push(Related {
                    span,
                    message: format!("Helm refuses other types of `.Values.{}`", path.join(".")),
                    file: Some(file),
                });
            }
        }
    }
}

fn span(range: Range<usize>) -> Span {
    Span::new(range.start as u32, range.end as u32)
}
