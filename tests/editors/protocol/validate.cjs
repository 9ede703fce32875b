// Validates recorded sessions against the protocol: every message of the server by the meta-model's types, and what it uses by what the
// client announced.
//
//     node validate.cjs META_MODEL TRACE_FOLDER [METHOD...]        METHOD: requests that must have been answered in these sessions
const fs = require("node:fs");
const path = require("node:path");
const { MetaModel } = require("./meta-model.cjs");
const { Announced } = require("./announced.cjs");

// Names of our own requests; the protocol leaves others alone.
const OURS = /^(crd-analyzer\/|\$\/)/;
/** An editor that leaves does not wait for the diagnostics that it asked for by itself in its last messages. */
const LAST_MESSAGES = 30;
const BY_ITSELF = "textDocument/diagnostic";
const ERRORS = new Set([-32700, -32600, -32601, -32602, -32603, -32002, -32001, -32803, -32802, -32801, -32800]);

class Session {
  constructor(model) {
    this.model = model;
    this.problems = [];
    /** Requests that wait for an answer, by who asked and id. */
    this.asked = { client: new Map(), server: new Map() };
    this.progress = new Set();
    this.answered = new Map();
    this.checked = 0;
    this.said = 0;
    this.askedAt = new Map();
  }

  wrong(method, what) {
    this.problems.push(`${method}: ${what}`);
  }

  message(from, message) {
    const isRequest = message.method !== undefined && message.id !== undefined;
    this.said += 1;
    if (from === "client" && message.method === "exit") this.exitAt = this.said;
    if (from === "client" && isRequest) this.askedAt.set(message.id, this.said);
    if (isRequest) {
      if (this.asked[from].has(message.id)) this.wrong(message.method, `id ${message.id} is in use`);
      this.asked[from].set(message.id, message);
    }
    if (from === "client") {
      if (message.method === "initialize") {
        this.announced = new Announced(message.params.capabilities);
        if (message.params.workDoneToken !== undefined) this.progress.add(message.params.workDoneToken);
      }
      // A token of the client's own may be reported on until the answer.
      if (message.params?.workDoneToken !== undefined) this.progress.add(message.params.workDoneToken);
      if (message.method === undefined) this.asked.server.delete(message.id);
      return;
    }
    this.checked += 1;
    if (message.jsonrpc !== "2.0") this.wrong(message.method ?? "answer", `jsonrpc ${message.jsonrpc}`);
    if (message.method !== undefined) this.call(message, isRequest);
    else this.answer(message);
  }

  call(message, isRequest) {
    const { method, params } = message;
    const known = (isRequest ? this.model.requests : this.model.notifications).get(method);
    if (!known) return OURS.test(method) ? undefined : this.wrong(method, "is no method of the protocol");
    if (known.messageDirection === "clientToServer") this.wrong(method, "is the client's to send");
    if (known.params) this.type(method, known.params, params);
    if (method === "window/workDoneProgress/create") this.progress.add(params.token);
    if (method === "$/progress") this.reported(params);
    for (const it of this.announced?.fromServer(message) ?? []) this.wrong(method, it);
  }

  reported({ token, value }) {
    if (!this.progress.has(token)) this.wrong("$/progress", `token ${token} was not created`);
    const names = { begin: "WorkDoneProgressBegin", report: "WorkDoneProgressReport", end: "WorkDoneProgressEnd" };
    const name = names[value?.kind];
    if (name) this.type("$/progress", { kind: "reference", name }, value);
  }

  answer(message) {
    // What cannot be read has no id.
    if (message.id === null && message.error?.code === -32700) return;
    const request = this.asked.client.get(message.id);
    if (!request) return this.wrong("answer", `to ${message.id}, which nobody asked`);
    this.asked.client.delete(message.id);
    const { method, params } = request;
    if ("result" in message === "error" in message) return this.wrong(method, "has to have either a result or an error");
    if ("error" in message) {
      const { code, message: text } = message.error;
      if (!Number.isInteger(code) || typeof text !== "string") this.wrong(method, "an error has a code and a message");
      if (!ERRORS.has(message.error.code)) this.wrong(method, `error ${message.error.code}`);
      if (message.error.code === -32603) this.wrong(method, `an internal error: ${message.error.message}`);
      return;
    }
    const known = this.model.requests.get(method);
    if (!known) return;
    this.type(method, known.result, message.result);
    if (method === "initialize") for (const it of this.announced.initialize(message.result)) this.wrong(method, it);
    for (const it of this.announced.result(method, message.result, params)) this.wrong(method, it);
    const empty = message.result === null || (Array.isArray(message.result) && message.result.length === 0);
    if (!empty) this.answered.set(method, (this.answered.get(method) ?? 0) + 1);
  }

  type(method, type, value) {
    for (const { path, what } of this.model.check(type, value, "")) this.wrong(method, `at ${path || "."} the protocol has ${what}`);
  }

  end() {
    const isLeft = (id, method) => method === BY_ITSELF && this.exitAt - this.askedAt.get(id) <= LAST_MESSAGES;
    for (const { id, method } of this.asked.client.values()) {
      if (method !== "shutdown" && !isLeft(id, method)) this.wrong(method, "was not answered");
    }
  }
}

const [modelFile, folder, ...required] = process.argv.slice(2);
const model = new MetaModel(modelFile);
const answered = new Map();
const problems = new Map();
let checked = 0;
const traces = fs.readdirSync(folder).filter((it) => it.endsWith(".jsonl"));
for (const name of traces) {
  const session = new Session(model);
  const lines = fs.readFileSync(path.join(folder, name), "utf8").split("\n").filter(Boolean);
  for (const line of lines) {
    const { from, message } = JSON.parse(line);
    if (message) session.message(from, message);
  }
  session.end();
  checked += session.checked;
  for (const [method, count] of session.answered) answered.set(method, (answered.get(method) ?? 0) + count);
  for (const it of session.problems) problems.set(it, (problems.get(it) ?? 0) + 1);
}
for (const [problem, count] of problems) console.log(`FAIL ${problem}${count > 1 ? ` (${count} times)` : ""}`);
const missing = required.filter((it) => !answered.has(it));
for (const method of missing) console.log(`FAIL ${method}: never answered with anything in these sessions`);
const summary = [...answered].sort().map(([method, count]) => `${method} ${count}`).join(", ");
console.log(`${traces.length} sessions, ${checked} messages of the server; answered: ${summary}`);
if (problems.size > 0 || missing.length > 0 || checked === 0) process.exit(1);
console.log("PASS");
