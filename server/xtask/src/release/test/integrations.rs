//! Tests of `integrations/`: runs each CI integration on a broken CRD, in the same way as the CI system.

use std::{path::Path, process::Command, sync::Arc};

use anyhow::{Context as _, bail};
use crd_analyzer_syntax::{
    read_json,
    split::{read_document, split},
};
use serde_json::Value;

use super::{
    lab::{BROKEN, CODE, Lab, Outcome, has, passed, rejects, run, succeed, without},
    packages, roots,
};
use crate::release::table::VERSION;

/// The first document of a YAML file.
fn yaml(path: &Path) -> anyhow::Result<Value> {
    all_of(path)?.into_iter().next().context("no document")
}

/// The documents of a YAML file.
fn all_of(path: &Path) -> anyhow::Result<Vec<Value>> {
    let text: Arc<str> = std::fs::read_to_string(path)
        .with_context(|| path.display().to_string())?
        .into();
    let mut all = Vec::new();
    for document in split(&text).documents {
        let tree =
            read_document(&text, document, &[]).map_err(|_| anyhow::anyhow!("{} is not YAML", path.display()))?;
        let json = read_json(&tree).map_err(|_| anyhow::anyhow!("{} is not JSON in YAML", path.display()))?;
        all.push(json.root().context("an empty document")?.to_value());
    }
    Ok(all)
}

fn text<'v>(value: &'v Value, what: &str) -> anyhow::Result<&'v str> {
    value.as_str().with_context(|| format!("no {what}"))
}

/// Installs the program in a folder, and returns a `PATH` with it.
fn installed(lab: &Lab<'_>, name: &str) -> anyhow::Result<String> {
    let programs = lab.folder(name)?;
    std::fs::copy(
        crate::release::input::binary_path(&lab.out, lab.target),
        programs.join(lab.target.program()),
    )?;
    let path = std::env::var("PATH").unwrap_or_default();
    Ok(format!("{}:{path}", programs.display()))
}

/// Tests the Makefile snippet in a project that includes it.
pub(super) fn makefile(lab: &Lab<'_>) -> anyhow::Result<Outcome> {
    if !has("make") || !has("go") {
        return Ok(without("make or Go"));
    }
    let snippet = lab.root.join("integrations/makefile/crd-analyzer.mk");
    let project = lab.folder("makefile")?;
    lab.put_broken(&project.join("config/crd/bases"))?;
    std::fs::write(project.join("Makefile"), format!("include {}\n", snippet.display()))?;
    let mut command = Command::new("make");
    for (name, value) in packages::go(lab, "makefile")?.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    let output = run(command.arg("lint-crds").current_dir(&project))?;
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    // make exits with 2 if a command fails.
    if output.status.code() != Some(2) || !said.contains(CODE) {
        bail!("make ends with {}: {said}", output.status);
    }
    passed(&snippet)
}

/// Tests the steps of the action, with the inputs and files that GitHub provides.
pub(super) fn github_action(lab: &Lab<'_>) -> anyhow::Result<Outcome> {
    let path = lab.root.join("integrations/github-action/action.yml");
    let action = yaml(&path)?;
    let project = lab.folder("github")?;
    lab.put_broken(&project.join("config crd"))?;
    let (output, paths) = (project.join("output"), project.join("paths"));
    for file in [&output, &paths] {
        std::fs::write(file, "")?;
    }
    let given = [
        ("paths", "config crd"),
        ("sarif-file", "crds.sarif"),
        ("kubernetes-version", "1.31..1.37"),
    ];
    let input = |name: &str| -> anyhow::Result<String> {
        let given = given.iter().find(|it| it.0 == name).map(|it| it.1.to_owned());
        let default = action["inputs"][name]["default"].as_str().map(str::to_owned);
        given.or(default).with_context(|| format!("an unknown input {name}"))
    };
    let mut last = None;
    for step in action["runs"]["steps"].as_array().context("no steps")? {
        let script = text(&step["run"], "script")?;
        // User input must never become part of a script.
        if script.contains("${{") {
            bail!("a script has an expression in it: {script}");
        }
        let mut command = Command::new("bash");
        command
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(&project);
        command
            .env("GITHUB_ACTION_PATH", path.parent().context("a folder")?)
            .env("GITHUB_OUTPUT", &output)
            .env("GITHUB_PATH", &paths)
            .env("RUNNER_TEMP", lab.folder("github-temp")?)
            .env("RUNNER_OS", "Linux")
            .env(
                "RUNNER_ARCH",
                if lab.target.npm.cpu == "arm64" { "ARM64" } else { "X64" },
            )
            .env("CRD_ANALYZER_DOWNLOADS", packages::serve(&lab.release)?);
        for (name, value) in step["env"].as_object().into_iter().flatten() {
            let value = text(value, "value")?;
            let expression = value.strip_prefix("${{ inputs.").and_then(|it| it.strip_suffix(" }}"));
            command.env(name, expression.map_or_else(|| Ok(value.to_owned()), input)?);
        }
        let more = std::fs::read_to_string(&paths)?
            .lines()
            .fold(String::new(), |all, it| format!("{it}:{all}"));
        command.env("PATH", more + &std::env::var("PATH").unwrap_or_default());
        last = Some(run(&mut command)?);
    }
    let last = last.context("no step ran")?;
    let printed = String::from_utf8_lossy(&last.stdout);
    let annotation = format!("::error file=config crd/{BROKEN},line=");
    if last.status.code() != Some(1) || !printed.contains(&annotation) {
        bail!(
            "the action ends with {}: {printed}{}",
            last.status,
            String::from_utf8_lossy(&last.stderr)
        );
    }
    let sarif: Value = serde_json::from_slice(&std::fs::read(project.join("crds.sarif")).context("the SARIF file")?)?;
    if sarif["version"] != "2.1.0" || !std::fs::read_to_string(&output)?.contains("sarif-file=crds.sarif\n") {
        bail!("the SARIF file is not one, or no output names it");
    }
    passed(&path)
}

/// Tests the script of the job. pip uses the wheels of the release.
pub(super) fn gitlab(lab: &Lab<'_>) -> anyhow::Result<Outcome> {
    if !has("python3") {
        return Ok(without("Python"));
    }
    let path = lab.root.join("integrations/gitlab/crd-analyzer.yml");
    // The first document of the template declares its inputs.
    let template = all_of(&path)?.pop().context("no template")?;
    let job = &template["crd-analyzer"];
    let project = lab.broken("gitlab")?;
    let programs = lab.python("gitlab-python")?;
    let mut script = String::new();
    for part in ["before_script", "script"] {
        for line in job[part].as_array().context("no script")? {
            script.push_str(text(line, "line")?);
            script.push('\n');
        }
    }
    let mut command = Command::new("sh");
    command.args(["-e", "-c", &script]).current_dir(&project);
    command.env("PIP_NO_INDEX", "1").env("PIP_FIND_LINKS", &lab.release);
    command.env(
        "PATH",
        format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default()),
    );
    for (name, value) in job["variables"].as_object().context("no variables")? {
        let value = text(value, "value")?;
        let name_of_input = value.strip_prefix("$[[ inputs.").and_then(|it| it.strip_suffix(" ]]"));
        let inputs = &all_of(&path)?[0]["spec"]["inputs"];
        command.env(
            name,
            match name_of_input {
                Some(input) => text(&inputs[input]["default"], "default")?,
                None => value,
            },
        );
    }
    rejects(&mut command)?;
    let report = text(&job["artifacts"]["reports"]["codequality"], "report")?;
    let issues: Value = serde_json::from_slice(&std::fs::read(project.join(report)).context("the report")?)?;
    if issues[0]["check_name"] != CODE || issues[0]["location"]["path"] != BROKEN {
        bail!("the report says something else: {issues}");
    }
    passed(&path)
}

/// Tests the Tekton task: runs the command of its step with the program from the image.
pub(super) fn tekton(lab: &Lab<'_>) -> anyhow::Result<Outcome> {
    let path = lab.root.join("integrations/tekton/crd-analyzer.yaml");
    let task = yaml(&path)?;
    let step = &task["spec"]["steps"][0];
    let image = text(&step["image"], "image")?;
    if image != format!("{}:{VERSION}", lab.table.names.image) {
        bail!("the task names the image {image}");
    }
    let (root, _) = roots::image_root(lab, &lab.artifact(&format!("crd-analyzer-{VERSION}-oci.tar"))?)?;
    let workspace = lab.broken("tekton")?;
    let mut command = Command::new(root.join("usr/bin/crd-analyzer"));
    let parameters = task["spec"]["params"].as_array().context("no parameters")?;
    let default = |name: &str| parameters.iter().find(|it| it["name"] == name).map(|it| &it["default"]);
    for argument in step["args"].as_array().context("no arguments")? {
        let argument = text(argument, "argument")?;
        match argument.strip_prefix("$(params.").and_then(|it| it.strip_suffix(")")) {
            None => command.arg(argument),
            Some(name) => match default(name.trim_end_matches("[*]")).context("an unknown parameter")? {
                Value::Array(all) => command.args(all.iter().filter_map(Value::as_str)),
                value => command.arg(text(value, "default")?),
            },
        };
    }
    if step["workingDir"] != "$(workspaces.source.path)" {
        bail!("the task works in another folder");
    }
    rejects(command.current_dir(workspace))?;
    passed(&path)
}

/// Tests the hook as pre-commit installs it from a clone. pip uses the wheels of the release.
pub(super) fn pre_commit(lab: &Lab<'_>) -> anyhow::Result<Outcome> {
    if !has("pre-commit") {
        return Ok(without("pre-commit"));
    }
    let hooks = lab.folder("hooks")?;
    for file in [".pre-commit-hooks.yaml", "pyproject.toml"] {
        std::fs::copy(lab.root.join(file), hooks.join(file))?;
    }
    let project = lab.broken("committed")?;
    std::fs::write(project.join("note.md"), "Not a manifest.\n")?;
    for folder in [&hooks, &project] {
        succeed(Command::new("git").args(["init", "--quiet"]).current_dir(folder))?;
        succeed(Command::new("git").args(["add", "."]).current_dir(folder))?;
        let author = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
        succeed(
            Command::new("git")
                .args(author)
                .args(["commit", "--quiet", "-m", "all"])
                .current_dir(folder),
        )?;
    }
    let mut command = Command::new("pre-commit");
    command
        .arg("try-repo")
        .arg(&hooks)
        .args(["crd-analyzer", "--all-files"])
        .current_dir(&project);
    command
        .env("PRE_COMMIT_HOME", lab.folder("pre-commit")?)
        .env("PIP_FIND_LINKS", &lab.release);
    rejects(&mut command)?;
    // This hook is for users who install the program themselves.
    let system = [
        "try-repo",
        &hooks.display().to_string(),
        "crd-analyzer-system",
        "--all-files",
    ]
    .map(str::to_owned);
    let mut command = Command::new("pre-commit");
    command
        .args(system)
        .current_dir(&project)
        .env("PATH", installed(lab, "pre-commit-path")?);
    rejects(command.env("PRE_COMMIT_HOME", lab.folder("pre-commit")?))?;
    passed(&lab.root.join(".pre-commit-hooks.yaml"))
}
