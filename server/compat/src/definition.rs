//! Changes of a CRD outside its schemas: names, scope, versions, columns, selectable fields, subresources.

use std::collections::BTreeSet;

use crd_analyzer_apiextensions::types::{Spec, Version};
use crd_analyzer_schema::field::Path;

use crate::answer::{Answer, Direction, Effect, Witness};
use crate::change::{Change, VERSION_ADDED, VERSION_REMOVED};
use crate::pair::Pair;
use crate::replay::{Write, without_status};
use crate::subject::Subject;
use crate::subresources::{self, NOT_TRIED};

const SAME_OBJECTS: &str = "the API server accepts and stores the same objects";

/// All changes outside the schemas.
pub(crate) fn changes(old: &Subject, new: &Subject) -> Vec<Change> {
    let mut found = Found {
        old,
        new,
        changes: Vec::new(),
    };
    found.names();
    found.versions();
    found.of_versions();
    found.changes
}

/// The effects of the removal of a CRD.
pub(crate) fn removed(old: &Subject) -> Vec<Change> {
    gone(old, ("crd-removed", true), [Direction::Stored, Direction::Writers])
}

/// The effects of a new CRD.
pub(crate) fn added(new: &Subject) -> Vec<Change> {
    gone(new, ("crd-added", false), [Direction::Readers, Direction::Readers])
}

/// The changes for a CRD that exists on one side only. The other side does not serve the objects of this CRD.
fn gone(subject: &Subject, (code, is_old): (&'static str, bool), directions: [Direction; 2]) -> Vec<Change> {
    let served = subject.spec().versions.iter().filter(|it| it.served);
    let change = |version: &Version| {
        let breaks = unserved(subject, &version.name);
        let answer = |direction: Direction| {
            if directions.contains(&direction) {
                breaks.clone()
            } else {
                Answer::compatible("this side has no object of it")
            }
        };
        Change {
            code,
            version: Some(version.name.clone()),
            old_path: is_old.then(Path::root),
            new_path: (!is_old).then(Path::root),
            what: subject.name().to_owned(),
            told: None,
            answers: Direction::ALL.map(answer),
        }
    };
    served.map(change).collect()
}

/// The answer that the other side does not serve a version, with the smallest object of the version as witness.
fn unserved(subject: &Subject, version: &str) -> Answer {
    let object = Pair::new(subject, subject, version).and_then(|it| it.example(Direction::Writers));
    match object {
        Some(object) => Answer::Breaks {
            effect: Effect::Unserved,
            witness: Witness {
                object,
                old_object: None,
                is_status: false,
                words: format!(
                    "no matches for kind \"{}\" in version \"{}\"",
                    subject.spec().names.kind,
                    subject.api_version(version)
                ),
            },
        },
        None => Answer::unknown("crd-analyzer found no object of this version that the API server accepts"),
    }
}

struct Found<'d> {
    old: &'d Subject,
    new: &'d Subject,
    changes: Vec<Change>,
}

impl Found<'_> {
    fn push(&mut self, code: &'static str, path: Path, what: String, answers: [Answer; 3]) {
        self.changes.push(Change {
            code,
            version: None,
            old_path: Some(path.clone()),
            new_path: Some(path),
            what,
            told: None,
            answers,
        });
    }

    fn harmless(&mut self, code: &'static str, field: &str, what: String, why: &str) {
        let path = Path::of(["spec", "names", field]);
        let reason = format!("{SAME_OBJECTS}; {why}");
        self.push(code, path, what, [0; 3].map(|_| Answer::compatible(reason.clone())));
    }

    fn names(&mut self) {
        let (old, new) = (self.old.spec(), self.new.spec());
        let shown = |old: &str, new: &str| format!("{old} → {new}");
        if old.scope != new.scope {
            let reason = "the API server rejects this update of the CRD: objects of the other scope have other URLs";
            self.push(
                "scope-changed",
                Path::of(["spec", "scope"]),
                shown(&old.scope, &new.scope),
                [reason; 3].map(Answer::unknown),
            );
        }
        for (code, field, before, now) in [
            ("group-changed", &["spec", "group"][..], &old.group, &new.group),
            (
                "kind-changed",
                &["spec", "names", "kind"][..],
                &old.names.kind,
                &new.names.kind,
            ),
        ] {
            if before == now {
                continue;
            }
            let first = |subject: &Subject| {
                let served = subject
                    .spec()
                    .versions
                    .iter()
                    .find(|it| it.served)
                    .map(|it| it.name.clone());
                served.map_or_else(
                    || Answer::compatible("no version is served"),
                    |it| unserved(subject, &it),
                )
            };
            let (of_old, of_new) = (first(self.old), first(self.new));
            let answers = [of_old.clone(), of_old, of_new];
            self.push(code, Path::of(field.iter().copied()), shown(before, now), answers);
        }
        if old.names.plural != new.names.plural {
            let reason = "objects have other URLs, and the API server rejects this update of the CRD";
            self.push(
                "plural-changed",
                Path::of(["spec", "names", "plural"]),
                shown(&old.names.plural, &new.names.plural),
                [reason; 3].map(Answer::unknown),
            );
        }
        let (before, now) = (&old.names, &new.names);
        if before.singular != now.singular {
            let what = shown(&before.singular, &now.singular);
            self.harmless("singular-changed", "singular", what, "kubectl uses another name");
        }
        if before.list_kind != now.list_kind {
            let what = shown(&before.list_kind, &now.list_kind);
            self.harmless(
                "list-kind-changed",
                "listKind",
                what,
                "lists of objects have another kind",
            );
        }
        for (code, field, before, now, why) in [
            (
                "short-names-changed",
                "shortNames",
                &before.short_names,
                &now.short_names,
                "kubectl uses other short names",
            ),
            (
                "categories-changed",
                "categories",
                &before.categories,
                &now.categories,
                "`kubectl get CATEGORY` lists other resources",
            ),
        ] {
            if before != now {
                self.harmless(code, field, shown(&before.join(","), &now.join(",")), why);
            }
        }
        if old.preserve_unknown_fields.unwrap_or(false) != new.preserve_unknown_fields.unwrap_or(false) {
            let reason = "unknown fields of all versions are kept or pruned";
            let path = Path::of(["spec", "preserveUnknownFields"]);
            self.push(
                "preserve-unknown-fields-changed",
                path,
                String::new(),
                [reason; 3].map(Answer::unknown),
            );
        }
        if old.conversion != new.conversion {
            let is_single = old.versions.len() == 1 && new.versions.len() == 1;
            let answer = if is_single {
                Answer::compatible("the CRD has one version, so nothing is converted")
            } else {
                Answer::unknown("crd-analyzer does not know what the conversion does")
            };
            let answers = [answer.clone(), answer.clone(), answer];
            self.push(
                "conversion-changed",
                Path::of(["spec", "conversion"]),
                String::new(),
                answers,
            );
        }
        self.storage_version();
    }

    fn storage_version(&mut self) {
        let (Some(before), Some(now)) = (self.old.storage_version(), self.new.storage_version()) else {
            return;
        };
        if before == now {
            return;
        }
        let (old, new) = (self.old.spec(), self.new.spec());
        let schema = |spec: &Spec, name: &str| {
            let version = spec.versions.iter().find(|it| it.name == name)?;
            spec.schema_of(version).map(crate::diff::plain)
        };
        let schemas = [schema(old, before), schema(new, before), schema(new, now)];
        let is_same = schemas[0].is_some() && schemas.iter().all(|it| *it == schemas[0]);
        let strategy = |spec: &Spec| spec.conversion.as_ref().is_none_or(|it| it.strategy == "None");
        let answer = if is_same && strategy(old) && strategy(new) {
            Answer::compatible("both versions have the same schema, and only `apiVersion` is converted")
        } else {
            Answer::unknown(
                "objects are converted to another version when they are stored, and crd-analyzer does not know what that loses",
            )
        };
        let position = self.new.version(now).map_or(0, |it| it.0);
        let answers = [answer.clone(), answer.clone(), answer];
        let path = Path::of(["spec", "versions"]).index(position).child("storage");
        self.changes.push(Change {
            code: "storage-version-changed",
            version: None,
            old_path: None,
            new_path: Some(path),
            what: format!("{before} → {now}"),
            told: None,
            answers,
        });
    }

    fn versions(&mut self) {
        let (old, new) = (self.old, self.new);
        let at = |position: usize| Path::of(["spec", "versions"]).index(position);
        for (position, version) in old.versions() {
            if new.version(&version.name).is_some() {
                continue;
            }
            let gone = || unserved(old, &version.name);
            let stored = if version.storage {
                gone()
            } else {
                Answer::unknown(
                    "objects may still be stored in this version: look at `status.storedVersions` in the cluster",
                )
            };
            let writers = if version.served {
                gone()
            } else {
                Answer::compatible("the version was not served")
            };
            self.changes.push(Change {
                code: VERSION_REMOVED,
                version: Some(version.name.clone()),
                old_path: Some(at(position)),
                new_path: None,
                what: version.name.clone(),
                told: None,
                answers: [stored, writers, Answer::compatible("no new object has this version")],
            });
        }
        for (position, version) in new.versions() {
            let before = old.version(&version.name);
            let (code, was_served) = match before {
                None => (VERSION_ADDED, false),
                Some((_, it)) if it.served != version.served => ("served-changed", it.served),
                Some(_) => continue,
            };
            let answers = if was_served {
                let others = new.spec().versions.iter().any(|it| it.served);
                let stored = if others {
                    Answer::compatible("objects are read in the versions that are served")
                } else {
                    unserved(old, &version.name)
                };
                let readers = Answer::compatible("no new object has this version");
                [stored, unserved(old, &version.name), readers]
            } else {
                let none = Answer::compatible("no object was served in this version");
                let readers = if version.served {
                    unserved(new, &version.name)
                } else {
                    none.clone()
                };
                [none.clone(), none, readers]
            };
            let path = at(position);
            let is_added = before.is_none();
            self.changes.push(Change {
                code,
                version: Some(version.name.clone()),
                old_path: before.map(|it| at(it.0).child("served")),
                new_path: Some(if is_added { path } else { path.child("served") }),
                what: version.name.clone(),
                told: None,
                answers,
            });
        }
    }

    fn of_versions(&mut self) {
        let (old, new) = (self.old, self.new);
        for (position, version) in new.versions() {
            let Some((old_position, before)) = old.version(&version.name) else {
                continue;
            };
            let place = Places {
                old: Path::of(["spec", "versions"]).index(old_position),
                new: Path::of(["spec", "versions"]).index(position),
                version: &version.name,
            };
            if (before.deprecated, &before.deprecation_warning) != (version.deprecated, &version.deprecation_warning) {
                let reason = format!("{SAME_OBJECTS}; only the deprecation warning changes");
                let answers = [0; 3].map(|_| Answer::compatible(reason.clone()));
                self.changes
                    .push(place.change("deprecation-changed", "deprecated", String::new(), answers));
            }
            if old.spec().columns_of(before) != new.spec().columns_of(version) {
                let reason = format!("{SAME_OBJECTS}; `kubectl get` prints other columns");
                let answers = [0; 3].map(|_| Answer::compatible(reason.clone()));
                self.changes
                    .push(place.change("columns-changed", "additionalPrinterColumns", String::new(), answers));
            }
            self.selectable_fields(&place);
            self.subresources(&place, before, version);
            if !before.served && !version.served && old.spec().schema_of(before) != new.spec().schema_of(version) {
                let reason = "the version is not served, so clients cannot send objects of it";
                let answers = [
                    Answer::unknown("objects are converted from or to this version, if they are stored in it"),
                    Answer::compatible(reason),
                    Answer::compatible(reason),
                ];
                self.changes
                    .push(place.change("unserved-schema-changed", "schema", String::new(), answers));
            }
            if let (Some(before), Some(now)) = (old.served(&version.name), new.served(&version.name)) {
                let code = match (before.schema().is_some(), now.schema().is_some()) {
                    (true, false) => "schema-removed",
                    (false, true) => "schema-added",
                    _ => continue,
                };
                let answers = ["crd-analyzer does not compare versions without a schema"; 3].map(Answer::unknown);
                self.changes.push(place.change(code, "schema", String::new(), answers));
            }
        }
    }

    fn selectable_fields(&mut self, place: &Places<'_>) {
        let fields = |subject: &Subject| {
            let version = subject.version(place.version);
            let fields = version.map_or(&[][..], |it| subject.spec().selectable_fields_of(it.1));
            fields
                .iter()
                .map(|it| it.json_path.clone())
                .collect::<BTreeSet<String>>()
        };
        let (before, now) = (fields(self.old), fields(self.new));
        for path in before.difference(&now) {
            let object = Pair::new(self.old, self.old, place.version).and_then(|it| it.example(Direction::Writers));
            let selector = path.trim_start_matches('.');
            let stored = match object {
                Some(object) => Answer::Breaks {
                    effect: Effect::Unselectable,
                    witness: Witness {
                        object,
                        old_object: None,
                        is_status: false,
                        words: format!("field label not supported: {selector}"),
                    },
                },
                None => Answer::unknown("crd-analyzer found no object of this version that the API server accepts"),
            };
            let same = Answer::compatible(SAME_OBJECTS);
            let answers = [stored, same.clone(), same];
            self.changes
                .push(place.change("selectable-field-removed", "selectableFields", path.clone(), answers));
        }
        for path in now.difference(&before) {
            let answers = [SAME_OBJECTS; 3].map(Answer::compatible);
            self.changes
                .push(place.change("selectable-field-added", "selectableFields", path.clone(), answers));
        }
    }

    fn subresources(&mut self, place: &Places<'_>, before: &Version, now: &Version) {
        let of = |spec: &Spec, it: &Version| spec.subresources_of(it).cloned().unwrap_or_default();
        let (before, now) = (of(self.old.spec(), before), of(self.new.spec(), now));
        if before.status.is_some() != now.status.is_some() {
            let stored = Answer::compatible("an update that does not change the status keeps it");
            let pair = Pair::new(self.old, self.new, place.version);
            let readers = if before.status.is_some() {
                subresources::status_in_objects
            } else {
                subresources::status_as_read
            };
            let readers = pair.as_ref().map_or_else(|| Answer::unknown(NOT_TRIED), readers);
            let writers = if before.status.is_some() {
                self.status_is_gone(place.version)
            } else {
                pair.as_ref()
                    .map_or_else(|| Answer::unknown(NOT_TRIED), subresources::status_as_sent)
            };
            let what = if before.status.is_some() { "removed" } else { "added" };
            let answers = [stored, writers, readers];
            let change = place.change("status-changed", "subresources", what.to_owned(), answers);
            self.changes.push(change);
        }
        if before.scale != now.scale {
            let pair = Pair::new(self.old, self.new, place.version);
            let answers = Direction::ALL.map(|direction| {
                let (from, to) = match direction {
                    Direction::Readers => (&now.scale, &before.scale),
                    _ => (&before.scale, &now.scale),
                };
                let answer = pair
                    .as_ref()
                    .map(|pair| subresources::scale(pair, direction, from.as_ref(), to.as_ref()));
                answer.unwrap_or_else(|| Answer::unknown("crd-analyzer does not compare versions without a schema"))
            });
            self.changes
                .push(place.change("scale-changed", "subresources", String::new(), answers));
        }
    }

    /// The answer for clients that write to `/status`, which no longer exists.
    fn status_is_gone(&self, version: &str) -> Answer {
        let example = Pair::new(self.old, self.old, version).and_then(|it| it.example(Direction::Writers));
        let refused = example.and_then(|object| {
            let old = without_status(&object);
            let words = Pair::new(self.old, self.new, version)?.refused_status(&Write {
                object: object.clone(),
                old: Some(old.clone()),
            })?;
            Some(Answer::Breaks {
                effect: Effect::Refused,
                witness: Witness {
                    object,
                    old_object: Some(old),
                    is_status: true,
                    words,
                },
            })
        });
        refused.unwrap_or_else(|| {
            Answer::unknown("crd-analyzer found no update of the status that the API server accepts")
        })
    }
}

/// The paths of a version in both CRDs.
struct Places<'n> {
    old: Path,
    new: Path,
    version: &'n str,
}

impl Places<'_> {
    fn change(&self, code: &'static str, field: &str, what: String, answers: [Answer; 3]) -> Change {
        Change {
            code,
            version: Some(self.version.to_owned()),
            old_path: Some(self.old.child(field)),
            new_path: Some(self.new.child(field)),
            what,
            told: None,
            answers,
        }
    }
}
