//! Candidate quick fixes for individual findings, guessed from the code and the place of the finding. The caller checks whether they work.

mod declare;
mod definition;
mod expression;
mod hazard;
mod junctor;
mod keywords;
mod misplaced;
mod resource;
mod typing;
mod values;
mod wording;
mod yaml;

use std::sync::Arc;

use crd_analyzer_apiextensions::codes as api_codes;
use crd_analyzer_diagnostic::{Change, Proposed};
use crd_analyzer_schema::{codes as schema_codes, field::Path};
use crd_analyzer_syntax::{
    paths::{self, Side, Step},
    tree::{Entry, NodeId, Tree},
};
use crd_analyzer_workspace::{
    codes::{
        DEPRECATED_POLICY_VERSION, DEPRECATED_VERSION, HELM_FAILURE, KIND_OF_OTHER_TOOL, KUSTOMIZE_FAILURE, LOCAL_TAG,
        UNKNOWN_CHART_VALUE, UNREADABLE_RESOURCE, UNSERVED_VERSION, UNUSED_SUPPRESSION,
    },
    documents::source::SourceText,
    judging::hazards::codes as hazard_codes,
};

use super::{
    OF_EXPRESSIONS, Problem, TextEdit, change,
    edits::{Value, insert_entry, put, remove_entry, set_scalar},
};
use crate::{completion::Definitions, file::Document, schema};

/// A candidate fix.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Repair {
    /// The title.
    pub(super) title: String,
    /// The edits in any order, without overlaps.
    pub(super) edits: Vec<TextEdit>,
    /// The edits as changes of the object, if they are known.
    pub(super) changes: Vec<Change>,
    /// Whether the fix may be applied without asking, because the accepted resources and the stored values stay as the author intended.
    pub(super) safe: bool,
    /// Whether the fix drops something that the author wrote, but is still the obvious fix.
    pub(super) drops: bool,
}

impl Repair {
    fn new(title: impl Into<String>, edits: Vec<TextEdit>) -> Self {
        Self {
            title: title.into(),
            edits,
            changes: Vec::new(),
            safe: false,
            drops: false,
        }
    }

    fn one(title: impl Into<String>, edit: Option<TextEdit>) -> Option<Self> {
        Some(Self::new(title, vec![edit?]))
    }

    fn safe(mut self) -> Self {
        self.safe = true;
        self
    }

    fn drops(mut self) -> Self {
        self.drops = true;
        self
    }
}

/// The place of a finding in the syntax tree.
pub(super) struct At<'d> {
    pub(super) tree: &'d Tree,
    pub(super) document: &'d Document<'d>,
    pub(super) problem: Problem,
    /// The path of the node. If the finding is at a key, the path of its value.
    pub(super) path: Vec<Step<'d>>,
    /// The entry of the mapping at which the finding is shown, if any.
    pub(super) entry: Option<Entry>,
    /// The node that the finding is about: the value of the entry, or the node itself.
    pub(super) node: NodeId,
}

impl<'d> At<'d> {
    fn new(document: &'d Document<'d>, problem: Problem) -> Option<Self> {
        let tree = document.tree;
        let found = paths::at(tree, problem.span.start)?;
        let entry = tree.entry_of(found.node);
        let node = match (found.side, entry) {
            (Side::Key, Some(entry)) => entry.value,
            _ => found.node,
        };
        Some(Self {
            tree,
            document,
            problem,
            path: found.path,
            entry,
            node,
        })
    }

    /// The mapping that contains the entry.
    fn mapping(&self) -> Option<NodeId> {
        self.tree.parent(self.entry?.key)
    }

    /// The place of the mapping that starts here, if it has no key of its own because it is the whole object or an item. A finding about it is shown
    /// at its first key.
    fn around(&self) -> Option<Self> {
        let mapping = self.mapping()?;
        let path = self.path.split_last()?.1.to_vec();
        let has_key = self.tree.entry_of(mapping).is_some();
        let is_first = self.tree.entries(mapping).next().map(|it| it.key) == self.entry.map(|it| it.key);
        (is_first && !has_key).then(|| Self {
            problem: self.problem.clone(),
            path,
            entry: None,
            node: mapping,
            ..*self
        })
    }

    /// The number of entries in a mapping, which is the cost of finding one of them.
    fn entries(&self, mapping: NodeId) -> u64 {
        self.tree.children(mapping).count() as u64 / 2
    }

    /// The innermost schema that contains the place, or that is the place.
    fn schema(&self) -> Option<NodeId> {
        let around = std::iter::once(self.node).chain(self.tree.ancestors(self.node));
        around
            .into_iter()
            .find(|it| schema::is_mapping(self.tree, *it) && schema::is_schema_node(self.tree, *it))
    }

    /// The edit that removes the entry with a key from a mapping.
    fn remove(&self, mapping: NodeId, key: &str) -> Option<TextEdit> {
        let entry = self.tree.entry(mapping, key)?;
        remove_entry(self.tree, mapping, entry)
    }

    /// The path of the node that the finding is about.
    fn place(&self) -> Path {
        change::path(&self.path)
    }

    /// The fix for a list of changes. `place` is the path of the finding's node in the object to which the changes apply. `None` if a change cannot
    /// be made in this text.
    fn written(&self, place: &Path, title: &str, changes: &[Change]) -> Option<Repair> {
        let mut repair = Repair::new(title, Vec::new());
        for it in changes {
            let (edit, change) = change::edit(self.tree, &self.path, place, it)?;
            repair.changes.push(change);
            // Versions may share text by aliases, so add each edit once.
            if !repair.edits.contains(&edit) {
                repair.edits.push(edit);
            }
        }
        Some(repair)
    }

    /// The fixes that the check of the finding proposes.
    fn proposed(&self, proposed: &Proposed) -> Vec<Repair> {
        let written = proposed.proposals.iter().filter_map(|it| {
            let repair = self.written(&proposed.place, &it.title, &it.changes)?;
            let safe = it.is_safe;
            Some(Repair { safe, ..repair })
        });
        written.collect()
    }

    fn insert(&self, mapping: NodeId, key: &str, value: &Value) -> Option<TextEdit> {
        insert_entry(self.tree, mapping, key, value)
    }
}

/// The fixes that the finding itself proposes.
pub(super) fn proposed(document: &Document<'_>, problem: &Problem) -> Vec<Repair> {
    let at = At::new(document, problem.clone());
    let proposed = at.as_ref().zip(problem.proposed.as_ref());
    proposed.map(|(at, it)| at.proposed(it)).unwrap_or_default()
}

/// The candidate fixes for a finding.
pub(super) fn repairs<'d>(document: &'d Document<'d>, problem: Problem, definitions: &dyn Definitions) -> Vec<Repair> {
    if [LOCAL_TAG, api_codes::INVALID_YAML].contains(&problem.code) {
        return yaml::repairs(document.tree, problem.span);
    }
    if problem.code == UNUSED_SUPPRESSION {
        return vec![wording::without_comment(document.tree, problem.span)];
    }
    if [UNKNOWN_CHART_VALUE, HELM_FAILURE].contains(&problem.code) {
        // The word is in an action, which is not YAML.
        let edit = problem.meant.as_ref().map(|it| put(problem.span, it));
        let title = format!("Change it to {}", problem.meant.as_deref().unwrap_or_default());
        return Repair::one(title, edit).into_iter().collect();
    }
    let Some(at) = At::new(document, problem) else {
        return Vec::new();
    };
    let problem = &at.problem;
    let mut found = Vec::new();
    if let Some(repair) = resource::in_pointer(&at) {
        return vec![repair];
    }
    if problem.code == KUSTOMIZE_FAILURE {
        return wording::meant_word(&at).into_iter().collect();
    }
    if [UNSERVED_VERSION, DEPRECATED_VERSION, DEPRECATED_POLICY_VERSION].contains(&problem.code) {
        resource::version(&at, definitions, &mut found);
    }
    if !document.is_crd() {
        resource::repairs(&at, definitions, &mut found);
    } else if problem.code != api_codes::UNKNOWN_FIELD {
        resource::of_default(&at, &mut found);
    }
    if !found.is_empty() {
        return found;
    }
    if let Some(proposed) = &problem.proposed {
        return at.proposed(proposed);
    }
    match problem.code {
        schema_codes::MISSING_TYPE => typing::missing(&at, &mut found),
        schema_codes::ROOT_TYPE | schema_codes::EMBEDDED_RESOURCE_TYPE | schema_codes::METADATA_TYPE => {
            found.extend(typing::set(&at, "object"));
        }
        schema_codes::TYPE_META_TYPE => found.extend(typing::set(&at, "string")),
        schema_codes::MISSING_ITEMS => typing::missing_items(&at, &mut found),
        api_codes::UNKNOWN_TYPE => typing::unknown(&at, &mut found),
        schema_codes::EMBEDDED_RESOURCE_PROPERTIES => {
            let schema = at.schema();
            let key = "x-kubernetes-preserve-unknown-fields";
            let edit = schema.and_then(|it| at.insert(it, key, &Value::Bool(true)));
            found.extend(Repair::one(format!("Add {key}: true"), edit));
        }
        schema_codes::NON_STRUCTURAL_JUNCTOR => junctor::forbidden(&at, &mut found),
        schema_codes::INCOMPLETE_JUNCTOR => junctor::incomplete(&at, &mut found),
        api_codes::OPTIONAL_LIST_MAP_KEY => typing::require_keys(&at, &mut found),
        api_codes::MISSING_LIST_MAP_KEYS => typing::name_keys(&at, &mut found),
        api_codes::STORAGE_VERSION_COUNT => definition::storage(&at, &mut found),
        api_codes::DUPLICATE_VERSION_NAME => definition::version_name(&at, &mut found),
        schema_codes::INVALID_METADATA_NAME if document.is_crd() => definition::name(&at, &mut found),
        schema_codes::INVALID_METADATA_NAME => found.extend(resource::object_name(&at)),
        schema_codes::MISSING_METADATA_NAME => definition::name(&at, &mut found),
        api_codes::UNKNOWN_SCOPE => definition::scope(&at, &mut found),
        api_codes::LIST_TYPE_WITHOUT_ARRAY => {
            keywords::of_other_type(&at, "x-kubernetes-list-type", "array", &mut found);
        }
        api_codes::MAP_TYPE_WITHOUT_OBJECT => {
            keywords::of_other_type(&at, "x-kubernetes-map-type", "object", &mut found);
        }
        api_codes::ITEMS_LIST => keywords::single_items(&at, &mut found),
        api_codes::GRANULAR_SET_ITEMS | api_codes::SET_OF_OBJECTS => keywords::atomic_items(&at, &mut found),
        schema_codes::INVALID_PATTERN => keywords::pattern(&at, &mut found),
        hazard_codes::ALWAYS_TRUE_RULE | api_codes::EMPTY_RULE => keywords::rule(&at, &mut found),
        api_codes::DUPLICATE_REVIEW_VERSION
        | api_codes::INVALID_REVIEW_VERSION
        | api_codes::DUPLICATE_SELECTABLE_FIELD => keywords::item(&at, &mut found),
        api_codes::MISSING_REVIEW_VERSIONS | api_codes::UNRECOGNIZED_REVIEW_VERSIONS => {
            definition::review_versions(&at, &mut found);
        }
        api_codes::MISSING_WEBHOOK => definition::no_conversion(&at, &mut found),
        api_codes::MISSING_GROUP => definition::group(&at, &mut found),
        api_codes::MISSING_API_APPROVAL | api_codes::INVALID_API_APPROVAL => {
            definition::approval(&at, &mut found);
        }
        api_codes::MISSING_SCALE_PATH => definition::scale_path(&at, &mut found),
        api_codes::LIST_KIND_EQUALS_KIND => definition::list_kind(&at, &mut found),
        api_codes::INVALID_RESOURCE_NAME | api_codes::INVALID_VERSION_NAME => definition::lower(&at, &mut found),
        api_codes::MISSING_RESOURCE_NAME => definition::missing_names(&at, &mut found),
        api_codes::MISSING_SCHEMA => definition::missing_schema(&at, &mut found),
        api_codes::INVALID_DEPRECATION_WARNING => definition::deprecated(&at, &mut found),
        api_codes::WEBHOOK_WITHOUT_STRATEGY => definition::webhook(&at, &mut found),
        api_codes::INVALID_JSON_PATH => definition::json_path(&at, &mut found),
        api_codes::UNIQUE_ITEMS => {
            let mapping = at.mapping();
            let remove = mapping.and_then(|it| at.remove(it, "uniqueItems"));
            found.extend(Repair::one("Remove uniqueItems", remove));
            let place = at.place();
            let value = Change::Set(place.clone(), Value::text_of("set"));
            let key = Change::Rename(place, "x-kubernetes-list-type".to_owned());
            found.extend(at.written(&at.place(), "Make it a list of type set", &[value, key]));
        }
        api_codes::LIST_MAP_KEYS_WITHOUT_MAP => {
            let schema = at.schema();
            if let Some(schema) = schema {
                let edit = match schema::child(at.tree, schema, "x-kubernetes-list-type") {
                    Some(value) => set_scalar(at.tree, value, "map"),
                    None => at.insert(schema, "x-kubernetes-list-type", &Value::text_of("map")),
                };
                found.extend(Repair::one("Make it a list of type map", edit));
            }
            found.extend(remove_at(&at));
        }
        schema_codes::TYPE_META | UNREADABLE_RESOURCE => found.extend(wording::miscased(&at)),
        schema_codes::METADATA_DECODE => found.extend(wording::quoted_metadata(&at)),
        api_codes::DUPLICATE_KEY => wording::duplicate_key(&at, &mut found),
        api_codes::UNREADABLE_CRD => wording::other_type(&at, &mut found),
        api_codes::UNKNOWN_FIELD | api_codes::DROPPED_FIELD => wording::unknown_field(&at, &mut found),
        api_codes::MULTILINE_MESSAGE => wording::one_line(&at, &mut found),
        api_codes::MISSING_MESSAGE => wording::fold(&at, &mut found),
        code if OF_EXPRESSIONS.contains(&code) => expression::names(&at, &mut found),
        hazard_codes::OPTIONAL_FIELD_READ
        | hazard_codes::ABSENT_MAP_KEY
        | hazard_codes::UNGUARDED_INDEX
        | hazard_codes::DIVISION_BY_ZERO
        | hazard_codes::OLD_SELF_ON_CREATE
        | hazard_codes::RULE_CAN_FAIL => hazard::guards(&at, &mut found),
        // The API server ignores this entry, and its documentation says to omit it.
        api_codes::PRUNED_UNKNOWN_FIELDS | api_codes::OPTIONAL_OLD_SELF_UNUSED | api_codes::EMPTY_MESSAGE => {
            found.extend(remove_at(&at).map(Repair::safe));
        }
        api_codes::NULLABLE_ROOT
        | api_codes::NULLABLE_LIST_ITEMS
        | api_codes::NULLABLE_LIST_MAP_KEY
        | api_codes::PRESERVED_UNKNOWN_FIELDS
        | api_codes::UNSUPPORTED_KEYWORD
        | api_codes::FORBIDDEN_DEFAULT
        | api_codes::UNKNOWN_LIST_TYPE
        | api_codes::UNKNOWN_MAP_TYPE
        | api_codes::UNKNOWN_REASON
        | api_codes::UNKNOWN_COLUMN_FORMAT
        | api_codes::INVALID_FIELD_PATH
        | api_codes::KEYWORD_AT_ROOT_WITH_STATUS
        | api_codes::RESOURCE_IN_METADATA
        | schema_codes::INT_OR_STRING_CONFLICT
        | schema_codes::DEFAULT_UNKNOWN_FIELD
        | api_codes::PROPERTIES_AND_ADDITIONAL_PROPERTIES
        | api_codes::UNRECOGNIZED_FORMAT
        | schema_codes::ROOT_ADDITIONAL_PROPERTIES
        | schema_codes::EMBEDDED_RESOURCE_ADDITIONAL_PROPERTIES
        | schema_codes::METADATA_RESTRICTION
        | schema_codes::METADATA_IN_JUNCTOR => {
            wording::known_value(&at, &mut found);
            found.extend(remove_at(&at));
        }
        // The kind is the right one, however similar it is to that of CRDs.
        KIND_OF_OTHER_TOOL => {}
        _ => wording::known_value(&at, &mut found),
    }
    found
}

/// The name of the unknown field at a finding, and the edits that declare it in the CRD's file.
pub(super) fn declaration<'d>(
    document: &'d Document<'d>,
    problem: Problem,
    definitions: &dyn Definitions,
) -> Option<(String, Arc<SourceText>, Vec<TextEdit>)> {
    let is_unknown = problem.code == api_codes::UNKNOWN_FIELD && !document.is_crd();
    declare::field(&At::new(document, problem).filter(|_| is_unknown)?, definitions)
}

/// Removes the entry at which the finding is shown.
fn remove_at(at: &At<'_>) -> Option<Repair> {
    let entry = at.entry?;
    let edit = remove_entry(at.tree, at.mapping()?, entry);
    Repair::one(format!("Remove {}", at.tree.scalar(entry.key)), edit)
}
