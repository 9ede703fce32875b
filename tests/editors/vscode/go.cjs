// Writes kubebuilder markers in VS Code's workbench with the packaged extension and default settings, as a person does.
// usage: node go.cjs CODE_SERVER_FOLDER VSIX FIXTURE_FOLDER OUT_FOLDER
const path = require("node:path");
const { inWorkbench, waitFor, finish, ok } = require("./workbench.cjs");
const { Person } = require("./person.cjs");

const [install, vsix, fixture, out] = process.argv.slice(2).map((it) => path.resolve(it));
const marker = "// +kubebuilder:validation:XValidation:rule=";
/** VS Code's default: if a list of values has no item, words of the file are offered. */
const more = { "editor.wordBasedSuggestions": undefined };
finish(
  inWorkbench({ install, vsix, fixture, out, size: { width: 1200, height: 640 }, more }, async (page, { shot }) => {
    const person = new Person(page);
    const squiggles = page.locator(".squiggly-error");
    await person.open("order_types.go");
    await page.keyboard.press("Control+b");
    await waitFor("the language is Go", async () => (await page.locator("#status\\.editor\\.mode", { hasText: "Go" }).count()) > 0);
    await person.go(6, 1);

    // A rule that names a field which is not there.
    await person.rewriteLine(`${marker}"self.prise <= self.limit",message="the price is over the limit"`);
    await waitFor("the rule is marked", async () => (await squiggles.count()) === 1);
    await person.go(6, 52);
    await person.hover("the marker is explained", "`prise` is not a property of `spec`, did you mean `price`?");
    await shot("go-finding");
    await person.fix("Change prise to price");
    await person.seeLine("the rule is repaired", `${marker}"self.price <= self.limit",message="the price is over the limit"`);
    await person.seeNoFinding("nothing is marked");
    ok("a rule is repaired inside its string");

    // A field is completed with its type.
    await person.go(6, 60);
    await page.keyboard.type("0 + self.", { delay: 30 });
    await person.complete("price");
    await person.seeLine("the field is written", `${marker}"self.price <= 0 + self.priceself.limit",message="the price is over the limit"`);
    await person.rewriteLine(`${marker}"self.tags.all(a, self.tags.exists(b, a == b))"`);

    // A rule that costs too much gets the bound that fits, as a marker of the field.
    await waitFor("the cost is marked", async () => (await squiggles.count()) > 0);
    await waitFor("the cost is shown", async () => (await page.locator(".codelens-decoration", { hasText: "over the limit" }).count()) > 0);
    await page.keyboard.press("Home");
    await page.waitForTimeout(500);
    await shot("go");
    await person.go(6, 60);
    await person.fix("Add maxItems");
    await waitFor("the bound is a marker", async () => (await person.lines()).some((it) => it.trim().startsWith("// +kubebuilder:validation:MaxItems=")));
    await person.seeNoFinding("nothing is marked");
    ok("a bound is written as a marker");

    // After a marker that takes any number, Enter inserts no word of the file. Line 10 is blank.
    await person.go(10, 1);
    await page.keyboard.type("    // +kubebuilder:validation:Multiple", { delay: 30 });
    await person.complete("kubebuilder:validation:MultipleOf");
    await page.waitForTimeout(1000);
    await page.keyboard.press("Enter");
    await person.seeLine("the marker stays as it is", "    // +kubebuilder:validation:MultipleOf=");
    ok("no word is inserted");
  }),
);
