import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** Creates a folder with these files, readable only by the owner. The folder is removed when the test ends. */
export function temporaryFolder(files: Readonly<Record<string, string>> = {}): string {
  const { folder, remove } = createTestFolder();
  onTestFinished(remove);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text, { mode: 0o600 });
  }
  return folder;
}

/** Creates a folder that several tests may share. The caller removes it. */
export function createTestFolder(parent: string = tmpdir()): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(path.join(parent, "migrate-test-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }) };
}
