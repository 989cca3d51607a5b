import { expect, test } from "vitest";
import { Failure } from "../../../src/model/failure.ts";
import { patiently } from "../../../src/pipeline/shared/planner-presence.ts";

const DOWN = new Failure("storage", "the ledger cannot be reached", { hint: "nothing was sent" });

/** Runs a query that fails until this many milliseconds have passed. */
async function queryDuring(outageMs: number, failure: Error = DOWN) {
  let now = 0;
  const notices: string[] = [];
  const query = async (): Promise<string> => {
    if (now < outageMs) throw failure;
    return "reachable";
  };
  const sleep = async (ms: number): Promise<void> => void (now += ms);
  const clock = { now: () => now, monotonic: () => now, sleep };
  const { signal } = new AbortController();
  const environment = {
    clock,
    drain: signal,
    abort: signal,
    random: Math.random,
    notice: (text: string) => void notices.push(text),
    onProgress: () => undefined,
  };
  const result = await patiently(query, environment).catch((error: unknown) => error);
  return { result, notices, now };
}

test("a waiting process tolerates a restart of the server", async () => {
  const { result, notices } = await queryDuring(50_000);
  expect(result).toBe("reachable");
  expect(notices).toEqual(["the ledger cannot be reached. Retrying for 60 s"]);
});

test("a waiting process ends after an outage of a minute, and does not state that nothing was sent", async () => {
  const { result, now } = await queryDuring(100_000);
  expect(result).toMatchObject({ code: "storage", hint: expect.not.stringContaining("nothing was sent") });
  expect(now).toBe(60_000);
});

test("a waiting process does not repeat a query that fails for another reason", async () => {
  const failure = new Failure("run_unknown", "no run");
  expect(await queryDuring(1_000, failure)).toEqual({ result: failure, notices: [], now: 0 });
});
