// Uses the commands that show reports, and that go to the CRD of a resource.
// usage: node reports.cjs CODE_SERVER_FOLDER VSIX FIXTURE_FOLDER OUT_FOLDER
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { inWorkbench, waitFor, finish, ok } = require("./workbench.cjs");
const { Person } = require("./person.cjs");

const [install, vsix, fixture, out] = process.argv.slice(2).map((it) => path.resolve(it));
const trace = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "crd-analyzer-trace-")), "trace.log");
const more = { "crd-analyzer.trace.server": "messages", "crd-analyzer.trace.file": trace };
finish(
  inWorkbench({ install, vsix, fixture, out, size: { width: 1280, height: 800 }, more }, async (page, { shot, workspace }) => {
    const git = (...args) => execFileSync("git", ["-C", workspace, "-c", "user.name=a", "-c", "user.email=a@example.com", ...args]);
    fs.rmSync(path.join(workspace, ".git"), { recursive: true, force: true });
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "first");
    git("tag", "v1.0.0");
    const person = new Person(page);
    const line = (text) => page.locator(".editor-instance .view-line", { hasText: text });
    await person.open("autoscalers.yaml");
    await waitFor("the resource is known", async () => (await page.locator(".statusbar-item", { hasText: /CRD 1\.\d+ · 1 CRD/ }).count()) > 0, 60);
    await person.attempts("go to the CRD", async () => {
      await person.tab("autoscalers.yaml");
      await person.command("Go to the CRD of this resource");
      await page.locator(".tab.active", { hasText: "autoscalers.crd.yaml" }).waitFor({ timeout: 5000 });
    });
    ok("the CRD of the resource is shown");
    await person.command("Show the costs of the rules in this file");
    await person.sees("the costs are listed", line("schema total"));
    await shot("report");
    await person.tab("autoscalers.crd.yaml");
    await page.locator(".editor-instance .view-line", { hasText: "kind: CustomResourceDefinition" }).first().click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("\n# a comment");
    await person.command("Compare this file with a release");
    await person.answer("A tag, branch or commit", "v1.0.0");
    await person.sees("the changes are listed", page.locator(".tab", { hasText: "autoscalers.crd.yaml since v1.0.0" }));
    await person.sees("nothing changed", line("0 changes"));
    await person.tab("autoscalers.crd.yaml");
    await person.command("Explain a diagnostic or an error");
    await page.locator(".quick-input-widget .monaco-list-row", { hasText: "An error of the API server" }).click();
    await person.answer("Paste the text of the error", "ensure CRDs are installed first");
    await person.sees("the page of the error is shown", page.locator(".tab", { hasText: "About ensure CRDs" }));
    await waitFor("messages are in the file", async () => fs.readFileSync(trace, "utf8").includes("textDocument/didOpen"));
    fs.rmSync(path.dirname(trace), { recursive: true });
  }),
);
