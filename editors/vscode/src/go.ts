// Which Go files need the language server. In all others, it does not start.
import * as fs from "node:fs/promises";
import * as path from "node:path";
import { TextDocument, Uri, workspace } from "vscode";

/** How a comment with a marker of controller-gen looks. */
const MARKER = "+kubebuilder:";
/** Bytes of a file that are read. */
const MOST_BYTES = 1024 * 1024;
/** Go files that are read beside the one that is open. */
const MOST_FILES = 50;
/** Folders around a file that are looked at. */
const MOST_FOLDERS = 20;

/** Whether a file exists that has the text. Larger files are not read. */
async function contains(file: string, text: string): Promise<boolean> {
  try {
    const found = await fs.stat(file);
    return found.isFile() && found.size <= MOST_BYTES && (await fs.readFile(file, "utf8")).includes(text);
  } catch {
    return false;
  }
}

/** The folder of a file and those around it, up to the folder of the workspace. */
function foldersOf(uri: Uri): string[] {
  const root = workspace.getWorkspaceFolder(uri)?.uri.fsPath;
  const folders = [path.dirname(uri.fsPath)];
  while (root && folders[0] !== root && folders.length < MOST_FOLDERS && path.dirname(folders[0]) !== folders[0]) {
    folders.unshift(path.dirname(folders[0]));
  }
  return folders;
}

/** Whether a folder is a kubebuilder project, or its Makefile runs controller-gen. */
async function isProject(folder: string): Promise<boolean> {
  return (await contains(path.join(folder, "PROJECT"), "")) || contains(path.join(folder, "Makefile"), "controller-gen");
}

/** Whether a Go file in a folder has a marker. */
async function hasMarkers(folder: string): Promise<boolean> {
  const names = (await fs.readdir(folder).catch(() => [])).filter((it) => it.endsWith(".go") && !it.startsWith("zz_generated")).slice(0, MOST_FILES);
  for (const name of names) {
    if (await contains(path.join(folder, name), MARKER)) {
      return true;
    }
  }
  return false;
}

/** Whether a file is part of what the user works on, and not a module of others. */
function isOwn(uri: Uri): boolean {
  const isOpened = workspace.getWorkspaceFolder(uri) !== undefined || workspace.workspaceFolders === undefined;
  return uri.scheme === "file" && isOpened && !uri.path.includes("/vendor/");
}

/** Whether a Go file belongs to a project with API types: it or its package has markers, or a folder around it is a project with controller-gen. */
export async function isOfApiTypes(document: TextDocument): Promise<boolean> {
  if (!isOwn(document.uri)) {
    return false;
  }
  if (document.getText().includes(MARKER)) {
    return true;
  }
  for (const folder of foldersOf(document.uri)) {
    if (await isProject(folder)) {
      return true;
    }
  }
  return hasMarkers(path.dirname(document.uri.fsPath));
}
