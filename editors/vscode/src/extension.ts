// The client is thin on purpose: it finds the server, starts it, and passes settings on. Everything else is the server's.
import { createWriteStream, existsSync } from "node:fs";
import * as path from "node:path";
import { CancellationTokenSource, commands, EventEmitter, ExtensionContext, LogOutputChannel, OutputChannel, Uri, ViewColumn, window, workspace } from "vscode";
import type { Location, Middleware, Range } from "vscode-languageclient/node";
import { CloseAction, CloseHandlerResult, ErrorAction, LanguageClient, LanguageClientOptions, ServerOptions, TransportKind } from "vscode-languageclient/node";
import { enterRules } from "./enter";
import { reports } from "./reports";
import { MANIFESTS, whenNeeded } from "./start";
import { statusItem } from "./status";
import { testView } from "./tests";

const ID = "crd-analyzer";
let client: LanguageClient | undefined;
/** It stays when the server is restarted. */
let output: LogOutputChannel;
let stateChanged = () => {};
let listTests = () => {};

/** The server of the settings, or the one that came with the extension, or else the one on the path. */
function serverPath(context: ExtensionContext): string {
  const configured = workspace.getConfiguration(ID).get<string>("server.path")?.trim();
  if (configured) {
    return configured;
  }
  const name = process.platform === "win32" ? `${ID}.exe` : ID;
  const bundled = path.join(Uri.joinPath(context.extensionUri, "server").fsPath, name);
  return existsSync(bundled) ? bundled : name;
}

/** Crashes in a short time, after which the user decides. */
const CRASHES = 3;
const SHORT = 3 * 60 * 1000;
const crashes: number[] = [];

/** Starts a crashed server again, a few times. */
function crashed(): CloseHandlerResult {
  const now = Date.now();
  crashes.push(now);
  const many = crashes.filter((it) => now - it < SHORT).length > CRASHES;
  output.error(`the language server has ended${many ? ` ${CRASHES + 1} times in 3 minutes, and is not started again` : ", and is started again"}`);
  if (!many) {
    return { action: CloseAction.Restart, handled: true };
  }
  void window.showErrorMessage("CRD Analyzer crashed several times and was stopped.", "Restart", "Show log").then((choice) => {
    if (choice) {
      crashes.length = 0;
      void commands.executeCommand(choice === "Restart" ? `${ID}.restart` : `${ID}.showOutput`);
    }
  });
  return { action: CloseAction.DoNotRestart, handled: true };
}

/** Shows a document. A file with objects to try a rule on comes beside the rule, so that both can be edited. */
const showDocument: NonNullable<NonNullable<Middleware["window"]>["showDocument"]> = async (shown, next) => {
  const uri = Uri.parse(shown.uri);
  if (uri.scheme !== "file" || !uri.path.includes(`/${ID}/samples/`)) {
    const answer = await next(shown, new CancellationTokenSource().token);
    return "success" in answer ? answer : { success: false };
  }
  await window.showTextDocument(await workspace.openTextDocument(uri), { viewColumn: ViewColumn.Beside });
  return { success: true };
};

/** Where messages between the editor and the language server are logged: the output, or a file of the settings that they are added to. */
function traceChannel(): OutputChannel {
  const file = workspace.getConfiguration(ID).get<string>("trace.file")?.trim();
  if (!file) {
    return output;
  }
  const stream = createWriteStream(file, { flags: "a", mode: 0o600 });
  stream.on("error", (error) => output.error(`${file} cannot be written: ${error}`));
  const nothing = () => undefined;
  const append = (text: string) => void stream.write(text);
  const appendLine = (text: string) => append(`${text}\n`);
  const show = () => output.show();
  return { name: file, append, appendLine, replace: append, clear: nothing, show, hide: nothing, dispose: () => stream.end() };
}

function newClient(context: ExtensionContext): LanguageClient {
  const run = { command: serverPath(context), args: ["lsp"], transport: TransportKind.stdio };
  const server: ServerOptions = { run, debug: run };
  const options: LanguageClientOptions = {
    documentSelector: MANIFESTS.flatMap((language) => [
      { language, scheme: "file" },
      { language, scheme: "untitled" },
    ]),
    synchronize: { configurationSection: ID },
    outputChannel: output,
    traceOutputChannel: traceChannel(),
    middleware: { window: { showDocument } },
    errorHandler: { error: () => ({ action: ErrorAction.Continue }), closed: crashed },
    initializationOptions: {
      // Some of what the server offers depends on its settings. Whether the folder is trusted is not one: a folder has settings of its own.
      [ID]: workspace.getConfiguration(ID),
      trusted: workspace.isTrusted,
      // VS Code can show the next list by a command, offers words of open files where a server offers nothing, and makes the text of a
      // place in a snippet from that of another. The extension has the commands that show an effective object, and the objects that fail a rule, and a
      // view of tests. A message may have lines.
      client: { triggerSuggest: true, offersWords: true, snippetTransforms: true, showEffectiveObject: true, showFailingObjects: true, showTests: true, messageLines: true },
    },
  };
  return new LanguageClient(ID, "CRD Analyzer", server, options);
}

async function start(context: ExtensionContext): Promise<void> {
  const starting = newClient(context);
  client = starting;
  starting.onDidChangeState(() => stateChanged());
  output.info(`starting ${serverPath(context)}`);
  try {
    await starting.start();
    const info = starting.initializeResult?.serverInfo;
    output.info(`${info?.name} ${info?.version} runs`);
    listTests();
  } catch (error) {
    output.error(`${serverPath(context)} does not start: ${error}`);
    const choice = await window.showErrorMessage(
      `CRD Analyzer cannot start ${serverPath(context)}: ${error}. Install crd-analyzer, set "crd-analyzer.server.path", or install the extension of your platform.`,
      "Open settings",
      "Show log",
    );
    if (choice === "Show log") {
      output.show();
    } else if (choice) {
      await commands.executeCommand("workbench.action.openSettings", `${ID}.server.path`);
    }
  }
}

async function stop(): Promise<void> {
  const stopping = client;
  client = undefined;
  // A server that never came up cannot be stopped; there is nothing left to do about it.
  await stopping?.dispose().catch(() => undefined);
}

const EFFECTIVE = `${ID}-effective`;

/** What the language server says of an object as it is stored. */
interface EffectiveObject {
  text: string;
  kubernetes: string;
  overlay: string | null;
  overlays: string[];
}

/** An object, and who builds it. */
interface Of {
  source: string;
  line?: number;
  overlay?: string;
}

function askEffective({ source, line, overlay }: Of): Promise<EffectiveObject | null | undefined> {
  const at = { textDocument: { uri: source }, position: { line: line ?? 0, character: 0 }, overlay };
  return Promise.resolve(client?.sendRequest<EffectiveObject | null>(`${ID}/effectiveObject`, at));
}

/** Shows what the server makes of the resource at the cursor, beside it, and again whenever a document changes. */
function effectiveObjects(context: ExtensionContext): void {
  const changed = new EventEmitter<Uri>();
  const shown = () => workspace.textDocuments.filter((it) => it.uri.scheme === EFFECTIVE).map((it) => it.uri);
  const provideTextDocumentContent = async (uri: Uri) => {
    const found = await askEffective(JSON.parse(uri.query) as Of);
    if (!found) {
      return "# no custom resource with a known CRD is here\n";
    }
    const where = found.overlay === "." ? "the folder of this file" : found.overlay;
    const built = where ? `, as built in ${where}` : "";
    return `# as Kubernetes ${found.kubernetes} reads it${built}\n${found.text}`;
  };
  const document = (of: Of) =>
    Uri.from({ scheme: EFFECTIVE, path: `${Uri.parse(of.source).path}.effective.yaml`, query: JSON.stringify(of) });
  // A lens says which resource it is of. The button in the title and the palette mean the one at the cursor.
  const chosen = (of?: { uri: unknown; line?: unknown }): Of | undefined => {
    const editor = window.activeTextEditor;
    const isOfLens = typeof of?.uri === "string" && typeof of.line === "number";
    const source = isOfLens ? Uri.parse(of.uri as string) : editor?.document.uri;
    if (!source || source.scheme === EFFECTIVE) {
      return undefined;
    }
    return { source: source.toString(), line: isOfLens ? (of.line as number) : editor?.selection.active.line };
  };
  const pick = (overlays: string[], placeHolder: string) => window.showQuickPick(overlays, { placeHolder });
  const show = async (of?: { uri: unknown; line?: unknown }) => {
    const asked = chosen(of);
    if (!asked) {
      return;
    }
    const overlays = (await askEffective(asked))?.overlays ?? [];
    if (overlays.length > 1) {
      asked.overlay = await pick(overlays, "Show the object as it is built for…");
      if (!asked.overlay) {
        return;
      }
    }
    const options = { viewColumn: ViewColumn.Beside, preserveFocus: true, preview: true };
    await window.showTextDocument(await workspace.openTextDocument(document(asked)), options);
  };
  const compare = async () => {
    const asked = chosen();
    const overlays = (asked && (await askEffective(asked))?.overlays) ?? [];
    if (!asked || overlays.length < 2) {
      window.showInformationMessage("No two kustomizations build the object at the cursor.");
      return;
    }
    const one = await pick(overlays, "Compare the object as it is built for…");
    const other = one && (await pick(overlays.filter((it) => it !== one), `Compare ${one} with…`));
    if (one && other) {
      const [left, right] = [one, other].map((overlay) => document({ ...asked, overlay }));
      await commands.executeCommand("vscode.diff", left, right, `${one} ↔ ${other}`);
    }
  };
  context.subscriptions.push(
    changed,
    workspace.registerTextDocumentContentProvider(EFFECTIVE, { onDidChange: changed.event, provideTextDocumentContent }),
    workspace.onDidChangeTextDocument((it) => (it.document.uri.scheme === EFFECTIVE ? undefined : shown().forEach((uri) => changed.fire(uri)))),
    commands.registerCommand(`${ID}.showEffectiveObject`, show),
    commands.registerCommand(`${ID}.compareEffectiveObjects`, compare),
  );
}

/** Lists the objects that fail the rule or bound of a lens, as the references of it. */
async function showFailingObjects(of: { uri: string; range: Range }): Promise<void> {
  const running = client;
  const found = await running?.sendRequest<Location[]>("workspace/executeCommand", { command: `${ID}.failingObjects`, arguments: [of] });
  if (running && found) {
    const { asLocation, asPosition, asUri } = running.protocol2CodeConverter;
    const places = found.map((it) => asLocation(it));
    await commands.executeCommand("editor.action.showReferences", asUri(of.uri), asPosition(of.range.start), places);
  }
}

export async function activate(context: ExtensionContext): Promise<void> {
  output = window.createOutputChannel("CRD Analyzer", { log: true });
  context.subscriptions.push(output, enterRules());
  stateChanged = statusItem(ID, context, () => client);
  listTests = testView(ID, context, () => client);
  const restart = async () => {
    await stop();
    await start(context);
  };
  context.subscriptions.push(
    commands.registerCommand(`${ID}.restart`, restart),
    commands.registerCommand(`${ID}.showFailingObjects`, showFailingObjects),
    commands.registerCommand(`${ID}.showOutput`, () => output.show()),
    workspace.onDidChangeConfiguration((change) =>
      ["server.path", "features", "trace.file"].some((it) => change.affectsConfiguration(`${ID}.${it}`)) && client ? restart() : undefined,
    ),
  );
  context.subscriptions.push(workspace.onDidGrantWorkspaceTrust(() => client?.sendNotification(`${ID}/trustGranted`, {})));
  effectiveObjects(context);
  reports(ID, context, () => serverPath(context));
  // A command may have started it in the meantime.
  await whenNeeded(context, async () => (client ? undefined : start(context)));
}

export function deactivate(): Promise<void> {
  return stop();
}
