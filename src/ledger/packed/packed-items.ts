import type { Problem } from "../../model/problem.ts";
import type { PlannedItem } from "../ledger.ts";
import { createByteList } from "../../text/byte-list.ts";
import {
  columnsIn,
  extraOf,
  FLAG,
  type ItemColumns,
  keyOf,
  newColumns,
  type PackedItems,
  type ProblemCounts,
} from "./item-columns.ts";
import { packKey } from "./packed-key.ts";

const keys = createByteList();
const extras = createByteList();

/** Keys are kept in NFC and UTF-8, and problems without the value that they were found in, as a ledger keeps them. */
export function packItems(items: readonly PlannedItem[]): PackedItems {
  const { marks, keyEnds, extraEnds } = packTexts(items);
  const memory = newColumns({ count: items.length, keyBytes: keys.length(), extraBytes: extras.length() });
  const columns = columnsIn(memory);
  columns.marks.set(marks);
  columns.keyEnds.set(keyEnds);
  columns.extraEnds.set(extraEnds);
  columns.keys.set(keys.bytes());
  columns.extras.set(extras.bytes());
  const { records, lines, contents, fileNumbers, flags } = columns;
  const files: string[] = [];
  let file: string | undefined;
  let index = 0;
  for (const item of items) {
    if (item.file !== file) files.push(item.file);
    file = item.file;
    records[index] = item.record;
    lines[index] = item.line;
    contents[index] = contentNumber(item.content);
    fileNumbers[index] = files.length - 1;
    flags[index] = flagsOf(item);
    index += 1;
  }
  return { columns: memory, files, problems: countProblems(items) };
}

/** Fills the lists of keys and extras. */
function packTexts(items: readonly PlannedItem[]): Pick<ItemColumns, "marks" | "keyEnds" | "extraEnds"> {
  const marks = new Float64Array(items.length);
  const [keyEnds, extraEnds] = [new Uint32Array(items.length), new Uint32Array(items.length)];
  keys.clear();
  extras.clear();
  let index = 0;
  for (const item of items) {
    marks[index] = item.key === undefined ? Number.NaN : packKey(item.key, keys);
    keyEnds[index] = keys.length();
    if (hasExtra(item)) addExtra(item);
    extraEnds[index] = extras.length();
    index += 1;
  }
  return { marks, keyEnds, extraEnds };
}

function countProblems(items: readonly PlannedItem[]): ProblemCounts {
  const counts = { error: new Map<string, number>(), warning: new Map<string, number>() };
  for (const { problems } of items) {
    if (problems.length === 0) continue;
    for (const { severity, code, unlisted = 0 } of problems) {
      const byCode = counts[severity];
      byCode.set(code, (byCode.get(code) ?? 0) + 1 + unlisted);
    }
  }
  return counts;
}

function flagsOf(item: PlannedItem): number {
  const invalid = item.status === "invalid" ? FLAG.invalid : 0;
  return invalid | (hasExtra(item) ? FLAG.extra : 0) | (item.key === undefined ? 0 : FLAG.key);
}

/** The first 52 bits of a sha256 tell contents apart as well as a fast hash of 52 bits does. */
function contentNumber(content: PlannedItem["content"]): number {
  if (content === undefined) return Number.NaN;
  if (typeof content === "number") return content;
  return content.subarray(0, 6).reduce((sum, byte) => sum * 256 + byte, (content[6] ?? 0) & 0xf);
}

function hasExtra({ problems, identity, content, awaits }: PlannedItem): boolean {
  return problems.length > 0 || identity !== undefined || typeof content === "object" || awaits !== undefined;
}

/** Three hashes, each behind its length, then the problems. */
function addExtra({ problems, identity, content, awaits }: PlannedItem): void {
  for (const hash of [identity, typeof content === "object" ? content : undefined, awaits]) {
    extras.addByte(hash?.length ?? NO_HASH);
    if (hash !== undefined) extras.addBytes(hash);
  }
  if (problems.length > 0) extras.addText(JSON.stringify(problems.map(withoutValue)));
}

const NO_HASH = 255;

/** The value that a problem was found in is never stored. */
export function withoutValue(problem: Problem): Problem {
  const { value: _value, ...stored } = problem;
  return stored;
}

interface Extra extends Pick<PlannedItem, "identity" | "awaits" | "problems"> {
  readonly content: Uint8Array | undefined;
}

/** @param bytes the extra of one item; none: it has none */
export function readExtra(bytes: Buffer): Extra {
  if (bytes.length === 0) return NO_EXTRA;
  let at = 0;
  const nextHash = (): Uint8Array | undefined => {
    const length = bytes[at] ?? NO_HASH;
    at += 1;
    if (length === NO_HASH) return undefined;
    at += length;
    return Uint8Array.from(bytes.subarray(at - length, at));
  };
  const [identity, content, awaits] = [nextHash(), nextHash(), nextHash()];
  const problems: readonly Problem[] = at === bytes.length ? [] : JSON.parse(bytes.toString("utf8", at));
  return { identity, content, problems, ...(awaits !== undefined && { awaits }) };
}

const NO_EXTRA: Extra = { identity: undefined, content: undefined, problems: [] };

/** For items whose place in the whole input was not known when they were packed. */
export function addToRecordNumbers({ columns }: PackedItems, added: number): void {
  const { records } = columnsIn(columns);
  for (const [index, record] of records.entries()) records[index] = record + added;
}

export function isPacked(items: readonly PlannedItem[] | PackedItems): items is PackedItems {
  return "columns" in items;
}

export function unpackItems({ columns: memory, files }: PackedItems): readonly PlannedItem[] {
  const columns = columnsIn(memory);
  return Array.from({ length: columns.count }, (_, index) => unpackItem(columns, index, files));
}

function unpackItem(columns: ItemColumns, index: number, files: readonly string[]): PlannedItem {
  const flag = columns.flags[index] ?? 0;
  const content = columns.contents[index] ?? Number.NaN;
  const extra = readExtra(extraOf(columns, index));
  return {
    record: columns.records[index] ?? 0,
    key: keyOf(columns, index),
    file: files[columns.fileNumbers[index] ?? 0] ?? "",
    line: columns.lines[index] ?? 0,
    status: (flag & FLAG.invalid) === 0 ? "valid" : "invalid",
    ...extra,
    content: extra.content ?? (Number.isNaN(content) ? undefined : content),
  };
}
