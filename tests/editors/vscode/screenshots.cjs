// Makes the pictures of the README in VS Code's workbench.
// usage: node screenshots.cjs CODE_SERVER_FOLDER VSIX DEMO_FOLDER OUT_FOLDER
const path = require("node:path");
const { inWorkbench, waitFor, finish } = require("./workbench.cjs");
const { Person } = require("./person.cjs");

const [install, vsix, demo, out] = process.argv.slice(2).map((it) => path.resolve(it));
const more = {
  "editor.minimap.enabled": false,
  "editor.fontSize": 13,
  "editor.renderLineHighlight": "none",
  "editor.guides.indentation": false,
  "editor.stickyScroll.enabled": false,
  "editor.hover.delay": 100,
  "workbench.activityBar.location": "hidden",
  "workbench.sideBar.location": "left",
  "workbench.layoutControl.enabled": false,
  "window.commandCenter": false,
  "window.menuBarVisibility": "hidden",
  "breadcrumbs.enabled": true,
  "problems.defaultViewMode": "table",
};
const size = { width: 1200, height: 700 };

finish(
  inWorkbench({ install, vsix, fixture: demo, out, size, more }, async (page, { shot }) => {
    const person = new Person(page);
    const { keyboard } = page;
    const settled = () => page.waitForTimeout(1200);
    const squiggles = page.locator(".squiggly-error");
    await person.open("crontabs.crd.yaml");
    await waitFor("the findings are shown", async () => (await squiggles.count()) > 1, 60);
    await waitFor("the costs are shown", async () => (await page.locator(".codelens-decoration", { hasText: "over budget" }).count()) > 0);
    await keyboard.press("Control+b");
    await keyboard.press("Control+Shift+M");
    await person.go(21, 52);
    await settled();
    await shot("findings");

    // The repair of the name, then what can be written behind `self.`.
    await keyboard.press("Control+j");
    await person.fix("Change replica to replicas");
    await person.go(22, 43);
    await keyboard.type(" && self.", { delay: 40 });
    await keyboard.press("Control+Space");
    await page.locator(".suggest-widget.visible .monaco-list-row").first().waitFor();
    for (let i = 0; i < 4; i += 1) await keyboard.press("ArrowDown");
    await settled();
    await shot("completion");
    await keyboard.press("Escape");
    for (let i = 0; i < 9; i += 1) await keyboard.press("Backspace");

    // A resource beside its definition, with a hover.
    await person.go(23, 30);
    await person.fix("Add maxItems");
    const lenses = page.locator(".codelens-decoration");
    await waitFor("the costs are those of now", async () => (await lenses.filter({ hasText: /compile|over budget/ }).count()) === 0);
    await keyboard.press("Control+\\");
    await person.open("nightly.yaml");
    await waitFor("the resource is judged", async () => (await page.locator(".editor-group-container.active .squiggly-error").count()) > 2);
    await person.go(7, 4);
    await settled();
    await keyboard.press("Control+k");
    await keyboard.press("Control+i");
    await page.locator(".monaco-hover:visible").first().waitFor();
    await settled();
    await shot("resource");
  }),
);
