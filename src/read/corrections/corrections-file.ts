import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { Failure } from "../../model/failure.ts";
import { exactLines, tableFailure } from "../lists/table-lines.ts";
import { readTextFile, type TextFile } from "../text/text-file.ts";
import type { Correction } from "./correction.ts";

/** The header of a corrections file. */
export const CORRECTION_COLUMNS = [
  "key",
  "source",
  "column",
  "old_sha256",
  "row_sha256",
  "change",
  "value",
  "by",
  "at",
  "reason",
] as const;

/** A correction, and the 1-based line of the file that contains it. */
export interface ListedCorrection extends Correction {
  readonly line: number;
}

/** One line of a corrections file: a correction, or the removal of an earlier one. */
export interface CorrectionChange {
  readonly change: "set" | "unset";
  readonly correction: ListedCorrection;
}

const HINT = "`migrate corrections` writes this file";

/**
 * Reads a corrections file, which contains personal data. Lines are only appended to it. A line with the change
 * `unset` removes an earlier correction, and a line for the same old value of the same cell replaces the earlier line.
 * @param path path of the file in messages
 * @param from path to read it from; default: `path`
 * @returns the corrections that were not removed or replaced, in file order
 * @throws Failure `config` if the file cannot be read or is not a list of corrections
 */
export async function readCorrections(path: string, from: string = path): Promise<readonly ListedCorrection[]> {
  const corrections = new Map<string, ListedCorrection>();
  if (!existsSync(from)) throw missingFile(path);
  for (const { change, correction } of parseChanges(await readTextFile(path, from))) {
    corrections.delete(identityOf(correction));
    if (change === "set") corrections.set(identityOf(correction), correction);
  }
  return [...corrections.values()];
}

function missingFile(path: string): Failure {
  return new Failure("config", `${path}: no such file`, {
    hint: "add the first correction with `migrate corrections add`, or remove the setting `corrections`",
  });
}

/**
 * The changes that were appended to a corrections file, in order.
 * @param from the size of the file before, in bytes
 * @param to its size now
 * @throws Failure `config` if they are not a list of corrections
 */
export async function readAppendedChanges(
  path: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<readonly CorrectionChange[]> {
  if (to <= from) return [];
  const header = from === 0 ? "" : `${CORRECTION_COLUMNS.join(await delimiterOf(path))}\n`;
  const handle = await open(path, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, to - from, from);
    const text = buffer.toString("utf8", 0, bytesRead).replace(/^\uFEFF/, "");
    return parseChanges({ file: path, text: header + text });
  } finally {
    await handle.close();
  }
}

/** The delimiter of a corrections file, which a spreadsheet may have changed. */
export async function delimiterOf(file: string): Promise<string> {
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.toString("utf8", 0, bytesRead).replace(/^\uFEFF/, "");
    return [";", "\t"].find((delimiter) => head.startsWith(CORRECTION_COLUMNS.join(delimiter))) ?? ",";
  } finally {
    await handle.close();
  }
}

const HEAD_BYTES = 200;

function parseChanges(file: TextFile): readonly CorrectionChange[] {
  const [header, ...lines] = exactLines(file, HINT);
  const bad = tableFailure(file.file, HINT);
  if (header === undefined || header.cells.join() !== CORRECTION_COLUMNS.join())
    throw bad(header?.line ?? 1, `expected the header ${CORRECTION_COLUMNS.join()}`);
  return lines.map(({ cells, line }) => {
    const problem = lineProblem(cells);
    if (problem !== undefined) throw bad(line, problem);
    return { change: cells[CHANGE] === "set" ? "set" : "unset", correction: { ...correctionIn(cells), line } };
  });
}

const CHANGE = CORRECTION_COLUMNS.indexOf("change");

function correctionIn(cells: readonly string[]): Correction {
  const cell = (name: (typeof CORRECTION_COLUMNS)[number]): string => cells[CORRECTION_COLUMNS.indexOf(name)] ?? "";
  const row = cell("row_sha256");
  return {
    key: cell("key"),
    source: cell("source"),
    column: cell("column"),
    oldSha256: cell("old_sha256"),
    ...(row !== "" && { rowSha256: row }),
    value: cell("value"),
    by: cell("by"),
    at: cell("at"),
    reason: cell("reason"),
  };
}

/** Why cells are not a line of a corrections file; undefined if they are. */
export function lineProblem(cells: readonly string[]): string | undefined {
  if (cells.length !== CORRECTION_COLUMNS.length)
    return `expected ${CORRECTION_COLUMNS.length} cells, found ${cells.length}`;
  const [key, source, column, oldSha256 = "", rowSha256 = "", change = ""] = cells;
  const empty = Object.entries({ key, source, column }).find(([, text]) => text === "");
  if (empty !== undefined) return `the cell \`${empty[0]}\` is empty`;
  if (!HASH.test(oldSha256)) return "the cell `old_sha256` is not a SHA-256 in hex";
  if (rowSha256 !== "" && !HASH.test(rowSha256)) return "the cell `row_sha256` is not a SHA-256 in hex";
  return CHANGES.has(change) ? undefined : "the cell `change` is neither `set` nor `unset`";
}

const HASH = /^[\da-f]{64}$/;
const CHANGES = new Set(["set", "unset"]);

/** Two corrections with the same identity replace the same old value of the same cell. */
export function identityOf({ key, source, column, oldSha256, rowSha256 = "" }: Correction): string {
  return JSON.stringify([source, key, column, oldSha256, rowSha256]);
}
