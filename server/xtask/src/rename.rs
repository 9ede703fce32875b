//! Renames properties of real CRDs, and checks that nothing else changes.
//!
//! After each rename, the findings, the cost of each rule and the number of references must be the same, and renaming back must restore the original
//! text. The new name has the same length as the old one, because the length affects costs.

use std::{collections::BTreeMap, sync::Arc};

use crd_analyzer_ide::{
    file::{Document, File},
    fixes::apply,
    property::{Target, target_at, uses},
    rename::rename,
    schema,
};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::tree::{NodeId, Tree};
use crd_analyzer_workspace::{
    config::versions::VersionSet,
    costs::price,
    judging::analysis::{Question, analyze},
};
use fastrand::Rng;

use crd_analyzer_conformance::peers::{self, definitions};

/// Rename properties of the corpus.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The number of properties to rename.
    #[arg(long, default_value_t = 1000)]
    count: usize,
    /// The seed; random by default. It is printed, so that a run can be repeated.
    #[arg(long)]
    seed: Option<u64>,
    /// Print at most this many failures.
    #[arg(long, default_value_t = 5)]
    show: usize,
}

/// The newest Kubernetes version. A rename is the same for all versions.
const VERSION: KubernetesVersion = KubernetesVersion::NEWEST;

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    let corpus = peers::corpus()?;
    let seed = args.seed.unwrap_or_else(|| Rng::new().u64(..));
    let mut rng = Rng::with_seed(seed);
    let files = definitions(&corpus)?;
    let mut renamed = 0;
    let mut places = 0;
    let mut in_rules = 0;
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    let mut tried = 0;
    while renamed + failures.len() < args.count && tried < args.count * 20 {
        tried += 1;
        let name = &files[rng.usize(..files.len())];
        let Ok(text) = std::fs::read_to_string(corpus.join(name)) else {
            continue;
        };
        let text: Arc<str> = text.into();
        let file = File::new(text.clone(), Arc::default());
        let Some((document, key)) = choose(&file, &mut rng) else {
            continue;
        };
        let offset = document.tree.span(key).start + 1;
        let Some((target, _)) = target_at(&document, offset, VERSION) else {
            continue;
        };
        let new_name = other_name(&target.name, &mut rng);
        match rename(&document, offset, &new_name, VERSION, VersionSet::one(VERSION)) {
            Err(why) => {
                let known = ["every resource has", "there is a property"];
                // Paths of the scale subresource have to start with `.spec` or `.status`.
                let is_fixed = target.object.is_empty() && why.contains("should be a json path under");
                if is_fixed || known.iter().any(|it| why.starts_with(it)) {
                    *refused
                        .entry(why.split('`').next().unwrap_or_default().to_owned())
                        .or_default() += 1;
                } else {
                    failures.push(format!("{name}: {} -> {new_name}: {why}", target.name));
                }
            }
            Ok(renaming) => {
                let found = uses(&document, &target, VERSION).all;
                in_rules += usize::from(
                    found
                        .iter()
                        .any(|it| matches!(it.form, crd_analyzer_ide::property::Form::Cel)),
                );
                places += found.len();
                let edited = apply(&text, &renaming.edits);
                match edited.map_or(Err("the edits overlap".to_owned()), |edited| {
                    judge(&text, &edited, &target, &new_name, found.len())
                }) {
                    Ok(()) => renamed += 1,
                    Err(why) => failures.push(format!("{name}: {} -> {new_name}: {why}", target.name)),
                }
            }
        }
    }
    for failure in failures.iter().take(args.show) {
        println!("{failure}");
    }
    let refusals: usize = refused.values().sum();
    println!(
        "{renamed} properties renamed at {places} places, {in_rules} of them read by rules; {} failures; {refusals} rightly refused; seed {seed}",
        failures.len()
    );
    Ok(failures.is_empty())
}

/// A random property of a CRD. In half of the cases, it is a property that rules may read.
fn choose<'f>(file: &'f File, rng: &mut Rng) -> Option<(Document<'f>, NodeId)> {
    let documents: Vec<_> = file.objects().filter(Document::is_crd).collect();
    if documents.is_empty() {
        return None;
    }
    let document = documents[rng.usize(..documents.len())];
    let tree = document.tree;
    let mut keys: Vec<NodeId> = Vec::new();
    for version in schema::versions(&document) {
        let Some(root) = version.schema else { continue };
        keys.extend(tree.subtree(root).filter(|it| is_property(tree, *it)));
    }
    let read: Vec<NodeId> = if rng.bool() {
        let expressions = crd_analyzer_ide::cel::scalars(tree);
        let all: String = expressions.iter().map(|it| tree.scalar(it.scalar) + "\n").collect();
        let words: std::collections::HashSet<&str> = all.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        keys.iter()
            .copied()
            .filter(|it| words.contains(&*tree.scalar(*it)))
            .collect()
    } else {
        Vec::new()
    };
    let from = if read.is_empty() { &keys } else { &read };
    (!from.is_empty()).then(|| (document, from[rng.usize(..from.len())]))
}

fn is_property(tree: &Tree, node: NodeId) -> bool {
    tree.is_scalar(node)
        && tree.parent(node).is_some_and(|it| schema::is_map_of_schemas(tree, it))
        && tree
            .entry_of(node)
            .is_some_and(|it| it.key == node && schema::is_schema_node(tree, it.value))
}

/// Another name of the same length.
fn other_name(name: &str, rng: &mut Rng) -> String {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let letter = |rng: &mut Rng| char::from(LETTERS[rng.usize(..LETTERS.len())]);
    let mut new_name: String = (0..name.len()).map(|_| letter(rng)).collect();
    if new_name.len() > 4 && rng.u8(..4) == 0 {
        // A name that rules have to escape.
        new_name.replace_range(2..3, ["-", "_"][rng.usize(..2)]);
    }
    new_name
}

fn judge(before: &Arc<str>, after: &str, target: &Target, new_name: &str, places: usize) -> Result<(), String> {
    let findings = |text: &str| {
        let report = analyze(text.as_bytes().to_vec(), &Question::new(VersionSet::one(VERSION)));
        let verdicts = report.documents.iter().flat_map(|it| &it.verdicts);
        let mut codes: Vec<_> = verdicts
            .flat_map(|it| it.1.findings())
            .map(|it| (it.class, it.code))
            .collect();
        codes.sort_unstable();
        codes
    };
    let (old, new) = (findings(before), findings(after));
    if old != new {
        return Err(format!("findings differ: {old:?}, then {new:?}"));
    }
    let costs = |text: &str| {
        let priced = price(text.as_bytes().to_vec(), VersionSet::one(VERSION), false);
        let answers = priced.documents.iter().flat_map(|it| it.answers.clone());
        let schemas = answers.filter_map(|it| it.1.ok()).flatten();
        let mut costs: Vec<_> = schemas
            .flat_map(|it| it.schema.rules)
            .map(|it| (it.cost, it.expr_cost, it.message_cost, it.uses_old_self))
            .collect();
        // The order of the rules follows the names of their schemas, so the costs are sorted.
        costs.sort_unstable();
        costs
    };
    if costs(before) != costs(after) {
        return Err("costs differ".to_owned());
    }
    let file = File::new(after, Arc::default());
    let renamed = Target {
        object: target.object.clone(),
        name: new_name.to_owned(),
    };
    for document in file.documents() {
        let found = uses(&document, &renamed, VERSION).all;
        let Some(declared) = found
            .iter()
            .find(|it| it.kind == crd_analyzer_ide::property::UseKind::Declaration)
        else {
            continue;
        };
        if found.len() != places {
            return Err(format!("{places} places before, {} after", found.len()));
        }
        let offset = declared.span(document.tree).start;
        let back = rename(&document, offset, &target.name, VERSION, VersionSet::one(VERSION))
            .map_err(|why| format!("cannot be renamed back: {why}"))?;
        return match apply(after, &back.edits) {
            Some(text) if text == **before => Ok(()),
            _ => Err("renaming back gives another text".to_owned()),
        };
    }
    Err("the property is gone".to_owned())
}
