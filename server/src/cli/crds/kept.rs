//! `crd-analyzer crds list` and `crd-analyzer crds verify`: the CRDs that a repository keeps.

use std::{
    collections::BTreeSet,
    io::{self, BufWriter, Write as _},
};

use crd_analyzer_io::{collected::Found, print::Terminal, read};
use crd_analyzer_workspace::index::{
    lock::{self, Locked},
    objects,
};

use super::{Place, shown};
use crate::{cli::Status, input, output::counted};

/// Prints the name, the kind and the source of each CRD.
pub(super) fn list(place: &Place) -> anyhow::Result<Status> {
    let found = place.lock()?;
    let mut out = BufWriter::new(io::stdout());
    let mut terminal = Terminal::new(&mut out, false);
    let widest = |of: fn((&String, &Locked)) -> usize| found.lock.crds.iter().map(of).max().unwrap_or(0);
    let (names, kinds) = (widest(|it| it.0.len()), widest(|it| it.1.kind.len()));
    for (name, Locked { kind, source, .. }) in &found.lock.crds {
        terminal.line(format_args!("{name:names$}  {kind:kinds$}  {source}"))?;
    }
    out.flush()?;
    Ok(Status::Clean)
}

/// Compares the CRDs with the lock.
pub(super) fn verify(place: &Place) -> anyhow::Result<Status> {
    let found = place.lock()?;
    let folder = place.folder()?;
    let mut problems: Vec<String> = found.problems().collect();
    for (name, locked) in &found.lock.crds {
        let path = found.file_of(name);
        if let Err(why) = is_as_locked(&found, name, locked) {
            problems.push(format!("{}: {why}", shown(&path)));
        }
    }
    let crds = folder.join(lock::FOLDER).join(lock::CRDS);
    let known: BTreeSet<_> = found
        .lock
        .crds
        .keys()
        .map(|it| folder.join(lock::file_of(it)))
        .collect();
    let there = read::files_in(&crds, &input::roots(&input::found_in(&folder)));
    for extra in there.iter().filter(|it| !known.contains(*it)) {
        problems.push(format!(
            "{}: the lock does not list it, so nothing uses it",
            shown(extra)
        ));
    }
    let mut out = BufWriter::new(io::stdout());
    let mut terminal = Terminal::new(&mut out, false);
    for problem in &problems {
        terminal.line(format_args!("error: {problem}"))?;
    }
    let crds = counted(found.lock.crds.len(), "CRD");
    if problems.is_empty() {
        terminal.line(format_args!("{crds}: as the lock lists them"))?;
    } else {
        terminal.line(format_args!(
            "{crds}: {}; `crd-analyzer crds add` writes CRDs again",
            counted(problems.len(), "difference")
        ))?;
    }
    out.flush()?;
    Ok(if problems.is_empty() {
        Status::Clean
    } else {
        Status::Findings
    })
}

/// Checks that the file of a CRD matches its entry in the lock.
fn is_as_locked(found: &Found, name: &str, locked: &Locked) -> Result<(), String> {
    let bytes = match read::bytes(&found.file_of(name), &found.access, read::FOUND_BYTES) {
        Ok(bytes) => bytes,
        Err(why) if why.is_missing() => return Err("it is missing".to_owned()),
        Err(why) => return Err(why.to_string()),
    };
    if lock::sha256(&bytes) != locked.sha256 {
        return Err("it has changed since it was added".to_owned());
    }
    if bytes.len() as u64 != u64::from(locked.bytes) {
        return Err("the lock lists another number of bytes".to_owned());
    }
    let (_, objects) = objects(bytes);
    let expected = lock::defines(name, &locked.kind);
    match objects.as_slice() {
        [only] if only.written.name == name && only.defines.as_ref() == Some(&expected) => Ok(()),
        _ => Err(format!(
            "the lock lists it as `{name}` with the kind {}, which it is not",
            locked.kind
        )),
    }
}
