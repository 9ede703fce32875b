// Makes the pictures of README, the documentation and the extension in VS Code's workbench. Beside each picture it writes the texts that the
// window shows: a test of the language server (`server/lsp/tests/session/pictures.rs`) fails when they are no longer what it says.
// usage: node screenshots.cjs CODE_SERVER_FOLDER VSIX DEMO_FOLDER GO_FOLDER OUT_FOLDER
const fs = require("node:fs");
const path = require("node:path");
const { inWorkbench, waitFor, finish } = require("./workbench.cjs");
const { Person } = require("./person.cjs");

const [install, vsix, demo, goFolder, out] = process.argv.slice(2).map((it) => path.resolve(it));
const more = {
  "editor.minimap.enabled": false,
  "editor.fontSize": 13,
  "editor.renderLineHighlight": "none",
  "editor.guides.indentation": false,
  "editor.stickyScroll.enabled": false,
  "editor.hover.delay": 100,
  "editor.hover.above": false,
  "workbench.activityBar.location": "hidden",
  "workbench.sideBar.location": "left",
  "workbench.layoutControl.enabled": false,
  "window.commandCenter": false,
  "window.menuBarVisibility": "hidden",
  "breadcrumbs.enabled": true,
};
const size = { width: 1200, height: 700 };

/** Where the window shows texts of the language server, and the kind of each. */
const TEXTS = [
  ["problem", ".markers-panel .monaco-list-row .marker-message-details-container"],
  ["lens", ".codelens-decoration"],
  ["item", ".suggest-widget.visible .monaco-list-row .label-name"],
  ["hover", ".monaco-hover:visible .hover-row"],
];

/** What the window adds to the texts of the language server: separators, places, and its own buttons. */
const OWN = [/^\|$/, /^\[Ln \d+, Col \d+\]$/, /^(View Problem|Quick Fix).*/, /^\S+\(\d+, \d+\): /];

/** Takes a picture, and writes down the texts in it, a line each. */
async function take(page, shot, name) {
  await page.waitForTimeout(1200);
  const lines = new Set();
  for (const [kind, selector] of TEXTS) {
    for (const text of await page.locator(selector).allInnerTexts()) {
      for (const part of text.replace(/\u00a0/g, " ").split("\n")) {
        const said = OWN.reduce((it, own) => it.replace(own, ""), part.trim());
        if (said) lines.add(`${kind}: ${said}`);
      }
    }
  }
  await shot(name);
  fs.writeFileSync(path.join(out, `${name}.txt`), `${[...lines].join("\n")}\n`);
}

const lenses = (page) => page.locator(".codelens-decoration");
const sees = (page, what, text) => waitFor(what, async () => (await lenses(page).filter({ hasText: text }).count()) > 0, 60);

async function yaml(page, { shot }) {
  const person = new Person(page);
  const { keyboard } = page;
  const squiggles = page.locator(".squiggly-error");
  await person.open("crontabs.crd.yaml");
  await waitFor("the findings are shown", async () => (await squiggles.count()) > 1, 60);
  await sees(page, "the costs are shown", "over the limit");
  await sees(page, "the objects are counted", "fails `minimum`");
  await keyboard.press("Control+b");
  await keyboard.press("Control+Shift+M");
  await person.go(21, 52);
  await waitFor("the outline is read", async () => (await page.locator(".breadcrumbs-control", { hasText: "crontabs.stable.example.com" }).count()) > 0);
  await take(page, shot, "findings");

  // The fix of the name, then what can be written after `self.`.
  await keyboard.press("Control+j");
  await person.fix("Change replica to replicas");
  await person.go(22, 43);
  await keyboard.type(" && self.", { delay: 40 });
  await keyboard.press("Control+Space");
  await page.locator(".suggest-widget.visible .monaco-list-row").first().waitFor();
  await take(page, shot, "completion");
  await keyboard.press("Escape");
  for (let i = 0; i < 9; i += 1) await keyboard.press("Backspace");

  // A custom resource beside its CRD, with a hover.
  await person.go(23, 30);
  await person.fix("Add maxItems");
  await waitFor("the costs are those of now", async () => (await lenses(page).filter({ hasText: /compile|over the limit/ }).count()) === 0);
  await keyboard.press("Control+\\");
  await person.open("nightly.yaml");
  await waitFor("the resource is judged", async () => (await page.locator(".editor-group-container.active .squiggly-error").count()) > 2);
  await sees(page, "the objects are counted again", "fails this rule");
  await person.go(8, 13);
  await page.waitForTimeout(1200);
  await keyboard.press("Control+k");
  await keyboard.press("Control+i");
  await page.locator(".monaco-hover:visible").first().waitFor();
  await take(page, shot, "resource");
}

async function go(page, { shot }) {
  const person = new Person(page);
  await person.open("order_types.go");
  await page.keyboard.press("Control+b");
  await waitFor("the language is Go", async () => (await page.locator("#status\\.editor\\.mode", { hasText: "Go" }).count()) > 0);
  await person.go(6, 1);
  await person.rewriteLine('// +kubebuilder:validation:XValidation:rule="self.tags.all(a, self.tags.exists(b, a == b))"');
  await sees(page, "the cost is shown", "over the limit");
  await page.keyboard.press("Home");
  await take(page, shot, "go");
}

const window = (fixture, scenario) => inWorkbench({ install, vsix, fixture, out, size, more }, scenario);
finish(window(demo, yaml).then(() => window(goFolder, go)));
