//! Installs packages with their package managers.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, bail};

use super::lab::{Lab, Outcome, has, passed, rejects, succeed, without, works};
use crate::release::{artifacts, input::Inputs, table::VERSION};

/// Checks that each file of the release is listed with its checksum.
pub(super) fn checksums(lab: &Lab<'_>) -> anyhow::Result<Outcome> {
    let list = lab.artifact("SHA256SUMS")?;
    succeed(
        Command::new("sha256sum")
            .args(["--check", "--strict", "--quiet", "SHA256SUMS"])
            .current_dir(&lab.release),
    )?;
    let listed = std::fs::read_to_string(&list)?.lines().count();
    let files = std::fs::read_dir(&lab.release)?
        .filter(|it| it.as_ref().is_ok_and(|it| it.path().is_file()))
        .count();
    if listed + 1 != files {
        bail!("{listed} of {} files are listed", files - 1);
    }
    passed(&list)
}

/// Builds all artefacts again, and checks that they are the same.
pub(super) fn again(lab: &Lab<'_>) -> anyhow::Result<Outcome> {
    let mut size = 0;
    for made in artifacts(&Inputs::read(lab.table, &lab.out, &lab.root)?, &lab.root)? {
        if std::fs::read(lab.artifact(&made.name)?)? != made.bytes {
            bail!("{} differs", made.name);
        }
        size += made.bytes.len() as u64;
    }
    Ok(Outcome::Passed { bytes: size })
}

pub(super) fn wheel(lab: &Lab<'_>) -> anyhow::Result<Outcome> {
    if !has("python3") {
        return Ok(without("Python"));
    }
    let wheel = lab.wheel()?;
    let programs = lab.python("pip")?;
    let mut install = Command::new(programs.join("pip"));
    succeed(
        install
            .args(["install", "--quiet", "--no-index", "--no-deps"])
            .arg(&wheel),
    )?;
    works(programs.join(lab.target.program()), &lab.broken("of-pip")?)?;
    // pip compares the installed files with its file list.
    succeed(Command::new(programs.join("pip")).args(["check"]))?;
    succeed(Command::new(programs.join("pip")).args(["uninstall", "--quiet", "--yes", "crd-analyzer"]))?;
    if programs.join(lab.target.program()).exists() {
        bail!("the program is left after the package is removed");
    }
    passed(&wheel)
}

pub(super) fn uvx(lab: &Lab<'_>) -> anyhow::Result<Outcome> {
    if !has("uvx") {
        return Ok(without("uvx"));
    }
    let wheel = lab.wheel()?;
    let folder = lab.broken("of-uvx")?;
    let mut command = Command::new("uvx");
    command
        .args(["--offline", "--no-index", "--from"])
        .arg(&wheel)
        .args(["crd-analyzer", "check", "."]);
    rejects(command.env("UV_CACHE_DIR", lab.folder("uv")?).current_dir(folder))?;
    passed(&wheel)
}

/// Tests the main package with the package of this machine. The packages of other machines are optional and not available here.
pub(super) fn npm(lab: &Lab<'_>) -> anyhow::Result<Outcome> {
    if !has("npm") {
        return Ok(without("npm"));
    }
    let main = lab.artifact(&format!("crd-analyzer-{VERSION}-npm.tgz"))?;
    let of_target = lab.artifact(&format!("crd-analyzer-{VERSION}-npm-{}.tgz", lab.target.npm_name()))?;
    let folder = lab.broken("of-npm")?;
    let mut install = Command::new("npm");
    install
        .args(["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts"])
        .arg(&of_target)
        .arg(&main);
    succeed(
        install
            .env("npm_config_cache", lab.folder("npm-cache")?)
            .current_dir(&folder),
    )?;
    works(folder.join("node_modules/.bin/crd-analyzer"), &folder)?;
    // Without the package of the platform, the error message says how to fix the installation.
    std::fs::remove_dir_all(folder.join("node_modules").join(&lab.table.names.npm_scope))?;
    let lonely = Command::new(folder.join("node_modules/.bin/crd-analyzer"))
        .arg("--version")
        .output()?;
    let said = String::from_utf8_lossy(&lonely.stderr);
    if lonely.status.code() != Some(3) || !said.contains("--omit=optional") {
        bail!("without the package of the platform: {} {said}", lonely.status);
    }
    passed(&of_target)
}

/// The `go` command, with a module proxy in a folder and the release served from this machine.
pub(super) fn go(lab: &Lab<'_>, name: &str) -> anyhow::Result<Command> {
    let module = &lab.table.names.go_module;
    let proxy = lab.folder(&format!("{name}-proxy"))?;
    let versions = proxy.join(module).join("@v");
    std::fs::create_dir_all(&versions)?;
    let archive = lab.artifact(&format!("crd-analyzer-{VERSION}-go-module.zip"))?;
    std::fs::copy(archive, versions.join(format!("v{VERSION}.zip")))?;
    std::fs::copy(
        lab.root.join(crate::release::launcher::FOLDER).join("go.mod"),
        versions.join(format!("v{VERSION}.mod")),
    )?;
    let date = lab.table.date()?.rfc_3339();
    let information = format!("{{\"Version\":\"v{VERSION}\",\"Time\":\"{date}\"}}");
    std::fs::write(versions.join(format!("v{VERSION}.info")), information)?;
    std::fs::write(versions.join("list"), format!("v{VERSION}\n"))?;
    // The build cache of this machine is reused for the standard library. All other caches are empty.
    let compiled = succeed(Command::new("go").args(["env", "GOCACHE"]))?;
    let mut command = Command::new("go");
    command
        .env("GOCACHE", compiled.trim())
        .env("GOPROXY", format!("file://{}", proxy.display()))
        .env("GONOSUMDB", "*")
        .env("GOFLAGS", "-modcacherw")
        .env("GOMODCACHE", lab.folder(&format!("{name}-modules"))?)
        .env("XDG_CACHE_HOME", lab.folder(&format!("{name}-cache"))?)
        .env("CRD_ANALYZER_DOWNLOADS", serve(&lab.release)?);
    Ok(command)
}

pub(super) fn launcher(lab: &Lab<'_>) -> anyhow::Result<Outcome> {
    if !has("go") {
        return Ok(without("Go"));
    }
    succeed(
        Command::new("go")
            .args(["test", "./..."])
            .current_dir(lab.root.join(crate::release::launcher::FOLDER)),
    )?;
    let folder = lab.broken("of-go")?;
    let programs = lab.folder("go-programs")?;
    let mut install = go(lab, "launcher")?;
    let module = format!("{}@v{VERSION}", lab.table.names.go_module);
    succeed(
        install
            .arg("install")
            .arg(&module)
            .env("GOBIN", &programs)
            .current_dir(&folder),
    )?;
    let mut check = go(lab, "launcher")?;
    let installed = programs.join(lab.target.program());
    // The installed program runs with the same environment as `go`.
    let mut program = Command::new(&installed);
    for (name, value) in check.get_envs() {
        if let Some(value) = value {
            program.env(name, value);
        }
    }
    rejects(program.args(["check", "."]).current_dir(&folder))?;
    rejects(check.arg("run").arg(&module).args(["check", "."]).current_dir(&folder)).or_else(|error| {
        if format!("{error}").contains("exit status 1") {
            Ok(())
        } else {
            Err(error)
        }
    })?;
    passed(&installed)
}

/// Serves the files of a folder on localhost until the program ends.
pub(super) fn serve(folder: &Path) -> anyhow::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}", listener.local_addr()?);
    let folder = folder.to_path_buf();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client may close the connection early.
            let _ = answer(&stream, &folder);
        }
    });
    Ok(address)
}

/// Answers one request for a file.
fn answer(stream: &TcpStream, folder: &Path) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let name = request.split(' ').nth(1).and_then(|it| it.strip_prefix('/'));
    let name = name.filter(|it| !it.contains("..")).map(PathBuf::from);
    let bytes = name.and_then(|it| std::fs::read(folder.join(it)).ok());
    let status = if bytes.is_some() { "200 OK" } else { "404 Not Found" };
    let bytes = bytes.unwrap_or_default();
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        bytes.len()
    )?;
    stream.write_all(&bytes)
}

/// Runs Debian's own checker, which fails on errors and warnings.
pub(super) fn lintian(lab: &Lab<'_>) -> anyhow::Result<Outcome> {
    let Some(architecture) = &lab.target.debian else {
        return Ok(without("Debian for this machine"));
    };
    if !has("lintian") {
        return Ok(without("lintian"));
    }
    let package = lab.artifact(&format!("crd-analyzer_{VERSION}_{architecture}.deb"))?;
    let mut command = Command::new("lintian");
    command
        .args(["--allow-root", "--fail-on", "error,warning"])
        .arg(&package);
    succeed(&mut command).context("lintian")?;
    passed(&package)
}
