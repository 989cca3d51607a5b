import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { readSettings } from "../../../src/cli/settings/settings.ts";
import { readCorrections } from "../../../src/read/corrections/corrections-file.ts";
import type { FixRow, FixSource } from "../../../src/web/fix/fix-types.ts";
import type { FixSession } from "../../../src/web/fix/fix-session.ts";
import { openFixSession } from "../../../src/web/fix/session/open-session.ts";
import { CONTRACT, type Extract, writeExtract } from "../../e2e/push-scene.ts";
import { createTestFolder, temporaryFolder } from "../../temporary-folder.ts";

/** Receives the progress and the messages of the check. */
type OnEvent = (event: unknown) => void;

/** A project in a folder, with sessions of the Fix page. */
export interface FixScene {
  readonly folder: string;
  readonly file: (name: string) => string;
  /** Checks the project and opens a session. */
  readonly open: (by?: string, sources?: readonly string[], onEvent?: OnEvent) => Promise<FixSession>;
  /** Returns the current corrections, as `source key column value`. */
  readonly corrections: () => Promise<readonly string[]>;
  readonly change: (name: string, from: string, to: string) => void;
}

const CONFIGURATION = `contract: ${CONTRACT}\nmapping: mapping.yaml\nsupplier: ACME\ncorrections: fixes.csv\n`;

export function fixScene(extract: Extract, configuration: string = CONFIGURATION): FixScene {
  const folder = temporaryFolder();
  writeExtract(folder, extract);
  writeFileSync(path.join(folder, "migrate.yaml"), configuration);
  return sceneIn(folder);
}

export function sceneIn(folder: string): FixScene {
  const file = (name: string): string => path.join(folder, name);
  return {
    folder,
    file,
    open: async (by = "ann@desk", sources = [], onEvent = () => undefined) => {
      const settings = await readSettings(sources, {}, folder);
      const session = await openFixSession(
        {
          job: settings.job,
          ledger: file(".migrate/ledger.db"),
          configFile: file("migrate.yaml"),
          by,
          configure: async (name) => appendFileSync(file("migrate.yaml"), `corrections: ${name}\n`),
        },
        { ...dependenciesForTest(), notice: onEvent, onProgress: onEvent },
      );
      onTestFinished(session.close);
      return session;
    },
    corrections: async () =>
      (await readCorrections(file("fixes.csv"))).corrections.map(
        ({ source, key, column, value }) => `${source} ${key} ${column} ${value}`,
      ),
    change: (name, from, to) => {
      const text = readFileSync(file(name), "utf8");
      if (!text.includes(from)) throw new Error(`${name} does not contain ${from}`);
      writeFileSync(file(name), text.replace(from, to));
    },
  };
}

export function dependenciesForTest(): Parameters<typeof openFixSession>[1] {
  const { folder, remove } = createTestFolder();
  onTestFinished(remove);
  let now = Date.now();
  return {
    clock: { now: () => (now += 1000), monotonic: () => performance.now(), sleep: () => Promise.resolve() },
    temporaryFolder: folder,
    drain: new AbortController().signal,
    notice: () => undefined,
    onChecked: () => undefined,
  };
}

export const TAB = { tab: "one", seen: 0 };

export function sourceOf(session: FixSession, name: string): { readonly index: number; readonly source: FixSource } {
  const { sources } = session.overview();
  const index = sources.findIndex((source) => source.name === name);
  const source = sources[index];
  if (source === undefined) throw new Error(`no source ${name}`);
  return { index, source };
}

/** Returns the rows of a source that the grid shows (at most 1,000). */
export function rowsOf(session: FixSession, name: string, cause = 0): readonly FixRow[] {
  return session.rows({ source: sourceOf(session, name).index, cause, from: 0, count: 1000 }, true);
}

/** Returns the errors in the rows of a source, as `line COLUMN: message`. */
export function errorsOf(session: FixSession, name: string): readonly string[] {
  const { columns } = sourceOf(session, name).source;
  return rowsOf(session, name).flatMap(({ line, marks }) =>
    marks
      .filter(({ severity }) => severity === "error")
      .map(({ column, message }) => `${line} ${column === undefined ? "-" : columns[column]}: ${message}`),
  );
}

/** Edits one cell of the row at a position. */
export async function edit(
  session: FixSession,
  [name, position, column, value]: readonly [name: string, position: number, column: string, value: string],
  editor: Parameters<FixSession["edit"]>[1] = { ...TAB, seen: session.overview().seq },
): ReturnType<FixSession["edit"]> {
  const { index, source } = sourceOf(session, name);
  const cells = [{ position, column: source.columns.indexOf(column), value }];
  return session.edit({ source: index, cause: 0, cells }, editor);
}
