//! `crd-analyzer check --why`: explains the role of a file in its repository, and the CRD that checks its objects.

use std::{
    io::{self, BufWriter, Write},
    path::Path,
    sync::Arc,
};

use anyhow::Context as _;
use crd_analyzer_io::read::Access;
use crd_analyzer_workspace::{
    documents::object_documents::objects_of_file,
    index::{Definitions, GroupKind, KnownCrd, native},
    roles::{Aside, Judgement},
};

use super::{definitions::RunCrds, judge::Beside};
use crate::{
    input::{self, Source, found_in},
    output::{
        Look, label_of_path,
        why::{CheckedBy, Explained, print},
    },
};

/// Prints the explanation for a file.
pub(super) fn tell(file: &Path, known: &RunCrds, beside: &Beside, look: &Look, is_json: bool) -> anyhow::Result<()> {
    let bytes = input::read(&Source::named(file)).with_context(|| format!("cannot read {}", file.display()))?;
    let path = std::path::absolute(file)?;
    let access = path.parent().map_or(Access::Named, found_in);
    let (text, found) = objects_of_file(bytes.unwrap_or_default(), &path);
    let aside = Aside::of_text(&text, &path, known.catalog(), &beside.tests(&access));
    // The name of the file may contain a release, which would affect the choice of the CRD. So look the CRD up for a neutral name in the same folder.
    let beside_it = path.with_file_name("-");
    let mut explained = Vec::new();
    for object in &found {
        let Some(kind) = object.group_kind() else { continue };
        let role = known.with_index(|index| Judgement::of_object(index, &path, object, aside.as_ref()));
        let is_crd = object.written.is_crd();
        let checked = object
            .defines
            .clone()
            .filter(|_| is_crd)
            .unwrap_or_else(|| kind.clone());
        let checked = checked_by(known, &checked, if is_crd { &beside_it } else { &path });
        explained.push(Explained {
            kind: object.written.kind.clone(),
            name: object.written.name.clone(),
            role: role.role.to_string(),
            reason: role.reason,
            is_crd,
            is_native: native::is_native(&kind.group),
            checked_by: checked.best,
            or_by: checked.equals,
            not_by: checked.others,
        });
    }
    let mut out = BufWriter::new(io::stdout());
    print(&mut out, look.columns, &label_of_path(&path), &explained, is_json)?;
    Ok(out.flush()?)
}

/// The CRDs for a kind.
#[derive(Default)]
struct Checked {
    best: Option<CheckedBy>,
    equals: Vec<CheckedBy>,
    others: Vec<CheckedBy>,
}

/// The CRDs for a kind, judging by where resources are.
fn checked_by(known: &RunCrds, kind: &GroupKind, path: &Path) -> Checked {
    let Some(found) = known.find(kind, path) else {
        return Checked::default();
    };
    let best = CheckedBy {
        path: label_of_path(found.definition.written_path()),
        why: found.reason(),
    };
    // A CRD from which a kustomization builds the found CRD is not another CRD.
    let is_other = |it: &&Arc<KnownCrd>| it.path.as_ref() != found.definition.written_path();
    let explained = |it: &Arc<KnownCrd>| {
        let role = Judgement::of_known(it);
        CheckedBy {
            path: label_of_path(it.written_path()),
            why: format!("{}: {}", role.role, role.reason),
        }
    };
    let all = |crds: &[Arc<KnownCrd>]| crds.iter().filter(is_other).map(explained).collect();
    Checked {
        best: Some(best),
        equals: all(&found.equals),
        others: all(&found.others),
    }
}
