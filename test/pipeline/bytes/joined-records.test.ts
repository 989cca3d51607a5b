import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { Job } from "../../../src/job/job.ts";
import { unpackItems } from "../../../src/ledger/packed/packed-items.ts";
import { checkedRecords } from "../../../src/migrate.ts";
import { compileFastPath, type ScanPurpose } from "../../../src/pipeline/bytes/compile-fast-path.ts";
import type { ItemSettings, PlannedBatch } from "../../../src/pipeline/plan/plan-items.ts";
import { planItems } from "../../../src/pipeline/plan/plan-records.ts";
import { checkChunksHere } from "../../../src/pipeline/threads/check-in-threads.ts";
import { joinedPiece } from "../../../src/read/join/bytes/joined-piece.ts";
import { createByteList } from "../../../src/text/byte-list.ts";
import { campaignSize } from "../../campaign.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { CONTRACT, files, HEADERS, MAPPING, MAPPINGS, RULED } from "./odd-joined-records.ts";
import { openFolder } from "./open-folder.ts";

const ITEMS: ItemSettings = { purpose: { kind: "validate" } };
/** Settings of a run that sends records. */
const SENT_ITEMS: ItemSettings = { purpose: { kind: "send", endpoint: "POST localhost/accounts", supplier: "S1" } };

/** Returns the complete plan, or the failure that ends it. */
async function planned(batches: AsyncIterable<PlannedBatch>): Promise<unknown> {
  const items: unknown[] = [];
  const invalid: unknown[] = [];
  const excluded: unknown[] = [];
  try {
    for await (const batch of batches) {
      const packed = batch.items;
      const first = items.length;
      items.push(...unpackItems(packed));
      invalid.push(...batch.invalid.map((position) => first + position));
      excluded.push(...batch.excluded.map(({ position, row }) => ({ position: first + position, row })));
    }
  } catch (error) {
    return String(error);
  }
  return { items, invalid, excluded };
}

function joinedBytes(job: Job, items: ItemSettings): AsyncIterable<PlannedBatch> {
  const { joined } = job.input;
  if (joined === undefined) throw new Error("the input is not joined as bytes");
  const { signal } = new AbortController();
  return checkChunksHere(job, joined, { items, shownValues: undefined, signal });
}

function joinedRows(job: Job, items: ItemSettings): AsyncIterable<PlannedBatch> {
  const { signal } = new AbortController();
  return planItems(checkedRecords(job, { signal, shownValues: undefined }), job, items);
}

test("plans the same records from joined bytes as from joined rows", async () => {
  const folder = temporaryFolder({});
  const settings = fc.record({
    contract: fc.constantFrom(CONTRACT, RULED),
    mapping: fc.constantFrom(...MAPPINGS),
    items: fc.constantFrom(ITEMS, SENT_ITEMS),
  });
  await fc.assert(
    fc.asyncProperty(files, settings, async (contents, { contract, mapping, items }) => {
      const written = { ...contents, "contract.yaml": contract, "mapping.yaml": mapping };
      for (const [name, content] of Object.entries(written)) writeFileSync(path.join(folder, name), content);
      const job = await openFolder(folder);
      try {
        const expected = await planned(joinedRows(job, items));
        expect(await planned(joinedBytes(job, items))).toEqual(expected);
        const madeOnly = { ...job, mapping: { ...job.mapping, payloadNode: undefined } };
        expect(await planned(joinedBytes(madeOnly, items))).toEqual(expected);
      } finally {
        await job.input.close();
      }
    }),
    { numRuns: campaignSize({ part: 20, whole: 30 }) },
  );
});

test("reports a truncated last row for each of the accounts that the row belongs to", async () => {
  const folder = temporaryFolder({
    "contract.yaml": CONTRACT,
    "mapping.yaml": MAPPING,
    "accounts.csv": [HEADERS["accounts.csv"], "A1,Ann", "A1,Ann", ""].join("\n"),
    "people.csv": [HEADERS["people.csv"], "A1"].join("\n"),
    "more.csv": HEADERS["more.csv"],
    "meters.csv": HEADERS["meters.csv"],
  });
  const job = await openFolder(folder);
  onTestFinished(() => job.input.close());
  const plan = await planned(joinedBytes(job, ITEMS));
  expect(plan).toEqual(await planned(joinedRows(job, ITEMS)));
  expect(JSON.stringify(plan).match(/source_truncated_row/g)).toHaveLength(2);
});

test("does not need the row path for well-formed joined rows, even with quotes and several rows per parent", async () => {
  const folder = temporaryFolder({
    "contract.yaml": CONTRACT,
    "mapping.yaml": MAPPING,
    "accounts.csv": [HEADERS["accounts.csv"], "A1,Ann", "A2,Bob", "A3,Cy", ""].join("\n"),
    "people.csv": [
      HEADERS["people.csv"],
      'A2,2,"Bo, b",Smith,',
      "A1,1,Ann,Smith,",
      "A2,1,Bo,Smith,01/02/1990",
      "",
    ].join("\n"),
    "more.csv": [HEADERS["more.csv"], "1;A3;Smith;Cy;", ""].join("\n"),
    "meters.csv": [HEADERS["meters.csv"], "1,A2,G", "2,A1,P", "3,A2,G", ""].join("\n"),
  });
  const job = await openFolder(folder);
  onTestFinished(() => job.input.close());
  expect(await notPlain(job)).toEqual([]);
});

test("needs the row path only for joined rows that break a rule on several fields", async () => {
  const folder = temporaryFolder({
    "contract.yaml": RULED,
    "mapping.yaml": MAPPING.replace("kind: { from: KIND, lookup: { G: GAS, P: POWER } }", "kind: { value: GAS }"),
    "accounts.csv": [HEADERS["accounts.csv"], "A1,Ann", "A2,Bob", "A3,Cy", "A4,", "A5,Di", ""].join("\n"),
    "people.csv": `${HEADERS["people.csv"]}
A1,1,Ann,Smith,
A2,1,Bo,Smith,01/02/1990
A2,2,Bo,Smith,
A3,1,Cy,Smith,
A4,1,Cy,Smith,01/02/1990
A5,1,Di,Smith,01/02/2000
`,
    "more.csv": HEADERS["more.csv"],
    "meters.csv": [HEADERS["meters.csv"], "1,A1,G", "4,A4,G", ""].join("\n"),
  });
  const job = await openFolder(folder);
  onTestFinished(() => job.input.close());
  expect(await notPlain(job)).toEqual([2, 3, 4, 5]);
  const identifiedBy = { kind: "send", endpoint: "POST localhost/accounts", supplier: "S1" } as const;
  expect(await notPlain(job, { kind: "plan", texts: createByteList(), identifiedBy })).toEqual([2, 3, 4, 5]);
  // Planned records have already been checked.
  expect(await notPlain(job, { kind: "reread", texts: createByteList() })).toEqual([]);
});

test("needs the row path for joined rows with a problem, even if no list is built from them", async () => {
  const folder = temporaryFolder({
    "contract.yaml": CONTRACT,
    "mapping.yaml": MAPPING.slice(0, MAPPING.indexOf("  sites:")),
    "accounts.csv": [HEADERS["accounts.csv"], "A1,Ann", "A2,Bob", ""].join("\n"),
    "people.csv": [HEADERS["people.csv"], "A1,1,Ann,Smith,", "A2,1,Bo,Smith,", ""].join("\n"),
    "more.csv": HEADERS["more.csv"],
    "meters.csv": [HEADERS["meters.csv"], "1,A1,G,more", "2,A2,G", ""].join("\n"),
  });
  const job = await openFolder(folder);
  onTestFinished(() => job.input.close());
  expect(await notPlain(job)).toEqual([1]);
});

/** Returns the numbers of the records that need the row path. */
async function notPlain(job: Job, purpose: ScanPurpose = { kind: "validate" }): Promise<readonly number[]> {
  const { joined } = job.input;
  const [file] = joined?.files ?? [];
  const find = file && joined && compileFastPath(job, purpose)?.(file, joined.children);
  if (joined === undefined || find === undefined) throw new Error("the input is not joined as bytes");
  const others: number[] = [];
  for await (const chunk of joined.chunks()) {
    if ("root" in chunk) others.push(...find(joinedPiece(chunk, joined), { isFirstOnBothPaths: false }).others);
  }
  return others;
}

test("reports repeated child rows on both paths if the columns of the files have different orders", async () => {
  const folder = temporaryFolder({
    "contract.yaml": CONTRACT,
    "mapping.yaml": MAPPING,
    "accounts.csv": [HEADERS["accounts.csv"], "A1,Ann", "A2,Bob", ""].join("\n"),
    "people.csv": [HEADERS["people.csv"], "A1,1,Ann,Smith,", "A2,1,Bo,Smith,", ""].join("\n"),
    "more.csv": [HEADERS["more.csv"], "1;A1;Smith;Ann;", "1;A2;Bo;Smith;", ""].join("\n"),
    "meters.csv": HEADERS["meters.csv"],
  });
  const job = await openFolder(folder);
  onTestFinished(() => job.input.close());
  const byRows = await planned(joinedRows(job, ITEMS));
  expect(await planned(joinedBytes(job, ITEMS))).toEqual(byRows);
  expect(JSON.stringify(byRows).match(/source_repeated_row/g)).toHaveLength(1);
});

test("reports repeated child rows of a rejects file on both paths", async () => {
  const folder = temporaryFolder({
    "contract.yaml": CONTRACT,
    "mapping.yaml": MAPPING,
    "accounts.csv": [HEADERS["accounts.csv"], "A1,Ann", "A2,Bob", ""].join("\n"),
    "people.csv": [
      `${HEADERS["people.csv"]},migrate_key,migrate_detail`,
      "A1,1,Ann,Smith,,A1,LAST: Bad.",
      "A1,1,Ann,Smith,,A1,",
      "A2,1,Bo,Smith,,A2,",
      "",
    ].join("\n"),
    "more.csv": HEADERS["more.csv"],
    "meters.csv": HEADERS["meters.csv"],
  });
  const job = await openFolder(folder);
  onTestFinished(() => job.input.close());
  const byRows = await planned(joinedRows(job, ITEMS));
  expect(await planned(joinedBytes(job, ITEMS))).toEqual(byRows);
  expect(JSON.stringify(byRows).match(/source_repeated_row/g)).toHaveLength(1);
});

test("reports repeated child rows on both paths if a list builds items from them in two ways", async () => {
  const thing = {
    type: "object",
    properties: {
      ref: { type: "string" },
      parts: {
        type: "array",
        items: {
          type: "object",
          properties: { name: { type: "string" }, inner: { type: "array", items: { type: "object" } } },
        },
      },
    },
  };
  const content = { "application/json": { schema: thing } };
  const folder = temporaryFolder({
    "contract.yaml": JSON.stringify({
      openapi: "3.0.3",
      paths: { "/things/": { post: { operationId: "thing", "x-migrate-key": "ref", requestBody: { content } } } },
    }),
    "mapping.yaml": `
sources:
  things: { files: things.csv, key: REF }
  parts: { files: parts.csv, parent: things, on: REF }
payload:
  ref: REF
  parts: [{ inner: { each: parts, item: {} } }, { each: parts, item: { name: NAME } }]
`,
    "things.csv": "REF\n1\n2\n",
    "parts.csv": "REF,NAME\n1,A\n2,B\n2,B\n2,C\n",
  });
  const job = await openFolder(folder);
  onTestFinished(() => job.input.close());
  for (const items of [ITEMS, SENT_ITEMS]) {
    const byRows = await planned(joinedRows(job, items));
    expect(await planned(joinedBytes(job, items))).toEqual(byRows);
    expect(JSON.stringify(byRows)).toContain("source_repeated_row");
  }
});
