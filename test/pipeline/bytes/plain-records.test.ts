import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { Job } from "../../../src/job/job.ts";
import { unpackItems } from "../../../src/ledger/packed/packed-items.ts";
import { compilePlainRecords, type PlainPurpose } from "../../../src/pipeline/bytes/plain-records.ts";
import type { CheckAnswer } from "../../../src/pipeline/threads/check-batches.ts";
import { checkChunks, type ChunkSettings } from "../../../src/pipeline/threads/check-chunks.ts";
import type { PackedPayloads } from "../../../src/pipeline/threads/packed-payloads.ts";
import { csvPiecesOf } from "../../../src/read/chunks/chunk-rows.ts";
import { createByteList } from "../../../src/text/byte-list.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { openFolder } from "./open-folder.ts";
import { COLUMNS, CONTRACT, file, GOOD, MAPPING } from "./odd-records.ts";

function folderOf(content: string, mapping = MAPPING): string {
  return temporaryFolder({ "contract.yaml": CONTRACT, "mapping.yaml": mapping, "things.csv": content });
}

const CHECK = { items: { endpoint: "", supplier: "" }, showValues: true };
/** Of a run that sends. */
const SENT = {
  items: { endpoint: "POST localhost/things", supplier: 'S "1"' },
  showValues: true,
  keepsPayloads: true,
} satisfies ChunkSettings;

/** Everything that is planned, the payloads that are kept, and the failure that ends it. */
async function planned(job: Job, settings: ChunkSettings): Promise<unknown> {
  const { chunked } = job.input;
  if (chunked === undefined) throw new Error("the input does not come in chunks");
  const answerOf = checkChunks(job, chunked, settings);
  const answers: unknown[] = [];
  try {
    for await (const chunk of chunked.chunks()) {
      const { unnumbered, checked, payloads } = answerOf(chunk);
      const { batches, ...more } = checked;
      answers.push({ unnumbered, ...more, ...asOneBatch(batches), payloads: payloads && textsOf(payloads) });
    }
  } catch (error) {
    answers.push(String(error));
  }
  return answers;
}

/** By the positions of their records in the chunk. */
function textsOf({ bytes, starts, ends }: PackedPayloads): readonly (readonly [position: number, text: string])[] {
  const text = (position: number, end: number): string => Buffer.from(bytes).toString("utf8", starts[position], end);
  return [...ends].flatMap((end, position) => (end === 0 ? [] : [[position, text(position, end)] as const]));
}

/** Batches without errors are handed on together where records are told by their bytes: nothing depends on where one ends. */
function asOneBatch(batches: CheckAnswer["batches"]): object {
  let first = 0;
  const placed = batches.map(({ count, items, invalid, excluded, keyColumns, shown }) => {
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
      keyColumns: keyColumns.map(at),
      shown: shown.map(([position, ...value]) => [behind + position, ...value]),
    };
  });
  return {
    count: first,
    items: placed.flatMap(({ items }) => items),
    problems: totals(placed.flatMap(({ problems }) => problems)),
    invalid: placed.flatMap(({ invalid }) => invalid),
    excluded: placed.flatMap(({ excluded }) => excluded),
    keyColumns: placed.flatMap(({ keyColumns }) => keyColumns),
    shown: placed.flatMap(({ shown }) => shown),
  };
}

function totals(counts: readonly (readonly [code: string, count: number])[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [code, count] of counts) sums.set(code, (sums.get(code) ?? 0) + count);
  return sums;
}

/** The same of a job whose records are all made and checked. */
function madeRecords(job: Job): Job {
  return { ...job, mapping: { ...job.mapping, payloadNode: undefined } };
}

function purposeOf(items: ChunkSettings["items"]): PlainPurpose {
  return items.endpoint === "" ? {} : { texts: createByteList(), planned: items };
}

/** The numbers of the records that bytes alone do not tell. */
async function notPlain({ input, ...job }: Job, { items } = CHECK): Promise<readonly number[] | undefined> {
  const { chunked } = input;
  const [opened] = chunked?.files ?? [];
  if (chunked === undefined || opened?.kind !== "csv") return undefined;
  const find = compilePlainRecords(job, purposeOf(items))?.(opened, []);
  if (find === undefined) return undefined;
  const others: number[] = [];
  for await (const chunk of chunked.chunks()) {
    for (const piece of csvPiecesOf(chunk, opened)) others.push(...find(piece, { isFirstMade: false }).others);
  }
  return others;
}

test("records that are told by their bytes are planned as if they were made and checked", async () => {
  const folder = folderOf("");
  await fc.assert(
    fc.asyncProperty(file, async (content) => {
      writeFileSync(path.join(folder, "things.csv"), content);
      const job = await openFolder(folder);
      try {
        for (const settings of [CHECK, SENT])
          expect(await planned(job, settings)).toEqual(await planned(madeRecords(job), settings));
      } finally {
        await job.input.close();
      }
    }),
    { numRuns: 100 },
  );
});

test("of good rows none is made, quoted ones, other alphabets and empty cells among them", async () => {
  const rows = [
    GOOD,
    GOOD.with(0, "0a b").with(1, "Zoë"),
    GOOD.with(12, '"12, ""High"" St"').with(0, "A3"),
    GOOD.with(0, "A4").with(12, '"High St, top floor"'),
    GOOD.with(0, "A5").with(4, "").with(5, "").with(6, ""),
    GOOD.with(0, "A6").with(3, "x"),
    GOOD.with(0, "A7").with(3, ""),
    GOOD.with(0, " A8 ").with(1, "toolong"),
    GOOD.with(0, "A9").with(12, "").with(13, ""),
  ];
  const job = await openFolder(folderOf([COLUMNS, ...rows].map((cells) => cells.join(",")).join("\n")));
  onTestFinished(() => job.input.close());
  // Doubled quotes are left to the parser; the other one has an error.
  expect(await notPlain(job)).toEqual([3, 8]);
  expect(await notPlain(job, SENT)).toEqual([3, 8]);
});

test.each([
  ["a key that every record has", MAPPING.replace("ref: REF", "ref: { value: A }")],
  ["a key with leading zeros taken away", MAPPING.replace("ref: REF", "ref: { from: REF, replace: [['0', '']] }")],
  ["a key that is one of two cells", MAPPING.replace("ref: REF", "ref: { from: [REF, CODE] }")],
  ["a nested key", `key: place.street\n${MAPPING}`],
])("records are planned the same by their bytes with %s", async (_, mapping) => {
  const rows = [GOOD, GOOD.with(0, "007"), GOOD.with(0, ""), GOOD.with(0, "Zoë").with(12, " "), GOOD.with(12, "Ä 1")];
  const job = await openFolder(folderOf([COLUMNS, ...rows].map((cells) => cells.join(",")).join("\n"), mapping));
  onTestFinished(() => job.input.close());
  expect((await notPlain(job))?.length).toBeLessThan(4);
  for (const settings of [CHECK, SENT])
    expect(await planned(job, settings)).toEqual(await planned(madeRecords(job), settings));
});

test("a time that is not sent as it is given is made, and its record known by what the rows hold", async () => {
  const given = ["2024-01-01T00:00:00Z", "2024-01-01T02:00:00+02:00"];
  const rows = given.map((seen, index) => GOOD.with(0, `A${index}`).with(COLUMNS.indexOf("SEEN"), seen));
  const job = await openFolder(folderOf([COLUMNS, ...rows, []].map((cells) => cells.join(",")).join("\n")));
  onTestFinished(() => job.input.close());
  expect(await notPlain(job)).toEqual([]);
  expect(await notPlain(job, SENT)).toEqual([2]);
  const sent = expect.stringContaining('"seen":"2024-01-01T00:00:00Z"');
  expect(await planned(job, SENT)).toMatchObject([
    {
      payloads: [
        [0, sent],
        [1, sent],
      ],
    },
  ]);
});
