// The test files of the workspace in VS Code's view of tests. The language server lists and runs them.
import {
  CancellationToken, commands, ExtensionContext, RelativePattern, TestController, TestItem, TestMessage, TestRunProfileKind, TestRunRequest, tests, Uri,
  workspace,
} from "vscode";
import type { LanguageClient, Range } from "vscode-languageclient/node";

interface TestFile {
  uri: string;
  problem: string | null;
  tests: { name: string; range: Range }[];
}

interface Failure {
  message: string;
  range: Range;
  expected: string | null;
  actual: string | null;
}

interface Results {
  tests: { name: string; state: "passed" | "failed" | "skipped"; failures: Failure[] }[];
  problems: { message: string; range: Range }[];
}

/** How long to wait after a change, in milliseconds. */
const PAUSE = 300;

const isTestFile = (uri: Uri) => /\.(test\.ya?ml|testsuite\.yaml)$|\/tests\/[^/]+\/[^/]+\.yaml$/.test(uri.path);

/** Lists the tests. The function that is returned lists them again, for another client. */
export function testView(id: string, context: ExtensionContext, client: () => LanguageClient | undefined): () => void {
  const controller = tests.createTestController(id, "CRD Analyzer");
  const ask = async <T>(method: string, params: object): Promise<T | undefined> => {
    const running = client();
    return running?.isRunning() ? running.sendRequest<T>(`${id}/${method}`, params) : undefined;
  };
  const show = (file: TestFile): void => {
    const running = client();
    if (!running) {
      return;
    }
    const { asRange, asUri } = running.protocol2CodeConverter;
    const uri = asUri(file.uri);
    const item = controller.items.get(uri.toString()) ?? controller.createTestItem(uri.toString(), workspace.asRelativePath(uri), uri);
    item.error = file.problem ?? undefined;
    item.children.replace(
      file.tests.map((test) => {
        const child = item.children.get(test.name) ?? controller.createTestItem(test.name, test.name, uri);
        child.range = asRange(test.range);
        return child;
      }),
    );
    controller.items.add(item);
  };
  const list = async (uri?: Uri): Promise<void> => {
    const listed = await ask<{ files: TestFile[] }>("tests", uri ? { uri: uri.toString() } : {});
    if (!listed) {
      return;
    }
    const running = client();
    const found = new Set(listed.files.map((it) => running?.protocol2CodeConverter.asUri(it.uri).toString()));
    const gone = uri ? [uri.toString()] : [...controller.items].map(([key]) => key);
    gone.filter((it) => !found.has(it)).forEach((it) => controller.items.delete(it));
    listed.files.forEach(show);
  };
  const waiting = new Map<string, ReturnType<typeof setTimeout>>();
  const listSoon = (uri: Uri) => {
    if (isTestFile(uri)) {
      clearTimeout(waiting.get(uri.toString()));
      waiting.set(uri.toString(), setTimeout(() => void list(uri).catch(() => undefined), PAUSE));
    }
  };
  controller.refreshHandler = () => list();
  controller.createRunProfile("Run", TestRunProfileKind.Run, (request, token) => run(controller, ask, client, request, token), true);
  const update = async (item?: TestItem) => {
    const running = client();
    if (item?.uri && running) {
      // A file has no range: all of its tests are meant.
      const range = item.range ? running.code2ProtocolConverter.asRange(item.range) : { start: { line: 0, character: 0 }, end: { line: 2 ** 31 - 1, character: 0 } };
      await running.sendRequest("workspace/executeCommand", { command: `${id}.updateTests`, arguments: [{ uri: item.uri.toString(), range }] });
    }
  };
  context.subscriptions.push(
    controller,
    commands.registerCommand(`${id}.updateExpectation`, update),
    workspace.onDidOpenTextDocument((it) => listSoon(it.uri)),
    workspace.onDidChangeTextDocument((it) => listSoon(it.document.uri)),
  );
  for (const folder of workspace.workspaceFolders ?? []) {
    const watcher = workspace.createFileSystemWatcher(new RelativePattern(folder, "**/*.{yaml,yml}"));
    watcher.onDidCreate(listSoon);
    watcher.onDidChange(listSoon);
    watcher.onDidDelete(listSoon);
    context.subscriptions.push(watcher);
  }
  return () => void list().catch(() => undefined);
}

type Ask = <T>(method: string, params: object) => Promise<T | undefined>;

/** Runs the tests of a request, one file after the other. */
async function run(
  controller: TestController, ask: Ask, client: () => LanguageClient | undefined, request: TestRunRequest, token: CancellationToken,
): Promise<void> {
  const shown = controller.createTestRun(request);
  const excluded = new Set(request.exclude ?? []);
  const byFile = new Map<TestItem, TestItem[]>();
  for (const item of request.include ?? [...controller.items].map(([, it]) => it)) {
    const file = item.parent ?? item;
    const chosen = item.parent ? [item] : [...item.children].map(([, it]) => it);
    byFile.set(file, [...(byFile.get(file) ?? []), ...chosen.filter((it) => !excluded.has(it) && !excluded.has(file))]);
  }
  // Output has line breaks of terminals.
  const print = (text: string, item?: TestItem) => shown.appendOutput(`${text.replace(/\r?\n/g, "\r\n")}\r\n`, undefined, item);
  for (const [file, items] of byFile) {
    if (token.isCancellationRequested) {
      break;
    }
    items.forEach((it) => shown.started(it));
    const begin = Date.now();
    let found: Results | null | undefined;
    let why = "The language server does not answer.";
    try {
      found = await ask<Results | null>("runTests", { uri: file.uri?.toString(), tests: items.map((it) => it.id) });
    } catch (error) {
      why = String(error);
    }
    const problem = found ? found.problems[0]?.message : why;
    const took = (Date.now() - begin) / Math.max(1, items.length);
    if (problem !== undefined) {
      print(`error ${file.label}: ${problem}`);
      // A file that cannot be read has no tests.
      (items.length > 0 ? items : [file]).forEach((it) => shown.errored(it, new TestMessage(problem)));
      continue;
    }
    for (const item of items) {
      const result = found?.tests.find((it) => it.name === item.id);
      if (!result || result.state === "skipped") {
        shown.skipped(item);
        print(`skip ${item.label}`, item);
      } else if (result.state === "passed") {
        shown.passed(item, took);
        print(`ok   ${item.label}`, item);
      } else {
        print([`FAIL ${item.label}`, ...result.failures.map((it) => `     ${it.message}`)].join("\n"), item);
        shown.failed(item, result.failures.map((it) => message(it, item, client())), took);
      }
    }
  }
  shown.end();
}

function message(failure: Failure, item: TestItem, running: LanguageClient | undefined): TestMessage {
  const { message: text, expected, actual } = failure;
  const shown = expected !== null && actual !== null ? TestMessage.diff(text, expected, actual) : new TestMessage(text);
  if (item.uri && running) {
    shown.location = { uri: item.uri, range: running.protocol2CodeConverter.asRange(failure.range) };
  }
  return shown;
}
