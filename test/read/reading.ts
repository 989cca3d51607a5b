import { join } from "node:path";
import { temporaryFolder } from "../temporary-folder.ts";
import { Failure } from "../../src/model/failure.ts";
import type { Place } from "../../src/model/place.ts";
import { type InputRecord, isCsvRow, type Row } from "../../src/model/record.ts";
import type { SourceSpec } from "../../src/model/source-spec.ts";
import { openInput, type ReadNotice, type ReadOptions } from "../../src/read/input/open-input.ts";

export const FIXTURES: string = new URL("../../fixtures/read", import.meta.url).pathname;

export function fixture(name: string): SourceSpec {
  return source(join(FIXTURES, name));
}

export function source(path: string): SourceSpec {
  return { name: "accounts", files: [path], children: [] };
}

export interface Reading {
  readonly records: readonly InputRecord[];
  readonly notices: readonly ReadNotice[];
}

/** Collects the result of one pass over the plan. */
export async function read(plan: SourceSpec, options: Partial<ReadOptions> = {}): Promise<Reading> {
  const notices: ReadNotice[] = [];
  const tempFolder = join(temporaryFolder(), "temp");
  const input = await openInput(plan, { tempFolder, onNotice: (notice) => notices.push(notice), ...options });
  try {
    const records: InputRecord[] = [];
    for await (const batch of input.records()) records.push(...batch);
    return { records, notices };
  } finally {
    await input.close();
  }
}

export async function failureOf(reading: Promise<unknown>): Promise<Failure> {
  const error: unknown = await reading.then(
    () => undefined,
    (raised: unknown) => raised,
  );
  if (error instanceof Failure) return error;
  throw new Error("a failure was expected", { cause: error });
}

export function cells(row: Row): readonly string[] {
  return isCsvRow(row) ? row.cells : [];
}

export function firstCells(records: readonly InputRecord[]): readonly string[] {
  return records.slice(0, 1).flatMap(({ row }) => cells(row));
}

/** Returns `code@line:column` of every problem, or `code@line/pointer` in JSON. */
export function problemsOf(records: readonly InputRecord[]): readonly string[] {
  return records.flatMap(({ problems }) => problems.map(({ code, place }) => `${code}@${place ? where(place) : "?"}`));
}

function where({ line, columnNumber, pointer }: Place): string {
  return `${line}${columnNumber === undefined ? "" : `:${columnNumber}`}${pointer ?? ""}`;
}
