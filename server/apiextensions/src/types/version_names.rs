//! The order of version names.

use std::cmp::Ordering;

/// Compares version names (`version.CompareKubeAwareVersionStrings` of `k8s.io/apimachinery`): `v2` > `v1` > `v1beta1` > `v1alpha1`. Other names come
/// after these, in reverse alphabetical order.
pub fn compare_version_names(a: &str, b: &str) -> Ordering {
    match (parse(a), parse(b)) {
        _ if a == b => Ordering::Equal,
        (None, None) => b.cmp(a),
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
        (Some(a), Some(b)) => a.cmp(&b),
    }
}

/// The name for a new version, following the Kubernetes API conventions: `v2` after `v1`, `v1` after `v1beta2`, `v1beta1` after
/// `v1alpha1`, and `v1` if no existing name follows the conventions.
pub fn next_version_name<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let highest = names.into_iter().filter_map(parse).max();
    match highest {
        None => "v1".to_owned(),
        Some((2, major, _)) => format!("v{}", major.saturating_add(1)),
        Some((1, major, _)) => format!("v{major}"),
        Some((_, major, _)) => format!("v{major}beta1"),
    }
}

/// The stability, major and minor number of a name such as `v1beta2`.
fn parse(name: &str) -> Option<(u8, i64, i64)> {
    let rest = name.strip_prefix('v')?;
    let (major, rest) = number(rest)?;
    if rest.is_empty() {
        return Some((2, major, 0));
    }
    let (stability, rest) = match (rest.strip_prefix("alpha"), rest.strip_prefix("beta")) {
        (Some(rest), _) => (0, rest),
        (None, Some(rest)) => (1, rest),
        (None, None) => return None,
    };
    let (minor, rest) = number(rest)?;
    rest.is_empty().then_some((stability, major, minor))
}

/// The number at the start of `text`, and the rest.
fn number(text: &str) -> Option<(i64, &str)> {
    let end = text.find(|it: char| !it.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::{compare_version_names, next_version_name};

    #[test]
    fn versions_rank_by_stability_and_number() {
        let ranked = [
            "zzz", "foo", "bar", "v1alpha1", "v1alpha2", "v3alpha1", "v1beta1", "v2beta1", "v1", "v2", "v10",
        ];
        for pair in ranked.windows(2) {
            assert!(compare_version_names(pair[0], pair[1]).is_lt(), "{pair:?}");
        }
    }

    #[test]
    fn a_new_version_is_the_next_one() {
        for (names, next) in [
            (&[][..], "v1"),
            (&["v1"], "v2"),
            (&["v1", "v2alpha1", "v1beta1"], "v2"),
            (&["v9", "v10"], "v11"),
            (&["v1beta1", "v1alpha3"], "v1"),
            (&["v2alpha1"], "v2beta1"),
            (&["stable", ""], "v1"),
        ] {
            let found = next_version_name(names.iter().copied());
            assert_eq!(found, next, "beside {names:?}");
            assert!(!names.contains(&found.as_str()));
        }
    }
}
