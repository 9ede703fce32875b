// Where Enter puts the cursor in manifests. VS Code has no rules for YAML; ours count while a manifest is edited, so that other files stay as they are.
import { Disposable, IndentAction, languages, OnEnterRule, TextDocument, TextEditor, window, workspace } from "vscode";
import rules from "./enter.json";

const onEnterRules: OnEnterRule[] = rules.map(({ before, indent, append }) => ({
  beforeText: new RegExp(before),
  action: { indentAction: indent ? IndentAction.Indent : IndentAction.None, appendText: append },
}));

/** Lines of a document that are looked at. */
const HEAD = 200;

/** Whether a document is a manifest, or could become one. */
function isManifest(document: TextDocument): boolean {
  if (document.languageId !== "yaml") {
    return false;
  }
  for (let line = 0; line < Math.min(document.lineCount, HEAD); line++) {
    if (/^(?:apiVersion|kind)\s*:/.test(document.lineAt(line).text)) {
      return true;
    }
  }
  return document.getText().trim() === "";
}

/** Keeps the rules with the editor that is active. */
export function enterRules(): Disposable {
  let current: Disposable | undefined;
  const choose = (editor: TextEditor | undefined) => {
    const wanted = editor !== undefined && isManifest(editor.document);
    if (wanted !== (current !== undefined)) {
      current?.dispose();
      current = wanted ? languages.setLanguageConfiguration("yaml", { onEnterRules }) : undefined;
    }
  };
  choose(window.activeTextEditor);
  return Disposable.from(
    window.onDidChangeActiveTextEditor(choose),
    workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const active = window.activeTextEditor;
      // What makes a file a manifest stands in a line of its own.
      if (document === active?.document && contentChanges.some((it) => /[\n:]/.test(it.text) || it.text === "")) {
        choose(active);
      }
    }),
    new Disposable(() => current?.dispose()),
  );
}
