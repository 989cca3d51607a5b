import { Failure, failureAt } from "../../model/failure.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/json-value.ts";
import type { Place } from "../../model/place.ts";
import { addProblem } from "../../model/problem-limit.ts";
import type { LocalProblem, SourceFinding } from "../../model/problem.ts";
import type { JsonTable, RowPosition } from "../../model/record.ts";
import { type ArrayError, type ArrayElement, arraySplitter, isSpace } from "./json-splitter.ts";
import { findLines, ndjsonPieces } from "./ndjson-lines.ts";
import { FORBIDDEN_NAMES, parseWithoutScan, scanJson } from "./json-scan.ts";
import { NO_PROBLEMS, type ReadRow, sourceProblem, withNext } from "../row/read-row.ts";
import { canBeginAnywhere, textBytes, type TextSource } from "../text/text-bytes.ts";
import { countLineEndings, newLineCounter } from "../text/utf8.ts";

/**
 * Yields the rows of an NDJSON file: one for each line that is not blank. An invalid line becomes a row with a problem.
 * @throws Failure `source_wrong_kind` for a pretty-printed document
 */
export async function* ndjsonRows(
  source: TextSource,
  table: JsonTable,
  from?: RowPosition,
): AsyncGenerator<readonly ReadRow[]> {
  let first = from === undefined;
  const isSeekable = canBeginAnywhere(source);
  const start = from ?? { byte: source.encoding.bomBytes, line: 1 };
  const text = textBytes(from === undefined ? source : { ...source, start: from.byte });
  const limitBytes = source.limits.jsonRecordBytes;
  for await (const { bytes: parts, next, ...piece } of ndjsonPieces(text, limitBytes, start)) {
    const bytes = Buffer.concat(parts);
    const { starts, ends, lines } = findLines(bytes, piece, limitBytes);
    const rows = lines.map((line, index) => {
      const [at = 0, end = 0] = [starts[index], ends[index]];
      const record = end < at ? undefined : bytes.toString("utf8", at, end);
      if (first && index === 0) refusePrettyPrinted(source.file, line, record ?? "");
      return jsonRow({ table, line, pointer: "" }, record, limitBytes);
    });
    if (rows.length === 0) continue;
    first = false;
    yield isSeekable ? withNext(rows, next) : rows;
  }
}

/**
 * Yields the rows of a JSON document: the elements of its array (streamed), or its single object. Throws the same
 * failures as `jsonElements`.
 */
export async function* jsonRows(source: TextSource, table: JsonTable): AsyncGenerator<readonly ReadRow[]> {
  for await (const { elements, firstIndex } of jsonElements(source)) {
    yield elements.map(({ bytes, line }, index) => {
      const pointer = elementPointer(firstIndex, index);
      return jsonRow({ table, line, pointer }, bytes?.toString(), source.limits.jsonRecordBytes);
    });
  }
}

/** One or more elements of an array, or the single object of the document. */
interface FoundElements {
  readonly elements: readonly ArrayElement[];
  /** Zero-based index of the first of these elements in the array; absent if the document is not an array. */
  readonly firstIndex?: number;
}

/** Returns the RFC 6901 pointer of an element. */
export function elementPointer(firstIndex: number | undefined, index: number): string {
  return firstIndex === undefined ? "" : `/${firstIndex + index}`;
}

export function emptyFile(file: string): Failure {
  return new Failure("source_empty", `${file}: is empty`, {
    hint: "export the file again, or remove it from the sources; a JSON file without records contains only []",
    place: { file, line: 1 },
  });
}

/**
 * Yields the elements of a JSON array, grouped by the chunk of the file in which they end, or the single object of the
 * document.
 * @throws Failure `source_empty` for an empty file; `source_damaged` if the document is not JSON, or is neither an
 * array nor an object; `source_wrong_kind` if another document follows an object; `source_too_large` for a single
 * object beyond the limit
 */
export async function* jsonElements(source: TextSource): AsyncGenerator<FoundElements> {
  const chunks = textBytes(source);
  const start = await firstText(chunks);
  if (start === undefined) throw emptyFile(source.file);
  const { bytes: firstBytes, line } = start;
  if (firstBytes[0] === OPEN_OBJECT) {
    yield { elements: [{ bytes: await wholeDocument(source, line, joined(firstBytes, chunks)), line }] };
    return;
  }
  const splitter = arraySplitter(source.limits.jsonRecordBytes, line);
  let firstIndex = 0;
  for await (const chunk of joined(firstBytes, chunks)) {
    const elements = splitter.push(chunk);
    refuseArrayError(source.file, splitter.error());
    if (elements.length > 0) yield { elements, firstIndex };
    firstIndex += elements.length;
  }
  refuseArrayError(source.file, splitter.end());
}

/**
 * Skips leading whitespace of any length. Returns the rest of the chunk and the 1-based line on which it starts;
 * undefined if the file contains nothing else.
 */
async function firstText(chunks: AsyncGenerator<Buffer>): Promise<{ bytes: Buffer; line: number } | undefined> {
  const lines = newLineCounter();
  for (;;) {
    const next = await chunks.next();
    if (next.done === true) return undefined;
    const at = next.value.findIndex((byte) => !isSpace(byte));
    lines.add(at < 0 ? next.value : next.value.subarray(0, at));
    if (at >= 0) return { bytes: next.value.subarray(at), line: lines.line() };
  }
}

const OPEN_OBJECT = 123;

async function* joined(start: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield start;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** Reads the complete document. `line`: the 1-based line of the first byte that is not whitespace. */
async function wholeDocument(source: TextSource, line: number, chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const limit = source.limits.jsonRecordBytes;
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size > limit) {
      throw new Failure(
        "source_too_large",
        `${source.file}: contains a single JSON object of more than ${limit} bytes`,
        {
          hint: "write the records as one array, or as one object per line (.ndjson)",
        },
      );
    }
  }
  const document = Buffer.concat(parts);
  refuseBadDocument(source.file, line, document.toString());
  return document;
}

function refuseBadDocument(file: string, firstLine: number, text: string): void {
  const error = scanJson(text);
  if (error === undefined) return;
  const before = text.slice(0, error.offset);
  const line = firstLine + countLines(before);
  const place: Place = { file, line };
  if (/^[{["\d]/.test(text.slice(error.offset)) && error.reason.startsWith("text follows")) {
    throw failureAt("source_wrong_kind", place, "another JSON document begins here", {
      hint: "if each line is a document, rename the file to .ndjson; otherwise put the documents into one array",
    });
  }
  const column = before.length - Math.max(before.lastIndexOf("\n"), before.lastIndexOf("\r"));
  throw new Failure("source_damaged", `${file}:${line}:${column}: this is not JSON: ${error.reason}`, { place });
}

function refuseArrayError(file: string, error: ArrayError | undefined): void {
  if (error === undefined) return;
  throw failureAt("source_damaged", { file, line: error.line }, `this is not a JSON array: ${error.reason}`, {
    hint: "copy the file again, or check the program that wrote it: an array begins with [ and ends with ]",
  });
}

/** @throws Failure `source_wrong_kind` if the first non-blank line is only the beginning of a document */
export function refusePrettyPrinted(file: string, line: number, text: string): void {
  const start = text.trim();
  const spread = start === "{" || (start.startsWith("[") && scanJson(start) !== undefined);
  if (!spread) return;
  throw failureAt(
    "source_wrong_kind",
    { file, line },
    "the file is one JSON document that spans several lines, not one record per line",
    // `rejects.json` contains the data for the re-import of `rejects.ndjson`.
    {
      hint: "write each record on a separate line; if the file contains no rejects, you can rename it to .json instead",
    },
  );
}

/** Creates the row of a record from its text. The text is undefined if the record was too long to be kept. */
export function jsonRow(
  position: { readonly table: JsonTable; readonly line: number; readonly pointer: string },
  text: string | undefined,
  limitBytes: number,
): ReadRow {
  const { table, line, pointer } = position;
  const place = (below: string, lineInText = 0): Place => ({
    file: table.file,
    line: line + lineInText,
    pointer: pointer + below,
  });
  const broken = (finding: SourceFinding, at: Place = place("")): ReadRow => ({
    row: { ...position, value: {} },
    problems: [sourceProblem(at, finding)],
  });
  if (text === undefined) {
    return broken({ code: "source_record_too_large", limitBytes });
  }
  const parsed = parseWithoutScan(text);
  if (isJsonObject(parsed)) return { row: { table, line, pointer, value: parsed }, problems: NO_PROBLEMS };
  const problems: LocalProblem[] = [];
  const error = scanJson(text, ({ pointer: below, finding }) =>
    addProblem(problems, sourceProblem(place(below), finding)),
  );
  if (error !== undefined) {
    const lines = countLines(text.slice(0, error.offset));
    return broken(
      { code: "source_invalid_json", reason: `${error.reason} (character ${error.offset + 1} of the row)` },
      place("", lines),
    );
  }
  if (problems.some(({ code }) => code === "source_too_deep")) {
    return { row: { ...position, value: {} }, problems };
  }
  const value: JsonValue = JSON.parse(text);
  if (!isJsonObject(value)) return broken({ code: "source_not_an_object", found: kindOf(value) });
  const forbidden = problems.some(({ code }) => code === "source_forbidden_name");
  return {
    row: { ...position, value: forbidden ? withoutForbidden(value) : value },
    problems: problems.length === 0 ? NO_PROBLEMS : problems,
  };
}

function kindOf(value: JsonValue): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Removes members with forbidden names. The record already has problems for them, and later code must not see them. */
function withoutForbidden(value: JsonObject): JsonObject {
  const clean: unknown = JSON.parse(JSON.stringify(value), (name, member: unknown) =>
    FORBIDDEN_NAMES.has(name) ? undefined : member,
  );
  return isJsonObject(clean) ? clean : {};
}

function countLines(text: string): number {
  return countLineEndings(Buffer.from(text));
}
