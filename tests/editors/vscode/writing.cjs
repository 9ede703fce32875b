// Writes a definition and a resource: repair, completion, hover, rename.
const { waitFor, ok } = require("./workbench.cjs");

/** What a person does in the window, and sees. */
class Person {
  constructor(page) {
    this.page = page;
  }

  /** Opens a file by its name. */
  async open(name) {
    await this.page.keyboard.press("Escape");
    await this.page.keyboard.press("Control+p");
    await this.page.locator(".quick-input-widget input").first().waitFor();
    await this.page.keyboard.type(name);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().waitFor();
    await this.page.keyboard.press("Enter");
    await waitFor(`${name} is open`, async () => (await this.page.locator(".tab.active", { hasText: name }).count()) > 0);
  }

  /** Runs a command by its title. */
  async command(title) {
    await this.page.keyboard.press("F1");
    await this.page.locator(".quick-input-widget input").first().waitFor();
    await this.page.keyboard.type(title);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().waitFor();
    await this.page.keyboard.press("Enter");
  }

  /** Puts the cursor onto line and column, from 1. */
  async go(line, column) {
    await this.page.keyboard.press("Escape");
    await this.page.keyboard.press("Control+g");
    await this.page.locator(".quick-input-widget input").first().waitFor();
    await this.page.keyboard.type(`${line}:${column}`);
    await this.page.keyboard.press("Enter");
    await this.page.locator(".quick-input-widget").first().waitFor({ state: "hidden" });
  }

  /** The lines that are shown, by their place in the window. */
  async lines() {
    const found = await this.page.locator(".editor-instance .view-line").evaluateAll((lines) =>
      lines.map((it) => ({ top: it.getBoundingClientRect().top, text: it.innerText.replace(/\u00a0/g, " ").replace(/\n/g, "") })),
    );
    return found.sort((a, b) => a.top - b.top).map((it) => it.text);
  }

  async seeLine(what, line) {
    let last = [];
    await waitFor(what, async () => (last = await this.lines()).includes(line)).catch((error) => {
      throw new Error(`${error.message}\n${last.join("\n")}`);
    });
  }

  async seeNoFinding(what) {
    await waitFor(what, async () => (await this.page.locator(".squiggly-error").count()) === 0);
  }

  /** Asks for what can be written and takes an item, which need not be the first. */
  async complete(wanted) {
    await this.page.keyboard.press("Control+Space");
    const rows = this.page.locator(".suggest-widget.visible .monaco-list-row");
    const labels = () => rows.evaluateAll((all) => all.map((it) => ["label-name", "signature-label"].map((part) => it.querySelector(`.${part}`)?.textContent ?? "").join("").replace(/\u00a0/g, " ").trim()));
    await waitFor(`${wanted} is offered`, async () => (await labels()).includes(wanted));
    const at = (await labels()).indexOf(wanted);
    const twice = (await labels()).filter((it) => it === wanted).length;
    if (twice !== 1) throw new Error(`${wanted} is offered ${twice} times`);
    for (let i = 0; i < at; i += 1) await this.page.keyboard.press("ArrowDown");
    await this.page.keyboard.press("Enter");
    await rows.first().waitFor({ state: "hidden" });
  }

  /** Takes a quick fix by its title. */
  async fix(title) {
    await this.page.keyboard.press("Control+.");
    const row = this.page.locator(".action-widget .monaco-list-row", { hasText: title });
    await row.first().waitFor();
    ok(`"${title}" is offered`);
    const focused = this.page.locator(".action-widget .monaco-list-row.focused", { hasText: title });
    for (let i = 0; i < 10 && (await focused.count()) === 0; i += 1) await this.page.keyboard.press("ArrowDown");
    await this.page.keyboard.press("Enter");
    await this.page.locator(".action-widget").waitFor({ state: "hidden" });
  }

  /** Sees these texts in the hover at the cursor. */
  async hover(what, ...texts) {
    await this.page.keyboard.press("Control+k");
    await this.page.keyboard.press("Control+i");
    let shown = "";
    await waitFor(what, async () => {
      shown = (await this.page.locator(".monaco-hover:visible").allInnerTexts()).join("\n").replace(/\u00a0/g, " ");
      return texts.every((it) => shown.includes(it));
    }).catch((error) => {
      throw new Error(`${error.message}: ${shown}`);
    });
    await this.page.keyboard.press("Escape");
  }
}

async function writing(page, { shot }) {
  const person = new Person(page);
  const { keyboard } = page;
  await person.open("gadgets.crd.yaml");
  const squiggles = page.locator(".squiggly-error");
  await person.go(37, 33);
  await waitFor("the wrong field has a squiggle", async () => (await squiggles.count()) > 0);
  await person.fix("Change replica to replicas");
  await person.seeLine("the field is repaired", "                - rule: 'self.replicas <= 5 ||");
  await person.seeNoFinding("the squiggle goes");

  // In the rule, inside the quotes of YAML.
  await person.go(38, 38);
  await keyboard.type(" && self.", { delay: 30 });
  await person.complete("hosts");
  await person.seeLine("the field is inserted", "                    self.replicas > 9 && self.hosts'");
  await keyboard.type(".al", { delay: 30 });
  await person.complete("all(x, predicate)");
  await waitFor("the fold is inserted", async () => (await person.lines()).some((it) => it.includes("self.hosts.all(")));
  await shot("fold");
  await keyboard.press("Escape"); // the places to fill in
  await person.go(38, 38);
  await keyboard.press("Shift+End");
  await keyboard.press("Shift+ArrowLeft");
  await keyboard.press("Delete");
  await person.seeLine("the rule is as it was", "                    self.replicas > 9'");
  await person.seeNoFinding("and right");

  // A key and its value in the schema.
  await person.go(30, 29);
  await keyboard.press("Enter");
  await keyboard.press("Home");
  await keyboard.press("Shift+End");
  await keyboard.type("                  max", { delay: 30 });
  await person.complete("maximum");
  await keyboard.type("9");
  await keyboard.press("Escape");
  await person.seeLine("a key is inserted and its value typed", "                  maximum: 9");
  await person.seeNoFinding("nothing is wrong with it");

  await person.go(27, 18);
  await person.hover("the property is explained", "How many gadgets there are", "integer", "at most 9");
  await person.go(38, 32);
  await person.hover("the token of the rule is explained", "replicas", "int");

  // The property goes with everything that names it, also in a resource that is not open.
  await person.go(27, 18);
  await keyboard.press("F2");
  await page.locator(".rename-box input:focus").waitFor();
  await keyboard.press("Control+a");
  await keyboard.type("count");
  await keyboard.press("Enter");
  await person.seeLine("the property is renamed", "                count:");
  for (const it of ["              required: [count]", "          jsonPath: .spec.count", "                - rule: 'self.count <= 5 ||", "                    self.count > 9'"]) {
    await person.seeLine(`so is what names it: ${it.trim()}`, it);
  }
  if ((await person.lines()).some((it) => it.includes("replicas"))) throw new Error("its old name is still there");
  await person.seeNoFinding("the definition is still right");

  // The rule grows out of a token of it.
  await person.go(38, 32);
  await keyboard.press("Shift+Alt+ArrowRight");
  await keyboard.press("Shift+Alt+ArrowRight");
  await keyboard.press("Shift+Alt+ArrowRight");
  await waitFor("a selection grows to the expression", async () =>
    (await page.locator(".statusbar-item", { hasText: /\(1[0-9] selected\)/ }).count()) > 0,
  );

  await person.open("one.gadget.yaml");
  await person.seeLine("the resource has the new name", "  count: 3");
  await waitFor("its wrong field has a squiggle", async () => (await squiggles.count()) > 0);
  await person.go(7, 4);
  await person.fix("Change host to hosts");
  await person.seeLine("it is repaired", "  hosts: [a.example]");
  await person.seeNoFinding("its squiggle goes");
  await person.go(6, 4);
  await person.hover("the field is explained by its definition", "How many gadgets there are", "integer");
  await person.go(7, 1);
  await keyboard.press("Shift+End");
  await keyboard.type("  ho", { delay: 30 });
  await person.complete("hosts");
  await waitFor("a field is completed", async () => (await person.lines()).some((it) => it.startsWith("  hosts:")));
}

module.exports = { writing, Person };
