// Opens a broken definition, sees the squiggle at its place, repairs it by typing, sees it go; then the same with a resource beside it.
const { waitFor, ok } = require("./workbench.cjs");
const { Person } = require("./person.cjs");

async function findings(page, { shot }) {
  const row = page.locator(".explorer-folders-view .monaco-list-row", { hasText: "widgets.crd.yaml" });
  await row.waitFor({ timeout: 60000 });
  await row.dblclick();
  await page.waitForSelector(".editor-instance .view-line", { timeout: 30000 });
  ok("the definition is open");
  const squiggles = page.locator(".squiggly-error");
  await waitFor("the squiggle is shown", async () => (await squiggles.count()) > 0, 60);
  // It is under the word, and only there.
  const word = await page.locator(".view-line", { hasText: /type:\s*text/ }).boundingBox();
  let mark = null; // it is drawn again when diagnostics come again
  await waitFor("the squiggle has a place", async () => (mark = await squiggles.first().boundingBox()) !== null);
  if (Math.abs(mark.y - word.y) > word.height || mark.width > 60) {
    throw new Error(`the squiggle is at ${JSON.stringify(mark)}, the line at ${JSON.stringify(word)}`);
  }
  ok("it is under the word");
  await page.keyboard.press("Control+Shift+M");
  const problems = page.locator(".markers-panel .monaco-list-row");
  await waitFor("the problem is listed with its code and place", async () => {
    const texts = (await problems.allInnerTexts()).join(" ").replace(/\s+/g, " ");
    return /is not a type/.test(texts) && /unknown-type/.test(texts) && /\[Ln 20, Col 21\]/.test(texts);
  });
  await shot("problem");
  // Type the repair as a person does.
  await page.locator(".view-line").first().click();
  const person = new Person(page);
  await person.go(20, 21);
  await page.keyboard.press("Shift+End");
  await page.keyboard.type("string");
  await waitFor("the repair is typed", async () => (await page.locator(".view-line", { hasText: /type:\s*string/ }).count()) > 0);
  await waitFor("the squiggle goes", async () => (await squiggles.count()) === 0);
  await shot("repaired");
  // Break it again, so that a server that has died cannot pass.
  await person.rewriteLine("type: text");
  await waitFor("another squiggle comes", async () => (await squiggles.count()) > 0);
  // A resource beside it follows the definition as it is typed, saved or not.
  const go = async (file, line) => {
    await page.locator(".explorer-folders-view .monaco-list-row", { hasText: file }).dblclick();
    await page.locator(".view-line", { hasText: line }).first().waitFor({ timeout: 30000 });
  };
  await person.rewriteLine("type: integer");
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
  await person.rewriteLine("type: string");
  await go("one.widget.yaml", /size:\s*large/);
  await waitFor("the squiggle goes with the edit of the definition", async () => (await squiggles.count()) === 0);
}

module.exports = { findings };
