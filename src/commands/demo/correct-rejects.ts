import { readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";

/** The correct value for one cell of a rejected row. */
export interface Correction {
  readonly source: string;
  /** Identifier of the row, from the first column of its file. */
  readonly id: string;
  /** Column, or RFC 6901 pointer in a JSON extract. */
  readonly field: string;
  /** In a JSON extract, an empty value removes the field. */
  readonly value: string;
}

export interface CorrectedRejects {
  readonly cells: number;
  /** Paths of the corrected files, by source. */
  readonly files: ReadonlyMap<string, string>;
}

/** Reads a corrections file with the columns SOURCE, ID, FIELD and VALUE. */
export async function readCorrections(file: string): Promise<readonly Correction[]> {
  const rows: string[][] = parse(await readFile(file), { from_line: 2 });
  return rows.map(([source = "", id = "", field = "", value = ""]) => ({ source, id, field, value }));
}

/**
 * Corrects the rejects files in a report folder in place, as a data owner would in a spreadsheet.
 * @param root source whose rejects are in `rejects.csv` or `rejects.ndjson`
 */
export async function correctRejects(
  folder: string,
  root: string,
  corrections: readonly Correction[],
): Promise<CorrectedRejects> {
  const files = new Map<string, string>();
  let cells = 0;
  for (const name of (await readdir(folder)).toSorted()) {
    const [, source = root, kind] = /^rejects(?:\.(.+))?\.(csv|ndjson)$/.exec(name) ?? [];
    if (kind === undefined) continue;
    const file = path.join(folder, name);
    const own = corrections.filter((correction) => correction.source === source);
    const correct = kind === "csv" ? correctCsv : correctNdjson;
    const { text, corrected } = correct(await readFile(file, "utf8"), own);
    await writeFile(file, text);
    files.set(source, file);
    cells += corrected;
  }
  return { cells, files };
}

interface Corrected {
  readonly text: string;
  readonly corrected: number;
}

function correctCsv(text: string, corrections: readonly Correction[]): Corrected {
  const [header = [], ...rows]: string[][] = parse(text, { relax_column_count: true });
  let corrected = 0;
  for (const { id, field, value } of corrections) {
    const row = rows.find(([first]) => first === id);
    const column = header.indexOf(field);
    if (row === undefined || column === -1) continue;
    row[column] = value;
    corrected += 1;
  }
  return { text: stringify([header, ...rows]), corrected };
}

function correctNdjson(text: string, corrections: readonly Correction[]): Corrected {
  let corrected = 0;
  const lines = text.split("\n").map((line) => {
    const own = corrections.filter(({ id }) => line.includes(JSON.stringify(id)));
    const correctedLine = own.reduce(applyToJson, line);
    if (correctedLine !== line) corrected += own.length;
    return correctedLine;
  });
  return { text: lines.join("\n"), corrected };
}

function applyToJson(line: string, { field, value }: Correction): string {
  const account: unknown = JSON.parse(line);
  const names = field.slice(1).split("/");
  const last = names.pop() ?? "";
  const inside = names.reduce((at, name) => (isObject(at) ? Reflect.get(at, name) : undefined), account);
  if (!isObject(inside)) return line;
  if (value === "") Reflect.deleteProperty(inside, last);
  else Reflect.set(inside, last, value);
  return JSON.stringify(account);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
