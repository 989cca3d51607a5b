import { hash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { endianness } from "node:os";
import path from "node:path";
import { z } from "zod";
import { replaceFile } from "../../files/replace-file.ts";
import type { DestinationState } from "../../ledger/migration-state.ts";

type Destination = Pick<DestinationState, "endpoint" | "supplier">;

export interface CountedPlatform {
  readonly target: string;
  readonly destinations: readonly Destination[];
}

interface CountHeader extends CountedPlatform {
  /** Identifies the inventory file and its content. */
  readonly basis: string;
  /** Number of distinct keys in the inventory. */
  readonly expected: number;
  /** Ids of the compared pushes. */
  readonly runs: readonly string[];
}

/** A comparison of an inventory with the pushes to a platform. */
export interface StoredCount extends CountHeader {
  /** The keys that are in none of these pushes. */
  readonly missing: KeyMarks;
}

const headerSchema: z.ZodType<CountHeader & { readonly checksum: string }> = z.object({
  // The marks are in the byte order of the machine that wrote the file.
  order: z.literal(endianness()),
  basis: z.string(),
  target: z.string(),
  destinations: z.array(z.object({ endpoint: z.string(), supplier: z.string() })),
  expected: z.number(),
  runs: z.array(z.string()),
  // SHA-256 of the marks. The file is not synced to the disk, so a power failure can corrupt it.
  checksum: z.string(),
});

/** Returns the count for these destinations; undefined if the folder does not contain it. */
export async function readCount(folder: string, platform: CountedPlatform): Promise<StoredCount | undefined> {
  const stored = await readCountFile(path.join(folder, nameOf(platform)));
  return stored && addresses(stored) === addresses(platform) ? stored : undefined;
}

export async function readCounts(folder: string): Promise<readonly StoredCount[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => NAME.test(name)).map((name) => readCountFile(path.join(folder, name)));
  return (await Promise.all(files)).filter((stored) => stored !== undefined);
}

/** Stores the count, and removes the stored counts of other inventories. */
export async function storeCount(folder: string, { missing, ...count }: StoredCount): Promise<void> {
  const own = nameOf(count);
  const others = (await readdir(folder)).filter((name) => NAME.test(name) && name !== own);
  for (const file of others.map((name) => path.join(folder, name))) {
    if ((await readCountFile(file))?.basis !== count.basis) await rm(file, { force: true });
  }
  const destinations = count.destinations.map(({ endpoint, supplier }) => ({ endpoint, supplier }));
  const marks = new Uint8Array(missing.buffer, missing.byteOffset, missing.byteLength);
  const header = JSON.stringify({ order: endianness(), ...count, destinations, checksum: hash("sha256", marks) });
  // Pads the line with spaces, so that the marks begin at a multiple of their size.
  const spaces = " ".repeat(7 - (Buffer.byteLength(header) % 8));
  const line = Buffer.from(`${header}${spaces}\n`);
  await replaceFile(path.join(folder, own), Buffer.concat([line, marks]), { durable: false });
}

const NAME = /^inventory-[\da-f]{16}\.bin$/;

function nameOf({ target, destinations }: CountedPlatform): string {
  return `inventory-${hash("sha256", JSON.stringify([target, destinations[0]?.endpoint])).slice(0, 16)}.bin`;
}

function addresses({ target, destinations }: CountedPlatform): string {
  return JSON.stringify([target, destinations.map(({ endpoint, supplier }) => [endpoint, supplier])]);
}

/** Reads a JSON line, then the marks. Returns undefined if the file is missing, corrupt or from another version. */
async function readCountFile(file: string): Promise<StoredCount | undefined> {
  try {
    const bytes = await readFile(file);
    const end = bytes.indexOf("\n") + 1;
    const { checksum, ...count } = headerSchema.parse(JSON.parse(bytes.toString("utf8", 0, end)));
    if (hash("sha256", bytes.subarray(end)) !== checksum) return undefined;
    // Copies the bytes only if they are not aligned. This can happen only to a small file, because Node.js reads small
    // files into a shared buffer.
    const { buffer, byteOffset } = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
    return { ...count, missing: new BigUint64Array(buffer, byteOffset + end, (bytes.length - end) / 8) };
  } catch {
    return undefined;
  }
}

/**
 * A set of keys in NFC. Contains each key's mark (the first 64 bits of its SHA-256) once, in ascending order. The
 * probability that any two of 10,000,000 keys have the same mark is 3 in a million.
 */
export type KeyMarks = BigUint64Array;

/** Returns the set of these keys. Memory: at most 24 bytes per key. */
export async function marksOf(keys: AsyncIterable<{ readonly key: string }>): Promise<KeyMarks> {
  const pieces: BigUint64Array[] = [];
  let count = 0;
  for await (const { key } of keys) {
    const at = count % PIECE;
    if (at === 0) pieces.push(new BigUint64Array(PIECE));
    pieces.at(-1)?.fill(markOf(key), at, at + 1);
    count += 1;
  }
  const marks = new BigUint64Array(count);
  for (const [index, piece] of pieces.entries()) {
    const from = index * PIECE;
    marks.set(piece.subarray(0, count - from), from);
  }
  pieces.length = 0;
  const sorted = marks.toSorted();
  return marksWithout(sorted, (index) => index > 0 && sorted[index] === sorted[index - 1]);
}

/** Number of marks that are allocated together. */
const PIECE = 65_536;

/** Returns the position of a key in the set; undefined if the key is absent. */
export function indexOfKey(marks: KeyMarks, key: string): number | undefined {
  const mark = markOf(key);
  let [from, to] = [0, marks.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((marks[middle] ?? 0n) < mark) from = middle + 1;
    else to = middle;
  }
  return marks[from] === mark ? from : undefined;
}

/** Copies the set without the marks at the omitted positions. `filter` would allocate every mark on the heap. */
export function marksWithout(marks: KeyMarks, isOmitted: (index: number) => boolean): KeyMarks {
  let count = 0;
  for (let index = 0; index < marks.length; index += 1) if (!isOmitted(index)) count += 1;
  const copy = new BigUint64Array(count);
  let kept = 0;
  for (let index = 0; kept < count; index += 1) {
    if (isOmitted(index)) continue;
    copy[kept] = marks[index] ?? 0n;
    kept += 1;
  }
  return copy;
}

/**
 * Returns the mark of a key. Gets the hash as a string, because a buffer for each hash would take more memory than all
 * the marks.
 */
function markOf(key: string): bigint {
  return BigInt(`0x${hash("sha256", key).slice(0, 16)}`);
}
