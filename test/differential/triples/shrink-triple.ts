import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../src/json/json-value.ts";
import type { TripleFile } from "./random-sources.ts";
import { csvOf } from "./random-sources.ts";
import type { Triple } from "./triple.ts";

/** A removal in one round may make other removals possible in the next. */
const ROUNDS = 3;

/** Removes rows, entries, keywords and columns while the triple still fails. Returns the smallest form found. */
export async function shrinkTriple(
  triple: Triple,
  mostTrials: number,
  fails: (smaller: Triple) => Promise<boolean>,
): Promise<Triple> {
  let smallest = triple;
  let trials = 0;
  const tryShrink = async (smaller: Triple): Promise<boolean> => {
    trials += 1;
    if (trials > mostTrials || !(await fails(smaller))) return false;
    smallest = smaller;
    return true;
  };
  await shrinkRows(() => smallest, tryShrink);
  for (let round = 0; round < ROUNDS; round += 1) {
    await shrinkJson(
      () => smallest.mapping,
      (mapping) => tryShrink({ ...smallest, mapping }),
    );
    await shrinkJson(
      () => smallest.contract,
      (contract) => tryShrink({ ...smallest, contract }),
    );
    await shrinkColumns(() => smallest, tryShrink);
  }
  await shrinkCells(() => smallest, tryShrink);
  return smallest;
}

/** Returns the data needed to reproduce a failure. */
export function describeTriple({ seed, contract, mapping, files }: Triple): string {
  const texts = files.map((file) => `${file.name}\n${csvOf(file)}`);
  return [`seed ${seed}`, JSON.stringify(contract), JSON.stringify(mapping), ...texts].join("\n");
}

type TryShrink = (smaller: Triple) => Promise<boolean>;

async function shrinkRows(current: () => Triple, tryShrink: TryShrink): Promise<void> {
  for (const [index] of current().files.entries()) {
    const rowsIn = (): TripleFile["rows"] => current().files[index]?.rows ?? [];
    for (let part = Math.ceil(rowsIn().length / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2)) {
      for (let from = 0; from < rowsIn().length;) {
        const rows = [...rowsIn().slice(0, from), ...rowsIn().slice(from + part)];
        if (!(await tryShrink(withFile(current(), index, { rows })))) from += part;
      }
    }
  }
}

function withFile(triple: Triple, index: number, change: Partial<TripleFile>): Triple {
  return { ...triple, files: triple.files.map((file, at) => (at === index ? { ...file, ...change } : file)) };
}

async function shrinkJson(
  current: () => JsonObject,
  tryShrink: (smaller: JsonObject) => Promise<boolean>,
): Promise<void> {
  for (let at = 0; ;) {
    const path = pathsIn(current(), [])[at];
    if (path === undefined) return;
    const smaller = without(current(), path);
    if (!isJsonObject(smaller) || !(await tryShrink(smaller))) at += 1;
  }
}

type Path = readonly (string | number)[];

/** Returns the paths of all members and items, outermost first. */
function pathsIn(value: JsonValue, path: Path): readonly Path[] {
  const inside: readonly (readonly [string | number, JsonValue])[] = isJsonArray(value)
    ? [...value.entries()]
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  const own = inside.map(([name]) => [...path, name]);
  return [...own, ...inside.flatMap(([name, member]) => pathsIn(member, [...path, name]))];
}

function without(value: JsonValue, [name, ...rest]: Path): JsonValue {
  if (isJsonArray(value))
    return value.flatMap((item, at) => (at !== name ? [item] : rest.length === 0 ? [] : [without(item, rest)]));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([own, member]) =>
      own !== name ? [[own, member]] : rest.length === 0 ? [] : [[own, without(member, rest)]],
    ),
  );
}

/** Removes columns that the mapping does not name. */
async function shrinkColumns(current: () => Triple, tryShrink: TryShrink): Promise<void> {
  const names = JSON.stringify(current().mapping);
  for (const [index, { columns }] of current().files.entries()) {
    const kept = columns.flatMap((name, at) => (names.includes(name) ? [at] : []));
    const rows = (current().files[index]?.rows ?? []).map((row) =>
      typeof row === "string" ? row : kept.flatMap((at) => row[at] ?? []),
    );
    if (kept.length < columns.length)
      await tryShrink(withFile(current(), index, { columns: kept.flatMap((at) => columns[at] ?? []), rows }));
  }
}

async function shrinkCells(current: () => Triple, tryShrink: TryShrink): Promise<void> {
  for (const [index, { rows, columns }] of current().files.entries()) {
    for (const number of rows.keys()) {
      for (const column of columns.keys()) {
        const smaller = withEmptyCell(current(), { index, number, column });
        if (smaller !== undefined) await tryShrink(smaller);
      }
    }
  }
}

interface CellPlace {
  readonly index: number;
  readonly number: number;
  readonly column: number;
}

/** Returns undefined if the cell is already empty. */
function withEmptyCell(triple: Triple, { index, number, column }: CellPlace): Triple | undefined {
  const rows = triple.files[index]?.rows ?? [];
  const row = rows[number];
  if (row === undefined || typeof row === "string" || (row[column]?.text ?? "") === "") return undefined;
  return withFile(triple, index, { rows: rows.with(number, row.with(column, { text: "", isQuoted: false })) });
}
