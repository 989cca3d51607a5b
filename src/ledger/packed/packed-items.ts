import type { Problem } from "../../model/problem.ts";
import type { PlannedItem } from "../ledger.ts";
import { createByteList } from "./byte-list.ts";
import { columnsIn, FLAG, type ItemColumns, newColumns, NUMBER, NUMBERS, type PackedItems } from "./item-columns.ts";
import { packKey } from "./packed-key.ts";

const keys = createByteList();
const extras = createByteList();

/** Keys are kept in NFC and UTF-8, and problems without the value that they were found in, as a ledger keeps them. */
export function packItems(items: readonly PlannedItem[]): PackedItems {
  keys.clear();
  extras.clear();
  const found = items.map((item) => ({ item, ...packTexts(item) }));
  const memory = newColumns({ count: items.length, keyBytes: keys.length(), extraBytes: extras.length() });
  const columns = columnsIn(memory);
  const files: string[] = [];
  for (const [index, { item, mark, keyEnd, extraEnd }] of found.entries()) {
    if (files.at(-1) !== item.file) files.push(item.file);
    const at = index * NUMBERS;
    columns.numbers[at + NUMBER.record] = item.record;
    columns.numbers[at + NUMBER.line] = item.line;
    columns.numbers[at + NUMBER.content] = contentNumber(item.content);
    columns.numbers[at + NUMBER.mark] = mark;
    columns.keyEnds[index] = keyEnd;
    columns.fileNumbers[index] = files.length - 1;
    columns.extraEnds[index] = extraEnd;
    columns.flags[index] = flagsOf(item);
  }
  columns.keys.set(keys.bytes());
  columns.extras.set(extras.bytes());
  return { columns: memory, files };
}

interface PackedTexts {
  readonly mark: number;
  readonly keyEnd: number;
  readonly extraEnd: number;
}

function packTexts(item: PlannedItem): PackedTexts {
  const mark = item.key === undefined ? Number.NaN : packKey(item.key, keys);
  if (hasExtra(item)) addExtra(item);
  return { mark, keyEnd: keys.length(), extraEnd: extras.length() };
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
function withoutValue(problem: Problem): Problem {
  const { value: _value, ...stored } = problem;
  return stored;
}

interface Extra extends Pick<PlannedItem, "identity" | "awaits" | "problems"> {
  readonly content: Uint8Array | undefined;
}

/** @param bytes the extra of one item; none: it has none */
function readExtra(bytes: Uint8Array): Extra {
  if (bytes.length === 0) return NO_EXTRA;
  let at = 0;
  const nextHash = (): Uint8Array | undefined => {
    const length = bytes[at] ?? NO_HASH;
    at += 1;
    if (length === NO_HASH) return undefined;
    at += length;
    return bytes.slice(at - length, at);
  };
  const [identity, content, awaits] = [nextHash(), nextHash(), nextHash()];
  const found = { identity, content, problems: at === bytes.length ? [] : parseProblems(bytes.subarray(at)) };
  return awaits === undefined ? found : { ...found, awaits };
}

const NO_EXTRA: Extra = { identity: undefined, content: undefined, problems: [] };

function parseProblems(bytes: Uint8Array): readonly Problem[] {
  const problems: readonly Problem[] = JSON.parse(decoder.decode(bytes));
  return problems;
}

/** A mark of the byte order is a character of a key like any other. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** For items whose place in the whole input was not known when they were packed. */
export function addToRecordNumbers({ columns }: PackedItems, added: number): void {
  const { numbers } = columnsIn(columns);
  for (let at = NUMBER.record; at < numbers.length; at += NUMBERS) numbers[at] = (numbers[at] ?? 0) + added;
}

export function isPacked(items: readonly PlannedItem[] | PackedItems): items is PackedItems {
  return "columns" in items;
}

export function unpackItems({ columns: memory, files }: PackedItems): readonly PlannedItem[] {
  const columns = columnsIn(memory);
  return Array.from({ length: columns.count }, (_, index) => unpackItem(columns, index, files));
}

function unpackItem(columns: ItemColumns, index: number, files: readonly string[]): PlannedItem {
  const { numbers, flags, fileNumbers } = columns;
  const numberOf = (name: keyof typeof NUMBER): number => numbers[index * NUMBERS + NUMBER[name]] ?? Number.NaN;
  const flag = flags[index] ?? 0;
  const content = numberOf("content");
  const extra = readExtra(pieceOf(columns.extras, columns.extraEnds, index));
  return {
    record: numberOf("record"),
    key: (flag & FLAG.key) === 0 ? undefined : decoder.decode(pieceOf(columns.keys, columns.keyEnds, index)),
    file: files[fileNumbers[index] ?? 0] ?? "",
    line: numberOf("line"),
    status: (flag & FLAG.invalid) === 0 ? "valid" : "invalid",
    ...extra,
    content: extra.content ?? (Number.isNaN(content) ? undefined : content),
  };
}

/** One of the pieces that lie one behind the other, and end where `ends` says. */
function pieceOf(bytes: Uint8Array, ends: Uint32Array, index: number): Uint8Array {
  return bytes.subarray(index === 0 ? 0 : ends[index - 1], ends[index]);
}
