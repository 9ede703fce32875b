//! `crd-analyzer test --init`: writes a first test file for a CRD.

use std::path::{Path, PathBuf};

use crd_analyzer_io::{
    print::tell,
    read,
    write::{self, Unwritten},
};
use crd_analyzer_suite::{definition::definitions, init, sample::path_beside};
use crd_analyzer_syntax::source::Source as Decoded;
use crd_analyzer_workspace::config::versions::VersionSet;

use crate::{
    cli::UsageError,
    input::{self, Source},
    output::unwritten,
};

/// Writes a test file beside a CRD, and returns its path.
pub(super) fn start(definition: &Path, versions: Option<VersionSet>) -> anyhow::Result<PathBuf> {
    let shown = definition.display();
    let bytes = input::read(&Source::named(definition))
        .map_err(|error| anyhow::anyhow!("cannot read {shown}: {error:#}"))?
        .unwrap_or_default();
    let text = Decoded::decode(bytes).text.into();
    let found = definitions(&shown.to_string(), &text);
    let [found] = &found[..] else {
        let n = found.len();
        return Err(UsageError(format!("--init needs a file with one CRD, but {shown} has {n}")).into());
    };
    let name = definition
        .file_name()
        .map(|it| it.to_string_lossy())
        .unwrap_or_default();
    let path = path_beside(definition);
    let is_there = || UsageError(format!("{} is there already", path.display()));
    if read::exists(&path) {
        return Err(is_there().into());
    }
    // Deep schemas need the larger stack of the pool's threads.
    let made = rayon::scope(|_| {
        rayon::join(
            || init::suite(found, &name, versions.unwrap_or_default().newest()),
            || (),
        )
        .0
    })
    .map_err(|why| anyhow::anyhow!("{shown}: {why}"))?;
    match write::create(&path, made.text.as_bytes()) {
        Err(Unwritten::Exists) => return Err(is_there().into()),
        Err(why) => anyhow::bail!(unwritten(&path.display().to_string(), &why)),
        Ok(()) => {}
    }
    tell(format_args!("{}: {} tests", path.display(), made.tests));
    for rule in &made.missing {
        let rule: Vec<&str> = rule.split_whitespace().collect();
        tell(format_args!(
            "crd-analyzer found no object that violates the rule at {}",
            rule.join(" ")
        ));
    }
    Ok(path)
}
