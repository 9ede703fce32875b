//! A process of the language server, and the messages to and from it.

use std::{
    collections::VecDeque,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

pub(crate) struct Server {
    pub(crate) process: Child,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) output: BufReader<ChildStdout>,
    /// Messages received while waiting for a response.
    pub(crate) passed_over: VecDeque<Value>,
}

impl Server {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        // Pages of codes are written into this folder.
        Self::start_in(Path::new(env!("CARGO_TARGET_TMPDIR")), arguments)
    }

    /// Starts the language server. `folder` is the home folder. It contains the cache, the kubeconfig and programs.
    pub(crate) fn start_in(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_as(folder, arguments, |it| it)
    }

    pub(crate) fn start_as(folder: &Path, arguments: &[&str], run: impl FnOnce(Command) -> Command) -> Self {
        let others = std::env::var_os("PATH").unwrap_or_default();
        let own = std::iter::once(folder.join("bin"));
        let path = std::env::join_paths(own.chain(std::env::split_paths(&others))).expect("a PATH");
        let mut command = Command::new(env!("CARGO_BIN_EXE_crd-analyzer"));
        command
            .args(arguments)
            .env("PATH", path)
            .envs(["XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"].map(|it| (it, folder)))
            .env("KUBECONFIG", folder.join("kubeconfig"));
        let mut process = run(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("it writes"));
        Self {
            process,
            input,
            output,
            passed_over: VecDeque::new(),
        }
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let input = self.input.as_mut().expect("not hung up");
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).expect("it reads");
    }

    pub(crate) fn read(&mut self) -> Value {
        self.read_unless_ended().expect("it hung up")
    }

    /// The next message; `None` if the server closed its output.
    pub(crate) fn read_unless_ended(&mut self) -> Option<Value> {
        if self.output.fill_buf().expect("it writes").is_empty() {
            return None;
        }
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).expect("it writes"), 0, "it hung up");
            if line == "\r\n" {
                break;
            }
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.trim().parse().expect("a number");
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("it writes");
        Some(serde_json::from_slice(&body).expect("JSON"))
    }

    pub(crate) fn request(&mut self, id: u32, method: &str, params: Value) -> Value {
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        if !params.is_null() {
            message["params"] = params;
        }
        self.send(&message);
        loop {
            let mut answer = self.read();
            if answer["id"] == id {
                return answer["result"].take();
            }
            self.passed_over.push_back(answer);
        }
    }

    /// The parameters of the next notification with this method.
    pub(crate) fn notification(&mut self, method: &str) -> Value {
        loop {
            let mut message = self.passed_over.pop_front().unwrap_or_else(|| self.read());
            if message["method"] == method {
                return message["params"].take();
            }
        }
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    pub(crate) fn initialize(&mut self) {
        let answer = self.request(1, "initialize", json!({ "processId": null, "capabilities": {} }));
        assert_eq!(answer["serverInfo"]["name"], "crd-analyzer");
        self.notify("initialized", &json!({}));
    }

    /// The exit code. Checks that the output of the server contained only messages.
    pub(crate) fn code(mut self) -> Option<i32> {
        self.input = None;
        let mut rest = Vec::new();
        self.output.read_to_end(&mut rest).expect("it writes");
        assert_eq!(String::from_utf8_lossy(&rest), "");
        self.process.wait().expect("it ends").code()
    }
}
