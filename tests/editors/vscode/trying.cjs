// Tries rules on objects, makes tests of them, runs them and sees which objects fail a rule, in VS Code's workbench with default settings.
// usage: node trying.cjs CODE_SERVER_FOLDER VSIX FIXTURE_FOLDER OUT_FOLDER
const path = require("node:path");
const { inWorkbench, waitFor, finish } = require("./workbench.cjs");
const { Person } = require("./person.cjs");

const [install, vsix, fixture, out] = process.argv.slice(2).map((it) => path.resolve(it));
const crd = "autoscalers.crd.yaml";
const tests = "autoscalers.test.yaml";
const sampleOf = (n) => `autoscalers.example.com-spec-${n}`;

/** Opens the objects of a rule, and sees these hints beside them: line by line, with the text that they are beside. */
async function tries(person, shot, n, name, expected) {
  const { page } = person;
  await person.tab(crd);
  await person.lens("Try this rule").nth(n).click();
  await person.sees(`${name}: objects are shown`, page.locator(".tab.active", { hasText: sampleOf(n) }));
  for (const line of expected) await person.seeStart(`${name}: ${line}`, line);
  await shot(`try-${name}`);
  const [left, right] = await Promise.all([crd, sampleOf(n)].map((it) => page.locator(".tab", { hasText: it }).first().boundingBox()));
  if (left.x + left.width > right.x) throw new Error("the objects are not beside the rule");
}

async function tryRules(person, shot) {
  const { page } = person;
  await person.open(crd);
  await page.keyboard.press("Control+b");
  await person.go(45, 20);
  await waitFor("each rule has a lens", async () => (await person.lens("Try this rule").count()) === 3, 60);
  const accepted = "create: accepted";
  await tries(person, shot, 0, "plain", [accepted, "create: rejected by this rule: minReplicas is at most maxReplicas", "spec: true", "spec: false", "minReplicas: 1 └─ self.maxReplicas = 3"]);
  await tries(person, shot, 1, "fold", [accepted, "create: rejected by this rule: a metric has a name", "maxReplicas: 3 ├─ !has(self.metrics) = false", "target: 0 "]);
  await tries(person, shot, 2, "transition", ["update: accepted", "update: rejected by this rule: class never changes", "class: a ├─ !has(oldSelf.class) = false", "class: a"]);

  // The results follow the object and the rule.
  await person.tab(crd);
  await person.lens("Try this rule").nth(0).click();
  await person.sees("the first objects are shown again", page.locator(".tab.active", { hasText: sampleOf(0) }));
  await person.go(16, 30);
  await person.rewriteLine("maxReplicas: 5");
  await waitFor("the answer follows the object", async () => (await person.countStart("create: accepted")) === 2);
  await person.tab(crd);
  await person.go(45, 20);
  await person.rewriteLine("- rule: self.minReplicas > self.maxReplicas");
  await waitFor("the answer follows the rule", async () => (await person.countStart("create: rejected by this rule")) === 2);
  await person.rewriteLine("- rule: self.minReplicas <= self.maxReplicas");
  await waitFor("and again", async () => (await person.countStart("create: accepted")) === 2);
  await person.tab(sampleOf(0));
  await person.go(16, 30);
  await person.rewriteLine("maxReplicas: 0");
  await person.seeStart("the object is rejected again", "create: rejected by this rule");
}

async function makeTests(person, shot) {
  const { page } = person;
  for (const [n, line] of [[1, '- name: "spec: minReplicas is at most maxReplicas"'], [0, '- name: "spec: minReplicas is at most maxReplicas (accepted)"']]) {
    await person.tab(sampleOf(0));
    await person.lens("Make a test of this").nth(n).click();
    await person.sees("the test file is shown", page.locator(".tab.active", { hasText: tests }));
    await person.seeStart("a test is made", line);
  }
  await shot("try-tests");
  await waitFor("rules without a test are marked", async () => (await person.lens("no test makes this rule fail").count()) === 1 && (await person.lens("no test evaluates this rule").count()) === 1);
}

async function runTests(person, shot) {
  const { page } = person;
  const row = (text) => page.locator(".test-explorer .monaco-list-row", { hasText: text });
  await person.command("Testing: Focus on Test Explorer View");
  await person.sees("the file is listed", row(tests));
  await person.command("Test: Run All Tests");
  await person.sees("both pass", page.locator(".test-explorer", { hasText: "2/2" }));
  await person.sees("the output says so", page.locator(".panel", { hasText: /ok\s+spec: minReplicas is at most maxReplicas/ }));
  await shot("try-passed");

  // Expectations that are wrong, the difference at their place, and the answer instead of them.
  await person.tab(tests);
  await person.go(19, 20);
  await person.rewriteLine("expect: rejected");
  await person.go(13, 20);
  await person.rewriteLine("detail: minReplicas is too large");
  await person.command("Test: Run All Tests");
  await person.sees("both fail", page.locator(".test-explorer", { hasText: "0/2" }));
  await person.sees("they are marked in the margin", page.locator(".codicon-testing-failed-icon"));
  const messages = page.locator(".test-error-content-widget");
  await person.sees("the answer is at the expectation", messages.filter({ hasText: "accepted" }));
  await shot("try-failed");
  await messages.first().click();
  await person.sees("the difference is shown", page.locator(".zone-widget .monaco-diff-editor"));
  await page.waitForTimeout(1500);
  await shot("try-difference");
  await page.keyboard.press("Escape");
  for (const [name, line] of [["(accepted)", "    expect: accepted"], [/maxReplicas(\d|$)/, "          detail: minReplicas is at most maxReplicas"]]) {
    await person.attempts("Update the expectation", async () => {
      await page.keyboard.press("Escape");
      await row(name).first().click({ button: "right" });
      const item = page.locator(".monaco-menu .action-item", { hasText: "Update the expectation" }).first();
      await item.hover({ timeout: 3000 });
      await page.keyboard.press("Enter");
    });
    await person.seeLine("the expectation is updated", line);
  }
  await person.command("Test: Run All Tests");
  await person.sees("both pass again", page.locator(".test-explorer", { hasText: "2/2" }));
  await shot("try-updated");

  // A file that is no test file any more says why.
  await person.go(3, 1);
  await person.rewriteLine("test:");
  await person.command("Test: Run All Tests");
  await person.sees("a broken file is reported", page.locator(".test-explorer", { hasText: "did you mean `tests`?" }));
  await shot("try-broken");
  await person.rewriteLine("tests:");
}

async function failingObjects(person, shot) {
  const { page } = person;
  await page.keyboard.press("Control+j");
  await page.keyboard.press("Control+b");
  await person.tab(crd);
  await person.go(45, 20);
  await person.rewriteLine("- rule: self.minReplicas + 2 <= self.maxReplicas");
  const lens = person.lens("objects in the workspace");
  await waitFor("the objects that fail are counted", async () => (await lens.first().innerText()) === "1 of 6 objects in the workspace fails this rule");
  await shot("try-counted");
  await lens.first().click();
  await person.sees("they are listed", page.locator(".peekview-widget", { hasText: "autoscalers.yaml" }));
  await page.waitForTimeout(1000);
  await shot("try-failing");
}

finish(
  inWorkbench({ install, vsix, fixture, out, size: { width: 1400, height: 1000 } }, async (page, { shot }) => {
    const person = new Person(page);
    await tryRules(person, shot);
    await makeTests(person, shot);
    await runTests(person, shot);
    await failingObjects(person, shot);
  }),
);
