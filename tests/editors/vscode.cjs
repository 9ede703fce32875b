// Opens a broken definition in VS Code's workbench with the packaged extension, sees the squiggle at its place, repairs it by typing, sees
// it go. usage: node vscode.cjs CODE_SERVER_FOLDER VSIX FIXTURE_FOLDER OUT_FOLDER
const { spawn, execFileSync } = require("node:child_process");
const fs = require("node:fs");
const net = require("node:net");
const os = require("node:os");
const path = require("node:path");

const [install, vsix, fixture, out] = process.argv.slice(2).map((it) => path.resolve(it));
const { chromium } = require(path.join(install, "node_modules/playwright-core"));
const entry = path.join(install, "node_modules/code-server/out/node/entry.js");
const start = Date.now();
const ok = (what) => console.log(`ok   ${what} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
const freePort = () =>
  new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const settings = {
  "workbench.startupEditor": "none",
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "editor.accessibilitySupport": "off",
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "chat.disableAIFeatures": true,
  "editor.wordBasedSuggestions": "off",
  "editor.autoIndent": "none",
};

async function main() {
  fs.mkdirSync(out, { recursive: true });
  const run = fs.mkdtempSync(path.join(os.tmpdir(), "crd-analyzer-vscode-"));
  const workspace = path.join(run, "workspace");
  fs.cpSync(fixture, workspace, { recursive: true });
  const data = path.join(run, "data");
  fs.mkdirSync(path.join(data, "User"), { recursive: true });
  fs.writeFileSync(path.join(data, "User/settings.json"), JSON.stringify(settings));
  const common = ["--extensions-dir", path.join(run, "extensions"), "--user-data-dir", data, "--config", path.join(run, "config.yaml")];
  const env = { ...process.env, HOME: run };
  execFileSync(process.execPath, [entry, ...common, "--install-extension", vsix], { env, stdio: "inherit" });
  ok("the extension is installed");
  const port = await freePort();
  const log = fs.openSync(path.join(out, "code-server.log"), "w");
  const server = spawn(
    process.execPath,
    [entry, ...common, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", workspace],
    { env, stdio: ["ignore", log, log] },
  );
  let browser;
  try {
    await waitFor("the workbench is served", async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok);
    browser = await chromium.launchPersistentContext(path.join(run, "profile"), {
      executablePath: "/usr/bin/chromium",
      headless: true,
      viewport: { width: 1280, height: 800 },
      args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
    });
    const page = browser.pages()[0] ?? (await browser.newPage());
    const shot = (name) => page.screenshot({ path: path.join(out, `${name}.png`) });
    try {
      await scenario(page, port, workspace, shot);
    } catch (error) {
      await shot("failure");
      throw error;
    }
  } finally {
    await browser?.close();
    server.kill("SIGTERM");
    await new Promise((resolve) => {
      server.on("exit", resolve);
      setTimeout(resolve, 5000);
    });
    fs.rmSync(run, { recursive: true, force: true });
  }
}

async function waitFor(what, condition, seconds = 30) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; ) {
    if (await condition().catch(() => false)) {
      ok(what);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`not seen in ${seconds} s: ${what}`);
}

async function scenario(page, port, workspace, shot) {
  await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(workspace)}`);
  await page.waitForSelector(".monaco-workbench", { timeout: 60000 });
  const row = page.locator(".explorer-folders-view .monaco-list-row", { hasText: "widgets.crd.yaml" });
  await row.waitFor({ timeout: 60000 });
  await row.dblclick();
  await page.waitForSelector(".editor-instance .view-line", { timeout: 30000 });
  ok("the definition is open");
  const squiggles = page.locator(".squiggly-error");
  await waitFor("the squiggle is shown", async () => (await squiggles.count()) > 0, 60);
  // It is under the word, and only there.
  const word = await page.locator(".view-line", { hasText: /type:\s*text/ }).boundingBox();
  const mark = await squiggles.first().boundingBox();
  if (Math.abs(mark.y - word.y) > word.height || mark.width > 60) {
    throw new Error(`the squiggle is at ${JSON.stringify(mark)}, the line at ${JSON.stringify(word)}`);
  }
  ok("it is under the word");
  await page.keyboard.press("Control+Shift+M");
  const problems = page.locator(".markers-panel .monaco-list-row");
  await waitFor("the problem is listed with its code and place", async () => {
    const texts = (await problems.allInnerTexts()).join(" ").replace(/\s+/g, " ");
    return /supported values/.test(texts) && /unknown-type/.test(texts) && /\[Ln 20, Col 21\]/.test(texts);
  });
  await shot("problem");
  // Type the repair as a person does.
  await page.locator(".view-line").first().click();
  await page.keyboard.press("Control+g");
  await page.keyboard.type("20:21");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Shift+End");
  await page.keyboard.type("string");
  await waitFor("the repair is typed", async () => (await page.locator(".view-line", { hasText: /type:\s*string/ }).count()) > 0);
  await waitFor("the squiggle goes", async () => (await squiggles.count()) === 0);
  await shot("repaired");
  // Break it again, so that a server that has died cannot pass.
  await page.keyboard.press("Enter");
  await page.keyboard.type("minLength: x");
  await waitFor("another squiggle comes", async () => (await squiggles.count()) > 0);
  // A resource beside it follows the definition as it is typed, saved or not.
  const lastLine = async (text) => {
    await page.keyboard.press("Escape"); // what is offered
    await page.keyboard.press("End");
    await page.keyboard.press("Shift+Home");
    await page.keyboard.type(text);
    await page.keyboard.press("Escape");
  };
  const go = async (file, line) => {
    await page.locator(".explorer-folders-view .monaco-list-row", { hasText: file }).dblclick();
    await page.locator(".view-line", { hasText: line }).first().waitFor({ timeout: 30000 });
  };
  await lastLine("type: integer");
  await waitFor("the definition is good again", async () => (await squiggles.count()) === 0);
  await go("one.widget.yaml", /size:\s*large/);
  await waitFor("the resource has a squiggle", async () => (await squiggles.count()) > 0);
  await waitFor("its problem is listed", async () => {
    const texts = (await problems.allInnerTexts()).join(" ").replace(/\s+/g, " ");
    return /wrong-type/.test(texts) && /\[Ln 5, Col 7\]/.test(texts);
  });
  await shot("resource");
  await go("widgets.crd.yaml", /type:\s*integer/);
  await page.locator(".view-line", { hasText: /type:\s*integer/ }).click();
  await lastLine("type: string");
  await go("one.widget.yaml", /size:\s*large/);
  await waitFor("the squiggle goes with the edit of the definition", async () => (await squiggles.count()) === 0);
}

main().then(
  () => console.log("PASS"),
  (error) => {
    console.log(`FAIL ${error.stack ?? error}`);
    process.exitCode = 1;
  },
);
