//! The programs to compare: the oracle of a Kubernetes version, and our own binary. Both print JSON lines.

use std::{
    collections::BTreeMap,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, bail};
use serde_json::Value;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// The corpus of real manifests: `$CRD_ANALYZER_CORPUS`, or `shared/corpus` in the folder that contains the repository.
pub fn corpus() -> anyhow::Result<PathBuf> {
    let path = std::env::var_os("CRD_ANALYZER_CORPUS").map_or_else(|| root().join("../shared/corpus"), PathBuf::from);
    path.canonicalize()
        .with_context(|| format!("no corpus at {} (set CRD_ANALYZER_CORPUS)", path.display()))
}

/// The CRDs of the corpus, by path relative to it.
pub fn definitions(corpus: &Path) -> anyhow::Result<Vec<String>> {
    let mut files = Vec::new();
    for folder in std::fs::read_dir(corpus.join("crds"))? {
        for file in std::fs::read_dir(folder?.path())? {
            files.push(file?.path().strip_prefix(corpus)?.to_string_lossy().into_owned());
        }
    }
    files.sort();
    Ok(files)
}

/// The oracle of a Kubernetes version: `$ORACLE_OUT/v<minor>/oracle`, built if it does not exist. Needs Go.
pub fn oracle(minor: u8) -> anyhow::Result<PathBuf> {
    let out = std::env::var_os("ORACLE_OUT").map_or_else(|| root().join("target/oracle"), PathBuf::from);
    let binary = out.join(format!("v{minor}/oracle"));
    if !binary.exists() {
        eprintln!("building the oracle of 1.{minor} in {}", out.display());
        let status = Command::new("bash")
            .arg(root().join("tests/conformance/oracle/build.sh"))
            .arg(minor.to_string())
            .env("ORACLE_OUT", &out)
            .stdout(Stdio::null())
            .status()
            .context("cannot run bash")?;
        if !status.success() {
            bail!("the oracle of 1.{minor} does not build: Go 1.26 and the Go module proxy are needed");
        }
    }
    Ok(binary)
}

/// The real API server of the newest Kubernetes version: `$ORACLE_OUT/server`, built again if its sources have changed. Needs Go.
pub fn server() -> anyhow::Result<PathBuf> {
    go_program("server")
}

/// The folder for programs in Go: `$ORACLE_OUT` as an absolute path.
pub fn out() -> anyhow::Result<PathBuf> {
    let out = std::env::var_os("ORACLE_OUT").map_or_else(|| root().join("target/oracle"), PathBuf::from);
    std::fs::create_dir_all(&out)?;
    Ok(out.canonicalize()?)
}

/// A program of `tests/conformance` in Go: `$ORACLE_OUT/<name>`, built again if its sources have changed. Needs Go.
pub fn go_program(name: &str) -> anyhow::Result<PathBuf> {
    let binary = out()?.join(name);
    let status = Command::new("go")
        .args(["build", "-mod=mod", "-p", "2", "-o"])
        .arg(&binary)
        .arg(".")
        .current_dir(root().join("tests/conformance").join(name))
        .status()
        .context("cannot run go")?;
    if !status.success() {
        bail!("{name} does not build: Go 1.26 and the Go module proxy are needed");
    }
    Ok(binary)
}

/// Our own binary: `$CRD_ANALYZER_BINARY`, or a new build with a profile that is optimized but builds fast.
pub fn analyzer() -> anyhow::Result<PathBuf> {
    if let Some(path) = std::env::var_os("CRD_ANALYZER_BINARY") {
        let path = PathBuf::from(path);
        return path
            .canonicalize()
            .with_context(|| format!("no binary {}", path.display()));
    }
    build("fast")
}

/// Our own binary, built with a cargo profile.
pub fn build(profile: &str) -> anyhow::Result<PathBuf> {
    // This uses the cargo that runs the task, so that dependencies are not built twice.
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--quiet", "--profile", profile, "--bin", "crd-analyzer"])
        .current_dir(root())
        .status()?;
    if !status.success() {
        bail!("crd-analyzer does not build");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join(profile).join("crd-analyzer"))
}

/// Sends all requests to a program, one per line, and returns its answers by the label of the request and the index of the document.
pub fn ask(command: &mut Command, requests: &[String]) -> anyhow::Result<BTreeMap<(String, u64), Value>> {
    let label = |answer: &Value| {
        let label = answer["file"].as_str().unwrap_or_default().to_owned();
        (label, answer["doc"].as_u64().unwrap_or(0))
    };
    let answers = ask_lines(command, requests)?;
    Ok(answers.into_iter().map(|answer| (label(&answer), answer)).collect())
}

/// Sends all requests to a program, one per line, and returns its answers in the order of its output.
pub fn ask_lines(command: &mut Command, requests: &[String]) -> anyhow::Result<Vec<Value>> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()?;
    let mut stdin = child.stdin.take().context("a piped child has a standard input")?;
    let text = requests.join("\n");
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output()?;
    // A program that ends early closes the pipe. Its exit code is checked below.
    drop(writer.join());
    if !matches!(output.status.code(), Some(0 | 1 | 3)) {
        bail!("{command:?} ended with {}", output.status);
    }
    let mut answers = Vec::new();
    for line in output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let answer: Value =
            serde_json::from_slice(line).with_context(|| format!("not JSON: {}", String::from_utf8_lossy(line)))?;
        answers.push(answer);
    }
    Ok(answers)
}
