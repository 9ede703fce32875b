// Types with VS Code's default settings, as a person does: a new CRD and a new resource from empty files, and a line in a CRD full of lenses.
// usage: node typing.cjs CODE_SERVER_FOLDER VSIX FIXTURE_FOLDER OUT_FOLDER
const fs = require("node:fs");
const path = require("node:path");
const { inWorkbench, waitFor, ok, finish } = require("./workbench.cjs");
const { Person } = require("./person.cjs");

const [install, vsix, fixture, out] = process.argv.slice(2).map((it) => path.resolve(it));
/** What other scenarios switch off stays as VS Code has it. */
const more = { "editor.wordBasedSuggestions": undefined, "editor.autoIndent": undefined };
const SPECIAL = ["Enter", "Tab"];

const labels = (page) =>
  page.locator(".suggest-widget.visible .monaco-list-row").evaluateAll((rows) => rows.map((it) => it.querySelector(".label-name")?.textContent ?? ""));
const top = (page) => page.locator(".editor-instance .cursor").first().evaluate((it) => it.getBoundingClientRect().top);

/** Types keys, with a pause in which lists come, and returns how many they are. An item with an ellipsis is waited for. */
async function type(page, shot, name, keys) {
  // A window that is just shown may lose the first keys.
  await page.waitForTimeout(2000);
  let count = 0;
  for (const [at, key] of keys.entries()) {
    if (key.endsWith("…")) {
      await waitFor(`${key} is offered first`, async () => (await labels(page))[0] === key);
      continue;
    }
    if (SPECIAL.includes(key)) {
      await page.keyboard.press(key);
    } else {
      await page.keyboard.type(key, { delay: 70 });
    }
    count += SPECIAL.includes(key) ? 1 : key.length;
    await page.waitForTimeout(500);
    await shot(`typing-${name}-${String(at).padStart(2, "0")}`);
  }
  return count;
}

async function see(person, what, expected) {
  let last = [];
  await waitFor(what, async () => (last = await person.lines()).join("\n").trimEnd() === expected.join("\n")).catch((error) => {
    throw new Error(`${error.message}\n${last.join("\n")}`);
  });
}

const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: backups.example.com
spec:
  group: example.com
  scope: Namespaced
  names:
    kind: Backup
    plural: backups
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              schedule:
                type: string
          status:
            type: object
            properties: {}`.split("\n");

async function scenario(page, { shot }) {
  const person = new Person(page);
  await person.open("backups.crd.yaml");
  await waitFor("the status bar says what counts", async () => (await page.locator(".statusbar-item", { hasText: /^CRD 1\.\d+.* CRDs?$/ }).count()) > 0);
  const keys = ["crd", "CustomResourceDefinition …", "Enter", "backups", "Tab", "Tab", "Tab", "Backup", "Tab", "v1", "Tab", "schedule", "Tab", "string", "Tab"];
  const ofDefinition = await type(page, shot, "definition", keys);
  await see(person, "a CRD is written, and its name follows", DEFINITION);
  await person.seeNoFinding("nothing is wrong with it");
  ok(`a CRD of ${DEFINITION.length} lines in ${ofDefinition} keystrokes`);
  if (ofDefinition > 45) throw new Error("it took more keystrokes than before");

  await person.open("one-more.yaml");
  const ofResource = await type(page, shot, "resource", ["Gad", "Gadget …", "Enter", "one", "Tab", "3"]);
  await see(person, "a resource is written", ["apiVersion: example.com/v1", "kind: Gadget", "metadata:", "  name: one", "spec:", "  replicas: 3"]);
  ok(`a resource of 6 lines in ${ofResource} keystrokes`);

  // In the middle of a CRD no list comes where nothing fits. How far the line moves is measured.
  await person.open("gadgets.crd.yaml");
  await person.go(30, 29);
  await page.keyboard.press("Enter");
  await page.waitForTimeout(2000);
  const line = await top(page);
  let moved = 0;
  for (const key of "title: how many gadgets there") {
    await page.keyboard.type(key);
    await page.waitForTimeout(150);
    moved = Math.max(moved, Math.abs((await top(page)) - line));
    const shown = await labels(page);
    if (shown.some((it) => /^(gadgets|there|how|many)$/i.test(it))) throw new Error(`words are offered: ${shown}`);
  }
  ok(`no words are offered; the cursor's line moved by at most ${moved} pixels`);
  await shot("typing-calm");
  await person.seeLine("Enter found the column", "                  title: how many gadgets there");
}

for (const name of ["backups.crd.yaml", "one-more.yaml"]) fs.writeFileSync(path.join(fixture, name), "");
finish(inWorkbench({ install, vsix, fixture, out, size: { width: 1280, height: 1100 }, more }, scenario));
