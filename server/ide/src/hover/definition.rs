//! Additional hover information about some fields of a CRD: what they mean in this particular CRD.

use crd_analyzer_apiextensions::api::OBJECT_META;
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    paths::Step,
    tree::{NodeId, Tree},
};

use super::{
    Block,
    node::{describe, of_keyword},
};
use crate::{
    cel::{Expression, RULES, scalar_of},
    cost::rule_cost,
    file::Document,
    manifest::object_at,
    markdown::code,
    property::schema_at_path,
    schema::{self, child, is_true, text},
};

/// Additional information about the value of a field in this CRD.
pub(super) fn more(
    document: &Document<'_>,
    field: &str,
    path: &[Step<'_>],
    value: NodeId,
    version: KubernetesVersion,
) -> Vec<Block> {
    let tree = document.tree;
    let path = object_at(tree, path).1;
    let in_versions = path.len() >= 3 && matches!(&path[1], Step::Key(key) if key == "versions");
    match field {
        "versions" | "name" | "storage" | "served" if path.len() == 2 || in_versions && path.len() == 4 => {
            versions(document).into_iter().collect()
        }
        "additionalPrinterColumns" => columns(document, value),
        "conversion" | "strategy" if path.len() <= 3 => vec![conversion(document)],
        RULES => of_keyword(document, value, version),
        "rule" | "messageExpression" => {
            let cost = scalar_of(tree, value)
                .map(|it| Expression::new(document, it, version))
                .and_then(|it| rule_cost(&it));
            cost.map(|it| Block::List(vec![it.describe()])).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The versions of the CRD in the order in which clients prefer them. `None` if there is only one.
fn versions(document: &Document<'_>) -> Option<Block> {
    let tree = document.tree;
    let mut all = schema::versions(document);
    if all.len() < 2 {
        return None;
    }
    all.sort_by(|a, b| compare(&a.name, &b.name));
    let show = |it: &schema::Version<'_>| {
        let item = tree.resolve(it.item);
        let mut words = Vec::new();
        if is_true(tree, item, "storage") {
            words.push("stored");
        }
        words.push(if is_true(tree, item, "served") {
            "served"
        } else {
            "not served"
        });
        if is_true(tree, item, "deprecated") {
            words.push("deprecated");
        }
        format!("{} ({})", code(&it.name), words.join(", "))
    };
    let lines: Vec<_> = all.iter().map(show).collect();
    let order = numbered(&lines);
    Some(Block::Text(format!(
        "In order of priority, clients prefer the first of these that is served:\n\n{order}"
    )))
}

fn numbered(items: &[String]) -> String {
    let lines = items.iter().enumerate().map(|(at, it)| format!("{}. {it}", at + 1));
    lines.collect::<Vec<_>>().join("\n")
}

/// The order of versions in discovery (`k8s.io/apimachinery/pkg/version`, `CompareKubeAwareVersionStrings`, from the highest).
pub(crate) fn compare(a: &str, b: &str) -> std::cmp::Ordering {
    match (parse(a), parse(b)) {
        (Some(a), Some(b)) => b.cmp(&a),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

/// The stability (GA is the highest), the major number and the pre-release number. `None` for names in another form.
fn parse(name: &str) -> Option<(u8, u64, u64)> {
    let rest = name.strip_prefix('v')?;
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number = |text: &str| {
        (!text.is_empty() && !text.starts_with('0'))
            .then(|| text.parse().ok())
            .flatten()
    };
    let (major, rest) = rest.split_at(digits(rest));
    let major = number(major)?;
    if rest.is_empty() {
        return Some((2, major, 0));
    }
    let (stability, rest) = match (rest.strip_prefix("beta"), rest.strip_prefix("alpha")) {
        (Some(rest), _) => (1, rest),
        (_, Some(rest)) => (0, rest),
        _ => return None,
    };
    Some((stability, major, number(rest)?))
}

/// The columns of `kubectl get`.
fn columns(document: &Document<'_>, list: NodeId) -> Vec<Block> {
    let tree = document.tree;
    let version = schema::versions(document)
        .into_iter()
        .find(|it| tree.is_in(list, it.item));
    let root = version.and_then(|it| it.schema);
    let mut header = vec!["NAME".to_owned()];
    let mut rows = Vec::new();
    for column in tree.items(tree.resolve(list)) {
        let column = tree.resolve(column);
        let name = text(tree, column, "name").unwrap_or_default();
        let path = text(tree, column, "jsonPath").unwrap_or_default();
        let wide = text(tree, column, "priority").is_some_and(|it| it.parse::<i64>().is_ok_and(|it| it > 0));
        if !wide {
            header.push(name.to_uppercase());
        }
        let shows = root
            .and_then(|root| shown_by(tree, root, &path))
            .unwrap_or_else(|| "nothing the schema has".to_owned());
        let only = if wide { ", only with `-o wide`" } else { "" };
        rows.push(format!("{}: {} ({shows}){only}", code(&name), code(&path)));
    }
    if rows.is_empty() {
        return Vec::new();
    }
    vec![Block::Code("text", header.join("   ")), Block::List(rows)]
}

/// A description of the field at a path. Every resource has `metadata`, although schemas rarely describe it.
fn shown_by(tree: &Tree, root: NodeId, path: &str) -> Option<String> {
    if let Some(schema) = schema_at_path(tree, root, path) {
        return Some(describe(tree, schema));
    }
    let name = path.strip_prefix(".metadata.")?;
    let name = name.split(['.', '[']).next()?;
    let field = OBJECT_META.fields.iter().find(|it| it.name == name)?;
    Some(field.ty.display())
}

/// How objects are converted from one version to another.
fn conversion(document: &Document<'_>) -> Block {
    let tree = document.tree;
    let at = |keys: &[&str]| {
        let mut keys = keys.iter();
        keys.try_fold(document.root?, |node, key| child(tree, node, key))
    };
    let strategy = at(&["spec", "conversion", "strategy"]).map(|it| tree.scalar(it));
    let names: Vec<_> = schema::versions(document).iter().map(|it| code(&it.name)).collect();
    Block::Text(if strategy.as_deref() == Some("Webhook") {
        let reviews = at(&["spec", "conversion", "webhook", "conversionReviewVersions"]);
        let reviews: Vec<_> = reviews
            .into_iter()
            .flat_map(|it| tree.items(it))
            .map(|it| code(&tree.scalar(it)))
            .collect();
        format!(
            "A webhook converts between {}. The API server sends it `ConversionReview` objects of version {}.",
            names.join(", "),
            reviews.join(" or ")
        )
    } else {
        format!(
            "Objects of {} are not converted: the API server only changes `apiVersion`, and prunes fields that the requested version does not have.",
            names.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::compare;

    #[test]
    fn versions_are_ordered_as_in_discovery() {
        let mut names = [
            "foo10",
            "v1alpha2",
            "v11beta2",
            "v1",
            "v12alpha1",
            "v10",
            "v3beta1",
            "foo1",
            "v2",
            "v10beta3",
            "v01",
        ];
        names.sort_by(|a, b| compare(a, b));
        assert_eq!(
            names,
            [
                "v10",
                "v2",
                "v1",
                "v11beta2",
                "v10beta3",
                "v3beta1",
                "v12alpha1",
                "v1alpha2",
                "foo1",
                "foo10",
                "v01"
            ]
        );
    }
}
