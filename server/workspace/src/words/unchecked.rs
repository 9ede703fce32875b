//! Words for files and objects that are not checked although the user named them.

use crd_analyzer_apiextensions::decode::WrittenType;

use super::{MAX_HEADLINE, Words, clip, text::code};

const ACCEPT: &str = "or accept that with `--allow-unchecked`";

/// Words for an object whose CRD is not known.
pub(crate) fn without_crd(written: &WrittenType) -> Words {
    let (kind, version) = (code(&written.kind), code(&written.api_version));
    let headline = format!("{kind} of {version} is not checked: no CRD for it was found");
    Words::new(clip(&headline, MAX_HEADLINE)).label("no CRD").help(format!(
        "add its CRD with `crd-analyzer crds add`, name it with `--crd`, {ACCEPT}"
    ))
}

/// Words for a template, which cannot be parsed as YAML.
pub(crate) fn template() -> Words {
    Words::new("this template is not checked: it is not YAML until a tool renders it".to_owned())
        .label("not checked")
        .help(format!("check what the tool renders, {ACCEPT}"))
}

/// Words for a file with only comments.
pub(crate) fn blank() -> Words {
    Words::new("this file is not checked: it has no Kubernetes object".to_owned())
        .label("empty")
        .help(format!("leave out the file, {ACCEPT}"))
}

/// Words for an object that a program reads from its file.
pub(crate) fn file(written: &WrittenType) -> Words {
    let kind = clip(&written.kind, 40);
    Words::new(format!(
        "this {kind} is not checked: a program reads it, not an API server"
    ))
    .label("not checked")
    .help(format!("leave out the file, {ACCEPT}"))
}

/// Words for any other object or document.
pub(crate) fn other(written: &WrittenType) -> Words {
    let headline = match (&*written.api_version, &*written.kind) {
        ("", "") => "this document is not checked: it has neither `apiVersion` nor `kind`".to_owned(),
        (_, "") => "this object is not checked: it has no `kind`".to_owned(),
        ("", kind) => format!("this {} is not checked: it has no `apiVersion`", clip(kind, 40)),
        (_, kind) => format!(
            "this {} is not checked: its API group is built into Kubernetes",
            clip(kind, 40)
        ),
    };
    let help = if written.api_version.is_empty() == written.kind.is_empty() {
        format!("leave out the file, {ACCEPT}")
    } else {
        format!("write `apiVersion` and `kind`, {ACCEPT}")
    };
    Words::new(clip(&headline, MAX_HEADLINE))
        .label("not checked")
        .help(help)
}
