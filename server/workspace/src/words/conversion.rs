//! Conversion between versions, and its webhook.

use crd_analyzer_apiextensions::codes;
use crd_analyzer_schema::field::{Cause, ErrorType};
use crd_analyzer_syntax::json::Json;

use super::{
    About, Words,
    meant::meant,
    misspelt_key,
    text::{code, written},
};

pub(super) fn words(about: &About<'_>) -> Option<Words> {
    let words =
        match about.code {
            codes::UNKNOWN_CONVERSION_STRATEGY => {
                let allowed = ["None", "Webhook"];
                match about.value().and_then(Json::as_str).filter(|it| !it.is_empty()) {
                    None => Words::new("`conversion` has no `strategy`")
                        .label("`strategy` is missing here")
                        .help("add `strategy: None` or `strategy: Webhook`"),
                    Some(found) => {
                        let words = Words::new(format!("{} is not a conversion strategy", code(found)));
                        match meant(found, allowed) {
                            Some(near) => words.did_you_mean(found, near),
                            None => words
                                .label("not a conversion strategy")
                                .help("write `None` or `Webhook`"),
                        }
                    }
                }
            }
            codes::MISSING_WEBHOOK if about.last() == "webhook" => Words::new(
                "conversion strategy `Webhook` needs `webhook.clientConfig`",
            )
            .label("`webhook` is missing here")
            .help("add `webhook: {clientConfig: {service: {namespace: …, name: …}}, conversionReviewVersions: [v1]}`"),
            codes::MISSING_WEBHOOK => {
                let config = about.value();
                let has_both = config.is_some_and(|it| it.get("url").is_some() && it.get("service").is_some());
                if has_both {
                    Words::new("`clientConfig` has both `url` and `service`")
                        .label("only one is allowed")
                        .help("remove `url` or `service`")
                } else if has_v1beta1_webhook(about) {
                    Words::new("`webhookClientConfig` is a field of `v1beta1`")
                        .label("`clientConfig` is missing here")
                        .help("move `webhookClientConfig` into `webhook`, and name it `clientConfig`")
                } else {
                    Words::new("`clientConfig` needs a `url` or a `service`")
                        .label("`url` or `service` is missing")
                        .help("add `service: {namespace: …, name: …}`, or `url: https://…`")
                }
            }
            codes::WEBHOOK_WITHOUT_STRATEGY => {
                let strategy = about.text(&["spec", "conversion", "strategy"]).unwrap_or("None");
                let words = Words::new(format!(
                    "{} is set, but the conversion strategy is {}",
                    code(about.last()),
                    code(strategy)
                ));
                match meant(strategy, ["Webhook"]) {
                    Some(near) => words.did_you_mean(strategy, near),
                    None => words.help("set `strategy: Webhook`, or remove `webhook`"),
                }
                .label("needs strategy `Webhook`")
            }
            codes::INVALID_WEBHOOK_URL => url(about),
            codes::INVALID_WEBHOOK_SERVICE => service(about),
            codes::INVALID_CA_BUNDLE => Words::new("`caBundle` holds no certificate that the API server can read")
                .label("no readable certificate")
                .help("write the base64 of a PEM file with `-----BEGIN CERTIFICATE-----`, or remove `caBundle`")
                .quote(),
            codes::MISSING_REVIEW_VERSIONS => {
                let webhook = ["spec", "conversion", "webhook"];
                let webhook = webhook.iter().try_fold(about.root, |it, key| it.get(key));
                Words::new("a webhook conversion needs `conversionReviewVersions`")
                    .label("`conversionReviewVersions` is missing")
                    .help(match misspelt_key(webhook, "conversionReviewVersions") {
                        Some(near) => format!("change {} to `conversionReviewVersions`", code(near)),
                        None => "add `conversionReviewVersions: [v1]`".to_owned(),
                    })
            }
            codes::INVALID_REVIEW_VERSION => Words::new(format!("{} is not the name of a version", shown(about)))
                .label("not a version")
                .help("write `v1`"),
            codes::DUPLICATE_REVIEW_VERSION => Words::new(format!(
                "{} is listed twice in `conversionReviewVersions`",
                shown(about)
            ))
            .label("listed before")
            .help("remove the second one"),
            codes::UNRECOGNIZED_REVIEW_VERSIONS => {
                Words::new("`conversionReviewVersions` names no version that the API server sends")
                    .label("no `v1` or `v1beta1`")
                    .help("add `v1`: `conversionReviewVersions: [v1]`")
            }
            _ => return None,
        };
    Some(words)
}

fn shown(about: &About<'_>) -> String {
    let found = about.value().map(written).unwrap_or_default();
    code(found.trim_matches('"'))
}

fn url(about: &About<'_>) -> Words {
    let (headline, label) = match about.cause {
        Some(Cause::Part("scheme")) => ("the URL of the webhook must begin with `https://`", "must be `https`"),
        Some(Cause::Part("host")) => ("the URL of the webhook has no host", "no host"),
        Some(Cause::Part("user")) => ("the URL of the webhook cannot have a user or password", "has a user"),
        Some(Cause::Part("fragment")) => ("the URL of the webhook cannot have a fragment (`#…`)", "has a fragment"),
        Some(Cause::Part("query")) => ("the URL of the webhook cannot have a query (`?…`)", "has a query"),
        _ => ("the URL of the webhook is malformed", "not a URL"),
    };
    let words = Words::new(headline)
        .label(label)
        .help("write it as `https://host/path`");
    match about.cause {
        Some(Cause::Malformed(_)) => words.quote(),
        _ => words,
    }
}

/// Words for errors about the webhook's service. The API server swaps the two fields: it reports an error in the name at the path of the namespace,
/// and the other way round.
fn service(about: &About<'_>) -> Words {
    let field = about.last();
    match (field, about.kind) {
        ("name" | "namespace", ErrorType::Required) => {
            let other = if field == "name" { "namespace" } else { "name" };
            Words::new(format!("the service of the webhook has no `{field}`"))
                .label(format!("`{field}` is missing here"))
                .help(format!("add `{field}: …`"))
                .note(format!("the API server reports this at `{other}`: it swaps the two"))
        }
        ("port", _) => Words::new("the port of the webhook's service must be between 1 and 65535")
            .label("not a port")
            .help("write a port such as `port: 443`"),
        _ => Words::new("the path of the webhook's service must be made of DNS names, such as `/convert`")
            .label("not a valid path")
            .help("write a path such as `path: /convert`")
            .quote(),
    }
}

/// Whether the CRD has the webhook's fields where `v1beta1` has them.
fn has_v1beta1_webhook(about: &About<'_>) -> bool {
    let conversion = about.root.get("spec").and_then(|it| it.get("conversion"));
    conversion.is_some_and(|it| it.get("webhookClientConfig").is_some())
}
