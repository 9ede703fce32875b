// Types with VS Code's default settings, as a person does: a new CRD and a new resource from empty files, and a line in a CRD full of lenses.
// usage: node typing.cjs CODE_SERVER_FOLDER VSIX FIXTURE_FOLDER OUT_FOLDER
const fs = require("node:fs");
const path = require("node:path");
const { inWorkbench, waitFor, ok, finish } = require("./workbench.cjs");
const { Person } = require("./person.cjs");

const [install, vsix, fixture, out] = process.argv.slice(2).map((it) => path.resolve(it));
/** What other scenarios switch off stays as VS Code has it. */
const more = { "editor.wordBasedSuggestions": undefined, "editor.autoIndent": undefined };
const SPECIAL = ["Enter", "Tab", "Backspace", "ArrowUp", "Control+."];
/** How many keys a CRD and a resource may take. */
const MOST = { definition: 70, resource: 25 };

const labels = (page) =>
  page
    .locator(".suggest-widget.visible .monaco-list-row, .action-widget .monaco-list-row.action")
    .evaluateAll((rows) => rows.map((it) => it.querySelector(".label-name, .title")?.textContent ?? ""));
const top = (page) => page.locator(".editor-instance .cursor").first().evaluate((it) => it.getBoundingClientRect().top);

/** How far lines are from where they are without anything between them, at most. `first`: where the first line was. */
async function shift(page, first) {
  const tops = await page.locator(".editor-instance .view-line").evaluateAll((all) => all.map((it) => it.getBoundingClientRect().top));
  tops.sort((a, b) => a - b);
  const height = tops.length > 1 ? Math.min(...tops.slice(1).map((it, n) => it - tops[n])) : 0;
  return Math.max(...tops.map((it, n) => Math.abs(it - (first ?? tops[0]) - n * height)));
}

/**
 * Types keys, with a pause in which lists come. Returns how many they are, and how far a line moved meanwhile other than by keys.
 * A text behind a `?` is seen as the first item of the list or of the quick fixes.
 */
async function type(page, shot, name, keys) {
  // A window that is just shown may lose the first keys.
  await page.waitForTimeout(2000);
  let count = 0;
  let moved = 0;
  const first = await page.locator(".editor-instance .view-line").first().evaluate((it) => it.getBoundingClientRect().top);
  for (const [at, key] of keys.entries()) {
    if (key.startsWith("?")) {
      const wanted = key.slice(1);
      let last = [];
      const seen = (seconds) => waitFor(`${wanted} is offered first`, async () => (last = await labels(page))[0] === wanted, seconds);
      // Who sees no list, on a busy machine, asks for it.
      await seen(5)
        .catch(async () => {
          await page.keyboard.press(keys[at - 1] === "Control+." ? "Control+." : "Control+Space");
          count += 1;
          await seen(10);
        })
        .catch((error) => {
          throw new Error(`${error.message}: ${last}`);
        });
      continue;
    }
    if (SPECIAL.includes(key)) {
      await page.keyboard.press(key);
    } else {
      await page.keyboard.type(key, { delay: 70 });
    }
    count += SPECIAL.includes(key) ? 1 : key.length;
    await page.waitForTimeout(500);
    moved = Math.max(moved, await shift(page, first));
    await shot(`typing-${name}-${String(at).padStart(2, "0")}`);
  }
  return { count, moved };
}

function asserts(what, lines, { count, moved }, most) {
  ok(`${what} of ${lines} lines in ${count} keystrokes; lines moved by at most ${moved} pixels`);
  if (count > most) throw new Error(`more than ${most} keystrokes`);
  if (moved > 0) throw new Error("lines moved");
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
              size:
                type: integer
                minimum: 1
              keep:
                type: integer
                format: int32
                minimum: 1
            required:
            - size
            x-kubernetes-validations:
            - rule: '!has(self.keep) || self.keep <= self.size'
              message: too many
          status:
            type: object
            properties: {}`.split("\n");

/** The names, the version and a first property by default; a bound; a second property; what is required; a rule with its guard and message. */
const KEYS = [
  ...["c", "?CustomResourceDefinition …", "Enter", "backups", "Tab", "Tab", "Tab", "Tab", "v1", "Tab", "Tab", "Tab"],
  ...["Enter", "m", "?minimum", "Enter", "1"],
  ...["Enter", "Backspace", "keep:", "Enter", "i", "?integer …", "Enter", "1"],
  ...["Enter", "Backspace", "Backspace", "r", "?required", "Enter", "?size", "Enter"],
  ...["Enter", "x", "?x-kubernetes-validations", "Enter", "r", "?rule …", "Enter"],
  ...["s", "?self", ".", "k", "?keep", "Enter", " <= ", "s", "?self", ".", "s", "?size", "Enter", "Tab", "too many"],
  ...["ArrowUp", "Control+.", "?Guard with !has(self.keep) || …", "Enter"],
];

const RESOURCE = ["apiVersion: example.com/v1", "kind: Backup", "metadata:", "  name: one", "spec:", "  size: 3", "  keep: 2"];

async function scenario(page, { shot }) {
  const person = new Person(page);
  await person.open("backups.crd.yaml");
  await waitFor("the status bar says what counts", async () => (await page.locator(".statusbar-item", { hasText: /^CRD 1\.\d+.* CRDs?$/ }).count()) > 0);
  const ofDefinition = await type(page, shot, "definition", KEYS);
  await see(person, "a CRD is written, and its names follow", DEFINITION);
  await person.seeNoFinding("nothing is wrong with it");
  asserts("a CRD", DEFINITION.length, ofDefinition, MOST.definition);
  await waitFor("its costs are shown when nobody types", async () => (await page.locator(".codelens-decoration", { hasText: "1 rule" }).count()) === 1);
  await shot("typing-definition");

  await person.open("one-more.yaml");
  const ofResource = await type(page, shot, "resource", ["b", "?Backup …", "Enter", "one", "Tab", "3", "Enter", "k", "?keep", "Enter", "2"]);
  await see(person, "a resource is written", RESOURCE);
  asserts("a resource", RESOURCE.length, ofResource, MOST.resource);
  await page.locator(".codelens-decoration", { hasText: "Show effective object" }).locator("a").click();
  await waitFor("its effective object is shown beside", async () => (await page.locator(".tab", { hasText: "effective.yaml" }).count()) === 1);
  await shot("typing-effective");

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
