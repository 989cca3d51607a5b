import type { Problem } from "../../model/problem.ts";
import type { ByteList } from "../../text/byte-list.ts";
import type { PlannedItem } from "../ledger.ts";
import { HASH_BYTES } from "../records/record-hashes.ts";

/** What few items have beside their columns. */
export interface ItemExtra extends Pick<PlannedItem, "identity" | "awaits" | "problems"> {
  readonly content: Uint8Array | undefined;
}

export function hasExtra({ problems, identity, content, awaits }: PlannedItem): boolean {
  return problems.length > 0 || identity !== undefined || typeof content === "object" || awaits !== undefined;
}

/** Three hashes, each behind its length, then the problems. */
export function addExtra({ problems, identity, content, awaits }: PlannedItem, extras: ByteList): void {
  for (const hash of [identity, typeof content === "object" ? content : undefined, awaits]) {
    extras.addByte(hash?.length ?? NO_HASH);
    if (hash !== undefined) extras.addBytes(hash);
  }
  if (problems.length > 0) extras.addText(JSON.stringify(problems.map(withoutValue)));
}

/** The same of an item that has nothing but its two hashes, one behind the other. */
export function addHashes(hashes: Uint8Array, start: number, extras: ByteList): void {
  for (let at = start; at < start + 2 * HASH_BYTES; at += HASH_BYTES) {
    extras.addByte(HASH_BYTES);
    extras.addBytes(hashes, at, at + HASH_BYTES);
  }
  extras.addByte(NO_HASH);
}

const NO_HASH = 255;

/** The value that a problem was found in is never stored. */
export function withoutValue(problem: Problem): Problem {
  const { value: _value, ...stored } = problem;
  return stored;
}

/** @param bytes the extra of one item; none: it has none */
export function readExtra(bytes: Buffer): ItemExtra {
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

const NO_EXTRA: ItemExtra = { identity: undefined, content: undefined, problems: [] };
