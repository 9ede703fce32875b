// The client is thin on purpose: it finds the server, starts it, and passes settings on. Everything else is the server's.
import * as path from "node:path";
import { commands, ExtensionContext, Uri, window, workspace } from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions, TransportKind } from "vscode-languageclient/node";

const ID = "crd-analyzer";
let client: LanguageClient | undefined;

/** The server of the settings, or the one that came with the extension. */
function serverPath(context: ExtensionContext): string {
  const configured = workspace.getConfiguration(ID).get<string>("server.path")?.trim();
  if (configured) {
    return configured;
  }
  const name = process.platform === "win32" ? `${ID}.exe` : ID;
  return path.join(Uri.joinPath(context.extensionUri, "server").fsPath, name);
}

function newClient(context: ExtensionContext): LanguageClient {
  const run = { command: serverPath(context), args: ["lsp"], transport: TransportKind.stdio };
  const server: ServerOptions = { run, debug: run };
  const options: LanguageClientOptions = {
    documentSelector: ["yaml", "json", "helm"].flatMap((language) => [
      { language, scheme: "file" },
      { language, scheme: "untitled" },
    ]),
    synchronize: { configurationSection: ID },
  };
  return new LanguageClient(ID, "CRD Analyzer", server, options);
}

async function start(context: ExtensionContext): Promise<void> {
  client = newClient(context);
  try {
    await client.start();
  } catch (error) {
    const choice = await window.showErrorMessage(
      `CRD Analyzer cannot start ${serverPath(context)}: ${error}. Set "crd-analyzer.server.path", or install the extension of your platform.`,
      "Open settings",
    );
    if (choice) {
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

export async function activate(context: ExtensionContext): Promise<void> {
  const restart = async () => {
    await stop();
    await start(context);
  };
  context.subscriptions.push(
    commands.registerCommand(`${ID}.restart`, restart),
    commands.registerCommand(`${ID}.showOutput`, () => client?.outputChannel.show()),
    workspace.onDidChangeConfiguration((change) => (change.affectsConfiguration(`${ID}.server.path`) ? restart() : undefined)),
  );
  await start(context);
}

export function deactivate(): Promise<void> {
  return stop();
}
