import { afterEach, expect, test, vi } from "vitest";
import { unpackItems } from "../../../src/ledger/packed/packed-items.ts";
import type { PlannedBatch } from "../../../src/pipeline/plan/plan-items.ts";
import { checkChunksHere, checkInThreads } from "../../../src/pipeline/threads/check-in-threads.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { CONTRACT, HEADERS, MAPPING } from "../bytes/odd-joined-records.ts";
import { openFolder } from "../bytes/open-folder.ts";
import { CHECK } from "../bytes/planned-chunks.ts";

const ACCOUNTS = 12_000;
const numbers = Array.from({ length: ACCOUNTS }, (_, index) => index);

/** More than one chunk (256 KiB). Every hundredth name is too long. */
const FILES = {
  "contract.yaml": CONTRACT,
  "mapping.yaml": MAPPING,
  "accounts.csv": table("accounts.csv", (index) => `A${index},${index % 100 === 0 ? "Too long" : "Ann"}`),
  "people.csv": table("people.csv", (index) => `A${index},1,Ann,Smith,01/02/1990`),
  "more.csv": `${HEADERS["more.csv"]}\n`,
  "meters.csv": table("meters.csv", (index) => `${index},A${index},G`),
};

function table(name: keyof typeof HEADERS, row: (index: number) => string): string {
  return [HEADERS[name], ...numbers.map(row), ""].join("\n");
}

afterEach(() => {
  vi.restoreAllMocks();
});

/** Makes time pass quickly, so that the remaining work always seems to take a long time. */
function passQuickly(): void {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation((): number => {
    now += 1e6;
    return now;
  });
}

async function plannedBy(folder: string, check: typeof checkInThreads, onlyIfSlow: boolean): Promise<unknown> {
  const job = await openFolder(folder);
  const { signal } = new AbortController();
  const items: unknown[] = [];
  const invalid: unknown[] = [];
  const options = { items: CHECK.items, shownValues: undefined, signal, threads: 3, onlyIfSlow };
  try {
    for await (const batch of check(job, options)) {
      invalid.push(...batch.invalid.map((position) => items.length + position));
      items.push(...itemsOf(batch));
    }
  } finally {
    await job.input.close();
  }
  return { items, invalid };
}

function itemsOf({ items }: PlannedBatch): readonly unknown[] {
  return unpackItems(items);
}

const alone: typeof checkInThreads = (job, options) => {
  const { joined } = job.input;
  if (joined === undefined) throw new Error("the input is not joined as bytes");
  return checkChunksHere(job, joined, options);
};

test.each([
  { when: "from the start", onlyIfSlow: false, isSlow: false },
  { when: "after the first chunk, because it is slow", onlyIfSlow: true, isSlow: true },
  { when: "never, because it is fast", onlyIfSlow: true, isSlow: false },
])("plans the same records with the help of threads $when", async ({ onlyIfSlow, isSlow }) => {
  const folder = temporaryFolder(FILES);
  const expected = await plannedBy(folder, alone, false);
  expect(expected).toMatchObject({ items: { length: ACCOUNTS }, invalid: { length: ACCOUNTS / 100 } });
  if (isSlow) passQuickly();
  expect(await plannedBy(folder, checkInThreads, onlyIfSlow)).toEqual(expected);
});
