// Opens Go files of a module without a PROJECT file in VS Code's workbench: only a package with markers starts the language server.
// usage: node go-start.cjs CODE_SERVER_FOLDER VSIX FIXTURE_FOLDER OUT_FOLDER
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { inWorkbench, waitFor, finish, ok } = require("./workbench.cjs");
const { Person } = require("./person.cjs");

const [install, vsix, fixture, out] = process.argv.slice(2).map((it) => path.resolve(it));
fs.rmSync(path.join(fixture, "PROJECT"));
fs.writeFileSync(path.join(fixture, "main.go"), "package main\n\nfunc main() {}\n");

/** Whether a language server of this window runs: the processes below this one. */
function isRunning() {
  const processes = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).trim().split("\n").map((it) => it.trim().split(/\s+/));
  const ours = new Set([String(process.pid)]);
  for (let size = 0; size !== ours.size; ) {
    size = ours.size;
    processes.filter(([, parent]) => ours.has(parent)).forEach(([pid]) => ours.add(pid));
  }
  return processes.some(([pid, , ...args]) => ours.has(pid) && args.includes("lsp"));
}

finish(
  inWorkbench({ install, vsix, fixture, out }, async (page) => {
    const person = new Person(page);
    await person.open("main.go");
    await waitFor("the language is Go", async () => (await page.locator("#status\\.editor\\.mode", { hasText: "Go" }).count()) > 0);
    await page.waitForTimeout(5000);
    if (isRunning()) throw new Error("a Go file without API types starts the language server");
    ok("a Go file without API types starts nothing");
    await person.open("order_types.go");
    await waitFor("the language server runs", async () => isRunning());
    await person.go(6, 1);
    await person.rewriteLine('// +kubebuilder:validation:XValidation:rule="self.prise <= self.limit"');
    await waitFor("the rule is marked", async () => (await page.locator(".squiggly-error").count()) === 1);
  }),
);
