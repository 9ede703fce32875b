//! Values that a template prints and that the chart does not have, although a value beside them has nearly the same name.

use std::{collections::HashSet, ops::Range, path::Path};

use crd_analyzer_syntax::tree::Span;

use super::{
    chart::Chart,
    reads::{Names, reads},
    values::Meant,
};
use crate::{
    codes,
    filled_in::fill::actions::actions,
    findings::finding::{Class, Finding, Related},
};

/// The value of a chart that all charts in it see.
const GLOBAL: &str = "global";

/// The maximum number of values without a default that are compared with others in one file.
const MOST: usize = 200;

/// Hints about the values that a template prints. `text` is the text of the template at `path`.
pub(crate) fn misspelt(path: &Path, text: &str, chart: &Chart) -> Vec<Finding> {
    let mut found = Vec::new();
    let (Some(values), Some(file)) = (chart.values(path), chart.file(path)) else {
        return found;
    };
    let Some(actions) = actions(text).filter(|_| text.contains(".Values.")) else {
        return found;
    };
    // A template that several charts include gets the values of each.
    let own = reads(text, &actions, chart.is_alone());
    let asked: HashSet<&[&str]> = own
        .iter()
        .filter(|it| !it.is_printed)
        .flat_map(|it| (1..=it.path.len()).map(|length| &it.path[..length]))
        .collect();
    let mut strings = Names::default();
    strings.take_strings(text, &actions);
    let printed = own.iter().filter(|it| it.is_printed && it.path[0] != GLOBAL);
    let slips = printed.filter(|it| !values.has(&it.path)).take(MOST);
    for read in slips {
        let Some(meant) = values.meant(&read.path) else {
            continue;
        };
        let (written, beside) = (read.path[meant.depth], &read.path[..=meant.depth]);
        let names = chart.names();
        let is_named = names.has_string(written) || strings.has_string(written);
        if is_named || asked.contains(beside) || names.are_read_elsewhere(&beside.join("."), file) {
            continue;
        }
        let start = read.at + read.path[..meant.depth].iter().map(|it| it.len() + 1).sum::<usize>();
        found.push(hint(start..start + written.len(), beside, meant));
    }
    found
}

fn hint(place: Range<usize>, path: &[&str], meant: Meant) -> Finding {
    let (written, name) = (path.join("."), meant.name);
    let headline = format!("the chart has no value `{written}`: did you mean `{name}`?");
    let span = Span::new(place.start as u32, place.end as u32);
    let (file, beside) = meant.place;
    Finding {
        label: Some("not in `values.yaml`".to_owned()),
        help: vec![format!("write `{name}`, or add `{written}` to `values.yaml`")],
        related: vec![Related {
            span: beside,
            message: "the chart has this value".to_owned(),
            file: Some(file),
        }],
        meant: Some(name),
        ..Finding::new(Class::Hint, codes::UNKNOWN_CHART_VALUE, span, headline)
    }
}
