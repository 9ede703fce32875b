//! The text that a template prints, as far as it is known.

use std::path::Path;

use crd_analyzer_syntax::{split::Document, template::first_action};

use super::{
    fill::{Filled, Places, fill, fill_braces},
    jinja,
};
use crate::{
    documents::text::Text,
    roles::{self, Use, Uses},
};

/// The text of a template with its actions filled in. `None` if neither its path nor its text shows that it is a template.
pub(crate) fn printed(source: &Text, path: Option<&Path>) -> Option<Filled> {
    let is_jinja = path.is_some_and(roles::is_filled_in);
    let of_jinja = || fill(&jinja::as_actions(&source.content)?);
    is_jinja.then(of_jinja).flatten().or_else(|| {
        let is_template = path.is_some_and(roles::is_template) || has_actions(source);
        is_template.then(|| fill(&source.content)).flatten()
    })
}

/// The text of a file with these uses that people or programs fill in. `None` if there is nothing to fill in.
pub(crate) fn replaced(source: &Text, uses: Uses<'_>) -> Option<(Text, Places)> {
    let text = &source.content;
    let without_raw = || Some((jinja::without_raw(text)?, Places::new(text)?));
    let in_braces = || fill_braces(text).map(|it| (it.text, it.places));
    let has_placeholders = uses.has(Use::Placeholders);
    let found = has_placeholders.then(|| without_raw().or_else(in_braces)).flatten()?;
    Some((Text::whole(found.0.into()), found.1))
}

/// Whether a text is a template of a program: it has actions where they cannot be a part of YAML.
fn has_actions(source: &Text) -> bool {
    let has_one = |it: &Document| first_action(&source.content, it.span).is_some();
    source.content.contains("{{") && source.documents().documents.iter().any(has_one)
}
