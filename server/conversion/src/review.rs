//! The `ConversionReview` sent to a webhook, and the API server's checks of the answer
//! (`pkg/apiserver/conversion/webhook_converter.go`).

use crd_analyzer_apiextensions::kind::CRD;
use crd_analyzer_schema::{KubernetesVersion, go};
use serde_json::{Map, Value, json};

use crate::{
    answer::{self, KIND},
    metadata::restore,
};

/// A request to convert objects of one kind to a version.
#[derive(Clone, PartialEq, Debug)]
pub struct Review {
    /// The version of the review: `v1` or `v1beta1`.
    version: &'static str,
    uid: String,
    desired: String,
    objects: Vec<Map<String, Value>>,
    /// The API server's name for the converted objects.
    what: String,
    is_list: bool,
    kubernetes: KubernetesVersion,
}

impl Review {
    /// Creates a review in the first version that the API server supports. Returns an error if the API server supports none of the versions.
    ///
    /// `uid` is the id of the request, and `desired` is the target `apiVersion`. `list_kind` is set if the objects are a list of this kind.
    pub fn new(
        versions: &[String],
        uid: String,
        desired: String,
        objects: Vec<Map<String, Value>>,
        list_kind: Option<&str>,
        kubernetes: KubernetesVersion,
    ) -> Result<Self, String> {
        let known = versions.iter().find_map(|it| match it.as_str() {
            "v1" => Some("v1"),
            "v1beta1" => Some("v1beta1"),
            _ => None,
        });
        let version = known.ok_or("no supported conversion review versions")?;
        let first = objects.first();
        // The API server decodes a list in the version of the request.
        let api_version = match list_kind {
            Some(_) => &desired,
            None => first.map_or("", |it| text(it, "apiVersion")),
        };
        let kind = list_kind.unwrap_or_else(|| first.map_or("", |it| text(it, "kind")));
        Ok(Self {
            version,
            uid,
            what: format!("{api_version}, Kind={kind}"),
            desired,
            is_list: list_kind.is_some(),
            objects,
            kubernetes,
        })
    }

    /// The document to send to the webhook.
    pub fn request(&self) -> Value {
        json!({
            "kind": KIND,
            "apiVersion": format!("{}/{}", CRD.group, self.version),
            "request": {
                "uid": self.uid,
                "desiredAPIVersion": self.desired,
                "objects": self.objects,
            },
            // Go also writes empty fields.
            "response": {"uid": "", "convertedObjects": null, "result": {"metadata": {}}},
        })
    }

    /// The converted objects of an answer, with the metadata that a webhook cannot change. The error is the API server's message.
    pub fn converted(&self, answer: &Value) -> Result<Vec<Map<String, Value>>, String> {
        let failed = |why: String| format!("conversion webhook for {} failed: {why}", self.what);
        let converted = self.of_response(answer).map_err(failed)?;
        if converted.len() != self.objects.len() {
            return Err(format!(
                "conversion webhook for {} returned {} objects, expected {}",
                self.what,
                converted.len(),
                self.objects.len()
            ));
        }
        let pairs = self.objects.iter().zip(converted).enumerate();
        pairs.map(|(n, (sent, got))| self.checked(n, sent, got)).collect()
    }

    /// Checks a response and returns its objects (`getConvertedObjectsFromResponse`).
    fn of_response<'v>(&self, answer: &'v Value) -> Result<&'v [Value], String> {
        let answer = answer::read(answer, self.version, self.kubernetes)?;
        let wanted = format!("{}/v1, Kind={KIND}", CRD.group);
        if self.version == "v1" && answer.kind != wanted {
            return Err(format!("expected webhook response of {wanted}, got {}", answer.kind));
        }
        let response = answer.response.ok_or("no response provided")?;
        if self.version == "v1" && text(response, "uid") != self.uid {
            return Err(format!(
                "expected response.uid={}, got {}",
                go::quote(&self.uid),
                go::quote(text(response, "uid"))
            ));
        }
        let result = response.get("result").and_then(Value::as_object);
        let of_result = |name: &str| result.map_or("", |it| text(it, name));
        if of_result("status") != "Success" {
            let message = of_result("message");
            return Err(if message.is_empty() {
                format!("response.result.status was '{}', not 'Success'", of_result("status"))
            } else {
                message.to_owned()
            });
        }
        let objects = response.get("convertedObjects").and_then(Value::as_array);
        Ok(objects.map_or(&[], Vec::as_slice))
    }

    fn checked(&self, n: usize, sent: &Map<String, Value>, got: &Value) -> Result<Map<String, Value>, String> {
        let place = |what: &str| {
            let of_list = if self.is_list { "converted " } else { "" };
            format!(
                "conversion webhook for {} returned invalid {of_list}{what} at index {n}",
                self.what
            )
        };
        // For a single object, the API server does not report its index.
        let plain = |what: &str, at: &str| {
            if self.is_list {
                format!("conversion webhook for {} returned invalid {at}", self.what)
            } else {
                format!("conversion webhook for {} returned invalid {what}", self.what)
            }
        };
        let (object, kind) = answer::object(got).map_err(|why| {
            if self.is_list {
                format!("{}: {why}", place("object"))
            } else {
                why
            }
        })?;
        let received = text(object, "apiVersion");
        if received != self.desired {
            return Err(format!(
                "{}: invalid groupVersion (expected {}, received {received})",
                place("object"),
                self.desired
            ));
        }
        if kind != text(sent, "kind") {
            return Err(format!(
                "{}: invalid kind (expected {}, received {kind})",
                place("object"),
                text(sent, "kind")
            ));
        }
        for (name, field) in [("name", "name"), ("namespace", "namespace"), ("UID", "uid")] {
            let of = |object: &Map<String, Value>| {
                let metadata = object.get("metadata").and_then(Value::as_object);
                metadata.map_or("", |it| text(it, field)).to_owned()
            };
            let (expected, actual) = (of(sent), of(object));
            if expected != actual {
                return Err(format!(
                    "{}: must have the same {name}: {expected} != {actual}",
                    plain("object", &format!("converted object at index {n}"))
                ));
            }
        }
        restore(sent, object.clone(), self.kubernetes).map_err(|why| {
            format!(
                "{}: {why}",
                plain("metadata", &format!("metadata in object at index {n}"))
            )
        })
    }
}

/// A string field; empty if the field does not exist.
fn text<'o>(object: &'o Map<String, Value>, name: &str) -> &'o str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(version: &str, name: &str) -> Map<String, Value> {
        let object = json!({"apiVersion": format!("example.com/{version}"), "kind": "Widget",
            "metadata": {"name": name, "namespace": "default", "uid": "1"}, "spec": {"a": 1}});
        object.as_object().unwrap().clone()
    }

    fn review(names: &[&str], list_kind: Option<&str>) -> Review {
        Review::new(
            &["v2".to_owned(), "v1".to_owned()],
            "u".to_owned(),
            "example.com/v2".to_owned(),
            names.iter().map(|it| object("v1", it)).collect(),
            list_kind,
            KubernetesVersion::NEWEST,
        )
        .unwrap()
    }

    fn answer(objects: &[Map<String, Value>]) -> Value {
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "response": {
            "uid": "u", "result": {"status": "Success"}, "convertedObjects": objects}})
    }

    #[test]
    fn the_request_has_the_objects_and_the_version() {
        let request = review(&["a"], None).request();
        assert_eq!(request["request"]["desiredAPIVersion"], "example.com/v2");
        assert_eq!(request["request"]["objects"][0]["metadata"]["name"], "a");
        let none = Review::new(
            &[],
            String::new(),
            String::new(),
            Vec::new(),
            None,
            KubernetesVersion::NEWEST,
        );
        assert_eq!(none.unwrap_err(), "no supported conversion review versions");
    }

    #[test]
    fn answers_are_checked_as_the_api_server_checks_them() {
        let one = review(&["a"], None);
        let good = answer(&[object("v2", "a")]);
        assert_eq!(one.converted(&good).unwrap(), [object("v2", "a")]);
        let changed = |change: &dyn Fn(&mut Value)| {
            let mut answer = good.clone();
            change(&mut answer);
            one.converted(&answer).unwrap_err()
        };
        let what = "conversion webhook for example.com/v1, Kind=Widget";
        for (change, words) in [
            (
                &(|it: &mut Value| it["kind"] = json!("Review")) as &dyn Fn(&mut Value),
                "failed: no kind \"Review\" is registered for version \"apiextensions.k8s.io/v1\" in scheme \"pkg/runtime/scheme.go:111\"",
            ),
            (&|it| it["response"] = Value::Null, "failed: no response provided"),
            (
                &|it| it["response"]["uid"] = json!("x"),
                "failed: expected response.uid=\"u\", got \"x\"",
            ),
            (
                &|it| it["response"]["result"] = json!({"status": "Failed"}),
                "failed: response.result.status was 'Failed', not 'Success'",
            ),
            (&|it| it["response"]["result"] = json!({"message": "no"}), "failed: no"),
            (
                &|it| it["response"]["convertedObjects"] = json!([]),
                "returned 0 objects, expected 1",
            ),
            (
                &|it| it["response"]["convertedObjects"][0]["apiVersion"] = json!("example.com/v1"),
                "returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)",
            ),
            (
                &|it| it["response"]["convertedObjects"][0]["kind"] = json!("Other"),
                "returned invalid object at index 0: invalid kind (expected Widget, received Other)",
            ),
            (
                &|it| it["response"]["convertedObjects"][0]["metadata"]["name"] = json!("b"),
                "returned invalid object: must have the same name: a != b",
            ),
            (
                &|it| it["response"]["convertedObjects"][0]["metadata"]["uid"] = json!("2"),
                "returned invalid object: must have the same UID: 1 != 2",
            ),
            (
                &|it| it["response"]["convertedObjects"][0]["metadata"]["labels"] = json!({"a": 1}),
                "returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object",
            ),
        ] {
            assert_eq!(changed(change), format!("{what} {words}"));
        }
        assert_eq!(
            changed(&|it| it["response"]["convertedObjects"][0] = json!({})),
            "Object 'Kind' is missing in '{}'"
        );
    }

    #[test]
    fn a_list_keeps_its_order() {
        let list = review(&["a", "b"], Some("WidgetList"));
        let swapped = answer(&[object("v2", "b"), object("v2", "a")]);
        assert_eq!(
            list.converted(&swapped).unwrap_err(),
            "conversion webhook for example.com/v2, Kind=WidgetList returned invalid converted object at index 0: must have the same name: a != b"
        );
    }

    #[test]
    fn v1beta1_has_neither_the_type_nor_the_uid_checked() {
        let versions = ["v1beta1".to_owned()];
        let review = Review::new(
            &versions,
            "u".to_owned(),
            "example.com/v2".to_owned(),
            vec![object("v1", "a")],
            None,
            KubernetesVersion::NEWEST,
        );
        let mut answer = answer(&[object("v2", "a")]);
        answer["apiVersion"] = json!("apiextensions.k8s.io/v1beta1");
        answer["response"]["uid"] = json!("x");
        assert!(review.unwrap().converted(&answer).is_ok());
    }
}
