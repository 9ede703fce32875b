//! Runs artefacts in their own root: an empty folder, the root of the image, a minimal Debian.

use std::{
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, bail};
use serde_json::Value;

use super::lab::{BROKEN, Lab, Outcome, has, passed, rejects, run, succeed, without};
use crate::release::{
    hash::sha256,
    oci::{PROGRAM, USER, WORK},
    table::VERSION,
};

/// A command that runs a program in another root. This needs root privileges or a user namespace.
fn chroot(root: &Path, user: Option<&str>) -> Command {
    let mut command = Command::new("chroot");
    if let Some(user) = user {
        command.arg(format!("--userspec={user}"));
    }
    command.arg(root);
    command
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("NO_COLOR", "1");
    command
}

fn is_superuser() -> bool {
    run(Command::new("id").arg("-u")).is_ok_and(|it| it.stdout == b"0\n")
}

fn not_superuser() -> Outcome {
    Outcome::NotRun {
        why: "only root may change the root".to_owned(),
    }
}

/// Tests that the program in the archive needs no other files, by running it in a root without other files.
pub(super) fn archive(lab: &Lab<'_>) -> anyhow::Result<Outcome> {
    if !is_superuser() {
        return Ok(not_superuser());
    }
    let archive = lab.artifact(&lab.target.archive_name())?;
    let unpacked = lab.folder("archive")?;
    succeed(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&unpacked))?;
    let folder = unpacked.join(lab.target.stem());
    let root = lab.folder("empty")?;
    std::fs::copy(folder.join(lab.target.program()), root.join("program"))?;
    lab.put_broken(&root.join("crds"))?;
    rejects(chroot(&root, None).args(["/program", "check", "/crds"]))?;
    for file in [
        "LICENSE-MIT",
        "THIRD-PARTY-LICENSES.txt",
        "man/crd-analyzer-check.1",
        "completions/_crd-analyzer",
    ] {
        if !folder.join(file).is_file() {
            bail!("the archive has no {file}");
        }
    }
    passed(&archive)
}

/// Unpacks the image like a container runtime, verifies each checksum, and runs the image's command as the image's user.
pub(super) fn image(lab: &Lab<'_>) -> anyhow::Result<Outcome> {
    let image = lab.artifact(&format!("crd-analyzer-{VERSION}-oci.tar"))?;
    let (root, config) = image_root(lab, &image)?;
    if !is_superuser() {
        return Ok(not_superuser());
    }
    if config["config"]["User"] != USER || config["config"]["Entrypoint"][0] != format!("/{PROGRAM}") {
        bail!("the configuration names another user or program: {config}");
    }
    // The image's user cannot write to this folder, as with a mounted repository.
    let work = root.join(WORK);
    lab.put_broken(&work)?;
    std::fs::set_permissions(work.join(BROKEN), std::fs::Permissions::from_mode(0o644))?;
    let program = format!("/{PROGRAM}");
    rejects(chroot(&root, Some(USER)).args([&program, "check", &format!("/{WORK}")]))?;
    if has("skopeo") {
        succeed(
            Command::new("skopeo")
                .arg("inspect")
                .arg(format!("oci-archive:{}", image.display())),
        )?;
    }
    passed(&image)
}

/// The root folder of this machine's image, and the configuration of the image.
pub(super) fn image_root(lab: &Lab<'_>, image: &Path) -> anyhow::Result<(PathBuf, Value)> {
    let layout = lab.folder("layout")?;
    succeed(Command::new("tar").arg("-xf").arg(image).arg("-C").arg(&layout))?;
    let blob = |described: &Value| -> anyhow::Result<Vec<u8>> {
        let digest = described["digest"].as_str().and_then(|it| it.strip_prefix("sha256:"));
        let digest = digest.context("a blob without a SHA-256")?;
        let bytes = std::fs::read(layout.join("blobs/sha256").join(digest))?;
        if sha256(&bytes) != digest || described["size"] != bytes.len() {
            bail!("the blob {digest} has another checksum or size");
        }
        Ok(bytes)
    };
    let read = |described: &Value| -> anyhow::Result<Value> { Ok(serde_json::from_slice(&blob(described)?)?) };
    let index: Value = serde_json::from_slice(&std::fs::read(layout.join("index.json"))?)?;
    let list = read(&index["manifests"][0])?;
    let platform = lab.target.oci.as_ref().context("this machine runs no containers")?;
    let all = list["manifests"].as_array().context("no manifests")?;
    let ours = all
        .iter()
        .find(|it| it["platform"]["architecture"] == platform.architecture);
    let manifest = read(ours.context("no image for this machine")?)?;
    let config = read(&manifest["config"])?;
    let root = lab.folder("image")?;
    for layer in manifest["layers"].as_array().context("no layers")? {
        let path = layout.join("layer.tar.gz");
        std::fs::write(&path, blob(layer)?)?;
        let listed = Command::new("gzip")
            .args(["-dc"])
            .arg(&path)
            .stderr(Stdio::inherit())
            .output()?;
        let difference = format!("sha256:{}", sha256(&listed.stdout));
        if config["rootfs"]["diff_ids"][0] != difference {
            bail!("the layer is not {difference}");
        }
        succeed(Command::new("tar").arg("-xzpf").arg(&path).arg("-C").arg(&root))?;
    }
    Ok((root, config))
}

/// Installs the Debian package in a minimal Debian, runs a check, and removes the package again.
pub(super) fn debian(lab: &Lab<'_>) -> anyhow::Result<Outcome> {
    let Some(architecture) = &lab.target.debian else {
        return Ok(without("Debian for this machine"));
    };
    let package = lab.artifact(&format!("crd-analyzer_{VERSION}_{architecture}.deb"))?;
    if !has("mmdebstrap") {
        return Ok(without("mmdebstrap"));
    }
    if !is_superuser() {
        return Ok(not_superuser());
    }
    // The minimal Debian has this machine's Debian version and package sources.
    let sources = Path::new("/etc/apt/sources.list.d/debian.sources");
    let system = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let suite = system.lines().find_map(|it| it.strip_prefix("VERSION_CODENAME="));
    let Some(suite) = suite.filter(|_| sources.is_file()) else {
        return Ok(without("list of Debian's packages"));
    };
    // Building the minimal Debian takes minutes, so it is kept.
    let minimal = lab.out.join("debian.tar");
    if !minimal.is_file() {
        let mut make = Command::new("mmdebstrap");
        let new = lab.out.join("debian-new.tar");
        make.args(["--quiet", "--variant=minbase", suite])
            .arg(&new)
            .arg(sources);
        succeed(&mut make)?;
        std::fs::rename(new, &minimal)?;
    }
    let root = lab.folder("debian")?;
    succeed(
        Command::new("tar")
            .arg("-xpf")
            .arg(&minimal)
            .arg("-C")
            .arg(&root)
            .args(["--exclude=./dev/*"]),
    )?;
    std::fs::copy(&package, root.join("crd-analyzer.deb"))?;
    lab.put_broken(&root.join("crds"))?;
    succeed(chroot(&root, None).args(["dpkg", "--install", "/crd-analyzer.deb"]))?;
    rejects(chroot(&root, None).args(["crd-analyzer", "check", "/crds"]))?;
    let damaged = succeed(chroot(&root, None).args(["dpkg", "--verify", "crd-analyzer"]))?;
    if damaged.lines().any(|it| !it.contains("/usr/share/")) {
        bail!("installed files differ: {damaged}");
    }
    succeed(chroot(&root, None).args(["dpkg", "--purge", "crd-analyzer"]))?;
    if root.join("usr/bin/crd-analyzer").exists() {
        bail!("the program is left after the package is removed");
    }
    passed(&package)
}
