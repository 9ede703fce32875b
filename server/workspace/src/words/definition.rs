//! Words for errors about the group, scope, names and versions of a CRD.

use std::collections::HashSet;

use crd_analyzer_apiextensions::{codes, types::next_version_name};
use crd_analyzer_schema::{
    codes as schema_codes,
    field::{Cause, Path, Segment},
};
use crd_analyzer_syntax::json::{Json, JsonValue};

use crate::judging::plural;

use super::{
    About, Words,
    meant::meant,
    misspelt_key,
    text::{clip, code, either, written},
    unknown,
};

pub(super) fn words(about: &About<'_>) -> Option<Words> {
    if !about.is_crd {
        return None;
    }
    let words = match about.code {
        codes::MISSING_GROUP => Words::new("`spec` has no `group`")
            .label("`group` is missing here")
            .help("add `group` with a domain of yours, such as `group: example.com`"),
        codes::INVALID_GROUP => {
            let words = Words::new(format!(
                "{} is not a group: it must be a domain with a dot",
                shown(about)
            ));
            match group_of_name(about) {
                Some((group, meant)) => words.did_you_mean(group, meant),
                None => words
                    .label("not a domain")
                    .help("write a domain in lower case, such as `example.com`"),
            }
        }
        codes::UNKNOWN_SCOPE => scope(about),
        codes::MISSING_RESOURCE_NAME => missing_name(about),
        codes::INVALID_RESOURCE_NAME => invalid_name(about),
        codes::LIST_KIND_EQUALS_KIND => {
            let kind = about.text(&["spec", "names", "kind"]).unwrap_or_default();
            Words::new("`listKind` must differ from `kind`")
                .label("the same as `kind`")
                .help(format!("set `listKind: {}List`", clip(kind, 60)))
        }
        codes::INVALID_VERSION_NAME if about.value().and_then(Json::as_str) == Some("") => {
            Words::new("the name of the version is empty")
                .label("no name")
                .help("write a name such as `v1` or `v1alpha1`")
        }
        codes::INVALID_VERSION_NAME => Words::new(format!("{} is not the name of a version", shown(about)))
            .label("not a version name")
            .help("write a name such as `v1` or `v1alpha1`: lower-case letters, digits and `-`"),
        codes::DUPLICATE_VERSION_NAME => duplicate_version(about),
        codes::STORAGE_VERSION_COUNT => storage(about),
        codes::VERSION_MISMATCH => Words::new("`spec.version` must be the name of the first of `spec.versions`")
            .label("not the first version")
            .help("remove `version`"),
        codes::SHARED_AND_PER_VERSION => Words::new(format!(
            "{} is set both for all versions and in individual versions",
            code(about.last())
        ))
        .label("also set in a version")
        .help(format!(
            "remove {} here, and keep it in each version",
            code(about.last())
        )),
        codes::IDENTICAL_PER_VERSION => Words::new("all versions repeat the same schema, subresources or columns")
            .label("the same in all versions")
            .help("set it once at the top of `spec`"),
        codes::INVALID_DEPRECATION_WARNING => deprecation_warning(about),
        codes::STORED_VERSIONS => stored_versions(about),
        codes::IMMUTABLE_FIELD => Words::new(format!("{} cannot change once the CRD exists", code(about.last())))
            .label("was another value before")
            .help("restore the old value, or delete the CRD (and all its resources) and create it again"),
        codes::PRESERVED_UNKNOWN_FIELDS => Words::new("`preserveUnknownFields: true` is not allowed in `v1`")
            .label("must be `false` or absent")
            .help("remove it, and set `x-kubernetes-preserve-unknown-fields: true` in the schema where it is needed"),
        codes::MISSING_API_APPROVAL => {
            Words::new("a CRD in a group of `k8s.io` needs the annotation `api-approved.kubernetes.io`")
                .label("the annotation is missing")
                .help("use a group of your own, or add `api-approved.kubernetes.io: unapproved` with a reason")
                .in_go(
                    "use a group of your own, or add \
                     `+kubebuilder:metadata:annotations=\"api-approved.kubernetes.io=unapproved\"` with a reason",
                )
        }
        codes::INVALID_API_APPROVAL => {
            Words::new("`api-approved.kubernetes.io` is neither a URL nor begins with `unapproved`")
                .label("neither URL nor `unapproved`")
                .help("write the URL of the approval, or `unapproved` with a reason")
        }
        schema_codes::INVALID_METADATA_NAME if *about.path == Path::of(["metadata", "name"]) => own_name(about)?,
        schema_codes::MISSING_METADATA_NAME => match expected_name(about) {
            Some(name) => Words::new("the CRD has no `metadata.name`")
                .label("`name` is missing here")
                .help(format!("add `name: {name}`")),
            None => return None,
        },
        _ => return None,
    };
    Some(words)
}

fn shown(about: &About<'_>) -> String {
    let found = about.value().map(written).unwrap_or_default();
    code(found.trim_matches('"'))
}

fn scope(about: &About<'_>) -> Words {
    let Some(found) = about.value().and_then(Json::as_str).filter(|it| !it.is_empty()) else {
        return Words::new("`spec` has no `scope`")
            .label("`scope` is missing here")
            .help("add `scope: Namespaced` or `scope: Cluster`");
    };
    let words = Words::new(format!("{} is not a scope", code(found)));
    match meant(found, ["Namespaced", "Cluster"]) {
        Some(near) => words.did_you_mean(found, near),
        None => words.label("not a scope").help("write `Namespaced` or `Cluster`"),
    }
}

/// The name that a CRD must have: its plural name and its group.
fn expected_name(about: &About<'_>) -> Option<String> {
    let of = |path: &[&str]| about.text(path).filter(|it| !it.is_empty());
    let (plural, group) = (of(&["spec", "names", "plural"])?, of(&["spec", "group"])?);
    Some(clip(&format!("{plural}.{group}"), 120))
}

/// Help if the names of a CRD are beside the key `names` and not below it.
const NOT_INDENTED: &str = "indent `plural`, `singular`, `kind` and `shortNames` below `names:`";

fn own_name(about: &About<'_>) -> Option<Words> {
    let Some(expected) = expected_name(about) else {
        let words = Words::new("`metadata.name` must be `PLURAL.GROUP`");
        let words = words.label("no plural or no group");
        let misplaced = ["names", "group"].iter().find_map(|it| misplaced(about, it));
        let is_beside_names = about.root.get("spec").is_some_and(|it| it.get("plural").is_some());
        let misplaced = misplaced.or_else(|| is_beside_names.then(|| NOT_INDENTED.to_owned()));
        let help = || "write `spec.group` and `spec.names.plural`, from which the name is made".to_owned();
        return Some(words.help(misplaced.unwrap_or_else(help)));
    };
    let is_expected = about.value().and_then(Json::as_str) == Some(expected.as_str());
    if is_expected {
        return None;
    }
    let words = Words::new("`metadata.name` must be the plural and the group, with a dot between");
    let own = about.value().and_then(Json::as_str).unwrap_or_default();
    let group = about.text(&["spec", "group"]).unwrap_or_default();
    if let Some((group, _)) = group.split_once('/') {
        let help = format!("set the group to {}: versions are in `spec.versions`", code(group));
        return Some(words.label("the group has a version").help(help));
    }
    // If the name differs only in upper case, it is correct, and the plural or the group is wrong.
    if own == expected.to_lowercase() {
        let names = "write `spec.names.plural` and `spec.group` in lower case";
        return Some(words.label("the plural or the group has capital letters").help(names));
    }
    let plural = about.text(&["spec", "names", "plural"]).unwrap_or_default();
    if let Some((group, meant)) = group_of_name(about) {
        return Some(words.did_you_mean(group, meant).label("another group"));
    }
    let kind = about.text(&["spec", "names", "kind"]).unwrap_or_default();
    let help = match plural::meant(own, (group, kind, plural)) {
        Some(meant) => format!("change `plural` to {}", code(meant)),
        None => format!("change it to `{expected}`"),
    };
    Some(words.label("not plural and group").help(help))
}

/// If the group has no dot: the group, and the one that follows the plural in `metadata.name`.
fn group_of_name<'a>(about: &About<'a>) -> Option<(&'a str, &'a str)> {
    let group = about.text(&["spec", "group"]).filter(|it| !it.contains('.'))?;
    let own = about.text(&["metadata", "name"])?;
    let rest = own
        .strip_prefix(about.text(&["spec", "names", "plural"])?)?
        .strip_prefix('.')?;
    (!group.is_empty() && rest.contains('.')).then_some((group, rest))
}

/// Help for a field of `spec` that is missing because it is misspelt or in another place.
fn misplaced(about: &About<'_>, field: &str) -> Option<String> {
    if about.root.get("spec").is_some_and(|it| it.get(field).is_some()) {
        return None;
    }
    match misspelt_key(about.root.get("spec"), field) {
        Some(near) => Some(format!("change {} to `{field}`", code(near))),
        None => about.root.get(field).map(|_| unknown::into("spec", field)),
    }
}

fn missing_name(about: &About<'_>) -> Words {
    let field = about.last();
    let words =
        Words::new(format!("`spec.names` has no {}", code(field))).label(format!("{} is missing here", code(field)));
    if let Some(help) = misplaced(about, "names") {
        return words.help(help);
    }
    let kind = about.text(&["spec", "names", "kind"]).filter(|it| !it.is_empty());
    let own = about.text(&["metadata", "name"]);
    let group = about.text(&["spec", "group"]).unwrap_or_default();
    let plural = own.and_then(|it| it.strip_suffix(group)?.strip_suffix('.'));
    let value = match field {
        "plural" => plural
            .map(str::to_owned)
            .or_else(|| Some(format!("{}s", kind?.to_ascii_lowercase()))),
        "singular" => kind.map(str::to_ascii_lowercase),
        "listKind" => kind.map(|it| format!("{it}List")),
        _ => None,
    };
    match value {
        Some(value) => words.help(format!("add `{field}: {}`", clip(&value, 60))),
        None => words.help(format!(
            "add `{field}`, such as `{field}: {}`",
            if field == "kind" { "CronTab" } else { "crontabs" }
        )),
    }
}

fn invalid_name(about: &About<'_>) -> Words {
    let found = about.value().and_then(Json::as_str).unwrap_or_default();
    let is_kind = matches!(about.last(), "kind" | "listKind");
    let field = about.path.segments().iter().rev().find_map(|it| match it {
        Segment::Field(name) => Some(name.as_str()),
        _ => None,
    });
    let fits = |c: &char| c.is_ascii_alphanumeric() || *c == '-';
    let rule = if is_kind {
        "letters, digits and `-`, beginning with a letter"
    } else {
        "lower-case letters, digits and `-`, beginning with a letter"
    };
    let words = Words::new(format!(
        "{} is not a valid {} name",
        code(found),
        code(field.unwrap_or("resource"))
    ))
    .label(if found.len() > 63 {
        "longer than 63 characters"
    } else {
        "not a DNS label"
    });
    let kept: String = found.chars().filter(fits).collect();
    let near = if is_kind { kept } else { kept.to_ascii_lowercase() };
    let near = near.trim_matches('-');
    if near.is_empty() || near == found || near.starts_with(|c: char| c.is_ascii_digit()) || near.len() > 63 {
        words.help(format!("use at most 63 {rule}"))
    } else {
        words.help(format!("change it to `{}`: only {rule}", clip(near, 63)))
    }
}

fn versions<'a>(about: &About<'a>) -> &'a [Json<'a>] {
    let versions = about.root.get("spec").and_then(|it| it.get("versions"));
    versions.and_then(Json::items).unwrap_or_default()
}

fn version_names<'a>(about: &About<'a>) -> impl Iterator<Item = &'a str> {
    versions(about).iter().filter_map(|it| it.get("name")?.as_str())
}

fn duplicate_version(about: &About<'_>) -> Words {
    let mut seen = HashSet::new();
    let twice = version_names(about).find(|it| !seen.insert(*it));
    match twice {
        Some(name) => Words::new(format!("two versions have the name {}", code(name)))
            .label("a name is used twice")
            .help(format!(
                "rename one version {}, for example to {}, or remove it",
                code(name),
                code(&next_version_name(version_names(about)))
            )),
        None => Words::new("two versions have the same name")
            .label("a name is used twice")
            .help("rename one of the versions"),
    }
}

fn storage(about: &About<'_>) -> Words {
    let is_storage = |it: &&Json<'_>| matches!(it.get("storage").map(|it| &it.value), Some(JsonValue::Bool(true)));
    let name = |it: &Json<'_>| it.get("name").and_then(Json::as_str).unwrap_or("a version").to_owned();
    let stored: Vec<String> = versions(about).iter().filter(is_storage).map(name).collect();
    if stored.is_empty() {
        let only = versions(about).last().map(name);
        let words = Words::new("no version has `storage: true`").label("exactly one needs `storage: true`");
        if let Some(help) = misplaced(about, "versions") {
            return words.help(help);
        }
        return match only {
            Some(only) => words
                .help(format!("set `storage: true` in version {}", code(&only)))
                .in_go(format!("add `+kubebuilder:storageversion` to version {}", code(&only))),
            None => words.help("set `storage: true` in one version"),
        };
    }
    let mut seen = HashSet::new();
    let kept = if stored.iter().all(|it| seen.insert(it)) {
        either(&stored)
    } else {
        "one version".to_owned()
    };
    Words::new(format!(
        "{} versions have `storage: true`, but only one may",
        stored.len()
    ))
    .label("exactly one needs `storage: true`")
    .help(format!(
        "keep `storage: true` in {kept}, and set `storage: false` in the others"
    ))
    .in_go(format!(
        "keep `+kubebuilder:storageversion` in {kept}, and remove it from the others"
    ))
}

fn deprecation_warning(about: &About<'_>) -> Words {
    match about.cause {
        Some(Cause::Without(_)) => Words::new("`deprecationWarning` is set, but the version is not deprecated")
            .label("needs `deprecated: true`")
            .help("add `deprecated: true`, or remove `deprecationWarning`"),
        Some(Cause::Count(max)) => Words::new(format!("`deprecationWarning` is longer than {max} bytes"))
            .label(format!("longer than {max} bytes"))
            .help(format!("shorten it to {max} bytes")),
        Some(Cause::Empty) => Words::new("`deprecationWarning` is empty")
            .label("empty")
            .help("write a warning, or remove `deprecationWarning`: Kubernetes then writes its own"),
        _ => Words::new("`deprecationWarning` has a character that cannot be printed")
            .label("cannot be printed")
            .help("remove this character: a warning is one line of text"),
    }
}

fn stored_versions(about: &About<'_>) -> Words {
    let named = |name: &str| version_names(about).filter(|it| *it == name).count();
    let words = if let Some(Cause::NotFound(name)) = about.cause {
        // The error names the first storage version, and repeats no name, so count the versions with that name.
        match named(name) {
            0 => {}
            1 => {
                return Words::new(format!(
                    "version {} is another storage version, so it is not listed as stored",
                    code(name)
                ))
                .label("more than one storage version")
                .help("keep `storage: true` in one version only");
            }
            _ => {
                return Words::new(format!(
                    "version {} is stored, but two versions have this name",
                    code(name)
                ))
                .label("a stored name is used twice")
                .help(format!("rename one version {}, or remove it", code(name)));
            }
        }
        Words::new(format!(
            "resources may be stored in version {}, which the CRD no longer has",
            code(name)
        ))
        .help(format!(
            "keep version {} until all resources are stored in another version",
            code(name)
        ))
    } else {
        let help = misplaced(about, "versions");
        let help = help.unwrap_or_else(|| "add a version with `storage: true`".to_owned());
        Words::new("no version is listed as stored").help(help)
    };
    words.label("a stored version is missing")
}
