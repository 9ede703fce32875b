// What the language server is doing, in the status bar: the Kubernetes versions that count, the CRDs it knows, and what can be done about it.
import { commands, ExtensionContext, LanguageStatusSeverity, languages, StatusBarAlignment, window, workspace } from "vscode";
import { LanguageClient, State } from "vscode-languageclient/node";

interface Known {
  kubernetes: string;
  definitions: number;
  fromCluster: number;
  isKnown: boolean;
  objects: ObjectRole[];
}

/** What an object is to the repository, and what checks it. */
interface ObjectRole {
  kind: string;
  name: string;
  line: number;
  role: string;
  reason: string;
  checkedBy: { file: string; reason: string } | null;
}

/** Objects that the tooltip lists. */
const MOST_OBJECTS = 5;

/** The role of the object that the cursor is in, and of those after it. */
function roles(objects: ObjectRole[], line: number): string[] {
  const at = Math.max(0, objects.filter((it) => it.line <= line).length - 1);
  const listed = objects.slice(at, at + MOST_OBJECTS).map((it) => {
    const by = it.checkedBy ? ` Checked by ${it.checkedBy.file}: ${it.checkedBy.reason}.` : "";
    return `${it.kind} ${it.name}: ${it.role} (${it.reason}).${by}`;
  });
  const others = objects.length - listed.length;
  return others > 0 ? [...listed, `${others} more objects`] : listed;
}

/** Shows the state of a client that may be another one later. */
export function statusItem(id: string, context: ExtensionContext, client: () => LanguageClient | undefined): () => void {
  const item = window.createStatusBarItem(`${id}.status`, StatusBarAlignment.Right, 90);
  item.name = "CRD Analyzer";
  item.command = `${id}.menu`;
  // Only Go files of modules with API types are known to the server.
  const languagesOfManifests = ["yaml", "json", "helm", "go"];
  const problem = languages.createLanguageStatusItem(`${id}.problem`, languagesOfManifests);
  problem.name = "CRD Analyzer";
  problem.command = { command: `${id}.restart`, title: "Restart" };

  const update = async () => {
    const document = window.activeTextEditor?.document;
    if (!document || !languagesOfManifests.includes(document.languageId)) {
      item.hide();
      return;
    }
    const running = client();
    if (running?.state !== State.Running && document.languageId === "go") {
      item.hide();
      return;
    }
    if (running?.state !== State.Running) {
      const starts = running?.state === State.Starting;
      item.text = starts ? "$(sync~spin) CRD" : "$(error) CRD";
      item.tooltip = starts ? "CRD Analyzer starts" : "CRD Analyzer does not run. Click to restart it or to see its log.";
      problem.text = starts ? "CRD Analyzer starts" : "CRD Analyzer does not run";
      problem.severity = starts ? LanguageStatusSeverity.Information : LanguageStatusSeverity.Error;
      item.show();
      return;
    }
    const params = { textDocument: { uri: document.uri.toString() } };
    const known = await running.sendRequest<Known | null>(`${id}/status`, params).catch((error) => {
      item.tooltip = `${error}`;
      return null;
    });
    if (window.activeTextEditor?.document !== document) {
      return;
    }
    if (!known && document.languageId === "go") {
      item.hide();
      return;
    }
    if (!known) {
      // The server does not have the document yet, or no longer.
      item.text = "CRD";
      item.show();
      return;
    }
    void commands.executeCommand("setContext", `${id}.isKnown`, known.isKnown);
    const crds = known.definitions === 1 ? "1 CRD" : `${known.definitions} CRDs`;
    const cluster = known.fromCluster ? `, ${known.fromCluster} of them from the cluster` : "";
    item.text = `CRD ${known.kubernetes} · ${crds}`;
    const summary = `Checked for Kubernetes ${known.kubernetes}. ${crds} known${cluster}.`;
    const line = window.activeTextEditor?.selection.active.line ?? 0;
    item.tooltip = [summary, ...roles(known.objects, line)].join("\n");
    problem.text = summary;
    problem.severity = LanguageStatusSeverity.Information;
    item.show();
  };
  // The number of CRDs changes as files are read and edited.
  let due: NodeJS.Timeout | undefined;
  const soon = () => {
    clearTimeout(due);
    due = setTimeout(() => void update(), 500);
  };

  const menu = async () => {
    const choices = [
      { label: "$(versions) Choose Kubernetes versions", run: () => commands.executeCommand("workbench.action.openSettings", `${id}.kubernetesVersion`) },
      { label: "$(debug-restart) Restart the language server", run: () => commands.executeCommand(`${id}.restart`) },
      { label: "$(output) Show the log", run: () => commands.executeCommand(`${id}.showOutput`) },
      { label: "$(cloud-download) Read the CRDs of the cluster again", run: () => commands.executeCommand(`${id}.readCluster`) },
      { label: "$(json) Show the effective object", run: () => commands.executeCommand(`${id}.showEffectiveObject`) },
      { label: "$(go-to-file) Go to the CRD of this resource", run: () => commands.executeCommand(`${id}.goToCrd`) },
      { label: "$(graph) Show the costs of the rules in this file", run: () => commands.executeCommand(`${id}.showCosts`) },
      ...(workspace.isTrusted ? [{ label: "$(git-compare) Compare this file with a release", run: () => commands.executeCommand(`${id}.compareWithRelease`) }] : []),
      { label: "$(question) Explain a diagnostic or an error", run: () => commands.executeCommand(`${id}.explain`) },
    ];
    await (await window.showQuickPick(choices, { title: "CRD Analyzer" }))?.run();
  };
  context.subscriptions.push(
    item,
    problem,
    commands.registerCommand(`${id}.menu`, menu),
    window.onDidChangeActiveTextEditor(() => void update()),
    window.onDidChangeTextEditorSelection(soon),
    workspace.onDidChangeTextDocument((it) => (it.document === window.activeTextEditor?.document ? soon() : undefined)),
    workspace.onDidChangeConfiguration((it) => (it.affectsConfiguration(id) ? soon() : undefined)),
  );
  return soon;
}
