//! Every diagnostic code with its sentence and its page.

/// A diagnostic code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    /// The code, kebab-case.
    pub name: &'static str,
    /// What it means, in one sentence.
    pub summary: &'static str,
    /// Its page, as markdown: examples, why the server does so, and how to repair it.
    pub page: &'static str,
}

crd_analyzer_schema::codes! {
    /// The request is refused as a whole.
    REFUSED = "refused";
    /// The manifest is larger than client-side `kubectl apply` can annotate.
    LARGE_MANIFEST = "large-manifest";
    /// A value begins with `!`, which makes a tag of it.
    LOCAL_TAG = "local-tag";
    /// The revision to compare with cannot be read as a definition.
    UNREADABLE_PREVIOUS_REVISION = "unreadable-previous-revision";
    /// The definition of a resource cannot be read right now.
    UNUSABLE_DEFINITION = "unusable-definition";
    /// Several files define the kind of a resource, each differently.
    SEVERAL_DEFINITIONS = "several-definitions";
    /// A changed definition refuses every update of an object that is stored.
    STORED_OBJECT_REFUSED = "stored-object-refused";
    /// A changed definition makes an object invalid that is stored, and tolerates it until it changes.
    STORED_OBJECT_INVALID = "stored-object-invalid";
    /// The text is a template that makes a definition when it is filled in.
    TEMPLATE = "template";
    /// A comment that silences findings cannot be read.
    MALFORMED_SUPPRESSION = "malformed-suppression";
    /// A comment silences a finding that is not there.
    UNUSED_SUPPRESSION = "unused-suppression";
    /// A comment silences a finding and does not say why.
    SUPPRESSION_WITHOUT_REASON = "suppression-without-reason";
}

/// Every code, sorted by name.
pub fn all() -> Vec<Code> {
    let lists = [
        ALL,
        crd_analyzer_apiextensions::codes::ALL,
        crd_analyzer_hazards::codes::ALL,
        crd_analyzer_resource::codes::ALL,
        crd_analyzer_schema::codes::ALL,
    ];
    let mut all: Vec<Code> = lists
        .into_iter()
        .flatten()
        .map(|(name, summary, page)| Code {
            name,
            summary: summary.trim(),
            page,
        })
        .collect();
    all.sort_by_key(|code| code.name);
    all
}

/// The code of this name.
pub fn find(name: &str) -> Option<Code> {
    all().into_iter().find(|code| code.name == name)
}

/// The code whose name is the fewest edits away, if it is near enough to be meant.
pub fn nearest(name: &str) -> Option<&'static str> {
    nearest_of(name, all().into_iter().map(|code| code.name))
}

/// The name among these that was probably meant.
pub fn nearest_of<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let near = names.map(|it| (edits(name, it), it)).min()?;
    (near.0 <= name.len().div_ceil(3)).then_some(near.1)
}

/// The edit distance of two short words.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let next = (diagonal + usize::from(x != *y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = std::mem::replace(&mut row[j + 1], next);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique() {
        let all = all();
        for pair in all.windows(2) {
            assert_ne!(pair[0].name, pair[1].name);
        }
    }

    #[test]
    fn finds_what_was_meant() {
        assert_eq!(nearest("unknown-feild"), Some("unknown-field"));
        assert_eq!(nearest("x"), None);
    }
}
