//! Checks the known parts of objects in templates, for objects in the table of kinds, such as policies.

use crd_analyzer_admission::codes;
use crd_analyzer_apiextensions::{decode::WrittenType, kind::Version};
use crd_analyzer_resource::codes::UNKNOWN_FIELD;
use crd_analyzer_schema::depth;
use crd_analyzer_syntax::{
    json::{Json, JsonValue, read_json_of},
    paths::{self, Side},
    split::Document,
    tree::{NodeId, Tree},
};

use super::{Ask, Judged};
use crate::{
    documents::text::Text,
    filled_in::fill::Places,
    findings::finding::{Finding, ServerSays},
    findings::report::{DocumentReport, Subject},
    index::Object,
    judging::deferred_search::{self, UnsearchedReport},
    kinds::Row,
};

/// The fields of `spec` that decide what expressions may use.
const DECIDING: [&str; 2] = ["variables", "paramKind"];

/// The codes of errors about a value, which depend on nothing else.
const OF_VALUES: [&str; 3] = [
    codes::UNREADABLE_POLICY,
    codes::POLICY_UNKNOWN_VALUE,
    codes::POLICY_INVALID_VALUE,
];

impl Ask<'_> {
    /// Checks a document of a Helm template if it is an object of a kind in the table. `filled` has the text with its actions filled in. `None` if the
    /// text is not YAML.
    pub(super) fn template_of_row(
        &self,
        document: Document,
        head: &WrittenType,
        (filled, places): (&Text, &Places),
    ) -> Option<Judged> {
        let object = Object::of_document(document, head.clone());
        let (row, of) = self.row_of(&object)?;
        let tree = filled.read(document).ok()?;
        let root = tree.root()?;
        let mut report = DocumentReport::new(&object, Subject::Resource);
        report.in_part = true;
        self.judge_known((row, of?), (&tree, root, places), &mut report)?;
        let judged = vec![UnsearchedReport::new(report)];
        Some(Judged::Documents(deferred_search::complete(&tree, judged)))
    }

    /// Adds the errors that the known parts of an object decide.
    fn judge_known(
        &self,
        (row, of): (&'static Row, &'static Version),
        (tree, root, places): (&Tree, NodeId, &Places),
        report: &mut DocumentReport,
    ) -> Option<()> {
        let part = PartlyKnown { tree, root, places };
        for version in self.question.versions.iter().filter(|it| of.is_served(*it)) {
            let mut json = read_json_of(tree, root).ok()?;
            if json.depth() > depth::limit() {
                return None;
            }
            json.forget_duplicates();
            part.remove_unknown(json.root_mut()?);
            let mut verdict = self.answer((row, of), (tree, &json), version);
            verdict.retain(|it| part.is_certain(it));
            report.verdicts.push((version, verdict));
        }
        Some(())
    }
}

/// An object with parts that a template fills in.
struct PartlyKnown<'t> {
    tree: &'t Tree,
    root: NodeId,
    places: &'t Places,
}

impl PartlyKnown<'_> {
    fn is_filled(&self, node: NodeId) -> bool {
        self.tree.is_scalar(node) && self.places.at(self.tree.span(node)).is_some()
    }

    /// Whether something in a node is filled in.
    fn has_filled(&self, node: NodeId) -> bool {
        self.places.are_in(self.tree.full_span(node))
    }

    /// Removes the entries and items with unknown keys or values. This is recursive to the depth of the value.
    fn remove_unknown(&self, json: &mut Json<'_>) {
        match &mut json.value {
            JsonValue::Object(members) => {
                members.retain(|it| !self.is_filled(it.key_node) && !self.is_filled(it.value.node));
                for it in members {
                    self.remove_unknown(&mut it.value);
                }
            }
            JsonValue::Array(items) => {
                items.retain(|it| !self.is_filled(it.node));
                for it in items {
                    self.remove_unknown(it);
                }
            }
            _ => {}
        }
    }

    /// Whether the object has an error whatever is filled in.
    fn is_certain(&self, finding: &Finding) -> bool {
        let Some(found) = paths::at(self.tree, finding.span.start) else {
            return false;
        };
        if finding.code == UNKNOWN_FIELD {
            return found.side == Side::Key && !self.has_filled(found.node);
        }
        if finding.code == codes::POLICY_MISSING_FIELD {
            return self.lacking(finding).is_some_and(|it| !self.has_filled(it));
        }
        let value = match self.tree.entry_of(found.node) {
            Some(entry) if found.side == Side::Key => entry.value,
            _ => found.node,
        };
        if self.has_filled(value) {
            return false;
        }
        OF_VALUES.contains(&finding.code) || self.tree.is_scalar(value) && self.knows_variables()
    }

    /// The innermost value on the path of a missing field.
    fn lacking(&self, finding: &Finding) -> Option<NodeId> {
        let Some(ServerSays::Cause { field, .. }) = &finding.server else {
            return None;
        };
        let mut at = self.root;
        for step in field.split(['.', '[']) {
            let next = match step.strip_suffix(']') {
                Some(index) => self.tree.items(at).nth(index.parse().ok()?),
                None => self.tree.get(at, step),
            };
            let Some(next) = next else { break };
            at = next;
        }
        Some(at)
    }

    /// Whether everything is known that decides what expressions may use.
    fn knows_variables(&self) -> bool {
        let Some(spec) = self.tree.get(self.root, "spec") else {
            return false;
        };
        let mut entries = self.tree.entries(spec);
        entries.all(|it| {
            let is_deciding = DECIDING.contains(&&*self.tree.scalar(it.key));
            !(self.is_filled(it.key) || is_deciding && self.has_filled(it.value))
        })
    }
}
