// Commands that show what `crd-analyzer` prints in a terminal, and lead to the CRD that checks a resource.
import { execFile } from "node:child_process";
import * as path from "node:path";
import { commands, EventEmitter, ExtensionContext, languages, Location, LocationLink, Position, TextDocument, Uri, ViewColumn, window, workspace } from "vscode";

/** Bytes of output that are shown. */
const MOST_OUTPUT = 16 * 1024 * 1024;
/** How long a command may run, in milliseconds. */
const PATIENCE = 60_000;

/** Registers the commands. `program`: the path of crd-analyzer. */
export function reports(id: string, context: ExtensionContext, program: () => string): void {
  const scheme = `${id}-report`;
  const texts = new Map<string, string>();
  const changed = new EventEmitter<Uri>();

  /** What the program prints, in the folder of the document. Its exit code says what it found: only a program that does not run is an error. */
  const run = (of: TextDocument | undefined, args: string[], input?: string) =>
    new Promise<string>((resolve, reject) => {
      const folder = of?.uri.scheme === "file" ? path.dirname(of.uri.fsPath) : workspace.workspaceFolders?.[0]?.uri.fsPath;
      const options = { cwd: folder, maxBuffer: MOST_OUTPUT, timeout: PATIENCE, env: { ...process.env, NO_COLOR: "1", COLUMNS: "110" } };
      const running = execFile(program(), args, options, (error, stdout, stderr) => {
        if (error && typeof error.code !== "number") {
          reject(error);
        } else {
          resolve([stdout, stderr].filter((it) => it.trim()).join("\n"));
        }
      });
      running.stdin?.on("error", () => undefined); // it may end before it has read everything
      running.stdin?.end(input ?? "");
    });

  /** Shows a report beside the editor. */
  const show = async (title: string, command: () => Promise<string>) => {
    const uri = Uri.from({ scheme, path: `/${title.replace(/[/\\]/g, "-")}.txt` });
    try {
      texts.set(uri.toString(), (await command()) || "crd-analyzer printed nothing\n");
    } catch (error) {
      void window.showErrorMessage(`CRD Analyzer cannot run ${program()}: ${error}`);
      return;
    }
    changed.fire(uri);
    const shown = await workspace.openTextDocument(uri);
    await window.showTextDocument(shown, { viewColumn: ViewColumn.Beside, preserveFocus: true, preview: true });
  };

  const active = () => window.activeTextEditor?.document;
  const nameOf = (it: TextDocument) => path.posix.basename(it.uri.path);

  /** The costs of the rules in the document, saved or not. */
  const showCosts = async () => {
    const document = active();
    if (document) {
      await show(`Costs of ${nameOf(document)}`, () => run(document, ["cost", "-"], document.getText()));
    }
  };

  /** What changed in the CRDs of the document since a git revision. */
  const compare = async () => {
    const document = active();
    if (document?.uri.scheme !== "file") {
      return;
    }
    const revision = await window.showInputBox({
      title: `Compare ${nameOf(document)} with a release`,
      prompt: "A tag, branch or commit, such as v1.4.0 or origin/main",
      value: workspace.getConfiguration(id, document.uri).get<string>("updateAgainst")?.replace(/^off$/, "") || "HEAD",
      validateInput: (it) => (/^[^\s:-][^\s:]*$/.test(it) ? undefined : "Write the name of a git revision."),
    });
    if (revision && (await document.save())) {
      const name = path.basename(document.uri.fsPath);
      await show(`${name} since ${revision}`, () => run(document, ["compat", `${revision}:./${name}`, name]));
    }
  };

  /** The page of a code or of an error. Codes at the cursor come first, then those of the document. */
  const explain = async () => {
    const document = active();
    const at = window.activeTextEditor?.selection.active;
    const ours = document ? languages.getDiagnostics(document.uri).filter((it) => it.source === id) : [];
    const nearest = [...ours.filter((it) => at && it.range.contains(at)), ...ours];
    const codes = nearest.map((it) => (typeof it.code === "object" ? String(it.code.value) : String(it.code)));
    const other = { label: "An error of the API server or kubectl…", description: "asks for its text" };
    const listed = [...new Set(codes)].map((label) => ({ label, description: ours.find((it) => codes[nearest.indexOf(it)] === label)?.message.split("\n")[0] }));
    const chosen = await window.showQuickPick([...listed, other], { title: "Explain a diagnostic or an error" });
    const asked = chosen === other ? await window.showInputBox({ title: "Explain an error", prompt: "Paste the text of the error" }) : chosen?.label;
    if (asked) {
      await show(`About ${asked.slice(0, 60)}`, () => run(document, ["explain", "--", asked]));
    }
  };

  /** The CRD of the resource at the cursor: that of the last `kind:` at or before it, or else the first one. */
  const goToCrd = async () => {
    const document = active();
    if (!document) {
      return;
    }
    const lines = document.getText().split("\n");
    const isKind = (line: string | undefined) => /^\s*"?kind"?\s*:/.test(line ?? "");
    const isEnd = (line: string | undefined) => /^---/.test(line ?? "");
    let first = window.activeTextEditor?.selection.active.line ?? 0;
    while (first > 0 && !isEnd(lines[first])) first -= 1;
    let line = isEnd(lines[first]) ? first + 1 : first;
    while (line < lines.length && !isKind(lines[line]) && !isEnd(lines[line])) line += 1;
    const column = Math.max(0, (lines[line] ?? "").trimEnd().length - 1);
    const found = isKind(lines[line])
      ? await commands.executeCommand<(Location | LocationLink)[]>("vscode.executeDefinitionProvider", document.uri, new Position(line, column))
      : [];
    const to = found.map((it) => ("targetUri" in it ? { uri: it.targetUri, range: it.targetSelectionRange ?? it.targetRange } : it));
    if (to.length === 0) {
      void window.showInformationMessage("No known CRD defines the object at the cursor.");
      return;
    }
    await window.showTextDocument(to[0].uri, { selection: to[0].range });
  };

  context.subscriptions.push(
    changed,
    workspace.registerTextDocumentContentProvider(scheme, { onDidChange: changed.event, provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? "" }),
    workspace.onDidCloseTextDocument((it) => void (it.uri.scheme === scheme && texts.delete(it.uri.toString()))),
    commands.registerCommand(`${id}.showCosts`, showCosts),
    commands.registerCommand(`${id}.compareWithRelease`, compare),
    commands.registerCommand(`${id}.explain`, explain),
    commands.registerCommand(`${id}.goToCrd`, goToCrd),
  );
}
