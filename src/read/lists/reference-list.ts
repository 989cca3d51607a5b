import { isJsonObject, type JsonObject } from "../../json/json-value.ts";
import { parseJson } from "../../json/parse-json.ts";
import { tableFailure, tableLines } from "./table-lines.ts";
import { readTextFile, type TextFile } from "../text/text-file.ts";

const HINT = "a reference list is CSV with a header, or NDJSON with one object per line";

/** The rows of a reference list that the user maintains. Empty cells are omitted. */
export interface ReferenceRows {
  readonly columns: readonly string[];
  readonly rows: readonly JsonObject[];
}

/**
 * Reads a complete reference list: a file of at most 64 MiB.
 * @param path path of the list, to show in messages
 * @param from path to read it from; default: `path`
 * @throws Failure `config` for an unreadable or invalid file
 */
export async function readReferenceList(path: string, from: string = path): Promise<ReferenceRows> {
  const file = await readTextFile(path, from);
  return file.text.trimStart().startsWith("{") ? fromNdjson(file) : fromCsv(file);
}

function fromCsv(file: TextFile): ReferenceRows {
  const bad = tableFailure(file.file, HINT);
  const [header, ...lines] = tableLines(file, HINT);
  if (header === undefined) throw bad(1, "expected a header");
  const twice = header.cells.find((name, index) => header.cells.indexOf(name) !== index);
  if (twice !== undefined) throw bad(header.line, `two columns are named "${twice}"`);
  const rows = lines.map(({ cells, line }) => {
    if (cells.length > header.cells.length) throw bad(line, "the row has more cells than the header");
    const named = header.cells.map((name, index): readonly [string, string] => [name, cells[index] ?? ""]);
    return Object.fromEntries(named.filter(([, cell]) => cell !== ""));
  });
  return { columns: header.cells, rows };
}

function fromNdjson({ file, text }: TextFile): ReferenceRows {
  const bad = tableFailure(file, HINT);
  const columns = new Set<string>();
  const rows = text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const row = parseJson(line);
    if (!isJsonObject(row)) throw bad(index + 1, "expected a JSON object");
    for (const name of Object.keys(row)) columns.add(name);
    return [row];
  });
  return { columns: [...columns], rows };
}
