// VS Code's workbench with the packaged extension, served by code-server and shown in a headless Chromium.
const { spawn, execFileSync } = require("node:child_process");
const fs = require("node:fs");
const net = require("node:net");
const os = require("node:os");
const path = require("node:path");

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

/**
 * Runs a scenario in a workbench over a copy of a folder. `size`: of the window; `scale`: pixels a point; `more`: settings.
 * Throws what the scenario throws, after a picture of the window.
 */
async function inWorkbench({ install, vsix, fixture, out, size = { width: 1280, height: 800 }, scale = 1, more = {} }, scenario) {
  const { chromium } = require(path.join(install, "node_modules/playwright-core"));
  const entry = path.join(install, "node_modules/code-server/out/node/entry.js");
  fs.mkdirSync(out, { recursive: true });
  const run = fs.mkdtempSync(path.join(os.tmpdir(), "crd-analyzer-vscode-"));
  const workspace = path.join(run, "workspace");
  fs.cpSync(fixture, workspace, { recursive: true });
  const data = path.join(run, "data");
  fs.mkdirSync(path.join(data, "User"), { recursive: true });
  fs.writeFileSync(path.join(data, "User/settings.json"), JSON.stringify({ ...settings, ...more }));
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
      viewport: size,
      deviceScaleFactor: scale,
      args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
    });
    const page = browser.pages()[0] ?? (await browser.newPage());
    const shot = (name) => page.screenshot({ path: path.join(out, `${name}.png`) });
    try {
      await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(workspace)}`);
      await page.waitForSelector(".monaco-workbench", { timeout: 60000 });
      await scenario(page, { shot, workspace });
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


/** Ends the program as the promise of a scenario says. */
const finish = (running) =>
  running.then(
    () => console.log("PASS"),
    (error) => {
      console.log(`FAIL ${error.stack ?? error}`);
      process.exitCode = 1;
    },
  );

module.exports = { inWorkbench, waitFor, ok, finish };
