//! Expressions with several mistakes: the API server reports all of them in one error.

use crd_analyzer_apiextensions::places::LocatedField;
use crd_analyzer_schema::field::Error;
use crd_analyzer_syntax::tree::Tree;

use crate::{findings::finding::Related, words};

/// The other problems of an expression, with their spans.
pub(crate) fn other_problems(tree: &Tree, place: &LocatedField, error: &Error) -> Vec<Related> {
    if place.missing || !tree.is_scalar(place.value) {
        return Vec::new();
    }
    let map = tree.source_map(place.value);
    let others = error.others().iter().map(|(kind, bytes)| Related {
        span: map.span(bytes.clone()),
        message: words::expression::of_expression(kind).0,
        file: None,
    });
    others.collect()
}

#[cfg(test)]
mod tests {
    use crate::{
        config::versions::VersionSet,
        judging::analysis::{Question, analyze},
    };

    /// The messages for the other problems of a rule, with the text at each place.
    fn beside(rule: &str) -> Vec<(String, String)> {
        let text = format!(
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {{name: as.example.com}}\nspec:\n  group: example.com\n  \
             scope: Namespaced\n  names: {{kind: A, plural: as, singular: a, listKind: AList}}\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    \
             schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          a:\n            type: string\n            \
             x-kubernetes-validations:\n            - rule: \"{rule}\"\n"
        );
        let report = analyze(text.clone().into_bytes(), &Question::new(VersionSet::default()));
        let verdict = &report.documents[0].verdicts.last().expect("a verdict").1;
        assert_eq!(verdict.errors.len(), 1, "{rule}");
        let shown = verdict.errors[0]
            .related
            .iter()
            .map(|it| (text[it.span.range()].to_owned(), it.message.clone()));
        shown.collect()
    }

    #[test]
    fn all_mistakes_of_an_expression_are_shown() {
        let undeclared = |name: &str| {
            (
                name.to_owned(),
                format!("`{name}` is neither a variable nor a function"),
            )
        };
        assert_eq!(beside("b == 'a' && c == 'b' && d"), [undeclared("c"), undeclared("d")]);
        assert_eq!(beside("b == 'a'"), []);
        // Problems after a syntax error are mostly consequences of it, so they are not reported.
        assert_eq!(beside("self == == 'a' == )"), []);
    }
}
