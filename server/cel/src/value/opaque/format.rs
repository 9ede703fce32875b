//! Named formats (`k8s.io/apiserver/pkg/cel/library/format.go`, and the validators of `k8s.io/apimachinery` and `strfmt` that it uses).

use std::sync::LazyLock;

use regex::Regex;

use crd_analyzer_gostd::url;

/// A named format of strings.
#[derive(Debug)]
pub struct Format {
    /// The name of the format.
    pub name: &'static str,
    /// The name of the function that returns the format: `format.dns1123Label()`.
    pub constant: &'static str,
    /// The assumed length of the format's regular expression, for the runtime cost of a validation.
    pub max_regex_size: u64,
    validate: fn(&str) -> Vec<String>,
}

impl Format {
    /// The problems of a string; empty if the string has the format.
    pub fn validate(&self, text: &str) -> Vec<String> {
        (self.validate)(text)
    }

    /// The format with this name.
    pub fn named(constant: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|f| f.constant == constant)
    }
}

static FORMATS: [Format; 13] = [
    Format {
        name: "DNS1123Label",
        constant: "dns1123Label",
        max_regex_size: 30,
        validate: dns1123_label,
    },
    Format {
        name: "DNS1123Subdomain",
        constant: "dns1123Subdomain",
        max_regex_size: 60,
        validate: dns1123_subdomain,
    },
    Format {
        name: "DNS1035Label",
        constant: "dns1035Label",
        max_regex_size: 30,
        validate: dns1035_label,
    },
    Format {
        name: "QualifiedName",
        constant: "qualifiedName",
        max_regex_size: 60,
        validate: qualified_name,
    },
    Format {
        name: "DNS1123LabelPrefix",
        constant: "dns1123LabelPrefix",
        max_regex_size: 30,
        validate: |text| dns1123_label(&prefix(text)),
    },
    Format {
        name: "DNS1123SubdomainPrefix",
        constant: "dns1123SubdomainPrefix",
        max_regex_size: 60,
        validate: |text| dns1123_subdomain(&prefix(text)),
    },
    Format {
        name: "DNS1035LabelPrefix",
        constant: "dns1035LabelPrefix",
        max_regex_size: 30,
        validate: |text| dns1035_label(&prefix(text)),
    },
    Format {
        name: "LabelValue",
        constant: "labelValue",
        max_regex_size: 40,
        validate: label_value,
    },
    Format {
        name: "URI",
        constant: "uri",
        max_regex_size: 1103,
        validate: |text| url::parse_request_uri(text).err().into_iter().collect(),
    },
    Format {
        name: "uuid",
        constant: "uuid",
        max_regex_size: 70,
        validate: |text| holds(UUID.is_match(text), "does not match the UUID format"),
    },
    Format {
        name: "byte",
        constant: "byte",
        max_regex_size: 84,
        validate: |text| holds(BASE64.is_match(text), "invalid base64"),
    },
    Format {
        name: "date",
        constant: "date",
        max_regex_size: 71,
        validate: |text| holds(is_date(text), "invalid date"),
    },
    Format {
        name: "datetime",
        constant: "datetime",
        max_regex_size: 71,
        validate: |text| holds(is_date_time(text), "invalid datetime"),
    },
];

const DNS1123: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const DNS1035: &str = "[a-z]([-a-z0-9]*[a-z0-9])?";
const LABEL_KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

/// A regular expression that has to match the whole string.
fn whole(pattern: &str) -> Regex {
    Regex::new(&format!("^(?:{pattern})$")).expect("the patterns of this file are valid")
}

static DNS1123_LABEL: LazyLock<Regex> = LazyLock::new(|| whole(DNS1123));
static DNS1123_SUBDOMAIN: LazyLock<Regex> = LazyLock::new(|| whole(&subdomain_pattern()));
static DNS1035_LABEL: LazyLock<Regex> = LazyLock::new(|| whole(DNS1035));
static KEY: LazyLock<Regex> = LazyLock::new(|| whole(LABEL_KEY));
static UUID: LazyLock<Regex> =
    LazyLock::new(|| whole("(?i-u)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}"));
static BASE64: LazyLock<Regex> = LazyLock::new(|| {
    whole("(?:[A-Za-z0-9+\\\\/]{4})*(?:[A-Za-z0-9+\\\\/]{2}==|[A-Za-z0-9+\\\\/]{3}=|[A-Za-z0-9+\\\\/]{4})")
});
static TIME: LazyLock<Regex> =
    LazyLock::new(|| whole("([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))"));

fn subdomain_pattern() -> String {
    format!("{DNS1123}(\\.{DNS1123})*")
}

fn holds(valid: bool, message: &str) -> Vec<String> {
    if valid { Vec::new() } else { vec![message.to_owned()] }
}

/// A name prefix, made valid as a name: a trailing dash is allowed, because more characters follow.
fn prefix(text: &str) -> String {
    if text.len() > 1 && text.ends_with('-') {
        let mut end = text.len() - 2;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        return format!("{}a", &text[..end]);
    }
    text.to_owned()
}

fn too_long(text: &str, limit: usize) -> Option<String> {
    (text.len() > limit).then(|| format!("must be no more than {limit} characters"))
}

fn mismatch(message: &str, pattern: &str, examples: &[&str]) -> String {
    let examples: Vec<_> = examples.iter().map(|e| format!("'{e}', ")).collect();
    format!(
        "{message} (e.g. {}regex used for validation is '{pattern}')",
        examples.join(" or ")
    )
}

fn dns1123_label(text: &str) -> Vec<String> {
    let mut errors: Vec<_> = too_long(text, 63).into_iter().collect();
    if !DNS1123_LABEL.is_match(text) {
        errors.push(if DNS1123_SUBDOMAIN.is_match(text) {
            "must not contain dots".to_owned()
        } else {
            let message = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', \
                and must start and end with an alphanumeric character";
            mismatch(message, DNS1123, &["my-name", "123-abc"])
        });
    }
    errors
}

fn dns1123_subdomain(text: &str) -> Vec<String> {
    let mut errors: Vec<_> = too_long(text, 253).into_iter().collect();
    if !DNS1123_SUBDOMAIN.is_match(text) {
        let message = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', \
            and must start and end with an alphanumeric character";
        errors.push(mismatch(message, &subdomain_pattern(), &["example.com"]));
    }
    errors
}

fn dns1035_label(text: &str) -> Vec<String> {
    let mut errors: Vec<_> = too_long(text, 63).into_iter().collect();
    if !DNS1035_LABEL.is_match(text) {
        let message = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', \
            start with an alphabetic character, and end with an alphanumeric character";
        errors.push(mismatch(message, DNS1035, &["my-name", "abc-123"]));
    }
    errors
}

fn qualified_name(text: &str) -> Vec<String> {
    const MESSAGE: &str = "must consist of alphanumeric characters, '-', '_' or '.', \
        and must start and end with an alphanumeric character";
    const EXAMPLES: [&str; 3] = ["MyName", "my.name", "123-abc"];
    let mut errors = Vec::new();
    let parts: Vec<_> = text.split('/').collect();
    let name = match parts[..] {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                errors.push("prefix part must be non-empty".to_owned());
            } else {
                errors.extend(
                    dns1123_subdomain(prefix)
                        .into_iter()
                        .map(|e| format!("prefix part {e}")),
                );
            }
            name
        }
        _ => {
            let mismatch = mismatch(MESSAGE, LABEL_KEY, &EXAMPLES);
            return vec![format!(
                "a valid label key {mismatch} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        errors.push("name part must be non-empty".to_owned());
    } else {
        errors.extend(too_long(name, 63).map(|e| format!("name part {e}")));
    }
    if !KEY.is_match(name) {
        errors.push(format!("name part {}", mismatch(MESSAGE, LABEL_KEY, &EXAMPLES)));
    }
    errors
}

fn label_value(text: &str) -> Vec<String> {
    let mut errors: Vec<_> = too_long(text, 63).into_iter().collect();
    if !text.is_empty() && !KEY.is_match(text) {
        let message = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', \
            and must start and end with an alphanumeric character";
        errors.push(mismatch(
            message,
            &format!("({LABEL_KEY})?"),
            &["MyValue", "my_value", "12345"],
        ));
    }
    errors
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && crate::validators::parse_timestamp(&format!("{text}T00:00:00Z")).is_some()
}

fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut parts = lower.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else {
        return false;
    };
    let within = |at: usize, limit: u32| {
        time.get(at..at + 2)
            .and_then(|n| n.parse().ok())
            .is_some_and(|n: u32| n <= limit)
    };
    text.len() >= 4 && is_date(date) && TIME.is_match(time) && within(0, 23) && within(3, 59) && within(6, 59)
}
