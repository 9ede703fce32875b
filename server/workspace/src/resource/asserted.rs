//! The status that tests expect. The API server ignores the status of a new object, but an assertion of a test names the status that a controller
//! has written, and the API server checks that.

use crd_analyzer_resource::{Question, ResourceVerdict, ServedVersion, Stored};
use crd_analyzer_schema::field::{Path, Segment};
use serde_json::{Value, json};

use super::{One, locate::Locate};
use crate::{findings::finding::Finding, roles::Use};

impl One<'_> {
    /// The errors in the status of an assertion. No object has such a status, so the test can never pass.
    pub(super) fn errors_in_status(&self, served: ServedVersion<'_>, locate: &Locate<'_>) -> Vec<Finding> {
        let is_expected = self.asked.completed.has(Use::Assertion) && served.has_status();
        if !is_expected || self.json.root().is_none_or(|it| it.get("status").is_none()) {
            return Vec::new();
        }
        let written = &self.asked.object.written;
        let Value::Object(identity) = json!({
            "apiVersion": written.api_version, "kind": written.kind, "metadata": { "name": written.name },
        }) else {
            return Vec::new();
        };
        let stored = Stored::of(identity);
        let answer = self.answer(served, Question::UpdateStatus(&stored), locate);
        // The rest of the stored object is not known, so its errors and those of rules about all of it say nothing.
        let in_status = |path: &Path| matches!(path.segments().first(), Some(Segment::Field(it)) if it == "status");
        let errors = answer.errors.into_iter().filter(|it| in_status(&it.error.path));
        let of_status = ResourceVerdict {
            errors: errors.collect(),
            ..ResourceVerdict::default()
        };
        locate.verdict(&of_status).errors
    }
}
