// The hands and eyes of a person at VS Code's window.
const { waitFor, ok } = require("./workbench.cjs");

/** What a person does in the window, and sees. */
class Person {
  constructor(page) {
    this.page = page;
  }

  /** Opens a file by its name. */
  async open(name) {
    await this.pick("Control+p", name, true);
    await waitFor(`${name} is open`, async () => (await this.page.locator(".tab.active", { hasText: name }).count()) > 0);
  }

  /** Shows a file that is open already. */
  async tab(name) {
    await this.page.locator(".tab", { hasText: name }).first().click();
    await waitFor(`${name} is shown`, async () => (await this.page.locator(".tab.active", { hasText: name }).count()) > 0);
  }

  /** Runs a command by its title. */
  async command(title) {
    await this.pick("F1", title, true);
  }

  /** Puts the cursor onto line and column, from 1. */
  async go(line, column) {
    await this.pick("Control+g", `${line}:${column}`, false);
  }

  /**
   * Types into the box that a key opens, and takes what it then offers: an item of that text, if it is a list.
   * A box that opens on a busy machine may lose the first keys: what stands in it is looked at before it is taken.
   */
  async pick(key, text, listed) {
    const box = this.page.locator(".quick-input-widget");
    const input = box.locator("input").first();
    const row = box.locator(".monaco-list-row", { hasText: text }).first();
    await this.attempts(`${key} ${text}`, async () => {
      await this.page.keyboard.press("Escape");
      await box.first().waitFor({ state: "hidden", timeout: 2000 });
      await this.page.keyboard.press(key);
      await input.waitFor({ timeout: 5000 });
      const prefix = await input.inputValue();
      await this.page.keyboard.type(text);
      if (listed) await row.waitFor({ timeout: 5000 });
      const typed = await input.inputValue();
      if (typed !== prefix + text) throw new Error(`the box holds ${JSON.stringify(typed)}`);
      await this.page.keyboard.press("Enter");
      await box.first().waitFor({ state: "hidden", timeout: 5000 });
    });
  }

  /** Answers the question that a box asks. The box before it may still be closing, so the question is awaited. */
  async answer(question, text) {
    const box = this.page.locator(".quick-input-widget", { hasText: question });
    const input = box.locator("input").first();
    await input.waitFor({ timeout: 30000 });
    await this.attempts(`answer ${text}`, async () => {
      await input.fill(text);
      const typed = await input.inputValue();
      if (typed !== text) throw new Error(`the box holds ${JSON.stringify(typed)}`);
      await input.press("Enter");
      await box.waitFor({ state: "hidden", timeout: 5000 });
    });
  }

  /** Tries what a person tries again when the window did not follow, and says so. */
  async attempts(what, gesture) {
    for (let left = 5; ; left -= 1) {
      try {
        return await gesture();
      } catch (error) {
        if (left === 0) throw error;
        console.log(`     ${what}: once more (${String(error.message).split("\n")[0]})`);
      }
    }
  }

  /** Writes the line of the cursor anew, after its indentation. */
  async rewriteLine(text) {
    await this.attempts(text, async () => {
      await this.page.keyboard.press("Escape"); // what is offered
      await this.page.keyboard.press("End");
      await this.page.keyboard.press("Shift+Home");
      await this.page.keyboard.type(text);
      await this.page.keyboard.press("Escape");
      const seen = async () => (await this.lines()).some((it) => it.trim() === text);
      for (const end = Date.now() + 5000; !(await seen()); ) {
        if (Date.now() > end) throw new Error("the line does not hold it");
        await this.page.waitForTimeout(100);
      }
    });
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

  /** The lines of all editors that begin with a text, after their indentation. What is shown at a line counts as a part of it. */
  async countStart(text) {
    const lines = (await this.lines()).map((it) => it.replace(/[\s\u200b-\u200f\u2060\ufeff]+/g, " ").trim());
    return lines.filter((it) => it.startsWith(text)).length;
  }

  /** Sees a line that begins with a text. */
  async seeStart(what, text) {
    await waitFor(what, async () => (await this.countStart(text)) > 0).catch(async (error) => {
      throw new Error(`${error.message}\n${(await this.lines()).join("\n")}`);
    });
  }

  /** Sees an element. */
  async sees(what, locator) {
    await waitFor(what, async () => (await locator.count()) > 0);
  }

  /** The lenses with a text. */
  lens(text) {
    return this.page.locator(".codelens-decoration a", { hasText: text });
  }

  async seeNoFinding(what) {
    await waitFor(what, async () => (await this.page.locator(".squiggly-error").count()) === 0);
  }

  /** Asks for what can be written and takes an item, which need not be the first. */
  async complete(wanted) {
    await this.page.keyboard.press("Control+Space");
    const rows = this.page.locator(".suggest-widget.visible .monaco-list-row");
    const labels = (of) => of.evaluateAll((all) => all.map((it) => ["label-name", "signature-label"].map((part) => it.querySelector(`.${part}`)?.textContent ?? "").join("").replace(/\u00a0/g, " ").trim()));
    await waitFor(`${wanted} is offered`, async () => (await labels(rows)).includes(wanted));
    const twice = (await labels(rows)).filter((it) => it === wanted).length;
    if (twice !== 1) throw new Error(`${wanted} is offered ${twice} times`);
    // The list may still grow: the item is taken when it is the one that Enter takes.
    const focused = this.page.locator(".suggest-widget.visible .monaco-list-row.focused");
    for (let i = 0; i < 100 && (await labels(focused))[0] !== wanted; i += 1) {
      await this.page.keyboard.press("ArrowDown");
      await this.page.waitForTimeout(30);
    }
    await this.page.keyboard.press("Enter");
    await rows.first().waitFor({ state: "hidden" });
  }

  /** Takes a quick fix by its title. */
  async fix(title) {
    const row = this.page.locator(".action-widget .monaco-list-row", { hasText: title });
    await this.attempts(title, async () => {
      await this.page.keyboard.press("Escape");
      await this.page.keyboard.press("Control+.");
      await row.first().waitFor({ timeout: 5000 });
    });
    ok(`"${title}" is offered`);
    const focused = this.page.locator(".action-widget .monaco-list-row.focused", { hasText: title });
    for (let i = 0; i < 10 && (await focused.count()) === 0; i += 1) await this.page.keyboard.press("ArrowDown");
    await this.page.keyboard.press("Enter");
    await this.page.locator(".action-widget").waitFor({ state: "hidden" });
  }

  /** Sees these texts in the hover at the cursor. */
  async hover(what, ...texts) {
    await this.attempts(what, async () => {
      await this.page.keyboard.press("Escape");
      await this.page.keyboard.press("Control+k");
      await this.page.keyboard.press("Control+i");
      let shown = "";
      const see = async () => {
        shown = (await this.page.locator(".monaco-hover:visible").allInnerTexts()).join("\n").replace(/\u00a0/g, " ");
        return texts.every((it) => shown.includes(it));
      };
      await waitFor(what, see, 10).catch((error) => {
        throw new Error(`${error.message}: ${shown}`);
      });
    });
    await this.page.keyboard.press("Escape");
  }
}

module.exports = { Person };
