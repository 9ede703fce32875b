//! Hover in `.crd-analyzer.yaml`: settings, diagnostic codes and severities.

use crd_analyzer_syntax::{
    paths::{self, Side, Step},
    tree::Tree,
};
use crd_analyzer_workspace::{
    codes,
    config::settings::{self, LEVELS, Values},
};

use super::{Block, Hover};
use crate::markdown::code;

/// The hover at an offset of the file.
pub fn configuration_hover(tree: &Tree, offset: u32) -> Option<Hover> {
    let at = paths::at(tree, offset)?;
    let names: Option<Vec<_>> = at
        .path
        .iter()
        .map(|it| match it {
            Step::Key(key) => Some(key.as_ref()),
            Step::Index(_) => None,
        })
        .collect();
    let names = names?;
    let setting = settings::find(names.first()?)?;
    let text = match (names.as_slice(), setting.values, at.side) {
        ([_], _, Side::Key) => setting.doc.to_owned(),
        ([_, name], Values::Levels, Side::Key) => {
            let known = codes::find(name)?;
            let page = format!("crd-analyzer explain {name}");
            format!("{} Run {} for its page.", known.summary, code(&page))
        }
        ([_, _], Values::Levels, Side::Value) => {
            let level = tree.scalar(at.node);
            LEVELS.iter().find(|it| it.0 == level)?.1.to_owned()
        }
        _ => return None,
    };
    Some(Hover {
        span: tree.span(at.node),
        blocks: vec![Block::Text(text)],
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::file::File;

    #[test]
    fn settings_codes_and_severities_are_explained() {
        let text = "kubernetesVersion: all\nrules:\n  missing-type: off\n";
        let file = File::new(text, Arc::default());
        let said = |needle: &str| {
            let offset = text.find(needle).expect("the needle") as u32;
            let tree = file.document_at(offset).expect("a document").tree;
            configuration_hover(tree, offset).map(|it| it.plain())
        };
        assert!(said("kubernetesVersion").is_some_and(|it| it.starts_with("The Kubernetes versions to check for")));
        assert_eq!(
            said("missing-type").as_deref(),
            Some("A schema has no type. Run crd-analyzer explain missing-type for its page.")
        );
        assert_eq!(said("off").as_deref(), Some("Not shown."));
        assert_eq!(said("all"), None);
    }
}
