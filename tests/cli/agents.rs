//! Checks that the files for coding agents describe the program correctly.

use std::{
    io::{Read as _, Write as _},
    process::Stdio,
};

use serde_json::Value;

use crate::{Sandbox, definition};

const SKILL: &str = include_str!("../../integrations/agents/skills/crd-analyzer/SKILL.md");
const LLMS: &str = include_str!("../../integrations/agents/llms.txt");
const SERVERS: &str = include_str!("../../integrations/agents/.lsp.json");

#[test]
fn agents_know_every_subcommand() {
    let help = Sandbox::new(&[]).run(&["--help"]);
    let (_, commands) = help.stdout.split_once("Commands:\n").expect("a list of subcommands");
    let names = commands
        .lines()
        .take_while(|it| it.starts_with("  "))
        .filter(|it| !it.starts_with("   "))
        .filter_map(|it| it.split_whitespace().next());
    let names: Vec<&str> = names.filter(|it| *it != "help").collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        assert!(LLMS.contains(&format!("\n- `crd-analyzer {name}`: ")), "{name}");
        assert!(SKILL.contains(&format!("\n| `{name}` | ")), "{name}");
    }
}

#[test]
fn the_commands_of_the_skill_run() {
    let crd = definition("              type: object\n");
    let sandbox = Sandbox::new(&[("PATH.yaml", &crd)]);
    for args in [
        &["init", "-q"][..],
        &["add", "."],
        &["-c", "user.name=a", "-c", "user.email=a", "commit", "-qm", "a"],
    ] {
        let git = std::process::Command::new("git")
            .args(args)
            .current_dir(sandbox.path())
            .status();
        assert!(git.expect("git runs").success());
    }
    let commands: Vec<&str> = SKILL
        .split('`')
        .skip(1)
        .step_by(2)
        .filter_map(|it| it.strip_prefix("crd-analyzer "))
        .collect();
    assert!(commands.len() > 4, "{commands:?}");
    for command in commands {
        let command = command
            .replace("PATH", "PATH.yaml")
            .replace("CODE", "unknown-type")
            .replace("\"TEXT\"", "unknown\u{a0}field");
        let args: Vec<String> = command.split(' ').map(|it| it.replace('\u{a0}', " ")).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        sandbox.run(&args).expect(0, &[]);
    }
}

#[test]
fn the_plugin_starts_the_language_server() {
    let servers: Value = serde_json::from_str(SERVERS).expect("JSON");
    let server = &servers["crd-analyzer"];
    assert_eq!(server["command"], "crd-analyzer");
    assert_eq!(server["extensionToLanguage"][".yaml"], "yaml");
    let args: Vec<&str> = server["args"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let sandbox = Sandbox::new(&[]);
    let mut command = sandbox.command(&args);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("crd-analyzer runs");
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
    let mut stdin = child.stdin.take().expect("a pipe");
    write!(stdin, "Content-Length: {}\r\n\r\n{request}", request.len()).expect("it reads");
    stdin.flush().expect("it reads");
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut answer = [0; 400];
    stdout.read_exact(&mut answer).expect("it answers");
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.contains("\"capabilities\""), "{answer}");
    drop(stdin);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}
