//! Writes a test file in which the user can try one rule: an object that the rule accepts and one that it rejects. They are existing objects or, if
//! none fits, found by a search.

use crd_analyzer_budget::{self as budget, Limits};
use crd_analyzer_schema::KubernetesVersion;
use serde_json::{Map, Value, json};

use super::{
    SEARCHING,
    search::{Rule, Search},
    values::at,
};
use crate::{
    definition::Found,
    run::own::causes,
    sample::{RULE, RuleName, Trial, test},
    server::Answer,
    yaml,
};

/// The maximum number of existing objects to try.
const MOST_GIVEN: usize = 200;
/// The maximum number of changed objects to try in the search for one that the rule accepts.
const MOST_VARIANTS: usize = 200;

/// The stored object for an update (`None` for a creation), and the object to send.
type Example = (Option<Value>, Value);

/// The examples in a test file.
struct Examples {
    accepted: Option<Example>,
    rejected: Option<Example>,
    /// The object to write if no example is known.
    first: Value,
}

/// Writes a test file for a rule.
///
/// `path` is the path by which the file names the CRD. `given` has existing objects of the CRD's kind, such as those of the repository. They are
/// preferred to objects that a search finds.
pub fn sample(
    definition: &Found,
    rule: &RuleName,
    path: &str,
    given: &[Value],
    kubernetes: KubernetesVersion,
) -> Result<String, String> {
    let only = Found {
        value: definition.only(Some(&rule.version))?,
        ..definition.clone()
    };
    let trial = Trial::new(&only, rule.clone(), kubernetes)?;
    let server = trial.server()?;
    let schema = only.value.pointer("/spec/versions/0/schema/openAPIV3Schema");
    let schema = schema.cloned().unwrap_or_default();
    let search = Search::new(server, &only, &schema);
    let searched = search.rule(&rule.path).ok_or("the rule does not exist")?;
    let mut given: Vec<Value> = given.iter().filter_map(|it| content(it, &only, &searched)).collect();
    // Try objects with a value that the rule validates first, and small objects before large ones.
    given.sort_by_cached_key(|it| (at(it, &searched.path).is_none_or(Value::is_null), it.to_string().len()));
    given.truncate(MOST_GIVEN);
    let base = within(|| base(&search, &given)).and_then(|it| it);
    let accepted = base.as_ref().ok().and_then(|base| {
        let mut best = Best::default();
        // What is found before the work ends is an example, too.
        let _ = within(|| accepted(&search, (&searched, &trial), (&given, base), &mut best));
        best.found
    });
    let accepted = accepted.or_else(|| {
        let example = search.examples(&searched).accepted?;
        let (from, to) = Search::contents(&searched, &example);
        let answer = search.ask(&searched, from.as_ref(), &to)?;
        answer.strict_refusal().is_none().then_some((from, to))
    });
    let rejected = within(|| {
        rejected_of(&search, &searched, &given).or_else(|| {
            let start = accepted.as_ref().map(|it| it.0.as_ref().unwrap_or(&it.1));
            let broken = search.broken(start.or(base.as_ref().ok())?, &searched)?;
            Some((broken.from, broken.object))
        })
    });
    let first = base.ok().or_else(|| given.into_iter().next());
    let first = first.unwrap_or_else(|| search.first());
    let examples = Examples {
        accepted,
        rejected: rejected.ok().flatten(),
        // Use an object with a value that the rule validates.
        first: search.variants(&first, &searched).into_iter().next().unwrap_or(first),
    };
    Ok(written(rule, path, &searched, examples))
}

/// Runs a function within the limits of one search.
fn within<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let limits = Limits {
        work: SEARCHING,
        ..Limits::NONE
    };
    let (done, ended) = budget::within(limits, work);
    ended.unfinished.map_or(Ok(done), |it| Err(it.to_string()))
}

/// The content of an object in a test file: without `apiVersion` and `kind`, and without metadata that the rule does not read. `None` if the object
/// is of another version or kind.
fn content(object: &Value, definition: &Found, rule: &Rule) -> Option<Value> {
    let (group, version) = object.get("apiVersion")?.as_str()?.split_once('/')?;
    let is_kind = object.get("kind")?.as_str()? == definition.kind();
    if !is_kind || group != definition.group() || version != definition.version() {
        return None;
    }
    let mut content: Map<String, Value> = object.as_object()?.clone();
    for name in ["apiVersion", "kind", "metadata"] {
        content.remove(name);
    }
    if !rule.is_of_status() {
        content.remove("status");
    }
    let name = object
        .pointer("/metadata/name")
        .filter(|_| rule.text.contains("metadata"));
    if let Some(name) = name {
        content.insert("metadata".to_owned(), json!({"name": name}));
    }
    // Null values are not useful in an example, and would be kept when other values are tried.
    content.retain(|_, value| !value.is_null());
    Some(Value::Object(content))
}

/// A valid object from which the search for examples starts.
fn base(search: &Search<'_>, given: &[Value]) -> Result<Value, String> {
    let is_accepted = |it: &&Value| search.create(it).strict_refusal().is_none();
    given
        .iter()
        .find(is_accepted)
        .cloned()
        .map_or_else(|| search.accepted(), Ok)
}

/// The example that shows most of a rule: the one for which the API server evaluates most of its parts. Of two such examples, the first.
#[derive(Default)]
struct Best {
    found: Option<Example>,
    shows: (usize, bool),
}

impl Best {
    /// Keeps an example that shows more, if it is accepted.
    fn offer(&mut self, trial: &Trial, search: &Search<'_>, rule: &Rule, (from, to): (Option<&Value>, &Value)) {
        let reached = trial.reached(from.map(|it| search.whole(it)).as_ref(), &search.whole(to));
        // An update that changes nothing is the least useful example.
        let shows = (reached, from != Some(to));
        if self.found.is_some() && shows <= self.shows {
            return;
        }
        let holds = |it: &Answer| it.strict_refusal().is_none() && it.ran.iter().any(|it| rule.is_at(it));
        if search.ask(rule, from, to).is_some_and(|it| holds(&it)) {
            self.found = Some((from.cloned(), to.clone()));
            self.shows = shows;
        }
    }
}

fn accepted(search: &Search<'_>, (rule, trial): (&Rule, &Trial), (given, base): (&[Value], &Value), best: &mut Best) {
    let mut offer = |from: Option<&Value>, to: &Value| best.offer(trial, search, rule, (from, to));
    let is_update = rule.is_transition() || rule.is_of_status();
    let variants = search.variants(base, rule);
    let variants = variants.iter().take(MOST_VARIANTS);
    if !is_update {
        given.iter().chain(variants).for_each(|it| offer(None, it));
        return;
    }
    if !rule.is_transition() {
        variants.for_each(|it| offer(Some(base), it));
        return;
    }
    for from in variants.clone().take(FEW) {
        variants.clone().for_each(|to| offer(Some(from), to));
    }
    if let Some((Some(from), to)) = &best.found
        && from == to
    {
        let from = from.clone();
        for to in search.elsewhere(&from, rule) {
            best.offer(trial, search, rule, (Some(&from), &to));
        }
    }
}

/// The maximum number of stored objects to try in the search for an update that the rule accepts.
const FEW: usize = 4;

/// An existing object that only this rule rejects.
fn rejected_of(search: &Search<'_>, rule: &Rule, given: &[Value]) -> Option<Example> {
    if rule.is_transition() || rule.is_of_status() {
        return None;
    }
    let is_rejected = |it: &&Value| {
        let refusal = search.create(it).strict_refusal();
        let causes = refusal.map(|it| causes(&it)).unwrap_or_default();
        let is_this = |it: &crate::errors::Cause| it.decider.as_deref().is_some_and(|it| rule.is_at(it));
        !causes.is_empty() && causes.iter().all(is_this)
    };
    given.iter().find(is_rejected).map(|it| (None, it.clone()))
}

fn written(name: &RuleName, path: &str, rule: &Rule, examples: Examples) -> String {
    let scalar = |text: &str| yaml::scalar(&json!(text));
    let mut text = format!(
        "# Objects to try a rule of {} on. Edit them: the results follow.\ncrd: {}\nversion: {}\n",
        display(rule.place()),
        scalar(path),
        scalar(&name.version)
    );
    text.push_str(&yaml::block(&json!({RULE: {"crd": name.crd, "path": name.path}}), 0));
    text.push_str("tests:\n");
    let Examples {
        accepted,
        rejected,
        first,
    } = examples;
    let missing = match (&accepted, &rejected) {
        (None, None) => Some("accepts or rejects"),
        (None, _) => Some("accepts"),
        (_, None) => Some("rejects"),
        _ => None,
    };
    let first = (accepted.is_none() && rejected.is_none()).then_some((None, first));
    let all = [
        (accepted, " (accepted)"),
        (rejected, ""),
        (first, " (an object to edit)"),
    ];
    for (example, suffix) in all {
        let Some((from, to)) = example else { continue };
        let (action, objects) = match from {
            None => ("create", to),
            Some(from) if rule.is_of_status() => ("updateStatus", json!({"from": from, "to": to})),
            Some(from) => ("update", json!({"from": from, "to": to})),
        };
        text.push_str(&test(
            &json!({"name": format!("{}{suffix}", rule.name()), action: objects}),
        ));
    }
    if let Some(missing) = missing {
        text.push_str("  # crd-analyzer found no object that the rule ");
        text.push_str(missing);
        text.push_str(".\n");
    }
    text
}

/// A path, quoted for a YAML comment.
fn display(place: &str) -> String {
    let is_plain = |it: char| !it.is_control() && it != '\u{2028}' && it != '\u{2029}' && it != '\u{feff}';
    format!(
        "`{}`",
        place.chars().filter(|it| is_plain(*it)).take(200).collect::<String>()
    )
}
