import { expect, test } from "vitest";
import { createReadClient, readAccount } from "../../../src/platform/reading/read-client.ts";
import type { HttpReply } from "../../../src/transport/http.ts";
import { jsonReply } from "../json-reply.ts";
import { lookUpEach, MAX_PARALLEL_LOOKUPS } from "../../../src/platform/reading/parallel-lookups.ts";

const RECORDS = Array.from({ length: 40 }, (_, index) => index + 1);

interface Lookups {
  readonly done: readonly number[];
  /** The number of lookups in flight when each lookup begins, including itself. */
  readonly inFlight: readonly number[];
  readonly error: unknown;
}

/** Looks up all records. From the given record on, the client is throttled, or a lookup fails. */
async function lookUpAll({ throttledFrom = 1000, failing = [0] } = {}): Promise<Lookups> {
  const done: number[] = [];
  const inFlight: number[] = [];
  let open = 0;
  let isThrottled = false;
  const looking = lookUpEach(RECORDS, { isThrottled: () => isThrottled }, async (record) => {
    open += 1;
    inFlight.push(open);
    await new Promise((resolve) => setImmediate(resolve));
    isThrottled ||= record >= throttledFrom;
    open -= 1;
    if (failing.includes(record)) throw new Error(`record ${record}`);
    done.push(record);
  });
  const error = await looking.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  expect(open).toBe(0);
  return { done, inFlight, error };
}

test("records are looked up in parallel, in growing numbers, and each only once", async () => {
  const { done, inFlight } = await lookUpAll();
  expect(done.toSorted((a, b) => a - b)).toEqual(RECORDS);
  expect(inFlight[0]).toBe(1);
  expect(Math.max(...inFlight.slice(0, 3))).toBe(2);
  expect(Math.max(...inFlight.slice(0, 7))).toBeLessThanOrEqual(4);
  expect(Math.max(...inFlight)).toBe(MAX_PARALLEL_LOOKUPS);
});

test("records are looked up one at a time after the client had to wait", async () => {
  const { done, inFlight } = await lookUpAll({ throttledFrom: 12 });
  expect(done.toSorted((a, b) => a - b)).toEqual(RECORDS);
  expect(inFlight.slice(-15)).toEqual(Array.from({ length: 15 }, () => 1));
});

test.each([
  ["the first", 2],
  ["the second", 3],
])(
  "a platform that accepts one request at a time refuses only one request if %s of two parallel requests arrives late",
  async (_, late) => {
    let [asked, open, refused] = [0, 0, 0];
    const answer = async (): Promise<HttpReply> => {
      asked += 1;
      if (asked === late) await new Promise((resolve) => setTimeout(resolve, 1));
      if (open > 0) {
        refused += 1;
        return jsonReply(429, {}, { "retry-after": "1" });
      }
      open += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
      open -= 1;
      return jsonReply(200, { number: "A-1" });
    };
    const client = createReadClient({
      http: answer,
      baseUrl: new URL("https://api.example.com/v1/"),
      userAgent: "energy-migrate/test",
      signal: new AbortController().signal,
      clock: { now: () => 0, sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms / 50)) },
      random: () => 0.5,
    });
    const done: number[] = [];
    await lookUpEach(RECORDS, client, async (record) => {
      await readAccount(client, "A-1");
      done.push(record);
    });
    expect(done.toSorted((a, b) => a - b)).toEqual(RECORDS);
    expect(refused).toBe(1);
  },
);

test("a failure stops further lookups, and is thrown after those in flight have ended", async () => {
  const { done, error } = await lookUpAll({ failing: [10, 12] });
  expect(error).toEqual(new Error("record 10"));
  expect(Math.max(...done)).toBeLessThan(10 + MAX_PARALLEL_LOOKUPS);
  expect(done).toContain(9);
});

test("nothing else is looked up if the first lookup fails", async () => {
  const { done, inFlight } = await lookUpAll({ failing: [1] });
  expect([done, inFlight]).toEqual([[], [1]]);
});
