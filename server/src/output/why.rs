//! The output of `check --why`: the role of a file in its repository, and the CRD that checks it.

use std::io::{self, Write};

use crd_analyzer_io::print::Terminal;
use serde_json::{Value, json};

use super::{json::write_pretty, render::Renderer};

/// The explanation of an object.
pub(crate) struct Explained {
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) role: String,
    /// The reason for the role of the object.
    pub(crate) reason: String,
    /// Whether the object is a CRD.
    pub(crate) is_crd: bool,
    /// Whether the kind of the object is built-in.
    pub(crate) is_native: bool,
    /// The CRD that checks the resource, or the resources beside the CRD.
    pub(crate) checked_by: Option<CheckedBy>,
    /// CRDs of the same rank. It is unknown which of them is in the cluster.
    pub(crate) or_by: Vec<CheckedBy>,
    /// CRDs of a lower rank.
    pub(crate) not_by: Vec<CheckedBy>,
}

/// A CRD for the kind.
pub(crate) struct CheckedBy {
    pub(crate) path: String,
    pub(crate) why: String,
}

/// Prints the explanation of a file's objects.
pub(crate) fn print(
    out: &mut dyn Write,
    columns: usize,
    label: &str,
    explained: &[Explained],
    is_json: bool,
) -> io::Result<()> {
    if is_json {
        let all: Vec<Value> = explained.iter().map(|it| document(label, it)).collect();
        return write_pretty(out, &Value::Array(all));
    }
    let (out, renderer) = (&mut Terminal::new(out, false), Renderer::new(columns));
    if explained.is_empty() {
        return renderer.text(out, &format!("{label}: no object has a `kind`, so nothing is checked"));
    }
    for it in explained {
        renderer.text(out, &format!("{label}: {} {}", it.kind, it.name))?;
        renderer.indented(out, "  role: ", "    ", &format!("{} ({})", it.role, it.reason))?;
        let by = if it.is_crd {
            "  resources in the same folder are checked by: "
        } else {
            "  checked by: "
        };
        match &it.checked_by {
            Some(best) => renderer.indented(out, by, "    ", &format!("{} ({})", best.path, best.why))?,
            None if it.is_native && !it.is_crd => {
                renderer.text(out, "  not checked: a built-in kind of Kubernetes")?;
            }
            None if it.is_crd => renderer.text(out, "  checks no resource")?,
            None => renderer.text(out, "  not checked: no CRD of its kind was found")?,
        }
        let others = [("  or by: ", &it.or_by), ("  not by: ", &it.not_by)];
        for (by, other) in others.iter().flat_map(|(by, all)| all.iter().map(move |it| (by, it))) {
            renderer.indented(out, by, "    ", &format!("{} ({})", other.path, other.why))?;
        }
    }
    Ok(())
}

fn document(label: &str, it: &Explained) -> Value {
    let crd = |it: &CheckedBy| json!({"file": it.path, "reason": it.why});
    let all = |crds: &[CheckedBy]| crds.iter().map(crd).collect::<Vec<_>>();
    json!({
        "file": label,
        "kind": it.kind,
        "name": it.name,
        "role": it.role,
        "reason": it.reason,
        "checked_by": it.checked_by.as_ref().map(crd),
        "or_by": all(&it.or_by),
        "not_by": all(&it.not_by),
    })
}
