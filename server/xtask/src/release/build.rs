//! Builds the binary of a target for publication.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, bail};

use super::{
    input::binary_path,
    table::{Table, Target},
};

/// Builds a target and copies the binary to the folder where the other steps expect it. Prints its size.
pub(super) fn run(table: &Table, target: &Target, out: &Path, root: &Path) -> anyhow::Result<()> {
    let mut cargo = Command::new("cargo");
    if !target.is_windows() {
        cargo.env(format!("CFLAGS_{}", target.rust.replace('-', "_")), cflags(root));
    }
    let status = cargo
        .args([
            "build",
            "--locked",
            "--profile",
            "dist",
            "--package",
            "crd-analyzer",
            "--target",
            &target.rust,
        ])
        .current_dir(root)
        .env("CRD_ANALYZER_COMMIT", commit(root)?)
        .env("CARGO_ENCODED_RUSTFLAGS", rustflags(target, root)?)
        .env_remove("RUSTFLAGS")
        .status()
        .context("cannot run cargo")?;
    if !status.success() {
        bail!("the build for {} fails", target.rust);
    }
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let built = folder.join(&target.rust).join("dist").join(target.program());
    let bytes = std::fs::read(&built).with_context(|| built.display().to_string())?;
    let path = binary_path(out, target);
    std::fs::create_dir_all(path.parent().unwrap_or(out))?;
    std::fs::copy(&built, &path).with_context(|| path.display().to_string())?;
    println!("{}: {} bytes", path.display(), bytes.len());
    if bytes.len() as u64 > table.largest_binary() {
        bail!("the binary is larger than {} bytes", table.largest_binary());
    }
    Ok(())
}

/// The commit of the working tree. Returns an error if the working tree has changes.
fn commit(root: &Path) -> anyhow::Result<String> {
    let git = |args: &[&str]| -> anyhow::Result<String> {
        let output = Command::new("git")
            .args(args)
            .current_dir(root)
            .output()
            .context("cannot run git")?;
        if !output.status.success() {
            bail!(
                "git {} fails: {}",
                args.join(" "),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let is_changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Ok(if is_changed {
        format!("{commit}, modified")
    } else {
        commit
    })
}

/// The output of a toolchain program.
fn ask_rustc(question: &str, root: &Path) -> anyhow::Result<String> {
    let output = Command::new("rustc")
        .args(["--print", question])
        .current_dir(root)
        .output();
    let output = output.context("cannot run rustc")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The folders of this machine that must not occur in the binary, and their replacements.
fn folders(root: &Path) -> Vec<(PathBuf, &'static str)> {
    let home = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cargo = home("CARGO_HOME").or_else(|| Some(home("HOME").or_else(|| home("USERPROFILE"))?.join(".cargo")));
    let all = [(cargo, "/cargo"), (Some(root.to_path_buf()), "/crd-analyzer")];
    all.into_iter().filter_map(|(from, to)| Some((from?, to))).collect()
}

/// The flags in the table, and flags that remove the folders of this machine from the binary.
fn rustflags(target: &Target, root: &Path) -> anyhow::Result<String> {
    let mut flags = Vec::new();
    if let Some(features) = &target.features {
        flags.push(format!("-Ctarget-feature={features}"));
    }
    if !target.link_arguments.is_empty() {
        let linkers = Path::new(&ask_rustc("sysroot", root)?)
            .join("lib/rustlib")
            .join(ask_rustc("host-tuple", root)?)
            .join("bin/gcc-ld");
        flags.push(format!("-Clink-arg=-B{}", linkers.display()));
        flags.push("-Clink-arg=-fuse-ld=lld".to_owned());
        flags.extend(target.link_arguments.iter().map(|it| format!("-Clink-arg={it}")));
    }
    for (from, to) in folders(root) {
        flags.push(format!("--remap-path-prefix={}={to}", from.display()));
    }
    Ok(flags.join("\x1f"))
}

/// Flags for C code (gcc and clang) that also remove the folders of this machine.
fn cflags(root: &Path) -> String {
    let flags = folders(root).into_iter();
    let flags = flags.map(|(from, to)| format!("-ffile-prefix-map={}={to}", from.display()));
    flags.collect::<Vec<_>>().join(" ")
}
