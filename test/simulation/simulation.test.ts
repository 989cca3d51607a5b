import { describe, expect, test } from "vitest";
import { type Http, TransportError } from "../../src/transport/http.ts";
import { type CampaignSize, simulationSeeds, campaignSize } from "../campaign.ts";
import { partsOf } from "./model-platform.ts";
import type { Job } from "./session.ts";
import { type Simulated, simulate, type SimulationOptions } from "./simulate.ts";

/** The only seed to replay (SIMULATION_SEED=<printed seed>). Its trace is printed to stderr. */
const only = process.env["SIMULATION_SEED"];

/** Seeds that once revealed a bug of the product or of the simulation. They are never removed. */
const REGRESSIONS: readonly number[] = [
  5, 14, 50, 56, 132, 415, 839, 1865, 2716, 3370, 6668, 8202, 8844, 9214, 9225, 9232, 9400, 100885, 101934, 204645,
  207873, 209553, 401488, 401493, 401863,
];

const PATIENCE_MS = 3_600_000;

test.each<[string, CampaignSize, SimulationOptions]>([
  ["no schedule of replies, drops, kills, drains and full disks breaks an invariant", { part: 10, whole: 50 }, {}],
  [
    "no schedule in which older copies of the ledger are restored creates an account twice",
    { part: 5, whole: 20 },
    { restores: "noticed" },
  ],
])("%s", { timeout: PATIENCE_MS }, async (_, size, options) => {
  const seeds = simulationSeeds(size);
  const failed: string[] = [];
  const seen = { records: 0, sessions: 0, kills: 0 };
  for (const seed of only === undefined ? [...REGRESSIONS, ...seeds] : [Number(only)]) {
    const simulated = await simulate(seed, options).catch((error: unknown) => thrown(seed, error));
    if (only !== undefined) process.stderr.write(`${simulated.trace.join("\n")}\n`);
    if (simulated.violations.length > 0) failed.push(describeFailure(simulated));
    seen.records += simulated.records;
    seen.sessions += simulated.sessions;
    seen.kills += simulated.kills;
  }
  const { records, sessions, kills } = seen;
  process.stderr.write(
    `${seeds.length} seeds from ${seeds[0]}: ${records} records, ${sessions} processes, ${kills} killed\n`,
  );
  expect(failed.slice(0, 20).join("\n")).toBe("");
});

function thrown(seed: number, error: unknown): Simulated {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const violations = [{ invariant: "no bug", what }];
  return { seed, violations, trace: [], fingerprint: "", records: 0, sessions: 0, kills: 0 };
}

function describeFailure({ seed, violations }: Simulated): string {
  const replay = `SIMULATION_SEED=${seed} npx vitest run --config test/vitest.config.ts test/simulation`;
  return `seed ${seed}: ${violations.map(({ invariant, what }) => `${invariant}: ${what}`).join("; ")}\n  replay: ${replay}`;
}

test("the same seed produces the same events, to the millisecond", async () => {
  for (const seed of [3, 17, 42]) {
    const [once, again] = [await simulate(seed), await simulate(seed)];
    expect(once.trace.length).toBeGreaterThan(10);
    expect(again.trace).toEqual(once.trace);
    expect(again.fingerprint).toBe(once.fingerprint);
  }
});

const DAY_MS = 86_400_000;

test("a wall clock that jumps by a day at every reading changes no event and no time", async () => {
  for (let seed = 1; seed <= campaignSize({ part: 2, whole: 8 }); seed += 1) {
    let looks = 0;
    const wall = (now: number): number => now + (((looks += 1) * 7) % 3) * DAY_MS - DAY_MS;
    const [jumping, steady] = [await simulate(seed, { wall }), await simulate(seed)];
    expect(looks).toBeGreaterThan(0);
    expect(jumping.trace).toEqual(steady.trace);
    expect(jumping.violations).toEqual([]);
  }
});

describe("the simulation detects that", () => {
  test.each<[string, SimulationOptions["injectBug"], RegExp]>([
    ["an ambiguous request is sent again without permission", resendAlways, /nothing twice|nothing lost/],
    ["a request that was sent is classified as unsent", overHttp(unsentForSent), /nothing twice|nothing lost/],
    ["an error is classified as a success", overHttp(successForError), /I3/],
  ])("%s", async (_, injectBug, invariant) => {
    const found: string[] = [];
    for (let seed = 1; seed <= 40 && !invariant.test(found.join(" ")); seed += 1) {
      const { violations } = await simulate(seed, injectBug === undefined ? {} : { injectBug });
      found.push(...violations.map((violation) => violation.invariant));
    }
    expect(found.join(" ")).toMatch(invariant);
  });
});

test("the simulation detects that a restored ledger is not compared with its journal", async () => {
  const found: string[] = [];
  for (let seed = 1; seed <= 40 && !found.includes("nothing twice"); seed += 1) {
    const { violations } = await simulate(seed, { restores: "unnoticed" });
    found.push(...violations.map((violation) => violation.invariant));
  }
  expect(found).toContain("nothing twice");
});

function resendAlways(job: Job): Job {
  return { ...job, operation: { ...job.operation, dedupesByKey: true } };
}

function overHttp(buggy: (http: Http) => Http): (job: Job) => Job {
  return (job) => ({ ...job, platform: { ...job.platform, http: buggy(job.platform.http) } });
}

function unsentForSent(http: Http): Http {
  return (request) =>
    http(request).catch((error: unknown) => {
      if (!(error instanceof TransportError)) throw error;
      throw new TransportError("unsent", error.message, { code: error.code, durationMs: error.durationMs });
    });
}

function successForError(http: Http): Http {
  return async (request) => {
    const reply = await http(request);
    const { key } = partsOf(request);
    const lie = { external_account_number: key, account_number: `A-${key}`, kraken_account_number: `A-${key}` };
    return reply.status < 500 ? reply : { ...reply, status: 201, body: JSON.stringify(lie) };
  };
}
