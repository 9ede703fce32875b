// Colors of rules as VS Code gives them: its own tokenizer and YAML grammar, and our injection.
//
//     node textmate.cjs VSCODE [--write]        VSCODE: the folder `lib/vscode` of an installation
//
// Compares with `rules.tokens.txt`, or writes it.
const fs = require("node:fs");
const path = require("node:path");

const [vscode, mode] = process.argv.slice(2);
const load = (name) => require(path.join(vscode, "node_modules", name));
const textmate = load("vscode-textmate");
const oniguruma = load("vscode-oniguruma");
const wasm = fs.readFileSync(path.join(vscode, "node_modules/vscode-oniguruma/release/onig.wasm"));
const root = path.join(__dirname, "../../..");

const files = {
  "source.cel": path.join(root, "syntaxes/cel.tmLanguage.json"),
  "yaml.cel.injection": path.join(root, "syntaxes/cel-in-yaml.tmLanguage.json"),
};
const yaml = path.join(vscode, "extensions/yaml/syntaxes");
for (const name of fs.readdirSync(yaml)) {
  files[JSON.parse(fs.readFileSync(path.join(yaml, name), "utf8")).scopeName] = path.join(yaml, name);
}

async function main() {
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) =>
      files[scope] && textmate.parseRawGrammar(fs.readFileSync(files[scope], "utf8"), files[scope]),
    getInjections: (scope) => (scope === "source.yaml" ? ["yaml.cel.injection"] : []),
  });
  const grammar = await registry.loadGrammar("source.yaml");
  const lines = fs.readFileSync(path.join(__dirname, "rules.yaml"), "utf8").split("\n");
  const out = [];
  let state = textmate.INITIAL;
  for (const line of lines) {
    const result = grammar.tokenizeLine(line, state);
    state = result.ruleStack;
    out.push(`> ${line}`.trimEnd());
    for (const token of result.tokens) {
      const text = line.slice(token.startIndex, token.endIndex);
      const own = token.scopes.filter((it) => it.endsWith(".cel"));
      if (own.length > 0 && text.trim() !== "") out.push(`  ${text.trim()}  ${own[own.length - 1]}`);
    }
  }
  const found = `${out.join("\n").trimEnd()}\n`;
  const expected = path.join(__dirname, "rules.tokens.txt");
  if (mode === "--write") return fs.writeFileSync(expected, found);
  if (fs.readFileSync(expected, "utf8") !== found) {
    console.error(found);
    throw new Error("the colors of rules.yaml are not those of rules.tokens.txt; if they are right, run this with --write");
  }
  console.log("colors of rules: as expected");
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
