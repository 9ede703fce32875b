// When the language server starts. A Go file alone starts it only in projects with API types, so that other Go projects cost nothing.
import { Disposable, ExtensionContext, TextDocument, window, workspace } from "vscode";
import { isOfApiTypes } from "./go";

/** The languages whose files always need the server. */
export const MANIFESTS = ["yaml", "json", "helm"];

/** Whether files in the folders of the workspace need the server before one of them is open. As the activation events of the extension. */
async function isNeededByFolders(): Promise<boolean> {
  const find = (glob: string) => workspace.findFiles(glob, undefined, 1);
  return (await find("PROJECT")).length > 0 || (await find("**/*.test.yaml")).length > 0;
}

/** Whether an open document needs the server. */
async function isNeededBy(document: TextDocument): Promise<boolean> {
  return MANIFESTS.includes(document.languageId) || (document.languageId === "go" && (await isOfApiTypes(document)));
}

/** Calls `start` once, as soon as something needs the server. Ends when that is known of what is open now. */
export async function whenNeeded(context: ExtensionContext, start: () => Promise<void>): Promise<void> {
  let isStarted = false;
  const startOnce = async () => {
    if (!isStarted) {
      isStarted = true;
      waiting.dispose();
      await start();
    }
  };
  const look = async (document: TextDocument) => ((await isNeededBy(document)) ? startOnce() : undefined);
  // A saved Go file may have its first marker.
  const waiting = Disposable.from(workspace.onDidOpenTextDocument((it) => void look(it)), workspace.onDidSaveTextDocument((it) => void look(it)));
  context.subscriptions.push(waiting);
  // The document in the editor comes first: the others may be many.
  const active = window.activeTextEditor?.document;
  const open = workspace.textDocuments.filter((it) => it !== active);
  for (const document of active ? [active, ...open] : open) {
    if (!isStarted) {
      await look(document);
    }
  }
  if (!isStarted && (await isNeededByFolders())) {
    await startOnce();
  }
}
