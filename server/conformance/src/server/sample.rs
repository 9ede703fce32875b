//! The sample of requests: creates and updates of CRDs and custom resources. About half of them are invalid.

use std::{path::Path, sync::Arc};

use crd_analyzer_syntax::split::split;
use fastrand::Rng;
use serde_json::Value;

use super::{Request, ours};
use crate::{choice::Choice, mutate, resources};

/// A placeholder for the `resourceVersion` of an update. Only the API server can provide this value.
const VERSION_MARK: &str = "STORED-RESOURCE-VERSION";

/// A kind of request, with its share of the sample.
struct Part {
    share: usize,
    is_resource: bool,
    is_update: bool,
    is_status: bool,
}

const PARTS: [Part; 5] = [
    Part {
        share: 30,
        is_resource: false,
        is_update: false,
        is_status: false,
    },
    Part {
        share: 20,
        is_resource: false,
        is_update: true,
        is_status: false,
    },
    Part {
        share: 25,
        is_resource: true,
        is_update: false,
        is_status: false,
    },
    Part {
        share: 18,
        is_resource: true,
        is_update: true,
        is_status: false,
    },
    Part {
        share: 7,
        is_resource: true,
        is_update: true,
        is_status: true,
    },
];

/// The maximum number of resources per CRD, for a variety of schemas.
const OF_ONE: usize = 5;

/// The requests with our answers.
pub(super) fn requests(
    corpus: &Path,
    count: usize,
    seed: u64,
    choice: &Choice,
) -> anyhow::Result<Vec<(Request, ours::Answer)>> {
    let mut all = Vec::new();
    let shares: usize = PARTS.iter().map(|it| it.share).sum();
    for (n, part) in PARTS.iter().enumerate() {
        let wanted = if n + 1 == PARTS.len() {
            count - all.len()
        } else {
            count * part.share / shares
        };
        let mut chosen = Chosen::new(wanted);
        for round in 0..ROUNDS {
            if chosen.is_full() {
                break;
            }
            let seed = seed.wrapping_add(((n as u64) << 32) | round);
            if part.is_resource {
                of_resources(corpus, seed, choice, part, &mut chosen)?;
            } else {
                of_definitions(corpus, seed, choice, part, &mut chosen)?;
            }
        }
        all.append(&mut chosen.requests);
    }
    Ok(all)
}

/// The maximum number of rounds of generating requests.
const ROUNDS: u64 = 20;

/// The chosen requests: as many accepted as rejected ones.
struct Chosen {
    requests: Vec<(Request, ours::Answer)>,
    /// The remaining numbers of accepted and of rejected requests.
    wanted: [usize; 2],
}

impl Chosen {
    fn new(count: usize) -> Self {
        Self {
            requests: Vec::new(),
            wanted: [count - count / 2, count / 2],
        }
    }

    fn is_full(&self) -> bool {
        self.wanted == [0, 0]
    }

    /// Adds a request if one of its kind is still needed.
    fn offer(&mut self, request: Request) -> bool {
        let Some(answer) = ours::answer(&request).filter(|it| !is_for_another_path(it) && !depends_on_stored(&request))
        else {
            return false;
        };
        let is_refused = !(answer.is_accepted() && answer.strict.is_empty());
        let wanted = &mut self.wanted[usize::from(is_refused)];
        if *wanted == 0 {
            return false;
        }
        *wanted -= 1;
        self.requests.push((request, answer));
        true
    }
}

/// Whether a client would send the request to another URL or not send it at all.
fn is_for_another_path(answer: &ours::Answer) -> bool {
    let says = |text: &Option<String>, start: &str| text.as_ref().is_some_and(|it| it.starts_with(start));
    says(&answer.decode_error, "no matches for kind") || says(&answer.other_error, "the server could not find")
}

/// Whether an object refers to a specific stored object: by a `resourceVersion` although no object is stored, or by another `uid`. Only a real API
/// server can answer such requests.
fn depends_on_stored(request: &Request) -> bool {
    let is_json = request.text.starts_with('{');
    let object: Value = is_json
        .then(|| serde_json::from_str(&request.text).ok())
        .flatten()
        .unwrap_or_default();
    let metadata = &object["metadata"];
    match &request.old {
        None => !metadata["resourceVersion"].is_null(),
        Some(_) => !metadata["uid"].is_null(),
    }
}

fn of_definitions(corpus: &Path, seed: u64, choice: &Choice, part: &Part, chosen: &mut Chosen) -> anyhow::Result<()> {
    let mut rng = Rng::with_seed(seed);
    let names: Vec<String> = crate::peers::definitions(corpus)?
        .into_iter()
        .filter(|it| it.contains(&choice.only) && !it.contains(".partial"))
        .filter(|it| std::fs::metadata(corpus.join(it)).is_ok_and(|it| it.len() <= choice.max_size))
        .collect();
    anyhow::ensure!(!names.is_empty(), "no definition is small enough and fits --only");
    for _ in 0..200 {
        if chosen.is_full() {
            break;
        }
        let name = &names[rng.usize(..names.len())];
        let Some(original) = only_document(corpus, name) else {
            continue;
        };
        let Some(mutant) = mutant(&original, &mut rng) else {
            continue;
        };
        let mut request = Request {
            id: format!("definition {name}"),
            crd: None,
            text: mutant,
            old: None,
            status: false,
        };
        if part.is_update {
            request.id = format!("update of {}", request.id);
            let (new, old) = if rng.u8(..3) > 0 {
                (request.text.clone(), original.to_string())
            } else {
                (original.to_string(), request.text.clone())
            };
            // The stored object has to be valid, and its replacement has to have the same name.
            let stored = Request {
                text: old.clone(),
                ..request.clone()
            };
            let named = Request {
                text: new.clone(),
                ..request.clone()
            };
            let Some((stored, named)) = ours::answer(&stored).zip(ours::answer(&named)) else {
                continue;
            };
            if !stored.is_accepted() || stored.name != named.name {
                continue;
            }
            let Some(new) = marked(&new) else {
                continue;
            };
            (request.text, request.old) = (new, Some(old));
        }
        chosen.offer(request);
    }
    Ok(())
}

/// The text of a file with a single document.
fn only_document(corpus: &Path, name: &str) -> Option<Arc<str>> {
    let text: Arc<str> = std::fs::read_to_string(corpus.join(name)).ok()?.into();
    (split(&text).documents.len() == 1).then_some(text)
}

fn mutant(original: &Arc<str>, rng: &mut Rng) -> Option<String> {
    let document = *split(original).documents.first()?;
    let tree = crd_analyzer_syntax::read(original, document.span).ok()?;
    let text: Arc<str> = mutate::mutate(&tree, rng)?.text.into();
    (split(&text).documents.len() == 1).then(|| text.to_string())
}

/// The text with a placeholder for the `resourceVersion`, which an update needs; `None` if the text has no simple place for it.
fn marked(text: &str) -> Option<String> {
    let at = if text.starts_with("metadata:\n") {
        "metadata:\n".len()
    } else {
        text.find("\nmetadata:\n")? + "\nmetadata:\n".len()
    };
    let indent: String = text[at..].chars().take_while(|it| *it == ' ').collect();
    let is_there = text[at..]
        .lines()
        .take_while(|it| it.starts_with(' '))
        .any(|it| it.trim_start().starts_with("resourceVersion:"));
    // If the key `metadata` occurs twice, the second one applies.
    let is_only = !text[at..].contains("\nmetadata:");
    (!indent.is_empty() && !is_there && is_only).then(|| {
        format!(
            "{}{indent}resourceVersion: \"{VERSION_MARK}\"\n{}",
            &text[..at],
            &text[at..]
        )
    })
}

/// The fields that identify an object.
fn identity(object: &Value) -> [&Value; 4] {
    let metadata = &object["metadata"];
    [
        &object["apiVersion"],
        &object["kind"],
        &metadata["name"],
        &metadata["namespace"],
    ]
}

/// Whether the object can be stored by creating it and then setting its status.
fn is_storable(request: &Request, object: &Value) -> bool {
    let metadata = &object["metadata"];
    // Objects cannot be created with a deletion timestamp, and the API server sets the other fields.
    let given_by_server = [
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "resourceVersion",
        "uid",
    ];
    if given_by_server.iter().any(|it| !metadata[it].is_null()) {
        return false;
    }
    let created = Request {
        text: object.to_string(),
        old: None,
        status: false,
        ..request.clone()
    };
    let mut without_status = object.clone();
    let has_status = without_status
        .as_object_mut()
        .is_some_and(|it| it.remove("status").is_some());
    let given = Request {
        old: Some(without_status.to_string()),
        status: true,
        ..created.clone()
    };
    // Without the subresource, the status is stored with the object.
    let is_given = |it: ours::Answer| it.is_accepted() || it.other_error.is_some();
    ours::answer(&created).is_some_and(|it| it.is_accepted())
        && (!has_status || ours::answer(&given).is_some_and(is_given))
}

fn of_resources(corpus: &Path, seed: u64, choice: &Choice, part: &Part, chosen: &mut Chosen) -> anyhow::Result<()> {
    let question = resources::Made {
        count: 200,
        is_update: part.is_update,
        is_status: part.is_status,
        only: &choice.only,
        max_size: choice.max_size,
        signs: false,
    };
    let mut taken: (Option<Arc<str>>, usize) = (None, 0);
    for case in resources::made(corpus, seed, &question)? {
        if taken.0.as_ref() != Some(&case.crd) {
            taken = (Some(case.crd.clone()), 0);
        }
        let is_definition_accepted = || {
            let request = Request {
                id: String::new(),
                crd: None,
                text: case.crd.to_string(),
                old: None,
                status: false,
            };
            split(&case.crd).documents.len() == 1 && ours::answer(&request).is_some_and(|it| it.is_accepted())
        };
        if taken.1 >= OF_ONE || !is_definition_accepted() {
            continue;
        }
        let mut request = Request {
            id: format!("{} {}", if part.is_status { "status" } else { "resource" }, case.id),
            crd: Some(case.crd.clone()),
            text: case.text,
            old: None,
            status: part.is_status,
        };
        if let Some(old) = case.old {
            let mut new: Value = serde_json::from_str(&request.text)?;
            let stored: Value = serde_json::from_str(&old)?;
            if !is_storable(&request, &stored) || identity(&new) != identity(&stored) {
                continue;
            }
            if let Some(metadata) = new["metadata"].as_object_mut() {
                metadata.insert("resourceVersion".to_owned(), VERSION_MARK.into());
            }
            (request.text, request.old) = (new.to_string(), Some(old));
        }
        taken.1 += usize::from(chosen.offer(request));
    }
    Ok(())
}
