//! Checks that the JSON Schemas of CRDs are never stricter than the API server: every object that the API server creates has to be valid.

mod small;

use std::sync::Arc;

use boon::{Compiler, SchemaIndex, Schemas};
use crd_analyzer_publish::{Types, UnknownFields, json_schemas};
use crd_analyzer_schema::KubernetesVersion;
use crd_analyzer_syntax::{
    read_json,
    split::{read_document, split},
};
use crd_analyzer_workspace::{config::versions::VersionSet, resource::accepted::accepted};
use serde_json::Value;

use crate::{
    choice::on_a_large_stack,
    peers,
    resources::{Made, answer::Answerer, made, of_corpus},
};

/// Validate objects against the JSON Schemas of their CRDs: objects of the corpus, and objects generated from its schemas and from small
/// random ones.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The number of objects generated from schemas of the corpus. The same number is generated from small random schemas.
    #[arg(long, default_value_t = 2000)]
    objects: usize,
    /// The seed; random by default.
    #[arg(long)]
    seed: Option<u64>,
    /// Print at most this many objects that the API server creates but a schema rejects.
    #[arg(long, default_value_t = 10)]
    show: usize,
    /// Use CRDs up to this size in bytes.
    #[arg(long, default_value_t = 60_000)]
    max_size: u64,
}

/// The JSON Schemas of the CRDs in one text.
struct Known {
    crd: Arc<str>,
    schemas: Schemas,
    /// The `apiVersion`, the kind, the schema that ignores unknown fields, and the schema that rejects them.
    found: Vec<(String, String, [SchemaIndex; 2])>,
}

impl Known {
    fn new(crd: &Arc<str>, version: KubernetesVersion) -> anyhow::Result<Self> {
        let mut schemas = Schemas::new();
        let mut compiler = Compiler::new();
        let mut found = Vec::new();
        let documents = accepted(crd.as_bytes().to_vec(), VersionSet::one(version), true);
        let answers = documents.into_iter().flat_map(|it| it.answers);
        for definition in answers.filter_map(|it| it.1.ok().flatten()) {
            let lax = json_schemas(&definition, UnknownFields::Ignored, Types::Lists);
            let strict = json_schemas(&definition, UnknownFields::Refused, Types::Lists);
            for (lax, strict) in lax.into_iter().zip(strict) {
                let mut compiled = Vec::new();
                for schema in [lax.schema, strict.schema] {
                    let place = format!("memory:///{}/{}", found.len(), compiled.len());
                    let added = compiler.add_resource(&place, schema);
                    added.map_err(|it| anyhow::anyhow!("{it}"))?;
                    let schema = compiler.compile(&place, &mut schemas);
                    compiled.push(schema.map_err(|it| anyhow::anyhow!("{it:#}"))?);
                }
                let of_group = format!("{}/{}", lax.group, lax.version);
                found.push((of_group, lax.kind, [compiled[0], compiled[1]]));
            }
        }
        Ok(Self {
            crd: crd.clone(),
            schemas,
            found,
        })
    }

    /// The reasons why the schemas reject an object. `None` if no schema exists for the object.
    fn refusals(&self, object: &Value) -> Option<[Option<String>; 2]> {
        let (version, kind) = (object["apiVersion"].as_str()?, object["kind"].as_str()?);
        let (.., both) = self.found.iter().find(|it| it.0 == version && it.1 == kind)?;
        Some(both.map(|it| self.schemas.validate(object, it).err().map(|it| format!("{it:#}"))))
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<bool> {
    on_a_large_stack(|| run_here(args))
}

fn run_here(args: &Args) -> anyhow::Result<bool> {
    let corpus = peers::corpus()?;
    let seed = args.seed.unwrap_or_else(|| fastrand::Rng::new().u64(..));
    let version = KubernetesVersion::NEWEST;
    let wanted = Made {
        count: args.objects,
        is_update: false,
        is_status: false,
        only: "",
        max_size: args.max_size,
        signs: false,
    };
    let mut cases = of_corpus(&corpus, "", false, false)?;
    cases.extend(made(&corpus, seed, &wanted)?);
    let mut judges = Judges {
        version,
        answerer: Answerer::new(version),
        known: None,
        tallies: [Tally::default(), Tally::default()],
        show: args.show,
    };
    for case in &cases {
        judges.judge(&case.crd, &case.id, &case.text)?;
    }
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut made = 0;
    while made < args.objects {
        let (crd, objects) = small::cases(&mut rng);
        for object in &objects {
            judges.judge(&crd, &format!("a small schema: {crd}"), object)?;
        }
        made += objects.len();
    }
    let tallies = judges.tallies;
    for (tally, what) in tallies.iter().zip(["unknown fields ignored", "unknown fields refused"]) {
        let share = 100.0 * tally.caught as f64 / tally.refused.max(1) as f64;
        println!(
            "{what}: {} objects are created, and schemas refuse {} of them; {} are rejected, and schemas refuse {share:.1} % of them",
            tally.created, tally.stricter, tally.refused
        );
    }
    println!("seed {seed}");
    anyhow::ensure!(tallies[0].created > 0, "the API server creates none of the objects");
    Ok(tallies.iter().all(|it| it.stricter == 0))
}

/// The API server and the JSON Schemas to compare.
struct Judges {
    version: KubernetesVersion,
    answerer: Answerer,
    known: Option<Known>,
    /// The counts for schemas that ignore unknown fields, and for schemas that reject them.
    tallies: [Tally; 2],
    show: usize,
}

impl Judges {
    fn judge(&mut self, crd: &Arc<str>, id: &str, text: &str) -> anyhow::Result<()> {
        if self.known.as_ref().is_none_or(|it| it.crd != *crd) {
            self.known = Some(Known::new(crd, self.version)?);
        }
        let Some(schemas) = &self.known else { return Ok(()) };
        let answers = self.answerer.answer(crd, id, text, None, false);
        let shared: Arc<str> = text.into();
        for document in split(&shared).documents {
            let answer = answers.iter().find(|it| it["doc"] == document.index);
            let tree = read_document(&shared, document, &[]).ok();
            let object = tree
                .as_ref()
                .and_then(|tree| Some(read_json(tree).ok()?.root()?.to_value()));
            let (Some(answer), Some(object)) = (answer, object) else {
                continue;
            };
            let Some(refusals) = schemas.refusals(&object) else {
                continue;
            };
            let is_accepted = answer["accepted"] == true;
            let is_known = answer["strict"].as_array().is_some_and(Vec::is_empty);
            let accepted = [is_accepted, is_accepted && is_known];
            for ((tally, accepted), refusal) in self.tallies.iter_mut().zip(accepted).zip(refusals) {
                if let Some(why) = tally.add(accepted, refusal).filter(|_| tally.stricter <= self.show) {
                    println!("{id}: {why}\n{text}\n");
                }
            }
        }
        Ok(())
    }
}

/// The counts of verdicts by the API server and a schema.
#[derive(Default)]
struct Tally {
    created: usize,
    /// Objects that the API server creates but a schema rejects.
    stricter: usize,
    refused: usize,
    /// Objects that the API server and the schema both reject.
    caught: usize,
}

impl Tally {
    /// Adds one verdict. Returns the reason why a schema rejects an object that the API server creates, if it does.
    fn add(&mut self, is_created: bool, refusal: Option<String>) -> Option<String> {
        if is_created {
            self.created += 1;
            self.stricter += usize::from(refusal.is_some());
            return refusal;
        }
        self.refused += 1;
        self.caught += usize::from(refusal.is_some());
        None
    }
}
