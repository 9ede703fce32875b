//! What single fields of a definition come to in this definition.

use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    paths::{Step, find},
    tree::{NodeId, Tree},
};

use super::{
    Block,
    node::{describe, of_keyword},
    render::code,
};
use crate::{
    cel::{Expression, RULES, scalar_of},
    cost::rule_cost,
    file::Document,
    schema::{self, SchemaStep, child, is_true, text},
};

/// More about a field of the API where it stands.
pub(super) fn more(
    document: &Document<'_>,
    field: &str,
    path: &[Step<'_>],
    value: NodeId,
    version: KubernetesVersion,
) -> Vec<Block> {
    let tree = document.tree;
    let in_versions = path.len() >= 3 && matches!(&path[1], Step::Key(key) if key == "versions");
    match field {
        "versions" | "name" | "storage" | "served" if path.len() == 2 || in_versions && path.len() == 4 => {
            vec![versions(tree)]
        }
        "additionalPrinterColumns" => columns(tree, value),
        "conversion" | "strategy" if path.len() <= 3 => vec![conversion(tree)],
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

/// The versions in the order in which clients prefer them.
fn versions(tree: &Tree) -> Block {
    let mut all = schema::versions(tree);
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
    let mut lines = vec!["clients prefer the first of these that is served:".to_owned()];
    lines.extend(all.iter().map(show));
    let [first, rest @ ..] = lines.as_slice() else {
        return Block::List(lines);
    };
    Block::Text(format!("In order of priority, {first}\n\n{}", numbered(rest)))
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

/// Stability (GA is the highest), major and the number of a pre-release; `None` for other names.
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

/// What `kubectl get` shows.
fn columns(tree: &Tree, list: NodeId) -> Vec<Block> {
    let version = schema::versions(tree).into_iter().find(|it| tree.is_in(list, it.item));
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
            .and_then(|root| value_at(tree, root, &path))
            .map_or_else(|| "nothing the schema has".to_owned(), |it| describe(tree, it));
        let only = if wide { ", only with `-o wide`" } else { "" };
        rows.push(format!("{}: {} ({shows}){only}", code(&name), code(&path)));
    }
    if rows.is_empty() {
        return Vec::new();
    }
    vec![Block::Code("text", header.join("   ")), Block::List(rows)]
}

/// The schema that a path of names leads to.
fn value_at(tree: &Tree, root: NodeId, path: &str) -> Option<NodeId> {
    let mut at = root;
    for name in path.split(['.', '[']).filter(|it| !it.is_empty()) {
        at = if name.ends_with(']') {
            child(tree, at, "items")?
        } else {
            let property = SchemaStep::Property(name.to_owned());
            let found = schema::follow(tree, at, std::slice::from_ref(&property)).map(|it| it.schema);
            found.or_else(|| child(tree, at, "additionalProperties")).or_else(|| {
                // Every resource has metadata, which schemas rarely spell out.
                (name == "metadata").then_some(root)
            })?
        };
    }
    Some(at)
}

/// How objects get from one version to another.
fn conversion(tree: &Tree) -> Block {
    let at = |keys: &[&'static str]| {
        let steps: Vec<_> = keys.iter().map(|it| Step::key(*it)).collect();
        find(tree, &steps)
            .filter(crd_analyzer_syntax::paths::Place::is_found)
            .map(|it| tree.resolve(it.node))
    };
    let strategy = at(&["spec", "conversion", "strategy"]).map(|it| tree.scalar(it));
    let names: Vec<_> = schema::versions(tree).iter().map(|it| code(&it.name)).collect();
    Block::Text(if strategy.as_deref() == Some("Webhook") {
        let reviews = at(&["spec", "conversion", "webhook", "conversionReviewVersions"]);
        let reviews: Vec<_> = reviews
            .into_iter()
            .flat_map(|it| tree.items(it))
            .map(|it| code(&tree.scalar(it)))
            .collect();
        format!(
            "Here a webhook converts between {}; it is sent `ConversionReview` objects of version {}.",
            names.join(", "),
            reviews.join(" or ")
        )
    } else {
        format!(
            "Here nothing converts between {}: the server only changes `apiVersion`, then prunes by the schema of the version that is asked for.",
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
