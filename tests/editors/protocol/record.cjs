// Stands between an editor and the server and writes down what they say, one JSON object a line: {"from": "client" | "server", "message"}.
//
//     node record.cjs TRACE_FOLDER SERVER ARG...
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const [folder, command, ...args] = process.argv.slice(2);
fs.mkdirSync(folder, { recursive: true });
const trace = fs.openSync(path.join(folder, `${Date.now()}-${process.pid}.jsonl`), "w");
const write = (line) => fs.writeSync(trace, `${JSON.stringify(line)}\n`);

/** Calls `found` with every message of a stream of framed messages. */
function messages(found) {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const head = rest.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = Number(/content-length: *(\d+)/i.exec(rest.toString("latin1", 0, head))?.[1]);
      const end = head + 4 + length;
      if (!(rest.length >= end)) return;
      found(JSON.parse(rest.toString("utf8", head + 4, end)));
      rest = rest.subarray(end);
    }
  };
}

const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const fromClient = messages((message) => write({ from: "client", message }));
const fromServer = messages((message) => write({ from: "server", message }));
process.stdin.on("data", (chunk) => {
  fromClient(chunk);
  server.stdin.write(chunk);
});
process.stdin.on("end", () => server.stdin.end());
server.stdin.on("error", () => undefined); // it has gone; its exit is what counts
server.stdout.on("data", (chunk) => {
  fromServer(chunk);
  process.stdout.write(chunk);
});
process.stdout.on("error", () => undefined);
server.on("exit", (code, signal) => {
  write({ from: "server", exit: code ?? signal });
  process.exitCode = code ?? 1;
  process.stdin.destroy();
});
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => server.kill(signal));
