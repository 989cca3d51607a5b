import { expect } from "vitest";
import type { Job } from "../../../src/job/job.ts";
import { unpackItems } from "../../../src/ledger/packed/packed-items.ts";
import { piecesIn } from "../../../src/pipeline/bytes/chunk-pieces.ts";
import { compileFastPath, type ScanPurpose } from "../../../src/pipeline/bytes/compile-fast-path.ts";
import type { CheckAnswer } from "../../../src/pipeline/threads/check-batches.ts";
import { checkChunks, type ChunkSettings } from "../../../src/pipeline/threads/check-chunks.ts";
import type { PackedPayloads } from "../../../src/pipeline/threads/packed-payloads.ts";
import { createByteList } from "../../../src/text/byte-list.ts";
import { openFolder } from "./open-folder.ts";

/** Settings of a run that only validates. */
export const CHECK: ChunkSettings = { items: { purpose: { kind: "validate" } }, showValues: true };
/** Settings of a run that sends records. */
export const SENT = {
  items: { purpose: { kind: "send", endpoint: "POST localhost/things", supplier: 'S "1"' } },
  showValues: true,
  keepsPayloads: true,
} satisfies ChunkSettings;

/** Returns the planned items and the kept payloads of each chunk, and the failure that ends the check. */
export async function planned(job: Job, settings: ChunkSettings): Promise<unknown> {
  const { chunked } = job.input;
  if (chunked === undefined) throw new Error("the input does not come in chunks");
  const answerOf = checkChunks(job, chunked, settings);
  const answers: unknown[] = [];
  try {
    for await (const chunk of chunked.chunks()) {
      const { unnumbered, checked, payloads } = await answerOf(chunk);
      const { batches, ...more } = checked;
      answers.push({ unnumbered, ...more, ...asOneBatch(batches), payloads: payloads && textsOf(payloads) });
    }
  } catch (error) {
    answers.push(String(error));
  }
  return answers;
}

/** Plans a run that sends. Returns the key of each record and, if its payload was kept, the JSON of the payload. */
export async function plannedTexts(job: Job): Promise<readonly (readonly [key: string | undefined, text?: string])[]> {
  const { chunked } = job.input;
  if (chunked === undefined) throw new Error("the input does not come in chunks");
  const answerOf = checkChunks(job, chunked, SENT);
  const records: (readonly [key: string | undefined, text?: string])[] = [];
  for await (const chunk of chunked.chunks()) {
    const { checked, payloads } = await answerOf(chunk);
    const texts = new Map(payloads && textsOf(payloads));
    const items = checked.batches.flatMap((batch) => unpackItems(batch.items));
    for (const [position, { key }] of items.entries()) {
      const text = texts.get(position);
      records.push(text === undefined ? [key] : [key, text]);
    }
  }
  return records;
}

/** Returns the kept payloads with the positions of their records in the chunk. */
function textsOf({ bytes, starts, ends }: PackedPayloads): readonly (readonly [position: number, text: string])[] {
  const text = (position: number, end: number): string => Buffer.from(bytes).toString("utf8", starts[position], end);
  return [...ends].flatMap((end, position) => (end === 0 ? [] : [[position, text(position, end)] as const]));
}

/**
 * Joins batches for a comparison. Batch boundaries do not affect results, and the fast path joins batches without
 * errors.
 */
function asOneBatch(batches: CheckAnswer["batches"]): object {
  let first = 0;
  const placed = batches.map(({ count, items, invalid, excluded, fileCells, shown }) => {
    const behind = first;
    first += count;
    const at = <T extends { readonly position: number }>(found: T): T => ({
      ...found,
      position: behind + found.position,
    });
    return {
      items: unpackItems(items),
      problems: [...items.problems.error, ...items.problems.warning],
      invalid: invalid.map((position) => behind + position),
      excluded: excluded.map(at),
      fileCells: fileCells.map(at),
      shown: shown.map(([position, ...value]) => [behind + position, ...value]),
    };
  });
  return {
    count: first,
    items: placed.flatMap(({ items }) => items),
    problems: totals(placed.flatMap(({ problems }) => problems)),
    invalid: placed.flatMap(({ invalid }) => invalid),
    excluded: placed.flatMap(({ excluded }) => excluded),
    fileCells: placed.flatMap(({ fileCells }) => fileCells),
    shown: placed.flatMap(({ shown }) => shown),
  };
}

function totals(counts: readonly (readonly [code: string, count: number])[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [code, count] of counts) sums.set(code, (sums.get(code) ?? 0) + count);
  return sums;
}

export function withoutFastPath(job: Job): Job {
  return { ...job, mapping: { ...job.mapping, payloadNode: undefined } };
}

/** Checks that the fast path and the row path plan the records of a folder in the same way. */
export async function expectSamePlans(folder: string): Promise<void> {
  const job = await openFolder(folder);
  try {
    for (const settings of [CHECK, SENT])
      expect(await planned(job, settings)).toEqual(await planned(withoutFastPath(job), settings));
  } finally {
    await job.input.close();
  }
}

/** Returns the numbers of the records that need the row path, by piece; undefined if there is no fast path. */
export async function onRowPath(
  { input, ...job }: Job,
  { items: { purpose } }: ChunkSettings = CHECK,
): Promise<readonly number[] | undefined> {
  const { chunked } = input;
  const [opened] = chunked?.files ?? [];
  if (chunked === undefined || opened === undefined) return undefined;
  const scan: ScanPurpose =
    purpose.kind === "validate" ? purpose : { kind: "plan", texts: createByteList(), identifiedBy: purpose };
  const find = compileFastPath(job, scan)?.(opened, []);
  if (find === undefined) return undefined;
  const others: number[] = [];
  for await (const chunk of chunked.chunks())
    for (const piece of piecesIn(chunk, chunked)) others.push(...find(piece, { isFirstOnBothPaths: false }).others);
  return others;
}
