//! Words for Go types for which controller-gen does not generate a schema.

use crd_analyzer_generator::Reason;

use super::{
    Words,
    meant::meant,
    text::{clip, code},
};

/// Why a field, a type or a kind has no usable schema.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Why {
    /// controller-gen fails.
    Rejected(Reason),
    /// The package of the kind has no group, so that controller-gen writes a CRD without one.
    NoGroup,
    /// All versions of the kind are left out, so that controller-gen writes an empty CRD.
    Skipped,
}

impl From<Reason> for Why {
    fn from(reason: Reason) -> Self {
        Self::Rejected(reason)
    }
}

/// A field or type that controller-gen rejects, or a kind without a usable CRD.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct What {
    why: Why,
    /// The field or type as written.
    written: String,
    /// The name of the type that is most likely meant instead.
    meant: Option<String>,
    /// The JSON tag that is meant by the tag of the field, which Go does not recognize, and why it does not.
    tag: Option<(String, &'static str)>,
}

/// The maximum length of a type before it is cut.
const LONGEST: usize = 40;

impl What {
    /// A field or type with this text. `None` if the error is reported elsewhere, or if the text may not be finished.
    /// `names` returns the names of the types that may be written there.
    pub(crate) fn of(why: impl Into<Why>, written: &str, names: impl FnOnce() -> Vec<String>) -> Option<Self> {
        let why = why.into();
        let is_told = match why {
            Why::NoGroup | Why::Skipped => true,
            Why::Rejected(reason) => is_told(reason, written),
        };
        let meant = || meant(written, names().iter().map(String::as_str)).map(str::to_owned);
        is_told.then(|| Self {
            why,
            written: written.to_owned(),
            meant: if is_undefined(why) { meant() } else { None },
            tag: None,
        })
    }

    /// The same with the tag of the field. `None` if nothing shows that it is meant to have a JSON name.
    pub(crate) fn with_tag(self, tag: &str) -> Option<Self> {
        let tag = Some(meant_tag(tag)?);
        Some(Self { tag, ..self })
    }

    /// Whether the Go compiler reports it, too, so that editors show it already.
    pub(crate) fn is_of_compiler(&self) -> bool {
        is_undefined(self.why)
    }

    /// The name of the type that is most likely meant instead.
    pub(crate) fn meant(&self) -> Option<&str> {
        self.meant.as_deref()
    }

    /// Whether it is a field that is not exported. An option of controller-gen leaves such fields out.
    pub(crate) fn is_unexported(&self) -> bool {
        self.why == Why::Rejected(Reason::Tag) && !self.written.starts_with(char::is_uppercase)
    }
}

/// Whether the error is reported for a field or type with this text. Otherwise it is reported elsewhere, or the text may not be finished.
fn is_told(reason: Reason, written: &str) -> bool {
    match reason {
        Reason::Interface
        | Reason::NamelessStruct
        | Reason::Tag
        | Reason::Embedded
        | Reason::Float
        | Reason::Key
        | Reason::Undefined
        | Reason::NotInPackage
        | Reason::NotImported
        | Reason::Unserved
        | Reason::OfGo => true,
        Reason::Type => is_finished(written),
        // Otherwise the value of a marker is not valid.
        Reason::OneOf => !written.starts_with("struct"),
        Reason::Crash => !written.starts_with('+'),
        Reason::Marker | Reason::Conflict | Reason::Versions | Reason::Text => false,
    }
}

/// Whether Go does not know the name of a type or its package.
fn is_undefined(why: Why) -> bool {
    matches!(
        why,
        Why::Rejected(Reason::Undefined | Reason::NotInPackage | Reason::NotImported)
    )
}

/// Whether a type without a schema is one that Go knows. Otherwise somebody may be typing a type that has a schema.
fn is_finished(written: &str) -> bool {
    ["func(", "chan ", "chan<-", "complex64", "complex128"]
        .iter()
        .any(|it| written.contains(it))
        || has_arguments(written)
}

/// Whether a type has type arguments, as in `List[string]`.
fn has_arguments(written: &str) -> bool {
    let Some((before, _)) = written.strip_suffix(']').and_then(|it| it.rsplit_once('[')) else {
        return false;
    };
    let is_name = |it: char| it.is_alphanumeric() || it == '_';
    before.ends_with(is_name) && !before.ends_with("map")
}

/// The JSON tag that is meant by a tag in which Go finds none, and what is wrong with it: `json: "a"`, `json:a`, `JSON:"a"`.
fn meant_tag(tag: &str) -> Option<(String, &'static str)> {
    const KEY: &str = "json";
    let at = tag.to_ascii_lowercase().find(KEY)?;
    if tag[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let (key, rest) = tag[at..].split_at(KEY.len());
    let after = rest.trim_start().strip_prefix([':', '='])?;
    let value = after.trim_start();
    let (name, is_quoted) = match value.strip_prefix(['"', '\'']) {
        Some(quoted) => (quoted.split(['"', '\'']).next()?, value.starts_with('"')),
        None => (value.split_whitespace().next()?.trim_end_matches(['"', '\'']), false),
    };
    let why = if key != KEY {
        "in lower case"
    } else if !is_quoted || value.matches('"').count() < 2 {
        "with double quotes around the name"
    } else if !rest.starts_with(':') || value.len() < after.len() {
        "with a colon and no space"
    } else if tag[..at].trim_end().ends_with(',') {
        "with a space and no comma before it"
    } else {
        return None;
    };
    let is_name = name.chars().all(|c| c.is_alphanumeric() || "-_,.".contains(c));
    is_name.then(|| (format!("{KEY}:\"{name}\""), why))
}

/// The words for a field or type that controller-gen rejects.
pub(crate) fn words(what: &What) -> Words {
    let first = what.written.lines().next().unwrap_or_default().trim_end();
    let written = code(&clip(first, LONGEST));
    let no_schema = || Words::new(format!("controller-gen cannot make a schema of {written}"));
    let reason = match what.why {
        Why::Rejected(reason) => reason,
        Why::NoGroup => {
            return Words::new(format!("the package of {written} sets no API group"))
                .label("a kind without a group")
                .help("add `// +groupName=GROUP` above the `package` line of a file, with a group such as `shop.example.com`")
                .note("controller-gen writes a CRD without a group here, or none");
        }
        Why::Skipped => {
            return Words::new("every version of this kind is left out, so it has no CRD")
                .label("leaves out the last version")
                .help("remove the marker, or delete the type")
                .note("controller-gen writes an empty CRD here");
        }
    };
    let words = match reason {
        Reason::Interface => no_schema()
            .label("an interface")
            .help("use a concrete type, or `apiextensionsv1.JSON` for any value"),
        _ if is_undefined(what.why) => {
            let words = Words::new(format!("undefined: {written}"));
            match (&what.meant, reason) {
                (Some(meant), _) => words.did_you_mean(first, meant),
                (None, Reason::NotInPackage) => words
                    .label("the package has no type of this name")
                    .help("write the name of a type that the package declares"),
                (None, Reason::NotImported) => words
                    .label("the file imports no package of this name")
                    .help("import the package, or write the name of an imported one"),
                (None, _) => words
                    .label("no type has this name")
                    .help("declare the type in this package, or write the package before its name"),
            }
        }
        Reason::NamelessStruct => Words::new("controller-gen cannot make a schema of a struct without a name")
            .label("a struct without a name")
            .help("declare the struct as a type of its own, and write the name of the type here"),
        _ if let Some((tag, why)) = &what.tag => Words::new(format!(
            "the tag of {written} is malformed, so Go finds no JSON name in it"
        ))
        .label("not a struct tag")
        .help(format!("write `{tag}`, {why}")),
        Reason::Tag if what.is_unexported() => Words::new(format!("the field {written} has no JSON tag"))
            .label("no JSON tag")
            .help("add the tag `json:\"-\"`, or generate with `crd:ignoreUnexportedFields=true`"),
        Reason::Tag => Words::new(format!("the field {written} has no JSON tag"))
            .label("no JSON tag")
            .help(format!(
                "add the tag `json:\"{}\"`, or `json:\"-\"` to leave the field out",
                in_json(first)
            )),
        Reason::Embedded => Words::new(format!("the embedded type {written} has no JSON tag"))
            .label("no JSON tag")
            .help("add the tag `json:\",inline\"` to take over its fields"),
        Reason::Float => Words::new(format!("controller-gen rejects the floating-point type {written}"))
            .label("a floating-point number")
            .help("use `resource.Quantity` or an integer, or generate with `crd:allowDangerousTypes=true`"),
        Reason::Key => Words::new(format!("the keys of {written} must be strings"))
            .label("other keys than strings")
            .help("write `string` between the brackets"),
        Reason::OneOf => Words::new(format!("{written} is in a OneOf marker, but it is required"))
            .label("required")
            .help("add `omitempty` to its JSON tag, and remove a marker that makes it required"),
        Reason::OfGo => no_schema()
            .label("a struct of Go's library, whose fields have no JSON tags")
            .help(instead_of(first)),
        Reason::Unserved => Words::new("no version of this kind is served")
            .label("leaves the last version without an API")
            .help("remove the marker from a version, or keep another version that is served"),
        Reason::Crash => Words::new(format!("this release of controller-gen crashes at {written}"))
            .label("the crash is here")
            .help("use another type, or update controller-gen"),
        _ if has_arguments(first) => no_schema()
            .label("has type arguments")
            .help("declare a type without type parameters, and use it here"),
        _ => no_schema()
            .label("no JSON value")
            .help("use another type, or add the tag `json:\"-\"` to leave the field out"),
    };
    words.note("controller-gen stops with an error here")
}

/// The type to use instead of a struct of Go's library.
fn instead_of(written: &str) -> String {
    let types = [
        ("time.Time", "`metav1.Time`"),
        ("url.URL", "`string`"),
        ("big.Int", "`resource.Quantity` or `string`"),
        ("net.IPNet", "`string`"),
    ];
    match types.iter().find(|it| it.0 == written) {
        Some((_, instead)) => format!("use {instead}"),
        None => "use a type that is made for JSON, or add the tag `json:\"-\"` to leave the field out".to_owned(),
    }
}

/// The usual JSON name of a Go field, such as `podName` for `PodName` and `url` for `URL`.
pub(super) fn in_json(name: &str) -> String {
    let upper = name.chars().take_while(|it| it.is_uppercase()).count();
    // In `URLPrefix`, the last of the capital letters begins the next word.
    let lowered = if upper < name.chars().count() && upper > 1 {
        upper - 1
    } else {
        upper
    };
    let first: String = name.chars().take(lowered).collect();
    let rest: String = name.chars().skip(lowered).collect();
    format!("{}{rest}", first.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_json() {
        for (name, expected) in [
            ("Name", "name"),
            ("PodName", "podName"),
            ("URL", "url"),
            ("URLPrefix", "urlPrefix"),
            ("A", "a"),
            ("Ä", "ä"),
        ] {
            assert_eq!(in_json(name), expected);
        }
    }

    #[test]
    fn tags_that_go_does_not_recognize() {
        for (tag, expected) in [
            ("json: \"foo\"", Some(("json:\"foo\"", "with a colon and no space"))),
            (
                "json:foo,omitempty",
                Some(("json:\"foo,omitempty\"", "with double quotes around the name")),
            ),
            ("JSON:\"foo\"", Some(("json:\"foo\"", "in lower case"))),
            ("json=\"foo\"", Some(("json:\"foo\"", "with a colon and no space"))),
            (
                "json:'foo'",
                Some(("json:\"foo\"", "with double quotes around the name")),
            ),
            (
                "json:\"foo",
                Some(("json:\"foo\"", "with double quotes around the name")),
            ),
            (
                "yaml:\"b\", json:\"a\"",
                Some(("json:\"a\"", "with a space and no comma before it")),
            ),
            ("yaml:\"foo\"", None),
            ("json", None),
            ("", None),
        ] {
            let found = meant_tag(tag);
            let found = found.as_ref().map(|it| (it.0.as_str(), it.1));
            assert_eq!(found, expected, "{tag}");
        }
    }

    #[test]
    fn unfinished_types_are_not_told() {
        for (written, expected) in [
            ("func()", true),
            ("map[string]func(a int) error", true),
            ("<-chan int", true),
            ("[]chan int", true),
            ("List[string]", true),
            ("*v1.List[string]", true),
            ("complex128", true),
            ("map[string]", false),
            ("[]", false),
            ("[4]", false),
            ("", false),
        ] {
            assert_eq!(
                What::of(Reason::Type, written, Vec::new).is_some(),
                expected,
                "{written}"
            );
        }
    }
}
