//! Encodes metadata as JSON, like the API server.

use serde_json::{Map, Value};

use super::ObjectMeta;

impl ObjectMeta {
    /// The metadata in the API's JSON form (`runtime.DefaultUnstructuredConverter`).
    pub fn to_value(&self) -> Value {
        let mut out = Writer::default();
        out.text("name", &self.name);
        out.text("generateName", &self.generate_name);
        out.text("namespace", &self.namespace);
        out.text("selfLink", &self.self_link);
        out.text("uid", &self.uid);
        out.text("resourceVersion", &self.resource_version);
        if self.generation != 0 {
            out.value("generation", self.generation);
        }
        out.optional("creationTimestamp", self.creation_timestamp.as_deref());
        out.optional("deletionTimestamp", self.deletion_timestamp.as_deref());
        out.optional("deletionGracePeriodSeconds", self.deletion_grace_period_seconds);
        out.texts("labels", &self.labels);
        out.texts("annotations", &self.annotations);
        out.list("ownerReferences", &self.owner_references, |reference, out| {
            out.value("apiVersion", reference.api_version.as_str());
            out.value("kind", reference.kind.as_str());
            out.value("name", reference.name.as_str());
            out.value("uid", reference.uid.as_str());
            out.optional("controller", reference.controller);
            out.optional("blockOwnerDeletion", reference.block_owner_deletion);
        });
        if !self.finalizers.is_empty() {
            out.value("finalizers", self.finalizers.clone());
        }
        out.list("managedFields", &self.managed_fields, |entry, out| {
            out.text("manager", &entry.manager);
            out.text("operation", &entry.operation);
            out.text("apiVersion", &entry.api_version);
            out.optional("time", entry.time.as_deref());
            out.text("fieldsType", &entry.fields_type);
            out.optional("fieldsV1", entry.fields_v1.clone());
            out.text("subresource", &entry.subresource);
        });
        Value::Object(out.0)
    }
}

#[derive(Default)]
struct Writer(Map<String, Value>);

impl Writer {
    fn value(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    fn text(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.value(name, text);
        }
    }

    fn optional(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.value(name, value);
        }
    }

    fn texts(&mut self, name: &str, texts: &[(String, String)]) {
        if !texts.is_empty() {
            let map: Map<_, _> = texts
                .iter()
                .map(|(key, value)| (key.clone(), Value::from(value.as_str())))
                .collect();
            self.value(name, map);
        }
    }

    fn list<T>(&mut self, name: &str, items: &[T], mut write: impl FnMut(&T, &mut Self)) {
        if items.is_empty() {
            return;
        }
        let items: Vec<Value> = items
            .iter()
            .map(|item| {
                let mut out = Self::default();
                write(item, &mut out);
                Value::Object(out.0)
            })
            .collect();
        self.value(name, items);
    }
}
