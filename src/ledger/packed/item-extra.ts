import type { Problem } from "../../model/problem.ts";
import type { ByteList } from "../../text/byte-list.ts";
import type { PlannedItem } from "../records/planned-item.ts";

/** Properties that are stored outside the columns. In an `UnsentRun`, few items have them. */
export interface ItemExtra extends Pick<PlannedItem, "identity" | "awaits" | "problems" | "rowHash" | "asOf"> {
  readonly content: Uint8Array | undefined;
}

export function hasExtra({ problems, identity, content, awaits, rowHash, asOf }: PlannedItem): boolean {
  const hasHash = identity !== undefined || typeof content === "object" || awaits !== undefined;
  return hasHash || problems.length > 0 || rowHash !== undefined || asOf !== undefined;
}

/**
 * Appends the hashes `identity`, `content` and `awaits`, then `rowHash` and `asOf`, each preceded by its length
 * (`ABSENT` for a missing value). Finally appends the problems.
 */
export function addExtra({ problems, identity, content, awaits, rowHash, asOf }: ItemExtra, extras: ByteList): void {
  for (const hash of [identity, content, awaits]) {
    extras.addByte(hash?.length ?? ABSENT);
    if (hash !== undefined) extras.addBytes(hash);
  }
  addNumber(rowHash, extras);
  addNumber(asOf, extras);
  if (problems.length > 0) extras.addText(JSON.stringify(problems.map(withoutValue)));
}

function addNumber(number: number | undefined, extras: ByteList): void {
  extras.addByte(number === undefined ? ABSENT : NUMBER_BYTES);
  if (number === undefined) return;
  numberView.setFloat64(0, number);
  extras.addBytes(numberBytes);
}

const numberBytes = new Uint8Array(8);
const numberView = new DataView(numberBytes.buffer);
const NUMBER_BYTES: number = numberBytes.length;

/** Written instead of the length of a missing value. */
const ABSENT = 255;

/** Returns the problem without its value, which is never stored. */
export function withoutValue(problem: Problem): Problem {
  const { value: _value, ...stored } = problem;
  return stored;
}

/**
 * Reads the extra properties of one item.
 * @param bytes the encoded properties; empty if there are none
 */
export function readExtra(bytes: Buffer): ItemExtra {
  if (bytes.length === 0) return NO_EXTRA;
  let at = 0;
  const nextHash = (): Uint8Array | undefined => {
    const length = bytes[at] ?? ABSENT;
    at += 1;
    if (length === ABSENT) return undefined;
    at += length;
    return Uint8Array.from(bytes.subarray(at - length, at));
  };
  const [identity, content, awaits] = [nextHash(), nextHash(), nextHash()];
  const nextNumber = (): number | undefined => {
    const number = bytes[at] === NUMBER_BYTES ? bytes.readDoubleBE(at + 1) : undefined;
    at += number === undefined ? 1 : 1 + NUMBER_BYTES;
    return number;
  };
  const [rowHash, asOf] = [nextNumber(), nextNumber()];
  const problems: readonly Problem[] = at === bytes.length ? [] : JSON.parse(bytes.toString("utf8", at));
  return {
    identity,
    content,
    problems,
    ...(awaits !== undefined && { awaits }),
    ...(rowHash !== undefined && { rowHash }),
    ...(asOf !== undefined && { asOf }),
  };
}

const NO_EXTRA: ItemExtra = { identity: undefined, content: undefined, problems: [] };
