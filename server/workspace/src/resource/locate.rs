//! Converts the API server's answer about a resource to findings with places in the resource and in its CRD.

use std::{
    borrow::Cow,
    cell::{Cell, OnceCell},
    path::Path,
};

use crd_analyzer_apiextensions::codes as definition_codes;
use crd_analyzer_resource::{self as server, Decider, DecodePlace, StrictErrorKind, codes, places};
use crd_analyzer_schema::{
    codes as schema_codes,
    field::{self, Cause, Segment},
    unknown::Known,
};
use crd_analyzer_syntax::{
    json::JsonDoc,
    paths::{Finder, Step},
    tree::{NodeId, Span, Tree},
};

use super::{
    extra_dash,
    misspelt::{Misspelt, say_misspelt},
    only_property, related, renamed, with_pattern,
};
use crate::{
    builds::basis::Basis,
    documents::spans,
    findings::finding::{Class, Finding, Related, ServerSays},
    findings::report::DocumentVerdict,
    index::CrdText,
    judging::question::{BuiltDocuments, Question, Wants},
    judging::{misplaced, verdict},
    resource::effective::Effective,
    words::{self, About},
};

/// The maximum number of objects around an unknown field that may declare it.
const MAX_OUT: usize = 8;

/// The maximum number of property names to compare with unknown fields for one verdict. Beyond it, unknown fields get no suggestions.
const MAX_COMPARED: usize = 200_000;

/// Whether an error is only a consequence of an invalid type in the schema. The CRD has its own error about the type.
pub(super) fn is_of_broken_schema(found: &server::RejectionCause) -> bool {
    let wanted = match found.error.cause() {
        Some(Cause::Type(expected)) if found.error.code == schema_codes::WRONG_TYPE => expected,
        _ => return false,
    };
    !words::text::is_type(wanted)
}

/// Sets the text of a finding about a rule that does not compile. For a resource, it says that the CRD must be fixed.
fn of_broken_rule(finding: &mut Finding, place: &field::Path) {
    let of = match place.to_string() {
        path if path.is_empty() => "the resource".to_owned(),
        path => words::name::shown(&path),
    };
    finding.headline = words::clip(
        &format!("a rule of the CRD for {of} does not compile"),
        words::MAX_HEADLINE,
    );
    finding.help = vec!["correct the rule in the CRD".to_owned()];
    (finding.label, finding.meant, finding.proposed) = (None, None, None);
    finding.quotes_server = true;
}

/// The data that is needed to find places.
pub(super) struct Locate<'a> {
    pub(super) tree: &'a Tree,
    pub(super) json: &'a JsonDoc<'a>,
    /// The parts of the resource that are known.
    known: Known<'a>,
    /// The file of the resource.
    pub(super) path: Option<&'a Path>,
    pub(super) definition: &'a CrdText,
    /// The names of the CRD's versions.
    versions: OnceCell<Vec<String>>,
    pub(super) finder: Finder<'a>,
    /// The number of property names that may still be compared.
    left: Cell<usize>,
    /// What the caller wants back.
    wants: Wants<'a>,
    /// Whether Flux substitutes variables in the object.
    has_variables: bool,
    /// Where the parts of a built object come from.
    overlays: Option<&'a dyn BuiltDocuments>,
}

impl<'a> Locate<'a> {
    pub(super) fn new(
        tree: &'a Tree,
        (json, known): (&'a JsonDoc<'a>, Known<'a>),
        question: &Question<'a>,
        definition: &'a CrdText,
        has_variables: bool,
    ) -> Self {
        Self {
            tree,
            json,
            known,
            path: question.path,
            definition,
            versions: OnceCell::new(),
            finder: Finder::new(&definition.tree),
            left: Cell::new(MAX_COMPARED),
            wants: question.wants,
            has_variables,
            overlays: question.around.overlays,
        }
    }

    /// The same, except that findings include the values that rules have read.
    pub(super) fn with_basis(self) -> Self {
        let wants = Wants {
            basis: true,
            ..self.wants
        };
        Self { wants, ..self }
    }

    /// Whether the caller needs the values that rules have read.
    pub(super) fn wants_reads(&self) -> bool {
        self.wants.basis || self.has_variables
    }

    /// Converts the API server's answer to findings with places.
    pub(super) fn verdict(&self, answer: &server::ResourceVerdict) -> DocumentVerdict {
        let effective = self
            .wants
            .effective
            .then(|| Effective::of(answer, self.json, self.known))
            .flatten();
        let mut misspelt = Vec::new();
        let strict = answer.strict.iter().take(self.wants.most_findings);
        let strict = strict.map(|it| self.strict(it, &mut misspelt)).collect();
        let all = || answer.errors.iter().map(|it| &it.error);
        let dashes = self
            .json
            .root()
            .map(|it| extra_dash::find(all(), it))
            .unwrap_or_default();
        let error = |it: &server::RejectionCause| {
            let mut finding = self.error(it);
            extra_dash::say(&mut finding, &it.error, &dashes);
            say_misspelt(&mut finding, &it.error, &misspelt);
            finding
        };
        let mut verdict = DocumentVerdict {
            decode_error: answer.decode_error.as_ref().map(|error| {
                let span = match &error.place {
                    DecodePlace::Text(span) => *span,
                    DecodePlace::Path(path) => self.span(path).0,
                };
                crate::judging::verdict::unreadable(error.code, span, &error.text, &error.problem)
            }),
            strict,
            errors: answer.errors.iter().take(self.wants.most_findings).map(error).collect(),
            other_error: answer
                .other_error
                .as_ref()
                .map(|text| self.of_whole(crate::codes::REFUSED, words::refused(), text)),
            warnings: answer
                .warnings
                .iter()
                .chain(answer.later_warnings.iter().filter(|_| self.wants.is_edited))
                .take(self.wants.most_findings)
                .map(|it| self.warning(it))
                .collect(),
            resource: effective.map(Box::new),
            left_out: verdict::left_out(
                [
                    answer.strict.len(),
                    answer.errors.len(),
                    answer.warnings.len(),
                    answer.hidden.len(),
                ],
                self.wants.most_findings,
            ),
            ..DocumentVerdict::default()
        };
        if answer.unjudged == Some(server::Unjudged::TooDeep) {
            verdict.other_error = Some(self.of_whole(
                definition_codes::TOO_DEEP,
                words::unjudged(false),
                "nested too deeply to be checked",
            ));
        }
        verdict.unfinished = answer.unfinished.iter().map(|it| self.unfinished(it)).collect();
        verdict.left_out += answer.left_out as usize;
        verdict.hints.extend(
            answer
                .hidden
                .iter()
                .take(self.wants.most_findings)
                .map(|it| error(it).in_class(Class::LaterError)),
        );
        verdict
    }

    fn of_whole(&self, code: &'static str, words: words::Words, text: &str) -> Finding {
        let (span, _) = self.span(&field::Path::root());
        let mut finding = Finding::new(Class::Error, code, span, "");
        words::put(&mut finding, words);
        finding.server = Some(ServerSays::Other(text.to_owned()));
        finding
    }

    /// The finding for an error of strict field validation. If the field is probably misspelt, adds it to `misspelt`.
    fn strict(&self, error: &server::StrictError, misspelt: &mut Vec<Misspelt>) -> Finding {
        let span = error
            .node
            .map_or_else(|| self.span(&field::Path::root()).0, |it| self.tree.span(it));
        let mut finding = Finding::new(Class::Error, error.kind.code(), span, "");
        match error.kind {
            StrictErrorKind::DuplicateKeys => verdict::say_duplicates(&mut finding, self.tree, self.json),
            StrictErrorKind::UnknownField => {
                let (words, meant) = self.unknown(error, misspelt);
                words::put(&mut finding, words);
                finding.meant = meant;
            }
        }
        if let Some(decider) = error.decider.as_ref().filter(|_| !is_of_metadata(error)) {
            let mut related = self.decider(decider);
            if error.kind == StrictErrorKind::UnknownField {
                related.message = super::with_origin("the schema has no such property".to_owned(), self.definition);
            }
            finding.related.push(related);
        }
        finding.server = Some(ServerSays::Strict(error.text.clone()));
        finding
    }

    /// The words for an unknown field, and the field that was meant: one with a similar name, or the only missing required field.
    fn unknown(&self, error: &server::StrictError, misspelt: &mut Vec<Misspelt>) -> (words::Words, Option<String>) {
        let path = self
            .json
            .root()
            .map(|root| places::path_of_dotted(root, &error.path))
            .unwrap_or_default();
        let name = match path.segments().last() {
            Some(Segment::Field(name) | Segment::Key(name)) => name.clone(),
            _ => error.path.clone(),
        };
        if let Some(key) = error.node.filter(|_| is_of_metadata(error)) {
            return (words::unknown::in_metadata(self.tree, key), None);
        }
        let parent = words::name::field(&words::name::parent(&path));
        let known = error.decider.as_ref().map(|it| self.properties(it)).unwrap_or_default();
        if let Some((around, outer)) = self.around(error, &path, &name) {
            return (words::unknown::inside(&name, &parent, (&around, &outer)), None);
        }
        let near = words::meant::meant(&name, known.iter().map(AsRef::as_ref));
        let near = near.filter(|near| error.node.is_none_or(|it| self.may_be_renamed(it, near)));
        misspelt.extend(near.map(|near| Misspelt {
            parent: words::name::parent(&path),
            name: name.clone(),
            meant: near.to_owned(),
        }));
        if near.is_none() && words::name::parent(&path).segments().is_empty() {
            let has_spec = || {
                error
                    .decider
                    .as_ref()
                    .is_some_and(|it| self.has_property(it, &["properties", "spec", "properties", &name]))
            };
            let root = self.json.root();
            let metadata = root.and_then(|it| it.get("metadata")).map(|it| it.node);
            if let Some(home) = misplaced::home(self.tree, metadata, &name, has_spec) {
                return (words::unknown::outside_of(home, &name), None);
            }
        }
        if near.is_none()
            && let Some(owner) = error.node.and_then(|it| self.owner(error, it, &known))
        {
            return (words::unknown::outside_of(&owner, &name), None);
        }
        if near.is_none()
            && let Some(inner) = error.node.and_then(|it| self.inner(error, it))
        {
            return (words::unknown::outside_of(&inner, &name), None);
        }
        let renamed = near.is_none().then(|| self.renamed(error, &path, &known)).flatten();
        misspelt.extend(renamed.as_ref().map(|it| Misspelt {
            parent: words::name::parent(&path),
            name: name.clone(),
            meant: it.clone(),
        }));
        let meant = near.map(str::to_owned).or(renamed);
        if meant.is_none()
            && let Some(expected) = error.decider.as_ref().and_then(|it| self.other_type(it))
        {
            return (words::unknown::in_other_type(&name, &parent, &expected), None);
        }
        (words::unknown::in_resource(&name, &parent, meant.as_deref()), meant)
    }

    /// The key out of whose object an unknown field has to move, because an object further out declares the field and lacks it, and a phrase for
    /// that object. `path` is the path of the field.
    fn around(&self, error: &server::StrictError, path: &field::Path, name: &str) -> Option<(String, String)> {
        let mut schema = error.decider.as_ref()?.path.segments();
        let mut object = path.segments().split_last()?.1;
        let mut outer_path = words::name::parent(path);
        for _ in 0..MAX_OUT {
            let (Segment::Field(key) | Segment::Key(key), outer) = object.split_last()? else {
                return None;
            };
            let (declared, outer_schema) = schema.split_last_chunk::<2>().map(|it| (it.1, it.0))?;
            let is_named =
                |it: &Segment, wanted: &str| matches!(it, Segment::Field(it) | Segment::Key(it) if it == wanted);
            if !(is_named(&declared[0], "properties") && is_named(&declared[1], key)) {
                return None;
            }
            outer_path = words::name::parent(&outer_path);
            let steps: Vec<Step<'_>> = spans::steps(outer_schema);
            let node = self.finder.find_from(self.definition.root, &steps).node;
            let tree = &self.definition.tree;
            let properties = self.finder.lookup(tree.resolve(node), "properties")?;
            let lacks = || words::at(self.json.root()?, outer).map(|it| it.get(name).is_none());
            if self.finder.lookup(tree.resolve(properties.value), name).is_some() && lacks() == Some(true) {
                return Some((key.clone(), words::name::field(&outer_path)));
            }
            (schema, object) = (outer_schema, outer);
        }
        None
    }

    /// The field before an unknown one whose object declares it. `known` are the fields that are declared beside the unknown one.
    fn owner(&self, error: &server::StrictError, key: NodeId, known: &[Cow<'_, str>]) -> Option<String> {
        let name = self.tree.scalar(key);
        let decider = error.decider.as_ref()?;
        let is_declared = |it: &str| known.iter().any(|known| known == it);
        let owner = misplaced::owner(self.tree, key, is_declared, |owner| {
            self.has_property(decider, &["properties", owner, "properties", &name])
        })?;
        Some(self.tree.scalar(owner.key).into_owned())
    }

    /// The field beside an unknown one whose object requires it and lacks it.
    fn inner(&self, error: &server::StrictError, key: NodeId) -> Option<String> {
        let name = self.tree.scalar(key);
        let (tree, schema) = self.schema(error.decider.as_ref()?);
        let properties = tree.resolve(self.finder.lookup(schema, "properties")?.value);
        let inner = misplaced::inner(self.tree, key, |inner| {
            let property = self.finder.lookup(properties, inner).map(|it| tree.resolve(it.value));
            let required = property.and_then(|it| self.finder.lookup(it, "required"));
            required.is_some_and(|it| tree.items(tree.resolve(it.value)).any(|it| tree.scalar(it) == name))
        })?;
        Some(self.tree.scalar(inner.key).into_owned())
    }

    /// Whether a key of the resource may get another name. It may not if the file where it is written has that name beside it. A patch may change a field
    /// of its base.
    fn may_be_renamed(&self, key: NodeId, name: &str) -> bool {
        let (Some(other), span) = (words::unknown::key_beside(self.tree, key, name), |it| {
            self.tree.span(it)
        }) else {
            return true;
        };
        let built = self.overlays;
        built.is_some_and(|it| !it.are_written_together(span(key), span(other)))
    }

    /// The required field that was meant by an unknown one, if only one can be meant. `path` is the path of the unknown field.
    fn renamed(&self, error: &server::StrictError, path: &field::Path, known: &[Cow<'_, str>]) -> Option<String> {
        let (last, parent) = path.segments().split_last()?;
        let (Segment::Field(name) | Segment::Key(name)) = last else {
            return None;
        };
        // The root also has fields that the schema does not declare.
        let object = words::at(self.json.root()?, parent).filter(|_| !parent.is_empty())?;
        let decider = error.decider.as_ref()?;
        let (tree, schema) = self.schema(decider);
        renamed::only_missing((tree, schema), known, object, name)
    }

    /// The schema that decides, with the tree of the CRD.
    fn schema(&self, decider: &Decider) -> (&Tree, NodeId) {
        self.schema_at(&spans::steps(decider.path.segments()))
    }

    fn schema_at(&self, steps: &[Step<'_>]) -> (&Tree, NodeId) {
        let tree = &self.definition.tree;
        (
            tree,
            tree.resolve(self.finder.find_from(self.definition.root, steps).node),
        )
    }

    /// Whether the schema has an entry at a path of keys.
    fn has_property(&self, decider: &Decider, path: &[&str]) -> bool {
        let (tree, mut node) = self.schema(decider);
        for key in path {
            match self.finder.lookup(tree.resolve(node), key) {
                Some(entry) => node = entry.value,
                None => return false,
            }
        }
        true
    }

    /// The type that a schema wants instead of an object.
    fn other_type(&self, decider: &Decider) -> Option<String> {
        let (tree, schema) = self.schema(decider);
        let expected = tree.scalar(tree.resolve(self.finder.lookup(schema, "type")?.value));
        (expected != "object").then(|| expected.into_owned())
    }

    /// The names of the properties of a schema.
    fn properties(&self, decider: &Decider) -> Vec<Cow<'a, str>> {
        let tree = &self.definition.tree;
        let Some(properties) = self.finder.lookup(self.schema(decider).1, "properties") else {
            return Vec::new();
        };
        let entries = || tree.entries(tree.resolve(properties.value));
        // Count first: where many fields are unknown, most of them get no suggestion.
        let Some(left) = self.left.get().checked_sub(entries().count()) else {
            return Vec::new();
        };
        self.left.set(left);
        entries().map(|it| tree.scalar(it.key)).collect()
    }

    /// The finding for one cause of the rejection.
    pub(super) fn error(&self, found: &server::RejectionCause) -> Finding {
        let error = &found.error;
        let (mut span, missing) = self.span(error.place());
        if let (Some(Cause::Entry { is_value: false, .. }), Some(root)) = (error.cause(), self.json.root()) {
            span = places::find(root, error.place())
                .key
                .map_or(span, |key| self.tree.span(key));
        }
        let mut finding = Finding::new(Class::Error, error.code, span, "");
        let words = self.json.root().and_then(|root| {
            words::of(
                &About::new(error, error.place(), root, false)
                    .of_tree(self.tree)
                    .of_known(self.known),
            )
        });
        words::give(&mut finding, words, error);
        if error.code == schema_codes::WRONG_TYPE
            && let Some((root, decider)) = self.json.root().zip(found.decider.as_ref())
        {
            let mut steps: Vec<Step<'_>> = spans::steps(decider.path.segments());
            steps.pop_if(|it| matches!(it, Step::Key(key) if key == "type"));
            let (tree, schema) = self.schema_at(&steps);
            only_property::say(&mut finding, error, root, (tree, schema));
            with_pattern::say(&mut finding, error, (root, self.tree), (tree, schema));
        }
        if matches!(error.cause(), Some(Cause::Compile(_))) {
            of_broken_rule(&mut finding, error.place());
        }
        if missing {
            finding.elsewhere = Some(format!("{} is missing; this is the closest place", error.path));
        }
        // This error is only a consequence. The errors that cause it are shown instead.
        finding.suppressed = error.code == codes::UNCHECKED_RULES;
        if is_of_broken_schema(found) {
            (finding.suppressed, finding.follows) = (true, true);
        }
        finding
            .related
            .extend(found.decider.as_ref().map(|it| self.decider(it)));
        finding.server = Some(ServerSays::cause(error));
        if self.has_variables {
            self.mark_variables(&mut finding, found);
        }
        finding.basis = self.wants.basis.then(|| {
            Box::new(Basis {
                path: error.place().clone(),
                reads: found.reads.clone(),
                deciders: Vec::new(),
            })
        });
        finding
    }

    /// If a rule has read values with variables, marks them, because the mistake may be in a variable and not in the object around it.
    fn mark_variables(&self, finding: &mut Finding, found: &server::RejectionCause) {
        let text = self.tree.text();
        let read = found.reads.iter().map(|it| self.span(it));
        let with_variables = read.filter(|(span, is_missing)| !is_missing && text[span.range()].contains("${"));
        let mut spans = with_variables.map(|it| it.0);
        let Some(first) = spans.next() else { return };
        let related = |span, message: &str| Related {
            span,
            message: message.to_owned(),
            file: None,
        };
        finding
            .related
            .extend(spans.map(|it| related(it, "the rule also reads this")));
        let whole = std::mem::replace(&mut finding.span, first);
        finding.related.push(related(whole, "the rule validates this value"));
        finding.label = Some("the rule reads this value".to_owned());
    }

    /// The finding for a check that could not be completed.
    fn unfinished(&self, found: &server::NotFinished) -> Finding {
        let (span, _) = self.span(&found.path);
        let what = if found.decider.is_some() {
            "a rule of this value"
        } else {
            "this resource"
        };
        let mut finding = verdict::not_finished(span, what, found.why);
        finding
            .related
            .extend(found.decider.as_ref().map(|it| self.decider(it)));
        finding
    }

    fn warning(&self, warning: &server::Warning) -> Finding {
        let (span, _) = self.span(&warning.path);
        let mut finding = Finding::new(Class::Warning, warning.code, span, warning.text.clone());
        let about = |root| About::of(warning.code, warning.cause.as_ref(), &warning.path, root, false);
        if let Some(words) = self.json.root().and_then(|root| words::of(&about(root))) {
            words::put(&mut finding, words);
        }
        finding.deprecated = warning.code == codes::DEPRECATED_VERSION;
        finding
            .related
            .extend(warning.decider.as_ref().map(|it| self.decider(it)));
        finding.server = Some(ServerSays::Warning(warning.text.clone()));
        finding
    }

    /// The span to mark for a path of the object, and whether the field itself is missing.
    pub(super) fn span(&self, path: &field::Path) -> (Span, bool) {
        let Some(root) = self.json.root() else {
            return (spans::first_line(self.tree.text(), self.tree.document_span()), true);
        };
        let place = places::find(root, path);
        (spans::spot(self.tree, place.key, place.value), place.missing)
    }

    /// The place in the CRD that causes the error.
    fn decider(&self, decider: &Decider) -> Related {
        let tree = &self.definition.tree;
        let mut steps: Vec<Step<'_>> = spans::steps(decider.path.segments());
        if let Some(index) = decider.rule {
            steps.extend([Step::Index(index), Step::key("rule")]);
        }
        let place = self.finder.find_from(self.definition.root, &steps);
        let span = spans::spot(tree, place.key, tree.resolve(place.node));
        let keyword = decider.path.segments().last().map(|it| match it {
            Segment::Field(name) | Segment::Key(name) => name.clone(),
            Segment::Index(index) => index.to_string(),
        });
        let version = self.version_of(decider);
        let what = match (&decider.rule, place.missing, keyword) {
            (Some(_), ..) => format!("the rule{version}"),
            (None, 0, Some(keyword)) if !keyword.is_empty() => format!("`{keyword}`{version} is set here"),
            _ => format!("the schema{version}"),
        };
        related(self.path, self.definition, span, what)
    }

    /// A phrase that names the version of a place in the CRD, if the CRD has several versions.
    fn version_of(&self, decider: &Decider) -> String {
        let index = decider.path.segments().iter().find_map(|it| match it {
            Segment::Index(index) => Some(*index),
            _ => None,
        });
        let versions = self.versions.get_or_init(|| self.definition.versions());
        // If the CRD has only one version, it need not be named.
        match index.and_then(|it| versions.get(it)) {
            Some(name) if versions.len() > 1 => format!(" of version `{name}`"),
            _ => String::new(),
        }
    }
}

/// Whether an error is about a field of the object's own `metadata`, which no CRD changes.
fn is_of_metadata(error: &server::StrictError) -> bool {
    error.kind == StrictErrorKind::UnknownField && error.path.starts_with("metadata.")
}
