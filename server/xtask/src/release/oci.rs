//! The container image, as an OCI image layout in a tar archive: an empty root with the program, for each target that supports containers.

use serde_json::{Value, json};

use super::{
    archives::NOTICES,
    hash::sha256,
    input::{Artifact, Binary, Inputs},
    table::{Oci, VERSION},
    tar::{gzip, tar},
    tree::Tree,
};

/// The path of the program in the image.
pub(super) const PROGRAM: &str = "usr/bin/crd-analyzer";

/// The user and group of the process.
pub(super) const USER: &str = "65532:65532";

/// The folder where repositories are mounted.
pub(super) const WORK: &str = "work";

pub(super) fn pack(inputs: &Inputs<'_>) -> anyhow::Result<Vec<Artifact>> {
    let mut layout = Tree::default();
    let mut manifests = Vec::new();
    for binary in &inputs.binaries {
        if let Some(platform) = &binary.target.oci {
            manifests.push(image(inputs, binary, platform, &mut layout)?);
        }
    }
    if manifests.is_empty() {
        return Ok(Vec::new());
    }
    let list = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": manifests,
        "annotations": annotations(inputs),
    });
    let mut list = blob(
        &mut layout,
        "application/vnd.oci.image.index.v1+json",
        list.to_string().into_bytes(),
    );
    list["annotations"] = json!({ "org.opencontainers.image.ref.name": VERSION });
    let index = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [list],
    });
    layout.file("index.json", index.to_string());
    layout.file("oci-layout", r#"{"imageLayoutVersion":"1.0.0"}"#);
    Ok(vec![Artifact {
        name: format!("crd-analyzer-{VERSION}-oci.tar"),
        bytes: tar(&layout.with_folders(), "", inputs.date)?,
    }])
}

/// Adds a blob, and returns its descriptor.
fn blob(layout: &mut Tree, kind: &str, bytes: Vec<u8>) -> Value {
    let (digest, size) = (sha256(&bytes), bytes.len());
    layout.file(format!("blobs/sha256/{digest}"), bytes);
    json!({ "mediaType": kind, "digest": format!("sha256:{digest}"), "size": size })
}

fn annotations(inputs: &Inputs<'_>) -> Value {
    let (product, links) = (&inputs.table.product, &inputs.table.links);
    json!({
        "org.opencontainers.image.title": product.name,
        "org.opencontainers.image.description": product.summary,
        "org.opencontainers.image.licenses": product.license,
        "org.opencontainers.image.source": links.repository,
        "org.opencontainers.image.documentation": links.documentation,
        "org.opencontainers.image.version": VERSION,
    })
}

/// Adds the blobs of one platform's image, and returns the descriptor of its manifest.
fn image(inputs: &Inputs<'_>, binary: &Binary<'_>, platform: &Oci, layout: &mut Tree) -> anyhow::Result<Value> {
    let mut root = Tree::default();
    root.program(PROGRAM, &*binary.bytes);
    root.folder(WORK, 0o755);
    root.folder("tmp", 0o1777);
    for (name, text) in &inputs.licenses {
        root.file(format!("usr/share/doc/crd-analyzer/{name}"), &**text);
    }
    root.file(
        format!("usr/share/doc/crd-analyzer/{NOTICES}"),
        inputs.notices.as_bytes(),
    );
    let layer = tar(&root.with_folders(), "", inputs.date)?;
    let difference = format!("sha256:{}", sha256(&layer));
    let layer = blob(layout, "application/vnd.oci.image.layer.v1.tar+gzip", gzip(&layer)?);
    let mut config = json!({
        "created": inputs.date.rfc_3339(),
        "architecture": platform.architecture,
        "os": platform.os,
        "config": {
            "User": USER,
            "Env": ["PATH=/usr/bin"],
            "Entrypoint": [format!("/{PROGRAM}")],
            "Cmd": ["check"],
            "WorkingDir": format!("/{WORK}"),
            "Labels": annotations(inputs),
        },
        "rootfs": { "type": "layers", "diff_ids": [difference] },
        "history": [{ "created": inputs.date.rfc_3339(), "created_by": "cargo xtask release" }],
    });
    let mut described = json!({ "architecture": platform.architecture, "os": platform.os });
    if let Some(variant) = &platform.variant {
        config["variant"] = json!(variant);
        described["variant"] = json!(variant);
    }
    let config = blob(
        layout,
        "application/vnd.oci.image.config.v1+json",
        config.to_string().into_bytes(),
    );
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": config,
        "layers": [layer],
        "annotations": annotations(inputs),
    });
    let mut manifest = blob(
        layout,
        "application/vnd.oci.image.manifest.v1+json",
        manifest.to_string().into_bytes(),
    );
    manifest["platform"] = described;
    Ok(manifest)
}
