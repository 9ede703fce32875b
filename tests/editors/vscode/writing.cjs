// Writes a definition and a resource: repair, completion, hover, rename.
const { waitFor } = require("./workbench.cjs");
const { Person } = require("./person.cjs");

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

module.exports = { writing };
