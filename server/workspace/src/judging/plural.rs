//! Decides whether the name of a CRD or its plural is wrong, if they do not fit.

/// The plural that the name of a CRD has, if it is a usual plural of the kind, and `plural` is none: then `plural` is wrong, and not the name.
pub fn meant<'n>(name: &'n str, (group, kind, plural): (&str, &str, &str)) -> Option<&'n str> {
    let of_name = name.strip_suffix(group)?.strip_suffix('.')?;
    (is_usual(of_name, kind) && !is_usual(plural, kind)).then_some(of_name)
}

/// Whether a name is a plural that English makes of a kind.
fn is_usual(plural: &str, kind: &str) -> bool {
    let kind = kind.to_lowercase();
    let stem = plural.strip_prefix(&*kind);
    let of_y = || kind.strip_suffix('y').zip(plural.strip_suffix("ies"));
    !kind.is_empty() && (matches!(stem, Some("s" | "es")) || of_y().is_some_and(|(kind, plural)| kind == plural))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_plurals() {
        for (name, kind, plural, expected) in [
            ("apps.a.com", "App", "app", Some("apps")),
            ("policies.a.com", "Policy", "policys", None),
            ("policies.a.com", "Policy", "policy", Some("policies")),
            ("app.a.com", "App", "apps", None),
            ("apps.b.com", "App", "app", None),
            ("things.a.com", "App", "app", None),
        ] {
            assert_eq!(meant(name, ("a.com", kind, plural)), expected, "{name}, {plural}");
        }
    }
}
