//! `crd-analyzer test --init`: a first test file for a definition.

use std::path::{Path, PathBuf};

use crd_analyzer_suite::{definition::definitions, init};
use crd_analyzer_syntax::source::Source as Decoded;
use crd_analyzer_workspace::versions::VersionSet;

use crate::{
    cli::UsageError,
    input::{self, Source},
};

/// Writes a test file beside a definition. Its path.
pub(super) fn write(definition: &Path, versions: Option<VersionSet>) -> anyhow::Result<PathBuf> {
    let shown = definition.display();
    let bytes = input::read(&Source::File(definition.to_owned()))
        .map_err(|error| anyhow::anyhow!("cannot read {shown}: {error:#}"))?
        .unwrap_or_default();
    let text = Decoded::decode(bytes).text.into();
    let found = definitions(&shown.to_string(), &text);
    let [found] = &found[..] else {
        let n = found.len();
        return Err(UsageError(format!("--init wants a file with one definition, and {shown} has {n}")).into());
    };
    let name = definition
        .file_name()
        .map(|it| it.to_string_lossy())
        .unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(&*name, |it| it.0);
    let path = definition.with_file_name(format!("{}.test.yaml", stem.strip_suffix(".crd").unwrap_or(stem)));
    if path.exists() {
        return Err(UsageError(format!("{} is there already", path.display())).into());
    }
    // Deep schemas want the stack of the pool.
    let made = rayon::scope(|_| {
        rayon::join(
            || init::suite(found, &name, versions.unwrap_or_default().newest()),
            || (),
        )
        .0
    })
    .map_err(|why| anyhow::anyhow!("{shown}: {why}"))?;
    std::fs::write(&path, &made.text).map_err(|error| anyhow::anyhow!("cannot write {}: {error}", path.display()))?;
    anstream::eprintln!("{}: {} tests", path.display(), made.tests);
    for rule in &made.missing {
        let rule: Vec<&str> = rule.split_whitespace().collect();
        anstream::eprintln!("no object was found that breaks the rule at {}", rule.join(" "));
    }
    Ok(path)
}
