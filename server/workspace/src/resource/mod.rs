//! Diagnostics of custom resources: the API server's answers according to the CRD that applies, with spans in both texts.

pub mod accepted;
mod any_version;
mod asserted;
mod doubted_crds;
pub mod effective;
mod extra_dash;
mod follow_ups;
mod json_path;
mod locate;
mod misspelt;
mod only_property;
mod other_crds;
mod printer_columns;
mod renamed;
mod update;
mod webhooks;
mod with_pattern;

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use crd_analyzer_apiextensions::strategy::judge_create;
use crd_analyzer_budget as budget;
use crd_analyzer_resource::{self as server, DecodeError, DecodePlace, NotServed};
use crd_analyzer_schema::{KubernetesVersion, unknown::Known};
use crd_analyzer_syntax::{
    ReadError,
    json::{JsonDoc, read_json_of},
    template::first_action,
    tree::{NodeId, Span, Tree},
};

pub(crate) use crate::resource::effective::annotated_by;
pub use crate::resource::effective::{Change, Effective, Line, annotated};
pub use crd_analyzer_resource::ChangeKind;
pub use printer_columns::{Column, columns};

use crate::{
    codes,
    comparison::previous::Previous,
    comparison::revision::Compared,
    documents::spans,
    documents::text::Text,
    filled_in::unknown::{self, Completed},
    findings::finding::{Class, Finding, Related, ServerSays, Severity},
    findings::report::{DocumentReport, DocumentVerdict, Subject},
    index::{CrdText, Definitions, Fingerprint, Found, GroupKind, KnownCrd, Object, Resource},
    judging::passed_over,
    judging::question::Question,
    judging::verdict,
    roles::{self, Standing, Use, is_of_older_release},
    words,
};
use locate::Locate;
use other_crds::refusals_of;

/// A custom resource whose CRD is known.
pub(crate) struct ResourceToCheck<'a> {
    pub(crate) text: &'a Text,
    pub(crate) object: &'a Object,
    pub(crate) kind: GroupKind,
    pub(crate) found: Rc<Found>,
    pub(crate) definitions: &'a dyn Definitions,
    pub(crate) question: &'a Question<'a>,
    pub(crate) previous: Option<&'a Previous>,
    pub(crate) completed: Completed<'a>,
}

/// Checks a custom resource. `None` if it is a template about which nothing can be said.
///
/// `read` has the object's node and the tree of its document, if the document could be parsed.
pub(crate) fn judge(asked: &ResourceToCheck<'_>, read: Result<(&Tree, NodeId), &ReadError>) -> Option<DocumentReport> {
    let mut report = DocumentReport::new(asked.object, Subject::Resource);
    let wanted = &asked.kind.kind;
    let unread = |answer: &DecodeError, mut report: DocumentReport| {
        // The actions of the template may print the missing parts.
        if asked.completed.filled.is_some() {
            return None;
        }
        if !asked.question.named && first_action(&asked.text.content, asked.object.document.span).is_some() {
            return None;
        }
        let all = asked.question.versions.iter();
        report.verdicts.extend(all.map(|it| (it, of_unread(answer))));
        Some(report)
    };
    let (tree, node) = match read {
        Ok(read) => read,
        Err(error) => {
            let is_filled_in = || asked.question.path.is_some_and(roles::is_filled_in);
            if !asked.question.named
                && (is_filled_in()
                    || asked.completed.has(Use::Placeholders)
                        && passed_over::is_placeholder(&asked.text.content, error))
            {
                return None;
            }
            return unread(&DecodeError::of_read_error(wanted, error), report);
        }
    };
    report.span = if asked.object.inside.is_some() {
        tree.span(node)
    } else {
        report.span
    };
    for version in asked.question.versions.iter() {
        let mut json = match read_json_of(tree, node) {
            Ok(json) => json,
            Err(error) => return unread(&DecodeError::of_convert_error(wanted, &error, version), report),
        };
        let ((completed, is_stopped), ended) = budget::within(unknown::LIMITS, || {
            (asked.completed.apply(&mut json, tree), budget::is_stopped())
        });
        report.in_part |= completed.is_completed;
        let not_finished = ended.unfinished.map(|why| {
            let place = spans::first_line(tree.text(), tree.span(tree.resolve(node)));
            verdict::not_finished(place, "this object with the values of its variables", why)
        });
        if is_stopped {
            let verdict = DocumentVerdict {
                unfinished: not_finished.into_iter().collect(),
                ..DocumentVerdict::default()
            };
            report.verdicts.push((version, verdict));
            continue;
        }
        let one = One {
            asked,
            tree,
            node: tree.resolve(node),
            json: &json,
            known: completed.unknown.as_ref().into(),
            version,
        };
        // A variable decides which schema applies. A script puts in the newest version.
        let scripts = asked.question.uses.scripts();
        let is_put_in = scripts.is_some_and(|it| it.set_version_of(&asked.kind.group));
        if !one.known.field("apiVersion").is_all() && !is_put_in {
            report.in_part = true;
            let mut verdict = one.judge_in_all_versions();
            one.name_variables(&mut verdict);
            report.verdicts.push((version, verdict));
            continue;
        }
        let (mut verdict, in_part) = one.judge();
        verdict.unfinished.extend(not_finished);
        report.in_part |= in_part;
        report.verdicts.push((version, verdict));
    }
    Some(report)
}

/// The answer for a text that cannot be decoded.
pub(crate) fn of_unread(answer: &DecodeError) -> DocumentVerdict {
    let span = match answer.place {
        DecodePlace::Text(span) => span,
        DecodePlace::Path(_) => Span::default(),
    };
    DocumentVerdict {
        decode_error: Some(verdict::unreadable(answer.code, span, &answer.text, &answer.problem)),
        ..DocumentVerdict::default()
    }
}

/// The check for one Kubernetes version.
struct One<'a> {
    asked: &'a ResourceToCheck<'a>,
    tree: &'a Tree,
    /// The root node of the object in the tree.
    node: NodeId,
    json: &'a JsonDoc<'a>,
    /// The parts of the object that are known.
    known: Known<'a>,
    version: KubernetesVersion,
}

/// The answer according to one CRD.
struct ByCrd {
    verdict: DocumentVerdict,
    /// Whether only a part of the object is checked: a mutating webhook may complete it, or its CRD has errors.
    in_part: bool,
    said: Said,
}

/// The part of an answer that is compared between several CRDs.
struct Said {
    /// The text of the CRD, if the CRD is usable.
    text: Option<Arc<CrdText>>,
    /// The errors on creation of the object. `None` unless several CRDs are compared and the errors are known.
    refusals: Option<Vec<String>>,
}

impl ByCrd {
    fn accepts(&self) -> bool {
        self.said.text.is_some() && self.verdict.accepted_strict()
    }
}

impl One<'_> {
    /// The answer, and whether only a part of the object is checked.
    fn judge(&self) -> (DocumentVerdict, bool) {
        let found = &self.asked.found;
        let mut by = &found.definition;
        let mut judged = self.judge_by(by);
        let mut rejecting = Vec::new();
        let others = self.others();
        // It is unknown which of several CRDs of the same rank is in the cluster. If one of them accepts the object, report no error.
        for &other in &others {
            if judged.accepts() {
                break;
            }
            let again = self.judge_by(other);
            if again.accepts() {
                rejecting.push((by, std::mem::replace(&mut judged, again).said));
                by = other;
            } else {
                rejecting.push((other, again.said));
            }
        }
        let hint = self.other_verdicts((by, &others), &judged.said, rejecting);
        let mut verdict = judged.verdict;
        verdict.hints.extend(hint);
        if let Some(reason) = doubted_crds::reason(by, self.asked.question.path) {
            doubted_crds::doubt(&mut verdict, by, reason);
        }
        self.name_variables(&mut verdict);
        (verdict, judged.in_part)
    }

    /// The CRDs of the same rank that may give a different answer. Leaves out those that affect resources in the same way.
    fn others(&self) -> Vec<&Arc<KnownCrd>> {
        let found = &self.asked.found;
        let api_version = &self.asked.object.written.api_version;
        let version = api_version.rsplit_once('/').map_or("", |it| it.1);
        let decides = |it: &Arc<KnownCrd>| it.decides(self.asked.definitions.files(), version);
        if found.equals.is_empty() {
            return Vec::new();
        }
        let mut known: HashSet<Fingerprint> = decides(&found.definition).into_iter().collect();
        let equals = found.equals.iter();
        equals
            .filter(|it| decides(it).is_none_or(|it| known.insert(it)))
            .collect()
    }

    /// Whether the object is for an older release of the CRD, which serves its version.
    fn is_of_older_release(&self) -> bool {
        let question = self.asked.question;
        let path = question.path.filter(|_| question.is_completed());
        path.is_some_and(|it| is_of_older_release(it, &self.asked.object.written.api_version))
    }

    /// Checks the object against one CRD.
    fn judge_by(&self, by: &KnownCrd) -> ByCrd {
        let mut in_part = false;
        let answer = |verdict, text, refusals| ByCrd {
            verdict,
            in_part: false,
            said: Said { text, refusals },
        };
        let (definition, text) = match by.serve(self.asked.definitions.files(), self.version) {
            Ok(served) => served,
            Err(text) => return answer(self.unusable(by, text.as_deref()), None, None),
        };
        let written = &self.asked.object.written;
        let newest = definition.current_versions().into_iter().next_back();
        let scripts = self.asked.question.uses.scripts();
        let newest = newest.filter(|_| scripts.is_some_and(|it| it.set_version_of(&self.asked.kind.group)));
        let put_in = || definition.serving(&newest?, &written.kind).ok();
        let served = match definition.serving(&written.api_version, &written.kind) {
            Ok(served) => served,
            Err(NotServed::Broken(_)) => {
                let verdict = self.unchecked("the schema of its CRD has an error", &text);
                return answer(verdict, None, None);
            }
            Err(NotServed::Version(_)) if !definition.has_versions() => {
                let verdict = self.unchecked("its CRD has no versions", &text);
                return answer(verdict, None, None);
            }
            Err(why) => {
                if let Some(served) = put_in() {
                    served
                } else {
                    let mut verdict = self.not_served(&why, &definition.served_versions(), &text);
                    if self.is_of_older_release() {
                        verdict.hints.extend(verdict.decode_error.take().map(of_older_release));
                    }
                    return answer(verdict, Some(text), Some(vec![why.to_string()]));
                }
            }
        };
        if served.lacks_schema() {
            return answer(self.without_schema(served.name(), &text), Some(text), None);
        }
        let has_variables = self.asked.completed.variables.is_some();
        let known = (self.json, self.known);
        let locate = Locate::new(self.tree, known, self.asked.question, &text, has_variables);
        let mut created = None;
        let mut verdict = match self.asked.previous {
            None => {
                let answer = created.insert(self.answer(served, server::Question::Create, &locate));
                let mut verdict = locate.verdict(answer);
                verdict.errors.extend(self.errors_in_status(served, &locate));
                in_part = locate.expect_webhook(&mut verdict, answer, || self.webhook(definition.plural()));
                follow_ups::mark(&mut verdict, &text, self.asked.question.path, self.version);
                if verdict.errors.iter().any(|it| it.suppressed && it.follows) {
                    verdict.hints.push(self.broken(&text));
                    in_part = true;
                }
                verdict
            }
            Some(previous) => update::judge(self, previous, served, &locate),
        };
        if let Some(revision) = self.asked.question.update.revision {
            let updated = update::judge(self, revision.previous(), served, &locate.with_basis());
            let at = Compared {
                written: &self.asked.object.written,
                tree: self.tree,
                node: self.node,
            };
            revision.add(&mut verdict, &updated, &at);
        }
        let are_compared = !self.asked.found.equals.is_empty();
        let refusals = are_compared.then(|| match &created {
            Some(answer) => refusals_of(answer),
            None => self.refusals(served),
        });
        ByCrd {
            in_part,
            ..answer(verdict, Some(text), refusals.flatten())
        }
    }

    /// The API server's answer. Includes the values that rules have read, if requested.
    fn answer(
        &self,
        served: server::ServedVersion<'_>,
        question: server::Question<'_>,
        locate: &Locate<'_>,
    ) -> server::ResourceVerdict {
        let judge = if locate.wants_reads() {
            server::judge_traced
        } else {
            server::judge_known
        };
        judge(served, self.json, self.known, question)
    }

    /// A mutating webhook in the repository that the API server calls for the object.
    fn webhook(&self, plural: &str) -> Option<Arc<str>> {
        let (group, version) = self.asked.object.written.api_version.split_once('/')?;
        self.asked.definitions.webhook(&Resource { group, version, plural })
    }

    /// Adds notes that say where the values of variables come from.
    fn name_variables(&self, verdict: &mut DocumentVerdict) {
        let Some(variables) = self.asked.completed.variables else {
            return;
        };
        let note = format!("Flux substitutes variables here: `postBuild` of {}", variables.by());
        let text = self.tree.text();
        for finding in verdict.findings_mut() {
            if text.get(finding.span.range()).is_some_and(|it| it.contains("${")) {
                finding.notes.push(note.clone());
            }
        }
    }

    /// The span of the value of a key. If it is missing, the object's first line.
    fn at(&self, key: &str) -> Span {
        let member = self.json.root().and_then(|it| it.member(key));
        member.map_or_else(
            || {
                let root = self.json.root().map(|it| it.node).or(self.tree.root());
                let span = root.map_or_else(|| self.tree.document_span(), |it| self.tree.span(it));
                spans::first_line(self.tree.text(), span)
            },
            |it| spans::spot(self.tree, Some(it.key_node), it.value.node),
        )
    }

    fn not_served(&self, why: &NotServed, served: &[String], text: &CrdText) -> DocumentVerdict {
        let mut finding = Finding::new(Class::Error, server::codes::UNSERVED_VERSION, self.at("apiVersion"), "");
        let written = &self.asked.object.written;
        let told = match why {
            NotServed::Version(_) | NotServed::Broken(_) => {
                words::decode::not_served(&written.api_version, &written.kind, served)
            }
            NotServed::Malformed(_) | NotServed::OtherKind(_) => {
                words::decode::no_definition(&written.api_version, &written.kind)
            }
        };
        words::put(&mut finding, told);
        let versions = text
            .find(&["spec", "versions"])
            .or_else(|| text.find(&["spec", "version"]));
        let span = versions.map_or_else(|| text.kind_span(), |it| it.key_span(&text.tree));
        finding
            .related
            .push(related(self.asked.question.path, text, span, "the versions of the CRD"));
        finding.server = Some(ServerSays::Decode(why.to_string()));
        DocumentVerdict {
            decode_error: Some(finding),
            ..DocumentVerdict::default()
        }
    }

    /// The finding that says that the CRD must be fixed before all of the resource can be checked.
    fn broken(&self, text: &CrdText) -> Finding {
        let message = "this resource is checked only in part, because its CRD has errors";
        let mut finding = Finding::new(Class::Hint, codes::UNUSABLE_CRD, self.at("kind"), message);
        finding.severity = Severity::Warning;
        finding.help = vec!["correct the CRD first".to_owned()];
        let related = related(self.asked.question.path, text, text.kind_span(), "the CRD");
        finding.related.push(related);
        finding
    }

    /// The finding that says that the CRD has no schema for the resource's version.
    fn without_schema(&self, version: &str, text: &CrdText) -> DocumentVerdict {
        let version = words::name::shown(version);
        self.unchecked(&format!("version {version} of its CRD has no schema"), text)
    }

    /// The finding that says why an error of the CRD leaves nothing to check.
    fn unchecked(&self, why: &str, text: &CrdText) -> DocumentVerdict {
        let message = format!("this resource is not checked, because {why}");
        let mut finding = Finding::new(Class::Hint, codes::UNUSABLE_CRD, self.at("kind"), message);
        finding.severity = Severity::Warning;
        finding.help = vec!["correct the CRD first".to_owned()];
        let crd = related(self.asked.question.path, text, text.kind_span(), "the CRD");
        finding.related.push(crd);
        DocumentVerdict {
            hints: vec![finding],
            ..DocumentVerdict::default()
        }
    }

    /// The finding that says why the CRD cannot be used.
    fn unusable(&self, by: &KnownCrd, text: Option<&CrdText>) -> DocumentVerdict {
        let path = text.map(|it| it.source.place(it.kind_span()).0.path.clone());
        // Many folders have a file with the same name.
        let file = path.as_ref().and_then(|it| {
            let folder = it.parent()?.file_name().map_or_else(PathBuf::new, PathBuf::from);
            Some(folder.join(it.file_name()?))
        });
        let of_file = file.map_or_else(String::new, |it| {
            format!(" in {}", words::name::shown(&it.display().to_string()))
        });
        let is_outdated = by.place.standing == Standing::Unserved;
        let is_in_template = text.is_some_and(is_in_template);
        let why = if is_outdated {
            "has an API version that no API server reads"
        } else if is_in_template {
            "depends on the values of a template"
        } else {
            "cannot be read"
        };
        let message = format!("this resource is not checked, because its CRD{of_file} {why}");
        let mut finding = Finding::new(Class::Hint, codes::UNUSABLE_CRD, self.at("kind"), message);
        if is_outdated {
            finding.help = vec!["add the CRD of a newer release: `crd-analyzer crds add`".to_owned()];
        } else if is_in_template {
            finding.help = vec!["write what the template renders to a file, and name it with `--crd`".to_owned()];
        } else {
            finding.severity = Severity::Warning;
            finding.help = vec!["correct the CRD first".to_owned()];
        }
        finding.related.extend(text.map(|text| {
            let reason = text.unreadable.get_or_init(|| self.why_unreadable(text)).clone();
            let what = if text.is_readable {
                "the CRD"
            } else {
                "the CRD is not valid YAML"
            };
            let (span, reason) = reason.unwrap_or_else(|| (text.kind_span(), what.to_owned()));
            related(self.asked.question.path, text, span, reason)
        }));
        DocumentVerdict {
            hints: vec![finding],
            ..DocumentVerdict::default()
        }
    }

    /// The error with which the API server refuses to decode a CRD, in one sentence, and its span.
    fn why_unreadable(&self, text: &CrdText) -> Option<(Span, String)> {
        if !text.is_readable {
            return None;
        }
        let json = read_json_of(&text.tree, text.root).ok()?;
        let answer = judge_create(&json, self.version, None);
        let finding = verdict::placed_decode_error(&answer.decode_error?, &text.tree);
        Some((finding.span, finding.headline))
    }
}

/// Whether a CRD cannot be read because a template has not been rendered.
fn is_in_template(definition: &CrdText) -> bool {
    let document = definition.tree.document_span();
    !definition.is_readable && passed_over::has_action(&definition.source.text[document.range()])
}

/// The hint about an object whose version only an older release of the CRD serves.
fn of_older_release(error: Finding) -> Finding {
    let note = "a folder in a path of tests has the name of the version, so an older release of the CRD may serve it";
    let mut hint = error.in_class(Class::Hint);
    hint.server = None;
    hint.notes.push(note.to_owned());
    hint
}

/// If the CRD comes from a cluster, adds that to a message about it.
fn with_origin(message: String, definition: &CrdText) -> String {
    match &definition.cluster {
        Some(context) => format!("{message}, from the cluster {context}"),
        None => message,
    }
}

/// A related place in a CRD. If it is in the file at `path`, it needs no file of its own.
fn related(path: Option<&Path>, definition: &CrdText, span: Span, message: impl Into<String>) -> Related {
    let (file, span) = definition.source.place(span);
    let is_same = path.is_some_and(|path| *file.path == *path);
    let message = with_origin(message.into(), definition);
    Related {
        span,
        message: match &definition.source.built {
            Some(built) => format!("{message}, {}", built.words()),
            None => message,
        },
        file: (!is_same).then_some(file),
    }
}
