// What the meta-model's types cannot say: a server may only use what this very client has announced, and do only what it announced itself.

const { isDeepStrictEqual } = require("node:util");

const at = (object, path) => path.split(".").reduce((it, name) => it?.[name], object);

/** What a client has to take for commands of the server: most need nothing. */
const NEEDS = {
  "crd-analyzer.addBounds": "workspace.applyEdit",
  "crd-analyzer.makeTest": "workspace.applyEdit",
  "crd-analyzer.updateTests": "workspace.applyEdit",
  "crd-analyzer.showChange": "window.showDocument.support",
};
/** Commands that clients have themselves, and ask for. */
const OF_CLIENTS = new Set(["crd-analyzer.showEffectiveObject", "crd-analyzer.showFailingObjects"]);

/** Calls `visit` with each object and list within a value. */
function walk(value, visit, path = "") {
  if (typeof value !== "object" || value === null) return;
  visit(value, path);
  for (const [key, it] of Object.entries(value)) walk(it, visit, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`);
}

/** Capabilities of a client, with what the protocol assumes where nothing is said. */
class Announced {
  constructor(capabilities) {
    this.capabilities = capabilities;
    this.encoding = "utf-16";
  }

  has(path) {
    return at(this.capabilities, path);
  }

  /** What is wrong with the answer to `initialize`. */
  initialize(result) {
    const found = [];
    const server = result.capabilities;
    this.server = server;
    const encodings = this.has("general.positionEncodings") ?? ["utf-16"];
    this.encoding = server.positionEncoding ?? "utf-16";
    if (!encodings.includes(this.encoding)) found.push(`columns in ${this.encoding}, which the client does not know`);
    // A provider is of no use to a client that does not know of it.
    const needs = {
      diagnosticProvider: "textDocument.diagnostic",
      inlayHintProvider: "textDocument.inlayHint",
      codeLensProvider: "textDocument.codeLens",
    };
    for (const [provider, capability] of Object.entries(needs)) {
      if (server[provider] && !this.has(capability)) found.push(`offers ${provider} without the client's ${capability}`);
    }
    for (const command of this.commands()) {
      const capability = NEEDS[command];
      if (capability && !this.has(capability)) found.push(`offers the command ${command} without the client's ${capability}`);
    }
    if (typeof server.renameProvider === "object" && !this.has("textDocument.rename.prepareSupport")) found.push("rename options without prepareSupport");
    if (typeof server.codeActionProvider === "object" && !this.has("textDocument.codeAction.codeActionLiteralSupport")) found.push("code action kinds without codeActionLiteralSupport");
    return found;
  }

  /** The commands that the server runs. */
  commands() {
    return this.server.executeCommandProvider?.commands ?? [];
  }

  /** What is wrong with a command of a lens or an action: somebody has to run it. */
  command(command) {
    if (!command?.command || this.commands().includes(command.command) || OF_CLIENTS.has(command.command)) return [];
    return [`the command ${command.command}, which nobody runs`];
  }

  /** What is wrong with a request or notification from the server. */
  fromServer({ method, params }) {
    const needs = {
      "window/workDoneProgress/create": "window.workDoneProgress",
      "workspace/configuration": "workspace.configuration",
      "workspace/applyEdit": "workspace.applyEdit",
      "workspace/diagnostic/refresh": "workspace.diagnostics.refreshSupport",
      "workspace/codeLens/refresh": "workspace.codeLens.refreshSupport",
      "workspace/inlayHint/refresh": "workspace.inlayHint.refreshSupport",
      "workspace/semanticTokens/refresh": "workspace.semanticTokens.refreshSupport",
    };
    const found = [];
    if (needs[method] && !this.has(needs[method])) found.push(`sends ${method} without the client's ${needs[method]}`);
    if (method === "client/registerCapability") {
      for (const it of params.registrations) {
        const [scope, word] = it.method.split("/");
        const name = ["didOpen", "didChange", "didClose"].includes(word) && scope === "textDocument" ? "synchronization" : word;
        if (!this.has(`${scope}.${name}.dynamicRegistration`)) found.push(`registers ${it.method}, which the client does not take`);
      }
    }
    if (method === "textDocument/publishDiagnostics") {
      if (this.server.diagnosticProvider) found.push("sends diagnostics to a client that pulls them");
      found.push(...this.diagnostics(params.diagnostics));
    }
    if (method === "workspace/applyEdit") found.push(...this.edit(params.edit));
    return found;
  }

  /** What is wrong with a result. */
  result(method, result, params) {
    if (result === null || result === undefined) return [];
    const rule = {
      "textDocument/completion": () => this.completion(Array.isArray(result) ? result : result.items),
      "completionItem/resolve": () => this.completion([result], params),
      "textDocument/hover": () => this.markup(result.contents, "textDocument.hover.contentFormat"),
      "textDocument/signatureHelp": () => this.signatures(result),
      "textDocument/codeAction": () => this.actions(result, params),
      "textDocument/codeLens": () => result.flatMap((it) => this.command(it.command)),
      "textDocument/rename": () => this.edit(result),
      "textDocument/documentSymbol": () => this.symbols(result),
      "textDocument/definition": () => this.links(result, "textDocument.definition.linkSupport"),
      "textDocument/diagnostic": () => this.diagnostics(result.items ?? []),
      "workspace/diagnostic": () => result.items.flatMap((it) => this.diagnostics(it.items ?? [])),
      "textDocument/foldingRange": () => this.folds(result),
      "textDocument/semanticTokens/full": () => this.tokens(result),
      "textDocument/semanticTokens/range": () => this.tokens(result),
      "textDocument/selectionRange": () => this.selections(result, params),
    }[method];
    return rule?.() ?? [];
  }

  completion(items, asked) {
    const can = (path) => this.has(`textDocument.completion.completionItem.${path}`);
    const found = [];
    const needs = { commitCharacters: "commitCharactersSupport", labelDetails: "labelDetailsSupport", preselect: "preselectSupport", deprecated: "deprecatedSupport" };
    // With a list of kinds a client copes with any; without one it knows the first eighteen.
    const copes = this.has("textDocument.completion.completionItemKind.valueSet");
    for (const item of items) {
      for (const [property, capability] of Object.entries(needs)) {
        if (property in item && !can(capability)) found.push(`an item's ${property} without ${capability}`);
      }
      if (item.insertTextFormat === 2 && !can("snippetSupport")) found.push("a snippet without snippetSupport");
      if (item.textEdit && "insert" in item.textEdit && !can("insertReplaceSupport")) found.push("two ranges without insertReplaceSupport");
      if (item.insertTextMode && !can("insertTextModeSupport.valueSet")?.includes(item.insertTextMode)) found.push(`insertTextMode ${item.insertTextMode}`);
      for (const tag of item.tags ?? []) if (!can("tagSupport.valueSet")?.includes(tag)) found.push(`an item's tag ${tag}`);
      if (item.kind > 18 && !copes) found.push(`an item of kind ${item.kind}, which the client does not know`);
      if (typeof item.documentation === "object") found.push(...this.markup(item.documentation, "textDocument.completion.completionItem.documentationFormat"));
      const range = item.textEdit?.replace ?? item.textEdit?.range;
      if (range && range.start.line !== range.end.line) found.push(`the edit of item ${item.label} is over lines`);
    }
    if (asked) {
      // What is added later must be what the client lets come later.
      const later = can("resolveSupport.properties") ?? [];
      for (const [property, value] of Object.entries(items[0])) {
        if (!isDeepStrictEqual(asked[property], value) && !later.includes(property)) found.push(`resolves ${property}, which has to come at once`);
      }
    }
    return found;
  }

  markup(contents, formats) {
    const known = this.has(formats) ?? ["plaintext"];
    return contents.kind && !known.includes(contents.kind) ? [`${contents.kind} for a client of ${known}`] : [];
  }

  signatures(help) {
    const found = [];
    const information = "textDocument.signatureHelp.signatureInformation";
    for (const it of help.signatures) {
      if ("activeParameter" in it && !this.has(`${information}.activeParameterSupport`)) found.push("a signature's activeParameter without activeParameterSupport");
      for (const parameter of it.parameters ?? []) {
        const offsets = Array.isArray(parameter.label);
        if (offsets && !this.has(`${information}.parameterInformation.labelOffsetSupport`)) found.push("places of parameters without labelOffsetSupport");
        if (!offsets && !it.label.includes(parameter.label)) found.push(`parameter ${parameter.label} is not in ${it.label}`);
      }
      if (it.documentation?.kind) found.push(...this.markup(it.documentation, `${information}.documentationFormat`));
    }
    return found;
  }

  actions(actions, params) {
    const found = [];
    const literals = this.has("textDocument.codeAction.codeActionLiteralSupport");
    const only = params.context.only;
    const offered = this.server.codeActionProvider.codeActionKinds ?? [];
    const covers = (kind, wanted) => wanted === "" || kind === wanted || kind.startsWith(`${wanted}.`);
    for (const it of actions) {
      if (typeof it.command === "string") {
        found.push(...this.command(it)); // every client takes a command
        continue;
      }
      if (!literals) found.push("an action without codeActionLiteralSupport");
      if ("isPreferred" in it && !this.has("textDocument.codeAction.isPreferredSupport")) found.push("isPreferred without isPreferredSupport");
      if ("disabled" in it && !this.has("textDocument.codeAction.disabledSupport")) found.push("disabled without disabledSupport");
      if ("data" in it && !this.has("textDocument.codeAction.dataSupport")) found.push("an action's data without dataSupport");
      if (!offered.some((kind) => covers(it.kind, kind))) found.push(`an action of kind ${it.kind}, which is not announced`);
      if (only?.length && !only.some((wanted) => covers(it.kind, wanted))) found.push(`an action of kind ${it.kind} for who wants ${only}`);
      if (it.edit) found.push(...this.edit(it.edit));
      found.push(...this.diagnostics(it.diagnostics ?? []));
    }
    return found;
  }

  edit(edit) {
    const found = [];
    if ("documentChanges" in edit && !this.has("workspace.workspaceEdit.documentChanges")) found.push("documentChanges, which the client does not take");
    if ("changeAnnotations" in edit && !this.has("workspace.workspaceEdit.changeAnnotationSupport")) found.push("changeAnnotations without changeAnnotationSupport");
    for (const it of edit.documentChanges ?? []) {
      if (it.kind && !this.has("workspace.workspaceEdit.resourceOperations")?.includes(it.kind)) found.push(`${it.kind} of a file, which the client does not take`);
    }
    const lists = [...(edit.documentChanges ?? []).map((it) => it.edits ?? []), ...Object.values(edit.changes ?? {})];
    for (const edits of lists) found.push(...overlaps(edits.map((it) => it.range)));
    return found;
  }

  symbols(symbols) {
    const found = [];
    const copes = this.has("textDocument.documentSymbol.symbolKind.valueSet");
    const nested = this.has("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport");
    walk(symbols, (it) => {
      if (!("kind" in it && "name" in it)) return;
      if (it.kind > 18 && !copes) found.push(`a symbol of kind ${it.kind}, which the client does not know`);
      if ("selectionRange" in it) {
        if (!nested) found.push("nested symbols without hierarchicalDocumentSymbolSupport");
        if (!within(it.selectionRange, it.range)) found.push(`the selectionRange of ${it.name} is not in its range`);
      }
      if (it.name.trim() === "") found.push("a symbol without a name");
      if (it.tags && !this.has("textDocument.documentSymbol.tagSupport")) found.push("a symbol's tags without tagSupport");
    });
    return found;
  }

  links(result, capability) {
    const isLink = [result].flat().some((it) => "targetUri" in it);
    return isLink && !this.has(capability) ? [`links without ${capability}`] : [];
  }

  diagnostics(list) {
    const found = [];
    const publish = this.has("textDocument.publishDiagnostics");
    // A client that only pulls need not say what published lists may hold.
    const can = (name) => (publish ? publish[name] : this.has("textDocument.diagnostic"));
    for (const it of list) {
      if (it.relatedInformation && !can("relatedInformation")) found.push("relatedInformation, which the client does not show");
      if (it.codeDescription && !can("codeDescriptionSupport")) found.push("codeDescription without codeDescriptionSupport");
      if ("data" in it && !can("dataSupport")) found.push("a diagnostic's data without dataSupport");
      for (const tag of it.tags ?? []) {
        const known = publish ? publish.tagSupport?.valueSet : [1, 2];
        if (!known?.includes(tag)) found.push(`a diagnostic's tag ${tag}`);
      }
      if (it.source === undefined || it.severity === undefined) found.push("a diagnostic without source or severity");
    }
    return found;
  }

  folds(list) {
    const found = [];
    const limit = this.has("textDocument.foldingRange.rangeLimit");
    if (limit && list.length > limit) found.push(`${list.length} folds for a client of ${limit}`);
    const kinds = this.has("textDocument.foldingRange.foldingRangeKind.valueSet");
    for (const it of list) {
      if (it.kind && kinds && !kinds.includes(it.kind)) found.push(`a fold of kind ${it.kind}`);
      if (it.endLine <= it.startLine) found.push(`a fold from ${it.startLine} to ${it.endLine}`);
      if (it.collapsedText && !this.has("textDocument.foldingRange.foldingRange.collapsedText")) found.push("collapsedText, which the client does not show");
    }
    return found;
  }

  tokens({ data, resultId }) {
    const found = [];
    const legend = this.server.semanticTokensProvider.legend;
    const known = this.has("textDocument.semanticTokens.tokenTypes");
    if (resultId !== undefined && !this.server.semanticTokensProvider.full?.delta) found.push("a resultId without deltas");
    if (data.length % 5 !== 0) found.push(`${data.length} numbers of tokens`);
    let end = 0;
    for (let i = 0; i + 4 < data.length; i += 5) {
      const [line, start, length, type, modifiers] = data.slice(i, i + 5);
      const name = legend.tokenTypes[type];
      if (name === undefined) found.push(`a token of type ${type}, which is not in the legend`);
      // A client ignores what it does not know, so that is no fault, but of no use.
      else if (known && known.length > 0 && !known.includes(name)) found.push(`tokens of type ${name}, which the client does not know`);
      if (modifiers >= 2 ** legend.tokenModifiers.length) found.push(`modifiers ${modifiers}`);
      if (length === 0) found.push("an empty token");
      if (i > 0 && line === 0 && start < end && !this.has("textDocument.semanticTokens.overlappingTokenSupport")) found.push("tokens that overlap");
      end = length;
    }
    return found;
  }

  selections(list, params) {
    const found = [];
    if (list.length !== params.positions.length) found.push(`${list.length} selections for ${params.positions.length} positions`);
    for (const it of list) {
      for (let inner = it; inner.parent; inner = inner.parent) if (!within(inner.range, inner.parent.range)) found.push("a selection that is not in its parent");
    }
    return found;
  }
}

const before = (a, b) => a.line < b.line || (a.line === b.line && a.character <= b.character);
const within = (inner, outer) => before(outer.start, inner.start) && before(inner.end, outer.end);

function overlaps(ranges) {
  const sorted = [...ranges].sort((a, b) => (before(a.start, b.start) ? -1 : 1));
  const bad = sorted.some((it, i) => i > 0 && !before(sorted[i - 1].end, it.start));
  return bad ? ["edits that overlap"] : [];
}

module.exports = { Announced };
